"""Every number of the chapters equals what plain Python reckons from the replica lists, on samples and at random."""

from __future__ import annotations

import math
import statistics
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reseat.balance import findings
from reseat.model import BrokerState, ClusterLayout, Options, Wish
from reseat.model.units import size
from reseat.placement import Tool
from reseat.planning.against_generate import against_generate
from reseat.planning.kinds.curve import whole_curve
from reseat.report import Matter, ReportChoices
from reseat.report.chapters import change, cost, summary, today, why
from reseat.report.chapters import findings as wrong
from reseat.report.content import Draws, Lines
from tests.cases import cases
from tests.report.reckoning import (
    Reckoned,
    bars,
    fact,
    figure_of,
    heat,
    matter_of,
    random_matter,
    sample,
    table_of,
)

#: A price and a throttle that make odd numbers.
_CHOICES = ReportChoices(price_per_gb=0.013, throttle=7_000_000.0)


@pytest.fixture(scope="module")
def nine(project: Path) -> Matter:
    """Nine brokers in three racks, broker 4 drained."""
    return matter_of(sample(project, "zookeeper-2.8-three-racks.txt"), Wish(remove=(4,)))


def _planned(seed: int) -> Matter | None:
    matter = random_matter(seed)
    return None if matter.plan is None or matter.plan.certificate.faults else matter


def _check_today(matter: Matter) -> None:
    layout = matter.layout
    lists = layout.assignments()
    held = Counter(broker for row in lists.values() for broker in row)
    chapter = today.chapter(matter, _CHOICES)
    drawn = bars(chapter, "today-brokers")

    for broker in layout.brokers:
        total = sum(series[str(broker.id)] for series in drawn.values())
        assert total == held[broker.id]
        if "leads" in drawn:
            assert drawn["leads"][str(broker.id)] == layout.leader_ids.tolist().count(broker.id)
    assert fact(chapter, "Partitions").value == len(lists)
    assert fact(chapter, "Replicas").value == sum(held.values())
    assert fact(chapter, "Topics").value == len({topic for topic, _ in lists})
    up = [held[broker.id] for broker in layout.brokers if not broker.state.unavailable]
    if up:
        assert fact(chapter, "Replica spread").value == max(up) - min(up)
        assert figure_of(chapter, "today-brokers").mean == pytest.approx(statistics.fmean(up))
    marked = figure_of(chapter, "today-brokers").marked or ()
    states = {broker.id: broker.state for broker in layout.brokers}
    names = figure_of(chapter, "today-brokers").names
    away = {BrokerState.DEAD: "dead", BrokerState.FENCED: "fenced", BrokerState.SHUTTING_DOWN: "shutting down"}
    assert [away.get(states[int(name)]) for name in names] == list(marked or [None] * len(names))
    if "today-racks" in {table.slug for table in chapter.tables}:
        told = table_of(chapter, "today-racks")
        racks = {broker.id: broker.rack or "no rack" for broker in layout.brokers}
        by_rack = Counter(racks[broker] for broker in held.elements())
        assert dict(zip(told["Rack"], told["Replicas"], strict=True)) == {
            rack: by_rack[rack] for rack in sorted(set(racks.values()), key=lambda name: (name == "no rack", name))
        }


