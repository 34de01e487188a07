"""What a text leaves out: partitions, topics, racks and rows that its end cuts off."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from reseat.balance import racks_in_words
from reseat.formats import combine, read
from reseat.formats.documents.snapshot import read_snapshot
from reseat.formats.documents.snapshot_writer import write_snapshot
from reseat.formats.rows.gaps import gaps_of
from reseat.model import Broker, ClusterLayout, Gaps, ShortTopic, Snapshot
from reseat.sources.keeping import snapshot_of_reading

SAMPLES = Path(__file__).resolve().parents[2] / "samples"
NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
ROW = "\tTopic: {0}\tPartition: {1}\tLeader: 1\tReplicas: 1,2\tIsr: 1,2\n"
HEADING = "Topic: {0}\tPartitionCount: {1}\tReplicationFactor: 2\tConfigs: \n"


def describe(*topics: tuple[str, int, tuple[int, ...]], headings: bool = True) -> str:
    """Describe output: of each topic its name, the partitions that its heading counts, and the ids that have a row."""
    return "".join(
        (HEADING.format(name, count) if headings else "") + "".join(ROW.format(name, at) for at in ids)
        for name, count, ids in topics
    )


def captured() -> str:
    """The describe output of a captured sample alone."""
    whole = (SAMPLES / "zookeeper-2.8-three-racks.txt").read_text()
    return whole[: whole.index("$ zookeeper-shell")]


def test_a_whole_text_leaves_out_nothing_but_racks() -> None:
    """All rows are there; describe output never tells racks."""
    layout = read(captured()).layout

    assert layout.gaps == Gaps()
    assert not layout.gaps.incomplete
    assert layout.unknown_racks == tuple(range(1, 10))


def test_partitions_that_a_heading_counts_are_missing() -> None:
    """Of five partitions two are not there: in the middle and at the end."""
    layout = read(describe(("a", 5, (0, 1, 3)), ("b", 1, (0,)))).layout

    assert layout.gaps.short == (ShortTopic("a", 5, 2, (2, 4)),)
    assert layout.gaps.incomplete


def test_ids_that_leave_a_gap_are_missing_without_a_heading() -> None:
    """What scrolled off the top of a terminal took the heading along."""
    layout = read(describe(("a", 0, (2, 3)), headings=False)).layout

    assert layout.gaps.short == (ShortTopic("a", 4, 2, (0, 1)),)


@pytest.mark.parametrize(("whole", "short"), [(True, (ShortTopic("b", 1, 1, (0,)),)), (False, ())])
def test_a_topic_of_which_nothing_is_told_lacks_a_partition_in_an_output_of_whole_topics(
    whole: bool, short: tuple[ShortTopic, ...]
) -> None:
    """And in no other, which tells of some partitions."""
    layout = ClusterLayout.from_columns(topics=("a", "b"), topic_of=[0], partition=[0], replicas=[[1, 2]])

    gaps = gaps_of(
        layout, declared={}, whole_topics=whole, topics_declared=2, topics_listed=["a"], unread_rows=3, racks_told=[]
    )

    assert gaps == Gaps(short=short, unread_rows=3)


def test_a_heading_of_which_no_row_follows_is_cut_off() -> None:
    """Also where the heading ends before its count."""
    layout = read(describe(("a", 1, (0,))) + "Topic: b\tTopicId: abc\tParti").layout

    assert layout.gaps.short == (ShortTopic("b", 1, 1, (0,)),)


def test_a_heading_counts_more_partitions_than_there_can_be() -> None:
    """A hostile count costs neither time nor memory."""
    layout = read(describe(("a", 9_999_999_999, (0,)))).layout

    assert layout.gaps.missing_partitions == 9_999_999_998
    assert layout.gaps.short[0].first == tuple(range(1, 21))


@pytest.mark.parametrize("length", range(8_700, 9_200, 7))
def test_a_text_that_ends_in_the_middle_of_a_topic_is_incomplete(length: int) -> None:
    """Wherever within a topic it was cut: within a row, between rows, within a word."""
    layout = read(captured()[:length]).layout

    assert layout.gaps.incomplete
    assert {topic.topic for topic in layout.gaps.short} == {"clickstream"}


@pytest.mark.parametrize("elr", ["", "\tElr: \tLastKnownElr: "], ids=["2.8", "4.1"])
def test_a_text_is_incomplete_wherever_it_is_cut(elr: str) -> None:
    """At every byte but between two topics, where nothing shows it, and within the last ids of a topic's last ISR."""
    topics = ("a", 2, (0, 1)), ("b", 1, (0,)), ("c", 2, (0, 1))
    text = describe(*topics).replace("Isr: 1,2\n", f"Isr: 1,2{elr}\n")
    starts = [text.index("Topic: b"), text.index("Topic: c"), len(text)]
    whole = {at - more for at in starts for more in (0, 1)}  # the line's end may be lost
    if elr:
        whole |= {at - 2 for at in starts}  # "LastKnownElr:" without its blank
    else:
        whole |= {at - 3 for at in starts} - {at - 2 for at in starts}  # ISR "1" instead of "1,2"
    silent = []
    for length in range(text.index("Isr: 1,2") + 8, len(text)):
        layout = read(text[:length]).layout
        if not layout.gaps.incomplete:
            silent.append(length)

    assert set(silent) <= whole
    assert len(read(text[: starts[0]]).layout.topics) == 1


