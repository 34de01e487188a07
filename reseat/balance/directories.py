"""Log directories: what lies in each, how even those of a broker are, and what is wrong with one.

Sizes of a directory are those of its replicas, as far as they are told; what its file system has in all and left is
told by brokers from 3.3 on. Directories of one broker that tell the very same two sizes share a volume.

Complexity: O(P R).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from reseat.model import NONE, Broker, ClusterLayout, Finding, LogDirectory, Severity
from reseat.model.units import size
from reseat.model.wording import counted, listed

__all__ = ["DirectoryLoad", "by_directory", "directory_findings", "directory_loads"]

#: A file system with less than this part left is nearly full: Kafka stops a directory that it cannot write to.
_NEARLY_FULL = 0.1
#: A directory that holds this part more than the mean of its broker's is worth evening out, as are replica counts.
_UNEVEN = 1.1
#: And so many bytes more than the emptiest: what is less is no reason to copy anything.
_LEAST_GAP = 1_000_000_000


@dataclass(frozen=True, slots=True)
class DirectoryLoad:
    """One log directory of one broker.

    Attributes:
        broker: broker id.
        path: as the broker names it.
        replicas: how many of the layout's lie in it.
        bytes: of these; None where one of their sizes is not told.
        told: what the broker tells of it; None: only its replicas are told.
    """

    broker: int
    path: str
    replicas: int
    bytes: int | None
    told: LogDirectory | None

    @property
    def state(self) -> str:
        """``online``, ``cordoned``, the name of Kafka's error, or ``offline`` where that is not told."""
        if self.told is None:
            return "online"
        return self.told.error or ("cordoned" if self.told.cordoned else "online")


