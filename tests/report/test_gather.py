"""What a report is made of, where the layout is not the one that was read."""

from __future__ import annotations

import numpy as np

from reseat.formats import Reading
from reseat.model import (
    Broker,
    BrokerState,
    ClusterLayout,
    Finding,
    LogDirectory,
    Quorum,
    QuorumMember,
    Severity,
    Wish,
)
from reseat.report.build import build, warnings_of
from reseat.report.chapters import summary
from reseat.report.content import Light
from reseat.report.gather import gather
from reseat.report.matter import ReportChoices
from reseat.report.sentences import remaining, spread_of


def test_rows_behind_a_finding_are_those_of_the_layout_told_of() -> None:
    """Rows 0 (left out) and 2 of the text: what is told of has the latter alone, as its row 1."""
    layout = ClusterLayout.from_assignments({("a", 0): [1], ("b", 0): [1], ("b", 1): [2]})
    finding = Finding("odd", Severity.ATTENTION, "Odd.", rows=np.array([0, 2]))
    reading = Reading(layout, kind="a literal", source="x", findings=(finding,))

    matter = gather(reading, layout.without_topics(("a",)), Wish())

    assert matter.reading[0].rows.tolist() == [1]
    assert gather(reading, layout, Wish()).reading[0].rows.tolist() == [0, 2]


def test_the_spread_before_is_that_of_the_pages() -> None:
    """A cordoned broker can get nothing, so its 0 is no end of the spread, and a broker that joins was not there."""
    layout = ClusterLayout.from_assignments(
        {("t", 0): [1, 2], ("t", 1): [1, 2]},
        brokers=[Broker(1), Broker(2), Broker(3, state=BrokerState.CORDONED)],
    )
    for wish in (Wish(), Wish(add=((9, None),)), Wish(rebalance=True)):
        matter = gather(Reading(layout, kind="a literal", source="x"), layout, wish)

        assert spread_of(matter, after=False) == 0


def test_a_plan_that_disks_and_controllers_speak_against_is_warned_of() -> None:
    """Who approves a plan by its report reads what Plan says: room on disks, votes of who leaves, and who is down."""
    layout = ClusterLayout.from_assignments(
        {("a", 0): [1, 2], ("a", 1): [2, 1]},
        brokers=[Broker(1), Broker(2), Broker(3, state=BrokerState.FENCED)],
        size_bytes={("a", 0): 2e9, ("a", 1): 2e9},
    )
    quorum = Quorum(1, tuple(QuorumMember(one, behind_seconds=0.1) for one in (1, 2, 4)))
    reading = Reading(layout, "text", quorum=quorum, log_dirs=(LogDirectory(3, "/a", 10**10, 10**9),))
    matter = gather(reading, layout, Wish(remove=(1,)), beside=False)
    said, told = " ".join(warnings_of(matter, ReportChoices())), summary.chapter(matter, ReportChoices())

    assert "broker 3 has 1.0 GB left and would get 4.0 GB" in said
    assert "controller quorum" in said
    assert "probably down" in said
    assert told.light is Light.RED
    assert told.text[-1] == "Please do not approve it before the critical issues are understood."


def test_a_log_directory_that_is_offline_is_a_finding_of_the_report_too() -> None:
    """As *Overview* and ``show`` say it; a plan mends no disk, so that it is found after the change as well."""
    layout = ClusterLayout.from_assignments({("a", 0): [1, 2]}, brokers=[Broker(1), Broker(2), Broker(3)])
    reading = Reading(layout, "text", log_dirs=(LogDirectory(2, "/a", error="KAFKA_STORAGE_ERROR"),))
    matter = gather(reading, layout, Wish(remove=(1,)), beside=False)

    assert "log_dir_error" in {one.kind for one in matter.findings}
    assert "log_dir_error" in {one.kind for one in matter.findings_after or ()}


def test_sizes_that_are_known_in_part_make_one_amount_and_one_time() -> None:
    """In each chapter, and on Plan: what is known is the least, not unknown in one place and all in another."""
    sizes = {("t", 0): 1e9, ("t", 1): float("nan")}
    layout = ClusterLayout.from_assignments({("t", 0): [1, 2], ("t", 1): [1, 2]}, size_bytes=sizes)
    layout = layout.with_brokers([Broker(3)])
    matter = gather(Reading(layout, kind="a literal", source="x"), layout, Wish(remove=(2,)))
    told = [fact for chapter in build(matter, ReportChoices(throttle=1e7)).chapters for fact in chapter.facts]

    assert {fact.shown for fact in told if fact.label == "Data to copy"} == {"at least 1.0 GB"}
    assert {fact.shown for fact in told if fact.label == "Copying takes"} == {"at least 1 min 40 s"}
    assert matter.plan is not None
    assert matter.plan.moves.amount == "at least 1.0 GB"


def test_what_brokers_hold_afterwards_is_what_the_spread_is_over() -> None:
    """A broker whose disk has failed keeps six replicas and is left out of both: 1 to 2, and a spread of 1."""
    broken = Broker(3, state=BrokerState.ALIVE, offline_dirs=("/b",))
    layout = ClusterLayout.from_assignments(
        {**{("a", at): [3] for at in range(6)}, **{("b", at): [1] for at in range(3)}},
        brokers=[Broker(1), Broker(2), broken],
    )
    matter = gather(Reading(layout, kind="a literal", source="x"), layout, Wish(rebalance=True))
    held = remaining(matter)

    assert held is not None
    assert held[1] - held[0] == spread_of(matter, after=True)
