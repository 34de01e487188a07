"""Makes a topic whose replicas are placed, and waits until the cluster describes it.

How it works: a target makes topics in the way it writes: an Admin request, which wants ids 0 to n - 1 and one number of
replicas, or two ZooKeeper nodes, which take any ids and which Kafka does not check. The second is never taken by
accident: who calls says ``nodes=True``. Afterwards the topic is described until every partition has a leader, for a
bounded time, and what is not as asked is said.

Example: ``create(target, TopicSpec.placed("orders", {0: [1, 2], 1: [2, 3]}))``.

Source: KIP-464, ``AdminZkClient``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from reseat.errors import WishRefused
from reseat.model.wording import counted, named, verb
from reseat.operate.targets.patience import Patience
from reseat.operate.targets.target import Assignment, Partition, Target
from reseat.placement.topic_spec import TopicSpec

__all__ = ["TopicCreated", "create"]

#: How long a new topic may take until all its partitions have leaders.
_SETTLING_SECONDS = 30.0
_GAPS = "partitions should be a consecutive 0-based integer sequence"


@dataclass(frozen=True, slots=True)
class TopicCreated:
    """What came of making a topic.

    Attributes:
        topic: its name.
        protocol: ``admin`` or ``zookeeper``: how it was asked for.
        refusal: why the cluster refused, in its words and ours; None where it was made.
        seen: each partition as the cluster describes it, by id; empty where it was refused.
        differences: what is not as asked, one sentence each.
    """

    topic: str
    protocol: str
    refusal: str | None
    seen: Mapping[int, Assignment]
    differences: tuple[str, ...] = ()

    @property
    def made(self) -> bool:
        """Whether the topic is there."""
        return self.refusal is None


def create(target: Target, spec: TopicSpec, *, nodes: bool = False, patience: Patience | None = None) -> TopicCreated:
    """Make a topic. Whether it is allowed is for the guard to say, before.

    Args:
        target: the cluster.
        spec: the topic, with its replicas placed.
        nodes: the topic is made by writing ZooKeeper's nodes, unchecked by Kafka, ids with gaps allowed. It must be
            said for a target of that way, and cannot be for another.
        patience: how long the topic may take until it has leaders.

    Raises:
        WishRefused: no replicas are placed; or ``nodes`` and the target's way do not agree. Nothing was sent.
        ClusterUnreachable: the cluster does not answer; whether the topic was made is seen when it does.
    """
    if not spec.assignment:
        raise WishRefused(f"The replicas of {spec.name} are not placed yet.", choices=("Place the topic first.",))
    if nodes and target.protocol != "zookeeper":
        raise WishRefused(
            "ZooKeeper's nodes cannot be written through the Admin protocol.",
            choices=("Open the cluster through ZooKeeper.", "Number the partitions from 0 without gaps."),
        )
    if target.protocol == "zookeeper" and not nodes:
        raise WishRefused(
            "Through ZooKeeper, a topic is created by writing its nodes, which Kafka does not check.",
            choices=("Choose the nodes explicitly.", "Create it through the Admin protocol."),
        )
    assignments = dict(spec.assignment)
    wanted = [(spec.name, partition) for partition in sorted(assignments)]
    there = bool(target.assignments(wanted))
    if there and spec.if_not_exists:
        seen = _settled(target, wanted, patience or Patience(_SETTLING_SECONDS))
        told = (f"Topic '{spec.name}' already existed: nothing was sent.", *_differences(assignments, seen))
        return TopicCreated(spec.name, target.protocol, None, seen, told)
    refusal = target.create_topic(spec.name, assignments, dict(spec.configs))
    if refusal is not None:
        return TopicCreated(spec.name, target.protocol, _in_words(refusal), {})
    seen = _settled(target, wanted, patience or Patience(_SETTLING_SECONDS))
    return TopicCreated(spec.name, target.protocol, None, seen, _differences(assignments, seen))


def _settled(target: Target, wanted: list[Partition], patience: Patience) -> dict[int, Assignment]:
    seen: dict[int, Assignment] = {}
    for _ in patience.attempts():
        seen = {partition: told for (_, partition), told in target.assignments(wanted).items()}
        if len(seen) == len(wanted) and all(
            told.leader >= 0 and len(told.in_sync) == len(told.replicas) for told in seen.values()
        ):
            break
        alive = target.alive()
        if len(seen) == len(wanted) and all(_as_far_as_it_goes(told, alive) for told in seen.values()):
            break
    return seen


def _as_far_as_it_goes(told: Assignment, alive: frozenset[int]) -> bool:
    """Whether everything that is alive is in sync: waiting longer changes nothing."""
    living = alive.intersection(told.replicas)
    return living <= set(told.in_sync) and (told.leader >= 0 or not living)


def _differences(assignments: Mapping[int, tuple[int, ...]], seen: Mapping[int, Assignment]) -> tuple[str, ...]:
    said = []
    missing = sorted(assignments.keys() - seen.keys())
    if missing:
        said.append(f"{named('Partition', missing, 'is', 'are')} not described yet.")
    other = [one for one, told in seen.items() if told.replicas != tuple(assignments[one])]
    if other:
        one = other[0]
        said.append(
            f"{counted(len(other), 'partition')} {verb(len(other), 'has', 'have')} other replicas than requested: "
            f"partition {one} has {list(seen[one].replicas)}, requested was {list(assignments[one])}."
        )
    headless = [one for one, told in seen.items() if told.leader < 0]
    if headless:
        said.append(f"{named('Partition', headless, 'has', 'have')} no leader: none of the requested brokers is alive.")
    led = [one for one, told in seen.items() if told.leader >= 0 and told.replicas and told.leader != told.replicas[0]]
    if led:
        said.append(
            f"{named('Partition', led, 'is', 'are')} not led by {verb(len(led), 'its', 'their')} first replica."
        )
    behind = [one for one, told in seen.items() if told.leader >= 0 and len(told.in_sync) < len(told.replicas)]
    if behind:
        said.append(f"{named('Partition', behind, 'lacks', 'lack')} replicas in sync.")
    return tuple(said)


def _in_words(refusal: str) -> str:
    """What the cluster said; where it is about gaps in ids, also what can be done."""
    if _GAPS not in refusal:
        return refusal
    return f"{refusal}. Ids with gaps can only be written as ZooKeeper's nodes (to 3.9)."
