"""``disks``: directories shown, evened out, emptied; and what is refused."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from reseat.cli import main
from reseat.formats.documents.snapshot_writer import write_snapshot
from reseat.formats.documents.writers import write_reassignment
from reseat.model import Snapshot
from tests.planning.test_directories import GB, disks, drained, told_room


@pytest.fixture
def snapshot(tmp_path):
    """A snapshot of one broker with two directories."""
    layout, told = disks({"/a": [5, 4, 1], "/b": []}, **{"/b": {"total_bytes": 90 * GB, "usable_bytes": 80 * GB}})
    file = tmp_path / "snapshot.json"
    taken = Snapshot(layout=layout, taken_at=datetime(2026, 1, 1, tzinfo=UTC), protocol="admin", log_dirs=told)
    file.write_bytes(write_snapshot(taken))
    return file


def test_directories_are_shown(snapshot, capsys):
    """Also by show, whose JSON has them."""
    assert main(["disks", str(snapshot)]) == 0
    said = capsys.readouterr().out
    assert main(["show", str(snapshot)]) == 0
    shown = capsys.readouterr().out
    assert main(["show", str(snapshot), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)["log_dirs"]

    assert "/b" in said
    assert "80.0 GB  90.0 GB" in said
    assert said.strip() in shown
    assert told[1] == {
        "broker": 1, "path": "/b", "state": "online", "replicas": 0, "bytes": 0, "total_bytes": 90 * GB,
        "usable_bytes": 80 * GB,
    }  # fmt: skip


def test_what_is_wrong_with_directories_is_found_in_pasted_text_too(tmp_path, capsys):
    """Of many directories those that are not online are listed first; uneven ones are a finding of any source."""
    held = [{"partition": f"a-{number}", "size": 2 * GB, "offsetLag": 0, "isFuture": False} for number in range(40)]
    told = [
        {"logDir": f"/d{at}", "error": "KafkaStorageException" if at == 44 else None, "partitions": held * (at == 0)}
        for at in range(45)
    ]
    rows = "".join(f"Topic: a\tPartition: {number}\tLeader: 1\tReplicas: 1\tIsr: 1\n" for number in range(40))
    files = tmp_path / "describe.txt", tmp_path / "log-dirs.txt"
    files[0].write_text(rows)
    files[1].write_text(json.dumps({"version": 1, "brokers": [{"broker": 1, "logDirs": told}]}))

    assert main(["show", *map(str, files)]) == 0
    said = capsys.readouterr().out

    assert "What is not online, and the fullest: 40 of 45; --json lists all." in said
    assert next(line for line in said.splitlines() if " /d" in line).split()[:3] == [
        "1",
        "/d44",
        "KafkaStorageException",
    ]
    assert "Log directories are not balanced on 1 broker (broker 1: /d0 holds 80.0 GB more than the emptiest)." in said
    assert said.count("KafkaStorageException") == 2  # in the table, and one finding


def test_a_plan_is_written_with_its_rollback(snapshot, tmp_path, capsys):
    """Both name directories; the words say what moves."""
    plan, back = tmp_path / "plan.json", tmp_path / "back.json"

    assert main(["disks", str(snapshot), "--balance", "--output", str(plan), "--rollback", str(back)]) == 0
    assert "1 replica moves, 5.0 GB." in capsys.readouterr().out
    assert json.loads(plan.read_text())["partitions"][0]["log_dirs"] == ["/b"]
    assert json.loads(back.read_text())["partitions"][0]["log_dirs"] == ["/a"]


def test_where_nothing_moves_the_files_say_so(snapshot, tmp_path, capsys):
    """As ``plan`` writes them: the plan of the last time is not left there to be executed."""
    for name in ("plan.json", "back.json"):
        (tmp_path / name).write_text("of the last time")
    files = ("--output", str(tmp_path / "plan.json"), "--rollback", str(tmp_path / "back.json"))
    assert main(["disks", str(snapshot), "--drain", "1:/b", *files]) == 0

    assert "No replica moves" in capsys.readouterr().out
    assert [json.loads((tmp_path / name).read_text()) for name in ("plan.json", "back.json")] == [
        {"version": 1, "partitions": []}
    ] * 2


def test_a_directory_is_emptied(snapshot, capsys):
    """As JSON: each move, and the bounds."""
    assert main(["disks", str(snapshot), "--drain", "1:/a", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)

    assert (len(told["moves"]), told["bytes"]) == (3, 10 * GB)
    assert told["brokers"][0]["after"] == {"/a": 0, "/b": 10 * GB}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--balance", "--drain", "1:/a"], "exclude each other"),
        (["--output", "x.json"], "need --balance or --drain"),
        (["--brokers", "1"], "--brokers needs --balance"),
        (["--drain", "1:/a", "--brokers", "1"], "--brokers needs --balance"),
        (["--balance", "--output", "-", "--rollback", "-"], "Only one file can be written to standard output."),
        (["--balance", "--output", "-", "--json"], "Only one file can be written to standard output."),
        (["--drain", "7:/a"], "The log directories of broker 7 are unknown."),
    ],
)
def test_what_is_refused(snapshot, words, said, capsys):
    """With exit code 2 and a sentence."""
    assert main(["disks", str(snapshot), *words]) == 2
    assert said in capsys.readouterr().err


def test_unknown_directories_are_said_to_be_unknown(tmp_path, capsys):
    """In the place of a table without rows."""
    layout = tmp_path / "describe.txt"
    layout.write_text("Topic: t\tPartition: 0\tLeader: 1\tReplicas: 1\tIsr: 1\n")

    assert main(["disks", str(layout)]) == 0
    assert capsys.readouterr().out.startswith("Log directories are unknown.")


@pytest.mark.parametrize("value", ["/a", "99999999999:/a", "\u0663:/a", "1:"])
def test_a_log_directory_has_a_broker(snapshot, value, capsys):
    """What is no id ends with a sentence; some ended with an internal error."""
    with pytest.raises(SystemExit) as ended:
        main(["disks", str(snapshot), "--drain", value])
    assert ended.value.code == 2
    assert "argument --drain: " in capsys.readouterr().err


@pytest.mark.parametrize("words", [[], ["--drain", "1:/a"], ["--json"]])
def test_what_was_not_read_is_said(snapshot, tmp_path, words, capsys):
    """A line that was skipped may name a replica that then is in no directory."""
    other = tmp_path / "describe.txt"
    other.write_text("Topic: t\tPartition: 0\tLeader: 1\tReplicas: 1\tIsr: 1\nTopic: t\tPartition: 1\tLead\n")

    assert main(["disks", str(snapshot), str(other), *words]) == 0
    said = capsys.readouterr()
    assert "reseat show lists them." in (said.err if "--json" in words else said.out)


def test_a_plan_names_directories_for_new_replicas(tmp_path, capsys):
    """By room, where asked for; without a file to write it does nothing, and is refused."""
    made, told = drained([5, 8], told_room(a=10, b=20))
    file, plan = tmp_path / "snapshot.json", tmp_path / "plan.json"
    taken = Snapshot(layout=made.current, taken_at=datetime(2026, 1, 1, tzinfo=UTC), protocol="admin", log_dirs=told)
    file.write_bytes(write_snapshot(taken))
    asked = ["plan", str(file), "--no-racks", "--remove", "1", "--choose-directories"]

    assert main([*asked, "--output", str(plan)]) == 0
    assert [one["log_dirs"] for one in json.loads(plan.read_text())["partitions"]] == [["/b"], ["/b"]]
    assert main([*asked, "--pieces", str(plan)]) == 0
    pieces = json.loads((tmp_path / "plan-1.json").read_text())
    assert [one["log_dirs"] for one in pieces["partitions"]] == [["/b"], ["/b"]]
    assert main(asked) == 2
    assert "--choose-directories only goes with --output or --pieces" in capsys.readouterr().err


@pytest.mark.parametrize("left", [20, 10])
def test_a_plan_that_does_not_fit_says_so_before_it_is_executed(tmp_path, capsys, left):
    """Kafka's own tool, which may be given the plan, looks at no disk."""
    made, told = drained([5, 8], told_room(a=left, b=2))
    file = tmp_path / "snapshot.json"
    taken = Snapshot(layout=made.current, taken_at=datetime(2026, 1, 1, tzinfo=UTC), protocol="admin", log_dirs=told)
    file.write_bytes(write_snapshot(taken))

    assert main(["plan", str(file), "--no-racks", "--remove", "1"]) == 0
    said = "The plan needs more disk space than there is: broker 2 has 12.0 GB left and would get 13.0 GB."
    assert (said in capsys.readouterr().out) is (left == 10)
    other = tmp_path / "other.json"
    other.write_text(write_reassignment(made))
    assert main(["judge", str(file), str(other), "--no-racks", "--remove", "1"]) == 0
    assert (said in capsys.readouterr().out) is (left == 10)
