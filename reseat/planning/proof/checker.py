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
    *Brokers.* Those that remain and are not known to be dead, fenced or shutting down receive, lead and count; where
    there is none, those that are not known to be dead. A fenced one, or one shutting down, is a last resort: it takes
    a replica only where a partition has no other broker left, and leads a list only where no better one is in it.
    *Racks, replicas, leaders.* By exchange: a plan is the best where no chain of single exchanges improves it, which is
    a search in a graph of brokers (see ``reseat.planning.proof.exchange``). A replica may be exchanged where it was a
    choice: a newcomer could sit on any broker that receives and does not hold the partition; a leader could be any
    member of its list that may lead. What has no choice may not have changed.
    Sums of squares run over the brokers that count, also empty ones.

Example:
    ``{0: [0,2], 1: [1,0], 2: [2,1], 3: [0,1]}``, broker 1 out, proposed ``{0: [0,2], 1: [2,0], 2: [2,0], 3: [0,2]}``:
    three replicas sat on broker 1 and three moved: least. Brokers 0 and 2 hold 4 each: least. They are preferred by 2
    partitions each: least.

Complexity
    P partitions, R replicas each, n changed ones, B brokers: O(P R) for the counts, O(n B + B^2) for the proofs.

Source
    The objectives and their order are those of ``reseat.planning.kinds.remove``; the arguments stand in ``proofs``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from reseat.model import NONE, BoolArray, ClusterLayout, Options
from reseat.planning.proof.compared import Change, rack_sum_of_squares
from reseat.planning.proof.exchange import Choice, exchanges, least_reachable
from reseat.planning.proof.growth import Growth, growth_proven
from reseat.planning.proof.leaders import Order, leaders_proven
from reseat.planning.proof.rebalanced import rebalance_proven
from reseat.planning.proof.verdict import Verdict, sentences_of

__all__ = ["check_addition", "check_rebalance", "check_removal", "check_replication_factor"]

IndexArray = npt.NDArray[np.int64]

#: A load that no broker has.
_FAR = 1 << 40
#: Where nothing restricts who receives and who leads.
NO_RULES = Options()


def check_removal(
    current: ClusterLayout,
    proposed: ClusterLayout,
    remove: Iterable[int],
    *,
    rules: Options = NO_RULES,
    reorder_all: bool = False,
    allow_rf_change: bool = False,
    pinned: BoolArray | None = None,
) -> Verdict:
    """Judge a plan that takes brokers out; with none to remove, one that needed no change.

    Args:
        current: the layout planned on.
        proposed: the same partitions with other replica lists; brokers that only it has are further targets.
        remove: ids of the brokers that shall hold nothing afterwards.
        rules: ``receive_cap``, more than which is a fault, as is a copy to a broker of ``never_onto``; those do not
            count in the balance. ``never_leads`` and ``leader_racks`` say who may be first.
        reorder_all: whether unchanged partitions may be reordered too.
        allow_rf_change: whether partitions may have another number of replicas than before; then the plan's own
            numbers are what is wished, and more replicas come with the first one kept.
        pinned: (P,) bool, partitions that cannot move and so keep their replicas, also on brokers to remove; a change
            of their members is a fault. None: every partition can.

    Returns:
        The verdict. Where a list holds an available broker, an order that puts another one first is never proven.
    """
    change = Change.between(current, proposed, tuple(remove), pinned=pinned, rules=rules)
    factor = change.before_factor
    if allow_rf_change:
        factor = change.after_factor
    else:
        change.require_factor(factor)
    change.require_cap(rules.receive_cap)
    choice = _choices(change, factor)
    keeps_first = (factor > change.before_factor) & change.first_may_stay
    if not change.leaving.any():
        # Nothing had to change: what the plan reordered is what it wanted to reorder.
        order = Order(free=~keeps_first, bound=keeps_first)
    else:
        free = change.members_differ & ~keeps_first
        order = Order(free=free, bound=~free)
    return _verdict(change, choice, order, receive_cap=rules.receive_cap, reorder_all=reorder_all)


def check_replication_factor(
    current: ClusterLayout,
    proposed: ClusterLayout,
    topics: Iterable[str],
    factor: int,
    *,
    rules: Options = NO_RULES,
    pinned: BoolArray | None = None,
) -> Verdict:
    """Judge a plan that gives the partitions of some topics another number of replicas.

    Args:
        current: the layout planned on.
        proposed: the same partitions with other replica lists.
        topics: names of the topics whose partitions shall have ``factor`` replicas.
        factor: that number, at least 1.
        rules: as in ``check_removal``; where no partition gets more replicas, all brokers count. Lists keep their
            order, so nothing is asked of leaders.
        pinned: as in ``check_removal``.

    Returns:
        The verdict. Upwards the replicas there stay and the first one stays first, so that no preferred leader
        changes. Downwards the leader stays (the first replica where none is told), and so does the last in-sync copy;
        with equal racks replicas on dead brokers go before live ones, ahead of replica counts.
    """
    names = frozenset(topics)
    wished = np.array([name in names for name in current.topics], np.bool_)[current.topic_of]
    closed = rules.never_onto if (current.replication_factor[wished] < factor).any() else ()
    change = Change.between(current, proposed, (), pinned=pinned, rules=Options(never_onto=closed))
    change.faults.extend(f"Topic {name} is not in the layout." for name in sorted(names - {*current.topics}))
    wished = np.array([name in names for name in change.current.topics], np.bool_)
    ours = wished[change.current.topic_of[change.rows]]
    factors = np.where(ours, factor, change.before_factor)
    change.require_factor(factors)
    change.require_cap(rules.receive_cap)
    change.require_changed(wished[change.current.topic_of], factor)
    choice = _choices(change, factors)
    shrinks = factors < change.before_factor
    return _verdict(change, choice, Order(free=shrinks, bound=~shrinks), receive_cap=rules.receive_cap)


