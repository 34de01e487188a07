"""The oracle of the planning tests: every choice of a small layout, tried one by one.

It shares nothing with the planners or the checker but the model: choices are listed with ``itertools``, their
outcomes added up, and the best is the smallest tuple of objectives.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pytest

from reseat.model import Broker, BrokerState, ClusterLayout

Assignments = dict[tuple[str, int], list[int]]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Best:
    """The best values of (rack sum of squares, replica sum of squares), and every outcome tried."""

    rack: int
    replicas: int
    outcomes: Ints  # (n, 2)


def seeds(often: int, at_length: int) -> pytest.MarkDecorator:
    """A test of this many random layouts in the ordinary run, and of the others up to ``at_length`` in the long one."""
    long = (pytest.param(seed, marks=pytest.mark.slow) for seed in range(often, at_length))
    return pytest.mark.parametrize("seed", [*range(often), *long])


def targets_of(layout: ClusterLayout, remove: Sequence[int]) -> list[int]:
    """Brokers that remain and are not known to be dead, fenced or shutting down; without any, all but the dead."""
    alive = [b for b in layout.brokers if b.id not in remove and b.state is not BrokerState.DEAD]
    well = [b for b in alive if b.state not in (BrokerState.FENCED, BrokerState.SHUTTING_DOWN)]
    return [b.id for b in well or alive]


def resorts_of(layout: ClusterLayout, remove: Sequence[int]) -> list[int]:
    """Brokers that remain and are fenced or shutting down, beside others that are not."""
    targets = targets_of(layout, remove)
    return [
        b.id for b in layout.brokers if b.id not in remove and b.id not in targets and b.state is not BrokerState.DEAD
    ]


def targets_with(layout: ClusterLayout, added: Sequence[int]) -> list[int]:
    """As ``targets_of``, and of added brokers all that are not dead where none of them is available."""
    targets = targets_of(layout, ())
    if set(targets) & set(added):
        return targets
    return sorted({*targets, *(i for i in resorts_of(layout, ()) if i in added)})


def newcomers_of(layout: ClusterLayout, remove: Sequence[int], kept: Sequence[int], needed: int) -> list[list[int]]:
    """Every choice of so many newcomers: targets as long as there are any, last resorts for the rest."""
    free = [t for t in targets_of(layout, remove) if t not in kept]
    if len(free) >= needed:
        return [list(new) for new in itertools.combinations(free, needed)]
    late = [t for t in resorts_of(layout, remove) if t not in kept]
    return [free + list(new) for new in itertools.combinations(late, needed - len(free))]


def rack_names(layout: ClusterLayout) -> dict[int, str] | None:
    """A rack for each broker, its own where it has none; None where no broker has one."""
    if all(b.rack is None for b in layout.brokers):
        return None
    return {b.id: f"alone-{b.id}" if b.rack is None else f"rack-{b.rack}" for b in layout.brokers}


def rack_squares(members: Sequence[int], racks: dict[int, str] | None) -> int:
    """The sum over racks of the square of the partition's replicas there; 0 where racks do not count."""
    if racks is None:
        return 0
    held = [racks[member] for member in members]
    return sum(held.count(rack) ** 2 for rack in set(held))


def squares_of(counts: Ints) -> Ints:
    """Sum of squares over the last axis."""
    total: Ints = (counts**2).sum(axis=-1)
    return total


def options_of(layout: ClusterLayout, remove: Sequence[int]) -> dict[tuple[str, int], list[list[int]]]:
    """For each partition with a replica on a leaving broker: every set it can end with, kept ones first."""
    out = {}
    for key, members in layout.assignments().items():
        kept = [m for m in members if m not in remove]
        if len(kept) < len(members):
            out[key] = [kept + new for new in newcomers_of(layout, remove, kept, len(members) - len(kept))]
    return out


def best_sets(layout: ClusterLayout, remove: Sequence[int], receive_cap: int | None = None) -> Best | None:
    """Objectives (2) and (3) over every minimal plan; None where there is none."""
    options = options_of(layout, remove)
    targets = targets_of(layout, remove)
    return best_of(layout, options, targets, receive_cap, resorts_of(layout, remove))


