"""``show``: counts, what is not told, findings and skipped lines; as text and as JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from reseat.cli import main
from reseat.formats import Limits

DESCRIBE = """\
$ kafka-topics.sh --bootstrap-server kafka-1:9092 --describe
Topic: orders\tTopicId: Tn3xW0SeQ1mA5oJ8d2LkPg\tPartitionCount: 3\tReplicationFactor: 2\tConfigs: min.insync.replicas=1
\tTopic: orders\tPartition: 0\tLeader: 1\tReplicas: 1,2\tIsr: 1,2
\tTopic: orders\tPartition: 1\tLeader: 2\tReplicas: 2,3\tIsr: 2
\tTopic: orders\tPartition: 2\tLeader: none\tReplicas: 3,1\tIsr: 3
"""

REASSIGNMENT = '{"version":1,"partitions":[{"topic":"orders","partition":0,"replicas":[1,2]}]}'

GENERATED = """\
Current partition replica assignment
{"version":1,"partitions":[{"topic":"orders","partition":0,"replicas":[1,2],"log_dirs":["any","any"]}]}

Proposed partition reassignment configuration
{"version":1,"partitions":[{"topic":"orders","partition":0,"replicas":[3,4],"log_dirs":["any","any"]}]}
"""


@pytest.fixture
def describe(tmp_path: Path) -> str:
    """A file of describe output: one partition offline, two under-replicated."""
    path = tmp_path / "describe.txt"
    path.write_text(DESCRIBE)
    return str(path)


def shown(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict:
    """What ``show --json`` says."""
    assert main(["show", *arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_json_gives_counts_findings_and_what_was_skipped(describe: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The keys that scripts read."""
    out = shown(capsys, describe)

    assert {
        key: out[key] for key in ("topics", "partitions", "replicas", "offline", "under_replicated", "brokers")
    } == {
        "topics": 1,
        "partitions": 3,
        "replicas": 6,
        "offline": 1,
        "under_replicated": 2,
        "brokers": 3,
    }
    offline = next(finding for finding in out["findings"] if finding["kind"] == "offline")
    assert offline["severity"] == "broken"
    assert offline["partitions"] == 1
    assert offline["examples"] == ["orders-2"]
    assert out["skipped"][0]["line"] == 1
    assert out["skipped"][0]["text"].startswith("$ kafka-topics.sh")


