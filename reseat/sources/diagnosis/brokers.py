"""The part of a test that asks brokers: protocol, login, the addresses that they advertise, and rights."""

from __future__ import annotations

import concurrent.futures
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from reseat.errors import ClusterUnreachable
from reseat.model.wording import counted, listed, verb
from reseat.sources import probing
from reseat.sources.addresses import server_at
from reseat.sources.connection import Connection
from reseat.sources.diagnosis.reaching import AT_ONCE, CONNECT_SECONDS, resolves, takes
from reseat.sources.diagnosis.speaking import handshake, speaker_at, stranger
from reseat.sources.diagnosis.steps import Steps
from reseat.sources.kafka_admin.requests import BROKER, TOPIC, metadata_of, settings_of
from reseat.sources.probing import Speaker

if TYPE_CHECKING:
    from reseat.sources.kafka_admin.client import AdminClient

__all__ = ["ask_brokers"]

#: Brokers whose advertised address is tried; of a larger cluster these tell enough.
_MOST_BROKERS = 300
_TOPIC_DENIED, _CLUSTER_DENIED = 29, 31


def ask_brokers(steps: Steps, connection: Connection, reached: Sequence[str]) -> None:
    """Test brokers from their protocol to what may be seen of them.

    Args:
        steps: take what is found.
        connection: what is tested.
        reached: servers that take connections.

    Raises:
        StepFailedError: a step failed.
    """
    from reseat.sources.kafka_admin.client import open_admin

    server = reached[0]
    try:
        answer = handshake(steps, server, connection)
        if answer is not None:
            if not probing.is_kafka(answer):
                raise stranger(steps, "Protocol", server, Speaker.OTHER if answer else Speaker.SILENT, connection)
        else:
            speaker = speaker_at(steps, "Protocol", server, connection)
            if speaker is not Speaker.KAFKA:
                raise stranger(steps, "Protocol", server, speaker, connection)
        steps.passed("Protocol", f"{server} speaks Kafka's protocol.")
        admin = open_admin(connection, servers=reached)
    except ClusterUnreachable as error:
        names = {"tls": "TLS", "listener": "Advertised addresses", "configuration": "Settings"}
        raise steps.failed(names.get(error.reason, "Login"), error.sentence, error.reason) from None
    with admin:
        version = _version(admin)
        how = f"as {connection.username}" if connection.username else "without a login"
        if connection.sasl_mechanism == "OAUTHBEARER":
            how = "with a token"
        if connection.sasl_mechanism == "GSSAPI":
            how = f"by Kerberos as {connection.kerberos_principal}" if connection.kerberos_principal else "by Kerberos"
        steps.passed("Login", f"Connected {how}. The cluster's id is {admin.cluster_id}, Kafka {version} or later.")
        _advertised(steps, {broker.id: server_at(broker.host, broker.port) for broker in admin.brokers().values()})
        try:
            _rights(steps, admin)
        except ClusterUnreachable as error:
            raise steps.failed("Rights", error.sentence, error.reason) from None


def _version(admin: AdminClient) -> str:
    """Kafka's version as the broker tells it, or as its requests do."""
    from kafka.protocol.metadata import ApiVersionsRequest

    from reseat.sources.kafka_admin import overview

    answer = None
    if admin.supports(ApiVersionsRequest, 3):
        with suppress(ClusterUnreachable):  # what follows says why
            answer = admin.send(overview.versions_request(), again=True)
    return overview.version_told(answer, admin.broker_version)


def _advertised(steps: Steps, addresses: Mapping[int, str]) -> None:
    """Whether this machine reaches the addresses that brokers tell their clients."""
    tried = dict(list(addresses.items())[:_MOST_BROKERS])
    if not tried:
        steps.warned("Advertised addresses", "No broker has an address.", "listener")
        return
    with concurrent.futures.ThreadPoolExecutor(min(AT_ONCE, len(tried))) as pool:
        errors = list(pool.map(_advertised_fault, tried.values()))
    unreached = [
        f"broker {broker} ({address})"
        for (broker, address), fault in zip(tried.items(), errors, strict=True)
        if fault is not None
    ]
    if not unreached:
        steps.passed(
            "Advertised addresses",
            f"{counted(len(tried), 'broker')} can be reached at the {verb(len(tried), 'address', 'addresses')} that "
            f"{verb(len(tried), 'it advertises', 'they advertise')}.",
        )
        return
    names = " ".join(sorted({fault for fault in errors if fault is not None}))
    tells = verb(len(unreached), "it advertises", "they advertise")
    steps.warned(
        "Advertised addresses",
        f"{listed(unreached)} cannot be reached at the address that {tells}. {names} What only these brokers report "
        "(sizes, log directories) will be missing. Check advertised.listeners on the brokers, or let this machine "
        "resolve and reach these names.",
        "listener",
    )


def _advertised_fault(address: str) -> str | None:
    if not resolves(address):
        return "A name does not resolve on this machine."
    return None if takes(address, CONNECT_SECONDS) is None else "A port accepts no connections."


def _rights(steps: Steps, admin: AdminClient) -> None:
    """The least of each kind of thing that a reading needs, to see which right is missing."""
    from kafka.protocol.admin import ListPartitionReassignmentsRequest

    told = admin.send(metadata_of(None))
    topics, missing = told.topics, []
    seen = [topic.name for topic in topics if topic.error_code == 0]
    if len(seen) < len(topics):
        missing.append("DESCRIBE on Topic for some topics")
    if seen:
        request = settings_of(TOPIC, seen[:1], ["min.insync.replicas"])
        if any(result.error_code == _TOPIC_DENIED for result in admin.send(request).results):
            missing.append("DESCRIBE_CONFIGS on Topic (min.insync.replicas and throttles will be missing)")
    with suppress(ClusterUnreachable):  # of one that is away nothing is known, which another step tells
        request = settings_of(BROKER, [str(told.controller_id)], ["broker.rack"])
        answers = admin.send(request, told.controller_id).results if told.controller_id >= 0 else ()
        if any(result.error_code == _CLUSTER_DENIED for result in answers):
            missing.append("DESCRIBE_CONFIGS on Cluster (the brokers' settings will be missing)")
    if admin.supports(ListPartitionReassignmentsRequest):
        answer = admin.send(ListPartitionReassignmentsRequest(timeout_ms=10_000, topics=None), broker="controller")
        if answer.error_code == _CLUSTER_DENIED:
            missing.append("DESCRIBE on Cluster (reassignments in progress and sizes will be missing)")
    lacks = f" Missing: {'; '.join(missing)}." if missing else ""
    if not seen:
        steps.warned(
            "Rights",
            "No topic can be seen: the cluster is empty, or the right DESCRIBE on Topic is missing (Kafka hides topics "
            f"from users who may not describe them).{lacks}",
            "authorization",
        )
    elif missing:
        steps.warned("Rights", f"{counted(len(seen), 'topic')} can be seen.{lacks}", "authorization")
    else:
        steps.passed("Rights", f"{counted(len(seen), 'topic')} can be seen, with settings and reassignments.")
