"""KRaft's placement explained: the steps end in what is placed, with the racks passed over on the way."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reseat.errors import PlacementRefused
from reseat.model import Broker, BrokerState
from reseat.placement import JavaRandom, place_kraft
from reseat.placement.explain_kraft import kraft_steps_of


@st.composite
def clusters(draw: st.DrawFn) -> list[Broker]:
    """One to nine brokers in up to four racks, some fenced, at least one not."""
    names = st.sampled_from((None, "a", "b", "rack-10"))
    fenced = st.sampled_from((BrokerState.ALIVE, BrokerState.ALIVE, BrokerState.FENCED))
    brokers = [Broker(i, draw(names), state=draw(fenced)) for i in range(draw(st.integers(0, 8)))]
    return [*brokers, Broker(9, draw(names), state=BrokerState.ALIVE)]


@given(clusters(), st.integers(0, 40), st.integers(0, 2**48 - 1), st.data())
def test_the_steps_end_in_the_list_that_is_placed(brokers: list[Broker], row: int, seed: int, data: st.DataObject):
    """For any cluster, partition and seed, each replica's last rack gives the very broker that is placed."""
    factor = data.draw(st.integers(1, len(brokers)))
    placed = place_kraft(brokers, row + 1, factor, draws=JavaRandom(seed)).replicas[row].tolist()
    steps = kraft_steps_of(brokers, row, factor, draws=JavaRandom(seed))

    assert [looks[-1].broker for looks in steps.replicas] == placed
    assert all(look.broker is None and look.why for looks in steps.replicas for look in looks[:-1])


def test_the_rack_of_the_leader_is_stepped_over_once() -> None:
    """Racks a: 0 and b: 1, 2; a list of three takes the leader's rack up again only on the second round."""
    brokers = [Broker(0, "a"), Broker(1, "b"), Broker(2, "b")]
    steps = kraft_steps_of(brokers, 1, 3, draws=JavaRandom(0))
    passed = [look.why for looks in steps.replicas for look in looks if look.broker is None]

    assert steps.racks == ("a", "b")
    assert passed.count("it has the leader, and is skipped once") == 1


def test_refusals_are_those_of_the_placement() -> None:
    """Kafka's words, and a row below 0."""
    with pytest.raises(PlacementRefused, match="cannot be reached because only 1 broker"):
        kraft_steps_of([Broker(0)], 0, 2, draws=JavaRandom(0))
    with pytest.raises(PlacementRefused, match="before the first one"):
        kraft_steps_of([Broker(0)], -1, 1, draws=JavaRandom(0))
