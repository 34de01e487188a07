"""A topic that grew: the partitions placed first, and those added later, which have no draws of their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from reseat.model import BoolArray, IntArray, Longs
from reseat.placement.fingerprint.fits import Fit, differences
from reseat.placement.fingerprint.rings import MEMBERSHIPS, Found, Search, nearest_fit
from reseat.placement.votes import TopicRows, count_votes, votes_on_ring

__all__ = ["CHANCE_OF_MOVED", "pieces_of"]

#: Lists drawn at random fit as many by chance at most this often where a topic counts as moved (``rings`` says more).
CHANCE_OF_MOVED = 0.1
#: Up to this many lists a topic is looked at for added partitions, however little its lists say.
_FEW_LISTS = 12
#: How often partitions may have been added to one topic.
_ADDITIONS = 8


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


def pieces_of(search: Search, number: int, near: Found, nearest: Fit, *, ids: Longs, lists: IntArray) -> _Pieces:
    """The topic as its nearest fit explains it, in pieces where partitions were added later."""
    differ = differences((nearest,), int(search.rows.factor[number]), ids, lists)
    # A topic in pieces has one piece that is most unlikely by chance, unless it is small.
    if near.chance > CHANCE_OF_MOVED and len(ids) > _FEW_LISTS:
        return _Pieces(nearest, (), differ, near.chance)
    first, added, differ = _grown(search, number, nearest, differ, ids=ids, lists=lists)
    return _Pieces(first, added, differ, near.chance)


def _grown(
    search: Search, number: int, nearest: Fit, differ: Longs, *, ids: Longs, lists: IntArray
) -> tuple[Fit, tuple[Fit, ...], Longs]:
    """The fit of the partitions placed first, of those added later, each from its first id on, and what differs then.

    Added partitions have start and shift from the first replica that partition 0 had then, so only the id at which they
    begin is open. They go on to the end: where the last two lists are as placed first, nothing was added.
    """
    factor = int(search.rows.factor[number])
    if not _may_have_grown(search.row_votes(number, nearest.ring), nearest, differ, ids, lists):
        return nearest, (), differ
    candidates = [(nearest, _added_to(nearest, factor, ids, lists))] if differ[-2:].any() else []
    # The added ones may be the most: then those before them tell how the topic was placed first.
    ends = {int(np.argmax(differ == 0)), int(np.flatnonzero(differ)[-1]) + 1} if differ.any() else set()
    for begin in sorted(ends - {0, len(ids)}):
        rows = search.rows.only(np.array([number]))
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
                candidates.append((first, _added_to(first, factor, ids, lists)))
    best: tuple[Fit, tuple[Fit, ...], Longs] = (nearest, (), differ)
    least = before_all = int((differ > 0).sum())
    for first, added in candidates:
        differ_then = differences((first, *added), factor, ids, lists)
        left = int((differ_then > 0).sum())
        # One or two lists more may be chance, unless nothing is left to explain.
        if added and left < least and (left == 0 or left < before_all - 2):
            best, least = (first, added, differ_then), left
    return best


def _may_have_grown(votes: tuple[BoolArray, Longs], nearest: Fit, differ: Longs, ids: Longs, lists: IntArray) -> bool:
    """Whether it is worth looking for added partitions: a cheap look that misses none.

    Either a list that differs has the start that added partitions would have, or the nearest fit itself has it and some
    list that differs fits draws of its own.
    """
    if int(ids[0]) != 0 or not differ.any():
        return False
    fits, start = votes
    others = fits & (differ > 0)
    positions = _added_positions(nearest, lists)
    return bool(np.isin(start[others], list(positions)).any()) or (nearest.start in positions and bool(others.any()))


def _added_positions(first: Fit, lists: IntArray) -> set[int]:
    """Starts of added partitions: by the first replica that partition 0 was given, or by the one it has now."""
    return {first.ring.position_by_id(first.ring.ids[first.start]), first.ring.position_by_id(int(lists[0, 0]))}


def _added_to(first: Fit, factor: int, ids: Longs, lists: IntArray) -> tuple[Fit, ...]:
    """Fits of partitions added later, as long as each explains more lists than it spoils."""
    size = first.ring.size
    offsets = first.ring.offset_of(np.arange(size))
    positions = _added_positions(first, lists)
    added: tuple[Fit, ...] = ()
    differ = differences((first,), factor, ids, lists)
    while len(added) < _ADDITIONS:
        least = added[-1].first_id + 1 if added else 1
        begins = [at for at in np.flatnonzero(differ).tolist() if ids[at] >= least][:MEMBERSHIPS]
        tried = []
        for position in positions:
            same = offsets == offsets[position] if factor > 1 else np.ones(size, np.bool_)
            shifts = tuple(np.flatnonzero(same).tolist())
            begun = replace(first, start=position, shifts=shifts)
            for begin in (*begins, *_earlier(begun, begins, factor, ids, lists, least=least)):
                fit = replace(begun, first_id=int(ids[begin]))
                tried.append((int((differences((first, *added, fit), factor, ids, lists) > 0).sum()), begin, fit))
        if not tried:
            break
        left, _, fit = min(tried, key=lambda one: one[:2])
        if left >= int((differ > 0).sum()):
            break
        added = (*added, fit)
        differ = differences((first, *added), factor, ids, lists)
    return added


def _earlier(fit: Fit, begins: Sequence[int], factor: int, ids: Longs, lists: IntArray, *, least: int) -> list[int]:
    """Rows before the first of ``begins`` at which partitions may have been added: lists there may agree by chance.

    The begin counts by its lap of the ring alone, so of each lap the earliest row is taken from which all lists up to
    the first of ``begins`` agree.
    """
    if not begins:
        return []
    size, out = fit.ring.size, []
    last = (int(ids[begins[0]]) - 1) // size
    for lap in range(max(0, last - 2), last + 1):
        differ = differences((replace(fit, first_id=lap * size + 1),), factor, ids, lists)[: begins[0]]
        begin = int(np.flatnonzero(differ)[-1]) + 1 if differ.any() else 0
        begin = max(begin, int(np.searchsorted(ids, max(least, lap * size + 1))))
        if begin < begins[0] and (int(ids[begin]) - 1) // size == lap:
            out.append(begin)
    return out
