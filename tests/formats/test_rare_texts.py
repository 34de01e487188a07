"""What texts rarely hold: each is read, listed or refused as the sentence says, in every form that may hold it."""

from __future__ import annotations

import io
import json
import struct
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from reseat.errors import InputRefused, LimitMet
from reseat.formats import LIMITS, read
from reseat.formats.rows.idlists import padded
from reseat.formats.rows.masks import mask_of
from reseat.formats.tables.parquet_pages import Chunk
from reseat.formats.tables.table import read_csv, read_parquet, write_csv, write_parquet
from reseat.formats.text.reassignment import read_document
from reseat.model import ClusterLayout
from reseat.model.tiering import Tiering

ROW = "Topic: a\tPartition: {}\tLeader: 1\tReplicas: 1,2\tIsr: 1,2{}\n"


def told(text: str | bytes, **limits: int) -> list[tuple[int, str, str]]:
    """What was not used: line, text and why."""
    return [(piece.line, piece.text, piece.why) for piece in read(text, limits=replace(LIMITS, **limits)).skipped]


def test_a_list_beside_long_replica_lists_is_a_mask_like_one_beside_short_lists() -> None:
    """Nine replicas beside nine others: compared by sorting, as one by one."""
    draw = np.random.default_rng(1)
    replicas = np.array([draw.permutation(12)[:9] for _ in range(40)], np.int32)
    ids = np.array([draw.permutation(12)[:9] for _ in range(40)], np.int32)
    replicas[::3, 5:], ids[::4, 4:], ids[::5] = -1, -1, -1
    ids[1] = replicas[1]
    mask, outside = mask_of(replicas, ids)

    assert mask.tolist() == [
        [broker != -1 and broker in named for broker in held]
        for held, named in zip(replicas.tolist(), ids.tolist(), strict=True)
    ]
    assert outside.tolist() == [
        bool({*named} - {*held} - {-1}) for held, named in zip(replicas.tolist(), ids.tolist(), strict=True)
    ]
    assert [ids.tolist() for ids in padded([], LIMITS)] == [[], []]


@pytest.mark.parametrize(
    ("again", "kind"),
    [
        ("5;6", "repeated_rows"),
        ("5;7", "contradicting_rows"),
        ("5;", "contradicting_rows"),
        (";", "contradicting_rows"),
    ],
)
def test_a_partition_told_again_is_told_alike_where_sizes_are_too(again: str, kind: str) -> None:
    """A size that is told neither time is no difference."""
    first, *_ = read_csv(f"topic,partition,replicas,size_bytes\na,0,1;2,5;6\na,0,1;2,{again}\n".encode()).findings
    unknown, *_ = read_csv(b"topic,partition,replicas,size_bytes\na,0,1;2,5;\na,0,1;2,5;\n").findings

    assert (first.kind, unknown.kind) == (kind, "repeated_rows")


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ("a,{},none", "5 partitions have no replica: a-0 (line 2), a-1 (line 3), a-2 (line 4), 2 more. Kafka has no"),
        (
            "a,0,1",
            "4 rows are in the text twice, equal: a-0 (line 2 and line 3), a-0 (line 2 and line 4), a-0 (line 2 and "
            "line 5), 1 more.",
        ),
    ],
)
def test_three_rows_are_named_and_how_many_more_there_are(row: str, words: str) -> None:
    """Of five."""
    text = "topic,partition,replicas\n" + "".join(f"{row.format(i)}\n" for i in range(5))
    (found,) = read_csv(text.encode()).findings

    assert found.sentence.startswith(words)


def test_a_row_within_a_note_is_no_row() -> None:
    """Nor is one of a topic whose name is torn."""
    note = "Topic: a Partition: 0 Leader: 1 [was Partition: 3 Leader: 2 Replicas: 2 Isr: 2] Replicas: 1, 2 Isr: 1\n"
    torn = "Topic: my topic Partition: 7 Leader: 1 Replicas: 1, 2 Isr: 1\n"
    reading = read(note + torn)

    assert reading.layout.assignments() == {("a", 0): [1, 2]}
    assert [piece.line for piece in reading.skipped] == [2]


