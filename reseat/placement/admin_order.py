"""The order in which a 2.8 ZooKeeper controller hands brokers to the placement when asked through the Admin protocol.

The broker keeps the living brokers in a Scala ``LongMap`` and goes through it as it lies in memory: id 0 first, the
others by their place in a table of a power of two, found by a part of MurmurHash3's finalizer. Without racks striped
placement walks in that order, so that topics made through ``--bootstrap-server`` look unstriped over sorted ids. The
tools that went through ``--zookeeper`` sorted ids first.

Measured: 0, 1, 2 -> 0, 2, 1; 0 to 3 -> 0, 2, 3, 1; 1, 2, 3 -> 2, 3, 1. The table's size, and places when two ids
collide, also depend on the order in which the controller told the brokers; ascending ids are assumed.

Source: ``kafka.server.MetadataCache.getAliveBrokers`` (2.8), Scala's ``scala.collection.mutable.LongMap``.
"""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["admin_order"]

_SMALLEST_MASK = 7


def admin_order(broker_ids: Iterable[int]) -> tuple[int, ...]:
    """Broker ids in that order.

    Example: ``admin_order([1, 2, 3])`` is ``(2, 3, 1)``.
    """
    ids = sorted(set(broker_ids))
    mask = ((1 << max(0, len(ids) - 1).bit_length()) - 1) | _SMALLEST_MASK
    table: dict[int, int] = {}
    for broker_id in ids:
        if broker_id == 0:
            continue  # kept apart from the table
        table[_place(broker_id, mask, table)] = broker_id
        if len(table) > mask / 2:
            mask = mask * 2 + 1
            old, table = table, {}
            for at in sorted(old):
                table[_place(old[at], mask, table)] = old[at]
    zero = (0,) if ids[:1] == [0] else ()
    return zero + tuple(table[at] for at in sorted(table))


def _place(key: int, mask: int, table: dict[int, int]) -> int:
    """The first free place for a key, probing on by growing steps."""
    mixed = (key ^ key >> 16) * 0x85EBCA6B & 0xFFFFFFFF
    at = (mixed ^ mixed >> 13) & mask
    probe = 0
    while at in table:
        probe += 1
        at = (at + 2 * (probe + 1) * probe - 3) & mask
    return at
