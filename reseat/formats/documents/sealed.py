"""A plan that says what it was made for: the key ``reseat`` beside ``partitions``, which Kafka's tools ignore.

What it promises, in this order:

1. The same plan has the same hash, whatever the white space, the order of keys and of entries; anything else in the
   text (a replica, a log directory, a rack, a list from before) gives another. The hash guards against mistakes and
   edits by hand; it is no signature, and who means harm can make a new one.
2. A layout hash says of a whole layout what a plan depends on: the replica lists once everything under way is done,
   the ids of its brokers and their racks. Leaders, ISR, states, hosts, sizes and log directories are not in it, so
   that an ISR that flickers changes nothing, and ZooKeeper and the Admin protocol agree on one cluster.
3. Where the key does not fit the text the plan is refused in a sentence, or ``hash`` and ``told_hash`` differ.

Equal layout hashes prove that nothing changed that matters. Different ones prove nothing by themselves: a topic that
the plan does not touch, or the death of a broker (whose rack a ZooKeeper cluster then tells no longer), changes them
too. So the key also holds the lists and racks it was made for, and whoever carries the plan out compares those.

The key, version 1 (docs/formats.md says what each part means)::

    "reseat": {"version":1, "layout":FINGERPRINT, "hash":HASH, "before":[[1,2],...], "racks":{"1":"a","2":null},
               "leaving":[3], "shown":{"moves":12,...}, "topic_ids":{"orders":"GvM4aAsBTqaL1w2z9zH0Aw"}}

Example: ``read_sealed(write_reassignment(plan)).before`` are the plan's partitions as they were.

Complexity: O(bytes) to read and to write, O(P R) for a layout hash; no Python loop over partitions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, TypeAlias, TypeVar

import msgspec
import numpy as np
import orjson

from reseat.errors import InputRefused
from reseat.formats.documents.json_rows import document, entries, json_lists
from reseat.formats.documents.plan_text import plan_faults
from reseat.formats.documents.seal_hash import layout_hash, plan_hash
from reseat.formats.documents.sealed_lists import SealUnfit, before_lists
from reseat.formats.input.json_scan import check_values, check_width
from reseat.formats.input.reading import LIMITS, Limits
from reseat.formats.input.shown import fault
from reseat.formats.text.reassignment import SEAL_KEY, read_parts
from reseat.formats.text.reassignment_entries import Id
from reseat.model import NONE, Broker, ClusterLayout, IntArray, Longs, Plan
from reseat.model.arrays import newcomers, of_one_width
from reseat.model.naming import id_in
from reseat.model.wording import counted, listed, verb

__all__ = [
    "SealedPlan",
    "Shown",
    "inverse",
    "layout_hash",
    "leaving_in",
    "read_sealed",
    "seal",
    "seal_of",
    "seal_rollback",
    "topic_ids_in",
    "topic_ids_of",
]

#: The version of the key that is written, and the only one that is understood.
_VERSION = 1
#: Facts that ``shown`` may hold; Reseat writes four.
_MOST_SHOWN = 100
#: Findings of a reading for which a plan is refused though a layout is not, beside those of ``plan_faults``.
_ALSO_REFUSED = frozenset({"duplicate_replicas", "unknown_version"})

#: A single value of JSON.
Shown: TypeAlias = "int | float | str | bool | None"

_OBJECT: msgspec.json.Decoder[dict[str, msgspec.Raw]] = msgspec.json.Decoder(dict[str, msgspec.Raw])


class _Key(msgspec.Struct):
    """What the key holds beside ``before``, which is read piece by piece."""

    hash: Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{32}$")]
    racks: dict[str, str | None]
    leaving: list[Id]
    shown: dict[str, int | float | str | bool | None]
    layout: Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{32}$")] | None = None
    topic_ids: dict[str, Annotated[str, msgspec.Meta(pattern="^[A-Za-z0-9_-]{22}$")]] = {}


class _Ids(msgspec.Struct):
    """The topic ids alone."""

    topic_ids: dict[str, str] = {}


class _Leaving(msgspec.Struct):
    """The brokers that shall hold nothing, alone."""

    leaving: list[Id] = []


_Part = TypeVar("_Part", _Ids, _Leaving)


@dataclass(frozen=True, eq=False)
class SealedPlan:
    """A plan as its text tells it. The rows of ``proposed`` and ``before`` are the same partitions.

    Attributes:
        proposed: the partitions that change, with the lists that they shall have; brokers with the racks of the key.
        before: the same partitions with the lists that the plan was made for; None where the text has no key.
        racks: rack by broker id of the layout that the plan was made for, None where a broker has none or it was not
            told; None as a whole where the text has no key.
        leaving: ids of the brokers that shall hold nothing once it is carried out, ascending.
        layout_hash: of the whole layout that the plan was made for; None where it is not told.
        hash: of what the text says: partitions, lists, log directories and the key. 32 hexadecimal digits.
        told_hash: the hash that the key states, or None where the text has no key. Another than ``hash``: the text
            was changed after it was made.
        shown: what was shown when it was made: ``moves``, ``rack_violations_before``, ``rack_violations_after`` and
            ``rack_sum_of_squares``, as far as they were told.
        topic_ids: the ids of its topics when it was made, by name, as far as they were told (KIP-516, 2.8 and later): a
            topic that was deleted and made anew has another.
    """

    proposed: ClusterLayout
    before: ClusterLayout | None
    racks: Mapping[int, str | None] | None
    leaving: tuple[int, ...]
    layout_hash: str | None
    hash: str
    told_hash: str | None
    shown: Mapping[str, Shown] = field(default_factory=dict)
    topic_ids: Mapping[str, str] = field(default_factory=dict)

    @property
    def intact(self) -> bool:
        """Whether the text is as it was made: it states no hash, or its own."""
        return self.told_hash is None or self.told_hash == self.hash


def seal(plan: Plan, proposed: ClusterLayout | None = None) -> str:
    """The content of the key ``reseat`` for a plan, as compact JSON.

    Args:
        plan: the plan.
        proposed: its changed partitions with the log directories that the text names; None: it leaves them to the
            brokers (``any``), which says as much as none.
    """
    certificate = plan.certificate
    return seal_of(
        plan.proposed.select(plan.changed).bare() if proposed is None else proposed,
        plan.current.select(plan.changed),
        made_for=plan.current,
        leaving=plan.wish.remove,
        shown={
            "moves": certificate.moves,
            "rack_violations_before": certificate.rack_violations_before,
            "rack_violations_after": certificate.rack_violations_after,
            "rack_sum_of_squares": certificate.rack_sum_of_squares,
        },
    )


def seal_rollback(plan: Plan) -> str:
    """The content of the key ``reseat`` for the rollback of a plan: made for the layout once the plan is done."""
    before = plan.current.select(plan.changed)
    certificate = plan.certificate
    return seal_of(
        before if before.log_dir is not None else replace(before, log_dirs=()),
        plan.proposed.select(plan.changed),
        made_for=plan.proposed.with_brokers(plan.current.brokers),
        shown={
            "moves": _arrivals(plan.proposed.select(plan.changed).replica_ids, before.replica_ids),
            "rack_violations_before": certificate.rack_violations_after,
            "rack_violations_after": certificate.rack_violations_before,
        },
    )


def seal_of(
    proposed: ClusterLayout,
    before: ClusterLayout,
    *,
    made_for: ClusterLayout | None = None,
    leaving: tuple[int, ...] = (),
    shown: Mapping[str, Shown] | None = None,
) -> str:
    """The content of the key ``reseat`` for any two layouts of the same partitions, as compact JSON.

    Args:
        proposed: the partitions that change, with the lists that they shall have; its log directories are those that
            the text names.
        before: the same partitions, row by row, as they are.
        made_for: the whole layout that the plan was made for; None: its hash is not told, and the racks are
            those of ``before``.
        leaving: ids of the brokers that shall hold nothing afterwards.
        shown: what was shown; facts that are None are left out.
    """
    racks = {str(broker.id): broker.rack for broker in (before if made_for is None else made_for).brokers}
    content: dict[str, object] = {
        "version": _VERSION,
        "layout": None if made_for is None else layout_hash(made_for),
        "racks": racks,
        "leaving": sorted(leaving),
        "shown": {name: value for name, value in (shown or {}).items() if value is not None},
    }
    ids = topic_ids_of(before if made_for is None else made_for, proposed.topics)
    if ids:
        content["topic_ids"] = ids
    parts = {name: orjson.dumps(value).decode() for name, value in content.items()}
    parts["hash"] = f'"{plan_hash(proposed, before, content)}"'
    parts["before"] = json_lists(before.replica_ids)
    return (
        "{"
        + ",".join(
            f'"{name}":{parts[name]}'
            for name in ("version", "layout", "hash", "before", "racks", "leaving", "shown", "topic_ids")
            if name in parts
        )
        + "}"
    )


def read_sealed(text: str | bytes, *, source: str = "pasted plan", limits: Limits = LIMITS) -> SealedPlan:
    """Read a plan's text, with the key ``reseat`` or without.

    Args:
        text: reassignment JSON.
        source: the file's name, or what the text is called.
        limits: what is accepted.

    Raises:
        InputRefused: Kafka's tool would refuse it as a plan (no JSON, an entry that is no partition, a partition told
            twice, an empty list, log directories of another length); a broker stands twice in one list; the key
            cannot be understood, is of a newer version, or does not fit the partitions.
        LimitMet: it is larger, deeper or longer than ``limits`` allow.
    """
    try:
        data = text.encode() if isinstance(text, str) else text
    except UnicodeEncodeError as error:
        raise InputRefused("The text is not UTF-8.", source=source) from error
    told = read_parts(data, source=source, limits=limits)
    faults = [
        *plan_faults(told.reading),
        *(found.sentence for found in told.reading.findings if found.kind in _ALSO_REFUSED),
    ]
    if faults:
        raise InputRefused(faults[0], source=source, details=tuple(faults[1:]))
    proposed = told.reading.layout
    if told.seal is None:
        return SealedPlan(proposed, None, None, (), None, plan_hash(proposed, None, None), None)
    try:
        key, content, lists = _opened(told.seal, source, limits)
        before = before_lists(lists, told, source, limits)
        racks = {_broker_id(broker): rack for broker, rack in key.racks.items()}
        if len(racks) < len(key.racks) or len(key.shown) > _MOST_SHOWN:
            raise SealUnfit(
                "'racks' names a broker twice" if len(racks) < len(key.racks) else "'shown' has too many facts"
            )
    except (SealUnfit, msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InputRefused(
            f"The key '{SEAL_KEY}', which records what a plan was made for, is invalid: {fault(error)}. "
            "Was the text changed after it was made? Make a new plan; or delete the key, and the plan is validated "
            "against the cluster as it is when you confirm.",
            source=source,
        ) from error
    known = [Broker(broker, rack) for broker, rack in racks.items()]
    proposed = proposed.with_brokers(known)
    # The same brokers in both, so that positions mean the same.
    before = before.with_brokers(known).with_brokers(proposed.brokers)
    return SealedPlan(
        proposed=proposed.with_brokers(before.brokers),
        before=before,
        racks=racks,
        leaving=tuple(sorted(set(key.leaving))),
        layout_hash=key.layout,
        hash=plan_hash(proposed, before, content),
        told_hash=key.hash,
        shown=key.shown,
        topic_ids=key.topic_ids,
    )


def topic_ids_of(layout: ClusterLayout, topics: Iterable[str]) -> dict[str, str]:
    """The ids that a layout tells of these topics, by name."""
    told = layout.id_by_topic
    return {name: told[name] for name in topics if name in told}


def topic_ids_in(text: str) -> Mapping[str, str]:
    """The topic ids that a plan's text states, without reading its partitions; none where it has no key."""
    return _part(text, _Ids).topic_ids


