"""Jobs side by side end together: done, or with the first that fails."""

from __future__ import annotations

from threading import Event
from typing import TYPE_CHECKING, cast

import pytest

from reseat.pipeline.spark.side_by_side import side_by_side

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


class Session:
    """What of a session is used: it ends what runs in it."""

    def __init__(self) -> None:
        self.interrupted = Event()

    def interruptAll(self) -> list[str]:
        self.interrupted.set()
        return []


def test_all_are_done(monkeypatch: pytest.MonkeyPatch) -> None:
    """More jobs than threads; none is interrupted."""
    session = Session()
    done = side_by_side(cast("SparkSession", session), [lambda n=n: n for n in range(7)], 2)  # type: ignore[misc]

    assert done == list(range(7))
    assert not session.interrupted.is_set()


@pytest.mark.parametrize("trouble", [ValueError, KeyboardInterrupt])
def test_the_first_that_fails_ends_the_others(trouble: type[BaseException]) -> None:
    """What runs is interrupted, what has not begun never does, and the trouble comes out."""
    session, begun = Session(), []

    def runs() -> None:
        begun.append("runs")
        assert session.interrupted.wait(60)

    def fails() -> None:
        raise trouble

    with pytest.raises(trouble):
        side_by_side(cast("SparkSession", session), [runs, fails, *[lambda: begun.append("late")] * 3, runs], 2)

    assert session.interrupted.is_set()
    assert begun.count("runs") <= 2


def test_who_goes_on_is_interrupted_again() -> None:
    """The next job of Spark that one of them begins is ended too: whoever asked it to end does not wait for all."""
    session, ended = Session(), []

    def runs_two() -> None:
        for _ in range(2):
            ended.append(session.interrupted.wait(20))
            session.interrupted.clear()

    def fails() -> None:
        raise ArithmeticError

    with pytest.raises(ArithmeticError):
        side_by_side(cast("SparkSession", session), [runs_two, fails], 2)

    assert ended == [True, True]
