"""Writes a layout as a table, CSV or Parquet, that reads back alike.

The columns are those of ``reseat.formats.tables.table``.

What comes back: partitions, replicas and their order, brokers with racks, hosts, ports and states, leaders and their
epochs, every mask, log directories, sizes, ``min.insync.replicas``, which topics are tiered, and what is not told. What
does not: sizes told one a partition come back one a replica from a table of replicas, log directories in another
numbering, which brokers begin behind what is tiered, and a topic without partitions not at all.
"""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import orjson

from reseat.formats.documents.writers import id_lists
from reseat.formats.tables.table_columns import escaped
from reseat.model import NONE, NOT_TOLD, BoolArray, BrokerState, ClusterLayout
from reseat.model.columns import BESIDE_ISR, COLUMNS
from reseat.model.tiering import Tiering

__all__ = ["write_csv", "write_parquet"]

#: What a column over replicas holds where there is no replica, by the kind of its type.
_QUOTED = re.compile(r'[",\r\n]')


def write_csv(
    layout: ClusterLayout,
    *,
    per: Literal["replica", "partition"] = "replica",
    tiering: Tiering = Tiering(),  # noqa: B008 (frozen)
) -> bytes:
    """The layout as CSV in UTF-8, with a header, comma-separated, lines ended by LF.

    Columns that the layout tells nothing for are left out, but for those of ``reseat.model.frame.replica_table``.
    Text that a spreadsheet would take for a formula gets an apostrophe before it.

    Args:
        layout: the layout.
        per: one row per replica or a partition; then one a broker that has facts no other row tells.
        tiering: which topics are tiered; a column says so where any is.

    Raises:
        ValueError: ``per`` is neither.
    """
    import pyarrow.csv as pc

    columns = _columns(layout, per, tiering, safe=True)
    out = io.BytesIO()
    out.write((",".join(columns) + "\n").encode())
    names = (*layout.topics, *layout.racks, *layout.log_dirs, *(broker.host or "" for broker in layout.brokers))
    # Arrow quotes every text as soon as one may need it; layouts of real clusters need none.
    plain = "log_dirs" not in columns and not any(map(_QUOTED.search, names))
    style = "none" if plain else "needed"
    pc.write_csv(_arrow(columns), out, pc.WriteOptions(include_header=False, quoting_style=style))
    return out.getvalue()


def write_parquet(
    layout: ClusterLayout,
    *,
    per: Literal["replica", "partition"] = "replica",
    tiering: Tiering = Tiering(),  # noqa: B008 (frozen)
) -> bytes:
    """The layout as a Parquet file with the columns of ``write_csv``, text as it is.

    Args:
        layout: the layout.
        per: one row per replica or a partition.
        tiering: as of ``write_csv``.

    Raises:
        ValueError: ``per`` is neither.
    """
    import pyarrow.parquet as pq

    out = io.BytesIO()
    pq.write_table(_arrow(_columns(layout, per, tiering, safe=False)), out, compression="zstd")
    return out.getvalue()


def _columns(layout: ClusterLayout, per: str, tiering: Tiering, *, safe: bool) -> dict[str, Any]:
    if per not in ("replica", "partition"):
        raise ValueError(f"per is 'replica' or 'partition', not {per!r}")
    word = escaped if safe else str
    columns = _by_replica(layout, word) if per == "replica" else _by_partition(layout, word)
    return columns | _tiered(layout, tiering, columns["topic"], word)


def _tiered(layout: ClusterLayout, tiering: Tiering, topics: Any, word: Any) -> dict[str, Any]:
    """The column ``tiered`` over the rows of some topics, nothing where none is; rows of brokers tell nothing."""
    import pyarrow as pa
    import pyarrow.compute as pc

    named = [word(name) for name in tiering.topics if name in layout.topics]
    if not named:
        return {}
    return {"tiered": pc.if_else(pc.is_valid(topics), pc.is_in(topics, pa.array(named, pa.string())), None)}


def _arrow(columns: dict[str, Any]) -> Any:
    import pyarrow as pa

    return pa.table(columns)


