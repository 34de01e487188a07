"""The Report page in the browser: choices that survive a reload, a file that is downloaded, the talk by keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.browser.conftest import also, open_sample, seen, settled

if TYPE_CHECKING:
    from playwright.sync_api import FrameLocator, Page

pytestmark = pytest.mark.browser


def frame_of(page: Page) -> FrameLocator:
    """The preview."""
    return page.frame_locator("[data-testid='stIFrame']").first


def test_from_a_what_if_to_a_file_and_a_talk(page: Page, dashboard: str) -> None:
    """The report of a broker dragged out: previewed, taken along, presented; its link opens it again as chosen."""
    open_sample(page, dashboard, "Nine brokers", then="Report")
    page.wait_for_url("**/report?*layout=*")
    also(page, "&remove=4")
    page.locator(".st-key-answer").get_by_text("Draining broker 4").wait_for()
    settled(page, "report-page")
    inside = frame_of(page)
    inside.get_by_role("heading", level=1).first.wait_for()

    page.get_by_role("radio", name="Operators").click()
    page.locator("[data-testid='stApp'][data-test-script-state='notRunning']").wait_for()
    inside.get_by_role("heading", name="92 replicas in 92 partitions").wait_for()
    with page.expect_download() as taken:
        page.get_by_role("button", name="HTML", exact=True).click()
    text = taken.value.path().read_text(encoding="utf-8")

    assert taken.value.suggested_filename.endswith(".html")
    assert "audience=operators" in page.url
    assert "Draining broker 4" in text
    assert "<script src" not in text

    page.reload()
    inside.get_by_role("heading", name="92 replicas in 92 partitions").wait_for()
    page.get_by_role("radio", name="Present").click()
    talk = frame_of(page)
    talk.get_by_role("status").get_by_text("1 / ").wait_for()
    talk.get_by_role("heading", level=1).first.click()
    page.keyboard.press("ArrowRight")
    talk.get_by_role("status").get_by_text("2 / ").wait_for()
    page.keyboard.press("f")
    page.locator("iframe:fullscreen, [data-testid='stIFrame']:fullscreen").first.wait_for()
    seen(page, "report-talk")
    page.keyboard.press("End")
    page.keyboard.press("Home")
    talk.get_by_role("status").get_by_text("1 / ").wait_for()
