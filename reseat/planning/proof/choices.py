"""What a wish left open of two layouts: the replicas that were a choice, and who could have had them instead.

Promises: what is restated is restated from the wish and the two layouts alone. More may be open than what is told here
only where ``Asked.sound`` is False.

Complexity: O(P R) for P partitions, O(n R) for the n that differ.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from reseat.model import NONE, BoolArray
from reseat.model.arrays import row_any
from reseat.planning.proof.compared import Change
from reseat.planning.proof.exchange import Choice, no_less_diverse

__all__ = ["Asked", "choices_of_kept", "choices_of_moved", "racks_kept"]

IndexArray = npt.NDArray[np.int64]
_Lists = npt.NDArray[np.integer]


@dataclass(frozen=True, eq=False)
class Asked:
    """What the wish left open.

    Attributes:
        choices: what partitions could have had instead.
        sound: whether the plan keeps what it may not, or need not, give up.
        least_moves: copies that no plan for the wish can do without; 0 where that is a question of balance.
        last_resorts_needed: whether no plan copies fewer replicas to last resorts.
    """

    choices: tuple[Choice, ...]
    sound: bool
    least_moves: int = 0
    last_resorts_needed: bool = True


def choices_of_kept(change: Change, factor: IndexArray) -> Asked:
    """Of a plan that moves what must move alone, where each changed row must end with ``factor`` (n,) replicas.

    A newcomer could sit on any broker that receives and does not hold the partition; of replicas that are dropped each
    could have stayed in the place of another.
    """
    may_stay = (change.before != NONE) & (~change.leaving[change.before] | change.pinned[change.rows, None])
    needed = factor - may_stay.sum(axis=1)
    shrinks = needed < 0
    kept_all = (may_stay & ~change.goes).sum(axis=1) == may_stay.sum(axis=1)
    rack = _racks(change)
    some = change.comes.any(axis=1) & ~shrinks
    after, before = change.after, change.before
    # Newcomers for which no broker is left but a last resort.
    open_ = change.targets.sum() - (may_stay & change.targets[before]).sum(axis=1)
    short, late = (needed - open_).clip(min=0), change.comes_late
    plain = some & (short == 0)
    found = [
        Choice(
            kept=np.where(change.stays, after, NONE)[plain],
            chosen=np.where(change.comes, after, NONE)[plain],
            others=None,
            targets=change.targets,
            rack=rack,
        )
    ]
    if (some & ~plain).any():
        at = some & ~plain
        resorts = np.flatnonzero(change.resorts)
        found.append(
            Choice(
                kept=np.where(late, NONE, after)[at],
                chosen=np.where(late, after, NONE)[at],
                others=np.where((after[at][:, :, None] == resorts).any(axis=1), NONE, resorts),
                targets=change.resorts,
                rack=rack,
            )
        )
    if shrinks.any():
        fixed = change.must_stay(may_stay)
        change.require_kept(fixed & shrinks[:, None])
        rest = may_stay & ~fixed
        found.append(
            Choice(
                kept=np.where(fixed, before, NONE)[shrinks],
                chosen=np.where(rest & ~change.goes, before, NONE)[shrinks],
                others=np.where(rest & change.goes, before, NONE)[shrinks],
                targets=change.targets,
                rack=rack,
            )
        )
    return Asked(
        choices=tuple(found),
        sound=bool(kept_all[~shrinks].all()),
        least_moves=int(needed.clip(min=0).sum()) + change.left_untouched,
        last_resorts_needed=bool((late.sum(axis=1) == short).all()),
    )


def choices_of_moved(change: Change, movers: BoolArray, takers: BoolArray, *, keeps_racks: bool) -> Asked:
    """Of a plan in which replicas may move that need not.

    A replica that stays costs one move to exchange, one that came costs none, and either costs one less where a broker
    that held the partition, and need not give it up, gets it back.

    Args:
        change: the two layouts compared.
        movers: (B,) bool, brokers of which replicas may move.
        takers: (B,) bool, brokers that may receive.
        keeps_racks: whether racks are to be no less diverse than before; else each as diverse as it can be.
    """
    moves, takes = np.append(movers, False), np.append(takers, False)
    leaves = np.append(change.leaving, False)[change.before]
    pinned = change.pinned[change.rows, None]
    fixed = (change.before != NONE) & ((~moves[change.before] & ~leaves) | pinned)
    sound = not (fixed & change.goes).any() and not (change.comes & ~takes[change.after]).any()
    rack, found = _racks(change), []

    def add(which: BoolArray, lists: _Lists, others: IndexArray | None, cost: int, bound: IndexArray | None) -> None:
        kept, chosen = np.where(which, NONE, lists), np.where(which, lists, NONE)
        found.append(Choice(kept, chosen, others, takers, rack, cost, keeps_racks, bound))

    same = np.ones(change.current.partition_count, np.bool_)
    same[change.rows] = False
    lists = change.proposed.replicas[same]
    loose = moves[lists] & ~change.pinned[same, None]
    some = row_any(loose)
    if some.any():
        add(loose[some], lists[some], None, 1, None)

    rows = np.flatnonzero(~change.pinned[change.rows])
    after, came = change.after[rows], change.comes[rows]
    bound = _rack_vectors(change.before[rows], rack) if keeps_racks else None
    stays = moves[after] & ~came
    gone = np.where(change.goes & moves[change.before] & ~leaves, change.before, NONE)[rows]
    for which, cost in ((stays, 1), (came, 0)):
        add(which, after, None, cost, bound)
        add(which, after, gone, cost - 1, bound)
    return Asked(tuple(found), sound)


def racks_kept(change: Change) -> bool:
    """Whether no changed partition's racks are less diverse than before."""
    rack = _racks(change)
    if rack.any():
        bound, inside = _rack_vectors(change.before, rack), _rack_vectors(change.after, rack)
        return bool(no_less_diverse(inside, bound).all())
    return True


def _racks(change: Change) -> IndexArray:
    """(B,) rack codes; all 0 where racks do not count."""
    return np.zeros(len(change.targets), np.int64) if change.rack is None else change.rack


def _rack_vectors(lists: IndexArray, rack: IndexArray) -> IndexArray:
    """(n, G) replicas by rack of each list, the most first."""
    racks = int(rack.max(initial=0)) + 1
    row, column = np.nonzero(lists != NONE)
    cell = row * racks + rack[lists[row, column]]
    counts = np.bincount(cell, minlength=len(lists) * racks).reshape(len(lists), racks)
    ordered: IndexArray = -np.sort(-counts, axis=1)
    return ordered
