"""Small print of what texts tell: comments above a header, limits to the last one, and what is said of many."""

from __future__ import annotations

import io
import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from reseat.errors import LimitMet
from reseat.formats.input.reading import Limits
from reseat.formats.reader import read
from reseat.formats.rows.combining import combine
from reseat.formats.rows.gather import RowBuilder
from reseat.formats.rows.row_findings import not_understood
from reseat.formats.tables.table import read_csv
from reseat.model import Broker


@pytest.mark.parametrize("above", ["", "\n", "# made by hand\n", "\n  # two\n#\n\n"])
def test_a_table_may_have_comments_and_empty_lines_above_its_header(above: str) -> None:
    """It is found and read, and lines are counted with them."""
    reading = read(f"{above}topic,partition,replicas\nt,0,1;2\nt,x,1\n")

    assert reading.kind == "CSV, one row per partition"
    assert reading.layout.assignments() == {("t", 0): [1, 2]}
    assert [skipped.line for skipped in reading.skipped] == [above.count("\n") + 3]


def test_as_many_brokers_as_are_allowed_are_read() -> None:
    """Two, however large their ids; three are one too many."""
    table = "topic,partition,replicas\nt,0,10;200\n"

    assert read_csv(table.encode(), limits=Limits(brokers=2)).layout.broker_ids.tolist() == [10, 200]
    with pytest.raises(LimitMet, match="The text names 3 brokers; 2 is the limit"):
        read_csv(f"{table}t,1,30\n".encode(), limits=Limits(brokers=2))


KCAT = """Metadata for all topics (from broker 1: h:1/1):
 1 brokers:
  broker 1 at h:1
 {declared} topics:
  topic "a" with 1 partitions:
    partition 0, leader 1, replicas: 1, isrs: 1
"""


@pytest.mark.parametrize(("declared", "missing"), [(1, 0), (2, 2)])
def test_topics_are_missed_where_a_heading_counts_more(declared: int, missing: int) -> None:
    """As many as it counts are all of them."""
    gaps = read(KCAT.format(declared=declared)).layout.gaps

    assert (gaps.topics_declared if gaps else 0) == missing


def test_a_finding_of_several_texts_names_its_own() -> None:
    """Of one text alone it need not."""
    fewer = "\tTopic: {0}\tPartition: 0\tLeader: 1\tReplicas: 1,1\tIsr: 1\n"
    alone = read(fewer.format("a"), source="one.txt")
    both = combine([read(fewer.format(topic), source=name) for topic, name in (("a", "one.txt"), ("b", "two.txt"))])

    assert {place for found in alone.findings for place in found.places if "one.txt" in place} == set()
    named = {place.partition(",")[0] for found in both.findings for place in found.places}
    assert {"one.txt", "two.txt"} <= named


def test_facts_that_contradict_are_named_up_to_a_hundred() -> None:
    """The rest is counted; the first fact stays."""
    for more, said in ((100, []), (130, ["30 facts more about brokers contradict earlier ones; the first is kept."])):
        rows = RowBuilder("x", Limits())
        for number in range(more + 1):
            rows.broker(Broker(1, host=f"host{number}"), f"line {number}")
        rows.part("odd")

        assert len(rows.findings) == 100 + len(said)
        assert [found.sentence for found in rows.findings[100:]] == said
        assert rows.brokers[1].host == "host0"


def test_sizes_are_one_for_all_or_one_for_each() -> None:
    """Of a partition without any, nothing; one of three cannot be placed."""
    table = "topic,partition,replicas,size_bytes\nt,0,1;2,10;20\nt,1,1;2,7\nt,2,1;2,\nt,3,1;2,1;2;3\nt,4,5,9\n"
    reading = read_csv(table.encode())
    alone = read_csv(b"topic,partition,replicas,size_bytes\nt,0,1;2,10\nt,1,1;2,\n")
    nan = float("nan")

    assert np.array_equal(
        reading.layout.replica_bytes, [[10, 20], [7, 7], [nan, nan], [nan, nan], [9, nan]], equal_nan=True
    )
    assert [skipped.line for skipped in reading.skipped] == [5]
    assert np.array_equal(alone.layout.replica_bytes, [[10, 10], [nan, nan]], equal_nan=True)


