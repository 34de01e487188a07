"""The what-if as a link: there and back, and hostile queries."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from components import links
from components.edits import Edits
from components.links import from_query, to_query
from components.past import Past
from reseat.model import Options, Wish

DIGEST = "0123456789abcdef0123456789abcdef"

IDS = st.integers(0, 2**31 - 1)
NAMES = st.text(st.characters(exclude_characters="\n", exclude_categories=("Cs",)), min_size=1, max_size=12)
PAIRS = st.dictionaries(IDS, st.none() | NAMES, max_size=4).map(lambda pairs: tuple(sorted(pairs.items())))


@given(
    st.builds(
        Wish,
        remove=st.sets(IDS, max_size=5).map(lambda ids: tuple(sorted(ids))),
        add=PAIRS,
        replication_factor=st.none() | st.integers(1, 100),
        topics=st.lists(NAMES, max_size=4).map(tuple),
        options=st.builds(
            Options,
            reorder_all=st.booleans(),
            by_bytes=st.booleans(),
            receive_cap=st.none() | st.integers(1, 10**6),
            max_moves=st.none() | st.integers(0, 10**6),
        ),
    ),
    st.builds(
        Edits,
        racks=PAIRS,
        without_internal=st.booleans(),
        without=st.lists(NAMES, max_size=3).map(tuple),
        order_vouched=st.booleans(),
    ),
)
def test_a_link_gives_back_what_was_wished(wish, edits):
    """Every wish and every edit comes back from its link as it was."""
    link = from_query(to_query(DIGEST, "prod.txt", edits, wish))

    assert link is not None
    assert link.trouble is None
    assert (link.wish, link.edits, link.name) == (wish, edits, "prod.txt")
    assert link.names(DIGEST)


def test_a_link_of_nothing_is_short():
    """Only the layout and its file stand in the address of the present."""
    assert to_query(DIGEST, "prod.txt", Edits(), Wish()) == {"layout": DIGEST[:16], "file": "prod.txt"}
    assert from_query({}) is None


@pytest.mark.parametrize(
    "query",
    [
        {"layout": "../../etc/passwd"},
        {"layout": DIGEST, "remove": "7,x"},
        {"layout": DIGEST, "remove": "99999999999999999999"},
        {"layout": DIGEST, "remove": "-1"},
        {"layout": DIGEST, "rf": "0"},
        {"layout": DIGEST, "options": "cap:nan"},
        {"layout": DIGEST, "add": "١"},
    ],
)
def test_a_broken_link_says_so_and_wishes_nothing(query):
    """What is not understood is trouble with a sentence, never a fault and never half a wish."""
    link = from_query(query)

    assert link is not None
    assert link.trouble
    assert link.wish == Wish()


def test_the_names_of_a_link_are_those_that_it_writes():
    """Who leaves the past takes all of them out of the address."""
    edits = Edits(racks=((1, "a"),), without_internal=True, without=("t",), order_vouched=True)
    wish = Wish(remove=(1,), options=Options(reorder_all=True), add=((7, "a"),), replication_factor=3, topics=("t",))
    past = Past("shop", "0" * 32)

    assert tuple(to_query(DIGEST, "x", edits, wish, live=0, past=past)) == links.NAMES


def test_a_moment_that_is_none_is_called_so():
    """The sentence speaks of the moment of the past, not of a what-if that nobody asked for."""
    link = from_query({"past": "<b>/x"})

    assert link is not None
    assert (link.trouble or "").startswith("The link's moment of the past was not understood: '<b>/x'")


@given(st.dictionaries(st.sampled_from(["layout", "remove", "add", "rf", "options", "racks"]), st.text(max_size=20)))
def test_no_query_ends_in_a_fault(query):
    """Any text in the address gives a link, trouble, or nothing."""
    link = from_query(query)

    assert link is None or link.trouble or link.digest
