"""kcat, log directories, rpk, the Confluent CLI, topicmappr, Cruise Control, REST proxies, and progress."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from reseat.errors import InputRefused, LimitMet
from reseat.formats import Limits, Reading, read
from reseat.model import NONE, NOT_TOLD, Broker, BrokerState, Severity

Reader = Callable[[str], Reading]


def test_kcat_text(reading_of: Reader) -> None:
    """Brokers listed are alive, those only mentioned dead; the controller shows that the order can be trusted."""
    reading = reading_of("kcat")
    layout = reading.layout

    assert layout.assignments() == {("clicks", 0): [3, 1, 2], ("orders", 0): [2, 1], ("orders", 1): [9, 1]}
    assert layout.leader_ids.tolist() == [3, 2, NONE]
    assert layout.brokers[0] == Broker(1, host="2001:db8::1", port=9092, state=BrokerState.ALIVE)
    assert layout.brokers[3] == Broker(9, state=BrokerState.DEAD)
    assert layout.order_told.all()
    assert reading.facts["controller"] == 1
    assert [(piece.line, piece.text) for piece in reading.skipped] == [
        (1, "$ kcat -L -b b1"),
        (10, "Broker: Leader not available"),
    ]


def test_kcat_without_controller_does_not_tell_the_order() -> None:
    """Old brokers lose the assignment order, so without a sign of a newer one it is not told."""
    reading = read('  topic "t" with 1 partitions:\n    partition 0, leader 4, replicas: 2,4, isrs: 4,2\n')

    assert not reading.layout.order_told.any()
    assert [found.kind for found in reading.findings] == ["order_not_told"]
    assert {b.state for b in reading.layout.brokers} == {BrokerState.NOT_TOLD}


def test_kcat_with_fewer_brokers_than_declared_tells_nobody_dead() -> None:
    """Where the list of brokers is cut, a broker that is not in it may be alive."""
    reading = read(
        ' 3 brokers:\n  broker 1 at a:9092\n 1 topics:\n  topic "t" with 1 partitions:\n'
        "    partition 0, leader 1, replicas: 1,2, isrs: 1,2\n"
    )

    assert [b.state for b in reading.layout.brokers] == [BrokerState.ALIVE, BrokerState.NOT_TOLD]


def test_kcat_cut_before_its_partitions_is_refused(reading_of: Reader) -> None:
    """Topics that are declared without a row, each line behind a host's name: refused as cut."""
    with pytest.raises(InputRefused, match="2 brokers and 1 topics, but no partition follows"):
        reading_of("kcat-cut")


def test_kcat_json(reading_of: Reader) -> None:
    """Replicas as objects, a topic's error, and a shell's percent sign behind the document."""
    reading = reading_of("kcat-json")
    layout = reading.layout

    assert layout.assignments() == {("orders", 0): [2, 1], ("orders", 1): [1]}
    assert layout.leader_ids.tolist() == [1, NONE]
    assert layout.in_sync is not None
    assert layout.in_sync.tolist() == [[False, True], [False, False]]
    assert reading.facts["controller"] == 2


def test_log_dirs(reading_of: Reader) -> None:
    """Sizes and directories by broker; neither order nor leader is told; the topic ends at the last dash."""
    layout = reading_of("log-dirs").layout

    assert layout.assignments() == {("new-topic-2", 0): [1], ("orders", 0): [1, 2]}
    assert layout.size_bytes is not None
    np.testing.assert_array_equal(layout.size_bytes, [[41203847168.0, np.nan], [100.0, 90.0]])
    assert layout.log_dirs == ("/data/1",)
    assert not layout.order_told.any()
    assert layout.leader.tolist() == [NOT_TOLD, NOT_TOLD]


def test_log_dirs_commented_with_a_failed_disk(reading_of: Reader) -> None:
    """Every line behind a comment mark; 4.x's key order; a log that moves between disks counts once."""
    reading = reading_of("log-dirs-comment")

    assert reading.layout.assignments() == {("users", 0): [0]}
    assert {found.kind for found in reading.findings} == {"log_dir_error", "log_dir_move", "order_not_told"}
    assert [broker.offline_dirs for broker in reading.layout.brokers] == [("/var/logs",)]


