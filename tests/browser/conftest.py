"""A real dashboard and a real Chromium.

A test that fails leaves a picture of its pages in build/screenshots; the others do where ``RESEAT_SCREENSHOTS`` is set,
as ``make soak`` does.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import pytest
from playwright.sync_api import Error
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from components.shell import navigation
from components.shell.navigation import LESSONS, ClustersView
from tests.conftest import chromium, require
from tests.history.made import Made, write
from tests.servers.dashboard import start_dashboard, stop
from tests.servers.ports import free_port

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, FloatRect, Locator, Page

ROOT = Path(__file__).resolve().parent.parent.parent
SCREENSHOTS = ROOT / "build" / "screenshots"
#: Whether all pictures are kept: for one a page is drawn anew, a seventh of all that Chromium does in the ordinary run.
KEEPS_PICTURES = bool(os.environ.get("RESEAT_SCREENSHOTS"))
#: The pages that a test made, kept for the report of its failure.
_PAGES = pytest.StashKey["list[Page]"]()
#: How Chromium begins to say that something was forbidden by a page's policy.
_POLICY = "Content Security Policy"
_STANDS_STILL = """async (figure) => {
    await document.fonts.ready;
    for (let last = "", stood = 0; stood < 15;) {
        await new Promise(requestAnimationFrame);
        const { x, y, width, height } = figure.getBoundingClientRect();
        const now = JSON.stringify({ x, y, width, height });
        stood = now === last ? stood + 1 : 0;
        last = now;
    }
    return figure.getBoundingClientRect().toJSON();
}"""
#: Two frames: of the first it is known that it began.
_IS_DRAWN = """async () => {
    await document.fonts.ready;
    for (const _ of [1, 2]) await new Promise(requestAnimationFrame);
}"""
#: As Back and Forward do.
_GO = """(address) => {
    history.pushState({}, "", address);
    dispatchEvent(new PopStateEvent("popstate", { state: {} }));
}"""
#: The screen that the pages are drawn for.
SCREEN = {"width": 1366, "height": 768}
#: A story is told in light each time, in dark among the long tests; ``test_access`` sees pages in both each time.
SCHEMES = ("light", pytest.param("dark", marks=pytest.mark.slow))
#: Chromium's own suggestions below its address bar are two pages, which each window loads. The other features are those
#: that Playwright leaves out: of two such flags Chromium takes the last.
_LEFT_OUT = (
    "WebUIOmniboxPopup,WebUIOmniboxAimPopup,"
    "AvoidUnnecessaryBeforeUnloadCheckSync,DestroyProfileOnBrowserClose,HttpsUpgrades,LensOverlay,MediaRouter,PaintHolding,"
    "ThirdPartyStoragePartitioning,AvoidCorsURLLoaderRestartOnRedirect,OptimizationHints,NetworkTimeServiceQuerying,"
    "AimEnabled,PreconnectToSearch,"
    # Other threads parse a script while it arrives, also one that this process has compiled for a page before.
    "ScriptStreaming,BackgroundResourceFetch"
)
#: Chromium without what it would do on its own: no updates, no sync, no graphics card, no sandbox inside containers.
FLAGS = (
    f"--disable-features={_LEFT_OUT}",
    "--no-sandbox",
    "--disable-gpu",
    "--font-render-hinting=none",  # Chromium's headless shell alone would move letters to whole points
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    # Pages live for seconds, and the next one runs the same scripts: optimizing them, and forgetting what of them was
    # compiled, is a fifth of what Chromium does.
    "--js-flags=--no-opt --no-maglev --no-flush-bytecode",
    "--process-per-site",  # a profile's pages share a process: see Profiles
)


@pytest.fixture(scope="session")
def dashboard(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a running dashboard, without any history."""
    require("browser")
    port, home = free_port(), tmp_path_factory.mktemp("dashboard")
    where = {"RESEAT_LANDING": str(home / "landing"), "RESEAT_TABLES": str(home / "tables")}
    process = start_dashboard(port, home / "log.txt", where)
    yield f"http://127.0.0.1:{port}"
    stop(process)


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """The landing zone of two clusters and the tables made of it."""
    return write(tmp_path_factory.mktemp("history"))


