"""Names and ids as texts write them."""

from __future__ import annotations

import pytest

from reseat.model.naming import id_in, is_internal, named_by, natural


@pytest.mark.parametrize(("text", "number"), [("0", 0), ("7", 7), ("007", 7), ("2147483647", 2**31 - 1)])
def test_an_id_is_read(text: str, number: int) -> None:
    """From 0 to the largest that a Java int holds."""
    assert id_in(text) == number


@pytest.mark.parametrize(
    "text",
    [
        "",
        "-1",
        "+1",
        " 1",
        "1.0",
        "2147483648",
        "000000000004294967297",
        "1" + "0" * 22,
        "9" * 5_000,
        "\uff11",
        "\u0663",
    ],
)
def test_what_is_no_id_is_none(text: str) -> None:
    """Neither a longer number whose first digits are one, nor digits of another script, nor any other text."""
    assert id_in(text) is None


def test_internal_topics_are_told_by_their_names() -> None:
    """An underscore begins them."""
    assert is_internal("__consumer_offsets")
    assert not is_internal("orders")


def test_names_are_sorted_as_a_person_sorts_them() -> None:
    """Numbers by their size, however long; letters without regard to case; equal keys only for equal names."""
    names = ["rack-10", "rack-2", "Rack-1", "rack-02", "10", "9", "", "b", "rack-2a", "rack-" + "9" * 5_000]

    assert sorted(names, key=natural) == [
        "",
        "9",
        "10",
        "b",
        "Rack-1",
        "rack-02",
        "rack-2",
        "rack-2a",
        "rack-10",
        "rack-" + "9" * 5_000,
    ]
    assert len({natural(name) for name in names}) == len(names)


def test_topics_are_named_in_full_or_by_patterns() -> None:
    """In their own order, each once; a name with a bracket in it is found by itself too."""
    topics = ("a[1]", "b-1", "b-2", "c")

    assert named_by(topics, ["b-?", "b-1", "a[1]"]) == ("a[1]", "b-1", "b-2")
    assert named_by(topics, ["B*"]) == named_by(topics, []) == ()
