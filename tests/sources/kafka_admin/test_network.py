"""What is used of kafka-python's insides: one module does so, and each part is there."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path
from textwrap import dedent

import pytest
from kafka.net.connection import KafkaConnection
from kafka.net.manager import KafkaConnectionManager
from kafka.net.sasl.gssapi import SaslMechanismGSSAPI
from kafka.net.selector import NetworkSelector
from kafka.net.transport import KafkaSSLTransport, KafkaTCPTransport

ROOT = Path(__file__).parents[3]
CORE = ROOT / "reseat"
NETWORK = CORE / "sources" / "kafka_admin" / "network.py"

#: The private parts that are used: attributes that instances get, and methods that are overridden or called.
ATTRIBUTES = {
    "_conns": KafkaConnectionManager,
    "_auth_failures": KafkaConnectionManager,
    "_net": KafkaConnectionManager,
    "_sock": KafkaSSLTransport,
}
METHODS = {
    "_build_transport": (KafkaConnectionManager, ["self", "node", "timeout_at"]),
    "_sock_recv": (KafkaTCPTransport, ["self"]),
}
#: What has no underscore and no documentation either: whose it is, and its name.
UNDOCUMENTED = {
    KafkaConnectionManager: (
        "config", "connection_delay", "get_connection", "reset_backoff", "ssl_enabled", "wait_for", "close", "cluster",
        "broker_version", "broker_version_data",
    ),
    KafkaConnection: (
        "broker_version_data", "closed", "connected", "in_flight_requests", "init_future", "node_id", "paused",
        "send_request", "close",
    ),
    NetworkSelector: (
        "start", "stop", "close", "sleep", "call_soon_threadsafe", "call_at", "cancel", "wait_read", "wait_write",
    ),
}  # fmt: skip


def _set_by(kind: type) -> set[str]:
    """Names that the constructors of a class and its bases give to an instance."""
    found: set[str] = set()
    for one in kind.__mro__[:-1]:
        if "__init__" in vars(one):
            tree = ast.parse(dedent(inspect.getsource(vars(one)["__init__"])))
            found |= {
                node.attr
                for node in ast.walk(tree)
                if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
            }
    return found


@pytest.mark.parametrize("name", ATTRIBUTES)
def test_each_private_attribute_is_given_to_its_instances(name: str) -> None:
    """A kafka-python that keeps it elsewhere is seen here, and not by a cluster that cannot be read."""
    assert name in _set_by(ATTRIBUTES[name])


@pytest.mark.parametrize("name", METHODS)
def test_each_private_method_is_called_as_ours_is_defined(name: str) -> None:
    """What is overridden is still there, with the parameters that ours takes."""
    kind, parameters = METHODS[name]

    assert list(inspect.signature(getattr(kind, name)).parameters) == parameters


@pytest.mark.parametrize("kind", UNDOCUMENTED, ids=lambda kind: kind.__name__)
def test_what_is_undocumented_is_there(kind: type) -> None:
    """Methods, properties and attributes of kafka-python's network layer that are used."""
    missing = [name for name in UNDOCUMENTED[kind] if not hasattr(kind, name) and name not in _set_by(kind)]

    assert not missing


def test_what_a_kerberos_login_sets_is_what_kafka_python_reads() -> None:
    """Ours begins a login with its own credentials, in the place of a constructor that sets the same names."""
    begun = {"_is_done", "_is_authenticated", "auth_id", "gssapi_name", "_client_ctx", "_next_token"}

    assert _set_by(SaslMechanismGSSAPI) == begun


def test_the_network_alone_reaches_into_kafka_python_and_each_part_is_named() -> None:
    """The private names in the module are those above and its own; no other module of the core has one of them."""
    used = set[str]()
    for node in ast.walk(ast.parse(NETWORK.read_text())):
        if isinstance(node, ast.Attribute) and node.attr.startswith("_") and not node.attr.startswith("__"):
            used.add(node.attr)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and node.name.startswith("_"):
            used |= {node.name} & set(METHODS)
    assert used - {"_manager"} == {*ATTRIBUTES, *METHODS}

    for file in CORE.rglob("*.py"):
        if file == NETWORK:
            continue
        text = file.read_text()
        if "kafka.net" not in text and "kafka_admin" not in file.parts:
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(("kafka.net", "kafka.future")):
                assert (file.name, node.module) in {
                    ("sockets.py", "kafka.net.selector"),
                    ("sockets.py", "kafka.future"),
                    ("security.py", "kafka.net.sasl.oauth"),
                    ("kerberos.py", "kafka.net.sasl"),
                    ("kerberos.py", "kafka.net.sasl.gssapi"),
                }, file
            if isinstance(node, ast.Attribute) and not (isinstance(node.value, ast.Name) and node.value.id == "self"):
                assert node.attr not in {*ATTRIBUTES, *METHODS}, f"{file}: {node.attr}"
