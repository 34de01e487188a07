"""What a session remembers: live clusters that are opened once, and what was clicked on a chart."""

from __future__ import annotations

import time
from dataclasses import replace
from datetime import UTC, datetime
from types import SimpleNamespace

import pytest
import streamlit as st

from components.server import visitor
from components.state import caching, session, shared, store, widgets
from reseat.access import Access, Person
from reseat.model import Certificate, ClusterLayout, Plan, Snapshot, Wish
from reseat.report.copying import copying_of, rollback
from reseat.sources.connection import Connection
from reseat.sources.followed import LiveCluster


def live(name: str) -> LiveCluster:
    """A live cluster that was read."""
    cluster = LiveCluster(Connection(name=name, bootstrap=("127.0.0.1:9",)))
    snapshot = Snapshot(ClusterLayout.from_assignments({("t", 0): [1]}), datetime.now(UTC), "admin", cluster=name)
    cluster.take(snapshot)
    return cluster


@pytest.fixture(autouse=True)
def nothing_kept():
    """A session of its own, empty before and after."""
    st.session_state.clear()
    yield
    st.session_state.clear()


def test_a_live_cluster_that_is_opened_again_is_the_same():
    """Another one is opened beside it; the first, asked for again, is looked at again, and is not opened twice."""
    first, second = live("prod"), live("test")
    for cluster in (first, second, first):
        session.open_live(cluster)

    assert list(store.state().opened) == ["prod", "test"]
    assert session.open_layout().name == "prod"
    assert session.open_layout().live is first


def test_the_pipeline_is_begun_and_cancelled_for_who_may_alone(monkeypatch):
    """Whatever button was drawn: somebody listed, somebody signed in, and the same once the sign-in is too old."""
    asked, now = [], time.time()
    process = SimpleNamespace(start=lambda stages: not asked.append(stages), cancel=lambda: asked.append("cancel"))
    operator = Person("cy", signed_in=True, issued_at=now, expires_at=now + 3600, claims={"groups": ("ops",)})
    monkeypatch.setattr(shared, "pipeline", lambda: process)
    monkeypatch.setattr(visitor, "access", lambda: Access(sign_in=True, allowed=("groups=ops",)))
    for person in (replace(operator, claims={}), replace(operator, issued_at=now - 7200), Person(loopback=True)):
        monkeypatch.setattr(visitor, "person", lambda shown, person=person: person)
        session.cancel_pipeline()

        session.start_pipeline(["run"])

        assert asked == []

    monkeypatch.setattr(visitor, "person", lambda shown: operator)
    session.cancel_pipeline()
    session.start_pipeline(["run"])

    assert asked == ["cancel", ["run"]]


def test_what_marks_are_called_is_the_first_of_their_data():
    """A list, a text alone, an empty list, a number and nothing: only texts are names."""
    data = (["orders", 3], "payments", [], 7, [4])
    st.session_state["chart"] = {"selection": {"points": [{"customdata": one} for one in data] + [{}]}}

    assert widgets.clicked_names("chart") == ["orders", "payments"]
    assert widgets.clicked_names("another") == []


def test_the_way_back_copies_what_the_way_there_dropped():
    """One partition goes from broker 1 to 3: there broker 3 receives it, back broker 1 does, and 3 leads it then."""
    sizes = {("t", 0): 100.0}
    current = ClusterLayout.from_assignments({("t", 0): [1]}, size_bytes=sizes)
    proposed = ClusterLayout.from_assignments({("t", 0): [3]}, size_bytes=sizes)
    brokers = current.with_brokers(proposed.brokers).brokers
    plan = Plan(current.with_brokers(brokers), proposed.with_brokers(brokers), Certificate(wish=Wish(), moves=1))

    there, back = (caching.kept(copying_of)(way) for way in (plan, rollback(plan)))

    assert (there.received.tolist(), there.sent.tolist()) == ([0.0, 100.0], [100.0, 0.0])
    assert (back.received.tolist(), back.sent.tolist()) == ([100.0, 0.0], [0.0, 100.0])
