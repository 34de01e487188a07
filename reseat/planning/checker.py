"""The independent checker: what is true of a plan, decided from the two layouts alone.

Promises
    1. Faults: duplicates, changed replication factors, replicas left behind, unknown partitions and brokers, copies to
       dead brokers; each names the partition and the broker.
    2. The numbers of the certificate, counted anew from the layouts.
    3. For each objective whether this plan reaches the best, objectives taken in their order. A flag is True only
       where that is proven; False means "not the best, or not proven".

Needs
    Two layouts of the same partitions, the wish, numpy; no solver, and no code that a solver uses. Layouts without a
    reassignment under way (``layout.target()``) and without duplicate replicas.

How it works
    *Moves.* Every replica on a leaving broker must move, so their count is a lower bound on moves.
    *Racks, replicas, leaders.* By exchange: a plan is the best where no chain of single exchanges improves it, which is
    a search in a graph of brokers (see ``reseat.planning.proofs``). A replica may be exchanged where it was a choice: a
    newcomer could sit on any broker that stays, is not known to be dead and does not hold the partition; a leader
    could be any live member of its list.
    Sums of squares run over the brokers that remain and are not known to be dead, also empty ones.

Example:
    ``{0: [0,2], 1: [1,0], 2: [2,1], 3: [0,1]}``, broker 1 out, proposed ``{0: [0,2], 1: [2,0], 2: [2,0], 3: [0,2]}``:
    three replicas sat on broker 1 and three moved: least. Brokers 0 and 2 hold 4 each: least. They are preferred by 2
    partitions each: least.

Complexity
    P partitions, R replicas each, n changed ones, B brokers: O(P R) for the counts, O(n B + B^2) for the proofs.

Source
    The objectives and their order are those of ``reseat.planning.remove``; the arguments stand in ``proofs``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from reseat.model import NONE, BoolArray, Broker, BrokerState, ClusterLayout, IntArray
from reseat.planning.proofs import (
    Choice,
    Relocation,
    exchanges,
    least_reachable,
    maximum_is_least,
    no_cheaper_rearrangement,
    relocations,
)

__all__ = ["BALANCE_SENTENCE", "Verdict", "check_addition", "check_removal", "check_replication_factor"]

IndexArray = npt.NDArray[np.int64]

#: How the sentence about replica balance begins.
BALANCE_SENTENCE = "Fullest and emptiest broker are"
#: Faults of one kind that are named one by one; a broken plan of a million partitions needs no million sentences.
_NAMED_FAULTS = 20
#: Up to this many replicas a list, comparing columns in pairs is faster than sorting rows.
_WIDE = 12
#: Rows of the (rows, replicas, joining brokers) tables that are held at a time.
_ROWS_AT_ONCE = 1 << 14
#: Rows of the columns that are held at a time: 2 MB a column.
_ROWS_OF_COLUMNS = 1 << 18
#: A load that no broker has.
_FAR = 1 << 40


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """What the checker found of a plan.

    A number that cannot be counted (racks where no broker has one) is None. ``*_proven`` says that no plan for the
    same wish does better, objectives in their order; leaders are proven for the replica sets of this plan. With a
    fault nothing is proven.

    Attributes:
        faults: why the plan must not be carried out, one sentence each, naming partition and broker.
        moves: replicas that are copied to a broker that did not hold the partition.
        least_moves: the fewest that any plan for the wish needs, or None where it is not known.
        moves_proven: whether ``moves`` is that number.
        rack_sum_of_squares: over all partitions and racks of the proposed layout, the square of the partition's
            replicas in the rack; None where no broker has a rack.
        rack_proven: whether it is the least among plans with the fewest moves.
        replica_sum_of_squares: over remaining live brokers, the square of their replicas.
        replicas_proven: whether it is the least among those.
        replica_spread: fullest minus emptiest remaining live broker, in replicas.
        leader_sum_of_squares: the same of preferred leaders.
        leaders_proven: whether it is the least over all orders of the changed partitions' lists.
        leader_spread: fullest minus emptiest remaining live broker, in preferred leaders.
        changed_preferred_leaders: partitions whose first replica differs.
        changed_leaders_proven: whether that is the fewest among those orders.
        sentences: the same for a person.
    """

    faults: tuple[str, ...]
    moves: int
    least_moves: int | None
    moves_proven: bool
    rack_sum_of_squares: int | None
    rack_proven: bool
    replica_sum_of_squares: int
    replicas_proven: bool
    replica_spread: int
    leader_sum_of_squares: int
    leaders_proven: bool
    leader_spread: int
    changed_preferred_leaders: int
    changed_leaders_proven: bool
    sentences: tuple[str, ...]

    @property
    def valid(self) -> bool:
        """Whether the plan may be carried out at all."""
        return not self.faults


def check_removal(
    current: ClusterLayout,
    proposed: ClusterLayout,
    remove: Iterable[int],
    *,
    receive_cap: int | None = None,
    reorder_all: bool = False,
    allow_rf_change: bool = False,
) -> Verdict:
    """Judge a plan that takes brokers out; with none to remove, one that needed no change.

    Args:
        current: the layout planned on.
        proposed: the same partitions with other replica lists; brokers that only it has are further targets.
        remove: ids of the brokers that shall hold nothing afterwards.
        receive_cap: the most replicas that one broker may receive; more is a fault.
        reorder_all: whether unchanged partitions may be reordered too.
        allow_rf_change: whether partitions may have another number of replicas than before; then the plan's own
            numbers are what is wished, and more replicas come with the first one kept.

    Returns:
        The verdict. Where a list holds a live broker, an order that puts a dead one first is never proven.
    """
    change = _Change.between(current, proposed, tuple(remove))
    factor = change.before_factor
    if allow_rf_change:
        factor = change.after_factor
    else:
        change.require_factor(factor)
    change.require_cap(receive_cap)
    choice = _choices(change, factor)
    keeps_first = (factor > change.before_factor) & change.first_may_stay
    if not change.leaving.any():
        # Nothing had to change: what the plan reordered is what it wanted to reorder.
        order = _Order(free=~keeps_first, bound=keeps_first)
    else:
        free = change.members_differ & ~keeps_first
        order = _Order(free=free, bound=~free)
    return _verdict(change, choice, order, receive_cap=receive_cap, reorder_all=reorder_all)


def check_replication_factor(
    current: ClusterLayout,
    proposed: ClusterLayout,
    topics: Iterable[str],
    factor: int,
    *,
    receive_cap: int | None = None,
) -> Verdict:
    """Judge a plan that gives the partitions of some topics another number of replicas.

    Args:
        current: the layout planned on.
        proposed: the same partitions with other replica lists.
        topics: names of the topics whose partitions shall have ``factor`` replicas.
        factor: that number, at least 1.
        receive_cap: the most replicas that one broker may receive; more is a fault.

    Returns:
        The verdict. Upwards the replicas there stay and the first one stays first, so that no preferred leader
        changes. Downwards the leader stays (the first replica where none is told), and so does the last in-sync copy;
        with equal racks replicas on dead brokers go before live ones, ahead of replica counts.
    """
    change = _Change.between(current, proposed, ())
    names = frozenset(topics)
    change.faults.extend(f"Topic {name} is not in the layout." for name in sorted(names - {*current.topics}))
    wished = np.array([name in names for name in change.current.topics], np.bool_)
    ours = wished[change.current.topic_of[change.rows]]
    factors = np.where(ours, factor, change.before_factor)
    change.require_factor(factors)
    change.require_cap(receive_cap)
    change.require_changed(wished[change.current.topic_of], factor)
    choice = _choices(change, factors)
    shrinks = factors < change.before_factor
    return _verdict(change, choice, _Order(free=shrinks, bound=~shrinks), receive_cap=receive_cap)


def check_addition(
    current: ClusterLayout,
    proposed: ClusterLayout,
    added: Iterable[int],
    *,
    max_moves: int | None = None,
    receive_cap: int | None = None,
    reorder_all: bool = False,
) -> Verdict:
    """Judge a plan that evens replicas by moves onto added brokers alone.

    Args:
        current: the layout planned on, the added brokers in it or only in ``proposed``.
        proposed: the same partitions with other replica lists.
        added: ids of the brokers that join.
        max_moves: where given, the aim is the least sum of squares with at most so many moves, and fewest moves are
            not judged.
        receive_cap: the most replicas that one broker may receive; more is a fault.
        reorder_all: whether unchanged partitions may be reordered too.

    Returns:
        The verdict. ``rack_proven`` says that no partition's sum of squares over racks rises; ``moves_proven`` that no
        such plan has a smaller spread, nor this spread with fewer moves; ``replicas_proven`` that none of those has
        a smaller sum of squares. Plans that move replicas elsewhere are valid, and not proven.
    """
    change = _Change.between(current, proposed, ())
    ids = tuple(added)
    change.faults.extend(
        f"Broker {broker} shall be added but is in neither layout." for broker in ids if not change.knows(broker)
    )
    change.require_factor(change.before_factor)
    change.require_cap(receive_cap)
    joins = np.isin(change.current.broker_ids, np.array(ids, np.int64))
    growth = _Growth.of(change, joins)
    racks = not change.faults and growth.racks_hold
    moves = replicas = False
    if racks and growth.onto_joining_only:
        full = np.zeros(len(joins), np.bool_) if receive_cap is None else joins & (change.received >= receive_cap)
        moves, replicas = _growth_proven(change, joins, growth.edges(change), full, max_moves)
    free = change.members_differ
    leaders, fewest = _leaders_proven(change, _Order(free=free, bound=~free), reorder_all=reorder_all)
    return _counted(
        change,
        least_moves=change.moves if moves else None,
        moves_proven=moves,
        racks=racks,
        replicas=replicas,
        leaders=leaders,
        fewest=fewest,
    )


# ---- the two layouts, side by side ---------------------------------------------------------------------------


@dataclass(eq=False)
class _Change:
    """Two layouts over one list of brokers, the rows in which they differ, and the faults found so far.

    n rows differ, in members or in order; W is the wider of the two widths.
    """

    current: ClusterLayout
    proposed: ClusterLayout
    leaving: BoolArray  # (B,) brokers to remove
    targets: BoolArray  # (B,) brokers that remain and are not known to be dead
    rack: IndexArray | None  # (B,) rack codes; None where no broker has a rack
    rows: IndexArray  # (n,)
    before: IndexArray  # (n, W) positions, -1 padded
    after: IndexArray  # (n, W)
    load: IndexArray  # (B,) replicas of the proposed layout
    preferred: IndexArray  # (B,) preferred leaders of the proposed layout
    faults: list[str] = field(default_factory=list)

    @classmethod
    def between(cls, current: ClusterLayout, proposed: ClusterLayout, remove: tuple[int, ...]) -> _Change:
        """Lay the two over one list of brokers, and note the faults that no wish can excuse."""
        faults: list[str] = []
        current, proposed = _same_brokers(current, proposed)
        current, proposed = _same_partitions(current, proposed, faults)
        ids = current.broker_ids
        unknown = [broker for broker in remove if current.position(broker) is None]
        faults.extend(f"Broker {broker} shall be removed but is not in the layout." for broker in unknown)
        leaving = np.isin(ids, np.array(remove, np.int64))
        dead = np.array([b.state is BrokerState.DEAD for b in current.brokers], np.bool_)
        rows = _differing_rows(current.replicas, proposed.replicas)
        width = max(current.replicas.shape[1], proposed.replicas.shape[1], 1)
        change = cls(
            current=current,
            proposed=proposed,
            leaving=leaving,
            targets=~leaving & ~dead,
            rack=_rack_codes(current.brokers),
            rows=rows,
            before=_widened(current.replicas[rows], width),
            after=_widened(proposed.replicas[rows], width),
            load=_counts(proposed.replicas, len(ids)),
            preferred=_counts(proposed.replicas[:, :1], len(ids)),
            faults=faults,
        )
        change._note_duplicates()
        change._note_left_behind()
        change._note_copies_to_the_dead(dead)
        return change

    def __post_init__(self) -> None:
        same = self.after[:, :, None] == self.before[:, None, :]
        held = self.after != NONE
        self.stays: BoolArray = held & same.any(axis=2)
        self.comes: BoolArray = held & ~self.stays
        self.goes: BoolArray = (self.before != NONE) & ~same.any(axis=1)
        self.members_differ: BoolArray = (self.comes | self.goes).any(axis=1)
        self.before_factor: IndexArray = (self.before != NONE).sum(axis=1)
        self.after_factor: IndexArray = held.sum(axis=1)
        self.moves = int(self.comes.sum())

    def knows(self, broker: int) -> bool:
        """Whether either layout has the broker."""
        return self.current.position(broker) is not None

    @property
    def first_may_stay(self) -> BoolArray:
        """(n,) whether the first replica before is on a broker that stays."""
        first = self.before[:, 0]
        may: BoolArray = (first != NONE) & ~self.leaving[first]
        return may

    @property
    def left_untouched(self) -> int:
        """Replicas on leaving brokers in rows that do not change (each of them is a fault)."""
        if not self.load[self.leaving].any():
            return 0
        changed = (self.after != NONE) & self.leaving[self.after]
        return int(self.load[self.leaving].sum() - changed.sum())

    def name(self, changed: int) -> str:
        """``topic-partition`` of the n-th changed row."""
        return self.current.name_of(int(self.rows[changed]))

    def note(self, sentences: Iterable[str], count: int, rest: str) -> None:
        """Add faults of one kind; beyond ``_NAMED_FAULTS`` only how many more there are."""
        for number, sentence in enumerate(sentences):
            if number == _NAMED_FAULTS:
                self.faults.append(f"{count - _NAMED_FAULTS:,} more {rest}.")
                return
            self.faults.append(sentence)

    def require_factor(self, factor: IndexArray) -> None:
        """A fault for each changed row whose proposed list is not ``factor`` long; (n,) int."""
        found = self.after_factor
        wrong = np.flatnonzero(found != factor)
        self.note(
            (
                f"{self.name(i)} would have {_replicas(int(found[i]))}; it must have {int(factor[i])}."
                for i in wrong.tolist()
            ),
            len(wrong),
            "partitions would have another number of replicas than they must",
        )

    def require_changed(self, wished: BoolArray, factor: int) -> None:
        """A fault for each row of ``wished`` (P,) that did not change and has another number of replicas."""
        waiting = wished & (self.current.replication_factor != factor)
        waiting[self.rows] = False
        rows = np.flatnonzero(waiting)
        factors = self.current.replication_factor
        self.note(
            (
                f"{self.current.name_of(row)} would keep {_replicas(int(factors[row]))}; {factor} were wished for."
                for row in rows.tolist()
            ),
            len(rows),
            "partitions would keep another number of replicas than was wished for",
        )

    def require_cap(self, cap: int | None) -> None:
        """A fault for each broker that receives more than ``cap`` replicas."""
        if cap is None:
            return
        received = self.received
        over = np.flatnonzero(received > cap)
        self.note(
            (
                f"Broker {self.current.brokers[at].id} receives {_replicas(int(received[at]))}; "
                f"at most {cap} were allowed."
                for at in over.tolist()
            ),
            len(over),
            "brokers receive more than was allowed",
        )

    @property
    def received(self) -> IndexArray:
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
        row, column = np.nonzero(fixed & self.goes)
        self.note(
            (
                f"{self.name(i)} would lose its replica on broker {self.current.brokers[int(self.before[i, j])].id}, "
                "which leads it or is its last in-sync copy."
                for i, j in zip(row.tolist(), column.tolist(), strict=True)
            ),
            len(row),
            "replicas that lead, or are the last in-sync copy, would be given up",
        )
        synced = self.in_sync_before
        bare = synced.any(axis=1) & ~(synced & ~self.goes).any(axis=1) & ~(fixed & self.goes).any(axis=1)
        bare &= fixed.any(axis=1)
        self.note(
            (f"{self.name(i)} would keep no in-sync copy." for i in np.flatnonzero(bare).tolist()),
            int(bare.sum()),
            "partitions would keep no in-sync copy",
        )

    def _note_duplicates(self) -> None:
        rows = np.flatnonzero(_has_duplicate(self.proposed.replicas))

        def sentences() -> Iterable[str]:
            for row in rows.tolist():
                ids = self.proposed.replica_ids[row]
                twice = next(int(i) for i in ids if i != NONE and (ids == i).sum() > 1)
                yield f"{self.current.name_of(row)} lists broker {twice} twice."

        self.note(sentences(), len(rows), "partitions list a broker twice")

    def _note_left_behind(self) -> None:
        if not self.load[self.leaving].any():
            return
        left_row, left_column = np.nonzero(
            np.append(self.leaving, False)[self.proposed.replicas]  # padding is -1: the last, which is not leaving
        )
        ids = self.proposed.replica_ids
        self.note(
            (
                f"{self.current.name_of(row)} still has a replica on broker {int(ids[row, column])}, which leaves."
                for row, column in zip(left_row.tolist(), left_column.tolist(), strict=True)
            ),
            len(left_row),
            "replicas are left on brokers that leave",
        )

    def _note_copies_to_the_dead(self, dead: BoolArray) -> None:
        row, column = np.nonzero(self.comes & dead[self.after])
        self.note(
            (
                f"{self.name(i)} would be copied to broker {self.current.brokers[int(self.after[i, j])].id}, "
                "which is known to be dead."
                for i, j in zip(row.tolist(), column.tolist(), strict=True)
            ),
            len(row),
            "replicas would be copied to dead brokers",
        )


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
    names = sorted({*current.topics, *proposed.topics})
    code = {name: i for i, name in enumerate(names)}

    def keys(layout: ClusterLayout) -> IndexArray:
        topic = np.array([code[name] for name in layout.topics], np.int64)
        return (topic[layout.topic_of] << 32) | layout.partition

    here, there = keys(current), keys(proposed)
    strange, missing = np.flatnonzero(~np.isin(there, here)), np.flatnonzero(~np.isin(here, there))
    for layout, rows, why in ((proposed, strange, "is not in the layout"), (current, missing, "is not in the plan")):
        faults.extend(f"{layout.name_of(row)} {why}." for row in rows[:_NAMED_FAULTS].tolist())
        if len(rows) > _NAMED_FAULTS:
            faults.append(f"{len(rows) - _NAMED_FAULTS:,} more partitions: each {why}.")
    return current.select(np.isin(here, there)), proposed.select(np.isin(there, here))


def _rack_codes(brokers: tuple[Broker, ...]) -> IndexArray | None:
    """(B,) a code for each broker's rack; a broker without one is a rack of its own; None where none has one."""
    names = sorted({b.rack for b in brokers if b.rack is not None})
    if not names:
        return None
    code = {name: i for i, name in enumerate(names)}
    return np.array([len(names) + i if b.rack is None else code[b.rack] for i, b in enumerate(brokers)], np.int64)


