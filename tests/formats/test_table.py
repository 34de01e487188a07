"""Layouts as tables: read whatever its dialect, written so that it reads back alike."""

from __future__ import annotations

import contextlib
import io
import re
from dataclasses import replace
from typing import Literal

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reseat.errors import InputRefused, LimitMet
from reseat.formats import LIMITS
from reseat.formats.input.reading import Reading
from reseat.formats.tables import table
from reseat.formats.tables.table import read_csv, read_parquet, write_csv, write_parquet
from reseat.model import Broker, BrokerState, ClusterLayout
from reseat.model.frame import replica_table
from tests.cases import cases

REPLICAS = b"""topic,partition,position,broker,rack,is_leader,in_sync,size_bytes
orders,0,0,1,r1,true,true,100
orders,0,1,2,r2,false,false,90
orders,7,0,2,r2,false,true,
orders,7,1,3,,false,true,5
"""


def orders() -> ClusterLayout:
    """The layout that ``REPLICAS`` tells."""
    return ClusterLayout.from_columns(
        topics=["orders"],
        topic_of=[0, 0],
        partition=[0, 7],
        replicas=[[1, 2], [2, 3]],
        brokers=[Broker(1, "r1"), Broker(2, "r2"), Broker(3)],
        leader=[1, -1],
        in_sync=[[True, False], [True, True]],
        size_bytes=[[100, 90], [np.nan, 5]],
    )


def kinds(reading: Reading) -> list[str]:
    """The kinds of what was found."""
    return [finding.kind for finding in reading.findings]


def by_texts(data: bytes) -> Reading:
    """The same text read as texts first, each column judged afterwards."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(table, "read_typed", lambda *_: None)
        return read_csv(data)


def by_lines(data: bytes) -> Reading:
    """The same text divided line by line, some rows at a time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(table, "read_typed", lambda *_: None)
        patch.setattr(table, "read_texts", table.read_divided)
        patch.setattr(table, "BATCH", 2)
        return read_csv(data)


def told(reading: Reading) -> list[object]:
    """All that a reading tells, so that two can be compared."""
    findings = [(f.kind, f.sentence, f.places, f.rows.tolist(), f.brokers) for f in reading.findings]
    return [reading.layout, reading.skipped, findings, reading.kind]


# ---- one row per replica -------------------------------------------------------------------------------------


def test_a_row_a_replica_is_read() -> None:
    """Leaders, ISR, racks and sizes where they are told; no leader row is no leader."""
    reading = read_csv(REPLICAS)

    assert reading.layout == orders()
    assert reading.findings == ()
    assert reading.skipped == ()
    assert reading.kind == "CSV, one row per replica"


@pytest.mark.parametrize(
    "data",
    [
        REPLICAS.replace(b",", b";"),
        REPLICAS.replace(b",", b"\t"),
        REPLICAS.replace(b"\n", b"\r\n"),
        b"\xef\xbb\xbf\n\n" + REPLICAS,
        REPLICAS.decode().encode("utf-16"),
        REPLICAS.replace(b"orders", b'"orders"').replace(b"position", b'"Position "'),
        REPLICAS.replace(b"true", b"TRUE").replace(b"false", b"No"),
        REPLICAS.replace(b"topic,partition,position,broker", b"Topic Name, Partition ID ,replica-index,BROKER.ID"),
        b"\n".join([REPLICAS.splitlines()[0], *reversed(REPLICAS.splitlines()[1:])]),
        REPLICAS + b",,,,,,,\n\n",
        REPLICAS.replace(b"orders,0,0,1,", b"orders,0.0,0.0,1.0,"),
    ],
)
def test_dialects_give_the_same(data: bytes) -> None:
    """Delimiters, line ends, quotes, other names, encodings, the order of rows and blank rows do not matter."""
    reading = read_csv(data)

    assert reading.layout == orders()
    assert reading.skipped == ()


def test_empty_cells_are_not_told() -> None:
    """Neither leader nor ISR nor sizes are invented."""
    layout = read_csv(b"topic,partition,position,broker,is_leader,in_sync,size_bytes\na,0,0,1,,,\n").layout

    assert layout == ClusterLayout.from_assignments({("a", 0): [1]})


