"""Balancing what is there: nothing is evener with fewer moves, and the checker knows it, and nothing else, for that."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from reseat.errors import WishRefused
from reseat.model import Broker, BrokerState, ClusterLayout, Options, Plan, Wish
from reseat.planning import plan, whole_curve
from reseat.planning.judge import judge
from reseat.planning.kinds.rebalance import even_leaders
from reseat.planning.solve.pools import Pools
from reseat.planning.solve.problem import Found, Problem
from reseat.planning.solve.solver import Solver
from tests.cases import case_numbers
from tests.planning.brute_force import (
    Assignments,
    best_leaders,
    numbers_of,
    rack_names,
    rack_squares,
    random_layout,
    replaced,
    targets_of,
)
from tests.planning.checking import check_rebalance

Value = tuple[int, int, int]


@pytest.fixture
def by_pools(monkeypatch: pytest.MonkeyPatch) -> list[Found]:
    """The sets that pools of racks found, and not each partition's own arcs."""
    found: list[Found] = []
    plain = Pools.realised

    def realised(self: Pools, *given: Any, **named: Any) -> Found | None:
        made = plain(self, *given, **named)
        found.extend(one for one in (made,) if one is not None)
        return made

    monkeypatch.setattr(Pools, "realised", realised)
    return found


def sets_of(layout: ClusterLayout, remove: Sequence[int] = ()) -> dict[tuple[str, int], list[list[int]]]:
    """For each partition: every set that a rebalance may give it, of those that sit best over racks."""
    targets, racks = targets_of(layout, remove), rack_names(layout)
    out = {}
    for key, members in layout.assignments().items():
        stuck = [m for m in members if m not in targets and m not in remove]
        every = [stuck + list(some) for some in itertools.combinations(targets, len(members) - len(stuck))]
        least = min((rack_squares(one, racks) for one in every), default=0)
        out[key] = [one for one in every if rack_squares(one, racks) == least]
    return out


def value_of(layout: ClusterLayout, proposed: Assignments, remove: Sequence[int] = ()) -> Value:
    """(spread, moves, sum of squares) of one plan, counted with loops."""
    loads = [sum(t in m for m in proposed.values()) for t in targets_of(layout, remove)]
    moves = sum(m not in layout.assignments()[k] for k, members in proposed.items() for m in members)
    return max(loads) - min(loads), moves, sum(load**2 for load in loads)


def outcomes_of(layout: ClusterLayout) -> np.ndarray:
    """(n, 1 + targets) moves and loads of every plan there is, each once."""
    return outcomes_from(layout, sets_of(layout))


def outcomes_from(
    layout: ClusterLayout, every: Mapping[tuple[str, int], list[list[int]]], remove: Sequence[int] = ()
) -> np.ndarray:
    """The same of every plan that gives each partition one of these sets."""
    targets, current = targets_of(layout, remove), layout.assignments()
    outcomes = np.zeros((1, 1 + len(targets)), np.int64)
    for key, sets in every.items():
        rows = np.array([[sum(m not in current[key] for m in s), *(t in s for t in targets)] for s in sets], np.int64)
        outcomes = np.unique((outcomes[:, None, :] + rows[None, :, :]).reshape(-1, outcomes.shape[1]), axis=0)
    return outcomes


def best_of_all(layout: ClusterLayout, *, racks_only: bool = False) -> Value:
    """The best (spread, moves, sum of squares) of every plan there is; of racks alone (0, moves, sum of squares)."""
    outcomes = outcomes_of(layout)
    load = outcomes[:, 1:]
    spreads = np.zeros(len(load), np.int64) if racks_only else np.ptp(load, axis=1)
    spread, moves, squares = min(zip(spreads, outcomes[:, 0], (load**2).sum(axis=1), strict=True))
    return int(spread), int(moves), int(squares)


def agrees(layout: ClusterLayout) -> Plan:
    """The plan for a layout, once it is shown to be the best of all and to be proven so."""
    made = plan(layout, Wish(rebalance=True))
    proposed, certificate = made.proposed.assignments(), made.certificate
    best = best_of_all(layout)

    assert value_of(layout, proposed) == best, layout.assignments()
    assert all(sorted(proposed[key]) in map(sorted, sets) for key, sets in sets_of(layout).items())
    assert (certificate.moves, certificate.replica_spread) == (best[1], best[0])
    # Where loads cannot be within one of each other, not every least spread is proven.
    assert certificate.moves_proven or certificate.replica_spread > 1
    assert certificate.replica_balance_proven == certificate.moves_proven
    assert certificate.rack_balance_proven
    leaders = best_leaders(layout, proposed, list(proposed), ())
    assert numbers_of(layout, proposed, ())[2:] == leaders
    assert certificate.leader_balance_proven
    assert certificate.changed_leaders_proven
    return made


