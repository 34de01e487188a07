"""Findings that a plan makes appear, go away or change."""

from __future__ import annotations

from reseat.balance.finding_changes import finding_changes
from reseat.model import Finding, Severity


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
