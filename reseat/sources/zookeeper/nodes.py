"""Understands the nodes that Kafka keeps in ZooKeeper: bytes in, plain values out; nothing in them is trusted.

What it promises, in this order: no content raises; what is understood is kept, also beside what is not; what is not
is said in one sentence that quotes nothing of the node, which may be hostile and a megabyte long.

How it works: a node is first decoded straight into the shape that Kafka writes, which checks types and the bounds of
ids on the way. Only where that fails is it decoded freely and picked apart entry by entry. Keys that are not known
are ignored, as Kafka ignores them.

Example: ``topic_node(b'{"version":1,"partitions":{"0":[1,2]}}')`` holds partition 0 with replicas 1 and 2.

Complexity: O(bytes). Source: Kafka's ``ZkData`` (``BrokerIdZNode``, ``TopicZNode``, ``TopicPartitionStateZNode``,
``ReassignPartitionsZNode``, ``ConfigEntityZNode``, ``ClusterIdZNode``, ``ControllerZNode``).
"""

from __future__ import annotations

from array import array
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import Annotated

import msgspec

from reseat.formats.input.reading import LIMITS
from reseat.formats.text.zookeeper import first_endpoint
from reseat.model import NONE, NOT_TOLD, Broker, BrokerState
from reseat.model.naming import LARGEST_ID, is_topic_id

__all__ = [
    "LARGEST_NODE",
    "PartitionState",
    "Registration",
    "TopicNode",
    "broker_node",
    "config_node",
    "document_of",
    "fault_of",
    "partition_state",
    "reassignment_node",
    "topic_node",
    "whole_number",
]

#: Bytes of one node that are looked at. ZooKeeper's own limit is 1 MB unless ``jute.maxbuffer`` was raised.
LARGEST_NODE = 16_000_000
#: Kafka writes this leader into a state node while the topic is being deleted (``LeaderAndIsr.LeaderDuringDelete``).
_LEADER_DURING_DELETE = -2
#: A rack longer than this is told of: no cluster has such a name on purpose (Kafka's protocol ends at 32,767 bytes).
_LONG_RACK = 1_000

_Id = Annotated[int, msgspec.Meta(ge=0, le=LARGEST_ID)]
_Epoch = Annotated[int, msgspec.Meta(ge=NONE, le=LARGEST_ID)]
_Leader = Annotated[int, msgspec.Meta(ge=_LEADER_DURING_DELETE, le=LARGEST_ID)]


class _TopicDocument(msgspec.Struct):
    partitions: dict[_Id, list[_Id]]
    adding_replicas: dict[_Id, list[_Id]] | None = None
    removing_replicas: dict[_Id, list[_Id]] | None = None
    version: int = 1
    topic_id: str = ""


class _StateDocument(msgspec.Struct):
    leader: _Leader
    leader_epoch: _Epoch
    isr: list[_Id]


@dataclass(slots=True)
class PartitionState:
    """A partition's state: who leads it, and its ISR.

    Attributes:
        leader: broker id; -1 none; -2 not told.
        leader_epoch: grows with each leader; -2 not told.
        isr: broker ids, None where not told.
        fault: what was not understood, as the end of a sentence, or None.
    """

    leader: int
    isr: list[int] | None
    leader_epoch: int = NOT_TOLD
    fault: str | None = None


_TOPIC = msgspec.json.Decoder(_TopicDocument)
_STATE = msgspec.json.Decoder(_StateDocument)
_NOT_JSON = (msgspec.DecodeError, RecursionError, UnicodeDecodeError)


@dataclass(slots=True)
class TopicNode:
    """A topic's partitions, one after the other as they stand in the node; n partitions.

    Attributes:
        partition: (n,) partition ids.
        lengths: (n,) replicas of each.
        replicas: broker ids of all, in assignment order, (sum of lengths,).
        adding: ids that a reassignment under way adds, by partition; partitions without are not in it.
        removing: ids that it removes.
        version: the node's version, 1 to 3; 0 where not told.
        topic_id: the topic's id (2.8 and later), "" where there is none.
        faults: what was not understood, each the end of a sentence.
    """

    partition: array[int] = field(default_factory=lambda: array("i"))
    lengths: array[int] = field(default_factory=lambda: array("i"))
    replicas: array[int] = field(default_factory=lambda: array("i"))
    adding: dict[int, list[int]] = field(default_factory=dict)
    removing: dict[int, list[int]] = field(default_factory=dict)
    version: int = 0
    topic_id: str = ""
    faults: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Registration:
    """What a live broker says of itself.

    Attributes:
        broker: id, rack, host and port; alive.
        endpoints: ``LISTENER://host:port`` as told.
        protocols: security protocol by listener name.
        version: the node's version, 1 to 5; 0 where not told.
        faults: what was not understood, each the end of a sentence.
    """

    broker: Broker
    endpoints: tuple[str, ...] = ()
    protocols: Mapping[str, str] = field(default_factory=dict)
    version: int = 0
    faults: tuple[str, ...] = ()


