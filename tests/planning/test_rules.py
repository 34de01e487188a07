"""Rules of who may be where: every kind of change keeps them, is the best within them, and never worse than before."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from reseat.errors import WishRefused
from reseat.model import Broker, BrokerState, ClusterLayout, Options, Wish
from reseat.model.rules import Capacity, Onto
from reseat.planning import plan
from reseat.planning.judge import judge
from tests.cases import case_numbers
from tests.planning.brute_force import (
    Assignments,
    newcomers_of,
    rack_names,
    rack_squares,
    random_layout,
    replaced,
    targets_of,
)
from tests.planning.checking import has_no_sets

Sets = dict[tuple[str, int], list[list[int]]]
Value = tuple[int, int, int]


def movable_sets(layout: ClusterLayout, remove: tuple[int, ...], may: Callable[[str, int], bool]) -> Sets:
    """For each partition every set of a rebalance: what is on brokers that do not count stays, the rest is anywhere."""
    targets, out = targets_of(layout, remove), {}
    for key, members in layout.assignments().items():
        stuck = [m for m in members if m not in targets and m not in remove]
        some = [t for t in targets if may(key[0], t)]
        out[key] = [stuck + list(one) for one in itertools.combinations(some, len(members) - len(stuck))]
    return out


def least_over_racks(layout: ClusterLayout, sets: Sets) -> Sets:
    """Those that are as diverse over racks as can be."""
    racks, out = rack_names(layout), {}
    for key, every in sets.items():
        least = min((rack_squares(one, racks) for one in every), default=0)
        out[key] = [one for one in every if rack_squares(one, racks) == least]
    return out


def no_worse_over_racks(layout: ClusterLayout, sets: Sets, remove: tuple[int, ...]) -> Sets:
    """Those no less diverse than before; of partitions that lose a broker, than newcomers alone can make them."""
    racks, out = rack_names(layout), {}
    for key, members in layout.assignments().items():
        kept = [m for m in members if m not in remove]
        ends = [kept + new for new in newcomers_of(layout, remove, kept, len(members) - len(kept))]
        most = min((rack_squares(one, racks) for one in ends), default=-1)
        most = rack_squares(members, racks) if len(kept) == len(members) else most
        out[key] = [one for one in sets[key] if rack_squares(one, racks) <= most]
    return out


def outcomes_of(layout: ClusterLayout, sets: Sets, remove: tuple[int, ...]) -> np.ndarray:
    """(n, 1 + targets) moves and loads of every plan of these sets, each once."""
    targets, current = targets_of(layout, remove), layout.assignments()
    out = np.zeros((1, 1 + len(targets)), np.int64)
    for key, every in sets.items():
        if not every:
            return out[:0]
        table = [[len(set(one) - set(current[key])), *(t in one for t in targets)] for one in every]
        out = np.unique((out[:, None] + np.array(table)[None]).reshape(-1, out.shape[1]), axis=0)
    return out


def best_of(outcomes: np.ndarray) -> Value:
    """The least spread, then moves, then sum of squares."""
    loads = outcomes[:, 1:]
    found = zip(np.ptp(loads, axis=1), outcomes[:, 0], (loads**2).sum(axis=1), strict=True)
    spread, moves, squares = min(found)
    return int(spread), int(moves), int(squares)


def value_of(layout: ClusterLayout, proposed: Assignments, remove: tuple[int, ...]) -> Value:
    """The same of one plan, counted with loops."""
    loads = [sum(t in m for m in proposed.values()) for t in targets_of(layout, remove)]
    moves = sum(len(set(m) - set(layout.assignments()[key])) for key, m in proposed.items())
    return max(loads) - min(loads), moves, sum(load * load for load in loads)


def agrees(layout: ClusterLayout, wish: Wish, sets: Sets) -> bool:
    """If there is a plan, it is the best of these sets, the judge agrees, and none that is spoilt is proven."""
    outcomes = outcomes_of(layout, sets, wish.remove)
    if wish.options.capacity:
        targets = targets_of(layout, wish.remove)
        most = [min([c.replicas or 0 for c in wish.options.capacity if c.broker == t], default=99) for t in targets]
        stuck = [sum(t in m for m in layout.assignments().values()) for t in targets]
        fits = outcomes[(outcomes[:, 1:] <= most).all(axis=1)]
        # Where that cannot be, who holds more already holds no more.
        outcomes = fits if len(fits) else outcomes[(outcomes[:, 1:] <= np.maximum(most, stuck)).all(axis=1)]
    assert has_no_sets(layout, wish) == (not len(outcomes)), (layout.assignments(), wish)
    if not len(outcomes):
        with pytest.raises(WishRefused):
            plan(layout, wish)
        return False
    made = plan(layout, wish)
    proposed, certificate = made.proposed.assignments(), made.certificate

    assert certificate.faults == ()
    assert all(sorted(proposed[key]) in map(sorted, every) for key, every in sets.items()), layout.assignments()
    assert value_of(layout, proposed, wish.remove) == best_of(outcomes), (layout.assignments(), layout.brokers, wish)
    assert certificate.moves_proven or certificate.replica_spread > 1 or over(layout, proposed, wish)
    assert certificate.replica_balance_proven == certificate.moves_proven
    assert judge(layout, made.proposed, wish).moves_proven == certificate.moves_proven
    rng = np.random.default_rng(len(sets))
    for _ in range(4):
        other = {key: every[int(rng.integers(len(every)))] for key, every in sets.items()}
        told = judge(layout, replaced(layout, other), wish)
        assert told.moves_proven <= (value_of(layout, other, wish.remove)[:2] <= best_of(outcomes)[:2])
        assert told.replica_balance_proven <= (value_of(layout, other, wish.remove) == best_of(outcomes))
    return True


def over(layout: ClusterLayout, proposed: Assignments, wish: Wish) -> bool:
    """Whether a broker that counts holds more than its capacity."""
    held = [m for members in proposed.values() for m in members]
    return any(held.count(one.broker) > (one.replicas or 0) for one in wish.options.capacity)


def small(rng: np.random.Generator, *, dead: bool = True) -> ClusterLayout:
    """A layout of a few brokers and partitions of topics a and b."""
    return random_layout(rng, brokers=int(rng.integers(3, 6)), partitions=int(rng.integers(2, 5)), dead=dead)


def keeps_racks(rng: np.random.Generator) -> bool:
    """A rebalance that keeps racks, perhaps with a drain."""
    layout = small(rng)
    out = (int(rng.choice(layout.broker_ids)),) if rng.random() < 0.4 else ()
    wish = Wish(remove=out, rebalance=True, options=Options(keep_racks=True))
    if not targets_of(layout, out):
        return False
    sets = movable_sets(layout, out, lambda _topic, _broker: True)
    return agrees(layout, wish, no_worse_over_racks(layout, sets, out))


def lives_on(rng: np.random.Generator) -> bool:
    """A rebalance with topics that live on some brokers alone."""
    layout = small(rng, dead=False)
    ids = layout.broker_ids.tolist()
    there = tuple(sorted(rng.choice(ids, int(rng.integers(1, len(ids) + 1)), replace=False).tolist()))
    rule = Onto((layout.topics[0],), there)
    wish = Wish(rebalance=True, options=Options(only_onto=(rule,), keep_racks=bool(rng.random() < 0.3)))
    sets = movable_sets(layout, (), lambda topic, broker: topic != layout.topics[0] or broker in there)
    if not all(sets.values()):
        with pytest.raises(WishRefused, match="too few brokers"):
            plan(layout, wish)
        return False
    if wish.options.keep_racks:
        return _fits_racks(layout, wish, sets, there)
    return agrees(layout, wish, least_over_racks(layout, sets))


def _fits_racks(layout: ClusterLayout, wish: Wish, sets: Sets, there: tuple[int, ...]) -> bool:
    """Racks are kept, and those of partitions that must go elsewhere are as good as newcomers can make them."""
    racks, kept = rack_names(layout), {}
    for key, members in layout.assignments().items():
        stays = [m for m in members if key[0] != layout.topics[0] or m in there]
        free = [t for t in targets_of(layout, ()) if t not in stays and (key[0] != layout.topics[0] or t in there)]
        ends = [stays + list(new) for new in itertools.combinations(free, len(members) - len(stays))]
        most = min(rack_squares(one, racks) for one in ends)
        kept[key] = [one for one in sets[key] if rack_squares(one, racks) <= most]
    return agrees(layout, wish, kept)


def holds_no_more(rng: np.random.Generator) -> bool:
    """A rebalance of brokers with a capacity; one that cannot come down to it is never worse."""
    layout = small(rng)
    ids = rng.choice(layout.broker_ids, int(rng.integers(1, 3)), replace=False).tolist()
    limits = tuple(Capacity(broker, int(rng.integers(0, 4))) for broker in ids)
    wish = Wish(rebalance=True, options=Options(capacity=limits))
    sets = movable_sets(layout, (), lambda _topic, _broker: True)
    return agrees(layout, wish, least_over_racks(layout, sets))


KINDS = {"racks are kept": keeps_racks, "topics live on": lives_on, "capacities": holds_no_more}


@pytest.mark.parametrize("kind", KINDS)
def test_a_rebalance_is_the_best_within_its_rules(kind: str) -> None:
    """Against every plan that there is."""
    rng = np.random.default_rng(31)

    assert sum(KINDS[kind](rng) for _ in range(10)) > 5


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("kind", KINDS)
def test_a_rebalance_is_the_best_within_its_rules_at_length(kind: str, seed: int) -> None:
    """The same of many more."""
    rng = np.random.default_rng(5_000 + seed)

    assert sum(KINDS[kind](rng) for _ in range(250)) > 100


# ---- changes that move what must move alone ------------------------------------------------------------------------


def drained(layout: ClusterLayout, wish: Wish, may: Callable[[str, int], bool]) -> bool:
    """The drain is the best of all that move what must move alone within the rules, and proven; if there is one."""
    sets, targets = {}, targets_of(layout, wish.remove)
    for key, members in layout.assignments().items():
        kept = [m for m in members if m not in wish.remove]
        free = [t for t in targets if t not in kept and may(key[0], t)]
        new = itertools.combinations(free, len(members) - len(kept))
        sets[key] = [kept + list(one) for one in new]
    sets = least_over_racks(layout, sets)
    outcomes = outcomes_of(layout, sets, wish.remove)
    if wish.options.capacity and len(outcomes):
        kept_on = [sum(t in m for m in layout.assignments().values()) for t in targets]
        most = [min([c.replicas or 0 for c in wish.options.capacity if c.broker == t], default=99) for t in targets]
        outcomes = outcomes[(outcomes[:, 1:] <= np.maximum(most, kept_on)).all(axis=1)]
    assert has_no_sets(layout, wish) == (not len(outcomes)), (layout.assignments(), wish)
    if not len(outcomes):
        with pytest.raises(WishRefused):
            plan(layout, wish)
        return False
    made = plan(layout, wish)
    proposed, certificate = made.proposed.assignments(), made.certificate

    assert certificate.faults == ()
    assert all(sorted(proposed[key]) in map(sorted, every) for key, every in sets.items())
    assert value_of(layout, proposed, wish.remove)[2] == (outcomes[:, 1:] ** 2).sum(axis=1).min()
    assert certificate.moves_proven
    assert certificate.replica_balance_proven
    assert judge(layout, made.proposed, wish).replica_balance_proven
    return True


def drains(rng: np.random.Generator) -> bool:
    """A drain beside topics that live on some brokers alone, or capacities."""
    layout = small(rng, dead=False)
    ids = layout.broker_ids.tolist()
    out = (int(rng.choice(ids)),)
    there = tuple(sorted(rng.choice(ids, int(rng.integers(1, len(ids) + 1)), replace=False).tolist()))
    if rng.random() < 0.5:
        options = Options(only_onto=(Onto((layout.topics[0],), there),))
    else:
        options = Options(capacity=tuple(Capacity(broker, int(rng.integers(0, 4))) for broker in there))
    bound = bool(options.only_onto)
    return drained(
        layout,
        Wish(remove=out, options=options),
        lambda topic, broker: not bound or topic != layout.topics[0] or broker in there,
    )


def test_a_drain_is_the_best_within_its_rules() -> None:
    """Against every plan that moves what must move alone."""
    rng = np.random.default_rng(32)

    assert sum(drains(rng) for _ in range(16)) > 8


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_a_drain_is_the_best_within_its_rules_at_length(seed: int) -> None:
    """The same of many more."""
    rng = np.random.default_rng(6_000 + seed)

    assert sum(drains(rng) for _ in range(500)) > 250


def apart(layout: ClusterLayout) -> set[int]:
    """Brokers that have replicas of topics a and b."""
    lists = layout.assignments().items()
    one, two = ({m for (topic, _), members in lists if topic == name for m in members} for name in "ab")
    return one & two


@pytest.mark.parametrize("seed", case_numbers(40))
def test_topics_are_kept_apart(seed: int) -> None:
    """A rebalance parts them, a drain brings no two together; neither is a fault, and one that does is."""
    rng = np.random.default_rng(seed)
    layout = random_layout(rng, brokers=7, partitions=6, deepest=2, dead=False)
    if set(layout.topics) != {"a", "b"}:
        return
    options = Options(keep_apart=(("a", "b"),))
    for wish in (Wish(rebalance=True, options=options), Wish(remove=(int(layout.broker_ids[0]),), options=options)):
        made = plan(layout, wish)

        assert made.certificate.faults == ()
        assert apart(made.proposed) <= (set() if wish.rebalance else apart(layout))
        assert judge(layout, made.proposed, wish).faults == ()
        free = plan(layout, replace(wish, options=Options()))
        new = apart(free.proposed) - apart(layout)
        assert bool(judge(layout, free.proposed, wish).faults) >= bool(new)


# ---- by hand -------------------------------------------------------------------------------------------------------


def racked(lists: dict[tuple[str, int], list[int]], brokers: int = 6) -> ClusterLayout:
    """These lists over brokers 1 to 6 in racks a, b and c."""
    return ClusterLayout.from_assignments(lists, brokers=[Broker(i, "abc"[(i - 1) % 3]) for i in range(1, brokers + 1)])


def test_a_topic_moves_onto_its_brokers_in_a_rebalance_and_stays_in_a_drain() -> None:
    """One of pay's replicas is elsewhere: a rebalance moves it there, a drain leaves it and says so."""
    layout = racked({("pay", 0): [1, 5], ("pay", 1): [6, 2], ("log", 0): [4, 6]})
    options = Options(only_onto=(Onto(("pay*",), (1, 2), ("c",)),))
    whole, drain = plan(layout, Wish(rebalance=True, options=options)), plan(layout, Wish(remove=(6,), options=options))
    held = {m for key, members in whole.proposed.assignments().items() if key[0] == "pay" for m in members}

    assert held <= {1, 2, 3, 6}
    assert whole.certificate.sentences[-1] == "Topics that live on some brokers alone are on these brokers alone."
    assert sorted(drain.proposed.assignments()["pay", 0]) == [1, 5]
    assert set(drain.proposed.assignments()["pay", 1]) <= {1, 2, 3}
    assert drain.certificate.sentences[-1] == (
        "Topics that live on some brokers alone: 1 replica is elsewhere and stays there; none is added."
    )


