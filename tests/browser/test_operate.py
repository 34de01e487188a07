"""From a dragged tile to a broker drained on a real cluster, by Kafka's own tool and in the browser, and taken back."""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from reseat.formats.documents.sealed import layout_hash, read_sealed
from reseat.operate.journal.journal import Journal
from reseat.operate.targets.admin import AdminTarget
from reseat.sources.connection import Connection
from tests.browser.conftest import ROOT, open_files, seen, start_dashboard, stop, to
from tests.browser.test_rack_board import drag, says, tile
from tests.conftest import missing, require
from tests.operate.live_cluster import end_operators
from tests.servers.carry_out import await_assignments, carry_out, layout_of
from tests.servers.cluster import KafkaCluster, Kind, start
from tests.servers.cluster import missing as kafka_missing
from tests.servers.ports import free_port

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

pytestmark = [pytest.mark.browser, pytest.mark.kafka]

RACKS: dict[int, str | None] = {1: "a", 2: "a", 3: "b", 4: "b", 5: "c"}
#: What opens writing on a server without a sign-in.
TOKEN = "a token that these tests alone know"
#: A run takes seconds, and a machine with other work a few times that.
_A_RUN = 60_000


@dataclass
class Lab:
    """A real cluster, a dashboard that may write to it and one that may not, and their journal.

    Attributes:
        cluster: five brokers in three racks.
        writing: the address of the dashboard that was started with writing enabled.
        reading: the address of the other.
        journal: the journal's file.
    """

    cluster: KafkaCluster
    writing: str
    reading: str
    journal: Path

    def in_journal(self, look: Callable[[Journal], object]) -> object:
        """Look into the journal."""
        journal = Journal(self.journal)
        try:
            return look(journal)
        finally:
            journal.close()


