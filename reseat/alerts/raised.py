"""Which alerts hold at the latest snapshot of each cluster.

Complexity: one read of these snapshots and one of their findings, and forecasts as ``first_limits`` has them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reseat.forecast.first_limits import COLUMNS, FirstLimit, bring_up
from reseat.forecast.settings import MEASURES, Alert, Settings
from reseat.history.parts import day_of
from reseat.history.read import History
from reseat.history.unseen import unseen_by
from reseat.model.units import count, size

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["AlertState", "alert_states"]

#: Measures that count what is known of a cluster, and the kind of finding that is unseen where that is not all.
_AS_FAR_AS_KNOWN = {
    "size_bytes": "byte_skew",
    "byte_spread": "byte_skew",
    "below_min_isr": "below_min_isr",
    "rack_violations": "rack_shared_while_free",
}


@dataclass(frozen=True, slots=True)
class AlertState:
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


def alert_states(history: History, settings: Settings, now: datetime, file: Path | None = None) -> Iterator[AlertState]:
    """Every alert at every cluster that it is about.

    Args:
        history: the tables.
        settings: the alerts, and the limits.
        now: the time, UTC.
        file: where forecasts are kept between two looks (``first_limits``); None: nowhere.

    Raises:
        InputRefused: the tables cannot be read.
    """
    latest = history.latest(columns=tuple(dict.fromkeys((*COLUMNS, *MEASURES, "way"))))
    ahead = [set(alert.clusters) for alert in settings.alerts if alert.limit_within_days is not None]
    asked = latest["cluster"].map(lambda name: any(not named or name in named for named in ahead)).astype(bool)
    first = bring_up(history, settings, latest[asked], file) if asked.any() else {}
    kinds = {"not_read", "input_incomplete", *(alert.finding for alert in settings.alerts if alert.finding is not None)}
    found = _found(history, latest, sorted(kinds))
    dark = history.dark(days={day_of(moment) for moment in latest["taken_at"]})
    of = [(row, found.get(cluster, {})) for cluster, row in latest[["cluster", "snapshot_id"]].to_numpy()]
    not_read = {row: said.get("not_read", ()) for row, said in of}
    incomplete = {row for row, said in of if "input_incomplete" in said}
    unseen = unseen_by(latest, dark, not_read, incomplete, key="snapshot_id")
    for row in latest.to_dict("records"):
        mine = [alert for alert in settings.alerts if not alert.clusters or row["cluster"] in alert.clusters]
        for alert in mine:
            moment = row["taken_at"].to_pydatetime()
            if alert.silent_for_hours is not None:
                holds = now - moment > timedelta(hours=alert.silent_for_hours)
                last = f"the latest snapshot is of {moment:%Y-%m-%d %H:%M} UTC"
                sentence = f"{last} (limit {alert.silent_for_hours:g} h)"
            else:
                said = found.get(row["cluster"], {})
                holds, sentence = _one(alert, row, said, unseen[row["snapshot_id"]], first.get(row["cluster"]))
            yield AlertState(row["cluster"], alert.name, holds, sentence, row["snapshot_id"], moment)


def _one(
    alert: Alert,
    row: Mapping[Any, Any],
    said: Mapping[str, list[str]],
    unseen: Callable[[str], bool],
    first: FirstLimit | None,
) -> tuple[bool | None, str]:
    if alert.measure is not None:
        value = row[alert.measure]
        if not _is_number(value):
            return None, f"{alert.measure} is unknown"
        words = size if alert.measure in ("size_bytes", "byte_spread") else count
        sentence = f"{alert.measure} is {words(value)} (limit {words(alert.above)})"
        if value <= alert.above and unseen(_AS_FAR_AS_KNOWN.get(alert.measure, "")):
            return None, f"{sentence} as far as it is known"
        return value > alert.above, sentence
    if alert.finding is not None:
        if sentences := said.get(alert.finding):
            return True, sentences[0]
        if unseen(alert.finding):
            return None, f"whether {alert.finding} is there still was not read"
        return False, f"{alert.finding} is not found any more"
    if first is None:
        return False, "No limits are set."
    within = alert.limit_within_days or 0
    if first.likely is not None and first.likely - first.day <= timedelta(days=within):
        return True, first.sentence
    return (None if first.why or not first.ahead or first.ahead < within else False), first.sentence


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and value == value  # noqa: PLR0124 -- NaN; NA is no number at all


def _found(history: History, latest: pd.DataFrame, kinds: Sequence[str]) -> dict[str, dict[str, list[str]]]:
    """What the latest snapshots say of some kinds of findings, the worst first: by cluster, by kind."""
    from pyarrow import compute as pc

    last = dict(zip(latest["cluster"], latest["snapshot_id"], strict=True))
    rows = history.table(
        "findings",
        days={day_of(moment) for moment in latest["taken_at"]},
        columns=["cluster", "snapshot_id", "kind", "rank", "sentence"],
        filter=pc.field("snapshot_id").isin(sorted(last.values())) & pc.field("kind").isin(kinds),
    ).sort_by("rank")
    said: dict[str, dict[str, list[str]]] = {}
    for row in rows.to_pylist():
        if last[row["cluster"]] == row["snapshot_id"]:
            said.setdefault(row["cluster"], {}).setdefault(row["kind"], []).append(row["sentence"])
    return said
