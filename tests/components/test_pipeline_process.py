"""The pipeline as processes of their own: what a page sees of them, that they end, and that no secret shows."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import textwrap
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from reseat.jobs.log import LINES, PipelineProgress, Veil, child_environment, read_progress
from reseat.jobs.process import Phase, PipelineProcess, Stage
from reseat.jobs.stages import demo_job, run_job, typed

PLANTED = "pl4nted/S3cret+value"
ROOT = Path(__file__).parents[2]
PATIENCE = 30.0

#: Says how far it is, then waits to be ended, and does not mind being asked.
DEAF = """
    import signal, subprocess, sys, threading
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    child = subprocess.Popen([sys.executable, "-c", "import threading; threading.Event().wait()"],
                             start_new_session=True)
    print("child", child.pid, flush=True)
    threading.Event().wait()
"""


def stage(program: str, title: str = "Working") -> Stage:
    """A stage that runs a small program."""
    return Stage(title, (sys.executable, "-c", textwrap.dedent(program)))


@pytest.fixture
def pipeline() -> Iterator[PipelineProcess]:
    """A pipeline of its own that leaves nothing behind."""
    process = PipelineProcess(grace=0.3)
    yield process
    process.cancel()
    assert process.wait(PATIENCE)


def ended(process_id: int) -> bool:
    """Whether a process is gone, or soon is."""
    pause = threading.Event()
    for _ in range(600):
        try:
            state = Path(f"/proc/{process_id}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            return True
        if state == "Z":
            return True
        pause.wait(0.02)
    return False


def test_the_log_tells_when_each_step_began(pipeline: PipelineProcess) -> None:
    """A job that reports nothing but progress has a log all the same: a line a step, not one for each report."""
    reports = [("read", 0), ("read", 5), ("read", 9), ("write", 9)]
    lines = [f'{{"step": "{step}", "done": {done}, "total": 9, "sentence": "{step} {done}"}}' for step, done in reports]
    assert pipeline.start([stage(f"import sys; sys.stderr.write({chr(10).join(lines)!r})")], os.environ)
    assert pipeline.wait(PATIENCE)
    log = pipeline.state.log

    assert [line[9:] for line in log] == ["UTC read 0", "UTC write 9"]
    assert all(re.match(r"\d\d:\d\d:\d\d ", line) for line in log)


def test_a_job_goes_through_its_stages_and_keeps_how_it_ended(pipeline: PipelineProcess) -> None:
    """Progress on standard error, words on either; the last words of each stage and the exit code are kept."""
    first = stage(
        """
        import sys
        sys.stderr.write('{"step": "decode", "done": 3, "total": 12, "sentence": "3 of 12 files"}\\n')
        sys.stderr.flush()
        sys.stderr.write("WARN something\\n")
        sys.stderr.flush()
        print("Taken in: 12 snapshots.", flush=True)
        sys.stdin.read()
        """
    )
    assert pipeline.start([first, stage("print('Swept: 4 losses.')")], os.environ)
    assert pipeline.wait(PATIENCE)
    state = pipeline.state

    assert state.phase is Phase.DONE
    assert state.exit_code == 0
    assert state.said == ("Taken in: 12 snapshots.", "Swept: 4 losses.")
    assert state.sentence == "Swept: 4 losses."
    assert state.log[1:] == ("WARN something", "Taken in: 12 snapshots.", "Swept: 4 losses.")
    assert state.ended_at is not None


def test_progress_shows_while_it_works_and_a_second_job_waits(pipeline: PipelineProcess) -> None:
    """One at a time: whoever comes second sees the first's progress."""
    line = '{"step": "decode", "done": 3, "total": 12, "sentence": "3 of 12 files"}'
    pipeline.start([stage(f"import threading; print('{line}', flush=True); threading.Event().wait()")])
    came = pipeline.wait_for(lambda state: state.progress is not None, PATIENCE)

    assert came
    assert pipeline.state.progress == PipelineProgress("decode", 3, 12, "3 of 12 files")
    assert pipeline.state.progress.part == 0.25
    assert not pipeline.start([stage("print('no')")])
    assert pipeline.state.number == 1


def test_cancel_ends_a_job_kindly_and_what_comes_after_it_does_not_begin(pipeline: PipelineProcess) -> None:
    """SIGTERM first; the stage behind is left out, and the state says that the tables are whole."""
    pipeline.start([stage("import threading; print('ready', flush=True); threading.Event().wait()"), stage("print(1)")])
    assert pipeline.wait_for(lambda state: state.log == ("ready",), PATIENCE)
    pipeline.cancel()
    assert pipeline.wait(PATIENCE)

    assert pipeline.state.phase is Phase.CANCELLED
    assert pipeline.state.exit_code == 128 + signal.SIGTERM
    assert pipeline.state.at == 0
    assert "The tables are whole" in pipeline.state.sentence


def test_cancel_kills_what_does_not_listen_and_all_that_it_left(pipeline: PipelineProcess) -> None:
    """A process that ignores SIGTERM, and a child of it in a session of its own, are gone in the end."""
    pipeline.start([stage(DEAF)])
    assert pipeline.wait_for(lambda state: bool(state.log), PATIENCE)
    child = int(pipeline.state.log[0].split()[1])
    pipeline.cancel()
    assert pipeline.state.phase is Phase.STOPPING
    assert pipeline.wait(PATIENCE)

    assert pipeline.state.phase is Phase.CANCELLED
    assert ended(child)


