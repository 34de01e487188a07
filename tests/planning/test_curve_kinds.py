"""Every kind of change has its curve: each point is the plan that is made of it, and keeps what the change asks for."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

from reseat.errors import WishRefused
from reseat.model import Broker, BrokerState, Certificate, ClusterLayout, CurvePoint, Options, Plan, Wish
from reseat.model.rules import Capacity
from reseat.planning import judge, plan, whole_curve
from reseat.planning.solve.by_weight import ROUNDING
from tests.planning.brute_force import (
    Ints,
    grown_options,
    rack_names,
    rack_squares,
    random_layout,
    squares_of,
    targets_of,
)

BY_SIZE = Options(by_bytes=True)


def skewed(seed: int) -> ClusterLayout:
    """Ten brokers in two regions of two racks, two topics, sizes; replicas lie where chance put them."""
    rng = np.random.default_rng(seed)
    skew, count = rng.random(10) ** 2 + 0.05, int(rng.integers(24, 60))
    lists = np.array([rng.choice(10, 3, replace=False, p=skew / skew.sum()) for _ in range(count)])
    factor = rng.integers(2, 4, count)
    return ClusterLayout.from_columns(
        topics=["a", "b"],
        topic_of=np.arange(count) // (count // 2 + 1),
        partition=np.arange(count),
        replicas=np.where(np.arange(3) < factor[:, None], lists, -1),
        brokers=[Broker(at, f"{'ew'[at % 2]}/{at % 4}") for at in range(10)],
        size_bytes=10.0 ** rng.uniform(1, 4, count),
    )


KINDS = {
    "drain": Wish(remove=(1,)),
    "drain with reorder": Wish(remove=(1,), options=Options(reorder_all=True)),
    "drain with a cap": Wish(remove=(1,), options=Options(receive_cap=24)),
    "drain within racks": Wish(remove=(1,), options=Options(same_rack=True)),
    "drain over levels of racks": Wish(remove=(1,), options=Options(rack_levels=("/",))),
    "drain by size": Wish(remove=(1,), options=BY_SIZE),
    "drain by size within racks": Wish(remove=(1,), options=replace(BY_SIZE, same_rack=True)),
    "more replicas": Wish(replication_factor=4, topics=("a",)),
    "fewer replicas": Wish(replication_factor=2, topics=("a",)),
    "replacement": Wish(remove=(1,), add=((19, "w/1"),), replace=((1, 19),)),
    "mend racks": Wish(mend_racks=True),
    "mend": Wish(mend=True),
    "rebalance with a drain": Wish(rebalance=True, remove=(1,)),
    "rebalance with a drain by size": Wish(rebalance=True, remove=(1,), options=BY_SIZE),
    "leaders": Wish(leaders_only=True),
}


def numbers_of(point: CurvePoint) -> tuple[object, ...]:
    """What a point says that its plan must reach."""
    spread = None if point.byte_spread is None else round(point.byte_spread, 3)
    leaders = point.changed_leaders, point.leader_spread
    return point.moves, point.replica_sum_of_squares, point.replica_spread, point.bytes_to_move, spread, *leaders


def racks_of(made: Plan) -> np.ndarray:
    """(P, racks) replicas of each partition in each rack, the most first."""
    code = np.append(made.proposed.rack_groups, -1)[made.proposed.replicas]
    counts = (code[:, :, None] == np.arange(made.proposed.rack_groups.max() + 1)).sum(axis=1)
    return np.cumsum(-np.sort(-counts, axis=1), axis=1)


def keeps_what_is_asked(alone: Plan, made: Plan, wish: Wish) -> None:
    """Brokers that leave hold nothing, factors and places are those of the change alone, racks no less diverse."""
    assert not np.isin(made.proposed.replica_ids, wish.remove).any()
    assert (made.proposed.replication_factor == alone.proposed.replication_factor).all()
    if wish.places:
        assert ((alone.proposed.replica_ids == 19) <= (made.proposed.replica_ids == 19).any(axis=1)[:, None]).all()
    if wish.options.same_rack:
        racks = [np.sort(np.append(one.rack_of, -1)[one.replicas], axis=1) for one in (made.current, made.proposed)]
        assert (racks[0] == racks[1]).all()
    if not wish.rebalance:
        assert (racks_of(made) <= racks_of(alone)).all()
    if wish.options.receive_cap is not None:
        assert np.bincount(made.moves.target, minlength=1).max() <= wish.options.receive_cap


def holds(kind: str, seed: int, *, every: bool = False) -> int:
    """A point is the plan made of it, by ``point`` and by ``max_moves``, without faults; how many points there are.

    With ``every`` each of them, and judged too.
    """
    layout, wish = skewed(seed), KINDS[kind]
    try:
        told, alone = whole_curve(layout, wish), plan(layout, wish)
    except WishRefused:
        return 0
    numbers = [point.number for point in told.points]
    assert numbers == sorted(set(numbers))
    assert all(one.balance + ROUNDING >= other.balance for one, other in itertools.pairwise(told.points))
    for point in told.points if every else told.points[seed % 5 : seed % 5 + 1]:
        made = plan(layout, wish.at(point.number))
        assert made.certificate.faults == ()
        assert numbers_of(replace(CurvePoint.of(made), fullest=None)) == numbers_of(replace(point, fullest=None))
        keeps_what_is_asked(alone, made, wish)
        if (every or seed % 10 == 0) and not wish.leaders_only:
            limited = replace(wish, options=replace(wish.options, max_moves=point.moves))
            assert (plan(layout, limited).proposed.replicas == made.proposed.replicas).all()
        if every:
            told_again = judge(layout, made.proposed, wish.at(point.number))
            assert told_again.faults == ()
            by_size = wish.options.by_bytes
            assert by_size or told_again.replica_balance_proven == made.certificate.replica_balance_proven
    return len(told.points)


@pytest.mark.parametrize("kind", KINDS)
def test_a_point_is_the_plan_that_is_made_of_it(kind: str) -> None:
    """Moves, spread and bytes are exactly those of the point, and what the change asks for is kept."""
    assert sum(holds(kind, seed) for seed in range(20)) > 30


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_a_point_is_the_plan_that_is_made_of_it_in_a_long_sweep(kind: str) -> None:
    """The same of each point of many more."""
    for seed in range(1_000, 1_500):
        holds(kind, seed, every=True)


def grown_outcomes(layout: ClusterLayout, topics: tuple[str, ...], factor: int) -> Ints:
    """(n, 2) moves and sum of squares of every plan with more replicas, no partition worse over racks than it must."""
    targets, racks, current = targets_of(layout, ()), rack_names(layout), layout.assignments()
    grown = grown_options(layout, topics, factor)
    outcomes = np.zeros((1, 1 + len(targets)), np.int64)
    for key, members in current.items():
        stuck = [m for m in members if m not in targets]
        least = min(rack_squares(s, racks) for s in grown[key]) if key in grown else rack_squares(members, racks)
        count = max(len(members), factor if key in grown else 0) - len(stuck)
        sets = [stuck + list(some) for some in itertools.combinations(targets, count)]
        sets = [some for some in sets if rack_squares(some, racks) <= least]
        rows = np.array([[sum(m not in members for m in s), *(t in s for t in targets)] for s in sets], np.int64)
        outcomes = np.unique((outcomes[:, None, :] + rows[None, :, :]).reshape(-1, outcomes.shape[1]), axis=0)
    return np.stack((outcomes[:, 0], squares_of(outcomes[:, 1:])), axis=1)


def grown_held_against_every_plan(seed: int) -> tuple[int, int]:
    """Each point of more replicas is the best of all plans with so many moves; how many, and how many proven."""
    rng = np.random.default_rng(seed)
    layout = random_layout(rng, brokers=int(rng.integers(3, 6)), partitions=int(rng.integers(2, 6)), dead=False)
    factor = int(layout.replication_factor.max()) + 1
    wish = Wish(replication_factor=factor, topics=("a",))
    if factor > len(layout.brokers) or "a" not in layout.topics:
        return 0, 0
    told, outcomes, proven = whole_curve(layout, wish), grown_outcomes(layout, ("a",), factor), 0
    for point in told.points:
        best = int(outcomes[outcomes[:, 0] <= point.moves, 1].min())
        assert point.replica_sum_of_squares == best, (seed, point)
        proven += plan(layout, wish.at(point.moves)).certificate.replica_balance_proven
    if not told.sentences:
        assert told.points[-1].replica_sum_of_squares == int(outcomes[:, 1].min())
    return len(told.points), proven


def test_no_plan_with_more_replicas_is_evener_than_its_point() -> None:
    """Held against every plan, and nearly all of them are proven by the checker."""
    points, proven = np.sum([grown_held_against_every_plan(seed) for seed in range(24)], axis=0)

    assert points > 28
    assert proven > 0.9 * points


@pytest.mark.slow
def test_no_plan_with_more_replicas_is_evener_than_its_point_in_a_long_sweep() -> None:
    """The same of many more."""
    for seed in range(1_000, 1_500):
        grown_held_against_every_plan(seed)


#: Brokers 1 to 4 hold 5, 3, 2 and 2 replicas; topic a gets a second one.
UNEVEN = ClusterLayout.from_assignments(
    {("a", 0): [2], ("a", 1): [3]} | {("b", at): [1] for at in range(5)} | {("c", at): [2 + at % 3] for at in range(5)}
)
MORE = Wish(replication_factor=2, topics=("a",))


def test_a_point_is_proven_and_one_that_is_broken_on_purpose_is_not() -> None:
    """Worse for its moves: no proof; a partition short of a replica, or a broker that got one back: faults."""
    point = whole_curve(UNEVEN, MORE).points[-1]
    made = plan(UNEVEN, MORE.at(point.moves))
    lists = made.proposed.assignments()
    worse = lists | {("b", at): [1] for at in range(3)} | {("c", 0): [3], ("c", 1): [2], ("c", 2): [2]}
    short = lists | {("a", 0): lists["a", 0][:1]}
    drained = plan(UNEVEN, Wish(remove=(4,), point=4))
    back = drained.proposed.assignments() | {("b", 0): [4]}

    def told(lists: dict[tuple[str, int], list[int]], wish: Wish) -> Certificate:
        return judge(UNEVEN, ClusterLayout.from_assignments(lists, brokers=UNEVEN.brokers), wish)

    assert made.certificate.replica_balance_proven
    assert not told(worse, MORE.at(point.moves)).replica_balance_proven
    assert any("a-0" in fault for fault in told(short, MORE.at(point.moves)).faults)
    assert any("b-0" in fault for fault in told(back, Wish(remove=(4,), point=4)).faults)


def test_limits_say_how_far_balance_goes() -> None:
    """Fewer moves or bytes than needed are refused with the number; else as many as help, and no more bytes."""
    layout = skewed(3)
    wish = Wish(replication_factor=4, topics=("a",))
    alone, last = plan(layout, wish).certificate, whole_curve(layout, wish).points[-1]
    few = replace(wish, options=Options(max_moves=alone.moves - 1))
    little = replace(wish, options=Options(max_bytes=int(alone.bytes_to_move or 0) - 1))
    between = replace(wish, options=Options(max_bytes=int((alone.bytes_to_move or 0) + (last.bytes_to_move or 0)) // 2))
    made = plan(layout, between).certificate

    with pytest.raises(WishRefused, match=f"are too few: the change alone needs {alone.moves}"):
        plan(layout, few)
    with pytest.raises(WishRefused, match="is too little: the change alone copies"):
        plan(layout, little)
    assert alone.moves < made.moves < last.moves
    assert made.bytes_to_move is not None
    assert made.bytes_to_move <= (between.options.max_bytes or 0)
    assert any("was allowed" in said for said in made.sentences)


def test_a_curve_of_leaders_is_one_of_changed_leaders() -> None:
    """Nothing moves; each point is proven, fewer changes than the first has are none, and what must change does."""
    layout, wish = skewed(4), Wish(leaders_only=True)
    points = whole_curve(layout, wish).points
    made = [plan(layout, wish.at(point.number)).certificate for point in points]
    never = replace(wish, options=Options(never_leads=(int(layout.broker_ids[layout.preferred_by_broker.argmax()]),)))

    assert len(points) > 2
    assert [one.moves for one in made] == [0] * len(points)
    assert all(one.leader_balance_proven for one in made)
    assert points[-1].leader_spread == plan(layout, wish).certificate.leader_spread
    assert plan(layout, wish.at(0)).certificate.changed_preferred_leaders == 0
    with pytest.raises(WishRefused, match="0 changed preferred leaders are too few"):
        plan(layout, never.at(0))


def test_what_a_last_resort_took_stays_there() -> None:
    """A partition that finds room on the fenced broker alone keeps it, and others even out beside it."""
    states = [Broker(at, state=BrokerState.FENCED if at == 3 else BrokerState.NOT_TOLD) for at in (1, 2, 3, 4)]
    lists = {("a", 0): [1, 2, 4]} | {("b", at): [2] for at in range(6)}
    layout = ClusterLayout.from_assignments(lists, brokers=states)
    points = whole_curve(layout, Wish(remove=(1,))).points
    made = plan(layout, Wish(remove=(1,), point=points[-1].moves))

    assert [(point.moves, point.replica_spread) for point in points][-1][1] == 0
    assert set(made.proposed.assignments()["a", 0]) == {2, 3, 4}


def capacities_held(seed: int) -> int:
    """With capacities in bytes each point of a rebalance is its plan, as are as many moves for a limit; how many."""
    layout, draw = skewed(seed), np.random.default_rng(seed)
    mean = layout.carried_bytes.mean()
    rules = tuple(Capacity(at, bytes=int(mean * draw.uniform(1, 2))) for at in range(10) if draw.random() < 0.5)
    wish = Wish(rebalance=True, options=Options(capacity=rules))
    try:
        points, whole = whole_curve(layout, wish).points, plan(layout, wish)
    except WishRefused:
        return 0
    assert not points or points[-1].moves == whole.certificate.moves
    for point in points:
        made = plan(layout, wish.at(point.moves))
        limited = plan(layout, replace(wish, options=replace(wish.options, max_moves=point.moves)))
        assert numbers_of(CurvePoint.of(made)) == numbers_of(point), (seed, point)
        assert made.certificate.faults == ()
        assert np.array_equal(made.proposed.replicas, limited.proposed.replicas), (seed, point)
    return len(points)


def test_with_capacities_in_bytes_a_point_is_its_plan() -> None:
    """Also the first and the last one: 5, 23, 43 and 46 are seeds of which one was not."""
    assert sum(map(capacities_held, (*range(8), 23, 43, 46))) > 30


@pytest.mark.slow
def test_with_capacities_in_bytes_a_point_is_its_plan_in_a_long_sweep() -> None:
    """The same of 300 more."""
    assert sum(map(capacities_held, range(100, 400))) > 900
