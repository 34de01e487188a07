"""The commit where tables are Delta tables: an entry in each table's log, the index's last.

What it promises, in this order:

1. Stopped at any moment, or asleep for however long, what pages and jobs see is either the tables before the batch or
   those after it: its files count from the moment when the index names them (``reseat.history.delta``).
2. Of two jobs that touch the same cluster (a compaction: the same cluster's day), one wins: the index's next entry is
   made only if nothing of the cluster changed since the batch was begun. The other one publishes nothing and may begin
   anew. Jobs over other clusters do not disturb one another.
3. After a job that completed, a reader of Delta who knows nothing of the index sees the same rows.

How it works, in the order in which :meth:`DeltaBatch.commit` does it: (1) each table but the indexes gets an entry that
adds the batch's files; (2) ``copysets``, then ``snapshots`` get theirs, which is the moment of commitment; (3) what the
batch replaces, and what stopped jobs had left of these days, is taken out of the tables; (4) ``rejected``, then the
ledger. Stopped before (2), the batch is done again and its leavings are taken out by the one that does it; stopped
after (2), the next job takes out what no longer counts, and a run finds the snapshots in the index and only writes down
that it read their files (``reseat.pipeline.admission``).

Why nothing is taken out that a living job still needs: names of batches sort, and each is later than all that the index
names when it is begun. What does not count and is earlier than a batch that the index names in the same cluster's day
belongs to one that can no longer win there.

Objects that no log names are deleted by ``pipeline compact``, a week after they were written (Delta's VACUUM).
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from reseat.errors import InputRefused, PipelineBusy
from reseat.history.delta import INDEX, NAMES, DeltaTables, anew, home_of, newest_by_day, told
from reseat.history.folder import FileFact, Folder
from reseat.history.schema import arrow_schema
from reseat.model.wording import counted
from reseat.pipeline.progress import JobProgress, Report, silent
from reseat.pipeline.staging import BEGUN, STAGED, Staging, cluster_day_of, new_name

__all__ = ["DeltaBatch", "DeltaTurn", "Overtaken", "make_entry", "take_delta_turn"]

#: In this order: what ``snapshots`` names is complete.
_INDEXES = ("copysets", "snapshots")
#: A batch that is older is not published any more: what it wrote may be deleted a week after it was written.
_MAY_LIVE = timedelta(days=1)
#: How often an entry is tried while others make theirs.
_TRIES = 50
_Day = tuple[str, str]


class Overtaken(PipelineBusy):
    """Another job changed the same clusters meanwhile; nothing was published, and the work may be begun anew."""


class DeltaTurn:
    """A job at work on Delta tables; any number of jobs are at once.

    Attributes:
        tables: the folder of the tables.
        healed: what earlier jobs had left, one sentence each.
    """

    def __init__(self, tables: Folder, delta: DeltaTables, healed: tuple[str, ...]) -> None:
        self.tables, self.delta, self.healed = tables, delta, healed

    def vacuum(self) -> None:
        """Delete what no log has named for a week, and what was written a week ago and never named.

        Raises:
            InputRefused: it cannot be listed or deleted.
        """
        for name in NAMES:
            with self.delta.lock(name), told(self.tables, name):
                handle = self.delta.handle(name)
                if handle is not None and handle.vacuum(dry_run=True, full=True):
                    handle.vacuum(dry_run=False, full=True)


def take_delta_turn(tables: Folder, delta: DeltaTables, report: Report = silent) -> DeltaTurn:
    """Take out what stopped jobs had left, and begin.

    Raises:
        InputRefused: the tables cannot be read or written, or their store does not keep jobs apart.
    """
    if delta.handle("snapshots") is None:
        delta.active("snapshots")  # refuses tables of the earlier form
        _check_conditions(tables)
        tables.each(lambda name: delta.handle(name, make=True), [*(one for one in NAMES if one != "snapshots")])
        delta.handle("snapshots", make=True)
    tables.each(lambda name: _add_columns(tables, delta, name), INDEX)
    healed = []
    for name, gone in zip(INDEX, tables.each(lambda name: _take_out_leavings(tables, delta, name), INDEX), strict=True):
        if gone:
            healed.append(f"{counted(gone, 'file')} that a stopped job had left in {name} removed.")
    for sentence in healed:
        report(JobProgress("heal", 0, None, sentence))
    return DeltaTurn(tables, delta, tuple(healed))


def _add_columns(tables: Folder, delta: DeltaTables, name: str) -> None:
    """Columns that an earlier version's table does not have, in its log: readers of Delta see null in its rows."""
    from deltalake import Schema
    from deltalake.exceptions import CommitFailedError

    with delta.lock(name), told(tables, name), suppress(CommitFailedError):  # another job was faster
        handle = delta.handle(name, make=True)
        known = {one.name for one in handle.schema().fields} if handle else ()
        lacking = [one for one in arrow_schema(name) if one.name not in known]
        if handle and lacking:
            handle.alter.add_columns(Schema.from_arrow(pa.schema(lacking)).fields)


