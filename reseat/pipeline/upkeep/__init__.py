"""Jobs that keep the tables small: compaction and retention."""
