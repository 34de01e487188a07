"""The guard, check by check: what passes, what stops a write, what can be overridden, and what is not told."""

from __future__ import annotations

import dataclasses
import re
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reseat.access import Person
from reseat.errors import WriteRefused
from reseat.model import BrokerState, ClusterLayout, LogDirectory, Quorum, QuorumMember
from reseat.operate.checks import guard
from reseat.operate.checks.check import CheckResult
from reseat.operate.checks.cordons import brokers_emptied
from reseat.operate.checks.plan_diff import PlanDiff
from reseat.operate.journal.records import Run, RunOptions, RunState
from reseat.operate.targets.cordon_settings import Cordon
from tests.cases import cases
from tests.operate.guarding import (
    CLUSTER,
    LISTS,
    PLAN,
    RACKS,
    checked,
    failing,
    judged,
    layout,
    request,
    sealed,
    snapshot,
)

PASSED, FAILED, OVERRIDDEN, NOT_TOLD = (
    CheckResult.PASSED,
    CheckResult.FAILED,
    CheckResult.OVERRIDDEN,
    CheckResult.NOT_TOLD,
)
DEAD, FENCED = BrokerState.DEAD, BrokerState.FENCED
ROOT = Path(__file__).parent.parent.parent


def named(found, *words):
    """Whether the sentence holds all of these."""
    return all(word in found.sentence for word in words)


def test_a_plan_for_the_layout_as_it_is_passes():
    """Draining broker 3 to broker 4: nothing fails, and refuse_unless lets it through."""
    checks = checked()

    assert [found.name for found in checks if found.result is FAILED] == []
    guard.refuse_unless(checks, who="ann", cluster_id="C1")


def test_every_failed_check_is_in_the_refusal():
    """Writing off and another id: both names and sentences are told."""
    checks = checked(request(enabled=False, confirmed="clusterB"), snapshot())

    with pytest.raises(WriteRefused) as refused:
        guard.refuse_unless(checks, who="ann", cluster_id="C1")
    assert [name for name, _ in refused.value.failed] == ["writing_enabled", "cluster_confirmed"]
    assert "2 checks failed (writing_enabled, cluster_confirmed)" in str(refused.value)


def test_the_table_of_the_module_and_that_of_the_decision_name_the_checks_in_order():
    """Nobody reads of a check that is not made, or the other way round."""
    made = [found.name for found in checked()]
    in_module = re.findall(r"^ +\d+  (\w+)", guard.__doc__ or "", re.M)
    decision = next((ROOT / "docs" / "decisions").glob("*-guard*.md")).read_text()
    in_decision = re.findall(r"^\| \d+ \| `(\w+)`", decision, re.M)

    assert in_module == made
    assert in_decision == made


# ---- who, where, what ------------------------------------------------------------------------------------------


def test_writing_must_be_enabled_and_no_override_helps():
    """The variable was not set: failed, also when overridden."""
    asked = request(enabled=False, overrides=frozenset({"writing_enabled"}))

    assert judged("writing_enabled").result is PASSED
    assert judged("writing_enabled", asked).result is FAILED
    assert named(judged("writing_enabled", asked), "RESEAT_OPERATE=1")


def test_the_person_must_be_allowed():
    """A browser from elsewhere without sign-in may not write."""
    asked = request(person=Person(), overrides=frozenset({"person_allowed"}))

    assert judged("person_allowed").result is PASSED
    assert judged("person_allowed", asked).result is FAILED


@pytest.mark.parametrize(
    ("typed", "told", "result"),
    [
        (CLUSTER, CLUSTER, PASSED),
        (f" {CLUSTER}\n", CLUSTER, PASSED),
        ("clustera", CLUSTER, FAILED),
        ("", CLUSTER, FAILED),
        ("", None, FAILED),
        ("None", None, FAILED),
    ],
)
def test_the_clusters_id_must_be_typed(typed, told, result):
    """Exactly, white space aside; a cluster that does not tell its id is not written to."""
    assert judged("cluster_confirmed", request(confirmed=typed), snapshot(cluster_id=told)).result is result


def test_a_long_text_typed_is_not_repeated_whole():
    """A megabyte pasted by mistake does not fill the sentence."""
    assert len(judged("cluster_confirmed", request(confirmed="x" * 1_000_000)).sentence) < 200


def test_an_open_run_stops_another():
    """The journal's open run is named with its operator."""
    run = Run(
        7, CLUSTER, "main", "plan", None, "", "", "", RunOptions(), "ben", RunState.RUNNING, "", datetime.now(UTC)
    )

    assert judged("one_run").result is PASSED
    assert judged("one_run", open_runs=(run,)).result is FAILED
    assert named(judged("one_run", open_runs=(run,)), "Run 7", "ben")


def test_the_plan_must_be_the_one_shown():
    """Another hash than shown, or a text changed after it was made."""
    other = dataclasses.replace(sealed(), told_hash="0" * 32)

    assert judged("plan_as_shown").result is PASSED
    other_text = judged("plan_as_shown", request(shown_hash="f" * 32))
    assert other_text.result is FAILED
    assert named(other_text, f"the hash {'f' * 12}, this one has {sealed().hash[:12]}:")
    assert judged("plan_as_shown", request(shown_hash="")).result is FAILED
    assert judged("plan_as_shown", request(other)).result is FAILED
    assert judged("plan_as_shown", request(sealed(with_key=False))).result is PASSED


