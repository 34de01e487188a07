"""Resilience in a real Chromium: bars and cells are clicked, cells walked by keys, a loss opened as a what-if."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import at_rest, open_sample

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

pytestmark = pytest.mark.browser

#: Where the cells begin inside the canvas (pair_matrix.js: LEFT and TOP), and how wide nine are.
LEFT, TOP, CELL = 58, 44, 38.2


@pytest.fixture
def losses(page: Page, dashboard: str) -> Page:
    """The Resilience page with the bundled nine brokers."""
    open_sample(page, dashboard, "Nine brokers", then="Resilience")
    page.locator(".pairs[data-drawn]").wait_for()
    return page


def cells(page: Page) -> Locator:
    """The canvas of cells."""
    return page.locator(".pairs canvas.cells")


def click_bar(page: Page, name: str) -> None:
    """Click a little to the right of a bar's name, where also a bar of nothing is."""
    label = page.locator(".st-key-resilience-chart .ytick text", has_text=name).first
    label.wait_for()
    box = at_rest(label)
    page.mouse.click(box["x"] + box["width"] + 25, box["y"] + box["height"] / 2)


def middle(row: int, column: int) -> dict[str, float]:
    """Where a cell lies on the canvas."""
    return {"x": LEFT + CELL * (column + 0.5), "y": TOP + CELL * (row + 0.5)}


def detail(page: Page) -> Locator:
    """The detail beside the matrix."""
    return page.locator(".st-key-resilience-detail")


def test_a_click_on_a_bar_opens_its_detail(losses: Page) -> None:
    """The worst is open at first; a bar of nothing answers as well, and one can be clicked again after another."""
    detail(losses).get_by_text("rack az-b lost").wait_for()
    for name in ("rack az-c", "broker 9", "rack az-c"):
        click_bar(losses, name)
        detail(losses).get_by_text(f"{name} lost").wait_for()

    expect(detail(losses).get_by_text("rack az-b lost")).to_be_hidden()


def test_hovering_a_cell_names_both_brokers_and_what_is_lost(losses: Page) -> None:
    """The sentence has ids, racks and every measure; it goes with the pointer."""
    at_rest(cells(losses))
    cells(losses).hover(position=middle(2, 6))
    tip = losses.locator(".pairs .tip")

    assert tip.inner_text().startswith("broker 3 (az-a) and broker 7 (az-c):\n5 partitions offline, ")

    losses.mouse.move(5, 5)

    expect(tip).to_be_hidden()


def test_a_cell_opens_its_pair_and_the_pair_as_a_what_if(losses: Page) -> None:
    """Brokers 3 and 7: the detail counts them exactly, and the button shows Racks with both of them out."""
    cells(losses).click(position=middle(2, 6))
    detail(losses).get_by_text("brokers 3 and 7 lost").wait_for()

    expect(detail(losses).get_by_text("5 partitions offline")).to_be_visible()
    assert "remove=" not in losses.url

    losses.get_by_role("link", name="Open as what-if: brokers 3 and 7 removed").click()
    losses.get_by_role("button", name="broker 3 removed").wait_for()

    expect(losses.get_by_role("button", name="broker 7 removed")).to_be_visible()
    expect(losses.get_by_role("button", name="broker 5 removed")).to_be_hidden()
    losses.wait_for_url("**/board*remove=3%2C7*")


def test_keys_walk_the_pairs_and_a_live_region_says_them(losses: Page) -> None:
    """Arrow keys move a cursor that is announced, plus comes nearer, Escape steps out, Enter opens."""
    cells(losses).focus()
    losses.keyboard.press("ArrowRight")
    losses.keyboard.press("ArrowRight")
    live = losses.locator(".pairs .live")

    expect(live).to_contain_text("broker 1 (az-a) and broker 2 (az-a)", use_inner_text=True)

    losses.keyboard.press("+")
    losses.get_by_role("button", name="Zoom out").wait_for()
    losses.keyboard.press("Enter")
    detail(losses).get_by_text("brokers 1 and 2 lost").wait_for()

    expect(losses.get_by_role("button", name="Zoom out")).to_be_visible()  # the choice does not lose the zoom

    cells(losses).focus()
    losses.keyboard.press("Escape")

    expect(losses.get_by_role("button", name="Zoom out")).to_be_hidden()


def test_300_brokers_are_drawn_and_come_nearer_by_a_click(new_page: Callable[..., Page], dashboard: str) -> None:
    """A cell of a pixel is not opened by chance: the first click zooms, the second opens."""
    page = new_page(color_scheme="dark")
    open_sample(page, dashboard, "300 brokers", then="Resilience")
    page.locator(".pairs[data-drawn]").wait_for(timeout=60_000)
    before = detail(page).inner_text()
    cells(page).click(position={"x": LEFT + 100, "y": TOP + 200})
    page.get_by_role("button", name="Zoom out").wait_for()

    expect(detail(page)).to_have_text(before, use_inner_text=True)

    cells(page).click(position={"x": LEFT + 100, "y": TOP + 200})
    detail(page).get_by_text("brokers ").first.wait_for()
    page.get_by_role("link", name="Open as what-if: brokers").wait_for()
