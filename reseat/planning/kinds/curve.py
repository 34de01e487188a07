"""Between least moves and perfect balance: what a few more moves would buy, whatever the change is.

A change moves what it must (``alone``); then more replicas may move for balance alone. Promises, in this order:
    1. Every point is a plan that ``plan_at`` makes, with these moves, this spread and these bytes. What the change asks
       for stays so: nothing returns to a broker that leaves or that another one takes the place of, no partition that
       drops replicas moves others, and what takes a broker's place stays there.
    2. No partition's racks get less diverse than they are, of what must move than that can be. With ``same_rack``, and
       with levels of racks, each partition keeps as many replicas in each rack as the change alone leaves there.
    3. No plan with so many moves is better balanced (replica sum of squares over the targets), as far as the solver
       knows; the certificate says "Proven" where the checker, or a count that no flow has a part in, confirms it.
    4. A point that is not found exactly gives its place to one before it that is; where there is none it is left out:
       ``whole_curve`` says how many and why. Of sets that bytes make less even only the change alone is one.
    By size, points are the first steps that even out bytes, and nothing is claimed but what the certificate says. Of
    leaders only a point is a number of changed preferred leaders: no order with as few is better balanced.
A rebalance and brokers that join have their own points, plans with ``max_moves`` (``rebalance``, ``add``).

How: ``Solver.with_moves``. A broker that would have to give one replica and take another counts for less there than it
moves: where that would be needed, the point is one where each move is worth the same price (``Solver.within``).

Example: loads 6, 2, 1 (no racks), one displaced replica: least moves end at 6, 2, 2 (sum 44); one more at 5, 3, 2 or
5, 2, 3 (38); two more at 4, 3, 3 (34), and nothing is evener.

Complexity: that of ``solver``, once a point.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from reseat.errors import WishRefused
from reseat.model import NONE, BoolArray, Broker, ClusterLayout, Curve, CurvePoint, Finding, IntArray, Longs, Plan, Wish
from reseat.model.arrays import (
    by_group,
    counts_on,
    gathered,
    in_place,
    lists_differ,
    newcomers,
    of_one_width,
    on_brokers,
    packed,
    row_any,
    row_counts,
    widened,
)
from reseat.model.plan import widest_topic
from reseat.model.units import size
from reseat.model.wording import counted, verb
from reseat.planning.finishing import concluded, with_leaders_evened
from reseat.planning.kinds import plan_without_point, require_possible
from reseat.planning.kinds.add import addition
from reseat.planning.kinds.by_bytes import ByBytes
from reseat.planning.kinds.rebalance import even_leaders, leader_orders, rebalancing
from reseat.planning.kinds.remove import findings_of, placed_sets, prepared
from reseat.planning.preconditions import Settled, begun, closed_to, require_targets, usable, who_leads
from reseat.planning.proof.verdict import Verdict, last_resort_sentences, leader_sentences, rack_sentences
from reseat.planning.proposal import Between, moves_of, point_of, propose
from reseat.planning.rules import copies_no_more, require_enough, ruled
from reseat.planning.solve.problem import Found, Problem
from reseat.planning.solve.rack_choice import racks_of
from reseat.planning.solve.solver import Solver

__all__ = ["limited", "plan_at", "whole_curve"]

#: Shares of the way to perfect balance at which points are offered.
_SHARES = (0.25, 0.5, 0.75)
_CUT_SHORT = "Better balanced plans with more moves may exist: the end of this curve could not be computed."
#: Findings of a kind of change that hold of its points, too.
_OWN_FINDINGS = frozenset({"kept_in_sync", "dead_first", "left_on_unavailable", "option_without_effect"})


@dataclass(frozen=True, eq=False)
class _Further:
    """What may move beside what a change moves.

    Attributes:
        wish: the change.
        start: the layout planned on.
        leaving: (B,) bool, brokers that hold nothing afterwards.
        alone: (P, W) replica lists as the change alone leaves them.
        problem: what may be chosen, n rows: of each partition, or of what it has in each rack.
        left: (n, W) what the change alone leaves of each row.
        part: (n,) the partition of each row.
        placed: copies of the change that are no choice any more.
        findings: of the change.
    """

    wish: Wish
    start: Settled
    leaving: BoolArray
    alone: IntArray
    problem: Problem
    left: IntArray
    part: Longs
    placed: int
    findings: tuple[Finding, ...]

    @property
    def layout(self) -> ClusterLayout:
        """The layout planned on."""
        return self.start.layout

    @cached_property
    def first(self) -> Found:
        """The sets of the change alone, relative to the layout, as all that are told."""
        rows = np.flatnonzero(lists_differ(self.layout.replicas, self.alone))
        return Found(rows, self.alone[rows])

    @cached_property
    def least(self) -> int:
        """Moves of the change alone."""
        return moves_of(self.layout, self.first)

    @property
    def by_size(self) -> bool:
        """Whether bytes are evened out."""
        return self.wish.drains and self.wish.options.by_bytes

    @cached_property
    def _solver(self) -> Solver:
        return Solver(self.problem, own_arcs=0)

    @cached_property
    def _balanced(self) -> Found | None:
        """The best balanced sets."""
        return self._solver.with_moves(None)

    @cached_property
    def _evenest(self) -> Found | None:
        return None if self._balanced is None else self._whole(self._balanced)

    def within(self, most: int) -> Found | None:
        """The best balanced sets with at most so many moves; None where they were not found."""
        budget, solver, limits = most - self.placed, self._solver, self.wish.limits_bytes
        if self.by_size:
            return self._whole(self.by_bytes.evening.within(budget))
        # With as many moves as help, the last point's number of them leads to the same sets.
        found = self._balanced if budget >= solver.foreseen(1) else None
        if found is None or self.problem.moves(found) > budget:
            found = solver.with_moves(budget) or solver.within(budget)

        def copies(one: Found) -> bool:
            return not limits or copies_no_more(self.layout, self._whole(one), self.wish.options.max_bytes)

        if found is not None and not copies(found):
            about = self.problem.moves(found)
            found = solver.within(about, lambda one: self.problem.moves(one) <= about and copies(one))
        return None if found is None else self._evenest if found is self._balanced else self._whole(found)

    def exactly(self, most: int) -> Found | None:
        """As ``within``, of the moves that it makes: what the plan with so many is made of."""
        found = self.within(most)
        return found if found is None or (moves := moves_of(self.layout, found)) == most else self.within(moves)

    @cached_property
    def by_bytes(self) -> ByBytes:
        """Bytes evened from the change alone on."""
        rows = np.flatnonzero(lists_differ(self.problem.lists, self.left))
        start = Found(rows, self.left[rows])
        return ByBytes.of(self.layout, self.problem, start, self.leaving, self.part)

    def _whole(self, found: Found) -> Found:
        """The sets of the layout's partitions: replicas that the change alone has stay at their places."""
        parts, lists, width = found.rows, found.lists, self.alone.shape[1]
        if self.wish.options.same_rack or self.wish.options.rack_levels:  # what partitions have in each rack
            at = np.flatnonzero(np.isin(self.part, self.part[parts]))
            every, lists = (one.copy() for one in of_one_width(self.problem.lists[at], lists))
            every[np.searchsorted(at, parts)] = lists
            row, column = np.nonzero(every != NONE)
            parts, lists = gathered(self.part[at[row]], every[row, column])
        changed = np.zeros(len(self.alone), np.bool_)
        changed[parts] = changed[self.first.rows] = True
        rows = np.flatnonzero(changed)
        after, place = self.alone[rows], np.searchsorted(rows, parts)
        lists = packed(lists, width) if lists.shape[1] > width else widened(lists, width)  # gaps may be anywhere
        after[place] = in_place(after[place], lists)
        return Found(rows, after, moves=moves_of(self.layout, Found(rows, after)))

    def planned(self, found: Found) -> Plan:
        """The plan of these sets."""
        wish, current, options = self.wish, self.layout, self.wish.options
        rows, lists, keeps_order = found.rows, found.lists, bool(wish.topics or wish.places)
        before, alone = of_one_width(current.replicas[rows], self.alone[rows])
        # Where lists keep their order, leaders change in those alone that give up more than the change asks for.
        had = np.where(newcomers(before, alone), np.int32(NONE), alone) if keeps_order else before
        led = row_any(newcomers(lists, had)) | (row_any(newcomers(before, lists)) & (not keeps_order))
        first, every = propose(current, rows[~led], lists[~led]), options.reorder_all and not keeps_order
        free = np.flatnonzero(~self.start.pinned) if every else rows[led]
        proposed = with_leaders_evened(first, rows[led], lists[led], free=free, leaving=self.leaving, options=options)
        gap, said = None, tuple[str, ...]()
        if self.by_size:
            gap, said = self.by_bytes.told(self.by_bytes.evening.within(moves_of(current, found) - self.placed))

        def say(verdict: Verdict) -> tuple[str, ...]:
            how = "Minimal under the rack rule according to the solver; not checked a second time"
            if verdict.replicas_proven or said:
                how = "Not an aim of this plan" if said else "Proven minimal for that many moves"
            return (
                *last_resort_sentences(verdict),
                f"{counted(verdict.moves, 'replica moves', 'replicas move')}. The minimum is {self.least:,}.",
                *rack_sentences(verdict),
                *said[1:],
                *leader_sentences(verdict),
                f"Max–min replica count per broker: {verdict.replica_spread:,}, with "
                f"{counted(verdict.moves - self.least, 'move')} more than the minimum. {how}.",
            )

        drops = (row_counts(self.alone != NONE) < row_counts(current.replicas != NONE)).any()
        leaders = not (drops or wish.places)
        made = concluded(self.start, proposed, wish, say, leaders=leaders, findings=self.findings, limited=True)
        return replace(made, certificate=replace(made.certificate, byte_sum_gap=gap))


