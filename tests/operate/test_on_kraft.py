"""Writing to a real cluster of Kafka 4.1 with KRaft: among the long ones, as 4.4 is written to each time."""

from __future__ import annotations

import pytest

from tests.operate.admin_behaviour import AdminBehaviour
from tests.operate.live_cluster import OpenTarget, connection_to, running

pytestmark = [pytest.mark.kafka, pytest.mark.slow]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """Four brokers, three of them controllers."""
    yield from running("kraft-4.1", tmp_path_factory.mktemp("kraft"))


@pytest.fixture(scope="module")
def target(cluster):
    """The cluster, open for writing through the Admin protocol."""
    opened = OpenTarget(connection_to(cluster))
    yield opened
    opened.close()


class TestAdminTargetOnKraft(AdminBehaviour):
    """The Admin protocol with a KRaft quorum behind it."""
