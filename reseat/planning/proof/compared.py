"""Two layouts side by side, for the checker: who receives, leads and counts, what differs, and every fault.

Promises: what is counted is counted from the two layouts alone; nothing here is shared with a planner.

Complexity: O(P R) for P partitions, a column at a time; O(n R^2) for the n rows that differ.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from reseat.balance import without_live_copy
from reseat.model import NONE, BoolArray, Broker, ClusterLayout, IntArray, Longs, Options, Wish
from reseat.model.arrays import counts_on, lists_differ, row_any, row_counts, widened
from reseat.model.units import size
from reseat.model.wording import counted, verb

__all__ = ["Change", "noted", "rack_sum_of_squares"]

#: Faults of one kind that are named one by one; a broken plan of a million partitions needs no million sentences.
_NAMED_FAULTS = 20


@dataclass(eq=False)
class Change:
    """Two layouts over one list of brokers, the rows in which they differ, and the faults found so far.

    n rows differ, in members or in order; W is the wider of the two widths.
    """

    current: ClusterLayout
    proposed: ClusterLayout
    leaving: BoolArray  # (B,) brokers to remove
    targets: BoolArray  # (B,) brokers that count and receive
    leads: BoolArray  # (B,) brokers that may be named first
    leads_after: Longs  # (B,) of a list only those of its lowest number may
    alive: BoolArray  # (B,) brokers that remain and are not known to be dead
    closed: BoolArray  # (B,) brokers that receive nothing and do not count
    rack: Longs | None  # (B,) rack codes; None where no broker has a rack
    regions: tuple[Longs, ...]  # (B,) codes of what racks are in, the coarsest first
    rows: Longs  # (n,)
    before: Longs  # (n, W) positions, -1 padded
    after: Longs  # (n, W)
    load: Longs  # (B,) replicas of the proposed layout
    preferred: Longs  # (B,) preferred leaders of the proposed layout
    pinned: BoolArray  # (P,) partitions that cannot move
    faults: list[str] = field(default_factory=list)

    @classmethod
    def between(
        cls,
        current: ClusterLayout,
        proposed: ClusterLayout,
        remove: tuple[int, ...],
        added: tuple[int, ...] = (),
        *,
        pinned: BoolArray | None = None,
        rules: Options,
    ) -> Change:
        """Lay the two over one list of brokers, and note the faults that no wish can excuse."""
        faults: list[str] = []
        current, proposed = _same_brokers(current, proposed)
        told = current
        current, proposed = _same_partitions(current, proposed, faults)
        stuck = np.zeros(current.partition_count, np.bool_) if pinned is None else pinned[told.rows_of(current)]
        ids = current.broker_ids
        unknown = [broker for broker in remove if current.position(broker) is None]
        faults.extend(f"Broker {broker} is to be removed but is not in the layout." for broker in unknown)
        leaving = np.isin(ids, np.array(remove, np.int64))
        dead, cordoned = current.dead, current.cordoned
        alive = ~leaving & ~dead
        leads = _available(current.brokers, alive & ~cordoned)
        # Where none of those that join is available, these are what is left to move onto.
        joins = np.isin(ids, np.array(added, np.int64))
        closed = cordoned | np.isin(ids, np.array(rules.never_onto, np.int64))
        able = _available(current.brokers, alive & ~closed)
        targets = able if (joins & able).any() else able | (joins & alive & ~closed)
        rows = np.flatnonzero(lists_differ(current.replicas, proposed.replicas))
        width = max(current.replicas.shape[1], proposed.replicas.shape[1], 1)
        change = cls(
            current=current,
            proposed=proposed,
            leaving=leaving,
            targets=targets,
            leads=leads & ~np.isin(ids, np.array(rules.never_leads, np.int64)),
            leads_after=np.array([(*rules.leader_racks, b.rack).index(b.rack) for b in current.brokers], np.int64),
            alive=alive,
            closed=closed,
            rack=_rack_codes(current.brokers),
            regions=_region_codes(current.brokers, rules.rack_levels),
            rows=rows,
            before=widened(current.replicas[rows], width).astype(np.int64),
            after=widened(proposed.replicas[rows], width).astype(np.int64),
            load=counts_on(proposed.replicas, len(ids)),
            preferred=counts_on(proposed.replicas[:, :1], len(ids)),
            pinned=stuck,
            faults=faults,
        )
        change._note_duplicates()
        change._note_left_behind()
        refused = np.append(cordoned, False)[change.after]
        change.note_copies_to(dead, "which is known to be dead", "dead brokers")
        change._note_unmovable(refused)
        failed, whom = closed & current.disk_failed, "brokers that are to receive nothing"
        change.note_copies_to(closed & ~cordoned & ~failed, "which is to receive nothing", whom)
        change.note_copies_to(failed & ~cordoned, "of which a log directory is offline", whom)
        return change

    def __post_init__(self) -> None:
        held, self.goes = self.after != NONE, self.before != NONE
        self.stays: BoolArray = np.zeros(held.shape, np.bool_)
        for column, broker in enumerate(self.before.T):
            same = (self.after == broker[:, None]) & held
            self.stays |= same
            self.goes[:, column] &= ~row_any(same)
        self.comes: BoolArray = held & ~self.stays
        self.members_differ: BoolArray = row_any(self.comes | self.goes)
        self.before_factor: Longs = row_counts(self.before != NONE).astype(np.int64)
        self.after_factor: Longs = row_counts(held).astype(np.int64)
        self.moves = int(np.count_nonzero(self.comes))

    @property
    def resorts(self) -> BoolArray:
        """(B,) whether a broker is a last resort: fenced or shutting down beside others that can receive."""
        return self.alive & ~self.targets & ~self.closed

    @property
    def comes_late(self) -> BoolArray:
        """(n, W) replicas of ``after`` that are copied to a last resort."""
        late: BoolArray = self.comes & self.resorts[self.after]
        return late

    @property
    def left_untouched(self) -> int:
        """Replicas on leaving brokers in rows that do not change though they can (each of them is a fault)."""
        if not self.load[self.leaving].any():
            return 0
        changed = (self.after != NONE) & self.leaving[self.after]
        still = self.pinned.copy()
        still[self.rows] = False
        stuck = np.append(self.leaving, False)[self.current.replicas[still]]
        return int(self.load[self.leaving].sum() - changed.sum() - stuck.sum())

    def name(self, changed: int) -> str:
        """``topic-partition`` of the n-th changed row."""
        return self.current.name_of(int(self.rows[changed]))

    def note(self, at: tuple[Longs, ...], sentence: Callable[..., str], rest: str) -> None:
        """As ``noted``, among the faults of this change."""
        noted(self.faults, at, sentence, rest)

    def require_factor(self, factor: Longs, rows: Longs | None = None) -> None:
        """A fault for each of these rows (n,), or of those that changed, that has not ``factor`` (n,) replicas then."""
        rows = self.rows if rows is None else rows
        found, name = row_counts(self.proposed.replicas[rows] != NONE), self.current.name_of
        self.note(
            np.nonzero(found != factor),
            lambda i: f"{name(int(rows[i]))} would have {counted(int(found[i]), 'replica')}; it must have {factor[i]}.",
            "partitions would have another number of replicas than they must",
        )

    def require_changed(self, wished: BoolArray, factor: int) -> None:
        """A fault for each row of ``wished`` (P,) that did not change and has another number of replicas."""
        name, factors = self.current.name_of, self.current.replication_factor
        waiting = wished & (factors != factor) & ~self.pinned
        waiting[self.rows] = False
        self.note(
            np.nonzero(waiting),
            lambda row: f"{name(row)} would keep {counted(int(factors[row]), 'replica')}; {factor} were requested.",
            "partitions would keep another number of replicas than requested",
        )

    def require_cap(self, cap: int | None) -> None:
        """A fault for each broker that receives more than ``cap`` replicas."""
        ids, got, were = self.current.broker_ids, self.received, verb(cap or 0, "was", "were")
        self.note(
            np.nonzero(got > (got.max(initial=0) if cap is None else cap)),
            lambda at: f"Broker {ids[at]} receives {counted(int(got[at]), 'replica')}; at most {cap} {were} allowed.",
            "brokers receive more than was allowed",
        )

    def require_bytes(self, wish: Wish) -> None:
        """A fault where more bytes are copied than it allows: the largest told replica of a partition, each time."""
        sizes, most = self.current.copy_bytes, wish.options.max_bytes
        if not wish.limits_bytes or most is None or sizes is None:
            return
        total = float(np.nansum(sizes[self.rows] * self.comes.sum(axis=1)))
        if total > most:
            self.faults.append(f"{size(total)} would be copied; at most {size(most)} was allowed.")

    @property
    def received(self) -> Longs:
        """(B,) replicas that each broker receives."""
        return np.bincount(self.after[self.comes], minlength=len(self.leaving))

    def must_stay(self, may_stay: BoolArray) -> BoolArray:
        """(n, W) replicas of ``before`` that a partition may not give up: its leader, and its last in-sync copy.

        Where no leader is told or there is none, the first replica stands for it.
        """
        leader = self.current.leader[self.rows].astype(np.int64)[:, None]
        leads = (self.before == leader) & (leader >= 0) & may_stay
        first = np.zeros_like(may_stay)
        first[:, 0] = may_stay[:, 0]
        fixed = np.where(leads.any(axis=1)[:, None], leads, first)
        synced = self.in_sync_before & may_stay
        fixed |= synced & (synced.sum(axis=1) == 1)[:, None]
        return fixed

    @property
    def in_sync_before(self) -> BoolArray:
        """(n, W) replicas of ``before`` that are told to be in sync."""
        synced = np.zeros(self.before.shape, np.bool_)
        layout = self.current
        if layout.in_sync is not None:
            told = layout.in_sync[self.rows] & layout.in_sync_known[self.rows, None]
            synced[:, : told.shape[1]] = told
        synced &= self.before != NONE
        return synced

    def require_kept(self, fixed: BoolArray) -> None:
        """A fault for each replica of ``fixed`` (n, W) that the plan gives up."""
        ids, given_up = self.current.broker_ids, fixed & self.goes
        why = "which leads it or is its last in-sync copy."
        self.note(
            np.nonzero(given_up),
            lambda i, j: f"{self.name(i)} would lose its replica on broker {ids[self.before[i, j]]}, {why}",
            "replicas that lead, or are the last in-sync copy, would be given up",
        )
        synced = self.in_sync_before
        bare = synced.any(axis=1) & ~(synced & ~self.goes).any(axis=1) & ~given_up.any(axis=1) & fixed.any(axis=1)
        said = "partitions would keep no in-sync copy"
        self.note(np.nonzero(bare), lambda i: f"{self.name(i)} would keep no in-sync copy.", said)

    def _note_duplicates(self) -> None:
        def sentence(row: int) -> str:
            ids = self.proposed.replica_ids[row].tolist()
            twice = next(broker for broker in ids if broker != NONE and ids.count(broker) > 1)
            return f"{self.current.name_of(row)} lists broker {twice} twice."

        self.note((self.proposed.duplicates,), sentence, "partitions list a broker twice")

    def _note_left_behind(self) -> None:
        if not self.load[self.leaving].any():
            return
        left = np.append(self.leaving, False)[self.proposed.replicas]  # padding is -1: the last, which is not leaving
        left[self.pinned] = False
        name, ids = self.current.name_of, self.proposed.replica_ids
        self.note(
            np.nonzero(left),
            lambda row, at: f"{name(row)} still has a replica on broker {ids[row, at]}, to be drained.",
            "replicas are left on brokers to be drained",
        )

    def _note_unmovable(self, refused: BoolArray) -> None:
        """Of lists that name a cordoned broker (n, W) that is said, and nothing else."""
        held = self.pinned[self.rows] & self.members_differ & ~row_any(refused)
        bare = without_live_copy(self.current)[self.rows] if held.any() else held
        self.note(
            np.nonzero(held & bare),
            lambda i: f"{self.name(i)} has no live in-sync replica to copy from, so it cannot move.",
            "partitions have no live in-sync replica to copy from",
        )
        self.note(
            np.nonzero(held & ~bare),
            lambda i: f"{self.name(i)} would change, and is to keep its replica list.",
            "partitions would change, and are to keep their replica lists",
        )
        ids, said = self.current.broker_ids, "which is cordoned: Kafka refuses the list."
        self.note(
            np.nonzero(row_any(refused)),
            lambda i: f"{self.name(i)} would name broker {ids[self.after[i][refused[i]][0]]}, {said}",
            "lists name cordoned brokers",
        )

    def note_copies_to(self, brokers: BoolArray, why: str, whom: str) -> None:
        """A fault for each newcomer on one of these brokers: (B,), or (topics, B) by topic."""
        row, column = np.nonzero(self.comes)
        at = self.after[row, column]
        there = brokers[at] if brokers.ndim == 1 else brokers[self.current.topic_of[self.rows[row]], at]
        ids = self.current.broker_ids
        self.note(
            (row[there], at[there]),
            lambda i, broker: f"{self.name(i)} would be copied to broker {ids[broker]}, {why}.",
            f"replicas would be copied to {whom}",
        )


def noted(faults: list[str], at: tuple[Longs, ...], sentence: Callable[..., str], rest: str) -> None:
    """Add a fault for each place, told by its indices; beyond ``_NAMED_FAULTS`` only how many more there are."""
    faults.extend(sentence(*one) for one in zip(*(axis[:_NAMED_FAULTS].tolist() for axis in at), strict=True))
    if at[0].size > _NAMED_FAULTS:
        faults.append(f"{at[0].size - _NAMED_FAULTS:,} more {rest}.")


def _available(brokers: tuple[Broker, ...], alive: BoolArray) -> BoolArray:
    """(B,) those of ``alive`` that are not fenced or shutting down; all of them where each one is."""
    well = alive & np.array([not broker.state.unavailable for broker in brokers], np.bool_)
    return well if well.any() else alive


def _same_brokers(current: ClusterLayout, proposed: ClusterLayout) -> tuple[ClusterLayout, ClusterLayout]:
    """Both over all brokers of either, in one order; what the current layout says of a broker holds."""
    if np.array_equal(current.broker_ids, proposed.broker_ids):
        return current, proposed
    merged: dict[int, Broker] = {b.id: b for b in (*proposed.brokers, *current.brokers)}
    return current.with_brokers(merged.values()), proposed.with_brokers(merged.values())


def _same_partitions(
    current: ClusterLayout, proposed: ClusterLayout, faults: list[str]
) -> tuple[ClusterLayout, ClusterLayout]:
    """Both over the partitions that both have; the others are faults."""
    if (
        current.topics == proposed.topics
        and np.array_equal(current.topic_of, proposed.topic_of)
        and np.array_equal(current.partition, proposed.partition)
    ):
        return current, proposed
    strange, missing = current.rows_of(proposed) < 0, proposed.rows_of(current) < 0
    for layout, rows, where in ((proposed, strange, "in the layout"), (current, missing, "in the plan")):
        name, said = layout.name_of, f"is not {where}"
        noted(
            faults,
            np.nonzero(rows),
            lambda row, name=name, said=said: f"{name(row)} {said}.",
            f"partitions: each {said}",
        )
    return current.select(~missing), proposed.select(~strange)


def _rack_codes(brokers: tuple[Broker, ...]) -> Longs | None:
    """(B,) a code for each broker's rack; a broker without one is a rack of its own; None where none has one."""
    names = sorted({b.rack for b in brokers if b.rack is not None})
    if not names:
        return None
    code = {name: i for i, name in enumerate(names)}
    return np.array([len(names) + i if b.rack is None else code[b.rack] for i, b in enumerate(brokers)], np.int64)