def _further(layout: ClusterLayout, wish: Wish) -> _Further:
    """What may move beside what this change moves.

    Raises:
        WishRefused: as ``plan``.
    """
    options, joining = wish.options, tuple(Broker(*one) for one in wish.add)
    if wish.drains:
        removal = prepared(layout, wish.remove, joining, options)
        start, findings = removal.start, findings_of(removal, wish)
        found = placed_sets(removal, options)
        alone = start.layout.replicas.copy()
        alone[removal.rows[found.rows]] = found.lists
        who_leads(start.layout, options, removal.leaving)  # no plan of this curve could be made else
    else:
        made = plan_without_point(layout, wish.unlimited())
        start = begun(layout, options, wish.remove, joining=joining, duplicates=wish.mend)
        alone = made.proposed.replicas
        findings = tuple(one for one in made.findings if one.kind in _OWN_FINDINGS)
    current, rack = start.layout, racks_of(start.layout)
    leaving = current.is_broker(wish.remove)
    targets = require_targets(current, leaving, closed_to(current, options))
    before, alone = of_one_width(current.replicas, alone)
    drops, split = row_counts(before != NONE) > row_counts(alone != NONE), options.same_rack or options.rack_levels
    keys, part, after = np.arange(len(alone)), np.arange(len(alone)), alone
    if split:
        keys, (before, after) = by_group((before, alone), rack)
        part = keys // (int(rack.max(initial=0)) + 1)
    # What takes a place, or found room on last resorts alone, stays there; each other newcomer may be any.
    left, rows = after, np.flatnonzero(lists_differ(before, after))
    kept, every_out, further = ~on_brokers(left, targets), np.zeros(left.shape, np.bool_), np.zeros(len(left), np.int64)
    before, after, stays = before[rows], left[rows], kept[rows]
    comes, goes = newcomers(before, after), np.where(newcomers(after, before), before, np.int32(NONE))
    for old, new in wish.places:
        stays |= (after == current.position(new)) & (before == current.position(old)).any(axis=1)[:, None]
    some = comes & ~stays
    nth = np.where(some, np.cumsum(some, axis=1) - 1, 0)
    asked = np.where(some, np.take_along_axis(packed(goes, goes.shape[1]), nth, axis=1), after)
    order, out, lists = np.argsort(asked == NONE, axis=1, kind="stable"), some & (asked != NONE), left.copy()
    for whole, one in ((lists, asked), (every_out, out), (kept, stays)):
        whole[rows] = np.take_along_axis(one, order, axis=1)
    further[rows] = row_counts(some) - row_counts(out)
    cap, told = options.receive_cap, current.copy_bytes
    taken = counts_on(np.where(comes & ~some, after, np.int32(NONE)), len(targets))
    problem = Problem(
        lists=lists,
        fixed=(lists != NONE) & ~every_out & (kept | (start.pinned | drops)[part, None]),
        targets=targets,
        rack=np.zeros_like(rack) if split else rack,
        out=every_out,
        further=further,
        keeps_racks=True,
        room=None if cap is None else (cap - taken).clip(min=0),
        size=None if told is None else told[part],
    )
    problem = ruled(problem, current, replace(options, rack_levels=()), leaving, rows=part)
    if split:
        there = np.arange(int(rack.max(initial=0)) + 1)[:, None] == rack
        open_to = (problem.open_to[:, None] & there).reshape(-1, rack.size)
        problem = replace(problem, receivers=open_to, group=problem.of_class * len(there) + keys % len(there))
    return _Further(wish, start, leaving, alone, problem, left, part, int(taken.sum()), findings)


