"""Pastes as a whole: encodings, several outputs at once, limits and refusals."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from reseat.errors import InputRefused, LimitMet
from reseat.formats import Limits, Reading, combine, read

Reader = Callable[[str], Reading]

ROW = "Topic: t\tPartition: 0\tLeader: 1\tReplicas: 1,2\tIsr: 1,2\n"
DOCUMENT = '{"version":1,"partitions":[{"topic":"t","partition":0,"replicas":[1,2]}]}'


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "latin-1", "ascii"])
@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("text", [ROW, DOCUMENT])
def test_encodings_and_line_ends(encoding: str, ends: str, text: str) -> None:
    """PowerShell's UTF-16, byte order marks and any line ends give the same layout."""
    layout = read(f"{text}\n".replace("\n", ends).encode(encoding)).layout

    assert layout.assignments() == {("t", 0): [1, 2]}


def test_bytes_that_are_not_utf8_are_read_as_latin1_and_said() -> None:
    """A comment in Latin-1 does not hide the rows; a finding names its line."""
    reading = read(ROW.encode() + "# größer\n".encode("latin-1"))

    assert reading.layout.partition_count == 1
    assert [(found.kind, found.places) for found in reading.findings] == [("not_utf8", ("line 2",))]


def test_nul_bytes_are_left_out_and_said() -> None:
    """NUL bytes are no part of any layout."""
    reading = read("Topic: t\0\tPartition: 0\tLeader: 1\tReplicas: 1\tIsr: 1\n")

    assert reading.layout.assignments() == {("t", 0): [1]}
    assert [found.kind for found in reading.findings] == ["nul_bytes"]


@pytest.mark.parametrize("text", ["", " \n\t\n", b"", b"\xef\xbb\xbf"])
def test_empty_text_has_a_sentence(text: str | bytes) -> None:
    """Nothing is refused with a sentence too."""
    with pytest.raises(InputRefused, match="The text is empty"):
        read(text, source="empty.txt")


def test_binary_data_has_a_sentence() -> None:
    """A picture is not read as Latin-1."""
    with pytest.raises(InputRefused, match="binary"):
        read(bytes(range(256)) * 10)


def test_prose_is_refused_with_what_would_be_read() -> None:
    """What is no layout is refused with the forms that are, and each line's reason."""
    with pytest.raises(InputRefused, match="No layout was found in 2 lines") as refused:
        read("Dear all,\nthe cluster is fine.", source="mail.txt")

    assert refused.value.source == "mail.txt"
    assert refused.value.details


def test_several_outputs_in_one_paste(reading_of: Reader) -> None:
    """Progress, describe, log directories and kcat make one layout; what contradicts is named with both lines."""
    reading = reading_of("several")
    layout = reading.layout

    assert layout.assignments()[("orders", 1)] == [2, 3]
    assert layout.assignments()[("clicks", 0)] == [3, 1, 2]
    assert layout.size_bytes is not None
    row = layout.row("orders", 0)
    assert layout.size_bytes[row, :2].tolist() == [100.0, 90.0]
    assert reading.facts["reassignments_completed"] == 2
    found = {finding.kind: finding for finding in reading.findings}
    assert found["contradicting_rows"].places == ("line 11 (kafka-topics --describe)", "line 28 (kcat -L)")
    assert layout.name_of(int(found["contradicting_rows"].rows[0])) == "orders-1"
    assert layout.order_told[layout.topics.index("orders")]
    assert not layout.order_told[layout.topics.index("new-topic-2")]


def test_damaged_json_beside_rows_is_skipped_with_its_line() -> None:
    """A broken document does not hide what else is there; it is reported with the line of the fault."""
    reading = read(f'{ROW}\n{{"version":1,\n"partitions":[{{"topic":"x" "partition":0}}]}}\n')

    assert reading.layout.topics == ("t",)
    assert reading.skipped[0].line == 3
    assert "damaged" in reading.skipped[0].why


def test_damaged_json_alone_names_the_line() -> None:
    """A broken document alone is refused at the line where it breaks."""
    with pytest.raises(InputRefused, match="damaged") as refused:
        read('{"version":1,\n"partitions":[{"topic":"x" "partition":0}]}')

    assert refused.value.line == 2


def test_markup_before_brackets_is_named() -> None:
    """Backslashes that a page's markup put before brackets are named as the reason."""
    with pytest.raises(InputRefused, match="backslashes"):
        read('> {"version":2,"partitions":{"0":\\[0\\]}}')


