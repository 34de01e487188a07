"""The address as a browser uses it: Back undoes the last drop, reloading loses nothing, a new tab opens the same."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import at_rest, open_sample, to

if TYPE_CHECKING:
    from playwright.sync_api import Page, WebSocketRoute

pytestmark = pytest.mark.browser

SAMPLE = "Nine brokers"


def drop(page: Page, broker: int, answer: str) -> None:
    """Take a broker out on the board, and wait until the page answers and the address tells it."""
    page.locator(f".rack-list .tile[data-id='{broker}']").focus()
    page.keyboard.press("Delete")
    answers(page, answer)
    # Back in the middle of a run may be overtaken by what that run says of the address.
    page.locator("[data-testid='stApp'][data-test-script-state='notRunning']").wait_for()


def answers(page: Page, sentence: str) -> None:
    """Wait until the page's answer has this sentence."""
    expect(page.locator(".st-key-answer").filter(has_text=sentence)).to_be_visible()


def out(page: Page, *brokers: int) -> None:
    """These brokers stand in the tray, in the chips and in the address, and no other does."""
    expect(page.locator(".tray-list .tile")).to_have_count(len(brokers))
    for broker in (5, 6):
        expect(page.get_by_role("button", name=f"broker {broker} removed")).to_have_count(int(broker in brokers))


def test_back_undoes_the_last_drop(page: Page, dashboard: str) -> None:
    """Two brokers dropped: Back, one is out; Back, none; Forward and a reload bring one again, and it can go on."""
    open_sample(page, dashboard, SAMPLE, then="Board")
    drop(page, 5, "Draining broker 5")
    drop(page, 6, "Draining brokers 5 and 6")
    page.wait_for_url("**remove=5%2C6**")

    page.go_back()
    answers(page, "Draining broker 5")
    out(page, 5)
    page.wait_for_url(lambda url: "remove=5" in url and "%2C6" not in url)

    page.go_back()
    answers(page, "9 brokers in 3 racks hold 939 replicas.")
    out(page)
    page.wait_for_url(lambda url: "layout=" in url and "remove" not in url)

    page.go_forward()
    answers(page, "Draining broker 5")
    out(page, 5)

    page.reload()
    answers(page, "Draining broker 5")
    out(page, 5)

    drop(page, 6, "Draining brokers 5 and 6")
    page.go_back()
    answers(page, "Draining broker 5")
    out(page, 5)


def test_back_undoes_a_choice_and_a_zoom(page: Page, dashboard: str) -> None:
    """On Heatmap: another measure, then a search; Back takes each out again; a reload loses none."""
    open_sample(page, dashboard, SAMPLE, then="Heatmap")
    page.locator(".heat[data-drawn]").wait_for()
    # The first of its name: while the page is drawn anew after Back, the old field stands below the new one.
    measure, search = page.get_by_label("Measure", exact=False).first, page.get_by_label("Filter topics").first
    measure.click()
    page.get_by_role("option", name="Bytes").click()
    page.wait_for_url("**heat_measure=bytes**")
    search.fill("order")
    search.press("Enter")
    page.wait_for_url("**heat_search=order**")
    page.reload()
    page.locator(".heat[data-drawn]").wait_for()

    expect(search).to_have_value("order")

    page.go_back()

    expect(search).to_have_value("")
    expect(page).to_have_url(re.compile("heat_measure=bytes"))

    page.go_back()

    expect(page).not_to_have_url(re.compile("heat_measure"))
    expect(page.locator(".st-key-answer")).to_contain_text("replicas")


