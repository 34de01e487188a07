"""``advise``: what to do about a layout, in words and for scripts."""

from __future__ import annotations

import argparse
import json
import shlex
from datetime import UTC, datetime
from pathlib import Path

import pytest

from reseat.cli import main
from reseat.cli.argument_values import rate
from reseat.formats.documents.snapshot_writer import write_snapshot
from reseat.model import Broker, ClusterLayout, Finding, LogDirectory, Severity, Snapshot

SAMPLES = Path(__file__).parents[2] / "samples"
NINE = str(SAMPLES / "zookeeper-2.8-three-racks.txt")


def test_answers_come_with_cost_mends_and_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    """The best first; the throttle gives the time; the rule stands below."""
    assert main(["advise", NINE, "--throttle", "1000000"]) == 0
    said = capsys.readouterr().out

    assert said.startswith(
        "1. Run a preferred leader election\n"
        "   Cost: 42 elections, no data moves\n"
        "   Fixes: Non-preferred leaders\n"
        "   Leader spread 64 → 35\n"
        f"   reseat elect {NINE}\n"
        "2. Rebalance leaders only\n"
    )
    assert "   Cost: 155 moves, 1.9 MB to copy, at least 2 s at 1.0 MB/s\n" in said
    assert f"   reseat plan {NINE} --rebalance --point=155\n" in said
    assert "Sorted by" not in said
    assert "The rest is sorted by what each fixes per replica that moves" in said


@pytest.mark.parametrize("typed", ["1000000", "1MB", "1mb/s", "1 MB/s", "0.001GB"])
def test_a_throttle_is_a_number_or_a_size(typed: str) -> None:
    """As ``--max-bytes`` takes it; a size of no byte is no rate."""
    assert rate(typed) == 1_000_000
    for wrong in ("0", "0MB", "-1MB", "MB", "9999999PB", "1e6"):
        with pytest.raises(argparse.ArgumentTypeError, match=f"'{wrong}' is not bytes per second: .* such as 50MB"):
            rate(wrong)


def test_no_throttle_is_no_time(capsys: pytest.CaptureFixture[str]) -> None:
    """``none`` ended with an internal error; with one the JSON has the least time too."""
    assert main(["advise", NINE, "--throttle", "none"]) == 0
    assert "at least" not in capsys.readouterr().out

    for throttle, seconds in (("none", None), ("1000000", 1.9)):
        assert main(["advise", NINE, "--throttle", throttle, "--json"]) == 0
        (answer,) = (one for one in json.loads(capsys.readouterr().out)["answers"] if one["moves"] == 155)
        assert answer["least_seconds"] == (seconds and pytest.approx(answer["busiest_broker_bytes"] / 1e6))


def test_what_disks_have_no_room_for_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As of the plan itself, in words and for scripts."""
    lists = {("t", row): [1, 2] for row in range(8)}
    layout = ClusterLayout.from_assignments(
        lists, brokers=[Broker(1), Broker(2), Broker(3)], size_bytes=dict.fromkeys(lists, 4e9)
    )
    full = (LogDirectory(3, "/a", 10**12, 10**9),)
    file = tmp_path / "layout.json"
    file.write_bytes(write_snapshot(Snapshot(layout, datetime(2026, 1, 1, tzinfo=UTC), "admin", log_dirs=full)))
    assert main(["advise", str(file)]) == 0
    told = capsys.readouterr().out
    assert main(["advise", str(file), "--json"]) == 0
    said = [one["no_room"] for one in json.loads(capsys.readouterr().out)["answers"] if one["kind"] == "rebalance"]

    assert len(said) == 1
    assert said[0].startswith("The plan needs more disk space than there is: broker 3 has 1.0 GB left")
    assert f"   {said[0]}\n" in told


def test_what_is_critical_beside_the_layout_comes_first(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A disk that failed, and a cluster without its controllers: nothing was said to be done."""
    layout = ClusterLayout.from_assignments({("t", 0): [1, 2]}, brokers=[Broker(1), Broker(2)])
    broken = (LogDirectory(2, "/a", error="KAFKA_STORAGE_ERROR"),)
    lost = (Finding("no_quorum", Severity.BROKEN, "No controller answers."),)
    file = tmp_path / "layout.json"
    taken = datetime(2026, 1, 1, tzinfo=UTC)
    file.write_bytes(write_snapshot(Snapshot(layout, taken, "admin", log_dirs=broken, findings=lost)))
    assert main(["advise", str(file)]) == 0
    said = capsys.readouterr().out.splitlines()

    assert said[0] == "First, what no plan fixes:"
    assert [line.partition(":")[0] for line in said[1:3]] == ["  No controller quorum", "  Log directory offline"]


