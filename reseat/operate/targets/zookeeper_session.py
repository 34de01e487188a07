"""A ZooKeeper session for writing: requests in flight, errors in words, and nothing sent late.

What it promises, in this order: what was not sent when a call failed is never sent later; a node is
made with the permissions of its parent, never with more; every failure is told as ``ClusterUnreachable``.

How it works: kazoo keeps what it could not send and sends it when the server is back, however long that takes. A write
that comes an hour late, when the person has long done something else, is worse than one that fails: so where an answer
does not come in time, the session is ended, its queue with it, and the next call opens another. What was on its way may
have been carried out or not; ``Lost`` says so, and the caller reads to find out.

Permissions: Kafka with ``zookeeper.set.acl=true`` gives its nodes to itself and lets the world read. A node made by
another hand must not be more open than its neighbours, so each is made with the ACL that its parent has. Where that
cannot be read, or is shown only in part (ZooKeeper hides digests from who lacks ADMIN), nothing is made.

Source: kazoo's ``KazooClient``; ZooKeeper's programmer's guide (sessions, ACLs); Kafka's ``ZkSecurityMigrator``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from kazoo.client import KazooClient, TransactionRequest
from kazoo.exceptions import (
    AuthFailedError,
    ConnectionLoss,
    KazooException,
    NoAuthError,
    OperationTimeoutError,
    SessionExpiredError,
    SessionMovedError,
    ZookeeperStoppedError,
)
from kazoo.handlers.threading import KazooTimeoutError

from reseat.errors import ClusterUnreachable, ReseatError
from reseat.operate.targets.patience import Patience
from reseat.sources.connection import Connection
from reseat.sources.zookeeper.client import close_client, open_client

__all__ = ["NODE_BYTES", "Change", "Lost", "Node", "ZooKeeperSession", "open_question"]

#: A node and its path must stay below jute.maxbuffer (1,048,575 bytes by default), on brokers and servers alike.
NODE_BYTES = 900_000

#: Requests in flight at a time; ZooKeeper's server queues 1,000 by default (``globalOutstandingLimit``).
_IN_FLIGHT = 1_000
_LOST = (
    ConnectionLoss,
    SessionExpiredError,
    SessionMovedError,
    OperationTimeoutError,
    ZookeeperStoppedError,
    KazooTimeoutError,
)


#: ZooKeeper shows this in place of a password's digest to who lacks ADMIN.
_MASKED = ":x"


class Lost(ReseatError):
    """The connection broke while a write was on its way: it was carried out, or it was not."""


@dataclass(frozen=True, slots=True)
class Node:
    """A node as it was read.

    Attributes:
        data: its bytes.
        version: of its data, for compare-and-set.
    """

    data: bytes
    version: int


@dataclass(frozen=True, slots=True)
class Change:
    """One of several writes that are done together or not at all.

    Attributes:
        path: of the node; the beginning of it where it is ``numbered``.
        data: its bytes.
        version: the node is written if its data still has this version; None: it is made.
        numbered: a node that is made gets ZooKeeper's next number at the end of its path.
    """

    path: str
    data: bytes
    version: int | None = None
    numbered: bool = False


class ZooKeeperSession:
    """The nodes of one cluster, below its chroot. Opens a session when one is needed, and again after one was lost.

    Args:
        connection: servers, chroot and security.
        patience: how long reading is tried again where ZooKeeper is away.
        opened: opens a client.

    Raises:
        ClusterUnreachable: ZooKeeper does not let us in.
    """

    def __init__(
        self,
        connection: Connection,
        *,
        patience: Patience | None = None,
        opened: Callable[[Connection], KazooClient] = open_client,
    ) -> None:
        self._connection = connection
        self._patience = patience or Patience(connection.timeout_seconds)
        self._opened = opened
        self._client: KazooClient | None = opened(connection)

    # ---- reading -----------------------------------------------------------------------------------------------

    def read(self, paths: Sequence[str]) -> list[Node | None]:
        """These nodes, in order; None where there is none."""
        nodes: list[Node | None] = self._again(lambda client: self._gathered(client.get_async, paths, _node))
        return nodes

    def children(self, path: str) -> list[str] | None:
        """The names of a node's children, sorted; None where there is no such node."""
        found: list[list[str] | None] = self._again(
            lambda client: self._gathered(client.get_children_async, [path], lambda names: sorted(map(str, names)))
        )
        return found[0]

    # ---- writing -----------------------------------------------------------------------------------------------

    def create(self, path: str, data: bytes) -> None:
        """Make a node with its parent's permissions.

        Raises:
            NodeExistsError: it is there already.
            Lost: it was made, or it was not.
            ClusterUnreachable: ZooKeeper is away (nothing was sent), or does not allow it.
        """
        permissions = self._permissions_below(_parent(path))
        self._write(lambda client: client.create_async(path, data, acl=permissions), path)

    def together(self, changes: Sequence[Change]) -> list[KazooException | None]:
        """Make or write several nodes at once: all of them, or none.

        Returns:
            Why each change was refused, None where all were done.

        Raises:
            Lost: all were done, or none.
            ClusterUnreachable: ZooKeeper is away (nothing was sent), or does not allow it.
        """
        made = (change.path for change in changes if change.version is None)
        allowed = {path: self._permissions_below(_parent(path)) for path in made}

        def send(client: KazooClient) -> Any:
            transaction = TransactionRequest(client)
            for change in changes:
                if change.version is None:
                    transaction.create(change.path, change.data, acl=allowed[change.path], sequence=change.numbered)
                else:
                    transaction.set_data(change.path, change.data, change.version)
            return transaction.commit_async()

        answers = self._write(send, changes[0].path)
        refusals = [answer if isinstance(answer, KazooException) else None for answer in answers]
        for refusal, change in zip(refusals, changes, strict=True):
            if isinstance(refusal, NoAuthError):
                raise _not_allowed(change.path)
        return refusals

    def close(self) -> None:
        """End the session; what was not sent never is."""
        if self._client is not None:
            close_client(self._client)
            self._client = None

    # ---- beneath -----------------------------------------------------------------------------------------------

    def _open(self) -> KazooClient:
        if self._client is None:
            self._client = self._opened(self._connection)
        return self._client

    def _again(self, question: Callable[[KazooClient], Any]) -> Any:
        failure: ClusterUnreachable | None = None
        for _ in self._patience.attempts():
            try:
                return question(self._open())
            except _LOST:
                self.close()
                failure = self._away()
            except ClusterUnreachable as error:
                if error.reason not in ("refused", "route", "timeout", "lost"):
                    raise
                failure = error
        raise failure or self._away()

    def _gathered(
        self, ask: Callable[[str], Any], paths: Iterable[str], told: Callable[[Any], Any]
    ) -> list[Any | None]:
        from kazoo.exceptions import NoNodeError

        whole = list(paths)
        answers: list[Any | None] = []
        for start in range(0, len(whole), _IN_FLIGHT):
            chunk = whole[start : start + _IN_FLIGHT]
            for path, under_way in [(path, ask(path)) for path in chunk]:
                try:
                    answers.append(told(under_way.get(timeout=self._connection.timeout_seconds)))
                except NoNodeError:
                    answers.append(None)
                except (NoAuthError, AuthFailedError):
                    raise _not_allowed(path) from None
        return answers

    def _write(self, send: Callable[[KazooClient], Any], path: str) -> Any:
        client = self._open()
        if not client.connected:
            # Nothing is queued for later: without a connection nothing is sent at all.
            self.close()
            client = self._open()
        try:
            return send(client).get(timeout=self._connection.timeout_seconds)
        except _LOST:
            self.close()
            raise Lost(f"The connection to ZooKeeper was lost while {path} was being written.") from None
        except (NoAuthError, AuthFailedError):
            raise _not_allowed(path) from None

    def _permissions_below(self, parent: str) -> list[Any]:
        found = self._again(
            lambda client: self._gathered(client.get_acls_async, [parent or "/"], lambda answer: list(answer[0]))
        )
        if found[0] is None:
            raise ClusterUnreachable(
                f"ZooKeeper has no node {parent}, which every Kafka cluster has. Is the chroot right?", "chroot"
            )
        permissions: list[Any] = found[0]
        if any(one.id.scheme == "digest" and one.id.id.endswith(_MASKED) for one in permissions):
            raise ClusterUnreachable(
                f"The permissions of {parent} are not shown in full to a user without ADMIN there, and a node created "
                "with what is shown would lock the brokers out. Give the connection the brokers' credentials.",
                "authorization",
            )
        return permissions

    def _away(self) -> ClusterUnreachable:
        return ClusterUnreachable(
            f"ZooKeeper at {','.join(self._connection.zookeeper)} no longer answers.",
            "lost",
            self._connection.zookeeper[0] if self._connection.zookeeper else None,
        )


def open_question(what: str) -> ClusterUnreachable:
    """What is said where a write was lost with the connection: nobody knows yet whether it was carried out."""
    return ClusterUnreachable(
        f"The connection to ZooKeeper was lost while {what} was being written, and has not come back. Whether it was "
        "written is known once ZooKeeper answers again.",
        "lost",
    )


def _node(answer: Any) -> Node:
    data, stat = answer
    return Node(data or b"", stat.version)


def _parent(path: str) -> str:
    return path.rpartition("/")[0]


def _not_allowed(path: str) -> ClusterUnreachable:
    return ClusterUnreachable(
        f"ZooKeeper does not let this user read or write {path}. Give the connection the credentials that the brokers "
        "have, or a user that the node's ACL names.",
        "authorization",
    )
