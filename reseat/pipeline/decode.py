"""Landed files -> rows: the functions that Spark maps over files through Arrow (``DataFrame.mapInArrow``).

What it promises, ranked: (1) every file gives one row of measures, whatever stands in it: what cannot be read is a row
that says why; (2) the replicas of a file are the same rows each time; (3) memory is that of one file at a time, not of
a task's files.

What it needs: Arrow batches with the columns of Spark's ``binaryFile`` source: ``path``, ``length``, ``content``.

How it works: a file is read by ``reseat.formats.documents.snapshot``; the small tables stand in its one row as lists of
structs, which Spark unfolds with ``inline``; its replicas are many rows, in batches of ``_ROWS``, and so a pass of
their own.

Complexity: O(bytes); per million replicas about 0.2 s to read and 0.2 s to measure or to write out as Arrow.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from reseat.errors import InputRefused, ReseatError
from reseat.formats.documents.snapshot import read_snapshot
from reseat.formats.documents.snapshot_writer import identity
from reseat.history.parts import day_of
from reseat.history.places import CLUSTER_NAME
from reseat.history.schema import arrow_schema
from reseat.model import NONE, NOT_TOLD, ClusterLayout, Snapshot
from reseat.model.snapshot import in_utc
from reseat.pipeline.measures import SMALL_TABLES, measures, row_type, whole_bytes

__all__ = [
    "KEPT_BYTES",
    "Landed",
    "Refusal",
    "cluster_of_folder",
    "measured_schema",
    "measurer",
    "read_landed",
    "replica_batches",
    "replica_reader",
]

#: Rows of one batch of replicas: large enough that its overhead does not count, small enough to stay in a cache.
_ROWS = 1 << 16
#: What is kept of a file that cannot be read.
KEPT_BYTES = 1 << 20
_BEGINS = re.compile(rb"\s*\{")
_IN_FOLDER = re.compile(r"(?:^|/)cluster=([^/]+)/")

_Batches = Iterable[pa.RecordBatch]


@dataclass(frozen=True, eq=False)
class Landed:
    """A landed file that was read.

    Attributes:
        snapshot: what it says; it names its cluster.
        snapshot_id: its identity.
        day: the UTC date under which it is kept.
    """

    snapshot: Snapshot
    snapshot_id: str
    day: str


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a landed file cannot be read.

    Attributes:
        reason: one sentence.
        place: where in the file, or None where it concerns the whole.
    """

    reason: str
    place: str | None = None


def read_landed(content: bytes, path: str) -> Landed | Refusal:
    """Read one landed file.

    Args:
        content: its bytes.
        path: relative to the landing zone; names the cluster where the document does not.

    Returns:
        What it says, or why that cannot be told. Nothing is raised, however strange the content is.
    """
    if not content:
        return Refusal("The file is empty.")
    if not _BEGINS.match(content):  # the text of a tool, say, or a compressed file: not JSON that was damaged
        return Refusal(
            "It is not a snapshot of Reseat: those are JSON in UTF-8 and begin with '{'. `reseat land` makes one from "
            "any layout that can be read.",
            "line 1",
        )
    try:
        snapshot = read_snapshot(content, source=path)
    except InputRefused as error:
        details = " ".join((error.sentence, *error.details[:3]))
        return Refusal(details, None if error.line is None else f"line {error.line}")
    except ReseatError as error:
        return Refusal(str(error))
    except (ValueError, TypeError, LookupError, ArithmeticError, RecursionError, MemoryError) as error:
        return Refusal(f"Its content could not be read ({type(error).__name__}: {str(error)[:200]}).")
    cluster = snapshot.cluster or _other_name(snapshot, path)
    if cluster is None:
        return Refusal("It does not name its cluster and is not in a folder cluster=NAME.")
    if not CLUSTER_NAME.fullmatch(cluster):
        return Refusal(
            f"Its cluster is called {cluster[:60]!r}; up to 100 letters, digits, '.', '_' and '-' were expected, "
            "beginning with a letter or digit.",
            "cluster",
        )
    snapshot = replace(snapshot, cluster=cluster)
    return Landed(snapshot, identity(snapshot), day_of(snapshot.taken_at))


