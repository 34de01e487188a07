"""What the menu at a figure saves: a picture that other programs read, and the numbers that the figure shows."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import also, at_address, open_sample, settled, to

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

pytestmark = pytest.mark.browser

SVG = "{http://www.w3.org/2000/svg}"
BARS = ["broker", "stay", "moved in", "moved out"]
#: Of those whose files no other test looks into; a chart over time beside a heatmap is saved in ``test_time_travel``.
LESSON, OVER_TIME = "consumers?", "history?cluster=shop&compare=heatmap&"
#: What stands on a page, by what follows its address: of each figure the first heads of its data, none where it is a
#: drawing that shows none.
FIGURES: dict[str, list[list[str]]] = {
    "overview?": [["broker"], ["rack"]],
    "board?": [["broker", "rack", "host", "state", "what-if", "replicas"], BARS],
    "heatmap?": [["brokers", "topics", "replicas"]],
    "leaders?": [BARS],
    "leaders?when=outage&stopped=1&": [BARS],
    "resilience?": [["lost", "partitions offline"], ["broker", "other broker", "partitions offline"]],
    "plan?detail=flow&": [BARS, ["from", "to", "replicas"]],
    "plan?detail=generate&": [BARS, ["measure", "plan", "draw", "value"]],
    "new_topic?": [["broker", "preferred leaders", "other replicas"]],
    "clusters?view=fleet&": [["cluster", "weakest broker: partitions offline"]],
    OVER_TIME: [["taken_at", "offline"], ["brokers", "topics", "change of replicas"]],
    "placement?": [["partition", "position in the list", "broker"]],
    "compare?": [["placement", "broker", "replicas", "preferred leaders"]],
    "replication?": [[], ["story", "step", "broker", "state", "offset", "value"]],
    LESSON: [["topic", "partition", "member", "change"], ["from", "to", "what", "content"]],
    "fingerprints?": [["broker"]],
}


def saved(page: Page, figure: str, kind: str, where: Path) -> Path:
    """The file that the menu of a figure, by its key, gives."""
    return save(page, page.locator(f".st-key-{figure}"), kind, where)


def save(page: Page, holder: Locator, kind: str, where: Path) -> Path:
    """The file that the menu within an element gives."""
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

    assert svg.name == "overview-bytes-by-broker-nine-brokers-three-racks.svg"
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
    also(page, "&remove=7")
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


def test_our_own_figures_are_saved_as_they_are_seen(page: Page, dashboard: str, tmp_path: Path) -> None:
    """Board, heatmap, pairs and log player: the same menu, words as text in the picture, named columns in the data."""
    open_sample(page, dashboard, "Nine brokers", then="Board")
    page.wait_for_url("**/board?*layout=*")
    also(page, "&remove=7")
    page.locator(".st-key-rack-board").get_by_text("Broker 7 removed: 238 replicas must move.").wait_for()
    words, rows = both(page, "rack-board", tmp_path)

    assert {"Rack board: brokers by rack", "Nine brokers, three racks", "kafka-7", "+114", "Removed"} <= words
    assert "Add broker" not in words
    assert rows[0][:7] == ["broker", "rack", "host", "state", "what-if", "replicas", "preferred leaders"]
    assert rows[7][:6] == ["7", "az-c", "kafka-7", "alive", "removed", "238"]
    assert sum(int(row[rows[0].index("replicas moved in")]) for row in rows[1:]) == 238

    to(page, "Heatmap")
    words, rows = both(page, "heat-grid", tmp_path)
    assert (tmp_path / "heatmap-nine-brokers-three-racks.svg").exists()

    assert "Heatmap: 9 brokers by 18 topics" in words
    assert rows[0] == ["brokers", "topics", "replicas"]
    assert len(rows) == 1 + 9 * 18

    to(page, "Resilience")
    rows = both(page, "resilience-chart", tmp_path)[1]

    assert rows[0] == ["lost", "partitions offline", "partitions below min ISR", "leaders moved"]
    assert {"rack az-a", "broker 1"} <= {row[0] for row in rows[1:]}
    assert all(cell.isdecimal() for row in rows[1:] for cell in row[1:])

    words, rows = both(page, "pair-matrix", tmp_path)

    assert "Pairs of brokers: partitions offline" in words
    assert rows[0] == ["broker", "other broker", "partitions offline", "partitions below min ISR", "leaders moved"]
    assert len(rows) == 1 + 8 * 9 / 2  # pairs and single brokers, without broker 7

    at_address(page, f"{dashboard}/replication?scenario=loss&step=9", "Replication")
    words, rows = both(page, "log-strips", tmp_path)

    assert {"Broker 2", "HW 1"} <= words
    assert rows[0][2:6] == ["broker", "state", "offset", "value"]
    assert [row[2:6] for row in rows[1:]] == [
        ["1", "in sync", "0", "m1"],
        ["2", "leader", "0", "m1"],
        ["2", "leader", "1", "m2"],
    ]


def both(page: Page, figure: str, where: Path) -> tuple[set[str], list[list[str]]]:
    """The words of a figure's picture and the rows of its data, both saved; its PNG can be made, too."""
    svg, png, table = (saved(page, figure, kind, where) for kind in ("SVG", "PNG", "CSV"))
    picture = ET.parse(svg).getroot()
    assert png.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    assert not list(picture.iter(f"{SVG}foreignObject"))
    words = {"".join(text.itertext()).strip() for text in picture.iter(f"{SVG}text")}
    return words, list(csv.reader(table.read_text("utf-8").splitlines()))


def all_saved(page: Page, dashboard: str, address: str, where: Path, layout: str = "") -> None:
    """The menu stands at each chart and each figure of ours; pictures have words, data its heads and a row at least."""
    from PIL import Image

    figures = FIGURES[address]
    page.goto(f"{dashboard}/{address}{layout}")
    menus = page.locator(".save-figure:visible")
    expect(menus, address).to_have_count(len(figures))
    settled(page, f"saved-{address.partition('?')[0]}")
    for number, heads in enumerate(figures):
        svg, png, *table = (
            save(page, menus.nth(number), kind, where) for kind in ("SVG", "PNG", *(["CSV"] if heads else []))
        )
        assert any("".join(text.itertext()).strip() for text in ET.parse(svg).getroot().iter(f"{SVG}text")), svg.name
        with Image.open(png) as picture:
            assert len(picture.convert("RGB").getcolors(1 << 24)) > 20, png.name
        for file in table:
            rows = list(csv.reader(file.read_text("utf-8").splitlines()))
            assert rows[0][: len(heads)] == heads, file.name
            assert len(rows) > 1, file.name
            assert {len(row) for row in rows} == {len(rows[0])}, file.name


def test_drawings_of_a_lesson_are_saved(page: Page, dashboard: str, tmp_path: Path) -> None:
    """Two, without any layout."""
    all_saved(page, dashboard, LESSON, tmp_path)


@pytest.mark.slow
def test_every_figure_of_every_page_is_saved(page: Page, with_history: str, tmp_path: Path) -> None:
    """With a broker out."""
    open_sample(page, with_history, "Nine brokers")
    page.wait_for_url("**layout=*")
    layout = f"{page.url.partition('?')[2]}&remove=7"
    for address in FIGURES:
        all_saved(page, with_history, address, tmp_path, layout)
