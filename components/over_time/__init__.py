"""What pages of kept snapshots share: the pipeline's bar, an empty history, a moment opened, changes as a table.

May import: ``shell`` and below.
"""
