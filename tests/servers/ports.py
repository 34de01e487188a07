"""Ports for the servers of tests: each is given once while the process lives that asked for it.

A port that the kernel gives for "any" is one of those that it gives to clients as well, and so it may be the near end
of somebody's connection by the time a server that takes seconds to start listens on it. These lie outside of that
range, and a lock on one byte of a file, at the port's number, keeps other processes of the tests from choosing them.
"""

from __future__ import annotations

import fcntl
import os
import tempfile
from functools import cache
from itertools import islice
from pathlib import Path
from random import SystemRandom
from socket import socket

#: Where the kernel tells which ports clients get.
_CLIENTS = Path("/proc/sys/net/ipv4/ip_local_port_range")
#: The ports that servers of tests may have; Spark and Streamlit look for their own from 4040 and 8501 on.
_FIRST, _LAST = 10_000, 65_535

_given: set[int] = set()


def free_port() -> int:
    """One port that nobody has."""
    return free_ports(1)[0]


def free_ports(count: int, among: range | None = None) -> list[int]:
    """Ports of 127.0.0.1 that nobody has and that no client nor another test will get, all of them different.

    Args:
        count: how many.
        among: where to look; ``outside_of_clients`` unless told.

    Raises:
        ValueError: there are not so many.
    """
    usable = list(among or outside_of_clients())
    SystemRandom().shuffle(usable)  # tests of one seed run beside each other
    found = list(islice(filter(_take, usable), count))
    if len(found) < count:
        raise ValueError(f"{count} free ports were asked for, {len(found)} were found")
    return found


def outside_of_clients() -> range:
    """The larger part of the ports that clients do not get; all of them where hardly any are left."""
    try:
        first, last = map(int, _CLIENTS.read_text().split())
    except OSError:  # not Linux
        first, last = 49_152, 65_535  # RFC 6335, section 6
    below, above = range(_FIRST, min(first, _LAST)), range(max(last + 1, _FIRST), _LAST + 1)
    best = max(below, above, key=len)
    return best if len(best) >= 1_000 else range(_FIRST, _LAST + 1)


def _take(port: int) -> bool:
    if port in _given:
        return False
    try:
        fcntl.lockf(_locks(), fcntl.LOCK_EX | fcntl.LOCK_NB, 1, port)
        with socket() as probe:
            probe.bind(("127.0.0.1", port))
    except OSError:
        return False
    _given.add(port)
    return True


@cache
def _locks() -> int:
    """The file whose bytes are locked: opened once, for who closes it once loses all locks."""
    path = Path(tempfile.gettempdir()) / f"reseat-ports-{os.getuid()}"
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
