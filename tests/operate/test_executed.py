"""The runs of a journal as a history shows them."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path

from reseat.operate.executed import plan_runs
from reseat.operate.journal.journal import Journal
from reseat.operate.journal.records import RunState
from tests.operate.test_journal import APPROVAL

#: As far as the brokers that a plan empties are asked for.
_DRAIN = '{"version":1,"partitions":[],"reseat":{"version":1,"leaving":[5,4]}}'


def test_runs_are_named_by_what_they_did_and_how_they_ended(tmp_path: Path) -> None:
    """Oldest first, of this cluster alone; none where its id is not known."""
    with closing(Journal(tmp_path / "journal.sqlite")) as journal:

        def carried_out(state: RunState, plan: str = "{plan}", takes_back: int | None = None) -> int:
            kind = "plan" if takes_back is None else "rollback"
            run = journal.approve(replace(APPROVAL, plan=plan, kind=kind, takes_back=takes_back))
            if not state.open:
                with journal.lease("C1", operator="ann", run_id=run.id) as lease:
                    journal.set_state(lease, run.id, state, "")
            return run.id

        drain = carried_out(RunState.DONE, _DRAIN)
        carried_out(RunState.CANCELLED, _DRAIN, drain)
        carried_out(RunState.FAILED)
        carried_out(RunState.APPROVED)
        told = plan_runs(journal, "C1")

        assert [(one.name, one.state, one.ended is None) for one in told] == [
            (f"run {drain}, the drain of brokers 4 and 5", "done", False),
            (f"run {drain + 1}, the rollback of run {drain}", "stopped", False),
            (f"run {drain + 2}", "failed", False),
            (f"run {drain + 3}", "approved", True),
        ]
        assert all(one.ended is None or one.ended >= one.began for one in told)
        assert plan_runs(journal, "C2") == plan_runs(journal, None) == plan_runs(journal, "") == ()
