"""Connections from names, options and Kafka's client files: what is taken, what is refused; no secret shows."""

from __future__ import annotations

import base64
import logging
import sys
import tomllib
import traceback
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reseat.errors import InputRefused
from reseat.sources.addresses import read_servers, read_zookeeper
from reseat.sources.configuration import (
    configured_connection,
    connection_from_options,
    connection_from_values,
    named_clusters,
)
from reseat.sources.connection import Connection, Secret
from reseat.sources.kafka_admin.security import TokenSource
from reseat.sources.properties import read_jaas, read_properties

PLANTED = "pl4nted-S3cret"
SCRAM = "org.apache.kafka.common.security.scram.ScramLoginModule"


def properties(tmp_path: Path, text: str) -> Path:
    """A client's properties in a file."""
    file = tmp_path / "client.properties"
    file.write_text(text, encoding="utf-8")
    return file


def of_file(file: Path) -> Connection:
    """The connection to b1:9092 that a file makes."""
    return connection_from_options(bootstrap="b1:9092", zookeeper=None, config=file)


# ---- addresses -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "servers"),
    [
        ("b1", ("b1:9092",)),
        ("b1:19092, b2.example.com:9092", ("b1:19092", "b2.example.com:9092")),
        ("[::1]:9092,[fe80::1]", ("[::1]:9092", "[fe80::1]:9092")),
        ("kafka_1:9092,kafka_1:9092", ("kafka_1:9092",)),
        ("10.0.0.1:9092\n10.0.0.2:9092", ("10.0.0.1:9092", "10.0.0.2:9092")),
    ],
)
def test_servers_as_people_write_them(text: str, servers: tuple[str, ...]) -> None:
    """Commas or blanks between, a port by default, IPv6 in brackets, once each."""
    assert read_servers(text) == servers


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "No server given"),
        ("b1:0", "from 1 to 65535"),
        ("b1:65536", "from 1 to 65535"),
        ("b1:http", "from 1 to 65535"),
        ("::1", "written [::1]:9092"),
        ("[::1", "IPv6 address in brackets"),
        ("[b1]:9092", "IPv6 address in brackets"),
        ("SASL_SSL://b1:9092", "without it"),
        ("https://b1", "without it"),
        ("b1/kafka:9092", "not a host name"),
        ("-b1:9092", "not a host name"),
        ("10.0.0.256:9092", "neither an IPv4 address"),
        ("b" * 400, "too long"),
    ],
)
def test_what_is_no_server_is_refused(text: str, words: str) -> None:
    """Each with what was expected."""
    with pytest.raises(InputRefused, match=words.replace("[", r"\[")):
        read_servers(text)


def test_a_password_in_an_address_is_not_repeated() -> None:
    """user:password@host is refused without being quoted."""
    with pytest.raises(InputRefused) as refusal:
        read_servers(f"alice:{PLANTED}@b1:9092")

    assert PLANTED not in str(refusal.value)


@pytest.mark.parametrize(
    ("text", "servers", "chroot"),
    [
        ("zk1,zk2:2182", ("zk1:2181", "zk2:2182"), ""),
        ("zk1:2181,zk2:2181/kafka", ("zk1:2181", "zk2:2181"), "/kafka"),
        ("zk1:2181/a/b/", ("zk1:2181",), "/a/b"),
        ("zk1:2181/", ("zk1:2181",), ""),
        ("[::1]:2181/kafka", ("[::1]:2181",), "/kafka"),
    ],
)
def test_zookeeper_with_its_chroot(text: str, servers: tuple[str, ...], chroot: str) -> None:
    """The chroot follows the last server."""
    assert read_zookeeper(text) == (servers, chroot)


@pytest.mark.parametrize("text", ["zk1/kafka,zk2/kafka", "zk1//kafka", "zk1/../kafka", "zk1/a\x00b", "zk://zk1:2181"])
def test_what_is_no_chroot_is_refused(text: str) -> None:
    """A chroot for each server, empty parts, dots, signs that cannot be seen."""
    with pytest.raises(InputRefused):
        read_zookeeper(text)


