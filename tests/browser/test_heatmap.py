"""The heatmap in a real Chromium: hover tells the facts, a click opens, a drag zooms, Escape steps out."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import TimeoutError as TooLate
from playwright.sync_api import expect

from tests.browser.conftest import SCREEN, at_rest, open_files, open_sample, runs_of, settled, to

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

pytestmark = pytest.mark.browser

#: Where the cells begin inside the canvas (heat_grid.js: LEFT and TOP).
LEFT, TOP = 104, 40


@pytest.fixture
def heat(same_page: Page, dashboard: str) -> Page:
    """The Heatmap page with the bundled nine brokers."""
    open_sample(same_page, dashboard, "Nine brokers", then="Heatmap")
    drawn(same_page)
    return same_page


def drawn(page: Page, other_than: str | None = None) -> str:
    """Wait until a grid is drawn (another one than that) and return which."""
    found = page.locator(".heat[data-drawn]" + ("" if other_than is None else f":not([data-drawn='{other_than}'])"))
    found.wait_for()
    at_rest(cells(page))
    return str(found.get_attribute("data-drawn"))


def cells(page: Page) -> Locator:
    """The canvas of cells."""
    return page.locator(".heat canvas.cells")


def test_hovering_tells_broker_topic_and_count(heat: Page) -> None:
    """A cell's sentence names broker, rack, host and topic; it goes away with the pointer."""
    cells(heat).hover(position={"x": LEFT + 10, "y": TOP + 10})
    tip = heat.locator(".heat .tip")

    expect(tip).to_contain_text("Broker 1 in rack az-a, kafka-1 × topic clickstream:", use_inner_text=True)

    heat.mouse.move(5, 5)

    expect(tip).to_be_hidden()


def test_a_rack_of_one_broker_has_a_name_that_can_be_read(page: Page, dashboard: str) -> None:
    """Letters are left out of the middle where the rack is low, and none is squeezed."""
    page.add_init_script(
        "window.told = {}; const fill = CanvasRenderingContext2D.prototype.fillText;"
        "CanvasRenderingContext2D.prototype.fillText = function (words, x, y, room = Infinity) {"
        "if (words.startsWith('ra')) window.told[words] = Math.min(1, room / this.measureText(words).width);"
        "fill.call(this, words, x, y, room); };"
    )
    lines = [f"\tTopic: orders\tPartition: {at}\tLeader: {at}\tReplicas: {at}\tIsr: {at}" for at in range(4)]
    racks = [f"{at},rack-with-a-long-name-{at}" for at in range(4)]
    files = {"layout.txt": "\n".join(lines), "racks.csv": "\n".join(["broker,rack", *racks])}
    open_files(page, dashboard, files, then="Heatmap")
    drawn(page)
    names = page.evaluate("window.told")

    assert len(names) == 4
    assert set(names.values()) == {1}
    assert all("…" in name for name in names)


def test_a_tip_stays_within_the_window(heat: Page) -> None:
    """Of the last cell, and of one in a figure that goes on below the window's edge."""
    tip, shown = heat.locator(".heat .tip"), cells(heat)
    box = shown.bounding_box()
    assert box is not None
    for height in (768, int(box["y"]) + TOP + 160):
        heat.set_viewport_size({"width": SCREEN["width"], "height": height})
        shown.focus()
        for _ in range(2):
            heat.keyboard.press("Shift+ArrowDown")
            heat.keyboard.press("Shift+ArrowRight")
        heat.evaluate("document.querySelector('[data-testid=stMain]').scrollTo(0, 0)")
        for _ in range(5):
            heat.keyboard.press("ArrowUp")
        expect(tip).to_contain_text("Broker 4 in rack az-b", use_inner_text=True)
        expect(tip).to_contain_text("debug-scratch", use_inner_text=True)
        told = tip.bounding_box()
        assert told is not None
        assert told["x"] >= 0
        assert told["x"] + told["width"] <= SCREEN["width"]
        assert told["y"] + told["height"] <= height


def test_on_a_screen_of_4k_figures_grow_and_follow_the_pointer(page: Page, dashboard: str) -> None:
    """A chart, the heatmap, the board: larger than on a small screen, and each part where it is seen."""
    page.set_viewport_size({"width": 3840, "height": 2160})
    open_sample(page, dashboard, "Nine brokers")
    chart = page.locator(".js-plotly-plot").nth(1)
    at_rest(chart)
    said = chart.locator(".hoverlayer").filter(has_text="broker 7 in az-c: 238 replicas")
    for _ in range(20):  # what Plotly says is gone when it draws itself anew, and comes when the mouse moves
        page.mouse.move(0, 0)
        chart.locator(".point").nth(6).hover(force=True)
        with suppress(TooLate):
            said.wait_for(state="attached", timeout=1_000)
            break
    expect(said).to_be_attached()
    box = chart.bounding_box()
    assert box is not None
    assert box["width"] > 1600
    assert box["height"] == pytest.approx(350, abs=2)

    to(page, "Heatmap")
    drawn(page)
    cells(page).hover(position={"x": 1.4 * (LEFT + 10), "y": 1.4 * (TOP + 44 * 6 + 10)})
    expect(page.locator(".heat .tip")).to_contain_text("Broker 7 in rack az-c", use_inner_text=True)

    to(page, "Board")
    page.locator(".rack-list .tile[data-id='7']").hover()
    page.mouse.down()
    page.locator(".tray").hover(position={"x": 60, "y": 200})
    held = page.locator(".proxy").bounding_box()
    tray = page.locator(".tray").bounding_box()
    assert held is not None
    assert tray is not None
    assert abs(held["x"] + held["width"] / 2 - tray["x"] - 60) < held["width"] / 2
    page.mouse.up()
    page.locator(".st-key-answer").filter(has_text="Draining broker 7").wait_for()


