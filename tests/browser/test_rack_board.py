"""The rack board in a real Chromium: by mouse, by touch and by keys, what is dropped is planned, and can come back."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import SCHEMES, Profiles, anew, at_rest, open_files, open_sample, runs_of, settled

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

pytestmark = pytest.mark.browser

PRESENT = "Drag a broker to Removed to preview a drain."


def cluster(racks: dict[int, str] | None = None) -> dict[str, str]:
    """Six brokers, 12 partitions of three replicas, one in each rack; each broker holds 6 and leads 2."""
    lines = ["Topic: orders\tPartitionCount: 12\tReplicationFactor: 3\tConfigs: "]
    for partition in range(12):
        ids = ",".join(str((partition + step) % 6 + 1) for step in range(3))
        lines.append(f"\tTopic: orders\tPartition: {partition}\tLeader: {ids[0]}\tReplicas: {ids}\tIsr: {ids}")
    told = racks or {broker: "abc"[(broker - 1) % 3] for broker in range(1, 7)}
    table = "".join(f'{broker},"{rack}"\n' for broker, rack in told.items())
    return {"orders.txt": "\n".join(lines) + "\n", "racks.csv": "broker,rack\n" + table}


def tile(page: Page, broker: int) -> Locator:
    """A broker's tile in its rack."""
    return page.locator(f".rack-list .tile[data-id='{broker}']")


def in_tray(page: Page, broker: int) -> Locator:
    """A broker's tile in the tray."""
    return page.get_by_role("listbox", name="Removed brokers").get_by_role("option", name=f"Broker {broker},")


def middle(found: Locator) -> tuple[float, float]:
    """The middle of what is shown."""
    box = at_rest(found)
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def lift(page: Page, found: Locator) -> None:
    """Take hold with the mouse and begin to drag."""
    x, y = middle(found)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 12, y + 6, steps=3)


def drag(page: Page, found: Locator, onto: Locator) -> None:
    """Drag with the mouse and drop."""
    lift(page, found)
    page.mouse.move(*middle(onto), steps=8)
    page.mouse.up()


def says(page: Page, sentence: str | re.Pattern[str]) -> Locator:
    """Wait until the page's answer says this."""
    found = page.locator(".st-key-answer").filter(has_text=sentence)
    found.wait_for()
    return found


@pytest.fixture(scope="module")
def link(profiles: Profiles, dashboard: str) -> str:
    """The address of the Racks page with the cluster of six brokers, opened once from files."""
    context = profiles.lend({})
    page = profiles.page_of(context, {})
    open_files(page, dashboard, cluster(), then="Board")
    tile(page, 1).wait_for()
    page.wait_for_url("**/board?**layout=**")
    address = page.url
    profiles.take_back(context, {})
    return address


def open_link(page: Page, link: str) -> Page:
    """The Racks page behind a link, drawn."""
    anew(page, link, "Board")
    tile(page, 1).wait_for()
    return page


@pytest.fixture
def racks(same_page: Page, link: str) -> Page:
    """The Racks page with the cluster of six brokers."""
    return open_link(same_page, link)


def test_a_tile_dragged_to_the_tray_is_planned_and_dragged_back_is_not(racks: Page) -> None:
    """Broker 2, dragged out: its 6 replicas move, proven. Dragged back, the present is shown; no other broker left."""
    drag(racks, tile(racks, 2), racks.locator(".tray"))
    says(racks, "Draining broker 2: 6 replicas move, the proven minimum.")
    in_tray(racks, 2).wait_for()

    expect(racks.locator(".tray-list .tile")).to_have_count(1)
    assert "remove=2" in racks.url

    drag(racks, in_tray(racks, 2), racks.locator(".rack", has=tile(racks, 2)))
    says(racks, PRESENT)

    expect(racks.locator(".tray-list .tile")).to_have_count(0)
    assert "remove=" not in racks.url


def test_one_drop_is_one_run_of_the_page(page: Page, link: str) -> None:
    """Dropped by keys and the one after it: each is planned and drawn by one run, as is taking it back."""
    runs = runs_of(page)
    racks = open_link(page, link)
    for key, sentence in (("Delete", "Draining broker 2"), ("Backspace", "Draining brokers 2")):
        settled(racks, "one-drop")
        before = len(runs)
        tile(racks, 2 if key == "Delete" else 3).press(key)
        says(racks, sentence)
        settled(racks, "one-drop")

        assert len(runs) == before + 1, runs


def test_the_tray_says_what_a_drop_will_do_before_it_is_done(racks: Page) -> None:
    """Over the tray, the number of replicas is said and nothing is planned yet; dropped beside it, nothing changes."""
    lift(racks, tile(racks, 3))
    racks.mouse.move(*middle(racks.locator(".tray")), steps=6)
    racks.get_by_text("Broker 3 removed: 6 replicas must move.").wait_for()

    expect(racks.locator(".tray.over")).to_have_count(1)
    expect(racks.locator(".rack.valid")).to_have_count(0)
    expect(racks.get_by_text("Draining broker")).to_have_count(0)

    racks.mouse.move(*middle(racks.locator(".hint")), steps=3)
    racks.mouse.up()
    racks.get_by_text("Drag a broker here to preview a drain.").wait_for()

    expect(racks.locator(".tray-list .tile")).to_have_count(0)
    assert "remove=" not in racks.url


