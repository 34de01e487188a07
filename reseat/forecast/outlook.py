"""What each count of a cluster and of its brokers will be, and the day on which a limit is met.

What it promises, ranked: (1) the last snapshot of each UTC day stands for it, and a day without one is unknown;
(2) only brokers of the last snapshot are told of; (3) what cannot be foretold is there too, with why.

What it needs: the tables (``reseat.history.read``), the limits (``settings``).

Complexity: O(days x brokers) rows, then ``trend`` for each count: some 10 ms a year.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from reseat.forecast.settings import Limits
from reseat.forecast.trend import Forecast, Refused, foretell
from reseat.history.read import History, frame
from reseat.history.stretch import last_moment
from reseat.model import FloatArray
from reseat.model.units import count, size
from reseat.model.wording import counted, listed, verb

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["WORDS", "Met", "Outlook", "Outlooks", "outlooks"]

#: Counts of a whole cluster and of a broker, by the columns of the tables, and what they are called.
WORDS = {
    "partitions": "partitions",
    "replicas": "replicas",
    "size_bytes": "bytes",
    "replica_spread": "replica spread",
    "disk_used": "disk used",
}
_OF_CLUSTER = ("partitions", "replicas", "size_bytes", "replica_spread")
_OF_BROKER = ("replicas", "size_bytes", "disk_used")
#: How far back is looked.
_LONGEST = timedelta(days=365)


@dataclass(frozen=True, slots=True)
class Met:
    """When a limit is met; None: not as far ahead as is foretold.

    Attributes:
        early: the first day on which the upper end of the 80 % interval meets it.
        likely: the first day on which the line does.
        late: the first day on which even the lower end does.
    """

    early: date | None
    likely: date | None
    late: date | None


@dataclass(frozen=True, eq=False)
class Outlook:
    """One count's past and future, which is foretold when it is first asked for.

    Attributes:
        measure: a key of ``WORDS``.
        broker: whose it is; None: the cluster's.
        values: (days,) its past by day, NaN where unknown; the last place is ``Outlooks.until``.
        limit: what it should not reach; None where no limit is set, or the size of a disk is unknown.
        until: the last day of the past.
        tested: whether its forecast is tried on the past.
    """

    measure: str
    broker: int | None
    values: FloatArray
    limit: float | None
    until: date
    tested: bool = True

    @cached_property
    def told(self) -> Forecast | Refused:
        """What comes, or why nothing is foretold."""
        return foretell(self.values, tested=self.tested)

    @property
    def now(self) -> float | None:
        """The last value; None where it is unknown."""
        last = float(self.values[-1])
        return None if np.isnan(last) else last

    @property
    def met(self) -> Met | None:
        """When its limit is met; None where there is none, or nothing is foretold. One that is met is met today."""
        if self.limit is None:
            return None
        if self.now is not None and self.now >= self.limit:
            return Met(self.until, self.until, self.until)
        if isinstance(self.told, Refused):
            return None
        days = self.told.reaches(self.limit)
        return Met(*(None if ahead is None else self.until + timedelta(days=ahead) for ahead in days))

    @property
    def soonest(self) -> tuple[date, date]:
        """Sorts counts: those that likely meet their limit first, then those that may."""
        met = self.met or Met(None, None, None)
        return met.likely or date.max, met.early or date.max

    def words(self, value: float | None) -> str:
        """A value of this count for a person."""
        return (size if self.measure in ("size_bytes", "disk_used") else count)(value)

    @property
    def name(self) -> str:
        """What it is a count of: "replicas", "disk used of broker 3"."""
        return WORDS[self.measure] + ("" if self.broker is None else f" of broker {self.broker}")


@dataclass(frozen=True, slots=True, eq=False)
class Outlooks:
    """All counts of a cluster.

    Attributes:
        cluster: its name.
        since: the first day of its past; None where there is none.
        until: the last day.
        counts: the cluster's own, then those of its brokers by id; counts that no snapshot tells are left out.
        limits: the cluster's limits.
    """

    cluster: str
    since: date | None
    until: date | None
    counts: tuple[Outlook, ...]
    limits: Limits

    @property
    def inside(self) -> tuple[float | None, int]:
        """The share of held-out days of all counts that lay inside the interval told for them, and how many days."""
        told = [one.told for one in self.counts if isinstance(one.told, Forecast) and one.told.inside is not None]
        tried = sum(one.tried for one in told)
        return (sum((one.inside or 0.0) * one.tried for one in told) / tried if tried else None), tried

    @property
    def first(self) -> Outlook | None:
        """The count that likely meets its limit first, else the one that may; None where none does."""
        soonest = min(self.counts, key=lambda one: one.soonest, default=None)
        return None if soonest is None or soonest.soonest == (date.max, date.max) else soonest

    @property
    def blind(self) -> tuple[str, ...]:
        """Limits of which nothing can be said, a sentence each: what they bound is unknown or cannot be foretold."""
        seen = {one.measure for one in self.counts if one.limit is not None}
        bounded = {
            "disk_used": (self.limits.disk, "the size of a disk (Kafka 3.3 and later tell it)"),
            "size_bytes": (self.limits.bytes_per_broker, "the size of a replica"),
        }
        said = [
            f"The limit on {WORDS[measure]} is not looked at: the last snapshot does not tell {what}."
            for measure, (limit, what) in bounded.items()
            if limit is not None and measure not in seen
        ]
        dark = [one.name for one in self.counts if one.limit is not None and one.met is None]
        return (
            *said,
            *([f"No forecast of {listed(dark)}, which {verb(len(dark), 'has', 'have')} a limit."] if dark else []),
        )

    @property
    def sentence(self) -> str:
        """What an operator should know first."""
        soonest = self.first
        met = None if soonest is None else soonest.met
        if soonest is not None and met is not None:
            of = f"{soonest.name[0].upper()}{soonest.name[1:]}: the limit of {soonest.words(soonest.limit)}"
            if soonest.now is not None and soonest.limit is not None and soonest.now >= soonest.limit:
                return f"{of} is met already."
            if met.likely is None:
                days = 0 if isinstance(soonest.told, Refused) else len(soonest.told.likely)
                return f"{of} may be met from {met.early} on, but likely not within {days} days."
            return f"{of} is likely met on {met.likely}, in 8 of 10 cases {_between(met)}."
        if not self.ahead:
            refused = next((one.told.sentence for one in self.counts if isinstance(one.told, Refused)), "")
            return f"No forecast. {refused}".rstrip()
        if self.limits == Limits():
            return "No limits are set."
        return f"No limit that can be foretold is met within {self.sure} days of the last snapshot."

    def old(self, today: date) -> tuple[str, ...]:
        """That the last snapshot is not of today or yesterday, in UTC: its forecast is of days that are over."""
        days = 0 if self.until is None else (today - self.until).days
        if days < 2:
            return ()
        seen = f"this is the forecast as of {self.until}, and its dates may have passed."
        return (f"The last snapshot is {counted(days, 'day')} old: {seen}",)

    @property
    def sure(self) -> int:
        """Days for which each count with a limit is foretold, of those that are at all; 0 where nothing is.

        A broker that joined of late has a short past.
        """
        told = [one.told for one in self.counts if one.limit is not None]
        return min((len(one.likely) for one in told if isinstance(one, Forecast)), default=self.ahead)

    @property
    def ahead(self) -> int:
        """Days that are foretold at most; 0 where nothing is. A broker's past is no longer than its cluster's."""
        for brokers in (False, True):
            told = [one.told for one in self.counts if (one.broker is not None) == brokers]
            if days := max((len(one.likely) for one in told if isinstance(one, Forecast)), default=0):
                return days
        return 0


def _between(met: Met) -> str:
    return f"from {met.early} on" if met.late is None else f"between {met.early} and {met.late}"


def outlooks(history: History, cluster: str, limits: Limits, *, tested: bool = True) -> Outlooks:
    """What comes for a cluster.

    Args:
        history: the tables.
        cluster: the cluster.
        limits: its limits.
        tested: False: forecasts are not tried on the past, and ``inside`` has none.

    Raises:
        InputRefused: the tables cannot be read.
    """
    last = last_moment(history, cluster)
    if last is None:
        return Outlooks(cluster, None, None, (), limits)
    since = last - _LONGEST
    of_day = history.snapshots(cluster, since, last, columns=("snapshot_id", "taken_at", *_OF_CLUSTER))
    of_day["place"] = (of_day["taken_at"].dt.floor("D") - of_day["taken_at"].iloc[0].floor("D")).dt.days
    of_day = of_day.drop_duplicates("place", keep="last")
    days = int(of_day["place"].iloc[-1]) + 1
    until = last.date()
    brokers = _of_brokers(history, cluster, of_day)
    # Without those on a broker that is down all replicas together are fewer bytes, and no fewer replicas.
    partly = brokers["place"][(brokers["replicas"] > 0) & brokers["size_bytes"].isna()]
    of_day["size_bytes"] = of_day["size_bytes"].mask(of_day["place"].isin(partly))
    made = []
    for measure in _OF_CLUSTER:
        limit = limits.partitions_per_cluster if measure == "partitions" else None
        made.append(Outlook(measure, None, _by_day(of_day, measure, days), limit, until, tested))
    for broker, rows in brokers.groupby("broker", sort=True):
        if rows["place"].iloc[-1] != days - 1:
            continue
        # A broker that is down, or does not answer, tells nothing: its disk is as large as it last said.
        total = rows["total_bytes"].ffill().iloc[-1]
        disk = None if limits.disk is None or not total > 0 else float(total) * limits.disk / 100
        most = {"replicas": limits.replicas_per_broker, "size_bytes": limits.bytes_per_broker, "disk_used": disk}
        for measure in _OF_BROKER:
            most_held = most[measure]
            held = _by_day(rows, measure, days)
            end = None if most_held is None else float(most_held)
            made.append(Outlook(measure, int(str(broker)), held, end, until, tested))
    told = tuple(one for one in made if not np.isnan(one.values).all())
    return Outlooks(cluster, until - timedelta(days=days - 1), until, told, limits)


def _by_day(rows: pd.DataFrame, column: str, days: int) -> FloatArray:
    values = np.full(days, np.nan)
    values[rows["place"].to_numpy()] = rows[column].astype("Float64").to_numpy(np.float64, na_value=np.nan)
    return values


def _of_brokers(history: History, cluster: str, of_day: pd.DataFrame) -> pd.DataFrame:
    """What each broker carried on each day, oldest first, with ``disk_used`` and ``total_bytes`` as doubles."""
    from pyarrow import compute as pc

    wanted = pc.field("snapshot_id").isin(of_day["snapshot_id"].tolist())
    first, last = of_day["taken_at"].iloc[0], of_day["taken_at"].iloc[-1]
    keys = ["snapshot_id", "broker"]

    def rows(table: str, *columns: str) -> pd.DataFrame:
        asked = [*keys, *columns]
        return frame(history.table(table, cluster, since=first, until=last, columns=asked, filter=wanted))

    loads = rows("broker_balance", "replicas", "size_bytes")
    disks = rows("brokers", "total_bytes", "usable_bytes")
    whole = loads.merge(disks, on=keys, how="left").merge(of_day[["snapshot_id", "place"]], on="snapshot_id")
    for column in ("total_bytes", "usable_bytes"):
        whole[column] = whole[column].astype("Float64").to_numpy(np.float64, na_value=np.nan)
    return whole.assign(disk_used=whole["total_bytes"] - whole["usable_bytes"]).sort_values(["broker", "place"])
