"""A cluster of Kafka brokers that only answers: what a test says it holds, in Kafka's protocol, on 127.0.0.1.

For what a real cluster is too slow or too sane to show: 100,000 partitions, contradictions, a broker that never
answers, every version's set of requests. kafka-python's own encoders write the answers, at the version asked for.
"""

from __future__ import annotations

import socket
import socketserver
import struct
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from kafka.protocol import admin as requests
from kafka.protocol.broker_version_data import BROKER_API_VERSIONS
from kafka.protocol.metadata import ApiVersionsRequest, ApiVersionsResponse, MetadataRequest, MetadataResponse

#: Changes an answer before it is sent, or returns bytes, or None for "never answer".
Change = Callable[[Any, Any, int], Any]
_KNOWN: dict[int, type] = {
    request.API_KEY: request
    for request in (
        ApiVersionsRequest,
        MetadataRequest,
        requests.DescribeClusterRequest,
        requests.DescribeConfigsRequest,
        requests.DescribeLogDirsRequest,
        requests.DescribeQuorumRequest,
        requests.DescribeTopicPartitionsRequest,
        requests.ListPartitionReassignmentsRequest,
    )
}
_LEADER_AND_ISR = 4


@dataclass
class Part:
    """One partition; ``isr`` None: all replicas."""

    replicas: list[int]
    leader: int | None = None
    isr: list[int] | None = None
    epoch: int = 0
    error: int = 0
    size: int = 1000
    eligible: list[int] | None = None
    last_eligible: list[int] | None = None


