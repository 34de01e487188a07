"""Reading racks: CSV and JSON, and what is refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reseat.errors import InputRefused
from reseat.formats.text.racks import read_racks


@pytest.mark.parametrize(
    "text",
    [
        "broker,rack\n1,rack-a\n2,\n10,rack-b\n",
        "1,rack-a\r\n2,\r\n10,rack-b",
        "Broker ID;Rack\n1;rack-a\n2;none\n10;rack-b\n",
        "\ufeff# racks of the east hall\n1\track-a\n2\tnull\n\n10\track-b\n",
        '"1", "rack-a"\n"2", ""\n"10", "rack-b"\n',
        "# racks of the east hall\n1,rack-a\n2,\n10,rack-b\n",
        '{"1": "rack-a", "2": null, "10": "rack-b"}',
        b'{"1": "rack-a", "2": "", "10": "rack-b"}',
    ],
)
def test_each_way_of_writing_racks_gives_the_same(text: str | bytes) -> None:
    """With or without a header, divided by comma, semicolon or tab, or as JSON."""
    assert read_racks(text) == {1: "rack-a", 2: None, 10: "rack-b"}


def test_the_apostrophe_against_formulas_is_taken_away() -> None:
    """What Reseat writes into CSV is read back."""
    assert read_racks("1,'=rack\n") == {1: "=rack"}


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("", "empty"),
        ("broker,rack\n", "No broker"),
        ("broker,rack\nx,rack-a\n", "line 2: 'x' is not a broker id"),
        ("1,rack-a\n1,rack-b\n", "line 2: Broker 1 is in rack rack-b here and in rack-a on line 1"),
        ("rack\n", "such as 1,rack-a was expected"),
        ("# only a comment\n", "No broker"),
        ("1,rack-a,more\n", "3 cells"),
        ("7\n", "1 cells"),
        ('1,"rack-a\n2,rack-b\n3,rack-c"\n', "line 1: A quoted cell spans lines 1 to 3"),
        ('1,rack-a\n2,"rack-b\n3,rack-c\n', "Not CSV: unexpected end of data"),
        ("3000000000,rack-a\n", "not a broker id"),
        ('{"1": ["a"]}', "Racks as JSON"),
        ('{"x": "a"}', "'x' is not a broker id"),
        ('{"1": "a",\n"2" "b"}', "line 2"),
        ('{"1": "a", "01": "b"}', "listed twice"),
        ('{"1": "a", "2": "b", "1": "c"}', "the key '1' stands twice"),
        ("[" * 100_000, "JSON"),
        (b"\xff\xfe", "UTF-8"),
    ],
)
def test_what_is_not_racks_is_refused_with_its_line(text: str | bytes, part: str) -> None:
    """The sentence names the line, what stands there and what was expected."""
    with pytest.raises(InputRefused) as caught:
        read_racks(text)

    assert part in str(caught.value)


@given(st.text(max_size=80))
def test_any_text_is_read_or_refused(text: str) -> None:
    """No text ends in a traceback."""
    try:
        racks, said = read_racks(text), ""
    except InputRefused as refused:
        racks, said = {}, str(refused)

    assert racks or said