def topic_node(data: bytes | None) -> TopicNode:
    """Read ``/brokers/topics/TOPIC``, versions 1 to 3."""
    if data is None or len(data) > LARGEST_NODE:
        return TopicNode(faults=(fault_of(data),))
    try:
        told = _TOPIC.decode(data)
    except _NOT_JSON:
        return _picked_topic(data)
    lists = told.partitions.values()
    if max(map(len, lists), default=0) > LIMITS.replicas:
        return _picked_topic(data)
    return TopicNode(
        partition=array("i", told.partitions),
        lengths=array("i", map(len, lists)),
        replicas=array("i", chain.from_iterable(lists)),
        adding={key: ids for key, ids in (told.adding_replicas or {}).items() if ids},
        removing={key: ids for key, ids in (told.removing_replicas or {}).items() if ids},
        version=told.version,
        topic_id=told.topic_id if is_topic_id(told.topic_id) else "",
    )


def _picked_topic(data: bytes) -> TopicNode:
    """What can be used of a topic node that is not as Kafka writes it."""
    document, fault = _document(data)
    if document is None:
        return TopicNode(faults=(fault,))
    partitions = document.get("partitions")
    if not isinstance(partitions, dict):
        return TopicNode(faults=("holds no object 'partitions'",))
    told_id = document.get("topic_id")
    node, left = TopicNode(version=whole_number(document.get("version")) or 0), 0
    node.topic_id = told_id if isinstance(told_id, str) and is_topic_id(told_id) else ""
    for key, value in partitions.items():
        partition, ids = whole_number(key), _ids(value)
        if partition is None or ids is None:
            left += 1
            continue
        node.partition.append(partition)
        node.lengths.append(len(ids))
        node.replicas.extend(ids)
    faults = []
    if left:
        faults.append(
            f"holds {left:,} of {len(partitions):,} partitions that are not a number and a list of at most "
            f"{LIMITS.replicas:,} broker ids"
        )
    for name, lists in (("adding_replicas", node.adding), ("removing_replicas", node.removing)):
        told = document.get(name)
        for key, value in told.items() if isinstance(told, dict) else ():
            partition, ids = whole_number(key), _ids(value)
            if partition is not None and ids:
                lists[partition] = ids
        if told is not None and not isinstance(told, dict):
            faults.append(f"holds something other than an object as '{name}'")
    node.faults = tuple(faults)
    return node


def partition_state(data: bytes | None) -> PartitionState:
    """Read ``/brokers/topics/TOPIC/partitions/ID/state``."""
    if data is None or len(data) > LARGEST_NODE:
        return PartitionState(NOT_TOLD, None, fault=fault_of(data))
    try:
        told = _STATE.decode(data)
    except _NOT_JSON:
        return _picked_state(data)
    leader = NONE if told.leader == _LEADER_DURING_DELETE else told.leader
    isr = told.isr
    if len(isr) > LIMITS.replicas:
        return PartitionState(leader, None, told.leader_epoch, fault="holds an ISR of impossible length")
    return PartitionState(leader, isr, told.leader_epoch)


def _picked_state(data: bytes) -> PartitionState:
    document, fault = _document(data)
    if document is None:
        return PartitionState(NOT_TOLD, None, fault=fault)
    told = document.get("leader")
    leader, isr, epoch = whole_number(told), _ids(document.get("isr")), whole_number(document.get("leader_epoch"))
    if leader is None:
        leader = NONE if isinstance(told, int) and told in (NONE, _LEADER_DURING_DELETE) else NOT_TOLD
    wrong = [
        name
        for name, missing in (("leader", leader == NOT_TOLD), ("isr", isr is None), ("leader_epoch", epoch is None))
        if missing
    ]
    return PartitionState(
        leader,
        isr,
        NOT_TOLD if epoch is None else epoch,
        fault=f"does not have {' and '.join(wrong)} as numbers" if wrong else None,
    )


