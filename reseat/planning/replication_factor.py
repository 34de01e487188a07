"""Change the replication factor of topics: the fewest copies, then racks, then an even load.

Promises, in this order:
    1. Every partition of the topics has exactly so many replicas. Partitions that lack some keep all that they have,
       so that no plan copies fewer; partitions that have too many copy nothing.
    2. Least sum, over changed partitions and racks, of the square of the partition's replicas in that rack. Before
       that, brokers that are fenced or shutting down take only what fits nowhere else (``last_resort``).
    3. Then the least sum of squares of replica counts over the brokers not known to be dead, fenced or shutting down.
    Lists keep their order: newcomers are appended, lowest broker first, so that the first replica (the preferred
    leader) stays first; where replicas are dropped it stays first unless it is dropped itself.

    Never dropped: the leader (where none is told, or there is none, the first replica), and the last in-sync copy: at
    least one in-sync copy stays, and where the plan without that rule would keep none, the first one does.
    Among equally good racks, replicas on brokers known to be dead, fenced or shutting down go before others, ahead of
    an even load: keeping them would look more even, and be less safe.

Needs: what ``preconditions`` lists, for these topics, and enough live brokers.

How: upwards, newcomers are placed by ``placing``. Downwards, the replicas that stay are chosen by a convex flow: within
a partition the i-th replica that stays in a rack where c must stay is at level c + i, and the lowest levels are the
best; only where the last level leaves a choice does the load decide. Partitions with the same choice are one node.
Where partitions of both kinds meet, loads depend on both: the flow then holds both, if it is small enough; else one is
planned after the other, and the checker says whether that was the best. Beyond
40,000 different choices the flow holds only those partitions that ``pricing`` finds worth it.

Example: tp_re_02, {0: [0], 1: [0], 2: [1]}, brokers 0 and 1, from 1 to 2: {0: [0, 1], 1: [0, 1], 2: [1, 0]}.

Complexity: a flow of O(groups R) arcs for partitions that shrink; see ``placing`` for those that grow.

Source: as ``transport`` and ``placing``.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from reseat.balance.racks import rack_groups
from reseat.errors import WishRefused
from reseat.model import NONE, BoolArray, ClusterLayout, Finding, IntArray, Options, Plan, Severity, Wish
from reseat.model.wording import minimal
from reseat.planning.cautions import with_cautions
from reseat.planning.checker import check_replication_factor
from reseat.planning.finishing import Claim, certified, cost_of_cap
from reseat.planning.last_resort import Part, lacking, placed_in_parts
from reseat.planning.placing import Placing, place
from reseat.planning.preconditions import (
    pinned,
    plural,
    require_complete,
    require_no_duplicates,
    require_order,
    resorts,
    settled,
    usable,
)
from reseat.planning.pricing import Loads, Swaps, worth_freeing
from reseat.planning.proposal import propose
from reseat.planning.rack_choice import NoRoom, effective_racks
from reseat.planning.receivers import with_doubtful_receivers
from reseat.planning.seating import Ties
from reseat.planning.transport import Terminals, Ways, evenest_flow
from reseat.planning.verdict import Verdict, last_resort_sentences

__all__ = ["change_replication_factor"]

Whole = npt.NDArray[np.int64]

_DEFAULTS = Options()
#: Different choices up to which one flow holds them all; beyond, flows over few partitions at a time are quicker.
_GROUPS = 40_000
#: Partitions added to such a flow in a round, and the most rounds.
_ADDED, _ROUNDS = 20_000, 24
#: Partitions that pick together, where picks need only be good.
_TOGETHER = 2_048
#: Candidates in all up to which partitions that grow and partitions that shrink are planned in one flow.
_JOINT_CANDIDATES = 300_000
#: Largest table (topics x brokers) for spreading topics, in entries.
_TOPIC_TABLE = 20_000_000


@dataclass(frozen=True, eq=False)
class _Change:
    """The wish in columns, over the n rows of the topics whose replication factor differs.

    Attributes:
        layout: the layout planned on.
        factor: the replication factor wished for.
        rows: (n,) rows, ascending.
        lists: (n, R) their replicas.
        live: (B,) bool, brokers that receive and count.
        resorts: (B,) bool, brokers that receive what fits nowhere else.
        rack: (B,) rack of each broker; all 0 where no broker has one.
    """

    layout: ClusterLayout
    factor: int
    rows: Whole
    lists: IntArray
    live: BoolArray
    resorts: BoolArray
    rack: IntArray

    @property
    def held(self) -> Whole:
        """(n,) replicas that each row has."""
        count: Whole = (self.lists != NONE).sum(axis=1).astype(np.int64)
        return count

    @property
    def grows(self) -> BoolArray:
        """(n,) bool: rows that lack replicas; the others have too many."""
        return self.held < self.factor


def change_replication_factor(
    layout: ClusterLayout, topics: Iterable[str], factor: int, *, options: Options = _DEFAULTS
) -> Plan:
    """The plan after which every partition of these topics has ``factor`` replicas.

    Args:
        layout: the layout; brokers in it that hold nothing are targets too.
        topics: names of topics.
        factor: replicas that each of their partitions shall have.
        options: ``receive_cap`` applies; replicas are counted, not weighed.

    Returns:
        The plan with its certificate. Moves are the copies that are made; what is dropped moves no data. Where every
        partition has so many replicas already it is empty, and says so.

    Raises:
        WishRefused: a topic is not known or none is given; the factor is below 1 or above what brokers allow; the
            replicas that must not be dropped are more than the factor; or as ``preconditions`` says.
    """
    names = tuple(sorted(set(topics)))
    wish = Wish(replication_factor=factor, topics=names, options=options)
    _require_sensible(layout, names, factor)
    require_complete(layout)
    start = settled(layout)
    current = start.layout
    require_no_duplicates(current)
    unmovable = pinned(layout, options)
    change = _change(current, names, factor, unmovable)
    require_order(current.select(change.rows))
    _require_brokers(change)
    protected = _protected(change)
    _require_droppable(change, protected)

    lists = _replanned(change, protected, options)
    unsafe = _without_in_sync(change, lists)
    if unsafe.size:
        protected = _with_first_in_sync(change, protected, unsafe)
        _require_droppable(change, protected)
        lists = _replanned(change, protected, options)
    proposed = propose(current, change.rows, lists)
    # A replica that is kept instead of another is not received: with such rows the proof leaves the cap aside.
    cap = options.receive_cap if change.grows.all() else None
    verdict = check_replication_factor(current, proposed, names, factor, receive_cap=cap, pinned=unmovable)
    claim = Claim(
        moves=int(np.maximum(factor - change.held, 0).sum()),
        leaders=bool(change.grows.all()),
    )
    sentences = _sentences(change, verdict)
    if options.receive_cap is not None and change.grows.any() and verdict.valid:
        free = propose(current, change.rows, _replanned(change, protected, replace(options, receive_cap=None)))
        capped, uncapped = (at.replicas_by_broker[change.live] for at in (proposed, free))
        sentences = (*sentences, cost_of_cap(options.receive_cap, capped, uncapped))
    certificate = certified(current, proposed, wish=wish, verdict=verdict, claim=claim, sentences=sentences)
    plan = Plan(
        current=current,
        proposed=proposed,
        certificate=certificate,
        findings=(*start.findings, *_findings(change, protected, unsafe, options)),
    )
    return with_cautions(with_doubtful_receivers(plan, start.under_way), layout)


# ---- preconditions -------------------------------------------------------------------------------------------


def _require_sensible(layout: ClusterLayout, names: tuple[str, ...], factor: int) -> None:
    if not names:
        raise WishRefused("No topic is given.", choices=("Name the topics whose replication factor shall change.",))
    known = frozenset(layout.topics)
    unknown = tuple(name for name in names if name not in known)
    if unknown:
        raise WishRefused(
            f"Topic {unknown[0]} is not in this layout of {plural(len(layout.topics), 'topic')}.",
            topics=unknown,
            choices=("Check the name.", "Read a layout that has it."),
        )
    if factor < 1:
        raise WishRefused(
            f"Replication factor {factor} is below 1: nothing would be left.",
            topics=names,
            choices=("Choose at least 1.",),
        )


def _change(layout: ClusterLayout, names: tuple[str, ...], factor: int, unmovable: BoolArray) -> _Change:
    among = frozenset(names)
    wished = np.array([name in among for name in layout.topics], np.bool_)
    rows = np.flatnonzero(wished[layout.topic_of] & (layout.replication_factor != factor) & ~unmovable)
    groups = rack_groups(layout)
    return _Change(
        layout=layout,
        factor=factor,
        rows=rows,
        lists=layout.replicas[rows],
        live=usable(layout),
        resorts=resorts(layout),
        rack=np.zeros(len(layout.brokers), np.int32) if groups is None else groups,
    )


def _require_brokers(change: _Change) -> None:
    """Every row that grows finds enough live brokers that do not hold it."""
    can_hold = change.live | change.resorts
    live = int(can_hold.sum())
    open_ = live - np.append(can_hold, False)[change.lists].sum(axis=1)
    short = np.flatnonzero(change.factor - change.held > open_)
    if not short.size:
        return
    layout = change.layout
    topics = tuple(layout.topics[i] for i in np.unique(layout.topic_of[change.rows[short]]))
    can = "broker can" if live == 1 else "brokers can"
    most = int((change.held[short] + open_[short]).min())
    raise WishRefused(
        f"Replication factor {change.factor} needs as many brokers; {live} {can} hold replicas "
        f"({plural(short.size, 'partition')} concerned, the first is {layout.name_of(int(change.rows[short[0]]))}).",
        topics=topics,
        choices=(
            f"Choose at most {most}." if most >= 1 else "Bring brokers back first.",
            "Add brokers first.",
            "Leave these topics out.",
        ),
    )


def _protected(change: _Change) -> BoolArray:
    """(n, R) replicas that must not be dropped: the leader or the first, and the only in-sync copy."""
    layout, rows, lists = change.layout, change.rows, change.lists
    fixed: BoolArray = (lists == layout.leader[rows, None]) & (lists != NONE)
    if lists.shape[1]:
        fixed[~fixed.any(axis=1), 0] = True
    fixed &= lists != NONE
    synced = _synced(change)
    fixed |= synced & (synced.sum(axis=1) == 1)[:, None]
    return fixed


def _synced(change: _Change) -> BoolArray:
    """(n, R) replicas that are told to be in sync."""
    layout, rows = change.layout, change.rows
    if layout.in_sync is None:
        return np.zeros(change.lists.shape, np.bool_)
    synced: BoolArray = layout.in_sync[rows] & layout.in_sync_known[rows, None] & (change.lists != NONE)
    return synced


def _without_in_sync(change: _Change, lists: IntArray) -> Whole:
    """Rows of the change that have in-sync replicas, and would keep none of them with these lists."""
    synced = _synced(change)
    kept = (change.lists[:, :, None] == lists[:, None, :]).any(axis=2)
    return np.flatnonzero(synced.any(axis=1) & ~(synced & kept).any(axis=1))


def _with_first_in_sync(change: _Change, protected: BoolArray, rows: Whole) -> BoolArray:
    """``protected`` and, in these rows, the in-sync replica that an election would choose: the first, a live one."""
    synced = _synced(change)[rows]
    alive = synced & np.append(change.live, False)[change.lists[rows]]
    best = np.where(alive.any(axis=1)[:, None], alive, synced)
    more = protected.copy()
    more[rows, best.argmax(axis=1)] = True
    return more


def _require_droppable(change: _Change, protected: BoolArray) -> None:
    most = protected.sum(axis=1)
    wrong = np.flatnonzero(~change.grows & (most > change.factor))
    if not wrong.size:
        return
    layout, first = change.layout, int(wrong[0])
    row = int(change.rows[first])
    brokers = layout.broker_ids[change.lists[first][protected[first]]].tolist()
    topics = tuple(layout.topics[i] for i in np.unique(layout.topic_of[change.rows[wrong]]))
    raise WishRefused(
        f"Partition {layout.name_of(row)} cannot go down to {plural(change.factor, 'replica')}: its first replica or "
        f"leader and its last in-sync copy are on brokers {', '.join(map(str, brokers))} "
        f"({plural(wrong.size, 'partition')} concerned).",
        topics=topics,
        brokers=tuple(int(i) for i in brokers),
        choices=(
            f"Choose at least {int(most[wrong].max())}.",
            "Wait until the first replicas are in sync, and read the layout anew.",
            "Leave these topics out.",
        ),
    )


# ---- planning --------------------------------------------------------------------------------------------------


def _replanned(change: _Change, protected: BoolArray, options: Options) -> IntArray:
    """(n, W) the new lists."""
    grows = change.grows
    loads = change.layout.replicas_by_broker
    kept = change.lists != NONE
    if not grows.any():
        kept = _thinned(change, protected, loads)
        return _packed(np.where(kept, change.lists, NONE), change.factor)
    joint = None if options.receive_cap is not None or grows.all() else _joint(change, protected, loads)
    if joint is not None:
        kept, newcomers = joint
    else:
        if not grows.all():
            kept = _thinned(change, protected, loads)
        dropped = change.lists[(change.lists != NONE) & ~kept]
        left = loads - np.bincount(dropped, minlength=len(loads))
        newcomers = _placed(change, left, options)
    return _packed(np.concatenate([np.where(kept, change.lists, NONE), newcomers], axis=1), change.factor)


def _packed(lists: IntArray, width: int) -> IntArray:
    """Lists without their gaps, in their order."""
    order = np.argsort(lists == NONE, axis=1, kind="stable")[:, :width]
    return np.take_along_axis(lists, order, axis=1).astype(np.int32)


def _placed(change: _Change, loads: Whole, options: Options) -> IntArray:
    """(n, D) newcomers of the rows that grow, ascending, -1 padded."""
    at = np.flatnonzero(change.grows)
    racks, _ = effective_racks(change.layout)
    needed = change.factor - change.held[at]
    ties = _ties(change, change.rows[at])

    def place_part(part: Part) -> Placing:
        forced = np.bincount(part.forced_on, minlength=len(loads))
        return place(
            part.staying,
            part.needed,
            racks,
            part.targets,
            loads=loads + forced,
            room=part.room,
            ties=ties.of(part.rows),
        )

    try:
        placing = placed_in_parts(
            place_part, change.lists[at], needed, change.live, change.resorts, cap=options.receive_cap
        )
    except NoRoom:
        topics = tuple(change.layout.topics[i] for i in np.unique(change.layout.topic_of[change.rows[at]]))
        raise WishRefused(
            f"With at most {plural(options.receive_cap or 0, 'replica')} a broker, the "
            f"{plural(int(needed.sum()), 'copy', 'copies')} cannot all be received on the racks where they belong.",
            topics=topics,
            choices=("Allow more replicas a broker.", "Plan without a cap."),
        ) from None
    newcomers = np.full((len(change.rows), placing.newcomers.shape[1]), NONE, np.int32)
    newcomers[at] = placing.newcomers
    return newcomers


def _ties(change: _Change, rows: Whole) -> Ties:
    """Hosts, and how many replicas of each topic concerned each broker has."""
    layout, brokers = change.layout, len(change.layout.brokers)
    numbers: dict[str, int] = {}
    host = np.array(
        [NONE if b.host is None else numbers.setdefault(b.host, len(numbers)) for b in layout.brokers], np.int32
    )
    concerned, topic = np.unique(layout.topic_of[rows], return_inverse=True)
    if concerned.size * brokers > _TOPIC_TABLE:
        return Ties(host)
    among = np.flatnonzero(np.isin(layout.topic_of, concerned))
    lists = layout.replicas[among]
    key = np.searchsorted(concerned, layout.topic_of[among])[:, None] * np.int64(brokers + 1) + lists + 1
    counts = np.bincount(key.ravel(), minlength=concerned.size * (brokers + 1)).reshape(-1, brokers + 1)
    return Ties(host, topic.ravel().astype(np.int64), counts[:, 1:].astype(np.int32))


@dataclass(frozen=True, eq=False)
class _Pick:
    """Rows that must pick some of their candidates.

    Attributes:
        candidates: (n, C) broker positions, -1 padded anywhere.
        fixed: (n, F) broker positions that the row has in any case, -1 padded anywhere.
        amount: (n,) how many to pick.
    """

    candidates: IntArray
    fixed: IntArray
    amount: Whole

    def rows(self, which: npt.NDArray[np.int64]) -> _Pick:
        """The pick of some rows."""
        return _Pick(self.candidates[which], self.fixed[which], self.amount[which])


def _shrinking(change: _Change, protected: BoolArray, at: Whole) -> _Pick:
    """What the rows ``at``, which have too many replicas, may keep."""
    lists, fixed = change.lists[at], protected[at]
    candidates = np.where((lists != NONE) & ~fixed, lists, NONE)
    return _Pick(candidates, np.where(fixed, lists, NONE), change.factor - fixed.sum(axis=1).astype(np.int64))


def _thinned(change: _Change, protected: BoolArray, loads: Whole) -> BoolArray:
    """(n, R) replicas that stay; all of them in rows that grow."""
    kept: BoolArray = change.lists != NONE
    at = np.flatnonzero(~change.grows)
    pick = _shrinking(change, protected, at)
    open_ = pick.candidates != NONE
    base = loads - np.bincount(change.lists[at][kept[at] & (pick.fixed == NONE)], minlength=len(loads))
    kept[at] = (pick.fixed != NONE) | (_picked(change, pick, base) & open_)
    return kept


def _joint(change: _Change, protected: BoolArray, loads: Whole) -> tuple[BoolArray, IntArray] | None:
    """Replicas that stay and newcomers, in one flow; None where that is too large."""
    up, down = np.flatnonzero(change.grows), np.flatnonzero(~change.grows)
    brokers = np.flatnonzero(change.live)
    short = lacking(change.lists[up], change.factor - change.held[up], change.live)
    if short.any() or up.size * brokers.size > _JOINT_CANDIDATES:
        return None
    width = max(brokers.size, change.lists.shape[1])
    pick = _shrinking(change, protected, down)
    candidates = np.full((len(change.rows), width), NONE, np.int32)
    candidates[down, : change.lists.shape[1]] = pick.candidates
    taken = (change.lists[up][:, :, None] == brokers).any(axis=1)
    candidates[up, : brokers.size] = np.where(taken, NONE, brokers)
    fixed = change.lists.copy()
    fixed[down] = pick.fixed
    amount = change.factor - change.held
    amount[down] = pick.amount
    loose = change.lists[down][(change.lists[down] != NONE) & (pick.fixed == NONE)]
    base = loads - np.bincount(loose, minlength=len(loads))
    picked = _picked(change, _Pick(candidates, fixed, amount), base)
    kept = fixed != NONE
    kept[down] |= picked[down][:, : change.lists.shape[1]]
    newcomers = np.where(picked, candidates, NONE)
    newcomers[down] = NONE
    newcomers = np.sort(np.where(newcomers == NONE, np.iinfo(np.int32).max, newcomers), axis=1)
    newcomers[newcomers == np.iinfo(np.int32).max] = NONE
    return kept, newcomers


# ---- picking from lists ----------------------------------------------------------------------------------------


def _picked(change: _Change, pick: _Pick, base: Whole) -> BoolArray:
    """(n, C) what each row picks: lowest rack levels first, then the least sum of squares of loads.

    Args:
        change: the change.
        pick: n rows and their candidates.
        base: (B,) replicas of each broker without any pick.
    """
    ordered = np.argsort(np.where(pick.candidates == NONE, np.iinfo(np.int32).max, pick.candidates), axis=1)
    lists = np.take_along_axis(pick.candidates, ordered, axis=1)
    racks = np.append(change.rack, np.int32(NONE))
    fixed_racks = np.sort(racks[pick.fixed], axis=1)
    key = _key(np.column_stack([lists, fixed_racks, pick.amount]))
    back: BoolArray = np.zeros(lists.shape, np.bool_)
    if len(key) > _GROUPS and len(np.unique(key, axis=0)) > _GROUPS:
        each = _Pick(lists, pick.fixed, pick.amount)
        np.put_along_axis(back, ordered, _picked_by_few(change, each, base), axis=1)
        return back
    _, first, group, size = np.unique(key, axis=0, return_index=True, return_inverse=True, return_counts=True)
    group = group.ravel()
    groups = _Pick(lists[first], pick.fixed[first], pick.amount[first])
    sent = _flowed(change, groups, size, base)
    chosen = np.zeros(lists.shape, np.bool_)
    row, column = _dealt(change, groups, group, size, sent)
    chosen[row, column] = True
    np.put_along_axis(back, ordered, chosen, axis=1)
    return back


def _key(table: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Rows that are equal where those of the table are: one number each, where that is enough."""
    top = int(table.max(initial=0)) + 2
    if float(top) ** table.shape[1] >= 2.0**62:
        return table
    key = np.zeros(len(table), np.int64)
    for column in table.T:
        key = key * top + column + 1
    return key