@pytest.mark.parametrize(("name", "most"), [("partitions", 3), ("replicas", 2), ("cells", 6)])
def test_log_dirs_up_to_the_limits_are_read(name: str, most: int) -> None:
    """Three partitions of two replicas each: as many as are read, and one more than that is refused."""
    logs = ",".join(f'{{"partition":"t-{p}","size":1,"offsetLag":0,"isFuture":false}}' for p in range(3))
    directory = f'"logDirs":[{{"logDir":"/d","error":null,"partitions":[{logs}]}}]'
    text = f'{{"version":1,"brokers":[{{"broker":1,{directory}}},{{"broker":2,{directory}}}]}}'

    assert read(text, limits=Limits(**{name: most})).layout.partition_count == 3
    with pytest.raises(LimitMet, match="3 partitions with up to 2 replicas each are more than are read at once"):
        read(text, limits=Limits(**{name: most - 1}))


def test_log_dirs_told_twice() -> None:
    """One log told twice with another size is a finding, not a second replica."""
    log = '{{"partition":"a-0","size":{},"offsetLag":0,"isFuture":false}}'
    reading = read(
        '{"version":1,"brokers":[{"broker":1,"logDirs":[{"logDir":"/a","error":null,"partitions":['
        + log.format(5)
        + "]},"
        + '{"logDir":"/b","error":null,"partitions":['
        + log.format(7)
        + "]}]}]}"
    )

    assert reading.layout.assignments() == {("a", 0): [1]}
    assert reading.layout.size_bytes is not None
    assert reading.layout.size_bytes.tolist() == [[5.0]]
    assert "contradicting_rows" in {found.kind for found in reading.findings}


def test_rpk(reading_of: Reader) -> None:
    """Replicas are sorted and the topic is named in the command alone; no ISR; a dash is no leader."""
    reading = reading_of("rpk")
    layout = reading.layout

    assert layout.assignments() == {("orders", 0): [0, 1, 2], ("orders", 1): [0, 1, 3]}
    assert layout.leader_ids.tolist() == [1, NONE]
    assert layout.leader_epoch.tolist() == [4, 1]
    assert layout.in_sync is None
    assert not layout.order_told.any()


def test_rpk_of_2021_and_offline_replicas(reading_of: Reader) -> None:
    """The older table tells the ISR; a column of offline replicas tells who is dead."""
    old, offline = reading_of("rpk-old").layout, reading_of("rpk-offline").layout

    assert old.topics == ("tropical",)
    assert old.in_sync is not None
    assert old.in_sync.tolist() == [[True, True, False], [True, True, True]]
    assert offline.topics == ("clicks",)
    assert offline.brokers[2] == Broker(3, state=BrokerState.DEAD)


def test_rpk_without_a_name() -> None:
    """A table that nobody names gets a name, and says so."""
    reading = read("PARTITION  LEADER  EPOCH  REPLICAS  LOG-START-OFFSET\n0          1       1      [1 2]     0\n")

    assert reading.layout.assignments() == {("unnamed-topic", 0): [1, 2]}
    assert "topic_name_not_told" in {found.kind for found in reading.findings}


def test_confluent_cli(reading_of: Reader) -> None:
    """A table with bars keeps the order; the header above it misses no rows."""
    reading = reading_of("ccloud")

    assert reading.layout.assignments() == {("f1", 0): [2, 0, 1], ("f1", 1): [1, 2, 3]}
    assert reading.layout.order_told.all()
    assert reading.findings == ()


def test_topicmappr(reading_of: Reader) -> None:
    """Left is current, right proposed, as it stands, also with a broker twice; quoted as in a mail."""
    reading = reading_of("topicmappr")

    assert reading.layout.assignments() == {("orders", 0): [1001, 1002], ("orders", 6): [1003, 1001]}
    assert reading.proposed is not None
    assert reading.proposed.assignments() == {("orders", 0): [1001, 1003], ("orders", 6): [1003, 1003]}