@given(st.text(max_size=60))
def test_whatever_is_typed_is_taken_or_refused(text: str) -> None:
    """Never another error; what is taken is host:port and is taken again unchanged."""
    for read in (read_servers, lambda typed: read_zookeeper(typed)[0]):
        try:
            servers = read(text)
        except InputRefused:
            continue
        assert read_servers(",".join(servers)) == servers
        assert all(1 <= int(server.rpartition(":")[2]) <= 65_535 for server in servers)


# ---- Kafka's client files ------------------------------------------------------------------------------------


def test_a_clients_properties_as_operators_have_them(tmp_path: Path) -> None:
    """Comments, continued lines, colons, quotes and escapes, and keys that only a producer needs."""
    text = (
        "# production\n! second\n\nsecurity.protocol = SASL_PLAINTEXT\nsasl.mechanism: SCRAM-SHA-512\n"
        f'sasl.jaas.config={SCRAM} required \\\n   username="alice" \\\n   password="a\\\\"b\\\\\\\\c=;#!\'";\n'
        "acks=all\nclient.id   x\nrequest.timeout.ms=5000\n"
    )
    connection = of_file(properties(tmp_path, text))

    assert (connection.security_protocol, connection.sasl_mechanism) == ("SASL_PLAINTEXT", "SCRAM-SHA-512")
    assert connection.username == "alice"
    assert connection.password == Secret("a\"b\\c=;#!'")
    assert connection.timeout_seconds == 5.0


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("sasl.mechanism=GSSAPI\nsasl.kerberos.service.name=broker\n", ("broker", None, None)),
        (
            "sasl.mechanism=GSSAPI\nsasl.kerberos.keytab={keytab}\nsasl.kerberos.principal=a@R\n",
            ("kafka", "{keytab}", "a@R"),
        ),
        (
            "sasl.kerberos.service.name=kafka\nsasl.kerberos.ticket.renew.jitter=0.05\nsasl.jaas.config="
            'com.sun.security.auth.module.Krb5LoginModule required useKeyTab=true keyTab="{keytab}" principal="a@R";\n',
            ("kafka", "{keytab}", "a@R"),
        ),
    ],
)
def test_kerberos_as_operators_have_it(tmp_path: Path, text: str, told: tuple[str | None, ...]) -> None:
    """Java's login module and librdkafka's keys; Java's says the mechanism, which is Kafka's own default."""
    keytab = tmp_path / "reader.keytab"
    keytab.write_bytes(b"\x05\x02")
    written = "security.protocol=SASL_PLAINTEXT\n" + text.replace("{keytab}", str(keytab))
    connection = of_file(properties(tmp_path, written))

    assert connection.sasl_mechanism == "GSSAPI"
    assert (connection.kerberos_service, connection.kerberos_keytab, connection.kerberos_principal) == tuple(
        str(keytab) if value == "{keytab}" else value for value in told
    )


def test_credentials_count_only_where_the_protocol_uses_them(tmp_path: Path) -> None:
    """As in Kafka: without SASL no user, without TLS no authority, even of a file that is not there."""
    text = (
        f'sasl.mechanism=PLAIN\nsasl.jaas.config=x.PlainLoginModule required username="a" password="{PLANTED}";\n'
        "ssl.truststore.location=/nowhere/ca.jks\n"
    )
    connection = of_file(properties(tmp_path, text))

    assert (connection.username, connection.password, connection.ca_file) == (None, None, None)


