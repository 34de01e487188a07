"""Brokers and racks as the report draws them: one order, one name and one mark each, before and after."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from reseat.balance import Balance
from reseat.balance.grid import broker_order
from reseat.model import ClusterLayout, FloatArray, Longs, Plan
from reseat.model.wording import visible
from reseat.report.content import Bars, Column, Table

__all__ = ["NAME", "Carriers", "brokers_of", "busiest", "rack_name", "worst_first"]

#: Characters of a rack's or topic's name beside a figure; tables have more.
NAME = 40
#: Rows up to which a table of brokers is shown whole, in the order of the figures.
MANY = 20
#: Bars up to which a figure of what changes shows every broker, and how many it shows beyond that.
APART, KEPT = 100, 60


@dataclass(frozen=True, eq=False)
class Carriers:
    """The n brokers of a layout in the order shown: by rack, those without one last.

    Attributes:
        ids: (n,) int64.
        names: (n) the ids as words.
        groups: (n) the rack of each; None where no broker has one.
        marked: (n) what is to be said of each: its state where it does not serve, and that it joins, leaves, or
            keeps replicas though it should leave; None where there is nothing.
    """

    ids: Longs
    names: tuple[str, ...]
    groups: tuple[str | None, ...] | None
    marked: tuple[str | None, ...]

    def counts(self, balance: Balance) -> FloatArray:
        """(n,) replicas of each; 0 for a broker that the measured layout does not have."""
        return self._of(balance, balance.by_broker.replicas)

    def leaders(self, balance: Balance) -> FloatArray | None:
        """(n,) partitions that each leads; None where no leader is told."""
        told = balance.by_broker.leaders
        return None if told is None else self._of(balance, told)

    def sizes(self, balance: Balance) -> FloatArray | None:
        """(n,) bytes on each, NaN where not told; None where no size is told."""
        told = balance.by_broker.size_bytes
        return None if told is None else self._of(balance, told)

    def _of(self, balance: Balance, told: npt.NDArray[np.generic]) -> FloatArray:
        held = dict(zip(balance.by_broker.names, told.tolist(), strict=True))
        return np.array([held.get(broker, 0) for broker in self.ids.tolist()], np.float64)


def busiest(figure: Bars, weight: FloatArray, words: str) -> Bars:
    """A figure as it is, or, where nobody could tell its bars apart, with those that weigh most, in their order.

    Args:
        figure: n carriers.
        weight: (n,) by which they are chosen; those without any are left out.
        words: what they do, for the title: "that change most".
    """
    count = len(figure.names)
    if count <= APART:
        return figure
    chosen = np.sort(np.argsort(-weight, kind="stable")[: min(KEPT, int((weight > 0).sum()))])
    at = chosen.tolist()
    return replace(
        figure,
        title=f"{figure.title}: the {len(at):,} of {count:,} {figure.what}s {words}",
        names=tuple(figure.names[place] for place in at),
        groups=None if figure.groups is None else tuple(figure.groups[place] for place in at),
        series=tuple(replace(one, values=one.values[chosen]) for one in figure.series),
        marked=None if figure.marked is None else tuple(figure.marked[place] for place in at),
    )


def worst_first(table: Table, weight: FloatArray) -> Table:
    """A table of brokers as it is, or, where there are many, those with the most first and few of them shown.

    Args:
        table: a row a broker.
        weight: (n,) by which they go.
    """
    if len(table) <= MANY:
        return table
    rows = np.argsort(-weight, kind="stable")

    def taken(column: Column) -> Column:
        values = column.values
        chosen = values[rows] if isinstance(values, np.ndarray) else tuple(values[row] for row in rows.tolist())
        return Column(column.name, chosen, column.unit)

    return Table(table.slug, table.title, tuple(taken(column) for column in table.columns), MANY)


def rack_name(rack: str | None) -> str:
    """A rack's name as it is written beside a figure."""
    return "no rack" if rack is None else visible(rack, NAME)


def brokers_of(layout: ClusterLayout, plan: Plan | None = None) -> Carriers:
    """The brokers of a layout.

    Args:
        layout: the layout.
        plan: what is planned on it; None: nothing is said of joining and leaving.
    """
    ids = broker_order(layout)
    at = np.searchsorted(layout.broker_ids, ids).tolist()
    racks = tuple(None if layout.brokers[place].rack is None else rack_name(layout.brokers[place].rack) for place in at)
    leaving = frozenset() if plan is None else frozenset(plan.wish.remove)
    joining = frozenset() if plan is None else frozenset(broker for broker, _ in plan.wish.add)
    kept = (
        {}
        if plan is None
        else dict(zip(plan.proposed.broker_ids.tolist(), plan.proposed.replicas_by_broker.tolist(), strict=True))
    )
    marks = []
    for place in at:
        broker = layout.brokers[place]
        said = []
        if broker.state.unavailable:
            said.append(broker.state.word)
        if broker.id in leaving:
            keeps = kept.get(broker.id, 0)
            said.append(f"keeps {keeps:,}" if keeps else "drained")
        elif broker.id in joining:
            said.append("added")
        marks.append(", ".join(said) or None)
    return Carriers(ids, tuple(str(broker) for broker in ids.tolist()), racks if any(racks) else None, tuple(marks))
