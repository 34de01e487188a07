"""What changed between two layouts of one cluster: replicas, leaders, ISRs, orders, brokers.

What it promises, ranked: (1) replicas removed and added account for the whole difference: before, without the removed,
with the added, is after; (2) a layout compared with itself changes nothing; (3) what either layout does not tell is no
change; (4) no object a partition: columns in, columns out.

What it needs: two layouts. Brokers are compared by id and partitions by topic and id, so they need not hold the same. A
topic of which both tell the id (KIP-516), and not the same, was deleted, and another was created under its name: all
replicas of the one were removed, and all of the other added.

How it works: both layouts are sorted by topic and partition, so a merged numbering of topics makes each row one key,
and rows in common are found by binary search. Only rows whose replica lists differ are compared as sets; ISRs are
compared among replicas that both have, so that a replica that was taken away is told once and not twice.

A tiny example: before ``orders-0: [1, 2], ISR 1, 2``, after ``orders-0: [1, 3], ISR 1``: replica 3 added, replica 2
removed, and no ISR shrank. A broker is gone where it served before and is dead or fenced after, and has left where the
cluster does not name it any more: it holds no replica then. What a text without states names tells nothing of it.

Complexity: O(P R) time and memory where few lists differ, O(P R^2) for small R in the worst case, O(P R log(P R)) else.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from reseat.model import NONE, NOT_TOLD, BoolArray, BrokerState, ClusterLayout, IntArray, Longs
from reseat.model.arrays import holds, newcomers, of_one_width, row_keys, split_keys
from reseat.model.wording import counted, named, verb

__all__ = ["KINDS", "Changes", "changes"]

#: The kinds, in the order in which they are told; ``Changes.kind`` holds positions in it.
KINDS = (
    "broker_gone",
    "leader_moved",
    "isr_shrunk",
    "broker_came",
    "broker_left",
    "isr_grown",
    "replica_added",
    "replica_removed",
    "order_changed",
)


@dataclass(frozen=True, eq=False)
class Changes:
    """n changes as columns, sorted by kind, topic and partition. Arrays are read-only.

    Attributes:
        topics: the topics of both layouts, sorted.
        kind: (n,) int8, position in ``KINDS``.
        topic_of: (n,) int32, position in ``topics``; -1 for brokers.
        partition: (n,) int32 partition id; -1 for brokers.
        broker: (n,) int32 broker id: the one that came or went, joined or left the ISR or the replicas, leads now
            (-1: none does), or is now preferred.
        was: (n,) int32 broker id that led (-1: none did) or was preferred before; -2 for other kinds.
        whole: (n,) bool, whether the replica came or went with its whole partition.
    """

    topics: tuple[str, ...]
    kind: npt.NDArray[np.int8]
    topic_of: IntArray
    partition: IntArray
    broker: IntArray
    was: IntArray
    whole: BoolArray

    def __len__(self) -> int:
        return len(self.kind)

    def rows(self, kind: str) -> Longs:
        """(m,) int64: the rows of one kind."""
        return np.flatnonzero(self.kind == KINDS.index(kind))

    def partitions(self, kind: str) -> int:
        """How many partitions have a change of this kind."""
        return _distinct(self, self.rows(kind))

    @property
    def _partitions_again(self) -> int:
        """How many partitions went and came: those of topics that were deleted and created again."""
        went, came = (
            row_keys(self.topic_of[rows], self.partition[rows])
            for rows in (rows[self.whole[rows]] for rows in map(self.rows, ("replica_removed", "replica_added")))
        )
        return len(np.intersect1d(went, came))

    @property
    def summary(self) -> str:
        """One sentence for a person, such as "3 ISRs shrank, 12 leaders moved, broker 4 went down."."""
        told = [*_brokers(self, "broker_gone", "went down"), *_leaders(self)]
        for kind, what, does in (("isr_shrunk", "ISR", "shrank"), ("isr_grown", "ISR", "grew")):
            number = self.partitions(kind)
            if number:
                told.append(f"{counted(number, what)} {does}")
        told += [*_brokers(self, "broker_came", "came up"), *_brokers(self, "broker_left", "left")]
        if again := self._partitions_again:
            told.append(f"{counted(again, 'partition')} {verb(again, 'was', 'were')} deleted and created again")
        for kind, does, whole in (("replica_added", "added", "created"), ("replica_removed", "removed", "deleted")):
            rows = self.rows(kind)
            with_partition = self.whole[rows]
            alone, together = int((~with_partition).sum()), _distinct(self, rows[with_partition]) - again
            if alone:
                told.append(f"{counted(alone, 'replica')} {verb(alone, 'was', 'were')} {does}")
            if together:
                told.append(f"{counted(together, 'partition')} {verb(together, 'was', 'were')} {whole}")
        reordered = self.partitions("order_changed")
        if reordered:
            told.append(f"{counted(reordered, 'replica list')} changed {verb(reordered, 'its', 'their')} order")
        if not told:
            return "Nothing changed."
        sentence = ", ".join(told)
        return f"{sentence[0].upper()}{sentence[1:]}."


def _distinct(changed: Changes, rows: Longs) -> int:
    keys = row_keys(changed.topic_of[rows], changed.partition[rows])
    return int(np.count_nonzero(np.diff(np.sort(keys), prepend=-1)))


def _brokers(changed: Changes, kind: str, word: str) -> list[str]:
    ids = changed.broker[changed.rows(kind)].tolist()
    return [f"{named('broker', ids)} {word}"] if ids else []


def _leaders(changed: Changes) -> list[str]:
    rows = changed.rows("leader_moved")
    lost, found = changed.broker[rows] == NONE, changed.was[rows] == NONE
    told = []
    if lost.any():
        told.append(f"{counted(int(lost.sum()), 'partition')} lost {verb(int(lost.sum()), 'its', 'their')} leader")
    moved = int((~lost & ~found).sum())
    if moved:
        told.append(f"{counted(moved, 'leader')} moved")
    if found.any():
        number = int(found.sum())
        told.append(f"{counted(number, 'partition')} {verb(number, 'has', 'have')} a leader again")
    return told


def changes(before: ClusterLayout, after: ClusterLayout) -> Changes:
    """What changed from one layout to another of the same cluster.

    Args:
        before: the earlier layout.
        after: the later one.

    Returns:
        The changes, sorted; empty where nothing changed that both layouts tell.
    """
    topics = before.topics if before.topics == after.topics else tuple(sorted({*before.topics, *after.topics}))
    keys_before, keys_after = before.keys_among(topics), after.keys_among(topics)
    rows_before, rows_after = _common(keys_before, keys_after)
    if again := _created_again(before, after):
        same = np.flatnonzero(~after.is_topic(again)[after.topic_of[rows_after]])
        rows_before, rows_after = rows_before[same], rows_after[same]
    found = [*_brokers_changed(before, after)]
    lists_before, lists_after = of_one_width(before.replica_ids[rows_before], after.replica_ids[rows_after])
    differ = np.flatnonzero((lists_before != lists_after).any(axis=1))
    keys = keys_after[rows_after]
    found += _leaders_moved(before, after, rows_before, rows_after, keys)
    found += _replicas_changed(lists_before[differ], lists_after[differ], keys[differ])
    found += _orders_changed(before, after, rows_before[differ], rows_after[differ], keys[differ])
    found += _isr_changed(before, after, rows_before, rows_after, keys)
    for kind, one, other, own, common in (
        ("replica_added", after, before, keys_after, rows_after),
        ("replica_removed", before, after, keys_before, rows_before),
    ):
        rows = np.delete(np.arange(len(own)), common)
        if other.gaps.incomplete:  # what is not there may only be missing from what was read
            rows = rows[one.is_topic(again)[one.topic_of[rows]]]
        found.append(_whole_partitions(kind, one, rows, own))
    return _joined(topics, found)


@dataclass(frozen=True, slots=True, eq=False)
class _Found:
    """Changes of one kind: (n,) keys (-1 for brokers), broker ids, and broker ids before."""

    kind: str
    key: Longs
    broker: IntArray
    was: IntArray | None = None
    whole: bool = False


def _joined(topics: tuple[str, ...], found: list[_Found]) -> Changes:
    counts = [len(one.key) for one in found]
    kind = np.repeat(np.array([KINDS.index(one.kind) for one in found], np.int8), counts)
    whole = np.repeat(np.array([one.whole for one in found], np.bool_), counts)
    key = np.concatenate([one.key for one in found]).astype(np.int64)
    broker = np.concatenate([one.broker for one in found]).astype(np.int32)
    was = np.concatenate(
        [np.full(len(one.key), NOT_TOLD, np.int32) if one.was is None else one.was for one in found]
    ).astype(np.int32)
    order = np.lexsort((broker, key, kind))
    is_broker = key[order] < 0
    topic, partition = split_keys(key[order])
    changed = Changes(
        topics,
        kind=kind[order],
        topic_of=np.where(is_broker, NONE, topic).astype(np.int32),
        partition=np.where(is_broker, NONE, partition).astype(np.int32),
        broker=broker[order],
        was=was[order],
        whole=whole[order],
    )
    for column in (changed.kind, changed.topic_of, changed.partition, changed.broker, changed.was, changed.whole):
        column.flags.writeable = False
    return changed


def _common(before: Longs, after: Longs) -> tuple[Longs, Longs]:
    """The rows of either that hold the same partitions."""
    if len(before) == len(after) and bool((before == after).all()):
        rows = np.arange(len(before))
        return rows, rows
    _, rows_before, rows_after = np.intersect1d(before, after, assume_unique=True, return_indices=True)
    return rows_before, rows_after


def _created_again(before: ClusterLayout, after: ClusterLayout) -> set[str]:
    """The topics of which both tell an id, and not the same one."""
    had, has = before.id_by_topic, after.id_by_topic
    return {name for name in had.keys() & has.keys() if had[name] != has[name]}


def _replicas_changed(before: IntArray, after: IntArray, keys: Longs) -> list[_Found]:
    added, removed = newcomers(before, after), newcomers(after, before)
    return [
        _Found(kind, keys[np.nonzero(mask)[0]], lists[mask])
        for kind, mask, lists in (("replica_added", added, after), ("replica_removed", removed, before))
    ]


def _orders_changed(
    before: ClusterLayout, after: ClusterLayout, rows_before: Longs, rows_after: Longs, keys: Longs
) -> list[_Found]:
    """Lists of the same brokers in another order, where both layouts keep the order."""
    first, second = of_one_width(before.replica_ids[rows_before], after.replica_ids[rows_after])
    told = before.order_told[before.topic_of[rows_before]] & after.order_told[after.topic_of[rows_after]]
    rows = np.flatnonzero(told & (np.sort(first, axis=1) == np.sort(second, axis=1)).all(axis=1))
    return [_Found("order_changed", keys[rows], second[rows, 0], first[rows, 0])] if len(rows) else []


def _leaders_moved(
    before: ClusterLayout, after: ClusterLayout, rows_before: Longs, rows_after: Longs, keys: Longs
) -> list[_Found]:
    was, now = before.leader_ids[rows_before], after.leader_ids[rows_after]
    rows = np.flatnonzero((was != now) & (was != NOT_TOLD) & (now != NOT_TOLD))
    return [_Found("leader_moved", keys[rows], now[rows], was[rows])]


def _isr_changed(
    before: ClusterLayout, after: ClusterLayout, rows_before: Longs, rows_after: Longs, keys: Longs
) -> list[_Found]:
    """Members that left or joined the ISR while they were replicas before and after."""
    if before.in_sync is None or after.in_sync is None:
        return []
    told = before.in_sync_known[rows_before] & after.in_sync_known[rows_after]
    first, second = before.replica_ids[rows_before], after.replica_ids[rows_after]
    was, now = before.in_sync[rows_before], after.in_sync[rows_after]
    alike = first.shape == second.shape
    if alike:  # most partitions are as they were: a comparison of masks leaves few
        told = told & ((first != second) | (was != now)).any(axis=1)
    rows = np.flatnonzero(told)
    first, second, was, now = first[rows], second[rows], was[rows], now[rows]
    in_before, in_after = np.where(was, first, NONE).astype(np.int32), np.where(now, second, NONE).astype(np.int32)
    left = was & (first != NONE) & holds(second, first) & ~holds(in_after, first)
    joined = now & (second != NONE) & holds(first, second) & ~holds(in_before, second)
    return [
        _Found("isr_shrunk", keys[rows][np.nonzero(left)[0]], first[left]),
        _Found("isr_grown", keys[rows][np.nonzero(joined)[0]], second[joined]),
    ]


def _whole_partitions(kind: str, layout: ClusterLayout, rows: Longs, keys: Longs) -> _Found:
    lists = layout.replica_ids[rows]
    here = lists != NONE
    return _Found(kind, keys[rows][np.nonzero(here)[0]], lists[here], whole=True)


def _brokers_changed(before: ClusterLayout, after: ClusterLayout) -> list[_Found]:
    (gone, left), (back, new) = _stopped(before, after), _stopped(after, before)
    return [
        _Found(kind, np.full(len(ids), NONE, np.int64), np.array(sorted(ids), np.int32))
        for kind, ids in (("broker_gone", gone), ("broker_left", left), ("broker_came", back | new))
    ]


def _stopped(some: ClusterLayout, other: ClusterLayout) -> tuple[set[int], set[int]]:
    """Brokers that serve in one layout and are known not to in another: those that are away, and those not named.

    A text without states names a broker only while it holds replicas: that it does not is no sign that it is down.
    """
    named = {broker.id: broker.state for broker in other.brokers}
    serve = {b.id for b in some.brokers if b.state is not BrokerState.NOT_TOLD and not b.state.away}
    tells = any(state is not BrokerState.NOT_TOLD for state in named.values())
    return {one for one in serve if one in named and named[one].away}, serve - named.keys() if tells else set()
