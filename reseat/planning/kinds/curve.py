"""Between least moves and perfect balance: what a few more moves would buy.

Promises, in this order:
    1. Every point given is reached by a plan that is at hand, and no plan with so many moves is evener (replica sum of
       squares over the targets), under the rack rule: partitions that lose a broker sit on racks as well as they can,
       and no other partition's sum of squares over racks rises.
    2. A point that is not found exactly is left out, and never guessed; ``whole_curve`` says how many and why.
    3. ``plan_at`` says "Proven" of a point only where no rearrangement whatever, racks and places aside, is evener with
       so many moves: then a count that the flow has no part in confirms it.

Needs: a removal (for added brokers and for a rebalance, the points are plans with ``max_moves``); replica counts, not
bytes.

How: one network for the whole layout, aggregated so that it stays small. Displaced replicas enter racks as in
``placing``. Further moves take a replica out of a broker (level arcs downwards, each a gain of ``2 l - 1``) into its
own rack, or into another rack up to the number of replicas that could go there without a rise. All further moves pass
one arc, so that its capacity is their number: the least sum of squares for each number is a plain min-cost flow, and
with cost 1 on that arc the flow finds the fewest moves of the best balance. It leaves out which brokers hold a
partition already, so it bounds every plan; then seats are dealt out and swapped until nobody clashes. If all find a
seat, the bound is reached. (A rack prices brokers that rise and brokers that fall apart; where the two meet, so that
this is no bound, the point is left out unless it is even to one replica.) Where a point is missing and the layout is
small, ``partition_flow`` gives all points, one partition at a time.

Example: loads 6, 2, 1 (no racks), one displaced replica: least moves end at 6, 2, 2 (sum 44); one more at 5, 3, 2 or
5, 2, 3 (38); two more at 4, 3, 3 (34), and nothing is evener.

Complexity: O(P R) once, a flow of O(racks x (racks + levels)) arcs a point, and the swaps of ``rounding``.
Source: R. K. Ahuja, T. L. Magnanti, J. B. Orlin, "Network Flows", 1993, chapter 14 (convex costs).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from reseat.errors import WishRefused
from reseat.model import Broker, ClusterLayout, CurvePoint, Plan, Wish
from reseat.model.wording import counted, verb
from reseat.planning.kinds import partition_flow
from reseat.planning.kinds.add import addition_curve
from reseat.planning.kinds.rebalance import rebalance_curve
from reseat.planning.kinds.removal_network import PointPlan, RemovalNetwork
from reseat.planning.kinds.remove import Removal, planned, prepared
from reseat.planning.plan import plan
from reseat.planning.proof.exchange import least_squares_with_moves

__all__ = ["Curve", "curve", "plan_at", "whole_curve"]

#: Shares of the way to perfect balance at which points are offered.
_SHARES = (0.25, 0.5, 0.75, 1.0)


@dataclass(frozen=True, slots=True)
class Curve:
    """What more moves buy, and what is not offered.

    Attributes:
        points: by ascending moves; see ``curve``.
        sentences: what is left out and why; empty where nothing is.
    """

    points: tuple[CurvePoint, ...]
    sentences: tuple[str, ...] = ()


def curve(layout: ClusterLayout, wish: Wish) -> tuple[CurvePoint, ...]:
    """PointPlan between least moves and the best balance, by ascending moves; the first is the minimal plan.

    For brokers that join, the last is the plan of the best balance, and those before it make fewer moves.

    Returns:
        The minimal plan and the further points found exactly; none where bytes, a cap or another replication factor
        were wished for.

    Raises:
        WishRefused: as ``plan``.
    """
    return whole_curve(layout, wish).points


def whole_curve(layout: ClusterLayout, wish: Wish) -> Curve:
    """The points of ``curve``, and sentences that say which are left out and why.

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
        return Curve((_least(layout, wish),), (_only_last_resorts(removal),))
    model = RemovalNetwork.of(removal)
    least = model.points(0)
    points = [_least(layout, wish) if least is None else least.point]
    # Where the first point is not found, nor is it known how far the curve goes.
    most, missing = model.most(), int(least is None)
    for moves in sorted({int(np.ceil(most * share)) for share in _SHARES} - {0}):
        found = model.points(moves)
        if found is None:
            missing += 1
        elif found.point.replica_sum_of_squares < points[-1].replica_sum_of_squares:
            points.append(found.point)
    if missing:
        exact = partition_flow.points(model.removal)
        if exact:
            return Curve(_spread_out([one.point for one in exact]))
    return Curve(tuple(points), _cut_short() if least is None else _left_out(missing))