def test_a_link_opens_the_same_in_a_new_tab(page: Page, dashboard: str) -> None:
    """Of the navigation, of a page and of the first page: what is open, and its what-if; a plain click stays here."""
    open_sample(page, dashboard, SAMPLE, then="Board")
    drop(page, 5, "Draining broker 5")
    pages = page.get_by_role("navigation", name="Pages")
    expect(pages.locator("[aria-current=page]")).to_have_text(re.compile("Board$"))

    second = page.context.new_page()
    for link in (
        pages.get_by_role("link", name="Plan", exact=True),
        page.get_by_role("link", name=re.compile("^See the .* moves?")),
        pages.get_by_role("link", name="Overview", exact=True),
    ):
        expect(link).to_have_attribute("href", re.compile("remove=5"))
        second.goto(str(link.evaluate("link => link.href")))
        second.locator(".st-key-strip-what-if .st-key-chip-out-5").wait_for()
    expect(second).to_have_title(re.compile("^Overview"))
    expect(second.get_by_role("link", name="Overview", exact=True)).to_have_attribute("aria-current", "page")

    with page.context.expect_page() as apart:
        pages.get_by_role("link", name="Heatmap", exact=True).click(modifiers=["Control"])
    apart.value.locator(".st-key-strip-what-if .st-key-chip-out-5").wait_for()
    expect(apart.value).to_have_title(re.compile("^Heatmap"))
    expect(page).to_have_title(re.compile("^Board"))

    page.evaluate("window.stays = true")
    pages.get_by_role("link", name="Plan", exact=True).click()
    expect(page).to_have_title(re.compile("^Plan"))
    expect(page.locator(".st-key-strip-what-if .st-key-chip-out-5")).to_be_visible()

    assert page.evaluate("window.stays") is True


def test_the_tab_names_the_page_and_the_layout_and_a_choice_of_the_report_is_a_step_back(
    page: Page, dashboard: str
) -> None:
    """Of ten tabs each says what it shows, and a page that was left does not keep its name; then the report's reader.

    For operators, and back for management.
    """
    page.goto(dashboard)
    expect(page).to_have_title("Overview · Reseat")

    open_sample(page, dashboard, SAMPLE, then="Board")
    expect(page).to_have_title(re.compile(r"^Board · Nine brokers.* · Reseat$"))

    page.get_by_role("link", name="Overview", exact=True).click()
    expect(page).to_have_title(re.compile(r"^Overview · Nine brokers.* · Reseat$"))
    page.get_by_role("button", name="Copy link").click()
    expect(page.locator("code").filter(has_text="?layout=")).to_be_visible()

    page.keyboard.press("Escape")
    to(page, "Report")
    page.get_by_role("radio", name="Operators").click()
    page.wait_for_url("**audience=operators**")
    page.go_back()
    page.wait_for_url(lambda url: "audience=" not in url)
    # The first: while the page is drawn anew, the old one stands below the new one.
    expect(page.get_by_role("radio", name="Management").first).to_be_checked()


def test_what_is_chosen_on_a_page_is_one_step_back_and_stands_in_links_to_it(page: Page, dashboard: str) -> None:
    """Over Plan, Leaders and Resilience: each choice an entry, none lost on the way; a loss opens as a link."""
    open_sample(page, dashboard, SAMPLE, then="Board")
    drop(page, 5, "Draining broker 5")
    to(page, "Plan")
    page.get_by_role("radio", name="Proof").click()
    page.wait_for_url("**detail=proof**")
    expect(page).to_have_title(re.compile(r"^Plan: Proof · Nine brokers"))

    to(page, "Leaders")
    page.get_by_role("radio", name="Rolling restart").click()
    page.wait_for_url("**when=restart**")
    answers(page, "safe to restart")
    expect(page.get_by_role("link", name="Plan", exact=True)).to_have_attribute("href", re.compile("detail=proof"))

    page.go_back()
    page.wait_for_url(lambda url: "/leaders" in url and "when=" not in url)
    when = page.get_by_role("radiogroup", name="When")
    # The first: while a page is drawn anew, what stood there before is still in it, below.
    expect(when.first.get_by_role("radio", name="After the plan")).to_be_checked()
    page.go_back()
    page.wait_for_url("**/plan**detail=proof**")
    expect(page.get_by_role("radio", name="Proof").first).to_be_checked()
    page.go_back()
    page.wait_for_url(lambda url: "/plan" in url and "detail=" not in url)
    expect(page.get_by_role("radio", name="Moves", exact=True).first).to_be_checked()

    to(page, "Resilience")
    loss = page.locator(".st-key-resilience-open").get_by_role("link")
    with page.context.expect_page() as apart:
        loss.click(modifiers=["Control"])
    answers(apart.value, "Draining brokers")
    apart.value.locator(".st-key-strip-what-if .st-key-chip-out-5").wait_for()
    out = page.locator(".st-key-strip-what-if [class*='st-key-chip-out']")
    expect(out).to_have_count(1)
    loss.click()
    answers(page, "Draining brokers")
    expect(out).not_to_have_count(1)
    page.go_back()
    page.wait_for_url(lambda url: "/resilience" in url)
    expect(out).to_have_count(1)


