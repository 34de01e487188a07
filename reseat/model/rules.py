"""The rules of a change that are lists: what each holds, how a person writes it, and how a document does.

Promises: ``RULES[name].read(RULES[name].line(item))`` is the item; what cannot be read is refused with what was
expected. One table, so that the command line, links, forms, change files and certificates write a rule alike.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, unquote

from reseat.model.naming import id_in
from reseat.model.units import bytes_in

__all__ = ["RULES", "Capacity", "Onto", "Rule"]

_RACK = "rack:"
#: What a line cannot hold in a rack's name: what separates places, lines and topics. It is written as in an address.
_APART = re.compile(r"[,=%]|[^\S ]|^ | $")


@dataclass(frozen=True, slots=True)
class Onto:
    """Topics that live on some brokers alone.

    Attributes:
        topics: names or patterns.
        brokers: ids.
        racks: racks of which any broker will do.
    """

    topics: tuple[str, ...]
    brokers: tuple[int, ...] = ()
    racks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Capacity:
    """The most that a broker may hold: replicas or bytes; who limits both has two of these.

    Attributes:
        broker: its id.
        replicas: how many replicas, or None.
        bytes: how many bytes, or None.
    """

    broker: int
    replicas: int | None = None
    bytes: int | None = None


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule.

    Attributes:
        said: the rule in a few words, before what it holds.
        line: an item as a person writes it.
        read: the item of such a line.
            Raises ``ValueError`` with what was expected.
        plain: the item as JSON.
        ordered: whether the order of items matters; else they ascend where they can.
    """

    said: str
    line: Callable[[Any], str]
    read: Callable[[str], Any]
    plain: Callable[[Any], object]
    ordered: bool = True

    def read_all(self, lines: Iterable[str]) -> tuple[Any, ...]:
        """The items of lines, each once.

        Raises:
            ValueError: a line says what was expected instead.
        """
        return self.each_once(self.read(line.strip()) for line in lines if line.strip())

    def each_once(self, items: Iterable[Any]) -> tuple[Any, ...]:
        """The items, each once."""
        found = dict.fromkeys(items)
        return tuple(found) if self.ordered else tuple(sorted(found))


def _broker(text: str) -> int:
    number = id_in(text.strip())
    if number is None:
        raise ValueError(f"'{text[:20]}' is not a broker id or a count.")
    return number


def _words(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(word.strip() for word in text.split(",") if word.strip()))


def _pin(text: str) -> tuple[str, int | None]:
    topic, colon, partition = text.partition(":")
    at = id_in(partition) if colon else None
    if not topic or (colon and at is None):
        raise ValueError(f"'{text[:60]}' is neither a topic to pin nor topic:partition.")
    return topic, at


def _onto(text: str) -> Onto:
    topics, sign, places = text.rpartition("=")
    names, where = _words(topics), _words(places)
    if not (sign and names and where):
        raise ValueError(f"'{text[:60]}' is not TOPIC,...=BROKER,... (or rack:RACK).")
    return Onto(
        names,
        tuple(sorted({_broker(one) for one in where if not one.startswith(_RACK)})),
        tuple(unquote(one.removeprefix(_RACK)) for one in where if one.startswith(_RACK)),
    )


def _onto_line(item: Onto) -> str:
    racks = (_APART.sub(lambda found: quote(found[0], safe=""), rack) for rack in item.racks)
    places = [*map(str, item.brokers), *(f"{_RACK}{rack}" for rack in racks)]
    return f"{','.join(item.topics)}={','.join(places)}"


def _apart(text: str) -> tuple[str, ...]:
    names = _words(text)
    if len(names) < 2:
        raise ValueError(f"'{text[:60]}' names fewer than two topics or patterns that are to share no broker.")
    return names


def _separator(text: str) -> str:
    if len(text) != 1 or text.isalnum() or text.isspace():
        raise ValueError(f"'{text[:20]}' is not one character that separates the levels of racks, such as /.")
    return text


def _capacity(text: str) -> Capacity:
    broker, sign, most = text.partition("=")
    if sign and id_in(most.strip()) is not None:
        return Capacity(_broker(broker), replicas=_broker(most))
    try:
        return Capacity(_broker(broker), bytes=bytes_in(most))
    except ValueError:
        raise ValueError(f"'{text[:40]}' is not BROKER=REPLICAS, or BROKER=SIZE such as 3=2TB.") from None


def _capacity_line(item: Capacity) -> str:
    return f"{item.broker}={item.replicas if item.bytes is None else f'{item.bytes}B'}"


def _told(**values: object) -> dict[str, object]:
    """What is there of these, lists for tuples."""
    return {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in values.items()
        if value not in (None, ())
    }


#: Every rule that is a list, by its name in ``Options``.
RULES: dict[str, Rule] = {
    "pin": Rule(
        "pinned",
        lambda pin: pin[0] if pin[1] is None else f"{pin[0]}:{pin[1]}",
        _pin,
        lambda pin: _told(topic=pin[0], partition=pin[1]),
    ),
    "never_leads": Rule("never leads", str, _broker, int, ordered=False),
    "never_onto": Rule("receives nothing", str, _broker, int, ordered=False),
    "leader_racks": Rule("leaders in", str, str, str),
    "rack_levels": Rule("racks in levels at", str, _separator, str, ordered=False),
    "only_onto": Rule(
        "only onto",
        _onto_line,
        _onto,
        lambda item: _told(topics=item.topics, brokers=item.brokers, racks=item.racks),
    ),
    "keep_apart": Rule("share no broker", ",".join, _apart, list),
    "capacity": Rule(
        "capacity",
        _capacity_line,
        _capacity,
        lambda item: _told(broker=item.broker, replicas=item.replicas, bytes=item.bytes),
    ),
}