@pytest.fixture(scope="session")
def with_history(made: Made) -> Iterator[str]:
    """The address of a running dashboard over the history of two clusters."""
    require("browser")
    port = free_port()
    where = {"RESEAT_LANDING": str(made.landing), "RESEAT_TABLES": str(made.tables)}
    process = start_dashboard(port, made.landing.parent / "log.txt", where)
    yield f"http://127.0.0.1:{port}"
    stop(process)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One Chromium for all tests."""
    require("browser")
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=30_000)  # as pages have it: a busy machine draws slowly, not wrongly
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=chromium(), args=list(FLAGS))
        yield running
        running.close()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Where a test failed, what its pages said stands in the report: pictures stay on the machine that drew them."""
    report = yield
    if report.when == "call" and (report.failed or KEEPS_PICTURES):
        name = re.sub(r"[^\w-]+", "-", item.name).strip("-")
        for number, page in enumerate(item.stash.get(_PAGES, [])):
            with suppress(Error):
                _picture(page, f"{name}{f'-{number}' if number else ''}")
    if report.when == "call" and report.failed:
        for page in item.stash.get(_PAGES, []):
            said = "nothing: it is closed or has not come"
            with suppress(Error):
                said = page.get_by_test_id("stMain").first.inner_text(timeout=2_000)
            report.sections.append((f"What the page said at {page.url}", said[:4_000]))
    return report


class Profiles:
    """Browser profiles, lent to one test at a time and handed back as if fresh.

    A profile that was used twice has Streamlit's scripts in its cache, and a process that has run them still has them
    compiled: a test's first page costs 2.4 s of CPU there, 4 in a new process, more in a new profile. So all tests
    whose wishes a page can be told have profiles of one kind, each with an empty page that keeps its process. What is
    to be forgotten is forgotten on return; a profile of another kind is closed instead.
    """

    #: What a page can be told that is there already, and what all profiles begin with.
    TOLD: ClassVar[dict[str, object]] = {"viewport": SCREEN, "reduced_motion": "reduce", "color_scheme": "light"}

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._free: list[BrowserContext] = []
        self._keepers: set[Page] = set()

    def lend(self, asked: dict[str, object]) -> BrowserContext:
        """A profile that nobody has, for pages of these options."""
        kind = self._kind(asked)
        if not kind and self._free:
            return self._free.pop()
        context = self._browser.new_context(**(self.TOLD | kind))  # type: ignore[arg-type]
        if not kind:
            keeper = context.new_page()
            keeper.route("**/*", lambda route: route.fulfill(body=""))
            keeper.goto("http://127.0.0.1/")  # all dashboards are of this site, whatever their port
            self._keepers.add(keeper)
        return context

    def _kind(self, asked: dict[str, object]) -> dict[str, object]:
        """What makes a profile one of another kind: it cannot be told of a page that is there."""
        return {name: value for name, value in asked.items() if name not in self.TOLD and name != "permissions"}

    def pages_of(self, context: BrowserContext) -> list[Page]:
        """What a test opened in it."""
        return [page for page in context.pages if page not in self._keepers]

    def page_of(self, context: BrowserContext, asked: dict[str, object]) -> Page:
        """A new page in it, of these options."""
        page = context.new_page()
        told = self.TOLD | asked
        if "permissions" in asked:
            context.grant_permissions(asked["permissions"])  # type: ignore[arg-type]
        if told["viewport"] != SCREEN:
            page.set_viewport_size(told["viewport"])  # type: ignore[arg-type]
        page.emulate_media(color_scheme=told["color_scheme"], reduced_motion=told["reduced_motion"])  # type: ignore[arg-type]
        return page

    def take_back(self, context: BrowserContext, asked: dict[str, object]) -> None:
        """Close a profile's pages and forget what they kept."""
        for page in self.pages_of(context):
            with suppress(Error):
                page.evaluate("() => { localStorage.clear(); sessionStorage.clear(); }")
            page.close()
        if self._kind(asked):
            context.close()
            return
        context.clear_cookies()
        context.clear_permissions()
        self._free.append(context)


@pytest.fixture(scope="session")
def profiles(browser: Browser) -> Profiles:
    """The profiles of all tests."""
    return Profiles(browser)


