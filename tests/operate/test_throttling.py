"""Throttles of a run: how long their lists may be, and whose they are when they are put back."""

from __future__ import annotations

from reseat.operate.journal.records import MoveProgress
from reseat.operate.run.throttling import (
    OutstandingThrottles,
    before_the_run,
    from_json,
    lifted,
    names_of,
    put_back,
    to_json,
    wanted,
)
from reseat.operate.targets.target import Throttles
from reseat.operate.targets.throttle_names import LONGEST_LIST
from tests.operate.fake_target import FakeCluster

UNSET = Throttles({1: None}, {1: None}, {"wide": None, "small": None}, {"wide": None, "small": None})


def moves_of(topic, count, before=(1001, 1002, 1003), target=(1001, 1002, 1004)):
    """As many partitions, each of which moves one replica."""
    return [MoveProgress(topic, partition, before, target, (), "waiting") for partition in range(count)]


def test_a_list_longer_than_a_string_of_kafka_is_every_replica():
    """1,200 partitions at RF 3 with ids of four digits: 33,000 bytes; a short list is told by name."""
    set_by_run = wanted([*moves_of("wide", 1_200), *moves_of("small", 1)], 1_000, UNSET)

    assert set_by_run.leader_replicas == {"wide": "*", "small": "0:1001,0:1002,0:1003"}
    assert set_by_run.follower_replicas["small"] == "0:1004"
    assert set_by_run.follower_replicas["wide"].count(",") == 1_199


def test_what_was_listed_before_counts_towards_the_length():
    """Somebody's list of nearly the limit and one replica more: all are throttled, and theirs comes back."""
    theirs = ",".join(f"{partition}:1" for partition in range(5_000))[: LONGEST_LIST - 10].rpartition(",")[0]
    cluster = FakeCluster({("wide", 0): [1, 2]}, dynamic={("leader_replicas", "wide"): theirs})
    earlier = Throttles({1: None}, {1: None}, {"wide": theirs}, {"wide": None})
    ours = wanted(moves_of("wide", 1), 1_000, earlier)
    target = cluster.target()
    target.set_throttles(ours)
    came = put_back(target, OutstandingThrottles(1, earlier, (ours,), {"wide": 0}), cluster.wait)

    assert ours.leader_replicas == {"wide": "*"}
    assert ours.follower_replicas == {"wide": "0:1004"}
    assert cluster.dynamic == {("leader_replicas", "wide"): theirs}
    assert came.left == came.theirs == Throttles()


def test_every_replica_is_not_said_to_be_taken_away():
    """What is set for all holds as long as it says so; a list of some in its place does not."""
    ours = Throttles(leader_replicas={"wide": "*"})

    assert lifted(ours, ours) == ((), ())
    assert lifted(ours, Throttles(leader_replicas={"wide": "0:1"})) == ((), ("wide",))


def test_only_what_is_still_the_runs_own_is_put_back():
    """Broker 2 was set anew by somebody, 3 unset; broker 1 and the topic show what the run set, now or earlier."""
    earlier = Throttles(dict.fromkeys((1, 2, 3), "70"), {1: None}, {"t": "9:9"}, {"t": None})
    first = Throttles(dict.fromkeys((1, 2, 3), "1000"), {1: "1000"}, {"t": "9:9,0:1"}, {"t": "0:3"})
    second = Throttles(dict.fromkeys((1, 2, 3), "5000"), {1: "5000"}, {"t": "9:9,0:1"}, {"t": "0:3"})
    cluster = FakeCluster({("t", 0): [1, 2]})
    target = cluster.target()
    target.set_throttles(Throttles({1: "1000", 2: "123", 3: None}, {1: "5000"}, {"t": "9:9,0:1"}, {"t": "0:3"}))
    came = put_back(target, OutstandingThrottles(2, earlier, (second, first), {"t": 0}), cluster.wait)

    assert came.left == Throttles()
    assert came.theirs == Throttles({2: "123", 3: None})
    assert cluster.dynamic == {
        ("leader_rate", "1"): "70",
        ("leader_rate", "2"): "123",
        ("leader_replicas", "t"): "9:9",
    }


