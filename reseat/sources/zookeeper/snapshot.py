"""From what ZooKeeper told to a snapshot: the layout, its findings, and what stands beside it.

What it promises: a partition whose leader or ISR was not told is "not told", never "offline".

How it works: the columns of all topics are put one after the other, lists become matrices and masks over the replicas
as for uploaded texts. O(P R); no Python loop over partitions but those with a reassignment.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime

import numpy as np
import numpy.typing as npt

from reseat.formats.input.reading import LIMITS
from reseat.formats.rows.assemble import assemble
from reseat.formats.rows.broker_facts import living
from reseat.formats.rows.masks import mask_of
from reseat.formats.rows.row_findings import PLACES_NAMED, Rows
from reseat.model import NONE, BoolArray, ClusterLayout, Consistency, Finding, IntArray, Longs, Severity, Snapshot
from reseat.model.arrays import matrix_of, widened
from reseat.model.snapshot import GAPS_BY_PROTOCOL
from reseat.model.wording import counted, listed, verb
from reseat.sources.connection import Connection
from reseat.sources.zookeeper.findings import (
    cluster_findings,
    cut,
    finding,
    name_of,
    node_findings,
    outside_findings,
    state_findings,
)
from reseat.sources.zookeeper.gathered import Gathered, NodeAccess
from reseat.sources.zookeeper.topics import StateNode, Topic

__all__ = ["snapshot_of"]

#: The oldest Kafka that writes a version of a node, by kind and version (``BrokerIdZNode``, ``TopicZNode``).
_SINCE = {"broker": {4: (0, 10), 5: (2, 7)}, "topic": {2: (2, 4), 3: (2, 8)}}


def snapshot_of(
    told: Gathered,
    connection: Connection,
    taken_at: datetime,
    consistency: Consistency,
    unsettled: tuple[str, ...],
) -> Snapshot:
    """The snapshot of what ZooKeeper told.

    Args:
        told: what was read.
        connection: names the cluster.
        taken_at: before the first request.
        consistency: whether all of it was true at one moment.
        unsettled: topics that changed meanwhile.
    """
    topics = [topic for topic in told.topics.values() if _is_there(told, topic)]
    layout, findings = _layout_of(told, topics)
    findings = (*findings, *node_findings(told), *state_findings(layout, topics), *cluster_findings(told, layout))
    return Snapshot(
        layout=layout,
        taken_at=taken_at,
        protocol="zookeeper",
        cluster=connection.name or None,
        cluster_id=told.cluster_id,
        controller=told.controller,
        metadata="zookeeper",
        findings=findings,
        consistency=consistency,
        unsettled=unsettled,
        not_read=_not_read(told, topics),
        under_way_told=not _is_closed(told, "/admin/reassign_partitions"),
        broker_configs=_broker_configs(told, layout),
        topic_configs={name: values for name, values in told.topic_configs.items() if values},
        pending=told.pending,
        facts=_facts(told, topics),
    )


def _is_there(told: Gathered, topic: Topic) -> bool:
    node = told.nodes.get(topic.path)
    return node is not None and node.access is NodeAccess.TOLD


def _is_closed(told: Gathered, path: str) -> bool:
    node = told.nodes.get(path)
    return node is not None and node.access is NodeAccess.DENIED


def _not_read(told: Gathered, topics: Sequence[Topic]) -> tuple[str, ...]:
    closed = sorted(node.path for node in told.nodes.values() if node.access is NodeAccess.DENIED)
    out = []
    if closed:
        out.append(
            f"This account may not read {counted(len(closed), 'node')} in ZooKeeper: {listed(map(cut, closed))}. Their "
            "content is missing."
        )
    states = sum(topic.known.count(StateNode.DENIED) for topic in topics)
    if states:
        out.append(f"The states of {counted(states, 'partition')} are closed to this account in ZooKeeper.")
    return tuple(out)


def _broker_configs(told: Gathered, layout: ClusterLayout) -> dict[int, dict[str, str]]:
    """Values by broker: its own before those of the cluster's default entity."""
    default = told.broker_configs.get(None, {})
    merged = {broker.id: default | told.broker_configs.get(broker.id, {}) for broker in layout.brokers}
    return {broker: values for broker, values in merged.items() if values}