@pytest.mark.parametrize("seed", case_numbers(120))
def test_it_is_the_best_of_every_plan_there_is(seed: int) -> None:
    """Racks equal, unequal, unknown; RF mixed; empty brokers; dead, fenced ones; whatever is there."""
    rng = np.random.default_rng(seed)
    agrees(random_layout(rng, brokers=int(rng.integers(3, 6)), partitions=int(rng.integers(1, 5))))


def drains(layout: ClusterLayout, rng: np.random.Generator) -> bool:
    """Brokers leave, others join, and the rest is the best of all; whether it could be planned, and is proven."""
    ids = [broker.id for broker in layout.brokers]
    out = tuple(sorted(int(i) for i in rng.choice(ids, int(rng.integers(1, 3)), replace=False)))
    racks = sorted(set(layout.racks)) or [None]
    new = tuple((max(ids) + 1 + i, racks[i % len(racks)]) for i in range(int(rng.integers(0, 2))))
    wish = Wish(remove=out, add=new, rebalance=True)
    wide = layout.with_brokers([Broker(broker, rack) for broker, rack in new]) if new else layout
    every = sets_of(wide, out) if targets_of(wide, out) else {("none", 0): []}
    if not all(every.values()):
        with pytest.raises(WishRefused):
            plan(layout, wish)
        return False
    outcomes = outcomes_from(wide, every, out)
    load = outcomes[:, 1:]
    best = min(zip(np.ptp(load, axis=1).tolist(), outcomes[:, 0].tolist(), (load**2).sum(axis=1).tolist(), strict=True))
    made = plan(layout, wish)
    proposed, certificate = made.proposed.assignments(), made.certificate

    assert certificate.faults == ()
    assert not {broker for members in proposed.values() for broker in members} & set(out)
    assert value_of(wide, proposed, out) == best, (layout.assignments(), out, new)
    assert all(sorted(proposed[key]) in map(sorted, sets) for key, sets in every.items())
    assert (certificate.moves, certificate.replica_spread) == (best[1], best[0])
    assert certificate.moves_proven or certificate.replica_spread > 1
    assert certificate.rack_balance_proven
    assert numbers_of(wide, proposed, out)[2:] == best_leaders(wide, proposed, list(proposed), out)
    assert certificate.leader_balance_proven
    assert judge(layout, made.proposed, wish).moves_proven == certificate.moves_proven
    return certificate.moves_proven


@pytest.mark.parametrize("seed", case_numbers(150))
def test_a_drain_and_a_rebalance_are_one_plan(seed: int) -> None:
    """Brokers that leave and that join, the rest as even as can be, with the fewest moves of all."""
    rng = np.random.default_rng(seed)
    drains(random_layout(rng, brokers=int(rng.integers(3, 6)), partitions=int(rng.integers(1, 5)), dead=False), rng)


def test_a_drain_by_pools_is_as_good_as_by_each_partition(by_pools: list[Found]) -> None:
    """Replicas that must go, with racks, RF 3, and pins among them; as even, with as many moves."""
    rng = np.random.default_rng(12)
    relaxed = 0
    for _ in range(60):
        brokers, rows = int(rng.integers(6, 12)), int(rng.integers(20, 80))
        rack = np.arange(brokers, dtype=np.int32) % int(rng.integers(1, 4))
        targets = np.ones(brokers, np.bool_)
        targets[rng.choice(brokers, 2, replace=False)] = False
        lists = np.array([rng.permutation(brokers)[:3] for _ in range(rows)], np.int32)
        fixed = np.repeat((rng.random(rows) < 0.1)[:, None], 3, axis=1)
        sets = Problem(lists, fixed, targets, rack, out=~targets[lists] & ~fixed)
        fast, exact = Solver(sets, own_arcs=0).evenest(), Solver(sets, own_arcs=10**9).evenest()
        assert fast is not None
        assert exact is not None
        relaxed += any(one is fast for one in by_pools)

        assert outcome(sets, fast) == outcome(sets, exact)
    assert relaxed > 40