def test_rows_without_a_topic_that_share_a_line_are_those_of_the_heading() -> None:
    """The second begins where the columns of the first end."""
    rows = "Partition: 0 Leader: 1 Replicas: 1, 2 Isr: 1 Elr: 2 Partition: 1 Leader: 1 Replicas: 1, 2 Isr: 1\n"
    reading = read("Topic: a\tPartitionCount: 2\tReplicationFactor: 2\tConfigs: \n" + rows)

    assert reading.layout.assignments() == {("a", 0): [1, 2], ("a", 1): [1, 2]}
    assert reading.skipped == ()


def test_a_document_that_is_refused_beside_a_layout_is_listed_with_all_its_lines() -> None:
    """From its first to its last."""
    (piece,) = read(ROW.format(0, "") + '{"x":\n1}\n').skipped

    assert (piece.line, piece.lines, piece.text) == (2, 2, '{"x":\n1}')


def test_several_rows_on_one_line_do_not_shift_the_columns_of_the_others() -> None:
    """What stands behind the ISR belongs to its own row."""
    both = ROW.format(1, "").strip() + " " + ROW.format(2, "\tElr: 2\tLastKnownElr: ")
    reading = read(ROW.format(0, "\tElr: 1\tLastKnownElr: ") + both + ROW.format(3, "\tElr: 2\tLastKnownElr: "))

    assert reading.layout.partition.tolist() == [0, 1, 2, 3]
    assert reading.layout.eligible is not None
    assert reading.layout.eligible.tolist() == [[True, False], [False, False], [False, True], [False, True]]


def test_the_configs_of_a_heading_may_go_on_in_the_line_below() -> None:
    """Of a heading further down, too."""
    heading = "Topic: {}\tPartitionCount: 1\tReplicationFactor: 2\tConfigs: {}\n"
    text = heading.format("a", "") + ROW.format(0, "") + heading.format("b", "x.y=1,") + " min.insync.replicas=2\n"
    reading = read(text + ROW.replace("Topic: a", "Topic: b").format(0, ""))

    assert reading.layout.min_in_sync is not None
    assert reading.layout.min_in_sync.tolist() == [-1, 2]
    assert reading.skipped == ()


