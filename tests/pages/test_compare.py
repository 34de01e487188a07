"""The Compare page: the same topics in five ways, and what the random start and the shift are worth."""

from __future__ import annotations

import pytest

from components.placement.compare_form import Topics, from_query, to_query

from .conftest import Opened, tables, texts, visit


def test_it_says_what_the_random_start_and_the_shift_are_worth() -> None:
    """Without a layout: five ways in one figure and one table, and a sentence with both numbers."""
    at = visit("compare")

    assert not at.exception
    assert "Over 100 topics, a random start cuts the replica spread from" in texts(at)
    assert "the replica shift lets each broker share partitions with 6 others instead of 4." in texts(at)
    assert tables(at)[0].value["placement"].tolist() == [
        "Round-robin",
        "Random start",
        "Striped",
        "KRaft",
        "Best possible",
    ]
    assert tables(at)[0].value["partitions without rack diversity"].tolist()[2:] == [0, 0, 0]


def test_drawing_again_changes_the_topics_and_the_address() -> None:
    """Another seed, other numbers; the seed stands in the address."""
    at = visit("compare")
    before = texts(at)
    at.button(key="compare-again").click().run()

    assert at.query_params["seed"] in ("2", ["2"])
    assert texts(at) != before


def test_one_topic_is_compared_too() -> None:
    """Where a random start cannot help yet, the sentence does not claim that it does."""
    at = visit("compare", count="1", brokers="0-2", replicas="1", seed="5")

    assert not at.exception
    assert "With one topic" in texts(at)


def test_an_open_layout_lends_its_brokers(opened: Opened) -> None:
    """The brokers and racks of the layout are one click away."""
    at = opened("compare")
    at.button(key="compare-layout").click().run()

    assert at.query_params["brokers"] in ("1:a,2:b,3:c,4:b", ["1:a,2:b,3:c,4:b"])
    assert not at.exception


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ({"brokers": "<b>"}, "'<b>' is not a broker."),
        ({"brokers": "0:a,1"}, "Not all brokers have rack information."),
        ({"brokers": "0-1"}, "3 replicas need as many brokers; there are 2."),
        ({"brokers": "0-2", "replicas": "0"}, "both must be larger than 0"),
        ({"brokers": "0-2", "count": "99999"}, "Over 1,000 topics"),
        ({"brokers": "0-2", "count": "many"}, "Over 100 topics"),
    ],
)
def test_anything_in_a_link_is_answered_with_a_sentence(query: dict[str, str], sentence: str) -> None:
    """What cannot be placed is said, what is out of bounds is brought back; nothing breaks."""
    at = visit("compare", **query)

    assert not at.exception
    assert sentence in texts(at)


def test_links_are_read_back() -> None:
    """A link holds all choices."""
    topics = Topics("0-4", 7, 2, 9)

    assert from_query(to_query(topics)) == topics
