"""Levels of racks: replicas spread over regions first, then over racks, and what is proven is the best there is."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from reseat.errors import WishRefused
from reseat.model import Broker, BrokerState, ClusterLayout, Options, Wish
from reseat.planning import plan
from reseat.planning.judge import judge
from tests.planning.brute_force import replaced, targets_of
from tests.planning.test_rebalance import outcomes_from, value_of

LEVELS = Options(rack_levels=("/",))
NAMES = ("e/1", "e/2", "e/3", "w/1", "w/2", "s", None)
Sets = dict[tuple[str, int], list[list[int]]]


def rank(racks: dict[int, str | None], members: Sequence[int]) -> tuple[int, int]:
    """Sums of squares of a list's replicas by region and by rack; who has no rack is alone."""
    names = [racks[m] or f"none {m}" for m in members]
    return tuple(  # type: ignore[return-value]
        sum(n * n for n in Counter(one).values()) for one in ([n.split("/")[0] for n in names], names)
    )


def random_layout(rng: np.random.Generator) -> ClusterLayout:
    """Four to six brokers in regions, some with little in them, one dead now and then."""
    count = int(rng.integers(4, 7))
    names = [NAMES[int(rng.integers(len(NAMES)))] for _ in range(count)]
    names[:2] = ["e/1", "w/1"]
    brokers = [Broker(i, name) for i, name in enumerate(names)]
    if rng.random() < 0.2:
        brokers[-1] = replace(brokers[-1], state=BrokerState.DEAD)
    lists = {
        ("t" if row < 2 else "u", row): rng.choice(count, int(rng.integers(1, 5)), replace=False).tolist()
        for row in range(int(rng.integers(1, 5)))
    }
    return ClusterLayout.from_assignments(lists, brokers=brokers)


def every_set(layout: ClusterLayout, remove: Sequence[int] = (), *, only: bool = False, factor: int = 0) -> Sets:
    """Of each partition the sets that are best by region and then by rack.

    Args:
        layout: the layout.
        remove: brokers that leave.
        only: whether nothing moves but what must.
        factor: how many replicas each gets at least.
    """
    targets, racks, out = targets_of(layout, remove), {b.id: b.rack for b in layout.brokers}, {}
    for key, members in layout.assignments().items():
        stays = [m for m in members if m not in remove and (only or m not in targets)]
        free = [t for t in targets if t not in stays]
        every = [[*stays, *some] for some in itertools.combinations(free, max(len(members), factor) - len(stays))]
        least = min((rank(racks, one) for one in every), default=(0, 0))
        out[key] = [one for one in every if rank(racks, one) == least]
    return out


def agrees(rng: np.random.Generator) -> int:
    """Every kind of change is the best of all there is, and proven; how many were planned."""
    layout, made_of = random_layout(rng), 0
    gone = int(rng.integers(len(layout.brokers)))
    factor = int(layout.replication_factor.max()) + 1
    grows = [
        t for t in layout.topics if (layout.replication_factor[np.asarray(layout.rows_of_topic(t))] < factor).all()
    ]
    for change in (
        Wish(rebalance=True),
        Wish(mend_racks=True),
        Wish(remove=(gone,)),
        Wish(remove=(gone,), rebalance=True),
        Wish(replication_factor=factor, topics=tuple(grows)),
    ):
        wish = replace(change, options=LEVELS)
        only = not (wish.rebalance or wish.mend_racks)
        sets = every_set(layout, wish.remove, only=only, factor=factor if wish.topics else 0)
        if not all(sets.values()) or not targets_of(layout, wish.remove):
            with pytest.raises(WishRefused):
                plan(layout, wish)
            continue
        outcomes = outcomes_from(layout, sets, wish.remove)
        load = outcomes[:, 1:]
        spreads = np.ptp(load, axis=1) if wish.rebalance else np.zeros(len(load), np.int64)
        best = min(zip(spreads.tolist(), outcomes[:, 0].tolist(), (load**2).sum(axis=1).tolist(), strict=True))
        made = plan(layout, wish)
        proposed, told = made.proposed.assignments(), made.certificate
        reached = value_of(layout, proposed, wish.remove)

        assert told.faults == ()
        assert all(sorted(proposed[key]) in map(sorted, every) for key, every in sets.items()), (wish, proposed)
        assert reached[1:] == best[1:], (wish, layout.assignments(), layout.brokers, proposed)
        assert reached[0] == best[0] or not wish.rebalance
        assert told.rack_balance_proven
        assert told.moves_proven or reached[0] > 1
        assert told.replica_balance_proven or reached[0] > 1
        for _ in range(2):  # any other plan is proven only where it is as good
            other = {key: every[int(rng.integers(len(every)))] for key, every in sets.items()}
            key = list(other)[int(rng.integers(len(other)))]
            free = [t for t in targets_of(layout, wish.remove) if t not in other[key]]
            if free and rng.random() < 0.5:
                other[key] = [*other[key][:-1], int(rng.choice(free))]
            judged = judge(layout, replaced(layout, other), wish)
            good = all(sorted(other[one]) in map(sorted, every) for one, every in sets.items())
            assert good or not judged.rack_balance_proven
            assert not judged.replica_balance_proven or (good and value_of(layout, other, wish.remove)[1:] == best[1:])
        made_of += 1
    return made_of


