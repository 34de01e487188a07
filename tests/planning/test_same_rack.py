"""Replicas that stay in their rack: a drain by rack is the best of all there is, proven, or refused in words."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from reseat.errors import WishRefused
from reseat.model import Broker, BrokerState, ClusterLayout, Options, Wish
from reseat.planning import plan
from reseat.planning.conflict import conflict
from reseat.planning.judge import judge
from reseat.report.copying import leave_their_rack
from tests.planning.brute_force import best_of, rack_names, replaced, resorts_of, targets_of

STAYS = Options(same_rack=True)


def random_layout(rng: np.random.Generator) -> ClusterLayout:
    """Five to eight brokers in two or three racks, one of them without a rack or not well now and then."""
    count = int(rng.integers(5, 9))
    racks: list[str | None] = [f"r{int(rng.integers(3))}" for _ in range(count)]
    if rng.random() < 0.2:
        racks[-1] = None
    brokers = [Broker(i, rack) for i, rack in enumerate(racks)]
    if rng.random() < 0.4:
        state = (BrokerState.DEAD, BrokerState.FENCED)[int(rng.integers(2))]
        brokers[-2] = replace(brokers[-2], state=state)
    lists = {
        ("t", row): rng.choice(count, int(rng.integers(1, 4)), replace=False).tolist()
        for row in range(int(rng.integers(2, 7)))
    }
    return ClusterLayout.from_assignments(lists, brokers=brokers)


def agrees(rng: np.random.Generator) -> int:
    """1 where a drain was planned: it is as good as any that stays in its racks, and of others nothing is proven."""
    layout = random_layout(rng)
    leaving = tuple(sorted(rng.choice(layout.broker_ids, int(rng.integers(1, 3)), replace=False).tolist()))
    wish, racks, before = Wish(remove=leaving, options=STAYS), rack_names(layout), layout.assignments()
    assert racks is not None
    held = {key: Counter(racks[m] for m in members) for key, members in before.items()}
    targets, late = targets_of(layout, leaving), resorts_of(layout, leaving)
    sets = {
        key: in_racks([m for m in members if m not in leaving], held[key], targets, late, racks)
        for key, members in before.items()
        if set(members) & set(leaving)
    }
    if not all(sets.values()):
        with pytest.raises(WishRefused):
            plan(layout, wish)
        return 0
    made = plan(layout, wish)
    best = best_of(layout, sets, targets, resorts=late)
    proposed, told = made.proposed.assignments(), made.certificate

    assert best is not None
    assert told.faults == ()
    assert all(sorted(proposed[key]) in map(sorted, every) for key, every in sets.items()), (before, proposed)
    assert told.replica_sum_of_squares == best.replicas, (layout.assignments(), layout.brokers, wish, proposed)
    assert told.moves_proven
    assert told.replica_balance_proven
    assert not told.rack_balance_proven
    for _ in range(3):
        other = {**before, **{key: every[int(rng.integers(len(every)))] for key, every in sets.items()}}
        strays = False
        if sets and rng.random() < 0.5:  # one goes anywhere
            key = list(sets)[int(rng.integers(len(sets)))]
            if free := [t for t in targets if t not in other[key]]:
                other[key] = [*other[key][:-1], int(rng.choice(free))]
                strays = sorted(other[key]) not in map(sorted, sets[key])
        judged = judge(layout, replaced(layout, other), wish)
        load = [sum(t in m for m in other.values()) for t in targets]
        assert judged.replica_balance_proven == (not strays and sum(n * n for n in load) == best.replicas)
    return 1


def in_racks(
    kept: list[int], held: Counter[str], targets: list[int], late: list[int], racks: dict[int, str]
) -> list[list[int]]:
    """Every list with so many replicas in each rack; a last resort only where a rack has no other broker left."""
    found = [kept]
    for rack, count in held.items():
        here = sum(racks[m] == rack for m in kept)
        found = [
            [*one, *some]
            for one in found
            for some in choices(
                [t for t in targets if racks[t] == rack and t not in kept],
                [t for t in late if racks[t] == rack and t not in kept],
                count - here,
            )
        ]
    return found


def choices(free: list[int], late: list[int], needed: int) -> list[list[int]]:
    """Every choice of so many of the first; all of them and some of the second where they do not suffice."""
    if len(free) >= needed:
        return [list(one) for one in combinations(free, needed)]
    return [[*free, *one] for one in combinations(late, needed - len(free))]


def test_a_drain_within_racks_is_the_best_there_is() -> None:
    """Every set is tried; plans that leave a rack, and those less balanced, are not proven."""
    rng = np.random.default_rng(3)

    assert sum(agrees(rng) for _ in range(12)) > 3


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
def test_a_drain_within_racks_at_length(seed: int) -> None:
    """The same of many more."""
    rng = np.random.default_rng(13_000 + seed)

    assert sum(agrees(rng) for _ in range(100)) > 30


# ---- by hand -------------------------------------------------------------------------------------------------------


def two_racks() -> ClusterLayout:
    """Brokers 0 to 2 in rack a, 3 and 4 in rack b, which hold little; each list of 0 is on b as well."""
    brokers = [Broker(i, rack) for i, rack in enumerate("aaabb")]
    return ClusterLayout.from_assignments(
        {("t", 0): [0, 1, 3], ("t", 1): [0, 2, 4], ("t", 2): [1, 2], ("t", 3): [2, 1]}, brokers=brokers
    )


def test_the_certificate_says_what_staying_costs() -> None:
    """Rack diversity, which is no aim then, is not claimed."""
    wish = Wish(remove=(0,), options=STAYS)
    made, free = plan(two_racks(), wish), plan(two_racks(), replace(wish, options=Options()))
    apart = (leave_their_rack(one) for one in (made, free))

    assert tuple(apart) == (0, 2)
    assert (made.certificate.replica_spread, free.certificate.replica_spread) == (3, 1)
    assert made.certificate.sentences[-1] == (
        "Replicas stay in their rack; without this rule the replica spread would be 1 instead of 3 (the rule adds 8 to "
        "the sum of squares)."
    )
    assert not any("Rack diversity" in sentence for sentence in made.certificate.sentences)


def test_a_rack_that_is_too_small_is_refused_by_its_name() -> None:
    """Both brokers of a rack leave: nothing there can take what they hold; without the rule there is a plan."""
    wish = Wish(remove=(3, 4), options=STAYS)
    with pytest.raises(WishRefused, match="2 partitions cannot stay in rack b: too few other brokers there") as refused:
        plan(two_racks(), wish)

    assert refused.value.brokers == (3, 4)
    assert [demand.words for demand in conflict(two_racks(), wish).demands] == [
        "replicas stay in their racks",
        "broker 3 is removed",
        "broker 4 is removed",
    ]


def test_a_replica_that_leaves_its_rack_is_told_with_both() -> None:
    """Partition 1 has two replicas in rack a and one on broker 4, whose rack is not known; its third comes there."""
    layout = two_racks().with_racks({4: None})
    lists = {("t", 0): [2, 1, 3], ("t", 1): [3, 2, 4], ("t", 2): [1, 2], ("t", 3): [2, 1]}

    told = judge(layout, ClusterLayout.from_assignments(lists), Wish(remove=(0,), options=STAYS))
    lists["t", 1] = [1, 2, 0]
    other = judge(layout, ClusterLayout.from_assignments(lists), Wish(remove=(4,), options=STAYS))

    assert told.faults == (
        "t-1 would have 1 replica in rack a; it has 2 there (same_rack).",
        "t-1 would have 1 replica in rack b; it has 0 there (same_rack).",
    )
    assert "t-1 would have 0 replicas on a broker without a rack; it has 1 there (same_rack)." in other.faults


@pytest.mark.parametrize(
    "wish",
    [
        Wish(rebalance=True),
        Wish(rebalance=True, remove=(0,)),
        Wish(remove=(0,), replace=((0, 2),)),
        Wish(add=((9, "a"),)),
        Wish(leaders_only=True),
        Wish(mend=True),
        Wish(topics=("t",), replication_factor=2),
    ],
)
def test_any_other_change_is_refused_and_never_called_proven(wish: Wish) -> None:
    """So is a drain where no broker has a rack."""
    asked = replace(wish, options=STAYS)
    with pytest.raises(WishRefused, match="in a drain alone"):
        plan(two_racks(), asked)
    with pytest.raises(WishRefused, match="No broker has a rack"):
        plan(two_racks().with_racks(dict.fromkeys(range(5))), Wish(remove=(0,), options=STAYS))
    told = judge(two_racks(), two_racks(), asked)

    assert not any((told.moves_proven, told.rack_balance_proven, told.replica_balance_proven))
