"""Take brokers out: the plan that moves the least, keeps racks, and is as even as such a plan can be.

Promises, in this order:
    1. Exactly the replicas on leaving brokers move. No plan can move fewer.
    2. Racks, then replicas, as ``placing`` promises, over the targets: brokers that remain and are not known to be
       dead, fenced or shutting down, also empty ones. A broker without a rack beside brokers with one is a rack of its
       own; where no broker has one, racks do not count. A cap on what a broker receives never outranks racks.
    3. For the replica sets so chosen, least sum of squares of preferred-leader counts over the targets, over all
       orders of the changed partitions' lists (with ``reorder_all``: of all lists). A broker that is no target is named
       first only where a list has no other.
    4. Then the fewest changed preferred leaders.
    With ``Options.same_rack`` each replica goes to another broker in its rack: each rack is a drain of its own.

Needs: what ``preconditions`` lists. Works on ``layout.target()`` where a reassignment is under way.

How: newcomers fill the vacated places of the list from left to right, lowest broker first; then the chosen leader moves
to the front.

Example: {0: [0, 2], 1: [1, 0], 2: [2, 1], 3: [0, 1]}, broker 1 out: partitions 1, 2 and 3 each move one replica to the
one free broker; partition 0 stays.

Complexity: O(P R) to find what is displaced, then the flows of ``placing`` and ``leaders`` over the n changed rows.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from reseat.errors import WishRefused
from reseat.model import NONE, BoolArray, Broker, ClusterLayout, Finding, IntArray, Longs, Options, Plan, Severity, Wish
from reseat.model.arrays import counts_on, on_brokers, row_any
from reseat.model.wording import counted, named
from reseat.planning.finishing import concluded, cost_of, said_of_cap, with_leaders_evened
from reseat.planning.kinds.by_bytes import Weights
from reseat.planning.preconditions import (
    Settled,
    begun,
    closed_to,
    require_known,
    require_room,
    require_targets,
    resorts,
)
from reseat.planning.proof.verdict import Verdict, sentences_of
from reseat.planning.rules import fitted, no_room, ruled
from reseat.planning.solve.bin_packing import placed_by_weight
from reseat.planning.solve.placing import placed, solved_in_parts
from reseat.planning.solve.problem import Found, NoRoom, Problem
from reseat.planning.solve.rack_choice import racks_of
from reseat.planning.solve.rounding import Ties

__all__ = ["Removal", "findings_of", "placed_by_fewest", "placed_sets", "prepared", "remove_brokers"]

_DEFAULT = Options()


@dataclass(frozen=True, eq=False)
class Removal:
    """The wish in columns: n partitions lose replicas.

    Attributes:
        start: the layout planned on, and what of it was under way.
        leaving: (B,) bool, brokers that leave.
        targets: (B,) bool, brokers that receive and count.
        resorts: (B,) bool, brokers that receive what fits nowhere else.
        rows: (n,) partitions with a replica on a leaving broker.
        lists: (n, R) their replica lists today.
        goes: (n, R) bool, the replicas that must go.
        kept: (B,) replicas that each broker keeps; 0 for leaving ones.
        options: the rules, among others.
    """

    start: Settled
    leaving: BoolArray
    targets: BoolArray
    resorts: BoolArray
    rows: Longs
    lists: IntArray
    goes: BoolArray
    kept: Longs
    options: Options

    @property
    def layout(self) -> ClusterLayout:
        """The layout planned on."""
        return self.start.layout

    @cached_property
    def problem(self) -> Problem:
        """Where the displaced replicas go, over ``rows``; nothing else moves."""
        staying = np.where(self.goes, np.int32(NONE), self.lists)
        problem = Problem(
            lists=self.lists,
            fixed=staying != NONE,
            targets=self.targets,
            rack=racks_of(self.layout),
            out=self.goes,
            late=self.resorts[None, :],
            base=self.kept - counts_on(staying, self.kept.size),
        )
        return ruled(problem, self.layout, self.options, self.leaving, rows=self.rows)

    @cached_property
    def weights(self) -> Weights:
        """Bytes; ``WishRefused`` is raised where none are told."""
        return Weights.of(self.layout, self.rows, self.leaving)

    @property
    def displaced(self) -> int:
        """Replicas that must move."""
        return int(self.goes.sum())


def remove_brokers(
    layout: ClusterLayout, broker_ids: Iterable[int], *, options: Options = _DEFAULT, added: Iterable[Broker] = ()
) -> Plan:
    """The plan after which these brokers hold nothing; empty ones, and those that are added, are targets too.

    Returns:
        The plan with its certificate. Where the brokers hold nothing it is empty, and says so.

    Raises:
        WishRefused: the wish cannot be (see ``preconditions``), or no plan with the best racks keeps the cap.
    """
    joining = tuple(sorted(added, key=lambda broker: broker.id))
    removal = prepared(layout, broker_ids, joining, options)
    remove = tuple(int(i) for i in removal.layout.broker_ids[removal.leaving])
    wish = Wish(remove=remove, add=tuple((broker.id, broker.rack) for broker in joining), options=options)
    found = placed_sets(removal, options, tidy=True)
    gap, further = _cost_of_options(removal, found, options)
    rows, current = removal.rows[found.rows], removal.layout
    free = np.flatnonzero(~removal.start.pinned) if options.reorder_all else rows
    proposed = with_leaders_evened(current, rows, found.lists, free=free, leaving=removal.leaving, options=options)
    stuck = " that can move" if current.replicas_by_broker[removal.leaving].any() else ""
    leaves = named("Broker", remove)
    nothing = () if removal.displaced else (f"{leaves} held nothing{stuck}, so there is nothing to do.",)

    def say(verdict: Verdict) -> tuple[str, ...]:
        if nothing and proposed is current:
            return (*nothing, *further)
        # A rule is nothing of which there is a least.
        told = replace(verdict, rack_sum_of_squares=None) if wish.keeps_racks else verdict
        return (*nothing, *sentences_of(told), *further)

    plan = concluded(removal.start, proposed, wish, say, findings=findings_of(removal, wish, nothing))
    return plan if gap is None else replace(plan, certificate=replace(plan.certificate, byte_sum_gap=gap))


def prepared(
    layout: ClusterLayout, broker_ids: Iterable[int], joining: tuple[Broker, ...] = (), options: Options = _DEFAULT
) -> Removal:
    """The wish in columns, once all preconditions hold.

    Raises:
        WishRefused: the wish cannot be (see ``preconditions``).
    """
    if known := tuple(broker.id for broker in joining if layout.position(broker.id) is not None):
        raise WishRefused(
            f"Broker {known[0]} is already in the layout, so it cannot be added.",
            brokers=known,
            choices=("Choose an unused id.",),
        )
    remove = require_known(layout, broker_ids)
    start = begun(layout, options, remove, joining=joining)
    layout = start.layout
    leaving = layout.is_broker(remove)
    targets = require_targets(layout, leaving, closed_to(layout, options))
    # One pass over all replicas finds what sits on leaving brokers; everything else is about those rows.
    on_leaving = on_brokers(layout.replicas, leaving)
    on_leaving[start.pinned] = False
    rows = np.flatnonzero(row_any(on_leaving))
    goes = on_leaving[rows]
    lists = layout.replicas[rows]
    kept = layout.replicas_by_broker.copy()
    kept[leaving] = 0
    late = resorts(layout, leaving, closed_to(layout, options))
    taken = on_brokers(lists, targets | late)
    factor = layout.replication_factor[rows].astype(np.int64)
    require_room(layout, rows, goes.sum(axis=1), taken, int((targets | late).sum()), wanted=factor)
    return Removal(start, leaving, targets, late, rows, lists, goes, kept, options)


def placed_by_fewest(removal: Removal, options: Options, *, tidy: bool = False) -> Found:
    """The sets of ``removal.problem`` with the fewest moves.

    With ``tidy`` ties among equals are broken, which changes no broker's load.

    Raises:
        WishRefused: limits leave no such sets.
    """
    cap = options.receive_cap
    try:
        return _placed_under(removal, options, cap, tidy=tidy)
    except NoRoom:
        if removal.problem.most_bytes is not None and not options.by_bytes:  # large ones first may fit
            return placed_by_fewest(removal, replace(options, by_bytes=True))
        if cap is None:
            raise no_room(removal.layout, options) from None

        def fits(most: int) -> bool:
            try:
                return bool(_placed_under(removal, options, most))
            except NoRoom:
                return False

        # The cap given fails; as many as there are always fit.
        high = bisect_left(range(removal.displaced), True, lo=max(cap, 0) + 1, key=fits)
        raise WishRefused(
            f"With at most {counted(cap, 'replica')} per broker, the {counted(removal.displaced, 'replica')} "
            "cannot all be received on the racks where they belong.",
            brokers=tuple(int(i) for i in removal.layout.broker_ids[removal.leaving]),
            choices=(f"Allow {counted(high, 'replica')} per broker.", "Plan without a cap."),
        ) from None


def placed_sets(removal: Removal, options: Options, *, tidy: bool = False) -> Found:
    """As ``placed_by_fewest``; with ``same_rack`` each replica in the rack that it leaves."""
    if not options.same_rack:
        return placed_by_fewest(removal, options, tidy=tidy)
    lists, racks = removal.lists.copy(), racks_of(removal.layout)
    for rack in np.unique(racks[removal.lists[removal.goes]]).tolist():
        here = racks == rack
        goes = removal.goes & on_brokers(removal.lists, here)
        some = goes.any(axis=1)
        inside = replace(
            removal,
            targets=removal.targets & here,
            resorts=removal.resorts & here,
            rows=removal.rows[some],
            lists=removal.lists[some],
            goes=goes[some],
        )
        open_ = inside.targets | inside.resorts
        short = inside.goes.sum(axis=1) > open_.sum() - on_brokers(inside.lists, open_).sum(axis=1)
        if short.any():
            raise _no_room_in_rack(inside, here, short)
        lists[goes] = placed_by_fewest(inside, options, tidy=tidy).lists[goes[some]]
    return Found(np.arange(len(lists)), lists)


def _no_room_in_rack(removal: Removal, here: BoolArray, short: BoolArray) -> WishRefused:
    layout, count = removal.layout, int(short.sum())
    name = next(broker.rack for broker, inside in zip(layout.brokers, here, strict=True) if inside)
    topics = layout.topics_at(removal.rows[short])
    where = "a broker without a rack" if name is None else f"rack {name}"
    return WishRefused(
        f"{counted(count, 'partition')} cannot stay in {where}: too few other brokers there can take a replica.",
        topics=topics,
        brokers=tuple(layout.broker_ids[here & removal.leaving].tolist()),
        choices=("Let replicas leave their rack (without --same-rack).", "Add a broker to the rack."),
    )


def _placed_under(removal: Removal, options: Options, cap: int | None, *, tidy: bool = False) -> Found:
    if not removal.rows.size:
        return Found.nothing(removal.problem)
    room = None if cap is None else np.full(len(removal.targets), cap)
    problem = replace(removal.problem, room=room)
    ties = Ties.of_layout(removal.layout, removal.rows) if tidy and not options.by_bytes else None

    def solve(part: Problem, rows: Longs, forced: Longs) -> Found:
        if not options.by_bytes:
            return placed(part, None if ties is None else ties.of(rows))
        weights = removal.weights
        told = np.bincount(forced[1], weights=weights.moved[forced[0]], minlength=len(removal.targets))
        return placed_by_weight(part, weights.moved[rows], weights.kept + told)

    # Few rounds: what fits by no number of replicas is placed by size.
    found, *_ = fitted(
        problem, removal.layout, lambda one: (solved_in_parts(solve, one), None), rows=removal.rows, rounds=8
    )
    return found


def _cost_of_options(removal: Removal, found: Found, options: Options) -> tuple[float | None, tuple[str, ...]]:
    """The gap to the bound where bytes were weighed, and what a cap or bytes cost, in words."""
    if removal.rows.size == 0:
        return None, ()
    stays = ("Replicas stay in their rack",) if options.same_rack else ()
    if options.by_bytes:
        gap, told = removal.weights.gap(removal.problem, found)
        return gap, (*told, *(f"{said}." for said in stays))
    limits = [(said, "rule", replace(options, same_rack=False)) for said in stays]
    if options.receive_cap is not None:
        limits.insert(0, (said_of_cap(options.receive_cap), "cap", replace(options, receive_cap=None)))
    out = []
    for said, what, loose in limits:
        free = placed_sets(removal, loose)
        limited, without = (removal.problem.loads_with(choice)[removal.targets] for choice in (found, free))
        out.append(cost_of(said, limited, without, what=what))
    return None, tuple(out)


def findings_of(removal: Removal, wish: Wish, nothing: tuple[str, ...] = ()) -> tuple[Finding, ...]:
    """What a person should know before carrying it out; ``nothing`` says that there is nothing to do, if so."""
    layout, leaving, racks = removal.layout, removal.leaving, removal.layout.rack_of
    out = [Finding("nothing_to_do", Severity.NOTE, sentence, brokers=wish.remove) for sentence in nothing]
    if gone := set(racks[leaving].tolist()) - set(racks[~leaving].tolist()) - {NONE}:
        emptied = named("Rack", [layout.racks[i] for i in sorted(gone)])
        left = counted(int(np.unique(layout.rack_groups[~leaving]).size), "rack remains", "racks remain")
        said = f"{emptied} will have no broker of this cluster left: {left}."
        out.append(Finding("rack_emptied", Severity.ATTENTION, said, brokers=wish.remove))
    return tuple(out)
