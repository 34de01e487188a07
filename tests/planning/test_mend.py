"""Mending partitions: brokers named twice, another factor than the topic's, dead brokers and racks; fewest copies."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest

from reseat.errors import WishRefused
from reseat.model import Broker, BrokerState, ClusterLayout, Options, Wish
from reseat.planning import plan
from reseat.planning.judge import judge
from tests.cases import case_numbers
from tests.planning.brute_force import rack_names, rack_squares, replaced, targets_of
from tests.planning.checking import has_no_sets

MEND = Wish(mend=True)


def small(rng: np.random.Generator) -> ClusterLayout:
    """A few brokers, of which one may be dead, and partitions of any factor; each leads and is in sync on the first."""
    ids = sorted(rng.choice(range(1, 12), int(rng.integers(3, 6)), replace=False).tolist())
    dead = int(rng.choice(ids)) if rng.random() < 0.6 else None
    racked = rng.random() < 0.7
    brokers = [
        Broker(i, str(rng.choice(list("abc"))) if racked else None, state=BrokerState.DEAD if i == dead else None)
        if i == dead
        else Broker(i, str(rng.choice(list("abc"))) if racked else None)
        for i in ids
    ]
    lists = {}
    for number in range(int(rng.integers(2, 5))):
        live = [i for i in ids if i != dead]
        first = int(rng.choice(live))
        more = [i for i in ids if i != first]
        members = [first, *rng.choice(more, int(rng.integers(0, 3)), replace=False).tolist()]
        if rng.random() < 0.2:
            members.append(int(rng.choice(members)))
        lists[str(rng.choice(["a", "b"])), number] = members
    leaders = {key: members[0] for key, members in lists.items()}
    return ClusterLayout.from_assignments(lists, brokers=brokers, leaders=leaders)


def factors(layout: ClusterLayout) -> dict[str, int]:
    """How many replicas most partitions of each topic name; of equals the greater number."""
    named: dict[str, list[int]] = {}
    for (topic, _), members in layout.assignments().items():
        named.setdefault(topic, []).append(len(members))
    return {topic: max(Counter(counts).items(), key=lambda pair: pair[::-1])[0] for topic, counts in named.items()}


def outcomes_of(layout: ClusterLayout) -> set[tuple[int, int, int]] | None:
    """(rack sum, moves, sum of squares) of every mended layout, of which each partition's racks are at their best."""
    targets, racks, wanted = targets_of(layout, ()), rack_names(layout), factors(layout)
    found = {(0, 0, (0,) * len(targets))}
    for (topic, _), members in layout.assignments().items():
        factor, live = wanted[topic], {m for m in members if m in targets}
        drops = len(live) > factor
        every = [
            set(one)
            for one in itertools.combinations(targets, factor)
            if not drops or members[0] in one  # who drops replicas keeps its leader
        ]
        if not every:
            return None
        least = min(rack_squares(list(one), racks) for one in every)
        found = {
            (
                rack + least,
                moves + len(one - set(members)),
                tuple(n + (t in one) for n, t in zip(loads, targets, strict=True)),
            )
            for rack, moves, loads in found
            for one in every
            if rack_squares(list(one), racks) == least
        }
    return {(rack, moves, sum(load * load for load in loads)) for rack, moves, loads in found}


