"""What earlier runs on a cluster showed of how fast it copies, and how long a plan takes then, in words.

Promises: no rate is made up. A run shows one where it is done, all of its sizes were told, it copied for long enough
(``LEAST_SECONDS``, ``LEAST_BATCH_SECONDS``), and it had no window, no pause and no other throttle or concurrency on the
way. The rate is that of its busiest broker, from approval to end; a run that stood a while without an executor, or
until the cluster was healthy, looks slower than it was. Where its throttle was what limited it, it shows nothing of a
higher one, and for a lower one the share of the throttle that it reached. Which runs count, and why:
docs/decisions/0045.

Complexity: O(partitions) of at most ``LOOKED_AT`` runs.
"""

from __future__ import annotations

from datetime import datetime

from reseat.model.units import duration
from reseat.model.wording import counted
from reseat.operate.journal.journal import Journal
from reseat.operate.journal.records import Run, RunOptions, RunState
from reseat.operate.run.batches import work_of_moves
from reseat.schedule.batches import BatchLimits, Preview, batches
from reseat.schedule.estimate import ObservedRate, estimate
from reseat.schedule.tiered import left_out

__all__ = ["LEAST_BATCH_SECONDS", "LEAST_SECONDS", "observed_rates", "takes"]

#: So many runs tell a rate, of the newest so many.
RUNS, LOOKED_AT = 5, 50
#: A run that copied for less shows what starting takes, not copying.
LEAST_SECONDS = 10.0
#: A run whose batches took less each shows what sending and looking (every quarter of a second) take, not copying.
LEAST_BATCH_SECONDS = 2.0
#: A run was limited by its throttle unless it took longer than this many times its schedule at the throttle.
_LIMITED = 1.5


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
    return f"{words}{without}.{left_out(preview)}"


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
