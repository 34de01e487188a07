"""``plan`` and ``judge``: files written, certificates, refusals."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from reseat.cli import main
from reseat.demo.generate import generate
from reseat.formats.documents.snapshot_writer import write_snapshot
from reseat.formats.tables.table import write_csv
from reseat.model import Broker, ClusterLayout, LogDirectory, Quorum, QuorumMember, Snapshot

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
    assert "3 replicas move, the proven minimum (racks unknown)." in capsys.readouterr().out


def test_a_drained_broker_that_votes_in_the_controller_quorum_is_said_to(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A snapshot tells who does; of other brokers nothing is said."""
    layout = ClusterLayout.from_assignments({("t", 0): [1, 2], ("t", 1): [3, 4]})
    quorum = Quorum(1, tuple(QuorumMember(one, behind_seconds=0.1) for one in (1, 2, 3)))
    file = tmp_path / "now.json"
    file.write_bytes(write_snapshot(Snapshot(layout, datetime(2026, 5, 1, tzinfo=UTC), "admin", quorum=quorum)))

    assert main(["plan", str(file), "--no-racks", "--remove", "3"]) == 0
    assert "Broker 3 votes in the controller quorum: without it no other may fail." in capsys.readouterr().out
    assert main(["plan", str(file), "--no-racks", "--remove", "4"]) == 0
    assert "controller quorum" not in capsys.readouterr().out


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
        (["--remove", "1,2"], "Replication factor 2"),
        (["--remove", "7"], "Broker 7"),
        ([], "No change requested"),
        (["--replication-factor", "2"], "needs both the topics"),
        (["--replication-factor", "2", "--topics", "nope"], "nope"),
        (["--add", "9:a", "--add", "9:b"], "added twice"),
        (["--remove", "0", "--never-onto", "1"], "is removed. Without any one of them there is a plan."),
        (["--remove", "0", "--never-onto", "1,2,3"], "can hold together, but more of the change may be refused."),
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


