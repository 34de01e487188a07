"""How uneven a column of counts is, compared with the least that is possible."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from reseat.model import Longs

__all__ = ["Spread", "least_possible_spread", "least_possible_spread_in_groups", "spread_of"]


@dataclass(frozen=True, slots=True)
class Spread:
    """How uneven a load is over those that carry it (brokers not known to be dead, racks, ...).

    Attributes:
        count: how many carry it.
        mean: the mean load.
        least: the smallest load.
        most: the largest load.
        spread: ``most`` less ``least``.
        variation: standard deviation (of the whole population) by mean; 0 where the mean is 0.
        least_possible: the least spread that the same total can have over the same carriers, whole units only, each
            within what it can hold; None where that is not known (bytes come in lumps of whole replicas).
    """

    count: int
    mean: float
    least: float
    most: float
    spread: float
    variation: float
    least_possible: int | None = None

    @property
    def avoidable(self) -> float | None:
        """By how much the spread is larger than it must be; None where the least possible spread is not known."""
        return None if self.least_possible is None else max(0.0, self.spread - self.least_possible)


def spread_of(
    load: npt.NDArray[np.integer] | npt.NDArray[np.floating],
    *,
    whole: bool = True,
    room: Longs | None = None,
    least_possible: int | None = None,
) -> Spread | None:
    """Measure a column of loads, (n,); None where nobody carries anything because n is 0.

    Args:
        load: the load of each carrier.
        whole: whether loads are whole units that could be shared out freely, so that a least spread is known.
        room: (n,) the most units each carrier can hold; unlimited by default.
        least_possible: the least possible spread, where the caller knows more than ``room`` says.
    """
    if not load.size:
        return None
    mean, deviation = float(load.mean()), float(load.std())
    least, most = float(load.min()), float(load.max())
    if whole and least_possible is None:
        least_possible = least_possible_spread(int(load.sum()), int(load.size), room)
    return Spread(
        count=int(load.size),
        mean=mean,
        least=least,
        most=most,
        spread=most - least,
        variation=deviation / mean if mean else 0.0,
        least_possible=least_possible,
    )


def least_possible_spread(total: int, carriers: int, room: Longs | None = None) -> int:
    """The least spread that ``total`` whole units over so many carriers can have: 7 over 3 cannot be below 1.

    Where units are replicas and carriers are racks, with the room that racks have, this is exact for one replication
    factor and a lower bound for several.

    Args:
        total: units to share out.
        carriers: how many share them, at least 1.
        room: (carriers,) the most units each can hold, at least ``total`` together; unlimited by default.
    """
    if room is None:
        return 0 if total % carriers == 0 else 1
    return least_possible_spread_in_groups(total, np.ones(carriers, np.int64), room)


def least_possible_spread_in_groups(total: int, sizes: npt.NDArray[np.integer], room: npt.NDArray[np.integer]) -> int:
    """The least spread over carriers that stand in groups, each group with a limit for all of its carriers together.

    Units are poured like water: groups with little room for their size fill up, and the others share the rest. So the
    one broker of a small rack that every partition needs is not called skewed for holding more than others.

    Args:
        total: units to share out.
        sizes: (g,) how many carriers each group has, at least 1.
        room: (g,) the most units each group can hold, at least ``total`` together.
    """
    groups: list[tuple[int, int]] = sorted(
        zip(sizes.tolist(), room.tolist(), strict=True), key=lambda group: group[1] / group[0]
    )
    left, still = total, sum(size for size, _ in groups)
    lowest: int | None = None
    highest = 0
    for place, (size, most) in enumerate(groups):
        level, rest = divmod(left, still)
        # Everyone from here on holds ``level``; is there room for one more on ``rest`` of them?
        if most >= size * level and sum(min(n, m - n * level) for n, m in groups[place:]) >= rest:
            highest = max(highest, level + (1 if rest else 0))
            return highest - (level if lowest is None else min(lowest, level))
        lowest = most // size if lowest is None else min(lowest, most // size)
        highest = max(highest, -(-most // size))
        left -= most
        still -= size
    return 0 if lowest is None else highest - lowest
