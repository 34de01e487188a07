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
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
import orjson

from reseat.formats.documents.writers import id_lists
from reseat.formats.input.formula import escaped
from reseat.model import NONE, NOT_TOLD, BoolArray, BrokerState, ClusterLayout, FloatArray
from reseat.model.columns import BESIDE_ISR, COLUMNS
from reseat.model.tiering import Tiering

__all__ = ["write_csv", "write_parquet"]

#: Turns a name into a cell.
Word: TypeAlias = Callable[[str], str]
#: What makes a cell need quotes.
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

    table = _table(layout, per, tiering, safe=True)
    out = io.BytesIO()
    out.write((",".join(table.column_names) + "\n").encode())
    names = (*layout.topics, *layout.racks, *layout.log_dirs, *(broker.host or "" for broker in layout.brokers))
    # Arrow quotes every text as soon as one may need it; layouts of real clusters need none.
    plain = "log_dirs" not in table.column_names and not any(map(_QUOTED.search, names))
    style = "none" if plain else "needed"
    pc.write_csv(table, out, pc.WriteOptions(include_header=False, quoting_style=style))
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
    pq.write_table(_table(layout, per, tiering, safe=False), out, compression="zstd")
    return out.getvalue()


def _table(layout: ClusterLayout, per: str, tiering: Tiering, *, safe: bool) -> Any:
    """The rows of replicas or partitions, and below them those of brokers that have more to tell."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if per not in ("replica", "partition"):
        raise ValueError(f"per is 'replica' or 'partition', not {per!r}")
    word = escaped if safe else str
    rows = pa.table(_by_replica(layout, word) if per == "replica" else _by_partition(layout, word))
    brokers = _brokers(layout, word, racks_told=per == "replica")
    # In one piece: of one without rows Arrow writes whatever its buffer held as CSV.
    table = pa.concat_tables([rows, brokers], promote_options="default").combine_chunks() if brokers.num_rows else rows
    tiered = [word(name) for name in tiering.topics if name in layout.topics]
    if not tiered:
        return table
    topics = table["topic"]
    told = pc.if_else(pc.is_valid(topics), pc.is_in(topics, pa.array(tiered, pa.string())), None)
    return table.append_column("tiered", told)


def _by_replica(layout: ClusterLayout, word: Word) -> dict[str, Any]:
    layout = _with_a_slot(layout)
    held = layout.replicas != NONE
    slots = held.copy()
    if slots.shape[1]:
        slots[~held.any(axis=1), 0] = True  # told without a replica: one row without a broker
    rows, positions = np.nonzero(slots)
    broker = layout.replicas[rows, positions]
    leader, has_broker = layout.leader, broker != NONE
    columns: dict[str, Any] = {
        "topic": _words(layout.topic_of[rows], layout.topics, word),
        "partition": _numbers(layout.partition[rows]),
        "position": _numbers(positions, has_broker),
        "broker": _numbers(np.append(layout.broker_ids, NONE)[broker], has_broker),
        "rack": _words(np.append(layout.rack_of, NONE)[broker], layout.racks, word),
        "is_leader": _flags(broker == leader[rows], (leader[rows] != NOT_TOLD) & has_broker),
    }
    in_sync = np.zeros_like(held) if layout.in_sync is None else layout.in_sync
    columns["in_sync"] = _flags(in_sync[rows, positions], layout.in_sync_known[rows])
    sizes = layout.replica_bytes
    columns["size_bytes"] = _reals(np.full(len(rows), np.nan) if sizes is None else sizes[rows, positions])
    # A leader that is no replica (or that of a partition without one) has no row of its own to stand in.
    elsewhere = (leader != NOT_TOLD) & ~(held & (layout.replicas == leader[:, None])).any(axis=1)
    elsewhere &= (leader >= 0) | ~held.any(axis=1)
    if elsewhere.any():
        columns["leader"] = _numbers(layout.leader_ids[rows], elsewhere[rows])
    columns |= _facts_of_rows(layout, rows)
    if layout.log_dir is not None:
        columns["log_dir"] = _words(layout.log_dir[rows, positions], layout.log_dirs, word)
    for name in BESIDE_ISR:
        mask = getattr(layout, name)
        if mask is not None:
            columns[name] = _flags(mask[rows, positions])
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


def _by_partition(layout: ClusterLayout, word: Word) -> dict[str, Any]:
    import pyarrow as pa
    import pyarrow.compute as pc

    ids, held = layout.replica_ids, layout.replicas != NONE

    def listed(mask: BoolArray, told: BoolArray | None = None) -> Any:
        texts = pc.if_else(pa.array(~mask.any(axis=1)), "none", id_lists(ids, mask, ";"))
        return texts if told is None else pc.if_else(pa.array(told), texts, None)

    columns: dict[str, Any] = {
        "topic": _words(layout.topic_of, layout.topics, word),
        "partition": _numbers(layout.partition),
        "replicas": listed(held),
        "leader": _numbers(layout.leader_ids, layout.leader != NOT_TOLD),
        "isr": listed(np.zeros_like(held) if layout.in_sync is None else layout.in_sync, layout.in_sync_known),
    }
    if layout.size_bytes is not None:
        if layout.size_bytes.ndim == 1:
            columns["size_bytes"] = _reals(layout.size_bytes)
        else:
            texts = pc.fill_null(_reals(layout.size_bytes[held]).cast(pa.string()), "")
            columns["size_bytes"] = _joined(texts, held, ";")
    columns |= _facts_of_rows(layout, np.arange(layout.partition_count))
    if layout.log_dir is not None:
        columns["log_dirs"] = _log_dir_lists(layout)
    for name in BESIDE_ISR:
        mask = getattr(layout, name)
        if mask is not None:
            columns[name] = listed(mask)
    return columns


def _log_dir_lists(layout: ClusterLayout) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    held = layout.replicas != NONE
    names = [*(orjson.dumps(name).decode() for name in layout.log_dirs), "null"]
    told = np.full_like(layout.replicas, NONE) if layout.log_dir is None else layout.log_dir
    codes = np.where(told == NONE, len(names) - 1, told)[held].astype(np.int32)
    texts = pa.DictionaryArray.from_arrays(pa.array(codes), pa.array(names, pa.string())).cast(pa.string())
    return pc.binary_join_element_wise("[", _joined(texts, held, ","), "]", "")


def _joined(texts: Any, held: BoolArray, between: str) -> Any:
    """The texts of each partition's replicas as one."""
    import pyarrow as pa
    import pyarrow.compute as pc

    offsets = np.append(0, np.cumsum(held.sum(axis=1))).astype(np.int32)
    return pc.binary_join(pa.ListArray.from_arrays(pa.array(offsets), texts), between)