def mends(layout: ClusterLayout) -> None:
    """The plan for racks alone is the best of all, and proven so."""
    made = plan(layout, Wish(mend_racks=True))
    proposed, certificate = made.proposed.assignments(), made.certificate

    assert (0, *value_of(layout, proposed)[1:]) == best_of_all(layout, racks_only=True), layout.assignments()
    assert all(sorted(proposed[key]) in map(sorted, sets) for key, sets in sets_of(layout).items())
    assert certificate.moves_proven
    assert certificate.replica_balance_proven
    assert certificate.rack_balance_proven
    changed = [key for key, members in proposed.items() if set(members) != set(layout.assignments()[key])]
    assert numbers_of(layout, proposed, ())[2:] == best_leaders(layout, proposed, changed, ())
    assert certificate.leader_balance_proven


@pytest.mark.parametrize("seed", case_numbers(120))
def test_racks_alone_are_mended_with_the_fewest_moves(seed: int) -> None:
    """Whatever is there; without a rack it is refused, as nothing is known of any."""
    rng = np.random.default_rng(seed)
    layout = random_layout(rng, brokers=int(rng.integers(3, 6)), partitions=int(rng.integers(1, 5)))
    if layout.racks:
        mends(layout)
    else:
        with pytest.raises(WishRefused, match="No rack of a broker is known"):
            plan(layout, Wish(mend_racks=True))


def trades(layout: ClusterLayout) -> int:
    """At every number of moves no plan has as few and is evener, or is as even with fewer; how many were planned."""
    outcomes = outcomes_of(layout)
    moves, squares = outcomes[:, 0], (outcomes[:, 1:] ** 2).sum(axis=1)
    _, most, _ = best_of_all(layout)
    fewest, made_of = int(moves.min()), 0
    for allowed in range(most):
        wish = Wish(rebalance=True, options=Options(max_moves=allowed))
        if allowed < fewest:
            with pytest.raises(WishRefused, match=rf"rack diversity alone needs {fewest:,} moves?\."):
                plan(layout, wish)
            continue
        made = plan(layout, wish)
        certificate = made.certificate
        _, own, reached = value_of(layout, made.proposed.assignments())
        better = (moves <= own) & (squares <= reached)

        assert own <= allowed
        assert not (better & ((moves < own) | (squares < reached))).any(), layout.assignments()
        assert certificate.moves_proven
        assert certificate.replica_balance_proven
        assert certificate.leader_balance_proven
        assert certificate.moves == own
        made_of += 1
    return made_of


@pytest.mark.parametrize("seed", case_numbers(60))
def test_with_fewer_moves_nothing_is_evener(seed: int) -> None:
    """Every limit below the whole rebalance, against every plan there is; too low a limit is refused with the least."""
    rng = np.random.default_rng(seed)
    trades(random_layout(rng, brokers=int(rng.integers(3, 6)), partitions=int(rng.integers(2, 5))))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(50))
def test_with_fewer_moves_nothing_is_evener_at_length(seed: int) -> None:
    """The same of many more."""
    rng = np.random.default_rng(2_000 + seed)
    assert sum(trades(random_layout(rng, brokers=int(rng.integers(3, 7)), partitions=6)) for _ in range(40)) > 20


@pytest.mark.parametrize("seed", case_numbers(20))
def test_a_limit_that_spoils_a_plan_is_not_proven(seed: int) -> None:
    """Of every other outcome that sits best over racks the checker proves none that a plan betters."""
    rng = np.random.default_rng(seed)
    layout = random_layout(rng, brokers=4, partitions=4)
    options, outcomes = sets_of(layout), outcomes_of(layout)
    moves, squares = outcomes[:, 0], (outcomes[:, 1:] ** 2).sum(axis=1)
    for _ in range(20):
        proposed = {key: sets[int(rng.integers(len(sets)))] for key, sets in options.items()}
        _, own, reached = value_of(layout, proposed)
        verdict = check_rebalance(layout, replaced(layout, proposed), limited=True)
        bettered = ((moves <= own) & (squares <= reached) & ((moves < own) | (squares < reached))).any()

        assert not (verdict.moves_proven and bettered), layout.assignments()


