"""Picks by exchanges between brokers: the best that one flow over all rows finds."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from reseat.planning.solve import picking
from reseat.planning.solve.picking import Picks, picked
from reseat.planning.solve.problem import NoRoom


def random_picks(seed: int) -> Picks:
    """A hundred rows that pick one to three of up to six brokers, in racks or each by itself."""
    rng = np.random.default_rng(seed)
    rows, brokers, width = int(rng.integers(20, 120)), int(rng.integers(4, 16)), int(rng.integers(2, 5))
    skew = rng.random(brokers) ** 2 + 0.02
    drawn = [rng.choice(brokers, min(width + 1, brokers), replace=False, p=skew / skew.sum()) for _ in range(rows)]
    lists = np.stack(drawn)
    candidates = np.where(rng.random((rows, width)) < 0.9, lists[:, :width], -1).astype(np.int32)
    candidates[:, 0] = lists[:, 0]
    racks = rng.integers(0, 3, brokers) if seed % 2 else np.arange(brokers)
    counts = rng.random(brokers) < 0.9
    counts[0] = True
    return Picks(
        candidates=candidates,
        amount=np.minimum(rng.integers(1, 3, rows), (candidates >= 0).sum(axis=1)),
        dear=(rng.random((rows, width)) < 0.6) & (candidates >= 0),
        price=int(rng.integers(1, 8)),
        square=int(rng.integers(1, brokers + 2)),
        base=rng.integers(0, 20, brokers).astype(np.int64),
        counts=counts,
        rack=racks.astype(np.int32),
        fixed=lists[:, width:].astype(np.int32) if seed % 2 else np.empty((rows, 0), np.int32),
    )


def worth(picks: Picks, chosen: np.ndarray) -> tuple[int, int]:
    """Racks first; then what dear picks and loads cost."""
    here, fixed = picks.racks
    inside = np.zeros((len(chosen), int(picks.rack.max()) + 1), np.int64)
    for codes, mask in ((here, chosen), (fixed, fixed >= 0)):
        row, column = np.nonzero(mask)
        np.add.at(inside, (row, codes[row, column]), 1)
    loads = picks.loads(chosen)[picks.counts]
    cost = picks.price * int((chosen & picks.dear).sum()) + picks.square * int((loads**2).sum())
    return int((inside**2).sum()), cost


@pytest.mark.parametrize("seed", range(40))
def test_exchanges_come_to_what_one_flow_over_all_rows_finds(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of racks, and of dear picks and loads weighed, also of brokers that do not count."""
    picks = random_picks(seed)
    best = picked(picks, surely=True)
    monkeypatch.setattr(picking, "GROUPS", 0)
    monkeypatch.setattr(picking, "MANY", 0)

    found = picked(picks)

    assert not (found & (picks.candidates < 0)).any()
    np.testing.assert_array_equal(found.sum(axis=1), picks.amount)
    assert worth(picks, found) == worth(picks, best)


@pytest.mark.parametrize("seed", range(0, 40, 2))
def test_a_share_is_kept_with_the_fewest_dear_picks_or_refused(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both ways find as few dear picks, or that no picks have the share."""
    picks = replace(random_picks(seed), base=np.zeros_like(random_picks(seed).base))
    picks = replace(picks, amount=np.ones_like(picks.amount))
    inside = replace(picks, counts=np.ones_like(picks.counts), share=len(picks.amount) // len(picks.base))
    outcomes: list[int | None] = []
    for groups in (1_000, 0):
        monkeypatch.setattr(picking, "GROUPS", groups)
        try:
            found = picked(inside, surely=True)
            assert np.ptp(inside.loads(found)) <= 1
            outcomes.append(int((found & inside.dear).sum()))
        except NoRoom:
            outcomes.append(None)

    assert outcomes[0] == outcomes[1]


def test_rows_that_two_exchanges_ask_for_make_one_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Broker 0 leads six lists of brokers 0, 1, 2: the flow asks each pair for what all six could do alone."""
    monkeypatch.setattr(picking, "GROUPS", 0)
    lists = np.tile(np.array([[0, 1, 2]], np.int32), (6, 1)) + 3 * np.repeat([0, 1], 3)[:, None].astype(np.int32)
    picks = Picks(
        candidates=lists,
        amount=np.ones(6, np.int64),
        dear=lists % 3 != 0,
        price=1,
        square=7,
        base=np.zeros(6, np.int64),
        counts=np.ones(6, np.bool_),
        rack=np.arange(6, dtype=np.int32),
        fixed=lists[:, :0],
    )

    assert picks.loads(picked(picks, surely=True)).tolist() == [1, 1, 1, 1, 1, 1]
