"""Risk, leaders, time, steps, glossary and every move: their numbers against plain counting, their words by cases."""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from reseat.election import preferred
from reseat.formats import Reading, read
from reseat.formats.text.commands import commands
from reseat.history.read import History
from reseat.model import NONE, Broker, BrokerState, ClusterLayout, Wish
from reseat.model.glossary import define
from reseat.report import Chapter, ChapterKind, Matter, ReportChoices, ReportPast, build
from reseat.report.chapters import appendix, glossary, leaders, risk, steps, time
from reseat.report.content import Bars, Lines, Table
from reseat.report.gather import gather, past_of
from reseat.report.losses import losses_of
from reseat.report.matter import ALL
from reseat.report.shown import cell
from reseat.resilience import loss, racks, singles
from reseat.schedule.batches import DEFAULT_CONCURRENT_MOVES
from tests.history.made import snapshot, write

SAMPLE = Path(__file__).parent.parent.parent / "samples" / "zookeeper-2.8-three-racks.txt"
PLAIN = ReportChoices(chapters=ALL)
OPERATORS = ReportChoices(chapters=ALL, audience="operators", throttle=5e6)


def small(lists: dict[int, list[int]], *, least: int = 2, **broker: object) -> ClusterLayout:
    """One topic; brokers 1 to 4 in racks a and b, all in sync."""
    made = ClusterLayout.from_assignments(
        {("orders", partition): members for partition, members in lists.items()},
        brokers=[Broker(n, "ab"[n % 2], state=BrokerState.ALIVE, **broker) for n in range(1, 5)],  # type: ignore[arg-type]
        leaders={("orders", partition): members[0] for partition, members in lists.items()},
        in_sync={("orders", partition): members for partition, members in lists.items()},
        size_bytes={("orders", partition): 1e6 * (1 + partition) for partition in lists},
    )
    return replace(made, min_in_sync=np.array([least], np.int32))


def matter_of(layout: ClusterLayout, wish: Wish | None = None, **told: object) -> Matter:
    """What a report is made of, without what stands beside a plan."""
    return gather(Reading(layout, "text", source="made"), layout, wish or Wish(), beside=False, **told)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def sample() -> Matter:
    """The bundled nine brokers, broker 4 out."""
    reading = read(SAMPLE.read_bytes(), source="sample")
    return gather(reading, reading.layout, Wish(remove=(4,)), beside=False)


def table(chapter: Chapter | None, slug: str) -> Table:
    """A table of a chapter."""
    assert chapter is not None
    return next(one for one in chapter.tables if one.slug == slug)


def rows(of: Table) -> list[tuple[str, ...]]:
    """Its cells as they are written."""
    return [tuple(cell(column, row) for column in of.columns) for row in range(len(of))]


# ---- risk ------------------------------------------------------------------------------------------------------


def test_losses_are_those_of_the_reference(sample: Matter) -> None:
    """Every broker and rack as the Resilience page has it, the worst pair as trying every pair finds it."""
    layout = sample.layout
    told = losses_of(layout, "zookeeper")
    tried = {pair: loss(layout, pair) for pair in itertools.combinations(layout.broker_ids.tolist(), 2)}

    assert told.brokers.by["offline_partitions"].tolist() == [one.offline_partitions for one in singles(layout)]
    assert told.brokers.by["below_min_isr"].tolist() == [one.below_min_isr for one in singles(layout)]
    assert told.brokers.by["leaders_moved"].tolist() == [one.leaders_moved for one in singles(layout)]
    assert told.racks is not None
    assert told.racks.by["offline_partitions"].tolist() == [one.offline_partitions for one in racks(layout)]
    assert told.pairs is not None
    assert told.pairs[0].offline_partitions == max(one.offline_partitions for one in tried.values())
    assert [one.below_min_isr for one in told.pairs] == [tried[one.brokers].below_min_isr for one in told.pairs]
    assert told.worst.harmful_pairs == sum(
        one.offline_partitions > told.already["offline_partitions"] for one in tried.values()
    )


def test_after_a_drain_the_broker_that_left_can_no_longer_be_lost() -> None:
    """Its cell is empty, and its bar stands at what is offline already: it holds nothing any more."""
    matter = matter_of(small({0: [1, 2], 1: [2, 3], 2: [3, 4], 3: [4, 1]}), Wish(remove=(4,)))
    chapter = risk.chapter(matter, PLAIN)
    told = {row[0]: row for row in rows(table(chapter, "loss-brokers"))}
    names = [column.name for column in table(chapter, "loss-brokers").columns]
    assert chapter is not None
    drawn = chapter.figures[0]
    assert isinstance(drawn, Bars)

    assert told["4"][names.index("Leaders moved after")] == ""
    assert told["4"][names.index("Leaders moved before")] != ""
    assert drawn.marked is not None
    assert drawn.marked[drawn.names.index("4")] == "drained"
    assert drawn.series[1].values[drawn.names.index("4")] == 0


