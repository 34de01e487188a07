"""What the Admin protocol's target does on any real cluster: the same tests for both kinds."""

from __future__ import annotations

import json

from reseat.model import Broker, BrokerState, ClusterLayout
from reseat.operate.elections import hold
from reseat.operate.targets.target import Assignment, Election, Throttles
from reseat.operate.topics import create
from reseat.placement.topic_spec import TopicSpec
from tests.operate.live_cluster import as_told, controller_of, create_everywhere, fill, refused, until


class AdminBehaviour:
    """Tests in the order in which they are written: those that kill brokers come last, and start them again."""

    def test_a_topic_is_made_as_asked_and_a_gap_refused_in_words(self, cluster, target) -> None:
        """Lists, leaders and settings are those asked for; ids with gaps are refused in Kafka's words and ours."""
        made = create(target, TopicSpec.placed("made", {0: [3, 1], 1: [2, 4]}, configs=(("retention.ms", "5000"),)))
        gap = create(target, TopicSpec.placed("gap", {10: [1, 2]}))
        again = create(target, TopicSpec.placed("made", {0: [3, 1]}))
        unknown = create(target, TopicSpec.placed("odd", {0: [1]}, configs=(("no.such.setting", "1"),)))
        described = cluster.describe("--topic", "made")

        assert made.made
        assert made.differences == ()
        assert {one: told.replicas for one, told in made.seen.items()} == {0: (3, 1), 1: (2, 4)}
        assert "retention.ms=5000" in described
        assert f"TopicId: {made.seen[0].topic_id}" in described
        assert gap.refusal is not None
        assert "consecutive 0-based integer sequence" in gap.refusal
        assert "ZooKeeper's nodes" in gap.refusal
        assert again.refusal == "Topic 'made' already exists."
        assert unknown.refusal == "Unknown topic config name: no.such.setting"
        assert target.assignments([("gap", 10), ("odd", 0), ("made", 2)]) == {}

    def test_each_partition_gets_kafkas_own_answer(self, cluster, target) -> None:
        """What cannot be is answered by partition with Kafka's names, and the rest is accepted."""
        create_everywhere(target, TopicSpec.placed("answers", {0: [1, 2], 1: [2, 3], 2: [3, 1]}))
        asked = {("answers", 0): [2, 1], ("answers", 1): [2, 99], ("answers", 2): [3, 3], ("nowhere", 0): [1]}

        assert target.reassign(asked) == {
            ("answers", 0): None,
            ("answers", 1): "INVALID_REPLICA_ASSIGNMENT",
            ("answers", 2): "INVALID_REPLICA_ASSIGNMENT",
            ("nowhere", 0): "UNKNOWN_TOPIC_OR_PARTITION",
        }
        assert until(lambda: as_told(target, ("answers", 0)).replicas == (2, 1))
        longer = target.reassign({("answers", 2): [3, 1, 2]}, keeps_factor=True)
        assert longer[("answers", 2)] == ("INVALID_REPLICATION_FACTOR" if "kraft" in cluster.kind else None)
        assert target.cancel([("answers", 0)]) == {("answers", 0): "NO_REASSIGNMENT_IN_PROGRESS"}
        assert target.elect(Election.UNCLEAN, [("answers", 1), ("nowhere", 0)]) == {
            ("answers", 1): "ELECTION_NOT_NEEDED",
            ("nowhere", 0): "UNKNOWN_TOPIC_OR_PARTITION",
        }

    def test_a_throttled_reassignment_is_told_and_taken_back_and_the_throttles_are_as_before(
        self, cluster, target
    ) -> None:
        """While it lasts both calls tell it as Kafka's tool does; after cancel and put back nothing of it is left."""
        create_everywhere(target, TopicSpec.placed("slow", {0: [1, 2]}))
        fill(cluster, "slow", 4)
        target.set_throttles(Throttles(leader_rate={1: "7000000"}, follower_replicas={"slow": "0:4"}))
        before = target.throttles([1, 2, 3], ["slow"])
        target.set_throttles(
            Throttles(
                dict.fromkeys((1, 2, 3), "1000"), dict.fromkeys((1, 2, 3), "1000"), {"slow": "0:1,0:2"}, {"slow": "0:3"}
            )
        )
        answer = target.reassign({("slow", 0): [3, 1]})
        told = target.reassigning()
        listed = cluster.tool("reassign", "--list")
        now = target.assignments([("slow", 0)])
        copied = target.copied([("slow", 0)], [1, 3])
        cancelled = target.cancel([("slow", 0)])
        left = until(lambda: set(as_told(target, ("slow", 0)).replicas) == {1, 2})
        target.set_throttles(before)
        after = until(lambda: target.throttles([1, 2, 3], ["slow"]) == before)
        target.set_throttles(Throttles(leader_rate={1: None}, follower_replicas={"slow": None}))

        assert answer == {("slow", 0): None}
        assert set(told) == {("slow", 0)}
        assert (told["slow", 0].adding, told["slow", 0].removing) == ((3,), (2,))
        assert set(told["slow", 0].replicas) == {1, 2, 3}
        assert "slow-0: replicas:" in listed.replace(" Current partition reassignments:", "")
        assert "adding: 3. removing: 2" in listed
        assert now == told
        assert copied is not None
        assert copied[("slow", 0), 1] > 4_000_000 > copied.get((("slow", 0), 3), 0)
        assert cancelled == {("slow", 0): None}
        assert left
        assert before.leader_rate == {1: "7000000", 2: None, 3: None}
        assert before.follower_replicas == {"slow": "0:4"}
        assert after
        assert target.reassigning() == {}

    def test_holdings_are_what_kafkas_own_tool_finds_on_the_disks(self, cluster, target) -> None:
        """By broker, the partitions in its log directories; a broker that is not there is absent."""
        printed = cluster.tool("log-dirs", "--describe")
        document = json.loads(next(line for line in printed.splitlines() if line.startswith("{")))
        expected = {
            told["broker"]: {
                tuple(log["partition"].rsplit("-", 1)) for place in told["logDirs"] for log in place["partitions"]
            }
            for told in document["brokers"]
        }
        held = target.holdings([1, 2, 3, 4, 77])

        assert held is not None
        assert {broker: {(topic, str(one)) for topic, one in logs} for broker, logs in held.items()} == expected

    def test_a_preferred_election_happens_as_previewed(self, target) -> None:
        """Two partitions of which one is led elsewhere: its leader comes back, and nothing differs."""
        create_everywhere(target, TopicSpec.placed("prefer", {0: [1, 2], 1: [2, 1]}))
        target.reassign({("prefer", 0): [2, 1]})
        assert until(lambda: as_told(target, ("prefer", 0)).replicas == (2, 1))
        layout = _layout({("prefer", 0): [2, 1], ("prefer", 1): [2, 1]}, {("prefer", 0): 1, ("prefer", 1): 2})
        outcome = hold(target, layout, Election.PREFERRED)
        stale = hold(target, layout, Election.PREFERRED, [("prefer", 0)])

        assert [(one.partition, one.answer, one.leader_after) for one in outcome.partitions] == [(0, "NONE", 2)]
        assert outcome.differing == ()
        assert stale.partitions[0].answer == "ELECTION_NOT_NEEDED"
        assert "ELECTION_NOT_NEEDED where NONE was previewed" in stale.partitions[0].sentence

    def test_the_controller_may_be_killed_while_it_is_asked(self, cluster, target) -> None:
        """The request waits for the next controller and is accepted; the dead broker keeps no other call waiting."""
        lost = controller_of(cluster, target)
        others = [broker for broker in BROKERS if broker != lost]
        create_everywhere(target, TopicSpec.placed("failover", dict.fromkeys(range(250), others[:2])))
        create_everywhere(
            target, TopicSpec.placed("unclean", {0: _frail(lost)}, configs=(("min.insync.replicas", "1"),))
        )
        fill(cluster, "unclean", 1)
        asked = {("failover", one): [others[1], others[0]] for one in range(250)}
        cluster.stop_broker(lost, kill=True)
        answers = target.reassign(asked)
        done = until(
            lambda: {told.replicas for told in target.assignments(list(asked)).values()} == {(*others[1::-1],)}
        )
        gone = until(lambda: lost not in target.alive())
        held, told = target.holdings([*others, lost]), target.throttles([others[0], lost], ["failover", "nowhere"])
        trouble = refused(lambda: target.set_throttles(Throttles(leader_rate={others[0]: "9000", lost: "9000"})))
        set_all_the_same = target.throttles([others[0]], []).leader_rate
        target.set_throttles(Throttles(leader_rate={others[0]: None}))

        assert set(answers.values()) == {None}
        assert done
        assert gone
        assert held is not None
        assert set(held) == set(others)
        assert told == Throttles({others[0]: None}, {others[0]: None}, {"failover": None}, {"failover": None})
        assert trouble is not None
        assert f"broker {lost}" in str(trouble)
        assert set_all_the_same == {others[0]: "9000"}

    def test_an_unclean_election_gives_a_partition_to_a_replica_that_was_out_of_sync(self, cluster, target) -> None:
        """The broker that died last had the only copy in sync; the other one is back and leads, as previewed."""
        one = ("unclean", 0)
        (first,) = set(BROKERS) - target.alive()  # it died in the test before
        (last,) = set(as_told(target, one).replicas) - {first}
        assert until(lambda: as_told(target, one).in_sync == (last,))
        cluster.stop_broker(last, kill=True)
        assert until(lambda: as_told(target, one).leader == -1)
        cluster.start_broker(first)
        until(lambda: target.alive() == {*BROKERS} - {last})
        layout = _layout({one: _frail(first)}, {one: None}, dead=(last,), in_sync={one: [last]})
        assert until(lambda: bool(target.log_ends([one])))  # a broker that is back opens its logs first
        ends = target.log_ends([one, ("nowhere", 0)])
        outcome = hold(target, layout, Election.UNCLEAN, mode="kraft" if "kraft" in cluster.kind else "zookeeper")

        assert [(held.answer, held.expected_leader, held.leader_after) for held in outcome.partitions] == [
            ("NONE", first, first)
        ]
        assert outcome.differing == ()
        assert ends.keys() == {(one, first)}
        assert ends[one, first].end == 100
        assert ends[one, first].high_watermark in range(101)  # what was checkpointed before it died
        assert until(lambda: as_told(target, one) == Assignment((*_frail(first),), leader=first, in_sync=(first,)))


#: The brokers' ids.
BROKERS = (1, 2, 3, 4)


def _frail(first: int) -> list[int]:
    """Two brokers that may both die, ``first`` before the other: two of the quorum's three voters are left."""
    return [4 if first != 4 else 3, first]


def _layout(lists, leaders, *, dead=(), in_sync=None) -> ClusterLayout:
    brokers = [Broker(i, state=BrokerState.DEAD if i in dead else BrokerState.ALIVE) for i in BROKERS]
    return ClusterLayout.from_assignments(lists, brokers=brokers, leaders=leaders, in_sync=in_sync or lists)
