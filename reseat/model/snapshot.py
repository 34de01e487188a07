"""A snapshot: one cluster at one moment, as one way of reading it told. What every page, file and guard starts from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from enum import Enum

from reseat.model.finding import Finding
from reseat.model.gaps import Gaps
from reseat.model.layout import ClusterLayout
from reseat.model.quorum import Quorum
from reseat.model.tiering import RECORDS, Tiering

__all__ = ["GAPS_BY_PROTOCOL", "Consistency", "LogDirectory", "Original", "Snapshot", "in_utc", "with_offline_dirs"]


def in_utc(moment: datetime) -> datetime:
    """A moment in UTC; one whose zone is not told is taken to be."""
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


class Consistency(Enum):
    """Whether what was read was all true at one moment.

    ``CONSISTENT``: proven (ZooKeeper: no node read is newer than the zxid before the first request). ``UNSETTLED``:
    something changed while it was read, also when read again. ``NOT_PROMISED``: the protocol tells nothing of it.
    """

    CONSISTENT = "consistent"
    UNSETTLED = "unsettled"
    NOT_PROMISED = "not promised"


#: Gaps of what is read from a live cluster, which tells of every broker that is up which rack it has, or that it has
#: none; by the way of reading.
GAPS_BY_PROTOCOL = {"zookeeper": Gaps(racks_told=True), "admin": Gaps(racks_told=True), "text": Gaps()}


@dataclass(frozen=True, slots=True)
class LogDirectory:
    """One log directory of one broker.

    Attributes:
        broker: broker id.
        path: as the broker names it.
        total_bytes: size of its file system, or None where not told (KIP-827, 3.3 and later).
        usable_bytes: what is left of it, or None where not told.
        error: the name of Kafka's error where the directory is offline, else None.
        cordoned: whether the broker places no new replica in it (KIP-1066), or None where not told (before 4.3).
    """

    broker: int
    path: str
    total_bytes: int | None = None
    usable_bytes: int | None = None
    error: str | None = None
    cordoned: bool | None = None

    @property
    def volume(self) -> tuple[object, ...]:
        """The same for a broker's directories that share a file system: they tell the very same two sizes."""
        return (self.broker, self.total_bytes, self.usable_bytes) if self.total_bytes else (self.broker, self.path)


@dataclass(frozen=True, slots=True)
class Original:
    """The text that a snapshot was made of, where it was not read from a live cluster.

    Attributes:
        name: the file's name.
        text: its text, unchanged.
    """

    name: str
    text: str


