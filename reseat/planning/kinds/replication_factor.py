"""Change the replication factor of topics: the fewest copies, then racks, then an even load.

Promises, in this order:
    1. Every partition of the topics has exactly so many replicas. Partitions that lack some keep all that they have,
       so that no plan copies fewer; partitions that have too many copy nothing.
    2. Least sum, over changed partitions and racks, of the square of the partition's replicas in that rack. Before
       that, brokers that are fenced or shutting down take only what fits nowhere else (``placing``).
    3. Then the least sum of squares of replica counts over the brokers not known to be dead, fenced or shutting down.
    Lists keep their order: newcomers are appended, lowest broker first, so that the first replica (the preferred
    leader) stays first; where replicas are dropped it stays first unless it is dropped itself.

    What is never dropped: ``dropping``; where a plan without that rule would keep no in-sync copy, the first stays.
    Among equally good racks, replicas on brokers known to be dead, fenced or shutting down go before others, ahead of
    an even load: keeping them would look more even, and be less safe.

Needs: what ``preconditions`` lists, for these topics, and enough live brokers.

How: upwards, newcomers are placed by ``placing``. Downwards, partitions pick the replicas that stay (``picking``).
Where partitions of both kinds meet, loads depend on both: they pick together, if that is small enough; else one is
planned after the other, and the checker says whether that was the best.

Example: tp_re_02, {0: [0], 1: [0], 2: [1]}, brokers 0 and 1, from 1 to 2: {0: [0, 1], 1: [0, 1], 2: [1, 0]}.

Complexity: see ``picking`` and ``placing``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from reseat.errors import WishRefused
from reseat.model import NONE, BoolArray, ClusterLayout, Finding, IntArray, Longs, Options, Plan, Severity, Wish
from reseat.model.arrays import counts_on, newcomers, on_brokers, packed
from reseat.model.wording import counted, listed, minimal
from reseat.planning.finishing import concluded, cost_of, said_of_cap
from reseat.planning.kinds.dropping import Change, kept_in_sync, protected_replicas, thinned
from reseat.planning.preconditions import (
    Settled,
    closed_to,
    require_complete,
    require_no_duplicates,
    require_order,
    require_room,
    require_targets,
    resorts,
    settled,
    usable,
)
from reseat.planning.proof.verdict import Verdict, last_resort_sentences, rack_sentences, spread_sentence
from reseat.planning.proposal import propose
from reseat.planning.rules import fitted, no_room, ruled
from reseat.planning.solve.picking import picked
from reseat.planning.solve.placing import placed, solved_in_parts
from reseat.planning.solve.problem import Found, NoRoom, Problem
from reseat.planning.solve.rack_choice import racks_of
from reseat.planning.solve.rounding import Ties

__all__ = ["change_replication_factor", "replanned"]

_DEFAULTS = Options()
#: Candidates in all up to which partitions that grow and partitions that shrink are planned in one flow.
_JOINT_CANDIDATES = 300_000


def change_replication_factor(
    layout: ClusterLayout, topics: Iterable[str], factor: int, *, options: Options = _DEFAULTS
) -> Plan:
    """The plan after which every partition of these topics has ``factor`` replicas; replicas are counted, not weighed.

    Returns:
        The plan with its certificate. Moves are the copies that are made; what is dropped moves no data. Where every
        partition has so many replicas already it is empty, and says so.

    Raises:
        WishRefused: a topic is not known or none is given; the factor is below 1 or above what brokers allow; the
            replicas that must not be dropped are more than the factor; or as ``preconditions`` says.
    """
    wish = Wish(replication_factor=factor, topics=tuple(sorted(set(topics))), options=options)
    start, change, (lists, protected, unsafe) = replanned(layout, wish)
    current = start.layout
    proposed = propose(current, change.rows, lists)

    def say(verdict: Verdict) -> tuple[str, ...]:
        sentences = _sentences(change, verdict, factor)
        if options.receive_cap is None or not change.grows.any():
            return sentences
        free = propose(current, change.rows, _replanned(change, protected, replace(options, receive_cap=None)))
        capped, uncapped = (at.replicas_by_broker[change.live] for at in (proposed, free))
        return (*sentences, cost_of(said_of_cap(options.receive_cap), capped, uncapped))

    told = _findings(change, protected, unsafe)
    return concluded(start, proposed, wish, say, leaders=bool(change.grows.all()), findings=told)


def replanned(layout: ClusterLayout, wish: Wish) -> tuple[Settled, Change, tuple[IntArray, BoolArray, Longs]]:
    """What is planned on, the wish in columns, and (n, W) new lists, (n, R) what stays, rows where that is in sync.

    Raises:
        WishRefused: as ``change_replication_factor``.
    """
    names, factor, options = wish.topics, wish.replication_factor or 0, wish.options
    _require_sensible(layout, names, factor)
    require_complete(layout)
    start = settled(layout, options)
    current = start.layout
    require_no_duplicates(current)
    change = _change(current, names, factor, start.pinned, closed_to(current, options))
    require_order(current.select(change.rows))
    grown, can_hold = change.rows[change.grows], change.live | change.resorts
    needed = (change.wanted - change.held)[change.grows]
    taken = on_brokers(change.lists[change.grows], can_hold)
    require_room(current, grown, needed, taken, int(can_hold.sum()), wanted=change.wanted[change.grows])

    def plan(protected: BoolArray) -> IntArray:
        _require_droppable(change, protected, factor)
        return _replanned(change, protected, options)

    return start, change, kept_in_sync(change, protected_replicas(change), plan)


def _require_sensible(layout: ClusterLayout, names: tuple[str, ...], factor: int) -> None:
    if not names:
        raise WishRefused("No topic is given.", choices=("Name the topics whose replication factor should change.",))
    known = frozenset(layout.topics)
    unknown = tuple(name for name in names if name not in known)
    if unknown:
        raise WishRefused(
            f"Topic {unknown[0]} is not in this layout of {counted(len(layout.topics), 'topic')}.",
            topics=unknown,
            choices=("Check its spelling.", "Read a layout that has it."),
        )
    if factor < 1:
        raise WishRefused(
            f"Replication factor {factor} is below 1: nothing would be left.",
            topics=names,
            choices=("Choose at least 1.",),
        )


def _change(
    layout: ClusterLayout, names: tuple[str, ...], factor: int, unmovable: BoolArray, never_onto: tuple[int, ...]
) -> Change:
    rows = np.flatnonzero(layout.is_topic(names)[layout.topic_of] & (layout.replication_factor != factor) & ~unmovable)
    grows = layout.replication_factor[rows] < factor
    if never_onto and grows.any():
        require_targets(layout, np.zeros(len(layout.brokers), np.bool_), never_onto)
        if not grows.all():
            raise WishRefused(
                f"Some partitions of these topics get more replicas and some fewer, which cannot be balanced together "
                f"with brokers that receive nothing ({listed(never_onto)}).",
                topics=names,
                brokers=never_onto,
                choices=("Make two plans, one for each.", "Let these brokers receive."),
            )
    else:
        never_onto = ()
    return Change(
        layout=layout,
        wanted=np.full(len(rows), factor),
        rows=rows,
        lists=layout.replicas[rows],
        live=usable(layout, None, never_onto),
        resorts=resorts(layout, None, never_onto),
        rack=racks_of(layout),
    )


def _require_droppable(change: Change, protected: BoolArray, factor: int) -> None:
    most = protected.sum(axis=1)
    wrong = np.flatnonzero(~change.grows & (most > factor))
    if not wrong.size:
        return
    layout, first = change.layout, int(wrong[0])
    row = int(change.rows[first])
    brokers = layout.broker_ids[change.lists[first][protected[first]]].tolist()
    topics = layout.topics_at(change.rows[wrong])
    raise WishRefused(
        f"Partition {layout.name_of(row)} cannot go down to {counted(factor, 'replica')}: its first replica or "
        f"leader and its last in-sync copy are on brokers {', '.join(map(str, brokers))} "
        f"({counted(wrong.size, 'partition')} concerned).",
        topics=topics,
        brokers=tuple(int(i) for i in brokers),
        choices=(
            f"Choose at least {int(most[wrong].max())}.",
            "Wait until the first replicas are in sync, and read the layout again.",
            "Leave these topics out.",
        ),
    )


def _replanned(change: Change, protected: BoolArray, options: Options) -> IntArray:
    """(n, W) the new lists."""
    grows, loads = change.grows, change.layout.replicas_by_broker
    joint = None if options.receive_cap is not None or grows.all() or not grows.any() else _joint(change, protected)
    if joint is not None:
        kept, came = joint
    else:
        kept = change.lists != NONE if grows.all() else thinned(change, protected, loads)
        dropped = change.lists[(change.lists != NONE) & ~kept]
        left = loads - np.bincount(dropped, minlength=len(loads))
        came = _placed(change, left, options) if grows.any() else change.lists[:, :0]
    every = np.concatenate([np.where(kept, change.lists, NONE), came], axis=1)
    return packed(every, int(change.wanted.max(initial=0)))


def _placed(change: Change, loads: Longs, options: Options) -> IntArray:
    """(n, D) newcomers of the rows that grow, in their order, -1 padded anywhere."""
    at = np.flatnonzero(change.grows)
    lists, needed = change.lists[at], (change.wanted - change.held)[at]
    problem = Problem(
        lists=lists,
        fixed=lists != NONE,
        targets=change.live,
        rack=change.rack,
        further=needed,
        base=loads - counts_on(lists, len(loads)),
        room=None if options.receive_cap is None else np.full(len(loads), options.receive_cap),
        late=change.resorts[None, :],
    )
    nobody = np.zeros(len(loads), np.bool_)
    problem = ruled(problem, change.layout, options, nobody, rows=change.rows[at])
    ties = Ties.of_layout(change.layout, change.rows[at])

    def solve(part: Problem, rows: Longs, _: Longs) -> Found:
        return placed(part, ties.of(rows))

    def solved(one: Problem) -> tuple[Found, None]:
        return solved_in_parts(solve, one), None

    try:
        found, *_ = fitted(problem, change.layout, solved, rows=change.rows[at])
    except NoRoom:
        if options.receive_cap is None:
            raise no_room(change.layout, options) from None
        topics = change.layout.topics_at(change.rows[at])
        raise WishRefused(
            f"With at most {counted(options.receive_cap or 0, 'replica')} per broker, the "
            f"{counted(int(needed.sum()), 'copy', 'copies')} cannot all be received on the racks where they belong.",
            topics=topics,
            choices=("Allow more replicas per broker.", "Plan without a cap."),
        ) from None
    came = np.full((len(change.rows), found.lists.shape[1]), NONE, np.int32)
    came[at[found.rows]] = np.where(newcomers(lists[found.rows], found.lists), found.lists, NONE)
    return came


def _joint(change: Change, protected: BoolArray) -> tuple[BoolArray, IntArray] | None:
    """Replicas that stay and newcomers, picked together; None where that is too large."""
    grows, lists, loads = change.grows, change.lists, change.layout.replicas_by_broker
    brokers, up = np.flatnonzero(change.live), np.flatnonzero(grows)
    open_ = brokers.size - on_brokers(lists[up], change.live).sum(axis=1)
    if ((change.wanted - change.held)[up] > open_).any() or up.size * brokers.size > _JOINT_CANDIDATES:
        return None
    held = lists != NONE
    fixed = held & (protected | grows[:, None])
    others = np.full((len(lists), brokers.size), NONE, np.int32)
    others[up] = np.where((lists[up][:, :, None] == brokers).any(axis=1), NONE, brokers)
    candidates = np.concatenate([np.where(held & ~fixed, lists, NONE), others], axis=1).astype(np.int32)
    base = loads - np.bincount(lists[held & ~fixed], minlength=len(loads))
    stays = np.where(fixed, lists, np.int32(NONE))
    chosen = picked(change.picks(candidates, stays, change.wanted - fixed.sum(axis=1), base))
    came = np.where(chosen, candidates, NONE)[:, lists.shape[1] :]
    return fixed | chosen[:, : lists.shape[1]], came


def _sentences(change: Change, verdict: Verdict, factor: int) -> tuple[str, ...]:
    if not len(change.rows):
        return (f"Every partition of these topics has {counted(factor, 'replica')} already: nothing to do.",)
    out = [*last_resort_sentences(verdict)]
    dropped = int(np.maximum(change.held - change.wanted, 0).sum())
    if verdict.moves:
        copies = counted(verdict.moves, "replica is copied", "replicas are copied")
        least = minimal(f"{copies}, the proven minimum", racks_unknown=verdict.racks_unknown)
        out.append(least if verdict.moves_proven else f"{copies}.")
    if dropped:
        out.append(f"{counted(dropped, 'replica is', 'replicas are')} dropped; no data moves for that.")
    out += [*rack_sentences(verdict), spread_sentence(verdict)]
    changed = verdict.changed_preferred_leaders
    out.append(
        "No preferred leader changes."
        if not changed
        else f"{counted(changed, 'partition gets', 'partitions get')} a new preferred leader: the first replica is "
        "dropped."
    )
    return tuple(out)


def _findings(change: Change, protected: BoolArray, unsafe: Longs) -> tuple[Finding, ...]:
    found = []
    if unsafe.size:
        sentence = (
            f"{counted(unsafe.size, 'partition keeps its', 'partitions keep their')} first in-sync replica "
            "regardless of racks and load: without it no in-sync copy would be left."
        )
        found.append(Finding("kept_in_sync", Severity.NOTE, sentence, rows=change.rows[unsafe]))
    on_dead = (change.lists != NONE) & ~on_brokers(change.lists, change.live) & ~protected
    if dead := int((on_dead.any(axis=1) & ~change.grows).sum()):
        sentence = (
            f"{counted(dead, 'partition has', 'partitions have')} replicas on brokers that are dead, fenced or "
            "shutting down; these are dropped first where that does not worsen rack diversity."
        )
        found.append(Finding("dead_first", Severity.NOTE, sentence))
    return tuple(found)
