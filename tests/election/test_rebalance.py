"""How far the automatic leader rebalance would act."""

from __future__ import annotations

import numpy as np

from reseat.election import auto_rebalance
from reseat.model import ClusterLayout


def led(elsewhere: int, of: int) -> ClusterLayout:
    """Broker 1 is preferred by so many partitions, the first few of which are led by 2."""
    keys = [("t", i) for i in range(of)]
    return ClusterLayout.from_assignments(
        {key: [1, 2] for key in keys},
        leaders={key: 2 if i < elsewhere else 1 for i, key in enumerate(keys)},
        in_sync={key: [1, 2] for key in keys},
    )


def test_a_share_of_exactly_ten_percent_is_not_above_it() -> None:
    """1 of 10: nothing happens; 2 of 10: broker 1 gets its elections."""
    at, above = auto_rebalance(led(1, 10)), auto_rebalance(led(2, 10))

    assert at.share.tolist()[0] == 10.0
    assert np.isnan(at.share[1])
    assert at.acts.tolist() == [False, False]
    assert above.acts.tolist() == [True, False]
    assert above.rows.tolist() == [0, 1]
    assert (above.preferring.tolist(), above.led_elsewhere.tolist()) == ([10, 0], [2, 0])


def test_kraft_knows_no_percentage() -> None:
    """One partition led elsewhere is enough."""
    assert auto_rebalance(led(1, 100), mode="kraft").rows.tolist() == [0]


def test_kraft_says_in_how_many_rounds() -> None:
    """At most 1,000 elections a round; of one round nothing is said."""
    assert not any("rounds" in said for said in auto_rebalance(led(1000, 1000), mode="kraft").sentences)
    assert "It does so in 2 rounds of at most 1,000." in auto_rebalance(led(1001, 1001), mode="kraft").sentences


def test_a_reassignment_anywhere_holds_a_zookeeper_controller_back() -> None:
    """Only while none is under way does it act."""
    layout = ClusterLayout.from_columns(
        topics=["t"],
        topic_of=[0, 0],
        partition=[0, 1],
        replicas=[[1, 2, -1], [3, 1, 2]],
        leader=[2, 1],
        in_sync=[[True, True, False], [False, True, True]],
        adding=[[False, False, False], [True, False, False]],
    )

    assert auto_rebalance(layout).held_back
    assert not auto_rebalance(layout).acts.any()
    assert auto_rebalance(layout, mode="kraft").rows.tolist() == [0]


def test_no_leader_counts_as_led_elsewhere_and_not_told_as_neither() -> None:
    """Of two told one is imbalanced; the third is left out of the share."""
    layout = ClusterLayout.from_assignments(
        {("t", 0): [1, 2], ("t", 1): [1, 2], ("t", 2): [1, 2]}, leaders={("t", 0): None, ("t", 1): 1}
    )
    result = auto_rebalance(layout)

    assert (result.preferring.tolist(), result.led_elsewhere.tolist()) == ([2, 0], [1, 0])
    assert "1 partition whose leader or order is unknown is not counted." in result.sentences


def test_a_preferred_replica_out_of_sync_is_not_elected_though_the_broker_is_imbalanced() -> None:
    """Kafka acts for the broker and finds nothing that it can elect."""
    layout = ClusterLayout.from_assignments({("t", 0): [1, 2]}, leaders={("t", 0): 2}, in_sync={("t", 0): [2]})
    result = auto_rebalance(layout)

    assert result.acts.tolist() == [True, False]
    assert result.rows.size == 0


def test_an_empty_layout_needs_no_rebalance() -> None:
    """And says so."""
    assert auto_rebalance(ClusterLayout.from_assignments({})).rows.size == 0