@pytest.fixture
def new_page(profiles: Profiles, request: pytest.FixtureRequest) -> Iterator[Callable[..., Page]]:
    """Make pages of people who never met: each call is a browser profile of its own that keeps nothing.

    What a page's own policy forbids it, a script or a picture from elsewhere, fails the test as its errors do.

    Keyword arguments are Playwright's for a context (``color_scheme="dark"``, ``has_touch=True``). A page that raises
    an error of its own fails the test.
    """
    with _made(profiles) as (make, faults):

        def noted(**asked: object) -> Page:
            page = make(**asked)
            request.node.stash.setdefault(_PAGES, []).append(page)
            return page

        yield noted
    assert not faults, f"The page raised errors of its own: {faults}"


@contextmanager
def _made(profiles: Profiles) -> Iterator[tuple[Callable[..., Page], list[str]]]:
    """What makes pages, each of a profile that is lent until all is over; and the errors that they raise."""
    lent: list[tuple[BrowserContext, dict[str, object]]] = []
    faults: list[str] = []

    def make(**asked: object) -> Page:
        context = profiles.lend(asked)
        lent.append((context, asked))
        page = profiles.page_of(context, asked)
        page.set_default_timeout(30_000)
        # As people do, each click waits for the page to come to rest: what a redraw takes away swallows it.
        page.add_locator_handler(page.locator("[data-testid='stApp'][data-test-script-state='running']"), lambda: None)
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("console", lambda said: faults.append(said.text) if _POLICY in said.text else None)
        return page

    yield make, faults
    for context, asked in lent:
        profiles.take_back(context, asked)


@pytest.fixture
def page(new_page: Callable[..., Page]) -> Page:
    """A page of a profile that keeps nothing, 1366 x 768, light."""
    return new_page(color_scheme="light")


@pytest.fixture(scope="module")
def _of_a_file(profiles: Profiles) -> Iterator[tuple[Page, list[str]]]:
    with _made(profiles) as (make, faults):
        yield make(color_scheme="light"), faults


@pytest.fixture
def same_page(_of_a_file: tuple[Page, list[str]], request: pytest.FixtureRequest) -> Iterator[Page]:
    """A page as ``page``, one for all tests of a file: of one person, who goes on within it (``at_address``).

    For tests of what a figure does, whatever was done before: each begins with an address and not with a load.
    """
    page, faults = _of_a_file
    request.node.stash[_PAGES] = [page]
    yield page
    page.mouse.up()
    page.mouse.move(0, 0)
    told = [*faults]
    faults.clear()
    assert not told, f"The page raised errors of its own: {told}"


def to(page: Page, name: str) -> None:
    """Go to a page of the dashboard by its navigation, and by the page that leads to it where it stands behind one.

    A view of *Clusters* is gone to likewise. Returns once the tab names that page, so what is clicked next is that
    page's and not what it takes the place of.
    """
    listed = page.get_by_role("link", name=name, exact=True)
    if name in ("New topic", "Migrate"):
        page.get_by_role("link", name="Plan", exact=True).click()
    if name == "Migrate":
        listed = page.get_by_role("link", name="Migrate topics to another cluster")
    lesson = next((place for place in LESSONS if place.title == name), None)
    if lesson is not None:
        page.get_by_role("link", name="Learn", exact=True).click()
        listed = page.locator(f".st-key-lesson-{lesson.address}").get_by_role("link", name=f"Open {name}")
    view = next((view for view in ClustersView if view.title == name), None)
    if view is not None:
        page.get_by_role("link", name="Clusters", exact=True).click()
        listed = page.get_by_role("navigation", name="Views").get_by_role("link", name=name)
    listed.first.click()
    _at(page, name if view is None else "Clusters")


def _at(page: Page, title: str) -> None:
    """Wait until the tab names a page."""
    from playwright.sync_api import expect

    expect(page).to_have_title(re.compile(f"^{re.escape(title)}"))


def at_address(page: Page, address: str, title: str) -> None:
    """Go to an address of a dashboard that is open, as Back and Forward do; returns once the tab names its page.

    A third of what loading it anew costs: the scripts stay. The first address is loaded.
    """
    if page.url.startswith(address.partition("?")[0].rpartition("/")[0]):
        page.evaluate(_GO, address)
    else:
        page.goto(address)
    _at(page, title)


def anew(page: Page, address: str, title: str) -> None:
    """As ``at_address``, by way of a page that shows no layout: nothing stands there from before."""
    if page.url.startswith(address.partition("?")[0].rpartition("/")[0]):
        at_address(page, f"{address.partition('?')[0].rpartition('/')[0]}/learn", "Learn")
    at_address(page, address, title)


