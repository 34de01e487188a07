"""Rows of the tables of one snapshot -> the rows of ``resilience`` and ``copysets``: what Spark maps over snapshots.

What it promises, ranked: (1) the numbers of ``reseat.resilience``, and no others; (2) every job gives a row of
``copysets`` in one of its shares, be its snapshot empty, so that it counts as done; (3) the shares of a job together
give each row once.

What it needs: Arrow batches of one or several jobs' rows, each row with the job's number and the table that it is from.

How it works: a large snapshot is several jobs, shares, which run side by side. Each share puts the layout together and
counts what happens at once for all brokers, which is quick; healing, which takes the time, it places for every n-th
broker and rack only. The last share also counts the pairs and the copysets.

Complexity: that of ``reseat.resilience``; per million replicas 0.2 s to put the layout together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain, pairwise

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from reseat.election import Mode
from reseat.history.rebuild import layout_from_tables
from reseat.history.schema import arrow_schema
from reseat.model import ClusterLayout
from reseat.resilience import Loss, Pairs, copysets, loss, pairs, racks, singles

__all__ = ["PAIR_TAKEOVERS", "SOURCES", "Job", "loss_rows", "lossy_schema", "sweeper"]

#: The tables that a job reads, with the columns that it needs of them.
SOURCES = {
    "brokers": ("broker", "rack", "state", "log_dirs"),
    "replicas": ("topic", "partition", "position", "broker", "in_sync", "size_bytes", "leader"),
    "topic_spread": ("topic", "order_told", "min_isr"),
}
#: Who takes over is told of a snapshot's pairs where all of them together name no more brokers than this (8 bytes each
#: here, 32 in Spark's rows): a cluster of 300 brokers has 13 million, one of 1,000 would have 500 million.
PAIR_TAKEOVERS = 20_000_000
#: As many of them go to Spark at a time: 12 MB of Arrow.
BATCH_TAKEOVERS = 1_000_000
_KEYS = ("cluster", "day", "snapshot_id", "taken_at")
_HEIR = arrow_schema("resilience").field("leaders_to").type


@dataclass(frozen=True, slots=True)
class Job:
    """One snapshot, or a share of it.

    Attributes:
        cluster: its cluster.
        day: its day.
        snapshot_id: its identity.
        taken_at: when it was taken.
        mode: which controller decides in it.
        share: which share, from 0.
        shares: of how many.
    """

    cluster: str
    day: str
    snapshot_id: str
    taken_at: datetime
    mode: Mode = "zookeeper"
    share: int = 0
    shares: int = 1


def lossy_schema() -> pa.Schema:
    """The columns of ``sweeper``: ``of``, the table that a row belongs to, and all columns of both tables."""
    known = [field for name in ("resilience", "copysets") for field in arrow_schema(name, with_keys=True)]
    return pa.schema([pa.field("of", pa.string()), *{field.name: field for field in known}.values()])


def sweeper(jobs: Sequence[Job]) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """The function that makes the rows of ``resilience`` and ``copysets`` of jobs.

    Args:
        jobs: the jobs by their numbers.

    Returns:
        A function for ``DataFrame.mapInArrow``. Its input: ``job``, the job's number; ``source``, the table that a row
        is from, or null in the one row that every job has; and the columns of ``SOURCES``. All rows of a job are in
        one partition.
    """

    def sweep_jobs(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        found: dict[int, dict[str, list[pa.RecordBatch]]] = {}
        for batch in batches:
            for number in pc.unique(batch["job"]).to_pylist():
                mine = found.setdefault(number, {name: [] for name in SOURCES})
                for name, columns in SOURCES.items():
                    rows = batch.filter(pc.and_(pc.equal(batch["job"], number), pc.equal(batch["source"], name)))
                    if rows.num_rows:
                        mine[name].append(rows.select(list(columns)))
        for number in sorted(found):
            yield from loss_rows(jobs[number], _layout(found.pop(number)))

    return sweep_jobs


def _layout(parts: dict[str, list[pa.RecordBatch]]) -> ClusterLayout:
    tables = []
    for name, columns in SOURCES.items():
        schema = arrow_schema(name)
        kept = pa.schema([schema.field(column) for column in columns])
        tables.append(pa.Table.from_batches(parts.pop(name), kept))
    return layout_from_tables(*tables)


def loss_rows(job: Job, layout: ClusterLayout) -> Iterator[pa.RecordBatch]:
    """The rows of one job, in the columns of ``lossy_schema``."""
    brokers, names = layout.broker_ids.tolist(), list(layout.racks)
    mine = slice(job.share, None, job.shares)
    yield _batch(job, "resilience", _of_losses("broker", singles(layout, mode=job.mode, among=brokers[mine])))
    yield _batch(job, "resilience", _of_losses("rack", racks(layout, mode=job.mode, among=names[mine])))
    if job.share + 1 == job.shares:
        both = pairs(layout, mode=job.mode, most_takeovers=PAIR_TAKEOVERS)
        for rows in _slices(both):
            yield _batch(job, "resilience", _of_pairs(both, rows))
        found, already = copysets(layout), loss(layout, (), mode=job.mode)
        columns = {
            **{"copysets": found.copysets, "chance_two": found.chance_two, "chance_three": found.chance_three},
            **{"offline_partitions": already.offline_partitions, "below_min_isr": already.below_min_isr},
        }
        yield _batch(job, "copysets", {name: pa.array([value]) for name, value in columns.items()})


def _batch(job: Job, of: str, columns: dict[str, pa.Array]) -> pa.RecordBatch:
    """Rows of a table, with the keys of the job and nulls in the columns that it does not have."""
    schema = lossy_schema()
    count = len(next(iter(columns.values())))
    arrays = []
    for field in schema:
        if field.name == "of":
            arrays.append(pa.repeat(pa.scalar(of, field.type), count))
        elif field.name in _KEYS:
            arrays.append(pa.repeat(pa.scalar(getattr(job, field.name), field.type), count))
        elif field.name in columns:
            arrays.append(columns[field.name].cast(field.type))
        else:
            arrays.append(pa.nulls(count, field.type))
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def _of_losses(kind: str, losses: Sequence[Loss]) -> dict[str, pa.Array]:
    healing = [one.healing for one in losses]
    heirs = np.array(list(chain.from_iterable(one.leaders_to for one in losses)), np.int64).reshape(-1, 2)
    ends = np.cumsum([0, *(len(one.leaders_to) for one in losses)])
    return {
        "kind": pa.repeat(pa.scalar(kind), len(losses)),
        "lost": pa.array([one.lost for one in losses], pa.list_(pa.int32())),
        "rack": pa.array([one.rack for one in losses], pa.string()),
        "offline_partitions": pa.array([one.offline_partitions for one in losses], pa.int64()),
        "below_min_isr": pa.array([one.below_min_isr for one in losses], pa.int64()),
        "leaders_moved": pa.array([one.leaders_moved for one in losses], pa.int64()),
        "leaders_to": _lists(heirs[:, 0], heirs[:, 1], ends),
        "moves": pa.array([one.moves if one else None for one in healing], pa.int64()),
        "bytes_to_move": pa.array([one.bytes_to_move if one else None for one in healing], pa.int64()),
        "least_spread": pa.array([one.least_spread if one else None for one in healing], pa.int64()),
        "racks_kept": pa.array([one.racks_kept if one else None for one in healing], pa.bool_()),
    }


def _slices(found: Pairs) -> Iterator[slice]:
    """Pairs in a few slices, each with about as many entries of who takes over as go to Spark at a time."""
    if found.leaders_to is None:
        yield slice(0, len(found))
        return
    offsets = found.leaders_to.offsets
    cuts = np.searchsorted(offsets, np.arange(0, offsets[-1] + 1, BATCH_TAKEOVERS))
    for first, last in pairwise([*np.unique(cuts).tolist(), len(found)]):
        if first < last:
            yield slice(first, last)


def _of_pairs(found: Pairs, rows: slice) -> dict[str, pa.Array]:
    count = rows.stop - rows.start
    both = np.stack([found.first[rows], found.second[rows]], axis=1).ravel()
    moves, bytes_to_move = found.moves[rows], found.bytes_to_move[rows]
    unknown = np.isnan(bytes_to_move)
    size = np.rint(np.where(unknown, 0.0, bytes_to_move)).astype(np.int64)
    return {
        "kind": pa.repeat(pa.scalar("pair"), count),
        "lost": pa.ListArray.from_arrays(pa.array(np.arange(0, 2 * count + 1, 2, dtype=np.int32)), pa.array(both)),
        "offline_partitions": pa.array(found.offline_partitions[rows]),
        "below_min_isr": _or_nulls(found.below_min_isr, rows),
        "leaders_moved": _or_nulls(found.leaders_moved, rows),
        "leaders_to": _heirs_of_pairs(found, rows),
        "moves": pa.array(moves, mask=moves < 0),
        "bytes_to_move": pa.array(size, mask=unknown),
    }


def _heirs_of_pairs(found: Pairs, rows: slice) -> pa.Array:
    if found.leaders_to is None:
        return pa.nulls(rows.stop - rows.start, _HEIR)
    offsets = found.leaders_to.offsets[rows.start : rows.stop + 1]
    entries = slice(int(offsets[0]), int(offsets[-1]))
    return _lists(found.leaders_to.brokers[entries], found.leaders_to.leaders[entries], offsets - offsets[0])


def _lists(brokers: np.ndarray, leaders: np.ndarray, ends: np.ndarray) -> pa.ListArray:
    """The column ``leaders_to`` of (broker, leaders) one after the other, and where each row's begin and end."""
    to = pa.StructArray.from_arrays(
        [pa.array(brokers, pa.int32()), pa.array(leaders).cast(pa.int64())], fields=list(_HEIR.value_type)
    )
    return pa.ListArray.from_arrays(pa.array(ends, pa.int32()), to, type=_HEIR)


def _or_nulls(values: np.ndarray | None, rows: slice) -> pa.Array:
    return pa.nulls(rows.stop - rows.start, pa.int64()) if values is None else pa.array(values[rows])
