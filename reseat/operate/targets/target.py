"""One cluster that may be written to, whichever way: what the executor asks of it, and nothing more."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Protocol, TypeAlias

if TYPE_CHECKING:
    from reseat.operate.targets.cordon_settings import Cordon
    from reseat.operate.targets.rights import Rights
    from reseat.operate.targets.stored import DirectoriesSeen, Replica
    from reseat.sources.kafka_admin.log_ends import LogEnd

__all__ = ["Assignment", "Election", "Partition", "Target", "Throttles"]

#: (topic, partition id).
Partition: TypeAlias = tuple[str, int]


class Election(Enum):
    """Which election is asked for; the value is that of Kafka's protocol."""

    PREFERRED = 0
    UNCLEAN = 1


@dataclass(frozen=True, slots=True)
class Assignment:
    """One partition as the cluster tells it now.

    Attributes:
        replicas: AR in order, those being added and removed included.
        adding: replicas that a reassignment under way adds.
        removing: replicas that a reassignment under way removes.
        leader: broker id, -1 none.
        in_sync: the ISR.
        topic_id: the id of its topic as Kafka prints it; "" where not told (before 2.8).
    """

    replicas: tuple[int, ...]
    adding: tuple[int, ...] = ()
    removing: tuple[int, ...] = ()
    leader: int = -1
    in_sync: tuple[int, ...] = ()
    topic_id: str = field(default="", compare=False)

    @property
    def under_way(self) -> bool:
        """Whether a reassignment of it is under way."""
        return bool(self.adding or self.removing)


@dataclass(frozen=True, slots=True)
class Throttles:
    """Replication throttles: what is set, or what was set before. None stands for "not set".

    Attributes:
        leader_rate: bytes a second by broker id (``leader.replication.throttled.rate``).
        follower_rate: bytes a second by broker id (``follower.replication.throttled.rate``).
        leader_replicas: by topic (``leader.replication.throttled.replicas``: ``0:1,0:2``, ``*``).
        follower_replicas: by topic (``follower.replication.throttled.replicas``).
        directory_rate: bytes a second by broker id (``replica.alter.log.dirs.io.max.bytes.per.second``); told and set
            for moves between directories alone (``run.places``).
    """

    leader_rate: Mapping[int, str | None] = field(default_factory=dict)
    follower_rate: Mapping[int, str | None] = field(default_factory=dict)
    leader_replicas: Mapping[str, str | None] = field(default_factory=dict)
    follower_replicas: Mapping[str, str | None] = field(default_factory=dict)
    directory_rate: Mapping[int, str | None] = field(default_factory=dict)


