"""Every documented example of placement, its table as a literal."""

from __future__ import annotations

import pytest

from reseat.errors import PlacementRefused
from reseat.model import Broker, ClusterLayout
from reseat.placement import (
    JavaRandom,
    Tool,
    infer,
    place_added,
    place_kraft,
    place_naive,
    place_striped,
    propose,
)
from reseat.placement.ring import ring_of

#: Brokers 0 to 3, 13 partitions, replication factor 3, as a description prints it (with a wrong start index).
THIRTEEN = [
    [3, 0, 1],
    [0, 1, 2],
    [1, 2, 3],
    [2, 3, 0],
    [3, 1, 2],
    [0, 2, 3],
    [1, 3, 0],
    [2, 0, 1],
    [3, 2, 0],
    [0, 3, 1],
    [1, 0, 2],
    [2, 1, 3],
    [3, 0, 1],
]


def brokers(*ids: int) -> list[Broker]:
    """Brokers without racks."""
    return [Broker(i) for i in ids]


def racked(**racks: list[int]) -> list[Broker]:
    """Brokers by rack."""
    return [Broker(i, rack) for rack, ids in racks.items() for i in ids]


def test_six_partitions_over_three_brokers() -> None:
    """Start 2, shift 2: the shift grows at partition 3."""
    placed = place_striped(brokers(0, 1, 2), 6, 3, start=2, shift=2)

    assert placed.replicas.tolist() == [[2, 0, 1], [0, 1, 2], [1, 2, 0], [2, 1, 0], [0, 2, 1], [1, 0, 2]]
    assert place_striped(brokers(0, 1, 2), 6, 3, fixed_start_index=2).assignment() == placed.assignment()


def test_positions_count_and_not_ids() -> None:
    """Brokers 2, 5, 8 take the places of 0, 1, 2."""
    placed = place_striped(brokers(2, 5, 8), 1, 3, start=2, shift=2)

    assert placed.assignment() == {0: [8, 2, 5]}


@pytest.mark.parametrize(("start", "shift"), [(3, 0), (3, 3)])
def test_thirteen_partitions_come_from_start_3(start: int, shift: int) -> None:
    """The documented table has start 3 with shift 0 or 3."""
    assert place_striped(brokers(0, 1, 2, 3), 13, 3, start=start, shift=shift).replicas.tolist() == THIRTEEN


@pytest.mark.parametrize("fixed", [3, 15, 27])
def test_thirteen_partitions_come_from_a_fixed_start_index_of_3_mod_12(fixed: int) -> None:
    """As one number for both it is 3 modulo 12."""
    assert place_striped(brokers(0, 1, 2, 3), 13, 3, fixed_start_index=fixed).replicas.tolist() == THIRTEEN


def test_the_documented_fixed_start_index_4_gives_another_table() -> None:
    """What the real code gives for 4; the description's table does not come from it."""
    placed = place_striped(brokers(0, 1, 2, 3), 13, 3, fixed_start_index=4).replicas.tolist()

    assert placed == [
        [0, 2, 3],
        [1, 3, 0],
        [2, 0, 1],
        [3, 1, 2],
        [0, 3, 1],
        [1, 0, 2],
        [2, 1, 3],
        [3, 2, 0],
        [0, 1, 2],
        [1, 2, 3],
        [2, 3, 0],
        [3, 0, 1],
        [0, 2, 3],
    ]
    assert placed != THIRTEEN


def test_the_documented_table_leads_back_to_its_draws() -> None:
    """Start 3, shift 0 or 3, and nothing else."""
    layout = ClusterLayout.from_assignments({("t", p): row for p, row in enumerate(THIRTEEN)})

    assert infer(layout, ["t"])[0].pairs == ((3, 0), (3, 3))


def test_racks_alternate_on_the_ring() -> None:
    """Three racks of three: one of each in turn."""
    assert ring_of(racked(rack1=[0, 1, 2], rack2=[3, 4, 5], rack3=[6, 7, 8])).ids == (0, 3, 6, 1, 4, 7, 2, 5, 8)


