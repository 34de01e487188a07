"""What to do about a layout: what an answer claims is so, what helps most for its cost comes first."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from reseat.balance import findings
from reseat.balance.mends import KINDS
from reseat.election import layout_after, preferred
from reseat.model import NOT_TOLD, Broker, BrokerState, ClusterLayout, LogDirectory
from reseat.planning import plan
from reseat.planning.advice import Advice, Answer, advice
from reseat.sources import read_files
from tests.cases import case_numbers
from tests.planning.brute_force import random_layout

SAMPLES = Path(__file__).parents[2] / "samples"


def sample(name: str) -> ClusterLayout:
    """A bundled layout."""
    return read_files([(name, (SAMPLES / name).read_bytes())]).layout


def then(layout: ClusterLayout, answer: Answer) -> ClusterLayout:
    """The layout once an answer is carried out and preferred leaders are elected."""
    after = layout if answer.wish is None else layout_after(plan(layout, answer.wish))
    ids = preferred(after).leader_after
    at = {int(broker): place for place, broker in enumerate(after.broker_ids)}
    return replace(after, leader=np.array([at.get(int(i), int(i)) for i in ids], np.int32))


def claims_hold(layout: ClusterLayout, told: Advice) -> None:
    """What is called fixed is found no more, what is called reduced still is, and the numbers are the plan's."""
    kinds = {one.name: kind for kind, one in KINDS.items()}
    for answer in told.answers:
        if answer.kind == "wait":
            continue
        left = {finding.kind for finding in findings(then(layout, answer))}
        assert not {kinds[name] for name in answer.fixed} & left, answer
        assert {kinds[name] for name in answer.reduced} <= left, answer
        assert answer.fixed or answer.reduced
        assert answer.worth > 0
        if answer.wish is not None:
            made = plan(layout, answer.wish).certificate
            assert (answer.moves, made.faults) == (made.moves, ())


@pytest.mark.parametrize(
    "name",
    ["zookeeper-2.8-three-racks.txt", "kraft-4.1-broker-down.txt", "kraft-4.1-reassignment-under-way.txt"],
)
def test_the_claims_of_samples_hold(name: str) -> None:
    """Recomputed answer by answer."""
    layout = sample(name)
    told = advice(layout)

    assert told.answers
    claims_hold(layout, told)


@pytest.mark.parametrize("seed", case_numbers(40))
def test_the_claims_of_any_layout_hold(seed: int) -> None:
    """Whatever is there; and answers are in the order of their worth."""
    rng = np.random.default_rng(seed)
    layout = random_layout(rng, brokers=int(rng.integers(3, 7)), partitions=int(rng.integers(4, 20)))
    told = advice(layout)
    claims_hold(layout, told)
    worth = [answer.worth for answer in told.answers if answer.kind != "wait"]

    assert worth == sorted(worth, reverse=True)


def test_what_is_balanced_needs_nothing() -> None:
    """No answer is the answer; where nobody told whether partitions are well, that is said instead."""
    lists = {("t", row): [row % 3, (row + 1) % 3] for row in range(3)}
    leaders = {key: row[0] for key, row in lists.items()}
    told = ClusterLayout.from_assignments(lists, leaders=leaders, in_sync=lists)
    half = advice(ClusterLayout.from_assignments(lists, leaders=leaders))

    assert advice(told) == Advice(first=(), answers=())
    assert advice(told).nothing.startswith("Nothing to do: ")
    assert half.nothing == (
        "Unknown whether partitions are under-replicated: leaders or in-sync replicas are unknown. Nothing to do in "
        "what is known."
    )


def test_the_restarted_broker_gets_its_leaders_first() -> None:
    """Without data first; the whole rebalance and the one that ends the warning come with their moves."""
    told = advice(sample("zookeeper-2.8-three-racks.txt"))
    kinds = [answer.kind for answer in told.answers]
    few, whole = (next(a for a in told.answers if a.kind == kind) for kind in ("rebalance_few", "rebalance"))

    assert kinds[:2] == ["election", "leaders"]
    assert told.answers[0].cost() == "42 elections, no data moves"
    assert told.answers[0].fixed == ("Non-preferred leaders",)
    assert told.answers[0].changes == ("Leader spread 64 → 35",)
    assert (few.moves, few.reduced) == (155, ("Replicas not balanced",))
    assert (whole.moves, whole.changes) == (182, ("Replica spread 206 → 1", "Leader spread 64 → 1"))
    assert whole.bytes is not None
    assert whole.cost(1_000_000).endswith("2.5 MB to copy, at least 2 s at 1.0 MB/s")
    assert few.wish is not None
    assert few.wish.point == 155


def test_where_no_leader_is_told_preferred_leaders_are_compared() -> None:
    """A text of lists alone: nobody leads anything that is known, which is not an even spread of 0."""
    known = sample("zookeeper-2.8-three-racks.txt")
    told = advice(replace(known, leader=np.full_like(known.leader, NOT_TOLD)))
    whole = next(answer for answer in told.answers if answer.kind == "rebalance")

    assert whole.changes == ("Replica spread 206 → 1", "Preferred leader spread 35 → 1")


def test_no_plan_brings_a_broker_back() -> None:
    """Replicas that are behind are not credited to plans that leave them there; what to do first is said."""
    told = advice(sample("kraft-4.1-broker-down.txt"))
    behind = {KINDS[kind].name for kind in ("offline", "below_min_isr", "under_replicated", "broker_out_of_every_isr")}
    by_kind = {answer.kind: answer for answer in told.answers}

    assert [name for name, _ in told.first] == ["No leader", "Below min ISR", "Under-replicated", "Broker out of sync"]
    assert by_kind["drain"].wish is not None
    assert by_kind["drain"].wish.remove == (5,)
    assert {"Under-replicated", "Broker out of sync"} <= {*by_kind["drain"].fixed, *by_kind["drain"].reduced}
    for kind, answer in by_kind.items():
        assert kind == "drain" or not behind & {*answer.fixed, *answer.reduced}


