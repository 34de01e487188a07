"""Between least moves and perfect balance: what a few more moves would buy.

Promises, in this order:
    1. Every point given is reached by a plan that is at hand, and no plan with so many moves is evener (replica sum of
       squares over the targets), under the rack rule: partitions that lose a broker sit on racks as well as they can,
       and no other partition's sum of squares over racks rises.
    2. A point that is not found exactly gives its place to one before it that is; where there is none it is left out,
       and never guessed: ``whole_curve`` says how many and why. Of sets that bytes make less even only the plan is one.
    3. ``plan_at`` says "Proven" of a point only where no rearrangement whatever, racks and places aside, is evener with
       so many moves: then a count that the flow has no part in confirms it.

Needs: a removal (for added brokers and for a rebalance, the points are plans with ``max_moves``); replica counts, but
for a rebalance by size, of whose points nothing is claimed but what its certificate says.

How: ``Solver.with_moves``. A broker that would have to give one replica and take another counts for less there than it
moves: where that would be needed, the point is one where each move is worth the same price (``Solver.within``).

Example: loads 6, 2, 1 (no racks), one displaced replica: least moves end at 6, 2, 2 (sum 44); one more at 5, 3, 2 or
5, 2, 3 (38); two more at 4, 3, 3 (34), and nothing is evener.

Complexity: that of ``solver``, once a point.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from reseat.errors import WishRefused
from reseat.model import Broker, ClusterLayout, CurvePoint, Plan, Wish
from reseat.model.wording import counted, verb
from reseat.planning.kinds import plan_without_point, refuse_closed_joining
from reseat.planning.kinds.add import addition
from reseat.planning.kinds.rebalance import rebalance_curve
from reseat.planning.kinds.remove import Removal, placed_by_fewest, planned, prepared
from reseat.planning.preconditions import who_leads
from reseat.planning.proof.exchange import least_squares_with_moves
from reseat.planning.proposal import point_of
from reseat.planning.rules import copies_no_more
from reseat.planning.solve.solver import Solver

__all__ = ["Curve", "plan_at", "whole_curve"]

#: Shares of the way to perfect balance at which points are offered.
_SHARES = (0.25, 0.5, 0.75, 1.0)
_CUT_SHORT = "Better balanced plans with more moves may exist: the end of this curve could not be computed."


@dataclass(frozen=True, slots=True)
class Curve:
    """What more moves buy, and what is not offered.

    Attributes:
        points: by ascending moves, the minimal plan first (of brokers that join, that of the best balance last); none
            where a change has none.
        sentences: what is left out and why; empty where nothing is.
    """

    points: tuple[CurvePoint, ...]
    sentences: tuple[str, ...] = ()


def whole_curve(layout: ClusterLayout, wish: Wish) -> Curve:
    """Points between least moves and the best balance, and sentences that say which are left out and why.

    For brokers that join, the last is the plan of the best balance, and those before it make fewer moves.

    Raises:
        WishRefused: as ``plan``.
    """
    without = _without_a_curve(wish)
    if without is not None:
        return Curve((), (without,))
    if wish.rebalance:
        return Curve(rebalance_curve(layout, _SHARES[:-1], wish))
    if not wish.remove:
        return _curve_of_added(layout, wish)
    removal = _removal(layout, wish)
    if removal.short:
        return Curve((CurvePoint.of(plan_without_point(layout, wish)),), (_only_last_resorts(removal),))
    refuse_closed_joining(wish)
    who_leads(removal.layout, wish.options, removal.leaving)  # no plan of this curve could be made else
    fewest, _ = placed_by_fewest(removal, wish.options)
    whole = replace(fewest, rows=removal.rows[fewest.rows])
    solver, first = Solver(removal.further, own_arcs=0), point_of(removal.layout, removal.further, whole)
    points = [] if first is None else [first]
    evenest = solver.with_moves(layout.replica_count)
    if evenest is None:
        return Curve(tuple(points), (_CUT_SHORT,))
    most, missing = removal.further.moves(evenest) - removal.displaced, 0
    for moves in sorted({int(np.ceil(most * share)) for share in _SHARES} - {0}):
        found = (sure := solver.with_moves(removal.displaced + moves)) or solver.within(removal.displaced + moves)
        point = None if found is None else point_of(removal.layout, removal.further, found)
        if point is not None and (not points or point.replica_sum_of_squares < points[-1].replica_sum_of_squares):
            points.append(point)
        elif sure is None or point is None:
            missing += 1
    return Curve(tuple(points), _left_out(missing))


def _without_a_curve(wish: Wish) -> str | None:
    """Why a wish has no points to choose from, or None."""
    if wish.replication_factor is not None:
        return "A replication-factor change has one plan, the minimum; no alternatives with more moves are offered."
    if wish.options.by_bytes and wish.remove and not wish.rebalance:
        return (
            "No alternatives with more moves: the plan balances by size, and alternatives are computed for replica "
            "counts only."
        )
    if wish.options.rack_levels and wish.remove:
        return "No alternatives with more moves: those keep racks as they are, which rack levels have no measure for."
    if wish.options.same_rack:
        return "No alternatives with more moves: replicas stay in their racks."
    if wish.rebalance and wish.options.even_topics:
        return (
            "A rebalance by topic has one plan: with fewer moves some topics would not get their least spread, and no "
            "aim says which."
        )
    if wish.rebalance and wish.remove:
        return "A rebalance with brokers removed has one plan, the best balanced: drain them alone for fewer moves."
    if wish.places:
        return "A replacement has one plan: the new broker takes the old one's places, and nothing else moves."
    if wish.leaders_only:
        return "Leaders only has one plan: no replica moves, and no fewer changed leaders balance them as well."
    if wish.mend_racks or wish.mend:
        what = "on fewer racks than they can be" if wish.mend_racks else "broken"
        return f"This change has one plan: with fewer moves partitions would stay {what}; for more balance, rebalance."
    if wish.options.receive_cap is not None:
        return "No alternatives with more moves: a cap on replicas received is set."
    return None


def _only_last_resorts(removal: Removal) -> str:
    return (
        f"No alternatives with more moves: {counted(removal.short, 'replica')} can only go to brokers that are "
        "fenced or shutting down. Bring them back first."
    )


def _left_out(missing: int) -> tuple[str, ...]:
    if not missing:
        return ()
    return (
        f"{counted(missing, 'further point')} {verb(missing, 'is', 'are')} omitted: no plan there is proven to have "
        "the smallest spread for that many moves.",
    )


def plan_at(layout: ClusterLayout, wish: Wish, moves: int) -> Plan:
    """The best balanced plan with at most so many replica moves, as a point of the curve offers it.

    It makes fewer where more make nothing evener, and says so.

    Raises:
        WishRefused: as ``plan``; the wish has no curve, fewer moves than needed or more than allowed, or no plan was
            found that is surely the evenest.
    """
    without = _without_a_curve(wish)
    if without is not None:
        raise WishRefused(without, brokers=wish.remove, topics=wish.topics, choices=("Plan without a point.",))
    most = wish.options.max_moves
    if not wish.remove and most is not None and moves > most:
        raise WishRefused(
            f"The point has {counted(moves, 'move')}, and at most {counted(most, 'move')} {verb(most, 'is', 'are')} "
            "allowed.",
            choices=("Choose another point of the curve.", "Allow more moves."),
        )
    if not wish.remove:
        weighed = wish.options.by_bytes or any(rule.bytes is not None for rule in wish.options.capacity)
        if weighed and (whole := plan_without_point(layout, wish)).certificate.moves == moves:
            return whole
        return _said_enough(
            plan_without_point(layout, replace(wish, options=replace(wish.options, max_moves=moves))), moves
        )
    removal = _removal(layout, wish)
    further = moves - removal.displaced
    if further < 0:
        raise WishRefused(
            f"{counted(moves, 'move')} are too few: {counted(removal.displaced, 'replica')} must move.",
            brokers=wish.remove,
            choices=(f"Allow at least {removal.displaced:,}.",),
        )
    if further and removal.short:
        raise WishRefused(
            _only_last_resorts(removal),
            brokers=wish.remove,
            choices=("Choose the plan with the fewest moves.", "Read the layout again once they are back."),
        )
    if further == 0:
        return plan_without_point(layout, wish)
    solver = Solver(removal.further, own_arcs=0)
    found = (sure := solver.with_moves(moves)) or solver.within(moves)
    exact = found is not None and (sure is not None or removal.further.moves(found) == moves)
    if found is None or not exact or point_of(removal.layout, removal.further, found) is None:
        raise WishRefused(
            f"No plan with {counted(moves, 'move')} is proven to have the smallest spread.",
            brokers=wish.remove,
            choices=("Choose another point of the curve.", "Choose the plan with the fewest moves."),
        )
    copied = removal.further.moves(found)
    if copied == removal.displaced:
        return _said_enough(plan_without_point(layout, wish), moves)
    loads = removal.further.loads_with(found)[removal.targets]
    made, reached = copied - removal.displaced, int((loads**2).sum())
    floor = least_squares_with_moves(removal.kept[removal.targets], removal.displaced, copied)
    more = f"with {counted(made, 'move')} more than the minimum"
    said = f"Max–min replica count per broker: {int(np.ptp(loads)):,}, {more}" + (
        ". Proven minimal for that many moves."
        if reached == floor
        else ". Minimal under the rack rule according to the solver; not checked a second time."
    )
    least = reached if reached == floor else None
    made_of_it = planned(removal, wish, found.rows, found.lists, least_squares=least, further=(said,), balance=False)
    return _said_enough(made_of_it, moves)


def _said_enough(made: Plan, allowed: int) -> Plan:
    """The plan, with a sentence where it makes fewer moves than were asked for."""
    certificate = made.certificate
    if certificate.moves >= allowed or certificate.faults:
        return made
    asked = f"{counted(allowed, 'move')} {verb(allowed, 'was', 'were')} requested"
    better = "was found that balances better" if certificate.wish.options.by_bytes else "is better balanced"
    fewer = f"{asked}; the plan makes {certificate.moves:,}: no plan with more moves {better}."
    return replace(made, certificate=replace(certificate, sentences=(*certificate.sentences, fewer)))


def _removal(layout: ClusterLayout, wish: Wish) -> Removal:
    return prepared(layout, wish.remove, tuple(Broker(broker, rack) for broker, rack in wish.add), wish.options)


def _curve_of_added(layout: ClusterLayout, wish: Wish) -> Curve:
    """Shares of the moves that the best balance takes (or of those allowed), as far as they are exact."""
    current, solver, last = addition(layout, tuple(Broker(*one) for one in wish.add), wish.options)
    most = solver.problem.moves(last)
    grid = sorted({int(np.ceil(most * share)) for share in _SHARES} | {most})
    answers = [last if at == most else solver.with_moves(at) for at in grid]
    answers = [one for one in answers if one is None or copies_no_more(current, one, wish.options.max_bytes)]
    points = [None if one is None else point_of(current, solver.problem, one) for one in answers]
    return Curve(tuple(one for one in points if one is not None), _left_out(points.count(None)))
