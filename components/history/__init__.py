"""History: choices, figures over time, two moments compared, a moment opened.

May import: ``what_if``, ``over_time`` and below.
"""
