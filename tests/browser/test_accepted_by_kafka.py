"""From a real cluster's layout to a dragged tile, a downloaded plan, and Kafka carrying it out, on both kinds."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from reseat.formats.sealed import fingerprint, read_sealed
from tests.browser.conftest import open_files
from tests.browser.test_rack_board import drag, says, tile
from tests.conftest import missing, require
from tests.servers.carry_out import await_assignments, carry_out, layout_of
from tests.servers.cluster import KafkaCluster, Kind, start
from tests.servers.cluster import missing as kafka_missing

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = [pytest.mark.browser, pytest.mark.kafka]

RACKS: dict[int, str | None] = {1: "a", 2: "a", 3: "b", 4: "b", 5: "c"}


@pytest.fixture(params=[pytest.param("zookeeper-2.8", marks=pytest.mark.slow), "kraft-4.1"])
def cluster(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[KafkaCluster]:
    """Five brokers in three racks with two topics of 18 partitions, made by Kafka itself."""
    require("kafka")
    reason = kafka_missing()
    if reason is not None:
        missing("kafka", reason)
    kind: Kind = request.param
    running = start(kind, tmp_path / "cluster", RACKS)
    try:
        running.tool("topics", "--create", "--topic", "orders", "--partitions", "12", "--replication-factor", "3")
        running.tool("topics", "--create", "--topic", "audit-log.v2", "--partitions", "6", "--replication-factor", "2")
        yield running
    finally:
        running.stop()


def downloaded(page: Page, button: str, folder: Path) -> Path:
    """Click a download and keep its file."""
    with page.expect_download() as waiting:
        page.get_by_role("button", name=button).click()
    file = folder / waiting.value.suggested_filename
    waiting.value.save_as(file)
    return file


def test_kafka_carries_out_the_plan_of_a_dragged_tile_and_its_rollback(
    cluster: KafkaCluster, new_page: Callable[..., Page], dashboard: str, tmp_path: Path
) -> None:
    """Broker 2 is dragged out; Kafka's reassign tool accepts the plan, the replicas end where it says, no others moved.

    Then the downloaded rollback is carried out and every list is as it was, in order. Both texts say in a key of
    Reseat's own what they were made for, which the tool passes over.
    """
    before = layout_of(cluster)
    held = sum(2 in replicas for replicas in before.assignments().values())
    page = new_page(accept_downloads=True)
    racks = "".join(f"{broker},{rack}\n" for broker, rack in RACKS.items())
    files = {"describe.txt": cluster.describe(), "racks.csv": f"broker,rack\n{racks}"}
    open_files(page, dashboard, files, then="Board")
    drag(page, tile(page, 2), page.locator(".tray"))
    says(page, f"Draining broker 2: {held} replicas move, the proven minimum.")
    page.get_by_role("link", name="Plan", exact=True).click()
    says(page, f"{held} replicas move")
    plan = downloaded(page, "Plan (plan.json)", tmp_path)
    rollback = downloaded(page, "Rollback (rollback.json)", tmp_path)
    certificate = json.loads(downloaded(page, "Certificate (certificate.json)", tmp_path).read_text())
    listed = {(row["topic"], row["partition"]): row["replicas"] for row in json.loads(plan.read_text())["partitions"]}

    assert held == certificate["moves"] == certificate["least_moves"]
    assert set(listed) >= {key for key, replicas in before.assignments().items() if 2 in replicas}
    assert read_sealed(plan.read_bytes()).fingerprint == fingerprint(before)
    assert read_sealed(rollback.read_bytes()).intact

    carry_out(cluster, plan)
    await_assignments(cluster, before.assignments() | listed)

    assert not any(2 in replicas for replicas in layout_of(cluster).assignments().values())

    carry_out(cluster, rollback)
    await_assignments(cluster, before.assignments())
