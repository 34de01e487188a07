"""Brokers that stop and return one after the other, walked step by step, with elections between.

Promises: each step starts from the state that the one before it left, and is what Kafka's controller would do once it
has settled: leaders, ISR, eligible leader replicas, and what is offline.

Needs: any layout; what ``stop`` and ``preferred`` assume where things are not told, holds here too.

How: ``stop`` and ``preferred`` give the leaders and the ISR after a stop and an election; they become the next step's
layout. A broker that returns leads what waits for it (a partition without a leader whose ISR names it), follows where
another leads, and is in sync again once it has copied what it missed. Whether that took long is not simulated: each
step is shown once it has settled. Order matters: the last in an ISR stays in it, so that [3, 5] offline after 3 and
then 5 stopped is led by 5 when it is back, and not by 3.

Example: [1, 2], ISR 1, 2; 1 stops: 2 leads, ISR 2. 2 stops: offline, ISR 2. 1 returns: still offline, since 2 alone is
known to have everything. 2 returns: 2 leads, ISR 1, 2. A preferred election: 1 leads.

With eligible leader replicas (KRaft, KIP-966) the ISR may become empty, and whoever left it when it was below min ISR
may lead. A broker that *crashes* (an unclean shutdown) is neither in an ISR nor eligible when it is back; where nobody
else is, the last known leader may lead, which KRaft marks RECOVERING. Without them a crash is as a stop.

Complexity: O(P R) a step. Source: as ``stop`` and ``preferred``; KIP-966 for eligible leader replicas.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import Enum

import numpy as np

from reseat.election import rules
from reseat.election.candidates import broker_mask, candidates, column_of, electable, last_known
from reseat.election.isr import eligible_afterwards, least_in_sync, with_eligible
from reseat.election.outcome import LOSSY, ElectionPreview, Reason
from reseat.election.preferred import preferred
from reseat.election.rules import Mode
from reseat.election.stop import stop
from reseat.election.unclean import unclean as unclean_election
from reseat.model import NONE, NOT_TOLD, BoolArray, BrokerState, ClusterLayout, IntArray, Longs
from reseat.model.arrays import on_brokers, row_any, row_counts
from reseat.model.wording import counted, named, verb

__all__ = ["Move", "MoveKind", "Walk", "WalkStep", "walk"]


class MoveKind(Enum):
    """What happens in a step."""

    STOP = "stop"
    CRASH = "crash"
    RETURN = "return"
    PREFERRED = "preferred"
    UNCLEAN = "unclean"


@dataclass(frozen=True, slots=True)
class Move:
    """One thing that happens.

    Attributes:
        kind: what.
        brokers: who stops or returns; empty for an election.
    """

    kind: MoveKind
    brokers: tuple[int, ...] = ()


@dataclass(frozen=True, eq=False)
class WalkStep:
    """One step and the state that it leaves.

    Attributes:
        move: what happened.
        layout: the layout afterwards: leaders, ISR, ELR and the brokers' states.
        election: leaders before and after, with the reasons.
        offline: (n,) int64 rows without a leader afterwards.
        below_min_isr: (n,) int64 rows with a leader that refuse acks=all, where ``min.insync.replicas`` is told.
        lost: (n,) int64 rows that got a leader in this step which was not in sync: records may be gone.
        recovering: (n,) int64 rows that a KRaft controller marks RECOVERING for that, until the new leader is done.
        sentence: what came of it, for a person.
    """

    move: Move
    layout: ClusterLayout
    election: ElectionPreview
    offline: Longs
    below_min_isr: Longs
    lost: Longs
    recovering: Longs
    sentence: str


@dataclass(frozen=True, eq=False)
class Walk:
    """All steps, in order.

    Attributes:
        start: the layout before the first.
        steps: one a move.
    """

    start: ClusterLayout
    steps: tuple[WalkStep, ...]


def walk(layout: ClusterLayout, moves: Sequence[Move], *, unclean: bool = False, mode: Mode = "zookeeper") -> Walk:
    """Walk through moves.

    Args:
        layout: where it starts; it is not changed.
        moves: what happens, in order.
        unclean: ``unclean.leader.election.enable``.
        mode: which controller decides.

    Raises:
        WishRefused: the layout does not know a broker.
    """
    steps: list[WalkStep] = []
    now, assumed = _begin(layout), ~layout.in_sync_known
    crashed: frozenset[int] = frozenset()
    for move in moves:
        steps.append(_step(now, move, crashed, unclean=unclean, mode=mode, assumed=assumed))
        now = steps[-1].layout
        if move.kind is MoveKind.CRASH:
            crashed |= frozenset(move.brokers)
        elif move.kind is MoveKind.RETURN:
            crashed -= frozenset(move.brokers)
    return Walk(layout, tuple(steps))


def _begin(layout: ClusterLayout) -> ClusterLayout:
    """The layout with an ISR for every partition: from here on it changes step by step, also where it was assumed."""
    can = candidates(layout)
    in_sync = can.in_sync.copy()
    live = can.in_sync & can.alive
    guessed = can.assumed & row_any(live)
    in_sync[guessed] = live[guessed]
    return replace(layout, in_sync=in_sync, in_sync_told=None)


def _step(
    layout: ClusterLayout, move: Move, crashed: frozenset[int], *, unclean: bool, mode: Mode, assumed: BoolArray
) -> WalkStep:
    if move.kind in (MoveKind.STOP, MoveKind.CRASH):
        after, election, lost = _stopped(layout, move.brokers, unclean=unclean, mode=mode)
    elif move.kind is MoveKind.RETURN:
        unsafe = crashed & frozenset(move.brokers)
        after, election, lost = _returned(layout, move.brokers, unsafe, unclean=unclean, mode=mode)
    elif move.kind is MoveKind.UNCLEAN:
        after, election, lost = _held(layout, unclean_election(layout, mode), mode)
    else:
        after, election, lost = _held(layout, preferred(layout, mode), mode)
    election = replace(election, assumed=assumed)
    offline = np.flatnonzero(after.leader == NONE)
    short = row_counts(candidates(after).in_sync) < least_in_sync(after, mode)
    below = np.flatnonzero(short & (after.leader != NONE))
    recovering = lost if mode == "kraft" else np.empty(0, np.int64)
    floors, known = after.min_in_sync, bool((after.leader != NOT_TOLD).all())
    holds = "Every partition has a leader" if known else "Every partition has a replica that can lead"
    if floors is not None and (floors >= 1).all():
        holds += " and accepts writes"
    sentence = _sentence(
        move, election, offline, below, lost, leader="leader" if known else "known leader", holds=holds
    )
    return WalkStep(move, after, election, offline, below, lost, recovering, sentence)


def _stopped(
    layout: ClusterLayout, brokers: Iterable[int], *, unclean: bool, mode: Mode
) -> tuple[ClusterLayout, ElectionPreview, Longs]:
    preview = stop(layout, brokers, unclean=unclean, mode=mode)
    after = replace(
        _in_state(layout, broker_mask(layout, brokers), BrokerState.DEAD),
        leader=_positions(layout, preview.election.leader_after),
        in_sync=preview.in_sync_after,
    )
    if preview.eligible_after is not None:
        after = replace(after, eligible=preview.eligible_after, last_known_eligible=_last_known(layout, after))
    return after, preview.election, preview.unclean


def _returned(
    layout: ClusterLayout, brokers: Iterable[int], unsafe: frozenset[int], *, unclean: bool, mode: Mode
) -> tuple[ClusterLayout, ElectionPreview, Longs]:
    back = broker_mask(layout, brokers)
    alive = _in_state(layout, back, BrokerState.ALIVE)
    if unsafe and with_eligible(layout, mode):
        alive = _without(alive, broker_mask(layout, unsafe))
    can = candidates(alive)
    waits = layout.leader == NONE
    # A broker that registers lets the controller elect wherever nobody leads.
    clean = column_of(layout.replicas, rules.offline(can.alive, electable(alive, can, mode), unclean=False))
    known = column_of(layout.replicas, last_known(alive, can, mode))
    anyone = column_of(layout.replicas, rules.first_column(can.alive))
    eligible = (clean != NONE) & ~row_any(can.in_sync & can.alive)
    # A decision table: the first row that holds decides.
    table: list[tuple[BoolArray, Reason, IntArray]] = [
        (~waits, Reason.KEEPS_LEADING, layout.leader),
        (eligible, Reason.ELIGIBLE, clean),
        (clean != NONE, Reason.TAKES_OVER, clean),
        (known != NONE, Reason.LAST_KNOWN, known),
        ((anyone != NONE) & unclean, Reason.UNCLEAN, anyone),
    ]
    conditions = [row[0] for row in table]
    reason = np.select(conditions, [np.uint8(row[1]) for row in table], np.uint8(Reason.WAS_OFFLINE)).astype(np.uint8)
    leader = np.select(conditions, [row[2] for row in table], layout.leader).astype(np.int32)
    lossy = np.isin(reason, LOSSY)
    after = _settled(alive, leader, back, lossy=lossy, mode=mode)
    return after, ElectionPreview.of(alive, leader, reason, can.assumed), np.flatnonzero(lossy)


def _held(layout: ClusterLayout, election: ElectionPreview, mode: Mode) -> tuple[ClusterLayout, ElectionPreview, Longs]:
    """An election on request, once it has settled."""
    lossy = np.isin(election.reason, LOSSY)
    nobody = np.zeros(len(layout.brokers), np.bool_)
    after = _settled(layout, _positions(layout, election.leader_after), nobody, lossy=lossy, mode=mode)
    return after, election, np.flatnonzero(lossy)


def _settled(
    layout: ClusterLayout, leader: IntArray, back: BoolArray, *, lossy: BoolArray, mode: Mode
) -> ClusterLayout:
    """The layout once those who are back follow; under a leader that took over, everybody who is alive does."""
    can = candidates(layout)
    led = leader != NONE
    led_before = row_any((layout.replicas == layout.leader[:, None]) & can.alive)
    anew = led & (leader != layout.leader) & ~led_before
    # A leader elected from outside the ISR is alone in it: who is left there and not alive is out.
    outside = anew & ~row_any((layout.replicas == leader[:, None]) & can.in_sync)
    in_sync = can.in_sync & ~(outside[:, None] & ~can.alive)
    here = on_brokers(layout.replicas, back)
    in_sync |= can.alive & ((here & led[:, None]) | anew[:, None])
    after = replace(layout, leader=leader, in_sync=in_sync)
    if with_eligible(layout, mode):
        eligible = eligible_afterwards(layout, can.in_sync, in_sync)
        eligible[lossy] = False
        after = replace(after, eligible=eligible, last_known_eligible=_last_known(layout, after))
    return after


def _last_known(before: ClusterLayout, after: ClusterLayout) -> BoolArray:
    """(P, R) bool: who led last, of partitions that nobody leads (KIP-966)."""
    old = before.last_known_eligible
    kept = np.zeros(before.replicas.shape, np.bool_) if old is None else old
    led = (before.leader >= 0)[:, None]
    waits = (after.leader == NONE)[:, None]
    known: BoolArray = waits & np.where(led, before.replicas == before.leader[:, None], kept)
    return known


def _in_state(layout: ClusterLayout, brokers: BoolArray, state: BrokerState) -> ClusterLayout:
    """The layout with these brokers in a state."""
    return replace(
        layout,
        brokers=tuple(
            replace(broker, state=state) if chosen else broker
            for broker, chosen in zip(layout.brokers, brokers.tolist(), strict=True)
        ),
    )


def _without(layout: ClusterLayout, brokers: BoolArray) -> ClusterLayout:
    """The layout without these brokers in any ISR or ELR: they may have lost what they had not flushed."""
    stay = ~on_brokers(layout.replicas, brokers)
    return replace(
        layout,
        in_sync=None if layout.in_sync is None else layout.in_sync & stay,
        eligible=None if layout.eligible is None else layout.eligible & stay,
    )


def _positions(layout: ClusterLayout, ids: IntArray) -> IntArray:
    """Broker ids as positions; -1 and -2 stay."""
    return np.where(ids < 0, ids, np.searchsorted(layout.broker_ids, ids)).astype(np.int32)


def _sentence(
    move: Move,
    election: ElectionPreview,
    offline: Longs,
    below: Longs,
    lost: Longs,
    *,
    leader: str,
    holds: str,
) -> str:
    number = len(move.brokers)
    who = named("Broker", move.brokers)
    changed = int(np.count_nonzero(election.changed))
    what = {
        MoveKind.STOP: f"{who} {verb(number, 'stops', 'stop')}",
        MoveKind.CRASH: f"{who} {verb(number, 'crashes', 'crash')}",
        MoveKind.RETURN: f"{who} {verb(number, 'returns', 'return')}",
        MoveKind.PREFERRED: "A preferred election is run",
        MoveKind.UNCLEAN: "An unclean election is run",
    }[move.kind]
    said = [f"{what}: {counted(changed, leader)} {verb(changed, 'changes', 'change')}."]
    if len(lost):
        said.append(
            f"{counted(len(lost), 'partition')} {verb(len(lost), 'loses', 'lose')} records that were not copied."
        )
    if len(offline):
        said.append(f"{counted(len(offline), 'partition')} {verb(len(offline), 'is', 'are')} offline.")
    if len(below):
        said.append(f"{counted(len(below), 'partition')} {verb(len(below), 'rejects', 'reject')} acks=all writes.")
    if not len(offline) and not len(below):
        said.append(f"{holds}.")
    return " ".join(said)
