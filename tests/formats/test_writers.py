"""Texts that Kafka's own tools take or print."""

from __future__ import annotations

import io
import json
import re
import zipfile
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reseat.formats import read
from reseat.formats.documents.sealed import read_sealed
from reseat.formats.documents.writers import (
    Pieces,
    packed,
    write_describe,
    write_layout_reassignment,
    write_pieces,
    write_preferred_election,
    write_reassignment,
    write_rollback,
    write_topics_to_move,
)
from reseat.formats.text.reassignment import read_document
from reseat.model import Certificate, ClusterLayout, Plan, Wish

BEFORE = {("a", 10): [1, 2], ("a", 9): [2, 3], ("b", 0): [3, 1]}
AFTER = {("a", 10): [2, 3], ("a", 9): [2, 3], ("b", 0): [1, 3]}


def plan_of(before: ClusterLayout, after: ClusterLayout) -> Plan:
    """A plan that nobody has judged."""
    return Plan(before, after, Certificate(wish=Wish(), moves=0))


def plan() -> Plan:
    """One partition moves, one is reordered, one stays."""
    return plan_of(ClusterLayout.from_assignments(BEFORE), ClusterLayout.from_assignments(AFTER))


def with_directories() -> ClusterLayout:
    """Directories told for one replica of two."""
    return ClusterLayout.from_columns(
        topics=["a"],
        topic_of=[0],
        partition=[0],
        replicas=[[1, 2, -1]],
        log_dir=[[0, -1, -1]],
        log_dirs=['/data "1"'],
    )


def test_a_plan_is_its_changed_partitions_alone() -> None:
    """Sorted, compact, on one line."""
    assert write_reassignment(plan(), sealed=False) == (
        '{"version":1,"partitions":[{"topic":"a","partition":10,"replicas":[2,3]},'
        '{"topic":"b","partition":0,"replicas":[1,3]}]}'
    )


def test_what_a_plan_was_made_for_stands_beside_its_partitions() -> None:
    """In the key ``reseat``, behind what Kafka's tools read; the partitions are those of the plan without it."""
    for write in (write_reassignment, write_rollback):
        sealed, plain = write(plan()), write(plan(), sealed=False)

        assert sealed.startswith(plain[:-1] + ',"reseat":{"version":1,')
        assert list(json.loads(sealed)) == ["version", "partitions", "reseat"]
        assert sealed == write(plan())


def test_the_key_is_read_in_silence() -> None:
    """Whoever opens a plan as a layout is not told of a key that Reseat itself wrote."""
    reading = read(write_reassignment(plan()))

    assert reading.layout.assignments() == {("a", 10): [2, 3], ("b", 0): [1, 3]}
    assert (reading.findings, reading.skipped) == ((), ())


def test_the_rollback_is_the_present_state_of_the_changed_partitions() -> None:
    """Without log directories where none are told."""
    assert write_rollback(plan(), sealed=False) == (
        '{"version":1,"partitions":[{"topic":"a","partition":10,"replicas":[1,2]},'
        '{"topic":"b","partition":0,"replicas":[3,1]}]}'
    )


def test_the_rollback_names_the_directories_that_are_told() -> None:
    """What is not told is left to the broker; text is escaped as JSON."""
    rollback = write_rollback(plan_of(with_directories(), ClusterLayout.from_assignments({("a", 0): [2, 1]})))

    assert json.loads(rollback)["partitions"] == [
        {"topic": "a", "partition": 0, "replicas": [1, 2], "log_dirs": ['/data "1"', "any"]}
    ]


def test_a_plan_without_a_change_has_an_empty_list() -> None:
    """Nothing to do is said as such."""
    before = ClusterLayout.from_assignments(BEFORE)

    assert write_reassignment(plan_of(before, before)) == '{"version":1,"partitions":[]}'
    assert write_rollback(plan_of(before, before)) == '{"version":1,"partitions":[]}'


