"""Splits a paste into JSON documents and the text between them, in one pass, without parsing either.

What it promises, in this order: a document is given out whole or not at all; the depth limit holds before any
parser runs; a broken document never makes the pass slower than linear.

How it works: a document starts at a brace that opens a line, or that is followed by a key which one of the known
documents has; its end is where the depth of brackets outside strings comes back to 0
(``reseat.formats.input.json_scan``).

Complexity: O(bytes), about 0.6 s for 100 MB; a document that does not end costs one more pass, at most 8 times.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from reseat.errors import LimitMet
from reseat.formats.input.json_fault import fault_of
from reseat.formats.input.json_scan import scan
from reseat.formats.input.reading import Limits

__all__ = ["Piece", "split"]

#: Documents without an end that are tolerated before the rest is taken as text.
_UNCLOSED = 8
#: Braces that start no document after which the rest is taken as text; a million placement constraints have fewer.
_REFUSED = 10_000_000
#: A document on one line, up to this length, is taken by its line.
_SHORT = 4_000
_KEYS = (
    rb"version|partitions|topics|brokers|removing_replicas|adding_replicas|topic_id|controller_epoch|leader|"
    rb"leader_epoch|isr|listener_security_protocol_map|endpoints|jmx_port|host|port|timestamp|rack|features|"
    rb"originating_broker|query|controllerid|KafkaPartitionState|KafkaBrokerState|brokerid|topic|name"
)
_START = re.compile(rb'\{[ \t\n]*["}]|\[[ \t\n]*\{[ \t\n]*"')
_KNOWN = re.compile(rb'[\[{ \t\n]*"(?:' + _KEYS + rb')"')
_OPENING = b"{["
#: Deeper documents are left to the other way, which knows the limit.
_SHALLOW = 6


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a paste.

    Attributes:
        start: first byte.
        end: byte after the last.
        line: 1-based number of its first line.
        is_json: whether it is one JSON document, as far as brackets tell.
        is_cut: whether it is a JSON document that the end of the text cuts off.
        open: in a piece of text, the first byte of a JSON document in it that never ends, where there is one.
    """

    start: int
    end: int
    line: int
    is_json: bool = False
    is_cut: bool = False
    open: int | None = None


def split(data: bytes, source: str, limits: Limits) -> list[Piece]:
    """The pieces of a paste in order; text pieces of white space alone are left out.

    Raises:
        LimitMet: a document is nested deeper than the limit.
    """
    pieces: list[Piece] = []
    at, line = 0, 1
    opened: int | None = None
    for count, (start, end, whole) in enumerate(_documents(data, source, limits)):
        if count >= limits.documents:
            raise LimitMet(
                f"The paste holds more than {limits.documents:,} JSON documents; give fewer at once.",
                source=source,
                line=line,
            )
        if not whole and end < len(data):  # damaged within: text, in which further documents may stand
            opened = start if opened is None else opened
            continue
        if start > at and not data[at:start].isspace():
            pieces.append(Piece(at, start, line, False, open=opened))
        opened = None
        line += data.count(b"\n", at, start)
        pieces.append(Piece(start, end, line, whole, is_cut=not whole))
        line += data.count(b"\n", start, end)
        at = end
    if at < len(data) and not data[at:].isspace():
        pieces.append(Piece(at, len(data), line, False, open=opened))
    return pieces


def _documents(data: bytes, source: str, limits: Limits) -> Iterator[tuple[int, int, bool]]:
    """First byte, byte after the last, and whether it ends: one that does not reaches to its fault, or is cut off."""
    at, unclosed, refused = 0, 0, 0
    while unclosed < _UNCLOSED and refused < _REFUSED and (found := _START.search(data, at)) is not None:
        start = found.start()
        if not _may_start(data, start, found.end() - 1):
            at = found.end() - 1
            refused += 1
            continue
        end = _end_of_short(data, start, min(_SHALLOW, limits.depth)) or _end(data, start, source, limits)
        if end is None:
            fault = fault_of(memoryview(data)[start:])
            if fault is None or fault.at is None:
                yield start, len(data), False
                return
            yield start, min(start + fault.at, len(data) - 1), False
            unclosed += 1
            newline = data.find(b"\n", start)
            at = len(data) if newline < 0 else newline + 1
        else:
            yield start, end, True
            at = end


def _may_start(data: bytes, start: int, key: int) -> bool:
    """Whether a brace opens a document, and not a value within a line such as a placement constraint."""
    line = data.rfind(b"\n", max(0, start - 300), start) + 1
    ahead = data[max(line, start - 300) : start]
    before = ahead.rstrip(b" \t>#")
    if not before:
        return True
    if ahead[-1:] in b'=:,"[{' or before[-1:] == b"=":
        return False  # a value, or a piece of a broken document
    return _KNOWN.match(data, start) is not None and key > start


def _end_of_short(data: bytes, start: int, deepest: int) -> int | None:
    """The end of a document that is the rest of its line, as a ZooKeeper shell prints nodes; None if it is not."""
    stop = data.find(b"\n", start, start + _SHORT)
    line = data[start : stop if stop >= 0 else start + _SHORT].rstrip()
    if line[-1:] not in b"}]" or b"\\" in line or line.count(b'"') % 2:
        return None
    depth = 0
    brackets = re.sub(rb'"[^"]*"|[^{}\[\]]', b"", line)
    for place, bracket in enumerate(brackets, 1):
        depth += 1 if bracket in _OPENING else -1
        if depth == 0:
            return start + len(line) if place == len(brackets) else None
        if depth > deepest:
            return None
    return None


def _end(data: bytes, start: int, source: str, limits: Limits) -> int | None:
    """The byte after the document that starts at ``start``; None where it does not end."""
    for chunk in scan(data, start):
        closed = np.flatnonzero(chunk.depth == 0)
        within = chunk.depth[: closed[0]] if closed.size else chunk.depth
        if within.size and int(within.max()) > limits.depth:
            first = int(chunk.bracket[int(np.argmax(within > limits.depth))])
            raise LimitMet(
                f"JSON nested deeper than {limits.depth} levels; no layout is.",
                source=source,
                line=data.count(b"\n", 0, first) + 1,
            )
        if closed.size:
            return int(chunk.bracket[closed[0]]) + 1
    return None
