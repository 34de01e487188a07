"""Layouts and plans as the texts that Kafka's own tools take or print.

What it promises, in this order: Kafka's tools accept every JSON text written here; the same input gives the same
bytes, sorted by topic and partition; what the layout does not tell is left out and never invented. A million
partitions are written without a Python object a partition (columns are joined by Arrow).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import orjson

from reseat.formats.reassignment import ANY_LOG_DIR
from reseat.model import NONE, BoolArray, ClusterLayout, IntArray, Plan

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "ZNODE_BYTES",
    "Chunks",
    "id_lists",
    "write_chunks",
    "write_describe",
    "write_layout_reassignment",
    "write_preferred_election",
    "write_reassignment",
    "write_rollback",
    "write_topics_to_move",
]

#: ZooKeeper's ``jute.maxbuffer`` by default: what one node may hold, its path and request included.
ZNODE_BYTES = 1_048_575
#: Left free in a node for the request around the text.
_ZNODE_SPARE = 4_096


def write_reassignment(plan: Plan, *, log_dirs: bool = False) -> str:
    """The reassignment JSON that carries a plan out: its changed partitions alone.

    Args:
        plan: the plan.
        log_dirs: name a log directory for each replica too, ``any`` throughout: newcomers have none yet, and naming
            the present one of those that stay would change nothing.

    Returns:
        One line of compact JSON. Without a changed partition its list is empty, which Kafka's tool refuses: there is
        nothing to carry out then.
    """
    return _document(_entries(plan.proposed.select(plan.changed), "any" if log_dirs else "none"))


def write_rollback(plan: Plan, *, log_dirs: bool = True) -> str:
    """The reassignment JSON that takes a plan back: the present replica lists of its changed partitions.

    Args:
        plan: the plan.
        log_dirs: name the present log directories too, where the current layout tells them (``any`` where it does not
            tell a replica's); left out where it tells none.
    """
    before = plan.current.select(plan.changed)
    return _document(_entries(before, "told" if log_dirs and before.log_dir is not None else "none"))


def write_layout_reassignment(layout: ClusterLayout, *, log_dirs: bool = False) -> str:
    """The whole layout as reassignment JSON, replica lists as they stand; leaders, ISR and racks have no place in it.

    Args:
        layout: the layout.
        log_dirs: name log directories too, where the layout tells them.
    """
    return _document(_entries(layout, "told" if log_dirs and layout.log_dir is not None else "none"))


@dataclass(frozen=True, slots=True)
class Chunks:
    """A plan in as many texts as a ZooKeeper node can hold.

    Attributes:
        texts: reassignment JSON documents, to be carried out one after the other.
        sentence: how many there are and why, for a person.
    """

    texts: tuple[str, ...]
    sentence: str


def write_chunks(plan: Plan, *, log_dirs: bool = False, limit: int = ZNODE_BYTES) -> Chunks:
    """A plan cut so that each piece fits in the node ``/admin/reassign_partitions``.

    Needed where a plan is carried out through ZooKeeper (before 2.6): the tool writes the whole text into one node,
    and a node holds less than 1 MB (``jute.maxbuffer``). One at a time: the next is refused while one is running.

    Args:
        plan: the plan.
        log_dirs: as ``write_reassignment``.
        limit: what a node may hold, in bytes.
    """
    whole = write_reassignment(plan, log_dirs=log_dirs)
    if len(whole.encode()) + _ZNODE_SPARE <= limit:
        return Chunks((whole,), "The plan fits in one ZooKeeper node.")
    entries = _entries(plan.proposed.select(plan.changed), "any" if log_dirs else "none")
    texts = tuple(_document(piece) for piece in _filled(entries, limit - _ZNODE_SPARE))
    return Chunks(
        texts,
        f"The plan has {len(whole.encode()):,} bytes and a ZooKeeper node holds {limit:,} (jute.maxbuffer): it comes "
        f"in {len(texts)} parts. Carry them out in order, each once --verify says that the one before is done. "
        "With --bootstrap-server (2.6 and later) the whole plan can be carried out at once.",
    )


def write_describe(layout: ClusterLayout, *, style: str = "new") -> str:
    """The layout as ``kafka-topics --describe`` prints it, a header for each topic and a row for each partition.

    Racks, sizes, hosts and log directories have no place in this text. A leader that is not told is printed as
    ``none`` and an ISR that is not told is empty, since the text has no other word: the two are then told apart no
    longer. Observers, ELR and a reassignment under way are printed where the layout tells them.

    Args:
        layout: the layout.
        style: ``new`` (2.4 and later, ``Topic: orders``) or ``old`` (``Topic:orders``).

    Raises:
        ValueError: ``style`` is neither.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    if style not in ("new", "old"):
        raise ValueError(f"style is 'new' or 'old', not {style!r}")
    if not layout.partition_count:
        return ""
    ids = layout.replica_ids
    leader = pa.array(layout.leader_ids).cast(pa.string())
    leader = pc.if_else(pa.array(layout.leader < 0), pa.scalar("none" if style == "new" else "-1"), leader)
    topic = pa.DictionaryArray.from_arrays(pa.array(layout.topic_of), pa.array(layout.topics, pa.string())).cast(
        pa.string()
    )
    pieces: list[pa.Array | str] = [
        *("\tTopic: ", topic, "\tPartition: ", pa.array(layout.partition).cast(pa.string())),
        *("\tLeader: ", leader, "\tReplicas: ", id_lists(ids, ids != NONE)),
        *("\tIsr: ", id_lists(ids, np.zeros_like(ids, np.bool_) if layout.in_sync is None else layout.in_sync)),
    ]
    for label, mask in (
        ("Adding Replicas", layout.adding),
        ("Removing Replicas", layout.removing),
        ("Elr", layout.eligible),
        ("LastKnownElr", layout.last_known_eligible),
        ("Observers", layout.observers),
    ):
        if mask is not None:
            pieces += [f"\t{label}: ", id_lists(ids, mask)]
    rows = pc.binary_join_element_wise(*pieces, "\n", "")
    starts = np.searchsorted(layout.topic_of, np.arange(len(layout.topics) + 1))
    factor = layout.replication_factor
    blank = " " if style == "new" else ""
    out: list[str] = []
    for code, name in enumerate(layout.topics):  # over topics, of which there are far fewer than partitions
        first, last = int(starts[code]), int(starts[code + 1])
        if first == last:
            continue
        told = NONE if layout.min_in_sync is None else int(layout.min_in_sync[code])
        configs = "" if told == NONE else f"min.insync.replicas={told}"
        # As Kafka does, the header gives the replication factor of the first partition.
        out.append(
            f"Topic:{blank}{name}\tPartitionCount:{blank}{last - first}\tReplicationFactor:{blank}{int(factor[first])}"
            f"\tConfigs:{blank}{configs}\n"
        )
        out.append(_joined(rows.slice(first, last - first), ""))
    return "".join(out)


def write_topics_to_move(topics: Sequence[str]) -> str:
    """The topics-to-move JSON that ``kafka-reassign-partitions --generate`` takes; sorted, each topic once."""
    return orjson.dumps({"version": 1, "topics": [{"topic": name} for name in sorted(set(topics))]}).decode()


def write_preferred_election(layout: ClusterLayout, rows: npt.NDArray[np.integer] | BoolArray | None = None) -> str:
    """The JSON that ``kafka-leader-election --path-to-json-file`` and its predecessor take.

    Args:
        layout: the layout.
        rows: (n,) ascending row numbers or a (P,) mask of the partitions to elect; None: all of them.
    """
    chosen = layout if rows is None else layout.select(rows)
    import pyarrow.compute as pc

    if not chosen.partition_count:
        return '{"partitions":[]}'
    return '{"partitions":[' + _joined(pc.binary_join_element_wise(*_head(chosen), "}", ""), ",") + "]}"


def id_lists(ids: IntArray, mask: BoolArray, separator: str = ",") -> pa.Array:
    """Rows of ids as text, in order, ids outside the mask left out: ``1,2,3``.

    Args:
        ids: (P, R) ids.
        mask: (P, R) which of them to name.
        separator: what stands between two.

    Returns:
        A string array of P texts.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    offsets = np.zeros(len(ids) + 1, np.int32)
    np.cumsum(mask.sum(axis=1), out=offsets[1:])
    texts = pa.array(ids[mask]).cast(pa.string())
    return pc.binary_join(pa.ListArray.from_arrays(pa.array(offsets), texts), separator)


# ---- inside ------------------------------------------------------------------------------------------------


def _head(layout: ClusterLayout) -> list[pa.Array | str]:
    """``{"topic":"a","partition":0`` of each row, in pieces."""
    import pyarrow as pa

    names = [orjson.dumps(name).decode() for name in layout.topics]
    topic = pa.DictionaryArray.from_arrays(pa.array(layout.topic_of), pa.array(names, pa.string())).cast(pa.string())
    return ['{"topic":', topic, ',"partition":', pa.array(layout.partition).cast(pa.string())]


def _entries(layout: ClusterLayout, log_dirs: str) -> pa.Array:
    """One JSON object a partition; ``log_dirs`` is ``none`` (left out), ``any`` throughout, or as ``told``."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not layout.partition_count:
        return pa.array([], pa.string())
    ids = layout.replica_ids
    held = ids != NONE
    pieces = [*_head(layout), ',"replicas":[', id_lists(ids, held), "]"]
    if log_dirs != "none":
        names = [orjson.dumps(name).decode() for name in (*layout.log_dirs, ANY_LOG_DIR)]
        told = np.full_like(ids, NONE) if log_dirs == "any" or layout.log_dir is None else layout.log_dir
        codes = np.where(told == NONE, len(names) - 1, told)[held].astype(np.int32)
        texts = pa.DictionaryArray.from_arrays(pa.array(codes), pa.array(names, pa.string())).cast(pa.string())
        offsets = np.zeros(len(ids) + 1, np.int32)
        np.cumsum(held.sum(axis=1), out=offsets[1:])
        pieces += [',"log_dirs":[', pc.binary_join(pa.ListArray.from_arrays(pa.array(offsets), texts), ","), "]"]
    return pc.binary_join_element_wise(*pieces, "}", "")


def _document(entries: pa.Array) -> str:
    return '{"version":1,"partitions":[' + _joined(entries, ",") + "]}"


def _joined(texts: pa.Array, separator: str) -> str:
    """All texts in one: they stand one after the other in Arrow's buffer already, so no Python string each is made."""
    import pyarrow.compute as pc

    if not len(texts):
        return ""
    ended = pc.binary_join_element_wise(texts, "", separator) if separator else texts
    _, offsets, data = ended.buffers()
    first, last = np.frombuffer(offsets, np.int32)[[ended.offset, ended.offset + len(ended)]].tolist()
    return bytes(memoryview(data)[first : last - len(separator)]).decode()


def _filled(entries: pa.Array, room: int) -> Iterator[pa.Array]:
    """Consecutive entries, as many at once as fit in ``room`` bytes as a document, and at least one."""
    import pyarrow.compute as pc

    frame = len(_document(entries.slice(0, 0)))
    ends = np.cumsum(pc.binary_length(entries).to_numpy(zero_copy_only=False) + 1)  # 1: the comma
    start = 0
    while start < len(entries):
        base = int(ends[start - 1]) if start else 0
        stop = max(start + 1, int(np.searchsorted(ends, base + room - frame, side="right")))
        yield entries.slice(start, stop - start)
        start = stop
