"""Readings of one cluster merged: what is filled in, what contradicts, and that nothing is lost."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reseat.formats import Reading, combine, read
from reseat.formats.rows.broker_facts import take
from reseat.model import NONE, Broker, BrokerState, ClusterLayout, LogDirectory, Quorum
from reseat.model.tiering import Tiering
from tests.cases import cases

DESCRIBE = (
    "Topic: a\tPartition: 0\tLeader: 1\tReplicas: 2,1\tIsr: 1\n"
    "Topic: a\tPartition: 1\tLeader: 2\tReplicas: 2,3\tIsr: 2,3\n"
)


def log_dirs(*logs: tuple[int, str, int]) -> str:
    """A kafka-log-dirs output of (broker, partition, size)."""
    brokers = ",".join(
        f'{{"broker":{broker},"logDirs":[{{"logDir":"/d{broker}","error":null,"partitions":'
        f'[{{"partition":"{name}","size":{size},"offsetLag":0,"isFuture":false}}]}}]}}'
        for broker, name, size in logs
    )
    return f'{{"version":1,"brokers":[{brokers}]}}'


def test_one_reading_stays_itself() -> None:
    """Combining one reading gives it back; none is a mistake of the caller."""
    reading = read(DESCRIBE)

    assert combine([reading]) is reading
    with pytest.raises(ValueError, match="At least one"):
        combine([])


def test_what_a_snapshot_tells_beside_its_layout_stays_with_another_text() -> None:
    """Its quorum, what is left in log directories, and tiered topics: a table of racks took all of that away."""
    reading = read(DESCRIBE)
    told = replace(
        reading,
        quorum=Quorum(leader=1, voters=(), observers=()),
        log_dirs=(LogDirectory(2, "/b", 10, 5), LogDirectory(1, "/a")),
        tiering=Tiering(("a",), (2,)),
    )
    other = replace(reading, log_dirs=(LogDirectory(2, "/b"), LogDirectory(3, "/c")), tiering=Tiering(("0", "a"), (1,)))
    racks = read("broker,rack\n1,r1\n2,r2\n3,r3\n")
    both = combine([told, racks, other])

    assert both.layout.racks == ("r1", "r2", "r3")
    assert both.quorum is told.quorum
    assert both.log_dirs == (LogDirectory(1, "/a"), LogDirectory(2, "/b", 10, 5), LogDirectory(3, "/c"))
    assert both.tiering == Tiering(("0", "a"), (1, 2))


def test_log_directories_assign_nothing() -> None:
    """Whoever stands first: a text with assignments gives the lists, also where both were combined before."""
    sizes, told = read(log_dirs((3, "a-0", 10))), read(DESCRIBE)
    both = combine([sizes, told])

    assert (sizes.assigns, told.assigns, both.assigns) == (False, True, True)
    assert combine([sizes, sizes]).assigns is False
    assert combine([sizes, both]).layout.assignments() == {("a", 0): [2, 1], ("a", 1): [2, 3]}


def test_sizes_racks_and_liveness_are_filled_in() -> None:
    """Log directories give sizes by broker, registrations racks and hosts, a complete list who is dead."""
    sizes = read(log_dirs((1, "a-0", 10), (2, "a-0", 20), (9, "a-1", 5)), source="sizes.txt")
    session = read(
        "ls /brokers/ids\n[1, 2, 5]\nget /brokers/ids/1\n"
        '{"host":"h1","port":9092,"version":5,"endpoints":["PLAINTEXT://h1:9092"],"rack":"r1"}',
        source="zk.txt",
    )

    combined = combine([sizes, read(DESCRIBE, source="describe.txt"), session])
    layout = combined.layout

    assert layout.assignments() == {("a", 0): [2, 1], ("a", 1): [2, 3]}
    assert layout.size_bytes is not None
    np.testing.assert_array_equal(layout.size_bytes, [[20.0, 10.0], [np.nan, np.nan]])
    assert layout.log_dir is not None
    assert [layout.log_dirs[i] if i != NONE else "" for i in layout.log_dir[0]] == ["/d2", "/d1"]
    assert layout.order_told.all()
    assert layout.brokers[0] == Broker(1, rack="r1", host="h1", port=9092, state=BrokerState.ALIVE)
    assert {b.id: b.state for b in layout.brokers if b.id != 9} == {
        1: BrokerState.ALIVE,
        2: BrokerState.ALIVE,
        3: BrokerState.DEAD,
        5: BrokerState.ALIVE,
    }
    assert [found.kind for found in combined.findings] == ["log_without_replica"]
    assert layout.name_of(int(combined.findings[0].rows[0])) == "a-1"
    assert combined.source == "sizes.txt, describe.txt, zk.txt"


def test_leader_and_isr_are_filled_in_where_not_told() -> None:
    """An assignment without leaders takes leader and ISR from a description in another order of rows."""
    plan = read('{"version":1,"partitions":[{"topic":"a","partition":1,"replicas":[3,2]}]}', source="plan.json")
    combined = combine([plan, read(DESCRIBE, source="describe.txt")])
    layout = combined.layout

    assert layout.assignments() == {("a", 0): [2, 1], ("a", 1): [3, 2]}
    assert layout.leader_ids.tolist() == [1, 2]
    assert layout.in_sync is not None
    assert layout.in_sync.tolist() == [[False, True], [True, True]]
    assert [found.kind for found in combined.findings] == ["contradicting_order"]


def test_contradictions_name_both_texts() -> None:
    """Other replicas, another order, another leader, another rack: each is a finding with both places."""
    other = read(
        "Topic: a\tPartition: 0\tLeader: 2\tReplicas: 1,2\tIsr: 1\n"
        "Topic: a\tPartition: 1\tLeader: 2\tReplicas: 2,4\tIsr: 2\n",
        source="later.txt",
    )
    combined = combine([read(DESCRIBE, source="earlier.txt"), other])

    assert combined.layout.assignments() == {("a", 0): [2, 1], ("a", 1): [2, 3]}
    found = {finding.kind: finding for finding in combined.findings}
    assert set(found) == {"contradicting_rows", "contradicting_order", "contradicting_leader"}
    assert found["contradicting_rows"].rows.tolist() == [1]
    assert found["contradicting_leader"].rows.tolist() == [0]
    for finding in found.values():
        assert [place.split(",")[0] for place in finding.places] == ["earlier.txt", "later.txt"]


def test_racks_that_contradict() -> None:
    """Two racks for one broker are a finding; the first is kept."""
    one, two = read("broker,rack\n1,r1\n", source="one.csv"), read("broker,rack\n1,r2\n2,r2\n", source="two.csv")
    combined = combine([one, two])

    assert {b.id: b.rack for b in combined.layout.brokers} == {1: "r1", 2: "r2"}
    assert [(found.kind, found.brokers) for found in combined.findings] == [("contradicting_broker", (1,))]


def test_order_is_told_where_any_text_with_authority_tells_it() -> None:
    """A text that keeps the order outranks one that does not, whichever comes first."""
    kcat = read(
        '  topic "a" with 1 partitions:\n    partition 0, leader 1, replicas: 1,2, isrs: 1\n', source="kcat.txt"
    )
    combined = combine([kcat, read(DESCRIBE, source="describe.txt")])

    assert combined.layout.assignments()[("a", 0)] == [2, 1]
    assert combined.layout.order_told.all()
    assert combined.findings == ()


assignments = st.dictionaries(
    st.tuples(st.sampled_from(["a", "b", "c"]), st.integers(0, 6)),
    st.lists(st.integers(0, 8), min_size=1, max_size=4, unique=True),
    max_size=12,
)


@given(assignments, assignments)
@settings(max_examples=cases(150), deadline=None)
def test_nothing_is_lost(first: dict[tuple[str, int], list[int]], second: dict[tuple[str, int], list[int]]) -> None:
    """Every partition and every broker of either text is in the result; the first text's lists stay."""
    a, b = (
        Reading(ClusterLayout.from_assignments(lists, leaders={key: lists[key][0] for key in lists}), "a list", source)
        for lists, source in ((first, "a"), (second, "b"))
    )
    combined = combine([a, b])

    assert combined.layout.assignments() == second | first
    assert {x.id for x in combined.layout.brokers} == {x.id for r in (a, b) for x in r.layout.brokers}
    differing = sum(sorted(first[key]) != sorted(second[key]) for key in first.keys() & second.keys())
    assert sum(len(f.rows) for f in combined.findings if f.kind == "contradicting_rows") == differing


