"""Racks of leaders: the first preferred rack of a list leads it, and leaders are as even as that allows."""

from __future__ import annotations

import numpy as np
import pytest

from reseat.errors import WishRefused
from reseat.model import Broker, ClusterLayout, Options, Plan, Wish
from reseat.planning import plan
from reseat.planning.judge import judge
from tests.planning.brute_force import best_leaders, numbers_of, random_layout, replaced, seeds, targets_of

Key = tuple[str, int]


def ranked(layout: ClusterLayout, rng: np.random.Generator) -> tuple[str, ...]:
    """Some of its racks, in any order."""
    return tuple(rng.permutation(layout.racks)[: int(rng.integers(1, len(layout.racks) + 1))].tolist())


def ranks(layout: ClusterLayout, racks: tuple[str, ...]) -> dict[int, int]:
    """The place of each broker's rack among these."""
    return {b.id: racks.index(b.rack) if b.rack in racks else len(racks) for b in layout.brokers}


def leads_where_it_should(layout: ClusterLayout, made: Plan, ordered: list[Key], out: tuple[int, ...] = ()) -> None:
    """Of the lists that may be ordered: no rack before the leader's has a broker that can be it; nothing is evener."""
    racks, never = made.wish.options.leader_racks, made.wish.options.never_leads
    able, rank = {*targets_of(layout, out)} - {*never}, ranks(layout, racks)
    proposed = made.proposed.assignments()
    for key in ordered:
        can = [rank[member] for member in proposed[key] if member in able]
        assert not can or rank[proposed[key][0]] == min(can), (key, proposed[key], racks)
    best = best_leaders(layout, proposed, ordered, out, never, leader_racks=racks)
    assert numbers_of(layout, proposed, out, never)[2:] == best
    assert made.certificate.leader_balance_proven
    assert made.certificate.changed_leaders_proven
    assert judge(layout, made.proposed, made.wish).leader_balance_proven


def racked(rng: np.random.Generator, brokers: int, partitions: int, *, dead: bool = True) -> ClusterLayout:
    """A random layout in which some broker has a rack."""
    while True:
        layout = random_layout(rng, brokers=brokers, partitions=partitions, dead=dead)
        if layout.racks:
            return layout


@seeds(20, 400)
def test_leaders_alone_and_a_rebalance_order_every_list(seed: int) -> None:
    """Against every order; with brokers that never lead, dead and fenced ones, and brokers without a rack."""
    rng = np.random.default_rng(seed)
    layout = racked(rng, int(rng.integers(3, 6)), int(rng.integers(1, 6)))
    never = (int(rng.choice(layout.broker_ids)),) if rng.random() < 0.3 else ()
    options = Options(leader_racks=ranked(layout, rng), never_leads=never, keep_unmovable=True)
    for wish in (Wish(leaders_only=True, options=options), Wish(rebalance=True, options=options)):
        leads_where_it_should(layout, plan(layout, wish), list(layout.assignments()))


@seeds(20, 300)
def test_a_drain_orders_what_changes(seed: int) -> None:
    """The lists of other partitions stay as they are, unless all may be reordered."""
    rng = np.random.default_rng(seed)
    layout = racked(rng, int(rng.integers(4, 6)), int(rng.integers(2, 6)), dead=False)
    out = (int(layout.broker_ids[0]),)
    for every in (False, True):
        options = Options(leader_racks=ranked(layout, rng), reorder_all=every)
        made = plan(layout, Wish(remove=out, options=options))
        before, after = layout.assignments(), made.proposed.assignments()
        able, rank = {*targets_of(layout, out)}, ranks(layout, options.leader_racks)
        last = len(options.leader_racks)
        away = sum(rank[ids[0]] > min((rank[i] for i in ids if i in able), default=last) for ids in after.values())
        but = f", but for {away} partition" if away else "can lead."
        assert any(said.startswith("Preferred leaders are in") and but in said for said in made.certificate.sentences)
        ordered = [key for key in before if every or {*before[key]} != {*after[key]}]
        if ordered:
            leads_where_it_should(layout, made, ordered, out)


@seeds(20, 200)
def test_another_order_is_not_proven(seed: int) -> None:
    """Lists shuffled: proven only where every leader is in its rack and none are evener."""
    rng = np.random.default_rng(seed)
    layout = racked(rng, 4, 4, dead=False)
    racks = ranked(layout, rng)
    wish = Wish(leaders_only=True, options=Options(leader_racks=racks))
    best = best_leaders(layout, layout.assignments(), list(layout.assignments()), (), leader_racks=racks)
    able, rank = {*targets_of(layout, ())}, ranks(layout, racks)
    for _ in range(10):
        proposed = {key: rng.permutation(ids).tolist() for key, ids in layout.assignments().items()}
        told = judge(layout, replaced(layout, proposed), wish)
        fit = all(
            not able & {*ids} or (ids[0] in able and rank[ids[0]] == min(rank[one] for one in ids if one in able))
            for ids in proposed.values()
        )

        assert told.leader_balance_proven <= (fit and numbers_of(layout, proposed, ())[2] == best[0])


def test_a_large_layout_is_proven_too() -> None:
    """3,000 lists over 30 brokers in three racks: every leader is in the one that is preferred."""
    rng = np.random.default_rng(1)
    lists = {("t", row): [3 * int(i) + rack for rack, i in enumerate(rng.integers(0, 10, 3))] for row in range(3_000)}
    layout = ClusterLayout.from_assignments(lists, brokers=[Broker(b, rack="abc"[b % 3]) for b in range(30)])
    made = plan(layout, Wish(leaders_only=True, options=Options(leader_racks=("b",))))
    led = made.proposed.preferred_by_broker

    assert led[0::3].sum() == led[2::3].sum() == 0
    assert led[1::3].sum() == 3_000
    assert made.certificate.leader_balance_proven


def test_a_rack_that_is_not_there_is_refused() -> None:
    """Its name, and those that there are."""
    layout = ClusterLayout.from_assignments({("t", 0): [0, 1]}, brokers=[Broker(0, rack="a"), Broker(1, rack="b")])
    with pytest.raises(WishRefused, match=r"No broker is in rack c, where leaders are to be\.") as refused:
        plan(layout, Wish(leaders_only=True, options=Options(leader_racks=("c",))))

    assert refused.value.choices == ("Choose among the racks a and b.",)
