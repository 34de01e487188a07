"""Connect in a real browser, on a real ZooKeeper: test, read, see what changed, lose the cluster and find it again."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import settled, start_dashboard, stop, to
from tests.conftest import require
from tests.servers.ports import free_port
from tests.servers.zookeeper import ZooKeeperServer, start_zookeeper

if TYPE_CHECKING:
    from kazoo.client import KazooClient
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser

#: Four brokers in two racks, and what they hold: topic -> replica lists by partition.
RACKS = {1: "a", 2: "b", 3: "a", 4: "b"}
TOPICS = {
    "orders": [[1, 2], [2, 3], [3, 4], [4, 1]],
    "payments": [[2, 1], [3, 2], [4, 3]],
    "<b>bold": [[1, 4]],
}
PLANTED = "pl4nted-S3cret"


def fill(client: KazooClient) -> None:
    """Write the nodes of a 2.8 cluster below /kafka."""
    client.ensure_path("/kafka/brokers/topics")
    client.create("/kafka/cluster/id", json.dumps({"version": "1", "id": "lab-id"}).encode(), makepath=True)
    for broker, rack in RACKS.items():
        register(client, broker, rack)
    client.create("/kafka/controller", json.dumps({"version": 1, "brokerid": 2, "timestamp": "1"}).encode())
    for topic, lists in TOPICS.items():
        partitions = {str(i): ids for i, ids in enumerate(lists)}
        text = json.dumps({"version": 2, "partitions": partitions, "adding_replicas": {}, "removing_replicas": {}})
        client.create(f"/kafka/brokers/topics/{topic}", text.encode())
        for i, ids in enumerate(lists):
            state = {"controller_epoch": 1, "leader": ids[0], "version": 1, "leader_epoch": 0, "isr": ids}
            client.create(state_path(topic, i), json.dumps(state).encode(), makepath=True)


def register(client: KazooClient, broker: int, rack: str) -> None:
    """Write a broker's node; nobody listens at its address."""
    node = {"version": 4, "host": "127.0.0.1", "port": 1, "jmx_port": -1, "rack": rack, "timestamp": "1"}
    node["endpoints"] = ["PLAINTEXT://127.0.0.1:1"]
    node["listener_security_protocol_map"] = {"PLAINTEXT": "PLAINTEXT"}
    client.create(f"/kafka/brokers/ids/{broker}", json.dumps(node).encode(), makepath=True)


def state_path(topic: str, partition: int) -> str:
    """Where a partition's state is."""
    return f"/kafka/brokers/topics/{topic}/partitions/{partition}/state"


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[ZooKeeperServer, KazooClient]]:
    """A ZooKeeper that holds a cluster's nodes, and a client that writes them."""
    require("browser")
    require("kafka")
    from kazoo.client import KazooClient

    server = start_zookeeper(tmp_path_factory.mktemp("zookeeper"))
    client = KazooClient(hosts=server.hosts)
    try:
        client.start(20)
        fill(client)
        yield server, client
    finally:
        client.stop()
        client.close()
        server.stop()


@pytest.fixture(scope="module")
def lab(
    cluster: tuple[ZooKeeperServer, KazooClient], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[str, Path]]:
    """A dashboard that knows the cluster as "lab", others that are not there, and one named wrongly; and its log."""
    mute = socket.create_server(("127.0.0.1", 0))  # takes a connection and never answers
    port, log = free_port(), tmp_path_factory.mktemp("dashboard") / "log.txt"
    process = start_dashboard(
        port,
        log,
        {
            "RESEAT_CLUSTER_LAB_ZOOKEEPER": f"{cluster[0].hosts}/kafka",
            "RESEAT_CLUSTER_LAB_ZOOKEEPER_DIGEST": f"reader:{PLANTED}",
            "RESEAT_CLUSTER_LAB_TIMEOUT_SECONDS": "3",
            "RESEAT_CLUSTER_GONE_BOOTSTRAP": f"127.0.0.1:{free_port()}",
            "RESEAT_CLUSTER_MUTE_BOOTSTRAP": f"127.0.0.1:{mute.getsockname()[1]}",
            "RESEAT_CLUSTER_WRONG_BOOTSTRP": "b1:9092",
            "STREAMLIT_LOGGER_LEVEL": "debug",
        },
    )
    yield f"http://127.0.0.1:{port}", log
    stop(process)
    mute.close()


def choose(page: Page, name: str) -> None:
    """Choose a cluster of the list, and wait until its card is there."""
    page.get_by_role("button", name=name, exact=True).click()
    page.locator(".st-key-connect-card p > strong", has_text=name).first.wait_for()
    drawn(page)


def drawn(page: Page) -> None:
    """Wait until a page is drawn and nothing of the one before is left: the strip moves all that is below it."""
    page.locator("[data-testid='stApp'][data-test-script-state='notRunning']").wait_for()
    expect(page.locator(".st-key-connect-card")).to_have_count(1)


