"""Which demands of a refused change cannot hold together: a smallest set of them, in words.

Promises: the demands found are refused together, and without any one of them the others are not. Nothing can be left
out of the set; another set may have fewer members. That there is a plan for all else that is asked for without any one
of them is said where that was tried. Where time runs out before the set is known, the fewest found by then are told as
refused together, and no more.

Needs: planning that is refused for a part of what is asked for only if it is refused for the whole, as it is with rules
and brokers that leave: each takes choices away.

How: the layout is halved as long as a half of it is refused, what is about topics that a half lacks aside; demands that
are no matter to what is left are left out, many at once and then one by one, as long as the rest is still refused; then
the same with the whole layout. Tries of a drain end with its replica sets: no demand is about leaders.

Example: of brokers 0, 1 and 2 with replication factor 2, 0 is removed, 1 receives nothing and a topic is pinned: the
first two cannot hold together, the pin is no matter.

Complexity: O(k log n) plans of a small part where k of n demands matter, and O(k) of the whole. Source: the deletion
filter of J. W. Chinneck, E. W. Dravnieks, "Locating Minimal Infeasible Constraint Sets in Linear Programs", ORSA
Journal on Computing 3(2), 1991.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np

from reseat.errors import WishRefused
from reseat.model import ClusterLayout, Options, Wish
from reseat.model.rules import RULES
from reseat.model.units import size
from reseat.model.wording import counted, listed
from reseat.planning.plan import require_sets
from reseat.planning.preconditions import pinned_by_wish, require_known
from reseat.planning.rack_levels import regions
from reseat.planning.rules import only_onto, sharing

__all__ = ["Conflict", "Demand", "conflict", "conflict_in_words", "demands", "without"]

#: How long the demands are tried.
_SECONDS = 3.0
#: After so many rounds in which nothing could be left out, demands are tried one by one.
_IN_VAIN = 2
_ITEMS = ("pin", "never_onto", "only_onto", "keep_apart", "capacity", "rack_levels")
_LIMITS: dict[str, Callable[[int], str]] = {
    "receive_cap": lambda most: f"no broker receives more than {counted(most, 'replica')}",
    "max_moves": lambda most: f"there are at most {counted(most, 'move')}",
    "max_bytes": lambda most: f"at most {size(most)} is copied",
}
_FLAGS = {
    "by_bytes": "the plan balances by size",
    "same_rack": "replicas stay in their racks",
    "keep_racks": "no partition gets less diverse over racks",
    "even_topics": "each topic is balanced by itself",
}
_RULES = frozenset({*_ITEMS, *_LIMITS, *_FLAGS})
#: Demands of a kind that the sentence spells out, where they are not told as one; the rest is counted.
_SPELLED_OUT = 10
#: What is said of several of a kind, before and after their names.
_PLURALS = {"never_onto": ("brokers", "receive nothing"), "remove": ("brokers", "are removed")}


@dataclass(frozen=True)
class Demand:
    """One thing that is asked for.

    Attributes:
        kind: the field of ``Wish`` or ``Options`` that holds it.
        value: what is in it: a broker, a pin, a topic; None where the field is one thing.
        words: the same for a person.
    """

    kind: str
    value: Any
    words: str

    @property
    def is_rule(self) -> bool:
        """Whether it is a rule, and not a part of the change itself."""
        return self.kind in _RULES


@dataclass(frozen=True)
class Conflict:
    """What of a refused change cannot hold together.

    Attributes:
        demands: that are refused together; none where one is refused alone or none is a rule.
        least: whether they are not refused without any one of them; False: time ran out, and without demands nothing
            is known.
        enough: whether there is a plan for all else that is asked for without any one of them, as far as known.
    """

    demands: tuple[Demand, ...] = ()
    least: bool = True
    enough: bool = False


def conflict(
    layout: ClusterLayout, wish: Wish, *, seconds: float = _SECONDS, clock: Callable[[], float] = time.monotonic
) -> Conflict:
    """A smallest set of demands of a refused change that are refused together, tried for so many seconds."""
    every = demands(wish)
    if len(every) < 2 or wish.point is not None or not any(demand.is_rule for demand in every):
        return Conflict()
    end, fewest, lost = clock() + seconds, list(range(len(every))), cache(_lost)

    def refused(part: ClusterLayout, kept: list[int]) -> bool:
        nonlocal fewest
        if clock() > end:
            raise TimeoutError
        there = set(kept)
        gone = [one for at, one in enumerate(every) if at not in there or (part is not layout and lost(part, one))]
        try:
            if not (tried := without(wish, gone)).is_empty:
                require_sets(part, tried)
        except WishRefused:
            fewest = kept if part is layout else fewest
            return True
        return False

    kept, least = fewest, True
    try:
        if not refused(layout, kept):  # for another reason than its sets
            return Conflict()
        part = _refused_part(layout, lambda one: refused(one, kept))
        few = _needed(kept, lambda some: refused(part, some))
        kept = few if part is layout else _needed(few if refused(layout, few) else kept, lambda s: refused(layout, s))
    except TimeoutError:
        kept, least = fewest if len(fewest) < len(every) else [], False
    found = tuple(every[at] for at in kept)
    if len(found) < 2 or not any(demand.is_rule for demand in found):
        return Conflict((), least)
    if alone := [one for one in found if lost(layout, one)]:  # whatever stands beside it
        return replace(conflict(layout, without(wish, alone), seconds=end - clock(), clock=clock), enough=False)
    try:
        others = ([other for other in range(len(every)) if other != at] for at in kept)
        enough = least and (len(kept) == len(every) or not any(refused(layout, some) for some in others))
    except TimeoutError:
        enough = False
    return Conflict(found, least, enough)


def _lost(part: ClusterLayout, demand: Demand) -> bool:
    """Whether a demand is about topics, partitions, brokers, racks or sizes that a part of the layout lacks."""
    kind, value = demand.kind, demand.value
    try:
        if kind == "pin":
            pinned_by_wish(part, Options(pin=(value,)))
        elif kind == "only_onto":
            only_onto(part, Options(only_onto=(value,)))
        elif kind == "keep_apart":
            sharing(part, value)
        elif kind in ("never_onto", "capacity"):
            require_known(part, (getattr(value, "broker", value),))
        elif kind == "rack_levels" and not regions(part, Options(rack_levels=(value,))):
            return True
    except WishRefused:
        return True
    sized = kind in ("by_bytes", "max_bytes") or getattr(value, "bytes", None) is not None
    racked = kind == "same_rack" and not part.racks
    return racked or (sized and part.copy_bytes is None) or (kind == "topics" and value not in part.topics)


def _refused_part(layout: ClusterLayout, refused: Callable[[ClusterLayout], bool]) -> ClusterLayout:
    """A part of the layout that is refused as well, of which no half is."""
    while (count := layout.partition_count) > 1:
        rows = np.arange(count)
        halves = (layout.select(half) for half in (rows[: count // 2], rows[count // 2 :]))
        half = next((one for one in halves if refused(one)), None)
        if half is None:
            break
        layout = half
    return layout


def _needed(kept: list[int], refused: Callable[[list[int]], bool]) -> list[int]:
    """Those of a refused list that are refused together, and not without any one."""
    size, in_vain = max(1, len(kept) // 2), 0
    while True:
        at, before = 0, len(kept)
        while at < len(kept):
            rest = kept[:at] + kept[at + size :]
            if refused(rest):
                kept = rest
            else:
                at += size
        if size == 1:
            return kept
        in_vain = in_vain + 1 if len(kept) == before else 0
        size = 1 if in_vain == _IN_VAIN else max(1, size // 2)


def conflict_in_words(found: Conflict) -> str:
    """The sentence for what ``conflict`` found; empty where it is nothing."""
    tried = f"that is tried for {_SECONDS:.0f} seconds."
    if not found.demands:
        return "" if found.least else f"Which rules conflict, if any do, is unknown: {tried}"
    said: list[str] = []
    for kind in dict.fromkeys(demand.kind for demand in found.demands):
        demands = [demand for demand in found.demands if demand.kind == kind]
        words = [demand.words for demand in demands]
        if len(words) > 1 and kind in _PLURALS:
            words = [f" {listed(demand.value for demand in demands)} ".join(_PLURALS[kind])]
        elif len(words) > _SPELLED_OUT:
            words[_SPELLED_OUT - 1 :] = [f"{len(words) - _SPELLED_OUT + 1:,} more of this kind"]
        said += words
    last = "Without any one of them there is a plan."
    if not found.enough:
        last = "Without any one of them the others can hold together, but more of the change may be refused."
    if not found.least:
        last = f"Whether all are needed is unknown: {tried}"
    return f"These cannot hold together: {'; '.join(said)}. {last}"


def without(wish: Wish, demands: Iterable[Demand]) -> Wish:
    """The same change without some of its demands."""
    gone: dict[str, set[Any]] = {}
    for demand in demands:
        gone.setdefault(demand.kind, set()).add(demand.value)
    fields: dict[str, Any] = {}
    for kind, values in gone.items():
        if kind in _LIMITS or kind in _FLAGS:
            fields[kind] = False if kind in _FLAGS else None
        elif kind in _RULES:
            fields[kind] = tuple(one for one in getattr(wish.options, kind) if one not in values)
        elif kind == "remove":
            places = tuple(pair for pair in wish.replace if pair[0] not in values)
            wish = replace(wish, remove=tuple(one for one in wish.remove if one not in values), replace=places)
        else:
            left = tuple(one for one in wish.topics if one not in values)
            wish = replace(wish, topics=left, replication_factor=wish.replication_factor if left else None)
    return replace(wish, options=replace(wish.options, **fields)) if fields else wish


def demands(wish: Wish) -> list[Demand]:
    """All that is asked for and can be left out by itself; rules that a person sets by the way first."""
    options = wish.options
    found = [Demand(kind, item, _item_in_words(kind, item)) for kind in _ITEMS for item in getattr(options, kind)]
    limits = ((kind, words, getattr(options, kind)) for kind, words in _LIMITS.items())
    found += [Demand(kind, None, words(most)) for kind, words, most in limits if most is not None]
    found += [Demand(kind, None, words) for kind, words in _FLAGS.items() if getattr(options, kind)]
    found += [Demand("remove", broker, f"broker {broker} is removed") for broker in wish.remove]
    found += [
        Demand("topics", topic, f"{topic} gets replication factor {wish.replication_factor}") for topic in wish.topics
    ]
    return found


def _item_in_words(kind: str, item: Any) -> str:
    line = RULES[kind].line(item)
    if kind == "pin":
        return f"{line} is pinned"
    if kind == "never_onto":
        return f"broker {line} receives nothing"
    if kind == "rack_levels":
        return f"replicas spread over regions first (racks split at {line})"
    if kind == "only_onto":
        places = [*(f"broker {one}" for one in item.brokers), *(f"rack {one}" for one in item.racks)]
        return f"{listed(item.topics)} is only on {listed(places)}"
    if kind == "keep_apart":
        return f"{listed(item)} share no broker"
    most = size(item.bytes) if item.bytes is not None else counted(item.replicas, "replica")
    return f"broker {item.broker} holds at most {most}"
