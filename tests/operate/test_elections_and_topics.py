"""What an election and a new topic come to, beside what was previewed and asked for."""

from __future__ import annotations

import numpy as np
import pytest

from reseat.election import preferred, unclean
from reseat.errors import WishRefused
from reseat.model import Broker, BrokerState, ClusterLayout
from reseat.operate.elections import asked_for, hold, preview
from reseat.operate.targets.error_names import error_name
from reseat.operate.targets.patience import Patience
from reseat.operate.targets.target import Assignment, Election
from reseat.operate.topics import create
from reseat.placement.topic_spec import TopicSpec

LISTS = {("orders", 0): [1, 2], ("orders", 1): [2, 1], ("orders", 2): [3, 2], ("orders", 3): [3, 1]}


class Cluster:
    """A target that answers as it is told to; leaders change only after some looks."""

    def __init__(
        self, now, answers=None, *, later=None, looks=0, protocol="admin", refusal=None, alive=(1, 2, 3)
    ) -> None:
        self.now, self.answers, self.later, self.looks = now, answers or {}, later or {}, looks
        self.protocol, self.refusal, self.living = protocol, refusal, frozenset(alive)
        self.asked: list[object] = []

    def elect(self, election, partitions):
        self.asked.append((election, tuple(partitions)))
        return {one: self.answers.get(one, "NONE") for one in partitions}

    def assignments(self, partitions):
        self.looks -= 1
        told = self.now if self.looks >= 0 else self.now | self.later
        return {one: told[one] for one in partitions if one in told}

    def alive(self):
        return self.living

    def create_topic(self, topic, assignments, configs):
        self.asked.append((topic, assignments, configs))
        return self.refusal


def at_once(seconds: float = 3) -> Patience:
    """Patience that takes no time."""
    clock = iter(range(1000))
    return Patience(seconds, pause=0.5, clock=lambda: float(next(clock)), wait=lambda _: None)


def led(*leaders: int) -> dict:
    """The partitions as the cluster tells them, led by these."""
    return {
        one: Assignment(tuple(ids), leader=leader, in_sync=tuple(ids))
        for (one, ids), leader in zip(LISTS.items(), leaders, strict=True)
    }


@pytest.fixture
def layout() -> ClusterLayout:
    """Partition 0 is led by its second replica, 1 by its first; of 2 and 3 the first replica's broker is dead."""
    brokers = [
        Broker(1, state=BrokerState.ALIVE),
        Broker(2, state=BrokerState.ALIVE),
        Broker(3, state=BrokerState.DEAD),
    ]
    leaders = {("orders", 0): 2, ("orders", 1): 2, ("orders", 2): 2, ("orders", 3): None}
    in_sync = {("orders", 0): [1, 2], ("orders", 1): [2, 1], ("orders", 2): [2], ("orders", 3): [3]}
    return ClusterLayout.from_assignments(LISTS, brokers=brokers, leaders=leaders, in_sync=in_sync)


def test_all_means_the_partitions_that_an_election_could_change(layout) -> None:
    """Those that their first replica leads already, or that have a leader, are not asked for."""
    assert asked_for(layout, Election.PREFERRED) == (("orders", 0), ("orders", 2), ("orders", 3))
    assert asked_for(layout, Election.UNCLEAN) == (("orders", 3),)
    assert (preview(layout, Election.PREFERRED).reason == preferred(layout).reason).all()
    assert (preview(layout, Election.UNCLEAN, "kraft").leader_after == unclean(layout, "kraft").leader_after).all()


def test_an_election_that_goes_as_previewed_says_so(layout) -> None:
    """Leaders are looked at until they show; no partition differs."""
    answers = {("orders", one): "PREFERRED_LEADER_NOT_AVAILABLE" for one in (2, 3)}
    cluster = Cluster(led(2, 2, 2, -1), answers, later=led(1, 2, 2, -1), looks=3)
    outcome = hold(cluster, layout, Election.PREFERRED, patience=at_once(20))
    first = outcome.partitions[0]

    assert cluster.asked == [(Election.PREFERRED, (("orders", 0), ("orders", 2), ("orders", 3)))]
    assert (first.leader_before, first.expected_leader, first.answer, first.leader_after) == (2, 1, "NONE", 1)
    assert outcome.answers == {"NONE": 1, "PREFERRED_LEADER_NOT_AVAILABLE": 2}
    assert outcome.differing == ()
    assert outcome.sentences == (
        "3 partitions requested: 1 partition has another leader now.",
        "The result matches the preview.",
    )


