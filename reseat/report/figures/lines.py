"""Lines over moves or over time, each labelled at its end; what happened stands above, on its day."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from itertools import pairwise

import numpy as np

from reseat.model import FloatArray
from reseat.report import palette
from reseat.report.behind import x_words
from reseat.report.content import Lines
from reseat.report.figures.sheet import COLOURS, SMALL, WIDE, Hit, Plot, Sheet, Texts, fitted, nice_ticks, width
from reseat.report.shown import value

__all__ = ["draw"]

_HIGH = 216.0
_FLOOR = 32.0
#: Points: the most that a label at a line's end takes.
_LABEL = 120.0
#: Beyond so many places, neighbours share a place to hover.
_HITS = 160
_MINUTE, _HOUR, _DAY = 60, 3_600, 86_400
#: Seconds between ticks of time.
_STEPS = (
    *(n * _MINUTE for n in (1, 5, 15, 30)),
    *(n * _HOUR for n in (1, 3, 6, 12)),
    *(n * _DAY for n in (1, 2, 7, 14, 28, 91, 182, 365, 730, 1825)),
)
_DASHES = (None, (5.0, 2.0), (2.0, 2.0), (7.0, 2.0))
_INK = palette.LIGHT


def draw(figure: Lines, texts: Texts, wide: float = WIDE) -> Sheet:
    """The figure on a sheet so wide, points."""
    sheet = Sheet(wide, _HIGH, texts)
    time = figure.x.dtype.kind == "M"
    x = figure.x.astype("datetime64[s]").astype(np.float64) if time else figure.x.astype(np.float64)
    values = [np.asarray(series.values, np.float64) for series in figure.series]
    told = np.concatenate([*values, np.zeros(1)])
    told = told[~np.isnan(told)]
    low, high = min(0.0, float(told.min())), float(told.max())
    high = high if high > low else low + 1
    ticks = nice_ticks(low, high, whole=figure.unit not in {"share", "money", "seconds"})
    words = [value(tick, figure.unit) for tick in ticks]
    labels = [fitted(series.name, min(_LABEL, wide / 4)) for series in figure.series]
    left = 8 + max((width(word) for word in words), default=20)
    right = wide - 12 - max((width(label) for label in labels), default=0)
    ceiling = _HIGH - (36 if figure.events or figure.marked is not None else 24)
    start, end = (float(x.min()), float(x.max())) if len(x) else (0.0, 1.0)
    span = (end - start) or 1.0

    def across(place: FloatArray) -> FloatArray:
        return (
            left + (right - left) * (place - start) / span if end > start else np.full_like(place, (left + right) / 2)
        )

    plot = Plot(left, right, _FLOOR, ceiling, low, high)
    up = plot.up
    for tick, word in zip(ticks, words, strict=True):
        y = float(up(tick))
        sheet.line([left, right], [y, y], _INK.faint if tick else _INK.line, 0.8)
        sheet.say(left - 5, y, word, across="right", up="center")
    sheet.say(left, _HIGH - 10, figure.unit, up="center")
    for tick, word in _time_ticks(start, end) if time else _number_ticks(start, end):
        here = float(across(np.array(tick)))
        sheet.line([here, here], [_FLOOR - 3, _FLOOR], _INK.line, 0.8)
        sheet.say(here, _FLOOR - 10, word, across="center", up="center")
    sheet.say((left + right) / 2, 6, figure.x_name + (", UTC" if time else ""), across="center", up="center")
    ends = []
    for number, (series, row) in enumerate(zip(figure.series, values, strict=True)):
        colour = COLOURS[series.role][0]
        twin = sum(COLOURS[one.role][0] == colour for one in figure.series[:number])
        sheet.line(across(x), up(row), colour, 1.8, _DASHES[twin % len(_DASHES)])
        if len(x) <= 40:
            sheet.dots(across(x), up(row), colour)
        known = row[~np.isnan(row)]
        ends.append(float(up(known[-1:])[0]) if len(known) else _FLOOR)
    for y, label in zip(_apart(ends, _FLOOR, _HIGH - 20), labels, strict=True):
        sheet.say(right + 6, y, label, up="center", colour=_INK.text)
    if figure.marked is not None:
        _marked(sheet, figure, float(across(np.array(figure.marked))), ceiling, time=time)
    for number, (place, what) in enumerate(figure.events, 1):
        here = float(across(np.array(place)))
        sheet.line([here, here], [_FLOOR, ceiling + 4], _INK.quiet, 0.7, (2, 2))
        if len(figure.events) <= 40:
            sheet.say(here, ceiling + 9, str(number), across="center", up="center", colour=_INK.text, size=8)
        sheet.hits.append(Hit(here - 5, ceiling + 2, here + 5, ceiling + 18, f"{_moment(place, time=time)}: {what}"))
    sheet.hits += _hits(figure, values, across(x), plot)
    return sheet


def _marked(sheet: Sheet, figure: Lines, here: float, ceiling: float, *, time: bool) -> None:
    """The place that the report is about: a line with its words."""
    assert figure.marked is not None  # noqa: S101
    word = _moment(figure.marked, time=time) if time else f"{value(figure.marked, 'moves')} {figure.x_name}"
    word = fitted(word, 200)
    sheet.line([here, here], [_FLOOR, ceiling + 4], _INK.accent, 1.2, (4, 2))
    x = min(max(here, width(word) / 2 + 4), sheet.wide - width(word) / 2 - 4)
    sheet.say(x, ceiling + (20 if figure.events else 9), word, across="center", up="center", colour=_INK.text)


def _apart(places: list[float], low: float, high: float) -> list[float]:
    """Heights of labels moved so that none touches another, in the order given."""
    gap = SMALL + 2
    order = sorted(range(len(places)), key=places.__getitem__)
    moved = list(places)
    for before, after in pairwise(order):
        moved[after] = max(moved[after], moved[before] + gap)
    over = max((moved[one] for one in order), default=0) - high
    if over > 0:
        for one in reversed(order):
            moved[one] = min(moved[one], high)
            high = moved[one] - gap
    return [max(one, low) for one in moved] if len(places) == 1 else moved


def _number_ticks(start: float, end: float) -> list[tuple[float, str]]:
    ticks = nice_ticks(start, end, 7, whole=float(start).is_integer() and float(end).is_integer())
    return [(tick, f"{tick:,.10g}") for tick in ticks]


def _time_ticks(start: float, end: float) -> list[tuple[float, str]]:
    """Ticks on whole minutes, hours or days of UTC, at most seven."""
    step = next((one for one in _STEPS if (end - start) / one <= 6), _STEPS[-1])
    first, past = math.ceil(start / step), math.floor(end / step)
    shape = "%H:%M" if step < _DAY else "%-d %b" if step < 180 * _DAY else "%b %Y"
    ticks = [float(step * place) for place in range(first, past + 1)] or [start]
    return [(tick, datetime.fromtimestamp(tick, UTC).strftime(shape)) for tick in ticks]


def _moment(place: float, *, time: bool) -> str:
    return datetime.fromtimestamp(place, UTC).strftime("%-d %b %Y %H:%M") if time else f"{place:,.10g}"


def _hits(figure: Lines, values: list[FloatArray], x: FloatArray, plot: Plot) -> list[Hit]:
    if not len(x):
        return []
    chosen = np.unique(np.linspace(0, len(x) - 1, min(len(x), _HITS)).round().astype(int))
    places = x[chosen]
    edges = [plot.left, *((places[1:] + places[:-1]) / 2).tolist(), plot.right]
    named = x_words(figure.x[chosen])
    made = []
    for number, place in enumerate(chosen.tolist()):
        parts = [
            f"{series.name} {value(float(row[place]), figure.unit)}"
            for series, row in zip(figure.series, values, strict=True)
        ]
        words = f"{figure.x_name} {named[number]}: {', '.join(parts)}"
        made.append(Hit(edges[number], plot.floor, edges[number + 1], plot.ceiling, words))
    return made
