"""A change written down to be planned again: a change file, in JSON or TOML, or a plan's certificate.

Promises: nothing in the file is left aside, what is not known is refused by its name; topics and racks are found in the
layout, so that one file serves tomorrow's layout too. A certificate's wish comes back as it was.

Example:
    remove_rack = ["az-b"]
    pin = [{topic = "payments-*"}, {topic = "orders", partition = 3}]
"""

from __future__ import annotations

import json
import tomllib
from contextlib import suppress
from dataclasses import replace
from typing import Annotated

import msgspec

from reseat.errors import InputRefused
from reseat.formats.documents.certificate import PlanOptions, Positive, read_wish
from reseat.formats.input.decode import unmarked
from reseat.formats.input.json_fault import each_once, refusal
from reseat.formats.input.reading import LIMITS
from reseat.formats.input.shown import fault
from reseat.formats.rows.bounds import check_size
from reseat.formats.text.reassignment_entries import Id
from reseat.model import ClusterLayout, Wish
from reseat.model.aims import with_aims
from reseat.model.selection import broker_changes, topics_like

__all__ = ["read_wish_file"]


_Rack = Annotated[str, msgspec.Meta(min_length=1)]


class _Joins(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    broker: Id
    rack: _Rack | None = None


class _Takes(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    broker: Id
    by: Id
    rack: _Rack | None = None


class _File(PlanOptions, frozen=True, forbid_unknown_fields=True):
    remove: tuple[Id, ...] = ()
    remove_rack: tuple[str, ...] = ()
    add: tuple[_Joins, ...] = ()
    replace: tuple[_Takes, ...] = ()
    replication_factor: Positive | None = None
    topics: tuple[str, ...] = ()
    rebalance: bool = False
    mend_racks: bool = False
    leaders_only: bool = False
    mend: bool = False
    aims: tuple[str, ...] = ()
    point: Id | None = None


def read_wish_file(text: str | bytes, layout: ClusterLayout, *, source: str) -> Wish:
    """The change that a file asks for.

    Args:
        text: JSON or TOML.
        layout: what its topics and racks are names of.
        source: the file's name, for messages.

    Raises:
        InputRefused: it is neither, has a key twice, or has a key or a value that this Reseat does not know.
        WishRefused: a topic or a rack is not in the layout, two demands of one broker differ, or no change has its
            aims in this order.
        LimitMet: the text is too large.
    """
    data = unmarked(text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text)
    check_size(data, source, LIMITS)
    if not data.strip():
        raise InputRefused("The text is empty; a change file or a certificate was expected.", source=source)
    if data.lstrip()[:1] == b"{":
        told = _decoded_json(data, source)
        return read_wish(data, source=source) if told is None else _wish(told, layout)
    return _wish(_decoded_toml(data, source), layout)


def _decoded_json(data: bytes, source: str) -> _File | None:
    """The file; None where it is a certificate, which has its wish under a key."""
    try:
        plain = msgspec.json.decode(data)
        json.loads(data, object_pairs_hook=each_once, parse_int=str)
    except msgspec.DecodeError as error:
        raise refusal(data, 0, source, 1, error) from error
    except (ValueError, RecursionError) as error:
        raise InputRefused(f"A change file is JSON or TOML; as JSON: {fault(error)}.", source=source) from error
    return None if "wish" in plain else _checked(plain, source)


def _decoded_toml(data: bytes, source: str) -> _File:
    try:
        plain = tomllib.loads(data.decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        with suppress(msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return _checked(msgspec.json.decode(data), source)  # of JSON, what is no object
        raise InputRefused(f"A change file is JSON or TOML; as TOML: {fault(error)}.", source=source) from error
    return _checked(plain, source)


def _checked(plain: object, source: str) -> _File:
    try:
        return msgspec.convert(plain, _File)
    except msgspec.ValidationError as error:
        raise InputRefused(f"A change file says what to change; {fault(error)}.", source=source) from error


def _wish(told: _File, layout: ClusterLayout) -> Wish:
    brokers = broker_changes(
        layout,
        remove=told.remove,
        racks=told.remove_rack,
        add=((one.broker, one.rack) for one in told.add),
        replace=((one.broker, one.by, one.rack) for one in told.replace),
    )
    wish = replace(
        brokers,
        replication_factor=told.replication_factor,
        topics=topics_like(layout, told.topics),
        options=told.read(),
        point=told.point,
        rebalance=told.rebalance,
        mend_racks=told.mend_racks,
        leaders_only=told.leaders_only,
        mend=told.mend,
    )
    return with_aims(wish, told.aims)
