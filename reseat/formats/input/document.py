"""A JSON document of a paste, looked into key by key: a large one stays raw bytes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import msgspec

from reseat.formats.input import json_scan
from reseat.formats.input.json_fault import refusal
from reseat.formats.input.reading import Limits
from reseat.model import NONE, NOT_TOLD
from reseat.model.naming import LARGEST_ID

__all__ = ["Document", "document", "id_of", "ids_of", "leader_of"]

#: Bytes of a value that are looked at to tell what is in it.
_PEEK = 4_000
#: Bytes up to which a document is checked as a whole at once.
_SMALL = 1_000_000
_OBJECT: msgspec.json.Decoder[dict[str, msgspec.Raw]] = msgspec.json.Decoder(dict[str, msgspec.Raw])


@dataclass(frozen=True, eq=False)
class Document:
    """A JSON document of a paste.

    Attributes:
        line: 1-based line it starts on.
        data: its bytes.
        keys: its top-level values, raw, where it is an object.
        limits: what is accepted.
        source: what the text is called.
    """

    line: int
    data: bytes = field(repr=False)
    keys: dict[str, msgspec.Raw] = field(repr=False)
    limits: Limits = field(repr=False)
    source: str = "pasted text"

    def head(self, key: str | None = None) -> bytes:
        """How a top-level value begins, by which forms are told apart; of the document itself without a key."""
        raw = self.data if key is None else self.keys.get(key, b"")
        return bytes(memoryview(raw)[:_PEEK])

    def items(self, key: str) -> Iterator[object]:
        """The items of the list under a key one by one, none where it is absent or no list.

        Raises:
            InputRefused: it is damaged.
            LimitMet: an item holds too many values.
        """
        raw = self.keys.get(key)
        return iter(()) if raw is None else self.items_of(memoryview(raw))

    def items_of(self, raw: bytes | memoryview) -> Iterator[object]:
        """The same of a list that stands somewhere in it."""
        try:
            yield from json_scan.items(raw, self.limits, self.source, self.line)
        except TypeError:
            return
        except msgspec.DecodeError as error:
            raise refusal(self.data, 0, self.source, self.line, error) from error

    def inner(self, key: str) -> dict[str, memoryview]:
        """The values of the object under a key, raw; none where it is absent or no object."""
        raw = self.keys.get(key)
        if raw is None or bytes(memoryview(raw)[:1]) != b"{":
            return {}
        json_scan.check_width(memoryview(raw), self.limits.keys, "keys", self.source, self.line)
        try:
            return {name: memoryview(found) for name, found in _OBJECT.decode(raw).items()}
        except msgspec.DecodeError as error:
            raise refusal(self.data, 0, self.source, self.line, error) from error

    def value(self, key: str) -> object:
        """A top-level value, None where it is absent.

        Raises:
            InputRefused: it is damaged.
            LimitMet: it holds too many values.
        """
        raw = self.keys.get(key)
        try:
            return None if raw is None else json_scan.value(raw, self.limits, self.source, self.line)
        except msgspec.DecodeError as error:
            raise refusal(self.data, 0, self.source, self.line, error) from error


def document(data: bytes, line: int, source: str, limits: Limits) -> Document:
    """Read the outermost object, or nothing of a list.

    Raises:
        InputRefused: it is not JSON; names the line.
        LimitMet: it has too many keys.
    """
    json_scan.check_width(data, limits.keys, "keys", source, line)
    try:
        if len(data) < _SMALL:
            msgspec.json.decode(data)  # raw values are only skipped over below; large ones are checked when read
        return Document(line, data, _OBJECT.decode(data) if data[:1] == b"{" else {}, limits, source)
    except msgspec.DecodeError as error:
        raise refusal(data, 0, source, line, error) from error


def id_of(value: object) -> int | None:
    """A broker or partition id, None where the value is none."""
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= LARGEST_ID:
        return None
    return value


def leader_of(value: object) -> int:
    """A partition's leader: a broker id, ``NONE`` where -1 is told, ``NOT_TOLD`` where the value is neither."""
    known = id_of(value)
    return known if known is not None else NONE if value == NONE else NOT_TOLD


def ids_of(value: object) -> list[int] | None:
    """A list of ids, None where the value is none; ids may stand in ``{"id": 1}``, as kcat writes them."""
    if not isinstance(value, list):
        return None
    out = []
    for item in value:
        found = id_of(item.get("id") if isinstance(item, dict) else item)
        if found is None:
            return None
        out.append(found)
    return out
