"""A landing zone in which there is more than files: nothing waits for ever, nothing outside is read, all is told."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import TYPE_CHECKING

import psutil
import pytest

from reseat.history.folder import Folder
from reseat.sources.landing import land
from tests.pipeline import plain
from tests.pipeline.command import Command, ended
from tests.pipeline.moments import MOMENTS, snapshot_of
from tests.pipeline.running import run

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

SHOP = snapshot_of(MOMENTS[0])


@pytest.fixture
def landing(tmp_path: Path) -> Folder:
    """One snapshot, and around it what a person or a broken script may leave there."""
    zone = Folder.open(tmp_path / "landing")
    land(SHOP, zone, "shop")
    home = Path(zone.path())
    os.mkfifo(home / "pipe.json")
    for name, to in {"zero": "/dev/zero", "passwd": "/etc/passwd", "circle": "circle.json", "gone": "nowhere"}.items():
        (home / f"{name}.json").symlink_to(to)
    (home / "up").symlink_to("..")
    (home / "x.json").mkdir()
    (home / "empty.json").touch()
    (home / "cluster=..").mkdir()
    (home / "cluster=.." / "a.json").write_text("{}")
    return zone


def test_each_is_a_row_or_is_told(spark: SparkSession, landing: Folder, tmp_path: Path) -> None:
    """Files that say nothing are rejected, once; what is no file is left alone, and nothing of /etc/passwd is kept."""
    tables = Folder.open(tmp_path / "tables")
    done = run(spark, landing, tables)

    rejected = {row["path"]: row for row in plain.read(tables, "rejected")}
    assert (done.taken, done.rejected) == (1, 2)
    assert sorted(rejected) == ["cluster=../a.json", "empty.json"]
    assert "empty" in rejected["empty.json"]["reason"]
    assert sorted(done.closed) == ["circle.json", "gone.json", "passwd.json", "pipe.json", "up", "zero.json"]
    assert "Not ingested: circle.json (a link, which is not followed)" in done.sentence
    assert sorted(path.name for path in tmp_path.iterdir()) == ["landing", "tables"]
    again = run(spark, landing, tables)
    assert (again.new, again.closed) == (0, done.closed)


@pytest.mark.parametrize("step", ["read", *(pytest.param(one, marks=pytest.mark.slow) for one in ("start", "write"))])
def test_asked_to_end_it_says_so(spark: SparkSession, landing: Folder, tmp_path: Path, step: str) -> None:
    """One sentence, no traceback, no process left; the next run does what is left to do."""
    job = Command.start(Path(landing.path()), tmp_path / "tables")
    job.until(step)
    below = psutil.Process(job.process.pid).children(recursive=True)
    job.process.terminate()
    code, out, words = job.finish()

    assert (code, out, words) == (128 + signal.SIGTERM, "", ["reseat: stopped."])
    assert ended(below)
    assert run(spark, landing, Folder.open(tmp_path / "tables")).taken == 1