class DeltaBatch(Staging):
    """What one job adds to Delta tables and takes from them."""

    def __init__(self, turn: DeltaTurn, name: str, *, whole_clusters: bool, base: dict[str, pa.Table]) -> None:
        super().__init__(turn.tables, name)
        self._delta = turn.delta
        self._whole, self._base = whole_clusters, base
        self._begun = datetime.now(UTC)
        self._added: dict[str, list[FileFact]] = {}

    @classmethod
    def begin(cls, turn: DeltaTurn, *, mark: str = "", whole_clusters: bool = True) -> DeltaBatch:
        """A new batch, with nothing in it. What it is made of is to be read after this.

        Args:
            turn: of the job.
            mark: ends its name, and so tells later who wrote a file.
            whole_clusters: whether it depends on more of a cluster than the days that it touches.
        """
        base = {index: turn.delta.active(index) for index in _INDEXES}
        # Later than all that is there, whatever the clocks of those who made it.
        last = max((pc.max(rows["batch"]).as_py() or "" for rows in base.values()), default="")
        now = datetime.now(UTC)
        with suppress(ValueError):
            now = max(now, _begun(last) + timedelta(microseconds=1))
        return cls(turn, new_name(now, mark), whole_clusters=whole_clusters, base=base)

    def staging(self, name: str) -> str:
        """Where the batch's files of a table are written, and stay; see :class:`Staging`.

        Raises:
            KeyError: there is no table of that name.
        """
        if name not in STAGED:
            raise KeyError(name)
        return f"{home_of(name)}/batch={self.id}"

    def remove(self, paths: Iterable[str]) -> None:
        """Take published files away at the commit; paths relative to the tables."""
        self._remove.update(paths)

    def commit(self, cluster_days: Iterable[tuple[str, str]] = ()) -> None:
        """Publish the batch; see :class:`Staging`.

        Raises:
            InputRefused: a file lies where none of the table's may, or a log cannot be written. Where the index was
                reached, the next job completes the batch; else it is as if it had never been.
            Overtaken: another job has changed the same clusters; nothing was published.
        """
        if datetime.now(UTC) - self._begun > _MAY_LIVE:
            raise Overtaken("This job took more than a day for one batch and did not publish it; start it again.")
        staged = {name: files for name, files in self._facts(list(STAGED)).items() if files}
        adds = {name: [self._add(name, one.path, one.size) for one in files] for name, files in staged.items()}
        removes = {name: self._removed(name) for name in NAMES}
        try:
            data = [name for name in INDEX if name not in _INDEXES and adds.get(name)]
            self._added = {name: staged[name] for name in data}
            self._tables.each(lambda name: _append(self._tables, self._delta, name, adds[name]), data)
            for index in _INDEXES:
                self._decide(index, adds, removes)
        except PipelineBusy:
            self._withdraw()
            raise
        self._tables.each(lambda name: self._finish(name, adds, removes), [n for n in INDEX if n not in _INDEXES])
        for name in ("rejected", "ledger"):
            gone = [_gone(name, row) for row in removes[name]]
            if adds.get(name) or gone:
                self._replace(name, adds.get(name, []), gone)

    def abandon(self) -> None:
        """Delete what was staged; see :class:`Staging`. What a log names already stays until it is taken out of it.

        Raises:
            InputRefused: it cannot be deleted; it counts nowhere, and is deleted after a week.
        """
        if not self._added:
            self._tables.each(self._tables.delete_folder, [self.staging(name) for name in STAGED])

    def _add(self, name: str, path: str, size: int) -> Any:
        from deltalake.transaction import AddAction

        inside = path[len(home_of(name)) + 1 :]
        keys = inside.partition("/")[2]
        day = cluster_day_of(name, keys)
        values = {} if day is None else {"cluster": day[0], "day": day[1]}
        if name == "ledger":
            values = {"month": keys.partition("/")[0].removeprefix("month=")}
        return AddAction(inside, size, values, int(time.time() * 1000), True, "{}")

    def _removed(self, name: str) -> list[dict[str, Any]]:
        """The files of a table that the batch replaces, as its log names them."""
        home = f"{home_of(name)}/"
        inside = {path[len(home) :] for path in self._remove if path.startswith(home)}
        if not inside:
            return []
        rows = self._delta.active(name)
        return list(rows.filter(pc.is_in(rows["path"], pa.array(sorted(inside), pa.string()))).to_pylist())

    def _decide(self, index: str, adds: dict[str, list[Any]], removes: dict[str, list[dict[str, Any]]]) -> None:
        """Make the index name what this batch did in its tables, if nothing of their clusters changed meanwhile."""
        family = [name for name, of in INDEX.items() if of == index]
        # Only what the index names in a day from then on counts there: all tables of it are written anew together.
        emptied = {_day(row) for row in removes[index]}
        added = {name: {_day(one.partition_values) for one in adds.get(name, ())} for name in family}
        replaced = {name: {_day(row) for row in removes[name]} for name in family if name != index}
        for name, days in replaced.items():
            for day in days - emptied:
                added[index].add(day)
                self._mark(index, day, anew(name), adds)
        for day in sorted(set().union(*added.values()) - {_day(one.partition_values) for one in adds.get(index, ())}):
            self._mark(index, day, "named.parquet", adds)
        days = set().union(*added.values(), emptied)
        gone = [_gone(index, row) for row in removes[index]]
        if not days:
            return
        for attempt in range(_TRIES):
            now = self._delta.active(index)
            if self.id in pc.unique(now["batch"]).to_pylist():
                return  # made, and the answer was lost
            self._check_unchanged(index, days, now)
            if make_entry(self._tables, self._delta, index, [*adds.get(index, []), *gone], seen=now):
                return
            _wait(attempt)
        raise Overtaken("Other jobs make entries faster than this one; nothing of it was published.")

    def _mark(self, index: str, day: _Day, file: str, adds: dict[str, list[Any]]) -> None:
        """An entry of the index without rows."""
        from pyarrow import parquet

        out = pa.BufferOutputStream()
        parquet.write_table(arrow_schema(index).empty_table(), out, compression="zstd")
        data = out.getvalue().to_pybytes()
        path = f"{self.day_folder(index, day)}/{file}"
        self._tables.write(path, data)
        adds.setdefault(index, []).append(self._add(index, path, len(data)))

    def _check_unchanged(self, index: str, days: set[_Day], now: pa.Table) -> None:
        def touched(rows: pa.Table) -> set[str]:
            some = rows.filter(pc.is_in(rows["cluster"], pa.array(sorted({day[0] for day in days}), pa.string())))
            return {row["path"] for row in some.to_pylist() if self._whole or _day(row) in days}

        if touched(now) != touched(self._base[index]):
            raise Overtaken(
                f"Another job changed {counted(len({day[0] for day in days}), 'cluster')} that this one works on; "
                "nothing of it was published. Start it again."
            )

    def _finish(self, name: str, adds: dict[str, list[Any]], removes: dict[str, list[dict[str, Any]]]) -> None:
        """Take out of a table what the batch replaced, and what stopped jobs had left of the same days."""
        if adds.get(name) or removes[name]:
            _take_out_leavings(self._tables, self._delta, name)

    def _replace(self, name: str, adds: list[Any], gone: list[Any]) -> None:
        if gone and not make_entry(self._tables, self._delta, name, [*adds, *gone], seen=None):
            raise Overtaken(f"Another job rewrote {name} meanwhile; start this one again.")
        if not gone:
            _append(self._tables, self._delta, name, adds)

    def _withdraw(self) -> None:
        """Take out of the logs what counts nowhere; what cannot be is taken out by a later job."""
        for name, files in self._added.items():
            inside = {one.path[len(home_of(name)) + 1 :] for one in files}
            with suppress(InputRefused):
                _take_out(
                    self._tables,
                    self._delta,
                    name,
                    lambda name=name, inside=inside: [  # type: ignore[misc]
                        row for row in self._delta.active(name).to_pylist() if row["path"] in inside
                    ],
                )


