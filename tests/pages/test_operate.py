"""The Operate page over a cluster in memory: read-only, guarded, confirmed, begun, watched, stopped and taken back."""

from __future__ import annotations

import json
import re
import threading
import time
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

import numpy as np
import pytest

from components.operate import reading as operate_reading
from components.operate import start
from components.operate.topic import numbered
from components.server import visitor
from components.state import shared
from components.state.opened import Opened as OpenedLayout
from components.state.opened import SessionState
from components.state.store import KEY
from reseat.access import Access, Person
from reseat.errors import ClusterUnreachable
from reseat.formats.documents.directory_moves import named_directories
from reseat.formats.documents.sealed import read_sealed
from reseat.model import BrokerState, ClusterLayout, LogDirectory, Snapshot, Wish
from reseat.operate.journal.journal import Journal
from reseat.operate.journal.records import RunOptions, RunState
from reseat.operate.run import execute
from reseat.operate.run.throttling import PutBack
from reseat.placement.topic_spec import TopicSpec
from reseat.schedule.batches import Order
from reseat.schedule.windows import read_windows
from reseat.sources.connection import Connection, Secret
from reseat.sources.followed import LiveCluster
from reseat.sources.kafka_admin.log_ends import LogEnd
from tests.operate.fake_target import FakeCluster
from tests.operate.test_observed import make_ended

from .conftest import address, small, tables, texts, two_disks

BROKER_3_OUT = Wish(remove=(3,))
PLANTED = "pl4nted-S3cret"


@dataclass
class World:
    """The cluster in memory, what the page reads of it, and the runs that were begun."""

    cluster: FakeCluster
    journal: Journal
    layout: ClusterLayout
    begun: list[int] = field(default_factory=list)
    lost: str = ""
    log_dirs: tuple[LogDirectory, ...] = ()

    def read(self, connection: Connection, **_: object) -> Snapshot:
        """As ``read_cluster`` reads: the lists as they are now."""
        if self.lost:
            raise ClusterUnreachable(self.lost, "route")
        lists = {key: list(ids) for key, ids in self.cluster.lists.items()}
        told = ClusterLayout.from_assignments(
            lists,
            brokers=[replace(broker, state=BrokerState.ALIVE) for broker in self.layout.brokers],
            leaders={key: ids[0] for key, ids in lists.items()},
            in_sync=lists,
            size_bytes=dict.fromkeys(lists, 50.0),
        )
        if self.log_dirs:
            told = replace(told, log_dirs=("/a", "/b"), log_dir=np.minimum(told.replicas, 0))
        now = datetime.now(UTC)
        return Snapshot(told, now, "admin", cluster="prod", cluster_id="FAKE", log_dirs=self.log_dirs)

    def carry_out(self) -> None:
        """What the process of its own would do, for every run begun."""
        while self.begun:
            execute.carry_out(
                self.cluster.target(), self.journal, self.begun.pop(0), stop=threading.Event(), pace=self.cluster.pace()
            )


@pytest.fixture
def world(tmp_path, monkeypatch):
    """A cluster of four brokers in memory, local use, writing enabled, and an empty journal."""
    monkeypatch.setenv("RESEAT_OPERATE", "1")
    layout = small()
    journal = Journal(tmp_path / "journal.sqlite")
    world = World(FakeCluster({key: list(ids) for key, ids in layout.assignments().items()}), journal, layout)
    monkeypatch.setattr(shared, "journal", lambda *, make: journal)

    @contextmanager
    def target_of(operated, protocol=None):
        if world.lost:
            raise ClusterUnreachable(world.lost, "route")
        yield world.cluster.target()

    monkeypatch.setattr(operate_reading, "read_cluster", world.read)
    monkeypatch.setattr(operate_reading, "target_of", target_of)
    monkeypatch.setattr(start, "go_on", lambda operated, run: world.begun.append(run.id))
    monkeypatch.setattr(start, "BEGINS_WITHIN", 0.0)  # no process begins
    monkeypatch.setattr(visitor, "person", lambda shown="": Person(name="ana", unlocked=True))
    monkeypatch.setattr(visitor, "access", Access)
    yield world
    journal.close()


@pytest.fixture
def operate(app, world):
    """Open a page over the live cluster in memory, with a what-if."""

    def at(wish: Wish | None = BROKER_3_OUT, page: str = "operate"):
        live = LiveCluster(
            Connection(name="prod", bootstrap=("fake:9092",), username="reseat", password=Secret(PLANTED))
        )
        snapshot = world.read(live.connection)
        live.take(snapshot)
        opened = OpenedLayout(live.state.reading, snapshot.taken_at, snapshot=snapshot, live=live)
        state = SessionState(opened={"prod": opened}, current="prod", started=True)
        opened.wish = wish or Wish()
        app.session_state[KEY] = state
        app.run()
        app.switch_page(f"pages/{page}.py").run()
        return app

    at.app = app
    return at


