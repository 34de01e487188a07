"""A point of the curve chosen on Plan is what every page shows, in this browser and in one that got the link."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from components.resilience.words import answer
from reseat.demo import load_sample, samples
from reseat.election import after_plan, layout_after
from reseat.model import Wish
from reseat.planning import plan, whole_curve
from reseat.resilience.losses import from_layout
from tests.browser.conftest import SCHEMES, also, at_rest, open_sample, settled, to

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Page

pytestmark = pytest.mark.browser

SAMPLE = "Nine brokers"


def says(page: Page, sentence: str | re.Pattern[str]) -> None:
    """Wait until the page's answer says this."""
    page.locator(".st-key-answer").filter(has_text=sentence).wait_for()


def figure(page: Page, label: str, value: str) -> None:
    """Wait until a figure has this value."""
    page.get_by_test_id("stMetric").filter(has_text=label).filter(has_text=value).wait_for()


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_point_chosen_on_plan_is_on_every_page(new_page: Callable[..., Page], dashboard: str, scheme: str) -> None:
    """Broker 5 out with more moves than the least: Racks, Heatmap, Leaders, Resilience and the link agree with Plan."""
    layout = load_sample(next(sample for sample in samples() if sample.title.startswith(SAMPLE))).layout
    out = Wish(remove=(5,))
    point = whole_curve(layout, out).points[-1]
    made = plan(layout, out.at(point.moves))
    preview = after_plan(made)
    assert preview.leader_done is not None
    handed_over = int((preview.leader_done != preview.leader_before).sum())
    spread = f"→ {point.replica_spread}"

    page = new_page(color_scheme=scheme)
    open_sample(page, dashboard, SAMPLE, then="Board")
    page.locator(".rack-list .tile[data-id='5']").focus()
    page.keyboard.press("Delete")
    says(page, "Draining broker 5")
    to(page, "Plan")
    page.get_by_role("radio", name=f"{point.moves} moves, spread {point.replica_spread}").click()
    page.wait_for_url(f"**point={point.moves}**")
    figure(page, "Replicas move", str(point.moves))
    figure(page, "Replica spread", spread)
    settled(page, f"what-if-plan-{scheme}")

    to(page, "Board")
    page.locator(".rack-list .tile[data-id='4']").wait_for()
    figure(page, "Replicas move", str(point.moves))
    figure(page, "Replica spread", spread)
    settled(page, f"what-if-racks-{scheme}")
    held = made.proposed.replicas_by_broker[made.proposed.position(7)]

    expect(page.locator(".rack-list .tile[data-id='7']")).to_contain_text(f"{held} replicas", use_inner_text=True)
    expect(page.locator(".rack-list .tile[data-id='7']")).to_contain_text("preferred", use_inner_text=True)

    to(page, "Heatmap")
    says(page, re.compile("^After the plan "))
    said = page.locator(".st-key-answer").inner_text()
    most, fewest = re.search(r"most replicas: (\d+)", said), re.search(r"fewest: (\d+)", said)
    settled(page, f"what-if-heatmap-{scheme}")

    assert most is not None
    assert fewest is not None
    assert int(most[1]) - int(fewest[1]) == point.replica_spread

    to(page, "Leaders")
    says(page, f"{handed_over} partitions change leader while data moves")
    settled(page, f"what-if-leaders-{scheme}")
    to(page, "Resilience")
    says(page, answer(from_layout(layout_after(made), "zookeeper")))
    settled(page, f"what-if-resilience-{scheme}")

    other = new_page(color_scheme=scheme)
    other.goto(page.url)
    says(other, answer(from_layout(layout_after(made), "zookeeper")))
    to(other, "Plan")
    figure(other, "Replicas move", str(point.moves))


def test_one_switch_shows_the_present_everywhere(page: Page, dashboard: str) -> None:
    """Switched on the heatmap, Racks draws the present too, and what is dragged out there is shown at once."""
    open_sample(page, dashboard, SAMPLE, then="Board")
    page.locator(".rack-list .tile[data-id='5']").focus()
    page.keyboard.press("Delete")
    says(page, "Draining broker 5")
    to(page, "Heatmap")
    says(page, re.compile("^After the plan "))
    page.get_by_role("radio", name="current state", exact=True).click()
    says(page, re.compile("^Broker 7 has the most replicas"))
    to(page, "Board")
    says(page, "9 brokers in 3 racks hold 939 replicas.")
    settled(page, "what-if-present-racks")

    expect(page.locator(".tray-list .tile")).to_have_count(0)
    expect(page.get_by_role("button", name="broker 5 removed")).to_be_visible()
    assert "show=present" in page.url

    page.locator(".rack-list .tile[data-id='6']").focus()
    page.keyboard.press("Delete")
    says(page, "Draining brokers 5 and 6")

    expect(page.locator(".tray-list .tile")).to_have_count(2)


def test_what_to_do_opens_the_plan_that_it_promises(page: Page, dashboard: str) -> None:
    """From the Overview's sixth answer to the point of a rebalance, and from there along its curve; a link each."""
    open_sample(page, dashboard, SAMPLE)
    page.get_by_label("Replication throttle per broker (MB/s)").fill("1")
    page.keyboard.press("Enter")
    few = page.locator(".st-key-advice-6")
    few.filter(has_text="155 moves, 1.9 MB to copy, at least 2 s at 1.0 MB/s").wait_for()
    settled(page, "what-to-do")

    few.get_by_role("link", name="Preview").click()
    says(page, "Rebalancing the cluster: 155 replicas move")
    figure(page, "Replica spread", "206 → 15")
    page.wait_for_url("**point=155**")
    slider = page.get_by_role("slider", name="Moves vs. balance")
    slider.focus()
    slider.press("ArrowLeft")
    figure(page, "Replica spread", "206 → 24")
    page.wait_for_url("**point=137**")
    settled(page, "rebalance-curve")
    slider.press("End")
    figure(page, "Replica spread", "206 → 1")
    expect(page).not_to_have_url(re.compile("point="))

    view = page.get_by_role("radio", name="Moves vs. balance")
    at_rest(view)
    view.click()
    place = at_rest(page.locator(".js-plotly-plot").last.locator("path.point").first)
    page.mouse.click(place["x"] + place["width"] / 2, place["y"] + place["height"] / 2)
    figure(page, "Replica spread", "206 → 135")
    page.wait_for_url("**point=46**")
    settled(page, "rebalance-curve-clicked")


