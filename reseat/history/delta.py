"""Tables that are Delta tables: which files of each count, as their logs and the index tell.

What it promises, ranked: (1) no row is seen twice, and none is missed, whatever a job was doing when it was stopped or
looked at; (2) what is read grows with what is new in the logs, and not with what is there; (3) any reader of Delta
(DuckDB, pandas, Spark, Trino) sees the same rows once no job is at work.

What it needs: the library ``deltalake``, which writes and reads logs without Java; a store on which a log's next entry
is made only once (S3 and ABFS by a put on condition, HDFS by a rename).

How it works: a Delta table each of Reseat's tables, and the ledger. A commit is one table's, so none spans them; what
holds them together is an index. Every job's batch writes files below ``batch=ID`` into each table, and commits them to
``snapshots`` last (for ``resilience``: to ``copysets``). A file of another table counts where the index has a file of
the same cluster, day and batch. So what a job added before it was stopped is not seen, and what it added becomes seen
in all tables at once. Where a batch wrote a table's day anew, the index has an empty file ``anew-TABLE.parquet``:
batches begun before it no longer count there, be it that their files are not yet taken out.

A reader looks at the index, at the table, and whether the index is still the same. Files that another program wrote (an
``OPTIMIZE`` of one's own) are below no ``batch=`` and count as they are.

Source: the Delta transaction protocol (delta-io/delta, PROTOCOL.md); reading between two equal versions as in a
sequence lock (Linux, seqlock).
"""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from reseat.errors import InputRefused
from reseat.history.folder import Folder
from reseat.history.opening import delta_options
from reseat.history.places import PRIVATE
from reseat.history.schema import TABLES, arrow_schema
from reseat.installed import missing

if TYPE_CHECKING:
    from deltalake import DeltaTable

__all__ = ["INDEX", "NAMES", "DeltaTables", "anew", "delta_of", "forget", "home_of", "newest_by_day", "told"]

#: By table: the one whose files say which of its files count. What is not here lies by no cluster and day.
INDEX: Mapping[str, str] = {
    one.name: "copysets" if one.name in ("resilience", "copysets") else "snapshots" for one in TABLES if one.partitioned
}
#: All of them, the ledger included.
NAMES = (*(one.name for one in TABLES), "ledger")
#: How often an index is looked at anew that changed meanwhile.
_LOOKS = 10
#: The library breaks its sentence into lines here, with an arrow in a colour of a terminal before each.
_STATUS = re.compile(r"status(?: code)?(?:\s|:|↳|\x1b\[\d*m)*(\d{3}[ A-Za-z]*)")
_TEXT = pa.string()
_FILES = pa.schema([("path", _TEXT), ("size", pa.int64()), ("cluster", _TEXT), ("day", _TEXT), ("batch", _TEXT)])


def home_of(name: str) -> str:
    """Where a table, or the ledger, lies, relative to the tables."""
    return f"{PRIVATE}/ledger" if name == "ledger" else name


def delta_of(tables: Folder) -> DeltaTables | None:
    """The tables in a folder as Delta tables; None: they are plain Parquet, as on a disk of this machine.

    Raises:
        InputRefused: their service cannot be named, or the library for Delta is not installed.
    """
    if tables.local is not None:
        if not os.path.isdir(tables.local / "snapshots" / "_delta_log"):  # noqa: PTH112 -- a closed one raises nothing
            return None
        options: dict[str, str] = {}
    else:
        options = delta_options(tables.place, os.environ)
    key = (tables.place.url, *(f"{name}={value}" for name, value in sorted(options.items())))
    if key not in _OPENED:
        _OPENED[key] = DeltaTables(tables, options)
    return _OPENED[key]


def forget() -> None:
    """Let go of the tables that are kept open, as a process does that ends."""
    _OPENED.clear()


#: Kept by where they lie and how that is reached: what was read of a log is not read again.
_OPENED: dict[tuple[str, ...], DeltaTables] = {}