def test_test_read_change_lose_and_find(
    new_page: Callable[..., Page], lab: tuple[str, Path], cluster: tuple[ZooKeeperServer, KazooClient]
) -> None:
    """The whole way: nothing read, tested, read, changed, lost with its layout on screen, and back by a refresh."""
    server, client = cluster
    page = new_page(color_scheme="light")
    page.goto(f"{lab[0]}/connect")
    choose(page, "lab")
    page.get_by_text("lab has not been read yet").wait_for()
    settled(page, "state-connect-empty")

    page.get_by_role("button", name="Test the connection").click()
    page.get_by_text("Connection works.").wait_for()
    page.get_by_text("/kafka holds a Kafka cluster.").wait_for()
    page.get_by_text("4 brokers and 3 topics can be read.").wait_for()
    settled(page, "state-connect-tested")

    page.get_by_role("button", name="Read", exact=True).click()
    page.get_by_text("lab was read just now: 4 brokers and 8 partitions.").wait_for()
    page.locator(".st-key-strip").get_by_text("ZooKeeper, consistent").wait_for()
    settled(page, "state-connect-read")
    expect(page.locator("b", has_text="bold")).to_have_count(0)

    state = {"controller_epoch": 1, "leader": 2, "version": 1, "leader_epoch": 1, "isr": [2]}
    client.set(state_path("orders", 0), json.dumps(state).encode())
    client.delete("/kafka/brokers/ids/1")
    page.locator(".st-key-connect-card").get_by_role("button", name="Refresh", exact=True).click()
    page.get_by_text("Broker 1 went down, 1 leader moved, 1 ISR shrank.").first.wait_for()
    settled(page, "state-connect-changed")

    to(page, "Overview")
    page.locator(".st-key-quality").get_by_role("button").click()
    page.get_by_text("a live cluster, read from ZooKeeper").wait_for()
    page.keyboard.press("Escape")
    server.stop()
    page.locator(".st-key-strip").get_by_role("button", name="Refresh", exact=True).click()
    page.locator(".st-key-strip").get_by_text("unreachable").wait_for()
    page.locator(".st-key-strip").get_by_text("8 partitions").wait_for()
    settled(page, "state-connect-lost-overview")
    to(page, "Live")
    page.get_by_text("lab cannot be read: unreachable").wait_for()
    settled(page, "state-connect-lost")

    server.start_again()
    register(client, 1, "a")
    page.locator(".st-key-connect-card").get_by_role("button", name="Refresh", exact=True).click()
    page.get_by_text("Broker 1 came up.").first.wait_for()
    expect(page.locator(".st-key-strip").get_by_text("unreachable")).to_have_count(0)
    assert PLANTED not in page.content() + page.url + lab[1].read_text(errors="replace")


def test_it_refreshes_by_itself_for_everybody(
    new_page: Callable[..., Page], lab: tuple[str, Path], cluster: tuple[ZooKeeperServer, KazooClient]
) -> None:
    """One person wants it every 10 s and plans with a broker out; another, who only looks, sees the change too."""
    first, second = new_page(), new_page(color_scheme="dark")
    first.goto(f"{lab[0]}/connect")
    choose(first, "lab")
    first.locator(".st-key-connect-card").locator(".st-key-connect-read button").click()
    first.locator(".st-key-strip").get_by_text("ZooKeeper, consistent").wait_for()
    drawn(first)
    first.locator(".st-key-connect-card").get_by_text("10 s", exact=True).first.click()
    second.goto(f"{lab[0]}/connect")
    choose(second, "lab")
    second.get_by_role("button", name="Show the last reading").click()
    second.locator(".st-key-strip").get_by_text("8 partitions").wait_for()
    settled(second, "state-connect-dark")
    to(first, "Board")
    first.locator(".board .tile").first.wait_for()
    first.goto(first.url + "&remove=3")
    first.locator(".st-key-strip-what-if").wait_for()
    cluster[1].delete(state_path("payments", 2))
    cluster[1].delete("/kafka/brokers/topics/payments/partitions/2")
    partitions = {"0": [2, 1], "1": [3, 2]}
    text = json.dumps({"version": 2, "partitions": partitions, "adding_replicas": {}, "removing_replicas": {}})
    cluster[1].set("/kafka/brokers/topics/payments", text.encode())
    first.locator(".st-key-strip-what-if").get_by_text("7 partitions").wait_for(timeout=40_000)
    second.locator(".st-key-strip").get_by_text("7 partitions").wait_for(timeout=40_000)
    settled(first, "state-connect-what-if")

    expect(first.locator(".st-key-strip-what-if").get_by_text("broker 3 removed").first).to_be_visible()
    expect(second.locator(".st-key-strip-what-if")).to_have_count(0)


def test_all_of_the_page_tells_that_a_reading_is_under_way(page: Page, lab: tuple[str, Path]) -> None:
    """The button stands in the card, which is drawn by itself; list and sentence tell of the reading too."""
    page.goto(f"{lab[0]}/connect")
    choose(page, "mute")
    page.get_by_role("button", name="Read", exact=True).click()

    expect(page.locator(".st-key-connect-list")).to_contain_text("being read")
    expect(page.get_by_role("heading", level=1)).to_have_text("mute is being read. Reading changes nothing on it.")

    page.get_by_role("button", name="Cancel", exact=True).click()

    expect(page.locator(".st-key-connect-list")).not_to_contain_text("being read")


def test_a_cluster_that_is_not_there_and_an_address_that_is_typed(page: Page, lab: tuple[str, Path]) -> None:
    """Refused with the reason; a typed address is tested at once, and a password in it is refused."""
    page.goto(f"{lab[0]}/connect")
    page.get_by_text("did you mean bootstrap?").wait_for()
    choose(page, "gone")
    page.get_by_role("button", name="Read", exact=True).click()
    page.get_by_text("gone cannot be read.").wait_for()
    settled(page, "state-connect-refused")
    drawn(page)
    page.get_by_text("Another address").click()
    page.get_by_label("Servers").fill(f"alice:{PLANTED}@127.0.0.1:9092")
    page.get_by_role("button", name="Use and test").click()
    page.get_by_text("do not belong in an address").wait_for()
    drawn(page)
    assert PLANTED not in page.content()
    page.get_by_label("Servers").fill("no-such-host.invalid:9092")
    page.get_by_role("button", name="Use and test").click()
    page.get_by_text("cannot resolve").wait_for()
    settled(page, "state-connect-typed")

    expect(page.locator(".st-key-strip")).to_have_count(0)
    assert PLANTED not in page.url
