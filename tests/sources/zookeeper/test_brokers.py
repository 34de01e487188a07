"""What brokers tell beside ZooKeeper: which endpoints are asked, where logs belong, and what is said without them."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np

from reseat.model import Broker, ClusterLayout, LogDirectory, Snapshot
from reseat.sources.connection import Connection
from reseat.sources.kafka_admin.log_dirs import LogDirsTold
from reseat.sources.kafka_admin.placing import place_logs
from reseat.sources.zookeeper.brokers import complemented, endpoints_for
from reseat.sources.zookeeper.nodes import Registration, broker_node


def registered(broker: int, text: str) -> Registration:
    """A registration as its node holds it."""
    return broker_node(broker, text.encode())


def test_endpoints_are_those_of_the_connections_protocol() -> None:
    """By the map from listener to protocol; before there was one a listener was called like its protocol."""
    told = [
        registered(
            1,
            '{"endpoints":["CLIENT://a:9092","INSIDE://a:9093","X://a:99999"],'
            '"listener_security_protocol_map":{"CLIENT":"SASL_SSL","INSIDE":"PLAINTEXT","X":"SASL_SSL"}}',
        ),
        registered(2, '{"endpoints":["PLAINTEXT://[::1]:9092","SSL://b:9094"]}'),
        registered(3, "not json"),
    ]

    assert endpoints_for(told, "PLAINTEXT") == ("a:9093", "[::1]:9092")
    assert endpoints_for(told, "SASL_SSL") == ("a:9092",)
    assert endpoints_for(told, "SASL_PLAINTEXT") == ()


def test_logs_are_placed_beside_their_replicas() -> None:
    """By topic, partition and broker; a log being copied is none yet, and one without a replica is left over."""
    layout = ClusterLayout.from_assignments({("a", 0): [3, 1], ("a", 5): [2], ("b", 0): [1, 2, 3]})
    rows = [  # topic, partition, broker, path, bytes, being copied
        (1, 0, 1, 0, 10, False),
        (1, 0, 3, 1, 30, False),
        (1, 0, 3, 0, 29, True),
        (1, 5, 1, 0, 51, False),
        (2, 0, 2, 1, 22, False),
        (0, 0, 2, 1, 99, False),
        (2, 9, 2, 1, 99, False),
    ]
    topic, partition, broker, path, size, future = (np.array(column) for column in zip(*rows, strict=True))
    logs = LogDirsTold(
        directories=(LogDirectory(1, "/x"), LogDirectory(3, "/y")),
        topics=("Gone", "a", "b"),
        paths=("/x", "/y"),
        topic=topic.astype(np.int32),
        partition=partition.astype(np.int32),
        broker=broker.astype(np.int32),
        path=path.astype(np.int32),
        size_bytes=size.astype(np.int64),
        future=future.astype(np.bool_),
        silent={},
    )

    placed = place_logs(layout, layout.replica_ids, logs)

    nan = float("nan")
    np.testing.assert_array_equal(placed.size_bytes, [[30, 10, nan], [nan, nan, nan], [nan, 22, nan]])
    assert placed.log_dir.tolist() == [[1, 0, -1], [-1, -1, -1], [-1, 1, -1]]
    assert placed.left_over.tolist() == [[1, 1]]


def test_brokers_that_cannot_be_asked_cost_a_sentence() -> None:
    """No endpoint for this protocol, and bootstrap servers where nothing listens: the snapshot stays as it was."""
    layout = ClusterLayout.from_assignments({("a", 0): [1]}, brokers=[Broker(1)])
    snapshot = Snapshot(layout, datetime(2026, 1, 1, tzinfo=UTC), "zookeeper")
    registrations = {1: registered(1, '{"endpoints":["SSL://b:9094"]}')}

    none = complemented(snapshot, Connection(), registrations)
    refused = complemented(snapshot, Connection(bootstrap=("127.0.0.1:1",), timeout_seconds=5), registrations)

    assert none.layout is refused.layout is layout
    assert none.not_read == (
        "Sizes, log directories and settings from the brokers' files are unknown: no broker has registered a PLAINTEXT "
        "endpoint.",
    )
    assert "127.0.0.1:1" in refused.not_read[0]
