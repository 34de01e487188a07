"""Add brokers: the evenest layout that moves onto the new brokers alone can reach, with the fewest moves.

Promises, in this order:
    0. Replicas move onto added brokers only, and only from brokers that are not added and not known to be dead, fenced
       or shutting down. No partition's sum of squares over racks rises. Replication factors stay, untouched partitions
       stay untouched. An added broker that is fenced or shutting down receives nothing, unless each of them is.
    1. The least replica spread (fullest minus emptiest of these brokers) that such moves can reach.
    2. Then the fewest moves.
    3. Then the least sum of squares of replica counts.
    4. Then preferred leaders as ``leaders`` promises, over orders of the changed partitions' lists.
    With ``Options.max_moves`` below the moves of (2): the least sum of squares with at most that many moves, then (4).

Needs: a layout without duplicate replicas whose order is told; brokers to add, which may hold replicas already.

How:
    *Spread.* The loads that moves onto the new brokers can reach are those of a flow, an M-convex set: its least sum of
    squares also has the least maximum and the greatest minimum of all. So one convex flow with a free number of moves
    finds the fullest and the emptiest broker of *every* plan of least spread, a window that no broker may leave.
    *Moves.* A min-cost flow within that window finds the fewest moves, and a convex flow with just that many the least
    sum of squares.
    *Size.* Replicas of one broker that may go to the same racks of new brokers are alike. The flow runs over such
    classes: brokers -> classes -> racks of new brokers -> new brokers, which is small at any size. It is a relaxation
    (it does not know that a partition may sit on a broker once), so what it finds is a bound; then each unit is given
    a partition of its own. Where that succeeds, the bound is met and nothing better exists. Where it does not, in
    layouts with few partitions, the flow is solved again partition by partition.
    *Racks.* A move to another rack is neutral or better where the target rack holds fewer replicas of the partition
    than the source rack. For partitions as even over racks as they can be, any allowed plan consists of such moves.
    For others, a move that makes the racks worse might be paid for by another that makes them better: such plans are
    not searched, but they are in the bound, so that optimality is claimed only where they could not help.

Example: 5 partitions on broker 0, one replica each; broker 1 joins. Loads 5, 0 can become 3, 2 (two moves) or 2, 3
(three): spread 1 with two moves.

Complexity: O(P R (R + racks of new brokers)) for the classes; flows of O(B classes) arcs; one lookup a move.

Source: K. Murota, Discrete Convex Analysis (2003), sections 6 and 9 (M-convex sets, transformation by networks);
A. Frank, K. Murota, "Decreasing minimization on M-convex sets" (2022), which shows that the least sum of squares has
the least maximum and the greatest minimum.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from reseat.errors import WishRefused
from reseat.model import (
    Broker,
    BrokerState,
    Certificate,
    ClusterLayout,
    CurvePoint,
    Finding,
    IntArray,
    Options,
    Plan,
    Severity,
    Wish,
)
from reseat.model.wording import counted, minimal
from reseat.planning.cautions import with_cautions
from reseat.planning.finishing import Bound, certified, cost_of_cap, with_leaders_evened
from reseat.planning.preconditions import (
    Settled,
    pinned,
    require_complete,
    require_no_duplicates,
    require_order,
    settled,
)
from reseat.planning.proof.checker import check_addition
from reseat.planning.proof.verdict import last_resort_sentences
from reseat.planning.proposal import bytes_to_copy
from reseat.planning.receivers import with_doubtful_receivers
from reseat.planning.solve.addition import Limits, Shifts, State, Value
from reseat.planning.solve.addition_classes import Classes, bound_of, by_classes, classes_of
from reseat.planning.solve.addition_exact import Exact, by_partitions, exact_network, network_best

__all__ = ["add_brokers", "addition_curve"]

_DEFAULTS = Options()
#: Shares of all moves at which the curve has points, where no others are asked for.
_SHARES = (0.0, 0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875, 1.0)
#: Further rounds where some units found no partition and the exact network would be too large.
_FURTHER_ROUNDS = 8


def add_brokers(layout: ClusterLayout, brokers: Sequence[Broker], *, options: Options = _DEFAULTS) -> Plan:
    """The plan that evens replicas onto added brokers.

    Args:
        layout: the layout. A broker that it has already may be "added" as well: then it only receives.
        brokers: brokers that join; one without a rack beside brokers with one is a rack of its own.
        options: ``max_moves``, ``receive_cap`` and ``reorder_all`` apply; replicas are counted, not weighed.

    Returns:
        The plan with its certificate. Where nothing can become more even it is empty, and says so.

    Raises:
        WishRefused: no broker is given, one twice, or one known to be dead; or as ``preconditions`` says.
    """
    start, added = _joined(layout, brokers)
    current = start.layout
    unmovable = pinned(layout, options)
    wish = Wish(add=tuple((broker.id, broker.rack) for broker in added), options=options)
    positions = np.searchsorted(current.broker_ids, [broker.id for broker in added])
    state = State.of(current, positions, unmovable)
    shared = _Prepared(state)
    answer = _wished(state, options, shared)
    rows, lists = _changed(answer.shifts, current)
    orderable = np.flatnonzero(~unmovable) if options.reorder_all else rows
    proposed = with_leaders_evened(current, rows, lists, free=orderable, options=options)
    fewer = options.max_moves if options.max_moves is not None and answer.capped else None
    verdict = check_addition(
        current,
        proposed,
        tuple(broker.id for broker in added),
        max_moves=fewer,
        rules=options,
        reorder_all=options.reorder_all,
        pinned=unmovable,
    )
    exact = answer.reached if answer.exact else None
    bound = Bound(
        moves=None if exact is None or exact.capped else exact.moves,
        rack_sum_of_squares=None,
        replica_sum_of_squares=None if exact is None else exact.squares,
    )
    certificate = certified(current, proposed, wish=wish, verdict=verdict, bound=bound)
    # Racks are a rule of this wish and not an aim: nothing is told of the least that moves could reach there.
    certificate = replace(certificate, least_rack_sum_of_squares=None, rack_balance_proven=False)
    sentences = (*last_resort_sentences(verdict), *_sentences(certificate, answer, current))
    if options.receive_cap is not None and certificate.valid:
        free = _wished(state, replace(options, receive_cap=None), shared)
        capped, uncapped = (
            state.after(one.shifts.applied(state.replicas)).load[state.counted] for one in (answer, free)
        )
        sentences = (*sentences, cost_of_cap(options.receive_cap, capped, uncapped))
    certificate = replace(certificate, sentences=sentences)
    plan = Plan(
        current=current,
        proposed=proposed,
        certificate=certificate,
        findings=(*start.findings, *_findings(options)),
    )
    return with_cautions(with_doubtful_receivers(plan, start.under_way), layout)


def addition_curve(
    layout: ClusterLayout,
    brokers: Sequence[Broker],
    *,
    shares: Sequence[float] = _SHARES,
    options: Options = _DEFAULTS,
) -> tuple[tuple[CurvePoint, ...], int]:
    """What fewer moves reach: points up to the plan of ``add_brokers``, fewest moves first.

    Each point is what ``add_brokers`` with ``Options(max_moves=point.moves)`` gives.

    Args:
        layout: the layout.
        brokers: brokers that join.
        shares: parts of the moves of the last point, each from 0 to 1, that are offered.
        options: ``max_moves`` and ``keep_unmovable`` apply.

    Returns:
        The points that are surely the best with so many moves and, in any case, the last, which is the plan itself;
        and how many were left out.

    Raises:
        WishRefused: as ``add_brokers``.
    """
    start, added = _joined(layout, brokers)
    current = start.layout
    positions = np.searchsorted(current.broker_ids, [broker.id for broker in added])
    state = State.of(current, positions, pinned(layout, options))
    prepared = _Prepared(state)
    last = _wished(state, Options(max_moves=options.max_moves), prepared)
    most = len(last.shifts)
    grid = sorted({int(np.ceil(most * share)) for share in shares} | {most})
    answers = [last if at == most else _solved(state, Limits(moves=at), prepared) for at in grid]
    points = tuple(
        CurvePoint(
            moves=len(answer.shifts),
            replica_sum_of_squares=answer.reached.squares,
            replica_spread=answer.reached.spread,
            bytes_to_move=bytes_to_copy(current, *_changed(answer.shifts, current)),
        )
        for answer in answers
        if answer.exact or answer is last
    )
    return points, len(answers) - len(points)


def _changed(shifts: Shifts, layout: ClusterLayout) -> tuple[npt.NDArray[np.int64], IntArray]:
    """Rows that change, ascending, and their new lists."""
    rows = np.unique(shifts.row)
    return rows, shifts.applied(layout.replicas)[rows]


def _joined(layout: ClusterLayout, brokers: Sequence[Broker]) -> tuple[Settled, tuple[Broker, ...]]:
    """The layout to plan on with the added brokers in it, and these brokers by id."""
    if not brokers:
        raise WishRefused("No broker is given to add.", choices=("Name at least one broker, such as 9 or 9:rack-a.",))
    ids = [broker.id for broker in brokers]
    twice = tuple(sorted({i for i in ids if ids.count(i) > 1}))
    if twice:
        raise WishRefused(f"Broker {twice[0]} is added twice.", brokers=twice, choices=("Name each broker once.",))
    merged = [_merged(layout, broker) for broker in sorted(brokers, key=lambda broker: broker.id)]
    dead = tuple(broker.id for broker in merged if broker.state is BrokerState.DEAD)
    if dead:
        raise WishRefused(
            f"Broker {dead[0]} is known to be dead and cannot receive replicas.",
            brokers=dead,
            choices=("Start it and read the layout again.", "Do not add it."),
        )
    negative = tuple(i for i in ids if i < 0)
    if negative:
        raise WishRefused(f"Broker id {negative[0]} is below 0.", brokers=negative, choices=("Broker ids start at 0.",))
    require_complete(layout)
    require_order(layout)
    start = settled(layout.with_brokers(merged))
    require_no_duplicates(start.layout)
    return start, tuple(merged)


def _merged(layout: ClusterLayout, broker: Broker) -> Broker:
    """What the layout knows of the broker, where the wish does not say otherwise."""
    at = layout.position(broker.id)
    if at is None:
        return broker
    known = layout.brokers[at]
    return Broker(
        id=broker.id,
        rack=known.rack if broker.rack is None else broker.rack,
        host=known.host if broker.host is None else broker.host,
        port=known.port if broker.port is None else broker.port,
        state=known.state if broker.state is BrokerState.NOT_TOLD else broker.state,
    )


def _findings(options: Options) -> tuple[Finding, ...]:
    if not options.by_bytes:
        return ()
    sentence = "Added brokers are filled by replica count; size is not considered."
    return (Finding("bytes_not_weighed", Severity.NOTE, sentence),)


def _sentences(certificate: Certificate, answer: _Answer, current: ClusterLayout) -> tuple[str, ...]:
    """The certificate in words."""
    if certificate.faults:
        return (f"The plan must not be executed: it has {counted(len(certificate.faults), 'fault')}.",)
    unknown = bool(current.unknown_racks)
    out = []
    if not certificate.moves and answer.capped:
        out.append("No replica moves: no move was allowed.")
    elif not certificate.moves:
        out.append("No replica moves: no move onto the added brokers improves the balance.")
    else:
        verb = "moves" if certificate.moves == 1 else "move"
        moved = f"{counted(certificate.moves, 'replica')} {verb} onto the added brokers"
        if answer.capped:
            out.append(f"{moved}, as many as allowed.")
        elif certificate.moves_proven:
            out.append(minimal(f"{moved}, the proven minimum for this spread", racks_unknown=unknown))
        elif answer.exact:
            out.append(f"{moved}. The solver found no plan of this spread with fewer; the checker did not confirm it.")
        else:
            out.append(
                f"{moved}. Not proven minimal: the bound is a spread of {answer.bound.spread:,} "
                f"with {counted(answer.bound.moves, 'move')}."
            )
    spread = f"Max–min replica count per broker: {certificate.replica_spread or 0:,}"
    if certificate.replica_balance_proven:
        given = "at most these moves" if answer.capped else "moves onto the added brokers alone"
        out.append(minimal(f"{spread}. Proven minimal for {given}", racks_unknown=unknown))
    else:
        out.append(f"{spread}. Not proven minimal.")
    if current.racks:
        out.append("No changed partition is balanced worse over racks than before.")
    if certificate.leader_spread is not None:
        leaders = f"Max–min preferred leaders per broker: {certificate.leader_spread:,}"
        out.append(
            f"{leaders}. Proven minimal for these replica sets."
            if certificate.leader_balance_proven
            else f"{leaders}. Not proven minimal."
        )
    return tuple(out)


@dataclass(frozen=True, eq=False)
class _Answer:
    """Moves, and how good they are.

    Attributes:
        shifts: the moves.
        reached: what the moves reach.
        bound: what no allowed plan can better.
        exact: whether nothing better exists.
    """

    shifts: Shifts
    reached: Value
    bound: Value
    exact: bool

    @property
    def capped(self) -> bool:
        """Whether fewer moves were allowed than the least spread needs."""
        return self.reached.capped


class _Prepared:
    """What solving with several limits can share: classes and networks, made when first needed."""

    def __init__(self, state: State) -> None:
        self._state = state

    @cached_property
    def classes(self) -> Classes:
        """Classes of allowed moves."""
        return classes_of(self._state)

    @cached_property
    def wide(self) -> Classes:
        """Classes that hold every allowed plan."""
        return classes_of(self._state, wide=True) if self.classes.uneven else self.classes

    @cached_property
    def network(self) -> Exact | None:
        """The network partition by partition."""
        return exact_network(self._state)

    @cached_property
    def wide_network(self) -> Exact | None:
        """The network partition by partition that holds every allowed plan."""
        return exact_network(self._state, wide=True) if self.classes.uneven else self.network


def _wished(state: State, options: Options, prepared: _Prepared) -> _Answer:
    """The least spread; where that needs more moves than are allowed, the evenest with so many."""
    answer = _solved(state, Limits(receive=options.receive_cap), prepared)
    if options.max_moves is None or len(answer.shifts) <= options.max_moves:
        return answer
    return _solved(state, Limits(moves=max(0, options.max_moves), receive=options.receive_cap), prepared)


def _solved(state: State, limits: Limits, prepared: _Prepared) -> _Answer:
    """Classes first; partition by partition where those do not settle it."""
    shifts, aim = by_classes(state, prepared.classes, limits)
    bound = bound_of(state, prepared.wide, limits) if prepared.classes.uneven else aim
    if len(shifts) == aim.moves and aim.equals(bound):
        return _answer(state, shifts, aim, bound)
    if prepared.network is not None:
        shifts, aim = by_partitions(prepared.network, limits)
        if prepared.wide_network is not None:
            bound = network_best(prepared.wide_network, limits)[1]
        return _answer(state, shifts, aim, bound)
    # Too many partitions for that: go on from what could be given, as far as it leads.
    for _ in range(_FURTHER_ROUNDS):
        missing = aim.moves - len(shifts)
        if missing <= 0 or limits.receive is not None:
            break
        later = state.after(shifts.applied(state.replicas))
        more, _ = by_classes(later, classes_of(later), replace(limits, moves=missing))
        if not len(more):
            break
        shifts = Shifts.joined([shifts, more])
    return _answer(state, shifts, aim, bound)


def _answer(state: State, shifts: Shifts, aim: Value, bound: Value) -> _Answer:
    load = state.after(shifts.applied(state.replicas)).load[state.counted]
    reached = Value.of(load, len(shifts), capped=aim.capped)
    return _Answer(shifts, reached, bound, exact=reached.equals(aim) and aim.equals(bound))