def test_a_dead_broker_is_drained_if_it_does_not_come_back() -> None:
    """Named, with its replicas on the others."""
    brokers = [Broker(b) for b in range(3)] + [Broker(3, state=BrokerState.DEAD)]
    layout = ClusterLayout.from_assignments({("t", 0): [0, 3], ("t", 1): [1, 2]}, brokers=brokers)
    told = next(answer for answer in advice(layout).answers if answer.kind == "drain")

    assert told.title == "Drain broker 3, if it does not come back"
    assert told.moves == 1


def test_what_is_in_progress_comes_first() -> None:
    """Every plan starts from what it leads to."""
    first = advice(sample("kraft-4.1-reassignment-under-way.txt")).answers[0]

    assert (first.kind, first.title) == ("wait", "Let the reassignment of 4 partitions finish")
    assert first.wish is None


def test_partitions_that_name_a_broker_twice_are_mended() -> None:
    """Nothing else can be planned until then; a mend is, and takes a mixed factor with it."""
    lists = {("t", 0): [1, 1], ("t", 1): [2, 3], ("t", 2): [3, 1], ("u", 0): [1, 2, 3], ("u", 1): [2, 3]}
    layout = ClusterLayout.from_assignments(lists, brokers=[Broker(4)])
    told = advice(layout)
    (answer,) = told.answers

    assert (answer.kind, answer.moves, told.first) == ("mend", 2, ())
    assert {"Broker listed twice", "Mixed replication factor"} <= {*answer.fixed}
    assert told.refused[0].startswith("Partition t-0 names broker 1 twice")
    claims_hold(layout, told)


def test_uneven_bytes_are_rebalanced_by_size() -> None:
    """Where sizes are told, counts being even already."""
    lists = {("t", row): [1 + row % 4] for row in range(16)}
    layout = ClusterLayout.from_assignments(lists)
    told = advice(replace(layout, size_bytes=np.array([9e9, 1e9, 1e9, 1e9] * 4)))

    assert advice(layout).answers == ()
    assert [(answer.kind, answer.fixed) for answer in told.answers] == [("rebalance_bytes", ("Sizes not balanced",))]


def test_what_disks_have_no_room_for_comes_last() -> None:
    """Nothing that the guard would refuse stands before what can be done; without directories nothing is known."""
    large = {("t", row): [1, 2] for row in range(8)}
    mixed = {("u", row): [row % 3 + 1, (row + 1) % 3 + 1][: 1 + (row < 24)] for row in range(45)}
    told = ClusterLayout.from_assignments(
        large | mixed,
        brokers=[Broker(number) for number in (1, 2, 3)],
        leaders={place: ids[0] for place, ids in (large | mixed).items()},
        size_bytes=dict.fromkeys(large, 4e9) | dict.fromkeys(mixed, 1e3),
    )
    roomy = tuple(LogDirectory(broker, "/a", 10**12, 10**11) for broker in (1, 2, 3))
    full = (*roomy[:2], LogDirectory(3, "/a", 10**12, 10**9))
    before, fits, late = (advice(told, directories=room).answers for room in ((), roomy, full))

    assert fits == before
    assert [one.kind for one in fits] == ["leaders", "rebalance", "rebalance_bytes", "mend", "factor"]
    assert [one.kind for one in late] == ["leaders", "rebalance", "mend", "factor", "rebalance_bytes"]
    assert [one.no_room for one in (*fits, *late[:-1])] == [""] * 9
    assert "broker 3 has 1.0 GB left and would get 20.0 GB" in late[-1].no_room


def test_topics_of_one_factor_are_one_answer() -> None:
    """Mixed factors become what most partitions of the topic have."""
    lists = {("a", 0): [0, 1, 2], ("a", 1): [1, 2, 3], ("a", 2): [2, 3], ("b", 0): [3, 0, 1]}
    told = [a for a in advice(ClusterLayout.from_assignments(lists)).answers if a.kind == "factor"]

    assert [(a.title, a.moves) for a in told] == [("Set replication factor 3 for a", 1)]


def test_fewer_replicas_than_must_be_in_sync_are_no_matter_of_restarts() -> None:
    """All are in sync: a higher factor mends it, with one to spare where there are brokers for that."""
    for brokers, factor in ((2, 2), (3, 3)):
        lists = {("t", row): [row % brokers] for row in range(6)}
        layout = ClusterLayout.from_assignments(lists, brokers=[Broker(at) for at in range(brokers)])
        layout = replace(layout, in_sync=layout.replicas >= 0, min_in_sync=np.array([2], np.int32))
        told = advice(layout)
        claims_hold(layout, told)

        assert told.first == ()
        assert [(a.title, "Below min ISR" in a.fixed) for a in told.answers] == [
            (f"Set replication factor {factor} for t", True)
        ]


def test_what_cannot_be_planned_is_no_answer() -> None:
    """Without the order of lists no plan is made, and nothing is claimed."""
    layout = ClusterLayout.from_assignments({("t", row): [0, 1] for row in range(9)}, brokers=[Broker(2), Broker(3)])
    assert {answer.kind for answer in advice(layout).answers} >= {"rebalance"}

    unknown = replace(layout, order_told=np.zeros(1, np.bool_))

    told = advice(unknown)
    assert told.answers == ()
    assert len(told.refused) == 1
    assert told.nothing.startswith("No plan can be made: The source does not keep the order of replica lists")