def test_stores_in_pem_are_taken_and_an_empty_algorithm_switches_names_off(tmp_path: Path) -> None:
    """Truststore: the authorities. Key store: key and certificate in one file."""
    ca, client = tmp_path / "ca.pem", tmp_path / "client.pem"
    ca.write_text("-----BEGIN CERTIFICATE-----\n")
    client.write_text("-----BEGIN PRIVATE KEY-----\n-----BEGIN CERTIFICATE-----\n")
    text = (
        f"security.protocol=SSL\nssl.truststore.type=PEM\nssl.truststore.location={ca}\nssl.keystore.type=PEM\n"
        f"ssl.keystore.location={client}\nssl.endpoint.identification.algorithm=\n"
    )
    connection = of_file(properties(tmp_path, text))

    assert (connection.ca_file, connection.cert_file, connection.key_file) == (str(ca), str(client), str(client))
    assert not connection.check_hostname


ZOOKEEPER_TLS = "zookeeper.connect=zk:2281\nzookeeper.ssl.client.enable=true\n"


@pytest.mark.parametrize(
    ("text", "checked"),
    [
        (ZOOKEEPER_TLS, True),
        (f"{ZOOKEEPER_TLS}zookeeper.ssl.endpoint.identification.algorithm=\n", False),
        (f"{ZOOKEEPER_TLS}zookeeper.ssl.endpoint.identification.algorithm=HTTPS\n", True),
        ("zookeeper.connect=zk:2181\nzookeeper.ssl.endpoint.identification.algorithm=\n", True),
        (
            f"{ZOOKEEPER_TLS}security.protocol=SSL\nzookeeper.ssl.endpoint.identification.algorithm=\n"
            "ssl.endpoint.identification.algorithm=\n",
            False,
        ),
    ],
)
def test_names_in_zookeepers_certificates_are_checked_unless_its_own_key_says_otherwise(
    tmp_path: Path, text: str, checked: bool
) -> None:
    """The key was taken and did nothing; without TLS to ZooKeeper it has none to do."""
    file = properties(tmp_path, text)
    assert connection_from_options(bootstrap=None, zookeeper=None, config=file).check_hostname is checked


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        (
            f"{ZOOKEEPER_TLS}security.protocol=SSL\nssl.endpoint.identification.algorithm=\n",
            4,
            "checked alike",
        ),
        (
            f"{ZOOKEEPER_TLS}security.protocol=SSL\nzookeeper.ssl.endpoint.identification.algorithm=\n",
            4,
            "checked alike",
        ),
        (f"{ZOOKEEPER_TLS}zookeeper.ssl.endpoint.identification.algorithm=rfc\n", 3, "https, or nothing"),
        ("security.protocol=SSL\nssl.truststore.location=/x/trust.jks\n", 2, "openssl pkcs12"),
        ("security.protocol=SSL\nssl.keystore.type=PKCS12\nssl.keystore.location=k.p12\n", 3, "PEM"),
        ("\n\nsasl.mechanisn=PLAIN\n", 3, "did you mean sasl.mechanism"),
        ("security.protocol=TLS\n", 1, "SASL_SSL"),
        ("security.protocol=SASL_SSL\nsasl.mechanism=NTLM\n", 2, "SCRAM-SHA-512"),
        ("request.timeout.ms=soon\n", 1, "milliseconds"),
        ("ssl.engine.factory.class=x\n", 1, "Java class"),
        ("client.id=a\\u12\n", 1, "hexadecimal"),
        ("sasl.mechanism=PLAIN\nsasl.jaas.config=x.PlainLoginModule required password=1\n", 2, "name="),
        ('sasl.jaas.config=x.PlainLoginModule required username="a" password="b"\n', 1, "semicolon"),
        ('sasl.jaas.config=x.PlainLoginModule required username="a;\n', 1, "not closed"),
        ('sasl.jaas.config=x.PlainLoginModule username="a";\n', 1, "required"),
        ("sasl.mechanism=PLAIN\nsasl.jaas.config=x.ScramLoginModule required;\n", 2, "does not go with"),
        ('sasl.jaas.config=com.sun.Krb5LoginModule required ticketCache="/tmp/x";\n', 1, "KRB5CCNAME"),
    ],
)
def test_what_cannot_be_used_is_refused_with_its_line(tmp_path: Path, text: str, line: int, words: str) -> None:
    """And with what to do instead."""
    file = properties(tmp_path, text)
    with pytest.raises(InputRefused, match=words.replace(".", r"\.")) as refusal:
        of_file(file)

    assert refusal.value.source == str(file)
    assert refusal.value.line == line


