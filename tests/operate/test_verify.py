"""Verification: as planned, under way or different, partition by partition, and what is left behind."""

from __future__ import annotations

from datetime import UTC, datetime

from reseat.formats.documents.sealed import read_sealed, seal_of
from reseat.formats.documents.writers import write_layout_reassignment
from reseat.model import ClusterLayout, Snapshot
from reseat.operate.checks.check import CheckResult
from reseat.operate.targets.patience import Patience
from reseat.operate.verify import verify
from tests.operate.fake_target import FakeCluster

PLANNED = {("orders", 0): [1, 3], ("orders", 1): [3, 1]}


def plan(leaving=()):
    """The plan, with or without its key."""
    proposed = ClusterLayout.from_assignments(PLANNED)
    text = write_layout_reassignment(proposed)
    if leaving:
        before = ClusterLayout.from_assignments({key: [1, 2] for key in PLANNED})
        text = f'{text[:-1]},"reseat":{seal_of(proposed, before, leaving=leaving)}}}'
    return read_sealed(text)


def patient(cluster):
    """Three seconds, by the cluster's own clock."""
    return Patience(3, clock=lambda: cluster.clock, wait=cluster.wait)


def test_a_cluster_as_planned_is_done():
    """Nothing on the list, every list as planned, no throttle."""
    seen = verify(FakeCluster({key: list(ids) for key, ids in PLANNED.items()}).target(), plan())

    assert seen.done
    assert seen.holds
    assert seen.sentences == ("2 of 2 partitions are as planned.",)


def test_differences_are_named_each_as_what_it_is():
    """Under way, another order, gone: none of them is as planned."""
    cluster = FakeCluster({("orders", 0): [1, 2], ("orders", 1): [1, 3]}, rate=0)
    cluster.start(("orders", 0), [1, 3])
    seen = verify(cluster.target(), plan(), patience=patient(cluster))
    one = FakeCluster({("orders", 1): [3, 1]})
    gone = verify(one.target(), plan(), patience=patient(one))

    assert seen.sentences == (
        "0 of 2 partitions are as planned.",
        "1 partition is in progress: orders-0 has [1, 3, 2], planned [1, 3].",
        "1 partition is different: orders-1 has [1, 3], planned [3, 1].",
    )
    assert not seen.holds
    assert [str(one) for one in gone.different] == ["orders-0 is gone, planned [1, 3]"]


def test_what_is_different_is_looked_at_again_as_a_broker_may_lag():
    """Off the list and described as before, or not at all, by a broker that was not told: done at the next look."""
    cluster = FakeCluster({("orders", 1): [1, 2]})

    def told(name):
        if cluster.clock > 1:
            cluster.lists = {key: list(ids) for key, ids in PLANNED.items()}

    cluster.before_call = told
    seen = verify(cluster.target(), plan(), patience=patient(cluster))

    assert seen.done
    assert cluster.calls.count("assignments") > 2


def test_what_is_under_way_is_told_at_once_and_what_stays_different_after_a_bounded_time():
    """Waiting longer tells nothing new of a reassignment, and of what is really different nothing either."""
    cluster = FakeCluster({("orders", 0): [1, 2], ("orders", 1): [3, 1]}, rate=0)
    cluster.start(("orders", 0), [1, 3])
    moving = verify(cluster.target(), plan(), patience=patient(cluster))
    at_once = cluster.clock
    cluster.take_back(("orders", 0))
    other = verify(cluster.target(), plan(), patience=patient(cluster))

    assert [len(moving.under_way), len(moving.different), at_once] == [1, 0, 0.0]
    assert [str(one) for one in other.different] == ["orders-0 has [1, 2], planned [1, 3]"]
    assert 1 < cluster.clock <= 3


def test_a_description_that_agrees_is_not_done_while_it_is_on_the_list():
    """Done means both."""
    cluster = FakeCluster({key: list(ids) for key, ids in PLANNED.items()})
    cluster.origin[("orders", 0)] = cluster.goal[("orders", 0)] = [1, 3]

    assert not verify(cluster.target(), plan()).done


def test_throttles_left_behind_are_named():
    """Rates of brokers and lists of topics, each with its value."""
    cluster = FakeCluster(
        {key: list(ids) for key, ids in PLANNED.items()},
        dynamic={("leader_rate", "3"): "1000", ("follower_replicas", "orders"): "0:3"},
    )

    assert verify(cluster.target(), plan()).throttles == (
        "leader throttle of broker 3 (1000)",
        "follower throttle of topic orders (0:3)",
    )


def test_a_leaving_broker_is_drained_only_where_its_log_directories_are_empty_too():
    """The description alone does not see what a stopped reassignment left behind."""
    lists = {key: list(ids) for key, ids in PLANNED.items()}
    now = Snapshot(ClusterLayout.from_assignments(lists), datetime.now(UTC), "admin", cluster_id="FAKE")
    clean = verify(FakeCluster(lists).target(), plan(leaving=(2,)), now)
    left = verify(FakeCluster(lists | {("old", 0): [2]}).target(), plan(leaving=(2,)), now)

    assert clean.drained.result is CheckResult.PASSED
    assert clean.holds
    assert left.drained.result is CheckResult.FAILED
    assert not left.holds
