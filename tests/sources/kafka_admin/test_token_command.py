"""A command that prints a bearer token: asked again in time, and what it does wrong is told without what it printed."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from reseat.errors import ClusterUnreachable
from reseat.sources.kafka_admin.security import TokenSource

PYTHON = sys.executable


def test_a_token_is_asked_for_again_after_a_minute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each login within a minute takes the same, so a hundred brokers ask once; the next gets a new one."""
    counted = tmp_path / "count"
    counted.write_text("")
    said = f"f = open({str(counted)!r}, 'a+'); f.write('x'); f.seek(0); print('token' + str(len(f.read())))"
    source, now = TokenSource(None, (PYTHON, "-c", said)), [100.0]
    monkeypatch.setattr("reseat.sources.kafka_admin.security.time.monotonic", lambda: now[0])
    first = [source.token(), source.token()]
    now[0] += 61

    assert [*first, source.token()] == ["token1", "token1", "token2"]


@pytest.mark.parametrize(
    ("does", "said"),
    [
        ("import sys; print('hush-1'); sys.exit(3)", "failed with exit code 3"),
        ("print('hush-1 two words')", "is not a bearer token"),
        ("print()", "is not a bearer token"),
        ("import time; print('hush-1', flush=True); time.sleep(60)", "gave no token within"),
    ],
)
def test_a_command_that_gives_none_is_told(does: str, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It fails, prints something else, nothing, or hangs: then it is ended. What it printed may be a secret."""
    run = subprocess.run
    patience = 0.5 if "sleep" in does else 20.0
    monkeypatch.setattr(subprocess, "run", lambda command, **how: run(command, **{**how, "timeout": patience}))
    began = time.monotonic()
    with pytest.raises(ClusterUnreachable) as caught:
        TokenSource(None, (PYTHON, "-c", does)).token()

    assert said in str(caught.value)
    assert caught.value.reason == "configuration"
    assert "hush-1" not in str(caught.value)
    assert time.monotonic() - began < 15