def _by_replica(layout: ClusterLayout, word: Any) -> dict[str, Any]:
    layout = _with_a_slot(layout)
    held = layout.replicas != NONE
    slots = held.copy()
    if slots.shape[1]:
        slots[~held.any(axis=1), 0] = True  # told without a replica: one row without a broker
    rows, positions = np.nonzero(slots)
    broker = layout.replicas[rows, positions]
    extra = _brokers_to_tell(layout, told_by_rows=True)
    tail = len(extra)
    ids, leader = layout.broker_ids, layout.leader
    has_broker = broker != NONE
    columns: dict[str, Any] = {
        "topic": _words(layout.topic_of[rows], [word(name) for name in layout.topics], tail),
        "partition": _numbers(layout.partition[rows], tail),
        "position": _numbers(positions, tail, has_broker),
        "broker": _numbers(np.append(ids, NONE)[broker], 0, has_broker, more=ids[extra]),
        "rack": _words(
            np.append(layout.rack_of, NONE)[np.concatenate([broker, extra])], [word(name) for name in layout.racks], 0
        ),
        "is_leader": _flags(broker == leader[rows], tail, (leader[rows] != NOT_TOLD) & has_broker),
    }
    in_sync = np.zeros_like(held) if layout.in_sync is None else layout.in_sync
    columns["in_sync"] = _flags(in_sync[rows, positions], tail, layout.in_sync_known[rows])
    sizes = layout.replica_bytes
    columns["size_bytes"] = _reals(np.full(len(rows), np.nan) if sizes is None else sizes[rows, positions], tail)
    # A leader that is no replica (or that of a partition without one) has no row of its own to stand in.
    elsewhere = (leader != NOT_TOLD) & ~(held & (layout.replicas == leader[:, None])).any(axis=1)
    elsewhere &= (leader >= 0) | ~held.any(axis=1)
    if elsewhere.any():
        columns["leader"] = _numbers(layout.leader_ids[rows], tail, elsewhere[rows])
    _facts_of_rows(layout, rows, tail, columns)
    if layout.log_dir is not None:
        columns["log_dir"] = _words(layout.log_dir[rows, positions], [word(name) for name in layout.log_dirs], tail)
    for name in BESIDE_ISR:
        mask = getattr(layout, name)
        if mask is not None:
            columns[name] = _flags(mask[rows, positions], tail)
    _facts_of_brokers(layout, extra, len(rows), word, columns)
    return columns


def _with_a_slot(layout: ClusterLayout) -> ClusterLayout:
    """The same with a column of replicas where no partition has any, so that each has a slot to stand in."""
    if layout.replicas.shape[1] or not layout.partition_count:
        return layout
    wide: dict[str, Any] = {
        name: np.full((layout.partition_count, 1), COLUMNS[name].blank, column.dtype)
        for name, column in layout.columns().items()
        if column.ndim == 2
    }
    return replace(layout, **wide)


def _by_partition(layout: ClusterLayout, word: Any) -> dict[str, Any]:
    import pyarrow as pa
    import pyarrow.compute as pc

    extra = _brokers_to_tell(layout, told_by_rows=False)
    tail, count = len(extra), layout.partition_count
    ids, held = layout.replica_ids, layout.replicas != NONE
    everything = np.arange(count)

    def listed(mask: BoolArray, told: BoolArray | None = None) -> Any:
        texts = pc.if_else(pa.array(~mask.any(axis=1)), "none", id_lists(ids, mask, ";"))
        return _tailed(texts if told is None else pc.if_else(pa.array(told), texts, None), tail)

    columns: dict[str, Any] = {
        "topic": _words(layout.topic_of, [word(name) for name in layout.topics], tail),
        "partition": _numbers(layout.partition, tail),
        "replicas": listed(held),
        "leader": _numbers(layout.leader_ids, tail, layout.leader != NOT_TOLD),
        "isr": listed(np.zeros_like(held) if layout.in_sync is None else layout.in_sync, layout.in_sync_known),
    }
    if layout.size_bytes is not None:
        if layout.size_bytes.ndim == 1:
            columns["size_bytes"] = _reals(layout.size_bytes, tail)
        else:
            sizes = layout.size_bytes[held]
            texts = pc.fill_null(_reals(sizes, 0).cast(pa.string()), "")
            offsets = np.append(0, np.cumsum(held.sum(axis=1))).astype(np.int32)
            columns["size_bytes"] = _tailed(
                pc.binary_join(pa.ListArray.from_arrays(pa.array(offsets), texts), ";"), tail
            )
    _facts_of_rows(layout, everything, tail, columns)
    if layout.log_dir is not None:
        columns["log_dirs"] = _tailed(_log_dir_lists(layout), tail)
    for name in BESIDE_ISR:
        mask = getattr(layout, name)
        if mask is not None:
            columns[name] = listed(mask)
    if tail:
        columns["broker"] = _numbers(
            np.zeros(count, np.int32), 0, np.zeros(count, np.bool_), more=layout.broker_ids[extra]
        )
        rack = np.concatenate([np.full(count, NONE, np.int32), layout.rack_of[extra]])
        columns["rack"] = _words(rack, [word(name) for name in layout.racks], 0)
    _facts_of_brokers(layout, extra, count, word, columns)
    return columns


