"""What a component shows where Streamlit's calls come in another order than its data, or are cancelled."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from tests.browser.conftest import ROOT

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser

_CANVAS = ROOT / "components" / "canvas"
#: Calls by their data, one that was cancelled ended as soon as it has come, as Streamlit does; what is shown then.
_CALLS = """(calls) => {
    const place = document.body.appendChild(document.createElement("div"));
    place.innerHTML = "<p class='it'></p>";
    const heard = [];
    const make = (root) => ({ root, destroy: () => heard.push("destroyed") });
    const call = keeping(".it", make, (made, { data }) => { made.root.textContent = data; });
    let last = null;
    for (const [data, cancelled] of calls) {
        const end = call({ data, parentElement: place });
        if (cancelled) end();
        else last = end;
    }
    const shown = place.textContent;
    place.remove();
    last();
    return [shown, heard];
}"""


@pytest.mark.parametrize(
    ("calls", "shown"),
    [
        ([("now", False)], "now"),
        ([("before", False), ("now", False)], "now"),
        ([("before", True), ("now", False)], "now"),
        ([("now", False), ("before", True)], "now"),
        ([("first", False), ("now", False), ("second", True), ("third", True)], "now"),
    ],
)
def test_what_a_cancelled_call_showed_is_taken_back(
    new_page: Callable[..., Page], calls: list[tuple[str, bool]], shown: str
) -> None:
    """Also where it comes last; what was made lives on until its place is gone."""
    page = new_page()
    page.add_script_tag(content=(_CANVAS / "keeping.js").read_text("utf-8"))
    assert page.evaluate(_CALLS, calls) == [shown, ["destroyed"]]


def test_every_figure_of_data_is_kept_so() -> None:
    """A board whose first data came last showed a cluster without its what-if, beside a page with it."""
    scripts = [file for file in _CANVAS.glob("*/*.js") if "export default" in file.read_text("utf-8")]
    told = {file.parent.name for file in scripts if "export default keeping(" in file.read_text("utf-8")}
    assert told == {file.parent.name for file in scripts} - {"save_figures"}  # which is told nothing