def _other_name(snapshot: Snapshot, path: str) -> str | None:
    """What a cluster is called that nobody named: by its own id, where that can name a folder, or by its folder."""
    if snapshot.cluster_id is not None and CLUSTER_NAME.fullmatch(snapshot.cluster_id):
        return snapshot.cluster_id
    return cluster_of_folder(path)


def cluster_of_folder(path: str) -> str | None:
    """The cluster that a landed file's folder ``cluster=NAME`` names; None where there is no such folder."""
    named = _IN_FOLDER.search(path)
    return named.group(1) if named else None


# ---- one row a file ----------------------------------------------------------------------------------------


def measured_schema() -> pa.Schema:
    """The columns of ``measurer``: the file, what it is or why it was refused, and the rows of the small tables."""
    return pa.schema(
        [
            ("path", pa.string()),
            ("size_bytes", pa.int64()),
            ("cluster", pa.string()),
            ("day", pa.string()),
            ("snapshot_id", pa.string()),
            ("taken_at", pa.timestamp("us", tz="UTC")),
            ("reason", pa.string()),
            ("place", pa.string()),
            ("bytes", pa.binary()),
            *((name, pa.list_(row_type(name))) for name in SMALL_TABLES),
        ]
    )


def measurer(root: str) -> Callable[[_Batches], Iterator[pa.RecordBatch]]:
    """The function that makes one row of measures of each file.

    Args:
        root: the landing zone as Spark names it (``Folder.spark_url()``).

    Returns:
        A function from batches of files to batches of ``measured_schema``.
    """

    def measure_files(batches: _Batches) -> Iterator[pa.RecordBatch]:
        for path, size, content in _files(batches, root):
            yield _measured(path, size, content)

    return measure_files


def _measured(path: str, size: int, content: bytes) -> pa.RecordBatch:
    schema = measured_schema()
    row: dict[str, object] = dict.fromkeys(schema.names)
    row |= {"path": path, "size_bytes": size}
    read = read_landed(content, path)
    small: dict[str, pa.StructArray] = {}
    if isinstance(read, Landed):
        try:
            small = measures(read.snapshot, path=path, file_bytes=size)
        except (ValueError, TypeError, LookupError, ArithmeticError, MemoryError, pa.ArrowException) as error:
            read = Refusal(f"Its layout could not be measured ({type(error).__name__}: {str(error)[:200]}).")
    if isinstance(read, Landed):
        row |= {
            "cluster": read.snapshot.cluster,
            "day": read.day,
            "snapshot_id": read.snapshot_id,
            "taken_at": in_utc(read.snapshot.taken_at),
        }
    else:
        row |= {
            "cluster": cluster_of_folder(path),
            "reason": read.reason,
            "place": read.place,
            "bytes": content[:KEPT_BYTES],
        }
    columns = []
    for one in schema:
        rows = small.get(one.name)
        if rows is None:
            columns.append(pa.array([row[one.name]], one.type))
        else:
            columns.append(pa.ListArray.from_arrays(pa.array([0, len(rows)], pa.int32()), rows, type=one.type))
    return pa.RecordBatch.from_arrays(columns, schema=schema)


# ---- one row per replica -------------------------------------------------------------------------------------