def test_the_curve_of_a_rebalance_ends_with_the_least_spread() -> None:
    """Its points have more moves and less spread each; each is a plan at that point, and the judge proves it."""
    rng = np.random.default_rng(4)
    lists = {
        ("t", row): rng.choice(6, 3, replace=False, p=[0.4, 0.3, 0.1, 0.1, 0.05, 0.05]).tolist() for row in range(90)
    }
    layout = ClusterLayout.from_assignments(lists, brokers=[Broker(b) for b in range(6)])
    whole, points = plan(layout, Wish(rebalance=True)), whole_curve(layout, Wish(rebalance=True)).points

    assert len(points) >= 4
    assert [p.moves for p in points] == sorted({p.moves for p in points})
    assert [p.replica_sum_of_squares for p in points] == sorted(
        {p.replica_sum_of_squares for p in points}, reverse=True
    )
    assert (points[-1].moves, points[-1].replica_spread) == (whole.certificate.moves, whole.certificate.replica_spread)
    for point in points:
        wish = Wish(rebalance=True, point=point.moves)
        made = plan(layout, wish)
        assert (made.certificate.moves, made.certificate.replica_spread) == (point.moves, point.replica_spread)
        assert made.certificate.replica_balance_proven
        assert judge(layout, made.proposed, wish).moves == point.moves
    limited = whole_curve(layout, Wish(rebalance=True, options=Options(max_moves=points[1].moves))).points
    assert limited[-1] == points[1]
    assert all(point.moves < points[1].moves for point in limited[:-1])


