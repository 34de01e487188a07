"""One job at a time on a disk of this machine; a job that was killed holds nothing."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from reseat.cli import main
from reseat.errors import InputRefused, PipelineBusy
from reseat.history.folder import Folder
from reseat.pipeline.lock import check_free, hold


@pytest.fixture
def tables(tmp_path: Path) -> Folder:
    """No tables yet."""
    return Folder.open(tmp_path / "new" / "tables")


def test_a_second_job_is_refused_while_the_first_one_lives(tables: Folder) -> None:
    """It is told who works; afterwards the tables are free."""
    with hold(tables, "sweep"):
        words = rf"written by sweep \(process {os.getpid()} on "
        with pytest.raises(PipelineBusy, match=words) as refused, hold(tables, "run"):
            pytest.fail("two jobs held one lock")
        assert refused.value.holder["what"] == "sweep"

    with hold(tables, "run"):
        assert tables.files() == []  # the lock is no data
    with hold(tables, "again"):
        pass


@pytest.mark.parametrize("action", ["run --landing {landing}", "sweep", "compact", "retain --keep-days 7"])
def test_a_busy_folder_is_refused_before_spark_is_started(
    action: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nobody waits for Java to be told to come back later; a job that only asked holds nothing."""

    def never(**_: object) -> None:
        pytest.fail("Spark was started")

    monkeypatch.setattr("reseat.pipeline.spark.session.open_session", never)
    (tmp_path / "landing").mkdir()
    (tmp_path / "tables" / "snapshots").mkdir(parents=True)
    tables = Folder.open(tmp_path / "tables")
    words = [word.format(landing=tmp_path / "landing") for word in action.split()]

    check_free(tables, "pipeline sweep")
    with hold(tables, "pipeline compact"):
        code = main(["pipeline", *words, "--tables", str(tmp_path / "tables")])

    assert code == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert "being written by pipeline compact" in said.err
    assert said.err.count("\n") == 1


def test_a_job_that_fails_lets_go(tables: Folder) -> None:
    """An error in the job is no reason to keep the lock."""
    with pytest.raises(InputRefused), hold(tables, "run"):
        raise InputRefused("no landing zone")

    with hold(tables, "run"):
        pass


def test_of_many_that_start_at_once_one_works_at_a_time(tables: Folder) -> None:
    """Whatever their timing, no two are ever inside together."""
    inside, most, refused = 0, 0, 0
    counting, start = threading.Lock(), threading.Barrier(6)

    def job() -> None:
        nonlocal inside, most, refused
        start.wait()
        try:
            with hold(tables, "run"):
                with counting:
                    inside += 1
                    most = max(most, inside)
                threading.Event().wait(0.05)
                with counting:
                    inside -= 1
        except PipelineBusy:
            with counting:
                refused += 1

    jobs = [threading.Thread(target=job) for _ in range(6)]
    for one in jobs:
        one.start()
    for one in jobs:
        one.join()

    assert most <= 1
    assert refused < 6


_HOLDER = """
import subprocess, sys
from reseat.history.folder import Folder
from reseat.pipeline.lock import check_free, hold
with hold(Folder.open(sys.argv[1]), "run"):
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE, close_fds=False)
    sys.stdout.write(f"{child.pid}\\n")
    sys.stdout.flush()
    sys.stdin.read()
"""


def test_a_killed_job_holds_nothing_though_its_child_lives_on(tmp_path: Path) -> None:
    """A kill -9 of the process frees the tables at once; the child, as Spark's JVM is one, did not get the lock."""
    tables = Folder.open(tmp_path / "tables")
    pipe, other_end = os.pipe()  # keeps the child waiting when its parent is gone
    command = [sys.executable, "-c", _HOLDER.replace("subprocess.PIPE", str(pipe)), str(tmp_path / "tables")]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, pass_fds=[pipe], cwd=Path.cwd()
    ) as holder:
        assert holder.stdout is not None
        child = int(holder.stdout.readline())
        try:
            with pytest.raises(PipelineBusy, match=f"process {holder.pid}"), hold(tables, "run"):
                pytest.fail("two jobs held one lock")
            holder.send_signal(signal.SIGKILL)
            holder.wait()

            os.kill(child, 0)  # it lives
            with hold(tables, "run"):
                pass
        finally:
            os.kill(child, signal.SIGKILL)
            os.close(pipe)
            os.close(other_end)


def test_a_lock_that_is_just_being_written_still_blocks(tmp_path: Path) -> None:
    """Its holder is then not named."""
    tables = Folder.open(tmp_path)
    with hold(tables, "run"):
        (tmp_path / "_reseat/lock").write_bytes(b"{")
        with pytest.raises(PipelineBusy, match="written by another job"), hold(tables, "run"):
            pytest.fail("two jobs held one lock")


def test_tables_that_cannot_be_written_are_told(tmp_path: Path) -> None:
    """A file where the folder should be."""
    (tmp_path / "tables").write_bytes(b"")

    with pytest.raises(InputRefused, match="cannot be written"), hold(Folder.open(tmp_path / "tables"), "run"):
        pytest.fail("there is no such folder")


def test_a_full_disk_is_told_as_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even the lock's own line finds room: the place is named, and the lock is let go of."""

    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    tables = Folder.open(tmp_path)
    with monkeypatch.context() as patched:
        patched.setattr(os, "pwrite", full)
        with pytest.raises(InputRefused, match=rf"{tmp_path}: .* No space left on device"), hold(tables, "run"):
            pass

    with hold(tables, "run"):
        pass
