"""Retention: the tables are those of a history of which only the kept snapshots were ever landed."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from reseat.errors import InputRefused
from reseat.history.folder import Folder
from reseat.model import Snapshot
from reseat.pipeline.upkeep import retention
from reseat.pipeline.upkeep.retention import retain
from tests.history import made
from tests.pipeline import plain

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark


def at(when: str) -> datetime:
    """A moment, UTC."""
    return datetime.fromisoformat(when).replace(tzinfo=UTC)


def as_if_only(home: Path, kept: dict[str, tuple[Snapshot, ...]]) -> Folder:
    """Tables of a history of these snapshots alone."""
    return Folder.open(made.write(home, kept).tables)


def test_old_days_keep_their_last_snapshot_and_changes_are_between_what_is_kept(
    spark: SparkSession, tmp_path: Path
) -> None:
    """First one day is old, then both; the rows are those of histories without the snapshots that went."""
    was = made.write(tmp_path / "all")
    tables = Folder.open(was.tables)
    _, second, third, fourth = was.snapshots["shop"]
    seven = was.snapshots["007"]
    before = set(plain.folders(tables))

    done = retain(spark, tables, keep_days=7, now=at("2026-05-09T06:00"))
    assert (done.removed, done.kept, done.days, done.batches) == (1, 5, 1, 1)
    expected = as_if_only(tmp_path / "one", {"shop": (second, third, fourth), "007": seven})
    assert plain.rows(tables) == plain.rows(expected)
    assert set(plain.folders(tables)) == before

    listed = tables.files()
    again = retain(spark, tables, keep_days=7, now=at("2026-05-09T23:59"))
    assert (again.removed, again.kept) == (0, 5)
    assert "Nothing to remove" in again.sentence
    assert tables.files() == listed

    retain(spark, tables, keep_days=7, now=at("2026-05-10T00:00"))
    expected = as_if_only(tmp_path / "two", {"shop": (second, fourth), "007": seven})
    assert plain.rows(tables) == plain.rows(expected)
    assert set(plain.folders(tables)) == before


def test_a_day_is_compared_with_the_last_day_that_had_any(spark: SparkSession, tmp_path: Path) -> None:
    """Days between without a snapshot, a day with one, and days thinned out in bundles of their own."""
    first, second, third, fourth = made.history()["shop"]
    lone = made.snapshot(second.layout, "shop", "2026-05-04T01:00")
    late = [made.snapshot(one.layout, "shop", f"2026-05-05T0{n}:00") for n, one in enumerate((first, third))]
    taken = (first, third, fourth, lone, *late)
    tables = Folder.open(made.write(tmp_path / "all", {"shop": taken}, swept=False).tables)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(retention, "bundles", lambda groups: ([group] for group in groups))
        done = retain(spark, tables, keep_days=1, now=at("2026-05-07T00:00"))
    assert (done.removed, done.batches) == (2, 2)
    expected = as_if_only(tmp_path / "kept", {"shop": (first, fourth, lone, late[1])})
    assert plain.rows(tables) == plain.rows(expected) | {"resilience": [], "copysets": []}


def test_a_damaged_file_is_named_with_its_table(spark: SparkSession, tmp_path: Path) -> None:
    """It is refused in words, and the tables stay as they are."""
    tables = Folder.open(made.write(tmp_path, swept=False).tables)
    file = tables.files("snapshots", ".parquet")[0].path
    tables.write(file, b"no parquet at all")
    before = {one.path for one in tables.files()}
    with pytest.raises(InputRefused, match=rf"The table snapshots cannot be read: .*{file}"):
        retain(spark, tables, keep_days=1)

    assert {one.path for one in tables.files()} == before


def test_a_number_of_days_that_is_none_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    """Keeping nothing is no retention."""
    with pytest.raises(InputRefused, match="0 days cannot be kept"):
        retain(spark, Folder.open(tmp_path), keep_days=0)

    assert retain(spark, Folder.open(tmp_path / "none"), keep_days=1).sentence.startswith("Nothing to remove")
