"""What every page shows of a what-if: present or after, the plan's outcome, its refusal, moves and curve.

May import: ``shell`` and below.
"""