def test_reassignments_of_others_stop_a_plan_wherever_they_are():
    """Listed, described or asked for in ZooKeeper's node: each is named."""
    now = layout()
    adding = np.zeros(now.replicas.shape, np.bool_)
    adding[0, 1] = True
    described = snapshot(dataclasses.replace(now, adding=adding))
    asked_for = snapshot(pending={("pay", 7): (1, 2)})
    listed = {found.name: found for found in checked(under_way=[("x", 1)])}

    assert judged("nothing_under_way").result is PASSED
    assert judged("nothing_under_way", now=described).partitions == ("orders-0",)
    assert judged("nothing_under_way", now=asked_for).partitions == ("pay-7",)
    assert listed["nothing_under_way"].partitions == ("x-1",)


# ---- the layout ------------------------------------------------------------------------------------------------


def test_topics_that_changed_while_they_were_read_are_read_again():
    """Only those of the plan matter."""
    assert judged("reading_settled", now=snapshot(unsettled=("other",))).result is PASSED
    assert judged("reading_settled", now=snapshot(unsettled=("other", "pay"))).result is FAILED
    assert named(judged("reading_settled", now=snapshot(unsettled=("pay",))), "pay")


def test_a_reading_without_assignment_order_is_refused():
    """Lists without order cannot be compared."""
    now = layout()
    unordered = dataclasses.replace(now, order_told=np.array([True, False]))

    assert judged("order_told").result is PASSED
    assert judged("order_told", now=snapshot(unordered)).result is FAILED
    assert named(judged("order_told", now=snapshot(unordered)), "pay")


def test_a_list_that_changed_is_shown_beside_what_it_was():
    """Another member, another order, another length: none passes, and none can be overridden."""
    for now in ([1, 3], [3, 1, 2], [3], [3, 2]):
        changed = snapshot(layout(LISTS | {("orders", 2): now}))
        asked = request(overrides=frozenset({"layout_unchanged"}))
        found = judged("layout_unchanged", asked, changed)

        assert found.result is FAILED
        assert found.partitions == ("orders-2",)
        assert named(found, f"orders-2 was [3,1], is [{','.join(map(str, now))}]")


def test_partitions_beside_the_plan_may_change():
    """orders-0 is not touched."""
    changed = snapshot(layout(LISTS | {("orders", 0): [2, 4]}))

    assert judged("layout_unchanged", now=changed).result is PASSED


def test_a_partition_that_is_gone_is_named():
    """Its topic was deleted."""
    left = {key: ids for key, ids in LISTS.items() if key != ("pay", 7)}
    found = judged("layout_unchanged", now=snapshot(layout(left)))

    assert found.result is FAILED
    assert named(found, "1 partition of the plan is gone: pay-7")


def test_a_deleted_and_recreated_topic_on_other_brokers_is_found():
    """The name is the same, the lists are not; a broker that the plan never knew is in them."""
    now = snapshot(layout(LISTS | {("pay", 7): [5, 1]}, racks=RACKS | {5: "b"}))

    assert named(judged("layout_unchanged", now=now), "pay-7 was [2,3], is [5,1]")


def test_partitions_that_are_as_planned_already_can_be_overridden_alone():
    """Nothing is sent for them; beside a real difference the override does not count."""
    done = LISTS | {("orders", 2): [4, 1]}
    asked = request(overrides=frozenset({"layout_unchanged"}))
    other = done | {("pay", 7): [1, 3]}

    assert judged("layout_unchanged", now=snapshot(layout(done))).result is FAILED
    assert named(judged("layout_unchanged", now=snapshot(layout(done))), "as planned already", "orders-2")
    assert judged("layout_unchanged", asked, snapshot(layout(done))).result is OVERRIDDEN
    assert judged("layout_unchanged", asked, snapshot(layout(other))).result is FAILED


def test_a_plan_without_the_key_is_judged_by_the_reading_shown():
    """No reading shown: refused. Shown and unchanged: passed. Changed since, or not in it: refused."""
    plan = sealed(with_key=False)
    lacking = layout({key: ids for key, ids in LISTS.items() if key != ("pay", 7)})
    changed = snapshot(layout(LISTS | {("pay", 7): [3, 2]}))

    assert judged("layout_unchanged", request(plan)).result is FAILED
    assert judged("layout_unchanged", request(plan, shown=layout())).result is PASSED
    assert named(judged("layout_unchanged", request(plan, shown=layout()), changed), "pay-7 was [2,3], is [3,2]")
    assert named(judged("layout_unchanged", request(plan, shown=lacking)), "not in the reading shown: pay-7")


def test_an_isr_that_flickers_and_a_leader_that_moves_do_not_matter():
    """Nothing fails when a follower lags for a moment and another leads."""
    now = layout(in_sync={("orders", 2): [1]}, leaders={("orders", 2): 1, ("pay", 7): 3})

    assert failing(now=snapshot(now)) == []


def test_a_rollback_finds_partitions_where_it_starts_or_leads():
    """Half of the plan is done, and a cancelled partition came back in another order."""
    back = sealed({("orders", 2): [3, 1], ("pay", 7): [2, 3]}, made_for=layout(LISTS | PLAN), leaving=())
    half = snapshot(layout(LISTS | {("pay", 7): [2, 4]}))
    other_order = snapshot(layout(LISTS | {("orders", 2): [1, 3]}))
    elsewhere = snapshot(layout(LISTS | {("orders", 2): [2, 1]}))

    assert judged("layout_unchanged", request(back, kind="rollback"), half).result is PASSED
    assert judged("layout_unchanged", request(back, kind="rollback"), other_order).result is PASSED
    assert judged("layout_unchanged", request(back, kind="rollback"), elsewhere).result is FAILED
    assert judged("layout_unchanged", request(back), half).result is FAILED


