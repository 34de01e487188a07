"""Every command that Reseat prints runs on real Kafka, with its own tools, without a word of deprecation."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from reseat.cli import main
from reseat.formats import read
from reseat.formats.documents.writers import write_preferred_election, write_reassignment, write_rollback
from reseat.formats.text.commands import commands
from reseat.migration import MigrationRequest, migrate
from reseat.model import ClusterLayout, Plan, Wish
from reseat.placement.topic_spec import TopicSpec
from reseat.placement.topic_texts import create_command
from reseat.planning.plan import plan
from tests.conftest import missing
from tests.operate.live_cluster import OpenTarget, as_told, connection_to, create_everywhere, until
from tests.servers import cluster as servers

pytestmark = pytest.mark.kafka
#: Broker 1 is drained, and gets all back by the rollback.
TOPIC = {0: [1, 2], 1: [2, 3], 2: [3, 1], 3: [1, 3]}
#: What Kafka prints wherever a throttle is set; the Verify that Reseat prints beside it is what it asks for.
_ADVICE = re.compile(r"Warning: You must run --verify periodically[^\n]*")
_COMPLAINT = re.compile(r"warn|deprecat|error|fail|invalid", re.IGNORECASE)


@pytest.fixture(
    scope="module", params=["zookeeper-2.8", pytest.param("kraft-4.1", marks=pytest.mark.slow), "kraft-4.4"]
)
def cluster(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[servers.KafkaCluster]:
    """Three brokers of each kind, one after the other; 4.1 is told what 2.8 is told (``formats/test_commands``)."""
    reason = servers.missing()
    if reason:
        missing("kafka", reason)
    # Nothing but the printed commands may elect.
    settings = {"auto.leader.rebalance.enable": "false"}
    racks = {1: None, 2: None, 3: None}
    running = servers.start(request.param, tmp_path_factory.mktemp("commands"), racks, apart=(), **settings)
    try:
        yield running
    finally:
        running.stop()


def version_of(cluster: servers.KafkaCluster) -> str:
    """As the kind is named: the version whose commands are printed."""
    return cluster.kind.rpartition("-")[2]


def layout_of(cluster: servers.KafkaCluster) -> ClusterLayout:
    """The cluster as its own tool describes it."""
    return read(cluster.describe("--topic", "orders")).layout


def run_all(cluster: servers.KafkaCluster, folder: Path, made: Plan) -> dict[str, str]:
    """Run every printed command once, in the printed order, a Verify until it finds nothing unfinished."""
    files = {name: folder / f"{name}.json" for name in ("plan", "rollback", "election")}
    files["plan"].write_text(write_reassignment(made))
    files["rollback"].write_text(write_rollback(made))
    files["election"].write_text(write_preferred_election(made.proposed, made.changed))
    settings = folder / "client.properties"
    settings.write_text("request.timeout.ms=30000\n")
    printed = commands(
        version_of(cluster),
        plan_file=str(files["plan"]),
        rollback_file=str(files["rollback"]),
        election_file=str(files["election"]),
        bootstrap=cluster.bootstrap,
        zookeeper=cluster.zookeeper or "",
        throttle=50_000_000,
        command_config=str(settings),
    )
    said = {}
    for command in printed:
        text = cluster.run_command(command.text)
        for _ in range(20 if command.title.startswith("Verify") else 0):
            if "still in progress" not in text:
                break
            text = cluster.run_command(command.text)
        said[command.title] = text
    return said


def there(cluster: servers.KafkaCluster, topic: str, *lists: list[int], then: list[int] | None = None) -> None:
    """Make a topic, and give its only partition another list: not by tools, of which each takes a JVM."""
    with closing(OpenTarget(connection_to(cluster))) as target:
        assert create_everywhere(target, TopicSpec.placed(topic, dict(enumerate(lists)))).made
        if then is not None:
            assert target.reassign({(topic, 0): then}) == {(topic, 0): None}
            assert until(lambda: as_told(target, (topic, 0)).replicas == tuple(then) and not target.reassigning())


def test_every_printed_command_runs_without_a_complaint(cluster: servers.KafkaCluster, tmp_path: Path) -> None:
    """Each as a person would paste it, from the topic to the rollback's election, and none touches another topic."""
    where = {"bootstrap": cluster.bootstrap, "zookeeper": cluster.zookeeper or ""}
    created = cluster.run_command(create_command(TopicSpec.placed("orders", TOPIC), version_of(cluster), **where))
    there(cluster, "other", [2, 3], then=[3, 2])  # led by 2 though 3 is preferred, and none of the plan's
    before = layout_of(cluster)
    made = plan(before, Wish(remove=(1,)))
    said = run_all(cluster, tmp_path, made)
    now = read(cluster.describe()).layout
    after, other = (now.without_topics(set(now.topics) - {topic}) for topic in ("orders", "other"))

    assert "Created topic orders" in created
    assert made.changed.any()
    assert "is complete" in said["Verify"]
    assert "orders" in said["Check the result"]
    assert "is complete" in said["Verify the rollback"]
    assert after.assignments() == before.assignments()
    assert (other.assignments(), other.leader_ids.tolist()) == ({("other", 0): [3, 2]}, [2])
    for title, text in {"Create": created, **said}.items():
        assert not _COMPLAINT.search(_ADVICE.sub("", text)), f"{title}: {text}"


