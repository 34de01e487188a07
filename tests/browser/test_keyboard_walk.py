"""From a pasted text to a plan file with the keyboard alone: no step needs a mouse, and none is far away."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import open_sample, settled

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser

SAMPLE = "Nine brokers"
#: Presses of Tab from one step to the next; further away is not reachable for a person in a hurry.
FAR = 60
#: What a screen reader would call the focused element, also inside a component.
FOCUSED = """() => {
  let at = document.activeElement;
  while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
  if (!at || at === document.body) return "";
  const labels = [...(at.labels ?? [])].map((label) => label.innerText);
  return (at.getAttribute("aria-label") || labels.join(" ") || at.innerText || "").trim().replace(/\\s+/g, " ");
}"""


def reach(page: Page, name: str) -> None:
    """Press Tab until what has the focus has this name, a regular expression; say what was met where it is too far."""
    met: list[str] = []
    for _ in range(FAR):
        page.keyboard.press("Tab")
        met.append(page.evaluate(FOCUSED))
        if re.search(name, met[-1]):
            return
    pytest.fail(f"{FAR} presses of Tab do not reach {name!r}; met: {met}")


def text() -> str:
    """Six brokers without racks, 12 partitions of three replicas; each broker holds 6."""
    lines = ["Topic: orders\tPartitionCount: 12\tReplicationFactor: 3\tConfigs: "]
    for partition in range(12):
        ids = ",".join(str((partition + step) % 6 + 1) for step in range(3))
        lines.append(f"\tTopic: orders\tPartition: {partition}\tLeader: {ids[0]}\tReplicas: {ids}\tIsr: {ids}")
    return "\n".join(lines)


def test_from_a_pasted_text_to_the_plan_file_by_keyboard_alone(page: Page, dashboard: str, tmp_path: Path) -> None:
    """Paste, read, go to the Board, drain broker 2, go to Plan, save plan.json: broker 2 is in none of its lists."""
    page.goto(dashboard)
    page.get_by_role("heading", name="Paste what a tool printed").wait_for()
    settled(page, "keyboard-first-page")

    reach(page, "^Paste what a tool printed")
    page.keyboard.insert_text(text())
    reach(page, r"Read$")
    page.keyboard.press("Enter")
    expect(page.locator(".st-key-strip")).to_contain_text("12 partitions")
    settled(page, "keyboard-overview")

    reach(page, r"\bBoard$")
    page.keyboard.press("Enter")
    page.locator(".rack-list .tile[data-id='1']").wait_for()
    settled(page, "keyboard-board")

    reach(page, "^Broker 1, ")
    page.keyboard.press("ArrowRight")
    expect(page.locator(".tile:focus")).to_have_attribute("data-id", "2")
    page.keyboard.press("Delete")
    answer = page.locator(".st-key-answer")
    expect(answer).to_contain_text("Draining broker 2: 6 replicas move")
    expect(page.locator(".tile:focus")).to_have_attribute("data-id", "2")

    reach(page, r"^\W*(swap_horiz)?\s*See the 6 moves and download the files$")
    page.keyboard.press("Enter")
    page.wait_for_url("**/plan?**")
    page.locator(".st-key-downloads").wait_for()
    settled(page, "keyboard-plan")

    reach(page, r"plan\.json")
    with page.expect_download() as saved:
        page.keyboard.press("Enter")
    plan = json.loads(Path(saved.value.path()).read_text(encoding="utf-8"))
    lists = [entry["replicas"] for entry in plan["partitions"]]

    assert saved.value.suggested_filename == "plan.json"
    assert len(lists) >= 6
    assert all(2 not in replicas and len(set(replicas)) == 3 for replicas in lists)


def test_what_has_the_focus_is_seen(page: Page, dashboard: str) -> None:
    """A link lay on a ground that is hardly another, the open page's on the very same; a table's buttons on none."""
    open_sample(page, dashboard, SAMPLE, then="Overview")
    settled(page, "focus-of-links")
    for name in ("Overview", "Heatmap"):
        reach(page, rf"\b{name}$")

        assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"

    page.get_by_role("button", name="Download as CSV").first.focus()
    page.keyboard.press("Tab")
    bar = "document.activeElement.closest('[data-testid=stElementToolbar]')"
    page.wait_for_function(f"getComputedStyle({bar}).opacity === '1'")


def test_a_popover_is_entered_and_left_where_it_stands(page: Page, dashboard: str) -> None:
    """Its fields came behind all of the page; Tab led to what lies below it, with the popover open over that."""
    open_sample(page, dashboard, SAMPLE, then="Plan")
    opener = page.get_by_role("button", name="Remove brokers")
    opener.focus()
    page.keyboard.press("Enter")
    inside = page.get_by_test_id("stPopoverBody")
    inside.get_by_role("combobox", name="Brokers to drain").wait_for()
    page.keyboard.press("Tab")

    expect(inside.get_by_role("combobox", name="Brokers to drain")).to_be_focused()

    page.keyboard.press("Shift+Tab")

    expect(opener).to_be_focused()

    inside.get_by_role("button", name="Preview").focus()
    page.keyboard.press("Tab")

    expect(page.get_by_role("button", name="Add brokers")).to_be_focused()

    opener.focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    inside.wait_for(state="detached")

    expect(opener).to_be_focused()