# ---- passes over all partitions: a column at a time, since reducing over short rows is ten times slower ------


def _differing_rows(before: IntArray, after: IntArray) -> IndexArray:
    """(n,) rows whose lists differ in any way, ascending."""
    shared = min(before.shape[1], after.shape[1])
    differs = np.zeros(len(before), np.bool_)
    for column in range(shared):
        differs |= before[:, column] != after[:, column]
    wider = before if before.shape[1] > shared else after
    for column in range(shared, wider.shape[1]):
        differs |= wider[:, column] != NONE
    return np.flatnonzero(differs)


def _has_duplicate(replicas: IntArray) -> BoolArray:
    """(P,) whether a broker occurs twice in the list."""
    if replicas.shape[1] > _WIDE:
        ordered = np.sort(replicas, axis=1)
        found: BoolArray = ((ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] != NONE)).any(axis=1)
        return found
    twice = np.zeros(len(replicas), np.bool_)
    for right in range(1, replicas.shape[1]):
        for left in range(right):
            twice |= (replicas[:, left] == replicas[:, right]) & (replicas[:, right] != NONE)
    return twice


def _counts(replicas: IntArray, brokers: int) -> IndexArray:
    """(B,) how often each broker occurs."""
    return np.bincount(replicas.ravel() + 1, minlength=brokers + 1)[1:]


