"""Text for a terminal: aligned tables, and values that are not told.

What cannot be written ends no command: what it found is in its exit code, and a run that it carries out goes on. From
then on its words go nowhere. That nobody reads on (``| head -1``) is no fault; a full disk is told at the end, by
``unwritten``.
"""

from __future__ import annotations

import io
import json
import os
import re
import sys
from collections.abc import Iterable, Sequence
from typing import IO, AnyStr, TextIO

from reseat.cli.output.terminal import painted, wiped
from reseat.model.wording import visible

__all__ = [
    "complain",
    "count_text",
    "more",
    "note_lines",
    "say",
    "table",
    "unwritten",
    "write_bytes",
    "write_json",
    "write_text",
]

_NOT_TOLD_TEXT = "unknown"
#: What a terminal obeys or reorders by. A name in a file could write over the answer; line ends are ours.
_COMMANDS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
#: Characters of a cell: a topic has 249 at most, a host 253.
_LONGEST = 260
_reason = ""


def say(*lines: str) -> bool:
    """Write lines to standard output; whether they could be written."""
    return _write(sys.stdout, lines)


def complain(*lines: str) -> None:
    """Write lines to standard error."""
    _write(sys.stderr, lines)


def _write(stream: TextIO, lines: Iterable[str]) -> bool:
    with wiped():
        plain = (_COMMANDS.sub("\ufffd", line) for line in lines)
        return _put(stream, "".join(f"{painted(line, stream)}\n" for line in plain))


def write_json(value: object) -> None:
    """Write a value as JSON to standard output, indented for a reader's eye."""
    write_text(json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n")


def write_text(text: str) -> None:
    """Write text to standard output as it is: in UTF-8, as files are, whatever letters a terminal has."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
    _put(sys.stdout, text)


def write_bytes(data: bytes) -> None:
    """Write bytes to standard output as they are."""
    _put(sys.stdout.buffer, data)


def _put(stream: IO[AnyStr], text: AnyStr) -> bool:
    """Write it at once: whoever follows a run through a pipe sees each sentence when it is said."""
    global _reason  # noqa: PLW0603 -- one a process, as standard output is
    try:
        stream.write(text)
        stream.flush()
    except OSError as error:
        if stream is not sys.stderr and not isinstance(error, BrokenPipeError):
            _reason = f"{error.strerror or error}"
        # What Python still holds of it goes there too, or it would complain as it ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        return False
    return True


def unwritten() -> str:
    """Why not all of standard output could be written, such as "No space left on device"; told once, empty: it was."""
    global _reason
    reason, _reason = _reason, ""
    return reason


def count_text(number: int | float | None) -> str:
    """A count with thousands separators, or that it is not told."""
    if number is None:
        return _NOT_TOLD_TEXT
    return f"{number:,}" if isinstance(number, int) else f"{number:,.1f}"


def more(count: int, listed: int) -> list[str]:
    """The line below a list that was cut; none where it was not."""
    return [f"  and {count - listed:,} more; --json lists all"] if count > listed else []


def note_lines(notes: Sequence[str]) -> list[str]:
    """What a person should know of the input, below the answer; none where there is nothing."""
    return ["", "Note", *(f"  {note}" for note in notes)] if notes else []


def table(head: Sequence[str], rows: Iterable[Sequence[str]], *, left: int = 1, indent: str = "  ") -> list[str]:
    """Lines of an aligned table; the first ``left`` columns stand left, the others right."""
    cells = [list(head), *([visible(cell, _LONGEST) for cell in row] for row in rows)]
    widths = [max(len(row[i]) for row in cells) for i in range(len(head))]
    return [
        indent
        + "  ".join(
            cell.ljust(width) if i < left else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in cells
    ]
