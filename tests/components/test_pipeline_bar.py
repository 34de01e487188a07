"""The pipeline's line: when the rest of the page is drawn anew."""

from __future__ import annotations

from dataclasses import replace

import pytest

from components.over_time import pipeline_bar
from components.over_time.pipeline_bar import _draw, _step
from components.state import session, shared
from reseat.access import Answer
from reseat.history.places import Places
from reseat.jobs.process import Phase, PipelineProcess, PipelineProgress, PipelineState, Stage

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
    process = PipelineProcess()
    monkeypatch.setattr(process, "_state", now)
    monkeypatch.setattr(shared, "pipeline", lambda: process)
    monkeypatch.setattr(session, "may", lambda door: Answer(True, ""))
    drawn: list[str] = []

    def rerun() -> None:
        raise Anew

    monkeypatch.setattr(pipeline_bar.st, "rerun", rerun)
    monkeypatch.setattr(pipeline_bar, "_cancel", lambda state, allowed: drawn.append("line"))
    if anew:
        with pytest.raises(Anew):
            _draw(Places("landing", "tables"), _step(AT_WORK))
    else:
        _draw(Places("landing", "tables"), _step(AT_WORK))

        assert drawn == ["line"]