def _picked_by_few(change: _Change, pick: _Pick, base: Whole) -> BoolArray:
    """The same picks by flows over few rows at a time: the best over all rows where rounds suffice, else close to it.

    Whether it is the best is the checker's to say.
    """
    chosen = _first_picks(change, pick, base)
    held = np.zeros(len(chosen), np.bool_)
    brokers = len(base)
    weight = change.live.astype(np.int64)
    for _ in range(_ROUNDS):
        load = base + np.bincount(pick.candidates[chosen], minlength=brokers)
        more = worth_freeing(_swaps(change, pick, chosen), held, Loads(load, weight), _ADDED)
        if more is None or not more.size:
            break
        held[more] = True
        rest = base + np.bincount(pick.candidates[chosen & ~held[:, None]], minlength=brokers)
        few = np.flatnonzero(held)
        chosen[few] = _flowed(change, pick.rows(few), np.ones(few.size, np.int64), rest) > 0
    return chosen


def _first_picks(change: _Change, pick: _Pick, base: Whole) -> BoolArray:
    """(n, C) picks with the best racks, each the least loaded broker so far: what the flow starts from."""
    chosen = np.zeros(pick.candidates.shape, np.bool_)
    racks = np.append(change.rack, np.int32(NONE))
    dead = np.append(~change.live, False)
    load = np.append(base, 0).astype(np.float64)
    most = int(pick.amount.max(initial=0))
    heaviest = 4.0 * (float(load.max()) + len(chosen) + 1)  # above any load; twice that parts one rack level from two
    rows = np.random.default_rng(0).permutation(len(chosen))
    for start in range(0, rows.size, _TOGETHER):
        at = rows[start : start + _TOGETHER]
        candidates, here = pick.candidates[at], racks[pick.candidates[at]]
        inside = (racks[pick.fixed[at]][:, :, None] == here[:, None, :]).sum(axis=1)
        taken = candidates == NONE
        for turn in range(most):
            price = load[candidates] + heaviest * (dead[candidates] + 2.0 * inside)
            price[taken] = np.inf
            some = np.flatnonzero(pick.amount[at] > turn)
            best = price[some].argmin(axis=1)
            taken[some, best] = chosen[at[some], best] = True
            inside[some] += here[some] == here[some, best][:, None]
            np.add.at(load, candidates[some, best], 1.0)
    return chosen