def _rack_sum_of_squares(replicas: IntArray, rack: IndexArray | None) -> int | None:
    """The square of a partition's replicas in a rack, summed: each replica once, each pair in one rack twice."""
    if rack is None:
        return None
    codes = np.append(rack, -1).astype(np.int32)  # padding is -1: the last
    if replicas.shape[1] > _WIDE:
        row, column = np.nonzero(replicas != NONE)
        _, held = np.unique(row * np.int64(len(codes) * 2) + codes[replicas[row, column]], return_counts=True)
        return int((held**2).sum())
    columns = [codes[replicas[:, column]] for column in range(replicas.shape[1])]
    total = sum(int(np.count_nonzero(column >= 0)) for column in columns)
    for right in range(1, len(columns)):
        held = columns[right] >= 0
        for left in range(right):
            total += 2 * int(np.count_nonzero((columns[left] == columns[right]) & held))
    return total


def _rack_squares(lists: IndexArray, rack: IndexArray | None) -> IndexArray:
    """(n,) the square of the partition's replicas in a rack, summed; 0 where racks do not count."""
    if rack is None:
        return np.zeros(len(lists), np.int64)
    codes = np.append(rack, -1)[lists]
    held = lists != NONE
    same: IndexArray = ((codes[:, :, None] == codes[:, None, :]) & held[:, :, None] & held[:, None, :]).sum(axis=(1, 2))
    return same