def mended(rng: np.random.Generator) -> tuple[int, int]:
    """(1 if there is a plan, 1 if it is proven the best): it keeps its promises, and what is proven is so."""
    layout = small(rng)
    outcomes = outcomes_of(layout)
    assert has_no_sets(layout, MEND) == (outcomes is None)
    if outcomes is None:
        with pytest.raises(WishRefused):
            plan(layout, MEND)
        return 0, 0
    made = plan(layout, MEND)
    proposed, certificate = made.proposed.assignments(), made.certificate
    wanted, targets, racks = factors(layout), targets_of(layout, ()), rack_names(layout)

    assert certificate.faults == (), (layout.assignments(), layout.brokers, proposed)
    for (topic, number), members in proposed.items():
        assert len(set(members)) == len(members) == wanted[topic]
        assert set(members) <= set(targets), (layout.assignments(), proposed)
        assert number >= 0
    moves = sum(len(set(m) - set(layout.assignments()[key])) for key, m in proposed.items())
    rack = sum(rack_squares(m, racks) for m in proposed.values())
    loads = [sum(t in m for m in proposed.values()) for t in targets]
    value = rack, moves, sum(load * load for load in loads)
    best = min(outcomes)

    assert value[:2] == best[:2], (layout.assignments(), layout.brokers, proposed, value, best)
    assert certificate.moves == moves
    assert certificate.moves_proven
    assert certificate.replica_balance_proven == (value == best), (layout.assignments(), layout.brokers, proposed)
    return 1, int(value == best)


def test_a_mend_is_the_best_there_is() -> None:
    """Against every mended layout: least racks, then moves, always; balance as well, or it is not said to be proven."""
    rng = np.random.default_rng(1)
    found = np.array([mended(rng) for _ in range(60)]).sum(axis=0)

    assert found[0] > 40
    assert found[1] > 0.95 * found[0]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_a_mend_is_the_best_there_is_at_length(seed: int) -> None:
    """The same of many more."""
    rng = np.random.default_rng(9_000 + seed)
    found = np.array([mended(rng) for _ in range(1_000)]).sum(axis=0)

    assert found[0] > 700
    assert found[1] > 0.95 * found[0]


@pytest.mark.parametrize("seed", case_numbers(30))
def test_a_mend_that_is_spoilt_is_not_proven(seed: int) -> None:
    """One replica elsewhere, also where a broker was named twice: a fault, or what is proven is as good."""
    rng = np.random.default_rng(seed)
    layout = small(rng)
    outcomes = outcomes_of(layout)
    if outcomes is None:
        return
    lists = plan(layout, MEND).proposed.assignments()
    key = list(lists)[int(rng.integers(len(lists)))]
    free = [t for t in targets_of(layout, ()) if t not in lists[key]]
    if not free or not lists[key]:
        return
    lists[key] = [*lists[key][:-1], int(rng.choice(free))]
    told = judge(layout, replaced(layout, lists), MEND)
    racks, targets = rack_names(layout), targets_of(layout, ())
    moves = sum(len(set(m) - set(layout.assignments()[one])) for one, m in lists.items())
    value = sum(rack_squares(m, racks) for m in lists.values()), moves
    loads = [sum(t in m for m in lists.values()) for t in targets]

    assert not told.moves_proven or value == min(outcomes)[:2]
    assert not told.replica_balance_proven or (*value, sum(load * load for load in loads)) == min(outcomes)


def test_the_judge_says_of_a_mend_what_its_own_certificate_says() -> None:
    """Where partitions name a broker twice, too: the same flags, the same least."""
    rng, met = np.random.default_rng(3), 0
    for _ in range(60):
        layout = small(rng)
        if not layout.duplicates.size or outcomes_of(layout) is None:
            continue
        made = plan(layout, MEND)
        told = judge(layout, made.proposed, MEND)
        for name in told.as_dict().keys() - {"sentences"}:
            assert told.as_dict()[name] == made.certificate.as_dict()[name], (name, layout.assignments())
        met += 1

    assert met > 10


# ---- by hand -------------------------------------------------------------------------------------------------------


def layout_of(lists: dict[tuple[str, int], list[int]], dead: tuple[int, ...] = ()) -> ClusterLayout:
    """These lists over brokers 1 to 5 in racks a, b, a, b, c, some of them dead."""
    return ClusterLayout.from_assignments(
        lists,
        brokers=[
            Broker(i, rack, state=BrokerState.DEAD) if i in dead else Broker(i, rack)
            for i, rack in enumerate("ababc", start=1)
        ],
    )