def also(page: Page, query: str) -> None:
    """Let the address of an open page say more, as a link to it does; without loading it anew."""
    page.evaluate(_GO, f"{page.url}{query}")


def runs_of(page: Page) -> list[float]:
    """When each run of the page's script began, of those that its browser is told of from now on."""
    runs: list[float] = []

    def hear(frame: str | bytes) -> None:
        told = ForwardMsg.FromString(frame if isinstance(frame, bytes) else frame.encode())
        if told.WhichOneof("type") == "new_session":
            runs.append(time.monotonic())

    page.on("websocket", lambda socket: socket.on("framereceived", hear))
    return runs


def open_files(page: Page, dashboard: str, files: dict[str, str], then: str = "Overview") -> None:
    """Open a layout from files, by name and text, and go to a page of the dashboard."""
    page.goto(dashboard)
    page.locator("[data-testid='stApp'][data-test-script-state='notRunning']").wait_for()
    page.locator("input[type=file]").first.set_input_files(
        [{"name": name, "mimeType": "text/plain", "buffer": text.encode()} for name, text in files.items()]
    )
    for name in files:
        page.get_by_text(name, exact=True).first.wait_for()
    page.get_by_role("button", name="Read").first.click()
    page.get_by_text("current state", exact=True).wait_for()
    to(page, then)


#: What an address says that opens a sample, by dashboard and the start of the sample's title.
_LINKS: dict[tuple[str, str], str] = {}
#: Pages that say in a strip what is open, by title.
_OF_A_LAYOUT = {
    place.title: place.address
    for place in (
        navigation.OVERVIEW,
        navigation.BOARD,
        navigation.HEATMAP,
        navigation.LEADERS,
        navigation.PLAN,
        navigation.RESILIENCE,
        navigation.NEW_TOPIC,
    )
}


def open_sample(page: Page, dashboard: str, title: str, then: str = "Overview") -> None:
    """Open a bundled sample by the start of its title, and go to a page of the dashboard.

    The first time by clicks; from then on by the link that a person would share, for a third of the work. A page that
    shows no layout is gone to from the Board, which is drawn for half as much as the Overview.
    """
    sample, strip = page.get_by_role("button", name=title).first, page.get_by_text("current state", exact=True)
    if link := _LINKS.get((dashboard, title)):
        first = then if then in _OF_A_LAYOUT else "Board"
        anew(page, f"{dashboard}/{_OF_A_LAYOUT[first]}?{link}", first)
        strip.or_(sample).first.wait_for()
        if not strip.is_visible():  # others were opened since, and the server no longer keeps it
            sample.click()
        strip.wait_for()
        _at(page, first)
        if then != first:
            to(page, then)
        return
    page.goto(dashboard)
    sample.click()
    strip.wait_for()
    page.wait_for_url("**layout=**")
    _LINKS[dashboard, title] = page.url.partition("?")[2]
    to(page, then)


def at_rest(figure: Locator) -> FloatRect:
    """Where a figure stands once nothing above it moves it any more: the mouse knows places alone.

    A first select of a page comes with its label after the figure below it was drawn.
    """
    figure.page.locator("[data-testid='stApp'][data-test-script-state='notRunning']").wait_for()
    figure.scroll_into_view_if_needed()
    figure.page.locator("[data-testid='stMain'] [data-testid='stSkeleton']").first.wait_for(state="detached")
    found: FloatRect = figure.evaluate(_STANDS_STILL)
    return found


def settled(page: Page, picture: str) -> None:
    """Wait until Streamlit has drawn all there is, and check that nothing broke; a picture where they are kept."""
    page.locator("[data-testid='stApp'][data-test-script-state='notRunning']").wait_for()
    page.locator("[data-testid='stSkeleton']").first.wait_for(state="detached")
    seen(page, picture)


def seen(page: Page, picture: str) -> None:
    """Wait until what is there is drawn, and check that nothing broke; a picture where they are kept."""
    page.evaluate(_IS_DRAWN)
    if KEEPS_PICTURES:
        _picture(page, picture)

    assert page.get_by_test_id("stException").count() == 0


def _picture(page: Page, name: str) -> None:
    """Keep a picture of a page for a person to look at."""
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=SCREENSHOTS / f"{name}.png")
