"""A preferred election through its node, which the controller removes when it was held, and which answers nothing.

Source: Kafka's ``KafkaController`` (2.8.2).
"""

from __future__ import annotations

from collections.abc import Sequence

import orjson
from kazoo.exceptions import NodeExistsError

from reseat.errors import ClusterUnreachable
from reseat.operate.targets.error_names import NONE
from reseat.operate.targets.patience import Patience
from reseat.operate.targets.target import Assignment, Partition
from reseat.operate.targets.zookeeper_session import Lost, ZooKeeperSession

__all__ = ["hold_election", "outcome"]

_ELECT = "/admin/preferred_replica_election"
#: Partitions in one election's node: names of 249 characters still fit.
_ELECTED_AT_ONCE = 2_500


def hold_election(zookeeper: ZooKeeperSession, patience: Patience, partitions: Sequence[Partition]) -> None:
    """Create the node, and wait until the controller has removed it.

    Raises:
        ClusterUnreachable: no controller takes the node away within bounds; it then stays, and is held later.
    """
    for start in range(0, len(partitions), _ELECTED_AT_ONCE):
        some = [{"topic": topic, "partition": one} for topic, one in partitions[start : start + _ELECTED_AT_ONCE]]
        _hold(zookeeper, patience, orjson.dumps({"version": 1, "partitions": some}))


def outcome(before: Assignment | None, after: Assignment | None) -> str:
    """Kafka's name for what a preferred election did, by the leaders before and after."""
    if before is None or after is None or not before.replicas:
        return "UNKNOWN_TOPIC_OR_PARTITION"
    preferred = before.replicas[0]
    if before.leader == preferred:
        return "ELECTION_NOT_NEEDED"
    return NONE if after.leader == preferred else "PREFERRED_LEADER_NOT_AVAILABLE"


def _hold(zookeeper: ZooKeeperSession, patience: Patience, data: bytes) -> None:
    made = False
    for _ in patience.attempts():
        if not made:
            try:
                zookeeper.create(_ELECT, data)
            except (NodeExistsError, Lost):
                # Another one's is held in a moment; and after a lost answer our own, twice at worst.
                continue
            made = True
        elif zookeeper.read([_ELECT])[0] is None:
            return
    raise ClusterUnreachable(
        f"The controller has not removed {_ELECT} within {patience.seconds:.0f} s"
        + (
            ". The election takes place once there is a controller." if made else ": another election is waiting there."
        ),
        "timeout",
    )
