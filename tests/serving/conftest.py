"""A real server around a page that says which doors are open, with its own secrets; and nginx before it."""

from __future__ import annotations

import ssl
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

import httpx2
import pytest

from tests.conftest import nginx_program, require
from tests.servers.dashboard import start_dashboard, stop
from tests.servers.ports import free_port
from tests.servers.visitor import Visitor

PAGE = "tests/serving/doors_app.py"


@dataclass(frozen=True)
class Server:
    """A running dashboard.

    Attributes:
        address: where it is reached.
        log: what it printed so far.
        secrets: its ``secrets.toml``, read anew by it each time.
        process: its process id.
    """

    address: str
    log: Path
    secrets: Path
    process: int = 0


Start = Callable[..., Server]
Visit = Callable[..., Visitor]


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Start]:
    """Start dashboards; each has a home of its own, and ends with the module."""
    running: list[subprocess.Popen[bytes]] = []

    def begin(
        *options: str, secrets: Callable[[str], str] | None = None, script: str = PAGE, **environment: str
    ) -> Server:
        port, home = free_port(), tmp_path_factory.mktemp("home")
        server = Server(f"http://127.0.0.1:{port}", home / "log.txt", home / ".streamlit" / "secrets.toml")
        server.secrets.parent.mkdir(parents=True)
        if secrets is not None:
            server.secrets.write_text(secrets(server.address))
        where = {"HOME": str(home), "RESEAT_LANDING": str(home / "landing"), "RESEAT_TABLES": str(home / "tables")}
        running.append(start_dashboard(port, server.log, {**where, **environment}, *options, script=script))
        return replace(server, process=running[-1].pid)

    yield begin
    for process in running:
        stop(process)


@pytest.fixture
def visit() -> Iterator[Visit]:
    """Make visitors of an address, each with a browser profile of its own."""
    with ExitStack() as open_ones:
        yield lambda address, **how: open_ones.enter_context(Visitor(address, **how))


@pytest.fixture
def nginx(tmp_path: Path) -> Iterator[Callable[..., None]]:
    """Start a real nginx with these servers (blocks of ``http``); it answers when this returns."""
    require("nginx")
    program = nginx_program()
    assert program is not None
    running: list[subprocess.Popen[bytes]] = []

    def begin(servers: str, answers: str, tls: ssl.SSLContext | None = None) -> None:
        folder = tmp_path / f"nginx-{len(running)}"
        folder.mkdir()
        kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        temporary = "".join(f"{kind}_temp_path {folder}/{kind};\n" for kind in kinds)
        config = folder / "nginx.conf"
        config.write_text(
            f"daemon off;\npid {folder}/pid;\nerror_log {folder}/error.log;\nevents {{}}\n"
            f"http {{\naccess_log off;\n{temporary}{servers}\n}}\n"
        )
        running.append(subprocess.Popen([program, "-e", f"{folder}/error.log", "-p", str(folder), "-c", str(config)]))
        pause, until = threading.Event(), time.monotonic() + 30
        while time.monotonic() < until:
            try:
                httpx2.get(f"{answers}/_stcore/health", verify=True if tls is None else tls)
            except httpx2.TransportError:
                assert running[-1].poll() is None, (folder / "error.log").read_text()
                pause.wait(0.05)
            else:
                return
        pytest.fail(f"nginx did not answer: {(folder / 'error.log').read_text()}")

    yield begin
    for process in running:
        stop(process)


def line(said: list[str], door: str) -> str:
    """What the page says of a door."""
    return next(text for text in said if text.startswith(f"{door} "))
