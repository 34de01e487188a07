"""A run at work: batches, throttles, what came of each partition, what it says of itself.

May import: what ``reseat.operate`` may.
"""
