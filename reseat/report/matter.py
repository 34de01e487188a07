"""What a report is made of: a layout, a what-if with its plan, history where there is one; and how it shall be told."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from reseat.balance import Balance, findings, measure
from reseat.election import ElectionPreview, Mode, after_plan, layout_after, mode_of
from reseat.formats.documents.writers import ZNODE_BYTES
from reseat.formats.text.commands import by_admin
from reseat.model import ClusterLayout, Curve, Finding, FloatArray, Plan, Severity, Wish
from reseat.model.tiering import Tiering
from reseat.report.content import Audience, ChapterKind
from reseat.report.copying import Copying, copying_of
from reseat.schedule.estimate import ObservedRate

if TYPE_CHECKING:
    from reseat.planning.against_generate import AgainstGenerate

__all__ = ["ALL", "Matter", "ReportChoices", "ReportPast", "chapters_for"]

#: Every chapter, in order.
ALL = tuple(ChapterKind)


def chapters_for(audience: Audience) -> tuple[ChapterKind, ...]:
    """The chapters that an audience gets by itself: management is spared the list of every move."""
    return ALL if audience == "operators" else tuple(kind for kind in ALL if kind is not ChapterKind.APPENDIX)


@dataclass(frozen=True, slots=True)
class ReportChoices:
    """How a report is told.

    Attributes:
        chapters: which, in the order of the report.
        audience: management (plain words, no appendix of moves by default) or operators.
        title: on the first page; None: one made from the cluster and the what-if.
        author: the author's line; None: none.
        logo: bytes of a PNG or SVG; None: none.
        price_per_gb: of traffic between racks, a GB (10^9 bytes); None: no price is told.
        currency: what stands before a price: "$".
        throttle: bytes a second that each broker may copy; None: not decided.
        made_at: UTC.
    """

    chapters: tuple[ChapterKind, ...] = ALL
    audience: Audience = "management"
    title: str | None = None
    author: str | None = None
    logo: bytes | None = None
    price_per_gb: float | None = None
    currency: str = "$"
    throttle: float | None = None
    made_at: datetime = field(default_factory=lambda: datetime.now(UTC))


@dataclass(frozen=True, eq=False, kw_only=True)
class ReportPast:
    """The history of the cluster: n snapshots, oldest first; NaN where a snapshot does not tell.

    Attributes:
        taken_at: (n,) datetime64[s], UTC.
        series: (n,) float64 by column of the table ``snapshots``: ``partitions``, ``brokers``, ``replica_spread`` ...
        events: (datetime64[s], sentence) of what happened, ascending.
        racks: the racks that the sentences may name.
        snapshots: how many there are, where each of the n stands for several, with the largest of their values; 0: n.
        worst: when the largest value of each column was seen first, of all snapshots; none: at the moment that has it.
        partly: columns that a snapshot does not tell, which one that stands for it may hide.
    """

    taken_at: npt.NDArray[np.datetime64]
    series: dict[str, FloatArray]
    events: tuple[tuple[np.datetime64, str], ...] = ()
    racks: tuple[str, ...] = ()
    snapshots: int = 0
    worst: Mapping[str, np.datetime64] = field(default_factory=dict)
    partly: frozenset[str] = frozenset()

    @property
    def thinned(self) -> bool:
        """Whether a moment stands for several snapshots."""
        return self.snapshots > len(self.taken_at)

    def when_worst(self, name: str) -> np.datetime64:
        """When a column that is told had its largest value first."""
        shown: np.datetime64 = self.taken_at[int(np.nanargmax(self.series[name]))]
        when: np.datetime64 = self.worst.get(name, shown)
        return when


@dataclass(frozen=True, eq=False, kw_only=True)
class Matter:
    """What a report is made of.

    Attributes:
        layout: the layout as it is.
        source: what it was read from: a file's name, or a cluster's.
        cluster: the cluster's name; None where it has none.
        version: of Kafka, where told.
        metadata: ``zookeeper`` or ``kraft``: where the cluster keeps its metadata; None where not told.
        read_at: when the cluster was so, UTC; None where the source does not tell.
        reading: what was found while it was read.
        wish: what is asked for.
        plan: its plan; None where nothing is wished or it was refused.
        refusal: why the wish was refused, in sentences; None: it was not.
        curve: what more moves buy; None where it was not asked.
        generate: what Kafka's ``--generate`` would do, by tool; empty where it was not asked or has no answer.
        past: the history; None where there is none.
        rates: what earlier runs on the cluster showed of how fast it copies, newest first.
        tiering: which topics are tiered, where the input tells it.
    """

    layout: ClusterLayout
    source: str
    cluster: str | None = None
    version: str | None = None
    metadata: str | None = None
    read_at: datetime | None = None
    reading: tuple[Finding, ...] = ()
    wish: Wish = field(default_factory=Wish)
    plan: Plan | None = None
    refusal: str | None = None
    curve: Curve | None = None
    generate: tuple[AgainstGenerate, ...] = ()
    past: ReportPast | None = None
    rates: tuple[ObservedRate, ...] = ()
    tiering: Tiering = Tiering()  # noqa: RUF009 (frozen)

    @cached_property
    def balance(self) -> Balance:
        """The measures of the layout as it is."""
        return measure(self.layout)

    @cached_property
    def start(self) -> ClusterLayout:
        """The layout that a plan starts from: reassignments under way are done."""
        return self.layout if self.plan is None else self.plan.current

    @cached_property
    def after(self) -> ClusterLayout | None:
        """The layout once the plan is done, without the brokers that left; None without a plan."""
        return None if self.plan is None else layout_after(self.plan)

    @cached_property
    def balance_start(self) -> Balance:
        """The measures of ``start``."""
        return self.balance if self.start is self.layout else measure(self.start)

    @cached_property
    def balance_standing(self) -> Balance:
        """The measures of ``start`` without the brokers that join."""
        there = self.layout if self.plan is None else self.layout.target()
        return self.balance if there is self.layout else measure(there)

    @cached_property
    def balance_after(self) -> Balance | None:
        """The measures once the plan is done; None without one."""
        return None if self.after is None else measure(self.after)

    @cached_property
    def copying(self) -> Copying | None:
        """What the plan copies, from where and to where; None without a plan."""
        if self.plan is None:
            return None
        most = None if by_admin(self.version) else ZNODE_BYTES
        return copying_of(self.plan, self.tiering, batch_bytes=most, rates=self.rates)

    @cached_property
    def mode(self) -> Mode:
        """Which controller decides (``mode_of``)."""
        return mode_of(self.layout, self.metadata, self.version)

    @cached_property
    def election(self) -> ElectionPreview | None:
        """Who leads before, once the data has moved, and after a preferred election then; None without a plan."""
        return None if self.plan is None else after_plan(self.plan, self.mode)

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """What was found in reading and in the layout, worst first."""
        return self._with_reading(self.layout)

    @cached_property
    def findings_after(self) -> tuple[Finding, ...] | None:
        """What would be found once the plan is done, worst first: what was found in reading stays; None without one."""
        return None if self.after is None else self._with_reading(self.after)

    def _with_reading(self, layout: ClusterLayout) -> tuple[Finding, ...]:
        told = {one.kind for one in self.reading}
        found = (*self.reading, *(one for one in findings(layout) if one.kind not in told))
        order = list(Severity)
        return tuple(sorted(found, key=lambda one: order.index(one.severity)))
