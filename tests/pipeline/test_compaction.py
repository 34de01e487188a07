"""Compaction: the same rows in one file a day, in order; the second time nothing is left to do."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

from reseat.errors import InputRefused, PipelineBusy, SparkFailed
from reseat.history.commit_record import commit_numbers, record_path
from reseat.history.folder import Folder
from reseat.history.schema import TABLES, arrow_schema
from reseat.pipeline.commit import Batch
from reseat.pipeline.lock import hold
from reseat.pipeline.turns import take_turn
from reseat.pipeline.upkeep import compaction, rewriting
from reseat.pipeline.upkeep.compaction import compact
from reseat.pipeline.upkeep.rewriting import ORDER
from tests.history import made
from tests.pipeline import plain

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark


def written(home: Path) -> Folder:
    """The small history, with a ledger of two months of two files, and a day of which no file has a row."""
    tables = Folder.open(made.write(home).tables)
    for path in ("b", "a"):
        batch = Batch.begin(take_turn(tables))
        told = {"token": "1", "outcome": "taken", "snapshot_id": path * 32}
        batch.record(
            pa.Table.from_pylist([{"path": path + month, "month": month, **told} for month in ("2026-05", "2026-06")])
        )
        batch.stage_table("changes", arrow_schema("changes").empty_table(), ("007", "2026-05-01"))
        batch.commit()
    return tables


def test_one_file_a_folder_the_same_rows_and_the_second_time_nothing(spark: SparkSession, tmp_path: Path) -> None:
    """Every table, the ledger, and the day without rows; rows lie in the order of time."""
    tables = written(tmp_path)
    before, folders = plain.rows(tables), Counter(plain.folders(tables))

    done = compact(spark, tables)
    assert plain.rows(tables) == before
    assert Counter(plain.folders(tables)) == dict.fromkeys(folders, 1)
    assert done.folders == sum(count > 1 for count in folders.values()) + 2
    assert done.left == done.folders
    assert done.files == sum(count for count in folders.values() if count > 1) + 4
    assert [row["path"] for row in plain.ledger(tables)] == ["a2026-05", "b2026-05", "a2026-06", "b2026-06"]
    assert [one.path.split("/")[2] for one in tables.files("_reseat/ledger")] == ["month=2026-05", "month=2026-06"]
    (file,) = tables.files("replicas/cluster=shop/day=2026-05-01")
    listed = plain.in_file(tables, file.path)
    assert listed == sorted(listed, key=lambda row: [row[name] for name in ORDER["replicas"]])
    assert list(listed[0]) == arrow_schema("replicas").names

    files = tables.files(hidden=True)
    again = compact(spark, tables)
    assert (again.files, again.batches) == (0, 0)
    assert again.sentence == "Nothing to compact: no folder has more files than it needs."
    added = {one.path for one in tables.files(hidden=True) if one not in files}
    assert added <= {"_reseat/lock", *map(record_path, commit_numbers(tables))}


def test_a_large_day_gets_several_files_of_its_order_and_rests(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their ranges do not overlap; they are compacted again only when another file comes. One cluster alone."""
    tables = written(tmp_path)
    before = plain.rows(tables)
    day = "replicas/cluster=shop/day=2026-05-01"
    monkeypatch.setattr(rewriting, "FILE_BYTES", sum(one.size for one in tables.files(day)) - 1)

    done = compact(spark, tables, cluster="shop")
    assert plain.rows(tables) == before
    moments = [[row["taken_at"] for row in plain.in_file(tables, one.path)] for one in tables.files(day)]
    assert len(moments) == 2
    ranges = sorted((min(told), max(told)) for told in moments)  # type: ignore[type-var]
    assert ranges[0][1] <= ranges[1][0]  # type: ignore[operator]
    assert done.files == 2 * (len(TABLES) - 1) * 2  # two files a day, two days; but rejected
    assert len(tables.files("_reseat/ledger")) == 4
    assert compact(spark, tables, cluster="shop").folders == 0
    with pytest.raises(InputRefused, match="The tables hold no snapshot of cluster shopp"):
        compact(spark, tables, cluster="shopp")


def test_rows_that_do_not_match_publish_nothing(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Should a row be lost on the way, the tables stay as they were and the job fails in words; so if it is busy."""
    tables = written(tmp_path)
    before = tables.files()
    monkeypatch.setattr(compaction, "rows_in", lambda _, paths: len(paths))
    with pytest.raises(SparkFailed, match="tables are unchanged"):
        compact(spark, tables)

    assert tables.files() == before
    assert tables.folders("_reseat/runs") == []
    with hold(tables, "run"), pytest.raises(PipelineBusy):
        compact(spark, tables)


def test_every_table_has_an_order_of_its_columns() -> None:
    """Each begins with the moment, where the table has one."""
    for table in TABLES:
        names = [column.name for column in table.columns]
        assert set(ORDER[table.name]) <= set(names)
        assert table.name == "rejected" or ORDER[table.name][:2] == ("taken_at", "snapshot_id")
