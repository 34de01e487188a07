"""The flow onto added brokers partition by partition, where classes leave a gap and the layout is small enough."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from reseat.model import (
    NONE,
)
from reseat.model.arrays import on_brokers
from reseat.planning.solve.addition import Limits, Shifts, State, Value, Whole, best_flow, capped, terminals_of
from reseat.planning.solve.convex_flow import ConvexNetwork, Flow, Terminals

__all__ = ["Exact", "by_partitions", "exact_network", "network_best"]

#: Arcs up to which the flow is solved partition by partition where classes do not settle it (about a second).
EXACT_ARCS = 300_000


@dataclass(frozen=True, eq=False)
class Exact:
    """A network with a part for each partition.

    Attributes:
        arcs: its arcs: first those that replicas leave by, then those that newcomers come by, then inner ones.
        terminals: givers, then takers.
        leaves: (a, 2) row and column of each leaving arc.
        comes: (b, 2) row and broker of each arc of a newcomer.
    """

    arcs: ConvexNetwork
    terminals: Terminals
    leaves: Whole
    comes: Whole


def exact_network(state: State, *, wide: bool = False) -> Exact | None:
    """The network partition by partition; None where it would be too large.

    A replica that leaves rack r with its partition's j-th largest level there (c - j + 1 where r holds c) enters the
    partition's chain of levels, which leads downwards; a newcomer in rack s leaves it at level c + i, for the i-th. So
    a newcomer is always paid for by a replica that left a level at least as high, and the sum of squares cannot rise.
    With ``wide``, partitions uneven over racks need not pay.
    """
    movable = on_brokers(state.replicas, state.gives)
    rows = np.flatnonzero(movable.any(axis=1))
    takers = state.takers
    if rows.size * (state.replicas.shape[1] * 2 + len(takers)) > EXACT_ARCS:
        return None
    leave_tail, leave_head, leaves = [], [], []
    come_tail, come_head, comes = [], [], []
    inner: list[tuple[int, int, int]] = []
    givers = state.givers
    place = {broker: i for i, broker in enumerate(givers.tolist())}
    first_taker = len(givers)
    nodes = len(givers) + len(takers)
    rack_of = state.rack.tolist()
    for row in rows.tolist():
        held = [broker for broker in state.replicas[row].tolist() if broker != NONE]
        count: dict[int, int] = {}
        for broker in held:
            count[rack_of[broker]] = count.get(rack_of[broker], 0) + 1
        out: dict[int, int] = {}
        open_: dict[int, int] = {}
        node: dict[int, int] = {}
        for column, broker in enumerate(held):
            if broker in place:
                rack = rack_of[broker]
                out[rack] = out.get(rack, 0) + 1
                node.setdefault(rack, nodes + len(node))
                leave_tail.append(place[broker])
                leave_head.append(node[rack])
                leaves.append((row, column))
        for i, taker in enumerate(takers.tolist()):
            if taker not in held:
                rack = rack_of[taker]
                open_[rack] = open_.get(rack, 0) + 1
                node.setdefault(rack, nodes + len(node))
                come_tail.append(node[rack])
                come_head.append(first_taker + i)
                comes.append((row, taker))
        nodes += len(node)
        levels = max(count.values())
        lowest = min((count.get(rack, 0) for rack in open_), default=levels)
        pays = not (wide and levels >= lowest + 2)
        # Level l of the chain is node ``nodes + l``; without paying there is one level for all.
        for rack, most in out.items():
            inner.extend((node[rack], nodes + (count[rack] - j if pays else 0), 1) for j in range(most))
        for rack, most in open_.items():
            for i in range(1, most + 1):
                level = count.get(rack, 0) + i
                if not pays or level <= levels:
                    inner.append((nodes + (level if pays else 0), node[rack], 1))
        inner.extend((nodes + level, nodes + level - 1, len(held)) for level in range(1, levels + 1) if pays)
        nodes += levels + 1
    inner_columns = np.array(inner, np.int64).reshape(-1, 3)
    arcs = ConvexNetwork(
        nodes=nodes,
        tail=np.concatenate([_whole(leave_tail), _whole(come_tail), inner_columns[:, 0]]),
        head=np.concatenate([_whole(leave_head), _whole(come_head), inner_columns[:, 1]]),
        capacity=np.concatenate([np.ones(len(leaves) + len(comes), np.int64), inner_columns[:, 2]]),
    )
    most_given = np.bincount(_whole(leave_tail), minlength=len(givers)).astype(np.int64)
    terminals = terminals_of(state, np.arange(len(givers)), first_taker + np.arange(len(takers)), most_given)
    return Exact(arcs, terminals, _whole(leaves).reshape(-1, 2), _whole(comes).reshape(-1, 2))


def _whole(values: Sequence[int] | Sequence[tuple[int, int]]) -> Whole:
    return np.array(values, np.int64)


def network_best(network: Exact, limits: Limits) -> tuple[Flow, Value]:
    """The best flow over single partitions: what no plan of such moves is better than."""
    return best_flow(network.arcs, capped(network.terminals, limits), limits)


def by_partitions(network: Exact, limits: Limits) -> tuple[Shifts, Value]:
    """The moves of that flow, and its value."""
    flow, value = network_best(network, limits)
    used = flow.on_arc > 0
    leaves = network.leaves[used[: len(network.leaves)]]
    comes = network.comes[used[len(network.leaves) : len(network.leaves) + len(network.comes)]]
    # Both are in the order of rows, and each partition gives up as many replicas as it takes in.
    return Shifts(leaves[:, 0], leaves[:, 1], comes[:, 1]), value
