"""A refused change: the demands that are named are refused together, and without any one of them there is a plan."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

from reseat.errors import WishRefused
from reseat.model import Broker, ClusterLayout, Options, Wish
from reseat.model.rules import Capacity, Onto
from reseat.planning import plan
from reseat.planning.conflict import Conflict, Demand, conflict, conflict_in_words, demands, without
from reseat.planning.plan import require_sets
from tests.planning.brute_force import random_layout
from tests.planning.checking import has_no_sets
from tests.planning.test_max_bytes import sized

#: Four brokers of which two hold every partition.
LAYOUT = ClusterLayout.from_assignments(
    {("a", 0): [0, 1], ("b", 0): [1, 0], ("c", 0): [0, 1]}, brokers=[Broker(b) for b in range(4)]
)


def refused(layout: ClusterLayout, wish: Wish) -> bool:
    """Whether there is something to plan, and no plan."""
    try:
        return not wish.is_empty and plan(layout, wish) is None
    except WishRefused:
        return True


def some_wish(rng: np.random.Generator, layout: ClusterLayout) -> Wish:
    """Brokers that leave, rules about others, or a factor; more than many layouts can hold."""
    ids = [int(i) for i in layout.broker_ids]
    some = [tuple(sorted(rng.choice(ids, int(rng.integers(0, len(ids))), replace=False).tolist())) for _ in range(2)]
    options = Options(
        receive_cap=int(rng.integers(1, 4)) if rng.random() < 0.5 else None,
        never_onto=some[0],
        pin=((layout.topics[0], None),) if rng.random() < 0.3 else (),
        only_onto=(Onto((layout.topics[-1],), some[0][:1] or (ids[0],)),) if rng.random() < 0.3 else (),
        capacity=tuple(Capacity(broker, int(rng.integers(0, 3))) for broker in some[1]) if rng.random() < 0.3 else (),
    )
    if rng.random() < 0.3:
        return Wish(replication_factor=int(rng.integers(2, 6)), topics=layout.topics, options=options)
    wish = Wish(remove=some[1], rebalance=bool(rng.random() < 0.3), options=options)
    return replace(wish, options=replace(options, receive_cap=None)) if wish.rebalance else wish


@pytest.mark.parametrize("batch", [0, 1, *(pytest.param(batch, marks=pytest.mark.slow) for batch in range(2, 6))])
def test_what_is_named_conflicts_and_without_any_of_it_there_is_a_plan(batch: int) -> None:
    """Whatever was asked for; and rules that are no matter are not named."""
    rng, met = np.random.default_rng(batch), 0
    enough: list[bool] = []
    for _ in range(25):
        layout = random_layout(rng, brokers=int(rng.integers(3, 7)), partitions=int(rng.integers(1, 6)), dead=False)
        wish = some_wish(rng, layout)
        found = conflict(layout, wish, seconds=100).demands if refused(layout, wish) else ()
        if not found:
            continue
        met += 1
        every = {(demand.kind, demand.value) for demand in found}
        options = wish.options
        others = [
            Demand(kind, value, "")
            for kind, values in (
                ("pin", options.pin),
                ("never_onto", options.never_onto),
                ("only_onto", options.only_onto),
                ("capacity", options.capacity),
                ("receive_cap", (None,)),
                ("remove", wish.remove),
                ("topics", wish.topics),
            )
            for value in values
            if (kind, value) not in every
        ]
        bare = without(wish, others)

        assert refused(layout, bare), wish
        for demand in found:
            assert not refused(layout, without(bare, [demand])), (wish, demand)
        rest = [refused(layout, without(wish, [demand])) for demand in found]
        enough.append(conflict(layout, wish, seconds=100).enough)
        assert enough[-1] == (not any(rest)), wish
    assert met >= 3


def any_wish(rng: np.random.Generator, layout: ClusterLayout) -> Wish:
    """A change of any kind with rules of any kind; parts that have no meaning together now and then."""
    wish = some_wish(rng, layout)
    ids, flag = [int(i) for i in layout.broker_ids], lambda share=0.15: bool(rng.random() < share)
    kind = rng.choice(
        ["", "rebalance", "mend_racks", "mend", "leaders_only", "add"], p=[0.3, 0.2, 0.1, 0.2, 0.05, 0.15]
    )
    if kind == "add":
        wish = replace(wish, add=((90, None),), **({} if flag(0.5) else {"remove": ()}))
    elif kind:
        wish = replace(
            wish, **{kind: True}, **({"remove": ()} if flag(0.7) else {}), topics=(), replication_factor=None
        )
    options = replace(
        wish.options,
        receive_cap=None if wish.rearranges else wish.options.receive_cap,
        keep_apart=(("t0", "t1"),) if flag() and len(layout.topics) > 1 else (),
        capacity=(*wish.options.capacity, *((Capacity(ids[0], bytes=int(rng.integers(0, 90))),) if flag() else ())),
        max_moves=int(rng.integers(0, 3)) if flag(0.3) else None,
        max_bytes=int(rng.integers(0, 60)) if flag(0.2) else None,
        **{name: flag() for name in ("by_bytes", "same_rack", "keep_racks", "even_topics")},
    )
    return replace(wish, options=options)


@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (2, 3))])
def test_sets_are_refused_where_plans_are(seed: int) -> None:
    """What a conflict is looked for with, which plans nothing, refuses what planning refuses, and nothing else."""
    rng, agreed = np.random.default_rng(70 + seed), {True: 0, False: 0}
    for _ in range(60):
        layout = random_layout(rng, brokers=int(rng.integers(3, 7)), partitions=int(rng.integers(1, 6)))
        layout = sized(layout, rng) if rng.random() < 0.8 else layout
        wish = any_wish(rng, layout)
        agreed[has_no_sets(layout, wish)] += 1

        assert has_no_sets(layout, wish) == (wish.is_empty or refused(layout, wish)), (layout.assignments(), wish)
    assert min(agreed.values()) >= 8


def test_the_words_name_brokers_together() -> None:
    """Of each kind one part of the sentence."""
    wish = Wish(remove=(0,), options=Options(never_onto=(2, 3), pin=(("c", None),), receive_cap=9))
    found = conflict(LAYOUT, wish, seconds=100)

    assert conflict_in_words(found) == (
        "These cannot hold together: brokers 2 and 3 receive nothing; broker 0 is removed. Without any one of them "
        "there is a plan."
    )


def test_of_several_conflicts_one_is_named_and_no_plan_is_promised() -> None:
    """A rule about a topic that is not there, and one that leaves too few brokers: without one the other is refused."""
    strange = Options(never_onto=(2, 3), only_onto=(Onto(("nowhere",), (1,)),))
    twice = Options(never_onto=(2, 3), only_onto=(Onto(("a",), (0,)), Onto(("b",), (1,))))
    for options in (strange, twice):
        wish = Wish(remove=(0,), options=options)
        found = conflict(LAYOUT, wish, seconds=100)

        assert len(found.demands) >= 2
        assert any(refused(LAYOUT, without(wish, [demand])) for demand in found.demands)
        assert conflict_in_words(found).endswith(
            " Without any one of them the others can hold together, but more of the change may be refused."
        )


def test_where_time_is_up_no_plan_is_promised() -> None:
    """The set is known, and what else is asked for was not tried."""
    wish = Wish(remove=(0,), options=Options(never_onto=(2, 3), pin=(("c", None),), receive_cap=9))
    told = set()
    for seconds in range(60):
        ticks = itertools.count()
        found = conflict(LAYOUT, wish, seconds=seconds, clock=lambda ticks=ticks: float(next(ticks)))  # type: ignore[misc]
        told.add((found.least, found.enough))

    assert told == {(False, False), (True, False), (True, True)}


def test_a_half_that_lacks_what_a_rule_is_about_is_not_refused_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """One partition of 257 conflicts; 201 rules are about others, and the whole layout is tried a few times only."""
    rows = {(f"t{at:03d}", 0): [1 + at % 5, 1 + (at + 1) % 5] for at in range(256)}
    layout = ClusterLayout.from_assignments({**rows, ("t999", 0): [0, 7]}, brokers=[Broker(b) for b in range(8)])
    only = Onto(("t999",), (0, 7))
    options = Options(
        pin=tuple((f"t{at:03d}", 0) for at in range(0, 200, 2)),
        keep_apart=(("t001", "t201"),),
        only_onto=(*(Onto((f"t{at:03d}",), (1, 2, 3, 4, 5)) for at in range(1, 200, 2)), only),
    )
    tried: list[int] = []

    def counted(part: ClusterLayout, wish: Wish) -> None:
        tried.append(part.partition_count)
        require_sets(part, wish)

    monkeypatch.setattr("reseat.planning.conflict.require_sets", counted)
    found = conflict(layout, Wish(remove=(0,), options=options), seconds=1_000)

    assert [(one.kind, one.value) for one in found.demands] == [("only_onto", only), ("remove", 0)]
    assert found.enough
    assert tried.count(257) < 6


def test_every_rule_has_words() -> None:
    """A is to be on all brokers, and b is on 2 without it; the other rules are no matter but can be named."""
    layout = ClusterLayout.from_assignments({**LAYOUT.assignments(), ("b", 0): [1, 2]}, brokers=LAYOUT.brokers)
    options = Options(
        only_onto=(Onto(("c",), (0,), ()),),
        keep_apart=(("a", "b"),),
        capacity=(Capacity(3, 5), Capacity(2, bytes=2_000_000_000)),
        pin=(("b", None),),
    )
    found = conflict(layout, Wish(topics=("a",), replication_factor=4, options=replace(options, capacity=())))
    every = [Demand(kind, item, words) for kind, item, words in told(options)]

    assert {demand.kind for demand in found.demands} == {"keep_apart", "topics"}
    assert conflict_in_words(found).startswith("These cannot hold together: a and b share no broker; a gets")
    assert [demand.words for demand in every] == [
        "b is pinned",
        "c is only on broker 0",
        "a and b share no broker",
        "broker 3 holds at most 5 replicas",
        "broker 2 holds at most 2.0 GB",
    ]


def told(options: Options) -> list[tuple[str, object, str]]:
    """All that is asked for, with its words."""
    return [(one.kind, one.value, one.words) for one in demands(Wish(options=options))]


def test_one_demand_alone_is_no_conflict() -> None:
    """A broker that is not there is refused by itself, and its sentence says so."""
    assert conflict(LAYOUT, Wish(remove=(7,), options=Options(receive_cap=9))) == Conflict()
    assert conflict(LAYOUT, Wish(remove=(0, 1, 2, 3))) == Conflict()  # no rule is among them


def test_it_ends_in_time_and_says_so() -> None:
    """Where planning takes long, nothing is named rather than late, and that is told."""
    now = iter(range(0, 10_000, 2))
    wish = Wish(remove=(0,), options=Options(never_onto=(2, 3)))
    late = conflict(LAYOUT, wish, seconds=3, clock=lambda: float(next(now)))

    assert late == Conflict((), least=False)
    assert conflict_in_words(Conflict()) == ""
    assert conflict_in_words(late) == "Which rules conflict, if any do, is unknown: that is tried for 3 seconds."


def test_what_was_found_in_time_is_named_and_may_be_too_much() -> None:
    """Of 40 brokers only two may receive, and three are needed: pins are no matter, which is known before the end."""
    layout = ClusterLayout.from_assignments(
        {("t", 0): [0, 1, 2], **{(f"u{n}", 0): [1, 2] for n in range(30)}}, brokers=[Broker(b) for b in range(40)]
    )
    pins = tuple((f"u{n}", None) for n in range(30))
    wish = Wish(remove=(0,), options=Options(never_onto=tuple(range(3, 40)), pin=pins))
    whole = conflict(layout, wish, seconds=1_000)
    told = []
    for seconds in range(0, 120, 5):
        ticks = itertools.count()
        found = conflict(layout, wish, seconds=seconds, clock=lambda ticks=ticks: float(next(ticks)))  # type: ignore[misc]
        told.append((found.least, len(found.demands)))
        kept = {(one.kind, one.value) for one in found.demands}
        if kept:
            rest = [one for one in demands(wish) if (one.kind, one.value) not in kept]
            assert refused(layout, without(wish, rest))
            assert found.least or "Whether all are needed is unknown" in conflict_in_words(found)

    assert whole.least
    assert len(whole.demands) == 38
    assert told[0] == (False, 0)
    assert any(not least and 38 <= count < 68 for least, count in told)


def test_a_few_of_hundreds_of_rules_are_found_in_few_plans() -> None:
    """Of 300 rules one matters, with the broker that leaves; each plan that is tried looks at the clock once."""
    rows = {(f"t{at:03d}", 0): [at % 7, (at + 1) % 7] for at in range(320)}
    layout = ClusterLayout.from_assignments(rows, brokers=[Broker(b) for b in range(12)])
    pins = tuple((topic, None) for topic in layout.topics[20:120])
    limits = tuple(Capacity(broker, 10_000) for broker in range(1, 12))
    places = tuple(Onto((topic,), (0, 1, 2, 3)) for topic in layout.topics[130:319] if topic != "t140")
    only = Onto(("t140",), (0, 1))
    options = Options(pin=pins, capacity=limits, only_onto=(*places, only))
    wish = Wish(remove=(0,), options=options)
    ticks = itertools.count()
    found = conflict(layout, wish, seconds=100, clock=lambda: float(next(ticks)))

    assert len(demands(wish)) == 301
    assert [(demand.kind, demand.value) for demand in found.demands] == [("only_onto", only), ("remove", 0)]
    for demand in found.demands:
        assert not refused(layout, without(wish, [demand]))


def test_rules_about_racks_and_topics_are_demands_too() -> None:
    """Levels of racks and kept racks exclude each other; a rebalance by topic that racks have no room for is named."""
    layout = ClusterLayout.from_assignments(
        {("a", 0): [0, 1], ("b", 0): [1, 2]}, brokers=[Broker(b, f"r{b % 2}/z{b}") for b in range(4)]
    )
    wish = Wish(rebalance=True, options=Options(rack_levels=("/",), keep_racks=True, even_topics=True))
    found = conflict(layout, wish, seconds=100)

    assert refused(layout, wish)
    assert {demand.kind for demand in found.demands} == {"rack_levels", "keep_racks"}
    assert all(demand.is_rule and not refused(layout, without(wish, [demand])) for demand in found.demands)
    assert "no partition gets less diverse over racks" in conflict_in_words(found)
    assert {demand.kind for demand in demands(wish)} == {"rack_levels", "keep_racks", "even_topics"}
    assert not without(wish, demands(wish)).options.even_topics


def test_a_conflict_of_hundreds_of_rules_is_tried_without_proofs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 60 brokers only two may receive, and three are needed: every rule matters, and no try of a drain is proven."""
    layout = ClusterLayout.from_assignments({("t", 0): [0, 1, 2]}, brokers=[Broker(b) for b in range(60)])
    wish = Wish(remove=(0,), options=Options(never_onto=tuple(range(3, 60))))
    monkeypatch.setattr("reseat.planning.finishing.check", None)
    found = conflict(layout, wish, seconds=100)

    assert {(one.kind, one.value) for one in found.demands} == {
        ("remove", 0),
        *(("never_onto", b) for b in range(3, 60)),
    }


