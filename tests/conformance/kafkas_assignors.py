"""Kafka's own assignors, asked: groups drawn at random, and one Java process that answers them all."""

from __future__ import annotations

import random
import shutil
from collections.abc import Sequence
from typing import Any

from reseat.consumers import Assignment, Group, Member, Partition
from tests.conformance import recording

#: The release that is asked, and the one asked for assignors whose code was another there.
_VERSION = "4.4.0"
_EARLIER = "2.8.2"


def missing() -> str | None:
    """What is missing to ask Kafka's classes, as one sentence, or None."""
    if shutil.which("javac") is None:
        return "No Java compiler was found: asking Kafka's classes needs a JDK, 17 or later."
    if not all(list(recording.JARS[version].glob("kafka-clients-*.jar")) for version in (_VERSION, _EARLIER)):
        return "Kafka's jars are missing: `make kafka-jars` fetches them from Maven Central (it needs mvn)."
    return None


def ask(assignor: str, groups: Sequence[Group]) -> list[Assignment | None]:
    """What Kafka's class assigns to each group, or None where it throws.

    Partitions are sorted, since Kafka's order within a member follows hashes. Members are handed over in a ``HashMap``,
    as the group's leader does, so the order in the question does not count.
    """
    name = assignor.removesuffix("-2.8")
    release, driver = (_VERSION, "Ask") if name == assignor else (_EARLIER, "AskConsumers")
    said = recording.ask(release, (_question(name, group) for group in groups), driver)
    return [None if "error" in one else _parsed(one["assignment"]) for one in said]


def _parsed(given: dict[str, list[str]]) -> Assignment:
    split = {member: [name.rpartition("-") for name in names] for member, names in given.items()}
    return {member: sorted((topic, int(p)) for topic, _, p in parts) for member, parts in split.items()}


def _question(assignor: str, group: Group) -> dict[str, Any]:
    """As a record has it; one broker a rack, which has a replica of each partition of that rack."""
    racks = sorted({rack for on in group.racks.values() for rack in on})
    broker_of = {rack: number for number, rack in enumerate(racks, 1)}
    return {
        "family": assignor.replace("-", "_"),
        "partitions_per_topic": dict(group.partitions),
        "members": [
            {
                "member_id": member.id,
                "topics": list(member.topics),
                "owned_partitions": [f"{topic}-{p}" for topic, p in member.owned] if member.generation >= 0 else None,
                "generation": member.generation,
                "rack_id": member.rack,
                "group_instance_id": member.instance_id,
            }
            for member in group.members
        ],
        "broker_racks": {str(number): rack for rack, number in broker_of.items()},
        "partition_replicas": {
            topic: [sorted(broker_of[rack] for rack in group.racks.get((topic, p), ())) for p in range(count)]
            for topic, count in group.partitions.items()
        },
    }


def drawn_group(draws: random.Random) -> Group:
    """One group as rebalances meet them: who left, who came, who lagged a generation, topics that grew or are gone.

    Ownership is the round-robin of an earlier membership, so that most agree; now and then two claim the same.
    Nobody owns a partition that its topic has no more (made anew with fewer): there Kafka throws, or assigns it.
    """
    topics = [f"t{i}" for i in range(draws.randint(1, 5))]
    counts = {topic: draws.choice([0, 1, 2, 3, 4, 5, 8]) for topic in topics if draws.random() > 0.03}
    many = draws.random() < 0.03  # enough that a hash map of Java grows
    members_drawn = draws.randint(8, 40) if many else draws.randint(1, 7)
    names = [f"{draws.choice('abc')}{draws.randrange(100)}-{i}" for i in range(members_drawn)]
    alike = draws.random() < 0.5
    shared = tuple(topic for topic in topics if draws.random() < 0.8)
    racks = draws.choice([[], [], ["r1", "r2"], ["r1", "r2", "r3"]])
    everywhere = bool(racks) and draws.random() < 0.1
    width = draws.randint(1, 3)
    rack_of = {
        (topic, p): frozenset(racks if everywhere else draws.sample(racks, min(len(racks), width)))
        for topic, count in counts.items()
        for p in range(count)
        if racks and draws.random() > 0.03
    }
    owned = _owned(draws, names, counts)
    members = []
    for name in names:
        mine = shared if alike and draws.random() > 0.1 else tuple(t for t in topics if draws.random() < 0.6)
        generation = draws.choice([-1, 3, 4, 4, 4]) if owned[name] else draws.choice([-1, 4])
        members.append(
            Member(
                name,
                mine,
                instance_id=f"i{draws.randrange(50)}-{name}" if draws.random() < 0.2 else None,
                rack=draws.choice(racks) if racks and draws.random() > 0.1 else None,
                owned=tuple(owned[name]) if generation >= 0 else (),
                generation=generation,
            )
        )
    return Group(tuple(members), counts, rack_of)


def _owned(draws: random.Random, names: Sequence[str], counts: dict[str, int]) -> dict[str, list[Partition]]:
    """Who says it owned what: dealt in turn to some of the members, with gaps, a few doubled."""
    owned: dict[str, list[Partition]] = {name: [] for name in names}
    earlier = [name for name in names if draws.random() < 0.7]
    if not earlier or draws.random() < 0.25:
        return owned
    lost = draws.choice([0.0, 0.2, 0.5])
    doubled = draws.choice([0.0, 0.0, 0.0, 0.1])
    everything = [(topic, p) for topic in sorted(counts) for p in range(counts[topic])]
    for place, partition in enumerate(everything):
        for _ in range(1 + (draws.random() < doubled)):
            name = earlier[place % len(earlier)] if draws.random() < 0.8 else draws.choice(earlier)
            if draws.random() >= lost and partition not in owned[name]:
                owned[name].append(partition)
    return owned
