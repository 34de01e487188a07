"""Reductions over the replica columns of a mask, one answer a partition.

A mask is (P, R) with P in the millions and R a handful. numpy reduces such an array along its last axis row by row,
which takes about ten times as long as adding up the R columns.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["row_any", "row_counts"]

#: Beyond this many columns numpy's own reduction is as fast.
_FEW = 16


def row_counts(mask: npt.NDArray[np.bool_]) -> npt.NDArray[np.int32]:
    """How many columns of each row are True, (P,) int32."""
    rows, width = mask.shape
    if width > _FEW:
        return np.asarray(np.count_nonzero(mask, axis=1), np.int32)
    total = np.zeros(rows, np.int32)
    for column in range(width):
        total += mask[:, column]
    return total


def row_any(mask: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Whether any column of each row is True, (P,) bool."""
    rows, width = mask.shape
    if width > _FEW:
        return np.asarray(mask.any(axis=1), np.bool_)
    found = np.zeros(rows, np.bool_)
    for column in range(width):
        found |= mask[:, column]
    return found
