"""A cluster in memory that behaves as Kafka does in what the executor sees, and fails where a test says so.

It is deterministic: time passes only in ``FakeCluster.wait`` and copying goes on with it. It can be written to a file
and read back, so that a process that works on it can be killed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from reseat.errors import ClusterUnreachable
from reseat.operate.run.pace import Pace
from reseat.operate.targets.cordon_settings import Cordon
from reseat.operate.targets.error_names import ErrorName
from reseat.operate.targets.rights import Rights
from reseat.operate.targets.stored import DirectoriesSeen, Replica, Stored
from reseat.operate.targets.target import Assignment, Election, Partition, Throttles
from reseat.sources.kafka_admin.log_ends import LogEnd


@dataclass
class FakeCluster:
    """The cluster itself; several targets may work on it.

    Attributes:
        lists: replica ids by partition; while a reassignment runs, the target and then those that leave.
        origin: the list from before, by partition under way.
        goal: the list asked for, by partition under way.
        copied: bytes copied so far, by partition under way.
        migrating: whether it is between ZooKeeper and KRaft.
        ids: topic ids by name; a topic that is not among them has none.
        ends: where the logs of living replicas end, by partition and broker.
        dead: brokers that are not alive.
        refuse: Kafka's error by partition, for ``reassign``.
        refuse_cancel: Kafka's error by partition, for ``cancel``.
        rate: bytes that a partition copies in a second.
        size: bytes of every replica.
        dynamic: throttles that are set, by (kind, name).
        cordons: ``cordoned.log.dirs`` by broker, where it is set; None: the cluster knows no cordons.
        unheeded: brokers that take a cordon and do not keep to it.
        disks: log directory by (topic, partition, broker); a replica that is not among them is told by nobody.
        moving: where a replica is being copied to and how many bytes are there, likewise.
        closed_paths: (broker, path) of cordoned log directories.
        preferred: directory by (topic, partition, broker), asked for before the broker has the replica.
        refuse_move: Kafka's error by (topic, partition, broker), for ``move``.
        down: seconds of the clock until which no call is answered.
        calls: names of the calls made, in order.
        rights: what whoever signs in may do; None: it is not told.
        before_call: called with the name of each call before it is answered.
        file: where it is kept after each change, or None.
    """

    lists: dict[Partition, list[int]]
    origin: dict[Partition, list[int]] = field(default_factory=dict)
    goal: dict[Partition, list[int]] = field(default_factory=dict)
    copied: dict[Partition, float] = field(default_factory=dict)
    migrating: bool = False
    ids: dict[str, str] = field(default_factory=dict)
    ends: dict[tuple[Partition, int], LogEnd] = field(default_factory=dict)
    dead: set[int] = field(default_factory=set)
    refuse: dict[Partition, str] = field(default_factory=dict)
    refuse_cancel: dict[Partition, str] = field(default_factory=dict)
    rate: float = 100.0
    size: float = 50.0
    dynamic: dict[tuple[str, str], str] = field(default_factory=dict)
    cordons: dict[int, str] | None = field(default_factory=dict)
    unheeded: set[int] = field(default_factory=set)
    disks: dict[tuple[str, int, int], str] = field(default_factory=dict)
    moving: dict[tuple[str, int, int], list[str | float]] = field(default_factory=dict)
    closed_paths: set[tuple[int, str]] = field(default_factory=set)
    preferred: dict[tuple[str, int, int], str] = field(default_factory=dict)
    refuse_move: dict[tuple[str, int, int], str] = field(default_factory=dict)
    clock: float = 0.0
    down: float = 0.0
    calls: list[str] = field(default_factory=list)
    rights: Rights | None = None
    before_call: Callable[[str], None] = lambda name: None
    file: Path | None = None

    def wait(self, seconds: float) -> None:
        """Time passes: what can be copied is copied."""
        self.clock += seconds
        for key in sorted(self.goal):
            newcomers = set(self.goal[key]) - set(self.origin[key])
            if newcomers & self.dead:
                continue
            self.copied[key] += self.rate * seconds
            if not newcomers or self.copied[key] >= self.size:
                self.lists[key] = self.goal[key]
                self._ended(key)
        for replica in [one for one in self.moving if one[2] not in self.dead]:
            path, done = self.moving[replica]
            self.moving[replica] = [path, float(done) + self.rate * seconds]
            if float(done) + self.rate * seconds >= self.size:
                self.disks[replica] = str(path)
                del self.moving[replica]
        self.save()

    def start(self, key: Partition, goal: Sequence[int]) -> None:
        """Begin a reassignment, as Kafka does: the target first, then those that leave."""
        before = self.origin.get(key, self.lists[key])
        if list(goal) == before and key not in self.goal:
            return
        self.origin[key] = before
        self.goal[key] = list(goal)
        self.copied[key] = 0.0
        self.lists[key] = [*goal, *(broker for broker in before if broker not in goal)]

    def take_back(self, key: Partition) -> None:
        """Cancel as Kafka does: without those that were added, in the order that this leaves."""
        added = set(self.goal[key]) - set(self.origin[key])
        self.lists[key] = [broker for broker in self.lists[key] if broker not in added]
        self._ended(key)

    def assignment(self, key: Partition) -> Assignment:
        """A partition as it is told now."""
        before = self.origin.get(key, self.lists[key])
        goal = self.goal.get(key, before)
        return Assignment(
            tuple(self.lists[key]),
            adding=tuple(broker for broker in goal if broker not in before),
            removing=tuple(broker for broker in before if broker not in goal),
            leader=next((broker for broker in before if broker not in self.dead), -1),
            in_sync=tuple(before),
            topic_id=self.ids.get(key[0], ""),
        )

    def target(self, **choices: object) -> FakeTarget:
        """A way to write to it."""
        return FakeTarget(self, **choices)  # type: ignore[arg-type]

    def pace(self, **choices: float) -> Pace:
        """The executor's patience, on this cluster's clock."""
        return Pace(wait=self.wait, now=lambda: self.clock, **choices)

    def save(self) -> None:
        """Keep it in its file, if it has one."""
        if self.file is None:
            return
        kept = {
            name: [[list(key), value] for key, value in getattr(self, name).items()]
            for name in ("lists", "origin", "goal", "copied", "dynamic", "disks", "moving")
        }
        cordons = [[[broker], value] for broker, value in (self.cordons or {}).items()]
        text = json.dumps(kept | {"cordons": cordons, "clock": self.clock, "calls": self.calls})
        new = self.file.with_suffix(".new")
        new.write_text(text)
        new.replace(self.file)

    @classmethod
    def load(cls, file: Path) -> FakeCluster:
        """Read it back."""
        kept = json.loads(file.read_text())
        tables = {name: {tuple(key): value for key, value in kept[name]} for name in kept if name not in _PLAIN}
        cordons = {broker: value for (broker,), value in tables.pop("cordons").items()}
        return cls(**tables, cordons=cordons, clock=kept["clock"], calls=kept["calls"], file=file)

    @property
    def cordoned(self) -> frozenset[int]:
        """Brokers that take no replica."""
        return frozenset(broker for broker, value in (self.cordons or {}).items() if value == "*") - self.unheeded

    def _ended(self, key: Partition) -> None:
        del self.origin[key], self.goal[key], self.copied[key]


_PLAIN = ("clock", "calls")


@dataclass
class FakeTarget:
    """One operator's way to a ``FakeCluster``; implements ``Target``."""

    cluster: FakeCluster
    protocol: str = "admin"
    one_at_a_time: bool = False
    batch_bytes: int | None = None
    can_cancel: bool = True

    def _call(self, name: str) -> None:
        self.cluster.before_call(name)
        if self.cluster.clock < self.cluster.down:
            raise ClusterUnreachable("Nothing answers at fake:9092.", "route", "fake:9092")
        self.cluster.calls.append(name)

    def cluster_id(self) -> str:
        return "FAKE"

    def migrating(self) -> bool:
        return self.cluster.migrating

    def alive(self) -> frozenset[int]:
        self._call("alive")
        return frozenset(range(1, 10)) - self.cluster.dead

    def assignments(self, partitions: Sequence[Partition]) -> dict[Partition, Assignment]:
        self._call("assignments")
        return {key: self.cluster.assignment(key) for key in partitions if key in self.cluster.lists}

    def reassigning(self) -> dict[Partition, Assignment]:
        self._call("reassigning")
        return {key: self.cluster.assignment(key) for key in self.cluster.goal}

    def reassign(
        self, targets: Mapping[Partition, Sequence[int]], *, keeps_factor: bool = False
    ) -> dict[Partition, str | None]:
        self._call("reassign")
        answers = {key: self.cluster.refuse.get(key) for key in targets}
        for key, goal in targets.items():
            if keeps_factor and len(goal) != len(self.cluster.origin.get(key, self.cluster.lists[key])):
                answers[key] = "INVALID_REPLICATION_FACTOR"
            if self.cluster.cordoned.intersection(goal):
                answers[key] = ErrorName("INVALID_REPLICA_ASSIGNMENT", "All its log directories are cordoned.")
        for key, goal in targets.items():
            if answers[key] is None:
                self.cluster.start(key, goal)
        self.cluster.save()
        self.cluster.before_call("reassigned")
        return answers

    def cancel(self, partitions: Sequence[Partition]) -> dict[Partition, str | None]:
        self._call("cancel")
        answers: dict[Partition, str | None] = {}
        for key in partitions:
            answers[key] = self.cluster.refuse_cancel.get(key)
            if key not in self.cluster.goal:
                answers[key] = "NO_REASSIGNMENT_IN_PROGRESS"
            elif answers[key] is None:
                self.cluster.take_back(key)
        self.cluster.save()
        self.cluster.before_call("cancelled")
        return answers

    def elect(self, election: Election, partitions: Sequence[Partition]) -> dict[Partition, str]:
        self._call("elect")
        return dict.fromkeys(partitions, "ELECTION_NOT_NEEDED")

    def create_topic(
        self, topic: str, assignments: Mapping[int, Sequence[int]], configs: Mapping[str, str]
    ) -> str | None:
        self._call("create_topic")
        self.cluster.lists |= {(topic, partition): list(ids) for partition, ids in assignments.items()}
        return None

    def throttles(self, brokers: Sequence[int], topics: Sequence[str]) -> Throttles:
        self._call("throttles")
        if self.cluster.dead & set(brokers):
            raise ClusterUnreachable("Broker does not answer.", "timeout")
        told = self.cluster.dynamic.get
        return Throttles(
            leader_rate={broker: told(("leader_rate", str(broker))) for broker in brokers},
            follower_rate={broker: told(("follower_rate", str(broker))) for broker in brokers},
            leader_replicas={topic: told(("leader_replicas", topic)) for topic in topics},
            follower_replicas={topic: told(("follower_replicas", topic)) for topic in topics},
        )

    def rights(self, topics: Sequence[str]) -> Rights | None:
        return self.cluster.rights

    def set_throttles(self, throttles: Throttles) -> None:
        self._call("set_throttles")
        if self.cluster.dead & (set(throttles.leader_rate) | set(throttles.follower_rate)):
            raise ClusterUnreachable("Broker does not answer.", "timeout")
        for kind in ("leader_rate", "follower_rate", "directory_rate", "leader_replicas", "follower_replicas"):
            for name, value in getattr(throttles, kind).items():
                if value is None:
                    self.cluster.dynamic.pop((kind, str(name)), None)
                else:
                    self.cluster.dynamic[kind, str(name)] = value
        self.cluster.save()
        self.cluster.before_call("throttles set")

    def cordons(self, brokers: Sequence[int]) -> dict[int, Cordon] | None:
        self._call("cordons")
        if self.cluster.cordons is None:
            return None
        told = self.cluster.cordons
        return {b: Cordon(b in self.cluster.cordoned, told.get(b)) for b in brokers if b not in self.cluster.dead}

    def cordoned(self, brokers: Sequence[int]) -> frozenset[int]:
        self._call("cordoned")
        return self.cluster.cordoned.intersection(brokers) - self.cluster.dead

    def set_cordons(self, settings: Mapping[int, str | None]) -> frozenset[int]:
        self._call("set_cordons")
        assert self.cluster.cordons is not None
        if self.cluster.dead & set(settings):
            raise ClusterUnreachable("Broker does not answer.", "timeout")
        for broker, value in settings.items():
            if value is None:
                self.cluster.cordons.pop(broker, None)
            else:
                self.cluster.cordons[broker] = value
        self.cluster.save()
        self.cluster.before_call("cordons set")
        return self.cluster.unheeded & {broker for broker, value in settings.items() if value == "*"}

    def directories(self, partitions: Sequence[Partition], brokers: Sequence[int]) -> DirectoriesSeen:
        self._call("directories")
        stored = {}
        for (topic, partition, broker), path in self.cluster.disks.items():
            if broker in brokers and broker not in self.cluster.dead and (topic, partition) in partitions:
                future, done = self.cluster.moving.get((topic, partition, broker), ("", 0))
                one = Stored(path, str(future), int(self.cluster.size), int(done))
                stored[(topic, partition), broker] = one
        living = set(brokers) - self.cluster.dead
        online = frozenset((broker, path) for broker in living for path in ("/a", "/b", "/c"))
        return DirectoriesSeen(stored, online, online & frozenset(self.cluster.closed_paths))

    def move(self, replicas: Mapping[Replica, str]) -> dict[Replica, str | None]:
        self._call("move")
        if self.cluster.dead & {broker for _, broker in replicas}:
            raise ClusterUnreachable("Broker does not answer.", "timeout")
        answers: dict[Replica, str | None] = {}
        for ((topic, partition), broker), path in replicas.items():
            one = (topic, partition, broker)
            answers[(topic, partition), broker] = self.cluster.refuse_move.get(one)
            if answers[(topic, partition), broker] is not None:
                continue
            if broker not in self.cluster.lists[topic, partition]:
                self.cluster.preferred[one] = path
                answers[(topic, partition), broker] = "REPLICA_NOT_AVAILABLE"
            elif self.cluster.disks[one] == path:
                self.cluster.moving.pop(one, None)
            elif self.cluster.moving.get(one, [""])[0] != path:
                self.cluster.moving[one] = [path, 0.0]
        self.cluster.save()
        self.cluster.before_call("moved")
        return answers

    def directory_rates(self, brokers: Sequence[int]) -> dict[int, str | None]:
        self._call("directory_rates")
        told = self.cluster.dynamic.get
        return {one: told(("directory_rate", str(one))) for one in brokers if one not in self.cluster.dead}

    def holdings(self, brokers: Sequence[int]) -> dict[int, frozenset[Partition]] | None:
        self._call("holdings")
        return {
            broker: frozenset(key for key, ids in self.cluster.lists.items() if broker in ids)
            for broker in brokers
            if broker not in self.cluster.dead
        }

    def copied(
        self, partitions: Sequence[Partition], brokers: Sequence[int]
    ) -> dict[tuple[Partition, int], int] | None:
        self._call("copied")
        return {
            (key, broker): int(min(self.cluster.copied.get(key, self.cluster.size), self.cluster.size))
            for key in partitions
            for broker in brokers
            if broker in self.cluster.lists[key]
        }

    def log_ends(self, partitions: Sequence[Partition]) -> Mapping[tuple[Partition, int], LogEnd]:
        self._call("log_ends")
        return {(key, broker): end for (key, broker), end in self.cluster.ends.items() if key in partitions}

    def close(self) -> None:
        self._call("close")
