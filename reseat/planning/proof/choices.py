"""What a wish left open of two layouts: the replicas that were a choice, and who could have had them instead.

Promises: what is restated is restated from the wish and the two layouts alone. More may be open than what is told here
only where ``Asked.sound`` is False.

Complexity: O(P R) for P partitions, O(n R) for the n that differ.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from reseat.model import NONE, BoolArray, Longs
from reseat.model.arrays import row_any, row_counts
from reseat.model.wording import counted
from reseat.planning.proof.circles import NEVER
from reseat.planning.proof.compared import Change
from reseat.planning.proof.exchange import Choice, no_less_diverse
from reseat.planning.proof.places import Places

__all__ = ["Asked", "choices_of_kept", "choices_of_moved", "mended", "racks_kept", "within_racks"]


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

    @classmethod
    def together(cls, parts: Iterable[Asked]) -> Asked:
        """What parts of a plan left open, none of which is a matter to another."""
        every = tuple(parts)
        choices = tuple(choice for part in every for choice in part.choices)
        needed = all(part.last_resorts_needed for part in every)
        return cls(choices, all(part.sound for part in every), sum(part.least_moves for part in every), needed)


def choices_of_kept(change: Change, factor: Longs, places: Places) -> Asked:
    """Of a plan that moves what must move alone, where each changed row must end with ``factor`` (n,) replicas.

    A newcomer could sit on any broker that receives, that its partition may be on and that does not hold it; of
    replicas that are dropped each could have stayed in the place of another.
    """
    may_stay = (change.before != NONE) & (~change.leaving[change.before] | change.pinned[change.rows, None])
    needed = factor - row_counts(may_stay)
    shrinks = needed < 0
    kept_all = ~row_any(may_stay & change.goes)
    rack = _racks(change)
    some = row_any(change.comes) & ~shrinks
    after, before = change.after, change.before
    late, group = change.comes_late, places.group[change.rows]
    short = np.zeros(len(needed), np.int64)
    found = []
    for number, allowed in enumerate(places.allowed):
        mine = group == number
        takes = change.targets & allowed
        # Newcomers for which no broker is left but a last resort.
        lacks = needed - (takes.sum() - row_counts(may_stay & takes[before]))
        short[mine] = lacks[mine].clip(min=0)
        plain, at = some & mine & (short == 0), some & mine & (short > 0)
        if plain.any():
            found.append(Choice(after[plain], change.comes[plain], others=None, targets=takes, rack=rack))
        if at.any():
            resorts = np.flatnonzero(change.resorts & allowed)
            others = np.where((after[at][:, :, None] == resorts).any(axis=1), NONE, resorts)
            found.append(Choice(after[at], late[at], others=others, targets=change.resorts, rack=rack))
    if shrinks.any():
        fixed = change.must_stay(may_stay)
        change.require_kept(fixed & shrinks[:, None])
        rest = may_stay & ~fixed
        found.append(
            Choice(
                np.where(fixed | (rest & ~change.goes), before, NONE)[shrinks],
                (rest & ~change.goes)[shrinks],
                others=np.where(rest & change.goes, before, NONE)[shrinks],
                targets=change.targets,
                rack=rack,
            )
        )
    return Asked(
        choices=tuple(found),
        sound=bool(kept_all[~shrinks].all()),
        least_moves=int(needed.clip(min=0).sum()),
        last_resorts_needed=bool((row_counts(late) == short).all()),
    )


def choices_of_moved(
    change: Change,
    movers: BoolArray,
    takers: BoolArray,
    places: Places,
    *,
    keeps_racks: bool,
    parts: bool = False,
    must: BoolArray | None = None,
    grows: Longs | int = 0,
) -> Asked:
    """Of a plan in which replicas may move that need not.

    A replica that stays costs one move to exchange, one that came costs none, and either costs one less where a broker
    that held the partition, and need not give it up, gets it back.

    Args:
        change: the two layouts compared.
        movers: (B,) bool, brokers of which replicas may move.
        takers: (B,) bool, brokers that may receive.
        places: where partitions may be.
        keeps_racks: whether racks are to be no less diverse than before; else each as diverse as it can be. Of a
            partition that must give up replicas: than those that come in their place can make it.
        parts: whether replicas must move that are where their partition may not be.
        must: (n, W) replicas of changed rows before that may not move; None: none.
        grows: (n,) replicas that each changed row gets beyond those it has.
    """
    moves, takes = np.append(movers, False), np.append(takers, False)
    leaves = np.append(change.leaving, False)[change.before]
    gives = np.append(change.targets | change.closed, False)
    if parts:
        strays = places.barred(places.group[change.rows], change.before) & gives[change.before]
        leaves |= strays
    pinned = change.pinned[change.rows, None]
    fixed = (change.before != NONE) & ((~moves[change.before] & ~leaves) | pinned)
    if must is not None:
        fixed |= must
    sound = not (fixed & change.goes).any() and not (change.comes & ~takes[change.after]).any()
    rack, found = _racks(change), []

    free = ~change.pinned
    free[change.rows] = False
    still = change.proposed.replicas[free]
    if parts:
        sound = sound and not (strays & ~change.goes & ~pinned).any()
        sound = sound and not (places.barred(places.group[free], still) & gives[still]).any()
    rows = np.flatnonzero(~change.pinned[change.rows])
    after, came = change.after[rows], change.comes[rows]
    stays = moves[after] & ~came
    if must is not None:
        held = np.where(must, change.before, NONE)[rows]
        stays &= ~((after[:, :, None] == held[:, None, :]) & (after[:, :, None] != NONE)).any(axis=2)
    gone = np.where(change.goes & moves[change.before] & ~leaves, change.before, NONE)[rows]
    bound = _bounds(change, leaves, grows, takers, places)[rows] if keeps_racks else None
    for number, allowed in enumerate(places.allowed):
        open_ = takers & allowed
        mine, here = (
            slice(None) if len(places.allowed) == 1 else places.group[at] == number for at in (free, change.rows[rows])
        )
        found.append(Choice(still[mine], moves[still[mine]], None, open_, rack, 1, keeps_racks))
        limit = None if bound is None else bound[here]
        for which, cost in ((stays[here], 1), (came[here], 0)):
            found.append(Choice(after[here], which, None, open_, rack, cost, keeps_racks, limit, gone[here]))
    return Asked(tuple(found), sound)


def _bounds(change: Change, leaves: BoolArray, grows: Longs | int, takers: BoolArray, places: Places) -> Longs:
    """(n, G) replicas by rack, the most first, than which the racks of changed rows are no less diverse."""
    rack = _racks(change)
    bound = _rack_vectors(change.before, rack)
    needed = row_counts(leaves) + grows
    rows = np.flatnonzero(needed)
    if rows.size:
        staying = np.where(leaves, NONE, change.before)[rows]
        takes = (places.allowed & takers)[places.group[change.rows[rows]]]
        taken = np.zeros(takes.shape, np.bool_)
        row, column = np.nonzero(staying != NONE)
        taken[row, staying[row, column]] = True
        bound[rows] = _most_diverse(staying, needed[rows], takes & ~taken, rack)
    return bound


def _most_diverse(staying: Longs, needed: Longs, free: BoolArray, rack: Longs) -> Longs:
    """(n, G) replicas by rack, the most first, once each newcomer went to the emptiest rack with a free broker."""
    counts = _rack_vectors(staying, rack, ordered=False)
    left = free.astype(np.int64) @ (rack[:, None] == np.arange(counts.shape[1])).astype(np.int64)
    every = np.arange(len(counts))
    for nth in range(int(needed.max())):
        goal = np.where(left > 0, counts, NEVER).argmin(axis=1)
        adds = (needed > nth) & (left[every, goal] > 0)
        counts[every[adds], goal[adds]] += 1
        left[every[adds], goal[adds]] -= 1
    return -np.sort(-counts, axis=1)


def mended(change: Change) -> tuple[BoolArray, Longs]:
    """What partitions are to be after a mend.

    Returns:
        (n, W) replicas of changed rows before that stay: of partitions that drop live ones the leader and the last
        in-sync copy. (P,) replicas that each partition has in the end: as many as most of its topic have (of equals
        the greater number), but what must stay; one that cannot move has each of its own once.
    """
    lists = change.current.replicas
    named = (lists != NONE).sum(axis=1)
    ordered = np.sort(lists, axis=1)
    distinct = named - ((ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] != NONE)).sum(axis=1)
    topic = change.current.topic_of
    often = np.zeros((len(change.current.topics), lists.shape[1] + 1), np.int64)
    np.add.at(often, (topic, named), 1)
    common = lists.shape[1] - often[:, ::-1].argmax(axis=1)  # of equals the greater
    factor = np.where(change.pinned, distinct, common[topic])
    alive = (change.before != NONE) & ~change.leaving[change.before]
    for column in range(1, alive.shape[1]):
        alive[:, column] &= ~(change.before[:, :column] == change.before[:, column, None]).any(axis=1)
    drops = alive.sum(axis=1) > factor[change.rows]
    must = change.must_stay(alive) & (drops & ~change.pinned[change.rows])[:, None]
    factor[change.rows] = np.maximum(factor[change.rows], must.sum(axis=1))
    return must, factor


def racks_kept(change: Change) -> bool:
    """Whether no changed partition's racks are less diverse than before."""
    if change.rack is None:
        return True
    bound, inside = (_rack_vectors(lists, change.rack) for lists in (change.before, change.after))
    return bool(no_less_diverse(inside, bound).all())


