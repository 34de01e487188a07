"""Connect: clusters named and typed, tested, read beside the page, followed, lost and found; no secret is shown."""

from __future__ import annotations

import logging
import re
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from components.shell.live_strip import progress_in_words
from components.state import shared
from components.state.connections import in_short
from components.state.linked import LinkedLayouts
from components.state.store import KEY
from reseat.errors import Cancelled, ClusterUnreachable
from reseat.model import Broker, BrokerState, ClusterLayout, Consistency, Quorum, QuorumMember, Snapshot, Wish
from reseat.sources import followed
from reseat.sources.connection import Connection
from reseat.sources.diagnosis import DiagnosisStep, StepOutcome
from reseat.sources.followed import LiveCluster, LiveClusters
from reseat.sources.progress import ReadingProgress, Report
from tests.pages.conftest import APP, Opened, address, at_clusters, small, tables, texts

PLANTED = "pl4nted-S3cret"
BEGUN = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


class Readings:
    """A cluster that is read without a network: what the next reading brings, one after the other; then the last."""

    def __init__(self, *answers: Snapshot | ClusterUnreachable) -> None:
        self.answers = list(answers)
        self.asked: list[Connection] = []
        self.held: threading.Event | None = None
        self.begun = threading.Event()

    def __call__(
        self, connection: Connection, *, report: Report | None = None, cancelled: threading.Event | None = None
    ) -> Snapshot:
        self.asked.append(connection)
        logging.getLogger("kafka.fake").debug("reading %s", connection)
        if report is not None:
            report(ReadingProgress("partition states", 3, 12))
        self.begun.set()
        if self.held is not None:
            self.held.wait(20)
        if cancelled is not None and cancelled.is_set():
            raise Cancelled("The reading was stopped.")
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, ClusterUnreachable):
            raise answer
        return answer


def live() -> ClusterLayout:
    """The small layout, of which a cluster tells that all brokers are alive."""
    layout = small()
    return replace(layout, brokers=tuple(replace(broker, state=BrokerState.ALIVE) for broker in layout.brokers))


def taken(layout: ClusterLayout | None = None, seconds: float = 0, **told: object) -> Snapshot:
    """A snapshot of the small layout."""
    values: dict[str, object] = {"cluster_id": "id-1", "controller": 2, "metadata": "zookeeper", "version": "2.8"}
    return Snapshot(
        live() if layout is None else layout,
        BEGUN + timedelta(seconds=seconds),
        "zookeeper",
        **{"consistency": Consistency.CONSISTENT, **values, **told},  # type: ignore[arg-type]
    )


def shrunk() -> ClusterLayout:
    """The small layout after its broker 4 left: one ISR shrank."""
    layout = live()
    assert layout.in_sync is not None
    gone = layout.in_sync & (layout.replica_ids != 4)
    brokers = tuple(replace(b, state=BrokerState.DEAD) if b.id == 4 else b for b in layout.brokers)
    return replace(layout, in_sync=np.asarray(gone, np.bool_), brokers=brokers)


LOST = ClusterUnreachable("zk1:2181 refused the connection. Does it run?", "refused", "zk1:2181")

Reads = Callable[..., Readings]


@pytest.fixture
def registry(monkeypatch: pytest.MonkeyPatch) -> Iterator[LiveClusters]:
    """A server on which nobody has read anything, with one cluster named in the environment."""
    clusters = LiveClusters()
    monkeypatch.setattr(shared, "live_clusters", lambda: clusters)
    monkeypatch.setenv("RESEAT_CLUSTER_PROD_ZOOKEEPER", "zk1:2181/kafka")
    monkeypatch.setenv("RESEAT_CLUSTER_PROD_ZOOKEEPER_DIGEST", f"reader:{PLANTED}")
    yield clusters
    prod = clusters.find("prod")
    assert prod is None or prod.wait(20)


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch, registry: LiveClusters) -> Reads:
    """Say what readings bring."""

    def bring(*answers: Snapshot | ClusterUnreachable) -> Readings:
        readings = Readings(*answers)
        monkeypatch.setattr(followed, "read_cluster", readings)
        return readings

    return bring


def at_connect(app: AppTest) -> AppTest:
    """Go to Connect."""
    return at_clusters(app, "live")


def prod(registry: LiveClusters) -> LiveCluster:
    """The named cluster."""
    found = registry.find("prod")
    assert found is not None
    return found


