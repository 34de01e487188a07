"""Writes the nodes of a made-up cluster into a real ZooKeeper, as Kafka would."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from kazoo.client import KazooClient

from reseat.sources.connection import Connection
from tests.servers.zookeeper import ZooKeeperServer


@contextmanager
def writer(server: ZooKeeperServer, chroot: str = "") -> Iterator[KazooClient]:
    """A client that writes, below a chroot that is made where it is missing."""
    client = KazooClient(server.hosts)
    client.start()
    try:
        if chroot:
            client.ensure_path(chroot)
            client.chroot = chroot
        yield client
    finally:
        client.stop()
        client.close()


def put(client: KazooClient, path: str, value: object) -> None:
    """Make or set a node: bytes as they are, everything else as JSON."""
    data = value if isinstance(value, bytes) else json.dumps(value).encode()
    if client.exists(path) is None:
        client.create(path, data, makepath=True)
    else:
        client.set(path, data)


def put_topic(
    client: KazooClient,
    name: str,
    partitions: Mapping[int, Sequence[int]],
    *,
    states: Mapping[int, tuple[int, Sequence[int]]] | None = None,
    **further: object,
) -> None:
    """Make a topic: its node, and the state (leader, ISR) of each partition; by default all replicas in sync."""
    told = {str(partition): list(ids) for partition, ids in partitions.items()}
    put(client, f"/brokers/topics/{name}", {"version": 1, "partitions": told} | further)
    shown = {p: (ids[0], ids) for p, ids in partitions.items()} if states is None else states
    for partition, (leader, isr) in shown.items():
        put(client, f"/brokers/topics/{name}/partitions/{partition}/state", state(leader, isr))


def state(leader: int, isr: Sequence[int], epoch: int = 0) -> dict[str, object]:
    """A state node's content."""
    return {"controller_epoch": 1, "leader": leader, "version": 1, "leader_epoch": epoch, "isr": list(isr)}


def registration(broker: int, rack: str | None = None, **further: object) -> dict[str, object]:
    """A broker's registration, version 4. Its only endpoint is TLS, so that a plain connection asks no broker."""
    told: dict[str, object] = {
        "version": 4,
        "host": f"host-{broker}",
        "port": 9092,
        "endpoints": [f"INTERNAL://host-{broker}:9092"],
        "listener_security_protocol_map": {"INTERNAL": "SSL"},
        "jmx_port": -1,
        "timestamp": "1",
    }
    return told | ({} if rack is None else {"rack": rack}) | further


def connection_to(server: ZooKeeperServer, chroot: str = "", **further: object) -> Connection:
    """A connection to the server's plain port."""
    return Connection(zookeeper=(server.hosts,), chroot=chroot, **{"timeout_seconds": 5.0} | further)  # type: ignore[arg-type]
