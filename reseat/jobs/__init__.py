"""Jobs of the pipeline as processes of their own: begun, read line by line, cancelled, never left behind.

May import: ``reseat.access``, ``reseat.model``.
"""