@pytest.fixture(scope="module", params=[pytest.param("zookeeper-2.8", marks=pytest.mark.slow), "kraft-4.4"])
def lab(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """A cluster with three topics, and two dashboards that know it as "lab"; tests leave its lists as they were."""
    require("browser")
    require("kafka")
    reason = kafka_missing()
    if reason is not None:
        missing("kafka", reason)
    kind: Kind = request.param
    home = tmp_path_factory.mktemp("lab")
    # Kafka's own elections would leave nothing to elect, now and then.
    cluster = start(kind, home / "cluster", RACKS, apart=(), auto_leader_rebalance_enable="false")
    dashboards = []
    try:
        cluster.tool("topics", "--create", "--topic", "orders", "--partitions", "12", "--replication-factor", "3")
        cluster.tool("topics", "--create", "--topic", "audit-log.v2", "--partitions", "6", "--replication-factor", "2")
        turn_two_partitions(cluster)
        journal = home / "state" / "journal.sqlite"
        named = {"RESEAT_CLUSTER_LAB_BOOTSTRAP": cluster.bootstrap, "RESEAT_JOURNAL": str(journal)}
        if cluster.zookeeper is not None:
            named["RESEAT_CLUSTER_LAB_ZOOKEEPER"] = cluster.zookeeper
        addresses = []
        writing = {"RESEAT_OPERATE": "1", "RESEAT_OPERATE_TOKEN": TOKEN}
        for name, more in (("writing", writing), ("reading", {"RESEAT_OPERATE": "0"})):
            port = free_port()
            dashboards.append(start_dashboard(port, home / f"{name}.log", {**named, **more}))
            addresses.append(f"http://127.0.0.1:{port}")
        yield Lab(cluster, *addresses, journal)
    finally:
        for dashboard in dashboards:
            stop(dashboard)
        end_operators(home / "state" / "journal.sqlite")
        cluster.stop()


def turn_two_partitions(cluster: KafkaCluster) -> None:
    """A topic whose two partitions are led by their second replica: their lists were turned round since."""
    target = AdminTarget(Connection(bootstrap=tuple(cluster.bootstrap.split(","))))
    try:
        assert target.create_topic("turned", {0: [1, 3], 1: [4, 5]}, {}) is None
        assert set(target.reassign({("turned", 0): [3, 1], ("turned", 1): [5, 4]}).values()) == {None}
    finally:
        target.close()


def connect(page: Page, address: str) -> None:
    """Read the cluster "lab" on Connect, so that it is what every page shows."""
    page.set_default_timeout(_A_RUN)  # five brokers and two dashboards share the machine with the browser
    page.goto(f"{address}/connect")
    page.get_by_role("button", name="lab", exact=True).click()
    page.get_by_role("button", name="Read", exact=True).click()
    page.get_by_text("current state", exact=True).wait_for()


def unlock(page: Page) -> None:
    """Type the server's token where writing asks for it."""
    why = page.get_by_text("writing needs the token that the server printed")
    why.wait_for()
    page.get_by_label("Token", exact=True).fill(TOKEN)
    page.get_by_role("button", name="Unlock writing").click()
    why.wait_for(state="detached")


def confirm(page: Page, cluster_id: str, button: str | re.Pattern[str]) -> float:
    """Type the cluster's id, press the button once it can be pressed, and return the moment."""
    go: Locator = page.get_by_role("button", name=button)
    field = page.get_by_label(re.compile("^Type the cluster's id"))
    field.wait_for()

    expect(go).to_be_disabled()

    field.fill("another-cluster")
    field.press("Enter")
    page.get_by_text("That is not this cluster's id").wait_for()

    expect(go).to_be_disabled()

    field.fill(cluster_id)
    field.press("Enter")
    page.get_by_text("Ready. All checks").wait_for()
    go.click()
    return time.monotonic()


def downloaded(page: Page, button: str, folder: Path) -> Path:
    """Click a download and keep its file."""
    with page.expect_download() as waiting:
        page.get_by_role("button", name=button).click()
    file = folder / waiting.value.suggested_filename
    waiting.value.save_as(file)
    return file


def test_kafka_carries_out_the_plan_of_a_dragged_tile_and_its_rollback(
    lab: Lab, new_page: Callable[..., Page], tmp_path: Path
) -> None:
    """Broker 2 is dragged out; Kafka's reassign tool accepts the plan, the replicas end where it says, no others moved.

    Then the downloaded rollback is carried out and every list is as it was, in order. Both texts say in a key of
    Reseat's own what they were made for, which the tool passes over.
    """
    cluster = lab.cluster
    before = layout_of(cluster)
    held = sum(2 in replicas for replicas in before.assignments().values())
    page = new_page()
    racks = "".join(f"{broker},{rack}\n" for broker, rack in RACKS.items())
    files = {"describe.txt": cluster.describe(), "racks.csv": f"broker,rack\n{racks}"}
    open_files(page, lab.reading, files, then="Board")
    drag(page, tile(page, 2), page.locator(".tray"))
    says(page, f"Draining broker 2: {held} replicas move, the proven minimum.")
    to(page, "Plan")
    says(page, f"{held} replicas move")
    plan = downloaded(page, "Plan (plan.json)", tmp_path)
    rollback = downloaded(page, "Rollback (rollback.json)", tmp_path)
    certificate = json.loads(downloaded(page, "Certificate (certificate.json)", tmp_path).read_text())
    listed = {(row["topic"], row["partition"]): row["replicas"] for row in json.loads(plan.read_text())["partitions"]}

    assert held == certificate["moves"] == certificate["least_moves"]
    assert set(listed) >= {key for key, replicas in before.assignments().items() if 2 in replicas}
    assert read_sealed(plan.read_bytes()).layout_hash == layout_hash(before)
    assert read_sealed(rollback.read_bytes()).intact

    carry_out(cluster, plan)
    await_assignments(cluster, before.assignments() | listed)

    assert not any(2 in replicas for replicas in layout_of(cluster).assignments().values())

    carry_out(cluster, rollback)
    await_assignments(cluster, before.assignments())


def test_a_broker_is_drained_verified_and_taken_back_in_the_browser(
    lab: Lab, new_page: Callable[..., Page], tmp_path: Path
) -> None:
    """Dragged out, approved, executed, verified by Kafka's own tool, rolled back to the very lists; leaders elected.

    Where writing is not enabled, the same plan is shown and there is nothing to type and no button that sends it.
    """
    cluster = lab.cluster
    kind = cluster.kind.partition("-")[0]
    before = layout_of(cluster).assignments()
    held = sum(2 in replicas for replicas in before.values())
    page = new_page(color_scheme="light")
    connect(page, lab.writing)
    to(page, "Board")
    drag(page, tile(page, 2), page.locator(".tray"))
    says(page, f"Draining broker 2: {held} replicas move")
    to(page, "Execute")
    says(page, re.compile(rf"Draining broker 2 on lab: {held} replicas move; (all checks passed|no check failed)"))
    unlock(page)
    if kind == "kraft":
        page.get_by_text("Cordon broker 2 first", exact=True).click()
        page.get_by_text("Broker 2 is cordoned before anything moves").wait_for()
    else:
        page.get_by_text("this Kafka cannot cordon a broker").wait_for()
    seen(page, f"state-operate-{kind}-ready")

    assert lab.in_journal(lambda journal: journal.runs()) == ()

    cluster_id = page.locator(".st-key-confirm-plan-plan code").inner_text()
    clicked = confirm(page, cluster_id, f"Move {held} replicas on lab")
    page.get_by_text("Verified.").wait_for()
    seconds = time.monotonic() - clicked
    page.get_by_text("Broker 2 is drained").wait_for()
    if kind == "kraft":
        page.get_by_text("Run 1 cordoned broker 2").wait_for()

        assert cordoned(cluster) == {2}
    seen(page, f"state-operate-{kind}-verified")
    _note(kind, held, seconds)

    run = lab.in_journal(lambda journal: journal.runs()[0])
    (tmp_path / "plan.json").write_text(run.plan)
    said = cluster.tool("reassign", "--reassignment-json-file", str(tmp_path / "plan.json"), "--verify")

    assert said.count("is complete") + said.count("is completed") >= len(json.loads(run.plan)["partitions"]), said
    assert not any(2 in replicas for replicas in layout_of(cluster).assignments().values())

    reader = new_page(color_scheme="dark")
    connect(reader, lab.reading)
    to(reader, "Board")
    tile(reader, 3).focus()
    reader.keyboard.press("Delete")
    says(reader, "Draining broker 3")
    to(reader, "Execute")
    reader.get_by_text("Read-only.").wait_for()
    says(reader, "Draining broker 3 on lab")
    reader.get_by_text("RESEAT_OPERATE=1").wait_for()
    reader.get_by_role("button", name="Run 1").wait_for()
    seen(reader, f"state-operate-{kind}-read-only")

    expect(reader.get_by_role("button", name=re.compile("^Move|replicas on lab"))).to_have_count(0)
    expect(reader.get_by_label(re.compile("^Type the cluster's id"))).to_have_count(0)

    page.get_by_role("button", name="Roll back").click()
    says(page, re.compile(rf"Rolling back run 1 on lab: {held} replicas move; (all checks passed|no check failed)"))
    if kind == "zookeeper":
        page.get_by_text("Through ZooKeeper", exact=True).click()
    confirm(page, cluster_id, "Roll back run 1")
    page.get_by_text("Run 2, the rollback of run 1").first.wait_for()
    page.get_by_text("Verified.").wait_for()
    seen(page, f"state-operate-{kind}-taken-back")
    await_assignments(cluster, before)

    assert cordoned(cluster) == frozenset()
    expect(page.get_by_role("button", name="Lift the cordon")).to_have_count(0)

    hold_election(page, cluster, cluster_id)


def cordoned(cluster: KafkaCluster) -> frozenset[int]:
    """The brokers that get no new replica."""
    target = AdminTarget(Connection(bootstrap=tuple(cluster.bootstrap.split(","))))
    try:
        return target.cordoned(sorted(RACKS))
    finally:
        target.close()


def hold_election(page: Page, cluster: KafkaCluster, cluster_id: str) -> None:
    """At least two partitions are led by their second replica: an election puts that right, as previewed."""
    page.locator(".st-key-strip-what-if, .st-key-strip").locator("[class*='st-key-chip-out-']").get_by_role(
        "button"
    ).click()
    page.locator(".st-key-strip").get_by_role("button", name="Refresh").click()
    to(page, "Leaders")
    page.get_by_text("Run an election", exact=True).click()
    confirm(page, cluster_id, re.compile(r"Elect preferred leaders of \d+ partitions on lab"))
    outcome = page.locator(".st-key-election-outcome")
    outcome.get_by_text("The result matches the preview.").wait_for()
    seen(page, f"state-operate-{cluster.kind.partition('-')[0]}-elected")

    expect(outcome.get_by_text("differed")).to_have_count(0)

    layout = layout_of(cluster)

    assert (layout.leader_ids == layout.replica_ids[:, 0]).all()


def _note(kind: str, replicas: int, seconds: float) -> None:
    """Keep how long it took from the click to the verdict, for the note."""
    folder = Path(os.environ.get("RESEAT_FIGURES", ROOT / "build" / "figures"))
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"click-to-verified-{kind}.txt").write_text(f"{replicas} replicas: {seconds:.1f} s\n")
