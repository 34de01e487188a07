"""Measures what the design promises and prints it beside the budget; asserts nothing, uses only this machine."""
