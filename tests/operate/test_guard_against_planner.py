"""The guard against the planners: what they plan passes as read back from its text; what is changed since is found."""

from __future__ import annotations

import dataclasses
from functools import cache

import numpy as np
import pytest

from reseat.errors import WishRefused
from reseat.formats.documents.sealed import inverse, read_sealed
from reseat.formats.documents.writers import write_reassignment
from reseat.model import BrokerState, ClusterLayout, Plan, Wish
from reseat.operate.checks.check import CheckResult
from reseat.planning import plan
from tests.operate.guarding import checked, request, snapshot
from tests.planning.brute_force import random_layout

SEEDS = range(40)
#: Not asked here: which fail depends on the random layout, and rightly.
BY_CHANCE = {"movable", "min_in_sync", "replication_factor_kept", "can_finish"}


def live(layout, *, swap=None, without=None):
    """The layout as a cluster would tell it: the dead in no ISR, the first live replica leading.

    Args:
        layout: the layout.
        swap: replica lists by partition that changed.
        without: a partition that is gone.
    """
    dead = {b.id for b in layout.brokers if b.state is BrokerState.DEAD}
    lists = {key: ids for key, ids in (layout.assignments() | (swap or {})).items() if key != without}
    up = {key: [i for i in ids if i not in dead] for key, ids in lists.items()}
    brokers = [b if b.id in dead else dataclasses.replace(b, state=BrokerState.ALIVE) for b in layout.brokers]
    return ClusterLayout.from_assignments(
        lists, brokers=brokers, leaders={key: ids[0] if ids else None for key, ids in up.items()}, in_sync=up
    )


def wish_of(layout, rng):
    """Brokers that leave, join, or both, or another replication factor."""
    ids = layout.broker_ids.tolist()
    new = (max(ids) + 1, layout.racks[0] if layout.racks else None)
    kind = int(rng.integers(0, 4))
    if kind == 0:
        return Wish(remove=tuple(sorted(rng.choice(ids, int(rng.integers(1, 3)), replace=False).tolist())))
    if kind == 1:
        return Wish(add=(new,))
    if kind == 2:
        return Wish(remove=(int(rng.choice(ids)),), add=(new,))
    return Wish(replication_factor=int(rng.integers(1, 4)), topics=layout.topics[:1])


@cache
def planned(seed) -> tuple[Plan, Wish] | None:
    """A plan of the planners for a random wish; None where it is refused or changes nothing."""
    rng = np.random.default_rng(seed)
    layout = random_layout(rng, brokers=int(rng.integers(3, 7)), partitions=int(rng.integers(3, 15)))
    wish = wish_of(layout, rng)
    try:
        made = plan(layout, wish)
    except WishRefused:
        return None
    return (made, wish) if made.changed.any() else None


@cache
def evacuated(seed) -> Plan | None:
    """A plan that takes replicas off brokers that are dead; None where there is none for this seed."""
    made = planned(seed)
    if made is None or not made[1].remove:
        return None
    first, wish = made
    dead = [dataclasses.replace(b, state=BrokerState.DEAD) for b in first.current.brokers if b.id in wish.remove]
    try:
        after = plan(live(first.current.with_brokers(dead)), wish)
    except WishRefused:
        return None
    return after if after.changed.any() else None


def failed(asked, now):
    """Names of the checks that stop it, those by chance aside."""
    checks = checked(asked, snapshot(now, metadata="kraft"))
    return {found.name for found in checks if found.result is CheckResult.FAILED} - BY_CHANCE


def test_most_wishes_of_these_seeds_can_be_planned():
    """Else the tests below would prove little."""
    assert sum(planned(seed) is not None for seed in SEEDS) > len(SEEDS) // 2
    assert sum(bool(evacuated(seed) and evacuated(seed).certificate.way_back_waits_for) for seed in SEEDS) > 4


