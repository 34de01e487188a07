"""Adding brokers: the least spread, then the fewest moves, then the most even load; and what is refused."""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reseat.errors import WishRefused
from reseat.model import Broker, BrokerState, ClusterLayout, Options, Plan, Wish
from reseat.planning.kinds.add import add_brokers
from reseat.planning.kinds.curve import whole_curve
from reseat.planning.solve import solver
from tests.cases import cases
from tests.planning.brute_force import (
    addition_options,
    addition_outcomes,
    best_leaders,
    rack_names,
    rack_squares,
    random_layout,
    targets_with,
)


def layout_of(lists: list[list[int]], racks: dict[int, str | None] | None = None) -> ClusterLayout:
    """One topic with these replica lists."""
    brokers = [] if racks is None else [Broker(i, rack=rack) for i, rack in racks.items()]
    return ClusterLayout.from_assignments({("t", i): members for i, members in enumerate(lists)}, brokers=brokers)


def loads(plan: Plan) -> dict[int, int]:
    """Replicas of each broker in the proposed layout."""
    counts = Counter(b for members in plan.proposed.assignments().values() for b in members)
    return {int(i): counts[int(i)] for i in plan.proposed.broker_ids}


def value(plan: Plan) -> tuple[int, int, int]:
    """Spread, moves and sum of squares, counted with loops."""
    counted = targets_with(plan.current, [broker for broker, _ in plan.wish.add])
    held = [count for broker, count in loads(plan).items() if broker in counted]
    before, after = plan.current.assignments(), plan.proposed.assignments()
    moves = sum(len(set(after[key]) - set(before[key])) for key in before)
    return max(held) - min(held), moves, sum(count * count for count in held)


# ---- by hand ---------------------------------------------------------------------------------------------------


def test_the_documented_topic_moves_two_of_five_partitions() -> None:
    """tp_re_01: five partitions of one replica on broker 0; when broker 1 joins, two of them move."""
    layout = ClusterLayout.from_assignments({("tp_re_01", i): [0] for i in range(5)})

    plan = add_brokers(layout, [Broker(1)])

    assert loads(plan) == {0: 3, 1: 2}
    assert plan.certificate.moves == plan.certificate.least_moves == 2
    assert plan.certificate.moves_proven
    assert plan.certificate.replica_balance_proven
    assert plan.certificate.replica_sum_of_squares == 13
    assert plan.certificate.sentences[0].endswith("(racks unknown).")


def test_moves_stay_in_the_rack_where_every_rack_holds_one() -> None:
    """Partitions with a replica in each rack give the new broker replicas of its own rack only."""
    layout = layout_of([[1, 2]] * 4, {1: "a", 2: "b"})

    plan = add_brokers(layout, [Broker(3, rack="a")])

    assert loads(plan) == {1: 2, 2: 4, 3: 2}
    assert plan.certificate.rack_violations_after == 0
    assert plan.certificate.moves_proven


def test_the_fewest_moves_among_plans_of_least_spread() -> None:
    """Broker 2 must keep ten and broker 4 its two, so that two moves reach the least spread; more would not help it."""
    layout = layout_of([[1, 2]] * 8 + [[4, 2]] * 2, {1: "a", 2: "b", 4: "a"})

    plan = add_brokers(layout, [Broker(3, rack="a")])

    assert value(plan) == (8, 2, 6 * 6 + 10 * 10 + 2 * 2 + 2 * 2)
    assert plan.certificate.moves_proven


def test_a_partition_that_loses_racks_gains_them_when_a_rack_joins() -> None:
    """Two replicas in one rack: either may go to the new rack, and then the partition sits on two."""
    layout = layout_of([[1, 2]], {1: "a", 2: "a"})

    plan = add_brokers(layout, [Broker(3, rack="b")])

    assert value(plan)[:2] == (1, 0)
    assert plan.certificate.moves == 0


