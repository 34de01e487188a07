"""What a session has open is bounded, whatever a person opens, and forgotten in order."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from components.state.opened import Opened, SessionState
from components.state.past import Past
from reseat.formats.input.reading import Reading
from reseat.model import ClusterLayout, Wish
from reseat.sources.connection import Connection
from reseat.sources.followed import LiveCluster

NOW = datetime(2026, 5, 1, tzinfo=UTC)


def reading(number: int) -> Reading:
    """A layout of its own."""
    return Reading(ClusterLayout.from_assignments({("t", number): [1, 2]}), kind="a literal", source=str(number))


def opened(state: SessionState, number: int, past: bool = False) -> str:
    """Open one more layout and look at it."""
    name = f"layout {number}"
    state.opened[name] = Opened(reading(number), NOW, past=Past("shop", f"{number:032x}", NOW) if past else None)
    state.look(name)
    return name


def test_twelve_layouts_stay_and_the_one_looked_at_longest_ago_goes():
    """Coming back to a layout keeps it; what pages kept of one that goes, goes with it."""
    state = SessionState()
    for number in range(300):
        opened(state, number)

    assert list(state.opened) == [f"layout {number}" for number in range(288, 300)]

    state = SessionState()
    for number in range(12):
        opened(state, number)
        state.kept[f"kept as layout {number}"] = "x"
    state.look("layout 0")
    opened(state, 12)

    assert "layout 0" in state.opened
    assert "layout 1" not in state.opened
    assert "kept as layout 1" not in state.kept
    assert "kept as layout 0" in state.kept


def test_four_moments_of_the_past_stay_and_no_present_goes_for_them():
    """Walking through a history forgets moments and not what one came from."""
    state = SessionState()
    opened(state, 0)
    for number in range(1, 100):
        opened(state, number, past=True)

    assert list(state.opened) == ["layout 0", *(f"layout {number}" for number in range(96, 100))]


def test_closing_goes_back_to_what_was_looked_at_before():
    """With its what-if; the last layout closed leaves nothing; closing another than the current one changes nothing."""
    state = SessionState()
    first, second, third = (opened(state, number) for number in range(3))
    state.look(first)
    state.opened[first].wish, state.opened[second].wish = Wish(remove=(1,)), Wish(remove=(2,))
    state.close(third)

    assert (state.current, state.here.wish) == (first, Wish(remove=(1,)))

    state.close(first)

    assert (state.current, state.here.wish) == (second, Wish(remove=(2,)))

    state.close(second)
    state.close(second)

    assert (state.current, state.opened) == (None, {})


def test_texts_go_with_their_layout_and_the_oldest_first_where_they_are_too_many():
    """64 MB a session; a text larger than that is not kept at all; two names of one layout share it."""
    state = SessionState()
    name = opened(state, 0)
    digest = state.opened[name].reading.layout.digest
    state.opened["again"] = Opened(reading(0), NOW)
    state.remember_texts(digest, (("a", b"text"),))
    state.forget("again")

    assert digest in state.texts

    state.forget(name)

    assert state.texts == {}

    for number in range(5):
        state.remember_texts(str(number), (("a", bytes(20_000_000)),))

    assert list(state.texts) == ["2", "3", "4"]

    state.remember_texts("huge", (("a", bytes(64_000_001)),))

    assert state.texts == {}


@pytest.mark.parametrize("used", [0, 5])
def test_typed_clusters_are_bounded_and_one_that_is_open_stays(used):
    """Twelve addresses; the oldest that nobody looks at makes way."""
    state = SessionState()
    lives = [LiveCluster(Connection(name=f"c{number}", bootstrap=(f"h{number}:1",))) for number in range(30)]
    for number, live in enumerate(lives):
        state.add_typed(live)
        if number == used:
            state.opened["prod"] = Opened(reading(0), NOW, live=live)

    assert len(state.typed) == 12
    assert f"c{used}" in state.typed
    assert "c29" in state.typed
