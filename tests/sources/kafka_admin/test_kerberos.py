"""Being let in by Kerberos: a real broker with a GSSAPI listener, and a real KDC (Debian's)."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from shutil import copyfile

import pytest

from reseat.errors import ClusterUnreachable
from reseat.formats import read
from reseat.sources.connection import Connection
from reseat.sources.kafka_admin.security import sasl_settings
from tests.conftest import missing
from tests.servers import cluster as servers
from tests.servers.kdc import REALM, Kdc, kdc, library, missing_kdc

ROOT = Path(__file__).parent.parent.parent.parent
GSSAPI = Connection(bootstrap=("127.0.0.1:1",), security_protocol="SASL_PLAINTEXT", sasl_mechanism="GSSAPI")


def test_without_the_extra_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """And what it is compiled with, before anything is sent."""
    monkeypatch.setitem(sys.modules, "gssapi", None)
    with pytest.raises(
        ClusterUnreachable, match=r"needs the extra kerberos.*'reseat\[kerberos\]'.*libkrb5-dev"
    ) as refused:
        sasl_settings(GSSAPI)

    assert refused.value.reason == "configuration"


@dataclass
class Realm:
    """A broker that lets in by Kerberos alone, its KDC, and who is known to both."""

    cluster: servers.KafkaCluster
    kdc: Kdc
    keytab: Path
    home: Path

    def run(self, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """A command of Reseat with the extra installed, in the realm."""
        given = {**os.environ, **self.kdc.environment, "PYTHONPATH": f"{ROOT}:{library()}", **environment}
        return subprocess.run(
            [sys.executable, "-m", "reseat", *words],
            cwd=self.home,
            env=given,
            capture_output=True,
            text=True,
            check=False,
        )

    def topics(self, *lines: str, **environment: str) -> list[str] | str:
        """The topics of a snapshot with these client properties; what was said where there is none."""
        file = self.home / "client.properties"
        file.write_text("\n".join(["security.protocol=SASL_PLAINTEXT", "sasl.mechanism=GSSAPI", *lines]))
        bootstrap = self.cluster.listeners["KERBEROS"]
        words = ["snapshot", "--bootstrap", bootstrap, "--config", str(file), "--output", "now.json"]
        done = self.run(*words, **environment)
        if done.returncode:
            return done.stderr
        return list(read((self.home / "now.json").read_text()).layout.topics)


@pytest.fixture(scope="module")
def realm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Realm]:
    """``reader`` may do everything and who is not known nothing; the broker is kafka/127.0.0.1."""
    reason = servers.missing()
    if reason:
        missing("kafka", reason)
    reason = missing_kdc()
    if reason:
        missing("kerberos", reason)
    try:
        library()
    except subprocess.CalledProcessError as error:
        missing("kerberos", f"The extra kerberos cannot be compiled here: {error.stderr.decode()[-300:]}")
    home = tmp_path_factory.mktemp("kerberos")
    with kdc(home / "kdc") as found:
        service, reader = found.keytab("kafka/127.0.0.1"), found.keytab("reader", "limited")
        (home / "cluster").mkdir()
        copyfile(found.settings, home / "cluster" / "krb5.conf")
        listener = "listener.name.kerberos."
        cluster = servers.start(
            "kraft-4.1",
            home / "cluster",
            {1: "r1"},
            listeners={"KERBEROS": "SASL_PLAINTEXT"},
            **{
                listener + "sasl.enabled.mechanisms": "GSSAPI",
                listener + "sasl.kerberos.service.name": "kafka",
                listener + "gssapi.sasl.jaas.config": "com.sun.security.auth.module.Krb5LoginModule required "
                f'useKeyTab=true storeKey=true keyTab="{service}" principal="kafka/127.0.0.1@{REALM}";',
                "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
                "super.users": "User:ANONYMOUS;User:reader",
                "allow.everyone.if.no.acl.found": "false",
            },
        )
        try:
            cluster.tool("topics", "--create", "--topic", "orders", "--partitions", "2", "--replication-factor", "1")
            yield Realm(cluster, found, reader, home)
        finally:
            cluster.stop()


@pytest.mark.slow
@pytest.mark.kafka
def test_a_keytab_and_a_ticket_let_in(realm: Realm) -> None:
    """A keytab in the settings, and as Java's file has it; the ticket, and the keytab, of who runs Reseat."""
    java = "com.sun.security.auth.module.Krb5LoginModule required useKeyTab=true"
    by_keytab = [f"sasl.kerberos.keytab={realm.keytab}", "sasl.kerberos.principal=reader"]
    by_java = f'sasl.jaas.config={java} keyTab="{realm.keytab}" principal="reader@{REALM}";'
    ticket = realm.kdc.ticket("reader", realm.keytab)

    assert realm.topics(*by_keytab) == ["orders"]
    assert realm.topics(by_java) == ["orders"]
    assert realm.topics(KRB5CCNAME=f"FILE:{ticket}") == ["orders"]
    assert realm.topics(KRB5_CLIENT_KTNAME=str(realm.keytab), KRB5CCNAME=f"FILE:{realm.home / 'own'}") == ["orders"]