def test_json_has_every_demand_that_the_message_counts(
    layout: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Twelve limits and the broker that leaves; what is refused by itself has none."""
    rows = {at: [at % 13] for at in range(26)}
    limits = [f"--capacity={broker}=2" for broker in range(1, 13)]

    assert main(["plan", written(tmp_path / "many.json", rows), "--remove", "0", *limits, "--json"]) == 2
    out, err = capsys.readouterr()
    told = json.loads(out)
    assert "; broker 9 holds at most 2 replicas; 3 more of this kind; broker 0 is removed. " in err
    assert told["demands"] == [*(f"broker {b} holds at most 2 replicas" for b in range(1, 13)), "broker 0 is removed"]
    assert told["demands_all_needed"] is True
    assert told["refused"] in err

    assert main(["plan", layout, "--remove", "7", "--json"]) == 2
    told = json.loads(capsys.readouterr().out)
    assert (told["demands"], told["demands_all_needed"]) == ([], None)


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


def test_a_plan_is_not_written_without_its_rollback(
    layout: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """All files or none: a plan from before stays whole, too."""
    plan = tmp_path / "plan.json"
    plan.write_text("before")
    files = ["--output", str(plan), "--rollback", str(tmp_path / "no" / "rollback.json")]

    assert main(["plan", layout, "--remove", "1", *files]) == 2
    assert "rollback.json: The file cannot be written" in capsys.readouterr().err
    assert [file.read_text() for file in tmp_path.glob("plan*")] == ["before"]


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

    assert "1 topic is excluded and not counted." in out
    assert "Broker 1 keeps 1 replica of the excluded topics." in out


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
    "half",
    [["--topics", "topic-reassign"], ["--replication-factor", "3"], ["--remove", "1", "--replication-factor", "3"]],
)
def test_half_a_change_is_refused_before_a_plan_is_judged_by_it(
    half: list[str], layout: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """It was valid by a change that asks for nothing; with topics, of any replication factor."""
    assert main(["judge", layout, layout, *half]) == 2

    out, err = capsys.readouterr()
    assert (out, "needs both the topics and the factor" in err) == ("", True)


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


def test_judge_says_what_was_not_read_of_the_layout(
    layout: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also with JSON; a topic of the plan that the layout lacks is a fault, and no topic that was excluded."""
    described = tmp_path / "describe.txt"
    described.write_text("Topic: t\tPartition: 0\tLeader: 1\tReplicas: 1,2\tIsr: 1,2\nTopic: t\tPartition: 1\tLead\n")
    skipped = f"1 line of {described} was skipped: reseat show lists them."
    plan = written(tmp_path / "plan.json", {0: [2, 1]}, "t")

    assert main(["judge", str(described), plan]) == 0
    assert skipped in capsys.readouterr().out
    assert main(["judge", str(described), plan, "--json"]) == 0
    assert skipped in capsys.readouterr().err
    assert main(["judge", str(described), written(tmp_path / "plan.json", {0: [2, 1]}, "nowhere")]) == 2
    assert "excluded" not in capsys.readouterr().out


@pytest.mark.parametrize("words", [[], ["--json"]])
def test_judge_says_what_was_not_read_of_the_plan(
    words: list[str], layout: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Beside JSON as well: what a plan's text has and nobody read is no part of the proof."""
    plan = tmp_path / "plan.txt"
    written(plan, {0: [0, 2]})
    plan.write_text(f"Proposed partition reassignment configuration\n{plan.read_text()}\nand more of it\n")

    main(["judge", layout, str(plan), *words])
    said = capsys.readouterr()
    assert "1 line of" in (said.err if words else said.out)


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
    assert "The plan must not be executed: it has 1 fault." in out


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
        assert ("log_dirs of a different length" in capsys.readouterr().err) == bool(code)


def test_links_that_lead_in_a_ring_are_refused(layout: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """They ended with an internal error."""
    ring = tmp_path / "ring"
    ring.symlink_to(ring)

    assert main(["plan", layout, "--wish", str(ring)]) == 2
    assert "cannot be read: Too many levels of symbolic links" in capsys.readouterr().err


def test_one_file_is_not_written_twice_nor_over_the_layout(
    layout: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A rollback over the plan would be lost unseen; a device takes what it is given."""
    plan = str(tmp_path / "plan.json")
    before = Path(layout).read_text()

    assert main(["plan", layout, "--remove", "1", "--output", plan, "--rollback", plan]) == 2
    assert (
        capsys.readouterr().err
        == f"reseat plan: {plan}: --rollback names a file that is written by --output; choose another.\n"
    )
    assert main(["plan", layout, "--remove", "1", "--output", layout]) == 2
    assert Path(layout).read_text() == before
    assert not Path(plan).exists()
    assert main(["plan", layout, "--remove", "1", "--output", "/dev/null", "--rollback", "/dev/null"]) == 0


def test_a_plan_goes_to_another_program_once_all_files_can_be_written(
    layout: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As shells name one, ``--output >(jq .)``: its place is a pipe that stands in no folder."""
    reader, writer = os.pipe()
    to = ["plan", layout, "--remove", "1", "--output", f"/dev/fd/{writer}", "--rollback"]
    refused = main([*to, str(tmp_path / "no" / "rollback.json")])
    why = capsys.readouterr().err
    written = main([*to, str(tmp_path / "rollback.json")])
    os.close(writer)
    with os.fdopen(reader, encoding="utf-8") as program:
        told = program.read()

    assert (refused, written) == (2, 0)
    assert "rollback.json: The file cannot be written" in why
    assert json.loads(told)["partitions"]
    assert (tmp_path / "rollback.json").exists()


@pytest.mark.parametrize(
    ("flags", "says"),
    [
        (["--leaders-only", "--max-moves", "1"], "of leaders only choose a --point"),
        (["--remove", "1", "--by-bytes", "--max-bytes", "1GB"], "balance their counts, not their size"),
        (["--remove", "1", "--kafka-version", "newest"], "newest is not a Kafka version"),
    ],
)
def test_options_without_effect_are_refused(
    flags: list[str], says: str, layout: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing that was asked for is left aside in silence."""
    assert main(["plan", layout, *flags]) == 2
    assert says in capsys.readouterr().err


@pytest.mark.parametrize("option", ["--receive-cap", "--point"])
def test_none_at_all_is_told_beside_a_change_file_too(
    option: str, layout: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """0 is a number like any other: the plan of the file alone would have moved what was to stay."""
    wish = tmp_path / "change.toml"
    wish.write_text("remove = [1]\n")

    assert main(["plan", layout, "--wish", str(wish), option, "0"]) == 2
    assert f"it excludes {option}." in capsys.readouterr().err


def test_json_has_the_findings_of_the_plan(layout: str, capsys: pytest.CaptureFixture[str]) -> None:
    """What a person reads below the proof, such as an option that this change has no use for."""
    asked = ["plan", layout, "--remove", "1", "--even-topics"]
    assert main(asked) == 0
    said = capsys.readouterr().out
    assert main([*asked, "--json"]) == 0
    findings = json.loads(capsys.readouterr().out)["findings"]

    assert "option_without_effect" in {one["kind"] for one in findings}
    assert all(one["sentence"] in said for one in findings)


def test_json_is_told_all_that_was_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Too little disk space is in the certificate, as ``judge`` has it; price and commands are beside the JSON."""
    layout = ClusterLayout.from_assignments(
        {("t", 0): [1]},
        brokers=[Broker(1, "a"), Broker(2, "b")],
        leaders={("t", 0): 1},
        size_bytes={("t", 0): 40e9},
    )
    full = (LogDirectory(2, "/a", 10**10, 10**9),)
    file, plan = tmp_path / "layout.json", str(tmp_path / "plan.json")
    file.write_bytes(write_snapshot(Snapshot(layout, datetime(2026, 1, 1, tzinfo=UTC), "admin", log_dirs=full)))
    asked = ["plan", str(file), "--remove", "1", "--price-per-gb", "0.02", "--kafka-version", "4.1"]

    assert main([*asked, "--json", "--output", plan]) == 0
    planned = capsys.readouterr()
    assert main(["judge", str(file), plan, "--remove", "1", "--json"]) == 0
    judged = capsys.readouterr()
    cautions = json.loads(planned.out)["cautions"]

    assert cautions == json.loads(judged.out)["cautions"]
    assert [(one["kind"], one["level"]) for one in cautions if one["brokers"] == [2]] == [("short_of_room", "critical")]
    assert "0.80 at 0.02 a GB" in planned.err
    assert "To execute it with Kafka 4.1:" in planned.err


# ---- a wish from a certificate ---------------------------------------------------------------------------------

#: A plan each that Reseat can make of ``generate(6, 60)``; the second number is a point of its curve.
WISHES = [
    ["--remove", "3"],
    ["--remove", "3", "--reorder-all"],
    ["--remove", "3", "--receive-cap", "40"],
    ["--remove", "3", "--by-bytes"],
    ["--remove", "3", "--add", "9:rack-b"],
    ["--add", "9:rack-b", "--max-moves", "7"],
    ["--add", "9:rack-b,10", "--point", "9"],
    ["--replication-factor", "2", "--topics", "*"],
]


def made(layout: str, folder: Path, *words: str) -> list[bytes]:
    """The plan, its rollback and its certificate, as files."""
    folder.mkdir()
    names = [folder / f"{name}.json" for name in ("output", "rollback", "certificate")]
    files = [word for name in names for word in (f"--{name.stem}", str(name))]

    assert main(["plan", layout, *words, *files]) == 0
    return [name.read_bytes() for name in names]


@pytest.mark.parametrize("words", WISHES, ids=" ".join)
def test_the_wish_of_a_certificate_makes_the_same_bytes(
    words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """``--wish CERTIFICATE`` needs no other word: brokers, racks, topics, options and the point are all in it."""
    layout = tmp_path / "layout.csv"
    layout.write_bytes(write_csv(generate(6, 60)))
    first = made(str(layout), tmp_path / "first", *words)
    again = made(str(layout), tmp_path / "again", "--wish", str(tmp_path / "first" / "certificate.json"))

    assert again == first
    assert str(tmp_path / "again" / "output.json") in capsys.readouterr().out


def test_a_point_of_the_curve_is_a_wish_on_the_command_line_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """``--curve`` lists what can be chosen, ``--point`` chooses it, and the certificate keeps it."""
    layout = written(tmp_path / "layout.json", dict(enumerate([[1]] * 6 + [[2], [2], [3], [9]])))
    assert main(["plan", layout, "--remove", "9", "--curve"]) == 0
    said = capsys.readouterr().out
    assert main(["plan", layout, "--remove", "9", "--point", "3", "--json"]) == 0
    proof = json.loads(capsys.readouterr().out)

    assert [line.split()[:2] for line in said.splitlines() if line[:1].isspace() and line.split()[0].isdigit()] == [
        ["1", "4"],
        ["2", "3"],
        ["3", "1"],
    ]
    assert (proof["moves"], proof["replica_spread"], proof["wish"]["point"]) == (3, 1, 3)


@pytest.mark.parametrize("more", [["--remove", "1"], ["--point", "4"], ["--reorder-all"], ["--topics", "*"]])
def test_a_certificate_is_the_whole_wish(
    more: list[str], layout: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Words beside it would change what it says: refused, and the word is named."""
    made(layout, tmp_path / "first", "--remove", "1")
    capsys.readouterr()

    assert main(["plan", layout, "--wish", str(tmp_path / "first" / "certificate.json"), *more]) == 2
    assert more[0] in capsys.readouterr().err


def test_a_plan_is_judged_for_the_wish_of_its_certificate(
    layout: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What the certificate says was wished is what the plan is judged for."""
    made(layout, tmp_path / "first", "--remove", "1")
    plan, certificate = (str(tmp_path / "first" / f"{name}.json") for name in ("output", "certificate"))

    assert main(["judge", layout, plan, "--wish", certificate, "--json"]) == 0
    out = capsys.readouterr().out
    assert json.loads(out[out.index("{") :])["wish"]["remove"] == [1]


def test_a_plan_is_not_written_over_the_certificate_that_it_is_made_of(
    layout: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Once overwritten, the wish would be lost."""
    made(layout, tmp_path / "first", "--remove", "1")
    certificate = str(tmp_path / "first" / "certificate.json")

    assert main(["plan", layout, "--wish", certificate, "--output", certificate]) == 2
    assert "a file that is read; choose another" in capsys.readouterr().err


def test_a_plan_comes_in_pieces_that_zookeeper_takes_with_its_topics_and_its_election(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each piece fits the node, all together are the plan, and every file can be given to Kafka's tools."""
    monkeypatch.setattr(
        "reseat.formats.documents.writers.write_pieces.__kwdefaults__",
        {"log_dirs": False, "limit": 4_000, "sealed": True},
    )
    layout = tmp_path / "layout.csv"
    layout.write_bytes(write_csv(generate(6, 120, 3, seed=1)))
    whole, topics, pieces = tmp_path / "plan.json", tmp_path / "topics.json", tmp_path / "piece.json"
    files = ["--output", str(whole), "--topics-to-move", str(topics), "--pieces", str(pieces)]
    code = main(["plan", str(layout), "--remove", "1", *files])
    written_pieces = sorted(tmp_path.glob("piece-*.json"), key=lambda path: int(path.stem.rpartition("-")[2]))
    parts = [json.loads(path.read_text())["partitions"] for path in written_pieces]
    entries = json.loads(whole.read_text())["partitions"]

    assert code == 0
    assert len(parts) > 1
    assert [entry for part in parts for entry in part] == entries
    assert all(path.stat().st_size <= 4_000 for path in written_pieces)
    assert [one["topic"] for one in json.loads(topics.read_text())["topics"]] == sorted(
        {one["topic"] for one in entries}
    )
    said = capsys.readouterr().out
    assert f"it is split into {len(parts)} parts" in said
    assert "from an earlier plan" not in said
    named = ", ".join(str(pieces.with_name(f"piece-{number}.json")) for number in range(1, len(parts) + 1))
    assert f"Written: {whole}, {topics}, {named}\n" in said


def test_pieces_that_are_left_of_an_earlier_plan_are_told(
    layout: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It had three of them, and this one has one: who executes what is there would execute the two others."""
    for number in (1, 2, 3):
        (tmp_path / f"piece-{number}.json").write_text("{}")
    assert main(["plan", layout, "--remove", "1", "--pieces", str(tmp_path / "piece.json")]) == 0

    older = ", ".join(str(tmp_path / f"piece-{number}.json") for number in (2, 3))
    assert f"{older}: from an earlier plan, no part of this one." in capsys.readouterr().out
    assert [(tmp_path / f"piece-{number}.json").read_text() == "{}" for number in (1, 2, 3)] == [False, True, True]


def test_no_command_reads_a_plan_from_standard_output(layout: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Kafka's tools read files alone: the usual name stands in the place of ``-``."""
    assert main(["plan", layout, "--remove", "1", "--output", "-", "--kafka-version", "4.1"]) == 0
    told = capsys.readouterr().err

    assert "--reassignment-json-file plan.json" in told
    assert "--reassignment-json-file -" not in told


def test_pieces_do_not_overwrite_a_file_and_do_not_go_to_standard_output(
    layout: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A number is put before the name's ending: where that is another file of the plan, nothing is written."""
    output = tmp_path / "plan-1.json"

    assert (
        main(["plan", layout, "--remove", "1", "--output", str(output), "--pieces", str(tmp_path / "plan.json")]) == 2
    )
    assert "--pieces names a file that is written by --output" in capsys.readouterr().err
    assert not output.exists()
    assert main(["plan", layout, "--remove", "1", "--pieces", "-"]) == 2
    assert "--pieces writes several files" in capsys.readouterr().err


def test_judge_says_what_kafkas_own_tool_would_say(
    layout: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In its words, beside Reseat's."""
    plan = written(tmp_path / "plan.json", {0: [2, 0], 1: []})
    main(["judge", layout, plan])

    assert "would refuse this text: Partition replica list cannot be empty" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["plan", "judge"])
def test_a_way_back_onto_a_dead_broker_is_said_first(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Before the summary and in the certificate: the rollback that is written is refused until broker 3 is alive."""
    layout, made, proof = (tmp_path / name for name in ("layout.txt", "plan.json", "certificate.json"))
    rows = "".join(f"\tTopic: a\tPartition: {at}\tLeader: 1\tReplicas: 1,3\tIsr: 1\tOffline: 3\n" for at in (0, 1))
    layout.write_text(f"{rows}\tTopic: b\tPartition: 0\tLeader: 1\tReplicas: 1,2\tIsr: 1,2\n")
    assert main(["plan", str(layout), "--remove", "3", "--output", str(made), "--certificate", str(proof)]) == 0
    if command == "judge":
        capsys.readouterr()
        assert main(["judge", str(layout), str(made), "--remove", "3"]) == 0
    out = capsys.readouterr().out
    said = "The rollback moves 2 replicas back to broker 3, which is dead: it is refused until this broker is alive"

    assert said in out[: out.index("the proven minimum")]
    assert json.loads(proof.read_text())["way_back_waits_for"] == [3]


def test_a_rack_is_drained_whole(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As all of its brokers are; a rack that is not there is refused with those that are."""
    layout = tmp_path / "layout.csv"
    layout.write_bytes(write_csv(generate(6, 60, 3, 3)))
    assert main(["plan", str(layout), "--remove-rack", "rack-1", "--json"]) == 0
    by_rack = json.loads(capsys.readouterr().out)
    ids = ",".join(map(str, by_rack["wish"]["remove"]))
    assert main(["plan", str(layout), "--remove", ids, "--json"]) == 0

    assert json.loads(capsys.readouterr().out) == by_rack
    assert len(by_rack["wish"]["remove"]) == 2
    assert main(["plan", str(layout), "--remove-rack", "rack-z"]) == 2
    assert "Rack rack-z is not in this layout." in capsys.readouterr().err


def test_a_change_file_is_planned_as_its_options_are(
    layout: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Pins among them; its certificate is a wish file itself, with the same bytes; options beside it are refused."""
    wish, output, again = tmp_path / "wish.toml", tmp_path / "plan.json", tmp_path / "again.json"
    wish.write_text('remove = [1]\npin = [{topic = "topic-*", partition = 2}]\n')
    proof = tmp_path / "certificate.json"
    assert main(["plan", layout, "--wish", str(wish), "--output", str(output), "--certificate", str(proof)]) == 0
    capsys.readouterr()
    assert main(["plan", layout, "--remove", "1", "--pin", "topic-*:2", "--output", str(again)]) == 0
    said = capsys.readouterr().out

    assert again.read_bytes() == output.read_bytes()
    assert sorted(assignments(output)) == [1, 3]
    assert "1 replica stays on broker 1, which is not drained completely." in said
    assert main(["plan", layout, "--wish", str(proof), "--output", str(again)]) == 0
    assert again.read_bytes() == output.read_bytes()
    assert main(["plan", layout, "--wish", str(wish), "--pin", "x"]) == 2
    assert "--pin" in capsys.readouterr().err


@pytest.mark.parametrize("pin", ["topic-reassign:x", "topic-reassign:", ":3"])
def test_a_pin_is_a_topic_and_perhaps_a_partition(pin: str, layout: str, capsys: pytest.CaptureFixture[str]) -> None:
    """What is not, is refused by the command line."""
    with pytest.raises(SystemExit) as left:
        main(["plan", layout, "--remove", "1", "--pin", pin])

    assert left.value.code == 2
    assert f"'{pin}' is neither a topic to pin nor topic:partition" in capsys.readouterr().err


def test_what_goes_from_rack_to_rack_is_priced(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """From the leader to the newcomer: 40 GB from a to b at 0.02, none within; without a price nothing is said."""
    file = tmp_path / "layout.json"
    layout = ClusterLayout.from_assignments(
        {("t", 0): [1, 2], ("u", 0): [3]},
        brokers=[Broker(1, "a"), Broker(2, "b"), Broker(3, "b")],
        leaders={("t", 0): 1, ("u", 0): 3},
        size_bytes={("t", 0): 40e9, ("u", 0): 1e9},
    )
    file.write_bytes(write_snapshot(Snapshot(layout, datetime(2026, 1, 1, tzinfo=UTC), "admin")))
    asked = ["plan", str(file), "--remove", "2"]

    assert main([*asked, "--price-per-gb", "0.02"]) == 0
    said = capsys.readouterr().out
    assert "40.0 GB of 40.0 GB is copied from rack to rack, 0.80 at 0.02 a GB." in said
    assert [line.split() for line in said.splitlines() if line.split()[:1] in (["from"], ["a"], ["b"])] == [
        ["from", "\\", "to", "b"],
        ["a", "40.0", "GB"],  # neither a, which receives nothing, nor b, which sends nothing
    ]
    assert main(asked) == 0
    assert "from rack to rack" not in capsys.readouterr().out
