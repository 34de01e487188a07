"""Which files of the tables count: those of the folders ``TABLES/NAME/cluster=X/day=YYYY-MM-DD``, or what Delta names.

One interface over two stores. On a disk of this machine the tables are plain Parquet in plain folders, and what lies
there counts. Elsewhere (S3, ABFS, HDFS) they are Delta tables, and what counts is said by their logs
(``reseat.history.delta``). Readers and jobs ask here and need not know which.

Folder names tell the cluster and the day, so that only the folders asked for are listed. Names are text: a cluster
called "007" stays "007". What Spark escapes in a folder's name (``%3A``) is undone here.

Complexity: on a disk one listing a folder for few days, one listing of a cluster's or a table's whole tree else; of
Delta a look for new entries of two logs, whatever is there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from urllib.parse import unquote

from reseat.history.delta import delta_of, home_of
from reseat.history.folder import FileFact, Folder
from reseat.history.places import CLUSTER_NAME
from reseat.model.snapshot import in_utc

__all__ = ["Part", "clusters_of", "day_of", "days_of", "flat_of", "parts_of"]

#: Up to so many days, their folders are listed one by one.
_FEW_DAYS = 8
#: What Spark calls the folder of a null.
_NULL = "__HIVE_DEFAULT_PARTITION__"
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


@dataclass(frozen=True, slots=True)
class Part:
    """One file of a partitioned table.

    Attributes:
        path: relative to the tables' folder.
        cluster: the cluster that its folder names.
        day: the UTC day that its folder names, ``YYYY-MM-DD``.
        size: in bytes.
        modified_ns: when it was written, in ns since 1970; 0 where its name is never given to another.
    """

    path: str
    cluster: str
    day: str
    size: int = 0
    modified_ns: int = 0


def day_of(moment: datetime | date) -> str:
    """The UTC day of a moment, or a day, as folders are named. A moment without a zone is taken as UTC."""
    day = in_utc(moment).date() if isinstance(moment, datetime) else moment
    return day.isoformat()  # not strftime, whose %Y of the year 900 has three digits


def clusters_of(tables: Folder) -> tuple[str, ...]:
    """The clusters that have a snapshot, sorted.

    Raises:
        InputRefused: the tables cannot be listed.
    """
    delta = delta_of(tables)
    if delta is not None:
        return tuple(sorted(set(delta.counting("snapshots")["cluster"].to_pylist())))
    return tuple(_homes(tables, "snapshots"))


def days_of(tables: Folder, clusters: Iterable[str] | None = None) -> dict[str, tuple[str, ...]]:
    """The days of which the tables hold something of clusters, ascending: those of their snapshots.

    Every table has files for every such day: those of ``snapshots`` answer for all. On a disk it is a call a cluster,
    however many days it has.

    Args:
        tables: the tables' folder.
        clusters: of these; None: of all.

    Returns:
        The days by cluster, sorted; clusters that have none are left out.

    Raises:
        InputRefused: the tables cannot be listed.
    """
    delta = delta_of(tables)
    if delta is not None:
        rows = delta.counting("snapshots", clusters=None if clusters is None else sorted(clusters))
        days: dict[str, set[str]] = {}
        for cluster, day in zip(rows["cluster"].to_pylist(), rows["day"].to_pylist(), strict=True):
            days.setdefault(cluster, set()).add(day)
        return {cluster: tuple(sorted(days[cluster])) for cluster in sorted(days)}
    if clusters is None:
        homes = _homes(tables, "snapshots")
    else:
        homes = {one: home for one in sorted(clusters) for home in _home(tables, "snapshots", one)}
    named = tables.each(tables.folders, homes.values())
    found = ((_value(name, "day") for name in names) for names in named)
    told = (tuple(sorted(day for day in days if day is not None and _DAY.fullmatch(day))) for days in found)
    return {cluster: days for cluster, days in zip(homes, told, strict=True) if days}


def parts_of(
    tables: Folder,
    table: str,
    *,
    clusters: Iterable[str] | None = None,
    days: Sequence[str] | None = None,
    since: str | None = None,
    until: str | None = None,
) -> tuple[Part, ...]:
    """The files of a table, by cluster, day and name; none where the table is not there.

    Args:
        tables: the tables' folder.
        table: its name.
        clusters: only of these; None: of all.
        days: only of these; None: of all that ``since`` and ``until`` allow.
        since: only of this day and later.
        until: only of this day and earlier.

    Raises:
        InputRefused: they cannot be listed.
    """
    delta = delta_of(tables)
    if delta is not None:
        rows = delta.counting(table, clusters=None if clusters is None else list(clusters)).to_pylist()
        found = [Part(f"{table}/{row['path']}", row["cluster"], row["day"], row["size"]) for row in rows]
    else:
        under = [table] if clusters is None else _folders(tables, table, clusters, days)
        facts = [fact for folder in under for fact in tables.files(folder, suffix=".parquet")]
        found = [part for fact in facts if (part := _part(fact, table)) is not None]
    asked = [part for part in found if _asked(part.day, days, since, until)]
    return tuple(sorted(asked, key=lambda part: (part.cluster, part.day, part.path)))


def flat_of(tables: Folder, name: str) -> list[FileFact]:
    """The files of what does not lie by cluster and day, ``rejected`` or the ledger, by their paths.

    Raises:
        InputRefused: they cannot be listed.
    """
    home = home_of(name)
    delta = delta_of(tables)
    if delta is None:
        return tables.files(home, ".parquet")
    rows = delta.counting(name).select(["path", "size"]).to_pylist()
    return sorted((FileFact(f"{home}/{row['path']}", row["size"], 0) for row in rows), key=lambda one: one.path)


def _folders(tables: Folder, table: str, clusters: Iterable[str], days: Sequence[str] | None) -> list[str]:
    """The folders that may hold files of some clusters and days."""
    wanted = [home for cluster in clusters for home in _home(tables, table, cluster)]
    few = days is not None and len(days) <= _FEW_DAYS
    return [f"{home}/day={day}" for home in wanted for day in sorted(set(days or ()))] if few else wanted


def _home(tables: Folder, table: str, cluster: str) -> list[str]:
    """The folder of a cluster in a table, if it may have one; nothing is listed for a name as all clusters have it."""
    if CLUSTER_NAME.fullmatch(cluster):
        return [f"{table}/cluster={cluster}"]
    homes = _homes(tables, table)
    return [homes[cluster]] if cluster in homes else []


def _homes(tables: Folder, table: str) -> dict[str, str]:
    """The folder of each cluster in a table, relative to the tables' folder, by the cluster's name, sorted."""
    named = {_value(name, "cluster"): f"{table}/{name}" for name in tables.folders(table)}
    return {cluster: named[cluster] for cluster in sorted(one for one in named if one is not None)}


def _asked(day: str, days: Sequence[str] | None, since: str | None, until: str | None) -> bool:
    return (days is None or day in days) and (since is None or day >= since) and (until is None or day <= until)


def _part(fact: FileFact, table: str) -> Part | None:
    segments = fact.path.split("/")
    if len(segments) < 4 or segments[0] != table:
        return None
    cluster, day = _value(segments[1], "cluster"), _value(segments[2], "day")
    wrong = cluster is None or day is None or not _DAY.fullmatch(day)
    return None if wrong else Part(fact.path, str(cluster), str(day), fact.size, fact.modified_ns)


def _value(name: str, key: str) -> str | None:
    """What a folder called ``key=value`` says, or None where it is called otherwise or holds the nulls."""
    start, equals, value = name.partition("=")
    return unquote(value) if start == key and equals and value != _NULL else None
