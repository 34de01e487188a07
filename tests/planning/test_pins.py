"""Pinned partitions keep their replica lists in every plan, and the rest is the best that there is beside them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from reseat.errors import WishRefused
from reseat.model import Broker, ClusterLayout, Options, Plan, Wish
from reseat.planning import plan
from reseat.planning.judge import judge
from tests.cases import case_numbers
from tests.planning.brute_force import best_of, numbers_of, options_of, random_layout, resorts_of, targets_of
from tests.planning.test_rebalance import outcomes_from, sets_of, value_of

Key = tuple[str, int]


def pins_of(layout: ClusterLayout, rng: np.random.Generator) -> tuple[tuple[str, int | None], ...]:
    """Some partitions, one of them by its whole topic."""
    keys = list(layout.assignments())
    chosen = [keys[i] for i in rng.choice(len(keys), max(1, len(keys) // 2), replace=False)]
    return ((chosen[0][0], None), *chosen[1:]) if rng.random() < 0.2 else tuple(chosen)


def held(layout: ClusterLayout, pins: tuple[tuple[str, int | None], ...]) -> set[Key]:
    """The partitions that are pinned."""
    return {
        key for key in layout.assignments() for topic, at in pins if key[0] == topic and (at is None or at == key[1])
    }


def keeps(made: Plan, pinned: set[Key]) -> None:
    """Each list as it was, its order with it."""
    before, after = made.current.assignments(), made.proposed.assignments()

    assert {key: after[key] for key in pinned} == {key: before[key] for key in pinned}
    assert made.certificate.faults == ()


@pytest.mark.parametrize("seed", case_numbers(60))
def test_a_drain_is_the_best_beside_what_is_pinned(seed: int) -> None:
    """Against every plan that leaves the pinned where they are, also on the broker that leaves; proven."""
    rng = np.random.default_rng(seed)
    layout = random_layout(rng, brokers=int(rng.integers(4, 6)), partitions=int(rng.integers(2, 6)), dead=False)
    pins, out = pins_of(layout, rng), (int(layout.broker_ids[0]),)
    pinned = held(layout, pins)
    free = {key: sets for key, sets in options_of(layout, out).items() if key not in pinned}
    best = best_of(layout, free, targets_of(layout, out), None, resorts_of(layout, out))
    wish = Wish(remove=out, options=Options(pin=pins))
    if best is None:
        with pytest.raises(WishRefused):
            plan(layout, wish)
        return
    made = plan(layout, wish)
    keeps(made, pinned)

    assert numbers_of(layout, made.proposed.assignments(), out)[:2] == (best.rack, best.replicas)
    assert made.certificate.moves == len(free)
    assert made.certificate.moves_proven
    assert made.certificate.replica_balance_proven
    assert judge(layout, made.proposed, wish).replica_balance_proven


@pytest.mark.parametrize("seed", case_numbers(60))
def test_a_rebalance_is_the_best_beside_what_is_pinned(seed: int) -> None:
    """Spread, moves and sum of squares against every plan; the pinned keep their preferred leaders, too."""
    rng = np.random.default_rng(seed)
    layout = random_layout(rng, brokers=int(rng.integers(3, 6)), partitions=int(rng.integers(2, 5)))
    pins = pins_of(layout, rng)
    pinned, lists = held(layout, pins), layout.assignments()
    sets = {key: [lists[key]] if key in pinned else every for key, every in sets_of(layout).items()}
    outcomes = outcomes_from(layout, sets)
    load = outcomes[:, 1:]
    best = min(zip(np.ptp(load, axis=1), outcomes[:, 0], (load**2).sum(axis=1), strict=True))
    made = plan(layout, Wish(rebalance=True, options=Options(pin=pins)))
    keeps(made, pinned)

    assert value_of(layout, made.proposed.assignments()) == tuple(int(one) for one in best)
    assert made.certificate.moves_proven or made.certificate.replica_spread > 1


@pytest.mark.parametrize("seed", case_numbers(20))
def test_every_kind_leaves_the_pinned_as_they_are(seed: int) -> None:
    """Added brokers, another factor, racks alone, leaders alone, one for one."""
    rng = np.random.default_rng(seed)
    layout = random_layout(rng, brokers=5, partitions=6, dead=False)
    pins = pins_of(layout, rng)
    pinned, topics, out = held(layout, pins), tuple(layout.topics), int(layout.broker_ids[0])
    for wish in (
        Wish(add=((50, layout.brokers[0].rack),)),
        Wish(replication_factor=2, topics=topics),
        Wish(leaders_only=True),
        Wish(remove=(out,), replace=((out, 60),), add=((60, layout.brokers[0].rack),)),
        Wish(mend=True),
        *([Wish(mend_racks=True)] if layout.racks else []),
    ):
        made = plan(layout, replace(wish, options=Options(pin=pins, reorder_all=True)))
        keeps(made, pinned)


def test_what_stays_on_a_broker_that_leaves_is_said() -> None:
    """With how many and where; a pin that keeps nobody from leaving is a note."""
    layout = ClusterLayout.from_assignments(
        {("a", 0): [0, 1], ("a", 1): [1, 2], ("b", 0): [0, 2]}, brokers=[Broker(b) for b in range(4)]
    )
    on_it = plan(layout, Wish(remove=(0,), options=Options(pin=(("a", None),))))
    beside = plan(layout, Wish(remove=(0,), options=Options(pin=(("a", 1),))))

    said = [[one.sentence for one in made.certificate.cautions if one.kind == "pinned"] for made in (on_it, beside)]

    assert said == [
        [
            "2 partitions are pinned and keep their replica lists: 1 replica stays on broker 0, which is not drained "
            "completely."
        ],
        ["1 partition is pinned and keeps its replica list."],
    ]


@pytest.mark.parametrize(
    ("pin", "sentence"),
    [
        (("x", None), "No topic matches x, which is to be pinned."),
        (("a", 9), "No partition matches a:9, which is to be"),
    ],
)
def test_a_pin_that_fits_nothing_is_refused(pin: tuple[str, int | None], sentence: str) -> None:
    """A slip of the finger would else move what must not move."""
    layout = ClusterLayout.from_assignments({("a", 0): [0, 1]}, brokers=[Broker(2)])
    for wish in (Wish(remove=(0,)), Wish(rebalance=True), Wish(leaders_only=True)):
        with pytest.raises(WishRefused, match=sentence):
            plan(layout, replace(wish, options=Options(pin=(pin,))))


def test_patterns_pin_all_that_they_fit() -> None:
    """As in all lists of topics."""
    lists = {(topic, 0): [0, 1] for topic in ("pay-a", "pay-b", "log")}
    layout = ClusterLayout.from_assignments(lists, brokers=[Broker(2), Broker(3)])
    made = plan(layout, Wish(remove=(0,), options=Options(pin=(("pay-*", None),))))
    still = [topic for (topic, _), ids in made.proposed.assignments().items() if 0 in ids]

    assert still == ["pay-a", "pay-b"]
