"""Reductions over a mask's columns equal numpy's own; keys, repeats and padding of lists."""

from __future__ import annotations

import numpy as np
import pytest

from reseat.model.arrays import (
    found_in,
    holds,
    matrix_of,
    newcomers,
    of_one_width,
    on_brokers,
    row_any,
    row_counts,
    row_keys,
    row_repeats,
    split_keys,
    widened,
)


@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (4, 0), (5, 1), (7, 3), (3, 16), (3, 40)])
def test_counts_and_any_equal_numpys(shape: tuple[int, int]) -> None:
    """Narrow, wide and empty masks."""
    mask = np.random.default_rng(1).random(shape) < 0.4

    assert row_counts(mask).tolist() == np.count_nonzero(mask, axis=1).tolist()
    assert row_any(mask).tolist() == mask.any(axis=1).tolist()
    assert row_counts(mask).dtype == np.int32


@pytest.mark.parametrize("width", [0, 1, 3, 5, 6, 9])
def test_repeats_are_found_however_wide_the_lists(width: int) -> None:
    """Padding may stand twice; a broker may not. Narrow lists are compared, wide ones sorted."""
    lists = np.random.default_rng(width).integers(-1, 2 * width + 1, (40, width)).astype(np.int32)
    expected = [len(set(kept)) < len(kept) for kept in ([id_ for id_ in row if id_ >= 0] for row in lists.tolist())]

    assert row_repeats(lists).tolist() == expected


def test_a_key_sorts_as_its_pair_does() -> None:
    """Also at the ends of what ids may be, and with an unknown topic below all."""
    pairs = [(-1, 5), (0, 0), (0, 2**31 - 1), (1, 0), (2**31 - 1, 2**31 - 1)]
    keys = row_keys(np.array([a for a, _ in pairs]), np.array([b for _, b in pairs]))

    assert sorted(keys.tolist()) == keys.tolist()
    assert len(set(keys.tolist())) == len(pairs)
    assert row_keys(3, 4) == (3 << 32) + 4


def test_lists_are_widened_with_what_pads_them() -> None:
    """On the right, of the same type; lists as wide as asked for stay as they are."""
    lists = np.array([[1, 2], [3, -1]], np.int32)
    wide = widened(lists, 3)

    assert wide.tolist() == [[1, 2, -1], [3, -1, -1]]
    assert wide.dtype == np.int32
    assert widened(lists > 0, 3, False).tolist() == [[True, True, False], [True, False, False]]
    assert widened(lists, 2) is lists


@pytest.mark.parametrize("width", [0, 1, 3, 20])
def test_who_comes_is_who_was_not_in_the_row_before(width: int) -> None:
    """Narrow lists and wide ones, against plain sets; padding never comes."""
    random = np.random.default_rng(width)
    before, after = (random.integers(-1, 3 * width + 1, (30, width)).astype(np.int32) for _ in range(2))
    expected = [
        [id_ >= 0 and id_ not in old for id_ in new] for old, new in zip(before.tolist(), after.tolist(), strict=True)
    ]

    assert newcomers(before, after).tolist() == expected
    assert holds(before, after).tolist() == [
        [id_ >= 0 and id_ in old for id_ in new] for old, new in zip(before.tolist(), after.tolist(), strict=True)
    ]


def test_keys_are_found_where_they_stand() -> None:
    """-1 for what is not there, below the first and beyond the last too; nothing is found in nothing."""
    keys = row_keys(np.array([0, 0, 2]), np.array([1, 7, 0]))
    wanted = row_keys(np.array([0, -1, 2, 3, 0]), np.array([7, 7, 0, 0, 0]))

    assert found_in(keys, wanted).tolist() == [1, -1, 2, -1, -1]
    assert found_in(keys[:0], wanted).tolist() == [-1] * 5
    assert [part.tolist() for part in split_keys(keys)] == [[0, 0, 2], [1, 7, 0]]


def test_replicas_on_chosen_brokers_are_told_and_padding_is_on_none() -> None:
    """Position -1 is no broker, whichever are chosen."""
    lists = np.array([[0, 2], [1, -1]], np.int32)

    assert on_brokers(lists, np.array([True, False, True])).tolist() == [[True, True], [False, False]]


def test_lists_become_a_matrix() -> None:
    """As wide as the longest; no list is no row."""
    assert matrix_of([[1, 2], [], [3]]).tolist() == [[1, 2], [-1, -1], [3, -1]]
    assert matrix_of([]).shape == (0, 0)
    assert [one.shape for one in of_one_width(matrix_of([[1]]), matrix_of([[1, 2, 3]]))] == [(1, 3), (1, 3)]
