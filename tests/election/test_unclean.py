"""An unclean election on request: who gets a leader, what is lost, and where the two controllers differ."""

from __future__ import annotations

from reseat.election import Reason, unclean
from reseat.model import Broker, BrokerState, ClusterLayout

ALIVE, DEAD = BrokerState.ALIVE, BrokerState.DEAD


def layout(leader: int | None, in_sync: list[int], dead: tuple[int, ...]) -> ClusterLayout:
    """orders-0 on brokers 1, 2 and 3."""
    return ClusterLayout.from_assignments(
        {("orders", 0): [1, 2, 3]},
        brokers=[Broker(i, state=DEAD if i in dead else ALIVE) for i in (1, 2, 3)],
        leaders={("orders", 0): leader},
        in_sync={("orders", 0): in_sync},
    )


def test_the_first_live_replica_leads_and_what_it_lacks_is_lost() -> None:
    """The only in-sync copy is on a dead broker: 2 leads, and the sentence says what that costs."""
    preview = unclean(layout(None, [1], dead=(1,)))

    assert preview.leader_after.tolist() == [2]
    assert preview.reason_of(0) is Reason.UNCLEAN
    assert preview.sentences == (
        "1 partition gets an out-of-sync leader: records it had not copied are lost, even if they were acknowledged.",
    )


def test_an_in_sync_replica_goes_first_and_nothing_is_lost() -> None:
    """3 is alive and in sync: it leads though 2 stands before it."""
    preview = unclean(layout(None, [3], dead=(1,)))

    assert preview.leader_after.tolist() == [3]
    assert preview.reason_of(0) is Reason.TAKES_OVER
    assert preview.sentences == ("1 partition gets an in-sync leader: nothing is lost.",)


def test_a_partition_with_a_leader_needs_none() -> None:
    """Kafka answers ELECTION_NOT_NEEDED."""
    preview = unclean(layout(1, [1, 2, 3], dead=()))

    assert preview.leader_after.tolist() == [1]
    assert preview.reason_of(0).error == "ELECTION_NOT_NEEDED"
    assert preview.sentences == ("An unclean election changes no leader.",)


def test_the_controllers_differ_where_the_recorded_leader_is_dead() -> None:
    """The ZooKeeper era elects; KRaft goes by what is recorded and answers that none is needed."""
    dead_leader = layout(1, [1], dead=(1,))

    assert unclean(dead_leader, "zookeeper").leader_after.tolist() == [2]
    assert unclean(dead_leader, "kraft").reason_of(0).error == "ELECTION_NOT_NEEDED"


def test_with_no_replica_alive_it_stays_offline() -> None:
    """ELIGIBLE_LEADERS_NOT_AVAILABLE."""
    preview = unclean(layout(None, [1], dead=(1, 2, 3)))

    assert preview.leader_after.tolist() == [-1]
    assert preview.reason_of(0).error == "ELIGIBLE_LEADERS_NOT_AVAILABLE"
    assert preview.sentences[-1] == "1 partition stays offline: no replica is alive."