def test_what_is_wrong_is_mended_and_told() -> None:
    """A broker named twice, one replica too few, one too many, and one on a dead broker."""
    lists = {("t", 0): [1, 2], ("t", 1): [2, 2], ("t", 2): [3, 4], ("t", 3): [3, 1, 2], ("t", 4): [5]}
    made = plan(layout_of(lists, dead=(4,)), MEND)
    told = made.proposed.assignments()

    assert told["t", 0] == [1, 2]
    assert all(len(set(members)) == len(members) == 2 and 4 not in members for members in told.values())
    assert set(told["t", 3]) < {3, 1, 2}
    assert made.certificate.sentences[:4] == (
        "1 partition names a broker twice, and then once.",
        "1 replica leaves dead broker 4.",
        "2 partitions get more replicas and 1 partition gets fewer (no data moves for that): as many as most "
        "partitions of the topic have.",
        "3 replicas move, the proven minimum.",
    )


def test_where_nothing_is_wrong_nothing_is_done() -> None:
    """It says so."""
    made = plan(layout_of({("t", 0): [1, 2], ("t", 1): [3, 5]}), MEND)

    assert made.certificate.moves == 0
    assert made.proposed is made.current
    assert made.certificate.sentences[0] == "Nothing to mend."


def test_what_stays_on_fenced_brokers_is_said_and_drained_by_the_wish_that_it_names() -> None:
    """A broker of KRaft that crashed is fenced, and may come back: nothing moves off it until it is drained."""
    brokers = [Broker(1), Broker(2), Broker(3, state=BrokerState.FENCED), Broker(4, state=BrokerState.SHUTTING_DOWN)]
    lists = {("t", 0): [1, 3], ("t", 1): [1, 3], ("t", 2): [2, 4], ("u", 0): [3]}
    layout = ClusterLayout.from_assignments(lists, brokers=brokers, leaders={("u", 0): None}, in_sync={("u", 0): [3]})
    made = plan(layout, MEND)

    assert made.certificate.sentences[0] == "Nothing to mend but what is on brokers 3 and 4."
    assert [found.sentence for found in made.findings if found.kind == "left_on_unavailable"] == [
        "3 replicas stay on brokers 3 and 4 (fenced, shutting down). If they do not come back, drain them "
        "(--remove 3,4)."
    ]
    assert plan(layout, Wish(remove=(3, 4))).certificate.moves == 3


def test_replicas_on_dead_brokers_are_dropped_before_live_ones() -> None:
    """Of three with two wanted, the dead one goes, and nothing is copied."""
    lists = {("t", 0): [1, 4, 2], ("t", 1): [1, 2], ("t", 2): [5, 3]}
    made = plan(layout_of(lists, dead=(4,)), MEND)

    assert sorted(made.proposed.assignments()["t", 0]) == [1, 2]
    assert made.certificate.moves == 0


def test_a_partition_that_is_pinned_stays_but_for_a_broker_named_twice() -> None:
    """It keeps its dead broker and its number of replicas; rules hold for what moves."""
    lists = {("t", 0): [1, 4, 1], ("t", 1): [1, 2, 5], ("t", 2): [4, 5, 1]}
    options = Options(pin=(("t", 0),), never_onto=(2,))
    made = plan(layout_of(lists, dead=(4,)), Wish(mend=True, options=options))

    assert made.proposed.assignments()["t", 0] == [1, 4]
    assert sorted(made.proposed.assignments()["t", 2]) == [1, 3, 5]
    assert made.certificate.faults == ()


def test_too_few_live_brokers_are_refused() -> None:
    """Three replicas on two live brokers."""
    layout = layout_of({("t", 0): [1, 2, 3], ("t", 1): [1, 2, 4]}, dead=(3, 4, 5))
    with pytest.raises(WishRefused, match="only 2 brokers that can hold replicas are left"):
        plan(layout, MEND)


def test_a_mend_stands_alone() -> None:
    """It goes with no other change."""
    layout = layout_of({("t", 0): [1, 2]})
    for wish in (Wish(mend=True, remove=(1,)), Wish(mend=True, rebalance=True), Wish(mend=True, mend_racks=True)):
        with pytest.raises(WishRefused, match="Only a rebalance goes together"):
            plan(layout, wish)
