"""Live groups through Kafka's Admin protocol: listed, described by kind (``reading``), as a story begins with one."""

from __future__ import annotations

from reseat.sources.kafka_admin.groups.live import KINDS, ListedGroup, Listing, LiveGroup, LiveMember, Tasks

__all__ = ["KINDS", "ListedGroup", "Listing", "LiveGroup", "LiveMember", "Tasks"]
