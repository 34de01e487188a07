"""Where replicas lie on the disks of their brokers, and how one is moved to another directory (KIP-113).

A broker copies a replica beside itself, as a future log (its folder ends in ``-future``), and changes over once that
has caught up. It goes on with it after a restart. Asking for the directory in which a replica lies drops the copy.

Source: KIP-113; ``ReplicaManager.alterReplicaLogDirs`` as of 4.4.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from reseat.errors import ClusterUnreachable
from reseat.model.naming import by_topic
from reseat.operate.targets.admin_requests import NOT_ALLOWED, AdminRequests, not_allowed
from reseat.operate.targets.error_names import NONE, error_name
from reseat.operate.targets.stored import DirectoriesSeen, Replica, Stored
from reseat.operate.targets.target import Partition
from reseat.sources.in_parts import PARTITIONS_AT_ONCE, in_parts

if TYPE_CHECKING:
    from reseat.sources.kafka_admin.client import AdminClient

__all__ = ["move_replicas", "read_directories"]


def read_directories(admin: AdminClient, partitions: Sequence[Partition], brokers: Iterable[int]) -> DirectoriesSeen:
    """Where these partitions lie on these brokers, which are alive."""
    from reseat.sources.kafka_admin.log_dirs import describe_log_dirs

    asked, stored = sorted(set(brokers)), dict[Replica, Stored]()
    online, cordoned = set[tuple[int, str]](), set[tuple[int, str]]()
    for part in in_parts(dict.fromkeys(partitions), PARTITIONS_AT_ONCE):
        told = describe_log_dirs(admin, asked, by_topic(part))
        there = [one for one in told.directories if one.error is None]
        online |= {(one.broker, one.path) for one in there}
        cordoned |= {(one.broker, one.path) for one in there if one.cordoned}
        columns = (told.topic, told.partition, told.broker, told.path, told.size_bytes, told.future)
        for topic, partition, broker, path, size, future in zip(*(c.tolist() for c in columns), strict=True):
            key = ((told.topics[topic], partition), broker)
            before = stored.get(key, Stored())
            stored[key] = (
                replace(before, future=told.paths[path], future_bytes=size)
                if future
                else replace(before, path=told.paths[path], bytes=size)
            )
    return DirectoriesSeen(stored, frozenset(online), frozenset(cordoned))


def move_replicas(requests: AdminRequests, replicas: Mapping[Replica, str]) -> dict[Replica, str | None]:
    """Ask for each of these replicas to lie in this directory; see ``Target.move``."""
    answers: dict[Replica, str | None] = {}
    silent: ClusterUnreachable | None = None
    by_broker: dict[int, dict[str, list[Partition]]] = {}
    for (partition, broker), path in replicas.items():
        by_broker.setdefault(broker, {}).setdefault(path, []).append(partition)
    for broker, response in requests.by_broker({broker: _request(paths) for broker, paths in by_broker.items()}):
        if isinstance(response, ClusterUnreachable):
            silent = response
            continue
        for topic in response.results:
            for one in topic.partitions:
                name = error_name(one.error_code)
                if name in NOT_ALLOWED:
                    raise not_allowed("Alter on the cluster")
                answers[(topic.topic_name, one.partition_index), broker] = None if name == NONE else name
    if silent is not None:
        raise silent
    return answers


def _request(paths: Mapping[str, Sequence[Partition]]) -> object:
    from kafka.protocol.admin import AlterReplicaLogDirsRequest

    part = AlterReplicaLogDirsRequest.AlterReplicaLogDir
    return AlterReplicaLogDirsRequest(
        dirs=[
            part(
                path=path,
                topics=[
                    part.AlterReplicaLogDirTopic(name=topic, partitions=ids) for topic, ids in by_topic(some).items()
                ],
            )
            for path, some in paths.items()
        ]
    )
