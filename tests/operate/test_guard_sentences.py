"""The guard, word for word: what a person reads, and where the line is between one answer and the next."""

from __future__ import annotations

import dataclasses
from datetime import UTC, datetime

import numpy as np
import pytest

from reseat.model import BrokerState, ClusterLayout
from reseat.operate.checks.check import CheckResult
from reseat.operate.checks.cordons import brokers_emptied
from reseat.operate.checks.guard import drained
from reseat.operate.checks.plan_diff import PlanDiff
from reseat.operate.journal.records import Run, RunOptions, RunState
from tests.operate.guarding import CLUSTER, LISTS, PLAN, RACKS, judged, layout, request, sealed, snapshot

PASSED, FAILED, NOT_TOLD = CheckResult.PASSED, CheckResult.FAILED, CheckResult.NOT_TOLD
DEAD, FENCED, CORDONED = BrokerState.DEAD, BrokerState.FENCED, BrokerState.CORDONED


def open_run(number: int) -> Run:
    """A run that Ben began."""
    options, now = RunOptions(), datetime(2024, 5, 1, tzinfo=UTC)
    return Run(number, CLUSTER, "main", "plan", None, "", "", "", options, "ben", RunState.RUNNING, "", now)


def test_open_runs_are_named() -> None:
    """One, and several."""
    one = judged("one_run", open_runs=(open_run(7),)).sentence
    two = judged("one_run", open_runs=(open_run(7), open_run(8))).sentence

    assert one == ("Run 7 (running, plan approved by ben) is open on this cluster: let it finish, or stop it first.")
    assert two == (
        "Run 7 (running, plan approved by ben) and run 8 (running, plan approved by ben) are open on this cluster: let "
        "them finish, or stop them first."
    )


def test_twelve_characters_of_a_hash_tell_two_plans_apart() -> None:
    """Of the text, of its key, of what was shown."""
    plan = sealed()
    changed = dataclasses.replace(plan, told_hash="0123456789abcdef")
    bare = dataclasses.replace(plan, told_hash=None)

    assert judged("plan_as_shown").sentence == f"The plan is the one shown: hash {plan.hash[:12]}."
    assert judged("plan_as_shown", request(changed)).sentence == (
        f"The plan was changed after it was made: its text has the hash {plan.hash[:12]}, its key states 0123456789ab. "
        "Make a new plan."
    )
    assert judged("plan_as_shown", request(bare)).result is PASSED
    assert judged("plan_as_shown", request(plan, shown_hash="f" * 32)).sentence == (
        f"The plan shown had the hash {'f' * 12}, this one has {plan.hash[:12]}: it is a different plan."
    )


# ---- the layout ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        (request(), "2 partitions of the plan have the replica lists that the plan was made for."),
        (
            request(sealed(with_key=False), shown=layout()),
            "2 partitions of the plan have the replica lists in the reading shown.",
        ),
        (
            request(sealed({("pay", 7): [2, 4]}), kind="rollback"),
            "1 partition of the rollback has the replica lists from before or after it.",
        ),
    ],
)
def test_what_lists_are_compared_with_is_said(asked: object, sentence: str) -> None:
    """With those of the plan, of the reading shown, or of both ends of a rollback."""
    assert judged("layout_unchanged", asked).sentence == sentence


def test_the_first_partition_of_a_reading_counts_as_any() -> None:
    """A plan without a key for it is judged by the list shown; one that was not shown is only that."""
    plan = sealed({("orders", 0): [1, 3], ("pay", 7): [2, 4]}, with_key=False)
    part = layout({key: ids for key, ids in LISTS.items() if key != ("pay", 7)})

    assert judged("layout_unchanged", request(plan, shown=layout())).result is PASSED
    found = judged("layout_unchanged", request(plan, shown=part))
    assert found.sentence == "1 partition of the plan was not in the reading shown: pay-7."
    assert found.partitions == ("pay-7",)


def test_a_rollback_takes_no_list_for_its_end_that_holds_more_or_less() -> None:
    """It leads from [4, 1] to [3, 1]: [3, 1, 2] and [3] are neither."""
    plan = sealed({("orders", 2): [3, 1]}, made_for=layout(LISTS | PLAN), leaving=())

    for now, result in (([1, 3], PASSED), ([3, 1, 2], FAILED), ([3], FAILED)):
        reading = snapshot(layout(LISTS | {("orders", 2): now}))
        assert judged("layout_unchanged", request(plan, kind="rollback"), reading).result is result


def test_what_lies_in_a_directory_of_a_leaving_broker_is_named_wherever_else_it_is_placed() -> None:
    """orders-0 is placed on 1 and 2, and broker 3 holds it too; what it was given is no surprise."""
    holds = {3: frozenset({("orders", 0), ("orders", 2)})}
    found = judged("leaving_brokers_since", holdings=holds)

    assert found.partitions == ("orders-0",)
    assert found.sentence == (
        "1 partition has a replica on broker 3 that the plan does not remove: orders-0. It will not be empty "
        "afterwards."
    )