def test_a_partition_on_one_broker_makes_the_risk_red() -> None:
    """Plain counting: broker 3 alone holds partition 1."""
    chapter = risk.chapter(matter_of(small({0: [1, 2], 1: [3]}, least=1)), PLAIN)
    assert chapter is not None

    assert chapter.heading == (
        "Losing broker 3 alone takes 1 partition offline; no other single broker takes any offline."
    )
    assert chapter.facts[0].value == 1
    assert "min.insync.replicas" not in " ".join(chapter.text)


def test_what_the_source_does_not_tell_is_said() -> None:
    """No ISR, no minimum, no rack: each is said, and nothing is counted as below a minimum."""
    layout = ClusterLayout.from_assignments({("a", 0): [1, 2], ("a", 1): [2, 3]})
    chapter = risk.chapter(matter_of(layout), PLAIN)
    assert chapter is not None
    said = " ".join(chapter.text)

    assert "In-sync replicas are unknown for 2 of 2 partitions" in said
    assert "min.insync.replicas is unknown" in said
    assert "Racks are unknown" in said
    assert all("Below" not in column.name for one in chapter.tables for column in one.columns)


def test_no_chapter_about_losing_what_is_not_there() -> None:
    """A layout without partitions has no risk to tell of, and no leaders."""
    empty = ClusterLayout.from_columns(
        topics=[], topic_of=[], partition=[], replicas=np.empty((0, 0), np.int32), brokers=[Broker(1)]
    )

    assert risk.chapter(matter_of(empty), PLAIN) is None
    assert leaders.chapter(matter_of(empty), PLAIN) is None
    assert build(matter_of(empty), PLAIN).chapters


# ---- leaders ---------------------------------------------------------------------------------------------------


def test_leaders_are_those_of_an_election_of_every_partition(sample: Matter) -> None:
    """By broker and partition by partition, as ``elect`` says it of the layout once the plan is done."""
    chapter = leaders.chapter(sample, OPERATORS)
    assert sample.after is not None
    elected = preferred(sample.after)
    ids = {row[0]: row for row in rows(table(chapter, "leaders"))}
    counted = Counter(elected.leader_after.tolist())
    now = Counter(sample.layout.leader_ids.tolist())

    assert {broker: int(row[-1]) for broker, row in ids.items() if broker != "4"} == {
        str(broker): counted[broker] for broker in sample.after.broker_ids.tolist()
    }
    assert {broker: int(row[2]) for broker, row in ids.items()} == {
        str(broker): now[broker] for broker in sample.layout.broker_ids.tolist()
    }
    assert len(table(chapter, "leader-changes")) == int((elected.leader_after != sample.layout.leader_ids).sum())


def test_without_a_wish_the_chapter_is_about_an_election_now() -> None:
    """Two partitions are led by another than their first; both would be led by it again."""
    layout = small({0: [1, 2], 1: [2, 3], 2: [3, 1]})
    moved = replace(layout, leader=np.array([1, 2, 2], np.int32))  # positions: brokers 2, 3, 3
    chapter = leaders.chapter(matter_of(moved), PLAIN)
    assert chapter is not None

    assert chapter.heading.startswith("A preferred leader election would change 2 leaders")
    assert [row[2:] for row in rows(table(chapter, "leader-changes"))] == [("2", "1"), ("3", "2")]


def test_leaders_that_are_not_told_are_not_counted() -> None:
    """Neither as 0 nor as moved."""
    layout = ClusterLayout.from_assignments({("a", 0): [1, 2], ("a", 1): [2, 1]})
    chapter = leaders.chapter(matter_of(layout), PLAIN)
    assert chapter is not None

    assert "are unknown" in chapter.heading
    assert {row[1] for row in rows(table(chapter, "leaders"))} == {"unknown"}


