"""Consumers in a real Chromium: a group is walked through a leave, by keys; a strategy is changed; a link is shared."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import settled
from tests.browser.cut import cut_off

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser


def answers(page: Page, words: str) -> None:
    """Wait until the page's sentence holds these words."""
    page.locator(".st-key-answer").get_by_text(words).wait_for()


def picture(page: Page, name: str) -> None:
    """Wait until all is drawn, the chart too; a picture where they are kept."""
    page.locator(".js-plotly-plot .main-svg").first.wait_for()
    settled(page, name)


def matrix(page: Page) -> list[str]:
    """What stands in the cells and beside them."""
    drawn = page.locator(".js-plotly-plot").first
    return drawn.locator(".textpoint, .annotation-text, .ytick").all_text_contents()


def test_a_pasted_group_is_read_at_the_first_click(page: Page, dashboard: str) -> None:
    """The button was there for a text only once one had left the field: that click did no more than leave it."""
    page.goto(f"{dashboard}/consumers")
    page.get_by_role("button", name="Your group").click()
    page.get_by_label("Or paste it").click()
    page.keyboard.insert_text('{"topics": {"orders": 4}, "members": [{"id": "ann", "topics": ["orders"]}]}')
    at = page.get_by_role("button", name="Read", exact=True).bounding_box()
    assert at is not None
    page.mouse.click(at["x"] + at["width"] / 2, at["y"] + at["height"] / 2)

    answers(page, "ann joins")


def test_a_group_is_walked_through_a_leave(page: Page, dashboard: str) -> None:
    """Three join, C1 leaves: by the arrow keys; its three go to the others, and nobody else's change their reader."""
    page.goto(f"{dashboard}/consumers")
    answers(page, "C1 closes: one rebalance; 3 partitions are reassigned; 8 paused during the rebalance.")
    page.get_by_role("button", name="A rebalance back").click()
    answers(page, "C0, C1 and C2 join")
    expect(page.get_by_role("button", name="A rebalance on")).to_be_enabled()
    page.keyboard.press("ArrowRight")
    answers(page, "C1 closes")
    page.locator(".js-plotly-plot .ytick").get_by_text("left").wait_for()
    picture(page, "consumers-leave")
    shown = matrix(page)

    assert (shown.count("+"), shown.count("−"), shown.count("‖")) == (3, 3, 5)
    assert "C1left" in shown
    expect(page.locator(".st-key-strip")).to_have_count(0)

    page.get_by_role("tab", name="Listener calls").click()
    page.locator("[data-testid='stDataFrame']").locator("visible=true").first.wait_for()
    expect(page.get_by_role("button", name="A rebalance on")).to_be_disabled()


def test_cells_keep_their_width_on_a_small_screen(new_page: Callable[..., Page], dashboard: str) -> None:
    """At 400 pixels names lay over each other and cells were three pixels wide; the figure is pushed sideways."""
    page = new_page(viewport={"width": 400, "height": 900})
    page.goto(f"{dashboard}/consumers")
    answers(page, "C1 closes")
    cell = page.locator(".st-key-consumers-matrix .barlayer .point path").first
    cell.wait_for()
    box = cell.bounding_box()

    assert box is not None
    assert box["width"] >= 12
    expect(page.locator("html")).to_have_js_property("scrollWidth", 400)


@pytest.mark.slow  # in the ordinary run a link of Replication is
def test_cooperative_pauses_less_and_the_link_says_so(
    page: Page, new_page: Callable[..., Page], dashboard: str
) -> None:
    """The same leave told cooperatively, and opened by somebody else: three paused, and not all eight."""
    page.goto(f"{dashboard}/consumers")
    answers(page, "8 paused during the rebalance")
    page.get_by_role("radio", name="cooperative-sticky").or_(
        page.get_by_role("button", name="cooperative-sticky")
    ).first.click()
    answers(page, "3 partitions are reassigned; 3 paused during the rebalance.")
    page.wait_for_url(re.compile("assignor=cooperative-sticky"))
    other = new_page(color_scheme="dark")
    other.goto(page.url)
    answers(other, "3 partitions are reassigned; 3 paused during the rebalance.")

    expect(other.get_by_text("8 paused during the rebalance")).to_have_count(0)

    picture(other, "consumers-cooperative-dark")


def test_a_text_with_markup_for_names_is_told_as_text(page: Page, dashboard: str) -> None:
    """A member called like an image that runs code joins; nothing is loaded, nothing runs."""
    page.goto(f"{dashboard}/consumers")
    answers(page, "C1 closes")
    page.get_by_role("button", name="Your group").click()
    name = "<img src=x onerror=alert(1)>"
    page.get_by_label("Or paste it").fill(
        f'{{"topics": {{"{name}": 2}}, "members": [{{"id": "{name}", "topics": ["{name}"]}}]}}'
    )
    page.keyboard.press("Control+Enter")
    page.get_by_role("button", name="Read", exact=True).click()
    answers(page, "joins: one rebalance; 2 partitions are newly assigned")
    picture(page, "consumers-hostile")

    expect(page.locator("img[src='x']")).to_have_count(0)
    expect(page.get_by_label("Or paste it")).to_have_count(0)  # the form lay over the group that was read


def test_messages_between_many_stand_within_their_figure(new_page: Callable[..., Page], dashboard: str) -> None:
    """What eight lifelines are told was cut at the left, and at 400 pixels their names lay over each other."""
    page = new_page(viewport={"width": 400, "height": 900})
    page.goto(f"{dashboard}/consumers")
    page.get_by_role("button", name="Your group").click()
    members = [{"id": f"consumer-{number}-payments-worker", "topics": ["orders"]} for number in range(9)]
    page.get_by_label("Or paste it").fill(json.dumps({"topics": {"orders": 900}, "members": members}))
    page.keyboard.press("Control+Enter")
    page.get_by_role("button", name="Read", exact=True).click()
    answers(page, "900 partitions are newly assigned")
    picture(page, "consumers-many-messages")
    figure = page.locator(".st-key-consumers-sequence")
    heads = (
        figure.locator(".annotation-text")
        .filter(has_text=re.compile("worker$"))
        .evaluate_all(
            "all => all.map((one) => one.getBoundingClientRect()).filter((box) => box.height < 20)"
            ".map((box) => [box.left, box.right]).sort((one, other) => one[0] - other[0])"
        )
    )

    assert len(heads) >= 6
    assert all(one[1] <= other[0] for one, other in pairwise(heads))
    page.set_viewport_size({"width": 1366, "height": 768})
    settled(page, "consumers-many-messages-wide")
    assert cut_off(page) == []
