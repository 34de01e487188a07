"""How long a plan will take, from what earlier runs on the cluster showed, else from the throttle.

Promises: no rate is made up. A run shows one where it is done, all of its sizes were told, it copied for at least
``LEAST_SECONDS``, and it had no window and no pause. The rate is that of its busiest broker, from approval to end; a
run that stood a while without an executor looks slower than it was. No estimate is below what a plan's throttle allows.

Example: two runs showed 20 and 40 MB/s at their busiest broker. A plan whose busiest broker sends 72 GB takes 30
minutes at the faster rate, 40 at the middle, and 60 at the slower.

Complexity: O(partitions) of at most ``RUNS`` runs.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median

from reseat.operate.journal.journal import Journal
from reseat.operate.journal.records import Run, RunState
from reseat.operate.run.batches import work_of_moves
from reseat.planning.schedule import Hours, Preview, batches

__all__ = ["LEAST_SECONDS", "Estimate", "estimate", "observed_rates"]

#: So many runs tell a rate, of the newest so many.
RUNS, LOOKED_AT = 5, 50
#: A run that copied for less shows what starting takes, not copying.
LEAST_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class Estimate:
    """How long a plan takes.

    Attributes:
        hours: in seconds.
        runs: how many earlier runs it comes from; 0: from the throttle alone.
    """

    hours: Hours
    runs: int


def observed_rates(journal: Journal, cluster_id: str) -> tuple[float, ...]:
    """Bytes a second at the busiest broker of earlier runs on this cluster, newest first; at most ``RUNS``."""
    rates: list[float] = []
    for run in journal.runs(cluster_id, most=LOOKED_AT):
        rate = _rate_of(journal, run) if run.state is RunState.DONE else None
        if rate is not None:
            rates.append(rate)
        if len(rates) == RUNS:
            break
    return tuple(rates)


def estimate(preview: Preview, throttle: int | None, rates: tuple[float, ...]) -> Estimate | None:
    """How long a schedule takes; None where neither a throttle nor an earlier run says.

    Args:
        preview: the schedule.
        throttle: bytes a second a broker, or None.
        rates: as of ``observed_rates``.
    """
    if not rates:
        return None if throttle is None else Estimate(preview.hours(throttle), 0)
    held = [rate if throttle is None else min(rate, throttle) for rate in rates]
    fastest = max(held) if throttle is None else throttle
    seconds = [preview.busiest / rate for rate in (fastest, median(held), min(held))]
    return Estimate(Hours(*seconds), len(rates))


def _rate_of(journal: Journal, run: Run) -> float | None:
    wished = journal.steps(run_id=run.id, kind="wish")
    if run.ended_at is None or run.options.windows is not None or any("pause" in wish.content for wish in wished):
        return None
    seconds = (run.ended_at - run.approved_at).total_seconds()
    moves = journal.moves(run.id)
    if seconds < LEAST_SECONDS or any(move.bytes_total is None for move in moves):
        return None
    busiest = batches(work_of_moves(moves, {})).busiest
    return busiest / seconds if busiest else None
