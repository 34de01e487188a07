"""The sweep on real Spark: against small computations in pandas over the tables alone, and stopped on its way."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from math import comb
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd
import pyarrow.dataset as ds
import pytest
from deltalake import write_deltalake

from reseat.errors import InputRefused
from reseat.history.folder import Folder
from reseat.history.read import History
from reseat.pipeline import sweep as module
from reseat.pipeline import turns
from reseat.pipeline.progress import JobProgress
from reseat.pipeline.staging import Staging
from reseat.pipeline.sweep import SweepReport
from reseat.pipeline.work import AnyTurn
from tests.history.made import history, write
from tests.pipeline.running import sweep

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark


def _table(tables: Path, name: str) -> pd.DataFrame:
    """A plain read of a table, as any tool does it, rows in an order of their own."""
    keys = ds.partitioning(ds.dataset(tables / name, partitioning="hive").partitioning.schema, flavor="hive")
    rows = ds.dataset(tables / name, partitioning=keys).to_table().to_pandas()
    return rows.sort_values(list(rows.columns), key=lambda column: column.map(str), ignore_index=True)


def _files(tables: Path) -> list[str]:
    return sorted(str(path.relative_to(tables)) for path in tables.rglob("*.parquet"))


def _losses(brokers: pd.DataFrame, replicas: pd.DataFrame) -> pd.DataFrame:
    """What each broker, rack and pair lost does to one snapshot, by looping over them with pandas."""
    held = replicas.merge(brokers[["broker", "state"]], on="broker")
    held["key"] = held["topic"] + "-" + held["partition"].astype(str)
    held = held.sort_values("position")
    racks = brokers.dropna(subset=["rack"]).groupby("rack")["broker"].apply(list)
    ids = sorted(brokers["broker"])
    sources = held[held["in_sync"] & (held["state"] == "alive")]["key"]  # what has none cannot be copied by any plan
    wanted = [("broker", [one]) for one in ids]
    wanted += [("rack", sorted(there)) for there in racks]
    wanted += [("pair", list(two)) for two in combinations(ids, 2)]
    rows = []
    for kind, lost in wanted:
        left = held[held["in_sync"] & (held["state"] == "alive") & ~held["broker"].isin(lost)]
        heirs = left.groupby("key")["broker"].first()
        led = held[held["is_leader"] & held["broker"].isin(lost)]["key"]
        to = heirs.reindex(led).dropna().astype(int).value_counts().sort_index()
        rows.append(
            {
                "kind": kind,
                "lost": lost,
                "offline_partitions": held["key"].nunique() - len(heirs),
                "leaders_moved": int(to.sum()),
                "leaders_to": list(to.items()),
                "copies": int((held["broker"].isin(lost) & held["key"].isin(sources)).sum()),
            }
        )
    return pd.DataFrame(rows)


def same_losses(brokers: pd.DataFrame, replicas: pd.DataFrame, found: pd.DataFrame) -> None:
    """Compare the losses of one snapshot with those that its brokers and replicas tell."""
    expected = _losses(brokers, replicas)
    found = found.assign(
        lost=found["lost"].map(lambda ids: ids.tolist()),
        leaders_to=found["leaders_to"].map(lambda to: [(one["broker"], one["leaders"]) for one in to]),
    )
    both = _by_loss(expected).join(_by_loss(found), rsuffix="_found")

    assert len(found) == len(expected)
    for column in ("offline_partitions", "leaders_moved", "leaders_to"):
        assert both[column].tolist() == both[f"{column}_found"].tolist()
    healable = both["moves"].notna()
    assert both["moves"][healable].tolist() == both["copies"][healable].tolist()
    assert healable[both["copies"] == 0].all()


def test_every_loss_is_what_pandas_finds(spark: SparkSession, tmp_path: Path) -> None:
    """All kinds of loss of six snapshots of two clusters; a second sweep has nothing to do and touches nothing."""
    made = write(tmp_path, swept=False)
    told: list[JobProgress] = []
    done = sweep(spark, Folder.open(made.tables), report=told.append)
    files = _files(made.tables)
    again = sweep(spark, Folder.open(made.tables))
    brokers, replicas = _table(made.tables, "brokers"), _table(made.tables, "replicas")
    found, sets = _table(made.tables, "resilience"), _table(made.tables, "copysets")

    assert (done.chosen, done.swept, done.batches) == (6, 6, 1)
    assert (again.chosen, again.swept, again.batches) == (0, 0, 0)
    assert _files(made.tables) == files
    assert told[-1].sentence == "6 of 6 snapshots analysed."
    assert sorted(sets["snapshot_id"]) == sorted(made.ids("shop") + made.ids("007"))
    for cluster in ("shop", "007"):
        for name in made.ids(cluster):
            of_one = [rows[rows["snapshot_id"] == name] for rows in (brokers, replicas, found)]
            same_losses(*of_one)
            count = of_one[1]["broker"].nunique()
            assert set(of_one[2]["cluster"]) == {cluster}
            assert sets.set_index("snapshot_id").loc[name, "copysets"] <= comb(count, 3) + comb(count, 2) + count
    latest = found[(found["snapshot_id"] == made.ids("shop")[-1]) & (found["kind"] == "rack")].set_index("rack")
    assert latest.loc["b", "below_min_isr"] == 1  # refunds-0, on 1 and 5, asks for two
    assert History.open(made.tables).resilience("007", made.ids("007")[0], "pair").num_rows == 3


def _by_loss(rows: pd.DataFrame) -> pd.DataFrame:
    return rows.set_index(rows["kind"] + rows["lost"].map(str)).sort_index()


def test_step_by_step_ends_in_the_same_tables(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The latest of each, one cluster, then the rest in batches of one and in shares: each snapshot once.

    All at once they are swept as a fleet's are, whose files this process reads and writes.
    """
    whole, steps = write(tmp_path / "whole", swept=False), write(tmp_path / "steps", swept=False)
    tables = Folder.open(steps.tables)
    with monkeypatch.context() as patched:
        patched.setattr(module, "MANY_DAYS", 4)
        patched.setattr(module, "write", lambda *_: pytest.fail("Spark writes small files"))
        sweep(spark, Folder.open(whole.tables))
    cores = spark.conf.get("spark.sql.shuffle.partitions")
    monkeypatch.setattr(module, "SHARE_REPLICAS", 5)
    spark.conf.set("spark.sql.shuffle.partitions", "6")
    try:
        latest = sweep(spark, tables, latest=True)
        swept = set(_table(steps.tables, "copysets")["snapshot_id"])
        of_007 = sweep(spark, tables, cluster="007")
        monkeypatch.setattr(module, "BATCH_TAKEOVERS", 1)
        rest = sweep(spark, tables)
    finally:
        spark.conf.set("spark.sql.shuffle.partitions", cores or "2")

    assert latest.swept == 2
    assert swept == {steps.ids("shop")[-1], steps.ids("007")[-1]}
    assert of_007.swept == 1
    assert (rest.swept, rest.batches) == (3, 3)
    for name in ("resilience", "copysets"):
        pd.testing.assert_frame_equal(_table(steps.tables, name), _table(whole.tables, name))
    with pytest.raises(InputRefused, match="The tables hold no snapshot of cluster nowhere"):
        sweep(spark, tables, cluster="nowhere")