def _widened(lists: IntArray, width: int) -> IndexArray:
    padded = np.full((len(lists), width), NONE, np.int64)
    padded[:, : lists.shape[1]] = lists
    return padded


# ---- proofs ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Choices:
    """What the wish left open, row by row of the change.

    Attributes:
        least_moves: copies that no plan for the wish can do without.
        complete: whether the plan keeps every replica that it may keep.
        grows: choices of newcomers.
        shrinks: choices of which replicas stay where a partition gives some up; None where none does.
    """

    least_moves: int
    complete: bool
    grows: Choice
    shrinks: Choice | None


@dataclass(frozen=True, eq=False)
class _Order:
    """Changed rows whose lists the wish lets be ordered anew, and those whose first replica it lets stay; (n,) bool."""

    free: BoolArray
    bound: BoolArray


def _choices(change: _Change, factor: IndexArray) -> _Choices:
    """What each changed row had to choose, where it must end with ``factor`` (n,) replicas."""
    may_stay = (change.before != NONE) & ~change.leaving[change.before]
    needed = factor - may_stay.sum(axis=1)
    shrinks = needed < 0
    kept_all = (may_stay & ~change.goes).sum(axis=1) == may_stay.sum(axis=1)
    rack = np.zeros(len(change.targets), np.int64) if change.rack is None else change.rack
    some = change.comes.any(axis=1) & ~shrinks
    after, before = change.after, change.before
    grows = Choice(
        kept=np.where(change.stays, after, NONE)[some],
        chosen=np.where(change.comes, after, NONE)[some],
        others=None,
        targets=change.targets,
        rack=rack,
    )
    fewer: Choice | None = None
    if shrinks.any():
        fixed = change.must_stay(may_stay)
        change.require_kept(fixed & shrinks[:, None])
        rest = may_stay & ~fixed
        fewer = Choice(
            kept=np.where(fixed, before, NONE)[shrinks],
            chosen=np.where(rest & ~change.goes, before, NONE)[shrinks],
            others=np.where(rest & change.goes, before, NONE)[shrinks],
            targets=change.targets,
            rack=rack,
        )
    return _Choices(
        least_moves=int(needed.clip(min=0).sum()) + change.left_untouched,
        complete=bool(kept_all[~shrinks].all()),
        grows=grows,
        shrinks=fewer,
    )


