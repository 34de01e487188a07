"""What an event of the rack board does to a wish, and what hostile events do not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from components.canvas.rack_board.events import MAX_ADDED, MAX_CHANGES, apply_event
from reseat.model import Broker, ClusterLayout, Options, Wish

LAYOUT = ClusterLayout.from_assignments(
    {("orders", 0): [1, 2], ("orders", 1): [2, 3], ("orders", 2): [3, 1]},
    brokers=[Broker(1, "a"), Broker(2, "b"), Broker(3, "c"), Broker(4, "a")],
)


def after(wish: Wish, *changes: object) -> Wish:
    """The wish after changes that are all understood."""
    heard = apply_event(wish, {"changes": list(changes)}, LAYOUT)
    assert heard.ignored == ()
    return heard.wish


def test_brokers_go_out_and_come_back_in_any_order() -> None:
    """Those that leave are ascending and once each; those that come back are no longer among them."""
    out = after(Wish(), {"do": "out", "brokers": [3, 1]}, {"do": "out", "brokers": [1]})

    assert out == Wish(remove=(1, 3))
    assert after(out, {"do": "back", "brokers": [1]}) == Wish(remove=(3,))


def test_a_change_repeated_does_no_harm() -> None:
    """The board repeats what it has not seen answered; the wish is the same."""
    changes = [{"do": "out", "brokers": [2]}, {"do": "add", "broker": 9, "rack": "a"}]

    assert after(after(Wish(), *changes), *changes) == Wish(remove=(2,), add=((9, "a"),))


def test_an_added_broker_changes_its_rack_and_is_thrown_away() -> None:
    """Dropped into another rack it is there and not in the first; dropped into the tray it is no longer added."""
    added = after(Wish(), {"do": "add", "broker": 9, "rack": "a"}, {"do": "add", "broker": 5, "rack": None})
    moved = after(added, {"do": "add", "broker": 9, "rack": "b"})

    assert moved == Wish(add=((5, None), (9, "b")))
    assert after(moved, {"do": "out", "brokers": [9]}) == Wish(add=((5, None),))


def test_what_else_is_wished_stays() -> None:
    """Options and a replication factor are none of the board's business, also when all is put back."""
    wish = Wish(remove=(1,), replication_factor=3, topics=("orders",), options=Options(receive_cap=4))

    assert after(wish, {"do": "reset"}) == Wish(
        replication_factor=3, topics=("orders",), options=Options(receive_cap=4)
    )


def test_who_drags_a_broker_while_leaders_are_rebalanced_gets_the_drain() -> None:
    """A broker out, or one that joins, takes the place of what it cannot be one plan with; a rebalance stays."""
    for balanced in (Wish(), Wish(leaders_only=True), Wish(mend_racks=True)):
        assert after(balanced, {"do": "out", "brokers": [2]}) == Wish(remove=(2,))
        assert after(balanced, {"do": "add", "broker": 9, "rack": "a"}) == Wish(add=((9, "a"),))
    assert after(Wish(rebalance=True), {"do": "out", "brokers": [2]}) == Wish(rebalance=True, remove=(2,))
    assert after(Wish(rebalance=True), {"do": "add", "broker": 9, "rack": "a"}) == Wish(rebalance=True, add=((9, "a"),))


def test_another_change_has_another_curve() -> None:
    """The point chosen goes with the brokers that it was chosen for; a change that is repeated keeps it."""
    wish = Wish(remove=(1,), point=7)

    assert after(wish, {"do": "out", "brokers": [2]}) == Wish(remove=(1, 2))
    assert after(wish, {"do": "out", "brokers": [1]}) == wish