@pytest.mark.parametrize(
    ("text", "skipped"),
    [
        (
            ' 1 topics:\n  topic "t" with 1 partitions: Broker: Unknown\n'
            "    partition 0, leader 1, replicas: 1, isrs: 1\n",
            [(2, "Broker: Unknown", "The topic's error, as kcat reports it.")],
        ),
        (
            json.dumps(
                {
                    "brokers": [{"id": 1, "name": "h:1"}],
                    "topics": [
                        {"topic": "t", "partitions": [{"partition": 3}, {"partition": 0, "replicas": [{"id": 1}]}]}
                    ],
                }
            ),
            [(1, "{'partition': 3}", "Not a partition of topic t: its id or its replicas are missing.")],
        ),
        (
            json.dumps(
                {"version": 1, "brokers": [{"broker": 1, "logDirs": ["odd", {"logDir": "/d", "partitions": []}]}]}
            )
            + "\nTopic: t\tPartition: 0\tLeader: 1\tReplicas: 1\tIsr: 1\n",
            [(1, "odd", "Not a log directory.")],
        ),
        (
            'get /brokers/topics/t/partitions/0/state\n{"leader": "x", "isr": [1]}\nget /brokers/topics/t\n'
            '{"partitions": {"0": [1]}}\nget /brokers/topics/u\n[7, 8]\n',
            [
                (
                    2,
                    "leader: x",
                    "The state of t-0: a broker id, or -1 for none, was expected; it was treated as unknown.",
                ),
                (6, "[7, 8]", "Not recognised as any format that Reseat reads."),
            ],
        ),
        (
            "t p0: [1 2] -> [1 3]\nt p1: [1 x] -> [1 3]\n",
            [
                (
                    2,
                    "t p1: [1 x] -> [1 3]",
                    "A damaged row of topicmappr: topic p0: [1 2] -> [1 3] (ids separated by spaces) was expected.",
                )
            ],
        ),
        (
            json.dumps(
                {
                    "KafkaPartitionState": {
                        "urp": [{"topic": "t", "partition": 0, "replicas": [1]}, {"topic": "t", "partition": 1}],
                        "other": [{"topic": "t", "replicas": [1]}, {"partition": 2, "replicas": [1]}],
                    }
                }
            ),
            [
                (1, entry, f"Not a partition in the list {name}: topic, partition or replicas are missing.")
                for entry, name in (
                    ("{'topic': 't', 'replicas': [1]}", "other"),
                    ("{'partition': 2, 'replicas': [1]}", "other"),
                    ("{'topic': 't', 'partition': 1}", "urp"),
                )
            ],
        ),
        (
            "rpk cluster partitions move-status\nNAMESPACE-TOPIC  PARTITION  MOVING-FROM  MOVING-TO\n"
            "kafka/t          0          [1]          [2]\nkafka/t          1          [1]\n"
            "kafka/t          2          [1]          [3]\n",
            [
                (1, "rpk cluster partitions move-status", "Command prompt, not output."),
                (
                    4,
                    "kafka/t          1          [1]",
                    "A damaged row: 4 cells were expected, as in the heading, with a partition id and a list of "
                    "replica ids.",
                ),
            ],
        ),
    ],
)
def test_a_piece_that_tells_nothing_is_listed_and_the_rest_is_read(
    text: str, skipped: list[tuple[int, str, str]]
) -> None:
    """With its line, its text and why; the topic is t."""
    assert told(text) == skipped
    assert read(text).layout.topics == ("t",)


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ('{"KafkaPartitionState": {}, "KafkaBrokerState": {}}', 1, "names neither a broker nor a partition"),
        ('\n{"version": 1, "brokers": []}', 2, "kafka-log-dirs, but it names no broker"),
        (
            "Current partition reassignments:\na-0: replicas: 1,2,3. adding: 3. removing: 1.\n",
            1,
            "1 reassignment is in pro",
        ),
        ("# nothing\n\n#\n", None, "No layout"),
        ("Partition  Replicas\n0          [1]\n", None, "No layout"),
        ("topic,partition\nt,0\n", 1, "broker is missing; the header is 'topic', 'partition'."),
    ],
)
def test_what_holds_no_layout_is_refused_with_what_it_is(text: str, line: int | None, words: str) -> None:
    """And where it begins."""
    with pytest.raises(InputRefused) as refused:
        read(text)

    assert words in str(refused.value)
    assert line is None or refused.value.line == line


@pytest.mark.parametrize(
    ("document", "line", "words"),
    [
        (b"a {0:[1,2],\n1:[1,,2]}", 2, "Partition 1 of a: a list of broker ids was expected; found '1,,2'."),
        (b'{"\xff\xfe": 1, "partitions": []}', None, "The text is not UTF-8."),
    ],
)
def test_an_assignment_that_is_none_is_refused_with_its_place(document: bytes, line: int | None, words: str) -> None:
    """In the short form, and in no text at all."""
    with pytest.raises(InputRefused) as refused:
        read_document(document)

    assert (refused.value.sentence, refused.value.line) == (words, line)


def test_a_key_that_stands_twice_is_named_where_it_does() -> None:
    """In its own entry alone."""
    once = '{"topic":"t","partition":%d,"replicas":[1]}'
    twice = '{"topic":"t","partition":1,"replicas":[1],\n"replicas":[2]}'
    reading = read_document(f'{{"partitions":[{once % 0},\n{twice},{once % 2}]}}'.encode())

    assert [found.sentence.partition(".")[0] for found in reading.findings] == [
        "Key 'replicas' stands in 1 entry more than once: line 2, column 1"
    ]


