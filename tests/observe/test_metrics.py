"""What metrics tell of clusters, of the journal, and of what happened."""

from __future__ import annotations

import threading
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from prometheus_client import CollectorRegistry

from reseat.balance import findings
from reseat.errors import ClusterUnreachable, InputRefused
from reseat.model import Broker, BrokerState, ClusterLayout, Snapshot, Wish
from reseat.model.finding import Finding, Severity
from reseat.observe import events, metrics
from reseat.observe.metrics import Held, HeldCollector, address_of
from reseat.operate.journal.journal import Journal
from reseat.operate.journal.proposals import ProposedPlan
from reseat.operate.journal.records import RunState
from reseat.operate.journal.values import Approval, PlannedMove
from reseat.sources.connection import Connection
from reseat.sources.followed import LiveCluster

LAYOUT = ClusterLayout.from_assignments(
    {("secret-topic", 0): [1, 2], ("secret-topic", 1): [2, 1]},
    brokers=[Broker(1, state=BrokerState.ALIVE), Broker(2, state=BrokerState.DEAD)],
    leaders={("secret-topic", 0): 1, ("secret-topic", 1): None},
    in_sync={("secret-topic", 0): [1], ("secret-topic", 1): [2]},
)
UNCLEAN = "unclean.leader.election.enable"
NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
LATER = datetime(2126, 5, 1, 12, tzinfo=UTC)


def registry(**held: object) -> CollectorRegistry:
    """A registry with a collector of what is held."""
    nothing = {"sessions": lambda: 0, "layouts": list, "clusters": list, "journal": lambda: None}
    made = CollectorRegistry()
    made.register(HeldCollector(Held(**{**nothing, **held})))  # type: ignore[arg-type]
    return made


def test_a_cluster_is_told_by_its_last_reading() -> None:
    """Findings by severity and when it was read; before a reading nothing is told of it."""
    read, unread = LiveCluster(Connection(name="shop")), LiveCluster(Connection(name="other"))
    read.take(Snapshot(LAYOUT, NOON, "admin"))
    told = registry(clusters=lambda: [read, unread])

    assert told.get_sample_value("reseat_findings", {"cluster": "shop", "severity": "critical"}) > 0  # type: ignore[operator]
    assert told.get_sample_value("reseat_findings", {"cluster": "other", "severity": "critical"}) is None
    assert told.get_sample_value("reseat_cluster_read_at_seconds", {"cluster": "shop"}) == NOON.timestamp()


def test_what_is_found_beside_the_layout_is_counted_too() -> None:
    """As Overview shows it: a cluster without a quorum whose partitions are whole had no critical finding here."""
    sound, live = ClusterLayout.from_assignments({("a", 0): [1]}), LiveCluster(Connection(name="shop"))
    lost = Finding("no_quorum", Severity.BROKEN, "No controller answers.")
    live.take(Snapshot(sound, NOON, "admin", findings=(lost,), topic_configs={"a": {UNCLEAN: "true"}}))
    told = registry(clusters=lambda: [live])
    counts = {
        one.word: told.get_sample_value("reseat_findings", {"cluster": "shop", "severity": one.word})
        for one in Severity
    }

    assert counts == {"critical": 1, "warning": 1, "info": sum(f.severity is Severity.NOTE for f in findings(sound))}


def test_a_scrape_does_not_wait_for_the_findings_of_a_large_cluster() -> None:
    """They are counted beside it, once; until then those of the reading before are told."""
    ended, asked, large = threading.Event(), [], LiveCluster(Connection(name="large"))

    def findings_of(layout: ClusterLayout) -> tuple[Finding, ...]:
        asked.append(layout)
        if len(asked) > 1:
            ended.wait(20)
        return findings(layout) if len(asked) == 1 else ()

    told = registry(clusters=lambda: [large], findings=findings_of)
    labels = {"cluster": "large", "severity": "critical"}
    large.take(Snapshot(LAYOUT, NOON, "admin"))
    before = told.get_sample_value("reseat_findings", labels)
    large.take(Snapshot(LAYOUT, NOON + timedelta(minutes=1), "admin"))
    began = time.monotonic()
    meanwhile = [told.get_sample_value("reseat_findings", labels) for _ in range(2)]
    took = time.monotonic() - began
    ended.set()
    until = time.monotonic() + 20
    while (after := told.get_sample_value("reseat_findings", labels)) != 0 and time.monotonic() < until:
        time.sleep(0.01)

    assert before
    assert meanwhile == [before, before]
    assert took < 5
    assert after == 0
    assert len(asked) == 2


def test_runs_and_their_partitions_are_told_of_the_journal(tmp_path: Path) -> None:
    """Runs by state, partitions of open runs alone; a journal that cannot be read takes the other numbers not away."""
    journal = Journal(tmp_path / "journal.sqlite")
    moves = [PlannedMove("secret-topic", row, (1, 2), (2, 3)) for row in range(3)]
    over = journal.approve(Approval("A", "shop", "{}", "{}", "h", "ann", moves))
    with journal.lease("A", operator="ann", run_id=over.id) as lease:
        journal.set_state(lease, over.id, RunState.CANCELLED, "Cancelled.")
    journal.approve(Approval("A", "shop", "{}", "{}", "h", "ann", moves[:2]))
    told = registry(journal=lambda: journal, sessions=lambda: 7)

    assert told.get_sample_value("reseat_runs", {"cluster": "shop", "state": "cancelled"}) == 1
    assert told.get_sample_value("reseat_runs", {"cluster": "shop", "state": "approved"}) == 1
    assert told.get_sample_value("reseat_moves", {"cluster": "shop", "state": "waiting"}) == 2
    assert told.get_sample_value("reseat_throttles_left", {"cluster": "shop"}) == 0
    proposed = ProposedPlan(0, "A", "shop", "Broker 7 leaves", "{}", "p", (), "ann", frozenset({"ann"}), NOON, LATER)
    journal.propose(proposed)
    journal.propose(replace(proposed, hash="q", expires_at=NOON))  # expired long ago
    assert told.get_sample_value("reseat_proposals", {"cluster": "shop", "state": "proposed"}) == 1
    journal.close()

    def broken() -> Journal:
        raise InputRefused("The journal cannot be opened.")

    assert registry(journal=broken, sessions=lambda: 7).get_sample_value("reseat_sessions") == 7


