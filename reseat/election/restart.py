"""Which broker is safe to restart next, and why the others are not.

Promises: a broker is called safe only if, while it is down, no partition goes offline, none falls below
``min.insync.replicas``, none loses a replica while it already misses another, and the controllers' quorum is not lost.

Needs: any layout. What is not told is assumed and said: an ISR that is not told holds all replicas, a
``min.insync.replicas`` that is not told is 1, a broker whose state is not told is alive, but for one that holds
replicas and is in no ISR.

How: each replica is looked at as if its broker stopped, by the rules of ``reseat.election.stop``: can no other one lead
then, is the ISR too small, or was it short already? The answers are counted by broker, all brokers in one pass. Safe
brokers come first, those with the fewest leaders to hand over first of all, and the active controller last of them:
each time that it stops, another one takes over.

Example: [1, 2, 3] with ISR 1, 2, 3 and min ISR 2: any one of them is safe. With ISR 1, 2: stopping 1 or 2 falls below.

Complexity: O(P R).

Source: the conditions are those that ``kafka-topics --describe --at-min-isr-partitions`` and
``--under-replicated-partitions`` look for (KIP-351).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reseat.election.candidates import candidates, electable
from reseat.election.isr import least_in_sync, with_eligible
from reseat.election.rules import Mode
from reseat.model import NONE, NOT_TOLD, BoolArray, Broker, BrokerState, ClusterLayout, Longs, Quorum
from reseat.model.arrays import row_any, row_counts
from reseat.model.wording import counted, verb

__all__ = ["RestartSafety", "safe_to_restart"]


@dataclass(frozen=True, slots=True)
class RestartSafety:
    """Whether one broker is safe to restart now.

    Attributes:
        broker_id: the broker.
        safe: whether nothing speaks against it.
        sentence: why, or why not.
        goes_offline: partitions that would have no leader.
        falls_below_min_isr: partitions that would refuse writes with acks=all (those going offline not repeated).
        already_short: further partitions it is in sync for that miss another replica already.
        leaders: partitions it leads, to be handed over; None where no leader is told.
        replicas: replicas it holds.
        assumed: what is unknown of the layout and assumed, the same for every broker; empty: nothing.
    """

    broker_id: int
    safe: bool
    sentence: str
    goes_offline: int
    falls_below_min_isr: int
    already_short: int
    leaders: int | None
    replicas: int
    assumed: str


def safe_to_restart(
    layout: ClusterLayout, quorum: Quorum | None = None, controller: int | None = None, mode: Mode = "zookeeper"
) -> tuple[RestartSafety, ...]:
    """Its safety for each broker, the next one to restart first.

    Safe brokers come first, by leaders to hand over, then replicas, then id; then the others, by what they would do:
    partitions going offline, below min ISR, short already. Brokers that are not alive come last.

    Args:
        layout: the layout.
        quorum: the controllers of its KRaft cluster, where they are told; a node may be a broker and one of them.
        controller: id of the active one, of either era, where it is told.
        mode: which controller elects.
    """
    brokers = len(layout.brokers)
    can = candidates(layout)
    in_sync = can.in_sync
    ready = in_sync & can.alive
    others = row_counts(ready)[:, None] - ready
    # An eligible replica leads where no other one is in sync.
    spare = can.alive & electable(layout, can, mode, np.zeros_like(can.alive)) & ~in_sync
    floor, size = least_in_sync(layout, mode)[:, None], row_counts(in_sync)[:, None]
    leader = layout.leader[:, None]
    could = row_any(can.alive & electable(layout, can, mode))[:, None]
    leads = (layout.replicas == leader) | ((leader == NOT_TOLD) & could)
    # In each, a True stands for one replica whose broker is thought to stop.
    lonely = (others == 0) & (row_counts(spare)[:, None] - spare == 0)
    offline = leads & lonely & (layout.replicas != NONE)
    # The last one of an ISR stays in it, or an eligible one is elected and is alone in it.
    left = np.where(others | (with_eligible(layout, mode) & ~leads), size - 1, 1)
    below = in_sync & ~offline & (size >= floor) & (left < floor)
    short = in_sync & ~offline & ~below & (size < row_counts(_meant(layout))[:, None])

    def by_broker(mask: BoolArray) -> Longs:
        return np.bincount(layout.replicas[mask], minlength=brokers).astype(np.int64)

    leaders = np.bincount(np.maximum(layout.leader, NONE) + 1, minlength=brokers + 1)[1:]
    leader_told = bool((layout.leader != NOT_TOLD).any())
    columns = np.stack(
        [by_broker(offline), by_broker(below), by_broker(short), leaders, by_broker(layout.replicas != NONE)], axis=1
    ).tolist()
    up = (layout.available & ~_out_of_sync(layout, in_sync)).tolist()
    assumed = _assumptions(layout, can.assumed)
    restarts: list[tuple[tuple[bool, bool, tuple[int, ...]], RestartSafety]] = []
    for broker, alive, numbers in zip(layout.brokers, up, columns, strict=True):
        last, lost = broker.id == controller, _lost(broker, layout, quorum)
        restart = _safety(broker, numbers, lost, last=last, alive=alive, leader_told=leader_told, assumed=assumed)
        rank = (last, numbers[3], numbers[4]) if restart.safe else (numbers[0], numbers[1], numbers[2], numbers[3])
        restarts.append(((not restart.safe, not alive, (*rank, broker.id)), restart))
    return tuple(restart for _, restart in sorted(restarts, key=lambda pair: pair[0]))


def _meant(layout: ClusterLayout) -> BoolArray:
    """(P, R) bool: replicas that should be in sync: newcomers and observers left out."""
    meant: BoolArray = layout.replicas != NONE
    for mask in (layout.adding, layout.observers):
        if mask is not None:
            meant &= ~mask
    return meant


def _out_of_sync(layout: ClusterLayout, in_sync: BoolArray) -> BoolArray:
    """(B,) bool: brokers of unknown state that are in no ISR: a live one would have returned to one within moments.

    The ISR of a partition without a leader is the one it had.
    """
    meant, brokers = _meant(layout), len(layout.brokers)
    should = np.bincount(layout.replicas[meant], minlength=brokers)
    present = meant & in_sync & (layout.leader != NONE)[:, None]
    does = np.bincount(layout.replicas[present], minlength=brokers)
    out: BoolArray = layout.in_state(BrokerState.NOT_TOLD) & (should > 0) & (does == 0)
    return out


def _assumptions(layout: ClusterLayout, assumed: BoolArray) -> str:
    said = []
    number = int(np.count_nonzero(assumed))
    if number:
        said.append(f"The ISR of {counted(number, 'partition')} is unknown and assumed to be complete")
    unknown = len(layout.topics)
    if layout.min_in_sync is not None:
        unknown = int(np.count_nonzero(layout.min_in_sync < 1))
    if unknown:
        said.append(f"min.insync.replicas of {counted(unknown, 'topic')} is unknown and assumed to be 1")
    return f"{'; '.join(said)}." if said else ""


def _lost(broker: Broker, layout: ClusterLayout, quorum: Quorum | None) -> str:
    """That the controllers' quorum would be lost without a broker; "" where it goes on."""
    if quorum is None or broker.id not in quorum.voter_ids:
        return ""
    lost = {broker.id, *quorum.down(layout.broker_ids[layout.away].tolist())}
    up = sum(voter not in lost for voter in quorum.voter_ids)
    if up >= quorum.majority:
        return ""
    voters = counted(len(quorum.voters), "voter")
    return f"the controller quorum would be lost, with {up} of {voters} up and {quorum.majority} needed"