def test_rules_hold_for_factors_added_brokers_and_replacements() -> None:
    """Pay lives on 1, 2 and 3: a third replica, a new broker and the one that replaces 3 leave it there."""
    layout = racked({("pay", 0): [1, 2], ("pay", 1): [3, 1], **{("log", at): [4, 3] for at in range(3)}})
    options = Options(only_onto=(Onto(("pay",), (1, 2, 3)),))
    third = plan(layout, Wish(topics=("pay",), replication_factor=3, options=options))
    joined = plan(layout, Wish(add=((9, "c"),), options=options))
    other = plan(layout, Wish(remove=(3,), add=((9, "c"),), replace=((3, 9),), options=options))

    assert sorted(third.proposed.assignments()["pay", 0]) == [1, 2, 3]
    assert all(9 not in joined.proposed.assignments()["pay", at] for at in (0, 1))
    assert joined.certificate.moves > 0
    assert sorted(other.proposed.assignments()["pay", 1]) == [1, 2]
    assert all(9 in other.proposed.assignments()["log", at] for at in range(3))
    assert all(made.certificate.moves_proven for made in (third, joined, other))
    with pytest.raises(WishRefused, match="Topic pay finds too few brokers"):
        plan(layout, Wish(topics=("pay",), replication_factor=4, options=options))


