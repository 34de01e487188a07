"""Plan: the commands, the proof, another plan validated, Kafka's --generate beside it.

May import: ``what_if``, ``over_time`` and below.
"""