@dataclass
class StubKafka:
    """What the cluster holds, and how it answers.

    Attributes:
        topics: partitions by topic and id.
        racks: rack by broker id, for every broker that is alive.
        version: Kafka's version, as kafka-python lists its requests.
        kraft: whether it says that it is KRaft.
        fenced: racks of fenced brokers by id.
        configs: overrides by topic.
        features: finalised features.
        moves: (adding, removing) by topic and partition.
        changes: by request class, what changes an answer before it is sent.
        asked: names of the requests that came, in order.
    """

    topics: Mapping[str, Mapping[int, Part]]
    racks: Mapping[int, str | None]
    version: tuple[int, ...] = (4, 1)
    kraft: bool = True
    fenced: Mapping[int, str | None] = field(default_factory=dict)
    configs: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    features: Mapping[str, int] = field(default_factory=dict)
    moves: Mapping[tuple[str, int], tuple[list[int], list[int]]] = field(default_factory=dict)
    changes: Mapping[type, Change] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    def __enter__(self) -> StubKafka:
        self._ready: dict[tuple[Any, ...], bytes] = {}
        self._over = threading.Event()
        self._servers = {broker: _listener(self, broker) for broker in self.racks}
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        for server in self._servers.values():
            server.shutdown()
            server.server_close()

    @property
    def bootstrap(self) -> tuple[str, ...]:
        """``host:port`` of every broker."""
        return tuple(f"127.0.0.1:{server.server_address[1]}" for server in self._servers.values())

    # ---- answers ---------------------------------------------------------------------------------------------

    def frame(self, broker: int, data: bytes) -> bytes | None:
        """The answer to one request's bytes, framed; None: there is none."""
        key, version, correlation, length = struct.unpack(">hhih", data[:10])
        kind: Any = _KNOWN[key]
        flexible = kind.flexible_version_q(version)
        body = data[10 + max(length, 0) + (1 if flexible else 0) :]
        request = kind.decode(body, version=version)
        self.asked.append(kind.__name__)
        cached = (broker if kind is requests.DescribeLogDirsRequest else None, key, version, body)
        if cached not in self._ready:
            answer = getattr(self, f"_{kind.__name__.removesuffix('Request')}")(request, broker)
            if kind in self.changes:
                answer = self.changes[kind](answer, request, broker)
            if answer is None:
                return None
            encoded = answer if isinstance(answer, bytes) else answer.encode(version=version)
            if kind in self.changes:
                return _framed(correlation, encoded, flexible and key != ApiVersionsRequest.API_KEY)
            self._ready[cached] = encoded
        return _framed(correlation, self._ready[cached], flexible and key != ApiVersionsRequest.API_KEY)

    def _ApiVersions(self, request: Any, broker: int) -> Any:
        known = BROKER_API_VERSIONS[self.version]
        listed = {key: span for key, span in known.items() if not self.kraft or key != _LEADER_AND_ISR}
        if self.kraft:
            listed.setdefault(requests.DescribeQuorumRequest.API_KEY, (0, 0))
        answer = ApiVersionsResponse
        return answer(
            error_code=0,
            api_keys=[
                answer.ApiVersion(api_key=key, min_version=low, max_version=high) for key, (low, high) in listed.items()
            ],
            throttle_time_ms=0,
            finalized_features_epoch=1,
            finalized_features=[
                answer.FinalizedFeatureKey(name=name, max_version_level=level, min_version_level=level)
                for name, level in self.features.items()
            ],
        )

    def _Metadata(self, request: Any, broker: int) -> Any:
        answer = MetadataResponse
        topic, part = answer.MetadataResponseTopic, answer.MetadataResponseTopic.MetadataResponsePartition
        wanted = self.topics if request.topics is None else [named.name for named in request.topics]
        return answer(
            throttle_time_ms=0,
            brokers=[
                answer.MetadataResponseBroker(
                    node_id=number, host="127.0.0.1", port=self._servers[number].server_address[1], rack=rack
                )
                for number, rack in self.racks.items()
            ],
            cluster_id="stub-cluster-id",
            controller_id=min(self.racks),
            topics=[
                topic(
                    error_code=0,
                    name=name,
                    is_internal=False,
                    partitions=[
                        part(
                            error_code=told.error,
                            partition_index=number,
                            leader_id=told.replicas[0] if told.leader is None else told.leader,
                            leader_epoch=told.epoch,
                            replica_nodes=told.replicas,
                            isr_nodes=told.replicas if told.isr is None else told.isr,
                            offline_replicas=[],
                        )
                        for number, told in self.topics[name].items()
                    ],
                )
                for name in wanted
            ],
            error_code=0,
        )

    def _DescribeCluster(self, request: Any, broker: int) -> Any:
        answer = requests.DescribeClusterResponse
        return answer(
            throttle_time_ms=0,
            error_code=0,
            error_message=None,
            endpoint_type=1,
            cluster_id="stub-cluster-id",
            controller_id=min(self.racks),
            brokers=[
                answer.DescribeClusterBroker(broker_id=number, host=host, port=port, rack=rack, is_fenced=not host)
                for number, host, port, rack in (
                    *(
                        (number, "127.0.0.1", self._servers[number].server_address[1], rack)
                        for number, rack in self.racks.items()
                    ),
                    *((number, "", -1, rack) for number, rack in self.fenced.items()),
                )
            ],
        )

    def _DescribeConfigs(self, request: Any, broker: int) -> Any:
        answer = requests.DescribeConfigsResponse
        result, config = answer.DescribeConfigsResult, answer.DescribeConfigsResult.DescribeConfigsResourceResult
        defaults = {
            "min.insync.replicas": "1",
            "unclean.leader.election.enable": "false",
            "leader.replication.throttled.replicas": "",
            "follower.replication.throttled.replicas": "",
        }
        return answer(
            throttle_time_ms=0,
            results=[
                result(
                    error_code=0,
                    error_message=None,
                    resource_type=asked.resource_type,
                    resource_name=asked.resource_name,
                    configs=[
                        config(
                            name=name,
                            value=value,
                            read_only=False,
                            config_source=1 if name in self.configs.get(asked.resource_name, {}) else 5,
                            is_sensitive=False,
                            synonyms=[],
                            config_type=0,
                            documentation=None,
                        )
                        for name, value in (defaults | dict(self.configs.get(asked.resource_name, {}))).items()
                        if name in asked.configuration_keys
                    ],
                )
                for asked in request.resources
            ],
        )

    def _DescribeLogDirs(self, request: Any, broker: int) -> Any:
        answer = requests.DescribeLogDirsResponse
        result = answer.DescribeLogDirsResult
        topic, log = result.DescribeLogDirsTopic, result.DescribeLogDirsTopic.DescribeLogDirsPartition
        held = {
            name: [
                log(partition_index=number, partition_size=told.size, offset_lag=0, is_future_key=False)
                for number, told in parts.items()
                if broker in told.replicas
            ]
            for name, parts in self.topics.items()
        }
        return answer(
            throttle_time_ms=0,
            error_code=0,
            results=[
                result(
                    error_code=0,
                    log_dir=f"/data/{broker}",
                    topics=[topic(name=name, partitions=logs) for name, logs in held.items() if logs],
                    total_bytes=10_000,
                    usable_bytes=4_000,
                )
            ],
        )

    def _DescribeQuorum(self, request: Any, broker: int) -> Any:
        answer = requests.DescribeQuorumResponse
        topic, part = answer.TopicData, answer.TopicData.PartitionData
        leader = part(
            partition_index=0, error_code=0, error_message=None, leader_id=max(self.racks), leader_epoch=1,
            high_watermark=1, current_voters=[], observers=[],
        )  # fmt: skip
        return answer(
            error_code=0,
            error_message=None,
            topics=[topic(topic_name="__cluster_metadata", partitions=[leader])],
            nodes=[],
        )

    def _DescribeTopicPartitions(self, request: Any, broker: int) -> Any:
        answer = requests.DescribeTopicPartitionsResponse
        topic = answer.DescribeTopicPartitionsResponseTopic
        part = topic.DescribeTopicPartitionsResponsePartition
        names = sorted(named.name for named in request.topics)
        from_here = None if request.cursor is None else (request.cursor.topic_name, request.cursor.partition_index)
        rows = [(name, number) for name in names for number in sorted(self.topics[name])]
        rows = [row for row in rows if from_here is None or row >= from_here]
        page, rest = rows[: request.response_partition_limit], rows[request.response_partition_limit :]
        found = []
        for name in dict.fromkeys(name for name, _ in page):
            parts = [(number, self.topics[name][number]) for named, number in page if named == name]
            found.append(
                topic(
                    error_code=0,
                    name=name,
                    is_internal=False,
                    partitions=[
                        part(
                            error_code=0,
                            partition_index=number,
                            leader_id=-1,
                            leader_epoch=0,
                            replica_nodes=told.replicas,
                            isr_nodes=[],
                            eligible_leader_replicas=told.eligible,
                            last_known_elr=told.last_eligible,
                            offline_replicas=[],
                        )
                        for number, told in parts
                    ],
                )
            )
        cursor = answer.Cursor(topic_name=rest[0][0], partition_index=rest[0][1]) if rest else None
        return answer(throttle_time_ms=0, topics=found, next_cursor=cursor)

    def _ListPartitionReassignments(self, request: Any, broker: int) -> Any:
        answer = requests.ListPartitionReassignmentsResponse
        topic, part = answer.OngoingTopicReassignment, answer.OngoingTopicReassignment.OngoingPartitionReassignment
        asked = None if request.topics is None else {one.name: set(one.partition_indexes) for one in request.topics}
        return answer(
            throttle_time_ms=0,
            error_code=0,
            error_message=None,
            topics=[
                topic(
                    name=name,
                    partitions=[
                        part(partition_index=number, replicas=[], adding_replicas=adding, removing_replicas=removing)
                        for (named, number), (adding, removing) in self.moves.items()
                        if named == name and (asked is None or number in asked.get(name, ()))
                    ],
                )
                for name in dict.fromkeys(name for name, _ in self.moves)
            ],
        )


