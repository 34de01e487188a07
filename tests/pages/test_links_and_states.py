"""Links reopened by another session, layouts told apart, and the sizes that pages must bear."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from components.state import shared
from components.state.store import KEY
from reseat.demo import generate
from reseat.formats.documents.snapshot_writer import write_snapshot
from reseat.model import Wish
from tests.history.made import snapshot

from .conftest import address, small, tables, texts

_PAGES = Path(__file__).resolve().parents[2] / "pages"
_APP = _PAGES.parent / "app.py"

ONE = '{"version":1,"partitions":[{"topic":"orders","partition":0,"replicas":[1,2]}]}'
TWO = '{"version":1,"partitions":[{"topic":"orders","partition":0,"replicas":[2,1]}]}'


def pasted(at: AppTest, text: str) -> AppTest:
    """Paste a text and read it, on the page that opens layouts where this one does not."""
    if not any(area.key == "paste-main" for area in at.text_area):
        at.switch_page("pages/clusters.py").run()
    at.text_area(key="paste-main").set_value(text)
    return next(button for button in at.button if button.form_id == "open-paste-main").click().run()


def another(query) -> AppTest:
    """Another person's session that opens an address."""
    at = AppTest.from_file(str(_APP), default_timeout=60)
    for name, value in query.items():
        at.query_params[name] = value
    return at.run()


def test_a_link_reopens_the_what_if_on_the_same_server(opened):
    """Another session that opens the address sees the same layout and the same what-if."""
    at = another(address(opened("overview", wish=Wish(remove=(3,)))))

    assert not at.exception
    assert "4 brokers · 4 partitions · 8 replicas" in texts(at)
    assert at.session_state[KEY].here.wish == Wish(remove=(3,))


@pytest.mark.parametrize(
    ("edits", "said"),
    [
        ({}, "to see the what-if. "),
        ({"racks": "1:a"}, "to see the what-if, with the link's racks. "),
        ({"internal": "out"}, "to see the what-if, without its excluded topics. "),
        (
            {"racks": "1:a", "without": "t"},
            "to see the what-if, with the link's racks and without its excluded topics. ",
        ),
    ],
)
def test_a_link_to_a_layout_that_is_not_here_tells_what_it_holds(edits, said):
    """Racks and excluded topics of a link that has none were promised to whoever opens the file."""
    at = another({"layout": "0" * 32, "file": "prod.txt", "remove": "3", **edits})

    assert not at.exception
    assert f"Open the same file {said}" in texts(at)


@pytest.mark.parametrize("digits", [1, 2, 8, 16, 31], ids=str)
def test_a_part_of_a_digest_opens_nobody_elses_layout(opened, digits):
    """Who has no more than a part of a link sees nothing of the layout that another session opened."""
    link = address(opened("overview", wish=Wish(remove=(3,))))
    at = another(link | {"layout": link["layout"][:digits]})

    assert not at.exception
    assert at.session_state[KEY].opened == {}
    assert "4 brokers" not in texts(at)


def test_a_link_of_an_earlier_version_opens_what_its_reader_opened(app):
    """Half a digest shows the what-if once the same session has opened that very file."""
    link = address(pasted(app.run(), ONE)) | {"remove": "1"}
    at = another(link | {"layout": link["layout"][:16]})

    assert "This link shows a what-if on `pasted text`" in texts(at)

    pasted(at, ONE)

    assert at.session_state[KEY].here.wish == Wish(remove=(1,))


def test_a_snapshot_that_is_opened_is_as_old_as_it_says(app):
    """Also by a link. It was "read just now", whenever it was taken."""
    taken = snapshot(small(), "shop", (datetime.now(UTC) - timedelta(days=3)).isoformat()[:16])
    at = pasted(app.run(), write_snapshot(taken).decode())

    assert ":orange[:material/schedule: read 3 days ago]" in texts(at)
    assert "read 3 days ago" in texts(another(address(at)))


def test_a_link_to_a_layout_that_is_gone_asks_for_its_file(app):
    """The page names the very file, and once it is given shows the what-if on it."""
    link = address(pasted(app.run(), ONE)) | {"remove": "1"}
    shared.linked_layouts.clear()  # as after a restart of the server
    at = another(link)

    assert "This link shows a what-if on `pasted text`" in texts(at)

    pasted(at, ONE)

    assert at.session_state[KEY].here.wish == Wish(remove=(1,))
    assert "This link shows" not in texts(at)


def test_another_file_than_the_link_names_is_not_taken_for_it():
    """The what-if of a link is not laid over another layout; the page says that they differ."""
    at = pasted(another({"layout": "0" * 16, "file": "prod.json", "remove": "1"}), ONE)

    assert at.session_state[KEY].here.wish.is_empty
    assert "They differ" in texts(at)

    at.button(key="forget-link").click().run()

    assert "They differ" not in texts(at)


def test_a_link_that_is_not_understood_says_so():
    """Broken text in the address is a sentence on the page, not a fault."""
    at = another({"layout": "0" * 16, "remove": "<script>"})

    assert not at.exception
    assert "The link's what-if is invalid" in texts(at)


def test_a_layout_is_closed_by_its_button_and_forgotten(app):
    """With its text; one looks at the one before, and the last one leaves neither a layout nor an address."""
    at = pasted(app.run(), ONE)
    (first,) = at.session_state[KEY].opened
    at = pasted(at, TWO)
    state = at.session_state[KEY]
    (kept, _) = state.texts

    assert state.current != first

    at.button(key="layout-close").click().run()

    assert (list(state.opened), list(state.texts), state.current) == ([first], [kept], first)

    at.button(key="layout-close").click().run()

    assert not at.exception
    assert (state.opened, state.texts, state.current) == ({}, {}, None)
    assert "layout" not in at.query_params


def test_two_pasted_texts_are_two_layouts(app):
    """The second paste does not replace the first; the list of layouts tells them apart."""
    at = pasted(app.run(), ONE)
    at = pasted(at, TWO)

    assert not at.exception
    assert at.selectbox[0].options == ["pasted text", "pasted text (2)"]
    assert at.selectbox[0].value == "pasted text (2)"


@pytest.mark.parametrize("page", ["overview", "plan", "leaders"])
def test_a_page_sends_no_more_rows_than_it_says(opened, page):
    """At 20,000 partitions no table holds more than the rows it shows, whatever is behind it."""
    at = opened(page, generate(60, 20_000), Wish(remove=(7,)))

    assert not at.exception
    assert all(len(table.value) <= 500 for table in tables(at))


def test_a_page_is_one_screen_of_code():
    """A page reads the session, calls the core and draws: it stays under 150 lines."""
    for path in _PAGES.glob("*.py"):
        assert len(path.read_text(encoding="utf-8").splitlines()) < 150, path.name