def test_what_is_under_way_is_judged_by_where_it_ends():
    """A reassignment from [3, 1] to [4, 1] is [4, 1, 3] meanwhile; a plan made for [4, 1] is told of that alone."""
    now = layout(LISTS | {("orders", 2): [4, 1, 3], ("pay", 7): [2, 4]}, in_sync={("orders", 2): [1, 3]})
    row = now.row("orders", 2)
    adding, removing = np.zeros((2, *now.replicas.shape), np.bool_)
    adding[row, 0] = removing[row, 2] = True
    busy = snapshot(dataclasses.replace(now, adding=adding, removing=removing))
    back = sealed({("orders", 2): [3, 1], ("pay", 7): [2, 3]}, made_for=layout(LISTS | PLAN), leaving=())

    assert failing(request(back, kind="rollback"), busy, under_way=[("orders", 2)]) == ["nothing_under_way"]


def test_brokers_must_be_there_in_their_racks():
    """Broker 4 gone, or in another rack: refused with both racks; a broker beside the plan does not matter."""
    without = {i: rack for i, rack in RACKS.items() if i != 4}
    moved = judged("brokers_unchanged", now=snapshot(layout(racks=RACKS | {4: "c"})))
    beside = snapshot(layout(LISTS | {("solo", 0): [5]}, racks=RACKS | {5: "z"}))

    assert judged("brokers_unchanged").result is PASSED
    assert named(judged("brokers_unchanged", now=snapshot(layout(racks=without))), "Broker 4", "not in the cluster")
    assert moved.result is FAILED
    assert named(moved, "broker 4 was in rack b, is in rack c")
    assert judged("brokers_unchanged", now=beside).result is PASSED


def test_a_rack_of_a_million_characters_does_not_fill_the_sentence():
    """It is cut, as text."""
    found = judged("brokers_unchanged", now=snapshot(layout(racks=RACKS | {4: "<b>" + "x" * 1_000_000})))

    assert found.result is FAILED
    assert len(found.sentence) < 300


def test_a_broker_that_is_down_tells_no_rack_and_that_is_no_change():
    """Broker 3, which leaves, died since: its rack is no longer told."""
    now = layout(racks=RACKS | {3: None}, states={3: DEAD})

    assert judged("brokers_unchanged", now=snapshot(now)).result is PASSED
    assert judged("brokers_unchanged", now=snapshot(layout(racks=RACKS | {4: None}))).result is FAILED


@pytest.mark.parametrize("state", [FENCED, BrokerState.SHUTTING_DOWN])
def test_a_fenced_broker_tells_no_rack_and_that_is_no_change(state):
    """Nor one that is shutting down; alive, a broker without its rack was given none."""
    now = layout(racks=RACKS | {3: None}, states={3: state})
    alive = layout(racks=RACKS | {3: None})

    assert judged("brokers_unchanged", now=snapshot(now)).result is PASSED
    assert judged("brokers_unchanged", now=snapshot(alive)).result is FAILED


def test_a_broker_that_was_down_may_tell_its_rack_now_where_it_only_gives():
    """Broker 3 told no rack when the plan was made; it leaves, so that its rack decides nothing."""
    plan = sealed(made_for=layout(racks=RACKS | {3: None}, states={3: DEAD}))

    assert judged("brokers_unchanged", request(plan)).result is PASSED


def test_a_plan_made_without_racks_leaves_them_to_their_own_check():
    """No rack was told then: not told, and no change."""
    plan = sealed(made_for=layout(racks=dict.fromkeys(RACKS)))
    nowhere = snapshot(layout(racks=dict.fromkeys(RACKS)))

    assert judged("brokers_unchanged", request(plan)).result is NOT_TOLD
    assert judged("brokers_unchanged", request(plan), nowhere).result is PASSED


# ---- replicas --------------------------------------------------------------------------------------------------


def test_lists_must_be_valid():
    """A replica put on the broker that is to leave, or a broker twice, is refused."""
    onto = sealed({("orders", 0): [3, 1]}, leaving=(3,))
    twice = dataclasses.replace(sealed(), proposed=ClusterLayout.from_assignments(PLAN | {("pay", 7): [4, 4]}))

    assert judged("replicas_valid").result is PASSED
    assert judged("replicas_valid", request(onto)).sentence == (
        "1 partition would have a replica on 3, which the plan is to drain: orders-0."
    )
    assert named(judged("replicas_valid", request(twice)), "a broker twice", "pay-7")


@pytest.mark.parametrize(
    ("leaving", "with_key", "min_in_sync", "to", "result"),
    [
        ((), True, 1, [1, 2], PASSED),  # asked for: from 3 to 2
        ((), True, 1, [1], FAILED),  # a single replica
        ((), True, 3, [1, 2], FAILED),  # below min.insync.replicas
        ((3,), True, 1, [1, 2], FAILED),  # an evacuation that failed
        ((), False, 1, [1, 2], FAILED),  # a text that does not say what it is for
        ((), True, 1, [1, 2, 3, 4], PASSED),
    ],
)
def test_fewer_replicas_must_be_asked_for(leaving, with_key, min_in_sync, to, result):
    """From three replicas: what is called out can be overridden, since the copies left are in sync."""
    now = layout({("t", 0): [1, 2, 3]}, min_in_sync=min_in_sync)
    plan = sealed({("t", 0): to}, made_for=now, leaving=leaving, with_key=with_key)
    asked = request(plan, shown=now)
    overridden = request(plan, shown=now, overrides=frozenset({"replication_factor_kept"}))

    assert judged("replication_factor_kept", asked, snapshot(now)).result is result
    if result is FAILED:
        assert judged("replication_factor_kept", overridden, snapshot(now)).result is OVERRIDDEN


