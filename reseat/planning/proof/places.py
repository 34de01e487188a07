"""The rules of who may be where and how much a broker may hold, restated from the wish and the two layouts.

Promises: a newcomer against a rule is a fault that names partition and broker. What partitions may have instead is no
less than what the rules leave them, for the division of the brokers that the plan has: of topics that are kept apart
each may be where no other of them is after the plan.

Complexity: O(P R + topics x brokers).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from reseat.model import NONE, BoolArray, ClusterLayout, FloatArray, Longs, Options
from reseat.model.naming import named_by
from reseat.model.units import size
from reseat.model.wording import counted
from reseat.planning.proof.circles import NEVER
from reseat.planning.proof.compared import Change

__all__ = ["Places", "places_kept"]


@dataclass(frozen=True, eq=False)
class Places:
    """Where partitions may be.

    Attributes:
        allowed: (C, B) bool, of each class of partitions.
        group: (P,) the class of each.
        most: (B,) the most replicas that each broker may hold, as it stands after the plan.
        over: whether a broker holds more than its capacity: what could relieve it is not looked for.
    """

    allowed: BoolArray
    group: Longs
    most: Longs
    over: bool

    def barred(self, group: Longs, lists: npt.NDArray[np.integer]) -> BoolArray:
        """(n, W) replicas of partitions of these classes (n,) on brokers where they may not be; padding is none."""
        wide = np.append(self.allowed, np.ones((len(self.allowed), 1), np.bool_), axis=1)
        barred: BoolArray = ~wide[group[:, None], lists]
        return barred


def places_kept(change: Change, options: Options, *, moves: bool) -> Places:
    """Where partitions may be, once faults against the rules are noted.

    Args:
        change: the two layouts compared.
        options: the rules.
        moves: whether replicas that break a rule are to move; else topics may stay, and come, where they were.
    """
    current, brokers = change.current, len(change.targets)
    most = _capacities(change, options)
    capacity = {rule.broker: rule.replicas for rule in options.capacity if rule.replicas is not None}
    over = any(int(n) > capacity.get(b.id, int(n)) for b, n in zip(current.brokers, change.load, strict=True))
    anywhere = Places(np.ones((1, brokers), np.bool_), np.zeros(current.partition_count, np.int64), most, over)
    if not (options.only_onto or options.keep_apart):
        return anywhere
    onto, apart = (np.ones((len(current.topics), brokers), np.bool_) for _ in range(2))
    clash = np.zeros_like(onto)
    for rule in options.only_onto:
        there = np.array([b.id in rule.brokers or (b.rack in rule.racks) for b in current.brokers], np.bool_)
        onto[_topics(current, rule.topics)] &= there
    for group in options.keep_apart:
        members: list[Longs] = []
        for pattern in group:
            members.append(np.setdiff1d(_topics(current, (pattern,)), np.concatenate([*members, []])))
        before, after = (_held(layout, members, brokers) for layout in (current, change.proposed))
        for number, topics in enumerate(members):
            others = np.delete(after, number, axis=0).any(axis=0)
            together = before[number] & np.delete(before, number, axis=0).any(axis=0)
            clash[topics] |= others & ~together
            apart[topics] &= ~others | (before[number] & (not moves))
    for wrong, why in (
        (~onto, "where its topic is not to be (only_onto)"),
        (clash, "which has a topic that is to share no broker with it"),
    ):
        change.note_copies_to(wrong, why, f"brokers {why}")
    allowed = onto & apart
    if allowed.all():
        return anywhere
    kinds, of_topic = np.unique(allowed, axis=0, return_inverse=True)
    return Places(kinds, of_topic.ravel()[current.topic_of], most, over)


def _topics(layout: ClusterLayout, patterns: Iterable[str]) -> Longs:
    named = frozenset(named_by(layout.topics, tuple(patterns)))
    return np.array([at for at, name in enumerate(layout.topics) if name in named], np.int64)


def _held(layout: ClusterLayout, members: list[Longs], brokers: int) -> BoolArray:
    """(members, B) which brokers have replicas of each."""
    held = np.zeros((len(members), brokers), np.bool_)
    for mine, topics in zip(held, members, strict=True):
        lists = layout.replicas[np.isin(layout.topic_of, topics)]
        mine[np.unique(lists[lists != NONE])] = True
    return held


def _capacities(change: Change, options: Options) -> Longs:
    """(B,) the most replicas that brokers may hold; a fault for each that ends above its capacity and above before."""
    most = np.full(len(change.targets), NEVER)
    before = change.current.replicas_by_broker
    by_size = any(rule.bytes is not None for rule in options.capacity)
    carried = [_bytes(layout) for layout in (change.current, change.proposed)] if by_size else [None, None]
    for rule in options.capacity:
        at = change.current.position(rule.broker)
        if at is None:
            continue
        ends = int(change.load[at])
        if rule.replicas is not None:
            most[at] = min(int(most[at]), max(rule.replicas, ends))
            if ends > max(rule.replicas, int(before[at])):
                change.faults.append(
                    f"Broker {rule.broker} would hold {counted(ends, 'replica')}; its capacity is {rule.replicas:,}."
                )
        one, two = carried
        if rule.bytes is not None and one is not None and two is not None and two[at] > max(rule.bytes, one[at]):
            change.faults.append(
                f"Broker {rule.broker} would hold {size(float(two[at]))}; its capacity is {size(rule.bytes)}."
            )
    return most


def _bytes(layout: ClusterLayout) -> FloatArray | None:
    """(B,) bytes of each broker, as far as they are told."""
    sizes = layout.replica_bytes
    if sizes is None:
        return None
    row, column = np.nonzero((layout.replicas != NONE) & ~np.isnan(sizes))
    on, carried = layout.replicas[row, column], sizes[row, column]
    return np.bincount(on, weights=carried, minlength=len(layout.brokers)).astype(np.float64)
