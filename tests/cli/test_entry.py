"""The door: arguments, exit codes, standard input, faults; as a real process where that is the point."""

from __future__ import annotations

import json
import os
import pwd
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import NoReturn

import pytest

from reseat.__main__ import report_fault
from reseat.cli import main
from reseat.cli.arguments import parser

LAYOUT = '{"version":1,"partitions":[{"topic":"orders","partition":0,"replicas":[1,2]}]}'


def reseat(*arguments: str, text: str = "") -> subprocess.CompletedProcess[str]:
    """``python -m reseat`` as a script would call it."""
    return subprocess.run(
        [sys.executable, "-m", "reseat", *arguments],
        input=text,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_a_layout_comes_from_standard_input() -> None:
    """With ``-``."""
    done = reseat("show", "-", text=LAYOUT)

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("standard input: reassignment JSON")


def test_a_refusal_is_one_line_and_exit_2_in_a_real_process() -> None:
    """No traceback, nothing on standard output."""
    done = reseat("plan", "-", "--remove", "1,2", text=LAYOUT)

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert "Traceback" not in done.stderr


def test_a_reader_that_goes_away_is_no_fault() -> None:
    """As with ``| head -1``: no traceback, no message."""
    entries = ",".join(f'{{"topic":"orders","partition":{i},"replicas":[1,2]}}' for i in range(5000))
    process = subprocess.Popen(
        [sys.executable, "-m", "reseat", "elect", "-", "--json"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdin.write(f'{{"version":1,"partitions":[{entries}]}}'.encode())
    process.stdin.close()
    process.stdout.read(10)
    process.stdout.close()
    said = process.stderr.read()
    process.stderr.close()

    assert process.wait(timeout=60) == 0
    assert said == b""


@pytest.mark.parametrize("both", [False, True])
@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("judge layout.json plan.json", 2),
        ("judge layout.json layout.json", 0),
        ("audit verify audit.jsonl", 1),
        ("show nowhere.json", 2),
        ("--help", 0),
    ],
)
def test_a_verdict_is_in_the_exit_code_also_where_nobody_reads_it(
    words: str, code: int, unbuffered: str, both: bool, tmp_path: Path
) -> None:
    """As ``| head -1``, or ``2>&1 | head -1``, in a script with pipefail; in a container nothing is buffered."""
    for name, replicas in (("layout.json", [1, 2]), ("plan.json", [2, 2])):
        entry = {"topic": "t", "partition": 0, "replicas": replicas}
        (tmp_path / name).write_text(json.dumps({"version": 1, "partitions": [entry]}))
    (tmp_path / "audit.jsonl").write_text("this is no line of it\n")
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = subprocess.run(
            [sys.executable, "-m", "reseat", *words.split()],
            cwd=tmp_path,
            env=os.environ | {"PYTHONUNBUFFERED": unbuffered, "PYTHONPATH": str(Path.cwd())},
            stdout=writer,
            stderr=writer if both else subprocess.PIPE,
            check=False,
            timeout=60,
        )
    finally:
        os.close(writer)

    assert done.returncode == code
    assert both or (b"The plan is invalid" in done.stderr) == ("plan.json" in words)
    assert both or b"internal error" not in done.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["nonsense"],
        ["show"],
        ["plan", "x.json", "--remove", "one"],
        ["plan", "x.json", "--remove", "-1"],
        ["plan", "x.json", "--remove", "99999999999"],
        ["plan", "x.json", "--remove", "²"],
        ["plan", "x.json", "--add", "9:"],
        ["plan", "samples/zookeeper-2.8-three-racks.txt", "--add", "10:r\udcff", "--output", "-"],
        ["plan", "x.json", "--replication-factor", "0"],
        ["elect", "x.json", "--controller", "raft"],
    ],
)
def test_arguments_that_are_not_understood_are_one_line_and_exit_2(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """Not a page of usage."""
    with pytest.raises(SystemExit) as left:
        main(arguments)

    assert left.value.code == 2
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize("command", [[], ["show"], ["plan"], ["judge"], ["elect"]])
def test_every_command_explains_itself(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """``--help`` ends with 0."""
    with pytest.raises(SystemExit) as left:
        main([*command, "--help"])

    assert left.value.code == 0
    assert "SYNOPSIS: reseat" in capsys.readouterr().out


def test_standard_input_is_read_only_once(capsys: pytest.CaptureFixture[str]) -> None:
    """Twice ``-`` is a slip."""
    assert main(["show", "-", "-"]) == 2
    assert main(["judge", "-", "-"]) == 2
    assert capsys.readouterr().err.count("only once") == 2


def test_a_fault_of_ours_is_one_line(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """The traceback is shown only where it is asked for."""
    monkeypatch.delenv("RESEAT_DEBUG", raising=False)
    report_fault(ZeroDivisionError, ZeroDivisionError("division\nby zero"), None)
    quiet = capsys.readouterr().err
    monkeypatch.setenv("RESEAT_DEBUG", "1")
    report_fault(ZeroDivisionError, ZeroDivisionError("division by zero"), None)

    assert quiet.count("\n") == 1
    assert "ZeroDivisionError: division by zero" in quiet
    assert "Traceback" not in quiet
    assert "ZeroDivisionError: division by zero" in capsys.readouterr().err


def test_an_interrupt_is_no_fault(capsys: pytest.CaptureFixture[str]) -> None:
    """Ctrl-C."""
    report_fault(KeyboardInterrupt, KeyboardInterrupt(), None)

    assert capsys.readouterr().err == "reseat: stopped.\n"


def test_ctrl_c_has_its_sentence_also_while_libraries_load(tmp_path: Path) -> None:
    """A quarter of a second, in which a traceback was all that came."""
    (tmp_path / "numpy.py").write_text("raise KeyboardInterrupt")
    words = [sys.executable, "-m", "reseat", "show", "-"]
    path = f"{tmp_path}{os.pathsep}{Path.cwd()}"
    done = subprocess.run(
        words, input="", env=os.environ | {"PYTHONPATH": path}, capture_output=True, text=True, timeout=60, check=False
    )

    assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGINT, "", "reseat: stopped.\n")


def test_showing_starts_fast_because_heavy_libraries_stay_out() -> None:
    """No solver, no pandas, no screen for a small text."""
    code = (
        "import sys; from reseat.cli import main; main(['show', '-', '--json']); "
        "heavy = {'ortools', 'pandas', 'streamlit', 'plotly', 'pyspark', 'pyarrow', 'kafka', 'kazoo'}; "
        "sys.stderr.write(','.join(sorted(heavy & set(sys.modules))))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], input=LAYOUT, capture_output=True, text=True, timeout=60, check=True
    )

    assert done.stderr == ""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the device that is always full is Linux's")
def test_a_full_disk_behind_standard_output_is_said_in_one_line() -> None:
    """Nothing of Reseat is at fault, and Python adds nothing as it ends."""
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "reseat", "show", "-"],
            input=LAYOUT,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
            check=False,
        )

    assert done.returncode == 2
    assert done.stderr == "reseat show: Standard output cannot be written: No space left on device.\n"