def test_a_broker_that_was_not_told_of_the_topic_yet_is_asked_again(layout) -> None:
    """Elected by Kafka's answer and not described: another look, and not "is gone"."""
    one = ("orders", 0)
    cluster = Cluster({}, later=led(1, 2, 2, -1), looks=3)
    outcome = hold(cluster, layout, Election.PREFERRED, [one], patience=at_once(20))

    assert [(held.answer, held.leader_after, held.sentence) for held in outcome.partitions] == [("NONE", 1, "")]


def test_where_kafka_differs_a_sentence_says_how(layout) -> None:
    """Not elected though previewed, elected though not previewed, led already, gone, and not in the layout."""
    answers = {
        ("orders", 0): "PREFERRED_LEADER_NOT_AVAILABLE",
        ("orders", 1): "NONE",
        ("new", 0): "ELECTION_NOT_NEEDED",
        ("orders", 3): "UNKNOWN_TOPIC_OR_PARTITION",
    }
    now = led(2, 2, 3, -1) | {("new", 0): Assignment((1,), leader=1, in_sync=(1,))}
    del now["orders", 3]
    cluster = Cluster(now, answers)
    outcome = hold(cluster, layout, Election.PREFERRED, [*LISTS, ("new", 0)], patience=at_once())
    said = {(one.topic, one.partition): one.sentence for one in outcome.partitions}

    assert said["orders", 0].startswith("orders-0: broker 1 was previewed as leader")
    assert "Kafka answered PREFERRED_LEADER_NOT_AVAILABLE, and broker 2 leads it" in said["orders", 0]
    assert said["orders", 1] == (
        "orders-1: Kafka answered NONE where ELECTION_NOT_NEEDED was previewed; broker 2 leads it, as previewed."
    )
    assert "broker 2 was previewed as leader" in said["orders", 2]
    assert "broker 3 leads it" in said["orders", 2]
    assert said["orders", 3] == "orders-3 no longer exists: Kafka answered UNKNOWN_TOPIC_OR_PARTITION."
    assert said["new", 0].startswith("new-0 was not previewed (The layout does not have this partition.)")
    assert outcome.sentences[1] == "Kafka differed from the preview in 5 partitions."


def test_where_nothing_can_be_elected_nothing_is_sent(layout) -> None:
    """No request, and a sentence."""
    cluster = Cluster({})
    outcome = hold(cluster, layout.select(np.array([1])), Election.PREFERRED)

    assert cluster.asked == []
    assert outcome.partitions == ()
    assert outcome.sentences == ("There is nothing to elect: nothing was sent.",)


def test_a_leader_that_never_shows_is_not_waited_for_for_ever(layout) -> None:
    """What is seen at the end is what is told."""
    cluster = Cluster(led(2, 2, 2, -1))
    outcome = hold(cluster, layout, Election.PREFERRED, [("orders", 0)], patience=at_once())

    assert outcome.partitions[0].leader_after == 2
    assert outcome.differing == outcome.partitions


def test_a_topic_is_made_and_waited_for(layout) -> None:
    """Until every partition has its leader and its replicas in sync."""
    half = {("new", 0): Assignment((1, 2))}
    whole = {
        ("new", 0): Assignment((1, 2), leader=1, in_sync=(1, 2)),
        ("new", 1): Assignment((2, 3), leader=2, in_sync=(2, 3)),
    }
    cluster = Cluster(half, later=whole, looks=4)
    cluster.now = {}
    made = create(cluster, TopicSpec.placed("new", {0: [1, 2], 1: [2, 3]}, configs=(("a", "b"),)), patience=at_once(20))

    assert cluster.asked == [("new", {0: (1, 2), 1: (2, 3)}, {"a": "b"})]
    assert made.made
    assert made.seen == {partition: told for (_, partition), told in whole.items()}
    assert made.differences == ()


