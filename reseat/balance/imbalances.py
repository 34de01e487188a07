"""The imbalances of a layout in the order in which they deserve a look, for the Overview."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from reseat.model import ClusterLayout, FloatArray, Longs
from reseat.model.units import count, size
from reseat.model.wording import visible

if TYPE_CHECKING:
    from reseat.balance import Balance
    from reseat.balance.spread import Spread

__all__ = ["Imbalance", "imbalances"]


@dataclass(frozen=True, eq=False)
class Imbalance:
    """One uneven load.

    Attributes:
        title: "Leaders by broker".
        sentence: how far from even, beside what is unavoidable.
        unit: what is counted, in the plural.
        by_rack: whether the carriers are racks and not brokers.
        values: (n,) the loads in the layout's order of brokers, or of ``Loads.names``.
        names: (n,) what each carrier is called.
        mean: the mean over those that carry it.
        excess: how much the spread is above the least possible, as a share of the mean.
    """

    title: str
    sentence: str
    unit: str
    by_rack: bool
    values: Longs | FloatArray
    names: tuple[str, ...]
    mean: float
    excess: float


def imbalances(layout: ClusterLayout, balance: Balance) -> list[Imbalance]:
    """All uneven loads that are told, worst first; bytes have no known least spread and count with all of theirs."""
    brokers = tuple(f"broker {broker}" for broker in balance.by_broker.names)
    racks = tuple("no rack" if rack is None else str(rack) for rack in balance.by_rack.names)
    told: list[tuple[str, str, bool, Longs | FloatArray | None, Spread | None]] = [
        ("Replicas", "replicas", False, balance.by_broker.replicas, balance.by_broker.replica_spread),
        ("Leaders", "leaders", False, balance.by_broker.leaders, balance.by_broker.leader_spread),
        ("Bytes", "bytes", False, balance.by_broker.size_bytes, balance.by_broker.byte_spread),
    ]
    if balance.by_broker.leaders is None:
        told.append(
            (
                "Preferred leaders",
                "preferred leaders",
                False,
                balance.by_broker.preferred_leaders,
                balance.by_broker.preferred_leader_spread,
            )
        )
    if len(racks) > 1:
        told.append(("Replicas", "replicas", True, balance.by_rack.replicas, balance.by_rack.replica_spread))
        told.append(("Leaders", "leaders", True, balance.by_rack.leaders, balance.by_rack.leader_spread))
    found = [
        _imbalance(title, unit, by_rack, values, spread, racks if by_rack else brokers)
        for title, unit, by_rack, values, spread in told
        if values is not None and spread is not None and spread.mean > 0
    ]
    return sorted(found, key=lambda one: -one.excess)


def _imbalance(  # noqa: PLR0917 six facts of one load
    title: str,
    unit: str,
    by_rack: bool,
    values: Longs | FloatArray,
    spread: Spread,
    names: tuple[str, ...],
) -> Imbalance:
    shown = size if unit == "bytes" else count
    avoidable = spread.avoidable
    # The ends of the spread itself: one that is dead may hold more or less, and does not count.
    fullest, emptiest = (
        f"{shown(end)} ({visible(names[int(np.nanargmin(np.abs(values - end)))], 60)})"
        for end in (spread.most, spread.least)
    )
    alive = " among those alive" if spread.least > np.nanmin(values) or spread.most < np.nanmax(values) else ""
    if avoidable == 0:
        sentence = f"Evenly balanced: from {shown(spread.least)} to {shown(spread.most)}."
    else:
        least = "" if spread.least_possible is None else f"; best possible: {shown(spread.least_possible)}"
        sentence = f"{emptiest} to {fullest}: spread {shown(spread.spread)}{alive}{least}."
    return Imbalance(
        title=f"{title} by {'rack' if by_rack else 'broker'}",
        sentence=sentence,
        unit=unit,
        by_rack=by_rack,
        values=values,
        names=names,
        mean=spread.mean,
        excess=(spread.spread if avoidable is None else avoidable) / spread.mean,
    )
