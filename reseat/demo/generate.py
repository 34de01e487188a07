"""Makes large layouts that look like real clusters, for trials, benchmarks and demonstrations.

What it promises, in this order: the same arguments give the same layout, column by column; no partition has two
replicas on one broker; where there are at least as many racks as replicas, no two replicas of a partition share a
rack, except in the share asked for; it is unlike an even layout in the ways asked for, and only in those.

How it works: topics get partitions by a power law (few large, many small). Every broker has a weight; the first
replica of each partition is drawn by weight, the j-th follower stands j racks further on and is drawn by weight within
its rack. Where that meets a broker already in the list (fewer racks than replicas, or replicas put into one rack on
purpose), the next free broker by id is taken. Leaders are the first replica, but for a share that has drifted.

Example: ``generate(brokers=6, partitions=100, replication_factor=3, racks=3, seed=1)``.

Complexity: O(P R) time and memory, vectorised; 1,000 brokers and 1,000,000 partitions take about a second.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from reseat.errors import WishRefused
from reseat.model import NONE, BoolArray, Broker, BrokerState, ClusterLayout, FloatArray, IntArray

__all__ = ["generate"]

#: Exponent of partitions a topic and of bytes a partition: the largest tenth holds about half.
_TAIL = 1.1
_SUBJECTS = ("orders", "payments", "clicks", "sessions", "invoices", "stock", "shipments", "audit", "metrics", "mail")
_STAGES = ("raw", "clean", "joined", "daily", "events", "changes", "retry", "dead-letter")


def generate(
    brokers: int = 60,
    partitions: int = 20_000,
    replication_factor: int = 3,
    racks: int = 6,
    *,
    seed: int = 1,
    topics: int | None = None,
    skew: float = 0.15,
    drifted: float = 0.05,
    rack_broken: float = 0.0,
    lagging: float = 0.0,
    dead: Sequence[int] = (),
    median_bytes: float = 200e6,
    first_broker: int = 1,
) -> ClusterLayout:
    """A layout of a made-up cluster.

    Args:
        brokers: how many; ids ascend from ``first_broker``, racks in turn.
        partitions: how many, over all topics.
        replication_factor: of every partition.
        racks: how many; 0: no broker has a rack.
        seed: the only source of randomness.
        topics: how many; None: one for about 50 partitions.
        skew: how unequal brokers are filled: the spread of the logarithm of their weights. 0 is even but for chance.
        drifted: share of partitions that a follower leads.
        rack_broken: share of partitions whose second replica shares the first one's rack.
        lagging: share of partitions with one replica out of the ISR though its broker is alive.
        dead: ids of brokers that are dead: leading nothing, and out of every ISR in which another is left.
        median_bytes: the median partition's size in bytes.
        first_broker: the lowest broker id.

    Returns:
        The layout, with leaders, ISR, sizes (one a partition), racks, hosts, states and ``min.insync.replicas``.

    Raises:
        WishRefused: fewer brokers than replicas, a share outside 0 to 1, or a dead broker that is not there.
    """
    shares = {"drifted": drifted, "rack_broken": rack_broken, "lagging": lagging}
    _check(brokers, partitions, replication_factor, racks, shares)
    unknown = sorted(set(dead) - set(range(first_broker, first_broker + brokers)))
    if unknown:
        raise WishRefused(
            f"Broker {unknown[0]} is not one of {first_broker} to {first_broker + brokers - 1}.", brokers=(unknown[0],)
        )
    rng = np.random.default_rng(seed)
    names, topic_of, partition, largeness = _topics(rng, partitions, topics or max(1, partitions // 50))
    replicas = _replicas(
        rng,
        _members_of_racks(brokers, racks),
        np.exp(rng.normal(0.0, skew, brokers)),
        partitions=partitions,
        factor=replication_factor,
        rack_broken=rack_broken,
    )
    known = tuple(_broker(first_broker + i, i, racks, first_broker + i in dead) for i in range(brokers))
    alive = np.array([broker.state is BrokerState.ALIVE for broker in known], np.bool_)
    in_sync, leader = _in_sync_and_leader(rng, replicas, alive, drifted, lagging)
    return ClusterLayout.from_columns(
        topics=names,
        topic_of=topic_of,
        partition=partition,
        replicas=replicas + np.int32(first_broker),
        brokers=known,
        leader=np.where(leader == NONE, NONE, leader + first_broker),
        in_sync=in_sync,
        min_in_sync=np.full(len(names), max(1, replication_factor - 1), np.int32),
        size_bytes=np.round(median_bytes * largeness * np.exp(rng.normal(0.0, 0.3, partitions))),
    )


def _check(brokers: int, partitions: int, replication_factor: int, racks: int, shares: dict[str, float]) -> None:
    if replication_factor < 1 or brokers < replication_factor:
        raise WishRefused(f"{replication_factor} replicas of a partition need as many brokers; there are {brokers}.")
    if partitions < 0 or racks < 0:
        raise WishRefused(f"{partitions} partitions and {racks} racks: neither may be below 0.")
    for name, share in shares.items():
        if not 0 <= share <= 1:
            raise WishRefused(f"{name} is a share of all partitions, 0 to 1; {share} was given.")


def _topics(rng: np.random.Generator, partitions: int, topics: int) -> tuple[list[str], IntArray, IntArray, FloatArray]:
    """Names; topic and id of each partition; and how large the topic's partitions are (median 1)."""
    count = max(1, min(topics, partitions))
    share = 1.0 / np.arange(1, count + 1) ** _TAIL
    # Everyone has one partition; the rest goes by share, what rounding leaves to the largest.
    sizes = 1 + np.floor(share / share.sum() * max(0, partitions - count)).astype(np.int64)
    sizes[0] += partitions - int(sizes.sum())
    if partitions == 0:
        sizes[:] = 0
    sizes = rng.permutation(sizes)
    names = [
        f"{_SUBJECTS[i % len(_SUBJECTS)]}.{_STAGES[i // len(_SUBJECTS) % len(_STAGES)]}.{i:05d}" for i in range(count)
    ]
    order = sorted(range(count), key=names.__getitem__)
    names = [names[i] for i in order]
    starts = np.cumsum(sizes) - sizes
    topic_of = np.repeat(np.arange(count, dtype=np.int32), sizes)
    partition = (np.arange(partitions) - np.repeat(starts, sizes)).astype(np.int32)
    largeness = rng.pareto(_TAIL, count) + 1e-3
    largeness /= np.median(largeness)
    return names, topic_of, partition, largeness[topic_of]