def _swaps(change: _Change, pick: _Pick, chosen: BoolArray) -> Swaps:
    """Every pick that could be another one at equal racks; all dead brokers are one."""
    racks = np.append(change.rack, np.int32(NONE))
    here, fixed = racks[pick.candidates], racks[pick.fixed]
    width = here.shape[1]
    inside = np.stack(
        [(fixed == here[:, [j]]).sum(axis=1) + ((here == here[:, [j]]) & chosen).sum(axis=1) for j in range(width)],
        axis=1,
    )
    grave = int(change.live.argmin())
    broker = np.where(np.append(change.live, True)[pick.candidates], pick.candidates, grave)
    broken = ~np.append(change.live, True)[pick.candidates]
    price = 4 * (int(change.layout.replicas_by_broker.max(initial=0)) + int(pick.amount.sum()) + 1)
    parts: list[tuple[Whole, IntArray, IntArray, Whole]] = []
    for i, j in itertools.permutations(range(width), 2):
        equal = (here[:, i] == here[:, j]) | (inside[:, i] == inside[:, j] + 1)
        rows = np.flatnonzero(equal & chosen[:, i] & ~chosen[:, j] & (pick.candidates[:, j] != NONE))
        cost = price * (broken[rows, j].astype(np.int64) - broken[rows, i])
        parts.append((rows.astype(np.int32), broker[rows, i], broker[rows, j], cost))
    if not parts:
        nothing = np.empty(0, np.int64)
        return Swaps(nothing, nothing, nothing, nothing)
    return Swaps(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def _levels(change: _Change, pick: _Pick) -> tuple[Whole, Whole]:
    """(n, C) number of each candidate's rack within its row (the column where it occurs first), and rack level.

    The candidate that is i-th of its rack (from 0) stands for a pick at level c + i, where c replicas are fixed there.
    """
    racks = np.append(change.rack, np.int32(NONE))
    here, fixed = racks[pick.candidates], racks[pick.fixed]
    leader = np.zeros(here.shape, np.int64)
    level = np.zeros(here.shape, np.int64)
    for column in range(here.shape[1]):
        same = here[:, : column + 1] == here[:, column : column + 1]
        leader[:, column] = same.argmax(axis=1)
        level[:, column] = same.sum(axis=1) - 1 + (fixed == here[:, column : column + 1]).sum(axis=1)
    level[pick.candidates == NONE] = np.iinfo(np.int32).max
    return leader, level


def _flowed(change: _Change, pick: _Pick, size: Whole, load: Whole) -> Whole:
    """(g, C) how many of the ``size`` (g,) rows of each group pick each candidate."""
    groups, width = pick.candidates.shape
    leader, level = _levels(change, pick)
    reach = np.sort(level, axis=1)
    at = np.arange(groups)
    last = np.where(pick.amount > 0, reach[at, np.maximum(pick.amount - 1, 0)], -1)
    held = pick.candidates != NONE
    forced, optional = held & (level < last[:, None]), held & (level == last[:, None])

    # All dead brokers are one: their loads do not count, and a replica there costs more than any chain of exchanges of
    # live ones can gain.
    total = int((pick.amount * size).sum())
    price = 4 * (int(load.max(initial=0)) + total + 1)
    dead = held & ~np.append(change.live, False)[pick.candidates]
    grave = int(np.flatnonzero(~change.live)[0]) if dead.any() else 0
    broker = np.where(dead, grave, pick.candidates)

    # Nodes: the brokers, a hub for each group that has a choice of racks, and a rack of a group. A rack with one
    # candidate is that broker itself. Candidates of a rack from which nothing is picked need no arc.
    brokers = len(load)
    alone = held & (np.stack([(leader == column).sum(axis=1) for column in range(width)], axis=1) == 1)
    alone = np.take_along_axis(alone, leader, axis=1) & held
    rack = at[:, None] * width + leader
    used = np.zeros(groups * width, np.bool_)
    used[rack[(forced | optional) & ~alone]] = True
    node = np.where(alone, broker, (brokers + groups + np.cumsum(used) - 1)[rack])
    supply = np.zeros(brokers + groups + int(used.sum()), np.int64)
    row, column = np.nonzero(forced)
    np.add.at(supply, node[row, column], size[row])
    supply[brokers : brokers + groups] = (pick.amount - forced.sum(axis=1)) * size
    out = np.nonzero(held & ~alone & used[rack])
    choose = np.nonzero(optional)
    ways = Ways(
        nodes=len(supply),
        tail=np.concatenate([node[out], brokers + choose[0]]),
        head=np.concatenate([broker[out], node[choose]]),
        capacity=size[np.concatenate([out[0], choose[0]])],
        supply=supply,
        cost=price * np.concatenate([dead[out], (dead & alone)[choose]]),
    )
    reached = np.unique(np.concatenate([broker[out], broker[alone & (forced | optional)]]))
    flow = evenest_flow(
        ways,
        Terminals(
            node=reached.astype(np.int64),
            gives=np.zeros(len(reached), np.bool_),
            load=np.where(change.live[reached], load[reached], 0),
            step=np.ones(len(reached), np.int64),
            low=np.zeros(len(reached), np.int64),
            high=np.full(len(reached), total),
        ),
    )
    if flow is None:
        raise AssertionError("Every row has as many candidates as it picks, so that a flow exists.")
    sent: Whole = (forced & alone) * size[:, None]
    sent[out] = flow.on_arc[: len(out[0])]
    single = alone[choose]
    sent[choose[0][single], choose[1][single]] = flow.on_arc[len(out[0]) :][single]
    return sent


def _dealt(change: _Change, groups: _Pick, group: Whole, size: Whole, sent: Whole) -> tuple[Whole, Whole]:
    """(row, column) of each pick: what a group sends is dealt to its rows in turn.

    Candidates of a rack stand together, and nobody is picked more often than there are rows: dealing in turn gives no
    row a candidate twice, and each row as many of a rack as any other, or one more.
    """
    leader, _ = _levels(change, groups)
    number, column = np.nonzero(sent)
    order = np.lexsort((column, leader[number, column], number))
    number, column = number[order], column[order]
    count = sent[number, column]
    owner, slot = np.repeat(number, count), np.repeat(column, count)
    total = np.bincount(owner, minlength=len(size))
    nth = np.arange(owner.size) - np.repeat(np.cumsum(total) - total, total)
    members, start = np.argsort(group, kind="stable"), np.cumsum(size) - size
    return members[start[owner] + nth % size[owner]], slot


# ---- words -----------------------------------------------------------------------------------------------------


def _sentences(change: _Change, verdict: Verdict) -> tuple[str, ...]:
    if verdict.faults:
        return (f"The plan must not be executed: it has {plural(len(verdict.faults), 'fault')}.",)
    if not len(change.rows):
        return (f"Every partition of these topics has {plural(change.factor, 'replica')} already: nothing to do.",)
    out = [*last_resort_sentences(verdict)]
    unknown = verdict.racks_unknown
    dropped = int(np.maximum(change.held - change.factor, 0).sum())
    if verdict.moves:
        copies = plural(verdict.moves, "copy is made", "copies are made")
        out.append(
            minimal(f"{copies}, the proven minimum", racks_unknown=unknown) if verdict.moves_proven else f"{copies}."
        )
    if dropped:
        out.append(f"{plural(dropped, 'replica is', 'replicas are')} dropped; no data moves for that.")
    if verdict.rack_sum_of_squares is not None:
        out.append(
            "Rack diversity is the best possible for every changed partition (proven)."
            if verdict.rack_proven
            else "Rack diversity of the changed partitions: not proven the best possible."
        )
    spread = f"Max–min replica count per broker: {verdict.replica_spread:,}"
    out.append(
        minimal(f"{spread}. Proven minimal for this rack placement", racks_unknown=unknown)
        if verdict.replicas_proven
        else f"{spread}. Not proven minimal."
    )
    changed = verdict.changed_preferred_leaders
    out.append(
        "No preferred leader changes."
        if not changed
        else f"{plural(changed, 'partition gets', 'partitions get')} a new preferred leader: the first replica is "
        "dropped."
    )
    return tuple(out)


def _findings(change: _Change, protected: BoolArray, unsafe: Whole, options: Options) -> tuple[Finding, ...]:
    found = []
    if unsafe.size:
        sentence = (
            f"{plural(unsafe.size, 'partition keeps its', 'partitions keep their')} first in-sync replica "
            "regardless of racks and load: without it no in-sync copy would be left."
        )
        found.append(Finding("kept_in_sync", Severity.NOTE, sentence, rows=change.rows[unsafe]))
    on_dead = (change.lists != NONE) & ~np.append(change.live, False)[change.lists] & ~protected
    dead = int((on_dead.any(axis=1) & ~change.grows).sum())
    if dead:
        sentence = (
            f"{plural(dead, 'partition has', 'partitions have')} replicas on brokers that are dead, fenced or shutting "
            "down; these are dropped first where that does not worsen rack diversity."
        )
        found.append(Finding("dead_first", Severity.NOTE, sentence))
    if options.by_bytes:
        sentence = "Replicas are counted; their bytes are not weighed."
        found.append(Finding("bytes_not_weighed", Severity.NOTE, sentence))
    return tuple(found)
