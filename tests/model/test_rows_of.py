"""Partitions of one layout are found in another."""

from __future__ import annotations

from dataclasses import replace

from reseat.model import ClusterLayout

LAYOUT = ClusterLayout.from_assignments({("a", 0): [1], ("a", 7): [1], ("c", 1): [1], ("c", 2): [1]})


def test_partitions_are_found_by_topic_and_id():
    """a-7 is row 1 and c-2 is row 3; a-1, b-0 and d-2 are not there."""
    other = ClusterLayout.from_assignments({("a", 1): [9], ("a", 7): [9], ("b", 0): [9], ("c", 2): [9], ("d", 2): [9]})

    assert LAYOUT.rows_of(other).tolist() == [-1, 1, -1, 3, -1]


def test_an_empty_layout_has_no_partition():
    """Nothing is found in it, and it finds nothing."""
    empty = ClusterLayout.from_assignments({})

    assert empty.rows_of(LAYOUT).tolist() == [-1, -1, -1, -1]
    assert LAYOUT.rows_of(empty).tolist() == []


def test_a_layout_made_of_it_has_its_rows_unless_topics_are_named_anew():
    """Other replicas change nothing; with other names the same columns tell other partitions."""
    assert LAYOUT.rows_of(replace(LAYOUT, replicas=LAYOUT.replicas.copy())).tolist() == [0, 1, 2, 3]
    assert LAYOUT.rows_of(replace(LAYOUT, topics=("c", "d"))).tolist() == [-1, -1, -1, -1]
    assert LAYOUT.rows_of(replace(LAYOUT, topics=("a", "d"))).tolist() == [0, 1, -1, -1]


def test_topics_are_found_by_their_names() -> None:
    """In the order of the layout's topics; names that it does not have count for nothing."""
    layout = ClusterLayout.from_assignments({("b", 0): [1], ("a", 0): [2], ("c", 0): [1]})

    assert layout.is_topic(["c", "none such", "a"]).tolist() == [True, False, True]
    assert layout.is_topic([]).tolist() == [False, False, False]


def test_brokers_are_found_by_their_ids() -> None:
    """In any order, from any collection; an id that no broker has is nobody's."""
    layout = ClusterLayout.from_assignments({("a", 0): [3, 1, 7]})

    assert layout.is_broker({7, 9, 1}).tolist() == [True, False, True]
    assert layout.is_broker(()).tolist() == [False, False, False]
