"""A real dashboard and a real Chromium. Every test keeps a picture of how it ended in build/screenshots."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.conftest import chromium, require

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

ROOT = Path(__file__).resolve().parent.parent.parent
SCREENSHOTS = ROOT / "build" / "screenshots"
#: The screen that the pages are drawn for.
SCREEN = {"width": 1366, "height": 768}
#: Chromium without what it would do on its own: no updates, no sync, no graphics card, no sandbox inside containers.
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)
#: Seconds until a server that does not answer is given up.
_PATIENCE = 60


def free_port() -> int:
    """A port of this machine that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def start_dashboard(port: int, log: Path, environment: Mapping[str, str] | None = None) -> subprocess.Popen[bytes]:
    """Start ``app.py`` as ``make run`` does, with variables besides those of the tests; return once it answers."""
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(port)]
    with log.open("wb") as output:
        process = subprocess.Popen(
            [*command, "--server.address", "127.0.0.1", "--server.headless", "true"],
            cwd=ROOT,
            stdout=output,
            stderr=subprocess.STDOUT,
            env={**os.environ, "PYTHONPATH": str(ROOT), **(environment or {})},
        )
    pause, until = threading.Event(), time.monotonic() + _PATIENCE
    while time.monotonic() < until and process.poll() is None:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=5) as answer:
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


@pytest.fixture(scope="session")
def dashboard(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a running dashboard, without any history."""
    require("browser")
    port, home = free_port(), tmp_path_factory.mktemp("dashboard")
    where = {"RESEAT_LANDING": str(home / "landing"), "RESEAT_TABLES": str(home / "tables")}
    process = start_dashboard(port, home / "log.txt", where)
    yield f"http://127.0.0.1:{port}"
    stop(process)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One Chromium for all tests."""
    require("browser")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=chromium(), args=list(FLAGS))
        yield running
        running.close()


@pytest.fixture
def new_page(browser: Browser, request: pytest.FixtureRequest) -> Iterator[Callable[..., Page]]:
    """Make pages of people who never met: each call is a fresh browser profile.

    Keyword arguments are Playwright's for a context (``color_scheme="dark"``, ``has_touch=True``). A page that raises
    an error of its own fails the test.
    """
    contexts: list[BrowserContext] = []
    faults: list[str] = []

    def make(**options: object) -> Page:
        context = browser.new_context(**{"viewport": SCREEN, "reduced_motion": "reduce", **options})  # type: ignore[arg-type]
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(30_000)
        page.on("pageerror", lambda error: faults.append(str(error)))
        return page

    yield make
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    name = re.sub(r"[^\w-]+", "-", request.node.name).strip("-")
    for number, context in enumerate(contexts):
        for page in context.pages:
            page.screenshot(path=SCREENSHOTS / f"{name}{f'-{number}' if number else ''}.png")
        context.close()
    assert not faults, f"The page raised errors of its own: {faults}"


@pytest.fixture
def page(new_page: Callable[..., Page]) -> Page:
    """A page of a fresh profile, 1366 x 768, light."""
    return new_page(color_scheme="light")


def open_files(page: Page, dashboard: str, files: dict[str, str], then: str = "Overview") -> None:
    """Open a layout from files, by name and text, and go to a page of the dashboard."""
    page.goto(dashboard)
    page.get_by_role("tab", name="File").first.click()
    page.locator("input[type=file]").first.set_input_files(
        [{"name": name, "mimeType": "text/plain", "buffer": text.encode()} for name, text in files.items()]
    )
    for name in files:
        page.get_by_text(name, exact=True).first.wait_for()
    page.get_by_role("button", name="Read").first.click()
    page.get_by_text("the present", exact=True).wait_for()
    page.get_by_role("link", name=then, exact=True).click()


def open_sample(page: Page, dashboard: str, title: str, then: str = "Overview") -> None:
    """Open a bundled sample by the start of its title, and go to a page of the dashboard."""
    page.goto(dashboard)
    page.get_by_role("tab", name="Sample").first.click()
    page.get_by_role("button", name=title).first.click()
    page.get_by_text("the present", exact=True).wait_for()
    page.get_by_role("link", name=then, exact=True).click()


def settled(page: Page, picture: str) -> None:
    """Wait until Streamlit has drawn all there is, keep a picture, and check that nothing broke."""
    page.locator("[data-testid='stApp'][data-test-script-state='notRunning']").wait_for()
    page.locator("[data-testid='stSkeleton']").first.wait_for(state="detached")
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=SCREENSHOTS / f"{picture}.png")

    assert page.get_by_test_id("stException").count() == 0
