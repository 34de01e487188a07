"""kcat, log directories, rpk, the Confluent CLI, topicmappr, Cruise Control, REST proxies, and progress."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from reseat.errors import InputRefused, LimitMet
from reseat.formats import Limits, Reading, read
from reseat.formats.input import lines
from reseat.model import NONE, NOT_TOLD, Broker, BrokerState, Severity, ShortTopic

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


def test_kcat_is_told_by_its_lines_however_much_of_it_is_read_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """A row in the middle that is no row, ninety bytes at a time."""
    monkeypatch.setattr(lines, "CHUNK", 16 * 90)
    rows = [f"    partition {at}, leader 1, replicas: 1,2, isrs: 1,2\n" for at in range(40)]
    rows[30] = rows[30].replace("leader 1", "leader 9999999999")
    reading = read('  topic "t" with 40 partitions:\n' + "".join(rows))

    assert [piece.line for piece in reading.skipped] == [32]
    assert reading.layout.partition.tolist() == [at for at in range(40) if at != 30]


@pytest.mark.parametrize("isrs", ["11,|12,13", "11|,12,13", "11,12,|13", "11,1|2,13"])
def test_a_row_of_kcat_that_a_terminal_broke_within_its_isr_is_damaged(isrs: str) -> None:
    """It is listed, and the rest of it: half of its ISR would show replicas out of sync."""
    row = "    partition {}, leader 11, replicas: 11,12,13, isrs: {}\n"
    reading = read('  topic "t" with 2 partitions:\n' + row.format(0, isrs.replace("|", "\n")) + row.format(1, "11"))

    assert reading.layout.assignments() == {("t", 1): [11, 12, 13]}
    assert [(piece.line, "damaged row of kcat" in piece.why) for piece in reading.skipped] == [(2, True), (3, False)]


def test_a_number_below_a_row_of_kcat_is_none_of_its_isr() -> None:
    """A status that the shell prints; nor is it one of a row that ends with an error, behind a comma."""
    for isrs, listed in (("1", ["0"]), (", Broker: Leader not available", ["Broker: Leader not available", "0"])):
        reading = read(f'  topic "t" with 1 partitions:\n    partition 0, leader 1, replicas: 1,10, isrs: {isrs}\n0\n')

        assert reading.layout.assignments() == {("t", 0): [1, 10]}
        assert [piece.text for piece in reading.skipped] == listed


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
    reading = read(f"{row}\nStatus of partition reassignment:\nReassignment of {about} {said}\n")

    assert reading.skipped == ()
    assert tuple(reading.facts[f"reassignments_{what}"] for what in ("completed", "in_progress", "failed")) == counts


KCAT = """
Metadata for all topics (from broker 0: h:1/0):
 1 brokers:
  broker 0 at h:1{}

 1 topics:
  topic "a" with 1 partitions:
"""


def test_kcat_whose_first_broker_is_0() -> None:
    """It leads; with a controller the order is told. Without a partition the text is incomplete."""
    row = "    partition 0, leader 0, replicas: 0, isrs: 0\n"
    whole, old = read(KCAT.format(" (controller)") + row), read(KCAT.format("") + row)

    assert whole.layout.leader_ids.tolist() == [0]
    assert (whole.findings, whole.skipped) == ((), ())
    assert [found.kind for found in old.findings] == ["order_not_told"]
    assert read(KCAT.partition(" 1 topics")[0].format("")).findings == ()
    with pytest.raises(InputRefused, match="no partition follows") as refused:
        read(KCAT)
    assert refused.value.line == 2


def test_as_many_rows_of_topicmappr_are_read_as_lines_are_allowed() -> None:
    """They are looked at one by one."""
    rows = "".join(f"a p{one}: [1] -> [2] replaced broker\n" for one in range(3))

    assert read(rows, limits=replace(Limits(), lines=3)).layout.partition_count == 3
    with pytest.raises(LimitMet, match="The text holds 3 lines that are not rows of a known output; at most 2 are"):
        read(rows, limits=replace(Limits(), lines=2))


RPK = "PARTITION  LEADER  REPLICAS\n0          1       [1 2]\n"


def test_a_table_of_rpk_ends_where_something_else_begins() -> None:
    """A rule within it does not end it; what stands below it is listed, and a row there is none of it."""
    ruled = read("rpk topic describe -p a\n" + RPK + "---------------\n1          1       [1 2]\n")
    ended = read("NAME  a\n" + RPK + "that is all\n1          1       [1 2]\n")

    assert ruled.layout.partition.tolist() == [0, 1]
    assert ended.layout.assignments() == {("a", 0): [1, 2]}
    assert [piece.line for piece in ruled.skipped] == [1, 4]
    assert [(piece.line, piece.lines) for piece in ended.skipped] == [(4, 2)]


def test_an_id_that_is_too_large_does_not_end_a_table() -> None:
    """Its row is listed once."""
    reading = read("NAME  a\n" + RPK + "1          1       [1 2147483648]\n2          1       [1 2]\n")

    assert reading.layout.partition.tolist() == [0, 2]
    assert [(piece.line, piece.lines) for piece in reading.skipped] == [(4, 1)]


def test_of_which_topic_rpk_does_not_tell_the_order() -> None:
    """Of one, or of all that moves; the Confluent CLI tells it."""
    moves = "NAMESPACE-TOPIC  PARTITION  MOVING-FROM  MOVING-TO\nkafka/t          0          [1]          [2]\n"
    titled = "a, 1 partitions, 1 replicas\n"
    cloud = "   Topic | Partition | Leader | Replicas | ISR\n+-------+-----------+--------+----------+-----+\n"
    one, all_of_them, told = (
        read("NAME  a\n" + RPK),
        read(moves),
        read(cloud + "   a     |         0 |      1 | [1,2]    | [1]\n"),
    )

    assert [(found.kind, found.topics) for found in one.findings] == [("order_not_told", ("a",))]
    assert [(found.kind, found.topics) for found in all_of_them.findings] == [("order_not_told", ())]
    assert all_of_them.proposed is not None
    assert not all_of_them.proposed.order_told.any()
    assert (told.findings, told.layout.order_told.all()) == ((), True)
    assert read(titled + RPK).skipped == ()


def test_cruise_control_without_counts_of_replicas_says_none() -> None:
    """It names brokers by other counts; what is no count is none."""
    state = {"KafkaBrokerState": {"LeaderCountByBrokerId": {"1": 0}}, "KafkaPartitionState": {}}
    counted = {"KafkaBrokerState": {"ReplicaCountByBrokerId": {"1": 2, "2": "x"}}, "KafkaPartitionState": {}}

    assert "of 0 replicas in the cluster" in read(json.dumps(state)).findings[0].sentence
    assert "of 2 replicas in the cluster" in read(json.dumps(counted)).findings[0].sentence


@pytest.mark.parametrize(
    ("document", "why"),
    [
        ({"version": 1, "odd": []}, "This is JSON, but in no format that Reseat reads (its keys: odd, version)."),
        (
            {"partitions": [{"partition": 0}]},
            "This is JSON, but in no format that Reseat reads (its keys: partitions).",
        ),
        ([{"partition": 0}], "This is JSON, but in no format that Reseat reads."),
        ([{"replicas": [1]}], "This is JSON, but in no format that Reseat reads."),
        (["partition", "replicas"], "Not recognised as any format that Reseat reads."),
        ({"brokers": [{"broker": 1, "logDirs": []}]}, ""),
        ({"topics": [{"topic": "a", "partitions": [{"partition": 0, "leader": 1, "replicas": [{"id": 1}]}]}]}, ""),
        ({"topics": [{"topic": "a"}], "controllerid": 1}, "Not a topic with partitions."),
        ([{"partition": 0, "leader": 1, "replicas": [{"broker": 1, "in_sync": True}]}], ""),
    ],
)
def test_json_is_of_a_form_by_what_it_holds(document: object, why: str) -> None:
    """Beside a layout of another form it is read, or listed with what it is."""
    row = "Topic: z\tPartition: 0\tLeader: 1\tReplicas: 1\tIsr: 1\n"

    assert [piece.why for piece in read(f"{row}\n{json.dumps(document)}\n").skipped] == [why] * bool(why)


def test_a_proxy_that_tells_an_empty_name_tells_none() -> None:
    """A topic is tiered where its configs say true."""
    entry = {"partition": 0, "leader": 1, "replicas": [{"broker": 1, "in_sync": True}]}
    nameless = read(json.dumps({"name": "", "partitions": [entry]}))
    told = [
        read(
            json.dumps({"name": "a", "configs": {"remote.storage.enable": word}, "partitions": [entry]})
        ).tiering.topics
        for word in ("true", "false")
    ]

    assert [found.kind for found in nameless.findings] == ["topic_name_not_told"]
    assert told == [("a",), ()]


def test_logs_that_are_told_twice_leave_the_others_where_they_are() -> None:
    """Of three logs the second is told again; a log may be empty."""
    logs = [
        (directory, [{"partition": name, "size": size, "offsetLag": 0, "isFuture": False} for name, size in held])
        for directory, held in (("/a", [("t-0", 0), ("t-1", 5)]), ("/b", [("t-1", 6), ("u-3", 7)]))
    ]
    one = {"broker": 1, "logDirs": [{"logDir": path, "error": None, "partitions": held} for path, held in logs]}
    two = {"broker": 2, "logDirs": [{"logDir": "/c", "error": None, "partitions": logs[0][1]}]}
    layout = read(json.dumps({"version": 1, "brokers": [one, two]})).layout

    assert layout.assignments() == {("t", 0): [1, 2], ("t", 1): [1, 2], ("u", 3): [1]}
    assert layout.size_bytes is not None
    assert layout.size_bytes[:2].tolist() == [[0, 0], [5, 5]]
    assert layout.log_dir is not None
    assert [[layout.log_dirs[i] if i >= 0 else "" for i in row] for row in layout.log_dir.tolist()] == [
        ["/a", "/c"],
        ["/a", "/c"],
        ["/b", ""],
    ]


def test_a_line_that_is_a_topics_name_is_of_topicmappr() -> None:
    """As it lists them above its rows; other words are somebody else's."""
    skipped = read("  a\nother\na p0: [1 2] -> [1 3] replaced broker\n").skipped

    assert [(piece.line, piece.why.partition(";")[0]) for piece in skipped] == [
        (1, "topicmappr's summary"),
        (2, "Not recognised as any format that Reseat reads."),
    ]


def test_what_an_election_prints_is_no_layout() -> None:
    """Said only where nothing else has said what the text is."""
    said = "Successfully completed leader election (PREFERRED) for partitions a-0\n"
    with pytest.raises(InputRefused, match="This is the output of a preferred-leader election"):
        read(said)
    with pytest.raises(InputRefused, match="progress of a reassignment"):
        read("Reassignment of partition a-0 is completed.\n" + said)


def test_kcat_lacks_partitions_below_its_largest() -> None:
    """The heading counts one, and that is the second."""
    reading = read(KCAT.format(" (controller)") + "    partition 1, leader 0, replicas: 0, isrs: 0\n")

    assert reading.layout.gaps.short == (ShortTopic("a", 2, 1, (0,)),)
