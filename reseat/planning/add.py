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

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from reseat.balance.racks import rack_groups
from reseat.errors import WishRefused
from reseat.model import (
    NONE,
    BoolArray,
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
from reseat.model.wording import minimal
from reseat.planning.cautions import with_cautions
from reseat.planning.checker import check_addition
from reseat.planning.finishing import Claim, certified, cost_of_cap, with_leaders_evened
from reseat.planning.preconditions import (
    Settled,
    pinned,
    plural,
    require_complete,
    require_no_duplicates,
    require_order,
    settled,
    usable,
)
from reseat.planning.receivers import with_doubtful_receivers
from reseat.planning.transport import Flow, Terminals, Ways, evenest_flow, least_flow
from reseat.planning.verdict import last_resort_sentences

__all__ = ["add_brokers", "addition_curve"]

Whole = npt.NDArray[np.int64]

#: Arcs up to which the flow is solved partition by partition where classes do not settle it (about a second).
_EXACT_ARCS = 300_000
#: Rows looked at for each move when partitions are given to units: enough choice, without sorting a million rows.
_ROWS_A_MOVE = 6
_FEWEST_ROWS = 60_000
#: Racks of new brokers whose "may go there" bits are packed into one number before equal ones are merged.
_BITS = 16
_DEFAULTS = Options()
#: Shares of all moves at which the curve has points, where no others are asked for.
_SHARES = (0.0, 0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875, 1.0)
#: Further rounds where some units found no partition and the exact network would be too large.
_FURTHER_ROUNDS = 8
#: Up to this value, distinct numbers are found by a table instead of sorting.
_TABLE = 1 << 22


# ---- the wish ----------------------------------------------------------------------------------------------


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
    state = _State.of(current, positions, unmovable)
    shared = _Prepared(state)
    answer = _wished(state, options, shared)
    rows = np.unique(answer.shifts.row)
    lists = answer.shifts.applied(current.replicas)[rows]
    orderable = np.flatnonzero(~unmovable) if options.reorder_all else rows
    proposed = with_leaders_evened(current, rows, lists, free=orderable)
    fewer = options.max_moves if options.max_moves is not None and answer.capped else None
    verdict = check_addition(
        current,
        proposed,
        tuple(broker.id for broker in added),
        max_moves=fewer,
        receive_cap=options.receive_cap,
        reorder_all=options.reorder_all,
        pinned=unmovable,
    )
    exact = answer.reached if answer.exact else None
    claim = Claim(
        moves=None if exact is None or exact.capped else exact.moves,
        rack_sum_of_squares=None,
        replica_sum_of_squares=None if exact is None else exact.squares,
    )
    certificate = certified(current, proposed, wish=wish, verdict=verdict, claim=claim)
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
    state = _State.of(current, positions, pinned(layout, options))
    prepared = _Prepared(state)
    last = _wished(state, Options(max_moves=options.max_moves), prepared)
    most = len(last.shifts)
    grid = sorted({int(np.ceil(most * share)) for share in shares} | {most})
    answers = [last if at == most else _solved(state, _Limits(moves=at), prepared) for at in grid]
    points = tuple(
        CurvePoint(
            moves=len(answer.shifts),
            replica_sum_of_squares=answer.reached.squares,
            replica_spread=answer.reached.spread,
        )
        for answer in answers
        if answer.exact or answer is last
    )
    return points, len(answers) - len(points)


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
            choices=("Start it and read the layout anew.", "Leave it out."),
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
    sentence = "Added brokers are filled by the number of replicas; their bytes are not weighed."
    return (Finding("bytes_not_weighed", Severity.NOTE, sentence),)


def _sentences(certificate: Certificate, answer: _Answer, current: ClusterLayout) -> tuple[str, ...]:
    """The certificate in words."""
    if certificate.faults:
        return (f"The plan must not be executed: it has {plural(len(certificate.faults), 'fault')}.",)
    unknown = bool(current.unknown_racks)
    out = []
    if not certificate.moves and answer.capped:
        out.append("No replica moves: no move was allowed.")
    elif not certificate.moves:
        out.append("No replica moves: no move onto the added brokers improves the balance.")
    else:
        verb = "moves" if certificate.moves == 1 else "move"
        moved = f"{plural(certificate.moves, 'replica')} {verb} onto the added brokers"
        if answer.capped:
            out.append(f"{moved}, as many as allowed.")
        elif certificate.moves_proven:
            out.append(minimal(f"{moved}, the proven minimum for this spread", racks_unknown=unknown))
        elif answer.exact:
            out.append(f"{moved}. The solver found no plan of this spread with fewer; the checker did not confirm it.")
        else:
            out.append(
                f"{moved}. Not proven minimal: the bound is a spread of {answer.bound.spread:,} "
                f"with {plural(answer.bound.moves, 'move')}."
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


# ---- solving ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Answer:
    """Moves, and how good they are.

    Attributes:
        shifts: the moves.
        reached: what the moves reach.
        bound: what no allowed plan can better.
        exact: whether nothing better exists.
    """

    shifts: _Shifts
    reached: _Value
    bound: _Value
    exact: bool

    @property
    def capped(self) -> bool:
        """Whether fewer moves were allowed than the least spread needs."""
        return self.reached.capped


class _Prepared:
    """What solving with several limits can share: classes and networks, made when first needed."""

    def __init__(self, state: _State) -> None:
        self._state = state

    @cached_property
    def classes(self) -> _Classes:
        """Classes of allowed moves."""
        return _classes(self._state)

    @cached_property
    def wide(self) -> _Classes:
        """Classes that hold every allowed plan."""
        return _classes(self._state, wide=True) if self.classes.uneven else self.classes

    @cached_property
    def network(self) -> _Exact | None:
        """The network partition by partition."""
        return _exact_network(self._state)

    @cached_property
    def wide_network(self) -> _Exact | None:
        """The network partition by partition that holds every allowed plan."""
        return _exact_network(self._state, wide=True) if self.classes.uneven else self.network


def _wished(state: _State, options: Options, prepared: _Prepared) -> _Answer:
    """The least spread; where that needs more moves than are allowed, the evenest with so many."""
    answer = _solved(state, _Limits(receive=options.receive_cap), prepared)
    if options.max_moves is None or len(answer.shifts) <= options.max_moves:
        return answer
    return _solved(state, _Limits(moves=max(0, options.max_moves), receive=options.receive_cap), prepared)


def _solved(state: _State, limits: _Limits, prepared: _Prepared) -> _Answer:
    """Classes first; partition by partition where those do not settle it."""
    shifts, aim = _by_classes(state, prepared.classes, limits)
    bound = _bound(state, prepared.wide, limits) if prepared.classes.uneven else aim
    if len(shifts) == aim.moves and aim.equals(bound):
        return _answer(state, shifts, aim, bound)
    if prepared.network is not None:
        shifts, aim = _by_partitions(prepared.network, limits)
        if prepared.wide_network is not None:
            bound = _network_best(prepared.wide_network, limits)[1]
        return _answer(state, shifts, aim, bound)
    # Too many partitions for that: go on from what could be given, as far as it leads.
    for _ in range(_FURTHER_ROUNDS):
        missing = aim.moves - len(shifts)
        if missing <= 0 or limits.receive is not None:
            break
        later = state.after(shifts.applied(state.replicas))
        more, _ = _by_classes(later, _classes(later), replace(limits, moves=missing))
        if not len(more):
            break
        shifts = _Shifts.joined([shifts, more])
    return _answer(state, shifts, aim, bound)


def _answer(state: _State, shifts: _Shifts, aim: _Value, bound: _Value) -> _Answer:
    load = state.after(shifts.applied(state.replicas)).load[state.counted]
    reached = _Value.of(load, len(shifts), capped=aim.capped)
    return _Answer(shifts, reached, bound, exact=reached.equals(aim) and aim.equals(bound))


# ---- the problem -------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _State:
    """Who sits where, and who may give and take. B brokers, P partitions, R replicas.

    Attributes:
        replicas: (P, R) broker positions, -1 padded; blank where the partition stays where it is.
        load: (B,) replicas of each broker, also those.
        gives: (B,) bool, brokers that are not added, and available.
        takes: (B,) bool, added brokers that are available; all of them where none is.
        rack: (B,) rack of each broker; all 0 where no broker has one, so that every move stays in its rack.
    """

    replicas: IntArray
    load: Whole
    gives: BoolArray
    takes: BoolArray
    rack: IntArray

    @classmethod
    def of(cls, layout: ClusterLayout, added: Whole, unmovable: BoolArray) -> _State:
        """The state of a layout; ``added`` are broker positions, ``unmovable`` (P,) partitions that stay."""
        count = len(layout.brokers)
        takes = np.zeros(count, np.bool_)
        takes[added] = True
        well = usable(layout)
        # Where none of those that join is available, these are what is left to move onto.
        if (takes & well).any():
            takes &= well
        groups = rack_groups(layout)
        return cls(
            replicas=np.where(unmovable[:, None], np.int32(NONE), layout.replicas)
            if unmovable.any()
            else layout.replicas,
            load=_loads(layout.replicas, count),
            gives=well & ~takes,
            takes=takes,
            rack=np.zeros(count, np.int32) if groups is None else groups,
        )

    def after(self, replicas: IntArray) -> _State:
        """The same brokers with other replica lists."""
        gained = _loads(replicas, len(self.load)) - _loads(self.replicas, len(self.load))
        return replace(self, replicas=replicas, load=self.load + gained)

    @property
    def counted(self) -> BoolArray:
        """(B,) bool: brokers whose loads count."""
        return self.gives | self.takes

    @property
    def givers(self) -> Whole:
        """Positions of the brokers that give."""
        return np.flatnonzero(self.gives)

    @property
    def takers(self) -> Whole:
        """Positions of the added brokers."""
        return np.flatnonzero(self.takes)


def _loads(replicas: IntArray, brokers: int) -> Whole:
    return np.bincount(replicas.ravel() + 1, minlength=brokers + 1)[1:].astype(np.int64)


@dataclass(frozen=True)
class _Value:
    """How good a plan is.

    Attributes:
        capped: whether fewer moves were allowed than the least spread needs; then squares are the aim.
        spread: fullest minus emptiest broker.
        moves: replicas that move.
        squares: sum of squares of replica counts.
    """

    capped: bool
    spread: int
    moves: int
    squares: int

    @classmethod
    def of(cls, load: Whole, moves: int, *, capped: bool) -> _Value:
        """The value of these loads of the brokers that count."""
        return cls(capped, int(np.ptp(load)) if load.size else 0, moves, int((load * load).sum()))

    def equals(self, other: _Value) -> bool:
        """Whether both are equally good."""
        if self.capped or other.capped:
            return (self.capped, self.squares) == (other.capped, other.squares)
        return self == other


# ---- classes: replicas that are alike -------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Classes:
    """Replicas by what they may do: K codes, G groups of takers.

    Attributes:
        code: (P, R) int64 code of each replica; 0 means that it may go nowhere.
        reach: (K, G) bool, the groups that a replica of this code may go to.
        group: (takers,) the group of each taker; a group is the empty takers of a rack, or one that holds replicas.
        uneven: whether a partition is so uneven over racks that moves could pay for one another.
    """

    code: Whole
    reach: BoolArray
    group: Whole
    uneven: bool


def _classes(state: _State, *, wide: bool = False) -> _Classes:
    """Merge replicas that may go to the same groups of takers.

    With ``wide``, replicas of partitions that are uneven over racks may go anywhere: every allowed plan is among those.
    """
    replicas, takers = state.replicas, state.takers
    racks = np.append(state.rack, np.int32(NONE))[replicas]
    movable = np.append(state.gives, False)[replicas]
    own = np.zeros(replicas.shape, np.int16)
    for j in range(replicas.shape[1]):
        own += racks == racks[:, j : j + 1]
    own[replicas == NONE] = 0

    # An empty taker is held by no partition, so that the empty ones of a rack are alike.
    alone = np.where(state.load[takers] > 0, takers, -1)
    _, first, group = np.unique(np.stack([state.rack[takers], alone]), axis=1, return_index=True, return_inverse=True)
    group = group.ravel()
    there: list[npt.NDArray[np.int16]] = []
    by_rack: dict[int, npt.NDArray[np.int16]] = {}
    for at in first.tolist():
        rack = int(state.rack[takers[at]])
        if rack not in by_rack:
            by_rack[rack] = (racks == rack).sum(axis=1, dtype=np.int16)
        there.append(by_rack[rack])
    fullest = own.max(axis=1, initial=0)
    emptiest = np.minimum.reduce(list(by_rack.values())) if by_rack else fullest
    uneven = fullest >= emptiest + 2

    def bits() -> Iterator[BoolArray]:
        for at, inside in zip(first.tolist(), there, strict=True):
            taker = int(takers[at])
            may = (racks == state.rack[taker]) | (own > inside[:, None])
            if wide:
                may |= uneven[:, None]
            may &= movable
            if state.load[taker]:
                may &= ~(replicas == taker).any(axis=1)[:, None]
            yield may

    code, reach = _merge(bits(), replicas.shape, len(first))
    return _Classes(code=code, reach=reach, group=group, uneven=bool((uneven & movable.any(axis=1)).any()))


def _merge(bits: Iterator[BoolArray], shape: tuple[int, ...], count: int) -> tuple[Whole, BoolArray]:
    """Number the distinct columns of ``count`` bits a cell; number 0 is the one without any bit."""
    code = np.zeros(shape, np.int64)
    reach = np.zeros((1, 0), np.bool_)
    for start in range(0, count, _BITS):
        width = min(_BITS, count - start)
        for _ in range(width):
            code = (code << 1) | next(bits)
        code, seen = _renumbered(code)
        fresh = (seen[:, None] >> np.arange(width - 1, -1, -1)) & 1
        reach = np.concatenate([reach[seen >> width], fresh.astype(np.bool_)], axis=1)
    return code, reach


def _renumbered(code: Whole) -> tuple[Whole, Whole]:
    """Dense numbers for distinct values in ascending order, 0 always among them; and the values."""
    top = int(code.max(initial=0))
    if top < _TABLE:
        seen = np.bincount(code.ravel(), minlength=1) > 0
        seen[0] = True
        return (np.cumsum(seen) - 1)[code], np.flatnonzero(seen)
    values, inverse = np.unique(np.append(code.ravel(), 0), return_inverse=True)
    return inverse[:-1].reshape(code.shape), values


def _terminals(state: _State, giver_node: Whole, taker_node: Whole, most: Whole) -> Terminals:
    """Givers, then takers. ``most`` is what each giver can give."""
    givers, takers = state.givers, state.takers
    gives = np.repeat([True, False], [len(givers), len(takers)])
    load = state.load[np.concatenate([givers, takers])]
    # A partition sits on a broker once, so that a taker takes at most the partitions that it does not hold.
    room = np.minimum(len(state.replicas) - state.load[takers], int(most.sum()))
    return Terminals(
        node=np.concatenate([giver_node, taker_node]),
        gives=gives,
        load=load,
        step=np.where(gives, -1, 1),
        low=np.zeros(len(load), np.int64),
        high=np.concatenate([most, room]),
    )


def _class_flow(state: _State, classes: _Classes) -> tuple[Ways, Terminals, Whole, Whole]:
    """The relaxation: givers -> codes -> groups -> takers. Returns also (giver, code) of the first arcs."""
    givers, codes, groups = state.givers, len(classes.reach), classes.reach.shape[1]
    place = np.full(len(state.load) + 1, NONE, np.int64)
    place[givers] = np.arange(len(givers))
    at = place[state.replicas]
    inside = (at >= 0) & (classes.code > 0)
    counts = np.bincount(at[inside] * codes + classes.code[inside], minlength=len(givers) * codes)
    used = np.flatnonzero(counts)
    giver, code = used // codes, used % codes
    tail_code, head_group = np.nonzero(classes.reach)
    first_code, first_group = len(givers), len(givers) + codes
    whole = np.full(len(tail_code), int(counts.sum()), np.int64)
    ways = Ways(
        nodes=first_group + groups,
        tail=np.concatenate([giver, first_code + tail_code]),
        head=np.concatenate([first_code + code, first_group + head_group]),
        capacity=np.concatenate([counts[used], whole]),
    )
    most = np.bincount(giver, weights=counts[used], minlength=len(givers)).astype(np.int64)
    terminals = _terminals(state, np.arange(len(givers)), first_group + classes.group, most)
    return ways, terminals, giver, code


# ---- objectives ------------------------------------------------------------------------------------------------


_Found = TypeVar("_Found")


@dataclass(frozen=True)
class _Limits:
    """What is allowed.

    Attributes:
        moves: most moves; where given, the aim is the least sum of squares with so many. None: the least spread.
        receive: the most that one broker may receive.
    """

    moves: int | None = None
    receive: int | None = None


def _capped(terminals: Terminals, limits: _Limits) -> Terminals:
    if limits.receive is None:
        return terminals
    high = np.where(terminals.gives, terminals.high, np.minimum(terminals.high, limits.receive))
    return replace(terminals, high=high)


def _best(ways: Ways, terminals: Terminals, limits: _Limits) -> tuple[Flow, _Value]:
    """The best flow in the order of the promises, and its value."""
    evenest = _required(evenest_flow(ways, terminals))
    if limits.moves is not None:
        # Each further move gains less than the one before, down to the evenest: so take all that are allowed.
        moves = min(limits.moves, int(evenest.units[terminals.gives].sum()))
        flow = _required(evenest_flow(ways, terminals, moves))
        return flow, _Value.of(terminals.loads_after(flow.units), moves, capped=True)
    load = terminals.loads_after(evenest.units)
    low, high = (int(load.min()), int(load.max())) if load.size else (0, 0)
    # Units that lift a broker to the low end of the window and to its high end, by who gives and who takes.
    most = np.where(terminals.gives, terminals.load - low, high - terminals.load)
    fewest = np.where(terminals.gives, terminals.load - high, low - terminals.load)
    window = replace(
        terminals, low=np.maximum(terminals.low, fewest), high=np.minimum(terminals.high, np.maximum(most, 0))
    )
    moves = _required(least_flow(ways, window))
    flow = _required(evenest_flow(ways, window, moves))
    return flow, _Value.of(terminals.loads_after(flow.units), moves, capped=False)


def _required(answer: _Found | None) -> _Found:
    if answer is None:
        raise AssertionError("The best balanced flow lies in the window, so that a flow exists.")
    return answer


# ---- from classes to partitions -----------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Shifts:
    """Replicas that move: n of them.

    Attributes:
        row: (n,) partition.
        column: (n,) place of the leaving replica in the partition's list.
        target: (n,) position of the broker that receives it.
    """

    row: Whole
    column: Whole
    target: Whole

    def __len__(self) -> int:
        return len(self.row)

    def applied(self, replicas: IntArray) -> IntArray:
        """The replica lists after these moves, newcomers in the vacated places."""
        moved = replicas.copy()
        moved[self.row, self.column] = self.target
        return moved

    @classmethod
    def joined(cls, parts: Sequence[_Shifts]) -> _Shifts:
        """All of them."""
        return cls(
            *(
                np.concatenate([np.empty(0, np.int64), *(getattr(part, name) for part in parts)])
                for name in ("row", "column", "target")
            )
        )


def _by_classes(state: _State, classes: _Classes, limits: _Limits) -> tuple[_Shifts, _Value]:
    """Solve over classes and give each unit a partition; and the value that was aimed at."""
    ways, terminals, giver, code = _class_flow(state, classes)
    flow, aim = _best(ways, _capped(terminals, limits), limits)
    return _dealt(state, classes, flow, giver, code), aim


def _bound(state: _State, wide: _Classes, limits: _Limits) -> _Value:
    """What no allowed plan can better: classes that know neither partitions nor how uneven ones pay for moves."""
    ways, terminals, _, _ = _class_flow(state, wide)
    return _best(ways, _capped(terminals, limits), limits)[1]


def _dealt(state: _State, classes: _Classes, flow: Flow, giver: Whole, code: Whole) -> _Shifts:
    """Give units of a class flow partitions: first one a partition, then further ones where that is allowed."""
    codes, groups = classes.reach.shape
    leaving = flow.on_arc[: len(giver)]
    entering = np.zeros((codes, groups), np.int64)
    entering[np.nonzero(classes.reach)] = flow.on_arc[len(giver) :]
    received = flow.units[len(state.givers) :]

    # Units in the order of their code, each with the broker it leaves ...
    by_code = np.argsort(code, kind="stable")
    unit_class = np.repeat(by_code, leaving[by_code])
    # ... and in the same order the group it enters; in the order of the groups, the broker that it reaches there.
    unit_group = np.repeat(np.tile(np.arange(groups), codes), entering.ravel())
    by_group = np.argsort(classes.group, kind="stable")
    target = np.empty(len(unit_class), np.int64)
    target[np.argsort(unit_group, kind="stable")] = np.repeat(state.takers[by_group], received[by_group])
    return _assigned(state, classes, state.givers[giver[unit_class]], code[unit_class], target)


def _assigned(state: _State, classes: _Classes, source: Whole, code: Whole, target: Whole) -> _Shifts:
    """Find a partition for each unit (broker it leaves, class, broker it reaches); some may stay without."""
    unit_key = source * len(classes.reach) + code
    for rows in _row_choices(len(state.replicas), len(source)):
        shifts = _drawn(state, classes, rows, unit_key, target)
        if len(shifts) == len(source):
            break
    return shifts


def _row_choices(count: int, moves: int) -> Iterator[Whole]:
    """Rows to look at: some, evenly spread over topics, then all."""
    some = max(_FEWEST_ROWS, moves * _ROWS_A_MOVE)
    if some < count:
        yield np.unique(np.linspace(0, count - 1, some).astype(np.int64))
    yield np.arange(count)


def _drawn(state: _State, classes: _Classes, rows: Whole, unit_key: Whole, target: Whole) -> _Shifts:
    """As ``_assigned``, among these rows; ``unit_key`` is broker and code in one number."""
    codes = len(classes.reach)
    original = state.replicas[rows]
    lists = original.copy()
    touched = np.zeros(len(rows), np.bool_)
    left = np.argsort(unit_key, kind="stable")
    found: list[_Shifts] = []
    # First partitions of the unit's class that pass nothing on yet; then such of any class that may; then any that may,
    # also if they passed something on already.
    for any_class, again in ((False, False), (True, False), (True, True)):
        if not left.size:
            break
        scale = codes if any_class else 1
        cells = original if any_class else np.where(original >= 0, original * codes + classes.code[rows], NONE)
        lookup = np.zeros(len(state.load) * codes // scale + 1, np.bool_)
        lookup[unit_key[left] // scale] = True
        where, column = np.nonzero(lookup[cells])
        key = cells[where, column]
        # Members of a class in an order that does not follow topics, the same each time.
        free = np.lexsort((_scattered(rows[where]), key))
        while left.size and free.size:
            wanted, have = unit_key[left] // scale, key[free]
            nth = np.arange(left.size) - np.searchsorted(wanted, wanted)
            at = np.searchsorted(have, wanted) + nth
            has = at < np.searchsorted(have, wanted, "right")
            units, pick = left[has], free[at[has]]
            if not units.size:
                break
            row = where[pick]
            good = again | ~touched[row]
            good &= _allowed(state, lists[row], column[pick], target[units])
            taken = np.zeros(row.size, np.bool_)
            taken[np.unique(np.where(good, row, -1 - np.arange(row.size)), return_index=True)[1]] = True
            taken &= good
            lists[row[taken], column[pick[taken]]] = target[units[taken]]
            touched[row[taken]] = True
            found.append(_Shifts(rows[row[taken]], column[pick[taken]], target[units[taken]]))
            left = _without(left, units[taken], len(unit_key))
            free = _without(free, pick, len(where))
    return _Shifts.joined(found)


def _without(numbers: Whole, gone: Whole, count: int) -> Whole:
    """``numbers``, all below ``count``, without those of ``gone``, in their order."""
    stays = np.ones(count, np.bool_)
    stays[gone] = False
    return numbers[stays[numbers]]


def _scattered(rows: Whole) -> Whole:
    """Numbers that order rows without following them (Fibonacci hashing)."""
    mixed: Whole = (rows * 2654435769) & 0xFFFFFFFF
    return mixed


def _allowed(state: _State, lists: IntArray, column: Whole, target: Whole) -> BoolArray:
    """Whether each list may pass its replica at ``column`` on: not held yet, and racks no worse."""
    at = np.arange(len(lists))
    racks = np.append(state.rack, np.int32(NONE))[lists]
    source_rack, target_rack = racks[at, column], state.rack[target]
    there = (racks == target_rack[:, None]).sum(axis=1)
    here = (racks == source_rack[:, None]).sum(axis=1)
    fine = (source_rack == target_rack) | (there + 1 <= here)
    allowed: BoolArray = (
        fine & ~(lists == target[:, None]).any(axis=1) & np.append(state.gives, False)[lists[at, column]]
    )
    return allowed


# ---- partition by partition ----------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Exact:
    """A network with a part for each partition.

    Attributes:
        ways: its arcs: first those that replicas leave by, then those that newcomers come by, then inner ones.
        terminals: givers, then takers.
        leaves: (a, 2) row and column of each leaving arc.
        comes: (b, 2) row and broker of each arc of a newcomer.
    """

    ways: Ways
    terminals: Terminals
    leaves: Whole
    comes: Whole


def _exact_network(state: _State, *, wide: bool = False) -> _Exact | None:
    """The network partition by partition; None where it would be too large.

    A replica that leaves rack r with its partition's j-th largest level there (c - j + 1 where r holds c) enters the
    partition's chain of levels, which leads downwards; a newcomer in rack s leaves it at level c + i, for the i-th. So
    a newcomer is always paid for by a replica that left a level at least as high, and the sum of squares cannot rise.
    With ``wide``, partitions uneven over racks need not pay.
    """
    movable = np.append(state.gives, False)[state.replicas]
    rows = np.flatnonzero(movable.any(axis=1))
    takers = state.takers
    if rows.size * (state.replicas.shape[1] * 2 + len(takers)) > _EXACT_ARCS:
        return None
    leave_tail, leave_head, leaves = [], [], []
    come_tail, come_head, comes = [], [], []
    inner: list[tuple[int, int, int]] = []
    givers = state.givers
    place = {broker: i for i, broker in enumerate(givers.tolist())}
    first_taker = len(givers)
    nodes = len(givers) + len(takers)
    rack_of = state.rack.tolist()
    for row in rows.tolist():
        held = [broker for broker in state.replicas[row].tolist() if broker != NONE]
        count: dict[int, int] = {}
        for broker in held:
            count[rack_of[broker]] = count.get(rack_of[broker], 0) + 1
        out: dict[int, int] = {}
        open_: dict[int, int] = {}
        node: dict[int, int] = {}
        for column, broker in enumerate(held):
            if broker in place:
                rack = rack_of[broker]
                out[rack] = out.get(rack, 0) + 1
                node.setdefault(rack, nodes + len(node))
                leave_tail.append(place[broker])
                leave_head.append(node[rack])
                leaves.append((row, column))
        for i, taker in enumerate(takers.tolist()):
            if taker not in held:
                rack = rack_of[taker]
                open_[rack] = open_.get(rack, 0) + 1
                node.setdefault(rack, nodes + len(node))
                come_tail.append(node[rack])
                come_head.append(first_taker + i)
                comes.append((row, taker))
        nodes += len(node)
        levels = max(count.values())
        lowest = min((count.get(rack, 0) for rack in open_), default=levels)
        pays = not (wide and levels >= lowest + 2)
        # Level l of the chain is node ``nodes + l``; without paying there is one level for all.
        for rack, most in out.items():
            inner.extend((node[rack], nodes + (count[rack] - j if pays else 0), 1) for j in range(most))
        for rack, most in open_.items():
            for i in range(1, most + 1):
                level = count.get(rack, 0) + i
                if not pays or level <= levels:
                    inner.append((nodes + (level if pays else 0), node[rack], 1))
        inner.extend((nodes + level, nodes + level - 1, len(held)) for level in range(1, levels + 1) if pays)
        nodes += levels + 1
    inner_columns = np.array(inner, np.int64).reshape(-1, 3)
    ways = Ways(
        nodes=nodes,
        tail=np.concatenate([_whole(leave_tail), _whole(come_tail), inner_columns[:, 0]]),
        head=np.concatenate([_whole(leave_head), _whole(come_head), inner_columns[:, 1]]),
        capacity=np.concatenate([np.ones(len(leaves) + len(comes), np.int64), inner_columns[:, 2]]),
    )
    most_given = np.bincount(_whole(leave_tail), minlength=len(givers)).astype(np.int64)
    terminals = _terminals(state, np.arange(len(givers)), first_taker + np.arange(len(takers)), most_given)
    return _Exact(ways, terminals, _whole(leaves).reshape(-1, 2), _whole(comes).reshape(-1, 2))


def _whole(values: Sequence[int] | Sequence[tuple[int, int]]) -> Whole:
    return np.array(values, np.int64)


def _network_best(network: _Exact, limits: _Limits) -> tuple[Flow, _Value]:
    return _best(network.ways, _capped(network.terminals, limits), limits)


def _by_partitions(network: _Exact, limits: _Limits) -> tuple[_Shifts, _Value]:
    flow, value = _network_best(network, limits)
    used = flow.on_arc > 0
    leaves = network.leaves[used[: len(network.leaves)]]
    comes = network.comes[used[len(network.leaves) : len(network.leaves) + len(network.comes)]]
    # Both are in the order of rows, and each partition gives up as many replicas as it takes in.
    return _Shifts(leaves[:, 0], leaves[:, 1], comes[:, 1]), value
