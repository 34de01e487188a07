"""The controllers of a KRaft cluster: who votes (KIP-595), who only follows, and how far each is."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

__all__ = ["Quorum", "QuorumMember"]

#: A voter that has not caught up for longer is taken to be down or cut off; a healthy one fetches twice a second.
_SILENT_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class QuorumMember:
    """One voter or observer, as the quorum's leader tells it.

    Attributes:
        id: node id; a node that is a broker too has one id for both.
        host: of its controller listener, or None where not told (before 3.9, and of observers).
        behind: records of the metadata log that it has not fetched yet; None where it fetched nothing from this leader.
        behind_seconds: for how long it has not caught up; None where it never did with this leader.
    """

    id: int
    host: str | None = None
    behind: int | None = None
    behind_seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Quorum:
    """All of them.

    Attributes:
        leader: node id of the active controller, or None.
        voters: by id.
        observers: brokers and controllers that follow and do not vote, by id.
        dynamic: whether voters can be added and removed while it runs (KIP-853); None where not told.
    """

    leader: int | None
    voters: tuple[QuorumMember, ...] = ()
    observers: tuple[QuorumMember, ...] = ()
    dynamic: bool | None = None

    @property
    def majority(self) -> int:
        """How many voters must be up."""
        return len(self.voters) // 2 + 1

    @property
    def voter_ids(self) -> tuple[int, ...]:
        """Ids of the voters."""
        return tuple(voter.id for voter in self.voters)

    @property
    def silent(self) -> tuple[QuorumMember, ...]:
        """Voters that do not follow the leader; none where nobody leads."""
        return tuple(
            voter
            for voter in self.voters
            if self.leader not in (None, voter.id)
            and (voter.behind_seconds is None or voter.behind_seconds > _SILENT_SECONDS)
        )

    def down(self, dead: Collection[int] = ()) -> tuple[int, ...]:
        """Ids of voters that do not follow the leader, or whose broker is among these."""
        silent = {voter.id for voter in self.silent}
        return tuple(voter for voter in self.voter_ids if voter in silent or voter in dead)

    def spare(self, lost: Collection[int] = ()) -> int:
        """How many more voters may be lost than some nodes; below zero where those are too many already."""
        return sum(voter.id not in lost for voter in self.voters) - self.majority
