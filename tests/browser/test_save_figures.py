"""What the menu at a figure saves: a picture that other programs read, and the numbers that the figure shows."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import open_sample

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser

SVG = "{http://www.w3.org/2000/svg}"


def saved(page: Page, figure: str, kind: str, where: Path) -> Path:
    """The file that the menu of a figure, by its key, gives."""
    holder = page.locator(f".st-key-{figure}")
    holder.get_by_role("button", name="Save: ").click()
    with page.expect_download() as begun:
        holder.get_by_role("menuitem", name=kind).click()
    file = where / begun.value.suggested_filename
    begun.value.save_as(file)
    return file


def test_a_chart_is_saved_as_a_picture_and_as_its_data(page: Page, dashboard: str, tmp_path: Path) -> None:
    """On Overview: every rack's name and the mean in the SVG, a PNG twice as large, a row a broker in the CSV."""
    open_sample(page, dashboard, "Nine brokers")
    page.locator(".st-key-imbalance-0 .main-svg").first.wait_for()
    svg, png, table = (saved(page, "imbalance-0", kind, tmp_path) for kind in ("SVG", "PNG", "CSV"))

    assert svg.name == "reseat-overview-nine-brokers-three-racks-imbalance-0.svg"
    picture = ET.parse(svg).getroot()
    words = {"".join(text.itertext()).strip() for text in picture.iter(f"{SVG}text")}
    assert {"7", "az-a", "az-b", "az-c"} <= words
    assert any("34.1 MB" in word for word in words)
    assert not list(picture.iter(f"{SVG}foreignObject"))

    told = png.read_bytes()
    assert told[:8] == b"\x89PNG\r\n\x1a\n"
    assert int.from_bytes(told[16:20], "big") == 2 * int(picture.get("width", "0"))

    rows = list(csv.reader(table.read_text("utf-8").splitlines()))
    assert rows[0] == ["broker", "bytes"]
    assert len(rows) == 10
    assert rows[7] == ["broker 7 in az-c", "84114239"]


def test_the_menu_is_used_by_keyboard_and_a_plans_bars_are_its_numbers(
    page: Page, dashboard: str, tmp_path: Path
) -> None:
    """Opened, walked and left by keys, the focus back on its button; before and after stand in columns."""
    open_sample(page, dashboard, "Nine brokers", then="Plan")
    page.wait_for_url("**/plan?*layout=*")
    page.goto(f"{page.url}&remove=7")
    page.locator(".st-key-answer").get_by_text("Draining broker 7").wait_for()
    opener = page.get_by_role("button", name="Save: ").first
    opener.press("Enter")

    expect(page.get_by_role("menuitem", name="SVG").first).to_be_focused()

    page.keyboard.press("ArrowUp")

    expect(page.get_by_role("menuitem", name="CSV").first).to_be_focused()

    page.keyboard.press("Escape")

    expect(opener).to_be_focused()
    expect(page.get_by_role("menuitem", name="CSV").first).to_be_hidden()

    opener.press("Enter")
    page.keyboard.press("End")
    with page.expect_download() as begun:
        page.keyboard.press("Enter")
    begun.value.save_as(tmp_path / "plan.csv")
    rows = list(csv.reader((tmp_path / "plan.csv").read_text("utf-8").splitlines()))

    assert rows[0] == ["broker", "stay", "moved in", "moved out"]
    assert rows[7] == ["broker 7 in az-c", "0", "0", "238"]
    assert sum(int(row[2]) for row in rows[1:]) == 238
