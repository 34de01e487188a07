"""A cluster of 1,000 brokers: one is found by typing, drained by keyboard, and its plan is seen."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import open_files, to

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

pytestmark = pytest.mark.browser

BROKERS = 1_000


def cluster() -> dict[str, str]:
    """1,000 brokers in 20 racks, 2,000 partitions of three replicas; each broker holds six."""
    lines = [f"Topic: orders\tPartitionCount: {2 * BROKERS}\tReplicationFactor: 3\tConfigs: "]
    for partition in range(2 * BROKERS):
        ids = ",".join(str((partition + step) % BROKERS + 1) for step in range(3))
        lines.append(
            f"\tTopic: orders\tPartition: {partition}\tLeader: {ids[: ids.index(',')]}\tReplicas: {ids}\tIsr: {ids}"
        )
    racks = "".join(f"{broker},rack-{broker % 20 + 1}\n" for broker in range(1, BROKERS + 1))
    return {"orders.txt": "\n".join(lines) + "\n", "racks.csv": "broker,rack\n" + racks}


def tile(page: Page, broker: int) -> Locator:
    """A broker's tile in its rack."""
    return page.locator(f".rack-list .tile[data-id='{broker}']")


def test_one_broker_of_a_thousand_is_found_by_typing_and_drained_by_keyboard(page: Page, dashboard: str) -> None:
    """Typed, it alone stands out; Enter goes there, Delete drains it, and Plan has its six replicas and no others."""
    open_files(page, dashboard, cluster(), then="Board")
    tile(page, 786).wait_for()
    expect(page.locator(".rack-name")).to_have_text([f"rack-{rack}" for rack in range(1, 21)])

    page.get_by_role("searchbox", name="Find").press_sequentially("786")
    page.get_by_text("Broker 786 is in rack-7.", exact=True).wait_for()
    expect(page.locator(".rack-list .tile.found")).to_have_count(1)

    page.keyboard.press("Enter")
    expect(tile(page, 786)).to_be_focused()
    page.keyboard.press("i")
    expect(tile(page, 786).locator(".id")).to_be_visible()
    expect(tile(page, 785).locator(".id")).to_be_visible()
    page.keyboard.press("Delete")
    page.locator(".st-key-answer").filter(has_text="Draining broker 786: 6 replicas move").wait_for()
    expect(page).to_have_url(re.compile("find_broker=786.*ids=yes|ids=yes.*find_broker=786"))
    page.reload()
    expect(tile(page, 785).locator(".id")).to_be_visible()
    expect(page.get_by_role("searchbox", name="Find")).to_have_value("786")
    to(page, "Plan")
    page.get_by_text("Draining broker 786: 6 replicas move").first.wait_for()
    expect(page).to_have_url(re.compile(r"[?&]remove=786(&|$)"))
    for figure in ("Replicas move", "Partitions changed"):
        expect(page.get_by_test_id("stMetric").filter(has_text=figure)).to_contain_text(
            re.compile(r"\s6(\s|$)"), use_inner_text=True
        )
    page.locator(".st-key-downloads").wait_for()
    with page.expect_download() as saved:
        page.get_by_role("button", name="plan.json").click()
    changed = json.loads(Path(saved.value.path()).read_text(encoding="utf-8"))["partitions"]

    assert len(changed) == 6
    assert not [entry for entry in changed if 786 in entry["replicas"]]
