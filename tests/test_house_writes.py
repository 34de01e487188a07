"""Nobody outside reseat/operate can write to a cluster: held over the syntax trees of everything else.

ZooKeeper: no call of a method with which kazoo writes, in any file that has to do with kazoo; and the client that may
write is opened by ``operate`` alone. Kafka: of the protocol's requests only those that ask, by a list of what asks;
metadata requests, which may create topics, say that they must not.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Iterator

import kafka.protocol.admin
import kafka.protocol.consumer
import kafka.protocol.metadata
import kafka.protocol.producer
import pytest

from tests.syntax import ROOT, files, nodes

OPERATE = ROOT / "reseat" / "operate"
#: The door for writing to ZooKeeper is made beside that for reading, since both connect alike; operate alone opens it.
KAZOO = ROOT / "reseat" / "sources" / "zookeeper"
OUTSIDE = [file for file in (ROOT / "app.py", *files()) if not file.is_relative_to(OPERATE)]
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
#: A request that asks, by its name; every other that kafka-python knows counts as writing, whatever file names it.
ASKING = re.compile(
    r"(Describe\w+|List\w+|Fetch|Metadata|ApiVersions|FindCoordinator|OffsetFetch|SaslHandshake|SaslAuthenticate)Request"
)
#: Clients of kafka-python that would offer writing methods.
KAFKA_CLIENTS = frozenset({"KafkaAdminClient", "KafkaProducer", "KafkaConsumer"})
#: What nobody else names: requests that may change something, clients that would send them, kazoo's writing methods.
WRITING_REQUESTS = {
    name
    for module in (kafka.protocol.admin, kafka.protocol.consumer, kafka.protocol.metadata, kafka.protocol.producer)
    for name in vars(module)
    if name.endswith("Request") and not ASKING.fullmatch(name)
} | KAFKA_CLIENTS
WRITING_METHODS = re.compile(
    r"(create|set|delete|set_acls|ensure_path|reconfig|commit)_async|ensure_path|set_acls|set_data|transaction|open_client"
    r"|TransactionRequest|reconfig"
)
#: The module that opens the client which may write, and what it is called.
WRITING_CLIENT = ("reseat/sources/zookeeper/client.py", "open_client")


def imports(code: Iterable[ast.AST]) -> Iterator[tuple[str, str]]:
    """(module, name) of everything imported; the name is empty where a module is."""
    for node in code:
        if isinstance(node, ast.ImportFrom):
            yield from ((node.module or "", alias.name) for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)


def of_package(module: str, *packages: str) -> bool:
    """Whether a module is one of these packages or lies in one."""
    return any(module == package or module.startswith(f"{package}.") for package in packages)


def kazoo_writes(code: Collection[ast.AST]) -> list[str]:
    """Calls with which kazoo would write, in a file that has to do with kazoo, with their lines."""
    if not any(of_package(module, "kazoo", "reseat.sources.zookeeper") for module, _ in imports(code)):
        return []
    found = []
    for node in code:
        if isinstance(node, ast.Attribute) and node.attr in KAZOO_WRITES - {"set"}:
            found.append(f"line {node.lineno}: .{node.attr}")
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "set":
            found += [f"line {node.lineno}: .set"] if node.args or node.keywords else []
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in KAZOO_WRITES - {"set"}:
            found.append(f"line {node.lineno}: {node.value!r}, perhaps for getattr")
    return found


def kafka_writes(code: Collection[ast.AST]) -> list[str]:
    """Names of Kafka's protocol that do not only ask, and metadata requests that may create topics."""
    names = [(name, 0) for module, name in imports(code) if of_package(module, "kafka")]
    speaks_kafka = bool(names) or any(of_package(module, "kafka") for module, _ in imports(code))
    if speaks_kafka:
        names += [(node.attr, node.lineno) for node in code if isinstance(node, ast.Attribute)]
    found = [
        f"line {line}: {name}"
        for name, line in names
        if (name.endswith("Request") and name not in KAFKA_ASKS) or name in KAFKA_CLIENTS
    ]
    for node in code:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "MetadataRequest":
            told = {keyword.arg: keyword.value for keyword in node.keywords}
            creates, topics = told.get("allow_auto_topic_creation"), told.get("topics")
            # A request for all topics names none that could be made.
            safe = [isinstance(creates, ast.Constant) and creates.value is False]
            safe.append(isinstance(topics, ast.Constant) and topics.value is None)
            if not any(safe):
                found.append(f"line {node.lineno}: a MetadataRequest that may create topics")
    return found


def names_in(code: Iterable[ast.AST]) -> set[str]:
    """Every name, attribute and imported name of a file."""
    found: set[str] = set()
    for node in code:
        if isinstance(node, ast.Name):
            found.add(node.id)
        elif isinstance(node, ast.Attribute):
            found.add(node.attr)
        elif isinstance(node, ast.ImportFrom | ast.Import):
            found |= {alias.name.rsplit(".", 1)[-1] for alias in node.names}
    return found


def walked(text: str) -> list[ast.AST]:
    """The nodes of a program."""
    return [*ast.walk(ast.parse(text))]


def test_nothing_outside_operate_writes_to_a_cluster() -> None:
    """No writing call of kazoo, no writing request of Kafka, and no client that may write."""
    where, writing = WRITING_CLIENT
    found: dict[str, list[str]] = {}
    for file in OUTSIDE:
        code, name = nodes(file), file.relative_to(ROOT).as_posix()
        opens = [
            one for module, one in imports(code) if one == writing and of_package(module, "reseat.sources.zookeeper")
        ]
        found[name] = kazoo_writes(code) + kafka_writes(code) + (opens if name != where else [])

    assert len(found) > 100
    assert {name: writes for name, writes in found.items() if writes} == {}


def test_no_other_file_names_a_request_or_method_that_writes() -> None:
    """Neither Kafka's writing requests, nor its clients that send them, nor kazoo's writing methods; operate does."""
    found: dict[str, set[str]] = {}
    for file in OUTSIDE:
        names = names_in(nodes(file))
        methods = set() if KAZOO in file.parents else set(filter(WRITING_METHODS.fullmatch, names))
        if writes := names & WRITING_REQUESTS | methods:
            found[file.relative_to(ROOT).as_posix()] = writes
    own = set().union(*(names_in(nodes(file)) for file in OPERATE.rglob("*.py")))

    assert found == {}
    assert {"AlterPartitionReassignmentsRequest", "IncrementalAlterConfigsRequest"} <= own & WRITING_REQUESTS
    assert {"create_async", "set_data", "open_client"} <= set(filter(WRITING_METHODS.fullmatch, own))


def test_who_reads_zookeeper_calls_no_door_for_writing() -> None:
    """In the package that reads ZooKeeper nobody calls what it has for operate."""
    for file in KAZOO.glob("*.py"):
        calls = {node.func.id for node in nodes(file) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}

        assert "open_client" not in calls


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
    assert kazoo_writes(walked(text))


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
    assert kafka_writes(walked(text))


def test_events_and_questions_are_let_through() -> None:
    """Setting an event and asking are no writes."""
    assert not kazoo_writes(walked("import kazoo\nevent.set()\nclient.get_async('/a')"))
    assert not kafka_writes(walked("from kafka.protocol.admin import DescribeConfigsRequest"))