def test_a_broker_that_joins_leads_nothing_before_and_spoils_no_spread() -> None:
    """It was not there: its bar of today is 0, and the spread of today is that of the brokers of today."""
    matter = matter_of(small({0: [1, 2], 1: [2, 3], 2: [3, 4], 3: [4, 1]}), Wish(add=((9, "a"),)))
    chapter = leaders.chapter(matter, PLAIN)
    assert chapter is not None
    drawn = chapter.figures[0]
    assert isinstance(drawn, Bars)

    assert drawn.series[0].values[drawn.names.index("9")] == 0
    assert drawn.says.startswith("Brokers lead 1 partitions each today")
    assert next(fact for fact in chapter.facts if fact.label == "Leader spread").shown.startswith("0")


# ---- time ------------------------------------------------------------------------------------------------------


def test_the_past_is_that_of_the_tables(tmp_path: Path) -> None:
    """Every snapshot a point, the first and the last in the facts, what happened as events."""
    made = write(tmp_path)
    history = History.open(made.tables)
    cluster = history.clusters()[0]
    past = past_of(history, cluster)
    assert past is not None
    snapshots = history.snapshots(cluster)
    chapter = time.chapter(matter_of(small({0: [1, 2]}), past=past), PLAIN)
    assert chapter is not None
    facts = {fact.label: fact for fact in chapter.facts}

    assert past.series["partitions"].tolist() == snapshots["partitions"].tolist()
    assert len(past.taken_at) == len(snapshots)
    assert facts["Snapshots"].shown == str(len(snapshots))
    assert facts["Partitions"].value == snapshots["partitions"].iloc[-1]
    assert len(table(chapter, "snapshots")) == len(snapshots)
    assert [type(one) for one in chapter.figures] == [Lines] * len(chapter.figures) != []


def test_what_a_broker_that_is_down_holds_is_no_loss_of_data(tmp_path: Path) -> None:
    """Nobody asks it for sizes: the sum over the others is a lower bound, and no value of the line."""
    whole = small({0: [1, 2], 1: [2, 1]})
    down = replace(whole, size_bytes=np.where(whole.replica_ids == 2, np.nan, 1e6))
    taken = tuple(snapshot(one, "shop", f"2026-05-0{day}T03:10") for day, one in ((1, whole), (2, whole), (3, down)))
    past = past_of(History.open(write(tmp_path, {"shop": taken}, swept=False).tables), "shop")
    assert past is not None
    chapter = time.chapter(matter_of(whole, past=past), PLAIN)
    assert chapter is not None

    assert np.isnan(past.series["size_bytes"]).tolist() == [False, False, True]
    assert "the data did not grow" in chapter.heading
    assert "6.0 MB in the last snapshot that tells it, 6.0 MB in the first." in " ".join(
        one.says for one in chapter.figures
    )


def test_events_stand_in_seconds_on_the_axis_of_time() -> None:
    """So that a writer can put them where they belong."""
    days = np.array(["2026-05-01", "2026-05-03"], "datetime64[s]")
    past = ReportPast(
        taken_at=days,
        series={"replica_spread": np.array([9.0, 4.0]), "offline": np.array([0.0, 2.0])},
        events=((days[1], "Broker 3 is gone."),),
    )
    chapter = time.chapter(matter_of(small({0: [1, 2]}), past=past), PLAIN)
    assert chapter is not None
    drawn = chapter.figures[0]
    assert isinstance(drawn, Lines)

    assert chapter.heading == "In 2 days, the replica spread (max − min) fell from 9 to 4."
    assert drawn.events == ((1_777_766_400.0, "Broker 3 is gone."),)
    assert "At worst 2 partitions were without a leader (2026-05-03 00:00 UTC)." in chapter.text
    assert "is unknown" in " ".join(chapter.text)


def test_a_past_of_texts_says_of_no_broker_that_it_stayed_up() -> None:
    """Neighbours are compared: a snapshot that tells no state hides what happened before it, and after."""
    for down, said in (
        ([np.nan, np.nan], "Whether brokers went down is unknown."),
        ([0.0, np.nan], "Whether brokers went down is unknown."),
        ([0.0, 0.0], "No broker went down"),
    ):
        days = np.array(["2026-05-01", "2026-05-03"], "datetime64[s]")
        past = ReportPast(taken_at=days, series={"brokers_down": np.array(down)}, events=())
        chapter = time.chapter(matter_of(small({0: [1, 2]}), past=past), PLAIN)
        assert chapter is not None

        assert said in chapter.text[-1]


