"""Replication in a real Chromium: the loss played, the same with leader epochs, branches, links; no layout is open."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import SCHEMES, settled, to

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

pytestmark = pytest.mark.browser


def opened(page: Page, dashboard: str, query: str) -> Locator:
    """The player of a story opened by its link."""
    page.goto(f"{dashboard}/replication?{query}")
    player = page.locator(".player[data-drawn]")
    player.wait_for()
    return player


def reaches(page: Page, step: int) -> None:
    """Wait until the player is at a step."""
    page.locator(f".player[data-step='{step}']").wait_for()


def strips(player: Locator, lane: int = 0) -> list[list[str]]:
    """What stands in each replica's cells, struck ones included."""
    rows = player.locator(".lane").nth(lane).locator(".row")
    return [rows.nth(i).locator(".cell:not(.cut) .value").all_text_contents() for i in range(rows.count())]


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_loss_is_played_and_then_the_same_with_epochs(
    new_page: Callable[..., Page], dashboard: str, scheme: str
) -> None:
    """m2 is struck at the election and not before; with leader epochs nothing is ever struck."""
    page = new_page(color_scheme=scheme)
    player = opened(page, dashboard, "scenario=loss&step=9")
    player.get_by_role("combobox", name="Speed").select_option("fast")

    expect(player.locator(".cell.lost, .fault")).to_have_count(0)

    player.get_by_role("button", name="Play", exact=True).click()
    player.locator(".cell.lost").get_by_text("m2").wait_for()
    reaches(page, 14)
    page.wait_for_url(re.compile("step=14"))

    assert player.locator(".fault").all_text_contents() == [
        "✖ m2 was acknowledged (acks=all) at offset 1, and broker 1, which leads, does not have it."
    ]
    assert player.locator(".producer .gone").all_text_contents() == ["✖ m2"]

    settled(page, f"replication-loss-{scheme}")
    page.get_by_role("radiogroup").get_by_text("Leader epoch", exact=True).click()
    page.locator(".st-key-answer").get_by_text("With leader epochs, no acknowledged record is lost.").wait_for()
    player.locator(".lane .name").get_by_text("With leader epochs").wait_for()
    player.get_by_role("button", name="Start of the story").click()
    reaches(page, 0)
    player.get_by_role("button", name="Play", exact=True).click()
    reaches(page, 14)

    assert strips(player) == [["m1", "m2"], ["m1", "m2"]]
    expect(player.locator(".cell.lost, .cell.wrong, .fault, .producer .gone")).to_have_count(0)

    settled(page, f"replication-loss-epoch-{scheme}")


def test_both_beside_each_other_by_keys(page: Page, dashboard: str) -> None:
    """The divergence: two lanes and the table of both; arrow keys step, Home and End jump, the table's rows too."""
    player = opened(page, dashboard, "scenario=divergence&beside=truncation")
    player.focus()
    page.keyboard.press("End")
    reaches(page, 19)

    assert strips(player) == [["m1", "m2"], ["m1", "m3"]]
    assert strips(player, 1) == [["m1", "m3"], ["m1", "m3"]]

    settled(page, "replication-divergence")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    reaches(page, 17)

    assert player.locator("tr.now td").all_text_contents() == ["17", "return 1", "2/2 ✖", "2/2 ✖", "1/1", "2/2"]

    player.locator("tr[data-step='5']").click()
    reaches(page, 5)
    page.keyboard.press("Home")
    reaches(page, 0)
    page.wait_for_url(lambda url: "step=" not in url)

    expect(player.locator(".lane.broken")).to_have_count(0)


def test_a_branch_is_taken_and_shared(new_page: Callable[..., Page], dashboard: str) -> None:
    """Broker 2 loses power instead; whoever opens the link sees the same; names stay text."""
    page = new_page()
    player = opened(page, dashboard, "scenario=flow&step=3")
    page.get_by_text("after step 3").wait_for()
    page.get_by_role("button", name="Broker 2 loses power").click()
    reaches(page, 4)
    page.wait_for_url(re.compile("crash"))
    player.get_by_text("✖ down").wait_for()
    link = page.url.replace("m1", "%3Cimg%2Fsrc%3Dx%3E")
    other = new_page()
    other.goto(link)
    reaches(other, 4)
    other.locator(".cell .value").first.wait_for()

    assert other.locator(".cell .value").first.text_content() == "<img/src=x>"
    expect(other.locator("img[src='x']")).to_have_count(0)


def test_the_picture_comes_first_and_is_folded_away(page: Page, dashboard: str) -> None:
    """Whoever opens the page meets the picture of a partition; once folded away it stays away."""
    page.goto(f"{dashboard}/replication")
    page.locator(".partition-picture svg").first.wait_for()
    page.locator(".player[data-drawn]").wait_for()
    settled(page, "replication-picture")
    page.get_by_role("button", name="Hide the picture").click()
    expect(page.locator(".partition-picture svg")).to_have_count(0)
    to(page, "Placement")
    page.get_by_role("button", name="A replica on").wait_for()
    to(page, "Replication")
    page.locator(".player[data-drawn]").wait_for()

    expect(page.locator(".partition-picture svg")).to_have_count(0)
