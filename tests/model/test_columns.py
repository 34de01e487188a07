"""Reductions over a mask's columns equal numpy's own."""

from __future__ import annotations

import numpy as np
import pytest

from reseat.model.columns import row_any, row_counts


@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (4, 0), (5, 1), (7, 3), (3, 16), (3, 40)])
def test_counts_and_any_equal_numpys(shape: tuple[int, int]) -> None:
    """Narrow, wide and empty masks."""
    mask = np.random.default_rng(1).random(shape) < 0.4

    assert row_counts(mask).tolist() == np.count_nonzero(mask, axis=1).tolist()
    assert row_any(mask).tolist() == mask.any(axis=1).tolist()
    assert row_counts(mask).dtype == np.int32
