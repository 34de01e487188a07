"""Making a topic: by which method a cluster of some version does it, and where the replicas then go.

What it promises, in this order: the method that the tools of a version take, and the placement behind it, list by list
for the same draws; Kafka's refusals in its words.

How it works: there are three methods.

1. ``kafka-topics --zookeeper`` (alone to 2.1, with ``--disable-rack-aware`` to 2.8): striped over the living brokers
   sorted by id; racks are enforced, so that brokers with and without a rack together are refused.
2. The Admin protocol to a ZooKeeper controller (from 2.2 to 3.9): striped too, but over the brokers in the order in
   which the controller keeps them (``admin_order``).
3. The Admin protocol to a KRaft controller (from 3.3; alone from 4.0): KRaft's placer, fenced brokers included.

Where replicas are given, all three take them as they are.

Example: brokers 0, 1, 2 without racks on 2.8 through the Admin protocol are walked as 0, 2, 1.

Complexity: that of the placement.

Source: ``AdminZkClient.createTopic``, ``ZkAdminManager.createTopics`` (2.8.2, 3.9.1), ``ReplicationControlManager``
(3.9.1, 4.1.0); KIP-377, KIP-464.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

import numpy as np

from reseat.errors import PlacementRefused
from reseat.model import Broker, BrokerState, Longs
from reseat.model.naming import version_of
from reseat.placement.admin_order import admin_order
from reseat.placement.draw_source import DrawSource
from reseat.placement.java_random import JavaRandom
from reseat.placement.kraft import place_kraft
from reseat.placement.placed import Placement
from reseat.placement.striped import RackMode, place_striped
from reseat.placement.topic_spec import ClusterDefaults, TopicSpec

__all__ = [
    "CreationMethod",
    "creation_method",
    "creation_methods",
    "knows_cordons",
    "loads_over_draws",
    "place_topic",
]

_ADMIN, _KRAFT, _KRAFT_ALONE, _CORDONS = (2, 2), (3, 3), (4, 0), (4, 3)
_WITHOUT_ZOOKEEPER_TOOL = (3, 0)


class CreationMethod(Enum):
    """How a topic is made."""

    ZOOKEEPER_TOOL = "kafka-topics --zookeeper"
    ADMIN_ZOOKEEPER = "Admin protocol, ZooKeeper controller"
    ADMIN_KRAFT = "Admin protocol, KRaft controller"


def creation_methods(version: str) -> tuple[CreationMethod, ...]:
    """The methods that a version has, the usual one first.

    Args:
        version: of the cluster, such as ``2.8`` or ``3.9.1``.

    Raises:
        PlacementRefused: that is no version.
    """
    numbers = _numbers(version)
    if numbers >= _KRAFT_ALONE:
        return (CreationMethod.ADMIN_KRAFT,)
    if numbers >= _KRAFT:
        return (CreationMethod.ADMIN_KRAFT, CreationMethod.ADMIN_ZOOKEEPER)
    if numbers >= _WITHOUT_ZOOKEEPER_TOOL:
        return (CreationMethod.ADMIN_ZOOKEEPER,)
    if numbers >= _ADMIN:
        return (CreationMethod.ADMIN_ZOOKEEPER, CreationMethod.ZOOKEEPER_TOOL)
    return (CreationMethod.ZOOKEEPER_TOOL,)


def creation_method(version: str, *, disable_rack_aware: bool = False, kraft: bool = True) -> CreationMethod:
    """The method that is taken.

    Args:
        version: of the cluster.
        disable_rack_aware: racks shall be left aside, which the tool can through ZooKeeper alone.
        kraft: whether the controller is KRaft's, where the version has both.

    Raises:
        PlacementRefused: that is no version.
    """
    open_to = creation_methods(version)
    if disable_rack_aware and CreationMethod.ZOOKEEPER_TOOL in open_to:
        return CreationMethod.ZOOKEEPER_TOOL
    return open_to[-1] if not kraft and CreationMethod.ADMIN_KRAFT in open_to else open_to[0]


def knows_cordons(version: str) -> bool:
    """Whether a version has cordons (KIP-1066), which its refusals name.

    Raises:
        PlacementRefused: that is no version.
    """
    return _numbers(version) >= _CORDONS


def place_topic(
    spec: TopicSpec,
    brokers: Sequence[Broker],
    method: CreationMethod,
    *,
    draws: DrawSource,
    defaults: ClusterDefaults | None = None,
    version: str | None = None,
) -> Placement:
    """Where the replicas of a new topic go.

    Args:
        spec: the topic; where it gives replicas, these are the answer. Its partition ids have to be 0 to n - 1.
        brokers: the brokers of the cluster. Dead and cordoned ones take no part; fenced ones do in KRaft alone.
        method: how it is made.
        draws: where random draws come from.
        defaults: what the cluster does where partitions or replicas are left to it; None: Kafka's own defaults.
        version: of the cluster, in whose words it is refused; None: as before cordons.

    Raises:
        PlacementRefused: in Kafka's words, the placement is refused; ids given have gaps, or lists differ in length.
    """
    if spec.assignment:
        if not (spec.consecutive and spec.one_factor):
            raise PlacementRefused("partitions should be a consecutive 0-based integer sequence, lists of one length")
        lists = np.array([list(replicas) for _, replicas in spec.assignment], np.int32)
        return Placement(lists, order=tuple(sorted({int(broker) for broker in lists.ravel()})))
    known = defaults or ClusterDefaults()
    partitions = known.num_partitions if spec.partitions is None else spec.partitions
    factor = known.default_replication_factor if spec.replication_factor is None else spec.replication_factor
    up = [broker for broker in brokers if broker.state is not BrokerState.DEAD]
    if method is CreationMethod.ADMIN_KRAFT:
        knows = version is not None and knows_cordons(version)
        return place_kraft(up, partitions, factor, draws=draws, knows_cordons=knows)
    living = [broker for broker in up if broker.state is not BrokerState.FENCED]
    if method is CreationMethod.ZOOKEEPER_TOOL:
        mode = RackMode.DISABLED if spec.disable_rack_aware else RackMode.ENFORCED
        return place_striped(living, partitions, factor, draws=draws, rack_mode=mode)
    by_id = {broker.id: broker for broker in living}
    kept = [by_id[broker_id] for broker_id in admin_order(by_id)]
    return place_striped(kept, partitions, factor, draws=draws)


def loads_over_draws(
    spec: TopicSpec,
    brokers: Sequence[Broker],
    method: CreationMethod,
    *,
    rounds: int,
    defaults: ClusterDefaults | None = None,
) -> tuple[Longs, Longs]:
    """What each broker would get of a topic over many draws, those of the seeds 0 to ``rounds - 1``.

    Args:
        spec: as ``place_topic``.
        brokers: as ``place_topic``; B of them, ids ascending.
        method: as ``place_topic``.
        rounds: how many draws, n.
        defaults: as ``place_topic``.

    Returns:
        (n, B) replicas, and (n, B) preferred leaders, a column a broker as they stand in ``brokers``.

    Raises:
        PlacementRefused: as ``place_topic``.
    """
    ids = np.array([broker.id for broker in brokers], np.int32)
    replicas = np.zeros((rounds, len(ids)), np.int64)
    leaders = np.zeros_like(replicas)
    for seed in range(rounds):
        lists = place_topic(spec, brokers, method, draws=JavaRandom(seed), defaults=defaults).replicas
        replicas[seed] = np.bincount(np.searchsorted(ids, lists.ravel()), minlength=len(ids))
        leaders[seed] = np.bincount(np.searchsorted(ids, lists[:, 0]), minlength=len(ids))
    return replicas, leaders


def _numbers(version: str) -> tuple[int, ...]:
    if (numbers := version_of(version)) is None:
        raise PlacementRefused(f"{version!r} is not a version: one such as 2.8 or 4.1 was expected.")
    return numbers