def test_escape_while_dragging_puts_back(racks: Page) -> None:
    """Escape ends a drag by mouse; letting the button go over the tray afterwards takes nobody out."""
    lift(racks, tile(racks, 3))
    racks.mouse.move(*middle(racks.locator(".tray")), steps=3)
    racks.keyboard.press("Escape")
    racks.mouse.up()
    racks.get_by_text("Put back.", exact=True).wait_for(state="attached")

    assert racks.locator(".proxy").is_hidden()
    expect(racks.locator(".tray-list .tile")).to_have_count(0)


def test_keys_take_out_and_put_back_without_losing_the_focus(racks: Page) -> None:
    """Delete takes the focused broker out, Escape puts it back; both times the focus stays on it, through the rerun."""
    tile(racks, 4).focus()
    racks.keyboard.press("Delete")
    says(racks, "Draining broker 4: 6 replicas move")
    focused = racks.locator(".tile:focus")

    expect(focused).to_have_attribute("data-place", "tray")
    assert (
        focused.get_attribute("aria-label")
        == "Broker 4, rack a, 6 replicas, 2 preferred leaders, state unknown, removed"
    )

    racks.keyboard.press("Escape")
    says(racks, PRESENT)

    expect(racks.locator(".tile:focus")).to_have_attribute("data-id", "4")
    expect(racks.locator(".tray-list .tile")).to_have_count(0)


def test_arrows_walk_and_space_lifts_and_enter_drops(racks: Page) -> None:
    """From broker 1 the arrow leads to rack b; Space lifts, the live region says what a drop does, Enter drops."""
    tile(racks, 1).focus()
    racks.keyboard.press("ArrowRight")

    expect(racks.locator(".tile:focus")).to_have_attribute("data-id", "2")

    racks.keyboard.press("Space")
    racks.get_by_role("status").filter(has_text="Over Removed: Broker 2 removed: 6 replicas must move.").wait_for()

    expect(racks.get_by_text("Draining broker")).to_have_count(0)

    racks.keyboard.press("Enter")
    says(racks, "Draining broker 2: 6 replicas move")

    expect(racks.locator(".tile:focus")).to_have_attribute("data-place", "tray")

    racks.keyboard.press("Escape")
    says(racks, PRESENT)


def test_a_finger_drags_too(new_page: Callable[..., Page], link: str) -> None:
    """A touch on a tile drags it to the tray; the page does not scroll away under the finger."""
    page = new_page()
    touch = page.context.new_cdp_session(page)
    touch.send("Emulation.setTouchEmulationEnabled", {"enabled": True})
    open_link(page, link)
    x, y = middle(tile(page, 5))
    to_x, to_y = middle(page.locator(".tray"))
    touch.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]})
    for step in range(1, 9):
        at = {"x": x + (to_x - x) * step / 8, "y": y + (to_y - y) * step / 8}
        touch.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [at]})
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    says(page, "Draining broker 5: 6 replicas move")

    assert page.locator(".stMain").evaluate("node => node.scrollTop") == 0
    expect(page.locator(".tray-list .tile")).to_have_count(1)


def test_a_whole_rack_is_dragged_by_its_name(racks: Page) -> None:
    """Rack b is emptied: all 12 replicas of its brokers move, and that racks are lost is said; rack a stays whole."""
    drag(racks, racks.get_by_role("button", name="Whole rack b"), racks.locator(".tray"))
    says(racks, "Draining brokers 2 and 5: 12 replicas move")

    expect(racks.locator(".tray-list .tile")).to_have_count(2)
    expect(racks.locator(".ghost")).to_have_count(2)
    expect(racks.get_by_role("button", name=re.compile("Whole rack a.* removed"))).to_have_count(0)


def test_several_selected_tiles_are_dragged_together(racks: Page) -> None:
    """With Control, brokers 1 and 2 are selected and dragged as one; broker 3, not selected, stays."""
    tile(racks, 1).click()
    tile(racks, 2).click(modifiers=["Control"])
    drag(racks, tile(racks, 2), racks.locator(".tray"))
    says(racks, "Draining brokers 1 and 2: 12 replicas move")

    expect(in_tray(racks, 3)).to_have_count(0)


