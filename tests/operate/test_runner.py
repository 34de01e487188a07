"""A run in a process of its own: what it is told, what it leaves, and that no secret shows anywhere."""

from __future__ import annotations

import errno
import io
import os
import signal
import stat
import threading
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from reseat.errors import ClusterUnreachable, WriteRefused
from reseat.operate.journal import file
from reseat.operate.journal.journal import Approval, Journal, PlannedMove
from reseat.operate.journal.records import RunOptions, RunState
from reseat.operate.journal.schema import open_database
from reseat.operate.run import runner
from reseat.operate.run.execute import carry_out
from reseat.operate.targets.patience import Patience
from reseat.sources.connection import Connection, Secret
from tests.operate.fake_target import FakeCluster

PLANTED = "pl4nted-s3cret"
#: Nothing listens on port 1: the runner ends with a sentence.
NOWHERE = Connection(
    "prod",
    ("127.0.0.1:1",),
    security_protocol="SASL_PLAINTEXT",
    sasl_mechanism="PLAIN",
    username="ann",
    password=Secret(PLANTED),
    timeout_seconds=0.5,
)
MOVE = PlannedMove("orders", 0, (1, 2), (1, 3))


def until(condition):
    """Whether it comes true within a minute."""
    return any(condition() for _ in Patience(60).attempts())


def main(journal, run):
    """The runner's exit code, in this process, whose signals are as before in the end."""
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)}
    try:
        return runner.main([str(journal.path), str(run.id)])
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def test_a_connection_goes_through_the_pipe_whole():
    """Every field comes back, secrets included."""
    full = replace(NOWHERE, token_command=("give", "token"), zookeeper_digest=Secret("a:b"), ca_file="/ca.pem")

    assert runner.connection_from_json(runner.connection_to_json(full)) == full


def test_a_runner_that_cannot_begin_leaves_a_word_and_no_secret(journal, monkeypatch):
    """The run stays, its sentence says why; log, journal, arguments and environment hold no secret."""
    monkeypatch.setenv("RESEAT_OPERATE", "1")
    run = journal.approve(Approval("C1", "prod", "{}", "{}", "h", "ann", [MOVE]))
    process = runner.start(NOWHERE, journal.path, run.id)
    seen, session = _of_process(process), os.getsid(process)
    (waits,) = [one for one in threading.enumerate() if one.name == f"reseat-run-{run.id}"]
    ended = until(lambda: "The executor ended" in journal.run(run.id).sentence)
    log = runner.log_file(journal.path, run.id)
    files = [file for file in journal.path.parent.iterdir() if file.is_file()]

    assert ended
    assert session == process  # what ends the one who started it does not end it
    assert waits.daemon  # nor does it wait
    assert journal.run(run.id).state is RunState.APPROVED
    assert "127.0.0.1:1" in log.read_text()
    assert stat.S_IMODE(log.stat().st_mode) == 0o600
    assert PLANTED not in seen
    assert log in files
    assert not [file for file in files if PLANTED.encode() in file.read_bytes()]


def test_a_runner_writes_nothing_where_writing_is_not_enabled(journal, monkeypatch, tmp_path):
    """It says so in its log, and the run stays as it was; whoever started it hears of the process' end.

    It finds itself from any folder, and runs nothing that lies there.
    """
    (tmp_path / "numpy.py").write_text("raise SystemExit('another program')")
    monkeypatch.chdir(tmp_path)
    for name in ("RESEAT_OPERATE", "PYTHONPATH"):
        monkeypatch.delenv(name, raising=False)
    run, ended = journal.approve(Approval("C1", "prod", "{}", "{}", "h", "ann", [MOVE])), threading.Event()
    runner.start(NOWHERE, journal.path, run.id, ended=ended.set)
    log = runner.log_file(journal.path, run.id)

    assert ended.wait(60)
    assert "Writing is not enabled" in log.read_text()
    assert journal.run(run.id) == run
    monkeypatch.setattr("sys.stdin", io.StringIO(runner.connection_to_json(NOWHERE)))
    assert runner.main([str(journal.path), str(run.id)]) == 1


@pytest.mark.parametrize(("ended", "code"), [(None, 1), (RunState.FAILED, 1), (RunState.DONE, 0)])
def test_a_termination_ends_the_process_and_not_the_run(journal, monkeypatch, ended, code):
    """SIGTERM, as a service or a container is stopped with, interrupts; nobody's word stops or cancels the run.

    The exit code says whether the run is done.
    """
    monkeypatch.setenv("RESEAT_OPERATE", "1")
    monkeypatch.setattr("sys.stdin", io.StringIO(runner.connection_to_json(NOWHERE)))
    run = journal.approve(Approval("C1", "prod", "{}", "{}", "h", "ann", [MOVE]))
    target = FakeCluster({("orders", 0): [1, 2]}).target()
    monkeypatch.setattr("reseat.operate.targets.opening.open_target", lambda connection, protocol=None: target)
    told = {}

    def carries_out(target, journal, run_id, *, interrupt, report, stop=None, **_):
        with Path("/dev/full").open("w") as full, monkeypatch.context() as patched:
            patched.setattr("sys.stdout", full)
            report("What a log on a full disk cannot hold, the journal has.")
            patched.setattr("sys.stdout", io.StringIO())
            os.dup2(os.open(os.devnull, os.O_WRONLY), full.fileno())
        signal.raise_signal(signal.SIGTERM)
        told.update(interrupted=interrupt.is_set(), stopped=stop is not None and stop.is_set())
        return replace(journal.run(run_id), state=ended) if ended else journal.run(run_id)

    monkeypatch.setattr(runner, "carry_out", carries_out)
    assert main(journal, run) == code
    assert told == {"interrupted": True, "stopped": False}
    assert journal.run(run.id).state is RunState.APPROVED


