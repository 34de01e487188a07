"""Which replicas move between the log directories of their broker: to even these out, or to empty one.

Promises, in this order: nothing moves to a directory that is offline, cordoned or too full; where one is emptied,
nothing is left in it; the fullest directory of each broker holds as little as this way finds; no byte is moved that
does not bring that about. What is missing to the best possible is stated: evening out is bin packing.

Needs: in which directory each replica lies, and how large it is.

How: again and again the fullest directory gives the emptiest that has room the replica that comes nearest to half of
what they differ by; a replica moves once at most. To empty a directory, its largest replicas go first, each to where
least is held.

Example: /a holds 5, 4 and 1, /b holds nothing: 5 goes to /b. Both hold 5, and no fewer bytes would do.

Complexity: O(n log n) for n replicas of a broker. Source: longest processing time first (Graham, 1969).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf
from operator import attrgetter

import numpy as np

from reseat.balance.directories import DirectoryLoad, directory_loads
from reseat.errors import WishRefused
from reseat.formats.documents.directory_moves import DirectoryMove, Named, Partition, plan_text
from reseat.model import NONE, ClusterLayout, LogDirectory, Plan
from reseat.model.units import size
from reseat.model.wording import counted, listed, named

__all__ = ["BrokerDirectories", "DirectoryPlan", "balance_directories", "choose_directories", "drain_directory"]

_order = attrgetter("topic", "partition", "broker")
#: Directories of a broker that differ by less than this part of their mean are left as they are.
_EVEN = 0.02
_EVENED = f"directories of a broker differ by less than {_EVEN:.0%} of their mean, or no move that fits helps."
_TOLD_BY = ("Read the live cluster, or add the output of kafka-log-dirs --describe.",)


@dataclass(frozen=True, slots=True)
class BrokerDirectories:
    """The directories of one broker before and after.

    Attributes:
        broker: broker id.
        before: bytes by path.
        after: likewise.
        least_fullest: bytes that its fullest directory holds at least, however replicas are moved.
        least_moved: bytes that have to move at least for its fullest directory to hold no more than it does after.
    """

    broker: int
    before: Mapping[str, int]
    after: Mapping[str, int]
    least_fullest: int
    least_moved: int


@dataclass(frozen=True, slots=True)
class DirectoryPlan:
    """Moves between directories.

    Attributes:
        moves: each replica that moves, by topic, partition and broker.
        brokers: the directories concerned, by broker.
        settled: the layout that it was made for.
        still: why nothing moves, where nothing does.
    """

    moves: tuple[DirectoryMove, ...]
    brokers: tuple[BrokerDirectories, ...]
    settled: ClusterLayout
    still: str

    @property
    def bytes(self) -> int:
        """Bytes that are copied."""
        return sum(move.bytes or 0 for move in self.moves)

    @property
    def sentences(self) -> tuple[str, ...]:
        """What it comes to, for a person; what is proven, and what is not."""
        if not self.moves:
            return (f"No replica moves: {self.still}",)
        least = sum(one.least_moved for one in self.brokers)
        out = [f"{counted(len(self.moves), 'replica moves', 'replicas move')}, {size(float(self.bytes))}."]
        if self.bytes == least:
            out.append("No fewer bytes reach this (proven).")
        elif least:
            out.append(f"At least {size(float(least))} has to move to reach this (a bound; it is bin packing).")
        for one in self.brokers:
            fullest = max(one.after.values())
            gap = fullest - one.least_fullest
            best = "the least possible" if gap <= 0 else f"at most {size(float(gap))} above the least possible"
            out.append(
                f"Broker {one.broker}: the fullest directory holds {size(float(fullest))}, before "
                f"{size(float(max(one.before.values())))}; {best}."
            )
        return tuple(out)

    def text(self, *, back: bool = False) -> str:
        """Reassignment JSON that carries it out, or takes it back; replica lists stay as they are."""
        named: dict[Partition, dict[int, str]] = {}
        for move in self.moves:
            named.setdefault((move.topic, move.partition), {})[move.broker] = move.before if back else move.target
        return plan_text(named, self.settled)


@dataclass(slots=True)
class _Held:
    """One replica: its bytes, its row in the layout, and where it lies."""

    bytes: int
    row: int
    path: str


def balance_directories(
    layout: ClusterLayout, told: Sequence[LogDirectory] = (), brokers: Collection[int] = ()
) -> DirectoryPlan:
    """Even out the directories of each of these brokers (none named: of all) by bytes, as brokers tell of them.

    Raises:
        WishRefused: no broker concerned has two directories that may receive, or sizes or directories are not told.
    """
    by_broker = _by_broker(layout, told, brokers)
    moves: list[DirectoryMove] = []
    done: list[BrokerDirectories] = []
    for broker, loads in by_broker.items():
        volume = {one.path: _volume(one) for one in loads if _receives(one)}
        held = _replicas_of(layout, broker)
        mine, after = _evened(held, volume, {_volume(one): _room(one) for one in loads})
        if mine:
            moves += [_move(layout, broker, one, path) for one, path in mine]
            done.append(_told(broker, held, after))
    if not any(sum(map(_receives, loads)) > 1 for loads in by_broker.values()):
        raise WishRefused(
            "No broker has two log directories that are online and not cordoned, as far as that is told: there is "
            "nothing to balance.",
            choices=_TOLD_BY,
        )
    return DirectoryPlan(tuple(sorted(moves, key=_order)), tuple(done), layout.target(), _EVENED)


def drain_directory(layout: ClusterLayout, told: Sequence[LogDirectory], broker: int, path: str) -> DirectoryPlan:
    """Empty one directory of a broker.

    Raises:
        WishRefused: the broker has no such directory, no other one that may receive, or not enough room; or sizes
            are not told.
    """
    loads = _by_broker(layout, told, [broker])[broker]
    if path not in {one.path for one in loads}:
        raise WishRefused(
            f"Broker {broker} has no log directory {path}.", choices=(f"It has {listed(one.path for one in loads)}.",)
        )
    volume = {one.path: _volume(one) for one in loads if _receives(one) and one.path != path}
    if not volume:
        raise WishRefused(f"Broker {broker} has no other log directory that is online and not cordoned.")
    held = _replicas_of(layout, broker)
    after = {one.path: one.bytes or 0 for one in loads}
    room = {_volume(one): _room(one) for one in loads}
    mine: list[tuple[_Held, str]] = []
    for one in sorted((one for one in held if one.path == path), key=lambda one: (-one.bytes, one.row)):
        fits = [other for other, at in volume.items() if room[at] >= one.bytes]
        if not fits:
            raise WishRefused(
                f"The other log directories of broker {broker} have no room for {layout.name_of(one.row)} "
                f"({size(float(one.bytes))})."
            )
        to = min(fits, key=lambda other: (after[other], other))
        room[volume[to]] -= one.bytes
        after[to] += one.bytes
        after[path] -= one.bytes
        mine.append((one, to))
    moves = sorted((_move(layout, broker, one, to) for one, to in mine), key=_order)
    others = [held_ for at, held_ in after.items() if at != path]
    least = max(-(-sum(others) // len(others)), max((one.bytes for one in held), default=0))
    whole = replace(_told(broker, held, after), least_fullest=least, least_moved=sum(one.bytes for one, _ in mine))
    return DirectoryPlan(
        tuple(moves), (whole,) if mine else (), layout.target(), f"none is known to be in {path} of broker {broker}."
    )


def choose_directories(plan: Plan, told: Sequence[LogDirectory]) -> Named:
    """A log directory for each replica that a plan copies: the largest first, each where most is left.

    Where nothing tells what is left, each goes to where least is held. Directories of a broker that tell the very same
    total and free space share one.

    Raises:
        WishRefused: directories of a broker that receives, or sizes, are not told; or a replica fits into none.
    """
    current, moves = plan.current, plan.moves
    named: dict[Partition, dict[int, str]] = {}
    sizes = current.copy_bytes
    if not len(moves.row):
        return named
    if sizes is None or np.isnan(sizes[moves.row]).any():
        raise WishRefused("Sizes of replicas that the plan copies are unknown: no directory can be chosen by room.")
    comes = [one for one in zip(moves.row.tolist(), moves.target.tolist(), strict=True) if one[1] != NONE]
    by_broker = _by_broker(current, told, {broker for _, broker in comes}) if comes else {}
    there = {(one.broker, one.path): one for loads in by_broker.values() for one in loads}
    volume = {at: _volume(one) for at, one in there.items()}
    left = {volume[at]: _room(one) for at, one in there.items()}
    held = {at: one.bytes or 0 for at, one in there.items() if _receives(one)}
    for row, broker in sorted(comes, key=lambda one: (-sizes[one[0]], one)):
        bytes_ = int(sizes[row])
        rooms = {at: left[volume[at]] for at in held if at[0] == broker}
        fits = [at for at, room in rooms.items() if room >= bytes_]
        if not fits:
            raise WishRefused(
                f"No log directory of broker {broker} that is online and not cordoned has room for "
                f"{current.name_of(row)} ({size(float(bytes_))}).",
                brokers=(broker,),
            )
        at = min(fits, key=lambda at: (-rooms[at] if rooms[at] < inf else 0, held[at], at))
        left[volume[at]] -= bytes_
        held[at] += bytes_
        key = (current.topics[int(current.topic_of[row])], int(current.partition[row]))
        named.setdefault(key, {})[broker] = at[1]
    return named


def _evened(
    held: Sequence[_Held], volume: Mapping[str, Hashable], room: dict[Hashable, float]
) -> tuple[list[tuple[_Held, str]], dict[str, int]]:
    """Which replicas move where, and what each directory holds then; ``room`` is what each volume has left."""
    after = dict.fromkeys(volume, 0)
    lying: dict[str, list[_Held]] = {path: [] for path in volume}
    for one in sorted(held, key=lambda one: (one.bytes, one.row)):
        if one.path in after:
            after[one.path] += one.bytes
            lying[one.path].append(one)
    mine: list[tuple[_Held, str]] = []
    if len(after) < 2:
        return mine, after
    mean = sum(after.values()) / len(after)
    while True:
        full = max(after, key=lambda path: (after[path], path))
        found, to = None, ""
        for to in sorted(after, key=lambda path: (after[path], path)):
            gap = after[full] - after[to]
            found = _nearest(lying[full], gap, room[volume[to]]) if gap > _EVEN * mean else None
            if found is not None or gap <= _EVEN * mean:
                break
        if found is None:
            return mine, after
        lying[full].remove(found)
        after[full] -= found.bytes
        after[to] += found.bytes
        room[volume[to]] -= found.bytes
        mine.append((found, to))


def _nearest(lying: Sequence[_Held], gap: int, left: float) -> _Held | None:
    """The replica that comes nearest to half of a gap, is smaller than it, and fits; None where none does."""
    most = min(gap - 1, left)
    at = bisect_left(lying, gap / 2, key=lambda one: one.bytes)
    around = [one for one in (*lying[max(0, at - 1) : at], *lying[at : at + 1]) if 0 < one.bytes <= most]
    if not around:
        below = bisect_left(lying, most + 1, key=lambda one: one.bytes)
        around = [one for one in lying[max(0, below - 1) : below] if 0 < one.bytes <= most]
    return min(around, key=lambda one: (abs(2 * one.bytes - gap), one.row), default=None)


def _by_broker(
    layout: ClusterLayout, told: Sequence[LogDirectory], brokers: Collection[int]
) -> dict[int, list[DirectoryLoad]]:
    loads: dict[int, list[DirectoryLoad]] = {}
    for one in directory_loads(layout, told):
        loads.setdefault(one.broker, []).append(one)
    strange = sorted(set(brokers) - loads.keys())
    if strange or not loads:
        who = f" of {named('broker', strange)}" if strange else ""
        raise WishRefused(f"The log directories{who} are unknown.", choices=_TOLD_BY)
    chosen = {broker: mine for broker, mine in loads.items() if not brokers or broker in brokers}
    unknown = sorted(broker for broker, mine in chosen.items() if any(one.bytes is None for one in mine))
    if unknown:
        raise WishRefused(f"Sizes of replicas on {named('broker', unknown)} are unknown: bytes cannot be balanced.")
    return chosen


def _replicas_of(layout: ClusterLayout, broker: int) -> list[_Held]:
    """The replicas of a broker of which it is told where they lie."""
    position = layout.position(broker)
    if layout.log_dir is None or position is None or layout.replica_bytes is None:
        return []
    rows, columns = np.nonzero((layout.replicas == position) & (layout.log_dir != NONE))
    sizes, codes = layout.replica_bytes[rows, columns].tolist(), layout.log_dir[rows, columns].tolist()
    return [
        _Held(int(bytes_), row, layout.log_dirs[code])
        for row, bytes_, code in zip(rows.tolist(), sizes, codes, strict=True)
    ]


def _receives(one: DirectoryLoad) -> bool:
    return one.told is None or (one.told.error is None and not one.told.cordoned)


def _volume(one: DirectoryLoad) -> Hashable:
    return (one.broker, one.path) if one.told is None else one.told.volume


def _room(one: DirectoryLoad) -> float:
    """Bytes that may still come; without a bound where nobody tells."""
    return inf if one.told is None or one.told.usable_bytes is None else one.told.usable_bytes


def _told(broker: int, held: Sequence[_Held], after: Mapping[str, int]) -> BrokerDirectories:
    before = dict.fromkeys(after, 0)
    mine = [one for one in held if one.path in before]
    for one in mine:
        before[one.path] += one.bytes
    fullest = max(after.values())
    least = max(-(-sum(after.values()) // len(after)), *(one.bytes for one in mine), 0)
    moved = sum(max(0, load - fullest) for load in before.values())
    return BrokerDirectories(broker, before, dict(after), least, moved)


def _move(layout: ClusterLayout, broker: int, one: _Held, path: str) -> DirectoryMove:
    topic = layout.topics[int(layout.topic_of[one.row])]
    return DirectoryMove(topic, int(layout.partition[one.row]), broker, one.path, path, one.bytes)
