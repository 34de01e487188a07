"""Which limit each cluster of a fleet meets first, and when: its outlook in a line, kept in a file between two looks.

What it promises, ranked: (1) a line is what ``outlook`` says of a snapshot of the cluster's last day; (2) a limit that
the latest snapshot meets is told as soon as that is looked at; (3) a cluster that meets none is foretold once a day.

What it needs: the tables, the limits, and the latest snapshot of each cluster.

How it works: a forecast goes by days, so that a line that names no limit holds for all snapshots of its day, unless a
broker is at its limit by now, for which two tables are read of all such clusters at once. A line that names a limit is
made anew with each snapshot: those are few, and there an hour matters. The file is written now and then while lines
are made, so that what is stopped goes on where it was.

Complexity: O(clusters) rows; once a day what ``outlook`` takes of each cluster: some 0.14 CPU s for 60 days.
"""

from __future__ import annotations

import hashlib
import math
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import date
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from reseat.atomic_write import atomic_write
from reseat.forecast.outlook import Outlooks, outlooks
from reseat.forecast.settings import Limits, Settings
from reseat.forecast.trend import Refused
from reseat.history.parts import day_of
from reseat.history.read import History, frame
from reseat.installed import cache_folder

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["COLUMNS", "WRITES_EVERY", "FirstLimit", "behind", "bring_up", "default_file", "kept", "unlimited"]

#: What is asked of the latest snapshots.
COLUMNS = ("cluster", "snapshot_id", "taken_at", "partitions")
#: Seconds of work after which the file is written.
WRITES_EVERY = 5.0


class FirstLimit(msgspec.Struct, frozen=True):
    """What a cluster's outlook says, in a line.

    Attributes:
        snapshot_id: the latest snapshot of which it is known to hold.
        day: that snapshot's day, UTC.
        limits: the cluster's limits, as JSON.
        name: the count that meets its limit first, "disk used of broker 7"; empty: none does as far as is foretold.
        early: the day on which the upper end of the 80 % interval meets it; None: no limit.
        likely: the day on which the line does; None: it only may.
        ahead: days for which all that has a limit is foretold; 0: nothing is, and ``why`` says why.
        sentence: the outlook's.
        why: of a limit about which nothing can be said, or of no forecast at all: why; else empty.
    """

    snapshot_id: str
    day: date
    limits: str
    name: str
    early: date | None
    likely: date | None
    ahead: int
    sentence: str
    why: str

    @property
    def met(self) -> bool:
        """Whether the limit is met already."""
        return bool(self.name) and self.likely is not None and self.likely <= self.day

    @property
    def soonest(self) -> tuple[date, date, bool]:
        """Sorts lines: those that likely meet a limit first, then those that may, the unknown last."""
        return self.likely or date.max, self.early or date.max, not self.ahead

    @property
    def words(self) -> str:
        """The line for a table; sorted as text, the soonest comes first."""
        if self.likely is not None:
            return f"{self.likely}{' (met)' if self.met else ''}: {self.name}"
        if self.early is not None:
            return f"maybe {self.early}: {self.name}"
        return f"unknown: {self.why}" if self.why else f"none in {self.ahead} days"


def behind(lines: Mapping[str, FirstLimit], settings: Settings, latest: pd.DataFrame) -> tuple[str, ...]:
    """The clusters with limits whose line is not of their latest snapshot.

    Args:
        lines: of ``kept``.
        settings: the limits.
        latest: as of ``bring_up``.
    """
    pairs = zip(latest["cluster"], latest["snapshot_id"], strict=True)
    known = {cluster: one.snapshot_id for cluster, one in lines.items()}
    return tuple(c for c, snapshot in pairs if known.get(c) != snapshot and not unlimited(settings, c))


def unlimited(settings: Settings, cluster: str) -> bool:
    """Whether a cluster has no limits, so that it has no line."""
    return settings.limits(cluster) == Limits()


def default_file(history: History, settings: Settings, env: Mapping[str, str]) -> Path:
    """The file for these tables and this limits file, in the cache folder."""
    mark = hashlib.sha256(f"{history.where}\0{settings.source}".encode()).hexdigest()[:16]
    return cache_folder(env) / f"first-limits-{mark}.json"


def kept(file: Path, settings: Settings) -> dict[str, FirstLimit]:
    """The lines that were made with these limits, by cluster; none where there is no such file, or it is damaged."""
    with suppress(OSError, msgspec.DecodeError):
        found = msgspec.json.decode(file.read_bytes(), type=dict[str, FirstLimit])
        return {cluster: one for cluster, one in found.items() if one.limits == _json(settings.limits(cluster))}
    return {}