def test_a_broker_without_a_rack_is_a_rack_of_its_own() -> None:
    """It may take one replica of each partition that has none there, from any rack."""
    layout = layout_of([[1, 2]] * 3, {1: "a", 2: "b"})

    plan = add_brokers(layout, [Broker(3)])

    assert loads(plan) == {1: 2, 2: 2, 3: 2}


def test_replicas_on_dead_brokers_stay() -> None:
    """Adding evens the load of brokers not known to be dead; a dead one gives nothing and does not count."""
    layout = ClusterLayout.from_assignments(
        {("t", i): [1, 2] for i in range(4)}, brokers=[Broker(1, state=BrokerState.DEAD), Broker(2)]
    )

    plan = add_brokers(layout, [Broker(3)])

    assert loads(plan) == {1: 4, 2: 2, 3: 2}


def test_a_broker_that_is_there_already_is_filled_up() -> None:
    """An empty broker of the layout, and one that holds something, receive like new ones; what is known stays."""
    layout = layout_of([[1]] * 6 + [[2]], {1: None, 2: None, 3: None})
    known = layout.with_brokers([Broker(2, host="two", port=9092)])

    plan = add_brokers(known, [Broker(2), Broker(3)])

    assert loads(plan) == {1: 3, 2: 2, 3: 2}
    assert plan.proposed.brokers[1].host == "two"


def test_what_is_claimed_of_brokers_that_are_there_already_leaves_moves_between_them_out() -> None:
    """Both are added, so that nothing comes from another one: a move from 1 to 2 would help, and is not denied."""
    plan = add_brokers(layout_of([[1], [1]]), [Broker(1), Broker(2)])

    assert plan.certificate.moves == 0
    assert plan.certificate.sentences[:2] == (
        "No replica moves: no move onto the added brokers improves the balance.",
        "Max–min replica count per broker: 2. Proven minimal for moves onto the added brokers alone (racks unknown).",
    )


def test_replication_is_kept_and_nobody_is_named_twice() -> None:
    """With two partitions only, both replicas of each must move to different new brokers."""
    layout = layout_of([[1, 2], [1, 2]])

    plan = add_brokers(layout, [Broker(3), Broker(4)])

    assert loads(plan) == {1: 1, 2: 1, 3: 1, 4: 1}
    assert all(len(set(members)) == 2 for members in plan.proposed.assignments().values())


def test_leaders_are_evened_by_order_alone() -> None:
    """Broker 1 leads all; among the changed lists the new broker takes its share."""
    layout = layout_of([[1, 2], [1, 2], [1, 2], [1, 2]])

    plan = add_brokers(layout, [Broker(3)])
    first = Counter(members[0] for members in plan.proposed.assignments().values())

    assert max(first.values()) == 2
    assert plan.certificate.leader_balance_proven


def test_what_is_not_known_of_newcomers_is_not_claimed() -> None:
    """The ISR of a changed partition is no longer told, its leader only where it stays; others keep theirs."""
    layout = ClusterLayout.from_assignments(
        {("t", 0): [1], ("t", 1): [1]},
        leaders={("t", 0): 1, ("t", 1): 1},
        in_sync={("t", 0): [1], ("t", 1): [1]},
    )

    plan = add_brokers(layout, [Broker(2)])
    moved = np.flatnonzero(plan.changed)

    assert moved.size == 1
    assert plan.proposed.leader_ids[moved].tolist() == [-2]
    assert not plan.proposed.in_sync_known[moved].any()
    assert plan.proposed.in_sync_known.sum() == 1


def test_nothing_to_do_is_said() -> None:
    """A broker that no replica may go to leaves the plan empty."""
    layout = layout_of([[1], [2]])

    plan = add_brokers(layout, [Broker(3)])

    assert plan.certificate.moves == 0
    assert "No replica moves" in plan.certificate.sentences[0]
    assert plan.proposed == plan.current