def _facts_of_rows(layout: ClusterLayout, rows: npt.NDArray[np.integer]) -> dict[str, Any]:
    """What is told of partitions and topics, where the layout tells it."""
    columns: dict[str, Any] = {}
    if (layout.leader_epoch != NOT_TOLD).any():
        epoch = layout.leader_epoch[rows]
        columns["leader_epoch"] = _numbers(epoch, epoch != NOT_TOLD)
    if layout.min_in_sync is not None:
        columns["min_in_sync"] = _numbers(layout.min_in_sync[layout.topic_of[rows]])
    if not layout.order_told.all():
        columns["order_told"] = _flags(layout.order_told[layout.topic_of[rows]])
    return columns


def _brokers(layout: ClusterLayout, word: Word, *, racks_told: bool) -> Any:
    """Brokers that need a row of their own: without a replica, or with facts that rows of partitions do not tell."""
    import pyarrow as pa

    seen = set(np.unique(layout.replicas).tolist())
    told = [
        broker
        for at, broker in enumerate(layout.brokers)
        if at not in seen
        or broker.host is not None
        or broker.port is not None
        or broker.state is not BrokerState.NOT_TOLD
        or (broker.rack is not None and not racks_told)
    ]

    def words(values: Iterable[str | None]) -> Any:
        return pa.array([None if value is None else word(value) for value in values], pa.string())

    columns = {
        "broker": pa.array([broker.id for broker in told], pa.int32()),
        "rack": words(broker.rack for broker in told),
        "host": words(broker.host for broker in told),
        "state": words(None if broker.state is BrokerState.NOT_TOLD else broker.state.value for broker in told),
        "port": pa.array([broker.port for broker in told], pa.int32()),
    }
    always = ("broker", "rack")
    return pa.table({name: c for name, c in columns.items() if name in always or c.null_count < len(told)})


# ---- columns -----------------------------------------------------------------------------------------------


def _words(codes: npt.NDArray[np.integer], words: Sequence[str], word: Word) -> Any:
    import pyarrow as pa

    names = pa.array([word(name) for name in words], pa.string())
    return pa.DictionaryArray.from_arrays(_numbers(codes, codes != NONE), names).cast(pa.string())


def _numbers(values: npt.NDArray[np.integer], told: BoolArray | None = None) -> Any:
    import pyarrow as pa

    return pa.array(values.astype(np.int32), mask=None if told is None else ~told)


def _flags(values: BoolArray, told: BoolArray | None = None) -> Any:
    import pyarrow as pa

    return pa.array(values, mask=None if told is None else ~told)


def _reals(values: FloatArray) -> Any:
    """Bytes: as whole numbers where all are, which every reader takes."""
    import pyarrow as pa

    told = ~np.isnan(values)
    column = pa.array(values, mask=~told)
    if told.any() and bool((values[told] == np.floor(values[told])).all()) and float(values[told].max()) < 2**53:
        column = column.cast(pa.int64())
    return column