@pytest.mark.parametrize(
    "words", [[], ["--racks", "two racks.csv", "--without-topics", "orders,pay*", "--order-is-right"]]
)
def test_each_command_that_is_named_makes_that_plan(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As it stands, with all that was said of the layout; as many replicas move as was said."""
    monkeypatch.chdir(tmp_path)
    Path("two racks.csv").write_text("".join(f"{broker},{'ab'[broker % 2]}\n" for broker in range(1, 10)))
    assert main(["advise", NINE, *words, "--json"]) == 0
    answers = [one for one in json.loads(capsys.readouterr().out)["answers"] if one["wish"] is not None]
    assert main(["advise", NINE, *words]) == 0
    commands = [line for line in capsys.readouterr().out.splitlines() if line.startswith("   reseat plan")]

    assert len(commands) == len(answers) >= 5
    for command, answer in zip(commands, answers, strict=True):
        certificate = tmp_path / "certificate.json"
        assert main([*shlex.split(command)[1:], "--certificate", str(certificate)]) == 0
        made = json.loads(certificate.read_text(encoding="utf-8"))
        assert (made["moves"], made["wish"]) == (answer["moves"], answer["wish"])
    capsys.readouterr()


def test_what_comes_before_any_plan_is_said_first(capsys: pytest.CaptureFixture[str]) -> None:
    """With a broker down; its drain is one of the answers."""
    down = str(SAMPLES / "kraft-4.1-broker-down.txt")
    assert main(["advise", down, "--controller", "kraft"]) == 0
    said = capsys.readouterr().out

    assert said.startswith("First, what no plan fixes:\n  No leader: Restart a broker that holds the data.")
    assert "Drain broker 5, if it does not come back\n" in said
    assert f"   reseat plan {down} --remove=5\n" in said
    assert f"   reseat elect {down} --controller=kraft\n" in said


def test_nothing_to_do_is_an_answer(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In words, and as an empty list."""
    layout = tmp_path / "layout.txt"
    layout.write_text(
        "Topic: t\tPartition: 0\tLeader: 1\tReplicas: 1,2\tIsr: 1,2\n"
        "Topic: t\tPartition: 1\tLeader: 2\tReplicas: 2,1\tIsr: 1,2\n"
    )
    assert main(["advise", str(layout)]) == 0
    assert capsys.readouterr().out.startswith("Nothing to do: no election and no plan known here fixes anything.")
    assert main(["advise", str(layout), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"first": [], "answers": [], "refused": [], "unknown": None}


def test_what_cannot_be_planned_is_not_called_nothing_to_do(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A source that does not keep the order of lists: the reason, with what to do about it."""
    layout = tmp_path / "rpk.txt"
    layout.write_text(
        "PARTITION  LEADER  EPOCH  REPLICAS  LOG-START-OFFSET  HIGH-WATERMARK\n"
        "0          1       2      [1 2]     0                 10\n"
        "1          1       2      [1 2]     0                 10\n"
        "2          1       2      [1 3]     0                 10\n"
        "3          1       2      [1 3]     0                 10\n"
    )
    assert main(["advise", str(layout)]) == 0
    said = capsys.readouterr().out

    assert "Nothing to do" not in said
    assert "No plan can be made: The source does not keep the order of replica lists" in said
    assert main(["advise", str(layout), "--order-is-right"]) == 0
    assert "Rebalance replicas and leaders" in capsys.readouterr().out
