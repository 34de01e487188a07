"""Refusals, periods, the evenest placement and what --generate would propose."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reseat.errors import PlacementRefused
from reseat.model import Broker, BrokerState, ClusterLayout
from reseat.placement import (
    JavaRandom,
    RackMode,
    Tool,
    place_evenest,
    place_kraft,
    place_naive,
    place_striped,
    proposal_spread,
    propose,
)
from reseat.placement.ring import ring_of
from reseat.placement.striped import lists_at, lists_on_ring
from tests.cases import cases


def brokers(count: int, racks: int = 0) -> list[Broker]:
    """Brokers 0 to count - 1, racks in turn."""
    return [Broker(i, f"r{i % racks}" if racks else None) for i in range(count)]


def test_rack_modes() -> None:
    """Enforced refuses mixed racks in the tool's words, safe and disabled leave them aside; a direct call refuses."""
    mixed = [Broker(2, "a"), Broker(1)]

    with pytest.raises(PlacementRefused, match="Add --disable-rack-aware in command line"):
        place_striped(mixed, 1, 1, start=0, shift=0, rack_mode=RackMode.ENFORCED)
    with pytest.raises(PlacementRefused, match="for replica rack aware assignment") as refused:
        place_striped(mixed, 1, 1, start=0, shift=0)
    assert refused.value.kafka_error == "AdminOperationException"
    for mode in (RackMode.SAFE, RackMode.DISABLED):
        assert place_striped(mixed, 2, 1, start=0, shift=0, rack_mode=mode).replicas.tolist() == [[1], [2]]


def test_draws_come_in_order_and_may_be_given_apart() -> None:
    """Start is drawn first; giving one leaves the other as drawn."""
    drawn = place_striped(brokers(50), 1, 2, draws=JavaRandom(11))
    given_start = place_striped(brokers(50), 1, 2, draws=JavaRandom(11), start=7)

    random = JavaRandom(11)
    assert (drawn.start, drawn.shift) == (random.next_int(50), random.next_int(50))
    assert (given_start.start, given_start.shift) == (7, drawn.shift)
    with pytest.raises(PlacementRefused, match="neither both given nor drawn"):
        place_striped(brokers(3), 1, 1, start=1)


@pytest.mark.parametrize(
    ("start", "shift", "first", "partitions"),
    [(2**31 - 1, 0, 0, 5), (0, 2**31 - 1, 0, 5), (0, 0, 2**31 - 1, 2), (-1, 0, 0, 1), (0, -5, 0, 1)],
)
def test_numbers_that_kafka_cannot_add_are_refused(start: int, shift: int, first: int, partitions: int) -> None:
    """Beyond 32 bits Kafka's sums turn negative; below 0 there is no place."""
    with pytest.raises(PlacementRefused, match=r"beyond 32 bits|below 0"):
        place_striped(brokers(3), partitions, 2, start=start, shift=shift, first_partition=first)


def test_the_largest_numbers_that_kafka_can_add_are_taken() -> None:
    """The last partition id, alone and with the start, is 2^31 - 1; one more is not."""
    last = 2**31 - 1
    assert place_striped(brokers(3), 2, 1, start=0, shift=0, first_partition=last - 1).order is not None
    assert place_striped(brokers(3), 2, 1, start=9, shift=0, first_partition=last - 10).order is not None
    for start, first in ((0, last), (9, last - 9)):
        with pytest.raises(PlacementRefused, match="beyond 32 bits"):
            place_striped(brokers(3), 2, 1, start=start, shift=0, first_partition=first)


def test_naive_and_kraft_refuse_what_cannot_be() -> None:
    """Nothing to place, too many replicas, a broker twice, everyone fenced."""
    with pytest.raises(PlacementRefused, match="both must be larger than 0"):
        place_naive(brokers(2), 0, 1)
    with pytest.raises(PlacementRefused, match="3 replicas need as many brokers; there are 2"):
        place_naive(brokers(2), 1, 3)
    with pytest.raises(PlacementRefused, match="Broker 0 is given twice"):
        place_kraft([Broker(0), Broker(0)], 1, 1, draws=JavaRandom(1))
    with pytest.raises(PlacementRefused, match="All brokers are currently fenced"):
        place_kraft([Broker(0, state=BrokerState.FENCED)], 1, 1, draws=JavaRandom(1))


@given(st.integers(1, 9), st.integers(0, 3), st.integers(1, 4), st.integers(0, 40))
@settings(max_examples=cases(60))
def test_the_period_is_exact(count: int, racks: int, factor: int, first: int) -> None:
    """Lists repeated by their period equal lists walked one by one, over several periods."""
    ring = ring_of(brokers(count, racks))
    factor = min(factor, count)
    together = lists_on_ring(ring, 300, factor, start=1, shift=3, first_id=first)
    ids = np.arange(first, first + 300)

    assert np.array_equal(together, lists_at(ring, ids, factor, start=1, shift=3, first_id=first))


@given(st.integers(2, 12), st.integers(0, 4), st.integers(1, 4), st.lists(st.integers(1, 30), min_size=1, max_size=8))
@settings(max_examples=cases(60))
def test_the_evenest_placement_is_even(count: int, racks: int, factor: int, sizes: list[int]) -> None:
    """No broker twice; without racks, or with equal ones, replicas within one; leaders within one."""
    cluster = brokers(count, racks)
    factor = min(factor, count)
    placed = place_evenest(cluster, [(size, factor) for size in sizes])
    lists = np.concatenate([one.replicas for one in placed])

    assert all(len(set(row)) == factor for row in lists.tolist())
    held = np.bincount(lists.ravel(), minlength=count)
    if racks == 0 or (count % racks == 0 and racks >= factor):
        assert held.max() - held.min() <= 1
    if racks:
        distinct = [len({broker % racks for broker in row}) for row in lists.tolist()]
        assert min(distinct) == min(factor, racks, count)
    leads = np.bincount(lists[:, 0], minlength=count)
    if racks == 0 and factor > 1:
        assert leads.max() - leads.min() <= 1