def _region_codes(brokers: tuple[Broker, ...], separators: tuple[str, ...]) -> tuple[Longs, ...]:
    """(B,) codes of the regions of racks, level by level; a rack that names fewer levels is alone in those it lacks."""
    parts = []
    for at, broker in enumerate(brokers):
        name = f"\0{at}" if broker.rack is None else broker.rack
        for one in separators:
            name = name.replace(one, "\1")
        parts.append(name.split("\1"))
    out = []
    for depth in range(1, max(map(len, parts), default=1)):
        heads = ["\1".join(one[:depth]) + "\2" * (len(one) <= depth) for one in parts]
        names = sorted(set(heads))
        out.append(np.array([names.index(head) for head in heads], np.int64))
    return tuple(out)


def rack_sum_of_squares(replicas: IntArray, rack: Longs | None) -> int | None:
    """The square of a partition's replicas in a rack, summed: each replica once, each pair in one rack twice."""
    if rack is None:
        return None
    codes = np.append(rack, -1).astype(np.int32)  # padding is -1: the last
    columns = [codes[replicas[:, column]] for column in range(replicas.shape[1])]
    total = sum(int(np.count_nonzero(column >= 0)) for column in columns)
    for right in range(1, len(columns)):
        held = columns[right] >= 0
        for left in range(right):
            total += 2 * int(np.count_nonzero((columns[left] == columns[right]) & held))
    return total
