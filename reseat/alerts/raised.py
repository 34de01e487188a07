"""Which alerts hold at the latest snapshot of each cluster.

Complexity: one read of these snapshots, and a forecast of each cluster of which an alert asks for it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from reseat.forecast.outlook import outlooks
from reseat.forecast.settings import MEASURES, Alert, Settings
from reseat.history.read import History
from reseat.model.units import count, size

__all__ = ["Judged", "judged"]


@dataclass(frozen=True, slots=True)
class Judged:
    """One alert at one cluster.

    Attributes:
        cluster: the cluster.
        alert: the alert's name.
        holds: whether it holds; None: unknown, so that it neither begins nor ends.
        sentence: how it is.
        snapshot_id: the snapshot that says so.
        taken_at: when that was taken.
    """

    cluster: str
    alert: str
    holds: bool | None
    sentence: str
    snapshot_id: str
    taken_at: datetime


def judged(history: History, settings: Settings) -> Iterator[Judged]:
    """Every alert at every cluster that it is about.

    Raises:
        InputRefused: the tables cannot be read.
    """
    latest = history.latest(columns=("cluster", "snapshot_id", "taken_at", *MEASURES))
    for row in latest.to_dict("records"):
        mine = [alert for alert in settings.alerts if not alert.clusters or row["cluster"] in alert.clusters]
        for alert in mine:
            holds, sentence = _one(history, settings, alert, row)
            moment = row["taken_at"].to_pydatetime()
            yield Judged(row["cluster"], alert.name, holds, sentence, row["snapshot_id"], moment)


def _one(history: History, settings: Settings, alert: Alert, row: dict[Any, Any]) -> tuple[bool | None, str]:
    cluster = row["cluster"]
    if alert.measure is not None:
        value = row[alert.measure]
        if not isinstance(value, int | float) or value != value:  # noqa: PLR0124 -- NaN; NA is no number at all
            return None, f"{alert.measure} is unknown"
        words = size if alert.measure in ("size_bytes", "byte_spread") else count
        return value > alert.above, f"{alert.measure} is {words(value)} (limit {words(alert.above)})"
    if alert.finding is not None:
        found = _sentence(history, cluster, row["snapshot_id"], alert.finding)
        return found is not None, found or f"{alert.finding} is not found any more"
    told = outlooks(history, cluster, settings.limits(cluster))
    soonest, until = told.first, told.until
    met = None if soonest is None or soonest.met is None else soonest.met.likely
    if met is not None and until is not None and met - until <= timedelta(days=alert.limit_within_days or 0):
        return True, told.sentence
    return (None if told.blind or not told.ahead else False), told.sentence


def _sentence(history: History, cluster: str, snapshot_id: str, kind: str) -> str | None:
    from pyarrow import compute as pc

    columns, of_kind = ["rank", "sentence"], pc.field("kind") == kind
    found = history.table("findings", cluster, snapshot_id=snapshot_id, columns=columns, filter=of_kind)
    return str(found.sort_by("rank")["sentence"][0]) if len(found) else None
