"""A rebalance that evens out each topic before all of them."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

from reseat.demo.generate import generate
from reseat.errors import WishRefused
from reseat.model import Broker, ClusterLayout, Options, Wish
from reseat.model.rules import Capacity
from reseat.planning import plan, whole_curve
from reseat.planning.judge import judge
from reseat.planning.preconditions import pinned
from reseat.planning.proof.checker import check
from tests.planning.brute_force import random_layout, replaced, targets_of
from tests.planning.test_rebalance import sets_of

BY_TOPIC = Wish(rebalance=True, options=Options(even_topics=True))
Sets = dict[tuple[str, int], list[list[int]]]


def spread_of(layout: ClusterLayout, lists: dict[tuple[str, int], list[int]], topic: str) -> int:
    """Most minus fewest replicas of a topic on a broker that counts."""
    loads = [sum(t in members for key, members in lists.items() if key[0] == topic) for t in targets_of(layout, ())]
    return max(loads) - min(loads)


def least_spread(layout: ClusterLayout, sets: Sets, topic: str) -> int:
    """The least that any choice of these sets reaches."""
    mine = {key: every for key, every in sets.items() if key[0] == topic}
    return min(
        spread_of(layout, dict(zip(mine, chosen, strict=True)), topic) for chosen in itertools.product(*mine.values())
    )


def evens_out(rng: np.random.Generator) -> int:
    """Each topic has its least spread, and a plan in which one has not is not proven; 1 if all of it was proven."""
    layout = random_layout(rng, brokers=int(rng.integers(3, 6)), partitions=int(rng.integers(2, 6)))
    sets = sets_of(layout)
    made = plan(layout, BY_TOPIC)
    proposed = made.proposed.assignments()
    least = {topic: least_spread(layout, sets, topic) for topic in layout.topics}

    assert made.certificate.faults == ()
    assert all(sorted(proposed[key]) in map(sorted, every) for key, every in sets.items())
    assert {topic: spread_of(layout, proposed, topic) for topic in layout.topics} == least, layout.assignments()
    assert judge(layout, made.proposed, BY_TOPIC).faults == ()
    for _ in range(3):
        other = {key: every[int(rng.integers(len(every)))] for key, every in sets.items()}
        told = check(layout, replaced(layout, other), BY_TOPIC, pinned=pinned(layout, BY_TOPIC.options)).topics_even
        reached = sum(spread_of(layout, other, topic) == least[topic] for topic in layout.topics)
        assert told is None or told[0] <= reached
    return int(any("has its least spread over" in sentence for sentence in made.certificate.sentences))


def test_each_topic_has_its_least_spread() -> None:
    """Against every choice; nearly always that is proven."""
    rng = np.random.default_rng(3)

    assert sum(evens_out(rng) for _ in range(40)) > 30


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_each_topic_has_its_least_spread_at_length(seed: int) -> None:
    """The same of many more."""
    rng = np.random.default_rng(8_000 + seed)

    assert sum(evens_out(rng) for _ in range(300)) > 240


def test_topics_are_evened_out_where_brokers_are_even_already() -> None:
    """All of a is on broker 0, all of b on broker 1: a plain rebalance sees nothing to do."""
    layout = ClusterLayout.from_assignments(
        {(topic, at): [broker] for broker, topic in enumerate("ab") for at in (0, 1)}
    )
    made = plan(layout, BY_TOPIC)

    assert plan(layout, Wish(rebalance=True)).certificate.moves == 0
    assert made.certificate.moves == 2
    assert made.certificate.sentences[:2] == (
        "2 replicas move. Not proven minimal.",
        "Each of 2 topics has its least spread over brokers (proven) (racks unknown).",
    )


def test_a_cluster_of_many_topics_ends_even_as_well() -> None:
    """12 brokers, 2,000 partitions: every topic at its least, proven, and brokers within one replica."""
    layout = generate(12, 2_000, 3, 3)
    made = plan(layout, BY_TOPIC).certificate

    assert made.replica_spread <= 1
    assert f"Each of {len(layout.topics)} topics has its least spread over brokers (proven)." in made.sentences


def test_rules_hold_by_topic_too() -> None:
    """A broker that leaves, one that receives nothing, a pin, racks that are kept, and a capacity."""
    layout = generate(9, 120, 3, 3)
    out, closed = layout.broker_ids[:2].tolist()
    first = layout.topics[0]
    wish = replace(
        BY_TOPIC,
        remove=(out,),
        options=replace(BY_TOPIC.options, never_onto=(closed,), pin=((first, 0),), keep_racks=True),
    )
    made = plan(layout, wish)
    at = int(layout.broker_ids[5])
    limited = plan(layout, replace(BY_TOPIC, options=replace(BY_TOPIC.options, capacity=(Capacity(at, 20),))))

    assert made.certificate.faults == ()
    assert made.proposed.assignments()[first, 0] == layout.assignments()[first, 0]
    assert limited.certificate.faults == ()
    assert limited.proposed.replicas_by_broker[5] <= 20


def test_there_is_one_plan_and_limits_have_no_effect() -> None:
    """No curve; a limit on moves, and sizes, are said to have no effect."""
    layout = ClusterLayout.from_assignments({("a", 0): [0], ("a", 1): [0]}, brokers=[Broker(0), Broker(1)])
    made = plan(layout, replace(BY_TOPIC, options=replace(BY_TOPIC.options, max_moves=0)))
    idle = plan(layout, Wish(remove=(0,), options=Options(even_topics=True)))

    assert made.certificate.moves == 1
    assert whole_curve(layout, BY_TOPIC).points == ()
    assert [one.sentence for one in (*made.findings, *idle.findings) if one.kind == "option_without_effect"] == [
        "Max moves and balance by size have no effect beside balance by topic.",
        "Balance by topic has no effect: it is an aim of a rebalance.",
    ]
    with pytest.raises(WishRefused):
        plan(layout, replace(BY_TOPIC, point=1))
