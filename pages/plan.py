"""Plan."""

from components import frame

seat = frame.page("Plan")
frame.answer(f"{seat.layout.partition_count:,} partitions on {len(seat.layout.brokers):,} brokers.")
