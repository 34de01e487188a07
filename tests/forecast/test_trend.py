"""What a line through a count's past foretells, how sure it is, and what it refuses."""

from __future__ import annotations

import math
import statistics
from itertools import combinations

import numpy as np
import numpy.typing as npt
import pytest

from reseat.forecast.trend import LEAST_DAYS, Forecast, Refused, foretell


def told(values: object) -> Forecast:
    """The forecast of a past that is not refused."""
    made = foretell(np.asarray(values, np.float64))
    assert isinstance(made, Forecast), made
    return made


def refused(values: object) -> str:
    """Why a past is refused."""
    made = foretell(np.asarray(values, np.float64))
    assert isinstance(made, Refused)
    return made.sentence


def past(rng: np.random.Generator, days: int, kind: str) -> npt.NDArray[np.float64]:
    """A count with noise, and what its kind names: g growth, s steps, w a season of a week."""
    time, base = np.arange(days), rng.uniform(200, 4000)
    values = np.full(days, base) + rng.normal(0, base * 0.01, days)
    if "g" in kind:
        values += base * rng.uniform(0, 0.01) * time
    if "s" in kind:
        values += np.cumsum((rng.random(days) < 1 / 40) * rng.uniform(-0.03, 0.15, days) * base)
    if "w" in kind:
        values += base * rng.uniform(0.01, 0.08) * np.sin(2 * np.pi * time / 7 + rng.uniform(0, 6))
    return np.maximum(np.round(values), 0)


def test_a_straight_past_goes_on_straight() -> None:
    """Every line of the past was right, so the interval is the line itself."""
    made = told(100 + 2 * np.arange(40))

    assert made.slope == 2
    assert made.likely[:3].tolist() == made.low[:3].tolist() == made.high[:3].tolist() == [180, 182, 184]
    assert len(made.likely) == 40
    assert made.inside == 1
    assert made.reaches(182) == (2, 2, 2)
    assert made.reaches(1000) == (None, None, None)


def test_one_step_is_no_growth() -> None:
    """A hundred partitions created once are in the interval, and not in the slope."""
    made = told([300] * 50 + [400] * 10)

    assert made.slope == 0
    assert made.likely[0] == 400
    assert made.high[-1] >= 500


@pytest.mark.parametrize("kind", ["g", "gs", "gw", "gsw", "s"])
def test_eight_of_ten_days_held_out_are_inside(kind: str) -> None:
    """Four weeks that the forecast did not see, of 60 simulated counts of each kind with 60 to 180 days."""
    rng = np.random.default_rng(21)
    inside = []
    for days in rng.integers(60, 181, 60).tolist():
        whole = past(rng, days + 28, kind)
        made = told(whole[:days])
        inside.append(((made.low[:28] <= whole[days:]) & (whole[days:] <= made.high[:28])).mean())

    assert np.mean(inside) >= 0.8


