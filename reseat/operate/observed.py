"""How long a plan will take, from what earlier runs on the cluster showed, else from the throttle.

Promises: no rate is made up. A run shows one where it is done, all of its sizes were told, it copied for long enough
(``LEAST_SECONDS``, ``LEAST_BATCH_SECONDS``), and it had no window, no pause and no other throttle or concurrency on the
way. The rate is that of its busiest broker, from approval to end; a run that stood a while without an executor, or
until the cluster was healthy, looks slower than it was. Where its throttle was what limited it, it shows nothing of a
higher one, and for a lower one the share of the throttle that it reached. No estimate is below what a plan's throttle
allows. Which runs count, and why: docs/decisions/0045.

Example: two runs showed 20 and 40 MB/s at their busiest broker. A plan whose busiest broker sends 72 GB takes 30
minutes at the faster rate, 40 at the middle, and 60 at the slower.

Complexity: O(partitions) of at most ``LOOKED_AT`` runs.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from statistics import median

from reseat.model.units import duration
from reseat.model.wording import counted
from reseat.operate.journal.journal import Journal
from reseat.operate.journal.records import Run, RunOptions, RunState
from reseat.operate.run.batches import work_of_moves
from reseat.planning.schedule import BatchLimits, Hours, Preview, batches

__all__ = ["LEAST_BATCH_SECONDS", "LEAST_SECONDS", "Estimate", "ObservedRate", "estimate", "observed_rates", "takes"]

#: So many runs tell a rate, of the newest so many.
RUNS, LOOKED_AT = 5, 50
#: A run that copied for less shows what starting takes, not copying.
LEAST_SECONDS = 10.0
#: A run whose batches took less each shows what sending and looking (every quarter of a second) take, not copying.
LEAST_BATCH_SECONDS = 2.0
#: A run was limited by its throttle unless it took longer than this many times its schedule at the throttle.
_LIMITED = 1.5


@dataclass(frozen=True, slots=True)
class ObservedRate:
    """What a run showed.

    Attributes:
        rate: bytes a second at its busiest broker.
        throttle: bytes a second a broker that limited it; None: something else did.
        ended_at: UTC.
    """

    rate: float
    throttle: int | None
    ended_at: datetime

    def at(self, throttle: int | None) -> float | None:
        """Bytes a second at the busiest broker that it shows for a throttle (None: none); None: nothing."""
        if self.throttle is None:
            return self.rate if throttle is None else min(self.rate, throttle)
        if throttle is None or throttle > self.throttle:
            return None
        return min(self.rate / self.throttle, 1.0) * throttle


@dataclass(frozen=True, slots=True)
class Estimate:
    """How long a plan takes.

    Attributes:
        hours: in seconds; from runs, at the fastest, the middle and the slowest of their rates.
        runs: how many earlier runs it comes from; 0: from the throttle alone.
        since: UTC, when the first of them ended; None where there are none.
    """

    hours: Hours
    runs: int = 0
    since: datetime | None = None

    @property
    def source(self) -> str:
        """What it comes from, as the rest of a sentence."""
        if self.since is None:
            return " at the throttle"
        day = f"{'since' if self.runs > 1 else 'of'} {self.since:%Y-%m-%d}"
        return f", from {counted(self.runs, 'earlier run')} on this cluster {day}"


def observed_rates(journal: Journal, cluster_id: str) -> tuple[ObservedRate, ...]:
    """What earlier runs on this cluster showed, newest first; at most ``RUNS``.

    Raises:
        WriteRefused: the journal cannot be read.
    """
    rates: list[ObservedRate] = []
    for run in journal.runs(cluster_id, most=LOOKED_AT):
        rate = _rate_of(journal, run) if run.state is RunState.DONE else None
        if rate is not None:
            rates.append(rate)
        if len(rates) == RUNS:
            break
    return tuple(rates)


def estimate(preview: Preview, throttle: int | None, rates: tuple[ObservedRate, ...]) -> Estimate | None:
    """How long a schedule takes; None where neither a throttle nor an earlier run says.

    Args:
        preview: the schedule.
        throttle: bytes a second a broker, or None.
        rates: as of ``observed_rates``.
    """
    shown = [(rate, seen.ended_at) for seen in rates if (rate := seen.at(throttle)) is not None]
    at_throttle = None if throttle is None else preview.hours(throttle)
    if not shown:
        return None if at_throttle is None else Estimate(at_throttle)
    held = [rate for rate, _ in shown]
    low, likely, high = (preview.busiest / rate for rate in (max(held), median(held), min(held)))
    if at_throttle is not None:
        # What never met this throttle does not say how close to it a run comes: its schedule does.
        low, high = at_throttle.low, max(high, at_throttle.likely)
    return Estimate(Hours(low, likely, high), len(held), min(ended_at for _, ended_at in shown))


def takes(preview: Preview, options: RunOptions, rates: tuple[ObservedRate, ...], now: datetime) -> str:
    """How long a schedule takes and when it ends, as a sentence; "" where nothing is copied.

    Args:
        preview: the schedule.
        options: how it is carried out.
        rates: as of ``observed_rates``.
        now: with a time zone.
    """
    unknown = int(preview.unknown.sum())
    if not preview.busiest:
        copies = counted(unknown, "copy", "copies")
        return f"How long it takes is unknown: {copies} of unknown size." if unknown else ""
    without = f", {counted(unknown, 'copy', 'copies')} of unknown size not counted" if unknown else ""
    told = estimate(preview, options.throttle, rates)
    if told is None:
        return "How long it takes is unknown: set a throttle. No earlier run on this cluster showed a rate without one."
    hours = told.hours
    low, high = duration(hours.low), duration(hours.high)
    words = f"About {duration(hours.likely)}{'' if low == high else f' ({low} to {high})'}{told.source}"
    if options.windows is not None:
        words += f"; started now, it ends about {options.windows.over_at(now, hours.likely):%Y-%m-%d %H:%M %Z}"
    return f"{words}{without}."


def _rate_of(journal: Journal, run: Run) -> ObservedRate | None:
    wishes = journal.steps(run_id=run.id, kind="wish")
    changed = any(wish.content.keys() & {"pause", "throttle", "moves_a_broker"} for wish in wishes)
    if run.ended_at is None or run.options.windows is not None or changed:
        return None
    seconds = (run.ended_at - run.approved_at).total_seconds()
    moves = journal.moves(run.id)
    if seconds < LEAST_SECONDS or any(move.bytes_total is None for move in moves):
        return None
    limits = BatchLimits(run.options.max_concurrent_moves_per_broker, order=run.options.order)
    preview = batches(work_of_moves(moves, {}), limits)
    if not preview.busiest or seconds < LEAST_BATCH_SECONDS * len(preview):
        return None
    throttle = run.options.throttle
    if throttle is not None and seconds > _LIMITED * preview.hours(throttle).likely:
        throttle = None
    return ObservedRate(preview.busiest / seconds, throttle, run.ended_at)
