"""``land``: a text becomes a snapshot in the landing zone, with the text itself inside."""

from __future__ import annotations

import base64
import io
import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from reseat.cli import main
from reseat.formats.documents.snapshot import read_snapshot
from reseat.formats.documents.snapshot_writer import write_snapshot
from reseat.model import Broker, ClusterLayout, Finding, Original, Severity, Snapshot

DESCRIBE = (
    "Topic: orders\tPartitionCount: 2\tReplicationFactor: 2\tConfigs: min.insync.replicas=2\n"
    "\tTopic: orders\tPartition: 0\tLeader: 1\tReplicas: 1,2\tIsr: 1,2\n"
    "\tTopic: orders\tPartition: 1\tLeader: 2\tReplicas: 2,3\tIsr: 2\n"
)
NOON = "2026-05-01T12:00:00Z"
LAYOUT = ClusterLayout.from_assignments({("orders", 0): [1, 2], ("orders", 1): [2, 3]})
TAKEN = Snapshot(
    LAYOUT, datetime(2026, 5, 1, 9, tzinfo=UTC), "admin", cluster="shop", cluster_id="abc", controller=2, version="3.9"
)

Landed = Callable[..., Snapshot]


@pytest.fixture
def landed(tmp_path: Path) -> Landed:
    """Land files of these contents and read what came of them."""

    def run(*contents: str | bytes, words: tuple[str, ...] = ("--cluster", "shop", "--taken-at", NOON)) -> Snapshot:
        names = []
        for number, content in enumerate(contents):
            file = tmp_path / f"text-{number}"
            file.write_bytes(content.encode() if isinstance(content, str) else content)
            names.append(str(file))
        assert main(["land", *names, "--landing", str(tmp_path / "zone"), *words]) == 0
        (only,) = (tmp_path / "zone").rglob("*.json")
        return read_snapshot(only.read_bytes())

    return run


def parts_of(snapshot: Snapshot) -> list[bytes]:
    """The files of which a snapshot was made, as it tells them."""
    assert snapshot.original is not None
    out, at = [], 0
    for part in snapshot.facts["original_parts"]:  # type: ignore[attr-defined]
        text = snapshot.original.text[at : at + part["characters"]]
        out.append(base64.b64decode(text) if part["encoding"] == "base64" else text.encode(part["encoding"]))
        at += part["characters"]
    return out


def test_a_text_is_kept_as_what_its_cluster_was(landed: Landed, capsys: pytest.CaptureFixture[str]) -> None:
    """With the moment given, what it was read as, and the text unchanged inside."""
    snapshot = landed(DESCRIBE + "100% done\n")
    told = capsys.readouterr()

    assert (snapshot.cluster, snapshot.protocol) == ("shop", "text")
    assert snapshot.taken_at == datetime(2026, 5, 1, 12, tzinfo=UTC)
    assert snapshot.layout.assignments() == {("orders", 0): [1, 2], ("orders", 1): [2, 3]}
    assert snapshot.original == Original("text-0", DESCRIBE + "100% done\n")
    assert snapshot.facts["read_as"] == "kafka-topics --describe"
    assert told.err == ""
    lines = told.out.splitlines()
    assert lines[0] == (
        "shop at 2026-05-01 12:00:00 UTC, read as kafka-topics --describe: 3 brokers, 1 topic, 2 partitions, "
        "4 replicas."
    )
    assert lines[1].startswith("1 line of the text was not used, from line 4 on: ")
    assert snapshot.not_read == (lines[1],)
    assert lines[2].startswith("Saved: ")
    assert Path(lines[2].removeprefix("Saved: ")).is_file()


