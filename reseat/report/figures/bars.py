"""Bars: carriers side by side, racks as runs under them, the mean as a labelled line, marks over who is marked."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import groupby, pairwise

import numpy as np

from reseat.model import FloatArray
from reseat.model.naming import natural
from reseat.report import palette
from reseat.report.carriers import rack_name
from reseat.report.content import Bars
from reseat.report.figures.sheet import COLOURS, WIDE, Hit, Plot, Sheet, Texts, fitted, nice_ticks, width
from reseat.report.shown import value

__all__ = ["draw", "rack_colours", "runs"]

_HIGH = 216.0
#: Beyond so many carriers bars touch each other and are one outline.
_OUTLINE = 150
#: Beyond so many carriers, neighbours share a place to hover.
_HITS = 240
#: Points: the widest that a bar gets.
_WIDEST = 46.0
_INK = palette.LIGHT


def draw(figure: Bars, texts: Texts, wide: float = WIDE) -> Sheet:
    """The figure on a sheet so wide, points."""
    sheet = Sheet(wide, _HIGH, texts)
    count = len(figure.names)
    values = np.array([series.values for series in figure.series], np.float64).reshape(len(figure.series), count)
    tops = np.nan_to_num(values).sum(axis=0) if figure.stacked else np.nan_to_num(values).max(axis=0, initial=0)
    high = max(float(tops.max(initial=0)), figure.mean or 0) or 1.0
    low = min(0.0, float(np.nan_to_num(values).min(initial=0)))
    ticks = nice_ticks(low, high, whole=figure.unit not in {"share", "money", "seconds"})
    words = [value(tick, figure.unit) for tick in ticks]
    mean = None if figure.mean is None else f"mean {value(figure.mean, figure.unit)}"
    left = 8 + max([*(width(word) for word in words), width(figure.what), width("rack")])
    right = wide - (12 if mean is None else 8 + width(mean))
    floor = 32.0 if figure.groups is not None else 18.0
    ceiling = _HIGH - (30 if figure.marked is not None and any(figure.marked) else 24)
    plot = Plot(left, right, floor, ceiling, low, high)
    step = _step(figure, plot)
    for tick, word in zip(ticks, words, strict=True):
        y = float(plot.up(tick))
        sheet.line([left, right], [y, y], _INK.faint if tick else _INK.line, 0.8)
        sheet.say(left - 5, y, word, across="right", up="center")
    _bars(sheet, figure, values, plot)
    if mean is not None and figure.mean is not None:
        y = float(plot.up(figure.mean))
        sheet.line([left, right], [y, y], _INK.quiet, 1, (4, 3))
        sheet.say(right + 4, y, mean, up="center", colour=_INK.text)
    marks = _marks(sheet, figure, tops, plot)
    _key(sheet, figure, left, marks)
    _names(sheet, figure, left, step, floor)
    if figure.groups is not None:
        _racks(sheet, figure.groups, plot, rack_colours(figure.groups, figure.racks))
    sheet.hits += _hits(figure, values, plot)
    return sheet


def _step(figure: Bars, plot: Plot) -> float:
    """From one carrier to the next, points."""
    return (plot.right - plot.left) / max(len(figure.names), 1)


def _bars(sheet: Sheet, figure: Bars, values: FloatArray, plot: Plot) -> None:
    count, rows = len(figure.names), len(figure.series)
    left, step = plot.left, _step(figure, plot)
    base = np.zeros(count)
    share = 1.0 if count > _OUTLINE else 0.78
    whole = min(step * share, _WIDEST * (1 if figure.stacked else rows))
    middle = left + step * (np.arange(count) + 0.5)
    for row, series in enumerate(figure.series):
        colour, hatch = COLOURS[series.role]
        wide = whole if figure.stacked else whole / rows
        start = middle - whole / 2 + (0 if figure.stacked else wide * row)
        told = np.nan_to_num(values[row])
        bottom, top = plot.up(base), plot.up(base + told)
        if count > _OUTLINE and figure.stacked:
            sheet.fill(_outline(left, step, bottom, top), colour, hatch)
        else:
            sheet.fill(
                [
                    [(x, b), (x + wide, b), (x + wide, t), (x, t)]
                    for x, b, t in zip(start.tolist(), bottom.tolist(), top.tolist(), strict=True)
                    if b != t
                ],
                colour,
                hatch,
            )
        if count * rows <= 24 and not figure.stacked:
            for x, t, amount in zip((start + wide / 2).tolist(), top.tolist(), values[row].tolist(), strict=True):
                word = "?" if math.isnan(amount) else value(amount, figure.unit)
                if width(word, 8) <= wide:
                    sheet.say(x, t + 2.5, word, across="center", size=8, colour=_INK.text)
        if figure.stacked:
            base = base + told


def _outline(left: float, step: float, bottom: FloatArray, top: FloatArray) -> list[list[tuple[float, float]]]:
    """Bars that touch, as one outline a run of bars that have any height."""
    shapes = []
    for tall, run in groupby(range(len(top)), key=lambda place: bool(top[place] != bottom[place])):
        places = list(run)
        if tall:
            over = [(left + step * (p + side), float(top[p])) for p in places for side in (0, 1)]
            under = [(left + step * (p + side), float(bottom[p])) for p in reversed(places) for side in (1, 0)]
            flat = len({y for _, y in under}) == 1
            shapes.append(over + ([under[0], under[-1]] if flat else under))
    return shapes


def _marks(sheet: Sheet, figure: Bars, tops: FloatArray, plot: Plot) -> list[tuple[str, int]]:
    """Draw a mark over each marked carrier; the words, with their shapes, that found no room beside their marks."""
    left, step = plot.left, _step(figure, plot)
    high = plot.up(tops).tolist()
    marked = [(place, word) for place, word in enumerate(figure.marked or ()) if word]
    shapes = {word: number for number, word in enumerate(dict.fromkeys(word for _, word in marked))}
    for word, number in shapes.items():
        at = [place for place, one in marked if one == word]
        sheet.fill([_shape(left + step * (place + 0.5), high[place] + 6, number) for place in at], _INK.text)
    room = min((b[0] - a[0] for a, b in pairwise(marked)), default=len(figure.names)) * step
    # Where bars are too narrow for every name, the word says whose it is.
    named = step < 14
    words = [fitted(f"{figure.names[place]} {word}" if named else word, 100, 8) for place, word in marked]
    if not marked or len(marked) > 8 or max(width(word, 8) for word in words) + 6 > room:
        return [(fitted(word, 90, 8), number) for word, number in shapes.items()]
    for (place, _), word in zip(marked, words, strict=True):
        half = width(word, 8) / 2
        x = min(max(left + step * (place + 0.5), left + half), sheet.wide - half - 2)
        # Above the bars beside it, which are no wider than the word.
        near = range(max(0, int((x - half - left) / step)), min(len(high), int((x + half - left) / step) + 1))
        sheet.say(
            x, max([high[place] + 9, *(high[one] for one in near)]) + 3, word, across="center", size=8, colour=_INK.text
        )
    return []


def _shape(x: float, y: float, number: int) -> list[tuple[float, float]]:
    """A small triangle, diamond or square about a place."""
    return [
        [(x - 3.2, y + 3), (x + 3.2, y + 3), (x, y - 3)],
        [(x, y + 3.6), (x + 3.2, y), (x, y - 3.6), (x - 3.2, y)],
        [(x - 2.6, y - 2.6), (x + 2.6, y - 2.6), (x + 2.6, y + 2.6), (x - 2.6, y + 2.6)],
    ][number % 3]


def _key(sheet: Sheet, figure: Bars, left: float, marks: list[tuple[str, int]]) -> None:
    """What is counted, and what colours and marks mean, in a row above."""
    y = _HIGH - 10
    sheet.say(left, y, figure.unit, up="center")
    x = left + width(figure.unit) + 16
    if len(figure.series) > 1:
        for series in figure.series:
            colour, hatch = COLOURS[series.role]
            told = not np.isnan(np.asarray(series.values, np.float64)).all()
            name = fitted(series.name, 150) + ("" if told or not figure.names else " (unknown)")
            sheet.box(x, y - 4, x + 10, y + 4, colour=colour, hatch=hatch)
            sheet.say(x + 14, y, name, up="center", colour=_INK.text)
            x += 28 + width(name)
    for word, number in marks:
        sheet.fill([_shape(x + 4, y, number)], _INK.text)
        sheet.say(x + 12, y, word, up="center", colour=_INK.text)
        x += 26 + width(word)


def _names(sheet: Sheet, figure: Bars, left: float, step: float, floor: float) -> None:
    """Names under the bars: all, or every second, fifth, tenth ... where they would touch."""
    sheet.say(left - 5, floor - 9, figure.what, across="right", up="center")
    if not figure.names:
        return
    widest = max(width(name) for name in (figure.names[0], figure.names[-1], max(figure.names, key=len)))
    numbers = all(name.isdecimal() for name in figure.names)
    wanted = widest if numbers else min(widest, max(30.0, step - 4))
    every = next((n for n in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000) if n * step >= wanted + 4), len(figure.names))
    first = 0
    if numbers:  # 10, 20, 30 rather than 1, 11, 21
        first = next((at for at, name in enumerate(figure.names[:every]) if int(name) % every == 0), 0)
    for place in range(first, len(figure.names), every):
        room = every * step - 4 if place else step + 6
        name = fitted(figure.names[place], max(room, 12))
        sheet.say(left + step * (place + 0.5), floor - 9, name, across="center", up="center")


def _racks(
    sheet: Sheet, groups: tuple[str | None, ...], plot: Plot, colours: dict[str | None, tuple[str, str]]
) -> None:
    """Racks as runs of their colours under the names; each name where its run has room."""
    left, floor, step = plot.left, plot.floor, (plot.right - plot.left) / max(len(groups), 1)
    sheet.say(left - 5, floor - 25, "rack", across="right", up="center")
    for rack, first, past in runs(groups):
        colour, hatch = colours[rack]
        here, there = left + step * first + 0.6, left + step * past - 0.6
        sheet.box(here, floor - 18, max(there, here + 0.3), floor - 15, colour=colour, hatch=hatch)
        name = fitted(rack if rack is not None else "unknown", there - here - 2)
        if width(name) <= there - here + 2:
            sheet.say((here + there) / 2, floor - 25, name, across="center", up="center")


def runs(groups: tuple[str | None, ...]) -> Iterator[tuple[str | None, int, int]]:
    """(rack, first, past the last) of neighbours on one rack."""
    first = 0
    for rack, members in groupby(groups):
        past = first + len(list(members))
        yield rack, first, past
        first = past


def rack_colours(groups: tuple[str | None, ...], racks: tuple[str, ...] = ()) -> dict[str | None, tuple[str, str]]:
    """(colour, hatch) by what stands for a rack, by the rack's place among all, in natural order, as on every page.

    Args:
        groups: what has a colour; what is no rack, such as a block over two of them, has the neutral one.
        racks: all racks; empty: those of the groups.
    """
    patterns = ("", "////", "xxxx", "\\\\\\\\", "----")
    names = racks or tuple(sorted({rack for rack in groups if rack is not None}, key=natural))
    places = {name: place for place, rack in enumerate(names) for name in (rack_name(rack), rack)}
    found: dict[str | None, tuple[str, str]] = dict.fromkeys((*groups, None), (palette.LIGHT.line, ""))
    for group in found:
        if group is not None and group in places:
            place = places[group]
            pattern = patterns[place // len(palette.RACKS) % len(patterns)]
            found[group] = (palette.RACKS[place % len(palette.RACKS)], pattern)
    return found


def _hits(figure: Bars, values: FloatArray, plot: Plot) -> list[Hit]:
    count, left, step = len(figure.names), plot.left, _step(figure, plot)
    each = max(1, math.ceil(count / _HITS))
    made = []
    for first in range(0, count, each):
        past = min(first + each, count)
        words = _words(figure, values, first, past)
        made.append(Hit(left + step * first, plot.floor, left + step * past, plot.ceiling + 6, words))
    return made


def _words(figure: Bars, values: FloatArray, first: int, past: int) -> str:
    """What a bar, or a few bars, tell when hovered: "broker 7, rack az-c: stays 112, comes 18 replicas"."""
    last = past - 1
    name = figure.names[first] if first == last else f"{figure.names[first]} to {figure.names[last]}"
    rack = None if figure.groups is None else figure.groups[first]
    where = f", rack {rack}" if rack is not None and figure.groups is not None and figure.groups[last] == rack else ""
    unit = f" {figure.unit}" if figure.unit in {"replicas", "leaders", "partitions", "brokers", "moves"} else ""
    parts = []
    for series, row in zip(figure.series, values, strict=True):
        here = row[first:past]
        told = here[~np.isnan(here)]
        low, high = (float(told.min()), float(told.max())) if len(told) else (math.nan, math.nan)
        told_words = (
            value(low, figure.unit)
            if low == high or not len(told)
            else (f"{value(low, figure.unit)} to {value(high, figure.unit)}")
        )
        parts.append(f"{series.name} {told_words}")
    marks = dict.fromkeys(word for word in (figure.marked or ())[first:past] if word)
    return f"{figure.what} {name}{where}: {', '.join(parts)}{unit}{''.join(f'; {word}' for word in marks)}"
