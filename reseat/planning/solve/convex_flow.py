"""Transport of replicas between brokers with evenness as the cost: a convex min-cost flow, solved exactly.

Promises: the integer flow with the least sum of linear arc costs and of ``load * load`` over the terminals, or that
there is none. Same input, same answer.

Needs: a network of nodes and arcs with whole capacities and costs; *terminals*, brokers that hang on a node and either
give units into the network or take units out of it, each with the load it starts from and bounds on its units; and
supplies at inner nodes.

How: a terminal's quadratic cost becomes arcs of rising cost, one a unit near the point where the last round ended and
wider and wider ones away from it, so that a broker with thousands of replicas costs a few dozen arcs. Where every
terminal ends inside its zone of one-unit arcs (or at a bound that is meant), left and right slopes are the true ones,
and for a convex cost that makes the answer the best of all; else the zones are centred on the answer and the flow is
solved again. ``flow.Network`` solves each round.

Example: one broker with 5 replicas gives to one with none over an arc of capacity 5. The costs are 25, 17, 13, 13, 17,
25 for 0 to 5 units: 2 units or 3.

Complexity: a few rounds of a min-cost flow (cost scaling, O(n^2 m log(n C))) with O(log load) arcs a terminal.

Source: Ahuja, Magnanti, Orlin, Network Flows (1993), chapter 14 (convex costs) and section 10.2 (cost scaling).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from reseat.planning.solve.flow import Network

__all__ = ["ConvexNetwork", "Flow", "Terminals", "evenest_flow"]

Whole = npt.NDArray[np.int64]

#: One-unit arcs over all terminals in one round: enough for one round to do at most sizes, few enough to be quick.
_UNIT_ARCS = 24_000
#: One-unit arcs kept on each side of the centre of a terminal, however many terminals there are.
_LEAST_ZONE = 6
#: Rounds before the zones are widened to everything: each round lowers the cost, and two or three do in practice.
_ROUNDS = 12


@dataclass(frozen=True, eq=False)
class ConvexNetwork:
    """Inner nodes and arcs.

    Attributes:
        nodes: number of nodes; nodes are 0 to nodes - 1.
        tail: (m,) node an arc leaves.
        head: (m,) node an arc enters.
        capacity: (m,) most units on an arc.
        supply: (nodes,) units that enter at a node whatever the terminals do, or None.
        cost: (m,) cost of a unit on an arc, or None: no arc costs anything.
    """

    nodes: int
    tail: Whole
    head: Whole
    capacity: Whole
    supply: Whole | None = None
    cost: Whole | None = None


@dataclass(frozen=True, eq=False)
class Terminals:
    """Brokers at the rim of a network, t of them.

    Attributes:
        node: (t,) node that the terminal hangs on.
        gives: (t,) bool, whether units go from the terminal into the network; else they come out to it.
        load: (t,) replicas that the terminal holds at 0 units.
        step: (t,) what one unit does to its load, 1 or -1.
        low: (t,) fewest units.
        high: (t,) most units.
    """

    node: Whole
    gives: npt.NDArray[np.bool_]
    load: Whole
    step: Whole
    low: Whole
    high: Whole


@dataclass(frozen=True, eq=False)
class Flow:
    """An answer.

    Attributes:
        units: (t,) units of each terminal.
        on_arc: (m,) units on each arc of the network.
    """

    units: Whole
    on_arc: Whole


def evenest_flow(network: ConvexNetwork, terminals: Terminals, total: int | None = None) -> Flow | None:
    """The flow with the least sum of squares of terminal loads, or None where no flow meets the bounds.

    Args:
        network: the ways.
        terminals: the terminals.
        total: units that all giving terminals give together; None: as many as are best. Without giving terminals it
            does not apply: what is supplied is what flows.
    """
    low, high = terminals.low, terminals.high
    if (low > high).any():
        return None
    widest = int((high - low).max(initial=0))
    narrow = max(_LEAST_ZONE, _UNIT_ARCS // (2 * max(1, len(low))))
    centre = _first_guess(terminals)
    for turn in range(_ROUNDS + 1):
        zone = widest if turn == _ROUNDS else min(widest, narrow)
        flow = _solve(network, terminals, _breakpoints(low, high, centre, zone), total)
        if flow is None:
            return None
        # At a bound one slope is enough, but that one must be true: the bound must lie in the zone as well.
        first, last = centre - zone, centre + zone
        inside = ((flow.units > first) | ((flow.units == low) & (low >= first))) & (
            (flow.units < last) | ((flow.units == high) & (high <= last))
        )
        if zone >= widest or inside.all():
            return flow
        centre = flow.units
    raise AssertionError("unreachable: the last round has every unit as an arc")


def _first_guess(terminals: Terminals) -> Whole:
    """Units that would bring each terminal to the mean load, were the network no hindrance."""
    mean = int(terminals.load.sum() // max(1, len(terminals.load)))
    guess: Whole = np.clip((mean - terminals.load) * terminals.step, terminals.low, terminals.high)
    return guess


def _breakpoints(low: Whole, high: Whole, centre: Whole, zone: int) -> Whole:
    """(t, k) rising units between which a terminal's cost is taken as a line; equal neighbours are no segment."""
    widest = int((high - low).max(initial=0))
    far = zone + (np.int64(1) << np.arange(max(1, widest.bit_length() + 1), dtype=np.int64))
    steps = np.concatenate([-far[::-1], np.arange(-zone, zone + 1, dtype=np.int64), far])
    inner = np.clip(centre[:, None] + steps, low[:, None], high[:, None])
    points: Whole = np.concatenate([low[:, None], inner, high[:, None]], axis=1)
    return points


