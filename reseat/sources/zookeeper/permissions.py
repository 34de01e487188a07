"""What an account of ZooKeeper needs to be read with, in words for the Connect page."""

from __future__ import annotations

__all__ = ["ESSENTIAL", "OPTIONAL", "PERMISSIONS_NEEDED"]

#: Nodes without which there is no layout; READ on each.
ESSENTIAL = (
    "/brokers/ids",
    "/brokers/ids/*",
    "/brokers/topics",
    "/brokers/topics/*",
    "/brokers/topics/*/partitions/*/state",
)
#: There while a cluster is between ZooKeeper and KRaft (KIP-866), and until whoever takes that back removes it.
MIGRATION = "/migration"
#: Nodes of which each tells something more; READ on each, and what is denied is named.
OPTIONAL = (
    "/controller",
    "/controller_epoch",
    "/cluster/id",
    "/config/topics",
    "/config/topics/*",
    "/config/brokers",
    "/config/brokers/*",
    "/admin/reassign_partitions",
    "/admin/preferred_replica_election",
    "/admin/delete_topics",
    MIGRATION,
)
#: For the Connect page.
PERMISSIONS_NEEDED = (
    "To read a cluster, an account needs READ, and nothing else, on "
    + ", ".join(ESSENTIAL)
    + "; for configurations, the controller and what is in progress also on "
    + ", ".join(OPTIONAL)
    + ". Kafka leaves all of these readable for everyone, also with zookeeper.set.acl=true: an account without any "
    "right of its own then suffices. Only nodes with passwords (/config/users, delegation tokens) are closed, and "
    "Reseat never reads them."
)
