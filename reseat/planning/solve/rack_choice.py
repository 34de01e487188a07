"""Which racks a partition's newcomers may enter: all best choices at once.

Promises: a choice of brokers has the least sum, over racks, of the square of the partition's replicas there, exactly
when it takes ``base`` replicas in each rack and ``extra`` more in different racks of ``open_racks``.

Needs: every partition has enough open targets.

How: the j-th further replica in a rack that holds c costs ``2 (c + j) - 1``, which grows; so racks are filled up to a
level as water would, and only who gets the last, equally dear replicas is open. Partitions with the same racks, the
same open counts and the same need are one group.

Example: a partition stays once in racks a and b, needs one, and c is free: base none, extra 1, open_racks {c}. Needs it
two, of the only open racks a and b: base 1 in a and 1 in b.

Complexity: O(n S log n + groups x racks x S). Source: greedy for separable convex resource allocation; T. Ibaraki,
N. Katoh, "Resource Allocation Problems", 1988, chapter 4.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from reseat.model import NONE, BoolArray, ClusterLayout, IntArray

__all__ = ["NoRoom", "RackChoice", "Task", "effective_racks", "rack_choice", "rack_of_each", "situations"]

_Ints = npt.NDArray[np.int64]


def effective_racks(layout: ClusterLayout) -> tuple[IntArray, bool]:
    """(B,) rack number of each broker, and whether the rack term is on.

    A broker without a rack is a rack of its own. Where no broker has one, all are: then every choice has the same
    rack term, and it is off.
    """
    racks = layout.rack_of.astype(np.int32)
    alone = racks < 0
    racks[alone] = len(layout.racks) + np.arange(int(alone.sum()), dtype=np.int32)
    return racks, bool(layout.racks)


class NoRoom(Exception):
    """The targets cannot take all newcomers under the cap, with the best racks. It never leaves the package."""


@dataclass(frozen=True, eq=False)
class Task:
    """n partitions that need newcomers, B brokers, T targets.

    Attributes:
        staying: (n, S) broker positions that keep the partition, -1 anywhere for none.
        needed: (n,) newcomers that each partition needs.
        rack: (B,) rack number of each broker.
        loads: (B,) what each broker carries already.
        targets: (T,) positions of the brokers that may receive.
        is_target: (B,) the same as a mask.
        room: (B,) the most that each may receive.
    """

    staying: IntArray
    needed: _Ints
    rack: IntArray
    loads: _Ints
    targets: _Ints
    is_target: BoolArray
    room: _Ints


@dataclass(frozen=True, eq=False)
class RackChoice:
    """The best rack choices of G groups of alike partitions over K racks.

    Attributes:
        group: (n,) the group of each partition.
        size: (G,) partitions of each group.
        base: (G, K) newcomers that each rack takes in every best choice.
        extra: (G,) further newcomers.
        open_racks: (G, K) bool, racks that may take one of them.
    """

    group: _Ints
    size: _Ints
    base: IntArray
    extra: _Ints
    open_racks: BoolArray


def situations(task: Task) -> tuple[npt.NDArray[np.int64], _Ints]:
    """Distinct (racks of the staying replicas, whether each is a target, needed), and each partition's."""
    codes = np.append(2 * task.rack + ~task.is_target, NONE).astype(np.int64)[task.staying]
    table = np.column_stack([np.sort(codes, axis=1), task.needed])
    base = int(table.max(initial=0)) + 2
    if float(base) ** table.shape[1] < 2.0**62:
        key = np.zeros(len(table), np.int64)
        for column in table.T:
            key = key * base + (column + 1)
        _, first, group = np.unique(key, return_index=True, return_inverse=True)
    else:
        _, first, group = np.unique(table, axis=0, return_index=True, return_inverse=True)
    return table[first], group.ravel()


def rack_choice(task: Task, kinds: npt.NDArray[np.int64], group: _Ints, racks: int) -> RackChoice:
    """The best choices of each group.

    Args:
        task: what is to be placed.
        kinds: (G, S + 1) and
        group: (n,) as ``situations`` gives them.
        racks: K, the number of racks.
    """
    groups = len(kinds)
    held = np.zeros((groups, racks), np.int32)
    closed = np.zeros((groups, racks), np.int32)
    who, slot = np.nonzero(kinds[:, :-1] != NONE)
    code = kinds[who, slot]
    np.add.at(held, (who, code >> 1), 1)
    np.add.at(closed, (who, code >> 1), (code & 1) == 0)
    open_ = np.bincount(task.rack[task.targets], minlength=racks)[None, :] - closed
    needed = kinds[:, -1]
    # Fill every rack up to a level, the highest that does not take more than is needed.
    level = np.zeros(groups, np.int64)
    base = np.zeros((groups, racks), np.int32)
    for step in range(1, int(held.max(initial=0) + needed.max(initial=0)) + 1):
        taken = np.clip(step - held, 0, open_)
        fits = taken.sum(axis=1) <= needed
        if not fits.any():
            break
        base[fits] = taken[fits]
        level[fits] = step
    extra = needed - base.sum(axis=1)
    open_racks = (held <= level[:, None]) & (level[:, None] - held < open_) & (extra > 0)[:, None]
    return RackChoice(group, np.bincount(group, minlength=groups), base, extra, open_racks)


def rack_of_each(choice: RackChoice, sent: _Ints) -> tuple[_Ints, _Ints]:
    """Deal the racks that groups enter out to their partitions: (row, rack) of each newcomer.

    Each partition of a group takes ``extra`` different racks. A rack is entered at most once a partition, so its
    share of the slots is a run no longer than the group; dealing slots to partitions in turn never gives one twice.
    """
    nothing = np.empty(0, np.int64)
    rows, pools = [nothing], [nothing]
    if choice.base.any():
        base = choice.base[choice.group]
        row, pool = np.nonzero(base)
        times = base[row, pool]
        rows.append(np.repeat(row, times))
        pools.append(np.repeat(pool, times))
    group, pool = np.nonzero(sent)
    count = sent[group, pool]
    if group.size:
        slot_group, slot_pool = np.repeat(group, count), np.repeat(pool, count)
        turn = np.arange(slot_group.size) - np.repeat(np.cumsum(count) - count, count)
        turn[choice.extra[slot_group] > 1] = 0
        order = np.lexsort((slot_pool, turn, slot_group))
        slot_group, slot_pool = slot_group[order], slot_pool[order]
        members = np.argsort(choice.group, kind="stable")
        first = np.cumsum(choice.size) - choice.size
        slots = np.bincount(slot_group, minlength=choice.size.size)
        nth = np.arange(slot_group.size) - np.repeat(np.cumsum(slots) - slots, slots)
        rows.append(members[first[slot_group] + nth % choice.size[slot_group]])
        pools.append(slot_pool)
    return np.concatenate(rows).astype(np.int64), np.concatenate(pools).astype(np.int64)
