"""How long a plan takes, from what earlier runs showed: no rate is made up, and none is above the throttle."""

from __future__ import annotations

import sqlite3
from datetime import UTC, datetime, timedelta
from functools import partial

import pytest

from reseat.errors import WriteRefused
from reseat.operate.journal.journal import Approval, PlannedMove
from reseat.operate.journal.records import RunOptions, RunState
from reseat.operate.observed import RUNS, observed_rates, takes
from reseat.operate.run import wishes
from reseat.schedule.batches import BatchLimits, Hours
from reseat.schedule.estimate import Estimate, ObservedRate, estimate
from reseat.schedule.windows import read_windows
from tests.schedule.test_batches import NOW, PLAN, SIZES, batches, work

PREVIEW = batches(work(NOW, PLAN, SIZES))  # broker 1 sends 3 GB, and 6 GB are copied
MB = 1_000_000
DAY = datetime(2026, 11, 23, tzinfo=UTC)


def make_ended(
    journal,
    monkeypatch,
    *,
    seconds,
    size=600 * MB,
    moves=1,
    options=None,
    state=RunState.DONE,
    asked=None,
    cluster="C1",
):
    """Make a run from broker 2 to 3 that took so long, by a clock of its own; the bytes are those of each partition."""
    monkeypatch.setattr("reseat.operate.journal.journal.now", DAY.isoformat)
    planned = [PlannedMove("a", partition, (1, 2), (1, 3), size) for partition in range(moves)]
    run = journal.approve(Approval(cluster, "prod", "{}", "{}", "h", "ann", planned, options or RunOptions()))
    if asked is not None:
        asked(journal, run.id, operator="ben")
    monkeypatch.setattr("reseat.operate.journal.journal.now", (DAY + timedelta(seconds=seconds)).isoformat)
    with journal.lease(cluster, operator="ann", run_id=run.id) as lease:
        journal.set_state(lease, run.id, state, "It ended.")


@pytest.fixture
def ended(journal, monkeypatch):
    """``make_ended`` in an empty journal."""
    return partial(make_ended, journal, monkeypatch)


def seen(*rates, throttle=None):
    """Rates as runs showed them, in MB a second, a day apart, the newest first."""
    return tuple(ObservedRate(rate * MB, throttle, DAY - timedelta(days=days)) for days, rate in enumerate(rates))


def test_the_rate_is_that_of_the_busiest_broker_newest_first(journal, ended):
    """600 MB in 60 s are 10 MB/s; of more than five runs the newest five tell, and none of another cluster."""
    ended(seconds=600, cluster="C3")
    for seconds in (600, 60, 30, 20, 15, 12):
        ended(seconds=seconds)

    assert [one.rate for one in observed_rates(journal, "C1")] == [600 * MB / s for s in (12, 15, 20, 30, 60)]
    assert observed_rates(journal, "C1")[0].ended_at == DAY + timedelta(seconds=12)
    assert len(observed_rates(journal, "C1")) == RUNS
    assert observed_rates(journal, "C2") == ()


@pytest.mark.parametrize(
    "odd",
    [
        {"seconds": 9},
        {"seconds": 19, "moves": 10, "options": RunOptions(1)},
        {"seconds": 60, "size": None},
        {"seconds": 60, "size": 0},
        {"seconds": 60, "state": RunState.CANCELLED},
        {"seconds": 60, "state": RunState.FAILED},
        {"seconds": 60, "asked": wishes.pause},
        {"seconds": 60, "asked": partial(wishes.change, options=RunOptions(throttle=5 * MB))},
        {"seconds": 60, "options": RunOptions(windows=read_windows("22:00-06:00"))},
    ],
)
def test_a_run_that_did_more_or_less_than_copy_shows_no_rate(journal, ended, odd):
    """Too short as a whole or by batch, of unknown or no size, not done, paused, changed, or with a window."""
    ended(**odd)

    assert observed_rates(journal, "C1") == ()


def test_ten_small_batches_show_a_rate_once_each_took_two_seconds(journal, ended):
    """What sending and looking take is little of it then."""
    ended(seconds=20, moves=10, options=RunOptions(1))

    assert [one.rate for one in observed_rates(journal, "C1")] == [300 * MB]


