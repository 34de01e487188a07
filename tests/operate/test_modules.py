"""A run and the files of Reseat below it, which an upgrade replaces while it goes on."""

from __future__ import annotations

import ast
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from reseat.operate.run.modules import PACKAGES

ROOT = Path(__file__).parents[2]
TELLS = """
import json, sys
from reseat.operate.run.modules import load_all
load_all()
print(json.dumps(sorted(name for name in sys.modules if name.startswith("reseat"))))
"""
RUNS = """
import shutil
from datetime import UTC, datetime
from pathlib import Path
from reseat.model import Broker, BrokerState, ClusterLayout, Snapshot
from reseat.operate.journal.journal import Approval, Journal, PlannedMove
from reseat.operate.journal.records import RunOptions
from reseat.operate.run.execute import carry_out
from tests.operate.fake_target import FakeCluster
keys = [("orders", one) for one in range(4)]
journal = Journal(Path("journal.sqlite"))
moves = [PlannedMove(*key, (1, 2), (1, 3), 50) for key in keys]
run = journal.approve(Approval("FAKE", "prod", "{}", "{}", "h", "ann", moves, RunOptions(1, 1_000)))
cluster = FakeCluster({key: [1, 2] for key in keys}, rate=2.0)
cluster.before_call = lambda name: shutil.rmtree("reseat", ignore_errors=True)
read = []

def reads():
    from reseat.sources.kafka_admin import reading
    read.append(reading)
    brokers = [Broker(one, state=BrokerState.ALIVE) for one in (1, 2, 3)]
    layout = ClusterLayout.from_assignments(dict(cluster.lists), brokers=brokers)
    return Snapshot(layout, datetime.now(UTC), "admin")

ended = carry_out(cluster.target(), journal, run.id, pace=cluster.pace(), read=reads)
print(ended.state.value, len(read) > 1, Path("reseat").exists())
"""


def _python(program: str, cwd: Path) -> str:
    environment = os.environ | {"PYTHONPATH": str(cwd)}
    return subprocess.run(
        [sys.executable, "-c", program], cwd=cwd, env=environment, capture_output=True, text=True, check=True
    ).stdout


def test_nothing_of_a_run_is_loaded_late() -> None:
    """Whatever functions import of Reseat, in what writes to clusters and what reads them: but for an extra's part."""
    loaded = set(json.loads(_python(TELLS, ROOT)))
    late = {
        one.module
        for package in PACKAGES
        for file in (ROOT / package.replace(".", "/")).rglob("*.py")
        for function in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(function, ast.FunctionDef)
        for one in ast.walk(function)
        if isinstance(one, ast.ImportFrom) and (one.module or "").startswith("reseat")
    }

    assert len(late) > 20
    assert late - loaded <= {"reseat.sources.kafka_admin.kerberos"}


def test_a_run_goes_on_while_its_files_are_replaced(tmp_path: Path) -> None:
    """They are gone from the first word to the cluster on: it is done all the same."""
    shutil.copytree(ROOT / "reseat", tmp_path / "reseat", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "tests" / "operate").mkdir(parents=True)
    shutil.copy(ROOT / "tests" / "operate" / "fake_target.py", tmp_path / "tests" / "operate")

    assert _python(RUNS, tmp_path).split() == ["done", "True", "False"]