def limited(layout: ClusterLayout, wish: Wish, moves: int | None = None) -> tuple[_Further, int]:
    """What else may move, and how many moves there may be, of which no more than ``moves``.

    Raises:
        WishRefused: as ``plan``; or the change alone needs more moves or bytes than are allowed.
    """
    require_possible(layout, wish)
    more, options = _further(layout, wish), wish.options
    most = min(one for one in (moves, options.max_moves, more.layout.replica_count + more.least) if one is not None)
    require_enough(more.layout, wish, more.first, most)
    return more, most


def whole_curve(layout: ClusterLayout, wish: Wish) -> Curve:
    """Points between least moves and the best balance, and sentences that say which are left out and why.

    For brokers that join, the last is the plan of the best balance, and those before it make fewer moves.

    Raises:
        WishRefused: as ``plan``.
    """
    if wish.leaders_only:
        return Curve(_curve_of_leaders(layout, wish))
    if wish.rebalance:
        return _drawn(rebalancing(layout, wish))
    if wish.only_adds:
        return _drawn(addition(layout, wish))
    more, allowed = limited(layout, wish)
    evenest = more.within(allowed)
    last = None if evenest is None else more.exactly(moves_of(more.layout, evenest))
    return _drawn(Between(more.layout, more.problem, more.first, last, more.exactly, more.by_size, planned=False))


