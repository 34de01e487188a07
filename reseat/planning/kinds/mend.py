"""Mend partitions: each names a broker once, has its topic's replication factor, lives on live brokers, and on racks.

Promises, in this order:
    0. Partitions that cannot move, and replicas on brokers that are fenced, shutting down or to receive nothing, stay
       as they are; only a broker that is named twice is named once. What stays on fenced ones is said.
    1. No partition names a broker twice, none has a replica on a broker known to be dead, and each has as many replicas
       as most partitions of its topic (of two numbers that are as frequent, the greater one). Who lacks some keeps all
       that are alive; who has too many drops those on dead brokers first, then as ``dropping`` chooses.
    2. Least sum, over partitions and racks, of the square of the partition's replicas in that rack.
    3. Then the fewest moves, the least sum of squares of replica counts, and leaders over lists whose members change.

Needs: what ``preconditions`` lists, but for duplicates, and live brokers enough for each partition.

How: what has too many drops first, the rest is one problem. Where partitions drop live replicas, that choice does not
know where others will go; ``proof.checker``, which shares no code, says whether all is the best even so.

Example: brokers 1 to 4, of which 4 is dead; {0: [1, 2], 1: [2, 2], 2: [3, 4], 3: [3, 1, 2]} becomes {0: [1, 2],
1: [2, 3], 2: [3, 1], 3: [3, 1]} or as good.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from reseat.model import NONE, BoolArray, ClusterLayout, Finding, IntArray, Longs, Options, Plan, Severity, Wish
from reseat.model.arrays import counts_on, on_brokers, packed, row_any, row_counts, widened
from reseat.model.wording import counted, named
from reseat.planning.finishing import concluded, with_leaders_evened
from reseat.planning.kinds.dropping import Change, kept_in_sync, protected_replicas, thinned
from reseat.planning.preconditions import Settled, begun, closed_to, require_room, require_targets, resorts
from reseat.planning.proof.verdict import Verdict, rack_sentences, sentences_of
from reseat.planning.proposal import propose
from reseat.planning.receivers import left_on_unavailable
from reseat.planning.rules import fitted, no_room, not_found, ruled
from reseat.planning.solve.problem import Found, NoRoom, Problem
from reseat.planning.solve.rack_choice import racks_of
from reseat.planning.solve.solver import Solver

__all__ = ["mend", "mended_sets", "stated"]

_DEFAULTS = Options()


@dataclass(frozen=True, eq=False)
class _Faults:
    """What is wrong, before anything is planned.

    Attributes:
        lists: (P, R) broker positions where each broker stands once, -1 anywhere.
        factor: (P,) replicas that each partition shall have.
        dead: (P, R) replicas of ``lists`` on dead brokers, which shall go.
        twice: (P,) whether a broker stands twice.
    """

    lists: IntArray
    factor: Longs
    dead: BoolArray
    twice: BoolArray

    @property
    def kept(self) -> IntArray:
        """(P, R) lists without replicas on dead brokers that nothing takes the place of, from the right."""
        spare = (row_counts(self.lists != NONE) - self.factor).clip(min=0)
        nth = np.cumsum(self.dead[:, ::-1], axis=1)[:, ::-1]
        return np.where(self.dead & (nth <= spare[:, None]), np.int32(NONE), self.lists)


def mend(layout: ClusterLayout, *, options: Options = _DEFAULTS) -> Plan:
    """The plan after which nothing of the above is wrong with a partition that can move; empty brokers receive too.

    Returns:
        The plan with its certificate. Where nothing is wrong it is empty, and says so.

    Raises:
        WishRefused: the wish cannot be (see ``preconditions``), or partitions find too few live brokers.
    """
    start, faults, problem = stated(layout, options)
    current, unmovable, lists = start.layout, start.pinned, problem.lists
    found = mended_sets(problem, current, options)
    after = widened(lists, max(lists.shape[1], found.lists.shape[1])).copy()
    after[found.rows] = widened(found.lists, after.shape[1])
    every = after[:, : current.replicas.shape[1]]
    once = packed(faults.lists, every.shape[1])
    members = row_any(np.sort(every, axis=1) != np.sort(once, axis=1))
    # Who only named a broker twice keeps its order, the others lead evenly.
    alike, rows = np.flatnonzero(faults.twice & ~members), np.flatnonzero(members)
    named_once = propose(current, alike, once[alike])
    proposed = with_leaders_evened(named_once, rows, every[rows], free=rows, options=options)
    left = left_on_unavailable(proposed, problem.targets, unmovable, Severity.ATTENTION)
    say = partial(_sentences, current, faults, left)
    return concluded(start, proposed, Wish(mend=True, options=options), say, findings=left)


def stated(layout: ClusterLayout, options: Options) -> tuple[Settled, _Faults, Problem]:
    """The layout planned on, what is wrong with it, and what may be chosen once too many replicas are dropped.

    Raises:
        WishRefused: as ``mend``.
    """
    start = begun(layout, options, duplicates=True)
    current, unmovable = start.layout, start.pinned
    nobody = np.zeros(len(current.brokers), np.bool_)
    targets = require_targets(current, nobody, closed_to(current, options))
    faults = _faults(current, unmovable)
    lists, fixed = _thinned(current, faults, targets, options)
    out = faults.dead & (lists != NONE)
    order = np.argsort(lists == NONE, axis=1, kind="stable")  # without gaps, and the rest in the same places
    out, fixed = (np.take_along_axis(some, order, axis=1) for some in (out, fixed))
    lists = packed(lists, lists.shape[1])
    further = (faults.factor - row_counts(lists != NONE)).clip(min=0)
    on_target = on_brokers(lists, targets)
    needed, every = further + row_counts(out), np.arange(len(lists))
    require_room(current, every, needed, on_target & ~out, int(targets.sum()), wanted=faults.factor)
    problem = Problem(
        lists=lists,
        fixed=(lists != NONE) & ~out & (~on_target | unmovable[:, None] | fixed),
        targets=targets,
        rack=racks_of(current),
        out=out if out.any() else None,
        further=further if further.any() else None,
        size=current.copy_bytes,
    )
    return start, faults, ruled(problem, current, options, nobody, pinned=unmovable)


def mended_sets(problem: Problem, current: ClusterLayout, options: Options) -> Found:
    """The sets of a mend that is ``stated`` on this layout.

    Raises:
        WishRefused: none keep every limit.
    """
    try:
        found, *_ = fitted(problem, current, lambda one: (Solver(one).at(None), None))
    except NoRoom:
        raise no_room(current, options) from None
    if found is None:
        raise not_found()
    return found


def _faults(current: ClusterLayout, unmovable: BoolArray) -> _Faults:
    lists = current.replicas.copy()
    again = np.zeros(lists.shape, np.bool_)
    for column in range(1, lists.shape[1]):
        again[:, column] = (lists[:, :column] == lists[:, column, None]).any(axis=1) & (lists[:, column] != NONE)
    lists[again] = NONE
    named = row_counts(current.replicas != NONE).astype(np.int64)
    # How many partitions of each topic have so many replicas; of equals the greater number.
    width = int(named.max(initial=0)) + 1
    often = np.bincount(current.topic_of * width + named, minlength=len(current.topics) * width).reshape(-1, width)
    common = width - 1 - often[:, ::-1].argmax(axis=1)
    factor = np.where(unmovable, row_counts(lists != NONE), common[current.topic_of])
    dead = on_brokers(lists, current.dead) & ~unmovable[:, None]
    return _Faults(lists, factor.astype(np.int64), dead, row_any(again))


def _thinned(
    current: ClusterLayout, faults: _Faults, targets: BoolArray, options: Options
) -> tuple[IntArray, BoolArray]:
    """(P, R) lists of which none has too many replicas, and what stays where it is because others are dropped."""
    lists = faults.kept
    fixed = np.zeros(lists.shape, np.bool_)
    rows = np.flatnonzero(row_counts(lists != NONE) > faults.factor)
    if not rows.size:
        return lists, fixed
    nobody = np.zeros(len(current.brokers), np.bool_)
    late = resorts(current, nobody, closed_to(current, options))
    wanted = faults.factor[rows]
    change = Change(current, wanted, rows, lists[rows], targets, late, racks_of(current))
    protected = protected_replicas(change)
    # Who may drop nothing more keeps what it must: the factor of its topic is too small for it.
    few = protected.sum(axis=1) > wanted
    wanted[few] = protected[few].sum(axis=1)
    faults.factor[rows] = wanted
    loads = counts_on(lists, len(targets))

    def plan(protected: BoolArray) -> IntArray:
        return np.where(thinned(change, protected, loads), change.lists, np.int32(NONE))

    lists = lists.copy()
    lists[rows], protected, _ = kept_in_sync(change, protected, plan)
    fixed[rows] = protected & (lists[rows] != NONE)
    return lists, fixed


def _sentences(current: ClusterLayout, faults: _Faults, left: tuple[Finding, ...], verdict: Verdict) -> tuple[str, ...]:
    held, out = row_counts(faults.lists != NONE), []
    if faults.twice.any():
        count = int(faults.twice.sum())
        out.append(f"{counted(count, 'partition names', 'partitions name')} a broker twice, and then once.")
    if faults.dead.any():
        brokers = np.unique(current.replica_ids[faults.dead]).tolist()
        leave = counted(int(faults.dead.sum()), "replica leaves", "replicas leave")
        out.append(f"{leave} dead {named('broker', brokers)}.")
    lack, more = int((held < faults.factor).sum()), int((held > faults.factor).sum())
    if lack or more:
        said = [f"{counted(lack, 'partition gets', 'partitions get')} more replicas"] * bool(lack)
        said += [f"{counted(more, 'partition gets', 'partitions get')} fewer (no data moves for that)"] * bool(more)
        out.append(f"{' and '.join(said)}: as many as most partitions of the topic have.")
    if not (out or verdict.moves):
        stays = [f" but what is on {named('broker', finding.brokers)}" for finding in left]
        return (f"Nothing to mend{''.join(stays)}.", *rack_sentences(verdict, every=True))
    return (*out, *sentences_of(verdict, every=True))
