"""What a run says of itself: short, what, how many, what to do. Pure; the executor decides when."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime

from reseat.model.wording import counted, listed, verb
from reseat.operate.records import MoveProgress
from reseat.operate.target import Partition

__all__ = [
    "clock",
    "counts",
    "ended",
    "failures",
    "held_back",
    "list_text",
    "name_of",
    "others_at_work",
    "stalled",
    "stopping",
    "throttle_lifted",
    "waiting_for_brokers",
]


def name_of(move: MoveProgress) -> str:
    """The partition's name, ``orders-3``."""
    return f"{move.topic}-{move.partition}"


def list_text(replicas: Iterable[int]) -> str:
    """A replica list as people write it."""
    return f"[{', '.join(map(str, replicas))}]"


def clock(moment: datetime) -> str:
    """The time of day, UTC."""
    return f"{moment:%H:%M:%S} UTC"


def counts(moves: Sequence[MoveProgress]) -> str:
    """How many partitions stand where."""
    number = Counter(move.state for move in moves)
    words = [f"{number['done']:,} of {counted(len(moves), 'partition')} as planned"]
    words += [
        f"{number[state]:,} {word}"
        for state, word in (("sent", "under way"), ("failed", "failed"), ("cancelled", "taken back"))
        if number[state]
    ]
    return ", ".join(words)


def waiting_for_brokers(moves: Sequence[MoveProgress], brokers: Sequence[int], since: datetime) -> str:
    """Partitions under way that wait for dead brokers."""
    many = len(brokers)
    return (
        f"{verb(many, 'Broker', 'Brokers')} {listed(brokers)} {verb(many, 'is', 'are')} not alive: "
        f"{counted(len(moves), 'partition waits', 'partitions wait')} for {verb(many, 'it', 'them')} since "
        f"{clock(since)}. Start {verb(many, 'it', 'them')}, or cancel and choose another."
    )


def stalled(moves: Sequence[MoveProgress], since: datetime, throttle: int | None) -> str:
    """Nothing changes, and every broker is alive."""
    through = "" if throttle is None else f" of {throttle:,} bytes a second (what is written comes through it, too)"
    return (
        f"Stalled since {clock(since)}: {listed(map(name_of, moves))} {verb(len(moves), 'makes', 'make')} no progress. "
        f"Look at the brokers' logs and the throttle{through}; it goes on by itself once they do, and it can be "
        "cancelled."
    )


def held_back(moves: Sequence[MoveProgress], brokers: Sequence[int]) -> str:
    """Partitions that are not sent because a broker that they go to is dead."""
    return (
        f"{counted(len(moves), 'partition is', 'partitions are')} not sent while "
        f"{verb(len(brokers), 'broker', 'brokers')} {listed(brokers)} {verb(len(brokers), 'is', 'are')} not alive."
    )


def others_at_work(partitions: Sequence[Partition]) -> str:
    """Somebody else reassigns something in the cluster."""
    names = listed(f"{topic}-{partition}" for topic, partition in partitions)
    return (
        f"Somebody else reassigns {counted(len(partitions), 'partition')} ({names}): nothing further is sent until "
        "that is over."
    )


def throttle_lifted(brokers: Sequence[int], topics: Sequence[str], rate: int) -> str:
    """Somebody else took the run's throttle away, or set another."""
    places = [f"{verb(len(brokers), 'broker', 'brokers')} {listed(brokers)}"] if brokers else []
    places += [f"{verb(len(topics), 'topic', 'topics')} {listed(topics)}"] if topics else []
    return (
        f"Somebody else changed the throttle of {' and of '.join(places)}: it is not the {rate:,} bytes a second of "
        "this run any more, and copying may go at full speed. kafka-configs sets it again; what was there before the "
        "run comes back at its end."
    )


def stopping(cancel: bool, can_cancel: bool, refused: Sequence[MoveProgress]) -> str:
    """What a stop does.

    Args:
        cancel: whether what is under way shall be taken back.
        can_cancel: whether this way to the cluster can.
        refused: partitions that Kafka does not take back.
    """
    if not cancel:
        return "Stopping: nothing further is sent, and what is under way finishes."
    if not can_cancel:
        return (
            "Stopping: nothing further is sent. What is under way cannot be taken back through ZooKeeper's node; it "
            "finishes."
        )
    if refused:
        return (
            f"Cancelling: Kafka does not take {listed(map(name_of, refused))} back ({refused[0].error}): what is under "
            "way there finishes."
        )
    return "Cancelling: what is under way is taken back."


def failures(moves: Sequence[MoveProgress]) -> str:
    """The partitions that failed, with Kafka's errors."""
    failed = [move for move in moves if move.state == "failed"]
    names = listed(f"{name_of(move)} ({move.error})" for move in failed)
    return f"{counted(len(failed), 'partition')} failed: {names}."


def ended(moves: Sequence[MoveProgress]) -> str:
    """What a run that did not do all of it leaves, and what takes it back."""
    number = Counter(move.state for move in moves)
    words = [f"{counted(number['done'], 'partition is', 'partitions are')} as planned"]
    if number["cancelled"]:
        words.append(f"{number['cancelled']:,} {verb(number['cancelled'], 'was', 'were')} taken back")
    if number["waiting"]:
        words.append(f"{number['waiting']:,} {verb(number['waiting'], 'was', 'were')} not sent")
    sentence = f"{listed(words)}."
    reordered = [move for move in moves if move.state == "cancelled" and move.now and move.now != move.before]
    if reordered:
        sentence += f" Kafka took {listed(map(name_of, reordered))} back to the old replicas in another order."
    if number["done"] or reordered:
        sentence += " A rollback restores the lists as they were."
    return sentence