def pace(fields, label: str):
    """The field of a run's pace whose label begins so."""
    return next(one for one in fields if str(one.key).startswith("run-") and one.label.startswith(label))


def buttons(at) -> dict[str, object]:
    """The page's buttons by label, Markdown's escapes taken out."""
    return {button.label.replace("\\", ""): button for button in at.button}


def links(at) -> list[str]:
    """The labels of the links to other pages."""
    return [link.proto.label for link in at.main.get("page_link")]


def everything(at) -> str:
    """All that is sent to the browser, whatever kind of element it is in."""
    return "\n".join(str(node.proto) for node in at._tree if hasattr(node, "proto"))


def test_a_plan_that_changes_nothing_is_no_fault(operate, world):
    """As once it was executed, in another tab too: what is so is said, not that its text would be refused."""
    world.cluster.lists.update({("orders", 1): [2, 1], ("orders", 2): [1, 2]})
    at = operate()

    assert not at.exception
    assert texts(at).startswith("Draining broker 3: Broker 3 held nothing, so there is nothing to do.")
    assert "cannot be executed" not in texts(at)
    assert not any(label.startswith("Move") for label in buttons(at))


@pytest.mark.parametrize("look", ["run-99", "rollback-1", "proposal-7", "nothing"])
def test_a_link_to_a_run_that_the_journal_does_not_have_says_so(operate, look):
    """As one of another server's journal: the plan stands there instead, and it is no longer in the address."""
    operate.app.query_params["look"] = look
    at = operate()

    assert not at.exception
    assert f"Left out, because it is not offered here: look={look}." in texts(at)
    assert "look" not in address(at)


def confirm(at, typed: str = "FAKE"):
    """Type the cluster's id."""
    return at.text_input(key="confirm-plan-plan").set_value(typed).run()


def test_a_layout_read_from_text_needs_a_live_cluster(opened):
    """An upload has no cluster to write to: the page says so and leads to Connect; there is no button to begin."""
    at = opened("operate", wish=BROKER_3_OUT)

    assert not at.exception
    assert "Executing a plan needs a live cluster" in texts(at)
    assert not any(label.startswith("Move") for label in buttons(at))


def test_a_server_that_starts_anew_still_tells_of_the_run_that_is_not_over(operate, opened, world):
    """Nothing is read, or a text: the run stands there with how far it is and which cluster to connect to.

    Also where more runs of other clusters came after it than are looked at.
    """
    at = confirm(operate())

    buttons(at)["Move 2 replicas on prod"].click().run()
    with pytest.MonkeyPatch.context() as clock:
        for _ in range(201):
            make_ended(world.journal, clock, seconds=60, cluster="ELSEWHERE")
    at.session_state[KEY] = SessionState(opened={}, current=None, started=True)
    at.switch_page("pages/operate.py").run()

    assert not at.exception
    assert "No cluster is loaded" in texts(at)
    assert "Run 1 on prod is not over: 0 of 2 partitions are complete, and **no executor is running**" in texts(at)
    assert "FAKE" in texts(at)
    assert "Connect to the cluster" in links(at)

    at = opened("operate", wish=BROKER_3_OUT)

    assert "Run 1 on prod is not over" in texts(at)


def test_without_writing_enabled_the_page_only_reads(operate, monkeypatch):
    """The plan and its checks are shown; one sentence says how writing is enabled; nothing can be typed or pressed."""
    monkeypatch.delenv("RESEAT_OPERATE")
    at = operate()

    assert not at.exception
    assert "Read-only" in texts(at)
    assert "RESEAT_OPERATE=1" in texts(at)
    assert "2 replicas move" in texts(at)
    assert not any(label.startswith("Move") for label in buttons(at))
    assert not any(field.key == "confirm-plan-plan" for field in at.text_input)


def test_a_person_who_is_not_listed_only_reads(operate, monkeypatch):
    """With sign-in configured and somebody else signed in, the page says who may and offers no button."""
    now = time.time()
    monkeypatch.setattr(visitor, "access", lambda: Access(sign_in=True, allowed=("ana@example.org",)))
    monkeypatch.setattr(
        visitor,
        "person",
        lambda shown="": Person("bob", "bob@example.org", True, signed_in=True, issued_at=now, expires_at=now + 60),
    )
    at = operate()

    assert not at.exception
    assert "bob is not listed" in texts(at)
    assert "Sign out bob" in buttons(at)
    assert not any(label.startswith("Move") for label in buttons(at))


