"""What is written down: approvals, every intention before it is sent, outcomes, and who is at work.

May import: what ``reseat.operate`` may.
"""
