"""Lists of brokers beside replica lists, as masks over the replicas."""

from __future__ import annotations

import numpy as np

from reseat.model import NONE, BoolArray, IntArray
from reseat.model.arrays import row_keys

__all__ = ["mask_of"]

#: Comparisons a row up to which two lists are compared directly; above, by sorting.
_DIRECT = 64
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
    if replicas.shape[1] * ids.shape[1] > _DIRECT:
        return _by_sorting(replicas, ids)
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


def _by_sorting(replicas: IntArray, ids: IntArray) -> tuple[BoolArray, BoolArray]:
    row = np.arange(len(replicas))[:, None]
    held, named = np.where(replicas == NONE, -1, row_keys(row, replicas)), np.where(ids == NONE, -2, row_keys(row, ids))
    return np.isin(held, named), ((named != -2) & ~np.isin(named, held)).any(axis=1)
