"""A limit on the data that a rebalance copies."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from reseat.errors import WishRefused
from reseat.model import Broker, ClusterLayout, Options, Wish
from reseat.planning import plan, whole_curve
from reseat.planning.conflict import Conflict, conflict
from reseat.planning.judge import judge
from tests.cases import case_numbers
from tests.planning.brute_force import addition_options, addition_outcomes, random_layout
from tests.planning.test_add import random_case
from tests.planning.test_rebalance import outcomes_of, value_of


def limited(most: int, **others: object) -> Wish:
    """A rebalance that copies at most so many bytes."""
    return Wish(rebalance=True, options=Options(max_bytes=most, **others))  # type: ignore[arg-type]


def sized(layout: ClusterLayout, rng: np.random.Generator) -> ClusterLayout:
    """The same with a size of each partition."""
    sizes = rng.integers(1, 50, layout.partition_count).astype(np.float64)
    return replace(layout, size_bytes=np.where(layout.replicas >= 0, sizes[:, None], np.nan))


def copied(layout: ClusterLayout, proposed: ClusterLayout) -> float:
    """Bytes of the newcomers, counted with loops."""
    before, sizes = layout.assignments(), np.fmax.reduce(layout.size_bytes, axis=1)
    return float(
        sum(
            sizes[row] * len(set(members) - set(before[key]))
            for row, (key, members) in enumerate(proposed.assignments().items())
        )
    )


def holds(layout: ClusterLayout) -> int:
    """At every limit no more is copied, and no plan with as few moves is evener; how many were planned."""
    outcomes = outcomes_of(layout)
    moves, squares = outcomes[:, 0], (outcomes[:, 1:] ** 2).sum(axis=1)
    whole, made_of = plan(layout, Wish(rebalance=True)), 0
    all_of_it = int(copied(layout, whole.proposed))
    for most in sorted({0, all_of_it // 3, all_of_it // 2, all_of_it - 1, all_of_it} - {-1}):
        try:
            made = plan(layout, limited(most))
        except WishRefused:
            # Racks alone copy more.
            assert most < copied(layout, plan(layout, Wish(mend_racks=True)).proposed)
            continue
        _, own, reached = value_of(layout, made.proposed.assignments())

        assert copied(layout, made.proposed) <= most
        assert not ((moves < own) & (squares <= reached)).any() or most == all_of_it
        assert not ((moves <= own) & (squares < reached)).any() or most == all_of_it
        assert made.certificate.faults == ()
        assert judge(layout, made.proposed, limited(most)).faults == ()
        if most == all_of_it:
            assert made.certificate.moves == whole.certificate.moves
        made_of += 1
    return made_of


@pytest.mark.parametrize("seed", case_numbers(25))
def test_no_more_is_copied_and_nothing_with_as_few_moves_is_evener(seed: int) -> None:
    """Against every plan there is."""
    rng = np.random.default_rng(seed)
    layout = random_layout(rng, brokers=int(rng.integers(3, 6)), partitions=int(rng.integers(2, 5)))
    holds(sized(layout, rng))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(50))
def test_no_more_is_copied_at_length(seed: int) -> None:
    """The same of many more."""
    rng = np.random.default_rng(7_000 + seed)
    layouts = (sized(random_layout(rng, brokers=int(rng.integers(3, 7)), partitions=6), rng) for _ in range(40))

    assert sum(map(holds, layouts)) > 40


def holds_for_added(seed: int) -> None:
    """Onto added brokers no more is copied, and of all plans with as few moves none is evener; what fits is planned."""
    rng = np.random.default_rng(seed)
    layout, added = random_case(seed)
    layout = sized(layout, rng)
    ids = [broker.id for broker in added]
    wish = Wish(add=tuple(sorted((broker.id, broker.rack) for broker in added)))
    whole = plan(layout, wish)
    outcomes = addition_outcomes(whole.current, ids, addition_options(whole.current, ids))
    all_of_it = int(copied(whole.current, whole.proposed))
    for most in sorted({0, all_of_it // 2, all_of_it - 1, all_of_it} - {-1}):
        asked = replace(wish, options=Options(max_bytes=most))
        made = plan(layout, asked)
        told, judged = made.certificate, judge(layout, made.proposed, asked)
        own, squares = told.moves, told.replica_sum_of_squares
        best = min(int(one[2]) for one in outcomes if one[1] <= own)

        assert copied(made.current, made.proposed) <= most
        assert (told.faults, judged.faults) == ((), ())
        assert best == squares or most == all_of_it
        assert judged.replica_balance_proven == told.replica_balance_proven
        assert own == whole.certificate.moves or most < all_of_it
        if most < all_of_it:
            assert any("would be copied" in fault for fault in judge(layout, whole.proposed, asked).faults)


@pytest.mark.parametrize("seed", case_numbers(12))
def test_added_brokers_get_no_more_data_than_is_allowed(seed: int) -> None:
    """Against every plan onto them."""
    holds_for_added(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(300))
def test_added_brokers_get_no_more_data_than_is_allowed_at_length(seed: int) -> None:
    """The same of many more."""
    holds_for_added(5_000 + seed)


def test_added_brokers_are_filled_with_small_partitions_first() -> None:
    """97 GB of 2.9 TB are 21 of 71 moves, proven for so many; without sizes it is refused, and the curve ends there."""
    wish = Wish(add=((7, None), (8, None)), options=Options(max_bytes=10**11))
    told = plan(skewed(), wish).certificate

    assert (told.moves, told.bytes_to_move, told.replica_balance_proven) == (21, 97e9, True)
    assert told.sentences[-1] == "97.0 GB is copied; at most 100 GB was allowed."
    assert [point.bytes_to_move for point in whole_curve(skewed(), wish).points][-1] == 97e9
    with pytest.raises(WishRefused, match="Replica sizes are not all known"):
        plan(replace(skewed(), size_bytes=None), wish)


def skewed() -> ClusterLayout:
    """Six brokers without racks, 90 partitions that are mostly on the first two, of 1 to 99 GB."""
    rng = np.random.default_rng(4)
    weights = [0.4, 0.3, 0.1, 0.1, 0.05, 0.05]
    lists = {("t", row): rng.choice(6, 3, replace=False, p=weights).tolist() for row in range(90)}
    sizes = {key: float(rng.integers(1, 100)) * 1e9 for key in lists}
    return ClusterLayout.from_assignments(lists, brokers=[Broker(b) for b in range(6)], size_bytes=sizes)


def test_the_more_may_be_copied_the_evener_it_gets() -> None:
    """The certificate says what is copied of what was allowed; the curve ends at the limit."""
    layout = skewed()
    made = [plan(layout, limited(most * 10**11)).certificate for most in (0, 1, 5, 10)]

    assert [one.replica_spread for one in made] == sorted((one.replica_spread for one in made), reverse=True)
    assert all(one.moves_proven and one.replica_balance_proven for one in made)
    assert made[1].sentences[-1] == "93.0 GB is copied; at most 100 GB was allowed."
    assert made[3].moves == plan(layout, Wish(rebalance=True)).certificate.moves
    points, most = whole_curve(layout, limited(2 * 10**11)).points, plan(layout, limited(2 * 10**11)).certificate
    assert [point.bytes_to_move for point in points] == [11e9, 50e9, 102e9, 199e9]
    assert (points[-1].moves, points[-1].bytes_to_move) == (most.moves, most.bytes_to_move)


def test_who_judges_a_plan_notices_too_much_data() -> None:
    """A fault that names both amounts."""
    layout = skewed()
    whole = plan(layout, Wish(rebalance=True)).proposed

    assert judge(layout, whole, limited(10**11)).faults == ("804 GB would be copied; at most 100 GB was allowed.",)


def test_what_cannot_be_kept_is_refused() -> None:
    """Sizes that are not told; racks that need more, with the set that conflicts."""
    layout = skewed()
    with pytest.raises(WishRefused, match="Replica sizes are not all known"):
        plan(replace(layout, size_bytes=None), limited(10**11))
    badly = ClusterLayout.from_assignments(
        {("t", 0): [1, 2], ("t", 1): [3, 4]},
        brokers=[Broker(i, "aabb"[i - 1]) for i in range(1, 5)],
        size_bytes={("t", 0): 5e9, ("t", 1): 5e9},
    )
    with pytest.raises(WishRefused, match=r"1\.0 GB is too little: rack diversity alone copies 10\.0 GB"):
        plan(badly, limited(10**9))
    assert plan(badly, limited(10**9, keep_racks=True)).certificate.moves == 0
    assert conflict(badly, limited(10**9)) == Conflict()


def test_elsewhere_it_has_no_effect_and_that_is_said() -> None:
    """Leaders copy nothing, balance by size has limits of its own; a drain that copies more is refused."""
    layout = skewed()
    for wish in (Wish(leaders_only=True), limited(1, by_bytes=True)):
        made = plan(layout, replace(wish, options=replace(wish.options, max_bytes=1)))

        assert [one.sentence for one in made.findings if one.kind == "option_without_effect"] == [
            "Max bytes has no effect: it limits changes that move replicas and balance their counts."
        ]
    for wish in (Wish(remove=(0,)), replace(limited(1), remove=(0,))):
        with pytest.raises(WishRefused, match="1 B is too little: the change alone copies"):
            plan(layout, replace(wish, options=replace(wish.options, max_bytes=1)))
