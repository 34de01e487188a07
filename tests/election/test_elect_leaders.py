"""``ElectLeaders``: one answer a partition, for a list or for all."""

from __future__ import annotations

from reseat.election import Reason, elect_leaders
from reseat.model import Broker, BrokerState, ClusterLayout

LISTS = {("orders", 0): [1, 2], ("orders", 1): [2, 1], ("orders", 2): [3, 2]}
CLUSTER = ClusterLayout.from_assignments(
    LISTS,
    brokers=[Broker(1, state=BrokerState.ALIVE), Broker(2, state=BrokerState.ALIVE), Broker(3, state=BrokerState.DEAD)],
    leaders={("orders", 0): 2, ("orders", 1): 2, ("orders", 2): None},
    in_sync={("orders", 0): [1, 2], ("orders", 1): [1, 2], ("orders", 2): [3]},
)


def test_a_list_is_answered_in_its_order() -> None:
    """Also what needs no election, and what is not there."""
    asked = [("orders", 1), ("nowhere", 0), ("orders", 0), ("orders", 2)]
    answers = elect_leaders(CLUSTER, "preferred", asked)

    assert [(one.topic, one.partition) for one in answers] == asked
    assert [one.error for one in answers] == [
        "ELECTION_NOT_NEEDED",
        "UNKNOWN_TOPIC_OR_PARTITION",
        "NONE",
        "PREFERRED_LEADER_NOT_AVAILABLE",
    ]
    assert [one.new_leader for one in answers] == [None, None, 1, None]


def test_all_leaves_out_what_needs_no_election() -> None:
    """As Kafka does when no partitions are named."""
    answers = elect_leaders(CLUSTER, "unclean", mode="kraft")

    assert [(one.topic, one.partition, one.new_leader, one.reason) for one in answers] == [
        ("orders", 2, 2, Reason.UNCLEAN)
    ]