@pytest.mark.parametrize(
    ("min_in_sync", "to", "result", "word"),
    [
        (1, [1, 2], PASSED, "as it was before the plan"),
        (1, [1], FAILED, "a single replica: t-0"),
        (2, [1], FAILED, "a single replica: t-0"),
        (3, [1, 2], FAILED, "fewer replicas than min.insync.replicas: t-0"),
        (None, [1, 2], PASSED, "as it was before the plan"),
    ],
)
def test_a_rollback_of_a_raised_replication_factor_leaves_no_fewer_than_any_plan_may(min_in_sync, to, result, word):
    """That it was so is no reason: min.insync.replicas may have been raised since. That it is wished is not asked."""
    now = layout({("t", 0): [1, 2, 3]}, min_in_sync=min_in_sync)
    back = sealed({("t", 0): to}, made_for=now, leaving=())
    found = judged("replication_factor_kept", request(back, kind="rollback"), snapshot(now))
    unsaid = request(sealed({("t", 0): to}, made_for=now, with_key=False), shown=now, kind="rollback")

    assert (found.result, word in found.sentence) == (result, True)
    assert judged("replication_factor_kept", unsaid, snapshot(now)).result is result
    if result is FAILED:
        assert found.overridable


def test_a_migration_to_kraft_stands_in_the_way_of_nodes():
    """Never overridable, of plans, elections and topics alike."""
    overriding = request(overrides=frozenset({"migration_over"}))

    assert judged("migration_over").result is PASSED
    assert judged("migration_over", overriding, migrating=True).result is FAILED


def test_every_check_of_the_way_there_is_made_on_the_way_back():
    """By the same names; the two that ask less of a rollback say so in their sentences."""
    there, back = (checked(request(kind=kind), snapshot()) for kind in ("plan", "rollback"))

    assert [found.name for found in there] == [found.name for found in back]
    differing = {one.name for one, other in zip(there, back, strict=True) if one != other}
    assert differing == {"layout_unchanged"}
    named_directories = sealed(log_dirs={("orders", 2): ["/a", "any"], ("pay", 7): ["any", "any"]})
    other = snapshot(log_dirs=(directory(4, "/b", 9),))
    assert judged("log_dirs_chosen", request(named_directories, kind="rollback"), other).result is FAILED


def test_targets_must_be_alive():
    """Dead: never. Fenced (KRaft): nothing is copied until it is back, which can be overridden. Not told: said."""
    dead = judged("targets_alive", now=snapshot(layout(states={4: DEAD})))
    asked = request(overrides=frozenset({"targets_alive"}))
    fenced = snapshot(layout(states={4: FENCED}), metadata="kraft")

    assert judged("targets_alive").result is PASSED
    assert named(dead, "Broker 4 is not alive", "2 partitions", "orders-2 and pay-7")
    assert judged("targets_alive", asked, snapshot(layout(states={4: DEAD}))).result is FAILED
    assert named(judged("targets_alive", now=fenced), "fenced", "Nothing is copied")
    assert judged("targets_alive", asked, fenced).result is OVERRIDDEN
    assert judged("targets_alive", now=snapshot(layout(states={4: BrokerState.NOT_TOLD}))).result is NOT_TOLD


def test_draining_a_dead_broker_passes():
    """Broker 3 is dead and out of every ISR, its rack no longer told, and orders-2 below min ISR because of it."""
    now = layout(
        racks=RACKS | {3: None},
        states={3: DEAD},
        in_sync={("orders", 2): [1], ("pay", 7): [2]},
        leaders={("orders", 2): 1, ("pay", 7): 2},
        min_in_sync=2,
    )
    found = judged("min_in_sync", now=snapshot(now))

    assert failing(now=snapshot(now)) == []
    assert found.result is PASSED
    assert named(found, "because of brokers to be drained", "orders-2 and pay-7")


def test_a_partition_whose_only_copy_is_on_a_dead_broker_is_named_as_unmovable():
    """pay-7 had its last in-sync copy on broker 3, dead; orders-2 has no leader."""
    now = layout(
        states={3: DEAD},
        in_sync={("orders", 2): [1], ("pay", 7): [3]},
        leaders={("orders", 2): None, ("pay", 7): None},
    )
    asked = request(overrides=frozenset({"movable"}))
    found = judged("movable", asked, snapshot(now))

    assert judged("movable").result is PASSED
    assert found.result is FAILED
    assert found.partitions == ("orders-2", "pay-7")
    assert named(found, "cannot be moved", "3")


def test_whether_a_partition_can_be_moved_may_not_be_told():
    """Neither leaders nor ISR: said so."""
    bare = ClusterLayout.from_assignments(LISTS, brokers=layout().brokers)

    assert judged("movable", now=snapshot(bare)).result is NOT_TOLD
    assert judged("min_in_sync", now=snapshot(bare)).result is NOT_TOLD


def test_a_partition_below_min_isr_for_another_reason_is_not_touched():
    """Of orders-2, which is to lose broker 3, it is broker 1 that lags."""
    now = layout(in_sync={("orders", 2): [3]}, leaders={("orders", 2): 3}, min_in_sync=2)
    asked = request(overrides=frozenset({"min_in_sync"}))
    found = judged("min_in_sync", asked, snapshot(now))

    assert judged("min_in_sync").result is PASSED
    assert found.result is FAILED
    assert found.partitions == ("orders-2",)
    assert judged("min_in_sync", now=snapshot(layout(min_in_sync=None))).result is NOT_TOLD


