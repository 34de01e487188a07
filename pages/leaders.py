"""Leaders."""

from components import frame

seat = frame.page("Leaders")
frame.answer(f"{seat.layout.partition_count:,} partitions on {len(seat.layout.brokers):,} brokers.")
