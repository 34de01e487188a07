"""The runs of a cluster on Execute: opened from the list, searched, and led back to."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest

from components.operate import start, watch
from components.state.store import KEY
from reseat.operate.journal.journal import Approval, PlannedMove
from reseat.operate.run import wishes
from tests.operate.test_observed import make_ended

from .conftest import address, texts
from .test_operate import buttons, confirm, operate, pace, world

__all__ = ["operate", "world"]

#: As it is, which ``world`` replaces.
GO_ON = start.go_on


def test_an_older_run_is_opened_and_searched(operate, world):
    """Of ten runs the latest eight stand in lines and the others in a list; the address says which is open."""
    with pytest.MonkeyPatch.context() as clock:
        for _ in range(10):
            make_ended(world.journal, clock, seconds=60, cluster="FAKE")
    at = operate()
    lines = [button.key for button in at.button if str(button.key).startswith("open-run-")]
    at.button(key="open-run-9").click().run()
    ninth = address(at)["look"]
    at.selectbox(key="history-chosen").set_value(2).run()
    at.button(key="history-open").click().run()
    at.text_input(key="run-2-search").set_value("no-such-topic").run()

    assert not at.exception
    assert lines == [f"open-run-{run}" for run in range(10, 2, -1)]
    assert (ninth, address(at)["look"]) == ("run-9", "run-2")
    assert "No row matches." in texts(at)


def test_a_run_that_is_not_over_is_one_click_from_the_plan(operate, world):
    """The plan says that it is blocked, and its button leads back to the run."""
    at = confirm(operate())
    buttons(at)["Move 2 replicas on prod"].click().run()
    buttons(at)["Back to the plan"].click().run()
    said = texts(at)
    buttons(at)["Show it"].click().run()

    assert not at.exception
    assert "Run 1 on this cluster is not over." in said
    assert address(at)["look"] == "run-1"
    copied = next(metric for metric in at.metric if metric.label == "Data copied")
    assert copied.delta == "of 100 B at approval"  # what clients write meanwhile is copied, too
    assert texts(at).startswith("The plan is paused, as no executor is running: 0 of 2 partitions are complete.")


def test_a_run_goes_on_by_the_protocol_that_it_was_approved_for(operate, world, monkeypatch):
    """Its brokers may be named for sizes alone: of an old cluster they take no reassignment, and no cancel."""
    reached = []
    monkeypatch.setattr(start, "go_on", GO_ON)
    monkeypatch.setattr("reseat.operate.run.runner.start", lambda connection, *_, **__: reached.append(connection))
    moves = [PlannedMove("orders", 0, (1, 2), (1, 4))]
    overridden = ("layout_unchanged", "disk_room")
    world.journal.approve(
        Approval("FAKE", "prod", "{}", "{}", "h", "ann", moves, protocol="zookeeper", overridden=overridden)
    )
    at = operate()
    live = at.session_state[KEY].opened["prod"].live
    live.connection = replace(live.connection, zookeeper=("zk:2181",))
    at.run()
    said = texts(at)
    at.button(key="go-on").click().run()

    assert not at.exception
    assert reached[0].zookeeper == ("zk:2181",)
    assert "Through ZooKeeper's node Kafka cannot cancel what is in progress" in said
    assert "overrides layout unchanged, disk room" in said


def test_a_pace_that_was_changed_elsewhere_is_what_the_fields_say(operate, world):
    """*Change* of one of them would otherwise take back what a colleague set meanwhile."""
    at = confirm(operate())
    buttons(at)["Move 2 replicas on prod"].click().run()
    changed = replace(world.journal.run(1).options, throttle=9_000_000)
    wishes.change(world.journal, 1, changed, operator="ben")
    at.run()

    assert not at.exception
    assert buttons(at)["Change"].disabled

    pace(at.number_input, "Moves").set_value(3).run()
    buttons(at)["Change"].click().run()

    assert world.journal.run(1).options == replace(changed, max_concurrent_moves_per_broker=3)


def test_who_comes_upon_a_run_sees_its_end(operate, world):
    """A colleague opens the page while it runs: at its end the plan stood there, and not a word of how it ended."""
    buttons(confirm(operate()))["Move 2 replicas on prod"].click().run()
    operate.app.query_params.clear()
    colleague = operate()
    world.carry_out()
    colleague.run()

    assert not colleague.exception
    assert texts(colleague).startswith("The plan is done: all 2 partitions are as planned.")
    assert address(colleague)["look"] == "run-1"


def test_for_somebody_else_too_a_run_that_was_just_approved_begins(operate, world, monkeypatch):
    """Its process takes seconds to start: nobody was told to continue it then but who had begun it."""
    buttons(confirm(operate()))["Move 2 replicas on prod"].click().run()
    late = texts(operate())
    monkeypatch.setattr(start, "BEGINS_WITHIN", 20.0)
    soon = texts(operate())

    assert soon.startswith("The plan is approved and about to start: 2 partitions to change.")
    assert late.startswith("The plan is paused, as no executor is running: ")


def test_a_plan_that_is_looked_at_hears_of_a_run_that_somebody_begins(monkeypatch):
    """It said "No other run is open on this cluster" for as long as nobody touched the page."""
    drawn = []
    monkeypatch.setattr(watch, "redraw", lambda: drawn.append("anew"))
    watch.hear_of_runs(SimpleNamespace(open_run=None), None)
    watch.hear_of_runs(SimpleNamespace(open_run=SimpleNamespace(id=4)), 4)
    calm = list(drawn)
    watch.hear_of_runs(SimpleNamespace(open_run=SimpleNamespace(id=4)), None)
    watch.hear_of_runs(SimpleNamespace(open_run=None), 4)

    assert (calm, drawn) == ([], ["anew", "anew"])
