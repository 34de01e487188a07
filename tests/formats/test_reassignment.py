"""Reading one reassignment JSON document: what is read, what is told of the rest, and that size changes nothing."""

from __future__ import annotations

import contextlib
import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reseat.errors import InputRefused, LimitMet
from reseat.formats import LIMITS, Reading
from reseat.formats.text import reassignment
from reseat.formats.text.reassignment import read_document, read_parts
from reseat.formats.text.reassignment_form import Reassignments
from reseat.model import ClusterLayout


def document(*entries: dict[str, object], **more: object) -> bytes:
    """A reassignment JSON of these entries."""
    return json.dumps({"version": 1, "partitions": list(entries), **more}).encode()


ORDERS_0 = {"topic": "orders", "partition": 0, "replicas": [1, 2]}
ORDERS_1 = {"topic": "orders", "partition": 1, "replicas": [2, 3]}


def kinds(reading: Reading) -> list[str]:
    """The kinds of what was found."""
    return [finding.kind for finding in reading.findings]


def test_replica_lists_are_read_in_order_and_nothing_else_is_told() -> None:
    """A reassignment JSON says nothing of leaders, ISR or liveness, and none of that is invented."""
    reading = read_document(document({"topic": "a", "partition": 10, "replicas": [3, 1]}, ORDERS_0))

    assert reading.layout == ClusterLayout.from_assignments({("a", 10): [3, 1], ("orders", 0): [1, 2]})
    assert reading.layout.in_sync is None
    assert reading.layout.leader.tolist() == [-2, -2]
    assert reading.findings == ()
    assert reading.skipped == ()
    assert reading.kind == "reassignment JSON"


def test_white_space_and_the_order_of_keys_do_not_matter() -> None:
    """Pretty, compact, byte order mark and any key order give the same layout."""
    pretty = b'\xef\xbb\xbf\n{ "partitions" : [\r\n\t{"replicas" : [1 ,2], "partition":0,\n"topic":"orders"}\n , '
    pretty += b'{"topic":"orders","partition":1,"replicas":[2,3]} ] , "version" : 1 }\n\n'

    assert read_document(pretty).layout == read_document(document(ORDERS_0, ORDERS_1)).layout


def test_log_directories_are_read_where_they_are_named() -> None:
    """The word any is not told; a path is kept."""
    layout = read_document(document({**ORDERS_0, "log_dirs": ["/data/1", "any"]}, ORDERS_1)).layout

    assert layout.log_dirs == ("/data/1",)
    assert layout.log_dir is not None
    assert layout.log_dir.tolist() == [[0, -1], [-1, -1]]


def test_log_directories_that_are_all_any_tell_nothing() -> None:
    """What is "any" throughout is no column."""
    assert read_document(document({**ORDERS_0, "log_dirs": ["any", "any"]})).layout.log_dir is None


def test_log_directories_of_another_length_are_a_finding_with_its_place() -> None:
    """Kafka refuses such lists: the partition is named, and the list is not guessed at."""
    text = b'{"version":1,"partitions":[\n{"topic":"orders","partition":0,"replicas":[1,2],"log_dirs":["/d"]}]}'
    reading = read_document(text)

    assert kinds(reading) == ["log_dirs_length"]
    assert "orders-0" in reading.findings[0].sentence
    assert reading.findings[0].places == ("line 2, column 1",)
    assert reading.findings[0].rows.tolist() == [0]
    assert reading.layout.assignments() == {("orders", 0): [1, 2]}
    assert reading.layout.log_dir is None or reading.layout.log_dir.tolist() == [[-1, -1]]


def test_lists_that_are_empty_stand_beside_others() -> None:
    """Four lists of two replicas in all, and one list of two."""
    lists = {("t", partition): [1, 2] if partition == 1 else [] for partition in range(4)}
    entries = [{"topic": topic, "partition": at, "replicas": ids} for (topic, at), ids in lists.items()]

    assert read_document(json.dumps({"version": 1, "partitions": entries}).encode()).layout.assignments() == lists


def test_a_partition_told_twice_alike_is_a_note() -> None:
    """The second telling adds nothing, and says so."""
    reading = read_document(document(ORDERS_0, ORDERS_1, ORDERS_0))

    assert kinds(reading) == ["repeated_rows"]
    assert reading.layout.partition_count == 2


def test_a_partition_told_twice_differently_counts_as_first_told() -> None:
    """Both places are named."""
    text = b'{"partitions":[{"topic":"a","partition":0,"replicas":[1,2]},\n{"topic":"a","partition":0,"replicas":[3]}]}'
    reading = read_document(text, first_line=10)

    assert kinds(reading) == ["contradicting_rows"]
    assert reading.findings[0].places == ("line 10, column 16", "line 11, column 1")
    assert reading.layout.assignments() == {("a", 0): [1, 2]}


