"""Listeners with SASL and TLS for a cluster of ``cluster.start``: users, certificates and tokens made for the test."""

from __future__ import annotations

import base64
import json
import time
from dataclasses import dataclass
from pathlib import Path

import trustme
from cryptography.hazmat.primitives import serialization

#: Name to protocol, as ``cluster.start`` takes them. ASTRAY advertises a host that no resolver knows.
LISTENERS = {"SASL": "SASL_PLAINTEXT", "TLS": "SSL", "BOTH": "SASL_SSL", "ASTRAY": "PLAINTEXT@nowhere.invalid"}
_PACKAGE = "org.apache.kafka.common.security"


@dataclass(frozen=True)
class Certificates:
    """Files in PEM: the authority of the servers, a client's certificate and key, another authority."""

    ca: Path
    client: Path
    client_key: Path
    other_ca: Path


def make_certificates(directory: Path) -> Certificates:
    """Make an authority, a server's keystore for 127.0.0.1 as Kafka reads it (KIP-651), and a client's files."""
    authority = trustme.CA()
    directory.mkdir(parents=True, exist_ok=True)
    found = Certificates(*(directory / name for name in ("ca.pem", "client.pem", "client.key", "other-ca.pem")))
    authority.cert_pem.write_to_path(found.ca)
    trustme.CA().cert_pem.write_to_path(found.other_ca)
    client = authority.issue_cert("client.invalid")
    client.cert_chain_pems[0].write_to_path(found.client)
    client.private_key_pem.write_to_path(found.client_key)
    server = authority.issue_cert("127.0.0.1")
    key = serialization.load_pem_private_key(server.private_key_pem.bytes(), password=None)
    pkcs8 = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    (directory / "server.pem").write_bytes(pkcs8 + b"".join(pem.bytes() for pem in server.cert_chain_pems))
    return found


def settings(directory: Path, users: dict[str, str]) -> dict[str, str]:
    """Broker settings for ``LISTENERS``, with the certificates of ``make_certificates`` in ``directory``."""
    plain = " ".join(f'user_{name}="{password}"' for name, password in users.items())
    found = {}
    for listener in ("sasl", "both"):
        prefix = f"listener.name.{listener}."
        found |= {
            prefix + "sasl.enabled.mechanisms": "PLAIN,SCRAM-SHA-256,SCRAM-SHA-512,OAUTHBEARER",
            prefix + "plain.sasl.jaas.config": f"{_PACKAGE}.plain.PlainLoginModule required {plain};",
            prefix + "scram-sha-256.sasl.jaas.config": f"{_PACKAGE}.scram.ScramLoginModule required;",
            prefix + "scram-sha-512.sasl.jaas.config": f"{_PACKAGE}.scram.ScramLoginModule required;",
            prefix + "oauthbearer.sasl.jaas.config": f"{_PACKAGE}.oauthbearer.OAuthBearerLoginModule required "
            'unsecuredLoginStringClaim_sub="broker";',
        }
    for listener in ("tls", "both"):
        prefix = f"listener.name.{listener}.ssl."
        found |= {
            prefix + "keystore.type": "PEM",
            prefix + "keystore.location": str(directory / "server.pem"),
            prefix + "truststore.type": "PEM",
            prefix + "truststore.location": str(directory / "ca.pem"),
        }
    found["listener.name.tls.ssl.client.auth"] = "required"
    return found


def unsecured_token(subject: str, seconds: int = 3600) -> str:
    """A JWT without a signature, as Kafka's validator for development takes it."""
    now = int(time.time())
    parts = [{"alg": "none"}, {"sub": subject, "iat": now - 5, "exp": now + seconds}]
    return ".".join(base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in parts) + "."
