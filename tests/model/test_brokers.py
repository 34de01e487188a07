"""What a layout says of its brokers: who is dead, who serves, which racks they are."""

from __future__ import annotations

from reseat.model import Broker, BrokerState, ClusterLayout

STATES = (BrokerState.ALIVE, BrokerState.DEAD, BrokerState.FENCED, BrokerState.SHUTTING_DOWN, BrokerState.NOT_TOLD)


def layout(*racks: str | None) -> ClusterLayout:
    """Brokers 0 to 4, one in each state, in these racks."""
    brokers = [Broker(i, rack, state=state) for i, (state, rack) in enumerate(zip(STATES, racks, strict=True))]
    return ClusterLayout.from_assignments({("t", 0): [0]}, brokers=brokers)


def test_masks_tell_brokers_by_state() -> None:
    """A fenced broker is not dead, and serves nobody; of one not told the best is assumed."""
    told = layout(*[None] * 5)

    assert told.dead.tolist() == [False, True, False, False, False]
    assert told.available.tolist() == [True, False, False, False, True]
    assert told.in_state(BrokerState.ALIVE, BrokerState.NOT_TOLD).tolist() == [True, False, False, False, True]
    assert not told.in_state().any()
    assert {state for state in BrokerState if state.away} == {BrokerState.DEAD, BrokerState.FENCED}


def test_a_broker_without_a_rack_is_a_rack_of_its_own() -> None:
    """Also where none has one; the racks keep their numbers."""
    mixed = layout("b", None, "a", None, "b")

    assert mixed.rack_groups.tolist() == [1, 3, 0, 5, 1]
    assert len(set(layout(*[None] * 5).rack_groups.tolist())) == 5
