"""The what-if as a link: query parameters that name the layout by its digest, its file, the edits and the wish.

A link holds no layout. Where the server still has the layout, the link reopens it; where not, the page asks for the
very file that the link names, and the digest tells whether it is the same.

The server's layouts belong to whoever opened them, so a link opens one only by its whole digest: 128 bits that nobody
guesses who was not given the link. Links of earlier versions hold the first half of it; they are about a layout that
the same session opens itself, and never open one of somebody else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from components.state.past import Past
from reseat.model import Options, Wish
from reseat.model.edits import Edits
from reseat.model.naming import id_in
from reseat.model.rules import RULES
from reseat.model.units import bytes_in

__all__ = ["NAMES", "Link", "from_query", "to_query"]

#: Hexadecimal digits of a layout's whole digest, and of the half that links of earlier versions hold.
_WHOLE, _HALF = 32, 16
#: The words of ``options``, and the field that each is for.
_CHOICES = {
    "reorder": ("options", "reorder_all"),
    "bytes": ("options", "by_bytes"),
    "cap": ("options", "receive_cap"),
    "moves": ("options", "max_moves"),
    "data": ("options", "max_bytes"),
    "order": ("edits", "order_vouched"),
    "no-racks": ("edits", "no_racks"),
    "incomplete": ("edits", "incomplete_accepted"),
    "unmovable": ("options", "keep_unmovable"),
    "keep-racks": ("options", "keep_racks"),
    "even-topics": ("options", "even_topics"),
    "same-rack": ("options", "same_rack"),
    "rebalance": ("wish", "rebalance"),
    "mend": ("wish", "mend_racks"),
    "leaders": ("wish", "leaders_only"),
    "mend-all": ("wish", "mend"),
}
#: What ``show`` says where pages leave the what-if aside.
_PRESENT = "present"
#: What ``internal`` says where internal topics are excluded.
_OUT = "out"
#: Names of rules in links that are not those of the options, and what parts their items where it is no line end.
_RULE_NAMES = {"never_leads": "never", "never_onto": "closed"}
_SEPARATORS = {"never_leads": ",", "never_onto": ","}
#: The names that a link uses; a page's own choices have others.
NAMES = (
    "layout", "file", "live", "past", "remove", "add", "replace", "rf", "topics",
    *(_RULE_NAMES.get(name, name) for name in RULES),
    "options", "point", "show", "internal", "without", "racks",
)  # fmt: skip
#: A link carries at most this many racks told by hand; more come with the racks file again.
_MOST_RACKS = 120


@dataclass(frozen=True, slots=True)
class Link:
    """What a link names.

    Attributes:
        digest: the layout's digest, edits applied; of a link of earlier versions its first half.
        name: the file's name.
        edits: racks told by hand, topics left out.
        wish: the what-if, the point of its curve included.
        error: what in the link was not understood, or None.
        live: where it is about a live cluster of that name (the digest is the reading looked at), after how many
            seconds it is read again, 0 for by hand; None where it is not.
        past: the moment of a cluster's history that the layout is of, or None.
        after: whether pages show what the what-if leads to; links that do not say it do.
    """

    digest: str
    name: str
    edits: Edits
    wish: Wish
    error: str | None = None
    live: int | None = None
    past: Past | None = None
    after: bool = True

    def names(self, digest: str) -> bool:
        """Whether this link is about the layout with this digest, which the same session opened itself."""
        return digest == self.digest or (len(self.digest) == _HALF and digest.startswith(self.digest))


def to_query(
    digest: str,
    name: str,
    edits: Edits,
    wish: Wish,
    *,
    live: int | None = None,
    past: Past | None = None,
    after: bool = True,
) -> dict[str, str]:
    """Query parameters, in a fixed order, without the empty ones; the arguments are the attributes of ``Link``."""
    parts = {"options": wish.options, "edits": edits, "wish": wish}
    choices = [
        word if told is True else f"{word}:{told}"
        for word, (part, field) in _CHOICES.items()
        if (told := getattr(parts[part], field)) is not None and told is not False
    ]
    query = {
        "layout": digest,
        "file": name,
        "live": "" if live is None else str(live),
        "past": "" if past is None else past.link,
        "remove": ",".join(map(str, wish.remove)),
        "add": "\n".join(_pair(broker, rack) for broker, rack in wish.add),
        "replace": ",".join(f"{old}:{new}" for old, new in wish.places),
        "rf": str(wish.replication_factor) if wish.topics and wish.replication_factor is not None else "",
        "topics": "\n".join(wish.topics),
        **{
            _RULE_NAMES.get(name, name): (_SEPARATORS.get(name, "\n")).join(map(rule.line, getattr(wish.options, name)))
            for name, rule in RULES.items()
        },
        "options": ",".join(choices),
        "point": "" if wish.point is None else str(wish.point),
        "show": "" if after or wish.is_empty else _PRESENT,
        "internal": _OUT if edits.without_internal else "",
        "without": "\n".join(edits.without),
        "racks": "\n".join(_pair(broker, rack) for broker, rack in edits.racks[:_MOST_RACKS]),
    }
    return {key: value for key, value in query.items() if value}


def from_query(query: Mapping[str, str]) -> Link | None:
    """What a query names; None where it names no layout. What is not understood is said in ``error``.

    A moment of the past is named well enough by ``past`` alone: its layout is in the history.
    """
    digest = query.get("layout", "")
    if not digest and not query.get("past"):
        return None
    name = query.get("file", "")
    try:
        past = Past.from_link(query["past"]) if query.get("past") else None
    except ValueError as error:
        return Link("-", name, Edits(), Wish(), f"The link's snapshot is invalid: {error}")
    if digest and (len(digest) not in (_WHOLE, _HALF) or set(digest) - set("0123456789abcdef")):
        return Link("-", name, Edits(), Wish(), f"The link's layout is not a digest of {_WHOLE} hexadecimal digits.")
    try:
        chosen = _chosen(query.get("options", ""))
        edits = Edits(
            racks=_pairs(query.get("racks", "")),
            without_internal=_says(query, "internal", _OUT),
            without=_lines(query.get("without", "")),
            **chosen["edits"],
        )
        after = not _says(query, "show", _PRESENT)
        live = _broker(query["live"]) if query.get("live") else None
        rules = {
            name: rule.read_all(query.get(_RULE_NAMES.get(name, name), "").split(_SEPARATORS.get(name, "\n")))
            for name, rule in RULES.items()
        }
        wish = Wish(
            remove=_brokers(query.get("remove", "")),
            add=_pairs(query.get("add", "")),
            replication_factor=_positive(query["rf"]) if query.get("rf") else None,
            topics=_lines(query.get("topics", "")),
            options=Options(**chosen["options"] | rules),
            point=_broker(query["point"]) if query.get("point") else None,
            replace=_replaced(query.get("replace", "")),
            **chosen["wish"],
        )
        if wish.is_empty and (wish.replace or wish.replication_factor is not None):
            half, other = ("replace", "remove") if wish.replace else ("rf", "topics")
            raise ValueError(f"'{half}' also needs '{other}'.")
    except ValueError as error:
        return Link(digest, name, Edits(), Wish(), f"The link's what-if is invalid: {error}")
    return Link(digest, name, edits, wish, live=live, past=past, after=after)


def _says(query: Mapping[str, str], name: str, word: str) -> bool:
    """Whether a name says its only word."""
    said = query.get(name, "")
    if said not in ("", word):
        raise ValueError(f"'{said[:20]}' is not '{word}', the only value of '{name}'.")
    return said == word


def _pair(broker: int, rack: str | None) -> str:
    return str(broker) if rack is None else f"{broker}:{rack}"


def _pairs(text: str) -> tuple[tuple[int, str | None], ...]:
    pairs: dict[int, str | None] = {}
    for line in _lines(text):
        broker, colon, rack = line.partition(":")
        pairs[_broker(broker)] = rack if colon and rack else None
    return tuple(sorted(pairs.items()))


def _replaced(text: str) -> tuple[tuple[int, int], ...]:
    pairs = (pair.partition(":") for pair in text.split(",") if pair)
    return tuple(sorted({_broker(old): _broker(new) for old, _, new in pairs}.items()))


def _lines(text: str) -> tuple[str, ...]:
    return tuple(line for line in text.split("\n") if line)


def _chosen(text: str) -> dict[str, dict[str, Any]]:
    """The fields of edits, options and wish that words name; one that names none may be of a later version."""
    chosen: dict[str, dict[str, Any]] = {"options": {}, "edits": {}, "wish": {}}
    for word, colon, value in (one.partition(":") for one in text.split(",") if one):
        if word not in _CHOICES or bool(colon) != (word in _NUMBERS):
            raise ValueError(f"'{word[:20]}' is no option of this version.")
        part, field = _CHOICES[word]
        chosen[part][field] = _NUMBERS[word](value) if colon else True
    return chosen


def _broker(text: str) -> int:
    number = id_in(text)
    if number is None:
        raise ValueError(f"'{text[:20]}' is not a broker id or a count.")
    return number


def _brokers(text: str) -> tuple[int, ...]:
    """Ids with commas, ascending and once each."""
    return tuple(sorted({_broker(one) for one in text.split(",") if one}))


def _positive(text: str) -> int:
    value = _broker(text)
    if value < 1:
        raise ValueError("a number of at least 1 was expected.")
    return value


def _bytes(text: str) -> int:
    return bytes_in(f"{text}B")


#: How the number is read that stands behind a word of ``options``.
_NUMBERS = {"cap": _broker, "moves": _broker, "data": _bytes}