def test_cruise_control(reading_of: Reader) -> None:
    """A partition in several lists is one partition; min-isr, controller and dead brokers are read."""
    reading = reading_of("cruise-control")
    layout = reading.layout

    assert layout.assignments() == {("t", 0): [2, 1], ("t", 1): [1, 2], ("t", 2): [3]}
    assert layout.leader_ids.tolist() == [2, 1, NONE]
    assert layout.min_in_sync is not None
    assert layout.min_in_sync.tolist() == [2]
    assert [b.state for b in layout.brokers] == [BrokerState.ALIVE, BrokerState.ALIVE, BrokerState.DEAD]
    assert reading.findings == ()
    assert reading.facts["controller"] == 1


def test_cruise_control_without_verbose() -> None:
    """Without verbose the healthy partitions are missing, which is said."""
    reading = read(
        '{"KafkaBrokerState":{"ReplicaCountByBrokerId":{"1":7,"2":5},"LeaderCountByBrokerId":{"1":3,"2":0}},'
        '"KafkaPartitionState":{"offline":[],"urp":[],"with-offline-replicas":[],"under-min-isr":[]},"version":1}'
    )

    assert reading.layout.partition_count == 0
    assert [b.id for b in reading.layout.brokers] == [1, 2]
    assert [found.kind for found in reading.findings] == ["partitions_missing"]


def test_rest_proxy(reading_of: Reader) -> None:
    """Replicas as objects with in_sync flags."""
    layout = reading_of("rest").layout

    assert layout.assignments() == {("logs", 1): [2, 5]}
    assert layout.in_sync is not None
    assert layout.in_sync.tolist() == [[True, False]]


@pytest.mark.parametrize("name", ["verify", "list"])
def test_progress_is_no_layout(name: str, reading_of: Reader) -> None:
    """--verify and --list tell progress: refused with what it is and the counts."""
    with pytest.raises(InputRefused, match="progress of a reassignment") as refused:
        reading_of(name)

    assert "2 reassignments are in progress" in str(refused.value)


@pytest.mark.parametrize(
    ("name", "what"),
    [("topics-to-move", "topics-to-move JSON"), ("election", "preferred-election JSON")],
)
def test_inputs_of_other_tools_are_refused_by_name(name: str, what: str, reading_of: Reader) -> None:
    """JSON that names topics or partitions, but no replicas, is refused with what it is."""
    with pytest.raises(InputRefused) as refused:
        reading_of(name)

    assert refused.value.sentence.startswith(f"This is {what}")
    assert refused.value.line == 1


@pytest.mark.parametrize("name", ["generate", "execute-0.8"])
def test_current_and_proposed_are_kept_apart(name: str, reading_of: Reader) -> None:
    """--generate and 0.8's --execute print two assignments: the first is current, the second proposed."""
    reading = reading_of(name)

    assert reading.layout.assignments() == {("a.b", 0): [1, 2], ("a.b", 1): [2, 3], ("c-1", 0): [3, 1]}
    assert reading.proposed is not None
    assert reading.proposed.assignments() == {("a.b", 0): [4, 2], ("a.b", 1): [2, 4], ("c-1", 0): [3, 4]}
    assert reading.findings == ()


def test_execute_prints_the_rollback(reading_of: Reader) -> None:
    """--execute since 2.6 prints the current assignment alone."""
    reading = reading_of("execute-4")

    assert reading.layout.partition_count == 3
    assert reading.proposed is None
    assert reading.skipped == ()


def test_proposed_alone_says_so() -> None:
    """The lower half of --generate alone is shown, and said not to be the current assignment."""
    reading = read(
        "Proposed partition reassignment configuration\n"
        '{"version":1,"partitions":[{"topic":"a","partition":0,"replicas":[1]}]}'
    )

    assert reading.layout.assignments() == {("a", 0): [1]}
    assert [found.kind for found in reading.findings] == ["proposed_only"]