def test_an_offset_is_turned_into_utc(landed: Landed) -> None:
    """As ``date -Iseconds`` prints it."""
    snapshot = landed(DESCRIBE, words=("--cluster", "shop", "--taken-at", "2026-05-01T14:30:00+02:00"))

    assert snapshot.taken_at == datetime(2026, 5, 1, 12, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("when", "said"),
    [
        ("2026-05-01T12:00:00", "Write 2026-05-01T12:00:00Z if it is UTC"),
        ("2026-05-01", "Write 2026-05-01T00:00:00Z if it is UTC"),
        ("yesterday", "'yesterday' is not a time"),
        ("", "'' is not a time"),
        ("2026-13-01T00:00:00Z", "is not a time"),
        ("0001-01-01T00:00:00+14:00", "is not a time"),
        ("1970-01-01T00:00:00Z", "before the first Kafka"),
        ("9999-12-31T23:59:59Z", "is in the future"),
    ],
)
def test_a_moment_that_cannot_be_is_refused(
    when: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In words that say what to write; nothing is kept."""
    (tmp_path / "d.txt").write_text(DESCRIBE)
    zone = tmp_path / "zone"

    assert main(["land", str(tmp_path / "d.txt"), "--landing", str(zone), "--cluster", "a", "--taken-at", when]) == 2
    assert said in capsys.readouterr().err
    assert not zone.exists()


def test_clocks_that_differ_a_little_are_no_future(landed: Landed) -> None:
    """The text may come from a machine whose clock is a minute ahead."""
    soon = datetime.now(UTC) + timedelta(minutes=1)

    assert landed(DESCRIBE, words=("--cluster", "shop", "--taken-at", soon.isoformat())).taken_at == soon


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--cluster", "shop"), "has no snapshot time"),
        (("--taken-at", NOON), "--cluster NAME is missing"),
        (("--taken-at", NOON, "--cluster", "../etc"), "cannot name a cluster"),
        (("--taken-at", NOON, "--cluster", "shop", "--racks", "/nowhere.csv"), "/nowhere.csv"),
        (("--taken-at", NOON, "--cluster", "shop", "--landing", ""), "A folder was expected"),
    ],
)
def test_what_is_missing_is_named(
    words: tuple[str, ...], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Before anything is written."""
    (tmp_path / "d.txt").write_text(DESCRIBE)

    assert main(["land", str(tmp_path / "d.txt"), "--landing", str(tmp_path / "zone"), *words]) == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "zone").exists()


def test_a_text_without_a_layout_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As is one that tells brokers and no partition."""
    (tmp_path / "noise.txt").write_text("hello\n")
    (tmp_path / "racks.csv").write_text("broker,rack\n1,a\n")
    rest = ["--landing", str(tmp_path / "zone"), "--cluster", "shop", "--taken-at", NOON]

    assert main(["land", str(tmp_path / "noise.txt"), *rest]) == 2
    assert "No layout was found" in capsys.readouterr().err
    assert main(["land", str(tmp_path / "racks.csv"), *rest]) == 2
    assert "no partition" in capsys.readouterr().err
    assert not (tmp_path / "zone").exists()


def test_delivered_twice_it_is_one_file(landed: Landed, capsys: pytest.CaptureFixture[str]) -> None:
    """And that is said."""
    landed(DESCRIBE)
    capsys.readouterr()
    landed(DESCRIBE)

    assert "Already saved, unchanged: " in capsys.readouterr().out


@pytest.mark.parametrize(
    "data",
    [
        DESCRIBE.replace("orders", "ör").encode("latin-1"),
        b"\xef\xbb\xbf" + DESCRIBE.encode(),
        b"\xff\xfe" + DESCRIBE.encode("utf-16-le"),
        b"\xfe\xff" + DESCRIBE.encode("utf-16-be"),
        DESCRIBE.replace("\n", "\r\n").encode() + b"\0\x1b[0m",
        b"\xff\xfe" + DESCRIBE.encode("utf-16-le") + b"\x00\xd8",
    ],
)
def test_whatever_it_is_written_in_the_text_survives(data: bytes, landed: Landed) -> None:
    """Byte for byte: also one that is not UTF-8, with marks, zeros or broken pairs in it."""
    assert parts_of(landed(data)) == [data]


def test_parquet_survives_too(landed: Landed) -> None:
    """Although it is no text."""
    import pyarrow as pa
    from pyarrow import parquet

    sink = io.BytesIO()
    rows = {"topic": ["t", "t"], "partition": [0, 0], "broker": [1, 2], "position": [0, 1]}
    parquet.write_table(pa.table(rows), sink)
    snapshot = landed(sink.getvalue())

    assert snapshot.layout.assignments() == {("t", 0): [1, 2]}
    assert parts_of(snapshot) == [sink.getvalue()]


def test_several_files_and_racks_are_all_kept(landed: Landed, tmp_path: Path) -> None:
    """Each comes out as it went in, and racks are in the layout."""
    (tmp_path / "racks.csv").write_text("broker,rack\n1,a\n2,b\n3,c\n")
    sizes = (
        '{"version":1,"brokers":[{"broker":1,"logDirs":[{"logDir":"/d","error":null,"partitions":'
        '[{"partition":"orders-0","size":7,"offsetLag":0,"isFuture":false}]}]}]}'
    )
    words = ("--cluster", "shop", "--taken-at", NOON, "--racks", str(tmp_path / "racks.csv"))
    snapshot = landed(DESCRIBE, sizes, words=words)

    assert snapshot.layout.racks == ("a", "b", "c")
    assert snapshot.layout.size_bytes is not None
    assert snapshot.original is not None
    assert snapshot.original.name == "text-0 + text-1 + racks.csv"
    assert parts_of(snapshot) == [DESCRIBE.encode(), sizes.encode(), (tmp_path / "racks.csv").read_bytes()]


def test_standard_input_is_read_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also where it is asked for as layout and as racks."""
    rest = ["--landing", str(tmp_path), "--cluster", "shop", "--taken-at", NOON]

    assert main(["land", "-", "--racks", "-", *rest]) == 2
    assert "only once" in capsys.readouterr().err
    stream = io.TextIOWrapper(io.BytesIO(DESCRIBE.encode()))
    monkeypatch.setattr("sys.stdin", stream)
    assert main(["land", "-", *rest]) == 0
    (only,) = tmp_path.rglob("*.json")
    assert read_snapshot(only.read_bytes()).original == Original("standard input", DESCRIBE)


