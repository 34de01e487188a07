"""Naive, striped, KRaft and the evenest placement over many topics, measured alike, so that one sees why Kafka draws.

What it promises: each placer places the very same topics over the same brokers; the measures are counts over all their
replica lists. Between naive and striped stands naive with a random start, which no version of Kafka does: it has the
random start of striped placement without its shift, so that the worth of each is seen apart.

Complexity: O(P R**2) for the measures; the placements take what they say.

Source: the measures are Reseat's own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from reseat.errors import PlacementRefused
from reseat.model import Broker, IntArray, Longs
from reseat.placement.draw_source import DrawSource
from reseat.placement.evenest import place_evenest
from reseat.placement.kraft import place_kraft
from reseat.placement.naive import place_naive
from reseat.placement.striped import RackMode, by_rack_mode, place_striped

__all__ = ["PLACERS", "Outcome", "compare", "mixed_sizes"]


#: The placers, in the order in which each adds something to the one before.
PLACERS = ("naive", "random start", "striped", "kraft", "evenest")
#: Partitions of a topic, each as often as it stands here: many small topics, some of a dozen, few large ones.
_SIZES = (1, 1, 1, 2, 3, 3, 3, 4, 6, 6, 6, 8, 12, 12, 16, 24, 48)


@dataclass(frozen=True, eq=False)
class Outcome:
    """What one placer makes of all topics.

    Attributes:
        placer: one of ``PLACERS``.
        brokers: (B,) int32 broker ids by rack, then by id; the order of the columns below.
        replicas: (B,) replicas a broker.
        leaders: (B,) preferred leaders a broker.
        shared: (B, B) partitions that two brokers share; 0 on the diagonal.
        excess: (T,) by topic, how much further apart its fullest and emptiest broker are than they must be.
        lacking_racks: partitions on fewer racks than they could be; 0 where no broker has a rack.
        partitions: P, all partitions.
    """

    placer: str
    brokers: IntArray
    replicas: Longs
    leaders: Longs
    shared: Longs
    excess: Longs
    lacking_racks: int
    partitions: int

    @property
    def replica_spread(self) -> int:
        """Fullest minus emptiest broker, in replicas."""
        return int(np.ptp(self.replicas))

    @property
    def leader_spread(self) -> int:
        """Fullest minus emptiest broker, in preferred leaders."""
        return int(np.ptp(self.leaders))

    @property
    def neighbours(self) -> Longs:
        """(B,) with how many others each broker shares partitions."""
        return np.asarray((self.shared > 0).sum(axis=1), np.int64)

    @property
    def closest(self) -> float:
        """The largest part of a broker's shared partitions that one single neighbour has, over all brokers."""
        total = self.shared.sum(axis=1)
        return float((self.shared.max(axis=1, initial=0) / np.maximum(total, 1)).max(initial=0.0))


def mixed_sizes(topics: int, draws: DrawSource) -> tuple[int, ...]:
    """Partitions of so many topics of mixed sizes.

    Args:
        topics: how many.
        draws: where the sizes come from.
    """
    return tuple(_SIZES[draws.next_int(len(_SIZES))] for _ in range(topics))


def compare(
    brokers: Sequence[Broker],
    sizes: Sequence[int],
    replication_factor: int,
    draws_of: Callable[[], DrawSource],
    *,
    placers: Sequence[str] = PLACERS,
) -> tuple[Outcome, ...]:
    """Place the same topics by several placers and measure each.

    Args:
        brokers: the brokers; racks count where all have one.
        sizes: partitions of each topic.
        replication_factor: replicas of all partitions.
        draws_of: makes a fresh source of draws for each placer.
        placers: which ones.

    Raises:
        PlacementRefused: as the placements; no topic.
    """
    if not sizes:
        raise PlacementRefused("There is no topic to place.")
    ordered = by_rack_mode(brokers, RackMode.ENFORCED)
    return tuple(
        _measured(placer, ordered, sizes, _lists(placer, ordered, sizes, replication_factor, draws_of))
        for placer in placers
    )


def _lists(
    placer: str, brokers: tuple[Broker, ...], sizes: Sequence[int], factor: int, draws_of: Callable[[], DrawSource]
) -> IntArray:
    draws = draws_of()
    if placer == "evenest":
        placed = place_evenest(brokers, [(size, factor) for size in sizes])
    elif placer == "kraft":
        placed = tuple(place_kraft(brokers, size, factor, draws=draws) for size in sizes)
    elif placer == "striped":
        placed = tuple(place_striped(brokers, size, factor, draws=draws) for size in sizes)
    elif placer == "random start":
        starts = [draws.next_int(len(brokers)) for _ in sizes]
        placed = tuple(
            place_naive((*brokers[start:], *brokers[:start]), size, factor)
            for start, size in zip(starts, sizes, strict=True)
        )
    else:
        placed = tuple(place_naive(brokers, size, factor) for size in sizes)
    return np.concatenate([one.replicas for one in placed])


def _measured(placer: str, brokers: tuple[Broker, ...], sizes: Sequence[int], lists: IntArray) -> Outcome:
    count, factor = len(brokers), lists.shape[1]
    names = sorted({broker.rack or "" for broker in brokers})
    by_rack = sorted(range(count), key=lambda at: (brokers[at].rack or "", brokers[at].id))
    column = np.empty(count, np.int64)  # by place in the order of ids
    column[by_rack] = np.arange(count)
    ids = np.array([broker.id for broker in brokers], np.int32)
    at = column[np.searchsorted(ids, lists)]
    pairs = np.zeros(count * count, np.int64)
    for one in range(factor):
        for other in range(one + 1, factor):
            pairs += np.bincount(at[:, one] * count + at[:, other], minlength=count * count)
    shared = pairs.reshape(count, count)
    rack = np.array([names.index(brokers[place].rack or "") for place in by_rack])
    on = np.sort(rack[at], axis=1)
    racks_used = 1 + (np.diff(on, axis=1) != 0).sum(axis=1)
    topic = np.repeat(np.arange(len(sizes)), sizes)
    held = np.bincount((topic[:, None] * count + at).reshape(-1), minlength=len(sizes) * count)
    spread = np.ptp(held.reshape(len(sizes), count), axis=1)
    least = (np.array(sizes) * factor % count != 0).astype(np.int64)
    return Outcome(
        placer,
        ids[by_rack],
        np.bincount(at.reshape(-1), minlength=count),
        np.bincount(at[:, 0], minlength=count),
        shared + shared.T,
        spread - least,
        int((racks_used < min(factor, len(names))).sum()),
        len(lists),
    )
