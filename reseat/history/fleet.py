"""Every cluster at its latest snapshot, with the single losses that would hurt it most and how it came there.

What it promises, ranked: (1) every cluster that has a snapshot is one row, swept or not; (2) the weakest broker and the
weakest rack are those whose loss takes most partitions offline, of equals the one that leaves most below min ISR, then
the one that moves most leaders, then the lowest id or the first name, as everywhere in Reseat; (3) pairs, which are
most of the rows of ``resilience``, are not read.

What it needs: the tables (``reseat.history.read``).

How it works: one read of a few columns of the last days' snapshots, for the curves and to see which are the latest; one
of all columns, of the file that was written last of each cluster; one more for the clusters that nobody lands any more;
one a day for the losses of the clusters whose latest snapshot is of that day (a few clusters are read one by one).

Example: ``fleet(History.open("tables")).clusters`` has one row a cluster; ``broker_offline`` is what its weakest broker
would take offline, and ``size_curve`` a short list for a sparkline.

Complexity: O(clusters x days) files listed and opened for the curves, O(clusters x (brokers + racks)) rows of losses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from pyarrow import compute as pc

from reseat.history.parts import Part, day_of, parts_of
from reseat.history.read import History
from reseat.history.scan import frame, read_listed

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["CURVE_POINTS", "HARM", "Fleet", "fleet"]

#: By what losses are ranked, the worst first.
HARM = ("offline_partitions", "below_min_isr", "leaders_moved")
#: Points of a curve: as many as a cell of a table has room for.
CURVE_POINTS = 32
#: Curves go back a week at most; in a large fleet less, so that no more than so many cluster-days are opened for them.
_LONGEST, _CLUSTER_DAYS = 7, 2_000
#: Days with fewer clusters than these are read cluster by cluster: the others' files of that day are not needed.
_FEW = 8
_LATEST = (
    "cluster", "snapshot_id", "taken_at", "brokers", "brokers_down", "racks", "topics", "partitions", "replicas",
    "size_bytes", "offline", "under_replicated", "below_min_isr", "replica_spread", "replica_spread_least",
    "leader_spread", "leader_spread_least", "findings_broken", "findings_attention", "worst_finding", "worst_severity",
)  # fmt: skip
_ORDER = ["taken_at", "snapshot_id"]
_CURVES = {"size_curve": "size_bytes", "spread_curve": "replica_spread"}


@dataclass(frozen=True, slots=True, eq=False)
class Fleet:
    """Every cluster at its latest snapshot.

    Attributes:
        clusters: one row a cluster, sorted by name. The columns of its latest snapshot, and:

            - ``swept``: whether its losses were counted;
            - ``weakest_broker`` (id), ``broker_offline``, ``broker_below``, ``broker_moved``: the single broker whose
              loss hurts most and what it would do beyond what is so already, in partitions; NA where not told;
            - ``weakest_rack`` (name), ``rack_offline``, ``rack_below``, ``rack_moved``: the same of racks;
            - ``brokers_to_lose``: how many single brokers would take a partition offline;
            - ``every_seconds``: the usual time between two snapshots (median); NA where there is one alone;
            - ``size_curve``, ``spread_curve``: lists of floats, oldest first, each the last snapshot of its span of
              time; NaN where no such number is told.
        days: how far the curves go back from the newest snapshot of all.
    """

    clusters: pd.DataFrame
    days: int


def fleet(history: History) -> Fleet:
    """Every cluster at its latest snapshot.

    Args:
        history: the tables.

    Raises:
        InputRefused: the tables cannot be read.
    """
    import pandas as pd

    parts = parts_of(history.tables, "snapshots")
    clusters = {part.cluster for part in parts}
    days = int(np.clip(_CLUSTER_DAYS // max(1, len(clusters)), 1, _LONGEST))
    newest = datetime.fromisoformat(max((part.day for part in parts), default="1970-01-01")).replace(tzinfo=UTC)
    since = day_of(newest - timedelta(days=days))

    def read(choose: Callable[[Sequence[Part]], Iterable[Part]], columns: Sequence[str]) -> pd.DataFrame:
        first = [parts]

        def listed() -> list[str]:
            return [one.path for one in choose(first.pop() if first else parts_of(history.tables, "snapshots"))]

        return frame(read_listed(history.tables, "snapshots", listed, columns))

    # Each column of each file costs: all of a snapshot's are read of the file that was written last of each cluster.
    recent = read(lambda all_: (one for one in all_ if one.day >= since), ("cluster", *_ORDER, *_CURVES.values()))
    last = recent.sort_values(_ORDER).drop_duplicates("cluster", keep="last")
    latest = read(lambda all_: {one.cluster: one for one in all_}.values(), _LATEST)
    latest = latest[latest["snapshot_id"].isin(last["snapshot_id"])].drop_duplicates("cluster")
    if others := clusters.difference(latest["cluster"]):  # whose latest came before an earlier one, or long ago
        latest = pd.concat([latest, history.latest(columns=_LATEST, clusters=sorted(others))])
    latest = latest.sort_values("cluster", ignore_index=True)
    weakest = _weakest(history, latest)
    whole = latest.merge(weakest, on="cluster", how="left")
    whole = whole.merge(_curves(recent, days), on="cluster", how="left")
    return Fleet(whole.assign(swept=whole["cluster"].isin(weakest["cluster"])), days)


def _weakest(history: History, latest: pd.DataFrame) -> pd.DataFrame:
    """By cluster: what its worst single losses would do; clusters that were not swept are left out."""
    losses = _beyond(frame(_losses(history, latest)), latest)
    losses["id"] = losses["lost"].str[0].astype("Int64")
    losses = losses.sort_values(
        ["cluster", *HARM, "rack", "id"], ascending=[True, False, False, False, True, True], na_position="last"
    )
    brokers, racks = (losses[losses["kind"] == kind] for kind in ("broker", "rack"))
    worst = brokers.drop_duplicates("cluster")[["cluster", "id", *HARM]]
    worst.columns = ["cluster", "weakest_broker", "broker_offline", "broker_below", "broker_moved"]
    hurting = brokers[brokers["offline_partitions"] > 0].groupby("cluster").size().astype("Int64")
    worst["brokers_to_lose"] = hurting.reindex(worst["cluster"]).fillna(0).array
    of_rack = racks.drop_duplicates("cluster")[["cluster", "rack", *HARM]]
    of_rack.columns = ["cluster", "weakest_rack", "rack_offline", "rack_below", "rack_moved"]
    return worst.merge(of_rack, on="cluster", how="outer")


def _beyond(losses: pd.DataFrame, latest: pd.DataFrame) -> pd.DataFrame:
    """The losses without what is offline or below min ISR before anything is lost: each counts that too."""
    told = latest.set_index("cluster")
    for measure, column in (("offline_partitions", "offline"), ("below_min_isr", "below_min_isr")):
        mildest = losses.groupby("cluster")[measure].transform("min")
        already = losses["cluster"].map(told[column]).astype("Int64")
        losses[measure] -= already.where(already < mildest, mildest).where(already.notna(), 0)
    return losses


def _losses(history: History, latest: pd.DataFrame) -> pa.Table:
    """The losses of single brokers and racks of the latest snapshots."""
    columns = ["cluster", "kind", "lost", "rack", *HARM]
    single = pc.field("kind").isin(["broker", "rack"])
    found = [history.table("resilience", days=[], columns=columns)]
    by_day = latest.groupby(latest["taken_at"].map(day_of), sort=True)
    for day, rows in by_day:
        wanted = single & pc.field("snapshot_id").isin(rows["snapshot_id"].tolist())
        few: list[str | None] = rows["cluster"].tolist() if len(rows) < _FEW else [None]
        found += [history.table("resilience", cluster, days=[day], columns=columns, filter=wanted) for cluster in few]
    return pa.concat_tables(found)


def _curves(rows: pd.DataFrame, days: int) -> pd.DataFrame:
    """By cluster: its curves over the last days, and how often it lands."""
    import pandas as pd

    if not len(rows):
        return pd.DataFrame(columns=["cluster", "every_seconds", *_CURVES], dtype=object)
    since = rows["taken_at"].max() - timedelta(days=days)
    rows = rows[rows["taken_at"] >= since]
    rows = rows.sort_values(["cluster", "taken_at"], ignore_index=True)
    gaps = rows.groupby("cluster")["taken_at"].diff().dt.total_seconds()
    every = gaps.groupby(rows["cluster"]).median()
    span = (rows["taken_at"] - since).dt.total_seconds().to_numpy() * CURVE_POINTS / (days * 86_400)
    rows["point"] = np.clip(span.astype(np.int64), 0, CURVE_POINTS - 1)
    points = rows.drop_duplicates(["cluster", "point"], keep="last")
    made = pd.DataFrame({"every_seconds": every.astype("Float64")})
    for name, column in _CURVES.items():
        told = points.dropna(subset=[column])
        made[name] = told[column].astype(float).groupby(told["cluster"]).agg(list)
    return made.rename_axis("cluster").reset_index()
