"""Small layouts with everything that a source may tell or leave out, and the answers found by looping over them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from hypothesis import strategies as st

from reseat.model import NONE, NOT_TOLD, Broker, BrokerState, ClusterLayout

__all__ = ["at_once", "holding", "layouts", "losing"]

_STATES = st.sampled_from(
    [BrokerState.ALIVE, BrokerState.ALIVE, BrokerState.NOT_TOLD, BrokerState.DEAD, BrokerState.FENCED]
)


@st.composite
def layouts(draw: st.DrawFn, *, odd: bool = True) -> ClusterLayout:
    """Up to 6 brokers and 8 partitions with up to 4 replicas each.

    Args:
        draw: Hypothesis' own.
        odd: also lists that name a broker twice, leaders that are no replicas, and reassignments under way.
    """
    count = draw(st.integers(1, 6))
    ids = [7 * i + 2 for i in range(count)]
    rack = st.one_of(st.none(), st.sampled_from("abc")) if draw(st.booleans()) else st.none()
    brokers = [Broker(i, rack=draw(rack), state=draw(_STATES)) for i in ids]
    width = draw(st.integers(1, 4))
    some = st.lists(st.sampled_from(ids), max_size=width, unique=not (odd and draw(st.integers(0, 4)) == 0))
    lists = draw(st.lists(some, max_size=8))
    rows = len(lists)
    replicas = np.full((rows, width), NONE, np.int32)
    for row, members in enumerate(lists):
        replicas[row, : len(members)] = members

    def mask() -> np.ndarray:
        flags = draw(st.binary(min_size=rows * width, max_size=rows * width))
        return (np.frombuffer(flags, np.uint8) % 3 > 0).reshape(rows, width) & (replicas != NONE)

    def maybe_mask(rarely: bool = True) -> np.ndarray | None:
        return mask() if draw(st.integers(0, 3 if rarely else 1)) == 0 else None

    leaders = [draw(_leader(members, ids if odd else members)) for members in lists]
    topics = draw(st.integers(1, 3))
    tells_isr = draw(st.integers(0, 3)) > 0
    eligible = maybe_mask()
    return ClusterLayout.from_columns(
        topics=[f"t{i}" for i in range(topics)],
        topic_of=np.arange(rows) % topics,
        partition=np.arange(rows),
        replicas=replicas,
        brokers=brokers,
        leader=np.array(leaders, np.int32),
        in_sync=mask() if tells_isr else None,
        in_sync_told=draw(st.lists(st.booleans(), min_size=rows, max_size=rows)) if tells_isr and odd else None,
        eligible=eligible,
        last_known_eligible=None if eligible is None else maybe_mask(rarely=False),
        observers=maybe_mask(),
        min_in_sync=draw(st.one_of(st.none(), st.lists(st.integers(-1, 3), min_size=topics, max_size=topics))),
        size_bytes=draw(
            st.one_of(
                st.none(),
                st.lists(st.sampled_from([float("nan"), 1.0, 10.0, 100.0]), min_size=rows, max_size=rows),
            )
        ),
        adding=maybe_mask() if odd else None,
        removing=maybe_mask() if odd else None,
    )


def _leader(members: Sequence[int], others: Sequence[int]) -> st.SearchStrategy[int]:
    choices = [NONE, NOT_TOLD, *members, *members, *members]
    return st.sampled_from([*choices, *others[:1]])


def losing(layout: ClusterLayout) -> st.SearchStrategy[frozenset[int]]:
    """Some of the layout's brokers."""
    return st.frozensets(st.sampled_from(layout.broker_ids.tolist()))


def at_once(
    layout: ClusterLayout, lost: frozenset[int], *, kraft: bool = False
) -> tuple[int, int | None, int | None, dict[int, int]]:
    """Offline, below min ISR, leaders moved and to whom, partition by partition, from the definitions alone."""
    state = {b.id: b.state for b in layout.brokers}
    able = {i for i, s in state.items() if s in (BrokerState.ALIVE, BrokerState.NOT_TOLD)}
    isr_of = {}
    for row in range(layout.partition_count):
        isr_of[row] = _members(layout, row, layout.in_sync if layout.in_sync_known[row] else None)
    led = [row for row in range(layout.partition_count) if int(layout.leader_ids[row]) != NONE]
    in_some_isr = {broker for row in led for broker in isr_of[row]}
    offline = below = moved = 0
    heirs: dict[int, int] = {}
    for row in range(layout.partition_count):
        leader = int(layout.leader_ids[row])
        isr = isr_of[row]
        candidates = [i for i in isr if i in able - lost]
        if not candidates and kraft and layout.eligible is not None:
            known = {i for i, s in state.items() if s is not BrokerState.NOT_TOLD} | in_some_isr
            candidates = [i for i in _members(layout, row, layout.eligible) if i in (able & known) - lost]
        if leader == NONE:  # as Kafka would have elected one of them
            candidates = []
        floor = -1 if layout.min_in_sync is None else int(layout.min_in_sync[layout.topic_of[row]])
        if kraft:
            floor = min(floor, int(layout.replication_factor[row]))
        offline += not candidates
        below += not candidates or (floor > 1 and len(set(isr) - lost) < floor)
        if leader in lost and candidates:
            moved += 1
            heirs[candidates[0]] = heirs.get(candidates[0], 0) + 1
    told = layout.min_in_sync is not None and bool((layout.min_in_sync >= 1).any())
    led = bool((layout.leader != NOT_TOLD).any())
    return offline, below if told else None, moved if led else None, heirs


def _members(layout: ClusterLayout, row: int, mask: np.ndarray | None) -> list[int]:
    """The brokers of a row's mask (None: all replicas) in assignment order, observers left out."""
    found = []
    for column, broker in enumerate(layout.replica_ids[row].tolist()):
        observes = layout.observers is not None and layout.observers[row, column]
        if broker != NONE and not observes and (mask is None or mask[row, column]):
            found.append(broker)
    return found


def holding(layout: ClusterLayout, number: int) -> int:
    """How many choices of so many brokers hold all replicas of some partition, by trying each."""
    sets = [frozenset(members) for members in layout.assignments().values() if members]
    return sum(any(one <= set(lost) for one in sets) for lost in combinations(layout.broker_ids.tolist(), number))
