"""The headers of Parquet's pages, byte by byte: what is read of them, what is stepped over, and what is refused."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from reseat.formats.tables.parquet_pages import Chunk, Page, PagesUnfit, chunks_of, pages_of

BYTE, INT, DOUBLE, BINARY, LIST, SET, MAP, STRUCT = 3, 5, 7, 8, 9, 10, 11, 12
Fields = list[tuple[int, int, bytes]]


def varint(value: int) -> bytes:
    """Seven bits a byte, the lowest first."""
    out = b""
    while value > 0x7F:
        out, value = out + bytes([value & 0x7F | 0x80]), value >> 7
    return out + bytes([value])


def number(value: int) -> bytes:
    """Signed: 0, -1, 1, -2 are 0, 1, 2, 3."""
    return varint(value * 2 if value >= 0 else -value * 2 - 1)


def struct(fields: Fields) -> bytes:
    """Fields by number, each told by how far it is from the one before, or by itself where that is more than 15."""
    out, last = b"", 0
    for at, kind, value in fields:
        step = at - last
        out += (bytes([step << 4 | kind]) if 0 < step < 16 else bytes([kind]) + number(at)) + value
        last = at
    return out + b"\0"


def many(kind: int, values: list[bytes]) -> bytes:
    """A list or a set."""
    count = len(values)
    return (bytes([count << 4 | kind]) if count < 15 else bytes([0xF0 | kind]) + varint(count)) + b"".join(values)


def header(kind: int, unpacked: int, packed: int, part: int, facts: Fields, *, more: Fields | None = None) -> bytes:
    """A page's header."""
    fields = [
        (1, INT, number(kind)),
        (2, INT, number(unpacked)),
        (3, INT, number(packed)),
        (part, STRUCT, struct(facts)),
    ]
    return struct([*fields, *(more or [])])


def data_page(values: int = 10, unpacked: int = 300, packed: int = 4, more: Fields | None = None) -> bytes:
    """A page of the first kind with its packed bytes."""
    facts = [(1, INT, number(values)), (2, INT, number(0))]
    return header(0, unpacked, packed, 5, facts, more=more) + b"x" * packed


def pages(data: bytes, values: int = 10) -> list[Page]:
    """The pages of a column that is all of a file."""
    return list(pages_of(data, 0, len(data), values))


def test_each_kind_of_page_tells_its_values_in_its_own_field() -> None:
    """A dictionary's values are none of the column's; an index, or a kind of tomorrow, is stepped over."""
    dictionary = header(2, 90, 2, 7, [(1, INT, number(3)), (2, INT, number(2))]) + b"dd"
    second = header(3, 500, 1, 8, [(1, INT, number(7)), (4, INT, number(7))]) + b"v"
    index = struct([(1, INT, number(1)), (2, INT, number(40)), (3, INT, number(1))]) + b"i"

    assert pages(dictionary + index + data_page() + second, 17) == [
        Page(90, 3, 2, True),
        Page(40, 0, 0, False),
        Page(300, 10, 0, False),
        Page(500, 7, 7, False),
    ]


OTHERS: list[tuple[str, Fields]] = [
    ("flags", [(9, 1, b""), (10, 2, b"")]),
    ("a byte", [(9, BYTE, b"\xff")]),
    ("a double", [(9, DOUBLE, b"12345678")]),
    ("text", [(9, BINARY, varint(200) + b"t" * 200)]),
    ("numbers", [(9, LIST, many(INT, [number(-5)] * 14))]),
    ("many numbers", [(9, SET, many(INT, [number(300)] * 15))]),
    ("a list of flags", [(9, LIST, many(1, [b"\1", b"\2"]))]),
    ("structs", [(9, LIST, many(STRUCT, [struct([(1, INT, number(1))])] * 20))]),
    ("no map", [(9, MAP, varint(0))]),
    ("a map", [(9, MAP, varint(2) + bytes([BYTE << 4 | INT]) + (b"k" + number(9)) * 2)]),
    ("a map of doubles", [(9, MAP, varint(1) + bytes([DOUBLE << 4 | BYTE]) + b"12345678b")]),
    ("the largest number", [(9, INT, number(-(2**63)))]),
    ("a distant field", [(900, INT, number(1)), (901, BYTE, b"b")]),
    ("a field told anew", [(2, INT, number(300))]),
]


@pytest.mark.parametrize("more", [pytest.param(more, id=name) for name, more in OTHERS])
def test_what_else_a_header_holds_is_stepped_over(more: Fields) -> None:
    """To the byte: the page after it is found."""
    assert pages(data_page(more=more) + data_page(5), 15) == [Page(300, 10, 0, False), Page(300, 5, 0, False)]


def nested(depth: int) -> bytes:
    """So many structs in one another."""
    inner = b"\0"
    for _ in range(depth):
        inner = bytes([0x10 | STRUCT]) + inner + b"\0"
    return inner


