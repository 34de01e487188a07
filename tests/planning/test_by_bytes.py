"""A rebalance by size: its bounds hold for every plan there is, racks stay the best, and little is copied for it."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

from reseat.balance.room import short_of_room
from reseat.errors import WishRefused
from reseat.model import NONE, Broker, ClusterLayout, CurvePoint, LogDirectory, Options, Plan, Wish
from reseat.model.arrays import newcomers
from reseat.planning import plan, whole_curve
from reseat.planning.judge import judge
from reseat.planning.solve.by_weight import goals, least_copied, weight_on
from reseat.planning.solve.problem import Problem
from tests.cases import case_numbers
from tests.planning.brute_force import random_layout, seeds
from tests.planning.test_advice import sample
from tests.planning.test_rebalance import sets_of

BY_SIZE = Wish(rebalance=True, options=Options(by_bytes=True))


def sized(layout: ClusterLayout, rng: np.random.Generator, scale: float = 1e9) -> ClusterLayout:
    """The layout with a few large partitions and many small ones."""
    return replace(layout, size_bytes=np.floor(rng.lognormal(0, 1.5, layout.partition_count) * scale))


def bytes_by_broker(layout: ClusterLayout) -> np.ndarray:
    """(B,) bytes on each broker."""
    assert layout.size_bytes is not None
    return weight_on(layout.replicas, layout.size_bytes, len(layout.brokers))


def copied(made: Plan) -> float:
    """Bytes that a plan copies."""
    assert made.current.size_bytes is not None
    return float(made.current.size_bytes @ newcomers(made.current.replicas, made.proposed.replicas).sum(axis=1))


def clusters(rng: np.random.Generator, brokers: int, partitions: int, racks: int, skew: float) -> ClusterLayout:
    """Brokers of which a few hold most, factor 3 where there are so many brokers."""
    chance = np.arange(1, brokers + 1, dtype=np.float64) ** skew
    lists = {
        ("t", row): rng.choice(brokers, min(3, brokers), replace=False, p=chance / chance.sum()).tolist()
        for row in range(partitions)
    }
    return sized(
        ClusterLayout.from_assignments(lists, brokers=[Broker(b, rack=f"r{b % racks}") for b in range(brokers)]), rng
    )


def test_fewer_moves_leave_bytes_less_even_and_each_point_is_a_plan() -> None:
    """The curve goes by size: what it says of a point, the plan at that point has; the last is the whole plan."""
    layout = clusters(np.random.default_rng(2), 6, 90, 6, 1.5)
    points, whole = whole_curve(layout, BY_SIZE).points, plan(layout, BY_SIZE).certificate

    assert len(points) == 4
    assert (points[-1].moves, points[-1].bytes_to_move) == (whole.moves, whole.bytes_to_move)
    assert [point.balance for point in points] == sorted((point.balance for point in points), reverse=True)
    for point in points:
        made = plan(layout, BY_SIZE.at(point.moves))
        held = bytes_by_broker(made.proposed)
        assert (made.certificate.moves, made.certificate.bytes_to_move) == (point.moves, point.bytes_to_move)
        assert point.byte_spread == pytest.approx(held.max() - held.min())
        assert CurvePoint.of(made).byte_spread == point.byte_spread
        assert made.certificate.rack_balance_proven


@seeds(40, 400)
def test_no_plan_is_evener_than_the_bound_or_copies_less_than_is_said(seed: int) -> None:
    """Of all plans with the best racks: sums of squares of bytes, and what plans copy that balance as well."""
    rng = np.random.default_rng(seed)
    layout = random_layout(rng, brokers=int(rng.integers(3, 6)), partitions=int(rng.integers(2, 5)))
    layout = sized(layout, rng)
    made = plan(layout, BY_SIZE)
    every, current = sets_of(layout), layout.assignments()
    targets = np.flatnonzero(layout.available) if layout.available.any() else np.flatnonzero(~layout.dead)
    place = {int(broker): at for at, broker in enumerate(layout.broker_ids)}
    size = dict(zip(current, layout.size_bytes.tolist(), strict=True))  # type: ignore[union-attr]
    after = bytes_by_broker(made.proposed)[targets]
    gap = made.certificate.byte_sum_gap

    assert made.certificate.faults == ()
    assert made.certificate.rack_balance_proven
    assert gap is not None
    floor = float((after**2).sum()) / (1 + gap)
    lists = layout.replicas
    fixed = (lists != NONE) & ~np.isin(lists, targets)
    on = np.zeros(len(layout.brokers), np.bool_)
    on[targets] = True
    racks = layout.rack_groups if layout.racks else np.zeros(len(on), np.int32)
    least = least_copied(Problem(lists, fixed, on, racks), layout.size_bytes, bytes_by_broker(made.proposed))  # type: ignore[arg-type]
    for chosen in itertools.product(*every.values()):
        loads, moved = np.zeros(len(layout.brokers)), 0.0
        for key, members in zip(every, chosen, strict=True):
            for member in members:
                loads[place[member]] += size[key]
            moved += size[key] * len(set(members) - set(current[key]))
        loads = loads[targets]
        assert float((loads**2).sum()) >= floor * (1 - 1e-9)
        if loads.min() >= after.min() and loads.max() <= after.max():
            assert moved >= least * (1 - 1e-9)


@seeds(10, 100)
def test_it_is_near_the_bound_and_copies_little_more_than_needed(seed: int) -> None:
    """Middle sizes, uneven racks among them: no worse than before, racks at their best, counts within the fullest."""
    rng = np.random.default_rng(seed)
    layout = clusters(rng, int(rng.integers(6, 24)), 600, int(rng.integers(1, 5)), float(rng.random() * 2))
    made = plan(layout, BY_SIZE)
    before, after = bytes_by_broker(layout), bytes_by_broker(made.proposed)
    gap = made.certificate.byte_sum_gap

    assert made.certificate.faults == ()
    assert made.certificate.rack_balance_proven
    assert gap is not None
    assert gap < 0.01
    assert (after**2).sum() <= (before**2).sum()
    most = max(int(layout.replicas_by_broker.max()), -(-layout.replica_count // len(layout.brokers)))
    assert int(made.proposed.replicas_by_broker.max()) <= most + 1
    on = np.ones(len(before), np.bool_)
    sets = Problem(layout.replicas, np.zeros(layout.replicas.shape, np.bool_), on, layout.rack_groups)
    mended = made.certificate.rack_violations_before > 0
    assert copied(made) <= least_copied(sets, layout.size_bytes, after) * 1.5 or mended  # type: ignore[arg-type]
    assert abs(float(goals(sets, layout.size_bytes).sum()) / before.sum() - 1) < 1e-9  # type: ignore[arg-type]


def test_what_is_even_stays() -> None:
    """A plan on what a plan made moves nothing, and says so."""
    made = plan(sample("zookeeper-2.8-three-racks.txt"), BY_SIZE)
    again = plan(made.proposed, BY_SIZE)

    assert made.certificate.moves > 0
    assert again.certificate.moves == 0
    assert again.certificate.sentences[0] == "No replica moves."


def test_the_words_say_what_is_reached_and_what_is_copied() -> None:
    """Ranges before and after, the bound, and the least to copy; counts are no aim."""
    made = plan(sample("zookeeper-2.8-three-racks.txt"), BY_SIZE)

    assert made.certificate.sentences[:4] == (
        "41 replicas move and copy 68.0 MB; no plan that balances as well copies less than 67.7 MB.",
        "Rack diversity is the best possible for every partition that can move (proven).",
        "Balanced by size instead of replica count: 33.9 MB to 34.3 MB per broker (current: 7.6 MB to 84.1 MB). The "
        "sum of squares of bytes is at most 0.01% above the minimum that any plan with the best rack diversity can "
        "reach.",
        "Max–min replica count per broker: 161. Not an aim of this plan.",
    )
    assert not any(finding.kind == "option_without_effect" for finding in made.findings)


def test_sizes_that_are_not_told_are_said() -> None:
    """Without any the plan is refused; with some, no gap is given for the whole."""
    layout = clusters(np.random.default_rng(1), 6, 100, 1, 1.0)
    with pytest.raises(WishRefused, match="no replica sizes"):
        plan(replace(layout, size_bytes=None), BY_SIZE)
    assert layout.size_bytes is not None
    some = layout.size_bytes.copy()
    some[:10] = np.nan
    made = plan(replace(layout, size_bytes=some), BY_SIZE)

    assert made.certificate.byte_sum_gap is None
    assert "Sizes are known for 90 of 100 partitions." in made.certificate.sentences
    assert "counting known bytes only" in " ".join(made.certificate.sentences)
    assert not (made.changed[:10] & newcomers(layout.replicas, made.proposed.replicas)[:10].any(axis=1)).any()


@pytest.mark.parametrize("seed", case_numbers(10))
def test_rules_hold_and_brokers_leave(seed: int) -> None:
    """A drain with it, a broker that receives nothing, a topic that is pinned, and a limit on moves."""
    rng = np.random.default_rng(seed)
    layout = clusters(rng, 12, 300, 3, 1.5)
    drained = plan(layout, replace(BY_SIZE, remove=(11,)))
    after = bytes_by_broker(drained.proposed)

    assert drained.certificate.faults == ()
    assert after[11] == 0
    assert drained.certificate.byte_sum_gap is not None
    assert drained.certificate.byte_sum_gap < 0.01

    layout = clusters(rng, 12, 300, 1, 1.5)
    ruled = replace(BY_SIZE, options=replace(BY_SIZE.options, never_onto=(0,), pin=(("t", 3),), max_moves=40))
    made = plan(layout, ruled)
    comes = newcomers(layout.replicas, made.proposed.replicas)

    assert made.certificate.faults == ()
    assert made.certificate.moves <= 40
    assert not (made.proposed.replicas[comes] == 0).any()
    assert not comes[3].any()
    assert np.ptp(bytes_by_broker(made.proposed)[1:]) < np.ptp(bytes_by_broker(layout)[1:])


def test_the_judge_finds_nothing_wrong_with_it() -> None:
    """Racks are proven by the checker, which knows nothing of sizes."""
    layout = clusters(np.random.default_rng(3), 9, 200, 3, 1.0)
    made = plan(layout, BY_SIZE)
    told = judge(layout, made.proposed, BY_SIZE)

    assert told.faults == ()
    assert told.rack_balance_proven
    assert told.moves == made.certificate.moves


@pytest.mark.parametrize(("wish", "end"), [(BY_SIZE, " Let "), (Wish(rebalance=True), " Plan by bytes, or let ")])
def test_a_plan_by_bytes_without_room_is_not_told_to_plan_by_bytes(wish: Wish, end: str) -> None:
    """What is left to do is to let the brokers that are full receive nothing."""
    layout = clusters(np.random.default_rng(2), 6, 90, 6, 1.5)
    full = [LogDirectory(broker, "/a", 10**13, 1) for broker in range(6)]
    found = short_of_room(plan(layout, wish), full)

    assert found is not None
    assert f"they are deleted last.{end}broker" in found.sentence
