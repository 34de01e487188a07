"""Brokers that are fenced or shutting down, as places of last resort: only what fits nowhere else goes there.

Promises, in this order:
    1. No plan sends fewer replicas to last resorts: a partition takes one only where every broker that receives holds
       it, or is about to.
    2. What else is promised of a placing holds of the brokers that receive and of the last resorts, each for itself.

Needs: every partition finds enough brokers among both.

How: a partition that is short takes every broker that is open to it, without a choice, and what is missing among the
last resorts; all others choose among the brokers that receive. Both kinds of brokers are disjoint, and both kinds of
partitions: two placings, neither of which touches the loads of the other.

Example: brokers 1, 2 and 3, broker 4 is fenced; {0: [1, 2], 1: [2, 3, 1]} without broker 1: partition 0 takes broker 3,
and partition 1, to which none is left, takes broker 4.

Complexity: O(n (R + B)) for the partitions that are short, O(n R) else.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from reseat.model import NONE, BoolArray, IntArray
from reseat.model.arrays import on_brokers
from reseat.planning.solve.placing import Placing
from reseat.planning.solve.rack_choice import NoRoom

__all__ = ["Part", "lacking", "placed_in_parts"]

_Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Part:
    """Partitions that are placed together.

    Attributes:
        rows: (m,) which of the n partitions.
        staying: (m, S) broker positions that hold each in any case, -1 padded anywhere.
        needed: (m,) newcomers that each needs, at least 1.
        targets: (B,) bool, brokers that they may choose.
        room: (B,) the most that each broker may receive, or None.
        forced_row: (k,) partitions, of all n, of newcomers that had no choice, and
        forced_on: (k,) the brokers of this part that took them.
    """

    rows: _Ints
    staying: IntArray
    needed: _Ints
    targets: BoolArray
    room: _Ints | None
    forced_row: _Ints
    forced_on: _Ints


def lacking(staying: IntArray, needed: npt.NDArray[np.integer], targets: BoolArray) -> _Ints:
    """(n,) newcomers of each partition for which no broker of ``targets`` (B,) is left."""
    open_ = int(targets.sum()) - on_brokers(staying, targets).sum(axis=1)
    lack: _Ints = (needed - open_).clip(min=0)
    return lack


def placed_in_parts(
    place_part: Callable[[Part], Placing],
    staying: IntArray,
    needed: _Ints,
    targets: BoolArray,
    resorts: BoolArray,
    *,
    cap: int | None = None,
) -> Placing:
    """Place newcomers on brokers that receive, and on last resorts what fits nowhere else.

    Args:
        place_part: places the partitions of one part.
        staying: (n, S) broker positions that keep each partition, -1 padded anywhere.
        needed: (n,) newcomers that each needs, at least 1.
        targets: (B,) bool, brokers that receive.
        resorts: (B,) bool, last resorts, none of them among ``targets``.
        cap: the most replicas that one broker may receive, or None.

    Raises:
        NoRoom: under the cap brokers do not suffice.
    """
    lack = lacking(staying, needed, targets)
    short, plain = np.flatnonzero(lack), np.flatnonzero(lack == 0)
    nothing = np.empty(0, np.int64)
    room = None if cap is None else np.full(len(targets), cap)
    if not short.size:
        return place_part(Part(plain, staying, needed, targets, room, nothing, nothing))
    brokers = np.flatnonzero(targets)
    open_ = ~(staying[short][:, :, None] == brokers).any(axis=1)
    forced = np.where(open_, brokers, NONE).astype(np.int32)
    at, column = np.nonzero(open_)
    held = np.concatenate([staying[short], forced], axis=1)
    late = place_part(Part(short, held, lack[short], resorts, room, nothing, nothing))
    newcomers = np.full((len(needed), int(needed.max())), NONE, np.int32)
    _filled(newcomers, short, np.concatenate([forced, late.newcomers], axis=1))
    if room is not None:
        room = room - np.bincount(brokers[column], minlength=len(room))
        if room.min() < 0:
            raise NoRoom("Partitions to which few brokers are left need more of them than the cap allows.")
    if not plain.size:
        return Placing(newcomers, late.exact)
    most = place_part(Part(plain, staying[plain], needed[plain], targets, room, short[at], brokers[column]))
    _filled(newcomers, plain, most.newcomers)
    return Placing(newcomers, late.exact and most.exact)


def _filled(newcomers: IntArray, rows: _Ints, lists: IntArray) -> None:
    """Write these lists, -1 padded anywhere, into their rows: ascending, padded on the right."""
    ordered = np.sort(np.where(lists == NONE, np.iinfo(np.int32).max, lists), axis=1)[:, : newcomers.shape[1]]
    newcomers[rows, : ordered.shape[1]] = np.where(ordered == np.iinfo(np.int32).max, NONE, ordered)
