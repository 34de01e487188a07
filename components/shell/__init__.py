"""The page around every page: navigation, strip, first page, headline figures, findings, dialogs of the open layout.

May import: ``state`` and below.
"""
