"""What a person runs: the topics of the target, MirrorMaker 2's property file, and how to see where it stands.

What it promises: property names, defaults and behaviour are those of Kafka 4.0's MirrorMaker 2; ``kafka-topics`` gets
replica lists that are the target layout's. Nothing is run.

Why not left to MirrorMaker: it creates topics with ``replication.factor`` (2 by default) for all, wherever the
controller draws them, and without their min.insync.replicas.

Source: ``MirrorMakerConfig``, ``MirrorSourceConnector``, ``MirrorCheckpointTask``, ``DefaultTopicFilter``,
``DefaultGroupFilter``, ``DefaultConfigPropertyFilter``, ``IdentityReplicationPolicy`` (4.0); KIP-382, KIP-545
(translated offsets of groups), KIP-716 (where the offset-syncs topic is).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from reseat.errors import PlacementRefused
from reseat.migration.request import MigrationRequest
from reseat.migration.sides import TopicMove
from reseat.migration.waves import Wave
from reseat.model.wording import counted, listed, verb
from reseat.placement.topic_spec import TopicSpec, print_replica_assignment
from reseat.placement.topic_texts import create_command

__all__ = ["caveats", "create_commands", "follow_commands", "mirror_properties"]

_SOURCE, _TARGET = "source", "target"
#: What MirrorMaker 2 keeps of itself is on as many brokers as there are, up to this.
_FACTOR = 3
#: A pattern of Java's: every character that means something there is escaped, and commas end an entry of the list.
_PLAIN = re.compile(r"[A-Za-z0-9_-]")
_PROPERTY = "org.apache.kafka.connect.mirror.IdentityReplicationPolicy"


def create_commands(
    moves: Sequence[TopicMove], made: Mapping[str, Mapping[int, Sequence[int]]], version: str
) -> tuple[str, ...]:
    """``kafka-topics`` for every topic that is created, and for every one that gets partitions, for a POSIX shell.

    Args:
        moves: the topics.
        made: of ``Target``.
        version: the target's.
    """
    said = []
    for move in moves:
        lists = made.get(move.remote)
        if lists is None:
            continue
        configs = () if move.min_in_sync is None else (("min.insync.replicas", str(move.min_in_sync)),)
        if not move.there:
            spec = TopicSpec.placed(move.remote, lists, configs=configs)
            said.append(create_command(spec, version, bootstrap="TARGET:9092"))
        else:
            words = create_command(TopicSpec(move.remote, move.partitions, 1), version, bootstrap="TARGET:9092")
            head = words.split(" --partitions ", 1)[0].replace("--create", "--alter")
            said.append(f"{head} --partitions {move.partitions}{_assigned(lists)}")
    return tuple(said)


def _assigned(lists: Mapping[int, Sequence[int]]) -> str:
    """The lists of all partitions, of which Kafka takes the new ones; none where the option cannot say them."""
    try:
        return f" --replica-assignment {print_replica_assignment(lists)}"
    except PlacementRefused:  # the partitions that are there differ in their replicas, or are not all known
        return ""


def mirror_properties(asked: MigrationRequest, waves: Sequence[Wave], wave: int, brokers: int) -> str:
    """The property file of ``connect-mirror-maker.sh`` for the waves up to one, that one included.

    Args:
        asked: the names in the target.
        waves: all waves.
        wave: the place of the last one to copy; those before it go on being copied until they are cut over.
        brokers: brokers of the target.
    """
    source = asked.prefix or _SOURCE
    topics = [name for one in waves[: wave + 1] for name in one.topics]
    factor = min(_FACTOR, brokers)
    flow = f"{source}->{_TARGET}"
    lines = [
        f"clusters = {source}, {_TARGET}",
        f"{source}.bootstrap.servers = SOURCE:9092",
        f"{_TARGET}.bootstrap.servers = TARGET:9092",
        "",
        f"{flow}.enabled = true",
        f"{flow}.topics = {', '.join(map(_pattern, sorted(topics)))}",
        f"{flow}.groups = .*",
        "# offsets of groups are translated, and written while a group has no member in the target",
        f"{flow}.sync.group.offsets.enabled = true",
        f"{flow}.tasks.max = {max(1, brokers)}",
        "",
        "# names in the target",
        *([] if asked.prefix else [f"replication.policy.class = {_PROPERTY}"]),
        "# of topics that it creates itself, such as one that is new in the source; 2 where it is not said",
        f"replication.factor = {asked.replication_factor or factor}",
        "",
        "# nothing is written to the source: neither heartbeats nor the topic with which offsets are translated",
        "emit.heartbeats.enabled = false",
        f"offset-syncs.topic.location = {_TARGET}",
        *(
            f"{name}.replication.factor = {factor}"
            for name in (
                "checkpoints.topic", "offset-syncs.topic", "config.storage", "offset.storage", "status.storage",
            )
        ),
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


def _pattern(topic: str) -> str:
    """A name as the pattern that fits it alone, in a property file: a backslash is written twice there."""
    return "".join(one if _PLAIN.fullmatch(one) else f"\\\\{one}" for one in topic)


def follow_commands(asked: MigrationRequest) -> tuple[str, ...]:
    """How to run it, and to see how far it is, for a POSIX shell."""
    source = asked.prefix or _SOURCE
    return (
        f"bin/connect-mirror-maker.sh mm2.properties --clusters {_TARGET}",
        "bin/kafka-get-offsets.sh --bootstrap-server SOURCE:9092 --topic TOPIC",
        f"bin/kafka-console-consumer.sh --bootstrap-server TARGET:9092 --topic {source}.checkpoints.internal "
        "--from-beginning --formatter org.apache.kafka.connect.mirror.formatters.CheckpointFormatter",
        "bin/kafka-consumer-groups.sh --bootstrap-server TARGET:9092 --describe --group GROUP",
    )


def caveats(asked: MigrationRequest, moves: Sequence[TopicMove], tiered: Sequence[str] = ()) -> tuple[str, ...]:
    """What a person must know before, a sentence or two each, what is lost silently first.

    Args:
        asked: the names in the target.
        moves: the topics.
        tiered: topics whose older segments are in remote storage, as far as that is known.
    """
    return tuple(_caveats(asked, moves, {move.name for move in moves} & set(tiered)))


def _caveats(asked: MigrationRequest, moves: Sequence[TopicMove], tiered: set[str]) -> Iterator[str]:
    yield (
        "Offsets are translated, not equal: a record has another offset in the target. Groups are translated to a "
        "point at or before theirs, farther before it the farther behind they are, so consumers see records again. "
        "Offsets that an application keeps elsewhere are not translated."
    )
    yield (
        "A group is written in the target only while it has no member there; groups named connect-*, "
        "console-consumer-* and __* are left out (groups.exclude). A record can be copied twice: copying is at least "
        "once unless exactly-once support is configured."
    )
    if asked.prefix:
        yield (
            f"Topics are called {asked.prefix}.TOPIC in the target (DefaultReplicationPolicy): producers and consumers "
            "need the new name, and translated groups have it."
        )
    else:
        yield (
            "Topics keep their names (IdentityReplicationPolicy). MirrorMaker then takes every topic of that name in "
            "the target for its own copy, and sees no cycle: never enable target->source at the same time, and let "
            "nobody produce to the target before the cut-over."
        )
    if any(move.there for move in moves):
        yield (
            "What a topic holds in the target already stays, and copies come behind it: empty such topics, or leave "
            "them out."
        )
    yield (
        "Keys stay in their partitions as long as both sides have as many. MirrorMaker adds partitions where the "
        "target has fewer; where it has more, producers put keys elsewhere after the cut-over, and order by key breaks."
    )
    yield (
        "Topic settings are copied every 10 minutes, except min.insync.replicas, unclean.leader.election.enable, "
        "message.timestamp.type, replication throttles, and whatever the source's brokers set for all topics. "
        "Retention applies to copies by the records' own timestamps."
    )
    yield (
        "Of ACLs, those of literally named topics are copied, without the right to write (ALLOW ALL becomes ALLOW "
        "READ). ACLs of groups, prefixed ACLs, users, quotas and transactional ids are not: create them before the "
        "cut-over."
    )
    yield (
        "MirrorMaker's producer does not compress unless target.producer.compression.type says so: what clients "
        "compressed may take more room in the target than here. Its clients have no throttle of their own; use quotas."
    )
    if tiered:
        yield (
            f"{counted(len(tiered), 'topic')} {verb(len(tiered), 'is', 'are')} tiered ({listed(sorted(tiered), 3)}): "
            "what is in remote storage is copied, too, and not counted here."
        )
