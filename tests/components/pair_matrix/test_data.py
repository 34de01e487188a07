"""What the browser is sent for a pair matrix: exact, small, and only text; and what it is believed when it answers."""

from __future__ import annotations

import base64

import numpy as np
import pytest

from components.canvas.pair_matrix import matrix_data, opened

#: Brokers 1, 3 and 2: the upper half row by row with its diagonal.
CELLS = np.array([0, 300, 2, 0, 4, 1], np.uint32)
WORDS = ("partition offline", "partitions offline")


def unpacked(packed: dict) -> list[int]:
    """The numbers as the browser reads them."""
    return np.frombuffer(base64.b64decode(packed["values"]), f"<u{packed['width']}").tolist()


def test_cells_arrive_exactly_in_as_few_bytes_as_they_take() -> None:
    """Numbers up to 255 take a byte, larger ones two or four; none is rounded."""
    data = matrix_data([1, 3, 2], ["a", "a", "b"], (CELLS, WORDS), [(CELLS.clip(max=9), WORDS)])

    assert unpacked(data["shown"]) == [0, 300, 2, 0, 4, 1]
    assert (data["shown"]["width"], data["also"][0]["width"]) == (2, 1)
    assert data["most"] == 300
    assert matrix_data([1], [None], (np.array([1 << 20], np.uint32), WORDS))["shown"]["width"] == 4


def test_rows_are_told_with_their_racks_in_bands() -> None:
    """Neighbours of one rack share a band; where names begin alike, the rest of them is the short one."""
    data = matrix_data([1, 3, 2], ["rack-1", "rack-1", "rack-2"], (CELLS, WORDS))

    assert data["names"] == ["broker 1 (rack-1)", "broker 3 (rack-1)", "broker 2 (rack-2)"]
    assert [(band["label"], band["short"], band["from"], band["to"]) for band in data["groups"]] == [
        ("rack-1", "1", 0, 2),
        ("rack-2", "2", 2, 3),
    ]


def test_without_racks_there_are_no_bands_and_one_rack_keeps_its_name() -> None:
    """A band without a name would say nothing."""
    assert matrix_data([1, 2, 3], [None] * 3, (CELLS, WORDS))["groups"] == []
    assert matrix_data([1, 2, 3], ["a", "a", "a"], (CELLS, WORDS))["groups"][0]["short"] == "a"


def test_a_selection_does_not_make_another_matrix() -> None:
    """Choosing a pair keeps the browser's zoom: the token names the numbers alone."""
    one = matrix_data([1, 3, 2], [None] * 3, (CELLS, WORDS))
    two = matrix_data([1, 3, 2], [None] * 3, (CELLS, WORDS), selected=(0, 2))

    assert one["token"] == two["token"]
    assert (one["selected"], two["selected"]) == ([-1, -1], [0, 2])
    assert one["token"] != matrix_data([1, 3, 2], [None] * 3, (CELLS + 1, WORDS))["token"]


def test_a_thousand_brokers_are_under_a_megabyte() -> None:
    """499,500 pairs of small numbers take a byte each; what is only told by hovering is left out then."""
    cells = np.ones(1000 * 1001 // 2, np.uint32)
    data = matrix_data(list(range(1000)), [None] * 1000, (cells, WORDS), [(cells, WORDS)])

    assert len(data["shown"]["values"]) < 700_000
    assert data["also"] == []


@pytest.mark.parametrize(
    ("event", "lost"),
    [
        ({"kind": "open", "row": 0, "column": 2}, (1, 2)),
        ({"kind": "open", "row": 2, "column": 1}, (2, 3)),
        ({"kind": "open", "row": 1, "column": 1}, (3,)),
        ({"kind": "open", "row": 3, "column": 1}, None),
        ({"kind": "open", "row": -1, "column": 1}, None),
        ({"kind": "open", "row": True, "column": 1}, None),
        ({"kind": "open", "row": "1", "column": 1}, None),
        ({"kind": "open"}, None),
        ({"kind": "zoom", "row": 0, "column": 1}, None),
    ],
)
def test_only_a_place_of_the_matrix_opens_a_pair(event: dict, lost: tuple[int, ...] | None) -> None:
    """Ids are ascending, the diagonal is one broker, and anything else that a browser may send is nothing."""
    assert opened(event, [1, 3, 2]) == lost