def check_addition(
    current: ClusterLayout,
    proposed: ClusterLayout,
    added: Iterable[int],
    *,
    max_moves: int | None = None,
    rules: Options = NO_RULES,
    reorder_all: bool = False,
    pinned: BoolArray | None = None,
) -> Verdict:
    """Judge a plan that evens replicas by moves onto added brokers alone.

    Args:
        current: the layout planned on, the added brokers in it or only in ``proposed``.
        proposed: the same partitions with other replica lists.
        added: ids of the brokers that join.
        max_moves: where given, the aim is the least sum of squares with at most so many moves, and fewest moves are
            not judged.
        rules: as in ``check_removal``.
        reorder_all: whether unchanged partitions may be reordered too.
        pinned: as in ``check_removal``.

    Returns:
        The verdict. ``rack_proven`` says that no partition's sum of squares over racks rises; ``moves_proven`` that no
        such plan has a smaller spread, nor this spread with fewer moves; ``replicas_proven`` that none of those has
        a smaller sum of squares. Plans that move replicas elsewhere are valid, and not proven.
    """
    ids = tuple(added)
    open_ = replace(rules, never_onto=())  # who receives is said by ``added``
    change = Change.between(current, proposed, (), ids, pinned=pinned, rules=open_)
    change.faults.extend(
        f"Broker {broker} is to be added but is in neither layout." for broker in ids if not change.knows(broker)
    )
    change.require_factor(change.before_factor)
    change.require_cap(rules.receive_cap)
    joins = np.isin(change.current.broker_ids, np.array(ids, np.int64)) & change.targets
    growth = Growth.of(change, joins)
    racks = not change.faults and growth.racks_hold
    moves = replicas = False
    if racks and growth.onto_joining_only:
        cap = rules.receive_cap
        full = np.zeros(len(joins), np.bool_) if cap is None else joins & (change.received >= cap)
        moves, replicas = growth_proven(change, joins, growth.edges(change), full, max_moves)
    free = change.members_differ
    leaders, fewest = leaders_proven(change, Order(free=free, bound=~free), reorder_all=reorder_all)
    return _counted(
        change,
        least_moves=change.moves if moves else None,
        moves_proven=moves,
        last_resorts_needed=not change.comes_late.any(),
        racks=racks,
        replicas=replicas,
        leaders=leaders,
        fewest=fewest,
    )


def check_rebalance(
    current: ClusterLayout,
    proposed: ClusterLayout,
    remove: Iterable[int] = (),
    *,
    racks_only: bool = False,
    tolerances: Sequence[int] = (),
    rules: Options = NO_RULES,
    pinned: BoolArray | None = None,
) -> Verdict:
    """Judge a plan that evens replicas over the brokers there are, and preferred leaders over all lists.

    Args:
        current: the layout planned on.
        proposed: the same partitions with other replica lists; brokers that only it has are further targets.
        remove: ids of brokers that shall hold nothing afterwards.
        racks_only: whether the spread is no aim, and only lists whose members change may be ordered anew.
        tolerances: where given, the plan is a point between the fewest moves and the least spread: ``moves_proven`` and
            ``replicas_proven`` say that no plan has a smaller sum of squares with as few moves, nor fewer moves with as
            small a sum, shown for one of these differences up to which a move is not worth it.
        rules: as in ``check_removal``, but for the cap.
        pinned: as in ``check_removal``.

    Returns:
        The verdict. ``rack_proven`` says that every partition that can move is at its best on racks; ``moves_proven``
        that no such plan has a smaller replica spread, nor this spread with fewer moves; ``replicas_proven`` that none
        of those has a smaller sum of squares. What is on brokers that do not count must have stayed.
    """
    change = Change.between(current, proposed, tuple(remove), pinned=pinned, rules=rules)
    change.require_factor(change.before_factor)
    racks, balance = rebalance_proven(change, spread=not (racks_only or tolerances), tolerances=tolerances)
    free = change.members_differ
    leaders, fewest = leaders_proven(change, Order(free=free, bound=~free), reorder_all=not racks_only)
    return _counted(
        change,
        least_moves=change.moves if balance else None,
        moves_proven=balance,
        last_resorts_needed=not change.comes_late.any(),
        racks=racks,
        replicas=balance,
        leaders=leaders,
        fewest=fewest,
    )


