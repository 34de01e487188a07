"""election."""
