"""The rack board in a real Chromium: how long a frame takes while a tile or a whole rack is dragged, and a drop."""

from __future__ import annotations

import tempfile
import time
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

#: (sample, budget of a frame while dragging, in ms).
_CASES = (("60 brokers", 50), ("300 brokers", 50), ("1,000 brokers", 100))
#: Mouse positions on the way to the tray and back; each is a frame or more.
_STEPS = 90

#: Frames count from the first move of the pressed pointer, which lifts and is the dearest; the press itself is no drag.
#: The listener is the window's and captures, so that it tells the time before the board does any work.
_WATCH = """() => {
  window.reseatFrames = [];
  window.reseatLifted = null;
  addEventListener("pointermove", () => { window.reseatLifted = performance.now(); }, { capture: true, once: true });
  const see = (now) => { window.reseatFrames.push(now); window.reseatWatch = requestAnimationFrame(see); };
  window.reseatWatch = requestAnimationFrame(see);
}"""
_TELL = """() => {
  cancelAnimationFrame(window.reseatWatch);
  return { frames: window.reseatFrames, lifted: window.reseatLifted };
}"""


def run() -> list[tuple[str, str, str]]:
    """Drag over boards of 60, 300 and 1,000 brokers; (what, budget, measured)."""
    from playwright.sync_api import sync_playwright

    from tests.browser.conftest import FLAGS, start_dashboard, stop
    from tests.conftest import chromium
    from tests.servers.ports import free_port

    if chromium() is None:
        return [("frames while dragging", "50 ms", "not measured: no Chromium was found")]
    port = free_port()
    with tempfile.TemporaryDirectory() as folder:
        process = start_dashboard(port, Path(folder) / "log.txt")
        try:
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path=chromium(), args=list(FLAGS))
                rows = [row for case in _CASES for row in _measured(browser, f"http://127.0.0.1:{port}", *case)]
                browser.close()
        finally:
            stop(process)
    return rows


def _measured(browser: Browser, dashboard: str, sample: str, budget: int) -> list[tuple[str, str, str]]:
    from tests.browser.conftest import SCREEN, open_sample

    context = browser.new_context(viewport=SCREEN)
    page = context.new_page()
    page.set_default_timeout(120_000)
    open_sample(page, dashboard, sample, then="Board")
    tile, rack = page.locator(".rack-list .tile").nth(7), page.locator(".rack-head").first
    tile.wait_for()
    rows = [
        (f"{sample}: frames, a tile dragged", f"{budget} ms", _frames(page, tile)),
        (f"{sample}: frames, a rack dragged", f"{budget} ms", _frames(page, rack)),
        (f"{sample}: drop until the plan is read", "-", _drop(page, tile)),
    ]
    context.close()
    return rows


def _frames(page: Page, lifted: Locator) -> str:
    """Drag to the tray and back over all racks, and tell the frames from the lift on; then put back."""
    x, y, to_x, to_y = *_middle(lifted), *_middle(page.locator(".tray"))
    page.mouse.move(x, y)
    page.evaluate(_WATCH)
    page.mouse.down()
    page.mouse.move(to_x, to_y, steps=_STEPS)
    page.mouse.move(x, y, steps=_STEPS)
    told = page.evaluate(_TELL)
    if not page.locator(".proxy").is_visible():
        raise RuntimeError(f"{lifted} was not in the air to the end: these are not the frames of a drag.")
    page.keyboard.press("Escape")
    page.mouse.up()
    took = sorted(after - before for before, after in pairwise(told["frames"]) if after > told["lifted"])
    worst, usual = took[-1], median(took)
    slow = took[int(0.99 * len(took))]
    return f"{usual:.0f} ms median, {slow:.0f} ms 99th, {worst:.0f} ms worst of {len(took)}"


def _drop(page: Page, tile: Locator) -> str:
    x, y = _middle(tile)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(*_middle(page.locator(".tray")), steps=5)
    started = time.perf_counter()
    page.mouse.up()
    page.locator(".st-key-answer").filter(has_text="Draining broker").wait_for()
    said = time.perf_counter() - started
    page.locator(".tile.receives").first.wait_for(state="attached")
    return f"{said:.2f} s, {time.perf_counter() - started:.2f} s until the bars have grown"


def _middle(found: Locator) -> tuple[float, float]:
    box = found.bounding_box()
    if box is None:
        raise RuntimeError(f"{found} is not on the screen.")
    return box["x"] + box["width"] / 2, box["y"] + min(box["height"] / 2, 300)