@pytest.mark.parametrize(("many", "end"), [(3, "line 4, column 1"), (4, "line 4, column 1 and more")])
def test_three_entries_with_a_key_that_stands_twice_are_named(many: int, end: str) -> None:
    """And that there are more; of two such keys the first."""
    entry = '{"topic":"t","topic":"t","partition":%d,"replicas":[1],"replicas":[2]}'
    entries = ",\n".join(entry % one for one in range(many))
    (found,) = read_document(f'{{"partitions":[\n{entries}]}}'.encode()).findings

    assert found.sentence.startswith(
        f"Key 'topic' stands in {many} entries more than once: line 2, column 1, line 3, column 1, {end}. The last one"
    )


@pytest.mark.parametrize(
    ("heading", "row"),
    [
        ("", "Topic: a\tPartition: {}\tLeader: 1\tReplicas: {}\tIsr: 1\n"),
        ('  topic "t" with 2 partitions:\n', "    partition {}, leader 1, replicas: {}, isrs: 1\n"),
    ],
)
def test_an_id_that_kafka_does_not_know_is_said_to_be_one_also_in_the_first_topic(heading: str, row: str) -> None:
    """It is not called a row without a topic, which is another fault."""
    (why,) = {why for _, _, why in told(heading + row.format(0, 1) + row.format(1, 2**31))}

    assert why == "An id in this row is above 2,147,483,647, Kafka's largest id."


@pytest.mark.parametrize(
    "text",
    [
        "Topic: t\tPartition: 0\tLeader: 2147483647\tReplicas: 2147483647\tIsr: \n",
        '  topic "t" with 1 partitions:\n    partition 0, leader 2147483647, replicas: 2147483647, isrs: \n',
    ],
)
def test_the_broker_with_the_largest_id_may_lead(text: str) -> None:
    """In rows that are read many at a time."""
    assert read(text).layout.leader_ids.tolist() == [2**31 - 1]


def test_log_directories_are_told_with_their_errors() -> None:
    """One that works has none."""
    told = [{"logDir": path, "error": error, "partitions": []} for path, error in (("/a", None), ("/b", "ODD"))]
    text = json.dumps({"version": 1, "brokers": [{"broker": 1, "logDirs": told}]})

    assert [(one.path, one.error) for one in read(ROW.format(0, "") + text).log_dirs] == [("/a", None), ("/b", "ODD")]


@pytest.mark.parametrize("more", ["", ',"version":1'])
def test_a_list_of_partitions_that_stands_twice_is_said(more: str) -> None:
    """Of an entry that is none, too, which is counted from one."""
    one = '{"topic":"t","partition":0,"replicas":[1]}'
    document = f'{{"partitions":[{one}]{more},"partitions":[{one},{{"topic":"c"}}]}}'
    reading = read_document(document.encode())

    assert "Key 'partitions' stands more than once" in " ".join(found.sentence for found in reading.findings)
    assert [piece.why.partition(":")[0] for piece in reading.skipped] == ["Entry 2 of 'partitions'"]


@pytest.mark.parametrize("host", ["", None, 5])
def test_a_broker_without_a_host_is_where_its_endpoint_is(host: object) -> None:
    """As brokers with listeners of several names register."""
    node = {"host": host, "port": -1, "endpoints": ["INSIDE://h:9093"], "rack": "r"}
    (broker,) = read(f"get /brokers/ids/3\n{json.dumps(node)}\n").layout.brokers

    assert (broker.id, broker.host, broker.port, broker.rack) == (3, "h", 9093, "r")


