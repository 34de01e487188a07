"""The Racks page under AppTest: its sentence, figures, choices and what changes; the board itself is the browser's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from components.state import caching
from reseat.balance import measure
from reseat.errors import WorkerEnded
from reseat.model import Broker, BrokerState, ClusterLayout, Options, Wish
from reseat.model.rules import Capacity
from reseat.planning import plan
from tests.pages.conftest import small, texts

Opened = Callable[..., AppTest]


def figure(at: AppTest, label: str) -> tuple[str, str]:
    """A figure's number and the words below it."""
    return next((metric.value, metric.delta) for metric in at.metric if metric.label == label)


def test_the_present_says_what_to_do(opened: Opened) -> None:
    """Brokers, racks and replicas are counted, nothing is planned, and no link to moves is offered."""
    at = opened("racks")

    assert not at.exception
    assert "4 brokers in 3 racks hold 8 replicas. Drag a broker to Removed to preview a drain." in texts(at)
    assert figure(at, "Replicas") == ("8", "now")
    assert not [link for link in at.main.get("page_link") if "See the" in link.proto.label]


def test_a_broker_out_is_planned_with_its_proof(opened: Opened) -> None:
    """Broker 4's one replica moves; the certificate's sentences and the way to the moves stand below the board."""
    at = opened("racks", wish=Wish(remove=(4,)))

    assert not at.exception
    assert "Draining broker 4: 1 replica moves, the proven minimum." in texts(at)
    assert figure(at, "Replicas move") == ("1", "proven minimum")
    assert figure(at, "Data to copy")[0] == "1.0 MB"
    assert "See the 1 move and download the files" in [link.proto.label for link in at.main.get("page_link")]


def test_where_no_rack_is_known_nothing_is_said_of_their_diversity(opened: Opened) -> None:
    """Not before a plan, not in it, and not on the command line: 0 would say that all is well."""
    layout = ClusterLayout.from_assignments({("t", 0): [1, 2], ("t", 1): [2, 3]})
    label = "Partitions without rack diversity"

    assert figure(opened("racks", layout), label)[0] == "unknown"
    assert figure(opened("racks", layout, Wish(remove=(3,))), label)[0] == "unknown"
    assert measure(layout).rack_violations is None
    assert plan(layout, Wish(remove=(3,))).certificate.rack_violations_after is None


def test_data_held_is_at_least_what_is_known(opened: Opened) -> None:
    """Nobody asks a broker that is down for the sizes of what it holds."""
    layout = ClusterLayout.from_assignments(lists := {("t", 0): [1, 2]}, size_bytes=dict.fromkeys(lists, 1e6))
    partly = replace(layout, size_bytes=np.array([[1e6, np.nan]]))
    unknown = replace(layout, size_bytes=None)

    held = [figure(opened("racks", one), "Data held")[0] for one in (layout, partly, unknown)]
    assert held == ["2.0 MB", "at least 1.0 MB", "unknown"]


def test_a_broker_that_joins_is_not_among_those_before(opened: Opened) -> None:
    """Before is what the page says without a change, and what a report says: it held nothing, and was not there."""
    at = opened("racks")
    before, least = figure(at, "Replica spread")[0], figure(at, "Partitions without rack diversity")[0]
    at = opened("racks", wish=Wish(add=((9, "d"),)))

    assert figure(at, "Replica spread")[0].partition(" → ")[0] == before
    assert figure(at, "Partitions without rack diversity")[0].partition(" → ")[0] == least


def test_a_broker_that_cannot_be_drained_completely_is_not_called_dead(opened: Opened) -> None:
    """What Overview finds after the plan is what changes here: the broker keeps an offline partition, and serves."""
    layout = ClusterLayout.from_assignments(
        {("t", 0): [1, 2], ("t", 1): [1]},
        brokers=[Broker(broker, state=BrokerState.ALIVE) for broker in (1, 2, 3)],
        leaders={("t", 0): 1, ("t", 1): None},
        in_sync={("t", 0): [1, 2], ("t", 1): []},
    )
    at = opened("racks", layout, Wish(remove=(1,)))

    assert "cannot be drained completely" in texts(at)
    assert "dead" not in texts(at)


