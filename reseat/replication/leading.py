"""What a leader does with what it knows: raise the high watermark, answer producers, keep the ISR.

The high watermark is the least log end of the ISR, as the leader knows it. (Kafka's own code counts a fetch's log end
after it has read the records and the high watermark that it answers with, and rereads after a wait; the rule here, that
a fetch counts at once, is the documents' and comes to the same after one fetch more. It also waits for a follower that
has caught up and whose joining is on its way to the controller; here a follower joins at once.) The leader's
never falls; a follower's does where a new leader's is lower.
"""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

from reseat.replication.state import Acked, Acks, Partition

__all__ = ["UNKNOWN", "expanded", "fetched", "raised", "shrunk", "with_isr"]

#: What a new leader knows of its followers' log ends.
UNKNOWN = -1


def raised(partition: Partition) -> Partition:
    """The high watermark where the ISR allows it, and producers answered whose records it passed."""
    if partition.leader is None:
        return partition
    leader = partition.led
    ends = [partition.follower_leo.get(b, UNKNOWN) for b in partition.isr if b != partition.leader]
    hw = max(leader.hw, min([leader.leo, *ends]))
    if partition.rules.elr and len(partition.isr) < partition.needed:
        hw = leader.hw  # from 3.7: what too few replicas have is not committed
    if hw == leader.hw:
        return partition
    done = tuple(p for p in partition.pending if p.offset < hw)
    enough = len(partition.isr) >= partition.needed
    moved = partition.put(partition.leader, replace(leader, hw=hw))
    return replace(
        moved,
        pending=tuple(p for p in partition.pending if p.offset >= hw),
        acknowledged=partition.acknowledged
        + (tuple(Acked(p.value, p.offset, p.epoch, Acks.ALL) for p in done) if enough else ()),
        refused=partition.refused
        + (() if enough else tuple((p.value, "NOT_ENOUGH_REPLICAS_AFTER_APPEND") for p in done)),
    )


def with_isr(partition: Partition, isr: tuple[int, ...]) -> Partition:
    """The partition with this ISR, in assignment order, and the eligible leader replicas that follow (KIP-966).

    The controller hears of an unclean shutdown when the broker is back: until then it stays eligible.
    """
    ordered = tuple(broker for broker in partition.replicas if broker in isr)
    elr: tuple[int, ...] = ()
    if partition.rules.elr and len(ordered) < partition.needed:
        candidates = {*partition.elr, *partition.isr} - set(ordered)
        elr = tuple(b for b, r in partition.replicas.items() if b in candidates and not (r.alive and r.unclean))
    return replace(partition, isr=ordered, elr=elr)


def expanded(partition: Partition, follower: int) -> Partition:
    """With the follower in the ISR, if it has reached the high watermark and the start of the leader's epoch."""
    end = partition.follower_leo.get(follower, UNKNOWN)
    if follower in partition.isr or end < max(partition.led.hw, partition.epoch_start):
        return partition
    back = partition.put(follower, replace(partition.replicas[follower], unclean=False))
    return with_isr(back, (*partition.isr, follower))


def shrunk(partition: Partition) -> Partition:
    """Without the followers that were not caught up for longer than ``replica.lag.time.max.ms``."""
    if partition.leader is None:
        return partition
    end = partition.led.leo
    late = {
        broker
        for broker in partition.isr
        if broker != partition.leader
        and partition.follower_leo.get(broker, UNKNOWN) < end
        and partition.now_ms - partition.caught_up_ms.get(broker, 0) > partition.rules.lag_max_ms
    }
    return with_isr(partition, tuple(b for b in partition.isr if b not in late)) if late else partition


def fetched(partition: Partition, follower: int, offset: int) -> Partition:
    """What the leader learns from a fetch: the follower's log end, and when it was last caught up."""
    end = partition.led.leo
    caught_up = dict(partition.caught_up_ms)
    before = partition.fetched.get(follower)
    if offset >= end:
        caught_up[follower] = partition.now_ms
    elif before is not None and offset >= before[1]:
        caught_up[follower] = before[0]
    return replace(
        partition,
        follower_leo=MappingProxyType({**partition.follower_leo, follower: offset}),
        caught_up_ms=MappingProxyType(caught_up),
        fetched=MappingProxyType({**partition.fetched, follower: (partition.now_ms, end)}),
    )
