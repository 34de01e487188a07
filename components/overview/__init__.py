"""Overview: what one takes away from it.

May import: ``what_if``, ``over_time`` and below.
"""