# ---- fewer moves -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("allowed", "expected"), [(0, 25), (1, 17), (2, 13), (9, 13)])
def test_fewer_moves_are_the_most_even_of_so_many(allowed: int, expected: int) -> None:
    """Five replicas on one broker: 25, then 16 + 1, then 9 + 4, and no more moves than the least spread needs."""
    layout = layout_of([[0]] * 5)

    plan = add_brokers(layout, [Broker(1)], options=Options(max_moves=allowed))

    assert plan.certificate.moves <= min(allowed, 2)
    assert plan.certificate.replica_sum_of_squares == expected
    assert plan.certificate.replica_balance_proven


@pytest.mark.parametrize(("cap", "most"), [(None, 32), (3, 6), (1, 2)])
def test_the_curve_falls_to_the_plan(cap: int | None, most: int) -> None:
    """Points ascend in moves, get more even, and are what ``max_moves`` gives; none is beyond what may be received."""
    layout = layout_of([[1, 2, 3], [3, 1, 2], [1, 4, 2], [1, 2, 4]] * 6)
    added, options = [Broker(5), Broker(6)], Options(receive_cap=cap)

    found = whole_curve(layout, Wish(add=((5, None), (6, None)), options=options))
    curve, left_out = found.points, found.sentences
    plans = [add_brokers(layout, added, options=replace(options, max_moves=point.moves)) for point in curve]

    assert not left_out
    assert 2 <= len(curve) <= 4
    assert curve[-1].moves <= most
    assert [p.moves for p in curve] == sorted({p.moves for p in curve})
    assert all(a.replica_sum_of_squares > b.replica_sum_of_squares for a, b in itertools.pairwise(curve))
    assert [value(plan) for plan in plans] == [(p.replica_spread, p.moves, p.replica_sum_of_squares) for p in curve]
    assert curve[-1].moves == add_brokers(layout, added, options=options).certificate.moves


def test_a_cap_bounds_what_a_broker_receives() -> None:
    """With at most one replica a broker, two new brokers take one each."""
    layout = layout_of([[1]] * 9)

    plan = add_brokers(layout, [Broker(2), Broker(3)], options=Options(receive_cap=1))

    assert loads(plan) == {1: 7, 2: 1, 3: 1}


# ---- refused ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("added", "words"),
    [
        ([], "No broker is given"),
        ([Broker(7), Broker(7)], "Broker 7 is added twice"),
        ([Broker(7, state=BrokerState.DEAD)], "Broker 7 is known to be dead"),
        ([Broker(-1)], "below 0"),
    ],
)
def test_wishes_that_cannot_be_are_refused(added: list[Broker], words: str) -> None:
    """Each with a sentence and a choice."""
    with pytest.raises(WishRefused, match=words) as refused:
        add_brokers(layout_of([[1]]), added)

    assert refused.value.choices


def test_an_order_that_is_not_told_is_refused() -> None:
    """Without it nobody knows the preferred leaders."""
    layout = ClusterLayout.from_assignments({("t", 0): [1, 2]}, order_told=False)

    with pytest.raises(WishRefused) as refused:
        add_brokers(layout, [Broker(3)])

    assert refused.value.topics == ("t",)


def test_a_reassignment_under_way_is_planned_over_its_target() -> None:
    """Replicas that are leaving do not count, and the plan says so."""
    busy = replace(
        layout_of([[1, 2], [1, 3], [1, 3]]), removing=np.array([[False, True], [False, False], [False, False]])
    )

    plan = add_brokers(busy, [Broker(4)])

    assert plan.findings[0].kind == "planned_over_target"
    assert sum(loads(plan).values()) == 5


# ---- against everything that could be done ---------------------------------------------------------------------


