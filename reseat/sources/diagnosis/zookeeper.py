"""The part of a test that asks ZooKeeper: session, chroot, and rights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from reseat.errors import ClusterUnreachable
from reseat.model.wording import counted, listed
from reseat.sources.connection import Connection
from reseat.sources.diagnosis.speaking import handshake, speaker_at, stranger
from reseat.sources.diagnosis.steps import Steps
from reseat.sources.probing import Speaker

__all__ = ["ask_zookeeper"]

#: Nodes below the root that are looked at for Kafka, where the chroot does not hold it.
_MOST_ROOTS = 200


def ask_zookeeper(steps: Steps, connection: Connection, reached: Sequence[str]) -> None:
    """Test ZooKeeper from its session to the nodes that a reading needs.

    Args:
        steps: take what is found.
        connection: what is tested; its chroot is looked for from the root.
        reached: servers that take connections.

    Raises:
        StepFailedError: a step failed.
    """
    from reseat.sources.zookeeper.client import close_client, open_reading_client

    server = reached[0]
    try:
        if connection.zookeeper_tls:
            handshake(steps, server, connection)
        else:
            speaker = speaker_at(steps, "Protocol", server, connection)
            if speaker not in (
                Speaker.ZOOKEEPER,
                Speaker.SILENT,
            ):  # its commands may be switched off: then it is silent
                raise stranger(steps, "Protocol", server, speaker, connection)
            if speaker is Speaker.ZOOKEEPER:
                steps.passed("Protocol", f"{server} is ZooKeeper.")
        client = open_reading_client(replace(connection, chroot=""), hosts=tuple(reached))
    except ClusterUnreachable as error:
        names = {"tls": "TLS", "not_zookeeper": "Protocol", "configuration": "Settings"}
        raise steps.failed(names.get(error.reason, "Login"), error.sentence, error.reason) from None
    try:
        how = "with a login" if connection.zookeeper_digest or connection.zookeeper_sasl_username else "without a login"
        steps.passed("Login", f"ZooKeeper opened a session {how}.")
        _nodes(steps, client, connection)
    finally:
        close_client(client)


def _nodes(steps: Steps, reader: Any, connection: Connection) -> None:
    """Whether the chroot holds a Kafka cluster, and whether its nodes may be read."""
    from kazoo.exceptions import KazooException, NoAuthError, NoNodeError
    from kazoo.handlers.threading import KazooTimeoutError

    root = connection.chroot
    try:
        if root and reader.exists(root) is None:
            raise steps.failed("Chroot", f"There is no node {root}. {_where_kafka_is(reader)}", "chroot")
        if reader.exists(f"{root}/brokers/ids") is None:
            where = f"The node {root} is there, but it" if root else "ZooKeeper's root"
            raise steps.failed("Chroot", f"{where} holds no /brokers/ids. {_where_kafka_is(reader)}", "chroot")
        steps.passed("Chroot", f"{root or 'The root'} holds a Kafka cluster.")
        denied = []
        counts = {}
        for path in ("/brokers/ids", "/brokers/topics", "/config/topics"):
            try:
                counts[path] = len(reader.get_children(f"{root}{path}"))
            except NoAuthError:
                denied.append(f"{root}{path}")
            except NoNodeError:
                counts[path] = 0
    except (KazooException, KazooTimeoutError) as error:
        raise steps.failed("Chroot", f"ZooKeeper stopped answering ({type(error).__name__}).", "lost") from None
    if "/brokers/ids" not in counts or "/brokers/topics" not in counts:
        raise steps.failed(
            "Rights",
            f"The account may not read {listed(denied)}. ZooKeeper's ACL of these nodes must give it 'r' (read).",
            "authorization",
        )
    brokers, topics = counts["/brokers/ids"], counts["/brokers/topics"]
    told = f"{counted(brokers, 'broker')} and {counted(topics, 'topic')} can be read."
    if denied:
        steps.warned("Rights", f"{told} {listed(denied)} may not be read: min.insync.replicas will be missing.", "authorization")  # fmt: skip  # noqa: E501
    elif not brokers:
        steps.warned("Rights", f"{told} No broker is registered: all of them are down or were removed.")
    else:
        steps.passed("Rights", told)


def _where_kafka_is(reader: Any) -> str:
    """A sentence that names the nodes below the root that hold a Kafka cluster, as far as they may be seen."""
    from kazoo.exceptions import KazooException

    found = []
    try:
        if reader.exists("/brokers/ids") is not None:
            found.append("the root (no chroot)")
        found += [
            f"/{name}"
            for name in sorted(reader.get_children("/"))[:_MOST_ROOTS]
            if name != "zookeeper" and reader.exists(f"/{name}/brokers/ids") is not None
        ]
    except KazooException:
        return "The chroot is written after the servers in the brokers' zookeeper.connect."
    if found:
        return f"A Kafka cluster is at {listed(found)}."
    return "No node below the root holds a Kafka cluster. The chroot is in the brokers' zookeeper.connect."