def _check_change(matter: Matter) -> None:
    assert matter.plan is not None
    own = Reckoned.of(matter.plan)
    chapter = change.chapter(matter, _CHOICES)
    assert chapter is not None
    drawn = bars(chapter, "brokers")
    before, after, came, went = own.held(own.before), own.held(own.after), own.came(), own.went()

    for name in drawn["stays"]:
        broker = int(name)
        assert drawn["stays"][name] == before[broker] - went[broker]
        assert drawn["added"][name] == came[broker]
        assert drawn["removed"][name] == went[broker]
        assert drawn["stays"][name] + drawn["added"][name] == after[broker]
    there = [broker.id for broker in matter.layout.brokers if not broker.state.unavailable]
    held = [before[broker] for broker in there]
    spread = [one.shown for one in chapter.facts if one.label == "Replica spread"]
    assert not held or not spread or spread[0].startswith(f"{max(held) - min(held):,} to ")
    told = table_of(chapter, "brokers")
    assert dict(zip(told["Broker"], told["After"], strict=True)) == {n: after[int(n)] for n in drawn["stays"]}
    assert fact(chapter, "Replicas to copy").value == len(own.copies())
    different = sum(own.before[key] != own.after[key] for key in own.before)
    assert fact(chapter, "Partitions changed").value == different
    if "racks" in {table.slug for table in chapter.tables}:
        rows = table_of(chapter, "racks")
        for rack, was, then in zip(rows["Rack"], rows["Before"], rows["After"], strict=True):
            inside = [b for b, name in own.racks.items() if (name or "no rack") == rack]
            assert was == sum(before[b] for b in inside)
            assert then == sum(after[b] for b in inside)
    _check_maps(matter, own)


def _check_maps(matter: Matter, own: Reckoned) -> None:
    chapter = change.chapter(matter, _CHOICES)
    assert chapter is not None
    first, then, moved = (heat(chapter, slug) for slug in ("heatmap-before", "heatmap-after", "heatmap-change"))
    assert first.top == then.top == max(1.0, first.values.max(), then.values.max())
    assert first.rows == then.rows == moved.rows
    assert first.columns == then.columns == moved.columns
    assert moved.signed
    assert not first.signed
    for lists, drawn in ((own.before, first), (own.after, then)):
        cells: Counter[tuple[str, str]] = Counter()
        for (topic, partition), row in lists.items():
            column = topic if drawn.column_name == "topic" else f"{topic}-{partition}"
            cells.update((str(broker), column) for broker in row)
        for at, row_name in enumerate(drawn.rows):
            for place, column in enumerate(drawn.columns):
                assert drawn.values[at, place] == cells[row_name, column]
    assert (moved.values == then.values - first.values).all()


def _check_cost(matter: Matter) -> None:
    assert matter.plan is not None
    own = Reckoned.of(matter.plan)
    chapter = cost.chapter(matter, _CHOICES)
    assert chapter is not None
    assert matter.copying is not None
    copies = own.copies()
    sizes = [own.sizes[key] for key, _, _ in copies]
    told = [one for one in sizes if one is not None]
    whole = sum(told)
    sent, received = Counter[int](), Counter[int]()
    across = across_bytes = unknown = unsized_across = 0
    for (_, sender, receiver), amount in zip(copies, sizes, strict=True):
        sent[sender] += amount or 0
        received[receiver] += amount or 0
        one, other = own.racks[sender], own.racks[receiver]
        if one is None or other is None:
            unknown += 1
        elif one != other:
            across += 1
            across_bytes += amount or 0
            unsized_across += amount is None

    if len(told) == len(copies):
        assert fact(chapter, "Data to copy").value == pytest.approx(whole)
        assert matter.plan.certificate.bytes_to_move == pytest.approx(whole) or not copies
    else:
        assert math.isnan(fact(chapter, "Data to copy").value)
        assert fact(chapter, "Data to copy").shown == ("unknown" if not told else f"at least {size(whole)}")
    crossing, price = fact(chapter, "From rack to rack"), fact(chapter, "Price of that traffic")
    if copies and unknown == len(copies):
        assert crossing.shown == price.shown == "unknown"
    elif not unsized_across:
        assert crossing.value == pytest.approx(across_bytes)
        assert price.value == pytest.approx(across_bytes / 1e9 * 0.013)
    else:
        assert math.isnan(crossing.value)
    assert matter.copying.across.copies == across
    assert matter.copying.unplaced.copies == unknown
    if told or not copies:
        hours = matter.copying.hours(7e6)
        assert hours.low == pytest.approx(max([*sent.values(), *received.values(), 0]) / 7e6)
        assert hours.high == pytest.approx(whole / 7e6)
        assert hours.likely == pytest.approx(_batched(matter, own) / 7e6)
        assert hours.low <= hours.likely * (1 + 1e-9)
        assert hours.likely <= hours.high * (1 + 1e-9)
    if copies:
        unit = {"sends": sent, "receives": received}
        if not told:
            unit = {"sends": Counter(s for _, s, _ in copies), "receives": Counter(r for _, _, r in copies)}
        for name, by_broker in unit.items():
            for broker, amount in bars(chapter, "copies-by-broker")[name].items():
                assert amount == pytest.approx(by_broker[int(broker)])