def test_what_is_refused_for_another_reason_is_no_conflict() -> None:
    """Racks of leaders that no broker has are none of the demands."""
    wish = Wish(remove=(0,), options=Options(leader_racks=("nowhere",), pin=(("a", None),)))

    assert refused(LAYOUT, wish)
    assert conflict(LAYOUT, wish) == Conflict()


@pytest.mark.parametrize(
    "options",
    [
        Options(only_onto=(Onto(("nowhere",), (1,)),)),
        Options(pin=(("nowhere", None),)),
        Options(never_onto=(77,)),
        Options(capacity=(Capacity(77, 1),)),
        Options(capacity=(Capacity(1, bytes=1),)),
        Options(by_bytes=True),
        Options(max_bytes=1),
        Options(same_rack=True),
        Options(rack_levels=("/",)),
    ],
)
def test_what_the_layout_lacks_conflicts_with_nothing(options: Options) -> None:
    """An unknown topic or broker, sizes or racks that are not told: no other change helps, and no broker is named."""
    wish = Wish(remove=(0,), options=options)

    assert refused(LAYOUT, wish)
    assert conflict(LAYOUT, wish, seconds=100) == Conflict()


def test_many_demands_of_a_kind_are_counted() -> None:
    """Ten of each kind at most, and how many more; all of them stay with the conflict."""
    limits = tuple(Capacity(broker, 1) for broker in range(1, 31))
    wish = Wish(remove=(0,), options=Options(capacity=limits, pin=tuple((f"t{at}", None) for at in range(10))))
    said = conflict_in_words(Conflict(tuple(demands(wish))))

    assert "; broker 9 holds at most 1 replica; 21 more of this kind; broker 0 is removed." in said
    assert "broker 10" not in said
    assert said.count("is pinned") == 10
    assert len(demands(wish)) == 41