def test_without_position_the_order_is_not_told() -> None:
    """Then no row is the preferred leader, and the reading says so."""
    reading = read_csv(b"topic,partition,broker\na,0,2\na,0,1\n")

    assert reading.layout.assignments() == {("a", 0): [2, 1]}
    assert reading.layout.order_told.tolist() == [False]
    assert kinds(reading) == ["order_not_told"]


def test_a_row_without_a_topic_tells_of_a_broker() -> None:
    """Also one that holds nothing."""
    text = b"topic,partition,position,broker,rack,host,port,state\na,0,0,1,,,,\n,,,9,r9,h9,9092,dead\n"

    assert read_csv(text).layout.brokers == (Broker(1), Broker(9, "r9", "h9", 9092, BrokerState.DEAD))


def test_rows_that_contradict_are_findings_with_both_places() -> None:
    """One position twice with another broker; one broker in two racks; two leaders."""
    text = b"topic,partition,position,broker,rack,is_leader\na,0,0,1,r1,true\na,0,0,2,r1,true\na,0,1,3,r1,true\n"
    text += b"b,0,0,1,r2,false\n"
    reading = read_csv(b"# remark\n" * 4 + text)

    assert set(kinds(reading)) == {"contradicting_rows", "contradicting_brokers", "several_leaders"}
    assert [f.places for f in reading.findings if f.kind == "contradicting_rows"] == [("line 6", "line 7")]
    assert [f.places for f in reading.findings if f.kind == "contradicting_brokers"] == [("line 9",)]
    assert reading.layout.assignments() == {("a", 0): [1, 3], ("b", 0): [1]}
    assert reading.layout.brokers[0].rack == "r1"


def test_gaps_between_positions_are_a_finding() -> None:
    """A replica may have been filtered out of the table."""
    assert kinds(read_csv(b"topic,partition,position,broker\na,0,0,1\na,0,2,3\n")) == ["position_gaps"]
    assert kinds(read_csv(b"topic,partition,position,broker\na,0,1,1\na,0,2,3\n")) == []


def test_a_row_not_understood_is_skipped_with_its_line_and_its_partition_is_named() -> None:
    """A replica that is missing changes the partition: that is a finding of its own."""
    text = REPLICAS.replace(b"orders,0,1,2,", b"orders,0,1,two,").replace(b",5\n", b",many\n") + b"short,1\n"
    reading = read_csv(text)

    assert [(piece.line, "two" in piece.why or "many" in piece.why) for piece in reading.skipped] == [
        (3, True),
        (5, True),
        (6, False),
    ]
    assert "replicas_missing" in kinds(reading)
    assert reading.layout.assignments() == {("orders", 0): [1], ("orders", 7): [2, 3]}


def test_columns_not_known_are_noted() -> None:
    """They are left out, but not in silence."""
    reading = read_csv(b"topic,partition,position,broker,owner\na,0,0,1,me\n")

    assert kinds(reading) == ["unknown_columns"]
    assert "'owner'" in reading.findings[0].sentence


@pytest.mark.parametrize(
    ("data", "part"),
    [
        (b"", "empty"),
        (b"\n \n", "empty"),
        (b"a,b\n1,2\n", "topic and partition and broker are missing"),
        (b"topic,partition,broker\n", "No row"),
        (b"topic,partition,broker\na,b,c\n", "No row"),
        (b"\xff\xfeabc", "UTF-16"),
    ],
)
def test_what_is_no_layout_is_refused(data: bytes, part: str) -> None:
    """The sentence says what was expected."""
    with pytest.raises(InputRefused) as caught:
        read_csv(data, source="layout.csv")

    assert part in str(caught.value)


def test_limits_are_met_with_a_sentence() -> None:
    """Size, partitions, replicas and cells; in Parquet also unpacked."""
    for limits in (replace(LIMITS, megabytes=0), replace(LIMITS, partitions=1), replace(LIMITS, replicas=1)):
        with pytest.raises(LimitMet):
            read_csv(REPLICAS, limits=limits)
    with pytest.raises(LimitMet):
        read_parquet(write_parquet(orders()), limits=replace(LIMITS, cells=1))


# ---- one row per partition -----------------------------------------------------------------------------------


