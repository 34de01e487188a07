"""A moment of the past looked at on every page: told apart from the present, left again, shared by a link."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from components.state.follow import open_past
from components.state.opened import SessionState
from components.state.store import KEY
from reseat.model import Wish
from reseat.model.edits import Edits
from tests.history.made import Made, write

from .conftest import small, texts

_APP = Path(__file__).resolve().parents[2] / "app.py"
PAGES = ("overview", "heatmap", "racks", "plan", "leaders", "operate")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """A landing zone and the tables made of it."""
    return write(tmp_path_factory.mktemp("travel"))


@pytest.fixture(autouse=True)
def places(made: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    """This server's two folders."""
    monkeypatch.setenv("RESEAT_LANDING", str(made.landing))
    monkeypatch.setenv("RESEAT_TABLES", str(made.tables))


@pytest.fixture
def travelled(made: Made, opened: Callable[..., AppTest]) -> Callable[..., AppTest]:
    """Open a page at the second snapshot of ``shop``, in which broker 4 is gone; the present is the small layout."""

    def at(page: str, wish: Wish | None = None) -> AppTest:
        app = opened("overview", small(), Wish(remove=(2,)))
        state: SessionState = app.session_state[KEY]
        open_past(state, made.snapshots["shop"][1], made.ids("shop")[1], wish or Wish(), Edits())
        app.switch_page(f"pages/{page}.py").run()
        return app

    return at


@pytest.mark.parametrize("page", PAGES)
def test_every_page_says_that_it_is_the_past(travelled, page):
    """The strip names the moment and offers the way back, and nothing calls it the present."""
    at = travelled(page)

    assert not at.exception
    assert "snapshot: 2026-05-01 15:10 UTC" in texts(at)
    assert "6 brokers" in texts(at)
    assert "current state" not in texts(at).replace("Back to the current state", "").split("\n")
    assert any(button.key == "chip-present" for button in at.button)


def test_the_way_back_leads_to_the_layout_and_the_what_if_before(travelled):
    """The present comes back as it was left."""
    at = travelled("overview")
    at.button(key="chip-present").click().run()

    assert not at.exception
    assert "4 brokers · 4 partitions · 8 replicas" in texts(at)
    assert at.session_state[KEY].here.wish == Wish(remove=(2,))
    assert "past" not in at.query_params


def test_a_what_if_works_on_the_past(travelled):
    """A broker can be taken out of a layout of the past, and the strip tells both."""
    at = travelled("plan", Wish(remove=(5,)))

    assert not at.exception
    assert "snapshot: 2026-05-01 15:10 UTC" in texts(at)
    assert "what-if" in texts(at)
    assert any(button.key == "chip-out-5" for button in at.button)


def test_nothing_is_carried_out_on_the_past(travelled):
    """Operate says plainly why, and has no button that writes."""
    at = travelled("operate", Wish(remove=(5,)))

    assert not at.exception
    assert "nothing can be executed on it" in texts(at)
    assert not [button for button in at.button if "execute" in str(button.key) or "start" in str(button.key)]


def test_a_link_names_the_moment_and_the_what_if(travelled, made):
    """Another session that opens the address sees the same moment with the same what-if, also after a restart."""
    query = travelled("overview", Wish(remove=(5,))).query_params
    at = AppTest.from_file(str(_APP), default_timeout=60)
    for name, value in query.items():
        at.query_params[name] = value
    at.run()

    assert not at.exception
    assert "snapshot: 2026-05-01 15:10 UTC" in texts(at)
    assert at.session_state[KEY].here.wish == Wish(remove=(5,))
    assert query["past"] in (f"shop/{made.ids('shop')[1]}", [f"shop/{made.ids('shop')[1]}"])


def test_cluster_and_identity_are_link_enough(made):
    """Who knows the cluster and the snapshot's identity can write the link by hand."""
    at = AppTest.from_file(str(_APP), default_timeout=60)
    at.query_params["past"] = f"007/{made.ids('007')[0]}"
    at.run()

    assert not at.exception
    assert "snapshot: 2026-05-01 00:00 UTC" in texts(at)

    at.button(key="chip-present").click().run()

    assert "past" not in at.query_params
    assert "No cluster is loaded" in texts(at)


@pytest.mark.parametrize(
    ("past", "sentence"),
    [
        ("shop/" + "0" * 32, "No snapshot 00000000000000000000000000000000 of cluster shop is in the tables"),
        ("shop", "is not a cluster and the 32 hexadecimal digits"),
        ("../../etc/" + "0" * 32, "is not a cluster and the 32 hexadecimal digits"),
    ],
)
def test_a_link_to_a_moment_that_is_not_there_says_so(past, sentence):
    """Unknown, cut off or hostile: a sentence, and nothing is opened."""
    at = AppTest.from_file(str(_APP), default_timeout=60)
    at.query_params["past"] = past
    at.run()

    assert not at.exception
    assert sentence in texts(at)
    assert "No cluster is loaded" in texts(at)


@pytest.mark.parametrize("name", ["clusters", "history", "resilience"])
def test_pages_over_tables_say_that_a_link_was_not_followed(made, name):
    """They have something to show all the same, and it is not what the link named."""
    at = AppTest.from_file(str(_APP), default_timeout=60)
    at.query_params["past"] = "<b>/x"
    at.run().switch_page(f"pages/{name}.py").run()

    assert not at.exception
    assert "The link's snapshot is invalid" in texts(at)


def test_few_moments_stay_among_the_layouts(made):
    """Travelling on and on keeps the last moments alone: each may hold a million partitions."""
    state = SessionState()
    taken = [*made.snapshots["shop"], *made.snapshots["007"]]
    for number, one in enumerate(taken):
        open_past(state, one, f"{number:032x}", Wish(), Edits())

    assert len(state.opened) == 4
    assert state.current == "007, 2026-05-02 00:00 UTC"
    assert state.opened[state.current].read_at == datetime(2026, 5, 2, tzinfo=UTC)
