"""ZooKeeper nodes, as JSON and as sessions of its shells."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from reseat.errors import InputRefused
from reseat.formats import Reading, read
from reseat.model import NONE, NOT_TOLD, Broker, BrokerState

Reader = Callable[[str], Reading]


def test_session_with_chroot(reading_of: Reader) -> None:
    """Names come from the paths of get, below any chroot; unlisted brokers are dead; stat blocks are no layout."""
    reading = reading_of("zk-session")
    layout = reading.layout

    assert layout.assignments() == {("orders", 2): [0, 7], ("orders", 10): [1, 0]}
    assert layout.leader_ids.tolist() == [NOT_TOLD, 1]
    assert layout.leader_epoch.tolist() == [NOT_TOLD, 5]
    assert layout.in_sync_known.tolist() == [False, True]
    assert layout.adding is not None
    assert layout.adding.tolist() == [[False, False], [False, True]]
    assert layout.brokers == (
        Broker(0, rack="r1", host="node-a", port=9092, state=BrokerState.ALIVE),
        Broker(1, rack="r2", host="node-b", port=9093, state=BrokerState.ALIVE),
        Broker(2, state=BrokerState.ALIVE),
        Broker(7, state=BrokerState.DEAD),
    )
    assert reading.facts["controller"] == 1
    assert reading.proposed is not None
    assert reading.proposed.assignments() == {("orders", 10): [1, 0]}


def test_commands_first_answers_after(reading_of: Reader) -> None:
    """Commands that stand together are paired with the answers that follow, in order."""
    layout = reading_of("zk-answers-after").layout

    assert layout.assignments() == {("demo", 0): [2, 3], ("demo", 1): [3, 1]}
    assert layout.leader_ids.tolist() == [NONE, NOT_TOLD]
    assert layout.leader_epoch.tolist() == [4, NOT_TOLD]


def test_topic_node_alone_gets_a_name_that_says_so(reading_of: Reader) -> None:
    """A topic node does not hold its name: the file's name stands in, and a finding says so."""
    reading = reading_of("zk-topic")

    assert reading.layout.assignments() == {("zk-topic", 3): [3, 1], ("zk-topic", 7): [1, 2]}
    assert [found.kind for found in reading.findings] == ["topic_name_not_told"]


def test_two_nameless_topic_nodes_stay_apart() -> None:
    """Two nodes without a name are two topics."""
    layout = read('{"version":1,"partitions":{"0":[1]}}\n{"version":1,"partitions":{"0":[2]}}').layout

    assert layout.assignments() == {("unnamed-topic", 0): [1], ("unnamed-topic-2", 0): [2]}


def test_an_answer_is_not_taken_for_another_command() -> None:
    """A get whose answer is missing does not give its name to the next answer."""
    layout = read(
        "[zk: h:2181(CONNECTED) 1] get /brokers/topics/gone\nNode does not exist: /brokers/topics/gone\n"
        "[zk: h:2181(CONNECTED) 2] get /brokers/topics/here\n"
        '{"version":1,"partitions":{"0":[4]}}\n'
    ).layout

    assert layout.assignments() == {("here", 0): [4]}


@pytest.mark.parametrize(("port", "told"), [(0, None), (1, 1), (65_535, 65_535), (65_536, None), ("true", None)])
def test_a_port_is_one_that_there_is(port: object, told: int | None) -> None:
    """Else it is unknown."""
    (broker,) = read(f'get /brokers/ids/3\n{{"endpoints":[],"host":"h1","port":{port},"version":4}}').layout.brokers

    assert (broker.host, broker.port) == ("h1", told)


@pytest.mark.parametrize("version", [1, 2, 3, 4, 5])
def test_registrations_of_all_versions(version: int) -> None:
    """Registrations alone are a layout without partitions; a null host is taken from the endpoints."""
    endpoints = "" if version == 1 else ',"endpoints":["SASL_SSL://[2001:db8::7]:9094"]'
    rack = ',"rack":"dc1"' if version >= 3 else ""
    host = '"host":"h1","port":9092' if version == 1 else '"host":null,"port":-1'
    layout = read(
        f'get /brokers/ids/3\n{{"jmx_port":-1,"timestamp":"1",{host},"version":{version}{endpoints}{rack}}}'
    ).layout

    assert layout.partition_count == 0
    assert layout.brokers == (
        Broker(
            3,
            rack="dc1" if version >= 3 else None,
            host="h1" if version == 1 else "2001:db8::7",
            port=9092 if version == 1 else 9094,
            state=BrokerState.ALIVE,
        ),
    )


