"""How each replica of one partition came to its broker: the formula with its numbers, and each candidate passed over.

The formulas are evaluated here one candidate at a time, as Kafka does; ``reseat.placement`` places whole topics at
once.
A test holds the two against each other.
"""

from __future__ import annotations

from dataclasses import dataclass

from components.placement_question import Question, question_brokers
from reseat.model import BrokerState
from reseat.placement import Placement
from reseat.placement.striped import shift_growth

__all__ = ["Candidate", "PartitionSteps", "ReplicaSteps", "steps_of"]


@dataclass(frozen=True, slots=True)
class Candidate:
    """One broker looked at.

    Attributes:
        broker: its id.
        rack: its rack, or None.
        formula: the numbers that led to it, or empty.
        skipped: why it was passed over; empty where it was taken.
    """

    broker: int
    rack: str | None
    formula: str
    skipped: str = ""


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
    """

    partition: int
    rule: str
    note: str
    replicas: tuple[ReplicaSteps, ...]


def steps_of(question: Question, placement: Placement, row: int) -> PartitionSteps:
    """How the partition in a row of a placement was placed.

    Args:
        question: what was asked.
        placement: the answer.
        row: the partition, counted from the first.
    """
    racks = {broker.id: broker.rack for broker in question_brokers(question)}
    if question.algorithm == "naive":
        return _naive(placement, row, racks)
    if question.algorithm == "kraft":
        return _kraft(question, placement, row, racks)
    drawn = [
        f"{name} {number}"
        for name, given, number in (
            ("start index", question.start, placement.start),
            ("replica shift", question.shift, placement.shift),
        )
        if given is None
    ]
    return _striped(placement, row, racks, f" Drawn from the seed: {' and '.join(drawn)}." if drawn else "")


def _naive(placement: Placement, row: int, racks: dict[int, str | None]) -> PartitionSteps:
    order, partition = placement.order, placement.first_id + row
    steps = tuple(
        ReplicaSteps(
            (Candidate(broker, racks[broker], f"({partition} + {j}) mod {len(order)} = {order.index(broker)}"),)
        )
        for j, broker in enumerate(placement.replicas[row].tolist())
    )
    return PartitionSteps(partition, "place = (partition + replica) mod brokers", "Racks play no part.", steps)


def _striped(placement: Placement, row: int, racks: dict[int, str | None], drawn: str) -> PartitionSteps:
    order, start, shift = placement.order, placement.start or 0, placement.shift or 0
    size, partition = len(order), placement.first_id + row
    rack_of = [racks[broker] for broker in order]
    count = len(set(rack_of)) if placement.rack_aware else 1
    grown = shift + int(shift_growth(placement.partition_ids[row : row + 1], placement.first_id, size)[0])
    first = (partition + start) % size
    steps = [ReplicaSteps((Candidate(order[first], rack_of[first], f"({partition} + {start}) mod {size} = {first}"),))]
    chosen, k = [first], 0
    while len(chosen) < placement.replicas.shape[1]:
        looked: list[Candidate] = []
        while not looked or looked[-1].skipped:
            times = f"{grown} × {count}" if placement.rack_aware else f"{grown}"
            offset = (grown * count + k) % (size - 1)
            at = (first + 1 + offset) % size
            formula = f"({first} + 1 + ({times} + {k}) mod {size - 1}) mod {size} = {at}"
            reason = _reason(at, chosen, order, rack_of, count) if placement.rack_aware else ""
            looked.append(Candidate(order[at], rack_of[at], formula, reason))
            k += 1
        chosen.append(order.index(looked[-1].broker))
        steps.append(ReplicaSteps(tuple(looked)))
    times = "shift × racks + k" if placement.rack_aware else "shift + k"
    return PartitionSteps(
        partition,
        f"leader = (partition + start) mod n; then (leader + 1 + ({times}) mod (n − 1)) mod n, k = 0, 1, 2 …",
        _shift_note(partition, shift, grown, size, first_row=row == 0) + drawn,
        tuple(steps),
    )


def _shift_note(partition: int, shift: int, grown: int, size: int, *, first_row: bool) -> str:
    if grown == shift:
        return f"The shift is {shift}."
    if partition % size == 0:
        kind = "also at the very first partition" if first_row else "a round is full"
        return f"The shift grows to {grown}: {partition} mod {size} = 0, {kind}."
    return f"The shift is {grown}: {shift}, and one more for each round of {size} partitions."


def _reason(at: int, chosen: list[int], order: tuple[int, ...], rack_of: list[str | None], count: int) -> str:
    """Why Kafka passes a candidate over, rule by rule; empty where it takes it."""
    used = {rack_of[place] for place in chosen}
    if rack_of[at] in used and len(used) < count:
        free = next(rack for rack in sorted(map(str, set(rack_of))) if rack not in used)
        return f"{rack_of[at]} has a replica already, while {free} has none"
    if at in chosen and len(chosen) < len(order):
        return "it has this partition already, while another broker has not"
    return ""


def _kraft(question: Question, placement: Placement, row: int, racks: dict[int, str | None]) -> PartitionSteps:
    brokers = question_brokers(question)
    fenced = {broker.id for broker in brokers if broker.state is BrokerState.FENCED}
    size, partition = len(brokers) - len(fenced), placement.first_id + row
    rounds, turn = divmod(row, size)
    lists = placement.replicas[row].tolist()
    steps = []
    for j, broker in enumerate(lists):
        where = "next broker" if not placement.rack_aware else f"next broker of {racks[broker] or 'no rack'}"
        steps.append(
            ReplicaSteps((Candidate(broker, racks[broker], where + (", fenced" if broker in fenced else "")),))
        )
        del j
    shuffled = "sorted ids from a drawn offset" if rounds == 0 else f"shuffled {rounds} time{'s' if rounds > 1 else ''}"
    return PartitionSteps(
        partition,
        "the racks in turn from an offset, in each the next broker; all offsets grow by 1 with each partition",
        f"Round {rounds + 1}, turn {turn + 1} of {size}: {shuffled}.",
        tuple(steps),
    )
