"""Rearrange what is there: replicas over all brokers and leaders over all lists, racks alone, or leaders alone.

``rearranged`` promises of a rebalance, in this order:
    0. Partitions that cannot move, and replicas on brokers that are dead, fenced, shutting down or to receive nothing,
       stay as they are; each partition keeps its number of replicas. Brokers that leave hold nothing afterwards, unless
       a partition cannot move; those that join receive.
    1. The least sum, over partitions and racks, of the square of the partition's replicas in that rack: what sits badly
       over racks is mended on the way. With ``keep_racks`` no partition's racks get less diverse, and none is mended.
    2. The least replica spread (fullest minus emptiest broker that counts).
    3. Then the fewest moves; where sizes are told, small partitions go rather than large ones, without a proof of that.
    4. Then the least sum of squares of replica counts.
    5. For the replica sets so chosen, the least sum of squares of preferred-leader counts over all orders of all lists.
    6. Then the fewest changed preferred leaders.
In the place of 2 to 4: with ``max_moves`` no plan has as few moves and a smaller sum of squares; it may make fewer than
allowed, and each move is worth the same price in squares (see ``solver``). With ``max_bytes`` the most moves of those
points that copy no more. With ``even_topics`` see ``by_topic``, with ``by_bytes`` see ``by_weight``.
Of racks alone it promises 0, 1, 3 and 4, and 5 and 6 over the lists whose members change.
``even_leaders`` promises 5 and 6 for the replica sets that there are: no data moves.

Needs: what ``preconditions`` lists. Works on ``layout.target()`` where a reassignment is under way.

Example: {0: [0, 1], 1: [0, 1], 2: [0, 1]} and an empty broker 2: two replicas move to it, and each broker leads one.

Complexity: see ``solver`` and ``leaders``.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np

from reseat.balance.findings import SKEW_SHARE
from reseat.errors import WishRefused
from reseat.model import BoolArray, Broker, ClusterLayout, Options, Plan, Wish
from reseat.model.arrays import on_brokers
from reseat.model.wording import counted, minimal, verb
from reseat.planning.finishing import concluded, with_leaders_evened
from reseat.planning.kinds.by_bytes import ByBytes
from reseat.planning.kinds.by_topic import Topics
from reseat.planning.preconditions import Settled, begun, closed_to, require_known, require_room, require_targets
from reseat.planning.proof.verdict import (
    Verdict,
    last_resort_sentences,
    leader_sentences,
    rack_sentences,
    spread_sentence,
)
from reseat.planning.proposal import Between, bytes_to_copy
from reseat.planning.receivers import left_on_unavailable
from reseat.planning.rules import copies_no_more, fitted, no_room, not_found, require_enough, ruled
from reseat.planning.solve.problem import Found, NoRoom, Problem
from reseat.planning.solve.rack_choice import racks_of
from reseat.planning.solve.solver import Solver

__all__ = ["even_leaders", "leader_orders", "rearranged", "rearranged_sets", "rebalancing", "stated"]

_DEFAULTS = Options()


@dataclass(frozen=True, eq=False)
class _Start:
    """What a rearrangement starts from."""

    start: Settled
    leaving: BoolArray
    targets: BoolArray
    problem: Problem

    @property
    def current(self) -> ClusterLayout:
        """The layout planned on."""
        return self.start.layout

    @cached_property
    def choice(self) -> Solver:
        """Who finds the sets."""
        return Solver(self.problem)


def stated(layout: ClusterLayout, wish: Wish, *, strict: bool = True) -> _Start:
    """The wish in columns, once all preconditions hold; ``strict`` as of ``ruled``.

    Raises:
        WishRefused: the wish cannot be (see ``preconditions``).
    """
    remove = require_known(layout, wish.remove)
    joining = [Broker(broker, rack) for broker, rack in wish.add if layout.position(broker) is None]
    start = begun(layout, wish.options, wish.remove, joining=joining)
    current, unmovable = start.layout, start.pinned
    if wish.mend_racks and not current.racks:
        raise WishRefused(
            "No rack of a broker is known, so no partition's rack diversity is.",
            choices=("Add racks (--racks; the dashboard: Data quality).",),
        )
    leaving = current.is_broker(remove)
    targets = require_targets(current, leaving, closed_to(current, wish.options))
    held, on_target = current.replicas >= 0, on_brokers(current.replicas, targets)
    out = on_brokers(current.replicas, leaving) & ~unmovable[:, None] if remove else None
    if out is not None:
        rows = np.flatnonzero(out.any(axis=1))
        factor = current.replication_factor[rows].astype(np.int64)
        require_room(current, rows, out[rows].sum(axis=1), on_target[rows], int(targets.sum()), wanted=factor)
    stays = held if out is None else held & ~out
    problem = Problem(
        lists=current.replicas,
        fixed=stays & (~on_target | unmovable[:, None]),
        targets=targets,
        rack=racks_of(current),
        size=current.copy_bytes,
        out=out,
        keeps_racks=wish.rebalance and wish.options.keep_racks,
    )
    strict = strict and wish.rebalance
    problem = ruled(problem, current, wish.options, leaving, moves=wish.rebalance, pinned=unmovable, strict=strict)
    return _Start(start, leaving, targets, problem)


def rebalancing(layout: ClusterLayout, wish: Wish) -> Between:
    """From what racks and brokers that leave need to the plan; a point is offered where the fullest is no warning.

    Raises:
        WishRefused: as ``rearranged``.
    """
    start, last, *_ = _chosen(layout, wish)
    current, problem, choice, options = start.current, start.problem, start.choice, wish.options
    if options.even_topics:
        sets = _sets_by_topic(start, last, wish)[0] or [Found.nothing(problem)]

        def topics(most: int) -> Found | None:
            return next((one for one in reversed(sets) if problem.moves(one) <= most), None)

        first = _further(problem, topics(problem.moves(sets[0])), sets[-1])
        return Between(current, problem, first, sets[-1], topics, by_topic=True)
    if options.by_bytes:
        evening = ByBytes.of(current, problem, last, start.leaving).evening
        first, last, within = evening.within(problem.moves(last)), evening.within(options.max_moves), evening.within
        return Between(current, problem, _further(problem, first, last), last, within, by_size=True)

    def there(most: int) -> Found | None:
        if problem.most_bytes is None:
            made = choice.within(most)
            return made if made is not None and copies_no_more(current, made, options.max_bytes) else None
        # Bytes say who gets fewer replicas, so that a point is what its plan comes to.
        _, found, _, fewer = _chosen(layout, replace(wish, options=replace(options, max_moves=most)))
        return None if fewer else found

    calm = choice.moves_until(int(problem.loads[problem.targets].mean() * (1 + SKEW_SHARE)))
    first = _further(problem, choice.at(None), last)
    if first is not None and problem.most_bytes is not None:
        first = there(problem.moves(first))
    return Between(current, problem, first, last, there, beside=(calm,))


def _further(problem: Problem, first: Found | None, last: Found) -> Found | None:
    """The first sets, if something moves for them and more for the last."""
    return first if first is not None and 0 < problem.moves(first) < problem.moves(last) else None


def _chosen(layout: ClusterLayout, wish: Wish, *, fewest: bool = False) -> tuple[_Start, Found, bool, bool]:
    """The sets for a wish, with ``fewest`` those of fewest moves; topics and bytes are evened afterwards.

    And what they start from, whether they are a point before the least spread, and whether brokers had to get fewer
    replicas for their bytes. Brokers above their capacity give up what they can, if they can. Where bytes limit them,
    sets without a limit on moves come first: those of a round would lead to others.

    Raises:
        WishRefused: as ``rearranged``.
    """
    for strict in (True, False):
        start = stated(layout, wish, strict=strict)
        problem, current = start.problem, start.current
        free = wish.chooses_moves and problem.most_bytes is not None
        for one in (wish.unlimited(), wish) if free else (wish,):
            solve = partial(_sets, whole=start.choice, layout=current, wish=one, fewest=fewest)
            with contextlib.suppress(NoRoom):
                found, limited, fewer = fitted(problem, current, solve)
                if one is wish or _fits(current, problem, wish, found):
                    return start, found, limited, fewer
    raise no_room(current, wish.options)


def _fits(layout: ClusterLayout, problem: Problem, wish: Wish, made: Found) -> bool:
    """Whether sets keep the limits of moves and bytes."""
    most, most_bytes = wish.options.max_moves, wish.options.max_bytes if wish.limits_bytes else None
    return (most is None or problem.moves(made) <= most) and copies_no_more(layout, made, most_bytes)


def _sets(problem: Problem, whole: Solver, layout: ClusterLayout, wish: Wish, *, fewest: bool) -> tuple[Found, bool]:
    """The sets of a problem, perhaps of the ``whole`` one, and whether they are a point before the least spread."""
    choice = whole if problem is whole.problem else Solver(problem)
    options, fits = wish.options, partial(_fits, layout, problem, wish)
    most, most_bytes = options.max_moves, options.max_bytes if wish.limits_bytes else None
    other = fewest or wish.mend_racks or options.by_bytes or options.even_topics
    found = choice.at(None) if other else choice.evenest()
    if found is None:
        raise not_found()
    if wish.mend_racks or options.even_topics or fits(found):
        return found, False
    about, copied = problem.moves(found), bytes_to_copy(layout, found.rows, found.lists)
    if most_bytes is not None and copied is not None:
        about = int(about * min(1, most_bytes / max(copied, 1)))
    about, limit = about if most is None else min(about, most), None if most_bytes is None else fits
    within = None if fewest else choice.within(about, limit)
    if within is None:
        alone = choice.at(None)
        if alone is not None:
            require_enough(layout, wish, alone, most)
        raise not_found()
    return within, True


def rearranged(layout: ClusterLayout, wish: Wish) -> Plan:
    """The plan of a rebalance, brokers that leave and that join perhaps with it, or of a mend of racks.

    Brokers that hold nothing receive too.

    Returns:
        The plan with its certificate. Where nothing can be better it is empty, and says so.

    Raises:
        WishRefused: the wish cannot be (see ``preconditions``), no plan was found that is surely the best, or racks are
            to be mended and no broker has one.
    """
    prepared, found, limited, gap, by_bytes = rearranged_sets(layout, wish)
    current, unmovable = prepared.current, prepared.start.pinned
    free = found.rows if wish.mend_racks else np.flatnonzero(~unmovable)
    proposed = with_leaders_evened(
        current, found.rows, found.lists, free=free, leaving=prepared.leaving, options=wish.options
    )
    made = concluded(
        prepared.start,
        proposed,
        wish,
        partial(_sentences, wish=wish, limited=limited, by_bytes=by_bytes),
        limited=limited,
        findings=left_on_unavailable(proposed, prepared.targets, unmovable),
    )
    return made if gap is None else replace(made, certificate=replace(made.certificate, byte_sum_gap=gap))


def rearranged_sets(
    layout: ClusterLayout, wish: Wish, *, fewest: bool = False
) -> tuple[_Start, Found, bool, float | None, tuple[str, ...]]:
    """What is planned on, the sets of ``rearranged``, whether moves are limited, and of bytes as ``ByBytes.told``.

    With ``fewest`` sets with the fewest moves: where there are none, there is no plan.

    Raises:
        WishRefused: as ``rearranged``.
    """
    start, found, limited, _ = _chosen(layout, wish, fewest=fewest)
    if wish.rebalance and wish.options.even_topics:
        sets, limited = _sets_by_topic(start, found, wish, every=False)
        if not sets:
            require_enough(start.current, wish, found, wish.options.max_moves)
        found = sets[-1]
    elif wish.rebalance and wish.options.by_bytes:
        by_bytes = ByBytes.of(start.current, start.problem, found, start.leaving)
        found = by_bytes.evening.within(wish.options.max_moves)
        return start, found, limited, *by_bytes.told(found)
    return start, found, limited, None, ()


def _sets_by_topic(start: _Start, first: Found, wish: Wish, *, every: bool = True) -> tuple[list[Found], bool]:
    """What limits allow of topics one by one, then all topics; and whether that is too much.

    Where nothing is, and without ``every``, all topics are all that is told.
    """
    layout, problem, fits = start.current, start.problem, partial(_fits, start.current, start.problem, wish)
    try:
        topics = Topics(layout, problem)
        whole = topics.evened()
        if (all_of_it := fits(whole)) and not every:
            return [whole], False
        steps = topics.one_by_one(first)
        some = [one for one in steps if problem.moves(one) < problem.moves(whole) and fits(one)]
    except NoRoom:
        raise no_room(layout, wish.options) from None
    return ([*some, whole] if all_of_it else some), not all_of_it


def even_leaders(layout: ClusterLayout, *, options: Options = _DEFAULTS, changes: int | None = None) -> Plan:
    """The plan that changes nothing but the order of lists, so that preferred leaders are as even as can be.

    Of the options only those of leaders, pins, and of partitions without a live in-sync replica apply.

    Returns:
        The plan with its certificate; no replica moves. With ``changes`` the first of ``leader_orders`` that changes no
        more preferred leaders.

    Raises:
        WishRefused: the wish cannot be (see ``preconditions``), or each order changes more leaders.
    """
    start = begun(layout, options)
    orders = leader_orders(start, options)
    changed, proposed = next(orders)
    while changes is not None and changed > changes and (fewer := next(orders, None)) is not None:
        changed, proposed = fewer
    if changes is not None and changed > changes:
        few = f"{counted(changes, 'changed preferred leader')} {verb(changes, 'is', 'are')} too few"
        raise WishRefused(
            f"{few}: {changed:,} must change.",
            choices=(f"Allow at least {counted(changed, 'changed preferred leader')}.",),
        )

    def say(verdict: Verdict) -> tuple[str, ...]:
        balance, moved = leader_sentences(verdict)
        if changes is not None and verdict.leaders_proven:
            given = "No order with as few changed preferred leaders is better balanced (proven)."
            balance = f"Max–min preferred leaders per broker: {verdict.leader_spread:,}. {given}"
            moved = moved.removesuffix(" Not proven minimal.")
        return "No replica moves.", balance, moved

    wish = Wish(leaders_only=True, options=options)
    return concluded(start, proposed, wish, say, limited=changes is not None)


def leader_orders(start: Settled, options: Options) -> Iterator[tuple[int, ClusterLayout]]:
    """Changed preferred leaders, fewer and fewer, and layouts of the same replica sets: the evenest leaders first.

    Each change is worth the same price, and no order with as few changes is better balanced.
    """
    current, free = start.layout, np.flatnonzero(~start.pinned)
    require_targets(current, np.zeros(len(current.brokers), np.bool_))
    most = int(current.preferred_by_broker.max(initial=0)).bit_length() + 1
    led = None
    for tolerance in (None, *(1 << power for power in range(most))):
        led = with_leaders_evened(
            current, free[:0], current.replicas[:0], free=free, options=options, tolerance=tolerance, near=led
        )
        yield int((led.replicas[:, :1] != current.replicas[:, :1]).sum()), led


def _sentences(verdict: Verdict, wish: Wish, *, limited: bool, by_bytes: tuple[str, ...]) -> tuple[str, ...]:
    unknown, moves = verdict.racks_unknown, verdict.moves
    out = [*last_resort_sentences(verdict)]
    if moves:
        said = f"{counted(moves, 'replica')} {verb(moves, 'moves', 'move')}"
        aim = "this rack diversity" if wish.mend_racks else "this balance"
        out.append(
            f"{said} and {by_bytes[0]}"
            if by_bytes
            else minimal(f"{said}, the proven minimum for {aim}", racks_unknown=unknown)
            if verdict.moves_proven
            else f"{said}. Not proven minimal."
        )
    else:
        restored = wish.mend_racks and verdict.rack_proven
        out.append("Nothing to restore: no replica moves." if restored else "No replica moves.")
    if verdict.rack_sum_of_squares is not None and wish.keeps_racks:
        out.append("No changed partition is balanced worse over racks than before.")
    else:
        out += rack_sentences(verdict, every=True)
    spread = f"Max–min replica count per broker: {verdict.replica_spread:,}"
    if by_bytes:
        return (*out, *by_bytes[1:], f"{spread}. Not an aim of this plan.", *leader_sentences(verdict))
    if verdict.topics_even is not None:
        even, topics = verdict.topics_even
        each = verb(topics, "The topic has", f"Each of {topics:,} topics has")
        some = f"{even:,} of {counted(topics, 'topic')} are proven to have their least spread over brokers."
        whole = minimal(f"{each} its least spread over brokers (proven)", racks_unknown=unknown)
        out.append(whole if even == topics else some)
    given = f"{counted(moves, 'move')} and this rack placement" if wish.mend_racks else "this rack placement"
    if limited and verdict.replicas_proven:
        out.append(minimal(f"{spread}. No plan with as few moves is better balanced (proven)", racks_unknown=unknown))
    else:
        out.append(spread_sentence(verdict, given))
    return (*out, *leader_sentences(verdict))
