"""Rules as functions from problem to problem: who may receive which partitions, and how much.

Promises:
    1. ``only_onto``: topics live on some brokers alone. Nothing of them comes elsewhere; where replicas may move that
       need not (``moves``), those that are elsewhere must go there.
    2. ``keep_apart``: no broker gets replicas of two that are kept apart, unless it has both already; where replicas
       may move, those of others must go.
    3. ``capacity``: no broker ends above its capacity, unless it holds as much already. Replicas are a limit of the
       problem. Bytes are not: who ends above its bytes gets fewer replicas, and nobody more than its bytes have room
       for, until all fit (``fitted``), so that nothing is called the best then.
A rule that is broken already is never worse afterwards.

How: partitions with the same topics' rules are a class, and each class has its brokers. Those of topics that are kept
apart are divided first (``apart``), within capacities as far as counts say, and what is planned is the best for this
division.

Complexity: O(P R) and O(classes x brokers).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TypeVar

import numpy as np

from reseat.errors import WishRefused
from reseat.model import NONE, BoolArray, ClusterLayout, Longs, Options, Wish
from reseat.model.arrays import counts_on, newcomers, on_brokers, row_counts
from reseat.model.naming import named_by
from reseat.model.units import size
from reseat.model.wording import counted, listed, named, verb
from reseat.planning.apart import Apart, replicas_of
from reseat.planning.preconditions import require_known
from reseat.planning.proposal import bytes_to_copy, moves_of
from reseat.planning.rack_levels import in_regions
from reseat.planning.solve.alike import alike
from reseat.planning.solve.by_weight import ROUNDING, weight_on
from reseat.planning.solve.flow import Network
from reseat.planning.solve.placing import lacking
from reseat.planning.solve.problem import Found, NoRoom, Problem

__all__ = ["copies_no_more", "fitted", "no_room", "not_found", "only_onto", "require_enough", "ruled", "sharing"]

_Found = TypeVar("_Found", bound=Found | None)
_Told = TypeVar("_Told")


def ruled(
    problem: Problem,
    layout: ClusterLayout,
    options: Options,
    leaving: BoolArray,
    *,
    rows: Longs | None = None,
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
    strict = moves if strict is None else strict
    if not (options.only_onto or options.keep_apart):
        return _within_capacity(problem, layout, options, strict=strict)
    every = np.arange(len(problem.lists)) if rows is None else rows
    # Brokers that receive nothing give up what is elsewhere, too; the dead and the fenced cannot.
    gives = on_brokers(problem.staying, layout.available & ~layout.cordoned) & moves
    if pinned is not None:
        gives &= ~pinned[every, None]
    groups = tuple(_members(layout, group) for group in options.keep_apart)
    apart = Apart(layout, groups, only_onto(layout, options), ~leaving & layout.receiving, moves)
    placed, short = _placed(problem, layout, apart.by_most(), every, gives)
    if groups and (short.size or not _roomy(_within_capacity(placed, layout, options, strict=strict))):
        # Within what brokers may hold, then within what they hold, and then where no limit is known.
        mosts = [_within_capacity(problem, layout, options, strict=one).most for one in (strict, False)]
        for most in (*mosts, None) if options.capacity else (None,):
            divided = apart.divided(problem, every, ~gives, most)
            again = None if divided is None else _placed(problem, layout, divided, every, gives)
            if again is not None and not again[1].size:
                placed, short = again
                break
    if short.size:
        raise _too_few(layout, short)
    return _within_capacity(placed, layout, options, strict=strict)


def fitted(
    problem: Problem,
    layout: ClusterLayout,
    solve: Callable[[Problem], tuple[_Found, _Told]],
    *,
    rows: Longs | None = None,
    rounds: int = 40,
) -> tuple[_Found, _Told, bool]:
    """What is solved, what else is told of it, and whether brokers had to get fewer replicas for their bytes.

    Args:
        problem: what may be chosen, of all partitions or of ``rows``.
        layout: the layout planned on.
        solve: the sets of a problem, if any, and what else is told of them.
        rows: (n,) the partitions of the problem; None: all.
        rounds: how often brokers may get fewer.

    Raises:
        NoRoom: it never fits.
    """
    most_bytes = problem.most_bytes
    if most_bytes is None or layout.copy_bytes is None:
        return *solve(problem), False
    weight, kept = np.nan_to_num(layout.copy_bytes if rows is None else layout.copy_bytes[rows]), layout.carried_bytes
    kept = kept + weight_on(problem.staying, weight, len(kept)) - weight_on(problem.lists, weight, len(kept))
    most, takes = np.array(problem.most), problem.targets
    takes = takes if problem.late is None else takes | problem.late.any(axis=0)
    for turn in range(rounds):
        found, told = solve(problem)
        if found is None:
            return found, told, turn > 0
        was, then = problem.staying[found.rows], found.lists
        came, left = (np.where(newcomers(a, b), b, np.int32(NONE)) for a, b in ((was, then), (then, was)))
        got, gave = (weight_on(one, weight[found.rows], len(kept)) for one in (came, left))
        over = (excess := kept + got - gave - most_bytes) > ROUNDING
        if not over.any():
            return found, told, turn > 0
        if excess[takes].sum() > ROUNDING * takes.sum():  # whatever goes where
            break
        # As many as have room by the mean size of what came; who was over never gets as many again.
        received, held = counts_on(came, len(kept)), problem.loads_with(found)
        mean = np.where(received > 0, got / np.maximum(received, 1), got.sum() / max(1, int(received.sum())))
        more = np.floor(-excess / np.maximum(mean, 1)).clip(-received, problem.lists.size).astype(np.int64)
        most[over] = held[over] + more[over]
        problem = replace(problem, most=np.where(over, most, np.minimum(most, np.maximum(held + more, problem.loads))))
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


def require_enough(layout: ClusterLayout, wish: Wish, alone: Found, most: int | None) -> None:
    """Refuse a change of which what moves in any case is more than so many moves, or more bytes than it allows.

    Raises:
        WishRefused: that; or as ``copies_no_more``.
    """
    what = "rack diversity alone" if wish.rebalance and not wish.remove else "the change alone"
    needed, most_bytes = moves_of(layout, alone), wish.options.max_bytes
    if most is not None and needed > most:
        said = f"{counted(most, 'move')} {verb(most, 'is', 'are')} too few: {what} needs"
        enough = counted(needed, "move")
    elif wish.limits_bytes and not copies_no_more(layout, alone, most_bytes):
        enough = size(bytes_to_copy(layout, alone.rows, alone.lists))
        said = f"{size(most_bytes)} is too little: {what} copies"
    else:
        return
    choices = f"Allow at least {enough}.", "Keep racks as they are (--keep-racks)."
    raise WishRefused(f"{said} {enough}.", wish.topics, wish.remove, choices=choices[: 1 + wish.rebalance])


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
    said = f"with {verb(len(brokers), 'a limit', 'limits')} on {named('broker', brokers)}"
    apart = " Brokers were divided among topics that share none before: for another division there may be one."
    return WishRefused(
        f"No plan keeps the capacity of every broker ({counted(layout.replica_count, 'replica')} {said})."
        + apart * bool(options.keep_apart),
        brokers=brokers,
        choices=("Raise a capacity.", "Add a broker."),
    )


def _placed(
    problem: Problem, layout: ClusterLayout, allowed: BoolArray, rows: Longs, gives: BoolArray
) -> tuple[Problem, Longs]:
    """The problem in which partitions (n,) receive only where topics (T, B) may be, and those with too few brokers.

    Of replicas elsewhere those that ``gives`` (n, R) says must go.
    """
    first, of_topic, _ = alike(np.packbits(allowed, axis=1).astype(np.int64).T)
    allowed, group = allowed[first], of_topic[layout.topic_of[rows]]
    late = None if problem.late is None else problem.late & allowed
    problem = replace(problem, receivers=problem.open_to & allowed, late=late, group=group)
    wide = np.append(allowed, np.ones((len(allowed), 1), np.bool_), axis=1)  # padding may be anywhere
    elsewhere = ~wide[group[:, None], problem.staying] & gives
    if elsewhere.any():
        out = elsewhere if problem.out is None else problem.out | elsewhere
        problem = replace(problem, out=out, fixed=problem.fixed & ~elsewhere)
    every = problem if late is None else replace(problem, receivers=problem.open_to | late)
    return problem, rows[lacking(every) > 0]


def _roomy(problem: Problem) -> bool:
    """Whether each class of partitions finds room for its replicas, racks and which of them goes where aside."""
    if problem.most is None:
        return True
    network, classes = Network(), np.arange(len(problem.open_to))
    nodes, brokers, sink = network.nodes(classes.size), network.nodes(len(problem.most)), network.nodes(1)
    loose = np.where(problem.movable, problem.lists, np.int32(NONE))
    amount = np.bincount(problem.of_class, weights=problem.need + row_counts(problem.movable), minlength=classes.size)
    one, at = np.nonzero(problem.open_to)
    network.arcs(nodes[one], brokers[at], np.bincount(problem.of_class, minlength=classes.size)[one])
    network.arcs(brokers, sink, (problem.most - problem.loads + counts_on(loose, len(problem.most))).clip(min=0))
    network.supply(nodes, amount.astype(np.int64))
    network.supply(sink, -int(amount.sum()))
    return network.route() is not None


def _too_few(layout: ClusterLayout, rows: Longs) -> WishRefused:
    """That partitions need more newcomers than brokers are open to them."""
    topics = layout.topics_at(rows)
    where = f"brokers among those that {verb(len(topics), 'it', 'they')} may be on"
    return WishRefused(
        f"{named('Topic', topics, 'finds', 'find')} too few {where} ({counted(rows.size, 'partition')} concerned).",
        topics=topics,
        choices=("Allow more brokers (only_onto, keep_apart).", "Add a broker there first."),
    )


def only_onto(layout: ClusterLayout, options: Options) -> BoolArray:
    """(T, B) bool: where each topic may be by ``only_onto`` alone.

    Raises:
        WishRefused: a topic, broker or rack of a rule is not known.
    """
    allowed = np.ones((len(layout.topics), len(layout.brokers)), np.bool_)
    for rule in options.only_onto:
        require_known(layout, rule.brokers, "only_onto")
        if strange := [rack for rack in rule.racks if rack not in layout.racks]:
            raise WishRefused(f"No broker is in {named('rack', strange)} (only_onto).", choices=("Correct the rule.",))
        there = layout.is_broker(rule.brokers)
        there |= np.array([broker.rack in rule.racks for broker in layout.brokers], np.bool_)
        allowed[_topics(layout, rule.topics, "only_onto")] &= there
    return allowed


def sharing(layout: ClusterLayout, group: tuple[str, ...]) -> BoolArray:
    """(B,) bool: brokers that have replicas of two members of a group that is kept apart.

    Raises:
        WishRefused: no topic is named by one of them.
    """
    held = replicas_of(layout, _members(layout, group))
    return np.asarray((held > 0).sum(axis=0) > 1, np.bool_)


def _members(layout: ClusterLayout, group: tuple[str, ...]) -> list[Longs]:
    """Topics of each member; one that two patterns name belongs to the first."""
    members: list[Longs] = []
    for pattern in group:
        found = _topics(layout, (pattern,), "keep_apart")
        members.append(found[~np.isin(found, np.concatenate([np.empty(0, np.int64), *members]))])
    return members


def _topics(layout: ClusterLayout, patterns: Iterable[str], rule: str) -> Longs:
    """Numbers of the topics that a rule names."""
    patterns = tuple(patterns)
    number = {name: at for at, name in enumerate(layout.topics)}
    found = named_by(layout.topics, patterns)
    if not found:
        raise WishRefused(
            f"No topic matches {listed(patterns)} ({rule}).", topics=patterns, choices=("Correct the rule.",)
        )
    return np.array([number[name] for name in found], np.int64)


def _within_capacity(problem: Problem, layout: ClusterLayout, options: Options, *, strict: bool) -> Problem:
    """The problem in which no broker ends above its capacity; ``strict``: who holds more gives it up, if it can."""
    if not options.capacity:
        return problem
    require_known(layout, [rule.broker for rule in options.capacity], "capacity")
    at = {broker.id: number for number, broker in enumerate(layout.brokers)}
    most = np.full(len(at), problem.loads.sum() + problem.need.sum() + 1)
    most_bytes = np.full(len(at), np.inf)
    for rule in options.capacity:
        if rule.replicas is not None:
            most[at[rule.broker]] = min(most[at[rule.broker]], rule.replicas)
        if rule.bytes is not None:
            most_bytes[at[rule.broker]] = min(most_bytes[at[rule.broker]], rule.bytes)
    if strict:
        held = problem.loads - counts_on(np.where(problem.movable, problem.lists, np.int32(NONE)), len(most))
    else:
        held = counts_on(problem.lists, len(most)) + (0 if problem.base is None else problem.base)
    problem = replace(problem, most=np.maximum(most, held))
    if np.isinf(most_bytes).all():
        return problem
    if layout.copy_bytes is None:
        raise WishRefused(
            "The input has no replica sizes, so a capacity in bytes cannot be kept.",
            brokers=tuple(rule.broker for rule in options.capacity),
            choices=("Read the output of kafka-log-dirs --describe too.", "Give the capacity in replicas."),
        )
    return replace(problem, most_bytes=np.maximum(most_bytes, layout.carried_bytes))
