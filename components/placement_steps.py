"""How each replica of one partition came to its broker, for the page: striped, KRaft and naive in one shape."""

from __future__ import annotations

from dataclasses import dataclass

from components.placement_question import Question, question_brokers
from reseat.model import BrokerState
from reseat.placement import Placement, RackMode
from reseat.placement.explain import steps_of as striped_steps

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
    return _striped(question, placement, row)


def _naive(placement: Placement, row: int, racks: dict[int, str | None]) -> PartitionSteps:
    order, partition = placement.order, placement.first_id + row
    steps = tuple(
        ReplicaSteps(
            (Candidate(broker, racks[broker], f"({partition} + {j}) mod {len(order)} = {order.index(broker)}"),)
        )
        for j, broker in enumerate(placement.replicas[row].tolist())
    )
    return PartitionSteps(partition, "place = (partition + replica) mod brokers", "Racks play no part.", steps)


def _striped(question: Question, placement: Placement, row: int) -> PartitionSteps:
    told = striped_steps(
        question_brokers(question),
        placement.first_id + row,
        question.factor,
        start=placement.start or 0,
        shift=placement.shift or 0,
        first_partition=placement.first_id,
        rack_mode=RackMode.ENFORCED,
    )
    drawn = [
        f"{name} {number}"
        for name, given, number in (
            ("start index", question.start, placement.start),
            ("replica shift", question.shift, placement.shift),
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


def _kraft(question: Question, placement: Placement, row: int, racks: dict[int, str | None]) -> PartitionSteps:
    brokers = question_brokers(question)
    fenced = {broker.id for broker in brokers if broker.state is BrokerState.FENCED}
    size, partition = len(brokers) - len(fenced), placement.first_id + row
    rounds, turn = divmod(row, size)
    lists = placement.replicas[row].tolist()
    steps = []
    for broker in lists:
        where = "next broker" if not placement.rack_aware else f"next broker of {racks[broker] or 'no rack'}"
        steps.append(
            ReplicaSteps((Candidate(broker, racks[broker], where + (", fenced" if broker in fenced else "")),))
        )
    shuffled = "sorted ids from a drawn offset" if rounds == 0 else f"shuffled {rounds} time{'s' if rounds > 1 else ''}"
    return PartitionSteps(
        partition,
        "the racks in turn from an offset, in each the next broker; all offsets grow by 1 with each partition",
        f"Round {rounds + 1}, turn {turn + 1} of {size}: {shuffled}.",
        tuple(steps),
    )
