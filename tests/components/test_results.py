"""What is kept between reruns: bounded by partitions, made once, named by all that it was made from; and given back."""

from __future__ import annotations

import asyncio
import gc
import itertools
import sys
import threading
import weakref
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from types import ModuleType, SimpleNamespace
from typing import cast

import numpy as np
import pytest
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.memory_session_storage import MemorySessionStorage
from streamlit.runtime.session_manager import SessionInfo
from streamlit.runtime.state import SessionState
from streamlit.testing.v1 import AppTest

from components.server import housekeeping
from components.server.housekeeping import Housekeeping, let_go, lifespan, reap
from components.server.turns import Turns
from components.state import caching
from components.state.results import LARGE, Results, named
from reseat.demo.generate import generate
from reseat.model import ClusterLayout, Options, Snapshot, Wish
from reseat.model.edits import Edits
from reseat.placement import RackMode
from reseat.planning import plan


def small_layout() -> ClusterLayout:
    """Two partitions on three brokers, made anew each time."""
    return ClusterLayout.from_assignments({("a", 0): [1, 2], ("a", 1): [2, 3]})


@dataclass(frozen=True)
class About:
    """Something about a layout, as a reading is."""

    layout: ClusterLayout


class _Closed:
    """What Streamlit keeps of a session whose page was closed."""

    def __init__(self) -> None:
        self._session_state = SessionState()

    @property
    def session(self) -> _Closed:
        return self

    id = "closed"


