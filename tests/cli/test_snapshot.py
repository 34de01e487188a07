"""``snapshot``: a cluster that a reader tells becomes a file, and every other command takes that file."""

from __future__ import annotations

import io
import json
import logging
import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from reseat.cli import main
from reseat.cli.arguments import parser
from reseat.cli.snapshot import snapshot
from reseat.errors import ClusterUnreachable, InputRefused
from reseat.formats.documents.snapshot import read_snapshot
from reseat.model import Broker, BrokerState, ClusterLayout, Consistency, Quorum, QuorumMember, Snapshot
from reseat.sources.connection import Connection
from reseat.sources.progress import ReadingProgress

SECRET = "hush-5a1c"
LAYOUT = ClusterLayout.from_assignments(
    {("orders", 0): [1, 2], ("orders", 1): [2, 3], ("audit", 0): [3, 1]},
    brokers=[Broker(i, rack, state=BrokerState.ALIVE) for i, rack in ((1, "a"), (2, "b"), (3, "c"))],
    leaders={("orders", 0): 1, ("orders", 1): 3, ("audit", 0): 3},
    in_sync={("orders", 0): [1, 2], ("orders", 1): [2, 3], ("audit", 0): [3, 1]},
)
NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
TAKEN = Snapshot(LAYOUT, NOON, "admin", cluster_id="abc", not_read=("Sizes are unknown: no broker answers.",))


def reader(taken: Snapshot = TAKEN, seen: list[Connection] | None = None) -> Callable[..., Snapshot]:
    """A reader that answers this snapshot, with a little progress."""

    def read(connection: Connection, *, report: Any = None, cancelled: threading.Event | None = None) -> Snapshot:
        if seen is not None:
            seen.append(connection)
        if report is not None:
            report(ReadingProgress("topics", 1, 3))
            report(ReadingProgress("topics", 2, 3))
        return taken

    return read


def run(*words: str, taken: Snapshot = TAKEN, seen: list[Connection] | None = None) -> int:
    """The command with a reader of the test's own."""
    return snapshot(parser().parse_args(["snapshot", *words]), read=reader(taken, seen))


@pytest.fixture
def file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """A snapshot file, made by the command."""
    assert run("--bootstrap", "b1:9092", "--output", str(tmp_path / "shop.json"), "--cluster", "shop") == 0
    capsys.readouterr()
    return str(tmp_path / "shop.json")


def test_a_cluster_becomes_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With the name given, and a summary that also says what could not be read."""
    seen: list[Connection] = []
    code = run("--bootstrap", "b1:9092,b2", "--cluster", "shop", "--output", str(tmp_path / "a.json"), seen=seen)
    told = capsys.readouterr()
    again = read_snapshot((tmp_path / "a.json").read_bytes())

    assert code == 0
    assert seen[0].bootstrap == ("b1:9092", "b2:9092")
    assert again.layout == LAYOUT
    assert again.cluster == "shop"
    assert told.out.splitlines() == [
        "shop, read from its brokers at 2026-05-01 12:00:00 UTC: 3 brokers, 2 topics, 3 partitions, 6 replicas.",
        "Sizes are unknown: no broker answers.",
        f"Written: {tmp_path / 'a.json'}",
    ]
    assert told.err == ""


def test_the_controllers_are_summed_up(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Who votes and who leads, where a KRaft cluster tells it."""
    taken = replace(TAKEN, quorum=Quorum(7, (QuorumMember(7), QuorumMember(8)), dynamic=True))
    assert run("--bootstrap", "b1:9092", "--output", str(tmp_path / "a.json"), taken=taken) == 0

    assert capsys.readouterr().out.splitlines()[1] == "Dynamic quorum of 2 voters (7 and 8): 7 leads."


