"""Leaders: elections, brokers that stop, and the walk through both.

May import: ``what_if``, ``over_time`` and below.
"""
