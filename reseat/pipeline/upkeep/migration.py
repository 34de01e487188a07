"""``pipeline migrate``: tables copied to where tables are Delta tables, file by file, and checked.

What it promises, in this order:

1. The tables that are copied stay as they are, and no job writes to them meanwhile where they lie on a disk here.
2. What was copied is the same: each file is read again where the new tables name it, and its SHA-256 compared; the
   counts of all rows of all tables are compared, too.
3. Stopped at any moment, done again it goes on: a cluster's tables appear together, and those that are there are left.

What it needs: tables that no commit is being carried out in; a place without other tables. No Spark.

Complexity: each file is read twice and written once, some at a time in memory.
"""

from __future__ import annotations

import hashlib
import io
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from reseat.errors import InputRefused
from reseat.history.commit_record import unfinished
from reseat.history.delta import INDEX, NAMES, DeltaTables, delta_of, home_of
from reseat.history.folder import Folder
from reseat.history.parts import flat_of, parts_of
from reseat.model.wording import counted
from reseat.pipeline.delta_commit import DeltaBatch, DeltaTurn, take_delta_turn
from reseat.pipeline.lock import hold
from reseat.pipeline.progress import JobProgress, Report, silent
from reseat.pipeline.turns import take_turn

__all__ = ["MigrationReport", "migrate"]

#: Files copied side by side are no more than these, so that no more are in memory.
_AT_ONCE = 16


@dataclass(frozen=True, slots=True)
class MigrationReport:
    """What a migration did.

    Attributes:
        copied: files that were copied and compared.
        rows: rows of all tables, and of the ledger, on both sides.
        clusters: clusters that the new tables hold.
        seconds: how long it took.
    """

    copied: int
    rows: int
    clusters: int
    seconds: float

    @property
    def sentence(self) -> str:
        """The same for a person."""
        return (
            f"{counted(self.copied, 'file')} copied; both sides have {counted(self.rows, 'row')} of "
            f"{counted(self.clusters, 'cluster')}, and the SHA-256 of every copied file agrees. {self.seconds:.1f} s."
        )


def migrate(source: Folder, target: Folder, *, report: Report = silent) -> MigrationReport:
    """Copy tables, plain or Delta, into Delta tables elsewhere.

    Args:
        source: the tables, also those that earlier versions wrote as plain Parquet on an object store.
        target: where the new ones are made, or an earlier migration was stopped.
        report: is told how far it is.

    Raises:
        PipelineBusy: a job works on the old tables, or another one on the new.
        InputRefused: there are no tables, a commit in them is not complete, the new place has other tables, or what was
            copied is not the same.
    """
    began = time.monotonic()
    if source.spark_url() == target.spark_url():
        raise InputRefused(
            "The tables would be copied onto themselves; another folder was expected.", source=target.where
        )
    with _at_rest(source):
        files = {name: _files(source, name) for name in NAMES}
        if not any(files.values()):
            raise InputRefused("There are no tables here.", source=source.where)
        turn = _turn(target, report)
        digests: dict[str, Counter[str]] = {name: Counter() for name in NAMES}
        clusters = sorted({path.split("/")[0] for name in INDEX for path, _ in files[name]})
        for done, cluster in enumerate(clusters):
            report(JobProgress("copy", done, len(clusters), f"Copying {cluster.removeprefix('cluster=')}."))
            names = [one for one in INDEX if not _there(target, INDEX[one], cluster)]
            some = {name: [one for one in files[name] if one[0].startswith(f"{cluster}/")] for name in names}
            _copy(source, turn, some, digests)
        _copy(
            source, turn, {name: files[name] for name in ("rejected", "ledger") if not flat_of(target, name)}, digests
        )
        report(JobProgress("check", 0, None, "Comparing what was copied."))
        rows = _compare(source, target, files, digests)
    copied = sum(one.total() for one in digests.values())
    return MigrationReport(copied, rows, len(clusters), time.monotonic() - began)


