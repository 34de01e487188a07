"""The documents' tasks, walked as they tell it: each quoted sentence and figure is on the page, and a picture is made.

``make pictures`` writes the pictures into docs/pictures.
"""

from __future__ import annotations

import io
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import ROOT, open_sample, settled, to

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser

SAMPLE = "Nine brokers"
#: Where the pictures go, relative to the repository; none are made where nothing is said.
PICTURES = os.environ.get("RESEAT_PICTURES")
#: More colours than a page has, and a third of the bytes.
COLOURS = 192


class Told:
    """What a document says of its pages, picture by picture.

    Below a picture, until the next one or the command line's part: quoted sentences (``> ...``), and rows of a table
    whose first heading is *figure*, whose second column is what the page shows.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.texts: dict[str, list[str]] = {}
        self.figures: dict[str, list[tuple[str, str]]] = {}
        document = (ROOT / "docs" / name).read_text(encoding="utf-8").partition("## The same on the command line")[0]
        for part in document.split("![")[1:]:
            shown = re.search(r"\(pictures/([\w-]+)\.png\)", part)
            assert shown is not None
            tables = re.findall(r"^\| figure \|.*\n\|[ -|]+\n((?:\|.*\n)+)", part, re.M)
            rows = [[cell.strip() for cell in row.split("|")] for table in tables for row in table.splitlines()]
            self.texts[shown[1]] = re.findall(r"^> (.+)$", part, re.M)
            self.figures[shown[1]] = [(row[1], row[2]) for row in rows]

    def seen(self, page: Page, picture: str) -> None:
        """Wait until the page says all that is told of it, and keep the picture."""
        main = page.get_by_test_id("stMain")
        texts, figures = self.texts.pop(picture), self.figures.pop(picture)
        assert texts or figures, f"{self.name} says nothing of {picture}"
        for text in texts:
            expect(main).to_contain_text(text, use_inner_text=True)
        for label, value in figures:  # between the two stands at most the name of a sign
            shown = rf"{re.escape(label)}\s+(?:[a-z]+\s+)?{re.escape(value)}(?!\S)"
            expect(main).to_contain_text(re.compile(shown), use_inner_text=True)
        page.mouse.move(0, 0)
        settled(page, picture)
        if PICTURES:
            keep(page, ROOT / PICTURES / f"{picture}.png")

    def done(self) -> None:
        """Nothing that the document shows was left out."""
        assert not self.texts, f"{self.name}: not walked: {sorted(self.texts)}"


def keep(page: Page, file: Path) -> None:
    """Write what the page shows as a small picture."""
    from PIL import Image

    file.parent.mkdir(parents=True, exist_ok=True)
    with Image.open(io.BytesIO(page.screenshot())) as taken:
        small = taken.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
        small.save(file, optimize=True)


def choose(page: Page, name: str) -> None:
    """One of a row of choices on the page."""
    page.get_by_test_id("stMain").get_by_role("radio", name=name, exact=True).click()


def test_drain_a_broker(page: Page, dashboard: str) -> None:
    """Board, Plan, the commands with a throttle; Reset leaves nothing of the what-if."""
    told = Told("drain-a-broker.md")
    open_sample(page, dashboard, SAMPLE, then="Board")
    page.locator(".rack-list .tile[data-id='7']").wait_for()
    page.get_by_role("searchbox", name="Find").press_sequentially("7")
    page.keyboard.press("Enter")
    expect(page.locator(".rack-list .tile[data-id='7']")).to_be_focused()
    page.keyboard.press("Delete")
    page.locator(".st-key-answer").get_by_text("Draining broker 7").wait_for()
    page.get_by_role("searchbox", name="Find").fill("")
    told.seen(page, "drain-board")

    to(page, "Plan")
    told.seen(page, "drain-plan")

    choose(page, "Commands")
    throttle = page.get_by_label("Replication throttle per broker (MB/s)")
    throttle.fill("50")
    throttle.press("Enter")
    page.get_by_text("at the throttle.").first.wait_for()
    page.locator(".st-key-downloads").evaluate("shown => shown.scrollIntoView({block: 'start'})")
    told.seen(page, "drain-commands")
    told.done()

    to(page, "Board")
    page.get_by_role("button", name="Reset").click()
    expect(page.locator(".st-key-answer")).not_to_contain_text("Draining")


def test_is_it_balanced(page: Page, dashboard: str) -> None:
    """Overview, Heatmap, the election, and the plan that rebalances the cluster."""
    told = Told("is-it-balanced.md")
    open_sample(page, dashboard, SAMPLE)
    told.seen(page, "balanced-overview")

    to(page, "Heatmap")
    told.seen(page, "balanced-heatmap")

    to(page, "Leaders")
    told.seen(page, "balanced-leaders")

    to(page, "Plan")
    page.get_by_role("button", name="Rebalance").click()
    page.get_by_role("button", name="Replicas and leaders").click()
    told.seen(page, "balanced-plan")
    told.done()

    expect(page.locator(".st-key-answer")).not_to_contain_text("Draining")


def test_before_a_restart(page: Page, dashboard: str) -> None:
    """No broker is safe; what a stop of broker 7 would do; with more replicas of four topics all are safe."""
    told = Told("before-a-restart.md")
    open_sample(page, dashboard, SAMPLE, then="Leaders")
    choose(page, "Rolling restart")
    told.seen(page, "restart-order")

    choose(page, "Broker outage")
    page.get_by_label("Brokers stopped").click()
    page.keyboard.type("kafka-7")
    page.keyboard.press("Enter")
    page.keyboard.press("Escape")
    told.seen(page, "restart-outage")

    to(page, "Plan")
    page.get_by_role("button", name="Replication factor").click()
    topics = page.get_by_label("Topics: names or patterns, one per line")
    topics.fill("audit-log\nemail-outbox\ntelemetry.raw\ndebug-scratch")
    page.get_by_role("button", name="Preview").click()
    page.locator(".st-key-answer").get_by_text("66").first.wait_for()
    to(page, "Leaders")
    choose(page, "Rolling restart")
    told.seen(page, "restart-safe")
    told.done()

    expect(page.get_by_test_id("stMain")).not_to_contain_text("No broker is safe")