def test_a_process_that_cannot_be_started_is_said_with_its_reason(journal, monkeypatch):
    """The run stays approved, and the log is named."""
    run = journal.approve(Approval("C1", "prod", "{}", "{}", "h", "ann", [MOVE]))

    def none_left(*_, **__):
        raise OSError(errno.ENOMEM, "Cannot allocate memory")

    monkeypatch.setattr("subprocess.Popen", none_left)
    with pytest.raises(
        WriteRefused, match=rf"run {run.id} \(Cannot allocate memory\); it stays approved. Its log is /"
    ):
        runner.start(NOWHERE, journal.path, run.id)

    assert journal.run(run.id) == run


@pytest.mark.parametrize("begun", [False, True])
def test_a_runner_that_meets_an_error_leaves_a_word_where_the_run_has_none_yet(journal, monkeypatch, begun):
    """A run that it was at work on says why by itself. The exit code is 1."""
    monkeypatch.setenv("RESEAT_OPERATE", "1")
    monkeypatch.setattr("sys.stdin", io.StringIO(runner.connection_to_json(NOWHERE)))
    run = journal.approve(Approval("C1", "prod", "{}", "{}", "h", "ann", [MOVE]))
    target = FakeCluster({("orders", 0): [1, 2]}).target()
    monkeypatch.setattr("reseat.operate.targets.opening.open_target", lambda connection, protocol=None: target)

    def fails(target, journal, run_id, **_):
        if begun:
            with journal.lease("C1", operator="ann", run_id=run_id) as lease:
                journal.set_state(lease, run_id, RunState.RUNNING, "Its own word.")
        raise ClusterUnreachable("Nothing answers.", "route")

    monkeypatch.setattr(runner, "carry_out", fails)
    code = main(journal, run)
    said = journal.run(run.id).sentence

    assert code == 1
    assert said == ("Its own word." if begun else "The executor ended: Nothing answers. Continue it, or cancel it.")


@pytest.mark.parametrize("told_to_end", [False, True])
def test_a_run_whose_journal_is_full_for_a_while_goes_on_by_itself(tmp_path, monkeypatch, told_to_end):
    """Nothing is sent meanwhile, and throttles are restored in the end. A termination ends the waiting, not the run."""
    databases, tries = [], []
    monkeypatch.setattr(file, "open_database", lambda path: databases.append(open_database(path)) or databases[-1])
    monkeypatch.setenv("RESEAT_OPERATE", "1")
    monkeypatch.setattr("sys.stdin", io.StringIO(runner.connection_to_json(NOWHERE)))
    monkeypatch.setattr(runner, "AGAIN_SECONDS", 0.0)
    moves = [replace(MOVE, partition=partition, bytes_total=50) for partition in range(4)]
    cluster = FakeCluster({(move.topic, move.partition): list(move.before) for move in moves})
    monkeypatch.setattr("reseat.operate.targets.opening.open_target", lambda *_: cluster.target())
    with closing(Journal(tmp_path / "journal.sqlite")) as journal:
        run = journal.approve(Approval("FAKE", "prod", "{}", "{}", "h", "ann", moves, RunOptions(1, 1_000)))

        def fills(name):
            if name == "reassigned" and len(tries) == 1:
                databases[-1].execute("PRAGMA query_only = 1")

        def carries_out(*run, **choices):
            tries.append(cluster.calls.count("reassign"))
            if len(tries) == 4 and not told_to_end:
                databases[-1].execute("PRAGMA query_only = 0")
            if len(tries) == 4 and told_to_end:
                signal.raise_signal(signal.SIGTERM)
            return carry_out(*run, **choices | {"pace": cluster.pace(), "read": None})

        cluster.before_call = fills
        monkeypatch.setattr(runner, "carry_out", carries_out)
        code = main(journal, run)
        state = journal.run(run.id).state

    assert tries == [0, 1, 1, 1]
    assert (code, state) == ((1, RunState.RUNNING) if told_to_end else (0, RunState.DONE))
    assert bool(cluster.dynamic) == told_to_end


def _of_process(process: int) -> str:
    """What anybody on the machine sees of a process, as far as the system shows it."""
    folder = Path("/proc") / str(process)
    out = ""
    for name in ("cmdline", "environ"):
        try:
            out += (folder / name).read_bytes().decode(errors="replace")
        except OSError:
            out += os.linesep  # it has ended already, or this system has no /proc
    return out
