"""What a person asks of an approved run: stop, cancel, pause, go on, another throttle, more or fewer moves at a time.

All of it goes through the journal, so that any process may ask whichever process is at work, and a cluster that does
not answer keeps nobody from asking. Each wish is kept with who had it (a step of the kind ``wish``).
"""

from __future__ import annotations

from reseat.operate.journal.journal import Journal
from reseat.operate.journal.records import Run, RunOptions, RunState
from reseat.operate.run import sentences, throttling
from reseat.operate.run.cordoning import outstanding_cordons

__all__ = ["change", "pause", "resume", "stop"]


def stop(journal: Journal, run_id: int, *, cancel: bool, operator: str) -> bool:
    """Send nothing further.

    Where nobody is at work and nothing is under way the run is over by that: there is nothing to ask the cluster for,
    unless a cordon of the run is to be lifted.

    Args:
        journal: where the run is.
        run_id: the run.
        cancel: take back what is under way too, where the cluster can.
        operator: who asks.

    Returns:
        Whether the run is still open and nobody is at work on it: whoever asked goes on with it, to its end.

    Raises:
        WriteRefused: the run is over.
    """
    journal.request_stop(run_id, cancel, operator=operator)
    told = journal.progress(run_id, moves=False)
    if told.alive:
        return False
    if told.sent or not told.run.state.open:
        return told.run.state.open
    with journal.lease(told.run.cluster_id, operator=operator, run_id=run_id) as lease:
        run, moves = journal.run(run_id), journal.moves(run_id)
        if not run.state.open:
            return False
        cordons = outstanding_cordons(journal, run_id)
        if any(move.state == "sent" for move in moves) or (cancel and cordons is not None):
            return True
        left = sentences.THROTTLES_LEFT if throttling.outstanding_throttles(journal, run_id) else ""
        left += "" if cordons is None else sentences.stays_cordoned(sorted(cordons.before))
        journal.set_state(lease, run_id, RunState.CANCELLED, f"Stopped: {sentences.ended(moves)}{left}")
    return False


def pause(journal: Journal, run_id: int, *, operator: str) -> Run:
    """Send nothing further until ``resume``; what is under way goes on.

    Raises:
        WriteRefused: the run is over or is being stopped.
    """
    journal.request_pause(run_id, operator, operator=operator)
    return journal.run(run_id)


def resume(journal: Journal, run_id: int, *, operator: str) -> Run:
    """Send again after ``pause``.

    Raises:
        WriteRefused: the run is over or is being stopped.
    """
    journal.request_pause(run_id, "", operator=operator)
    return journal.run(run_id)


def change(journal: Journal, run_id: int, options: RunOptions, *, operator: str) -> Run:
    """Go on with another throttle, or more or fewer moves at a broker at a time; whoever is at work heeds it at once.

    Raises:
        WriteRefused: the run is over.
    """
    journal.change_options(run_id, options, operator=operator)
    return journal.run(run_id)
