"""Lists of ids in text become padded arrays, also where a text is damaged."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from reseat.formats import LIMITS
from reseat.formats.rows.idlists import LARGEST_ID, padded


def test_lists_are_padded_on_the_right() -> None:
    """Every run of digits is a number, in order; a list without digits is empty."""
    ids, bad = padded([b"1,2", b"", b"13"], LIMITS)

    assert ids.tolist() == [[1, 2], [-1, -1], [13, -1]]
    assert not bad.any()


def test_a_line_end_inside_a_list_separates_and_moves_nothing_to_the_next_list() -> None:
    """A damaged text can hold a line end where a list was expected; the lists beside it stay what they are."""
    ids, bad = padded([b"1,\n2", b"7"], LIMITS)

    assert ids.tolist() == [[1, 2], [7, -1]]
    assert not bad.any()


def test_a_number_above_32_bits_is_reported_and_not_wrapped() -> None:
    """2**31 - 1 is the largest id; above it the list is marked as not to be used."""
    ids, bad = padded([str(LARGEST_ID).encode(), str(LARGEST_ID + 1).encode(), b"99999999999999999999"], LIMITS)

    assert ids[0].tolist() == [LARGEST_ID]
    assert bad.tolist() == [False, True, True]


@given(st.lists(st.binary(max_size=12), min_size=1, max_size=8))
def test_any_bytes_give_the_digits_that_stand_in_them(lists: list[bytes]) -> None:
    """Whatever separates, each list has the runs of digits that a reader of that list alone would find."""
    import re

    ids, bad = padded(lists, LIMITS)
    for row, text in enumerate(lists):
        found = [int(run) for run in re.findall(rb"[0-9]+", text)]
        large = any(number > LARGEST_ID for number in found)

        assert bool(bad[row]) == large or any(len(run) > 10 for run in re.findall(rb"[0-9]+", text))
        if not bad[row]:
            assert ids[row][ids[row] != -1].tolist() == found
            assert np.count_nonzero(ids[row] != -1) == len(found)