@pytest.mark.parametrize(
    ("name", "words"), [("zk-registration", "registration of one broker"), ("zk-state", "state of one partition")]
)
def test_nodes_without_a_name_are_refused_with_what_they_are(name: str, words: str, reading_of: Reader) -> None:
    """A registration without its id or a state without its partition is refused, and the sentence says what it is."""
    with pytest.raises(InputRefused, match=words):
        reading_of(name)


def test_state_without_the_topic_node_is_a_finding() -> None:
    """A leader without replicas makes no row: it is reported."""
    reading = read(
        'get /brokers/topics/a\n{"version":1,"partitions":{"0":[1]}}\n'
        "get /brokers/topics/b/partitions/4/state\n"
        '{"controller_epoch":1,"leader":2,"version":1,"leader_epoch":0,"isr":[2]}'
    )

    assert list(reading.layout.assignments()) == [("a", 0)]
    assert [found.kind for found in reading.findings] == ["state_without_assignment"]


def test_topic_told_twice_differently() -> None:
    """Two different nodes for one topic are a finding with both lines; the first counts."""
    reading = read(
        'get /brokers/topics/a\n{"version":1,"partitions":{"0":[1]}}\n'
        'get /brokers/topics/a\n{"version":1,"partitions":{"0":[2]}}'
    )

    assert reading.layout.assignments() == {("a", 0): [1]}
    assert [(found.kind, found.places) for found in reading.findings] == [("contradicting_rows", ("line 2", "line 4"))]


def test_assignment_under_way_alone_is_shown_and_said() -> None:
    """/admin/reassign_partitions without topic nodes is read, with a finding that it is no current assignment."""
    reading = read(
        "get /chroot/admin/reassign_partitions\n"
        '{"version":1,"partitions":[{"topic":"a","partition":0,"replicas":[2,3]}]}'
    )

    assert reading.layout.assignments() == {("a", 0): [2, 3]}
    assert [found.kind for found in reading.findings] == ["proposed_only"]


def test_malformed_partition_is_skipped_with_its_text() -> None:
    """An entry that is no partition is reported; the others are read."""
    reading = read('get /brokers/topics/a\n{"version":1,"partitions":{"x":[1],"1":["2"],"2":[3]}}')

    assert reading.layout.assignments() == {("a", 2): [3]}
    assert [(piece.line, piece.text) for piece in reading.skipped] == [(2, "x: [1]"), (2, "1: ['2']")]


NODE = '{"partitions":{"0":[1]}}\n'


@pytest.mark.parametrize(
    ("text", "topics"),
    [
        ("get /brokers/topics/a\nget /brokers/topics/b\n" + NODE, ["a"]),
        ("get /brokers/topics/a\nthat is all\nget /brokers/topics/b\n" + NODE, ["b"]),
        ("get /brokers/topics/a\nls /brokers/ids\n[1]\nget /brokers/topics/b\n" + NODE, ["b"]),
        (
            "get /brokers/topics/a\nget /brokers/topics/b\nget /brokers/topics/c\n"
            "Node does not exist: /brokers/topics/a\n" + NODE + NODE.replace("1", "2"),
            ["b", "c"],
        ),
    ],
)
def test_a_node_is_that_of_the_command_that_waits_longest(text: str, topics: list[str]) -> None:
    """Commands wait beside one another only where they stand together; one that fails waits no more."""
    assert sorted(read(text).layout.topics) == topics


def test_a_listing_that_is_read_is_not_listed_as_skipped() -> None:
    """A rack that is empty or no text is none; a state without a partition is named with its place."""
    registered = 'get /brokers/ids/1\n{"host":"h","port":9,"rack":%s}\n'
    state = 'get /brokers/topics/t-1/partitions/7/state\n{"leader":1,"isr":[1]}\n'
    told = read("ls /brokers/ids\n[1, 2]\nls /brokers/topics\n[a]\nget /brokers/topics/a\n" + NODE + state)

    assert told.skipped == ()
    assert "such as t-1-7;" in told.findings[0].sentence
    assert [read(registered % rack).layout.brokers[0].rack for rack in ('""', "5", '"r"')] == [None, None, "r"]
