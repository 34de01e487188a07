"""Numbers and names as words: separators, bytes, durations, plurals, and names made harmless.

Names of topics, racks, hosts and files come from outside and may be hostile. ``plain`` and ``code`` make them safe
inside Markdown, ``label`` inside a Plotly text; nothing here makes HTML.
"""

from __future__ import annotations

import html
import math
import re
from collections.abc import Iterable
from datetime import UTC, datetime

from reseat.model import Wish

__all__ = [
    "SIZES",
    "ago",
    "code",
    "count",
    "duration",
    "ids",
    "label",
    "number",
    "plain",
    "plural",
    "share",
    "signed",
    "size",
    "visible",
    "wish_in_words",
]

#: Control characters, line ends and direction marks: they could hide or reorder what a sentence says.
_INVISIBLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]")
#: What Markdown gives a meaning to.
_MARKUP = re.compile(r"([\\`*_{}\[\]()<>#+\-.!|~$^:&=\"'@/])")
#: What becomes a link, an emoji or an icon even when it is escaped, and so gets a word joiner inside. A time of day is
#: none of them, and is copied from a sentence into a field, where a joiner nobody sees would make it no time.
_MAGIC = re.compile(r"(www|[a-z]:)(?=[./])|(@)|(:)(?!\d\d(?!\w))(?=[\w+\-/]+:)", re.IGNORECASE)
_JOINER = "\u2060"
#: No topic's name is longer than 249 characters; a few more for what stands around it.
_ENDLESS = re.compile(r"\S{261,}")


def count(value: float | None) -> str:
    """A count with thousands separators; ``not told`` for None, which is not the same as 0."""
    return "not told" if value is None else f"{value:,.0f}"


def number(value: float | None, digits: int = 1) -> str:
    """A measured number with thousands separators and this many digits behind the point."""
    return "not told" if value is None or math.isnan(value) else f"{value:,.{digits}f}"


def signed(value: float) -> str:
    """A change with its sign: ``+17``, ``−3`` (a real minus), ``±0``."""
    if value == 0:
        return "±0"
    return f"+{value:,.0f}" if value > 0 else f"−{-value:,.0f}"


def plural(value: int, one: str, many: str | None = None) -> str:
    """A count with its noun: ``1 replica``, ``1,029 replicas``."""
    return f"{value:,} {one if value == 1 else many or one + 's'}"


def share(part: float, whole: float) -> str:
    """A part of a whole in percent, without claiming 0 or 100 where it is not quite."""
    if whole <= 0:
        return "0%"
    percent = 100 * part / whole
    if 0 < percent < 1:
        return "under 1%"
    if 99 < percent < 100:
        return "over 99%"
    return f"{percent:.0f}%"


#: Units of size in bytes, each 1,000 times the one before.
SIZES = {unit: 1000.0**power for power, unit in enumerate(("B", "kB", "MB", "GB", "TB", "PB"))}


def size(value: float | None) -> str:
    """Bytes in units of 1,000: ``3.2 GB``."""
    if value is None or math.isnan(value):
        return "not told"
    scaled, unit = float(value), "B"
    for bigger in list(SIZES)[1:]:
        if abs(scaled) < 999.5:
            break
        scaled, unit = scaled / 1000, bigger
    digits = 0 if unit == "B" or abs(scaled) >= 99.5 else 1
    return f"{scaled:,.{digits}f} {unit}"


def duration(seconds: float | None) -> str:
    """A duration in its two largest units: ``2 h 10 min``."""
    if seconds is None or math.isnan(seconds):
        return "not told"
    if math.isinf(seconds):
        return "never"
    whole = math.ceil(seconds)
    if whole < 60:
        return f"{whole} s"
    parts = ((whole // 86_400, "d"), (whole // 3600 % 24, "h"), (whole // 60 % 60, "min"), (whole % 60, "s"))
    first = next(i for i, (amount, _) in enumerate(parts) if amount)
    return " ".join(f"{amount} {unit}" for amount, unit in parts[first : first + 2] if amount)


def ago(then: datetime, now: datetime | None = None) -> str:
    """How long ago, in one unit: ``just now``, ``3 min ago``, ``2 days ago``."""
    seconds = ((now or datetime.now(UTC)) - then).total_seconds()
    if seconds < 60:
        return "just now"
    if seconds < 3600:
        return f"{seconds // 60:.0f} min ago"
    if seconds < 86_400:
        return f"{seconds // 3600:.0f} h ago"
    return f"{plural(int(seconds // 86_400), 'day')} ago"


def ids(brokers: Iterable[int], most: int = 8) -> str:
    """Broker ids as a short list: ``1, 2 and 3``; cut with the number that is left out."""
    names = [str(broker) for broker in brokers]
    if len(names) > most:
        return f"{', '.join(names[:most])} and {len(names) - most:,} more"
    return " and ".join(([", ".join(names[:-1])] if len(names) > 1 else []) + names[-1:])


def visible(name: str, most: int = 200) -> str:
    """A name without invisible characters, cut in the middle where it is very long."""
    shown = _INVISIBLE.sub("\ufffd", name)
    return shown if len(shown) <= most else f"{shown[: most // 2]}…{shown[-most // 2 :]}"


def plain(sentence: str, most: int = 2000) -> str:
    """A sentence for Markdown in which nothing has a meaning: no markup, link, formula, icon or HTML.

    A word longer than any topic's name is cut in the middle: it would push the page away.
    """
    readable = _ENDLESS.sub(lambda found: visible(found.group(0), 120), visible(sentence, most))
    return _MARKUP.sub(r"\\\1", _MAGIC.sub(lambda found: found.group(0) + _JOINER, readable))


def code(name: str, most: int = 120) -> str:
    """A name as inline code for Markdown, whatever it holds."""
    shown = visible(name, most)
    longest = max((len(run) for run in re.findall(r"`+", shown)), default=0)
    fence = "`" * (longest + 1)
    gap = " " if longest else ""
    return f"{fence}{gap}{shown}{gap}{fence}" if shown.strip() else "(no name)"


def label(name: str, most: int = 60) -> str:
    """A name for a Plotly text, which otherwise reads some tags, also links."""
    return html.escape(visible(name, most), quote=False)


def wish_in_words(wish: Wish) -> str:
    """What is wished, as words for people: ``broker 7 leaves``."""
    parts = []
    if wish.remove:
        one = len(wish.remove) == 1
        parts.append(f"{'broker' if one else 'brokers'} {ids(wish.remove)} {'leaves' if one else 'leave'}")
    if wish.add:
        one = len(wish.add) == 1
        parts.append(f"{'broker' if one else 'brokers'} {ids(b for b, _ in wish.add)} {'joins' if one else 'join'}")
    if wish.topics:
        parts.append(f"{plural(len(wish.topics), 'topic')} on replication factor {wish.replication_factor}")
    return ", ".join(parts)
