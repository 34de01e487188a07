"""The log's lines of runs: one as a process begins, one as it has ended, with what became of the run."""

from __future__ import annotations

import logging
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from reseat.observe import events
from reseat.operate.journal.records import Run, RunOptions, RunState

AT = datetime(2026, 5, 1, tzinfo=UTC)
RUN = Run(7, "C1", "prod", "plan", None, "{}", "{}", "h", RunOptions(), "ann", RunState.RUNNING, "orders-1 moves", AT)


def test_a_run_has_a_line_as_it_begins_and_one_as_it_ends(caplog):
    """With cluster, run and outcome; a process that ends before its run is an interruption; no sentence of the run."""
    done = replace(RUN, state=RunState.DONE, ended_at=AT + timedelta(seconds=90))
    with caplog.at_level(logging.INFO, "reseat"):
        events.run_begun(RUN)
        events.run_ended(RUN)
        events.run_ended(done)
    told = [(one.message, one.cluster, one.run, one.outcome, getattr(one, "seconds", None)) for one in caplog.records]

    assert told == [
        ("run", "prod", 7, "begun", None),
        ("run", "prod", 7, "interrupted", None),
        ("run", "prod", 7, "done", 90.0),
    ]
    assert "orders" not in str([vars(one) for one in caplog.records])
