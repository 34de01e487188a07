"""``dashboard`` where it cannot start: what it says is about the server, and not about where it says it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from reseat.cli import main


def test_a_python_that_may_not_be_run_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One of another user's home, say: it read "Standard output cannot be written"."""
    python = tmp_path / "python"
    python.write_text("no program")
    monkeypatch.setattr(sys, "executable", str(python))

    assert main(["dashboard"]) == 2
    assert f"{python}: The server cannot be started: Permission denied." in capsys.readouterr().err
