"""A Kafka client's properties -> the values of a connection.

What Kafka's clients take and Reseat does not need (``acks``, ``group.id``) is passed over; what it would need and
cannot use (Java key stores, classes) is refused with what to do instead; what no Kafka client knows is
refused with the nearest key. As in Kafka, credentials count only where ``security.protocol`` says SASL, and
certificates only where it says TLS.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from typing import Any

from reseat.errors import InputRefused
from reseat.sources.pem import how_to_convert, is_pem
from reseat.sources.properties import Property, read_jaas

__all__ = ["connection_values"]

#: Kafka's and librdkafka's names of what a connection holds.
_SAME = {
    "bootstrap.servers": "bootstrap",
    "metadata.broker.list": "bootstrap",
    "security.protocol": "security_protocol",
    "sasl.mechanism": "sasl_mechanism",
    "sasl.mechanisms": "sasl_mechanism",
    "sasl.username": "username",
    "sasl.password": "password",
    "ssl.ca.location": "ca_file",
    "ssl.certificate.location": "cert_file",
    "ssl.key.location": "key_file",
    "ssl.key.password": "key_password",
    "sasl.kerberos.service.name": "kerberos_service",
    "sasl.kerberos.keytab": "kerberos_keytab",
    "sasl.kerberos.principal": "kerberos_principal",
    "sasl.oauthbearer.token": "token",
    "sasl.oauthbearer.token.command": "token_command",
    "zookeeper.connect": "zookeeper",
    "zookeeper.digest": "zookeeper_digest",
    "zookeeper.sasl.username": "zookeeper_sasl_username",
    "zookeeper.sasl.password": "zookeeper_sasl_password",
    "zookeeper.ssl.client.enable": "zookeeper_tls",
}
_STORES = {
    f"{side}ssl.{store}.{what}" for side in ("", "zookeeper.") for store in ("truststore", "keystore")
    for what in ("location", "password", "type")
}  # fmt: skip
_READ = {
    *_SAME,
    *_STORES,
    "sasl.jaas.config",
    "request.timeout.ms",
    "ssl.endpoint.identification.algorithm",
    "zookeeper.ssl.endpoint.identification.algorithm",
    "zookeeper.clientCnxnSocket",
}
#: Refused: (what it starts with, what to do instead).
_CANNOT = (
    ("ssl.truststore.certificates", "Name a PEM file in ssl.truststore.location."),
    ("ssl.keystore.certificate.chain", "Name a PEM file with key and certificates in ssl.keystore.location."),
    ("ssl.keystore.key", "Name a PEM file with key and certificates in ssl.keystore.location."),
    ("ssl.engine.factory.class", "A Java class cannot be used; name PEM files instead."),
    ("sasl.login.callback.handler.class", "Name a command that prints a token in sasl.oauthbearer.token.command."),
    ("sasl.client.callback.handler.class", "A Java class cannot be used; give username and password."),
    ("sasl.login.class", "A Java class cannot be used; give username and password."),
    ("sasl.oauthbearer.token.endpoint.url", "Name a command that prints a token in sasl.oauthbearer.token.command."),
)  # fmt: skip
#: Of Kafka's clients, and without meaning for reading a layout: whole names, and what names begin with.
_PASSED_OVER_TEXT = """
acks allow.auto.create.topics auto.commit.interval.ms auto.offset.reset batch.size buffer.memory check.crcs
client.dns.lookup client.id client.rack compression.type connections.max.idle.ms default.api.timeout.ms
delivery.timeout.ms enable.auto.commit enable.idempotence exclude.internal.topics fetch.max.bytes fetch.max.wait.ms
fetch.min.bytes group.id group.instance.id group.protocol heartbeat.interval.ms interceptor.classes
internal.auto.offset.reset isolation.level key.deserializer key.serializer linger.ms max.block.ms
max.in.flight.requests.per.connection max.partition.fetch.bytes max.poll.interval.ms max.poll.records
max.request.size metadata.max.age.ms metadata.max.idle.ms metric.reporters metrics.num.samples
metrics.recording.level metrics.sample.window.ms partition.assignment.strategy partitioner.class
receive.buffer.bytes reconnect.backoff.max.ms reconnect.backoff.ms retries retry.backoff.max.ms retry.backoff.ms
send.buffer.bytes session.timeout.ms transaction.timeout.ms transactional.id value.deserializer value.serializer
enable.metrics.push default.topic.config ssl.cipher.suites ssl.enabled.protocols ssl.protocol ssl.provider
ssl.keymanager.algorithm ssl.trustmanager.algorithm ssl.secure.random.implementation security.providers
"""
_PASSED_OVER = frozenset(_PASSED_OVER_TEXT.split())
_PASSED_OVER_FAMILIES = (
    "sasl.login.", "sasl.oauthbearer.", "sasl.kerberos.", "socket.connection.setup.", "metadata.recovery.",
    "confluent.", "schema.registry.", "basic.auth.", "zookeeper.session.", "zookeeper.connection.",
    "zookeeper.ssl.protocol", "zookeeper.ssl.cipher", "zookeeper.ssl.enabled", "admin.", "producer.", "consumer.",
)  # fmt: skip
_KEY = re.compile(r"[a-z]+([._-][a-zA-Z0-9]+)+")
_MODULES = {
    "PlainLoginModule": ("PLAIN",),
    "ScramLoginModule": ("SCRAM-SHA-256", "SCRAM-SHA-512"),
    "OAuthBearerLoginModule": ("OAUTHBEARER",),
    "Krb5LoginModule": ("GSSAPI",),
}


def connection_values(
    properties: Mapping[str, Property], *, source: str, zookeeper: bool = False
) -> tuple[dict[str, Any], dict[str, int]]:
    """The values that a client's properties tell, and on which line each stands.

    Args:
        properties: as ``read_properties`` gives them.
        source: the file's name, for refusals.
        zookeeper: whether ZooKeeper's servers are named elsewhere (an option), so that its keys count.

    Raises:
        InputRefused: a key is not known or cannot be used, or a value is not as Kafka's clients take it.
    """
    for key, told in properties.items():
        _refuse_unusable(key, told, source)
    values: dict[str, Any] = {}
    lines: dict[str, int] = {}

    def tell(key: str, value: object, line: int) -> None:
        values[key], lines[key] = value, line

    for key, told in properties.items():
        if key in _SAME and told.value:
            tell(_SAME[key], told.value, told.line)
    if "request.timeout.ms" in properties:
        told = properties["request.timeout.ms"]
        if not re.fullmatch(r"[0-9]{1,9}", told.value):
            raise _refusal("request.timeout.ms: a number of milliseconds was expected.", source, told.line)
        tell("timeout_seconds", int(told.value) / 1000, told.line)
    if "sasl.jaas.config" in properties:
        _tell_jaas(properties["sasl.jaas.config"], values, tell, source)
    protocol = str(values.get("security_protocol", "PLAINTEXT")).upper()
    to_zookeeper = zookeeper or "zookeeper" in values
    tls = to_zookeeper and str(values.get("zookeeper_tls", "")).lower() == "true"
    sides = (*([""] if protocol in ("SSL", "SASL_SSL") else []), *(["zookeeper."] if tls else []))
    for side in sides:
        _tell_stores(side, properties, tell, source)
    _tell_check_of_names(sides, properties, tell, source)
    if not protocol.startswith("SASL_"):
        _forget(values, "sasl_mechanism", "username", "password", "token", "token_command")
    if not protocol.startswith("SASL_") or str(values.get("sasl_mechanism", "GSSAPI")).upper() != "GSSAPI":
        _forget(values, "kerberos_service", "kerberos_keytab", "kerberos_principal")
    if protocol not in ("SSL", "SASL_SSL") and not tls:
        _forget(values, "ca_file", "cert_file", "key_file", "key_password")
    if not to_zookeeper:
        _forget(values, "zookeeper_tls", "zookeeper_digest", "zookeeper_sasl_username", "zookeeper_sasl_password")
    return values, lines


def _forget(values: dict[str, Any], *keys: str) -> None:
    for key in keys:
        values.pop(key, None)


def _refusal(sentence: str, source: str, line: int) -> InputRefused:
    return InputRefused(sentence, source=source, line=line)


def _refuse_unusable(key: str, told: Property, source: str) -> None:
    if key in _READ:
        return
    for start, instead in _CANNOT:
        if key.startswith(start):
            raise _refusal(f"{start.rstrip('.')} cannot be used here. {instead}", source, told.line)
    if key in _PASSED_OVER or key.startswith(_PASSED_OVER_FAMILIES):
        return
    # A line of a password that was broken in two looks like a key; only what is written as one is quoted.
    shown = f"'{key}'" if told.separated and len(key) <= 80 and _KEY.fullmatch(key) else "The key before the value"
    near = difflib.get_close_matches(key, [*_READ, *_PASSED_OVER], 1)
    meant = f"did you mean {near[0]}?" if near else "a key of Kafka's clients was expected, with = after it."
    raise _refusal(f"{shown} is not a setting of Kafka clients; {meant}", source, told.line)


def _tell_jaas(told: Property, values: dict[str, Any], tell: Any, source: str) -> None:
    jaas = read_jaas(told.value, source=source, line=told.line)
    mechanism = str(values.get("sasl_mechanism", "")).upper()
    if jaas.module not in _MODULES:
        raise _refusal(
            f"The login module of sasl.jaas.config is not known; one of {', '.join(_MODULES)} was expected.",
            source,
            told.line,
        )
    if mechanism and mechanism not in _MODULES[jaas.module]:
        raise _refusal(
            f"sasl.jaas.config has {jaas.module}, which does not go with sasl.mechanism {mechanism[:20]}; "
            f"{' or '.join(_MODULES[jaas.module])} was expected.",
            source,
            told.line,
        )
    if jaas.module == "OAuthBearerLoginModule":
        return
    if jaas.module == "Krb5LoginModule":
        _tell_kerberos(jaas.options, tell, source, told.line)
        return
    for option in ("username", "password"):
        if jaas.options.get(option):
            tell(option, jaas.options[option], told.line)
        else:
            raise _refusal(f'sasl.jaas.config holds no {option}="...".', source, told.line)


#: What Java's login module for Kerberos is told, and what a connection holds of it.
_KERBEROS = {"keyTab": "kerberos_keytab", "principal": "kerberos_principal", "serviceName": "kerberos_service"}


def _tell_kerberos(options: Mapping[str, str], tell: Any, source: str, line: int) -> None:
    if options.get("ticketCache"):
        raise _refusal("ticketCache of sasl.jaas.config cannot be used here. Name it in KRB5CCNAME.", source, line)
    tell("sasl_mechanism", "GSSAPI", line)  # Kafka's own default where this module is named
    for option, key in _KERBEROS.items():
        if options.get(option):
            tell(key, options[option], line)


def _tell_check_of_names(sides: Sequence[str], properties: Mapping[str, Property], tell: Any, source: str) -> None:
    """Whether certificates must name their servers: of brokers and of ZooKeeper alike, or not at all."""
    keys = [f"{side}ssl.endpoint.identification.algorithm" for side in sides]
    given = {key: properties[key] for key in keys if key in properties}
    for key, told in given.items():
        if told.value.lower() not in ("", "https", "none"):
            raise _refusal(f"{key}: https, or nothing, was expected.", source, told.line)
        tell("check_hostname", told.value.lower() == "https", told.line)
    checked = {key not in given or given[key].value.lower() == "https" for key in keys}
    if len(checked) > 1:
        last = max(told.line for told in given.values())
        raise _refusal(
            f"Names in certificates are checked alike here: give {keys[0]} and {keys[1]} one value.", source, last
        )


def _tell_stores(side: str, properties: Mapping[str, Property], tell: Any, source: str) -> None:
    """PEM files named as Java's stores: the truststore is the authorities, the key store key and certificate."""
    for store in ("truststore", "keystore"):
        location = properties.get(f"{side}ssl.{store}.location")
        if location is None or not location.value:
            continue
        kind = properties.get(f"{side}ssl.{store}.type")
        named = kind.value.upper() if kind is not None else None
        if named not in (None, "PEM") or (named is None and not is_pem(location.value)):
            raise _refusal(
                f"{side}ssl.{store}.location is not PEM ({named or 'JKS, the default'}), the only format "
                f"that can be used here. {how_to_convert()} Then name the PEM file, with {side}ssl.{store}.type=PEM.",
                source,
                location.line,
            )
        if store == "truststore":
            tell("ca_file", location.value, location.line)
            continue
        tell("cert_file", location.value, location.line)
        tell("key_file", location.value, location.line)
        password = properties.get(f"{side}ssl.keystore.password")
        if password is not None and password.value and "ssl.key.password" not in properties:
            tell("key_password", password.value, password.line)