@pytest.mark.parametrize(
    "wish",
    [
        Wish(rebalance=True),
        Wish(rebalance=True, remove=(1,)),
        Wish(mend=True),
        Wish(mend_racks=True),
        Wish(remove=(1,), add=((9, "b"),), replace=((1, 9),)),
        Wish(remove=(1, 2), add=((9, "b"),), replace=((1, 9),)),
    ],
)
def test_a_cap_on_what_is_received_is_refused_by_a_change_that_does_not_keep_it(wish: Wish) -> None:
    """And a plan in which a broker receives more is at fault, whoever made it."""
    layout, capped = racked({("a", i): [1, 2] for i in range(4)}), replace(wish, options=Options(receive_cap=0))
    with pytest.raises(WishRefused, match="cannot limit what one broker receives"):
        plan(layout, capped)
    lists = {("a", i): ([9, 3] if wish.replace else [3, 4]) if i else [3, 2] for i in range(4)}
    faults = judge(layout, ClusterLayout.from_assignments(lists), capped).faults

    assert "Broker 3 receives 4 replicas; at most 0 were allowed." in faults


def test_bytes_that_a_broker_may_hold_are_kept() -> None:
    """Broker 2 has room for one of the three large partitions that leave broker 1; a drain by size keeps that too."""
    sizes = {("t", at): size for at, size in enumerate([50.0, 50.0, 50.0, 10.0, 5.0])}
    lists = {("t", at): [broker] for at, broker in enumerate([1, 1, 1, 2, 3])}
    layout = ClusterLayout.from_assignments(lists)
    layout = replace(layout, size_bytes=np.array([[size] for size in sizes.values()]))
    for by_bytes in (False, True):
        options = Options(capacity=(Capacity(2, bytes=70),), by_bytes=by_bytes)
        made = plan(layout, Wish(remove=(1,), options=options))
        on = [key for key, members in made.proposed.assignments().items() if 2 in members]

        assert sum(sizes[key] for key in on) <= 70
        assert made.certificate.faults == ()
        assert "Every broker is within its capacity." in made.certificate.sentences
    limits = (Capacity(2, bytes=70), Capacity(3, bytes=60))
    with pytest.raises(WishRefused, match="No plan keeps the capacity of every broker"):
        plan(layout, Wish(remove=(1,), options=Options(capacity=limits)))
    with pytest.raises(WishRefused, match="no replica sizes"):
        plan(replace(layout, size_bytes=None), Wish(remove=(1,), options=Options(capacity=(Capacity(2, bytes=7),))))


