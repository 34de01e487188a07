"""A straight line through a count's past, how far such lines were off before, and so how far this one may be.

What it promises, ranked: (1) nothing is foretold that could not be tried on the past: a past that is too short, has too
many gaps or jumps too far is refused in a sentence; (2) of the days held out of it, at least eight in ten lie between
``low`` and ``high``, over a fleet of growth, steps and seasons; what share did in this very past is
``Forecast.inside``; (3) farther ahead is never surer than nearer.

How it works: the line has the median slope of all pairs of the last 28 days (Theil-Sen) and goes through the median of
the last week. The same line is drawn from each day of the past with the days before it alone, and held beside what
came: those misses, by how far ahead they were, are the interval (split conformal prediction). Misses that overlap are
not independent: m of them, h days ahead, count as m / h. Beyond what could be tried, the interval widens in proportion.

Example: 40 days at 100, 102, 104, ... give 2 a day; every line of the past was right, so ``low`` and ``high`` are the
line itself.

Complexity: O(days x 28^2) for one count. Sources: Sen, Estimates of the regression coefficient based on Kendall's tau,
JASA 63 (1968); Vovk, Gammerman and Shafer, Algorithmic learning in a random world (2005).
"""

from __future__ import annotations

import math
from bisect import insort
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from reseat.model import FloatArray, Longs

__all__ = ["LEAST_DAYS", "Forecast", "Refused", "foretell"]


#: Days that a past needs: two weeks to draw a line, two to see how far it was off.
LEAST_DAYS = 28
#: Of these days a third may be without a snapshot.
_MOST_MISSING = 1 / 3
#: The line's slope is that of so many days, and its level that of the last week, so that a weekend is no fall.
_WINDOW, _WEEK = 28, 7
#: Days ahead at which lines are held beside what came; between them the interval is interpolated.
_AHEAD = (1, 2, 3, 5, 7, 10, 14, 21, 28, 42, 56, 84, 112, 140, 182)
#: Misses that an interval of 80 % needs: with fewer there is none of rank (m + 1) x 0.1.
_LEAST_MISSES = 9
_TAIL = 0.1
#: Where too few misses are apart from each other, the farthest is not far enough: it is stretched by this over their
#: number. Measured on simulated fleets (docs/decisions/0040).
_BEYOND = 0.5
#: A past is tried from so many of its days at most, and each third of these if they are many.
_ORIGINS, _JUDGED = 180, 60
#: An interval wider than the count itself says nothing; of a small count, one wider than this.
_SMALL = 10.0
#: How far ahead at most, in days; and not farther than the past goes back.
_FARTHEST = 365


@dataclass(frozen=True, slots=True)
class Refused:
    """Why nothing is foretold, as a sentence."""

    sentence: str


@dataclass(frozen=True, slots=True, eq=False)
class Forecast:
    """What a count will be, by day from the last one.

    Attributes:
        likely: (days,) the line; place 0 is the day after the last of the past, known or not.
        low: (days,) the lower end of the 80 % interval.
        high: (days,) its upper end.
        slope: by how much it grows a day.
        inside: the share of held-out days of this past that lay in the interval told for them before; None where too
            few could be tried.
        tried: how many those were.
    """

    likely: FloatArray
    low: FloatArray
    high: FloatArray
    slope: float
    inside: float | None
    tried: int

    def reaches(self, limit: float) -> tuple[int | None, int | None, int | None]:
        """Days from the last one until a limit is met: at the earliest, likely, at the latest; None: not within it."""
        firsts = [np.flatnonzero(line >= limit) for line in (self.high, self.likely, self.low)]
        early, likely, late = (int(days[0]) + 1 if len(days) else None for days in firsts)
        return early, likely, late


