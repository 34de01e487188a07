"""Rows kept by file: what Fleet opens again, and that it tells the same as who opens everything."""

from __future__ import annotations

import shutil
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from deltalake import write_deltalake

from reseat.errors import InputRefused
from reseat.history import kept_rows
from reseat.history.fleet import fleet
from reseat.history.folder import Folder
from reseat.history.read import History
from reseat.history.schema import arrow_schema
from tests.history import made

_LAST = f"cluster=shop/day={made.SECOND_DAY}/1510-0.parquet"


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files that are opened from now on, without the places of tables."""
    plain, seen = Folder.load, list[str]()

    def load(self: Folder, path: str) -> bytes:
        seen.append(path)
        return plain(self, path)

    monkeypatch.setattr(Folder, "load", load)
    return seen


@pytest.fixture
def tables(tmp_path: Path) -> Path:
    """The small history without its last snapshot; that lies beside it, in ``later``."""
    later = made.write(tmp_path / "later").tables
    home = tmp_path / "tables"
    shutil.copytree(later, home)
    for name in ("snapshots", "resilience"):
        (home / name / _LAST).unlink()
    return home


def anew(tables: Path) -> pd.DataFrame:
    """What Fleet tells of these tables where nothing is kept of them."""
    copy = tables.with_name(f"{tables.name}-{len(list(tables.parent.iterdir()))}")
    shutil.copytree(tables, copy)
    return fleet(History.open(copy)).clusters


def test_after_a_job_its_files_alone_are_opened(tables: Path, opened: list[str]) -> None:
    """One file for the curve and the figures of a cluster, one for its losses; where nothing is new, none."""
    first = fleet(History.open(tables)).clusters
    assert len(opened) == len(set(opened))
    opened.clear()
    again = fleet(History.open(tables)).clusters
    assert opened == []
    pd.testing.assert_frame_equal(first, again)

    for name in ("snapshots", "resilience"):
        shutil.copy(tables.with_name("later") / "tables" / name / _LAST, tables / name / _LAST)
    told = fleet(History.open(tables)).clusters

    assert sorted(opened) == [f"resilience/{_LAST}", f"snapshots/{_LAST}"]
    assert told.set_index("cluster").loc["shop", "taken_at"] > first.set_index("cluster").loc["shop", "taken_at"]
    pd.testing.assert_frame_equal(told, anew(tables))


def test_what_is_gone_merged_or_replaced_is_not_told_any_more(tables: Path, opened: list[str]) -> None:
    """A retention, a compaction, another file under an old name; another folder in the place of this one."""
    fleet(History.open(tables))
    day = tables / "snapshots" / "cluster=shop" / f"day={made.FIRST_DAY}"
    files = sorted(day.glob("*.parquet"))
    files[0].unlink()
    pd.testing.assert_frame_equal(fleet(History.open(tables)).clusters, anew(tables))

    rows = pa.concat_tables(pq.read_table(one, schema=arrow_schema("snapshots")) for one in day.glob("*.parquet"))
    for one in day.glob("*.parquet"):
        one.unlink()
    pq.write_table(rows, day / "merged.parquet")
    opened.clear()
    told = fleet(History.open(tables)).clusters
    assert opened == [f"snapshots/cluster=shop/day={made.FIRST_DAY}/merged.parquet"]
    pd.testing.assert_frame_equal(told, anew(tables))

    doubled = rows.set_column(
        rows.column_names.index("size_bytes"), "size_bytes", pa.array([9] * len(rows), pa.int64())
    )
    pq.write_table(doubled, day / "merged.parquet")
    told = fleet(History.open(tables)).clusters
    assert 9.0 in told.set_index("cluster").loc["shop", "size_curve"]

    tables.rename(tables.with_name("before"))
    (tables.with_name("later") / "tables").rename(tables)
    pd.testing.assert_frame_equal(fleet(History.open(tables)).clusters, anew(tables))


@pytest.mark.parametrize("wrong", ["no parquet", "its footer", "cut short"])
def test_a_damaged_file_is_named(tables: Path, wrong: str) -> None:
    """However pyarrow calls what is wrong with it."""
    file = sorted((tables / "snapshots").rglob("*.parquet"))[-1]
    whole = file.read_bytes()
    footer = len(whole) - 8 - int.from_bytes(whole[-8:-4], "little")
    content = {
        "no parquet": b"no parquet at all",
        "its footer": whole[:footer] + bytes([255] * 8) + whole[footer + 8 :],
        "cut short": whole[: len(whole) // 2] + whole[-8:],
    }
    file.write_bytes(content[wrong])

    with pytest.raises(InputRefused, match=f"The table snapshots cannot be read: .*{file.name}"):
        fleet(History.open(tables))


def test_two_sessions_at_once_open_each_file_once(tables: Path, opened: list[str]) -> None:
    """The second waits for the first, and has its own answer."""
    together = threading.Barrier(2)

    def ask() -> pd.DataFrame:
        together.wait()
        return fleet(History.open(tables)).clusters

    with ThreadPoolExecutor(2) as pool:
        one, other = (asked.result() for asked in [pool.submit(ask) for _ in range(2)])

    assert len(opened) == len(set(opened)) > 0
    pd.testing.assert_frame_equal(one, other)


def test_what_is_kept_is_bounded(tables: Path, opened: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """What takes more than that is read each time; what was asked for longest ago goes first."""
    fleet(History.open(tables))
    first = len(opened)
    monkeypatch.setattr(kept_rows, "MOST_BYTES", 1)
    for _ in range(2):
        opened.clear()
        fleet(History.open(tables))
    assert len(opened) == first


def test_losses_of_many_snapshots_are_not_kept(
    tables: Path, opened: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a day of which every snapshot was swept only the last one's are needed: the same is told."""
    told = fleet(History.open(tables)).clusters
    monkeypatch.setattr("reseat.history.fleet.MANY_BYTES", 1)
    opened.clear()

    pd.testing.assert_frame_equal(fleet(History.open(tables)).clusters, told)
    assert opened == []


def test_of_delta_tables_new_files_alone_are_opened(tables: Path, tmp_path: Path, opened: list[str]) -> None:
    """Their logs say which they are."""
    home, whole = tmp_path / "delta", History.open(tables.with_name("later") / "tables")
    names = ("snapshots", "copysets", "resilience")
    rows = {name: whole.table(name) for name in names}
    last = pc.max(rows["snapshots"]["taken_at"])
    for name in names:
        some = rows[name].filter(pc.less(rows[name]["taken_at"], last))
        write_deltalake(home / name, some, partition_by=["cluster", "day"])
    first = fleet(History.open(home)).clusters
    files = len(opened)
    for name in names:
        some = rows[name].filter(pc.equal(rows[name]["taken_at"], last))
        write_deltalake(home / name, some, mode="append")
    told = fleet(History.open(home)).clusters

    assert len(opened) == len(set(opened)) == files + len(names)
    assert not told.equals(first)
    pd.testing.assert_frame_equal(told, fleet(whole).clusters)