def test_a_long_past_is_thinned_without_losing_its_worst_moment() -> None:
    """First and last stay as they were."""
    from reseat.report.gather import MOMENTS, PAST, thinned

    count = 5_000
    told = {name: np.arange(count, dtype=np.float64) for name in PAST}
    told["offline"][2_500] = 1_000_000
    told["size_bytes"] = np.full(count, np.nan)
    moments = np.datetime64("2026-01-01", "s") + np.arange(count) * np.timedelta64(600, "s")
    chosen, series = thinned(moments, told)

    assert len(chosen) <= MOMENTS
    assert (chosen[0], chosen[-1]) == (moments[0], moments[-1])
    assert (series["partitions"][0], series["partitions"][-1]) == (0, count - 1)
    assert series["offline"].max() == 1_000_000
    assert np.isnan(series["size_bytes"]).all()


def test_of_a_long_past_the_worst_moment_is_told_to_the_minute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It was told as when its stretch began, 22 hours before in a year of hourly snapshots; each as one snapshot."""
    monkeypatch.setattr("reseat.report.gather.MOMENTS", 4)
    sound = small({0: [1, 2], 1: [2, 1]})
    none = replace(sound, leader=np.array([NONE, 1], np.int32))
    untold = replace(sound, in_sync=None)
    hours = [sound] * 12
    hours[7], hours[3] = none, untold
    taken = tuple(snapshot(one, "shop", f"2026-05-01T{hour:02}:10") for hour, one in enumerate(hours))
    past = past_of(History.open(write(tmp_path, {"shop": taken}, swept=False).tables), "shop")
    chapter = time.chapter(matter_of(sound, past=past), PLAIN)
    assert chapter is not None

    assert len(table(chapter, "snapshots")) == 4
    assert chapter.text[0] == "At worst 1 partition was without a leader (2026-05-01 07:10 UTC)."
    assert chapter.text[1] == "No partition was under-replicated in the snapshots that include it."
    assert chapter.notes[0].startswith("Each point is the largest value of several snapshots;")


# ---- steps -----------------------------------------------------------------------------------------------------


def test_batches_hold_every_partition_once_and_the_limit(sample: Matter) -> None:
    """The sums are those of the certificate; no broker has more moves than it may in any batch."""
    assert sample.plan is not None
    assert sample.copying is not None
    told = rows(table(steps.chapter(sample, OPERATORS), "batches"))
    batch, work = sample.copying.batches.batch, sample.copying.work
    busy = Counter(
        (int(batch[row]), int(broker))
        for row in range(len(batch))
        for broker in (work.sender[row], *work.receivers[row])
        if broker != NONE
    )

    assert sum(int(row[1]) for row in told) == sample.plan.certificate.changed_partitions
    assert sum(int(row[2]) for row in told) == int((sample.plan.moves.target != NONE).sum())
    assert max(busy.values()) <= DEFAULT_CONCURRENT_MOVES


@pytest.mark.parametrize("version", ["1.0.0", "2.5.1", "2.8.2", "4.1.0", None])
def test_commands_are_those_of_the_version_and_for_operators_alone(sample: Matter, version: str | None) -> None:
    """As ``plan --kafka-version`` prints them, with the throttle that was chosen."""
    matter = replace(sample, version=version)
    told = [row[2] for row in rows(table(steps.chapter(matter, OPERATORS), "commands"))]
    plain = steps.chapter(matter, PLAIN)
    assert plain is not None

    assert told == [one.text for one in commands(version, throttle=5_000_000)]
    assert all(one.slug != "commands" for one in plain.tables)


def test_the_way_back_says_what_it_needs(sample: Matter) -> None:
    """The broker that left, and its bytes; where it is dead now, that it cannot be gone yet."""
    chapter = steps.chapter(sample, PLAIN)
    dead = small({0: [1, 2], 1: [2, 3], 2: [3, 4]})
    dead = replace(
        dead,
        brokers=tuple(replace(b, state=BrokerState.DEAD) if b.id == 4 else b for b in dead.brokers),
        in_sync=dead.in_sync & (dead.replica_ids != 4) if dead.in_sync is not None else None,
    )
    without = steps.chapter(matter_of(dead, Wish(remove=(4,))), PLAIN)
    assert chapter is not None
    assert without is not None

    assert any("broker 4 up, with its disks" in one for one in chapter.text)
    assert next(fact for fact in chapter.facts if fact.label == "Can be rolled back").shown == "yes"
    assert next(fact for fact in without.facts if fact.label == "Can be rolled back").shown == "not yet"
    assert any("broker 4, which would get replicas back, is not alive" in one for one in without.text)


def test_a_plan_with_a_fault_has_no_commands(sample: Matter) -> None:
    """It must not be carried out."""
    assert sample.plan is not None
    faulty = replace(sample.plan, certificate=replace(sample.plan.certificate, faults=("Broker 9 has a twin.",)))
    chapter = steps.chapter(replace(sample, plan=faulty), OPERATORS)
    assert chapter is not None

    assert "must not be executed" in chapter.heading
    assert chapter.text == ("Broker 9 has a twin.",)
    assert chapter.tables == ()


def test_nothing_to_do_is_said_and_nothing_is_offered() -> None:
    """A broker that holds nothing leaves: no batch, no command, no move."""
    matter = matter_of(small({0: [1, 2], 1: [2, 3]}), Wish(remove=(4,)))
    chapter = steps.chapter(matter, OPERATORS)
    assert chapter is not None

    assert chapter.heading == "There is nothing to execute: no replica list changes."
    assert chapter.tables == ()
    assert appendix.chapter(matter, OPERATORS) is None


def test_sizes_that_are_not_told_are_never_zero() -> None:
    """The figure counts replicas then, and no time is told."""
    layout = replace(small({0: [1, 2], 1: [2, 4], 2: [4, 3]}), size_bytes=None)
    chapter = steps.chapter(matter_of(layout, Wish(remove=(4,))), OPERATORS)
    assert chapter is not None
    facts = {fact.label: fact.shown for fact in chapter.facts}

    assert facts["Data to copy"] == "unknown"
    assert "Copying takes" not in facts
    assert chapter.figures[0].unit == "replicas"


# ---- appendix and glossary -------------------------------------------------------------------------------------


def test_every_move_is_in_the_appendix(sample: Matter) -> None:
    """Topic, partition, giver and receiver of each, as the two layouts differ."""
    assert sample.plan is not None
    told = {row[:4] for row in rows(table(appendix.chapter(sample, OPERATORS), "moves"))}
    before, after = sample.plan.current.assignments(), sample.plan.proposed.assignments()
    expected = {
        (topic, str(partition), *(str(one) for one in (set(was) - set(after[topic, partition])) or {""}))
        for (topic, partition), was in before.items()
        if set(was) != set(after[topic, partition])
    }

    assert {row[:3] for row in told} == expected
    assert all(int(row[3]) in after[row[0], int(row[1])] for row in told)


def test_a_replica_that_only_comes_leaves_no_broker() -> None:
    """Its cell is empty, and is no broker -1."""
    matter = matter_of(small({0: [1, 2], 1: [2, 3]}), Wish(topics=("orders",), replication_factor=3))
    told = rows(table(appendix.chapter(matter, OPERATORS), "moves"))

    assert {row[2] for row in told} == {""}
    assert all(row[3] in "1234" for row in told)


def test_the_glossary_has_only_words_of_this_report(sample: Matter) -> None:
    """Each stands in some text of the others; a word that none of them says is not explained."""
    report = build(sample, OPERATORS)
    told = {
        row[0] for row in rows(table(next(c for c in report.chapters if c.kind is ChapterKind.GLOSSARY), "glossary"))
    }
    others = [one for one in report.chapters if one.kind is not ChapterKind.GLOSSARY]
    text = "\n".join(glossary.texts_of(others))
    used = {term for term, pattern in glossary.PATTERNS.items() if glossary.found(pattern, text)}
    alone = glossary.chapter([Chapter(kind=ChapterKind.SUMMARY, name="x", heading="One broker.")])

    assert told == used
    assert {"Broker", "Partition", "Replica"} <= told
    assert rows(table(alone, "glossary")) == [("Broker", define("Broker"))]
    assert glossary.chapter([Chapter(kind=ChapterKind.SUMMARY, name="x", heading="Nothing.")]) is None


def test_no_word_is_found_within_another_one() -> None:
    """``racks`` is no ``rack`` of ``tracks``; a topic's name in a cell explains nothing."""
    text = Chapter(kind=ChapterKind.SUMMARY, name="x", heading="Soundtracks of stopics and misled.")

    assert glossary.chapter([text]) is None


def test_management_is_spared_every_move_unless_it_asks(sample: Matter) -> None:
    """The order of the chapters is the one that was asked for."""
    asked = replace(PLAIN, chapters=(ChapterKind.STEPS, ChapterKind.APPENDIX, ChapterKind.SUMMARY))

    assert [one.kind for one in build(sample, asked).chapters] == [
        ChapterKind.STEPS,
        ChapterKind.APPENDIX,
        ChapterKind.SUMMARY,
    ]
