"""The pipeline's line: when the rest of the page is drawn anew."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from types import SimpleNamespace

import pytest

from components.over_time import pipeline_bar
from components.over_time.pipeline_bar import draw_bar, working_in_words
from components.state import session, shared
from reseat.access import Decision
from reseat.history.places import Places
from reseat.jobs.process import Phase, PipelineProgress, PipelineState, Stage

AT_WORK = PipelineState(1, Phase.RUNNING, (Stage("Ingesting", ()), Stage("Analysing", ())))


class Anew(Exception):
    """The page is drawn anew."""


@pytest.mark.parametrize(
    ("now", "anew"),
    [
        (replace(AT_WORK, progress=PipelineProgress("read", 3, 12, "Reading 3 of 12 files.")), False),
        (replace(AT_WORK, at=1), True),
        (replace(AT_WORK, phase=Phase.DONE), True),
        (replace(AT_WORK, number=2), True),
    ],
)
def test_a_stage_that_ended_draws_the_page_anew(
    monkeypatch: pytest.MonkeyPatch, now: PipelineState, anew: bool
) -> None:
    """What it made can be looked at while the next one works; a step within a stage changes the line alone."""
    pipeline = SimpleNamespace(state=AT_WORK)
    monkeypatch.setattr(shared, "pipeline", lambda: pipeline)
    monkeypatch.setattr(session, "may", lambda door: Decision(True, ""))
    looks: list[Callable[[], None]] = []
    drawn: list[PipelineState] = []

    def rerun() -> None:
        raise Anew

    def words(state: PipelineState, _: datetime) -> str:
        drawn.append(state)
        return "at work"

    def fragment(draw: Callable[..., None], *, run_every: float) -> Callable[..., None]:
        assert run_every == 1
        return lambda *told: looks.append(partial(draw, *told))

    monkeypatch.setattr(pipeline_bar.st, "rerun", rerun)
    monkeypatch.setattr(pipeline_bar.st, "fragment", fragment)
    monkeypatch.setattr(pipeline_bar, "working_in_words", words)
    draw_bar(Places("landing", "tables"))
    (look,) = looks
    pipeline.state = now
    if anew:
        with pytest.raises(Anew):
            look()
    else:
        look()

    assert drawn == ([] if anew else [now])


BEGAN = datetime(2026, 5, 4, 12, tzinfo=UTC)
MEASURED = (Stage("Making", (), 30.0), Stage("Ingesting", (), 120.0), Stage("Analysing", (), 60.0))


@pytest.mark.parametrize(
    ("at", "stage_at", "now", "left"),
    [
        (0, 0, 10, "about 3 min 20 s left"),  # 20 + 120 + 60, as measured
        (0, 0, 500, "about 3 min left"),  # overdue: the rest as measured, and no minus
        (1, 90, 90, "about 6 min left"),  # the first took thrice as long: 120 s for 60, so the rest at twice
        (1, 90, 150, "about 5 min left"),
        (2, 210, 269, "about 21 s left"),
        (2, 210, 285, "nearly done"),
    ],
)
def test_a_job_that_was_measured_says_how_long_it_still_takes(at: int, stage_at: int, now: int, left: str) -> None:
    """At the pace that its stages had on this machine so far."""
    state = PipelineState(
        1,
        Phase.RUNNING,
        MEASURED,
        at,
        started_at=BEGAN,
        stage_at=BEGAN + timedelta(seconds=stage_at),
    )

    assert working_in_words(state, BEGAN + timedelta(seconds=now)).endswith(f" · {left}")


def test_a_job_that_was_never_measured_names_no_end() -> None:
    """How long snapshots take depends on how many have landed."""
    state = replace(AT_WORK, started_at=BEGAN, stage_at=BEGAN)

    assert working_in_words(state, BEGAN + timedelta(seconds=5)).endswith("starting · 5 s")
