"""The limits of a fleet on Fleet: who meets one first, what is not known and why, and the job that finds out."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from components.clusters import fleet_limits
from components.state import shared
from reseat.forecast.first_limits import COLUMNS, bring_up, default_file
from reseat.forecast.settings import configured
from reseat.history.read import History
from reseat.jobs.process import Phase, PipelineProcess, Stage
from tests.forecast.grown import grow
from tests.pages.conftest import at_clusters, link, tables, texts

PATIENCE = 60.0
LIMITS = "[limits]\nreplicas_per_broker = 230\n"


@pytest.fixture
def job(monkeypatch: pytest.MonkeyPatch) -> Iterator[PipelineProcess]:
    """A server on which nothing was foretold."""
    process = PipelineProcess(grace=0.3)
    monkeypatch.setattr(shared, "forecasts", lambda: process)
    yield process
    process.cancel()
    assert process.wait(PATIENCE)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, job: PipelineProcess) -> Path:
    """Tables of a cluster that grows and of one that is too young, and a limits file."""
    grow(tmp_path / "tables", [100 + 2 * day for day in range(60)], cluster="grows")
    grow(tmp_path / "tables", [100] * 10, cluster="young")
    (tmp_path / "limits.toml").write_text(LIMITS)
    for name, place in {"RESEAT_LANDING": "landing", "RESEAT_TABLES": "tables", "XDG_CACHE_HOME": "cache"}.items():
        monkeypatch.setenv(name, str(tmp_path / place))
    monkeypatch.setenv("RESEAT_LIMITS", str(tmp_path / "limits.toml"))
    return tmp_path


def shown(at: AppTest) -> dict[str, str]:
    """The column of the table, by cluster."""
    (table,) = [one.value for one in tables(at) if "weakest broker" in one.value]
    return dict(zip(table["cluster"], table["first limit"], strict=True)) if "first limit" in table else {}


def test_who_meets_a_limit_first_is_found_out_meanwhile(app: AppTest, home: Path, job: PipelineProcess) -> None:
    """The fleet is there at once; then the day, with a link to the forecast, and why nothing is known of the other."""
    at = at_clusters(app, "fleet")
    assert not at.exception
    assert shown(at) == {"grows": "", "young": ""}
    assert job.state.number == 1
    assert job.wait(PATIENCE)
    assert job.state.phase is Phase.DONE
    at.run()

    assert not at.exception
    assert shown(at) == {
        "grows": "2026-05-05: replicas of broker 1",
        "young": "unknown: 10 of the 28 days that a forecast needs are there.",
    }
    assert "Limits: 1 of 2 clusters likely meets one; not known of 1." in texts(at).replace("**", "")
    assert link(at, "grows, 2026-05-05: replicas of broker 1")["forecast"] == "yes"
    assert job.state.number == 1


def test_what_is_known_is_there_at_once_and_no_job_begins(app: AppTest, home: Path, job: PipelineProcess) -> None:
    """Whoever found it out: the command, ``watch``, or the server before it was restarted."""
    history = History.open(os.environ["RESEAT_TABLES"])
    settings = configured()
    file = default_file(history, settings, os.environ)
    bring_up(history, settings, history.latest(columns=COLUMNS), file)
    at = at_clusters(app, "fleet")

    assert shown(at)["grows"] == "2026-05-05: replicas of broker 1"
    assert job.state.phase is Phase.IDLE


def test_a_job_that_fails_is_said_and_not_begun_for_ever(
    app: AppTest, home: Path, job: PipelineProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rest of the page stands."""
    fails = (Stage("Forecasting", (sys.executable, "-c", "raise SystemExit('no room')")),)
    monkeypatch.setattr(fleet_limits, "forecast_job", lambda tables, limits: fails)
    at = at_clusters(app, "fleet")
    assert job.wait(PATIENCE)
    at.run()
    at.run()

    assert not at.exception
    assert "Limits are not foretold." in texts(at)
    assert job.state.number == 1


def test_a_cache_that_cannot_be_written_is_said(
    app: AppTest, home: Path, job: PipelineProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the place of a column that stays empty without a word."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(home / "limits.toml"))
    at = at_clusters(app, "fleet")
    assert job.wait(PATIENCE)
    at.run()

    assert not at.exception
    assert "Limits are not foretold." in texts(at)
    assert "could not be kept for Fleet and watch" in texts(at)


@pytest.mark.parametrize(
    ("limits", "said"),
    [(None, "No limits are set, so none is forecast"), ("[limits]\ndisks = 1\n", "unknown field `disks`")],
)
def test_without_limits_or_with_wrong_ones_the_page_says_so(
    app: AppTest, home: Path, monkeypatch: pytest.MonkeyPatch, limits: str | None, said: str
) -> None:
    """Nothing begins, and the table has no such column."""
    if limits is None:
        monkeypatch.delenv("RESEAT_LIMITS")
    else:
        (home / "limits.toml").write_text(limits)
    at = at_clusters(app, "fleet")

    assert not at.exception
    assert said in texts(at)
    assert shown(at) == {}
    assert shared.forecasts().state.phase is Phase.IDLE