def _day(row: Any) -> _Day:
    return row["cluster"], row["day"]


def _gone(name: str, row: dict[str, Any]) -> Any:
    from deltalake.transaction import RemoveAction

    values = {key: row[key] for key in ("cluster", "day")} if name in INDEX else {}
    if name == "ledger":
        month = [part for part in row["path"].split("/") if part.startswith("month=")]
        values = {"month": month[0].removeprefix("month=")} if month else {}
    return RemoveAction(row["path"], True, int(time.time() * 1000), row["size"], values)


def _append(tables: Folder, delta: DeltaTables, name: str, actions: Sequence[Any]) -> None:
    # Adding a file once more, where an answer was lost, changes nothing.
    if not any(make_entry(tables, delta, name, actions, seen=None) for _ in range(5)):
        raise Overtaken(f"Other jobs make entries in {name} faster than this one; start it again.")


def make_entry(tables: Folder, delta: DeltaTables, name: str, actions: Sequence[Any], *, seen: pa.Table | None) -> bool:
    """Make an entry in a table's log, and say whether that was done.

    Args:
        tables: the folder.
        delta: its tables.
        name: the table.
        actions: what it adds and takes out, as ``deltalake`` has them.
        seen: the entry is to be the next after what this shows, or none; None: any, if it can be beside others.

    Raises:
        InputRefused: it cannot be made, or it is not known whether it was.
    """
    from deltalake import CommitProperties
    from deltalake.exceptions import CommitFailedError

    with delta.lock(name):
        if seen is not None and delta.active(name) is not seen:
            return False
        handle = delta.handle(name, make=True, fresh=seen is None)
        if handle is None:
            return False
        keys = ["month"] if name == "ledger" else ["cluster", "day"] if name in INDEX else None
        asked = CommitProperties(max_commit_retries=0 if seen is not None else 15)
        try:
            with told(tables, name):
                handle.create_write_transaction(list(actions), "append", handle.schema(), keys, commit_properties=asked)
        except CommitFailedError:
            return False
    return True


