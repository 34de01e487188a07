"""Two clusters side by side: what each holds, and each topic that is to move, on both.

What it promises: a topic is told once, with what it is in the source and what of its name the target has already; what
a source does not tell (sizes, racks) is None, never 0.

Complexity: O(P R) of both layouts.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from reseat.balance.racks import distinct_racks
from reseat.errors import WishRefused
from reseat.migration.request import MigrationRequest
from reseat.model import NONE, ClusterLayout, FloatArray, IntArray
from reseat.model.selection import topics_like

__all__ = ["Side", "TopicMove", "copied_bytes", "fewest_racks", "left_out_by_mirror_maker", "side_of", "topic_moves"]

#: What MirrorMaker 2 never copies by itself: ``topics.exclude`` and ``ReplicationPolicy.isInternalTopic`` (4.0).
_NEVER = re.compile(r"__.*|\..*|.*[-.]internal|.*\.replica", re.DOTALL)
#: Topics that platforms keep for themselves; what writes them there has its own way to another cluster.
_PLATFORM = "_"


@dataclass(frozen=True, slots=True)
class Side:
    """A cluster in numbers.

    Attributes:
        brokers: brokers that it has.
        receiving: those of them that may get replicas now.
        racks: its racks; empty: none, or not told.
        racks_told: whether that no broker has a rack is known.
        topics: its topics.
        partitions: its partitions.
        replicas: its replicas.
        bytes: what they take; None where no size is told.
        fullest: replicas of the broker that has most.
    """

    brokers: int
    receiving: int
    racks: tuple[str, ...]
    racks_told: bool
    topics: int
    partitions: int
    replicas: int
    bytes: float | None
    fullest: int


@dataclass(frozen=True, slots=True)
class TopicMove:
    """One topic on both sides.

    Attributes:
        name: its name in the source.
        remote: its name in the target.
        partitions: of the source; by the highest id, where the source tells not all of them.
        factor: replicas of a partition in the source, the most that one has.
        racks: racks that its partitions are on in the source, the fewest that one is; None: unknown.
        bytes: what is copied over: a replica of each partition; None where a size is unknown.
        min_in_sync: its own min.insync.replicas, or None.
        there: partitions that the target has of that name; 0: the topic is created.
        there_factor: their replicas, the fewest that one has; None where there are none.
    """

    name: str
    remote: str
    partitions: int
    factor: int
    racks: int | None
    bytes: float | None
    min_in_sync: int | None
    there: int
    there_factor: int | None

    @property
    def lacking(self) -> int:
        """Partitions that a topic of the target lacks; 0 for one that is created."""
        return max(0, self.partitions - self.there) if self.there else 0


def left_out_by_mirror_maker(topic: str) -> bool:
    """Whether MirrorMaker 2 does not copy a topic even where it is named (internal topics, and ``*.replica``)."""
    return _NEVER.fullmatch(topic) is not None


def side_of(layout: ClusterLayout) -> Side:
    """A cluster in numbers."""
    sizes = layout.replica_bytes
    return Side(
        brokers=len(layout.brokers),
        receiving=int(np.count_nonzero(layout.receiving)),
        racks=layout.racks,
        racks_told=not layout.unknown_racks,
        topics=len(layout.topics),
        partitions=layout.partition_count,
        replicas=layout.replica_count,
        bytes=None if sizes is None else float(np.nansum(sizes)),
        fullest=int(layout.replicas_by_broker.max(initial=0)),
    )


def copied_bytes(layout: ClusterLayout) -> FloatArray:
    """(P,) float64: bytes of the largest replica of each partition, which is what is copied over; NaN: unknown."""
    sizes = layout.replica_bytes
    if sizes is None:
        return np.full(layout.partition_count, np.nan)
    largest = np.nanmax(np.where(np.isnan(sizes), -1.0, sizes), axis=1, initial=-1.0)
    return np.asarray(np.where(largest < 0, np.nan, largest), np.float64)


def topic_moves(source: ClusterLayout, target: ClusterLayout, asked: MigrationRequest) -> tuple[TopicMove, ...]:
    """The topics to move, sorted by name.

    Raises:
        WishRefused: a name or pattern fits no topic of the source, MirrorMaker 2 leaves one out that is named, no
            partition of it is known, or there is nothing to move.
    """
    if asked.topics:
        names = topics_like(source, asked.topics)
        never = tuple(name for name in names if left_out_by_mirror_maker(name) and name in asked.topics)
        if never:
            raise WishRefused(
                f"MirrorMaker 2 does not copy {never[0]}: names that begin with __ or a dot, or end with internal or "
                ".replica, are its own or Kafka's.",
                topics=never,
            )
        names = tuple(name for name in names if not left_out_by_mirror_maker(name))
    else:
        names = tuple(n for n in source.topics if not (n.startswith(_PLATFORM) or left_out_by_mirror_maker(n)))
    here, there = _by_topic(source), _by_topic(target)
    untold = {name for name in names if not here.partitions[here.place[name]]}
    if named := tuple(sorted(untold.intersection(asked.topics))):
        raise WishRefused(
            f"No partition of topic {named[0]} is known in the source: add its rows, or leave the topic out.",
            topics=named,
        )
    names = tuple(name for name in names if name not in untold)
    if not names:
        raise WishRefused("The source has no topic that MirrorMaker 2 would copy.")
    return tuple(_move(name, f"{asked.prefix}.{name}" if asked.prefix else name, here, there) for name in names)


def fewest_racks(layout: ClusterLayout) -> dict[str, int] | None:
    """The racks that each topic's partitions are on, the fewest that one is; None where no broker has a rack."""
    racks = distinct_racks(layout)
    return None if racks is None else dict(zip(layout.topics, _fewest(layout, racks).tolist(), strict=True))


