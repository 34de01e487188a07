"""The moves of a plan as tables, flows and CSV."""

from __future__ import annotations

import numpy as np
import pandas as pd

from components.look import tables
from components.what_if.moves import as_csv, flow_counts, moves_frame, shown_first
from reseat.balance import measure
from reseat.balance.imbalances import imbalances
from reseat.model import Broker, BrokerState, Certificate, ClusterLayout, Plan, Wish


def planned(before, after, brokers=()):
    """A plan of two literals."""
    return Plan(
        ClusterLayout.from_assignments(before, brokers=brokers, size_bytes=dict.fromkeys(before, 100.0)),
        ClusterLayout.from_assignments(after, brokers=brokers, size_bytes=dict.fromkeys(after, 100.0)),
        Certificate(wish=Wish(), moves=0),
    )


PLAN = planned(
    {("orders", 0): [1, 2], ("orders", 1): [2, 3], ("=cmd", 7): [3, 1]},
    {("orders", 0): [4, 2], ("orders", 1): [2, 3], ("=cmd", 7): [3, 4]},
    [Broker(1, "a"), Broker(2, "b"), Broker(3, "c"), Broker(4, "a")],
)


def test_the_table_tells_each_changed_partition_from_and_to():
    """Lists before and after, who leaves, who joins, and the preferred leader's change."""
    frame = moves_frame(PLAN, np.flatnonzero(PLAN.changed))

    assert frame.drop(columns="bytes to copy").to_numpy().tolist() == [
        ["=cmd", 7, "3, 1", "3, 4", "1", "4", "3"],
        ["orders", 0, "1, 2", "4, 2", "1", "4", "1 → 4"],
    ]
    assert frame["bytes to copy"].tolist() == [100.0, 100.0]


def test_a_size_that_is_unknown_is_not_0_bytes_to_copy():
    """As the report has it: of whom no replica's size is told nobody knows how much is copied; others are as before."""
    sizes = {("=cmd", 7): 100.0, ("orders", 0): float("nan")}
    current = ClusterLayout.from_assignments(PLAN.current.assignments(), size_bytes=sizes)
    frame = moves_frame(Plan(current, PLAN.proposed, PLAN.certificate), np.flatnonzero(PLAN.changed))

    assert frame["bytes to copy"].tolist()[0] == 100.0
    assert frame["bytes to copy"].isna().tolist() == [False, True]


def test_what_moves_stands_before_lists_that_are_only_reordered():
    """A rebalance by size reorders a thousand lists and moves few: the first rows shown are the moves."""
    plan = planned(
        {("a", 0): [1, 2], ("b", 0): [1, 2], ("c", 0): [1, 2]}, {("a", 0): [2, 1], ("b", 0): [1, 3], ("c", 0): [1, 3]}
    )

    assert moves_frame(plan, shown_first(plan))[["topic", "leaves", "joins"]].to_numpy().tolist() == [
        ["b", "2", "3"],
        ["c", "2", "3"],
        ["a", "", ""],
    ]


def test_a_spreadsheet_takes_no_topic_for_a_formula():
    """A topic that starts like a formula gets a quote before it in the CSV."""
    assert as_csv(PLAN).splitlines()[1].startswith("'=cmd,7,")
    # The heatmap's columns are topics.
    assert tables.as_csv(pd.DataFrame({"broker": ["1"], "=cmd": [3]}), ("broker",)) == "broker,'=cmd\n1,3\n"


def test_flows_count_who_gives_to_whom():
    """Broker 1 gives two replicas to broker 4."""
    sources, targets, link, counts, by_rack = flow_counts(PLAN)

    assert (sources, targets, link.tolist(), counts.tolist(), by_rack) == (
        ["broker 1"],
        ["broker 4"],
        [[0, 0]],
        [2],
        False,
    )


def test_many_brokers_are_drawn_by_rack_and_new_copies_are_named():
    """Above thirty brokers the flows are summed by rack; a copy that replaces none comes from nowhere."""
    brokers = [Broker(i, "even" if i % 2 == 0 else "odd") for i in range(40)]
    before = {("orders", i): [i] for i in range(38)}
    after = {("orders", i): [(i + 2) % 40] if i else [0, 39] for i in range(38)}
    sources, targets, link, counts, by_rack = flow_counts(planned(before, after, brokers))
    flows = {(sources[a], targets[b]): int(n) for (a, b), n in zip(link.tolist(), counts, strict=True)}

    assert by_rack
    assert flows == {("even", "even"): 18, ("odd", "odd"): 19, ("new copies", "odd"): 1}


def test_a_search_finds_topics_partitions_and_brokers():
    """Words find topics, topic-partition one row, and a number the brokers that belong to a row."""
    layout = PLAN.current
    rows = np.arange(3)

    def found(search):
        return [layout.name_of(int(row)) for row in tables.matching(layout, rows, search, layout.replica_ids)]

    assert found("ORD") == ["orders-0", "orders-1"]
    assert found("orders-1") == ["orders-1"]
    assert found("3") == ["=cmd-7", "orders-1"]
    assert found("  ") == ["=cmd-7", "orders-0", "orders-1"]
    assert found("nothing") == []


def test_the_worst_imbalance_comes_first_and_the_unavoidable_is_none():
    """Replicas 4, 1, 1 over three brokers could be even; leaders 2, 1, 0 could too, and are worse for their mean."""
    layout = ClusterLayout.from_assignments(
        {("a", 0): [1, 2], ("a", 1): [1, 3], ("a", 2): [1], ("a", 3): [1]},
        leaders={("a", 0): 1, ("a", 1): 1, ("a", 2): 1, ("a", 3): 1},
    )
    found = imbalances(layout, measure(layout))

    assert [one.title for one in found] == ["Leaders by broker", "Replicas by broker"]
    assert "4 (broker 1)" in found[0].sentence
    assert found[0].excess > found[1].excess


def test_the_ends_of_an_imbalance_are_as_far_apart_as_it_says():
    """A dead broker leads nothing and is no end of the spread: the two that are named are."""
    layout = ClusterLayout.from_assignments(
        {("a", p): [1 + p % 2, 3] for p in range(5)} | {("b", 0): [2, 3]},
        brokers=[Broker(1), Broker(2), Broker(3, state=BrokerState.DEAD)],
        leaders={("a", p): 1 + p % 2 for p in range(5)} | {("b", 0): 1},
    )
    found = {one.title: one.sentence for one in imbalances(layout, measure(layout))}

    assert found["Leaders by broker"] == "2 (broker 2) to 4 (broker 1): spread 2 among those alive; best possible: 0."