def bring_up(
    history: History,
    settings: Settings,
    latest: pd.DataFrame,
    file: Path | None,
    told: Callable[[int, int], None] = lambda _done, _all: None,
) -> dict[str, FirstLimit]:
    """The lines of some clusters, by cluster; made where those in the file do not hold any more, and kept there.

    Args:
        history: the tables.
        settings: the limits.
        latest: the latest snapshot of each cluster that is asked for: ``COLUMNS``.
        file: where lines are kept, shared with whoever does the same; None, or one that cannot be written: nowhere.
        told: is told now and then how many are made, and of how many.

    Raises:
        InputRefused: the tables cannot be read.
    """
    rows = {str(row["cluster"]): row for row in latest.to_dict("records") if not unlimited(settings, row["cluster"])}
    before = {} if file is None else kept(file, settings)
    lines = {c: one for c, one in before.items() if c in rows and one.snapshot_id == rows[c]["snapshot_id"]}
    calm = {c: row for c, row in rows.items() if c in before and c not in lines and _holds(before[c], row)}
    full = _at_limit(history, settings, calm)
    made = {
        cluster: msgspec.structs.replace(before[cluster], snapshot_id=str(row["snapshot_id"]))
        for cluster, row in calm.items()
        if cluster not in full
    }
    _write(file, settings, made)
    wanted = [cluster for cluster in rows if cluster not in lines and cluster not in made]
    written = time.monotonic()
    for number, cluster in enumerate(wanted, 1):
        made[cluster] = _line(outlooks(history, cluster, settings.limits(cluster), tested=False), rows[cluster])
        if time.monotonic() - written > WRITES_EVERY or number == len(wanted):
            _write(file, settings, made)
            told(number, len(wanted))
            written = time.monotonic()
    return lines | made


def _write(file: Path | None, settings: Settings, made: Mapping[str, FirstLimit]) -> None:
    """Put lines into the file beside what others put there meanwhile."""
    if file is None or not made:
        return
    with suppress(OSError):
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        atomic_write(file, msgspec.json.encode({**kept(file, settings), **made}))


def _json(limits: Limits) -> str:
    return msgspec.json.encode(limits).decode()


def _holds(one: FirstLimit, row: Mapping[Any, Any]) -> bool:
    """Whether a line names no limit and is of the day of a snapshot."""
    return not one.name and one.day.isoformat() == day_of(row["taken_at"])


def _at_limit(history: History, settings: Settings, rows: Mapping[str, Mapping[Any, Any]]) -> set[str]:
    """Which of some clusters meet a limit in these snapshots."""
    from pyarrow import compute as pc

    limits = {cluster: settings.limits(cluster) for cluster in rows}
    full = {c for c, row in rows.items() if row["partitions"] >= (limits[c].partitions_per_cluster or math.inf)}
    of_these = pc.field("snapshot_id").isin([row["snapshot_id"] for row in rows.values()])
    days = {day_of(row["taken_at"]) for row in rows.values()}

    def look(table: str, of: Mapping[str, Callable[[pd.DataFrame], Any]], *columns: str) -> None:
        """Add the clusters of which a broker is at one of these limits; nothing is read where none of them is set."""
        most = {name: {c: getattr(one, name) for c, one in limits.items() if getattr(one, name)} for name in of}
        if any(most.values()):
            found = frame(history.table(table, days=days, columns=["cluster", *columns], filter=of_these))
            for name, value in of.items():
                over = value(found).astype("Float64") >= found["cluster"].map(most[name]).astype("Float64")
                full.update(found["cluster"][over.fillna(value=False).to_numpy(bool)])

    loads = {"replicas_per_broker": itemgetter("replicas"), "bytes_per_broker": itemgetter("size_bytes")}
    look("broker_balance", loads, "replicas", "size_bytes")
    look("brokers", {"disk": _used_percent}, "total_bytes", "usable_bytes")
    return full


def _used_percent(disks: pd.DataFrame) -> pd.Series[Any]:
    total = disks["total_bytes"].where(disks["total_bytes"] > 0)
    return (total - disks["usable_bytes"]) * 100 / total


def _line(told: Outlooks, row: Mapping[Any, Any]) -> FirstLimit:
    soonest = told.first
    met = None if soonest is None else soonest.met
    why = " ".join(told.blind)
    if not told.ahead:
        why = next((one.told.sentence for one in told.counts if isinstance(one.told, Refused)), why)
    return FirstLimit(
        snapshot_id=str(row["snapshot_id"]),
        day=row["taken_at"].date(),
        limits=_json(told.limits),
        name="" if soonest is None else soonest.name,
        early=None if met is None else met.early,
        likely=None if met is None else met.likely,
        ahead=told.sure,
        sentence=told.sentence,
        why=why,
    )
