"""What goes into the journal and what comes out of it, beside runs: approvals, steps, and what people ask for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from reseat.operate.journal.records import RunOptions

__all__ = ["Approval", "PlannedMove", "RunStep", "Wishes"]


@dataclass(frozen=True, slots=True)
class PlannedMove:
    """One partition that a plan changes.

    Attributes:
        topic: its topic.
        partition: its id.
        before: replica ids at approval, in order.
        target: replica ids planned, in order.
        bytes_total: bytes that newcomers copy, or None where not told.
    """

    topic: str
    partition: int
    before: tuple[int, ...]
    target: tuple[int, ...]
    bytes_total: int | None = None

    @property
    def key(self) -> tuple[str, int]:
        """Topic and partition id."""
        return self.topic, self.partition


@dataclass(frozen=True, slots=True)
class Approval:
    """What a person approved, as the journal takes it in; see ``Run`` for the words.

    Attributes:
        cluster_id: of the cluster.
        cluster: the name by which the person knows it.
        plan: the plan's text.
        rollback: the text that takes it back.
        hash: the plan's hash.
        operator: who approved it.
        moves: the partitions that it changes.
        options: how it is carried out.
        kind: ``plan`` or ``rollback``.
        takes_back: id of the run that a rollback takes back, or None.
        protocol: by which it is to be written.
        overridden: names of the checks that the person goes on in spite of.
        proposal: id of the proposal whose approval it uses up, or None.
    """

    cluster_id: str
    cluster: str
    plan: str
    rollback: str
    hash: str
    operator: str
    moves: Sequence[PlannedMove]
    options: RunOptions = field(default_factory=RunOptions)
    kind: str = "plan"
    takes_back: int | None = None
    protocol: str | None = None
    overridden: tuple[str, ...] = ()
    proposal: int | None = None


@dataclass(frozen=True, slots=True)
class RunStep:
    """One intention, and what came of it.

    Attributes:
        id: of the journal, ascending.
        cluster_id: of the cluster.
        run: the run it belongs to, or None (an election, a topic).
        kind: ``batch``, ``throttles``, ``throttles back``, ``cordon``, ``cordon back``, ``uncordon``, ``cancel``,
            ``health``, ``wish``, ``election`` or ``topic``.
        operator: who.
        content: what was about to be sent.
        begun_at: UTC.
        outcome: what came of it, or None: not known, the process ended before it was told.
        ended_at: UTC, or None.
    """

    id: int
    cluster_id: str
    run: int | None
    kind: str
    operator: str
    content: Mapping[str, Any]
    begun_at: datetime
    outcome: Mapping[str, Any] | None = None
    ended_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Wishes:
    """What people ask of a run now.

    Attributes:
        stop: ``""``, ``stop`` or ``cancel``.
        paused_by: who paused it, or "".
        options: how it is to be carried out from now on.
    """

    stop: str = ""
    paused_by: str = ""
    options: RunOptions = field(default_factory=RunOptions)
