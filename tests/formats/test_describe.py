"""kafka-topics --describe, from 0.8 to 4.x, Confluent's, and damaged copies of all of them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from reseat.errors import InputRefused, LimitMet
from reseat.formats import Limits, Reading, read
from reseat.formats.input import lines
from reseat.model import NONE, NOT_TOLD, BrokerState, ClusterLayout

Reader = Callable[[str], Reading]


def isr(layout: ClusterLayout, topic: str, partition: int) -> list[int] | None:
    """The ISR of a partition as broker ids in assignment order, None where it is not told."""
    row = layout.row(topic, partition)
    assert row is not None
    if layout.in_sync is None or not layout.in_sync_known[row]:
        return None
    return layout.replica_ids[row][layout.in_sync[row]].tolist()


def kinds(reading: Reading) -> list[str]:
    """The kinds of findings."""
    return [found.kind for found in reading.findings]


def test_lower_case_rows_of_0_8_without_headers(reading_of: Reader) -> None:
    """0.8 writes lower-case labels, no header, and 10-digit broker ids occur."""
    layout = reading_of("describe-0.8").layout

    assert layout.assignments() == {
        ("audit", 0): [1052189104],
        ("billing-events", 0): [2, 3, 1],
        ("billing-events", 1): [3, 1, 2],
    }
    assert layout.leader_ids.tolist() == [1052189104, 2, 3]
    assert isr(layout, "billing-events", 0) == [2, 3]


def test_old_headers_tab_stops_and_deletion(reading_of: Reader) -> None:
    """Tabs turned to spaces, leader -1 and none, an empty ISR, and topics marked for deletion are read."""
    reading = reading_of("describe-2.2")
    layout = reading.layout

    assert layout.assignments() == {
        ("old", 0): [1],
        ("orders", 0): [1, 2],
        ("orders", 1): [2, 3],
        ("orders", 2): [3, 1],
    }
    assert layout.leader_ids.tolist() == [1, 1, NONE, NONE]
    assert [isr(layout, "orders", p) for p in range(3)] == [[1, 2], [3], []]
    assert layout.min_in_sync is not None
    assert layout.min_in_sync.tolist() == [NONE, 2]
    marked = next(found for found in reading.findings if found.kind == "marked_for_deletion")
    assert marked.topics == ("old",)
    assert reading.facts["declared_partitions"] == 4


def test_columns_after_isr(reading_of: Reader) -> None:
    """Adding, removing, Elr, LastKnownElr become masks; "N/A" and empty are none; colons in Configs are no labels."""
    reading = reading_of("describe-4.1")
    layout = reading.layout

    assert layout.assignments()[("payments.eu", 0)] == [1, 2, 3]
    assert layout.assignments()[("bare", 0)] == [3]
    rows = [layout.row("payments.eu", p) for p in range(3)]
    assert layout.adding is not None
    assert layout.adding[rows].tolist() == [[False, False, True], [False] * 3, [False] * 3]
    assert layout.removing is not None
    assert layout.removing[rows].tolist() == [[False] * 3, [False, True, False], [False] * 3]
    assert layout.eligible is not None
    assert layout.eligible[rows].tolist() == [[False] * 3, [True, True, False], [False] * 3]
    assert layout.last_known_eligible is not None
    assert layout.last_known_eligible[rows].tolist() == [[False] * 3, [True, False, False], [False] * 3]
    assert layout.min_in_sync is not None
    assert layout.min_in_sync.tolist() == [1, 2]
    assert [piece.line for piece in reading.skipped] == [1]
    assert "Log line" in reading.skipped[0].why


def test_confluent_columns(reading_of: Reader) -> None:
    """Observers become a mask, brokers listed as offline are dead; JSON inside Configs is no document, but told of."""
    reading = reading_of("describe-confluent")
    layout = reading.layout

    assert layout.assignments()[("two-sites", 0)] == [2, 1, 3, 4]
    assert layout.observers is not None
    assert layout.observers[layout.row("two-sites", 1)].tolist() == [False, False, True, True]
    assert [(one.kind, one.sentence) for one in reading.findings] == [
        (
            "placement_constraints",
            "1 topic has placement constraints (Confluent), such as two-sites: plans do not heed them.",
        )
    ]
    assert {b.id: b.state for b in layout.brokers} == {
        1: BrokerState.DEAD,
        2: BrokerState.DEAD,
        3: BrokerState.NOT_TOLD,
        4: BrokerState.NOT_TOLD,
    }


def test_offline_broker_that_leads_is_not_dead() -> None:
    """A failed disk makes a replica offline while its broker still leads other partitions."""
    layout = read(
        "Topic: a\tPartition: 0\tLeader: 1\tReplicas: 1,2\tIsr: 1\tOffline: 2\n"
        "Topic: a\tPartition: 1\tLeader: 2\tReplicas: 2,1\tIsr: 2,1\tOffline: \n"
    ).layout

    assert [b.state for b in layout.brokers] == [BrokerState.NOT_TOLD, BrokerState.NOT_TOLD]


def test_lost_line_ends(reading_of: Reader) -> None:
    """Rows on one line, glued to the header and the command, are told apart by their labels."""
    reading = reading_of("describe-lost-lines")

    assert reading.layout.assignments() == {("clicks", 0): [0, 1], ("clicks", 1): [1, 2], ("clicks", 2): [2, 0]}
    assert reading.facts["declared_partitions"] == 3


def test_damaged_header_glued_to_its_row() -> None:
    """A header that lost its first letter, and Configs glued to the row, do not hide the row."""
    layout = read(
        "kafka-topics.sh --describe opic:test PartitionCount:1 ReplicationFactor:1 Configs:Topic: test Partition: 0 "
        "Leader: none Replicas: 1002 Isr: "
    ).layout

    assert layout.assignments() == {("test", 0): [1002]}
    assert layout.leader_ids.tolist() == [NONE]
    assert isr(layout, "test", 0) == []


def test_header_wrapped_over_lines(reading_of: Reader) -> None:
    """Configs that go on in the next lines belong to the header; fewer rows than declared is a finding."""
    reading = reading_of("describe-wrapped")
    layout = reading.layout

    assert layout.partition_count == 2
    assert layout.min_in_sync is not None
    assert layout.min_in_sync.tolist() == [2]
    assert reading.facts["declared_partitions"] == 50
    assert kinds(reading) == ["fewer_rows_than_declared"]
    assert [(piece.line, piece.lines) for piece in reading.skipped] == [(6, 1)]


@pytest.mark.parametrize("configs", ["segment.bytes=1", "segment.bytes=1 MarkedForDeletion: true"])
def test_settings_below_a_row_are_not_the_topics(configs: str) -> None:
    """Kafka prints a topic's Configs in its header alone: what lies below its rows is of something else."""
    row = "\tTopic: a\tPartition: 0\tLeader: 1\tReplicas: 1\tIsr: 1\n"
    header = f"Topic: a\tPartitionCount: 1\tReplicationFactor: 1\tConfigs: {configs}\n"
    below = read(f"{header}{row}  min.insync.replicas=2,remote.storage.enable=true\n{header.replace(' a', ' b')}")

    assert below.tiering.topics == ()
    assert below.layout.min_in_sync is None or below.layout.min_in_sync.tolist() == [-1, -1]
    assert read(f"{header}  remote.storage.enable=true\n{row}{header}{row}").tiering.topics == ("a",)