@pytest.mark.parametrize(
    "text",
    [
        f"sasl.jaas.config={SCRAM} required username=alice\npassword={PLANTED};\n",  # a continuation was forgotten
        f"security.protocol=SASL_SSL\n{PLANTED}\n",
        f"{PLANTED}=\n",
        f"sasl.jaas.config={SCRAM} required password={PLANTED}!;\n",
        f"sasl.jaas.config={PLANTED}\n",
        f"security.protocol=SASL_SSL\nsasl.mechanism=PLAIN\nsasl.password={PLANTED}\n",
    ],
)
def test_no_refusal_of_a_file_repeats_a_secret(tmp_path: Path, text: str, caplog: pytest.LogCaptureFixture) -> None:
    """Neither its sentence, nor what it was raised from, nor a log."""
    caplog.set_level(logging.DEBUG)
    with pytest.raises(InputRefused) as refusal:
        of_file(properties(tmp_path, text))

    assert PLANTED not in "".join(traceback.format_exception(refusal.value)) + repr(refusal.value) + caplog.text


@given(st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=30))
def test_any_password_comes_through_a_jaas_line(password: str) -> None:
    """Quoted as Kafka wants it, in properties as Java writes them."""
    quoted = password.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\r", "\\r")
    line = f'x.PlainLoginModule required username="a" password="{quoted}";'
    escaped = "".join(c if " " <= c <= "~" and c != "\\" else f"\\u{ord(c):04x}" for c in line if ord(c) < 0x10000)
    told = read_properties(f"sasl.jaas.config={escaped}".encode("ascii"), source="f")
    basic = "".join(c for c in password if ord(c) < 0x10000)

    assert read_jaas(told["sasl.jaas.config"].value, source="f").options.get("password") == basic


@given(st.binary(max_size=200))
def test_any_bytes_are_properties_or_refused(data: bytes) -> None:
    """Never another error."""
    try:
        told = read_properties(data, source="f")
    except InputRefused:
        return
    assert all(one.line >= 1 for one in told.values())


# ---- TOML and the environment --------------------------------------------------------------------------------


def test_named_clusters_of_tables_and_environment() -> None:
    """The environment adds clusters, and goes before the table of the same name."""
    secrets = {
        "clusters": {"prod-eu": {"bootstrap": ["b1:9092", "b2"], "timeout_seconds": 5}},
        "auth": {"client_secret": PLANTED},
    }
    found = named_clusters(
        secrets,
        {
            "RESEAT_CLUSTER_PROD_EU_TIMEOUT_SECONDS": "7.5",
            "RESEAT_CLUSTER_OLD_ZOOKEEPER": "zk1/kafka",
            "RESEAT_CLUSTER_OLD_ZOOKEEPER_SASL_USERNAME": "reader",
            "RESEAT_CLUSTER_OLD_ZOOKEEPER_SASL_PASSWORD": PLANTED,
            "PATH": "/bin",
        },
    ).connections

    assert found["prod-eu"].bootstrap == ("b1:9092", "b2:9092")
    assert found["prod-eu"].timeout_seconds == 7.5
    assert (found["old"].zookeeper, found["old"].chroot) == (("zk1:2181",), "/kafka")
    assert found["old"].zookeeper_sasl_password == Secret(PLANTED)
    assert PLANTED not in repr(found)