def test_racks_are_sorted_as_text() -> None:
    """rack-10 stands before rack-2."""
    assert ring_of(racked(**{"rack-2": [1], "rack-10": [2]})).ids == (2, 1)


def test_the_six_brokers_of_the_methods_own_documentation() -> None:
    """Racks 1: 0, 5; 2: 3, 4; 3: 1, 2 on the ring 0, 3, 1, 5, 4, 2, walked six times with shift 0."""
    ring = racked(rack1=[0, 5], rack2=[3, 4], rack3=[1, 2])
    placed = place_striped(ring, 12, 3, start=0, shift=0)

    assert placed.order == (0, 3, 1, 5, 4, 2)
    assert placed.replicas.tolist() == [
        [0, 3, 1],
        [3, 1, 5],
        [1, 5, 4],
        [5, 4, 2],
        [4, 2, 0],
        [2, 0, 3],
        [0, 4, 2],
        [3, 2, 0],
        [1, 0, 3],
        [5, 3, 1],
        [4, 1, 5],
        [2, 5, 4],
    ]


def test_naive_gives_the_first_brokers_most() -> None:
    """Partition i on broker i mod n, its replica j on (i + j) mod n."""
    placed = place_naive(brokers(0, 1, 2), 4, 2)

    assert placed.replicas.tolist() == [[0, 1], [1, 2], [2, 0], [0, 1]]


def test_one_broker_has_no_other_place() -> None:
    """With n = 1 there is nothing modulo n - 1: the list is that broker."""
    assert place_striped(brokers(7), 3, 1, start=0, shift=0).replicas.tolist() == [[7], [7], [7]]


def test_added_partitions_go_on_with_the_first_column_and_another_shift() -> None:
    """Start and shift are both the position of partition 0's first replica."""
    placed = place_striped(brokers(0, 1, 2), 3, 2, start=2, shift=0)
    added = place_added(brokers(0, 1, 2), placed.assignment(), 6)

    assert placed.replicas.tolist() == [[2, 0], [0, 1], [1, 2]]
    assert added.assignment() == {3: [2, 1], 4: [0, 2], 5: [1, 0]}


def test_added_partitions_need_partition_0() -> None:
    """Without it Kafka fails."""
    with pytest.raises(PlacementRefused, match="partition id 0 is missing"):
        place_added(brokers(0, 1), {1: [0]}, 3)


def test_kraft_turns_the_sorted_ids_and_then_shuffles() -> None:
    """Each block of n partitions gives every broker one lead."""
    placed = place_kraft(brokers(0, 1, 2), 9, 3, draws=JavaRandom(5)).replicas

    first = placed[0, 0]
    assert placed[:3].tolist() == [[(first + i + j) % 3 for j in range(3)] for i in range(3)]
    for block in (0, 3, 6):
        assert sorted(placed[block : block + 3, 0].tolist()) == [0, 1, 2]


def test_java_draws() -> None:
    """The first draws of seed 42, as Java's own documentation of the generator makes them."""
    random = JavaRandom(42)

    assert [random.next_int(10) for _ in range(5)] == [0, 3, 8, 4, 0]


def test_a_shuffle_depends_on_the_seed_alone() -> None:
    """The same seed gives the same order, and nothing is lost."""
    orders = []
    for seed in (1, 1, 2):
        items = list(range(20))
        JavaRandom(seed).shuffle(items)
        orders.append(items)

    assert orders[0] == orders[1] != orders[2]
    assert sorted(orders[0]) == list(range(20))


def test_generate_moves_nearly_everything_where_one_move_is_enough() -> None:
    """Its traps are noted: ids renumbered, one factor for all, unknown brokers dropped."""
    layout = ClusterLayout.from_assignments({("t", 1): [0, 1], ("t", 5): [1, 2, 3], ("t", 6): [0, 3]})

    proposed = propose(layout, [0, 1, 2, 9], draws=JavaRandom(3), tool=Tool.STRIPED)

    assert sorted(partition for _, partition in proposed.after.assignments()) == [0, 1, 2]
    assert {len(row) for row in proposed.after.assignments().values()} == {2}
    assert len(proposed.notes) == 3
    assert "9 is unknown here" in proposed.notes[0]
