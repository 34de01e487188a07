"""Nothing that writes to ZooKeeper can be reached through what reads it."""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Iterator

import pytest
from kazoo.client import KazooClient, TransactionRequest

from reseat.errors import WriteRefused
from reseat.sources.zookeeper.client import close_client, open_reading_client
from reseat.sources.zookeeper.read_only import ReadingClient, ReadOnlyZooKeeper
from tests.servers.zookeeper import ZooKeeperServer
from tests.sources.zookeeper.nodes_of import connection_to, put, writer


@pytest.fixture(scope="module")
def client(zookeeper: ZooKeeperServer) -> Iterator[ReadingClient]:
    """An open reading client below a chroot with one node."""
    with writer(zookeeper, "/kept") as other:
        put(other, "/node", b"as it was")
    opened = open_reading_client(connection_to(zookeeper, "/kept"))
    try:
        yield opened
    finally:
        close_client(opened)


WRITES: dict[str, Callable[[KazooClient], object]] = {
    "create": lambda client: client.create("/new", b"x"),
    "create_async": lambda client: client.create_async("/new", b"x", makepath=True).get(timeout=5),
    "create with stat": lambda client: client.create("/new", b"x", include_data=True),
    "ensure_path": lambda client: client.ensure_path("/new/path"),
    "set": lambda client: client.set("/node", b"x"),
    "set_async": lambda client: client.set_async("/node", b"x").get(timeout=5),
    "delete": lambda client: client.delete("/node"),
    "delete recursive": lambda client: client.delete("/node", recursive=True),
    "delete_async": lambda client: client.delete_async("/node").get(timeout=5),
    "set_acls": lambda client: client.set_acls("/node", []),
    "reconfig": lambda client: client.reconfig(joining=None, leaving="1", new_members=None),
    "transaction": lambda client: _transaction(client).commit(),
    "transaction_async": lambda client: _transaction(client).commit_async().get(timeout=5),
    "lock": lambda client: client.Lock("/node").acquire(timeout=5),
    "counter": lambda client: client.Counter("/count").__add__(1),
    "retry": lambda client: client.retry(client.set, "/node", b"x"),
}


def _transaction(client: KazooClient) -> TransactionRequest:
    changes = client.transaction()
    changes.set_data("/node", b"x")
    changes.delete("/node")
    return changes


@pytest.mark.parametrize("name", WRITES)
def test_the_client_beneath_refuses_every_write(zookeeper: ZooKeeperServer, client: ReadingClient, name: str) -> None:
    """Whatever kazoo offers that writes is refused before it is sent, and the node stays as it was."""
    with pytest.raises(WriteRefused) as caught:
        WRITES[name](client)

    assert "reads only" in str(caught.value)
    with writer(zookeeper, "/kept") as other:
        assert other.get_children("/") == ["node"]
        assert other.get("/node")[0] == b"as it was"


def test_no_attribute_leads_to_a_client_that_writes(client: ReadingClient) -> None:
    """From the wrapper over attributes, closures, functions and what they hold: only the client that refuses."""
    wrapper = ReadOnlyZooKeeper(client)
    seen: dict[int, object] = {}
    waiting: list[object] = [wrapper, wrapper.exists("/node"), wrapper.get("/node"), wrapper.children("/")]
    while waiting:
        thing = waiting.pop()
        if id(thing) in seen or isinstance(thing, (type, types.ModuleType, str, bytes, int)):
            continue
        seen[id(thing)] = thing
        if isinstance(thing, types.FunctionType):
            waiting += [cell.cell_contents for cell in thing.__closure__ or ()]
        elif isinstance(thing, types.MethodType):
            waiting += [thing.__self__, thing.__func__]
        elif isinstance(thing, (list, tuple, set, frozenset)):
            waiting += list(thing)
        elif isinstance(thing, dict):
            waiting += list(thing.values())
        elif not isinstance(thing, KazooClient):
            held = (getattr(type(thing), "__slots__", ()), getattr(thing, "__dict__", {}))
            waiting += [getattr(thing, name) for names in held for name in names if hasattr(thing, name)]

    clients = [thing for thing in seen.values() if isinstance(thing, KazooClient)]

    assert all(type(found) is ReadingClient for found in clients)
    assert not hasattr(wrapper, "__dict__")


def test_the_wrapper_offers_questions_alone(client: ReadingClient) -> None:
    """Its public names are questions; nothing that a client can do beside them is reached through it."""
    wrapper = ReadOnlyZooKeeper(client)
    public = {name for name in dir(wrapper) if not name.startswith("_")}

    assert public == {"children", "connected", "exists", "get", "last_zxid", "sync"}
    for name in {name for name, _ in inspect.getmembers(KazooClient, callable)} - public:
        assert name.startswith("__") or not hasattr(wrapper, name), name


def test_a_client_that_could_write_is_not_wrapped(zookeeper: ZooKeeperServer) -> None:
    """The wrapper takes no other client, so that the second wall is always there."""
    with pytest.raises(TypeError):
        ReadOnlyZooKeeper(KazooClient(zookeeper.hosts))  # type: ignore[arg-type]


def test_attributes_cannot_be_added(client: ReadingClient) -> None:
    """Nobody can hang a client onto the wrapper."""
    with pytest.raises(AttributeError):
        ReadOnlyZooKeeper(client).client = client  # type: ignore[attr-defined]


def test_questions_are_answered(client: ReadingClient) -> None:
    """Data, children, existence and the zxid come through."""
    wrapper = ReadOnlyZooKeeper(client)
    answers = [wrapper.get("/node"), wrapper.children("/"), wrapper.exists("/none"), wrapper.sync()]
    for answer in answers:
        assert answer.wait(5)

    data, children, none, _ = (answer.value for answer in answers)
    assert data[0] == b"as it was"  # type: ignore[index]
    assert children[0] == ["node"]  # type: ignore[index]
    assert none is None
    assert wrapper.last_zxid > 0
