"""What was found of a topic: the draws on a ring that make its lists, and what that says."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np

from reseat.model import NONE, IntArray, Longs
from reseat.placement.fingerprint.krafted import Krafted
from reseat.placement.ring import Ring
from reseat.placement.striped import lists_at

__all__ = ["FingerprintKind", "Fit", "TopicFingerprint", "differences"]


class FingerprintKind(Enum):
    """What a topic's lists say."""

    STRIPED = "striped"
    """Every partition sits as striped placement put it."""
    GREW = "striped, partitions added later"
    """Striped, and the partitions added later are where Kafka puts added ones."""
    MOVED = "striped, partitions moved since"
    """Most of it sits as placed, by draws or by KRaft; some partitions were moved by hand or by a tool."""
    KRAFT = "placed as KRaft does"
    """Every partition sits as KRaft's controller put it, which leaves no start and shift."""
    NOT_STRIPED = "not striped"
    """No draws make it, nor nearly."""
    UNKNOWN = "unknown"
    """No draws make it without racks, and racks, which placement heeds where there are some, are unknown."""


@dataclass(frozen=True)
class Fit:
    """A ring of brokers and all draws on it that make the same lists.

    Attributes:
        brokers: broker ids in ring order.
        rack_aware: whether racks played a part.
        start: the start index.
        shifts: every replica shift from 0 to n - 1 that gives the same lists.
        first_id: the first partition id that start and shifts are counted from.
        circumstance: where this is not the present cluster, a clause that says what it is
            ("before broker 11 joined"); else empty.
        ring: the ring, to place on again.
    """

    brokers: tuple[int, ...]
    rack_aware: bool
    start: int
    shifts: tuple[int, ...]
    first_id: int
    circumstance: str
    ring: Ring

    @property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """Every (start, shift)."""
        return tuple((self.start, shift) for shift in self.shifts)

    def lists(self, partitions: Iterable[int], replication_factor: int) -> list[list[int]]:
        """The replica lists that this fit gives to these partition ids."""
        ids = np.array(list(partitions), np.int64)
        made = lists_at(
            self.ring, ids, replication_factor, start=self.start, shift=self.shifts[0], first_id=self.first_id
        )
        return [[int(broker) for broker in row] for row in made]


@dataclass(frozen=True)
class TopicFingerprint:
    """How a topic's replicas came to sit where they sit.

    Attributes:
        topic: its name.
        kind: what its lists say.
        fits: everything that makes all its lists (for ``GREW``: the lists first placed), likeliest first; for ``MOVED``
            the nearest; empty for ``NOT_STRIPED`` and ``UNKNOWN``, and for what KRaft placed.
        added: for ``GREW``, the fits of partitions added later, each with its ``first_id``.
        nearest: the nearest fit where none makes all lists, also for ``NOT_STRIPED``; None where there is nothing near.
        moved: partition ids whose list differs from the nearest fit; empty for ``NOT_STRIPED``, where nothing is known
            to have moved.
        replicas_off: replicas that differ from the nearest fit, by place in their lists; None where there is none.
        partitions: how many partitions the topic has.
        sentence: all this for a person.
        krafted: where KRaft placed it, for ``KRAFT``, and for ``MOVED`` where that is nearer than any draws.
    """

    topic: str
    kind: FingerprintKind
    fits: tuple[Fit, ...]
    added: tuple[Fit, ...]
    nearest: Fit | None
    moved: tuple[int, ...]
    replicas_off: int | None
    partitions: int
    sentence: str
    krafted: Krafted | None = None

    @property
    def striped(self) -> bool:
        """Whether every partition sits where Kafka put it."""
        return self.kind in (FingerprintKind.STRIPED, FingerprintKind.GREW, FingerprintKind.KRAFT)

    def placed(self, ids: Sequence[int], factor: int) -> list[list[int]] | None:
        """Where its partitions, of these ids, were put, -1 where that is not known; None where nothing is near."""
        if self.krafted is not None:
            return [list(row) for row in self.krafted.lists]
        fit = self.fits[0] if self.fits else self.nearest
        if fit is None:
            return None
        factor = min(factor, len(fit.brokers))
        made = fit.lists(ids, factor)
        for later in self.added:
            fresh = later.lists([i for i in ids if i >= later.first_id], factor)
            made[len(made) - len(fresh) :] = fresh
        return made

    @property
    def rack_aware(self) -> bool | None:
        """Whether racks played a part in the likeliest fit, or for KRaft; None where nothing fits."""
        if self.krafted is not None:
            return len(self.krafted.cluster.racks) > 1
        return self.fits[0].rack_aware if self.fits else None

    @property
    def circumstance(self) -> str | None:
        """What the cluster was that the likeliest fit is on, or KRaft's placement; None where nothing fits."""
        if self.krafted is not None:
            return self.krafted.circumstance
        return self.fits[0].circumstance if self.fits else None

    @property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """Every (start, shift) of the likeliest fit."""
        return self.fits[0].pairs if self.fits else ()


def differences(fits: Sequence[Fit], factor: int, ids: Longs, lists: IntArray) -> Longs:
    """(m,) replicas of each list that are not where the fits put them, a replica too many or too few included."""
    made = np.full(lists.shape, NONE, np.int32)
    for fit in fits:
        rows = slice(0, len(ids)) if fit is fits[0] else slice(int(np.searchsorted(ids, fit.first_id)), len(ids))
        made[rows, :factor] = lists_at(
            fit.ring, ids[rows], factor, start=fit.start, shift=fit.shifts[0], first_id=fit.first_id
        )
    return np.asarray((made != lists).sum(axis=1), np.int64)