def _drawn(line: Between) -> Curve:
    """Points at shares of the moves, and both ends; each that is better balanced than those before it."""
    ends = [0 if one is None else moves_of(line.layout, one) for one in (line.first, line.last)]
    numbers = {*(ends[0] + int(np.ceil((ends[1] - ends[0]) * share)) for share in _SHARES), *line.beside}
    between = [line.within(moves) for moves in sorted(numbers) if ends[0] < moves < ends[1]]
    between = [one for one in between if one is None or ends[0] < moves_of(line.layout, one) < ends[1]]
    points: list[CurvePoint] = []
    missing = 0
    for found in (line.first, *between, *((line.last,) if ends[0] < ends[1] else ())):
        point = None if found is None else point_of(line.layout, line.problem, found, by_size=line.by_size)
        missing += point is None and found is not line.first
        if point is not None and found is not None and line.by_topic:
            lists = line.problem.lists_with(found)
            point = replace(point, topic_spread=widest_topic(line.layout.topic_of, lists, line.problem.targets))
        if point is not None and (
            not points or point.uneven < points[-1].uneven or (line.planned and found is line.last)
        ):
            points.append(point)
    if line.last is None:
        return Curve(tuple(points), (_CUT_SHORT,))
    said = f"{counted(missing, 'further point')} {verb(missing, 'is', 'are')} omitted: no plan there is proven to have "
    return Curve(tuple(points), (f"{said}the smallest spread for that many moves.",) if missing else ())


