"""Every table has a file for every day that has a snapshot, whatever a batch adds and takes away. Without Spark."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from reseat.history.folder import Folder
from reseat.history.schema import TABLES, arrow_schema
from reseat.pipeline.admission import PORTION, Admission
from reseat.pipeline.batch_tables import fill_up
from reseat.pipeline.commit import Batch
from reseat.pipeline.turns import take_turn

MOMENT = datetime(2026, 5, 2, 9, tzinfo=UTC)
DAY = ("a", "2026-05-01")
PARTITIONED = sorted(one.name for one in TABLES if one.partitioned)


@pytest.fixture
def tables(tmp_path: Path) -> Folder:
    """Tables that have one day of one cluster already."""
    folder = Folder.open(tmp_path / "tables")
    batch = Batch.begin(take_turn(folder))
    fill_up(folder, batch, [DAY], [], [])
    batch.commit([DAY])
    return folder


def files_of(tables: Folder, name: str) -> list[str]:
    """The files of a table."""
    return [file.path for file in tables.files(name)]


def test_a_new_day_has_a_file_in_every_table(tables: Folder) -> None:
    """With the table's columns and no rows, where nothing was written."""
    assert tables.folders() == PARTITIONED
    for name in PARTITIONED:
        (path,) = files_of(tables, name)
        found = tables.open_dataset([path], schema=arrow_schema(name), partitioned=False)

        assert path.startswith(f"{name}/cluster=a/day=2026-05-01/")
        assert found.count_rows() == 0


def test_a_file_of_few_rows_has_nothing_that_pays_off_for_many(tables: Folder) -> None:
    """A fleet opens thousands: no dictionaries, no compression, and bounds only of what files are passed over by."""
    schema = arrow_schema("snapshots")
    rows = pa.Table.from_pylist([{"snapshot_id": "ab", "taken_at": MOMENT, "path": "cluster=a/1.json"}], schema)
    batch = Batch.begin(take_turn(tables))
    batch.stage_table("snapshots", rows, ("a", "2026-05-02"))
    (path,) = batch.staged("snapshots")
    told = pq.read_metadata(tables.path(path)).row_group(0)
    columns = [told.column(number) for number in range(told.num_columns)]

    assert not any(column.has_dictionary_page or column.compression != "UNCOMPRESSED" for column in columns)
    assert [one.path_in_schema for one in columns if one.is_stats_set] == ["snapshot_id", "taken_at", "path"]
    assert pq.read_schema(tables.path(path)).equals(schema)


@pytest.mark.parametrize(
    ("day_of", "small", "together"),
    [(lambda _: 1, True, True), (lambda at: at, True, True), (lambda at: at, False, False), (lambda _: 1, None, False)],
)
def test_this_process_writes_what_is_small_and_of_a_day_that_it_can_hold(
    day_of: Callable[[int], int], small: bool | None, together: bool
) -> None:
    """One day of a single cluster as well as many; a file more of one day than it holds at once, and Spark does."""
    count = PORTION + (small is None)
    rows = [{"cluster": "a", "day": f"day {day_of(at)}", "outcome": "taken"} for at in range(count)]
    rows.append({"cluster": "a", "day": "day 1", "outcome": "duplicate"})

    assert Admission(pa.Table.from_pylist(rows), pa.table({}), small is not False).together == together


def test_what_is_there_or_staged_is_not_filled_up_again(tables: Folder) -> None:
    """A second batch of the day adds the file that it wrote and no other."""
    batch = Batch.begin(take_turn(tables))
    batch.stage_table("brokers", arrow_schema("brokers").empty_table(), ("a", "2026-05-01"))
    fill_up(tables, batch, [DAY], [DAY], [])
    batch.commit([DAY])

    assert [len(files_of(tables, name)) for name in PARTITIONED] == [2 if n == "brokers" else 1 for n in PARTITIONED]


def test_a_day_whose_changes_are_taken_back_keeps_a_file(tables: Folder) -> None:
    """A late snapshot can leave the one after it without a change: the old file goes, and the table stays readable."""
    before = files_of(tables, "changes")
    batch = Batch.begin(take_turn(tables))
    batch.remove(before)
    fill_up(tables, batch, [("a", "2026-05-02")], [DAY], [DAY])
    batch.commit([DAY])
    after = files_of(tables, "changes")

    assert not {*before} & {*after}
    assert [path.split("/")[2] for path in after] == ["day=2026-05-01", "day=2026-05-02"]