def test_a_click_opens_a_topic_and_then_a_partition_and_escape_steps_out(heat: Page) -> None:
    """The first topic's partitions are states with facts; a partition's replicas stand in a table below."""
    first = drawn(heat)
    cells(heat).click(position={"x": LEFT + 10, "y": TOP + 10})
    heat.get_by_text("9 brokers by 48 partitions of").wait_for()
    second = drawn(heat, other_than=first)
    cells(heat).hover(position={"x": LEFT + 6, "y": TOP + 10})

    expect(heat.locator(".heat .tip")).to_contain_text("Led by", use_inner_text=True)

    cells(heat).click(position={"x": LEFT + 6, "y": TOP + 10})
    heat.locator(".st-key-heat-opened").get_by_text("clickstream-0").wait_for()
    cells(heat).focus()
    heat.keyboard.press("Escape")
    drawn(heat, other_than=second)

    expect(heat.get_by_text("9 brokers by 18 topics")).to_be_visible()
    expect(heat.locator(".st-key-heat-opened")).to_be_hidden()


def test_a_drag_zooms_and_the_button_zooms_out(heat: Page) -> None:
    """Dragging over some cells shows only them; nothing else of the page's choices changes."""
    first = drawn(heat)
    box = at_rest(cells(heat))
    heat.mouse.move(box["x"] + LEFT + 5, box["y"] + TOP + 5)
    heat.mouse.down()
    heat.mouse.move(box["x"] + LEFT + 120, box["y"] + TOP + 60, steps=4)
    heat.mouse.up()
    drawn(heat, other_than=first)
    heat.get_by_text("2 brokers by 3 topics").wait_for()

    assert "remove" not in heat.url

    heat.get_by_role("button", name="Zoom out").click()
    heat.get_by_text("9 brokers by 18 topics").wait_for()


def test_keys_walk_the_cells_and_a_live_region_says_them(heat: Page) -> None:
    """Arrow keys move a cursor whose sentence is announced; Enter opens what it stands on."""
    cells(heat).focus()
    heat.keyboard.press("ArrowDown")
    heat.keyboard.press("ArrowRight")
    live = heat.locator(".heat .live")

    expect(live).to_contain_text("Broker 2 in rack az-a", use_inner_text=True)

    heat.keyboard.press("Enter")
    heat.get_by_text("Zoomed to all partitions of orders").wait_for()


def test_a_broker_is_found_by_typing_and_an_empty_search_has_no_axes(heat: Page) -> None:
    """Its row is named and Enter puts the cursor there; an id nobody has is said; no topic, no canvas."""
    find = heat.locator(".heat").get_by_role("searchbox", name="Find")
    find.fill("99")
    expect(heat.locator(".heat .found-says")).to_have_text("No broker or rack matches.")
    find.fill("7")
    expect(heat.locator(".heat .found-says")).to_have_text("Broker 7 in az-c.")
    find.press("Enter")

    expect(cells(heat)).to_be_focused()
    expect(heat.locator(".heat .live")).to_contain_text("Broker 7 in rack az-c", use_inner_text=True)

    heat.get_by_role("textbox", name="Filter topics").fill("no such topic")
    heat.get_by_role("textbox", name="Filter topics").press("Enter")
    heat.get_by_text("No topic matches.").wait_for()

    expect(cells(heat)).to_have_count(0)


def test_one_drag_is_one_run_of_the_page(page: Page, dashboard: str) -> None:
    """A zoom is heard before the page is drawn anew: it is not drawn first as it was."""
    runs = runs_of(page)
    open_sample(page, dashboard, "Nine brokers", then="Heatmap")
    before = drawn(page)
    settled(page, "one-zoom")
    told = len(runs)
    box = at_rest(cells(page))
    page.mouse.move(box["x"] + LEFT + 10, box["y"] + TOP + 10)
    page.mouse.down()
    page.mouse.move(box["x"] + LEFT + 120, box["y"] + TOP + 80, steps=4)
    page.mouse.up()
    drawn(page, other_than=before)
    settled(page, "one-zoom")

    assert len(runs) == told + 1, runs