def random_case(seed: int) -> tuple[ClusterLayout, list[Broker]]:
    """A small layout of any kind and one to three brokers to add, now and then one that it has already."""
    rng = np.random.default_rng(seed)
    brokers = int(rng.integers(2, 5))
    layout = random_layout(rng, brokers=brokers, partitions=int(rng.integers(1, 6)), deepest=min(3, brokers))
    racks = [None, *layout.racks, "new"] if layout.racks else [None]
    free = [i for i in range(30) if layout.position(i) is None]
    ids = rng.choice(free, int(rng.integers(1, 4)), replace=False)
    added = [Broker(int(i), rack=racks[int(rng.integers(len(racks)))]) for i in ids]
    live = [b for b in layout.brokers if b.state is not BrokerState.DEAD]
    if live and rng.random() < 0.2:
        added[0] = live[int(rng.integers(len(live)))]
    return layout, added


def check_case(layout: ClusterLayout, added: list[Broker], allowed: int | None) -> None:
    """Plan it, and compare with every choice there is."""
    plan = add_brokers(layout, added, options=Options(max_moves=allowed))
    before, after = plan.current.assignments(), plan.proposed.assignments()
    ids = [b.id for b in added]
    racks = rack_names(plan.current)
    outcomes = addition_outcomes(plan.current, ids, addition_options(plan.current, ids))
    best = min(map(tuple, outcomes.tolist()))
    least = min(o[2] for o in outcomes.tolist() if allowed is None or o[1] <= allowed)
    changed = [key for key in before if set(before[key]) != set(after[key])]
    leaders = best_leaders(plan.current, after, changed, ())

    assert not plan.certificate.faults
    for key, members in after.items():
        assert len(set(members)) == len(members) == len(before[key])
        assert set(members) - set(before[key]) <= set(ids)
        assert rack_squares(members, racks) <= rack_squares(before[key], racks)
        assert key in changed or members == before[key]
    if allowed is None or best[1] <= allowed:
        assert value(plan) == best
    else:
        assert value(plan)[1] <= allowed
        assert value(plan)[2] == least
    if plan.certificate.least_replica_sum_of_squares is not None:
        assert plan.certificate.least_replica_sum_of_squares == value(plan)[2]
    assert plan.certificate.leader_sum_of_squares == leaders[0]
    assert plan.certificate.changed_preferred_leaders == leaders[1]


@settings(max_examples=cases(150), deadline=None)
@given(seed=st.integers(0, 2**32 - 1), allowed=st.sampled_from([None, None, 0, 1, 2, 3]))
def test_no_choice_of_a_small_layout_is_better(seed: int, allowed: int | None) -> None:
    """Racks equal, unequal, partly unknown, none; mixed RF, gaps, dead brokers: as good as the best of all choices."""
    layout, added = random_case(seed)
    before = layout.digest

    check_case(layout, added, allowed)

    assert layout.digest == before


def test_many_partitions_are_settled_by_relaxing_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """A middling layout meets its bound without a network partition by partition, and the checker agrees."""
    rng = np.random.default_rng(5)
    racks = np.argsort(rng.random((4000, 4)), axis=1)[:, :3]
    lists = racks * 5 + rng.choice(5, (4000, 3), p=[0.3, 0.25, 0.2, 0.15, 0.1])
    layout = ClusterLayout.from_columns(
        topics=["a", "b"],
        topic_of=np.repeat([0, 1], 2000),
        partition=np.tile(np.arange(2000), 2),
        replicas=lists,
        brokers=[Broker(i, rack=f"r{i // 5}") for i in range(20)],
    )
    monkeypatch.setattr(solver, "MOST_OWN_ARCS", 0)

    plan = add_brokers(layout, [Broker(20 + i, rack=f"r{i}") for i in range(3)])

    assert plan.certificate.moves_proven
    assert plan.certificate.replica_balance_proven
    assert plan.certificate.rack_violations_after == plan.certificate.rack_violations_before


def test_the_same_input_gives_the_same_plan() -> None:
    """Ties are broken the same way each time."""
    layout, added = random_case(7)

    assert add_brokers(layout, added).proposed == add_brokers(layout, list(reversed(added))).proposed


