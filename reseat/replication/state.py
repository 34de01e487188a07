"""One partition as values: its replicas' logs, the leader's view of them, the controller's record, and the rules.

Every value is frozen and holds nothing but tuples and frozen sets, so that a story is a list of states, equal states
are equal, and going back is taking an earlier one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from types import MappingProxyType

from reseat.errors import ScenarioInvalid

__all__ = [
    "Acked",
    "Acks",
    "Partition",
    "Pending",
    "Record",
    "Replica",
    "ResponseInFlight",
    "Rules",
    "Truncation",
    "start",
]


class Truncation(Enum):
    """How a replica that becomes a follower cuts what its leader does not have.

    HIGH_WATERMARK: at its own high watermark (before 0.11). LEADER_EPOCH: where the leader says that the epoch of
    its last record ended (KIP-101, KIP-279).
    """

    HIGH_WATERMARK = "high watermark"
    LEADER_EPOCH = "leader epoch"


class Acks(Enum):
    """When a producer counts a record as written; the value is that of ``acks``."""

    NONE = "0"
    LEADER = "1"
    ALL = "all"


@dataclass(frozen=True, slots=True)
class Record:
    """One record: its value, and the epoch of the leader that took it. Its offset is its place in the log."""

    value: str
    epoch: int


@dataclass(frozen=True, slots=True)
class Rules:
    """How this partition behaves.

    Attributes:
        truncation: how followers cut.
        min_in_sync: ``min.insync.replicas``.
        unclean: ``unclean.leader.election.enable``.
        lag_max_ms: ``replica.lag.time.max.ms``.
        elr: whether eligible leader replicas are kept (KIP-966): then the high watermark stands still while the ISR is
            smaller than ``min_in_sync``, which is capped by the number of replicas, and a broker that returns from an
            unclean shutdown is in neither set.
    """

    truncation: Truncation = Truncation.LEADER_EPOCH
    min_in_sync: int = 1
    unclean: bool = False
    lag_max_ms: int = 30_000
    elr: bool = False


@dataclass(frozen=True, slots=True)
class Replica:
    """One replica and the broker it is on.

    Attributes:
        log: its records; the offset of a record is its index.
        hw: its high watermark.
        flushed: records below this offset are on disk; the others are in the page cache alone.
        checkpoint: the high watermark on disk (``replication-offset-checkpoint``).
        alive: whether its broker runs.
        unclean: whether its broker went down uncleanly and is not back in sync since.
        must_cut: whether it has yet to ask its leader where to cut.
    """

    log: tuple[Record, ...] = ()
    hw: int = 0
    flushed: int = 0
    checkpoint: int = 0
    alive: bool = True
    unclean: bool = False
    must_cut: bool = False

    @property
    def leo(self) -> int:
        """Log end offset: the offset of the next record."""
        return len(self.log)

    @property
    def epochs(self) -> tuple[tuple[int, int], ...]:
        """The epoch cache: (epoch, offset of its first record), ascending."""
        starts: list[tuple[int, int]] = []
        for offset, record in enumerate(self.log):
            if not starts or starts[-1][0] != record.epoch:
                starts.append((record.epoch, offset))
        return tuple(starts)

    def end_of(self, epoch: int) -> tuple[int, int]:
        """The largest epoch not above this one that it knows, and the offset where that ended (KIP-279).

        (-1, 0) where it knows none: everything of the one who asks is unknown to it.
        """
        known = [(e, i) for i, (e, _) in enumerate(self.epochs) if e <= epoch]
        if not known:
            return -1, 0
        found, place = known[-1]
        return found, self.epochs[place + 1][1] if place + 1 < len(self.epochs) else self.leo


@dataclass(frozen=True, slots=True)
class ResponseInFlight:
    """An answer of the leader to a fetch, on its way.

    Attributes:
        epoch: the leader's epoch.
        offset: where its records begin.
        records: the records.
        hw: the leader's high watermark.
    """

    epoch: int
    offset: int
    records: tuple[Record, ...]
    hw: int


@dataclass(frozen=True, slots=True)
class Pending:
    """A record that its producer waits for (acks=all).

    Attributes:
        offset: its offset.
        value: its value.
        epoch: the epoch of the leader that took it.
    """

    offset: int
    value: str
    epoch: int


@dataclass(frozen=True, slots=True)
class Acked:
    """A record that its producer was told is written.

    Attributes:
        value: its value.
        offset: its offset.
        epoch: the epoch of the leader that took it.
        acks: what its producer asked for.
    """

    value: str
    offset: int
    epoch: int
    acks: Acks


@dataclass(frozen=True)
class Partition:
    """Everything that there is at one moment.

    Attributes:
        rules: how it behaves.
        replicas: by broker id; the order is the assignment's.
        leader: broker id, or None.
        epoch: leader epoch.
        epoch_start: the leader's LEO when it was elected.
        isr: as the controller has it.
        elr: eligible leader replicas; empty unless ``rules.elr``.
        last_known_leader: who led last before nobody did.
        now_ms: the clock.
        follower_leo: what the leader knows of its followers' log ends, by broker.
        caught_up_ms: when a follower was last caught up, by broker.
        fetched: (time, the leader's LEO) at each follower's last fetch, by broker.
        answers: answers on their way, by the follower that waits.
        pending: producers that wait.
        acknowledged: records acknowledged, in order.
        refused: values refused, with Kafka's error name.
        consumed: values that a consumer has read, in order.
    """

    rules: Rules
    replicas: Mapping[int, Replica]
    leader: int | None
    epoch: int
    isr: tuple[int, ...]
    epoch_start: int = 0
    elr: tuple[int, ...] = ()
    last_known_leader: int | None = None
    now_ms: int = 0
    follower_leo: Mapping[int, int] = field(default_factory=lambda: MappingProxyType({}))
    caught_up_ms: Mapping[int, int] = field(default_factory=lambda: MappingProxyType({}))
    fetched: Mapping[int, tuple[int, int]] = field(default_factory=lambda: MappingProxyType({}))
    answers: Mapping[int, ResponseInFlight] = field(default_factory=lambda: MappingProxyType({}))
    pending: tuple[Pending, ...] = ()
    acknowledged: tuple[Acked, ...] = ()
    refused: tuple[tuple[str, str], ...] = ()
    consumed: tuple[str, ...] = ()

    @property
    def brokers(self) -> tuple[int, ...]:
        """Broker ids in assignment order."""
        return tuple(self.replicas)

    @property
    def led(self) -> Replica:
        """The leader's replica.

        Raises:
            ScenarioInvalid: nobody leads.
        """
        if self.leader is None:
            raise ScenarioInvalid("The partition has no leader.")
        return self.replicas[self.leader]

    @property
    def needed(self) -> int:
        """How many must be in sync for acks=all; capped by the number of replicas where ELR is kept (from 3.7)."""
        return min(self.rules.min_in_sync, len(self.replicas)) if self.rules.elr else self.rules.min_in_sync

    def put(self, broker: int, replica: Replica) -> Partition:
        """The same with another replica."""
        return replace(self, replicas=MappingProxyType({**self.replicas, broker: replica}))

    @property
    def cells(self) -> dict[int, str]:
        """``LEO/HW`` of each replica, ``-`` where its broker is down: the documents' way to write a state."""
        return {broker: f"{r.leo}/{r.hw}" if r.alive else "-" for broker, r in self.replicas.items()}


def start(brokers: tuple[int, ...] = (1, 2), *, rules: Rules | None = None, leader: int | None = None) -> Partition:
    """An empty partition, all replicas alive and in sync.

    Args:
        brokers: broker ids in assignment order.
        rules: how it behaves.
        leader: who leads; the first by default.

    Raises:
        ScenarioInvalid: no broker, one twice, or a leader that is none of them.
    """
    if not brokers or len(set(brokers)) < len(brokers):
        raise ScenarioInvalid(f"A partition has one replica or more on different brokers; {list(brokers)} was given.")
    first = brokers[0] if leader is None else leader
    if first not in brokers:
        raise ScenarioInvalid(f"Broker {first} cannot lead: it has no replica. Replicas are on {list(brokers)}.")
    followers = {broker: 0 for broker in brokers if broker != first}
    return Partition(
        rules=rules or Rules(),
        replicas=MappingProxyType({broker: Replica() for broker in brokers}),
        leader=first,
        epoch=0,
        isr=brokers,
        follower_leo=MappingProxyType(followers),
        caught_up_ms=MappingProxyType(dict(followers)),
    )