def plan_at(layout: ClusterLayout, wish: Wish, moves: int | None) -> Plan:
    """The best balanced plan with at most so many replica moves, as a point of the curve offers it.

    It makes fewer where more make nothing evener, and says so. Without ``moves`` the limits of the wish are all.

    Raises:
        WishRefused: as ``plan``; fewer moves than needed or more than allowed, or no such plan was found.
    """
    most = wish.options.max_moves
    if moves is not None and most is not None and moves > most:
        raise WishRefused(
            f"The point has {counted(moves, 'move')}, and at most {counted(most, 'move')} {verb(most, 'is', 'are')} "
            "allowed.",
            choices=("Choose another point of the curve.", "Allow more moves."),
        )
    if wish.leaders_only:
        return even_leaders(layout, options=wish.options, changes=moves)
    if wish.rebalance or wish.only_adds:
        few = replace(wish, options=replace(wish.options, max_moves=moves))
        return _said_enough(plan_without_point(layout, few), moves)
    more, allowed = limited(layout, wish, moves)
    found = more.first if allowed == more.least else more.within(allowed)
    if found is None or point_of(more.layout, more.problem, found) is None:
        raise WishRefused(
            f"No plan with {counted(allowed, 'move')} is proven to have the smallest spread.",
            brokers=wish.remove,
            choices=("Choose another point of the curve.", "Choose the plan with the fewest moves."),
        )
    alone = moves_of(more.layout, found) == more.least
    made = plan_without_point(layout, wish.unlimited()) if alone else more.planned(found)
    return _said_enough(made, None if moves is None and most is None else allowed)


def _said_enough(made: Plan, allowed: int | None) -> Plan:
    """The plan, with a sentence where it makes fewer moves than were asked for."""
    certificate = made.certificate
    if allowed is None or certificate.moves >= allowed or certificate.faults:
        return made
    by_topic = made.wish.rebalance and made.wish.options.even_topics
    why = "the next topic takes more" if by_topic else "none was found that balances better with as many"
    asked = f"{counted(allowed, 'move')} {verb(allowed, 'was', 'were')} requested"
    fewer = f"{asked}; the plan makes {certificate.moves:,}: {why}."
    return replace(made, certificate=replace(certificate, sentences=(*certificate.sentences, fewer)))


def _curve_of_leaders(layout: ClusterLayout, wish: Wish) -> tuple[CurvePoint, ...]:
    """The orders of ``leader_orders``, each once, the one with the fewest changes first."""
    start, points = begun(layout, wish.options), {}
    current, who = start.layout, who_leads(start.layout, wish.options, None).may_lead
    loads = current.replicas_by_broker[usable(current, None, closed_to(current, wish.options))]
    still = CurvePoint(0, int((loads**2).sum()), int(np.ptp(loads)), int(loads.max(initial=0)), 0.0, amount=size(0))
    for changed, proposed in leader_orders(start, wish.options):
        spread = int(np.ptp(proposed.preferred_by_broker[who]))
        points[changed] = replace(still, changed_leaders=changed, leader_spread=spread)
        if not changed:
            break
    return tuple(points[changed] for changed in sorted(points) if changed)
