"""The flow engine: networks of columns, and filling as its closed form."""

from __future__ import annotations

import itertools
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reseat.planning.solve.flow import Network, fill
from reseat.planning.solve.levels import Levels, around
from reseat.planning.solve.problem import NoRoom


def test_the_cheaper_way_is_taken_up_to_its_capacity() -> None:
    """Three units go two ways: two fit on the cheap arc, one must take the dear one."""
    network = Network()
    source, sink = network.nodes(1), network.nodes(1)
    cheap = network.arcs(source, sink, 2, 1)
    dear = network.arcs(source, sink, 5, 7)
    network.supply(source, 3)
    network.supply(sink, -3)
    flow = network.solve()

    assert flow is not None
    assert flow[cheap].tolist() == [2]
    assert flow[dear].tolist() == [1]


def test_supplies_that_cannot_be_met_have_no_flow() -> None:
    """A capacity that is too small is answered by None, not by part of a flow."""
    network = Network()
    source, sink = network.nodes(1), network.nodes(1)
    network.arcs(source, sink, 2)
    network.supply(source, 3)
    network.supply(sink, -3)

    assert network.solve() is None


def test_supplies_that_do_not_cancel_have_no_flow() -> None:
    """What flows in must flow out."""
    network = Network()
    source, sink = network.nodes(1), network.nodes(1)
    network.arcs(source, sink, 9)
    network.supply(source, 3)
    network.supply(sink, -2)

    assert network.solve() is None


def test_a_network_without_arcs() -> None:
    """Nothing to carry is an empty flow; something to carry is none."""
    empty, stuck = Network(), Network()
    node = stuck.nodes(2)
    stuck.supply(node, [1, -1])
    flow = empty.solve()

    assert flow is not None
    assert flow.size == 0
    assert stuck.solve() is None


def test_supplies_of_one_node_add_up() -> None:
    """A node may be given supply more than once."""
    network = Network()
    source, sink = network.nodes(1), network.nodes(1)
    network.arcs(source, sink, 9)
    network.supply(np.repeat(source, 2), [1, 2])
    network.supply(sink, -3)
    flow = network.solve()

    assert flow is not None
    assert flow.tolist() == [3]


def test_filling_raises_the_lowest_first() -> None:
    """Three units on loads 4, 1, 1: the two low ones rise, the first of equals by one more."""
    assert fill([4, 1, 1], 3).tolist() == [0, 2, 1]
    assert fill([4, 1, 1], 0).tolist() == [0, 0, 0]


def test_filling_keeps_to_the_room() -> None:
    """A broker without room gets nothing, and what it leaves goes to the others."""
    assert fill([0, 5, 5], 4, [1, 9, 9]).tolist() == [1, 2, 1]


def test_filling_says_where_room_runs_out() -> None:
    """Four units do not fit into room for three."""
    with pytest.raises(ValueError, match="4 units do not fit into room for 3"):
        fill([0, 0], 4, [1, 2])


@given(
    loads=st.lists(st.integers(0, 6), min_size=1, max_size=4),
    total=st.integers(0, 6),
    room=st.integers(2, 6),
)
def test_filling_is_the_least_sum_of_squares(loads: list[int], total: int, room: int) -> None:
    """Against every way to spread the units over up to four brokers."""
    rooms = [room] * len(loads)
    if sum(rooms) < total:
        return
    ways = [w for w in itertools.product(range(room + 1), repeat=len(loads)) if sum(w) == total]
    best = min(sum((a + b) ** 2 for a, b in zip(loads, way, strict=True)) for way in ways)
    received = fill(loads, total, rooms)

    assert int(received.sum()) == total
    assert int(received.max()) <= room
    assert int(((np.array(loads) + received) ** 2).sum()) == best


@pytest.mark.parametrize("ends", [(0, 0), (50, 50), (100, 0), (0, 100)])
def test_levels_are_followed_to_where_brokers_end(ends: tuple[int, int]) -> None:
    """100 units for two brokers, a price of 40 on the second: 60 and 40, wherever the first levels are."""
    tried: list[Levels] = []

    def flow(levels: Levels) -> np.ndarray | None:
        tried.append(levels)
        network = Network()
        source, brokers, sink = network.nodes(1), network.nodes(2), network.nodes(1)
        arcs = network.arcs(source, brokers, 100, np.array([0, 40]) * bool(levels.square))
        levels.hang(network, brokers, sink, np.zeros(2, np.int64))
        network.supply([int(source[0]), int(sink[0])], [100, -100])
        solved = network.solve()
        return None if solved is None else solved[arcs]

    nobody, most = np.zeros(2, np.int64), np.full(2, 100)
    levels = partial(Levels, square=1)
    found = around(flow, lambda sent: sent, np.array(ends), levels, (nobody, most))

    assert found is not None
    assert found.tolist() == [60, 40]
    assert (tried[-1].low <= [60, 40]).all()
    assert (tried[-1].high >= [60, 40]).all()
    with pytest.raises(NoRoom):
        around(flow, lambda sent: sent, np.array(ends), levels, (nobody, np.full(2, 10)))


def test_a_route_meets_supplies_whatever_it_costs() -> None:
    """Costs are left aside; supplies that do not fit have no route."""
    network = Network()
    source, sink = network.nodes(1), network.nodes(1)
    way = network.arcs(source, sink, 5, 9)
    network.supply(source, 3)
    network.supply(sink, -3)
    flow = network.route()
    network.supply(source, 4)
    network.supply(sink, -4)

    assert flow is not None
    assert flow[way].tolist() == [3]
    assert network.route() is None


def test_a_route_of_nothing() -> None:
    """No supplies, no flow; supplies that do not cancel, none either."""
    network = Network()
    nodes = network.nodes(2)
    network.arcs(nodes[0], nodes[1], 5)
    still = network.route()
    network.supply(nodes[0], 1)

    assert still is not None
    assert still.tolist() == [0]
    assert network.route() is None


def test_a_route_may_carry_as_much_as_fits() -> None:
    """Two of three units find a way, and the third is left."""
    network = Network()
    source, sink = network.nodes(1), network.nodes(1)
    way = network.arcs(source, sink, 2)
    network.supply(source, 3)
    network.supply(sink, -9)
    flow = network.route(whole=False)

    assert flow is not None
    assert flow[way].tolist() == [2]
