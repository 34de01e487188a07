"""A topic that is deleted and made anew is another topic: it is not moved, not throttled, and not taken for done."""

from __future__ import annotations

import dataclasses
import threading
from contextlib import suppress

import pytest

from reseat.errors import WriteRefused
from reseat.formats.documents.sealed import inverse, read_sealed, seal_of, topic_ids_in
from reseat.model import ClusterLayout
from reseat.operate.approving import approval_of, rollback_of
from reseat.operate.checks.check import CheckResult
from reseat.operate.journal.records import RunOptions, RunState
from reseat.operate.run.execute import carry_out
from reseat.operate.verify import verify
from tests.operate.fake_target import FakeCluster
from tests.operate.guarding import LISTS, PLAN, judged, layout, request, sealed, snapshot, text_of

OLD, NEW, PAY = "old-orders-0123456789a", "new-orders-0123456789a", "pay-pay-pay-0123456789"
IDS = {"orders": OLD, "pay": PAY}


def with_ids(ids=None, lists=None):
    """The layout with topic ids."""
    made = layout(lists)
    ids = IDS if ids is None else ids
    return dataclasses.replace(made, topic_ids=tuple(ids.get(topic, "") for topic in made.topics))


def approved(journal, plan, now):
    """A throttled run of a plan, approved by a reading."""
    text = text_of(PLAN)
    return journal.approve(
        approval_of(plan, text, snapshot(now), cluster="fake", operator="ann", options=RunOptions(1, 1_000))
    )


def cluster_of(**more):
    """The same lists in memory, on the way to the journal of cluster FAKE."""
    return FakeCluster({key: list(ids) for key, ids in LISTS.items()}, ids=dict(IDS), **more)


@pytest.fixture
def fake(monkeypatch):
    """The cluster in memory has the id that readings tell."""
    monkeypatch.setattr("tests.operate.fake_target.FakeTarget.cluster_id", lambda self: "clusterA")


def test_a_plan_for_a_topic_that_was_made_anew_is_refused():
    """By the ids in the plan, or in the reading shown; never overridable. Not told: said."""
    plan, now = sealed(made_for=with_ids()), with_ids({"orders": NEW, "pay": PAY})
    bare = sealed(with_key=False)

    found = judged("topics_same", request(plan), snapshot(now))
    assert (found.result, found.overridable) == (CheckResult.FAILED, False)
    assert "1 topic of the plan was deleted and recreated since: orders" in found.sentence
    assert judged("topics_same", request(bare, shown=with_ids()), snapshot(now)).result is CheckResult.FAILED
    assert judged("topics_same", request(plan), snapshot(with_ids())).result is CheckResult.PASSED
    assert judged("topics_same", request(plan), snapshot()).result is CheckResult.NOT_TOLD
    assert judged("topics_same", request(sealed()), snapshot(now)).result is CheckResult.NOT_TOLD


def test_the_key_of_a_plan_holds_topic_ids_and_its_hash_covers_them():
    """Written where they are told, read back, carried into the rollback; changed by hand: another hash."""
    plan = sealed(made_for=with_ids())
    proposed = ClusterLayout.from_assignments(PLAN)
    before = ClusterLayout.from_assignments({key: LISTS[key] for key in PLAN})
    text = text_of(PLAN, key=seal_of(proposed, before, made_for=with_ids()))

    assert plan.intact
    assert dict(plan.topic_ids) == IDS == dict(topic_ids_in(text)) == dict(topic_ids_in(inverse(plan, with_ids())))
    assert not read_sealed(text.replace(OLD, NEW)).intact
    assert sealed().topic_ids == {}
    assert topic_ids_in("{}") == topic_ids_in("no plan") == {}


@pytest.mark.usefixtures("fake")
def test_a_topic_made_anew_before_its_turn_is_neither_moved_nor_throttled(journal):
    """The topic is made anew with the lists of the plan while the run is interrupted: it is gone for the run."""
    cluster = cluster_of(dynamic={("follower_replicas", "orders"): "9:9"})
    run = approved(journal, sealed(made_for=with_ids()), with_ids())

    def dies(name):
        if name == "throttles set":
            raise SystemExit("killed")

    cluster.before_call = dies
    with suppress(SystemExit):
        carry_out(cluster.target(), journal, run.id, stop=threading.Event(), pace=cluster.pace())
    throttled = cluster.dynamic["follower_replicas", "orders"]
    cluster.ids["orders"] = NEW
    cluster.dynamic = {key: told for key, told in cluster.dynamic.items() if key[1] != "orders"}
    lists = []
    cluster.before_call = lambda name: lists.append(cluster.dynamic.get(("follower_replicas", "orders")))
    ended = carry_out(cluster.target(), journal, run.id, stop=threading.Event(), pace=cluster.pace())
    states = {move.topic: (move.state, move.error) for move in journal.moves(run.id)}

    assert throttled == "9:9,2:4"
    assert set(lists) == {None}
    assert ended.state is RunState.FAILED
    assert states == {"orders": ("failed", "UNKNOWN_TOPIC_OR_PARTITION"), "pay": ("done", None)}
    assert cluster.lists == {key: list(ids) for key, ids in (LISTS | {("pay", 7): [2, 4]}).items()}
    assert cluster.dynamic == {}


@pytest.mark.usefixtures("fake")
def test_a_topic_made_anew_as_planned_is_not_taken_for_done(journal):
    """Made with the lists of the plan, it verifies as gone; the way back leaves it alone and says so."""
    plan = sealed(made_for=with_ids())
    run = approved(journal, plan, with_ids())
    cluster = cluster_of()
    carry_out(cluster.target(), journal, run.id, stop=threading.Event(), pace=cluster.pace())
    done = verify(cluster.target(), plan)
    cluster.ids["orders"] = NEW
    verified = verify(cluster.target(), plan)
    planned = {key: list(ids) for key, ids in cluster.lists.items()}
    back = rollback_of(
        journal.run(run.id), journal.moves(run.id), snapshot(with_ids({"orders": NEW, "pay": PAY}, planned))
    )

    assert done.done
    assert [str(one) for one in verified.differences] == ["orders-2 is gone, planned [4, 1]"]
    assert back.left == ("orders-2",)
    assert read_sealed(back.text).proposed.assignments() == {("pay", 7): [2, 3]}
    with pytest.raises(WriteRefused, match=r"recreated orders-2 and pay-7 since"):
        rollback_of(
            journal.run(run.id), journal.moves(run.id), snapshot(with_ids({"orders": NEW, "pay": NEW}, planned))
        )


@pytest.mark.usefixtures("fake")
def test_a_cluster_that_tells_ids_only_since_it_was_upgraded_is_rolled_back(journal):
    """Approved before 2.8, taken back after: nothing says that a topic was made anew."""
    run = approved(journal, sealed(), layout())
    cluster = cluster_of()
    carry_out(cluster.target(), journal, run.id, stop=threading.Event(), pace=cluster.pace())
    now = snapshot(with_ids(lists={key: list(ids) for key, ids in cluster.lists.items()}))
    back = rollback_of(journal.run(run.id), journal.moves(run.id), now)

    assert back.left == ()
    assert read_sealed(back.text).proposed.assignments() == {("orders", 2): [3, 1], ("pay", 7): [2, 3]}
