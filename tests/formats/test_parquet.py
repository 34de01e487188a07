"""Layouts as Parquet files: what is read of odd columns, and each limit to its last byte."""

from __future__ import annotations

import io
import struct
from collections.abc import Sequence
from dataclasses import replace
from itertools import count
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from reseat.errors import InputRefused, LimitMet
from reseat.formats import LIMITS
from reseat.formats.tables.parquet_pages import DELTA_BYTE_ARRAY, Page
from reseat.formats.tables.table import read_parquet
from reseat.model import NONE

PARTITIONS: dict[str, Any] = {"topic": ["t"] * 3, "partition": [0, 1, 2], "replicas": [[1, 2]] * 3}
ODD = {
    "map": pa.array([[("a", 1)]] * 3, pa.map_(pa.string(), pa.int64())),
    "struct": pa.array([{"x": 1, "y": "z"}] * 3),
    "list": pa.array([[1, 2]] * 3),
    "large list": pa.array([["a", "b"]] * 3, pa.large_list(pa.string())),
    "list of two": pa.array([[1, 2]] * 3, pa.list_(pa.int64(), 2)),
}


def file_of(columns: dict[str, Any], **options: Any) -> bytes:
    """A Parquet file of these columns."""
    out = io.BytesIO()
    pq.write_table(pa.table(columns), out, **options)
    return out.getvalue()


def test_lists_that_are_not_told_are_none() -> None:
    """Between lists that are; an empty list is told, and of directories one may be unknown."""
    more = {"isr": [[1], None, []], "log_dirs": [["/a", None], None, ["/b", "/a"]]}
    layout = read_parquet(file_of(PARTITIONS | more)).layout

    assert layout.in_sync_known.tolist() == [True, False, True]
    assert layout.in_sync is not None
    assert layout.in_sync[0].tolist() == [True, False]
    assert layout.log_dir is not None
    assert [[layout.log_dirs[i] if i != NONE else None for i in row] for row in layout.log_dir.tolist()] == [
        ["/a", None],
        [None, None],
        ["/b", "/a"],
    ]


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({"topic": [["t"]]}, "Column 'topic' has type list<element: string>, which cannot be read as topic."),
        (
            {"replicas": None, "broker": [1], "adding": [[1]]},
            "Column 'adding' has type list<element: int64>, which cannot be read as adding.",
        ),
    ],
)
def test_a_list_stands_for_a_list_alone(columns: dict[str, Any], words: str) -> None:
    """Of a table of partitions: a topic is none, and in a row of a replica nothing is."""
    whole = {"topic": ["t"], "partition": [0], "replicas": [[1]]} | columns
    with pytest.raises(InputRefused) as refused:
        read_parquet(file_of({name: column for name, column in whole.items() if column is not None}))

    assert refused.value.sentence == words


@pytest.mark.parametrize("odd", ODD)
def test_the_pages_of_a_column_are_its_own_whatever_stands_before(odd: str) -> None:
    """Names are measured, not a map's keys."""
    file = file_of({"odd": ODD[odd]} | PARTITIONS | {"topic": ["a" * 12] * 3}, use_dictionary=False)
    with pytest.raises(LimitMet, match=r"Column 'topic' holds texts of 1\d bytes; 11 is the limit"):
        read_parquet(file, limits=replace(LIMITS, name=11, replicas=1))


def test_a_damaged_page_that_refers_to_a_text_that_there_is_not_is_refused() -> None:
    """Three names have the numbers 0, 1 and 2; a 3 would be read from beyond them."""
    columns = {"topic": ["a", "b", "c"], "partition": [0, 0, 0], "broker": [1, 1, 1]}
    schema = pa.schema([pa.field(name, pa.array(told).type, nullable=False) for name, told in columns.items()])
    out = io.BytesIO()
    pq.write_table(pa.table(columns, schema), out, compression="none")
    numbers = b"\x02\x03\x24\x00"  # two bits each, eight of them

    assert out.getvalue().count(numbers) == 1
    with pytest.raises(InputRefused, match="Not a Parquet file that can be read"):
        read_parquet(out.getvalue().replace(numbers, b"\x02\x03\x3c\x00"))


