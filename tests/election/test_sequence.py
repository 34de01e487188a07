"""Stops and returns one after the other: who leads at each step, and why the order matters."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reseat.election import Move, MoveKind, against_majority, walk
from reseat.errors import WishRefused
from reseat.model import Broker, BrokerState, ClusterLayout

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
        "Broker 3 stops: 1 leader changes. Everything is led and takes writes.",
        "Broker 5 stops: 1 leader changes. 1 partition is offline.",
        "Broker 3 returns: 0 leaders change. 1 partition is offline.",
        "Broker 5 returns: 1 leader changes. Everything is led and takes writes.",
        "A preferred election is held: 1 leader changes. Everything is led and takes writes.",
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


def test_unclean_leads_at_once_and_names_what_is_lost() -> None:
    """2 is back before 1, which alone was in sync: with unclean election it leads, and the step counts the loss."""
    story = [Move(STOP, (2,)), Move(STOP, (1,)), Move(RETURN, (2,))]
    clean = walk(layout({("orders", 0): [1, 2]}), story).steps
    unclean = walk(layout({("orders", 0): [1, 2]}), story, unclean=True).steps

    assert leaders(clean) == [1, -1, -1]
    assert leaders(unclean) == [1, -1, 2]
    assert [len(step.lost) for step in unclean] == [0, 0, 1]
    assert unclean[-1].sentence == (
        "Broker 2 returns: 1 leader changes. 1 partition loses what was not copied. Everything is led and takes writes."
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

    assert (told.led, told.would_decide, told.only_here, told.only_there) == (2, 1, 1, 0)
    assert (told.replicas, told.replicas_needed) == (6, 10)
    assert told.sentences == (
        "With brokers 1 and 2 stopped, 1 partition is led that a majority of the same replicas could not decide for.",
        "To survive as many failures as here (f with f + 1 replicas) a majority system needs 2 f + 1: 10 replicas "
        "instead of 6.",
    )
