"""Replication: the form of a story, its words, and edits on the way.

May import: ``what_if``, ``over_time`` and below.
"""