def test_a_run_that_nobody_works_on_is_told(tmp_path: Path) -> None:
    """As after a crash or a restart of the machine: its state says running, and nobody changes it."""
    journal = Journal(tmp_path / "journal.sqlite")
    run = journal.approve(Approval("A", "shop", "{}", "{}", "h", "ann", ()))
    told = registry(journal=lambda: journal)

    def alone() -> float | None:
        return told.get_sample_value("reseat_runs_without_executor", {"cluster": "shop"})

    with journal.lease("A", operator="ann", run_id=run.id) as lease:
        journal.set_state(lease, run.id, RunState.RUNNING, "Running.")
        at_work = alone()
    left = alone()
    with journal.lease("A", operator="ann", run_id=run.id) as lease:
        journal.set_state(lease, run.id, RunState.CANCELLED, "Cancelled.")

    assert (at_work, left, alone()) == (0, 1, 0)


def test_throttles_that_an_old_run_left_are_told_whatever_ran_since(tmp_path: Path) -> None:
    """An alarm goes out once they are restored, not once ten runs of other clusters have come."""
    journal = Journal(tmp_path / "journal.sqlite")

    def ended(cluster: str, *, throttled: bool) -> int:
        run = journal.approve(Approval(cluster, cluster.lower(), "{}", "{}", "h", "ann", ()))
        with journal.lease(cluster, operator="ann", run_id=run.id) as lease:
            if throttled:
                journal.record_intent(cluster, "throttles", {}, operator="ann", run_id=run.id, lease=lease)
            journal.set_state(lease, run.id, RunState.CANCELLED, "Cancelled.")
        return run.id

    left = ended("SHOP", throttled=True)
    for cluster in ("SHOP", "LOGS") * 10:
        ended(cluster, throttled=False)
    going = journal.approve(Approval("LOGS", "logs", "{}", "{}", "h", "ann", ()))
    journal.record_intent("LOGS", "throttles", {}, operator="ann", run_id=going.id)
    told = registry(journal=lambda: journal)
    before = [told.get_sample_value("reseat_throttles_left", {"cluster": cluster}) for cluster in ("shop", "logs")]
    back = journal.record_intent("SHOP", "throttles back", {}, operator="ann", run_id=left)
    journal.record_outcome(back, {"left": [], "theirs": []})

    assert before == [1, 0]
    assert told.get_sample_value("reseat_throttles_left", {"cluster": "shop"}) == 0


def test_what_happens_is_counted_where_it_happens(caplog: pytest.LogCaptureFixture) -> None:
    """A reading that failed, a plan that was refused: how it ended, and how long it took."""
    caplog.set_level("INFO", "reseat")
    failed = {"cluster": "shop-1", "outcome": "failed"}
    events.reading_ended(
        LiveCluster(Connection(name="shop-1")),
        timedelta(seconds=2),
        ClusterUnreachable("secret-host is away.", "route"),
    )
    before = metrics.REGISTRY.get_sample_value("reseat_plan_seconds_count", {"kind": "drain"}) or 0
    with pytest.raises(InputRefused), events.planning(Wish(remove=(1,))):
        raise InputRefused("No.")

    assert metrics.REGISTRY.get_sample_value("reseat_cluster_readings_total", failed) == 1
    assert metrics.REGISTRY.get_sample_value("reseat_cluster_reading_seconds_sum", {"cluster": "shop-1"}) == 2
    assert metrics.REGISTRY.get_sample_value("reseat_plan_seconds_count", {"kind": "drain"}) == before + 1
    assert [(one.message, one.outcome) for one in caplog.records] == [
        ("cluster reading", "failed"),
        ("plan", "refused"),
    ]
    assert "secret-host" not in caplog.text


@pytest.mark.parametrize(
    ("wish", "kind"),
    [
        (Wish(), "none"),
        (Wish(remove=(1,)), "drain"),
        (Wish(add=((9, None),)), "add"),
        (Wish(rebalance=True), "rebalance"),
        (Wish(remove=(1,), rebalance=True), "combined"),
        (Wish(leaders_only=True), "leaders"),
        (Wish(mend=True), "mend"),
    ],
)
def test_a_plan_has_a_kind(wish: Wish, kind: str) -> None:
    """One of few words."""
    assert events.kind_of(wish) == kind


def test_an_address_is_a_port_or_both() -> None:
    """A port alone is this machine's own."""
    assert address_of("9108") == ("127.0.0.1", 9108)
    assert address_of("0.0.0.0:9108") == ("0.0.0.0", 9108)
    assert address_of("[::1]:9108") == ("::1", 9108)
    for told in ("", "host", "host:", "0", "70000", "host:²"):
        with pytest.raises(InputRefused, match="a port was expected"):
            address_of(told)
