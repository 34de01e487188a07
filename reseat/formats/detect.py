"""Tells what a JSON document is by its keys, without building it: large documents stay raw bytes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum

import msgspec

from reseat.formats import json_scan
from reseat.formats.json_fault import refusal
from reseat.formats.reading import Limits
from reseat.model.naming import LARGEST_ID

__all__ = ["Document", "DocumentKind", "document", "id_of", "ids_of"]

#: Bytes of a list that are looked at to tell what its first element is.
_PEEK = 4_000
#: Bytes up to which a document is checked as a whole at once.
_SMALL = 1_000_000
_OBJECT: msgspec.json.Decoder[dict[str, msgspec.Raw]] = msgspec.json.Decoder(dict[str, msgspec.Raw])


class DocumentKind(Enum):
    """What a JSON document is, in an operator's words."""

    REASSIGNMENT = "reassignment JSON"
    PREFERRED_ELECTION = "preferred-election JSON"
    TOPICS_TO_MOVE = "topics-to-move JSON"
    TOPIC_NODE = "ZooKeeper node of a topic"
    STATE_NODE = "ZooKeeper node of a partition's state"
    BROKER_NODE = "ZooKeeper node of a broker"
    CONTROLLER_NODE = "ZooKeeper node of the controller"
    CONFIG_NODE = "ZooKeeper node of a configuration"
    LOG_DIRS = "kafka-log-dirs --describe"
    KCAT = "kcat -L -J"
    CRUISE_CONTROL = "Cruise Control's kafka_cluster_state"
    RACKS = "racks JSON"
    SNAPSHOT = "snapshot of Reseat"
    REST_TOPIC = "a REST proxy's answer"
    UNKNOWN = "JSON that Reseat does not know"


@dataclass(frozen=True, eq=False)
class Document:
    """A JSON document of a paste.

    Attributes:
        kind: what it is.
        line: 1-based line it starts on.
        data: its bytes.
        keys: its top-level values, raw, where it is an object.
        limits: what is accepted.
        source: what the text is called.
    """

    kind: DocumentKind
    line: int
    data: bytes = field(repr=False)
    keys: dict[str, msgspec.Raw] = field(repr=False)
    limits: Limits = field(repr=False)
    source: str = "pasted text"

    def items(self, key: str) -> Iterator[object]:
        """The items of the list under a key one by one, none where it is absent or no list.

        Raises:
            InputRefused: it is damaged.
            LimitMet: an item holds too many values.
        """
        raw = self.keys.get(key)
        return iter(()) if raw is None else self.items_of(memoryview(raw))

    def items_of(self, raw: bytes | memoryview) -> Iterator[object]:
        """The same of a list that stands somewhere in it."""
        try:
            yield from json_scan.items(raw, self.limits, self.source, self.line)
        except TypeError:
            return
        except msgspec.DecodeError as error:
            raise refusal(self.data, 0, self.source, self.line, error) from error

    def inner(self, key: str) -> dict[str, memoryview]:
        """The values of the object under a key, raw; none where it is absent or no object."""
        raw = self.keys.get(key)
        if raw is None or bytes(memoryview(raw)[:1]) != b"{":
            return {}
        json_scan.check_width(memoryview(raw), self.limits.keys, "keys", self.source, self.line)
        try:
            return {name: memoryview(found) for name, found in _OBJECT.decode(raw).items()}
        except msgspec.DecodeError as error:
            raise refusal(self.data, 0, self.source, self.line, error) from error

    def value(self, key: str) -> object:
        """A top-level value, None where it is absent.

        Raises:
            InputRefused: it is damaged.
            LimitMet: it holds too many values.
        """
        raw = self.keys.get(key)
        try:
            return None if raw is None else json_scan.value(raw, self.limits, self.source, self.line)
        except msgspec.DecodeError as error:
            raise refusal(self.data, 0, self.source, self.line, error) from error


def document(data: bytes, line: int, source: str, limits: Limits) -> Document:
    """Tell what a document is.

    Raises:
        InputRefused: it is not JSON; names the line.
        LimitMet: it has too many keys.
    """
    json_scan.check_width(data, limits.keys, "keys", source, line)
    try:
        if len(data) < _SMALL:
            msgspec.json.decode(data)  # raw values are only skipped over below; large ones are checked when read
        keys: dict[str, msgspec.Raw] = {}
        if data[:1] == b"{":
            keys = msgspec.json.decode(data, type=dict[str, msgspec.Raw])
            return Document(_kind_of_object(keys), line, data, keys, limits, source)
        first = re.match(rb"\[\s*\{", data)
        looks_rest = first is not None and b'"replicas"' in data[:_PEEK] and b'"partition"' in data[:_PEEK]
        return Document(
            DocumentKind.REST_TOPIC if looks_rest else DocumentKind.UNKNOWN, line, data, keys, limits, source
        )
    except msgspec.DecodeError as error:
        raise refusal(data, 0, source, line, error) from error


def _kind_of_object(keys: dict[str, msgspec.Raw]) -> DocumentKind:
    names = keys.keys()
    if "reseat_snapshot" in names:
        return DocumentKind.SNAPSHOT
    if "KafkaPartitionState" in names or "KafkaBrokerState" in names:
        return DocumentKind.CRUISE_CONTROL
    if "partitions" in names:
        return _kind_of_partitions(keys)
    if "topics" in names:
        head = _head(keys["topics"])
        if b'"partitions"' in head or names & {"originating_broker", "brokers", "controllerid", "query"}:
            return DocumentKind.KCAT
        return DocumentKind.TOPICS_TO_MOVE
    if "brokers" in names and (b'"logDirs"' in _head(keys["brokers"]) or "version" in names):
        return DocumentKind.LOG_DIRS
    if "isr" in names and "leader" in names:
        return DocumentKind.STATE_NODE
    if "brokerid" in names:
        return DocumentKind.CONTROLLER_NODE
    if "config" in names:
        return DocumentKind.CONFIG_NODE
    if "endpoints" in names or {"host", "port"} <= names:
        return DocumentKind.BROKER_NODE
    if names and all(name.strip().isdecimal() for name in names):
        return DocumentKind.RACKS
    return DocumentKind.UNKNOWN


def _kind_of_partitions(keys: dict[str, msgspec.Raw]) -> DocumentKind:
    head = _head(keys["partitions"])
    if head.startswith(b"{"):
        return DocumentKind.TOPIC_NODE
    if keys.keys() & {"name", "topicName"} or b'"inSyncReplicas"' in head or b'"in_sync"' in head:
        return DocumentKind.REST_TOPIC
    if b'"replicas"' in head or re.match(rb"\[\s*\]", head):
        return DocumentKind.REASSIGNMENT
    if b'"topic"' in head and b'"partition"' in head:
        return DocumentKind.PREFERRED_ELECTION
    return DocumentKind.REASSIGNMENT if b'"topic"' in head else DocumentKind.UNKNOWN


def _head(raw: msgspec.Raw) -> bytes:
    return bytes(memoryview(raw)[:_PEEK])


def id_of(value: object) -> int | None:
    """A broker or partition id, None where the value is none."""
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= LARGEST_ID:
        return None
    return value


def ids_of(value: object) -> list[int] | None:
    """A list of ids, None where the value is none; ids may stand in ``{"id": 1}``, as kcat writes them."""
    if not isinstance(value, list):
        return None
    out = []
    for item in value:
        found = id_of(item.get("id") if isinstance(item, dict) else item)
        if found is None:
            return None
        out.append(found)
    return out
