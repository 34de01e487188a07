"""Two dashboards behind one proxy, as the documents configure it: a visitor stays at one, also if the other ends."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import httpx2
import pytest

from tests.browser.conftest import open_files, open_sample, to
from tests.servers.dashboard import ROOT, start_dashboard, stop
from tests.servers.ports import free_port, free_ports
from tests.serving.conftest import nginx

if TYPE_CHECKING:
    import subprocess

    from playwright.sync_api import Page, Response

pytestmark = [pytest.mark.browser, pytest.mark.slow]

LAYOUT = '{"version":1,"partitions":[{"topic":"orders","partition":0,"replicas":[1,2]}]}'
#: The fixture, by a name of its own.
proxy = nginx


@pytest.fixture
def pair(proxy: Callable[..., None], tmp_path: Path) -> Iterator[tuple[str, dict[str, Callable[[], None]]]]:
    """The proxy's address; and for each server behind it, by its address, what ends it and begins it anew."""
    ports, front = free_ports(2), free_port()
    blocks = re.findall(r"```nginx\n(.*?)```", (ROOT / "docs" / "serving.md").read_text(), re.DOTALL)
    lines = next(block for block in blocks if "upstream" in block)
    for documented, port in zip(("8501", "8502"), ports, strict=True):
        assert f"127.0.0.1:{documented};" in lines
        lines = lines.replace(f"127.0.0.1:{documented};", f"127.0.0.1:{port};")
    lines = lines.replace("listen 443 ssl;", f"listen 127.0.0.1:{front}; add_header X-Served-By $upstream_addr always;")
    lines = re.sub(r"ssl_certificate.*\n", "\n", lines).replace("; Secure", "")
    secret = {"STREAMLIT_SERVER_COOKIE_SECRET": "one for both"}
    where = secret | {name: str(tmp_path / name) for name in ("RESEAT_LANDING", "RESEAT_TABLES", "RESEAT_JOURNAL")}
    running: dict[str, subprocess.Popen[bytes]] = {}

    def again(port: int) -> None:
        address = f"127.0.0.1:{port}"
        if address in running:
            stop(running.pop(address))
        else:
            running[address] = start_dashboard(port, tmp_path / f"log-{port}.txt", where)

    for port in ports:
        again(port)
    proxy(lines, f"http://127.0.0.1:{front}")
    yield f"http://127.0.0.1:{front}", {f"127.0.0.1:{port}": lambda port=port: again(port) for port in ports}
    for process in running.values():
        stop(process)


def _served(page: Page, address: str) -> list[tuple[str, int]]:
    """Each answer that a page gets from here on: from which server, and its status."""
    told: list[tuple[str, int]] = []

    def hear(answer: Response) -> None:
        if answer.url.startswith(address):
            told.append((answer.headers["x-served-by"], answer.status))

    page.on("response", hear)
    return told


def test_a_visitor_stays_at_one_server_and_another_at_the_other(
    new_page: Callable[..., Page], pair: tuple[str, dict[str, Callable[[], None]]]
) -> None:
    """An upload, pages and a download while somebody is at the other; then the first one's server is restarted."""
    address, switch = pair
    first, second = new_page(), new_page()
    served, landed = _served(first, address), _served(second, address)

    open_files(first, address, {"mine.json": LAYOUT})
    home = served[0][0]
    while (there := httpx2.get(address)).headers["x-served-by"] == home:
        pass
    other = there.headers["x-served-by"]
    second.context.add_cookies(
        [{"name": name, "value": value, "url": address} for name, value in there.cookies.items()]
    )
    open_sample(second, address, "Nine brokers")
    for name in ("Board", "Plan", "Report"):
        to(first, name)
        to(second, name)
    with first.expect_download() as taken:
        first.get_by_role("button", name="HTML", exact=True).click()

    assert "<html" in taken.value.path().read_text(encoding="utf-8")
    assert {server for server, _ in served} == {home}
    assert {server for server, _ in landed} == {other}
    assert all(status < 400 for _, status in served)

    switch[home]()
    before = len(served)
    to(second, "Leaders")
    first.reload()
    open_files(first, address, {"mine.json": LAYOUT})

    # What Chromium has kept of before is from the other one still.
    assert any(server.endswith(other) for server, _ in served[before:])

    switch[home]()
    to(second, "Overview")
    open_sample(first, address, "Nine brokers")

    assert second.get_by_text("current state", exact=True).is_visible()
