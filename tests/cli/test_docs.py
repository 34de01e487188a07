"""The documents say what the command line takes and gives, and every limit: nothing is left out, nothing is stale."""

from __future__ import annotations

import argparse
import dataclasses
import json
import re
from pathlib import Path

import pytest

from reseat.cli import main
from reseat.cli.arguments import parser
from reseat.election import Reason
from reseat.formats import LIMITS
from reseat.model import Certificate

DOCS = Path(__file__).parent.parent.parent / "docs"
COMMANDS = (DOCS / "command-line.md").read_text(encoding="utf-8")
FORMATS = (DOCS / "formats.md").read_text(encoding="utf-8")


def options() -> list[str]:
    """Every option of every command."""
    commands = next(a for a in parser()._actions if isinstance(a, argparse._SubParsersAction)).choices
    return sorted({o for command in commands.values() for action in command._actions for o in action.option_strings})


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


def test_every_key_of_a_certificate_is_documented() -> None:
    """The same keys come from plan and judge."""
    assert {item.name for item in dataclasses.fields(Certificate) if f"`{item.name}`" not in COMMANDS} == set()


def test_every_reason_of_an_election_is_documented() -> None:
    """With the name that Kafka gives its answer."""
    assert {reason for reason in Reason if reason.label not in COMMANDS or reason.error not in COMMANDS} == set()


def test_every_limit_is_documented() -> None:
    """With its number."""
    assert {f"{limit:,}" for limit in dataclasses.asdict(LIMITS).values() if f"{limit:,}" not in FORMATS} == set()
