"""Nothing but ``reseat.operate`` can write to a cluster: not by a request, not by a node."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import kafka.protocol.admin
import kafka.protocol.consumer
import kafka.protocol.metadata
import kafka.protocol.producer

ROOT = Path(__file__).parent.parent.parent
OPERATE = ROOT / "reseat" / "operate"
#: The door for writing to ZooKeeper is made beside that for reading, since both connect alike; operate alone opens it.
KAZOO = ROOT / "reseat" / "sources" / "zookeeper"
FILES = sorted(
    file
    for folder in ("reseat", "components", "pages")
    for file in (ROOT / folder).rglob("*.py")
    if OPERATE not in file.parents
)

#: Requests that change nothing; every other request that kafka-python knows counts as writing.
READING = re.compile(
    r"(Describe\w+|List\w+|Fetch|Metadata|ApiVersions|FindCoordinator|OffsetFetch|SaslHandshake|SaslAuthenticate)Request"
)
#: Requests of Kafka's protocol that may change something, and the clients that would send them by themselves.
WRITING_REQUESTS = {
    name
    for module in (kafka.protocol.admin, kafka.protocol.consumer, kafka.protocol.metadata, kafka.protocol.producer)
    for name in vars(module)
    if name.endswith("Request") and not READING.fullmatch(name)
} | {"KafkaAdminClient", "KafkaConsumer", "KafkaProducer"}
#: kazoo's methods that change something.
WRITING_METHODS = re.compile(
    r"(create|set|delete|set_acls|ensure_path|reconfig|commit)_async|ensure_path|set_acls|set_data|transaction|open_client"
    r"|TransactionRequest|reconfig"
)


def names_in(file: Path) -> set[str]:
    """Every name, attribute and imported name of a file."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Name):
            found.add(node.id)
        elif isinstance(node, ast.Attribute):
            found.add(node.attr)
        elif isinstance(node, ast.ImportFrom | ast.Import):
            found |= {alias.name.rsplit(".", 1)[-1] for alias in node.names}
    return found


def test_there_is_something_to_look_at() -> None:
    """The files are found, and the patterns find what operate itself does."""
    own = set().union(*(names_in(file) for file in OPERATE.rglob("*.py")))

    assert len(FILES) > 100
    assert {"AlterPartitionReassignmentsRequest", "IncrementalAlterConfigsRequest"} <= own & WRITING_REQUESTS
    assert {"create_async", "set_data", "open_client"} <= set(filter(WRITING_METHODS.fullmatch, own))


def test_no_other_file_names_a_request_or_method_that_writes() -> None:
    """Neither Kafka's writing requests, nor its clients that send them, nor kazoo's writing methods."""
    offending: dict[str, set[str]] = {}
    for file in FILES:
        names = names_in(file)
        found = names & WRITING_REQUESTS
        if KAZOO not in file.parents:
            found |= set(filter(WRITING_METHODS.fullmatch, names))
        if found:
            offending[str(file.relative_to(ROOT))] = found

    assert offending == {}


def test_who_reads_uses_the_client_that_refuses_to_write() -> None:
    """In the package that reads ZooKeeper nobody calls the door for writing."""
    for file in KAZOO.glob("*.py"):
        calls = {
            node.func.id
            for node in ast.walk(ast.parse(file.read_text()))
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        }

        assert "open_client" not in calls
