"""Clusters: what is open, live clusters with their form and cards, the fleet with figure and table.

May import: ``what_if``, ``over_time`` and below.
"""
