"""Whether columns make a layout: their shapes and types, positions that exist, rows in order."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from reseat.errors import LayoutInvalid
from reseat.model.broker import Broker
from reseat.model.columns import COLUMNS, NONE, IntArray

__all__ = ["check", "shape_of"]


def check(
    columns: Mapping[str, npt.NDArray[Any]],
    *,
    brokers: Sequence[Broker],
    topics: Sequence[str],
    topic_ids: Sequence[str] | None,
    log_dirs: Sequence[str],
) -> None:
    """Refuse columns that make no layout.

    Args:
        columns: every column that is told, by its name.
        brokers: what ``replicas`` and ``leader`` are positions in.
        topics: what ``topic_of`` is a position in.
        topic_ids: an id a topic, or None.
        log_dirs: what ``log_dir`` is a position in.

    Raises:
        LayoutInvalid: as ``ClusterLayout``.
    """
    partitions, width = shape_of(columns["replicas"])
    for name, told in columns.items():
        column = COLUMNS[name]
        shapes = column.shapes(partitions, width, len(topics))
        if told.shape not in shapes:
            raise LayoutInvalid(f"Column {name} has shape {told.shape}; {shapes[0]} was expected.")
        if told.dtype != column.kind:
            raise LayoutInvalid(f"Column {name} has type {told.dtype}; {np.dtype(column.kind)} was expected.")
    if topic_ids is not None and len(topic_ids) != len(topics):
        raise LayoutInvalid(f"There are {len(topic_ids)} topic ids for {len(topics)} topics.")
    ids = [broker.id for broker in brokers]
    if any(a >= b for a, b in itertools.pairwise(ids)) or (ids and ids[0] < 0):
        raise LayoutInvalid("Brokers must have different ids of at least 0, sorted.")
    sizes = {"brokers": len(brokers), "topics": len(topics), "log_dirs": len(log_dirs)}
    for name, told in columns.items():
        column = COLUMNS[name]
        if column.into and told.size and not column.least <= int(told.min()) <= int(told.max()) < sizes[column.into]:
            words = f"{sizes[column.into]} {'log directories' if column.into == 'log_dirs' else column.into}"
            raise LayoutInvalid(f"Column {name} holds a position outside the {words}.")
    replicas = columns["replicas"]
    if width > 1 and ((replicas[:, 1:] != NONE) & (replicas[:, :-1] == NONE)).any():
        raise LayoutInvalid("Replicas must be padded on the right only.")
    _check_order(topics, columns["topic_of"], columns["partition"])


def shape_of(replicas: IntArray) -> tuple[int, int]:
    """P and R of the replica lists.

    Raises:
        LayoutInvalid: they are no matrix.
    """
    if replicas.ndim != 2:
        raise LayoutInvalid(f"Column replicas has {replicas.ndim} dimensions; 2 were expected.")
    return int(replicas.shape[0]), int(replicas.shape[1])


def _check_order(topics: Sequence[str], topic: IntArray, partition: IntArray) -> None:
    if any(a >= b for a, b in itertools.pairwise(topics)):
        raise LayoutInvalid("Topics must be sorted by name and different.")
    if partition.size and int(partition.min()) < 0:
        raise LayoutInvalid("A partition id is below 0.")
    step = np.diff(topic)
    wrong = np.flatnonzero((step < 0) | ((step == 0) & (np.diff(partition) <= 0)))
    if wrong.size:
        row = int(wrong[0]) + 1
        name = topics[int(topic[row])]
        twice = bool(step[row - 1] == 0 and partition[row] == partition[row - 1])
        raise LayoutInvalid(
            f"Partition {name}-{int(partition[row])} {'occurs twice' if twice else 'is not in order'}.",
            topic=name,
            partition=int(partition[row]),
        )
