"""The curve between least moves and perfect balance."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reseat.demo.generate import generate
from reseat.errors import WishRefused
from reseat.model import Broker, ClusterLayout, CurvePoint, Options, Wish
from reseat.model.rules import Capacity
from reseat.planning import plan, plan_at, whole_curve
from tests.cases import cases
from tests.planning.brute_force import curve_options, curve_outcomes, random_layout

#: Loads 6, 2, 1 once broker 9, with one replica, has left.
SKEWED = ClusterLayout.from_assignments(
    {("a", i): [1] for i in range(6)} | {("b", 0): [2], ("b", 1): [2], ("c", 0): [3], ("d", 0): [9]}
)
#: Of broker 1, in bytes: sizes of partitions are no matter, as no curve knows of it.


def test_the_documented_example() -> None:
    """Loads 6, 2, 1 and one displaced replica: 6, 2, 2, then 5, 3, 2, then 4, 3, 3."""
    assert whole_curve(SKEWED, Wish(remove=(9,))).points == (
        CurvePoint(moves=1, replica_sum_of_squares=44, replica_spread=4, fullest=6),
        CurvePoint(moves=2, replica_sum_of_squares=38, replica_spread=3, fullest=5),
        CurvePoint(moves=3, replica_sum_of_squares=34, replica_spread=1, fullest=4),
    )


def test_a_point_can_be_taken() -> None:
    """Its plan makes as many moves and reaches what the point says."""
    made = plan_at(SKEWED, Wish(remove=(9,)), 3)

    assert len(made.moves) == made.certificate.moves == 3
    assert made.certificate.replica_spread == 1
    assert made.certificate.valid
    assert not made.certificate.moves_proven
    assert made.certificate.least_moves == 1
    assert made.certificate.sentences[-1].split(". ")[0].endswith("with 2 moves more than the minimum")


def test_the_first_point_is_the_minimal_plan() -> None:
    """With no move to spare its certificate is the proven one."""
    made = plan_at(SKEWED, Wish(remove=(9,)), 1)

    assert made.certificate.moves_proven
    assert made.certificate.replica_balance_proven


@pytest.mark.parametrize("point", [None, 1, 2])
def test_what_the_rules_mean_is_said_once(point: int | None) -> None:
    """Also of the first point, which is the minimal plan, and has its words already."""
    sentences = plan(SKEWED, Wish(remove=(9,), options=Options(never_onto=(3,)), point=point)).certificate.sentences

    assert len(sentences) == len(set(sentences))
    assert "Broker 3 receives nothing and is not counted in the replica balance." in sentences


def test_a_broker_that_joins_and_receives_nothing_is_refused_at_a_point_too() -> None:
    """Before anything is reckoned."""
    with pytest.raises(WishRefused, match="Broker 4 is to be added and to receive nothing"):
        plan(SKEWED, Wish(remove=(9,), add=((4, None),), options=Options(never_onto=(4,)), point=2))


def test_fewer_moves_than_needed_are_refused() -> None:
    """One replica must move."""
    with pytest.raises(WishRefused, match="0 moves are too few: the change alone needs 1"):
        plan_at(SKEWED, Wish(remove=(9,)), 0)


def test_more_moves_than_help_are_not_made() -> None:
    """Nothing is evener than 4, 3, 3, so that the seven moves asked for are not all made; and that is said."""
    certificate = plan_at(SKEWED, Wish(remove=(9,)), 7).certificate
    joined = plan_at(SKEWED, Wish(add=((4, None),)), 9).certificate

    assert certificate.moves == 3
    assert certificate.sentences[-1] == (
        "7 moves were requested; the plan makes 3: none was found that balances better with as many."
    )
    assert joined.sentences[-1].startswith(f"9 moves were requested; the plan makes {joined.moves}: ")


def test_more_moves_than_help_give_the_last_point_where_racks_are_uneven() -> None:
    """Replicas share rack a in two partitions: asked for a move too many, the last point of the curve is the answer."""
    racks = {4: "a", 6: "b", 8: "a", 9: "b", 14: "a"}
    lists = {("t", i): ids for i, ids in enumerate([[9, 14, 8], [14, 8], [8], [8]])}
    layout = ClusterLayout.from_assignments(lists, brokers=[Broker(i, rack=rack) for i, rack in racks.items()])
    wish = Wish(remove=(6,))

    assert [point.moves for point in whole_curve(layout, wish).points] == [0, 1, 2]
    assert plan_at(layout, wish, 3).certificate.moves == 2


def test_an_even_plan_has_no_further_points() -> None:
    """Nothing to gain: the minimal plan stands alone."""
    layout = ClusterLayout.from_assignments({("a", 0): [1], ("a", 1): [2], ("a", 2): [3]})

    assert whole_curve(layout, Wish(remove=(3,))).points == (CurvePoint(2 - 1, 5, 1, fullest=2),)


def test_nothing_is_said_where_nothing_is_left_out() -> None:
    """Three points were tried and found."""
    assert whole_curve(SKEWED, Wish(remove=(9,))).sentences == ()


def test_a_small_layout_is_asked_partition_by_partition() -> None:
    """Where loads by rack do not tell the evenest plan, every partition's own flow does."""
    racks = {1: "r0", 2: "r1", 3: "r2", 4: "r0", 5: "r1"}
    layout = ClusterLayout.from_assignments(
        {("t", 0): [1, 2], ("t", 1): [1, 2]}, brokers=[Broker(i, rack=rack) for i, rack in racks.items()]
    )
    told = whole_curve(layout, Wish(remove=(2,)))

    assert [(point.moves, point.replica_sum_of_squares) for point in told.points] == [(2, 6), (3, 4)]
    assert told.sentences == ()
    assert plan_at(layout, Wish(remove=(2,)), 3).certificate.replica_spread == 0