def test_a_run_that_goes_on_takes_what_others_set_since_for_what_was_before():
    """Broker 1 shows the run's own, 2 another's, 3 is concerned for the first time."""
    there = OutstandingThrottles(1, Throttles({1: "70", 2: "70"}), (Throttles({1: "1000", 2: "1000"}),), {})
    now = Throttles({1: "1000", 2: "123", 3: "9"})

    assert before_the_run(there, now).leader_rate == {1: "70", 2: "123", 3: "9"}


def test_brokers_are_given_five_seconds_to_show_what_they_were_told(monkeypatch):
    """Read again each quarter of a second, 20 times in all; what still differs then is told, as it should be."""
    earlier, ours = Throttles({1: "70"}, {}, {"t": None}), Throttles({1: "1000"}, {}, {"t": "0:1"})
    for shown_after, left in ((1, Throttles()), (20, Throttles()), (21, Throttles({1: "70"}, {}, {}))):
        cluster, reads, waits = FakeCluster({("t", 0): [1, 2]}), [], []
        target = cluster.target()
        tells = target.throttles

        def throttles(brokers, topics, tells=tells, reads=reads, last=shown_after):
            told = tells(brokers, topics)
            reads.append(brokers)
            return told if len(reads) > last else Throttles({1: "1000"}, {}, told.leader_replicas)

        monkeypatch.setattr(target, "throttles", throttles)
        came = put_back(target, OutstandingThrottles(1, earlier, (ours,), {"t": 0}), waits.append)

        assert came.left == left
        assert came.theirs == Throttles()
        assert waits == [0.25] * (min(shown_after, 20) - 1)


def test_a_broker_that_does_not_tell_its_rates_is_left_and_a_topic_that_goes_is_not(monkeypatch):
    """Neither is told once both are to be unset: the broker may be throttled still, what is gone cannot be."""
    earlier, ours = Throttles({1: None}, {}, {"t": None}), Throttles({1: "1000"}, {}, {"t": "0:1"})
    cluster = FakeCluster({("t", 0): [1, 2]})
    target = cluster.target()
    tells = iter([ours])
    monkeypatch.setattr(target, "throttles", lambda brokers, topics: next(tells, Throttles()))

    came = put_back(target, OutstandingThrottles(1, earlier, (ours,), {"t": 0}), cluster.wait)

    assert came.left == Throttles({1: None})


def test_rates_and_replicas_that_do_not_hold_any_more_are_named():
    """Another rate or none, a replica that is listed no more; what is not told, or has more, counts as unchanged."""
    ours = Throttles(
        dict.fromkeys(range(1, 6), "1000"), {6: "1000"}, {"a": "0:1,1:1", "b": "0:1"}, {"c": "0:3"}, {7: "1000"}
    )
    now = Throttles({1: "1000", 2: "5", 3: None}, {}, {"a": "1:1", "b": "0:9,0:1"}, {"c": None}, {7: "9"})

    assert lifted(ours, now) == ((2, 3, 7), ("a", "c"))
    assert lifted(ours, Throttles(leader_replicas={"a": "*"})) == ((), ())


def test_throttles_are_kept_in_the_journal_as_they_are():
    """Ids of brokers stay numbers; an older entry that lacks a kind has none of it."""
    some = Throttles({2: "5", 1: None}, {3: "6"}, {"b": "0:1", "a": None}, {"c": "*"}, {9: "7"})

    assert from_json(to_json(some)) == some
    assert from_json({"leader_rate": [[1, "5"]]}) == Throttles({1: "5"})
    assert names_of(some) == ([1, 2, 3, 9], ["a", "b", "c"])
    assert names_of(Throttles()) == ([], [])