def best_of(
    layout: ClusterLayout,
    options: dict[tuple[str, int], list[list[int]]],
    targets: Sequence[int],
    receive_cap: int | None = None,
    resorts: Sequence[int] = (),
) -> Best | None:
    """The best outcome where each partition of ``options`` ends with one of its sets; loads are those of targets."""
    receivers = [*targets, *resorts]
    racks, current = rack_names(layout), layout.assignments()
    fixed = np.array([sum(t in current[k] for k in current if k not in options) for t in targets], np.int64)
    outcomes = np.concatenate((np.zeros(1, np.int64), fixed, np.zeros(len(receivers), np.int64)))[None, :]
    for key, sets in options.items():
        rows = [
            [rack_squares(s, racks), *(t in s for t in targets), *(t in s and t not in current[key] for t in receivers)]
            for s in sets
        ]
        if not rows:
            return None
        outcomes = (outcomes[:, None, :] + np.array(rows, np.int64)[None, :, :]).reshape(-1, outcomes.shape[1])
    if receive_cap is not None:
        outcomes = outcomes[(outcomes[:, 1 + len(targets) :] <= receive_cap).all(axis=1)]
        if not len(outcomes):
            return None
    unchanged = sum(rack_squares(m, racks) for k, m in current.items() if k not in options)
    both = np.stack((outcomes[:, 0] + unchanged, squares_of(outcomes[:, 1 : 1 + len(targets)])), axis=1)
    rack, replicas = min(map(tuple, both.tolist()))
    return Best(rack=rack, replicas=replicas, outcomes=both)


def best_leaders(
    layout: ClusterLayout,
    proposed: Assignments,
    free: Sequence[tuple[str, int]],
    remove: Sequence[int],
    never: Sequence[int] = (),
    *,
    leader_racks: Sequence[str] = (),
) -> tuple[int, int]:
    """Objectives (4) and (5) over every order of these partitions' lists: (sum of squares, changed leaders)."""
    targets = [target for target in targets_of(layout, remove) if target not in never]
    resorts = [*resorts_of(layout, remove), *(one for one in targets_of(layout, remove) if one in never)]
    current = layout.assignments()
    rack_of = {broker.id: broker.rack for broker in layout.brokers}
    outcomes = np.zeros((1, 1 + len(targets)), np.int64)
    for key, members in proposed.items():
        able = [m for m in members if m in targets]
        first_racks = ([m for m in able if rack_of[m] == rack] for rack in leader_racks)
        tiers = *first_racks, able, [m for m in members if m in resorts], members
        firsts = next(filter(None, tiers), []) if key in free else members[:1]
        rows = [[first != (current[key] or [None])[0], *(t == first for t in targets)] for first in firsts]
        if rows:
            outcomes = (outcomes[:, None, :] + np.array(rows, np.int64)[None, :, :]).reshape(-1, outcomes.shape[1])
    both = np.stack((squares_of(outcomes[:, 1:]), outcomes[:, 0]), axis=1)
    squares, changed = min(map(tuple, both.tolist()))
    return squares, changed


def numbers_of(
    layout: ClusterLayout, proposed: Assignments, remove: Sequence[int], never: Sequence[int] = ()
) -> tuple[int, int, int, int]:
    """(rack, replica, leader sum of squares, changed preferred leaders) of one plan, counted with loops."""
    targets, racks, current = targets_of(layout, remove), rack_names(layout), layout.assignments()
    replicas = [sum(t in m for m in proposed.values()) for t in targets]
    leaders = [sum(m[:1] == [t] for m in proposed.values()) for t in targets if t not in never]
    return (
        sum(rack_squares(m, racks) for m in proposed.values()),
        sum(c * c for c in replicas),
        sum(c * c for c in leaders),
        sum(m[:1] != current[k][:1] for k, m in proposed.items()),
    )