def test_a_file_of_clusters_is_named_by_the_environment(tmp_path: Path) -> None:
    """RESEAT_CLUSTERS_FILE; a fault in it has its line, and takes no other cluster away."""
    file = tmp_path / "clusters.toml"
    file.write_text('[clusters.a]\nbootstrap = "b1"\n\n[clusters.b]\nbootstrap = "b1"\nsecurity_protocol = "SLS"\n')
    named = named_clusters({"clusters": {"c": {"zookeeper": "zk1"}}}, {"RESEAT_CLUSTERS_FILE": str(file)})

    assert set(named.connections) == {"a", "c"}
    assert named.refused["b"].line == 6
    assert "security_protocol" in str(named.refused["b"])


@pytest.mark.parametrize(
    ("astray", "line"), [('[cluster.a]\nbootstrap = "b1"\n', 4), ('[access]\ngroups = ["ops"]\n', 4)]
)
def test_what_a_file_of_clusters_is_not_read_for_is_refused(tmp_path: Path, astray: str, line: int) -> None:
    """A slip in a name was a cluster less, without a word; rules of access were taken for said, and were not."""
    file = tmp_path / "clusters.toml"
    file.write_text(f'[clusters.b]\nbootstrap = "b1"\n\n{astray}')
    named = named_clusters(None, {"RESEAT_CLUSTERS_FILE": str(file)})

    assert list(named.connections) == ["b"]
    assert named.refused[str(file)].line == line
    assert "is not read here; only [clusters.NAME] was expected" in str(named.refused[str(file)])


def test_a_broken_file_is_refused_without_its_text(tmp_path: Path) -> None:
    """TOML that cannot be read: the line, and nothing of it."""
    file = tmp_path / "clusters.toml"
    file.write_text(f'[clusters.a]\nbootstrap = "b1"\npassword = {PLANTED}\n')
    with pytest.raises(InputRefused) as refusal:
        configured_connection("a", {"RESEAT_CLUSTERS_FILE": str(file)}, files=())

    assert refusal.value.line == 3
    assert PLANTED not in "".join(traceback.format_exception(refusal.value))


def test_a_file_that_is_nested_too_deep_is_refused(tmp_path: Path) -> None:
    """It was a fault of Reseat's own."""
    file = tmp_path / "clusters.toml"
    file.write_text(f"a = {'[' * 50_000}")

    with pytest.raises(InputRefused, match="not TOML"):
        configured_connection("a", {"RESEAT_CLUSTERS_FILE": str(file)}, files=())


def test_a_configured_cluster_by_its_name(tmp_path: Path) -> None:
    """The last file that has it; another one's fault is not told, an unknown name comes with those that there are."""
    home, here, away = tmp_path / "home.toml", tmp_path / "here.toml", tmp_path / "away.toml"
    home.write_text('[clusters.a]\nbootstrap = "b1"\n[clusters.b]\nbootstrap = "b2"\nsecurity_protocol = "SLS"\n')
    here.write_text('[clusters.a]\nbootstrap = "b3"\n')

    def asked(name: str) -> Connection:
        return configured_connection(name, {"RESEAT_CLUSTER_C_ZOOKEEPER": "zk1"}, files=(home, here, away))

    assert (asked("a").name, asked("a").bootstrap, asked("c").zookeeper) == ("a", ("b3:9092",), ("zk1:2181",))
    with pytest.raises(InputRefused, match="security_protocol") as refusal:
        asked("b")
    assert (refusal.value.source, refusal.value.line) == (str(home), 5)
    with pytest.raises(InputRefused, match=r"No cluster is called 'd' \(configured: a, c\)"):
        asked("d")
    with pytest.raises(InputRefused, match=r"No cluster is called 'd' \(no \[clusters.NAME\] in secrets.toml"):
        configured_connection("d", {}, files=(away,))


