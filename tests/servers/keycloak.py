"""Keycloak, a provider of sign-ins that teams run: its own server with a realm of ours; fetched once, by mvn."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
import urllib.error
import urllib.request
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.conftest import missing
from tests.servers.cluster import java_program
from tests.servers.dashboard import ROOT, stop
from tests.servers.ports import free_port

__all__ = ["SECRET", "keycloak"]

_VERSION = "26.7.3"
_ZIP = ROOT / ".cache" / "keycloak" / f"keycloak-quarkus-dist-{_VERSION}.zip"
_COPY = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy"
#: What the client ``reseat`` proves itself by.
SECRET = "between the two of us"
#: Seconds in which it builds itself and begins; a machine with other work takes two minutes.
_PATIENCE = 400


@contextmanager
def keycloak(folder: Path, people: Mapping[str, Mapping[str, object]]) -> Iterator[str]:
    """Start it on this machine alone; the address of the realm's metadata. Skips where it cannot be had.

    Args:
        folder: where it lies while it runs.
        people: by their name, and their password, what the realm knows of them beside it, in Keycloak's words.
    """
    java = java_program()
    if java is None:
        missing("keycloak", "No java was found, so that Keycloak cannot be started.")
    if not _ZIP.exists():
        if shutil.which("mvn") is None:
            missing("keycloak", "No mvn was found, so that Keycloak cannot be fetched.")
        what = f"-Dartifact=org.keycloak:keycloak-quarkus-dist:{_VERSION}:zip"
        subprocess.run(["mvn", "-q", "-B", _COPY, what, f"-DoutputDirectory={_ZIP.parent}"], check=True)
    with zipfile.ZipFile(_ZIP) as packed:
        packed.extractall(folder)
    home = folder / f"keycloak-{_VERSION}"
    realm = home / "data" / "import" / "example-realm.json"
    realm.parent.mkdir(parents=True)
    realm.write_text(json.dumps(_realm(people)))
    port, log = free_port(), folder / "keycloak.txt"
    words = ["start-dev", "--http-host=127.0.0.1", f"--http-port={port}", "--import-realm"]
    with log.open("wb") as output:
        process = subprocess.Popen(
            ["bash", home / "bin" / "kc.sh", *words],
            stdout=output,
            stderr=subprocess.STDOUT,
            env={**os.environ, "JAVA": str(java), "JAVA_OPTS_KC_HEAP": "-Xms128m -Xmx512m"},
        )
    metadata = f"http://127.0.0.1:{port}/realms/example/.well-known/openid-configuration"
    try:
        until = time.monotonic() + _PATIENCE
        while not _answers(metadata):
            assert process.poll() is None, log.read_text()[-3000:]
            if time.monotonic() > until:
                pytest.fail(f"Keycloak did not begin within {_PATIENCE} s: {log.read_text()[-3000:]}")
            time.sleep(0.5)
        yield metadata
    finally:
        stop(process)


def _answers(address: str) -> bool:
    try:
        with urllib.request.urlopen(address, timeout=5) as answer:
            return bool(answer.status == 200)
    except (OSError, urllib.error.URLError):
        return False


def _realm(people: Mapping[str, Mapping[str, object]]) -> dict[str, object]:
    """A realm with the client ``reseat``, whose ID tokens tell groups."""
    told = {"id.token.claim": "true", "claim.name": "groups", "full.path": "false"}
    groups = {"name": "groups", "protocol": "openid-connect", "config": told}
    users = [
        {"username": name, "enabled": True, "credentials": [{"type": "password", "value": name}], **known}
        for name, known in people.items()
    ]
    return {
        "realm": "example",
        "enabled": True,
        "sslRequired": "none",
        "groups": [{"name": "kafka-operators"}],
        "users": users,
        "clients": [
            {
                "clientId": "reseat",
                "secret": SECRET,
                "redirectUris": ["http://127.0.0.1:*"],
                "protocolMappers": [{**groups, "protocolMapper": "oidc-group-membership-mapper"}],
            }
        ],
    }
