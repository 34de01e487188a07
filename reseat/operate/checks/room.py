"""What is left on brokers' disks, and whether what a plan brings there fits: by broker, volume and log directory."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from reseat.balance.room import in_words, usable_room, without_room
from reseat.formats.documents.directory_moves import directory_moves
from reseat.model import NONE, FloatArray, IntArray, LogDirectory, Longs
from reseat.model.units import size
from reseat.model.wording import counted, listed, verb
from reseat.operate.checks.check import Check, failed, passed, unknown
from reseat.operate.checks.plan_diff import PlanDiff

__all__ = ["directories_fit", "directories_online", "disk_room", "log_dirs_chosen"]

#: What is to be done about directories that a run leaves.
_AGAIN = "Once the lists are as planned, executing the same plan again moves what is in another directory."


@dataclass(frozen=True, eq=False)
class _Arrivals:
    """What comes to brokers: a row a replica that is copied.

    Attributes:
        row: (k,) rows of ``diff.now``.
        broker: (k,) broker positions.
        size: (k,) bytes, NaN where not told.
        directory: (k,) positions in the plan's log directories, -1 where the broker chooses.
    """

    row: Longs
    broker: IntArray
    size: FloatArray
    directory: IntArray

    @classmethod
    def of(cls, diff: PlanDiff) -> _Arrivals:
        at, column = np.nonzero(diff.newcomers)
        largest = diff.now.copy_bytes
        sizes = np.full(at.size, np.nan) if largest is None else largest[at]
        dirs = diff.request.plan.proposed.log_dir
        told = np.full(at.size, NONE, np.int32) if dirs is None else dirs[diff.planned][at, column]
        return cls(at, diff.after.replicas[at, column], sizes, told)


def disk_room(diff: PlanDiff) -> Check:
    """19. What comes to each broker and log directory fits into what is left there.

    What leaves a broker is not counted as room: it is deleted only once its successor is in sync. Without log
    directories in the plan a broker chooses by how many partitions each of its directories holds and not by room, so
    only what cannot fit anywhere is refused.
    """
    name = "disk_room"
    comes = _Arrivals.of(diff)
    if not comes.row.size:
        return passed(name, "No replica has to be copied.")
    usable, _ = usable_room(diff.snapshot.log_dirs)
    full, untold = without_room(diff.now.broker_ids[comes.broker], comes.size, diff.snapshot.log_dirs)
    short = list(full.items())
    for position in np.unique(comes.broker).tolist():
        broker = int(diff.now.broker_ids[position])
        if broker in usable and broker not in full:
            directories, mine = usable[broker].directories, comes.broker == position
            into = {
                directories[path]: float(np.nansum(comes.size[mine & (comes.directory == code)]))
                for code, path in enumerate(diff.request.plan.proposed.log_dirs)
                if path in directories
            }
            short += ((broker, reason) for reason in _overfull(into))
    if short:
        short.sort(key=lambda one: one[0])
        ids = tuple(dict.fromkeys(broker for broker, _ in short))
        rows = np.unique(comes.row[diff.now.is_broker(ids)[comes.broker]])
        return failed(name, in_words(short), partitions=diff.names(rows), brokers=ids)
    if untold:
        ids = tuple(sorted(untold))
        return unknown(
            name,
            f"Disk space is unknown for {verb(len(ids), 'broker', 'brokers')} {listed(ids)}: replica sizes or the free "
            "space of log directories (reported since Kafka 3.3) are missing.",
            brokers=ids,
        )
    return passed(name, f"{size(float(comes.size.sum()))} goes to brokers with enough disk space.")


def _overfull(comes: Mapping[LogDirectory, float]) -> list[str]:
    """Log directories that would get more than they have left, those that share a volume together: as reasons."""
    volumes = defaultdict[object, list[LogDirectory]](list)
    for one in comes:
        if comes[one]:
            volumes[one.volume].append(one)
    found = []
    for on in volumes.values():
        total, left = float(sum(comes[one] for one in on)), on[0].usable_bytes
        if left is not None and total > left:
            where = f"log {verb(len(on), 'directory', 'directories')} {listed(one.path for one in on)}"
            has = verb(len(on), f"has {size(float(left))} left", f"share a volume with {size(float(left))} left")
            found.append(f"{where} of broker {on[0].broker} {has} and would get {size(total)}")
    return found


def log_dirs_chosen(diff: PlanDiff, protocol: str) -> Check:
    """20. New replicas can be placed in the log directories that the plan names for them.

    Args:
        diff: the plan beside the reading.
        protocol: by which it is written.
    """
    name = "log_dirs_chosen"
    comes = _Arrivals.of(diff)
    paths = diff.request.plan.proposed.log_dirs
    chosen = np.flatnonzero(comes.directory != NONE)
    if not chosen.size:
        return passed(name, "The plan names no log directories for new replicas; the brokers choose them.")
    ids = diff.now.broker_ids[comes.broker[chosen]].tolist()
    arriving = zip(ids, comes.directory[chosen].tolist(), strict=True)
    known = {one.broker for one in diff.snapshot.log_dirs}
    # Whether there is room for them is told by another check.
    places = dict.fromkeys(((broker, paths[code]) for broker, code in arriving if broker in known), 0)
    wrong = _wrong_directories(places, diff.snapshot.log_dirs)
    if protocol != "admin":
        wrong = ["Brokers alone are told where new replicas are to lie: connect with bootstrap servers"]
    names = diff.names(np.unique(comes.row[chosen]))
    where = counted(len(names), "partition")
    if wrong:
        said = (
            f"{listed(wrong)}. The plan names log directories for new replicas of {where}; overridden, brokers choose."
        )
        return failed(name, said, overridable=True, partitions=names)
    return passed(name, f"New replicas of {where} go into the log directories that the plan names.")


def directories_fit(diff: PlanDiff, protocol: str) -> Check:
    """27. Replicas that the plan moves between log directories of their broker can be moved there.

    A plan that changes lists, too, has those carried out first; the directories are what is left of it then.

    Args:
        diff: the plan beside the reading.
        protocol: by which it is written.
    """
    name, plan, now = "directories_fit", diff.request.plan.proposed, diff.snapshot
    moves = directory_moves(plan, now.layout)
    if not moves:
        return passed(name, "No replica moves between log directories.")
    names = tuple(f"{move.topic}-{move.partition}" for move in moves)
    if diff.changed.size:
        said = (
            f"The plan changes replica lists, and names another log directory for "
            f"{counted(len(moves), 'replica that stays', 'replicas that stay')}: {listed(names)}. This run does not "
            f"move {verb(len(moves), 'it', 'them')}. {_AGAIN}"
        )
        return failed(name, said, overridable=True, partitions=names)
    if protocol != "admin":
        said = "Replicas move between log directories through brokers alone: connect with bootstrap servers."
        return failed(name, said, partitions=names)
    comes: Counter[tuple[int, str]] = Counter()
    for move in moves:
        comes[move.broker, move.target] += move.bytes or 0
    wrong = _wrong_directories(comes, now.log_dirs)
    brokers = tuple(sorted({move.broker for move in moves}))
    if wrong:
        return failed(name, f"{listed(wrong)}.", partitions=names, brokers=brokers)
    told = [move.bytes for move in moves if move.bytes is not None]
    said = size(float(sum(told))) if len(told) == len(moves) else "of unknown size"
    return passed(
        name,
        f"{counted(len(moves), 'replica')} of {verb(len(brokers), 'broker', 'brokers')} {listed(brokers)} "
        f"{verb(len(moves), 'moves', 'move')} to another log directory: {said}.",
        brokers=brokers,
    )


def _wrong_directories(comes: Mapping[tuple[int, str], int], told: Iterable[LogDirectory]) -> list[str]:
    """What stands against bytes that come, by broker and directory, as the beginnings of sentences: where none can."""
    by_place = {(one.broker, one.path): one for one in told}
    wrong, into = [], dict[LogDirectory, int]()
    for (broker, path), total in sorted(comes.items()):
        one = by_place.get((broker, path))
        if one is None:
            wrong.append(f"broker {broker} has no log directory {path}")
        elif one.error is not None:
            wrong.append(f"log directory {path} of broker {broker} is offline ({one.error})")
        elif one.cordoned:
            wrong.append(f"log directory {path} of broker {broker} is cordoned, and Kafka moves nothing there")
        else:
            into[one] = total
    wrong += _overfull(into)
    return [text[0].upper() + text[1:] for text in wrong[:1]] + wrong[1:]


def directories_online(diff: PlanDiff) -> Check:
    """28. Nothing is copied to a broker of which a log directory is offline: a disk of it has failed."""
    name = "directories_online"
    comes = _Arrivals.of(diff)
    receiving = set(diff.now.broker_ids[np.unique(comes.broker)].tolist())
    broken = [one for one in diff.snapshot.log_dirs if one.error is not None and one.broker in receiving]
    if not broken:
        return passed(name, "No replica is copied to a broker with an offline log directory.")
    ids = tuple(sorted({one.broker for one in broken}))
    rows = np.unique(comes.row[np.isin(diff.now.broker_ids[comes.broker], ids)])
    where = listed(f"Log directory {one.path} of broker {one.broker}" for one in broken)
    return failed(
        name,
        f"{where} {verb(len(broken), 'is', 'are')} offline, and {counted(rows.size, 'partition')} would get a replica "
        f"on {verb(len(ids), 'that broker', 'these brokers')}: {listed(diff.names(rows))}.",
        overridable=True,
        partitions=diff.names(rows),
        brokers=ids,
    )
