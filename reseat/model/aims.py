"""Aims in an order, as a person writes them: the change whose order that is.

Promises: a change that comes of aims is one that has a name of its own, so that its plan, certificate and proof are
those of that change; an order that no change has is refused, with the one that comes closest.

How: what a change asks for first counts most (``docs/changes.md``). Preferred leaders come last in each and need not be
written, nor replica balance where it is the last of the others; a spread beside balance asks for nothing, as the least
sum of squares has the least spread.

Example: ``racks, moves, balance`` is *rack diversity only*.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product, takewhile
from typing import Any

from reseat.errors import WishRefused
from reseat.model.wish import Wish
from reseat.model.wording import listed

__all__ = ["AIMS", "aims_of", "with_aims"]

#: What may count. Racks that are not named are kept as diverse as they are.
AIMS = ("racks", "topics", "spread", "moves", "balance", "bytes", "leaders")
#: What a rebalance may be told beside, in a document's words.
_WAYS = ("keep_racks", "even_topics", "by_bytes")


def with_aims(wish: Wish, aims: Sequence[str]) -> Wish:
    """The change with its aims in this order; none: as it is.

    Raises:
        WishRefused: an aim is not known or named twice, or no change has this order.
    """
    if not aims:
        return wish
    strange = [aim for aim in aims if aim not in AIMS]
    if strange:
        raise WishRefused(f"{strange[0]!r} is no aim.", choices=(f"Name some of {listed(AIMS, len(AIMS))}.",))
    if len({*aims}) < len(aims):
        raise WishRefused(f"An aim is named twice: {', '.join(aims)}.", choices=("Name each aim once.",))
    may = list(dict.fromkeys(one for one in _changes(wish) if aims_of(one)))
    for one in may:
        # Where nothing has to move the fewest moves are none, whatever comes after.
        if _short(aims) == _short(aims_of(one)) or (one.leaders_only and aims[0] == "moves"):
            return one
    closest = max(may, key=lambda one: _same_first(aims, aims_of(one)))
    raise WishRefused(
        f"No change has its aims in this order: {', '.join(aims)}. "
        f"The closest is {_name(closest)}: {', '.join(aims_of(closest))}.",
        choices=(f"Ask for {_name(closest)} without aims.", "Give its aims in its order."),
    )


def aims_of(wish: Wish) -> tuple[str, ...]:
    """What counts in a change, the first most; empty where nothing is wished."""
    racks, options = () if wish.keeps_racks else ("racks",), wish.options
    if wish.rebalance:
        even = "bytes" if options.by_bytes else "spread"
        topics = ("topics",) if options.even_topics else ()
        return (*racks, *topics, even, "moves", *(() if options.by_bytes else ("balance",)), "leaders")
    if wish.mend_racks or wish.mend:
        return (*racks, "moves", "balance", "leaders")
    if wish.leaders_only:
        return ("moves", "leaders")
    if wish.only_adds:
        return ("spread", "moves", "balance", "leaders")
    if wish.is_empty:
        return ()
    return ("moves", *racks, "bytes" if options.by_bytes and wish.drains else "balance", "leaders")


def _changes(wish: Wish) -> Iterator[Wish]:
    """The change as it is, and those that aims may make of it."""
    yield wish
    if wish.topics or wish.places or (wish.rearranges and not wish.rebalance):
        return
    for ways in product((False, True), repeat=len(_WAYS)):
        told: dict[str, Any] = {name: way or getattr(wish.options, name) for name, way in zip(_WAYS, ways, strict=True)}
        if not (told["even_topics"] and told["by_bytes"]):
            yield replace(wish, rebalance=True, options=replace(wish.options, **told))
    if not (wish.remove or wish.add or wish.rebalance):
        yield from (replace(wish, mend_racks=True), replace(wish, leaders_only=True))
    if wish.drains:
        yield replace(wish, options=replace(wish.options, by_bytes=True))


def _short(aims: Sequence[str]) -> tuple[str, ...]:
    """Aims without those that ask for nothing more."""
    short = list(aims)
    if "balance" in short and "spread" in short:
        first, last = sorted((short.index("spread"), short.index("balance")))
        if short[last] == "spread" or last == first + 1:
            short.remove("spread")
    for last_of_all in ("leaders", "balance"):
        if len(short) > 1 and short[-1] == last_of_all:
            short.pop()
    return tuple(short)


def _same_first(aims: Sequence[str], others: Sequence[str]) -> int:
    """How many aims are the same, from the first on."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(aims, others, strict=False)))


def _name(wish: Wish) -> str:
    """A change in a document's words."""
    names = [name for name in ("rebalance", "mend_racks", "mend", "leaders_only") if getattr(wish, name)]
    names += [name for name in _WAYS if getattr(wish.options, name)]
    if not names:
        names = ["remove" if wish.remove else "add" if wish.add else "replication_factor"]
    return listed(names)
