"""``generate``: what Kafka's own prints, with the fewest moves; refused in its words."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from reseat.cli import main
from reseat.formats.documents.snapshot_writer import write_snapshot
from reseat.model import Broker, ClusterLayout, LogDirectory, Snapshot
from reseat.placement.striped import RackMode
from reseat.planning.kinds.onto import onto_brokers

LAYOUT = ClusterLayout.from_assignments(
    {("a", 0): [1, 2], ("a", 1): [2, 3], ("b", 0): [1, 3]},
    brokers=[Broker(1, "x"), Broker(2, "y"), Broker(3, "x"), Broker(4, "y")],
)


def test_only_what_is_elsewhere_moves_and_other_topics_are_left_alone() -> None:
    """Broker 1 is not listed: one replica of topic a moves, and topic b is none of its business."""
    plan, notes = onto_brokers(LAYOUT, ["a"], [2, 3, 4])

    assert plan.proposed.topics == ("a",)
    assert plan.proposed.assignments()["a", 1] == [2, 3]
    assert sorted(plan.proposed.assignments()["a", 0]) == [2, 3]
    assert plan.certificate.moves == 1
    assert plan.certificate.moves_proven
    assert notes == ()


def test_racks_count_unless_they_are_disabled() -> None:
    """With racks a partition of brokers 1 and 3, one rack, gets one of each; without, the emptiest is as good."""
    enforced, _ = onto_brokers(LAYOUT, ["b"], [3, 4])
    disabled, notes = onto_brokers(LAYOUT, ["b"], [3, 4, 99], rack_mode=RackMode.DISABLED)

    assert sorted(enforced.proposed.assignments()["b", 0]) == [3, 4]
    assert enforced.certificate.rack_violations_after == 0
    assert disabled.certificate.rack_sum_of_squares is None
    assert notes == ("Broker 99 is unknown here; the tool drops such ids silently.",)


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    """A layout, and topics to move."""
    layout, topics = tmp_path / "layout.json", tmp_path / "topics.json"
    lists = [{"topic": "a", "partition": 0, "replicas": [1, 2]}, {"topic": "b", "partition": 0, "replicas": [2, 3]}]
    layout.write_text(json.dumps({"version": 1, "partitions": lists}))
    topics.write_text('{"version":1,"topics":[{"topic":"a"}]}')
    return str(layout), str(topics)


def test_another_version_is_refused_as_kafkas_tool_refuses_it(
    files: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    """In its words."""
    layout, topics = files
    Path(topics).write_text('{"version":2,"topics":[{"topic":"a"}]}')
    assert main(["generate", "--topics-to-move-json-file", topics, "--broker-list", "2,3", "--layout", layout]) == 2
    assert "Not supported version field value 2" in capsys.readouterr().err


@pytest.mark.parametrize(
    "cluster",
    [["--bootstrap-server", "kafka1:9092"], ["--zookeeper", "zk1:2181"], ["--command-config", "a.properties"]],
)
def test_a_layout_and_a_cluster_are_not_both_taken(
    cluster: list[str], files: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    """The cluster would be left aside in silence, and its proposal made of a file."""
    layout, topics = files
    words = ["generate", "--topics-to-move-json-file", topics, "--broker-list", "2,3", *cluster, "--layout", layout]

    assert main(words) == 2
    assert "--layout stands in the place of a cluster" in capsys.readouterr().err


def test_what_was_not_read_and_what_has_no_room_is_said(
    files: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As ``plan`` says it: Kafka's tool would execute what is on standard output."""
    _, topics = files
    described, full = tmp_path / "describe.txt", tmp_path / "full.json"
    row = "Topic: a\tPartition: 0\tLeader: 1\tReplicas: 1,2\tIsr: 1,2\n"
    described.write_text(f"{row}Topic: b\tPartition: 0\tLeader: 3\tReplicas: 3\tIsr: 3\nand more of it\n")
    layout = ClusterLayout.from_assignments(
        {("a", 0): [1, 2]}, brokers=[Broker(1), Broker(2), Broker(3)], size_bytes={("a", 0): 40e9}
    )
    disks = (LogDirectory(3, "/a", 10**11, 10**9),)
    full.write_bytes(write_snapshot(Snapshot(layout, datetime(2026, 5, 1, tzinfo=UTC), "admin", log_dirs=disks)))

    def said(name: Path) -> str:
        words = ["generate", "--topics-to-move-json-file", topics, "--broker-list", "2,3", "--layout", str(name)]
        assert main(words) == 0
        return capsys.readouterr().err

    assert f"1 line of {described} was skipped" in said(described)
    assert "broker 3 has 1.0 GB left and would get 40.0 GB" in said(full)


def test_it_prints_what_kafkas_tool_prints(files: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    """Both assignments on standard output, log directories any; what is proven on standard error."""
    layout, topics = files
    code = main(["generate", "--topics-to-move-json-file", topics, "--broker-list", "2,3", "--layout", layout])
    said = capsys.readouterr()

    assert code == 0
    assert said.out == (
        "Current partition replica assignment\n"
        '{"version":1,"partitions":[{"topic":"a","partition":0,"replicas":[1,2],"log_dirs":["any","any"]}]}\n'
        "\n"
        "Proposed partition reassignment configuration\n"
        '{"version":1,"partitions":[{"topic":"a","partition":0,"replicas":[3,2],"log_dirs":["any","any"]}]}\n'
    )
    assert "1 replica moves, the proven minimum" in said.err


@pytest.mark.parametrize(
    ("topics", "brokers", "why"),
    [
        ('{"version":1,"topics":[{"topic":"a"}]}', "2,2", "Broker list contains duplicate entries: [2]"),
        (
            '{"topics":[{"topic":"a"},{"topic":"a"}]}',
            "2,3",
            "List of topics to reassign contains duplicate entries: [a]",
        ),
        ('{"topics":[{"topic":"c"}]}', "2,3", "Topic c not found."),
        ('{"topics":[{"topic":"a"}]}', "2", "Replication factor 2 needs as many brokers, but only 1 broker"),
        ('{"topics":[]}', "2", 'A file such as {"version":1,"topics":[{"topic":"orders"}]} was expected.'),
        ("topics", "2", 'A file such as {"version":1,"topics":[{"topic":"orders"}]} was expected.'),
    ],
)
def test_what_cannot_be_is_refused(
    files: tuple[str, str], capsys: pytest.CaptureFixture[str], topics: str, brokers: str, why: str
) -> None:
    """In Kafka's words where it has some, and nothing is printed that could be executed."""
    Path(files[1]).write_text(topics)
    code = main(["generate", "--topics-to-move-json-file", files[1], "--broker-list", brokers, "--layout", files[0]])
    said = capsys.readouterr()

    assert code == 2
    assert said.out == ""
    assert why in said.err


def test_without_a_cluster_it_says_what_is_missing(files: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    """Kafka's tool needs --bootstrap-server; this one can do with a file."""
    assert main(["generate", "--topics-to-move-json-file", files[1], "--broker-list", "2,3"]) == 2
    assert "--bootstrap-server" in capsys.readouterr().err
