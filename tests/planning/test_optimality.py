"""Planners reach the best there is, the checker knows it when it sees it, and the judge tells it from its neighbours.

Small layouts are compared with every choice there is (``brute_force``), medium ones with CP-SAT, a solver that works
in another way than the planners.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from ortools.sat.python import cp_model

from reseat.errors import WishRefused
from reseat.model import Broker, BrokerState, ClusterLayout, Options, Wish
from reseat.planning import plan
from reseat.planning.judge import judge
from reseat.planning.proof.verdict import Verdict
from tests.cases import cases, sweep
from tests.planning.brute_force import (
    Assignments,
    addition_options,
    addition_outcomes,
    best_leaders,
    best_of,
    best_sets,
    grown_options,
    numbers_of,
    options_of,
    rack_names,
    rack_squares,
    random_layout,
    replaced,
    resorts_of,
    shrunk_options,
    targets_of,
)
from tests.planning.checking import check_addition, check_removal, check_replication_factor, wholly_proven

#: Choices of replica sets that are tried one by one.
MOST_CHOICES = 4_000


@st.composite
def removals(draw: st.DrawFn) -> tuple[ClusterLayout, tuple[int, ...]]:
    """A layout of a few brokers and partitions, and brokers to take out; some layouts have empty brokers."""
    count = draw(st.integers(2, 6))
    ids = sorted(draw(st.sets(st.integers(0, 30), min_size=count, max_size=count)))
    racks = draw(
        st.one_of(
            st.just([None] * count),
            st.just([f"r{i % 2}" for i in range(count)]),
            st.lists(st.sampled_from(["r0", "r1", "r2"]), min_size=count, max_size=count),
            st.lists(st.sampled_from(["r0", "r1", None]), min_size=count, max_size=count),
        )
    )
    state = st.sampled_from([BrokerState.DEAD, BrokerState.FENCED, BrokerState.SHUTTING_DOWN])
    states = draw(st.dictionaries(st.sampled_from(ids), state, max_size=2))
    lists = draw(
        st.lists(
            st.lists(st.sampled_from(ids), min_size=1, max_size=min(4, count), unique=True), min_size=1, max_size=7
        )
    )
    steps = draw(st.lists(st.integers(1, 9), min_size=len(lists), max_size=len(lists)))
    remove = draw(st.sets(st.sampled_from(ids), min_size=1, max_size=2))
    known = [
        Broker(i, rack=rack, state=states.get(i, BrokerState.NOT_TOLD)) for i, rack in zip(ids, racks, strict=True)
    ]
    partitions = {("ab"[row % 2], sum(steps[: row + 1])): ids for row, ids in enumerate(lists)}
    return ClusterLayout.from_assignments(partitions, brokers=known), tuple(sorted(remove))


def choices(options: dict[tuple[str, int], list[list[int]]]) -> int:
    """How many plans there are."""
    return math.prod(len(sets) for sets in options.values())


def flags(verdict: Verdict) -> tuple[bool, bool, bool, bool]:
    """What the checker calls proven, in the order of the objectives."""
    return verdict.rack_proven, verdict.replicas_proven, verdict.leaders_proven, verdict.changed_leaders_proven


def reaches_the_best(layout: ClusterLayout, remove: tuple[int, ...], reorder_all: bool, most: int) -> None:
    """Moves equal the bound, and each objective in turn equals the least over every minimal plan, of so many."""
    options = options_of(layout, remove)
    assume(choices(options) <= most)
    best = best_sets(layout, remove) if targets_of(layout, remove) else None
    wish = Wish(remove=remove, options=Options(reorder_all=reorder_all))
    if best is None:
        with pytest.raises(WishRefused):
            plan(layout, wish)
        return

    made = plan(layout, wish)

    proposed, current = made.proposed.assignments(), layout.assignments()
    free = list(proposed) if reorder_all else list(options)
    assert numbers_of(layout, proposed, remove) == (
        best.rack,
        best.replicas,
        *best_leaders(layout, proposed, free, remove),
    )
    certificate = made.certificate
    assert certificate.valid
    assert certificate.moves == certificate.least_moves == sum(m in remove for ids in current.values() for m in ids)
    assert wholly_proven(certificate)
    for key, members in proposed.items():
        assert len(members) == len(set(members)) == len(current[key])
        if key not in free:
            assert members == current[key]


class TestRemoval:
    @settings(max_examples=cases(80), deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
    @given(removals(), st.booleans())
    def test_planner_reaches_the_best_of_all_choices(
        self, case: tuple[ClusterLayout, tuple[int, ...]], reorder_all: bool
    ) -> None:
        """On small layouts, with all leaders free and without."""
        reaches_the_best(*case, reorder_all, MOST_CHOICES)

    @sweep(150)
    def test_checker_agrees_with_all_choices_on_random_plans(self, many: int) -> None:
        """Of minimal plans taken at random the checker calls proven those that are the best, and no others."""
        seen = set()
        for layout, remove, proposed in random_removals(np.random.default_rng(7), layouts=many, plans=5):
            options = options_of(layout, remove)
            best = best_sets(layout, remove)
            verdict = check_removal(layout, replaced(layout, proposed), remove)

            assert best is not None
            rack, replicas, leaders, changed = numbers_of(layout, proposed, remove)
            least_leaders, fewest = best_leaders(layout, proposed, list(options), remove)
            assert flags(verdict) == (
                rack == best.rack,
                (rack, replicas) == (best.rack, best.replicas),
                leaders == least_leaders,
                (leaders, changed) == (least_leaders, fewest),
            ), (layout.assignments(), layout.brokers, remove, proposed)
            seen.add(flags(verdict))
        assert len(seen) >= 8  # every kind of plan was met, not only good ones

    @sweep(150)
    def test_cap_is_kept_and_proofs_hold_under_it(self, many: int) -> None:
        """With a cap the checker claims nothing that another plan within the cap betters."""
        proven = 0
        for layout, remove, proposed in random_removals(np.random.default_rng(8), layouts=many, plans=4):
            best = best_sets(layout, remove, receive_cap=1)
            verdict = check_removal(layout, replaced(layout, proposed), remove, rules=Options(receive_cap=1))
            if verdict.faults:
                continue

            assert best is not None
            rack, replicas, _, _ = numbers_of(layout, proposed, remove)
            assert verdict.rack_proven <= (rack == best.rack)
            assert verdict.replicas_proven <= ((rack, replicas) == (best.rack, best.replicas))
            proven += verdict.replicas_proven
        assert proven > many // 8

    def test_planner_keeps_the_cap_at_the_least_cost(self) -> None:
        """A capped plan is the best within the cap, or is refused where the cap would cost racks."""
        rng = np.random.default_rng(9)
        made = 0
        while made < 60:
            layout = random_layout(rng, brokers=6, partitions=int(rng.integers(3, 8)))
            remove = (layout.brokers[int(rng.integers(6))].id,)
            if not 1 < choices(options_of(layout, remove)) <= MOST_CHOICES:
                continue
            best, free = best_sets(layout, remove, receive_cap=1), best_sets(layout, remove)
            try:
                certificate = plan(layout, Wish(remove=remove, options=Options(receive_cap=1))).certificate
            except WishRefused:
                assert best is None or free is None or best.rack > free.rack
                continue

            assert best is not None
            assert (certificate.rack_sum_of_squares or 0, certificate.replica_sum_of_squares) == (
                best.rack,
                best.replicas,
            )
            assert certificate.replica_balance_proven
            made += 1

    @pytest.mark.slow
    @settings(max_examples=6_000, deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
    @given(removals(), st.booleans())
    def test_planner_reaches_the_best_in_a_long_sweep(
        self, case: tuple[ClusterLayout, tuple[int, ...]], reorder_all: bool
    ) -> None:
        """As above, on many more layouts, and larger ones."""
        reaches_the_best(*case, reorder_all, 20 * MOST_CHOICES)


class TestJudge:
    def test_optimal_plan_is_told_from_one_that_is_one_swap_away(self) -> None:
        """Each neighbour of an optimal plan is called as good as it is, in every objective."""
        assert judged_neighbours(np.random.default_rng(10), 24) > 8

    @pytest.mark.slow
    def test_optimal_plan_is_told_from_its_neighbours_in_a_long_sweep(self) -> None:
        """As above, on many more layouts."""
        assert judged_neighbours(np.random.default_rng(19), 20_000) > 7_000

    @pytest.mark.parametrize("many", [24, pytest.param(600, marks=pytest.mark.slow)])
    def test_needless_move_is_never_called_least(self, many: int) -> None:
        """One replica that could have stayed moves too: one move more than enough."""
        rng = np.random.default_rng(11)
        judged = 0
        while judged < many:
            layout = random_layout(rng, brokers=6, partitions=6)
            remove = (layout.brokers[int(rng.integers(6))].id,)
            targets = targets_of(layout, remove)
            try:
                proposed = plan(layout, Wish(remove=remove)).proposed.assignments()
            except WishRefused:
                continue
            current = layout.assignments()
            for key in [list(proposed)[int(at)] for at in rng.permutation(len(proposed))[:3]]:
                stays = [i for i, member in enumerate(proposed[key]) if member in current[key]]
                free = [t for t in targets if t not in proposed[key] and t not in current[key]]
                if not stays or not free:
                    continue
                further = {**proposed, key: list(proposed[key])}
                further[key][stays[0]] = free[0]
                certificate = judge(layout, replaced(layout, further), Wish(remove=remove))
                judged += 1

                assert certificate.valid
                assert certificate.moves == (certificate.least_moves or 0) + 1
                assert not certificate.moves_proven
                assert not certificate.rack_balance_proven
                assert not certificate.replica_balance_proven

    @pytest.mark.parametrize("many", [24, pytest.param(600, marks=pytest.mark.slow)])
    def test_broken_plans_are_refused(self, many: int) -> None:
        """A replica left behind, a broker twice, one replica too few or too many, an unknown broker: always a fault."""
        rng = np.random.default_rng(12)
        judged = 0
        while judged < many:
            layout = random_layout(rng, brokers=6, partitions=6)
            remove = (layout.brokers[int(rng.integers(6))].id,)
            try:
                proposed = plan(layout, Wish(remove=remove)).proposed.assignments()
            except WishRefused:
                continue
            keys = [key for key, members in proposed.items() if len(members) > 1]
            if not keys:
                continue
            key = keys[int(rng.integers(len(keys)))]
            first, second, *others = members = proposed[key]
            free = [t for t in targets_of(layout, remove) if t not in members]
            for broken in (
                [first, remove[0], *others],
                [first, first, *others],
                [first, *others],
                [first, 9_999, *others],
                [first, second, *others, (free or [first])[0]],
            ):
                certificate = judge(layout, replaced(layout, {**proposed, key: broken}), Wish(remove=remove))
                judged += 1

                assert certificate.faults, broken
                assert not certificate.valid
                assert not any((certificate.moves_proven, certificate.replica_balance_proven))
                assert not any((certificate.rack_balance_proven, certificate.leader_balance_proven))


class TestReplicationFactor:
    @sweep(150)
    def test_planner_reaches_the_best_of_all_choices(self, many: int) -> None:
        """Up and down, with racks of every kind: racks first, then the evenest replicas."""
        rng = np.random.default_rng(13)
        made = 0
        while made < many:
            layout = random_layout(rng, brokers=5, partitions=int(rng.integers(2, 6)), dead=False)
            topics, factor = (["a"], ["a", "b"])[int(rng.integers(2))], int(rng.integers(1, 5))
            if not set(topics) <= set(layout.topics):
                continue
            options = grown_options(layout, topics, factor) | shrunk_options(layout, topics, factor)
            if choices(options) > MOST_CHOICES:
                continue
            best = best_of(layout, options, targets_of(layout, ()))
            certificate = plan(layout, Wish(replication_factor=factor, topics=tuple(topics))).certificate
            made += 1

            assert best is not None
            assert certificate.valid
            assert (certificate.rack_sum_of_squares or 0, certificate.replica_sum_of_squares) == (
                best.rack,
                best.replicas,
            )
            assert all((certificate.moves_proven, certificate.rack_balance_proven, certificate.replica_balance_proven))

    @sweep(100)
    def test_planner_keeps_leaders_and_in_sync_copies(self, many: int) -> None:
        """Going down with leaders, ISRs and a dead broker told: dead replicas first, and the best of what may go."""
        rng = np.random.default_rng(17)
        made = proven = 0
        while made < many:
            layout = led(rng, random_layout(rng, brokers=5, partitions=int(rng.integers(1, 5)), deepest=4))
            factor = int(rng.integers(1, 4))
            options = shrinkable(layout, factor) | grown_options(layout, layout.topics, factor)
            wish = Wish(replication_factor=factor, topics=layout.topics, options=Options(keep_unmovable=True))
            if choices(options) > MOST_CHOICES // 10:
                continue
            made += 1
            if not choices(options):
                with pytest.raises(WishRefused):
                    plan(layout, wish)
                continue
            own = plan(layout, wish)

            assert own.certificate.valid
            assert judge(layout, own.proposed, wish).valid
            best = min(
                with_dead(layout, {**layout.assignments(), **dict(zip(options, sets, strict=True))})
                for sets in itertools.product(*options.values())
            )
            assert with_dead(layout, own.proposed.assignments()) >= best
            # That one in-sync copy stays, whichever, is not in the checker's graph: such plans may stay unproven.
            if own.certificate.replica_balance_proven:
                assert with_dead(layout, own.proposed.assignments()) == best
                proven += 1
        assert proven > 0.6 * many

    @sweep(400)
    def test_checker_agrees_with_all_choices_on_random_plans(self, many: int) -> None:
        """The checker calls proven what is the best over the same choices, and nothing else."""
        rng = np.random.default_rng(14)
        judged = proven = 0
        while judged < many:
            layout = random_layout(rng, brokers=5, partitions=int(rng.integers(2, 6)), dead=False)
            factor = int(rng.integers(1, 5))
            options = grown_options(layout, layout.topics, factor) | shrunk_options(layout, layout.topics, factor)
            if choices(options) > MOST_CHOICES:
                continue
            best = best_of(layout, options, targets_of(layout, ()))
            proposed = layout.assignments()
            for key, sets in options.items():
                proposed[key] = sets[int(rng.integers(len(sets)))]
            verdict = check_replication_factor(layout, replaced(layout, proposed), layout.topics, factor)
            judged += 1

            assert best is not None
            rack, replicas, _, _ = numbers_of(layout, proposed, ())
            assert verdict.moves_proven
            assert verdict.rack_proven == (rack == best.rack)
            assert verdict.replicas_proven == ((rack, replicas) == (best.rack, best.replicas))
            proven += verdict.replicas_proven
        assert many < 8 * proven < 7 * many


class TestAddition:
    @sweep(120)
    def test_planner_reaches_the_best_of_all_choices(self, many: int) -> None:
        """Least spread, then fewest moves, then the least sum of squares, over every allowed plan."""
        rng = np.random.default_rng(15)
        made = proven = 0
        for layout, added in additions(rng, many):
            outcomes = addition_outcomes(layout, added, addition_options(layout, added))
            best = min(map(tuple, outcomes.tolist()))
            wish = Wish(add=tuple((i, None) for i in added))
            certificate = plan(layout, wish).certificate
            made += 1
            found = (certificate.replica_spread, certificate.moves, certificate.replica_sum_of_squares)

            assert certificate.valid
            assert best <= found
            # Where racks are uneven a plan may be missed, and is then not claimed.
            if certificate.moves_proven:
                assert found[:2] == best[:2]
            if certificate.replica_balance_proven:
                assert found == best
            proven += certificate.replica_balance_proven
        assert proven > 0.9 * made

    @sweep(80)
    def test_planner_makes_the_most_of_few_moves(self, many: int) -> None:
        """With at most so many moves: the least sum of squares of every allowed plan with at most as many."""
        rng = np.random.default_rng(18)
        for layout, added in additions(rng, many):
            outcomes = addition_outcomes(layout, added, addition_options(layout, added))
            needed = min(map(tuple, outcomes.tolist()))[1]
            if not needed:
                continue
            most = int(rng.integers(0, needed))
            wish = Wish(add=tuple((i, None) for i in added), options=Options(max_moves=most))
            certificate = plan(layout, wish).certificate

            assert certificate.moves <= most
            least = int(outcomes[outcomes[:, 1] <= most, 2].min())
            assert (certificate.replica_sum_of_squares or 0) >= least
            if certificate.replica_balance_proven:
                assert certificate.replica_sum_of_squares == least

    @sweep(120)
    def test_checker_claims_nothing_that_another_plan_betters(self, many: int) -> None:
        """Plans taken at random, bettered at random: what is called proven is the best, and the best mostly is."""
        rng = np.random.default_rng(16)
        best_met = proven = 0
        for layout, added in additions(rng, many):
            options = addition_options(layout, added)
            outcomes = addition_outcomes(layout, added, options)
            best = min(map(tuple, outcomes.tolist()))
            for tries in (0, 40):
                proposed = bettered(rng, layout, options, tries)
                verdict = check_addition(layout, replaced(layout, proposed), added)
                found = (verdict.replica_spread, verdict.moves, verdict.replica_sum_of_squares)

                assert verdict.moves_proven <= (found[:2] == best[:2])
                assert verdict.replicas_proven <= (found == best)
                best_met += found == best
                proven += verdict.replicas_proven
        assert best_met > many // 2
        assert proven > 0.9 * best_met

    @sweep(120)
    def test_checker_claims_nothing_under_a_limit_that_another_plan_betters(self, many: int) -> None:
        """The same with at most so many moves: as many as the plan makes, more, or fewer; the best mostly is proven."""
        rng = np.random.default_rng(20)
        best_met = proven = 0
        for layout, added in additions(rng, many):
            options = addition_options(layout, added)
            outcomes = addition_outcomes(layout, added, options)
            for tries in (0, 8, 40):
                proposed = replaced(layout, bettered(rng, layout, options, tries))
                moves = check_addition(layout, proposed, added).moves
                for most in {moves, moves + 1, max(0, moves - 1)}:
                    verdict = check_addition(layout, proposed, added, max_moves=most)
                    least = int(outcomes[outcomes[:, 1] <= most, 2].min())
                    best = moves <= most and verdict.replica_sum_of_squares == least

                    assert not verdict.moves_proven
                    assert verdict.replicas_proven <= best, (layout.assignments(), layout.brokers, added, most)
                    best_met += best
                    proven += verdict.replicas_proven
        assert best_met > many
        assert proven > 0.9 * best_met


class TestAgainstAnotherSolver:
    @pytest.mark.parametrize("seed", range(5))
    def test_medium_removal_equals_cp_sat(self, seed: int) -> None:
        """Twelve brokers and eighty partitions: CP-SAT finds no better plan, in any objective."""
        rng = np.random.default_rng(100 + seed)
        layout = random_layout(rng, brokers=12, partitions=80, deepest=4)
        remove = tuple(sorted(int(i) for i in rng.choice(layout.broker_ids, 2 - seed % 2, replace=False)))

        made = plan(layout, Wish(remove=remove))

        rack, replicas = solved_sets(layout, remove)
        certificate = made.certificate
        assert (certificate.rack_sum_of_squares or 0, certificate.replica_sum_of_squares) == (rack, replicas)
        assert all((certificate.rack_balance_proven, certificate.replica_balance_proven))
        assert (certificate.leader_sum_of_squares, certificate.changed_preferred_leaders) == solved_leaders(
            layout, made.proposed.assignments(), remove
        )
        assert all((certificate.leader_balance_proven, certificate.changed_leaders_proven))


def judged_neighbours(rng: np.random.Generator, count: int) -> int:
    """Judge optimal plans and plans one step away from them against all choices; return how many were worse."""
    judged = worse = 0
    while judged < count:
        layout = random_layout(rng, brokers=int(rng.integers(4, 8)), partitions=int(rng.integers(3, 9)))
        remove = (layout.brokers[int(rng.integers(len(layout.brokers)))].id,)
        options = options_of(layout, remove)
        if not 1 < choices(options) <= MOST_CHOICES:
            continue
        best, wish = best_sets(layout, remove), Wish(remove=remove)
        assert best is not None
        optimal = plan(layout, wish).proposed.assignments()
        for neighbour in (optimal, *neighbours(rng, layout, optimal, remove)):
            certificate = judge(layout, replaced(layout, neighbour), wish)
            judged += 1

            rack, replicas, leaders, changed = numbers_of(layout, neighbour, remove)
            least_leaders, fewest = best_leaders(layout, neighbour, list(options), remove)
            assert not certificate.faults
            assert certificate.moves_proven
            assert certificate.rack_balance_proven == (rack == best.rack)
            assert certificate.replica_balance_proven == ((rack, replicas) == (best.rack, best.replicas))
            assert certificate.leader_balance_proven == (leaders == least_leaders)
            assert certificate.changed_leaders_proven == ((leaders, changed) == (least_leaders, fewest))
            assert (certificate.least_rack_sum_of_squares or 0) == best.rack
            assert certificate.least_replica_sum_of_squares == best.replicas
            assert certificate.least_leader_sum_of_squares == least_leaders
            assert certificate.least_changed_preferred_leaders == (None if changed < fewest else fewest)
            worse += (rack, replicas, leaders, changed) != (best.rack, best.replicas, least_leaders, fewest)
    return worse


# ---- cases -------------------------------------------------------------------------------------------------


def random_removals(
    rng: np.random.Generator, *, layouts: int, plans: int
) -> Iterator[tuple[ClusterLayout, tuple[int, ...], Assignments]]:
    """Layouts, brokers to take out, and minimal plans with random newcomers in random order, a live one in front."""
    found = 0
    while found < layouts:
        layout = random_layout(rng, brokers=int(rng.integers(3, 7)), partitions=int(rng.integers(2, 7)))
        count = 1 if rng.random() < 0.7 else 2
        remove = tuple(int(i) for i in rng.choice(layout.broker_ids, count, replace=False))
        options, targets, resorts = options_of(layout, remove), targets_of(layout, remove), resorts_of(layout, remove)
        if not 1 < choices(options) <= MOST_CHOICES or best_sets(layout, remove, receive_cap=1) is None:
            continue
        found += 1
        for _ in range(plans):
            proposed = layout.assignments()
            for key, sets in options.items():
                members = [int(i) for i in rng.permutation(sets[int(rng.integers(len(sets)))])]
                proposed[key] = sorted(members, key=lambda m: (m not in targets, m not in resorts))
            yield layout, remove, proposed


def neighbours(
    rng: np.random.Generator, layout: ClusterLayout, optimal: Assignments, remove: tuple[int, ...]
) -> Iterator[Assignments]:
    """Plans that differ from this one by one newcomer, or by the order of one changed list."""
    targets, current = targets_of(layout, remove), layout.assignments()
    changed = [key for key in optimal if any(member in remove for member in current[key])]
    for _ in range(4):
        key = changed[int(rng.integers(len(changed)))]
        members = list(optimal[key])
        newcomers = [i for i, member in enumerate(members) if member not in current[key]]
        free = [t for t in targets if t not in members]
        if free:
            members[newcomers[int(rng.integers(len(newcomers)))]] = free[int(rng.integers(len(free)))]
            yield {**optimal, key: members}
        members = list(optimal[key])
        live = [i for i, member in enumerate(members) if member in targets]
        if live:
            at = live[int(rng.integers(len(live)))]
            members[0], members[at] = members[at], members[0]
            yield {**optimal, key: members}


def led(rng: np.random.Generator, layout: ClusterLayout) -> ClusterLayout:
    """The layout with leaders and ISRs, told for some partitions; some have no leader, some a follower for one."""
    lists = layout.assignments()
    leaders: dict[tuple[str, int], int | None] = {}
    in_sync = {}
    for key, members in lists.items():
        draw = rng.random()
        if draw < 0.5:
            leaders[key] = members[int(rng.integers(len(members)))] if draw < 0.4 else None
        if rng.random() < 0.6:
            leader = leaders.get(key)
            in_sync[key] = [m for m in members if m == leader or rng.random() < 0.5]
    return ClusterLayout.from_assignments(lists, brokers=layout.brokers, leaders=leaders, in_sync=in_sync)


def shrinkable(layout: ClusterLayout, factor: int) -> dict[tuple[str, int], list[list[int]]]:
    """For each partition with too many replicas: every set that keeps its leader and an in-sync copy."""
    options = {}
    for (key, members), leader, synced in zip(
        layout.assignments().items(), layout.leader_ids.tolist(), in_sync_ids(layout), strict=True
    ):
        if len(members) > factor:
            stays = {leader if leader >= 0 else members[0]} | (set(synced) if len(synced) == 1 else set())
            options[key] = [
                list(some)
                for some in itertools.combinations(members, factor)
                if stays <= set(some) and (not synced or set(synced) & set(some))
            ]
    return options


def in_sync_ids(layout: ClusterLayout) -> list[list[int]]:
    """The told ISR of each partition, empty where it is not told."""
    assert layout.in_sync is not None
    told = layout.in_sync & layout.in_sync_known[:, None]
    return [ids[mask].tolist() for ids, mask in zip(layout.replica_ids, told, strict=True)]


def with_dead(layout: ClusterLayout, proposed: Assignments) -> tuple[int, int, int]:
    """(rack sum of squares, replicas on dead brokers, replica sum of squares)."""
    targets = targets_of(layout, ())
    rack, replicas, _, _ = numbers_of(layout, proposed, ())
    return rack, sum(m not in targets for members in proposed.values() for m in members), replicas


def additions(rng: np.random.Generator, count: int) -> Iterator[tuple[ClusterLayout, list[int]]]:
    """Layouts with one or two brokers that join, in racks that there are; now and then one that holds replicas."""
    found = 0
    while found < count:
        brokers = int(rng.integers(2, 6))
        layout = random_layout(rng, brokers=brokers, partitions=int(rng.integers(2, 8)), deepest=min(brokers, 3))
        if rng.random() < 0.75:
            racks = [broker.rack for broker in layout.brokers]
            new = [Broker(100 + i, rack=racks[int(rng.integers(len(racks)))]) for i in range(int(rng.integers(1, 3)))]
            layout, added = layout.with_brokers(new), [broker.id for broker in new]
        else:
            added = [int(rng.choice(targets_of(layout, ())))]
        found += 1
        yield layout, added


def bettered(
    rng: np.random.Generator, layout: ClusterLayout, options: dict[tuple[str, int], list[list[int]]], tries: int
) -> Assignments:
    """A random allowed plan, or the present layout changed a little as often as that makes it no worse."""
    targets, current, keys = targets_of(layout, ()), layout.assignments(), list(options)

    def value(proposed: Assignments) -> tuple[int, int, int]:
        loads = [sum(t in members for members in proposed.values()) for t in targets]
        moves = sum(member not in current[key] for key in proposed for member in proposed[key])
        return max(loads) - min(loads), moves, sum(load * load for load in loads)

    if not tries:
        return {key: list(sets[int(rng.integers(len(sets)))]) for key, sets in options.items()}
    proposed = {key: list(members) for key, members in current.items()}
    for _ in range(tries):
        key = keys[int(rng.integers(len(keys)))]
        other = {**proposed, key: list(options[key][int(rng.integers(len(options[key])))])}
        if value(other) <= value(proposed):
            proposed = other
    return proposed


# ---- the other solver ----------------------------------------------------------------------------------------


def solved_sets(layout: ClusterLayout, remove: tuple[int, ...]) -> tuple[int, int]:
    """Least rack and then replica sum of squares of any minimal plan, by CP-SAT."""
    targets, racks, current = targets_of(layout, remove), rack_names(layout), layout.assignments()
    model = cp_model.CpModel()
    received: dict[int, list[cp_model.IntVar]] = {t: [] for t in targets}
    rack_cost: list[cp_model.LinearExpr | int] = []
    for key, members in current.items():
        kept = [m for m in members if m not in remove]
        if len(kept) == len(members):
            rack_cost.append(rack_squares(members, racks))
            continue
        chosen = {t: model.new_bool_var(f"{key}{t}") for t in targets if t not in kept}
        model.add(sum(chosen.values()) == len(members) - len(kept))
        for t, variable in chosen.items():
            received[t].append(variable)
        for rack in set(racks.values()) if racks else ():
            here = sum(racks[m] == rack for m in kept) if racks else 0
            entering = [v for t, v in chosen.items() if racks and racks[t] == rack]
            rack_cost.append(here * here + stepped(model, entering, here))
    loads = {t: sum(t in m for m in current.values()) for t in targets}
    squares = sum(loads[t] ** 2 + stepped(model, received[t], loads[t]) for t in targets)
    weight = 4 * (sum(len(m) for m in current.values()) + 1) ** 2
    solver = solved(model, weight * sum(rack_cost) + squares)
    return amount(solver, sum(rack_cost)), amount(solver, squares)


def solved_leaders(layout: ClusterLayout, proposed: Assignments, remove: tuple[int, ...]) -> tuple[int, int]:
    """Least sum of squares of preferred leaders and then fewest changes for these replica sets, by CP-SAT."""
    targets, current = targets_of(layout, remove), layout.assignments()
    model = cp_model.CpModel()
    led: dict[int, list[cp_model.IntVar]] = {t: [] for t in targets}
    fixed = dict.fromkeys(targets, 0)
    changes: list[cp_model.LinearExpr | int] = [0]
    for key, members in proposed.items():
        live = [m for m in members if m in targets]
        if not any(m in remove for m in current[key]):
            if members[0] in fixed:
                fixed[members[0]] += 1
            continue
        first = {m: model.new_bool_var(f"{key}{m}") for m in live}
        model.add_exactly_one(first.values())
        for m, variable in first.items():
            led[m].append(variable)
            if m != current[key][0]:
                changes.append(variable)
    squares = sum(fixed[t] ** 2 + stepped(model, led[t], fixed[t]) for t in targets)
    solver = solved(model, 4 * len(proposed) * squares + sum(changes))
    return amount(solver, squares), amount(solver, sum(changes))


def amount(solver: cp_model.CpSolver, expression: cp_model.LinearExpr | int) -> int:
    """The value of an expression, which is a plain number where nothing was left to choose."""
    return expression if isinstance(expression, int) else solver.value(expression)


def stepped(model: cp_model.CpModel, added: list[cp_model.IntVar], start: int) -> cp_model.LinearExpr | int:
    """What the square of ``start`` grows by: each further unit costs two more than the one before it."""
    steps = [model.new_bool_var("") for _ in added]
    if not added:
        return 0
    model.add(sum(steps) == sum(added))
    return sum((2 * (start + i) + 1) * step for i, step in enumerate(steps))


def solved(model: cp_model.CpModel, cost: cp_model.LinearExpr | int) -> cp_model.CpSolver:
    """A solver that has found and proven the least cost."""
    model.minimize(cost)
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.max_time_in_seconds = 60
    status = solver.solve(model)
    assert status == cp_model.OPTIMAL
    return solver
