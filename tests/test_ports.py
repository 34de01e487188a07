"""The ports that servers of tests get: nobody else's, whoever asks at the same time."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from socket import socket

import pytest

from tests.servers import ports

ASK = "from tests.servers.ports import free_ports; print(*free_ports(40), flush=True); input()"


def test_processes_that_ask_at_once_get_ports_of_their_own():
    """Each keeps its ports while it lives, whether or not anybody listens on them."""
    asking = [
        subprocess.Popen([sys.executable, "-c", ASK], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    try:
        found = [int(port) for process in asking for port in process.stdout.readline().split()]
        found += ports.free_ports(40)
    finally:
        for process in asking:
            process.communicate("\n")
    assert len(found) == len(set(found)) == 160


def test_a_port_is_none_that_the_kernel_gives_to_clients():
    """One of those may be the near end of a connection before the server that it was meant for listens."""
    first, last = map(int, Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split())
    assert not [port for port in ports.free_ports(100) if first <= port <= last]


def test_of_few_the_one_in_use_is_not_given_and_more_than_there_are_is_refused():
    """What was asked for and what was found are told."""
    with socket() as listening:
        listening.bind(("127.0.0.1", 0))
        taken = listening.getsockname()[1]
        with pytest.raises(ValueError, match=r"2 free ports were asked for, [01] were found"):
            ports.free_ports(2, range(taken, taken + 2))
