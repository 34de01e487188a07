"""Being let in by a real broker, or told in words why not: PLAIN, SCRAM, OAUTHBEARER, TLS, and wrong addresses."""

from __future__ import annotations

import base64
import logging
import re
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace

import pytest
from kafka import KafkaConsumer
from kafka.structs import OffsetAndMetadata, TopicPartition
from streamlit.testing.v1 import AppTest

from components.state import shared
from reseat.errors import ClusterUnreachable
from reseat.operate.journal.records import RunOptions
from reseat.operate.targets.admin import AdminTarget
from reseat.operate.targets.rights import Rights
from reseat.operate.targets.target import Election, Throttles
from reseat.sources.connection import Connection, Secret
from reseat.sources.diagnosis import StepOutcome, diagnose
from reseat.sources.followed import LiveClusters
from reseat.sources.kafka_admin import read_admin_cluster
from reseat.sources.kafka_admin.client import open_admin
from reseat.sources.kafka_admin.groups import ListedGroup
from reseat.sources.kafka_admin.groups.describing import described
from reseat.sources.kafka_admin.groups.reading import describe_group, list_groups
from tests.conftest import missing
from tests.operate import guarding
from tests.operate.live_cluster import refused
from tests.pages.conftest import APP, at_clusters, texts
from tests.servers import cluster as servers
from tests.servers.security import LISTENERS, Certificates, make_certificates, settings, unsecured_token

pytestmark = pytest.mark.kafka

PASSWORD = "planted-Secret-4711"
ALL = frozenset({"Create", "Alter", "Describe", "AlterConfigs"})


@dataclass
class Secured:
    cluster: servers.KafkaCluster
    certificates: Certificates

    def connection(self, listener: str, **choices: object) -> Connection:
        return replace(
            Connection(
                name="secured",
                bootstrap=(self.cluster.listeners[listener],),
                security_protocol=LISTENERS[listener].partition("@")[0],
                timeout_seconds=10.0,
            ),
            **choices,  # type: ignore[arg-type]
        )


@pytest.fixture(scope="module")
def secured(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Secured]:
    """One KRaft broker with every listener and one user for each mechanism."""
    reason = servers.missing()
    if reason:
        missing("kafka", reason)
    directory = tmp_path_factory.mktemp("secured")
    certificates = make_certificates(directory / "pem")
    cluster = servers.start(
        "kraft-4.1",
        directory / "cluster",
        {1: "r1"},
        listeners=LISTENERS,
        **settings(directory / "pem", dict.fromkeys(("reader", "limited", "least", *RIGHTS, *OPERATORS), PASSWORD)),
        **{
            "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
            "super.users": "User:ANONYMOUS;User:reader;User:nobody",
            "allow.everyone.if.no.acl.found": "false",
        },
    )
    try:
        for bits in (256, 512):  # Kafka does not take both in one request
            scram = f"SCRAM-SHA-{bits}=[iterations=4096,password={PASSWORD}]"
            cluster.tool(
                "configs", "--alter", "--entity-type", "users", "--entity-name", "reader", "--add-config", scram
            )
        cluster.tool("topics", "--create", "--topic", "orders", "--partitions", "2", "--replication-factor", "1")
        yield Secured(cluster, certificates)
    finally:
        cluster.stop()


@pytest.mark.parametrize("mechanism", ["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"])
def test_a_password_lets_in_and_a_wrong_one_is_named(secured: Secured, mechanism: str) -> None:
    """The right password reads the cluster; a wrong one is an authentication trouble that names user and server."""
    right = secured.connection("SASL", sasl_mechanism=mechanism, username="reader", password=Secret(PASSWORD))
    wrong = replace(right, password=Secret("not-the-one"))

    read = read_admin_cluster(right)
    with pytest.raises(ClusterUnreachable) as refused:
        read_admin_cluster(wrong)

    assert read.layout.topics == ("orders",)
    assert read.not_read == ()
    assert refused.value.reason == "authentication"
    assert "user 'reader'" in str(refused.value)
    assert secured.cluster.listeners["SASL"] in str(refused.value)