def test_a_broker_twice_in_one_list_is_a_finding() -> None:
    """The list is kept as told, since planning refuses it with this place."""
    reading = read_document(document({"topic": "a", "partition": 0, "replicas": [1, 1, 2]}))

    assert kinds(reading) == ["duplicate_replicas"]
    assert reading.layout.assignments() == {("a", 0): [1, 1, 2]}


def test_an_entry_that_is_no_partition_is_skipped_with_its_line() -> None:
    """Nothing is dropped in silence, and the others are read."""
    text = (
        b'{"partitions":[\n{"topic":"a","partition":0,"replicas":[1]},\n{"topic":"b","partition":"x","replicas":[1]},\n'
    )
    text += b'{"topic":"c","replicas":[1]},\n7,\n{"topic":"d","partition":-1,"replicas":[1]}]}'
    reading = read_document(text)

    assert reading.layout.assignments() == {("a", 0): [1]}
    assert [piece.line for piece in reading.skipped] == [3, 4, 5, 6]
    assert 'topic "b"' in reading.skipped[0].why
    assert "'partition' is missing" in reading.skipped[1].why
    assert reading.skipped[2].text == "7"


def test_keys_that_kafka_does_not_know_are_noted() -> None:
    """They are ignored, as Kafka does, but not in silence."""
    reading = read_document(document({**ORDERS_0, "comment": {"by": "me"}}, ORDERS_1, author="me"))

    assert kinds(reading) == ["unknown_keys"]
    assert "'comment' (1 time)" in reading.findings[0].sentence
    assert "'author' (1 time)" in reading.findings[0].sentence
    assert reading.layout.partition_count == 2


@pytest.mark.parametrize(
    ("text", "part"),
    [
        (b'{"partitions":[{"topic":"a","partition":0,"replicas":[1]}', "ends too early"),
        (b'{"partitions":[{"topic":"a","partition":0,"replicas":[1,]}]}', "line 1, column"),
        (b'{"partitions":[{"topic":"a",\n"partition" 0,"replicas":[1]}]}', "line 2, column"),
        (b'\n{"partitions":[{"topic":"a","partition" 0,"replicas":[1]}]}', "line 2, column 41"),
        (b"[1, 2]", "not an object"),
        (b'{"partitions": 7}', "not a list"),
        (b'{"partitions": []}', "empty"),
        (b'{"brokers": []}', "'brokers'"),
        (b'{"partitions": [1, "x"]}', "None of the 2 entries"),
        (b"", "ends too early"),
        (b"\xff\xfe{", "damaged in line 1, column 1"),
    ],
)
def test_what_cannot_be_read_is_refused_with_a_sentence(text: bytes, part: str) -> None:
    """The sentence says what is wrong, and where the text is at fault the line."""
    with pytest.raises(InputRefused) as caught:
        read_document(text, source="plan.json")

    assert part in str(caught.value)
    assert str(caught.value).startswith("plan.json")


@pytest.mark.parametrize(
    ("text", "tool"),
    [
        (b'{"version":1,"topics":[{"topic":"a"}]}', "kafka-reassign-partitions --generate"),
        (b'{"partitions":[{"topic":"a","partition":0}]}', "kafka-leader-election"),
    ],
)
def test_json_of_kafkas_other_tools_is_recognised(text: bytes, tool: str) -> None:
    """It is refused with what it is."""
    with pytest.raises(InputRefused, match=f"that {tool} takes"):
        read_document(text)


def test_limits_are_met_with_a_sentence() -> None:
    """Size, nesting, partitions, replicas and cells."""
    text = document(ORDERS_0, ORDERS_1)
    deep = b'{"partitions":[{"topic":"a","partition":0,"replicas":[1],"x":' + b"[" * 70 + b"]" * 70 + b"}]}"
    cases = [
        (b" " * 1_000_001, replace(LIMITS, megabytes=1)),
        (text, replace(LIMITS, partitions=1)),
        (text, replace(LIMITS, replicas=1)),
        (text, replace(LIMITS, cells=3)),
        (deep, LIMITS),
        (b'{"x":' + b"[" * 100_000 + b"]" * 100_000 + b',"partitions":[]}', LIMITS),
    ]
    for data, limits in cases:
        with pytest.raises(LimitMet):
            read_document(data, limits=limits)


def test_one_topic_in_short_form_is_read() -> None:
    """The way people write a small assignment in a mail."""
    layout = read_document(b"topic-reassign {0:[0,2],1:[1,0], 2: [2,1],3:[0,1]}").layout

    assert layout.assignments() == {
        ("topic-reassign", 0): [0, 2],
        ("topic-reassign", 1): [1, 0],
        ("topic-reassign", 2): [2, 1],
        ("topic-reassign", 3): [0, 1],
    }


