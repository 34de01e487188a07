"""Spark itself: its Java, its settings, its session, what it raises."""