def test_a_factor_below_min_isr_can_be_raised():
    """One replica and min.insync.replicas 2: it is in sync as far as it can be."""
    now = layout({("t", 0): [1]}, min_in_sync=2)
    plan = sealed({("t", 0): [1, 2]}, made_for=now, leaving=())

    assert failing(request(plan), snapshot(now)) == []


def test_a_move_that_waits_for_a_broker_that_is_down_is_said():
    """Controllers of both kinds wait for the whole target to be in sync, those that stay included."""
    now = layout(states={1: DEAD}, in_sync={("orders", 2): [3]}, leaders={("orders", 2): 3})
    fenced = layout(states={1: FENCED}, in_sync={("orders", 2): [3]}, leaders={("orders", 2): 3})
    asked = request(overrides=frozenset({"can_finish"}))

    assert judged("can_finish").result is PASSED
    assert named(judged("can_finish", now=snapshot(now)), "orders-2", "broker 1, which is down")
    assert judged("can_finish", asked, snapshot(now)).result is OVERRIDDEN
    assert judged("can_finish", now=snapshot(fenced, metadata="kraft")).result is FAILED


def test_racks_are_not_worsened_beyond_what_was_shown():
    """Made with racks told, sharing one was shown; made without, or by hand, it is a surprise."""
    worse = {("orders", 2): [2, 3]}  # from racks b, a to b, b
    with_racks = request(sealed(worse, leaving=()))
    without = request(sealed(worse, made_for=layout(racks=dict.fromkeys(RACKS)), leaving=()))
    by_hand = request(sealed(worse, with_key=False), shown=layout())
    asked = dataclasses.replace(without, overrides=frozenset({"racks_not_worsened"}))

    assert judged("racks_not_worsened").result is PASSED
    assert judged("racks_not_worsened", with_racks).result is PASSED
    assert named(judged("racks_not_worsened", with_racks), "as the plan showed", "orders-2")
    assert judged("racks_not_worsened", without).result is FAILED
    assert judged("racks_not_worsened", by_hand).result is FAILED
    assert judged("racks_not_worsened", asked).result is OVERRIDDEN


def test_a_rack_that_only_a_leaving_broker_has_is_missed_by_nobody():
    """One replica more on racks a and b, while rack c leaves with broker 3: there is no better place."""
    racks = {1: "a", 2: "b", 3: "c", 4: "b"}
    now = layout({("t", 0): [1, 2], ("u", 0): [3, 1]}, racks=racks)
    plan = sealed({("t", 0): [1, 2, 4]}, made_for=now, leaving=(3,))

    assert judged("racks_not_worsened", request(plan), snapshot(now)).result is PASSED


def test_sharing_a_rack_more_is_worse_on_as_many_racks():
    """Two and two become three and one: both racks are still there."""
    racks = {1: "a", 2: "a", 3: "b", 4: "b", 5: "b"}
    now = layout({("t", 0): [1, 2, 3, 4], ("u", 0): [5]}, racks=racks)
    plan = sealed({("t", 0): [1, 5, 3, 4]}, made_for=now, leaving=(), with_key=False)

    assert judged("racks_not_worsened", request(plan, shown=now), snapshot(now)).result is FAILED


def test_racks_may_be_mended():
    """A partition that shares a rack gets onto two."""
    now = layout({("t", 0): [2, 3]})
    plan = sealed({("t", 0): [2, 1]}, made_for=now, leaving=())

    assert judged("racks_not_worsened", request(plan), snapshot(now)).result is PASSED


def test_replicas_that_came_to_a_leaving_broker_since_are_named():
    """A topic was made meanwhile, a partition was added, and a log directory holds one that nobody describes."""
    came = LISTS | {("new", 0): [3, 1], ("orders", 3): [2, 3]}
    asked = request(overrides=frozenset({"leaving_brokers_since"}))
    found = judged("leaving_brokers_since", now=snapshot(layout(came)))
    stray = judged("leaving_brokers_since", holdings={3: frozenset({("orders", 2), ("ghost", 4)})})

    assert judged("leaving_brokers_since").result is PASSED
    quorum = Quorum(3, tuple(QuorumMember(voter, behind_seconds=0.1) for voter in (3, 5, 6)))
    assert (
        "Broker 3 votes in the controller quorum"
        in judged("leaving_brokers_since", now=snapshot(quorum=quorum)).sentence
    )
    assert found.result is FAILED
    assert found.partitions == ("new-0", "orders-3")
    assert found.brokers == (3,)
    assert judged("leaving_brokers_since", asked, snapshot(layout(came))).result is OVERRIDDEN
    assert stray.partitions == ("ghost-4",)
    assert judged("leaving_brokers_since", request(sealed(with_key=False), shown=layout())).result is NOT_TOLD


def test_what_a_plan_leaves_on_purpose_did_not_come_since():
    """A plan for one topic of two, made for this very layout: it says what it leaves, and passes."""
    part = sealed({("pay", 7): [2, 4]}, leaving=(3,))

    assert judged("leaving_brokers_since", request(part)).result is PASSED
    assert named(judged("leaving_brokers_since", request(part)), "No replica was added", "leaves 1 partition")


def gigabytes(number):
    """In bytes."""
    return int(number * 1e9)


def directory(broker, path, usable, error=None):
    """A log directory with so many gigabytes left."""
    return LogDirectory(broker, path, None, None if usable is None else gigabytes(usable), error)


