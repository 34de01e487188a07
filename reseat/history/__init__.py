"""The tables of a fleet's past: what stands in them, where they are, and how pages read them. No Spark.

May import model, errors, formats, balance, election, planning, resilience.
"""