def _balance_proven(change: _Change, choices: _Choices, receive_cap: int | None) -> tuple[bool, bool]:
    """Whether racks, and then replica counts, are at their least over the choices that this plan had.

    With a cap the rack terms are proven only where they reach what each partition could reach without it: that is the
    least of all the more.
    """
    found = exchanges(choices.grows)
    edges, least = found.edges, bool(found.racks_least.all())
    if choices.shrinks is not None:
        found = exchanges(choices.shrinks)
        edges = edges | found.edges
        least = least and bool(found.racks_least.all())
    if not least:
        return False, False
    ends = change.targets if receive_cap is None else change.targets & (change.received < receive_cap)
    reach = least_reachable(edges, change.load, ends, unreached=_FAR)
    # A replica that stays on a dead broker while a live one goes: no balance makes up for that.
    spared_dead = (reach[~change.targets] < _FAR).any()
    return True, bool((change.load - reach <= 1)[change.targets].all()) and not spared_dead


@dataclass(frozen=True, eq=False)
class _Growth:
    """What a plan passed on to brokers that join.

    Attributes:
        joins: (B,) brokers that join.
        gives: (B,) brokers that may give: they do not join and are not known to be dead.
        racks_hold: whether no changed partition's sum of squares over racks rises.
        onto_joining_only: whether replicas went from ``gives`` to ``joins`` and nowhere else.
    """

    joins: BoolArray
    gives: BoolArray
    racks_hold: bool
    onto_joining_only: bool

    @classmethod
    def of(cls, change: _Change, joins: BoolArray) -> _Growth:
        """What ``change`` passed on."""
        gives = change.targets & ~joins
        onto = bool(joins[change.after[change.comes]].all() and gives[change.before[change.goes]].all())
        before, after = _rack_squares(change.before, change.rack), _rack_squares(change.after, change.rack)
        return cls(joins, gives, racks_hold=bool((after <= before).all()), onto_joining_only=onto)

    def edges(self, change: _Change) -> BoolArray:
        """(B, B) ways to pass one unit of load on, over all partitions; at least those that the wish allows."""
        brokers = len(self.joins)
        edges = np.zeros((brokers, brokers), np.bool_)
        joining = np.flatnonzero(self.joins)
        if not joining.size:
            return edges
        rack = np.zeros(brokers, np.int64) if change.rack is None else change.rack
        holders = np.where(self.gives[change.before] & (change.before != NONE), change.before, NONE)
        for first in range(0, len(change.rows), _ROWS_AT_ONCE):
            rows = slice(first, first + _ROWS_AT_ONCE)
            allowed = _allowed(change.before[rows], holders[rows], rack, joining)
            edges |= relocations(
                Relocation(
                    holders=holders[rows],
                    taker=_paired(change.goes[rows], change.comes[rows], change.after[rows], allowed, joining),
                    members=change.after[rows],
                    joining=joining,
                    allowed=allowed,
                ),
                brokers,
            )
        still = np.ones(change.current.partition_count, np.bool_)
        still[change.rows] = False
        replicas = change.current.replicas
        for first in range(0, len(still), _ROWS_OF_COLUMNS):
            rows = slice(first, first + _ROWS_OF_COLUMNS)
            lists = replicas[rows] if still[rows].all() else replicas[rows][still[rows]]
            self._add_first_steps(edges, lists, rack, joining)
        return edges

    def _add_first_steps(self, edges: BoolArray, lists: IntArray, rack: IndexArray, joining: IndexArray) -> None:
        """Add what partitions that passed nothing on could pass on; as ``_allowed``, a column at a time."""
        codes, gives = np.append(rack, -1), np.append(self.gives, False)
        columns = [lists[:, at].astype(np.int64) for at in range(lists.shape[1])]
        held = [codes[column] for column in columns]
        able = [gives[column] for column in columns]
        nothing = np.zeros(len(lists), np.int64)
        here = [sum(((other == own) for other in held), nothing) for own in held]
        there = {code: sum(((own == code) for own in held), nothing) for code in np.unique(rack[joining]).tolist()}
        emptiest = np.minimum.reduce(list(there.values()))
        uneven = np.zeros(len(lists), np.bool_)
        for may, count in zip(able, here, strict=True):
            uneven |= may & (count > emptiest + 1)
        # Joining brokers of one rack that hold none of these partitions are alike.
        holding = np.zeros(len(rack) + 1, np.bool_)
        for column in columns:
            holding[column] = True
        alone = holding[joining]
        groups = [(code, joining[~alone & (rack[joining] == code)]) for code in there]
        groups += [(int(rack[broker]), np.array([broker])) for broker in joining[alone].tolist()]
        for code, brokers in groups:
            if not brokers.size:
                continue
            free = np.ones(len(lists), np.bool_)
            if holding[brokers[0]]:
                for column in columns:
                    free &= column != brokers[0]
            found = np.zeros(len(rack), np.bool_)
            for column, own, may, count in zip(columns, held, able, here, strict=True):
                passes = free & may & ((own == code) | (count == there[code] + 1) | uneven)
                found |= np.bincount(column[passes], minlength=len(rack)).astype(np.bool_)
            edges[np.ix_(found, brokers)] = True