def test_row_wrapped_by_a_terminal() -> None:
    """A row that a narrow terminal broke is one row."""
    layout = read(
        "Topic: wide  Partition: 0  Leader: 1  Replicas: 1,2\n   Isr: 1\nTopic: wide  Partition: 1  Leader: 2\n"
        "  Replicas: 2,1  Isr: 2,1\n"
    ).layout

    assert layout.assignments() == {("wide", 0): [1, 2], ("wide", 1): [2, 1]}
    assert isr(layout, "wide", 0) == [1]


@pytest.mark.parametrize(
    "row",
    [
        "Replicas: 10,11,|12\tIsr: 10,11",
        "Replicas: 10,11|,12\tIsr: 10,11",
        "Replicas: 10,11,1|2\tIsr: 10,11",
        "Replicas: 1|0,11,12\tIsr: 10,11",
        "Replicas: 10,11,12\tIsr: 10,|11",
        "Replicas: 10,11,12\tIsr: |10,11",
        "Replicas: 10,11,12\tIsr: |10,11\tElr: 12\tLastKnownElr: ",
        "Replicas: 10,11,12\tIsr: 10|,11",
        "Replicas: 10,11,12\tIsr: 10,|11\tElr: 12\tLastKnownElr: ",
        "Replicas: 10,11,12\tIsr: 10,1|1\tElr: 12\tLastKnownElr: ",
    ],
)
def test_a_row_that_a_terminal_broke_within_a_list_is_one_row(row: str) -> None:
    """Wherever that was, in a number too: half of a list is no list."""
    row = "Topic: t\tPartition: 0\tLeader: 10\t" + row
    broken, whole = (
        read(text + "\nTopic: t\tPartition: 1\tLeader: 12\tReplicas: 12,10\tIsr: 12,10\n")
        for text in (row.replace("|", "\n"), row.replace("|", ""))
    )

    assert broken.layout.assignments() == whole.layout.assignments()
    assert isr(broken.layout, "t", 0) == isr(whole.layout, "t", 0)
    assert broken.skipped == ()


