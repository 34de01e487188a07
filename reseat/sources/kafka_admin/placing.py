"""Logs on disks -> the replicas they belong to: sizes and directories as columns beside the layout's rows.

Needs rows sorted by topic and partition. A log is found by binary search over (topic, partition) and then among its
row's replicas; a log on a broker that is no replica of its partition is left over, and is told apart.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reseat.model import NONE, ClusterLayout, FloatArray, IntArray, Longs
from reseat.model.arrays import found_in, row_keys
from reseat.sources.kafka_admin.log_dirs import LogDirsTold
from reseat.sources.kafka_admin.partitions import PartitionsTold

__all__ = ["Placed", "place_logs"]


@dataclass(frozen=True, eq=False)
class Placed:
    """Where the logs belong.

    Attributes:
        size_bytes: (P, R) float64 bytes, NaN where not told.
        log_dir: (P, R) int32 into the paths told, -1 where not told.
        paths: paths of directories, sorted.
        left_over: (M, 2) int64: row and broker id of logs on brokers that are no replicas.
    """

    size_bytes: FloatArray
    log_dir: IntArray
    paths: tuple[str, ...]
    left_over: Longs


def place_logs(told: PartitionsTold | ClusterLayout, replicas: IntArray, logs: LogDirsTold) -> Placed:
    """Find the replica of each log. A log being copied between directories (KIP-113) is not the replica yet.

    Args:
        told: P partitions.
        replicas: (P, R) broker ids of their replicas.
        logs: L logs.

    Complexity: O(L log P + L R).
    """
    size = np.full(replicas.shape, np.nan)
    directory = np.full(replicas.shape, NONE, np.int32)
    code = {name: position for position, name in enumerate(told.topics)}
    topic = np.array([code.get(name, NONE) for name in logs.topics], np.int64)[logs.topic]
    rows = found_in(row_keys(told.topic_of, told.partition), row_keys(topic, logs.partition))
    known = (rows >= 0) & ~logs.future
    rows, broker = rows[known], logs.broker[known]
    equal = replicas[rows] == broker[:, None]
    found = equal.any(axis=1)
    at = (rows[found], equal[found].argmax(axis=1)) if equal.shape[1] else (rows[found], rows[found])
    size[at] = logs.size_bytes[known][found]
    directory[at] = logs.path[known][found]
    return Placed(size, directory, logs.paths, np.column_stack((rows[~found], broker[~found].astype(np.int64))))
