"""Every cluster at its latest snapshot, with the single losses that would hurt it most and how it came there.

What it promises, ranked: (1) every cluster that has a snapshot is one row, swept or not; (2) the weakest broker and the
weakest rack are those whose loss takes most partitions offline, of equals the one that leaves most below min ISR, then
the one that moves most leaders, then the lowest id or the first name, as everywhere in Reseat; (3) pairs, which are
most of the rows of ``resilience``, are not read.

What it needs: the tables (``reseat.history.read``).

How it works: a read of the last days' snapshots of each cluster (of those that nobody lands any more, of their last
day), and one of the losses on the day of each cluster's latest snapshot. Rows are kept by file
(``reseat.history.kept_rows``): who asks again after a job opens what that job wrote.

Example: ``fleet(History.open("tables")).clusters`` has one row a cluster; ``broker_offline`` is what its weakest broker
would take offline, and ``size_curve`` a short list for a sparkline.

Complexity: O(clusters x days) folders listed, as many files opened as are new, O(clusters x (brokers + racks)) rows of
losses.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from pyarrow import compute as pc

from reseat.history.folder import Folder
from reseat.history.kept_rows import read_kept
from reseat.history.parts import Part, day_of, days_of, parts_of
from reseat.history.read import History
from reseat.history.scan import frame, read_listed

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["CURVE_POINTS", "HARM", "MANY_BYTES", "Fleet", "fleet"]

#: By what losses are ranked, the worst first.
HARM = ("offline_partitions", "below_min_isr", "leaders_moved")
#: Points of a curve: as many as a cell of a table has room for.
CURVE_POINTS = 32
#: Curves go back a week at most; in a large fleet less, so that no more than so many cluster-days are opened for them.
_LONGEST, _CLUSTER_DAYS = 7, 2_000
#: Losses in files that are larger than this together are not kept.
MANY_BYTES = 256 << 20
_SINGLE = ("broker", "rack")
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

    tables = history.tables
    known = days_of(tables)
    longest = int(np.clip(_CLUSTER_DAYS // max(1, len(known)), 1, _LONGEST))
    newest = datetime.fromisoformat(max((days[-1] for days in known.values()), default="1970-01-01"))
    since = day_of(newest - timedelta(days=longest))
    # Of those that nobody lands any more, the last day.
    wanted = {cluster: {days[-1], *(day for day in days if day >= since)} for cluster, days in known.items()}
    rows = read_kept(tables, "snapshots", lambda: _parts(tables, "snapshots", wanted), _LATEST)
    latest = frame(_last(rows))
    if others := known.keys() - set(latest["cluster"]):  # whose last day has no snapshot any more
        earlier = history.latest(columns=_LATEST, clusters=sorted(others))
        latest = pd.concat([latest, earlier]) if len(latest) else earlier
    latest = latest.sort_values("cluster", ignore_index=True)
    weakest = _weakest(history, latest)
    whole = latest.merge(weakest, on="cluster", how="left")
    recent = rows.select(["cluster", *_ORDER, *_CURVES.values()])
    whole = whole.merge(_curves(frame(recent), longest), on="cluster", how="left")
    return Fleet(whole.assign(swept=whole["cluster"].isin(weakest["cluster"])), longest)


def _parts(tables: Folder, name: str, days: Mapping[str, Collection[str]]) -> list[Part]:
    """The files of a table on these days of clusters."""
    asked = sorted(set().union(*days.values()))
    return [part for part in parts_of(tables, name, clusters=days, days=asked) if part.day in days[part.cluster]]


def _last(rows: pa.Table) -> pa.Table:
    """The last snapshot of each cluster."""
    order = pc.sort_indices(rows, [(name, "ascending") for name in ("cluster", *_ORDER)])
    clusters = rows["cluster"].take(order).combine_chunks()
    ends = pc.not_equal(clusters[:-1], clusters[1:])
    return rows.take(order.filter(pa.concat_arrays([ends, pa.repeat(True, min(1, len(clusters)))])))


def _weakest(history: History, latest: pd.DataFrame) -> pd.DataFrame:
    """By cluster: what its worst single losses would do; clusters that were not swept are left out."""
    losses = _beyond(frame(_losses(history, latest)), latest, _already(history, latest))
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


def _beyond(losses: pd.DataFrame, latest: pd.DataFrame, swept: pd.DataFrame) -> pd.DataFrame:
    """The losses without what is offline or below min ISR before anything is lost: each counts that too.

    That is told as it was swept. Earlier versions did not sweep it: then as the snapshot says, never more than after
    the mildest loss.
    """
    told = latest.set_index("cluster")
    for measure, column in (("offline_partitions", "offline"), ("below_min_isr", "below_min_isr")):
        mildest = losses.groupby("cluster")[measure].transform("min")
        said = losses["cluster"].map(told[column]).astype("Int64")
        already = losses["cluster"].map(swept[measure]).astype("Int64")
        losses[measure] -= already.fillna(said.where(said < mildest, mildest).where(said.notna(), 0))
    return losses


def _already(history: History, latest: pd.DataFrame) -> pd.DataFrame:
    """By cluster: what the sweep of its latest snapshot found offline and below min ISR with nothing lost."""
    day = dict(zip(latest["cluster"], ({day_of(one)} for one in latest["taken_at"]), strict=True))
    columns = ["snapshot_id", "cluster", "offline_partitions", "below_min_isr"]
    found = read_kept(history.tables, "copysets", partial(_parts, history.tables, "copysets", day), columns)
    ids = pa.array(latest["snapshot_id"], pa.string())
    return frame(found.filter(pc.is_in(found["snapshot_id"], ids))).drop_duplicates("cluster").set_index("cluster")


def _losses(history: History, latest: pd.DataFrame) -> pa.Table:
    """The losses of single brokers and racks of the latest snapshots."""
    tables, columns = history.tables, ["snapshot_id", "cluster", "kind", "lost", "rack", *HARM]
    day = dict(zip(latest["cluster"], ({day_of(one)} for one in latest["taken_at"]), strict=True))
    ids = pa.array(latest["snapshot_id"], pa.string())
    listed = partial(_parts, tables, "resilience", day)
    if sum(part.size for part in listed()) <= MANY_BYTES:
        found = read_kept(tables, "resilience", listed, columns, only=("kind", _SINGLE))
    else:  # of each day's many, only what is needed
        needed = pc.field("kind").isin(_SINGLE) & pc.field("snapshot_id").isin(ids)
        found = read_listed(tables, "resilience", lambda: [one.path for one in listed()], columns, filter=needed)
    return found.filter(pc.is_in(found["snapshot_id"], ids))


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
