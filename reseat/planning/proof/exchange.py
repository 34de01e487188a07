"""Every exchange of one replica that a plan left open: what partitions could have had instead, broker by broker.

Promises
    1. ``exchanges`` finds every exchange of one replica after which racks are as good as the problem asks, or says that
       they are not that good as they stand.

How it works
    *Racks as good as can be.* Within one partition a choice is least exactly when no chosen replica can leave a rack
    with m replicas for an open broker in a rack with m - 2 or fewer: the cost is separable and convex over the racks.
    An exchange keeps it where it stays in the rack, or goes from a rack with m replicas to one with m - 1.
    *Racks in regions.* The same of regions, and of racks within them: sums of squares over sets that are nested are
    convex, too, so that a choice is least when no single exchange lessens regions' sum, or racks' with that equal.
    *Racks no less diverse than a bound.* The k fullest racks together hold no more than those of the bound, for every
    k. Where a partition is just as diverse as its bound, an exchange keeps that where it stays in the rack or goes to
    one that holds fewer; where it is more diverse, the racks after each exchange are held against the bound.

    Exchanges are counted by broker and rack, so that no table of partitions by brokers is needed: a replica chosen on a
    may go to a target b of rack s in every partition that lets it enter s and does not hold b.

Complexity: n choices among B brokers and G racks: O(n (R^2 + R G) + B^2).
Source: K. Murota, Discrete Convex Analysis (2003), section 6.2: exchange on M-convex sets; A. W. Marshall, I. Olkin,
Inequalities: Theory of Majorization (1979).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from reseat.model import BoolArray, Longs
from reseat.model.arrays import on_brokers, row_any

__all__ = ["Choice", "exchanges", "no_less_diverse"]

#: Cells of the (replicas, racks) tables that are held at a time: 8 MB a table.
_CELLS = 1 << 20
#: Partitions that are looked at first: they show most exchanges that there are.
_FIRST = 1_024


@dataclass(frozen=True, eq=False)
class Choice:
    """What n partitions have, what of it was chosen, and what else they could have had.

    Attributes:
        lists: (n, R) broker positions of their replicas, -1 padded anywhere.
        chosen: (n, R) bool, those of them that were a choice; none of the padding.
        others: (n, D) int64 broker positions that could have been chosen instead, -1 padded; None: every broker of
            ``targets`` that the partition does not hold.
        targets: (B,) bool, brokers that may be chosen where ``others`` is None.
        rack: (B,) int64 rack code of each broker, 0 to G - 1; all 0 where racks do not count.
        cost: what an exchange adds to the moves of the plan.
        keeps_racks: whether racks are to be no less diverse than a bound; else as good as can be.
        bound: (n, G) int64 replicas by rack, the most first; None: each partition is just as diverse as its bound.
        again: (n, D) int64 brokers that the partition gave up, -1 padded: one of them back is a move fewer; None: none.
        regions: (B,) int64 codes of what racks are in, the coarsest first: these come before racks. Not with
            ``keeps_racks``.
    """

    lists: npt.NDArray[np.integer]
    chosen: BoolArray
    others: Longs | None
    targets: BoolArray
    rack: Longs
    cost: int = 0
    keeps_racks: bool = False
    bound: Longs | None = None
    again: Longs | None = None
    regions: tuple[Longs, ...] = ()


def exchanges(
    choice: Choice, known: BoolArray | None = None, back: BoolArray | None = None
) -> tuple[BoolArray, BoolArray]:
    """Every exchange of one chosen replica that keeps racks good, and where they are not.

    Args:
        choice: what was chosen.
        known: (B, B) bool, exchanges that need not be found; None: none is.
        back: (B, B) bool, to which those with ``again`` are added.

    Returns:
        (n,) whether the partition's racks are as the problem asks: the least sum of squares that it can choose, or no
        less diverse than the bound. (B, B) whether a replica chosen on the one broker could sit on the other instead,
        or it is ``known``.
    """
    brokers, racks = len(choice.rack), int(choice.rack.max(initial=-1)) + 1
    may, held = np.zeros((brokers, racks), np.int64), np.zeros((brokers, brokers), np.int64)
    edges = np.zeros((brokers, brokers), np.bool_) if known is None else known.copy()
    good, left = np.ones(len(choice.chosen), np.bool_), np.flatnonzero(row_any(choice.chosen))
    most = max(1, _CELLS // max(racks * max(choice.chosen.shape[1], 1), 1))
    step = most if choice.others is not None else min(_FIRST, most)
    nowhere = ~choice.targets | np.eye(brokers, dtype=np.bool_)
    while left.size:
        # A broker of which every exchange is known need not be looked at, but where racks may be found bad.
        wanted = np.append(~(edges | nowhere).all(axis=1), False)
        if choice.others is None and choice.again is None and choice.keeps_racks and choice.bound is None:
            there = on_brokers(choice.lists.take(left, axis=0), wanted[:-1])
            left = left[row_any(there & choice.chosen.take(left, axis=0))]
        rows, left, step = left[:step], left[step:], most
        part = _Part(choice, rows)
        good[rows] = part.good
        if choice.others is None:
            part.count(may, held, wanted)
            edges |= (may[:, choice.rack] > held) & choice.targets
        else:
            part.draw(edges, choice.others[rows])
        if back is not None and choice.again is not None:
            part.draw(back, choice.again[rows])
    return good, edges


class _Part:
    """Some of the partitions: m replicas that were chosen for them."""

    def __init__(self, choice: Choice, rows: Longs) -> None:
        self._choice, self._rows = choice, rows
        self._members = choice.lists.take(rows, axis=0)
        count, self._racks = len(rows), int(choice.rack.max(initial=-1)) + 1
        row, column = np.nonzero(self._members >= 0)
        at = self._members[row, column]
        cell = row * self._racks + choice.rack[at]
        inside = np.bincount(cell, minlength=count * self._racks).reshape(count, self._racks)
        row, column = np.nonzero(choice.chosen.take(rows, axis=0))
        self._row, self._at = row, self._members[row, column]
        self._own = choice.rack[self._at]
        # Racks that a replica could enter, and the place of each among them; those that each may enter, and would best.
        every = choice.others is not None or choice.again is not None
        self._entered = np.arange(self._racks) if every else np.unique(choice.rack[choice.targets])
        self._place = np.full(self._racks, -1)
        self._place[self._entered] = np.arange(self._entered.size)
        rise = self._rise(inside)
        self._enters = rise <= 0
        self.good = np.ones(count, np.bool_)
        if choice.bound is not None:
            bound = choice.bound[rows]
            other = row_any(-np.sort(-inside, axis=1) != bound)
            self.good[other] = no_less_diverse(inside[other], bound[other])
            self._add_slack(inside, bound, np.flatnonzero(other[row]))
        elif row.size and not choice.keeps_racks:
            self.good[row[((rise < 0) & self._open(inside.shape)).any(axis=1)]] = False

    def _rise(self, inside: Longs) -> Longs:
        """(m, E) by how much a partition's sum of squares over racks would rise, halved; regions weigh most."""
        every, own, racks = np.arange(self._row.size), self._own, self._entered
        rise: Longs = inside[:, racks][self._row] + 1 - inside[self._row, own][:, None]
        same = np.flatnonzero(self._place[own] >= 0)
        rise[same, self._place[own[same]]] = 0
        weight = 1
        for codes in reversed(self._choice.regions):
            weight *= 2 * self._members.shape[1]  # no replica changes so much of what is below
            region = np.zeros(self._racks, np.int64)
            region[self._choice.rack] = codes
            held = inside @ (region[:, None] == np.arange(self._racks)[None, :]).astype(np.int64)
            there = held[:, region][self._row]
            elsewhere = region[None, racks] != region[own][:, None]
            rise += weight * np.where(elsewhere, there[:, racks] + 1 - there[every, own][:, None], 0)
        return rise

    def _open(self, shape: tuple[int, int]) -> BoolArray:
        """(m, E) racks that have a broker which the replica could sit on instead."""
        choice, racks = self._choice, self._racks
        if choice.others is None:
            on = choice.targets[self._members] & (self._members >= 0)
            row, column = np.nonzero(on)
            cell = row * racks + choice.rack[self._members[row, column]]
            taken = np.bincount(cell, minlength=shape[0] * racks).reshape(shape)
            free: BoolArray = np.bincount(choice.rack[choice.targets], minlength=racks) > taken
        else:
            free = np.zeros(shape, np.bool_)
        for some in (choice.others, choice.again):
            if some is not None:
                row, column = np.nonzero(some[self._rows] >= 0)
                free[row, choice.rack[some[self._rows[row], column]]] = True
        return free[:, self._entered][self._row]

    def _add_slack(self, inside: Longs, bound: Longs, more: Longs) -> None:
        """Let replicas (m,) of partitions that are more diverse than the bound enter racks that it leaves room for."""
        every = np.arange(more.size)
        for place, rack in enumerate(self._entered.tolist() if more.size else ()):
            after = inside[self._row[more]]
            after[every, self._own[more]] -= 1
            after[:, rack] += 1
            self._enters[more, place] |= no_less_diverse(after, bound[self._row[more]])

    def count(self, may: Longs, held: Longs, wanted: BoolArray) -> None:
        """Add, by wanted broker, partitions whose replica there may enter a rack, and those that hold one of it."""
        brokers, place = len(held), self._place[self._choice.rack]
        takes, some = np.append(self._choice.targets, False), np.flatnonzero(wanted[self._at])
        row, at, may_enter = self._row[some], self._at[some], self._enters[some]
        for rack, enters in zip(self._entered.tolist(), may_enter.T, strict=True):
            may[:, rack] += np.bincount(at[enters], minlength=brokers)
        pairs = []
        for member in self._members.T:
            other = member[row]
            counts = np.flatnonzero(takes[other])
            counts = counts[may_enter[counts, place[other[counts]]]]
            pairs.append(at[counts] * brokers + other[counts])
        held += np.bincount(np.concatenate(pairs), minlength=held.size).reshape(held.shape)

    def draw(self, edges: BoolArray, others: Longs) -> None:
        """Add exchanges with the few brokers (n, D) that could have been chosen."""
        for other in others.T:
            target = other[self._row]
            here = np.flatnonzero(target >= 0)
            here = here[self._enters[here, self._choice.rack[target[here]]]]
            edges[self._at[here], target[here]] = True


def no_less_diverse(inside: Longs, bound: Longs) -> BoolArray:
    """(n,) whether the k fullest racks (n, G) hold no more than those of a bound (n, G), the most first, for all k."""
    ordered = -np.sort(-inside, axis=1)
    within = np.cumsum(ordered, axis=1) <= np.cumsum(bound, axis=1)
    return np.asarray(within.all(axis=1), np.bool_)
