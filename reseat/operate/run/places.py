"""Moves between log directories, carried out as everything else is: as a cluster whose replicas are places.

What it promises: whatever a run promises of replica lists holds for directories: nothing is sent that is not in the
journal, what somebody else changed is told, done is said of what was seen twice, a cancel takes back what is under way,
throttles come back to what they were.

How it works: a ``Place`` is a broker and one of its log directories, and stands where a broker's id does. The lists of
such a run hold the replicas that move, no others: ``[1:/a, 3:/b]`` becomes ``[1:/c, 3:/b]``. A copy under way (KIP-113)
is a reassignment under way, ``AlterReplicaLogDirs`` starts one, and asking for the directory of now takes it back. The
journal keeps the replica lists, which do not change, and the texts of plan and rollback name the directories.

Example: orders-0 lies in /a of broker 1. The plan names /b, so the run takes it from [1:/a] to [1:/b], once in the list
of what is under way as [1:/b, 1:/a], adding 1:/b and removing 1:/a.

Source: KIP-113.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from reseat.errors import InputRefused
from reseat.model.naming import LARGEST_ID
from reseat.operate.journal.records import MoveProgress, Run
from reseat.operate.targets.stored import DirectoriesSeen, Replica, Stored
from reseat.operate.targets.target import Assignment, Partition, Target, Throttles

__all__ = ["Directories", "Place", "as_shown", "between_directories", "with_directories", "written"]

#: Where a replica lies of which a broker that answers tells nothing: in a directory that is offline, or nowhere.
_NOT_ONLINE = "not online"
#: Said of a partition of which one replica has moved already: there is no way back to how it was but another run.
_IN_PART = "HALF_MOVED"
#: Numbers of places begin here and go down: no cluster has brokers with such ids, and an int32 holds them.
_HIGHEST = LARGEST_ID


class Place(int):
    """A broker's log directory; prints as ``1:/data/a``."""

    broker: int
    path: str

    def __new__(cls, number: int, broker: int, path: str) -> Place:
        """One of a run's places, by the number that it has in it."""
        made = super().__new__(cls, number)
        made.broker, made.path = broker, path
        return made

    def __str__(self) -> str:
        return f"{self.broker}:{self.path}"

    __repr__ = __str__

    def __format__(self, spec: str) -> str:
        return format(str(self), spec)


@dataclass(frozen=True)
class Directories:
    """The directories of one run: where each replica that moves was, and where it goes.

    Attributes:
        before: by partition, path by broker.
        target: likewise; the same partitions and brokers.
    """

    before: Mapping[Partition, Mapping[int, str]]
    target: Mapping[Partition, Mapping[int, str]]

    def places(self) -> dict[tuple[int, str], Place]:
        """Every place named, with the number that it has each time this run is gone on with."""
        named = sorted(
            {(b, path) for side in (self.before, self.target) for of in side.values() for b, path in of.items()}
        )
        return {place: Place(_HIGHEST - number, *place) for number, place in enumerate(named)}


def between_directories(run: Run, moves: Sequence[MoveProgress]) -> Directories | None:
    """The directories of a run that moves replicas between them; None: it changes replica lists."""
    if not moves or any(move.before != move.target for move in moves):
        return None
    from reseat.formats.documents.directory_moves import named_directories
    from reseat.formats.documents.sealed import read_sealed

    try:
        target, before = (named_directories(read_sealed(text).proposed) for text in (run.plan, run.rollback))
    except InputRefused:  # of a journal that somebody else wrote; the executor says what it finds
        return None
    both = {
        key: {broker: path for broker, path in before[key].items() if target.get(key, {}).get(broker, path) != path}
        for key in before
    }
    both = {key: of for key, of in both.items() if of}
    return Directories(both, {key: {broker: target[key][broker] for broker in of} for key, of in both.items()})


def written(replicas: Iterable[int]) -> list[int | str]:
    """A list as the journal tells what was sent: brokers' ids, or places in words."""
    return [str(one) if isinstance(one, Place) else one for one in replicas]


def with_directories(
    directories: Directories, target: Target, moves: Iterable[MoveProgress]
) -> tuple[Target, list[MoveProgress]]:
    """The cluster as places, and the run's moves as lists of places."""
    places, moves = directories.places(), list(moves)
    sent = {move.key for move in moves if move.state == "sent"}
    return cast("Target", _Places(target, directories, places, sent)), _as_places(directories, places, moves)


def as_shown(run: Run, moves: Sequence[MoveProgress]) -> Sequence[MoveProgress]:
    """A run's moves as a person is shown them: of one between directories, lists of places."""
    directories = between_directories(run, moves)
    return moves if directories is None else _as_places(directories, directories.places(), moves)


def _as_places(
    directories: Directories, places: Mapping[tuple[int, str], Place], moves: Iterable[MoveProgress]
) -> list[MoveProgress]:
    return [
        replace(
            move,
            before=tuple(places[place] for place in directories.before[move.key].items()),
            target=tuple(places[place] for place in directories.target[move.key].items()),
            now=(),
        )
        for move in moves
    ]


