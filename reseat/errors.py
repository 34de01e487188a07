"""One root error; each subclass carries the data of what went wrong, and the caller renders it.

May import: nothing of Reseat.
"""

from __future__ import annotations

import copyreg
from dataclasses import dataclass, field

__all__ = [
    "Cancelled",
    "ClusterUnreachable",
    "GroupInvalid",
    "InputRefused",
    "LayoutInvalid",
    "LimitMet",
    "OutcomeUnknown",
    "PipelineBusy",
    "PlacementRefused",
    "ReseatError",
    "ScenarioInvalid",
    "SparkFailed",
    "WishRefused",
    "WorkerEnded",
    "WriteRefused",
]


class ReseatError(Exception):
    """Root of all errors that Reseat raises on purpose; ``str()`` is one full sentence for a person."""

    def __reduce__(self) -> tuple[object, ...]:
        """As it is, also where it was made with named arguments, which an exception forgets by itself."""
        return copyreg.__newobj__, (type(self), *self.args), self.__dict__  # type: ignore[attr-defined]


@dataclass(eq=False)
class LayoutInvalid(ReseatError):
    """The columns given do not make a layout (a programming error or a broken source).

    Attributes:
        sentence: what was expected and what was found.
        topic: the topic concerned, where there is one.
        partition: the partition id concerned, where there is one.
    """

    sentence: str
    topic: str | None = None
    partition: int | None = None

    def __str__(self) -> str:
        return self.sentence


@dataclass(eq=False)
class InputRefused(ReseatError):
    """A text was given that cannot be read as what it should be.

    Attributes:
        sentence: what it is, what was expected, and what to do.
        source: the file's name, or what the text was called.
        line: 1-based line number of the first trouble, where known.
        details: further sentences, one a trouble.
    """

    sentence: str
    source: str | None = None
    line: int | None = None
    details: tuple[str, ...] = field(default_factory=tuple)

    def __str__(self) -> str:
        place = self.source or ""
        if self.line is not None:
            place = f"{place}, line {self.line}" if place else f"line {self.line}"
        return f"{place}: {self.sentence}" if place else self.sentence


@dataclass(eq=False)
class LimitMet(InputRefused):
    """An input is larger, deeper or longer than what Reseat accepts; ``sentence`` names the limit."""


@dataclass(eq=False)
class WishRefused(ReseatError):
    """A change was asked for that cannot be.

    Attributes:
        sentence: why, with the number that matters.
        topics: the topics concerned.
        brokers: the broker ids concerned.
        choices: what the person can do instead, one sentence each.
    """

    sentence: str
    topics: tuple[str, ...] = ()
    brokers: tuple[int, ...] = ()
    choices: tuple[str, ...] = ()

    def __str__(self) -> str:
        return " ".join((self.sentence, *self.choices))


@dataclass(eq=False)
class PlacementRefused(WishRefused):
    """Replicas cannot be placed, or a topic cannot be made, as asked.

    Attributes:
        kafka_error: the simple name of the exception with which Kafka refuses the same in these very words
            (``InvalidReplicationFactorException``); None where Kafka would let it through and Reseat does not.
    """

    kafka_error: str | None = None


class Cancelled(ReseatError):
    """The person stopped a reading; nothing is wrong, and nothing of it is kept."""


@dataclass(eq=False)
class ClusterUnreachable(ReseatError):
    """A cluster could not be reached, or did not answer as a cluster does. Never holds a secret.

    Attributes:
        sentence: what was tried, what happened, and what to do.
        reason: a stable slug of what is wrong: ``name``, ``route``, ``refused``, ``timeout``, ``not_kafka``,
            ``not_zookeeper``, ``listener``, ``tls``, ``authentication``, ``authorization``, ``chroot``, ``version``,
            ``configuration`` or ``lost``.
        server: ``host:port`` concerned, or None.
    """

    sentence: str
    reason: str
    server: str | None = None

    def __str__(self) -> str:
        return self.sentence

    @property
    def in_short(self) -> str:
        """What is wrong, in two words: a cluster that refuses a password is not ``unreachable``."""
        told = {"authentication": "login failed", "authorization": "not authorized", "tls": "TLS failed"}
        return told.get(self.reason, "unreachable")


@dataclass(eq=False)
class WriteRefused(ReseatError):
    """Nothing was sent to the cluster, because a check said no.

    Attributes:
        sentence: how many checks said no.
        failed: (name, sentence) of each check that failed; the sentences name topics, partitions and brokers.
    """

    sentence: str
    failed: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        return self.sentence


class JournalUnwritable(WriteRefused):
    """Nothing was sent, because the journal cannot be written: its disk is full, for one."""


@dataclass(eq=False)
class OutcomeUnknown(ReseatError):
    """Something was sent to the cluster, or may have been; what came of it is unknown, or could not be recorded.

    Attributes:
        sentence: why.
    """

    sentence: str

    def __str__(self) -> str:
        return self.sentence


@dataclass(eq=False)
class GroupInvalid(ReseatError):
    """A consumer group, or an assignor's name, is not what it should be.

    Attributes:
        sentence: what was found and what was expected.
    """

    sentence: str

    def __str__(self) -> str:
        return self.sentence


@dataclass(eq=False)
class ScenarioInvalid(ReseatError):
    """A story of a simulation does not go on like this: the event cannot happen, or is none.

    Attributes:
        sentence: what cannot be and why.
    """

    sentence: str

    def __str__(self) -> str:
        return self.sentence


@dataclass(eq=False)
class SparkFailed(ReseatError):
    """Spark could not be started or reached, or a job on it failed.

    Attributes:
        sentence: what was tried, what happened, and what to do.
        details: further sentences or lines of Spark's own log, the most telling first.
    """

    sentence: str
    details: tuple[str, ...] = field(default_factory=tuple)

    def __str__(self) -> str:
        return self.sentence


@dataclass(eq=False)
class PipelineBusy(ReseatError):
    """Another job of the pipeline is at work on the same tables, or took them over.

    Attributes:
        sentence: which, where and since when, and what to do.
        holder: what it said of itself (``what``, ``process``, ``machine``, ``since``), as far as it could be read.
    """

    sentence: str
    holder: dict[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.sentence


@dataclass(eq=False)
class WorkerEnded(ReseatError):
    """A process that computes beside the server ended before it had answered; nothing of its answer is kept.

    Attributes:
        sentence: how it ended.
    """

    sentence: str

    def __str__(self) -> str:
        return self.sentence