def leaving_in(text: str) -> tuple[int, ...]:
    """The brokers that a plan's text says shall hold nothing, likewise: ids, ascending."""
    return tuple(sorted(_part(text, _Leaving).leaving))


def _part(text: str, what: type[_Part]) -> _Part:
    try:
        whole = _OBJECT.decode(text)
        return what() if SEAL_KEY not in whole else msgspec.json.decode(whole[SEAL_KEY], type=what)
    except msgspec.DecodeError:
        return what()


def inverse(plan: SealedPlan, now: ClusterLayout | None = None) -> str:
    """The text that takes a plan back: its partitions with the lists they had, sealed for the time after the plan.

    Args:
        plan: the plan.
        now: the layout before the plan is carried out; None: what the plan itself tells of it.

    Returns:
        Reassignment JSON with the key ``reseat``.

    Raises:
        InputRefused: neither tells the lists from before: the plan has no key and ``now`` is not given, or lacks a
            partition of the plan.
    """
    if now is None:
        if plan.before is None:
            raise InputRefused(
                "This plan cannot be rolled back: it does not say what it was made for, so the previous replica lists "
                f"are unknown (no key '{SEAL_KEY}')."
            )
        after, before, made_for = plan.proposed, plan.before, None
    else:
        settled = now.target()
        rows = _rows_in(settled, plan.proposed)
        before = settled.select(rows)
        made_for = _with_lists(settled, rows, plan.proposed)
        after = plan.proposed
    shown: dict[str, Shown] = {"moves": _arrivals(after.replica_ids, before.replica_ids)}
    for name, other in (("before", "after"), ("after", "before")):
        shown[f"rack_violations_{name}"] = plan.shown.get(f"rack_violations_{other}")
    proposed = before.bare()
    return document(entries(proposed), seal_of(proposed, after, made_for=made_for, shown=shown))