def _check_hands(matter: Matter) -> None:
    """Where every broker is up, a leader changes while data moves exactly where it is told and its broker leaves."""
    assert matter.plan is not None
    own = Reckoned.of(matter.plan)
    if any(broker.state.unavailable for broker in matter.layout.brokers):
        return
    chapter = cost.chapter(matter, _CHOICES)
    assert chapter is not None
    told = {key: leader for key, leader in own.leaders.items() if leader != -2}
    hands = fact(chapter, "Leader changes")

    if own.leaders and not told:
        assert hands.shown == "unknown"
        assert "Leaders are unknown, so the number of leader changes is unknown." in chapter.text
        return
    assert hands.value == sum(leader >= 0 and leader not in own.after[key] for key, leader in told.items())
    untold = len(own.leaders) - len(told)
    assert any(one.startswith(f"The leader of {untold:,} partition") for one in chapter.text) == bool(untold)


def _batched(matter: Matter, own: Reckoned) -> float:
    """The bytes of the slowest broker of each batch, added up."""
    assert matter.plan is not None
    assert matter.copying is not None
    changed = [key for key in own.before if own.before[key] != own.after[key]]
    batch = dict(zip(changed, matter.copying.batches.batch.tolist(), strict=True))
    load: dict[int, Counter[tuple[str, int]]] = defaultdict(Counter)
    for key, sender, receiver in own.copies():
        load[batch[key]]["sends", sender] += own.sizes[key] or 0
        load[batch[key]]["receives", receiver] += own.sizes[key] or 0
    return sum(max(brokers.values()) for brokers in load.values())


def test_the_samples_numbers_are_those_of_plain_python(nine: Matter) -> None:
    """Nine brokers, one drained: today, the change and its cost."""
    _check_today(nine)
    _check_change(nine)
    _check_cost(nine)


@pytest.mark.parametrize(
    "wish",
    [
        Wish(remove=(7, 9), add=((20, "az-c"),)),
        Wish(add=((20, "az-a"), (21, "az-d"))),
        Wish(replication_factor=2, topics=("orders", "audit-log")),
        Wish(remove=(7,), point=294),
    ],
    ids=["replace", "add", "factor", "point"],
)
def test_every_kind_of_change_is_reckoned_alike(project: Path, wish: Wish) -> None:
    """Replaced and added brokers, a replication factor, and a point of the curve."""
    matter = matter_of(sample(project, "zookeeper-2.8-three-racks.txt"), wish)

    assert matter.plan is not None
    _check_change(matter)
    _check_cost(matter)


@pytest.mark.parametrize("name", ["kraft-4.1-broker-down.txt", "kraft-4.1-reassignment-under-way.txt"])
def test_a_cluster_that_is_not_well_is_reckoned_alike(project: Path, name: str) -> None:
    """A broker that is down, and a reassignment that is under way."""
    matter = matter_of(sample(project, name), Wish(remove=(2,)))

    assert matter.plan is not None
    _check_today(matter)
    _check_change(matter)
    _check_cost(matter)


@settings(max_examples=cases(150))
@given(st.integers(0, 1_000_000))
def test_numbers_of_any_small_cluster_are_those_of_plain_python(seed: int) -> None:
    """Racks, sizes, leaders and states told, told in part, or not at all."""
    matter = random_matter(seed)
    _check_today(matter)
    if (made := _planned(seed)) is not None:
        _check_change(made)
        _check_cost(made)
        _check_hands(made)