# ---- replicas --------------------------------------------------------------------------------------------------


def test_lists_that_cannot_be_are_named_with_their_partitions() -> None:
    """Here onto the broker that leaves; a single replica is a list as any."""
    single = sealed({("orders", 0): [1]}, leaving=())

    assert judged("replicas_valid", request(single)).sentence == "Every replica list of the plan is valid."
    plan = sealed({("orders", 2): [3, 1], ("pay", 7): [2, 4]})
    found = judged("replicas_valid", request(plan))

    assert found.partitions == ("orders-2",)
    assert found.sentence == ("1 partition would have a replica on 3, which the plan is to drain: orders-2.")


@pytest.mark.parametrize(
    ("plan", "more", "sentence"),
    [
        (sealed(), {}, "No partition is left with fewer replicas."),
        (
            sealed({("orders", 0): [1, 2, 3], ("orders", 1): [1, 2]}, leaving=()),
            {},
            "No partition is left with fewer replicas; 1 partition gets more.",
        ),
        (
            sealed({("orders", 0): [1]}, leaving=(), with_key=False),
            {"shown": layout()},
            "1 partition would be left with fewer replicas: orders-0. The plan does not request this. 1 partition "
            "would be left with a single replica: orders-0.",
        ),
        (
            sealed({("orders", 0): [1]}),
            {},
            "1 partition would be left with fewer replicas: orders-0. The plan is to drain brokers. 1 partition would "
            "be left with a single replica: orders-0.",
        ),
    ],
)
def test_fewer_replicas_are_called_by_their_reason(plan: object, more: dict[str, object], sentence: str) -> None:
    """What was not asked for comes first."""
    assert judged("replication_factor_kept", request(plan, **more)).sentence == sentence


def test_as_many_replicas_as_min_isr_are_enough() -> None:
    """Two of three, where two must be in sync; with three that must, they are too few, and one is called what it is."""
    lists = {("t", 0): [1, 2, 3], ("u", 0): [1, 2, 3]}
    for least, said in (
        (2, "2 partitions would be left with fewer replicas, as the plan requests: t-0 and u-0."),
        (3, "2 partitions would be left with fewer replicas than min.insync.replicas: t-0 and u-0."),
    ):
        now = layout(lists, min_in_sync=least)
        plan = sealed({key: [1, 2] for key in lists}, made_for=now, leaving=())
        assert judged("replication_factor_kept", request(plan), snapshot(now)).sentence == said
    single = sealed({key: [1] for key in lists}, made_for=now, leaving=())
    assert judged("replication_factor_kept", request(single), snapshot(now)).sentence == (
        "2 partitions would be left with a single replica: t-0 and u-0."
    )


def test_only_partitions_that_come_to_a_broker_wait_for_it() -> None:
    """t-0 has broker 4 already and t-1 gets it; fenced, it is waited for."""
    lists = {("t", 0): [4, 2], ("t", 1): [1, 2], ("t", 2): [1]}
    now = layout(lists, states={4: FENCED})
    plan = sealed({("t", 0): [4, 1], ("t", 1): [1, 4], ("t", 2): [3]}, made_for=now, leaving=())
    found = judged("targets_alive", request(plan), snapshot(now))

    assert found.partitions == ("t-1",)
    assert found.sentence == (
        "Broker 4 is registered but fenced, and replicas of 1 partition would be copied there: t-1. Nothing is copied "
        "there until it is back."
    )


def test_an_isr_that_is_told_is_enough_to_move_and_a_factor_above_it_is_no_trouble() -> None:
    """Nobody says who leads; as many are in sync as must be."""
    lists = {("t", 0): [1, 2]}
    silent = ClusterLayout.from_assignments(lists, brokers=layout().brokers, in_sync=lists)
    now = dataclasses.replace(silent, min_in_sync=np.full(1, 2, np.int32))
    plan = request(sealed({("t", 0): [1, 3]}, made_for=now, leaving=()))

    assert judged("movable", plan, snapshot(now)).result is PASSED
    assert judged("min_in_sync", plan, snapshot(now)).sentence == (
        "No partition that moves is below min.insync.replicas."
    )
    for told in (silent, dataclasses.replace(now, min_in_sync=np.full(1, -1, np.int32))):
        assert judged("min_in_sync", plan, snapshot(told)).result is NOT_TOLD


# ---- racks -----------------------------------------------------------------------------------------------------


RACKLESS = dict.fromkeys(RACKS)


