"""The keys of a snapshot file and what each may hold, its layout aside; docs/formats.md tells what they mean."""

from __future__ import annotations

import re
from typing import Annotated

import msgspec

from reseat.formats.text.reassignment_entries import Id
from reseat.model import (
    BrokerState,
    Consistency,
    Severity,
)

__all__ = [
    "KIND",
    "LONG",
    "MARK",
    "TABLES",
    "VERSIONS",
    "Fields",
    "FindingFields",
    "GapsFields",
    "QuorumFields",
    "is_snapshot",
]

#: The first key of a document, by which it is recognised; its value is the version.
MARK = "reseat_snapshot"
#: What a snapshot is called in messages.
KIND = "snapshot of Reseat"
#: The versions that are understood: 2 has topic ids and gaps, 3 cordons and a quorum. A snapshot is written as the
#: first that holds it.
VERSIONS = (1, 2, 3)
_HEAD = re.compile(rb'\s*\{\s*"' + MARK.encode() + rb'"\s*:')
#: The keys of the layout's tables.
TABLES = ("topics", "partitions", "replicas")
#: Keys whose values are read piece by piece, or are one text.
LONG = frozenset((*TABLES, "original"))


class _Strict(msgspec.Struct, forbid_unknown_fields=True):
    pass


class _Broker(_Strict):
    id: Id
    rack: str | None = None
    host: str | None = None
    port: int | None = None
    state: BrokerState = BrokerState.NOT_TOLD


class _LogDirectory(_Strict):
    broker: int
    path: str
    total_bytes: int | None = None
    usable_bytes: int | None = None
    error: str | None = None
    cordoned: bool | None = None


class _Pending(_Strict):
    topic: str
    partition: Id
    replicas: list[Id]


class FindingFields(_Strict):
    """A finding of the reading; ``rows`` are rows of the layout."""

    kind: str
    severity: Severity
    sentence: str
    rows: list[int]
    brokers: list[int]
    topics: list[str]
    places: list[str]


class QuorumMemberFields(_Strict):
    """One controller, or a broker that follows them."""

    id: Id
    host: str | None
    behind: int | None
    behind_seconds: float | None


class QuorumFields(_Strict):
    """The controllers of a KRaft cluster."""

    leader: int | None
    dynamic: bool | None
    voters: list[QuorumMemberFields]
    observers: list[QuorumMemberFields]


class _Original(_Strict):
    name: str
    text: str


class _ShortTopic(_Strict):
    topic: str
    partitions: Annotated[int, msgspec.Meta(ge=1)]
    missing: Annotated[int, msgspec.Meta(ge=1)]
    first: list[Id]


class GapsFields(_Strict):
    """What the source of the layout did not tell."""

    racks_told: bool
    short: list[_ShortTopic]
    topics_declared: Annotated[int, msgspec.Meta(ge=0)]
    missing_topics: list[str]
    unread_rows: Annotated[int, msgspec.Meta(ge=0)]


class Fields(_Strict):
    """Everything but the layout."""

    taken_at: str
    way: str
    cluster: str | None
    cluster_id: str | None
    controller: int | None
    metadata: str | None
    version: str | None
    consistency: Consistency
    unsettled: list[str]
    not_read: list[str]
    findings: list[FindingFields]
    broker_configs: dict[str, dict[str, str]]
    topic_configs: dict[str, dict[str, str]]
    log_dirs: list[_LogDirectory]
    pending: list[_Pending]
    facts: msgspec.Raw
    original: _Original | None
    brokers: list[_Broker]
    log_dir_paths: list[str]
    topics: msgspec.Raw
    partitions: msgspec.Raw
    replicas: msgspec.Raw
    topic_ids: dict[str, str] = {}
    under_way_told: bool | None = None
    gaps: GapsFields | None = None
    quorum: QuorumFields | None = None


def is_snapshot(data: bytes) -> bool:
    """Whether a text begins as a snapshot does."""
    return _HEAD.match(data[:1_000]) is not None
