"""Rules as functions from problem to problem: who may receive which partitions, and how much.

Promises:
    1. ``only_onto``: topics live on some brokers alone. Nothing of them comes elsewhere; where replicas may move that
       need not (``moves``), those that are elsewhere must go there.
    2. ``keep_apart``: no broker gets replicas of two that are kept apart, unless it has both already; where replicas
       may move, those of others must go.
    3. ``capacity``: no broker ends above its capacity, unless it holds as much already. Replicas are a limit of the
       problem. Bytes are not: who ends above its bytes gets fewer replicas, until all fit (``fitted``), so that nothing
       is called the best then.
A rule that is broken already is never worse afterwards.

How: partitions with the same topics' rules are a class, and each class has its brokers. Of topics that are kept apart
each broker belongs to the one of which it has the most replicas; a broker with none of them to the one that has the
most replicas a broker (and where that is not enough for its replication factor, to that one first). So what is planned
is the best for this division of the brokers.

Example: topics a and b are kept apart; brokers 1 and 2 have replicas of a, 3 of b, 4 of neither: 4 belongs to a if that
has more replicas for its two brokers than b for its one.

Complexity: O(P R) and O(classes x brokers).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from reseat.errors import WishRefused
from reseat.model import NONE, BoolArray, ClusterLayout, Options
from reseat.model.arrays import newcomers, on_brokers
from reseat.model.naming import named_by
from reseat.model.wording import counted, listed, verb
from reseat.planning.preconditions import require_known
from reseat.planning.proposal import bytes_to_copy, size_of_copies
from reseat.planning.rack_levels import in_regions
from reseat.planning.solve.alike import alike
from reseat.planning.solve.by_weight import weight_on
from reseat.planning.solve.problem import Found, NoRoom, Problem

__all__ = ["Places", "copies_no_more", "fitted", "no_room", "not_found", "only_onto", "places_of", "ruled", "sharing"]

_Ints = npt.NDArray[np.int64]
_Solved = TypeVar("_Solved")
#: How often brokers may get fewer replicas until their bytes fit, and what is rounding of a sum of bytes.
_ROUNDS, _ROUNDING = 40, 0.5


@dataclass(frozen=True, eq=False)
class Places:
    """Which brokers each partition may be on.

    Attributes:
        allowed: (C, B) bool, of each class of partitions.
        group: (P,) the class of each.
    """

    allowed: BoolArray
    group: _Ints

    def elsewhere(self, layout: ClusterLayout) -> BoolArray:
        """(P, R) replicas on brokers where their partition may not be."""
        wide = np.append(self.allowed, np.ones((len(self.allowed), 1), np.bool_), axis=1)
        found: BoolArray = ~wide[self.group[:, None], layout.replicas]
        return found

    def of(self, problem: Problem, rows: _Ints | None = None) -> Problem:
        """The problem of all partitions, or of some, in which each receives only where it may be."""
        late = None if problem.late is None else problem.late & self.allowed
        group = self.group if rows is None else self.group[rows]
        return replace(problem, receivers=problem.open_to & self.allowed, late=late, group=group)

    def require_room(self, layout: ClusterLayout, problem: Problem, rows: _Ints) -> None:
        """Refuse where partitions need more newcomers than brokers are open to them.

        Raises:
            WishRefused: with their topics.
        """
        takes = problem.open_to if problem.late is None else problem.open_to | problem.late
        group, wide = problem.of_class, np.append(takes, np.zeros((len(takes), 1), np.bool_), axis=1)
        taken = wide[group[:, None], problem.staying].sum(axis=1)
        short = rows[problem.need > takes.sum(axis=1)[group] - taken]
        if not short.size:
            return
        topics = tuple(layout.topics[i] for i in np.unique(layout.topic_of[short]))
        raise WishRefused(
            f"{verb(len(topics), 'Topic', 'Topics')} {listed(topics)} {verb(len(topics), 'finds', 'find')} too few "
            f"brokers among those that {verb(len(topics), 'it', 'they')} may be on "
            f"({counted(short.size, 'partition')} concerned).",
            topics=topics,
            choices=("Allow more brokers (only_onto, keep_apart).", "Add a broker there first."),
        )


def ruled(
    problem: Problem,
    layout: ClusterLayout,
    options: Options,
    leaving: BoolArray,
    *,
    rows: _Ints | None = None,
    moves: bool = False,
    pinned: BoolArray | None = None,
    strict: bool | None = None,
) -> Problem:
    """The problem with these rules kept.

    Args:
        problem: what may be chosen, of all partitions or of ``rows``.
        layout: the layout planned on.
        options: the rules.
        leaving: (B,) bool, brokers that are drained.
        rows: (n,) the partitions of the problem; None: all.
        moves: whether replicas that break a rule are moved.
        pinned: (P,) bool, partitions that stay as they are all the same; None: none.
        strict: whether brokers above their capacity must give up what they can; None: as ``moves``.

    Raises:
        WishRefused: what a rule names is not known, or leaves partitions too few brokers.
    """
    if options.rack_levels:
        problem = in_regions(problem, layout, options)
    places = places_of(layout, options, leaving, moves=moves)
    if places is not None:
        problem = places.of(problem, rows)
        if moves:
            # Brokers that receive nothing give these up, too; the dead and the fenced cannot.
            gives = on_brokers(problem.staying, layout.available & ~layout.cordoned)
            elsewhere = places.elsewhere(layout) & gives
            if pinned is not None:
                elsewhere &= ~pinned[:, None]
            out = elsewhere if problem.out is None else problem.out | elsewhere
            problem = replace(problem, out=out, fixed=problem.fixed & ~elsewhere)
        places.require_room(layout, problem, np.arange(len(problem.lists)) if rows is None else rows)
    return _within_capacity(problem, layout, options, strict=moves if strict is None else strict)


def fitted(
    problem: Problem,
    layout: ClusterLayout,
    options: Options,
    solve: Callable[[Problem], _Solved],
    found_of: Callable[[_Solved], Found | None],
    *,
    rows: _Ints | None = None,
) -> tuple[_Solved, bool]:
    """What is solved, and whether brokers had to get fewer replicas for their bytes.

    Args:
        problem: what may be chosen, of all partitions or of ``rows``.
        layout: the layout planned on.
        options: ``capacity``.
        solve: solves a problem.
        found_of: the sets of what it solved, if any.
        rows: (n,) the partitions of the problem; None: all.

    Raises:
        NoRoom: it never fits.
    """
    most_bytes = problem.most_bytes
    size = None if most_bytes is None else size_of_copies(layout)
    if most_bytes is None or size is None:
        return solve(problem), False
    size = np.nan_to_num(size)
    before = weight_on(layout.replicas, size, len(layout.brokers))
    if rows is not None:
        size = size[rows]
    staying = weight_on(problem.staying, size, len(before))
    for turn in range(_ROUNDS):
        made = solve(problem)
        found = found_of(made)
        if found is None:
            return made, turn > 0
        came = np.where(newcomers(problem.staying[found.rows], found.lists), found.lists, np.int32(NONE))
        left = np.where(
            newcomers(found.lists, problem.staying[found.rows]), problem.staying[found.rows], np.int32(NONE)
        )
        got, gave = (weight_on(one, size[found.rows], len(before)) for one in (came, left))
        rest = before - weight_on(problem.lists, size, len(before))
        excess = rest + staying + got - gave - most_bytes
        over = excess > _ROUNDING
        if not over.any():
            return made, turn > 0
        received = np.bincount(came.ravel() + 1, minlength=len(before) + 1)[1:]
        fewer = np.ceil(excess[over] / np.maximum(got[over] / np.maximum(received[over], 1), 1))
        most = np.array(problem.most)
        most[over] = problem.loads_with(found)[over] - np.clip(fewer, 1, np.maximum(received[over], 1)).astype(np.int64)
        problem = replace(problem, most=most)
    raise NoRoom("Bytes never fit.")


def copies_no_more(layout: ClusterLayout, found: Found, most: int | None) -> bool:
    """Whether these sets copy at most so many bytes; None: any.

    Raises:
        WishRefused: the size of what they copy is not told.
    """
    if most is None:
        return True
    copied = bytes_to_copy(layout, found.rows, found.lists)
    if copied is None:
        raise WishRefused(
            "Replica sizes are not all known, so a limit on the data to copy cannot be kept.",
            choices=("Read the output of kafka-log-dirs --describe too.", "Limit the moves instead."),
        )
    return copied <= most


def not_found() -> WishRefused:
    """That no plan was found of which it is sure."""
    return WishRefused(
        "No plan was found that surely has the fewest moves.",
        choices=("Rebalance leaders only.", "Drain or add a broker instead."),
    )


def no_room(layout: ClusterLayout, options: Options) -> WishRefused:
    """That no plan keeps the capacity of brokers; without one, that none was found."""
    if not options.capacity:
        return not_found()
    brokers = tuple(rule.broker for rule in options.capacity)
    said = (
        f"with {verb(len(brokers), 'a limit', 'limits')} on {verb(len(brokers), 'broker', 'brokers')} {listed(brokers)}"
    )
    return WishRefused(
        f"No plan keeps the capacity of every broker ({counted(layout.replica_count, 'replica')} {said}).",
        brokers=brokers,
        choices=("Raise a capacity.", "Add a broker."),
    )


def places_of(layout: ClusterLayout, options: Options, leaving: BoolArray, *, moves: bool) -> Places | None:
    """Where partitions may be; None where that is everywhere.

    Args:
        layout: the layout planned on.
        options: ``only_onto`` and ``keep_apart``.
        leaving: (B,) bool, brokers that are drained.
        moves: whether replicas that break a rule are moved; else topics may stay, and come, where they are already.

    Raises:
        WishRefused: a topic, broker or rack of a rule is not known.
    """
    if not (options.only_onto or options.keep_apart):
        return None
    allowed = only_onto(layout, options)
    for group in options.keep_apart:
        members = _members(layout, group)
        own = _divided(layout, members, ~leaving & layout.receiving, moves=moves)
        for topics, mine in zip(members, own, strict=True):
            allowed[topics] &= mine
    first, of_topic, _ = alike(np.packbits(allowed, axis=1).astype(np.int64).T)
    return Places(allowed[first], of_topic[layout.topic_of])


def only_onto(layout: ClusterLayout, options: Options) -> BoolArray:
    """(T, B) bool: where each topic may be by ``only_onto`` alone.

    Raises:
        WishRefused: a topic, broker or rack of a rule is not known.
    """
    allowed = np.ones((len(layout.topics), len(layout.brokers)), np.bool_)
    for rule in options.only_onto:
        require_known(layout, rule.brokers)
        strange = [rack for rack in rule.racks if rack not in layout.racks]
        if strange:
            raise WishRefused(f"No broker is in rack {listed(strange)} (only_onto).", choices=("Correct the rule.",))
        there = np.isin(layout.broker_ids, rule.brokers)
        there |= np.array([broker.rack in rule.racks for broker in layout.brokers], np.bool_)
        allowed[_topics(layout, rule.topics, "only_onto")] &= there
    return allowed


def sharing(layout: ClusterLayout, group: tuple[str, ...]) -> BoolArray:
    """(B,) bool: brokers that have replicas of two members of a group that is kept apart.

    Raises:
        WishRefused: no topic is named by one of them.
    """
    held, _ = _held(layout, _members(layout, group))
    return np.asarray((held > 0).sum(axis=0) > 1, np.bool_)


def _members(layout: ClusterLayout, group: tuple[str, ...]) -> list[_Ints]:
    """Topics of each member; one that two patterns name belongs to the first."""
    members: list[_Ints] = []
    for pattern in group:
        found = _topics(layout, (pattern,), "keep_apart")
        members.append(found[~np.isin(found, np.concatenate([np.empty(0, np.int64), *members]))])
    return members


def _held(layout: ClusterLayout, members: list[_Ints]) -> tuple[_Ints, _Ints]:
    """(members, B) replicas of each on each broker, and (members,) the greatest replication factor of each."""
    brokers = len(layout.brokers)
    held, width = np.zeros((len(members), brokers), np.int64), np.zeros(len(members), np.int64)
    for number, topics in enumerate(members):
        of_topic = np.zeros(len(layout.topics), np.bool_)
        of_topic[topics] = True
        lists = layout.replicas[of_topic[layout.topic_of]]
        held[number] = np.bincount(lists.ravel() + 1, minlength=brokers + 1)[1:]
        width[number] = (lists != NONE).sum(axis=1).max(initial=0)
    return held, width


def _topics(layout: ClusterLayout, patterns: Iterable[str], rule: str) -> _Ints:
    """Numbers of the topics that a rule names."""
    patterns = tuple(patterns)
    number = {name: at for at, name in enumerate(layout.topics)}
    found = named_by(layout.topics, patterns)
    if not found:
        raise WishRefused(
            f"No topic matches {listed(patterns)} ({rule}).", topics=patterns, choices=("Correct the rule.",)
        )
    return np.array([number[name] for name in found], np.int64)


def _divided(layout: ClusterLayout, members: list[_Ints], open_: BoolArray, *, moves: bool) -> list[BoolArray]:
    """(B,) bool for each member: the brokers that it may be on.

    Args:
        layout: the layout.
        members: topics of each.
        open_: (B,) bool, brokers that stay and may receive.
        moves: as ``places_of``.
    """
    held, width = _held(layout, members)
    count = len(members)
    owner = np.where(held.any(axis=0) & open_, held.argmax(axis=0), NONE)
    total = held.sum(axis=1)
    for broker in np.flatnonzero(open_ & (owner == NONE)).tolist():
        mine = np.bincount(owner[owner != NONE], minlength=count)
        short = mine < width
        load = np.where(short | ~short.any(), total / np.maximum(mine, 1), -1.0)
        owner[broker] = int(load.argmax())
    own = [owner == number for number in range(count)]
    return own if moves else [(held[number] > 0) | own[number] for number in range(count)]


def _within_capacity(problem: Problem, layout: ClusterLayout, options: Options, *, strict: bool) -> Problem:
    """The problem in which no broker ends above its capacity, as far as replicas are counted.

    Args:
        problem: what may be chosen.
        layout: the layout planned on.
        options: ``capacity``.
        strict: whether a broker that holds more must give it up, unless it cannot.

    Raises:
        WishRefused: a broker is not known, or no size where bytes are limited.
    """
    if not options.capacity:
        return problem
    require_known(layout, [rule.broker for rule in options.capacity])
    at = {broker.id: number for number, broker in enumerate(layout.brokers)}
    most = np.full(len(at), problem.loads.sum() + problem.need.sum() + 1)
    most_bytes = np.full(len(at), np.inf)
    for rule in options.capacity:
        if rule.replicas is not None:
            most[at[rule.broker]] = min(most[at[rule.broker]], rule.replicas)
        if rule.bytes is not None:
            most_bytes[at[rule.broker]] = min(most_bytes[at[rule.broker]], rule.bytes)
    held = problem.loads
    if strict:
        loose = np.where(problem.movable, problem.lists, np.int32(NONE))
        held = held - np.bincount(loose.ravel() + 1, minlength=len(most) + 1)[1:]
    problem = replace(problem, most=np.maximum(most, held))
    if np.isinf(most_bytes).all():
        return problem
    size = size_of_copies(layout)
    if size is None:
        raise WishRefused(
            "The input has no replica sizes, so a capacity in bytes cannot be kept.",
            brokers=tuple(rule.broker for rule in options.capacity),
            choices=("Read the output of kafka-log-dirs --describe too.", "Give the capacity in replicas."),
        )
    carried = weight_on(layout.replicas, np.nan_to_num(size), len(most))
    return replace(problem, most_bytes=np.maximum(most_bytes, carried))
