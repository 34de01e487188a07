"""``forecast``: what a history says about the weeks to come, and when a limit is met."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

from reseat.cli.ahead.fleet import fleet_limits
from reseat.cli.ahead.sizing import sizing_json, sizing_lines
from reseat.cli.output.writer import complain, say, table, write_json
from reseat.errors import InputRefused, WishRefused, WriteRefused
from reseat.existing import may_exist
from reseat.forecast.outlook import WORDS, Outlook, Outlooks, outlooks
from reseat.forecast.settings import configured, read_settings
from reseat.forecast.since import BalanceSince, balance_since
from reseat.forecast.sizing import Sizing, sizing
from reseat.forecast.trend import LEAST_DAYS, Forecast, Refused
from reseat.history.places import default_tables
from reseat.history.read import History
from reseat.history.stretch import cluster_id_of
from reseat.model.wording import counted, listed
from reseat.operate.executed import plan_runs
from reseat.operate.journal.journal import Journal
from reseat.operate.journal.schema import default_path

__all__ = ["forecast"]

_WEEK = timedelta(days=7)
#: Counts listed for a person; of more, those that meet a limit first.
_LISTED = 60
#: Plans whose balance is told to a person, the newest.
_TOLD = 5
_HEAD = ("Broker", "count", "now", "a week", f"in {LEAST_DAYS // 7} weeks (80 %)", "limit", "met", "from", "to")


def forecast(chosen: argparse.Namespace) -> int:
    """Tell what comes; see the command's ``--help``."""
    settings = configured() if chosen.limits is None else read_settings(Path(chosen.limits))
    history = History.open(default_tables(os.environ) if chosen.tables is None else chosen.tables)
    clusters = history.clusters()
    if not clusters:
        said = "There are no tables here; `reseat pipeline run --landing DIR --tables DIR` makes them."
        raise InputRefused(said, source=history.where)
    if chosen.cluster is not None and chosen.cluster not in clusters:
        raise InputRefused(f"Cluster {chosen.cluster[:100]} is not in the history.", source=history.where)
    if chosen.fleet and (chosen.cluster is not None or chosen.until is not None):
        raise InputRefused("--fleet tells of all clusters: leave out --cluster and --until.")
    if strange := settings.strange(clusters):
        complain(f"{settings.source}: not in the history: {listed(name[:100] for name in strange)}.")
    if chosen.fleet:
        return fleet_limits(history, settings, json=chosen.json)
    wanted = clusters if chosen.cluster is None else (chosen.cluster,)
    since = _since_plans(history, wanted)
    told = [outlooks(history, cluster, settings.limits(cluster)) for cluster in wanted]
    sized = [None if chosen.until is None else _sized(history, one, chosen.until) for one in told]
    if chosen.json:
        write_json(
            [
                _as_json(one, since.get(one.cluster, ())) | ({} if size is None else {"sizing": sizing_json(size)})
                for one, size in zip(told, sized, strict=True)
            ]
        )
        today = datetime.now(UTC).date()
        complain(*(f"{one.cluster}: {said}" for one in told for said in one.old(today)))
    else:
        for one, size in zip(told, sized, strict=True):
            say(*_lines(one, since.get(one.cluster, ())), *([] if size is None else sizing_lines(size)))
    return 0


def _sized(history: History, told: Outlooks, until: date) -> Sizing | WishRefused:
    """How many brokers a cluster needs, or why that cannot be told: of one of many, which is no reason to tell none."""
    try:
        return sizing(history, told, until)
    except WishRefused as refusal:
        return refusal


def _since_plans(history: History, clusters: Sequence[str]) -> dict[str, tuple[BalanceSince, ...]]:
    """What became of the balance since each plan of the journal, by cluster; none where there is no journal."""
    path = default_path()
    if not may_exist(path):
        return {}
    identities = {cluster: cluster_id_of(history, cluster) for cluster in clusters}
    try:
        with closing(Journal(path)) as journal:
            plans = {cluster: plan_runs(journal, identity) for cluster, identity in identities.items()}
    except (InputRefused, WriteRefused) as refusal:
        complain(f"Executed plans are not shown. {refusal}")
        return {}
    return {cluster: balance_since(history, cluster, its) for cluster, its in plans.items()}