def test_zookeeper_is_the_other_way(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With its chroot; whether all was true at one moment is said."""
    seen: list[Connection] = []
    taken = Snapshot(LAYOUT, NOON, "zookeeper", consistency=Consistency.CONSISTENT)
    code = run("--zookeeper", "z1,z2:2182/kafka", "--output", str(tmp_path / "a.json"), taken=taken, seen=seen)

    assert code == 0
    assert (seen[0].zookeeper, seen[0].chroot) == (("z1:2181", "z2:2182"), "/kafka")
    assert "It is consistent: nothing changed while it was read." in capsys.readouterr().out


def test_what_changed_while_it_was_read_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With the topics."""
    taken = Snapshot(LAYOUT, NOON, "zookeeper", consistency=Consistency.UNSETTLED, unsettled=("audit",))

    assert run("--zookeeper", "z1", "--output", str(tmp_path / "a.json"), taken=taken) == 0
    assert "kept changing while it was read: audit." in capsys.readouterr().out


def test_standard_output_holds_the_document_alone(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    """The summary goes to standard error."""
    assert run("--bootstrap", "b1", "--output", "-") == 0
    told = capsysbinary.readouterr()

    assert read_snapshot(told.out).layout == LAYOUT
    assert b"3 partitions" in told.err


def test_it_goes_straight_into_the_landing_zone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Alone or beside a file; the cluster's name is needed."""
    assert run("--bootstrap", "b1", "--landing", str(tmp_path / "zone"), "--cluster", "shop") == 0
    (landed,) = (tmp_path / "zone" / "cluster=shop").iterdir()

    assert read_snapshot(landed.read_bytes()).cluster == "shop"
    assert str(landed) in capsys.readouterr().out
    with pytest.raises(InputRefused, match="--cluster NAME"):
        run("--bootstrap", "b1", "--landing", str(tmp_path / "zone"))
    with pytest.raises(InputRefused, match="cannot name a cluster"):
        run("--bootstrap", "b1", "--landing", str(tmp_path / "zone"), "--cluster", "../shop")


def test_a_landing_zone_may_be_a_url(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A secret in it is refused and not repeated, before the cluster is asked anything."""
    assert run("--bootstrap", "b1", "--landing", f"file://{tmp_path}/zone", "--cluster", "shop") == 0
    assert len(list((tmp_path / "zone" / "cluster=shop").iterdir())) == 1
    seen: list[Connection] = []
    with pytest.raises(InputRefused, match="has more than a location") as refused:
        run("--bootstrap", "b1", "--landing", f"s3://me:{SECRET}@bucket/zone", "--cluster", "shop", seen=seen)
    assert seen == []
    assert SECRET not in str(refused.value) + capsys.readouterr().out


def test_a_landing_zone_that_cannot_be_written_takes_nothing_from_the_file(tmp_path: Path) -> None:
    """The reading of a large cluster is not lost."""
    (tmp_path / "zone").write_text("")
    with pytest.raises(InputRefused, match="cannot be"):
        run(
            "--bootstrap", "b1", "--output", str(tmp_path / "a.json"), "--landing", str(tmp_path / "zone"),
            "--cluster", "shop",
        )  # fmt: skip
    assert read_snapshot((tmp_path / "a.json").read_bytes()).layout == LAYOUT


def test_progress_is_shown_on_a_terminal_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """On one line that is taken away at the end, once the reading takes longer than a second."""
    seen = threading.Event()

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

        def flush(self) -> None:
            seen.set()

    def slowly(connection: Connection, **told: Any) -> Snapshot:
        """Goes on once somebody has seen how far it is."""
        taken = reader(TAKEN, None)(connection, **told)
        assert seen.wait(60)
        return taken

    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    words = ["snapshot", "--bootstrap", "b1", "--output", str(tmp_path / "a.json")]

    assert snapshot(parser().parse_args(words), read=slowly) == 0
    assert terminal.getvalue().startswith("\rReading topics [#############-------] 2 of 3 0:0")
    assert terminal.getvalue().endswith(" \r")
    assert "Reading" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--output", "a.json"], "No cluster given"),
        (["--bootstrap", "b1"], "Where to save the snapshot is missing"),
        (["--bootstrap", "b1:x", "--output", "a.json"], "has no port"),
        (["--bootstrap", "b1", "--output", "/dev/null/x"], "cannot be written"),
        (["--bootstrap", "b1", "--config", "/nowhere.properties", "--output", "a.json"], "nowhere.properties"),
    ],
)
def test_what_cannot_be_done_is_refused(
    words: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In one sentence, before anything is written."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputRefused, match=said):
        run(*words)
    assert list(tmp_path.iterdir()) == []


def test_a_cluster_that_cannot_be_read_is_one_sentence(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Exit code 2, no file, no traceback, and nothing of the secrets that the configuration holds."""
    caplog.set_level(logging.DEBUG)
    config = tmp_path / "client.properties"
    config.write_text(
        "security.protocol=SASL_PLAINTEXT\nsasl.mechanism=PLAIN\nsasl.jaas.config="
        "org.apache.kafka.common.security.plain.PlainLoginModule required "
        f'username="me" password="{SECRET}";\n'
    )

    def lost(connection: Connection, **_: object) -> Snapshot:
        assert connection.password is not None
        assert connection.password.reveal() == SECRET
        raise ClusterUnreachable("No broker of b1:9092 answers within 15 s. Is it running?", "timeout", "b1:9092")

    monkeypatch.setattr("reseat.cli.snapshot.read_cluster", lost)
    code = main(["snapshot", "--bootstrap", "b1", "--config", str(config), "--output", str(tmp_path / "a.json")])
    told = capsys.readouterr()

    assert code == 2
    assert told.err == "reseat snapshot: No broker of b1:9092 answers within 15 s. Is it running?\n"
    assert told.out == ""
    assert not (tmp_path / "a.json").exists()
    assert SECRET not in told.err + caplog.text


def test_a_cluster_of_secrets_toml_is_read_by_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As the dashboard finds it; servers that are given go before, and the name is then only shown."""
    monkeypatch.chdir(tmp_path)
    Path(".streamlit").mkdir()
    Path(".streamlit/secrets.toml").write_text('[clusters.shop]\nbootstrap = "b7"\ntimeout_seconds = 5\n')
    seen: list[Connection] = []
    for words in (["--cluster", "shop"], ["--cluster", "shop", "--bootstrap", "b8"]):
        assert run(*words, "--output", "a.json", seen=seen) == 0

    assert [(one.name, one.bootstrap, one.timeout_seconds == 5) for one in seen] == [
        ("shop", ("b7:9092",), True),
        ("shop", ("b8:9092",), False),
    ]
    with pytest.raises(InputRefused, match="No cluster is called 'shops'"):
        run("--cluster", "shops", "--output", "b.json")


def test_secrets_never_reach_the_file(tmp_path: Path) -> None:
    """Whatever the connection holds."""
    config = tmp_path / "client.properties"
    config.write_text(
        "security.protocol=SASL_PLAINTEXT\nsasl.mechanism=SCRAM-SHA-256\nsasl.jaas.config="
        f'org.apache.kafka.common.security.scram.ScramLoginModule required username="me" password="{SECRET}";\n'
    )
    zone = tmp_path / "zone"

    assert run(
        "--bootstrap", "b1", "--config", str(config), "--output", str(tmp_path / "a.json"), "--landing", str(zone),
        "--cluster", "shop",
    ) == 0  # fmt: skip
    assert SECRET not in (tmp_path / "a.json").read_text()
    assert all(SECRET not in path.read_text() for path in zone.rglob("*.json"))


def test_every_other_command_takes_the_file(file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """show, plan, judge, elect and infer."""
    plan = str(tmp_path / "plan.json")

    assert main(["show", file, "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert (shown["kind"], shown["partitions"], shown["racks"]) == ("snapshot of Reseat", 3, 3)
    assert main(["plan", file, "--remove", "3", "--output", plan]) == 0
    capsys.readouterr()
    assert main(["judge", file, plan, "--remove", "3", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["moves"] == 2
    assert main(["elect", file, "--json"]) == 0
    assert [row["leader_after"] for row in json.loads(capsys.readouterr().out)] == [3, 1, 2]
    assert main(["infer", file, "--json"]) == 0