def test_three_contradictions_are_all_named_and_a_fourth_is_counted() -> None:
    """Nothing more is counted where nothing more is."""

    def told(partitions: int, second: int, name: str) -> Reading:
        rows = [f"Topic: a\tPartition: {one}\tLeader: 1\tReplicas: 1,{second}\tIsr: 1\n" for one in range(partitions)]
        return read("".join(rows), source=name)

    def sentence(partitions: int, first: str = "", second: str = "") -> str:
        findings = combine([told(partitions, 2, first), told(partitions, 3, second)]).findings
        return next(one.sentence for one in findings if one.kind == "contradicting_rows")

    assert "more" not in sentence(3)
    assert "a-2 (" in sentence(3)
    assert "a-3" not in sentence(4)
    assert "a-0 (one, kafka-topics --describe and two, kafka-topics --describe)" in sentence(1, "one", "two")
    assert "1 more" in sentence(4)


def test_what_one_text_knows_and_another_does_not_is_filled_in() -> None:
    """Eligible replicas that a text names none of are none; of a text that does not know them, the other's count."""
    row = "Topic: a\tPartition: 0\tLeader: 1\tReplicas: 1,2\tIsr: 1{}\n"
    told = ("\tElr: \tLastKnownElr: ", "\tElr: 2\tLastKnownElr: ", "")
    knows, names, silent = (read(row.format(more)) for more in told)
    eligible = [combine(pair).layout.eligible for pair in ([knows, names], [silent, names], [names, silent])]

    assert [[] if one is None else one.tolist() for one in eligible] == [
        [[False, False]],
        [[False, True]],
        [[False, True]],
    ]


