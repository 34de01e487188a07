"""Optimality by exchange: arguments over broker loads that need no solver.

Promises
    1. ``exchanges`` finds every exchange of one replica that leaves all rack terms at their least, or says that
       the rack terms are not at their least.
    2. ``least_reachable`` proves, or refutes, that no plan with the same rack terms has a smaller sum of squares
       of loads.
    3. ``no_cheaper_rearrangement`` proves that no rearrangement with the same sum of squares costs less, and says
       so only when it has seen the end of the search.

Needs
    The plan alone: what each changed partition keeps, what was chosen for it and what else was open to it. Nothing
    of how the plan was found.

How it works
    *Racks.* The terms of two partitions are independent. Within one partition a choice is least exactly when no
    chosen replica can leave a rack with m replicas for an open broker in a rack with m - 2 or fewer: the cost is
    separable and convex over the racks, with as many places in each as it has open brokers.

    *Loads.* Draw an edge a -> b where one chosen replica on broker a could sit on b instead at equal rack cost: in
    the same rack, or from a rack with m replicas of its partition to one with m - 1. The loads that minimal plans
    can have form an M-convex set, so a load vector has the least sum of squares exactly when no path leads from a
    broker with load c to one with load c - 2 or less. A shortest such path passes each partition once at most: two
    passes through racks r -> s and t -> u at equal cost have m(r) = m(t), so r -> u is an edge of equal cost too.

    *Changes.* Give each edge what the exchange costs (+1 where a preferred leader changes, -1 where the old one
    comes back). Rearrangements that keep the sum of squares are cycles, and paths from load c to load c - 1, which
    are closed by an arc of cost 0. The plan is cheapest exactly when this graph has no negative cycle.

Example:
    Loads 5 and 3 on brokers 1 and 2, one replica on broker 1 that could sit on broker 2: the path 1 -> 2 leads from
    5 to 3, so the plan is refuted (4 and 4 is better). With loads 4 and 3 it is proven.

Complexity
    n choices among B brokers and G racks: O(n G + B^2) for the edges, O(B^2) for the paths; with m edges and V brokers
    O(V m) for the negative cycle in the worst case, a few passes over the edges as a rule.

Source
    K. Murota, Discrete Convex Analysis (2003), sections 6.2 and 10.1: exchange and optimality on M-convex sets;
    R. Ahuja, T. Magnanti, J. Orlin, Network Flows (1993), sections 5.5 and 9.3: negative cycles.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from reseat.model import BoolArray

__all__ = [
    "Choice",
    "Exchanges",
    "Relocation",
    "exchanges",
    "least_reachable",
    "least_squares_with_moves",
    "maximum_is_least",
    "no_cheaper_rearrangement",
    "relocations",
]

IndexArray = npt.NDArray[np.int64]

#: Cells of the (partitions, racks) tables that are held at a time: 8 MB a table.
_CELLS = 1 << 20
#: More replicas than any rack holds.
_NEVER = 1 << 40
#: Passes of the shortest-path search between two looks for a cycle among predecessors.
_LOOK_EVERY = 8
#: Fullest brokers whose reach is looked at one by one.
_FULLEST_LOOKED_AT = 32


@dataclass(frozen=True, eq=False)
class Choice:
    """What each of n partitions keeps, what was chosen for it, and what else it could have had.

    Attributes:
        kept: (n, K) int64 broker positions that were no choice, -1 padded anywhere.
        chosen: (n, C) int64 broker positions chosen, -1 padded anywhere.
        others: (n, D) int64 broker positions that could have been chosen instead, -1 padded; None: every broker of
            ``targets`` that the partition does not hold.
        targets: (B,) bool, brokers that may be chosen where ``others`` is None.
        rack: (B,) int64 rack code of each broker, 0 to G - 1; all 0 where racks do not count.
    """

    kept: IndexArray
    chosen: IndexArray
    others: IndexArray | None
    targets: BoolArray
    rack: IndexArray


@dataclass(frozen=True, eq=False)
class Exchanges:
    """What ``exchanges`` found.

    Attributes:
        racks_least: (n,) bool, whether the partition's sum of squares over racks is the least it can choose.
        edges: (B, B) bool, ``edges[a, b]``: a replica chosen on broker a could sit on b at equal rack cost.
    """

    racks_least: BoolArray
    edges: BoolArray


def exchanges(choice: Choice) -> Exchanges:
    """Every exchange of one chosen replica at equal rack cost, and where the rack terms are not least.

    Args:
        choice: n partitions over B brokers and G racks.

    Returns:
        The exchanges. O(n (R^2 + G) + B^2).
    """
    tally = _Tally.empty(choice)
    racks_least = np.ones(len(choice.chosen), np.bool_)
    step = max(1, _CELLS // max(tally.racks, choice.chosen.shape[1] ** 2, 1))
    for first in range(0, len(choice.chosen), step):
        rows = slice(first, first + step)
        kept, chosen = choice.kept[rows], choice.chosen[rows]
        if choice.others is None:
            racks_least[rows] = tally.add_any_target(kept, chosen)
        else:
            racks_least[rows] = tally.add_others(kept, chosen, choice.others[rows])
    return Exchanges(racks_least=racks_least, edges=tally.edges())


@dataclass(eq=False)
class _Tally:
    """Exchanges counted by broker and rack, so that no table of partitions by brokers is needed.

    A replica chosen on a may go to a target b of rack s in every partition that lets it enter s and does not hold b. So
    a -> b is an edge where ``may`` (B, G), partitions in which a replica of a may enter the rack, is more than ``held``
    (B, B), those among them that hold b.
    """

    rack: IndexArray
    targets: BoolArray
    racks: int
    may: IndexArray
    held: IndexArray
    direct: BoolArray

    @classmethod
    def empty(cls, choice: Choice) -> _Tally:
        """Nothing counted yet."""
        brokers, racks = len(choice.rack), int(choice.rack.max(initial=-1)) + 1
        return cls(
            rack=choice.rack,
            targets=choice.targets,
            racks=racks,
            may=np.zeros((brokers, racks), np.int64),
            held=np.zeros((brokers, brokers), np.int64),
            direct=np.zeros((brokers, brokers), np.bool_),
        )

    def edges(self) -> BoolArray:
        """(B, B) bool, what was counted."""
        edges: BoolArray = self.direct | ((self.may[:, self.rack] > self.held) & self.targets)
        return edges

    def add_any_target(self, kept: IndexArray, chosen: IndexArray) -> BoolArray:
        """Count partitions that could have chosen any target they do not hold; return where racks are least."""
        count, racks, brokers = len(chosen), self.racks, len(self.rack)
        members = np.concatenate((kept, chosen), axis=1)
        row, column = np.nonzero(members >= 0)
        at = members[row, column]
        cell = row * racks + self.rack[at]
        inside = np.bincount(cell, minlength=count * racks).reshape(count, racks)
        taken = np.bincount(cell[self.targets[at]], minlength=count * racks).reshape(count, racks)
        room = np.bincount(self.rack[self.targets], minlength=racks) > taken
        lowest = np.where(room, inside, _NEVER).min(axis=1, initial=_NEVER)

        row, column = np.nonzero(chosen >= 0)
        at = chosen[row, column]
        fullest = inside[row, self.rack[at]]
        least = np.ones(count, np.bool_)
        least[row[fullest > lowest[row] + 1]] = False
        if not at.size:
            return least
        # Which racks the replica may enter at equal cost: its own, and those with one replica less.
        enters = inside[row] == (fullest - 1)[:, None]
        enters[np.arange(len(row)), self.rack[at]] = True
        order = np.argsort(at, kind="stable")
        givers, runs = np.unique(at[order], return_index=True)
        self.may[givers] += np.add.reduceat(enters[order], runs, axis=0, dtype=np.int64)
        for member in members.T:
            other = member[row]
            counts = np.flatnonzero(other >= 0)
            counts = counts[enters[counts, self.rack[other[counts]]]]
            np.add.at(self.held.reshape(-1), at[counts] * brokers + other[counts], 1)
        return least

    def add_others(self, kept: IndexArray, chosen: IndexArray, others: IndexArray) -> BoolArray:
        """Count partitions that could have chosen among few brokers only; return where racks are least."""
        codes = np.append(self.rack, -1)
        held = codes[np.concatenate((kept, chosen), axis=1)]
        mine, there = codes[chosen], codes[others]
        fullest = (mine[:, :, None] == held[:, None, :]).sum(axis=2)
        inside = (there[:, :, None] == held[:, None, :]).sum(axis=2)
        least: BoolArray = np.where(chosen >= 0, fullest, 0).max(axis=1, initial=0) <= (
            np.where(others >= 0, inside, _NEVER).min(axis=1, initial=_NEVER) + 1
        )
        equal = (mine[:, :, None] == there[:, None, :]) | (inside[:, None, :] == fullest[:, :, None] - 1)
        equal &= (chosen >= 0)[:, :, None] & (others >= 0)[:, None, :]
        row, source, target = np.nonzero(equal)
        self.direct[chosen[row, source], others[row, target]] = True
        return least


@dataclass(frozen=True, eq=False)
class Relocation:
    """What n partitions passed on to brokers that join, and what they could have passed on; N such brokers.

    Attributes:
        holders: (n, R) int64 positions of the brokers that held the partition, -1 where there is none or where it may
            not give (it joins itself, or is known to be dead).
        taker: (n, R) int64 position of the broker that took over from each holder, -1 where the replica stayed.
        members: (n, M) int64 positions of the partition's members now, -1 padded.
        joining: (N,) int64 positions of the brokers that may take.
        allowed: (n, R, N) bool, whether the replica may go there as far as racks are concerned; where partitions are
            uneven over racks it may say more than is allowed, never less.
    """

    holders: IndexArray
    taker: IndexArray
    members: IndexArray
    joining: IndexArray
    allowed: BoolArray


def relocations(moved: Relocation, brokers: int) -> BoolArray:
    """Every way to pass one unit of load from broker to broker within one partition.

    A replica that stayed may go, one that went may come back or go elsewhere, and either may push others of the
    partition on: a chain of such steps is one edge, since a broker that joins takes the partition once.

    Returns:
        (B, B) bool. O(n R^2 (R + N)).
    """
    count, width = moved.holders.shape
    joining = len(moved.joining)
    edges = np.zeros((brokers, brokers), np.bool_)
    if not count or not joining:
        return edges
    number = np.full(brokers + 1, -1, np.int64)
    number[moved.joining] = np.arange(joining)
    row, column = np.nonzero(number[moved.members] >= 0)
    taken = np.zeros((count, joining), np.bool_)
    taken[row, number[moved.members[row, column]]] = True

    gives = moved.holders >= 0
    went = gives & (moved.taker >= 0)
    allowed = moved.allowed & gives[:, :, None]
    free = (allowed & ~taken[:, None, :]).astype(np.float32)
    slot = np.where(went, number[moved.taker], 0)
    # push[i, v]: replica i may take the place that replica v went to.
    push = np.take_along_axis(allowed, slot[:, None, :], axis=2) & went[:, None, :]
    # Which replicas that went can be set in motion, by chains through others that went.
    chain = (push & went[:, :, None]) | (np.eye(width, dtype=np.bool_) & went[:, :, None])
    for _ in range(max(width - 1, 1).bit_length()):
        chain = np.matmul(chain.astype(np.float32), chain.astype(np.float32)) > 0
    first = np.where(went[:, :, None], chain, np.matmul(push.astype(np.float32), chain.astype(np.float32)) > 0)
    first &= gives[:, :, None]
    # A replica in motion ends on a free place; one that stayed may also go to one at once.
    onto = np.matmul(first.astype(np.float32), free) > 0
    onto |= (free > 0) & ~went[:, :, None]

    source = np.where(went, moved.taker, moved.holders)
    row, column, end = np.nonzero(onto)
    edges[source[row, column], moved.joining[end]] = True
    row, column, back = np.nonzero(first)
    edges[source[row, column], moved.holders[row, back]] = True
    return edges


def least_reachable(
    edges: BoolArray, load: IndexArray, ends: BoolArray | None = None, *, unreached: int | None = None
) -> IndexArray:
    """The least load of any broker that each broker leads to.

    Args:
        edges: (B, B) bool, ``edges[a, b]`` where an exchange can pass one unit of load from a to b.
        load: (B,) int64.
        ends: (B,) bool, brokers that can take one unit more; None: all.
        unreached: the number for brokers that lead to no end; None: their own load.

    Returns:
        (B,) int64, an end leading to itself; load vectors are proven least where ``load - least_reachable <= 1`` for
        all. O(B^2).
    """
    into = np.ascontiguousarray(edges.T)
    label = load.copy() if unreached is None else np.full(len(load), unreached, np.int64)
    fresh = np.ones(len(load), np.bool_)
    for end in np.argsort(load, kind="stable").tolist():
        if not fresh[end] or (ends is not None and not ends[end]):
            continue
        fresh[end] = False
        label[end] = load[end]
        stack = [end]
        while stack:
            found = np.flatnonzero(into[stack.pop()] & fresh)
            fresh[found] = False
            label[found] = load[end] if unreached is not None else np.minimum(label[found], load[end])
            stack.extend(found.tolist())
    return label


def least_squares_with_moves(loads: IndexArray, displaced: int, moves: int) -> int:
    """A sum of squares of loads that no plan with so many moves gets below, wherever partitions may sit.

    Every move lifts one broker by one replica, and all but the displaced ones lower another. So at best the emptiest
    are lifted ``moves`` times and the fullest are lowered ``moves - displaced`` times, until all are even.

    Args:
        loads: (B,) int64 replicas that each remaining live broker keeps.
        displaced: replicas that must move to them.
        moves: replicas that move in all, at least ``displaced``.

    Returns:
        The bound. A plan that meets it is proven the evenest with so many moves. O(B log B).
    """
    if not loads.size:
        return 0
    ordered = np.sort(loads)
    count, total = len(ordered), int(ordered.sum()) + displaced
    share, larger = divmod(total, count)
    even = (count - larger) * share**2 + larger * (share + 1) ** 2
    lifted = _raised(ordered, moves)
    lowered = -_raised(-ordered[::-1], moves - displaced)[::-1]
    # Where lifted and lowered brokers would meet, everything can be even.
    if int(lifted.min()) >= int(lowered.max()):
        return even
    changed = lifted + lowered - ordered
    return max(even, int((changed * changed).sum()))


def _raised(ordered: IndexArray, units: int) -> IndexArray:
    """Ascending loads once ``units`` are added from the lowest up, level by level."""
    # How many units bring the first i + 1 brokers to the level of broker i.
    steps = ordered * np.arange(1, len(ordered) + 1) - np.cumsum(ordered)
    low = int(np.searchsorted(steps, units, side="right"))
    level, rest = divmod(int(ordered[:low].sum()) + units, low)
    raised = ordered.copy()
    raised[:low] = level
    raised[:rest] += 1
    return raised


def maximum_is_least(edges: BoolArray, load: IndexArray, ends: BoolArray) -> bool:
    """Whether no exchanges whatever bring the greatest load down, as far as counting shows.

    What a set of brokers that no edge leaves holds can only grow. So where such a set holds more than it could with
    every load at least one below the greatest, the greatest cannot fall. The sets looked at are those that one of the
    fullest brokers leads to, and what all of them lead to.

    Args:
        edges: (B, B) bool, as in ``least_reachable``.
        load: (B,) int64.
        ends: (B,) bool, brokers that can take one unit more.

    Returns:
        True where proven. O(k B) for the k fullest brokers looked at.
    """
    top = int(load.max())
    fullest = np.flatnonzero(load == top)
    for starts in (*fullest[:_FULLEST_LOOKED_AT, None], fullest):
        inside = np.zeros(len(load), np.bool_)
        inside[starts] = True
        stack = starts.tolist()
        while stack:
            found = np.flatnonzero(edges[stack.pop()] & ~inside)
            inside[found] = True
            stack.extend(found.tolist())
        room = np.maximum(top - 1 - load, 0)[inside & ends].sum()
        if int((inside & (load == top)).sum()) > int(room):
            return True
    return False


def no_cheaper_rearrangement(source: IndexArray, target: IndexArray, cost: IndexArray, load: IndexArray) -> bool:
    """Whether no rearrangement that keeps the sum of squares of loads lowers the cost.

    Args:
        source: (m,) int64, brokers that give up one unit.
        target: (m,) int64, brokers that take it.
        cost: (m,) int64, what this exchange adds to the cost, possibly negative.
        load: (B,) int64 loads with the least sum of squares; other loads may be refused, never accepted wrongly
            among loads that are.

    Returns:
        True where proven: the graph of exchanges, with arcs of cost 0 from load c - 1 back to load c, has no
        negative cycle (shortest paths from everywhere have settled).
    """
    brokers = len(load)
    levels, level = np.unique(load, return_inverse=True)
    # One node a level: brokers one below lead to it, and it leads to the brokers of that level.
    below = np.searchsorted(levels, load + 1)
    has_upper = (below < len(levels)) & (levels[np.minimum(below, len(levels) - 1)] == load + 1)
    one_lower = np.flatnonzero(has_upper)
    everyone = np.arange(brokers)
    tail = np.concatenate((source, one_lower, brokers + level))
    head = np.concatenate((target, brokers + below[one_lower], everyone))
    price = np.concatenate((cost, np.zeros(len(one_lower) + brokers, np.int64)))
    nodes = brokers + len(levels)

    # One arc a pair of nodes, the cheapest; sorted by head, so that each pass is one reduction.
    order = np.lexsort((price, tail, head))
    tail, head, price = tail[order], head[order], price[order]
    first = np.ones(len(tail), np.bool_)
    first[1:] = (tail[1:] != tail[:-1]) | (head[1:] != head[:-1])
    tail, head, price = tail[first], head[first], price[first]
    heads, runs = np.unique(head, return_index=True)
    owner = np.repeat(np.arange(len(heads)), np.diff(np.append(runs, len(head))))
    distance = np.zeros(nodes, np.int64)
    parent = np.full(nodes, -1, np.int64)
    for step in range(nodes + 1):
        through = distance[tail] + price
        best = np.minimum.reduceat(through, runs)
        better = best < distance[heads]
        if not better.any():
            return True
        # The first arc of each head that reaches its best becomes the predecessor.
        reaching = np.flatnonzero((through == best[owner]) & better[owner])
        winners, at = np.unique(owner[reaching], return_index=True)
        parent[heads[winners]] = tail[reaching[at]]
        distance[heads[better]] = best[better]
        if step % _LOOK_EVERY == _LOOK_EVERY - 1 and has_cycle(parent):
            return False
    return False


def has_cycle(parent: IndexArray) -> bool:
    """Whether following predecessors ends in a circle; a circle among them is a negative cycle. O(V log V)."""
    jump = np.append(np.where(parent < 0, len(parent), parent), len(parent))
    for _ in range(len(parent).bit_length() + 1):
        jump = jump[jump]
    return bool((jump[:-1] != len(parent)).any())
