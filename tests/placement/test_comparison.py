"""Ways of placing many topics, measured alike."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reseat.errors import PlacementRefused
from reseat.model import Broker
from reseat.placement import JavaRandom
from reseat.placement.comparison import PLACERS, Outcome, compare, mixed_sizes
from reseat.placement.evenest import place_evenest

NINE = [Broker(i, f"rack{i // 3 + 1}") for i in range(9)]


def draws() -> JavaRandom:
    """The same draws each time."""
    return JavaRandom(7)


def by_way(brokers: list[Broker], sizes: tuple[int, ...], factor: int) -> dict[str, Outcome]:
    """Each way's outcome."""
    return {outcome.placer: outcome for outcome in compare(brokers, sizes, factor, draws)}


def test_the_measures_of_two_small_topics() -> None:
    """Naive over 0, 1, 2: [0, 1], [1, 2] and [0, 1] make 2, 3, 1 replicas, 2, 1, 0 leaders, and pairs 2, 1, 0."""
    naive = by_way([Broker(0), Broker(1), Broker(2)], (2, 1), 2)["naive"]

    assert naive.replicas.tolist() == [2, 3, 1]
    assert naive.leaders.tolist() == [2, 1, 0]
    assert naive.shared.tolist() == [[0, 2, 0], [2, 0, 1], [0, 1, 0]]
    assert naive.neighbours.tolist() == [1, 2, 1]
    assert naive.excess.tolist() == [0, 0]
    assert naive.closest == 1.0
    assert (naive.replica_spread, naive.leader_spread, naive.lacking_racks) == (2, 2, 0)


def test_brokers_stand_by_rack_and_partitions_on_too_few_racks_are_counted() -> None:
    """Racks b: 0, a: 1, 2; naive [0, 1] spans two racks, [1, 2] one of two."""
    naive = by_way([Broker(0, "b"), Broker(1, "a"), Broker(2, "a")], (2,), 2)["naive"]

    assert naive.brokers.tolist() == [1, 2, 0]
    assert naive.replicas.tolist() == [2, 1, 1]
    assert naive.lacking_racks == 1


def test_the_random_start_evens_loads_and_the_shift_makes_neighbours() -> None:
    """Over 300 topics on nine brokers: each step of the way does what it exists for."""
    found = by_way(NINE, mixed_sizes(300, JavaRandom(1)), 3)

    assert tuple(found) == PLACERS
    assert found["random start"].replica_spread < found["naive"].replica_spread / 4
    assert found["random start"].neighbours.max() == found["naive"].neighbours.max() == 4
    assert found["striped"].neighbours.min() == 6  # all brokers of the other racks
    assert found["naive"].lacking_racks > 0
    assert [found[way].lacking_racks for way in ("striped", "kraft", "evenest")] == [0, 0, 0]
    assert found["evenest"].replica_spread <= 1
    assert found["evenest"].leader_spread <= 1


@given(st.integers(3, 12), st.integers(1, 3), st.integers(0, 99), st.integers(1, 30))
def test_every_way_places_the_same_replicas(count: int, factor: int, seed: int, topics: int) -> None:
    """Whatever the way: the same partitions and replicas in all, and pairs that add up."""
    sizes = mixed_sizes(topics, JavaRandom(seed))
    for outcome in compare([Broker(i) for i in range(count)], sizes, factor, draws):
        assert outcome.partitions == sum(sizes) == outcome.leaders.sum()
        assert outcome.replicas.sum() == sum(sizes) * factor
        assert outcome.shared.sum() == sum(sizes) * factor * (factor - 1)
        assert np.array_equal(outcome.shared, outcome.shared.T)
        assert not outcome.shared.diagonal().any()
        assert (outcome.excess >= 0).all()


@given(
    st.lists(st.sampled_from((None, "a", "b", "c")), min_size=1, max_size=9),
    st.lists(st.tuples(st.integers(1, 12), st.integers(1, 4)), min_size=1, max_size=5),
)
def test_the_evenest_keeps_its_promises(racks: list[str | None], topics: list[tuple[int, int]]) -> None:
    """No broker twice; as many racks as can be; without racks, replicas and leaders within one of each other."""
    brokers = [Broker(i, rack) for i, rack in enumerate(racks)]
    topics = [(partitions, min(factor, len(brokers))) for partitions, factor in topics]
    lists = [row for placed in place_evenest(brokers, topics) for row in placed.replicas.tolist()]
    rack_of = {broker.id: broker.rack or broker.id for broker in brokers}

    assert all(len(set(row)) == len(row) for row in lists)
    if any(racks):
        most = len(set(rack_of.values()))
        assert all(len({rack_of[broker] for broker in row}) == min(len(row), most) for row in lists)
    else:
        held = np.bincount([broker for row in lists for broker in row], minlength=len(brokers))
        assert np.ptp(held) <= 1


def test_what_cannot_be_compared_is_refused() -> None:
    """No topic; racks on some brokers alone, in Kafka's words; more replicas than brokers."""
    with pytest.raises(PlacementRefused, match="no topic"):
        compare(NINE, (), 3, draws)
    with pytest.raises(PlacementRefused, match="Not all brokers have rack information"):
        compare([Broker(0, "a"), Broker(1)], (1,), 1, draws)
    with pytest.raises(PlacementRefused, match="need as many brokers"):
        compare([Broker(0)], (1,), 2, draws)