def test_the_button_waits_for_the_clusters_id(operate, world):
    """Nothing typed, another id, then the id: only then can the button be pressed; before, nothing is journaled."""
    at = operate()
    label = "Move 2 replicas on prod"

    assert buttons(at)[label].disabled
    assert "Type the cluster's id to confirm." in texts(at)

    confirm(at, "OTHER")

    assert buttons(at)[label].disabled
    assert "That is not this cluster's id, which is FAKE." in texts(at)

    confirm(at)

    assert not buttons(at)[label].disabled
    assert world.journal.runs() == ()


def test_a_plan_is_begun_watched_verified_and_taken_back(operate, world):
    """The whole way: begun once, done, verified and drained, and the way back leads to the very lists."""
    before = {key: list(ids) for key, ids in world.cluster.lists.items()}
    at = confirm(operate())
    buttons(at)["Move 2 replicas on prod"].click().run()

    assert not at.exception
    assert world.begun == [1]
    assert texts(at).count("no executor is running") == 3  # the head, the sentence, and the list of runs
    assert "Kafka finishes what is in progress" in texts(at)
    assert "Run 1: drain of broker 3" in texts(at)
    assert "ago" not in next(one.value for one in at.caption if "approved by ana" in one.value)  # it stays for hours
    assert world.journal.run(1).operator == "ana"

    world.carry_out()
    at.run()

    assert "The plan is done: all 2 partitions are as planned." in texts(at)
    assert "Verified." in texts(at)
    assert "Broker 3 is drained" in texts(at)

    buttons(at)["Roll back"].click().run()

    assert "Rolling back run 1 on prod: 2 replicas move; no check failed, 4 unknown." in texts(at)

    at.text_input(key="confirm-plan-rollback").set_value("FAKE").run()
    buttons(at)["Roll back run 1: move 2 replicas on prod"].click().run()
    world.carry_out()
    at.run()

    assert not at.exception
    assert "The rollback is done" in texts(at)
    assert world.cluster.lists == before
    assert [run.takes_back for run in world.journal.runs()] == [1, None]


def test_a_rollback_has_the_pace_of_its_run_whoever_rolls_it_back(operate, world):
    """A run was throttled for the sake of the cluster, and its rollback copies as much."""
    at = operate()
    at.number_input(key="operate-throttle").set_value(40).run()
    buttons(confirm(at))["Move 2 replicas on prod"].click().run()
    world.carry_out()
    at.query_params.clear()
    at = operate()
    buttons(at)["Run 1"].click().run()
    buttons(at)["Roll back"].click().run()

    assert not at.exception
    assert at.number_input(key="operate-throttle").value == 40


def test_what_changed_since_is_refused_although_it_was_green(operate, world):
    """Between the checks shown and the click somebody moves a replica: the second judgement refuses; nothing begins."""
    at = confirm(operate())
    world.cluster.lists["orders", 1] = [4, 3]
    buttons(at)["Move 2 replicas on prod"].click().run()

    assert not at.exception
    assert "Nothing was sent" in texts(at)
    assert "orders-1" in texts(at)
    # Where one looks: above the button, which may stand at the lower end of the screen.
    assert 0 < everything(at).index("Nothing was sent") < everything(at).index("Move 3 replicas on prod")
    assert world.begun == []
    assert world.journal.runs() == ()


def test_checks_that_say_no_come_first_and_block(operate, world, monkeypatch):
    """The targets have died: that is the first line of the list, and the button says which checks are against it."""
    at = operate()
    monkeypatch.setattr(
        operate_reading, "read_cluster", lambda connection: with_dead(world.read(connection), {1, 2, 4})
    )
    at.button(key="read-again").click().run()
    confirm(at)
    first = next(line for line in texts(at).splitlines() if re.search(r"(yes|no|not told)\.\*\*", line))

    assert not at.exception
    assert "no.**" in first
    assert "targets alive: no" in texts(at)
    assert buttons(at)["Move 2 replicas on prod"].disabled
    assert re.search(r"checks? failed: .*targets alive", texts(at))


def with_dead(snapshot: Snapshot, dead: set[int]) -> Snapshot:
    """A reading in which some brokers are dead."""
    brokers = [
        replace(broker, state=BrokerState.DEAD if broker.id in dead else broker.state)
        for broker in snapshot.layout.brokers
    ]
    return replace(snapshot, layout=snapshot.layout.with_brokers(brokers))


def test_a_check_that_may_be_overridden_has_a_box(operate, world, monkeypatch):
    """A replica that came to the leaving broker since is named; ticking its box lets the button be pressed."""
    at = operate()
    world.cluster.lists["fresh", 0] = [3, 1]
    at.button(key="read-again").click().run()
    boxes = [box for box in at.checkbox if box.key.endswith("leaving_brokers_since")]
    confirm(at)

    assert "fresh-0" in texts(at)
    assert len(boxes) == 1
    assert buttons(at)["Move 2 replicas on prod"].disabled

    at.checkbox(key=boxes[0].key).check().run()

    assert "leaving brokers since: overridden" in texts(at)
    assert not buttons(at)["Move 2 replicas on prod"].disabled