def test_large_partitions_go_where_they_fit() -> None:
    """No number of replicas says which broker has room for the large one: it is placed first, by size."""
    every = {("big", 0): 100.0, **{("small", at): 1.0 for at in range(10)}}
    layout = ClusterLayout.from_assignments(
        {key: [0] for key in every}, brokers=[Broker(b) for b in range(3)], size_bytes=every
    )
    limits = Options(capacity=(Capacity(1, bytes=100), Capacity(2, bytes=10)))
    made = plan(layout, Wish(remove=(0,), options=limits))

    assert made.certificate.faults == ()
    assert [one for one, on in made.proposed.assignments().items() if on == [1]] == [("big", 0)]
    assert not made.certificate.replica_balance_proven
    with pytest.raises(WishRefused, match="No plan keeps the capacity"):
        plan(layout, Wish(remove=(0,), options=Options(capacity=(Capacity(1, bytes=99), Capacity(2, bytes=10)))))


def test_a_broker_above_its_capacity_is_relieved_or_never_worse() -> None:
    """3 holds three and is to hold one: a rebalance brings it down, a drain gives it nothing, and says what is over."""
    layout = racked({("t", 0): [3], ("t", 1): [3], ("t", 2): [3], ("t", 3): [1]}, brokers=3)
    options = Options(capacity=(Capacity(3, 1),))
    whole, drain = plan(layout, Wish(rebalance=True, options=options)), plan(layout, Wish(remove=(1,), options=options))

    assert sorted(whole.proposed.replicas_by_broker.tolist()) == [1, 1, 2]
    assert whole.proposed.replicas_by_broker[2] == 1
    assert whole.certificate.sentences[-1] == "Every broker is within its capacity."
    assert drain.proposed.assignments()["t", 3] == [2]
    assert drain.certificate.sentences[-1] == "Above its capacity, as before: broker 3 holds 3 replicas of 1."