def _allowed(lists: IndexArray, holders: IndexArray, rack: IndexArray, joining: IndexArray) -> BoolArray:
    """(n, R, N) whether racks let a replica go there; for partitions that are uneven over racks, always.

    Let m be the replicas that a partition has in a rack. Where m(r) <= m(s) + 1 for every rack r that can give and
    every rack s that can take, each replica that goes from r to s adds at least 2 (m(s) - m(r) + 1) >= 0 to the sum of
    squares, so that in a plan that does not raise it all stay in their rack or have m(r) = m(s) + 1. Where that does
    not hold, one replica may make up for another, and all are let go anywhere.
    """
    codes = np.append(rack, -1)
    held, mine = codes[lists], codes[holders]
    here = (held[:, :, None] == held[:, None, :]).sum(axis=2)
    target = rack[joining]
    there = (held[:, :, None] == target).sum(axis=1)
    gives = holders != NONE
    allowed: BoolArray = (mine[:, :, None] == target) | (here[:, :, None] == there[:, None, :] + 1)
    uneven = np.where(gives, here, 0).max(axis=1, initial=0) > there.min(axis=1, initial=_FAR) + 1
    allowed |= uneven[:, None, None]
    allowed &= gives[:, :, None]
    return allowed


def _paired(
    goes: BoolArray, comes: BoolArray, after: IndexArray, allowed: BoolArray, joining: IndexArray
) -> IndexArray:
    """(n, R) for each replica that goes the broker that took it over, -1 for those that stayed.

    Any pairs that are allowed will do: those of another pairing are reached from it by chains of load zero.
    """
    taker = np.full(goes.shape, NONE, np.int64)
    count = goes.sum(axis=1)
    one = np.flatnonzero(count == 1)
    taker[one, goes[one].argmax(axis=1)] = after[one, comes[one].argmax(axis=1)]
    number = np.searchsorted(joining, after)
    for row in np.flatnonzero(count > 1).tolist():
        leaving, coming = np.flatnonzero(goes[row]).tolist(), np.flatnonzero(comes[row]).tolist()
        options = {i: [j for j in coming if allowed[row, i, number[row, j]]] for i in leaving}
        for i, j in _matched(options).items():
            taker[row, i] = after[row, j]
    return taker


