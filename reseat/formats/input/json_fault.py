"""Says where and why a text is not JSON: it ends too early, or something in it does not belong there."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

import msgspec

from reseat.errors import InputRefused
from reseat.formats.input.shown import shown

__all__ = ["Fault", "each_once", "fault_of", "refusal"]

_AT = re.compile(r"\(byte (\d+)\)")
#: Characters shown of what was found.
_SHOWN = 30
#: Bytes up to which open brackets are counted.
_COUNTED = 10_000_000
_WHITE = b" \t\r\n"
_STRING_OR_BRACKET = re.compile(rb'"(?:[^"\\]|\\.)*+"?|[\[{\]}]', re.DOTALL)


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with a JSON document.

    Attributes:
        at: the byte at which it goes wrong; None where the document ends too early.
        what: what was expected there, in the parser's words.
    """

    at: int | None
    what: str


def fault_of(document: bytes | memoryview) -> Fault | None:
    """What is wrong with a document; None where it is JSON. Builds nothing: O(bytes), no memory."""
    end = len(document)
    while end and document[end - 1] in _WHITE:  # a line end behind a text that is cut belongs to no string
        end -= 1
    try:
        msgspec.json.decode(memoryview(document)[:end], type=msgspec.Raw)
    except msgspec.DecodeError as error:
        return _fault(error)
    return None


def _fault(error: msgspec.DecodeError) -> Fault:
    message = str(error)
    found = _AT.search(message)
    what = re.sub(r" - at .*|\(byte \d+\)", "", message.removeprefix("JSON is malformed: ")).strip().replace("`", "'")
    return Fault(None if "truncated" in message else int(found[1]) if found else 0, what)


def refusal(data: bytes, start: int, source: str, line: int, error: msgspec.DecodeError | None = None) -> InputRefused:
    """The refusal of a document that is not JSON.

    Args:
        data: the text.
        start: the document's first byte.
        source: what the text is called.
        line: 1-based line of the document's first byte.
        error: what a parser said of it or of a piece of it, where one has read it.
    """
    fault = fault_of(memoryview(data)[start:])
    if fault is None and error is not None:  # its brackets are right, a value in it is not
        return InputRefused(
            f"This is JSON, but damaged: {_fault(error).what}. Copy it again completely.", source=source, line=line
        )
    if fault is None or fault.at is None:
        end = len(data.rstrip())
        row, column = _place(data, start, end, line)
        still = _still_open(data[start:end]) if end - start <= _COUNTED else 0
        brackets = f" with {still:,} {'bracket' if still == 1 else 'brackets'} open" if still else ""
        return InputRefused(
            f"This JSON ends too early: it starts in line {line} and stops in line {row}, column {column}{brackets}. "
            "Was all of it copied?",
            source=source,
            line=row,
        )
    at = start + fault.at
    row, column = _place(data, start, at, line)
    near = data[at : at + _SHOWN].decode("utf-8", "replace").split("\n")[0]
    hint = ""
    if data[start : start + 400].count(b"'") > 1 and b'"' not in data[start : start + 400]:
        hint = " JSON needs double quotes around keys and strings; these are single quotes."
    return InputRefused(
        f"This is JSON, but damaged in line {row}, column {column}: "
        f"{fault.what}{f', found {near!r}' if near else ''}.{hint} Copy it again completely.",
        source=source,
        line=row,
    )


def _place(data: bytes, start: int, at: int, line: int) -> tuple[int, int]:
    """1-based line and column, counted in characters, of a byte of the document."""
    first = max(data.rfind(b"\n", 0, at) + 1, 0)
    return line + data.count(b"\n", start, at), len(data[first:at].decode("utf-8", "replace")) + 1


def _still_open(document: bytes) -> int:
    """Brackets without their partner."""
    depth = 0
    for found in _STRING_OR_BRACKET.finditer(document):
        depth += {b"{": 1, b"[": 1, b"}": -1, b"]": -1}.get(found[0], 0)
    return max(depth, 0)


def each_once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """An object of JSON (``object_pairs_hook``); decoders would take the last of two values of a key in silence.

    Raises:
        ValueError: a key stands twice.
    """
    told = dict(pairs)
    if len(told) < len(pairs):
        often = Counter(name for name, _ in pairs)
        raise ValueError(f"the key '{shown(next(name for name in often if often[name] > 1))}' stands twice")
    return told
