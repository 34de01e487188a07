"""When a run may send: inside its windows, and up to its next pause point.

What is in progress is never touched by either: it finishes, outside of a window too.
"""

from __future__ import annotations

from reseat.operate.run import sentences
from reseat.operate.run.ledger import Ledger
from reseat.operate.run.pace import Pace

__all__ = ["Timing"]


class Timing:
    """The schedule of one run, as its options say it now.

    Args:
        ledger: the run.
        pace: whose clock tells the time of day.
    """

    def __init__(self, ledger: Ledger, pace: Pace) -> None:
        self._ledger = ledger
        self._pace = pace

    def closed(self) -> str:
        """Why nothing may be sent now, as a sentence, or "". Pauses the run where it stands at a pause point."""
        windows = self._ledger.run.options.windows
        opens = None if windows is None else windows.closed_until(self._pace.clock())
        if windows is not None and opens is not None:
            return sentences.outside(windows, opens)
        point = self._next_point()
        if point is None or self._begun() < point:
            return ""
        if self._ledger.rows("sent"):
            return sentences.to_a_point(point)
        why = sentences.point_of(point)
        self._ledger.pause_at_point(self._begun(), why)
        return sentences.paused(why)

    def partitions_left(self) -> int | None:
        """How many partitions may be sent until the next pause point; None: any number."""
        point = self._next_point()
        return None if point is None else point - self._begun()

    def _next_point(self) -> int | None:
        return min(self._ledger.run.options.pause_after, default=None)

    def _begun(self) -> int:
        return len(self._ledger.moves) - len(self._ledger.rows("waiting"))