@settings(max_examples=cases(80))
@given(st.integers(0, 1_000_000))
def test_what_is_not_told_is_never_nought(seed: int) -> None:
    """Without sizes nothing is in bytes, seconds or money, and the report says so."""
    matter = random_matter(seed)
    if matter.plan is None or matter.plan.certificate.faults or matter.layout.replica_bytes is not None:
        return
    chapter = cost.chapter(matter, _CHOICES)
    assert chapter is not None
    if not matter.plan.certificate.moves:
        return

    assert fact(chapter, "Data to copy").shown == "unknown"
    assert not {column.unit for table in chapter.tables for column in table.columns} & {"bytes", "seconds", "money"}
    assert {figure.unit for figure in chapter.figures} == {"replicas"}
    assert any("cost is counted in replicas" in sentence for sentence in chapter.text)
    assert fact(summary.chapter(matter, _CHOICES), "Data to copy").shown == "unknown"


def test_leaders_that_change_hands_are_those_whose_broker_leaves_and_an_election_gives_back(nine: Matter) -> None:
    """Where all brokers are up and in sync, the first of the new list takes over."""
    assert nine.plan is not None
    own = Reckoned.of(nine.plan)
    done = {key: leader if leader in own.after[key] else own.after[key][0] for key, leader in own.leaders.items()}
    chapter = cost.chapter(nine, _CHOICES)
    assert chapter is not None
    moved = sum(done[key] != own.leaders[key] for key in done)
    elected = sum(done[key] != own.after[key][0] for key in done)

    hands = fact(chapter, "Leader changes")
    assert (hands.value, hands.detail) == (moved, f"and {elected} by an election afterwards")


def test_findings_are_counted_by_severity_and_each_says_what_mends_it(project: Path) -> None:
    """What the change does to each is that of the layout it leads to."""
    layout = sample(project, "kraft-4.1-broker-down.txt")
    matter = matter_of(layout, Wish(remove=(5,)))
    chapter = wrong.chapter(matter, _CHOICES)
    told = table_of(chapter, "findings")
    found = findings(layout)
    after = {one.kind: len(one.rows) for one in findings(matter.after)}
    words = {"broken": "critical", "attention": "warning", "note": "info"}

    assert told["Severity"][: len(found)] == [words[one.severity.value] for one in found]
    assert fact(chapter, "Critical").value == sum(one.severity.value == "broken" for one in found)
    assert all(told["Fix"])
    for one, becomes in zip(found, told["After the change"], strict=False):
        if one.kind not in after:
            assert becomes == "fixed"
        elif one.rows.size and after[one.kind] < len(one.rows):
            assert becomes == f"less: {after[one.kind]} partitions"
    behind = bars(chapter, "findings")
    assert sum(sum(series.values()) for series in behind.values()) == sum(len(one.rows) for one in found)


def test_the_draws_and_the_curve_are_those_of_the_planner(nine: Matter) -> None:
    """Figures and tables have the planner's own numbers."""
    assert nine.plan is not None
    drawn = tuple(against_generate(nine.plan, tool, draws=7, seconds=60) for tool in Tool)
    curve = whole_curve(nine.layout, nine.wish)
    matter = matter_of(nine.layout, nine.wish, generate=drawn, curve=curve)
    chapter = why.chapter(matter, _CHOICES)
    assert chapter is not None
    dots, line = figure_of(chapter, "generate"), figure_of(chapter, "curve")
    told, points = table_of(chapter, "generate"), table_of(chapter, "curve")

    assert isinstance(dots, Draws)
    assert isinstance(line, Lines)
    assert dots.own == nine.plan.certificate.moves
    assert [len(one) for one in dots.draws] == [7, 7]
    shown = [fact(chapter, f"--generate, {name}").value for name in ("tools up to 4.0", "tools from 4.1")]
    assert shown == [statistics.median(found.spread.moves.tolist()) for found in drawn]
    for place, found in enumerate(drawn, 1):
        moves = found.spread.moves.tolist()
        assert told["Fewest copies"][place] == min(moves)
        assert told["Most copies"][place] == max(moves)
        assert told["Median"][place] == statistics.median(moves)
    assert line.x.tolist() == points["Replicas to copy"] == [point.moves for point in curve.points]
    assert line.series[0].values.tolist() == [point.replica_spread for point in curve.points]
    assert line.marked == nine.plan.certificate.moves
    assert points[""] == ["this plan" if p.moves == line.marked else None for p in curve.points]


