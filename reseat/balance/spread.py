"""How uneven a column of counts is, compared with the least that is possible."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

__all__ = ["Spread", "least_possible_spread", "spread_of"]


@dataclass(frozen=True, slots=True)
class Spread:
    """How uneven a load is over those that carry it (brokers not known to be dead, racks, ...).

    Attributes:
        count: how many carry it.
        mean: the mean load.
        least: the smallest load.
        most: the largest load.
        spread: ``most`` less ``least``.
        deviation: the standard deviation (of the whole population).
        variation: the coefficient of variation, ``deviation / mean``; 0 where the mean is 0.
        least_possible: the least spread that the same total can have over the same carriers, whole units only, each
            within what it can hold; None where that is not known (bytes come in lumps of whole replicas).
    """

    count: int
    mean: float
    least: float
    most: float
    spread: float
    deviation: float
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
    room: npt.NDArray[np.int64] | None = None,
) -> Spread | None:
    """Measure a column of loads, (n,); None where nobody carries anything because n is 0.

    Args:
        load: the load of each carrier.
        whole: whether loads are whole units that could be shared out freely, so that a least spread is known.
        room: (n,) the most units each carrier can hold; unlimited by default.
    """
    if not load.size:
        return None
    mean, deviation = float(load.mean()), float(load.std())
    least, most = float(load.min()), float(load.max())
    return Spread(
        count=int(load.size),
        mean=mean,
        least=least,
        most=most,
        spread=most - least,
        deviation=deviation,
        variation=deviation / mean if mean else 0.0,
        least_possible=least_possible_spread(int(load.sum()), int(load.size), room) if whole else None,
    )


def least_possible_spread(total: int, carriers: int, room: npt.NDArray[np.int64] | None = None) -> int:
    """The least spread that ``total`` whole units over so many carriers can have: 7 over 3 cannot be below 1.

    With ``room``, units are poured like water: the smallest carriers fill up and the others share the rest. Where
    units are replicas and carriers are racks this is exact for one replication factor, and a lower bound for several.

    Args:
        total: units to share out.
        carriers: how many share them, at least 1.
        room: (carriers,) the most units each can hold.
    """
    if room is None:
        return 0 if total % carriers == 0 else 1
    left = total
    smallest: int | None = None
    ordered = np.sort(room).tolist()
    for place, most in enumerate(ordered):
        still = len(ordered) - place
        level, rest = divmod(left, still)
        if most > level or (most == level and rest == 0):  # nobody from here on fills up: they share evenly
            top = level + (1 if rest else 0)
            return top - (level if smallest is None else min(smallest, level))
        smallest = most if smallest is None else smallest  # the first that fills up is the smallest of all
        left -= most
    return 0 if smallest is None else int(ordered[-1]) - smallest
