"""What brokers hold on their disks, asked of the brokers themselves: for verifying, and for progress in bytes.

Both ways of writing ask this through the Admin protocol (KIP-113): ZooKeeper does not know it. A broker that is not
alive is not asked, and one that does not answer is left out; none keeps the others waiting.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from reseat.model.naming import by_topic
from reseat.operate.targets.target import Partition
from reseat.sources.in_parts import PARTITIONS_AT_ONCE, in_parts

if TYPE_CHECKING:
    from reseat.sources.kafka_admin.client import AdminClient

__all__ = ["copied_bytes", "held"]


def held(admin: AdminClient, brokers: Iterable[int]) -> dict[int, frozenset[Partition]]:
    """The partitions that lie in the log directories of each broker, future logs (KIP-113) included.

    Args:
        admin: an open client.
        brokers: ids of brokers that are alive.

    Returns:
        By broker; one that did not answer is absent, and so is one with an offline directory: what lies there is not
        told, and "nothing" would be a guess.
    """
    from reseat.sources.kafka_admin.log_dirs import describe_log_dirs

    asked = sorted(set(brokers))
    told = describe_log_dirs(admin, asked)
    in_part = {directory.broker for directory in told.directories if directory.error is not None}
    out: dict[int, frozenset[Partition]] = {}
    for broker in asked:
        if broker in told.silent or broker in in_part:
            continue
        rows = np.flatnonzero(told.broker == broker)
        names = (told.topics[topic] for topic in told.topic[rows].tolist())
        out[broker] = frozenset(zip(names, told.partition[rows].tolist(), strict=True))
    return out


def copied_bytes(
    admin: AdminClient, partitions: Sequence[Partition], brokers: Iterable[int]
) -> dict[tuple[Partition, int], int] | None:
    """Bytes that each broker holds of each partition.

    Args:
        admin: an open client.
        partitions: the partitions asked about.
        brokers: ids of brokers that are alive.

    Returns:
        By partition and broker; a replica that is not there is absent. None: no broker answered.
    """
    from reseat.sources.kafka_admin.log_dirs import describe_log_dirs

    asked, sizes = sorted(set(brokers)), dict[tuple[Partition, int], int]()
    for part in in_parts(dict.fromkeys(partitions), PARTITIONS_AT_ONCE):
        told = describe_log_dirs(admin, asked, by_topic(part))
        asked = [broker for broker in asked if broker not in told.silent]  # waited for once, and not a part long each
        if not asked:
            return None
        columns = (told.topic.tolist(), told.partition.tolist(), told.broker.tolist(), told.size_bytes.tolist())
        for topic_place, partition, broker, size in zip(*columns, strict=True):
            key = ((told.topics[topic_place], partition), broker)
            # A replica that moves between directories of its broker is there twice; the fuller one is what is copied.
            sizes[key] = max(size, sizes.get(key, 0))
    return sizes
