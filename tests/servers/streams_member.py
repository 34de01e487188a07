"""A member of a streams group (KIP-1071), as far as its heartbeats go: it joins, takes what it is given, and leaves."""

from __future__ import annotations

import uuid
from typing import Any

from kafka.protocol.api_message import ApiMessage

from reseat.sources.kafka_admin.client import AdminClient

__all__ = ["StreamsMember"]

_SCHEMAS = "tests.servers.schemas"


class StreamsGroupHeartbeatRequest(ApiMessage, load_json=_SCHEMAS):
    """What a member sends all the time."""


class StreamsGroupHeartbeatResponse(ApiMessage, load_json=_SCHEMAS):
    """What the coordinator answers."""


class StreamsMember:
    """One client of an application with one subtopology, ``0``, that reads one topic."""

    def __init__(self, admin: AdminClient, coordinator: int, group: str, topic: str) -> None:
        """Nothing is sent yet.

        Args:
            admin: an open connection.
            coordinator: the broker that coordinates the group.
            group: the group id.
            topic: what it reads.
        """
        self._admin, self._coordinator, self._group, self._topic = admin, coordinator, group, topic
        self.id, self._process = str(uuid.uuid4()), str(uuid.uuid4())
        self.epoch = 0
        self.active: list[int] = []

    def beat(self) -> int:
        """One heartbeat: joins first, then takes what it is given; returns Kafka's error code."""
        make: Any = StreamsGroupHeartbeatRequest
        topology = make.Topology(
            epoch=0,
            subtopologies=[
                make.Topology.Subtopology(
                    subtopology_id="0", source_topics=[self._topic], source_topic_regex=[], state_changelog_topics=[],
                    repartition_sink_topics=[], repartition_source_topics=[], copartition_groups=[],
                )
            ],
        )  # fmt: skip
        owned = [make.TaskIds(subtopology_id="0", partitions=self.active)] if self.active else []
        told = self._send(topology=None if self.epoch else topology, active_tasks=owned)
        if not told.error_code:
            self.epoch = told.member_epoch
            if told.active_tasks is not None:
                self.active = [partition for one in told.active_tasks for partition in one.partitions]
        return int(told.error_code)

    def leave(self) -> None:
        """Tell the coordinator that it goes."""
        self.epoch = -1
        self._send(topology=None, active_tasks=[])

    def _send(self, **what: Any) -> Any:
        make: Any = StreamsGroupHeartbeatRequest
        request = make(
            group_id=self._group, member_id=self.id, member_epoch=self.epoch, endpoint_information_epoch=0,
            instance_id=None, rack_id=None, rebalance_timeout_ms=60_000 if not self.epoch else -1, standby_tasks=[],
            warmup_tasks=[], process_id=self._process, user_endpoint=None, client_tags=[], task_offsets=None,
            task_end_offsets=None, shutdown_application=False, **what,
        )  # fmt: skip
        return self._admin.send(request, self._coordinator)
