"""How each replica of one partition came to its broker, for the page: striped, KRaft and naive in one shape."""

from __future__ import annotations

from dataclasses import dataclass

from reseat.model import BrokerState
from reseat.placement import JavaRandom, Placement, RackMode
from reseat.placement.explain import striped_steps_of as striped_steps
from reseat.placement.explain_kraft import RackLook, kraft_steps_of
from reseat.placement.request import PlacementRequest, requested_brokers

__all__ = ["Candidate", "PartitionSteps", "ReplicaSteps", "striped_steps_of"]

#: Brokers and racks that a sentence spells out.
_SPELLED = 8


@dataclass(frozen=True, slots=True)
class Candidate:
    """One broker, or one rack, looked at.

    Attributes:
        broker: its id, or None where a whole rack was passed over.
        rack: its rack, or None.
        formula: the numbers that led to it; empty where a rack was passed over.
        skipped: why it was passed over; empty where it was taken.
        order: the brokers in which the formula counts, where that is not the order of the columns.
    """

    broker: int | None
    rack: str | None
    formula: str
    skipped: str = ""
    order: str = ""


@dataclass(frozen=True, slots=True)
class ReplicaSteps:
    """How one replica was placed: the candidates in order, the last one taken."""

    candidates: tuple[Candidate, ...]


@dataclass(frozen=True, slots=True)
class PartitionSteps:
    """How one partition was placed.

    Attributes:
        partition: its id.
        rule: the general formula, in words and signs.
        note: what holds for this partition as a whole, such as how far the shift has grown.
        replicas: a step for each replica, the preferred leader first.
        kind: what candidates are, "broker" or "rack".
    """

    partition: int
    rule: str
    note: str
    replicas: tuple[ReplicaSteps, ...]
    kind: str = "broker"


def striped_steps_of(request: PlacementRequest, placement: Placement, row: int) -> PartitionSteps:
    """How the partition in a row of a placement was placed.

    Args:
        request: what was asked.
        placement: the answer.
        row: the partition, counted from the first.
    """
    racks = {broker.id: broker.rack for broker in requested_brokers(request)}
    if request.algorithm == "naive":
        return _naive(placement, row, racks)
    if request.algorithm == "kraft":
        return _kraft(request, placement, row)
    return _striped(request, placement, row)


def _naive(placement: Placement, row: int, racks: dict[int, str | None]) -> PartitionSteps:
    order, partition = placement.order, placement.first_id + row
    steps = tuple(
        ReplicaSteps(
            (
                Candidate(
                    broker, racks[broker], f"(partition {partition} + {j}) mod {len(order)} = {order.index(broker)}"
                ),
            )
        )
        for j, broker in enumerate(placement.replicas[row].tolist())
    )
    return PartitionSteps(partition, "place = (partition + replica) mod brokers", "Racks are ignored.", steps)


def _striped(request: PlacementRequest, placement: Placement, row: int) -> PartitionSteps:
    told = striped_steps(
        requested_brokers(request),
        placement.first_id + row,
        request.factor,
        start=placement.start or 0,
        shift=placement.shift or 0,
        first_partition=placement.first_id,
        rack_mode=RackMode.ENFORCED,
    )
    drawn = [
        f"{name} {number}"
        for name, given, number in (
            ("start index", request.start, placement.start),
            ("replica shift", request.shift, placement.shift),
        )
        if given is None
    ]
    times = "shift × racks" if placement.rack_aware else "shift"
    return PartitionSteps(
        told.partition,
        f"Leader: (partition + start) mod n. Then: (leader's place + 1 + ({times} + k) mod (n − 1)) mod n, k = 0, 1, …",
        told.shift_words + (f" Drawn from the seed: {' and '.join(drawn)}." if drawn else ""),
        tuple(
            ReplicaSteps(
                tuple(
                    Candidate(one.broker, one.rack, one.formula.replace(" x ", " × "), "" if one.chosen else one.why)
                    for one in step.candidates
                )
            )
            for step in told.steps
        ),
    )


def _kraft(request: PlacementRequest, placement: Placement, row: int) -> PartitionSteps:
    brokers = requested_brokers(request)
    told = kraft_steps_of(brokers, row, request.factor, draws=JavaRandom(request.seed))
    unfenced = sum(broker.state is not BrokerState.FENCED for broker in brokers)
    times = {0: "not shuffled yet", 1: "shuffled once"}.get(told.shuffles, f"shuffled {told.shuffles:,} times")
    note = f"Turn {told.turn + 1} of {unfenced} in round {told.shuffles + 1}: {times}."
    if len(told.racks) > 1:
        names = ", ".join(rack or "no rack" for rack in told.racks[:_SPELLED]) + (" …" if told.racks[_SPELLED:] else "")
        note += f" Rack order: {names}, from place {told.offset} on."
    steps = tuple(ReplicaSteps(tuple(_rack_look(look) for look in looks)) for looks in told.replicas)
    rule = (
        "Racks in turn; in each (brokers given before + offset) mod its brokers. All offsets grow by 1 with each "
        "partition; after as many partitions as there are unfenced brokers, racks and brokers are shuffled."
    )
    return PartitionSteps(placement.first_id + row, rule, note, steps, "rack")


def _rack_look(look: RackLook) -> Candidate:
    if look.broker is None:
        return Candidate(None, look.rack, "", f"{look.rack or 'No rack'}: {look.why}.")
    order = ", ".join(map(str, look.order[:_SPELLED])) + (" …" if look.order[_SPELLED:] else "")
    return Candidate(look.broker, look.rack, look.formula, order=order + (", the fenced ones" if look.fenced else ""))