@pytest.mark.parametrize("tool", list(Tool))
def test_generate_counts_what_would_be_copied(tool: Tool) -> None:
    """Moves are brokers that did not hold the partition; bytes follow; the layout is not changed."""
    layout = ClusterLayout.from_assignments(
        {("a", p): [p % 4, (p + 1) % 4] for p in range(8)} | {("b", 0): [3], ("b", 1): [0]},
        brokers=brokers(5, 5),
        size_bytes={("a", p): 100.0 for p in range(8)} | {("b", 0): 7.0, ("b", 1): 7.0},
    )
    before = layout.digest
    made = propose(layout, [0, 1, 2], draws=JavaRandom(9), tool=tool)

    now = layout.assignments()
    fresh = {key: sum(broker not in now[key] for broker in row) for key, row in made.after.assignments().items()}
    assert made.moves == sum(fresh.values())
    assert made.bytes_to_move == sum(number * (100.0 if key[0] == "a" else 7.0) for key, number in fresh.items())
    assert layout.digest == before
    assert {broker for row in made.after.assignments().values() for broker in row} <= {0, 1, 2}


def test_proposals_over_many_draws() -> None:
    """One entry a draw; the same sources give the same numbers, and the first is that of one proposal."""
    layout = ClusterLayout.from_assignments({("a", p): [p % 4, (p + 1) % 4] for p in range(20)}, brokers=brokers(4, 2))
    spread = proposal_spread(layout, [0, 1, 2], draws_of=JavaRandom, rounds=6)

    assert spread.moves.shape == (6,)
    assert spread.moves[2] == propose(layout, [0, 1, 2], draws=JavaRandom(2)).moves
    assert spread.rack_violations.tolist() == [0] * 6
    assert spread.bytes_to_move is None
    for number in range(6):
        made = propose(layout, [0, 1, 2], draws=JavaRandom(number)).after
        for of, spreads in (
            (made.replicas_by_broker, spread.replica_spread),
            (made.preferred_by_broker, spread.leader_spread),
        ):
            assert spreads[number] == of[:3].max() - of[:3].min()


def test_generate_says_what_its_topics_are_not() -> None:
    """Ids with a gap, of one topic of three; the factor of one partition is not that of another."""
    whole = {("a", 0): [0], ("a", 1): [1], ("gap", 0): [0], ("gap", 2): [1], ("mixed", 0): [0, 1], ("mixed", 1): [2]}
    notes = propose(ClusterLayout.from_assignments(whole), [0, 1, 2], draws=JavaRandom(1)).notes

    assert len(notes) == 2
    assert notes[0].startswith("1 topic with mixed replication factors (mixed) would get")
    assert notes[1].startswith("The partition ids of 1 topic (gap) are not 0 to n - 1")


def test_generate_refuses_in_the_tools_words() -> None:
    """A broker or topic named twice, a topic that is not there, too few brokers."""
    layout = ClusterLayout.from_assignments({("a", 0): [0, 1, 2]})

    with pytest.raises(PlacementRefused, match=r"Broker list contains duplicate entries: \[1\]"):
        propose(layout, [1, 1], draws=JavaRandom(1))
    with pytest.raises(PlacementRefused, match=r"List of topics to reassign contains duplicate entries: \[a\]"):
        propose(layout, [1], draws=JavaRandom(1), topics=["a", "a"])
    with pytest.raises(PlacementRefused, match=r"Topic b not found\."):
        propose(layout, [1], draws=JavaRandom(1), topics=["b"])
    with pytest.raises(PlacementRefused, match=r"Replication factor: 3 larger than available brokers: 1\."):
        propose(layout, [1], draws=JavaRandom(1))


def test_cordoned_brokers_take_no_part_in_krafts_placement_and_refusals_name_them() -> None:
    """As without them, draw for draw; from 4.3 on a refusal says that it may be for cordons."""
    cordoned = [
        Broker(i, "ab"[i % 2], state=BrokerState.CORDONED if i in (2, 5) else BrokerState.ALIVE) for i in range(7)
    ]
    without = [broker for broker in cordoned if broker.state is BrokerState.ALIVE]
    placed = place_kraft(cordoned, 20, 3, draws=JavaRandom(9))
    registered = "only 5 broker\\(s\\) are registered"

    assert placed.replicas.tolist() == place_kraft(without, 20, 3, draws=JavaRandom(9)).replicas.tolist()
    assert placed.order == (0, 1, 3, 4, 6)
    with pytest.raises(PlacementRefused, match=f"{registered} or some brokers have all their log directories cordoned"):
        place_kraft(cordoned, 1, 6, draws=JavaRandom(9))
    with pytest.raises(PlacementRefused, match=f"{registered}\\.$"):
        place_kraft(without, 1, 6, draws=JavaRandom(9))
    with pytest.raises(PlacementRefused, match="All brokers are currently fenced, or have all their log directories"):
        place_kraft(cordoned[2:3], 1, 1, draws=JavaRandom(9))


def test_of_no_partition_every_number_is_0() -> None:
    """A cluster without topics, of which somebody asks what draining a broker takes."""
    layout = ClusterLayout.from_assignments({}, brokers=[Broker(1, "a"), Broker(2, "b")])
    spread = proposal_spread(layout, [1], draws_of=JavaRandom, rounds=1)

    assert (spread.moves.tolist(), spread.replica_spread.tolist(), spread.rack_violations.tolist()) == ([0], [0], [0])
