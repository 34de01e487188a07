"""The audit log: what is written, that it is chained, and that whatever is done to the file afterwards is found."""

from __future__ import annotations

import getpass
import json
import os
import socket
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from reseat import audit
from reseat.cli import main
from reseat.errors import ClusterUnreachable, InputRefused, WriteRefused
from reseat.operate.checks.check import Check, CheckResult
from reseat.operate.checks.guard import refuse_unless
from reseat.operate.journal.journal import Journal
from reseat.operate.journal.values import Approval, PlannedMove
from reseat.sources.connection import Connection
from reseat.sources.followed import LiveCluster

ROOT = Path(__file__).parent.parent


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An audit log with three lines."""
    path = tmp_path / "audit.jsonl"
    monkeypatch.setenv("RESEAT_AUDIT", str(path))
    audit.record("sign-in", who="ada@example.org", issued_at=1.5)
    audit.record("reading", who="ada@example.org", cluster="shöp")
    audit.record("approval", who="ada@example.org", cluster="C1", run=7, overridden=None)
    return path


def test_lines_follow_each_other_by_their_hashes(log: Path) -> None:
    """Each with when, who and what; the file is its owner's alone."""
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    found = audit.verify(log)

    assert [line["event"] for line in lines] == ["sign-in", "reading", "approval"]
    assert lines[0]["before"] == ""
    assert [line["before"] for line in lines[1:]] == [line["hash"] for line in lines[:-1]]
    assert "overridden" not in lines[2]
    assert log.stat().st_mode & 0o777 == 0o600
    assert found == audit.Verified(3, lines[2]["hash"], lines[2]["at"], "")