@pytest.mark.parametrize(
    ("port", "told"), [(0, None), (1, 1), (65_535, 65_535), (65_536, None), (True, None), ("9092", None)]
)
def test_a_port_is_a_number_that_one_can_be(port: object, told: int | None) -> None:
    """Else it is unknown; the host stays."""
    (broker,) = read(f"get /brokers/ids/3\n{json.dumps({'host': 'h', 'port': port})}\n").layout.brokers

    assert (broker.host, broker.port) == ("h", told)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{"version":1,\n"config":\n{}}', "This is a configuration, which has no replica lists."),
        ('{"partitions":[{"topic":"t","partition":0,"replicas":[1]},\n{"topic":\n"c",\n"partition":1}]}', "Entry 2 of"),
    ],
)
def test_a_piece_over_several_lines_is_listed_with_all_of_them(text: str, why: str) -> None:
    """Three of them."""
    (piece,) = (piece for piece in read(ROW.format(0, "") + text + "\n").skipped if piece.why.startswith(why))

    assert (piece.line, piece.lines) == (3 if why.startswith("Entry") else 2, 3)


def test_a_configuration_between_nodes_takes_no_topics_name() -> None:
    """Commands that stand together are answered in their order."""
    answers = '{"version": 1, "config": {}}\n{"partitions": {"0": [1]}}\n'

    assert read("get /config/topics/a\nget /brokers/topics/a\n" + answers).layout.assignments() == {("a", 0): [1]}


def test_a_command_without_its_answer_does_not_wait_for_anothers() -> None:
    """What follows the next command is that one's."""
    text = 'get /brokers/topics/a\n{"leader": 1, "isr": [1]}\nget /brokers/topics/b\n{"partitions": {"0": [1]}}\n'

    assert read(text).layout.assignments() == {("b", 0): [1]}


# ---- tables ------------------------------------------------------------------------------------------------


def test_tiered_topics_are_told_by_a_table_and_read_from_it() -> None:
    """Of two topics one, in rows of replicas and of partitions; another kind of row there is not."""
    layout = ClusterLayout.from_assignments({("a", 0): [1], ("b", 0): [1]})
    for per in ("replica", "partition"):
        assert read_csv(write_csv(layout, per=per, tiering=Tiering(("b",)))).tiering.topics == ("b",)
    with pytest.raises(ValueError, match="per is 'replica' or 'partition', not 'broker'"):
        write_csv(layout, per="broker")  # type: ignore[arg-type]


def test_a_row_of_half_a_partition_is_listed_with_what_it_tells() -> None:
    """It is no row of a broker, though it names one."""
    reading = read_csv(b"topic,partition,position,broker,rack\na,0,0,1,\n,5,0,2,\nb,,1,3,r\n")

    assert [(piece.line, piece.text, piece.why) for piece in reading.skipped] == [
        (3, "partition=5, position=0, broker=2", "The topic is empty."),
        (4, "topic=b, rack=r, position=1, broker=3", "The partition is empty."),
    ]
    assert reading.layout.assignments() == {("a", 0): [1]}


def test_a_partition_without_a_replica_has_no_leader_that_is_told() -> None:
    """Whatever its row says of one."""
    layout = read_csv(b"topic,partition,position,broker,is_leader\nt,0,,,false\nt,1,0,1,true\nt,2,0,1,false\n").layout

    assert layout.leader.tolist() == [-2, 0, -1]


def test_directories_that_are_no_json_are_treated_as_unknown() -> None:
    """The row is listed with its line, and its partition read."""
    reading = read_csv(b'topic,partition,replicas,log_dirs\nt,0,1,"[""/a"""\nt,1,1,"[""/a""]"\n')

    assert [(piece.line, piece.text) for piece in reading.skipped] == [(2, 't-0: ["/a"')]
    assert reading.layout.log_dir is not None
    assert reading.layout.log_dir.tolist() == [[-1], [0]]


def test_blank_rows_of_another_width_are_passed_over_beside_an_open_quote() -> None:
    """And a cell that no parser takes is said to be one."""
    reading = read_csv(b'topic,partition,replicas\na,0,1\n,,,,\na,1,"1\n')
    huge = read_csv(b'topic,partition,replicas\na,0,1\na,1,"1\n' + b"x" * 200_000 + b"\n")

    assert reading.layout.assignments() == huge.layout.assignments() == {("a", 0): [1]}
    assert [piece.line for piece in reading.skipped] == [4]
    assert huge.skipped[0].why == "The line cannot be split into cells: field larger than field limit (131072)."