@pytest.mark.parametrize("where", ["sweeper", "write", "carry_out", "move"])
def test_a_sweep_that_is_stopped_is_healed_by_the_next(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    """Before the rows, before they are written, once the commit is on record, and between two of its files."""
    snapshots = {"007": history()["007"]}
    whole, stopped = (write(tmp_path / name, snapshots, swept=False) for name in ("whole", "stopped"))
    sweep(spark, Folder.open(whole.tables))
    at = {"carry_out": turns, "move": Folder}.get(where, module)
    monkeypatch.setattr(at, where, _dies_the_second_time(getattr(at, where), first=where in {"sweeper", "carry_out"}))
    with pytest.raises(KeyboardInterrupt):
        sweep(spark, Folder.open(stopped.tables))
    monkeypatch.undo()
    healed = sweep(spark, Folder.open(stopped.tables))

    on_record = where in {"carry_out", "move"}
    assert healed.swept == (0 if on_record else 2)
    assert len(healed.healed) == on_record
    assert not list((stopped.tables / "_reseat" / "runs").glob("*"))
    for name in ("resilience", "copysets"):
        pd.testing.assert_frame_equal(_table(stopped.tables, name), _table(whole.tables, name))


def test_of_two_sweeps_on_delta_tables_the_later_one_finds_nothing_to_do(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that has looked for its snapshots before the other began, and begins once that is done."""
    plain, home = History.open(write(tmp_path, {"007": history()["007"]}, swept=False).tables), tmp_path / "delta"
    for name in ("snapshots", "brokers", "replicas", "topic_spread"):
        write_deltalake(home / name, plain.table(name), partition_by=["cluster", "day"])
    real, others = module.begin, list[SweepReport]()

    def begin(turn: AnyTurn) -> Staging:
        if not others:
            others.append(SweepReport())
            others.append(sweep(spark, Folder.open(home)))
        return real(turn)

    monkeypatch.setattr(module, "begin", begin)
    done = sweep(spark, Folder.open(home))

    assert (others[1].swept, done.chosen, done.swept) == (2, 2, 0)
    assert sorted(History.open(home).table("copysets")["snapshot_id"].to_pylist()) == sorted(
        plain.table("snapshots")["snapshot_id"].to_pylist()
    )


def _dies_the_second_time(real: Callable[..., object], *, first: bool) -> Callable[..., object]:
    calls = [first]

    def dies(*args: object, **named: object) -> object:
        if calls[0]:
            raise KeyboardInterrupt
        calls[0] = True
        return real(*args, **named)

    return dies


def test_a_report_in_words() -> None:
    """What a person reads at the end."""
    assert SweepReport().sentence == "Nothing to analyse: every chosen snapshot is analysed already."
    assert SweepReport(chosen=1, swept=1, seconds=2.04).sentence == "1 snapshot analysed. 2.0 s."
