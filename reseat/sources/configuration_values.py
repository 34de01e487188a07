"""The values of a cluster's configuration: each by itself, and whether they go together.

No message holds the value of a secret.
"""

from __future__ import annotations

import difflib
import re
import shlex
from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any

from reseat.errors import InputRefused
from reseat.sources.addresses import read_servers, read_zookeeper
from reseat.sources.connection import Connection, Secret
from reseat.sources.pem import check_certificates, check_key, check_keytab

__all__ = ["CHECKS", "KEYS", "check_files", "disagreement", "unknown"]

_PROTOCOLS = ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")
_MECHANISMS = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER", "GSSAPI")
#: Mechanisms without a password, and what they are given.
_WITHOUT_PASSWORD = {
    "OAUTHBEARER": "a token or token_command was",
    "GSSAPI": "kerberos_principal and kerberos_keytab were",
}
#: The keys of a cluster.
KEYS = tuple(f.name for f in fields(Connection) if f.name not in ("name", "chroot"))
_SECRET_KEYS = frozenset({"password", "token", "key_password", "zookeeper_digest", "zookeeper_sasl_password"})
_SHORTEST, _LONGEST_TIMEOUT = 0.5, 600.0


def unknown(key: str) -> str:
    """A sentence for a key that is none, with the nearest one that is."""
    near = difflib.get_close_matches(re.sub(r"[.-]", "_", key.lower()), KEYS, 1)
    shown = f"'{key}'" if len(key) <= 60 and key.isprintable() else "A key"
    return f"{shown} is not a key of a cluster; " + (
        f"did you mean {near[0]}?" if near else f"known are {', '.join(KEYS)}."
    )


def disagreement(got: Mapping[str, Any]) -> tuple[str | None, str] | None:
    """(key, sentence) of values that do not go together, or None."""
    protocol, mechanism = got.get("security_protocol", "PLAINTEXT"), got.get("sasl_mechanism")
    sasl = protocol.startswith("SASL_")
    given = next((key for key in ("sasl_mechanism", "username", "password", "token", "token_command") if got.get(key)), None)  # fmt: skip  # noqa: E501
    if not got.get("bootstrap") and not got.get("zookeeper"):
        return None, "No server given; bootstrap (brokers) or zookeeper was expected."
    if given and not sasl:
        return given, (
            f"{given} is given, but security_protocol is {protocol}, which sends no credentials; "
            "SASL_SSL or SASL_PLAINTEXT was expected."
        )
    if sasl and mechanism is None:
        return "security_protocol", f"{protocol} needs a sasl_mechanism: {', '.join(_MECHANISMS)}."
    if mechanism == "OAUTHBEARER" and not (got.get("token") or got.get("token_command")):
        return "sasl_mechanism", "OAUTHBEARER needs a token, or a token_command that prints one."
    if got.get("token") and got.get("token_command"):
        return "token", "token and token_command are both given; one of them was expected."
    token = next((key for key in ("token", "token_command") if got.get(key)), None)
    if token and mechanism != "OAUTHBEARER":
        return token, f"{token} is given, but sasl_mechanism is {mechanism}; OAUTHBEARER was expected."
    kerberos = next((key for key in got if key.startswith("kerberos_") and got[key]), None)
    if kerberos and mechanism != "GSSAPI":
        return kerberos, f"{kerberos} is given, but sasl_mechanism is not GSSAPI."
    password = next((key for key in ("username", "password") if got.get(key)), None)
    if password and mechanism in _WITHOUT_PASSWORD:
        return password, f"{mechanism} takes no username and no password; {_WITHOUT_PASSWORD[mechanism]} expected."
    if mechanism not in (None, *_WITHOUT_PASSWORD) and not (got.get("username") and got.get("password")):
        return "sasl_mechanism", f"{mechanism} needs a username and a password."
    tls = next((key for key in ("ca_file", "cert_file", "key_file", "key_password") if got.get(key)), None)
    if tls and protocol not in ("SSL", "SASL_SSL") and not got.get("zookeeper_tls"):
        return tls, _in_clear(tls, protocol, brokers=bool(got.get("bootstrap")))
    if got.get("key_file") and not got.get("cert_file"):
        return "key_file", "A key_file needs the cert_file that it belongs to."
    if bool(got.get("zookeeper_sasl_username")) != bool(got.get("zookeeper_sasl_password")):
        return (
            "zookeeper_sasl_username",
            "zookeeper_sasl_username and zookeeper_sasl_password go together; one is missing.",
        )
    zookeeper = next((key for key in got if key.startswith("zookeeper_") and got[key]), None)
    if zookeeper and not got.get("zookeeper"):
        return zookeeper, f"{zookeeper} is given, but no zookeeper server is."
    return None


