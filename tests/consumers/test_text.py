"""A group as text: read strictly, written back, and whatever else is given refused with a sentence."""

from __future__ import annotations

import json
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reseat.consumers import Member, text
from reseat.consumers.events import Join, Leave, Partitions, Rebalance, Restart, Return, Subscribe, Timeout, Together
from reseat.consumers.rebalancing import GroupState, empty_group
from reseat.consumers.text import read_group, write_group
from reseat.errors import InputRefused, LimitMet
from tests.cases import cases

WHOLE = """\
{"topics": {"orders": 4, "payments": 2},
 "members": [{"id": "a", "topics": ["orders", "payments"], "instance_id": "pod-1", "rack": "r1", "user_data": "3"},
             {"id": "b", "topics": ["orders"]}],
 "racks": {"payments": [["r1"], ["r1", "r2"]]},
 "story": [{"join": {"id": "c", "topics": ["orders"]}}, {"time_out": "b"}, {"return": "b"}, {"restart": "c"},
           {"subscribe": "b", "topics": []}, {"partitions": {"orders": 6}}, {"leave": "c"}]}
"""


def test_a_whole_text() -> None:
    """Every key; members without anything join at first."""
    told = read_group(WHOLE)
    a = Member("a", ("orders", "payments"), instance_id="pod-1", rack="r1", user_data=b"3")

    assert told.state.members == {}
    assert told.state.partitions == {"orders": 4, "payments": 2}
    assert told.state.racks == {("payments", 0): frozenset({"r1"}), ("payments", 1): frozenset({"r1", "r2"})}
    assert told.events == (
        Together((a, Member("b", ("orders",)))),
        Join(Member("c", ("orders",))),
        Timeout("b"),
        Return("b"),
        Restart("c"),
        Subscribe("b", ()),
        Partitions("orders", 6),
        Leave("c"),
    )


def test_who_owns_something_is_there_already() -> None:
    """Then the group rebalances as it is; a generation that is not told is the first."""
    told = read_group(
        '{"topics": {"T": 3}, "members": [{"id": "a", "topics": ["T"], "owned": {"T": [0, 2]}, "generation": 7},'
        ' {"id": "b", "topics": ["T"], "owned": {"T": [1]}}]}'
    )

    assert told.events == (Rebalance(),)
    assert told.state.generation == 7
    assert [(m.owned, m.generation) for m in told.state.members.values()] == [
        ((("T", 0), ("T", 2)), 7),
        ((("T", 1),), 1),
    ]


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ("", "This is not JSON: Expecting value in column 1"),
        ("[]", "This is JSON, but not a group. expected 'object', got 'array'"),
        ('{"members": []}', "object missing required field 'topics'"),
        ('{"topics": {}, "members": [], "extra": 1}', "object contains unknown field 'extra'"),
        ('{"topics": {"T": "4"}, "members": []}', "At topics[...]: expected 'int', got 'str'"),
        ('{"topics": {"T": 1.5}, "members": []}', "At topics[...]: expected 'int', got 'float'"),
        ('{"topics": {"T": -1}, "members": []}', "Topic T has -1 partitions; at least 0 were expected"),
        ('{"topics": {"T": 1, "T": 2}, "members": []}', "The key 'T' is in one object twice"),
        ('{"topics": {}, "members": [{"topics": []}]}', "At members[0]: object missing required field 'id'"),
        ('{"topics": {}, "members": [{"id": "", "topics": []}]}', "A member has an empty id"),
        ('{"topics": {}, "members": [{"id": "a", "topics": "T"}]}', "At members[0].topics: expected 'array'"),
        (
            '{"topics": {}, "members": [{"id": "a", "topics": []}, {"id": "a", "topics": []}]}',
            "Member a is in the group twice",
        ),
        (
            '{"topics": {"T": 2}, "members": [{"id": "a", "topics": ["T"], "owned": {"T": [0, 0]}}]}',
            "owns a partition twice",
        ),
        (
            '{"topics": {}, "members": [{"id": "a", "topics": [], "generation": -2}]}',
            "is of generation -2; at least -1 was expected",
        ),
        ('{"topics": {"T": 1}, "members": [], "racks": {"T": [[], []]}}', "racks covers 2 partitions of T"),
        ('{"topics": {}, "members": [], "story": [{}]}', "Step 1 of the story says 0 things"),
        ('{"topics": {}, "members": [], "story": [{"leave": "a", "restart": "a"}]}', "says 2 things; exactly one"),
        ('{"topics": {}, "members": [], "story": [{"subscribe": "a"}]}', "subscribe and topics go together"),
        ('{"topics": {}, "members": [], "story": [{"partitions": {"a": 1, "b": 1}}]}', "partitions names one topic"),
        ('{"topics": {"T": NaN}, "members": []}', "NaN is not a number in JSON"),
        ('{"topics": {"T": %s}, "members": []}' % ("9" * 5000), "A number in it is out of range"),
        ('{"topics": {}, "members": [{"id": "\\ud800", "topics": []}]}', "half a character"),
    ],
)  # fmt: skip
def test_what_is_no_group_is_refused_with_what_was_expected(given: str, says: str) -> None:
    """One sentence, with the place."""
    with pytest.raises(InputRefused) as refused:
        read_group(given, "group.json")

    assert says in str(refused.value)
    assert str(refused.value).startswith("group.json")


