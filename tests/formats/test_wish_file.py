"""A wish file is a change written down: in JSON or TOML, found in the layout, and nothing of it is left aside."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reseat.errors import InputRefused, WishRefused
from reseat.formats.documents.certificate import write_certificate
from reseat.formats.documents.wish_file import read_wish_file
from reseat.model import Broker, Certificate, ClusterLayout, Options, Wish
from tests.wishes import wishes

LAYOUT = ClusterLayout.from_assignments(
    {("orders", 0): [1, 2], ("pay-eu", 0): [2, 3], ("pay-us", 0): [3, 1]},
    brokers=[Broker(1, rack="a"), Broker(2, rack="b"), Broker(3, rack="b")],
)
TOML = """
remove = [1]
remove_rack = ["b"]
add = [{broker = 8, rack = "a"}, {broker = 9}]
pin = [{topic = "pay-*"}, {topic = "orders", partition = 0}]
receive_cap = 4
reorder_all = true
never_leads = [9, 8]
"""
WISH = Wish(
    remove=(1, 2, 3),
    add=((8, "a"), (9, None)),
    options=Options(reorder_all=True, receive_cap=4, pin=(("pay-*", None), ("orders", 0)), never_leads=(8, 9)),
)


def test_toml_and_json_say_the_same() -> None:
    """Racks are found in the layout; a pin stays a pattern, as topics may come to be."""
    told = {
        "remove": [1],
        "remove_rack": ["b"],
        "add": [{"broker": 8, "rack": "a"}, {"broker": 9}],
        "pin": [{"topic": "pay-*"}, {"topic": "orders", "partition": 0}],
        "receive_cap": 4,
        "reorder_all": True,
        "never_leads": [8, 9],
    }

    assert read_wish_file(TOML, LAYOUT, source="wish.toml") == WISH
    assert read_wish_file(json.dumps(told), LAYOUT, source="wish.json") == WISH


@pytest.mark.parametrize(
    ("text", "wish"),
    [
        ("rebalance = true\nmax_moves = 7", Wish(rebalance=True, options=Options(max_moves=7))),
        ("rebalance = true\npoint = 7", Wish(rebalance=True, point=7)),
        ("aims = ['racks', 'moves', 'balance']", Wish(mend_racks=True)),
        ("remove = [2]\naims = ['spread', 'moves']", Wish((2,), rebalance=True, options=Options(keep_racks=True))),
        ("leaders_only = true", Wish(leaders_only=True)),
        ("mend_racks = true\nkeep_unmovable = true", Wish(mend_racks=True, options=Options(keep_unmovable=True))),
        ("replication_factor = 2\ntopics = ['pay-*']", Wish(replication_factor=2, topics=("pay-eu", "pay-us"))),
        ("remove = [2]\nby_bytes = true", Wish(remove=(2,), options=Options(by_bytes=True))),
        ("replace = [{broker = 2, by = 9}]", Wish(remove=(2,), add=((9, "b"),), replace=((2, 9),))),
        ("replace = [{broker = 2, by = 9, rack = 'c'}]", Wish(remove=(2,), add=((9, "c"),), replace=((2, 9),))),
        ("replace = [{broker = 2, by = 1}]", Wish(remove=(2,), replace=((2, 1),))),
    ],
)
def test_each_change_can_be_written(text: str, wish: Wish) -> None:
    """As the command line's options say it; who takes a place joins in the same rack, or in the one told."""
    assert read_wish_file(text, LAYOUT, source="wish.toml") == wish


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
@pytest.mark.parametrize("text", ["remove = [1]", '{"remove": [1]}'])
def test_a_byte_order_mark_is_no_matter(text: str, encoding: str) -> None:
    """As editors and PowerShell on Windows write it."""
    assert read_wish_file(text.encode(encoding), LAYOUT, source="wish") == Wish(remove=(1,))


@given(wishes(st.text("abc", min_size=1, max_size=4)))
def test_a_certificate_counts_as_one(wish: Wish) -> None:
    """Its wish as it was, whatever the layout: the same layout makes the same plan again."""
    text = write_certificate(Certificate(wish=wish, moves=0))

    assert read_wish_file(text, LAYOUT, source="certificate.json") == wish


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "empty"),
        ("{", "line 1"),
        ("remove = [", "TOML"),
        ("remov = [3]", "remov"),
        ('{"remove": ["3"]}', "remove"),
        ("receive_cap = -1", "receive_cap"),
        ("aims = 'racks'", "aims"),
        ("pin = [{partition = 3}]", "topic"),
        ('{"remove": [1], "remove": [2]}', "the key 'remove' stands twice"),
        ('{"wish": {"remove": [1], "remove": [2]}}', "the key 'remove' stands twice"),
        ("[1, 2]", "expected 'object', got 'array'"),
        ("a = " + "[" * 9999, "nested too deep"),
        ("keep_apart = [['orders', 'orders']]", "fewer than two topics"),
        ("rack_levels = ['//']", "separates the levels of racks, such as /."),
        ("add = [{broker = 8, rack = ''}]", "rack"),
        (b'{"topics": ["\xff"]}', "JSON"),
        (b"topics = ['\xff']", "TOML"),
    ],
)
def test_what_is_no_wish_is_refused_by_its_name(text: str | bytes, says: str) -> None:
    """The sentence names the file and what does not fit."""
    with pytest.raises(InputRefused) as refused:
        read_wish_file(text, LAYOUT, source="mine.toml")

    assert str(refused.value).startswith("mine.toml")
    assert says in str(refused.value)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("topics = ['x*']\nreplication_factor = 2", "No topic matches x*."),
        ("remove_rack = ['z']", "Rack z is not in"),
        ("add = [{broker = 8, rack = 'a'}, {broker = 8, rack = 'b'}]", "Broker 8 is added twice"),
        ("replace = [{broker = 1, by = 8}, {broker = 1, by = 9}]", "Broker 1 cannot be replaced by both 8 and 9."),
        ("replace = [{broker = 1, by = 2, rack = 'c'}]", "Broker 2 is in rack b, so it cannot be in rack c."),
        (
            "add = [{broker = 8, rack = 'a'}]\nreplace = [{broker = 1, by = 8, rack = 'c'}]",
            "Broker 8 is in rack a, so it cannot be in rack c.",
        ),
        ("aims = ['balance', 'moves']", "No change has its aims in this order: balance, moves."),
    ],
)
def test_what_the_layout_does_not_have_is_refused(text: str, says: str) -> None:
    """Yesterday's file over another cluster."""
    with pytest.raises(WishRefused) as refused:
        read_wish_file(text, LAYOUT, source="mine.toml")

    assert says in str(refused.value)
