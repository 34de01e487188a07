"""The pipeline from the dashboard in a real Chromium, with real Spark: the demo week from nothing to a what-if.

One test for the whole way, since its beginning takes a minute of Spark: land, run, fleet, the past, resilience.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import settled, start_dashboard, stop, to
from tests.conftest import require
from tests.servers.ports import free_port

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser

#: Milliseconds that the whole job may take on a machine that does much else.
JOB = 420_000
#: And that a page may take to be drawn there, while the job has both cores.
PATIENCE = 60_000


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The landing zone and the tables, empty."""
    return tmp_path_factory.mktemp("history")


@pytest.fixture(scope="module")
def own_dashboard(home: Path) -> Iterator[str]:
    """A dashboard whose pipeline nobody else uses."""
    require("browser")
    port = free_port()
    where = {"RESEAT_LANDING": str(home / "landing"), "RESEAT_TABLES": str(home / "tables")}
    process = start_dashboard(port, home / "log.txt", where)
    yield f"http://127.0.0.1:{port}"
    stop(process)


@pytest.mark.slow  # two minutes of Spark
def test_a_demo_week_from_nothing_to_a_what_if(page: Page, own_dashboard: str, home: Path) -> None:
    """Generate, run, see the fleet, travel in time, open a loss as a what-if; all numbers are from Spark's tables."""
    page.set_default_timeout(PATIENCE)
    page.goto(f"{own_dashboard}/fleet")
    page.get_by_text("No history yet").wait_for()
    settled(page, "history-empty")
    page.get_by_role("button", name="Generate a demo week and run the pipeline").click()
    page.locator(".st-key-pipeline-line").get_by_text(re.compile(r"\(\d of 3\)")).wait_for()

    # A reload, as any other visitor, sees the same job; and the other pages are as quick as ever.
    page.reload()
    page.get_by_text("The pipeline is running").wait_for()
    page.get_by_text("Ingesting new snapshots").wait_for(timeout=JOB)
    settled(page, "history-at-work")
    to(page, "Overview")
    page.get_by_text("No cluster is loaded").wait_for()
    to(page, "Fleet")
    page.get_by_text("2 of 3 clusters would lose data or availability if one broker fails").wait_for(timeout=JOB)
    page.get_by_text("Done just now").wait_for(timeout=JOB)
    settled(page, "history-fleet")

    expect(page.get_by_role("button", name="Run the pipeline")).to_be_enabled()
    assert list((home / "tables" / "resilience").glob("cluster=demo-metrics/day=*/*.parquet"))

    # The worst cluster is open; a row opens another one, and History shows that very cluster.
    opened = page.locator(".st-key-fleet-opened")

    expect(opened.get_by_text("demo-metrics")).to_be_visible()

    page.locator(".st-key-fleet-table .dvn-scroller").click(position={"x": 16, "y": 80})
    opened.get_by_text("demo-payments").wait_for()
    settled(page, "history-fleet-opened")
    page.locator(".st-key-fleet-to-history").get_by_role("link").click()
    page.locator(".st-key-answer").get_by_text("2 partitions offline").wait_for()
    settled(page, "history-history")

    # Its worst moment is the one that is looked at first: all other pages show the cluster as it was then.
    page.locator(".st-key-history-to-board").get_by_role("link").click()
    past = page.locator(".st-key-strip-past")
    past.get_by_text("demo-payments").wait_for()
    page.locator(".board .tile").first.wait_for()
    settled(page, "history-past-racks")

    expect(past.get_by_text("not alive")).to_be_visible()
    expect(page.get_by_text("current state", exact=True)).to_have_count(0)

    # A loss of the latest snapshot as a what-if.
    to(page, "Resilience")
    open_one = page.locator(".st-key-answer").get_by_text("2 partitions offline already")
    open_one.wait_for()
    page.get_by_role("radio", name="From the history").click()
    open_one.wait_for(state="detached")  # the latest snapshot has none offline
    page.locator(".st-key-resilience-detail").get_by_text("lost").first.wait_for()
    settled(page, "history-resilience")
    page.locator(".st-key-resilience-open").get_by_role("link").click()
    page.wait_for_url("**/board*remove=*")
    page.locator(".board .tile").first.wait_for()
    past.get_by_text("what-if", exact=True).wait_for()
    settled(page, "history-what-if")

    expect(past.get_by_role("button", name="Back to the current state")).to_be_visible()