def test_a_token_lets_in_and_an_expired_one_is_refused(secured: Secured) -> None:
    """OAUTHBEARER with a token given, and with a command that prints one; an expired token is told as such."""
    given = secured.connection("SASL", sasl_mechanism="OAUTHBEARER", token=Secret(unsecured_token("reader")))
    printed = replace(given, token=None, token_command=(sys.executable, "-c", f"print('{unsecured_token('reader')}')"))

    topics = [read_admin_cluster(connection).layout.topics for connection in (given, printed)]
    with pytest.raises(ClusterUnreachable) as refused:
        open_admin(replace(given, token=Secret(unsecured_token("reader", -100))))

    assert topics == [("orders",), ("orders",)]
    assert refused.value.reason == "authentication"
    assert "invalid_token" in str(refused.value)


def test_tls_lets_in_by_certificate(secured: Secured) -> None:
    """TLS with a client's certificate, and TLS with a password, both read the cluster."""
    pem = secured.certificates
    by_certificate = secured.connection(
        "TLS", ca_file=str(pem.ca), cert_file=str(pem.client), key_file=str(pem.client_key)
    )
    by_password = secured.connection(
        "BOTH", ca_file=str(pem.ca), sasl_mechanism="PLAIN", username="reader", password=Secret(PASSWORD)
    )

    assert [broker.id for broker in read_admin_cluster(by_certificate).layout.brokers] == [1]
    assert read_admin_cluster(by_password).layout.topics == ("orders",)


def test_who_may_see_little_reads_what_he_may(secured: Secured) -> None:
    """A user without permissions gets the brokers, and a sentence for each part that needs a permission."""
    limited = secured.connection("SASL", sasl_mechanism="PLAIN", username="limited", password=Secret(PASSWORD))

    read = read_admin_cluster(limited)

    assert [broker.id for broker in read.layout.brokers] == [1]
    assert read.not_read == (
        "The quorum's leader is unknown: DESCRIBE on CLUSTER is needed.",
        "Reassignments in progress are unknown: DESCRIBE on CLUSTER is needed.",
        "Configurations of broker 1 are unknown: DESCRIBE_CONFIGS on CLUSTER is needed.",
        "Sizes and log directories of broker 1 are unknown: DESCRIBE on CLUSTER is needed.",
        "No topic is shown: there is none, or DESCRIBE on TOPIC is needed.",
    )


def test_groups_that_a_user_may_not_see_are_not_taken_for_none(secured: Secured) -> None:
    """Kafka leaves them out of its list without a word, so that both are said of one that is asked for."""
    reader = KafkaConsumer(bootstrap_servers=secured.cluster.bootstrap, group_id="hidden", enable_auto_commit=False)
    reader.assign([TopicPartition("orders", 0)])
    reader.commit({TopicPartition("orders", 0): OffsetAndMetadata(0, "", -1)})
    reader.close()
    limited = secured.connection("SASL", sasl_mechanism="PLAIN", username="limited", password=Secret(PASSWORD))
    with open_admin(replace(limited, username="reader")) as admin:
        assert [group.name for group in list_groups(admin).groups] == ["hidden"]
        assert describe_group(admin, "hidden").state == "Empty"
    with open_admin(limited) as admin:
        assert list_groups(admin).groups == ()
        with pytest.raises(ClusterUnreachable, match="or this user lacks DESCRIBE on it"):
            describe_group(admin, "hidden")
        with pytest.raises(ClusterUnreachable, match="GROUP_AUTHORIZATION_FAILED") as denied:
            described(admin, ListedGroup("hidden", "consumer", "Stable", "consumer", 1))
        assert denied.value.reason == "authorization"