def test_racks_kept_are_said_and_rules_without_effect_too() -> None:
    """Partition 0 sits twice in rack a and is not mended for that; outside a rebalance keeping racks has no effect."""
    layout = racked({("t", 0): [1, 4], ("t", 1): [2, 3]}, brokers=4)
    kept = plan(layout, Wish(rebalance=True, options=Options(keep_racks=True)))
    idle = plan(layout, Wish(remove=(2,), options=Options(keep_racks=True)))

    assert kept.certificate.moves == 0
    assert plan(layout, Wish(rebalance=True)).certificate.moves > 0
    assert "No changed partition is balanced worse over racks than before." in kept.certificate.sentences
    assert not kept.certificate.rack_balance_proven
    assert [f.sentence for f in idle.findings if f.kind == "option_without_effect"] == [
        "Keeping racks has no effect: it is a rule of a rebalance."
    ]


def test_sizes_have_no_effect_where_brokers_are_replaced() -> None:
    """A drain is balanced by size; who takes another's place takes every list."""
    layout = racked({("t", 0): [1, 4], ("t", 1): [2, 3]}, brokers=4)
    by_bytes = Options(by_bytes=True)
    taken = plan(layout, Wish(remove=(1,), add=((9, "a"),), replace=((1, 9),), options=by_bytes))

    assert [f.sentence for f in taken.findings if f.kind == "option_without_effect"] == [
        "Sizes have no effect: replicas are counted."
    ]


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (Options(only_onto=(Onto(("none*",), (1,)),)), "No topic matches none"),
        (Options(only_onto=(Onto(("t",), (99,)),)), "Broker 99 is not in this layout"),
        (Options(only_onto=(Onto(("t",), (), ("z",)),)), "No broker is in rack z"),
        (Options(only_onto=(Onto(("t",), (), ("y", "z")),)), "No broker is in racks y and z"),
        (Options(keep_apart=(("t", "u"),)), "No topic matches u"),
        (Options(capacity=(Capacity(99, 3),)), "Broker 99 is not in this layout"),
    ],
)
def test_what_a_rule_names_is_there(options: Options, why: str) -> None:
    """Else the change is refused."""
    layout = racked({("t", 0): [1, 2]})
    factor = Wish(topics=("t",), replication_factor=3)
    for wish in (Wish(rebalance=True), Wish(remove=(1,)), Wish(add=((9, "a"),)), factor):
        with pytest.raises(WishRefused, match=why):
            plan(layout, replace(wish, options=options))


