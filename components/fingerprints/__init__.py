"""Fingerprints: what a topic's replica lists tell of how they were placed.

May import: ``what_if``, ``over_time`` and below.
"""
