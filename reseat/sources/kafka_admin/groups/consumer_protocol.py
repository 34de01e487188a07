"""What consumers put into a group's metadata as bytes: their subscription and their assignment.

Kafka's brokers pass these bytes on unread, so any client may have put anything there: what is not the consumer
protocol is told apart from it, never guessed. A newer version is read as far as version 3 goes, as Kafka's own clients
read it.

Source: ``ConsumerProtocolSubscription`` and ``ConsumerProtocolAssignment`` of Kafka 4.1 (KIP-429, KIP-792, KIP-881).
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

from reseat.consumers import Partition
from reseat.consumers.group import NO_GENERATION

__all__ = ["Subscription", "read_assignment", "read_subscription"]


@dataclass(frozen=True, slots=True)
class Subscription:
    """What a member told when it joined.

    Attributes:
        version: of the protocol.
        topics: topics that it subscribes to.
        user_data: for its assignor.
        owned: partitions that it owned, from version 1 on; empty with eager assignors.
        generation: of that ownership, from version 2 on, else -1.
        rack: ``client.rack``, from version 3 on, or None.
    """

    version: int
    topics: tuple[str, ...]
    user_data: bytes = b""
    owned: tuple[Partition, ...] = ()
    generation: int = NO_GENERATION
    rack: str | None = None


def read_subscription(data: bytes) -> Subscription | None:
    """A member's metadata; None where it is not a consumer's subscription."""
    try:
        reader = _Reader(data)
        version = reader.number(">h")
        if version < 0:
            return None
        topics = tuple(reader.text() or "" for _ in range(reader.length()))
        user_data = reader.data()
        owned = reader.partitions() if version >= 1 else ()
        generation = reader.number(">i") if version >= 2 else NO_GENERATION
        rack = reader.text() if version >= 3 else None
    except (struct.error, UnicodeDecodeError, _NotTheProtocol):
        return None
    return Subscription(version, topics, user_data, owned, generation, rack or None)


def read_assignment(data: bytes) -> tuple[Partition, ...] | None:
    """What a member was given; None where it is not a consumer's assignment. No bytes are no partitions."""
    if not data:
        return ()
    try:
        reader = _Reader(data)
        if reader.number(">h") < 0:
            return None
        return reader.partitions()
    except (struct.error, UnicodeDecodeError, _NotTheProtocol):
        return None


class _NotTheProtocol(Exception):
    """The bytes say something that the protocol does not."""


class _Reader:
    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def number(self, form: str) -> int:
        (value,) = struct.unpack_from(form, self._data, self._at)
        self._at += struct.calcsize(form)
        return int(value)

    def length(self) -> int:
        """Of a list; none is longer than the bytes that are left."""
        count = self.number(">i")
        if not 0 <= count <= len(self._data) - self._at:
            raise _NotTheProtocol
        return count

    def text(self) -> str | None:
        size = self.number(">h")
        return None if size < 0 else self._take(size).decode()

    def data(self) -> bytes:
        size = self.number(">i")
        return b"" if size < 0 else self._take(size)

    def partitions(self) -> tuple[Partition, ...]:
        found: list[Partition] = []
        for _ in range(self.length()):
            topic = self.text()
            if topic is None:
                raise _NotTheProtocol
            found += [(topic, self.number(">i")) for _ in range(self.length())]
        return tuple(found)

    def _take(self, size: int) -> bytes:
        if size > len(self._data) - self._at:
            raise _NotTheProtocol
        self._at += size
        return self._data[self._at - size : self._at]
