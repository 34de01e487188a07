"""A kind of plan a module: which replicas stay, which move, and how many."""