#: Broker 12 leaves; 2 moves even brokers out only if 6 or 7 takes one replica and gives another.
PASSED_ON = (
    {5: "r0", 6: "r1", 7: "r1", 12: "r1", 14: "r1"},
    {("a", 6): [5], ("b", 3): [12, 14], ("b", 8): [5]},
)


def test_a_broker_that_takes_one_and_gives_another_is_on_the_curve() -> None:
    """A flow that counts what leaves would miss it; one that prices every move does not."""
    racks, lists = PASSED_ON
    layout = ClusterLayout.from_assignments(lists, brokers=[Broker(i, rack=rack) for i, rack in racks.items()])
    told = whole_curve(layout, Wish(remove=(12,)))

    assert [(point.moves, point.replica_spread) for point in told.points] == [(1, 3), (2, 2), (3, 0)]
    assert told.sentences == ()
    assert plan_at(layout, Wish(remove=(12,)), 2).certificate.replica_spread == 2


def test_points_that_are_left_out_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no price of a move gives the point either, that is said, and the point is refused."""
    monkeypatch.setattr("reseat.planning.solve.solver.Solver.within", lambda *_: None)
    racks, lists = PASSED_ON
    layout = ClusterLayout.from_assignments(lists, brokers=[Broker(i, rack=rack) for i, rack in racks.items()])
    told = whole_curve(layout, Wish(remove=(12,)))

    assert [(point.moves, point.replica_spread) for point in told.points] == [(1, 3), (3, 0)]
    assert told.sentences == (
        "1 further point is omitted: no plan there is proven to have the smallest spread for that many moves.",
    )
    with pytest.raises(WishRefused, match="No plan with 2 moves is proven"):
        plan_at(layout, Wish(remove=(12,)), 2)


def test_a_curve_whose_first_point_is_not_found_goes_on() -> None:
    """Two replicas must move; loads by rack reach 3, 3 with them, and no plan does: one move more does that."""
    layout = ClusterLayout.from_assignments({("t", i): ids for i, ids in enumerate([[1, 3], [2], [2], [2, 3]])})

    told = whole_curve(layout, Wish(remove=(3,)))

    assert [(point.moves, point.replica_spread) for point in told.points] == [(2, 2), (3, 0)]
    assert told.sentences == ()


def test_a_curve_that_may_be_cut_short_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where further moves are not found, nobody knows how far the curve goes."""
    for solve in ("with_moves", "within"):
        monkeypatch.setattr(f"reseat.planning.solve.solver.Solver.{solve}", lambda *_: None)
    layout = ClusterLayout.from_assignments({("t", i): ids for i, ids in enumerate([[1, 3], [2], [2], [2, 3]])})

    told = whole_curve(layout, Wish(remove=(3,)))

    assert [point.moves for point in told.points] == [2]
    assert told.sentences[0].startswith("Better balanced plans with more moves may exist")


