"""The what-if as a link: there and back, and hostile queries."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from components.state import links
from components.state.links import from_query, to_query
from components.state.past import Past
from reseat.model import Options, Wish
from reseat.model.edits import Edits
from reseat.model.rules import Capacity, Onto
from tests.wishes import IDS, wishes

DIGEST = "0123456789abcdef0123456789abcdef"

NAMES = st.text(st.characters(exclude_characters="\n", exclude_categories=("Cs",)), min_size=1, max_size=12)
PAIRS = st.dictionaries(IDS, st.none() | NAMES, max_size=4).map(lambda pairs: tuple(sorted(pairs.items())))


@given(
    wishes(NAMES),
    st.builds(
        Edits,
        racks=PAIRS,
        without_internal=st.booleans(),
        without=st.lists(NAMES, max_size=3).map(tuple),
        order_vouched=st.booleans(),
        no_racks=st.booleans(),
        incomplete_accepted=st.booleans(),
    ),
    st.booleans(),
)
def test_a_link_gives_back_what_was_wished(wish, edits, after):
    """Every wish and every edit comes back from its link as it was, with the point and what pages show of it.

    A factor for no topics and who would replace a broker that stays are nothing that is wished.
    """
    factor = wish.replication_factor if wish.topics else None
    wish = replace(wish, replace=wish.places, replication_factor=factor)
    link = from_query(to_query(DIGEST, "prod.txt", edits, wish, after=after))

    assert link is not None
    assert link.error is None
    assert (link.wish, link.edits, link.name) == (wish, edits, "prod.txt")
    assert link.after is (after or wish.is_empty)
    assert link.names(DIGEST)


@pytest.mark.parametrize(
    ("word", "edits", "wish"),
    [
        ("no-racks", Edits(no_racks=True), Wish(remove=(1,))),
        ("incomplete", Edits(incomplete_accepted=True), Wish(remove=(1,))),
        ("unmovable", Edits(), Wish(remove=(1,), options=Options(keep_unmovable=True))),
        ("order", Edits(order_vouched=True), Wish(remove=(1,))),
        ("reorder", Edits(), Wish(remove=(1,), options=Options(reorder_all=True))),
        ("bytes", Edits(), Wish(remove=(1,), options=Options(by_bytes=True))),
        ("cap:4", Edits(), Wish(remove=(1,), options=Options(receive_cap=4))),
        ("moves:4", Edits(), Wish(remove=(1,), options=Options(max_moves=4))),
        ("data:500", Edits(), Wish(remove=(1,), options=Options(max_bytes=500))),
        ("even-topics", Edits(), Wish(remove=(1,), options=Options(even_topics=True))),
        ("rebalance", Edits(), Wish(remove=(1,), rebalance=True)),
        ("mend", Edits(), Wish(remove=(1,), mend_racks=True)),
        ("mend-all", Edits(), Wish(remove=(1,), mend=True)),
        ("leaders", Edits(), Wish(remove=(1,), leaders_only=True)),
    ],
)
def test_what_a_person_chose_has_its_own_word(word, edits, wish):
    """Each word alone, there and back, as links that were made stand in documents; nothing else comes of it."""
    query = to_query(DIGEST, "prod.txt", edits, wish)
    link = from_query({"layout": DIGEST, "file": "prod.txt", "remove": "1", "options": word})

    assert query["options"] == word
    assert link is not None
    assert (link.edits, link.wish, link.error) == (edits, wish, None)


def test_a_link_of_nothing_is_short():
    """Only the layout and its file stand in the address of the present."""
    assert to_query(DIGEST, "prod.txt", Edits(), Wish()) == {"layout": DIGEST, "file": "prod.txt"}
    assert from_query({}) is None


@pytest.mark.parametrize(
    "query",
    [
        {"layout": "../../etc/passwd"},
        {"layout": "0"},
        {"layout": DIGEST[:31]},
        {"layout": DIGEST + "0"},
        {"layout": DIGEST, "remove": "7,x"},
        {"layout": DIGEST, "remove": "99999999999999999999"},
        {"layout": DIGEST, "remove": "00000000000199999999999"},
        {"layout": DIGEST, "add": "9" * 5_000},
        {"layout": DIGEST, "remove": "-1"},
        {"layout": DIGEST, "rf": "0"},
        {"layout": DIGEST, "options": "cap:nan"},
        {"layout": DIGEST, "remove": "1", "options": "moves"},
        {"layout": DIGEST, "remove": "1", "options": "rebalance:3"},
        {"layout": DIGEST, "remove": "1", "options": "rebalance,of-a-later-version"},
        {"layout": DIGEST, "remove": "1", "point": "-3"},
        {"layout": DIGEST, "remove": "1", "point": "many"},
        {"layout": DIGEST, "add": "١"},
        {"layout": DIGEST, "remove": "1", "show": "past"},
        {"layout": DIGEST, "remove": "1", "internal": "in"},
    ],
)
def test_a_broken_link_says_so_and_wishes_nothing(query):
    """What is not understood is trouble with a sentence, never a fault and never half a wish."""
    link = from_query(query)

    assert link is not None
    assert link.error
    assert link.wish == Wish()


def test_the_names_of_a_link_are_those_that_it_writes():
    """Who leaves the past, or takes a rule back, takes all of them out of the address: what is left is a page's own."""
    edits = Edits(racks=((1, "a"),), without_internal=True, without=("t",), order_vouched=True)
    wish = Wish(
        remove=(1,),
        options=Options(
            reorder_all=True,
            pin=(("t", None),),
            never_leads=(2,),
            never_onto=(3,),
            leader_racks=("a",),
            only_onto=(Onto(("t",), (1,), ()),),
            keep_apart=(("t", "u"),),
            capacity=(Capacity(1, replicas=5),),
            rack_levels=("/",),
        ),
        add=((7, "a"),),
        replace=((1, 7),),
        replication_factor=3,
        topics=("t",),
        point=9,
    )
    past = Past("shop", "0" * 32)

    assert tuple(to_query(DIGEST, "x", edits, wish, live=0, past=past, after=False)) == links.NAMES


