"""The Leaders page: an election now, once the plan is done, while brokers are stopped, and the next restart."""

from __future__ import annotations

from reseat.model import ClusterLayout, Wish

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


def test_what_is_not_told_is_not_counted_as_none(opened):
    """A bare assignment tells no leader: nothing is said to be elected, led or rebalanced in no partition."""
    at = opened("leaders", ClusterLayout.from_assignments({("orders", 0): [1, 2]}))
    told = {metric.label: metric.value for metric in at.metric}

    assert told["Elected"] == told["Already led"] == told["auto.leader.rebalance"] == "not told"


def test_an_order_that_is_not_told_is_not_called_no_change(opened):
    """Without assignment order nobody knows the preferred leader, and the page does not claim to."""
    layout = ClusterLayout.from_assignments({("orders", 0): [1, 2]}, leaders={("orders", 0): 1}, order_told=False)
    at = opened("leaders", layout)

    assert "changes no leader" not in texts(at)
    assert "the source does not keep the order of replicas" in texts(at)


def test_what_goes_offline_comes_first_and_can_be_listed(opened):
    """Brokers 1 and 2 together hold all of orders-0: that is the answer, and its partition is in a list."""
    at = opened("leaders")
    at.segmented_control[0].set_value("While stopped").run()
    at.multiselect(key="stopped").set_value([1, 2]).run()

    assert "While brokers 1 and 2 are stopped, 1 partition goes offline." in texts(at)
    assert ":red[" in at.metric[1].label

    next(box for box in at.segmented_control if box.label == "List").set_value("Go offline").run()

    assert not at.exception
    assert at.dataframe[0].value[["topic", "partition"]].to_numpy().tolist() == [["orders", 0]]


def test_a_whole_rack_can_be_stopped(opened):
    """Rack b holds brokers 2 and 4."""
    at = opened("leaders")
    at.segmented_control[0].set_value("While stopped").run()
    at.multiselect(key="stopped-racks").set_value(["b"]).run()

    assert not at.exception
    assert "brokers 2 and 4" in texts(at)