def _fewest(layout: ClusterLayout, racks: IntArray) -> IntArray:
    fewest = np.full(len(layout.topics), 2**31 - 1, np.int32)
    np.minimum.at(fewest, layout.topic_of, racks)
    return fewest


@dataclass(frozen=True, slots=True)
class _Topics:
    """A row a topic: (T,) each."""

    place: dict[str, int]
    partitions: IntArray
    least: IntArray
    most: IntArray
    racks: IntArray | None
    bytes: FloatArray
    min_in_sync: IntArray | None


def _by_topic(layout: ClusterLayout) -> _Topics:
    count = len(layout.topics)
    factor, racks = layout.replication_factor, distinct_racks(layout)
    most, least = np.zeros(count, np.int32), np.full(count, 2**31 - 1, np.int32)
    highest = np.full(count, NONE, np.int32)
    np.maximum.at(highest, layout.topic_of, layout.partition)
    np.maximum.at(most, layout.topic_of, factor)
    np.minimum.at(least, layout.topic_of, factor)
    fewest = None if racks is None else _fewest(layout, racks)
    return _Topics(
        place={name: at for at, name in enumerate(layout.topics)},
        partitions=highest + 1,
        least=least,
        most=most,
        racks=fewest,
        bytes=np.bincount(layout.topic_of, weights=copied_bytes(layout), minlength=count).astype(np.float64),
        min_in_sync=layout.min_in_sync,
    )


def _move(name: str, remote: str, here: _Topics, there: _Topics) -> TopicMove:
    at, known = here.place[name], there.place.get(remote)
    size = float(here.bytes[at])
    least = NONE if here.min_in_sync is None else int(here.min_in_sync[at])
    return TopicMove(
        name=name,
        remote=remote,
        partitions=int(here.partitions[at]),
        factor=int(here.most[at]),
        racks=None if here.racks is None else int(here.racks[at]),
        bytes=None if np.isnan(size) else size,
        min_in_sync=None if least == NONE else least,
        there=0 if known is None else int(there.partitions[known]),
        there_factor=None if known is None else int(there.least[known]),
    )
