"""Placement and Compare in a real Chromium: stepping, sharing, clicking, and a hundred topics; no layout is open."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import open_sample, settled, to

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser


def answers(page: Page, words: str) -> None:
    """Wait until the page's sentence holds these words."""
    page.locator(".st-key-answer").get_by_text(words).wait_for()


def drawn(page: Page, picture: str) -> None:
    """Wait until all is drawn, what the page is about too; a picture where they are kept."""
    page.locator(".st-key-placement-panel, .st-key-compare-multiples").first.wait_for()
    settled(page, picture)


def step_on(page: Page) -> None:
    """Press the arrow key once the button that listens to it can be pressed."""
    button = page.get_by_role("button", name="A replica on")
    expect(button).to_be_visible()
    expect(button).to_be_enabled()
    page.keyboard.press("ArrowRight")


def holds(page: Page, role: Literal["textbox", "spinbutton"], name: str, value: str) -> None:
    """Wait until a field holds this value."""
    expect(page.get_by_role(role, name=name)).to_have_value(value)


def picture(page: Page, name: str) -> None:
    """Wait until all is drawn, the chart too."""
    page.locator(".js-plotly-plot .main-svg").first.wait_for()
    drawn(page, name)


def test_the_last_of_six_partitions_are_stepped_through_by_keys(page: Page, dashboard: str) -> None:
    """From a link, the last six replicas by the arrow key, each with its numbers; all lists stand beside the matrix."""
    page.goto(f"{dashboard}/placement?brokers=0-2&partitions=6&replicas=3&start=2&shift=2&step=12")
    lists = [(2, 0, 1), (0, 1, 2), (1, 2, 0), (2, 1, 0), (0, 2, 1), (1, 0, 2)]
    for partition in (4, 5):
        for place, broker in enumerate(lists[partition]):
            which = "is led by" if place == 0 else f"has replica {place + 1} on"
            answers(page, f"Partition {partition} {which} broker {broker}:")
            drawn(page, f"placement-{partition}-{place}")
            if (partition, place) != (5, 2):
                step_on(page)
    page.locator(".js-plotly-plot .annotation-text").get_by_text("1, 0, 2", exact=True).wait_for()
    shown = page.locator(".js-plotly-plot .annotation-text").all_text_contents()

    assert [", ".join(map(str, row)) for row in lists] == [
        words for words in shown if re.fullmatch(r"\d, \d, \d", words)
    ]
    expect(page.get_by_role("button", name="A replica on")).to_be_disabled()
    expect(page.locator(".st-key-strip")).to_have_count(0)

    picture(page, "placement-six-partitions")


@pytest.mark.slow  # in the ordinary run a link of Replication is
def test_a_link_is_shared(page: Page, new_page: Callable[..., Page], dashboard: str) -> None:
    """Another person who opens the address sees the same step of the same placement, and needs no layout."""
    page.goto(f"{dashboard}/placement")
    page.get_by_role("button", name="Three racks").click()
    answers(page, "Partition 0 is led by broker 0")
    page.get_by_role("button", name="A partition on").click()
    answers(page, "Partition 1 has replica 3 on broker 1")
    page.wait_for_url(re.compile("step=5"))
    other = new_page(color_scheme="dark")
    other.goto(page.url)
    answers(other, "Partition 1 has replica 3 on broker 1")

    holds(other, "textbox", "Brokers and racks", "0-2:rack1,3-5:rack2,6-8:rack3")

    expect(other.get_by_text("This link shows a what-if")).to_have_count(0)

    picture(other, "placement-shared-dark")


def test_a_click_steps_to_a_replica(page: Page, dashboard: str) -> None:
    """A click on a cell says why that replica is there; the fields stay as they are."""
    page.goto(f"{dashboard}/placement")
    answers(page, "Partition 0 is led by")
    page.locator(".js-plotly-plot .points path").nth(7).click(force=True)
    answers(page, "Partition 2 has replica 2 on broker 2")

    holds(page, "spinbutton", "Start index", "2")


@pytest.mark.slow
def test_the_faulty_table_beside_what_the_code_gives(page: Page, dashboard: str) -> None:
    """Both tables and the reason; the published one is not passed off as Kafka's."""
    page.goto(f"{dashboard}/placement")
    page.get_by_role("button", name="A faulty table").click()
    answers(page, "fixedStartIndex 4 never gives the table")
    page.get_by_text("It is what the code gives for fixedStartIndex 3").wait_for()

    expect(page.locator(".js-plotly-plot")).to_have_count(2)

    picture(page, "placement-faulty-table")


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_hundred_topics_are_compared(new_page: Callable[..., Page], dashboard: str, scheme: str) -> None:
    """Five ways in one picture; drawing again changes the seed, and nothing is refused."""
    page = new_page(color_scheme=scheme)
    page.goto(f"{dashboard}/compare")
    answers(page, "Over 100 topics, a random start cuts the replica spread from")
    for way in ("Round-robin", "Random start", "Striped", "KRaft", "Best possible"):
        page.locator(".js-plotly-plot").get_by_text(way, exact=True).wait_for()
    picture(page, f"compare-{scheme}")
    page.get_by_role("button", name="Draw again").click()
    page.wait_for_url(re.compile("seed=2"))

    expect(page.locator(".st-key-refused")).to_have_count(0)


def test_an_open_layout_is_not_lost(page: Page, dashboard: str) -> None:
    """From a layout to Placement, its brokers taken over, loaded anew: the layout is still open."""
    open_sample(page, dashboard, "Nine brokers", then="Placement")
    page.get_by_role("button", name="The layout's brokers").click()
    page.wait_for_url(re.compile("brokers=1-3"))
    page.reload()

    holds(page, "textbox", "Brokers and racks", "1-3:az-a,4-6:az-b,7-9:az-c")

    expect(page.get_by_text("No layout is open.")).to_have_count(0)

    picture(page, "placement-of-a-layout")
    to(page, "Board")
    page.get_by_text("current state", exact=True).wait_for()
