"""The ring of brokers that striped placement walks, and the walk itself, for many partitions at once.

Kafka's striped placement puts the brokers on a ring and, for each partition, walks on from a start to the next broker
that may take a replica. Without racks every broker but those already chosen may; so that case is the one with a single
rack that holds them all, and one walk serves both, for placing as well as for working back from what was placed.

Kafka takes candidate number k at ``first + 1 + (shift * racks + k) mod (n - 1)`` on a ring of n. Since that runs
through all places but the first replica's, in ring order, it is the walk from ``first + 1 + (shift * racks) mod (n -
1)`` onwards that steps over places already taken.

Complexity: each step of a walk is O(partitions still walking); with racks of equal size a replica takes few steps.

Source: ``AdminUtils.assignReplicasToBrokersRackAware``, ``getRackAlternatedBrokerList`` and ``replicaIndex``.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from reseat.model import BoolArray, Broker, IntArray, Longs

__all__ = ["Ring", "java_text_key", "ring_of", "walk"]

#: Ids are mapped to places by a table where it is not much longer than the ring, and by binary search else.
_TABLE_LIMIT, _TABLE_STRETCH = 1 << 12, 64


@dataclass(frozen=True)
class Ring:
    """Brokers in the order in which striped placement walks over them.

    Attributes:
        ids: n broker ids in ring order.
        rack_of: n rack numbers, 0 throughout where racks play no part.
        racks: how many racks; 1 where they play no part.
        rack_aware: whether racks play a part.
    """

    ids: tuple[int, ...]
    rack_of: tuple[int, ...]
    racks: int
    rack_aware: bool

    @property
    def size(self) -> int:
        """n: how many brokers."""
        return len(self.ids)

    @cached_property
    def id_column(self) -> IntArray:
        """(n,) int32: ``ids`` as a column."""
        return np.array(self.ids, np.int32)

    @cached_property
    def rack_column(self) -> IntArray:
        """(n,) int32: ``rack_of`` as a column."""
        return np.array(self.rack_of, np.int32)

    @cached_property
    def sorted_ids(self) -> tuple[int, ...]:
        """``ids`` in ascending order."""
        return tuple(sorted(self.ids))

    @cached_property
    def by_id(self) -> Longs:
        """(n,) the places of ``sorted_ids``."""
        return np.argsort(self.id_column, kind="stable")

    @cached_property
    def place_table(self) -> Longs | None:
        """The place of each id from 0 to the highest, -1 where it has none, and a last -1; None if too long."""
        highest = max(self.ids)
        if highest > _TABLE_LIMIT + _TABLE_STRETCH * self.size:
            return None
        table = np.full(highest + 2, -1, np.int64)
        table[self.id_column] = np.arange(self.size)
        return table

    @cached_property
    def run_before(self) -> Longs:
        """(n,) how many places in a row, ending just before each place, are in one rack; around the ring."""
        rack, size = self.rack_of, self.size
        run = np.full(size, size, np.int64)
        length = 0
        for at in range(1, 2 * size + 1):
            length = length + 1 if rack[(at - 1) % size] == rack[(at - 2) % size] else 1
            run[at % size] = min(length, size)
        return run

    def position_by_id(self, broker_id: int) -> int:
        """The position, in ``sorted_ids``, of the first id that is not below this one; 0 if there is none."""
        return bisect_left(self.sorted_ids, broker_id) % self.size

    def offset_of(self, shift: int | Longs) -> Longs:
        """How many places past ``first + 1`` the walk begins for a shift: ``shift * racks mod (n - 1)``."""
        return np.asarray(shift, np.int64) * self.racks % max(1, self.size - 1)


def java_text_key(text: str) -> bytes:
    """Sorts text as Java does: by UTF-16 units, where Python goes by code points ("rack-10" before "rack-2")."""
    return text.encode("utf-16-be", "surrogatepass")


def ring_of(brokers: Sequence[Broker]) -> Ring:
    """The ring of these brokers.

    Where every broker has a rack: one of each rack in turn, racks sorted as text, ids sorted within a rack. Where none
    has: in the order given (Kafka's tools give them sorted by id, its Admin protocol on a 2.8 ZooKeeper controller does
    not). The caller has seen to it that it is all or none.

    Example: racks a: 0, 1, 2 and b: 3 make the ring 0, 3, 1, 2.
    """
    if not brokers or brokers[0].rack is None:
        return Ring(tuple(broker.id for broker in brokers), (0,) * len(brokers), 1, rack_aware=False)
    members: dict[str, list[int]] = {}
    for broker in brokers:
        members.setdefault(broker.rack or "", []).append(broker.id)
    names = sorted(members, key=java_text_key)
    turns = sorted(
        (turn, number, broker_id)
        for number, name in enumerate(names)
        for turn, broker_id in enumerate(sorted(members[name]))
    )
    return Ring(
        tuple(broker_id for _, _, broker_id in turns),
        tuple(number for _, number, _ in turns),
        len(names),
        rack_aware=True,
    )


def walk(ring: Ring, first: npt.NDArray[np.integer], at: npt.NDArray[np.integer], factor: int) -> IntArray:
    """Walk the ring for many partitions at once.

    A place is passed over where (1) its rack already has a replica while another rack has none, or (2) the place itself
    is taken.

    Args:
        ring: the ring.
        first: (m,) the place of each first replica.
        at: (m,) the place where the search for the second begins.
        factor: replicas a partition, at most the ring's size.

    Returns:
        (m, factor) int32 places on the ring.
    """
    size = ring.size
    rack_of = ring.rack_column
    chosen = np.empty((factor, len(first)), np.int32)
    chosen[0] = first
    place = at.astype(np.int32)
    used = np.ones(len(first), np.int32)  # racks that have a replica
    for replica in range(1, factor):
        passed, new_rack = _passed(chosen[:replica], place, used, rack_of, ring.racks)
        rows = np.flatnonzero(passed)
        while rows.size:
            moved = place[rows] + np.int32(1)
            moved[moved == size] = 0
            place[rows] = moved
            passed, fresh = _passed(chosen[:replica, rows], moved, used[rows], rack_of, ring.racks)
            new_rack[rows] = fresh
            rows = rows[passed]
        chosen[replica] = place
        used += new_rack
        place = place + np.int32(1)
        place[place == size] = 0
    return np.ascontiguousarray(chosen.T)


def _passed(
    chosen: IntArray, place: IntArray, used: IntArray, rack_of: IntArray, racks: int
) -> tuple[BoolArray, BoolArray]:
    """Whether each place is passed over, and whether its rack has no replica yet."""
    taken = chosen[0] == place
    for earlier in chosen[1:]:
        taken |= earlier == place
    if racks == 1:
        return taken, np.zeros(len(place), np.bool_)
    rack = rack_of[place]
    held = rack_of[chosen[0]] == rack
    for earlier in chosen[1:]:
        held |= rack_of[earlier] == rack
    return taken | (held & (used < racks)), ~held
