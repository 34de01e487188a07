"""KRaft's placement step by step: for each replica the rack whose turn it is, and its next broker with the numbers.

What it promises: the steps end in the very list that ``place_kraft`` gives for the same brokers and draws (a test holds
the two together), though they are computed one rack at a time, as ``StripedReplicaPlacer`` does.

Example: brokers 0, 1, 2 without racks, offset drawn 1: partition 0 begins with ``(0 + offset 1) mod 3 = 1``, broker 1;
for partition 1 the offset is 2.

Complexity: O(P R) for the partitions before, as only they tell how far all offsets have moved.

Source: ``org.apache.kafka.metadata.placement.StripedReplicaPlacer`` (3.9.1, 4.1.0).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from reseat.errors import PlacementRefused
from reseat.model import Broker, BrokerState
from reseat.placement.draw_source import DrawSource
from reseat.placement.kraft import BrokerList, RackList, not_cordoned, place_kraft, rack_names, racks_of

__all__ = ["KraftSteps", "RackLook", "kraft_steps_of"]

_Item = TypeVar("_Item")


@dataclass(frozen=True, slots=True)
class RackLook:
    """One rack looked at for a replica.

    Attributes:
        rack: its name, or None for the brokers without one.
        broker: the broker that it gave, or None where it was passed over.
        formula: the numbers that led to the broker in the rack's order; empty where it was passed over.
        order: the rack's brokers in their present order.
        fenced: whether the broker is fenced.
        why: why it was passed over; empty where it was not.
    """

    rack: str | None
    broker: int | None
    formula: str
    order: tuple[int, ...]
    fenced: bool = False
    why: str = ""


@dataclass(frozen=True, slots=True)
class KraftSteps:
    """How one partition's list is found.

    Attributes:
        row: the partition, counted from the first that was placed.
        turn: how many partitions came before it in its round; a round is as long as there are unfenced brokers.
        shuffles: how often racks and brokers have been shuffled.
        racks: the racks in their present order.
        offset: the rack where the search begins.
        replicas: the racks looked at for each replica, the last of which gave the broker.
    """

    row: int
    turn: int
    shuffles: int
    racks: tuple[str | None, ...]
    offset: int
    replicas: tuple[tuple[RackLook, ...], ...]


def kraft_steps_of(brokers: Sequence[Broker], row: int, replication_factor: int, *, draws: DrawSource) -> KraftSteps:
    """The steps by which KRaft finds one partition's list.

    Args:
        brokers: as for ``place_kraft``.
        row: the partition, counted from the first that is placed.
        replication_factor: replicas of each.
        draws: a source as it was before the placement.

    Raises:
        PlacementRefused: as ``place_kraft``; the row is below 0.
    """
    if row < 0:
        raise PlacementRefused(f"Partition {row} is before the first one, 0.")
    place_kraft(brokers, 0, replication_factor, draws=_Zeros())  # its refusals
    brokers = not_cordoned(brokers)
    unfenced = sum(broker.state is not BrokerState.FENCED for broker in brokers)
    racks = racks_of(brokers)
    for rack in racks.values():
        rack.fenced.draw_offset(draws)
        rack.unfenced.draw_offset(draws)
    names = rack_names(racks)
    offset = draws.next_int(len(names))
    epoch = shuffles = 0
    for number in range(row + 1):
        if epoch == unfenced and unfenced > 1:
            draws.shuffle(names)
            for rack in racks.values():
                draws.shuffle(rack.fenced.ids)
                draws.shuffle(rack.unfenced.ids)
            epoch, shuffles = 0, shuffles + 1
        offset %= len(names)
        replicas = _one(racks, names, offset, epoch, replication_factor)
        if number == row:
            break
        epoch, offset = epoch + 1, offset + 1
    return KraftSteps(row, epoch, shuffles, tuple(names), offset, tuple(map(tuple, replicas)))


def _one(
    racks: dict[str | None, RackList], names: list[str | None], offset: int, epoch: int, factor: int
) -> list[list[RackLook]]:
    """The racks looked at for each replica of one partition."""
    leading, looks = offset, [_look(names[offset], racks[names[offset]].unfenced, epoch)]
    while looks[-1].broker is None:
        leading = (leading + 1) % len(names)
        looks.append(_look(names[leading], racks[names[leading]].unfenced, epoch))
    replicas = [looks]
    at = offset
    for _ in range(1, factor):
        looks = []
        while not looks or looks[-1].broker is None:
            name = names[at]
            if at == leading:
                leading = -1  # stepped over once; on the next round it is as good as the others
                looks.append(RackLook(name, None, "", (), why="it has the leader, and is skipped once"))
            else:
                looks.append(_next(name, racks[name], epoch))
            at = (at + 1) % len(names)
        # With a single rack nothing else could be taken, so that stepping over it says nothing.
        replicas.append(looks[-1:] if len(names) == 1 else looks)
    return replicas


def _next(name: str | None, rack: RackList, epoch: int) -> RackLook:
    look = _look(name, rack.unfenced, epoch)
    if look.broker is not None or not rack.fenced.ids:
        return look
    return _look(name, rack.fenced, epoch, fenced=True)


def _look(name: str | None, brokers: BrokerList, epoch: int, *, fenced: bool = False) -> RackLook:
    broker = brokers.next(epoch)
    if broker < 0:
        why = "it has no broker left for this partition" if brokers.ids or fenced else "it has no unfenced broker"
        return RackLook(name, None, "", tuple(brokers.ids), why=why)
    size, given = len(brokers.ids), brokers.handed_out - 1
    formula = f"({given} + offset {brokers.offset}) mod {size} = {(given + brokers.offset) % size}"
    return RackLook(name, broker, formula, tuple(brokers.ids), fenced)


class _Zeros:
    """Draws that are all 0, for checks that draw nothing that counts."""

    def next_int(self, bound: int) -> int:
        """0, whatever the bound."""
        return 0

    def shuffle(self, items: list[_Item]) -> None:
        """Leave them as they are."""
