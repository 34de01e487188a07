"""Levels of racks: names such as region/zone say what a rack is in, and replicas spread over that first.

Promises: of each partition that a plan may arrange the least sum of squares of its replicas by region, then by what is
below it, and then by rack: on as many regions as it can be, and as equally, before racks count at all (KIP-879 proposes
such names; kafka#1993 asks for it).

Needs: a change that makes racks the best they can be. What only keeps racks as diverse as they were, drops replicas or
weighs bytes knows racks alone, and is refused.

Example: racks e/1, e/2 and w/1, three replicas: one list has two in e and one in w, whatever is better balanced.

Complexity: partitions have their own arcs (``solve.partition_arcs``): a rebalance of 20,000 partitions on 60 brokers in
12 racks takes 15 s instead of 0.4.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from reseat.errors import WishRefused
from reseat.model import ClusterLayout, Longs, Options, Wish
from reseat.model.wording import counted, listed
from reseat.planning.solve.problem import Problem

__all__ = ["in_regions", "levels_of", "refused_of_racks", "regions"]

#: Levels above racks: each makes costs larger by the square of the replication factor.
_MOST_LEVELS = 3
#: Partitions times brokers and racks up to which it is planned: 20 s.
_MOST_ARCS = 2_000_000


def refused_of_racks(layout: ClusterLayout, wish: Wish) -> WishRefused | None:
    """Why a change knows no levels of racks, or cannot keep replicas in their racks; None where all is well."""
    if wish.options.rack_levels and (why := _without_levels(layout, wish)):
        choices = "Leave rack_levels out.", "Rebalance by replica count (--rebalance)."
    elif wish.options.same_rack and (not wish.drains or not layout.racks):
        stays = "Replicas stay in their racks in a drain alone, without replacements (same_rack)."
        why = stays if layout.racks else "No broker has a rack that replicas could stay in (same_rack)."
        choices = "Let replicas leave their rack (without --same-rack).", "Drain brokers, and nothing else."
    else:
        return None
    return WishRefused(why, choices=choices)


def _without_levels(layout: ClusterLayout, wish: Wish) -> str | None:
    if wish.keeps_racks:
        return (
            "A change that keeps racks as diverse as they are compares racks alone, not what they are in (rack_levels)."
        )
    if wish.mend:
        return "A mend drops replicas by their racks alone, not by what these are in (rack_levels)."
    if wish.options.by_bytes and (wish.rebalance or wish.remove):
        return "Balance by size looks at racks alone, not at what these are in (rack_levels)."
    factor = wish.replication_factor or 0
    if wish.topics and (layout.replication_factor[layout.is_topic(wish.topics)[layout.topic_of]] > factor).any():
        return "A lower replication factor drops replicas by their racks alone, not by what these are in (rack_levels)."
    return None


def in_regions(problem: Problem, layout: ClusterLayout, options: Options) -> Problem:
    """The problem in which replicas spread over what racks are in, before they do over racks.

    Raises:
        WishRefused: no rack is in anything, or the problem is too large.
    """
    levels = regions(layout, options)
    split = listed(options.rack_levels)
    if not 0 < len(levels) <= _MOST_LEVELS:
        many = f"Racks are in {len(levels)} levels of regions (split at {split}); at most {_MOST_LEVELS} are planned."
        raise WishRefused(
            many if levels else f"No rack is in a region: no name of a rack is split at {split} (rack_levels).",
            choices=("Name racks such as region/zone.", "Leave rack_levels out."),
        )
    rows = int(np.count_nonzero(problem.movable.any(axis=1) | (problem.need > 0)))
    brokers = int(problem.targets.sum())
    if rows * (brokers + problem.racks) > _MOST_ARCS:
        raise WishRefused(
            f"{counted(rows, 'partition')} on {counted(brokers, 'broker')} are too many to plan by levels of racks.",
            choices=("Leave rack_levels out.", "Give brokers their region as rack (--racks)."),
        )
    return replace(problem, regions=levels)


def regions(layout: ClusterLayout, options: Options) -> tuple[Longs, ...]:
    """``levels_of`` the racks of a layout; none where no levels are asked for."""
    return levels_of([one.rack for one in layout.brokers], options.rack_levels) if options.rack_levels else ()


def levels_of(racks: Iterable[str | None], separators: tuple[str, ...]) -> tuple[Longs, ...]:
    """(B,) codes of what each broker's rack is in, the coarsest first; none where no rack is in anything.

    A rack whose name has fewer levels than others is alone in those it lacks, as a broker without a rack is.
    """
    split = re.compile("|".join(map(re.escape, separators)))
    paths = [(f"\0{at}",) if rack is None else tuple(split.split(rack)) for at, rack in enumerate(racks)]
    levels = []
    for depth in range(1, max(map(len, paths), default=1)):
        number: dict[tuple[str, ...], int] = {}
        cut = [path[:depth] if len(path) > depth else (*path, "\0") for path in paths]
        levels.append(np.array([number.setdefault(one, len(number)) for one in cut], np.int64))
    return tuple(levels)