def _safety(
    broker: Broker, numbers: list[int], lost: str, *, last: bool, alive: bool, leader_told: bool, assumed: str
) -> RestartSafety:
    offline, below, short, leaders, replicas = numbers
    reasons = [lost] if lost else []
    if offline:
        reasons.append(f"{counted(offline, 'partition')} would go offline")
    if below:
        reasons.append(f"{counted(below, 'partition')} would fall below min.insync.replicas")
    if short:
        reasons.append(
            f"{counted(short, 'partition')} {verb(short, 'misses', 'miss')} an in-sync replica already and would lose "
            "one more"
        )
    if not alive:
        is_down = "in sync for none and probably down" if broker.state is BrokerState.NOT_TOLD else broker.state.value
        sentence = f"Broker {broker.id} is {is_down}: there is nothing to restart until it is back."
    elif reasons:
        sentence = f"Broker {broker.id} is not safe to restart: {'; '.join(reasons)}."
    else:
        hands = f" It hands over leadership of {counted(leaders, 'partition')}." if leader_told else ""
        then = " It is the active controller: restart it last." if last else ""
        sentence = f"Broker {broker.id} is safe to restart: no partition loses its leader.{hands}{then}"
    return RestartSafety(
        broker_id=broker.id,
        safe=alive and not reasons,
        sentence=sentence,
        goes_offline=offline,
        falls_below_min_isr=below,
        already_short=short,
        leaders=leaders if leader_told else None,
        replicas=replicas,
        assumed=assumed,
    )
