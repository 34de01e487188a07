"""Striped placement step by step: every formula with its numbers, every candidate and why it was passed over.

What it promises: the steps end in the very list that ``place_striped`` gives (a test holds the two together), though
they are computed one candidate at a time, as ``AdminUtils`` does, and not by its vectorised walk.

Example: brokers 0, 1, 2, start 2, shift 2, partition 0: ``(0 + 2) mod 3 = 2`` is broker 2; then
``(2 + 1 + (2 + 0) mod 2) mod 3 = 0`` is broker 0.

Complexity: O(candidates looked at), at most n a replica.

Source: ``AdminUtils.assignReplicasToBrokersRackUnaware`` and ``...RackAware``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from reseat.errors import PlacementRefused
from reseat.model import Broker
from reseat.placement.ring import Ring, ring_of
from reseat.placement.striped import RackMode, by_rack_mode, place_striped, shift_growth

__all__ = ["ReplicaStep", "StripedCandidate", "StripedSteps", "striped_steps_of"]


@dataclass(frozen=True)
class StripedCandidate:
    """One broker looked at for a replica.

    Attributes:
        number: k, which counts on over the whole partition; -1 for the first replica.
        formula: the formula with its numbers.
        place: place on the ring.
        broker: broker id there.
        rack: its rack, None where racks play no part.
        chosen: whether it gets the replica.
        why: why it does or does not, one sentence.
    """

    number: int
    formula: str
    place: int
    broker: int
    rack: str | None
    chosen: bool
    why: str


@dataclass(frozen=True)
class ReplicaStep:
    """How one replica of the list is found.

    Attributes:
        replica: its place in the list, 0 the preferred leader.
        broker: the broker that gets it.
        candidates: all brokers looked at, the last of them chosen.
    """

    replica: int
    broker: int
    candidates: tuple[StripedCandidate, ...]


@dataclass(frozen=True)
class StripedSteps:
    """How one partition's list is found.

    Attributes:
        partition: its id.
        ring: broker ids in the order walked.
        racks: how many racks play a part; 1 where none does.
        start: the start index.
        shift: the shift for this partition, grown.
        shift_words: how it has grown, one sentence.
        steps: one step a replica.
    """

    partition: int
    ring: tuple[int, ...]
    racks: int
    start: int
    shift: int
    shift_words: str
    steps: tuple[ReplicaStep, ...]

    @property
    def replicas(self) -> tuple[int, ...]:
        """The list that comes of it."""
        return tuple(step.broker for step in self.steps)


def striped_steps_of(
    brokers: Sequence[Broker],
    partition: int,
    replication_factor: int,
    *,
    start: int,
    shift: int,
    first_partition: int = -1,
    rack_mode: RackMode | None = None,
) -> StripedSteps:
    """The steps by which striped placement finds one partition's list.

    Args:
        brokers: as for ``place_striped``.
        partition: the partition's id, not below the first one's.
        replication_factor: replicas of it.
        start: the start index.
        shift: the replica shift at the first partition.
        first_partition: id of the first partition; below 0 counts as 0.
        rack_mode: as for ``place_striped``.

    Raises:
        PlacementRefused: as ``place_striped``; the partition is before the first one.
    """
    first_id = max(0, first_partition)
    if partition < first_id:
        raise PlacementRefused(f"Partition {partition} is before the first one, {first_id}.")
    if rack_mode is not None:
        brokers = by_rack_mode(brokers, rack_mode)
    place_striped(brokers, 1, replication_factor, start=start, shift=shift, first_partition=partition)  # its refusals
    ring = ring_of(brokers)
    racks = {broker.id: broker.rack for broker in brokers}
    grown = int(shift_growth(np.array([partition]), first_id, ring.size)[0])
    first = (partition + start) % ring.size
    steps = [_first(ring, racks, partition, start, first)]
    number = 0
    for replica in range(1, replication_factor):
        step, number = _next(ring, racks, steps, replica, shift=shift + grown, number=number)
        steps.append(step)
    return StripedSteps(
        partition, ring.ids, ring.racks, start, shift + grown, _grown(shift, grown, partition, ring.size), tuple(steps)
    )


def _first(ring: Ring, racks: dict[int, str | None], partition: int, start: int, place: int) -> ReplicaStep:
    broker = ring.ids[place]
    formula = f"(partition {partition} + start {start}) mod {ring.size} = {place}"
    why = f"Place {place} on the ring is broker {broker}: the preferred leader."
    return ReplicaStep(0, broker, (StripedCandidate(-1, formula, place, broker, racks[broker], True, why),))


def _next(
    ring: Ring, racks: dict[int, str | None], before: Sequence[ReplicaStep], replica: int, *, shift: int, number: int
) -> tuple[ReplicaStep, int]:
    size = ring.size
    first = before[0].candidates[-1].place
    holding = {step.broker for step in before}
    held = {racks[broker] for broker in holding}
    looked_at: list[StripedCandidate] = []
    while True:
        moved = shift * ring.racks
        place = (first + 1 + (moved + number) % (size - 1)) % size
        times = f"{shift} x {ring.racks} racks" if ring.rack_aware else f"shift {shift}"
        formula = f"({first} + 1 + ({times} + {number}) mod {size - 1}) mod {size} = {place}"
        broker = ring.ids[place]
        rack = racks[broker]
        if ring.rack_aware and rack in held and len(held) < ring.racks:
            why = f"Broker {broker} is skipped: its rack {rack} has a replica already, and another rack has none."
        elif broker in holding:
            why = f"Broker {broker} is skipped: it has this partition already."
        else:
            where = f" in rack {rack}" if ring.rack_aware else ""
            why = f"Broker {broker}{where} gets replica {replica}."
            looked_at.append(StripedCandidate(number, formula, place, broker, rack, True, why))
            return ReplicaStep(replica, broker, tuple(looked_at)), number + 1
        looked_at.append(StripedCandidate(number, formula, place, broker, rack, False, why))
        number += 1


def _grown(shift: int, grown: int, partition: int, size: int) -> str:
    if not grown:
        return f"The shift is {shift}, as at the first partition."
    return (
        f"The shift began at {shift} and grew by {grown} to {shift + grown}: by 1 at each partition id above 0 that "
        f"{size} divides, up to {partition}."
    )
