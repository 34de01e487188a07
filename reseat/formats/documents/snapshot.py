"""The snapshot file: one cluster at one moment as one JSON document that needs nothing beside it.

What it promises, in this order:

1. What is read back is what was written, field by field and column by column.
2. The same snapshot gives the same bytes.
3. A document of a newer version, or one that does not fit together, is refused in a sentence; nothing larger than the
   limits is allocated.
4. It holds no secret, because a ``Snapshot`` holds none.

What it needs: nothing but the text. docs/formats.md lists every field with its meaning and unit; their kinds stand in
``snapshot_fields``, and ``snapshot_writer`` writes them.

How it works: facts are plain JSON values under their own keys, a line each, the small ones first, so that ``head``
shows what cluster it is. The layout is three tables of columns (``reseat.formats.documents.snapshot_columns``). Any
change of what a key means, and any new key, is a new version.

Example: ``read_snapshot(write_snapshot(snapshot)).layout == snapshot.layout``.

Complexity: O(bytes); no Python loop over partitions.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime

import msgspec
import numpy as np

from reseat.errors import InputRefused, LayoutInvalid, LimitMet
from reseat.formats.documents.snapshot_columns import Unfit, layout_of
from reseat.formats.documents.snapshot_fields import (
    KIND,
    LONG,
    MARK,
    TABLES,
    VERSIONS,
    Fields,
    FindingFields,
    GapsFields,
    QuorumFields,
)
from reseat.formats.documents.snapshot_writer import moment
from reseat.formats.input.json_fault import refusal
from reseat.formats.input.json_scan import check_values, check_width
from reseat.formats.input.reading import LIMITS, Limits, Reading
from reseat.formats.input.shown import fault
from reseat.formats.rows.bounds import check_broker_count
from reseat.model import (
    Broker,
    ClusterLayout,
    Finding,
    Gaps,
    LogDirectory,
    Original,
    Quorum,
    QuorumMember,
    Severity,
    ShortTopic,
    Snapshot,
)
from reseat.model.naming import id_in, is_topic_id
from reseat.model.snapshot import GAPS_BY_PROTOCOL, with_offline_dirs
from reseat.model.wording import counted, listed, verb

__all__ = ["read_snapshot", "reading_of"]


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
    if len(text) > limits.bytes:
        raise LimitMet(f"The snapshot has {len(text) / 1e6:,.0f} MB; {limits.megabytes:,} MB is the limit.", source)
    try:
        told = _facts(text, source, limits)
        check_broker_count(len(told.brokers), source, limits)
        brokers = [Broker(b.id, b.rack, b.host, b.port, b.state) for b in told.brokers]
        layout = layout_of(
            {name: getattr(told, name) for name in TABLES},
            brokers,
            told.log_dir_paths,
            source=source,
            limits=limits,
        )
        if told.topic_ids:
            layout = replace(layout, topic_ids=_topic_ids(told.topic_ids, layout.topics))
        return _snapshot(told, layout, limits)
    except Unfit as error:
        raise InputRefused(f"This snapshot is inconsistent: {error}", source=source) from error
    except LayoutInvalid as error:
        raise InputRefused(f"This snapshot is not a valid layout: {error}", source=source) from error
    except msgspec.ValidationError as error:
        raise InputRefused(f"This snapshot cannot be read: {fault(error)}.", source=source) from error
    except msgspec.DecodeError as error:
        raise refusal(text, 0, source, 1, error) from error
    except UnicodeDecodeError as error:
        raise InputRefused("This snapshot is not UTF-8.", source=source) from error
    except RecursionError as error:
        raise LimitMet(f"JSON nested deeper than {limits.depth} levels; no snapshot is.", source=source) from error


def _facts(text: bytes, source: str, limits: Limits) -> Fields:
    check_width(text, limits.keys, "keys", source)
    keys = msgspec.json.decode(text, type=dict[str, msgspec.Raw])
    if MARK not in keys:
        raise InputRefused(f"This is not a snapshot of Reseat: it lacks the key '{MARK}'.", source=source)
    version = bytes(memoryview(keys[MARK]))
    if version not in [str(known).encode() for known in VERSIONS]:
        raise InputRefused(
            f"This snapshot is of version {version[:20].decode('utf-8', 'replace')}, and this Reseat reads versions "
            f"{listed(VERSIONS)}. Was it written by a newer one? Read it with that, or take a new one.",
            source=source,
        )
    for name, raw in keys.items():
        if name not in LONG:
            check_values(memoryview(raw), limits, source)
    return msgspec.json.decode(_without_mark(text), type=Fields)


def _without_mark(text: bytes) -> bytes:
    """The document without its first key, where that is the mark; it says nothing more."""
    found = re.match(rb"\s*\{\s*\"" + MARK.encode() + rb"\"\s*:\s*\d+\s*,", text[:1_000])
    return text if found is None else b"{" + text[found.end() :]


def _snapshot(told: Fields, layout: ClusterLayout, limits: Limits) -> Snapshot:
    layout = replace(layout, gaps=GAPS_BY_PROTOCOL.get(told.way, Gaps()) if told.gaps is None else _gaps(told.gaps))
    log_dirs = tuple(
        LogDirectory(d.broker, d.path, d.total_bytes, d.usable_bytes, d.error, d.cordoned) for d in told.log_dirs
    )
    return Snapshot(
        layout=with_offline_dirs(layout, log_dirs),
        taken_at=_datetime(told.taken_at),
        protocol=told.way,
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
        log_dirs=log_dirs,
        pending={(p.topic, p.partition): tuple(p.replicas) for p in told.pending},
        facts=_fact_values(told.facts, limits),
        quorum=None if told.quorum is None else _quorum(told.quorum),
        original=None if told.original is None else Original(told.original.name, told.original.text),
    )


def _quorum(told: QuorumFields) -> Quorum:
    voters, observers = (
        tuple(QuorumMember(one.id, one.host, one.behind, one.behind_seconds) for one in some)
        for some in (told.voters, told.observers)
    )
    return Quorum(told.leader, voters, observers, told.dynamic)


def _topic_ids(told: Mapping[str, str], topics: Sequence[str]) -> tuple[str, ...]:
    known = frozenset(topics)
    for name, given in told.items():
        if name not in known or not is_topic_id(given):
            raise Unfit(f"'topic_ids' has {given[:60]!r} of topic {name[:60]!r}; the id of a topic was expected.")
    return tuple(told.get(name, "") for name in topics)


#: How readings begin the sentence, and how they began it when documents had no key for it.
_UNDER_WAY_UNKNOWN = (
    "Reassignments in progress are unknown",
    "Reassignments under way are unknown",  # a value of JSON
    "Reassignments under way are not told",  # a value of JSON
)


def _under_way_told(told: Fields) -> bool:
    """Documents written before there was a key for it tell it in words alone."""
    if told.under_way_told is not None:
        return told.under_way_told
    return not any(sentence.startswith(_UNDER_WAY_UNKNOWN) for sentence in told.not_read)


def _gaps(told: GapsFields) -> Gaps:
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


def _as_finding(found: FindingFields, partitions: int) -> Finding:
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
        raise Unfit(f"'broker_configs' names a broker {text[:20]!r}, which is not an id.")
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
        "taken_at": moment(snapshot.taken_at),
        "way": snapshot.protocol,
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
        quorum=snapshot.quorum,
        log_dirs=snapshot.log_dirs,
        tiering=snapshot.tiering,
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
    if unclean := snapshot.unclean_topics:
        may = f"An unclean leader election is enabled for {counted(len(unclean), 'topic')} ({listed(unclean)})"
        said = f"{may}: once no in-sync replica is left, another one leads, and what it lacks is lost."
        out.append(Finding("unclean_enabled", Severity.ATTENTION, said, topics=unclean))
    if throttled := snapshot.throttled_topics:
        still = f"A replication throttle is still set for {counted(len(throttled), 'topic')} ({listed(throttled)})"
        said = (
            f"{still}, and no reassignment is in progress: it limits normal replication, and replicas may not catch up."
        )
        out.append(Finding("throttle_left", Severity.ATTENTION, said, topics=throttled))
    if (off := snapshot.auto_rebalance_off) is None:
        said = (
            "auto.leader.rebalance.enable is false on the brokers. On KRaft that of the controllers counts, which is "
            "unknown: leaders may not return to their preferred replicas by themselves."
        )
        out.append(Finding("auto_rebalance_unknown", Severity.NOTE, said))
    elif off:
        said = "auto.leader.rebalance.enable is false: leaders do not return to their preferred replicas by themselves."
        out.append(Finding("auto_rebalance_off", Severity.NOTE, said))
    if "not_read" not in told:
        out += [Finding("not_read", Severity.NOTE, sentence) for sentence in snapshot.not_read]
    return out