@pytest.mark.parametrize("replicas", ["1;2", "1 2", "[1,2]", "(1, 2)", "1|2", "1,2"])
def test_lists_of_brokers_are_read_however_divided(replicas: str) -> None:
    """Semicolons, blanks, bars, and quoted commas."""
    text = f'topic,partition,replicas,leader,isr\na,3,"{replicas}",2,"[2]"\n'.encode()

    assert read_csv(text).layout == ClusterLayout.from_assignments(
        {("a", 3): [1, 2]}, leaders={("a", 3): 2}, in_sync={("a", 3): [2]}
    )


def test_an_isr_that_is_told_and_empty_is_not_one_that_is_not_told() -> None:
    """``none`` is told; an empty cell is not."""
    layout = read_csv(b"topic,partition,replicas,leader,isr\na,0,1;2,-1,none\na,1,1;2,,\n").layout

    assert layout == ClusterLayout.from_assignments(
        {("a", 0): [1, 2], ("a", 1): [1, 2]}, leaders={("a", 0): None}, in_sync={("a", 0): []}
    )


def test_an_isr_that_names_others_is_a_finding() -> None:
    """A broker that holds no replica cannot be in sync."""
    reading = read_csv(b"topic,partition,replicas,isr\na,0,1;2,1;9\n")

    assert kinds(reading) == ["in_sync_outside_replicas"]
    assert reading.findings[0].places == ("line 2",)


def test_a_list_that_is_none_is_skipped_with_its_line() -> None:
    """The partition is not read; the others are."""
    reading = read_csv(b"topic,partition,replicas,isr\na,0,one;two,1\na,1,1;99999999999,\na,2,1,x\na,3,2,2\n")

    assert [(piece.line, piece.lines, piece.why.split()[0]) for piece in reading.skipped] == [
        (2, 2, "replicas"),
        (4, 1, "isr"),
    ]
    assert reading.layout.assignments() == {("a", 2): [1], ("a", 3): [2]}


def test_a_partition_told_twice_differently_is_a_finding() -> None:
    """The first counts."""
    reading = read_csv(b"topic,partition,replicas\na,0,1;2\na,0,2;1\n")

    assert kinds(reading) == ["contradicting_rows"]
    assert reading.findings[0].places == ("line 2", "line 3")
    assert reading.layout.assignments() == {("a", 0): [1, 2]}


# ---- there and back ----------------------------------------------------------------------------------------


@st.composite
def layouts(draw: st.DrawFn) -> ClusterLayout:
    """Any layout that a table can tell."""
    ids = draw(st.lists(st.integers(0, 40), min_size=1, max_size=6, unique=True))
    names = draw(
        st.lists(
            st.sampled_from(["a", "b.c", "=x", "'y", "'=z", "-1", "NA", 'q"q', "k,k", "ü"]), unique=True, min_size=1
        )
    )
    keys = draw(st.lists(st.tuples(st.sampled_from(names), st.integers(0, 9)), min_size=1, max_size=8, unique=True))
    used = sorted({topic for topic, _ in keys})
    width = draw(st.integers(1, len(ids)))
    count = len(keys)
    replicas = np.full((count, width), -1, np.int32)
    for row in range(count):
        chosen = draw(
            st.lists(st.sampled_from(ids), unique=True, min_size=0 if width > 1 and row else 1, max_size=width)
        )
        replicas[row, : len(chosen)] = chosen
    replicas[0] = ids[:width]  # so that no column is padding throughout
    held = replicas != -1

    def mask() -> np.ndarray:
        flat = draw(st.lists(st.booleans(), min_size=held.size, max_size=held.size))
        return np.array(flat, np.bool_).reshape(held.shape) & held

    def column(values: st.SearchStrategy[int]) -> np.ndarray:
        return np.array(draw(st.lists(values, min_size=count, max_size=count)), np.int32)

    facts = {}
    if draw(st.booleans()):
        told_rows = np.array(draw(st.lists(st.booleans(), min_size=count, max_size=count)), np.bool_) | (
            ~held.any(axis=1)
        )
        told_rows &= held.any(axis=1)  # an ISR needs a row of a replica to stand in
        if told_rows.any():
            facts["in_sync"] = mask() & told_rows[:, None]
            facts["in_sync_told"] = None if told_rows.all() else told_rows
    for name in ("eligible", "last_known_eligible", "observers", "adding", "removing"):
        if draw(st.booleans()):
            facts[name] = mask()
    if width > 1 and draw(st.booleans()):  # of width 1, one size a partition and one a replica are the same text
        facts["size_bytes"] = np.where(held & mask(), 12.5, np.nan)
        facts["size_bytes"][0, 0] = 7
    if draw(st.booleans()):
        facts["leader_epoch"] = column(st.integers(-2, 5))
        facts["leader_epoch"][0] = 3
    if draw(st.booleans()):
        facts["log_dir"] = np.where(mask(), 0, -1)
        facts["log_dir"][0, 0] = 0
        facts["log_dirs"] = ["/d,1"]
    if draw(st.booleans()):
        facts["min_in_sync"] = np.array(draw(st.lists(st.integers(0, 3), min_size=len(used), max_size=len(used))))
    rack = st.sampled_from([None, "r1", "@r2", "NA", "\u00a0r3\u00a0"])
    brokers = [
        Broker(i, draw(rack), draw(st.sampled_from([None, "h", "+h"])), draw(st.sampled_from([None, 9092])))
        for i in [*ids, *draw(st.lists(st.integers(50, 60), max_size=2, unique=True))]
    ]
    return ClusterLayout.from_columns(
        topics=used,
        topic_of=[used.index(topic) for topic, _ in keys],
        partition=[partition for _, partition in keys],
        replicas=replicas,
        brokers=[replace(b, state=draw(st.sampled_from(list(BrokerState)))) for b in brokers],
        leader=column(st.sampled_from([-1, -2, *ids])),
        order_told=draw(st.booleans()),
        **facts,
    )