def test_a_reading_for_the_checks_is_a_line_of_the_audit_log(operate, world, monkeypatch, tmp_path):
    """In the person's name; where the line cannot be written, nothing is read, and the page says why."""
    log = tmp_path / "audit.jsonl"
    monkeypatch.setenv("RESEAT_AUDIT", str(log))
    at = operate()
    log.unlink(missing_ok=True)
    at.button(key="read-again").click().run()
    (line,) = (json.loads(line) for line in log.read_text().splitlines())

    assert (line["event"], line["who"], line["cluster"]) == ("reading", "ana", "prod")

    monkeypatch.setenv("RESEAT_AUDIT", str(tmp_path / "none" / "audit.jsonl"))
    monkeypatch.setattr(operate_reading, "read_cluster", lambda connection: pytest.fail("it was read"))
    at.button(key="read-again").click().run()

    assert not at.exception
    assert "cannot be written" in texts(at)


def test_a_lost_cluster_is_said_and_nothing_can_be_sent(operate, world):
    """The cluster does not answer when the checks are made: the page says why and has no button to begin."""
    operate(page="plan")
    world.lost = "No route to fake:9092."
    at = operate.app.switch_page("pages/operate.py").run()

    assert not at.exception
    assert "The cluster does not answer." in texts(at)
    assert "No route to fake:9092." in texts(at)
    assert not any(label.startswith("Move") for label in buttons(at))


def test_a_what_if_that_cannot_be_says_so_once_with_its_choices(operate):
    """Three of four brokers cannot leave: one sentence above all, the way back beside it, and no button that sends."""
    at = operate(Wish(remove=(1, 2, 3)))

    assert not at.exception
    assert texts(at).count("Not possible") == 1
    assert "No plan selected" not in texts(at)
    assert "Reset the what-if" in buttons(at)
    assert not any(label.startswith("Move") for label in buttons(at))


def test_somebody_else_at_work_is_named(operate, world):
    """Another process holds the cluster: who and since when is said, and the plan's own check says no."""
    with world.journal.lease("FAKE", operator="bob"):
        at = operate()

        assert not at.exception
        assert "bob has been executing on this cluster since" in texts(at)


def test_a_reading_from_before_the_last_run_is_never_judged_by(operate, world):
    """Once a run is over, the same plan is judged by a new reading: there is nothing left that it would move."""
    at = confirm(operate())
    buttons(at)["Move 2 replicas on prod"].click().run()
    world.carry_out()
    at.run()
    buttons(at)["Back to the plan"].click().run()

    assert not at.exception
    assert "2 replicas move" not in texts(at)
    assert "0 lists change, and no data moves" in texts(at)


def test_a_run_that_nobody_works_on_can_be_gone_on_with_or_cancelled(operate, world):
    """After a crash the page opens on the run that is not over; going on begins a process for it once more."""
    at = confirm(operate())
    buttons(at)["Move 2 replicas on prod"].click().run()
    world.begun.clear()
    at = operate()

    assert "is paused, as no executor is running" in texts(at)

    buttons(at)["Continue"].click().run()

    assert world.begun == [1]

    buttons(at)["Revert what is in progress"].click().run()

    assert world.journal.stop_requested(1) == "cancel"


@pytest.mark.parametrize(("cancel", "left"), [(False, {"Cancel"}), (True, set())])
def test_what_a_run_was_asked_for_is_not_offered_again(operate, world, cancel, left):
    """What reverts stood open for seconds after it was pressed, over the sentence that says so."""
    at = confirm(operate())
    buttons(at)["Move 2 replicas on prod"].click().run()
    world.journal.request_stop(1, cancel, operator="bo")
    found = [one.proto.popover for one in operate().get("popover")]

    assert {one.label for one in found if one.label in ("Stop", "Cancel", "Pace") and not one.disabled} == left


@pytest.mark.parametrize("label", ["Send nothing further", "Revert what is in progress", "Pause"])
def test_a_button_drawn_before_does_nothing_for_who_may_not_write_any_more(operate, world, monkeypatch, label):
    """The right ends between a look and a click: the run is neither stopped nor paused, and the page says why."""
    at = confirm(operate())
    buttons(at)["Move 2 replicas on prod"].click().run()
    world.begun.clear()
    at = operate()
    monkeypatch.setattr(visitor, "person", lambda shown="": Person(name="ana", loopback=True))
    buttons(at)[label].click().run()

    assert not at.exception
    assert not world.journal.stop_requested(1)
    assert not world.journal.run(1).paused_by
    assert world.begun == []
    assert "needs the token that the server printed at start" in texts(at)


