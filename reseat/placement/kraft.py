"""KRaft's striped placement (``StripedReplicaPlacer``), with Java's own draws, so that a seed gives what Kafka gives.

What it promises, in this order: for the same brokers and the same source of draws, Kafka's lists; Kafka's errors, in
its order and words. Kafka's aims are, ranked: replicas spread evenly over racks; evenly over brokers; on brokers that
are not fenced rather than on fenced ones. Two things hold always: no broker twice in a list, and a list's first broker
is not fenced.

What it needs: brokers with racks (no rack is a rack of its own, sorted first; mixed racks are no error) and which of
them are fenced.

How it works: every rack has two lists sorted by id, unfenced and fenced, each with an offset drawn at random; the
sorted racks have one too. A partition's first replica is the next unfenced broker of the rack at the offset (or of the
next rack that has one); the others come from the racks in turn from the offset on, the one already used stepped over
once; within a rack fenced brokers come last. With each partition all offsets grow by 1. After as many partitions as
there are unfenced brokers, racks and lists are shuffled. Without racks this makes n consecutive turns of the sorted
ids, then n of a shuffled order: each block of n gives every broker one lead. With racks it evens leaders over racks,
not always over brokers.

Draws come in the order of Java's hash map of racks, which is reproduced here: by ``String.hashCode`` spread to a table
of 16, 32, ... buckets, in each bucket by first sight. (A bucket of more than eight racks turns into a tree in Java,
which may change that order; no cluster of fewer than 49 racks can have one.)

Example: brokers 0, 1, 2 without racks and offset 1: [1, 2, 0], [2, 0, 1], [0, 1, 2], then a shuffled order.

Complexity: O(P R); without racks and fenced brokers vectorised by blocks of n, else a loop over partitions (about 3
microseconds each).

Source: ``org.apache.kafka.metadata.placement.StripedReplicaPlacer`` (3.9.1 to 4.4.0), behind topic creation in KRaft
and, from 4.1, behind ``--generate`` (KAFKA-18798).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from reseat.errors import PlacementRefused
from reseat.model import Broker, BrokerState, IntArray
from reseat.placement.draw_source import DrawSource
from reseat.placement.placed import Placement, check_size
from reseat.placement.ring import java_text_key
from reseat.placement.striped import refuse_repeated

__all__ = ["BrokerList", "RackList", "not_cordoned", "place_kraft", "rack_names", "racks_of"]

_SMALLEST_TABLE = 16


def place_kraft(
    brokers: Sequence[Broker],
    partitions: int,
    replication_factor: int,
    *,
    draws: DrawSource,
    first_partition: int = 0,
    knows_cordons: bool = False,
) -> Placement:
    """Place a topic's replicas as KRaft's controller does.

    Args:
        brokers: the registered brokers, in the order in which the controller goes through them (it decides the order of
            draws among racks of one hash bucket only). State ``FENCED`` is fenced, ``CORDONED`` takes no part; every
            other counts as unfenced.
        partitions: how many to place; 0 gives none.
        replication_factor: replicas of each.
        draws: Java's random source, or another.
        first_partition: id of the first; it plays no part in where replicas go.
        knows_cordons: whether it is Kafka 4.3 or later, whose refusals name cordons (KIP-1066).

    Raises:
        PlacementRefused: in Kafka's order and words (``InvalidReplicationFactorException``): no replica, all brokers
            fenced, more replicas than brokers. And a broker given twice.
    """
    refuse_repeated(brokers)
    registered, brokers = brokers, not_cordoned(brokers)
    unfenced = sum(broker.state is not BrokerState.FENCED for broker in brokers)
    racks = racks_of(brokers)
    for rack in racks.values():
        rack.fenced.draw_offset(draws)
        rack.unfenced.draw_offset(draws)
    names = rack_names(racks)
    offset = draws.next_int(len(names)) if names else 0
    _check(replication_factor, unfenced, len(brokers), knows_cordons or len(brokers) < len(registered))
    check_size(max(0, partitions), replication_factor, max(0, first_partition))
    if len(racks) == 1 and unfenced == len(brokers):
        lists = _turns(next(iter(racks.values())).unfenced, partitions, replication_factor, draws, names)
    else:
        lists = _one_by_one(
            racks, names, draws, offset=offset, partitions=partitions, factor=replication_factor, unfenced=unfenced
        )
    return Placement(
        lists,
        max(0, first_partition),
        order=tuple(sorted(broker.id for broker in brokers)),
        rack_aware=len(racks) > 1,
    )


@dataclass(slots=True)
class BrokerList:
    """One list of brokers, handed out one after the other from an offset on; -1 where it is used up."""

    ids: list[int] = field(default_factory=list)
    offset: int = 0
    handed_out: int = 0
    epoch: int = 0

    def draw_offset(self, draws: DrawSource) -> None:
        """Sort by id and draw where to begin; an empty list draws nothing."""
        if self.ids:
            self.ids.sort()
            self.offset = draws.next_int(len(self.ids))

    def next(self, epoch: int) -> int:
        """The next broker for the partition of an epoch, or -1; a new epoch begins anew, one place further on."""
        size = len(self.ids)
        if not size:
            return -1
        if self.epoch != epoch:
            self.epoch, self.handed_out = epoch, 0
            self.offset = (self.offset + 1) % size
        if self.handed_out >= size:
            return -1
        broker = self.ids[(self.handed_out + self.offset) % size]
        self.handed_out += 1
        return broker


@dataclass(slots=True)
class RackList:
    """A rack: its unfenced brokers, and its fenced ones, which come last."""

    unfenced: BrokerList = field(default_factory=BrokerList)
    fenced: BrokerList = field(default_factory=BrokerList)

    def next(self, epoch: int) -> int:
        """The next broker, unfenced ones first, or -1."""
        broker = self.unfenced.next(epoch)
        return broker if broker >= 0 else self.fenced.next(epoch)


def racks_of(brokers: Sequence[Broker]) -> dict[str | None, RackList]:
    """Racks with their brokers, in the order of Java's hash map, in which their offsets are drawn."""
    found: dict[str | None, RackList] = {}
    for broker in brokers:
        rack = found.setdefault(broker.rack, RackList())
        (rack.fenced if broker.state is BrokerState.FENCED else rack.unfenced).ids.append(broker.id)
    table = _SMALLEST_TABLE
    while len(found) > table * 3 // 4:
        table *= 2
    return {name: found[name] for name in sorted(found, key=lambda name: _spread_hash(name) & (table - 1))}