def test_regions_come_first_and_every_plan_is_the_best_there_is() -> None:
    """Rebalance, racks only, a drain, both, and a higher replication factor; plans spoilt on purpose are not proven."""
    rng = np.random.default_rng(5)

    assert sum(agrees(rng) for _ in range(5)) > 12


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(40))
def test_regions_come_first_at_length(seed: int) -> None:
    """The same of many more."""
    rng = np.random.default_rng(11_000 + seed)

    assert sum(agrees(rng) for _ in range(200)) > 500


# ---- by hand -------------------------------------------------------------------------------------------------------


def two_regions() -> ClusterLayout:
    """Three racks in region e and one in w; every list is on three racks of e, which racks alone call the best."""
    brokers = [Broker(i, rack) for i, rack in enumerate(("e/1", "e/2", "e/3", "w/1", "w/1"))]
    return ClusterLayout.from_assignments({("t", row): [0, 1, 2] for row in range(4)}, brokers=brokers)


def test_three_replicas_are_in_two_regions() -> None:
    """One of each list goes to w; the certificate says that regions come first."""
    made = plan(two_regions(), Wish(rebalance=True, options=LEVELS))
    racks = {b.id: str(b.rack) for b in two_regions().brokers}

    assert all({racks[m][0] for m in members} == {"e", "w"} for members in made.proposed.assignments().values())
    assert plan(two_regions(), Wish(mend_racks=True)).certificate.moves == 0
    assert plan(two_regions(), Wish(mend_racks=True, options=LEVELS)).certificate.moves == 4
    assert made.certificate.moves_proven
    assert made.certificate.sentences[-1] == (
        "Regions come first: replicas spread over what racks are in (names split at /), then over racks."
    )


def test_levels_may_be_deeper_and_names_shorter() -> None:
    """Of four replicas two are in each region, and of those of one region each in its own room."""
    names = ("e/a/1", "e/a/2", "e/b/1", "w/a/1", "w/b/1", "w/b/2")
    brokers = [Broker(i, rack) for i, rack in enumerate(names)]
    layout = ClusterLayout.from_assignments({("t", row): [0, 1, 2, 3] for row in range(3)}, brokers=brokers)
    for members in plan(layout, Wish(rebalance=True, options=LEVELS)).proposed.assignments().values():
        assert Counter(names[m][:3] for m in members) == Counter({"e/a": 1, "e/b": 1, "w/a": 1, "w/b": 1})