def test_the_curve_of_leaders_only_is_one_of_changed_leaders(nine: Matter) -> None:
    """Nothing moves: its figure and table are of preferred leaders, and the plan is the last point."""
    wish = Wish(leaders_only=True)
    curve = whole_curve(nine.layout, wish)
    matter = matter_of(nine.layout, wish, curve=curve)
    chapter = why.chapter(matter, _CHOICES)
    assert chapter is not None
    line, points = figure_of(chapter, "curve"), table_of(chapter, "curve")

    assert isinstance(line, Lines)
    assert len(curve.points) > 1
    assert line.x.tolist() == points["Changed preferred leaders"] == [point.changed_leaders for point in curve.points]
    assert line.series[0].values.tolist() == points["Leader spread"] == [point.leader_spread for point in curve.points]
    assert (line.unit, line.marked) == ("leaders", curve.points[-1].number)
    assert "changed preferred leaders the leader spread goes from" in line.says
    assert points[""][-1] == "this plan"


@pytest.mark.parametrize(("brokers", "topics"), [(1, 1), (60, 160), (61, 161), (1_000, 900)])
def test_a_heatmap_has_at_most_its_cells_and_loses_no_replica(brokers: int, topics: int) -> None:
    """A block holds the mean of its brokers, so that all of them together are all replicas."""
    from reseat.model import Broker, ClusterLayout

    rows = np.arange(topics * 4)
    ids = np.stack([rows % brokers, (rows * 7 + 1) % brokers], axis=1) if brokers > 1 else np.zeros((len(rows), 1))
    ids = ids[ids[:, 0] != ids[:, 1]] if brokers > 1 else ids
    layout = ClusterLayout.from_columns(
        topics=[f"t{at:04}" for at in range(topics)],
        topic_of=rows[: len(ids)] // 4,
        partition=rows[: len(ids)] % 4,
        replicas=ids,
        brokers=[Broker(at, rack=f"r{at % 3}") for at in range(brokers)],
    )
    drawn = heat(today.chapter(matter_of(layout), _CHOICES), "today-heatmap")
    widths = []
    for name in drawn.rows:
        ends = [int(word) for word in name.split(" to ")]
        order = [broker.id for broker in sorted(layout.brokers, key=lambda one: (one.rack, one.id))]
        widths.append(order.index(ends[-1]) - order.index(ends[0]) + 1)

    assert drawn.values.shape[0] <= 60
    assert drawn.values.shape[1] <= 160
    assert sum(widths) == brokers
    assert (drawn.values * np.array(widths)[:, None]).sum() == pytest.approx(layout.replica_count)


def test_the_summary_takes_its_numbers_from_the_certificate(nine: Matter) -> None:
    """Five facts; the time is that of the chapter on cost."""
    assert nine.plan is not None
    made = nine.plan.certificate
    chapter = summary.chapter(nine, _CHOICES)
    later = cost.chapter(nine, _CHOICES)
    assert later is not None

    assert len(chapter.facts) == 5
    assert fact(chapter, "Replicas to copy").value == made.moves
    assert fact(chapter, "Data to copy").value == made.bytes_to_move
    assert fact(chapter, "Replica spread").value == made.replica_spread
    assert fact(chapter, "Copying takes").value == fact(later, "Copying takes").value


