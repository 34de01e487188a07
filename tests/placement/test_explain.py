"""Striped placement step by step."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reseat.errors import PlacementRefused
from reseat.model import Broker
from reseat.placement import place_striped, striped_steps_of
from tests.cases import cases


@given(st.integers(1, 9), st.integers(0, 4), st.integers(0, 10**6), st.sampled_from([-1, 0, 4, 13]), st.data())
@settings(max_examples=cases(150))
def test_the_steps_end_in_the_list_placed(size: int, racks: int, seed: int, first: int, data: st.DataObject) -> None:
    """Computed candidate by candidate, they agree with the vectorised placement."""
    brokers = [Broker(i, f"r{seed // (i + 1) % racks}" if racks else None) for i in range(size)]
    factor = data.draw(st.integers(1, size))
    start, shift = data.draw(st.integers(0, size - 1)), data.draw(st.integers(0, size - 1))
    placed = place_striped(brokers, 12, factor, start=start, shift=shift, first_partition=first).assignment()

    for partition, replicas in placed.items():
        told = striped_steps_of(brokers, partition, factor, start=start, shift=shift, first_partition=first)
        assert list(told.replicas) == replicas


def test_formulas_carry_their_numbers() -> None:
    """Partition 3 of the documented example, where the shift has grown."""
    told = striped_steps_of([Broker(i) for i in range(3)], 3, 3, start=2, shift=2)

    assert told.replicas == (2, 1, 0)
    assert told.shift_words == (
        "The shift began at 2 and grew by 1 to 3: by 1 at each partition id above 0 that 3 divides, up to 3."
    )
    assert [step.candidates[-1].formula for step in told.steps] == [
        "(partition 3 + start 2) mod 3 = 2",
        "(2 + 1 + (shift 3 + 0) mod 2) mod 3 = 1",
        "(2 + 1 + (shift 3 + 1) mod 2) mod 3 = 0",
    ]


def test_brokers_passed_over_say_why() -> None:
    """A rack that has a replica while another has none, and a broker that has the partition."""
    brokers = [Broker(i, rack) for i, rack in enumerate(["a", "b", "c", "a", "a", "b"])]
    told = striped_steps_of(brokers, 3, 4, start=0, shift=0)

    assert told.ring == (0, 1, 2, 3, 5, 4)
    assert told.replicas == (3, 5, 2, 4)
    assert [candidate.why for candidate in told.steps[2].candidates] == [
        "Broker 4 is skipped: its rack a has a replica already, and another rack has none.",
        "Broker 0 is skipped: its rack a has a replica already, and another rack has none.",
        "Broker 1 is skipped: its rack b has a replica already, and another rack has none.",
        "Broker 2 in rack c gets replica 2.",
    ]
    assert [candidate.why for candidate in told.steps[3].candidates] == [
        "Broker 5 is skipped: it has this partition already.",
        "Broker 4 in rack a gets replica 3.",
    ]


def test_a_partition_before_the_first_is_refused() -> None:
    """There are no steps for it."""
    with pytest.raises(PlacementRefused, match="before the first one, 5"):
        striped_steps_of([Broker(0)], 4, 1, start=0, shift=0, first_partition=5)
