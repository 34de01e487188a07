"""The Fingerprints page: which topics sit as placed, with which draws, what was moved, and what cannot be said."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from reseat.model import Broker, ClusterLayout
from reseat.placement import JavaRandom, place_kraft, place_striped

from .conftest import tables, texts

FIVE = [Broker(1, "a"), Broker(2, "b"), Broker(3, "c"), Broker(4, "b"), Broker(5, "c")]


def placed(start: int = 1, shift: int = 3, partitions: int = 12) -> dict[tuple[str, int], list[int]]:
    """A topic of three replicas as Kafka would place it."""
    lists = place_striped(FIVE, partitions, 3, start=start, shift=shift).assignment()
    return {(f"topic-{start}", partition): replicas for partition, replicas in lists.items()}


def columns(at) -> set[str]:
    """The columns of all tables of a page."""
    return {name for table in tables(at) for name in table.value.columns}


def test_striped_topics_are_told_with_their_draws(opened):
    """Both topics sit as placed; the table has their starts, and the figure counts them by broker."""
    layout = ClusterLayout.from_assignments({**placed(1), **placed(4)}, brokers=FIVE)
    at = opened("fingerprints", layout)
    rows = tables(at)[0].value

    assert not at.exception
    assert "All 2 topics still match Kafka's initial assignment" in texts(at)
    assert rows["start"].tolist() == ["1", "4"]
    assert rows["racks"].tolist() == ["aware", "aware"]
    assert at.metric[0].value == "2"
    assert "one chance in 5" in texts(at)


def test_moved_partitions_are_named(opened):
    """Partition 7 was moved by hand: it is named, and opening the topic shows where its draws put it."""
    lists = placed(1)
    before = lists[("topic-1", 7)]
    lists[("topic-1", 7)] = before[::-1]
    at = opened("fingerprints", ClusterLayout.from_assignments(lists, brokers=FIVE))
    rows = tables(at)[0].value
    partitions = tables(at)[1].value

    assert not at.exception
    assert "0 of 1 topic matches Kafka's initial assignment; 1 partition of 1 other was moved later" in texts(at)
    assert rows["moved partitions"].tolist() == ["7"]
    assert partitions["replicas"][7] == ", ".join(map(str, before[::-1]))
    assert partitions["initial assignment"][7] == ", ".join(map(str, before))
    assert [mark for mark in partitions[""] if mark != "✔"] == ["▲ differs"]


def test_a_broker_that_came_later_is_told(opened):
    """Broker 9 holds nothing of this topic, which is striped over the others: before broker 9 joined."""
    layout = ClusterLayout.from_assignments(placed(1), brokers=[*FIVE, Broker(9, "a")])
    at = opened("fingerprints", layout)

    assert not at.exception
    assert tables(at)[0].value["placed"].tolist() == ["before broker 9 joined"]
    assert at.metric[5].value == "1"


def test_topics_of_kraft_match_and_what_was_moved_is_shown(opened):
    """Without start and shift; of a broker that other lists do not tell stands a question mark."""
    lists = {
        (topic, p): ids
        for topic, size in (("big", 14), ("small", 2))
        for p, ids in place_kraft(FIVE, size, 3, draws=JavaRandom(size)).assignment().items()
    }
    lists["big", 12] = [9, *lists["big", 12][:2]]
    at = opened("fingerprints", ClusterLayout.from_assignments(lists, brokers=[*FIVE, Broker(9, "a")]))
    rows = tables(at)[0].value.set_index("topic")

    assert not at.exception
    assert rows.loc["small", ["start", "racks", "placed"]].tolist() == ["", "aware", "before broker 9 joined"]
    assert "the next topic begins at a random broker of each rack" in texts(at)
    assert (rows.loc["big", "verdict"], rows.loc["big", "moved partitions"]) == ("▲ moved later", "12")
    at.text_input(key="fingerprint-search").set_value("big").run()
    partitions = tables(at)[1].value
    assert [mark for mark in partitions[""] if mark != "✔"] == ["▲ differs"]
    assert partitions["initial assignment"][12] != partitions["replicas"][12]
    assert "from what KRaft placed over [1, 2, 3, 4, 5] before broker 9 joined, rack by rack" in texts(at)


@pytest.mark.parametrize(("typed", "left"), [("topic-4", ["topic-4"]), ("TOPIC", ["topic-1", "topic-4"]), ("no", [])])
def test_a_search_narrows_the_table(opened, typed, left):
    """A part of a name, without regard to case; a topic alone is opened at once."""
    at = opened("fingerprints", ClusterLayout.from_assignments({**placed(1), **placed(4)}, brokers=FIVE))
    at.text_input(key="fingerprint-search").set_value(typed).run()

    assert not at.exception
    assert [topic for table in tables(at)[:1] for topic in table.value.get("topic", ())] == left
    assert ("No row matches." in texts(at)) == (not left)
    assert ("initial assignment" in columns(at)) == (len(left) == 1)


def test_an_order_that_is_not_told_is_refused(opened):
    """Without the order of lists nobody knows where placement began; the page says so."""
    layout = ClusterLayout.from_assignments(placed(1), brokers=FIVE)
    at = opened("fingerprints", replace(layout, order_told=np.zeros(1, np.bool_)))

    assert not at.exception
    assert ":material/block:" in texts(at)
    assert "verdict" not in columns(at)


def test_verdicts_take_a_second_line_where_a_window_is_narrow(opened):
    """On a phone the second one slid out of sight behind the search beside it."""
    at = opened("fingerprints", ClusterLayout.from_assignments(placed(1), brokers=FIVE))

    assert [choices.proto.wrap for choices in at.get("button_group")] == [True]


def test_what_fits_no_draws_is_no_fault(opened):
    """A topic placed by KRaft or by a tool fits none: it is counted apart, and nothing is said to have moved."""
    rng = np.random.default_rng(5)
    lists = {("mixed", p): (rng.permutation(5)[:3] + 1).tolist() for p in range(30)}
    at = opened("fingerprints", ClusterLayout.from_assignments(lists, brokers=FIVE))

    assert not at.exception
    assert "1 does not match" in texts(at)
    assert tables(at)[0].value["moved partitions"].tolist() == [""]


@pytest.mark.parametrize("known", [0, 4])
def test_where_a_rack_is_unknown_no_more_are_said_to_be(opened, known):
    """Of all five brokers, or of one: what matches no draws without racks may match with them."""
    brokers = [Broker(one.id, one.rack if one.id <= known else None) for one in FIVE]
    lists = {("mixed", p): (np.random.default_rng(p).permutation(5)[:3] + 1).tolist() for p in range(30)}
    at = opened("fingerprints", ClusterLayout.from_assignments(lists, brokers=brokers))

    assert not at.exception
    assert "Without every broker's rack, it is unknown whether the only topic matches" in texts(at)


def test_a_large_layout_is_asked_about_first(opened):
    """Nobody waits a minute unasked: the page says how long it takes, and works once the button is pressed."""
    partitions = 250_001
    layout = ClusterLayout.from_columns(
        topics=["large"],
        topic_of=np.zeros(partitions, np.int32),
        partition=np.arange(partitions),
        replicas=place_striped(FIVE, partitions, 2, start=1, shift=1).replicas,
        brokers=FIVE,
    )
    at = opened("fingerprints", layout)

    assert not at.exception
    assert "Analysing 250,001 replica lists takes about 4 s" in texts(at)
    assert "verdict" not in columns(at)

    next(button for button in at.button if button.label == "Analyse 1 topic").click().run()

    assert not at.exception
    assert tables(at)[0].value["start"].tolist() == ["1"]
