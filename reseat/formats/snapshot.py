"""The snapshot file: one cluster at one moment as one JSON document that needs nothing beside it.

What it promises, in this order:

1. What is read back is what was written, field by field and column by column.
2. The same snapshot gives the same bytes.
3. A document of a newer version, or one that does not fit together, is refused in a sentence; nothing larger than the
   limits is allocated.
4. It holds no secret, because a ``Snapshot`` holds none.

What it needs: nothing but the text. docs/formats.md lists every field with its meaning and unit.

How it works: facts are plain JSON values under their own keys, a line each, the small ones first, so that ``head``
shows what cluster it is. The layout is three tables of columns (``reseat.formats.snapshot_columns``). Any change of
what a key means, and any new key, is a new version.

Example: ``read_snapshot(write_snapshot(snapshot)).layout == snapshot.layout``.

Complexity: O(bytes); no Python loop over partitions.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import fields, replace
from datetime import UTC, datetime
from typing import Annotated, Any, TypeVar

import msgspec
import numpy as np
import orjson

from reseat.errors import InputRefused, LayoutInvalid, LimitMet
from reseat.formats.assemble import check_brokers
from reseat.formats.json_fault import refusal
from reseat.formats.json_scan import check_values, check_width
from reseat.formats.reading import LIMITS, Limits, Reading
from reseat.formats.shown import fault
from reseat.formats.snapshot_columns import Unfit, layout_of, tables_of
from reseat.model import (
    NONE,
    Broker,
    BrokerState,
    ClusterLayout,
    Consistency,
    Finding,
    Gaps,
    LogDirectory,
    Original,
    Severity,
    ShortTopic,
    Snapshot,
)
from reseat.model.naming import id_in, is_topic_id
from reseat.model.snapshot import GAPS_BY_WAY
from reseat.model.wording import counted, listed, verb

__all__ = ["KIND", "MARK", "identity", "is_snapshot", "read_snapshot", "reading_of", "write_snapshot"]

#: The first key of a document, by which it is recognised; its value is the version.
MARK = "reseat_snapshot"
#: What a snapshot is called in messages.
KIND = "snapshot of Reseat"
#: The versions that are understood: 2 has topic ids and gaps. A snapshot that tells neither is written as 1.
_VERSIONS = (1, 2)
_HEAD = re.compile(rb'\s*\{\s*"' + MARK.encode() + rb'"\s*:')
_TABLES = ("topics", "partitions", "replicas")
#: Keys whose values are read piece by piece, or are one text.
_LONG = frozenset((*_TABLES, "original"))

_Value = TypeVar("_Value")
_Id = Annotated[int, msgspec.Meta(ge=0, le=2**31 - 1)]


class _Strict(msgspec.Struct, forbid_unknown_fields=True):
    pass


class _Broker(_Strict):
    id: _Id
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


class _Pending(_Strict):
    topic: str
    partition: _Id
    replicas: list[_Id]


class _Finding(_Strict):
    kind: str
    severity: Severity
    sentence: str
    rows: list[int]
    brokers: list[int]
    topics: list[str]
    places: list[str]


class _Original(_Strict):
    name: str
    text: str


class _ShortTopic(_Strict):
    topic: str
    partitions: Annotated[int, msgspec.Meta(ge=1)]
    missing: Annotated[int, msgspec.Meta(ge=1)]
    first: list[_Id]


class _Gaps(_Strict):
    racks_told: bool
    short: list[_ShortTopic]
    topics_declared: Annotated[int, msgspec.Meta(ge=0)]
    missing_topics: list[str]
    unread_rows: Annotated[int, msgspec.Meta(ge=0)]


class _Facts(_Strict):
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
    findings: list[_Finding]
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
    gaps: _Gaps | None = None


def is_snapshot(data: bytes) -> bool:
    """Whether a text begins as a snapshot does."""
    return _HEAD.match(data[:1_000]) is not None


# ---- writing -----------------------------------------------------------------------------------------------


def write_snapshot(snapshot: Snapshot) -> bytes:
    """A snapshot as one JSON document in UTF-8, ended by a line feed.

    Facts that are no JSON values become texts; lone surrogates, which UTF-8 cannot hold, become replacement marks.
    """
    ids, gaps = _ids_by_name(snapshot.layout), _gaps_to_tell(snapshot)
    lines: dict[str, object] = {
        MARK: 2 if ids or gaps is not None else 1,
        "cluster": snapshot.cluster,
        "cluster_id": snapshot.cluster_id,
        "taken_at": _moment(snapshot.taken_at),
        "way": snapshot.way,
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
            }
            for told in snapshot.log_dirs
        ],
    }
    if gaps is not None:
        lines["gaps"] = gaps
    original = snapshot.original
    parts = [
        *(_line(key, value) for key, value in lines.items()),
        *_layout(snapshot.layout),
        *([_line("topic_ids", ids)] if ids else []),
        # Last, as it may be long.
        _line("original", None if original is None else {"name": original.name, "text": original.text}),
    ]
    return b"{" + b",\n".join(parts) + b"}\n"


def _ids_by_name(layout: ClusterLayout) -> dict[str, str]:
    """Topic ids by name; beside the tables, whose columns earlier versions of Reseat know all of, or refuse."""
    return {name: told for name, told in zip(layout.topics, layout.topic_ids or (), strict=False) if told}


def _gaps_to_tell(snapshot: Snapshot) -> dict[str, object] | None:
    """What the way of reading does not say already; whether somebody accepted it is no fact of the cluster."""
    gaps, plain = replace(snapshot.layout.gaps, accepted=False), GAPS_BY_WAY.get(snapshot.way, Gaps())
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


def identity(snapshot: Snapshot) -> str:
    """32 hexadecimal digits that name what a snapshot says: which cluster, when, and who sits where.

    A snapshot that is delivered twice, under any file name, has one identity. How it was read, what was found while
    reading and the text it was made of are not in it, nor in which order a source that keeps none named replicas.
    """
    state = hashlib.blake2b(b"reseat snapshot 1\n", digest_size=16)
    for part in (
        _line("cluster", snapshot.cluster if snapshot.cluster is not None else snapshot.cluster_id),
        _line("taken_at", _moment(snapshot.taken_at)),
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


def _moment(when: datetime) -> str:
    """Always of one form, so that texts sort as the moments do."""
    utc = when.replace(tzinfo=UTC) if when.tzinfo is None else when.astimezone(UTC)
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


# ---- reading -----------------------------------------------------------------------------------------------


def read_snapshot(data: bytes | str, *, source: str = "snapshot", limits: Limits = LIMITS) -> Snapshot:
    """Read a snapshot file.

    Args:
        data: its content.
        source: the file's name.
        limits: what is accepted.

    Raises:
        InputRefused: it is no snapshot, of a newer version, cut off, or does not fit together; says where and why.
        LimitMet: it is larger than ``limits`` allow.
    """
    text = data.encode("utf-8", "replace") if isinstance(data, str) else data
    if len(text) > limits.megabytes * 1_000_000:
        raise LimitMet(f"The snapshot has {len(text) / 1e6:,.0f} MB; {limits.megabytes:,} MB is the limit.", source)
    try:
        told = _facts(text, source, limits)
        check_brokers(np.empty(0, np.int32), len(told.brokers), source, limits)
        brokers = [Broker(b.id, b.rack, b.host, b.port, b.state) for b in told.brokers]
        layout = layout_of(
            {name: getattr(told, name) for name in _TABLES},
            brokers,
            told.log_dir_paths,
            source=source,
            limits=limits,
        )
        if told.topic_ids:
            layout = replace(layout, topic_ids=_topic_ids(told.topic_ids, layout.topics))
        return _snapshot(told, layout, limits)
    except Unfit as error:
        raise InputRefused(f"This snapshot does not fit together: {error}", source=source, recognised=KIND) from error
    except LayoutInvalid as error:
        raise InputRefused(f"This snapshot does not make a layout: {error}", source=source, recognised=KIND) from error
    except msgspec.ValidationError as error:
        raise InputRefused(f"This snapshot cannot be read: {fault(error)}.", source=source, recognised=KIND) from error
    except msgspec.DecodeError as error:
        raise refusal(text, 0, source, 1, error) from error
    except UnicodeDecodeError as error:
        raise InputRefused("This snapshot is not UTF-8.", source=source, recognised=KIND) from error
    except RecursionError as error:
        raise LimitMet(f"JSON nested deeper than {limits.depth} levels; no snapshot is.", source=source) from error


def _facts(text: bytes, source: str, limits: Limits) -> _Facts:
    check_width(text, limits.keys, "keys", source)
    keys = msgspec.json.decode(text, type=dict[str, msgspec.Raw])
    if MARK not in keys:
        raise InputRefused(f"This is no snapshot of Reseat: it lacks the key '{MARK}'.", source=source)
    version = bytes(memoryview(keys[MARK]))
    if version not in [str(known).encode() for known in _VERSIONS]:
        raise InputRefused(
            f"This snapshot is of version {version[:20].decode('utf-8', 'replace')}, and this Reseat reads versions "
            f"{listed(_VERSIONS)}. Was it written by a newer one? Read it with that, or take it anew.",
            source=source,
            recognised=KIND,
        )
    for name, raw in keys.items():
        if name not in _LONG:
            check_values(memoryview(raw), limits, source)
    return msgspec.json.decode(_without_mark(text), type=_Facts)


def _without_mark(text: bytes) -> bytes:
    """The document without its first key, where that is the mark; it says nothing more."""
    found = re.match(rb"\s*\{\s*\"" + MARK.encode() + rb"\"\s*:\s*\d+\s*,", text[:1_000])
    return text if found is None else b"{" + text[found.end() :]


def _snapshot(told: _Facts, layout: ClusterLayout, limits: Limits) -> Snapshot:
    layout = replace(layout, gaps=GAPS_BY_WAY.get(told.way, Gaps()) if told.gaps is None else _gaps(told.gaps))
    return Snapshot(
        layout=layout,
        taken_at=_datetime(told.taken_at),
        way=told.way,
        cluster=told.cluster,
        cluster_id=told.cluster_id,
        controller=told.controller,
        metadata=told.metadata,
        version=told.version,
        findings=tuple(_as_finding(found, layout.partition_count) for found in told.findings),
        consistency=told.consistency,
        unsettled=tuple(told.unsettled),
        not_read=tuple(told.not_read),
        under_way_told=_under_way_told(told),
        broker_configs={_broker_id(broker): values for broker, values in told.broker_configs.items()},
        topic_configs=told.topic_configs,
        log_dirs=tuple(LogDirectory(d.broker, d.path, d.total_bytes, d.usable_bytes, d.error) for d in told.log_dirs),
        pending={(p.topic, p.partition): tuple(p.replicas) for p in told.pending},
        facts=_fact_values(told.facts, limits),
        original=None if told.original is None else Original(told.original.name, told.original.text),
    )


def _topic_ids(told: Mapping[str, str], topics: Sequence[str]) -> tuple[str, ...]:
    known = frozenset(topics)
    for name, given in told.items():
        if name not in known or not is_topic_id(given):
            raise Unfit(f"'topic_ids' tells {given[:60]!r} of topic {name[:60]!r}; the id of a topic was expected.")
    return tuple(told.get(name, "") for name in topics)


#: How readings begin the sentence, and how they began it when documents had no key for it.
_UNDER_WAY_UNKNOWN = (
    "Reassignments under way are unknown",
    "Reassignments under way are not told",  # a value of JSON
)


def _under_way_told(told: _Facts) -> bool:
    """Documents written before there was a key for it tell it in words alone."""
    if told.under_way_told is not None:
        return told.under_way_told
    return not any(sentence.startswith(_UNDER_WAY_UNKNOWN) for sentence in told.not_read)


def _gaps(told: _Gaps) -> Gaps:
    return Gaps(
        racks_told=told.racks_told,
        short=tuple(ShortTopic(one.topic, one.partitions, one.missing, tuple(one.first)) for one in told.short),
        topics_declared=told.topics_declared,
        missing_topics=tuple(told.missing_topics),
        unread_rows=told.unread_rows,
    )


def _datetime(text: str) -> datetime:
    try:
        when = datetime.fromisoformat(text)
        if when.tzinfo is not None:
            return when.astimezone(UTC)
    except (ValueError, OverflowError):  # none, or one that lies before the year 1 or after 9999 as UTC
        pass
    raise Unfit(f"'taken_at' is {text[:60]!r}; a time such as 2026-05-01T12:00:00.000000Z was expected.")


def _as_finding(found: _Finding, partitions: int) -> Finding:
    try:
        rows = np.array(found.rows, np.int64)
    except OverflowError:
        rows = np.array([partitions], np.int64)
    if rows.size and not 0 <= int(rows.min()) <= int(rows.max()) < partitions:
        raise Unfit(f"The finding {found.kind[:60]!r} is about a row that is none of the {partitions:,} partitions.")
    return Finding(
        kind=found.kind,
        severity=found.severity,
        sentence=found.sentence,
        rows=rows,
        brokers=tuple(found.brokers),
        topics=tuple(found.topics),
        places=tuple(found.places),
    )


def _broker_id(text: str) -> int:
    broker = id_in(text)
    if broker is None:
        raise Unfit(f"'broker_configs' names a broker {text[:20]!r}, which is no id.")
    return broker


def _fact_values(raw: msgspec.Raw, limits: Limits) -> dict[str, object]:
    values = msgspec.json.decode(raw, type=dict[str, object])
    return {key: _tuples(value, limits.depth) for key, value in values.items()}


def _tuples(value: object, depth: int) -> object:
    """Lists as tuples, as readers tell them."""
    if depth < 0:
        raise RecursionError
    if isinstance(value, list):
        return tuple(_tuples(item, depth - 1) for item in value)
    if isinstance(value, dict):
        return {key: _tuples(item, depth - 1) for key, item in value.items()}
    return value


# ---- as other texts are read -------------------------------------------------------------------------------


def reading_of(snapshot: Snapshot, *, source: str | None = None) -> Reading:
    """A snapshot as any text that was read, for all that starts from a ``Reading``.

    Args:
        snapshot: the snapshot.
        source: the file's name; None: the name by which the cluster is known.

    Returns:
        Its layout, its findings, one each for what was not read and for topics that changed while they were read, and
        as ``proposed`` what ``/admin/reassign_partitions`` asks for and is not there yet. The facts tell ``cluster``,
        ``cluster_id``, ``taken_at``, ``way``, ``controller``, ``metadata``, ``version`` and ``consistency``, as far as
        they are told, beside the snapshot's own.
    """
    told: dict[str, object] = {
        **snapshot.facts,
        "cluster": snapshot.cluster,
        "cluster_id": snapshot.cluster_id,
        "taken_at": _moment(snapshot.taken_at),
        "way": snapshot.way,
        "controller": snapshot.controller,
        "metadata": snapshot.metadata,
        "version": snapshot.version,
        "consistency": snapshot.consistency.value,
    }
    proposed: ClusterLayout | None = None
    if snapshot.pending:
        proposed = ClusterLayout.from_assignments(snapshot.pending, brokers=snapshot.layout.brokers)
    return Reading(
        layout=snapshot.layout,
        kind=KIND,
        source=source or snapshot.cluster or snapshot.cluster_id or "snapshot",
        proposed=proposed,
        findings=(*snapshot.findings, *_about_reading(snapshot)),
        facts={name: value for name, value in told.items() if value is not None},
    )


def _about_reading(snapshot: Snapshot) -> list[Finding]:
    told = {found.kind for found in snapshot.findings}
    out: list[Finding] = []
    if snapshot.unsettled and "unsettled" not in told:
        count = len(snapshot.unsettled)
        out.append(
            Finding(
                "unsettled",
                Severity.ATTENTION,
                f"{counted(count, 'topic')} changed while {verb(count, 'it was', 'they were')} read, and did not "
                f"settle: {listed(snapshot.unsettled)}. Read the cluster again before planning.",
                topics=snapshot.unsettled,
            )
        )
    if "not_read" not in told:
        out += [Finding("not_read", Severity.NOTE, sentence) for sentence in snapshot.not_read]
    return out
