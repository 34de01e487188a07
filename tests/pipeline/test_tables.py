"""Every table against the same thing computed once more in pandas; plain reads give exactly the rows that count."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb
import pandas as pd
import pytest

from reseat.balance.changes import KINDS
from reseat.balance.changes import changes as changes_of_layouts
from reseat.formats.documents.snapshot_writer import identity
from reseat.history.folder import Folder
from reseat.history.schema import TABLES
from reseat.model import NOT_TOLD, Snapshot
from reseat.pipeline import admission
from reseat.pipeline.ingest import RunReport
from reseat.sources.keeping import snapshot_of_files
from reseat.sources.landing import land
from tests.pipeline import plain
from tests.pipeline.expected import EXPECTED, Rows, changes, same
from tests.pipeline.in_object_store import reseat
from tests.pipeline.moments import MOMENTS, Moment, snapshot_of
from tests.pipeline.running import run
from tests.pipeline.test_sweep import same_losses
from tests.servers.object_store import ObjectStore

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

#: What ``kafka-topics --describe`` of Kafka 2.8 prints.
DESCRIBED = b"""\
Topic: orders\tTopicId: 6kF0o0vTT5eTq1m2q2Rvzw\tPartitionCount: 2\tReplicationFactor: 2\tConfigs: min.insync.replicas=2
\tTopic: orders\tPartition: 0\tLeader: 1\tReplicas: 1,2\tIsr: 1,2
\tTopic: orders\tPartition: 1\tLeader: none\tReplicas: 2,3\tIsr: 3
"""
_KEYS = ("cluster", "day", "snapshot_id", "taken_at")


@dataclass(frozen=True)
class Filled:
    """Tables after a run, and what they were made of.

    Attributes:
        tables: the tables.
        report: what the run said; None where a command made it.
        landed: path and size of the landed file by snapshot id.
        snapshots: the snapshots of ``MOMENTS``, in that order.
        of_text: the snapshot that was made of a text.
        rows: the rows of all tables by table, read plainly.
    """

    tables: Folder
    report: RunReport | None
    landed: dict[str, tuple[str, int]]
    snapshots: list[Snapshot]
    of_text: Snapshot
    rows: dict[str, Rows]

    def of(self, name: str, snapshot: Snapshot) -> Rows:
        """The rows of one table of one snapshot, without the columns that all of them share."""
        mine = [row for row in self.rows[name] if row["snapshot_id"] == identity(snapshot)]
        return [{key: value for key, value in row.items() if key not in _KEYS} for row in mine]


@pytest.fixture(scope="module")
def on_disk(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Filled:
    """One run over all moments, a text, and a file that is no snapshot; as of large files, whose rows Spark writes."""
    home = tmp_path_factory.mktemp("filled")
    landing, tables = Folder.open(home / "landing"), Folder.open(home / "tables")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(admission, "SMALL_FILE", 0)
        return _filled(landing, tables, lambda: run(spark, landing, tables))


@pytest.fixture(
    scope="module", params=["on_disk", *(pytest.param(one, marks=pytest.mark.slow) for one in ("service", "azure"))]
)
def filled(request: pytest.FixtureRequest) -> Filled:
    """The same on either kind of store."""
    there: Filled | ObjectStore = request.getfixturevalue(request.param)
    return there if isinstance(there, Filled) else _elsewhere(there)


def _elsewhere(service: ObjectStore) -> Filled:
    """The same on S3 and ABFS, by the command line, and every loss of it."""
    landing = Folder.open(f"{service.url}/landing")

    def through_commands() -> None:
        reseat(service, "run", "--landing", landing.where)
        reseat(service, "sweep")

    return _filled(landing, Folder.open(f"{service.url}/tables"), through_commands)


def _filled(landing: Folder, tables: Folder, taken_in: Callable[[], RunReport | None]) -> Filled:
    snapshots = [snapshot_of(moment) for moment in MOMENTS]
    kept = snapshot_of_files([("describe.txt", DESCRIBED)], taken_at=datetime(2026, 5, 3, tzinfo=UTC))
    landed = {}
    for snapshot in (*snapshots, of_text := _named(kept.snapshot, "texts")):
        assert snapshot.cluster is not None
        path = land(snapshot, landing, snapshot.cluster).path
        landed[identity(snapshot)] = (path, len(landing.read(path)))
    landing.write("cluster=shop/note.txt", b"no snapshot")
    report = taken_in()
    rows = {
        table.name: plain.read(tables, table.name) for table in TABLES if table.name not in ("resilience", "copysets")
    }
    return Filled(tables, report, landed, snapshots, of_text, rows)


def _named(snapshot: Snapshot, cluster: str) -> Snapshot:
    from dataclasses import replace

    return replace(snapshot, cluster=cluster)


def _moments(filled: Filled) -> Iterator[tuple[Moment, Snapshot]]:
    yield from zip(MOMENTS, filled.snapshots, strict=True)


@pytest.mark.parametrize("name", [name for name in EXPECTED if name != "snapshots"])
def test_rows_are_those_that_pandas_finds(filled: Filled, name: str) -> None:
    """What a snapshot tells of replicas, brokers, racks and topics; what it does not tell is null."""
    for moment, snapshot in _moments(filled):
        found = filled.of(name, snapshot)
        for row in found:
            row.pop("state_digest", None)
        same(found, EXPECTED[name](moment))


def test_a_snapshot_is_one_row_with_its_measures_and_its_file(filled: Filled) -> None:
    """Its counts and spreads, its file, and its findings counted; day and cluster are those of its folder."""
    for moment, snapshot in _moments(filled):
        (found,) = filled.of("snapshots", snapshot)
        path, size = filled.landed[identity(snapshot)]
        assert (found.pop("path"), found.pop("file_bytes")) == (path, size)
        findings = sorted(filled.of("findings", snapshot), key=lambda row: row["rank"])
        for severity in ("broken", "attention", "note"):
            assert found.pop(f"findings_{severity}") == sum(row["severity"] == severity for row in findings)
        worst = findings[0] if findings else {"sentence": None, "severity": None}
        assert (found.pop("worst_finding"), found.pop("worst_severity")) == (worst["sentence"], worst["severity"])
        same([found], EXPECTED["snapshots"](moment))
    whole = {row["snapshot_id"]: row for row in filled.rows["snapshots"]}
    for moment, snapshot in _moments(filled):
        row = whole[identity(snapshot)]
        assert (row["cluster"], row["taken_at"]) == (moment.cluster, moment.taken_at)
        assert str(row["day"]) == moment.at[:10]


def test_findings_are_ranked_and_name_what_they_concern(filled: Filled) -> None:
    """The worst first; ids, topics and counts as in the literals."""
    first = filled.of("findings", filled.snapshots[1])  # broker 4 of shop is dead
    kinds = {row["kind"]: row for row in first}
    order = ["broken", "attention", "note"]
    assert [row["rank"] for row in first] == list(range(len(first)))
    assert [row["severity"] for row in first] == sorted((row["severity"] for row in first), key=order.index)
    dead, offline, lacking = kinds["dead_broker_mentioned"], kinds["offline"], kinds["under_replicated"]
    assert (dead["severity"], dead["brokers"], dead["partitions"]) == ("broken", [4], 4)
    assert (offline["severity"], offline["partitions"]) == ("broken", 1)
    assert lacking["partitions"] == 3
    untold = {row["kind"]: row for row in filled.of("findings", filled.snapshots[4])}  # 007
    assert untold["order_not_told"]["topics"] == ["events"]
    assert untold.keys().isdisjoint({"offline", "under_replicated", "dead_broker_mentioned"})


def test_a_topic_has_the_same_digest_exactly_where_nothing_of_it_changed(filled: Filled) -> None:
    """Over all pairs of moments of a cluster: what the comparison of snapshots rests on."""
    told = [
        (moment, topic, next(r["state_digest"] for r in filled.of("topic_spread", snapshot) if r["topic"] == topic))
        for moment, snapshot in _moments(filled)
        for topic in moment.topics
    ]
    equal = 0
    for one, topic, digest in told:
        for other, of, digest_of in told:
            if (one.cluster, topic) == (other.cluster, of):
                same = _state(one, topic) == _state(other, topic)
                assert (digest == digest_of) == same, (topic, one.at, other.at)
                equal += same
    assert equal > len(told)


def _state(moment: Moment, topic: str) -> object:
    parts = {key: part for key, part in moment.parts.items() if key[0] == topic}
    return topic in moment.unordered, {
        key: (p.replicas, p.leader, None if p.isr is None else set(p.isr)) for key, p in parts.items()
    }


def test_changes_are_those_between_neighbours(filled: Filled) -> None:
    """As the literals differ, and as ``reseat.balance.changes`` has them; all kinds occur; a first one has none."""
    kinds = set()
    for (before, earlier), (after, later) in pairwise([(None, None), *_moments(filled)]):
        found = filled.of("changes", later)
        if before is None or earlier is None or before.cluster != after.cluster:
            assert found == []
            continue
        for row in found:
            assert row.pop("previous_snapshot_id") == identity(earlier)
            assert row.pop("previous_taken_at") == before.taken_at
        same(found, changes(before, after))
        same(found, _as_rows(earlier, later))
        kinds |= {row["kind"] for row in found}
    assert kinds == set(KINDS)


def test_changes_are_the_same_where_more_topics_changed_than_are_sent_to_every_task(
    spark: SparkSession, of_all: dict[str, list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Replicas are sorted to meet them."""
    monkeypatch.setattr("reseat.pipeline.changes.MOST_SENT", 0)
    landing, tables = Folder.open(tmp_path / "landing"), Folder.open(tmp_path / "tables")
    for moment in MOMENTS:
        land(snapshot_of(moment), landing, moment.cluster)

    run(spark, landing, tables)

    assert of_all["changes"]
    assert plain.rows(tables)["changes"] == of_all["changes"]