def test_mending_by_pools_is_as_good_as_by_each_partition(by_pools: list[Found]) -> None:
    """Also where loads go far beyond those of today: the window grows until no broker comes up to its ends."""
    rng = np.random.default_rng(8)
    for brokers, rows in ((8, 40), (10, 400)):
        rack = np.arange(brokers, dtype=np.int32) % 4
        lists = np.array([rng.choice(brokers // 2, 3, replace=False) * 2 for _ in range(rows)], np.int32)
        sets = Problem(lists, np.zeros(lists.shape, np.bool_), np.ones(brokers, np.bool_), rack)
        fast, exact = Solver(sets, own_arcs=0).at(None), Solver(sets, own_arcs=10**9).at(None)
        assert fast is not None
        assert exact is not None

        assert any(one is fast for one in by_pools)
        assert not any(one is exact for one in by_pools)
        assert outcome(sets, fast) == outcome(sets, exact)
        assert outcome(sets, fast)[1] > 0


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100))
def test_it_is_the_best_of_every_plan_there_is_at_length(seed: int) -> None:
    """The same of many more, nearly all of them proven."""
    rng = np.random.default_rng(1_000 + seed)
    proven = 0
    for _ in range(100):
        made = agrees(random_layout(rng, brokers=int(rng.integers(3, 7)), partitions=int(rng.integers(1, 6))))
        proven += made.certificate.moves_proven
        if made.current.racks:
            mends(made.current)

    assert proven >= 99


@pytest.mark.parametrize("seed", case_numbers(60))
def test_what_is_not_the_best_is_never_proven(seed: int) -> None:
    """Any other plan of the sets that sit best over racks is proven exactly where it is as good."""
    rng = np.random.default_rng(seed)
    layout = random_layout(rng, brokers=int(rng.integers(3, 5)), partitions=int(rng.integers(1, 5)))
    best, options = best_of_all(layout), sets_of(layout)
    for _ in range(20):
        proposed = {key: sets[int(rng.integers(len(sets)))] for key, sets in options.items()}
        verdict = check_rebalance(layout, replaced(layout, proposed))
        value = value_of(layout, proposed)

        assert verdict.rack_proven
        assert verdict.moves_proven <= (value == best), layout.assignments()
        assert verdict.replicas_proven <= (value == best)


def test_the_relaxation_is_the_truth_where_it_is_realised(by_pools: list[Found]) -> None:
    """Pools of racks and each partition's own arcs are as even, with as many moves, on a hundred layouts."""
    rng = np.random.default_rng(5)
    relaxed = 0
    for _ in range(100):
        brokers, rows = int(rng.integers(4, 12)), int(rng.integers(10, 60))
        rack = np.arange(brokers, dtype=np.int32) % int(rng.integers(1, 4))
        lists = np.array([rng.permutation(brokers)[:3] for _ in range(rows)], np.int32)
        fixed = np.repeat((rng.random(rows) < 0.1)[:, None], 3, axis=1)
        sets = Problem(lists, fixed, np.ones(brokers, np.bool_), rack)
        fast, exact = Solver(sets, own_arcs=0).evenest(), Solver(sets, own_arcs=10**9).evenest()
        assert fast is not None
        assert exact is not None
        relaxed += any(one is fast for one in by_pools)

        assert not any(one is exact for one in by_pools)
        assert outcome(sets, fast) == outcome(sets, exact)
    assert relaxed > 60


def outcome(sets: Problem, found: Found) -> Value:
    """(spread, moves, sum of squares) of what was found."""
    lists = sets.lists.copy()
    lists[found.rows] = found.lists
    loads = np.bincount(lists.ravel(), minlength=len(sets.targets))[sets.targets]
    stays = (found.lists[:, :, None] == sets.lists[found.rows][:, None, :]).any(axis=2)
    return int(np.ptp(loads)), int((~stays).sum()), int((loads**2).sum())


@pytest.mark.parametrize("seed", case_numbers(60))
def test_of_equal_plans_the_fewest_bytes_are_copied(seed: int) -> None:
    """Spread, moves and evenness come first; of the plans that are equal in them none copies less."""
    rng = np.random.default_rng(seed)
    layout = random_layout(rng, brokers=int(rng.integers(3, 6)), partitions=int(rng.integers(2, 5)))
    sizes = rng.integers(0, 10, len(layout.replicas)).astype(np.float64)
    layout = replace(layout, size_bytes=sizes)
    every, current = sets_of(layout), layout.assignments()
    size = dict(zip(current, sizes.tolist(), strict=True))

    def cost(proposed: Assignments) -> tuple[Value, float]:
        copied = sum(size[key] * len(set(members) - set(current[key])) for key, members in proposed.items())
        return value_of(layout, proposed), copied

    best = min(cost(dict(zip(every, lists, strict=True))) for lists in itertools.product(*every.values()))

    assert cost(plan(layout, Wish(rebalance=True)).proposed.assignments()) == best


def test_racks_are_mended_on_the_way() -> None:
    """Two replicas in a rack become one each, though loads were even already."""
    brokers = [Broker(0, rack="a"), Broker(1, rack="a"), Broker(2, rack="b"), Broker(3, rack="b")]
    layout = ClusterLayout.from_assignments({("t", 0): [0, 1], ("t", 1): [2, 3]}, brokers=brokers)
    made = plan(layout, Wish(rebalance=True))

    assert made.certificate.moves == 2
    assert made.certificate.rack_violations_before == 2
    assert made.certificate.rack_violations_after == 0
    assert made.certificate.replica_spread == 0
    assert made.certificate.sentences[:3] == (
        "2 replicas move, the proven minimum for this balance.",
        "Rack diversity is the best possible for every partition that can move (proven).",
        "Max–min replica count per broker: 0. Proven minimal for this rack placement.",
    )


def test_of_equal_partitions_the_smallest_move() -> None:
    """What moves is chosen by size, where that costs nothing else."""
    lists = {("t", row): [row % 2] for row in range(600)}
    sizes = {("t", row): 1_000_000 * (row + 1) for row in range(600)}
    layout = ClusterLayout.from_assignments(lists, brokers=[Broker(b) for b in range(120)])
    told = np.array([[sizes[("t", int(number))]] for number in layout.partition], np.float64)
    made = plan(replace(layout, size_bytes=told), Wish(rebalance=True))

    assert made.certificate.moves == 590
    assert made.certificate.moves_proven
    assert set(np.flatnonzero(~made.changed).tolist()) >= set(range(592, 600))


def test_what_sits_on_dead_brokers_stays_and_is_said() -> None:
    """A rebalance drains nobody: that is another wish."""
    brokers = [Broker(0), Broker(1), Broker(2, state=BrokerState.FENCED)]
    layout = ClusterLayout.from_assignments({("t", 0): [0, 2], ("t", 1): [0, 2]}, brokers=brokers)
    made = plan(layout, Wish(rebalance=True))

    assert made.certificate.moves == 1
    assert all(2 in members for members in made.proposed.assignments().values())
    assert [finding.sentence for finding in made.findings if finding.kind == "left_on_unavailable"] == [
        "2 replicas stay on broker 2 (fenced). If it does not come back, drain it (--remove 2)."
    ]


def test_even_leaders_moves_nothing() -> None:
    """Three partitions led by one broker are led by three; lists change by their order alone."""
    layout = ClusterLayout.from_assignments({("t", row): [0, 1, 2] for row in range(3)})
    made = even_leaders(layout)

    assert made.certificate.moves == 0
    assert made.certificate.leader_spread == 0
    assert made.certificate.leader_balance_proven
    assert sorted(members[0] for members in made.proposed.assignments().values()) == [0, 1, 2]
    assert all(sorted(members) == [0, 1, 2] for members in made.proposed.assignments().values())
    assert made.certificate.sentences == (
        "No replica moves.",
        "Max–min preferred leaders per broker: 0. Proven minimal for these replica sets.",
        "2 partitions get a new preferred leader. Fewer would worsen leader balance (proven).",
    )


def test_a_wish_to_balance_stands_alone() -> None:
    """Together with another factor it is refused, with what to do instead; options without effect are said."""
    layout = ClusterLayout.from_assignments({("t", 0): [0, 1]}, brokers=[Broker(2)])
    for wish in (
        Wish(rebalance=True, replication_factor=1, topics=("t",)),
        Wish(rebalance=True, remove=(1,), replace=((1, 2),)),
        Wish(mend_racks=True, remove=(1,)),
        Wish(leaders_only=True, add=((9, None),)),
        Wish(leaders_only=True, rebalance=True),
    ):
        with pytest.raises(WishRefused, match="Only a rebalance goes together with brokers"):
            plan(layout, wish)
    made = plan(layout, Wish(leaders_only=True, options=Options(receive_cap=3, by_bytes=True)))

    assert made.wish.leaders_only
    assert [f.sentence for f in made.findings] == [
        "The cap on replicas received has no effect: no replica moves; sizes have no effect: replicas are counted."
    ]
    assert not Wish(rebalance=True).is_empty
    assert "rebalance" not in Wish().as_dict()


@pytest.mark.parametrize("wish", [Wish(rebalance=True), Wish(leaders_only=True)])
def test_the_judge_knows_our_own_plan_and_one_that_is_not_it(wish: Wish) -> None:
    """Of the same change: what we made is proven, and what stands as it was is not."""
    layout = random_layout(np.random.default_rng(3), brokers=5, partitions=6, dead=False)
    made = plan(layout, wish)
    assert made.changed.any()
    own, nothing = judge(layout, made.proposed, wish), judge(layout, layout, wish)

    assert own.moves_proven
    assert own.leader_balance_proven
    assert own.moves == made.certificate.moves
    assert not nothing.leader_balance_proven
    assert nothing.moves_proven == wish.leaders_only


def test_a_drain_takes_the_place_of_what_it_cannot_be_with() -> None:
    """Who drags a broker out while leaders alone are rebalanced gets the drain, not a refusal; a rebalance stays."""
    assert Wish(rebalance=True, remove=(3,)).of_brokers() == Wish(rebalance=True, remove=(3,))
    assert Wish(leaders_only=True, remove=(3,)).of_brokers() == Wish(remove=(3,))
    assert Wish(mend_racks=True).of_brokers() == Wish()


def test_new_brokers_fill_on_a_curve_too() -> None:
    """An empty broker joins and the cluster is rebalanced: with fewer moves it gets less."""
    lists = {("t", row): [row % 3, (row + 1) % 3] for row in range(30)}
    layout = ClusterLayout.from_assignments(lists)
    wish = Wish(add=((7, None), (8, None)), rebalance=True)
    points = whole_curve(layout, wish).points
    few = plan(layout, wish.at(points[0].moves))

    assert (points[-1].moves, points[-1].replica_spread) == (24, 0)
    assert len(points) > 2
    assert (few.certificate.moves, few.certificate.moves_proven) == (points[0].moves, True)


def test_a_partition_that_finds_no_broker_refuses_the_drain() -> None:
    """Two of three brokers leave, and each partition needs two."""
    layout = ClusterLayout.from_assignments({("t", 0): [0, 1], ("t", 1): [1, 2]})
    with pytest.raises(WishRefused, match="Replication factor 2 needs as many brokers, but only 1 broker"):
        plan(layout, Wish(remove=(0, 1), rebalance=True))
    with pytest.raises(WishRefused, match="Broker 9 is not in this layout"):
        plan(layout, Wish(remove=(9,), rebalance=True))