def test_a_line_is_on_the_disk_before_anything_happens(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is forced to disk has the line already."""
    forced: list[bytes] = []
    monkeypatch.setattr(os, "fsync", lambda file: forced.append(os.pread(file, 65_536, 0)))
    audit.record("write", who="ada@example.org", cluster="C1")

    assert forced == [log.read_bytes()]
    assert json.loads(forced[0].splitlines()[3])["event"] == "write"


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (lambda lines: [lines[0], lines[1].replace(b"ada@", b"eve@"), lines[2]], "Line 2: it was changed"),
        (lambda lines: [lines[0], lines[2]], "Line 2: it does not follow"),
        (lambda lines: lines[1:], "Line 1: it does not follow"),
        (lambda lines: [lines[1], lines[0], lines[2]], "Line 1: it does not follow"),
        (lambda lines: [*lines[:2], lines[1], lines[2]], "Line 3: it does not follow"),
        (lambda lines: [*lines, b"{}\n"], "Line 4: it is no line of an audit log"),
        (lambda lines: [lines[0], lines[1][:40]], "Line 2: it is no JSON"),
        (lambda lines: [lines[0], b"[" * 100_000], "Line 2: it is no JSON"),
        (lambda lines: [lines[0], lines[1].replace(b'"who":"', b'"who":"\\ud800')], "Line 2: it was changed"),
    ],
    ids=[
        "changed",
        "taken out",
        "cut off at the start",
        "moved",
        "put in twice",
        "foreign",
        "torn",
        "deep",
        "half a letter",
    ],
)
def test_whatever_is_done_to_the_file_is_found(spoil, says: str, log: Path) -> None:  # type: ignore[no-untyped-def]
    """With the line, counted from one."""
    log.write_bytes(b"".join(spoil(log.read_bytes().splitlines(keepends=True))))
    found = audit.verify(log)

    assert found.fault.startswith(says)


def test_what_was_cut_off_at_the_end_is_found_by_who_kept_the_last_hash(log: Path) -> None:
    """The chain itself cannot tell."""
    last = audit.verify(log).last
    log.write_bytes(b"".join(log.read_bytes().splitlines(keepends=True)[:2]))

    assert audit.verify(log).fault == ""
    assert "were cut off" in audit.verify(log, last=last).fault
    log.unlink()
    assert "is not there" in audit.verify(log, last=last).fault


def test_a_line_that_was_cut_off_as_its_process_died_spoils_no_other(log: Path) -> None:
    """The next one begins a line of its own; the torn one is told."""
    log.write_bytes(log.read_bytes() + b'{"at":"2026')
    audit.record("refusal", who="ada@example.org")
    lines = log.read_text().splitlines()

    assert json.loads(lines[4])["event"] == "refusal"
    assert audit.verify(log).fault.startswith("Line 4: it is no JSON")


def test_a_line_that_has_no_room_is_not_left_half(log: Path) -> None:
    """Else one full disk would spoil the chain for ever; once there is room, the log goes on and holds."""
    program = (
        "import os, resource, signal, sys\nfrom reseat import audit\nfrom reseat.errors import WriteRefused\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\nfull = os.path.getsize(os.environ['RESEAT_AUDIT']) + 50\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (full, full))\n"
        "try: audit.record('write', who='w')\nexcept WriteRefused as refused: print(refused)\n"
    )
    before = log.read_bytes()
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    after = log.read_bytes()
    audit.record("write", who="w")

    assert "cannot be written (File too large)" in done.stdout
    assert after == before
    assert audit.verify(log).fault == ""


def test_processes_share_a_file_and_no_line_is_lost(tmp_path: Path) -> None:
    """Four at once, fifty lines each."""
    program = "from reseat import audit\nfor n in range(50): audit.record('write', who='w', step=n)"
    environment = {**os.environ, "RESEAT_AUDIT": str(tmp_path / "log"), "PYTHONPATH": str(ROOT)}
    running = [subprocess.Popen([sys.executable, "-c", program], env=environment) for _ in range(4)]

    assert [process.wait(60) for process in running] == [0] * 4
    assert audit.verify(tmp_path / "log").lines == 200
    assert audit.verify(tmp_path / "log").fault == ""


def test_without_a_line_nothing_happens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder in the place of the log: a reading is refused and asks no cluster; unset, nothing is written."""
    monkeypatch.setenv("RESEAT_AUDIT", str(tmp_path))
    with pytest.raises(WriteRefused, match="cannot be written"):
        audit.record("write", who="ada")
    asked: list[Connection] = []
    monkeypatch.setattr("reseat.sources.followed.read_cluster", lambda connection, **_: asked.append(connection))
    live = LiveCluster(Connection(name="shop", bootstrap=("127.0.0.1:1",)))
    live.refresh("ada")
    assert live.wait(30)

    assert asked == []
    assert "nothing happens without it" in str(live.state.error)
    monkeypatch.delenv("RESEAT_AUDIT")
    audit.record("write", who="ada")
    assert list(tmp_path.iterdir()) == []


def test_approvals_and_writes_are_lines_or_do_not_happen(log: Path, tmp_path: Path) -> None:
    """With the run, the step and who; a journal keeps neither where its line cannot be written. No topic is in them."""
    journal = Journal(tmp_path / "journal.sqlite")
    approval = Approval("C1", "shop", "{}", "{}", "h", "ada", [PlannedMove("secret-topic", 0, (1, 2), (2, 3))])
    run = journal.approve(approval)
    step = journal.record_intent("C1", "batch", {"topic": "secret-topic"}, operator="ada", run_id=run.id)
    lines = [json.loads(line) for line in log.read_text().splitlines()[3:]]

    assert [(one["event"], one["who"], one["cluster"], one["run"]) for one in lines] == [
        ("approval", "ada", "C1", run.id),
        ("write", "ada", "C1", run.id),
    ]
    assert lines[1]["step"] == step
    assert "secret-topic" not in log.read_text()
    log.unlink()
    log.mkdir()
    with pytest.raises(WriteRefused, match="cannot be written"):
        journal.record_intent("C1", "batch", {}, operator="ada", run_id=run.id)
    with pytest.raises(WriteRefused, match="cannot be written"):
        journal.approve(replace(approval, cluster_id="C2"))

    assert [one.id for one in journal.steps(run_id=run.id)] == [step]
    assert [one.id for one in journal.runs()] == [run.id]
    journal.close()


def test_what_the_guard_refuses_is_a_line(log: Path) -> None:
    """With the names of the checks that failed; what passes is none."""
    failed = Check("operating", CheckResult.FAILED, "Writing is not enabled.")
    with pytest.raises(WriteRefused):
        refuse_unless([failed], who="eve", cluster_id="C1")
    refuse_unless([], who="eve", cluster_id="C1")
    lines = [json.loads(line) for line in log.read_text().splitlines()[3:]]

    assert [(one["event"], one["who"], one["cluster"], one["checks"]) for one in lines] == [
        ("refusal", "eve", "C1", ["operating"])
    ]


def test_the_command_says_whether_it_holds(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The file of the environment unless another is given; exit code 1 where it does not hold."""
    assert main(["audit", "verify"]) == 0
    assert "holds: 3 lines." in capsys.readouterr().out
    assert main(["audit", "verify", str(log), "--last", "0" * 64, "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["lines"] == 3
    log.write_bytes(b"no log\n")
    assert main(["audit", "verify", str(log)]) == 1
    assert "cut off as it was written. 0 lines hold before that.\n" in capsys.readouterr().out
    with pytest.raises(InputRefused, match="cannot be read"):
        audit.verify(log.parent / "none")


def test_each_line_goes_to_syslog_as_well_with_its_hash(log: Path, tmp_path: Path, monkeypatch) -> None:
    """As the file has it, behind facility and tag; without a file, without hashes."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as daemon:
        daemon.bind(str(tmp_path / "syslog"))
        daemon.settimeout(30)
        monkeypatch.setenv("RESEAT_AUDIT_SYSLOG", str(tmp_path / "syslog"))
        audit.record("reading", who="ada", cluster="shöp")
        said = daemon.recv(65_536)
        monkeypatch.delenv("RESEAT_AUDIT")
        audit.record("reading", who="ben", cluster="shop")
        alone = json.loads(daemon.recv(65_536).removeprefix(b"<85>reseat: "))

    assert said == b"<85>reseat: " + log.read_bytes().splitlines()[-1]
    assert audit.verify(log).lines == 4
    assert (alone["who"], alone.keys() & {"hash", "before"}) == ("ben", set())


def test_without_the_syslog_daemon_nothing_happens(log: Path, tmp_path: Path, monkeypatch) -> None:
    """The sentence names the socket."""
    monkeypatch.setenv("RESEAT_AUDIT_SYSLOG", str(tmp_path / "away"))

    with pytest.raises(WriteRefused, match="away"):
        audit.record("reading", who="ada", cluster="shop")


def test_a_command_that_reads_a_cluster_is_a_line_and_without_it_nothing_is_read(tmp_path: Path, monkeypatch) -> None:
    """In the name of the operating system's user; a log that cannot be written ends the command before it connects."""
    log, asked = tmp_path / "audit.jsonl", []
    monkeypatch.setenv("RESEAT_AUDIT", str(log))
    monkeypatch.setattr(getpass, "getuser", lambda: "ada")

    def read(connection, **_):
        asked.append(connection.address)
        raise ClusterUnreachable("Nobody is there.", "route")

    monkeypatch.setattr("reseat.cli.snapshot.read_cluster", read)
    command = ["snapshot", "--bootstrap", "fake:9092", "--output", str(tmp_path / "x.json")]
    main(command)
    (line,) = (json.loads(line) for line in log.read_text().splitlines())

    assert (line["event"], line["who"], line["cluster"]) == ("reading", "ada", "fake:9092")

    monkeypatch.setenv("RESEAT_AUDIT", str(tmp_path / "none" / "audit.jsonl"))

    assert main(command) == 2
    assert asked == ["fake:9092"]