TOPICS = st.sampled_from(["a", "orders", 'we"ird\\', "},{", "ü\n", "x{}[],"])
ENTRIES = st.fixed_dictionaries(
    {
        "topic": TOPICS,
        "partition": st.integers(0, 5),
        "replicas": st.lists(st.integers(0, 2**31 - 1), max_size=4),
    },
    optional={"log_dirs": st.lists(st.sampled_from(["any", "/d/1", "},{"]), max_size=4)},
)
ODD = st.one_of(
    st.none(),
    st.integers(),
    st.fixed_dictionaries({"topic": TOPICS, "partition": st.sampled_from([-1, "1", 1.0, 2**31])}),
    st.builds(lambda entry: {**entry, "note": [{"a": 1}, {"b": 2}]}, ENTRIES),
)


@given(
    st.lists(ENTRIES, min_size=1, max_size=12),
    st.sampled_from([None, 1, "\t"]),
    st.sampled_from([1, 20, 60, 1_000_000]),
)
def test_pieces_and_entries_give_the_same(entries: list[dict[str, object]], indent: object, size: int) -> None:
    """Whether a list is read in pieces of any size or entry by entry, the result is the same."""
    # A key that is not known, at the end of the last entry, keeps every place and ends the reading in pieces.
    odd = [*entries[:-1], {**entries[-1], "note": 1}]
    texts = (
        json.dumps({"version": 1, "partitions": listed}, indent=indent, ensure_ascii=False).encode()
        for listed in (entries, odd)
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reassignment, "PIECE", size)
        fast, slow = (read_document(text) for text in texts)
    *found, noted = slow.findings

    assert fast.layout == slow.layout
    assert fast.skipped == slow.skipped
    assert noted.kind == "unknown_keys"
    assert [(f.kind, f.sentence, f.places, f.rows.tolist()) for f in fast.findings] == [
        (f.kind, f.sentence, f.places, f.rows.tolist()) for f in found
    ]


@given(st.lists(st.one_of(ENTRIES, ODD), min_size=1, max_size=8), st.sampled_from([1, 60, 1_000_000]))
def test_every_entry_is_read_or_skipped(entries: list[object], size: int) -> None:
    """The first telling of each partition is in the layout, and every entry that is no partition among the skipped."""
    text = json.dumps({"partitions": entries}).encode()
    good = [e for e in entries if isinstance(e, dict) and "replicas" in e]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reassignment, "PIECE", size)
        if not good:
            with pytest.raises(InputRefused):
                read_document(text)
            return
        reading = read_document(text)
    expected: dict[tuple[str, int], list[int]] = {}
    for entry in good:
        expected.setdefault((entry["topic"], entry["partition"]), entry["replicas"])

    assert reading.layout.assignments() == expected
    assert len(reading.skipped) == len(entries) - len(good)