def test_a_living_run_is_paused_resumed_and_its_pace_changed(operate, world):
    """Through the journal, by whoever looks at the page; whoever is at work heeds it."""
    at = confirm(operate())
    before = at.number_input(key="operate-moves-a-broker").value
    buttons(at)["Move 2 replicas on prod"].click().run()
    with world.journal.lease("FAKE", operator="ben", run_id=1) as lease:
        world.journal.set_state(lease, 1, RunState.RUNNING, "Beginning.")
        buttons(at.run())["Pause"].click().run()
        paused = world.journal.run(1).paused_by
        offered = set(buttons(at))
        world.journal.set_state(lease, 1, RunState.PAUSED, "Paused by ana: nothing further is sent.")
        told = texts(at.run())
        buttons(at)["Resume"].click().run()
        pace(at.number_input, "Replication throttle").set_value(40).run()
        pace(at.number_input, "Moves").set_value(3).run()
        buttons(at)["Change"].click().run()
        world.journal.set_state(lease, 1, RunState.RUNNING, "Going on.")
    after = world.journal.run(1)

    assert not at.exception
    assert before == 10
    assert paused == "ana"
    assert "Resume" in offered
    assert "Pause" not in offered
    assert "Paused: nothing further is sent for now" in told
    assert "Paused by ana" in told
    assert after.paused_by == ""
    assert (after.options.throttle, after.options.max_concurrent_moves_per_broker) == (40_000_000, 3)
    assert "3 moves per broker at a time" in texts(at)
    assert {step.operator for step in world.journal.steps(kind="wish")} == {"ana"}


def test_what_a_run_waits_for_stands_out_beside_its_counts(operate, world):
    """A broker that is dead is for somebody to start: it is no small print, and the counts stand in figures."""
    counts, waits = "0 of 2 partitions as planned, 2 in progress.", "Broker 4 is not alive: 2 partitions wait for it."
    at = confirm(operate())
    buttons(at)["Move 2 replicas on prod"].click().run()
    with world.journal.lease("FAKE", operator="ben", run_id=1) as lease:
        world.journal.set_state(lease, 1, RunState.RUNNING, counts)
        quiet = texts(at.run())
        world.journal.set_state(lease, 1, RunState.RUNNING, f"{counts} {waits}")
        told = [str(part.value) for part in at.run().markdown]

    assert not at.exception
    assert counts not in quiet
    assert any(part.startswith(":orange[:material/warning:]") and "Broker 4 is not alive" in part for part in told)


def test_a_schedule_is_chosen_seen_kept_and_changed(operate, world, monkeypatch):
    """What is typed goes into the journal; what is no window prevents the run, and says what was expected.

    How long it takes comes from a run that ended meanwhile.
    """
    at = operate()
    unknown = texts(at)
    with monkeypatch.context() as clock:
        make_ended(world.journal, clock, seconds=60, cluster="FAKE")
    at.selectbox(key="operate-order").set_value(Order.LARGEST).run()
    at.text_input(key="operate-window").set_value("by night").run()
    refused, offered = texts(at), set(buttons(at))
    at.text_input(key="operate-window").set_value("00:00-24:00 UTC").run()
    at.text_input(key="operate-pause-after").set_value("1, x").run()
    no_points = texts(at)
    at.text_input(key="operate-pause-after").set_value("1").run()
    at.number_input(key="operate-throttle").set_value(10).run()
    at.segmented_control(key="operate-detail").set_value("Schedule").run()
    shown, schedule = texts(at), next(one.value for one in tables(at) if "After batch" in one.value)
    buttons(confirm(at))["Move 2 replicas on prod"].click().run()
    run = world.journal.run(2)
    begun, unchanged = texts(at), buttons(at)["Change"].disabled
    pace(at.selectbox, "Goes first").set_value(Order.LEADERS).run()
    pace(at.text_input, "Only during").set_value("").run()
    buttons(at)["Change"].click().run()

    assert not at.exception
    assert "its schedule cannot be read" in refused
    assert "'by night' is no window" in refused
    assert not any(label.startswith("Move") for label in offered)
    assert "'x' is no number of partitions" in no_points
    assert "How long it takes is unknown: set a throttle" in unknown
    assert ", from 1 earlier run on this cluster of 2026-11-23; started now, it ends about" in shown
    assert "After each batch racks hold as well as now." in shown
    assert schedule["After batch"].tolist() == ["now", "1"]
    assert run.options == RunOptions(10, 10_000_000, Order.LARGEST, read_windows("00:00-24:00 UTC"), (1,))
    assert unchanged
    assert "largest partitions first, only during 00:00-24:00 UTC, pausing after 1" in begun
    assert world.journal.run(2).options == replace(run.options, order=Order.LEADERS, windows=None)


