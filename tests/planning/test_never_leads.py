"""Brokers that never lead: first only in lists that hold nobody else, and the others lead as evenly as can be."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from reseat.errors import WishRefused
from reseat.model import Broker, ClusterLayout, Options, Plan, Wish
from reseat.planning import plan
from reseat.planning.judge import judge
from tests.planning.brute_force import best_leaders, numbers_of, random_layout, replaced, seeds, targets_of

Key = tuple[str, int]


def holds(layout: ClusterLayout, made: Plan, ordered: list[Key], never: tuple[int, ...], out: tuple[int, ...]) -> None:
    """Of the lists that may be ordered: nobody of ``never`` is first beside another that may, and nothing is evener."""
    proposed = made.proposed.assignments()
    able = {*targets_of(layout, out)} - {*never}
    for key in ordered:
        members = proposed[key]
        assert not members or members[0] in able or not able & {*members}, (key, members, never)
    assert numbers_of(layout, proposed, out, never)[2:] == best_leaders(layout, proposed, ordered, out, never)
    assert made.certificate.leader_balance_proven
    assert made.certificate.changed_leaders_proven
    assert judge(layout, made.proposed, made.wish).leader_balance_proven


def some(layout: ClusterLayout, rng: np.random.Generator) -> tuple[int, ...]:
    """One or two brokers."""
    return tuple(sorted(int(i) for i in rng.choice(layout.broker_ids, int(rng.integers(1, 3)), replace=False)))


@seeds(20, 400)
def test_of_leaders_alone_and_of_a_rebalance_every_list_is_ordered(seed: int) -> None:
    """Against every order; also where all brokers of a list are meant, and dead or fenced ones beside them."""
    rng = np.random.default_rng(seed)
    layout = random_layout(rng, brokers=int(rng.integers(3, 6)), partitions=int(rng.integers(1, 6)))
    never = some(layout, rng)
    options = Options(never_leads=never, keep_unmovable=True)
    for wish in (Wish(leaders_only=True, options=options), Wish(rebalance=True, options=options)):
        holds(layout, plan(layout, wish), list(layout.assignments()), never, ())


@seeds(20, 400)
def test_of_a_drain_only_what_changes_is_ordered(seed: int) -> None:
    """The lists of other partitions stay, also where such a broker is first; with all reordered, none is."""
    rng = np.random.default_rng(seed)
    layout = random_layout(rng, brokers=int(rng.integers(4, 6)), partitions=int(rng.integers(2, 6)), dead=False)
    out, never = (int(layout.broker_ids[0]),), some(layout, rng)
    for every in (False, True):
        made = plan(layout, Wish(remove=out, options=Options(never_leads=never, reorder_all=every)))
        before, after = layout.assignments(), made.proposed.assignments()
        able = {*targets_of(layout, out)} - {*never}
        kept = sum(ids[0] in never and bool(able & {*ids}) for ids in after.values())
        but = f" can lead, but for {kept} partition" if kept else " can lead."
        assert any("the preferred leader of no list" in said and but in said for said in made.certificate.sentences)
        ordered = [key for key in before if every or {*before[key]} != {*after[key]}]
        if not ordered:
            continue
        holds(layout, made, ordered, never, out)


@seeds(20, 200)
def test_another_order_is_not_proven(seed: int) -> None:
    """Lists shuffled: proven only where they are as even, and led by who may lead."""
    rng = np.random.default_rng(seed)
    layout = random_layout(rng, brokers=4, partitions=4, dead=False)
    never = some(layout, rng)
    wish = Wish(leaders_only=True, options=Options(never_leads=never))
    keys = list(layout.assignments())
    best = best_leaders(layout, layout.assignments(), keys, (), never)
    for _ in range(10):
        proposed = {key: rng.permutation(ids).tolist() for key, ids in layout.assignments().items()}
        able = {*targets_of(layout, ())} - {*never}
        fit = all(not able & {*ids} or ids[0] in able for ids in proposed.values() if ids)
        squares = numbers_of(layout, proposed, (), never)[2]
        told = judge(layout, replaced(layout, proposed), wish)

        assert told.leader_balance_proven <= (fit and squares == best[0])


def test_a_broker_that_is_not_there_is_named() -> None:
    """A slip of the pen is no rule: whoever was meant would lead."""
    layout = ClusterLayout.from_assignments({("t", 0): [0, 1]})
    for wish in (Wish(leaders_only=True), Wish(replication_factor=1, topics=("t",))):
        with pytest.raises(WishRefused, match=r"Broker 7 is not in this layout of 2 brokers \(never_leads\)"):
            plan(layout, replace(wish, options=Options(never_leads=(1, 7))))


def test_who_joins_to_be_filled_need_not_lead() -> None:
    """A new broker takes replicas, and leads none of them."""
    lists = {("t", row): [row % 3, (row + 1) % 3] for row in range(12)}
    layout = ClusterLayout.from_assignments(lists, brokers=[Broker(b) for b in range(3)])
    made = plan(layout, Wish(add=((9, None),), options=Options(never_leads=(9,))))

    assert made.certificate.moves == 6
    assert sum(9 in ids for ids in made.proposed.assignments().values()) == 6
    assert not any(ids[0] == 9 for ids in made.proposed.assignments().values())
    assert made.certificate.leader_balance_proven
