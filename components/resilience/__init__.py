"""Resilience: losses by broker, rack and pair, as figure, matrix, table and in detail.

May import: ``what_if``, ``over_time`` and below.
"""