def test_no_plan_is_evener_than_the_curve_says() -> None:
    """Held against every plan: each point is the best with so many moves, and an end that is not the best is told."""
    assert curves_held_against_every_plan(np.random.default_rng(21), 60) > 48


@pytest.mark.slow
def test_no_plan_is_evener_than_the_curve_says_in_a_long_sweep() -> None:
    """As above, on many more layouts."""
    assert curves_held_against_every_plan(np.random.default_rng(22), 3_000) > 2_400


def curves_held_against_every_plan(rng: np.random.Generator, count: int) -> int:
    """Compare so many curves with every plan there is; return how many were told without a gap."""
    seen = whole = 0
    while seen < count:
        layout = random_layout(rng, brokers=int(rng.integers(3, 6)), partitions=int(rng.integers(2, 7)))
        remove = (int(rng.choice(layout.broker_ids)),)
        wish = Wish(remove=remove)
        try:
            told = whole_curve(layout, wish)
        except WishRefused:
            continue
        seen += 1
        if math.prod(len(sets) for sets in curve_options(layout, remove).values()) == 0:
            continue  # only last resorts are left for some partition
        outcomes = curve_outcomes(layout, remove)
        for point in told.points:
            best = int(outcomes[outcomes[:, 0] <= point.moves, 1].min())
            assert point.replica_sum_of_squares == best, (layout.assignments(), layout.brokers, remove, point)
        if not told.sentences:
            whole += 1
            last = told.points[-1]
            assert last.replica_sum_of_squares == int(outcomes[:, 1].min()), (layout.assignments(), layout.brokers)
            assert last.moves == int(outcomes[outcomes[:, 1] == last.replica_sum_of_squares, 0].min())
        for moves in (told.points[-1].moves + 1, told.points[0].moves):
            taken = plan_at(layout, wish, moves).certificate if not told.sentences else None
            if taken is not None:
                asked_for = f"{moves:,} moves were requested" if moves > 1 else "1 move was requested"
                assert taken.moves <= moves
                assert (taken.moves < moves) == any(said.startswith(asked_for) for said in taken.sentences)
    return whole


def test_a_large_skewed_cluster_reaches_an_even_load() -> None:
    """60 brokers, 20,000 partitions, one broker out: from least moves to one replica apart, each point proven."""
    layout = generate(60, 20_000, 3, 6, skew=0.02)
    wish = Wish(remove=(3,))
    told = whole_curve(layout, wish)
    last = plan_at(layout, wish, told.points[-1].moves).certificate

    assert told.sentences == ()
    assert len(told.points) == 5
    assert told.points[0].replica_spread > 50
    assert told.points[-1].replica_spread == last.replica_spread == 1
    assert last.sentences[-1].endswith("Proven minimal for that many moves.")
    assert not any("Not proven minimal" in said for said in last.sentences[1:2])
    assert last.rack_violations_after == 0


def test_the_curve_of_added_brokers_is_what_fewer_moves_reach() -> None:
    """Six partitions on broker 1; broker 4 joins: 0 to 3 moves, and the cap on moves ends the curve."""
    layout = ClusterLayout.from_assignments({("a", i): [1] for i in range(6)})
    points = whole_curve(layout, Wish(add=((4, None),))).points
    fewer = whole_curve(layout, Wish(add=((4, None),), options=Options(max_moves=2))).points

    assert [(point.moves, point.replica_spread) for point in points] == [(1, 4), (2, 2), (3, 0)]
    assert [(point.moves, point.replica_spread) for point in fewer] == [(1, 4), (2, 2)]


def test_further_moves_keep_to_their_racks_where_every_rack_is_used() -> None:
    """Two racks, two replicas: broker 1 hands over to its neighbour 2, and rack b stays as it is."""
    racks = {1: "a", 2: "a", 3: "b", 4: "b", 9: "b"}
    lists = {("a", i): [1, 3 + i % 2] for i in range(4)} | {("b", 0): [2, 9]}
    layout = ClusterLayout.from_assignments(lists, brokers=[Broker(i, rack=rack) for i, rack in racks.items()])
    points = whole_curve(layout, Wish(remove=(9,))).points
    made = plan_at(layout, Wish(remove=(9,)), points[-1].moves)

    assert [point.moves for point in points] == [1, 2]
    assert points[-1].replica_spread == 1
    assert made.certificate.rack_sum_of_squares == 10
    assert made.certificate.rack_violations_after == 0