def test_what_is_not_told_is_null(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A reassignment JSON says nothing of leaders and ISR."""
    path = tmp_path / "plan.json"
    path.write_text(REASSIGNMENT)
    out = shown(capsys, str(path))

    assert out["offline"] is None
    assert out["under_replicated"] is None
    assert out["by_broker"][0] == {
        "broker": 1,
        "rack": None,
        "host": None,
        "state": None,
        "replicas": 1,
        "leaders": None,
        "preferred_leaders": 1,
        "bytes": None,
    }


def test_a_person_gets_counts_loads_and_findings(describe: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Worst first, with the line that was skipped."""
    assert main(["show", describe]) == 0
    out = capsys.readouterr().out

    assert "Under-replicated       2" in out
    assert "CRITICAL   1 partition has no leader" in out
    assert "line 1: $ kafka-topics.sh" in out
    assert out.index("CRITICAL") < out.index("WARNING")


def test_a_person_is_told_what_to_add(describe: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With the command for each, and nothing of racks once they are there."""
    racks = tmp_path / "racks.csv"
    racks.write_text("broker,rack\n1,a\n2,b\n3,c\n4,d\n")
    assert main(["show", describe]) == 0
    without = capsys.readouterr().out
    assert main(["show", describe, "--racks", str(racks)]) == 0
    out = capsys.readouterr().out

    assert "Add racks." in without
    assert "Add racks." not in out
    assert "  kafka-log-dirs.sh --bootstrap-server HOST:9092 --describe\n" in out


def test_the_proposed_assignment_is_shown_when_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Current and proposed of --generate are kept apart."""
    path = tmp_path / "generated.txt"
    path.write_text(GENERATED)
    current, proposed = shown(capsys, str(path)), shown(capsys, str(path), "--proposed")

    assert [row["broker"] for row in current["by_broker"] if row["replicas"]] == [1, 2]
    assert [row["broker"] for row in proposed["by_broker"] if row["replicas"]] == [3, 4]
    assert current["has_proposed"]


def test_a_text_without_a_proposed_assignment_is_refused(describe: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit 2 and one line."""
    assert main(["show", describe, "--proposed"]) == 2
    assert capsys.readouterr().err.endswith("The input has no proposed assignment.\n")


def test_racks_are_joined_and_name_further_brokers(
    describe: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Broker 4 is known from the racks file alone."""
    racks = tmp_path / "racks.csv"
    racks.write_text("broker,rack\n1,a\n2,a\n3,b\n4,b\n")
    out = shown(capsys, describe, "--racks", str(racks))

    assert (out["brokers"], out["racks"]) == (4, 2)
    assert out["rack_violations"] == 1
    assert out["rack_sum_of_squares"] == 4 + 2 + 2


def test_topics_are_left_out_by_name_pattern_or_as_internal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """And a pattern that fits nothing is refused, since it is a slip."""
    path = tmp_path / "plan.json"
    names = ("__consumer_offsets", "orders", "orders-dlq", "payments")
    entries = ",".join(f'{{"topic":"{name}","partition":0,"replicas":[1]}}' for name in names)
    path.write_text(f'{{"version":1,"partitions":[{entries}]}}')

    assert shown(capsys, str(path), "--without-internal")["topics"] == 3
    assert shown(capsys, str(path), "--without-topics", "orders*,payments")["topics"] == 1
    assert main(["show", str(path), "--without-topics", "orders-?"]) == 2
    assert "No topic matches orders-?." in capsys.readouterr().err


def test_findings_of_the_text_follow_their_partitions(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With topics left out, a finding's examples still name the right partitions."""
    path = tmp_path / "plan.json"
    path.write_text(
        '{"version":1,"partitions":[{"topic":"a","partition":0,"replicas":[1]},'
        '{"topic":"b","partition":0,"replicas":[1,2],"log_dirs":["any"]}]}'
    )
    out = shown(capsys, str(path), "--without-topics", "a")
    finding = next(finding for finding in out["findings"] if finding["kind"] == "log_dirs_length")

    assert finding["examples"] == ["b-0"]


def test_findings_of_a_text_with_two_assignments_name_partitions_of_the_one_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The proposed assignment holds one partition of two; nothing outside it is named."""
    path = tmp_path / "generated.txt"
    path.write_text(
        "Current partition replica assignment\n"
        '{"version":1,"partitions":[{"topic":"a","partition":0,"replicas":[1]},'
        '{"topic":"a","partition":1,"replicas":[1,2],"log_dirs":["any"]}]}\n\n'
        "Proposed partition reassignment configuration\n"
        '{"version":1,"partitions":[{"topic":"a","partition":0,"replicas":[2]}]}\n'
    )
    out = shown(capsys, str(path), "--proposed")

    assert out["partitions"] == 1
    assert all(set(finding["examples"]) <= {"a-0"} for finding in out["findings"])


def test_several_texts_of_one_cluster_are_read_together(
    describe: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Describe output for who leads, log directories for the sizes."""
    sizes = tmp_path / "sizes.txt"
    sizes.write_text(
        '{"version":1,"brokers":[{"broker":1,"logDirs":[{"logDir":"/data","error":null,"partitions":'
        '[{"partition":"orders-0","size":1000,"offsetLag":0,"isFuture":false}]}]}]}'
    )
    out = shown(capsys, describe, str(sizes))

    assert out["partitions"] == 3
    assert out["offline"] == 1
    assert out["by_broker"][0]["bytes"] == 1000.0


def test_texts_are_bound_together_as_on_the_page(
    describe: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One that is accepted by itself is refused twice, where both are more than is read at once."""
    size = Path(describe).stat().st_size
    monkeypatch.setattr(Limits, "bytes", property(lambda _: 2 * size - 1))

    assert main(["show", describe]) == 0
    assert main(["show", describe, describe]) == 2
    assert "MB at once" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "text is empty"),
        ("hello world\n", "No layout"),
        ('{"version":1,"topics":[{"topic":"orders"}]}', "topics"),
        ('{"partitions":[{"topic":"orders","partition":0}]}', "election"),
        ('{"version":1,"partitions":[{"topic":"orders",', "ine 1"),
    ],
)
def test_a_text_without_a_layout_is_refused_with_one_message(
    text: str, says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit 2, nothing on standard output, one line on standard error that says what it is."""
    path = tmp_path / "text.txt"
    path.write_text(text)

    assert main(["show", str(path)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"reseat show: {path}")
    assert err.count("\n") == 1
    assert says in err


@pytest.mark.parametrize("name", ["missing.txt", "."])
def test_a_file_that_cannot_be_read_is_refused(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A missing file and a directory."""
    assert main(["show", str(tmp_path / name)]) == 2
    assert "cannot be read" in capsys.readouterr().err


def test_a_racks_file_that_cannot_be_understood_is_refused(
    describe: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With the file's name."""
    racks = tmp_path / "racks.json"
    racks.write_text("[1, 2]")

    assert main(["show", describe, "--racks", str(racks)]) == 2
    assert "racks.json" in capsys.readouterr().err


def test_a_person_is_told_which_partitions(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The first five behind a finding are named, and how many more there are."""
    rows = [f"Topic: orders\tPartition: {p}\tLeader: {'none' if p else 1}\tReplicas: 1\tIsr: 1\n" for p in range(8)]
    (tmp_path / "down.txt").write_text("".join(rows))

    assert main(["show", str(tmp_path / "down.txt")]) == 0
    assert "orders-1, orders-2, orders-3, orders-4, orders-5 and 2 more\n" in capsys.readouterr().out


def test_replication_from_rack_to_rack_has_its_price_a_day(describe, tmp_path, capsys) -> None:
    """1 MB a second in three partitions: of three followers two are in another rack, 57.6 GB a day."""
    racks, rates = tmp_path / "racks.csv", tmp_path / "rates.csv"
    racks.write_text("broker,rack\n1,a\n2,a\n3,b\n")
    rates.write_text("topic,bytes_per_second\norders,1000000\nelsewhere,5\n")
    asked = [describe, "--racks", str(racks), "--produced", str(rates), "--price-per-gb", "0.02"]
    assert main(["show", *asked]) == 0
    said = capsys.readouterr().out
    out, bare = shown(capsys, *asked), shown(capsys, describe)

    assert "Replication sends 57.6 GB a day from rack to rack, 1.15 at 0.02 a GB." in said
    assert "No rate is known" not in said
    assert out["replication_a_day"] == [
        {
            "topic": "orders",
            "produced": 86_400_000_000.0,
            "within_racks": 28_800_000_000.0,
            "across_racks": 57_600_000_000.0,
            "rack_unknown": 0.0,
            "price": pytest.approx(1.152),
        }
    ]
    assert "replication_a_day" not in bare
    assert main(["show", describe, "--price-per-gb", "1"]) == 2
    assert "--price-per-gb only goes with --produced" in capsys.readouterr().err
