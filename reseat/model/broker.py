"""One broker: id, rack, host and state."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

__all__ = ["Broker", "BrokerState"]


class BrokerState(Enum):
    """What the source says of a broker; ``NOT_TOLD`` is not the same as alive.

    A cordoned one (KIP-1066, Kafka 4.3) is alive: it serves what it holds and gets no new replica. Kafka calls log
    directories cordoned; the broker is where all of those are that it has online.
    """

    ALIVE = "alive"
    CORDONED = "cordoned"
    FENCED = "fenced"
    SHUTTING_DOWN = "shutting down"
    DEAD = "dead"
    NOT_TOLD = "not told"

    @property
    def word(self) -> str:
        """The state for a person; the value stands in tables."""
        return "unknown" if self is BrokerState.NOT_TOLD else self.value

    @property
    def up(self) -> bool:
        """Whether the source says that the broker serves: alive, cordoned or not."""
        return self in (BrokerState.ALIVE, BrokerState.CORDONED)

    @property
    def unavailable(self) -> bool:
        """Whether the source says that the broker serves nobody, or is about to stop: dead, fenced or shutting down.

        A broker of KRaft that crashed stays registered and is fenced: what ZooKeeper's era calls dead.
        """
        return self in (BrokerState.DEAD, BrokerState.FENCED, BrokerState.SHUTTING_DOWN)

    @property
    def away(self) -> bool:
        """Whether the source says that the broker is gone: dead, or fenced, as a crashed broker of KRaft is."""
        return self in (BrokerState.DEAD, BrokerState.FENCED)


@dataclass(frozen=True, slots=True)
class Broker:
    """A broker of the cluster, also one that is only mentioned by an assignment.

    Attributes:
        id: broker id, 0 to 2**31 - 1 (``broker.id`` or ``node.id``).
        rack: ``broker.rack``, or None where the broker has none or it is not told.
        host: host name or address, or None where not told.
        port: listener port, or None where not told.
        state: what the source says of it.
        offline_dirs: paths of its log directories that are offline while it serves: a disk of it has failed.
    """

    id: int
    rack: str | None = None
    host: str | None = None
    port: int | None = None
    state: BrokerState = BrokerState.NOT_TOLD
    # Not in its text: links name layouts by digests of these texts.
    offline_dirs: tuple[str, ...] = field(default=(), repr=False)
