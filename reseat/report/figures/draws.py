"""Our value as a line, and what others would draw as dots, a row a tool."""

from __future__ import annotations

import numpy as np

from reseat.model import FloatArray
from reseat.report import palette
from reseat.report.content import Draws
from reseat.report.figures.sheet import WIDE, Hit, Sheet, Texts, fitted, nice_ticks, width
from reseat.report.shown import value

__all__ = ["draw"]

_ROW = 34.0
_FLOOR = 34.0
_INK = palette.LIGHT


def draw(figure: Draws, texts: Texts, wide: float = WIDE) -> Sheet:
    """The figure on a sheet so wide, points, and as high as it has rows."""
    rows = len(figure.names)
    ceiling = _FLOOR + _ROW * max(rows, 1)
    sheet = Sheet(wide, ceiling + 26, texts)
    draws = [np.asarray(one, np.float64)[~np.isnan(np.asarray(one, np.float64))] for one in figure.draws]
    everything = np.concatenate([*draws, np.array([figure.own, 0.0])])
    low, high = min(0.0, float(np.nanmin(everything))), float(np.nanmax(everything)) or 1.0
    names = [fitted(name, min(150, wide / 3)) for name in figure.names]
    ranges = [_range(one, figure) for one in draws]
    left = 14 + max((width(name) for name in names), default=0)
    right = wide - 14 - max((width(words) for words in ranges), default=0)

    def across(amount: FloatArray) -> FloatArray:
        return left + (right - left) * (amount - low) / (high - low)

    for tick in nice_ticks(low, high, 6, whole=figure.unit not in {"share", "money", "seconds"}):
        here = float(across(np.array(tick)))
        sheet.line([here, here], [_FLOOR, ceiling], _INK.faint if tick else _INK.line, 0.8)
        sheet.say(here, _FLOOR - 9, value(tick, figure.unit), across="center", up="center")
    sheet.say((left + right) / 2, 8, figure.unit, across="center", up="center")
    for number, (name, values) in enumerate(zip(names, draws, strict=True)):
        y = ceiling - _ROW * (number + 0.5)
        sheet.line([left, right], [y, y], _INK.faint, 0.8)
        sheet.say(left - 8, y, name, across="right", up="center", colour=_INK.text)
        # Draws that would lie on one spot are one dot, the bigger the more of them.
        spots, many = np.unique(across(values).round(1), return_counts=True)
        for times in np.unique(many).tolist():
            at = spots[many == times]
            sheet.dots(at, np.full(len(at), y), _INK.bar, 2.6 + 2.4 * (times / max(len(values), 1)) ** 0.5, 0.75)
        sheet.say(right + 8, y, ranges[number], up="center")
        sheet.hits.append(Hit(left, y - _ROW / 2, right, y + _ROW / 2, f"{figure.names[number]}: {ranges[number]}"))
    if not np.isnan(figure.own):
        here = float(across(np.array(figure.own)))
        word = f"{fitted(figure.own_name, 160)}: {value(figure.own, figure.unit)}"
        sheet.line([here, here], [_FLOOR - 3, ceiling + 6], _INK.accent, 2)
        x = min(max(here, width(word) / 2 + 4), wide - width(word) / 2 - 4)
        sheet.say(x, ceiling + 14, word, across="center", up="center", colour=_INK.text, strong=True)
    return sheet


def _range(values: FloatArray, figure: Draws) -> str:
    """Where the draws of a tool lie: "1,002 to 1,090 in 50 runs"."""
    if not len(values):
        return "no answer"
    low, high = float(values.min()), float(values.max())
    words = value(low, figure.unit) if low == high else f"{value(low, figure.unit)} to {value(high, figure.unit)}"
    return words if len(values) == 1 else f"{words} in {len(values):,} runs"