@pytest.mark.parametrize(("kind", "days"), [("s", 40), ("gw", 60), ("gsw", 90)])
def test_the_interval_is_the_misses_of_lines_from_each_day_of_the_past(kind: str, days: int) -> None:
    """Drawn one by one. Of m misses apart the rank is (m + 1) x 0.1 from each end; else the farthest, stretched."""
    values = past(np.random.default_rng(days), days, kind).tolist()
    made = told(values)

    def line(end: int) -> tuple[float, float]:
        seen = values[end - window + 1 : end + 1]
        slope = statistics.median((b - a) / (j - i) for (i, a), (j, b) in combinations(enumerate(seen), 2))
        return slope, statistics.median(value + slope * back for back, value in enumerate(reversed(seen[-7:])))

    window = min(28, days // 2)
    lines = {end: line(end) for end in range(window - 1, days)}
    slope, level = lines[days - 1]
    below = above = 0.0
    for ahead in (1, 2, 3, 5, 7, 10, 14, 21, 28):
        if len(lines) - ahead < 9:
            break
        misses = sorted(
            values[end + ahead] - max(of[1] + of[0] * ahead, 0.0) for end, of in lines.items() if end + ahead < days
        )
        apart = len(misses) / ahead
        rank = 0.1 * (apart + 1) * ahead  # among those that overlap
        cut = rank - ahead
        place, stretched = (math.ceil(cut - 1e-9), 1.0) if cut > 1e-9 else (1, 1 + 0.5 / apart)
        below = max(below, -min(misses[place - 1], 0) * stretched)
        above = max(above, max(misses[-place], 0) * stretched)
        likely = max(level + slope * ahead, 0.0)
        assert made.likely[ahead - 1] == pytest.approx(likely)
        assert made.low[ahead - 1] == pytest.approx(max(likely - below, 0.0))
        assert made.high[ahead - 1] == pytest.approx(likely + above)


def test_eight_of_ten_days_of_a_young_fleet_are_inside() -> None:
    """Every kind of count alike, from the first day on which one is foretold; those that are refused do not count."""
    rng = np.random.default_rng(22)
    inside = []
    for days in rng.integers(LEAST_DAYS, 60, 40).tolist():
        for kind in ("g", "gs", "gw", "gsw", "s"):
            whole = past(rng, days + 28, kind)
            made = foretell(whole[:days], tested=False)
            if isinstance(made, Forecast):
                inside.append(((made.low[:28] <= whole[days:]) & (whole[days:] <= made.high[:28])).mean())

    assert len(inside) > 190
    assert np.mean(inside) >= 0.8


def test_the_figure_of_ones_own_past_is_that_of_days_foretold_before() -> None:
    """Steps that come more often than before make it fall: it is not the interval held beside what made it."""
    rng = np.random.default_rng(4)
    calm = 1000 + rng.normal(0, 2, 120)
    wild = calm + np.where(np.arange(120) > 80, np.cumsum(rng.normal(1, 4, 120)), 0)
    made, before = told(wild), told(calm)

    assert before.inside is not None
    assert made.inside is not None
    assert before.inside > 0.8
    assert made.inside < before.inside
    assert made.tried > 100


def test_farther_ahead_is_never_surer() -> None:
    """Also beyond what could be tried, and never below nothing."""
    made = told(past(np.random.default_rng(8), 90, "gsw"))
    wide = made.high - made.low

    assert (np.diff(made.high - made.likely) >= 0).all()
    assert (made.low >= 0).all()
    assert wide[-1] > wide[27] > wide[0]


def test_what_falls_ends_at_nothing() -> None:
    """A drained broker has no fewer than 0 replicas."""
    made = told(np.maximum(400 - 4 * np.arange(60), 0) + 10)

    assert made.likely.min() >= 0
    assert told(np.zeros(30)).likely.tolist() == [0] * 30


def test_short_gappy_and_jumpy_pasts_are_refused_in_words() -> None:
    """Each with what was there and what is needed; a day more is enough."""
    flat = np.full(LEAST_DAYS, 50.0)
    gappy = np.where(np.arange(60) % 2 > 0, np.nan, 50.0)
    jumpy = np.where(np.arange(60) % 20 < 10, 0.0, 400.0)

    assert refused(flat[1:]) == "27 of the 28 days that a forecast needs are there."
    assert refused(np.full(40, np.nan)) == "0 of the 28 days that a forecast needs are there."
    assert "of the last 60 days have no value" in refused(gappy)
    assert "It jumps too far" in refused(jumpy)
    assert isinstance(foretell(flat), Forecast)


def test_what_comes_is_counted_from_the_last_day_known_or_not() -> None:
    """Five days that tell nothing have passed: each date was five days late."""
    straight = 100.0 + 2 * np.arange(45)
    made = told(np.where(np.arange(45) < 40, straight, np.nan))

    assert made.likely[:2].tolist() == [190, 192]
    assert made.reaches(200) == (6, 6, 6)
    assert len(made.likely) == 40
    assert "of the last 60 days have no value" in refused(np.where(np.arange(60) < 39, 50.0, np.nan))


def test_days_without_a_snapshot_are_bridged_and_not_judged() -> None:
    """Every fourth day is missing, and the line is the same."""
    values = 100 + 2.0 * np.arange(60)
    values[3:57:4] = np.nan

    assert told(values).likely.tolist() == told(100 + 2 * np.arange(60)).likely.tolist()
    assert told(values).tried < told(100 + 2 * np.arange(60)).tried
