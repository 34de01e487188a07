"""The documents say what the command line takes and gives, and every limit: nothing is left out, nothing is stale."""

from __future__ import annotations

import argparse
import dataclasses
import json
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

from reseat.cli import main
from reseat.cli.arguments import parser
from reseat.cli.operate.session import progress_json
from reseat.consumers import text as group_text
from reseat.election import Reason
from reseat.formats import LIMITS
from reseat.formats.documents.snapshot_writer import write_snapshot
from reseat.formats.documents.writers import write_reassignment
from reseat.formats.rows.gather import MASKS
from reseat.model import (
    Certificate,
    ClusterLayout,
    Finding,
    LogDirectory,
    Original,
    Plan,
    Severity,
    Snapshot,
    Wish,
)
from reseat.operate.journal.journal import Approval, Journal, PlannedMove

DOCS = Path(__file__).parent.parent.parent / "docs"
COMMANDS = (DOCS / "command-line.md").read_text(encoding="utf-8")
FORMATS = (DOCS / "formats.md").read_text(encoding="utf-8")


def options() -> list[str]:
    """Every option of every command."""
    return sorted({option for command in commands_of(parser()) for option in command._option_string_actions})


def commands_of(command: argparse.ArgumentParser) -> list[argparse.ArgumentParser]:
    """A command and all commands below it."""
    below = [a for a in command._actions if isinstance(a, argparse._SubParsersAction)]
    return [command, *(found for group in below for one in group.choices.values() for found in commands_of(one))]


@pytest.mark.parametrize("option", [o for o in options() if o not in ("-h", "--help")])
def test_every_option_is_documented(option: str) -> None:
    """As a word of its own."""
    assert re.search(rf"`[^`]*{option}\b[^`]*`", COMMANDS)


def test_every_key_of_show_is_documented(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Also the keys within its objects and lists."""
    text = "noise\nTopic: t\tPartition: 0\tLeader: 2\tReplicas: 1,2\tIsr: 1\n"
    (tmp_path / "layout.txt").write_text(text)
    assert main(["show", str(tmp_path / "layout.txt"), "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    keys = {*shown, *shown["by_broker"][0], *shown["findings"][0], *shown["skipped"][0], *shown["spread"]["replicas"]}

    assert {key for key in keys if f"`{key}`" not in COMMANDS} == set()


def test_every_key_of_a_group_is_documented(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What the command prints, also within its steps, and what the text of a group may say, with its limits."""
    (tmp_path / "group.json").write_text(
        '{"topics": {"T": 1}, "members": [{"id": "a", "topics": ["T"]}, {"id": "b", "topics": ["T"]}], '
        '"story": [{"leave": "a"}]}'
    )
    assert main(["consumers", str(tmp_path / "group.json"), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    step = told["steps"][-1]
    printed = {*told, *told["members"][0], *step, *step["rounds"][0], *step["calls"][0]}
    printed |= set(step["rounds"][0]["messages"][0])
    limits = (group_text.MOST_BYTES, group_text.MOST_MEMBERS, group_text.MOST_PARTITIONS, group_text.MOST_EVENTS)
    read = {
        name
        for kind in (group_text.TextFields, group_text.MemberFields, group_text.StepFields)
        for name in kind.__struct_encode_fields__
    }

    assert {key for key in printed if f"`{key}`" not in COMMANDS} == set()
    assert {key for key in read if f"`{key}`" not in FORMATS} == set()
    assert {limit for limit in limits if f"{limit:,}" not in FORMATS} == set()


def test_every_key_of_a_certificate_is_documented() -> None:
    """The same keys come from plan and judge."""
    assert {item.name for item in dataclasses.fields(Certificate) if f"`{item.name}`" not in COMMANDS} == set()


def test_every_reason_of_an_election_is_documented() -> None:
    """With the name that Kafka gives its answer."""
    assert {reason for reason in Reason if reason.label not in COMMANDS or reason.error not in COMMANDS} == set()


def test_every_limit_is_documented() -> None:
    """With its number."""
    assert {f"{limit:,}" for limit in dataclasses.asdict(LIMITS).values() if f"{limit:,}" not in FORMATS} == set()


def test_every_key_of_a_snapshot_is_documented() -> None:
    """Also the columns of its tables and the keys within its lists."""
    layout = ClusterLayout.from_columns(
        topics=["a"],
        topic_of=[0],
        partition=[0],
        replicas=[[1]],
        leader=[1],
        leader_epoch=[0],
        size_bytes=[[1.0]],
        log_dir=[[0]],
        log_dirs=["/d"],
        min_in_sync=[1],
        **{name: [[True]] for name in MASKS},
    )
    snapshot = Snapshot(
        layout,
        datetime(2026, 5, 1, tzinfo=UTC),
        "admin",
        findings=(Finding("k", Severity.NOTE, "Seen."),),
        log_dirs=(LogDirectory(1, "/d"),),
        pending={("a", 0): (1,)},
        original=Original("a.txt", "a"),
    )
    told = json.loads(write_snapshot(snapshot))
    keys = set(told)
    for name in ("topics", "partitions", "replicas", "original"):
        keys |= set(told[name])
    for name in ("findings", "pending", "log_dirs", "brokers"):
        keys |= set(told[name][0])

    assert {key for key in keys | {"in_sync_told"} if f"`{key}`" not in FORMATS} == set()


def test_every_key_of_a_sealed_plan_is_documented() -> None:
    """And what was shown."""
    layouts = [ClusterLayout.from_assignments({("a", 0): [broker]}) for broker in (1, 2)]
    numbers = {"rack_violations_before": 0, "rack_violations_after": 0, "rack_sum_of_squares": 1}
    plan = Plan(layouts[0], layouts[1], Certificate(wish=Wish(), moves=1, **numbers))
    key = json.loads(write_reassignment(plan))["reseat"]

    assert {name for name in {*key, *key["shown"]} if f"`{name}`" not in FORMATS} == set()
    assert set(key["shown"]) == {"moves", *numbers}


def test_every_key_of_a_run_is_documented(tmp_path: Path) -> None:
    """As status and execute print it, its moves included."""
    journal = Journal(tmp_path / "journal.sqlite")
    move = PlannedMove("t", 0, (1,), (2,))
    run = journal.approve(Approval("id", "name", "{}", "{}", "hash", "ann", [move]))
    told = progress_json(journal.progress(run.id), moves=True)
    journal.close()
    keys = {*told, *told["moves"][0]}

    assert {key for key in keys if f"`{key}`" not in COMMANDS} == set()