def test_a_pause_point_that_was_reached_is_not_asked_for_again(operate, world):
    """The field tells the points ahead, and there is nothing to change."""
    at = operate()
    at.text_input(key="operate-pause-after").set_value("1, 2").run()
    buttons(confirm(at))["Move 2 replicas on prod"].click().run()
    ahead = pace(at.text_input, "Pause after").value
    with world.journal.lease("FAKE", operator="ben", run_id=1) as lease:
        world.journal.pause_at_point(lease, 1, 1, "its schedule after 1 partition")
        world.journal.set_state(lease, 1, RunState.PAUSED, "Paused.")
        at.run()

    assert ahead == "1, 2"
    assert pace(at.text_input, "Pause after").value == "2"
    assert buttons(at)["Change"].disabled


def test_throttles_left_by_a_crash_are_put_back_with_one_click(operate, world, monkeypatch):
    """A run could not put its throttles back: one sentence and a button; afterwards the notice is gone."""
    at = operate()
    at.number_input(key="operate-throttle").set_value(5).run()
    confirm(at)
    buttons(at)["Move 2 replicas on prod"].click().run()
    put_back = execute.throttling.put_back
    monkeypatch.setattr(
        execute.throttling,
        "put_back",
        lambda target, there, wait: PutBack(left=there.earlier),
    )
    world.carry_out()
    monkeypatch.setattr(execute.throttling, "put_back", put_back)
    at = operate()

    assert world.cluster.dynamic
    assert "Run 1 ended and left its throttles set." in texts(at)

    buttons(at)["Restore the earlier throttles"].click().run()

    assert not at.exception
    assert not world.cluster.dynamic
    assert "left its throttles set" not in texts(at)


def test_a_plan_of_another_tool_is_judged_by_the_reading_shown(operate, world):
    """A file without Reseat's key can be carried out; one that names a broker that is not there is refused."""
    at = operate(Wish())

    assert "No change selected" in texts(at)

    at.segmented_control(key="operate-source").set_value("A plan file").run()
    plan = {"version": 1, "partitions": [{"topic": "orders", "partition": 0, "replicas": [1, 4]}]}
    at.file_uploader(key="operate-file").set_value(
        ("by-hand.json", json.dumps(plan).encode(), "application/json")
    ).run()

    assert not at.exception
    assert "The plan of by-hand.json on prod: 1 replica moves" in texts(at)

    at.number_input(key="operate-throttle").set_value(40).run()
    at.segmented_control(key="operate-detail").set_value("Moves").run()

    told = {name: address(at).get(name, "") for name in ("plan", "throttle", "detail", "way")}
    assert told == {"plan": "file", "throttle": "40", "detail": "moves", "way": ""}
    assert "by-hand" not in str(address(at))

    confirm(at)
    buttons(at)["Move 1 replica on prod"].click().run()
    world.carry_out()

    assert world.cluster.lists["orders", 0] == [1, 4]


def test_a_plan_between_log_directories_says_what_it_copies_where(operate, world):
    """No list changes: the replicas, what the busiest broker copies, and each with the directory that it leaves."""
    world.log_dirs = two_disks(1_000_000_000)
    at = operate(Wish())
    at.segmented_control(key="operate-source").set_value("A plan file").run()
    named = {("orders", 0): ["/b", "any"], ("orders", 1): ["any", "/b"], ("orders", 2): ["/b", "/a"]}
    plan = [
        {"topic": topic, "partition": partition, "replicas": world.cluster.lists[topic, partition], "log_dirs": paths}
        for (topic, partition), paths in named.items()
    ]
    text = json.dumps({"version": 1, "partitions": plan}).encode()
    at.file_uploader(key="operate-file").set_value(("disks.json", text, "application/json")).run()
    by_broker = Counter(world.cluster.lists[key][paths.index("/b")] for key, paths in named.items())
    shown = next(table.value for table in tables(at) if "from" in table.value)

    assert not at.exception
    assert "The plan of disks.json on prod: 3 replicas move to another log directory, 150 B; no check failed" in texts(
        at
    )
    assert [figure.value for figure in at.metric][:4] == ["3", "3", str(len(by_broker)), "150 B"]
    assert shown[["broker", "from", "to"]].values.tolist() == [
        [world.cluster.lists[key][paths.index("/b")], "/a", "/b"] for key, paths in named.items()
    ]


