"""The request ``ElectLeaders`` answered: an election of some partitions, or of all, one outcome a partition.

Promises: Kafka's answer by name and the leader afterwards, in the order asked for; the layout is not changed.

Needs: what ``preferred`` and ``unclean`` need.

How: the preview of the whole layout, looked up. Asked for all partitions, Kafka leaves out those that need no election
(ELECTION_NOT_NEEDED), and so does this.

Example: ``elect_leaders(layout, "preferred", [("orders", 0), ("nowhere", 1)])`` of orders-0, [1, 2] led by 2:
leader 1 and NONE, then no leader and UNKNOWN_TOPIC_OR_PARTITION.

Complexity: O(P R + n). Source: ``ReplicationControlManager.electLeaders`` (4.0), KIP-183, KIP-460.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from reseat.election.outcome import Reason
from reseat.election.preferred import preferred
from reseat.election.rules import Mode
from reseat.election.unclean import unclean
from reseat.model import NONE, ClusterLayout

__all__ = ["ElectionKind", "LeaderOutcome", "elect_leaders"]

#: ``ElectionType`` of the request.
ElectionKind: TypeAlias = Literal["preferred", "unclean"]

_UNKNOWN = "UNKNOWN_TOPIC_OR_PARTITION"


@dataclass(frozen=True, slots=True)
class LeaderOutcome:
    """What came of one partition.

    Attributes:
        topic: its topic.
        partition: its id.
        error: Kafka's name of the answer, NONE where there is no error.
        leader_before: broker id, -1 none, -2 not told; -1 where the partition is not known.
        leader_after: likewise.
        reason: why; None where the partition is not known.
    """

    topic: str
    partition: int
    error: str
    leader_before: int
    leader_after: int
    reason: Reason | None

    @property
    def new_leader(self) -> int | None:
        """The leader that came of it, -1 where the old one was given up; None where nothing changed."""
        return None if self.leader_after == self.leader_before else self.leader_after


def elect_leaders(
    layout: ClusterLayout,
    election: ElectionKind,
    partitions: Iterable[tuple[str, int]] | None = None,
    mode: Mode = "zookeeper",
) -> tuple[LeaderOutcome, ...]:
    """What a controller would answer.

    Args:
        layout: the layout.
        election: which election.
        partitions: topic and partition; None: all of the layout, without those that need no election.
        mode: which controller decides.
    """
    preview = preferred(layout, mode) if election == "preferred" else unclean(layout, mode)

    def outcome(row: int) -> LeaderOutcome:
        reason = preview.reason_of(row)
        return LeaderOutcome(
            layout.topics[int(layout.topic_of[row])],
            int(layout.partition[row]),
            reason.error,
            int(preview.leader_before[row]),
            int(preview.leader_after[row]),
            reason,
        )

    if partitions is None:
        quiet = [reason.value for reason in Reason if reason.error == "ELECTION_NOT_NEEDED"]
        return tuple(outcome(row) for row in np.flatnonzero(~np.isin(preview.reason, quiet)).tolist())
    found = ((topic, partition, layout.row(topic, partition)) for topic, partition in partitions)
    return tuple(
        LeaderOutcome(topic, partition, _UNKNOWN, NONE, NONE, None) if row is None else outcome(row)
        for topic, partition, row in found
    )