def test_a_link_of_before_points_opens_the_plan_with_the_least_moves():
    """It says nothing of a point nor of what is shown: as it was, and after the plan."""
    link = from_query({"layout": DIGEST, "file": "prod.txt", "remove": "3", "options": "moves:40"})

    assert link is not None
    assert (link.wish, link.after) == (Wish(remove=(3,), options=Options(max_moves=40)), True)


def test_a_moment_that_is_none_is_called_so():
    """The sentence speaks of the moment of the past, not of a what-if that nobody asked for."""
    link = from_query({"past": "<b>/x"})

    assert link is not None
    assert (link.error or "").startswith("The link's snapshot is invalid: '<b>/x'")


def test_half_a_digest_is_still_about_its_layout():
    """A link of an earlier version is recognised by the half that it holds; any other part is none."""
    half = from_query({"layout": DIGEST[:16], "file": "prod.txt"})

    assert half is not None
    assert half.error is None
    assert half.names(DIGEST)
    assert not half.names("f" + DIGEST[1:])


@given(st.dictionaries(st.sampled_from(["layout", "remove", "add", "rf", "options", "racks"]), st.text(max_size=20)))
def test_no_query_ends_in_a_fault(query):
    """Any text in the address gives a link, trouble, or nothing."""
    link = from_query(query)

    assert link is None or link.error or link.digest


@pytest.mark.parametrize(
    ("half", "said"),
    [
        ({"replace": "7:20"}, "'replace' also needs 'remove'."),
        ({"rf": "2"}, "'rf' also needs 'topics'."),
    ],
)
def test_half_a_change_is_not_taken_for_none(half: dict[str, str], said: str) -> None:
    """Somebody wrote it: the page said that no change was selected, and the address kept it."""
    link = from_query({"layout": "0" * 32, **half})

    assert link is not None
    assert link.error == f"The link's what-if is invalid: {said}"


def test_who_is_put_back_is_replaced_by_nobody_in_a_link() -> None:
    """Put back on the Board, the broker keeps whom it would be replaced by, for the way back; a link does not."""
    query = to_query("0" * 32, "a.txt", Edits(), Wish(replace=((7, 20),)))

    assert "replace" not in query