def _facts(told: Gathered, topics: Sequence[Topic]) -> dict[str, object]:
    facts: dict[str, object] = {"alive_brokers": tuple(sorted(told.registrations))}
    if told.controller_epoch is not None:
        facts["controller_epoch"] = told.controller_epoch
    versions = [
        _SINCE[kind].get(version, (0, 0))
        for kind, version in (
            *(("broker", registration.version) for registration in told.registrations.values()),
            *(("topic", topic.node.version) for topic in topics if topic.node is not None),
        )
    ]
    since = max(versions, default=(0, 0))
    if since > (0, 0):
        facts["version_at_least"] = f"{since[0]}.{since[1]}"
    return facts


_MIN_IN_SYNC = "min.insync.replicas"


def _layout_of(told: Gathered, topics: Sequence[Topic]) -> tuple[ClusterLayout, tuple[Finding, ...]]:
    """The layout of what ZooKeeper told, and what of it is not as it should be.

    Args:
        told: what was read.
        topics: those that are there.
    """
    nodes = [topic.node for topic in topics if topic.node is not None]
    counts = np.array([len(node.partition) for node in nodes], np.int64)
    topic_of = np.repeat(np.arange(len(nodes), dtype=np.int32), counts)
    partition = _joined((node.partition for node in nodes), np.int32)
    lengths = _joined((node.lengths for node in nodes), np.int32)
    flat = _joined((node.replicas for node in nodes), np.int32)
    kept, left_out = _within_cells(lengths)
    replicas = _matrix(flat, lengths, kept)
    isr, isr_told = _isr(topics, kept)
    in_sync, outside = mask_of(replicas, isr)
    by_row: dict[str, npt.NDArray[np.generic]] = {
        "leader": _joined((topic.leader for topic in topics), np.int32)[kept],
        "leader_epoch": _joined((topic.epoch for topic in topics), np.int32)[kept],
        "in_sync": in_sync,
        "in_sync_told": isr_told,
    }
    names = [topic.name for topic in topics]
    starts = np.concatenate(([0], np.cumsum(counts)))
    place = np.cumsum(kept) - 1
    outside_of = {"in_sync": outside}
    for name in ("adding", "removing"):
        lists = {
            int(place[starts[code] + position]): ids
            for code, node in enumerate(nodes)
            if (asked := getattr(node, name))
            for position, partition_id in enumerate(node.partition)
            if (ids := asked.get(partition_id)) and kept[starts[code] + position]
        }
        mask, outside_of[name] = _masked_rows(replicas, lists)
        by_row[name] = mask
    rows = Rows(
        topics=names,
        topic_of=topic_of[kept],
        partition=partition[kept],
        replicas=replicas,
        place=lambda row: f"/brokers/topics/{names[int(topic_of[kept][row])]}"[:300],
        by_row=by_row,
    )
    _add_pending(told, rows, in_sync, isr_told, by_row)
    for name in ("adding", "removing"):
        if not by_row[name].any():
            del by_row[name]
    layout, found = assemble(
        rows,
        brokers=[registration.broker for registration in told.registrations.values()],
        min_in_sync=_min_in_sync(told, names),
        topic_ids=[node.topic_id for node in nodes] if any(node.topic_id for node in nodes) else None,
    )
    layout = layout.with_brokers(living(layout.brokers, set(told.registrations), set(), set()))
    layout = replace(layout, gaps=GAPS_BY_PROTOCOL["zookeeper"])
    findings = [*found, *outside_findings(layout, rows, outside_of)]
    if left_out.size:
        findings.append(
            finding(
                "too_many_replicas",
                Severity.BROKEN,
                f"{counted(len(left_out), 'partition')} with more replicas than can be shown beside the others "
                f"{verb(len(left_out), 'is', 'are')} left out ({LIMITS.cells:,} cells are the limit): "
                + listed(name_of(names[int(topic_of[row])], int(partition[row])) for row in left_out[:50].tolist())
                + ". Check these nodes: no plan made such a list.",
                [f"/brokers/topics/{names[int(topic_of[row])]}" for row in left_out[:PLACES_NAMED].tolist()],
            )
        )
    return layout, tuple(findings)


def _joined(columns: Iterable[object], kind: type[np.int32]) -> IntArray:
    parts = [np.frombuffer(column, kind) for column in columns]  # type: ignore[call-overload]  # arrays are buffers
    return np.concatenate(parts) if parts else np.empty(0, kind)