@pytest.mark.parametrize("length", [0, 4])
def test_a_footer_may_take_all_of_a_file(length: int) -> None:
    """That nothing stands before it is for others to say."""
    with pytest.raises(InputRefused) as refused:
        read_parquet(b"PAR1" + bytes(length)[4:] + struct.pack("<I", length) + b"PAR1")

    assert "cut off" not in str(refused.value)


MB = 1_000_000
SWELLS = "The file unpacks to more than 4 MB, 1 MB of text or 50,000,000 values of a column; that is the limit."


@pytest.mark.parametrize(
    ("pages", "further", "words"),
    [
        ({0: [Page(MB, 100_000, 0, False)]}, Page(1, 1, 0, False), SWELLS),
        ({1: [Page(4 * MB, 1, 0, False)]}, Page(1, 1, 0, False), SWELLS),
        ({1: [Page(0, 9, 0, True), Page(0, 50_000_000, 0, False)]}, Page(0, 1, 0, False), SWELLS),
        ({1: [Page(0, 0, 0, False)] * 200_000}, Page(0, 0, 0, False), "The file has more than 200,000 pages; "),
        ({0: []}, Page(27, 1, 0, False), "Column 'topic' holds texts of 27 bytes; 22 is the limit."),
        ({0: [Page(26, 1, 0, False)]}, Page(54, 2, 0, False), "Column 'topic' holds texts of 27 bytes; 22 is the"),
        (
            {0: [Page(1_000, 1_000, DELTA_BYTE_ARRAY, False)]},
            Page(1_000, 1_001, DELTA_BYTE_ARRAY, False),
            "Column 'topic' is encoded as DELTA_BYTE_ARRAY, and a page of it could unfold to 1 MB.",
        ),
    ],
    ids=["text", "all", "values", "pages", "a name", "names", "prefixes"],
)
def test_pages_of_just_a_limit_are_read(
    monkeypatch: pytest.MonkeyPatch, pages: dict[int, Sequence[Page]], further: Page, words: str
) -> None:
    """A byte, a value or a page more is refused with the limit."""
    file, limits = file_of(PARTITIONS), replace(LIMITS, megabytes=1, name=11, replicas=2)

    def told(more: list[Page]) -> None:
        columns = count()
        monkeypatch.setattr(
            "reseat.formats.tables.parquet.pages_of",
            lambda *_: [*pages[at], *more] if (at := next(columns)) in pages else [],
        )

    told([])
    assert read_parquet(file, limits=limits).layout.partition_count == 3
    told([further])
    with pytest.raises(LimitMet) as met:
        read_parquet(file, limits=limits)
    assert met.value.sentence.startswith(words)


@pytest.mark.parametrize(("rows", "limit"), [(1_000, False), (1_001, True)])
def test_texts_told_by_number_may_be_as_much_as_a_text(rows: int, limit: bool) -> None:
    """A thousand lists of a thousand bytes, and one that is not told."""
    told = '["/' + "a" * 995 + '"]'
    columns = {"topic": ["t"] * rows, "partition": range(rows), "replicas": ["1"] * rows, "log_dirs": [told] * rows}
    table = pa.table({name: pa.array(column) for name, column in columns.items()})
    more = pa.table({"topic": ["t"], "partition": [rows], "replicas": ["1"], "log_dirs": pa.array([None], pa.string())})
    out = io.BytesIO()
    pq.write_table(pa.concat_tables([table, more]), out)
    if not limit:
        reading = read_parquet(out.getvalue(), limits=replace(LIMITS, megabytes=1))
        assert reading.layout.partition_count == rows + 1
        return
    with pytest.raises(LimitMet, match="The lists in column 'log_dirs' have 1 MB decoded; 1 MB is the limit"):
        read_parquet(out.getvalue(), limits=replace(LIMITS, megabytes=1))