@pytest.mark.parametrize("seed", SEEDS)
def test_what_is_planned_passes_and_what_changed_since_is_found(seed):
    """As read back; with another list, a partition gone, a rack changed, a target dead or gone, the text edited."""
    made = planned(seed)
    if made is None:
        return
    plan_made, _ = made
    rng = np.random.default_rng(seed + 1_000)
    text = write_reassignment(plan_made)
    asked, now = request(read_sealed(text)), live(plan_made.current)
    row = int(rng.choice(np.flatnonzero(plan_made.changed)))
    key = (now.topics[int(now.topic_of[row])], int(now.partition[row]))
    before = plan_made.current.assignments()[key]
    others = [i for i in now.broker_ids.tolist() if i not in before]
    swap = {key: [*before[:-1], others[0]] if others else before[::-1] if len(before) > 1 else [*before, *others]}

    assert failed(asked, now) == set()
    assert failed(dataclasses.replace(asked, shown_hash="0" * 32), now) == {"plan_as_shown"}
    assert "layout_unchanged" in failed(asked, live(plan_made.current, without=key))
    if swap[key] != before:
        assert "layout_unchanged" in failed(asked, live(plan_made.current, swap=swap))
    after = plan_made.proposed.assignments()[key]
    newcomers = [i for i in after if i not in before]
    if newcomers:
        target = next(b for b in now.brokers if b.id == newcomers[0])
        dead = now.with_brokers([dataclasses.replace(target, state=BrokerState.DEAD)])

        assert "targets_alive" in failed(asked, dead)
        if plan_made.current.racks:
            moved = now.with_brokers([dataclasses.replace(target, rack="elsewhere")])

            assert "brokers_unchanged" in failed(asked, moved)
    edited = text.replace(f'"replicas":{_compact(after)}', f'"replicas":{_compact([*after, 99])}', 1)
    assert "plan_as_shown" in failed(request(read_sealed(edited)), now)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_way_back_passes_too(seed):
    """The inverse plan, on the layout that the plan leads to; replicas go back to live brokers or not at all."""
    made = planned(seed)
    if made is None:
        return
    plan_made, _ = made
    forth = read_sealed(write_reassignment(plan_made))
    back = read_sealed(inverse(forth, live(plan_made.current)))
    then = live(plan_made.proposed.with_brokers(plan_made.current.brokers))

    assert failed(request(back, kind="rollback"), then) <= {"targets_alive"}
    assert failed(request(back, kind="rollback"), live(plan_made.current)) == set()


@pytest.mark.parametrize("seed", SEEDS)
def test_a_way_back_waits_for_the_brokers_that_the_plan_named(seed):
    """Those that leave are dead: the guard refuses the rollback for the very brokers that were said to be needed."""
    plan_made = evacuated(seed)
    if plan_made is None:
        return
    now = plan_made.current
    back = read_sealed(inverse(read_sealed(write_reassignment(plan_made)), now))
    then = live(plan_made.proposed.with_brokers(plan_made.current.brokers))
    checks = checked(request(back, kind="rollback"), snapshot(then, metadata="kraft"))
    alive = next(found for found in checks if found.name == "targets_alive")

    assert alive.brokers == plan_made.certificate.way_back_waits_for
    assert (alive.result is CheckResult.FAILED) == bool(plan_made.certificate.way_back_waits_for)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_replica_that_comes_to_a_leaving_broker_is_named(seed):
    """A new topic on it: the guard says that it will not be empty."""
    made = planned(seed)
    if made is None or not made[1].remove:
        return
    plan_made, wish = made
    asked = request(read_sealed(write_reassignment(plan_made)))
    came = live(plan_made.current, swap={("new", 0): [wish.remove[0]]})

    assert failed(asked, live(plan_made.current)) == set()
    assert failed(asked, came) == {"leaving_brokers_since"}


def _compact(ids):
    return "[" + ",".join(map(str, ids)) + "]"