def test_moves_spread_over_topics() -> None:
    """Ten topics of equal size give about the same share to a new broker."""
    layout = ClusterLayout.from_assignments(
        {(f"topic-{t}", i): [(i + t) % 4, (i + t + 1) % 4] for t in range(10) for i in range(100)}
    )

    plan = add_brokers(layout, [Broker(4)])
    share = Counter(topic for (topic, _), members in plan.proposed.assignments().items() if 4 in members)

    assert plan.certificate.moves == 400
    assert min(share.values()) >= 25
    assert max(share.values()) <= 55


def solved_otherwise(layout: ClusterLayout, added: list[int]) -> tuple[int, int, int]:
    """Spread, moves and sum of squares by a constraint solver: one yes-or-no a replica and a new broker."""
    from ortools.sat.python import cp_model

    racks, lists = rack_names(layout), list(layout.assignments().values())
    model = cp_model.CpModel()
    brokers = [int(i) for i in layout.broker_ids]
    kept = {(p, b): model.new_bool_var("") for p, members in enumerate(lists) for b in members}
    come = {(p, b): model.new_bool_var("") for p, members in enumerate(lists) for b in added if b not in members}
    for p, members in enumerate(lists):
        mine = {b: kept[p, b] for b in members} | {b: come[p, b] for b in added if (p, b) in come}
        model.add(sum(mine.values()) == len(members))
        model.add_bool_and([kept[p, b] for b in members if b in added])
        if racks is None:
            continue
        squares = []
        for rack in sorted(set(racks.values())):
            square = model.new_int_var(0, 99, "")
            inside = [held for b, held in mine.items() if racks[b] == rack]
            model.add_multiplication_equality(square, [sum(inside), sum(inside)]) if inside else model.add(square == 0)
            squares.append(square)
        model.add(sum(squares) <= rack_squares(members, racks))
    load = {b: sum(held for (_, at), held in (*kept.items(), *come.items()) if at == b) for b in brokers}
    high, low = model.new_int_var(0, 999, ""), model.new_int_var(0, 999, "")
    for held in load.values():
        model.add(held <= high)
        model.add(held >= low)
    squares = []
    for held in load.values():
        square, count = model.new_int_var(0, 99_999, ""), model.new_int_var(0, 999, "")
        model.add(count == held)
        model.add_multiplication_equality(square, [count, count])
        squares.append(square)
    best = []
    for aim in (high - low, sum(come.values()), sum(squares)):
        solver = cp_model.CpSolver()
        solver.parameters.num_workers = 1
        model.minimize(aim)
        assert solver.solve(model) == cp_model.OPTIMAL
        best.append(round(solver.objective_value))
        model.add(aim == best[-1])
    return best[0], best[1], best[2]


@pytest.mark.parametrize("seed", range(6))
def test_another_solver_finds_nothing_better_on_middling_layouts(seed: int) -> None:
    """Twenty partitions on six brokers, three join: a constraint solver with no flow in it agrees."""
    rng = np.random.default_rng(seed)
    layout = random_layout(rng, brokers=6, partitions=20, dead=False)
    racks = [None, *layout.racks]
    added = [Broker(100 + i, rack=racks[int(rng.integers(len(racks)))]) for i in range(3)]

    plan = add_brokers(layout, added)

    assert value(plan) == solved_otherwise(plan.current, [100, 101, 102])


def test_what_a_cap_costs_is_told() -> None:
    """Nine replicas on broker 1, broker 2 joins and may take two: 7 and 2 instead of 5 and 4."""
    plan = add_brokers(layout_of([[1]] * 9), [Broker(2)], options=Options(receive_cap=2))

    assert plan.certificate.sentences[-1] == (
        "No broker receives more than 2 replicas; without this cap the replica spread would be 1 "
        "instead of 5 (the cap adds 12 to the sum of squares)."
    )