def within_racks(change: Change) -> Iterator[tuple[BoolArray, Change]]:
    """For each rack its brokers (B,), and what changes there; a fault for each row that has more or fewer there.

    Of replicas that stay in their racks what is in one is no matter to what is in another.
    """
    racks = _racks(change)
    for rack in np.unique(racks).tolist():
        there = racks == rack
        inside = np.append(there, False)
        before, after = (np.where(inside[lists], lists, NONE) for lists in (change.before, change.after))
        part = replace(change, before=before, after=after, rack=None, regions=())
        name, had, has = change.current.brokers[int(there.argmax())].rack, part.before_factor, part.after_factor
        where = f"in rack {name}" if name else "on a broker without a rack"

        def sentence(i: int, where: str = where, had: Longs = had, has: Longs = has) -> str:
            would = f"{change.name(i)} would have {counted(int(has[i]), 'replica')} {where}"
            return f"{would}; it has {had[i]} there (same_rack)."

        change.note(
            np.nonzero(had != has), sentence, f"partitions would not have as many replicas {where} as they have"
        )
        yield there, part


def _racks(change: Change) -> Longs:
    """(B,) rack codes; all 0 where racks do not count."""
    return np.zeros(len(change.targets), np.int64) if change.rack is None else change.rack


def _rack_vectors(lists: Longs, rack: Longs, *, ordered: bool = True) -> Longs:
    """(n, G) replicas by rack of each list, the most first if ``ordered``."""
    racks = int(rack.max(initial=0)) + 1
    row, column = np.nonzero(lists != NONE)
    cell = row * racks + rack[lists[row, column]]
    counts = np.bincount(cell, minlength=len(lists) * racks).reshape(len(lists), racks)
    return -np.sort(-counts, axis=1) if ordered else counts
