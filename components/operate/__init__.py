"""Execute: person, plan, checks of the guard, confirmation, the run, its history, elections and topics.

May import: ``what_if``, ``over_time`` and below.
"""