def test_a_plan_against_a_rule_has_a_fault() -> None:
    """A newcomer elsewhere, one beside a topic that is kept apart, one too many."""
    layout = racked({("a", 0): [1, 2], ("b", 0): [3, 4]})

    def faults(options: Options, *ids: int) -> tuple[str, ...]:
        proposed = ClusterLayout.from_assignments({("a", 0): list(ids)})
        return judge(layout, proposed, Wish(rebalance=True, options=options)).faults

    assert faults(Options(only_onto=(Onto(("a",), (1, 2)),)), 1, 5) == (
        "a-0 would be copied to broker 5, where its topic is not to be (only_onto).",
    )
    assert faults(Options(keep_apart=(("a", "b"),)), 1, 3) == (
        "a-0 would be copied to broker 3, which has a topic that is to share no broker with it.",
    )
    assert faults(Options(capacity=(Capacity(4, 1),)), 1, 4) == ("Broker 4 would hold 2 replicas; its capacity is 1.",)
    assert faults(Options(only_onto=(Onto(("a",), (1, 5)),), keep_apart=(("a", "b"),)), 1, 5) == ()


def test_what_is_dead_is_no_place_for_a_topic() -> None:
    """One of its two brokers is dead, and stays as it is; the other takes what it can."""
    brokers = [Broker(1), Broker(2, state=BrokerState.DEAD), Broker(3)]
    layout = ClusterLayout.from_assignments({("t", 0): [2, 3], ("t", 1): [3]}, brokers=brokers)
    made = plan(layout, Wish(rebalance=True, options=Options(only_onto=(Onto(("t",), (1, 2)),))))

    assert {key: sorted(ids) for key, ids in made.proposed.assignments().items()} == {("t", 0): [1, 2], ("t", 1): [1]}