@contextmanager
def _at_rest(source: Folder) -> Iterator[None]:
    """No job writes to the old tables, and none left a commit half done."""
    if source.local is not None and delta_of(source) is None:
        if not source.exists():
            raise InputRefused("There are no tables here.", source=source.where)
        with hold(source, "pipeline migrate"):
            take_turn(source)
            yield
        return
    if days := unfinished(source):
        raise InputRefused(
            f"A commit of {counted(len(days), 'cluster-day')} is not complete in these tables; run the pipeline once "
            "with the version that wrote them, and nothing is lost.",
            source=source.where,
        )
    yield


def _turn(target: Folder, report: Report) -> DeltaTurn:
    delta = delta_of(target)
    if delta is None:
        if any(map(target.exists, NAMES)):
            raise InputRefused("There are plain tables here; an empty folder was expected.", source=target.where)
        DeltaTables(target, {}).handle("snapshots", make=True)
        delta = delta_of(target)
    if delta is None:
        raise InputRefused("No Delta tables can be made here.", source=target.where)
    return take_delta_turn(target, delta, report)


def _files(source: Folder, name: str) -> list[tuple[str, str]]:
    """The files of a table that count: where each lies in its table by cluster and day or month, and its path."""
    if source.exists("snapshots/_delta_log"):
        paths = [one.path for one in (parts_of(source, name) if name in INDEX else flat_of(source, name))]
    else:
        paths = [one.path for one in source.files(home_of(name), ".parquet")]
    home = f"{home_of(name)}/"
    inside = [[part for part in path[len(home) :].split("/") if not part.startswith("batch=")] for path in paths]
    if name == "ledger":  # early files lie in no month
        inside = [parts if len(parts) > 1 else ["month=1970-01", *parts] for parts in inside]
    return [("/".join(parts), path) for parts, path in zip(inside, paths, strict=True)]


def _there(target: Folder, index: str, cluster: str) -> bool:
    return bool(parts_of(target, index, clusters=[cluster.removeprefix("cluster=")]))


def _copy(
    source: Folder, turn: DeltaTurn, files: dict[str, list[tuple[str, str]]], digests: dict[str, Counter[str]]
) -> None:
    """Copy some files as one batch."""
    asked = [(name, number, *one) for name, some in files.items() for number, one in enumerate(some)]
    if not asked:
        return
    batch = DeltaBatch.begin(turn)

    def copied(one: tuple[str, int, str, str]) -> tuple[str, str]:
        name, number, inside, path = one
        data = source.read(path)
        turn.tables.write(f"{batch.staging(name)}/{inside.rpartition('/')[0]}/copy-{number:05d}.parquet", data)
        return name, hashlib.sha256(data).hexdigest()

    for start in range(0, len(asked), _AT_ONCE):
        for name, digest in turn.tables.each(copied, asked[start : start + _AT_ONCE]):
            digests[name][digest] += 1
    batch.commit()


def _compare(
    source: Folder, target: Folder, files: dict[str, list[tuple[str, str]]], digests: dict[str, Counter[str]]
) -> int:
    """Hold the new tables against the old, and say how many rows there are.

    Raises:
        InputRefused: they differ.
    """
    rows = 0
    for name in NAMES:
        copies = [path for _, path in _files(target, name)]
        there, found = _read(target, copies)
        rows_before, _ = _read(source, [path for _, path in files[name]])
        if there != rows_before or not digests[name] <= found:
            raise InputRefused(
                f"What was copied of {name} is not the same: {there:,} rows, {rows_before:,} were expected. The old "
                "tables are as they were; empty the new folder and migrate again.",
                source=target.where,
            )
        rows += there
    return rows


def _read(tables: Folder, paths: Iterable[str]) -> tuple[int, Counter[str]]:
    """The rows of some files, and their digests."""
    from pyarrow import parquet

    def told(path: str) -> tuple[int, str]:
        data = tables.read(path)
        return parquet.read_metadata(io.BytesIO(data)).num_rows, hashlib.sha256(data).hexdigest()

    found = tables.each(told, paths)
    return sum(rows for rows, _ in found), Counter(digest for _, digest in found)
