"""The report's HTML opened from disk with the network cut off, as somebody opens it who was sent it."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from playwright.sync_api import expect

from reseat.report.content import Heat, Report
from reseat.report.writers.html import write_html
from tests.browser.axe import violations
from tests.report.told import HOSTILE, told

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser

#: What is opened: somebody's screen in light and dark, and a telephone.
SCREENS = {
    "light": {"color_scheme": "light"},
    "dark": {"color_scheme": "dark"},
    "narrow": {"color_scheme": "light", "viewport": {"width": 400, "height": 800}},
}


def with_large_grid() -> Report:
    """A report with a heatmap whose cells are too many to tell their words each."""
    report = told(60, 400)
    grid = Heat(
        slug="grid",
        title="Replicas by broker and many topics",
        says="Evenly spread.",
        unit="replicas",
        rows=tuple(str(at) for at in range(1, 62)),
        columns=tuple(f"topic,{at}" for at in range(41)),
        column_name="topic",
        values=np.arange(2_501.0).reshape(61, 41),
        top=2_500.0,
    )
    return replace(report, chapters=(*report.chapters, replace(report.chapters[2], figures=(grid,), name="Grid")))


@pytest.fixture
def opened(new_page: Callable[..., Page], tmp_path: Path) -> Callable[..., Page]:
    """Open a document from a file without a network; what it says on the console or asks for fails the test."""

    def open_file(text: str, **options: object) -> Page:
        file = tmp_path / "report.html"
        file.write_text(text, encoding="utf-8")
        page = new_page(offline=True, accept_downloads=True, **options)
        said: list[str] = []
        page.on("console", lambda message: said.append(message.text))
        page.on(
            "request", lambda request: said.append(request.url) if request.url[:5] not in {"file:", "data:"} else None
        )
        page.goto(file.as_uri())
        page.said = said  # type: ignore[attr-defined]
        return page

    return open_file


@pytest.mark.parametrize(("screen", "names"), [("light", HOSTILE), ("dark", ()), ("narrow", HOSTILE)])
def test_it_opens_offline_and_everybody_can_use_it(
    opened: Callable[..., Page], screen: str, names: tuple[str, ...]
) -> None:
    """No request, no word on the console, nothing that axe objects to, and no sideways scrolling of the page."""
    page = opened(write_html(told(20, names=names)), **SCREENS[screen])
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")

    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= page.viewport_size["width"]  # type: ignore[index]
    assert page.said == []  # type: ignore[attr-defined]
    expect(page.locator("b, [onerror]")).to_have_count(0)
    night = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert night == ("rgb(20, 23, 28)" if screen == "dark" else "rgb(255, 255, 255)")


def test_a_table_is_sorted_by_the_keyboard(opened: Callable[..., Page]) -> None:
    """A fold opens; a heading sorts by numbers, not by their words, then the other way; unknown ones are last."""
    page = opened(write_html(told(9, 60)))
    fold = page.locator("#appendix details")
    fold.locator("summary").focus()
    page.keyboard.press("Enter")
    head = fold.get_by_role("columnheader", name="Bytes")

    expect(head).to_have_attribute("aria-sort", "none")

    head.get_by_role("button").focus()
    page.keyboard.press("Enter")
    cells = [text for row in fold.locator("tbody tr").all() if (text := row.locator("td").nth(2).inner_text())]

    expect(head).to_have_attribute("aria-sort", "ascending")
    assert cells == ["0 B", *(f"{size}.0 GB" for size in range(2, 50)), "unknown"]

    page.keyboard.press("Space")

    expect(head).to_have_attribute("aria-sort", "descending")
    expect(fold.locator("tbody td").nth(2)).to_have_text("49.0 GB", use_inner_text=True)
    expect(fold.locator("tbody tr").last.locator("td").nth(2)).to_have_text("unknown", use_inner_text=True)
    expect(fold.locator("th[aria-sort='none']")).to_have_count(3)


def test_the_keyboard_skips_to_the_report_and_its_focus_is_seen(opened: Callable[..., Page]) -> None:
    """The first stop is the way past the contents; what has the focus has an outline."""
    page = opened(write_html(told()))
    page.keyboard.press("Tab")

    assert page.evaluate("document.activeElement.textContent") == "Skip to the report"
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"

    page.keyboard.press("Enter")

    assert page.evaluate("document.activeElement.id") == "report"


def test_with_scripts_off_all_of_it_can_be_read(opened: Callable[..., Page]) -> None:
    """Chapters, figures with their words, and the rows of folded tables; no button that would do nothing."""
    report = told()
    page = opened(write_html(report), java_script_enabled=False)
    for chapter in report.chapters:
        expect(page.get_by_role("heading", name=f"{chapter.name} {chapter.heading}", exact=True)).to_be_visible()
        for figure in chapter.figures:
            expect(page.get_by_role("img", name=figure.title, exact=True)).to_be_visible()
            assert page.get_by_text(figure.says, exact=True).locator("visible=true").count()
    page.locator("#appendix summary").click()

    expect(page.locator("#appendix").get_by_text("topic-49", exact=True)).to_be_visible()
    expect(page.get_by_role("button").locator("visible=true")).to_have_count(0)
    assert page.locator(".hits rect title").count() > 0
    with page.expect_download() as download:
        page.locator("#change a.csv").first.click()
    assert download.value.suggested_filename == "brokers.csv"
    assert Path(download.value.path()).read_text().startswith("Broker,Rack,Stays,Comes,Goes,Note\n")


def test_figures_tell_their_numbers_when_hovered(opened: Callable[..., Page]) -> None:
    """A bar tells its broker; a cell of a large heatmap is looked up in the data, commas in names and all."""
    page = opened(write_html(with_large_grid()))
    page.locator("svg[data-of='brokers'] .hits rect").nth(3).hover()

    assert page.locator(".tip").inner_text().startswith("broker 4, rack rack-a: stays ")

    page.locator("svg[data-of='grid'] image").first.hover()
    page.locator(".tip").get_by_text("broker").wait_for()

    expect(page.locator(".tip")).to_have_text("broker 31, topic topic,20: 1,250 replicas", use_inner_text=True)


def test_data_are_copied_and_downloaded(opened: Callable[..., Page]) -> None:
    """Short data and packed data alike: the clipboard and the file have every row."""
    page = opened(write_html(with_large_grid()), permissions=["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy data of Every move").click()
    page.get_by_role("status").get_by_text("Copied: Every move").wait_for(state="attached")
    rows = list(csv.reader(io.StringIO(page.evaluate("navigator.clipboard.readText()"))))

    assert len(rows) == 401
    assert rows[0] == ["Topic", "Partition", "Bytes", "Rack"]

    with page.expect_download() as download:
        page.get_by_role("button", name="Download CSV of Replicas by broker and many topics").click()
    lines = list(csv.reader(io.StringIO(Path(download.value.path()).read_text())))

    assert download.value.suggested_filename == "grid.csv"
    assert lines[-1] == ["61", "topic,40", "2500"]
    assert page.said == []  # type: ignore[attr-defined]


def test_it_prints_as_pages(opened: Callable[..., Page], tmp_path: Path) -> None:
    """A4, a chapter begins on a page of its own, long tables are unfolded, no button is printed, pages are numbered."""
    from pypdf import PdfReader

    report = told(9, 60, title='Orders "6\\" \u8ba2\u5355')
    page = opened(write_html(report))
    page.pdf(path=tmp_path / "printed.pdf", prefer_css_page_size=True)
    pages = PdfReader(tmp_path / "printed.pdf").pages
    texts = [" ".join(one.extract_text().split()) for one in pages]

    assert len(pages) > len(report.chapters)
    assert round(pages[0].mediabox.width) == 595
    assert "topic-49" in " ".join(texts)
    assert "Copy data" not in " ".join(texts)
    assert f"1 / {len(pages)}" in texts[0]
    assert 'Orders "6\\"' in texts[1]
    for chapter in report.chapters:
        assert sum(f"{chapter.name} {chapter.heading}" in text for text in texts) >= 1
