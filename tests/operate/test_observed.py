"""How long a plan takes, from what earlier runs showed: no rate is made up, and none is above the throttle."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from reseat.operate.journal import wishes
from reseat.operate.journal.journal import Approval, PlannedMove
from reseat.operate.journal.records import RunOptions, RunState
from reseat.operate.observed import RUNS, estimate, observed_rates
from reseat.planning.schedule import Hours
from reseat.planning.windows import read_windows
from tests.planning.test_schedule import NOW, PLAN, SIZES, batches, work

PREVIEW = batches(work(NOW, PLAN, SIZES))  # broker 1 sends 3 GB, and 6 GB are copied
MB = 1_000_000


@pytest.fixture
def ended(journal, monkeypatch):
    """Make a run of one partition that took so long, by a clock of its own."""

    def make(*, seconds, size=600 * MB, options=None, state=RunState.DONE, paused=False):
        began = datetime(2026, 11, 23, tzinfo=UTC)
        monkeypatch.setattr("reseat.operate.journal.journal.now", began.isoformat)
        moves = [PlannedMove("a", 0, (1, 2), (1, 3), size)]
        run = journal.approve(Approval("C1", "prod", "{}", "{}", "h", "ann", moves, options or RunOptions()))
        if paused:
            wishes.pause(journal, run.id, operator="ben")
        monkeypatch.setattr("reseat.operate.journal.journal.now", (began + timedelta(seconds=seconds)).isoformat)
        with journal.lease("C1", operator="ann", run_id=run.id) as lease:
            journal.set_state(lease, run.id, state, "It ended.")

    return make


def test_the_rate_is_that_of_the_busiest_broker_newest_first(journal, ended):
    """600 MB in 60 s are 10 MB/s; of more than five runs the newest five tell."""
    for seconds in (600, 60, 30, 20, 15, 12):
        ended(seconds=seconds)

    assert observed_rates(journal, "C1") == tuple(600 * MB / s for s in (12, 15, 20, 30, 60))
    assert len(observed_rates(journal, "C1")) == RUNS
    assert observed_rates(journal, "C2") == ()


@pytest.mark.parametrize(
    "odd",
    [
        {"seconds": 9},
        {"seconds": 60, "size": None},
        {"seconds": 60, "size": 0},
        {"seconds": 60, "state": RunState.CANCELLED},
        {"seconds": 60, "paused": True},
        {"seconds": 60, "options": RunOptions(windows=read_windows("22:00-06:00"))},
    ],
)
def test_a_run_that_did_more_or_less_than_copy_shows_no_rate(journal, ended, odd):
    """Too short, of unknown or no size, stopped, paused, or with a window."""
    ended(**odd)

    assert observed_rates(journal, "C1") == ()


def test_an_estimate_comes_of_runs_else_of_the_throttle_else_of_nothing():
    """3 GB at the busiest broker: at 10, 20 and 40 MB/s; a throttle of 25 MB/s bounds the fastest."""
    rates = (20.0 * MB, 40.0 * MB, 10.0 * MB)

    assert estimate(PREVIEW, None, ()) is None
    assert estimate(PREVIEW, 3 * MB, ()).hours == PREVIEW.hours(3 * MB)
    assert estimate(PREVIEW, 3 * MB, ()).runs == 0
    assert estimate(PREVIEW, None, rates).hours == Hours(75.0, 150.0, 300.0)
    assert estimate(PREVIEW, 25 * MB, rates).hours == Hours(120.0, 150.0, 300.0)
    assert estimate(PREVIEW, 5 * MB, rates).hours == Hours(600.0, 600.0, 600.0)
    assert estimate(PREVIEW, 50 * MB, rates[:1]) == replace(
        estimate(PREVIEW, None, rates[:1]), hours=Hours(60.0, 150.0, 150.0)
    )