def test_a_cell_of_log_directories_may_say_that_there_are_none() -> None:
    """Empty, or in words: nothing is wrong with it; a list of another length is."""
    cells = ['"[""/a"",null]"', "none", "", '"[""/a""]"']
    table = "topic,partition,replicas,log_dirs\n" + "".join(f"t,{i},1;2,{cell}\n" for i, cell in enumerate(cells))
    reading = read_csv(table.encode())

    assert [skipped.line for skipped in reading.skipped] == [5]
    assert reading.layout.log_dirs == ("/a",)
    assert reading.layout.log_dir.tolist() == [[0, -1], [-1, -1], [-1, -1], [-1, -1]]


def test_a_page_of_plain_texts_is_as_long_as_it_is() -> None:
    """Only an encoding by prefixes could unfold to as many times its size as it has values."""
    table = pa.table({"topic": ["t" * 200] * 2_000, "partition": range(2_000), "replicas": ["1;2"] * 2_000})
    file = io.BytesIO()
    pq.write_table(table, file, use_dictionary=False, compression="zstd")

    assert read(file.getvalue(), limits=Limits(megabytes=1)).layout.partition_count == 2_000


def test_words_that_differ_by_blanks_alone_are_one() -> None:
    """Of racks, with an empty one among them and without."""
    rows = "topic,partition,broker,position,rack\nt,0,1,0,a\nt,0,2,1, a\n{}u,0,4,0,b\n"
    without, among = (read_csv(rows.format(one).encode()).layout for one in ("", "t,0,3,2,\n"))

    assert [(broker.id, broker.rack) for broker in without.brokers] == [(1, "a"), (2, "a"), (4, "b")]
    assert [(broker.id, broker.rack) for broker in among.brokers] == [(1, "a"), (2, "a"), (3, None), (4, "b")]


def test_rows_that_are_not_understood_are_listed_up_to_a_limit() -> None:
    """Rows of which a part is used, and rows that are left out, count alike."""
    rows = "topic,partition,broker,position\nt,0,1,0\nt,1,one,0\nt,2,1,first\n"

    assert len(read_csv(rows.encode(), limits=Limits(lines=2)).skipped) == 2
    with pytest.raises(LimitMet, match="More than 1 rows of the table are not understood"):
        read_csv(rows.encode(), limits=Limits(lines=1))


@pytest.mark.parametrize(("many", "end"), [(3, "2 (line 4)"), (4, "2 (line 4) and more")])
def test_three_partitions_that_may_lack_replicas_are_named(many: int, end: str) -> None:
    """And that there are more."""
    rows = "topic,partition,broker,position\n" + "".join(f"t,{i},one,0\n" for i in range(many)) + "t,9,1,0\n"
    (found,) = [one for one in read_csv(rows.encode()).findings if one.kind == "replicas_missing"]

    assert found.sentence == (
        f"{many} rows not understood, so replicas of these partitions may be missing: t-0 (line 2), t-1 (line 3), "
        f"t-{end}. Fix them before planning."
    )


def test_a_tables_first_line_may_be_as_long_as_a_line_and_no_longer() -> None:
    """To the last character."""
    text = "topic,partition,broker,position\nt,0,1,0\n"
    length = text.index("\n")

    assert read(text, limits=Limits(line_length=length)).layout.partition_count == 1
    with pytest.raises(LimitMet, match="longer than") as met:
        read(text, limits=Limits(line_length=length - 1))
    assert met.value.line == 1