def partitions_of(document: str) -> list[dict[str, Any]]:
    """The partitions of a reassignment JSON in their order; newer tools name present log directories, older say any."""
    told: list[dict[str, Any]] = sorted(json.loads(document)["partitions"], key=lambda one: one["partition"])
    return [{key: value for key, value in one.items() if key != "log_dirs"} for one in told]


def test_generate_says_what_kafkas_own_says_and_its_tool_executes_it(
    cluster: servers.KafkaCluster, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """The same words around the same present assignment; the proposal moves what is elsewhere, and nothing else."""
    there(cluster, "onto", [1, 2], [2, 3], [3, 1])
    topics, proposal = tmp_path / "topics.json", tmp_path / "proposal.json"
    topics.write_text('{"version":1,"topics":[{"topic":"onto"}]}')
    asked = ["--topics-to-move-json-file", str(topics), "--broker-list", "2,3"]
    theirs = cluster.tool("reassign", *asked, "--generate").strip().splitlines()
    capfd.readouterr()
    assert main(["generate", *asked, "--bootstrap-server", cluster.bootstrap]) == 0
    ours = capfd.readouterr().out.strip().splitlines()
    proposal.write_text(ours[4])
    for act in ("--execute", "--verify"):
        said = cluster.tool("reassign", "--reassignment-json-file", str(proposal), act)

    assert [ours[at] for at in (0, 2, 3)] == [theirs[at] for at in (0, 2, 3)]
    assert partitions_of(ours[1]) == partitions_of(theirs[1])
    assert [set(one["replicas"]) for one in partitions_of(ours[4])] == [{2, 3}] * 3
    assert partitions_of(ours[4])[1]["replicas"] == [2, 3]
    assert "onto-1 is complete" in said or "partition onto-1 is completed" in said


def test_topics_of_a_migration_are_created_as_placed(cluster):
    """One that is new, with its min.insync.replicas, and one that lacks partitions: the lists are those told."""
    there(cluster, "there", [1, 2])
    source = ClusterLayout.from_columns(
        topics=("fresh", "there"),
        topic_of=[0] * 4 + [1] * 3,
        partition=[0, 1, 2, 3, 0, 1, 2],
        replicas=[[1, 2]] * 7,
        min_in_sync=[2, -1],
    )
    made = migrate(source, read(cluster.describe()).layout, MigrationRequest(version=version_of(cluster)))

    for command in made.commands:
        assert not _COMPLAINT.search(cluster.run_command(command.replace("TARGET:9092", cluster.bootstrap)))
    now = read(cluster.describe()).layout
    wanted = made.after.layout.without_topics(set(now.topics) - {"fresh", "there"})

    assert len(made.commands) == 2
    assert now.without_topics(set(now.topics) - {"fresh", "there"}).assignments() == wanted.assignments()
    assert "min.insync.replicas=2" in cluster.describe("--topic", "fresh")
