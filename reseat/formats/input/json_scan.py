"""Looks at JSON as brackets, strings and commas, without building anything of it, so that what is built can be bound.

What it promises: memory for one chunk, whatever the text; brackets and commas within strings count for nothing.

How it works: chunk by chunk, numpy finds quotes that no backslash escapes; what lies between them is string; the
running sum of brackets outside strings is the depth.

Complexity: O(bytes), vectorised. Texts that are no JSON give depths that mean nothing; nothing is raised.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import msgspec
import numpy as np
import numpy.typing as npt

from reseat.errors import LimitMet
from reseat.formats.input.reading import Limits
from reseat.model import BoolArray, Longs

__all__ = ["Chunk", "check_values", "check_width", "deepest", "items", "scan", "value"]

#: Bytes that are looked at first, and then at once.
FIRST, CHUNK = 65_536, 1_000_000
_QUOTE, _COMMA, _BACKSLASH, _OPEN, _CLOSE, _LOWER = 34, 44, 92, 123, 125, 32


@dataclass(frozen=True, eq=False)
class Chunk:
    """Some of a text, brackets and depths as offsets into the whole text.

    Attributes:
        at: offset of its first byte.
        piece: (n,) its bytes.
        in_string: (n,) 1 where a byte belongs to a string.
        bracket: (b,) offsets of brackets outside strings.
        depth: (b,) how many are open after each.
        before: how many are open before the chunk.
    """

    at: int
    piece: npt.NDArray[np.uint8]
    in_string: npt.NDArray[np.uint8]
    bracket: Longs
    depth: Longs
    before: int

    def commas(self, depth: int) -> Longs:
        """Offsets of the commas outside strings with so many brackets open."""
        lowest, highest = (int(bound(self.depth, initial=self.before)) for bound in (np.min, np.max))
        if not lowest <= depth <= highest:
            return np.empty(0, np.int64)
        comma = np.flatnonzero((self.piece == _COMMA) & (self.in_string == 0)) + self.at
        open_then = np.append(self.depth, self.before)[np.searchsorted(self.bracket, comma) - 1]
        found: Longs = comma[open_then == depth]
        return found


def scan(data: bytes | memoryview, start: int = 0) -> Iterator[Chunk]:
    """A text chunk by chunk from one of its bytes on, which stands outside strings and brackets."""
    depth = inside = 0
    at = start
    while at < len(data):
        stop = min(len(data), at + (CHUNK if at > start else FIRST))
        while stop < len(data) and data[stop - 1] == _BACKSLASH:
            stop += 1  # an escape stays within its chunk
        piece = np.frombuffer(data, np.uint8, stop - at, at)
        backslash = piece == _BACKSLASH
        quotes = piece == _QUOTE
        if backslash.any():
            quotes &= ~_escaped(backslash)
        in_string = np.bitwise_xor.accumulate(quotes.view(np.uint8)) ^ np.uint8(inside)
        lower = piece | np.uint8(_LOWER)
        bracket = np.flatnonzero((lower == _OPEN) | (lower == _CLOSE))  # [ and { differ by one bit, so do ] and }
        bracket = bracket[in_string[bracket] == 0]
        depths = np.cumsum(np.where(lower[bracket] == _OPEN, 1, -1)) + depth
        yield Chunk(at, piece, in_string, bracket + at, depths, depth)
        if depths.size:
            depth = int(depths[-1])
        inside = int(in_string[-1])
        at = stop


def _escaped(backslash: BoolArray) -> BoolArray:
    """Bytes before which an odd number of backslashes stands."""
    index = np.arange(len(backslash))
    last_plain = np.maximum.accumulate(np.where(backslash, -1, index))
    run = np.zeros(len(backslash), np.int64)
    run[1:] = index[:-1] - last_plain[:-1]
    odd: BoolArray = run % 2 == 1
    return odd


def deepest(raw: bytes | memoryview) -> int:
    """How many brackets are open at once at most."""
    return max((int(chunk.depth.max(initial=0)) for chunk in scan(raw)), default=0)


def check_width(raw: bytes | memoryview, most: int, what: str, source: str, line: int | None = None) -> None:
    """Refuse a list or an object with too many items of its own, before an object is made of each.

    Args:
        raw: JSON.
        most: how many items are accepted.
        what: what they are, in words.
        source: the text's name.
        line: the line on which it stands.

    Raises:
        LimitMet: there are more.
    """
    if len(raw) // 2 <= most:  # an item and its comma take two bytes at least
        return
    width = 1 + sum(len(chunk.commas(1)) for chunk in scan(raw))
    if width > most:
        raise LimitMet(f"The JSON holds {width:,} {what}; {most:,} is the limit.", source=source, line=line)


def check_values(raw: bytes | memoryview, limits: Limits, source: str, line: int | None = None) -> None:
    """Refuse JSON that holds more values than may become objects at once.

    Raises:
        LimitMet: there are more than ``limits.values``.
    """
    # Commas, colons and brackets within strings count too: a bound is wanted, and to scan for them takes longer.
    if len(raw) > limits.values and sum(map(bytes(raw).count, (b",", b":", b"[", b"{"))) > limits.values:
        raise LimitMet(
            f"One value of the JSON holds more than {limits.values:,} values within; that is the limit. Give fewer "
            "topics at once.",
            source=source,
            line=line,
        )


def value(raw: bytes | memoryview | msgspec.Raw, limits: Limits, source: str, line: int | None = None) -> object:
    """A JSON value as Python objects.

    Raises:
        LimitMet: they would be more than ``limits.values``.
        msgspec.DecodeError: it is no JSON.
    """
    text = bytes(memoryview(raw))
    check_values(text, limits, source, line)
    decoded: object = msgspec.json.decode(text)
    return decoded


def items(
    raw: bytes | memoryview | msgspec.Raw, limits: Limits, source: str, line: int | None = None
) -> Iterator[object]:
    """The items of a JSON list one by one; only those of one chunk are objects at a time.

    Raises:
        LimitMet: one of them would be more than ``limits.values`` objects.
        msgspec.DecodeError: it is no JSON.
        TypeError: it is no list.
    """
    text = bytes(memoryview(raw)).strip()
    if text[:1] != b"[" or text[-1:] != b"]":
        raise TypeError
    done = 1
    for chunk in scan(text):
        cuts = chunk.commas(1)
        if cuts.size:
            yield from _decoded(text[done : int(cuts[-1])], limits, source, line)
            done = int(cuts[-1]) + 1
    yield from _decoded(text[done : len(text) - 1], limits, source, line)


def _decoded(inside: bytes, limits: Limits, source: str, line: int | None) -> list[object]:
    found = value(b"[" + inside + b"]", limits, source, line)
    return found if isinstance(found, list) else []