def test_two_unlabelled_documents_are_current_and_proposed() -> None:
    """Two assignments of the same partitions without headings: the first is current."""
    reading = read(f"{DOCUMENT}\n{DOCUMENT.replace('[1,2]', '[3,2]')}\n")

    assert reading.layout.assignments() == {("t", 0): [1, 2]}
    assert reading.proposed is not None
    assert reading.proposed.assignments() == {("t", 0): [3, 2]}
    assert [(found.kind, found.places) for found in reading.findings] == [("taken_as_proposed", ("line 2",))]


def test_a_plan_below_a_description_is_proposed() -> None:
    """A plan pasted below the description that it was made for is no contradiction."""
    reading = read(f"{ROW}\n{DOCUMENT.replace('[1,2]', '[3,2]')}\n")

    assert reading.layout.assignments() == {("t", 0): [1, 2]}
    assert reading.proposed is not None
    assert reading.proposed.assignments() == {("t", 0): [3, 2]}
    assert [found.kind for found in reading.findings] == ["taken_as_proposed"]


def test_documents_of_other_partitions_are_joined() -> None:
    """Two assignments of different partitions are one layout."""
    reading = read(f"{DOCUMENT}\n{DOCUMENT.replace(':0', ':1')}\n")

    assert reading.layout.assignments() == {("t", 0): [1, 2], ("t", 1): [1, 2]}
    assert reading.proposed is None


def test_headings_glued_to_their_documents() -> None:
    """Where line ends were lost, a heading before a brace still says what the document is."""
    proposed = DOCUMENT.replace("[1,2]", "[3,2]")
    reading = read(
        f"Current partition replica assignment {DOCUMENT} Proposed partition reassignment configuration {proposed}"
    )

    assert reading.layout.assignments() == {("t", 0): [1, 2]}
    assert reading.proposed is not None
    assert reading.skipped == ()


def test_limits_have_sentences() -> None:
    """Size, depth and line length are bounded before any parser runs; JSON on one line is not bound by the last."""
    with pytest.raises(LimitMet, match="at most 1 MB"):
        read(b"x" * 1_000_001, limits=Limits(megabytes=1))
    with pytest.raises(LimitMet, match="deeper than 64 levels"):
        read('{"a":' + "[" * 5_000 + "]" * 5_000 + "}")
    with pytest.raises(LimitMet, match="longer than 100 characters") as met:
        read(f"{ROW}{'x' * 200}", limits=Limits(line_length=100))
    assert met.value.line == 2

    assert read(DOCUMENT + " " * 50, limits=Limits(line_length=20)).layout.partition_count == 1


def test_unclosed_braces_do_not_take_quadratic_time() -> None:
    """Many braces that open and never close are text soon."""
    with pytest.raises(InputRefused):
        read('{"version":1,\n' * 20_000)


@pytest.mark.parametrize(
    "start",
    ["", "Topic:", "Topic: a Partition: 1 Leader:", "Topic: a Partition: 1 Leader: 1 Replicas: 1", " broker 1 at a:1"],
)
def test_runs_of_white_space_take_linear_time(start: str) -> None:
    """Half a million spaces in any place are passed over once; with expressions that go back this never ends."""
    reading = read(f"{ROW}{start}{' ' * 500_000}x")

    assert reading.layout.row("t", 0) == reading.layout.partition_count - 1


def test_too_many_loose_lines_have_a_sentence() -> None:
    """What has to be looked at line by line is bounded."""
    with pytest.raises(LimitMet, match="more than 10 lines"):
        read(ROW + "x\n" * 20, limits=Limits(lines=10))
    with pytest.raises(LimitMet, match="at most 10 are checked"):
        read("x\n" * 20, limits=Limits(lines=10))
    with pytest.raises(LimitMet, match="more than 3 JSON documents"):
        read(f"{DOCUMENT}\n" * 5, limits=Limits(documents=3))


def test_skipped_lines_are_bounded() -> None:
    """A million lines that are not understood are counted, not listed one by one."""
    noise = "\n".join(f"{'INFO' if n % 2 else 'something'} {n}" for n in range(10_000))
    reading = read(f"{ROW}{noise}")

    assert len(reading.skipped) <= 2_001
    assert sum(piece.lines for piece in reading.skipped) == 10_000


