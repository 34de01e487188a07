"""Between least moves and perfect balance: what a few more moves would buy.

Promises, in this order:
    1. Every point given is reached by a plan that is at hand, and no plan with so many moves is evener (replica sum of
       squares over the targets), under the rack rule: partitions that lose a broker sit on racks as well as they can,
       and no other partition's sum of squares over racks rises.
    2. A point that is not found exactly is left out, and never guessed; ``whole_curve`` says how many and why.
    3. ``plan_at`` says "Proven" of a point only where no rearrangement whatever, racks and places aside, is evener with
       so many moves: then a count that the flow has no part in confirms it.

Needs: a removal (for added brokers, the points are plans with ``max_moves``); replica counts, not bytes.

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

Complexity: O(P R) once, a flow of O(racks x (racks + levels)) arcs a point, and the swaps of ``seating``.
Source: R. K. Ahuja, T. L. Magnanti, J. B. Orlin, "Network Flows", 1993, chapter 14 (convex costs).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from reseat.errors import WishRefused
from reseat.model import NONE, Broker, ClusterLayout, CurvePoint, IntArray, Plan, Wish
from reseat.model.wording import verb
from reseat.planning import partition_flow
from reseat.planning.add import addition_curve
from reseat.planning.flow import Network, fill
from reseat.planning.plan import plan
from reseat.planning.preconditions import plural
from reseat.planning.proofs import least_squares_with_moves
from reseat.planning.rack_choice import RackChoice, Task, effective_racks, rack_choice, rack_of_each, situations
from reseat.planning.remove import Removal, planned, prepared
from reseat.planning.seating import Seating, as_columns, dealt, settle

__all__ = ["Curve", "curve", "plan_at", "whole_curve"]

_Ints = npt.NDArray[np.int64]

#: Shares of the way to perfect balance at which points are offered.
_SHARES = (0.25, 0.5, 0.75, 1.0)
#: Above this many racks they are not told apart: one pool, and racks are kept by swapping.
_MANY_RACKS = 64


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
    """Points between least moves and the best balance, by ascending moves; the first is the minimal plan.

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
    if not wish.remove:
        return _curve_of_added(layout, wish)
    removal = _removal(layout, wish)
    if removal.short:
        return Curve((_least(layout, wish),), (_only_last_resorts(removal),))
    model = _Model.of(removal)
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
    if wish.options.by_bytes:
        return "No alternatives with more moves: the plan balances by size, and they are exact for counts only."
    if wish.options.receive_cap is not None:
        return "No alternatives with more moves: a cap on replicas received is set."
    return None


def _only_last_resorts(removal: Removal) -> str:
    return (
        f"No alternatives with more moves: {plural(removal.short, 'replica')} can only go to brokers that are "
        "fenced or shutting down. Bring them back first."
    )


def _cut_short() -> tuple[str, ...]:
    return (
        "Better balanced plans with more moves may exist: the end of this curve is unknown, because no flow by racks "
        "reaches the plan with the fewest moves.",
    )


def _left_out(missing: int) -> tuple[str, ...]:
    if not missing:
        return ()
    return (
        f"{plural(missing, 'further point')} {verb(missing, 'is', 'are')} left out: "
        "no plan there is certain to have the smallest spread for that many moves.",
    )


