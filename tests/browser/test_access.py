"""Every page can be used by everybody: axe-core finds nothing of ours, in the states that a page can be in.

In the ordinary run all pages are gone through once, in light with a what-if, which shows most at a time; of the other
states those pages that differ there, and enlarged those that show each broker. The long run goes through all pages in
all states, in light and dark.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from components.shell import navigation
from components.shell.navigation import Place
from tests.browser.axe import violations
from tests.browser.conftest import at_address, open_sample
from tests.browser.cut import cut_off

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser

PAGES = tuple(sorted(file.stem for file in Path("pages").glob("*.py") if file.stem != "__init__"))
#: The address and the title of a page, by its file; the fleet stands at the address of before.
ADDRESSES = {
    Path(one.file).stem: (one.address, one.title) for one in vars(navigation).values() if isinstance(one, Place)
}
ADDRESSES["fleet"] = ("fleet", navigation.CLUSTERS.title)
#: What pages draw after Streamlit is done with them.
DRAWN = {
    "heatmap": ".heat[data-drawn]",
    "racks": ".board .tile",
    "replication": ".player[data-drawn]",
    "resilience": ".pairs[data-drawn]",
}
#: Addresses that lie inside the page itself.
INSIDE = ("data", "blob", "about")
#: What is added to the address of nine brokers in three racks with a replication factor of 3.
WISHES = {"sample": "", "what-if": "&remove=7&add=10:az-a", "refused": "&remove=1,2,3,4,5,6,7"}


def drawn(page: Page, base: str, pages: Iterable[str], query: str) -> Iterator[str]:
    """Go to pages by their own address, one after the other; each is drawn to its end when its name comes."""
    for name in pages:
        address, title = ADDRESSES[name]
        at_address(page, f"{base}/{address}{query}", title)
        page.get_by_test_id("stMain").locator("h1").first.wait_for(state="attached")
        page.locator("[data-testid='stApp'][data-test-script-state='notRunning']").wait_for()
        if name in DRAWN and ("layout=" in query or name == "replication"):
            page.locator(f"{DRAWN[name]}, .st-key-refused-choices").first.wait_for()
        expect(page.get_by_test_id("stSkeleton")).to_have_count(0)
        yield name


def found_on(page: Page, base: str, pages: Iterable[str], query: str = "") -> dict[str, list[str]]:
    """What axe finds on pages by their own address, and that one heading is the page's answer; others are left out."""
    found = {}
    for name in drawn(page, base, pages, query):
        found[name] = violations(page)
        headings = page.get_by_test_id("stMain").locator("h1").all_inner_texts()
        if len(headings) != 1:
            found[name].append(f"Not one first heading, but {headings}")
    return {name: these for name, these in found.items() if these}


def opened(page: Page, dashboard: str, wish: str, sample: str = "Nine brokers") -> str:
    """Open a sample; what follows a page's address to see it there with a wish."""
    open_sample(page, dashboard, sample, then="Plan")
    page.wait_for_url("**layout=*")
    return f"?{page.url.partition('?')[2]}{wish}"


@contextmanager
def on_its_own(page: Page, dashboard: str) -> Iterator[None]:
    """Scripts, fonts and icons come from the dashboard itself: a machine without a way out sees all of it."""
    asked: set[str] = set()
    failed: list[str] = []
    page.on("request", lambda request: asked.add(request.url))
    page.on("websocket", lambda socket: asked.add(socket.url))
    page.on("requestfailed", lambda request: failed.append(request.url))
    yield
    home = urlsplit(dashboard).netloc

    assert {urlsplit(url).netloc for url in asked if urlsplit(url).scheme not in INSIDE} == {home}
    assert not [url for url in failed if urlsplit(url).netloc != home]
    # The icons are a font: without it their names would stand there as words.
    assert page.evaluate("document.fonts.check('20px \"Material Symbols Rounded\"')")


def test_all_pages_with_a_what_if_and_none_asks_another_machine(page: Page, dashboard: str) -> None:
    """A broker leaves and one joins: chips, the switch, plans, proofs and figures beside what is there."""
    with on_its_own(page, dashboard):
        assert found_on(page, dashboard, PAGES, opened(page, dashboard, WISHES["what-if"])) == {}


def test_pages_in_other_states(page: Page, dashboard: str) -> None:
    """How to begin, nothing wished yet, and a wish that cannot be."""
    with on_its_own(page, dashboard):
        assert found_on(page, dashboard, ("overview", "fleet")) == {}
        query = opened(page, dashboard, WISHES["sample"])
        assert found_on(page, dashboard, ("plan",), query) == {}
        assert found_on(page, dashboard, ("overview", "plan"), query + WISHES["refused"]) == {}


def test_pages_in_the_dark(new_page: Callable[..., Page], dashboard: str) -> None:
    """Captions, colours with a meaning and our own components on a dark ground."""
    page = new_page(color_scheme="dark")
    query = opened(page, dashboard, WISHES["what-if"])

    assert found_on(page, dashboard, ("replication", "resilience", "plan"), query) == {}


#: The screen that the pages are drawn for, enlarged to 200 %: half as many pixels of a style sheet each way.
TWICE = {"width": 683, "height": 384}
#: What shows each broker, and so has least room where they are many.
BY_BROKER = ("overview", "racks", "heatmap", "leaders", "resilience", "plan")


@pytest.mark.parametrize(
    ("sample", "wish", "pages"),
    [
        ("Nine brokers", WISHES["what-if"], BY_BROKER),
        pytest.param("Nine brokers", WISHES["what-if"], PAGES, marks=pytest.mark.slow),
        pytest.param("60 brokers", "&remove=7", BY_BROKER, marks=pytest.mark.slow),
    ],
)
def test_enlarged_to_twice_its_size_nothing_is_cut_off(
    new_page: Callable[..., Page], dashboard: str, sample: str, wish: str, pages: tuple[str, ...]
) -> None:
    """Pages that show each broker with a few and with 60, and all with a few: words whole, everything within reach."""
    page = new_page(device_scale_factor=2)
    query = opened(page, dashboard, wish, sample)
    page.set_viewport_size(TWICE)  # type: ignore[arg-type]
    found = {name: cut_off(page) for name in drawn(page, dashboard, pages, query)}

    assert {name: these for name, these in found.items() if these} == {}


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("state", ["empty", *WISHES])
def test_all_pages_in_all_states(new_page: Callable[..., Page], dashboard: str, state: str, scheme: str) -> None:
    """What the ordinary run leaves out."""
    page = new_page(color_scheme=scheme)
    query = "" if state == "empty" else opened(page, dashboard, WISHES[state])

    assert found_on(page, dashboard, PAGES, query) == {}
