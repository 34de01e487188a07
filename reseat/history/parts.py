"""Which Parquet files hold what: the folders ``TABLES/NAME/cluster=X/day=YYYY-MM-DD`` -> files by cluster and day.

Folder names tell the cluster and the day, so that only the folders asked for are listed. Names are text: a cluster
called "007" stays "007". What Spark escapes in a folder's name (``%3A``) is undone here.

Complexity: one listing a folder for few days, one listing of a cluster's or a table's whole tree else: a store with
objects instead of folders answers a tree of 10,000 days in a dozen requests, and 10,000 folders in 10,000.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from urllib.parse import unquote

from reseat.history.folder import Folder

__all__ = ["Part", "clusters_of", "day_of", "days_of", "parts_of"]

#: Up to so many days, their folders are listed one by one.
_FEW_DAYS = 4
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
    """

    path: str
    cluster: str
    day: str


def day_of(moment: datetime | date) -> str:
    """The UTC day of a moment, or a day, as folders are named. A moment without a zone is taken as UTC."""
    if isinstance(moment, datetime) and moment.tzinfo is not None:
        moment = moment.astimezone(UTC)
    return moment.strftime("%Y-%m-%d")


def clusters_of(tables: Folder, table: str) -> dict[str, str]:
    """The folder of each cluster in a table, relative to the tables' folder, by the cluster's name, sorted."""
    found = {}
    for name in _names(tables, table):
        value = _value(name, "cluster")
        if value is not None:
            found[value] = f"{table}/{name}"
    return dict(sorted(found.items()))


def days_of(tables: Folder, cluster_folder: str) -> tuple[str, ...]:
    """The days for which a cluster has a folder, ascending.

    Args:
        tables: the tables' folder.
        cluster_folder: of ``clusters_of``.
    """
    days = (_value(name, "day") for name in _names(tables, cluster_folder))
    return tuple(sorted(day for day in days if day is not None and _DAY.fullmatch(day)))


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
    """
    under: list[str]
    if clusters is None:
        under = [table]
    else:
        homes = clusters_of(tables, table)
        wanted = [homes[cluster] for cluster in clusters if cluster in homes]
        few = days is not None and len(days) <= _FEW_DAYS
        under = [f"{home}/day={day}" for home in wanted for day in sorted(set(days or ()))] if few else wanted
    found = []
    for folder in under:
        for fact in tables.files(folder, suffix=".parquet"):
            part = _part(fact.path, table)
            if part is not None and _asked(part.day, days, since, until):
                found.append(part)
    return tuple(sorted(found, key=lambda part: (part.cluster, part.day, part.path)))


def _asked(day: str, days: Sequence[str] | None, since: str | None, until: str | None) -> bool:
    return (days is None or day in days) and (since is None or day >= since) and (until is None or day <= until)


def _part(path: str, table: str) -> Part | None:
    segments = path.split("/")
    if len(segments) < 4 or segments[0] != table:
        return None
    cluster, day = _value(segments[1], "cluster"), _value(segments[2], "day")
    return None if cluster is None or day is None or not _DAY.fullmatch(day) else Part(path, cluster, day)


def _names(tables: Folder, under: str) -> list[str]:
    """The last segments of the folders directly in one."""
    return [folder.rstrip("/").rpartition("/")[2] for folder in tables.folders(under)]


def _value(name: str, key: str) -> str | None:
    """What a folder called ``key=value`` says, or None where it is called otherwise or holds the nulls."""
    start, equals, value = name.partition("=")
    return unquote(value) if start == key and equals and value != _NULL else None