def test_what_cannot_be_has_choices(opened: Opened) -> None:
    """With one broker left, both topics are named and can be left out by a button; nothing is called movable."""
    at = opened("racks", wish=Wish(remove=(1, 2, 3)))

    assert not at.exception
    assert "Not possible: draining brokers 1, 2 and 3." in texts(at)
    assert "Draining broker" not in texts(at)
    assert "Add a broker first." in texts(at)
    assert not at.metric

    at.button(key="leave-out").click().run()

    assert "Not possible" not in texts(at)


def test_demands_that_cannot_hold_together_are_named_and_can_go_one_by_one(opened: Opened) -> None:
    """The rule and the broker are named; without the rule there is a plan."""
    at = opened("racks", wish=Wish(remove=(4,), options=Options(never_onto=(1, 2, 3))))

    assert "These cannot hold together:" in texts(at)

    assert not [one for one in at.expander if one.label.startswith("All ")]  # the sentence names them all

    at.button(key="without-0").click().run()

    assert "Draining broker 4" in texts(at)


def test_hundreds_of_demands_are_counted_in_the_sentence_and_listed_below(opened: Opened) -> None:
    """Twelve brokers have no room for what a thirteenth leaves: each limit is needed, ten are in the sentence."""
    layout = ClusterLayout.from_assignments({("t", at): [at % 13] for at in range(26)})
    limits = tuple(Capacity(broker, 2) for broker in range(1, 13))
    at = opened("racks", layout, Wish(remove=(0,), options=Options(capacity=limits)))
    sentence = next(one.value for one in at.markdown if "cannot hold together" in one.value)
    listed = next(one for one in at.expander if one.label.startswith("All "))

    assert "broker 9 holds at most 2 replicas; 3 more of this kind; broker 0 is removed" in sentence
    assert listed.label == "All 13 demands"
    assert listed.markdown[0].value.count("\n") == 12
    assert "broker 12 holds at most 2 replicas" in listed.markdown[0].value


def test_an_order_that_is_not_told_can_be_vouched_for(opened: Opened) -> None:
    """The refusal offers to take the order shown as the assignment order, and then plans."""
    layout = ClusterLayout.from_assignments({("t", 0): [1, 2]}, brokers=[Broker(3)], order_told=False)
    at = opened("racks", layout, Wish(remove=(1,)))

    assert "Not possible" in texts(at)

    at.button(key="vouch").click().run()

    assert "Draining broker 1" in texts(at)


def test_nothing_to_do_is_an_empty_plan_that_says_so(opened: Opened) -> None:
    """A broker without replicas leaves without a move."""
    layout = small().with_brokers([Broker(9, "c")])
    at = opened("racks", layout, Wish(remove=(9,)))

    assert not at.exception
    assert figure(at, "Replicas move")[0] == "0"


def test_while_a_reassignment_runs_the_board_and_the_figures_are_of_its_end(opened: Opened) -> None:
    """Five replicas are there now, four once it is done: the page counts as the board draws, and says so."""
    layout = replace(
        ClusterLayout.from_assignments({("t", 0): [2, 3, 1], ("t", 1): [3, 2]}, brokers=[Broker(4)]),
        adding=np.array([[False, True, False], [False, False, False]]),
        removing=np.array([[False, False, True], [False, False, False]]),
    )
    at = opened("racks", layout)

    assert "hold 4 replicas once the reassignment in progress is done" in texts(at)
    assert figure(at, "Replicas") == ("4", "once it is done")

    at = opened("racks", layout, Wish(remove=(3,)))

    assert not at.exception
    assert "The plan starts from the layout after it completes" in texts(at)


def test_a_plan_whose_process_was_killed_is_told(opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the process that plans beside the server ends, a sentence says so; the next run has the plan."""
    caching.forget()
    monkeypatch.setattr(caching, "MOST_HERE", 0)

    def asked(_: object, function: Callable[..., object], *args: object, **kwargs: object) -> object:
        if function is plan:
            raise WorkerEnded("The process that was computing this was killed.")
        return function(*args, **kwargs)

    with monkeypatch.context() as killed:
        killed.setattr("reseat.jobs.workers.Workers.ask", lambda _, *asks, **by: asked(*asks, **by))
        at = opened("racks", wish=Wish(remove=(4,)))

    assert not at.exception
    assert "The process that was computing this was killed. Nothing was changed." in texts(at)
    assert not at.metric

    next(button for button in at.button if button.label == "Try again").click().run()

    assert "Draining broker 4: 1 replica moves, the proven minimum." in texts(at)
    caching.forget()
