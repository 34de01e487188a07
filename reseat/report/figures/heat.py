"""A grid of brokers by topics as a picture of its cells, racks as runs at its side, the scale beside it."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt

from reseat.model import FloatArray
from reseat.report import palette
from reseat.report.content import Heat
from reseat.report.figures.bars import rack_colours, runs
from reseat.report.figures.sheet import SMALL, WIDE, CellGrid, Hit, Sheet, Texts, fitted, width
from reseat.report.shown import value

__all__ = ["draw", "words_of"]

#: Up to so many cells, each tells its own words when hovered; beyond, a script looks the cell up.
CELLS = 600
_INK = palette.LIGHT


def draw(figure: Heat, texts: Texts, wide: float = WIDE) -> Sheet:
    """The figure on a sheet so wide, points, and as high as its rows ask for."""
    high, many = figure.values.shape
    tall = min(max(9.0 * high, 110.0), 330.0)
    legible = tall / max(high, 1) >= SMALL
    rows = [fitted(name, 70) for name in figure.rows] if legible or high <= 400 else list(figure.rows)
    every = max(1, int(np.ceil((SMALL + 1) / (tall / max(high, 1)))))
    shown_rows = range(0, high, every)
    beside = max((width(rows[place]) for place in shown_rows), default=0)
    left = 10 + beside + (22 if figure.groups is not None else 4)
    right = wide - 22 - max(width(value(figure.top, figure.unit)) + (6 if figure.signed else 0), 20)
    step = (right - left) / max(many, 1)
    named = step >= SMALL + 0.5
    columns = [fitted(name, 64) for name in figure.columns] if named else []
    below = max((width(name) for name in columns), default=0)
    floor = below + 24
    sheet = Sheet(wide, floor + tall + 8, texts)
    ceiling = floor + tall
    sheet.box(left, floor, right, ceiling, colour=_INK.faint)
    if high and many:
        sheet.image(_colours(figure.values, figure.top, signed=figure.signed), left, floor, right, ceiling)
    sheet.grid = CellGrid(left, floor, right, ceiling, high, many)
    _rows(sheet, figure, {place: rows[place] for place in shown_rows}, sheet.grid)
    for place, name in enumerate(columns):
        sheet.say(left + step * (place + 0.5) + SMALL / 3, floor - 4, name, across="right", turned=90)
    caption = figure.column_name if named else f"{figure.column_name}: {many:,} columns"
    sheet.say((left + right) / 2, 7, caption, across="center", up="center")
    _scale(sheet, figure, right + 8, floor, ceiling)
    if high * many <= CELLS:
        down = tall / max(high, 1)
        sheet.hits += [
            Hit(
                left + step * column,
                ceiling - down * (row + 1),
                left + step * (column + 1),
                ceiling - down * row,
                words_of(figure, row, column),
            )
            for row in range(high)
            for column in range(many)
        ]
    return sheet


def words_of(figure: Heat, row: int, column: int) -> str:
    """What a cell tells: "broker 7, rack az-c, topic orders: 12 replicas"."""
    rack = None if figure.groups is None else figure.groups[row]
    where = "" if rack is None else f", rack {rack}"
    amount = float(figure.values[row, column])
    sign = "+" if figure.signed and amount > 0 else ""
    unit = "" if figure.unit in {"bytes", "seconds", "share", "money"} else f" {figure.unit}"
    told = value(amount, figure.unit)
    return f"broker {figure.rows[row]}{where}, {figure.column_name} {figure.columns[column]}: {sign}{told}{unit}"


def _rows(sheet: Sheet, figure: Heat, names: dict[int, str], grid: CellGrid) -> None:
    """The names of some rows, and the racks of all."""
    ceiling, down = grid.top, (grid.top - grid.bottom) / max(grid.rows, 1)
    for place, name in names.items():
        sheet.say(grid.left - 4, ceiling - down * (place + 0.5), name, across="right", up="center")
    if figure.groups is None:
        return
    colours = rack_colours(figure.groups, figure.racks)
    for rack, first, past in runs(figure.groups):
        over, under = ceiling - down * first - 0.5, ceiling - down * past + 0.5
        colour, hatch = colours[rack]
        sheet.box(14, under, 17, max(over, under + 0.3), colour=colour, hatch=hatch)
        name = fitted(rack if rack is not None else "unknown", over - under, 8)
        if width(name, 8) <= over - under + 2:
            sheet.say(7, (over + under) / 2, name, across="center", up="center", turned=90, size=8)


def _scale(sheet: Sheet, figure: Heat, left: float, floor: float, ceiling: float) -> None:
    """The colours' meaning: a slim strip with its ends and, for differences, its middle."""
    bottom = max(floor, ceiling - 110)
    strip = np.linspace(1, -1 if figure.signed else 0, 64)[:, None] * figure.top
    sheet.image(_colours(strip, figure.top, signed=figure.signed), left, bottom, left + 7, ceiling)
    ends = [(ceiling - 4, figure.top, "+" if figure.signed else "")]
    ends += [((bottom + ceiling) / 2, 0.0, "")] if figure.signed else []
    ends.append((bottom + 4, -figure.top if figure.signed else 0.0, ""))
    for y, amount, sign in ends:
        sheet.say(left + 10, y, sign + value(amount, figure.unit).replace("-", "\u2212"), up="center")


def _colours(values: FloatArray, top: float, *, signed: bool) -> npt.NDArray[np.uint8]:
    """(r, c, 4) colours of values; nothing where a value is not told."""
    low = -top if signed else 0.0
    share = (values - low) / ((top - low) or 1.0)
    known = ~np.isnan(share)
    steps = np.clip(np.where(known, share, 0) * 255, 0, 255).round().astype(np.intp)
    made: npt.NDArray[np.uint8] = _map(signed)[steps]
    made[~known, 3] = 0
    return made


@lru_cache(maxsize=2)
def _map(signed: bool) -> npt.NDArray[np.uint8]:
    """256 colours of a scale, (256, 4)."""
    import matplotlib as mpl
    from matplotlib.colors import LinearSegmentedColormap

    colours = (
        LinearSegmentedColormap.from_list("difference", list(palette.DIFFERENCE))
        if signed
        else mpl.colormaps[palette.SEQUENCE]
    )
    made: npt.NDArray[np.uint8] = colours(np.arange(256), bytes=True)
    return made
