"""Copysets, and the chance that a few brokers lost lose a partition, against trying every choice."""

from __future__ import annotations

from math import comb

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from reseat.model import Broker, ClusterLayout
from reseat.resilience import copysets
from reseat.resilience.copysets import distinct_sets
from tests.cases import cases
from tests.resilience.layouts import holding, layouts


def test_the_documented_example() -> None:
    """Copysets {1, 2} and {2, 3} on four brokers: 2 of 6 pairs, 3 of 4 triples."""
    layout = ClusterLayout.from_assignments(
        {("orders", 0): [1, 2], ("orders", 1): [2, 1], ("orders", 2): [2, 3]}, brokers=[Broker(4)]
    )
    found = copysets(layout)

    assert found.copysets == 2
    assert (found.losing_two, found.losing_three) == (2, 3)
    assert found.chance_two == 2 / 6
    assert found.chance_three == 3 / 4


def test_a_partition_on_one_broker_makes_every_loss_of_that_broker_count() -> None:
    """{1} on 5 brokers: 4 of 10 pairs and 6 of 10 triples hold broker 1."""
    layout = ClusterLayout.from_assignments({("orders", 0): [1]}, brokers=[Broker(i) for i in range(1, 6)])
    found = copysets(layout)

    assert (found.copysets, found.losing_two, found.losing_three) == (1, 4, 6)


def test_few_copysets_beside_many() -> None:
    """Nine brokers in three fixed groups lose a partition with 3 of 84 triples; one partition a triple with all."""
    grouped = ClusterLayout.from_assignments({("orders", i): [3 * i, 3 * i + 1, 3 * i + 2] for i in range(3)})
    triples = [(a, b, c) for a in range(9) for b in range(a) for c in range(b)]
    scattered = ClusterLayout.from_assignments({("orders", i): list(ids) for i, ids in enumerate(triples)})

    assert copysets(grouped).chance_three == 3 / 84
    assert copysets(grouped).chance_two == 0
    assert copysets(scattered).chance_three == 1


def test_too_few_brokers_have_no_chance() -> None:
    """There are no 3 of 2 brokers to lose, and no 2 of 1."""
    two = copysets(ClusterLayout.from_assignments({("orders", 0): [1, 2]}))
    one = copysets(ClusterLayout.from_assignments({("orders", 0): [1]}))
    none = copysets(ClusterLayout.from_assignments({}))

    assert (two.chance_two, two.chance_three) == (1.0, None)
    assert (one.chance_two, one.chance_three) == (None, None)
    assert (none.copysets, none.chance_two) == (0, None)


def test_long_lists_do_not_overflow() -> None:
    """Twenty replicas on a thousand brokers do not fit into one 64-bit number, and are told apart all the same."""
    draw = np.random.default_rng(0)
    lists = np.array([draw.permutation(1_000)[:20] for _ in range(50)])
    lists = np.concatenate([lists, lists[:, ::-1]])
    layout = ClusterLayout.from_columns(
        topics=["orders"], topic_of=np.zeros(100), partition=np.arange(100), replicas=lists
    )

    assert copysets(layout).copysets == 50


@given(layouts())
@settings(max_examples=cases(120), deadline=None)
def test_every_choice_of_two_and_three(layout: ClusterLayout) -> None:
    """The counts are those of trying each choice."""
    found = copysets(layout)
    sets = {frozenset(members) for members in layout.assignments().values() if members}

    assert found.copysets == len(sets)
    assert {frozenset(layout.broker_ids[row[row >= 0]].tolist()) for row in distinct_sets(layout)} == sets
    assert found.losing_two == holding(layout, 2)
    assert found.losing_three == holding(layout, 3)


@given(st.integers(3, 12), st.integers(0, 40), st.integers(0, 99))
@settings(max_examples=cases(60), deadline=None)
def test_mixed_replication_factors(brokers: int, partitions: int, seed: int) -> None:
    """One, two, three and four replicas side by side: triangles, paths and single brokers are counted once."""
    draw = np.random.default_rng(seed)
    lists = {
        ("orders", i): draw.permutation(brokers)[: int(draw.choice([1, 2, 2, 2, 3, 3, 4], p=[0.04] + [0.16] * 6))]
        for i in range(partitions)
    }
    layout = ClusterLayout.from_assignments(
        {key: ids.tolist() for key, ids in lists.items()}, brokers=[Broker(i) for i in range(brokers)]
    )
    found = copysets(layout)

    assert found.losing_two == holding(layout, 2)
    assert found.losing_three == holding(layout, 3) <= comb(brokers, 3)