def test_a_plan_too_large_for_a_zookeeper_node_comes_in_parts() -> None:
    """Each part fits, all together are the plan, and a sentence says so."""
    before = ClusterLayout.from_assignments({("topic", p): [1, 2] for p in range(200)})
    after = ClusterLayout.from_assignments({("topic", p): [2, 1] for p in range(200)})
    large = plan_of(before, after)
    chunks = write_pieces(large, limit=4_096 + 1_000)
    plain = write_pieces(large, limit=4_096 + 1_000, sealed=False)
    entries = [entry for text in chunks.texts for entry in json.loads(text)["partitions"]]

    assert len(chunks.texts) > 1
    assert all(len(text) <= 1_000 for text in chunks.texts)
    assert entries == json.loads(write_reassignment(large))["partitions"]
    assert f"{len(chunks.texts)} parts" in chunks.sentence
    assert "jute.maxbuffer" in chunks.sentence
    assert write_pieces(large).texts == (write_reassignment(large),)
    named = write_pieces(large, limit=4_096 + 1_000, chosen={("topic", 7): {2: "/b"}}).texts
    assert max(map(len, named)) <= 1_000
    directories = [entry["log_dirs"] for text in named for entry in json.loads(text)["partitions"]]
    assert directories == [["/b", "any"] if p == 7 else ["any", "any"] for p in range(200)]
    assert all(read_sealed(text).intact for text in named)
    assert 1 < len(plain.texts) < len(chunks.texts)
    assert not any("reseat" in text for text in plain.texts)


def test_parts_fit_with_the_ids_of_their_topics() -> None:
    """Of 2.8 and later, whose tool still writes into a node where it is told ``--zookeeper``."""
    lists = {(f"topic-{topic:03}", p): [1, 2] for topic in range(120) for p in range(topic % 3 + 1)}
    before = ClusterLayout.from_assignments(lists)
    before = replace(before, topic_ids=tuple(f"{number:022}" for number in range(len(before.topics))))
    after = replace(before, replicas=before.replicas[:, ::-1].copy())
    parts = write_pieces(plan_of(before, after), limit=4_096 + 1_000).texts

    assert max(map(len, parts)) <= 1_000
    assert {read_sealed(part).intact for part in parts} == {True}
    assert [entry for part in parts for entry in json.loads(part)["partitions"]] == json.loads(
        write_reassignment(plan_of(before, after))
    )["partitions"]
    assert len(parts) < 60


@pytest.mark.parametrize("directories", [False, True])
def test_each_part_of_a_plan_is_sealed_by_itself(directories: bool) -> None:
    """For its own partitions; that a broker leaves is told by the last, as others still sit on it before.

    Also where directories were read, which no part names: its hash was that of other directories, and the guard took
    each part for one that somebody had changed.
    """
    before = ClusterLayout.from_assignments({("topic", p): [1, 2] for p in range(200)})
    after = ClusterLayout.from_assignments({("topic", p): [1, 3] for p in range(200)})
    if directories:
        in_a = np.zeros(before.replicas.shape, np.int32)
        before, after = (replace(one, log_dir=in_a, log_dirs=("/a",)) for one in (before, after))
    large = Plan(before, after, Certificate(wish=Wish(remove=(2,)), moves=200))
    parts = [read_sealed(text) for text in write_pieces(large, limit=4_096 + 1_000).texts]

    assert all(part.intact and part.told_hash for part in parts)
    assert [part.leaving for part in parts] == [()] * (len(parts) - 1) + [(2,)]
    assert sum(part.proposed.partition_count for part in parts) == 200
    assert all(
        part.before is not None and set(map(tuple, part.before.replica_ids.tolist())) == {(1, 2)} for part in parts
    )


def test_describe_text_is_kafkas() -> None:
    """Header and rows, tabs between, as 2.4 and later print them."""
    layout = ClusterLayout.from_assignments(
        {("a", 0): [3, 1], ("a", 2): [1], ("b", 0): [2, 1]},
        leaders={("a", 0): 3, ("a", 2): None, ("b", 0): 1},
        in_sync={("a", 0): [3], ("a", 2): [1], ("b", 0): [2, 1]},
    )

    assert write_describe(layout) == (
        "Topic: a\tPartitionCount: 2\tReplicationFactor: 2\tConfigs: \n"
        "\tTopic: a\tPartition: 0\tLeader: 3\tReplicas: 3,1\tIsr: 3\n"
        "\tTopic: a\tPartition: 2\tLeader: none\tReplicas: 1\tIsr: 1\n"
        "Topic: b\tPartitionCount: 1\tReplicationFactor: 2\tConfigs: \n"
        "\tTopic: b\tPartition: 0\tLeader: 1\tReplicas: 2,1\tIsr: 2,1\n"
    )


