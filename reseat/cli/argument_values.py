"""Values that options of several commands take, as a person types them; each says what was expected instead."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from contextlib import suppress
from datetime import date
from typing import Any

from reseat.model.naming import LARGEST_ID
from reseat.model.rules import RULES
from reseat.model.units import bytes_in

__all__ = [
    "additions",
    "amount",
    "broker_id",
    "broker_ids",
    "count",
    "day",
    "factor",
    "log_directory",
    "pins",
    "positive",
    "price",
    "rate",
    "replacements",
    "rule_item",
    "seed",
    "whole",
    "words",
]

#: Seeds are 64-bit numbers in Java.
_LARGEST_SEED = 2**63
#: Rates are 64-bit numbers in Kafka.
_LARGEST_RATE = 2**63 - 1
#: More digits are no number of 64 bits.
_DIGITS = 25


def words(text: str) -> tuple[str, ...]:
    """Words separated by commas, at least one."""
    found = tuple(word.strip() for word in text.split(",") if word.strip())
    if not found:
        raise argparse.ArgumentTypeError("names separated by commas were expected")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise argparse.ArgumentTypeError(f"{text!r} has bytes that are no letters in this locale") from error
    return found


def broker_id(text: str) -> int:
    """One broker id."""
    return whole(text, "a broker id")


def broker_ids(text: str) -> tuple[int, ...]:
    """Broker ids separated by commas."""
    return tuple(broker_id(word) for word in words(text))


def log_directory(text: str) -> tuple[int, str]:
    """``ID:PATH``: a log directory of a broker."""
    broker, _, path = text.partition(":")
    if not path:
        raise argparse.ArgumentTypeError(f"{text!r}: a broker's id and a log directory were expected, as 3:/data/a")
    return broker_id(broker), path


def amount(text: str) -> int:
    """``500GB``: an amount of data."""
    try:
        return bytes_in(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def additions(text: str) -> tuple[tuple[int, str | None], ...]:
    """``ID[:RACK],...``: brokers, each with its rack if it has one."""
    out: list[tuple[int, str | None]] = []
    for word in words(text):
        broker, colon, rack = word.partition(":")
        if colon and not rack:
            raise argparse.ArgumentTypeError(f"{word!r} has no rack after the colon")
        out.append((broker_id(broker), rack or None))
    return tuple(out)


def pins(text: str) -> tuple[tuple[str, int | None], ...]:
    """``TOPIC[:PARTITION],...``: what keeps its replica lists."""
    return tuple(pin for word in words(text) for pin in rule_item("pin")(word))


def rule_item(name: str) -> Callable[[str], tuple[Any, ...]]:
    """One item of a rule of ``reseat.model.rules``, as its line writes it."""

    def read(text: str) -> tuple[Any, ...]:
        try:
            return (RULES[name].read(text),)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from error

    return read


def replacements(text: str) -> tuple[tuple[int, int, str | None], ...]:
    """``OLD:NEW[:RACK],...``: who takes whose place."""
    out: list[tuple[int, int, str | None]] = []
    for word in words(text):
        old, colon, rest = word.partition(":")
        if not colon:
            raise argparse.ArgumentTypeError(
                f"{word!r} does not say which broker takes its place: OLD:NEW was expected"
            )
        ((new, rack),) = additions(rest)
        out.append((broker_id(old), new, rack))
    return tuple(out)


def day(text: str) -> date:
    """``2026-12-31``: a day."""
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r} is not a day such as 2026-12-31") from error


def factor(text: str) -> int:
    """A replication factor, from 1."""
    return whole(text, "a replication factor", 1)


def count(text: str) -> int:
    """A number, from 0."""
    return whole(text, "a count")


def positive(text: str) -> int:
    """A number, from 1."""
    return whole(text, "a count", 1)


def seed(text: str) -> int:
    """A seed of 64 bits."""
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdecimal()) or not -_LARGEST_SEED <= int(text) < _LARGEST_SEED:
        raise argparse.ArgumentTypeError(f"{text!r} is not a seed: a whole number of 64 bits was expected")
    return int(text)


def rate(text: str) -> int:
    """Bytes a second, or a size (``50MB``); ``none``: 0, at which no run would end."""
    if text == "none":
        return 0
    with suppress(ValueError):
        if 1 <= (sized := bytes_in(text.removesuffix("/s"))) <= _LARGEST_RATE:
            return sized
    expected = "a whole number from 1, or a size such as 50MB, was expected"
    return whole(text, "bytes per second", 1, _LARGEST_RATE, expected)


def whole(text: str, what: str, least: int = 0, most: int = LARGEST_ID, expected: str = "") -> int:
    """A whole number.

    Args:
        text: as typed.
        what: what it is, for the message.
        least: the least that it may be.
        most: the most that it may be.
        expected: what was expected, for the message; else a whole number from ``least``.
    """
    # isdecimal() takes digits of every script; Kafka's numbers are ASCII.
    if not (text.isascii() and text.isdecimal() and len(text) < _DIGITS) or not least <= int(text) <= most:
        expected = expected or f"a whole number from {least} was expected"
        raise argparse.ArgumentTypeError(f"{text!r} is not {what}: {expected}")
    return int(text)


def price(text: str) -> float:
    """A price from 0, in whatever currency."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not (text.isascii() and math.isfinite(value) and 0 <= value < 1e9):
        raise argparse.ArgumentTypeError(f"{text!r} is not a price: a number from 0 was expected, such as 0.02")
    return value
