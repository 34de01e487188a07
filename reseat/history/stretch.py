"""What the History page asks of the tables, as one answer that can be kept. Knows nothing of Streamlit."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from reseat.history.events import Event, events_of
from reseat.history.read import History
from reseat.history.series import COLUMNS

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["StretchFacts", "cluster_id_of", "last_moment", "moments", "read"]


@dataclass(frozen=True, slots=True, eq=False)
class StretchFacts:
    """A stretch of a cluster's history.

    Attributes:
        snapshots: rows of the table ``snapshots`` with ``COLUMNS``, oldest first.
        counts: changes by moment and kind, those that led to the first snapshot left out.
        marks: what happened, for the figure.
        partly: the moments at which some sizes are unknown (``History.sized_partly``).
    """

    snapshots: pd.DataFrame
    counts: pd.DataFrame
    marks: list[Event]
    partly: frozenset[datetime] = frozenset()

    @property
    def drawn(self) -> pd.DataFrame:
        """The snapshots, their size unknown where it is not that of all replicas: an outage is no dip."""
        whole = ~self.snapshots["taken_at"].isin(self.partly)
        return self.snapshots.assign(size_bytes=self.snapshots["size_bytes"].where(whole))


def last_moment(history: History, cluster: str) -> datetime | None:
    """When a cluster's newest snapshot was taken, or None where it has none.

    Raises:
        InputRefused: the tables cannot be read.
    """
    for day in reversed(history.days(cluster)):
        moments = history.table("snapshots", cluster, days=[day], columns=["taken_at"])["taken_at"]
        if len(moments):
            last: datetime = max(moments.to_pylist())
            return last
    return None


def cluster_id_of(history: History, cluster: str) -> str | None:
    """The id that a cluster gives itself in its newest snapshot; None where that tells none, or there is none.

    Raises:
        InputRefused: the tables cannot be read.
    """
    last = last_moment(history, cluster)
    if last is None:
        return None
    told = history.table("snapshots", cluster, since=last, until=last, columns=["cluster_id"])["cluster_id"].to_pylist()
    return next(iter(told), None)


def moments(history: History, cluster: str, identities: Collection[str]) -> dict[str, datetime]:
    """When some snapshots of a cluster were taken, by identity; those that are not in the tables are left out.

    Raises:
        InputRefused: the tables cannot be read.
    """
    from pyarrow import compute as pc

    rows = history.table(
        "snapshots",
        cluster,
        columns=["snapshot_id", "taken_at"],
        filter=pc.field("snapshot_id").isin(sorted(identities)),
    )
    return dict(zip(rows["snapshot_id"].to_pylist(), rows["taken_at"].to_pylist(), strict=True))


def read(history: History, cluster: str, since: datetime | None, until: datetime | None) -> StretchFacts:
    """All that the page draws of a stretch of time, but for the two moments that are compared.

    Raises:
        InputRefused: the tables cannot be read.
    """
    snapshots = history.snapshots(cluster, since, until, columns=COLUMNS)
    if snapshots.empty:
        return StretchFacts(snapshots, history.change_counts(cluster, until, until), [])
    counts = history.change_counts(cluster, snapshots["taken_at"].iloc[0], snapshots["taken_at"].iloc[-1])
    marks, _ = events_of(history, cluster, snapshots, counts)
    sized = snapshots["taken_at"][snapshots["size_bytes"].notna()]
    partly = history.sized_partly(cluster, sized.iloc[0], sized.iloc[-1]) if len(sized) else frozenset[datetime]()
    return StretchFacts(snapshots, counts, marks, partly)
