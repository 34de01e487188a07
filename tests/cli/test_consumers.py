"""``consumers``: a group's story by one assignor, or by all of them."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from reseat.cli import main

#: The documented story: four topics of two partitions, three members, C1 leaves.
LEAVE = json.dumps(
    {
        "topics": {"T0": 2, "T1": 2, "T2": 2, "T3": 2},
        "members": [{"id": name, "topics": ["T0", "T1", "T2", "T3"]} for name in ("C0", "C1", "C2")],
        "story": [{"leave": "C1"}],
    }
)


@pytest.fixture
def group(tmp_path: Path) -> str:
    """The story in a file."""
    path = tmp_path / "group.json"
    path.write_text(LEAVE)
    return str(path)


def test_the_json_of_a_story(group: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Who reads what in the end, what it cost, and each step with its calls and messages."""
    assert main(["consumers", group, "--assignor", "sticky", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    last = told["steps"][-1]

    assert [(m["id"], m["count"], m["surplus"], m["partitions"]) for m in told["members"]] == [
        ("C0", 4, 0.0, {"T0": [0, 1], "T1": [1], "T3": [0]}),
        ("C2", 4, 0.0, {"T1": [0], "T2": [0, 1], "T3": [1]}),
    ]
    assert {key: told[key] for key in ("assignor", "generation", "spread", "rebalances", "moves", "needless")} == {
        "assignor": "sticky",
        "generation": 2,
        "spread": 0,
        "rebalances": 2,
        "moves": 3,
        "needless": 0,
    }
    assert last["moved"] == {"T0": [1], "T2": [0], "T3": [1]}
    assert last["calls"] == [{"member": "C1", "method": "revoked", "partitions": {"T0": [1], "T2": [0], "T3": [1]}}]
    assert last["rounds"][0]["leader"] == "C0"
    assert last["rounds"][0]["messages"][0] == {
        "sender": "C1",
        "receiver": "coordinator",
        "name": "LeaveGroup",
        "content": "is closing",
    }


def test_a_person_sees_each_step_and_who_reads_what(group: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A sentence a step, then a line a member."""
    assert main(["consumers", group, "--assignor", "cooperative-sticky"]) == 0
    out = capsys.readouterr().out

    assert "C1 closes: one rebalance; 3 partitions are reassigned; 3 paused during the rebalance." in out
    assert "C0      T0: 0, 1; T1: 1; T3: 0           4     +0.0" in out


def test_strategies_side_by_side(group: str, capsys: pytest.CaptureFixture[str]) -> None:
    """All of Kafka's, a line each; as JSON a list."""
    assert main(["consumers", group, "--compare"]) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert main(["consumers", group, "--compare", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)

    assert [line[:6] for line in lines[1:]] == [
        ["range", "0", "2", "4", "0", "8"],
        ["roundrobin", "0", "2", "5", "2", "8"],
        ["sticky", "0", "2", "3", "0", "8"],
        ["cooperative-sticky", "0", "2", "3", "0", "3"],
        ["broker-uniform", "0", "2", "3", "0", "3"],
        ["broker-range", "0", "2", "4", "0", "4"],
    ]
    assert [one["assignor"] for one in told] == [line[0] for line in lines[1:]]


def test_standard_input(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """With ``-``; the default is range."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(LEAVE.encode())))

    assert main(["consumers", "-", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["assignor"] == "range"


@pytest.mark.parametrize(
    ("text", "arguments", "says"),
    [
        ("{", (), "This is not JSON"),
        ('{"topics": {}, "members": [], "story": [{"leave": "x"}]}', (), "Member x is not there"),
        (LEAVE, ("--assignor", "best"), "There is no assignor called best. There are: range, roundrobin, sticky"),
    ],
)
def test_what_cannot_be_told_is_refused(
    text: str, arguments: tuple[str, ...], says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit 2, one message."""
    path = tmp_path / "group.json"
    path.write_text(text)

    assert main(["consumers", str(path), *arguments]) == 2
    assert says in capsys.readouterr().err


def test_names_do_not_steer_the_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A member named with an escape sequence is shown without it."""
    path = tmp_path / "group.json"
    path.write_text(
        json.dumps({"topics": {"T\u001b]0;x": 1}, "members": [{"id": "a\u001b[2J", "topics": ["T\u001b]0;x"]}]})
    )

    assert main(["consumers", str(path)]) == 0
    assert "\u001b" not in capsys.readouterr().out


def test_what_no_longer_exists_is_not_given_up_needlessly(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A partition of a topic that was made anew with fewer: nothing moved, and 1 of that unnecessarily."""
    group = tmp_path / "group.json"
    group.write_text('{"topics": {"a": 3}, "members": [{"id": "x", "topics": ["a"], "owned": {"a": [7]}}]}')

    assert main(["consumers", str(group)]) == 0
    assert "0 moved, 0 of them unnecessarily" in capsys.readouterr().out