def _in_clear(key: str, protocol: str, *, brokers: bool) -> str:
    if not brokers:
        return f"{key} is given, but zookeeper_tls is not true, so that ZooKeeper is read in clear."
    with_tls = "SASL_SSL" if protocol.startswith("SASL_") else "SSL or SASL_SSL"
    return f"{key} is given, but security_protocol is {protocol}, which has no TLS; {with_tls} was expected."


def check_files(connection: Connection) -> None:
    """Look into the files that a connection names.

    Raises:
        InputRefused: one cannot be read, or is not what it should be; its source is the key.
    """
    if connection.ca_file is not None:
        check_certificates("ca_file", connection.ca_file)
    if connection.kerberos_keytab is not None:
        check_keytab("kerberos_keytab", connection.kerberos_keytab)
    if connection.cert_file is not None:
        check_certificates("cert_file", connection.cert_file)
        key = "key_file" if connection.key_file is not None else "cert_file"
        check_key(key, connection.key_file or connection.cert_file, has_password=connection.key_password is not None)


def _text(value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        raise InputRefused("a text in quotes was expected, and not an empty one.")
    return value.strip()


def _secret(value: object) -> Secret:
    if not isinstance(value, str) or not value:
        raise InputRefused("a text in quotes was expected, and not an empty one.")
    return Secret(value)


def _digest(value: object) -> Secret:
    secret = _secret(value)
    user, colon, password = secret.reveal().partition(":")
    if not (user and colon and password):
        raise InputRefused("user:password was expected.")
    return secret


def _servers(value: object) -> str:
    if isinstance(value, list | tuple) and value and all(isinstance(one, str) for one in value):
        return ",".join(value)
    return _text(value)


def _flag(value: object) -> bool:
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value.strip().lower() in ("true", "false"):
        return value.strip().lower() == "true"
    raise InputRefused("true or false was expected.")


def _choice(choices: tuple[str, ...]) -> Callable[[object], str]:
    def check(value: object) -> str:
        if isinstance(value, str) and value.strip().upper() in choices:
            return value.strip().upper()
        raise InputRefused(f"one of {', '.join(choices)} was expected.")

    return check


def _command(value: object) -> tuple[str, ...]:
    words: list[object] = []
    if isinstance(value, list | tuple):
        words = list(value)
    elif isinstance(value, str):
        try:
            words = list(shlex.split(value))
        except ValueError:
            raise InputRefused("a quote in the command is not closed.") from None
    if not words or not all(isinstance(word, str) and word for word in words):
        raise InputRefused('a command was expected, such as ["fetch-token", "--quiet"].')
    return tuple(str(word) for word in words)


def _seconds(value: object) -> float:
    try:
        seconds = float(value) if isinstance(value, int | float | str) and not isinstance(value, bool) else -1.0
    except ValueError:
        seconds = -1.0
    if not _SHORTEST <= seconds <= _LONGEST_TIMEOUT:
        raise InputRefused(f"a number of seconds from {_SHORTEST} to {_LONGEST_TIMEOUT:.0f} was expected.")
    return seconds


#: What a value becomes by key, or ``InputRefused``.
CHECKS: dict[str, Callable[[object], Any]] = {
    **dict.fromkeys(KEYS, _text),
    **dict.fromkeys(_SECRET_KEYS, _secret),
    "bootstrap": lambda value: read_servers(_servers(value)),
    "zookeeper": lambda value: read_zookeeper(_servers(value)),
    "security_protocol": _choice(_PROTOCOLS),
    "sasl_mechanism": _choice(_MECHANISMS),
    "token_command": _command,
    "check_hostname": _flag,
    "zookeeper_tls": _flag,
    "zookeeper_digest": _digest,
    "timeout_seconds": _seconds,
}