def test_what_cannot_be_is_refused_with_reason_and_choices(racks: Page) -> None:
    """Four of six brokers out leaves two for three replicas: refused, with the topic and buttons; no plan is shown."""
    for broker in (1, 2, 3):
        tile(racks, broker).click(modifiers=["Control"])
    lift(racks, tile(racks, 3))
    racks.mouse.move(*middle(racks.locator(".tray")), steps=6)
    racks.mouse.up()
    says(racks, "Draining brokers 1, 2 and 3")
    tile(racks, 4).focus()
    racks.keyboard.press("Delete")
    says(racks, "Not possible: draining brokers 1, 2, 3 and 4.")
    refused = racks.locator(".st-key-refused")
    racks.get_by_role("link", name=re.compile("^See the")).wait_for(state="detached")

    head = racks.locator(".st-key-racks-head")
    expect(head).to_contain_text("Replication factor 3", use_inner_text=True)
    expect(head).to_contain_text("topic orders", use_inner_text=True)
    expect(refused).not_to_contain_text("Replication factor 3", use_inner_text=True)
    expect(refused).to_contain_text("Leave this topic out", use_inner_text=True)
    expect(racks.locator(".badge:not(:empty)")).to_have_count(0)

    racks.get_by_role("button", name="Reset").first.click()
    says(racks, PRESENT)


def test_a_link_reopens_the_what_if(racks: Page, new_page: Callable[..., Page]) -> None:
    """Another person opens the address after a drop: the same layout, the same broker out, and nothing asked for."""
    drag(racks, tile(racks, 6), racks.locator(".tray"))
    says(racks, "Draining broker 6")
    racks.wait_for_url("**remove=6**")
    other = new_page()
    other.goto(racks.url)
    says(other, "Draining broker 6: 6 replicas move")
    in_tray(other, 6).wait_for()

    expect(other.get_by_text("which this server does not have")).to_have_count(0)


def test_a_new_broker_is_dropped_into_a_rack(racks: Page) -> None:
    """The next free id is offered; dropped into rack c the broker joins there, and nobody is out."""
    racks.get_by_role("button", name="Add broker").click()
    drag(racks, racks.locator(".dock .tile"), racks.locator(".rack", has=tile(racks, 3)))
    says(racks, "Adding broker 7")
    tile(racks, 7).wait_for()

    expect(racks.locator(".rack", has=tile(racks, 7)).get_by_role("listbox")).to_have_attribute("aria-label", "rack c")
    expect(racks.locator(".tray-list .tile")).to_have_count(0)


def log_dirs() -> str:
    """What brokers 1 and 2 of the cluster tell of two disks each; one of broker 2 is offline."""

    def disk(broker: int, path: str, error: str | None, partitions: list[int]) -> dict[str, object]:
        held = [
            {"partition": f"orders-{one}", "size": 40_000_000, "offsetLag": 0, "isFuture": False} for one in partitions
        ]
        return {"logDir": path.format(broker), "error": error, "partitions": held}

    told = [
        {"broker": 1, "logDirs": [disk(1, "/disk-a", None, [0, 4, 5, 6]), disk(1, "/<b>disk-b", None, [10, 11])]},
        {"broker": 2, "logDirs": [disk(2, "/disk-a", None, [0, 1]), disk(2, "/disk-b", "KafkaStorageException", [])]},
    ]
    return f"Received log directory information from brokers 1,2\n{json.dumps({'version': 1, 'brokers': told})}\n"


def test_a_tile_opens_into_its_log_directories_and_names_from_outside_are_text(page: Page, dashboard: str) -> None:
    """By a click and by Enter, several at once; a broker of one disk has nothing to open, and a second click closes.

    Racks named like HTML are shown as they are written, and make no element of their own.
    """
    hostile = "<img src=x onerror=alert(1)>"
    told = {broker: hostile if broker % 2 else "plain" for broker in range(1, 7)}
    open_files(page, dashboard, {**cluster(told), "log-dirs.txt": log_dirs()}, then="Board")
    tile(page, 1).wait_for()

    expect(page.locator(".rack-name", has_text=hostile)).to_have_count(1)
    expect(page.locator(".board img")).to_have_count(0)

    tile(page, 1).click()
    disks = page.get_by_role("group", name="Log directories of the selected brokers")
    first = disks.locator(".disk-broker").filter(has_text="Broker 1: 2 log directories")
    expect(first.locator(".disk")).to_have_text(["/<b>disk-b2 replicas, 80.0 MB", "/disk-a4 replicas, 160 MB"])
    page.keyboard.press("Enter")
    expect(disks).to_be_hidden()
    tile(page, 1).click()
    tile(page, 2).click(modifiers=["Control"])

    expect(disks.locator(".disk-broker")).to_have_count(2)
    expect(disks).to_contain_text("/disk-boffline")
    tile(page, 3).click()
    expect(tile(page, 3)).to_have_attribute("aria-selected", "true")
    expect(disks).to_be_hidden()
    expect(page.locator(".tray-list .tile")).to_have_count(0)
    expect(page.locator(".board img")).to_have_count(0)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_three_hundred_brokers_fit_the_screen(new_page: Callable[..., Page], dashboard: str, scheme: str) -> None:
    """All 300 tiles and the tray are within 768 pixels, light and dark; none is left out."""
    page = new_page(color_scheme=scheme)
    open_sample(page, dashboard, "300 brokers", then="Board")
    tile(page, 300).wait_for()
    box = page.locator(".stage").bounding_box()

    assert box is not None
    assert box["y"] + box["height"] <= 768
    expect(page.locator(".rack-list .tile")).to_have_count(300)
