"""What the brokers' log directories hold: which replica lies where, and how large it is (KIP-113; DescribeLogDirs).

Promises: (1) every broker is asked at once and answers for itself: one that is dead, slow or refuses is named in
``silent`` and the others' answers are kept; (2) columns, not an object a replica.

A broker answers for the replicas that lie on its disks, also for those that the metadata no longer lists: a replica
that came or was left behind shows here and nowhere else.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from kafka.protocol.admin import DescribeLogDirsRequest, DescribeLogDirsResponse

from reseat.errors import ClusterUnreachable
from reseat.model import BoolArray, Finding, IntArray, LogDirectory, Longs, Severity
from reseat.model.wording import counted
from reseat.sources.kafka_admin.client import AdminClient, PendingAnswer
from reseat.sources.kafka_admin.error_names import error_name
from reseat.sources.kafka_admin.log_dirs_columns import CORDONED, LOG, Directory, directories
from reseat.sources.kafka_admin.request_batch import BROKERS_AT_ONCE, RequestBatch
from reseat.sources.kafka_admin.undecoded import Bytes, Undecoded

__all__ = ["LogDirsTold", "cordoned_brokers", "describe_log_dirs", "read_log_dirs"]

#: Replicas that a finding names.
_EXAMPLES = 3


@dataclass(frozen=True, eq=False)
class LogDirsTold:
    """What the log directories of some brokers hold. N is the number of logs, in no promised order.

    Attributes:
        directories: every directory told, sorted by broker and path; an offline one has its ``error``.
        topics: topic names, sorted.
        paths: paths of directories, sorted.
        topic: (N,) int32 into ``topics``.
        partition: (N,) int32 partition id.
        broker: (N,) int32 broker id.
        path: (N,) int32 into ``paths``.
        size_bytes: (N,) int64 bytes.
        future: (N,) bool, a log that is being copied from another directory of the same broker (KIP-113).
        silent: why, by broker id, where a broker told nothing.
    """

    directories: tuple[LogDirectory, ...]
    topics: tuple[str, ...]
    paths: tuple[str, ...]
    topic: IntArray
    partition: IntArray
    broker: IntArray
    path: IntArray
    size_bytes: Longs
    future: BoolArray
    silent: Mapping[int, ClusterUnreachable]

    def moving(self) -> tuple[Finding, ...]:
        """That replicas are being copied to another directory of their broker, where any is."""
        rows = np.flatnonzero(self.future)
        if not rows.size:
            return ()
        names = (
            f"{self.topics[self.topic[row]]}-{self.partition[row]} on broker {self.broker[row]} to "
            f"{self.paths[self.path[row]]}"
            for row in rows[:_EXAMPLES].tolist()
        )
        more = f", and {rows.size - _EXAMPLES:,} more" if rows.size > _EXAMPLES else ""
        return (
            Finding(
                "log_dir_move",
                Severity.NOTE,
                f"{counted(int(rows.size), 'replica is', 'replicas are')} being moved to another log directory of the "
                f"same broker: {', '.join(names)}{more}.",
                brokers=tuple(np.unique(self.broker[rows]).tolist()),
            ),
        )


def describe_log_dirs(
    admin: AdminClient, brokers: Iterable[int], topics: Mapping[str, Sequence[int]] | None = None
) -> LogDirsTold:
    """Ask brokers what their log directories hold.

    Args:
        admin: an open client.
        brokers: ids of the brokers to ask.
        topics: only these partitions by topic; None: all of them.

    Returns:
        What they told. Nothing is raised for a broker that does not answer: see ``silent``.
    """
    under_way = {broker: send() for broker, send in _requests(admin, set(brokers), topics)}
    gathering = _Gathering()
    for broker in sorted(under_way):
        try:
            outcome = admin.wait(under_way.pop(broker))
        except ClusterUnreachable as failure:
            outcome = failure
        gathering.take(broker, outcome)
    return gathering.told()


def read_log_dirs(admin: AdminClient, batch: RequestBatch, brokers: Sequence[int]) -> LogDirsTold:
    """What these brokers hold, as part of a reading.

    Raises:
        Cancelled: the person stopped the reading.
    """
    gathering = _Gathering()
    requests = _requests(admin, brokers)
    for broker, answer in batch.each(admin, "log directories", requests, BROKERS_AT_ONCE):
        gathering.take(broker, answer)
    return gathering.told()


def _requests(
    admin: AdminClient, brokers: Iterable[int], topics: Mapping[str, Sequence[int]] | None = None
) -> Iterator[tuple[int, Callable[[], PendingAnswer]]]:
    """What sends the request to each broker, by its id; arguments as ``describe_log_dirs``."""
    part = DescribeLogDirsRequest.DescribableLogDirTopic
    asked = None if topics is None else [part(topic=name, partitions=list(ids)) for name, ids in topics.items()]
    for broker in brokers:
        request = Undecoded(DescribeLogDirsRequest(topics=asked), DescribeLogDirsResponse)
        yield broker, partial(admin.submit, request, broker)


class _Gathering:
    """Takes one broker's answer after the other and lets go of each: answers of 100,000 replicas are large."""

    def __init__(self) -> None:
        self.silent: dict[int, ClusterUnreachable] = {}
        self._directories: list[LogDirectory] = []
        self._topics: dict[bytes, int] = {}
        self._paths: dict[str, int] = {}
        self._blocks: list[tuple[Longs, ...]] = []

    def take(self, broker: int, answer: Bytes | ClusterUnreachable) -> None:
        """One broker's answer, or why there is none."""
        if isinstance(answer, ClusterUnreachable):
            self.silent[broker] = answer
            return
        try:
            error, told = _decoded(answer)
        except (ValueError, IndexError, struct.error):
            self.silent[broker] = ClusterUnreachable("Its answer cannot be read.", "not_kafka")
            return
        unreachable = _unreachable(error, told)
        if unreachable is not None:
            self.silent[broker] = unreachable
            return
        for directory in told:
            self._directories.append(
                LogDirectory(
                    broker,
                    directory.log_dir,
                    _told(directory.total_bytes),
                    _told(directory.usable_bytes),
                    error_name(directory.error_code) if directory.error_code else None,
                    directory.cordoned,
                )
            )
            self._take_directory(broker, directory)

    def _take_directory(self, broker: int, directory: Directory) -> None:
        path = self._paths.setdefault(directory.log_dir, len(self._paths))
        known = self._topics
        codes = [known.setdefault(name, len(known)) for name in directory.topics]
        logs = directory.logs
        self._blocks.append(
            (
                np.repeat(np.array(codes, np.int64), directory.counts),
                logs["partition"].astype(np.int64),
                np.full(len(logs), broker, np.int64),
                np.full(len(logs), path, np.int64),
                logs["size"].astype(np.int64),
                logs["future"].astype(np.int64),
            )
        )

    def told(self) -> LogDirsTold:
        """Everything taken, as columns."""
        empty = (np.empty(0, np.int64),) * 6
        topic, partition, broker, path, size, future = (
            np.concatenate([block[i] for block in (*self._blocks, empty)]) for i in range(6)
        )
        self._blocks.clear()
        topics, topic_place = _sorted_names({name.decode("utf-8", "replace"): at for name, at in self._topics.items()})
        paths, path_place = _sorted_names(self._paths)
        return LogDirsTold(
            directories=tuple(sorted(self._directories, key=lambda d: (d.broker, d.path))),
            topics=topics,
            paths=paths,
            topic=topic_place[topic],
            partition=partition.astype(np.int32),
            broker=broker.astype(np.int32),
            path=path_place[path],
            size_bytes=size,
            future=future.astype(np.bool_),
            silent=dict(self.silent),
        )


