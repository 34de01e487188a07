"""A topic to be made: a value, its texts in both directions, and Kafka's checks.

What it promises, in this order: ``parse_replica_assignment`` and ``print_replica_assignment`` are inverse; what Kafka's
tool refuses is refused in its words; every text given to copy says what the specification says.

Ways to make a topic, and what they can say: ``--replica-assignment`` numbers partitions from 0 and wants one
replication factor. The Admin request wants consecutive ids from 0 since 2.3, one factor too. Nodes written to ZooKeeper
directly (to 3.9) take any ids and any factors, and check nothing, not even the name.

Source: ``TopicCommand.parseReplicaAssignment`` (0.9 to 4.1), ``CreateTopicsRequest``, ``AdminZkClient``; KIP-464 for
defaults.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from reseat.errors import PlacementRefused
from reseat.model import Broker, BrokerState
from reseat.model.wording import counted, named
from reseat.placement.topic_names import COLLISION_WARNING, colliding, has_collision_chars, name_error

__all__ = [
    "SHOWN",
    "ClusterDefaults",
    "TopicSpec",
    "automatic_topic",
    "parse_replica_assignment",
    "print_replica_assignment",
    "topic_faults",
    "topic_warnings",
]
#: Characters of a word that a refusal repeats; Kafka repeats all, and a paste may be of any length.
SHOWN = 100
_INT_LIMIT = 1 << 31
_SHORT_LIMIT = 1 << 15
_INTEGER = re.compile(r"[+-]?[0-9]{1,20}", re.ASCII)


@dataclass(frozen=True)
class TopicSpec:
    """What a topic shall be.

    Attributes:
        name: its name.
        partitions: how many, or None for the cluster's default (or where ``assignment`` says it).
        replication_factor: replicas of each, or None likewise.
        assignment: replica ids by partition id, (id, list) ascending by id; ids may have gaps, factors may differ.
            Empty: Kafka places.
        configs: (key, value) of the topic's own settings.
        if_not_exists: an existing topic is no error.
        disable_rack_aware: racks are left aside (the ZooKeeper era's tool alone).
    """

    name: str
    partitions: int | None = None
    replication_factor: int | None = None
    assignment: tuple[tuple[int, tuple[int, ...]], ...] = ()
    configs: tuple[tuple[str, str], ...] = ()
    if_not_exists: bool = False
    disable_rack_aware: bool = False

    @staticmethod
    def placed(name: str, assignment: Mapping[int, Sequence[int]], **rest: object) -> TopicSpec:
        """A specification with its replicas given, by partition id.

        Args:
            name: its name.
            assignment: replica ids by partition id.
            rest: ``configs`` and ``if_not_exists``.
        """
        ordered = tuple((partition, tuple(assignment[partition])) for partition in sorted(assignment))
        return TopicSpec(name, assignment=ordered, **rest)  # type: ignore[arg-type]

    @property
    def consecutive(self) -> bool:
        """Whether the ids of ``assignment`` are 0 to n - 1."""
        return [partition for partition, _ in self.assignment] == list(range(len(self.assignment)))

    @property
    def one_factor(self) -> bool:
        """Whether all lists of ``assignment`` are equally long."""
        return len({len(replicas) for _, replicas in self.assignment}) <= 1


@dataclass(frozen=True)
class ClusterDefaults:
    """What the brokers are configured to do for topics that say nothing.

    Attributes:
        num_partitions: ``num.partitions``.
        default_replication_factor: ``default.replication.factor``.
        auto_create: ``auto.create.topics.enable``.
    """

    num_partitions: int = 1
    default_replication_factor: int = 1
    auto_create: bool = True


def parse_replica_assignment(text: str) -> dict[int, tuple[int, ...]]:
    """Read the text of ``--replica-assignment``: partitions by commas, replicas by colons, ids from 0.

    Example: ``"0:1,1:0,0:1"`` is ``{0: (0, 1), 1: (1, 0), 2: (0, 1)}``.

    Raises:
        PlacementRefused: in Kafka's words: no number, a broker twice in a list, lists of unequal length. And an id
            below 0, or no list at all.
    """
    # As Java's split does, trailing empty pieces fall away.
    pieces = text.split(",")
    while len(pieces) > 1 and not pieces[-1]:
        pieces.pop()
    lists: dict[int, tuple[int, ...]] = {}
    for partition, piece in enumerate(pieces):
        words = piece.split(":")
        while len(words) > 1 and not words[-1]:
            words.pop()
        replicas = tuple(_java_int(word.strip()) for word in words)
        twice = [str(broker) for broker in dict.fromkeys(replicas) if replicas.count(broker) > 1]
        if twice:
            raise PlacementRefused(
                f"Partition replica lists may not contain duplicate entries: {','.join(twice)}",
                kafka_error="AdminCommandFailedException",
            )
        if len(replicas) != len(lists.get(0, replicas)):
            raise PlacementRefused(
                f"Partition {partition} has different replication factor: [{', '.join(map(str, replicas))}]",
                kafka_error="AdminOperationException",
            )
        lists[partition] = replicas
    below = sorted({broker for replicas in lists.values() for broker in replicas if broker < 0})
    if below:
        raise PlacementRefused(f"{below[0]} is not a broker id: a whole number from 0 was expected.")
    return lists


def print_replica_assignment(assignment: Mapping[int, Sequence[int]]) -> str:
    """The text of ``--replica-assignment``; the inverse of ``parse_replica_assignment``.

    Raises:
        PlacementRefused: the text cannot say it: ids are not 0 to n - 1, lists are of unequal length or empty.
    """
    ids = sorted(assignment)
    if ids != list(range(len(ids))):
        raise PlacementRefused(
            "partitions should be a consecutive 0-based integer sequence",
            kafka_error="InvalidReplicaAssignmentException",
        )
    lengths = {len(assignment[partition]) for partition in ids}
    if len(lengths) > 1 or 0 in lengths or not lengths:
        raise PlacementRefused("--replica-assignment needs lists of equal length, at least one list with one replica.")
    return ",".join(":".join(map(str, assignment[partition])) for partition in ids)


def topic_faults(spec: TopicSpec, *, existing: Iterable[str] = (), brokers: Sequence[Broker] = ()) -> tuple[str, ...]:
    """Why Kafka would refuse to make this topic, a sentence each, the first one first; empty where it would not.

    Args:
        spec: the specification.
        existing: topics that there are.
        brokers: the brokers alive; empty: not told, and not checked.
    """
    faults = []
    known = tuple(existing)
    wrong = name_error(spec.name)
    if wrong:
        faults.append(wrong)
    if spec.name in known:
        if not spec.if_not_exists:
            faults.append(f"Topic '{spec.name}' already exists.")
    else:
        others = colliding(spec.name, known)
        if others:
            faults.append(f"Topic '{spec.name}' collides with existing topic: {', '.join(others)}")
    if spec.assignment:
        faults += _assignment_faults(spec, brokers)
    else:
        if spec.partitions is not None and spec.partitions < 1:
            faults.append("The partitions must be greater than 0")
        if spec.replication_factor is not None and not 1 <= spec.replication_factor < _SHORT_LIMIT:
            faults.append(f"The replication factor must be between 1 and {_SHORT_LIMIT - 1} inclusive")
        elif brokers and spec.replication_factor is not None and spec.replication_factor > len(brokers):
            faults.append(
                f"Replication factor: {spec.replication_factor} larger than available brokers: {len(brokers)}."
            )
    for key, value in spec.configs:
        if not key.strip() or "=" in key or "\n" in key + value:
            faults.append(f'Invalid topic config {key!r}: all configs to be added must be in the format "key=val".')
    return tuple(faults)


def _assignment_faults(spec: TopicSpec, brokers: Sequence[Broker]) -> list[str]:
    alive = {broker.id for broker in brokers}
    told = {broker for _, replicas in spec.assignment for broker in replicas}
    faults = [
        f"The manual partition assignment includes broker {broker.id}, but all its log directories are cordoned."
        for broker in brokers
        if broker.id in told and broker.state is BrokerState.CORDONED
    ]
    if spec.partitions is not None or spec.replication_factor is not None:
        faults.append("Replicas are given, so partitions and replication factor must not be.")
    if not spec.consecutive:
        faults.append("partitions should be a consecutive 0-based integer sequence")
    if not spec.one_factor:
        faults.append("All partitions should have the same number of replicas.")
    for partition, replicas in spec.assignment:
        if not replicas:
            faults.append(f"Partition {partition} has no replica.")
        elif len(set(replicas)) < len(replicas):
            faults.append(f"Duplicate replica assignment found: partition {partition} -> {list(replicas)}")
    waiting = {broker.id for broker in brokers if broker.state in (BrokerState.FENCED, BrokerState.SHUTTING_DOWN)}
    faults += [
        f"All brokers specified in the manual partition assignment for partition {partition} are fenced or in "
        "controlled shutdown."
        for partition, replicas in spec.assignment
        if replicas and waiting.issuperset(replicas)
    ]
    unknown = sorted(told - alive) if alive else []
    if unknown:
        faults.append(f"{named('Broker', unknown, 'is', 'are')} not among the brokers alive.")
    return faults


def topic_warnings(spec: TopicSpec) -> tuple[str, ...]:
    """What the tool warns of and goes on."""
    return (COLLISION_WARNING,) if has_collision_chars(spec.name) else ()


def automatic_topic(
    name: str, defaults: ClusterDefaults, *, existing: Iterable[str] = (), brokers: Sequence[Broker] = ()
) -> tuple[TopicSpec | None, tuple[str, ...]]:
    """What a first produce or consume would make of a name.

    Args:
        name: the topic's name, as a client gives it.
        defaults: the cluster's defaults.
        existing: topics that there are.
        brokers: the brokers alive; empty: not told.

    Returns:
        The topic that would be made, or None, and sentences that say so or why not.
    """
    if name in tuple(existing):
        return None, (f"Topic '{name}' already exists: nothing is created.",)
    if not defaults.auto_create:
        return None, (f"Nothing is created: auto.create.topics.enable is false, and '{name}' remains unknown.",)
    spec = TopicSpec(name, defaults.num_partitions, defaults.default_replication_factor)
    faults = topic_faults(spec, existing=existing, brokers=brokers)
    if faults:
        return None, faults
    partitions = counted(defaults.num_partitions, "partition")
    replicas = counted(defaults.default_replication_factor, "replica")
    return spec, (
        f"The first produce or consume creates '{name}' with {partitions} (num.partitions) and {replicas} each "
        "(default.replication.factor).",
        *topic_warnings(spec),
    )


def is_integer(word: str) -> bool:
    """Whether Java's ``Integer.parseInt`` takes a word."""
    return _INTEGER.fullmatch(word) is not None and -_INT_LIMIT <= int(word) < _INT_LIMIT


def _java_int(word: str) -> int:
    if not is_integer(word):
        raise PlacementRefused(f'For input string: "{word[:SHOWN]}"', kafka_error="NumberFormatException")
    return int(word)