def test_in_sync_replicas_are_those_first_told() -> None:
    """Of a partition whose ISR both texts tell."""
    row = "Topic: a\tPartition: 0\tLeader: 1\tReplicas: 1,2\tIsr: {}\n"
    told = [combine([read(row.format(one)) for one in pair]).layout.in_sync for pair in (("1", "1,2"), ("1,2", "1"))]

    assert [[] if one is None else one.tolist() for one in told] == [[[True, False]], [[True, True]]]


def test_the_least_in_sync_replicas_of_a_topic_are_those_first_told() -> None:
    """By topic: one text tells it of a, the other of both."""
    heading = "Topic: {}\tPartitionCount: 1\tReplicationFactor: 2\tConfigs: {}\n"
    row = "Topic: {}\tPartition: 0\tLeader: 1\tReplicas: 1,2\tIsr: 1,2\n"

    def told(a: str, b: str) -> Reading:
        return read(heading.format("a", a) + row.format("a") + heading.format("b", b) + row.format("b"))

    first, second = told("min.insync.replicas=2", ""), told("min.insync.replicas=1", "min.insync.replicas=3")
    both, neither = combine([first, second]).layout.min_in_sync, combine([told("", ""), told("", "")])

    assert both is not None
    assert both.tolist() == [2, 3]
    assert neither.layout.min_in_sync is None


def test_what_is_proposed_stays_beside_what_another_text_adds() -> None:
    """With what was found in it; the first of two such texts counts."""
    racks = read("broker,rack\n1,r1\n2,r2\n3,r3\n")
    first, second = (read(f"a p0: [1 2] -> [{after}]\n") for after in ("3 3", "2 1"))
    both = combine([racks, first, second])

    assert both.proposed is first.proposed
    assert [found.kind for found in both.proposed_findings] == ["duplicate_replicas"]


def test_lists_whose_order_is_not_told_outrank_what_only_adds_facts() -> None:
    """A table without partitions does so too where racks contradict: the first stays."""
    kcat = read('  topic "a" with 1 partitions:\n    partition 0, leader 2, replicas: 2,1, isrs: 1\n')
    racks = read("broker,rack\n1,r1\n")
    node = read('get /brokers/ids/1\n{"host":"h","port":1,"rack":"r2"}\n')

    assert combine([read(log_dirs((1, "a-0", 5), (3, "a-0", 6))), kcat]).layout.assignments() == {("a", 0): [2, 1]}
    assert [combine(pair).layout.brokers[0].rack for pair in ([racks, node], [node, racks])] == ["r1", "r2"]
    assert combine([read(DESCRIBE), racks, node]).layout.brokers[0].rack == "r1"


def test_partitions_of_which_no_replica_is_told_are_merged() -> None:
    """With the facts of their topics."""
    empty = ClusterLayout.from_columns(topics=["a"], topic_of=[0], partition=[0], replicas=np.empty((1, 0), np.int32))
    twice = combine([Reading(empty, "a list", "one"), Reading(empty, "a list", "two")])

    assert twice.layout.assignments() == {("a", 0): []}


def test_directories_of_two_texts_keep_their_names() -> None:
    """Each text counts its own from 0."""
    layout = combine([read(log_dirs((1, "a-0", 1))), read(log_dirs((2, "b-0", 2)))]).layout

    assert [layout.log_dirs[code] for code in layout.log_dir.ravel().tolist()] == ["/d1", "/d2"]


@pytest.mark.parametrize(
    ("before", "after", "merged"),
    [
        (Broker(1, host="h", port=1), Broker(1, host="h", port=2), Broker(1, host="h", port=1)),
        (Broker(1, host="h"), Broker(1, host="h", port=2), Broker(1, host="h", port=2)),
        (Broker(1, host="h"), Broker(1, host="other", port=2), Broker(1, host="h")),
        (Broker(1), Broker(1, offline_dirs=("/a",)), Broker(1, offline_dirs=("/a",))),
        (Broker(1, offline_dirs=("/b",)), Broker(1), Broker(1, offline_dirs=("/b",))),
    ],
)
def test_facts_of_a_broker_are_filled_in(before: Broker, after: Broker, merged: Broker) -> None:
    """A port belongs to its host."""
    known = {1: before}
    take(known, after, "line 2", "line 2")

    assert known == {1: merged}
    assert known[1].offline_dirs == merged.offline_dirs


def test_skipped_pieces_stand_in_the_order_of_their_lines_or_of_their_texts() -> None:
    """Of one text by line, whatever form reads them first; of two texts one after the other."""
    kcat = '  topic "t" with 1 partitions: Broker: Unknown\n    partition 0, leader 1, replicas: 1, isrs: 1\n'
    row = "Topic: a\tPartition: 0\tLeader: 1\tReplicas: 1\tIsr: 1\nTopic: a\tPartition: x\tLeader: 1\tReplicas: 1\n"
    one, two = read(kcat + row), [read("\n\n\n" + kcat, source="1"), read(row, source="2")]

    assert [piece.line for piece in one.skipped] == [1, 4]
    assert [piece.line for piece in combine(two).skipped] == [4, 2]
