"""Every door of the dashboard asks who is there: what a page shows, and what a button does that was drawn before."""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from components.server import visitor
from components.state import caching, shared
from components.state.linked import LinkedLayouts
from components.state.opened import Opened, SessionState
from components.state.store import KEY
from reseat.access import Access, Addresses, Person
from reseat.jobs.process import PipelineProcess, Stage
from reseat.model import Snapshot
from reseat.sources import followed
from reseat.sources.connection import Connection
from reseat.sources.followed import LiveCluster, LiveClusters

from .conftest import at_clusters, small, texts

_APP = Path(__file__).resolve().parents[2] / "app.py"
ACCESS = Access(sign_in=True, allowed=("ada@example.org",))


def signed_in(name: str, ago: float = 60) -> Person:
    """Somebody who signed in so many seconds ago, for a day."""
    at = time.time() - ago
    return Person(name, f"{name}@example.org", True, signed_in=True, issued_at=at, expires_at=at + 86_400)


@dataclass
class There:
    """Who is there, and who may what; to be changed."""

    person: Person
    access: Access


@pytest.fixture
def there(monkeypatch, tmp_path) -> There:
    """A server with a sign-in that nobody has used yet, and one named cluster."""
    there, clusters = There(Person(loopback=True), ACCESS), LiveClusters()
    monkeypatch.setattr(visitor, "person", lambda shown="": there.person)
    monkeypatch.setattr(visitor, "access", lambda: there.access)
    monkeypatch.setattr(shared, "live_clusters", lambda: clusters)
    monkeypatch.setenv("RESEAT_CLUSTER_PROD_BOOTSTRAP", "kafka1:9092")
    monkeypatch.setenv("RESEAT_LANDING", str(tmp_path / "landing"))
    monkeypatch.setenv("RESEAT_TABLES", str(tmp_path / "tables"))
    return there


def following(app: AppTest) -> LiveCluster:
    """Let the session look at the named cluster, read just now."""
    cluster = shared.live_clusters().of(Connection(name="prod", bootstrap=("kafka1:9092",)))
    snapshot = Snapshot(small(), datetime.now(UTC), "admin", cluster="prod", cluster_id="abc")
    cluster.take(snapshot)
    opened = Opened(cluster.state.reading, snapshot.taken_at, snapshot=snapshot, live=cluster)
    app.session_state[KEY] = SessionState(opened={"prod": opened}, current="prod", started=True)
    return cluster


def keys(at: AppTest) -> set[str]:
    """The keys of the page's buttons."""
    return {button.key for button in at.button}


def test_a_named_cluster_is_for_who_signed_in(app, there):
    """Nobody: neither name nor address nor form, but the way to sign in. Anybody signed in: all of it."""
    at = at_clusters(app, "live")

    assert not at.exception
    assert "Sign in to read the clusters" in texts(at)
    assert "kafka1" not in texts(at)
    assert not {"choose-prod", "connect-read"} & keys(at)
    assert not [field for field in at.text_input if str(field.key).startswith("connect-servers")]
    assert "Sign in" in [button.label for button in at.button]

    there.person = signed_in("ben")
    at.run()

    assert "kafka1:9092" in texts(at)
    assert {"choose-prod", "connect-read"} <= keys(at)


def test_a_button_drawn_before_reads_nothing_once_the_sign_in_is_too_old(app, there, monkeypatch):
    """The click arrives after the right has ended: no reading begins."""
    there.person = signed_in("ben")
    at = at_clusters(app, "live")
    begun = []
    monkeypatch.setattr(followed.LiveCluster, "refresh", lambda self: begun.append(self.name))
    there.person = signed_in("ben", ago=13 * 3600)
    at.button(key="connect-read").click().run()

    assert begun == []
    assert "too long ago" in texts(at)


