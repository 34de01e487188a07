"""A plan: two layouts, current and proposed, and what follows from them; and the certificate it carries."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from functools import cached_property

import numpy as np

from reseat.model.arrays import lists_differ, newcomers, of_one_width, row_counts
from reseat.model.columns import NONE, BoolArray, FloatArray, IntArray, Longs
from reseat.model.finding import Finding
from reseat.model.gaps import Gaps
from reseat.model.layout import ClusterLayout
from reseat.model.units import amount, size
from reseat.model.wish import Wish

__all__ = ["Certificate", "Curve", "CurvePoint", "Moves", "Plan", "byte_spread", "topic_spread", "widest_topic"]


@dataclass(frozen=True, eq=False)
class Moves:
    """Where replicas go: n moves, a row each, sorted by row and then by target.

    Attributes:
        row: (n,) int64 row of the partition in the current layout.
        source: (n,) int32 broker id that gives the replica up, -1 where a replica is only added.
        target: (n,) int32 broker id that receives it, -1 where a replica is only dropped (no data moves).
        bytes: (n,) float64 bytes to copy, NaN where not told, 0 where a replica is only dropped; None where
            no size is told.
    """

    row: Longs
    source: IntArray
    target: IntArray
    bytes: FloatArray | None = None

    def __len__(self) -> int:
        return len(self.row)

    @property
    def amount(self) -> str:
        """What is copied, in words: "10.9 GB", "at least 10.9 GB" or "unknown"."""
        copies = self.target != NONE
        sizes = np.full(len(self), np.nan) if self.bytes is None else self.bytes
        unsized = int(np.count_nonzero(np.isnan(sizes[copies])))
        return amount(float(np.nansum(sizes)), unsized, int(np.count_nonzero(copies)))


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """One point between least moves and perfect balance.

    Attributes:
        moves: replica moves of this plan.
        replica_sum_of_squares: sum of squares of replica counts over the remaining brokers.
        replica_spread: fullest minus emptiest remaining broker, in replicas.
        fullest: replicas of the fullest remaining broker, where that was counted.
        bytes_to_move: bytes that its moves copy; None where a size is not told.
        byte_spread: where bytes are evened out, fullest minus emptiest remaining broker in bytes; else None.
        changed_leaders: of leaders only, partitions that get another preferred leader; else None.
        leader_spread: of leaders only, the most minus the fewest preferred leaders of a broker; else None.
        topic_spread: of a rebalance by topic, the largest spread of one topic's replicas over brokers; else None.
        amount: what its moves copy, in words: "10.9 GB", "at least 10.9 GB" or "unknown".
    """

    moves: int
    replica_sum_of_squares: int
    replica_spread: int
    fullest: int | None = None
    bytes_to_move: float | None = None
    byte_spread: float | None = None
    changed_leaders: int | None = None
    leader_spread: int | None = None
    topic_spread: int | None = None
    amount: str = size(None)

    @classmethod
    def of(cls, plan: Plan) -> CurvePoint:
        """A plan as a point."""
        made = plan.certificate
        by_size = (made.wish.rebalance or made.wish.drains) and made.wish.options.by_bytes
        leaders = made.wish.leaders_only
        return cls(
            made.moves,
            made.replica_sum_of_squares or 0,
            made.replica_spread or 0,
            bytes_to_move=made.bytes_to_move,
            byte_spread=byte_spread(plan, plan.proposed) if by_size else None,
            changed_leaders=made.changed_preferred_leaders if leaders else None,
            leader_spread=made.leader_spread if leaders else None,
            topic_spread=topic_spread(plan, plan.proposed),
            amount=plan.moves.amount,
        )

    @property
    def number(self) -> int:
        """What it is chosen by: its replica moves, or of leaders only the changed preferred leaders."""
        return self.moves if self.changed_leaders is None else self.changed_leaders

    @property
    def unit(self) -> str:
        """What that is a number of: one of it in words."""
        return "move" if self.changed_leaders is None else "changed leader"

    @property
    def measure(self) -> str:
        """What its balance is measured by, in words."""
        return "spread" if self.topic_spread is None else "topic spread"

    @property
    def balance(self) -> float:
        """The spread that the change is about, less being better: of leaders, a topic, bytes, else replicas."""
        for spread in (self.leader_spread, self.topic_spread):
            if spread is not None:
                return spread
        return self.replica_spread if self.byte_spread is None else self.byte_spread

    @property
    def uneven(self) -> float:
        """What more moves make less of: the spread of leaders, a topic or bytes, else squares of replicas."""
        counts = self.leader_spread is None and self.byte_spread is None and self.topic_spread is None
        return self.replica_sum_of_squares if counts else self.balance

    @property
    def spread(self) -> str:
        """The same in words."""
        return f"{self.balance:,}" if self.byte_spread is None else size(self.byte_spread)


@dataclass(frozen=True, slots=True)
class Curve:
    """What more moves buy, and what is not offered.

    Attributes:
        points: by ascending moves, the minimal plan first; of a change for balance its plan is the last.
        sentences: what is left out and why; empty where nothing is.
    """

    points: tuple[CurvePoint, ...]
    sentences: tuple[str, ...] = ()


def byte_spread(plan: Plan, layout: ClusterLayout) -> float | None:
    """Fullest minus emptiest broker in bytes in this layout of a plan, over the brokers that count then.

    A replica is as large as the largest of its partition, as who evens them out takes it. None where no size is told.
    """
    counts = plan.counting
    if layout.replica_bytes is None or not counts.any():
        return None
    return float(np.ptp(layout.carried_bytes[counts]))


def topic_spread(plan: Plan, layout: ClusterLayout) -> int | None:
    """Of a rebalance by topic, the largest spread of one topic in this layout of it, over the brokers that count then.

    None of any other plan.
    """
    if not (plan.wish.rebalance and plan.wish.options.even_topics):
        return None
    return widest_topic(layout.topic_of, layout.replicas, plan.counting)


def widest_topic(topic_of: IntArray, replicas: IntArray, counts: BoolArray) -> int:
    """The largest spread of one topic's replicas over the brokers that count.

    Args:
        topic_of: (P,) topic of each partition, from 0 on.
        replicas: (P, R) positions of brokers, -1 padded.
        counts: (B,) bool.
    """
    if not topic_of.size or not counts.any():
        return 0
    places = np.where(replicas == NONE, counts.size, replicas) + topic_of[:, None].astype(np.int64) * (counts.size + 1)
    loads = np.bincount(places.ravel(), minlength=(int(topic_of.max()) + 1) * (counts.size + 1))
    return int(np.ptp(loads.reshape(-1, counts.size + 1)[:, :-1][:, counts], axis=1).max())


@dataclass(frozen=True, kw_only=True)
class Certificate:
    """What is proven of a plan, what is only bounded, and what is wrong with it.

    Sums of squares are over all partitions of the proposed layout, replicas and leaders by remaining broker that is
    not known to be dead. A number that cannot be told is None, never 0. ``least_*`` is the best that any plan for the
    same wish can reach, objectives taken in their order; ``*_proven`` says that the plan reaches it and a checker that
    shares no code with the solver confirmed it. ``last_resorts`` are brokers, fenced or shutting down, that receive
    replicas.

    ``gaps`` are those of the layout planned on; ``unknown_racks`` brokers that remain and whose rack is unknown;
    ``unmovable_partitions`` those that the wish concerns and that have no live in-sync replica;
    ``rack_diversity_lost`` partitions that end on fewer racks; ``way_back_waits_for`` brokers, not alive now, that the
    rollback puts replicas back onto. ``cautions`` says the same for a person, and stands before anything else.
    """

    wish: Wish
    moves: int
    least_moves: int | None = None
    moves_proven: bool = False
    changed_partitions: int = 0
    bytes_to_move: float | None = None
    rack_sum_of_squares: int | None = None
    least_rack_sum_of_squares: int | None = None
    rack_balance_proven: bool = False
    replica_sum_of_squares: int | None = None
    least_replica_sum_of_squares: int | None = None
    replica_balance_proven: bool = False
    replica_spread: int | None = None
    leader_sum_of_squares: int | None = None
    least_leader_sum_of_squares: int | None = None
    leader_balance_proven: bool = False
    leader_spread: int | None = None
    changed_preferred_leaders: int | None = None
    least_changed_preferred_leaders: int | None = None
    changed_leaders_proven: bool = False
    rack_violations_before: int | None = None
    rack_violations_after: int | None = None
    byte_sum_gap: float | None = None
    last_resorts: tuple[int, ...] = ()
    gaps: Gaps = Gaps()  # noqa: RUF009 (frozen)
    unknown_racks: tuple[int, ...] = ()
    unmovable_partitions: int = 0
    rack_diversity_lost: int | None = None
    way_back_waits_for: tuple[int, ...] = ()
    cautions: tuple[Finding, ...] = field(default=(), compare=False)
    faults: tuple[str, ...] = ()
    sentences: tuple[str, ...] = ()

    @property
    def valid(self) -> bool:
        """Whether the plan may be carried out at all: it has no fault."""
        return not self.faults

    def as_dict(self) -> dict[str, object]:
        """The certificate as JSON-ready values, keys in the order of the class; the wish as an object."""
        out: dict[str, object] = {}
        for item in fields(self):
            value = getattr(self, item.name)
            if isinstance(value, Wish | Gaps):
                out[item.name] = value.as_dict()
            elif item.name == "cautions":
                out[item.name] = [_caution(finding) for finding in self.cautions]
            else:
                out[item.name] = list(value) if isinstance(value, tuple) else value
        return out


def _caution(finding: Finding) -> dict[str, object]:
    return {
        "kind": finding.kind,
        "severity": finding.severity.value,
        "level": finding.severity.word,
        "sentence": finding.sentence,
        "partitions": len(finding.rows),
        "topics": list(finding.topics),
        "brokers": list(finding.brokers),
    }


@dataclass(frozen=True, eq=False)
class Plan:
    """Two layouts and what follows from them. Planning never changes its input.

    Attributes:
        current: the layout planned on (the target layout where a reassignment was under way); holds every broker
            that ``proposed`` holds.
        proposed: the same partitions, row by row, with other replica lists; leaders are those that stay leaders,
            else not told.
        certificate: what is proven of it.
        findings: what a person should know before carrying it out.
    """

    current: ClusterLayout
    proposed: ClusterLayout
    certificate: Certificate
    findings: tuple[Finding, ...] = ()

    @property
    def wish(self) -> Wish:
        """What was wished for."""
        return self.certificate.wish

    @cached_property
    def changed(self) -> BoolArray:
        """(P,) bool: partitions whose replica list differs, in members or in order."""
        mask: BoolArray = lists_differ(self.current.replica_ids, self.proposed.replica_ids)
        mask.flags.writeable = False
        return mask

    @cached_property
    def counting(self) -> BoolArray:
        """(B,) bool: brokers of the proposed layout that its spreads are over: those that stay and can receive."""
        layout, out = self.proposed, (*self.wish.remove, *self.wish.options.never_onto)
        return layout.receiving & ~layout.is_broker(out)

    @property
    def changed_topics(self) -> tuple[str, ...]:
        """Topics with a partition whose replica list differs, sorted."""
        return self.current.topics_at(self.changed)

    @cached_property
    def moves(self) -> Moves:
        """Every replica that goes, comes or moves.

        Within a partition, leaving replicas are paired with newcomers in order.
        """
        rows = np.flatnonzero(self.changed)
        before, after = of_one_width(self.current.replica_ids[rows], self.proposed.replica_ids[rows])
        goes = newcomers(after, before)
        comes = newcomers(before, after)
        pairs = np.maximum(row_counts(goes), row_counts(comes))
        total = int(pairs.sum())
        slot = np.arange(total) - np.repeat(np.cumsum(pairs) - pairs, pairs)
        owner = np.repeat(np.arange(len(rows)), pairs)

        def packed(ids: IntArray, mask: BoolArray) -> IntArray:
            count = row_counts(mask)
            there = slot < count[owner]
            taken = np.full(total, NONE, np.int32)
            taken[there] = ids[mask][((np.cumsum(count) - count)[owner] + slot)[there]]  # both row by row
            return taken

        target = packed(after, comes)
        sizes = self.current.replica_bytes
        moved: FloatArray | None = None
        if sizes is not None:
            lists = self.current.replicas[rows]
            known = np.where(lists != NONE, sizes[rows], np.nan)
            # A newcomer copies the log of its partition: the largest told replica, since
            # replicas differ only by what is not cleaned yet.
            filled = np.where(np.isnan(known), -np.inf, known).max(axis=1, initial=-np.inf)
            size = np.where(np.isneginf(filled), np.nan, filled)
            moved = np.where(target == NONE, 0.0, size[owner])
        return Moves(row=rows[owner], source=packed(before, goes), target=target, bytes=moved)