def _members_of_racks(brokers: int, racks: int) -> list[IntArray]:
    """Broker positions by rack; one group where there are no racks."""
    return [np.arange(r, brokers, max(1, racks), dtype=np.int32) for r in range(min(brokers, max(1, racks)))]


def _replicas(
    rng: np.random.Generator,
    members: list[IntArray],
    weight: FloatArray,
    *,
    partitions: int,
    factor: int,
    rack_broken: float,
) -> IntArray:
    """(P, R) broker positions, no broker twice in a row."""
    groups = len(members)
    of_rack = np.array([weight[group].sum() for group in members])
    first = rng.choice(groups, partitions, p=of_rack / of_rack.sum())
    step = rng.integers(1, groups, partitions) if groups > 1 else np.zeros(partitions, np.int64)
    rack = np.empty((partitions, factor), np.int64)
    rack[:, 0] = first
    for j in range(1, factor):
        # The other racks in turn from a random one on, so that the first min(R, racks) replicas are on different ones.
        rack[:, j] = (first + 1 + (step + j - 2) % (groups - 1)) % groups if j < groups else rack[:, j % groups]
    if factor > 1 and rack_broken:
        rack[:, 1] = np.where(rng.random(partitions) < rack_broken, first, rack[:, 1])
    out = np.empty((partitions, factor), np.int32)
    draw = rng.random((partitions, factor))
    for r, group in enumerate(members):
        edges = np.cumsum(weight[group] / weight[group].sum())
        mine = rack == r
        out[mine] = group[np.minimum(np.searchsorted(edges, draw[mine], side="right"), len(group) - 1)]
    brokers = len(weight)
    for j in range(1, factor):
        taken = (out[:, :j] == out[:, j : j + 1]).any(axis=1)
        while taken.any():
            # The next of the same rack keeps what the rack was chosen for; where the rack is used up, the next by id.
            rows = np.flatnonzero(taken)
            out[rows, j] = _next_free(out[rows, :j], out[rows, j], members, groups, brokers)
            taken[rows] = (out[rows, :j] == out[rows, j : j + 1]).any(axis=1)
    return out


def _next_free(before: IntArray, at: IntArray, members: list[IntArray], groups: int, brokers: int) -> IntArray:
    size = np.array([len(group) for group in members])[at % groups]
    used = ((before % groups) == (at % groups)[:, None]).sum(axis=1)
    in_rack = (at // groups + 1) % size * groups + at % groups
    return np.where(used < size, in_rack, (at + 1) % brokers).astype(np.int32)


def _broker(broker_id: int, position: int, racks: int, dead: bool) -> Broker:
    return Broker(
        id=broker_id,
        rack=f"rack-{position % racks + 1}" if racks else None,
        host=f"kafka-{broker_id}.example.net",
        port=9092,
        state=BrokerState.DEAD if dead else BrokerState.ALIVE,
    )


def _in_sync_and_leader(
    rng: np.random.Generator, replicas: IntArray, alive: BoolArray, drifted: float, lagging: float
) -> tuple[BoolArray, IntArray]:
    """The ISR as a mask over replicas, and the leader's position (-1 none)."""
    partitions, factor = replicas.shape
    in_sync: BoolArray = alive[replicas]
    if lagging and factor > 1:
        late = np.flatnonzero(rng.random(partitions) < lagging)
        late = late[in_sync[late].sum(axis=1) > 1]  # the last one in sync stays
        in_sync[late, rng.integers(1, factor, len(late))] = False
    want = np.zeros(partitions, np.int64)
    if drifted and factor > 1:
        want = np.where(rng.random(partitions) < drifted, rng.integers(1, factor, partitions), 0)
    chosen = np.where(in_sync[np.arange(partitions), want], want, in_sync.argmax(axis=1)) if factor else want
    leader = np.where(in_sync.any(axis=1), replicas[np.arange(partitions), chosen], NONE).astype(np.int32)
    # With no replica alive the last of the ISR stays in it: it is never removed (Kafka waits for its return).
    lost = np.flatnonzero(leader == NONE)
    in_sync[lost, 0] = True
    return in_sync, leader
