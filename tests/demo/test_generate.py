"""Large layouts made up: the same for the same seed, and broken only as asked."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reseat.demo.generate import generate
from reseat.errors import WishRefused
from reseat.model import BrokerState
from tests.cases import cases


def test_the_same_seed_gives_the_same_layout() -> None:
    """And another seed another one."""
    assert generate(partitions=500, seed=7) == generate(partitions=500, seed=7)
    assert generate(partitions=500, seed=7) != generate(partitions=500, seed=8)


@settings(deadline=None, max_examples=cases(60))
@given(
    brokers=st.integers(1, 9),
    partitions=st.integers(0, 60),
    factor=st.integers(1, 4),
    racks=st.integers(0, 5),
    broken=st.floats(0, 1),
    seed=st.integers(0, 99),
)
def test_no_partition_has_two_replicas_on_one_broker(
    *, brokers: int, partitions: int, factor: int, racks: int, broken: float, seed: int
) -> None:
    """Whatever the racks, and also where racks are broken on purpose."""
    if brokers < factor:
        with pytest.raises(WishRefused):
            generate(brokers, partitions, factor, racks, seed=seed)
        return
    layout = generate(brokers, partitions, factor, racks, seed=seed, rack_broken=broken, lagging=0.2)

    assert layout.partition_count == partitions
    assert (layout.replication_factor == factor).all()
    assert layout.duplicates.size == 0
    assert [broker.id for broker in layout.brokers] == list(range(1, brokers + 1))


def test_replicas_are_on_different_racks_but_for_the_share_asked_for() -> None:
    """Three replicas on six racks: none shares one, unless asked."""

    def sharing(broken: float) -> float:
        layout = generate(brokers=30, partitions=4_000, racks=6, rack_broken=broken)
        racks = np.sort(layout.rack_of[layout.replicas], axis=1)
        return float((racks[:, 1:] == racks[:, :-1]).any(axis=1).mean())

    assert sharing(0.0) == 0.0
    assert 0.08 < sharing(0.1) < 0.12


def test_a_dead_broker_leads_nothing_and_is_in_no_isr() -> None:
    """The others take over; what only it held is offline."""
    layout = generate(brokers=6, partitions=300, replication_factor=2, racks=3, dead=(2,))
    dead = layout.replica_ids == 2

    assert layout.brokers[1].state is BrokerState.DEAD
    assert not (layout.leader_ids == 2).any()
    assert layout.in_sync is not None
    assert not layout.in_sync[dead].any()
    assert (layout.leader_ids >= 1).all()
    assert (generate(brokers=3, partitions=50, replication_factor=1, dead=(1,)).leader_ids == -1).any()


def test_every_leader_is_in_sync() -> None:
    """As Kafka holds it."""
    layout = generate(brokers=9, partitions=900, lagging=0.3, drifted=0.5, dead=(3,))
    assert layout.in_sync is not None
    leads = (layout.replicas == layout.leader[:, None]) & layout.in_sync

    assert (leads.sum(axis=1) == 1).all()


def test_an_even_cluster_is_evener_than_a_skewed_one() -> None:
    """The spread of replica counts grows with skew."""

    def deviation(skew: float) -> float:
        layout = generate(brokers=20, partitions=5_000, skew=skew)
        return float(np.bincount(layout.replicas.ravel(), minlength=20).std())

    assert deviation(0.0) < deviation(0.5)


def test_topics_are_of_very_different_size() -> None:
    """Few are large, many are small; bytes are whole and above 0."""
    layout = generate(partitions=20_000)
    sizes = np.sort(np.bincount(layout.topic_of))[::-1]

    assert sizes[:40].sum() > 0.5 * sizes.sum()
    assert layout.size_bytes is not None
    assert (layout.size_bytes == np.floor(layout.size_bytes)).all()


def test_what_cannot_be_is_refused() -> None:
    """A share above 1, and a dead broker that is not there."""
    with pytest.raises(WishRefused, match="drifted"):
        generate(drifted=2.0)
    with pytest.raises(WishRefused, match="Broker 99"):
        generate(brokers=3, dead=(99,))