def random_layout(
    rng: np.random.Generator, *, brokers: int, partitions: int, deepest: int = 3, dead: bool = True
) -> ClusterLayout:
    """A layout of a random kind: racks equal, unequal, partly unknown or none; mixed RF; gaps; empty brokers.

    With ``dead``, some have a dead broker, and some have brokers that are fenced or shutting down.
    """
    kind = rng.integers(0, 4)
    if kind == 0:
        racks: list[str | None] = [None] * brokers
    elif kind == 1:
        racks = [f"r{i % 2}" for i in range(brokers)]
    else:
        racks = [f"r{int(r)}" for r in rng.integers(0, 3, brokers)]
        if kind == 3:
            racks = [None if rng.random() < 0.3 else rack for rack in racks]
    ids = np.sort(rng.choice(brokers * 3, brokers, replace=False)).tolist()
    states = [BrokerState.NOT_TOLD] * brokers
    if dead and rng.random() < 0.4:
        states[int(rng.integers(brokers))] = BrokerState.DEAD
    if dead and rng.random() < 0.4:
        for at in rng.choice(brokers, int(rng.integers(1, max(2, brokers // 2))), replace=False):
            states[at] = (BrokerState.FENCED, BrokerState.SHUTTING_DOWN)[int(rng.integers(2))]
    known = [Broker(i, rack=rack, state=state) for i, rack, state in zip(ids, racks, states, strict=True)]
    skew = rng.random(brokers) ** 2 + 0.02
    numbers = np.cumsum(rng.integers(1, 4, partitions)).tolist()
    return ClusterLayout.from_assignments(
        {
            ("ab"[int(rng.integers(0, 2))], number): [
                ids[i]
                for i in rng.choice(brokers, int(rng.integers(1, deepest + 1)), replace=False, p=skew / skew.sum())
            ]
            for number in numbers
        },
        brokers=known,
    )


def replaced(layout: ClusterLayout, proposed: Assignments) -> ClusterLayout:
    """The layout with other replica lists, brokers kept."""
    return ClusterLayout.from_assignments(proposed, brokers=layout.brokers)


def addition_options(layout: ClusterLayout, added: Sequence[int]) -> dict[tuple[str, int], list[list[int]]]:
    """For each partition: every set it can end with when replicas move onto added brokers and racks get no worse."""
    racks, targets = rack_names(layout), targets_with(layout, added)
    out = {}
    for key, members in layout.assignments().items():
        may_go = [m for m in members if m in targets and m not in added]
        may_come = [t for t in targets if t in added and t not in members]
        out[key] = [
            [m for m in members if m not in going] + list(coming)
            for count in range(min(len(may_go), len(may_come)) + 1)
            for going in itertools.combinations(may_go, count)
            for coming in itertools.combinations(may_come, count)
            if rack_squares([m for m in members if m not in going] + list(coming), racks)
            <= rack_squares(members, racks)
        ]
    return out


def addition_outcomes(
    layout: ClusterLayout, added: Sequence[int], options: dict[tuple[str, int], list[list[int]]]
) -> Ints:
    """(n, 3) spread, moves and sum of squares of every choice of ``options``, duplicates left out."""
    targets, current = targets_with(layout, added), layout.assignments()
    outcomes = np.zeros((1, 1 + len(targets)), np.int64)
    for key, sets in options.items():
        rows = np.array([[sum(m not in current[key] for m in s), *(t in s for t in targets)] for s in sets], np.int64)
        outcomes = (outcomes[:, None, :] + rows[None, :, :]).reshape(-1, outcomes.shape[1])
        outcomes = np.unique(outcomes, axis=0)
    load = outcomes[:, 1:]
    return np.stack((np.ptp(load, axis=1), outcomes[:, 0], squares_of(load)), axis=1)


def grown_options(layout: ClusterLayout, topics: Sequence[str], factor: int) -> dict[tuple[str, int], list[list[int]]]:
    """For each partition of the topics that lacks replicas: every set of ``factor`` that keeps those it has."""
    return {
        key: [members + new for new in newcomers_of(layout, (), members, factor - len(members))]
        for key, members in layout.assignments().items()
        if key[0] in topics and len(members) < factor
    }


def shrunk_options(layout: ClusterLayout, topics: Sequence[str], factor: int) -> dict[tuple[str, int], list[list[int]]]:
    """For each partition of the topics that has too many replicas: every set that keeps its first replica."""
    return {
        key: [[members[0], *rest] for rest in itertools.combinations(members[1:], factor - 1)]
        for key, members in layout.assignments().items()
        if key[0] in topics and len(members) > factor
    }


def curve_options(layout: ClusterLayout, remove: Sequence[int]) -> dict[tuple[str, int], list[list[int]]]:
    """For each partition: every set that further moves may give it.

    One that loses a broker ends with racks as good as its displaced replicas can have; no other sits worse over racks.
    Replicas on brokers that are no targets, and do not leave, stay.
    """
    targets, racks, minimal = targets_of(layout, remove), rack_names(layout), options_of(layout, remove)
    out = {}
    for key, members in layout.assignments().items():
        stuck = [m for m in members if m not in targets and m not in remove]
        allowed = min((rack_squares(s, racks) for s in minimal[key]), default=-1) if key in minimal else None
        most = rack_squares(members, racks) if allowed is None else allowed
        out[key] = [
            stuck + list(some)
            for some in itertools.combinations(targets, len(members) - len(stuck))
            if rack_squares(stuck + list(some), racks) <= most
        ]
    return out


def curve_outcomes(layout: ClusterLayout, remove: Sequence[int]) -> Ints:
    """(n, 2) moves and sum of squares of every plan of ``curve_options``, duplicates left out."""
    targets, current = targets_of(layout, remove), layout.assignments()
    outcomes = np.zeros((1, 1 + len(targets)), np.int64)
    for key, sets in curve_options(layout, remove).items():
        rows = np.array([[sum(m not in current[key] for m in s), *(t in s for t in targets)] for s in sets], np.int64)
        outcomes = np.unique((outcomes[:, None, :] + rows[None, :, :]).reshape(-1, outcomes.shape[1]), axis=0)
    return np.stack((outcomes[:, 0], squares_of(outcomes[:, 1:])), axis=1)
