"""One ZooKeeper for all tests here, stopped by its pid."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.servers.zookeeper import ZooKeeperServer, start_zookeeper


@pytest.fixture(scope="session")
def zookeeper(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ZooKeeperServer]:
    """A ZooKeeper without security, with a part of the tree for each file."""
    server = start_zookeeper(tmp_path_factory.mktemp("zookeeper"))
    try:
        yield server
    finally:
        server.stop()
