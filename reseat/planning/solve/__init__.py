"""What finds a plan: places, flows and orders of lists. It shares nothing with ``proof``."""
