"""The independent checker: what is true of a plan, decided from the two layouts alone.

Promises
    1. Faults: duplicates, changed replication factors, replicas left behind, unknown partitions and brokers, copies to
       dead brokers; each names the partition and the broker.
    2. The numbers of the certificate, counted anew from the layouts.
    3. For each objective whether this plan reaches the best, objectives taken in their order. A flag is True only
       where that is proven; False means "not the best, or not proven".

Needs
    Two layouts of the same partitions, without a reassignment under way or duplicate replicas, and the wish; no solver,
    and no code that a solver uses.

How it works
    From the wish and the two layouts it restates what the plan could choose (``choices``). What has no choice may not
    have changed.
    *Brokers.* Those that remain and are not known to be dead, fenced or shutting down receive, lead and count; where
    there is none, those that are not known to be dead. A fenced one, or one shutting down, is a last resort.
    *Moves.* Where a wish says which replicas must move, their count is a lower bound.
    *Racks* by exchange (``exchange``); *moves, replicas, leaders* by circles of exchanges (``circles``).
    *Spread.* Where loads differ by one at most nothing is better balanced; else by sets of brokers that hold too much,
    or too little (``circles.maximum_is_least``). A plan that leaves loads less balanced than it could, for fewer moves,
    may hide such sets: then the least spread is not proven, though it may be the least (6 of 10,000 small layouts).
    Sums of squares run over the brokers that count, also empty ones.

Example:
    ``{0: [0,2], 1: [1,0], 2: [2,1], 3: [0,1]}``, broker 1 out, proposed ``{0: [0,2], 1: [2,0], 2: [2,0], 3: [0,2]}``:
    three replicas sat on broker 1 and three moved: least. Brokers 0 and 2 hold 4 each and lead 2 each: least.

Complexity
    P partitions, R replicas each, n changed ones, B brokers, K racks: O(P R) for the counts, O(n R (R + K) + B^2) for
    the exchanges, of all P partitions where all may move; O(B^2) a pass of the search for circles.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from reseat.model import BoolArray, BrokerState, ClusterLayout, Longs, Options, Wish
from reseat.model.arrays import row_any
from reseat.planning.proof.choices import Asked, choices_of_kept, choices_of_moved, mended, racks_kept, within_racks
from reseat.planning.proof.circles import NEVER, Graph, maximum_is_least
from reseat.planning.proof.compared import Change, rack_sum_of_squares
from reseat.planning.proof.exchange import Choice, exchanges
from reseat.planning.proof.leaders import leaders_proven
from reseat.planning.proof.places import Places, places_kept
from reseat.planning.proof.verdict import Verdict

__all__ = ["check"]


def check(
    current: ClusterLayout,
    proposed: ClusterLayout,
    wish: Wish,
    *,
    limited: bool = False,
    allow_rf_change: bool = False,
    pinned: BoolArray | None = None,
) -> Verdict:
    """Judge a plan for a wish.

    Args:
        current: the layout planned on; brokers that the wish adds may be in it, or only in ``proposed``.
        proposed: the same partitions with other replica lists; brokers that only it has are further targets.
        wish: what the plan is for, with its rules: more than a cap is a fault, as is a copy to a broker of
            ``never_onto`` or with an offline log directory, and those do not count in the balance; ``never_leads`` and
            ``leader_racks`` say who may be first. Empty: nothing has to move.
        limited: whether a limit on moves keeps the plan from the least spread: then the aim is the least sum of squares
            for the moves there are, or for those that added brokers may get.
        allow_rf_change: whether partitions may have another number of replicas than before without a wish for it; then
            the plan's own numbers are what is wished, and more replicas come with the first one kept.
        pinned: (P,) bool, partitions that cannot move and so keep their replicas, also on brokers to remove; a change
            of their members is a fault. None: every partition can.

    Returns:
        The verdict. Of a *drain*, and of a *replication factor*: ``moves_proven`` that no more is copied than must be,
        racks over the partitions that change, replicas over all choices of newcomers and of what is dropped. Of a
        *rebalance*: ``rack_proven`` that every partition that can move is at its best on racks; ``moves_proven`` that
        no such plan has a smaller spread (unless racks alone are asked for), nor this spread with fewer moves;
        ``replicas_proven`` that none of those has a smaller sum of squares; limited, that no plan has a smaller sum of
        squares with as few moves, nor fewer moves with as small a sum. Of a *mend* the same without the spread, over
        plans that mend as much. Of *added brokers* the same over moves onto them alone that make no partition's racks
        less diverse, which is what ``rack_proven`` says there; limited, only ``replicas_proven``. Leaders are proven
        for the replica sets of the plan; an order that puts no available broker first where a list has one never is.
    """
    if current.disk_failed.any():
        closed = {*wish.options.never_onto, *current.broker_ids[current.disk_failed].tolist()}
        wish = replace(wish, options=replace(wish.options, never_onto=tuple(sorted(closed))))
    if wish.topics and wish.replication_factor is not None:
        return _of_factor(current, proposed, wish, pinned, limited=limited)
    if wish.mend:
        return _of_mend(current, proposed, wish, pinned, limited=limited)
    if wish.rebalance or wish.mend_racks:
        return _of_rebalance(current, proposed, wish, pinned, limited=limited)
    if wish.add and not wish.remove:
        return _of_addition(current, proposed, wish, pinned, limited=limited)
    change = Change.between(current, proposed, wish.remove, pinned=pinned, rules=wish.options)
    factor = change.after_factor if allow_rf_change else change.before_factor
    if not allow_rf_change:
        change.require_factor(factor)
    change.require_cap(wish.options.receive_cap)
    cap = None if wish.places else wish.options.receive_cap  # who takes a place takes all of it
    change.require_bytes(wish)
    keeps_first = (factor > change.before_factor) & np.append(~change.leaving, False)[change.before[:, 0]]
    # Where nothing had to change, what the plan reordered is what it wanted to reorder.
    free = (change.members_differ if change.leaving.any() else np.ones(len(change.rows), np.bool_)) & ~keeps_first
    return _verdict_of_kept(change, factor, free, wish, cap=cap, reorder_all=wish.orders_all, limited=limited)


def _of_factor(
    current: ClusterLayout, proposed: ClusterLayout, wish: Wish, pinned: BoolArray | None, *, limited: bool
) -> Verdict:
    names, factor = frozenset(wish.topics), wish.replication_factor or 0
    wished = current.is_topic(names)[current.topic_of]
    grows = bool((current.replication_factor[wished] < factor).any())
    closed = wish.options.never_onto if grows or wish.chooses_moves else ()
    rules = Options(never_onto=closed, rack_levels=wish.options.rack_levels)
    change = Change.between(current, proposed, (), pinned=pinned, rules=rules)
    change.faults.extend(f"Topic {name} is not in the layout." for name in sorted(names - {*current.topics}))
    wished = change.current.is_topic(names)[change.current.topic_of]
    factors = np.where(wished[change.rows], factor, change.before_factor)
    change.require_factor(factors)
    # A replica that is kept instead of another is not received: with partitions that shrink the cap is left aside.
    grows = bool((factors >= change.before_factor).all())
    cap = wish.options.receive_cap if grows else None
    change.require_cap(cap)
    change.require_changed(wished, factor)
    change.require_bytes(wish)
    # Of the lists of which no replica goes the first stays.
    return _verdict_of_kept(change, factors, row_any(change.goes), wish, cap=cap, limited=limited)


def _of_rebalance(
    current: ClusterLayout, proposed: ClusterLayout, wish: Wish, pinned: BoolArray | None, *, limited: bool
) -> Verdict:
    change = Change.between(current, proposed, wish.remove, pinned=pinned, rules=wish.options)
    change.require_factor(change.before_factor)
    change.require_cap(wish.options.receive_cap)
    change.require_bytes(wish)
    places, keeps = places_kept(change, wish.options, moves=wish.rebalance), wish.rebalance and wish.options.keep_racks
    targets = change.targets
    asked = choices_of_moved(change, targets, targets, places, keeps_racks=keeps, parts=wish.rebalance)
    sound = not change.faults and asked.sound and not (wish.rebalance and places.over)
    graph = _graph(change, asked.choices, places) if sound else None
    by_topic = wish.rebalance and wish.options.even_topics
    if by_topic:
        proven = False, graph is not None and (not graph.load.size or int(np.ptp(graph.load)) <= 1)
    else:
        proven = _moves_and_squares(graph, spread=not wish.mend_racks, limit=0 if limited else None, least=1)
    verdict = _of_moved(change, graph is not None, *proven, reorder_all=not wish.mend_racks)
    if not by_topic or change.faults:
        return verdict
    even = sum(_topic_even(change, wish, topic) for topic in range(len(change.current.topics)))
    return replace(verdict, topics_even=(even, len(change.current.topics)))


def _topic_even(whole: Change, wish: Wish, topic: int) -> bool:
    """Whether no plan has a smaller spread of this topic: it is looked at alone, as if no other limited it."""
    mine = whole.current.topic_of == topic
    current, proposed = whole.current.select(mine), whole.proposed.select(mine)
    change = Change.between(current, proposed, wish.remove, pinned=whole.pinned[mine], rules=wish.options)
    places, targets = places_kept(change, wish.options, moves=True), change.targets
    asked = choices_of_moved(change, targets, targets, places, keeps_racks=wish.options.keep_racks, parts=True)
    graph = _graph(change, asked.choices, places) if asked.sound else None
    return graph is not None and (not graph.load.size or _spread_least(graph))


def _of_mend(
    current: ClusterLayout, proposed: ClusterLayout, wish: Wish, pinned: BoolArray | None, *, limited: bool
) -> Verdict:
    dead = tuple(b.id for b in current.brokers if b.state is BrokerState.DEAD)
    change = Change.between(current, proposed, dead, pinned=pinned, rules=wish.options)
    must, factor = mended(change)
    change.require_factor(factor, np.arange(len(factor)))
    change.require_cap(wish.options.receive_cap)
    change.require_bytes(wish)
    places = places_kept(change, wish.options, moves=False)
    asked = choices_of_moved(change, change.targets, change.targets, places, keeps_racks=False, must=must)
    graph = _graph(change, asked.choices, places) if not change.faults and asked.sound else None
    proven = _moves_and_squares(graph, spread=False, limit=0 if limited else None, least=1)
    return _of_moved(change, graph is not None, *proven, reorder_all=False)


def _of_addition(
    current: ClusterLayout, proposed: ClusterLayout, wish: Wish, pinned: BoolArray | None, *, limited: bool
) -> Verdict:
    ids, cap = tuple(broker for broker, _ in wish.add), wish.options.receive_cap
    open_ = replace(wish.options, never_onto=())  # who receives is said by the brokers that are added
    change = Change.between(current, proposed, (), ids, pinned=pinned, rules=open_)
    change.faults.extend(
        f"Broker {broker} is to be added but is in neither layout."
        for broker in ids
        if change.current.position(broker) is None
    )
    change.require_factor(change.before_factor)
    change.require_cap(cap)
    change.require_bytes(wish)
    joins = np.isin(change.current.broker_ids, np.array(ids, np.int64)) & change.targets
    places = places_kept(change, wish.options, moves=False)
    racks = not change.faults and racks_kept(change)
    moves = replicas = False
    asked = choices_of_moved(change, change.targets & ~joins, joins, places, keeps_racks=True)
    if racks and asked.sound:
        graph = _graph(change, asked.choices, places, full=None if cap is None else joins & (change.received >= cap))
        most = wish.options.max_moves if wish.point is None else wish.point
        # With a limit on bytes the plan is the best for as many moves as it has: which other fits is not asked.
        left = 0 if wish.limits_bytes else (most or 0) - change.moves
        moves, replicas = _moves_and_squares(graph, limit=left if limited else None)
    return _of_moved(change, racks, moves and not limited, replicas, reorder_all=wish.orders_all)


def _of_moved(change: Change, racks: bool, moves: bool, replicas: bool, *, reorder_all: bool) -> Verdict:
    """The verdict of a plan in which replicas may move that need not: leaders are added to what is proven."""
    leaders = leaders_proven(change, change.members_differ, reorder_all=reorder_all)
    return _counted(change, change.moves if moves else None, (moves, racks, replicas, *leaders))


def _graph(
    change: Change, choices: tuple[Choice, ...], places: Places, *, full: BoolArray | None = None
) -> Graph | None:
    """Exchanges between brokers; None where the racks of a partition are not as they are to be.

    A broker that does not count, and that a replica could leave, is worse than any load.
    """
    brokers = len(change.targets)
    cost = np.full((brokers, brokers), NEVER)
    for choice in sorted(choices, key=lambda one: one.cost):
        back = np.zeros_like(cost, np.bool_)
        good, edges = exchanges(replace(choice, regions=change.regions), cost <= choice.cost, back)
        if not good.all():
            return None
        for found, one in ((edges, choice.cost), (back, choice.cost - 1)):
            np.minimum(cost, np.where(found, np.int64(one), NEVER), out=cost)
    np.fill_diagonal(cost, NEVER)
    edges = cost < NEVER
    # One that does not count and gives nothing is left out: none is better off there, and no path leads on.
    at = np.flatnonzero(change.targets | edges.any(axis=1))
    counts = change.targets[at]
    return Graph(
        cost[np.ix_(at, at)],
        change.load[at],
        high=places.most[at],
        more=None if full is None else ~full[at],
        worse=None if counts.all() else ~counts,
    )


def _moves_and_squares(
    graph: Graph | None, *, spread: bool = True, limit: int | None = None, least: int = 0
) -> tuple[bool, bool]:
    """Whether spread (where it is an aim) and then moves are least, and then the sum of squares.

    Args:
        graph: exchanges; None: nothing is proven.
        spread: whether the spread is an aim, before moves.
        limit: where given, how many more moves were allowed: both flags say whether the sum is the least for them.
            Where the spread is no aim, fewer moves were enough, and the first is False.
        least: 1 where a plan with fewer moves and as small a sum would be better, too.
    """
    if graph is None or not graph.load.size:
        return graph is not None, graph is not None
    if limit is not None:
        best = limit >= 0 and graph.within(spent=limit == 0, least=least)
        return best and spread, best
    if spread:
        if not _spread_least(graph):
            return False, False
        graph = replace(graph, low=int(graph.load.min()), high=np.minimum(graph.high, graph.load.max()))
    if graph.fewest_moves_then_squares():
        return True, True
    return graph.fewest_moves(), False


def _spread_least(graph: Graph) -> bool:
    """Whether the fullest cannot hold less, nor the emptiest more."""
    load = graph.load
    every = np.ones(len(load), np.bool_)
    ends = (every if graph.more is None else graph.more) & (load < graph.high)
    stuck = bool((~ends & (load == load.min())).any())
    return maximum_is_least(graph.edges, load, ends) and (stuck or maximum_is_least(graph.edges.T, -load, every))


def _verdict_of_kept(
    change: Change,
    factor: Longs,
    orderable: BoolArray,
    wish: Wish,
    *,
    cap: int | None,
    reorder_all: bool = False,
    limited: bool,
) -> Verdict:
    """Of a plan that keeps all that it may keep: only newcomers, and what is dropped, were a choice.

    With a cap the rack terms are proven only where they reach what each partition could reach without it: that is the
    least of all the more. ``limited``: others may move, and the sum of squares is proven the least with as few moves
    where no partition drops any and racks are in nothing.
    """
    places = places_kept(change, wish.options, moves=False)
    if wish.drains and wish.options.same_rack:
        asked = Asked.together(
            choices_of_kept(part, part.before_factor, replace(places, allowed=places.allowed & there))
            for there, part in within_racks(change)
        )
    else:
        asked = choices_of_kept(change, factor, places)
    least_moves = asked.least_moves + change.left_untouched
    moves = not change.faults and asked.sound and change.moves == least_moves
    racks = replicas = False
    if moves and asked.last_resorts_needed:
        graph = _graph(change, asked.choices, places, full=None if cap is None else change.received >= cap)
        racks, replicas = graph is not None, graph is not None and graph.least_squares()
    elif limited and not (moves or change.faults or change.regions or (factor < change.before_factor).any()):
        every, grows = np.ones(len(change.targets), np.bool_), factor - change.before_factor
        same_rack = wish.drains and wish.options.same_rack
        wider = Asked.together(
            choices_of_moved(part, part.targets & there, part.targets & there, places, keeps_racks=True, grows=grows)
            for there, part in (within_racks(change) if same_rack else [(every, change)])
        )
        graph = _graph(change, wider.choices, places) if wider.sound else None
        replicas = graph is not None and graph.within(spent=True)
    few = limited and wish.leaders_only
    leaders = leaders_proven(change, orderable, reorder_all=reorder_all, limited=few)
    return _counted(change, least_moves, (moves, racks, replicas, *leaders), resorts=asked.last_resorts_needed)


def _counted(
    change: Change, least_moves: int | None, proven: tuple[bool, bool, bool, bool, bool], *, resorts: bool | None = None
) -> Verdict:
    """The verdict: numbers, and what is proven of moves, racks, replicas, leaders and changed leaders."""
    load, preferred = change.load[change.targets], change.preferred[change.leads]
    receives = change.alive & (change.received > 0)
    late = [b.id for b, on in zip(change.current.brokers, receives, strict=True) if on and b.state.unavailable]
    moves, racks, replicas, leaders, fewest = proven
    return Verdict(
        faults=tuple(change.faults),
        moves=change.moves,
        least_moves=least_moves,
        moves_proven=moves,
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
        racks_unknown=bool(set(change.current.unknown_racks) - set(change.current.broker_ids[change.leaving].tolist())),
        last_resorts=tuple(late),
        last_resorts_needed=not change.comes_late.any() if resorts is None else resorts,
    )