_SESSION = "get /brokers/topics/t\n{body}\nget /brokers/topics/t/partitions/0/state\n{state}\n"
_STATE = '{"controller_epoch":1,"leader":1,"version":1,"leader_epoch":0,"isr":[1,2]}'
_LOGS = (
    '{"version":1,"brokers":[{"broker":1,"logDirs":[{"logDir":"/d","error":null,"partitions":['
    '{"partition":"t-0","size":10,"offsetLag":0,"isFuture":false},%s]}]}]}'
)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (' topic "t" with 2 partitions:\n  partition 0, leader 1, replicas: 1,2, isrs: 1,2\n  partition x, leader 1, '
         "replicas: 1,2, isrs: 1\n", 3),
        (' topic "t" with 2 partitions:\n  partition 0, leader 1, replicas: 1,2, isrs: 1,2\n  partition 1, leader 1, '
         "replicas: 1,q, isrs: 1\n", 3),
        (_SESSION.format(body='{"version":1,"partitions":{"0":[1,2],"1":[1,"x"]}}', state=_STATE), 2),
        (_SESSION.format(body='{"version":1,"partitions":{"0":[1,2],"one":[1,2]}}', state=_STATE), 2),
        (_SESSION.format(body='{"version":1,"partitions":{"0":[1,2]}}', state=_STATE.replace("[1,2]", '"1"')), 4),
        (_LOGS % '{"partition":"t","size":10}', 1),
        (_LOGS % '{"partition":"t-1","size":"big"}', 1),
        ("t p0: [1 2] -> [1 3] replaced broker\nt p1: [1 x] -> [1 3] replaced broker\n", 2),
        ("rpk topic describe -p t\nPARTITION  LEADER  REPLICAS\n0  1  [1 2]\n1  1  [1 x]\n2  1  [1 2]\n", 4),
        ("rpk topic describe -p t\nPARTITION  LEADER  REPLICAS\n0  1  [1 2]\n1  [1 2]\n2  1  [1 2]\n", 4),
        ('{"name":"t","partitions":[{"partition":0,"leader":1,"replicas":[{"broker":1,"leader":true,"in_sync":true}]},'
         '{"partition":1,"leader":1,"replicas":[{"broker":"x","leader":true,"in_sync":true}]}]}', 1),
    ],
    ids=["kcat partition", "kcat replica", "node replica", "node partition", "state isr", "log name", "log size",
         "topicmappr", "rpk replica", "rpk cells", "rest"],
)  # fmt: skip
def test_what_tells_of_partitions_and_is_damaged_is_broken_in_every_form(text: str, line: int) -> None:
    """A damaged row is skipped with its line, is never half read, and is a finding that is broken; others are read."""
    reading = read(text)
    broken = [found for found in reading.findings if found.kind == "not_understood"]

    assert [(found.severity, found.places) for found in broken] == [(Severity.BROKEN, (f"line {line}",))]
    assert line in [piece.line for piece in reading.skipped]
    assert reading.layout.assignments()["t", 0][0] == 1
    assert ("t", 2) in reading.layout.assignments() or "PARTITION" not in text


def test_partitions_below_a_damaged_kcat_heading_are_not_those_of_the_topic_above() -> None:
    """Where the heading of a topic is damaged its partitions are nobody's, and all of it is said to be missing."""
    row = "  partition 0, leader 1, replicas: 1,2, isrs: 1,2\n"
    reading = read(f' topic "a" with 1 partitions:\n{row} topic b with 2 partitions:\n{row}{row.replace("0", "1", 1)}')
    (broken,) = (found for found in reading.findings if found.kind == "not_understood")

    assert reading.layout.assignments() == {("a", 0): [1, 2]}
    assert broken.places == ("line 3", "line 4", "line 5")


@pytest.mark.parametrize(
    ("said", "counts"),
    [
        ("is completed", (1, 0, 0)),
        ("completed successfully", (1, 0, 0)),
        ("is still in progress", (0, 1, 0)),
        ("is in progress", (0, 1, 0)),
        ("was started", (0, 1, 0)),
        ("is not in progress", (0, 0, 1)),
        ("failed", (0, 0, 1)),
        ("was not found", (0, 0, 1)),
        ("did not", (0, 0, 1)),
    ],
)
@pytest.mark.parametrize("about", ["partition [a-b,12]", "partition a-b-12", "replica a-b-12-3"])
def test_what_a_reassignment_is_said_to_be_is_counted(about: str, said: str, counts: tuple[int, int, int]) -> None:
    """Of a partition or of a replica that goes to another directory, as new and as old tools print them."""
    row = "Topic: a\tPartition: 0\tLeader: 1\tReplicas: 1\tIsr: 1\n"
    facts = read(f"{row}\nStatus of partition reassignment:\nReassignment of {about} {said}\n").facts

    assert tuple(facts[f"reassignments_{what}"] for what in ("completed", "in_progress", "failed")) == counts
