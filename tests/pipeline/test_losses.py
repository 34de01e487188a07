"""Rows of one snapshot's tables become rows of losses, as Spark maps them; no Spark here."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pyarrow as pa
import pytest

from reseat.election import Mode
from reseat.errors import LayoutInvalid
from reseat.history.schema import arrow_schema
from reseat.model import Broker, BrokerState, ClusterLayout, Snapshot
from reseat.pipeline import losses
from reseat.pipeline.decode import Landed, replica_batches
from reseat.pipeline.losses import SOURCES, Job, loss_rows, lossy_schema, sweeper
from reseat.pipeline.measures import measures
from reseat.resilience.losses import from_layout, from_tables

WHEN = datetime(2026, 5, 1, 3, tzinfo=UTC)
JOB = Job("shop", "2026-05-01", "id", WHEN)
LAYOUT = ClusterLayout.from_assignments(
    {("orders", 0): [1, 2], ("orders", 1): [2, 3], ("logs", 0): [3]},
    brokers=[Broker(i, rack, state=BrokerState.ALIVE) for i, rack in {1: "a", 2: "b", 3: "a", 4: None}.items()],
    leaders={("orders", 0): 1, ("orders", 1): 2, ("logs", 0): 3},
    in_sync={("orders", 0): [1, 2], ("orders", 1): [2, 3], ("logs", 0): [3]},
    size_bytes={("orders", 0): 10.0, ("orders", 1): 20.0, ("logs", 0): 40.0},
)


def _as_spark_sends(jobs: list[ClusterLayout], *, twice: bool = False) -> list[pa.RecordBatch]:
    """The rows of each job's tables, with its number, mixed as a shuffle leaves them, and one row of every job."""
    types = {field.name: field for name in SOURCES for field in arrow_schema(name)}
    schema = pa.schema(
        [
            pa.field("job", pa.int32()),
            pa.field("source", pa.string()),
            *(types[name] for name in dict.fromkeys(name for names in SOURCES.values() for name in names)),
        ]
    )
    parts = [pa.table({"job": pa.array(range(len(jobs)), pa.int32())})]
    for number, layout in enumerate(jobs):
        snapshot = Snapshot(layout, WHEN, "text", cluster="shop")
        small = measures(snapshot, path="a.json", file_bytes=1)
        rows = {name: pa.Table.from_struct_array(small[name]) for name in ("brokers", "topic_spread") if small[name]}
        rows["replicas"] = pa.Table.from_batches(
            list(replica_batches(Landed(snapshot, "id", "2026-05-01"))), arrow_schema("replicas", with_keys=True)
        )
        for name, told in rows.items():
            mine = told.select(list(SOURCES[name]))
            mine = mine.append_column("job", pa.array([number] * len(mine), pa.int32()))
            parts.append(mine.append_column("source", pa.array([name] * len(mine), pa.string())))
            if twice and name == "replicas":
                parts.append(parts[-1])
    whole = pa.concat_tables([_filled(part, schema) for part in parts])
    mixed = np.random.default_rng(0).permutation(len(whole))
    return whole.take(pa.array(mixed)).to_batches(max_chunksize=3)


def _filled(part: pa.Table, schema: pa.Schema) -> pa.Table:
    columns = [
        part[field.name].cast(field.type) if field.name in part.column_names else pa.nulls(len(part), field.type)
        for field in schema
    ]
    return pa.table(columns, schema=schema)


def _rows(batches: object) -> list[dict[str, object]]:
    return pa.Table.from_batches(batches, lossy_schema()).to_pylist()


def test_the_rows_of_a_small_snapshot() -> None:
    """Four brokers, two racks, six pairs, one row of copysets; every row says whose it is."""
    rows = _rows(loss_rows(JOB, LAYOUT))
    kinds = [row["kind"] for row in rows if row["of"] == "resilience"]
    rack_a = next(row for row in rows if row["rack"] == "a")
    first, pair = (next(row for row in rows if row["lost"] == lost) for lost in ([1, 2], [2, 3]))
    (sets,) = [row for row in rows if row["of"] == "copysets"]

    assert [kinds.count(kind) for kind in ("broker", "rack", "pair")] == [4, 2, 6]
    assert {(row["cluster"], row["day"], row["snapshot_id"], row["taken_at"]) for row in rows} == {
        ("shop", "2026-05-01", "id", WHEN)
    }
    assert (rack_a["lost"], rack_a["offline_partitions"], rack_a["moves"]) == ([1, 3], 1, 3)
    assert rack_a["leaders_to"] == [{"broker": 2, "leaders": 1}]
    assert (rack_a["bytes_to_move"], rack_a["racks_kept"]) == (70, True)
    assert (pair["offline_partitions"], pair["leaders_moved"], pair["moves"], pair["bytes_to_move"]) == (2, 0, 4, 90)
    assert (pair["leaders_to"], first["leaders_to"]) == ([], [{"broker": 3, "leaders": 1}])
    assert (pair["below_min_isr"], pair["least_spread"], pair["racks_kept"]) == (None,) * 3
    assert (sets["copysets"], sets["chance_two"]) == (3, 4 / 6)