def test_a_cluster_that_is_open_is_hidden_once_the_sign_in_is_too_old(app, there):
    """Each page says so in its place; signing in again brings it back as it was."""
    following(app)
    at = app.run()

    assert "Sign in to read the clusters" in texts(at)
    assert "4 partitions" not in texts(at)

    for page in ("plan", "operate", "heatmap"):
        at.switch_page(f"pages/{page}.py").run()

        assert not at.exception
        assert "4 partitions" not in texts(at)

    there.person = signed_in("ben")
    at.switch_page("pages/overview.py").run()

    assert "4 partitions" in texts(at)


def test_a_link_to_a_clusters_layout_opens_for_who_may_look(app, there, monkeypatch):
    """Its whole digest is not enough where a sign-in stands before the cluster."""
    shelf = LinkedLayouts()
    monkeypatch.setattr(shared, "linked_layouts", lambda: shelf)
    there.person = signed_in("ben")
    following(app)
    app.run()
    address = {name: value for name, value in app.query_params.items() if name != "live"}

    def opens() -> bool:
        again = AppTest.from_file(str(_APP), default_timeout=60)
        for name, value in address.items():
            again.query_params[name] = value
        again.run()
        assert not again.exception
        return "4 partitions" in texts(again)

    assert opens()
    there.person = Person(loopback=True)
    assert not opens()


def test_runs_that_are_not_over_are_for_who_may_look(app, there, monkeypatch):
    """The journal names clusters and people: it is not even opened for who may see neither."""
    opened = []
    monkeypatch.setattr(shared, "journal", lambda *, make: opened.append(make))
    app.run()
    at = app.switch_page("pages/operate.py").run()

    assert not at.exception
    assert opened == []

    there.person = signed_in("ben")
    at.run()

    assert opened == [False]


def test_saving_a_snapshot_is_operating(app, there, tmp_path):
    """Who may look sees why; who may operate saves one."""
    there.person = signed_in("ben")
    following(app)
    at = app.run()

    assert "ben is not listed: [operate] allowed in the secrets lists who may save snapshots" in texts(at)
    assert not [field for field in at.text_input if str(field.key).startswith("keep-name")]

    there.person = signed_in("ada")
    at.run()
    next(button for button in at.button if button.form_id == "keep-prod").click().run()

    assert list((tmp_path / "landing").rglob("*.json*"))


@pytest.fixture
def pipeline(monkeypatch) -> list[object]:
    """What was asked of the pipeline, which does nothing."""
    asked: list[object] = []
    process = PipelineProcess()
    monkeypatch.setattr(process, "start", asked.append)
    monkeypatch.setattr(process, "cancel", lambda: asked.append("cancel"))
    monkeypatch.setattr(shared, "pipeline", lambda: process)
    return asked


def test_the_pipeline_is_started_and_cancelled_by_operators(app, there, pipeline):
    """Its buttons are off for others, and a click on one that was drawn before the right ended does nothing."""
    there.person = signed_in("ben")
    at = at_clusters(app, "fleet")

    assert not at.exception
    assert at.button(key="pipeline-demo").disabled
    assert at.button(key="pipeline-run").disabled

    there.person = signed_in("ada")
    at.run()

    assert not at.button(key="pipeline-run").disabled
    there.person = signed_in("ada", ago=3700)
    at.button(key="pipeline-run").click().run()
    assert pipeline == []

    there.person = signed_in("ada")
    at.run()
    at.button(key="pipeline-run").click().run()
    assert len(pipeline) == 1
    assert isinstance(pipeline[0][0], Stage)


@pytest.mark.parametrize("page", ["clusters", "history", "resilience"])
def test_the_history_is_not_read_for_who_may_not_look(app, there, monkeypatch, page):
    """No table is opened at all; the page says what it takes."""
    read = []
    monkeypatch.setattr(caching, "history_in", read.append)
    at = at_clusters(app, "fleet") if page == "clusters" else app.run().switch_page(f"pages/{page}.py").run()

    assert not at.exception
    assert read == []
    assert "Sign in to see the history" in texts(at)


