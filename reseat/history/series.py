"""A cluster's snapshots over time as what one figure can show: at most so many moments, each the worst of its stretch.

What it promises, ranked: (1) the worst moment of all is among those shown; (2) there are at most as many as asked for;
(3) a stretch without snapshots is a gap, not a line.

How it works: where there are more snapshots than moments, time is cut into equal stretches; each shows the largest of
every count, and stands for its worst snapshot, the one that a click opens.

Complexity: O(n log n) for n snapshots. Knows nothing of Streamlit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from reseat.model import BoolArray, FloatArray, Longs

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["COLUMNS", "MOST", "Series", "row_of", "series", "worst"]

#: What the page asks of each snapshot.
COLUMNS = (
    "snapshot_id", "taken_at", "brokers", "brokers_down", "topics", "partitions", "replicas", "size_bytes", "offline",
    "under_replicated", "below_min_isr", "not_preferred", "reassigning", "replica_spread", "replica_variation",
    "leader_variation", "byte_variation", "findings_broken", "findings_attention", "findings_note",
    "worst_finding", "worst_severity",
)  # fmt: skip
#: Moments that a figure of 1,000 pixels can tell apart.
MOST = 500
#: A pause this many times longer than usual is a gap.
_GAP = 3.5
#: By what one moment is worse than another, in this order.
_WORSE = ("offline", "below_min_isr", "under_replicated", "findings_broken", "findings_attention", "brokers_down")


@dataclass(frozen=True, slots=True, eq=False)
class Series:
    """What a figure shows.

    Attributes:
        moments: one row a moment, oldest first: ``COLUMNS``, the counts being the largest of the moment's stretch, the
            identity and the time those of its worst snapshot, and ``held``, the snapshots it stands for.
        gaps: (n,) bool, whether a stretch without snapshots lies before a moment.
        snapshots: how many snapshots there are.
        step: seconds between two moments as a rule.
    """

    moments: pd.DataFrame
    gaps: BoolArray
    snapshots: int
    step: float

    @property
    def aggregated(self) -> bool:
        """Whether a moment stands for several snapshots."""
        return self.snapshots > len(self.moments)

    def place(self, snapshot_id: str) -> int | None:
        """Which moment a snapshot is, or None where it is none of them."""
        found = np.flatnonzero((self.moments["snapshot_id"] == snapshot_id).to_numpy())
        return int(found[0]) if len(found) else None


def series(snapshots: pd.DataFrame, *, most: int = MOST, keep: Sequence[str] = ()) -> Series:
    """The moments of some snapshots.

    Args:
        snapshots: rows of the table ``snapshots`` with ``COLUMNS``, oldest first.
        most: moments at most, beside those of ``keep``.
        keep: identities of snapshots that are moments of their own in any case.
    """
    count = len(snapshots)
    seconds = _seconds(snapshots)
    if count <= most:
        moments = snapshots.assign(held=1)
    else:
        stretch = np.minimum((seconds - seconds[0]) / (seconds[-1] - seconds[0]) * most, most - 1).astype(np.int64)
        alone = dict.fromkeys(keep)  # one that is named twice is kept once
        stretch = stretch * (len(alone) + 1)
        for number, identity in enumerate(alone, 1):
            stretch[(snapshots["snapshot_id"] == identity).to_numpy()] += number
        moments = _stretches(snapshots, stretch)
    at = _seconds(moments)
    pauses = np.diff(at)
    usual = float(np.median(pauses)) if len(pauses) else 3600.0
    gaps = np.append(np.zeros(min(len(at), 1), np.bool_), pauses > _GAP * usual)
    return Series(moments.reset_index(drop=True), gaps, count, max(usual, 1.0))


def worst(snapshots: pd.DataFrame) -> int | None:
    """The place of the worst snapshot, the first of equals; None where none has anything broken or wanting."""
    told = snapshots[list(_WORSE[:4])].astype("Float64").fillna(0).to_numpy(np.float64)
    if not len(told) or not told.any():
        return None
    return int(_badness(snapshots)[0])


def _badness(snapshots: pd.DataFrame) -> Longs:
    """Places of the snapshots, the worst first."""
    told = snapshots[list(_WORSE)].astype("Float64").fillna(0).to_numpy(np.float64)
    return np.lexsort((np.arange(len(told)), *(-told[:, column] for column in reversed(range(len(_WORSE))))))


def _stretches(snapshots: pd.DataFrame, stretch: Longs) -> pd.DataFrame:
    rank = np.empty(len(snapshots), np.int64)
    rank[_badness(snapshots)] = np.arange(len(snapshots))
    ordered = np.lexsort((rank, stretch))
    firsts = ordered[np.flatnonzero(np.diff(stretch[ordered], prepend=-1))]
    worst_of = snapshots.iloc[firsts]  # in the order of the stretches, as the counts are
    numbers = [name for name in snapshots.columns if name not in ("snapshot_id", "taken_at", *_WORDS)]
    grouped = snapshots[numbers].groupby(stretch, sort=True)
    counts = grouped.max().set_index(worst_of.index)
    held = grouped.size().to_numpy()
    made = worst_of.assign(**{name: counts[name] for name in numbers}, held=held)
    return made.iloc[np.argsort(firsts)]  # one that was kept may stand before the worst of its stretch's rest


_WORDS = ("worst_finding", "worst_severity")


def _seconds(snapshots: pd.DataFrame) -> FloatArray:
    moments: list[datetime] = list(snapshots["taken_at"])
    return np.array([moment.timestamp() for moment in moments], np.float64)


def row_of(snapshots: pd.DataFrame, identity: str) -> pd.Series[Any]:
    """One snapshot's row.

    Args:
        snapshots: rows by ``snapshot_id``.
        identity: which one.

    Raises:
        KeyError: it is not among them.
    """
    return cast("pd.Series[Any]", snapshots.loc[identity])
