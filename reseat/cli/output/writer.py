"""Text for a terminal: aligned tables, and values that are not told."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from typing import TextIO

from reseat.cli.output.terminal import painted, wiped

__all__ = ["complain", "count_text", "say", "table", "write_json"]

NOT_TOLD_TEXT = "unknown"


def say(*lines: str) -> None:
    """Write lines to standard output."""
    _write(sys.stdout, lines)


def complain(*lines: str) -> None:
    """Write lines to standard error."""
    _write(sys.stderr, lines)


def _write(stream: TextIO, lines: Iterable[str]) -> None:
    with wiped():
        stream.write("".join(f"{painted(line, stream)}\n" for line in lines))


def write_json(value: object) -> None:
    """Write a value as JSON to standard output, indented for a reader's eye."""
    sys.stdout.write(json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n")


def count_text(number: int | float | None) -> str:
    """A count with thousands separators, or that it is not told."""
    if number is None:
        return NOT_TOLD_TEXT
    return f"{number:,}" if isinstance(number, int) else f"{number:,.1f}"


def table(head: Sequence[str], rows: Iterable[Sequence[str]], *, left: int = 1, indent: str = "  ") -> list[str]:
    """Lines of an aligned table; the first ``left`` columns stand left, the others right."""
    cells = [list(head), *(list(row) for row in rows)]
    widths = [max(len(row[i]) for row in cells) for i in range(len(head))]
    return [
        indent
        + "  ".join(
            cell.ljust(width) if i < left else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in cells
    ]
