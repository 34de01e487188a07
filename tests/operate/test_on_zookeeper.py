"""Writing to a real cluster of Kafka 2.8 with ZooKeeper: through the Admin protocol, and through nodes."""

from __future__ import annotations

import pytest

from reseat.errors import WishRefused
from reseat.model import ClusterLayout
from reseat.operate.elections import hold
from reseat.operate.targets.target import Election, Throttles
from reseat.operate.targets.zookeeper import ZooKeeperTarget
from reseat.operate.topics import create
from reseat.placement.topic_spec import TopicSpec
from tests.operate.admin_behaviour import AdminBehaviour
from tests.operate.live_cluster import OpenTarget, as_told, connection_to, create_everywhere, fill, running, until

pytestmark = pytest.mark.kafka


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """ZooKeeper and four brokers."""
    yield from running("zookeeper-2.8", tmp_path_factory.mktemp("zookeeper"))


@pytest.fixture(scope="module")
def target(cluster):
    """The cluster, open for writing through the Admin protocol."""
    opened = OpenTarget(connection_to(cluster))
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def nodes(cluster):
    """The cluster, open for writing through ZooKeeper's nodes."""
    opened = ZooKeeperTarget(connection_to(cluster, zookeeper=True))
    yield opened
    opened.close()


class TestZooKeeperTarget:
    """Nodes, as Kafka's controller and brokers act on them; the Admin protocol tells whether they did."""

    def test_both_ways_tell_the_same_cluster(self, nodes, target) -> None:
        """Id and brokers alive."""
        assert nodes.cluster_id() == target.cluster_id()
        assert nodes.alive() == target.alive() == {1, 2, 3, 4}

    def test_a_topic_with_gaps_is_made_by_nodes_and_only_when_asked_explicitly(self, cluster, nodes, target) -> None:
        """Ids 10, 21 and 33 with lists of unequal length; the controller leads them and adds the topic's id."""
        spec = TopicSpec.placed("gaps", {10: [1, 2], 21: [2, 3, 4], 33: [4]}, configs=(("retention.ms", "5000"),))
        with pytest.raises(WishRefused, match="explicitly"):
            create(nodes, spec)
        made = create(nodes, spec, nodes=True)
        seen = until(lambda: len(target.assignments([("gaps", 10), ("gaps", 21), ("gaps", 33)])) == 3)
        described = cluster.describe("--topic", "gaps")
        again = create(nodes, spec, nodes=True)

        assert made.made
        assert made.differences == ()
        assert seen
        assert "Partition: 21\tLeader: 2\tReplicas: 2,3,4" in described
        assert "retention.ms=5000" in described
        assert again.refusal == "Topic 'gaps' already exists."

    def test_a_reassignment_node_is_one_at_a_time_and_told_until_it_is_done(self, cluster, nodes, target) -> None:
        """While it is throttled both ways tell it alike, another is refused; removing the node stops nothing."""
        create_everywhere(target, TopicSpec.placed("slow-nodes", {0: [1, 2], 1: [2, 3]}))
        fill(cluster, "slow-nodes", 4)
        one, other = ("slow-nodes", 0), ("slow-nodes", 1)
        before = nodes.throttles([1, 2, 3], ["slow-nodes"])
        nodes.set_throttles(
            Throttles(
                dict.fromkeys((1, 2, 3), "1000"),
                dict.fromkeys((1, 2, 3), "1000"),
                {"slow-nodes": "0:1,0:2"},
                {"slow-nodes": "0:3"},
            )
        )
        in_force = until(
            lambda: target.throttles([1, 2, 3], ["slow-nodes"]) == nodes.throttles([1, 2, 3], ["slow-nodes"])
        )
        answers = nodes.reassign({one: [3, 1], ("nowhere", 0): [1], other: [2, 77]})
        begun = until(lambda: target.reassigning().keys() == {one})
        told, as_admin = nodes.reassigning(), target.reassigning()
        second = nodes.reassign({other: [3, 2]})
        copied = nodes.copied([one], [1, 3])
        cluster.tool("zookeeper-shell", "delete", "/admin/reassign_partitions")
        still = target.reassigning()
        cancelled = target.cancel([one])
        nodes.set_throttles(before)
        back = until(lambda: target.throttles([1, 2, 3], ["slow-nodes"]) == before)

        assert before == Throttles(
            dict.fromkeys((1, 2, 3)), dict.fromkeys((1, 2, 3)), {"slow-nodes": None}, {"slow-nodes": None}
        )
        assert in_force
        assert answers == {
            one: None,
            ("nowhere", 0): "UNKNOWN_TOPIC_OR_PARTITION",
            other: "INVALID_REPLICA_ASSIGNMENT",
        }
        assert begun
        assert told == as_admin
        assert (told[one].adding, told[one].removing) == ((3,), (2,))
        assert second == {other: "REASSIGNMENT_IN_PROGRESS"}
        assert copied is not None
        assert copied[one, 1] > copied.get((one, 3), 0)
        assert still.keys() == {one}
        assert cancelled == {one: None}
        assert back
        assert until(lambda: nodes.reassigning() == {})

    def test_a_reassignment_by_node_comes_to_its_end(self, nodes, target) -> None:
        """The node goes when all is done, and both ways then tell the lists asked for."""
        create_everywhere(target, TopicSpec.placed("quick-nodes", {0: [1, 2], 1: [2, 3]}))
        wanted = {("quick-nodes", 0): [3, 4], ("quick-nodes", 1): [3, 2]}
        answers = nodes.reassign(wanted)
        told = nodes.reassigning()
        ended = until(lambda: not nodes.reassigning())
        after = nodes.assignments(list(wanted))

        assert answers == dict.fromkeys(wanted)
        assert ("quick-nodes", 0) in told
        assert ended
        assert {one: list(now.replicas) for one, now in after.items()} == wanted
        assert until(lambda: target.assignments(list(wanted)) == after)

    def test_a_preferred_election_by_node_is_answered_by_what_came_of_it(self, nodes, target) -> None:
        """The leader comes back to the first replica; an unclean one cannot be asked for, and nothing is sent."""
        create_everywhere(target, TopicSpec.placed("prefer-nodes", {0: [1, 2], 1: [2, 1]}))
        target.reassign({("prefer-nodes", 0): [2, 1]})
        asked = [("prefer-nodes", 0), ("prefer-nodes", 1)]
        assert until(lambda: as_told(target, asked[0]).replicas == (2, 1))
        layout = ClusterLayout.from_assignments(
            {key: [2, 1] for key in asked}, leaders={asked[0]: 1, asked[1]: 2}, in_sync={key: [2, 1] for key in asked}
        )
        with pytest.raises(WishRefused, match="unclean"):
            nodes.elect(Election.UNCLEAN, asked)
        outcome = hold(nodes, layout, Election.PREFERRED, asked)

        assert [(one.answer, one.leader_after) for one in outcome.partitions] == [
            ("NONE", 2),
            ("ELECTION_NOT_NEEDED", 2),
        ]
        assert outcome.differing == ()

    def test_holdings_through_either_way_are_the_same(self, nodes, target) -> None:
        """The brokers tell what lies on their disks, whichever way the cluster was opened."""
        assert nodes.holdings([1, 2, 3, 4, 77]) == target.holdings([1, 2, 3, 4, 77])


class TestAdminTargetOnZooKeeper(AdminBehaviour):
    """The Admin protocol with a ZooKeeper controller behind it."""