def test_what_is_typed_to_find_a_broker_and_a_zoom_are_steps_back(page: Page, dashboard: str) -> None:
    """On Board and Heatmap what is found, on Resilience the pairs zoomed to: reloading keeps them, Back undoes them."""
    open_sample(page, dashboard, SAMPLE, then="Board")
    find = page.get_by_role("searchbox", name="Find")
    find.fill("7")
    page.wait_for_url("**find_broker=7**")
    page.reload()
    expect(find).to_have_value("7")
    expect(page.locator(".found-says")).to_contain_text("Broker 7 is in")
    find.fill("host that is not there")
    page.wait_for_url("**find_broker=host**")
    page.go_back()
    expect(find).to_have_value("7")
    page.go_back()
    expect(find).to_have_value("")
    expect(page).not_to_have_url(re.compile("find_broker"))

    to(page, "Heatmap")
    page.locator(".heat[data-drawn]").wait_for()
    find.fill("8")
    find.press("Enter")
    page.wait_for_url("**find_broker=8**")
    page.reload()
    expect(find).to_have_value("8")
    page.go_back()
    expect(find).to_have_value("")

    to(page, "Resilience")
    page.locator(".pairs[data-drawn]").wait_for()
    out = page.locator(".pairs").get_by_role("button", name="Zoom out")
    box = at_rest(page.locator(".pairs .cells"))
    page.mouse.move(box["x"] + box["width"] * 0.5, box["y"] + box["height"] * 0.5)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.8, box["y"] + box["height"] * 0.8, steps=4)
    page.mouse.up()
    page.wait_for_url("**zoom=**")
    page.reload()
    expect(out).to_be_visible()
    page.go_back()
    page.wait_for_url(lambda url: "zoom=" not in url)
    expect(out).to_be_hidden()


def test_who_leaves_while_typing_is_not_called_back(page: Page, dashboard: str) -> None:
    """A link right after a letter in Find, and a server that is slow to answer: the link leads on all the same."""
    kept: list[str | bytes] = []
    slow = False

    def through(here: WebSocketRoute) -> None:
        server = here.connect_to_server()
        here.on_message(server.send)
        server.on_message(lambda told: kept.append(told) if slow else here.send(told))
        lines.append(here)

    lines: list[WebSocketRoute] = []
    page.route_web_socket(re.compile("_stcore/stream"), through)
    open_sample(page, dashboard, SAMPLE, then="Board")
    page.locator(".rack-list .tile[data-id='5']").wait_for()
    slow = True
    page.get_by_role("searchbox", name="Find").fill("7")
    page.get_by_role("link", name="Plan", exact=True).click()
    # A timer that was set after the one of the field comes after it: what was typed would have been told by then.
    page.evaluate("() => new Promise((done) => setTimeout(done, 700))")
    slow = False
    for told in kept:
        lines[-1].send(told)

    expect(page).to_have_title(re.compile("^Plan"))
    expect(page).to_have_url(re.compile("/plan"))
