"""What a job has prepared and not yet published: the files of one batch, table by table.

Spark and the driver write each table's files into a folder of the batch's own, in folders by cluster and day. How the
batch is then published is the store's: by moving files under a record (``reseat.pipeline.commit``) on a disk of this
machine, by entries in the logs of Delta tables (``reseat.pipeline.delta_commit``) elsewhere.
"""

from __future__ import annotations

import io
import re
import secrets
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from itertools import count
from typing import Any

import pyarrow as pa

from reseat.errors import InputRefused
from reseat.history.folder import FileFact, Folder
from reseat.history.places import CLUSTER_NAME
from reseat.history.schema import TABLES, arrow_schema
from reseat.pipeline.ledger import by_month

__all__ = ["BEGUN", "STAGED", "Staging", "cluster_day_of", "day_in", "new_name"]

#: How the name of a batch begins: when it was begun.
BEGUN = "%Y%m%dT%H%M%S%fZ"
#: What is staged, and whether it lies in folders by cluster and day.
STAGED = {one.name: one.partitioned for one in TABLES} | {"ledger": False}
#: Rows up to which dictionaries, and up to which compression, cost more than they spare.
_FEW, _HANDFUL = 1_000, 100
#: What readers pass a file over by: its least and greatest stand in it.
_PASSED_OVER_BY = ("snapshot_id", "taken_at", "path")
_DAY = re.compile(r"day=(\d{4}-\d\d-\d\d)")
_MONTH = re.compile(r"month=\d{4}-\d\d")


class Staging(ABC):
    """What one job adds to the tables and takes from them, all at once or not at all.

    Attributes:
        id: its name; names sort by the time they were begun.
    """

    def __init__(self, tables: Folder, name: str) -> None:
        self.id = name
        self._tables = tables
        self._remove: set[str] = set()
        self._numbers = count()  # threads stage side by side

    @abstractmethod
    def staging(self, name: str) -> str:
        """Where the batch's files of a table are written, relative to the tables: give Spark its ``spark_url``.

        A partitioned table is written there in folders ``cluster=…/day=…``.

        Raises:
            KeyError: there is no table of that name.
        """

    @abstractmethod
    def remove(self, paths: Iterable[str]) -> None:
        """Take published files away at the commit; paths relative to the tables.

        Raises:
            InputRefused: a path is none of a published file.
        """

    @abstractmethod
    def commit(self, cluster_days: Iterable[tuple[str, str]] = ()) -> object:
        """Publish all that was staged and remove all that was to be removed.

        Args:
            cluster_days: further (cluster, day) that are touched; those of the files are known.

        Raises:
            InputRefused: a staged file lies in a folder that is none of a table (then nothing was published), or
                publishing was stopped by the file system.
            PipelineBusy: another job has taken over; of this batch nothing was published.
        """

    @abstractmethod
    def abandon(self) -> None:
        """Delete what was staged; the tables stay as they are.

        Raises:
            InputRefused: it cannot be deleted.
        """

    @contextmanager
    def filling(self) -> Iterator[None]:
        """Abandon the batch where what is done within fails.

        Commit it after that, and not within: stopped while it commits, the next job completes it.
        """
        try:
            yield
        except BaseException:
            with suppress(InputRefused):  # a worker may still write there: the next job deletes it
                self.abandon()
            raise

    def day_folder(self, name: str, day: tuple[str, str]) -> str:
        """Where a cluster's day of a table is staged, relative to the tables."""
        return f"{self.staging(name)}/{day_in(day)}"

    def staged(self, name: str = "") -> list[str]:
        """The files that were staged so far, relative to the tables, in order.

        Args:
            name: of this table alone; empty: of all.

        Raises:
            InputRefused: they cannot be listed.
        """
        return [one.path for files in self._facts([name] if name else list(STAGED)).values() for one in files]

    def _facts(self, names: list[str]) -> dict[str, list[FileFact]]:
        found = self._tables.each(lambda name: self._tables.files(self.staging(name), ".parquet"), names)
        return dict(zip(names, found, strict=True))

    def stage_table(self, name: str, rows: pa.Table, day: tuple[str, str] | None = None) -> None:
        """Write one file from this process: for what is small.

        Args:
            name: the table.
            rows: its rows, without ``cluster`` and ``day`` where it is partitioned.
            day: the cluster and the day, ``YYYY-MM-DD``, of all rows; where the table is partitioned.

        Raises:
            InputRefused: it cannot be written, or cluster and day are missing or too many.
            KeyError: there is no table of that name.
        """
        if STAGED[name] != (day is not None):
            raise InputRefused(f"Rows of {name}: cluster and day belong to partitioned tables, and to all of these.")
        self._stage(self.staging(name) if day is None else self.day_folder(name, day), rows)

    def stage_days(self, name: str, rows: pa.Table) -> None:
        """Write a file for each cluster's day from this process, its rows in the order of time.

        Args:
            name: a partitioned table.
            rows: its rows, with ``cluster`` and ``day``.

        Raises:
            InputRefused: one cannot be written.
        """
        keys = [("cluster", "ascending"), ("day", "ascending")]
        days = rows.group_by(["cluster", "day"]).aggregate([([], "count_all")]).sort_by(keys)
        schema, start = arrow_schema(name), 0
        told = rows.sort_by([*keys, ("taken_at", "ascending")]).select(schema.names).cast(schema)
        for day in days.to_pylist():
            self.stage_table(name, told.slice(start, day["count_all"]), (day["cluster"], day["day"]))
            start += day["count_all"]

    def record(self, rows: pa.Table) -> None:
        """Add rows to the ledger, as ``reseat.pipeline.ledger.by_month`` takes them.

        Raises:
            InputRefused: they are none of the ledger's, or cannot be written.
        """
        for month, some in by_month(rows):
            self._stage(f"{self.staging('ledger')}/month={month}", some)

    def _stage(self, place: str, rows: pa.Table) -> None:
        from pyarrow import parquet

        out = io.BytesIO()
        parquet.write_table(rows, out, **_plainly(rows))
        self._tables.prepare(f"{place}/driver-{next(self._numbers):05d}.parquet", out.getvalue())


