"""CSV in which a quote is left open: every line is read as a row or listed, whatever the quote swallowed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from reseat.errors import InputRefused
from reseat.formats.input.reading import Reading
from reseat.formats.tables import csv_rows
from reseat.formats.tables.csv_rows import ends_open, row_lines
from reseat.formats.tables.table import read_csv
from reseat.formats.tables.table_names import named

PARTITIONS = "topic,partition,replicas,isr"


def rows(count: int) -> list[str]:
    """So many rows, one a partition."""
    return [f"t,{i},1;2,1;2" for i in range(count)]


def text_of(lines: list[str], header: str = PARTITIONS) -> bytes:
    """A table of these lines."""
    return "\n".join([header, *lines, ""]).encode()


def listed(reading: Reading) -> set[int]:
    """The lines that the reading says it did not use."""
    return {line for piece in reading.skipped for line in range(piece.line, piece.line + piece.lines)}


def test_a_quote_that_is_never_closed_swallows_no_row() -> None:
    """The row with the quote is listed with its line; the rows below it are read."""
    lines = rows(1_000)
    lines[500] = 't,500,1;2,"1;2'
    reading = read_csv(text_of(lines))

    assert reading.layout.partition_count == 999
    assert listed(reading) == {502}
    assert [(found.kind, found.places) for found in reading.findings] == [("not_understood", ("line 502",))]
    assert "quote" in reading.skipped[0].why


@pytest.mark.parametrize("open_at", ['t,500,"1;2,1;2', 't,500,1;2,"1;2', '"t,500,1;2,1;2'])
@pytest.mark.parametrize("close_at", ['t,600,1;2",1;2', 't,600,1;2,1;2"', 't",600,1;2,1;2'])
def test_a_quote_that_closes_a_hundred_rows_later_swallows_none(open_at: str, close_at: str) -> None:
    """In any column: the rows between are read, the two damaged ones are read or listed."""
    lines = rows(1_000)
    lines[500], lines[600] = open_at, close_at
    reading = read_csv(text_of(lines))
    told = {partition for _, partition in reading.layout.assignments()}

    assert set(range(1_000)) - {500, 600} <= told
    assert {number + 2 for number in range(1_000) if number not in told} <= listed(reading)
    assert 502 in listed(reading)


def test_quotes_of_two_neighbours_that_close_each_other_are_seen() -> None:
    """The next quote ends the cell of the one before, so that line after line goes wrong."""
    reading = read_csv(text_of([f't,{i},"1;2,1' for i in range(9)]) + b"t,9,1;2,1\n")

    assert reading.layout.assignments() == {("t", 9): [1, 2]}
    assert listed(reading) == set(range(2, 11))


def test_a_cell_that_is_meant_to_go_over_lines_is_read_and_said() -> None:
    """A remark in a column that is left out may hold line ends; its lines are named all the same."""
    reading = read_csv(b'topic,partition,replicas,remark\na,0,1;2,"first\nsecond, third\nlast"\nb,0,2,"one"\n')

    assert reading.layout.assignments() == {("a", 0): [1, 2], ("b", 0): [2]}
    assert reading.skipped == ()
    assert [(found.kind, found.places) for found in reading.findings] == [
        ("cells_over_lines", ("lines 2 to 4",)),
        ("unknown_columns", ()),
    ]


def test_a_cell_that_goes_over_a_thousand_lines_more_is_a_remark_and_over_another_one_is_a_quote_left_open() -> None:
    """Of the latter the row is listed, and each line by itself."""
    for more, partitions in ((1_000, [0, 1]), (1_001, [1])):
        remark = 'a,0,1,"' + "\nwords" * more + '"'
        reading = read_csv(f"topic,partition,replicas,remark\n{remark}\na,1,1,\n".encode())

        assert reading.layout.partition.tolist() == partitions


def test_quotes_within_one_line_are_an_ordinary_matter() -> None:
    """Also doubled, with delimiters in them, or in the middle of a cell."""
    reading = read_csv(b'topic,partition,replicas,rack\na,0,"1,2",\n"b",1,"[1, 2]",\nc,2,1,\n,,,\n')

    assert reading.layout.assignments() == {("a", 0): [1, 2], ("b", 1): [1, 2], ("c", 2): [1]}
    assert reading.findings == ()


@pytest.mark.parametrize("end", ["\r\n", "\r", "\n\n"])
def test_line_ends_of_every_kind_are_counted(end: str) -> None:
    """The line numbers of what is listed are those of the text."""
    step = 2 if end == "\n\n" else 1
    reading = read_csv(end.join([PARTITIONS, "t,0,1,1", 't,1,1,"1', "t,2,1,1"]).encode())

    assert reading.layout.assignments() == {("t", 0): [1], ("t", 2): [1]}
    assert listed(reading) == {1 + 2 * step}


def test_a_table_of_nothing_but_an_open_quote_is_refused() -> None:
    """There is no row in it."""
    with pytest.raises(InputRefused) as caught:
        read_csv(text_of(['t,0,1;2,"1']))

    assert "quote" in caught.value.details[0]


def test_many_open_quotes_take_linear_time() -> None:
    """Each line opens a cell that no line closes: twenty thousand of them are listed at once."""
    reading = read_csv(text_of(['"y""'] * 20_000) + b"t,9,1;2,1\n")

    assert reading.layout.assignments() == {("t", 9): [1, 2]}
    assert len(listed(reading)) == 20_000


@pytest.mark.parametrize(
    ("header", "first", "second", "third"),
    [
        ("topic,partition,broker,position,rack", 't,0,1,0,"r', "t,1,2,0,r", 't,2,3,0,r"'),
        ("topic,partition,replicas,rack", 't,0,1,"r', "t,1,2,r", 't,2,3,r"'),
        ("topic,partition,broker,position,rack", 't,0,1,0,"r', ",,2,,r", 't,2,3,0,r"'),
    ],
)
def test_a_row_is_not_taken_for_the_rest_of_a_name(header: str, first: str, second: str, third: str) -> None:
    """A rack may go over lines, and these would be one; but the second is a row of a partition, or of a broker."""
    reading = read_csv(text_of([first, second, third], header))

    assert listed(reading) == {2}
    assert ("t", 2) in reading.layout.assignments()


def test_a_rack_may_go_over_lines_and_a_topic_may_not() -> None:
    """Nor may a row that has other cells than the header then."""
    rack = read_csv(text_of(['t,0,1,0,"r', '1"'], "topic,partition,broker,position,rack"))
    topic = read_csv(text_of(['"t', 'u",0,1', "t,1,1"], "topic,partition,replicas"))
    wide = read_csv(text_of(['t,0,"1', 'x",2', "t,1,1"], "topic,partition,replicas"))

    assert [broker.rack for broker in rack.layout.brokers] == ["r\n1"]
    assert (listed(topic), listed(wide)) == ({2}, {2, 3})
    assert "quote" in wide.skipped[0].why


@pytest.mark.parametrize("end", ["", "\n", "\n\n\n"])
@pytest.mark.parametrize(
    ("lines", "is_open"),
    [
        ([], False),
        (['t,0,"1"'], False),
        (['t,0,"1'], True),
        (['"t,0,1'], True),
        (['t,0,"1', "t,1,2"], False),
        (["t,0,1", '"'], True),
        (['t,0,"1"', '"t",1,"2"'], False),
    ],
)
def test_the_last_line_may_leave_a_quote_open(lines: list[str], is_open: bool, end: str) -> None:
    """It alone is looked at, whatever stands above it and below."""
    data = "\n".join([PARTITIONS.removesuffix(",isr"), *lines]) + ("\n" if not lines else "") + end
    header = replace(named(["topic", "partition", "replicas"], "x", 1), end=data.index("\n") + 1)

    assert ends_open(data.encode(), header) == is_open


@pytest.mark.parametrize("text", ["a\n", "a", "\n\na\nbb\n\n\nccc\nd", "\n" * 7, "abcdefgh\n\nx\n", ""])
@pytest.mark.parametrize("chunk", [1, 2, 3, 4, 100])
def test_lines_are_counted_some_bytes_at_a_time(text: str, chunk: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Wherever one ends and the next begins."""
    monkeypatch.setattr(csv_rows, "CHUNK", chunk)
    header = replace(named(["topic", "partition", "replicas"], "x", 1), end=1)

    assert row_lines(b"\n" + text.encode(), header).tolist() == [
        number for number, line in enumerate(text.split("\n"), 1) if line
    ]


def test_the_first_byte_below_the_header_may_be_the_only_quote() -> None:
    """It is open, and no part of a name."""
    reading = read_csv(text_of(['"t,0,1;2,1', "t,1,1;2,1"]))

    assert listed(reading) == {2}
    assert reading.layout.topics == ("t",)
