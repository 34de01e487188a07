"""Layouts and plans as the texts that Kafka's own tools take or print.

What it promises, in this order: Kafka's tools accept every JSON text written here; the same input gives the same
bytes, sorted by topic and partition; what the layout does not tell is left out and never invented. A million
partitions are written without a Python object a partition (columns are joined by Arrow).
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import orjson

from reseat.formats.documents.directory_moves import Named, with_named
from reseat.formats.documents.json_rows import document, entries, heads, id_lists, joined, list_lengths
from reseat.formats.documents.sealed import seal, seal_of, seal_rollback
from reseat.formats.text.reassignment import SEAL_KEY
from reseat.model import NONE, BoolArray, ClusterLayout, Longs, Plan
from reseat.model.columns import BESIDE_ISR, COLUMNS

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "ZNODE_BYTES",
    "Pieces",
    "id_lists",
    "packed",
    "write_describe",
    "write_layout_reassignment",
    "write_pieces",
    "write_preferred_election",
    "write_reassignment",
    "write_rollback",
    "write_topics_to_move",
]

#: ZooKeeper's ``jute.maxbuffer`` by default: what one node may hold, its path and request included.
ZNODE_BYTES = 1_048_575
#: Left free in a node for the request around the text.
_ZNODE_SPARE = 4_096


def write_reassignment(plan: Plan, *, sealed: bool = True, chosen: Named | None = None) -> str:
    """The reassignment JSON that carries a plan out: its changed partitions alone.

    Args:
        plan: the plan.
        sealed: say in the key ``reseat`` what the plan was made for (``reseat.formats.documents.sealed``); Kafka
            ignores it.
        chosen: directories to name, by partition and broker, ``any`` for the other replicas; None: none.

    Returns:
        One line of compact JSON. Without a changed partition its list is empty, which Kafka's tool refuses: there is
        nothing to carry out then.
    """
    proposed = _proposed(plan, chosen)
    rows = entries(proposed, log_dirs=bool(chosen))
    return document(rows, seal(plan, proposed) if sealed and len(rows) else "")


def _proposed(plan: Plan, chosen: Named | None) -> ClusterLayout:
    """The changed partitions as they shall be, with the directories that are named."""
    proposed = plan.proposed.select(plan.changed).bare()
    return proposed if chosen is None else with_named(proposed, chosen)


def write_rollback(plan: Plan, *, sealed: bool = True) -> str:
    """The reassignment JSON that takes a plan back: the present replica lists of its changed partitions.

    It names the present log directories too, where the current layout tells any (``any`` where not a replica's).

    Args:
        plan: the plan.
        sealed: as ``write_reassignment``; a rollback is made for the layout once the plan is done.
    """
    before = plan.current.select(plan.changed)
    rows = entries(before, log_dirs=before.log_dir is not None)
    return document(rows, seal_rollback(plan) if sealed and len(rows) else "")


def write_layout_reassignment(layout: ClusterLayout) -> str:
    """The whole layout as reassignment JSON, lists as they stand; leaders, ISR and racks have no place in it."""
    return document(entries(layout))


@dataclass(frozen=True, slots=True)
class Pieces:
    """A plan in as many texts as a ZooKeeper node can hold.

    Attributes:
        texts: reassignment JSON documents, to be carried out one after the other.
        sentence: how many there are and why, for a person.
    """

    texts: tuple[str, ...]
    sentence: str


def write_pieces(plan: Plan, *, limit: int = ZNODE_BYTES, sealed: bool = True, chosen: Named | None = None) -> Pieces:
    """A plan cut so that each piece fits in the node ``/admin/reassign_partitions``.

    Needed where a plan is carried out through ZooKeeper (before 2.6): the tool writes the whole text into one node,
    and a node holds less than 1 MB (``jute.maxbuffer``). One at a time: the next is refused while one is running.

    Each part is sealed by itself, for its own partitions: they still have their lists when its turn comes. Its key
    tells no layout hash, since the parts before it change the rest of the layout; that brokers leave is told by the
    last part alone, as they still hold replicas after the others.

    Args:
        plan: the plan.
        limit: what a node may hold, in bytes.
        sealed: as ``write_reassignment``.
        chosen: as ``write_reassignment``.
    """
    whole = write_reassignment(plan, sealed=sealed, chosen=chosen)
    if len(whole.encode()) + _ZNODE_SPARE <= limit:
        return Pieces((whole,), "The plan fits in one ZooKeeper node.")
    after, before = _proposed(plan, chosen), plan.current.select(plan.changed)
    rows = entries(after, log_dirs=bool(chosen))
    frame = len(document(rows.slice(0, 0)).encode())
    extra = np.zeros(len(rows), np.int64)
    if sealed:
        frame += len(_part_seal(after, before, slice(0, 0), plan.wish.remove).encode()) + len(f',"{SEAL_KEY}":')
        extra = list_lengths(before.replica_ids) + 1  # 1: the comma
        # A topic's id stands in each part that has partitions of it: of one that a part begins in the midst of, too.
        ids = _id_lengths(before)
        extra += np.where(np.diff(before.topic_of, prepend=-1) != 0, ids[before.topic_of], 0)
        frame += int(ids.max(initial=0)) + (len(',"topic_ids":{}') if ids.any() else 0)
    pieces = list(_filled(rows, extra, limit - _ZNODE_SPARE - frame))
    texts = tuple(
        document(
            rows.slice(piece.start, piece.stop - piece.start),
            _part_seal(after, before, piece, plan.wish.remove if piece is pieces[-1] else ()) if sealed else "",
        )
        for piece in pieces
    )
    return Pieces(
        texts,
        f"The plan has {len(whole.encode()):,} bytes and a ZooKeeper node holds {limit:,} (jute.maxbuffer): it is "
        f"split into {len(texts)} parts. Execute them in order, each once --verify says that the previous one is "
        "complete. With --bootstrap-server (2.6 and later) the whole plan can be executed at once.",
    )


def packed(pieces: Pieces) -> bytes:
    """Pieces as a ZIP archive of ``plan-1.json``, ``plan-2.json`` and so on; the same pieces give the same bytes."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for number, text in enumerate(pieces.texts, 1):
            archive.writestr(zipfile.ZipInfo(f"plan-{number}.json"), text, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def write_describe(layout: ClusterLayout) -> str:
    """The layout as ``kafka-topics --describe`` prints it, a header for each topic and a row for each partition.

    Racks, sizes, hosts and log directories have no place in this text. A leader that is not told is printed as
    ``none`` and an ISR that is not told is empty, since the text has no other word: the two are then told apart no
    longer. Observers, ELR and a reassignment under way are printed where the layout tells them.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    if not layout.partition_count:
        return ""
    ids = layout.replica_ids
    leader = pa.array(layout.leader_ids).cast(pa.string())
    leader = pc.if_else(pa.array(layout.leader < 0), pa.scalar("none"), leader)
    topic = pa.DictionaryArray.from_arrays(pa.array(layout.topic_of), pa.array(layout.topics, pa.string())).cast(
        pa.string()
    )
    pieces: list[pa.Array | str] = [
        *("\tTopic: ", topic, "\tPartition: ", pa.array(layout.partition).cast(pa.string())),
        *("\tLeader: ", leader, "\tReplicas: ", id_lists(ids, ids != NONE)),
        *("\tIsr: ", id_lists(ids, np.zeros_like(ids, np.bool_) if layout.in_sync is None else layout.in_sync)),
    ]
    for name in sorted(BESIDE_ISR, key=lambda name: name not in ("adding", "removing")):  # as Kafka prints them
        mask = getattr(layout, name)
        if mask is not None:
            pieces += [f"\t{COLUMNS[name].label}: ", id_lists(ids, mask)]
    rows = pc.binary_join_element_wise(*pieces, "\n", "")
    starts = np.searchsorted(layout.topic_of, np.arange(len(layout.topics) + 1))
    factor = layout.replication_factor
    out: list[str] = []
    for code, name in enumerate(layout.topics):  # over topics, of which there are far fewer than partitions
        first, last = int(starts[code]), int(starts[code + 1])
        if first == last:
            continue
        told = NONE if layout.min_in_sync is None else int(layout.min_in_sync[code])
        configs = "" if told == NONE else f"min.insync.replicas={told}"
        # As Kafka does, the header gives the replication factor of the first partition.
        out.append(
            f"Topic: {name}\tPartitionCount: {last - first}\tReplicationFactor: {int(factor[first])}\t"
            f"Configs: {configs}\n"
        )
        out.append(joined(rows.slice(first, last - first), ""))
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
    return '{"partitions":[' + joined(pc.binary_join_element_wise(*heads(chosen), "}", ""), ",") + "]}"


# ---- inside ------------------------------------------------------------------------------------------------


def _id_lengths(layout: ClusterLayout) -> Longs:
    """(T,) bytes that each topic's id takes in a seal, with its name, quotes, a colon and a comma; 0 where not told."""
    told = layout.id_by_topic
    return np.array(
        [len(orjson.dumps({name: told[name]})) - 1 if name in told else 0 for name in layout.topics], np.int64
    )


def _part_seal(after: ClusterLayout, before: ClusterLayout, part: slice, leaving: tuple[int, ...]) -> str:
    rows = np.arange(part.start, part.stop)
    return seal_of(after.select(rows), before.select(rows), leaving=leaving)


def _filled(rows: pa.Array, extra: Longs, room: int) -> Iterator[slice]:
    """Consecutive entries, as many at once as fit in ``room`` bytes with what each takes beside, and at least one."""
    import pyarrow.compute as pc

    ends = np.cumsum(pc.binary_length(rows).to_numpy(zero_copy_only=False) + 1 + extra)  # 1: the comma
    start = 0
    while start < len(rows):
        base = int(ends[start - 1]) if start else 0
        stop = max(start + 1, int(np.searchsorted(ends, base + room, side="right")))
        yield slice(start, stop)
        start = stop
