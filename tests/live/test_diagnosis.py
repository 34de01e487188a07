"""The test of a connection against a real broker's listeners, with an authorizer that lets nobody but itself in."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from reseat.sources.configuration import connection_from_values
from reseat.sources.diagnosis import DiagnosisStep, StepOutcome, diagnose
from tests.conftest import missing
from tests.servers import cluster as servers
from tests.servers import security

pytestmark = pytest.mark.kafka

PLANTED = "pl4nted-S3cret"


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[servers.KafkaCluster, security.Certificates]]:
    """A 4.1 broker with SASL and TLS listeners; alice may log in and see nothing."""
    reason = servers.missing()
    if reason is not None:
        missing("kafka", reason)
    folder = tmp_path_factory.mktemp("guarded")
    certificates = security.make_certificates(folder / "certificates")
    settings = security.settings(folder / "certificates", {"alice": PLANTED})
    settings["authorizer.class.name"] = "org.apache.kafka.metadata.authorizer.StandardAuthorizer"
    settings["super.users"] = "User:ANONYMOUS;User:broker"
    running = servers.start("kraft-4.1", folder / "cluster", {1: "a"}, listeners=security.LISTENERS, **settings)
    try:
        running.tool("topics", "--create", "--topic", "orders", "--partitions", "2", "--replication-factor", "1")
        yield running, certificates
    finally:
        running.stop()


def last(servers_: str, **values: object) -> DiagnosisStep:
    """The last step of a test; no sentence holds the password."""
    steps = diagnose(connection_from_values({"bootstrap": servers_, "timeout_seconds": 8, **values}))

    assert PLANTED not in " ".join(step.sentence for step in steps)
    return steps[-1]


def test_each_listener_by_the_wrong_and_the_right_settings(
    guarded: tuple[servers.KafkaCluster, security.Certificates],
) -> None:
    """Wrong: where to go instead. Right: in."""
    running, certificates = guarded
    alice = {"sasl_mechanism": "PLAIN", "username": "alice", "password": PLANTED}
    plain = last(running.bootstrap)
    login_wanted = last(running.listeners["SASL"])
    wrong_password = last(
        running.listeners["SASL"], security_protocol="SASL_PLAINTEXT", **{**alice, "password": f"{PLANTED}2"}
    )
    no_login_wanted = last(running.bootstrap, security_protocol="SASL_PLAINTEXT", **alice)
    tls_wanted = last(running.listeners["BOTH"], security_protocol="SASL_PLAINTEXT", **alice)
    no_tls_wanted = last(running.listeners["SASL"], security_protocol="SASL_SSL", ca_file=str(certificates.ca), **alice)
    astray = last(running.listeners["ASTRAY"])

    assert (plain.name, plain.outcome) == ("Rights", StepOutcome.PASSED)
    assert plain.sentence.startswith("1 topic can be seen")
    assert [step.reason for step in (login_wanted, wrong_password, no_login_wanted)] == ["authentication"] * 3
    assert "alice" in wrong_password.sentence
    assert (tls_wanted.reason, no_tls_wanted.reason) == ("listener", "listener")
    assert "SASL_SSL" in tls_wanted.sentence
    assert "SASL_PLAINTEXT" in no_tls_wanted.sentence
    assert (astray.name, astray.reason) == ("Advertised addresses", "listener")
    assert "nowhere.invalid" in astray.sentence


def test_who_may_see_nothing_is_told_which_right_is_missing(
    guarded: tuple[servers.KafkaCluster, security.Certificates],
) -> None:
    """Kafka hides the topics; the test says that it may be so."""
    running, _ = guarded
    step = last(
        running.listeners["SASL"],
        security_protocol="SASL_PLAINTEXT",
        sasl_mechanism="PLAIN",
        username="alice",
        password=PLANTED,
    )

    assert (step.name, step.outcome, step.reason) == ("Rights", StepOutcome.WARNED, "authorization")
    assert "DESCRIBE on Topic" in step.sentence
    assert "DESCRIBE on Cluster" in step.sentence