@settings(deadline=None, max_examples=cases(60))
@given(layouts(), st.sampled_from(["replica", "partition"]))
def test_what_is_written_reads_back_alike(layout: ClusterLayout, per: str) -> None:
    """In CSV read either way, and in Parquet."""
    text = write_csv(layout, per=per)
    reading = read_csv(text)

    assert reading.layout == layout
    assert reading.skipped == ()
    assert told(by_texts(text)) == told(reading)
    assert told(by_lines(text)) == told(reading)
    assert read_parquet(write_parquet(layout, per=per)).layout == layout


@pytest.mark.parametrize(("size", "kind"), [(7.0, "int64"), (7.5, "double"), (2.0**53, "double")])
def test_sizes_are_whole_numbers_where_all_are(size: float, kind: str) -> None:
    """As every reader takes them; what no integer holds exactly stays what it is."""
    layout = replace(orders(), size_bytes=np.array([[5.0, np.nan], [size, 3.0]]))

    assert str(pq.read_schema(io.BytesIO(write_parquet(layout))).field("size_bytes").type) == kind


def test_brokers_that_hold_nothing_stand_below_the_partitions_byte_for_byte() -> None:
    """Many partitions and few such brokers: their cells are told, and all others of their rows are empty."""
    lists = {("a", partition): [1, 2] for partition in range(500)}
    text = write_csv(ClusterLayout.from_assignments(lists, brokers=[Broker(3, "r1"), Broker(4, None, "h4", 9092)]))
    partitions = write_csv(ClusterLayout.from_assignments(lists), per="partition")
    below = write_csv(ClusterLayout.from_assignments(lists, brokers=[Broker(3, "r1")]), per="partition")

    assert text.splitlines()[0] == b"topic,partition,position,broker,rack,is_leader,in_sync,size_bytes,host,port"
    assert text.splitlines()[-3:] == [b"a,499,1,2,,,,,,", b",,,3,r1,,,,,", b",,,4,,,,,h4,9092"]
    assert below.splitlines() == [
        b"topic,partition,replicas,leader,isr,broker,rack",
        *(line + b",," for line in partitions.splitlines()[1:]),
        b",,,,,3,r1",
    ]


def test_brokers_without_any_partition_are_written_byte_for_byte() -> None:
    """Nothing stands before them but the header."""
    alone = ClusterLayout.from_assignments({}, brokers=[Broker(3, "r1"), Broker(4, "r2", "h4")])

    assert write_csv(alone) == (
        b"topic,partition,position,broker,rack,is_leader,in_sync,size_bytes,host\n,,,3,r1,,,,\n,,,4,r2,,,,h4\n"
    )


