"""Processes beside the server: jobs of the pipeline, and what takes long for large layouts. None is left behind.

May import: ``reseat.access``, ``reseat.model``.
"""
