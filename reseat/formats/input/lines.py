"""Lines of text with their numbers, and what to say of a line that is not used."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from reseat.formats.input.reading import Skipped
from reseat.model import Longs

__all__ = ["Block", "SkippedLines", "chunks", "unread", "why_not_used"]

#: What is kept of a skipped piece, in characters, and how many pieces are kept one by one.
_KEPT_CHARACTERS = 200
_KEPT_PIECES = 2_000
#: Characters of a line by which it is told what it is.
_TOLD_BY = 300
#: Bytes of text taken at once: large enough to amortise numpy, small enough to keep the fields' objects few.
CHUNK = 4_000_000
#: Where lines are shorter than this many bytes, a chunk is that many times smaller.
_DENSE = 16
#: Line ends before a chunk's end that are looked at for one where nothing goes on: a row is wrapped over four lines.
_LINES_BACK = 4


@dataclass(frozen=True)
class Block:
    r"""Lines of a text, joined by ``\n``, that keep the numbers they have in the whole text.

    Attributes:
        data: UTF-8, lines ended or joined by line feeds.
        first: 1-based number of the first line, where the lines follow each other.
        numbers: (lines,) their numbers, where lines between them are missing; None otherwise.
    """

    data: bytes
    first: int = 1
    numbers: Longs | None = None

    def number(self, index: int) -> int:
        """The 1-based number, in the whole text, of the block's line ``index`` (0-based)."""
        return self.first + index if self.numbers is None else int(self.numbers[index])

    def number_all(self, index: Longs) -> Longs:
        """``number`` of many lines."""
        return index + self.first if self.numbers is None else self.numbers[index]

    def lines(self) -> Iterator[tuple[int, str]]:
        """Number and text of every line that is not blank."""
        for index, raw in enumerate(self.data.split(b"\n")):
            if raw and not raw.isspace():
                yield self.number(index), raw.decode("utf-8", "replace")

    @classmethod
    def of(cls, lines: Iterable[tuple[int, str]]) -> Block:
        """A block of these numbered lines."""
        kept = list(lines)
        return cls(
            "\n".join(text for _, text in kept).encode("utf-8", "replace"),
            numbers=np.array([number for number, _ in kept], np.int64),
        )

    @property
    def is_empty(self) -> bool:
        """Whether the block holds nothing but white space."""
        return not self.data or self.data.isspace()


def chunks(data: bytes, begins: re.Pattern[bytes] | None = None) -> Iterator[tuple[bytes, int]]:
    """Pieces that end at a line end, with the index of their first line.

    Args:
        data: the text.
        begins: how a line begins that goes on from none above it; where one is near, a piece ends before it.
    """
    start, index = 0, 0
    while start < len(data):
        end = len(data)
        if end - start > CHUNK // _DENSE:
            size = CHUNK if data.count(b"\n", start, start + CHUNK) < CHUNK // _DENSE else CHUNK // _DENSE
            cut = data.rfind(b"\n", start, start + size)
            if begins is not None:
                cut = next((at for at in _line_ends(data, start, cut) if begins.match(data, at + 1)), cut)
            end = cut + 1 if cut > start else _after_newline(data, start + size)
        piece = data[start:end] if (start, end) != (0, len(data)) else data
        if not piece.isspace():
            yield piece, index
        index += piece.count(b"\n")
        start = end


def _line_ends(data: bytes, start: int, last: int) -> Iterator[int]:
    """The last line ends of a piece, from this one back."""
    for _ in range(_LINES_BACK):
        if last <= start:
            return
        yield last
        last = data.rfind(b"\n", start, last)


def _after_newline(data: bytes, start: int) -> int:
    found = data.find(b"\n", start)
    return len(data) if found < 0 else found + 1


class SkippedLines:
    """Gathers skipped pieces; neighbours that are skipped for the same reason become one piece."""

    def __init__(self) -> None:
        self._pieces: list[Skipped] = []
        self._further: Skipped | None = None

    def add(self, line: int, text: str, why: str, lines: int = 1) -> None:
        """Note that ``lines`` lines from ``line`` on are not used."""
        kept = text.strip()[:_KEPT_CHARACTERS]
        last = self._pieces[-1] if self._pieces else None
        if last is not None and last.why == why and last.line + last.lines == line:
            joined = last.text if len(last.text) >= _KEPT_CHARACTERS else f"{last.text}\n{kept}"[:_KEPT_CHARACTERS]
            self._pieces[-1] = Skipped(last.line, joined, why, last.lines + lines)
        elif len(self._pieces) < _KEPT_PIECES:
            self._pieces.append(Skipped(line, kept, why, lines))
        elif self._further is None:
            self._further = Skipped(line, kept, "Further pieces were skipped; this is the first of them.", lines)
        else:
            more = self._further
            self._further = Skipped(more.line, more.text, more.why, more.lines + lines)

    def extend(self, pieces: Iterable[Skipped]) -> None:
        """Add pieces skipped elsewhere."""
        for piece in pieces:
            self.add(piece.line, piece.text, piece.why, piece.lines)

    def result(self) -> tuple[Skipped, ...]:
        """All pieces, by line."""
        pieces = [*self._pieces, *([self._further] if self._further else [])]
        return tuple(sorted(pieces, key=lambda piece: piece.line))


_COMMANDS = (
    "kafka-[a-z-]+|kcat|kafkacat|rpk|ccloud|confluent|zookeeper-shell|zkCli|docker|kubectl|topicmappr|cat|curl|echo"
)
_REASONS: tuple[tuple[re.Pattern[str], str], ...] = (
    (
        re.compile(rf"(?:^|[$#>%;|\s])(?:\S*[/\\])?(?:{_COMMANDS})(?:\.sh|\.bat)?(?:\s|$)"),
        "Command prompt, not output.",
    ),
    (re.compile(r"\b(?:TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL)\b"), "Log line."),
    (re.compile(r"^\s*(?:```|~~~)"), "Markup of the page that the text was copied from."),
    (re.compile(r"^\s*(?:\.{2,}|…|<snip>|\[\.\.\.\])\s*$"), "Something was left out here."),
    (re.compile(r"^\s*(?:[=\-+|#*_]{3,}|==>|---)"), "Separator or heading."),
    (re.compile(r"^\s*(?:[$#>%]|\S*[\w\])~][$#>%])\s*$"), "Prompt."),
    (re.compile(r"^\s*(?:#|//)"), "Comment."),
    (re.compile(r"^\s*(?:Error|Exception|at [\w.$]+\(|Caused by)"), "Error message."),
)


#: What stands around the output in any paste, and tells nothing of a cluster.
_AROUND = frozenset(
    reason for _, reason in _REASONS if not reason.startswith(("Something was left out", "Error message"))
)


def unread(skipped: Iterable[Skipped]) -> int:
    """How many of the skipped lines may have told something: prompts, commands and the like did not."""
    return sum(piece.lines for piece in skipped if piece.why not in _AROUND)


def why_not_used(line: str) -> str:
    """One sentence that says why a line is not part of any layout."""
    head = line.strip()[:_TOLD_BY]
    for pattern, reason in _REASONS:
        if pattern.search(head):
            return reason
    return "Not recognised as any format that Reseat reads."