@pytest.mark.parametrize(
    ("dirs", "result"),
    [
        ([(4, "/a", 6)], PASSED),
        ([(4, "/a", 5)], PASSED),  # to the last byte
        ([(4, "/a", 3), (4, "/b", 2)], PASSED),
        ([(4, "/a", 4)], FAILED),
        ([(4, "/a", 3), (4, "/b", 3)], PASSED),
        ([(4, "/a", 2), (4, "/b", 2), (4, "/c", 2)], FAILED),  # the replica of 3 GB fits nowhere
        ([(4, "/a", None)], NOT_TOLD),
        ([(4, "/a", 9), (4, "/b", None)], NOT_TOLD),
        ([], NOT_TOLD),
    ],
)
def test_what_comes_must_fit(dirs, result):
    """orders-2 (2 GB) and pay-7 (3 GB) come to broker 4; what leaves it would not count."""
    sizes = {("orders", 2): gigabytes(2), ("pay", 7): gigabytes(3)}
    now = snapshot(layout(sizes=sizes), log_dirs=tuple(directory(*one) for one in dirs))
    asked = request(overrides=frozenset({"disk_room"}))

    assert judged("disk_room", asked, now).result is result


def test_a_full_disk_has_no_room_for_a_byte():
    """Nothing is left on broker 4, which is known; and what can be done about it is said."""
    now = snapshot(layout(sizes={("orders", 2): 1, ("pay", 7): 0}), log_dirs=(directory(4, "/a", 0),))

    found = judged("disk_room", now=now)
    assert named(found, "broker 4 has 0 B left and would get 1 B")
    assert named(found, "Plan by bytes, or let broker 4 receive nothing.")


def test_a_cordoned_log_directory_has_room_only_where_all_are():
    """Brokers place nothing in it as long as another one is open."""
    sizes = {("orders", 2): gigabytes(2), ("pay", 7): gigabytes(3)}
    shut = dataclasses.replace(directory(4, "/a", 9), cordoned=True)

    for dirs, result in (((shut,), PASSED), ((shut, directory(4, "/b", 2)), FAILED)):
        assert judged("disk_room", now=snapshot(layout(sizes=sizes), log_dirs=dirs)).result is result


def test_a_target_whose_log_directories_are_all_offline_has_no_room():
    """It could not make a replica."""
    now = snapshot(layout(), log_dirs=(directory(4, "/a", None, "KAFKA_STORAGE_ERROR"),))

    assert named(judged("disk_room", now=now), "broker 4 has no online log directory")


def test_sizes_that_are_not_told_leave_room_not_told_unless_what_is_told_is_too_much():
    """One size of two: not told, or failed where that one alone does not fit."""
    now = layout(sizes={("pay", 7): gigabytes(3)})

    assert judged("disk_room", now=snapshot(now, log_dirs=(directory(4, "/a", 9),))).result is NOT_TOLD
    assert judged("disk_room", now=snapshot(now, log_dirs=(directory(4, "/a", 2),))).result is FAILED


def test_new_replicas_go_into_the_log_directories_that_a_plan_names():
    """One that the broker lacks, that is offline or cordoned is refused, and overridable; through ZooKeeper each is."""
    plan = sealed(log_dirs={("orders", 2): ["/a", "any"], ("pay", 7): ["any", "any"]})
    two = snapshot(log_dirs=(directory(4, "/a", 9), directory(4, "/b", 9)))
    other = snapshot(log_dirs=(directory(4, "/b", 9),))
    broken = snapshot(log_dirs=(directory(4, "/a", None, "KAFKA_STORAGE_ERROR"), directory(4, "/b", 9)))
    asked = request(plan, overrides=frozenset({"log_dirs_chosen"}))

    assert judged("log_dirs_chosen").result is PASSED
    assert judged("log_dirs_chosen", request(plan), two).result is PASSED
    assert judged("log_dirs_chosen", request(plan), snapshot()).result is PASSED
    full = snapshot(log_dirs=(directory(4, "/a", 0), directory(4, "/b", 9)))
    assert judged("log_dirs_chosen", request(plan), full).result is PASSED  # disk_room says what does not fit
    assert judged("log_dirs_chosen", request(plan), other).partitions == ("orders-2",)
    assert "Broker 4 has no log directory /a" in judged("log_dirs_chosen", request(plan), other).sentence
    assert (
        "/a of broker 4 is offline (KAFKA_STORAGE_ERROR)" in judged("log_dirs_chosen", request(plan), broken).sentence
    )
    neither = sealed(log_dirs={("orders", 2): ["/a", "any"], ("pay", 7): ["any", "/c"]})
    assert judged("log_dirs_chosen", request(neither), other).sentence.startswith(
        "Broker 4 has no log directory /a and broker 4 has no log directory /c. The plan names"
    )
    assert judged("log_dirs_chosen", asked, other).result is OVERRIDDEN
    assert judged("log_dirs_chosen", request(plan), two, protocol="zookeeper").result is FAILED


@pytest.mark.parametrize(
    ("sizes", "left", "said"),
    [
        ({("orders", 0): gigabytes(2)}, 2, "1 replica of broker 1 moves to another log directory: 2.0 GB."),
        ({("orders", 0): gigabytes(2)}, 1, "Log directory /b of broker 1 has 1.0 GB left and would get 2.0 GB."),
        (
            {},
            0,
            "1 replica of broker 1 moves to another log directory: of unknown size.",
        ),  # of what is not told, nothing
    ],
)
def test_a_replica_moves_into_a_directory_of_its_broker_that_has_room(sizes, left, said):
    """To the last byte; no list of the plan is another one."""
    of = dataclasses.replace(layout(sizes=sizes), log_dirs=("/a",), log_dir=np.zeros((4, 2), np.int32))
    plan = sealed({("orders", 0): [1, 2]}, made_for=of, leaving=(), log_dirs={("orders", 0): ["/b", "any"]})
    now = snapshot(of, log_dirs=(directory(1, "/a", 9), directory(1, "/b", left)))

    assert judged("directories_fit", request(plan), now).sentence == said