class DeltaTables:
    """The Delta tables in one folder, kept open: what was read of a log is not read again."""

    def __init__(self, tables: Folder, options: Mapping[str, str]) -> None:
        """Nothing is read yet.

        Args:
            tables: the folder.
            options: of its service, as ``deltalake`` takes them.
        """
        self._tables, self._options = tables, dict(options)
        self._open: dict[str, tuple[DeltaTable, int, pa.Table]] = {}
        self._locks = {name: threading.RLock() for name in NAMES}

    def counting(self, name: str, *, clusters: Sequence[str] | None = None) -> pa.Table:
        """The files of a table that count.

        Args:
            name: the table, or the ledger.
            clusters: only of these; None: of all.

        Returns:
            ``path`` relative to the table's folder, ``size`` in bytes, ``cluster``, ``day``, ``batch``.

        Raises:
            InputRefused: a log cannot be read.
        """
        rows, named = self.seen(name)
        if clusters is not None and name in INDEX:
            some = pa.array(clusters, pa.string())
            rows, named = (one.filter(pc.is_in(one["cluster"], some)) for one in (rows, named))
        return rows if INDEX.get(name, name) == name else rows.filter(_counts(name, rows, named))

    def seen(self, name: str) -> tuple[pa.Table, pa.Table]:
        """All files that a table's log names, and those of its index, of one moment; what is in no index names itself.

        Raises:
            InputRefused: a log cannot be read.
        """
        index = INDEX.get(name, name)
        for _ in range(_LOOKS):
            named = self.active(index)
            rows = named if index == name else self.active(name)
            if index == name or self.active(index) is named:
                return rows, named
        raise InputRefused(f"The table {name} changed each time before it could be read.", source=self._tables.where)

    def uncounted(self, name: str) -> pa.Table:
        """The files that a table's log names and that do not count."""
        rows, named = self.seen(name)
        return rows.slice(0, 0) if INDEX.get(name, name) == name else rows.filter(pc.invert(_counts(name, rows, named)))

    def active(self, name: str) -> pa.Table:
        """All files that a table's log names: the same object until the log has a new entry."""
        with self._locks[name]:
            handle = self.handle(name)
            if handle is None:
                self._refuse_earlier_form()
                return _NONE
            version, known = handle.version(), self._open[name]
            if known[1] != version:
                with told(self._tables, name):
                    self._open[name] = (handle, version, _files(handle))
            return self._open[name][2]

    def handle(self, name: str, *, make: bool = False, fresh: bool = True) -> DeltaTable | None:
        """A table; None where there is none. Hold ``lock`` while it is used.

        Args:
            name: the table, or the ledger.
            make: make it where there is none.
            fresh: read the new entries of its log first.

        Raises:
            InputRefused: it cannot be read or made.
        """
        if (lacking := missing("delta")) is not None:
            raise InputRefused(str(lacking), source=self._tables.where)
        with self._locks[name], told(self._tables, name):
            from deltalake import DeltaTable
            from deltalake.exceptions import CommitFailedError, TableNotFoundError

            if name in self._open:
                if fresh:
                    self._open[name][0].update_incremental()
                return self._open[name][0]
            where = self._tables.spark_url(home_of(name)) if self._options else self._tables.path(home_of(name))
            where = where.replace("s3a://", "s3://", 1)
            try:
                opened = DeltaTable(where, storage_options=self._options)
            except TableNotFoundError:
                if not make:
                    return None
                keys = ["month"] if name == "ledger" else ["cluster", "day"] if name in INDEX else []
                schema = _ledger_schema() if name == "ledger" else arrow_schema(name, with_keys=True)
                with suppress(CommitFailedError):  # another job was faster
                    DeltaTable.create(where, schema, mode="ignore", partition_by=keys, storage_options=self._options)
                opened = DeltaTable(where, storage_options=self._options)
            self._open[name] = (opened, -1, _NONE)
            return opened

    def lock(self, name: str) -> threading.RLock:
        """Held by whoever uses a table's handle."""
        return self._locks[name]

    def versions(self) -> str:
        """A short text that differs once one of the tables that pages read has a new entry."""
        return "-".join(str(self._version(name)) for name in ("snapshots", "copysets", "rejected"))

    def _version(self, name: str) -> int:
        with self._locks[name]:
            handle = self.handle(name)
            return -1 if handle is None else handle.version()

    def _refuse_earlier_form(self) -> None:
        ledger = home_of("ledger")
        plain = self._tables.exists(ledger) and not self._tables.exists(f"{ledger}/_delta_log")
        if self._tables.local is None and (plain or self._tables.exists(f"{PRIVATE}/commits")):
            raise InputRefused(
                "These tables are plain Parquet, as earlier versions wrote them here; elsewhere than on a local disk "
                "tables are Delta tables now. Nothing of them is lost: `reseat pipeline migrate --from "
                f"{self._tables.where} --to NEW` copies them.",
                source=self._tables.where,
            )


