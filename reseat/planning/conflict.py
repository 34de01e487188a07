"""Which demands of a refused change cannot hold together: a smallest set of them, in words.

Promises: the demands found are refused together, and without any one of them there is a plan (or nothing is asked for).
Nothing can be left out of the set; another set may have fewer members.

Needs: planning that is refused for a part of what is asked for only if it is refused for the whole, as it is with rules
and brokers that leave: each takes choices away.

How: demands are left out, many at once and then one by one, as long as the rest is still refused.

Example: of brokers 0, 1 and 2 with replication factor 2, 0 is removed, 1 receives nothing and a topic is pinned: the
first two cannot hold together, the pin is no matter.

Complexity: O(n) plans for n demands, fewer where few of many matter. Source: the deletion filter of J. W. Chinneck,
E. W. Dravnieks, "Locating Minimal Infeasible Constraint Sets in Linear Programs", ORSA Journal on Computing 3(2), 1991.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

from reseat.errors import WishRefused
from reseat.model import ClusterLayout, Wish
from reseat.model.rules import RULES
from reseat.model.units import size
from reseat.model.wording import counted, listed
from reseat.planning.plan import plan

__all__ = ["Demand", "conflict", "conflict_in_words", "demands", "without"]

#: Layouts up to which the demands are tried, and how long.
_MOST_PARTITIONS, _SECONDS = 100_000, 3.0
_ITEMS = ("pin", "never_onto", "only_onto", "keep_apart", "capacity", "rack_levels")
_LIMITS = ("receive_cap", "max_moves", "max_bytes")
_FLAGS = {
    "by_bytes": "the plan balances by size",
    "same_rack": "replicas stay in their racks",
    "keep_racks": "no partition gets less diverse over racks",
    "even_topics": "each topic is balanced by itself",
}
_RULES = frozenset({*_ITEMS, *_LIMITS, *_FLAGS})
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


def conflict(
    layout: ClusterLayout, wish: Wish, *, seconds: float = _SECONDS, clock: Callable[[], float] = time.monotonic
) -> tuple[Demand, ...]:
    """A smallest set of demands of a refused change that are refused together, tried for so many seconds.

    Returns:
        None of them where a single demand is refused by itself, no rule is among them, a point of a curve is asked
        for, or it took too long.
    """
    kept = demands(wish)
    if layout.partition_count > _MOST_PARTITIONS or len(kept) < 2 or wish.point is not None:
        return ()
    end = clock() + seconds
    size = max(1, len(kept) // 2)
    while True:
        at = 0
        while at < len(kept):
            if clock() > end:
                return ()
            rest = kept[:at] + kept[at + size :]
            if _refused(layout, without(wish, _others(wish, rest))):
                kept = rest
            else:
                at += size
        if size == 1:
            break
        size //= 2
    return tuple(kept) if len(kept) > 1 and any(demand.is_rule for demand in kept) else ()


def conflict_in_words(found: Iterable[Demand]) -> str:
    """The sentence for a set that ``conflict`` found."""
    grouped: dict[str, list[Demand]] = {}
    for demand in found:
        grouped.setdefault(demand.kind, []).append(demand)
    said = []
    for kind, demands in grouped.items():
        one, many = _PLURALS.get(kind, ("", ""))
        values = [demand.value for demand in demands]
        alone = len(demands) == 1 or not one
        said += [demand.words for demand in demands] if alone else [f"{one} {listed(values)} {many}"]
    return f"These cannot hold together: {'; '.join(said)}. Without any one of them there is a plan."


def without(wish: Wish, demands: Iterable[Demand]) -> Wish:
    """The same change without some of its demands."""
    for demand in demands:
        kind, value = demand.kind, demand.value
        if kind in _LIMITS or kind in _FLAGS:
            fields: dict[str, Any] = {kind: False if kind in _FLAGS else None}
            wish = replace(wish, options=replace(wish.options, **fields))
        elif kind in _RULES:
            fields = {kind: tuple(one for one in getattr(wish.options, kind) if one != value)}
            wish = replace(wish, options=replace(wish.options, **fields))
        elif kind == "remove":
            places = tuple(pair for pair in wish.replace if pair[0] != value)
            wish = replace(wish, remove=tuple(one for one in wish.remove if one != value), replace=places)
        else:
            left = tuple(one for one in wish.topics if one != value)
            wish = replace(wish, topics=left, replication_factor=wish.replication_factor if left else None)
    return wish


def demands(wish: Wish) -> list[Demand]:
    """All that is asked for and can be left out by itself; rules that a person sets by the way first."""
    options = wish.options
    found = [Demand(kind, item, _item_in_words(kind, item)) for kind in _ITEMS for item in getattr(options, kind)]
    if options.receive_cap is not None:
        words = f"no broker receives more than {counted(options.receive_cap, 'replica')}"
        found.append(Demand("receive_cap", None, words))
    if options.max_moves is not None:
        found.append(Demand("max_moves", None, f"there are at most {counted(options.max_moves, 'move')}"))
    if options.max_bytes is not None:
        found.append(Demand("max_bytes", None, f"at most {size(options.max_bytes)} are copied"))
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


def _others(wish: Wish, kept: list[Demand]) -> list[Demand]:
    return [demand for demand in demands(wish) if demand not in kept]


def _refused(layout: ClusterLayout, wish: Wish) -> bool:
    if wish.is_empty:
        return False
    try:
        plan(layout, wish)
    except WishRefused:
        return True
    return False
