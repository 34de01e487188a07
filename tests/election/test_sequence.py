"""Stops and returns one after the other: who leads at each step, and why the order matters."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reseat.election import Move, MoveKind, Reason, WalkStep, against_majority, walk
from reseat.errors import WishRefused
from reseat.model import Broker, BrokerState, ClusterLayout
from tests.cases import cases

STOP, RETURN, PREFERRED = MoveKind.STOP, MoveKind.RETURN, MoveKind.PREFERRED


def layout(assignments: dict[tuple[str, int], list[int]], min_in_sync: int = 1) -> ClusterLayout:
    """Everything alive, in sync and led by its first replica."""
    brokers = sorted({broker for replicas in assignments.values() for broker in replicas})
    made = ClusterLayout.from_assignments(
        assignments,
        brokers=[Broker(i, state=BrokerState.ALIVE) for i in brokers],
        leaders={key: replicas[0] for key, replicas in assignments.items()},
        in_sync=assignments,
    )
    return ClusterLayout.from_columns(
        topics=made.topics,
        topic_of=made.topic_of,
        partition=made.partition,
        replicas=made.replica_ids,
        brokers=made.brokers,
        leader=made.leader_ids,
        in_sync=made.in_sync,
        min_in_sync=[min_in_sync] * len(made.topics),
    )


def leaders(steps: tuple, row: int = 0) -> list[int]:
    """Who leads one partition after each step, -1 nobody."""
    return [int(step.layout.leader_ids[row]) for step in steps]


def test_three_then_five_then_three_is_back_then_an_election() -> None:
    """The last in sync is waited for: broker 3, back first, does not lead what 5 alone kept up to date."""
    story = [Move(STOP, (3,)), Move(STOP, (5,)), Move(RETURN, (3,)), Move(RETURN, (5,)), Move(PREFERRED)]
    steps = walk(layout({("orders", 0): [3, 5]}), story).steps

    assert leaders(steps) == [5, -1, -1, 5, 3]
    assert [step.sentence for step in steps] == [
        "Broker 3 stops: 1 leader changes. Every partition has a leader and accepts writes.",
        "Broker 5 stops: 1 leader changes. 1 partition is offline.",
        "Broker 3 returns: 0 leaders change. 1 partition is offline.",
        "Broker 5 returns: 1 leader changes. Every partition has a leader and accepts writes.",
        "A preferred election is run: 1 leader changes. Every partition has a leader and accepts writes.",
    ]


def test_who_returns_is_in_sync_again() -> None:
    """After 1 is back the ISR is whole, so that 2 may stop and 1 takes over."""
    story = [Move(STOP, (1,)), Move(RETURN, (1,)), Move(STOP, (2,))]
    steps = walk(layout({("orders", 0): [1, 2]}), story).steps

    assert leaders(steps) == [2, 2, 1]


def test_below_min_isr_is_told_at_each_step() -> None:
    """Min ISR 2 of 3: one stop is borne, the second refuses acks=all, a return mends it."""
    story = [Move(STOP, (1,)), Move(STOP, (2,)), Move(RETURN, (1,))]
    steps = walk(layout({("orders", 0): [1, 2, 3]}, min_in_sync=2), story).steps

    assert [len(step.below_min_isr) for step in steps] == [0, 1, 0]


def test_where_min_isr_is_unknown_no_write_is_promised() -> None:
    """Leaders are known, and whether acks=all is refused is not."""
    known = layout({("orders", 0): [1, 2], ("payments", 0): [1, 2]})
    unknown = replace(known, min_in_sync=None)
    partly = replace(known, min_in_sync=np.array([1, -1], np.int32))
    said = "Broker 1 stops: 2 leaders change. Every partition has a leader"

    assert [walk(one, [Move(STOP, (1,))]).steps[0].sentence for one in (known, unknown, partly)] == [
        f"{said} and accepts writes.",
        f"{said}.",
        f"{said}.",
    ]


def test_where_leaders_are_unknown_none_is_promised() -> None:
    """Nobody knows whether broker 1 led: what is known is that broker 2 can."""
    unknown = ClusterLayout.from_assignments({("orders", 0): [1, 2]})

    assert walk(unknown, [Move(STOP, (1,))]).steps[0].sentence == (
        "Broker 1 stops: 0 known leaders change. Every partition has a replica that can lead."
    )


def test_unclean_leads_at_once_and_names_what_is_lost() -> None:
    """2 is back before 1, which alone was in sync: with unclean election it leads, and the step counts the loss."""
    story = [Move(STOP, (2,)), Move(STOP, (1,)), Move(RETURN, (2,))]
    clean = walk(layout({("orders", 0): [1, 2]}), story).steps
    unclean = walk(layout({("orders", 0): [1, 2]}), story, unclean=True).steps

    assert leaders(clean) == [1, -1, -1]
    assert leaders(unclean) == [1, -1, 2]
    assert [len(step.lost) for step in unclean] == [0, 0, 1]
    assert unclean[-1].sentence == (
        "Broker 2 returns: 1 leader changes. 1 partition loses records that were not copied. Every partition has a "
        "leader and accepts writes."
    )


def test_a_broker_that_is_not_there_is_refused() -> None:
    """With the ids that are."""
    with pytest.raises(WishRefused, match="Broker 9 is not in this layout"):
        walk(layout({("orders", 0): [1, 2]}), [Move(STOP, (9,))])


@given(picks=st.lists(st.tuples(st.sampled_from([STOP, RETURN, PREFERRED]), st.sampled_from([1, 2, 3, 4])), max_size=8))
def test_a_leader_is_always_alive_and_in_sync(picks: list[tuple[MoveKind, int]]) -> None:
    """Whatever the order, with clean elections."""
    start = layout({("a", 0): [1, 2, 3], ("a", 1): [2, 3, 4], ("b", 0): [4], ("b", 1): [3, 1]})
    moves = [Move(kind, () if kind is PREFERRED else (broker,)) for kind, broker in picks]
    for step in walk(start, moves).steps:
        after = step.layout
        for row, leader in enumerate(after.leader.tolist()):
            if leader >= 0:
                place = after.replicas[row].tolist().index(leader)
                assert after.brokers[leader].state is BrokerState.ALIVE
                assert after.in_sync is not None
                assert after.in_sync[row, place]


def test_against_a_majority_of_the_same_replicas() -> None:
    """Two of three stopped: an ISR goes on, a majority cannot; it would need five replicas for that."""
    told = against_majority(layout({("a", 0): [1, 2, 3], ("a", 1): [3, 4, 1]}), (1, 2))

    assert (told.led, told.would_decide) == (2, 1)
    assert (told.replicas, told.replicas_needed) == (6, 10)
    assert told.sentences == (
        "With brokers 1 and 2 stopped, 1 partition has a leader but would have none with a majority quorum of the same "
        "replicas.",
        "To survive as many failures (f with f + 1 replicas), a majority quorum needs 2 f + 1: 10 replicas instead of "
        "6.",
    )


def test_observers_decide_nothing_in_a_majority() -> None:
    """Of three replicas one observes: with one of the others stopped, one vote of three is left; with it, two are."""
    made = layout({("a", 0): [1, 2, 3]})
    observed = replace(made, observers=np.array([[False, False, True]]))

    assert against_majority(made, (1,)).would_decide == 1
    assert against_majority(observed, (1,)).would_decide == 0
    assert against_majority(observed, (3,)).would_decide == 1


def kraft(replicas: list[int], min_in_sync: int) -> ClusterLayout:
    """orders-0 of a KRaft cluster that keeps eligible leader replicas."""
    made = layout({("orders", 0): replicas}, min_in_sync)
    nobody = np.zeros(made.replicas.shape, np.bool_)
    return replace(made, eligible=nobody, last_known_eligible=nobody)


def members(step: WalkStep, column: str) -> list[int]:
    """Broker ids in the ISR, the ELR or the last known ELR after a step."""
    mask = getattr(step.layout, column)[0]
    return [int(broker) for broker in step.layout.replica_ids[0][mask]]


def test_who_leaves_below_min_isr_is_eligible_and_leads_first() -> None:
    """KIP-966: 1 leaves an ISR of three (two are left, min ISR 2: not eligible), 2 and 3 are; 2, back first, leads."""
    story = [Move(STOP, (1,)), Move(STOP, (2,)), Move(STOP, (3,)), Move(RETURN, (1,)), Move(RETURN, (2,))]
    steps = walk(kraft([1, 2, 3], 2), story, mode="kraft").steps

    assert leaders(steps) == [2, 3, -1, -1, 2]
    assert [members(step, "in_sync") for step in steps] == [[2, 3], [3], [], [], [1, 2]]
    assert [members(step, "eligible") for step in steps] == [[], [2], [2, 3], [2, 3], []]
    assert [members(step, "last_known_eligible") for step in steps] == [[], [], [3], [3], []]
    assert steps[-1].election.reason_of(0) is Reason.ELIGIBLE
    assert [len(step.lost) for step in steps] == [0] * 5


def test_stopping_all_at_once_is_stopping_them_in_turn() -> None:
    """By ascending id: the same ISR, ELR and last known leader are left, with and without ELR."""
    in_turn = [Move(STOP, (broker,)) for broker in (1, 2, 3)]
    at_once = [Move(STOP, (1, 2, 3))]
    for column in ("in_sync", "eligible"):
        turn = walk(kraft([1, 2, 3], 2), in_turn, mode="kraft").steps[-1]
        once = walk(kraft([1, 2, 3], 2), at_once, mode="kraft").steps[-1]

        assert members(turn, column) == members(once, column)
    old = [walk(layout({("orders", 0): [2, 3, 1]}), moves).steps[-1] for moves in (in_turn, at_once)]

    assert [members(step, "in_sync") for step in old] == [[3], [3]]


def test_after_a_crash_nobody_is_eligible_and_the_last_known_leader_loses_what_it_lost() -> None:
    """Both crash: 1 is back and is not elected; 2, which led last, is, and the partition is marked RECOVERING."""
    story = [Move(MoveKind.CRASH, (1,)), Move(MoveKind.CRASH, (2,)), Move(RETURN, (1,)), Move(RETURN, (2,))]
    steps = walk(kraft([1, 2], 2), story, mode="kraft").steps

    assert leaders(steps) == [2, -1, -1, 2]
    assert steps[-1].election.reason_of(0) is Reason.LAST_KNOWN
    assert steps[-1].recovering.tolist() == steps[-1].lost.tolist() == [0]


def test_a_crash_is_a_stop_where_there_are_no_eligible_replicas() -> None:
    """The ZooKeeper era does not tell them apart: the last in sync leads, whatever it has lost."""
    for kind in (STOP, MoveKind.CRASH):
        steps = walk(layout({("orders", 0): [1, 2]}), [Move(kind, (1, 2)), Move(RETURN, (2,))]).steps

        assert leaders(steps) == [-1, 2]


def test_min_isr_counts_as_at_most_the_replicas_on_kraft_alone() -> None:
    """One replica, min ISR 2: the ZooKeeper era refuses acks=all from the start, KRaft asks for one."""
    refused = {
        mode: len(walk(layout({("orders", 0): [1]}, 2), [Move(PREFERRED)], mode=mode).steps[0].below_min_isr)
        for mode in ("zookeeper", "kraft")
    }

    assert refused == {"zookeeper": 1, "kraft": 0}


def test_an_isr_that_is_not_told_is_followed_once_it_is_assumed() -> None:
    """All are taken to be in sync at the start; from then on 3, back first, is not, and every step says "assumed"."""
    start = ClusterLayout.from_assignments({("orders", 0): [3, 5]}, leaders={("orders", 0): 3})
    steps = walk(start, [Move(STOP, (3,)), Move(STOP, (5,)), Move(RETURN, (3,)), Move(RETURN, (5,))]).steps

    assert leaders(steps) == [5, -1, -1, 5]
    assert all(step.election.assumed[0] for step in steps)


def test_an_isr_that_is_told_is_where_a_story_begins_whoever_of_it_is_dead() -> None:
    """2 is dead and told to be in sync: an election takes nobody out of the ISR."""
    start = layout({("orders", 0): [1, 2]}).with_brokers([Broker(2, state=BrokerState.DEAD)])
    (step,) = walk(start, [Move(PREFERRED)]).steps

    assert members(step, "in_sync") == [1, 2]


def test_an_unclean_election_on_request_brings_back_what_waits() -> None:
    """2 is alive and out of sync; asked for, it leads, and what 1 alone had is lost."""
    story = [Move(STOP, (2,)), Move(STOP, (1,)), Move(RETURN, (2,)), Move(MoveKind.UNCLEAN), Move(RETURN, (1,))]
    steps = walk(layout({("orders", 0): [1, 2]}), story).steps

    assert leaders(steps) == [1, -1, -1, 2, 2]
    assert [len(step.lost) for step in steps] == [0, 0, 0, 1, 0]
    assert members(steps[-1], "in_sync") == [1, 2]


@given(
    picks=st.lists(
        st.tuples(st.sampled_from(list(MoveKind)), st.sets(st.sampled_from([1, 2, 3, 4]), min_size=1)), max_size=7
    ),
    least=st.integers(1, 4),
)
@settings(max_examples=cases(150))
def test_isr_elr_and_leader_hold_together(picks: list[tuple[MoveKind, set[int]]], least: int) -> None:
    """KRaft with ELR: the leader is alive and in the ISR; a full ISR has no ELR; nobody is in both; none leads last."""
    start = kraft([1, 2, 3], least)
    start = start.with_brokers([*start.brokers, Broker(4, state=BrokerState.ALIVE)])
    elections = (PREFERRED, MoveKind.UNCLEAN)
    moves = [Move(kind, () if kind in elections else tuple(sorted(brokers))) for kind, brokers in picks]
    for step in walk(start, moves, mode="kraft").steps:
        in_sync, eligible = set(members(step, "in_sync")), set(members(step, "eligible"))
        leader = int(step.layout.leader_ids[0])
        dead = {broker.id for broker in step.layout.brokers if broker.state is BrokerState.DEAD}

        assert not in_sync & eligible
        assert not in_sync & dead
        assert not (eligible and len(in_sync) >= min(least, 3))
        assert (leader in in_sync) if leader >= 0 else not in_sync
        assert len(members(step, "last_known_eligible")) == (leader < 0)
        assert leader >= 0 or eligible <= dead
