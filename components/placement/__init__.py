"""Placement and Compare: the form, the panel of one placement, small multiples.

May import: ``what_if``, ``over_time`` and below.
"""
