"""The dashboard under AppTest: a page by itself, over a small layout that a reader can check by eye."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import pytest
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Dataframe

from components.state.opened import Opened as OpenedLayout
from components.state.opened import SessionState
from components.state.store import KEY
from reseat.formats import Reading
from reseat.model import Broker, ClusterLayout, LogDirectory, Wish

APP = Path(__file__).resolve().parents[2] / "app.py"

#: Pages whose address is not their file's name: they are found once a run has told all addresses.
ELSEWHERE = ("racks", "operate")

Opened = Callable[..., AppTest]


def small() -> ClusterLayout:
    """Four brokers in three racks; orders-1 is led by its second replica, and broker 4 holds one replica alone."""
    return ClusterLayout.from_assignments(
        {
            ("orders", 0): [1, 2],
            ("orders", 1): [2, 3],
            ("orders", 2): [3, 1],
            ("_schemas", 0): [1, 4],
        },
        brokers=[Broker(1, "a"), Broker(2, "b"), Broker(3, "c"), Broker(4, "b")],
        leaders={("orders", 0): 1, ("orders", 1): 3, ("orders", 2): 3, ("_schemas", 0): 1},
        in_sync={("orders", 0): [1, 2], ("orders", 1): [2, 3], ("orders", 2): [3, 1], ("_schemas", 0): [1, 4]},
        size_bytes={("orders", 0): 1e9, ("orders", 1): 2e9, ("orders", 2): 3e9, ("_schemas", 0): 1e6},
    )


def two_disks(left: int) -> tuple[LogDirectory, ...]:
    """Two log directories of each broker of ``small``; of each /b twice as much is left."""
    sizes = {"/a": left, "/b": 2 * left}
    return tuple(LogDirectory(broker, path, 10**13, free) for broker in range(1, 5) for path, free in sizes.items())


def texts(at: AppTest) -> str:
    """All sentences of a page, with Markdown's escapes taken out."""
    return "\n".join(str(element.value) for element in (*at.title, *at.markdown, *at.caption)).replace("\\", "")


def tables(at: AppTest) -> list[Dataframe]:
    """The tables of a page."""
    return list(at.dataframe)


def address(at: AppTest) -> dict[str, str]:
    """The query in the address bar, one text a name."""
    return {name: value[0] if isinstance(value, list) else value for name, value in at.query_params.items()}


def link(at: AppTest, label: str) -> dict[str, str]:
    """What the address of a link says that opens something else than what is looked at, by its label."""
    links = [one.proto for one in at.get("page_link")]
    found = next(one for one in links if one.label.replace("\\", "") == label and "=" in one.query_string)
    return dict(parse_qsl(found.query_string))


def visit(page: str, state: SessionState | None = None, **query: str) -> AppTest:
    """A page in a new session, by a link; with no layout open where no state is given."""
    at = AppTest.from_file(str(APP), default_timeout=60)
    if state is not None:
        at.session_state[KEY] = state
    at.query_params.update(query)
    if page in ELSEWHERE:
        at.run()
        at.query_params.clear()
        at.query_params.update(query)
    return at.switch_page(f"pages/{page}.py").run()


def through(at: AppTest, label: str, page: str) -> AppTest:
    """Click a link."""
    query = link(at, label)
    at.switch_page(f"pages/{page}.py")
    at.query_params.clear()
    at.query_params.update(query)
    return at.run()


def at_clusters(app: AppTest, view: str) -> AppTest:
    """Go to a view of Clusters, as its link does."""
    app.run()
    app.switch_page("pages/clusters.py")
    app.query_params["view"] = view
    return app.run()


@pytest.fixture(scope="session", autouse=True)
def _sooner(app_tests: None) -> None:
    """Every test here is an AppTest."""


@pytest.fixture
def app() -> AppTest:
    """The dashboard before anything is read."""
    return AppTest.from_file(str(APP), default_timeout=60)


@pytest.fixture
def opened(app: AppTest) -> Opened:
    """Open a page over a layout, with a what-if."""

    def at(
        page: str, layout: ClusterLayout | None = None, wish: Wish | None = None, name: str = "small", **told: Any
    ) -> AppTest:
        from datetime import UTC, datetime

        reading = Reading(layout if layout is not None else small(), kind="a literal", source=name, **told)
        state = SessionState(opened={name: OpenedLayout(reading, datetime.now(UTC))}, current=name, started=True)
        state.opened[name].wish = wish or Wish()
        app.session_state[KEY] = state
        if page in ELSEWHERE:
            app.run()
        app.switch_page(f"pages/{page}.py").run()
        return app

    return at
