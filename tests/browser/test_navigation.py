"""The navigation by task: what it lists, the pages behind others, links of before that lead on, and the wall."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from components.shell.navigation import LESSONS
from tests.browser.conftest import at_address, open_sample, settled, to

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser

LISTED = [
    *("Overview", "Board", "Heatmap", "Leaders", "Resilience"),
    *("Plan", "Execute"),
    *("Clusters", "History", "Report"),
    "Learn",
]


def test_the_list_is_by_task_and_the_rest_stands_behind_it(page: Page, dashboard: str) -> None:
    """Eleven entries; the lessons in the order in which they teach, and New topic beside the other ways of changing.

    What is open is not what a lesson is about: lessons have no strip; it is still there on the next page.
    """
    open_sample(page, dashboard, "Nine brokers", then="Learn")
    page.locator(".st-key-answer").get_by_text("Five mechanisms of Kafka").wait_for()
    settled(page, "learn")

    # Each entry begins with its sign, whose name is text.
    expect(page.get_by_role("navigation", name="Pages").get_by_role("link")).to_have_text(
        [re.compile(f"{name}$") for name in LISTED]
    )
    expect(page.locator(".st-key-lessons h2")).to_have_text(
        [f"{number}. {place.title}" for number, place in enumerate(LESSONS, 1)]
    )

    for place in LESSONS[:-1]:  # the last needs an open layout
        to(page, place.title)
        page.wait_for_url(f"**/{place.address}*")
        page.get_by_text(place.teaches).wait_for()

        expect(page.locator(".st-key-strip")).to_have_count(0)

    to(page, "Fingerprints")
    page.locator(".st-key-fingerprint-table").wait_for()

    expect(page.locator(".st-key-strip")).to_have_count(0)
    expect(page.get_by_role("combobox", name="Layout")).to_have_value("Nine brokers, three racks")

    to(page, "New topic")
    page.locator(".st-key-topic-name").wait_for()

    expect(page.locator(".st-key-strip")).to_have_count(1)


def test_links_of_before_lead_on_with_all_that_they_say(page: Page, dashboard: str) -> None:
    """``/racks`` and ``/operate`` are other addresses now; the layout and the what-if of the link are there."""
    open_sample(page, dashboard, "Nine brokers")
    query = page.url.partition("?")[2]
    page.goto(f"{dashboard}/racks?{query}&remove=7")
    page.wait_for_url(re.compile(r"/board\?.*remove=7"))
    page.locator(".st-key-strip-what-if .st-key-chip-out-7").wait_for()
    at_address(page, f"{dashboard}/operate?{query}&remove=4", "Execute")
    page.wait_for_url(re.compile(r"/execute\?.*remove=4"))

    page.locator(".st-key-strip-what-if .st-key-chip-out-4").wait_for()


def test_figures_take_the_colours_of_another_scheme_at_once(page: Page, dashboard: str) -> None:
    """As the system turns dark at night, nobody clicks: what stands on a figure is readable all the same."""
    open_sample(page, dashboard, "Nine brokers", then="Leaders")
    tick = page.locator(".stPlotlyChart .xtick text").first
    light = tick.evaluate("one => getComputedStyle(one).fill")
    page.emulate_media(color_scheme="dark")

    expect(page.get_by_test_id("stApp")).to_have_css("color-scheme", "dark")
    expect(tick).not_to_have_css("fill", light)


def test_views_of_clusters_are_links_with_addresses(page: Page, dashboard: str) -> None:
    """Back is the view before; Connect and Fleet of before lead to theirs; who hears the page hears which is open."""
    open_sample(page, dashboard, "Nine brokers", then="Clusters")
    views = page.get_by_role("navigation", name="Views")
    page.get_by_text("1 layout is open").wait_for()
    settled(page, "clusters-open")
    views.get_by_role("link", name="Live").click()
    page.wait_for_url("**/clusters?*view=live*")
    page.get_by_text("No live cluster yet").wait_for()
    settled(page, "clusters-live")
    views.get_by_role("link", name="Fleet").click()
    page.wait_for_url("**/clusters?*view=fleet*")

    expect(views.locator("[aria-current=page]")).to_have_text(re.compile("Fleet$"))

    page.go_back()
    page.wait_for_url("**/clusters?*view=live*")

    expect(views.locator("[aria-current=page]")).to_have_text(re.compile("Live$"))

    query = page.url.partition("?")[2].replace("&view=live", "")
    for before, view in {"connect": "live", "fleet": "fleet"}.items():
        at_address(page, f"{dashboard}/{before}?{query}", "Clusters")
        page.wait_for_url(f"**/clusters?*view={view}*")
        page.locator(".st-key-strip").get_by_text("9 brokers").wait_for()


def test_the_wall_shows_the_page_alone_and_is_left(page: Page, dashboard: str) -> None:
    """Entered from the layout's menu; its address opens it again, as on a screen that is switched on."""
    open_sample(page, dashboard, "Nine brokers", then="Board")
    page.locator(".board .tile").first.wait_for()
    page.locator(".st-key-layout-menu").get_by_role("button").click()
    page.get_by_role("button", name="Wall mode").click()
    page.wait_for_url("**wall=1*")
    page.reload()
    page.locator(".board .tile").first.wait_for()
    settled(page, "wall")

    expect(page.get_by_test_id("stSidebar")).to_be_hidden()
    expect(page.locator(".st-key-strip")).to_contain_text("9 brokers")

    page.get_by_role("button", name="Leave wall mode").click()

    expect(page.get_by_test_id("stSidebar")).to_be_visible()
    expect(page).not_to_have_url(re.compile("wall"))


def test_the_tour_is_walked_by_keyboard_survives_back_and_is_left(page: Page, dashboard: str) -> None:
    """From the first page over five real pages; Back is the step before; Next drains the broker; then it is gone."""
    page.goto(dashboard)
    page.get_by_role("button", name="Take the tour").press("Enter")
    bar = page.locator(".st-key-tour")
    bar.get_by_text("Tour, 1 of 5").wait_for()

    expect(page.locator(".st-key-strip")).to_contain_text("9 brokers")

    page.locator(".st-key-tour-next button").press("Enter")
    bar.get_by_text("Tour, 2 of 5").wait_for()
    page.locator(".board .tile").first.wait_for()
    settled(page, "tour-board")
    page.go_back()
    bar.get_by_text("Tour, 1 of 5").wait_for()
    page.locator(".st-key-tour-next button").press("Enter")
    bar.get_by_text("Tour, 2 of 5").wait_for()
    page.locator(".st-key-tour-next button").press("Enter")
    bar.get_by_text("Tour, 3 of 5").wait_for()
    page.locator(".st-key-answer").get_by_text("Draining broker 7").wait_for()
    settled(page, "tour-plan")
    page.locator(".st-key-tour-next button").press("Enter")
    bar.get_by_text("Tour, 4 of 5").wait_for()
    page.locator(".st-key-tour-next button").press("Enter")
    bar.get_by_text("Tour, 5 of 5").wait_for()

    settled(page, "tour-end")

    expect(page.locator(".st-key-tour-next button")).to_be_disabled()
    expect(page.locator(".st-key-tour-leave button")).to_have_count(1)

    page.locator(".st-key-tour-leave button").press("Enter")

    expect(bar).to_have_count(0)
    expect(page.locator(".st-key-answer")).to_contain_text("Draining broker 7")
