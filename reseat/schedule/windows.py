"""The times of day at which a plan may be executed: when one is open, when the next opens, when work will be over.

Promises:
    1. A window is told by the clock on the wall of its time zone, through every change of summer time: one that begins
       or ends in an hour that does not exist does so where the clock is put on, one that ends in an hour that comes
       twice ends the second time.
    2. Windows that touch or overlap count once. One whose end is not after its beginning lasts over midnight.
    3. The text of windows reads back as the same windows.

Example: ``22:00-06:00, 12:00-13:00 Europe/Berlin``; work of 9 hours that begins at 23:00 is over at 12:00 + 2 hours of
work left, so 12:00-13:00 of that day and from 22:00 of the same: at 23:00.

Complexity: linear in the windows looked at.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from functools import cache
from itertools import count
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from reseat.errors import WishRefused

__all__ = ["Windows", "read_windows"]

_SPAN = re.compile(r"([01]?\d|2[0-4]):([0-5]\d)\s*(?:-|–|to)\s*([01]?\d|2[0-4]):([0-5]\d)", re.ASCII)
_DAY = 24 * 60
_MINUTE = timedelta(minutes=1)
_EXPECTED = "22:00-06:00 was expected, or several with commas, with a time zone such as Europe/Berlin behind; else UTC."


@dataclass(frozen=True, slots=True)
class Windows:
    """Times of day, each day alike.

    Attributes:
        spans: (first minute, minute of the end) of the day, 0 to 1,440 each; an end that is not later is of the next
            day. At least one.
        zone: name of the time zone whose clock tells them.
    """

    spans: tuple[tuple[int, int], ...]
    zone: str = "UTC"

    def __str__(self) -> str:
        return f"{', '.join(f'{_clock(start)}-{_clock(end)}' for start, end in self.spans)} {self.zone}"

    def closed_until(self, moment: datetime) -> datetime | None:
        """When the next window opens; None where one is open.

        Args:
            moment: with a time zone.

        Returns:
            In the windows' zone.
        """
        for start, end in self._stretches(moment):
            if moment < end:
                return None if moment >= start else start.astimezone(_zone(self.zone))
        raise AssertionError("there is a window each day")

    def over_at(self, moment: datetime, seconds: float) -> datetime:
        """When work is over that begins at a moment and rests outside of the windows.

        Args:
            moment: with a time zone.
            seconds: how long it takes, at least 0.

        Returns:
            In the windows' zone.
        """
        left, reached = timedelta(seconds=seconds), moment
        for start, end in self._stretches(moment):
            begin = max(start, reached)
            if begin < end and begin + left <= end:
                return (begin + left).astimezone(_zone(self.zone))
            left -= max(end - begin, timedelta())
            reached = max(reached, end)
        raise AssertionError("there is a window each day")

    def _stretches(self, moment: datetime) -> Iterator[tuple[datetime, datetime]]:
        """Open times in UTC by their beginnings, from before the moment on; they may overlap. Without end."""
        first = moment.astimezone(_zone(self.zone)).date() - timedelta(days=2)
        for day in count():
            yield from sorted(self._of_day(first + timedelta(days=day)))

    def _of_day(self, day: date) -> Iterator[tuple[datetime, datetime]]:
        zone = _zone(self.zone)
        for start, end in self.spans:
            first, last = _at(day, start), _at(day, end if end > start else end + _DAY)
            begins, ends = (one.replace(tzinfo=zone, fold=one is last).astimezone(UTC) for one in (first, last))
            # Of an hour that does not exist both are on the other side of it: back, or on, to where the clock is put.
            while (begins - _MINUTE).astimezone(zone).replace(tzinfo=None) >= first:
                begins -= _MINUTE
            while ends.astimezone(zone).replace(tzinfo=None) < last:
                ends += _MINUTE
            if begins < ends:
                yield begins, ends


def read_windows(text: str) -> Windows | None:
    """The windows that a text tells; None where it tells none.

    Args:
        text: such as ``22:00-06:00, 12:00-13:00 Europe/Berlin``; without a time zone they are of UTC.

    Raises:
        WishRefused: it tells no windows, or a time zone that nobody knows.
    """
    if not text.strip():
        return None
    *before, last = text.split(",")
    found = _SPAN.match(last.strip())
    times, zone = (last, "") if found is None else (found[0], last.strip()[found.end() :])
    spans = []
    for span in (*before, times):
        found = _SPAN.fullmatch(span.strip())
        minutes = (0, 0) if found is None else (_minute(found[1], found[2]), _minute(found[3], found[4]))
        if found is None or max(minutes) > _DAY or minutes[0] == minutes[1] or minutes[0] == _DAY:
            raise WishRefused(f"{span.strip()!r} is no window. {_EXPECTED}")
        spans.append(minutes)
    zone = zone.strip() or "UTC"
    try:
        _zone(zone)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise WishRefused(f"{zone!r} is no time zone that is known here. {_EXPECTED}") from error
    return Windows(tuple(spans), zone)


@cache
def _zone(name: str) -> ZoneInfo:
    return ZoneInfo(name)


def _at(day: date, minute: int) -> datetime:
    days, rest = divmod(minute, _DAY)
    return datetime.combine(day + timedelta(days=days), time(rest // 60, rest % 60))


def _minute(hours: str, minutes: str) -> int:
    return 60 * int(hours) + int(minutes)


def _clock(minute: int) -> str:
    return f"{minute // 60:02}:{minute % 60:02}"
