"""``elect``: who leads after a preferred election, or while brokers are stopped."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from reseat.cli import main
from reseat.formats.documents.snapshot_writer import write_snapshot
from reseat.model import ClusterLayout, Quorum, QuorumMember, Snapshot

#: The documented tp_demo_03: created with "0:1,1:0,0:1", all led by broker 1 after broker 0 was away.
DEMO = """\
Topic:tp_demo_03\tPartitionCount:3\tReplicationFactor:2\tConfigs:
\tTopic: tp_demo_03\tPartition: 0\tLeader: 1\tReplicas: 0,1\tIsr: 1,0
\tTopic: tp_demo_03\tPartition: 1\tLeader: 1\tReplicas: 1,0\tIsr: 1,0
\tTopic: tp_demo_03\tPartition: 2\tLeader: 1\tReplicas: 0,1\tIsr: 1
"""


@pytest.fixture
def demo(tmp_path: Path) -> str:
    """The example in a file; partition 2 has lost broker 0 from its ISR."""
    path = tmp_path / "describe.txt"
    path.write_text(DEMO)
    return str(path)


@pytest.mark.parametrize("flags", [[], ["--preferred"]])
def test_a_preferred_election_is_previewed_partition_by_partition(
    flags: list[str], demo: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The default, with the reason of each."""
    assert main(["elect", demo, "--json", *flags]) == 0

    listed = json.loads(capsys.readouterr().out)
    assert list(listed[0]) == ["topic", "partition", "leader_before", "leader_after", "reason", "error"]
    assert [tuple(found.values()) for found in listed] == [
        ("tp_demo_03", 0, 1, 0, "elected", "NONE"),
        ("tp_demo_03", 1, 1, 1, "already led", "ELECTION_NOT_NEEDED"),
        ("tp_demo_03", 2, 1, 1, "preferred replica not in ISR", "PREFERRED_LEADER_NOT_AVAILABLE"),
    ]


