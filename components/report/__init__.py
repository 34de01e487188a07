"""Report: choices, form, the report once made, and the files to take.

May import: ``what_if``, ``over_time`` and below.
"""
