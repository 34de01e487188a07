"""An operator killed with SIGKILL at any step: whoever starts next settles it, and the plan ends as it should."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.operate.kill_everywhere import BETWEEN, CORDONED, PLAN

SCENARIOS = ("plan", "one at a time", "cancel", *CORDONED, *BETWEEN)


def outcomes(tmp_path, every, *scenarios):
    """What came of each kill, by scenario."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.operate.kill_everywhere", str(tmp_path / "kills"), str(every), *scenarios],
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[2],
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def judge(scenario, results):
    """What must hold after each kill, whichever step it was."""
    for result in results:
        settled, ended = result["settled"], result["ended"]
        # Throttles are put back as soon as nothing is under way, by recovery already.
        assert settled["throttles_as_before"] or settled["under_way"] or settled["state"] == "approved", result
        assert not settled["held"], result
        assert ended["throttles_as_before"], result
        assert ended["unsettled"] == [], result
        assert ended["under_way"] == 0, result
        assert not ended["held"], result
        # A broker that is cordoned is named by the journal, at whatever moment nobody is at work any more.
        assert set(settled["cordoned"]) <= set(settled["named"]), result
        assert ended["cordoned"] == ended["named"] == ([3] if _keeps(scenario, ended) else []), result
        if scenario.endswith("cancel"):
            assert ended["state"] in ("cancelled", "done"), result
            assert ended["as_planned"] + ended["as_before"] >= len(PLAN), result
        else:
            assert ended["state"] == "done", result
            assert ended["as_planned"] == len(PLAN), result


def _keeps(scenario, ended):
    """Whether the emptied broker stays cordoned: where that was asked for, and nobody cancelled."""
    return scenario == "cordon" or (scenario in CORDONED and ended["state"] == "done")


def test_an_operator_killed_at_some_steps_leaves_nothing_behind(tmp_path):
    """Some steps of each scenario, spread over the run; the long test takes all."""
    told = outcomes(tmp_path, 16, *SCENARIOS)

    assert tuple(told) == SCENARIOS
    for scenario, results in told.items():
        assert len(results) > 3, scenario
        judge(scenario, results)


@pytest.mark.slow
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_an_operator_killed_at_every_step_leaves_nothing_behind(tmp_path, scenario):
    """Before and after every transaction of the journal and every request to the cluster."""
    results = outcomes(tmp_path, 1, scenario)[scenario]

    assert len(results) > 50
    judge(scenario, results)
