"""The plans that a journal has of a cluster, as its history shows them: what each was, when it ended, and how."""

from __future__ import annotations

from reseat.formats.documents.sealed import leaving_in
from reseat.history.events import PlanRun
from reseat.model.wording import listed, verb
from reseat.operate.journal.journal import Journal
from reseat.operate.journal.records import Run, RunState

__all__ = ["drain_of", "plan_runs"]

#: So many of the newest: each one's text is read for the brokers that it empties.
_MOST = 50
_WORDS = {RunState.DONE: "done", RunState.CANCELLED: "stopped", RunState.FAILED: "failed"}


def plan_runs(journal: Journal, cluster_id: str | None) -> tuple[PlanRun, ...]:
    """The newest runs of a cluster, oldest first; none where its id is not known, as names differ between people.

    Raises:
        WriteRefused: the journal cannot be read.
    """
    runs = journal.runs(cluster_id, most=_MOST) if cluster_id else ()
    return tuple(
        PlanRun(_name(run), run.approved_at, run.ended_at, _WORDS.get(run.state, run.state.value))
        for run in reversed(runs)
    )


def _name(run: Run) -> str:
    name, drain = f"{run.title[0].lower()}{run.title[1:]}", drain_of(run)
    return f"{name}, the {drain}" if drain else name


def drain_of(run: Run) -> str:
    """What a run is, where its plan empties brokers: ``drain of broker 7``; else, and of a rollback, nothing."""
    emptied = () if run.takes_back is not None else leaving_in(run.plan)
    return f"drain of {verb(len(emptied), 'broker', 'brokers')} {listed(emptied)}" if emptied else ""
