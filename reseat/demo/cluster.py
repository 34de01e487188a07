"""A made-up cluster that lives: topics are made, data grows, brokers come, go and are lost, and plans are carried out.

What it promises, in this order: whatever changes is changed as Kafka would, by the core's own functions (replicas by
``placement``, plans by ``planning``, leaders and ISR by ``election``); the same seed and the same calls give the same
cluster; every state is a layout as a live reading would tell it, also in the middle of a reassignment.

How it works: the layout is replaced, never changed. A plan is carried out in steps. A partition whose step has begun
lists its new replicas first and then those that leave, with both marked (KIP-455); once the step is done it has its
target, everybody in it is in sync, and a leader that left hands over as ``election.after_plan`` says. What a partition
takes is what was written to it in its time of retention, a little more by day than by night.

Complexity: O(P R) a change and a snapshot.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

import numpy as np

from reseat.demo.edits import (
    with_leaders,
    with_lists,
    with_partitions,
    without_broker,
    without_partitions,
)
from reseat.election import Mode, Move, MoveKind, after_plan, preferred, walk
from reseat.model import (
    NONE,
    Broker,
    BrokerState,
    Certificate,
    ClusterLayout,
    Consistency,
    FloatArray,
    Plan,
    Snapshot,
)
from reseat.model.arrays import on_brokers
from reseat.model.wording import counted, listed
from reseat.placement import JavaRandom, place_added, place_kraft
from reseat.placement.creation import CreationMethod, place_topic
from reseat.placement.topic_spec import TopicSpec

__all__ = ["DemoCluster", "DemoTopic", "Identity"]

_HOUR = 3600.0
#: How much more is written at the busiest hour than on average, and when that is (UTC).
_SWING, _BUSIEST = 0.5, 15.0
#: How much more is written each hour than in the one before: about a hundredth a day.
_GROWTH = 0.0004


@dataclass(frozen=True, slots=True)
class Identity:
    """What a cluster says of itself.

    Attributes:
        name: by which people know it.
        cluster_id: the id that it gives itself.
        mode: where it keeps its metadata: ``zookeeper`` or ``kraft``.
        version: Kafka's version.
        seed: of all that is drawn.
    """

    name: str
    cluster_id: str
    mode: Mode
    version: str
    seed: int


@dataclass(frozen=True, slots=True)
class DemoTopic:
    """A topic to be made.

    Attributes:
        name: its name.
        partitions: how many.
        factor: replicas of each.
        min_in_sync: ``min.insync.replicas``.
        rate: bytes written to one of its partitions in an average hour.
        retention: hours that they are kept.
        placed: replica ids of each partition, where somebody chose them by hand.
    """

    name: str
    partitions: int
    factor: int = 3
    min_in_sync: int = 2
    rate: float = 40e6
    retention: float = 168.0
    placed: tuple[tuple[int, ...], ...] = ()


@dataclass(slots=True)
class _Told:
    """What is known of a topic beside its partitions."""

    topic: DemoTopic
    since: float  # hours since 1970
    weights: list[float]  # by partition: no two are written to alike


class DemoCluster:
    """One cluster.

    Args:
        identity: what it says of itself.
        brokers: its brokers, all alive.
        controller: id of the controller, or of the quorum's leader.
    """

    def __init__(self, identity: Identity, brokers: Sequence[Broker], controller: int) -> None:
        self.identity = identity
        self.layout = without_partitions(brokers)
        self.controller = controller
        self._rng = np.random.default_rng(identity.seed)
        self._topics: dict[str, _Told] = {}
        self._copied: dict[tuple[str, int], float] = {}  # share that newcomers have copied so far

    # ---- topics --------------------------------------------------------------------------------------------

    def create(self, topic: DemoTopic, when: datetime, *, age: float = 0.0) -> None:
        """Make a topic; Kafka places its replicas unless they are given.

        Args:
            topic: what it shall be.
            when: now.
            age: hours for which it has been there already.
        """
        spec = TopicSpec(topic.name, topic.partitions, topic.factor)
        if topic.placed:
            spec = TopicSpec.placed(topic.name, dict(enumerate(topic.placed)))
        method = CreationMethod.ADMIN_KRAFT if self.identity.mode == "kraft" else CreationMethod.ADMIN_ZOOKEEPER
        placed = place_topic(spec, self.layout.brokers, method, draws=self._draws())
        self._topics[topic.name] = _Told(topic, _hours(when) - age, self._weights(len(placed.replicas)))
        self.layout = with_partitions(self.layout, topic.name, 0, placed.replicas, min_in_sync=topic.min_in_sync)

    def add_partitions(self, name: str, total: int) -> None:
        """Give a topic more partitions, placed as Kafka does."""
        told = self._topics[name]
        rows = self.layout.rows_of_topic(name)
        alive = [broker for broker in self.layout.brokers if broker.state is BrokerState.ALIVE]
        if self.identity.mode == "kraft":
            placed = place_kraft(self.layout.brokers, total - len(rows), told.topic.factor, draws=self._draws())
        else:
            existing = {
                int(self.layout.partition[row]): self.layout.replica_ids[row][
                    self.layout.replicas[row] != NONE
                ].tolist()
                for row in rows
            }
            placed = place_added(alive, existing, total, topic=name)
        told.weights += self._weights(len(placed.replicas))
        self.layout = with_partitions(self.layout, name, len(rows), placed.replicas, min_in_sync=told.topic.min_in_sync)

    def _draws(self) -> JavaRandom:
        return JavaRandom(int(self._rng.integers(0, 2**47)))

    def _weights(self, partitions: int) -> list[float]:
        return [float(weight) for weight in np.exp(self._rng.normal(0.0, 0.25, partitions))]

    # ---- brokers -------------------------------------------------------------------------------------------

    def join(self, broker: Broker) -> None:
        """A new broker registers, with nothing on it."""
        self.layout = self.layout.with_brokers([broker])

    def unregister(self, broker: int) -> None:
        """A broker that holds nothing any more is gone for good."""
        self.layout = without_broker(self.layout, broker)

    def stop(self, brokers: Iterable[int]) -> None:
        """Brokers are lost, all at once: leaders move, ISRs shrink; a ZooKeeper controller among them is replaced."""
        lost = tuple(sorted(brokers))
        self._moved(MoveKind.STOP, lost)
        if self.controller in lost:
            self.controller = min(b.id for b in self.layout.brokers if b.state is BrokerState.ALIVE)

    def come_back(self, brokers: Iterable[int], *, caught_up: float = 1.0) -> None:
        """Brokers are back: they lead what waited for them, and follow the rest.

        Args:
            brokers: who.
            caught_up: share of the partitions in which they are in sync again already; ``catch_up`` is for the rest.
        """
        before = self.layout
        self._moved(MoveKind.RETURN, tuple(sorted(brokers)))
        waits = self._rng.random(before.partition_count) >= caught_up
        waits &= before.leader == self.layout.leader
        told, settled = before.in_sync, self.layout.in_sync
        if told is not None and settled is not None:
            self.layout = replace(self.layout, in_sync=np.where(waits[:, None], told, settled))

    def catch_up(self) -> None:
        """Every replica on a broker that is alive is in sync, but for those that a reassignment is still copying."""
        alive = self.layout.in_state(BrokerState.ALIVE)
        here = on_brokers(self.layout.replicas, alive) & (self.layout.leader != NONE)[:, None]
        copying = np.zeros(here.shape, np.bool_) if self.layout.adding is None else self.layout.adding
        told = np.zeros(here.shape, np.bool_) if self.layout.in_sync is None else self.layout.in_sync
        self.layout = replace(self.layout, in_sync=told | (here & ~copying))

    def elect_preferred(self) -> None:
        """A preferred leader election of every partition."""
        self.layout = with_leaders(self.layout, preferred(self.layout, self.identity.mode).leader_after)

    def _moved(self, kind: MoveKind, brokers: tuple[int, ...]) -> None:
        after = walk(self.layout, [Move(kind, brokers)], mode=self.identity.mode).steps[-1].layout
        self.layout = with_leaders(replace(after, leader=self.layout.leader), after.leader_ids)

    # ---- plans ---------------------------------------------------------------------------------------------

    def begin(self, lists: Mapping[tuple[str, int], Sequence[int]]) -> None:
        """Begin to move partitions: newcomers copy, those that leave still serve.

        Args:
            lists: the replicas that each partition shall have.
        """
        now = self.layout
        merged, comes, goes = {}, {}, {}
        for (topic, partition), target in lists.items():
            row = self._row(topic, partition)
            old = [broker for broker in now.replica_ids[row].tolist() if broker != NONE]
            merged[row] = [*target, *(broker for broker in old if broker not in target)]
            comes[row], goes[row] = set(target) - set(old), set(old) - set(target)
            self._copied[topic, partition] = float(self._rng.uniform(0.2, 0.9))
        self.layout = with_lists(now, merged, comes, goes)

    def finish(self, lists: Mapping[tuple[str, int], Sequence[int]], certificate: Certificate) -> None:
        """Moved partitions have their target: newcomers are in sync, and a leader that left hands over.

        Args:
            lists: as ``begin`` was given.
            certificate: of the plan that they are a part of.
        """
        rows = {self._row(*name): list(target) for name, target in lists.items()}
        begun = self.layout
        self.layout = with_lists(begun, rows)
        done = after_plan(Plan(begun, self.layout, certificate), self.identity.mode).leader_done
        in_sync = None if self.layout.in_sync is None else self.layout.in_sync.copy()
        if in_sync is not None:
            at = list(rows)
            in_sync[at] = self.layout.replicas[at] != NONE
        self.layout = replace(self.layout, leader=begun.leader, in_sync=in_sync)
        if done is not None:
            self.layout = with_leaders(self.layout, done)
        for name in lists:
            self._copied.pop(name, None)

    def _row(self, topic: str, partition: int) -> int:
        row = self.layout.row(topic, partition)
        if row is None:
            raise KeyError(f"{topic}-{partition}")
        return row

    # ---- as it is read -------------------------------------------------------------------------------------

    def snapshot(self, when: datetime) -> Snapshot:
        """The cluster as a live reading of this moment would tell it."""
        layout = self.layout
        moving = layout.adding is not None and layout.adding.any()
        if not moving:
            layout = replace(layout, adding=None, removing=None)
        away = [broker.id for broker in layout.brokers if broker.state is not BrokerState.ALIVE]
        not_read: tuple[str, ...] = ()
        if away:
            not_read = (
                f"Sizes on {counted(len(away), 'broker')} are unknown, because these did not answer: {listed(away)}.",
            )
        zookeeper = self.identity.mode == "zookeeper"
        return Snapshot(
            layout=replace(layout, size_bytes=self._sizes(layout, when)),
            taken_at=when,
            protocol="zookeeper" if zookeeper else "admin",
            cluster=self.identity.name,
            cluster_id=self.identity.cluster_id,
            controller=self.controller,
            metadata=self.identity.mode,
            version=self.identity.version,
            consistency=Consistency.CONSISTENT if zookeeper else Consistency.NOT_PROMISED,
            not_read=not_read,
            facts={"demo": "A generated cluster, not a real one."},
        )

    def _sizes(self, layout: ClusterLayout, when: datetime) -> FloatArray:
        """(P, R) bytes of each replica: NaN on brokers that do not answer, a part where it is being copied."""
        now = _hours(when)
        whole = np.zeros(layout.partition_count)
        for name in layout.topics:
            told, rows = self._topics[name], layout.rows_of_topic(name)
            since = max(told.since, now - told.topic.retention)
            whole[rows.start : rows.stop] = told.topic.rate * _written(since, now) * np.array(told.weights)
        sizes = np.where(layout.replicas != NONE, np.round(whole)[:, None], np.nan)
        if layout.adding is not None:
            for (topic, partition), share in self._copied.items():
                row = self._row(topic, partition)
                sizes[row] = np.where(layout.adding[row], np.round(sizes[row] * share), sizes[row])
        sizes[~on_brokers(layout.replicas, layout.in_state(BrokerState.ALIVE))] = np.nan
        return sizes


def _hours(when: datetime) -> float:
    return when.timestamp() / _HOUR


def _written(since: float, until: float) -> float:
    """Average hours' worth of what is written between two times, in hours since 1970: the integral of the day's wave.

    The slow growth from week to week is that of the later time, so that a topic whose retention is over still grows.
    """
    turn = 2 * np.pi / 24
    wave = _SWING / turn * (np.sin(turn * (until - _BUSIEST)) - np.sin(turn * (since - _BUSIEST)))
    return float(max(0.0, (until - since) + wave) * (1.0 + _GROWTH * (until % 8760)))