@pytest.mark.parametrize(("seconds", "limited"), [(60, 10 * MB), (90, 10 * MB), (91, None)])
def test_a_throttle_limited_a_run_unless_that_took_much_longer_than_its_schedule(journal, ended, seconds, limited):
    """600 MB are 60 s at 10 MB/s; a run of more than 90 s met something slower than its throttle."""
    ended(seconds=seconds, options=RunOptions(throttle=10 * MB))

    assert [one.throttle for one in observed_rates(journal, "C1")] == [limited]


def test_a_journal_that_cannot_be_read_is_refused(journal, ended):
    """As by everything that asks it: no estimate is made from half of the runs."""
    ended(seconds=60)
    with sqlite3.connect(journal.path) as database:
        database.execute("DROP TABLE moves")
    database.close()

    with pytest.raises(WriteRefused, match="cannot be read"):
        observed_rates(journal, "C1")


def test_an_estimate_comes_of_runs_else_of_the_throttle_else_of_nothing():
    """3 GB at the busiest broker: at 10, 20 and 40 MB/s; a throttle of 25 MB/s bounds the fastest."""
    rates = seen(20, 40, 10)
    since = DAY - timedelta(days=2)

    assert estimate(PREVIEW, None, ()) is None
    assert estimate(PREVIEW, 3 * MB, ()) == Estimate(PREVIEW.hours(3 * MB))
    assert estimate(PREVIEW, None, rates) == Estimate(Hours(75.0, 150.0, 300.0), 3, since)
    assert estimate(PREVIEW, 25 * MB, rates) == Estimate(Hours(120.0, 150.0, 300.0), 3, since)
    assert estimate(PREVIEW, 50 * MB, rates[:1]) == Estimate(Hours(60.0, 150.0, 150.0), 1, DAY)


def test_the_slow_end_is_never_below_the_schedule_at_the_throttle():
    """Runs faster than the throttle do not say how close to it a run comes: one move at a time takes 3 + 2 GB."""
    one_by_one = batches(work(NOW, PLAN, SIZES), BatchLimits(max_concurrent_moves_per_broker=1))

    assert estimate(one_by_one, 5 * MB, seen(20, 40, 10)).hours == Hours(600.0, 600.0, 1_000.0)


def test_a_run_that_its_throttle_limited_shows_nothing_of_a_higher_one():
    """8 of 10 MB/s: nothing without a throttle or at 11 MB/s, 80% of a lower one, never more than all of it."""
    rates = seen(8, throttle=10 * MB)

    assert estimate(PREVIEW, None, rates) is None
    assert estimate(PREVIEW, 11 * MB, rates) == Estimate(PREVIEW.hours(11 * MB))
    assert estimate(PREVIEW, 5 * MB, rates) == Estimate(Hours(600.0, 750.0, 750.0), 1, DAY)
    assert estimate(PREVIEW, 5 * MB, seen(12, throttle=10 * MB)).hours == Hours(600.0, 600.0, 600.0)
    assert estimate(PREVIEW, None, (*rates, *seen(40))) == Estimate(Hours(75.0, 75.0, 75.0), 1, DAY)


@pytest.mark.parametrize(
    ("rates", "throttle", "said"),
    [
        (seen(20, 40, 10), None, "About 2 min 30 s (1 min 15 s to 5 min), from 3 earlier runs on this cluster since "
                                 "2026-11-21."),
        (seen(10), None, "About 5 min, from 1 earlier run on this cluster of 2026-11-23."),
        ((), 10 * MB, "About 5 min (5 min to 10 min) at the throttle."),
        (seen(8, throttle=10 * MB), None, "How long it takes is unknown: set a throttle. No earlier run on this "
                                          "cluster showed a rate without one."),
    ],
)  # fmt: skip
def test_the_sentence_says_what_the_time_comes_from(rates, throttle, said):
    """How many runs and since when, or the throttle, or what is missing."""
    assert takes(PREVIEW, RunOptions(throttle=throttle), rates, DAY) == said


def test_copies_of_unknown_size_are_said_also_where_no_size_is_known():
    """They are not taken for nothing; a plan that copies nothing says nothing."""
    some = batches(work(NOW, PLAN, {("a", 0): 1e9}))
    nothing = batches(work(NOW, NOW, SIZES))
    none = batches(work(NOW, PLAN, None))

    assert takes(some, RunOptions(), seen(10), DAY).endswith("of 2026-11-23, 2 copies of unknown size not counted.")
    assert takes(none, RunOptions(), seen(10), DAY) == "How long it takes is unknown: 3 copies of unknown size."
    assert takes(nothing, RunOptions(), seen(10), DAY) == ""