def test_bytes_that_are_not_utf_8_are_refused() -> None:
    """And a mark of UTF-8 at the start is none of the text."""
    with pytest.raises(InputRefused, match="not UTF-8"):
        read_group(b"\xff\xfe{")

    assert read_group(b'\xef\xbb\xbf{"topics": {}, "members": []}').events == ()


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ("[" * 200_000, "nested deeper"),
        (json.dumps({"topics": {"T": text.MOST_PARTITIONS + 1}, "members": []}), "1,000,001 partitions"),
        (
            json.dumps({"topics": {"T": 1}, "members": [], "story": [{"partitions": {"T": text.MOST_PARTITIONS + 1}}]}),
            "1,000,001 partitions",
        ),
        (
            json.dumps({"topics": {}, "members": [{"id": str(i), "topics": []} for i in range(text.MOST_MEMBERS + 1)]}),
            "10,001 members",
        ),
        (json.dumps({"topics": {}, "members": [], "story": [{"leave": "a"}] * 1001}), "1,001 steps"),
        (json.dumps({"topics": {}, "members": [{"id": "a" * 1001, "topics": []}]}), "1,001 characters"),
        (" " * (text.MOST_BYTES + 1), "more than 20,000,000 bytes"),
    ],
    ids=["deep", "partitions", "partitions later", "members", "steps", "name", "bytes"],
)
def test_limits_keep_a_hostile_text_small(given: str, says: str) -> None:
    """Each is named with its number."""
    with pytest.raises(LimitMet, match=says):
        read_group(given)


_NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)
_MEMBERS = st.builds(
    Member,
    _NAMES,
    st.lists(_NAMES, unique=True, max_size=3).map(tuple),
    instance_id=st.none() | _NAMES,
    rack=st.none() | _NAMES,
    user_data=st.text("0123456789", max_size=3).map(str.encode),
)
_STEPS = st.one_of(
    _MEMBERS.map(Join),
    _NAMES.map(Leave),
    _NAMES.map(Timeout),
    _NAMES.map(Return),
    _NAMES.map(Restart),
    st.builds(Subscribe, _NAMES, st.lists(_NAMES, unique=True, max_size=3).map(tuple)),
    st.builds(Partitions, _NAMES, st.integers(0, 9)),
)


@settings(max_examples=cases(60))
@given(
    members=st.lists(
        _MEMBERS, unique_by=(lambda member: member.id, lambda member: member.instance_id or member), max_size=4
    ),
    topics=st.dictionaries(_NAMES, st.integers(0, 9), max_size=4),
    steps=st.lists(_STEPS, max_size=5),
)
def test_what_is_written_is_read_back(members: list[Member], topics: dict[str, int], steps: list[object]) -> None:
    """Names may be anything that is text."""
    first = [Together(tuple(members))] if members else []
    events = (*first, *steps)
    told = read_group(write_group(empty_group(topics), events))  # type: ignore[arg-type]

    assert told.state.partitions == topics
    assert told.events == events


def test_a_group_that_owns_something_is_written_back() -> None:
    """With its generation and racks; the rebalance at its beginning is not a step of its own."""
    member = Member("a", ("T",), owned=(("T", 0),), generation=3)
    state = GroupState({"a": member}, {"T": 1}, 3, racks={("T", 0): frozenset({"r"})})
    told = read_group(write_group(state, [Rebalance(), Leave("a")]))

    assert told.state.members == {"a": member}
    assert told.state.racks == state.racks
    assert told.events == (Rebalance(), Leave("a"))


@settings(max_examples=cases(60))
@given(data=st.binary(max_size=80) | st.text(max_size=60))
def test_nothing_but_a_group_or_a_sentence(data: bytes | str) -> None:
    """Any bytes, any text."""
    with suppress(InputRefused):
        assert read_group(data).state.members == {}
