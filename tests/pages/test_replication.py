"""The Replication page: stories, rules beside each other, branches, links, and text in which anything may stand."""

from __future__ import annotations

from pathlib import Path

from streamlit.testing.v1 import AppTest

from .conftest import texts

_APP = Path(__file__).resolve().parents[2] / "app.py"


def visit(**query: str) -> AppTest:
    """The page in a new session, by a link, with no layout open."""
    at = AppTest.from_file(str(_APP), default_timeout=60)
    at.run()
    for name, value in query.items():
        at.query_params[name] = value
    return at.switch_page("pages/replication.py").run()


def address(at: AppTest) -> dict[str, str]:
    """The query in the address bar, one text a name."""
    return {name: value[0] if isinstance(value, list) else value for name, value in at.query_params.items()}


def test_it_teaches_without_a_layout() -> None:
    """No layout is open: the page opens on the flow of one record, and does not ask for a file."""
    at = visit()

    assert not at.exception
    assert "nothing acknowledged is lost" in texts(at)
    assert "Nothing is read yet" not in texts(at)