def test_what_only_grows_or_only_shrinks_moves_and_what_changes_its_order_does_not():
    """Checks of what moves look at the first two partitions, and not at the third."""
    lists = {("orders", 0): [1, 2], ("orders", 1): [1, 2, 3], ("orders", 2): [2, 3], ("orders", 3): [1, 2]}
    plan = {("orders", 0): [1, 2, 4], ("orders", 1): [1, 2], ("orders", 2): [3, 2], ("orders", 3): [1, 2]}
    diff = PlanDiff.of(request(sealed(plan, made_for=layout(lists), leaving=())), snapshot(layout(lists)))

    assert diff.moving.tolist() == [0, 1]
    assert diff.changed.tolist() == [0, 1, 2]


def test_a_named_log_directory_must_have_room():
    """/a has 1 GB, the broker 10."""
    plan = sealed(log_dirs={("orders", 2): ["/a", "any"], ("pay", 7): ["any", "any"]})
    now = snapshot(
        layout(sizes={("orders", 2): gigabytes(2), ("pay", 7): gigabytes(3)}),
        log_dirs=(directory(4, "/a", 1), directory(4, "/b", 9)),
    )

    assert named(judged("disk_room", request(plan), now), "log directory /a of broker 4 has 1.0 GB left")
    exact = dataclasses.replace(now, log_dirs=(directory(4, "/a", 2), directory(4, "/b", 9)))
    assert judged("disk_room", request(plan), exact).result is PASSED


def test_named_log_directories_that_share_a_volume_must_have_room_together():
    """/a and /b tell the same 2.5 GB: either replica of 2 GB fits there, both do not, though /c has room for more."""
    plan = sealed(log_dirs={("orders", 2): ["/a", "any"], ("pay", 7): ["any", "/b"]})
    shared = [dataclasses.replace(directory(4, path, 2.5), total_bytes=gigabytes(10)) for path in ("/a", "/b")]
    now = snapshot(layout(sizes=dict.fromkeys(LISTS, gigabytes(2))), log_dirs=(*shared, directory(4, "/c", 9)))
    apart = dataclasses.replace(now, log_dirs=(directory(4, "/a", 2.5), directory(4, "/b", 2.5)))

    assert named(
        judged("disk_room", request(plan), now),
        "log directories /a and /b of broker 4 share a volume with 2.5 GB left and would get 4.0 GB",
    )
    assert judged("disk_room", request(plan), apart).result is PASSED


def test_replicas_do_not_move_to_log_directories_that_share_a_volume_with_too_little_room():
    """/b and /c tell the same 2.5 GB, and 2 GB are to go to each."""
    sizes = dict.fromkeys(LISTS, gigabytes(2))
    of = dataclasses.replace(layout(sizes=sizes), log_dirs=("/a",), log_dir=np.zeros((4, 2), np.int32))
    dirs = {("orders", 0): ["/b", "any"], ("orders", 1): ["any", "/c"]}
    plan = sealed({key: LISTS[key] for key in dirs}, made_for=of, leaving=(), log_dirs=dirs)
    shared = [dataclasses.replace(directory(1, path, 2.5), total_bytes=gigabytes(10)) for path in ("/b", "/c")]
    now, apart = (
        snapshot(of, log_dirs=(directory(1, "/a", 9), *told))
        for told in (shared, (directory(1, "/b", 2.5), directory(1, "/c", 2.5)))
    )

    assert named(
        judged("directories_fit", request(plan), now),
        "Log directories /b and /c of broker 1 share a volume with 2.5 GB left and would get 4.0 GB.",
    )
    assert judged("directories_fit", request(plan), apart).result is PASSED


def test_a_throttle_is_a_rate_and_its_least_time_is_said():
    """Of the broker with most to do; more than a week can be overridden, what is no rate cannot."""
    sizes = dict.fromkeys(LISTS, 1000000000)
    now = snapshot(layout(sizes=sizes))  # 4 gets both: 2 GB

    assert named(judged("throttle_suits", request(), now), "No throttle")
    assert named(
        judged("throttle_suits", request(options=RunOptions(throttle=10_000_000)), now),
        "10,000,000 bytes/s",
        "3 min 20 s",
    )
    slow = judged("throttle_suits", request(options=RunOptions(throttle=1_000)), now)
    assert (slow.result, slow.overridable) == (FAILED, True)
    assert named(slow, "at least 23 d 3 h", "Is the throttle in bytes?")
    for none in (0, -5, 2**63):
        refused = judged(
            "throttle_suits", request(options=RunOptions(throttle=none), overrides=frozenset({"throttle_suits"})), now
        )
        assert (refused.result, refused.overridable) == (FAILED, False)
    untold = judged("throttle_suits", request(options=RunOptions(throttle=1)))
    assert untold.result is NOT_TOLD
    assert named(untold, "never completes if producers write more than that")


def test_sentences_name_a_few_and_say_how_many():
    """A thousand partitions changed: six are shown, all are in the check, and the sentence stays short."""
    before = {("t", i): [1, 2] for i in range(1_000)}
    now = {("t", i): [2, 1] for i in range(1_000)}
    plan = sealed({key: [1, 4] for key in before}, made_for=layout(before), leaving=())
    found = judged("layout_unchanged", request(plan), snapshot(layout(now)))

    assert len(found.partitions) == 1_000
    assert found.sentence.count("was [1,2], is [2,1]") == 6
    assert named(found, "1,000 partitions", "and 994 more")