@pytest.mark.parametrize(
    ("to", "of", "racks", "dead", "result"),
    [
        ([4, 1], [3, 1], RACKS, (), PASSED),  # as many racks as before
        ([4, 2], [3, 2], RACKS, (), PASSED),  # too few, as before
        ([4, 2], [3, 1], RACKS, (), FAILED),
        ([1, 2, 3], [1, 2], RACKS, (), PASSED),  # two racks is all there are
        ([1, 2, 4], [1, 2], {1: "a", 2: "b", 3: "c", 4: "b"}, (), FAILED),
        ([1, 2, 4], [1, 2], {1: "a", 2: "b", 3: "c", 4: "b"}, (3,), PASSED),  # rack c has no live broker
    ],
)
def test_racks_are_as_good_as_they_were_or_could_be(
    to: list[int], of: list[int], racks: dict[int, str], dead: tuple[int, ...], result: CheckResult
) -> None:
    """By the racks of now, where the plan says nothing of them."""
    now = layout({("t", 0): of}, racks=racks, states=dict.fromkeys(dead, DEAD))
    plan = sealed({("t", 0): to}, with_key=False)

    assert judged("racks_not_worsened", request(plan, shown=now), snapshot(now)).result is result


@pytest.mark.parametrize(("leaving", "result"), [((3,), PASSED), ((), FAILED)])
def test_the_rack_of_a_leaving_broker_is_no_better_place(leaving: tuple[int, ...], result: CheckResult) -> None:
    """One replica more on racks a and b; broker 3 alone is in rack c."""
    lists = {("t", 0): [1, 2], ("u", 0): [3, 1]}
    plan = sealed({("t", 0): [1, 2, 4]}, made_for=layout(lists, racks=RACKLESS), leaving=leaving)
    now = snapshot(layout(lists, racks=RACKS | {3: "c"}))

    assert judged("racks_not_worsened", request(plan), now).result is result


# ---- room, pace, cordons ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("seconds", "result", "least"),
    [
        (59, PASSED, "59 s"),
        (223, PASSED, "3 min 43 s"),  # "4 min" would be more than it takes at least
        (5_400, PASSED, "1 h 30 min"),
        (604_800, PASSED, "7 d"),
        (604_801, FAILED, "7 d"),
    ],
)
def test_the_least_time_is_said_as_the_page_says_it(seconds: int, result: CheckResult, least: str) -> None:
    """A broker sends one partition twice: 1,000 bytes a second each way. A week is the most that passes unasked."""
    now = layout({("t", 0): [1]}, sizes={("t", 0): seconds * 500.0})
    plan = sealed({("t", 0): [1, 2, 3]}, made_for=now, leaving=())
    found = judged("throttle_suits", request(plan, options=RunOptions(throttle=1_000)), snapshot(now))

    assert found.result is result
    assert found.sentence.startswith(f"At 1,000 bytes/s per broker, copying takes at least {least}. It never completes")


def test_the_broker_with_the_most_to_receive_sets_the_time() -> None:
    """Brokers 1 and 2 send 1 MB each, both to 3."""
    lists = {("t", 0): [1], ("t", 1): [2]}
    now = layout(lists, sizes=dict.fromkeys(lists, 1e6))
    plan = sealed({("t", 0): [3], ("t", 1): [3, 2, 1]}, made_for=now, leaving=())

    assert (
        "at least 20 s."
        in judged("throttle_suits", request(plan, options=RunOptions(throttle=100_000)), snapshot(now)).sentence
    )


def test_a_broker_is_emptied_that_gives_all_it_has_and_gets_nothing() -> None:
    """3 gives its only replica, 2 one of two and gets another; 4 never had any."""
    now = layout({("t", 0): [3], ("t", 1): [2], ("t", 2): [1], ("t", 3): [2]}, racks=RACKS)
    plan = sealed({("t", 0): [1], ("t", 1): [1], ("t", 2): [2]}, made_for=now, leaving=())

    assert brokers_emptied(PlanDiff.of(request(plan), snapshot(now))) == (3,)


def test_the_cordon_that_is_lifted_is_named_alone() -> None:
    """2 and 3 are cordoned; a list names 2, which is lifted first, and broker 1 with no cordon has none to lift."""
    now = snapshot(layout(states={2: CORDONED, 3: CORDONED}))
    plan = request(sealed({("orders", 2): [2, 1]}, leaving=()))
    found = judged("cordons_heeded", plan, now, lifted=(1, 2))

    assert (found.result, found.sentence, found.brokers) == (PASSED, "The cordon of broker 2 is lifted first.", (2,))


def test_brokers_that_are_not_empty_are_named() -> None:
    """By their log directories, or because those could not be read."""
    after = snapshot(layout(LISTS | PLAN))

    assert drained((3,), after, {3: frozenset({("pay", 7)})}).sentence == (
        "No partition is placed on broker 3, but log directories of 3 still hold 1 partition: pay-7."
    )
    assert drained((3, 5), after, None).sentence.startswith(
        "No partition is placed on brokers 3 and 5, but the log directories of 3 and 5 could not be read:"
    )