def _as_rows(before: Snapshot, after: Snapshot) -> Rows:
    told = changes_of_layouts(before.layout, after.layout)
    return [
        {
            "topic": None if topic < 0 else told.topics[topic],
            "partition": None if topic < 0 else partition,
            "kind": KINDS[kind],
            "broker": broker,
            "was": None if was == NOT_TOLD else was,
            "whole": whole if KINDS[kind] in ("replica_added", "replica_removed") else None,
        }
        for kind, topic, partition, broker, was, whole in zip(
            told.kind.tolist(),
            told.topic_of.tolist(),
            told.partition.tolist(),
            told.broker.tolist(),
            told.was.tolist(),
            told.whole.tolist(),
            strict=True,
        )
    ]


def test_a_text_that_was_landed_is_a_snapshot_like_any_other(filled: Filled) -> None:
    """What describe printed, read by ``land``: order, leaders, ISRs and min ISR told, sizes not."""
    (found,) = filled.of("snapshots", filled.of_text)
    replicas = filled.of("replicas", filled.of_text)
    facts = {name: found[name] for name in ("way", "partitions", "replicas", "offline", "below_min_isr", "size_bytes")}
    assert facts == {
        "way": "text",
        "partitions": 2,
        "replicas": 4,
        "offline": 1,
        "below_min_isr": 1,
        "size_bytes": None,
    }
    listed = {
        (row["partition"], row["position"]): (row["broker"], row["is_leader"], row["in_sync"]) for row in replicas
    }
    assert listed == {
        (0, 0): (1, True, True),
        (0, 1): (2, False, True),
        (1, 0): (2, False, False),
        (1, 1): (3, False, True),
    }