# ---- the key -----------------------------------------------------------------------------------------------


def _opened(seal_json: bytes, source: str, limits: Limits) -> tuple[_Key, dict[str, object], bytes]:
    """The key's content: as checked, as it stands (for the hash, without ``before``), and ``before`` as JSON."""
    check_width(seal_json, limits.keys, "keys", source)
    raw = _OBJECT.decode(seal_json)
    version = bytes(memoryview(raw["version"])) if "version" in raw else b"none"
    if version != str(_VERSION).encode():
        raise SealUnfit(
            f"its version is {version[:20].decode('utf-8', 'replace')}, and this Reseat understands {_VERSION}"
        )
    missing = [name for name in ("before", "hash", "leaving", "racks", "shown") if name not in raw]
    if missing:
        raise SealUnfit(f"it lacks {' and '.join(repr(name) for name in missing)}")
    lists = bytes(memoryview(raw.pop("before")))
    for value in raw.values():
        check_values(memoryview(value), limits, source)
    key = msgspec.convert({name: msgspec.json.decode(value) for name, value in raw.items()}, _Key)
    content: dict[str, object] = {name: msgspec.json.decode(value) for name, value in raw.items() if name != "hash"}
    return key, content, lists


def _broker_id(text: str) -> int:
    broker = id_in(text)
    if broker is None or str(broker) != text:
        raise SealUnfit(f"'racks' names a broker {text[:20]!r}, which is not an id")
    return broker


