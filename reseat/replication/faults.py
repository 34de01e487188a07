"""What went wrong in a state: acknowledged and gone, read and gone, or committed and different between replicas."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

from reseat.replication.state import Acks, Partition

__all__ = ["Fault", "faults"]


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that should not be.

    Attributes:
        kind: ``lost`` (acknowledged and not in the leader's log), ``diverged`` (committed on two replicas and
            different) or ``unread`` (a consumer read what the leader does not have).
        offset: where.
        sentence: what, for a person.
        brokers: the replicas concerned.
        value: the value that is gone, for ``lost`` and ``unread``.
        acks: what its producer asked for, for ``lost``.
    """

    kind: str
    offset: int
    sentence: str
    brokers: tuple[int, ...]
    value: str | None = None
    acks: Acks | None = None


def faults(partition: Partition) -> tuple[Fault, ...]:
    """Everything that is wrong now; what acks=0 sent is not counted as lost, since nobody was told that it is there."""
    return (*_lost(partition), *_diverged(partition), *_unread(partition))


def _lost(partition: Partition) -> list[Fault]:
    if partition.leader is None:
        return []
    log = partition.led.log
    return [
        Fault(
            "lost",
            acked.offset,
            f"{acked.value} was acknowledged (acks={acked.acks.value}) at offset {acked.offset}, and broker "
            f"{partition.leader}, which leads, does not have it.",
            (partition.leader,),
            acked.value,
            acked.acks,
        )
        for acked in partition.acknowledged
        if acked.acks is not Acks.NONE
        and (
            acked.offset >= len(log) or (log[acked.offset].value, log[acked.offset].epoch) != (acked.value, acked.epoch)
        )
    ]


def _diverged(partition: Partition) -> list[Fault]:
    alive = [(broker, replica) for broker, replica in partition.replicas.items() if replica.alive]
    return [
        Fault(
            "diverged",
            offset,
            f"Offset {offset} is committed on brokers {a} and {b}, and differs: {mine.value} of epoch {mine.epoch} and "
            f"{theirs.value} of epoch {theirs.epoch}.",
            (a, b),
        )
        for (a, one), (b, other) in combinations(alive, 2)
        for offset, mine, theirs in zip(range(min(one.hw, other.hw)), one.log, other.log, strict=False)
        if mine != theirs
    ]


def _unread(partition: Partition) -> list[Fault]:
    if partition.leader is None:
        return []
    log = partition.led.log
    return [
        Fault(
            "unread",
            offset,
            f"A consumer has read {value} at offset {offset}, and the leader, broker {partition.leader}, does not have "
            "it.",
            (partition.leader,),
            value,
        )
        for offset, value in enumerate(partition.consumed)
        if offset >= len(log) or log[offset].value != value
    ]
