"""Pages: a rerun on the server, a heatmap's way to the screen, and the second start."""

from __future__ import annotations

import logging
import statistics
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

import orjson

from reseat.model import Wish

ROOT = Path(__file__).parent.parent
PAGES = ("overview", "heatmap", "racks", "plan", "leaders")


def run() -> list[tuple[str, str, str]]:
    """(what, budget, measured) of reruns, payloads and drawing."""
    return [*reruns(), *payloads(), *drawing()]


def reruns() -> list[tuple[str, str, str]]:
    """The server's time for a rerun of each page with 20,000 partitions and a broker out, everything cached."""
    from streamlit.testing.v1 import AppTest

    from components.state.opened import Opened, SessionState
    from components.state.store import KEY
    from reseat.demo.generate import generate
    from reseat.formats import Reading

    # AppTest is given its state outside of any page's run, which Streamlit warns of each time.
    logging.getLogger("streamlit.runtime.scriptrunner_utils.script_run_context").setLevel(logging.ERROR)
    reading = Reading(generate(brokers=60, partitions=20_000, racks=4, seed=7), "generated")
    rows = []
    for name in PAGES:
        app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
        opened = {"generated": Opened(reading, datetime.now(UTC), wish=Wish(remove=(7,)))}
        app.session_state[KEY] = SessionState(opened=opened, current="generated", started=True)
        app.run()
        app.switch_page(f"pages/{name}.py").run()
        times = []
        for _ in range(5):
            started = time.perf_counter()
            app.run()
            times.append(time.perf_counter() - started)
        fault = f" ({app.exception[0].message})" if app.exception else ""
        rows.append(
            (f"rerun of {name}, 20,000 partitions", "200 ms", f"{statistics.median(times) * 1000:.0f} ms{fault}")
        )
    return rows


def payloads() -> list[tuple[str, str, str]]:
    """Time and size of a heatmap's data for 1,000 brokers and 1,000,000 partitions."""
    from components.canvas.heat_grid.data import counts_data
    from reseat.balance.grid import axes_of, broker_order, column_order, grid_of
    from reseat.demo.generate import generate

    layout = generate(brokers=1000, partitions=1_000_000, racks=20, seed=7)
    rows = []
    for by_partition in (False, True):
        started = time.perf_counter()
        axes = axes_of(
            layout, broker_order(layout), column_order(layout, by_partition=by_partition), by_partition=by_partition
        )
        data = counts_data(grid_of(layout, axes), "replicas")
        took = time.perf_counter() - started
        what = "partitions" if by_partition else "topics"
        size = len(orjson.dumps(data))
        rows.append(
            (
                f"heatmap 1,000 brokers x 1,000,000 partitions by {what}",
                "under 1 MB",
                f"{size / 1e6:.2f} MB in {took:.2f} s",
            )
        )
    return rows


def drawing() -> list[tuple[str, str, str]]:
    """From the click to the drawn heatmap in a real Chromium, 1,000 brokers x 1,000,000 partitions."""
    from tests.browser.conftest import FLAGS, SCREEN, open_sample, start_dashboard, stop
    from tests.conftest import chromium
    from tests.servers.ports import free_port

    if chromium() is None:
        return [("heatmap from click to drawn", "1 s", "no Chromium on this machine")]
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        port = free_port()
        process = start_dashboard(port, Path(folder) / "log")
        try:
            page = playwright.chromium.launch(executable_path=chromium(), args=list(FLAGS)).new_page(viewport=SCREEN)
            page.set_default_timeout(120_000)
            open_sample(page, f"http://127.0.0.1:{port}", "1,000 brokers", then="Heatmap")
            times = []
            for choice in ("Partitions", "Topics", "Partitions", "Topics", "Partitions"):
                drawn = page.locator(".heat[data-drawn]")
                drawn.wait_for()
                before = drawn.get_attribute("data-drawn")
                started = time.perf_counter()
                page.get_by_role("radio", name=choice).or_(page.get_by_role("button", name=choice, exact=True)).click()
                page.locator(f".heat[data-drawn]:not([data-drawn='{before}'])").wait_for()
                times.append(time.perf_counter() - started)
            return [
                (
                    "heatmap 1,000 x 1,000,000 from click to drawn",
                    "1 s",
                    f"{statistics.median(times):.2f} s (of {len(times)})",
                )
            ]
        finally:
            stop(process)