def test_structs_may_be_nested_eight_deep() -> None:
    """Deeper, and lists in lists without end, are refused before the stack is full."""
    assert pages(data_page(more=[(9, STRUCT, nested(8))])) == [Page(300, 10, 0, False)]
    for value in ((9, STRUCT, nested(9)), (9, STRUCT, nested(5_000)), (9, LIST, bytes([0x10 | LIST]) * 5_000)):
        with pytest.raises(PagesUnfit, match="nested too deep"):
            pages(data_page(more=[value]))


@pytest.mark.parametrize(
    "around",
    [
        lambda inner: (MAP, b"\1" + bytes([inner[0] << 4 | BYTE]) + inner[1] + b"b"),
        lambda inner: (LIST, bytes([0x10 | inner[0]]) + inner[1]),
        lambda inner: (LIST, bytes([0x10 | STRUCT, 0x10 | inner[0]]) + inner[1] + b"\0"),
    ],
    ids=["maps", "lists", "lists of structs"],
)
def test_what_holds_something_may_be_nested_eight_deep(
    around: Callable[[tuple[int, bytes]], tuple[int, bytes]],
) -> None:
    """In itself; no deeper."""
    inner = (INT, number(1))
    for _ in range(8):
        inner = around(inner)

    assert pages(data_page(more=[(9, *inner)])) == [Page(300, 10, 0, False)]
    with pytest.raises(PagesUnfit, match="nested too deep"):
        pages(data_page(more=[(9, *around(inner))]))


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (data_page(packed=-1), "a page has no size"),
        (data_page(unpacked=-1), "a page has no size"),
        (struct([(1, INT, number(0)), (3, INT, number(0))]), "a page has no size"),
        (struct([(1, INT, number(0)), (2, INT, number(0))]), "a page has no size"),
        (data_page()[:-1], "longer than its column"),
        (data_page(values=-1), "does not say how many"),
        (header(0, 1, 0, 5, [(1, INT, number(10))]), "does not say how many"),
        (header(0, 1, 0, 5, [(2, INT, number(10))]), "does not say how many"),
        (data_page(11), "more values than the footer says"),
        (data_page(9), "cut off"),
        (data_page(packed=0)[:-1], "cut off"),
        (struct([(9, BINARY, varint(2) + b"t")])[:-1], "cut off"),
        (struct([(9, LIST, bytes([0xF0 | BYTE]) + varint(2**60))]), "cut off"),
        (struct([(9, INT, b"\x80" * 10 + b"\1")]), "too large"),
        (struct([(9, 13, b"")]), "damaged"),
    ],
)
def test_headers_that_do_not_fit_are_refused(data: bytes, words: str) -> None:
    """In a few words, before anything is unpacked."""
    with pytest.raises(PagesUnfit, match=words):
        pages(data)


def test_a_column_lies_in_its_file() -> None:
    """To the last byte, and without a byte it has no values."""
    data = data_page()
    for start, length in ((-1, 3), (0, -1), (0, len(data) + 1), (1, len(data))):
        with pytest.raises(PagesUnfit, match="bytes that the file does not have"):
            list(pages_of(data, start, length, 10))
    assert list(pages_of(b"before" + data, 6, len(data), 10)) == [Page(300, 10, 0, False)]
    assert list(pages_of(b"", 0, 0, 0)) == []


@pytest.mark.parametrize(("dictionary", "first"), [(None, 60), (0, 60), (1, 1), (59, 59), (60, 60), (70, 60), (-4, 60)])
def test_a_columns_pages_begin_with_its_dictionary_where_it_has_one(dictionary: int | None, first: int) -> None:
    """Some writers say 0 where there is none."""
    facts = [(5, 6, number(10)), (7, 6, number(99)), (9, 6, number(60))]
    facts += [] if dictionary is None else [(11, 6, number(dictionary))]
    group = struct([(1, LIST, many(STRUCT, [struct([(3, STRUCT, struct(facts))])])), (3, 6, number(8))])
    footer = struct([(1, INT, number(2)), (4, LIST, many(STRUCT, [group, struct([(3, 6, number(0))])]))])

    assert list(chunks_of(b"pre" + footer, 3, 3 + len(footer))) == [[Chunk(first, 99, 10, 8)], []]


def test_a_footer_that_does_not_say_where_pages_are_is_refused() -> None:
    """Nothing is guessed."""
    whole = [(5, 6, number(10)), (7, 6, number(99)), (9, 6, number(60))]
    for left_out in range(3):
        facts = [fact for at, fact in enumerate(whole) if at != left_out]
        group = struct([(1, LIST, many(STRUCT, [struct([(3, STRUCT, struct(facts))])])), (3, 6, number(8))])
        footer = struct([(4, LIST, many(STRUCT, [group]))])
        with pytest.raises(PagesUnfit, match="does not say where"):
            list(chunks_of(footer, 0, len(footer)))