@dataclass(frozen=True, eq=False)
class Snapshot:
    """One cluster at one moment. Holds no secret: no credential, no configuration but what is listed here.

    Attributes:
        layout: who sits where; ``adding`` and ``removing`` tell what is under way.
        taken_at: UTC, before the first request was sent.
        protocol: by which it was read, ``zookeeper`` or ``admin``; ``text`` where it came from files.
        cluster: the name by which the person knows it, or None.
        cluster_id: the id that the cluster gives itself, or None where not told.
        controller: broker id of the controller (ZooKeeper era) or of the quorum's leader (KRaft), or None.
        metadata: ``zookeeper`` or ``kraft``: where the cluster keeps its metadata; None where not told.
        version: Kafka's version as far as it was told ("2.8"), or None.
        findings: what was found while reading (missing, half-written or contradicting nodes); ``rows`` are rows of
            ``layout``.
        consistency: whether all of it was true at one moment.
        unsettled: topics that changed while they were read.
        not_read: what could not be read and why, one sentence each ("Sizes are not told: ...").
        under_way_told: whether it is told what is being reassigned; where not, the layout shows nothing under way all
            the same.
        broker_configs: values that matter by broker id (``unclean.leader.election.enable``,
            ``auto.leader.rebalance.enable``, ``min.insync.replicas``, ``leader.replication.throttled.rate``,
            ``follower.replication.throttled.rate``, ``follower.fetch.last.tiered.offset.enable``); a name that is
            absent was not told or is not set.
        topic_configs: overrides that matter by topic (``min.insync.replicas``, ``unclean.leader.election.enable``,
            ``leader.replication.throttled.replicas``, ``follower.replication.throttled.replicas``,
            ``remote.storage.enable``).
        log_dirs: every log directory told, sorted by broker and path.
        pending: (topic, partition) -> replica ids that ``/admin/reassign_partitions`` asks for and that are not
            there yet.
        facts: further facts that a reader shows; estimates alone rely on one of them (``tiering``).
        quorum: the controllers of a KRaft cluster, or None where not told.
        original: the text it was made of, or None.
    """

    layout: ClusterLayout
    taken_at: datetime
    protocol: str
    cluster: str | None = None
    cluster_id: str | None = None
    controller: int | None = None
    metadata: str | None = None
    version: str | None = None
    findings: tuple[Finding, ...] = ()
    consistency: Consistency = Consistency.NOT_PROMISED
    unsettled: tuple[str, ...] = ()
    not_read: tuple[str, ...] = ()
    under_way_told: bool = True
    broker_configs: Mapping[int, Mapping[str, str]] = field(default_factory=dict)
    topic_configs: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    log_dirs: tuple[LogDirectory, ...] = ()
    pending: Mapping[tuple[str, int], tuple[int, ...]] = field(default_factory=dict)
    facts: Mapping[str, object] = field(default_factory=dict)
    quorum: Quorum | None = None
    original: Original | None = None

    @property
    def unclean_topics(self) -> tuple[str, ...]:
        """Topics that a replica out of sync may lead: by their own setting, else by that of any broker."""
        name = "unclean.leader.election.enable"
        default = any(told.get(name, "").lower() == "true" for told in self.broker_configs.values())
        own = {topic: told[name].lower() == "true" for topic, told in self.topic_configs.items() if name in told}
        return tuple(topic for topic in self.layout.topics if own.get(topic, default))

    @property
    def throttled_topics(self) -> tuple[str, ...]:
        """Topics whose replication a throttle limits while nothing is reassigned, as far as settings were read.

        A list of replicas throttles nothing where no broker has a rate, nor a rate where no topic has a list.
        """
        sides = ("leader", "follower")
        if self.pending or not self.under_way_told or self.layout.under_way.any():
            return ()
        rated = [s for s in sides if any(f"{s}.replication.throttled.rate" in b for b in self.broker_configs.values())]
        lists = [f"{side}.replication.throttled.replicas" for side in rated]
        own = self.topic_configs
        return tuple(topic for topic in self.layout.topics if any(own.get(topic, {}).get(name) for name in lists))

    @property
    def auto_rebalance_off(self) -> bool | None:
        """Whether all that tell ``auto.leader.rebalance.enable`` say false; None where they do and do not decide it.

        On KRaft the controllers do, whose settings are read of those alone that are brokers, too (``ControllerServer``
        schedules the rebalance).
        """
        name = "auto.leader.rebalance.enable"
        told = {node: values[name].lower() for node, values in self.broker_configs.items() if name in values}
        if self.metadata == "kraft":
            voters = () if self.quorum is None else self.quorum.voter_ids
            if decide := {told[node] for node in voters if node in told}:
                return decide == {"false"}
            return None if set(told.values()) == {"false"} else False
        return set(told.values()) == {"false"}

    @property
    def tiering(self) -> Tiering:
        """Which topics are tiered, as far as settings were read."""
        return Tiering.of(self.topic_configs, self.broker_configs, self.facts.get(RECORDS))


def with_offline_dirs(layout: ClusterLayout, told: Iterable[LogDirectory]) -> ClusterLayout:
    """The layout in which brokers know which of their log directories are offline."""
    offline: dict[int, tuple[str, ...]] = {}
    for one in told:
        if one.error is not None:
            offline[one.broker] = (*offline.get(one.broker, ()), one.path)
    if not offline:
        return layout
    return replace(layout, brokers=tuple(replace(b, offline_dirs=offline.get(b.id, ())) for b in layout.brokers))
