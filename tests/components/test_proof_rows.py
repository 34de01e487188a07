"""The rows of a certificate: in the order of its aims, the spread among them."""

from __future__ import annotations

import pytest

from components.plan.proof import rows_of
from reseat.model import Broker, ClusterLayout, Options, Wish
from reseat.planning import plan

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