def directory_loads(layout: ClusterLayout, told: Iterable[LogDirectory] = ()) -> tuple[DirectoryLoad, ...]:
    """Every log directory that is told, or has a replica, by broker and path; offline ones of pasted text, too."""
    by_place = {
        (broker.id, path): LogDirectory(broker.id, path, error="offline")
        for broker in layout.brokers
        for path in broker.offline_dirs
    }
    by_place |= {(one.broker, one.path): one for one in told}
    counts: dict[tuple[int, str], tuple[int, float]] = {}
    if layout.log_dir is not None and len(layout.log_dirs):
        at = np.nonzero(layout.log_dir != NONE)
        width = len(layout.log_dirs)
        code = layout.replicas[at].astype(np.int64) * width + layout.log_dir[at]
        sizes = layout.replica_bytes
        held = np.full(len(code), np.nan) if sizes is None else sizes[at]
        places, row, replicas = np.unique(code, return_inverse=True, return_counts=True)
        total = np.bincount(row, held, len(places))
        for place, number, load in zip(*(c.tolist() for c in (places, replicas, total)), strict=True):
            broker = int(layout.broker_ids[place // width])
            counts[broker, layout.log_dirs[place % width]] = number, load
    return tuple(
        DirectoryLoad(*place, number, None if np.isnan(load) else int(load), by_place.get(place))
        for place in sorted({*by_place, *counts})
        for number, load in (counts.get(place, (0, 0.0)),)
    )


def by_directory(layout: ClusterLayout, told: Iterable[LogDirectory] = ()) -> ClusterLayout:
    """The layout on log directories: each is a broker, by broker and path, whose host says which (``3:/data/a``).

    Replicas of which no directory is told are on one of their broker without a path (``3:?``). O(P R).
    """
    width = len(layout.log_dirs) + 1
    lies = np.full(layout.replicas.shape, NONE, np.int64) if layout.log_dir is None else layout.log_dir.astype(np.int64)
    codes = np.where(layout.replicas == NONE, NONE, layout.replicas.astype(np.int64) * width + lies + 1)
    used, at = np.unique(codes, return_inverse=True)
    paths = ["?", *layout.log_dirs]
    named = {code: (layout.brokers[code // width], paths[code % width]) for code in used.tolist() if code >= 0}
    places = {(broker.id, path): broker for broker, path in named.values()}
    known = {broker.id: broker for broker in layout.brokers}
    places |= {(one.broker, one.path): known[one.broker] for one in told if one.broker in known}
    order = {place: number for number, place in enumerate(sorted(places))}
    position = np.full(len(used), NONE, np.int32)
    for place, code in enumerate(used.tolist()):
        if code in named:
            broker, path = named[code]
            position[place] = order[broker.id, path]
    replicas = position[at].reshape(codes.shape)
    leads = (layout.replicas == layout.leader[:, None]) & (layout.replicas != NONE)
    first = replicas[np.arange(len(replicas)), leads.argmax(axis=1)] if layout.replicas.shape[1] else layout.leader
    leader = np.where(leads.any(axis=1), first, np.minimum(layout.leader, NONE)).astype(np.int32)
    brokers = tuple(
        Broker(number, places[place].rack, f"{place[0]}:{place[1]}", state=places[place].state)
        for place, number in order.items()
    )
    return replace(layout, brokers=brokers, replicas=replicas, leader=leader, log_dir=None, log_dirs=())


def directory_findings(loads: Sequence[DirectoryLoad]) -> tuple[Finding, ...]:
    """Directories that are offline, nearly full, or far from even on their broker."""
    return (*_offline(loads), *_full(loads), *_uneven(loads))


def _offline(loads: Sequence[DirectoryLoad]) -> Iterator[Finding]:
    broken = [one for one in loads if one.told is not None and one.told.error is not None]
    if broken:
        where = listed(f"{one.path} of broker {one.broker} ({one.state})" for one in broken)
        yield Finding(
            "log_dir_error",
            Severity.BROKEN,
            f"{counted(len(broken), 'log directory is', 'log directories are')} offline: {where}. Replicas there are "
            "offline, and which others are there is unknown.",
            brokers=tuple(sorted({one.broker for one in broken})),
        )


def _full(loads: Sequence[DirectoryLoad]) -> Iterator[Finding]:
    full = [
        (one, one.told.usable_bytes / one.told.total_bytes)
        for one in loads
        if one.told is not None and one.told.total_bytes and one.told.usable_bytes is not None
    ]
    full = [(one, left) for one, left in full if left < _NEARLY_FULL]
    if full:
        where = listed(
            f"{one.path} of broker {one.broker} ({size(float(one.told.usable_bytes or 0))} left, {left:.0%})"
            for one, left in full
            if one.told is not None
        )
        yield Finding(
            "log_dir_full",
            Severity.ATTENTION,
            f"{counted(len(full), 'log directory is', 'log directories are')} nearly full: {where}. A directory that "
            "cannot be written to goes offline.",
            brokers=tuple(sorted({one.broker for one, _ in full})),
        )


def _uneven(loads: Sequence[DirectoryLoad]) -> Iterator[Finding]:
    by_broker: dict[int, list[DirectoryLoad]] = {}
    for one in loads:
        if one.told is None or one.told.error is None:
            by_broker.setdefault(one.broker, []).append(one)
    found: list[tuple[DirectoryLoad, int]] = []
    for mine in by_broker.values():
        held = [one.bytes for one in mine if one.bytes is not None]
        if len(mine) < 2 or len(held) < len(mine):
            continue
        fullest, gap = max(mine, key=lambda one: one.bytes or 0), max(held) - min(held)
        # One large replica alone cannot be split: what it makes uneven stays so.
        if max(held) > _UNEVEN * sum(held) / len(held) and gap >= _LEAST_GAP and fullest.replicas > 1:
            found.append((fullest, gap))
    if found:
        found.sort(key=lambda pair: -pair[1])
        where = listed(f"broker {one.broker}: {one.path} holds {size(float(gap))} more" for one, gap in found)
        yield Finding(
            "log_dir_uneven",
            Severity.NOTE,
            f"Log directories are not balanced on {counted(len(found), 'broker')} ({where} than the emptiest).",
            brokers=tuple(sorted(one.broker for one, _ in found)),
        )
