"""Lists of brokers beside replica lists, as masks over the replicas."""

from __future__ import annotations

import numpy as np

from reseat.model import NONE, BoolArray, IntArray

__all__ = ["mask_of"]

#: Rows compared at once: bounds the (rows, R, K) intermediate.
_SLICE = 50_000


def mask_of(replicas: IntArray, ids: IntArray) -> tuple[BoolArray, BoolArray]:
    """Which replicas a list beside them names.

    Args:
        replicas: (n, R) broker ids, -1 padded.
        ids: (n, K) broker ids of the other list (ISR, adding), -1 padded.

    Returns:
        (n, R) which replicas are in ``ids``; (n,) whether ``ids`` holds a broker that is no replica.
    """
    mask = np.zeros(replicas.shape, np.bool_)
    outside = np.zeros(len(replicas), np.bool_)
    for start in range(0, len(replicas), _SLICE):
        rows = slice(start, start + _SLICE)
        found = np.zeros(ids[rows].shape, np.bool_)
        for column in range(replicas.shape[1]):
            equal = ids[rows] == replicas[rows, column, None]
            found |= equal
            mask[rows, column] = equal.any(axis=1)
        outside[rows] = (~found & (ids[rows] != NONE)).any(axis=1)
    mask &= replicas != NONE
    return mask, outside
