"""Numbers and names as words: separators, bytes, durations, plurals, and names made harmless.

Names of topics, racks, hosts and files come from outside and may be hostile. ``plain`` and ``code`` make them safe
inside Markdown, ``label`` inside a Plotly text; nothing here makes HTML.
"""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import takewhile

from reseat.model.units import SIZES, amount, count, duration, number, share, signed, size, size_change
from reseat.model.wording import counted, ids, verb, visible, wish_in_words

__all__ = [
    "SIZES",
    "ago",
    "amount",
    "code",
    "count",
    "counted",
    "duration",
    "ids",
    "label",
    "labels",
    "number",
    "plain",
    "share",
    "signed",
    "size",
    "size_change",
    "verb",
    "visible",
    "wish_in_words",
]

#: What Markdown gives a meaning to.
_MARKUP = re.compile(r"([\\`*_{}\[\]()<>#+\-.!|~$^:&=\"'@/])")
#: What becomes a link, an emoji or an icon even when it is escaped, and so gets a word joiner inside. A time of day is
#: none of them, and is copied from a sentence into a field, where a joiner nobody sees would make it no time.
_MAGIC = re.compile(r"(www|[a-z]:)(?=[./])|(@)|(:)(?!\d\d(?!\w))(?=[\w+\-/]+:)", re.IGNORECASE)
_JOINER = "\u2060"
#: A flag of the command line that a sentence names in brackets; what it says of the dashboard behind it stays.
_FLAG = re.compile(r" \((?:without )?--[^;()]*(?:; (?:the dashboard: )?([^()]*))?\)")
#: No topic's name is longer than 249 characters; a few more for what stands around it.
_ENDLESS = re.compile(r"\S{261,}")


def ago(then: datetime, now: datetime | None = None) -> str:
    """How long ago, in one unit: ``just now``, ``3 min ago``, ``2 days ago``; or how far another clock is ahead."""
    since = ((now or datetime.now(UTC)) - then).total_seconds()
    seconds, which = abs(since), "ago" if since > 0 else "ahead of this clock"
    if seconds < 60:
        return "just now"
    if seconds < 3600:
        return f"{seconds // 60:.0f} min {which}"
    if seconds < 86_400:
        return f"{seconds // 3600:.0f} h {which}"
    return f"{counted(int(seconds // 86_400), 'day')} {which}"


def plain(sentence: str, most: int = 2000) -> str:
    """A sentence for Markdown in which nothing has a meaning: no markup, link, formula, icon or HTML.

    A word longer than any topic's name is cut in the middle: it would push the page away. Flags of the command line in
    brackets are left out: a page has none.
    """
    sentence = _FLAG.sub(lambda found: f" ({found[1]})" if found[1] else "", sentence)
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


def labels(names: Sequence[str], most: int) -> list[str]:
    """Names beside each other, each as ``label`` has it; where all begin alike, what is cut is that beginning."""
    pairs = zip(min(names), max(names), strict=False) if len(names) > 1 else ()
    alike = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))  # of the outermost, so of all
    return [label(f"…{name[1 - most :]}" if most < len(name) < alike + most else name, most) for name in names]
