"""Assignments by topic and partition, as people write them, as the columns of a layout: for tests and small layouts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from reseat.model.arrays import holds, matrix_of
from reseat.model.columns import NONE, NOT_TOLD

__all__ = ["columns_of"]

_Key = tuple[str, int]


def columns_of(
    assignments: Mapping[_Key, Sequence[int]],
    *,
    leaders: Mapping[_Key, int | None] | None,
    in_sync: Mapping[_Key, Sequence[int]] | None,
    size_bytes: Mapping[_Key, float] | None,
) -> dict[str, Any]:
    """What ``ClusterLayout.from_columns`` takes, of what ``ClusterLayout.from_assignments`` is given."""
    keys = list(assignments)
    names = sorted({topic for topic, _ in keys})
    code = {name: i for i, name in enumerate(names)}
    replicas = matrix_of(assignments[key] for key in keys)
    columns: dict[str, Any] = {
        "topics": names,
        "topic_of": np.array([code[topic] for topic, _ in keys], np.int32),
        "partition": np.array([partition for _, partition in keys], np.int32),
        "replicas": replicas,
    }
    if leaders is not None:
        told = (leaders.get(key, NOT_TOLD) for key in keys)
        columns["leader"] = np.array([NONE if leader is None else leader for leader in told], np.int32)
    if in_sync is not None:
        columns["in_sync"] = holds(matrix_of(in_sync.get(key, ()) for key in keys), replicas)
        columns["in_sync_told"] = np.array([key in in_sync for key in keys], np.bool_)
    if size_bytes is not None:
        columns["size_bytes"] = np.array([size_bytes.get(key, np.nan) for key in keys], np.float64)
    return columns