@pytest.mark.parametrize(
    "last",
    [
        "\tTopic: a\tPartition: 1\tLeader: none\tReplicas: 1,2\tIsr:",
        "\tTopic: a\tPartition: 1\tLeader: 1\tReplicas: 1,2\tIsr: 1",
        "\tTopic: a\tPartition: 1\tLeader: 1\tReplicas: 1,2\tIsr: 1,2\tOffline: 3",
        "\tTopic: a\tPartition: 1\tLeader: 1\tReplicas: 1,2\tIsr: 1,2\n$ ",
        "\tTopic: a\tPartition: 1\tLeader: 1\tReplicas: 1,2\tIsr: 1,2\nThat is all",
    ],
)
def test_a_last_row_that_is_whole_is_not_called_cut_off(last: str) -> None:
    """As a clipboard gives it, without the line's end: offline, with a smaller ISR, with columns of its own."""
    layout = read(describe(("a", 2, (0,))) + last).layout

    assert not layout.gaps.incomplete
    assert layout.partition_count == 2


def test_a_row_that_the_end_cuts_off_is_counted_without_headings() -> None:
    """Nothing counts the partitions, and the last row breaks off before its leader."""
    text = describe(("a", 0, (0, 1)), headings=False) + "\tTopic: a\tPartition: 2\tLea"

    assert read(text).layout.gaps.unread_rows == 1


def test_kcat_counts_topics() -> None:
    """Its heading counts three topics, and one is there."""
    text = (
        "Metadata for all topics (from broker 1: h1:9092/1):\n 1 brokers:\n  broker 1 at h1:9092 (controller)\n"
        ' 3 topics:\n  topic "a" with 1 partitions:\n    partition 0, leader 1, replicas: 1, isrs: 1\n'
    )

    assert read(text).layout.gaps.topics_declared == 3


def test_a_listing_of_topics_names_those_that_are_not_there() -> None:
    """Ls /brokers/topics names three; one node was read, and describe output beside it has another."""
    nodes = 'ls /brokers/topics\n[a, b, c]\nget /brokers/topics/a\n{"version":1,"partitions":{"0":[1,2]}}\n'

    assert read(nodes).layout.gaps.missing_topics == ("b", "c")
    assert read(nodes + describe(("b", 1, (0,)))).layout.gaps.missing_topics == ("c",)


def test_another_text_fills_what_one_leaves_out() -> None:
    """Two halves of one output, read together, are whole; and no finding says otherwise."""
    first, second = (read(describe(("a", 4, ids))) for ids in ((0, 1), (2, 3)))
    both = combine([first, second])

    assert first.layout.gaps.incomplete
    assert not both.layout.gaps.incomplete
    assert [found.kind for found in first.findings] == ["fewer_rows_than_declared"]
    assert both.findings == ()


def test_registrations_tell_that_a_broker_has_no_rack() -> None:
    """Both brokers are registered without a rack: it is known that they have none. With one alone it is not."""
    nodes = "".join(f'get /brokers/ids/{i}\n{{"version":4,"host":"h{i}","port":9092}}\n' for i in (1, 2))

    assert read(nodes + describe(("a", 1, (0,)))).layout.unknown_racks == ()
    assert read(nodes[: nodes.index("get /brokers/ids/2")] + describe(("a", 1, (0,)))).layout.unknown_racks == (1, 2)


