"""Live consumer groups through Kafka's Admin protocol: listed, described, and as a story begins with one."""

from __future__ import annotations

from reseat.sources.kafka_admin.groups.reading import (
    ListedGroup,
    Listing,
    LiveGroup,
    LiveMember,
    describe_group,
    list_groups,
    state_of,
)

__all__ = ["ListedGroup", "Listing", "LiveGroup", "LiveMember", "describe_group", "list_groups", "state_of"]
