"""The rows of a certificate: in the order of its aims, the spread among them."""

from __future__ import annotations

import pytest

from components.plan.proof import rows_of
from reseat.model import Broker, ClusterLayout, Options, Wish
from reseat.planning import plan
from reseat.planning.judge import judge

LAYOUT = ClusterLayout.from_assignments(
    {("a", at): [0, 1] for at in range(6)}, brokers=[Broker(b, rack=f"r{b % 2}") for b in range(4)]
)


@pytest.mark.parametrize(
    ("wish", "place", "expected"),
    [
        (Wish(rebalance=True), 1, (0, 0, True)),
        (Wish(rebalance=True, options=Options(max_moves=2)), 1, (4, None, False)),
        (Wish(rebalance=True, options=Options(keep_racks=True)), 3, (0, 0, True)),
        (Wish(remove=(1,)), 3, (6, 6, True)),
    ],
)
def test_the_spread_has_a_row(wish: Wish, place: int, expected: tuple[int, int | None, bool]) -> None:
    """Before moves where it comes before them; proven where no plan has a smaller one, never at a limit on moves."""
    rows = rows_of(plan(LAYOUT, wish).certificate)

    assert rows[place][0] == "Replica spread (max–min replicas by broker)"
    assert rows[place][1:] == expected
    assert len(rows) == 6


def test_no_minimum_is_above_what_a_plan_has() -> None:
    """A plan that does less than is asked for moves fewer replicas than any that does it, and the sentence says so."""
    wish = Wish(rebalance=True)
    half = judge(LAYOUT, plan(LAYOUT, Wish(rebalance=True, options=Options(max_moves=2))).proposed, wish)
    rows = {words: (reached, least, proven) for words, reached, least, proven in rows_of(half)}

    assert (half.moves, half.least_moves, half.moves_proven) == (2, 6, False)
    assert rows["Replica moves"] == (2, None, False)
    assert half.sentences[0] == "It moves 2 replicas; Reseat's plan, which does all that is asked for, moves 6."
