"""Every pair of brokers lost, counted, against the loss of each pair."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from reseat.election import Mode
from reseat.model import Broker, BrokerState, ClusterLayout
from reseat.resilience import pair, pairs
from tests.cases import cases
from tests.resilience.layouts import layouts

TRIANGLE = ClusterLayout.from_columns(
    topics=["orders"],
    topic_of=[0, 0, 0, 0],
    partition=[0, 1, 2, 3],
    replicas=[[1, 2, -1], [2, 3, -1], [3, 1, 4], [4, -1, -1]],
    leader=[1, 2, 3, 4],
    in_sync=[[True, True, False], [True, True, False], [True, True, True], [True, False, False]],
    min_in_sync=[2],
    size_bytes=[1.0, 2.0, 4.0, 8.0],
)


def test_the_pairs_of_a_small_cluster() -> None:
    """Pairs 1-2 and 2-3 hold a partition between them; 4 takes its own with it whoever else is lost."""
    found = pairs(TRIANGLE)

    assert list(zip(found.first.tolist(), found.second.tolist(), strict=True)) == [
        (1, 2),
        (1, 3),
        (1, 4),
        (2, 3),
        (2, 4),
        (3, 4),
    ]
    assert found.offline_partitions.tolist() == [1, 0, 1, 1, 1, 1]
    assert found.below_min_isr is not None
    assert found.below_min_isr.tolist() == [3, 4, 3, 3, 3, 3]
    assert found.leaders_moved is not None
    assert found.leaders_moved.tolist() == [1, 2, 1, 1, 1, 1]
    assert found.moves.tolist() == [-1] * 6


def test_moves_and_bytes_add_up_where_the_rest_can_hold_them() -> None:
    """With two brokers more, every lost replica finds a place."""
    found = pairs(TRIANGLE.with_brokers([Broker(5), Broker(6)]))

    assert found.moves[:3].tolist() == [4, 4, 4]
    assert found.bytes_to_move[:3].tolist() == [1 + 4 + 1 + 2, 1 + 4 + 2 + 4, 1 + 4 + 4 + 8]
    assert found.moves[-1] == 0


def test_who_takes_over_after_each_pair() -> None:
    """Partition 2, on 3, 1 and 4, goes to 1; to 4 where 1 is lost too."""
    found = pairs(TRIANGLE, most_takeovers=9).leaders_to

    assert found is not None
    assert [found.of(place) for place in range(len(found))] == [
        ((3, 1),),
        ((2, 1), (4, 1)),
        ((2, 1),),
        ((1, 1),),
        ((3, 1),),
        ((1, 1),),
    ]


def test_who_takes_over_is_left_out_where_it_takes_more_room_than_there_is() -> None:
    """Seven entries do not go into six; what else a pair does is told all the same."""
    found = pairs(TRIANGLE, most_takeovers=6)

    assert found.leaders_to is None
    assert found.leaders_moved is not None
    assert pairs(TRIANGLE, most_takeovers=7).leaders_to is not None
    assert pairs(TRIANGLE).leaders_to is None


def test_fewer_than_two_brokers_have_no_pairs() -> None:
    """One broker, or none."""
    alone = pairs(ClusterLayout.from_assignments({("orders", 0): [1]}), most_takeovers=1)

    assert len(alone) == 0
    assert alone.leaders_to is not None
    assert len(alone.leaders_to) == 0
    assert len(pairs(ClusterLayout.from_assignments({}))) == 0


@given(layouts(), st.sampled_from(["zookeeper", "kraft"]))
@settings(max_examples=cases(150), deadline=None)
def test_every_pair_as_if_it_alone_were_asked_about(layout: ClusterLayout, mode: Mode) -> None:
    """Counting co-occurrence gives what ``loss`` gives for each pair."""
    found = pairs(layout, mode=mode, most_takeovers=1_000)

    assert found.leaders_to is not None
    assert len(found) == len(found.leaders_to) == len(layout.brokers) * (len(layout.brokers) - 1) // 2
    for at, (one, other) in enumerate(zip(found.first.tolist(), found.second.tolist(), strict=True)):
        alone = pair(layout, one, other, mode=mode)
        assert alone.healing is not None
        assert found.offline_partitions[at] == alone.offline_partitions
        assert (None if found.below_min_isr is None else found.below_min_isr[at]) == alone.below_min_isr
        assert (None if found.leaders_moved is None else found.leaders_moved[at]) == alone.leaders_moved
        assert (None if found.moves[at] < 0 else found.moves[at]) == alone.healing.moves
        assert found.leaders_to.of(at) == alone.leaders_to
        size = found.bytes_to_move[at]
        assert (None if np.isnan(size) else round(size)) == alone.healing.bytes_to_move


def test_a_pair_that_leaves_as_many_in_sync_as_are_asked_brings_nothing_below() -> None:
    """Four in sync of which two are asked spare any two; three do not."""
    lists = {("t", 0): [1, 2, 3, 4]}
    four, three = (
        replace(ClusterLayout.from_assignments(lists, in_sync={("t", 0): ids}), min_in_sync=np.array([2], np.int32))
        for ids in ([1, 2, 3, 4], [1, 2, 3])
    )

    assert pairs(four).below_min_isr.tolist() == [0] * 6
    assert pairs(three).below_min_isr.tolist() == [1, 1, 0, 1, 0, 0]  # 1-2, 1-3 and 2-3


def test_two_dead_brokers_that_share_a_partition_need_room_for_both() -> None:
    """Brokers 1 and 2 are dead and broker 3 is all that lives: it takes one replica of partition 0, not two."""
    dead = [Broker(1, state=BrokerState.DEAD), Broker(2, state=BrokerState.DEAD)]
    together = ClusterLayout.from_assignments({("t", 0): [1, 2], ("t", 1): [3]}, brokers=dead)
    apart = ClusterLayout.from_assignments({("t", 0): [1], ("t", 1): [2], ("t", 2): [3]}, brokers=dead)

    assert pairs(together).moves.tolist()[0] == -1
    assert pairs(apart).moves.tolist()[0] == 2