def new_name(now: datetime, mark: str) -> str:
    """The name of a batch that is begun now; ``mark`` ends it, where there is one."""
    return "-".join([f"{now:{BEGUN}}", secrets.token_hex(4), *([mark] if mark else [])])


def _plainly(rows: pa.Table) -> dict[str, Any]:
    """How Parquet writes rows: what pays off for many is most of what a file of few weighs, and takes to open."""
    if rows.num_rows > _FEW:
        return {"compression": "zstd"}
    return {
        "compression": "none" if rows.num_rows <= _HANDFUL else "zstd",
        "use_dictionary": False,
        "store_schema": False,
        "write_statistics": [key for key in _PASSED_OVER_BY if key in rows.column_names],
    }


def day_in(day: tuple[str, str]) -> str:
    """Where a cluster's day lies in a table's folder."""
    return f"cluster={day[0]}/day={day[1]}"


def cluster_day_of(name: str, inside: str) -> tuple[str, str] | None:
    """The (cluster, day) of a file of a table; None: it does not lie by cluster and day.

    Args:
        name: the table, or ``ledger``.
        inside: the file's path in the table's folder.

    Raises:
        InputRefused: it lies in a folder that is none of a table.
    """
    keys = inside.split("/")[:-1]
    if name in STAGED:
        # Ledger files of early versions lie in no month.
        if not STAGED[name] and (not keys or (name == "ledger" and len(keys) == 1 and _MONTH.fullmatch(keys[0]))):
            return None
        if STAGED[name] and len(keys) == 2 and keys[0].startswith("cluster="):
            cluster, day = keys[0].removeprefix("cluster="), _DAY.fullmatch(keys[1])
            # Spark writes a null as __HIVE_DEFAULT_PARTITION__ and other letters as %3A: neither names a cluster.
            if day is not None and CLUSTER_NAME.fullmatch(cluster):
                return cluster, day.group(1)
    raise InputRefused(
        f"{name}/{inside[:300]} cannot be a file of the tables; TABLE/cluster=NAME/day=YYYY-MM-DD/FILE.parquet was "
        "expected, with the name of a cluster of up to 100 letters, digits, '.', '_' and '-'."
    )
