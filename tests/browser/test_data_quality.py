"""The edits of *Data quality* in a browser: racks typed into a table, topics left out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import open_files, settled
from tests.browser.cut import cut_off

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser

DESCRIBED = (
    "Topic: orders\tPartition: 0\tLeader: 1\tReplicas: 1,2\tIsr: 1,2\n"
    "Topic: orders\tPartition: 1\tLeader: 2\tReplicas: 2,3\tIsr: 2,3\n"
    "Topic: _schemas\tPartition: 0\tLeader: 3\tReplicas: 3,1\tIsr: 3,1\n"
)


def test_racks_are_edited_and_topics_left_out(page: Page, dashboard: str) -> None:
    """A rack typed into the panel's table moves the broker to a rack of its own on the board, and into the link.

    Then internal topics by one switch, others by a pattern; the strip counts what is left and nothing else changes.
    """
    open_files(page, dashboard, {"described.txt": DESCRIBED}, then="Board")
    page.locator(".board .tile").first.wait_for()

    expect(page.locator(".st-key-answer").get_by_text("with unknown racks")).to_be_visible()

    page.locator(".st-key-quality").get_by_role("button").click()
    panel = page.locator(".st-key-quality-panel")
    panel.get_by_role("tab", name="Racks").click()
    panel.get_by_role("tab", name="Edit").click()
    table = panel.get_by_test_id("stDataFrame").last
    page.get_by_role("button", name="Apply racks").hover()  # stands still once the form is unfolded
    # The grid is a canvas that takes a press only where it has seen the pointer before; its editor is real.
    from playwright.sync_api import TimeoutError as NotThere

    grid, editor = table.locator(".dvn-scroller"), page.locator("textarea.gdg-input, input.gdg-input")
    for _ in range(8):
        grid.hover(position={"x": 400, "y": 80})
        grid.hover(position={"x": 400, "y": 50})
        for _ in range(2):
            page.mouse.down()
            page.mouse.up()
        try:
            editor.wait_for(timeout=1500)
            break
        except NotThere:
            continue
    editor.fill("rack-a")
    editor.press("Enter")
    page.get_by_role("button", name="Apply racks").click()
    page.locator(".st-key-answer").get_by_text("3 brokers in 1 rack (2 with unknown rack) hold 6 replicas").wait_for()

    assert "rack-a" in page.url
    assert "remove" not in page.url

    page.get_by_text("3 brokers · 3 partitions · 6 replicas").wait_for()
    panel.get_by_role("tab", name="Excluded topics").click()
    page.get_by_text("Exclude internal topics").click()
    page.get_by_text("3 brokers · 2 partitions · 4 replicas").wait_for()
    page.get_by_label("Names or patterns, one per line").fill("ord*")
    page.keyboard.press("Control+Enter")
    page.get_by_text("3 brokers · 0 partitions · 0 replicas").wait_for()

    assert page.get_by_test_id("stException").count() == 0


def test_what_is_unknown_is_read_to_its_end_on_a_small_screen(page: Page, dashboard: str) -> None:
    """Cut after "add th…", nothing said that it can be added."""
    heading = "Topic: orders\tPartitionCount: 9\tReplicationFactor: 2\tConfigs: \n"
    open_files(page, dashboard, {"cut.txt": heading + DESCRIBED})
    page.set_viewport_size({"width": 400, "height": 800})
    page.reload()  # the list of pages lies on a page that becomes small
    expect(page.locator(".st-key-quality")).to_contain_text("input incomplete · racks, sizes unknown: add them")
    settled(page, "unknown-on-a-small-screen")

    assert cut_off(page) == []
