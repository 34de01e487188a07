"""What a person asks of a migration: which topics, under which names, onto which brokers, in which waves."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

__all__ = ["MigrationRequest", "Placing", "TargetLimits"]


class Placing(Enum):
    """By what the target's replica lists are chosen."""

    BALANCED = "balanced"
    KAFKA = "kafka"


@dataclass(frozen=True, slots=True)
class TargetLimits:
    """The most that the target may hold; None: no limit.

    Attributes:
        replicas: replicas on one broker.
        bytes: bytes on one broker.
        partitions: partitions of all topics together.
    """

    replicas: int | None = None
    bytes: int | None = None
    partitions: int | None = None


@dataclass(frozen=True, slots=True)
class MigrationRequest:
    """A value, so that what follows from it is kept by it.

    Attributes:
        topics: names or patterns of the topics to move; empty: all that MirrorMaker 2 copies by itself.
        prefix: the source's name, which MirrorMaker 2 then puts before every topic's (``DefaultReplicationPolicy``);
            empty: topics keep their names (``IdentityReplicationPolicy``).
        replication_factor: of the topics that are created; None: each topic's own.
        placing: by what replica lists are chosen.
        limits: of the target.
        wave_bytes: the most bytes of a wave; None: a quarter of all.
        together: groups of names or patterns of topics that go in one wave.
        version: the target's Kafka version, whose placement and commands these are.
        kraft: whether the target's controller is KRaft's, where its version has both.
        seed: of the random draws with which Kafka places.
    """

    topics: tuple[str, ...] = ()
    prefix: str = ""
    replication_factor: int | None = None
    placing: Placing = Placing.BALANCED
    limits: TargetLimits = TargetLimits()
    wave_bytes: int | None = None
    together: tuple[tuple[str, ...], ...] = ()
    version: str = "4.1"
    kraft: bool = True
    seed: int = 0