@cache
def larger() -> ClusterLayout:
    """A fifth of what is large."""
    return generate(brokers=3, partitions=LARGE // 5, racks=3, seed=1)


def test_room_is_by_partitions() -> None:
    """Where one result of a million partitions has room, twelve small ones stay; a larger one drives out the oldest."""
    kept, made = Results(1), []

    def ask(key: object, about: object) -> object:
        return kept.of(key, lambda: made.append(key) or key, [about])

    for _ in range(2):
        for number in range(12):
            assert ask(number, small_layout()) == number
    ask("larger", About(larger()))
    for number in (2, 11, 0):
        ask(number, small_layout())

    assert made == [*range(12), "larger", 0]


def test_what_was_asked_for_last_stays() -> None:
    """Of six results with room for five, the one asked for longest ago goes, not the one made first."""
    kept, made = Results(1), []
    for key in ("a", "b", "c", "d", "e", "a", "f", "a", "b"):
        kept.of(key, lambda key=key: made.append(key), [larger()])

    assert made == ["a", "b", "c", "d", "e", "f", "b"]


def test_what_was_made_twice_counts_once() -> None:
    """Made again while it is made, a result takes the room of one: eleven others stay beside it."""
    kept = Results(1)
    kept.of("twice", lambda: kept.of("twice", lambda: "made"))
    for number in range(11):
        kept.of(number, lambda: None)

    assert kept.of("twice", lambda: "anew") == "made"


def test_one_result_that_is_larger_than_all_the_room_is_kept_alone() -> None:
    """Else what one looks at would be made anew with each run of the page."""
    kept, made = Results(0), []
    for key in ("a", "a", "b", "a"):
        kept.of(key, lambda key=key: made.append(key))

    assert made == ["a", "b", "a"]


def test_who_asks_the_same_meanwhile_waits_for_the_one_answer() -> None:
    """Eight threads that ask at once get the very same answer, which was made once; a ninth key is not held up."""
    kept, begun, go, answers = Results(8), threading.Event(), threading.Event(), []

    def make() -> object:
        begun.set()
        assert go.wait(30)
        return object()

    threads = [threading.Thread(target=lambda: answers.append(kept.of("same", make))) for _ in range(8)]
    for thread in threads:
        thread.start()
    assert begun.wait(30)
    other = kept.of("other", lambda: "at once")
    go.set()
    for thread in threads:
        thread.join(30)

    assert other == "at once"
    assert len(answers) == 8
    assert len({id(answer) for answer in answers}) == 1


def test_an_error_is_passed_through_and_made_anew() -> None:
    """What failed is asked again the next time, and its answer is kept from then on."""
    kept = Results(8)

    with pytest.raises(ZeroDivisionError):
        kept.of("key", lambda: 1 // 0)
    assert kept.of("key", lambda: 7) == 7
    assert kept.of("key", lambda: 8) == 7


def test_a_result_is_named_by_all_that_it_is_made_from() -> None:
    """Two arguments have one name only if they say the same: layouts, plans, wishes, edits, racks, numbers, texts."""
    layout = small_layout()
    other = ClusterLayout.from_assignments({("a", 0): [2, 1]})
    made = [plan(layout, Wish(remove=(1,))), plan(layout, Wish(remove=(2,)))]
    told = [
        *(
            layout,
            other,
            *made,
            made[0].wish,
            Wish(remove=(1,), options=Options(max_moves=3)),
            Edits(),
            Edits(without=("a",)),
        ),
        *(About(layout), About(other), RackMode.SAFE, RackMode.DISABLED, 1, True, "1", b"1", None, (), ((1,),), (1,)),
        *(
            frozenset({1}),
            Snapshot(layout, datetime(2026, 1, 1, tzinfo=UTC), "admin"),
            Snapshot(layout, datetime(2026, 1, 2, tzinfo=UTC), "admin"),
        ),
    ]
    names = [named(value) for value in told]

    assert len(set(names)) == len(told)
    assert named(small_layout()) == named(layout)
    assert named(plan(small_layout(), Wish(remove=(1,)))) == named(made[0])
    with pytest.raises(TypeError, match="Nothing names a ndarray"):
        named(np.zeros(3))


def test_results_are_forgotten_once_the_last_session_is_over() -> None:
    """While somebody is there nothing is forgotten; afterwards all is, once, and not before anybody was there."""
    forgotten, collected, seen = [], [], []
    house = Housekeeping(
        lambda: forgotten.append("all"), lambda whole: collected.append((len(seen), whole)), held=lambda: 0
    )
    for sessions in (0, 2, 1, 0, 0, 3, 0):
        house.look(sessions)
        seen.append(len(forgotten))

    assert seen == [0, 0, 0, 1, 1, 1, 2]
    assert collected == [(1, False), (2, False), (3, True), (5, False), (6, True)]


def test_all_is_collected_where_memory_has_grown_and_now_and_then() -> None:
    """Once for each growth, whatever it was; and after half an hour without any."""
    wholes, held = [], [200]
    house = Housekeeping(lambda: None, wholes.append, held=lambda: held[0] * 1_000_000)
    for megabytes in (210, 220, 230, 240, 260):
        held[0] = megabytes
        house.look(1)
    quiet = [house.look(1) for _ in range(1000)]
    gc.unfreeze()

    assert wholes[:5] == [False, False, True, False, True]
    assert sum(wholes[5:]) == 1
    assert len(quiet) == 1000


def test_garbage_that_was_kept_is_found_by_a_whole_collection() -> None:
    """A ring of objects that a look took for kept, and that nobody has any more, is gone once all have left."""
    ring = _Closed()
    ring.itself = ring  # type: ignore[attr-defined]
    gone = weakref.ref(ring)
    house = Housekeeping(lambda: None, held=lambda: 0)
    try:
        house.look(1)
        del ring
        house.look(1)
        kept = gone() is not None
        house.look(0)
    finally:
        gc.unfreeze()

    assert kept
    assert gone() is None


def test_a_whole_collection_waits_for_the_page_that_is_being_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """It comes once that is there; the first one leaves out of all later ones what it found in use."""
    # A machine that is busy draws slowly.
    monkeypatch.setattr(housekeeping, "PAGES", Turns(counts=60.0, patience=60.0))

    def page() -> None:
        import gc
        import threading

        import streamlit as st

        from components.server.housekeeping import PAGES, Housekeeping

        house = Housekeeping(lambda: None, held=iter((0, 10**9, 10**9, 10**9)).__next__)
        gc.unfreeze()
        with PAGES.turn():
            looking = threading.Thread(target=house.look, args=(1,))
            looking.start()
            looking.join(0.2)
            st.session_state["waits"] = looking.is_alive()
        looking.join()
        st.session_state["frozen"] = gc.get_freeze_count()

    try:
        at = AppTest.from_function(page).run()
    finally:
        gc.unfreeze()

    assert at.session_state["waits"]
    assert at.session_state["frozen"] > 0


def test_the_house_is_kept_while_the_server_runs() -> None:
    """What is there at the start is left out of all collections; when the server ends, so do the looks."""

    async def served() -> tuple[int, int, int]:
        before = len(asyncio.all_tasks())
        async with lifespan(lambda: None)(None):
            during = len(asyncio.all_tasks())
            frozen = gc.get_freeze_count()
        await asyncio.sleep(0)
        return during - before, frozen, len(asyncio.all_tasks()) - before

    try:
        looks, frozen, left = asyncio.run(served())
    finally:
        gc.unfreeze()

    assert (looks, left) == (1, 0)
    assert frozen > 0


def test_the_house_is_kept_after_a_look_that_failed(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """It is told, and the next look is made: else nothing would be collected any more."""
    tried: list[int] = []

    def fails() -> None:
        tried.append(len(tried))
        raise RuntimeError("the first ones fail")

    async def served() -> None:
        async with lifespan(fails)(None):
            while len(tried) < 2:
                await asyncio.sleep(0.001)

    there = itertools.cycle(({_Closed()}, set()))
    monkeypatch.setattr(housekeeping, "SECONDS", 0.001)
    monkeypatch.setattr(housekeeping, "sessions_kept", lambda: next(there))
    try:
        asyncio.run(asyncio.wait_for(served(), 10))
    finally:
        gc.unfreeze()

    assert "the first ones fail" in caplog.text


def test_a_session_that_is_over_is_let_go_without_another_one() -> None:
    """Streamlit's storage keeps what has expired until the next session is over; after a look it is gone."""
    storage = MemorySessionStorage(ttl_seconds=0)
    closed = _Closed()
    storage.save(cast("SessionInfo", closed))
    kept = [weakref.ref(closed)]
    del closed

    assert kept[0]() is not None
    reap(storage)
    assert kept[0]() is None


def test_what_streamlit_holds_of_the_last_session_is_taken_from_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its state, also where garbage holds that, and its page's names; where nobody was there, nothing is touched."""
    state, page = SessionState(), ModuleType("__main__")
    state["opened"] = held = _Closed()
    last = SimpleNamespace(_session_state=state)
    page.shown = held  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "__main__", page)
    gone = weakref.ref(held)
    del held, page

    let_go([])
    assert gone() is not None
    let_go([cast("AppSession", last)])
    assert gone() is None
    assert list(state) == []
    # What is emptied is what Streamlit's own sessions keep it in.
    assert AppSession.session_state.fget.__code__.co_names == ("_session_state",)


def test_a_widget_that_is_drawn_no_more_is_forgotten_with_its_callback() -> None:
    """And so is what the page had that drew it; those that are drawn still answer."""

    def page() -> None:
        import streamlit as st

        from components.server.housekeeping import forgetting_widgets

        number = st.session_state.setdefault("number", 0)
        held = [number]

        def on(step: int) -> None:
            st.session_state["number"] += step

        with forgetting_widgets():
            st.button("On", key="on", on_click=on, args=(1,))
            st.button("Also", key=f"also-{number}", on_click=held.append, args=(1,))

    at = AppTest.from_function(page).run()
    for _ in range(4):
        at.button(key="on").click().run()
    known = at.session_state._state._state._new_widget_state.widget_metadata  # type: ignore[attr-defined]

    assert at.session_state["number"] == 4
    assert [one.rpartition("-")[2] for one in known if "also" in one] == ["4"]


def test_a_page_that_is_stopped_halfway_forgets_no_widget_that_it_did_not_come_to() -> None:
    """As by the answer of one further below, whose callback is called before the page is drawn anew."""

    def page() -> None:
        import streamlit as st

        from components.server.housekeeping import forgetting_widgets

        def on() -> None:
            st.session_state["heard"] = True

        with forgetting_widgets():
            st.checkbox("Stop", key="stop")
            if st.session_state["stop"]:
                st.stop()
            st.button("On", key="on", on_click=on)

    at = AppTest.from_function(page).run()
    known = at.session_state._state._state._new_widget_state.widget_metadata  # type: ignore[attr-defined]
    at.checkbox(key="stop").check().run()

    assert any(one.endswith("-on") for one in known)


def test_a_component_that_is_drawn_anew_leaves_no_class() -> None:
    """Streamlit's own way of showing what it holds makes some each time, which only a collection finds."""

    def page() -> None:
        from components.canvas.partition_picture import partition_picture

        partition_picture()

    at = AppTest.from_function(page).run()
    for _ in range(3):
        at.run()

    assert not at.exception
    assert not [one for one in gc.get_objects() if isinstance(one, type) and "bidi_component" in one.__qualname__]


def test_a_component_tells_what_it_holds_and_what_was_done_in_it() -> None:
    """Nothing where nobody did anything; and what a browser made up is not taken."""
    from streamlit.components.v2.bidi_component import main

    state = SessionState()
    shown = main.make_bidi_component_presenter("heard", "grid", {"event"})

    assert shown({"zoom": 2}, state) == {"zoom": 2}
    state._new_widget_state.set_from_value("heard", [{"event": "event", "value": {"row": 7}}])
    assert shown({"zoom": 2}, state) == {"zoom": 2, "event": {"row": 7}}
    state._new_widget_state.set_from_value("heard", ["event"])
    with pytest.raises(TypeError):  # Streamlit shows what it holds alone then
        shown({"zoom": 2}, state)


def test_what_is_forgotten_is_made_anew() -> None:
    """A plan is one object for everybody until all is forgotten; then it is made again, and says the same."""
    layout, wish = small_layout(), Wish(remove=(1,))
    before, again = caching.plan_for(layout, wish), caching.plan_for(small_layout(), wish)
    caching.forget()
    after = caching.plan_for(layout, wish)

    assert again is before
    assert after is not before
    assert after.certificate == before.certificate
