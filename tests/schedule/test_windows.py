"""Times of day: when one is open, when the next opens, when work that rests outside is over."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reseat.errors import WishRefused
from reseat.schedule.windows import Windows, read_windows
from tests.cases import cases

BERLIN = ZoneInfo("Europe/Berlin")
NIGHT = Windows(((22 * 60, 6 * 60),), "Europe/Berlin")


def at(text, zone=BERLIN):
    """A moment by the clock on the wall."""
    return datetime.fromisoformat(text).replace(tzinfo=zone)


@pytest.mark.parametrize(
    ("text", "windows"),
    [
        ("22:00-06:00", Windows(((1320, 360),))),
        (" 22:00 to 6:00 Europe/Berlin ", NIGHT),
        ("12:00-13:30, 22:00–06:00 Europe/Berlin", Windows(((720, 810), (1320, 360)), "Europe/Berlin")),
        ("00:00-24:00 UTC", Windows(((0, 1440),))),
        ("  ", None),
    ],
)
def test_windows_are_read_as_people_write_them(text, windows):
    """With a hyphen, a dash or to; without a time zone they are UTC's; and their own text reads back."""
    assert read_windows(text) == windows
    assert windows is None or read_windows(str(windows)) == windows


@pytest.mark.parametrize(
    "text",
    ["night", "22:00", "22:00-25:00", "22:61-23:00", "24:00-06:00", "06:00-06:00", "22:00-06:00,", "08:00-24:30",
     "22:00-06:00 Mars/Base", "22:00-06:00 ../etc", "22:00-06:00 Europe/Berlin, 12:00-13:00"],
)  # fmt: skip
def test_what_is_no_window_is_refused_with_what_was_expected(text):
    """A time that no clock shows, a window without length, a zone that nobody knows, a zone in the middle."""
    with pytest.raises(WishRefused, match=r"22:00-06:00 was expected"):
        read_windows(text)


def test_a_window_over_midnight_is_open_on_both_sides():
    """Open from its first minute, closed from its end on."""
    assert NIGHT.closed_until(at("2026-11-23T22:00")) is None
    assert NIGHT.closed_until(at("2026-11-23T05:59:59")) is None
    assert NIGHT.closed_until(at("2026-11-23T06:00")) == at("2026-11-23T22:00")
    assert NIGHT.closed_until(at("2026-11-23T21:59", UTC)) is None  # 22:59 in Berlin
    assert NIGHT.closed_until(at("2026-11-23T20:59", UTC)) == at("2026-11-23T22:00")


def test_work_rests_outside_of_its_windows():
    """Nine hours from 23:00 on: seven until 06:00, one of the two left at noon, the last from 22:00."""
    windows = read_windows("22:00-06:00, 12:00-13:00 Europe/Berlin")

    assert windows.over_at(at("2026-11-23T23:00"), 9 * 3600) == at("2026-11-24T23:00")
    assert NIGHT.over_at(at("2026-11-23T09:00"), 0) == at("2026-11-23T22:00")
    assert NIGHT.over_at(at("2026-11-23T22:00"), 8 * 3600) == at("2026-11-24T06:00")


def test_summer_time_comes_and_goes():
    """02:30 does not exist on the last Sunday of March, and comes twice on that of October."""
    early = Windows(((150, 240),), "Europe/Berlin")  # 02:30-04:00

    assert early.closed_until(at("2026-03-29T01:00")) == at("2026-03-29T03:00")
    late = Windows(((22 * 60, 150),), "Europe/Berlin")  # 22:00-02:30: from 02:00 on it is 03:00
    assert late.closed_until(at("2026-03-29T01:59")) is None
    assert late.closed_until(at("2026-03-29T03:00")) == at("2026-03-29T22:00")
    assert Windows(NIGHT.spans, "Pacific/Apia").closed_until(at("2011-12-29T23:00", ZoneInfo("Pacific/Apia"))) is None
    assert early.over_at(at("2026-10-25T01:00"), 2.5 * 3600) == at("2026-10-25T04:00")
    assert Windows(((120, 180),), "Europe/Berlin").closed_until(at("2026-03-29T01:30")) == at("2026-03-30T02:00")


spans = st.tuples(st.integers(0, 1439), st.integers(0, 1440)).filter(lambda span: span[0] != span[1])
zones = st.sampled_from(["UTC", "Europe/Berlin", "Asia/Kolkata", "America/St_Johns", "Australia/Lord_Howe"])


@given(
    st.builds(Windows, st.lists(spans, min_size=1, max_size=3).map(tuple), zones),
    st.integers(0, 2 * 365 * 24 * 60),
    st.integers(0, 40 * 60),
)
@settings(max_examples=cases(60), deadline=None)
def test_minute_by_minute_they_are_what_the_clock_says(windows, begin, minutes):
    """Against the plainest reading there is, a minute at a time, in hours without an end of summer time."""
    zone = ZoneInfo(windows.zone)
    moment = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(minutes=begin)
    offsets = [(moment + timedelta(days=day)).astimezone(zone).utcoffset() for day in range(-2, 60)]
    if any(after < before for before, after in pairwise(offsets)):
        moment = moment.replace(month=6, day=10)

    def is_open(when):
        minute = when.astimezone(zone).hour * 60 + when.astimezone(zone).minute
        return any(
            start <= minute < end if start < end else minute >= start or minute < end for start, end in windows.spans
        )

    now, left = moment, minutes
    while left or not is_open(now):
        left -= is_open(now)
        now += timedelta(minutes=1)
        if not left and is_open(now - timedelta(minutes=1)):
            break
        if now - moment > timedelta(days=30):
            return  # windows of a minute: long enough
    opens = moment
    while not is_open(opens):
        opens += timedelta(minutes=1)

    assert (windows.closed_until(moment) or moment) == opens
    assert windows.over_at(moment, minutes * 60) == now
    assert read_windows(str(windows)) == windows
