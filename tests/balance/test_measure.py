"""Measures: loads by broker, rack and topic; what is not told stays not told."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from reseat.balance import measure, without_live_copy
from reseat.balance.health import in_sync_required, out_of_every_isr, staying_factor
from reseat.balance.spread import spread_of
from reseat.model import Broker, BrokerState, ClusterLayout
from tests.cases import cases

ORDERS = {("orders", 0): [1, 2], ("orders", 1): [2, 3], ("orders", 2): [2, 1]}


def test_replicas_leaders_and_preferred_leaders_are_counted_by_broker() -> None:
    """Three partitions over brokers 1, 2, 3; partition 2 is led by its second replica."""
    layout = ClusterLayout.from_assignments(
        ORDERS,
        leaders={("orders", 0): 1, ("orders", 1): 2, ("orders", 2): 1},
        in_sync={key: ORDERS[key] for key in ORDERS},
    )
    balance = measure(layout)

    assert balance.by_broker.names == (1, 2, 3)
    assert balance.by_broker.replicas.tolist() == [2, 3, 1]
    assert balance.by_broker.leaders is not None
    assert balance.by_broker.leaders.tolist() == [2, 1, 0]
    assert balance.by_broker.preferred_leaders is not None
    assert balance.by_broker.preferred_leaders.tolist() == [1, 2, 0]
    assert (balance.partitions, balance.replicas, balance.offline, balance.not_preferred) == (3, 6, 0, 1)
    assert balance.under_replicated == 0
    assert balance.by_broker.replica_spread is not None
    assert balance.by_broker.replica_spread.spread == 2
    assert balance.by_broker.replica_spread.least_possible == 0


def test_a_bare_assignment_tells_nothing_of_leaders_isr_and_sizes() -> None:
    """Not told is None, never 0."""
    balance = measure(ClusterLayout.from_assignments(ORDERS))

    assert balance.offline is None
    assert balance.under_replicated is None
    assert balance.below_min_isr is None
    assert balance.not_preferred is None
    assert balance.by_broker.leaders is None
    assert balance.by_broker.leader_spread is None
    assert balance.by_broker.size_bytes is None
    assert balance.rack_sum_of_squares is None


def test_a_count_is_not_told_while_one_partition_is_not() -> None:
    """Of two partitions one is told: 0 offline of one is not 0 offline."""
    layout = ClusterLayout.from_assignments(
        {("a", 0): [1], ("a", 1): [2]}, leaders={("a", 0): 1}, in_sync={("a", 0): [1]}
    )
    balance = measure(layout)

    assert (balance.offline, balance.leader_told) == (None, 1)
    assert (balance.under_replicated, balance.in_sync_told) == (None, 1)
    assert balance.by_broker.leaders is not None
    assert balance.by_broker.leaders.tolist() == [1, 0]


def test_no_leader_is_offline() -> None:
    """A source that says there is none, not one that says nothing."""
    layout = ClusterLayout.from_assignments(ORDERS, leaders={("orders", 0): None, ("orders", 1): 2, ("orders", 2): 2})

    assert measure(layout).offline == 1


def test_replicas_being_added_are_not_missed_in_the_isr() -> None:
    """As kafka-topics counts: RF 2 with one being added and two in sync is not under-replicated."""
    layout = ClusterLayout.from_columns(
        topics=["t"],
        topic_of=[0, 0],
        partition=[0, 1],
        replicas=[[3, 1, 2], [3, 1, 2]],
        leader=[1, 1],
        in_sync=[[False, True, True], [False, True, False]],
        adding=[[True, False, False], [True, False, False]],
        removing=[[False, False, True], [False, False, True]],
    )

    assert measure(layout).under_replicated == 1


def test_observers_outside_the_isr_are_not_missed() -> None:
    """Observers do not belong in the ISR; one that was promoted into it counts."""
    layout = ClusterLayout.from_columns(
        topics=["t"],
        topic_of=[0, 0],
        partition=[0, 1],
        replicas=[[1, 2, 3], [1, 2, 3]],
        leader=[1, 1],
        in_sync=[[True, True, False], [True, False, True]],
        observers=[[False, False, True], [False, False, True]],
    )

    assert measure(layout).under_replicated == 1


def test_below_min_isr_counts_where_both_are_told() -> None:
    """Topic b does not tell its min ISR: it takes the broker's default, which no text tells."""
    layout = ClusterLayout.from_columns(
        topics=["a", "b"],
        topic_of=[0, 1],
        partition=[0, 0],
        replicas=[[1, 2], [1, 2]],
        in_sync=[[True, False], [True, False]],
        min_in_sync=[2, -1],
    )
    balance = measure(layout)

    assert (balance.below_min_isr, balance.min_isr_told) == (1, 1)