def test_what_is_no_snapshot_is_told_in_rejected_and_nowhere_else(on_disk: Filled) -> None:
    """One row, with its bytes; the run counts it."""
    (row,) = on_disk.rows["rejected"]
    assert (row["path"], row["cluster"], row["bytes"]) == ("cluster=shop/note.txt", "shop", b"no snapshot")
    assert (row["size_bytes"], row["snapshot_id"], row["taken_at"]) == (11, None, None)
    assert row["reason"].endswith(".")
    assert on_disk.report is not None
    assert (on_disk.report.taken, on_disk.report.rejected, on_disk.report.duplicates) == (len(MOMENTS) + 1, 1, 0)


def test_every_plain_reader_finds_exactly_these_rows(spark: SparkSession, on_disk: Filled) -> None:
    """Spark, pandas and DuckDB count what pyarrow counts, in every table of the run, and agree on some columns."""
    for name, rows in on_disk.rows.items():
        place = on_disk.tables.path(name)
        by_spark = spark.read.parquet(place)
        by_pandas = pd.read_parquet(place)
        by_duckdb = duckdb.read_parquet(f"{place}/**/*.parquet", hive_partitioning=name != "rejected")
        columns = ["cluster", "snapshot_id", *(["path"] if name == "rejected" else ["day"])]
        wanted = sorted(tuple(str(row[column]) for column in columns) for row in rows)
        for found in (
            [tuple(row) for row in by_spark.select(columns).collect()],
            [
                tuple(row)
                for row in by_pandas[columns].astype(object).where(by_pandas.notna(), None).to_numpy().tolist()
            ],
            by_duckdb.select(*columns).fetchall(),
        ):
            assert sorted(tuple(str(value) for value in row) for row in found) == wanted, name


def test_every_day_of_every_cluster_has_a_file_in_every_table(on_disk: Filled) -> None:
    """Also where there is no row yet, as in resilience: a reader of one day finds all tables."""
    days = {f"cluster={moment.cluster}/day={moment.at[:10]}" for moment in MOMENTS} | {"cluster=texts/day=2026-05-03"}
    found = set(plain.folders(on_disk.tables))
    assert found == {f"{t.name}/{day}" for t in TABLES if t.partitioned for day in days} | {"rejected"}
    assert on_disk.tables.files("_reseat/runs", hidden=True) == []


def test_losses_elsewhere_are_what_pandas_finds(filled: Filled) -> None:
    """Of every snapshot that tells what is in sync; on a disk ``test_sweep`` has it."""
    if filled.tables.local is not None:
        return
    told = {name: plain.of_delta(filled.tables, name).to_pandas() for name in ("brokers", "replicas", "resilience")}
    compared = 0
    for snapshot in filled.snapshots:
        mine = {name: rows[rows["snapshot_id"] == identity(snapshot)] for name, rows in told.items()}
        if mine["replicas"]["in_sync"].notna().all():
            in_sync = mine["replicas"].astype({"in_sync": bool})  # nulls of others made objects of them
            same_losses(mine["brokers"], in_sync, mine["resilience"])
            compared += 1
    assert compared > 3
    swept = plain.of_delta(filled.tables, "copysets")["snapshot_id"].to_pylist()
    assert sorted(swept) == sorted(row["snapshot_id"] for row in filled.rows["snapshots"])