def file_of(columns: dict[str, Any], **options: Any) -> bytes:
    """A Parquet file of these columns, in which nothing is missing."""
    arrays = {name: column if isinstance(column, pa.Array) else pa.array(column) for name, column in columns.items()}
    schema = pa.schema([pa.field(name, array.type, nullable=False) for name, array in arrays.items()])
    out = io.BytesIO()
    pq.write_table(pa.Table.from_arrays([*arrays.values()], schema=schema), out, compression="zstd", **options)
    return out.getvalue()


def partitions(count: int, topics: list[str] | None = None, **more: Any) -> dict[str, Any]:
    """So many partitions of a table."""
    return {
        "topic": topics or ["t"] * count,
        "partition": pa.array(range(count), pa.int32()),
        "broker": [1] * count,
    } | more


PLAIN = {"use_dictionary": False}


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"x" * 20, "it does not end like a Parquet file"),
        (b"PAR1" * 2, "it does not end like a Parquet file"),
        (b"PAR1" + bytes(8) + struct.pack("<I", 13) + b"PAR1", "its footer is cut off"),
        (
            file_of(partitions(2) | {"broker": ["1", "x"]}),
            "which cannot be read as broker: Failed to parse string: 'x'",
        ),
        (
            file_of(partitions(2) | {"broker": [[1], [2]]}),
            "Column 'broker' has type list<element: int64>, which cannot",
        ),
        (
            file_of(partitions(1) | {"broker": [{"id": 1}]}),
            "Column 'broker' has type struct<id: int64>, which cannot be",
        ),
        (file_of(partitions(1) | {"broker": pa.array([0], pa.timestamp("s"))}), "cannot be read as broker."),
    ],
)
def test_a_parquet_file_that_cannot_be_read_is_refused_with_why(data: bytes, words: str) -> None:
    """Its end, its footer, the types of its columns."""
    with pytest.raises(InputRefused) as refused:
        read_parquet(data)

    assert words in str(refused.value)


@pytest.mark.parametrize(
    ("columns", "options", "limits", "words"),
    [
        (
            {"topic": ["a" * 12] * 3},
            PLAIN,
            {"name": 11, "replicas": 1},
            "Column 'topic' holds texts of 16 bytes; 11 is the",
        ),
        (
            {"topic": [f"{'a' * 600}{i:04}" for i in range(2_000)]},
            PLAIN | {"column_encoding": {"topic": "DELTA_BYTE_ARRAY"}},
            {"megabytes": 1},
            "Column 'topic' is encoded as DELTA_BYTE_ARRAY, and a page of it could unfold to ",
        ),
        (
            {"replicas": [[1, 2, 3]]},
            {},
            {"replicas": 2},
            "One list in column 'replicas' has 3 entries; 2 is the limit.",
        ),
        (
            {"replicas": ["1;2" + " " * 397] * 3_000},
            {},
            {"megabytes": 1},
            "The lists in column 'replicas' have 1 MB decoded; 1 MB is the limit.",
        ),
        (
            {"partition": range(600_000)},
            PLAIN,
            {"megabytes": 1},
            "unpacks to more than 4 MB, 1 MB of text or 50,000,000",
        ),
        (
            {"topic": [f"{i:0200}" for i in range(6_000)]},
            {},
            {"megabytes": 1},
            "unpacks to more than 4 MB, 1 MB of text",
        ),
    ],
)
def test_a_parquet_file_that_would_swell_is_refused_with_the_limit(
    columns: dict[str, Any], options: dict[str, Any], limits: dict[str, int], words: str
) -> None:
    """Long names, names told as differences, long lists, lists told many times, numbers, texts."""
    count = len(next(iter(columns.values())))
    with pytest.raises(LimitMet) as met:
        read_parquet(file_of(partitions(count) | columns, **options), limits=replace(LIMITS, **limits))

    assert words in str(met.value)


