"""Requests about groups of the newer protocols that kafka-python does not have, read from schemas as its own are."""

from __future__ import annotations

from kafka.protocol.api_message import ApiMessage

__all__ = [
    "ConsumerGroupDescribeRequest",
    "DescribeShareGroupOffsetsRequest",
    "ShareGroupDescribeRequest",
    "StreamsGroupDescribeRequest",
]

_SCHEMAS = "reseat.sources.kafka_admin.schemas"


class ConsumerGroupDescribeRequest(ApiMessage, load_json=_SCHEMAS):
    """Asks a coordinator for groups of the consumer protocol (KIP-848)."""


class ConsumerGroupDescribeResponse(ApiMessage, load_json=_SCHEMAS):
    """Its answer; kafka-python finds it by its key."""


class ShareGroupDescribeRequest(ApiMessage, load_json=_SCHEMAS):
    """Asks a coordinator for share groups (KIP-932)."""


class ShareGroupDescribeResponse(ApiMessage, load_json=_SCHEMAS):
    """Its answer."""


class StreamsGroupDescribeRequest(ApiMessage, load_json=_SCHEMAS):
    """Asks a coordinator for streams groups (KIP-1071)."""


class StreamsGroupDescribeResponse(ApiMessage, load_json=_SCHEMAS):
    """Its answer."""


class DescribeShareGroupOffsetsRequest(ApiMessage, load_json=_SCHEMAS):
    """Asks a coordinator how far share groups are (KIP-932)."""


class DescribeShareGroupOffsetsResponse(ApiMessage, load_json=_SCHEMAS):
    """Its answer."""
