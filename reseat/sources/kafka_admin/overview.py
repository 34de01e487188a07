"""What a cluster tells of itself: brokers, where its metadata is kept, features, controller."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import Any

from kafka.protocol.admin import DescribeClusterRequest, DescribeQuorumRequest
from kafka.protocol.metadata import ApiVersionsRequest

from reseat.model import Broker, BrokerState, Quorum, QuorumMember
from reseat.sources.kafka_admin.client import AdminClient
from reseat.sources.kafka_admin.error_names import error_name

__all__ = [
    "FENCED_VERSION",
    "brokers_told",
    "cluster_request",
    "features_told",
    "metadata_kind",
    "quorum_request",
    "quorum_told",
    "version_told",
    "versions_request",
    "with_mentioned",
]

#: LeaderAndIsr: a broker of the ZooKeeper era offers it to its controller; a KRaft broker never does.
_LEADER_AND_ISR = 4
#: DescribeCluster from this version (4.0) lists fenced brokers too, where asked (KIP-1073).
FENCED_VERSION = 2
_QUORUM_TOPIC = "__cluster_metadata"
#: The feature whose level 1 makes the voters a matter of the log (KIP-853).
_DYNAMIC = "kraft.version"
_NO_LEADER = "LEADER_NOT_AVAILABLE"
#: The first level of ``metadata.version`` of each release (``MetadataVersion``); before 4.0 requests tell it.
_RELEASES = ((22, (4, 0)), (26, (4, 1)), (28, (4, 2)), (30, (4, 3)), (31, (4, 4)))


def metadata_kind(admin: AdminClient, features: Mapping[str, int]) -> str:
    """``kraft`` or ``zookeeper``. In a migration (3.4 to 3.9) a broker still in ZooKeeper mode says ``zookeeper``."""
    if "metadata.version" in features:
        return "kraft"
    return "zookeeper" if _LEADER_AND_ISR in admin.versions else "kraft"


def features_told(answer: Any) -> dict[str, int]:
    """Finalised features and their levels (KIP-584) from an answer to ApiVersions; empty before 2.7."""
    return {feature.name: int(feature.max_version_level) for feature in answer.finalized_features or ()}


def versions_request() -> ApiVersionsRequest:
    """The request for what a broker supports (KIP-35), and which features the cluster uses (KIP-584)."""
    return ApiVersionsRequest(client_software_name="reseat", client_software_version="1")


def version_told(answer: Any, known: tuple[int, ...]) -> str:
    """Kafka's version of the broker that answered ApiVersions, as far as it can be told: "4.4".

    The level that a broker supports tells it; the one that its cluster uses may be older.

    Args:
        answer: the answer, or None where there is none.
        known: the version that its requests tell, which are alike in releases that change none.
    """
    levels = {} if answer is None else {one.name: int(one.max_version) for one in answer.supported_features or ()}
    level = levels.get("metadata.version", 0)
    told = max((release for first, release in _RELEASES if first <= level), default=known)
    return ".".join(map(str, max(told, known)[:2]))


def cluster_request() -> DescribeClusterRequest:
    """The request for all brokers, fenced ones included."""
    return DescribeClusterRequest(include_cluster_authorized_operations=False, include_fenced_brokers=True)


def brokers_told(metadata: Any, cluster: Any | None) -> list[Broker]:
    """The registered brokers.

    Args:
        metadata: Metadata's answer: brokers that are alive (on KRaft: registered and not fenced).
        cluster: DescribeCluster's answer of version 2 or later, or None.
    """
    brokers = {
        told.node_id: Broker(told.node_id, told.rack, told.host, told.port, BrokerState.ALIVE)
        for told in metadata.brokers
    }
    for told in cluster.brokers if cluster is not None else ():
        state = BrokerState.FENCED if told.is_fenced else BrokerState.ALIVE
        known = brokers.get(told.broker_id)
        # A broker that is fenced has no endpoint to come to: DescribeCluster then tells an empty host.
        brokers[told.broker_id] = (
            replace(known, state=state)
            if known is not None
            else Broker(told.broker_id, told.rack, told.host or None, told.port if told.port >= 0 else None, state)
        )
    return sorted(brokers.values(), key=lambda broker: broker.id)


def with_mentioned(
    registered: Iterable[Broker], mentioned: Iterable[int], doubtful: Iterable[int], cordoned: Collection[int] = ()
) -> list[Broker]:
    """All brokers: those that only assignments mention are ``DEAD``, for who is alive is registered; or not told.

    Args:
        registered: what the cluster told.
        mentioned: every id in replica lists.
        doubtful: ids of which it may be that they are alive on another listener only.
        cordoned: ids of those that get no new replica.
    """
    brokers = {broker.id: broker for broker in registered}
    brokers |= {one: replace(brokers[one], state=BrokerState.CORDONED) for one in cordoned if one in brokers}
    unsure = set(doubtful)
    for broker in set(mentioned) - set(brokers):
        brokers[broker] = Broker(broker, state=BrokerState.NOT_TOLD if broker in unsure else BrokerState.DEAD)
    return sorted(brokers.values(), key=lambda broker: broker.id)


def quorum_request() -> DescribeQuorumRequest:
    """The request for KRaft's quorum (KIP-595)."""
    topic = DescribeQuorumRequest.TopicData
    return DescribeQuorumRequest(
        topics=[topic(topic_name=_QUORUM_TOPIC, partitions=[topic.PartitionData(partition_index=0)])]
    )


def quorum_told(answer: Any, features: Mapping[str, int]) -> tuple[Quorum | None, str | None]:
    """The quorum, or None and Kafka's error name.

    Args:
        answer: DescribeQuorum's.
        features: finalised features; none where they were not told.
    """
    if answer.error_code:
        return None, error_name(answer.error_code)
    for part in (part for topic in answer.topics for part in topic.partitions):
        if part.error_code:
            return None, error_name(part.error_code)
        hosts = {node.node_id: node.listeners[0].host for node in answer.nodes or () if node.listeners}
        leads = next((one for one in part.current_voters if one.replica_id == part.leader_id), None)
        dynamic = features.get(_DYNAMIC, 0) >= 1 if features else None
        quorum = Quorum(
            part.leader_id if part.leader_id >= 0 else None,
            _members(part.current_voters, leads, hosts),
            _members(part.observers, leads, hosts),
            dynamic,
        )
        return quorum, None if part.leader_id >= 0 else _NO_LEADER
    return None, _NO_LEADER


def _members(told: Iterable[Any], leads: Any, hosts: Mapping[int, str]) -> tuple[QuorumMember, ...]:
    """Members by id; how far each is only where the leader tells its own end of the log and its own clock."""
    members = []
    for one in sorted(told, key=lambda one: int(one.replica_id)):
        behind = seconds = None
        if leads is not None and one.log_end_offset >= 0:
            behind = max(0, leads.log_end_offset - one.log_end_offset)
        if leads is not None and one.last_caught_up_timestamp >= 0:
            seconds = max(0.0, (leads.last_caught_up_timestamp - one.last_caught_up_timestamp) / 1000)
        members.append(QuorumMember(one.replica_id, hosts.get(one.replica_id), behind, seconds))
    return tuple(members)
