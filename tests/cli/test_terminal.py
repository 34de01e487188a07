"""What a person at a terminal sees: a line while something takes long, colours; nothing of it in a pipe."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from reseat.cli import main
from reseat.cli.output import terminal
from reseat.cli.output.terminal import Line, working
from reseat.operate.journal.records import RunState
from reseat.operate.run.execute import carry_out
from reseat.pipeline.ingest import RunReport
from reseat.pipeline.progress import JobProgress
from reseat.planning.plan import plan as plan_wish
from tests.cli import test_operate

#: The fixture, by a name of its own.
in_memory = test_operate.world
LAYOUT = '{"version":1,"partitions":[{"topic":"orders","partition":0,"replicas":[1,2]}]}'
BROKEN = "Topic: t\tPartition: 0\tLeader: none\tReplicas: 1,2\tIsr: \n"


def read_until(terminal: int, wanted: str) -> str:
    """What a terminal shows, until these words are there or whoever writes to it is gone."""
    seen = ""
    while wanted not in seen:
        try:
            read = os.read(terminal, 4096)
        except OSError:  # Linux's word for a terminal that nobody writes to any more
            break
        if not read:
            break
        seen += read.decode()
    return seen


def shown(tmp_path: Path, **environment: str) -> str:
    """What ``reseat show`` of a layout with an offline partition writes to a terminal."""
    (tmp_path / "layout.txt").write_text(BROKEN)
    ours, theirs = pty.openpty()
    kept = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    process = subprocess.Popen(
        [sys.executable, "-m", "reseat", "show", str(tmp_path / "layout.txt")],
        stdout=theirs,
        env={**kept, "TERM": "xterm", **environment},
    )
    os.close(theirs)
    seen = read_until(ours, "never written")
    os.close(ours)

    assert process.wait(60) == 0
    return seen


def test_a_severity_has_a_colour_at_a_terminal_unless_no_color_says_otherwise(tmp_path: Path) -> None:
    """https://no-color.org: any value that is not empty turns colours off; so does a terminal that has none."""
    assert "\x1b[31;1mCRITICAL\x1b[0m" in shown(tmp_path)
    for setting in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        plain = shown(tmp_path, **setting)

        assert "CRITICAL" in plain
        assert "\x1b" not in plain


def test_what_a_file_says_moves_no_cursor(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A rack, a skipped line or a file's name with a terminal's commands could write over the answer, or its title."""
    layout, racks = tmp_path / "lay\x1b[2Jout.txt", tmp_path / "racks.json"
    layout.write_text("Topic: a\tPartition: 0\tLeader: 1\tReplicas: 1\tIsr: 1\nhello \x1b]0;title\x07\n")
    racks.write_text(json.dumps({"1": "r\x1b[1A\r\nack\u202e"}))

    assert main(["show", str(layout), "--racks", str(racks)]) == 0
    assert main(["show", "no\x1b[2Jwhere.txt"]) == 2
    said = "".join(capsys.readouterr())
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", said)
    assert "r\ufffd[1A\ufffd\ufffdack\ufffd" in said
    assert "no\ufffd[2Jwhere.txt" in said


def test_what_takes_longer_than_a_second_says_so_on_one_line_that_is_gone_in_the_end() -> None:
    """Here what is read comes late; the answer itself goes to standard output, without a trace of the line."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "reseat", "show", "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=theirs,
        text=True,
    )
    os.close(theirs)
    waiting = read_until(ours, "0:01")
    answer, _ = process.communicate(LAYOUT, timeout=60)
    rest = read_until(ours, "never written")
    os.close(ours)

    assert waiting.startswith("\rReading 0:01")
    assert rest.endswith(" \r")
    assert "\n" not in waiting + rest
    assert answer.startswith("standard input: reassignment JSON")
    assert "Reading" not in answer