class _Places:
    """Hands everything else on to the target."""

    #: What is being copied is dropped where a broker is asked for the directory of now.
    can_cancel = True

    def __init__(
        self,
        target: Target,
        directories: Directories,
        places: dict[tuple[int, str], Place],
        sent: Collection[Partition],
    ) -> None:
        self._target = target
        self._before, self._goal = directories.before, directories.target
        self._places = places
        #: Where a replica was told to lie last: a broker that does not answer has it there still. Of one that was sent
        #: it is taken that it is being copied, until its broker tells.
        self._last = {
            (key, broker): Stored(path, self._goal[key][broker] if key in sent else "")
            for key, of in self._before.items()
            for broker, path in of.items()
        }
        self._online: frozenset[tuple[int, str]] | None = None
        #: Those that the run names: the same numbers however often it is gone on with.
        self._named = tuple(places.values())

    def __getattr__(self, name: str) -> Any:
        return getattr(self._target, name)

    def alive(self) -> frozenset[int]:
        """Brokers that are alive, and the places on them whose directory was online when it was asked last."""
        brokers = self._target.alive()
        if self._online is None:
            self._seen(list(self._before))
        online = self._online or frozenset()
        return brokers | {one for one in self._named if one.broker in brokers and (one.broker, one.path) in online}

    def reassigning(self) -> dict[Partition, Assignment]:
        """What is reassigned anywhere, and the replicas of the run that are being copied."""
        self._seen(list(self._before))
        copied = {key: told for key in self._before if (told := self._told(key)).under_way}
        return copied | self._target.reassigning()

    def assignments(self, partitions: Sequence[Partition]) -> dict[Partition, Assignment]:
        """These partitions as places; one whose replica lists are being changed, or lack a broker, as it is."""
        now = self._target.assignments(partitions)
        self._seen(partitions)
        return {
            key: told
            if told.under_way or not self._before[key].keys() <= set(told.replicas)
            else replace(self._told(key), topic_id=told.topic_id)
            for key, told in now.items()
        }

    def reassign(
        self, targets: Mapping[Partition, Sequence[int]], *, keeps_factor: bool
    ) -> dict[Partition, str | None]:
        """Ask for these places; where one replica of a partition is refused, the others are taken back."""
        asked = {(key, place.broker): place.path for key, list_ in targets.items() for place in _of(list_)}
        answers = self._target.move(asked)
        refused = {key: error for (key, _), error in answers.items() if error is not None}
        taken = [one for one, error in answers.items() if error is None]
        back = {one: self._last[one].path for one in taken if one[0] in refused}
        if back:
            self._target.move(back)
        for one in taken:
            if one not in back:
                self._last[one] = replace(self._last[one], future=asked[one])
        return {key: refused.get(key) for key in targets}

    def cancel(self, partitions: Sequence[Partition]) -> dict[Partition, str | None]:
        """Drop the copies of these; a partition of which one replica has moved already goes on."""
        self._seen(partitions)
        back: dict[Replica, str] = {}
        answers: dict[Partition, str | None] = {}
        for key in partitions:
            of = {broker: self._last[key, broker] for broker in self._before[key]}
            copied = {(key, broker): one.path for broker, one in of.items() if one.future}
            in_part = any(one.path != self._before[key][broker] for broker, one in of.items())
            answers[key] = None if copied else "NO_REASSIGNMENT_IN_PROGRESS"
            if copied and in_part:
                answers[key] = _IN_PART
            else:
                back |= copied
        for (key, _), error in (self._target.move(back) if back else {}).items():
            answers[key] = error or answers[key]
        return answers

    def throttles(self, brokers: Sequence[int], topics: Sequence[str]) -> Throttles:
        """The throttle of moves between directories alone: nothing is replicated."""
        asked = {one.broker if isinstance(one, Place) else one for one in brokers}
        return Throttles(directory_rate=self._target.directory_rates(sorted(asked)))

    def cordoned(self, brokers: Sequence[int]) -> frozenset[int]:
        """Those of these places that take no replica; a broker takes none into a cordoned directory."""
        seen = self._seen(list(self._before)[:1], [one.broker for one in _of(brokers)])
        return frozenset(one for one in _of(brokers) if (one.broker, one.path) in seen.cordoned)

    def copied(
        self, partitions: Sequence[Partition], brokers: Sequence[int]
    ) -> dict[tuple[Partition, int], int] | None:
        """Bytes that are in these places by now."""
        self._seen(partitions)
        out: dict[tuple[Partition, int], int] = {}
        for key in partitions:
            for broker, path in self._goal[key].items():
                one = self._last[key, broker]
                if path in (one.path, one.future):
                    out[key, self._place(broker, path)] = one.bytes if one.path == path else one.future_bytes
        return out

    def _seen(self, partitions: Sequence[Partition], brokers: Sequence[int] = ()) -> DirectoriesSeen:
        asked = {*brokers, *(broker for key in partitions for broker in self._before[key])}
        seen = self._target.directories(partitions, sorted(asked))
        told = {broker for broker, _ in seen.online}
        for key in partitions:
            for broker in told.intersection(self._before[key]):
                self._last[key, broker] = seen.stored.get((key, broker), Stored(_NOT_ONLINE))
        others = {place for place in self._online or () if place[0] not in asked}
        self._online = seen.online | others
        return seen

    def _told(self, key: Partition) -> Assignment:
        """One partition of the run: the places of its replicas that move."""
        of = {broker: self._last[key, broker] for broker in self._before[key]}
        now = tuple(self._place(broker, one.path) for broker, one in of.items())
        then = tuple(self._place(broker, one.future or one.path) for broker, one in of.items())
        comes, goes = (tuple(p for p in some if p not in others) for some, others in ((then, now), (now, then)))
        return Assignment((*then, *goes), comes, goes, in_sync=now)

    def _place(self, broker: int, path: str) -> Place:
        return self._places.setdefault((broker, path), Place(_HIGHEST - len(self._places), broker, path))


def _of(places: Iterable[int]) -> list[Place]:
    return [place for place in places if isinstance(place, Place)]
