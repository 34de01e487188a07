"""Asks a cluster through the Admin protocol what its user may do (KIP-430)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from reseat.operate.targets.admin_requests import NOT_ALLOWED, AdminRequests
from reseat.operate.targets.admin_settings import TOPICS_AT_ONCE
from reseat.operate.targets.error_names import NONE, error_name
from reseat.operate.targets.rights import Rights
from reseat.sources.in_parts import in_parts
from reseat.sources.kafka_admin.requests import metadata_of

if TYPE_CHECKING:
    from reseat.sources.kafka_admin.client import AdminClient

__all__ = ["read_rights"]

#: Kafka's codes of the operations that matter here (``AclOperation``).
_NAMES = {5: "Create", 7: "Alter", 8: "Describe", 11: "AlterConfigs"}
#: The first version of Metadata that tells what may be done with topics.
_TELLS_TOPICS = 8


def read_rights(admin: AdminClient, requests: AdminRequests, topics: Sequence[str]) -> Rights | None:
    """Ask a cluster; None where it cannot tell (before 2.8).

    Args:
        admin: for which requests it knows.
        requests: how it is asked.
        topics: which topics to ask for.
    """
    from kafka.protocol.admin import DescribeClusterRequest
    from kafka.protocol.metadata import MetadataRequest

    if not (admin.supports(DescribeClusterRequest) and admin.supports(MetadataRequest, _TELLS_TOPICS)):
        return None
    cluster = requests.settled(
        DescribeClusterRequest(include_cluster_authorized_operations=True),
        lambda told: error_name(told.error_code, told.error_message),
        None,
    )
    by_topic: dict[str, frozenset[str]] = {}
    for chunk in in_parts(dict.fromkeys(topics), TOPICS_AT_ONCE):
        for topic in requests.settled(metadata_of(chunk, rights=True), lambda _: NONE, None).topics:
            name = error_name(topic.error_code)
            if name == NONE or name in NOT_ALLOWED:
                by_topic[topic.name] = _named(topic.authorized_operations if name == NONE else ())
    return Rights(_named(cluster.authorized_operations), by_topic)


def _named(codes: Collection[int] | None) -> frozenset[str]:
    return frozenset(_NAMES[code] for code in codes or () if code in _NAMES)
