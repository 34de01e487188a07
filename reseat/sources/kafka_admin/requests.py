"""Requests that reading and writing both make: for metadata, and for settings (KIP-133)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

__all__ = ["BROKER", "TOPIC", "metadata_of", "settings_of"]

#: Resource types of the protocol.
BROKER, TOPIC = 4, 2


def metadata_of(topics: Iterable[str] | None, *, rights: bool = False) -> Any:
    """A request for brokers and these topics, None: all; it makes no topic. With ``rights``: what this user may do."""
    from kafka.protocol.metadata import MetadataRequest

    named = MetadataRequest.MetadataRequestTopic
    return MetadataRequest(
        topics=None if topics is None else [named(name=topic) for topic in topics],
        allow_auto_topic_creation=False,
        include_cluster_authorized_operations=False,
        include_topic_authorized_operations=rights,
    )


def settings_of(kind: int, names: Iterable[str], keys: Sequence[str], *, synonyms: bool = False) -> Any:
    """A request for these settings of some brokers or topics; with ``synonyms`` also for what each would be else."""
    from kafka.protocol.admin import DescribeConfigsRequest

    named = DescribeConfigsRequest.DescribeConfigsResource
    return DescribeConfigsRequest(
        resources=[named(resource_type=kind, resource_name=name, configuration_keys=list(keys)) for name in names],
        include_synonyms=synonyms,
        include_documentation=False,
    )
