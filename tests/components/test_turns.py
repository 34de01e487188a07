"""Pages are drawn one at a time, and nobody waits for one that takes long."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from components.server.turns import PAGES, Turns
from components.shell import navigation

_APP = Path(__file__).resolve().parents[2] / "app.py"

#: Seconds that pass in no test that goes well.
_NEVER = 60.0


def _began(work: Callable[[], object]) -> threading.Thread:
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    return thread


def _waiting(turns: Turns, count: int) -> None:
    """Return once so many wait."""
    pause = threading.Event()
    while len(turns.waiting) < count:
        pause.wait(0.001)


def test_one_is_at_it_at_a_time_and_the_others_follow_in_the_order_in_which_they_came() -> None:
    """None of them begins before the one before it has ended, also where that ended in an error."""
    turns, told, most = Turns(_NEVER, _NEVER), [], []

    def work(name: int) -> None:
        with turns.turn():
            told.append(name)
            most.append(turns.taken)

    with pytest.raises(ValueError, match="drawn"), turns.turn():  # noqa: PT012 -- the others wait for its error
        threads = []
        for name in range(4):
            threads.append(_began(lambda name=name: work(name)))
            _waiting(turns, name + 1)
        assert told == []
        raise ValueError("could not be drawn")
    for thread in threads:
        thread.join(_NEVER)

    assert told == [0, 1, 2, 3]
    assert most == [1, 1, 1, 1]
    assert turns.taken == 0


def test_one_that_takes_long_counts_no_more() -> None:
    """The next one begins beside it, and the one after that beside both, as late again."""
    turns, began = Turns(0.02, _NEVER), time.monotonic()
    with turns.turn(), turns.turn(), turns.turn():
        at_it, seconds = turns.taken, time.monotonic() - began

    assert at_it == 3
    assert seconds >= 0.04


def test_nobody_waits_longer_than_for_so_many_seconds() -> None:
    """Whoever is before them: one that draws, or others that wait."""
    turns, at_it = Turns(_NEVER, 0.02), []

    def work() -> None:
        with turns.turn():
            at_it.append(turns.taken)

    with turns.turn():
        for thread in [_began(work) for _ in range(2)]:
            thread.join(_NEVER)
        waiting = len(turns.waiting)

    assert max(at_it) >= 2
    assert len(at_it) == 2
    assert waiting == 0


@pytest.mark.usefixtures("app_tests")
def test_a_page_is_drawn_in_its_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    """It has it before its first part is drawn, and gives it back however it ends."""
    at_it: list[int] = []
    monkeypatch.setattr(navigation, "draw", lambda _: at_it.append(PAGES.taken))
    at = AppTest.from_file(str(_APP), default_timeout=60).run()

    assert not at.exception
    assert at_it == [1]
    assert PAGES.taken == 0