def rack_names(racks: Iterable[str | None]) -> list[str | None]:
    """Racks in the order in which the placement begins: no rack first, the others sorted as text."""
    return sorted(racks, key=lambda name: (name is not None, java_text_key(name or "")))


def _spread_hash(name: str | None) -> int:
    """``hashCode`` of a rack's name, as ``HashMap`` spreads it; no rack hashes to 0."""
    code = 0
    units = java_text_key(name or "")
    for high, low in zip(units[::2], units[1::2], strict=True):
        code = (31 * code + (high << 8 | low)) & 0xFFFFFFFF
    return code ^ (code >> 16)


def not_cordoned(brokers: Sequence[Broker]) -> list[Broker]:
    """The brokers that the controller hands to its placer: all but those whose log directories are all cordoned."""
    return [broker for broker in brokers if broker.state is not BrokerState.CORDONED]


def _check(factor: int, unfenced: int, total: int, knows_cordons: bool) -> None:
    refusal = "InvalidReplicationFactorException"
    if factor <= 0:
        raise PlacementRefused(
            f"Invalid replication factor {factor}: the replication factor must be positive.", kafka_error=refusal
        )
    if unfenced == 0:
        or_cordoned = ", or have all their log directories cordoned" if knows_cordons else ""
        raise PlacementRefused(f"All brokers are currently fenced{or_cordoned}.", kafka_error=refusal)
    if factor > total:
        raise PlacementRefused(
            f"The target replication factor of {factor} cannot be reached because only {total} broker(s) are "
            f"registered{' or some brokers have all their log directories cordoned' if knows_cordons else ''}.",
            kafka_error=refusal,
        )


def _turns(brokers: BrokerList, partitions: int, factor: int, draws: DrawSource, names: list[str | None]) -> IntArray:
    """One rack, nobody fenced: each block of n partitions is n turns of one order of the brokers."""
    size = len(brokers.ids)
    if size == 1:
        return np.full((max(0, partitions), factor), brokers.ids[0], np.int32)
    out = np.empty((max(0, partitions), factor), np.int32)
    turn = (np.arange(size)[:, None] + np.arange(factor)) % size
    offset = brokers.offset
    for begin in range(0, partitions, size):
        if begin:
            draws.shuffle(names)
            draws.shuffle(brokers.ids)
            # The fresh block begins one further, as each of its partitions does.
            offset = (offset + 1) % size
        block = out[begin : begin + size]
        order = np.array(brokers.ids, np.int32)
        block[:] = order[(turn + offset) % size][: len(block)]
        offset = (offset + size - 1) % size
    return out


def _one_by_one(
    racks: dict[str | None, RackList],
    names: list[str | None],
    draws: DrawSource,
    *,
    offset: int,
    partitions: int,
    factor: int,
    unfenced: int,
) -> IntArray:
    out: list[list[int]] = []
    count = len(names)
    in_turn = [racks[name] for name in names]
    epoch = 0
    for _ in range(partitions):
        # With one unfenced broker the epoch goes on growing: its list would never be handed out anew otherwise.
        if epoch == unfenced and unfenced > 1:
            draws.shuffle(names)
            in_turn = [racks[name] for name in names]
            for rack in racks.values():
                draws.shuffle(rack.fenced.ids)
                draws.shuffle(rack.unfenced.ids)
            epoch = 0
        offset %= count
        leading = offset
        broker = in_turn[leading].unfenced.next(epoch)
        while broker < 0:
            leading = (leading + 1) % count
            broker = in_turn[leading].unfenced.next(epoch)
        replicas = [broker]
        at = offset
        while len(replicas) < factor:
            if at == leading:
                leading = -1  # stepped over once; on the next round it is as good as the others
            else:
                broker = in_turn[at].next(epoch)
                if broker >= 0:
                    replicas.append(broker)
            at = (at + 1) % count
        out.append(replicas)
        epoch += 1
        offset += 1
    return np.array(out, np.int32).reshape(len(out), factor)
