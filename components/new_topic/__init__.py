"""New topic: the form with Kafka's own checks, and the preview of what it does.

May import: ``what_if``, ``over_time`` and below.
"""
