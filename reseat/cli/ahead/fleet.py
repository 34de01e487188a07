"""``forecast --fleet``: the limit that each cluster meets first, for a person and as JSON."""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from reseat.cli.output.exit_codes import ExitCode
from reseat.cli.output.writer import complain, say, table, write_json
from reseat.errors import InputRefused
from reseat.forecast.first_limits import COLUMNS, FirstLimit, behind, bring_up, default_file, kept, unlimited
from reseat.forecast.settings import NAMED_BY, Settings
from reseat.history.read import History
from reseat.model.wording import counted

__all__ = ["fleet_limits"]

#: Clusters listed for a person; of more, those that meet a limit first.
_LISTED = 60


def fleet_limits(history: History, settings: Settings, *, json: bool) -> int:
    """Tell them, the soonest first; says whether they could be kept.

    Raises:
        InputRefused: no cluster has limits, or the tables cannot be read.
    """
    latest = history.latest(columns=COLUMNS)
    if all(unlimited(settings, cluster) for cluster in latest["cluster"]):
        said = f"There are no limits; [limits] in the file that --limits or {NAMED_BY} names were expected."
        raise InputRefused(said, source=settings.source)

    def told(done: int, of: int) -> None:
        complain(f"reseat forecast: {done:,} of {counted(of, 'cluster')} with new snapshots.")

    file = default_file(history, settings, os.environ)
    lines = bring_up(history, settings, latest, file, told)
    listed = sorted(lines.items(), key=lambda pair: (pair[1].soonest, pair[0]))
    if json:
        write_json([_as_json(cluster, one) for cluster, one in listed])
    else:
        say(*_lines(listed))
    if behind(kept(file, settings), settings, latest):
        complain(f"reseat forecast: This could not be kept for Fleet and watch: {file} cannot be written.")
        return ExitCode.UNFINISHED
    return ExitCode.DONE


def _lines(listed: Sequence[tuple[str, FirstLimit]]) -> list[str]:
    fresh = datetime.now(UTC).date() - timedelta(days=1)
    rows = [
        (cluster, one.words if one.why or one.day >= fresh else f"{one.words} (as of {one.day})")
        for cluster, one in listed[:_LISTED]
    ]
    lines = table(("Cluster", "first limit"), rows)
    if len(listed) > _LISTED:
        lines.append(f"{_LISTED} of {len(listed):,} clusters; --json lists all.")
    return lines


def _as_json(cluster: str, one: FirstLimit) -> dict[str, object]:
    return {
        "cluster": cluster,
        "snapshot_id": one.snapshot_id,
        "until": one.day.isoformat(),
        "first": one.name or None,
        "met": {"early": one.early and one.early.isoformat(), "likely": one.likely and one.likely.isoformat()},
        "ahead": one.ahead,
        "sentence": one.sentence,
        "unknown": one.why or None,
    }
