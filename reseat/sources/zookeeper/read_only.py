"""ZooKeeper for reading: nothing that writes can be reached through it.

What it promises: no method of ``ReadOnlyZooKeeper``, none of its attributes and nothing that it returns leads to a
write; and the client beneath refuses every request that is not a reading one, so that even who digs it out of a
closure sends nothing.

How it works: two walls. The first is ``ReadOnlyZooKeeper``: it has four questions and keeps no client, only a closure
that asks them. The second is ``ReadingClient``: kazoo hands every request, also those of transactions and recipes, to
``_call`` before it is queued, and there only the opcodes of ``READING`` pass. kazoo's own ``read_only=True`` is no
wall: it only allows servers without a quorum.

ZooKeeper itself is the third wall where its ACLs give the account nothing but read: see ``permissions``.

Source: ZooKeeper's ``ZooDefs.OpCode``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from kazoo.client import KazooClient

from reseat.errors import WriteRefused

__all__ = ["READING", "AsyncResult", "ReadOnlyZooKeeper", "ReadingClient", "Stat"]

#: Opcodes that change nothing: exists, getData, getACL, getChildren, sync, ping, getChildren2, auth, sasl and
#: closeSession.
READING = frozenset({3, 4, 6, 8, 9, 11, 12, 100, 102, -11})


class Stat(Protocol):
    """What ZooKeeper says of a node itself: the zxids of its creation, last change and last change of its children."""

    czxid: int
    mzxid: int
    pzxid: int


class AsyncResult(Protocol):
    """An answer that may still be on its way (kazoo's ``AsyncResult``)."""

    value: object

    @property
    def exception(self) -> BaseException | None:
        """What went wrong; None while it is on its way and where nothing did."""

    def ready(self) -> bool:
        """Whether the answer is there."""

    def wait(self, timeout: float | None = None) -> bool:
        """Wait for it; whether it is there."""


class ReadingClient(KazooClient):
    """A kazoo client that refuses whatever would write, before it is queued."""

    def _call(self, request: object, async_object: Any) -> object:
        if getattr(request, "type", None) not in READING:
            # As kazoo refuses requests on a closed session: the answer is the refusal, and False says so.
            async_object.set_exception(
                WriteRefused(
                    "This connection to ZooKeeper reads only: nothing was sent.",
                    (("read_only", f"{type(request).__name__} is not a reading request."),),
                )
            )
            return False
        return super()._call(request, async_object)  # type: ignore[no-untyped-call]


class ReadOnlyZooKeeper:
    """The questions that may be asked of a ZooKeeper, each at once or with others in flight.

    Args:
        client: an open client; whoever made it also closes it.
    """

    __slots__ = ("_ask", "_connected", "_zxid")

    def __init__(self, client: ReadingClient) -> None:
        if not isinstance(client, ReadingClient):
            raise TypeError("A reading client is needed: another one could write.")
        questions: dict[str, Callable[[str], AsyncResult]] = {
            "get": client.get_async,
            "children": lambda path: client.get_children_async(path, include_data=True),  # type: ignore[no-untyped-call]
            "exists": client.exists_async,
            "sync": client.sync_async,
        }
        self._ask: Callable[[str, str], AsyncResult] = lambda question, path: questions[question](path)
        self._zxid: Callable[[], int] = lambda: client.last_zxid
        self._connected: Callable[[], bool] = lambda: bool(client.connected)

    @property
    def connected(self) -> bool:
        """Whether there is a session with a server at this moment; what is asked without one waits for the next."""
        return self._connected()

    @property
    def last_zxid(self) -> int:
        """The newest zxid that an answer told: whatever is asked from now on is answered from that state or a later."""
        return self._zxid()

    def get(self, path: str) -> AsyncResult:
        """Ask for a node's data: (bytes or None, Stat), or NoNodeError."""
        return self._ask("get", path)

    def children(self, path: str) -> AsyncResult:
        """Ask for the names of a node's children: (list of str, Stat), or NoNodeError."""
        return self._ask("children", path)

    def exists(self, path: str) -> AsyncResult:
        """Ask for a node's Stat, None where there is no such node. Needs no permission."""
        return self._ask("exists", path)

    def sync(self, path: str = "/") -> AsyncResult:
        """Ask the server to catch up with the leader first; a follower or observer may be behind."""
        return self._ask("sync", path)