@pytest.mark.parametrize(
    ("wish", "said"),
    [
        (Wish(add=((9, "w/2"),)), "compares racks alone"),
        (Wish(rebalance=True, options=Options(keep_racks=True)), "compares racks alone"),
        (Wish(mend=True), "A mend drops replicas by their racks alone"),
        (Wish(replication_factor=2, topics=("t",)), "A lower replication factor drops replicas by their racks alone"),
        (Wish(rebalance=True, options=Options(by_bytes=True)), "Balance by size looks at racks alone"),
    ],
)
def test_what_knows_racks_alone_is_refused_and_never_called_proven(wish: Wish, said: str) -> None:
    """In words, with the way out; who judges such a plan proves nothing of it."""
    asked = replace(wish, options=replace(wish.options, rack_levels=("/",)))
    with pytest.raises(WishRefused, match=said) as refused:
        plan(two_regions(), asked)
    told = judge(two_regions(), two_regions(), asked)

    assert "Leave rack_levels out." in refused.value.choices
    assert not any((told.moves_proven, told.rack_balance_proven, told.replica_balance_proven))


def test_racks_without_levels_and_too_many_partitions_are_refused() -> None:
    """So is a balance whose racks have nothing in common."""
    plain = ClusterLayout.from_assignments({("t", 0): [0, 1]}, brokers=[Broker(0, "a"), Broker(1, "b")])
    large = ClusterLayout.from_assignments(
        {("t", row): [row % 400] for row in range(10_000)}, brokers=[Broker(i, f"r{i % 2}/{i % 4}") for i in range(400)]
    )
    with pytest.raises(WishRefused, match=r"No rack is in a region: no name of a rack is split at / \(rack_levels\)"):
        plan(plain, Wish(rebalance=True, options=LEVELS))
    with pytest.raises(WishRefused, match="10,000 partitions on 400 brokers are too many"):
        plan(large, Wish(rebalance=True, options=LEVELS))


def test_regions_count_where_they_are_asked_for() -> None:
    """A list on two racks of one region is on too few regions; one that leaves a region loses diversity."""
    racks = ("e/1", "e/2", "w/1", "w/2")
    brokers = [Broker(i, rack) for i, rack in enumerate(racks)]
    layout = ClusterLayout.from_assignments({("t", 0): [0, 1], ("t", 1): [0, 2], ("t", 2): [1, 3]}, brokers=brokers)
    mended = plan(layout, Wish(mend_racks=True, options=LEVELS)).certificate
    worse = replaced(layout, {("t", 0): [0, 1], ("t", 1): [0, 1], ("t", 2): [1, 3]})
    lost = judge(layout, worse, Wish(rebalance=True, options=LEVELS))
    both = judge(layout, replaced(layout, {("t", 1): [0, 1]}), Wish(remove=(2,), options=LEVELS))
    plain = judge(layout, worse, Wish(rebalance=True))

    assert (mended.rack_violations_before, mended.rack_violations_after) == (1, 0)
    assert (lost.rack_violations_before, lost.rack_violations_after, lost.rack_diversity_lost) == (1, 2, 1)
    assert [one.sentence for one in lost.cautions] == [
        "1 partition of 1 topic loses rack diversity, on fewer regions than now: t."
    ]
    assert both.rack_violations_after == 2
    assert (plain.rack_violations_before, plain.rack_violations_after, plain.rack_diversity_lost) == (0, 0, 0)


@pytest.mark.parametrize("wish", [Wish(rebalance=True, options=LEVELS), Wish(mend_racks=True, options=LEVELS)])
def test_two_replicas_in_one_region_are_never_proven_where_another_has_room(wish: Wish) -> None:
    """Racks differ already, so that only the region says it; of a pair no more than a pair can be in one."""
    brokers = [Broker(0, "e/1"), Broker(1, "e/2"), Broker(2, "w/1")]
    left = ClusterLayout.from_assignments({("t", 0): [0, 1]}, brokers=brokers)
    told, moved = (judge(left, replaced(left, {("t", 0): ids}), wish) for ids in ([0, 1], [0, 2]))

    assert (told.rack_balance_proven, told.moves_proven) == (False, False)
    assert moved.rack_balance_proven