#: The rights of *Required ACLs* on Clusters, by a user who has all but that one: (operation, resource) of Kafka's tool,
#: and how the reading and the connection test name it.
RIGHTS = {
    "no-reassignments": (("Describe", ("--cluster",)), "DESCRIBE on CLUSTER", "DESCRIBE on Cluster"),
    "no-brokers": (("DescribeConfigs", ("--cluster",)), "DESCRIBE_CONFIGS on CLUSTER", "DESCRIBE_CONFIGS on Cluster"),
    "no-topics": (("Describe", ("--topic", "*")), "DESCRIBE on TOPIC", "DESCRIBE on Topic"),
    "no-settings": (("DescribeConfigs", ("--topic", "*")), "DESCRIBE_CONFIGS on TOPIC", "DESCRIBE_CONFIGS on Topic"),
}
#: What executing takes beside the rights to read, by an operator who has all but that one; and how it is named.
EXECUTING = {
    "no-alter": (("Alter", ("--cluster",)), "Alter on the cluster"),
    "no-throttles": (("AlterConfigs", ("--cluster",)), "AlterConfigs on the cluster"),
    "no-topic-throttles": (("AlterConfigs", ("--topic", "*")), "AlterConfigs on topic orders"),
    "no-topics-seen": (("Describe", ("--topic", "*")), "Describe on topic orders"),
    "no-new-topics": (("Create", ("--cluster",)), "Create on the cluster"),
}


OPERATORS = ("operator", *EXECUTING)


@pytest.fixture(scope="module")
def granted(secured: Secured) -> Secured:
    """The cluster with the documented rights given to who has all of them and to those who lack one."""
    given = {right: {"least", *RIGHTS, *OPERATORS} - {lacking} for lacking, (right, _, _) in RIGHTS.items()}
    for lacking, (right, _) in EXECUTING.items():
        given[right] = (given[right] if right in given else set(OPERATORS)) - {lacking}
    for (operation, resource), names in given.items():
        users = [word for name in sorted(names) for word in ("--allow-principal", f"User:{name}")]
        secured.cluster.tool("acls", "--add", "--operation", operation, *resource, *users)
    return secured


def as_user(secured: Secured, name: str) -> Connection:
    """Who signs in by that name."""
    return secured.connection("SASL", sasl_mechanism="PLAIN", username=name, password=Secret(PASSWORD))


def rights_of(connection: Connection) -> tuple[StepOutcome, str]:
    """What the connection test says of the rights."""
    return next((step.outcome, step.sentence) for step in diagnose(connection) if step.name == "Rights")


def test_the_rights_that_are_documented_are_enough(granted: Secured) -> None:
    """All is read and nothing is missing, without a right to write, create or read records."""
    read = read_admin_cluster(as_user(granted, "least"))

    assert read.not_read == ()
    assert set(read.layout.topics) - {"__consumer_offsets"} == {"orders"}  # the first is there once a group was
    assert rights_of(as_user(granted, "least"))[0] is StepOutcome.PASSED


@pytest.mark.parametrize("name", RIGHTS)
def test_with_one_right_fewer_that_one_is_named(granted: Secured, name: str) -> None:
    """By the reading, in the sentence of what it could not read, and by the connection test; no other right is."""
    _, read_word, tested_word = RIGHTS[name]
    missing_there = " ".join(read_admin_cluster(as_user(granted, name)).not_read)
    outcome, missing_here = rights_of(as_user(granted, name))

    assert outcome is StepOutcome.WARNED
    for other, (_, read_other, tested_other) in RIGHTS.items():
        assert (f"{read_other} is needed" in missing_there) == (other == name), missing_there
        assert (tested_other in missing_here) == (other == name), missing_here
    assert read_word in missing_there
    assert tested_word in missing_here


