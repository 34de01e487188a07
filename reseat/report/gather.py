"""The one place that makes what a report is made of: for the page and for the command alike.

Promises: the plan is the one that every page and command makes of the same layout and wish; a refused wish is a report
too, with the reason; what would take long is left out (``PATIENCE``), never guessed; the same inputs give the same
matter, however fast the machine is.

Complexity: as planning; the curve and the draws of Kafka's ``--generate`` once each.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

import numpy as np

from reseat.balance.moved import all_findings
from reseat.balance.quorum import still_voting
from reseat.balance.room import short_of_room
from reseat.errors import InputRefused, WishRefused
from reseat.formats import Reading
from reseat.model import ClusterLayout, Curve, Finding, Plan, Severity, Wish
from reseat.model.snapshot import in_utc
from reseat.model.wording import listed, visible
from reseat.placement import Tool
from reseat.planning.against_generate import AgainstGenerate, against_generate, expected_seconds
from reseat.planning.kinds.curve import whole_curve
from reseat.planning.plan import plan as plan_wish
from reseat.report.matter import Matter, ReportPast
from reseat.schedule.estimate import ObservedRate

if TYPE_CHECKING:
    from reseat.history.read import History

__all__ = ["PATIENCE", "gather", "past_of"]

#: Seconds that all draws of one tool may take, as ``expected_seconds`` tells them.
PATIENCE = 0.4
#: Draws of one tool at most: their spread does not change much after these.
_DRAWS = 100
#: Moments of the past that a figure can tell apart.
MOMENTS = 400
#: What is told of each snapshot of the past.
PAST = (
    "brokers", "brokers_down", "topics", "partitions", "replicas", "size_bytes", "offline", "under_replicated",
    "below_min_isr", "replica_spread", "leader_spread",
)  # fmt: skip


def gather(
    reading: Reading,
    layout: ClusterLayout,
    wish: Wish,
    *,
    plan: Plan | None = None,
    cluster: str | None = None,
    version: str | None = None,
    past: ReportPast | None = None,
    rates: tuple[ObservedRate, ...] = (),
    beside: bool = True,
    curve_of: Callable[[ClusterLayout, Wish], Curve] = whole_curve,
    draws_of: Callable[..., AgainstGenerate] = against_generate,
) -> Matter:
    """What a report is made of.

    Args:
        reading: what came of reading the input.
        layout: what the options made of it.
        wish: what is asked for; may be empty.
        plan: its plan, where it is made already; None: it is made here.
        cluster: the cluster's name, where the person gives one.
        version: Kafka's, where the person gives one.
        past: the cluster's history.
        rates: what earlier runs on the cluster showed of how fast it copies.
        beside: whether the plan shall stand beside other points of its curve and beside Kafka's own tool.
        curve_of: finds the curve; a server keeps what it found.
        draws_of: draws what Kafka's own tool proposes; likewise.
    """
    refusal = None
    if plan is None and not wish.is_empty:
        try:
            plan = plan_wish(layout, wish)
        except WishRefused as error:
            refusal = str(error)
    if plan is not None:
        votes, room = still_voting(reading.quorum, wish.remove), short_of_room(plan, reading.log_dirs)
        told = (room, Finding("still_voting", Severity.ATTENTION, votes) if votes else None)
        plan = replace(plan, findings=(*plan.findings, *(finding for finding in told if finding is not None)))
    facts = reading.facts
    return Matter(
        layout=layout,
        source=reading.source,
        cluster=cluster or _text(facts.get("cluster")),
        version=version or _text(facts.get("version")),
        metadata=_text(facts.get("metadata")),
        read_at=_moment(facts.get("taken_at")),
        reading=all_findings((), layout, reading),
        wish=wish,
        plan=plan,
        refusal=refusal,
        curve=_curve(layout, wish, curve_of) if plan is not None and beside else None,
        generate=_draws(plan, draws_of) if plan is not None and beside else (),
        past=past,
        rates=rates,
        tiering=reading.tiering,
    )


def past_of(history: History, cluster: str) -> ReportPast | None:
    """The history of a cluster by its name there; None where it has no snapshot.

    Raises:
        InputRefused: the tables cannot be read, or do not know the cluster.
    """
    from reseat.history.events import events_of

    known = history.clusters()
    if cluster not in known:
        there = f"it has {listed(visible(name, 60) for name in known)}" if known else "it has no cluster yet"
        raise InputRefused(f"The history knows no cluster {visible(cluster, 60)}: {there}.", source=history.where)
    snapshots = history.snapshots(cluster, columns=("taken_at", *PAST))
    if snapshots.empty:
        return None
    first, last = snapshots["taken_at"].iloc[0], snapshots["taken_at"].iloc[-1]
    marks, racks = events_of(history, cluster, snapshots, history.change_counts(cluster, first, last))
    if snapshots["size_bytes"].notna().any():  # without those on a broker that is down, data seems to have gone
        partly = snapshots["taken_at"].isin(history.sized_partly(cluster, first, last))
        snapshots["size_bytes"] = snapshots["size_bytes"].mask(partly)
    moments = np.array([moment.replace(tzinfo=None) for moment in snapshots["taken_at"]], "datetime64[s]")
    told = {name: snapshots[name].astype("Float64").to_numpy(np.float64, na_value=np.nan) for name in PAST}
    chosen, columns = thinned(moments, told)
    return ReportPast(
        taken_at=chosen,
        series=columns,
        events=tuple((np.datetime64(mark.at.replace(tzinfo=None), "s"), _sentence(mark.sentence)) for mark in marks),
        racks=racks,
        snapshots=len(moments),
        worst={name: moments[int(np.nanargmax(told[name]))] for name in PAST if not np.isnan(told[name]).all()},
        partly=frozenset(name for name in PAST if np.isnan(told[name]).any()),
    )


def thinned(moments: np.ndarray, told: dict[str, np.ndarray]) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """At most ``MOMENTS`` stretches of time, each with the largest of its values; first and last stand alone."""
    if len(moments) <= MOMENTS:
        return moments, told
    seconds = moments.astype(np.int64)
    within = (seconds - seconds[0]) / max(1, seconds[-1] - seconds[0])
    stretch = np.minimum(within * (MOMENTS - 2), MOMENTS - 3).astype(np.int64) + 1
    stretch[0], stretch[-1] = 0, MOMENTS - 1
    starts = np.flatnonzero(np.diff(stretch, prepend=-1))
    with np.errstate(invalid="ignore"):
        return moments[starts], {name: np.fmax.reduceat(column, starts) for name, column in told.items()}


def _sentence(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}."


def _curve(layout: ClusterLayout, wish: Wish, found: Callable[[ClusterLayout, Wish], Curve]) -> Curve | None:
    try:
        return found(layout, wish.at(None))
    except WishRefused:
        return None


def _draws(plan: Plan, drawn: Callable[..., AgainstGenerate]) -> tuple[AgainstGenerate, ...]:
    """What Kafka's own tools would do: as many draws as there is time for by the sizes of layout and plan."""
    found = []
    for tool in Tool:
        rounds = min(_DRAWS, int(PATIENCE / max(expected_seconds(plan, tool), PATIENCE / _DRAWS)))
        if not rounds:
            continue
        try:
            found.append(drawn(plan, tool, draws=rounds, seconds=float("inf")))
        except WishRefused:
            continue  # the tool itself would refuse, or has no proposal for such a change
    return tuple(found)


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def _moment(value: object) -> datetime | None:
    """A snapshot's moment; None where nothing of the kind is told."""
    try:
        told = value if isinstance(value, datetime) else datetime.fromisoformat(str(value))
    except ValueError:
        return None
    return in_utc(told)
