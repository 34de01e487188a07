"""What is left on brokers' disks, and what a plan brings to those that have no room for it.

Promises: a broker is named only where what comes cannot fit, whichever directories it chooses. What leaves is not
counted as room: Kafka deletes a replica only once its successor is in sync.

Needs: log directories that tell what is left of them (Kafka 3.3 and later), and sizes of what moves.

Complexity: O(n log n) for n replicas that are copied.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from reseat.model import Finding, FloatArray, IntArray, LogDirectory, Plan, Severity
from reseat.model.units import size
from reseat.model.wording import listed, named

__all__ = ["Room", "in_words", "short_of_room", "usable_room", "without_room"]


@dataclass(frozen=True, slots=True)
class Room:
    """What is left on one broker for new replicas.

    Attributes:
        directories: those that are online and not cordoned, by path.
        left: bytes of all of them, directories that tell the very same sizes counted once: they share a volume.
        widest: bytes of the volume that has most.
    """

    directories: dict[str, LogDirectory]
    left: int
    widest: int


def usable_room(directories: Iterable[LogDirectory]) -> tuple[dict[int, Room], set[int]]:
    """What is left by broker id; and the brokers that have an offline directory.

    A broker with an online directory that does not tell what is left is in neither. Of a broker that is cordoned as a
    whole all directories count: it gets nothing before that is lifted.

    Args:
        directories: every log directory that was told.
    """
    online: defaultdict[int, list[LogDirectory]] = defaultdict(list)
    untold, offline = set[int](), set[int]()
    for directory in directories:
        if directory.error is not None:
            offline.add(directory.broker)
        elif directory.usable_bytes is None:
            untold.add(directory.broker)
        else:
            online[directory.broker].append(directory)
    room: dict[int, Room] = {}
    for broker, told in online.items():
        open_ones = [one for one in told if not one.cordoned] or told
        volumes = {one.volume: one.usable_bytes or 0 for one in open_ones}
        room[broker] = Room({one.path: one for one in open_ones}, sum(volumes.values()), max(volumes.values()))
    return {broker: there for broker, there in room.items() if broker not in untold}, offline - untold


def without_room(
    brokers: IntArray, sizes: FloatArray, directories: Iterable[LogDirectory]
) -> tuple[dict[int, str], set[int]]:
    """Brokers that what comes does not fit onto, each with why, ascending; and those of which that is unknown.

    Args:
        brokers: (n,) ids of who receives each replica.
        sizes: (n,) bytes, NaN where not told.
        directories: every log directory that was told.
    """
    usable, offline = usable_room(directories)
    short, untold = dict[int, str](), set[int]()
    ids, at = np.unique(brokers, return_inverse=True)
    most, unknown = np.zeros(len(ids)), np.bincount(at[np.isnan(sizes)], minlength=len(ids)) > 0
    np.fmax.at(most, at, sizes)
    all_of_it = np.bincount(at, weights=np.nan_to_num(sizes), minlength=len(ids))
    for broker, total, largest, blind in zip(*(x.tolist() for x in (ids, all_of_it, most, unknown)), strict=True):
        room = usable.get(broker)
        if room is None and broker in offline:
            short[broker] = f"broker {broker} has no online log directory"
        elif room is None or blind:
            untold.add(broker)
        if room is None:
            continue
        if total > room.left:
            short[broker] = f"broker {broker} has {size(room.left)} left and would get {size(total)}"
        elif largest > room.widest:
            where = f"broker {broker} has at most {size(room.widest)} left in one log directory"
            short[broker] = f"{where} and would get a replica of {size(largest)}"
    return short, untold


def in_words(short: Sequence[tuple[int, str]], *, by_bytes: bool = False) -> str:
    """That a plan lacks room, why by broker, and what to do: but for planning by bytes, where it is planned so."""
    ids = tuple(dict.fromkeys(broker for broker, _ in short))
    return (
        f"The plan needs more disk space than there is: {listed(reason for _, reason in short)}. Removed replicas do "
        f"not free space in time: they are deleted last. {'Let' if by_bytes else 'Plan by bytes, or let'} "
        f"{named('broker', ids)} receive nothing."
    )


def short_of_room(plan: Plan, directories: Iterable[LogDirectory]) -> Finding | None:
    """A finding of kind ``short_of_room`` where brokers have no room for what a plan brings them, else None."""
    moves, given = plan.moves, plan.moves.target >= 0
    if moves.bytes is None or not given.any():
        return None
    short, _ = without_room(moves.target[given], moves.bytes[given], directories)
    if not short:
        return None
    said = in_words(list(short.items()), by_bytes=plan.wish.options.by_bytes)
    return Finding("short_of_room", Severity.BROKEN, said, brokers=tuple(short))