def _matched(options: dict[int, list[int]]) -> dict[int, int]:
    """Pair each key with one of its options, none twice, as far as it goes (augmenting paths; few keys)."""
    holder: dict[int, int] = {}

    def placed(key: int, seen: set[int]) -> bool:
        for option in options[key]:
            if option not in seen:
                seen.add(option)
                if option not in holder or placed(holder[option], seen):
                    holder[option] = key
                    return True
        return False

    for key in options:
        placed(key, set())
    return {key: option for option, key in holder.items()}


def _growth_proven(
    change: _Change, joins: BoolArray, edges: BoolArray, full: BoolArray, max_moves: int | None
) -> tuple[bool, bool]:
    """Whether spread and then moves are least, and then the sum of squares; with ``max_moves`` the latter alone."""
    load, counted = change.load, change.targets
    if not counted.any():
        return True, True
    ends = counted & ~full
    old, new = counted & ~joins, counted & joins
    # The least load that can take one more, by the kind of broker it is.
    lowest_old = least_reachable(edges, load, ends & old, unreached=_FAR)
    lowest_new = least_reachable(edges, load, ends & new, unreached=_FAR)
    same_kind = np.where(joins, lowest_new, lowest_old)
    even = bool((load - same_kind <= 1)[counted].all())
    if max_moves is not None:
        if change.moves > max_moves:
            return False, False
        # Fewer moves are allowed; more as long as there are any left, else only one for one.
        fewer = (load - lowest_old)[new].max(initial=-_FAR)
        more = (load - lowest_new)[old].max(initial=-_FAR)
        spent = change.moves == max_moves
        return False, bool(even and fewer <= 1 and (fewer + more <= 2 if spent else more <= 1))
    high, low = int(load[counted].max()), int(load[counted].min())
    # Brokers that do not count have no edges; a load in between keeps them out of the extremes.
    known = np.where(counted, load, low)
    stuck_high = maximum_is_least(edges, known, ends)
    stuck_low = bool((full & (load == low)).any()) or maximum_is_least(
        np.ascontiguousarray(edges.T), np.where(counted, -load, -high), counted
    )
    if not (high == low or (stuck_high and stuck_low)):
        return False, False
    # Within these two bounds a move is saved where a joining broker can give back: it above the least, the other below
    # the most.
    saved = new & (load > low) & (lowest_old < high)
    return not saved.any(), bool(not saved.any() and even)


def _leaders_proven(change: _Change, order: _Order, *, reorder_all: bool) -> tuple[bool, bool]:
    """Whether no allowed order of lists spreads leaders more evenly, and then none changes fewer.

    Where the plan takes the first place of a list whose order it had no business with, it is proven as even as can be
    where no plan with that freedom is evener, or where it is as even as the plan that leaves those places alone and
    that one is proven.
    """
    if change.faults:
        return False, False
    first_before, first_after = change.before[:, 0], change.after[:, 0]
    stray = order.bound & (first_before != first_after)
    if reorder_all:
        stray &= False
    free = np.arange(change.current.partition_count) if reorder_all else change.rows[order.free]
    if not stray.any():
        return _order_proven(change, free, change.preferred)
    if _order_proven(change, np.union1d(free, change.rows[stray]), change.preferred)[0]:
        return True, False
    brokers = len(change.targets)
    alone = (
        change.preferred
        - np.bincount(first_after[stray & (first_after >= 0)], minlength=brokers)
        + np.bincount(first_before[stray & (first_before >= 0)], minlength=brokers)
    )
    as_even = int((alone[change.targets] ** 2).sum()) == int((change.preferred[change.targets] ** 2).sum())
    return as_even and _order_proven(change, free, alone)[0], False