@contextmanager
def told(tables: Folder, name: str) -> Iterator[None]:
    """Faults of Delta and of the service as one sentence; a service's own answer may name keys and is left out."""
    from deltalake.exceptions import CommitFailedError, DeltaError

    try:
        yield
    except CommitFailedError:
        raise
    except (DeltaError, OSError) as error:
        status = _STATUS.search(str(error))
        reason = f"its service answered {status[1].strip()}" if status else "no answer, or one that is no table"
        raise InputRefused(
            f"The Delta table {name} cannot be used ({type(error).__name__}): {reason}.", source=tables.where
        ) from error


def anew(name: str) -> str:
    """The file of an index that says: of this table earlier batches no longer count in its cluster's day."""
    return f"anew-{name}.parquet"


def newest_by_day(named: pa.Table) -> dict[tuple[str, str], str]:
    """By cluster and day: the newest batch that an index names there."""
    newest = named.group_by(["cluster", "day"]).aggregate([("batch", "max")]).to_pylist()
    return {(row["cluster"], row["day"]): row["batch_max"] for row in newest}


_NONE = _FILES.empty_table()


def _counts(name: str, rows: pa.Table, named: pa.Table) -> pa.ChunkedArray:
    """Of a table's files which the index names."""
    ours = pc.not_equal(named["batch"], "")
    known = pc.is_in(_key(rows), _key(named).combine_chunks())
    # A file that another program made of an index's vouches for its day; one of its table speaks for itself.
    theirs = _key(named.filter(pc.invert(ours)), batch=False).combine_chunks()
    counts = pc.or_(pc.or_(known, pc.equal(rows["batch"], "")), pc.is_in(_key(rows, batch=False), theirs))
    marked = newest_by_day(named.filter(pc.ends_with(named["path"], f"/{anew(name)}")))
    if not marked:
        return counts
    keys = zip(rows["cluster"].to_pylist(), rows["day"].to_pylist(), rows["batch"].to_pylist(), strict=True)
    late = pa.array([batch >= marked.get((cluster, day), "") for cluster, day, batch in keys], pa.bool_())
    return pc.and_(counts, late)


def _key(rows: pa.Table, *, batch: bool = True) -> pa.ChunkedArray:
    columns = [rows[name] for name in ("cluster", "day", *(["batch"] if batch else []))]
    return pc.binary_join_element_wise(*columns, "\n")


def _files(handle: DeltaTable) -> pa.Table:
    rows = pa.table(handle.get_add_actions(flatten=True))

    def key(name: str) -> Any:
        column = f"partition.{name}"
        return rows[column].cast(_TEXT) if column in rows.column_names else pa.nulls(len(rows), _TEXT)

    path = rows["path"].cast(_TEXT)
    batch = pc.if_else(
        pc.starts_with(path, "batch="), pc.replace_substring_regex(path, r"^batch=([^/]*)/.*$", r"\1"), ""
    )
    columns: list[Any] = [path, rows["size_bytes"].cast(pa.int64()), key("cluster"), key("day"), batch]
    return pa.Table.from_arrays(columns, schema=_FILES)


def _ledger_schema() -> pa.Schema:
    return pa.schema([(name, pa.string()) for name in ("path", "token", "outcome", "snapshot_id", "month")])