@pytest.mark.parametrize("per", ["replica", "partition"])
def test_a_layout_of_nothing_but_partitions_without_replicas_reads_back(per: Literal["replica", "partition"]) -> None:
    """Not one of them is lost, nor what else is told of them."""
    layout = ClusterLayout.from_columns(
        topics=["a", "b"],
        topic_of=[0, 1],
        partition=[0, 7],
        replicas=np.empty((2, 0), np.int32),
        brokers=[Broker(1, "r1")],
        leader=[-1, -2],
        leader_epoch=[4, -2],
        size_bytes=np.empty((2, 0)),
        log_dir=np.empty((2, 0), np.int32),
        log_dirs=["/d"],
        adding=np.empty((2, 0), np.bool_),
    )
    for reading in (read_csv(write_csv(layout, per=per)), read_parquet(write_parquet(layout, per=per))):
        assert reading.skipped == ()
        assert reading.layout.assignments() == {("a", 0): [], ("b", 7): []}
        assert reading.layout.leader.tolist() == [-1, -2]
        assert reading.layout.leader_epoch.tolist() == [4, -2]
        assert reading.layout.brokers == (Broker(1, "r1"),)


CELLS = st.sampled_from(
    [
        "",
        "0",
        "1",
        "2",
        "true",
        "no",
        "x",
        "-1",
        "1.0",
        "NA",
        "a",
        "'=a",
        "1;2",
        "[1,2]",
        "none",
        "7e1",
        " 3 ",
        "0x1",
        "+2",
        ".0",
    ]
)


@settings(deadline=None, max_examples=cases(80))
@given(
    st.lists(
        st.sampled_from(
            [
                "topic",
                "partition",
                "position",
                "broker",
                "rack",
                "is_leader",
                "in_sync",
                "size_bytes",
                "leader",
                "isr",
                "replicas",
                "state",
                "adding",
                "what",
            ]
        ),
        unique=True,
        max_size=6,
    ).map(lambda more: list(dict.fromkeys(["topic", "partition", "broker", *more]))),
    st.data(),
)
def test_columns_and_cells_give_the_same(header: list[str], data: st.DataObject) -> None:
    """Whether a table is read by its columns' types, as texts or line by line, the result is the same."""
    plain = {
        "topic": st.sampled_from(["a", "b"]),
        "partition": st.sampled_from("012"),
        "broker": st.sampled_from("123"),
    }
    row = st.tuples(*(st.one_of(plain.get(name, CELLS), CELLS) if name in plain else CELLS for name in header))
    rows = data.draw(st.lists(row, max_size=6))
    buffer = io.StringIO()
    pd.DataFrame(rows, columns=header).to_csv(buffer, index=False)
    text = buffer.getvalue().encode()
    refusal = ""
    try:
        fast = read_csv(text)
    except InputRefused as refused:
        refusal = str(refused)
    if refusal:
        with pytest.raises(InputRefused, match=re.escape(refusal)):
            by_texts(text)
        return

    assert told(by_texts(text)) == told(fast)
    assert told(by_lines(text)) == told(fast)


def test_formulas_are_written_so_that_a_spreadsheet_shows_them_as_text() -> None:
    """Each text that begins like a formula gets an apostrophe, and only in CSV."""
    layout = ClusterLayout.from_assignments({('=cmd|"x"', 0): [1]}, brokers=[Broker(1, "@rack", "+host")])
    cells = write_csv(layout).decode()

    assert "\n=" not in cells
    assert ",@" not in cells
    assert ",+" not in cells
    assert "'=cmd" in cells
    assert pd.read_parquet(io.BytesIO(write_parquet(layout))).topic[0] == '=cmd|"x"'


def test_the_table_of_replicas_is_that_of_the_model() -> None:
    """The first columns are those that pages and Spark use."""
    header = write_csv(orders()).decode().splitlines()[0]

    assert header.split(",") == list(replica_table(orders()).columns)
    assert write_csv(orders()) == REPLICAS


