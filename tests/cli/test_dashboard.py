"""``dashboard``: where it tells the server to be found, and what it says where it cannot start."""

from __future__ import annotations

import os
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


@pytest.mark.parametrize(
    ("host", "found"), [("::1", "[::1]"), ("localhost", "localhost"), ("0.0.0.0", None), ("::", None)]
)
def test_the_address_with_the_token_is_one_that_the_server_listens_on(
    host: str, found: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It said 127.0.0.1 wherever it listened; of every interface that is one, and who said another is heard."""
    name = "STREAMLIT_BROWSER_SERVER_ADDRESS"
    monkeypatch.setattr(os, "environ", {})
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    main(["dashboard", "--host", host])
    assert os.environ.get(name) == found

    monkeypatch.setattr(os, "environ", {name: "kafka.example.org"})
    main(["dashboard", "--host", host])
    assert os.environ[name] == "kafka.example.org"


@pytest.mark.parametrize("host", ["[::1]", "broker.invalid", "192.0.2.1"])
def test_an_address_that_this_machine_has_not_is_named(host: str, capsys: pytest.CaptureFixture[str]) -> None:
    """It ended with a traceback of the server's."""
    assert main(["dashboard", "--host", host]) == 2
    assert f"The server cannot listen on {host}: " in capsys.readouterr().err