def test_racks_and_tables_are_recognised(reading_of: Reader) -> None:
    """Racks alone are brokers without partitions; a table with topic and partition columns is CSV."""
    racks, table = reading_of("racks"), reading_of("table")

    assert {b.id: b.rack for b in racks.layout.brokers} == {1: "r1", 2: "r2", 9: None}
    assert table.layout.assignments() == {("orders", 0): [1, 2], ("orders", 1): [2, 3]}


def test_texts_read_together() -> None:
    """Files about one cluster make one layout; places name the file."""
    texts = {"a.txt": ROW, "b.json": DOCUMENT.replace("[1,2]", "[1,3]"), "racks.csv": "broker,rack\n1,r1\n"}
    reading = combine([read(text, source=name) for name, text in texts.items()])

    assert reading.layout.assignments() == {("t", 0): [1, 2]}
    assert reading.layout.brokers[0].rack == "r1"
    found = next(finding for finding in reading.findings if finding.kind == "contradicting_rows")
    assert "a.txt" in found.places[0]
    assert "b.json" in found.places[1]


@pytest.mark.parametrize("pretty", [None, 2])
@pytest.mark.parametrize("length", [1, 5, 24, 60, -1])
def test_json_that_ends_too_early_says_where(pretty: int | None, length: int) -> None:
    """A document cut off anywhere is refused as such, with the place where it stops, and nothing of it is read."""
    whole = json.dumps(json.loads(DOCUMENT), indent=pretty)
    cut = whole[:length]

    row, column = cut.rstrip().count("\n") + 1, len(cut.rstrip().split("\n")[-1]) + 1
    with pytest.raises(InputRefused, match=f"ends too early.* line {row}, column {column} with") as refused:
        read(cut + "\n", source="plan.json")
    assert refused.value.line == row


def test_long_json_that_ends_too_early_is_not_called_a_long_line() -> None:
    """A cut document of megabytes on one line is refused for what it is, also behind a heading."""
    cut = DOCUMENT[:-2] + ',{"topic":"t","partition":1,"replicas":[1,2]}' * 40_000

    with pytest.raises(InputRefused, match="ends too early"):
        read(f"Current partition replica assignment\n{cut}")


def test_cut_json_beside_rows_is_skipped_as_what_it_is() -> None:
    """Rows before it are read; the cut document is told with its lines and where it stops."""
    reading = read(f"{ROW}\n{json.dumps(json.loads(DOCUMENT), indent=1)[:-4]}")

    assert reading.layout.assignments() == {("t", 0): [1, 2]}
    assert [(piece.line, piece.why[:26]) for piece in reading.skipped] == [(3, "This JSON ends too early: ")]


def test_damaged_json_names_line_and_column() -> None:
    """What was found where something else was expected, and the quotes that Python prints."""
    with pytest.raises(InputRefused, match=r"damaged in line 2, column 14: invalid character, found 'NaN"):
        read('{"version":1,\n"partitions":NaN,"x":1}')
    with pytest.raises(InputRefused, match="double quotes"):
        read(DOCUMENT.replace('"', "'"))


@pytest.mark.parametrize("text", ["[1, 2]", "42", '"text"', "null", "[]", "{}"])
def test_json_of_another_shape_is_called_json(text: str) -> None:
    """Values that are no object are named as what they are."""
    with pytest.raises(InputRefused, match="This is JSON, but in no format"):
        read(text)


@pytest.mark.parametrize("bracket", ["[", '{"a":'])
def test_nested_brackets_without_end_meet_the_depth_limit(bracket: str) -> None:
    """A million opening brackets are refused at once, for their depth."""
    with pytest.raises(LimitMet, match="nested deeper than 64"):
        read(bracket * 1_000_000)


@pytest.mark.parametrize(
    ("text", "limits", "says"),
    [
        (DOCUMENT, Limits(depth=3), "nested deeper than 3"),
        (f"topic,partition,broker\n{'t' * 200},0,1\n", Limits(line_length=100), "line 2: The line is longer than 100"),
        ("topic,partition,broker\nt,0,1\nt,1,1\n", Limits(partitions=1), "2 partitions; 1 is the limit"),
        (ROW, Limits(replicas=1), "lists 2 brokers; at most 1"),
        (DOCUMENT, Limits(cells=1), "1 is the limit"),
    ],
    ids=["depth of a short document", "line of a table", "partitions", "replicas", "cells"],
)
def test_limits_hold_for_small_texts_of_any_form(text: str, limits: Limits, says: str) -> None:
    """Whatever the limits are set to, each has its sentence."""
    with pytest.raises(LimitMet, match=says):
        read(text, limits=limits)