def _solve(network: ConvexNetwork, terminals: Terminals, points: Whole, total: int | None) -> Flow | None:
    """One min-cost flow with terminal costs taken as lines between ``points``."""
    source, sink = network.nodes, network.nodes + 1
    supply = np.zeros(network.nodes + 2, np.int64)
    if network.supply is not None:
        supply[: network.nodes] += network.supply
    gives, low, high = terminals.gives, terminals.low, terminals.high
    # The fewest units of a terminal are not a choice: they enter or leave at its node.
    np.add.at(supply, terminals.node, np.where(gives, low, -low))
    fixed = int(supply[: network.nodes].clip(min=0).sum()) if network.supply is None else int(network.supply.sum())
    if gives.any():
        through = int(high[gives].sum()) if total is None else total
        supply[source] = through - int(low[gives].sum())
    else:
        through = fixed
    supply[sink] = int(low[~gives].sum()) - through
    if supply[source] < 0 or supply[sink] > 0:
        return None

    segment_of, at = np.nonzero(points[:, 1:] > points[:, :-1])
    first, last = points[segment_of, at], points[segment_of, at + 1]
    # (load + step u)^2 rises from u1 to u2 by (u2 - u1)(u1 + u2 + 2 step load): whole, and convex in u.
    slope = first + last + 2 * (terminals.step * terminals.load)[segment_of]
    node, given = terminals.node[segment_of], gives[segment_of]
    tails = np.concatenate([network.tail, np.where(given, source, node), [source]])
    heads = np.concatenate([network.head, np.where(given, node, sink), [sink]])
    # Units that are better not given go straight from source to sink.
    unused = int(supply[source]) if total is None and gives.any() else 0
    capacities = np.concatenate([network.capacity, last - first, [unused]])
    price = np.zeros(len(network.tail), np.int64) if network.cost is None else network.cost
    costs = np.concatenate([price, slope, [0]])

    engine = Network()
    engine.nodes(network.nodes + 2)
    arcs = engine.arcs(tails, heads, capacities, costs)
    engine.supply(np.arange(network.nodes + 2), supply)
    solved = engine.solve()
    if solved is None:
        return None
    flows = solved[arcs]
    units = low.copy()
    inner = len(network.tail)
    np.add.at(units, segment_of, flows[inner : inner + len(segment_of)])
    return Flow(units=units, on_arc=flows[:inner])
