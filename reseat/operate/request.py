"""What a person asks to be written: a plan, an election or a topic, with everything that the guard checks it by."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NotRequired, TypeAlias, TypedDict

from reseat.access import Access, Person
from reseat.model import ClusterLayout
from reseat.operate.journal.records import RunOptions
from reseat.operate.targets.target import Election, Partition

if TYPE_CHECKING:
    from reseat.formats.documents.sealed import SealedPlan

__all__ = ["ElectionRequest", "Kind", "PlanRequest", "RequestedBy", "TopicRequest", "WriteRequest"]

#: What a plan is carried out for.
Kind: TypeAlias = Literal["plan", "rollback"]


class RequestedBy(TypedDict):
    """The fields of ``WriteRequest``, as a page or a command line fills them once for each request that it makes."""

    confirmed: str
    person: Person
    enabled: bool
    access: NotRequired[Access]
    overrides: frozenset[str]


@dataclass(frozen=True, kw_only=True)
class WriteRequest:
    """What every request says of who asks, and how it was confirmed.

    Attributes:
        confirmed: the cluster id as the person typed it.
        person: who asks.
        enabled: whether writing was enabled at start (``access.writing_enabled``).
        access: who may write, as configured.
        overrides: names of checks that the person goes on in spite of, one by one; only overridable ones count.
    """

    confirmed: str
    person: Person
    enabled: bool
    access: Access = field(default_factory=Access)
    overrides: frozenset[str] = frozenset()


@dataclass(frozen=True, kw_only=True)
class PlanRequest(WriteRequest):
    """A plan is to be carried out.

    Attributes:
        plan: the plan as its text says it.
        shown_hash: the hash of the plan that was shown when it was confirmed.
        shown: the reading shown at confirmation; a plan that does not say what it was made for is checked against it.
        kind: ``plan``, or ``rollback`` where it takes a run back.
        options: how it is carried out; which brokers are cordoned is told by the plan, where ``cordon`` says so.
        cordon: whether the brokers that the plan empties are cordoned before anything moves.
    """

    plan: SealedPlan
    shown_hash: str
    shown: ClusterLayout | None = None
    kind: Kind = "plan"
    options: RunOptions = field(default_factory=RunOptions)
    cordon: bool = False


@dataclass(frozen=True, kw_only=True)
class ElectionRequest(WriteRequest):
    """An election is to be held.

    Attributes:
        election: which one.
        partitions: for these; None: for all.
        shown: the reading whose preview was shown; None where none was.
        accepts_loss: whether the person accepts what the preview says an unclean election loses.
    """

    election: Election
    partitions: tuple[Partition, ...] | None = None
    shown: ClusterLayout | None = None
    accepts_loss: bool = False


@dataclass(frozen=True, kw_only=True)
class TopicRequest(WriteRequest):
    """A topic is to be made.

    Attributes:
        topic: its name.
        assignments: replica ids in assignment order by partition id.
        configs: configuration of the topic.
        as_nodes: whether it is written as ZooKeeper nodes, which allows ids with gaps; the person's explicit choice.
    """

    topic: str
    assignments: Mapping[int, tuple[int, ...]]
    configs: Mapping[str, str] = field(default_factory=dict)
    as_nodes: bool = False

    @property
    def content(self) -> dict[str, object]:
        """All of the topic, as the journal keeps it."""
        return {
            "topic": self.topic,
            "assignments": {str(partition): list(ids) for partition, ids in self.assignments.items()},
            "configs": dict(self.configs),
            "as_nodes": self.as_nodes,
        }
