"""A real dashboard, started as a person starts it."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from pathlib import Path

import pytest

from reseat.cli.service.dashboard import HEAPS

ROOT = Path(__file__).resolve().parent.parent.parent
#: Seconds until a server that does not answer is given up.
_PATIENCE = 60


def start_dashboard(
    port: int,
    log: Path,
    environment: Mapping[str, str] | None = None,
    *options: str,
    script: str = "app.py",
    base: str = "",
) -> subprocess.Popen[bytes]:
    """Start the dashboard as ``make run`` does; return once it answers.

    Args:
        port: where it listens.
        log: where what it prints goes.
        environment: variables besides those of the tests.
        options: further ones of ``streamlit run``.
        script: what is run in place of ``app.py``.
        base: the path that it stands below, as ``/tools``.
    """
    command = [sys.executable, "-m", "streamlit", "run", script, "--server.port", str(port), *options]
    command += ["--server.baseUrlPath", base] if base else []
    with log.open("wb") as output:
        process = subprocess.Popen(
            [*command, "--server.address", "127.0.0.1", "--server.headless", "true"],
            cwd=ROOT,
            stdout=output,
            stderr=subprocess.STDOUT,
            env={**os.environ, **HEAPS, "PYTHONPATH": str(ROOT), **(environment or {})},
        )
    pause, until = threading.Event(), time.monotonic() + _PATIENCE
    while time.monotonic() < until and process.poll() is None:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}{base}/_stcore/health", timeout=5) as answer:
                if answer.status == 200:
                    return process
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            pause.wait(0.1)
    stop(process)
    pytest.fail(f"The dashboard did not answer within {_PATIENCE} s:\n{log.read_text(errors='replace')[-2000:]}")


def stop(process: subprocess.Popen[bytes]) -> None:
    """End a process that was started here, kindly first."""
    process.terminate()
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
