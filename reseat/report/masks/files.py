"""The key that masks names and the table that translates back, as files: for the page and for the commands alike."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable

from reseat.errors import InputRefused
from reseat.report.masks.names import KEY_BYTES

__all__ = ["key_file", "key_in", "names_file", "names_in"]

_COLUMNS = ("pseudonym", "kind", "name")
_FORM = "reseat-mask-key-1"
_LINE = re.compile(rf"{_FORM} ([0-9a-f]{{{2 * KEY_BYTES}}})\s*", re.ASCII)


def key_file(key: bytes) -> bytes:
    """The file that keeps a key."""
    return f"{_FORM} {key.hex()}\n".encode()


def key_in(data: bytes, source: str) -> bytes:
    """The key that a file keeps.

    Args:
        data: its bytes.
        source: what it is called.

    Raises:
        InputRefused: it is no key.
    """
    found = _LINE.fullmatch(data.decode("utf-8", "replace"))
    if found is None:
        raise InputRefused(
            f"This is not a key for masking: a line that begins with {_FORM} was expected. Where no key is given, one "
            "is made.",
            source=source,
        )
    return bytes.fromhex(found[1])


def names_file(names: Iterable[tuple[str, str, str]]) -> bytes:
    """What translates back, as CSV: names as they are, since this is read by programs and by nobody else.

    Args:
        names: (pseudonym, kind, name), as ``Masker.names`` has them.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(_COLUMNS)
    writer.writerows(names)
    return out.getvalue().encode("utf-8", "surrogatepass")


def names_in(data: bytes, source: str) -> list[tuple[str, str, str]]:
    """(pseudonym, kind, name) of a file that ``names_file`` made.

    Args:
        data: its bytes.
        source: what it is called.

    Raises:
        InputRefused: it is no such table, or a row of it is not whole.
    """
    try:
        text = data.decode("utf-8-sig", "surrogatepass")
    except UnicodeDecodeError as error:
        raise InputRefused("This table of pseudonyms is not UTF-8 text.", source=source) from error
    rows = csv.reader(io.StringIO(text, newline=""))
    try:
        if tuple(next(rows, ())) != _COLUMNS:
            raise InputRefused(
                f"This is not a table of pseudonyms: the columns {','.join(_COLUMNS)} were expected.", source=source
            )
        return [(pseudonym, kind, name) for pseudonym, kind, name in rows]
    except (csv.Error, ValueError) as error:
        raise InputRefused(
            f"Line {rows.line_num} is not a row of pseudonyms: {','.join(_COLUMNS)} were expected.", source=source
        ) from error
