"""Brokers that receive nothing: every kind is the best of all plans in which they do not, and they still lead.

For replicas the oracle sees them as dead: nothing comes, what is there stays unless it must go, and it does not count.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from reseat.errors import WishRefused
from reseat.model import Broker, BrokerState, ClusterLayout, Options, Plan, Wish
from reseat.planning import plan
from reseat.planning.judge import judge
from tests.planning.brute_force import (
    best_leaders,
    best_of,
    best_sets,
    grown_options,
    numbers_of,
    random_layout,
    replaced,
    resorts_of,
    targets_of,
)
from tests.planning.test_rebalance import best_of_all, value_of

FEW, MANY = 24, 1_500


def closed(layout: ClusterLayout, never: tuple[int, ...]) -> ClusterLayout:
    """The layout as the oracle sees it."""
    dead = [replace(b, state=BrokerState.DEAD) if b.id in never else b for b in layout.brokers]
    return layout.with_brokers(dead)


def some(layout: ClusterLayout, rng: np.random.Generator, but: tuple[int, ...] = ()) -> tuple[int, ...]:
    """One or two brokers that do not leave."""
    ids = [int(broker) for broker in layout.broker_ids if broker not in but]
    return tuple(sorted(int(i) for i in rng.choice(ids, int(rng.integers(1, 3)), replace=False)))


def holds(layout: ClusterLayout, made: Plan, wish: Wish, *, every: bool) -> None:
    """Nothing comes to them; leaders are the best of all orders, theirs included; the judge says the same."""
    before, after, never = layout.assignments(), made.proposed.assignments(), wish.options.never_onto
    for key, ids in after.items():
        assert not {*never} & ({*ids} - {*before[key]}), (key, ids, never)
    free = [key for key in after if every or {*before[key]} != {*after[key]}]
    assert numbers_of(layout, after, wish.remove)[2:] == best_leaders(layout, after, free, wish.remove)
    judged = judge(layout, made.proposed, wish)
    assert judged.valid
    assert judged.replica_balance_proven == made.certificate.replica_balance_proven
    assert judged.moves_proven == made.certificate.moves_proven


def drained(seed: int) -> bool:
    """A drain beside such brokers against every plan with the fewest moves; whether there is one."""
    rng = np.random.default_rng(seed)
    layout = random_layout(rng, brokers=int(rng.integers(4, 7)), partitions=int(rng.integers(2, 6)))
    out = (int(layout.broker_ids[0]),)
    options = Options(never_onto=some(layout, rng, out), keep_unmovable=True)
    wish, seen = Wish(remove=out, options=options), closed(layout, options.never_onto)
    best = best_sets(seen, out) if targets_of(seen, out) else None
    if best is None:
        with pytest.raises(WishRefused):
            plan(layout, wish)
        return False
    made = plan(layout, wish)
    holds(layout, made, wish, every=False)
    assert numbers_of(seen, made.proposed.assignments(), out)[:2] == (best.rack, best.replicas)
    assert made.certificate.moves_proven
    assert made.certificate.replica_balance_proven
    return True


def rebalanced(seed: int) -> bool:
    """A rebalance beside such brokers against every plan; whether there is one."""
    rng = np.random.default_rng(seed)
    layout = random_layout(rng, brokers=int(rng.integers(3, 6)), partitions=int(rng.integers(2, 6)))
    options = Options(never_onto=some(layout, rng), keep_unmovable=True)
    wish, seen = Wish(rebalance=True, options=options), closed(layout, options.never_onto)
    if not targets_of(seen, ()):
        with pytest.raises(WishRefused, match=r"receives nothing|known to be dead"):
            plan(layout, wish)
        return False
    made = plan(layout, wish)
    holds(layout, made, wish, every=True)
    assert value_of(seen, made.proposed.assignments()) == best_of_all(seen)
    assert made.certificate.moves_proven or made.certificate.replica_spread > 1
    return True


def grown(seed: int) -> bool:
    """More replicas beside such brokers against every plan; whether there is one."""
    rng = np.random.default_rng(seed)
    layout = random_layout(rng, brokers=int(rng.integers(4, 7)), partitions=int(rng.integers(2, 5)), deepest=2)
    options = Options(never_onto=some(layout, rng), keep_unmovable=True)
    topics = tuple(layout.topics)
    wish, seen = (
        Wish(replication_factor=3, topics=topics, options=options),
        closed(layout, options.never_onto),
    )
    sets = grown_options(seen, topics, 3)
    best = best_of(seen, sets, targets_of(seen, ()), None, resorts_of(seen, ())) if targets_of(seen, ()) else None
    if best is None:
        with pytest.raises(WishRefused):
            plan(layout, wish)
        return False
    made = plan(layout, wish)
    after = made.proposed.assignments()
    assert numbers_of(seen, after, ())[:2] == (best.rack, best.replicas)
    assert not any({*options.never_onto} & ({*ids} - {*layout.assignments()[key]}) for key, ids in after.items())
    assert made.certificate.moves_proven
    assert made.certificate.replica_balance_proven
    assert judge(layout, made.proposed, wish).replica_balance_proven
    return True


@pytest.mark.parametrize("kind", [drained, rebalanced, grown])
def test_it_is_the_best_of_every_plan_in_which_they_receive_nothing(kind) -> None:
    """Against every choice there is; racks equal, unequal and unknown, dead and fenced brokers beside them."""
    assert sum(kind(seed) for seed in range(FEW)) > FEW // 3


@pytest.mark.slow
@pytest.mark.parametrize("kind", [drained, rebalanced, grown])
def test_it_is_the_best_of_every_plan_in_which_they_receive_nothing_at_length(kind) -> None:
    """The same of many more."""
    assert sum(kind(seed) for seed in range(FEW, MANY)) > MANY // 3


def test_a_copy_to_one_is_a_fault_and_names_it() -> None:
    """Whoever made the plan: it must not be carried out."""
    layout = ClusterLayout.from_assignments({("t", 0): [1, 2]}, brokers=[Broker(i) for i in range(1, 5)])
    wish = Wish(remove=(2,), options=Options(never_onto=(4,)))
    told = judge(layout, replaced(layout, {("t", 0): [1, 4]}), wish)

    assert not told.valid
    assert "t-0 would be copied to broker 4, which is to receive nothing." in told.faults
    assert judge(layout, replaced(layout, {("t", 0): [1, 3]}), wish).valid


def test_what_is_said_of_them_and_what_is_refused() -> None:
    """Unknown ones, one that joins, one that takes a place, nobody left, and a factor that goes both ways."""
    lists = {("s", 0): [1], ("t", 0): [1, 2], ("u", 0): [1, 2, 3]}
    layout = ClusterLayout.from_assignments(lists, brokers=[Broker(i) for i in range(1, 6)])

    def asked(never: tuple[int, ...], **wish: object) -> Plan:
        return plan(layout, Wish(options=Options(never_onto=never), **wish))  # type: ignore[arg-type]

    told = asked((4,), remove=(2,)).certificate.sentences
    with pytest.raises(WishRefused, match="Broker 9 is not in this layout"):
        asked((9,), remove=(2,))
    with pytest.raises(WishRefused, match="Broker 9 is to be added and to receive nothing"):
        asked((9,), add=((9, None),))
    with pytest.raises(WishRefused, match="broker 4 is to receive nothing"):
        asked((4,), remove=(2,), replace=((2, 4),))
    with pytest.raises(WishRefused, match=r"Every live broker that would remain receives nothing \(1, 3, 4 and 5\)"):
        asked((1, 3, 4, 5), remove=(2,))
    with pytest.raises(WishRefused, match="Some partitions of these topics get more replicas and some fewer"):
        asked((4,), replication_factor=2, topics=("s", "u"))

    assert told[-1] == "Broker 4 receives nothing and is not counted in the replica balance."