class Target(Protocol):
    """A cluster open for writing. Every call asks the cluster anew; nothing is cached between calls.

    All calls raise ``ClusterUnreachable`` where the cluster does not answer. Error names are Kafka's
    (``REASSIGNMENT_IN_PROGRESS``, ``INVALID_REPLICA_ASSIGNMENT``, ``ELECTION_NOT_NEEDED``); one that came with a
    message has it (``error_names.ErrorName``).
    """

    @property
    def protocol(self) -> str:
        """``admin`` or ``zookeeper``."""

    @property
    def one_at_a_time(self) -> bool:
        """Whether a reassignment can be started only when none is under way (ZooKeeper's node)."""

    @property
    def batch_bytes(self) -> int | None:
        """What one batch may take as reassignment JSON, in bytes (ZooKeeper's node limit), or None."""

    @property
    def can_cancel(self) -> bool:
        """Whether what is under way can be taken back (KIP-455; not through ZooKeeper's node)."""

    def cluster_id(self) -> str:
        """The id that the cluster gives itself."""

    def migrating(self) -> bool:
        """Whether the cluster is between ZooKeeper and KRaft, so that nothing may be written in this way (KIP-866)."""

    def alive(self) -> frozenset[int]:
        """Ids of the brokers that are alive now (not fenced, registered)."""

    def assignments(self, partitions: Sequence[Partition]) -> dict[Partition, Assignment]:
        """These partitions as they are now; one that is gone is absent."""

    def reassigning(self) -> dict[Partition, Assignment]:
        """Every reassignment under way in the cluster, also those accepted and not begun; whoever started them."""

    def reassign(
        self, targets: Mapping[Partition, Sequence[int]], *, keeps_factor: bool = False
    ) -> dict[Partition, str | None]:
        """Ask for these replica lists. Returns Kafka's error name by partition, None where it was accepted.

        Args:
            targets: replica ids by partition.
            keeps_factor: whether the cluster is to refuse a list with more or fewer replicas than the partition has
                (INVALID_REPLICATION_FACTOR; KIP-860), as far as it can.
        """

    def cancel(self, partitions: Sequence[Partition]) -> dict[Partition, str | None]:
        """Take back what is under way for these partitions. Returns as ``reassign``."""

    def elect(self, election: Election, partitions: Sequence[Partition]) -> dict[Partition, str]:
        """Hold an election. Returns Kafka's error name by partition, ``NONE`` where a leader was elected.

        Raises:
            WishRefused: this way cannot hold such an election.
        """

    def create_topic(
        self, topic: str, assignments: Mapping[int, Sequence[int]], configs: Mapping[str, str]
    ) -> str | None:
        """Make a topic with these replica lists. Returns None, or why the cluster refused, in its words."""

    def throttles(self, brokers: Sequence[int], topics: Sequence[str]) -> Throttles:
        """The replication throttles now set on these brokers and topics (dynamic settings alone).

        A broker that cannot be asked (dead, through the Admin protocol) and a topic that is gone are absent: None
        stands for "not set" alone.
        """

    def rights(self, topics: Sequence[str]) -> Rights | None:
        """What the user that is signed in may do with the cluster and these topics; None where it is not told."""

    def set_throttles(self, throttles: Throttles) -> None:
        """Set these throttles; None unsets. Names that are not mentioned stay as they are.

        Raises:
            ClusterUnreachable: a broker's could not be set, because it is dead; all the others are set by then.
        """

    def cordons(self, brokers: Sequence[int]) -> dict[int, Cordon] | None:
        """How these brokers are cordoned (KIP-1066); None where the cluster knows no cordons (before 4.3, ZooKeeper).

        A broker that cannot be asked is absent.
        """

    def cordoned(self, brokers: Sequence[int]) -> frozenset[int]:
        """Those of these brokers that are cordoned as a whole: Kafka takes no list that names one; see ``cordons``."""

    def set_cordons(self, settings: Mapping[int, str | None]) -> frozenset[int]:
        """Set ``cordoned.log.dirs`` of these brokers, None unsets, and wait until their log directories tell it.

        Returns:
            Brokers that took the value and whose log directories do not tell it: it is not in force.

        Raises:
            ClusterUnreachable: a broker does not answer (all others are set by then), or refuses the value.
            WishRefused: the cluster knows no cordons.
        """

    def holdings(self, brokers: Sequence[int]) -> dict[int, frozenset[Partition]] | None:
        """What the log directories of these brokers hold; None where they cannot be asked, a broker absent likewise."""

    def directories(self, partitions: Sequence[Partition], brokers: Sequence[int]) -> DirectoriesSeen:
        """In which log directories these partitions lie on these brokers; a dead broker tells nothing."""

    def move(self, replicas: Mapping[Replica, str]) -> dict[Replica, str | None]:
        """Ask brokers to keep replicas in these log directories. Returns Kafka's error name, None where accepted.

        Raises:
            ClusterUnreachable: a broker did not answer; all others were asked by then.
            WishRefused: this way cannot ask that (ZooKeeper's nodes).
        """

    def directory_rates(self, brokers: Sequence[int]) -> dict[int, str | None]:
        """The throttle of moves between directories now set on these brokers; None: not set."""

    def copied(
        self, partitions: Sequence[Partition], brokers: Sequence[int]
    ) -> dict[tuple[Partition, int], int] | None:
        """Bytes that each of these brokers holds of each of these partitions now; None where not told."""

    def log_ends(self, partitions: Sequence[Partition]) -> Mapping[tuple[Partition, int], LogEnd]:
        """Where the logs of these partitions end on the living brokers; whoever does not tell is absent."""

    def close(self) -> None:
        """Close every connection."""