@pytest.fixture
def tried(monkeypatch) -> list[tuple[str, ...]]:
    """The servers whose connection was tested."""
    tried: list[tuple[str, ...]] = []
    monkeypatch.setattr(followed.LiveCluster, "test", lambda self: tried.append(self.connection.bootstrap))
    return tried


@pytest.mark.parametrize(
    "setting_typed_refused",
    [
        ("any", "10.0.0.1:22", ""),
        ("kafka1,*.example.org:9092", "b1.example.org:9092", ""),
        ("kafka1,*.example.org:9092", "kafka1:9092, 10.0.0.1:22", "10.0.0.1:22 is not an allowed address"),
    ],
)
def test_a_typed_address_is_tried_where_the_setting_has_it(app, there, tried, setting_typed_refused):
    """Every server of it is; where one is not listed nothing is tried, and nothing is learnt of it."""
    setting, typed, refused = setting_typed_refused
    there.access = Access(addresses=Addresses.read(setting))
    at = at_clusters(app, "live")
    at.text_input(key="connect-servers-0").set_value(typed)
    next(button for button in at.button if button.form_id == "connect-form").click().run()

    assert not at.exception
    assert bool(tried) is not bool(refused)
    assert refused in texts(at)


def test_what_is_refused_stays_to_be_mended_but_for_its_password(app, there, tried):
    """One server too many: it and the password are all that is typed again; once used, nothing is left."""
    there.access = Access(addresses=Addresses.read("kafka1"))
    at = at_clusters(app, "live")
    at.selectbox(key="connect-protocol").set_value("SASL_SSL").run()
    typed = {"Servers": "kafka1:9093,10.0.0.1:22", "User": "alice", "Password": "s3cret", "Display name": "mine"}

    def fields() -> dict[str, object]:
        return {field.label: field for field in at.text_input if field.form_id == "connect-form"}

    def use(**again: str) -> dict[str, str]:
        for label, value in again.items():
            fields()[label].set_value(value)
        next(button for button in at.button if button.form_id == "connect-form").click().run()
        at.run()  # as a card beside the form makes it
        return {label: field.value for label, field in fields().items()}

    assert use(**typed) == {**typed, "Password": ""}
    assert "10.0.0.1:22 is not an allowed address" in texts(at)
    assert not any(use(Servers="kafka1:9093", Password="s3cret").values())

    connection = at.session_state[KEY].typed["mine"].connection

    assert not at.exception
    assert tried == [("kafka1:9093",)]
    assert (connection.username, connection.password.reveal()) == ("alice", "s3cret")


@pytest.mark.parametrize(
    "login_typed_said",
    [
        ("SASL (DIGEST-MD5)", {"User": "alice"}, "Password is empty."),
        ("SASL (DIGEST-MD5)", {"Password": "s3cret"}, "User is empty."),
        ("Digest", {"User": "alice"}, "User or Password is empty."),
    ],
)
def test_a_login_left_empty_is_asked_for_by_its_label(app, there, tried, login_typed_said):
    """Nobody is told a key of the configuration, or to write quotes, who fills a form."""
    login, typed, said = login_typed_said
    there.access = Access(addresses=Addresses.read("any"))
    at = at_clusters(app, "live")
    at.segmented_control(key="connect-way").set_value("ZooKeeper").run()
    at.segmented_control(key="connect-login").set_value(login).run()
    for field in at.text_input:
        if field.form_id == "connect-form":
            field.set_value({"Servers": "zk1:2181", **typed}.get(field.label, ""))
    next(button for button in at.button if button.form_id == "connect-form").click().run()

    assert not at.exception
    assert f"**{said}**" in texts(at)
    assert tried == []


def test_no_address_is_typed_where_that_is_off(app, there):
    """There is no form; the clusters that are configured can be read all the same."""
    there.access = Access(addresses=Addresses.read("off"))
    at = at_clusters(app, "live")

    assert "only to the clusters in its configuration" in texts(at)
    assert not [field for field in at.text_input if str(field.key).startswith("connect-servers")]
    assert "connect-read" in keys(at)
