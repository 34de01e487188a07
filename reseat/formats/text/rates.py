"""Reads at what rate topics are produced: CSV ``topic,bytes_per_second``."""

from __future__ import annotations

import csv
import io
import math

from reseat.errors import InputRefused
from reseat.formats.input.reading import LIMITS, Limits
from reseat.formats.rows.bounds import check_size
from reseat.model.wording import visible

__all__ = ["read_rates"]

_EXPECTED = '"topic,bytes_per_second" such as orders,3000000 was expected'


def read_rates(data: bytes, *, source: str = "rates", limits: Limits = LIMITS) -> dict[str, float]:
    """Bytes a second by topic, in the order told.

    One topic a line, divided by comma, semicolon or tab, with or without a header; a line that starts with ``#`` is a
    remark.

    Raises:
        InputRefused: a line is not understood, or a topic stands twice; with the line.
        LimitMet: the text is too large.
    """
    check_size(data, source, limits)
    try:
        plain = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputRefused("The text is not UTF-8.", source=source) from error
    rates: dict[str, float] = {}
    head = next((line for line in plain.splitlines() if line.strip() and not line.lstrip().startswith("#")), "")
    reader = csv.reader(io.StringIO(plain, newline=""), delimiter=max("\t;,", key=head.count), strict=True)
    try:
        for cells in reader:
            row = [cell.strip() for cell in cells]
            if not any(row) or row[0].startswith("#") or (not rates and row[0].lower() == "topic"):
                continue
            rate = _rate(row[1]) if len(row) == 2 else None
            if rate is None or not row[0]:
                shown = visible(",".join(row))
                raise InputRefused(f"{shown!r}: {_EXPECTED}.", source=source, line=reader.line_num)
            if row[0] in rates:
                twice = f"Topic {visible(row[0])} is listed twice."
                raise InputRefused(twice, source=source, line=reader.line_num)
            rates[row[0]] = rate
    except csv.Error as error:
        raise InputRefused(f"Not CSV: {error}.", source=source, line=reader.line_num) from error
    if not rates:
        raise InputRefused(f"No topic found; {_EXPECTED}.", source=source)
    return rates


def _rate(cell: str) -> float | None:
    """A number from 0, else None."""
    try:
        rate = float(cell)
    except ValueError:
        return None
    return rate if math.isfinite(rate) and rate >= 0 else None
