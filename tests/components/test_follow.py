"""Going back and forward: what the address names is looked at again, as the session has it open."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from components.state import caching, follow, links, shared
from components.state.linked import LinkedLayout
from components.state.opened import Opened, SessionState
from reseat.formats import Reading
from reseat.model import ClusterLayout, Wish
from reseat.model.edits import Edits

ONE = ClusterLayout.from_assignments({("orders", 0): [1, 2], ("_schemas", 0): [2, 3]})
TWO = ClusterLayout.from_assignments({("orders", 0): [2, 1]})


@pytest.fixture
def state() -> SessionState:
    """Two layouts are open; one looks at the second, without a what-if."""
    shared.linked_layouts.clear()
    state = SessionState(started=True)
    for name, layout in (("one", ONE), ("two", TWO)):
        state.opened[name] = Opened(Reading(layout, kind="a literal", source=name), datetime.now(UTC))
        state.look(name)
    return state


def link(layout: ClusterLayout, name: str, **more: object) -> links.Link:
    """The link to a layout."""
    query = links.to_query(layout.digest, name, more.pop("edits", Edits()), more.pop("wish", Wish()), **more)  # type: ignore[arg-type]
    found = links.from_query(query)
    assert found is not None
    return found


def look(state: SessionState, wish: Wish) -> None:
    """Look at the first layout, with a what-if."""
    state.look("one")
    state.opened["one"].wish = wish


def test_an_earlier_what_if_is_looked_at_again(state: SessionState) -> None:
    """The address wins over the session: its layout, its what-if, and whether pages show the present."""
    look(state, Wish(remove=(1, 2)))
    follow.return_to(state, link(ONE, "one", wish=Wish(remove=(1,)), after=False))

    assert (state.current, state.here.wish, state.here.after) == ("one", Wish(remove=(1,)), False)
    assert list(state.opened) == ["one", "two"]


def test_another_layout_is_looked_at_again(state: SessionState) -> None:
    """The layout that is open under the name is taken as it is, not opened anew."""
    before = state.opened["one"]
    follow.return_to(state, link(ONE, "one"))

    assert state.current == "one"
    assert state.opened["one"] is before


def test_edits_are_undone_too(state: SessionState) -> None:
    """Topics left out since come back, and go again."""
    without = Edits(without_internal=True)
    layout = caching.layout_of(state.opened["one"].reading, without)
    follow.return_to(state, link(layout, "one", edits=without))

    assert state.opened["one"].edits == without

    follow.return_to(state, link(ONE, "one"))

    assert state.opened["one"].edits == Edits()


def test_an_address_without_a_layout_changes_nothing(state: SessionState) -> None:
    """A page's address before it was drawn says nothing about what is open."""
    look(state, Wish(remove=(1,)))
    follow.return_to(state, None)

    assert (state.current, state.here.wish) == ("one", Wish(remove=(1,)))


def test_a_name_is_not_enough(state: SessionState) -> None:
    """Another layout under the same name is not taken for the one that the address names; it is asked for."""
    follow.return_to(state, link(TWO, "one", wish=Wish(remove=(1,))))

    assert (state.current, state.here.wish) == ("two", Wish())
    assert state.link is not None
    assert state.opened["one"].edits == Edits()


def test_a_layout_closed_since_comes_from_the_shelf(state: SessionState) -> None:
    """Where the server still has it, going back opens it again."""
    one = state.opened["one"]
    shared.linked_layouts().put(LinkedLayout(one.reading, "one", one.read_at, Edits(), ONE.digest))
    state.close("one")
    follow.return_to(state, link(ONE, "one", wish=Wish(remove=(1,))))

    assert (state.current, state.here.wish) == ("one", Wish(remove=(1,)))


def test_a_link_that_waited_is_forgotten(state: SessionState) -> None:
    """One that could not be followed is that of another address."""
    state.link = link(TWO, "elsewhere")
    follow.return_to(state, link(ONE, "one"))

    assert state.link is None