def replica_reader(root: str, ids: Mapping[str, str] | None = None) -> Callable[[_Batches], Iterator[pa.RecordBatch]]:
    """The function that makes the rows of ``replicas``, ``cluster`` and ``day`` in front, of files that can be read.

    Args:
        root: the landing zone as Spark names it.
        ids: the snapshots that they held when they were measured, by path; None: what cannot be read has no rows.

    Returns:
        A function from batches of files to batches of rows; it raises ``InputRefused`` where a file holds another
        snapshot by now, or none: the one that was measured would stand there without its replicas.
    """

    def read_replicas(batches: _Batches) -> Iterator[pa.RecordBatch]:
        for path, _, content in _files(batches, root):
            read = read_landed(content, path)
            if ids is not None and ids[path] != (read.snapshot_id if isinstance(read, Landed) else None):
                raise InputRefused(
                    "This saved file changed while it was read, although saved files must never change. The next run "
                    "reads it again.",
                    source=path,
                )
            if isinstance(read, Landed):
                yield from replica_batches(read)

    return read_replicas


def replica_batches(landed: Landed) -> Iterator[pa.RecordBatch]:
    """The rows of ``replicas`` of one snapshot, in the layout's order, with ``cluster`` and ``day`` in front."""
    snapshot = landed.snapshot
    layout = snapshot.layout
    schema = arrow_schema("replicas", with_keys=True)
    same = {
        "cluster": snapshot.cluster,
        "day": landed.day,
        "snapshot_id": landed.snapshot_id,
        "taken_at": in_utc(snapshot.taken_at),
    }
    topics = pa.array(layout.topics, pa.string())
    racks = pa.array([broker.rack for broker in layout.brokers], pa.string())
    row, place = np.nonzero(layout.replicas != NONE)
    for start in range(0, len(row), _ROWS):
        rows, places = row[start : start + _ROWS], place[start : start + _ROWS]
        columns = _replicas(layout, rows, places, topics, racks)
        columns |= {
            name: pa.repeat(pa.scalar(value, schema.field(name).type), len(rows)) for name, value in same.items()
        }
        yield pa.RecordBatch.from_arrays([columns[name] for name in schema.names], schema=schema)


def _replicas(
    layout: ClusterLayout, rows: np.ndarray, places: np.ndarray, topics: pa.Array, racks: pa.Array
) -> dict[str, pa.Array]:
    position = layout.replicas[rows, places]
    leader, leads = layout.leader_ids[rows], layout.leader[rows]
    unknown = leads == NOT_TOLD
    in_sync, sizes = layout.in_sync, layout.replica_bytes
    lies = np.full(len(rows), NONE, np.int32) if layout.log_dir is None else layout.log_dir[rows, places]
    return {
        "topic": topics.take(pa.array(layout.topic_of[rows])),
        "partition": pa.array(layout.partition[rows]),
        "position": pa.array(places.astype(np.int32)),
        "broker": pa.array(layout.broker_ids[position]),
        "rack": racks.take(pa.array(position)),
        "is_leader": pa.array(leads == position, mask=unknown),
        "in_sync": pa.nulls(len(rows), pa.bool_())
        if in_sync is None
        else pa.array(in_sync[rows, places], mask=~layout.in_sync_known[rows]),
        "size_bytes": pa.nulls(len(rows), pa.int64()) if sizes is None else whole_bytes(sizes[rows, places]),
        "leader": pa.array(leader, mask=unknown),
        "log_dir": pa.array(layout.log_dirs, pa.string()).take(pa.array(lies, mask=lies == NONE)),
    }


def _files(batches: _Batches, root: str) -> Iterator[tuple[str, int, bytes]]:
    """(path relative to the landing zone, size in bytes, content) of every file."""
    start = _plain(root)
    for batch in batches:
        paths, sizes, contents = batch.column("path"), batch.column("length"), batch.column("content")
        for i in range(batch.num_rows):
            path = _plain(paths[i].as_py()).removeprefix(start).lstrip("/")
            yield path, sizes[i].as_py(), contents[i].as_buffer().to_pybytes()


def _plain(url: str) -> str:
    """A path without its scheme: Spark writes ``file:/a`` for what was given as ``file:///a``."""
    return url.split(":", 1)[-1].lstrip("/")