def cordoned_brokers(directories: Iterable[LogDirectory]) -> frozenset[int]:
    """Brokers of which every directory that is online is cordoned: Kafka places nothing new there (KIP-1066)."""
    closed: dict[int, bool] = {}
    for directory in directories:
        if directory.error is None:
            closed[directory.broker] = closed.get(directory.broker, True) and directory.cordoned is True
    return frozenset(broker for broker, all_closed in closed.items() if all_closed)


def _decoded(answer: Bytes) -> tuple[int, list[Directory]]:
    """An answer in columns; one with fields that only kafka-python knows by way of its objects."""
    try:
        return directories(answer)
    except ValueError:
        response = answer.decoded()
    return response.error_code, [
        Directory(
            told.error_code,
            told.log_dir,
            [topic.name.encode() for topic in told.topics],
            [len(topic.partitions) for topic in told.topics],
            np.array(
                [
                    (log.partition_index, log.partition_size, log.offset_lag, log.is_future_key)
                    for topic in told.topics
                    for log in topic.partitions
                ],
                LOG,
            ),
            told.total_bytes,
            told.usable_bytes,
            getattr(told, "is_cordoned", None) if answer.version >= CORDONED else None,
        )
        for told in response.results
    ]


def _unreachable(error: int, told: list[Directory]) -> ClusterUnreachable | None:
    """Why an answer tells nothing. Before version 3 a refusal is an answer without any directory."""
    if error == 0 and told:
        return None
    if error == 0 or "AUTHORIZATION" in error_name(error):
        return ClusterUnreachable("CLUSTER_AUTHORIZATION_FAILED: DESCRIBE on CLUSTER is needed.", "authorization")
    return ClusterUnreachable(f"It answered {error_name(error)}.", "lost")


def _told(number: int) -> int | None:
    return int(number) if number >= 0 else None


def _sorted_names(places: dict[str, int]) -> tuple[tuple[str, ...], IntArray]:
    """Names sorted, and the new place of each old one."""
    names = sorted(places)
    place = np.empty(len(names), np.int32)
    place[[places[name] for name in names]] = np.arange(len(names), dtype=np.int32)
    return tuple(names), place