@pytest.mark.parametrize(
    "name", ["least", "no-reassignments", *(pytest.param(name, marks=pytest.mark.slow) for name in list(RIGHTS)[1:])]
)
def test_every_page_works_and_names_the_right_that_is_missing(
    granted: Secured, name: str, monkeypatch: pytest.MonkeyPatch, app_tests: None
) -> None:
    """On the same broker, by the dashboard: nothing breaks; each page about the cluster names that one and no other."""
    clusters = LiveClusters()
    monkeypatch.setattr(shared, "live_clusters", lambda: clusters)
    told = {"BOOTSTRAP": granted.cluster.listeners["SASL"], "SECURITY_PROTOCOL": "SASL_PLAINTEXT"}
    told |= {"SASL_MECHANISM": "PLAIN", "USERNAME": name, "PASSWORD": PASSWORD}
    for key, value in told.items():
        monkeypatch.setenv(f"RESEAT_CLUSTER_SECURED_{key}", value)
    app = at_clusters(AppTest.from_file(str(APP), default_timeout=60), "live")
    app.button(key="connect-read").click().run()
    cluster = clusters.find("secured")
    assert cluster is not None
    assert cluster.wait(60)
    app.run()

    about = set()
    for page in sorted((APP.parent / "pages").glob("[a-z]*.py")):
        at = app.switch_page(f"pages/{page.name}").run()
        strip = [one.proto.popover.label for one in at.get("popover") if "quality" in one.proto.id]
        assert not at.exception, (page.name, at.exception)
        assert PASSWORD not in texts(at)
        for lacking, (_, right, _) in RIGHTS.items():
            assert (f"{right} is needed" in texts(at)) == (bool(strip) and lacking == name), (page.name, right)
            assert any(f"{right} needed" in label for label in strip) == (bool(strip) and lacking == name), page.name
        about |= {page.stem} if strip else set()

    assert about >= {"overview", "racks", "heatmap", "leaders", "resilience", "plan", "operate", "new_topic", "report"}


@pytest.mark.parametrize("name", OPERATORS)
def test_executing_with_one_right_fewer_names_that_one(granted: Secured, name: str) -> None:
    """A write is refused to who lacks its right and nobody else; the guard names it before anything is sent."""
    lacks = EXECUTING[name][1] if name in EXECUTING else ""
    there = guarding.layout({("orders", 0): [2], ("orders", 1): [2]})
    plan = guarding.sealed({("orders", 0): [1], ("orders", 1): [1]}, made_for=there)
    with closing(AdminTarget(as_user(granted, name))) as target:
        writes: dict[str, Callable[[], object]] = {
            "Alter on the cluster": lambda: target.reassign({("orders", 0): [1]}),
            "AlterConfigs on the cluster": lambda: target.set_throttles(Throttles(leader_rate={1: "1000"})),
            "AlterConfigs on topic orders": lambda: target.set_throttles(Throttles(leader_replicas={"orders": "0:1"})),
            "Describe on topic orders": lambda: target.assignments([("orders", 0)]),
            "Create on the cluster": lambda: target.create_topic(f"made-by-{name}", {0: [1]}, {}),
        }
        said = {right: refused(write) for right, write in writes.items()}
        elected = refused(lambda: target.elect(Election.PREFERRED, [("orders", 0)]))
        rights = target.rights(["orders"])
    request = guarding.request(plan, options=RunOptions(throttle=1_000_000))
    found = guarding.judged("rights_suffice", request, rights=rights)

    assert [right for right, error in said.items() if error is not None] == ([lacks] if lacks else [])
    assert all(f"do that: {right}" in error.sentence for right, error in said.items() if error is not None)
    assert (elected is not None) == (name == "no-alter")
    assert found.stops == (name not in ("operator", "no-new-topics"))
    if found.stops:
        assert lacks.replace("on topic orders", "on 1 topic of the plan") in found.sentence


def test_where_nobody_asks_for_rights_all_are_there(secured: Secured) -> None:
    """Who may do everything, and what is not told: a topic that is gone."""
    with closing(AdminTarget(as_user(secured, "reader"))) as target:
        rights = target.rights(["orders", "gone"])

    assert rights == Rights(ALL, {"orders": ALL})


