"""``plan`` and ``judge``: files written, certificates, refusals."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from reseat.cli import main

#: The documented example: broker 1 is to leave.
TOPIC_REASSIGN = {0: [0, 2], 1: [1, 0], 2: [2, 1], 3: [0, 1]}

CERTIFICATE_KEYS = {
    "moves",
    "least_moves",
    "moves_proven",
    "rack_sum_of_squares",
    "replica_sum_of_squares",
    "replica_balance_proven",
    "leader_sum_of_squares",
    "leader_balance_proven",
    "rack_violations_before",
    "rack_violations_after",
}


def written(path: Path, lists: dict[int, list[int]], topic: str = "topic-reassign") -> str:
    """A reassignment JSON file; its name."""
    entries = [{"topic": topic, "partition": partition, "replicas": lists[partition]} for partition in lists]
    path.write_text(json.dumps({"version": 1, "partitions": entries}))
    return str(path)


@pytest.fixture
def layout(tmp_path: Path) -> str:
    """The documented example in a file."""
    return written(tmp_path / "layout.json", TOPIC_REASSIGN)


def assignments(path: Path) -> dict[int, list[int]]:
    """Replica lists by partition of a reassignment JSON file."""
    return {entry["partition"]: entry["replicas"] for entry in json.loads(path.read_text())["partitions"]}


def test_removing_a_broker_writes_the_plan_its_rollback_and_its_proof(
    layout: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Three replicas move, partition 0 stays, and the rollback is what was there before."""
    output, rollback, certificate = (tmp_path / name for name in ("plan.json", "rollback.json", "certificate.json"))
    files = ["--output", str(output), "--rollback", str(rollback), "--certificate", str(certificate)]
    code = main(["plan", layout, "--remove", "1", *files])
    proof = json.loads(certificate.read_text())

    assert code == 0
    assert {partition: sorted(lists) for partition, lists in assignments(output).items()} == {
        1: [0, 2],
        2: [0, 2],
        3: [0, 2],
    }
    assert assignments(rollback) == {1: [1, 0], 2: [2, 1], 3: [0, 1]}
    assert set(proof) >= CERTIFICATE_KEYS
    assert (proof["moves"], proof["least_moves"], proof["moves_proven"]) == (3, 3, True)
    assert proof["rack_sum_of_squares"] is None
    assert "3 replicas move. No plan can move fewer. Proven." in capsys.readouterr().out


def test_the_plan_goes_to_standard_output_alone(layout: str, capsys: pytest.CaptureFixture[str]) -> None:
    """With ``--output -`` what is said for a person goes to standard error."""
    assert main(["plan", layout, "--remove", "1", "--output", "-"]) == 0
    out, err = capsys.readouterr()

    assert len(json.loads(out)["partitions"]) == 3
    assert "3 replicas move" in err


