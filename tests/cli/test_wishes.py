"""A change in the words of the command line: there and back, whatever is wished."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reseat.cli.arguments import parser
from reseat.cli.wishes import options_of, wish_of
from reseat.errors import WishRefused
from reseat.model import Broker, ClusterLayout, Wish
from tests.wishes import wishes

LAYOUT = ClusterLayout.from_assignments({(topic, 0): [1, 2] for topic in ("orders", "audit-log.v2", "_schemas")})

#: Made once: it takes longer than all that is asked of it.
PARSER = parser()


@given(wishes(st.sampled_from(["a", "rack-b", "eu west"]), st.sampled_from(LAYOUT.topics)))
def test_the_words_of_a_wish_are_that_wish(wish: Wish) -> None:
    """Nothing of what can be wished, no option and no point, is lost on the way through the command line."""
    wish = replace(wish, replace=())  # says who leaves and who joins, too: see below
    assert wish_of(PARSER.parse_args(["plan", "layout.txt", *options_of(wish)]), LAYOUT) == wish


def test_a_replacement_says_who_leaves_and_who_joins() -> None:
    """A new broker joins in the rack of the one that it replaces, unless another rack is told."""
    layout = ClusterLayout.from_assignments({("t", 0): [1, 2]}, brokers=[Broker(1, "a"), Broker(2, "b")])

    def wish(*words: str) -> Wish:
        return wish_of(PARSER.parse_args(["plan", "layout.txt", *words]), layout)

    assert wish("--replace", "1:9") == Wish(remove=(1,), add=((9, "a"),), replace=((1, 9),))
    assert wish("--replace", "1:9:b") == Wish(remove=(1,), add=((9, "b"),), replace=((1, 9),))
    assert wish("--replace", "1:2") == Wish(remove=(1,), replace=((1, 2),))
    assert wish("--replace", "1:9", "--remove", "2").remove == (1, 2)


def test_aims_are_the_change_that_has_them() -> None:
    """As in a change file; beside a change that has another order they are refused."""

    def wish(*words: str) -> Wish:
        return wish_of(PARSER.parse_args(["plan", "layout.txt", *words]), LAYOUT)

    assert wish("--aims", "racks,moves,balance") == Wish(mend_racks=True)
    assert wish("--remove", "1", "--aims", "racks,spread,moves,balance") == Wish(remove=(1,), rebalance=True)
    with pytest.raises(WishRefused, match="closest is mend"):
        wish("--mend", "--aims", "spread,moves")