@pytest.mark.parametrize(("length", "limit"), [(4_000_000, False), (4_000_001, True)])
def test_a_parquet_files_footer_may_have_four_megabytes(length: int, limit: bool) -> None:
    """One byte more is refused as such; one that small, of zeros, for what is in it."""
    with pytest.raises(InputRefused) as refused:
        read_parquet(b"PAR1" + bytes(length) + struct.pack("<I", length) + b"PAR1")

    assert ("The file's footer has 4.0 MB; 4 MB is the limit." in str(refused.value)) == limit


@pytest.mark.parametrize(
    ("chunks", "words"),
    [
        ([[]], "a row group does not have the columns"),
        ([[Chunk(4, 9, 1, 2)] * 3], "a column has fewer values than the"),
    ],
)
def test_a_footer_that_contradicts_itself_is_refused(
    monkeypatch: pytest.MonkeyPatch, chunks: list[list[Chunk]], words: str
) -> None:
    """Whatever else reads it: other columns than the schema has, or fewer values than rows."""
    monkeypatch.setattr("reseat.formats.tables.parquet.chunks_of", lambda *_: iter(chunks))
    with pytest.raises(InputRefused, match=words):
        read_parquet(file_of(partitions(2)))


def test_the_shortest_file_that_ends_like_parquet_is_looked_into() -> None:
    """Twelve bytes: two marks and a length; it holds nothing."""
    with pytest.raises(InputRefused) as refused:
        read_parquet(b"PAR1" + struct.pack("<I", 0) + b"PAR1")

    assert "does not end like" not in str(refused.value)


def test_a_number_that_is_none_is_listed_with_its_row_of_parquet() -> None:
    """Topic and partition, as far as they are told, and what is at fault."""
    rows = {"topic": ["t", "t", None, "t"], "partition": [0, -3, None, 1], "broker": [1, 1, -5, -7]}
    out = io.BytesIO()
    pq.write_table(pa.table(rows), out)

    assert [(piece.line, piece.text) for piece in read_parquet(out.getvalue()).skipped] == [
        (2, "topic=t, partition=-3"),
        (3, "broker=-5"),
        (4, "topic=t, partition=1, broker=-7"),
    ]


def test_columns_within_columns_do_not_shift_those_that_are_known() -> None:
    """Maps, structs and lists of both kinds stand before them; the same name twice is refused."""
    odd = {
        "m": pa.array([[("a", 1)]], pa.map_(pa.string(), pa.int64())),
        "s": pa.array([{"x": 1, "y": "z"}]),
        "l": pa.array([[1, 2]]),
        "f": pa.array([[1, 2]], pa.list_(pa.int64(), 2)),
    }
    assert read_parquet(file_of(odd | partitions(1))).layout.assignments() == {("t", 0): [1]}
    out = io.BytesIO()
    pq.write_table(
        pa.Table.from_arrays([*map(pa.array, (["t"], [0], [1], [2]))], ["topic", "partition", *["broker"] * 2]), out
    )
    with pytest.raises(InputRefused, match="Column 'broker' occurs more than once in the file"):
        read_parquet(out.getvalue())


@pytest.mark.parametrize("names", [11, 10])
def test_names_of_just_the_limit_are_read(names: int) -> None:
    """Told one by one, and as a dictionary."""
    columns, limits = partitions(3, ["a" * names] * 3), replace(LIMITS, name=names, replicas=1)

    for options in (PLAIN, {}):
        assert read_parquet(file_of(columns, **options), limits=limits).layout.partition_count == 3


def test_parquet_written_from_a_layout_holds_to_its_own_limits() -> None:
    """As many entries of a list as are allowed."""
    file = file_of({"topic": ["t"], "partition": [0], "replicas": [[1, 2, 3]]})

    assert read_parquet(file, limits=replace(LIMITS, replicas=3)).layout.assignments() == {("t", 0): [1, 2, 3]}
    assert write_parquet(read_parquet(file).layout)[:4] == b"PAR1"
