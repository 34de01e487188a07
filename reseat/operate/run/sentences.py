"""What a run says of itself: short, what, how many, what to do. Pure; the executor decides when."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from reseat.model.wording import counted, listed, named, verb
from reseat.operate.journal.records import MoveProgress, Run
from reseat.operate.targets.target import Partition
from reseat.schedule.windows import Windows

__all__ = [
    "NO_CORDONS",
    "THROTTLES_LEFT",
    "below_min",
    "clock",
    "cordon_without_effect",
    "cordons_of_others",
    "counts",
    "ended",
    "failures",
    "held_back",
    "held_by_cordons",
    "list_text",
    "lost",
    "no_copy",
    "no_room",
    "nobody_at_work",
    "none_accepted",
    "others_at_work",
    "outside",
    "paused",
    "point_of",
    "stalled",
    "stays_cordoned",
    "still_cordoned",
    "stopping",
    "throttle_lifted",
    "throttles_left",
    "throttles_of_others",
    "to_a_point",
    "waiting_for_brokers",
    "worse",
]

#: Brokers were to be cordoned, and this way to the cluster knows no cordons.
NO_CORDONS = "Brokers were to be cordoned, and the cluster knows no cordons: nothing was sent. Execute without it."
#: Throttles stay, as nobody could be asked; with a blank before it.
THROTTLES_LEFT = " Throttles are still set: status restores them once the cluster answers."


def list_text(replicas: Iterable[int]) -> str:
    """A replica list as people write it."""
    return f"[{', '.join(map(str, replicas))}]"


def clock(moment: datetime) -> str:
    """The time of day, UTC."""
    return f"{moment:%H:%M:%S} UTC"


def outside(windows: Windows, opens: datetime) -> str:
    """The time of day is in none of a run's windows."""
    return (
        f"Outside of its window ({windows}): nothing further is sent until {opens:%Y-%m-%d %H:%M %Z}, and what is in "
        "progress finishes."
    )


def point_of(partitions: int) -> str:
    """What paused a run at a point of its schedule."""
    return f"its schedule after {counted(partitions, 'partition')}"


def to_a_point(partitions: int) -> str:
    """A run comes to a pause point: what it sent before is in progress."""
    return f"It pauses after {counted(partitions, 'partition')}: once what is in progress has finished."


def nobody_at_work(run: Run) -> str:
    """A run that is not over and that no process works on: what can be done about it."""
    same = "execute the same plan" if run.kind == "plan" else "roll back"
    return f"No executor is running: {same} again to continue, or cancel it."


def counts(moves: Sequence[MoveProgress]) -> str:
    """How many partitions stand where."""
    number = Counter(move.state for move in moves)
    words = [f"{number['done']:,} of {counted(len(moves), 'partition')} as planned"]
    words += [
        f"{number[state]:,} {word}"
        for state, word in (("sent", "in progress"), ("failed", "failed"), ("cancelled", "reverted"))
        if number[state]
    ]
    return ", ".join(words)


def waiting_for_brokers(moves: Sequence[MoveProgress], brokers: Sequence[int], since: datetime) -> str:
    """Partitions under way that wait for dead brokers."""
    many = len(brokers)
    return (
        f"{named('Broker', brokers, 'is', 'are')} not alive: "
        f"{counted(len(moves), 'partition waits', 'partitions wait')} for {verb(many, 'it', 'them')} since "
        f"{clock(since)}. Start {verb(many, 'it', 'them')}, or cancel and choose another."
    )


def stalled(moves: Sequence[MoveProgress], since: datetime, throttle: int | None) -> str:
    """Nothing changes, and every broker is alive."""
    through = "" if throttle is None else f" of {throttle:,} bytes/s (writes to these partitions count against it, too)"
    return (
        f"Stalled since {clock(since)}: {listed(move.name for move in moves)} {verb(len(moves), 'makes', 'make')} no "
        f"progress. Check the brokers' logs and the throttle{through}; it continues by itself once they do, and it can "
        "be cancelled."
    )