def _troubles() -> list[tuple[str, str, dict[str, object], str]]:
    sasl: dict[str, object] = {"sasl_mechanism": "PLAIN", "username": "reader", "password": Secret(PASSWORD)}
    return [
        ("TLS", "tls", {"ca_file": "{other_ca}"}, "not accepted"),
        ("TLS", "tls", {"ca_file": "{ca}"}, "certificate"),
        ("TLS", "tls", {"security_protocol": "PLAINTEXT"}, "speaks TLS"),
        ("BOTH", "tls", {"security_protocol": "SASL_PLAINTEXT", **sasl}, "speaks TLS"),
        ("BOTH", "authentication", {"security_protocol": "SSL", "ca_file": "{ca}"}, "requires a login"),
        ("SASL", "authentication", {"security_protocol": "PLAINTEXT"}, "requires a login"),
        ("SASL", "tls", {"security_protocol": "SSL", "ca_file": "{ca}"}, "does not speak TLS"),
        ("SASL", "configuration", {"sasl_mechanism": "NTLM"}, "must be one of PLAIN"),
        ("ASTRAY", "listener", {}, "nowhere.invalid"),
        ("ASTRAY", "authentication", {"security_protocol": "SASL_PLAINTEXT", **sasl}, "does not ask for SASL"),
    ]


@pytest.mark.parametrize(("listener", "trouble", "choices", "words"), _troubles())
def test_what_is_wrong_is_said(
    secured: Secured, listener: str, trouble: str, choices: dict[str, object], words: str
) -> None:
    """Each way of getting it wrong has its slug and its words, well within the timeout."""
    pem = secured.certificates
    files = {"{ca}": str(pem.ca), "{other_ca}": str(pem.other_ca)}
    chosen = {name: files.get(value, value) if isinstance(value, str) else value for name, value in choices.items()}

    with pytest.raises(ClusterUnreachable) as refused:
        open_admin(secured.connection(listener, **chosen))

    assert (refused.value.reason, words in str(refused.value)) == (trouble, True), str(refused.value)


def test_a_controllers_port_is_named(secured: Secured) -> None:
    """A KRaft controller answers, and has no metadata for clients: that it is the wrong port is said."""
    written = (secured.cluster.directory / "broker-1.properties").read_text()
    found = re.search(r"CONTROLLER://([^\s,]+)", written)
    assert found is not None

    with pytest.raises(ClusterUnreachable, match="controller's port") as refused:
        open_admin(Connection(bootstrap=(found.group(1),), timeout_seconds=10.0))

    assert refused.value.reason == "listener"


def test_a_secret_is_nowhere(secured: Secured, caplog: pytest.LogCaptureFixture) -> None:
    """At DEBUG, through success and failure, no password and no token is in a log record or a traceback."""
    caplog.set_level(logging.DEBUG)
    for name in list(logging.Logger.manager.loggerDict):
        if name.startswith("kafka"):
            logging.getLogger(name).setLevel(logging.DEBUG)
    token, expired = unsecured_token("reader"), unsecured_token("reader", -100)
    wrong = "planted-Wrong-0815"
    told: list[str] = []
    base = secured.connection("SASL")
    for choices in (
        {"sasl_mechanism": "PLAIN", "username": "reader", "password": Secret(PASSWORD)},
        {"sasl_mechanism": "PLAIN", "username": "reader", "password": Secret(wrong)},
        {"sasl_mechanism": "SCRAM-SHA-256", "username": "reader", "password": Secret(PASSWORD)},
        {"sasl_mechanism": "SCRAM-SHA-512", "username": "reader", "password": Secret(wrong)},
        {"sasl_mechanism": "OAUTHBEARER", "token": Secret(token)},
        {"sasl_mechanism": "OAUTHBEARER", "token": Secret(expired)},
        {"sasl_mechanism": "OAUTHBEARER", "token": Secret(PASSWORD + " ")},
        {"sasl_mechanism": "OAUTHBEARER", "token_command": (sys.executable, "-c", f"raise SystemExit('{wrong}')")},
    ):
        connection = replace(base, **choices)  # type: ignore[arg-type]
        told.append(repr(connection) if "token_command" not in choices else "")
        try:
            told.append(repr(read_admin_cluster(connection)))
        except ClusterUnreachable as error:
            told += [repr(error), str(error), "".join(traceback.format_exception(error))]
            told += [repr(error.__cause__), repr(error.__context__)]
    everything = "\n".join([caplog.text, *(repr(record.args) for record in caplog.records), *told])

    assert any(record.name.startswith("kafka.") for record in caplog.records)
    for secret in (PASSWORD, wrong, token, expired):
        assert secret not in everything
        assert base64.b64encode(secret.encode()).decode() not in everything
