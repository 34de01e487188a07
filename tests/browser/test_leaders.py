"""Brokers stopped in the browser: a whole rack at once, a bar that is clicked, and a story walked back and forth."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import SCHEMES, at_rest, open_sample, settled

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

pytestmark = pytest.mark.browser


def answer(page: Page, words: str) -> Locator:
    """The page's sentence, once it says this."""
    said = page.locator(".st-key-answer").get_by_text(words)
    said.wait_for()
    return said


def click_bar(page: Page, place: int) -> None:
    """Click high in the column of the broker at a place, counted from the left: also where its bar is low."""
    area = page.locator(".js-plotly-plot .nsewdrag").first
    area.wait_for()
    box = at_rest(area)
    page.mouse.move(box["x"] + (place + 0.6) / 9.2 * box["width"], box["y"] + 12)
    page.mouse.click(box["x"] + (place + 0.6) / 9.2 * box["width"], box["y"] + 14)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_stop_a_rack_and_walk_a_story(new_page: Callable[..., Page], dashboard: str, scheme: str) -> None:
    """A rack stops, a click on a bar stops one broker more and lets it run again; a story is stepped to its end."""
    page = new_page(color_scheme=scheme)
    open_sample(page, dashboard, "Nine brokers", "Leaders")
    page.get_by_role("radio", name="Broker outage").click()
    page.get_by_label("And all brokers of these racks").click()
    page.get_by_role("option", name="az-b").click()
    page.keyboard.press("Escape")
    said = answer(page, "While brokers 4, 5 and 6 are stopped, ").text_content() or ""
    settled(page, f"leaders-rack-stopped-{scheme}")

    assert "unclean" not in said

    click_bar(page, 0)
    answer(page, "While brokers 1, 4, 5 and 6 are stopped, ")
    page.locator("[data-testid='stApp'][data-test-script-state='notRunning']").wait_for()
    click_bar(page, 0)
    answer(page, "While brokers 4, 5 and 6 are stopped, ")
    page.get_by_role("radio", name="Compared with majority quorum").click()
    page.get_by_text("a majority quorum needs 2 f + 1").wait_for()
    settled(page, f"leaders-majority-{scheme}")

    expect(page.locator(".st-key-answer").get_by_text("While brokers 1, 4")).to_have_count(0)

    page.get_by_role("radio", name="Step by step").click()
    answer(page, "stops:")
    settled(page, f"leaders-step-1-{scheme}")
    for step in (2, 3, 4):
        page.locator(".st-key-walk-on button").locator("visible=true").click()
        page.get_by_role("radio", name=re.compile(f"^{step} ·"), checked=True).wait_for()
        page.locator("[data-testid='stApp'][data-test-script-state='notRunning']").wait_for()
    answer(page, "A preferred election is run")
    settled(page, f"leaders-step-4-{scheme}")

    expect(page.locator(".st-key-walk-on button").locator("visible=true")).to_be_disabled()

    page.goto(page.url)  # a person who was sent the link
    answer(page, "A preferred election is run")
    page.get_by_role("radio", name="Initial state").click()
    answer(page, "Initial state.")

    expect(page.get_by_text("is held")).to_have_count(0)
