"""Every page in every state that a person can meet, each with its picture kept for a person to look at.

What a page says in a state, and that it is drawn, is proven without a browser in ``tests/pages``; so the ordinary run
sees the states that differ in the browser, and the long run all.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import also, at_address, open_files, open_sample, settled, start_dashboard, stop, to
from tests.browser.cut import cut_off
from tests.conftest import require
from tests.servers.ports import free_port

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser

#: Each page and something that only it has, once it is drawn.
PAGES = {
    "Overview": "h2:has-text('Export')",
    "Heatmap": ".heat[data-drawn]",
    "Board": ".board .tile",
    "Plan": "text=/Validate/",
    "Execute": "text=needs a live cluster",
    "Leaders": "text=ZooKeeper controller",
    "Fingerprints": ".st-key-fingerprint-table, .st-key-fingerprint-ask",
    "New topic": "[class*='st-key-topic-name']",  # once an address was gone to by hand, a field of that has another key
    "Migrate": "text=Open another layout",
    "Resilience": ".pairs[data-drawn], .st-key-resilience-agree",
}


#: What the first page offers.
DOORS = ("Paste what a tool printed", "Read a live cluster", "Open a sample")


def address(name: str) -> str:
    """A page's own part of the address."""
    return name.lower().replace(" ", "_")


def through_all(page: Page, state: str, *, what_if: bool = False) -> None:
    """Visit every page in the state that the session is in; no what-if leads to Migrate: it is about what is there."""
    for name, drawn in PAGES.items():
        if what_if and name == "Migrate":
            continue
        to(page, name)
        page.locator(drawn).first.wait_for()
        settled(page, f"state-{state}-{address(name)}")


def test_empty_pages_say_what_to_do_first(page: Page, dashboard: str) -> None:
    """Each page by its own address, before anything is read: how to begin, a sample one click away, no strip."""
    for name in [name for name in PAGES if name != "Resilience"]:
        at_address(page, f"{dashboard}/{address(name)}", name)
        page.get_by_text("No cluster is loaded, so").wait_for()
        settled(page, f"state-empty-{address(name)}")

        expect(page.get_by_role("heading", level=2)).to_have_text([*DOORS])
        expect(page.locator(".st-key-door-sample").get_by_role("button", name="Nine brokers")).to_be_visible()
        expect(page.locator(".st-key-strip")).to_have_count(0)


def test_empty_pages_over_tables_offer_a_demo_week(page: Page, dashboard: str) -> None:
    """Fleet and History say how the first snapshot lands; Resilience needs none, a layout is enough."""
    for name, title in (("fleet", "Clusters"), ("history", "History"), ("resilience", "Resilience")):
        at_address(page, f"{dashboard}/{name}", title)
        if name == "resilience":
            page.get_by_role("button", name="Nine brokers").wait_for()
            settled(page, "state-empty-resilience-layout")
            page.get_by_role("tab", name="Saved snapshots").click()
        page.get_by_role("button", name="Generate a demo week and run the pipeline").wait_for()
        settled(page, f"state-empty-{name}")

        expect(page.get_by_text("python -m reseat land").first).to_be_visible()
        expect(page.locator(".st-key-fleet-table, .st-key-history-figure, .pairs")).to_have_count(0)


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_normal_pages(new_page: Callable[..., Page], dashboard: str, scheme: str) -> None:
    """The captured cluster with sizes, racks and hosts, in light and dark."""
    page = new_page(color_scheme=scheme)
    open_sample(page, dashboard, "Nine brokers")
    through_all(page, f"normal-{scheme}")


@pytest.mark.slow
def test_a_broker_down(page: Page, dashboard: str) -> None:
    """The captured cluster with a broker down: what has no leader is the first thing that the Overview says."""
    open_sample(page, dashboard, "A broker is down")
    through_all(page, "broken")
    to(page, "Overview")
    page.locator(".st-key-answer").get_by_text("3 partitions have no leader").wait_for()

    expect(page.get_by_text("No critical issues")).to_have_count(0)


def test_text_that_is_no_layout_is_refused_with_what_it_is(page: Page, dashboard: str) -> None:
    """A topics-to-move file is recognised and refused with a sentence; nothing is opened."""
    page.goto(dashboard)
    page.get_by_label("Paste what a tool printed").fill('{"topics": [{"topic": "orders"}], "version": 1}')
    page.locator(".st-key-door-paste").get_by_role("button", name="Read").click()
    page.locator(".st-key-refused").wait_for()
    settled(page, "state-refused-text")

    expect(page.get_by_text("topics-to-move").first).to_be_visible()
    expect(page.locator(".st-key-strip")).to_have_count(0)


def test_lines_that_were_not_understood_are_shown(page: Page, dashboard: str) -> None:
    """The strip counts what was skipped; *Data quality* has its line number and text; names from outside stay text."""
    text = (
        "Topic: <img src=x onerror=alert(1)>\tPartitionCount: 1\tReplicationFactor: 1\tConfigs: \n"
        "\tTopic: orders\tPartition: 0\tLeader: 1\tReplicas: 1,2\tIsr: 1,2\n"
        "\tTopic: orders\tPartition: zero\tLeader: 1\tReplicas: 1,2\tIsr: 1,2\n"
    )
    open_files(page, dashboard, {"damaged.txt": text})
    settled(page, "state-partial-overview")

    expect(page.locator(".st-key-recognised")).to_contain_text(
        "kafka-topics --describe: 2 brokers, 1 partition, no racks"
    )
    page.locator(".st-key-quality").get_by_role("button", name="1 line skipped").click()

    expect(page.get_by_text("1 line skipped:")).to_be_visible()
    expect(page.locator("img[src='x']")).to_have_count(0)


