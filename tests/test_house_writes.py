"""Nobody outside reseat/operate can write to a cluster: held over the syntax trees of everything else.

ZooKeeper: no call of a method with which kazoo writes, in any file that has to do with kazoo; and the client that may
write is opened by ``operate`` alone. Kafka: of the protocol's requests only those that ask, by a list of what asks;
metadata requests, which may create topics, say that they must not.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
OUTSIDE = sorted(
    file
    for place in ("app.py", "components", "pages", "reseat")
    for file in ((ROOT / place).rglob("*.py") if (ROOT / place).is_dir() else [ROOT / place])
    if not file.is_relative_to(ROOT / "reseat" / "operate")
)
#: What writes, by the name of kazoo's method. ``set`` with arguments; without any it is an event's.
KAZOO_WRITES = frozenset(
    f"{name}{suffix}"
    for name in ("create", "delete", "ensure_path", "reconfig", "set", "set_acls", "transaction", "commit", "set_data")
    for suffix in ("", "_async")
)
#: Requests of Kafka's protocol that change nothing.
KAFKA_ASKS = frozenset(
    {
        "ApiVersionsRequest",
        "DescribeClusterRequest",
        "DescribeConfigsRequest",
        "DescribeGroupsRequest",
        "DescribeLogDirsRequest",
        "DescribeQuorumRequest",
        "DescribeTopicPartitionsRequest",
        "FetchRequest",  # at the end of a log, for its high watermark: no record comes, and nothing changes
        "ListGroupsRequest",
        "ListOffsetsRequest",
        "ListPartitionReassignmentsRequest",
        "MetadataRequest",
        "OffsetFetchRequest",
        "SaslAuthenticateRequest",
        "SaslHandshakeRequest",
        "TopicRequest",  # a part of DescribeTopicPartitionsRequest
    }
)
#: Clients of kafka-python that would offer writing methods.
KAFKA_CLIENTS = frozenset({"KafkaAdminClient", "KafkaProducer", "KafkaConsumer"})
#: The module that opens the client which may write, and what it is called.
WRITING_CLIENT = ("reseat/sources/zookeeper/client.py", "open_client")


def imports(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """(module, name) of everything imported; the name is empty where a module is."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            yield from ((node.module or "", alias.name) for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)


def of_package(module: str, *packages: str) -> bool:
    """Whether a module is one of these packages or lies in one."""
    return any(module == package or module.startswith(f"{package}.") for package in packages)


def kazoo_writes(tree: ast.AST) -> list[str]:
    """Calls with which kazoo would write, in a file that has to do with kazoo, with their lines."""
    if not any(of_package(module, "kazoo", "reseat.sources.zookeeper") for module, _ in imports(tree)):
        return []
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in KAZOO_WRITES - {"set"}:
            found.append(f"line {node.lineno}: .{node.attr}")
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "set":
            found += [f"line {node.lineno}: .set"] if node.args or node.keywords else []
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in KAZOO_WRITES - {"set"}:
            found.append(f"line {node.lineno}: {node.value!r}, perhaps for getattr")
    return found


def kafka_writes(tree: ast.AST) -> list[str]:
    """Names of Kafka's protocol that do not only ask, and metadata requests that may create topics."""
    names = [(name, 0) for module, name in imports(tree) if of_package(module, "kafka")]
    speaks_kafka = bool(names) or any(of_package(module, "kafka") for module, _ in imports(tree))
    if speaks_kafka:
        names += [(node.attr, node.lineno) for node in ast.walk(tree) if isinstance(node, ast.Attribute)]
    found = [
        f"line {line}: {name}"
        for name, line in names
        if (name.endswith("Request") and name not in KAFKA_ASKS) or name in KAFKA_CLIENTS
    ]
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "MetadataRequest":
            told = {keyword.arg: keyword.value for keyword in node.keywords}
            creates, topics = told.get("allow_auto_topic_creation"), told.get("topics")
            # A request for all topics names none that could be made.
            safe = [isinstance(creates, ast.Constant) and creates.value is False]
            safe.append(isinstance(topics, ast.Constant) and topics.value is None)
            if not any(safe):
                found.append(f"line {node.lineno}: a MetadataRequest that may create topics")
    return found


@pytest.mark.parametrize("file", OUTSIDE, ids=lambda file: file.relative_to(ROOT).as_posix())
def test_nothing_outside_operate_writes_to_a_cluster(file: Path) -> None:
    """No writing call of kazoo, no writing request of Kafka, and no client that may write."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    where, writing = WRITING_CLIENT
    opens = [
        f"{module}.{name}"
        for module, name in imports(tree)
        if name == writing and of_package(module, "reseat.sources.zookeeper")
    ]

    assert kazoo_writes(tree) == []
    assert kafka_writes(tree) == []
    assert opens == [] or file.relative_to(ROOT).as_posix() == where


@pytest.mark.parametrize(
    "text",
    [
        "from kazoo.client import KazooClient\nKazooClient().create('/a')",
        "import kazoo.client\nclient.set('/a', b'')",
        "from reseat.sources.zookeeper.client import open_reading_client as o\no(c).set_async('/a', b'')",
        "import kazoo\nwrite = client.delete\nwrite('/a')",
        "import kazoo\ngetattr(client, 'set_async')('/a', b'')",
        "import kazoo\nclient.transaction().commit()",
    ],
)
def test_what_writes_to_zookeeper_is_seen(text: str) -> None:
    """The scan finds calls, bound methods, names for getattr and transactions."""
    assert kazoo_writes(ast.parse(text))


@pytest.mark.parametrize(
    "text",
    [
        "from kafka.protocol.admin import AlterPartitionReassignmentsRequest",
        "import kafka.protocol.admin as a\na.ElectLeadersRequest()",
        "from kafka import KafkaAdminClient",
        "from kafka.protocol.metadata import MetadataRequest\nMetadataRequest(topics=names)",
        "from kafka.protocol.metadata import MetadataRequest\nMetadataRequest(allow_auto_topic_creation=True)",
    ],
)
def test_what_writes_to_kafka_is_seen(text: str) -> None:
    """The scan finds imports, attributes, whole clients, and requests that create topics on the way."""
    assert kafka_writes(ast.parse(text))


def test_events_and_questions_are_let_through() -> None:
    """Setting an event and asking are no writes."""
    assert not kazoo_writes(ast.parse("import kazoo\nevent.set()\nclient.get_async('/a')"))
    assert not kafka_writes(ast.parse("from kafka.protocol.admin import DescribeConfigsRequest"))