def test_a_rebalance_by_topic_names_the_spread_of_its_widest_topic(project: Path, nine: Matter) -> None:
    """Before and after; other changes are about no topic's spread."""
    wish = Wish(rebalance=True, options=Options(even_topics=True))
    matter = matter_of(sample(project, "zookeeper-2.8-three-racks.txt"), wish)
    chapter, drain = change.chapter(matter, _CHOICES), change.chapter(nine, _CHOICES)
    assert matter.plan is not None
    assert chapter is not None
    assert drain is not None

    def widest(layout: ClusterLayout) -> int:
        held: dict[str, Counter[int]] = defaultdict(lambda: Counter(dict.fromkeys(layout.broker_ids.tolist(), 0)))
        for (topic, _), replicas in layout.assignments().items():
            held[topic].update(replicas)
        return max(max(one.values()) - min(one.values()) for one in held.values())

    before, after = widest(matter.plan.current), widest(matter.plan.proposed)
    assert before > after
    assert fact(chapter, "Topic spread").value == after
    assert f"goes from {before} to {after}." in chapter.text[-1]
    assert "Topic spread" not in [one.label for one in drain.facts]


def test_figures_of_a_thousand_brokers_show_those_that_change() -> None:
    """Nobody tells a thousand bars apart: those that change stand there, with the numbers that they have."""
    from reseat.model import Broker, ClusterLayout

    lists = {("t", at): [at % 300, (at + 7) % 300] for at in range(900)}
    layout = ClusterLayout.from_assignments(
        lists,
        brokers=[Broker(at, f"r{at % 3}") for at in range(300)],
        leaders={key: row[0] for key, row in lists.items()},
        size_bytes=dict.fromkeys(lists, 1e9),
    )
    matter = matter_of(layout, Wish(remove=(5, 9)))
    assert matter.plan is not None
    own = Reckoned.of(matter.plan)
    chapter, later = change.chapter(matter, _CHOICES), cost.chapter(matter, _CHOICES)
    assert chapter is not None
    assert later is not None
    drawn, copied = bars(chapter, "brokers"), bars(later, "copies-by-broker")
    came, went, before = own.came(), own.went(), own.held(own.before)

    assert set(map(int, drawn["stays"])) == {*came, *went}
    assert {int(name): value for name, value in drawn["added"].items() if value} == dict(came)
    assert all(drawn["stays"][str(at)] == before[at] - went[at] for at in {*came, *went})
    assert sum(copied["receives"].values()) == matter.plan.certificate.bytes_to_move
    then, moved = heat(chapter, "heatmap-after"), heat(chapter, "heatmap-change")
    lines = [(int(name.split(" to ")[0]), int(name.split(" to ")[-1])) for name in then.rows]
    order = sorted(range(300), key=lambda at: (at % 3, at))
    after = own.held(own.after)
    for at, (first, last) in enumerate(lines):
        block = order[order.index(first) : order.index(last) + 1]
        assert then.values[at].sum() == pytest.approx(sum(after[broker] for broker in block) / len(block))
        gained = sum(after[broker] - before[broker] for broker in block)
        assert moved.values[at].sum() == pytest.approx(gained / len(block))
    assert figure_of(chapter, "brokers").title.endswith(f"the {len({*came, *went})} of 300 brokers that change most")


def test_tables_of_many_brokers_begin_with_those_that_matter() -> None:
    """Above twenty brokers the fullest stand first, and in the change those that change most; all rows are there."""
    from reseat.model import Broker, ClusterLayout

    lists = {("t", at): [min(at % 30, at // 2 % 30), 30] for at in range(90)}
    layout = ClusterLayout.from_assignments(lists, brokers=[Broker(at, f"r{at % 3}") for at in range(31)])
    matter = matter_of(layout, Wish(remove=(5,)))
    told = table_of(today.chapter(matter, _CHOICES), "today-brokers")
    chapter = change.chapter(matter, _CHOICES)
    assert chapter is not None
    moved = table_of(chapter, "brokers")
    held = Counter(broker for row in lists.values() for broker in row)

    assert told["Replicas"] == sorted(held[at] for at in range(31))[::-1]
    assert [held[int(name)] for name in told["Broker"]] == told["Replicas"]
    sizes = [abs(amount) for amount in moved["Change"]]
    assert sizes == sorted(sizes, reverse=True)
    assert len(sizes) == 31
    assert {table.shown for table in chapter.tables if table.slug == "brokers"} == {20}