def _spread_out(points: list[CurvePoint]) -> tuple[CurvePoint, ...]:
    """The first, the last, and those nearest to the shares between."""
    first, last = points[0].moves, points[-1].moves
    wanted = [first, *(first + share * (last - first) for share in _SHARES)]
    chosen = {min(points, key=lambda point: (abs(point.moves - moves), point.moves)) for moves in wanted}
    return tuple(sorted(chosen, key=lambda point: point.moves))


def _without_a_curve(wish: Wish) -> str | None:
    """Why a wish has no points to choose from, or None."""
    if wish.replication_factor is not None:
        return "A replication-factor change has one plan, the minimum; no alternatives with more moves are offered."
    if wish.options.by_bytes and (wish.rebalance or not wish.rearranges):
        return (
            "No alternatives with more moves: the plan balances by size, and alternatives are computed for replica "
            "counts only."
        )
    if wish.mend_racks or wish.leaders_only or wish.places or (wish.rebalance and wish.remove):
        return "This change has one plan: the one with the fewest moves for it."
    if wish.options.receive_cap is not None:
        return "No alternatives with more moves: a cap on replicas received is set."
    return None


def _only_last_resorts(removal: Removal) -> str:
    return (
        f"No alternatives with more moves: {counted(removal.short, 'replica')} can only go to brokers that are "
        "fenced or shutting down. Bring them back first."
    )


def _cut_short() -> tuple[str, ...]:
    return ("Better balanced plans with more moves may exist: the end of this curve could not be computed.",)


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

    Args:
        layout: the layout.
        wish: brokers that leave, brokers that join, or a rebalance.
        moves: replica moves, at least the fewest that the wish needs.

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
        return _said_enough(plan(layout, replace(wish, options=replace(wish.options, max_moves=moves))), moves)
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
        return plan(layout, wish)
    model = RemovalNetwork.of(removal)
    # Beyond the end of the curve its last point is what there is.
    found = model.points(further) or model.points(min(further, model.most())) or _partition_by_partition(removal, moves)
    if found is not None and found.point.moves == removal.displaced:
        return _said_enough(plan(layout, wish), moves)
    if found is None:
        raise WishRefused(
            f"No plan with {counted(moves, 'move')} is proven to have the smallest spread.",
            brokers=wish.remove,
            choices=("Choose another point of the curve.", "Choose the plan with the fewest moves."),
        )
    made, reached = found.point.moves - removal.displaced, found.point.replica_sum_of_squares
    floor = least_squares_with_moves(removal.kept[removal.targets], removal.displaced, found.point.moves)
    said = (
        f"Max–min replica count per broker: {found.point.replica_spread:,}, with {counted(made, 'move')} more than the "
        "minimum"
    )
    said += (
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
    fewer = f"{asked}; the plan makes {certificate.moves:,}: no plan with more moves is better balanced."
    return replace(made, certificate=replace(certificate, sentences=(*certificate.sentences, fewer)))


def _partition_by_partition(removal: Removal, moves: int) -> PointPlan | None:
    """The point with so many moves, or the last where that makes fewer; only where the layout is small."""
    found = partition_flow.points(removal)
    for one in found:
        if one.point.moves == moves or (one is found[-1] and one.point.moves < moves):
            return PointPlan(one.point, one.rows, one.lists)
    return None


def _least(layout: ClusterLayout, wish: Wish) -> CurvePoint:
    """The minimal plan as a point, where the aggregated network does not find it."""
    return CurvePoint.of(plan(layout, wish).certificate)


def _removal(layout: ClusterLayout, wish: Wish) -> Removal:
    return prepared(layout, wish.remove, tuple(Broker(broker, rack) for broker, rack in wish.add), wish.options)


def _curve_of_added(layout: ClusterLayout, wish: Wish) -> Curve:
    """Shares of the moves that the best balance takes (or of those allowed), as far as they are exact."""
    joining = tuple(Broker(broker, rack) for broker, rack in wish.add)
    points, missing = addition_curve(layout, joining, shares=_SHARES, options=wish.options)
    return Curve(points, _left_out(missing))