def test_a_snapshot_stays_what_it_is(landed: Landed) -> None:
    """Its own moment, name and facts; it holds no second copy of itself."""
    taken = replace(TAKEN, findings=(Finding("k", Severity.ATTENTION, "Seen."),), original=Original("a", "b"))
    snapshot = landed(write_snapshot(taken), words=())

    assert write_snapshot(snapshot) == write_snapshot(taken)


def test_a_snapshot_takes_another_moment_name_and_racks(landed: Landed, tmp_path: Path) -> None:
    """Where they are given."""
    (tmp_path / "racks.csv").write_text("broker,rack\n1,a\n")
    words = ("--cluster", "other", "--taken-at", NOON, "--racks", str(tmp_path / "racks.csv"))
    snapshot = landed(write_snapshot(TAKEN), words=words)

    assert (snapshot.cluster, snapshot.cluster_id, snapshot.controller) == ("other", "abc", 2)
    assert snapshot.taken_at == datetime(2026, 5, 1, 12, tzinfo=UTC)
    assert snapshot.layout.brokers[0] == Broker(1, rack="a")


def test_a_snapshot_of_the_future_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A wrong clock took it; a moment given instead is taken."""
    file = tmp_path / "s.json"
    file.write_bytes(write_snapshot(replace(TAKEN, taken_at=datetime(2199, 1, 1, tzinfo=UTC))))

    assert main(["land", str(file), "--landing", str(tmp_path / "zone")]) == 2
    assert "in the future" in capsys.readouterr().err
    assert main(["land", str(file), "--landing", str(tmp_path / "zone"), "--taken-at", NOON]) == 0


def test_a_snapshot_among_other_files_tells_the_moment(landed: Landed, tmp_path: Path) -> None:
    """And the cluster's name, id and controller."""
    snapshot = landed(write_snapshot(TAKEN), "broker,rack\n1,a\n", words=())

    assert (snapshot.cluster, snapshot.cluster_id, snapshot.controller) == ("shop", "abc", 2)
    assert snapshot.taken_at == TAKEN.taken_at
    assert snapshot.layout.brokers[0].rack == "a"


def test_a_proposal_is_not_what_the_cluster_was(landed: Landed, capsys: pytest.CaptureFixture[str]) -> None:
    """Only the current assignment is kept, and that is said; of one alone the warning stands."""
    current = json.dumps({"version": 1, "partitions": [{"topic": "t", "partition": 0, "replicas": [1, 2]}]})
    proposed = current.replace("[1, 2]", "[3, 4]")
    snapshot = landed(
        f"Current partition replica assignment\n{current}\n\n"
        f"Proposed partition reassignment configuration\n{proposed}\n"
    )

    assert snapshot.layout.assignments() == {("t", 0): [1, 2]}
    assert "The text also has a proposed assignment" in capsys.readouterr().out
    assert snapshot.pending == {}


def test_without_a_landing_zone_it_is_the_configured_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The dashboard's: ``RESEAT_LANDING``."""
    monkeypatch.setenv("RESEAT_LANDING", str(tmp_path / "mine"))
    (tmp_path / "d.txt").write_text(DESCRIBE)

    assert main(["land", str(tmp_path / "d.txt"), "--cluster", "shop", "--taken-at", NOON]) == 0
    assert len(list((tmp_path / "mine" / "cluster=shop").iterdir())) == 1
    assert str(tmp_path / "mine") in capsys.readouterr().out


def test_a_text_too_large_to_be_kept_is_left_out_and_said(
    landed: Landed, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The layout is kept all the same."""
    monkeypatch.setattr("reseat.sources.keeping.MOST_CHARACTERS", 100)
    snapshot = landed(DESCRIBE)

    assert snapshot.original is None
    assert "original_parts" not in snapshot.facts
    assert "The text itself is not saved" in capsys.readouterr().out
    assert snapshot.layout.partition_count == 2