def test_names_from_the_cluster_are_text(operate, world):
    """A topic named like Markdown and HTML is shown as it is written, in the checks and in the run."""
    hostile = "a]b<img src=x>**c**"
    world.cluster.lists[hostile, 0] = [3, 1]
    at = operate()

    assert not at.exception
    assert not any(re.search(r"(?<!\\)<img", element.value) for element in at.markdown)


def test_an_election_is_held_beside_its_preview(operate, world, monkeypatch):
    """orders-1 is led by its second replica: the election is confirmed, asked for, and put beside its preview."""
    monkeypatch.setattr(world, "read", led_by_the_second(world.read))
    monkeypatch.setattr(operate_reading, "read_cluster", world.read)
    at = operate(Wish(), page="leaders")
    at.segmented_control(key="election-view-4").set_value("Run an election").run()
    at.text_input(key="confirm-election-PREFERRED").set_value("FAKE").run()
    buttons(at)["Elect preferred leaders of 1 partition on prod"].click().run()
    held = next(table.value for table in tables(at) if "Kafka's answer" in table.value)

    assert not at.exception
    assert held[["topic", "partition", "previewed"]].to_numpy().tolist() == [["orders", 1, "2"]]
    assert held["compared with the preview"].str.startswith("▲").all()
    assert world.journal.steps(kind="election")[0].outcome is not None


def test_an_unclean_election_shows_and_asks_for_the_loss_of_each_partition_named(operate, world, monkeypatch):
    """orders-0 lost its only in-sync copy with broker 1: the page names it, and waits until that loss is accepted."""
    monkeypatch.setattr(world, "read", without_the_copy_in_sync(world.read))
    monkeypatch.setattr(operate_reading, "read_cluster", world.read)
    world.cluster.ends = {(("orders", 0), 2): LogEnd(480, 500)}
    at = operate(Wish(), page="leaders")
    at.segmented_control(key="election-view-4").set_value("Run an election").run()
    at.segmented_control(key="election-kind").set_value("Unclean, where there is no leader").run()
    nothing_chosen = texts(at)
    at.multiselect(key="election-named").set_value([("orders", 0)]).run()
    said, box = texts(at), next(box for box in at.checkbox if "I accept the loss" in box.label)
    at.text_input(key="confirm-election-UNCLEAN").set_value("FAKE").run()
    label = "Elect out-of-sync leaders of 1 partition on prod"
    assert buttons(at)[label].disabled
    box.check().run()
    buttons(at)[label].click().run()

    assert not at.exception
    assert "Select the partitions yourself" in nothing_chosen
    assert "orders-0: broker 2 would lead, which is not in sync; the last in-sync copy is on broker 1" in said
    assert "at least 20 acknowledged offsets are lost" in said
    assert world.cluster.calls.count("elect") == 1


def without_the_copy_in_sync(read):
    """Readings in which broker 1 is dead, and had the only in-sync copy of orders-0."""

    def told(connection, **options):
        snapshot = read(connection, **options)
        lists = snapshot.layout.assignments()
        layout = ClusterLayout.from_assignments(
            lists,
            brokers=[
                replace(broker, state=BrokerState.DEAD if broker.id == 1 else BrokerState.ALIVE)
                for broker in snapshot.layout.brokers
            ],
            leaders={key: None if key == ("orders", 0) else max(ids) for key, ids in lists.items()},
            in_sync={key: [1] if key == ("orders", 0) else [max(ids)] for key, ids in lists.items()},
        )
        return replace(snapshot, layout=layout)

    return told


def led_by_the_second(read):
    """Readings in which orders-1 is led by its second replica."""

    def told(connection, **options):
        snapshot = read(connection, **options)
        lists = snapshot.layout.assignments()
        layout = ClusterLayout.from_assignments(
            lists,
            brokers=snapshot.layout.brokers,
            leaders={key: ids[1] if key == ("orders", 1) else ids[0] for key, ids in lists.items()},
            in_sync=lists,
        )
        return replace(snapshot, layout=layout)

    return told


def test_a_topic_is_made_with_the_very_replicas_shown(operate, world):
    """The placed topic is judged, confirmed and asked for; the page says that it is there."""
    at = operate(Wish(), page="new_topic")
    at.text_input(key="topic-name").set_value("payments").run()
    at.text_area(key="topic-configs").set_value("retention.ms=1000").run()
    at.segmented_control(key="topic-view-live").set_value("On the live cluster").run()

    assert buttons(at)["Create payments on prod"].disabled

    at.text_input(key="confirm-topic-request").set_value("FAKE").run()
    buttons(at)["Create payments on prod"].click().run()

    assert not at.exception
    assert len([key for key in world.cluster.lists if key[0] == "payments"]) == 6
    assert "payments was created on the live cluster." in texts(at)
    (step,) = world.journal.steps(cluster_id="FAKE", kind="topic")
    assert step.content["configs"] == {"retention.ms": "1000"}
    assert len(step.content["assignments"]) == 6