def held_back(moves: Sequence[MoveProgress], brokers: Sequence[int]) -> str:
    """Partitions that are not sent because a broker that they go to is dead."""
    return (
        f"{counted(len(moves), 'partition is', 'partitions are')} not sent while "
        f"{named('broker', brokers, 'is', 'are')} not alive."
    )


def paused(person: str) -> str:
    """A person paused the run."""
    return f"Paused by {person}: nothing further is sent until somebody resumes it, and what is in progress finishes."


def worse(reasons: Sequence[str], since: datetime) -> str:
    """The cluster has become worse since the run began."""
    return (
        f"Paused since {clock(since)}: {'; '.join(reasons)}. Nothing further is sent until that is fixed; then it "
        "continues by itself. What is in progress continues. It can be cancelled."
    )


def lost(brokers: Sequence[int]) -> str:
    """Brokers that were alive when the run began, as a part of a sentence."""
    return f"{named('broker', brokers, 'is', 'are')} no longer alive"


def below_min(partitions: Sequence[Partition]) -> str:
    """Partitions that fell below min.insync.replicas, as a part of a sentence."""
    names = listed(f"{topic}-{partition}" for topic, partition in partitions)
    return (
        f"{counted(len(partitions), 'partition has', 'partitions have')} fallen below min.insync.replicas since the "
        f"run began ({names})"
    )


def no_room(short: Mapping[int, tuple[int, int]]) -> str:
    """Brokers that have less left than comes to them: (left, comes) by broker; as a part of a sentence."""
    return listed(
        f"broker {broker} has {left:,} bytes left and would get {comes:,}" for broker, (left, comes) in short.items()
    )


def no_copy(moves: Sequence[MoveProgress]) -> str:
    """Partitions that are not sent because nothing could be copied from."""
    many = len(moves)
    return (
        f"{counted(many, 'partition is', 'partitions are')} not sent while no in-sync replica of "
        f"{verb(many, 'it', 'them')} is on a live broker: {listed(move.name for move in moves)}."
    )


def others_at_work(partitions: Sequence[Partition]) -> str:
    """Somebody else reassigns something in the cluster."""
    names = listed(f"{topic}-{partition}" for topic, partition in partitions)
    return (
        f"Somebody else is reassigning {counted(len(partitions), 'partition')} ({names}): nothing further is sent "
        "until that is over."
    )


def throttle_lifted(brokers: Sequence[int], topics: Sequence[str], rate: int) -> str:
    """Somebody else took the run's throttle away, or set another."""
    return (
        f"Somebody else changed the throttle of {_places(brokers, topics)}: it is no longer the {rate:,} bytes/s of "
        "this run, and copying may run at full speed. Set it again with kafka-configs; a throttle that is not this "
        "run's own when it ends is left as it is."
    )


def throttles_left(brokers: Sequence[int], topics: Sequence[str]) -> str:
    """Throttles that could not be put back, with a blank before it; "" where there are none."""
    if not brokers and not topics:
        return ""
    places = [f"broker {broker}" for broker in brokers] + [f"topic {topic}" for topic in topics]
    return f" Throttles are still set on {listed(places)}: status restores them once they can be reached."


def throttles_of_others(brokers: Sequence[int], topics: Sequence[str]) -> str:
    """Throttles that are somebody else's at the end of a run, with a blank before it; "" where there are none."""
    if not brokers and not topics:
        return ""
    return f" Throttles of {_places(brokers, topics)} were changed by somebody else, and are left as they are."


def _places(brokers: Sequence[int], topics: Sequence[str]) -> str:
    places = [named("broker", brokers)] if brokers else []
    places += [named("topic", topics)] if topics else []
    return " and of ".join(places)


def cordon_without_effect(brokers: Sequence[int]) -> str:
    """Brokers took a cordon, and their log directories do not tell it."""
    return (
        f"{named('Broker', brokers)} took the cordon, and {verb(len(brokers), 'its', 'their')} log directories do not "
        "show it, as with relative paths in log.dirs: nothing was sent. Execute without it."
    )