def test_only_one_text_can_go_to_standard_output(layout: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Two JSON documents in a row are of no use to anybody."""
    assert main(["plan", layout, "--remove", "1", "--output", "-", "--rollback", "-"]) == 2
    assert capsys.readouterr().out == ""


def test_adding_a_broker_gives_it_its_share(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The documented tp_re_01: five partitions on broker 0, broker 1 added: two move."""
    layout = written(tmp_path / "layout.json", {i: [0] for i in range(5)}, "tp_re_01")
    assert main(["plan", layout, "--add", "1:rack-a", "--json"]) == 0
    proof = json.loads(capsys.readouterr().out)

    assert (proof["moves"], proof["least_moves"]) == (2, 2)
    assert proof["wish"]["add"] == [{"broker": 1, "rack": "rack-a"}]


def test_the_replication_factor_is_changed_for_topics_by_pattern(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """tp_re_02 from one replica to two: three copies."""
    layout = written(tmp_path / "layout.json", {0: [1], 1: [0], 2: [1]}, "tp_re_02")
    assert main(["plan", layout, "--replication-factor", "2", "--topics", "tp_*", "--json"]) == 0

    assert json.loads(capsys.readouterr().out)["moves"] == 3


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--remove", "1,2"], "replication factor 2"),
        (["--remove", "7"], "Broker 7"),
        ([], "Nothing is wished for"),
        (["--replication-factor", "2"], "needs the topics"),
        (["--replication-factor", "2", "--topics", "nope"], "nope"),
        (["--add", "9:a", "--add", "9:b"], "added twice"),
    ],
)
def test_a_wish_that_cannot_be_is_refused_and_nothing_is_written(
    arguments: list[str], says: str, layout: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit 2, one message, no file."""
    output = tmp_path / "plan.json"

    assert main(["plan", layout, *arguments, "--output", str(output)]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert says in err
    assert not output.exists()


def test_an_order_that_is_not_told_needs_the_users_word(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Rpk does not keep the order of replicas: refused, unless the user says that it is right."""
    layout = tmp_path / "rpk.txt"
    layout.write_text(
        "PARTITION  LEADER  EPOCH  REPLICAS  LOG-START-OFFSET  HIGH-WATERMARK\n"
        "0          1       2      [1 2]     0                 10\n"
        "1          2       2      [2 3]     0                 10\n"
    )

    assert main(["plan", str(layout), "--remove", "3", "--json"]) == 2
    assert "order" in capsys.readouterr().err
    assert main(["plan", str(layout), "--remove", "3", "--json", "--order-is-right"]) == 0
    assert json.loads(capsys.readouterr().out)["moves"] == 1


def test_a_file_that_cannot_be_written_is_refused(
    layout: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A directory that does not exist."""
    assert main(["plan", layout, "--remove", "1", "--output", str(tmp_path / "no" / "plan.json")]) == 2
    assert "cannot be written" in capsys.readouterr().err


def test_the_commands_are_those_of_the_clusters_version(layout: str, capsys: pytest.CaptureFixture[str]) -> None:
    """ZooKeeper before 2.6, brokers from then on."""
    main(["plan", layout, "--remove", "1", "--kafka-version", "2.3"])
    old = capsys.readouterr().out
    main(["plan", layout, "--remove", "1", "--kafka-version", "4.1"])
    new = capsys.readouterr().out

    assert "--zookeeper" in old
    assert "--zookeeper" not in new
    assert "--bootstrap-server" in new


def test_what_is_left_out_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A broker whose replicas of other topics stay is not empty afterwards: the person must know."""
    layout = tmp_path / "layout.json"
    layout.write_text(
        '{"version":1,"partitions":[{"topic":"a","partition":0,"replicas":[1,2]},'
        '{"topic":"b","partition":0,"replicas":[1,3]}]}'
    )
    assert main(["plan", str(layout), "--remove", "1", "--without-topics", "b"]) == 0
    out = capsys.readouterr().out

    assert "1 topic is left out and not counted." in out
    assert "Broker 1 keeps 1 replica of the topics left out." in out


def test_contradictions_in_the_layout_are_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two different rows for one partition: both places are named, also where JSON goes to standard output."""
    layout = tmp_path / "layout.txt"
    layout.write_text(
        "Topic: a\tPartition: 0\tLeader: 1\tReplicas: 1,2\tIsr: 1,2\n"
        "Topic: a\tPartition: 0\tLeader: 1\tReplicas: 1,3\tIsr: 1,3\n"
    )
    main(["plan", str(layout), "--add", "4", "--json"])
    err = capsys.readouterr().err

    assert "line 1" in err
    assert "line 2" in err


# ---- judge --------------------------------------------------------------------------------------------------


def test_a_plan_of_ones_own_is_judged_the_best(layout: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What ``plan`` writes, ``judge`` finds without fault and proven."""
    output = tmp_path / "plan.json"
    main(["plan", layout, "--remove", "1", "--output", str(output)])
    capsys.readouterr()

    assert main(["judge", layout, str(output), "--remove", "1", "--json"]) == 0
    proof = json.loads(capsys.readouterr().out)
    assert proof["faults"] == []
    assert proof["moves_proven"]
    assert proof["replica_balance_proven"]
    assert proof["leader_balance_proven"]


def test_kafkas_own_plan_of_the_documented_example_is_valid(
    layout: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It also moves three replicas, and reorders partition 0."""
    other = written(tmp_path / "other.json", {0: [2, 0], 1: [0, 2], 2: [2, 0], 3: [0, 2]})

    assert main(["judge", layout, other, "--remove", "1", "--json"]) == 0
    proof = json.loads(capsys.readouterr().out)
    assert (proof["moves"], proof["least_moves"], proof["changed_partitions"]) == (3, 3, 4)


@pytest.mark.parametrize(
    ("lists", "says"),
    [
        ({1: [0, 0]}, "topic-reassign-1"),
        ({9: [0, 2]}, "topic-reassign-9"),
        ({1: [0]}, "topic-reassign-1"),
        ({1: [1, 2]}, "broker 1"),
    ],
    ids=["duplicates", "unknown partition", "changed RF", "left on the removed broker"],
)
def test_a_broken_plan_is_invalid(
    lists: dict[int, list[int]], says: str, layout: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit 2, the faults in the JSON, one line on standard error."""
    other = written(tmp_path / "other.json", {1: [0, 2], 2: [2, 0], 3: [0, 2]} | lists)

    assert main(["judge", layout, other, "--remove", "1", "--json"]) == 2
    out, err = capsys.readouterr()
    assert any(says in fault for fault in json.loads(out)["faults"])
    assert err.startswith("reseat judge: The plan is invalid: ")
    assert err.count("\n") == 1


def test_a_changed_replication_factor_is_allowed_when_asked(
    layout: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """``--allow-rf-change``."""
    other = written(tmp_path / "other.json", {0: [0, 2, 1]})

    assert main(["judge", layout, other]) == 2
    assert main(["judge", layout, other, "--allow-rf-change"]) == 0


def test_a_partition_twice_in_a_plan_is_a_fault(
    layout: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Reading takes the first telling; Kafka's tool refuses the text, and so does the judge."""
    other = tmp_path / "other.json"
    entry = '{"topic":"topic-reassign","partition":0,"replicas":[2,0]}'
    other.write_text(f'{{"version":1,"partitions":[{entry},{entry}]}}')

    assert main(["judge", layout, str(other)]) == 2
    assert "Kafka's tool refuses this text" in capsys.readouterr().err


def test_an_entry_of_a_plan_that_is_not_understood_is_a_fault(
    layout: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A plan is never judged as if the entries that could not be read were not in it."""
    other = tmp_path / "other.json"
    entries = ",".join(
        f'{{"topic":"topic-reassign","partition":{p},"replicas":{ids}}}' for p, ids in ((0, "[2,0]"), (1, '["2",0]'))
    )
    other.write_text(f'{{"version":1,"partitions":[{entries}]}}')

    assert main(["judge", layout, str(other)]) == 2
    out, err = capsys.readouterr()
    assert "1 entry of 'partitions' was not understood: entry 2 in line 1" in err
    assert out.startswith("The plan must not be carried out: it has 1 fault.")


def test_faults_are_those_of_the_proposed_text_alone(
    layout: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In the whole output of ``--generate``, what is wrong with the current assignment is no fault of the plan."""
    entry = '{"topic":"topic-reassign","partition":0,"replicas":[%s],"log_dirs":["any"%s]}'
    other = tmp_path / "generated.txt"
    for dirs, code in (("", 2), (',"any"', 0)):
        other.write_text(
            f'Current partition replica assignment\n{{"version":1,"partitions":[{entry % ("0,2", "")}]}}\n'
            f'Proposed partition reassignment configuration\n{{"version":1,"partitions":[{entry % ("2,0", dirs)}]}}\n'
        )

        assert main(["judge", layout, str(other)]) == code
        assert ("log_dirs of another length" in capsys.readouterr().err) == bool(code)


def test_one_file_is_not_written_twice_nor_over_the_layout(
    layout: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A rollback over the plan would be lost unseen; a device takes what it is given."""
    plan = str(tmp_path / "plan.json")
    before = Path(layout).read_text()

    assert main(["plan", layout, "--remove", "1", "--output", plan, "--rollback", plan]) == 2
    assert (
        capsys.readouterr().err
        == f"reseat plan: {plan}: --rollback names a file that is written by --output too; name another.\n"
    )
    assert main(["plan", layout, "--remove", "1", "--output", layout]) == 2
    assert Path(layout).read_text() == before
    assert not Path(plan).exists()
    assert main(["plan", layout, "--remove", "1", "--output", "/dev/null", "--rollback", "/dev/null"]) == 0


@pytest.mark.parametrize(
    ("flags", "says"),
    [
        (["--remove", "1", "--max-moves", "1"], "--max-moves goes with --add alone"),
        (["--remove", "1", "--kafka-version", "newest"], "newest is no version of Kafka"),
    ],
)
def test_options_without_effect_are_refused(
    flags: list[str], says: str, layout: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing that was asked for is left aside in silence."""
    assert main(["plan", layout, *flags]) == 2
    assert says in capsys.readouterr().err
