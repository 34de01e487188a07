"""The groups of the connected cluster, read when asked for, and told as any other story."""

from __future__ import annotations

from components.session import Seat

__all__ = ["draw_groups"]


def draw_groups(seat: Seat | None) -> None:
    """Where a live cluster is connected, its groups, one to choose."""
    if seat is None or seat.live is None:
        return