@given(st.binary(max_size=60), st.integers(0, 200))
def test_damage_never_ends_in_anything_but_a_reading_or_a_refusal(noise: bytes, at: int) -> None:
    """Any bytes anywhere: read, or refused with a sentence."""
    text = document(ORDERS_0, {**ORDERS_1, "log_dirs": ["any", "/d"]})
    damaged = text[:at] + noise + text[at + len(noise) // 2 :]
    with contextlib.suppress(InputRefused):
        reading = read_document(damaged)

        assert reading.layout.partition_count >= 1


def test_a_key_that_stands_twice_is_said() -> None:
    """Parsers take the last one in silence; both places are named, and a topic called like a key is none."""
    entry = '{"topic":"partitions","partition":0,"replicas":[1,2]}'
    one = read_document(f'{{"version":1,"partitions":[{entry}]}}'.encode())
    lists = read_document(f'{{"version":1,"partitions":[{entry}],\n"partitions":[{entry.replace("0", "1")}]}}'.encode())
    entries = read_document(
        b'{"version":1,"partitions":[{"topic":"replicas","partition":0,"replicas":[1],"replicas":[2]}]}'
    )

    plain = read_document(b'{"version":1,"partitions":[{"topic":"a","partition":0,"replicas":[1],"replicas":[2]}]}')

    assert one.findings == ()
    assert [found.kind for found in plain.findings] == ["repeated_keys"]
    assert lists.layout.assignments() == {("partitions", 1): [1, 2]}
    assert [(found.kind, found.places) for found in lists.findings] == [
        ("repeated_keys", ("line 1, column 14", "line 2, column 1"))
    ]
    assert entries.layout.assignments() == {("replicas", 0): [2]}
    assert [found.kind for found in entries.findings] == ["repeated_keys"]
    assert "'replicas' stands in 1 entry more than once" in entries.findings[0].sentence


def test_a_finding_counts_the_entries_that_are_no_partitions_and_names_their_places() -> None:
    """Each of them is missing from the layout."""
    text = '{"version":1,"partitions":[\n{"topic":"a","partition":0,"replicas":[1]},\n{"topic":"a"},\n7]}'
    finding = next(found for found in read_document(text.encode()).findings if found.kind == "not_understood")

    assert finding.places == ("entry 2 in line 3, column 1", "entry 3 in line 4, column 1")
    assert finding.sentence.startswith("2 entries of 'partitions' were not understood: entry 2 in line 3, column 1")


def test_unknown_keys_are_not_echoed_without_end() -> None:
    """Twenty kilobytes of one, or a thousand of them."""
    many = ",".join(f'"k{i}{"x" * 300}":1' for i in range(1_000))
    long = "y" * 20_000
    text = f'{{"version":1,"partitions":[{{"topic":"a","partition":0,"replicas":[1],{many}}}],"{long}":1}}'
    finding = next(found for found in read_document(text.encode()).findings if found.kind == "unknown_keys")

    assert len(finding.sentence) < 3_000
    assert "and 981 more." in finding.sentence
    with pytest.raises(InputRefused) as caught:
        read_document(f'{{"{long}":1}}'.encode())
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize("between", ["},{", "} ,\n {"])
def test_a_document_that_is_whole_is_never_read_entry_by_entry(between: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """However it is cut, and wherever white space stands; one that is not is."""
    lists = {("t", one): [one % 3, 3] for one in range(40)}
    entries = [{"topic": t, "partition": one, "replicas": ids} for (t, one), ids in lists.items()]
    text = json.dumps({"version": 1, "partitions": entries}).replace("}, {", between)

    def by_entry(*_: object) -> None:
        raise AssertionError("entry by entry")

    monkeypatch.setattr("reseat.formats.text.reassignment.check_width", by_entry)
    for size in (50, 333, 2_000_000):
        monkeypatch.setattr(reassignment, "PIECE", size)
        assert read_document(text.encode()).layout.assignments() == lists
    with pytest.raises(AssertionError, match="entry by entry"):
        read_document(text.replace("[0, 3]", '"0"', 1).encode())


def test_places_are_counted_from_the_first_line() -> None:
    """It may be empty; as a document by itself it begins with line 1."""
    wrong = b'\n{"partitions":[{"topic":"t","topic":"t","partition":0,"replicas":[1]},\n{"topic":"c"},{"topic":"d"}]}'
    reading = read_parts(wrong).reading
    (twice,) = (found for found in reading.findings if found.kind == "repeated_keys")

    assert twice.places == ("line 2, column 16",)
    assert [piece.line for piece in reading.skipped] == [3, 3]
    with pytest.raises(
        LimitMet, match="More than 1 entries of 'partitions' are not partitions; the first of them: 'par"
    ) as met:
        read_document(wrong.replace(b'{"topic":"d"}', b"5"), limits=replace(LIMITS, lines=1))
    assert 'topic "c"' in str(met.value)
    with pytest.raises(LimitMet) as wide:
        read_document(b'\n{"a":1,"b":2,"c":3}', limits=replace(LIMITS, keys=1))
    assert wide.value.line == 1


@pytest.mark.parametrize(("keys", "end"), [(20, "'k19' (1 time)."), (21, "'k19' (1 time) and 1 more.")])
def test_twenty_keys_that_kafka_does_not_know_are_named(keys: int, end: str) -> None:
    """And that there are more."""
    document = {f"k{one}": 1 for one in range(keys)} | {"partitions": [{"topic": "t", "partition": 0, "replicas": [1]}]}
    (found,) = read_document(json.dumps(document).encode()).findings

    assert found.sentence.endswith(end)


def test_a_list_of_partitions_within_another_value_stands_once() -> None:
    """In the seal, or below a key that Kafka does not know."""
    document = b'{"reseat":{"partitions":[1]},"partitions":[{"topic":"t","partition":0,"replicas":[1]}]}'

    assert read_document(document).findings == ()


def test_a_large_text_that_is_one_document_is_read_as_one() -> None:
    """Above a million bytes, where nothing stands behind it; a limit that it meets ends everything."""
    form = Reassignments()
    text = b'{"version":1,"partitions":[{"topic":"t","partition":0,"replicas":[1]}'
    large = text + b" " * (1_000_000 - len(text) - 1) + b"]}"

    assert len(large) == 1_000_001
    for whole in (large, large + b"\n\n"):
        reading = form.whole(whole, "x", LIMITS)
        assert reading is not None
        assert reading.layout.assignments() == {("t", 0): [1]}
    for other in (
        text + b"]}",
        large.replace(b"  ", b" ", 1),
        large + b"x",
        b" x" + large,
        large.replace(b":[1]", b":[1"),
    ):
        assert form.whole(other, "x", LIMITS) is None
    with pytest.raises(LimitMet):
        form.whole(large, "x", replace(LIMITS, partitions=0))
