"""A topic that grew: the partitions placed first, and those added later, which have no draws of their own.

Added partitions have start and shift from the first replica that partition 0 had then, so of each addition only the id
at which it begins is open, and of that only its lap of the ring counts. Every list says for which laps it speaks
(``votes.py``): one pass over the lists keeps, for each lap, the best that they say up to there, and so finds the begins
that explain most of them. Complexity: O(m) for m lists, and their votes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from reseat.model import BoolArray, IntArray, Longs
from reseat.placement.fingerprint.fits import Fit, differences
from reseat.placement.fingerprint.rings import Found, Search, nearest_fit
from reseat.placement.votes import TopicRows, Votes, count_votes, votes_on_ring

__all__ = ["CHANCE_OF_MOVED", "pieces_of"]

#: Lists drawn at random fit as many by chance at most this often where a topic counts as moved (``rings`` says more).
CHANCE_OF_MOVED = 0.1
#: Up to this many lists a topic is looked at for added partitions, however little its lists say.
_FEW_LISTS = 12
#: An addition that explains so many lists more may do so by chance, unless nothing is left to explain.
_BY_CHANCE = 2
#: Of so many lists at most it is asked how many, from the first one on, were placed together.
_LEADING = 1_000


#: An addition's position and first id, and the addition before it.
_Path: TypeAlias = "tuple[int, int, _Path] | None"


@dataclass(frozen=True, eq=False)
class _Pieces:
    """A topic in pieces: the partitions placed first, those added later, and what neither explains."""

    first: Fit
    added: tuple[Fit, ...]
    differ: Longs
    chance: float

    @property
    def left(self) -> int:
        """How many lists are not explained."""
        return int((self.differ > 0).sum())

    @property
    def worth(self) -> int:
        """How many lists are not explained, and what its additions must explain more than that; less is better."""
        return self.left and self.left + _BY_CHANCE * len(self.added)


def pieces_of(search: Search, number: int, near: Found, nearest: Fit, *, ids: Longs, lists: IntArray) -> _Pieces:
    """The topic as its nearest fit explains it, in pieces where partitions were added later."""
    differ = differences((nearest,), int(search.rows.factor[number]), ids, lists)
    # A topic in pieces has one piece that is most unlikely by chance, unless it is small.
    if near.chance > CHANCE_OF_MOVED and len(ids) > _FEW_LISTS:
        return _Pieces(nearest, (), differ, near.chance)
    return min(_explained(search, number, near, nearest, differ, ids=ids, lists=lists), key=lambda one: one.worth)


def _explained(
    search: Search, number: int, near: Found, nearest: Fit, differ: Longs, *, ids: Longs, lists: IntArray
) -> Iterator[_Pieces]:
    """The topic in one piece, and in several as far as some were added."""
    yield _Pieces(nearest, (), differ, near.chance)
    factor, votes = int(search.rows.factor[number]), search.row_votes(number, nearest.ring)
    if not _may_have_grown(votes, nearest, differ, ids, lists):
        return
    for first in (nearest, *_placed_first(search, number, nearest, differ, ids=ids, lists=lists)):
        explains = differences((first,), factor, ids, lists) == 0
        for price in (0, _BY_CHANCE):
            begins = _begins(first, votes, explains, ids, lists, alone=factor == 1, price=price)
            added = tuple(_added(first, *begin) for begin in begins)
            if added:
                pieces = _Pieces(first, added, differences((first, *added), factor, ids, lists), near.chance)
                yield pieces
                if not pieces.left:
                    return


def _placed_first(
    search: Search, number: int, nearest: Fit, differ: Longs, *, ids: Longs, lists: IntArray
) -> Iterator[Fit]:
    """Fits of the first lists alone: where most partitions were added, these tell how the topic was placed first."""
    rows, factor = search.rows.only(np.array([number])), int(search.rows.factor[number])
    ends = {
        _leading(search.row_votes(number, nearest.ring)),
        int(np.argmax(differ == 0)),
        int(np.flatnonzero(differ)[-1]) + 1,
    }
    for begin in sorted(ends - {0, len(ids)}):
        before = TopicRows(
            rows.topic[:begin], rows.partition[:begin], rows.replicas[:begin], rows.usable[:begin],
            rows.factor, rows.first_id, np.array([0, begin]),
        )  # fmt: skip
        tally = count_votes(before, votes_on_ring(before, nearest.ring))
        if tally.most[0] > 0:
            phases = tally.phase[tally.start == tally.start[0]]
            found = Found(nearest.ring, nearest.circumstance, int(tally.start[0]), phases, 1.0)
            first = nearest_fit(found, nearest.first_id, factor, ids[:begin], lists[:begin])
            if first is not None:
                yield first


def _leading(votes: Votes) -> int:
    """How many lists, from the first one on, speak for the same draws."""
    phases = votes.phase[0] - np.arange(votes.count[0])
    votes = votes.of(slice(0, _LEADING))
    speaks = (votes.phase[:, None] - phases) % votes.cycle[0] < votes.count[:, None]
    speaks &= (votes.fits & (votes.start == votes.start[0]))[:, None]
    together: BoolArray = np.asarray(np.logical_and.accumulate(speaks).any(axis=1))
    return len(together) if together.all() else int(np.argmin(together))


def _may_have_grown(votes: Votes, nearest: Fit, differ: Longs, ids: Longs, lists: IntArray) -> bool:
    """Whether it is worth looking for added partitions: a cheap look that misses none.

    Either a list that differs has the start that added partitions would have, or the nearest fit itself has it and some
    list that differs fits draws of its own.
    """
    if int(ids[0]) != 0 or not differ.any():
        return False
    others = votes.fits & (differ > 0)
    positions = _added_positions(nearest, lists)
    return bool(np.isin(votes.start[others], list(positions)).any()) or (
        nearest.start in positions and bool(others.any())
    )


def _added_positions(first: Fit, lists: IntArray) -> set[int]:
    """Starts of added partitions: by the first replica that partition 0 was given, or by the one it has now."""
    return {first.ring.position_by_id(first.ring.ids[first.start]), first.ring.position_by_id(int(lists[0, 0]))}


def _added(first: Fit, position: int, begin: int) -> Fit:
    """The fit of partitions added from id ``begin`` on, with start and shift ``position``."""
    offsets = first.ring.offset_of(np.arange(first.ring.size))
    shifts = tuple(np.flatnonzero(offsets == offsets[position]).tolist())
    return replace(first, start=position, shifts=shifts, first_id=begin)


def _begins(
    first: Fit, votes: Votes, explains: BoolArray, ids: Longs, lists: IntArray, *, alone: bool, price: int
) -> list[tuple[int, int]]:
    """Position and first id of each addition, so that with them as many lists as can be are explained.

    Args:
        first: the fit of the partitions placed first.
        votes: of the topic, on its ring.
        explains: (m,) whether ``first`` explains each list.
        ids: (m,) partition ids, from 0.
        lists: (m, R) brokers.
        alone: whether lists have one replica, so that no lap shows.
        price: lists that each addition must explain more than are explained without it; of equals the fewest are taken.
    """
    ring, positions = first.ring, sorted(_added_positions(first, lists))
    cycle, each, toll = int(votes.cycle[0]), len(ids) + 1, price * (len(ids) + 1) + 1
    here = np.isin(votes.start, positions) & votes.fits
    worths: dict[tuple[int, int], int] = {}
    paths: dict[tuple[int, int], _Path] = {}
    placed_first = best = 0
    path: _Path = None
    for row, (number, mine, start, phase, count) in enumerate(
        zip(
            ids.tolist(),
            explains.tolist(),
            votes.start.tolist(),
            votes.phase.tolist(),
            votes.count.tolist(),
            strict=True,
        )
    ):
        if row:
            lap = (number - 1) // ring.size
            for position in positions:
                key = position, 0 if alone else (position - lap) * ring.racks % cycle
                if best - toll > worths.get(key, -toll):
                    worths[key], paths[key] = best - toll, (position, number, path)
        placed_first += mine * each
        if placed_first > best:
            best, path = placed_first, None
        for step in range(count if here[row] else 0):
            key = start, (phase - step) % cycle
            if key in worths:
                worths[key] += each
                if worths[key] > best:
                    best, path = worths[key], paths[key]
    found = []
    while path is not None:
        position, begin, path = path
        found.append((position, begin))
    return found[::-1]