def test_ctrl_c_takes_the_line_away_and_ends_the_command_with_a_word() -> None:
    """As a shell sees it of a program that SIGINT ended, which it calls 130; no traceback."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "reseat", "show", "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=theirs,
        # Tests that a shell runs in the background ignore Ctrl-C, and so would what they start.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509 -- it only sets a signal
    )
    os.close(theirs)
    read_until(ours, "Reading")
    process.send_signal(signal.SIGINT)
    rest = read_until(ours, "never written")
    os.close(ours)
    answer, _ = process.communicate(timeout=60)

    assert process.returncode == -signal.SIGINT
    assert rest.endswith("\r" + " " * len("Reading 0:01") + "\rreseat: stopped.\r\n")
    assert answer == b""


#: Set once the line that a test looks for is drawn, and from the beginning where none is to be.
DRAWN = threading.Event()


def late(whole: Callable[..., object]) -> Callable[..., object]:
    """The same, once the line is drawn."""

    def comes(*given: object, **named: object) -> object:
        assert DRAWN.wait(60)
        return whole(*given, **named)

    return comes


def snapshot_of(in_memory: test_operate.World) -> Callable[..., object]:
    """A reading that says how far it is."""

    def read(connection: object, *, report: Callable[[SimpleNamespace], None]) -> object:
        report(SimpleNamespace(step="replica sizes", done=3, total=12))
        return late(in_memory.read)(connection)

    return read


def nothing_ingested(session: object, landing: object, tables: object, *, report: Callable[..., None]) -> RunReport:
    """A run of the pipeline that takes its time."""
    report(JobProgress("read", 3, 12, "Reading 12 snapshots."))
    late(lambda: None)()
    return RunReport()


@pytest.mark.parametrize("at_a_terminal", [True, False])
@pytest.mark.parametrize(
    "command",
    [
        ("plan", "Planning 0:0"),
        ("snapshot", "Reading replica sizes [#####---------------] 3 of 12 0:0"),
        ("execute", "Run 1 [--------------------] 0 of 6 0:0"),
        ("pipeline", "At work [#####---------------] 3 of 12 0:0"),
    ],
)
def test_each_long_command_has_its_line_at_a_terminal_and_none_in_a_pipe(
    command: tuple[str, str],
    at_a_terminal: bool,
    in_memory: test_operate.World,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Planning, reading a cluster, executing and the pipeline; here a tenth of a second is long."""
    name, line = command
    drawn_as = Line.text

    def text(self: Line, seconds: float) -> str:
        drawn = drawn_as(self, seconds)
        if drawn.startswith(line):
            DRAWN.set()
        return drawn

    (DRAWN.clear if at_a_terminal else DRAWN.set)()
    monkeypatch.setattr(Line, "text", text)
    (tmp_path / "layout.json").write_text(LAYOUT)
    monkeypatch.setattr(terminal, "PATIENCE", 0.1)
    monkeypatch.setattr("reseat.cli.plan.plan_wish", late(plan_wish))
    monkeypatch.setattr("reseat.cli.snapshot.read_cluster", snapshot_of(in_memory))
    monkeypatch.setattr("reseat.cli.operate.execute.carry_out", late(carry_out))
    monkeypatch.setattr("reseat.pipeline.ingest.run_on_demand", nothing_ingested)
    ours, theirs = pty.openpty() if at_a_terminal else os.pipe()
    with os.fdopen(theirs, "w") as stream:
        monkeypatch.setattr(sys, "stderr", stream)
        if name == "execute":
            code = in_memory.run("execute", "--plan", str(in_memory.plan), "--wait", "--throttle", "1000")
        else:
            words = {
                "plan": ["plan", str(tmp_path / "layout.json"), "--remove", "2", "--add", "3"],
                "snapshot": ["snapshot", "--bootstrap", "b1:9092", "--output", str(tmp_path / "taken.json")],
                "pipeline": ["pipeline", "run", "--landing", str(tmp_path), "--tables", str(tmp_path / "tables")],
            }
            code = main(words[name])
    seen = read_until(ours, "never written")
    os.close(ours)

    assert code == 0
    assert (f"\r{line}" in seen) is at_a_terminal
    assert ("\r" in seen.replace("\r\n", "")) is at_a_terminal


def test_nothing_is_drawn_where_standard_error_is_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    """Not even a thread that would draw: what is told goes nowhere."""
    with working("Planning") as tell:
        tell("Planning", 1, 2)
        drawing = [thread.name for thread in threading.enumerate() if thread.name == "progress"]

    assert drawing == []
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("told", "text"),
    [
        (("Planning",), "Planning 1:01"),
        (("Reading topics", 12_000), "Reading topics 12,000 1:01"),
        (("Run 7", 30, 120), "Run 7 [#####---------------] 30 of 120 1:01"),
        (("Run 7", 130, 120), "Run 7 [####################] 130 of 120 1:01"),
    ],
)
def test_the_line_says_how_far_it_is_where_that_is_known(told: tuple[str, int, int], text: str) -> None:
    """A bar only with a total; more than all of it, as where partitions came meanwhile, fills it."""
    line = Line("At work", sys.stderr)
    line.tell(*told)

    assert line.text(61.9) == text


def test_a_run_goes_on_though_its_terminal_is_gone(
    in_memory: test_operate.World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in the background of a shell whose connection was closed: it stopped half way, and left its throttles."""
    ours, theirs = pty.openpty()

    def goes(*given: Any, **named: Any) -> object:
        assert "Run 1 [" in read_until(ours, "Run 1 [")
        os.close(ours)
        return carry_out(*given, **named)

    monkeypatch.setattr(terminal, "PATIENCE", 0.0)
    monkeypatch.setattr("reseat.cli.operate.execute.carry_out", goes)
    with os.fdopen(theirs, "w") as stream, monkeypatch.context() as patched:
        patched.setattr(sys, "stdout", stream)
        patched.setattr(sys, "stderr", stream)
        in_memory.run("execute", "--plan", str(in_memory.plan), "--wait", "--throttle", "1000")

    assert in_memory.cluster.lists == test_operate.AFTER
    assert in_memory.cluster.dynamic == {}
    assert [run.state for run in in_memory.runs()] == [RunState.DONE]