def _take_out_leavings(tables: Folder, delta: DeltaTables, name: str) -> int:
    """Take out of a table what does not count and never will; how many files that are."""
    return 0 if name in _INDEXES else _take_out(tables, delta, name, lambda: list(_leavings(delta, name)))


def _take_out(tables: Folder, delta: DeltaTables, name: str, chosen: Callable[[], list[dict[str, Any]]]) -> int:
    """Take files out of a table's log; again where others make entries that touch the same ones."""
    for attempt in range(_TRIES):
        gone = [_gone(name, row) for row in chosen()]
        if not gone or make_entry(tables, delta, name, gone, seen=None):
            return len(gone)
        _wait(attempt)
    return 0  # others are at it


def _wait(attempt: int) -> None:
    time.sleep(min(1.0, 0.01 * 2**attempt) * (0.5 + secrets.randbelow(100) / 100))


def _leavings(delta: DeltaTables, name: str) -> Iterator[dict[str, Any]]:
    rows = delta.uncounted(name)
    if not rows.num_rows:
        return
    newest = newest_by_day(delta.active(INDEX[name]))
    old = f"{datetime.now(UTC) - _MAY_LIVE:{BEGUN}}"
    for row in rows.to_pylist():
        if row["batch"] < newest.get(_day(row), "") or row["batch"] < old:
            yield row


def _check_conditions(tables: Folder) -> None:
    """Refuse to make tables on a store that makes a file anew that is there: two jobs would make the same entry.

    Raises:
        InputRefused: it does.
    """
    probe = "_reseat/made-once"
    tables.create(probe, b"")
    if tables.create(probe, b""):
        raise InputRefused(
            "This store ignores conditional writes (If-None-Match: *), so that Delta tables on it could lose rows; "
            "Amazon's S3, MinIO, Ceph and R2 have them.",
            source=tables.where,
        )


def _begun(batch: str) -> datetime:
    return datetime.strptime(batch.partition("-")[0], BEGUN).replace(tzinfo=UTC)
