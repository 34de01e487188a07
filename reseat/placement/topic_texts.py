"""A new topic as commands, as an Admin request, and as ZooKeeper nodes."""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass

from reseat.errors import PlacementRefused
from reseat.model.naming import version_of
from reseat.placement.topic_spec import TopicSpec, print_replica_assignment

__all__ = ["ZooKeeperNode", "admin_request", "create_command", "zookeeper_nodes"]

#: kafka-topics takes --bootstrap-server from 2.2 (KIP-377); defaults for partitions and factor from 2.4 (KIP-464).
_BY_ADMIN, _WITH_DEFAULTS = (2, 2), (2, 4)


@dataclass(frozen=True)
class ZooKeeperNode:
    """A node to write.

    Attributes:
        path: its path.
        data: its JSON.
        needed: whether the topic comes to be without it.
    """

    path: str
    data: str
    needed: bool


def create_command(
    spec: TopicSpec,
    version: str | None = None,
    *,
    bootstrap: str = "HOST:9092",
    zookeeper: str = "HOST:2181",
) -> str:
    """The ``kafka-topics`` command that makes the topic, for a POSIX shell.

    Args:
        spec: the specification.
        version: the cluster's version (``2.8.2``); None: as for 3.0 and later.
        bootstrap: a broker, ``host:port``.
        zookeeper: a ZooKeeper server, ``host:port/chroot``.

    Raises:
        PlacementRefused: the command cannot say it: gaps in ids, lists of unequal length, a number of partitions or a
            factor left to the cluster before 2.4, racks left aside through the Admin protocol.
    """
    numbers = version_of(version) or (3, 0)
    # Racks can be left aside through ZooKeeper alone, which the tool offers up to 2.8.
    through_zookeeper = numbers < _BY_ADMIN or (spec.disable_rack_aware and numbers < (3, 0))
    if spec.disable_rack_aware and not through_zookeeper:
        raise PlacementRefused(
            "--disable-rack-aware works only through ZooKeeper, which the tool of 3.0 and later does not support.",
            choices=("Give the replica lists instead.",),
        )
    server = (
        f"--zookeeper {shlex.quote(zookeeper)}" if through_zookeeper else f"--bootstrap-server {shlex.quote(bootstrap)}"
    )
    words = [f"bin/kafka-topics.sh {server} --create --topic {shlex.quote(spec.name)}"]
    if spec.assignment:
        words.append(f"--replica-assignment {shlex.quote(print_replica_assignment(dict(spec.assignment)))}")
    else:
        for value, option in ((spec.partitions, "--partitions"), (spec.replication_factor, "--replication-factor")):
            if value is not None:
                words.append(f"{option} {value}")
            elif through_zookeeper or numbers < _WITH_DEFAULTS:
                raise PlacementRefused(
                    f"{option} is required: the cluster's default is used only from 2.4 on (KIP-464)."
                )
    words += [f"--config {shlex.quote(f'{key}={value}')}" for key, value in spec.configs]
    words += ["--if-not-exists"] if spec.if_not_exists else []
    words += ["--disable-rack-aware"] if spec.disable_rack_aware else []
    return " ".join(words)


def admin_request(spec: TopicSpec) -> str:
    """The ``CreateTopics`` request that makes the topic, its fields as the protocol names them, as JSON text.

    -1 stands for what is left to the cluster, or given by the assignment.
    """
    placed = bool(spec.assignment)
    topic = {
        "name": spec.name,
        "numPartitions": -1 if placed or spec.partitions is None else spec.partitions,
        "replicationFactor": -1 if placed or spec.replication_factor is None else spec.replication_factor,
        "assignments": [{"partitionIndex": i, "brokerIds": list(replicas)} for i, replicas in spec.assignment],
        "configs": [{"name": key, "value": value} for key, value in spec.configs],
    }
    request = {"topics": [topic], "timeoutMs": 30_000, "validateOnly": False}
    return json.dumps(request, indent=2, ensure_ascii=False)


def zookeeper_nodes(spec: TopicSpec, *, version: int = 1, topic_id: str | None = None) -> tuple[ZooKeeperNode, ...]:
    """The two nodes that make the topic in the ZooKeeper era, in the order in which to write them.

    The controller watches ``/brokers/topics`` and makes the partitions it finds there: each is led by its first replica
    that is alive. Nothing is checked on this way, and ids may have gaps.

    Args:
        spec: the specification, with replicas given.
        version: 1, read by all; 2 (from 2.4) with adding and removing replicas; 3 (from 2.8) with a topic id.
        topic_id: for version 3, 22 characters of base64.

    Raises:
        PlacementRefused: no replicas are given, a list is empty or names a broker twice, an unknown version, or a topic
            id that does not go with it.
    """
    if not spec.assignment:
        raise PlacementRefused("The nodes hold replica lists, and none are given.", choices=("Place the topic first.",))
    for partition, replicas in spec.assignment:
        if not replicas or len(set(replicas)) < len(replicas):
            raise PlacementRefused(f"Partition {partition} has {list(replicas)}: different brokers were expected.")
    if version not in (1, 2, 3) or (topic_id is not None) != (version == 3):
        raise PlacementRefused(f"Version {version} of the node: 1, 2, or 3 with a topic id was expected.")
    partitions = {str(i): list(replicas) for i, replicas in spec.assignment}
    data: dict[str, object] = {"version": version, "partitions": partitions}
    if version > 1:
        data |= {"adding_replicas": {}, "removing_replicas": {}}
    if topic_id is not None:
        data["topic_id"] = topic_id
    return (
        ZooKeeperNode(f"/config/topics/{spec.name}", _compact({"version": 1, "config": dict(spec.configs)}), False),
        ZooKeeperNode(f"/brokers/topics/{spec.name}", _compact(data), True),
    )


def _compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