def test_what_was_understood_is_known_also_where_it_changes_nothing() -> None:
    """Whoever looks at the present and takes out a broker that is out already wants to see the plan."""
    assert apply_event(Wish(remove=(1,)), {"changes": [{"do": "out", "brokers": [1]}]}, LAYOUT).understood
    assert not apply_event(Wish(remove=(1,)), {"changes": [{"do": "dance"}]}, LAYOUT).understood
    assert not apply_event(Wish(remove=(1,)), {"changes": []}, LAYOUT).understood


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"do": "out", "brokers": [7]}, "Broker 7 is not in this layout and cannot be removed."),
        ({"do": "out", "brokers": [7, 8]}, "Brokers 7, 8 are not in this layout and cannot be removed."),
        ({"do": "out", "brokers": "123"}, "The rack board did not say which brokers to remove; nothing was changed."),
        ({"do": "out", "brokers": [True]}, "The rack board did not say which brokers to remove; nothing was changed."),
        ({"do": "back", "brokers": [1.0]}, "The rack board did not say which brokers to restore; nothing was changed."),
        ({"do": "add", "broker": -1}, "A new broker needs an id from 0 to 2,147,483,647; none was added."),
        ({"do": "add", "broker": 2**31}, "A new broker needs an id from 0 to 2,147,483,647; none was added."),
        ({"do": "add", "broker": 2}, "Broker 2 is in this layout already; choose an id that is free."),
        (
            {"do": "add", "broker": 9, "rack": "<b>"},
            "Broker 9 was dropped into a rack that this layout does not have; it was not added.",
        ),
        (
            {"do": "add", "broker": 9, "rack": ["a"]},
            "Broker 9 was dropped into a rack that this layout does not have; it was not added.",
        ),
        ({"do": "explode"}, "The rack board sent a change of an unknown kind; it was left out."),
        ("out", "The rack board sent a change that is not an object; it was left out."),
    ],
)
def test_what_is_not_understood_is_left_out_with_a_sentence(change: object, sentence: str) -> None:
    """The wish stays the very one it was."""
    wish = Wish(remove=(1,))
    heard = apply_event(wish, {"changes": [change]}, LAYOUT)

    assert heard.wish == wish
    assert heard.ignored == (sentence,)


def test_one_bad_change_does_not_spoil_the_others() -> None:
    """Broker 1 leaves although broker 7 is unknown."""
    heard = apply_event(Wish(), {"changes": [{"do": "out", "brokers": [1, 7]}]}, LAYOUT)

    assert heard.wish == Wish(remove=(1,))
    assert heard.ignored == ("Broker 7 is not in this layout and cannot be removed.",)


@pytest.mark.parametrize("event", [{}, {"changes": "out"}, {"changes": None}, {"changes": {"do": "reset"}}])
def test_an_event_without_a_list_of_changes_is_ignored(event: dict[str, object]) -> None:
    """Nothing changes, and that is said."""
    heard = apply_event(Wish(remove=(1,)), event, LAYOUT)

    assert heard.wish == Wish(remove=(1,))
    assert "without a list of changes" in heard.ignored[0]


def test_floods_are_bounded() -> None:
    """Neither endless changes nor endless new brokers get through."""
    flood = apply_event(Wish(), {"changes": [{"do": "reset"}] * (MAX_CHANGES + 1)}, LAYOUT)
    full = Wish(add=tuple((100 + i, None) for i in range(MAX_ADDED)))
    heard = apply_event(full, {"changes": [{"do": "add", "broker": 99, "rack": None}]}, LAYOUT)

    assert flood.ignored == (
        f"The rack board sent {MAX_CHANGES + 1} changes at once, more than {MAX_CHANGES}; none was made.",
    )
    assert heard.wish is full
    assert heard.ignored == ("A what-if adds at most 1,000 brokers; broker 99 was not added.",)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.floats(allow_nan=False) | st.sampled_from(["out", "a", "do"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["do", "brokers", "broker", "rack", "changes"]), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(st.dictionaries(st.sampled_from(["changes", "do"]), JSON, max_size=2))
def test_no_event_breaks_the_wish(event: dict[str, object]) -> None:
    """Whatever comes, the wish names known brokers to leave and unknown ones to join, ascending and once each."""
    wish = apply_event(Wish(remove=(2,)), event, LAYOUT).wish
    ids = [broker for broker, _ in wish.add]

    assert list(wish.remove) == sorted(set(wish.remove) & {1, 2, 3, 4})
    assert ids == sorted(set(ids) - {1, 2, 3, 4})