def test_the_order_that_is_not_told_has_no_preferred_leaders() -> None:
    """Topic b of a source that does not keep order is left out of preferred leaders."""
    layout = ClusterLayout.from_columns(
        topics=["a", "b"],
        topic_of=[0, 1],
        partition=[0, 0],
        replicas=[[1, 2], [2, 1]],
        leader=[1, 1],
        order_told=[True, False],
    )
    balance = measure(layout)

    assert balance.by_broker.preferred_leaders is not None
    assert balance.by_broker.preferred_leaders.tolist() == [1, 0]
    assert balance.not_preferred is None
    assert balance.order_told == 1


def test_dead_brokers_carry_no_spread() -> None:
    """Broker 3 is dead and holds nothing: that is not a skew anybody could mend."""
    layout = ClusterLayout.from_assignments({("t", 0): [1, 2]}, brokers=[Broker(3, state=BrokerState.DEAD)])
    balance = measure(layout)

    assert balance.by_broker.replicas.tolist() == [1, 1, 0]
    assert balance.by_broker.replica_spread is not None
    assert balance.by_broker.replica_spread.count == 2
    assert balance.by_broker.replica_spread.spread == 0


def test_racks_are_sums_over_their_brokers_with_no_rack_last() -> None:
    """Broker 4 has no rack; it is listed under None and left out of the spread over racks."""
    layout = ClusterLayout.from_assignments(
        {("t", 0): [1, 2], ("t", 1): [3, 4], ("t", 2): [1, 4]},
        brokers=[Broker(1, rack="a"), Broker(2, rack="a"), Broker(3, rack="b")],
        leaders={("t", 0): 1, ("t", 1): 3, ("t", 2): 4},
    )
    by_rack = measure(layout).by_rack

    assert by_rack.names == ("a", "b", None)
    assert by_rack.replicas.tolist() == [3, 1, 2]
    assert by_rack.leaders is not None
    assert by_rack.leaders.tolist() == [1, 1, 1]
    assert by_rack.replica_spread is not None
    assert by_rack.replica_spread.count == 2


def test_a_rack_of_one_broker_cannot_carry_as_much_as_the_others() -> None:
    """RF 3 over racks of 1 and 3 brokers: 2 and 4 replicas are the evenest there is."""
    layout = ClusterLayout.from_assignments(
        {("t", 0): [1, 2, 3], ("t", 1): [1, 3, 4]},
        brokers=[Broker(1, rack="a"), *(Broker(i, rack="b") for i in (2, 3, 4))],
    )
    spread = measure(layout).by_rack.replica_spread

    assert spread is not None
    assert (spread.spread, spread.least_possible) == (2, 2)


def test_bytes_are_summed_where_told() -> None:
    """A replica whose size is not told adds nothing; a broker of which no size is told has none, and not 0 bytes."""
    layout = ClusterLayout.from_assignments(ORDERS, size_bytes={("orders", 0): 10.0, ("orders", 2): 5.0})
    balance = measure(layout)

    assert balance.sizes_told == 4
    assert balance.by_broker.size_bytes is not None
    assert balance.by_broker.size_bytes.tolist()[:2] == [15.0, 15.0]
    assert np.isnan(balance.by_broker.size_bytes[2])
    assert balance.by_broker.byte_spread == spread_of(np.array([15.0, 15.0]), whole=False)
    assert balance.by_topic.size_bytes is not None
    assert balance.by_topic.size_bytes.tolist() == [30.0]


def test_bytes_of_a_broker_that_is_down_are_not_told_for_its_rack_either() -> None:
    """Sizes that only a dead broker could tell are no zeros; one without replicas, or with empty ones, has 0."""
    layout = replace(
        ClusterLayout.from_assignments(
            {("t", 0): [1, 2], ("t", 1): [1, 3]},
            brokers=[Broker(1, rack="a"), Broker(2, rack="b"), Broker(3, rack="c"), Broker(4, rack="c")],
        ),
        size_bytes=np.array([[7.0, np.nan], [5.0, 0.0]]),
    )
    balance = measure(layout)

    assert balance.by_broker.size_bytes is not None
    assert balance.by_rack.size_bytes is not None
    assert [None if np.isnan(size) else size for size in balance.by_broker.size_bytes.tolist()] == [
        12.0,
        None,
        0.0,
        0.0,
    ]
    assert [None if np.isnan(size) else size for size in balance.by_rack.size_bytes.tolist()] == [12.0, None, 0.0]
    assert balance.by_broker.byte_spread is not None
    assert balance.by_broker.byte_spread.count == 3