def _log_dir_lists(layout: ClusterLayout) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    held = layout.replicas != NONE
    names = [*(orjson.dumps(name).decode() for name in layout.log_dirs), "null"]
    told = np.full_like(layout.replicas, NONE) if layout.log_dir is None else layout.log_dir
    codes = np.where(told == NONE, len(names) - 1, told)[held].astype(np.int32)
    texts = pa.DictionaryArray.from_arrays(pa.array(codes), pa.array(names, pa.string())).cast(pa.string())
    offsets = np.append(0, np.cumsum(held.sum(axis=1))).astype(np.int32)
    joined = pc.binary_join(pa.ListArray.from_arrays(pa.array(offsets), texts), ",")
    return pc.binary_join_element_wise("[", joined, "]", "")


def _brokers_to_tell(layout: ClusterLayout, *, told_by_rows: bool) -> npt.NDArray[np.int64]:
    """Positions of brokers that need a row of their own: no replica, or facts that rows of partitions cannot tell."""
    seen = np.zeros(len(layout.brokers) + 1, np.bool_)
    seen[layout.replicas.ravel()] = True
    facts = np.array(
        [
            broker.host is not None
            or broker.port is not None
            or broker.state is not BrokerState.NOT_TOLD
            or (broker.rack is not None and not told_by_rows)
            for broker in layout.brokers
        ],
        np.bool_,
    )
    return np.flatnonzero(~seen[:-1] | facts)


def _facts_of_rows(layout: ClusterLayout, rows: npt.NDArray[np.integer], tail: int, columns: dict[str, Any]) -> None:
    if (layout.leader_epoch != NOT_TOLD).any():
        epoch = layout.leader_epoch[rows]
        columns["leader_epoch"] = _numbers(epoch, tail, epoch != NOT_TOLD)
    if layout.min_in_sync is not None:
        least = layout.min_in_sync[layout.topic_of[rows]]
        columns["min_in_sync"] = _numbers(least, tail)
    if not layout.order_told.all():
        columns["order_told"] = _flags(layout.order_told[layout.topic_of[rows]], tail)


def _facts_of_brokers(
    layout: ClusterLayout, extra: npt.NDArray[np.int64], before: int, word: Any, columns: dict[str, Any]
) -> None:
    import pyarrow as pa

    told = [layout.brokers[i] for i in extra.tolist()]
    for name, values in (
        ("host", [None if broker.host is None else word(broker.host) for broker in told]),
        ("state", [None if b.state is BrokerState.NOT_TOLD else b.state.value for b in told]),
    ):
        if any(value is not None for value in values):
            columns[name] = pa.concat_arrays([pa.nulls(before, pa.string()), pa.array(values, pa.string())])
    ports = [broker.port for broker in told]
    if any(port is not None for port in ports):
        columns["port"] = pa.concat_arrays([pa.nulls(before, pa.int32()), pa.array(ports, pa.int32())])


# ---- columns with rows of brokers after them ---------------------------------------------------------------


def _tailed(column: Any, tail: int) -> Any:
    import pyarrow as pa

    return column if not tail else pa.concat_arrays([column, pa.nulls(tail, column.type)])


def _words(codes: npt.NDArray[np.integer], words: Sequence[str], tail: int) -> Any:
    import pyarrow as pa

    indices = _numbers(codes, tail, codes != NONE)
    return pa.DictionaryArray.from_arrays(indices, pa.array(words, pa.string())).cast(pa.string())


def _numbers(
    values: npt.NDArray[np.integer],
    tail: int,
    told: BoolArray | None = None,
    more: npt.NDArray[np.integer] | None = None,
) -> Any:
    import pyarrow as pa

    column = pa.array(values.astype(np.int32), mask=None if told is None else ~told)
    return _tailed(column, tail) if more is None else pa.concat_arrays([column, pa.array(more.astype(np.int32))])


def _flags(values: BoolArray, tail: int, told: BoolArray | None = None) -> Any:
    import pyarrow as pa

    return _tailed(pa.array(values, mask=None if told is None else ~told), tail)


def _reals(values: npt.NDArray[np.float64], tail: int) -> Any:
    """Bytes: as whole numbers where all are, which every reader takes."""
    import pyarrow as pa

    told = ~np.isnan(values)
    column = pa.array(values, mask=~told)
    if told.any() and bool((values[told] == np.floor(values[told])).all()) and float(values[told].max()) < 2**53:
        column = column.cast(pa.int64())
    return _tailed(column, tail)