@pytest.mark.parametrize("begins", ["Topic: t\tPartition", "\tTopic: t\tPartition", " Topic:t Partition"])
@pytest.mark.parametrize("size", range(16 * 90, 16 * 100, 16))
def test_rows_that_a_terminal_broke_are_read_alike_however_much_of_them_at_a_time(
    begins: str, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No piece ends within one."""
    monkeypatch.setattr(lines, "CHUNK", size)
    rows = [f"{begins}: {at}\tLeader: 10\tReplicas: 10,1\n1,12\tIsr: 10,\n11\n" for at in range(40)]

    assert read("".join(rows)).layout.assignments() == {("t", at): [10, 11, 12] for at in range(40)}


def test_a_row_that_cannot_be_is_told_by_its_line_however_much_is_read_at_a_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """In the middle of forty that are whole lines."""
    monkeypatch.setattr(lines, "CHUNK", 16 * 90)
    rows = [ROW.format("t", at, "") for at in range(40)]
    rows[30] = rows[30].replace("Leader: 1", "Leader: 9999999999")

    assert [piece.line for piece in read("".join(rows)).skipped] == [31]


def test_a_number_below_a_row_that_is_whole_is_none_of_its_list() -> None:
    """A status that the shell prints; a partition without a leader has no ISR, so that none is looked for."""
    led, leaderless = (
        f"Topic: t\tPartition: 0\tLeader: {leader}\tReplicas: 1,10\tIsr: {isr}\n"
        for leader, isr in (("1", "1"), ("none", ""))
    )

    for row in (led, leaderless):
        reading = read(row + "0\n")
        assert isr(reading.layout, "t", 0) == [1][: row.count("Isr: 1")]
        assert [piece.text for piece in reading.skipped] == ["0"]


def test_rows_among_noise(reading_of: Reader) -> None:
    """A row at the end of an exception, notes in brackets, rows without the Topic label; LeaderId is no leader."""
    reading = reading_of("describe-noise")

    assert reading.layout.assignments() == {
        ("daily", 0): [0, 1, 2],
        ("daily", 1): [1, 2, 3],
        ("nightly", 0): [1],
    }
    skipped = "\n".join(piece.text for piece in reading.skipped)
    assert "LeaderId:" in skipped
    assert "Created topic late." in skipped
    assert "Under replicated partitions found" in skipped


def test_row_names_another_topic_than_the_header() -> None:
    """The row wins; a header without rows still names a topic."""
    reading = read(
        "Topic: one\tPartitionCount: 1\tReplicationFactor: 2\tConfigs: \n"
        "\tTopic: two\tPartition: 0\tLeader: 3\tReplicas: 3,4,2\tIsr: 3,4\n"
    )

    assert reading.layout.topics == ("one", "two")
    assert reading.layout.assignments() == {("two", 0): [3, 4, 2]}
    assert kinds(reading) == ["fewer_rows_than_declared"]


def test_header_is_not_trusted() -> None:
    """A replication factor that the rows do not have is a finding, and the rows count."""
    reading = read(
        "Topic:t\tPartitionCount:1\tReplicationFactor:3\tConfigs:\n"
        "\tTopic: t\tPartition: 0\tLeader: 1\tReplicas: 1\tIsr: 1\n"
    )

    assert reading.layout.replica_count == 1
    assert kinds(reading) == ["header_factor_differs"]


def test_row_without_topic_takes_the_header_above() -> None:
    """A row that names no topic belongs to the header above it; without a header it is reported, not guessed."""
    row = "\tPartition: 0\tLeader: 1\tReplicas: 1,2\tIsr: 1,2\n"
    layout = read(
        f"Topic: a\tReplicationFactor: 2\tConfigs: \n{row}Topic: b\tReplicationFactor: 2\tConfigs: \n{row}"
    ).layout

    assert layout.assignments() == {("a", 0): [1, 2], ("b", 0): [1, 2]}

    reading = read(f"{row}Topic: a\tPartition: 1\tLeader: 1\tReplicas: 1\tIsr: 1\n")

    assert reading.layout.assignments() == {("a", 1): [1]}
    assert [(piece.line, piece.why) for piece in reading.skipped] == [
        (1, "A row without a topic, and no header above it names one.")
    ]


def test_repeated_and_contradicting_rows() -> None:
    """The same row twice is a note, another row for one partition a finding with both lines; the first counts."""
    reading = read(
        "$ kafka-topics.sh --describe --unavailable-partitions\n"
        "Topic: t\tPartition: 1\tLeader: -1\tReplicas: 1,2\tIsr: 1\n"
        "Topic: t\tPartition: 0\tLeader: 1\tReplicas: 1,2\tIsr: 1\n"
        "Topic: t\tPartition: 1\tLeader: -1\tReplicas: 1,2\tIsr: 1\n"
        "Topic: t\tPartition: 0\tLeader: 2\tReplicas: 2,3\tIsr: 2\n"
    )

    assert reading.layout.assignments() == {("t", 0): [1, 2], ("t", 1): [1, 2]}
    found = {finding.kind: finding for finding in reading.findings}
    assert found["repeated_rows"].places == ("line 2", "line 4")
    assert found["contradicting_rows"].places == ("line 3", "line 5")
    assert found["contradicting_rows"].rows.tolist() == [0]


def test_isr_outside_replicas_and_duplicates_are_findings() -> None:
    """An ISR member that is no replica is reported and left out; a replica listed twice stays as it stands."""
    reading = read(
        "Topic: t\tPartition: 0\tLeader: 1\tReplicas: 1,2\tIsr: 1,9\n"
        "Topic: t\tPartition: 1\tLeader: 1\tReplicas: 1,1\tIsr: 1\n"
    )

    assert isr(reading.layout, "t", 0) == [1]
    assert reading.layout.assignments()[("t", 1)] == [1, 1]
    found = {finding.kind: finding for finding in reading.findings}
    assert found["in_sync_outside_replicas"].places == ("line 1",)
    assert found["duplicate_replicas"].places == ("line 2",)


def test_row_without_isr_tells_none() -> None:
    """Where Isr is cut off, the ISR is not told, which is not the same as empty."""
    layout = read(
        "Topic: t Partition: 0 Leader: 1 Replicas: 1,2\nTopic: t Partition: 1 Leader: 1 Replicas: 1,2 Isr: 1"
    ).layout

    assert isr(layout, "t", 0) is None
    assert isr(layout, "t", 1) == [1]


def test_ids_beyond_java_ints_are_reported() -> None:
    """An id that Kafka cannot have is not wrapped round: the row is skipped and says why."""
    reading = read(
        "Topic: t\tPartition: 0\tLeader: 1\tReplicas: 1,2147483648\tIsr: 1\n"
        "Topic: t\tPartition: 1\tLeader: 2147483647\tReplicas: 2147483647\tIsr: 2147483647\n"
    )

    assert reading.layout.assignments() == {("t", 1): [2147483647]}
    assert [piece.line for piece in reading.skipped] == [1]


def test_unknown_column_is_reported_and_the_row_kept() -> None:
    """A column that a later Kafka may add is named as skipped; the row stays."""
    reading = read("Topic: t\tPartition: 0\tLeader: 1\tReplicas: 1\tIsr: 1\tFuture: 7\n")

    assert reading.layout.assignments() == {("t", 0): [1]}
    assert [(piece.line, piece.text) for piece in reading.skipped] == [(1, "Future: 7")]


def test_tiered_topics_are_told_by_their_configs() -> None:
    """In headers as Kafka prints them, and in one that is taken apart label by label; what is not true is not."""
    header = "Topic: {}\tPartitionCount: 1\tReplicationFactor: 1\tConfigs: {}\n"
    row = "\tTopic: {}\tPartition: 0\tLeader: 1\tReplicas: 1\tIsr: 1\n"
    configs = {
        "a": "segment.bytes=1,remote.storage.enable=true",
        "b": "remote.storage.enable=false,min.insync.replicas=2",
        "c": "remote.storage.enable=trueish",
        "d": "remote.storage.enable=true,min.insync.replicas=1",
    }
    plain = "".join(header.format(topic, said) + row.format(topic) for topic, said in configs.items())
    marked = header.format("e", "remote.storage.enable=true MarkedForDeletion: true") + row.format("e")

    assert read(plain).tiering.topics == ("a", "d")
    assert read(plain + marked).tiering.topics == ("a", "d", "e")


def test_headers_alone_are_refused() -> None:
    """Headers without a row (--topics-with-overrides) hold no layout."""
    with pytest.raises(InputRefused, match="no partition in it") as refused:
        read("Topic: a\tTopicId: x\tPartitionCount: 3\tReplicationFactor: 1\tConfigs: \n")
    assert refused.value.line == 1


def test_fast_and_tolerant_path_read_alike() -> None:
    """The same rows, regular and with a note that makes each irregular, give equal layouts, over several chunks."""
    rows = []
    lists = np.argsort(np.random.default_rng(5).random((40_000, 50)), axis=1)[:, :3].tolist()
    for partition, replicas in enumerate(lists):
        ids = ",".join(map(str, replicas))
        rows.append(
            f"Topic: t{partition % 7}\tPartition: {partition}\tLeader: {replicas[1]}{{}}\tReplicas: {ids}\t"
            f"Isr: {ids}\tElr: {replicas[0]}"
        )
    plain = "\n".join(rows)

    regular, tolerant = read(plain.replace("{}", "")).layout, read(plain.replace("{}", " [Broker-id]")).layout

    assert regular == tolerant
    assert regular.partition_count == 40_000


def test_limits_hold() -> None:
    """Too many partitions, replicas or cells are refused with a sentence that names the limit."""
    rows = "\n".join(f"Topic: t\tPartition: {p}\tLeader: 1\tReplicas: 1,2,3\tIsr: 1" for p in range(50))

    with pytest.raises(LimitMet, match="more than 20 partition rows"):
        read(rows, limits=Limits(partitions=20))
    with pytest.raises(LimitMet, match="at most 2 are read"):
        read(rows, limits=Limits(replicas=2))
    with pytest.raises(LimitMet, match="cells"):
        read(rows, limits=Limits(cells=100))


def test_leader_not_told_is_not_none() -> None:
    """An empty leader column says nothing of a leader."""
    layout = read("Topic: t Partition: 0 Leader: Replicas: 1,2 Isr: 1").layout

    assert layout.leader_ids.tolist() == [NOT_TOLD]


def test_a_header_for_every_row() -> None:
    """Where every topic has one partition, headers and rows alternate: each keeps its topic and its min ISR."""
    text = "".join(
        f"Topic: t{i}\tPartitionCount: 1\tReplicationFactor: 2\tConfigs: {configs}\n"
        f"\t{name}Partition: 0\tLeader: 1\tReplicas: 1,2\tIsr: 1,2\n"
        for i, (configs, name) in enumerate(
            [("min.insync.replicas=2", "Topic: t0\t"), ("", ""), ("segment.bytes=1,min.insync.replicas=1", "")]
        )
    )
    layout = read(text).layout

    assert layout.assignments() == {("t0", 0): [1, 2], ("t1", 0): [1, 2], ("t2", 0): [1, 2]}
    assert layout.min_in_sync is not None
    assert layout.min_in_sync.tolist() == [2, -1, 1]


@pytest.mark.parametrize(
    "row",
    [
        "\tTopic: t\tPartition: 1\tLeader: 1\tReplicas: 1;2\tIsr: 1,2",
        "\tTopic: t\tPartition: 1\tLeader: 1\tReplicas: 1,2\tIsr: 1/2",
        "\tTopic: t\tPartition: 1\tLeader: x\tReplicas: 1,2\tIsr: 1,2",
        "\tTopic: t\tPartition: 1\tLeader: 99999999999\tReplicas: 1,2\tIsr: 1,2",
        "\tTopic: t\tPartition: 1\tLeader: 1\tRepl",
        "\tTopic: t\tPartition: 1\tLeader: 1\tReplicas: 1,x\tIsr: 1,2",
        "\tTopic: t\tPartition: 1\tLeader: 1\tReplicas: 1,-2\tIsr: 1,2",
        "\tTopic: t\tPartition: 1\tLeader: 1\tReplicas: 1,2\tIsr: 1,x",
        "\tTopic: t\tPartition: 1\tLeader: 1\tReplicas: 1,9999999999\tIsr: 1,2",
        "\tTopic: t\tPartition: 1\tLeader: 1\tReplicas: 1",
        "\tTopic: t\tPartition: 1\tLeader: 1\tReplicas: 1,",
        "\tTopic: or t\tPartition: 1\tLeader: 1\tReplicas: 1,2\tIsr: 1,2",
    ],
    ids=[
        "semicolon in replicas",
        "slash in isr",
        "leader",
        "large leader",
        "cut",
        "word in replicas",
        "negative replica",
        "word in isr",
        "large replica",
        "cut within its replicas",
        "cut behind a comma",
        "a name in two",
    ],
)
def test_a_damaged_row_is_not_half_read(row: str) -> None:
    """No list is taken from half of one; the row stands in what was skipped, and a finding says so."""
    reading = read(f"\tTopic: t\tPartition: 0\tLeader: 1\tReplicas: 1,2\tIsr: 1,2\n{row}\n")

    assert reading.layout.assignments() == {("t", 0): [1, 2]}
    assert [piece.line for piece in reading.skipped] == [2]
    assert [(found.kind, found.places) for found in reading.findings] == [("not_understood", ("line 2",))]


def test_rows_that_all_lack_the_isr_are_whole() -> None:
    """Where nobody tells it, a row ends with its replicas."""
    reading = read("Topic: t Partition: 0 Leader: 1 Replicas: 1,2\nTopic: t Partition: 1 Leader: 2 Replicas: 2,1\n")

    assert reading.layout.assignments() == {("t", 0): [1, 2], ("t", 1): [2, 1]}
    assert reading.layout.in_sync is None


@pytest.mark.parametrize(("declared", "differs"), [("2", False), ("3", True), ("x", False), ("9" * 5_000, False)])
def test_a_header_that_is_taken_apart_declares_its_factor(declared: str, differs: bool) -> None:
    """One wrapped or damaged is compared with the rows as any other; what is no number declares nothing."""
    text = (
        f"Topic: t MarkedForDeletion: false PartitionCount: 1 ReplicationFactor: {declared} Configs: \n"
        "Topic: t Partition: 0 Leader: 1 Replicas: 1,2 Isr: 1,2\n"
    )

    assert ("header_factor_differs" in [found.kind for found in read(text).findings]) is differs


def test_labels_in_the_configs_of_a_header_are_not_its_own() -> None:
    """What a setting says in a header that is taken apart declares no count."""
    text = (
        "Topic: t MarkedForDeletion: false PartitionCount: 1 ReplicationFactor: 1 Configs: "
        'note="PartitionCount: 9 ReplicationFactor: 3"\nTopic: t Partition: 0 Leader: 1 Replicas: 1 Isr: 1\n'
    )

    assert kinds(read(text)) == []


def test_a_damaged_row_does_not_swallow_the_lines_below_it() -> None:
    """Lines are joined to a row only where it goes on in them; else each is read, or listed, by itself."""
    reading = read(
        "topic: a\tpartition: 0\ttition 1, leader -1\n"
        '  topic "b" with 1 partitions:\n'
        "    partition 0, leader 3, replicas: 3,1,2, isrs: 3,1,2\n"
        "leader: 2\treplicas: 2,3,1\tisr: 2,3\n"
        "topic: c\tpartition: 1\tleader: 3\treplicas: 3,1\tisr: 3,1\n"
    )

    assert reading.layout.assignments() == {("b", 0): [3, 1, 2], ("c", 1): [3, 1]}
    assert [(piece.line, piece.lines) for piece in reading.skipped] == [(1, 1), (4, 1)]


ROW = "Topic: {}\tPartition: {}\tLeader: 1\tReplicas: 1,2\tIsr: 1,2{}\n"
HEADING = "Topic: {}\tPartitionCount: 1\tReplicationFactor: 2\tConfigs: {}\n"


@pytest.mark.parametrize("name", ["describe-4.1", "describe-lost-lines", "describe-noise", "describe-wrapped", "kcat"])
@pytest.mark.parametrize("size", [16 * 300, 16 * 90])
def test_a_text_is_read_alike_however_much_of_it_at_a_time(
    name: str, size: int, sample: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows without a topic, lines of findings, and what is listed: whatever stands in the piece before."""
    text = ROW.format("first", 0, "") + sample(name).replace(", leader 1,", ", leader 9999999999,")
    whole = read(text)
    monkeypatch.setattr(lines, "CHUNK", size)
    pieces = read(text)

    assert pieces.layout == whole.layout
    assert pieces.skipped == whole.skipped
    assert [(found.kind, found.places) for found in pieces.findings] == [
        (found.kind, found.places) for found in whole.findings
    ]


@pytest.mark.parametrize(
    ("heading", "marked"),
    [
        ("Topic: a\tPartitionCount: 1\tReplicationFactor: 2\tMarkedForDeletion: true\tConfigs: x=1\n", True),
        ("Topic: a\tPartitionCount: 1\tReplicationFactor: 2\tMarkedForDeletion: false\tConfigs: x=1\n", False),
        (HEADING.format("a", "x=1\tMarkedForDeletion: true"), True),
        (HEADING.format("a", "x=1\tMarkedForDeletion: false"), False),
        (HEADING.format("a", "x=1"), False),
        ("[1] " + HEADING.format("a", "x=1"), False),
    ],
)
def test_a_heading_says_that_its_topic_will_be_deleted(heading: str, marked: bool) -> None:
    """Before its configs, or behind them."""
    reading = read(heading + ROW.format("a", 0, ""))

    assert [found.topics for found in reading.findings if found.kind == "marked_for_deletion"] == [("a",)] * marked


def test_a_row_glued_to_its_heading_is_a_row() -> None:
    """Whatever the heading's configs are."""
    glued = HEADING.format("a", "x=1").rstrip() + " " + ROW.format("a", 0, "")

    assert read(glued).layout.assignments() == {("a", 0): [1, 2]}
    assert read(ROW.format("b", 0, "") + glued).layout.partition_count == 2


def test_replicas_that_are_being_added_do_not_differ_from_the_heading() -> None:
    """Kafka counts those that stay; a row with one more is said to differ."""
    row = "Topic: a\tPartition: 0\tLeader: 1\tReplicas: 1,2,3\tIsr: 1,2{}\n"
    told = [
        read(HEADING.format("a", "") + row.format(more)) for more in ("\tAdding Replicas: 3\tRemoving Replicas: ", "")
    ]

    assert [[found.kind for found in reading.findings] for reading in told] == [[], ["header_factor_differs"]]
    assert [reading.layout.adding is None for reading in told] == [False, True]


@pytest.mark.parametrize(
    ("column", "kept"), [("Elr: 2147483647", True), ("Elr: 2147483648", False), ("Offline: 2147483647", True)]
)
def test_an_id_behind_the_isr_is_one_that_kafka_knows(column: str, kept: bool) -> None:
    """Else the row is listed; a broker that is offline is dead."""
    reading = read(
        "Topic: a\tPartition: 0\tLeader: 1\tReplicas: 1,2147483647\tIsr: 1\t" + column + "\n" + ROW.format("b", 0, "")
    )

    assert (("a", 0) in reading.layout.assignments()) == kept
    assert [piece.why for piece in reading.skipped] == (
        [] if kept else ["An id in this row is above 2,147,483,647, Kafka's largest id."]
    )
    assert [broker.id for broker in reading.layout.brokers if broker.state is BrokerState.DEAD] == (
        [2**31 - 1] if "Offline" in column else []
    )


def test_a_last_row_may_end_with_its_replicas_where_none_tells_its_isr() -> None:
    """As old tools print them; what follows it belongs to itself."""
    row = "Topic: a\tPartition: 0\tLeader: 1\tReplicas: 1,2\n"
    alone, above = read(row), read(row + "first\n  second\n")

    assert alone.layout.in_sync_known.tolist() == above.layout.in_sync_known.tolist() == [False]
    assert not alone.layout.gaps.incomplete
    assert [(piece.line, piece.lines, piece.text) for piece in above.skipped] == [(2, 2, "first\nsecond")]


def test_a_row_may_be_wrapped_over_four_lines() -> None:
    """And over no more; the next row begins below them."""
    words = ["Topic: a\tPartition: 0", "Leader: 1", "Replicas: 1,2", "Isr: 1,2"]
    wrapped = read("\n".join([*words, ROW.format("a", 1, "")]))
    torn = read("\n".join([*words[:3], "", *words[3:], ROW.format("a", 1, "")]))

    assert wrapped.layout.partition.tolist() == [0, 1]
    assert wrapped.layout.in_sync_known.all()
    assert torn.layout.in_sync_known.tolist() == [False, True]


def test_two_headings_on_one_line_count_their_own_partitions() -> None:
    """What stands behind the configs of the first is none of it; and a row may say that its topic will be deleted."""
    reading = read(
        HEADING.format("a", "x=1").rstrip() + " " + HEADING.format("b", "").replace("1", "9") + ROW.format("a", 0, "")
    )
    marked = [read(ROW.format("a", 0, f"\tMarkedForDeletion: {word}")).findings for word in ("true", "false")]

    assert [topic.topic for topic in reading.layout.gaps.short if topic.topic == "a"] == []
    assert [[found.kind for found in findings] for findings in marked] == [["marked_for_deletion"], []]


def test_rows_with_blanks_in_their_lists_are_rows_like_others() -> None:
    """The largest id is read, and a last row without an ISR is cut off where another one tells its."""
    row = "Topic: a\tPartition: {}\tLeader: 1\tReplicas: 1, {}"
    reading = read(row.format(0, 2**31 - 1) + "\tIsr: 1\n" + row.format(1, 2) + "\n")

    assert reading.layout.assignments() == {("a", 0): [1, 2**31 - 1]}
    assert reading.layout.gaps.unread_rows == 1
