"""Bytes instead of replica counts: what each replica weighs, and how far a plan may be from the evenest.

Promises: the gap is a bound over all plans with these moves (of a rebalance, over all plans with the best racks), where
every size is told; else it is stated of the bytes that are told, beside their share, and no number is given.

How: a replica copies its partition's log, so where its own size is not told, that of the partition's largest replica
stands for it. The bound is ``lifted``, of a rebalance ``goals``.

Example: brokers 2 and 3 keep nothing and receive 5, 4, 3, 3 and 3 bytes: 9 and 9 is the bound, and 10 and 8 is 1.23 %
above it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from reseat.errors import WishRefused
from reseat.model import NONE, BoolArray, ClusterLayout, FloatArray, Longs
from reseat.model.arrays import newcomers
from reseat.model.units import size
from reseat.model.wording import counted, verb
from reseat.planning.solve.by_weight import Evening, least_copied, lifted, weight_on
from reseat.planning.solve.problem import Found, Problem

__all__ = ["ByBytes", "Weights"]


@dataclass(frozen=True, eq=False)
class Weights:
    """Bytes, as far as they are told. A replica of which no size is told has that of its partition's largest.

    Attributes:
        kept: (B,) bytes that each broker keeps.
        moved: (n,) bytes of one replica of each partition that moves.
        untold: (n,) bool, partitions that move and of which no replica tells a size; they weigh nothing.
        share: part of all replicas whose size is known.
    """

    kept: FloatArray
    moved: FloatArray
    untold: BoolArray
    share: float

    @classmethod
    def of(cls, layout: ClusterLayout, rows: Longs, leaving: BoolArray) -> Weights:
        """The weights of a layout of which the partitions ``rows`` (n,) move off the brokers ``leaving`` (B,).

        Raises:
            WishRefused: the layout tells no size, or none of any partition that moves.
        """
        sizes, largest = layout.replica_bytes, layout.copy_bytes
        choices = ("Read the output of kafka-log-dirs --describe too.", "Balance by replica count instead.")
        if sizes is None or largest is None:
            raise WishRefused("The input has no replica sizes, so the plan cannot balance by size.", choices=choices)
        untold = np.isnan(largest[rows])
        if untold.all() and untold.size:
            raise WishRefused(
                "No partition that moves has a known size, so the plan cannot balance by size.", choices=choices
            )
        every = np.where(np.isnan(sizes), largest[:, None], sizes)
        known = ~np.isnan(every) & (layout.replicas != NONE)
        kept: FloatArray = np.bincount(
            layout.replicas[known], weights=every[known], minlength=len(layout.brokers)
        ).astype(np.float64)
        kept[leaving] = 0
        return cls(kept, np.nan_to_num(largest[rows]), untold, int(known.sum()) / layout.replica_count)

    def gap(self, problem: Problem, found: Found) -> tuple[float | None, tuple[str, ...]]:
        """How far the bytes may be from the evenest, and the same in words.

        Returns:
            The share by which their sum of squares exceeds the bound at most, None where a size is not told; sentences.
        """
        came = np.where(newcomers(problem.lists[found.rows], found.lists), found.lists, NONE)
        received = weight_on(came, self.moved[found.rows], self.kept.size)[problem.targets]
        kept = self.kept[problem.targets]
        gap = _above(kept + received, lifted(kept, float(received.sum())))
        said = (
            "Balanced by size instead of replica count: the sum of squares of bytes is at most "
            f"{_share(gap)} above the minimum that any plan with these moves can reach"
        )
        if self.share == 1:
            return gap, (f"{said}.",)
        # What is not told may be anything: nothing bounds the sum over all bytes.
        moving, told = self.untold.size, int((~self.untold).sum())
        share = (
            f"Sizes are known for {told:,} of {counted(moving, 'partition')} that {verb(moving, 'moves', 'move')}, "
            f"and for {min(self.share, 0.999):.1%} of all replicas; unknown sizes count as 0 here."
        )
        return None, (f"{share} {said}, counting known bytes only.",)


@dataclass(frozen=True, eq=False)
class ByBytes:
    """Replica sets of which brokers hold bytes as evenly as found, racks staying as good as those it starts from.

    Attributes:
        evening: the sets, by how many moves there may be.
        untold: (P,) bool, partitions of which no replica tells a size.
    """

    evening: Evening
    untold: BoolArray

    @classmethod
    def of(
        cls, layout: ClusterLayout, problem: Problem, start: Found, leaving: BoolArray, part: Longs | None = None
    ) -> ByBytes:
        """The same of a problem.

        Args:
            layout: the layout planned on.
            problem: what may be chosen of its replica sets.
            start: sets at their best on racks.
            leaving: (B,) bool, brokers that hold nothing afterwards.
            part: (n,) the partition of each row of the problem; None: all partitions.

        Raises:
            WishRefused: the layout tells no size.
        """
        weights = Weights.of(layout, np.arange(layout.partition_count), leaving)
        return cls(Evening(problem, start, weights.moved if part is None else weights.moved[part]), weights.untold)

    def told(self, found: Found) -> tuple[float | None, tuple[str, ...]]:
        """Of sets of ``evening``, the share by which their sum of squares exceeds the bound at most; and in words.

        Returns:
            None where a size is not told; and sentences, of which the first lacks what copies.
        """
        problem, moved, aim, untold = self.evening.problem, self.evening.weight, self.evening.aim, self.untold
        targets, both = problem.targets, (problem.lists, problem.lists_with(found))
        before, after = (weight_on(one, moved, len(targets)) for one in both)
        gap = _above(after[targets], aim[targets])
        copied = float(moved[found.rows] @ newcomers(problem.lists[found.rows], found.lists).sum(axis=1))
        least = min(copied, least_copied(problem, moved, after))
        known = "" if not untold.any() else ", counting known bytes only"
        sentences = [
            f"copy {size(copied)}; no plan that balances as well copies less than {size(least)}{known}.",
            f"Balanced by size instead of replica count: {_range(after[targets])} per broker (current: "
            f"{_range(before[targets])}). The sum of squares of bytes is at most {_share(gap)} above "
            f"the minimum that any plan with the best rack diversity can reach{known}.",
        ]
        if untold.any():
            told = int((~untold).sum())
            sentences.append(f"Sizes are known for {told:,} of {counted(untold.size, 'partition')}.")
        return None if untold.any() else gap, tuple(sentences)


def _above(carried: FloatArray, least: FloatArray) -> float:
    """The share by which a sum of squares exceeds the least; below 0 it would be rounding."""
    floor = float((least**2).sum())
    return max(0.0, float((carried**2).sum()) / floor - 1) if floor else 0.0


def _range(carried: FloatArray) -> str:
    return f"{size(carried.min())} to {size(carried.max())}"


def _share(gap: float) -> str:
    return f"{math.ceil(gap * 10_000 - 1e-9) / 10_000:.2%}"  # rounded up: it is a bound
