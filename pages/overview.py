"""Overview."""

from components import frame

seat = frame.page("Overview")
frame.answer(f"{seat.layout.partition_count:,} partitions on {len(seat.layout.brokers):,} brokers.")
