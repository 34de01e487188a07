"""What came of an act on a live cluster stands on the page until the next act, also where it redraws itself."""

from __future__ import annotations

from components.operate import election, start
from components.operate import reading as operate_reading
from reseat.errors import ClusterUnreachable
from reseat.model import Wish
from reseat.operate.run import execute
from reseat.sources.followed import LiveCluster

from .conftest import texts
from .test_operate import buttons, confirm, led_by_the_second, operate, world  # noqa: F401 -- fixtures


def redraws(world, monkeypatch) -> None:  # noqa: F811
    """Somebody else's reading comes: the strip of the next run sees it, and redraws the page."""
    refresh, news = LiveCluster.refresh_if_due, [True]

    def read(live, *asked):
        if news:
            news.clear()
            live.take(world.read(live.connection))
        return refresh(live, *asked)

    monkeypatch.setattr(LiveCluster, "refresh_if_due", read)


def test_a_refusal_stays_until_the_person_acts(operate, world, monkeypatch):  # noqa: F811
    """Somebody else's reading redraws the page: why nothing was sent still stands there; not after the next act."""
    at = confirm(operate())
    world.cluster.lists["orders", 1] = [4, 3]
    buttons(at)["Move 2 replicas on prod"].click().run()
    redraws(world, monkeypatch)
    at.run()

    assert not at.exception
    assert "Nothing was sent" in texts(at)

    redraws(world, monkeypatch)
    at.run()

    assert "Nothing was sent" in texts(at)

    at.run()

    assert "Nothing was sent" not in texts(at)


def test_checks_are_those_by_which_it_was_refused(operate, world):  # noqa: F811
    """The page said "all checks passed" above, by the reading before, and that one failed beside the button."""
    at = confirm(operate())
    world.cluster.lists["orders", 1] = [4, 3]
    buttons(at)["Move 2 replicas on prod"].click().run()

    assert "; 1 check failed." in texts(at).splitlines()[0]
    assert "Nothing was sent: 1 check failed." in texts(at)
    assert "1 check failed: layout unchanged." in texts(at)


def test_a_refusal_stays_where_nothing_is_left_of_the_plan(operate, world, monkeypatch):  # noqa: F811
    """No answer came, and somebody else executed the same: why nothing was begun still stands there."""
    at = confirm(operate())
    read = world.read
    monkeypatch.setattr(operate_reading, "read_cluster", lost)
    buttons(at)["Move 2 replicas on prod"].click().run()

    assert "**The cluster did not answer.** no answer came Nothing was sent." in texts(at)

    monkeypatch.setattr(operate_reading, "read_cluster", read)
    for key, ids in world.cluster.lists.items():
        world.cluster.lists[key] = [one if one != 3 else next(b for b in (1, 2, 4) if b not in ids) for one in ids]
    redraws(world, monkeypatch)
    at.run()

    assert not at.exception
    assert "Move 2 replicas on prod" not in buttons(at)
    assert "**The cluster did not answer.**" in texts(at)


def test_an_election_without_an_answer_is_told_of_where_nothing_is_left(operate, world, monkeypatch):  # noqa: F811
    """The answer is lost and somebody else's reading shows that it was held: what became of it still stands there."""
    as_it_is = world.read
    monkeypatch.setattr(world, "read", led_by_the_second(as_it_is))
    monkeypatch.setattr(operate_reading, "read_cluster", world.read)
    at = operate(Wish(), page="leaders")
    at.segmented_control(key="election-view-4").set_value("Run an election").run()
    at.text_input(key="confirm-election-PREFERRED").set_value("FAKE").run()
    monkeypatch.setattr(election, "hold", lost)
    buttons(at)["Elect preferred leaders of 1 partition on prod"].click().run()
    monkeypatch.setattr(world, "read", as_it_is)
    redraws(world, monkeypatch)
    at.run()

    assert not at.exception
    assert "Nothing to elect" in texts(at)
    assert "no answer came It may have been sent all the same: refresh to see." in texts(at)


def lost(*_: object, **__: object) -> None:
    """In place of a write: no answer comes."""
    raise ClusterUnreachable("no answer came", "timeout")


def test_what_became_of_throttles_stays(operate, world, monkeypatch):  # noqa: F811
    """What a button does before the page is drawn is told by the same rule: once at least, and until the next act."""
    said = "Run 1, done: Its throttles are restored."
    monkeypatch.setattr(start, "throttles_left", lambda operated: ["Run 1 ended and left its throttles set."])
    monkeypatch.setattr(execute, "reconcile", lambda *asked: (said,))
    at = operate()
    buttons(at)["Restore the earlier throttles"].click().run()

    assert not at.exception
    assert said in texts(at)

    redraws(world, monkeypatch)
    at.run()

    assert said in texts(at)
    assert said not in texts(at.run())
