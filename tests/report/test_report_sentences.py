"""What the headings say, against cases made by hand; and that nothing is claimed that is not proven."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from reseat.formats import Reading
from reseat.model import Broker, BrokerState, Certificate, ClusterLayout, Gaps, Wish
from reseat.model.gaps import ShortTopic
from reseat.report import Matter, ReportChoices, build
from reseat.report.build import warnings_of
from reseat.report.chapters import change, cost, findings, summary, today, why
from reseat.report.content import Bars, ChapterKind, Light, Report
from reseat.report.gather import gather
from reseat.schedule.estimate import ObservedRate
from tests.report.reckoning import fact, matter_of, sample

_AT = datetime(2026, 3, 2, 12, tzinfo=UTC)
_CHOICES = ReportChoices(made_at=_AT)


def _layout(racks: bool = True, dead: int | None = None, sizes: bool = True, **gaps: object) -> ClusterLayout:
    """Four brokers in two racks, two partitions of 1 MB in two copies each: 1 and 2 hold 2, 3 and 4 hold 0 and 0."""
    brokers = [
        Broker(
            number,
            rack=f"rack-{number % 2}" if racks else None,
            state=BrokerState.DEAD if number == dead else BrokerState.ALIVE,
        )
        for number in (1, 2, 3, 4)
    ]
    lists = {("orders", 0): [1, 2], ("orders", 1): [2, 1]}
    made = ClusterLayout.from_assignments(
        lists,
        brokers=brokers,
        leaders={key: next((b for b in row if b != dead), None) for key, row in lists.items()},
        in_sync={key: [b for b in row if b != dead] for key, row in lists.items()},
        size_bytes=dict.fromkeys(lists, 1e6) if sizes else None,
    )
    return replace(made, gaps=Gaps(racks_told=bool(gaps.pop("racks_told", True)), **gaps))


def _certified(matter: Matter, **fields: object) -> Matter:
    """The same report with another certificate."""
    assert matter.plan is not None
    certificate = replace(matter.plan.certificate, **fields)
    return replace(matter, plan=replace(matter.plan, certificate=certificate))


def _texts(report: Report) -> list[str]:
    """Every sentence and word of a report."""
    said = [report.title, report.subtitle, *report.warnings]
    for chapter in report.chapters:
        said += [chapter.heading, *chapter.text, *chapter.notes]
        said += [part for one in chapter.facts for part in (one.label, one.shown, one.detail) if part]
        said += [part for one in chapter.figures for part in (one.title, one.says)]
        for table in chapter.tables:
            said += [value for column in table.columns for value in column.values if isinstance(value, str)]
    return said


def test_a_drain_is_told_with_what_it_copies_and_why_not_less() -> None:
    """The certificate proves the least, so the heading may say it."""
    matter = matter_of(_layout(), Wish(remove=(1,)))
    chapter = summary.chapter(matter, _CHOICES)

    assert chapter.heading == "Draining broker 1 copies 2 replicas (2.0 MB), and no plan for it can move fewer."
    assert chapter.text == (
        "The cluster has 4 brokers in 2 racks with 2 partitions (4 replicas); there are no critical issues, "
        "but 1 warning.",
        "Draining broker 1 copies 2 replicas (2.0 MB); afterwards brokers have 0 to 2 replicas.",
        "Please approve the change, and decide how fast each broker may copy.",
    )
    assert chapter.rule == summary.RULE
    assert len(chapter.facts) == 5


def test_an_approval_is_asked_for_with_the_time_where_a_throttle_is_chosen() -> None:
    """2 MB onto broker 3 in one batch at 1 MB/s are two seconds."""
    matter = matter_of(_layout(), Wish(remove=(1,)))
    chosen = replace(_CHOICES, throttle=1e6)

    assert summary.chapter(matter, chosen).text[2] == (
        "Please approve the change and about 2 s of copying at 1.0 MB/s per broker."
    )
    assert cost.chapter(matter, chosen).heading == "2.0 MB is copied, 1.0 MB of it from rack to rack, in about 2 s."


def test_nothing_wished_asks_for_nothing_that_is_not_needed() -> None:
    """Without a change there are chapters of today alone, and the third sentence says what is to be decided."""
    matter = matter_of(_layout())
    chapter = summary.chapter(matter, _CHOICES)

    assert chapter.heading == "No critical issues in 2 partitions on 4 brokers; 1 warning."
    assert chapter.text[1:] == (
        "No change is proposed.",
        "Please decide which warnings to fix.",
    )
    assert [one.label for one in chapter.facts] == [
        "Brokers", "Partitions", "Replicas", "Replica spread", "Findings",
    ]  # fmt: skip
    assert {change.chapter(matter, _CHOICES), why.chapter(matter, _CHOICES), cost.chapter(matter, _CHOICES)} == {None}
    kinds = {one.kind for one in build(matter, _CHOICES).chapters}
    assert not kinds & {ChapterKind.CHANGE, ChapterKind.WHY, ChapterKind.COST}


def test_a_balanced_cluster_is_green_and_asks_for_nothing() -> None:
    """Every broker holds one copy, every leader is preferred."""
    lists = {("orders", 0): [1, 2], ("orders", 1): [2, 1]}
    layout = ClusterLayout.from_assignments(
        lists,
        brokers=[Broker(1, "a", state=BrokerState.ALIVE), Broker(2, "b", state=BrokerState.ALIVE)],
        leaders={key: row[0] for key, row in lists.items()},
        in_sync=lists,
    )
    chapter = summary.chapter(matter_of(layout), _CHOICES)

    assert chapter.light is Light.GREEN
    assert chapter.heading == "No critical issues and no warnings in 2 partitions on 2 brokers."
    assert chapter.text[2] == "No decision is needed."
    assert today.chapter(matter_of(layout), _CHOICES).heading == (
        "Replicas are balanced: every live broker has 2 replicas."
    )


def test_a_text_of_lists_alone_is_not_called_healthy() -> None:
    """Nobody told of leaders or in-sync replicas: the first page says so, asks for no false calm and is not green."""
    layout = ClusterLayout.from_assignments(
        {("orders", 0): [1, 2], ("orders", 1): [2, 1]}, brokers=[Broker(1, "a"), Broker(2, "b")]
    )
    matter = matter_of(layout)
    chapter = summary.chapter(matter, _CHOICES)
    said = _texts(build(matter, _CHOICES))

    assert chapter.light is Light.AMBER
    assert chapter.heading == (
        "Unknown whether partitions are offline or under-replicated: leaders or in-sync replicas are unknown."
    )
    assert "leaders or in-sync replicas are unknown, so critical issues may be missed." in chapter.text[0]
    assert chapter.text[2] == "No decision is needed, as far as the input tells."
    assert not [one for one in said if "no critical" in one.lower()]


def test_a_refused_wish_says_why_and_is_red() -> None:
    """Two partitions of factor 2 cannot live on one broker."""
    matter = matter_of(_layout(), Wish(remove=(1, 2, 3)))
    report = build(matter, _CHOICES)
    chapter = report.chapters[0]

    assert matter.refusal is not None
    assert chapter.heading == "Draining brokers 1, 2 and 3 is not possible as requested."
    assert chapter.light is Light.RED
    assert chapter.text[1:] == (
        "It was refused: Replication factor 2 needs as many brokers, but only 1 broker that can hold replicas is left "
        "(2 partitions of topic orders concerned).",
        "Please decide how to change the request; nothing moves until then.",
    )
    assert report.warnings[0] == f"There is no plan: {matter.refusal}"
    assert not {one.kind for one in report.chapters} & {ChapterKind.CHANGE, ChapterKind.WHY, ChapterKind.COST}


def test_a_plan_that_is_not_proven_says_so_and_is_amber() -> None:
    """Without the proof no sentence claims it."""
    matter = _certified(matter_of(_layout(), Wish(remove=(1,))), moves_proven=False)
    report = build(matter, _CHOICES)

    assert report.chapters[0].heading == (
        "Draining broker 1 copies 2 replicas (2.0 MB); it is not proven that this is the minimum."
    )
    assert report.chapters[0].light is Light.AMBER
    assert "It is not proven that this plan makes the minimum number of moves." in report.warnings


def test_a_number_of_moves_that_was_chosen_is_no_failed_proof(project: Path) -> None:
    """Whoever chooses a number of moves asks for balance, not for the least."""
    matter = matter_of(sample(project, "zookeeper-2.8-three-racks.txt"), Wish(add=((20, "az-a"),), point=16))
    assert matter.plan is not None
    assert not matter.plan.certificate.moves_proven
    report = build(matter, _CHOICES)

    assert report.chapters[0].heading == (
        "Adding broker 20 copies 16 replicas (1.3 MB), the number chosen for better balance."
    )
    assert not any("not proven that this plan makes the minimum" in one for one in report.warnings)


_FLAGS = [name for name in Certificate.__dataclass_fields__ if name.endswith("_proven")]


@pytest.mark.parametrize(
    "wish",
    [
        Wish(remove=(4,)),
        Wish(add=((20, "az-a"),)),
        Wish(replication_factor=3, topics=("audit-log",)),
        Wish(remove=(7,), point=294),
        Wish(remove=(4,), add=((20, "az-b"),)),
    ],
    ids=["drain", "add", "factor", "point", "replace"],
)
def test_nothing_is_claimed_that_is_not_proven(project: Path, wish: Wish) -> None:
    """With every flag of the certificate taken away, no chapter says that something is proven or cannot be bettered."""
    made = matter_of(sample(project, "zookeeper-2.8-three-racks.txt"), wish)
    claims = re.compile(
        r"(?<!not )\bproven\b|(?<!not proven that )\bno plan\b|cannot be (better|shared)|would worsen", re.IGNORECASE
    )
    bare = _certified(made, **dict.fromkeys(_FLAGS, False), sentences=())
    chapters = (
        ChapterKind.SUMMARY,
        ChapterKind.TODAY,
        ChapterKind.FINDINGS,
        ChapterKind.CHANGE,
        ChapterKind.WHY,
        ChapterKind.COST,
    )
    told = build(bare, replace(_CHOICES, chapters=chapters, throttle=1e6))
    known = ("Proven objectives", "Proven: ", "What is proven")  # what the word means, and a count that says 0

    assert [one for one in _texts(told) if claims.search(one) and not one.startswith((*known, summary.RULE[:20]))] == []
    own = why.chapter(made, _CHOICES)
    assert own is not None
    flags = [getattr(made.plan.certificate, name) for name in _FLAGS]
    assert fact(own, "Proven objectives").value == sum(flags)
    assert sum("(proven)" in one for one in own.text) == sum(flags)


def test_added_brokers_are_compared_with_plans_that_fill_them_as_well(project: Path) -> None:
    """The least is proven among plans of that spread, so that is what is said."""
    matter = matter_of(sample(project, "zookeeper-2.8-three-racks.txt"), Wish(add=((20, "az-a"),)))
    told = why.chapter(matter, _CHOICES)

    assert told is not None
    assert told.heading == "No plan that fills the new brokers as well copies fewer than 32 replicas."
    assert summary.chapter(matter, _CHOICES).heading.endswith(
        "and no plan that fills the new brokers as well can move fewer."
    )


def test_unknown_racks_are_said_first_and_taken_out_of_what_is_proven() -> None:
    """Racks that nobody knows were no part of the proof, and traffic between them has no price."""
    matter = matter_of(_layout(racks=False, racks_told=False), Wish(remove=(1,)))
    report = build(matter, replace(_CHOICES, price_per_gb=0.02))
    named = {one.kind: one for one in report.chapters}

    assert report.warnings[0].startswith("Racks are unknown")
    assert named[ChapterKind.SUMMARY].light is Light.AMBER
    assert named[ChapterKind.SUMMARY].heading.endswith("and no plan for it can move fewer (racks unknown).")
    assert fact(named[ChapterKind.COST], "From rack to rack").shown == "unknown"
    assert fact(named[ChapterKind.COST], "Price of that traffic").shown == "unknown"
    assert "Racks are unknown, so traffic between racks and its price are unknown." in named[ChapterKind.COST].text
    assert any("Unknown racks are not part of the proof." in one for one in named[ChapterKind.WHY].text)


def test_a_cluster_without_racks_is_not_one_of_unknown_racks() -> None:
    """Where it is told that there are none, there is no traffic between them, and nothing to warn of."""
    matter = matter_of(_layout(racks=False), Wish(remove=(1,)))
    told = cost.chapter(matter, _CHOICES)

    assert told is not None
    assert "No broker has a rack, so there is no traffic between racks to count." in told.text
    assert not any("acks" in one for one in warnings_of(matter, _CHOICES))


def test_a_dead_broker_is_marked_and_is_amber_where_the_change_mends_it() -> None:
    """Broker 1 is dead and holds replicas: critical now, and gone once it is drained."""
    matter = matter_of(_layout(dead=1), Wish(remove=(1,)))
    bare = matter_of(_layout(dead=1))
    told = today.chapter(matter, _CHOICES)
    wrong = findings.chapter(matter, _CHOICES)

    assert told.figures[0].marked is not None
    assert "dead" in told.figures[0].marked
    assert "Broker 1 is dead. Averages and spreads do not count it." in told.text
    assert summary.chapter(bare, _CHOICES).light is Light.RED
    assert summary.chapter(bare, _CHOICES).text[2] == "Please have the critical issues fixed first."
    assert wrong.heading.startswith("2 critical issues need action")
    assert summary.light_of(matter) is Light.AMBER
    assert wrong.text[0].startswith("Fixed by the change: ")


def test_an_incomplete_input_is_said_on_the_first_page_and_is_red() -> None:
    """What is planned of a part says so, also where a person accepted it."""
    short = ShortTopic("orders", 5, 3, (2, 3, 4))
    matter = matter_of(_layout(short=(short,), accepted=True), Wish(remove=(1,)))
    report = build(matter, _CHOICES)

    assert matter.plan is not None
    assert report.warnings[0].startswith("The input is incomplete: 3 partitions are missing")
    assert sum("incomplete" in one for one in report.warnings) == 1
    assert report.chapters[0].light is Light.RED


def test_a_faulty_plan_is_red_and_nothing_is_told_of_what_it_does() -> None:
    """Neither what it moves nor what it costs stands anywhere."""
    matter = _certified(matter_of(_layout(), Wish(remove=(1,))), faults=("Partition orders-0 stands on broker 9.",))
    report = build(matter, _CHOICES)
    chapter = report.chapters[0]

    assert chapter.heading == "The plan for draining broker 1 has 1 fault and must not be executed."
    assert chapter.light is Light.RED
    assert chapter.text[2] == "Please do not approve this plan."
    assert not {one.kind for one in report.chapters} & {ChapterKind.CHANGE, ChapterKind.COST}
    told = why.chapter(matter, _CHOICES)
    assert told is not None
    assert not any("(proven)" in one for one in told.text)


def test_a_change_that_copies_nothing_says_so() -> None:
    """Broker 4 holds nothing; a factor that falls drops replicas."""
    empty = matter_of(_layout(), Wish(remove=(4,)))
    fewer = matter_of(_layout(), Wish(replication_factor=1, topics=("orders",)))

    assert summary.chapter(empty, _CHOICES).heading == "Draining broker 4 copies nothing."
    assert summary.chapter(empty, _CHOICES).text[2] == "No decision is needed: the plan changes nothing."
    assert summary.chapter(fewer, _CHOICES).heading == (
        "Setting 1 topic to replication factor 1 removes 2 replicas and copies nothing."
    )
    told = cost.chapter(fewer, replace(_CHOICES, throttle=1e6))
    assert told is not None
    assert told.heading == "No data is copied, so the change costs no copying."


def test_earlier_runs_on_the_cluster_say_how_long_copying_takes() -> None:
    """2 MB at the busiest broker: 2 s at the throttle, 8 and 20 s as two runs showed; a third had a lower throttle."""
    seen = tuple(ObservedRate(rate, throttle, _AT) for rate, throttle in ((1e5, None), (4e5, None), (1e5, 100_000)))
    matter, chosen = matter_of(_layout(), Wish(remove=(1,))), replace(_CHOICES, throttle=1e6)
    told = cost.chapter(replace(matter, rates=seen), chosen)
    alone = cost.chapter(matter, chosen)

    assert told is not None
    assert alone is not None
    assert fact(told, "Copying takes").detail == (
        "at 1.0 MB/s per broker; low 2 s, high 20 s, from 2 earlier runs on this cluster since 2026-03-02"
    )
    assert fact(told, "Copying takes").shown == "about 8 s"
    assert "of the rates that 2 earlier runs on this cluster showed" in " ".join(told.text)
    assert "earlier run" not in " ".join((*alone.text, *alone.notes, fact(alone, "Copying takes").detail or ""))


def test_partitions_that_cannot_move_stand_in_the_heading(project: Path) -> None:
    """Three partitions of the broker that is down have no live copy."""
    matter = matter_of(sample(project, "kraft-4.1-broker-down.txt"), Wish(remove=(5,)))

    assert summary.chapter(matter, _CHOICES).heading == (
        "Draining broker 5 copies 118 replicas, but 3 partitions have no live copy to copy from."
    )
    told = change.chapter(matter, _CHOICES)
    assert told is not None
    bars = told.figures[0]
    assert dict(zip(bars.names, bars.marked, strict=True))["5"] == "keeps 3"


def test_an_old_reading_is_said_and_a_fresh_one_is_not() -> None:
    """An hour is old."""
    fresh = matter_of(_layout(), read_at=_AT - timedelta(minutes=59))
    old = matter_of(_layout(), read_at=_AT - timedelta(hours=26))

    assert warnings_of(fresh, _CHOICES) == ()
    assert warnings_of(old, _CHOICES) == (
        "The cluster was read 1 d 2 h before this report was made; it may have changed.",
    )


def test_the_price_is_that_of_the_bytes_that_cross_racks() -> None:
    """One copy of 1 MB crosses racks: at $500 a GB half a dollar; at a fair price next to nothing, but not nothing."""
    matter = matter_of(_layout(), Wish(remove=(1,)))
    dear, fair = (cost.chapter(matter, replace(_CHOICES, price_per_gb=price)) for price in (500.0, 0.02))

    assert dear is not None
    assert fair is not None
    assert fact(dear, "Price of that traffic").shown == "$0.50"
    assert fact(fair, "Price of that traffic").shown == "$0.000020"


@pytest.mark.parametrize("brokers", [9, 60])
def test_headings_are_one_sentence(brokers: int) -> None:
    """Where no refusal brings its own, a heading has one full stop, at its end."""
    lists = {("t", at): [at % brokers, (at + 1) % brokers] for at in range(brokers * 2)}
    layout = ClusterLayout.from_assignments(
        lists, brokers=[Broker(at, f"r{at % 3}") for at in range(brokers)], leaders={k: v[0] for k, v in lists.items()}
    )
    for wish in (Wish(), Wish(remove=(1,)), Wish(add=((99, "r1"),))):
        for chapter in build(matter_of(layout, wish), _CHOICES).chapters:
            assert chapter.heading.endswith(".")
            assert ". " not in chapter.heading


def test_nothing_is_said_to_be_under_way_where_nothing_is() -> None:
    """A plan for a broker that joins has a layout of its own, with that broker; before is before all the same."""
    layout = ClusterLayout.from_assignments({("a", 0): [1, 2], ("a", 1): [2, 1]})
    report = build(gather(Reading(layout, "a literal"), layout, Wish(add=((3, None),))), ReportChoices())

    said = [words for chapter in report.chapters for words in chapter.text]
    assert said
    assert not [words for words in said if "in progress are complete" in words]


def test_brokers_that_have_no_racks_have_no_strip_and_no_column_of_racks() -> None:
    """What nobody has is not drawn as not told."""
    layout = ClusterLayout.from_assignments({("a", 0): [1, 2], ("a", 1): [2, 1]})
    report = build(gather(Reading(layout, "a literal"), layout, Wish()), ReportChoices())

    bars = [figure for chapter in report.chapters for figure in chapter.figures if isinstance(figure, Bars)]
    names = [column.name for chapter in report.chapters for table in chapter.tables for column in table.columns]
    assert bars
    assert all(figure.groups is None for figure in bars)
    assert "Rack" not in names