@pytest.mark.parametrize("mode", ["zookeeper", "kraft"])
def test_what_is_so_already_is_what_the_layout_says(mode: Mode) -> None:
    """One topic of one replica asks for two in sync: below in the ZooKeeper era alone; another has no leader."""
    layout = ClusterLayout.from_assignments(
        {("gone", 0): [1, 2], ("one", 0): [1], ("one", 1): [2]},
        leaders={("gone", 0): None, ("one", 0): 1, ("one", 1): None},
        in_sync={("gone", 0): [1], ("one", 0): [1]},
    )
    layout = replace(layout, min_in_sync=np.array([1, 2], np.int32))
    rows = _rows(loss_rows(replace(JOB, mode=mode), layout))
    resilience, sets = (
        pa.Table.from_pylist([row for row in rows if row["of"] == name], arrow_schema(name))
        for name in ("resilience", "copysets")
    )
    (told,) = pa.Table.from_struct_array(
        measures(Snapshot(layout, WHEN, "text", cluster="shop"), path="a.json", file_bytes=1)["snapshots"]
    ).to_pylist()

    assert from_tables(resilience, sets, told).already == from_layout(layout, mode).already


def test_pairs_go_to_spark_in_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    """One after the other, each row whole, be it that one alone has more of who takes over than a slice should."""
    whole = _rows(loss_rows(JOB, LAYOUT))
    monkeypatch.setattr(losses, "BATCH_TAKEOVERS", 1)
    batches = list(loss_rows(JOB, LAYOUT))
    sizes = [len(batch) for batch in batches if batch["kind"][0].as_py() == "pair"]

    assert len(sizes) > 1
    assert sum(sizes) == 6
    assert _rows(batches) == whole


def test_who_takes_over_after_pairs_is_null_where_it_is_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    """Never an empty list, which would say that nobody does; brokers and racks have theirs all the same."""
    monkeypatch.setattr(losses, "PAIR_TAKEOVERS", 1)
    rows = [row for row in _rows(loss_rows(JOB, LAYOUT)) if row["of"] == "resilience"]

    assert {row["kind"] for row in rows if row["leaders_to"] is None} == {"pair"}
    assert {row["kind"] for row in rows if row["leaders_to"] is not None} == {"broker", "rack"}
    assert sum(row["leaders_moved"] for row in rows if row["kind"] == "pair") > 1


def test_shares_together_are_the_whole() -> None:
    """Three shares of one job give each row once."""
    shares = [Job("shop", "2026-05-01", "id", WHEN, share=at, shares=3) for at in range(3)]
    together = [row for job in shares for row in _rows(loss_rows(job, LAYOUT))]
    whole = _rows(loss_rows(JOB, LAYOUT))

    assert sorted(map(str, together)) == sorted(map(str, whole))


def test_jobs_that_meet_in_one_task_stay_apart() -> None:
    """Rows come mixed, in batches that hold several jobs; each job's rows are those of its own layout."""
    other = ClusterLayout.from_assignments({("events", 0): [7, 8]})
    jobs = [JOB, Job("lab", "2026-05-02", "other", WHEN, "kraft")]
    rows = _rows(sweeper(jobs)(_as_spark_sends([LAYOUT, other])))

    assert rows == [*_rows(loss_rows(jobs[0], LAYOUT)), *_rows(loss_rows(jobs[1], other))]


def test_a_cluster_without_brokers_has_its_row_of_copysets() -> None:
    """So that it counts as swept."""
    rows = _rows(sweeper([JOB])(_as_spark_sends([ClusterLayout.from_assignments({})])))

    assert [(row["of"], row["copysets"], row["chance_two"]) for row in rows] == [("copysets", 0, None)]
    assert list(sweeper([JOB])([])) == []


def test_rows_that_stand_there_twice_stop_the_sweep() -> None:
    """Numbers of a layout that never was would be worse than none."""
    with pytest.raises(LayoutInvalid, match="The tables have no complete replica list of partition"):
        list(sweeper([JOB])(_as_spark_sends([LAYOUT], twice=True)))
