"""Live groups through Kafka's Admin protocol: listed, described by kind, and as a story begins with one."""

from __future__ import annotations

from reseat.sources.kafka_admin.groups.live import KINDS, ListedGroup, Listing, LiveGroup, LiveMember, Tasks
from reseat.sources.kafka_admin.groups.reading import describe_group, list_groups, state_of

__all__ = [
    "KINDS",
    "ListedGroup",
    "Listing",
    "LiveGroup",
    "LiveMember",
    "Tasks",
    "describe_group",
    "list_groups",
    "state_of",
]
