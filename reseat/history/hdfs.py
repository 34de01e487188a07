"""HDFS as ``pyarrow.fs`` has file systems, by a client in Rust: without Java, libhdfs or Hadoop's jars.

A nameservice is found in the files of HADOOP_CONF_DIR, a ticket of Kerberos as Hadoop's own client finds it.

Source: the package hdfs-native, whose Rust half is also what the library for Delta tables reaches HDFS with.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from hdfs_native.fsspec import HdfsFileSystem
from pyarrow import fs

__all__ = ["PATIENCE", "hdfs"]

#: A name node that is not there is given up after seconds, and not after minutes as by itself: milliseconds between
#: attempts, of which a name node on standby takes one.
PATIENCE = {
    "dfs.client.failover.max.attempts": "3",
    "dfs.client.failover.sleep.base.millis": "250",
    "dfs.client.failover.sleep.max.millis": "1000",
}
#: As Rust writes down what a server refused: its class, its words, and the trace of its calls.
_REFUSED = re.compile(r'\w+\("[\w.$]+", "(.*?)(?:\\n\\tat .*)?"\)$', re.DOTALL)


class _Told:
    """A client, or one of its files: what the servers refuse is a RuntimeError there, and an OSError here."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._inner, name)
        return _as_os_error(found) if callable(found) else found


def _as_os_error(function: Callable[..., Any]) -> Callable[..., Any]:
    def told(*arguments: Any, **named: Any) -> Any:
        try:
            return function(*arguments, **named)
        except RuntimeError as error:
            said = _REFUSED.match(str(error))
            raise OSError(said[1] if said else str(error)) from error

    return told


class _Hdfs(HdfsFileSystem):
    """With times where Arrow looks for them, and any character in a path (the client's own takes # ? ; for a URL's)."""

    def __init__(self, host: str, port: int | None) -> None:
        super().__init__(host, port, **PATIENCE)
        self.client: Any = _Told(self.client)

    @classmethod
    def _strip_protocol(cls, path: str) -> str:
        return path

    def info(self, path: Any, **options: Any) -> dict[str, Any]:
        return _dated(super().info(path, **options))

    def ls(self, path: str, detail: bool = True, **options: Any) -> list[Any]:
        found: list[Any] = super().ls(path, detail, **options)
        return [_dated(one) for one in found] if detail else found

    def _open(self, path: str, mode: Any = "rb", *arguments: Any, **options: Any) -> Any:
        return _Told(super()._open(path, mode, *arguments, **options))


def _dated(told: dict[str, Any]) -> dict[str, Any]:
    return told | {"mtime": told["modification_time"] / 1000}


def hdfs(authority: str) -> fs.FileSystem:
    """The file system of a name node, or of a nameservice; its paths begin with a slash. Nothing is asked yet.

    Args:
        authority: ``HOST``, ``HOST:PORT`` or the nameservice.

    Raises:
        OSError: the port is none, the nameservice is not known, or the files that would tell it cannot be read.
    """
    host, _, port = authority.partition(":")
    return fs.PyFileSystem(fs.FSSpecHandler(_as_os_error(_Hdfs)(host, int(port) if port else None)))