def test_a_change_file_is_opened_and_its_certificate_too(page: Page, dashboard: str, tmp_path: Path) -> None:
    """A rack is drained beside a pinned topic; the certificate that is saved opens the same change again."""
    change = tmp_path / "change.toml"
    change.write_text('remove_rack = ["az-c"]\npin = [{topic = "audit-log"}]\n')
    open_sample(page, dashboard, SAMPLE, then="Plan")

    def opened(file: Path) -> None:
        page.get_by_role("button", name="Plan options").click()
        page.locator("[data-testid='stPopoverBody'] input[type='file']").set_input_files(file)
        page.get_by_test_id("stFileChipName").filter(has_text=file.name).wait_for()
        page.get_by_test_id("stPopoverBody").get_by_role("button", name="Preview").last.click()
        says(page, "Draining brokers 7, 8 and 9")

    opened(change)
    page.get_by_text("not drained completely.").first.wait_for()
    settled(page, "change-file")
    with page.expect_download() as saved:
        page.get_by_role("button", name="Certificate (certificate.json)").click()
    certificate = tmp_path / "certificate.json"
    saved.value.save_as(certificate)
    moves = page.get_by_test_id("stMetric").filter(has_text="Replicas move").inner_text()
    page.get_by_role("button", name="Reset the what-if").click()
    says(page, "No change selected")
    opened(certificate)

    assert page.get_by_test_id("stMetric").filter(has_text="Replicas move").inner_text() == moves

    page.get_by_role("button", name="Reset the what-if").click()
    says(page, "No change selected")
    change.write_text('aims = ["spread", "racks", "moves"]\n')
    page.get_by_role("button", name="Plan options").click()
    page.locator("[data-testid='stPopoverBody'] input[type='file']").set_input_files(change)
    page.get_by_test_id("stPopoverBody").get_by_role("button", name="Preview").last.click()
    page.get_by_text("The closest is rebalance and keep_racks: spread, moves, balance, leaders.").wait_for()
    says(page, "No change selected")
    page.keyboard.press("Escape")

    change.write_text("remov = [3]\n")
    page.get_by_role("button", name="Plan options").click()
    page.locator("[data-testid='stPopoverBody'] input[type='file']").set_input_files(change)
    page.get_by_test_id("stPopoverBody").get_by_role("button", name="Preview").last.click()
    page.get_by_text("change.toml: A change file says what to change").wait_for()


@pytest.mark.parametrize("scheme", SCHEMES)
def test_leaders_and_another_replication_factor_have_a_curve_that_is_clicked(
    new_page: Callable[..., Page], dashboard: str, scheme: str
) -> None:
    """Changed leaders against their spread, moves against spread and data: a click makes the point the what-if's."""
    for name, query, point in (("leaders", "options=leaders", "2"), ("factor", "rf=3&topics=audit-log", "57")):
        page = new_page(color_scheme=scheme)
        open_sample(page, dashboard, SAMPLE, then="Plan")
        also(page, f"&{query}")
        view = page.get_by_role("radio", name="Moves vs. balance")
        at_rest(view)
        view.click()
        marks = page.locator(".js-plotly-plot").last.locator("path.point")
        place = at_rest(marks.nth(0 if name == "leaders" else 1))
        page.mouse.click(place["x"] + place["width"] / 2, place["y"] + place["height"] / 2)
        page.wait_for_url(f"**point={point}**")
        settled(page, f"curve-{name}-{scheme}")


def test_why_options_are_refused_is_seen_where_they_are_sent(page: Page, dashboard: str) -> None:
    """Below the button it was out of sight: the popover is as high as there is room, and nothing seemed to happen."""
    open_sample(page, dashboard, SAMPLE, then="Plan")
    page.set_viewport_size({"width": 1366, "height": 560})
    page.get_by_role("button", name="Plan options").click()
    page.get_by_role("textbox", name="Max data to copy").fill("lots")
    page.get_by_role("button", name="Preview").first.click()

    expect(page.get_by_text("'lots' is not a size")).to_be_in_viewport()


def test_a_commands_option_stands_in_one_line(page: Page, dashboard: str) -> None:
    """Broken after its dashes, "-- additional" was read as the end of the options."""
    open_sample(page, dashboard, SAMPLE, then="Plan")
    page.wait_for_url("**/plan?*layout=*")
    also(page, "&remove=7&detail=execute&throttle=25")
    options = page.locator(".stCode .token.parameter")
    options.get_by_text("--additional").first.wait_for()

    assert set(options.evaluate_all("all => all.map((one) => one.getClientRects().length)")) == {1}


def test_a_links_words_are_read_to_their_end(page: Page, dashboard: str) -> None:
    """Where they are longer than the screen, what the link opens was cut off: a step of brokers to add, on a phone."""
    open_sample(page, dashboard, SAMPLE, then="Plan")
    page.set_viewport_size({"width": 240, "height": 800})
    words = page.get_by_role("link", name="Migrate topics to another cluster").locator("p")
    words.wait_for()

    assert words.evaluate("one => one.scrollWidth - one.clientWidth") <= 1