def broker_node(broker: int, data: bytes | None) -> Registration:
    """Read ``/brokers/ids/ID``, versions 1 to 5. The broker is alive whatever its node holds: it is ephemeral."""
    unknown = Broker(broker, state=BrokerState.ALIVE)
    document, fault = _document(data)
    if document is None:
        return Registration(unknown, faults=(fault,))
    faults = []
    rack, host, port = document.get("rack"), document.get("host"), whole_number(document.get("port"))
    if rack is not None and not isinstance(rack, str):
        faults.append("holds a rack that is not a text")
    elif isinstance(rack, str) and len(rack) > _LONG_RACK:
        faults.append(f"names a rack of {len(rack):,} characters")
    endpoints = document.get("endpoints")
    listed = tuple(e for e in endpoints if isinstance(e, str)) if isinstance(endpoints, list) else ()
    if not isinstance(host, str) or not host or port is None or not 0 < port < 65_536:
        # Where no listener is PLAINTEXT, Kafka writes null and -1, and the endpoints alone tell.
        host, port = first_endpoint(endpoints)
        if host is None:
            faults.append("names no endpoint, so that nobody can reach it")
    protocols = document.get("listener_security_protocol_map")
    return Registration(
        Broker(
            broker,
            rack=rack if isinstance(rack, str) and rack else None,
            host=host,
            port=port,
            state=BrokerState.ALIVE,
        ),
        listed,
        {name: value for name, value in protocols.items() if isinstance(value, str)}
        if isinstance(protocols, dict)
        else {},
        whole_number(document.get("version")) or 0,
        tuple(faults),
    )


def reassignment_node(data: bytes | None) -> tuple[dict[tuple[str, int], tuple[int, ...]], str | None]:
    """Read ``/admin/reassign_partitions``: target ids by (topic, partition), and what was not understood."""
    document, fault = _document(data)
    if document is None:
        return {}, fault
    partitions = document.get("partitions")
    if not isinstance(partitions, list):
        return {}, "holds no list 'partitions'"
    out: dict[tuple[str, int], tuple[int, ...]] = {}
    left = 0
    for entry in partitions:
        told = entry if isinstance(entry, dict) else {}
        topic, partition, ids = told.get("topic"), whole_number(told.get("partition")), _ids(told.get("replicas"))
        if isinstance(topic, str) and partition is not None and ids is not None:
            out[topic, partition] = tuple(ids)
        else:
            left += 1
    return out, f"holds {left:,} entries without topic, partition and replicas" if left else None


def config_node(data: bytes | None, wanted: Collection[str]) -> tuple[dict[str, str], str | None]:
    """Read ``/config/topics/TOPIC`` or ``/config/brokers/ID``: the values wanted, and what was not understood.

    Nothing but what is wanted leaves this function: a broker's node may hold its passwords.
    """
    document, fault = _document(data)
    if document is None:
        return {}, fault
    values = document.get("config")
    if not isinstance(values, dict):
        return {}, "holds no object 'config'"
    return {name: str(values[name]) for name in sorted(wanted) if name in values}, None


def whole_number(value: object) -> int | None:
    """An id, epoch or port: 0 to 2**31 - 1, as a number or as the digits of an object's key; else None."""
    if isinstance(value, str):
        # Only ASCII digits without leading zeros: the way in which Kafka writes a key, so that two are never equal.
        if not value.isascii() or not value.isdecimal() or len(value) > 10 or (value[0] == "0" and value != "0"):
            return None
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= LARGEST_ID:
        return None
    return value


def _ids(value: object) -> list[int] | None:
    if not isinstance(value, list) or len(value) > LIMITS.replicas:
        return None
    ids = [item for item in value if isinstance(item, int) and not isinstance(item, bool) and 0 <= item <= LARGEST_ID]
    return ids if len(ids) == len(value) else None


def fault_of(data: bytes | None) -> str:
    """Why a node that is no document is none, as the end of a sentence."""
    if not data:
        return "is empty: it is being created, or was only partly written"
    if len(data) > LARGEST_NODE:
        return f"has {len(data):,} bytes; {LARGEST_NODE:,} are read at most"
    return "is not JSON"


def document_of(data: bytes | None) -> dict[str, object] | None:
    """A node's JSON object, None where it is none."""
    return _document(data)[0]


def _document(data: bytes | None) -> tuple[dict[str, object] | None, str]:
    if not data or len(data) > LARGEST_NODE:
        return None, fault_of(data)
    try:
        document = msgspec.json.decode(data)
    except _NOT_JSON:
        return None, fault_of(data)
    return (document, "") if isinstance(document, dict) else (None, "is JSON, but not an object")