@pytest.mark.parametrize(
    ("many", "said"),
    [
        (1, "1 entry was not understood: line 1. What it says is missing"),
        (3, "3 entries were not understood: line 1, line 2, line 3. What they say is missing"),
        (4, "4 entries were not understood: line 1, line 2, line 3 and 1 more. What they say is missing"),
    ],
)
def test_three_entries_that_are_not_understood_are_named(many: int, said: str) -> None:
    """And how many more there are."""
    found = not_understood(many, [f"line {n + 1}" for n in range(many)], "entry", "entries")

    assert found.sentence.startswith(said)


@pytest.mark.parametrize(("many", "end"), [(3, ""), (4, " and more")])
def test_three_cells_that_span_lines_are_named(many: int, end: str) -> None:
    """And that there are more."""
    rows = "topic,partition,broker,position,remark\n" + "".join(f't,{i},1,0,"one\ntwo"\n' for i in range(many))
    (found,) = [one for one in read_csv(rows.encode()).findings if one.kind == "cells_over_lines"]

    assert found.sentence == (
        f"{many} rows have a quoted cell that spans several lines (lines 2 to 3, lines 4 to 5, lines 6 to 7{end}); its "
        "content was not read as rows. Is a quote missing there?"
    )


def test_kcats_hosts_are_told_without_brackets() -> None:
    """An address of IPv6 has some; a broker may have no host. What has no name or no list is no topic."""
    row = {"partition": 0, "leader": 1, "replicas": [{"id": 1}], "isrs": [{"id": 1}]}
    brokers = [{"id": 1, "name": "[::1]:9092"}, {"id": 2, "name": ":9"}]
    topics = [{"topic": "t", "partitions": [row]}, {"topic": 5, "partitions": []}, {"topic": "u", "partitions": 5}]
    reading = read(json.dumps({"brokers": brokers, "topics": topics}))

    assert [(broker.host, broker.port) for broker in reading.layout.brokers] == [("::1", 9092), (None, 9)]
    assert [skipped.why for skipped in reading.skipped] == ["Not a topic with partitions."] * 2


def test_of_a_log_that_is_reported_twice_the_first_is_used() -> None:
    """With another size, the second is told of."""
    first = [{"partition": "t-0", "size": 5}, {"partition": "t-1", "size": 7}]
    directories = [
        {"logDir": path, "error": None, "partitions": [one | {"offsetLag": 0, "isFuture": False} for one in partitions]}
        for path, partitions in (("/a", first), ("/b", [{"partition": "t-0", "size": 6}]))
    ]
    reading = read(json.dumps({"version": 1, "brokers": [{"broker": 1, "logDirs": directories}]}))

    assert reading.layout.replica_bytes.tolist() == [[5], [7]]
    assert reading.findings[0].sentence == (
        "1 log is reported twice, 1 of them with different sizes, such as t-0 on broker 1. The first one is used."
    )


@pytest.mark.parametrize(("broker", "rows"), [(2**31 - 1, 1), (2**31, 0)])
def test_the_largest_id_of_a_broker_is_one(broker: int, rows: int) -> None:
    """In a row that is read one by one, too."""
    odd = f"Topic: t  Partition: 1 Leader: 1 Replicas: 1,{broker} Isr: 1 x\n"
    reading = read(f"Topic: t\tPartition: 0\tLeader: 1\tReplicas: 1\tIsr: 1\n{odd}")

    assert ("t", 1) in reading.layout.assignments() or not rows
    assert reading.layout.partition_count == 1 + rows


@pytest.mark.parametrize(("again", "proposed"), [([1, 2], False), ([2, 1], True), ([1], True)])
def test_another_assignment_is_a_proposal_where_it_gives_other_lists(again: list[int], proposed: bool) -> None:
    """The same lists once more are only that."""
    texts = [
        json.dumps({"version": 1, "partitions": [{"topic": "t", "partition": 0, "replicas": ids}, rest]})
        for ids, rest in (
            ([1, 2], {"topic": "t", "partition": 1, "replicas": [3]}),
            (again, {"topic": "t", "partition": 1, "replicas": [3]}),
        )
    ]
    reading = read("\n".join(texts))

    assert ("taken_as_proposed" in {found.kind for found in reading.findings}) is proposed