def test_parquet_of_pandas_and_lists_of_integers_are_read() -> None:
    """The long table of ``replica_table``, and a table of partitions with lists."""
    long = io.BytesIO()
    replica_table(orders()).to_parquet(long)
    short = io.BytesIO()
    frame = pd.DataFrame({"topic": ["a"], "partition": [1], "replicas": [[1, 2]], "isr": [[2]], "leader": [2]})
    frame.to_parquet(short)

    assert read_parquet(long.getvalue()).layout == orders()
    assert read_parquet(short.getvalue()).layout == ClusterLayout.from_assignments(
        {("a", 1): [1, 2]}, leaders={("a", 1): 2}, in_sync={("a", 1): [2]}
    )


@pytest.mark.parametrize("rows", [[0, 1], [0, 2], [0, 1, 2], [0, 3], [0, 4]])
def test_numbers_out_of_bounds_are_left_out_and_listed_alike(rows: list[int]) -> None:
    """Negative ids, positions and sizes: the same layout and the same faults from Parquet as from CSV."""
    whole = pd.DataFrame(
        {
            "topic": ["a", "a", None, "a", "a"],
            "partition": [0, 0, None, -3, 0],
            "broker": [1, -5, -5, 2, 2],
            "position": [0, 1, None, 0, 1],
            "size_bytes": [5.0, 5.0, None, 5.0, -1.0],
        }
    ).astype({"partition": "Int64", "position": "Int64"})
    frame, file = whole.iloc[rows].reset_index(drop=True), io.BytesIO()
    frame.to_parquet(file)
    packed, plain = read_parquet(file.getvalue()), read_csv(frame.to_csv(index=False).encode())

    assert packed.layout == plain.layout
    assert [piece.why for piece in packed.skipped] == [piece.why for piece in plain.skipped]
    assert [one.kind for one in packed.findings] == [one.kind for one in plain.findings]
    assert {broker.id for broker in packed.layout.brokers} == {1} | ({2} if 4 in rows else set())