def _order_proven(change: _Change, free: IndexArray, preferred: IndexArray) -> tuple[bool, bool]:
    """Whether no order of the lists of these rows makes ``preferred`` (B,) evener, and then none changes fewer."""
    lists = change.proposed.replicas[free].astype(np.int64)
    if not lists.size:
        return True, True
    alive = np.append(change.targets, False)[lists]
    # A list without a live member has no choice; in the others a live one leads.
    able = alive.any(axis=1)
    lists, alive, free = lists[able], alive[able], free[able]
    if not alive[:, 0].all():
        return False, False
    old = _widened(change.current.replicas[free][:, :1], 1)
    alive[:, 0] = False
    row, column = np.nonzero(alive)
    source, target = lists[row, 0], lists[row, column]
    edges = np.zeros((len(preferred), len(preferred)), np.bool_)
    edges[source, target] = True
    reach = least_reachable(edges, preferred, change.targets)
    if not (preferred - reach <= 1)[change.targets].all():
        return False, False
    cost = (target != old[row, 0]).astype(np.int64) - (source != old[row, 0]).astype(np.int64)
    # Brokers that cannot lead have no edge; a load far away keeps them out of the levels.
    load = np.where(change.targets, preferred, -2)
    return True, no_cheaper_rearrangement(source, target, cost, load)


# ---- words -------------------------------------------------------------------------------------------------


def _verdict(
    change: _Change,
    choices: _Choices,
    order: _Order,
    *,
    receive_cap: int | None = None,
    reorder_all: bool = False,
) -> Verdict:
    moves_proven = not change.faults and choices.complete and change.moves == choices.least_moves
    racks, replicas = _balance_proven(change, choices, receive_cap) if moves_proven else (False, False)
    leaders, fewest = _leaders_proven(change, order, reorder_all=reorder_all)
    return _counted(
        change,
        least_moves=choices.least_moves,
        moves_proven=moves_proven,
        racks=racks,
        replicas=replicas,
        leaders=leaders,
        fewest=fewest,
    )


def _counted(
    change: _Change,
    *,
    least_moves: int | None,
    moves_proven: bool,
    racks: bool,
    replicas: bool,
    leaders: bool,
    fewest: bool,
) -> Verdict:
    load, preferred = change.load[change.targets], change.preferred[change.targets]
    verdict = Verdict(
        faults=tuple(change.faults),
        moves=change.moves,
        least_moves=least_moves,
        moves_proven=moves_proven,
        rack_sum_of_squares=_rack_sum_of_squares(change.proposed.replicas, change.rack),
        rack_proven=racks,
        replica_sum_of_squares=int((load**2).sum()),
        replicas_proven=replicas,
        replica_spread=int(np.ptp(load)) if load.size else 0,
        leader_sum_of_squares=int((preferred**2).sum()),
        leaders_proven=leaders,
        leader_spread=int(np.ptp(preferred)) if preferred.size else 0,
        changed_preferred_leaders=int((change.before[:, 0] != change.after[:, 0]).sum()),
        changed_leaders_proven=fewest,
        sentences=(),
    )
    return replace(verdict, sentences=_sentences(verdict))


def _sentences(verdict: Verdict) -> tuple[str, ...]:
    if verdict.faults:
        return (f"The plan must not be carried out: it has {_many(len(verdict.faults), 'fault')}.",)
    out = [_moves_sentence(verdict)]
    if verdict.rack_sum_of_squares is not None:
        out.append(
            "Each changed partition sits on as many racks, as evenly, as its moved replicas can reach. Proven."
            if verdict.rack_proven
            else "It is not proven that the changed partitions sit on as many racks as they could."
        )
    out.append(
        f"{BALANCE_SENTENCE} {_replicas(verdict.replica_spread)} apart; "
        + ("no plan with these moves and racks is evener. Proven." if verdict.replicas_proven else "not proven least.")
    )
    out.append(
        f"Preferred leaders are {verdict.leader_spread:,} apart; "
        + (
            "no order of the changed lists is evener. Proven for these replica sets."
            if verdict.leaders_proven
            else "not proven least."
        )
    )
    changed = verdict.changed_preferred_leaders
    out.append(
        f"The preferred leader changes in {_many(changed, 'partition')}; "
        + ("fewer would be less even. Proven." if verdict.changed_leaders_proven else "not proven fewest.")
        if changed
        else "No preferred leader changes."
    )
    return tuple(out)


def _moves_sentence(verdict: Verdict) -> str:
    if not verdict.moves:
        return "No replica moves."
    said = f"{_replicas(verdict.moves)} {'moves' if verdict.moves == 1 else 'move'}."
    if verdict.moves_proven:
        return f"{said} No plan can move fewer. Proven."
    if verdict.least_moves is None:
        return f"{said} How few are enough is not known."
    return f"{said} {verdict.least_moves:,} {'is' if verdict.least_moves == 1 else 'are'} enough."


def _replicas(count: int) -> str:
    return _many(count, "replica")


def _many(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