def _lines(told: Outlooks, since: Sequence[BalanceSince]) -> list[str]:
    past = "" if told.since is None else f", {told.since} to {told.until}"
    lines = [
        f"{told.cluster}{past}: {told.sentence}",
        *(f"  {one}" for one in (*told.old(datetime.now(UTC).date()), *told.blind)),
    ]
    lines += [f"  {one.sentence}" for one in since[:_TOLD]]
    inside, tried = told.inside
    if inside is not None:
        lines.append(
            f"  Of {tried:,} days held out of its own past, {inside:.0%} lay inside the 80 % interval told before."
        )
    shown = sorted(told.counts, key=lambda one: one.soonest)[:_LISTED]
    foretold = [_row(one, one.told) for one in shown if not isinstance(one.told, Refused)]
    if foretold:
        lines += table(_HEAD, foretold, left=2)
    if len(told.counts) > _LISTED:
        lines.append(f"  {_LISTED} of {len(told.counts):,} counts; --json lists all.")
    reasons: dict[str, list[str]] = {}
    for one in told.counts:
        if isinstance(one.told, Refused):
            reasons.setdefault(one.told.sentence, []).append(one.name)
    for reason, names in reasons.items():
        first = names[0] if len(names) == 1 else f"{names[0]} and {counted(len(names) - 1, 'other count')}"
        lines.append(f"  No forecast of {first}: {reason}")
    return lines


def _row(one: Outlook, told: Forecast) -> tuple[str, ...]:
    met = one.met
    month = min(LEAST_DAYS, len(told.likely)) - 1
    week = told.slope * 7
    return (
        "all" if one.broker is None else str(one.broker),
        WORDS[one.measure],
        one.words(one.now),
        f"{'-' if week < 0 else '+'}{one.words(abs(week))}",
        f"{one.words(told.likely[month])} ({one.words(told.low[month])} to {one.words(told.high[month])})",
        "-" if one.limit is None else one.words(one.limit),
        *(("-",) * 3 if met is None else (_day(met.likely), _day(met.early), _day(met.late))),
    )


def _day(day: date | None) -> str:
    return "not yet" if day is None else day.isoformat()


def _as_json(told: Outlooks, since: Sequence[BalanceSince]) -> dict[str, object]:
    inside, tried = told.inside
    return {
        "cluster": told.cluster,
        "since": None if told.since is None else told.since.isoformat(),
        "until": None if told.until is None else told.until.isoformat(),
        "sentence": told.sentence,
        "blind": list(told.blind),
        "inside": inside,
        "tried": tried,
        "counts": [_count_json(one) for one in told.counts],
        "plans": [_plan_json(one) for one in since],
    }


def _plan_json(one: BalanceSince) -> dict[str, object]:
    return {
        "name": one.plan.name,
        "approved": one.plan.began.isoformat(),
        "ended": one.plan.ended and one.plan.ended.isoformat(),
        "spread_before": one.before,
        "spread_after": [{"days": days, "replica_spread": spread} for days, spread in one.after],
        "sentence": one.sentence,
    }


def _count_json(one: Outlook) -> dict[str, object]:
    told, met = one.told, one.met
    out: dict[str, object] = {
        "measure": one.measure,
        "broker": one.broker,
        "now": one.now,
        "limit": one.limit,
        "met": met
        and {name: day and day.isoformat() for name in ("early", "likely", "late") for day in (getattr(met, name),)},
    }
    if isinstance(told, Refused):
        return out | {"refused": told.sentence}
    weeks = [
        {
            "day": (one.until + week * _WEEK).isoformat(),
            "likely": round(float(told.likely[week * 7 - 1]), 1),
            "low": round(float(told.low[week * 7 - 1]), 1),
            "high": round(float(told.high[week * 7 - 1]), 1),
        }
        for week in range(1, len(told.likely) // 7 + 1)
    ]
    facts = {"slope_per_week": told.slope * 7, "inside": told.inside, "tried": told.tried, "weeks": weeks}
    return out | {"refused": None} | facts
