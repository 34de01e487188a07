"""Topics that share no broker: refused only where no division of the brokers has enough of them for every partition."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

from reseat.errors import WishRefused
from reseat.model import Broker, BrokerState, ClusterLayout, Options, Wish
from reseat.model.rules import Capacity, Onto
from reseat.planning import plan

WISH = Wish(rebalance=True, options=Options(keep_apart=(("a", "b"),)))


def of(layout: ClusterLayout, topic: str) -> set[int]:
    """Brokers that have replicas of a topic."""
    return {m for (name, _), members in layout.assignments().items() if name == topic for m in members}


def drawn(rng: np.random.Generator) -> tuple[ClusterLayout, Wish]:
    """Up to six brokers, one of them dead or fenced perhaps, three topics, one or two groups, and who is drained."""
    ids = list(range(1, int(rng.integers(4, 7))))
    states = dict.fromkeys(ids, BrokerState.ALIVE)
    if rng.random() < 0.3:
        states[int(rng.choice(ids))] = BrokerState.FENCED if rng.random() < 0.5 else BrokerState.DEAD
    live = [i for i in ids if states[i] is BrokerState.ALIVE]
    lists: dict[tuple[str, int], list[int]] = {}
    for topic in "abc"[: int(rng.integers(2, 4))]:
        among = ids if rng.random() < 0.6 else ids[: int(rng.integers(1, len(ids) + 1))]
        for number in range(int(rng.integers(1, 3))):
            members = rng.choice(among, min(len(among), int(rng.integers(1, 4))), replace=False).tolist()
            first = next((m for m in members if m in live), None)
            if first is not None:
                lists[topic, number] = members
    topics = sorted({topic for topic, _ in lists})
    groups = [g for g in (("a", "b"), ("b", "c"), ("a", "b", "c")) if set(g) <= set(topics)]
    group = tuple(groups[at] for at in sorted(rng.permutation(len(groups))[: int(rng.integers(1, 3))].tolist()))
    brokers = [Broker(i, state=states[i]) for i in ids]
    leaders = {key: next(m for m in members if m in live) for key, members in lists.items()}
    layout = ClusterLayout.from_assignments(lists, brokers=brokers, leaders=leaders)
    onto = ()
    if rng.random() < 0.4 and topics:
        some = rng.choice(live, int(rng.integers(1, len(live) + 1)), replace=False).tolist()
        onto = (Onto((str(rng.choice(topics)),), tuple(sorted(some))),)
    options = Options(keep_apart=group, only_onto=onto)
    if rng.random() < 0.5:
        return layout, Wish(rebalance=True, options=options)
    return layout, Wish(remove=(int(rng.choice(ids)),), options=options)


def feasible(layout: ClusterLayout, wish: Wish) -> bool:
    """Whether some way of giving brokers to topics has enough brokers for every partition, tried one by one."""
    options, lists = wish.options, layout.assignments()
    state = {broker.id: broker.state for broker in layout.brokers}
    ids = sorted(state)
    receives = [i for i in ids if state[i] is BrokerState.ALIVE and i not in wish.remove]
    late = [i for i in ids if state[i] is BrokerState.FENCED and i not in wish.remove]
    if not receives:
        receives, late = late, []
    takes = receives if wish.rebalance else receives + late
    stays = {
        key: [m for m in members if m not in wish.remove and (not wish.rebalance or state[m] is not BrokerState.ALIVE)]
        for key, members in lists.items()
    }
    onto = {topic: set(ids) for topic in layout.topics}
    for rule in options.only_onto:
        for topic in rule.topics:
            onto[topic] &= set(rule.brokers)
    kept = {topic: {m for (name, _), one in stays.items() if name == topic for m in one} for topic in layout.topics}
    had = {topic: of(layout, topic) for topic in layout.topics}

    def rivals(topic: str) -> list[list[str]]:
        return [[other for other in group if other != topic] for group in options.keep_apart if topic in group]

    # Per broker the sets of topics that may get newcomers there; then all combinations.
    every = []
    for broker in takes:
        could = [
            topic
            for topic in layout.topics
            if broker in onto[topic]
            and all(broker in had[topic] or not any(broker in kept[o] for o in others) for others in rivals(topic))
        ]
        ways = []
        for size in range(len(could) + 1):
            for some in itertools.combinations(could, size):
                together = [
                    (one, other)
                    for one, other in itertools.combinations(some, 2)
                    if any(other in others for others in rivals(one))
                    and not (not wish.rebalance and broker in had[one] and broker in had[other])
                ]
                if not together:
                    ways.append(some)
        every.append(ways)
    needs: dict[tuple[str, frozenset[int]], int] = {}
    for (topic, number), members in lists.items():
        there = frozenset(stays[topic, number])
        needs[topic, there] = max(needs.get((topic, there), 0), len(members) - len(there))
    return any(
        all(
            sum(topic in ways and broker not in there for broker, ways in zip(takes, division, strict=True)) >= need
            for (topic, there), need in needs.items()
        )
        for division in itertools.product(*every)
    )


def refused_in_vain(seed: int) -> bool | None:
    """Whether a wish that can be is refused; None: it cannot be, and is refused."""
    layout, wish = drawn(np.random.default_rng(seed))
    if not wish.options.keep_apart:
        return False
    could = feasible(layout, wish)
    try:
        made = plan(layout, wish)
    except WishRefused:
        return could or None
    assert made.certificate.faults == (), (seed, layout.assignments(), wish)
    assert could, (seed, layout.assignments(), wish)
    return False


def test_a_topic_on_two_brokers_gets_two_though_the_other_has_more_everywhere() -> None:
    """A is on all four brokers, b on two: b keeps the two of which a has the least."""
    lists = {**{("a", at): [1 + at % 4, 1 + (at + 1) % 4] for at in range(8)}, ("a", 8): [3, 4], ("b", 0): [1, 2]}
    made = plan(ClusterLayout.from_assignments(lists, brokers=[Broker(i) for i in range(1, 5)]), WISH)

    assert of(made.proposed, "b") == {1, 2}
    assert of(made.proposed, "a") == {3, 4}
    assert made.certificate.faults == ()
    assert made.certificate.moves_proven


def test_what_cannot_be_divided_is_refused() -> None:
    """Three replicas of each on five brokers; a fenced broker is none of them."""
    lists = {("a", 0): [1, 2, 3], ("b", 0): [3, 4, 5]}
    brokers = [Broker(i, state=BrokerState.ALIVE if i < 6 else BrokerState.FENCED) for i in range(1, 7)]
    with pytest.raises(WishRefused, match=r"Topic [ab] finds too few brokers"):
        plan(ClusterLayout.from_assignments(lists, brokers=brokers), WISH)


def test_nothing_that_can_be_divided_is_refused() -> None:
    """Drains and rebalances, one group or two, topics on some brokers alone, brokers that are away."""
    told = [refused_in_vain(seed) for seed in range(24)]

    assert True not in told
    assert min(told.count(False), told.count(None)) > 8


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
def test_nothing_that_can_be_divided_is_refused_at_length(seed: int) -> None:
    """The same of eight thousand."""
    assert not any(refused_in_vain(each) for each in range(1000 * (seed + 1), 1000 * (seed + 2)))


def limited(rng: np.random.Generator) -> tuple[ClusterLayout, Wish]:
    """Four or five brokers, some of which receive nothing or have a capacity; a rebalance of two or three topics."""
    ids = [*range(1, int(rng.integers(4, 6))), 9]
    lists = {
        (topic, number): rng.choice(ids, int(rng.integers(1, 3)), replace=False).tolist()
        for topic in "abc"[: int(rng.integers(2, 4))]
        for number in range(int(rng.integers(1, 3)))
    }
    groups = (("a", "b"),) if rng.random() < 0.7 or ("c", 0) not in lists else (("a", "b"), ("b", "c"))
    closed, full = (sorted(rng.choice(ids, int(rng.integers(0, n)), replace=False).tolist()) for n in (3, 4))
    capacity = tuple(Capacity(broker, replicas=int(rng.integers(0, 4))) for broker in full)
    options = Options(keep_apart=groups, never_onto=tuple(closed), capacity=capacity)
    return ClusterLayout.from_assignments(lists, brokers=[Broker(i) for i in ids]), Wish(
        rebalance=True, options=options
    )


def has_a_plan(layout: ClusterLayout, options: Options) -> bool:
    """Whether some lists keep every rule, tried one after the other."""
    lists, ids = layout.assignments(), layout.broker_ids.tolist()
    held = {broker: sum(broker in members for members in lists.values()) for broker in ids}
    most = {rule.broker: max(rule.replicas or 0, held[rule.broker]) for rule in options.capacity}
    rivals = {pair for group in options.keep_apart for pair in itertools.permutations(group, 2)}

    def rest(keys: list[tuple[str, int]], there: dict[int, list[str]]) -> bool:
        if not keys:
            return True
        topic, before = keys[0][0], lists[keys[0]]
        may = [
            broker
            for broker in ids
            if (broker in before or broker not in options.never_onto)
            and len(there[broker]) < most.get(broker, len(lists))
            and not any((topic, other) in rivals for other in there[broker])
        ]
        return any(
            rest(keys[1:], {b: [*had, topic] if b in some else had for b, had in there.items()})
            for some in itertools.combinations(may, len(before))
        )

    return rest(list(lists), {broker: [] for broker in ids})


def refused_within_limits(seed: int) -> bool:
    """Whether what cannot be is refused; what can be is planned without a fault."""
    layout, wish = limited(np.random.default_rng(seed))
    could = has_a_plan(layout, wish.options)
    try:
        made = plan(layout, wish)
    except WishRefused:
        assert not could, (seed, layout.assignments(), wish.options)
        return True
    assert could, (seed, layout.assignments(), wish.options)
    assert made.certificate.faults == (), (seed, layout.assignments(), wish.options)
    return False


def test_the_division_knows_capacities_and_who_receives_nothing() -> None:
    """Every wish that has a plan has one: against all lists there are (it was not so of 7 of these 100)."""
    told = [refused_within_limits(seed) for seed in range(100)]

    assert min(told.count(True), told.count(False)) > 3


@pytest.mark.slow
def test_the_division_knows_capacities_and_who_receives_nothing_at_length() -> None:
    """The same of two thousand."""
    assert sum(refused_within_limits(seed) for seed in range(1_000, 3_000)) > 50


def test_a_refusal_says_that_brokers_were_divided_before() -> None:
    """Which partition goes where, racks and bytes are no part of the division."""
    layout = ClusterLayout.from_assignments({("a", 0): [0, 1], ("b", 0): [1, 0]}, brokers=[Broker(2), Broker(3)])
    rules = replace(WISH.options, capacity=(Capacity(2, 0), Capacity(3, 0)))
    with pytest.raises(WishRefused, match="for another division there may be one"):
        plan(layout, replace(WISH, options=rules))