@settings(deadline=None, max_examples=cases(60))
@given(st.binary(max_size=40), st.integers(0, 200))
def test_damage_never_ends_in_anything_but_a_reading_or_a_refusal(noise: bytes, at: int) -> None:
    """Any bytes anywhere: read, or refused with a sentence."""
    for text, read in ((REPLICAS, read_csv), (write_parquet(orders()), read_parquet)):
        with contextlib.suppress(InputRefused):
            reading = read(text[:at] + noise + text[at + len(noise) // 2 :])

            assert reading.layout.partition_count or reading.layout.brokers


def test_a_row_that_is_not_understood_is_a_finding_and_not_only_skipped() -> None:
    """A row of too few cells may have told of any partition."""
    reading = read_csv(b"topic,partition,position,broker\nt,0,0,1\nt,1\n")

    assert [(found.kind, found.places) for found in reading.findings] == [("not_understood", ("line 3",))]


def test_rows_of_brokers_before_and_after_do_not_shift_the_places_of_replicas() -> None:
    """A contradiction between replicas is named with its own lines, wherever rows of brokers stand."""
    replicas = b"t,0,0,1,\nt,0,0,2,\nt,1,0,2,\n"
    for before, after, line in (
        (b"", b",,,9,r9\n", 2),
        (b",,,8,r8\n,,,9,r9\n", b"", 4),
        (b",,,8,r8\n", b",,,9,r9\n", 3),
    ):
        reading = read_csv(b"topic,partition,position,broker,rack\n" + before + replicas + after)
        found = next(found for found in reading.findings if found.kind == "contradicting_rows")

        assert found.places == (f"line {line}", f"line {line + 1}")
        assert reading.layout.topics == ("t",)
        assert {broker.id: broker.rack for broker in reading.layout.brokers}[9] == "r9"


def test_the_first_min_in_sync_told_of_a_topic_counts_wherever_it_stands() -> None:
    """Not only in the topic's first row; a topic without one stays not told."""
    reading = read_csv(
        b"topic,partition,position,broker,min_in_sync\na,0,0,1,\na,0,1,2,2\na,1,0,1,3\nb,0,0,1,1\nc,0,0,1,\n"
    )

    assert reading.layout.min_in_sync is not None
    assert reading.layout.min_in_sync.tolist() == [2, 1, -1]
    alone = read_csv(b"topic,partition,position,broker,min_in_sync\na,0,0,1,\na,0,1,2,2\n").layout
    assert alone.min_in_sync is not None
    assert alone.min_in_sync.tolist() == [2]


def test_a_list_of_replicas_without_a_topic_is_listed() -> None:
    """It tells of a partition, whose it is not told: it is no row of a broker, nor an empty one."""
    reading = read_csv(b"topic,partition,replicas\na,0,1\n,,1;2\n,,\n")

    assert [(piece.line, piece.why) for piece in reading.skipped] == [(3, "The topic is empty.")]
    assert kinds(reading) == ["not_understood"]


def test_faults_in_every_kind_of_cell_are_listed_with_their_lines_among_a_hundred_thousand_rows() -> None:
    """Lines are those of the text, empty and blank ones included, over all the blocks that Arrow reads."""
    lines = [f"orders-{'x' * 180},{row},0,1,true,5" for row in range(100_000)]
    lines[20_000] += ",7"
    lines[40_000] = "\n  \n" + lines[40_000].replace("true", "maybe")
    lines[60_000] = lines[60_000].replace(",1,", ",0xFFFFFFFF,")
    lines[80_000] = lines[80_000].replace(",0,1", ",two,1")
    lines[99_999] = lines[99_999].removesuffix("5") + "1e999"
    text = "\n".join(["topic,partition,position,broker,in_sync,size_bytes", *lines, ""]).encode()
    reading = read_csv(text)

    assert [(piece.line, piece.why) for piece in reading.skipped] == [
        (20_002, "7 cells; 6 were expected, as in the header."),
        (40_004, "in_sync 'maybe' is not true or false; it was treated as unknown."),
        (60_004, "broker '0xFFFFFFFF' is not between 0 and 2,147,483,647."),
        (80_004, "position 'two' is not a whole number."),
        (100_003, "size_bytes '1e999' is not a number of bytes; it was treated as unknown."),
    ]
    assert reading.layout.partition_count == 99_997


def test_a_row_of_too_few_cells_that_is_no_text_is_listed() -> None:
    """Arrow could not show it; the rows around it are read."""
    reading = read_csv(b"topic,partition,broker\na,0,1\n\xe9,1\nb,0,2\n")

    assert reading.layout.assignments() == {("a", 0): [1], ("b", 0): [2]}
    assert [piece.line for piece in reading.skipped] == [3]


def test_each_replica_told_twice_is_told_with_both_its_places() -> None:
    """Alike and otherwise, in rows that are not in order; positions that are not told are none twice."""
    rows = ["t,1,0,5", "t,0,0,1", "t,2,,7", "t,0,0,1", "t,0,1,2", "t,2,,8", "t,1,0,6", "t,0,1,2"]
    findings = read_csv("\n".join(["topic,partition,position,broker", *rows]).encode()).findings

    assert [(found.kind, found.places) for found in findings] == [
        ("repeated_rows", ("line 3", "line 5", "line 6", "line 9")),
        ("contradicting_rows", ("line 2", "line 8")),
    ]
    assert "position 0 of t-0 (line 3 and line 5)" in findings[0].sentence


def test_a_replica_told_twice_is_compared_with_the_one_of_its_position() -> None:
    """The second position, not the first one of the partition."""
    (found,) = read_csv(b"topic,partition,position,broker\nt,0,0,1\nt,0,1,2\nt,0,1,2\n").findings

    assert (found.kind, found.places) == ("repeated_rows", ("line 3", "line 4"))


def test_a_column_that_tells_nothing_leaves_it_untold() -> None:
    """Its cells are blank: nobody is known to be out of sync, an observer, or on the way."""
    layout = read_csv(b"topic,partition,replicas,isr,observers,adding\nt,0,1;2,,,\nt,1,2;1,,,\n").layout

    assert (layout.in_sync, layout.observers, layout.adding) == (None, None, None)


def test_an_odd_row_is_told_by_its_line_in_a_table_of_many_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many pieces Arrow reads at once, where it may."""
    monkeypatch.setattr(table, "BLOCK", 64)
    rows = [f"t,{partition},1" for partition in range(200)]
    rows[150] = "t,150"
    reading = read_csv("\n".join(["topic,partition,broker", *rows]).encode())

    assert [piece.line for piece in reading.skipped] == [152]
    assert reading.layout.partition_count == 199


def test_what_is_padded_is_not_in_sync() -> None:
    """One partition has two replicas, the next one."""
    layout = read_csv(b"topic,partition,position,broker,in_sync\nt,0,0,1,1\nt,0,1,2,1\nt,1,0,1,1\n").layout

    assert layout.in_sync is not None
    assert layout.in_sync.tolist() == [[True, True], [True, False]]


def test_more_rows_than_cells_are_allowed_are_refused_before_they_are_laid_out() -> None:
    """Rows of brokers, which are no cells, count too."""
    rows = b"topic,partition,broker\n,,1\n,,2\nt,0,1\n"

    assert read_csv(rows, limits=replace(LIMITS, cells=3)).layout.assignments() == {("t", 0): [1]}
    with pytest.raises(LimitMet, match="More than 2 rows; that is the limit"):
        read_csv(rows, limits=replace(LIMITS, cells=2))


@pytest.mark.parametrize(
    ("column", "cell", "value"),
    [
        ("leader", "none", -1),
        ("leader", "-", -1),
        ("leader", "0", 0),
        ("leader", "0xFFFFFFFFFFFFFFFF", "'0xFFFFFFFFFFFFFFFF' is not a whole number"),
        ("leader", "0x0000000000000001", "'0x0000000000000001' is not a whole number"),
        ("partition", "none", "'none' is not a whole number"),
        ("partition", "-1", "'-1' is not between 0 and 2,147,483,647"),
        ("size_bytes", "0", 0.0),
        ("size_bytes", "-0.5", "'-0.5' is not a number of bytes"),
        ("size_bytes", "none", "'none' is not a number of bytes"),
    ],
)
def test_a_cell_says_what_its_column_may(column: str, cell: str, value: float | str) -> None:
    """Nobody leads, but no partition is nobody; a size may be nothing, and below that is none."""
    told = {"topic": "t", "partition": "1", "broker": "0", "leader": "", "size_bytes": "1"} | {column: cell}
    text = f"{','.join(told)}\n{','.join(told.values())}\nt,9,0,0,1\n".encode()
    for reading in (read_csv(text), by_texts(text)):
        if isinstance(value, str):
            assert reading.skipped[0].why.startswith(f"{column} {value}")
            continue
        row = reading.layout.row("t", 1)
        sizes = reading.layout.replica_bytes
        assert reading.skipped == ()
        assert row is not None
        assert sizes is not None
        assert value == (reading.layout.leader_ids[row] if column == "leader" else sizes[row, 0])


def test_an_isr_that_cannot_be_read_names_nobody_beside_the_replicas() -> None:
    """It is unknown; one size for all replicas is kept as one."""
    text = b"topic,partition,replicas,isr,size_bytes\nt,0,1;2,9;4294967296,7\nt,1,1;2,1,7\n"
    reading = read_csv(text)

    assert [finding.kind for finding in reading.findings] == ["not_understood"]
    assert reading.layout.in_sync_known.tolist() == [False, True]
    assert reading.layout.size_bytes is not None
    assert reading.layout.size_bytes.tolist() == [7, 7]


def test_as_many_rows_of_another_width_are_listed_as_are_allowed() -> None:
    """One more is refused, with the line of the first."""
    rows = b"topic,partition,replicas\nt,0,1\nt,1\nt,2,1,1\n"

    assert [piece.line for piece in read_csv(rows, limits=replace(LIMITS, lines=2)).skipped] == [3, 4]
    with pytest.raises(
        LimitMet, match="More than 1 rows of the table are not understood, the first of them so: 2"
    ) as met:
        read_csv(rows, limits=replace(LIMITS, lines=1))
    assert met.value.line == 3


def test_the_partition_that_lacks_a_replica_is_named_with_its_row() -> None:
    """Of another one no replica is told at all."""
    reading = read_csv(b"topic,partition,broker\nt,0,1\nu,0,1\nu,0,one\nv,0,one\n")

    assert [(found.kind, found.rows.tolist()) for found in reading.findings[-1:]] == [("replicas_missing", [1])]


def test_a_topic_alone_is_listed() -> None:
    """A row with nothing in it is passed over."""
    reading = read_csv(b"topic,partition,replicas\nt,0,1\nt,,\n,,\n,3,\n")

    assert [(piece.line, piece.why) for piece in reading.skipped] == [
        (3, "The partition is empty."),
        (5, "The topic is empty."),
    ]
