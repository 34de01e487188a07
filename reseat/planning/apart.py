"""Topics that share no broker: which of them each broker belongs to.

Promises:
    1. Each broker belongs to the topic of which it has the most replicas; one with none to the topic that has the most
       replicas a broker (and where that is not enough for its replication factor, to that one first).
    2. Where partitions find too few brokers so, or brokers too little room (``capacity``), another division is looked
       for in which all find enough (``divided``): the one that leaves the most replicas with whom they are; None only
       where there is none. Of 3,000 small rebalances none that has a plan is refused.

Example: four brokers have replicas of a, fewer of b are on two of them. All would belong to a; b has replication factor
2 and gets the two brokers of which a has the least.

Complexity: O(P R + members x brokers); ``divided`` is a programme of 0 and 1 of that many unknowns (set multicover, NP-
hard with several groups), solved by CP-SAT within ``_EFFORT``, one thread, so that it gives the same every time.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from reseat.model import NONE, BoolArray, ClusterLayout, Longs
from reseat.model.arrays import counts_on, on_brokers, row_counts
from reseat.planning.solve.alike import alike
from reseat.planning.solve.problem import Problem

__all__ = ["Apart", "replicas_of"]

#: How long a division is looked for, in CP-SAT's measure of work, which no other load on the machine changes.
_EFFORT = 10.0


@dataclass(frozen=True, eq=False)
class Apart:
    """Groups of topics that are kept apart.

    Attributes:
        layout: the layout planned on.
        groups: of each group the topics of each of its members.
        onto: (T, B) bool, where each topic may be by other rules.
        open: (B,) bool, brokers that stay and may receive.
        moves: whether replicas that break a rule are moved; else topics may stay, and come, where they are already.
    """

    layout: ClusterLayout
    groups: tuple[list[Longs], ...]
    onto: BoolArray
    open: BoolArray
    moves: bool

    def by_most(self) -> BoolArray:
        """(T, B) bool: where topics may be once each broker belongs to whom it has the most replicas of."""
        owners, here = [], []
        for members in self.groups:
            held = replicas_of(self.layout, members)
            owners.append(np.where(held.any(axis=0) & self.open, held.argmax(axis=0), NONE))
            here.append((held > 0) & (not self.moves))
        return self._owned(owners, here, [self.open] * len(owners))

    def divided(self, problem: Problem, rows: Longs, stays: BoolArray, most: Longs | None = None) -> BoolArray | None:
        """The same for a division in which every partition finds enough brokers; None where none was found.

        What brokers that receive nothing hold may stay, if they belong to its topic.

        Args:
            problem: what needs newcomers or may move, before this rule.
            rows: (n,) its partitions.
            stays: (n, R) bool, replicas that stay whatever the rule says; those of other partitions do.
            most: (B,) the most replicas that each may hold; of racks, and of which partition goes where, nothing is
                asked with it. None: no limit.
        """
        from ortools.sat.python import cp_model  # here: hardly any plan should pay for it

        takes: BoolArray = np.logical_or.reduce(
            problem.open_to if problem.late is None else problem.open_to | problem.late
        )
        lists, topic, model = problem.staying, self.layout.topic_of[rows], cp_model.CpModel()
        fixed = np.where(stays, lists, np.int32(NONE))
        owners, here, empty, worth = [], [], [], []
        own: list[dict[tuple[int, int], Any]] = []
        for members in self.groups:
            held = replicas_of(self.layout, members)
            others = held - replicas_of(self.layout, members, rows, self.layout.replicas[rows])
            stuck = others + replicas_of(self.layout, members, rows, fixed) > 0
            here.append((held > 0) & (not self.moves))
            empty.append(~stuck.any(axis=0) & self.open)
            # A broker that keeps replicas of another is for those alone that are there as well.
            may: BoolArray = takes & ((stuck.sum(axis=0) == stuck) | (held > 0)) & ~here[-1]
            if self.moves:
                may |= self.open & ~takes & (stuck.sum(axis=0) == stuck) & (held > 0)
            own.append({(m, b): model.new_bool_var("") for m, b in np.argwhere(may).tolist()})
            for broker in np.flatnonzero(may.any(axis=0)).tolist():
                model.add_at_most_one(one for (_, b), one in own[-1].items() if b == broker)
            worth += [(2 * int(held[cell]) - 1) * one for cell, one in own[-1].items()]
            left = held.any(axis=0) & self.open & ~takes & ~may.any(axis=0)
            owners.append(np.where(left, held.argmax(axis=0), NONE))
        need = problem.need + row_counts((lists != NONE) & ~stays)
        loose = np.where(stays, np.int32(NONE), lists)  # of these, what is where nothing is received may stay
        used: dict[int, list[Any]] = {}
        member = np.full((len(self.onto), len(self.groups)), NONE, np.int64)  # of each group
        for group, members in enumerate(self.groups):
            for number, topics in enumerate(members):
                member[topics, group] = number
        first, kind, _ = alike((*member.T, *np.packbits(self.onto, axis=1).T))
        for number, of in enumerate(member[first]):
            mine = kind[topic] == number
            if not mine.any() or (most is None and (of == NONE).all()):
                continue
            # Brokers that it may have: without a question, or if all that it asks for are its own; and those that
            # receive nothing, of which the same holds for what is there.
            here_too = on_brokers(loose[mine], ~takes & self.onto[first[number]])
            known: BoolArray = np.zeros(takes.size, np.bool_)
            shared: dict[int, Any] = {}
            kept: dict[int, Any] = {}
            for broker in (*np.flatnonzero(takes & self.onto[first[number]]), *np.unique(loose[mine][here_too])):
                asked: list[Any] = [
                    own[g].get((m, broker)) for g, m in enumerate(of) if m != NONE and not here[g][m, broker]
                ]
                known[broker] = takes[broker] and not asked
                if not known[broker] and all(one is not None for one in asked):
                    (shared if takes[broker] else kept)[int(broker)] = one = model.new_bool_var("")
                    model.add_bool_and(asked).only_enforce_if(one)
            short = need[mine] - int(known.sum()) + row_counts(on_brokers(fixed[mine], known))
            there = np.array([(loose[mine] == broker).any(axis=1) for broker in kept], np.bool_)
            firsts, like, _ = alike((np.zeros(short.size, np.int64), *there.astype(np.int64)))
            for at, one_like in enumerate(firsts.tolist()):
                stay = [one for nth, one in enumerate(kept.values()) if there[nth, one_like]]
                model.add(sum(shared.values()) + sum(stay) >= int(short[like == at].max()))
            if most is not None:
                count, total = int(mine.sum()), int(need[mine].sum())
                gets = {}
                for broker in [*np.flatnonzero(known).tolist(), *shared]:
                    gets[broker] = model.new_int_var(0, count - int((fixed[mine] == broker).sum()), "")
                    used.setdefault(broker, []).append(gets[broker])
                    if broker in shared:
                        model.add(gets[broker] <= count * shared[broker])
                staying = [int((loose[mine] == broker).sum()) * one for broker, one in kept.items()]
                model.add(sum(gets.values()) + sum(staying) >= total)
        if most is not None:
            base = counts_on(fixed, len(most)) + (0 if problem.base is None else problem.base)
            for broker, parts in used.items():
                model.add(sum(parts) <= max(0, int(most[broker] - base[broker])))
        model.maximize(sum(worth))
        solver = cp_model.CpSolver()
        solver.parameters.num_workers, solver.parameters.max_deterministic_time = 1, _EFFORT
        if solver.solve(model) not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            return None
        for owner, of_group in zip(owners, own, strict=True):
            for (m, broker), one in of_group.items():
                if solver.value(one):
                    owner[broker] = m
        return self._owned(owners, here, empty)

    def _owned(self, owners: Iterable[Longs], here: Iterable[BoolArray], empty: Iterable[BoolArray]) -> BoolArray:
        """(T, B) bool: where topics may be.

        Args:
            owners: of each group (B,) the member that each broker belongs to, -1: none yet.
            here: of each group (members, B) bool, brokers where a member may be whoever they belong to.
            empty: of each group (B,) bool, brokers without an owner that get one.
        """
        allowed, factor, topic = self.onto.copy(), self.layout.replication_factor, self.layout.topic_of
        for members, owner, there, free in zip(self.groups, owners, here, empty, strict=True):
            total = replicas_of(self.layout, members).sum(axis=1)
            # The greatest replication factor of each.
            width = np.array([factor[np.isin(topic, topics)].max(initial=0) for topics in members], np.int64)
            for broker in np.flatnonzero(free & (owner == NONE)).tolist():
                mine = np.bincount(owner[owner != NONE], minlength=len(members))
                short = mine < width
                load = np.where(short | ~short.any(), total / np.maximum(mine, 1), -1.0)
                owner[broker] = int(load.argmax())
            for number, topics in enumerate(members):
                allowed[topics] &= there[number] | (owner == number)
        return allowed


def replicas_of(layout: ClusterLayout, members: list[Longs], rows: Longs | None = None, lists: Any = None) -> Longs:
    """(members, B) replicas of each on each broker: of the layout, or of lists (n, R) of these rows (n,)."""
    topic = layout.topic_of if rows is None else layout.topic_of[rows]
    lists = layout.replicas if lists is None else lists
    brokers = len(layout.brokers)
    return np.array([counts_on(lists[np.isin(topic, one)], brokers) for one in members], np.int64)