def held_by_cordons(moves: Sequence[MoveProgress], brokers: Sequence[int]) -> str:
    """Partitions that are not sent because Kafka would refuse their lists."""
    return (
        f"{counted(len(moves), 'partition is', 'partitions are')} not sent while "
        f"{named('broker', brokers, 'is', 'are')} cordoned: "
        f"Kafka refuses {verb(len(moves), 'its list', 'their lists')}."
    )


def stays_cordoned(brokers: Sequence[int]) -> str:
    """Brokers that a run leaves cordoned, with a blank before it."""
    options = " ".join(f"--broker {broker}" for broker in brokers)
    return (
        f" {named('Broker', brokers, 'was', 'were')} left cordoned; "
        f"lift that before unregistering: reseat operate uncordon {options}."
    )


def still_cordoned(brokers: Sequence[int]) -> str:
    """Brokers whose cordon could not be lifted, with a blank before it; "" where there are none."""
    if not brokers:
        return ""
    return (
        f" {named('Broker', brokers, 'is', 'are')} still "
        f"cordoned: status lifts that once {verb(len(brokers), 'it answers', 'they answer')}."
    )


def cordons_of_others(brokers: Sequence[int]) -> str:
    """Cordons that somebody else changed during a run, with a blank before it; "" where there are none."""
    if not brokers:
        return ""
    return f" The cordon of {named('broker', brokers)} was changed by somebody else, and is left as it is."


def stopping(cancel: bool, can_cancel: bool, refused: Sequence[MoveProgress]) -> str:
    """What a stop does.

    Args:
        cancel: whether what is under way shall be taken back.
        can_cancel: whether this way to the cluster can.
        refused: partitions that Kafka does not take back.
    """
    if not cancel:
        return "Stopping: nothing further is sent, and what is in progress finishes."
    if not can_cancel:
        return (
            "Stopping: nothing further is sent. What is in progress cannot be cancelled through ZooKeeper's node; it "
            "finishes."
        )
    if refused:
        return (
            f"Cancelling: Kafka does not cancel {listed(move.name for move in refused)} ({refused[0].error}): what is "
            "in progress there finishes."
        )
    return "Cancelling: what is in progress is reverted."


def failures(moves: Sequence[MoveProgress]) -> str:
    """The partitions that failed, with Kafka's errors."""
    failed = [move for move in moves if move.state == "failed"]
    by_error: dict[str | None, list[str]] = {}
    for move in failed:
        by_error.setdefault(move.error, []).append(move.name)
    words = "; ".join(f"{listed(names)} ({error})" for error, names in by_error.items())
    return f"{counted(len(failed), 'partition')} failed: {words}."


def none_accepted(moves: Sequence[MoveProgress]) -> str:
    """Kafka refused all that was sent: what is left would hardly be accepted."""
    return f"{failures(moves)} Kafka accepted none of the first batch: nothing further was sent."


def ended(moves: Sequence[MoveProgress]) -> str:
    """What a run that did not do all of it leaves, and what takes it back."""
    number = Counter(move.state for move in moves)
    words = [f"{counted(number['done'], 'partition is', 'partitions are')} as planned"]
    if number["cancelled"]:
        words.append(f"{number['cancelled']:,} {verb(number['cancelled'], 'was', 'were')} reverted")
    if number["waiting"]:
        words.append(f"{number['waiting']:,} {verb(number['waiting'], 'was', 'were')} not sent")
    sentence = f"{listed(words)}."
    reordered = [move for move in moves if move.state == "cancelled" and move.now and move.now != move.before]
    if reordered:
        sentence += f" Kafka reverted {listed(move.name for move in reordered)} to the old replicas in another order."
    if number["done"] or reordered:
        sentence += " A rollback restores the lists as they were."
    return sentence