def foretell(values: FloatArray, *, tested: bool = True) -> Forecast | Refused:
    """What comes after some days.

    Args:
        values: (n,) the count of each day, oldest first; NaN where a day has none. No count is below 0.
        tested: False: ``inside`` is not asked for, which takes two thirds of the time; then none is tried.
    """
    told = np.flatnonzero(~np.isnan(values))
    days = int(told[-1] - told[0]) + 1 if len(told) else 0
    if days < LEAST_DAYS:
        return Refused(f"{days} of the {LEAST_DAYS} days that a forecast needs are there.")
    since = values[told[0] :]
    missing, silent = float(np.isnan(since).mean()), len(since) - days  # the last days may tell nothing
    if missing > _MOST_MISSING:
        return Refused(f"{missing:.0%} of the last {len(since)} days have no value; a third may be missing.")
    values, told = since[:days], told - told[0]
    whole = np.interp(np.arange(days), told, values[told])
    window = min(_WINDOW, days // 2)
    origins = np.arange(window - 1, days)[-_ORIGINS:]
    slopes, levels = _lines(whole, origins, window)
    ahead = np.array([step for step in _AHEAD if len(origins) - step >= _LEAST_MISSES])
    misses = _misses(values, origins, slopes, levels, ahead)
    ordered = [np.sort(missed[~np.isnan(missed)]).tolist() for missed in misses.T]
    bounds = np.array([_interval(some, step) for some, step in zip(ordered, ahead.tolist(), strict=True)])
    farthest = silent + np.arange(1, min(days, _FARTHEST) + 1)
    below, above = (_widened(bounds[:, end] * sign, ahead, farthest) for end, sign in ((0, -1.0), (1, 1.0)))
    likely = np.maximum(levels[-1] + slopes[-1] * farthest, 0.0)
    low, high = np.maximum(likely - below, 0.0), likely + above
    month = LEAST_DAYS - 1
    if high[month] - low[month] > max(float(np.median(whole[-LEAST_DAYS:])), _SMALL):
        return Refused(f"It jumps too far: its interval in {LEAST_DAYS} days would be wider than the count itself.")
    inside, tried = _tried(misses, len(origins), ahead) if tested else (None, 0)
    return Forecast(likely, low, high, float(slopes[-1]), inside, tried)


def _lines(whole: FloatArray, origins: Longs, window: int) -> tuple[FloatArray, FloatArray]:
    """(slopes, levels) of the lines that end at each origin."""
    seen = np.lib.stride_tricks.sliding_window_view(whole, window)[origins - window + 1]
    first, second = np.triu_indices(window, 1)
    slopes = np.median((seen[:, second] - seen[:, first]) / (second - first), axis=1)
    back = np.arange(1 - _WEEK, 1)
    return slopes, np.median(seen[:, -_WEEK:] - slopes[:, None] * back, axis=1)


def _misses(values: FloatArray, origins: Longs, slopes: FloatArray, levels: FloatArray, ahead: Longs) -> FloatArray:
    """(origins, ahead) by how much what came was more than the line said; NaN where nothing came (yet)."""
    at = origins[:, None] + ahead
    came = np.where(at < len(values), values[np.minimum(at, len(values) - 1)], np.nan)
    return np.asarray(came - np.maximum(levels[:, None] + slopes[:, None] * ahead, 0.0), np.float64)


def _interval(misses: Sequence[float], ahead: int) -> tuple[float, float]:
    """The ends of the 80 % interval of ascending misses so many days ahead; without enough of them, the farthest."""
    if not misses:
        return 0.0, 0.0
    apart = len(misses) / ahead
    left_out = _TAIL - (1 - _TAIL) / apart  # of m apart: the rank (m + 1) x 0.9 from the other end
    rank = max(math.ceil(left_out * len(misses)), 1)
    beyond = 1.0 if left_out > 0 else 1 + _BEYOND / apart
    return min(misses[rank - 1], 0.0) * beyond, max(misses[-rank], 0.0) * beyond


def _widened(ends: FloatArray, ahead: Longs, farthest: Longs) -> FloatArray:
    """How far the interval goes to one side on each day: never less than nearer, beyond the tried in proportion."""
    grown = np.maximum.accumulate(ends)
    inner = np.interp(farthest, ahead, grown)
    return np.asarray(inner * np.maximum(farthest / ahead[-1], 1.0), np.float64)


def _tried(misses: FloatArray, origins: int, ahead: Longs) -> tuple[float | None, int]:
    """The share of days inside the interval that was known on the day of each line, and of how many."""
    came, steps = misses.T.tolist(), ahead.tolist()
    known: list[list[float]] = [[] for _ in steps]
    inside = tried = before = 0
    for number in range(_LEAST_MISSES, origins, max(1, origins // _JUDGED)):
        below = above = 0.0
        for step, missed, ordered in zip(steps, came, known, strict=True):
            for miss in missed[max(before - step + 1, 0) : max(number - step + 1, 0)]:
                if not math.isnan(miss):
                    insort(ordered, miss)
            if math.isnan(missed[number]) or len(ordered) < _LEAST_MISSES:
                continue
            low, high = _interval(ordered, step)
            below, above = max(below, -low), max(above, high)
            tried += 1
            inside += -below <= missed[number] <= above
        before = number
    return (inside / tried if tried else None), tried
