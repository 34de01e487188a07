"""The Leaders page: an election now, once the plan is done, while brokers are stopped, and the next restart."""

from __future__ import annotations

from reseat.model import Wish

from .conftest import texts


def test_an_election_now_is_previewed_partition_by_partition(opened):
    """orders-1 is led by 3 though 2 is preferred and in sync: it alone is elected."""
    at = opened("leaders")
    rows = at.dataframe[0].value

    assert not at.exception
    assert at.metric[0].value == "1"
    assert rows[["topic", "partition", "leader now", "leader afterwards"]].to_numpy().tolist() == [
        ["orders", 1, "3", "2"]
    ]


def test_the_plan_has_a_preview_only_where_something_is_wished(opened):
    """Without a what-if there is no plan to preview; with one there is."""
    at = opened("leaders")

    assert "Once the plan is done" not in at.segmented_control[0].options

    at = opened("leaders", wish=Wish(remove=(3,)))
    at.segmented_control[0].set_value("Once the plan is done").run()

    assert not at.exception
    assert "another leader while data moves" in texts(at)


def test_a_stopped_broker_hands_over(opened):
    """Broker 3 leads orders-1 and orders-2: brokers 2 and 1 take over, and nothing goes offline."""
    at = opened("leaders")
    at.segmented_control[0].set_value("While stopped").run()
    at.multiselect(key="stopped").set_value([3]).run()

    assert not at.exception
    assert at.metric[0].value == "2"
    assert at.metric[1].value == "0"


def test_the_next_restart_is_named_with_why_the_others_wait(opened):
    """Every broker has a verdict with a reason."""
    at = opened("leaders")
    at.segmented_control[0].set_value("Next restart").run()
    rows = at.dataframe[0].value

    assert not at.exception
    assert sorted(rows["broker"]) == [1, 2, 3, 4]
    assert rows["why"].str.len().min() > 0