# ---- proofs ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Choices:
    """What the wish left open, row by row of the change.

    Attributes:
        least_moves: copies that no plan for the wish can do without.
        complete: whether the plan keeps every replica that it may keep.
        last_resorts_needed: whether no plan copies fewer replicas to last resorts.
        grows: choices of newcomers; those of partitions for which brokers ran out are among last resorts.
        shrinks: choices of which replicas stay where a partition gives some up; None where none does.
    """

    least_moves: int
    complete: bool
    last_resorts_needed: bool
    grows: tuple[Choice, ...]
    shrinks: Choice | None


def _choices(change: Change, factor: IndexArray) -> _Choices:
    """What each changed row had to choose, where it must end with ``factor`` (n,) replicas."""
    may_stay = (change.before != NONE) & (~change.leaving[change.before] | change.pinned[change.rows, None])
    needed = factor - may_stay.sum(axis=1)
    shrinks = needed < 0
    kept_all = (may_stay & ~change.goes).sum(axis=1) == may_stay.sum(axis=1)
    rack = np.zeros(len(change.targets), np.int64) if change.rack is None else change.rack
    some = change.comes.any(axis=1) & ~shrinks
    after, before = change.after, change.before
    # Newcomers for which no broker is left but a last resort.
    open_ = change.targets.sum() - (may_stay & change.targets[before]).sum(axis=1)
    short, late = (needed - open_).clip(min=0), change.comes_late
    plain = some & (short == 0)
    grows = [
        Choice(
            kept=np.where(change.stays, after, NONE)[plain],
            chosen=np.where(change.comes, after, NONE)[plain],
            others=None,
            targets=change.targets,
            rack=rack,
        )
    ]
    if (some & ~plain).any():
        at = some & ~plain
        resorts = np.flatnonzero(change.resorts)
        grows.append(
            Choice(
                kept=np.where(late, NONE, after)[at],
                chosen=np.where(late, after, NONE)[at],
                others=np.where((after[at][:, :, None] == resorts).any(axis=1), NONE, resorts),
                targets=change.resorts,
                rack=rack,
            )
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
        last_resorts_needed=bool((late.sum(axis=1) == short).all()),
        grows=tuple(grows),
        shrinks=fewer,
    )


def _balance_proven(change: Change, choices: _Choices, receive_cap: int | None) -> tuple[bool, bool]:
    """Whether racks, and then replica counts, are at their least over the choices that this plan had.

    With a cap the rack terms are proven only where they reach what each partition could reach without it: that is the
    least of all the more.
    """
    found = [exchanges(choice) for choice in choices.grows]
    if choices.shrinks is not None:
        found.append(exchanges(choices.shrinks))
    edges = np.logical_or.reduce([one.edges for one in found])
    if not all(one.racks_least.all() for one in found):
        return False, False
    ends = change.targets if receive_cap is None else change.targets & (change.received < receive_cap)
    reach = least_reachable(edges, change.load, ends, unreached=_FAR)
    # A replica that stays on an unavailable broker while another goes: no balance makes up for that.
    spared = (reach[~change.targets] < _FAR).any()
    return True, bool((change.load - reach <= 1)[change.targets].all()) and not spared


def _verdict(
    change: Change,
    choices: _Choices,
    order: Order,
    *,
    receive_cap: int | None = None,
    reorder_all: bool = False,
) -> Verdict:
    moves_proven = not change.faults and choices.complete and change.moves == choices.least_moves
    racks = replicas = False
    if moves_proven and choices.last_resorts_needed:
        racks, replicas = _balance_proven(change, choices, receive_cap)
    leaders, fewest = leaders_proven(change, order, reorder_all=reorder_all)
    return _counted(
        change,
        least_moves=choices.least_moves,
        moves_proven=moves_proven,
        last_resorts_needed=choices.last_resorts_needed,
        racks=racks,
        replicas=replicas,
        leaders=leaders,
        fewest=fewest,
    )


def _counted(
    change: Change,
    *,
    least_moves: int | None,
    moves_proven: bool,
    last_resorts_needed: bool,
    racks: bool,
    replicas: bool,
    leaders: bool,
    fewest: bool,
) -> Verdict:
    load, preferred = change.load[change.targets], change.preferred[change.leads]
    receives = change.alive & (change.received > 0)
    late = [b.id for b, on in zip(change.current.brokers, receives, strict=True) if on and b.state.unavailable]
    verdict = Verdict(
        faults=tuple(change.faults),
        moves=change.moves,
        least_moves=least_moves,
        moves_proven=moves_proven,
        rack_sum_of_squares=rack_sum_of_squares(change.proposed.replicas, change.rack),
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
        racks_unknown=bool(set(change.current.unknown_racks) - set(change.current.broker_ids[change.leaving].tolist())),
        last_resorts=tuple(late),
        last_resorts_needed=last_resorts_needed,
    )
    return replace(verdict, sentences=sentences_of(verdict))
