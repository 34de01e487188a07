"""The dashboard below a path of a proxy, as the documents configure it: every page, an upload and a download."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.browser.conftest import open_files, open_sample, to
from tests.servers.dashboard import ROOT, start_dashboard, stop
from tests.servers.ports import free_port
from tests.serving.conftest import nginx

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser

BELOW = "/tools/kafka"
LAYOUT = '{"version":1,"partitions":[{"topic":"orders","partition":0,"replicas":[1,2]}]}'
PAGES = (
    *("Board", "Heatmap", "Leaders", "Resilience", "Plan", "Execute"),
    *("Live", "Fleet", "History", "New topic", "Report"),
)
#: The fixture, by a name of its own.
proxy = nginx


def test_all_pages_an_upload_and_a_download_below_a_path(
    page: Page, proxy: Callable[..., None], tmp_path: Path
) -> None:
    """By the navigation alone; the browser asks nothing outside of the path, and no request fails."""
    behind, front = free_port(), free_port()
    blocks = re.findall(r"```nginx\n(.*?)```", (ROOT / "docs" / "serving.md").read_text(), re.DOTALL)
    lines = next(block for block in blocks if f"location {BELOW}/" in block)
    assert "http://127.0.0.1:8501" in lines
    where = {name: str(tmp_path / name) for name in ("RESEAT_LANDING", "RESEAT_TABLES", "RESEAT_JOURNAL")}
    server = start_dashboard(behind, tmp_path / "log.txt", where, base=BELOW)
    try:
        lines = lines.replace("http://127.0.0.1:8501", f"http://127.0.0.1:{behind}")
        address = f"http://127.0.0.1:{front}{BELOW}"
        proxy(f"server {{ listen 127.0.0.1:{front}; {lines} }}", address)
        wrong: list[str] = []
        page.on("response", lambda told: wrong.append(f"{told.status} {told.url}") if told.status >= 400 else None)
        page.on(
            "request",
            lambda asked: wrong.append(asked.url) if not asked.url.startswith((address, "data:", "blob:")) else None,
        )
        open_sample(page, address, "Nine brokers")
        for name in PAGES:
            to(page, name)
        with page.expect_download() as taken:
            page.get_by_role("button", name="HTML", exact=True).click()
        open_files(page, address, {"mine.json": LAYOUT})
        refused = [*wrong]  # once the server is stopped, the page asks for it in vain
    finally:
        stop(server)

    assert "<html" in taken.value.path().read_text(encoding="utf-8")
    assert page.url.startswith(f"{address}/")
    assert refused == []
