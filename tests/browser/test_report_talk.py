"""The talk in a real browser: gone through by keys alone, on small and large screens, in a frame, with scripts off."""

from __future__ import annotations

import html
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from reseat.report.writers.talk import write_talk
from tests.browser.test_report_file import opened, violations, with_large_grid
from tests.report.told import HOSTILE, told

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser

__all__ = ["opened"]  # the fixture

#: How much of the screen shown does not fit into it, down and across, and of the page across.
_BEYOND = """() => {
  const inner = document.querySelector(".screen.on .inner");
  const root = document.documentElement;
  return [inner.scrollHeight - inner.clientHeight, inner.scrollWidth - inner.clientWidth,
    root.scrollWidth - innerWidth].map((one) => Math.max(one - 1, 0));
}"""


def heading(page: Page) -> str:
    """The heading of the screen that is shown; there is one alone."""
    shown = page.locator("h1:visible, h2:visible")

    expect(shown).to_have_count(1)
    return shown.inner_text().split("\n")[-1]


def test_the_talk_is_gone_through_by_keys(opened: Callable[..., Page]) -> None:
    """Forth and back by arrows, Space and Page keys, to both ends and not beyond; the counter says where one is."""
    report = told()
    page = opened(write_talk(report))
    counter = page.locator(".counter")
    last = len(report.chapters) + 1
    steps = (
        *(("ArrowRight", 2), ("Space", 3), ("PageDown", 4), ("ArrowDown", 5), ("ArrowLeft", 4), ("Shift+Space", 3)),
        *(("PageUp", 2), ("ArrowUp", 1), ("ArrowLeft", 1), ("End", last), ("ArrowRight", last), ("Home", 1)),
    )

    assert heading(page) == report.title
    for key, number in steps:
        page.keyboard.press(key)

        expect(counter).to_have_text(f"{number} / {last}", use_inner_text=True)
        assert heading(page) == (report.title if number == 1 else report.chapters[number - 2].heading)
        assert page.evaluate("document.activeElement.tagName") in {"H1", "H2"}
    page.keyboard.press("Control+ArrowRight")  # the browser's own

    expect(counter).to_have_text(f"1 / {last}", use_inner_text=True)
    assert page.said == []  # type: ignore[attr-defined]


def test_notes_full_screen_and_leaving(opened: Callable[..., Page]) -> None:
    """N shows what the speaker says, F fills the screen, Escape leaves to all screens; Enter begins again there."""
    page = opened(write_talk(told()))
    page.keyboard.press("ArrowRight")

    assert page.get_by_text("Say this first.").is_hidden()

    page.keyboard.press("n")

    expect(page.get_by_text("Say this first.")).to_be_visible()

    page.keyboard.press("N")

    assert page.get_by_text("Say this first.").is_hidden()

    page.keyboard.press("f")
    page.locator("html:fullscreen").wait_for(state="attached")
    page.keyboard.press("f")
    page.locator("html:not(:fullscreen):not(.talking)").wait_for(state="attached")

    expect(page.locator("h2:visible")).to_have_count(len(told().chapters))

    page.keyboard.press("Enter")

    assert heading(page) == told().chapters[0].heading

    page.keyboard.press("Escape")

    expect(page.locator("h2:visible")).to_have_count(len(told().chapters))


@pytest.mark.parametrize(
    ("scheme", "wide", "high"), [("light", 1024, 768), ("dark", 1366, 768), ("light", 3840, 2160), ("dark", 400, 800)]
)
def test_every_screen_fits(opened: Callable[..., Page], scheme: str, wide: int, high: int) -> None:
    """Nothing is beyond the edge of any screen, hostile names included, and axe objects to none."""
    report = told(60, names=HOSTILE)
    page = opened(write_talk(report), color_scheme=scheme, viewport={"width": wide, "height": high})
    for number in range(len(report.chapters) + 1):
        beyond = page.evaluate(_BEYOND)

        assert beyond[1:] == [0, 0], number
        assert wide == 400 or beyond[0] == 0, number  # on a telephone one may scroll down
        assert number != 2 or wide > 1366 or violations(page) == []
        page.keyboard.press("ArrowRight")


def test_type_is_big_on_every_screen(opened: Callable[..., Page]) -> None:
    """Labels within a figure are at least 11 pixels high at 1024 by 768, and grow with the screen."""
    sizes = []
    for wide, high in ((1024, 768), (3840, 2160)):
        page = opened(write_talk(told()), viewport={"width": wide, "height": high})
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowRight")
        drawn = page.locator(".screen.on svg.figure").first
        sizes.append(8.5 * drawn.evaluate("(one) => one.getScreenCTM().a"))

    assert sizes[0] >= 11
    assert sizes[1] >= 2.5 * sizes[0]


def test_a_figure_is_hovered_while_presenting(opened: Callable[..., Page]) -> None:
    """Bars and the cells of a large heatmap tell their numbers; going on takes the words away."""
    report = with_large_grid()
    page = opened(write_talk(report))
    page.keyboard.press("End")
    page.locator(".screen.on image").first.hover()
    page.locator(".tip").get_by_text("broker").wait_for()

    expect(page.locator(".tip")).to_have_text("broker 31, topic topic,20: 1,250 replicas", use_inner_text=True)

    page.keyboard.press("Home")

    assert page.locator(".tip").is_hidden()


def test_in_a_frame_leaving_is_told_to_the_page_around_it(new_page: Callable[..., Page]) -> None:
    """In a frame without an address, as a dashboard shows it: the keys work, and the page hears that it was left."""
    page = new_page()
    page.set_content(
        f'<iframe sandbox="allow-scripts" width="900" height="600" srcdoc="{html.escape(write_talk(told()))}"></iframe>'
    )
    page.evaluate("addEventListener('message', (event) => { window.heard = event.data; })")
    frame = page.frame_locator("iframe")
    frame.locator("h1").click()
    page.keyboard.press("ArrowRight")
    frame.get_by_text("2 / 6").wait_for()
    page.keyboard.press("Escape")
    page.wait_for_function("window.heard === 'reseat-talk-left'")

    assert frame.locator("h2:visible").count() == len(told().chapters)


def test_with_scripts_off_all_screens_stand_below_each_other(opened: Callable[..., Page]) -> None:
    """Headings, figures and notes can be read, and no button stands there that would do nothing."""
    report = told()
    page = opened(write_talk(report), java_script_enabled=False)

    expect(page.locator("h2:visible")).to_have_count(len(report.chapters))
    expect(page.get_by_text("Say this first.")).to_be_visible()
    expect(page.get_by_role("button").locator("visible=true")).to_have_count(0)