def test_a_person_sees_what_changes_and_leaders_by_broker(demo: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Partition 1 is led as it should be, and is not listed."""
    assert main(["elect", demo]) == 0
    out = capsys.readouterr().out

    assert "changes the leader of 1 partition." in out
    assert "tp_demo_03-0" in out
    assert "tp_demo_03-1" not in out


def test_brokers_are_stopped(demo: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Broker 1 stops: 0 takes over where it is in sync, and partition 2 goes offline (-1)."""
    assert main(["elect", demo, "--stopped", "1", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)

    assert [row["leader_after"] for row in rows] == [0, 0, -1]
    assert rows[2]["reason"] == "goes offline"


def test_what_a_stop_means_is_told_beside_the_json(demo: str, capsys: pytest.CaptureFixture[str]) -> None:
    """What no row has, such as replicas that are left in sync, stood in the text alone."""
    assert main(["elect", demo, "--stopped", "1"]) == 0
    told = capsys.readouterr().out.partition("\n\n")[0].splitlines()
    assert main(["elect", demo, "--stopped", "1", "--json"]) == 0

    assert told
    assert set(told) <= set(capsys.readouterr().err.splitlines())


def test_an_unclean_election_takes_the_next_alive(demo: str, capsys: pytest.CaptureFixture[str]) -> None:
    """With ``--unclean``."""
    main(["elect", demo, "--stopped", "1", "--unclean", "--json"])

    assert [row["leader_after"] for row in json.loads(capsys.readouterr().out)] == [0, 0, 0]


def test_a_leader_that_is_not_told_is_null(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """And one that is none is -1: they are not the same."""
    path = tmp_path / "plan.json"
    path.write_text('{"version":1,"partitions":[{"topic":"t \\"quoted\\"","partition":7,"replicas":[3,4]}]}')
    main(["elect", str(path), "--json"])

    assert json.loads(capsys.readouterr().out) == [
        {
            "topic": 't "quoted"',
            "partition": 7,
            "leader_before": None,
            "leader_after": 3,
            "reason": "leader not told",
            "error": "NONE",
        }
    ]


def test_stopping_a_broker_that_is_not_there_is_refused(demo: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit 2."""
    assert main(["elect", demo, "--stopped", "9"]) == 2
    assert "Broker 9 is not in this layout" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("flags", "says"),
    [(["--unclean"], "--unclean needs --stopped"), (["--preferred", "--stopped", "1"], "exclude each other")],
)
def test_options_that_would_do_nothing_are_refused(
    flags: list[str], says: str, demo: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """An option without effect is never taken in silence."""
    assert main(["elect", demo, *flags]) == 2
    assert says in capsys.readouterr().err


def test_the_shorter_name_still_works_and_a_majority_stands_beside_it(
    demo: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """``--stop``; two replicas survive one failure here, and a majority would need three."""
    assert main(["elect", demo, "--stop", "1"]) == 0
    out = capsys.readouterr().out

    assert "1 partition goes offline" in out
    assert "a majority quorum needs 2 f + 1: 9 replicas instead of 6." in out


def test_a_whole_rack_is_stopped(demo: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Broker 1 is all of rack b; a rack that is not there is refused with those that are."""
    racks = tmp_path / "racks.csv"
    racks.write_text("broker,rack\n0,a\n1,b\n")
    assert main(["elect", demo, "--racks", str(racks), "--stopped-racks", "b", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)

    assert [row["leader_after"] for row in rows] == [0, 0, -1]

    assert main(["elect", demo, "--racks", str(racks), "--stopped-racks", "z"]) == 2
    assert "Rack z is not in this layout. It has the racks a and b." in capsys.readouterr().err


@pytest.mark.parametrize("words", [[], ["--json"]])
@pytest.mark.parametrize("election", [[], ["--stopped", "1"], ["--partitions"]])
def test_what_was_not_read_is_said(
    election: list[str], words: list[str], demo: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of every election, and on standard error where there is JSON."""
    Path(demo).write_text(DEMO + "\tTopic: tp_demo_03\tPartition: 3\tLead\n")
    if election == ["--partitions"]:
        named = tmp_path / "election.json"
        named.write_text('{"partitions": [{"topic": "tp_demo_03", "partition": 0}]}')
        election = ["--partitions", str(named)]

    assert main(["elect", demo, *election, *words]) == 0
    said = capsys.readouterr()
    assert f"1 line of {demo} was skipped: reseat show lists them." in (said.err if words else said.out)


@pytest.mark.parametrize("named", [[], ["--controller", "zookeeper"]])
def test_a_layout_of_kraft_is_previewed_as_kraft(
    named: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Only its controller keeps eligible leader replicas; a controller that is named counts all the same."""
    layout = tmp_path / "layout.txt"
    layout.write_text(
        "Topic: t\tPartition: 0\tLeader: 1\tReplicas: 1,2\tIsr: 1\tElr: 2\tLastKnownElr: \n"
        "Topic: t\tPartition: 1\tLeader: 2\tReplicas: 2\tIsr: 2\tElr: \tLastKnownElr: \n"
    )

    assert main(["elect", str(layout), "--stopped", "1", *named]) == 0
    said = capsys.readouterr().out
    assert ("eligible replica takes over" in said) is not bool(named)
    assert ("controlled.shutdown" in said) is bool(named)


def test_a_snapshot_tells_its_controller(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Kafka 4.0 keeps no eligible replicas by default, and has no other controller."""
    layout = ClusterLayout.from_assignments({("t", 0): [1]}, leaders={("t", 0): 1}, in_sync={("t", 0): [1]})
    taken = Snapshot(layout=layout, taken_at=datetime(2026, 1, 1, tzinfo=UTC), protocol="admin", metadata="kraft")
    file = tmp_path / "snapshot.json"
    file.write_bytes(write_snapshot(taken))

    assert main(["elect", str(file), "--stopped", "1"]) == 0
    assert "controlled.shutdown" not in capsys.readouterr().out


def test_an_unclean_leader_is_a_leader_beside_a_majority(demo: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Of t-0: out of sync, 2 and 3 could decide; one of them leads."""
    alive = "Topic: u\tPartition: 0\tLeader: 2\tReplicas: 2,3\tIsr: 2,3\n"
    Path(demo).write_text(f"Topic: t\tPartition: 0\tLeader: 1\tReplicas: 1,2,3\tIsr: 1\n{alive}")

    assert main(["elect", demo, "--stopped", "1", "--unclean"]) == 0
    said = capsys.readouterr().out
    assert "1 partition gets an out-of-sync leader" in said
    assert "a majority quorum of the same replicas keeps the same partitions available." in said
    assert "but no leader" not in said


def test_a_partition_that_is_named_twice_is_refused(
    demo: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As kafka-leader-election refuses it, before it asks the cluster."""
    named = tmp_path / "election.json"
    named.write_text(json.dumps({"partitions": [{"topic": "tp_demo_03", "partition": 0}] * 2}))

    assert main(["elect", demo, "--partitions", str(named)]) == 2
    assert "names tp_demo_03-0 twice" in capsys.readouterr().err


def test_an_election_of_named_partitions_is_answered_as_kafka_answers_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In the order named: one gets its preferred leader, one has it, one does not exist."""
    layout, named = tmp_path / "layout.txt", tmp_path / "election.json"
    layout.write_text(
        "Topic: t\tPartition: 0\tLeader: 2\tReplicas: 1,2\tIsr: 1,2\n"
        "Topic: t\tPartition: 1\tLeader: 2\tReplicas: 2,1\tIsr: 1,2\n"
    )
    entries = [{"topic": "t", "partition": number} for number in (1, 0, 7)]
    named.write_text(json.dumps({"partitions": entries}))

    assert main(["elect", str(layout), "--partitions", str(named), "--json"]) == 0
    assert [(one["partition"], one["leader_after"], one["error"]) for one in json.loads(capsys.readouterr().out)] == [
        (1, 2, "ELECTION_NOT_NEEDED"),
        (0, 1, "NONE"),
        (7, -1, "UNKNOWN_TOPIC_OR_PARTITION"),
    ]
    assert main(["elect", str(layout), "--partitions", str(named)]) == 0
    assert capsys.readouterr().out.startswith("1 partition of 3 would get another leader.")
    assert main(["elect", str(layout), "--partitions", str(named), "--stopped", "1"]) == 2
    assert main(["elect", str(layout), "--partitions", str(layout)]) == 2


def test_what_the_controllers_quorum_loses_with_stopped_brokers_is_said(tmp_path: Path, capsys) -> None:
    """A snapshot of a live cluster tells the quorum; without a majority of it nobody is elected."""
    layout = ClusterLayout.from_assignments({("t", 0): [1, 2, 3]}, leaders={("t", 0): 1}, in_sync={("t", 0): [1, 2, 3]})
    quorum = Quorum(1, tuple(QuorumMember(one, behind_seconds=0.1) for one in (1, 2, 3)))
    file = tmp_path / "now.json"
    file.write_bytes(write_snapshot(Snapshot(layout, datetime(2026, 5, 1, tzinfo=UTC), "admin", quorum=quorum)))

    assert main(["elect", str(file), "--stopped", "1,2"]) == 0
    assert "2 of 3 voters of the controller quorum (1 and 2): it is lost." in capsys.readouterr().out
    assert main(["elect", str(file), "--stopped", "2", "--json"]) == 0
    assert "controller quorum (2): it goes on, and no other may fail." in capsys.readouterr().err
