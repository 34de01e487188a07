"""The weeks to come on History: folded away, then when a limit is met, a figure and all counts; refused in words."""

from __future__ import annotations

from contextlib import closing
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from components.history.forecast import forecast_figure
from components.history.plans import names_of_marks, with_plans
from reseat.forecast.outlook import Outlook, outlooks
from reseat.forecast.settings import Limits
from reseat.history.events import PlanRun
from reseat.history.read import History
from reseat.operate.journal.journal import Journal
from reseat.operate.journal.records import RunState
from tests.forecast.grown import FIRST, grow
from tests.operate.test_journal import APPROVAL

from .conftest import tables, texts, visit


@pytest.fixture(scope="module")
def grown(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One cluster that grows for 60 days, and one that is ten days old."""
    home = tmp_path_factory.mktemp("forecast") / "tables"
    grow(home, [100 + 2 * day for day in range(60)])
    return grow(home, [100] * 10, cluster="young")


def page(grown: Path, monkeypatch: pytest.MonkeyPatch, limits: str | None = None, **query: str) -> AppTest:
    """History over these tables, with a limits file."""
    monkeypatch.setenv("RESEAT_LANDING", str(grown.parent / "landing"))
    monkeypatch.setenv("RESEAT_TABLES", str(grown))
    if limits is not None:
        (grown.parent / "limits.toml").write_text(limits)
        monkeypatch.setenv("RESEAT_LIMITS", str(grown.parent / "limits.toml"))
    return visit("history", **query)


def test_it_says_when_a_limit_is_met_and_how_it_fared_on_the_past(grown, monkeypatch):
    """The count that meets its limit first comes up; the table has all, it first."""
    at = page(grown, monkeypatch, "[limits]\nreplicas_per_broker = 230\n", cluster="shop", forecast="yes")
    (table,) = [one.value for one in tables(at) if "80% interval" in one.value]
    (count,) = [one for one in at.selectbox if one.label == "Count"]

    assert not at.exception
    assert "Replicas of broker 1: the limit of 230 is likely met on 2026-05-05" in texts(at)
    assert "100% lay inside the 80% interval" in texts(at)
    assert count.value == "replicas of broker 1"
    assert table.iloc[0].tolist() == [
        *("1", "replicas", "218", "274", "274 – 274", "230", "2026-05-05", "2026-05-05", "2026-05-05"),
    ]
    assert len(table) == 13


def test_it_is_folded_away_until_it_is_opened(grown, monkeypatch):
    """Nothing is read for it before."""
    at = page(grown, monkeypatch, cluster="shop")

    assert not at.exception
    assert "days held out" not in texts(at)
    assert not [one for one in at.selectbox if one.label == "Count"]


def test_no_limits_a_short_past_and_a_file_with_a_slip_are_said(grown, monkeypatch):
    """Each in words, and the rest of the page is there."""
    free = page(grown, monkeypatch, cluster="shop", forecast="yes")
    young = page(grown, monkeypatch, cluster="young", forecast="yes")
    wrong = page(grown, monkeypatch, "[limits]\ndisks = 1\n", cluster="shop", forecast="yes")

    assert "No limits are set." in texts(free)
    assert "`RESEAT_LIMITS`" in texts(free)
    assert "10 of the 28 days that a forecast needs are there" in texts(young)
    assert "unknown field" in texts(wrong)
    assert [at.exception for at in (free, young, wrong) if at.exception] == []


def test_the_figure_has_the_past_the_line_its_interval_and_the_limit(grown):
    """A limit far above what is foretold is left to the table; Save writes a row a day."""
    told = outlooks(History.open(grown), "shop", Limits(replicas_per_broker=230, partitions_per_cluster=9_000))
    near = forecast_figure(next(one for one in told.counts if one.name == "replicas of broker 1"), [])
    far = forecast_figure(next(one for one in told.counts if one.name == "partitions"), [])

    assert [len(trace.x) for trace in near.data] == [122, 60, 61]
    assert [note.text for note in near.layout.annotations] == ["limit 230"]
    assert not far.layout.annotations
    assert near.layout.meta["heads"] == ["day", "replicas of broker 1", "likely", "low", "high"]
    assert {len(column) for column in near.layout.meta["columns"]} == {120}


def test_a_line_whose_past_ends_unknown_begins_with_what_comes():
    """A broker that is down does not tell its disk: the line rose from nothing."""
    values = np.where(np.arange(45) < 40, 100.0 + 2 * np.arange(45), np.nan)
    made = forecast_figure(Outlook("replicas", 1, values, None, date(2026, 5, 1)), [])

    assert (made.data[2].x[0], made.data[2].y[0], len(made.data[2].x)) == (date(2026, 5, 2), 190, 40)
    assert min(made.data[0].y) == 190


def test_a_plan_of_the_journal_is_a_mark_and_says_what_became_of_the_balance(tmp_path, monkeypatch):
    """On History's figure and in the weeks to come; a journal that cannot be read is said on a page that is there."""
    days = (datetime.now(UTC) - FIRST).days + 2
    grow(tmp_path / "tables", [None] * (days - 40) + [100] * 40, spreads=[7] * days, cluster_id="C1")
    monkeypatch.setenv("RESEAT_JOURNAL", str(tmp_path / "journal.sqlite"))
    with closing(Journal(tmp_path / "journal.sqlite")) as journal:
        run = journal.approve(APPROVAL)
        with journal.lease("C1", operator="ann", run_id=run.id) as lease:
            journal.set_state(lease, run.id, RunState.DONE, "")
    at = page(tmp_path / "tables", monkeypatch, cluster="shop", forecast="yes")
    (tmp_path / "broken.sqlite").write_text("no journal")
    monkeypatch.setenv("RESEAT_JOURNAL", str(tmp_path / "broken.sqlite"))
    broken = page(tmp_path / "tables", monkeypatch, cluster="shop", forecast="yes")

    assert not at.exception
    assert not broken.exception
    assert "Less than a day after run 1: replica spread 7 (7 before)." in texts(at)
    assert [str(chart.proto).count("run 1: done") > 0 for chart in at.get("plotly_chart")] == [True, True]
    assert "Executed plans are not shown." in texts(broken)
    assert "100% lay inside" in texts(broken)


def test_a_plan_is_marked_when_it_ended_and_a_click_opens_the_first_snapshot_after_it(grown):
    """Plans that ended outside of the stretch are left out; one after the last snapshot opens none."""
    snapshots = History.open(grown).snapshots("young")
    first, last = snapshots["taken_at"].iloc[0], snapshots["taken_at"].iloc[-1]
    half = timedelta(hours=12)
    ends = (first - half, first + half, last + half)
    plans = [PlanRun(f"run {number}", first, end, "done") for number, end in enumerate(ends)]

    assert [mark.sentence for mark in with_plans([], plans, first, last)] == ["run 1: done"]
    names = names_of_marks([mark for plan in plans if (mark := plan.mark)], snapshots)
    assert names == {ends[0]: snapshots["snapshot_id"].iloc[0], ends[1]: snapshots["snapshot_id"].iloc[1]}
