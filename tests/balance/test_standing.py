"""What replication sends from rack to rack all day, by topic, from what is produced."""

from __future__ import annotations

from reseat.balance.standing import DAY, Standing, standing
from reseat.model import Broker, ClusterLayout

MB = 1_000_000


def test_each_follower_in_another_rack_than_its_leader_is_counted_once():
    """orders: of four followers two are across; local stays in a rack; a leader that is not the first counts."""
    lists = {
        ("orders", 0): [1, 2, 3],
        ("orders", 1): [2, 1, 3],
        ("local", 0): [1, 2],
        ("led", 0): [1, 3],
        ("x", 0): [3],
    }
    layout = ClusterLayout.from_assignments(
        lists,
        brokers=[Broker(1, "a"), Broker(2, "a"), Broker(3, "b")],
        leaders={key: 3 if key[0] == "led" else ids[0] for key, ids in lists.items()},
    )
    told = standing(layout, {"orders": 2 * MB, "local": 5 * MB, "led": MB, "elsewhere": MB})

    assert told == (
        Standing("orders", 2 * MB * DAY, 2 * MB * DAY, 2 * MB * DAY, 0),
        Standing("led", MB * DAY, 0, MB * DAY, 0),
        Standing("local", 5 * MB * DAY, 5 * MB * DAY, 0, 0),
    )


def test_what_the_first_broker_leads_counts_from_there():
    """Broker 1 leads, and stands second: one follower is in its rack, one across."""
    layout = ClusterLayout.from_assignments(
        {("t", 0): [3, 1, 2]}, brokers=[Broker(1, "a"), Broker(2, "a"), Broker(3, "b")], leaders={("t", 0): 1}
    )

    assert standing(layout, {"t": MB}) == (Standing("t", MB * DAY, MB * DAY, MB * DAY, 0),)


def test_what_has_no_rack_is_apart_and_a_partition_without_a_leader_counts_from_its_first_replica():
    """Broker 3 has no rack: nothing is known of what it copies, nor of what others copy from it."""
    lists = {("t", 0): [1, 2], ("t", 1): [1, 3], ("t", 2): [3, 1], ("t", 3): [2, 1]}
    layout = ClusterLayout.from_assignments(
        lists, brokers=[Broker(1, "a"), Broker(2, "b"), Broker(3)], leaders={("t", 0): None}
    )

    assert standing(layout, {"t": 4.0}) == (Standing("t", 4 * DAY, 0, 2 * DAY, 2 * DAY),)
    assert standing(layout, {}) == ()
    assert standing(ClusterLayout.from_assignments({}), {"t": 1.0}) == ()
