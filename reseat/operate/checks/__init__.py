"""What must hold before anything is written: the guard and its named checks.

May import: what ``reseat.operate`` may.
"""