def test_options_choose_a_cluster_of_a_file_and_go_before_it(tmp_path: Path) -> None:
    """The table of that name, the only one, or the file's top."""
    file = tmp_path / "clusters.toml"
    file.write_text('[clusters.a]\nbootstrap = "a1"\n[clusters.b]\nzookeeper = "zk/k"\nbootstrap = "b1"\n')
    flat = tmp_path / "one.toml"
    flat.write_text('name = "one"\nbootstrap = "c1"\n')

    def option(**given: object) -> Connection:
        return connection_from_options(**{"bootstrap": None, "zookeeper": None, "config": file, **given})  # type: ignore[arg-type]

    assert option(name="b").chroot == "/k"
    assert option(name="b", bootstrap="x").zookeeper == ()
    assert option(name="a", zookeeper="zk").bootstrap == ("a1:9092",)
    assert (option(config=flat).name, option(config=flat).bootstrap) == ("one", ("c1:9092",))
    with pytest.raises(InputRefused, match="a, b"):
        option()


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({}, "No server"),
        ({"bootstrap": "b", "username": "a"}, "PLAINTEXT, which sends no credentials"),
        ({"bootstrap": "b", "security_protocol": "SASL_SSL"}, "needs a sasl_mechanism"),
        ({"bootstrap": "b", "security_protocol": "SASL_SSL", "sasl_mechanism": "PLAIN"}, "username and a password"),
        ({"bootstrap": "b", "security_protocol": "SASL_SSL", "sasl_mechanism": "OAUTHBEARER"}, "token_command"),
        ({"bootstrap": "b", "kerberos_principal": "a@R"}, "sasl_mechanism is not GSSAPI"),
        (
            {"bootstrap": "b", "security_protocol": "SASL_SSL", "sasl_mechanism": "GSSAPI", "password": PLANTED},
            "takes no username and no password",
        ),
        (
            {
                "bootstrap": "b",
                "security_protocol": "SASL_SSL",
                "sasl_mechanism": "GSSAPI",
                "kerberos_keytab": __file__,
            },
            "kerberos_keytab: the file is no keytab",
        ),
        ({"bootstrap": "b", "zookeeper_tls": True}, "no zookeeper server is"),
        ({"zookeeper": "z", "zookeeper_digest": PLANTED}, "user:password"),
        ({"zookeeper": "z", "zookeeper_sasl_password": PLANTED}, "go together"),
        ({"bootstrap": "b", "security_protocol": "SSL", "ca_file": "/nowhere/ca.pem"}, "ca_file: the file cannot be r"),
        # A slip in one key would otherwise connect in clear, or as nobody.
        ({"bootstrap": "b", "ca_file": __file__}, "security_protocol is PLAINTEXT, which has no TLS; SSL or"),
        (
            {
                "bootstrap": "b",
                "security_protocol": "SASL_PLAINTEXT",
                "sasl_mechanism": "PLAIN",
                "username": "u",
                "password": PLANTED,
                "cert_file": __file__,
            },
            "cert_file is given, but security_protocol is SASL_PLAINTEXT, which has no TLS; SASL_SSL",
        ),
        ({"zookeeper": "z", "key_password": PLANTED}, "key_password is given, but zookeeper_tls is not true"),
        (
            {
                "bootstrap": "b",
                "security_protocol": "SASL_SSL",
                "sasl_mechanism": "PLAIN",
                "username": "u",
                "password": PLANTED,
                "token_command": "give token",
            },
            "token_command is given, but sasl_mechanism is PLAIN",
        ),
        (
            {
                "bootstrap": "b",
                "security_protocol": "SASL_SSL",
                "sasl_mechanism": "OAUTHBEARER",
                "token": PLANTED,
                "password": PLANTED,
            },
            "OAUTHBEARER takes no username and no password",
        ),
        (
            {
                "bootstrap": "b",
                "security_protocol": "SASL_SSL",
                "sasl_mechanism": "OAUTHBEARER",
                "token": PLANTED,
                "token_command": "give token",
            },
            "token and token_command are both given",
        ),
        ({"bootstrap": "b", "timeout_seconds": 0}, "seconds"),
        ({"bootstrap": "b", "timeout_seconds": "nan"}, "seconds"),
        ({"bootstrap": "b", "check_hostname": "maybe"}, "true or false"),
        ({"bootstrap": 9092}, "bootstrap: a text"),
        ({"bootstrap": "b", "token_command": "a 'b"}, "not closed"),
        ({"bootstrap": "b", "passwrod": PLANTED}, "did you mean password"),
        ({"bootstrap": "b", "security.protocol": "SSL"}, "did you mean security_protocol"),
    ],
)
def test_values_that_do_not_go_are_refused_by_key(values: dict[str, object], words: str) -> None:
    """Each with what was expected, and never with a secret."""
    with pytest.raises(InputRefused, match=words) as refusal:
        connection_from_values(values, name="prod", source="secrets.toml")

    assert str(refusal.value).startswith("secrets.toml: Cluster prod: ")
    assert PLANTED not in str(refusal.value)


