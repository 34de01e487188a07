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

Complexity: O(P R) a step. Source: as ``stop`` and ``preferred``; KIP-966 for eligible leader replicas.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import Enum

import numpy as np
import numpy.typing as npt

from reseat.election import rules
from reseat.election.candidates import broker_mask, candidates, column_of, electable
from reseat.election.outcome import ElectionPreview, Reason
from reseat.election.preferred import preferred
from reseat.election.rules import Mode
from reseat.election.stop import stop
from reseat.model import NONE, BoolArray, BrokerState, ClusterLayout
from reseat.model.columns import row_counts
from reseat.model.wording import counted, listed, verb

__all__ = ["Move", "MoveKind", "Walk", "WalkStep", "walk"]


class MoveKind(Enum):
    """What happens in a step."""

    STOP = "stop"
    RETURN = "return"
    PREFERRED = "preferred"


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
        sentence: what came of it, for a person.
    """

    move: Move
    layout: ClusterLayout
    election: ElectionPreview
    offline: npt.NDArray[np.int64]
    below_min_isr: npt.NDArray[np.int64]
    lost: npt.NDArray[np.int64]
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
    now = layout
    for move in moves:
        steps.append(_step(now, move, unclean=unclean, mode=mode))
        now = steps[-1].layout
    return Walk(layout, tuple(steps))


def _step(layout: ClusterLayout, move: Move, *, unclean: bool, mode: Mode) -> WalkStep:
    if move.kind is MoveKind.STOP:
        after, election, lost = _stopped(layout, move.brokers, unclean=unclean, mode=mode)
    elif move.kind is MoveKind.RETURN:
        after, election, lost = _returned(layout, move.brokers, unclean=unclean, mode=mode)
    else:
        election = preferred(layout, mode)
        after = replace(layout, leader=_positions(layout, election.leader_after))
        lost = np.empty(0, np.int64)
    offline = np.flatnonzero(after.leader == NONE)
    below = np.flatnonzero(_short(after, candidates(after).in_sync) & (after.leader != NONE))
    return WalkStep(move, after, election, offline, below, lost, _sentence(move, election, offline, below, lost))


def _stopped(
    layout: ClusterLayout, brokers: Iterable[int], *, unclean: bool, mode: Mode
) -> tuple[ClusterLayout, ElectionPreview, npt.NDArray[np.int64]]:
    preview = stop(layout, brokers, unclean=unclean, mode=mode)
    gone = broker_mask(layout, brokers)
    states = [
        replace(broker, state=BrokerState.DEAD) if out else broker
        for broker, out in zip(layout.brokers, gone.tolist(), strict=True)
    ]
    after = replace(
        layout,
        brokers=tuple(states),
        leader=_positions(layout, preview.election.leader_after),
        in_sync=preview.in_sync_after,
        eligible=_eligible(layout, preview.in_sync_after),
    )
    return after, preview.election, preview.unclean


def _returned(
    layout: ClusterLayout, brokers: Iterable[int], *, unclean: bool, mode: Mode
) -> tuple[ClusterLayout, ElectionPreview, npt.NDArray[np.int64]]:
    back = broker_mask(layout, brokers)
    states = [
        replace(broker, state=BrokerState.ALIVE) if here else broker
        for broker, here in zip(layout.brokers, back.tolist(), strict=True)
    ]
    alive = replace(layout, brokers=tuple(states))
    can = candidates(alive)
    waits = layout.leader == NONE
    # Only who is back can end the wait: with anybody else alive and electable there would be a leader.
    standing = electable(alive, can, mode)
    clean = column_of(layout.replicas, rules.offline(can.alive, standing, unclean=False))
    chosen = column_of(layout.replicas, rules.offline(can.alive, standing, unclean=unclean))
    leader = np.where(waits, chosen, layout.leader).astype(np.int32)
    led = leader != NONE
    lossy = waits & led & (clean == NONE)
    in_sync = candidates(layout).in_sync & ~(lossy[:, None] & ~can.alive)
    # Who is back follows; and where nobody led, everybody that is alive follows the one that leads now.
    here = np.append(back, False)[layout.replicas]
    in_sync |= can.alive & ((here & led[:, None]) | (waits & led)[:, None])
    reason = np.select(
        [lossy, waits & led, waits],
        [np.uint8(Reason.UNCLEAN), np.uint8(Reason.TAKES_OVER), np.uint8(Reason.WAS_OFFLINE)],
        np.uint8(Reason.KEEPS_LEADING),
    ).astype(np.uint8)
    after = replace(alive, leader=leader, in_sync=in_sync, eligible=_eligible(layout, in_sync))
    return after, ElectionPreview.of(alive, leader, reason, can.assumed), np.flatnonzero(lossy)


def _eligible(layout: ClusterLayout, in_sync: BoolArray) -> BoolArray | None:
    """Eligible leader replicas afterwards (KIP-966): who left an ISR that is too small now; None where not told."""
    if layout.eligible is None:
        return None
    before = layout.eligible | candidates(layout).in_sync
    left: BoolArray = before & ~in_sync & _short(layout, in_sync)[:, None]
    return left


def _short(layout: ClusterLayout, in_sync: BoolArray) -> BoolArray:
    """(P,) bool: fewer in sync than ``min.insync.replicas``, which counts as at most the replication factor."""
    if layout.min_in_sync is None:
        return np.zeros(layout.partition_count, np.bool_)
    floor = np.minimum(layout.min_in_sync[layout.topic_of], layout.replication_factor)
    short: BoolArray = row_counts(in_sync) < floor
    return short


def _positions(layout: ClusterLayout, ids: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
    """Broker ids as positions; -1 and -2 stay."""
    return np.where(ids < 0, ids, np.searchsorted(layout.broker_ids, ids)).astype(np.int32)


def _sentence(
    move: Move,
    election: ElectionPreview,
    offline: npt.NDArray[np.int64],
    below: npt.NDArray[np.int64],
    lost: npt.NDArray[np.int64],
) -> str:
    number = len(move.brokers)
    who = f"{verb(number, 'Broker', 'Brokers')} {listed(move.brokers)}"
    changed = int(np.count_nonzero(election.changed))
    what = {
        MoveKind.STOP: f"{who} {verb(number, 'stops', 'stop')}",
        MoveKind.RETURN: f"{who} {verb(number, 'returns', 'return')}",
        MoveKind.PREFERRED: "A preferred election is held",
    }[move.kind]
    said = [f"{what}: {counted(changed, 'leader')} {verb(changed, 'changes', 'change')}."]
    if len(lost):
        said.append(f"{counted(len(lost), 'partition')} {verb(len(lost), 'loses', 'lose')} what was not copied.")
    if len(offline):
        said.append(f"{counted(len(offline), 'partition')} {verb(len(offline), 'is', 'are')} offline.")
    if len(below):
        said.append(f"{counted(len(below), 'partition')} {verb(len(below), 'refuses', 'refuse')} acks=all.")
    if not len(offline) and not len(below):
        said.append("Everything is led and takes writes.")
    return " ".join(said)
