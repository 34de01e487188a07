"""The Operate page over a cluster in memory: read-only, guarded, confirmed, begun, watched, stopped and taken back."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

import pytest

from components import caching, operate_person, operate_reading, operate_start
from components.live import LiveCluster, _reading_of
from components.session import _KEY, _Opened, _State
from reseat.errors import ClusterUnreachable
from reseat.model import BrokerState, ClusterLayout, Snapshot, Wish
from reseat.operate import execute
from reseat.operate.journal import Journal
from reseat.operate.people import Access, Person
from reseat.sources.connection import Connection
from tests.operate.fake_target import FakeCluster

from .conftest import small, texts

BROKER_3_OUT = Wish(remove=(3,))


@dataclass
class World:
    """The cluster in memory, what the page reads of it, and the runs that were begun."""

    cluster: FakeCluster
    journal: Journal
    layout: ClusterLayout
    begun: list[int] = field(default_factory=list)
    lost: str = ""

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
        return Snapshot(told, datetime.now(UTC), "admin", cluster="prod", cluster_id="FAKE")

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
    monkeypatch.setattr(caching, "journal", lambda *, make: journal)

    @contextmanager
    def target_of(desk):
        yield world.cluster.target()

    monkeypatch.setattr(operate_reading, "read_cluster", world.read)
    monkeypatch.setattr(operate_reading, "target_of", target_of)
    monkeypatch.setattr(operate_start, "target_of", target_of)
    monkeypatch.setattr(operate_start, "go_on", lambda desk, run: world.begun.append(run.id))
    monkeypatch.setattr(operate_person, "person", lambda: Person(name="ana", loopback=True))
    monkeypatch.setattr(operate_person, "access", Access)
    yield world
    journal.close()


@pytest.fixture
def operate(app, world):
    """Open a page over the live cluster in memory, with a what-if."""

    def at(wish: Wish | None = BROKER_3_OUT, page: str = "operate"):
        live = LiveCluster(Connection(name="prod", bootstrap=("fake:9092",)))
        snapshot = world.read(live.connection)
        live._set(snapshot=snapshot, reading=_reading_of(snapshot, "prod"), generation=1)
        opened = _Opened(live.state.reading, snapshot.taken_at, snapshot=snapshot, live=live)
        state = _State(opened={"prod": opened}, current="prod", started=True)
        state.wish = wish or Wish()
        app.session_state[_KEY] = state
        app.run()
        app.switch_page(f"pages/{page}.py").run()
        return app

    return at


def buttons(at) -> dict[str, object]:
    """The page's buttons by label, Markdown's escapes taken out."""
    return {button.label.replace("\\", ""): button for button in at.button}


def confirm(at, typed: str = "FAKE"):
    """Type the cluster's id."""
    return at.text_input(key="confirm-plan-plan").set_value(typed).run()


def test_a_layout_read_from_text_needs_a_live_cluster(opened):
    """An upload has no cluster to write to: the page says so and leads to Connect; there is no button to begin."""
    at = opened("operate", wish=BROKER_3_OUT)

    assert not at.exception
    assert "Carrying a plan out needs a live cluster" in texts(at)
    assert not any(label.startswith("Move") for label in buttons(at))


def test_without_writing_enabled_the_page_only_reads(operate, monkeypatch):
    """The plan and its checks are shown; one sentence says how writing is enabled; nothing can be typed or pressed."""
    monkeypatch.delenv("RESEAT_OPERATE")
    at = operate()

    assert not at.exception
    assert "Here one can read only" in texts(at)
    assert "RESEAT_OPERATE=1" in texts(at)
    assert "2 replicas move" in texts(at)
    assert not any(label.startswith("Move") for label in buttons(at))
    assert not any(field.key == "confirm-plan-plan" for field in at.text_input)


def test_a_person_who_is_not_listed_only_reads(operate, monkeypatch):
    """With sign-in configured and somebody else signed in, the page says who may and offers no button."""
    monkeypatch.setattr(operate_person, "access", lambda: Access(sign_in=True, allowed=("ana@example.org",)))
    monkeypatch.setattr(operate_person, "person", lambda: Person("bob", email="bob@example.org", signed_in=True))
    at = operate()

    assert not at.exception
    assert "bob is not listed" in texts(at)
    assert "Sign out bob" in buttons(at)
    assert not any(label.startswith("Move") for label in buttons(at))