#: Two logins of one client with four seconds between them, as a broker's that was restarted.
_TWICE = """
import sys, time
from kafka.net.sasl import get_sasl_mechanism
from reseat.sources.connection import Connection
from reseat.sources.kafka_admin.security import sasl_settings
there = Connection(security_protocol="SASL_PLAINTEXT", sasl_mechanism="GSSAPI", kerberos_keytab=sys.argv[1])
settings = sasl_settings(there)
for pause in (0, 4):
    time.sleep(pause)
    print(len(get_sasl_mechanism("GSSAPI")(host="127.0.0.1", **settings).auth_bytes()) > 100)
"""


@pytest.mark.slow
@pytest.mark.kafka
def test_a_client_that_lives_longer_than_a_ticket_gets_another(realm: Realm) -> None:
    """A run takes hours, and logs in anew whenever a broker was away: the keytab is asked again."""
    short = realm.home / "short.conf"
    short.write_text(realm.kdc.settings.read_text().replace("[libdefaults]", "[libdefaults]\nticket_lifetime = 3s"))
    given = {**os.environ, **realm.kdc.environment, "PYTHONPATH": f"{ROOT}:{library()}", "KRB5_CONFIG": str(short)}
    words = [sys.executable, "-c", _TWICE, str(realm.keytab)]
    done = subprocess.run(words, env=given, capture_output=True, text=True, check=False)

    assert done.stdout.split() == ["True", "True"], done.stderr


@pytest.mark.slow
@pytest.mark.kafka
def test_the_broker_knows_who_came(realm: Realm) -> None:
    """As somebody else in the same keytab no topic is seen; the connection test names the principal and the rights."""
    (realm.home / "clusters.toml").write_text(
        f'[clusters.production]\nbootstrap = "{realm.cluster.listeners["KERBEROS"]}"\nsasl_mechanism = "GSSAPI"\n'
        f'security_protocol = "SASL_PLAINTEXT"\nkerberos_keytab = "{realm.keytab}"\nkerberos_principal = "limited"\n'
    )
    told = realm.run("doctor", RESEAT_CLUSTERS_FILE=str(realm.home / "clusters.toml")).stdout

    assert "Connected by Kerberos as limited." in told
    assert "DESCRIBE on Topic is missing" in told


@pytest.mark.slow
@pytest.mark.kafka
def test_what_is_wrong_is_said_in_words(realm: Realm) -> None:
    """No ticket, one that has expired, somebody whom the keytab lacks, a service that the KDC does not know, no KDC."""
    keytab = f"sasl.kerberos.keytab={realm.keytab}"
    old = realm.kdc.ticket("reader", realm.keytab, "1s")
    without = realm.topics()
    stranger = realm.topics(keytab, "sasl.kerberos.principal=stranger")
    service = realm.topics(keytab, "sasl.kerberos.service.name=broker")
    away = realm.home / "away.conf"
    away.write_text(realm.kdc.settings.read_text().replace("kdc = 127.0.0.1:", "kdc = 127.0.0.1:1\n#"))
    nobody = realm.topics(keytab, KRB5_CONFIG=str(away))
    expired = realm.topics(KRB5CCNAME=f"FILE:{old}")

    assert "There is no Kerberos ticket (" in without
    assert "Run kinit as the user that runs Reseat, or name a keytab in kerberos_keytab." in without
    assert "There is no Kerberos ticket for stranger (" in stranger
    assert f"Check that {realm.keytab} holds stranger (klist -k)" in stranger
    assert "broker/127.0.0.1@RESEAT.TEST not found in Kerberos database" in service
    assert "check kerberos_service" in service
    assert "Cannot contact any KDC for realm 'RESEAT.TEST'" in nobody
    assert "The Kerberos ticket has expired. Run kinit" in expired