# ---- layouts -----------------------------------------------------------------------------------------------


def _rows_in(layout: ClusterLayout, of: ClusterLayout) -> Longs:
    """The rows of ``layout`` that are the partitions of ``of``, one each.

    Raises:
        InputRefused: one is missing; names it.
    """
    rows = layout.rows_of(of)
    gone = np.flatnonzero(rows == NONE)
    if gone.size:
        raise InputRefused(
            f"{counted(len(gone), 'partition')} of the plan {verb(len(gone), 'is', 'are')} not in the cluster: "
            f"{listed([*map(of.name_of, gone[:5].tolist()), *([f'{len(gone) - 5:,} more'] if len(gone) > 5 else [])])}."
        )
    return rows


def _with_lists(layout: ClusterLayout, rows: Longs, lists: ClusterLayout) -> ClusterLayout:
    """The lists of a layout, those of these rows replaced."""
    ids, new = of_one_width(layout.replica_ids, lists.replica_ids)
    ids = ids.copy()
    ids[rows] = new
    return ClusterLayout.from_columns(
        topics=layout.topics,
        topic_of=layout.topic_of,
        partition=layout.partition,
        replicas=ids,
        brokers=layout.brokers,
        topic_ids=layout.topic_ids,
    )


def _arrivals(before: IntArray, after: IntArray) -> int:
    """Replicas that come to a broker: in a list afterwards and not before; rows of both are the same partitions."""
    return int(np.count_nonzero(newcomers(before, after)))