def test_what_is_not_as_asked_is_said() -> None:
    """Not described, other replicas, no leader, another leader, not in sync: one sentence each."""
    told = {
        ("new", 0): Assignment((2, 1), leader=2, in_sync=(2, 1)),
        ("new", 1): Assignment((3,), leader=-1),
        ("new", 2): Assignment((3, 1), leader=1, in_sync=(1,)),
    }
    spec = TopicSpec.placed("new", {0: [1, 2], 1: [3], 2: [3, 1], 3: [1]})
    cluster = Cluster({}, later=told, looks=1, alive=(1, 2))
    made = create(cluster, spec, patience=at_once())

    assert made.differences == (
        "Partition 3 is not described yet.",
        "1 partition has other replicas than requested: partition 0 has [2, 1], requested was [1, 2].",
        "Partition 1 has no leader: none of the requested brokers is alive.",
        "Partition 2 is not led by its first replica.",
        "Partition 2 lacks replicas in sync.",
    )


def test_a_topic_whose_brokers_are_dead_is_not_waited_for() -> None:
    """Everything that is alive is in sync: waiting longer changes nothing."""
    told = {("new", 0): Assignment((3, 1), leader=1, in_sync=(1,))}
    cluster = Cluster({}, later=told, looks=1, alive=(1, 2))
    create(cluster, TopicSpec.placed("new", {0: [3, 1]}), patience=at_once(1000))

    assert cluster.looks == -1


def test_refusals_are_the_clusters_words_and_what_can_be_done() -> None:
    """A gap in the ids names the other way."""
    gap = Cluster({}, refusal="partitions should be a consecutive 0-based integer sequence")
    there = Cluster({}, refusal="Topic 'new' already exists.")

    assert create(gap, TopicSpec.placed("new", {7: [1]})).refusal == (
        "partitions should be a consecutive 0-based integer sequence. Ids with gaps can only be written as ZooKeeper's "
        "nodes (to 3.9)."
    )
    assert create(there, TopicSpec.placed("new", {0: [1]})).refusal == "Topic 'new' already exists."


def test_an_existing_topic_is_no_error_where_that_was_said() -> None:
    """Nothing is sent, and what is there is told."""
    cluster = Cluster({("new", 0): Assignment((1,), leader=1, in_sync=(1,))})
    made = create(cluster, TopicSpec.placed("new", {0: [1]}, if_not_exists=True), patience=at_once())

    assert cluster.asked == []
    assert made.made
    assert made.differences == ("Topic 'new' already existed: nothing was sent.",)


@pytest.mark.parametrize(
    ("protocol", "nodes", "assignment", "words"),
    [
        ("admin", True, {0: [1]}, "cannot be written through the Admin protocol"),
        ("zookeeper", False, {0: [1]}, "which Kafka does not check"),
        ("admin", False, {}, "are not placed yet"),
    ],
)
def test_nodes_are_written_only_where_that_was_chosen(protocol, nodes, assignment, words) -> None:
    """Neither by accident nor on a way that cannot; nothing is sent."""
    cluster = Cluster({}, protocol=protocol)
    with pytest.raises(WishRefused, match=words):
        create(cluster, TopicSpec.placed("new", assignment), nodes=nodes)

    assert cluster.asked == []


def test_errors_have_the_names_that_kafka_gives_them() -> None:
    """Also where kafka-python has another one, or none."""
    codes = (-1, 0, 6, 36, 39, 41, 60, 80, 83, 84, 85, 129, 9999)

    assert [error_name(code) for code in codes] == [
        "UNKNOWN_SERVER_ERROR",
        "NONE",
        "NOT_LEADER_OR_FOLLOWER",
        "TOPIC_ALREADY_EXISTS",
        "INVALID_REPLICA_ASSIGNMENT",
        "NOT_CONTROLLER",
        "REASSIGNMENT_IN_PROGRESS",
        "PREFERRED_LEADER_NOT_AVAILABLE",
        "ELIGIBLE_LEADERS_NOT_AVAILABLE",
        "ELECTION_NOT_NEEDED",
        "NO_REASSIGNMENT_IN_PROGRESS",
        "REBOOTSTRAP_REQUIRED",
        "ERROR_9999",
    ]


def test_patience_tries_at_least_once_and_ends_in_time() -> None:
    """Pauses grow up to the longest, and no attempt begins after the time is over."""
    now, pauses = [0.0], []

    def wait(seconds: float) -> None:
        pauses.append(round(seconds, 3))
        now[0] += seconds

    patient = Patience(5, pause=0.5, longest=1, clock=lambda: now[0], wait=wait)
    attempts = list(patient.attempts())

    assert attempts == list(range(len(pauses) + 1))
    assert pauses == [0.5, 0.75, 1, 1, 1]
    assert list(Patience(0, clock=lambda: now[0], wait=wait).attempts()) == [0]