@pytest.mark.slow
def test_the_largest_sample_on_every_page(page: Page, dashboard: str) -> None:
    """1,000 brokers and 1,000,000 partitions, as they are: every page is drawn."""
    page.set_default_timeout(120_000)
    open_sample(page, dashboard, "1,000 brokers")
    through_all(page, "huge")


def test_the_largest_sample_with_a_broker_out(page: Page, dashboard: str) -> None:
    """1,000 brokers and 1,000,000 partitions, a broker drained: every page is drawn with what is and what will be."""
    page.set_default_timeout(120_000)
    open_sample(page, dashboard, "1,000 brokers", then="Board")
    page.wait_for_url("**/board?*layout=*")
    settled(page, "state-huge-racks")
    also(page, "&remove=7")
    page.locator(".st-key-answer").get_by_text("Draining broker 7").wait_for()
    settled(page, "state-huge-racks-what-if")
    through_all(page, "huge-what-if", what_if=True)


@pytest.mark.slow
def test_replication_in_its_states(page: Page, dashboard: str) -> None:
    """A link that is not understood, a line that is none, an event that cannot happen, a story of five replicas."""
    states = {
        "damaged-link": ("scenario=nothing", "The link was not understood: there is no scenario 'nothing'."),
        "no-event": ("story=produce m1%0Aexplode 1", "Line 2: The event 'explode 1' was not understood."),
        "cannot-happen": ("story=produce m1%0Acatch 2&step=1", "Line 2, catch 2, cannot happen: No response is on its"),
        "five": ("brokers=1,2,3,4,5&story=produce m1%0Acrash 5 lose%0Afetch 2%0Afetch 3%0Afetch 4&step=5", "down"),
    }
    for name, (query, words) in states.items():
        page.goto(f"{dashboard}/replication?{query}")
        page.locator(".player[data-drawn]").wait_for()
        page.get_by_text(words).first.wait_for()
        settled(page, f"state-replication-{name}")

        expect(page.locator(".st-key-strip")).to_have_count(0)


@pytest.mark.slow
def test_consumers_in_their_states(page: Page, dashboard: str) -> None:
    """A link that is cut, a story without a rebalance, by two rebalances, and by strategies side by side."""
    states = {
        "damaged-link": ("group=own&told=cut", "The link's group was not understood"),
        "no-rebalance": ("group=static&assignor=cooperative-sticky&at=1", "C1 restarts: no rebalance."),
        "between": ("group=cooperative&assignor=cooperative-sticky&at=1", "Step 2 of 2, rebalance 1 of 2"),
        "surplus": ("group=surplus&assignor=range&at=0", "16 partitions are newly assigned"),
    }
    for name, (query, words) in states.items():
        page.goto(f"{dashboard}/consumers?{query}")
        page.locator(".js-plotly-plot .main-svg").first.wait_for()
        page.get_by_text(words).first.wait_for()
        settled(page, f"state-consumers-{name}")

        expect(page.locator(".st-key-strip")).to_have_count(0)


def test_a_new_server_opened_by_a_pages_own_address(new_page: Callable[..., Page], tmp_path: Path) -> None:
    """The very first visit of a server goes to a page: title, names and settings are those of the app all the same."""
    require("browser")
    port = free_port()
    process = start_dashboard(port, tmp_path / "log")
    try:
        page = new_page()
        page.goto(f"http://127.0.0.1:{port}/leaders")
        page.get_by_text("No cluster is loaded, so").wait_for()

        expect(page.get_by_role("link", name="Overview", exact=True)).to_be_visible()
        expect(page.get_by_role("link", name="app", exact=True)).to_have_count(0)
    finally:
        stop(process)


def test_a_4k_screen_is_filled_and_shows_whole_rows(new_page: Callable[..., Page], dashboard: str) -> None:
    """Tiles are as wide as their rack; a table of few rows has nothing to scroll, though its head is higher there."""
    page = new_page(viewport={"width": 3840, "height": 2160})
    open_sample(page, dashboard, "Nine brokers", then="Board")
    page.wait_for_url("**/board?*layout=*")
    also(page, "&remove=7")
    page.locator(".rack-list .badge:not(:empty)").first.wait_for()
    table = page.locator(".st-key-racks-and-findings .dvn-scroller")
    expect(table).to_be_visible()
    settled(page, "state-4k-board")
    widths = "shown => shown.map((one) => one.querySelector('.tile').clientWidth / one.clientWidth)"

    assert min(page.locator(".rack-list").evaluate_all(widths)) > 0.97
    assert table.evaluate("one => one.scrollHeight - one.clientHeight") <= 1


def test_figures_stand_in_one_line_also_where_a_name_takes_two(new_page: Callable[..., Page], dashboard: str) -> None:
    """Six beside each other with their numbers at one height; in a narrow window three, with nothing cut."""
    page = new_page()
    open_sample(page, dashboard, "Nine brokers", then="Board")
    page.wait_for_url("**/board?*layout=*")
    also(page, "&remove=7")
    page.locator(".st-key-next-point").wait_for()
    settled(page, "figures-in-line")
    tops = "shown => shown.map((one) => Math.round(one.getBoundingClientRect().top))"
    names, numbers = page.get_by_test_id("stMetricLabel"), page.get_by_test_id("stMetricValue")

    assert len(set(numbers.evaluate_all(tops))) == 1
    assert len(set(names.evaluate_all("shown => shown.map((one) => one.clientHeight > 30)"))) == 2

    page.set_viewport_size({"width": 800, "height": 900})
    expect(page.get_by_test_id("stMetric").nth(3)).to_be_visible()
    settled(page, "figures-in-two-lines")

    assert len(set(numbers.evaluate_all(tops))) == 2
    assert cut_off(page) == []
