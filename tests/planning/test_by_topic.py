"""A rebalance that evens out each topic before all of them."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

from reseat.demo.generate import generate
from reseat.errors import WishRefused
from reseat.model import Broker, ClusterLayout, Options, Wish
from reseat.model.plan import CurvePoint
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

    assert sum(evens_out(rng) for _ in range(16)) > 12


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


def points_hold(seed: int) -> int:
    """Each point is the plan that is made of it, by moves and by its limit, and topics not evened lie as racks ask."""
    rng = np.random.default_rng(seed)
    layout = random_layout(rng, brokers=int(rng.integers(3, 7)), partitions=int(rng.integers(4, 16)))
    told, own = whole_curve(layout, BY_TOPIC).points, plan(layout, BY_TOPIC)

    assert not told or CurvePoint.of(own) == replace(told[-1], fullest=None), seed
    for before, point in itertools.pairwise(told):
        assert (before.moves, before.balance) < (point.moves, point.balance + before.balance), seed
    for point in told:
        made = plan(layout, BY_TOPIC.at(point.moves))
        limited = plan(layout, replace(BY_TOPIC, options=replace(BY_TOPIC.options, max_moves=point.moves)))
        assert made.certificate.faults == ()
        assert made.certificate.rack_sum_of_squares == own.certificate.rack_sum_of_squares
        assert CurvePoint.of(made) == replace(point, fullest=None), seed
        assert limited.proposed.assignments() == made.proposed.assignments()
    return len(told)


def test_each_point_is_the_plan_that_is_made_of_it() -> None:
    """Of 16 small layouts."""
    assert sum(points_hold(seed) for seed in range(16)) > 24


@pytest.mark.slow
def test_each_point_is_the_plan_that_is_made_of_it_at_length() -> None:
    """The same of many more."""
    for seed in range(10_000, 10_500):
        points_hold(seed)


def test_with_fewer_moves_the_widest_topics_come_first() -> None:
    """Topic a is 4 apart, b 2, c even: one move is not enough for a, two even it out, and b comes after it."""
    lists = (
        {("a", at): [0] for at in range(4)} | {("b", at): [1] for at in range(2)} | {("c", at): [at] for at in (0, 1)}
    )
    layout = ClusterLayout.from_assignments(lists)
    points = whole_curve(layout, BY_TOPIC).points
    first = plan(layout, BY_TOPIC.at(2))

    assert [(point.moves, point.balance, point.measure) for point in points] == [
        (2, 2, "topic spread"),
        (3, 0, "topic spread"),
    ]
    assert [spread_of(layout, first.proposed.assignments(), topic) for topic in "abc"] == [0, 2, 0]
    assert "2 of 3 topics are proven to have their least spread over brokers." in first.certificate.sentences
    assert plan(layout, replace(BY_TOPIC, options=replace(BY_TOPIC.options, max_moves=1))).certificate.moves == 0
    assert (
        "1 move was requested; the plan makes 0: the next topic takes more."
        in plan(layout, BY_TOPIC.at(1)).certificate.sentences
    )


def test_limits_of_data_hold_by_topic_too() -> None:
    """As many topics as may be copied; fewer moves than racks alone need are refused with their number."""
    layout = generate(9, 120, 3, 3)
    points = whole_curve(layout, BY_TOPIC).points
    first, last = points[0].bytes_to_move, points[-1].bytes_to_move
    assert first is not None
    assert last is not None
    most = int(first + last) // 2
    some = plan(layout, replace(BY_TOPIC, options=replace(BY_TOPIC.options, max_bytes=most))).certificate
    split = ClusterLayout.from_assignments(
        {("a", 0): [0, 1], ("a", 1): [0, 1]}, brokers=[Broker(0, "a"), Broker(1, "a"), Broker(2, "b")]
    )

    assert some.bytes_to_move is not None
    assert 0 < some.bytes_to_move <= most
    assert some.moves < points[-1].moves
    with pytest.raises(WishRefused, match="1 move is too few: rack diversity alone needs 2"):
        plan(split, replace(BY_TOPIC, options=replace(BY_TOPIC.options, max_moves=1)))


def test_what_has_no_effect_is_said() -> None:
    """Sizes beside topics; topics beside a drain."""
    layout = ClusterLayout.from_assignments({("a", 0): [0], ("a", 1): [0]}, brokers=[Broker(0), Broker(1)])
    made = plan(layout, replace(BY_TOPIC, options=replace(BY_TOPIC.options, by_bytes=True)))
    idle = plan(layout, Wish(remove=(0,), options=Options(even_topics=True)))

    assert made.certificate.moves == 1
    assert [one.sentence for one in (*made.findings, *idle.findings) if one.kind == "option_without_effect"] == [
        "Balance by size has no effect beside balance by topic.",
        "Balance by topic has no effect: it is an aim of a rebalance.",
    ]