def test_describe_tells_of_what_is_under_way() -> None:
    """Adding and removing replicas, ELR and observers where told, and min.insync.replicas."""
    layout = ClusterLayout.from_columns(
        topics=["a"],
        topic_of=[0],
        partition=[0],
        replicas=[[1, 2, 3]],
        leader=[1],
        in_sync=[[True, False, False]],
        adding=[[False, False, True]],
        removing=[[False, True, False]],
        eligible=[[False, False, False]],
        min_in_sync=[2],
    )

    assert write_describe(layout).splitlines() == [
        "Topic: a\tPartitionCount: 1\tReplicationFactor: 3\tConfigs: min.insync.replicas=2",
        "\tTopic: a\tPartition: 0\tLeader: 1\tReplicas: 1,2,3\tIsr: 1\tAdding Replicas: 3\tRemoving Replicas: 2\tElr: ",
    ]


def test_topics_to_move_are_sorted_and_named_once() -> None:
    """What --generate takes."""
    assert write_topics_to_move(["b", "a", "b"]) == '{"version":1,"topics":[{"topic":"a"},{"topic":"b"}]}'


def test_a_preferred_election_of_all_or_of_some() -> None:
    """What kafka-leader-election takes."""
    layout = ClusterLayout.from_assignments(BEFORE)
    whole = '{"partitions":[{"topic":"a","partition":9},{"topic":"a","partition":10},{"topic":"b","partition":0}]}'

    assert write_preferred_election(layout) == whole
    assert write_preferred_election(layout, np.array([2])) == '{"partitions":[{"topic":"b","partition":0}]}'
    assert write_preferred_election(layout, np.zeros(3, np.bool_)) == '{"partitions":[]}'


@given(
    st.dictionaries(
        st.tuples(st.sampled_from(["a", 'q"', "ü\\", "b.c-1"]), st.integers(0, 2**31 - 1)),
        st.lists(st.integers(0, 2**31 - 1), min_size=1, max_size=5, unique=True),
        min_size=1,
        max_size=10,
    )
)
def test_a_layout_as_reassignment_json_reads_back_alike(assignments: dict[tuple[str, int], list[int]]) -> None:
    """Whatever the topics are called and however long the lists are."""
    layout = ClusterLayout.from_assignments(assignments)

    assert read_document(write_layout_reassignment(layout).encode()).layout == layout


def test_log_directories_read_back_alike() -> None:
    """Where they are told for some replicas only, too."""
    layout = with_directories()
    swapped = plan_of(layout, ClusterLayout.from_assignments({("a", 0): [2, 1]}))
    again = read_document(write_rollback(swapped).encode()).layout

    assert again.log_dirs == layout.log_dirs
    assert again.log_dir is not None
    assert again.log_dir.tolist() == [[0, -1]]


@pytest.mark.parametrize("style", ["new", "old"])
def test_describe_text_reads_back_alike(style: str) -> None:
    """Replicas, leaders (none too) and ISR, through Reseat's own reader."""
    layout = ClusterLayout.from_assignments(
        {("a", 0): [3, 1], ("a", 2): [1], ("b-1", 7): [2, 1]},
        leaders={("a", 0): 3, ("a", 2): None, ("b-1", 7): 1},
        in_sync={("a", 0): [3], ("a", 2): [1], ("b-1", 7): [2, 1]},
    )
    text = write_describe(layout)
    if style == "old":  # as tools before 2.4 print it
        text = re.sub(r"(?m)^Topic.*$", lambda header: header[0].replace(": ", ":"), text).replace("none", "-1")
    reading = read(text)

    assert reading.layout.assignments() == layout.assignments()
    assert reading.layout.leader_ids.tolist() == layout.leader_ids.tolist()
    assert reading.layout.in_sync is not None
    assert layout.in_sync is not None
    assert reading.layout.in_sync.tolist() == layout.in_sync.tolist()
    assert reading.skipped == ()


def test_pieces_are_packed_in_order_and_alike_each_time() -> None:
    """One archive, a numbered file a piece."""
    pieces = Pieces(("{}", '{"a":1}'), "Two.")
    archive = packed(pieces)

    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        assert {name: opened.read(name) for name in opened.namelist()} == {
            "plan-1.json": b"{}",
            "plan-2.json": b'{"a":1}',
        }
    assert packed(pieces) == archive
