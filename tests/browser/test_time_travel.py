"""History, Fleet and Resilience in a real Chromium over tables that are there: states, and the way into the past."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import SCHEMES, at_address, at_rest, settled
from tests.browser.test_access import found_on
from tests.browser.test_save_figures import OVER_TIME, all_saved
from tests.history.made import Made

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser


#: The titles of pages, by address.
TITLES = {"fleet": "Clusters", "history": "History", "resilience": "Resilience"}
#: Each page over the tables, and what only it has once it is drawn.
PAGES = {
    "fleet": ".st-key-fleet-figure .main-svg",
    "history": ".st-key-history-figure .main-svg",
    "resilience": ".pairs[data-drawn]",
}


@pytest.mark.slow  # in the ordinary run they are drawn in a narrow window
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_normal_pages(new_page, with_history: str, scheme: str) -> None:
    """Each by its own address, in light and dark, without a layout that is open."""
    page: Page = new_page(color_scheme=scheme)
    for name, drawn in PAGES.items():
        page.goto(f"{with_history}/{name}?cluster=shop")
        page.locator(drawn).first.wait_for()
        settled(page, f"state-normal-{scheme}-{name}")

        expect(page.locator(".st-key-refused, .st-key-strip-past")).to_have_count(0)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_everybody_can_use_them(new_page: Callable[..., Page], with_history: str, scheme: str) -> None:
    """The fleet's clusters, and one cluster over two days: axe finds nothing of ours."""
    page = new_page(color_scheme=scheme)

    assert found_on(page, with_history, ("fleet", "history"), "?cluster=shop") == {}


#: What of some elements has more words than room: a script for the browser.
CUT = """all => all.filter(one => one.checkVisibility() && [one, ...one.querySelectorAll('*')].some(
    part => part.clientWidth && part.scrollWidth > part.clientWidth + 1)).map(one => one.innerText)"""


def test_a_narrow_window_cuts_nothing_off(new_page, with_history: str) -> None:
    """With the sidebar open in 800 pixels: figures keep their units, the choice of time and the button their words."""
    page: Page = new_page(viewport={"width": 800, "height": 900})
    for name, drawn in PAGES.items():
        at_address(page, f"{with_history}/{name}?cluster=shop", TITLES[name])
        page.locator(drawn).first.wait_for()
        settled(page, f"state-narrow-{name}")
        for part in ("stMetricValue", "stMetricDelta", "stButtonGroup", "stBaseButton-primary"):
            assert page.get_by_test_id(part).evaluate_all(CUT) == [], (name, part)

    detail, button = (page.locator(f".st-key-resilience-{part}").bounding_box() for part in ("detail", "open"))
    assert detail is not None
    assert button is not None
    assert button["y"] + button["height"] <= detail["y"] + detail["height"]


def test_the_moments_compared_are_read_whole(page: Page, with_history: str) -> None:
    """Streamlit does not always move what stands at a handle into the page: there is room for it at both ends.

    The handles are in the page too: the room had pushed the right one out of it.
    """
    page.goto(f"{with_history}/history?cluster=shop")
    labels = page.get_by_test_id("stSliderThumbValue")
    labels.nth(1).wait_for()
    page.add_style_tag(content="[data-testid=stSliderThumbValue] { left: auto !important }")
    main = page.get_by_test_id("stMain").bounding_box()

    assert main is not None
    for box in (one.bounding_box() for label in labels.all() for one in (label, label.locator(".."))):
        assert box is not None
        assert main["x"] < box["x"] < box["x"] + box["width"] < main["x"] + main["width"]


def test_tables_that_are_damaged_are_refused_with_their_file(page: Page, with_history: str, made: Made) -> None:
    """A file that is no Parquet is named in words; other clusters stay readable; whole again, all is drawn again."""
    damaged = sorted((made.tables / "snapshots" / "cluster=shop").rglob("*.parquet"))[-1]
    whole = damaged.read_bytes()
    try:
        damaged.write_bytes(b"no parquet")
        touch(made.tables)
        for name in ("fleet", "history"):
            at_address(page, f"{with_history}/{name}?cluster=shop", TITLES[name])
            page.locator(".st-key-refused").first.wait_for()
            settled(page, f"state-refused-{name}")

            expect(page.locator(".st-key-refused").get_by_text(damaged.name).first).to_be_visible()

        at_address(page, f"{with_history}/resilience", "Resilience")  # of 007, the first
        page.locator(PAGES["resilience"]).wait_for()

        expect(page.locator(".st-key-refused")).to_have_count(0)
    finally:
        damaged.write_bytes(whole)
        touch(made.tables)
    at_address(page, f"{with_history}/fleet", "Clusters")
    page.locator(PAGES["fleet"]).first.wait_for()


def touch(tables: Path) -> None:
    """Let pages read anew, as after a job: each makes and takes away a folder of its own."""
    (tables / "_reseat" / "runs" / "one").mkdir(parents=True)
    (tables / "_reseat" / "runs" / "one").rmdir()


def test_a_click_on_the_figure_is_that_moment(page: Page, with_history: str) -> None:
    """The worst moment is looked at first; a click elsewhere looks at that one, and compares from there."""
    page.goto(f"{with_history}/history?cluster=shop")
    moment = page.locator(".st-key-history-moment")
    moment.get_by_text("Friday 2026-05-01 15:10 UTC").wait_for()
    figure = page.locator(".st-key-history-figure .js-plotly-plot")
    figure.wait_for()
    box = at_rest(figure)
    page.mouse.click(box["x"] + 0.8 * box["width"], box["y"] + 0.6 * box["height"])
    moment.get_by_text("Saturday 2026-05-02 03:10 UTC").wait_for()
    page.get_by_role("button", name="Compare from here").click()
    page.get_by_role("heading", name="From 2026-05-02 03:10 UTC to 2026-05-02 15:10 UTC").wait_for()
    page.get_by_text("Heatmap of the difference").click()
    page.locator(".st-key-history-heat-grid canvas").first.wait_for()

    assert page.get_by_test_id("stException").count() == 0


def test_figures_over_time_are_saved(page: Page, with_history: str, tmp_path: Path) -> None:
    """A chart, and the heatmap of what changed."""
    all_saved(page, with_history, OVER_TIME, tmp_path)


def test_into_the_past_and_back(new_page, with_history: str) -> None:
    """A moment on another page, in the dark, shared by its address, and left again; nothing calls it the present."""
    page: Page = new_page(color_scheme="dark")
    page.goto(f"{with_history}/history?cluster=shop")
    page.locator(".st-key-history-moment").get_by_role("link", name="Board").click()
    strip = page.locator(".st-key-strip-past")
    strip.get_by_text("snapshot: 2026-05-01 15:10 UTC").wait_for()
    page.wait_for_url("**past=shop*")

    expect(strip.get_by_text("1 not alive")).to_be_visible()
    expect(page.get_by_text("current state", exact=True)).to_have_count(0)

    other: Page = new_page()
    other.goto(page.url)
    other.locator(".st-key-strip-past").get_by_text("snapshot: 2026-05-01 15:10 UTC").wait_for()
    other.locator(".st-key-strip-past").get_by_role("button", name="Back to the current state").click()
    other.get_by_text("No cluster is loaded").wait_for()

    expect(other.locator(".st-key-strip-past")).to_have_count(0)