# ---- properties ------------------------------------------------------------------------------------------------

assignments = st.dictionaries(
    st.tuples(st.sampled_from(["a", "b.c", "d"]), st.integers(0, 9)),
    st.lists(st.sampled_from([1, 2, 3, 4, 5]), min_size=1, max_size=4, unique=True),
    min_size=1,
    max_size=12,
)
FIVE = {1: "a", 2: "b", 3: "b", 4: None, 5: "c"}
LAYOUT_CHECKS = ("order_told", "layout_unchanged", "brokers_unchanged")


@given(assignments, assignments)
@settings(max_examples=cases(60), deadline=None)
def test_a_request_against_the_layout_it_was_planned_on_passes(before, wanted):
    """Whatever the plan: the layout's checks have nothing to say, and it is the plan shown."""
    now = layout(before, racks=FIVE)
    plan = {key: ids for key, ids in wanted.items() if key in before} or {next(iter(before)): [1]}
    asked = request(sealed(plan, made_for=now, leaving=()))

    results = {found.name: found.result for found in checked(asked, snapshot(now))}

    assert {results[name] for name in (*LAYOUT_CHECKS, "plan_as_shown")} == {PASSED}


@given(assignments, st.data())
@settings(max_examples=cases(60), deadline=None)
def test_any_change_of_a_touched_list_is_found(before, data):
    """Members, order or length of any partition of the plan, or its absence: named."""
    now = layout(before, racks=FIVE)
    plan = {key: ids[::-1] if len(ids) > 1 else [ids[0] % 5 + 1] for key, ids in before.items()}
    changed = data.draw(st.sampled_from(sorted(before)))
    to = data.draw(
        st.one_of(st.none(), st.lists(st.sampled_from([1, 2, 3, 4, 5]), min_size=1, max_size=4, unique=True)).filter(
            lambda ids: ids != before[changed]
        )
    )
    lists = {key: ids for key, ids in before.items() if key != changed} | ({changed: to} if to else {})
    later = layout(lists, racks=FIVE)
    found = judged("layout_unchanged", request(sealed(plan, made_for=now, leaving=())), snapshot(later))

    assert found.result is FAILED
    assert found.partitions == (f"{changed[0]}-{changed[1]}",)
    assert not found.overridable or to == plan[changed]


# ---- cordons ---------------------------------------------------------------------------------------------------


def cordoned(*ids):
    """A reading with these brokers cordoned."""
    return snapshot(layout(states=dict.fromkeys(ids, BrokerState.CORDONED)))


def test_a_list_that_names_a_cordoned_broker_is_refused() -> None:
    """As a newcomer, as one that stays, in a mere reorder; a plan that takes replicas off it is not."""
    newcomer = judged("cordons_heeded", now=cordoned(4))
    stays = judged("cordons_heeded", now=cordoned(1, 2))
    reorder = judged("cordons_heeded", request(sealed({("orders", 0): [2, 1]}, leaving=())), cordoned(1))
    off = judged("cordons_heeded", now=cordoned(3))

    assert newcomer.sentence == (
        "Broker 4 is cordoned, and Kafka refuses the lists of 2 partitions that name it: orders-2 and pay-7. Lift the "
        "cordon (reseat operate uncordon), or plan again from a layout read now."
    )
    assert (newcomer.result, newcomer.overridable, newcomer.brokers) == (CheckResult.FAILED, False, (4,))
    assert (stays.brokers, len(stays.partitions)) == ((1, 2), 2)
    assert reorder.brokers == (1,)
    assert off.result is CheckResult.PASSED


def test_a_cordon_that_the_run_lifts_first_is_no_obstacle() -> None:
    """A rollback lifts what its journal says that a run cordoned."""
    found = judged("cordons_heeded", now=cordoned(4), lifted={4})

    assert found.result is CheckResult.PASSED
    assert found.sentence == "The cordon of broker 4 is lifted first."


def test_what_is_to_be_cordoned_is_what_the_plan_empties() -> None:
    """By its own word, or else by what it leaves on each broker; one that empties none cannot."""
    told = PlanDiff.of(request(), snapshot())
    untold = PlanDiff.of(request(sealed(with_key=False)), snapshot())
    partly = PlanDiff.of(request(sealed({("pay", 7): [2, 4]}, with_key=False)), snapshot())

    assert brokers_emptied(told) == brokers_emptied(untold) == (3,)
    assert brokers_emptied(partly) == ()


def test_cordons_are_asked_of_a_cluster_that_knows_them_and_of_brokers_that_answer() -> None:
    """Not asked for, it passes; before 4.3 and of a dead broker it says why not, and that it goes without."""
    none = Cordon(closed=False)
    quiet = judged("cordon_possible")
    asked = request(cordon=True)
    known = judged("cordon_possible", asked, cordons={3: none})
    old = judged("cordon_possible", asked, cordons=None)
    dead = judged("cordon_possible", asked, cordons={1: none})
    idle = judged(
        "cordon_possible", request(sealed({("orders", 0): [2, 1]}, leaving=()), cordon=True), cordons={3: none}
    )

    assert (quiet.result, known.result) == (CheckResult.PASSED, CheckResult.PASSED)
    assert known.sentence.startswith("Broker 3 is cordoned before anything moves, and stays so until")
    assert (old.result, old.overridable) == (CheckResult.FAILED, False)
    assert "which came with Kafka 4.3" in old.sentence
    assert dead.sentence == (
        "Broker 3 cannot be cordoned: a broker sets its own cordon, and it does not answer. Execute without."
    )
    assert idle.sentence == "The plan empties no broker, so there is none to cordon."
