"""Brokers in memory that answer the Admin protocol's requests in kafka-python's own classes, with faults as planned."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

from reseat.errors import ClusterUnreachable
from reseat.operate.targets.patience import Patience
from reseat.operate.targets.target import Partition

#: The versions that Kafka 2.4 takes at most, by request: what is asked must fit into them.
KAFKA_2_4 = {
    "AlterPartitionReassignmentsRequest": 0,
    "ListPartitionReassignmentsRequest": 0,
    "ElectLeadersRequest": 2,
    "CreateTopicsRequest": 5,
    "MetadataRequest": 9,
    "DescribeConfigsRequest": 2,
    "IncrementalAlterConfigsRequest": 1,
}


#: REQUEST_TIMED_OUT: the one error of a whole request that leaves open whether it was carried out.
_TIMED_OUT = 7


def answer(**fields: object) -> SimpleNamespace:
    """A response, or a part of one."""
    return SimpleNamespace(**fields)


@dataclass
class FakeBrokers:
    """A cluster behind the Admin protocol.

    Attributes:
        lists: replica ids by partition.
        moving: replicas being added and removed, by partition.
        leaders: leader by partition; the first replica where it is not named.
        alive: ids of the brokers that answer.
        refuse: error code by partition, for reassignments and elections.
        settings: (source, value) by (resource type, name, key).
        faults: by request name, what happens next instead of an answer: ``before`` and ``after`` lose the connection
            before or after the request was carried out, another text is the trouble of the connection, a number is the
            error of the whole request.
        lag: how many more times settings are told as they were before they were changed.
        sent: (request name, broker, number of partitions) of each request, in order.
        bytes: (request name, broker, size as encoded) of each, likewise.
    """

    lists: dict[Partition, list[int]]
    moving: dict[Partition, tuple[list[int], list[int]]] = field(default_factory=dict)
    leaders: dict[Partition, int] = field(default_factory=dict)
    alive: set[int] = field(default_factory=lambda: {1, 2, 3})
    refuse: dict[Partition, int] = field(default_factory=dict)
    settings: dict[tuple[int, str, str], tuple[int, str]] = field(default_factory=dict)
    faults: dict[str, list[str | int]] = field(default_factory=dict)
    lag: int = 0
    sent: list[tuple[str, int | str | None, int]] = field(default_factory=list)
    bytes: list[tuple[str, int | str | None, int]] = field(default_factory=list)
    clock: float = 0.0
    old: Mapping[tuple[int, str, str], tuple[int, str]] = field(default_factory=dict)

    def patience(self, seconds: float = 10.0) -> Patience:
        """Patience on this cluster's own clock."""

        def wait(passed: float) -> None:
            self.clock += passed

        return Patience(seconds, clock=lambda: self.clock, wait=wait)

    # ---- the client ------------------------------------------------------------------------------------------

    def send(self, request: Any, broker: int | str | None = None, **_options: object) -> Any:
        """Carry a request out, and check that it fits into the protocol of Kafka 2.4 and of today."""
        name = type(request).__name__
        request.with_header(correlation_id=1)
        for version in {KAFKA_2_4[name], request.max_version}:
            size = len(request.encode(version=version, header=True))
        act = getattr(self, f"_{name.removesuffix('Request')}")
        self.sent.append((name, broker, _partitions_of(request)))
        self.bytes.append((name, broker, size))
        if isinstance(broker, int) and broker not in self.alive:
            raise ClusterUnreachable(f"Broker {broker} refuses connections.", "refused")
        fault = self.faults.get(name, []).pop(0) if self.faults.get(name) else None
        if fault == "before":
            raise ClusterUnreachable("The connection was lost.", "lost")
        kept = copy.deepcopy((self.lists, self.moving, self.leaders, self.settings))
        told = act(request)
        if isinstance(fault, int) and fault != _TIMED_OUT:
            self.lists, self.moving, self.leaders, self.settings = kept
        if fault == "after":
            raise ClusterUnreachable("The connection was lost.", "lost")
        if isinstance(fault, str):
            raise ClusterUnreachable("Not let in.", fault)
        if isinstance(fault, int):
            if hasattr(told, "error_code"):
                return answer(**{key: [] for key in vars(told)} | {"error_code": fault, "error_message": None})
            for one in (*getattr(told, "topics", ()), *getattr(told, "responses", ())):
                one.error_code = fault
        return told

    def submit(self, request: Any, broker: int | None = None, **_options: object) -> Future[Any]:
        """The same, as something that is awaited."""
        under_way: Future[Any] = Future()
        try:
            under_way.set_result(self.send(request, broker))
        except ClusterUnreachable as failure:
            under_way.set_exception(failure)
        return under_way

    def wait(self, under_way: Future[Any], _seconds: float | None = None) -> Any:
        """Await it."""
        return under_way.result()

    def close(self) -> None:
        """Nothing is open."""

    # ---- the brokers -----------------------------------------------------------------------------------------

    def _Metadata(self, request: Any) -> Any:
        names = {topic for topic, _ in self.lists} if request.topics is None else {one.name for one in request.topics}
        topics = []
        for name in sorted(names):
            parts = [
                answer(
                    partition_index=one,
                    replica_nodes=list(ids),
                    leader_id=self.leaders.get((topic, one), ids[0]),
                    isr_nodes=list(ids),
                )
                for (topic, one), ids in sorted(self.lists.items())
                if topic == name
            ]
            topics.append(answer(name=name, topic_id=None, error_code=0 if parts else 3, partitions=parts))
        brokers = [answer(node_id=broker) for broker in sorted(self.alive)]
        return answer(cluster_id="FAKE", brokers=brokers, topics=topics, controller_id=min(self.alive))

    def _ListPartitionReassignments(self, request: Any) -> Any:
        asked = None if request.topics is None else {one.name: one.partition_indexes for one in request.topics}
        topics = [
            answer(
                name=topic,
                partitions=[
                    answer(
                        partition_index=one,
                        replicas=self.lists[topic, one],
                        adding_replicas=adding,
                        removing_replicas=removing,
                    )
                ],
            )
            for (topic, one), (adding, removing) in self.moving.items()
            if asked is None or one in asked.get(topic, ())
        ]
        return answer(error_code=0, topics=topics)

    def _AlterPartitionReassignments(self, request: Any) -> Any:
        responses = []
        for topic in request.topics:
            parts = []
            for asked in topic.partitions:
                one = (topic.name, asked.partition_index)
                code = self.refuse.get(one, 0 if one in self.lists else 3)
                if code == 0 and asked.replicas is None:
                    code = 0 if self.moving.pop(one, None) else 85
                elif code == 0 and not (
                    request.allow_replication_factor_change or len(asked.replicas) == len(self.lists[one])
                ):
                    code = 38  # INVALID_REPLICATION_FACTOR
                elif code == 0:
                    before = self.lists[one]
                    self.moving[one] = ([b for b in asked.replicas if b not in before], [])
                    self.lists[one] = [*asked.replicas, *(b for b in before if b not in asked.replicas)]
                message = "It is none." if code else None
                parts.append(answer(partition_index=asked.partition_index, error_code=code, error_message=message))
            responses.append(answer(name=topic.name, partitions=parts))
        return answer(error_code=0, error_message=None, responses=responses)

    def _ElectLeaders(self, request: Any) -> Any:
        results = []
        for topic in request.topic_partitions:
            parts = []
            for partition in topic.partitions:
                one = (topic.topic, partition)
                code = self.refuse.get(one, 0 if one in self.lists else 3)
                if code == 0 and self.leaders.get(one, self.lists[one][0]) == self.lists[one][0]:
                    code = 84
                if code == 0:
                    self.leaders[one] = self.lists[one][0]
                parts.append(answer(partition_id=partition, error_code=code, error_message=None))
            results.append(answer(topic=topic.topic, partition_result=parts))
        return answer(error_code=0, replica_election_results=results)

    def _CreateTopics(self, request: Any) -> Any:
        new = request.topics[0]
        if any(topic == new.name for topic, _ in self.lists):
            return answer(topics=[answer(error_code=36, error_message=f"Topic '{new.name}' already exists.")])
        self.lists |= {(new.name, one.partition_index): list(one.broker_ids) for one in new.assignments}
        return answer(topics=[answer(error_code=0, error_message=None)])

    def _DescribeConfigs(self, request: Any) -> Any:
        told, self.lag = (self.settings, 0) if self.lag <= 0 else (self.old, self.lag - 1)
        results = []
        for asked in request.resources:
            known = asked.resource_type == 4 or any(topic == asked.resource_name for topic, _ in self.lists)
            configs = [
                answer(name=key, value=told[place][1], config_source=told[place][0])
                for key in asked.configuration_keys
                if (place := (asked.resource_type, asked.resource_name, key)) in told
            ]
            results.append(
                answer(
                    error_code=0 if known else 3,
                    error_message="",
                    resource_name=asked.resource_name,
                    configs=configs,
                    resource_type=asked.resource_type,
                )
            )
        return answer(results=results)

    def _IncrementalAlterConfigs(self, request: Any) -> Any:
        self.old = self.old or dict(self.settings)
        responses = []
        for asked in request.resources:
            kind, name = asked.resource_type, asked.resource_name
            known = kind == 4 or any(topic == name for topic, _ in self.lists)
            bad = any(one.value == "bad" for one in asked.configs)
            code = 3 if not known else 42 if bad else 0
            for one in asked.configs if code == 0 else ():
                if one.config_operation == 1:
                    self.settings.pop((kind, name, one.name), None)
                else:
                    self.settings[kind, name, one.name] = (2 if kind == 4 else 1, one.value)
            message = "Not a number." if bad else ""
            responses.append(answer(error_code=code, error_message=message, resource_name=name, resource_type=kind))
        return answer(responses=responses)


def _partitions_of(request: Any) -> int:
    topics = getattr(request, "topics", None) or getattr(request, "topic_partitions", None) or ()
    return sum(len(getattr(topic, "partitions", ())) for topic in topics)