def plan_at(layout: ClusterLayout, wish: Wish, moves: int) -> Plan:
    """The best balanced plan with at most so many replica moves, as a point of the curve offers it.

    It makes fewer where more make nothing evener, and says so.

    Args:
        layout: the layout.
        wish: brokers that leave, or brokers that join.
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
            f"The point has {plural(moves, 'move')}, and at most {plural(most, 'move')} {verb(most, 'is', 'are')} "
            "allowed.",
            choices=("Take another point of the curve.", "Allow more moves."),
        )
    if not wish.remove:
        return _said_enough(plan(layout, replace(wish, options=replace(wish.options, max_moves=moves))), moves)
    removal = _removal(layout, wish)
    further = moves - removal.displaced
    if further < 0:
        raise WishRefused(
            f"{plural(moves, 'move')} are too few: {plural(removal.displaced, 'replica')} must move.",
            brokers=wish.remove,
            choices=(f"Allow at least {removal.displaced:,}.",),
        )
    if further and removal.short:
        raise WishRefused(
            _only_last_resorts(removal),
            brokers=wish.remove,
            choices=("Take the plan with the fewest moves.", "Read the layout anew once they are back."),
        )
    if further == 0:
        return plan(layout, wish)
    model = _Model.of(removal)
    # Beyond the end of the curve its last point is what there is.
    found = model.points(further) or model.points(min(further, model.most())) or _partition_by_partition(removal, moves)
    if found is not None and found.point.moves == removal.displaced:
        return _said_enough(plan(layout, wish), moves)
    if found is None:
        raise WishRefused(
            f"No plan with {plural(moves, 'move')} is certain to have the smallest spread.",
            brokers=wish.remove,
            choices=("Take another point of the curve.", "Take the plan with the fewest moves."),
        )
    made, reached = found.point.moves - removal.displaced, found.point.replica_sum_of_squares
    floor = least_squares_with_moves(removal.kept[removal.targets], removal.displaced, found.point.moves)
    said = (
        f"Max–min replica count per broker: {found.point.replica_spread:,}, with {plural(made, 'move')} more than the "
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
    asked = f"{plural(allowed, 'move')} {verb(allowed, 'was', 'were')} requested"
    fewer = f"{asked}; the plan makes {certificate.moves:,}: no plan with more moves is better balanced."
    return replace(made, certificate=replace(certificate, sentences=(*certificate.sentences, fewer)))


def _partition_by_partition(removal: Removal, moves: int) -> _Found | None:
    """The point with so many moves, or the last where that makes fewer; only where the layout is small."""
    found = partition_flow.points(removal)
    for one in found:
        if one.point.moves == moves or (one is found[-1] and one.point.moves < moves):
            return _Found(one.point, one.rows, one.lists)
    return None


def _least(layout: ClusterLayout, wish: Wish) -> CurvePoint:
    """The minimal plan as a point, where the aggregated network does not find it."""
    certificate = plan(layout, wish).certificate
    return CurvePoint(certificate.moves, certificate.replica_sum_of_squares or 0, certificate.replica_spread or 0)


def _removal(layout: ClusterLayout, wish: Wish) -> Removal:
    return prepared(layout, wish.remove, tuple(Broker(broker, rack) for broker, rack in wish.add), wish.options)


def _curve_of_added(layout: ClusterLayout, wish: Wish) -> Curve:
    """Shares of the moves that the best balance takes (or of those allowed), as far as they are exact."""
    joining = tuple(Broker(broker, rack) for broker, rack in wish.add)
    points, missing = addition_curve(layout, joining, shares=_SHARES, options=wish.options)
    return Curve(points, _left_out(missing))


@dataclass(frozen=True, eq=False)
class _Found:
    point: CurvePoint
    rows: _Ints
    lists: IntArray


@dataclass(frozen=True, eq=False)
class _Model:
    """The aggregated network of a removal.

    Attributes:
        removal: what leaves.
        pools: (B,) the rack of each broker, or 0 for all where racks are not told apart.
        key: (B,) what a partition may not have twice in a pool: brokers, or racks where pools are not racks.
        task: the displaced replicas.
        choice: their best racks; None in one pool.
        crossing: (K, K) replicas that could go from one rack to another without a rise.
    """

    removal: Removal
    pools: _Ints
    key: IntArray
    task: Task
    choice: RackChoice | None
    crossing: _Ints

    @classmethod
    def of(cls, removal: Removal) -> _Model:
        layout = removal.layout
        rack, on = effective_racks(layout)
        racks = int(rack.max()) + 1
        is_target = removal.targets
        task = Task(
            staying=removal.staying,
            needed=removal.needed,
            rack=rack,
            loads=removal.kept,
            targets=np.flatnonzero(is_target),
            is_target=is_target,
            room=np.full(rack.size, 1 << 40),
        )
        if not on or racks > _MANY_RACKS:
            pools = np.zeros(rack.size, np.int64)
            return cls(removal, pools, rack, task, None, np.zeros((1, 1), np.int64))
        kinds, group = situations(task) if removal.rows.size else (np.empty((0, 2), np.int64), np.empty(0, np.int64))
        choice = rack_choice(task, kinds, group, racks)
        own = np.arange(rack.size, dtype=np.int32)
        return cls(removal, rack.astype(np.int64), own, task, choice, _crossing(removal, rack, choice, racks))

    def most(self) -> int:
        """Further moves after which nothing is evener."""
        flow = self._solve(None)
        return 0 if flow is None else flow.further

    def points(self, further: int) -> _Found | None:
        """The best plan with at most so many further moves, or None where it is not found exactly."""
        flow = self._solve(further)
        return None if flow is None else self._realised(flow)

    # ---- the network ---------------------------------------------------------------------------------------

    def _solve(self, further: int | None) -> _Flow | None:
        racks, targets = len(self.crossing), self.task.targets
        loads, pool = self.task.loads[targets], self.pools[targets]
        entering = np.zeros((0, racks), np.int64) if self.choice is None else self._forced()
        network = Network()
        into, out_of = network.nodes(racks), network.nodes(racks)
        hub, sink = network.nodes(1), network.nodes(1)
        displaced = self.removal.displaced
        if self.choice is None:
            groups = options = np.empty(0, np.int64)
            network.supply(into, displaced)
        else:
            sources = network.nodes(len(self.choice.size))
            groups, options = np.nonzero(self.choice.open_racks)
            network.supply(sources, self.choice.size * self.choice.extra)
            network.supply(into, entering.sum(axis=0))
        network.supply(sink, -displaced)
        entry = slice(0, 0)
        if groups.size and self.choice is not None:
            entry = network.arcs(sources[groups], into[options], self.choice.size[groups])
        limit = self.removal.layout.replica_count if further is None else further
        loop = network.arcs(sink, hub, limit, 1)
        # Nobody needs to fall below the emptiest, nor to rise above what the displaced replicas alone could do to a
        # rack: further moves go from fuller brokers to emptier ones.
        highest = self._highest(entering)
        down = self._level_arcs(loads, pool, int(loads.min()), int(loads.max()))
        lower = network.arcs(hub, out_of[down.pool], down.capacity, -(2 * down.level + 1))
        same = network.arcs(out_of, into, limit)
        start, end = np.nonzero(self.crossing)
        cross = network.arcs(out_of[start], into[end], self.crossing[start, end])
        up = self._level_arcs(loads, pool, int(loads.min()), highest, rising=True)
        upper = network.arcs(into[up.pool], sink, up.capacity, 2 * up.level + 1)
        flow = network.solve()
        if flow is None:
            return None
        moved = np.zeros((racks, racks), np.int64)
        moved[start, end] = flow[cross]
        np.fill_diagonal(moved, flow[same])
        sent = np.zeros((0 if self.choice is None else len(self.choice.size), racks), np.int64)
        if groups.size:
            sent[groups, options] = flow[entry]
        further = int(flow[loop][0])
        gain = int((flow[lower] * -(2 * down.level + 1)).sum() + (flow[upper] * (2 * up.level + 1)).sum())
        return _Flow(further, int((loads**2).sum()) + gain, moved, sent)

    def _highest(self, entering: _Ints) -> int:
        targets, highest = self.task.targets, 0
        most = np.array([self.removal.displaced], np.int64)
        if self.choice is not None:
            most = entering.sum(axis=0) + self.choice.size @ self.choice.open_racks
        for k, count in enumerate(most.tolist()):
            loads = self.task.loads[targets[self.pools[targets] == k]]
            if loads.size:
                highest = max(highest, int((loads + fill(loads, count)).max()))
        return highest

    def _forced(self) -> _Ints:
        if self.choice is None:
            return np.zeros((0, len(self.crossing)), np.int64)
        forced: _Ints = self.choice.size[:, None] * self.choice.base.astype(np.int64)
        return forced

    def _level_arcs(self, loads: _Ints, pool: _Ints, low: int, high: int, *, rising: bool = False) -> _Levels:
        """For each pool and level l in [low, high): its brokers that pass from l to l + 1 (or back)."""
        racks, span = len(self.crossing), max(0, high - low)
        held = np.zeros((racks, span + 1), np.int64)
        np.add.at(held, (pool, np.clip(loads - low, 0, span)), 1)
        at_most = np.cumsum(held, axis=1)
        count = at_most[:, :-1] if rising else at_most[:, -1:] - at_most[:, :-1]
        where, level = np.nonzero(count)
        return _Levels(where, level + low, count[where, level])

    # ---- from the network to lists -------------------------------------------------------------------------

    def _realised(self, flow: _Flow) -> _Found | None:
        removal, task = self.removal, self.task
        extra = self._leavers(flow.moved)
        if extra is None:
            return None
        rows, columns, pools = extra
        if self.choice is None:
            first = np.repeat(np.arange(task.needed.size), task.needed)
            first_pool = np.zeros(first.size, np.int64)
        else:
            first, first_pool = rack_of_each(self.choice, flow.sent)
        lists = np.concatenate([removal.lists, removal.layout.replicas[rows]])
        vacated = np.concatenate([removal.goes, np.zeros((rows.size, lists.shape[1]), np.bool_)])
        vacated[task.needed.size + np.arange(rows.size), columns] = True
        unit = np.concatenate([first, task.needed.size + np.arange(rows.size)])
        unit_pool = np.concatenate([first_pool, pools])
        order = np.lexsort((unit, unit_pool))
        unit, unit_pool = unit[order], unit_pool[order]
        arriving = np.bincount(unit_pool, minlength=len(self.crossing))
        seats = [
            dealt(inside, fill(task.loads[inside], int(arriving[k])))
            for k in range(len(self.crossing))
            if (inside := task.targets[self.pools[task.targets] == k]).size
        ]
        seating = Seating(unit, unit_pool, np.concatenate(seats))
        whole = replace(
            task,
            staying=np.where(vacated, NONE, lists).astype(np.int32),
            needed=np.concatenate([task.needed, np.ones(rows.size, np.int64)]),
        )
        if not settle(whole, seating, len(self.crossing), self.key):
            return None
        newcomers = as_columns(seating, whole.needed)
        nth = np.cumsum(vacated, axis=1) - 1
        row, column = np.nonzero(vacated)
        lists[row, column] = newcomers[row, nth[row, column]]
        loads = task.loads - np.bincount(removal.layout.replicas[rows, columns], minlength=task.rack.size)
        loads = (loads + np.bincount(seating.seat, minlength=task.rack.size))[task.targets]
        every = np.concatenate([removal.rows, rows])
        by_row = np.argsort(every, kind="stable")
        point = CurvePoint(
            moves=removal.displaced + rows.size,
            replica_sum_of_squares=int((loads**2).sum()),
            replica_spread=int(np.ptp(loads)),
        )
        if point.replica_sum_of_squares != flow.squares:
            return None
        received = np.bincount(seating.seat, minlength=task.rack.size)[task.targets]
        if point.replica_spread > 1 and self._may_pass_through(loads, received):
            return None
        return _Found(point, every[by_row], lists[by_row])

    def _may_pass_through(self, loads: _Ints, received: _Ints) -> bool:
        """Whether a replica that enters a rack might better make another leave it, which the network prices too high.

        The network adds up what rising and falling brokers of a rack cost. That is right while no broker that rises
        comes up to the fullest of its rack, also by one more; else a broker that receives might as well give.
        """
        pools = self.pools[self.task.targets]
        for k in np.flatnonzero(self.crossing.any(axis=1)).tolist():
            inside = pools == k
            if not inside.any():
                continue
            after, rises = loads[inside], received[inside] > 0
            fullest = int((after - received[inside]).max())
            risen = int(after[rises].max()) if rises.any() else int(after.min())
            if risen + 1 > fullest:
                return True
        return False

    def _leavers(self, moved: _Ints) -> tuple[_Ints, _Ints, _Ints] | None:
        """The replicas that move further: rows, columns, and the pool that each goes to."""
        task, layout = self.task, self.removal.layout
        gives = np.zeros(task.rack.size, np.int64)
        for k in np.flatnonzero(moved.sum(axis=1)).tolist():
            inside = task.targets[self.pools[task.targets] == k]
            # Drained from the top: filling the loads upside down.
            gives[inside] = fill(-task.loads[inside], int(moved[k].sum()), task.loads[inside])
        if not gives.any():
            nothing = np.empty(0, np.int64)
            return nothing, nothing, nothing
        on_giver = np.append(gives > 0, False)[self.removal.open_replicas]
        on_giver[self.removal.rows] = False
        width = layout.replicas.shape[1]
        flat = np.flatnonzero(on_giver)
        rows, columns = flat // width, flat % width
        giver = layout.replicas[rows, columns]
        small = giver.astype(np.int16) if task.rack.size < np.iinfo(np.int16).max else giver
        order = np.argsort(small, kind="stable")  # a radix sort, where numbers are small
        rows, columns, giver = rows[order], columns[order], giver[order]
        used = np.zeros(layout.partition_count, np.bool_)
        picked: list[_Ints] = []
        pools: list[_Ints] = []
        first = np.searchsorted(giver, np.arange(task.rack.size + 1))
        left = moved.copy()
        for broker in np.flatnonzero(gives).tolist():
            mine = np.arange(first[broker], first[broker + 1])
            k = int(self.pools[broker])
            missing = int(gives[broker])
            # To other racks first: fewer replicas may go there.
            for goal in [*np.flatnonzero(left[k] * (np.arange(len(left)) != k)).tolist(), k]:
                count = min(missing, int(left[k, goal]))
                if count == 0:
                    continue
                able = mine[~used[rows[mine]]]
                if goal != k:
                    able = able[self._may_cross(rows[able], k, goal)]
                _, once = np.unique(rows[able], return_index=True)
                # Spread over the rows of the broker, so that no topic gives everything.
                able = able[once[np.linspace(0, once.size - 1, min(count, once.size)).astype(np.int64)]]
                used[rows[able]] = True
                picked.append(able)
                pools.append(np.full(able.size, goal))
                left[k, goal] -= able.size
                missing -= able.size
            if missing:
                return None
        at = np.concatenate(picked)
        return rows[at], columns[at].astype(np.int64), np.concatenate(pools)

    def _may_cross(self, rows: _Ints, start: int, goal: int) -> npt.NDArray[np.bool_]:
        racks = np.append(self.task.rack, NONE)[self.removal.layout.replicas[rows]]
        fits: npt.NDArray[np.bool_] = (racks == goal).sum(axis=1) < (racks == start).sum(axis=1)
        return fits


@dataclass(frozen=True, eq=False)
class _Levels:
    pool: _Ints
    level: _Ints
    capacity: _Ints


@dataclass(frozen=True, eq=False)
class _Flow:
    """Further moves, the sum of squares, (K, K) moves from rack to rack, (G, K) displaced replicas into racks."""

    further: int
    squares: int
    moved: _Ints
    sent: _Ints


def _crossing(removal: Removal, rack: IntArray, choice: RackChoice, racks: int) -> _Ints:
    """(K, K) an upper bound of the replicas that could go from rack to rack while no sum of squares rises.

    A partition that is as even over the racks of targets as can be (q or q + 1 in each) must stay so: then at most one
    replica goes from a rack with q + 1 to one with q. Of a partition that is not, all are counted. A partition that
    loses a broker is taken as its displaced replicas leave it: ``base`` taken, and any of ``open_racks`` perhaps.
    """
    layout = removal.layout
    able = np.bincount(rack[removal.targets], minlength=racks) > 0
    staying = ~removal.pinned
    staying[removal.rows] = False
    held, size = _rack_counts(layout.replicas if staying.all() else layout.replicas[staying], rack, racks)
    bound = _crossings(held, np.zeros(held.shape, np.bool_), size, able)
    if removal.rows.size:
        first = np.unique(choice.group, return_index=True)[1]
        lists = removal.staying[first]
        kept = np.zeros((first.size, racks), np.int64)
        who, slot = np.nonzero(lists != NONE)
        np.add.at(kept, (who, rack[lists[who, slot]]), 1)
        bound += _crossings(kept + choice.base, choice.open_racks, choice.size, able)
    np.fill_diagonal(bound, 0)
    return bound


def _rack_counts(lists: IntArray, rack: IntArray, racks: int) -> tuple[_Ints, _Ints]:
    """(k, K) replicas by rack of each kind of list, and (k,) how many lists are of it."""
    table = np.append(rack, NONE)[lists]
    table.sort(axis=1)
    if float(racks + 1) ** table.shape[1] < 2.0**62:
        key = np.zeros(len(table), np.int64)
        for column in table.T:
            key = key * (racks + 1) + (column + 1)
        _, first, size = np.unique(key, return_index=True, return_counts=True)
    else:
        _, first, size = np.unique(table, axis=0, return_index=True, return_counts=True)
    kinds = table[first]
    held = np.zeros((len(kinds), racks), np.int64)
    who, slot = np.nonzero(kinds != NONE)
    np.add.at(held, (who, kinds[who, slot]), 1)
    return held, size


def _crossings(held: _Ints, perhaps: npt.NDArray[np.bool_], size: _Ints, able: npt.NDArray[np.bool_]) -> _Ints:
    """The bound for kinds of partitions: replicas by rack, racks that perhaps hold one more, how many partitions."""
    high, low = held + perhaps, held
    within = able[None, :]
    top = np.where(within, high, 0).max(axis=1, initial=0)
    floor = np.where(within, low, np.iinfo(np.int64).max).min(axis=1, initial=np.iinfo(np.int64).max)
    even = (top - floor <= 1)[:, None, None]
    may = np.where(even, high[:, :, None] > low[:, None, :], high[:, :, None] > 0)
    count = np.where(even, 1, high[:, :, None])
    total: _Ints = (size[:, None, None] * count * (may & able[None, :, None] & able[None, None, :])).sum(axis=0)
    return total
