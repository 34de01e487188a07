"""Consumers: groups and assignors: form, matrix, sequence, and two assignors side by side.

May import: ``what_if``, ``over_time`` and below.
"""