def _framed(correlation: int, body: bytes, flexible: bool) -> bytes:
    header = struct.pack(">i", correlation) + (b"\x00" if flexible else b"")
    return struct.pack(">i", len(header) + len(body)) + header + body


def _listener(cluster: StubKafka, broker: int) -> socketserver.ThreadingTCPServer:
    class Handler(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            peer: socket.socket = self.request
            while (size := _exactly(peer, 4)) and (data := _exactly(peer, struct.unpack(">i", size)[0])):
                answer = cluster.frame(broker, data)
                if answer is None:
                    cluster._over.wait()
                    return
                peer.sendall(answer)

    server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.block_on_close = False
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    return server


def _exactly(peer: socket.socket, count: int) -> bytes:
    parts: list[bytes] = []
    while count:
        try:
            data = peer.recv(count)
        except OSError:
            return b""
        if not data:
            return b""
        parts.append(data)
        count -= len(data)
    return b"".join(parts)


def even(topics: int, partitions: int, brokers: Iterable[int], factor: int) -> dict[str, dict[int, Part]]:
    """Topics whose replicas go round the brokers."""
    ids = list(brokers)
    steps = max(1, len(ids) // factor - 1)
    return {
        f"team-{topic % 97}.orders-{topic:05d}": {
            partition: Part(
                [ids[(topic * 7 + partition + at * (1 + topic % steps)) % len(ids)] for at in range(factor)]
            )
            for partition in range(partitions)
        }
        for topic in range(topics)
    }
