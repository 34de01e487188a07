"""Findings that a plan makes appear, go away or change."""

from __future__ import annotations

from reseat.balance import findings
from reseat.balance.finding_changes import finding_changes, findings_after
from reseat.model import Broker, Certificate, ClusterLayout, Finding, Plan, Severity, Wish


def test_findings_that_appear_and_go_away_are_told_apart() -> None:
    """By kind: new ones first, then those that go away, then those with another sentence; leaders are no placement."""

    def found(kind: str, sentence: str = "x") -> Finding:
        return Finding(kind, Severity.NOTE, sentence)

    changes = finding_changes(
        (found("same_host"), found("replica_skew", "before"), found("offline"), found("duplicate_replicas")),
        (found("duplicate_replicas"), found("replica_skew", "after"), found("rack_shared_while_free")),
    )

    assert [(change.status, (change.after or change.before).kind) for change in changes] == [  # type: ignore[union-attr]
        ("new", "rack_shared_while_free"),
        ("resolved", "same_host"),
        ("changed", "replica_skew"),
    ]
    assert [change.sentence for change in changes] == ["x", "x", "after"]


def test_a_rack_that_is_emptied_does_not_count_as_free() -> None:
    """Brokers taken out are no place where replicas could be: their rack is not held against the plan."""
    proposed = ClusterLayout.from_assignments(
        {("t", 0): [1, 2]}, brokers=[Broker(1, "a"), Broker(2, "a"), Broker(3, "b")]
    )
    plan = Plan(proposed, proposed, Certificate(wish=Wish(remove=(3,)), moves=0))
    kinds = {finding.kind for finding in findings_after(plan)}

    assert "rack_shared_while_free" in {finding.kind for finding in findings(proposed)}
    assert not kinds & {"rack_shared_while_free", "dead_broker_mentioned", "empty_broker"}