def test_an_upload_offers_no_election_and_no_creation(opened):
    """Leaders and New topic of a text have no view that writes."""
    at = opened("leaders")

    assert not any("Run an election" in control.options for control in at.segmented_control)


def test_no_secret_is_shown_or_journaled(operate, world):
    """The connection's password is on no page and in no file of the journal, from the plan to the verdict."""
    at = confirm(operate())
    buttons(at)["Move 2 replicas on prod"].click().run()
    shown = everything(at)
    world.carry_out()
    shown += everything(at.run())

    assert "Verified." in texts(at)
    assert "no executor is running" in shown
    assert PLANTED not in shown
    assert not any(
        PLANTED.encode() in file.read_bytes() for file in world.journal.path.parent.iterdir() if file.is_file()
    )


def test_partition_ids_with_gaps_are_as_many_as_partitions():
    """Ids typed for ZooKeeper's nodes: one a partition, ascending; else a sentence says what is needed."""
    spec = TopicSpec.placed("orders", {0: [1, 2], 1: [2, 1]})

    assert numbered(spec, "") is spec
    assert dict(numbered(spec, "10, 21").assignment) == {10: (1, 2), 21: (2, 1)}
    assert "2 different ids" in numbered(spec, "10")
    assert "2 different ids" in numbered(spec, "21, 10")
    assert "whole numbers" in numbered(spec, "10;21")


def test_the_plan_page_leads_to_operate_and_tells_the_command(operate, opened):
    """On a live cluster the plan's commands come with a link to Operate; of an upload they come without it."""
    at = operate(page="plan")
    at.segmented_control(key="plan-view").set_value("Commands").run()

    assert not at.exception
    assert any("python -m reseat operate execute" in code.value for code in at.code)
    assert "Execute on prod" in links(at)

    at = opened("plan", wish=BROKER_3_OUT)
    at.segmented_control(key="plan-view").set_value("Commands").run()

    assert any("python -m reseat operate execute" in code.value for code in at.code)
    assert not any(label.startswith("Execute on") for label in links(at))


def test_what_is_sent_is_the_plan_at_the_point_that_was_chosen(operate, world):
    """Loads 6, 2, 1 once broker 9 has left: three moves even them out, where one would do for the what-if alone."""
    lists = {**{("a", i): [1] for i in range(6)}, ("b", 0): [2], ("b", 1): [2], ("c", 0): [3], ("d", 0): [9]}
    world.layout = ClusterLayout.from_assignments(lists)
    world.cluster = FakeCluster(lists)
    wish = Wish(remove=(9,), point=3)
    at = operate(wish)
    shown = {figure.label: figure.value for figure in at.metric}

    assert not at.exception
    assert "Draining broker 9 on prod: 3 replicas move" in texts(at)
    assert (shown["Replicas move"], shown["Partitions changed"]) == ("3", "3")

    at = operate(wish.at(None))

    assert next(figure.value for figure in at.metric if figure.label == "Replicas move") == "1"


@pytest.mark.parametrize("left", [10**12, 10])
def test_the_plan_that_is_carried_out_names_log_directories_where_that_is_asked_for(operate, world, left):
    """Each new replica where most is left; where none has room the box is not ticked any more, and it says why."""
    world.log_dirs = two_disks(left)
    at = operate()
    next(box for box in at.checkbox if "log directory" in box.label).check().run()
    assert not at.exception
    if left == 10:
        assert "No log directory of broker" in texts(at)
        assert not next(box for box in at.checkbox if "log directory" in box.label).value
    at.segmented_control(key="operate-detail").set_value("The plan's text").run()
    named = named_directories(read_sealed(at.code[-1].value).proposed)

    assert named == ({("orders", 1): {1: "/b"}, ("orders", 2): {4: "/b"}} if left > 10 else {})


def test_plan_and_report_say_how_long_it_takes_from_earlier_runs(operate, world, monkeypatch):
    """600 MB in 60 s were seen on this cluster, without a throttle; a run on another cluster says nothing."""
    with monkeypatch.context() as clock:
        make_ended(world.journal, clock, seconds=60, cluster="ELSEWHERE")
    at = operate(page="plan")
    at.segmented_control(key="plan-view").set_value("Commands").run()
    unknown = texts(at)
    with monkeypatch.context() as clock:
        make_ended(world.journal, clock, seconds=60, cluster="FAKE")
    at.run()

    assert not at.exception
    assert "No earlier run on this cluster showed a rate without one." in unknown
    assert "from 1 earlier run on this cluster of 2026-11-23." in texts(at)
    at.query_params.clear()
    at.switch_page("pages/report.py").run()
    assert not at.exception
