"""A value of a table or a figure as it is written for a person: the same in every writer."""

from __future__ import annotations

import math

from reseat.model.units import count, duration, money, number, size
from reseat.model.wording import visible
from reseat.report import palette
from reseat.report.content import Column, Light, Report, Table, Unit

__all__ = ["LIGHTS", "LIGHT_COLOURS", "about", "cell", "plain", "rest", "value"]

#: What a traffic light is called beside its colour; ``Chapter.rule`` uses the same words.
LIGHTS: dict[Light, str] = {Light.GREEN: "Green", Light.AMBER: "Amber", Light.RED: "Red"}
#: The colour beside that word.
LIGHT_COLOURS = {Light.GREEN: palette.FINE, Light.AMBER: palette.ATTENTION, Light.RED: palette.BROKEN}


def about(report: Report) -> tuple[str, ...]:
    """Who made a report and when, and of when the cluster's state is, with its age then."""
    made, read = report.made_at, report.read_at
    said = [plain(report.author)] if report.author else []
    said.append(f"Report of {made:%Y-%m-%d %H:%M} UTC")
    if read is None:
        said.append("Time of the cluster's state: unknown")
    else:
        age = (made - read).total_seconds()
        said.append(f"Cluster as of {read:%Y-%m-%d %H:%M} UTC" + (f", {duration(age)} before" if age >= 1 else ""))
    return tuple(said)


def plain(text: str) -> str:
    """A text as every format can hold it: what would hide, reorder or break it is U+FFFD; nothing is cut."""
    return visible(text, len(text) + 1)


def rest(table: Table, most: int | None = None) -> str | None:
    """Where the rows are that a person is not shown, of whom there is room for ``most``; None where all are shown."""
    shown = table.shown if most is None else min(table.shown, most)
    if len(table) <= shown:
        return None
    return f"{shown:,} of {len(table):,} rows are shown. The data file {table.slug}.csv has all of them."


def value(amount: float, unit: Unit | None) -> str:
    """An amount in its unit, without the unit's name where that stands elsewhere: "84 MB", "1,029", "12.5%"."""
    if math.isnan(amount):
        return "unknown"
    match unit:
        case "bytes":
            return size(amount)
        case "seconds":
            return duration(amount)
        case "share":
            return f"{100 * amount:.3g}%"
        case "money":
            return money(amount)
    return count(amount) if float(amount).is_integer() else number(amount)


def cell(column: Column, row: int) -> str:
    """One value of a column."""
    held = column.values[row]
    if held is None:
        return ""
    if isinstance(held, str):
        return held
    return value(float(held), column.unit) if column.unit is not None else str(held)