def test_what_a_terminal_has_no_letters_for_is_said_in_others() -> None:
    """As where Windows writes into a file: an arrow is not among its letters; all the other words come."""
    done = subprocess.run(
        [sys.executable, "-m", "reseat", "advise", "samples/zookeeper-2.8-three-racks.txt"],
        capture_output=True,
        env=os.environ | {"PYTHONIOENCODING": "cp1252"},
        encoding="cp1252",
        timeout=60,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    assert re.search(r"spread \d+ \\u2192 \d+", done.stdout)


def test_an_old_locale_has_other_letters_too() -> None:
    """Where Python is kept from UTF-8 in the C locale, it lets through the bytes of file names, and no arrow."""
    plain = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    words = [sys.executable, "-m", "reseat", "advise", "samples/zookeeper-2.8-three-racks.txt"]
    done = subprocess.run(words, capture_output=True, env=os.environ | plain, text=True, timeout=60, check=False)

    assert done.returncode == 0, done.stderr
    assert re.search(r"spread \d+ \\u2192 \d+", done.stdout)


def test_json_is_utf_8_whatever_letters_a_terminal_has(tmp_path: Path) -> None:
    """It had no more of a rack named so than a fault in its syntax, or bytes of another alphabet."""
    (tmp_path / "racks.csv").write_text("broker,rack\n1,räck-机房\n", encoding="utf-8")
    words = [sys.executable, "-m", "reseat", "show", "samples/zookeeper-2.8-three-racks.txt", "--json", "--racks"]
    for told in ("ascii", "latin-1"):
        done = subprocess.run(
            [*words, str(tmp_path / "racks.csv")],
            capture_output=True,
            env=os.environ | {"PYTHONIOENCODING": told},
            timeout=60,
            check=False,
        )
        assert "räck-机房" in [one["rack"] for one in json.loads(done.stdout)["by_broker"]]


@pytest.mark.parametrize(
    ("closed", "words", "code", "said"),
    [
        (">&-", "show -", 2, "reseat show: Standard output cannot be written: not writable.\n"),
        ("2>&-", "show -", 0, ""),
        ("2>&-", "show nowhere.txt", 2, ""),
        ("<&-", "show -", 2, "reseat show: standard input: "),
    ],
)
def test_what_the_caller_has_closed_is_no_fault_of_ours(closed: str, words: str, code: int, said: str) -> None:
    """As some schedulers do: what cannot be said is refused, and a message that nobody hears changes no exit code."""
    done = subprocess.run(
        ["sh", "-c", f"exec '{sys.executable}' -m reseat {words} {closed}"],
        input=LAYOUT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert done.returncode == code
    assert done.stderr.startswith(said)
    assert "internal error" not in done.stderr


def test_a_file_that_nobody_has_a_sentence_for_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is not standard output that cannot be written then."""

    def fails(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied", "/srv/reseat")

    monkeypatch.setattr("reseat.cli.service.doctor.examine", fails)

    assert main(["doctor"]) == 2
    assert "/srv/reseat cannot be used: Permission denied." in capsys.readouterr().err


@pytest.mark.parametrize("command", ["operate status", "dashboard"])
def test_a_user_without_a_home_is_told_what_to_set(
    command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As a container's user id that has no name."""

    def unknown(*_: object) -> NoReturn:
        raise KeyError

    monkeypatch.delenv("HOME")
    monkeypatch.setattr(pwd, "getpwuid", unknown)
    monkeypatch.setattr(sys, "executable", "/nowhere/python")

    assert main(command.split()) == 2
    assert capsys.readouterr().err == (
        f"reseat {command.partition(' ')[0]}: The home folder is unknown, which a default place or a ~ stands for: set "
        "HOME, or name whole paths.\n"
    )


@pytest.mark.parametrize("id_", ["-3HM4VoeT7SvZTRofzknYA", "--M4VoeT7SvZTRofzknYAx", "QQ-iA_VnT0-vn2Mp0H4cCg"])
@pytest.mark.parametrize("action", ["execute --plan plan.json", "rollback", "cancel", "elect --preferred"])
def test_a_cluster_whose_id_begins_with_a_dash_is_confirmed(id_: str, action: str) -> None:
    """As one in 64 of ZooKeeper's clusters: the next word is the id, and not an option that nobody knows."""
    where = ["--bootstrap", "127.0.0.1:9092"]

    chosen = parser().parse_args(["operate", *action.split(), *where, "--confirm", id_, "--json"])

    assert (chosen.confirm, chosen.json) == (id_, True)


def test_a_topic_that_begins_with_a_dash_is_taken_as_it_is() -> None:
    """Kafka allows such names."""
    chosen = parser().parse_args(["show", "layout.json", "--without-topics", "-x", "--without-topics", "orders"])

    assert chosen.without_topics == ["-x", "orders"]


@pytest.mark.parametrize("after", ["--wait", "--wai", "-h", "--wait=now", "--wiat", "--"])
def test_an_option_is_never_taken_for_the_value_that_was_forgotten(
    after: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """``--confirm --wait`` confirms no cluster called ``--wait``; nor does a slip of the pen."""
    with pytest.raises(SystemExit) as ended:
        parser().parse_args(["operate", "rollback", "--bootstrap", "127.0.0.1:9092", "--confirm", after])

    assert ended.value.code == 2
    assert "--confirm: expected one argument" in capsys.readouterr().err
