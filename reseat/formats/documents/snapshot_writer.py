"""A snapshot as the text of its file, and the digits that name what it says."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Mapping, Set
from dataclasses import fields, replace
from datetime import datetime
from typing import Any

import numpy as np
import orjson

from reseat.formats.documents.snapshot_columns import tables_of
from reseat.formats.documents.snapshot_fields import MARK
from reseat.model import (
    NONE,
    ClusterLayout,
    Finding,
    Gaps,
    Quorum,
    QuorumMember,
    Snapshot,
)
from reseat.model.snapshot import GAPS_BY_PROTOCOL, in_utc

__all__ = ["identity", "moment", "write_snapshot"]


def write_snapshot(snapshot: Snapshot) -> bytes:
    """A snapshot as one JSON document in UTF-8, ended by a line feed.

    Facts that are no JSON values become texts; lone surrogates, which UTF-8 cannot hold, become replacement marks.
    """
    ids, gaps = snapshot.layout.id_by_topic, _gaps_to_tell(snapshot)
    third = any(told.cordoned is not None for told in snapshot.log_dirs) or bool(snapshot.layout.cordoned.any())
    third |= snapshot.quorum is not None
    lines: dict[str, object] = {
        MARK: 3 if third else 2 if ids or gaps is not None else 1,
        "cluster": snapshot.cluster,
        "cluster_id": snapshot.cluster_id,
        "taken_at": moment(snapshot.taken_at),
        "way": snapshot.protocol,
        "metadata": snapshot.metadata,
        "version": snapshot.version,
        "controller": snapshot.controller,
        "consistency": snapshot.consistency.value,
        "unsettled": list(snapshot.unsettled),
        "not_read": list(snapshot.not_read),
        # Said where it is not so; a document without the key reads as ever.
        **({} if snapshot.under_way_told else {"under_way_told": False}),
        "findings": [_finding(found) for found in snapshot.findings],
        "facts": _plain(dict(sorted(snapshot.facts.items()))),
        "broker_configs": {
            str(broker): dict(sorted(values.items())) for broker, values in sorted(snapshot.broker_configs.items())
        },
        "topic_configs": {
            topic: dict(sorted(values.items())) for topic, values in sorted(snapshot.topic_configs.items())
        },
        "pending": [
            {"topic": topic, "partition": partition, "replicas": list(replicas)}
            for (topic, partition), replicas in sorted(snapshot.pending.items())
        ],
        "log_dirs": [
            {
                "broker": told.broker,
                "path": told.path,
                "total_bytes": told.total_bytes,
                "usable_bytes": told.usable_bytes,
                "error": told.error,
                # Not said of a Kafka that knows none, as earlier versions of Reseat know no such key.
                **({} if told.cordoned is None else {"cordoned": told.cordoned}),
            }
            for told in snapshot.log_dirs
        ],
    }
    if gaps is not None:
        lines["gaps"] = gaps
    if snapshot.quorum is not None:
        lines["quorum"] = _quorum(snapshot.quorum)
    original = snapshot.original
    parts = [
        *(_line(key, value) for key, value in lines.items()),
        *_layout(snapshot.layout),
        # Beside the tables, whose columns earlier versions of Reseat know all of, or refuse.
        *([_line("topic_ids", ids)] if ids else []),
        # Last, as it may be long.
        _line("original", None if original is None else {"name": original.name, "text": original.text}),
    ]
    return b"{" + b",\n".join(parts) + b"}\n"


def _gaps_to_tell(snapshot: Snapshot) -> dict[str, object] | None:
    """What the way of reading does not say already; whether somebody accepted it is no fact of the cluster."""
    gaps, plain = replace(snapshot.layout.gaps, accepted=False), GAPS_BY_PROTOCOL.get(snapshot.protocol, Gaps())
    if not gaps.incomplete and (gaps.racks_told == plain.racks_told or not snapshot.layout.has_rackless):
        return None
    return {
        "racks_told": gaps.racks_told,
        "short": [
            {"topic": one.topic, "partitions": one.partitions, "missing": one.missing, "first": list(one.first)}
            for one in gaps.short
        ],
        "topics_declared": gaps.topics_declared,
        "missing_topics": list(gaps.missing_topics),
        "unread_rows": gaps.unread_rows,
    }


def _quorum(quorum: Quorum) -> dict[str, object]:
    def members(some: Iterable[QuorumMember]) -> list[dict[str, object]]:
        return [
            {"id": one.id, "host": one.host, "behind": one.behind, "behind_seconds": one.behind_seconds} for one in some
        ]

    return {
        "leader": quorum.leader,
        "dynamic": quorum.dynamic,
        "voters": members(quorum.voters),
        "observers": members(quorum.observers),
    }


def identity(snapshot: Snapshot) -> str:
    """32 hexadecimal digits that name what a snapshot says: which cluster, when, and who sits where.

    A snapshot that is delivered twice, under any file name, has one identity. How it was read, what was found while
    reading and the text it was made of are not in it, nor in which order a source that keeps none named replicas.
    """
    state = hashlib.blake2b(b"reseat snapshot 1\n", digest_size=16)
    for part in (
        _line("cluster", snapshot.cluster if snapshot.cluster is not None else snapshot.cluster_id),
        _line("taken_at", moment(snapshot.taken_at)),
        *_layout(_in_one_order(snapshot.layout)),
    ):
        state.update(part + b"\n")
    return state.hexdigest()


def _in_one_order(layout: ClusterLayout) -> ClusterLayout:
    """The same with the lists of topics that keep no order sorted by broker; itself where all keep theirs."""
    loose = ~layout.order_told[layout.topic_of]
    if not loose.any():
        return layout
    order = np.tile(np.arange(layout.replicas.shape[1]), (layout.partition_count, 1))
    brokers = layout.replicas[loose]
    order[loose] = np.argsort(np.where(brokers == NONE, len(layout.brokers), brokers), axis=1, kind="stable")
    wide: dict[str, Any] = {}
    for name in (one.name for one in fields(layout)):
        column = getattr(layout, name)
        if isinstance(column, np.ndarray) and column.ndim == 2:
            wide[name] = np.take_along_axis(column, order, axis=1)
    return replace(layout, **wide)


def _layout(layout: ClusterLayout) -> list[bytes]:
    brokers = [
        {"id": b.id, "rack": b.rack, "host": b.host, "port": b.port, "state": b.state.value} for b in layout.brokers
    ]
    tables = tables_of(layout)
    return [
        _line("brokers", brokers),
        _line("log_dir_paths", list(layout.log_dirs)),
        *(
            b'"' + name.encode() + b'":{\n' + b",\n".join(_line(key, value) for key, value in columns.items()) + b"}"
            for name, columns in tables.items()
        ),
    ]


def _line(key: str, value: object) -> bytes:
    try:
        text = orjson.dumps(value, option=orjson.OPT_SERIALIZE_NUMPY)
    except TypeError:  # a lone surrogate or a number of more than 64 bits, in what the outside world told
        text = orjson.dumps(_plain(value))
    return b'"' + key.encode() + b'":' + text


def moment(when: datetime) -> str:
    """Always of one form, so that texts sort as the moments do."""
    utc = in_utc(when)
    return f"{utc.year:04d}-{utc:%m-%dT%H:%M:%S.%fZ}"  # %Y has no leading zeros everywhere


def _finding(found: Finding) -> dict[str, object]:
    return {
        "kind": found.kind,
        "severity": found.severity.value,
        "sentence": found.sentence,
        "rows": np.ascontiguousarray(found.rows, np.int64),
        "brokers": [int(broker) for broker in found.brokers],
        "topics": list(found.topics),
        "places": list(found.places),
    }


def _plain(value: object) -> object:
    """A value that JSON can hold: keys are texts, tuples and sets lists, NaN and infinite numbers null."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode() if not value.isascii() else value
    if isinstance(value, np.generic):
        return _plain(value.item())
    if isinstance(value, int):
        return value if -(2**63) <= value < 2**64 else str(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(_plain(str(key))): _plain(item) for key, item in value.items()}
    if isinstance(value, Set):
        return [_plain(item) for item in sorted(value, key=str)]
    if isinstance(value, np.ndarray):
        return _plain(value.tolist())
    if isinstance(value, Iterable) and not isinstance(value, (bytes, bytearray)):
        return [_plain(item) for item in value]
    return str(value)
