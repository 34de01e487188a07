"""Pages as they come out of a printer: whole, with every broker, and without what only a screen can use."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.browser.conftest import open_files, settled

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser

BROKERS = 60
DRAINED = 107


def cluster() -> dict[str, str]:
    """Brokers 101 to 160 in six racks, 240 partitions of three replicas; ids that no count looks like."""
    lines = ["Topic: orders\tPartitionCount: 240\tReplicationFactor: 3\tConfigs: "]
    for partition in range(240):
        ids = [str((partition + step) % BROKERS + 101) for step in range(3)]
        together = ",".join(ids)
        lines.append(
            f"\tTopic: orders\tPartition: {partition}\tLeader: {ids[0]}\tReplicas: {together}\tIsr: {together}"
        )
    racks = "".join(f"{broker},rack-{broker % 6 + 1}\n" for broker in range(101, 101 + BROKERS))
    return {"orders.txt": "\n".join(lines) + "\n", "racks.csv": "broker,rack\n" + racks}


def printed(page: Page, where: Path) -> list[str]:
    """The words of the open page on paper."""
    from pypdf import PdfReader

    page.pdf(path=where, prefer_css_page_size=True)
    return " ".join(one.extract_text() for one in PdfReader(where).pages).split()


def test_board_and_plan_are_printed_whole(page: Page, dashboard: str, tmp_path: Path) -> None:
    """Each broker by its id, each receiver by what it gets, the figure to its last rack; no navigation, no button."""
    open_files(page, dashboard, cluster(), then="Board")
    page.locator(".rack-list .tile").first.wait_for()
    page.wait_for_url("**/board?*layout=*")
    page.goto(f"{page.url}&remove={DRAINED}")
    page.locator(".st-key-answer").filter(has_text=f"Draining broker {DRAINED}: 12 replicas move").wait_for()
    page.locator(".rack-list .badge:not(:empty)").first.wait_for()
    settled(page, "printed-board")
    badges = page.locator(".rack-list .badge:not(:empty)").all_inner_texts()

    words = printed(page, tmp_path / "board.pdf")

    assert {str(broker) for broker in range(101, 101 + BROKERS)} <= set(words)
    assert sum(word == "+1" for word in words) >= badges.count("+1") > 0
    assert not {"Overview", "Resilience", "Find", "Drag", "Reset"} & set(words)

    page.get_by_role("link", name="Plan", exact=True).click()
    page.locator(".js-plotly-plot").first.wait_for()
    settled(page, "printed-plan")

    words = printed(page, tmp_path / "plan.pdf")

    assert {f"rack-{rack}" for rack in range(1, 7)} <= set(words)
    assert f"{DRAINED}:" in words
    assert not {"Overview", "Resilience", "(plan.json)"} & set(words)
