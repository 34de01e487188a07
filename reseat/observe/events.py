"""What happens in a server, told where it happens: counted for Prometheus, and a line of the log.

Lines say which cluster, run or page, how long it took and how it ended. No topic, no address and no secret is in them.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from time import perf_counter

from reseat.errors import ReseatError
from reseat.jobs.process import PipelineState
from reseat.model import Wish
from reseat.observe import metrics
from reseat.operate.journal.records import Run
from reseat.sources.followed import LiveCluster

__all__ = ["LOG", "drawing", "kind_of", "pipeline_ended", "planning", "reading_ended", "run_begun", "run_ended"]

#: Where the events go; ``reseat.observe.logs`` says in which form.
LOG = logging.getLogger("reseat")


@contextmanager
def drawing(page: str) -> Iterator[None]:
    """A page is drawn, also where it stops early or is drawn anew.

    Args:
        page: its title.
    """
    begun = perf_counter()
    try:
        yield
    finally:
        seconds = perf_counter() - begun
        metrics.RERUNS.labels(page).observe(seconds)
        LOG.debug("page drawn", extra={"page": page, "seconds": round(seconds, 3)})


@contextmanager
def planning(wish: Wish) -> Iterator[None]:
    """A plan is made, or refused."""
    begun, outcome = perf_counter(), "refused"
    try:
        yield
        outcome = "made"
    finally:
        seconds = perf_counter() - begun
        metrics.PLANS.labels(kind_of(wish)).observe(seconds)
        LOG.info("plan", extra={"kind": kind_of(wish), "outcome": outcome, "seconds": round(seconds, 3)})


def kind_of(wish: Wish) -> str:
    """What a plan is for, as a word of few: those that several are in one are ``combined``."""
    asked = {
        "drain": wish.remove,
        "add": wish.add,
        "replication factor": wish.replication_factor is not None,
        "rebalance": wish.rebalance,
        "racks": wish.mend_racks,
        "mend": wish.mend,
        "leaders": wish.leaders_only,
    }
    kinds = [kind for kind, wanted in asked.items() if wanted]
    return kinds[0] if len(kinds) == 1 else "combined" if kinds else "none"


def reading_ended(live: LiveCluster, took: timedelta, error: ReseatError | None) -> None:
    """A reading of a configured cluster ended; ``error`` says why nothing came of it."""
    outcome = "read" if error is None else "failed"
    metrics.READINGS.labels(live.name, outcome).inc()
    metrics.READING_SECONDS.labels(live.name).observe(took.total_seconds())
    extra = {"cluster": live.name, "outcome": outcome, "seconds": round(took.total_seconds(), 3)}
    reason = getattr(error, "reason", None)
    LOG.info("cluster reading", extra=extra if reason is None else {**extra, "reason": reason})


def run_begun(run: Run) -> None:
    """A process was started for a run, from the beginning or to go on with it."""
    LOG.info("run", extra={"cluster": run.cluster, "run": run.id, "kind": run.kind, "outcome": "begun"})


def run_ended(run: Run) -> None:
    """That process has ended; where the run is open still, it was interrupted."""
    extra: dict[str, object] = {"cluster": run.cluster, "run": run.id, "kind": run.kind}
    if run.ended_at is not None:
        extra["seconds"] = round((run.ended_at - run.approved_at).total_seconds(), 1)
    LOG.info("run", extra={**extra, "outcome": "interrupted" if run.state.open else run.state.value})


def pipeline_ended(state: PipelineState) -> None:
    """A job of the pipeline ended."""
    outcome = state.phase.name.lower()
    metrics.PIPELINE_RUNS.labels(outcome).inc()
    if state.started_at is not None and state.ended_at is not None:
        seconds = round((state.ended_at - state.started_at).total_seconds(), 1)
        LOG.info("pipeline", extra={"outcome": outcome, "seconds": seconds})