@settings(max_examples=cases(40), deadline=None)
@given(seed=st.integers(0, 10**6), racks=st.integers(0, 4))
def test_what_holds_of_every_curve(seed: int, racks: int) -> None:
    """More moves, evener each time; every point is reached by a valid plan that raises no rack term."""
    rng = np.random.default_rng(seed)
    skew = rng.random(8) ** 2 + 0.05
    layout = ClusterLayout.from_assignments(
        {
            ("t", i): rng.choice(8, int(rng.integers(1, 4)), replace=False, p=skew / skew.sum()).tolist()
            for i in range(40)
        },
        brokers=[Broker(i, rack=f"r{i % racks}" if racks else None) for i in range(8)],
    )
    wish = Wish(remove=(int(rng.integers(0, 8)),))
    points = whole_curve(layout, wish).points
    minimal = plan_at(layout, wish, points[0].moves).certificate

    assert [p.moves for p in points] == sorted({p.moves for p in points})
    assert [p.replica_sum_of_squares for p in points] == sorted(
        {p.replica_sum_of_squares for p in points}, reverse=True
    )
    for point in points:
        certificate = plan_at(layout, wish, point.moves).certificate
        assert certificate.valid
        assert certificate.moves == point.moves
        assert certificate.replica_sum_of_squares == point.replica_sum_of_squares
        if minimal.rack_sum_of_squares is not None and certificate.rack_sum_of_squares is not None:
            assert certificate.rack_sum_of_squares <= minimal.rack_sum_of_squares


def holds_with_bytes(seed: int) -> tuple[int, int]:
    """Each point keeps capacities in bytes, is the plan that is made of it, and evener than those before.

    Returns:
        How many points there are, and how many there would be without capacities.
    """
    rng = np.random.default_rng(seed)
    skew, count = rng.random(6) ** 2 + 0.05, int(rng.integers(20, 60))
    lists = np.array([rng.choice(6, 2, replace=False, p=skew / skew.sum()) for _ in range(count)])
    sizes = 10.0 ** rng.uniform(1, 4, count)
    layout = ClusterLayout.from_columns(
        topics=["t"],
        topic_of=np.zeros(count, np.int64),
        partition=np.arange(count),
        replicas=lists,
        brokers=[Broker(at) for at in range(6)],
        size_bytes=sizes,
    )
    carried = np.bincount(lists.ravel(), weights=np.repeat(sizes, 2), minlength=6)
    limits = [Capacity(at, bytes=int(carried.mean() * rng.uniform(1, 2))) for at in range(6) if rng.random() < 0.7]
    joins = {"add": ((9, None),)}
    limits += [Capacity(9, bytes=int(carried.mean() * rng.uniform(0.01, 0.3)))]
    kind = ({"remove": (int(rng.integers(0, 6)),)}, joins, {"rebalance": True})[seed % 3]
    free = Wish(**kind)
    known = tuple(limit for limit in limits if limit.broker != 9 or kind is joins)
    wish = replace(free, options=Options(capacity=known))
    try:
        told, without = whole_curve(layout, wish), whole_curve(layout, free)
    except WishRefused:
        return 0, 0
    squares = [point.replica_sum_of_squares for point in told.points]
    for point in told.points:
        made = plan_at(layout, wish, point.moves)
        certificate = made.certificate
        assert certificate.faults == ()
        assert (certificate.moves, certificate.replica_sum_of_squares) == (point.moves, point.replica_sum_of_squares)
    assert wish.add or wish.rebalance or squares == sorted(set(squares), reverse=True)
    return len(told.points), len(without.points)


def test_points_keep_capacities_in_bytes() -> None:
    """Of drains, of brokers that join and of rebalances; some points of each go for want of room."""
    counted = [np.sum([holds_with_bytes(seed) for seed in range(kind, 36, 3)], axis=0) for kind in range(3)]

    assert all(0 < with_bytes <= without for with_bytes, without in counted), counted
    assert all(with_bytes < without for with_bytes, without in counted[:2]), counted


@pytest.mark.slow
def test_points_keep_capacities_in_bytes_in_a_long_sweep() -> None:
    """The same of many more."""
    for seed in range(1_000, 1_500):
        holds_with_bytes(seed)