def test_racks_told_by_hand_leave_nobody_in_doubt() -> None:
    """Broker 2 is said to have none."""
    layout = read(describe(("a", 1, (0,)))).layout

    assert layout.with_racks({1: "a"}).unknown_racks == (2,)
    assert layout.with_racks({1: "a", 2: None}).unknown_racks == ()


def test_the_first_sentence_tells_unknown_racks_from_none() -> None:
    """Nobody tells racks; somebody says that there are none; some have one and of broker 2 it is unknown."""
    layout = read(describe(("a", 1, (0,)))).layout
    none = replace(layout, gaps=replace(layout.gaps, racks_told=True))
    some = layout.with_brokers([Broker(1, "x"), Broker(2)])

    assert [racks_in_words(one) for one in (layout, none, some)] == [
        "with unknown racks",
        "without racks",
        "in 1 rack (1 with unknown rack)",
    ]


def test_a_kept_text_keeps_its_gaps() -> None:
    """In a snapshot of the second version, which an older Reseat refuses instead of passing them over."""
    kept = snapshot_of_reading(read(captured()[:9_000]), taken_at=NOON)
    written = write_snapshot(kept)

    assert written.startswith(b'{"reseat_snapshot":2,')
    assert read_snapshot(written).layout.gaps == kept.layout.gaps
    assert read(written).layout.gaps.incomplete


def test_a_live_reading_tells_racks_in_the_first_version() -> None:
    """Snapshots of live clusters are written as before, and a broker without a rack has none."""
    layout = ClusterLayout.from_assignments({("a", 0): [1, 2]}, brokers=[Broker(1), Broker(2)])
    live = Snapshot(replace(layout, gaps=Gaps(racks_told=True)), NOON, "admin")
    written = write_snapshot(live)

    assert written.startswith(b'{"reseat_snapshot":1,')
    assert read_snapshot(written).layout.unknown_racks == ()


def test_what_is_not_missing_leaves_the_digest_as_it_was() -> None:
    """Links name layouts by their digest; gaps are part of it only where there are some."""
    plain = ClusterLayout.from_assignments({("a", 0): [1]}, brokers=[Broker(1, rack="x")])

    assert replace(plain, gaps=Gaps(racks_told=True)).digest == plain.digest
    assert replace(plain, gaps=Gaps(unread_rows=1)).digest != plain.digest


def test_a_topic_is_measured_by_its_own_largest_id() -> None:
    """Without headings, a gap in one topic is found above the next one, and of several rows the last one counts."""
    layout = read(describe(("a", 0, (0, 3)), ("b", 0, (0,)), ("c", 0, (1,)), headings=False)).layout

    assert layout.gaps.short == (ShortTopic("a", 4, 2, (1, 2)), ShortTopic("c", 2, 1, (0,)))


def test_a_node_of_some_partitions_lacks_none() -> None:
    """ZooKeeper's node of a topic may have any; and brokers alone count no topic."""
    nodes = "ls /brokers/ids\n[1, 2]\n"

    assert read(nodes + 'get /brokers/topics/a\n{"partitions":{"5":[1]}}\n').layout.gaps == Gaps()
    assert read(nodes).layout.gaps == Gaps()


def test_topics_that_another_text_names_are_missed_no_more() -> None:
    """Kcat counts two, and each of two texts has one: of three, one is missing still."""
    kcat = (
        "Metadata for all topics (from broker 1: h1:9092/1):\n {} topics:\n"
        '  topic "a" with 1 partitions:\n    partition 0, leader 1, replicas: 1, isrs: 1\n'
    )
    gaps = [combine([read(kcat.format(many)), read(describe(("b", 1, (0,))))]).layout.gaps for many in (2, 3)]

    assert [one.topics_declared for one in gaps] == [0, 3]


def test_what_is_missing_is_named_up_to_a_thousand_topics() -> None:
    """Of the one after it how many partitions; the finding names the first topic with what it has."""
    reading = read(describe(*((f"t{one:04}", 3, (0,)) for one in range(1_001))))
    short = reading.layout.gaps.short

    assert [topic.first for topic in short[998:]] == [(1, 2), (1, 2), ()]
    assert {topic.missing for topic in short} == {2}
    assert reading.findings[0].sentence.startswith("1,001 topics have more partitions than there are rows (such as t00")
    assert "t0000: 3 partitions, 1 rows)" in reading.findings[0].sentence
