"""A topic that grew: the partitions placed first, and those added later, which have no draws of their own.

Added partitions have start and shift from the first replica that partition 0 had then, so of each addition only the id
at which it begins is open, and of that only its lap of the ring counts. Every list says for which laps it speaks
(``votes.py``): one pass over the lists keeps, for each lap, the best that they say up to there, and so finds the begins
that explain most of them. Brokers may have joined in between: the lists placed first, then, name none with a higher id,
and partitions are added over the present cluster as well. Complexity: O(m) for m lists, and their votes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np

from reseat.model import BoolArray, IntArray, Longs
from reseat.placement.fingerprint.fits import Fit, differences
from reseat.placement.fingerprint.rings import Found, Search, nearest_fit
from reseat.placement.ring import Ring, ring_of
from reseat.placement.votes import TopicRows, Votes, count_votes, votes_on_ring

__all__ = ["CHANCE_OF_MOVED", "least_untouched", "pieces_of"]

#: Lists drawn at random fit as many by chance at most this often where a topic counts as moved (``rings`` says more).
CHANCE_OF_MOVED = 0.1
#: Up to this many lists a topic is looked at for added partitions, however little its lists say.
_FEW_LISTS = 12
#: An addition that explains so many lists more may do so by chance, unless nothing is left to explain.
_BY_CHANCE = 2
#: A list placed over other brokers is where the nearest fit has it at most this often, by chance.
_MOSTLY = 0.5
#: Of so many lists at most it is asked how many, from the first one on, were placed together.
_LEADING = 1_000


#: An addition, and the one before it.
_Path: TypeAlias = "tuple[_Addition, _Path] | None"


class _Addition(NamedTuple):
    """Partitions added from id ``begin`` on, over a ring, with start and shift ``position``."""

    ring: Ring
    position: int
    begin: int


def least_untouched(size: int) -> float:
    """How many of so many lists are to be as placed where a topic counts as moved: one alone fits some draws easily."""
    return max(2, size / 3)


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
    factor, head = int(search.rows.factor[number]), int(lists[0, 0])
    if int(ids[0]) != 0 or not differ.any() or not _may_have_grown(search, number, nearest, differ, head):
        return
    for first in (nearest, *_placed_first(search, number, nearest, differ, ids=ids, lists=lists)):
        over = {id(ring): ring for ring in (first.ring, nearest.ring, search.present)}.values()
        votes = [(ring, search.row_votes(number, ring)) for ring in over]
        explains = differences((first,), factor, ids, lists) == 0
        for price in (0, _BY_CHANCE):
            begins = _begins(first, votes, explains, ids, head, alone=factor == 1, price=price)
            added = tuple(_added(search, first, *begin) for begin in begins)
            if added:
                pieces = _Pieces(first, added, differences((first, *added), factor, ids, lists), near.chance)
                yield pieces
                if not pieces.left:
                    return


def _placed_first(
    search: Search, number: int, nearest: Fit, differ: Longs, *, ids: Longs, lists: IntArray
) -> Iterator[Fit]:
    """Fits of the first lists alone: where most partitions were added, these tell how the topic was placed first."""
    rows, last = search.rows.only(np.array([number])), int(np.flatnonzero(differ)[-1]) + 1
    tried = [(nearest.ring, nearest.circumstance, {int(np.argmax(differ == 0)), last})]
    older = search.present_up_to(int(lists[:last].max())) if _over_others(differ) else []
    if 0 < len(older) < nearest.ring.size:
        before = ring_of(older)
        tried.append((before, search.membership_words(before.ids), {last}))
    for ring, circumstance, ends in tried:
        for end in sorted((ends | {_leading(search.row_votes(number, ring))}) - {0, len(ids)}):
            first_rows = TopicRows(
                rows.topic[:end], rows.partition[:end], rows.replicas[:end], rows.usable[:end],
                rows.factor, rows.first_id, np.array([0, end]),
            )  # fmt: skip
            tally = count_votes(first_rows, votes_on_ring(first_rows, ring))
            phases = tally.phase[tally.start == tally.start[:1]]
            found = [Found(ring, circumstance, int(tally.start[0]), phases, 1.0)] if tally.most[0] > 0 else []
            fits = (nearest_fit(one, nearest.first_id, int(rows.factor[0]), ids[:end], lists[:end]) for one in found)
            yield from (fit for fit in fits if fit is not None)


def _leading(votes: Votes) -> int:
    """How many lists, from the first one on, speak for the same draws."""
    phases = votes.phase[0] - np.arange(votes.count[0])
    votes = votes.of(slice(0, _LEADING))
    speaks = (votes.phase[:, None] - phases) % votes.cycle[0] < votes.count[:, None]
    speaks &= (votes.fits & (votes.start == votes.start[0]))[:, None]
    together: BoolArray = np.asarray(np.logical_and.accumulate(speaks).any(axis=1))
    return len(together) if together.all() else int(np.argmin(together))


def _may_have_grown(search: Search, number: int, nearest: Fit, differ: Longs, head: int) -> bool:
    """Whether it is worth looking for added partitions: a cheap look that misses none.

    Either a list that differs has the start that added partitions would have, or the nearest fit itself has it, and
    some list that differs fits draws of its own, or those before the last of them were placed over other brokers.
    """
    itself = nearest.start in _positions(nearest.ring, nearest, head)
    if itself and _over_others(differ):
        return True
    for ring in {id(ring): ring for ring in (nearest.ring, search.present)}.values():
        votes = search.row_votes(number, ring)
        others = votes.fits & (differ > 0)
        if others.any() and (itself or np.isin(votes.start[others], _positions(ring, nearest, head)).any()):
            return True
    return False


def _over_others(differ: Longs) -> int:
    """How many lists, from the first one on, may have been placed over other brokers: most of them differ; or 0."""
    last = int(np.flatnonzero(differ)[-1]) + 1
    return last if last < len(differ) and (differ[:last] > 0).mean() >= _MOSTLY else 0


def _positions(ring: Ring, first: Fit, head: int) -> list[int]:
    """Starts of partitions added over a ring: by the first replica that partition 0 had, or ``head``, which it has."""
    return sorted({ring.position_by_id(first.ring.ids[first.start]), ring.position_by_id(head)})


def _added(search: Search, first: Fit, ring: Ring, position: int, begin: int) -> Fit:
    """The fit of an addition (``_Addition``)."""
    offsets = ring.offset_of(np.arange(ring.size))
    shifts = tuple(np.flatnonzero(offsets == offsets[position]).tolist())
    circumstance = first.circumstance if ring is first.ring else search.membership_words(ring.ids)
    return Fit(ring.ids, ring.rack_aware, position, shifts, begin, circumstance, ring)


def _begins(
    first: Fit,
    over: Sequence[tuple[Ring, Votes]],
    explains: BoolArray,
    ids: Longs,
    head: int,
    *,
    alone: bool,
    price: int,
) -> list[_Addition]:
    """The additions with which as many lists as can be are explained.

    Args:
        first: the fit of the partitions placed first.
        over: rings, and the topic's votes on each.
        explains: (m,) whether ``first`` explains each list.
        ids: (m,) partition ids, from 0.
        head: the first replica that partition 0 has.
        alone: whether lists have one replica, so that no lap shows.
        price: lists that each addition must explain more than are explained without it; of equals the fewest are taken.
    """
    each, toll = len(ids) + 1, price * (len(ids) + 1) + 1
    rings = [
        (
            at,
            ring,
            int(votes.cycle[0]),
            positions := _positions(ring, first, head),
            zip(
                (votes.fits & np.isin(votes.start, positions)).tolist(),
                *(column.tolist() for column in (votes.start, votes.phase, votes.count)),
                strict=True,
            ),
        )
        for at, (ring, votes) in enumerate(over)
    ]
    worths: dict[tuple[int, int, int], int] = {}
    paths: dict[tuple[int, int, int], _Path] = {}
    placed_first = best = 0
    path: _Path = None
    for number, mine in zip(ids.tolist(), explains.tolist(), strict=True):
        begun, after = best - toll, path
        placed_first += mine * each
        if placed_first > best:
            best, path = placed_first, None
        for at, ring, cycle, positions, speaking in rings:
            lap = (number - 1) // ring.size
            for position in positions if number else ():
                key = at, position, 0 if alone else (position - lap) * ring.racks % cycle
                if begun > worths.get(key, -toll):
                    worths[key], paths[key] = begun, (_Addition(ring, position, number), after)
            fits, start, phase, count = next(speaking)
            for step in range(count if fits else 0):
                key = at, start, (phase - step) % cycle
                if key in worths:
                    worths[key] += each
                    if worths[key] > best:
                        best, path = worths[key], paths[key]
    found = []
    while path is not None:
        addition, path = path
        found.append(addition)
    return found[::-1]