def test_a_job_ends_with_its_server_however_that_dies() -> None:
    """The server is killed by kill -9: nothing of the job is left."""
    server = f"""
        import sys, threading
        sys.path.insert(0, {str(ROOT)!r})
        from reseat.jobs.process import PipelineProcess, Stage
        pipeline = PipelineProcess(grace=0.3)
        pipeline.start([Stage("Working", (sys.executable, "-c", {textwrap.dedent(DEAF)!r}))])
        pipeline.wait_for(lambda state: bool(state.log), {PATIENCE})
        print(pipeline.state.log[0], flush=True)
        threading.Event().wait()
    """
    with subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(server)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        child = int(process.stdout.readline().split()[1])
        process.kill()

    assert ended(child)


@pytest.mark.parametrize(
    ("program", "phase", "said"),
    [
        (
            "import sys; sys.exit(sys.stderr.write('reseat pipeline: Another run is at work since 12:00.\\n') and 2)",
            Phase.REFUSED,
            "Another run is at work since 12:00.",
        ),
        ("import sys; sys.exit('reseat: a fault')", Phase.FAILED, "Working failed with exit code 1. a fault"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", Phase.FAILED, "Working was ended from outside"),
    ],
)
def test_how_a_job_fails_is_said_in_words(pipeline: PipelineProcess, program: str, phase: Phase, said: str) -> None:
    """Refused with the refusal's own sentence, failed with code and last words, killed with the signal."""
    pipeline.start([stage(program), stage("print('never')")])
    assert pipeline.wait(PATIENCE)

    assert pipeline.state.phase is phase
    assert pipeline.state.sentence.startswith(said)
    assert pipeline.state.at == 0


def test_a_command_that_is_not_there_fails_in_words(pipeline: PipelineProcess) -> None:
    """No traceback and no hanging job."""
    pipeline.start([Stage("Working", ("/nowhere/reseat",))])
    assert pipeline.wait(PATIENCE)

    assert pipeline.state.phase is Phase.FAILED
    assert "/nowhere/reseat could not be started: No such file or directory." in pipeline.state.sentence


def test_the_log_is_bounded_and_holds_no_secret(pipeline: PipelineProcess) -> None:
    """Values of secret variables are struck out, also in progress; what reaches clusters is not handed on at all."""
    environment = os.environ | {
        "AWS_SECRET_ACCESS_KEY": PLANTED,
        "RESEAT_CLUSTER_PROD_PASSWORD": "the-cluster's-own",
        "HARMLESS": "harmless-value",
    }
    program = f"""
        import os
        for n in range({LINES} + 50):
            print("line", n)
        print(os.environ["AWS_SECRET_ACCESS_KEY"], os.environ["HARMLESS"], "RESEAT_CLUSTER_PROD_PASSWORD" in os.environ)
        print("s3://someone:word@bucket/x", "y" * 100_000)
        print('{{"step": "s", "done": 1, "total": null, "sentence": "' + os.environ["AWS_SECRET_ACCESS_KEY"] + '"}}')
        import threading
        threading.Event().wait()
    """
    pipeline.start([stage(program)], environment)
    assert pipeline.wait_for(lambda state: state.progress is not None, PATIENCE)
    state = pipeline.state

    assert len(state.log) == LINES
    assert "••• harmless-value False" in state.log
    assert PLANTED not in repr((state.log, state.progress))
    assert "someone:word" not in repr(state.log)
    assert max(map(len, state.log)) < 600


def test_only_progress_is_taken_for_progress() -> None:
    """JSON of another kind, and half a line, are words like any other."""
    told = PipelineProgress("a", 1, None, "x")

    assert read_progress('{"step": "a", "done": 1, "total": null, "sentence": "x"}') == told
    assert told.part is None
    assert read_progress('{"error": "a"}') is None
    assert read_progress('{"step": "a"') is None
    assert read_progress("[1]") is None


def test_a_short_value_is_not_struck_out_of_every_word() -> None:
    """A password of three letters would leave nothing readable; the variables of clusters are left out anyway."""
    veil = Veil({"MY_TOKEN": "a b", "DB_PASSWORD": "long enough"})

    assert veil.over("a b, long enough\x1b[31m") == "a b, •••\ufffd[31m"
    assert child_environment({"RESEAT_CLUSTER_X_TOKEN": "1", "RESEAT_OPERATE_TOKEN": "2", "RESEAT_TABLES": "t"}) == {
        "RESEAT_TABLES": "t"
    }


def test_jobs_are_the_commands_that_a_person_types() -> None:
    """The demo is made first; the run and the sweep of the latest follow, each telling its progress as JSON."""
    made = [one.command for one in demo_job("/l", "s3://b/t")]

    assert {command[1:3] for command in made} == {("-P", "-m")}  # nothing that lies where it is typed
    assert [command[3:] for command in made] == [
        ("reseat", "pipeline", "demo", "--landing", "/l", "--progress", "json"),
        ("reseat", "pipeline", "run", "--landing", "/l", "--tables", "s3://b/t", "--progress", "json"),
        ("reseat", "pipeline", "sweep", "--tables", "s3://b/t", "--latest", "--progress", "json"),
    ]
    assert [one.command for one in demo_job("/l", "/t")[1:]] == [one.command for one in run_job("/l", "/t")]
    assert all(one.seconds for one in demo_job("/l", "/t"))
    assert not any(one.seconds for one in run_job("/l", "/t"))
    assert typed("land", "a b.txt") == "python -m reseat land 'a b.txt'"
    assert typed("land", "x", "--landing", "/a" * 20).splitlines() == [
        "python -m reseat land x \\",
        f"    --landing {'/a' * 20}",
    ]
    long = typed("land", "x", "--landing", "/a/landing/zone", "--cluster", "orders-prod", "--taken-at", "2026-05-01")

    assert max(len(line) for line in long.splitlines()) <= 54
    assert long.replace(" \\\n   ", "") == (
        "python -m reseat land x --landing /a/landing/zone --cluster orders-prod --taken-at 2026-05-01"
    )