def _within_cells(lengths: IntArray) -> tuple[BoolArray, Longs]:
    """(P,) which partitions fit in the limit of cells, the shorter lists first; and the rows of the others."""
    width = int(lengths.max(initial=0))
    if width * len(lengths) <= LIMITS.cells:
        return np.ones(len(lengths), np.bool_), np.empty(0, np.int64)
    kept = np.asarray(lengths <= LIMITS.cells // len(lengths), np.bool_)
    return kept, np.flatnonzero(~kept)


def _matrix(flat: IntArray, lengths: IntArray, kept: BoolArray) -> IntArray:
    """(kept, longest) ids, -1 padded."""
    if not kept.all():
        flat = flat[np.repeat(kept, lengths)]
    chosen = lengths[kept]
    width = int(chosen.max(initial=0))
    if len(flat) == len(chosen) * width:
        return flat.reshape(len(chosen), width).copy()
    out = np.full((len(chosen), width), NONE, np.int32)
    out[np.arange(width) < chosen[:, None]] = flat
    return out


def _isr(topics: Sequence[Topic], kept: BoolArray) -> tuple[IntArray, BoolArray]:
    """(kept, longest) ids of the ISRs, -1 padded; (kept,) whether it is told."""
    lengths = _joined((topic.isr_lengths for topic in topics), np.int32)
    told = lengths >= 0
    if not lengths.size:
        return np.empty((0, 0), np.int32), told
    # An ISR longer than any replica list can name no more replicas than a list of that length.
    ids = _matrix(_joined((topic.isr for topic in topics), np.int32), np.maximum(lengths, 0), np.ones_like(told))
    start = 0
    for topic in topics:
        for position, isr in topic.again.items():
            row, held = start + position, isr or []
            if len(held) > ids.shape[1]:
                ids = widened(ids, len(held))
            ids[row] = NONE
            ids[row, : len(held)] = held
            told[row] = isr is not None
        start += len(topic.known)
    return ids[kept], told[kept]


def _masked_rows(replicas: IntArray, lists: dict[int, list[int]]) -> tuple[BoolArray, BoolArray]:
    """(P, R) which replicas the lists name; (P,) whether one names a broker that is no replica."""
    mask, outside = np.zeros(replicas.shape, np.bool_), np.zeros(len(replicas), np.bool_)
    if lists:
        rows = np.array(list(lists), np.int64)
        mask[rows], outside[rows] = mask_of(replicas[rows], matrix_of(lists.values()))
    return mask, outside


def _add_pending(
    told: Gathered,
    rows: Rows,
    in_sync: BoolArray,
    isr_told: BoolArray,
    by_row: dict[str, npt.NDArray[np.generic]],
) -> None:
    """Mark what is added and removed where only /admin/reassign_partitions tells it (before Kafka 2.4).

    There the controller has put the targets before those that leave once it has begun: what is not a target leaves,
    and a target that is not in sync is being copied.
    """
    if not told.pending:
        return
    code = {name: i for i, name in enumerate(rows.topics)}
    wanted = {(code[topic], partition): ids for (topic, partition), ids in told.pending.items() if topic in code}
    busy = by_row["adding"].any(axis=1) | by_row["removing"].any(axis=1)
    concerned = np.isin(rows.topic_of, np.array([c for c, _ in wanted], np.int32)) & ~busy
    for row in np.flatnonzero(concerned).tolist():
        ids = wanted.get((int(rows.topic_of[row]), int(rows.partition[row])))
        held = rows.replicas[row]
        if ids is None or not set(ids) <= set(held[held != NONE].tolist()):
            continue
        target = np.isin(held, np.array(ids, np.int32)) & (held != NONE)
        by_row["removing"][row] = ~target & (held != NONE)
        if isr_told[row]:
            by_row["adding"][row] = target & ~in_sync[row]


def _min_in_sync(told: Gathered, names: Sequence[str]) -> IntArray | None:
    """(T,) effective min.insync.replicas: the topic's, else the cluster's; -1 where a broker's file alone tells it."""
    default = _positive(told.broker_configs.get(None, {}).get(_MIN_IN_SYNC))
    values = [_positive(told.topic_configs.get(name, {}).get(_MIN_IN_SYNC)) for name in names]
    column = np.array([default if value is None else value for value in values], dtype=object)
    if all(value is None for value in column):
        return None
    return np.array([NONE if value is None else value for value in column], np.int32)


def _positive(text: str | None) -> int | None:
    if text is None or not text.isascii() or not text.isdecimal() or len(text) > 9:
        return None
    return int(text) or None
