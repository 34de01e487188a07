"""The configurations that matter to a layout, whichever protocol tells them; others may be secret and are not read."""

from __future__ import annotations

from reseat.model.tiering import AFTER_TIERED, TIERED

__all__ = ["BROKER_KEYS", "TOPIC_KEYS"]

#: What is read of a topic.
TOPIC_KEYS = (
    "min.insync.replicas",
    "unclean.leader.election.enable",
    "leader.replication.throttled.replicas",
    "follower.replication.throttled.replicas",
    TIERED,
)
#: What is read of a broker. Throttles show only once they are set.
BROKER_KEYS = (
    "unclean.leader.election.enable",
    "auto.leader.rebalance.enable",
    "min.insync.replicas",
    "leader.replication.throttled.rate",
    "follower.replication.throttled.rate",
    AFTER_TIERED,
)