def test_an_empty_layout_is_measured() -> None:
    """No partitions, no brokers: counts of 0, all of which are told."""
    balance = measure(ClusterLayout.from_assignments({}))

    assert (balance.partitions, balance.replicas, balance.offline, balance.under_replicated) == (0, 0, 0, 0)
    assert balance.by_broker.replica_spread is None


assignments = st.dictionaries(
    st.tuples(st.sampled_from(["a", "b", "c"]), st.integers(0, 9)),
    st.lists(st.integers(0, 6), max_size=5, unique=True),
    max_size=15,
)


@given(assignments, st.sets(st.integers(0, 6)))
@settings(max_examples=cases(150))
def test_measures_equal_counting_by_hand(assignment: dict[tuple[str, int], list[int]], dead: set[int]) -> None:
    """Loads by broker and spreads by topic are those of a plain count, dead brokers left out of spreads."""
    layout = ClusterLayout.from_assignments(
        assignment,
        brokers=[Broker(i, state=BrokerState.DEAD if i in dead else BrokerState.ALIVE) for i in range(7)],
    )
    balance = measure(layout)
    by_broker = Counter(broker for replicas in assignment.values() for broker in replicas)
    alive = [i for i in range(7) if i not in dead]

    assert balance.by_broker.replicas.tolist() == [by_broker[i] for i in range(7)]
    for at, topic in enumerate(layout.topics):
        held = Counter(b for (name, _), replicas in assignment.items() if name == topic for b in replicas)
        counts = [held[i] for i in alive]
        assert balance.by_topic.replicas[at] == sum(held.values())
        assert balance.by_topic.brokers[at] == sum(1 for n in counts if n)
        assert balance.by_topic.spread[at] == (max(counts) - min(counts) if counts else 0)
        assert balance.by_topic.partitions[at] == sum(1 for name, _ in assignment if name == topic)


def test_measuring_changes_nothing() -> None:
    """The layout is the same afterwards, columns and all."""
    layout = ClusterLayout.from_assignments(ORDERS, leaders={("orders", 0): 1})
    before = replace(layout)
    measure(layout)

    assert layout == before
    assert np.array_equal(layout.replicas, before.replicas)


def test_a_size_column_that_tells_nothing_is_no_size() -> None:
    """Bytes are then not told, and not 0."""
    layout = replace(ClusterLayout.from_assignments(ORDERS), size_bytes=np.full(3, np.nan))
    balance = measure(layout)

    assert layout.replica_bytes is None
    assert (balance.by_broker.size_bytes, balance.by_rack.size_bytes, balance.by_topic.size_bytes) == (None, None, None)
    assert balance.by_broker.byte_spread is None


def test_the_isr_says_where_a_live_copy_is_and_the_leader_where_nobody_tells_it() -> None:
    """Broker 1 is dead: with broker 2 in sync there is a copy, whoever is said to lead; else it was the leader."""
    lists = {("t", 0): [1, 2], ("u", 0): [1, 2]}
    layout = ClusterLayout.from_assignments(
        lists,
        brokers=[Broker(1, state=BrokerState.DEAD), Broker(2, state=BrokerState.ALIVE)],
        leaders=dict.fromkeys(lists, 1),
        in_sync={("t", 0): [1, 2]},
    )

    assert without_live_copy(layout).tolist() == [False, True]


def test_neither_a_replica_that_is_being_added_nor_an_observer_has_to_be_in_sync() -> None:
    """Of four replicas two."""
    layout = replace(
        ClusterLayout.from_assignments({("t", 0): [1, 2, 3, 4]}, in_sync={("t", 0): [1, 2]}),
        adding=np.array([[False, False, True, False]]),
        observers=np.array([[False, False, False, True]]),
    )

    assert in_sync_required(layout).tolist() == [2]


def test_a_broker_that_holds_nothing_is_out_of_no_isr() -> None:
    """Broker 2 is, and broker 3 has nothing to be in sync for."""
    layout = ClusterLayout.from_assignments(
        {("t", 0): [1, 2]}, brokers=[Broker(1), Broker(2), Broker(3)], in_sync={("t", 0): [1]}, leaders={("t", 0): 1}
    )

    assert out_of_every_isr(layout).tolist() == [False, True, False]


def test_what_is_padded_does_not_stay() -> None:
    """Of two replicas one is being removed, and the other partition has one alone."""
    layout = replace(
        ClusterLayout.from_assignments({("t", 0): [1, 2], ("t", 1): [3]}),
        removing=np.array([[False, True], [False, False]]),
    )

    assert staying_factor(layout).tolist() == [1, 1]
