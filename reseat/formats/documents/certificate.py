"""Certificates as text: what is proven of a plan, and the change it was made for, which is read back whole.

Example: ``read_wish(write_certificate(plan.certificate))`` is ``plan.wish``: the same layout makes the same plan of it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Annotated, Any

import msgspec

from reseat.errors import InputRefused
from reseat.formats.input.json_fault import refusal
from reseat.formats.input.reading import LIMITS, Limits
from reseat.formats.input.shown import fault
from reseat.formats.rows.bounds import check_size
from reseat.formats.text.reassignment_entries import Id
from reseat.model import Certificate, Options, Wish
from reseat.model.naming import LARGEST_ID
from reseat.model.rules import RULES, Capacity, Onto

__all__ = ["PlanOptions", "Positive", "read_wish", "write_certificate"]

#: Ids of brokers, and counts, as a document may hold them.
Positive = Annotated[int, msgspec.Meta(ge=1, le=LARGEST_ID)]
_Bytes = Annotated[int, msgspec.Meta(ge=0, le=2**53 - 1)]


class _Added(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    broker: Id
    rack: str | None


class _Replaced(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    broker: Id
    by: Id


class _Pin(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    topic: str
    partition: Id | None = None


class _Onto(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    topics: list[str]
    brokers: list[Id] = []
    racks: list[str] = []

    def __post_init__(self) -> None:
        if not (self.topics and (self.brokers or self.racks)):
            raise ValueError("topics and brokers or racks were expected")

    def read(self) -> Onto:
        return Onto(
            tuple(dict.fromkeys(self.topics)), tuple(sorted(set(self.brokers))), tuple(dict.fromkeys(self.racks))
        )


class _Capacity(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    broker: Id
    replicas: Id | None = None
    bytes: _Bytes | None = None

    def __post_init__(self) -> None:
        if self.replicas is None and self.bytes is None:
            raise ValueError("replicas or bytes were expected")

    def read(self) -> Iterator[Capacity]:
        if self.replicas is not None:
            yield Capacity(self.broker, replicas=self.replicas)
        if self.bytes is not None:
            yield Capacity(self.broker, bytes=self.bytes)


class PlanOptions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How to plan, as it is written; what is not written has the default."""

    reorder_all: bool = False
    receive_cap: Id | None = None
    by_bytes: bool = False
    max_moves: Id | None = None
    keep_unmovable: bool = False
    pin: list[_Pin] = []
    never_leads: list[Id] = []
    never_onto: list[Id] = []
    leader_racks: list[str] = []
    keep_racks: bool = False
    only_onto: list[_Onto] = []
    keep_apart: list[list[str]] = []
    capacity: list[_Capacity] = []
    max_bytes: _Bytes | None = None
    even_topics: bool = False
    rack_levels: list[str] = []
    same_rack: bool = False

    def __post_init__(self) -> None:
        for name in ("keep_apart", "rack_levels"):
            for item in getattr(self, name):
                RULES[name].read(RULES[name].line(item))

    def read(self) -> Options:
        """The options of a wish; each item of a rule once, in their order."""
        plain = {name: getattr(self, name) for name in PlanOptions.__struct_fields__}
        rules: dict[str, Iterable[Any]] = {
            **{name: plain[name] for name in RULES},
            "pin": [(one.topic, one.partition) for one in self.pin],
            "only_onto": [one.read() for one in self.only_onto],
            "keep_apart": [tuple(dict.fromkeys(one)) for one in self.keep_apart],
            "capacity": [most for one in self.capacity for most in one.read()],
        }
        return Options(**plain | {name: RULES[name].each_once(items) for name, items in rules.items()})


class _Wish(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a certificate says was wished; those of before options were written have the defaults."""

    remove: list[Id]
    add: list[_Added]
    replication_factor: Positive | None
    topics: list[str]
    options: PlanOptions = PlanOptions()
    point: Id | None = None
    replace: list[_Replaced] = []
    rebalance: bool = False
    mend_racks: bool = False
    leaders_only: bool = False
    mend: bool = False


class _Certificate(msgspec.Struct, frozen=True):
    wish: _Wish


_CERTIFICATE: msgspec.json.Decoder[_Certificate] = msgspec.json.Decoder(_Certificate)


def write_certificate(certificate: Certificate) -> str:
    """A certificate as JSON, keys in the order of the class."""
    return json.dumps(certificate.as_dict(), indent=2)


def read_wish(text: str | bytes, *, source: str = "certificate", limits: Limits = LIMITS) -> Wish:
    """The change that a certificate was made for, with every option and the point of the curve.

    Args:
        text: a certificate, as ``write_certificate`` writes it; of the other keys nothing is asked.
        source: the file's name, for messages.
        limits: what is accepted.

    Raises:
        InputRefused: it is no JSON, has no change, or the change has a key or value that this Reseat does not know:
            nothing of it is left aside.
        LimitMet: the text is too large.
    """
    data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    check_size(data, source, limits)
    if not data.strip():
        raise InputRefused("The text is empty; a certificate of Reseat was expected.", source=source)
    try:
        told = _CERTIFICATE.decode(data).wish
    except (msgspec.ValidationError, UnicodeDecodeError, RecursionError) as error:
        raise InputRefused(
            f"A certificate says in its key 'wish' what was changed; {fault(error)}.", source=source
        ) from error
    except msgspec.DecodeError as error:
        raise refusal(data, 0, source, 1, error) from error
    racks: dict[int, str | None] = {}
    for one in told.add:
        if racks.setdefault(one.broker, one.rack) != one.rack:
            raise InputRefused(f"Broker {one.broker} is added twice, with different racks.", source=source)
    return Wish(
        remove=tuple(sorted(set(told.remove))),
        add=tuple(sorted(racks.items(), key=lambda pair: pair[0])),
        replication_factor=told.replication_factor,
        topics=tuple(dict.fromkeys(told.topics)),
        options=told.options.read(),
        point=told.point,
        replace=tuple(sorted({one.broker: one.by for one in told.replace}.items())),
        rebalance=told.rebalance,
        mend_racks=told.mend_racks,
        leaders_only=told.leaders_only,
        mend=told.mend,
    )