def test_what_stands_before_the_tables_of_clusters_is_refused(tmp_path: Path) -> None:
    """It is of no cluster: taken for all, it would leave a connection in clear. Of other programs there may be any."""
    file = tmp_path / "clusters.toml"
    file.write_text('theme = "dark"\nsecurity_protocol = "SSL"\n[clusters.shop]\nbootstrap = "b:9092"\n')
    with pytest.raises(InputRefused, match=r"security_protocol stands before \[clusters.NAME\]") as refusal:
        connection_from_options(bootstrap=None, zookeeper=None, config=file)
    assert refusal.value.line == 2

    file.write_text('theme = "dark"\n[clusters.shop]\nbootstrap = "b:9092"\n')
    assert connection_from_options(bootstrap=None, zookeeper=None, config=file).name == "shop"


def test_an_encrypted_key_needs_its_password(tmp_path: Path) -> None:
    """Otherwise OpenSSL would ask on the terminal, and wait."""
    file = tmp_path / "client.pem"
    file.write_text("-----BEGIN CERTIFICATE-----\n-----BEGIN ENCRYPTED PRIVATE KEY-----\n")
    values = {"bootstrap": "b", "security_protocol": "SSL", "cert_file": str(file)}
    with pytest.raises(InputRefused, match="encrypted"):
        connection_from_values(values)

    assert connection_from_values({**values, "key_password": PLANTED}).key_password == Secret(PLANTED)


def test_a_java_key_store_is_known_by_its_content(tmp_path: Path) -> None:
    """Named as PEM or not: JKS and PKCS12 are told apart from text, with how to convert them."""
    for magic in (b"\xfe\xed\xfe\xed\x00", b"\x30\x82\x01"):
        file = tmp_path / "ca.pem"
        file.write_bytes(magic)
        with pytest.raises(InputRefused, match="keytool -importkeystore"):
            connection_from_values({"bootstrap": "b", "security_protocol": "SSL", "ca_file": str(file)})


def test_the_token_command_that_is_documented_is_taken() -> None:
    """Amazon MSK's: a program and its two words, without a shell; a signed address in base64 is a token."""
    documents = Path(__file__).parent.parent.parent / "docs" / "serving.md"
    block = next(
        part.partition("```")[0] for part in documents.read_text().split("```toml\n")[1:] if "[clusters.msk]" in part
    )
    values = tomllib.loads(block)["clusters"]["msk"]
    connection = connection_from_values(values, name="msk", source="serving.md")
    signed = base64.urlsafe_b64encode(
        b"https://kafka.eu-central-1.amazonaws.com/?Action=kafka-cluster%3AConnect&X-Amz=1"
    )
    printing = (sys.executable, "-c", f"print({signed.decode().rstrip('=')!r})")

    assert connection.token_command[1] == "-c"
    assert "generate_auth_token" in connection.token_command[2]
    assert compile(connection.token_command[2], "token_command", "exec")
    assert TokenSource(None, printing).token() == signed.decode().rstrip("=")
