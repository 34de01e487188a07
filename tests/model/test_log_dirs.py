"""Log directories: numbered alike however a source lists them."""

from __future__ import annotations

import pytest

from reseat.errors import LayoutInvalid
from reseat.model import ClusterLayout


def made(paths: list[str], column: list[list[int]]) -> ClusterLayout:
    """Two partitions of one topic on brokers 1 and 2."""
    return ClusterLayout.from_columns(
        topics=["t"], topic_of=[0, 0], partition=[0, 1], replicas=[[1, 2], [2, 1]], log_dir=column, log_dirs=paths
    )


def test_equal_layouts_have_equal_digests_whatever_the_order_of_directories() -> None:
    """/a and /b in either order, also with one named twice, are the same layout."""
    one = made(["/a", "/b"], [[0, 1], [-1, 0]])
    other = made(["/b", "/a", "/b"], [[1, 2], [-1, 1]])

    assert one.log_dirs == other.log_dirs == ("/a", "/b")
    assert one.digest == other.digest


def test_a_position_outside_the_directories_is_refused() -> None:
    """A source that points to a third of two directories is broken, and is said to be."""
    with pytest.raises(LayoutInvalid, match="outside the 2 log directories"):
        made(["/a", "/b"], [[0, 2], [0, 0]])
