"""The JSON log: nothing of what libraries say of the addresses that they connect to, unless it is asked for."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.servers.ports import free_port

#: Reads a cluster that is not there, once by each protocol.
_READ = """
import os, sys
from reseat.errors import ClusterUnreachable
from reseat.observe import logs
from reseat.sources.connection import Connection
from reseat.sources.kafka_admin import read_admin_cluster
from reseat.sources.zookeeper import read_zookeeper_cluster
logs.set_up(os.environ, lambda: None)
server = (sys.argv[1],)
for read, connection in (
    (read_admin_cluster, Connection(bootstrap=server, timeout_seconds=2.0)),
    (read_zookeeper_cluster, Connection(zookeeper=server, timeout_seconds=2.0)),
):
    try:
        read(connection)
    except ClusterUnreachable as away:
        print(away)
"""


@pytest.mark.parametrize("level", ["info", "debug"])
def test_no_address_is_in_the_log_above_debug(level: str) -> None:
    """A cluster that is away is told by Reseat's own line; what the clients say of it is there for who debugs them."""
    server = f"127.0.0.1:{free_port()}"
    variables = {**os.environ, "RESEAT_LOG": "json", "RESEAT_LOG_LEVEL": level}
    done = subprocess.run(
        [sys.executable, "-c", _READ, server],
        cwd=Path(__file__).parents[2],
        env=variables,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )

    assert done.stdout.count(f"{server} refuses") == 2
    assert ("onnect" in done.stderr) == (level == "debug"), done.stderr