def read(app: AppTest, registry: LiveClusters) -> AppTest:
    """Press Read, wait for the reading, and let the page look again."""
    app.button(key="connect-read").click().run()
    assert prod(registry).wait(20)
    return app.run()


def test_nothing_named_says_how_to_begin(app: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a named cluster: the form, how to name one, and no button to read."""
    monkeypatch.setattr(shared, "live_clusters", LiveClusters)
    at_connect(app)

    assert not app.exception
    assert "No live cluster yet" in texts(app)
    assert any("[clusters.production]" in str(code.value) for code in app.code)
    assert not [button for button in app.button if button.key == "connect-read"]


@pytest.mark.parametrize("named", ["prod", "staging"])
def test_a_link_to_a_cluster_that_is_not_there_says_so(app: AppTest, registry: LiveClusters, named: str) -> None:
    """Another one is looked at then, and nobody takes it for the one that was linked."""
    app.query_params["named"] = named
    at_connect(app)

    assert not app.exception
    assert ("Left out, because it is not offered here: named=staging." in texts(app)) is (named == "staging")


def test_read_opens_the_layout_on_every_page(app: AppTest, reads: Reads, registry: LiveClusters) -> None:
    """Read on Connect: strip, figures and facts appear; Overview works on it unchanged."""
    reads(taken())
    read(at_connect(app), registry)
    said = texts(app)

    assert not app.exception
    assert "ZooKeeper, consistent" in said
    assert "Consistent: the state of the cluster right before the first request." in said
    assert "cluster id `id-1`" in said
    assert "One reading so far" in said
    app.switch_page("pages/overview.py").run()
    assert not app.exception
    assert "a live cluster, read from ZooKeeper" in texts(app)


def test_a_cluster_read_from_the_first_page_is_opened_as_well(
    app: AppTest, reads: Reads, registry: LiveClusters
) -> None:
    """Who pressed its button there is led to the reading, and finds the layout on every page after it."""
    reads(taken())
    app.switch_page("pages/overview.py").run()
    app.button(key="door-live-prod").click().run()
    assert prod(registry).wait(20)
    at_connect(app)

    assert not app.exception
    assert "ZooKeeper, consistent" in texts(app)


def test_the_page_is_drawn_while_a_reading_runs_and_cancel_stops_it(
    app: AppTest, reads: Reads, registry: LiveClusters
) -> None:
    """Progress and Cancel are there while the reader is held; after Cancel nothing is open and nothing is wrong."""
    readings = reads(taken())
    readings.held = threading.Event()
    at_connect(app)
    app.button(key="connect-read").click().run()
    assert readings.begun.wait(20)
    app.run()

    assert "being read" in texts(app)
    assert app.button(key="connect-read").disabled
    app.button(key="connect-cancel").click().run()
    readings.held.set()
    assert prod(registry).wait(20)
    app.run()
    assert prod(registry).state.snapshot is None
    assert prod(registry).state.error is None
    assert "not read yet" in texts(app)


def test_what_changed_is_told_and_the_what_if_stays(app: AppTest, reads: Reads, registry: LiveClusters) -> None:
    """A second reading replaces the layout under the what-if, and Connect tells what changed."""
    reads(taken(), taken(shrunk(), 30))
    read(at_connect(app), registry)
    state = app.session_state[KEY]
    state.here.wish = Wish(remove=(4,))
    read(app, registry)
    said = texts(app)

    assert not app.exception
    assert "Broker 4 went down, 1 ISR shrank." in said
    assert len(tables(app)[0].value) == 2
    app.text_input(key="changes-prod-search").set_value("schemas").run()
    assert tables(app)[0].value["change"].tolist() == ["▼ left the ISR"]
    assert app.session_state[KEY].here.wish == Wish(remove=(4,))
    assert state.opened["prod"].snapshot is prod(registry).state.snapshot


def test_the_named_cluster_and_the_reading_whose_changes_are_shown_stand_in_the_address(
    app: AppTest, reads: Reads, registry: LiveClusters
) -> None:
    """Of two readings the earlier: the address says its time, and stays with it once another reading comes."""
    reads(taken(), taken(shrunk(), 30), taken(seconds=60), taken(shrunk(), 90))
    read(at_connect(app), registry)
    for _ in range(2):
        read(app, registry)
    app.button(key="choose-prod").click().run()
    since = next(one for one in app.selectbox if one.label == "Changes between readings")
    since.set_value(1).run()
    told = address(app)
    shown = tables(app)[0].value.to_csv()
    read(app, registry)

    assert not app.exception
    assert told["named"] == "prod"
    assert re.fullmatch(r"\d{8}T\d{6}\.\d{6}", told["reading"])
    assert address(app)["reading"] == told["reading"]
    assert tables(app)[0].value.to_csv() == shown


def test_a_lost_cluster_keeps_its_layout_and_comes_back(app: AppTest, reads: Reads, registry: LiveClusters) -> None:
    """Lost: the last layout with its age and the reason, on every page; the next reading brings it back."""
    reads(taken(), LOST, taken(seconds=90))
    read(at_connect(app), registry)
    read(app, registry)
    lost = texts(app)
    app.switch_page("pages/overview.py").run()
    overview = texts(app)
    at_connect(app)
    read(app, registry)

    assert "prod cannot be read: unreachable. Shown: " in lost
    assert "refused the connection" in lost
    assert "unreachable" in overview
    assert "refused the connection" in overview
    assert "4 partitions" in overview
    assert "unreachable" not in texts(app)


def test_a_cluster_that_cannot_be_read_says_why(app: AppTest, reads: Reads, registry: LiveClusters) -> None:
    """Refused at the first reading: the sentence, and no layout."""
    reads(LOST)
    read(at_connect(app), registry)

    assert "prod cannot be read." in texts(app)
    assert "refused the connection" in texts(app)
    assert app.session_state[KEY].current is None


def test_everybody_sees_the_same_reading(reads: Reads, registry: LiveClusters) -> None:
    """One person reads; another opens the last reading without asking the cluster again."""
    readings = reads(taken())
    first, second = (AppTest.from_file(str(APP), default_timeout=60) for _ in range(2))
    read(at_connect(first), registry)
    at_connect(second).button(key="connect-open").click().run()

    assert not second.exception
    assert second.session_state[KEY].opened["prod"].snapshot is prod(registry).state.snapshot
    assert len(readings.asked) == 1


def test_a_reload_goes_on_following(app: AppTest, reads: Reads, registry: LiveClusters) -> None:
    """The address of a live layout, opened anew after a further reading: the latest reading, with the what-if."""
    reads(taken(), taken(shrunk(), 30))
    read(at_connect(app), registry)
    app.segmented_control(key="connect-every-prod").set_value("30 s").run()
    app.session_state[KEY].here.wish = Wish(remove=(4,))
    app.switch_page("pages/overview.py").run()
    address = dict(app.query_params)
    prod(registry).refresh()
    assert prod(registry).wait(20)
    again = AppTest.from_file(str(APP), default_timeout=60)
    for key, value in address.items():
        again.query_params[key] = value
    again.run()

    assert address["live"] == "30"
    assert again.session_state[KEY].kept["refresh prod"] == 30.0
    assert not again.exception
    assert again.session_state[KEY].opened["prod"].snapshot is prod(registry).state.snapshot
    assert again.session_state[KEY].here.wish == Wish(remove=(4,))


@pytest.mark.parametrize("wall", [False, True])
def test_a_link_to_a_named_cluster_is_one_click_away(
    app: AppTest, reads: Reads, registry: LiveClusters, monkeypatch: pytest.MonkeyPatch, wall: bool
) -> None:
    """The server was started again: a reload offers to read the cluster at once, and shows the what-if on it.

    On the wall nobody is there to click: it is read by itself.
    """
    reads(taken(), taken(shrunk(), 30))
    read(at_connect(app), registry)
    app.session_state[KEY].here.wish = Wish(remove=(4,))
    app.switch_page("pages/overview.py").run()
    registry = LiveClusters()  # as after a start
    monkeypatch.setattr(shared, "live_clusters", lambda: registry)
    empty = LinkedLayouts()
    monkeypatch.setattr(shared, "linked_layouts", lambda: empty)
    again = AppTest.from_file(str(APP), default_timeout=60)
    for key, value in dict(app.query_params).items():
        again.query_params[key] = value
    if wall:
        again.query_params["wall"] = "1"
    again.run()

    assert "has not been loaded since the server started" in texts(again)

    if not wall:
        again.button(key="read-linked").click().run()
    assert prod(registry).wait(20)
    again.run()

    assert not again.exception
    assert again.session_state[KEY].current == "prod"
    assert again.session_state[KEY].here.wish == Wish(remove=(4,))
    assert "1 not alive" in texts(again)


def test_a_dead_broker_stands_in_the_sentence_and_the_strip(app: AppTest, reads: Reads, registry: LiveClusters) -> None:
    """Nobody counts four brokers as four where one is dead."""
    reads(taken(shrunk()))
    read(at_connect(app), registry)

    assert "4 brokers and " in texts(app)
    assert "broker 4 is not alive." in texts(app)
    assert "Broker 4 is not alive, so sizes and settings there are unknown" in texts(app)
    assert "1 not alive" in texts(app)


def test_controllers_that_are_no_brokers_are_said_to_be_none(
    app: AppTest, reads: Reads, registry: LiveClusters
) -> None:
    """Who votes and leads stands among the facts, and no broker is made of them."""
    quorum = Quorum(101, tuple(QuorumMember(one, behind=0) for one in (101, 102, 103)), dynamic=True)
    reads(taken(controller=101, metadata="kraft", quorum=quorum))
    read(at_connect(app), registry)

    assert "dynamic quorum of 3 voters (101, 102 and 103): 101 leads" in texts(app)
    assert "which is not a broker" in texts(app)
    assert "4 brokers and " in texts(app)


@pytest.mark.parametrize(("told", "shown"), [(True, "0"), (False, "unknown")])
def test_what_is_under_way_is_no_zero_where_nobody_tells_it(
    app: AppTest, reads: Reads, registry: LiveClusters, told: bool, shown: str
) -> None:
    """A quorum without a leader does not list reassignments: that is not the same as none."""
    reads(taken(under_way_told=told))
    read(at_connect(app), registry)

    assert [metric.value for metric in app.metric if metric.label == "Reassigning"] == [shown]


def test_readings_are_due_after_the_interval_and_never_overlap(reads: Reads, registry: LiveClusters) -> None:
    """Due: so long after the last attempt ended. Not before, not by hand, and not while one is under way."""
    readings = reads(taken())
    now = [BEGUN]
    cluster = LiveCluster(Connection(zookeeper=("zk:2181",)), clock=lambda: now[0])

    assert not cluster.refresh_if_due(10)  # the first reading is asked for by a person
    cluster.refresh()
    assert cluster.wait(20)
    now[0] += timedelta(seconds=9)
    assert not cluster.refresh_if_due(10)
    now[0] += timedelta(seconds=1)
    assert not cluster.refresh_if_due(None)
    readings.held = threading.Event()
    assert cluster.refresh_if_due(10)
    assert not cluster.refresh_if_due(0)
    assert not cluster.refresh()
    readings.held.set()
    assert cluster.wait(20)
    assert len(readings.asked) == 2
    now[0] -= timedelta(hours=3)  # a clock that was put right: what is shown would not be read again for three hours
    assert cluster.refresh_if_due(10)
    assert cluster.wait(20)


def test_a_typed_address_is_tested_and_its_password_shows_nowhere(
    app: AppTest, reads: Reads, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Typed with a password: tested, read; the password is in no element, address, log or snapshot of the session."""
    caplog.set_level(logging.DEBUG)
    reads(replace(taken(), protocol="admin", consistency=Consistency.NOT_PROMISED))

    def steps(
        connection: Connection, *, report: Callable[[DiagnosisStep], None] | None = None
    ) -> tuple[DiagnosisStep, ...]:
        assert report is not None
        report(DiagnosisStep("Login", StepOutcome.FAILED, "The password of alice is wrong.", "authentication"))
        return ()

    monkeypatch.setattr(followed, "diagnose", steps)
    at_connect(app)
    app.selectbox(key="connect-protocol").set_value("SASL_SSL").run()
    app.text_input(key="connect-servers-0").set_value("b1:9093")
    app.text_input(key="connect-user-0").set_value("alice")
    app.text_input(key="connect-password-0").set_value(PLANTED)
    next(button for button in app.button if button.label == "Use and test").click().run()
    cluster = app.session_state[KEY].typed["b1:9093"]
    assert cluster.wait(20)
    app.run()
    tested = texts(app)
    app.button(key="connect-read").click().run()
    assert cluster.wait(20)
    app.run()

    assert not app.exception
    assert "The password of alice is wrong." in tested
    assert cluster.connection.password.reveal() == PLANTED
    assert "not a consistent snapshot" in texts(app)
    assert PLANTED not in str(app.main) + str(app.sidebar) + repr(app.session_state[KEY])
    assert "named" not in app.query_params
    assert PLANTED not in str(dict(app.query_params)) + caplog.text + repr(cluster.state) + repr(cluster.connection)
    assert PLANTED not in repr(vars(shared.linked_layouts()))


def test_what_is_typed_wrong_is_refused_without_being_repeated(app: AppTest, registry: LiveClusters) -> None:
    """A password in the address is refused, the sentence does not quote it, and stays when the page is drawn anew."""
    at_connect(app)
    app.text_input(key="connect-servers-0").set_value(f"alice:{PLANTED}@b1:9093")
    next(button for button in app.button if button.label == "Use and test").click().run()

    assert "do not belong in an address" in texts(app)

    app.run()

    assert "do not belong in an address" in texts(app)
    assert PLANTED not in texts(app)


def test_a_refusal_names_the_field_and_goes_with_the_fields(app: AppTest, registry: LiveClusters) -> None:
    """It began "The form: Cluster prod: bootstrap:", and "Token is empty" stood in a form without a token."""
    at_connect(app)
    app.text_input(key="connect-servers-0").set_value("b1 9093")
    app.text_input(key="connect-name-0").set_value("prod")
    next(button for button in app.button if button.label == "Use and test").click().run()

    assert "**Servers: '9093' is neither an IPv4 address nor a host name.**" in texts(app)

    app.segmented_control(key="connect-way").set_value("ZooKeeper").run()

    assert "'9093'" not in texts(app)
    assert app.text_input(key="connect-servers-0").value == "b1 9093"


def test_an_address_left_empty_is_asked_for(app: AppTest, registry: LiveClusters) -> None:
    """Nothing typed, and a chroot without servers: the field is named by its label, with what it takes."""
    at_connect(app)
    next(button for button in app.button if button.label == "Use and test").click().run()

    assert "Servers is empty: enter host:port" in texts(app)

    app.segmented_control(key="connect-way").set_value("ZooKeeper").run()
    app.text_input(key="connect-chroot-0").set_value("kafka")
    next(button for button in app.button if button.label == "Use and test").click().run()

    assert "Servers is empty: enter host:port" in texts(app)


def test_a_cluster_named_wrongly_stands_beside_the_others(
    app: AppTest, registry: LiveClusters, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One cluster of the configuration is refused with its key; the other can be read."""
    monkeypatch.setenv("RESEAT_CLUSTER_OLD_BOOTSTRP", "b1:9092")
    at_connect(app)

    assert "did you mean bootstrap?" in texts(app)
    assert app.button(key="choose-prod").label == "prod"
    assert not app.button(key="connect-read").disabled


def test_hostile_names_are_text(app: AppTest, opened: Opened, reads: Reads, registry: LiveClusters) -> None:
    """A topic and a rack with markup in the table of changes and in sentences stay text."""
    evil = "<img src=x onerror=alert(1)>"
    before = ClusterLayout.from_assignments({(evil, 0): [1, 2]}, brokers=[Broker(1, evil), Broker(2)])
    after = ClusterLayout.from_assignments({(evil, 0): [2, 1]}, brokers=[Broker(1, evil), Broker(2)])
    reads(taken(before), taken(after, 5, unsettled=(evil,), consistency=Consistency.UNSETTLED, not_read=(evil,)))
    read(at_connect(app), registry)
    read(app, registry)

    assert not app.exception
    assert not any(evil in str(markdown.value) for markdown in (*app.markdown, *app.caption))
    assert tables(app)[0].value["topic"].tolist() == [evil]


def test_a_wrong_password_is_no_network_that_fails(app: AppTest, reads: Reads, registry: LiveClusters) -> None:
    """Whoever reads "unreachable" looks for a firewall; the strip of every page says what it is, too."""
    reads(taken(), ClusterUnreachable("prod:9092 rejects the login.", "authentication", "prod:9092"))
    read(at_connect(app), registry)
    read(app, registry)
    lost = texts(app)
    app.switch_page("pages/overview.py").run()

    assert "prod cannot be read: login failed. Shown: " in lost
    assert "login failed" in texts(app)
    assert "unreachable" not in lost + texts(app)


def test_many_servers_are_counted_in_the_list() -> None:
    """Cut in the middle of all of them, ports of one stood behind names of another."""
    few = Connection("prod", ("b1:9092", "b2:9092"))
    many = Connection("old", zookeeper=tuple(f"zk{i}:2181" for i in range(5)), chroot="/kafka")

    assert in_short(few) == "b1:9092,b2:9092"
    assert in_short(many) == "zk0:2181/kafka and 4 more"


def test_what_is_read_first_is_no_connection() -> None:
    """The first step is one that is made."""
    assert progress_in_words(ReadingProgress("connection")) == "connecting"
    assert progress_in_words(ReadingProgress("topics", 3, 1_200)) == "reading topics, 3 of 1,200"
