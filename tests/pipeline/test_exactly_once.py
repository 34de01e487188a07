"""Each snapshot counts once, whatever is delivered, in whatever order, and whenever the job is stopped."""

from __future__ import annotations

import errno
import json
import math
import os
import random
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from functools import partialmethod
from itertools import permutations
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any

import psutil
import pytest

from reseat.errors import InputRefused, PipelineBusy, SparkFailed
from reseat.formats.documents.snapshot_writer import write_snapshot
from reseat.history.folder import Folder
from reseat.model import Finding, Severity, Snapshot
from reseat.operate.targets.patience import Patience
from reseat.pipeline import admission, batch_tables, ingest
from reseat.pipeline.lock import check_free
from reseat.pipeline.progress import JobProgress
from reseat.pipeline.spark.spark_errors import in_words
from reseat.pipeline.upkeep.compaction import compact
from tests.pipeline import plain
from tests.pipeline.command import Command, ended
from tests.pipeline.moments import MOMENTS, put, snapshot_of
from tests.pipeline.running import run
from tests.pipeline.test_commit import Mortal, Stopped

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

ALL = tuple(snapshot_of(moment) for moment in MOMENTS)
#: One cluster's, in the order of time; they lie on three days, two of them a minute apart on either side of midnight.
SHOP = tuple(one for one in ALL if one.cluster == "shop")

#: Orders in which four snapshots come: backwards, and so that each is once late, between others or before all.
_ORDERS = [(3, 2, 1, 0), (2, 0, 3, 1), (1, 3, 0, 2)]


def folders(home: Path) -> tuple[Folder, Folder]:
    """A landing zone and a place for tables."""
    (home / "landing").mkdir(parents=True)
    return Folder.open(home / "landing"), Folder.open(home / "tables")


def undisturbed(spark: SparkSession, home: Path, snapshots: Iterable[Snapshot]) -> dict[str, list[str]]:
    """What one run over these snapshots alone gives."""
    landing, tables = folders(home)
    put(landing, *snapshots)
    run(spark, landing, tables)
    return plain.rows(tables)


# ---- what is delivered -------------------------------------------------------------------------------------


def test_delivered_twice_a_snapshot_counts_once(spark: SparkSession, tmp_path: Path) -> None:
    """In one run and across runs, under any name, in any folder, written differently, or touched: no row anywhere."""
    landing, tables = folders(tmp_path)
    first, second = SHOP[:2]
    text = write_snapshot(first)
    for path in ("cluster=shop/a.json", "cluster=shop/b.json", "cluster=other/c.json", "d e/[f]*?{g}%20 é:h.json"):
        landing.write(path, text)
    done = run(spark, landing, tables)
    assert (done.new, done.taken, done.duplicates, done.rejected) == (4, 1, 3, 0)
    before = plain.rows(tables)
    assert len(before["snapshots"]) == 1
    assert before["rejected"] == []

    landing.write("again.json", json.dumps(json.loads(text), indent=1).encode())
    found = Finding("seen", Severity.NOTE, "Read in another way.")
    landing.write("read.json", write_snapshot(replace(first, protocol="zookeeper", findings=(found,))))
    os.utime(tmp_path / "landing/cluster=shop/a.json", ns=(1, 1))
    done = run(spark, landing, tables)
    assert (done.new, done.taken, done.duplicates, done.rejected) == (3, 0, 3, 0)
    assert plain.rows(tables) == before
    assert run(spark, landing, tables).new == 0

    put(landing, second)
    assert run(spark, landing, tables).taken == 1
    assert len(plain.rows(tables)["snapshots"]) == 2


@pytest.mark.parametrize("few", [True, pytest.param(False, marks=pytest.mark.slow)], ids=["three orders", "all orders"])
def test_in_any_order_of_delivery_the_tables_are_the_same(
    spark: SparkSession, tmp_path: Path, few: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run after each delivery, late ones over the borders of days, against one run over all.

    Each order of four snapshots is a cluster of its own, so that four runs try all orders. Every other run takes
    its files for large ones, whose rows Spark writes. In the long test the tables are compacted in between: files lie
    differently and say the same.
    """
    landing, tables = folders(tmp_path / "one by one")
    chosen = _ORDERS if few else list(permutations(range(len(SHOP))))
    orders = {f"order-{''.join(map(str, order))}": order for order in chosen}
    for turn in range(len(SHOP)):
        put(landing, *(replace(SHOP[order[turn]], cluster=name) for name, order in orders.items()))
        monkeypatch.setattr(admission, "SMALL_FILE", 32_000 if turn % 2 else 0)
        assert run(spark, landing, tables).taken == len(orders)
        if turn == 2 and not few:
            compact(spark, tables)

    monkeypatch.undo()
    at_once = undisturbed(spark, tmp_path / "at once", (replace(one, cluster=name) for name in orders for one in SHOP))
    assert plain.rows(tables) == at_once


def test_clocks_that_go_wrong_count_nothing_twice(spark: SparkSession, tmp_path: Path) -> None:
    """A snapshot that says it was taken in a hundred years, in a file that was changed in seventy: landed, it waits."""
    landing, tables = folders(tmp_path)
    ahead = replace(SHOP[0], taken_at=SHOP[0].taken_at.replace(year=2126))
    put(landing, ahead)
    (landed,) = landing.files()
    waits = run(spark, landing, tables)
    assert (waits.new, waits.taken, list(waits.closed)) == (0, 0, [landed.path])
    assert waits.sentence.endswith("(its time is yet to come by this machine's clock: it waits).")

    landing.write("other.json", write_snapshot(ahead))  # whoever gives it another name
    os.utime(landing.path("other.json"), (4_000_000_000, 4_000_000_000))
    assert run(spark, landing, tables).taken == 1
    assert run(spark, landing, tables).new == 0

    landing.write("again.json", write_snapshot(ahead))
    done = run(spark, landing, tables)
    assert (done.new, done.taken, done.duplicates) == (1, 0, 1)
    assert len(plain.rows(tables)["snapshots"]) == 1


def test_many_batches_are_one(
    spark: SparkSession, tmp_path: Path, of_all: dict[str, list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neighbours in time that came in different batches are compared all the same; so if files are looked for late."""
    landing, tables = folders(tmp_path / "batches")
    put(landing, *ALL, large=True)
    done = run(spark, landing, tables, batch_files=4)
    assert (done.taken, done.batches) == (len(ALL), math.ceil(len(ALL) / 4))
    assert plain.rows(tables) == of_all

    zones = len(landing.folders())
    monkeypatch.setattr(Folder, "pieces", partialmethod(Folder.pieces, most=1))
    monkeypatch.setattr(ingest, "LOOK_AHEAD", 1)
    # Now this process writes, and no longer Spark: replicas of three files at a time, so of four in two portions.
    monkeypatch.setattr(admission, "SMALL_FILE", 100_000)
    monkeypatch.setattr(batch_tables, "PORTION", 3)
    steps: list[JobProgress] = []
    landing, tables = folders(tmp_path / "one folder after the other")
    put(landing, *ALL, large=True)
    done = run(spark, landing, tables, report=steps.append)
    assert (done.new, done.taken, done.batches) == (len(ALL), len(ALL), zones)
    assert plain.rows(tables) == of_all
    assert (steps[-1].done, steps[-1].total) == (len(ALL), len(ALL))
    assert all(step.total is None or step.done <= step.total for step in steps)


# ---- what cannot be read -----------------------------------------------------------------------------------


def broken(text: bytes) -> dict[str, tuple[bytes, str]]:
    """Files that are no snapshots, by their path: content, and a part of the reason that must be told."""
    told = json.loads(text)

    def other(**changed: object) -> bytes:
        return json.dumps(told | changed).encode()

    return {
        "cluster=shop/truncated.json": (text[: len(text) // 2], "ends too early"),
        "cluster=shop/one byte short.json": (text[:-2], "ends too early"),
        "cluster=shop/binary.json": (bytes(range(256)) * 8, "not a snapshot of Reseat"),
        "cluster=shop/empty.json": (b"", "empty"),
        "cluster=shop/other.json": (b'{"version": 1, "partitions": []}', "not a snapshot of Reseat"),
        "cluster=shop/deep.json": (b'{"a":' * 300_000, "nested deeper"),
        "cluster=shop/deep facts.json": (
            other(facts={}).replace(b'"facts": {}', b'"facts": {"a": %s}' % _DEEP),
            "deep",
        ),
        "cluster=shop/newer.json": (other(reseat_snapshot=4), "version 4"),
        "cluster=shop/large number.json": (other(controller=2**40), "too large"),
        "cluster=shop/no moment.json": (other(taken_at="yesterday"), "a time such as"),
        "cluster=shop/after all days.json": (other(taken_at="9999-12-31T23:59:59-14:00"), "a time such as"),
        "folder name.json": (other(cluster="a/../b"), "letters, digits"),
        "nameless.json": (other(cluster=None, cluster_id=".."), "does not name its cluster"),
    }


_DEEP = b"[" * 100_000 + b"]" * 100_000


def test_what_cannot_be_read_is_one_row_a_file_and_stops_nothing(spark: SparkSession, tmp_path: Path) -> None:
    """Each has its reason, size and bytes; what is readable beside it is taken, however it is named or dated."""
    landing, tables = folders(tmp_path)
    text = write_snapshot(SHOP[0])
    files = broken(text)
    for path, (content, _) in files.items():
        landing.write(path, content)
    Path(os.fsdecode(b"%s/name\xff.json" % os.fsencode(tmp_path / "landing"))).write_bytes(text)
    ancient = json.dumps(json.loads(text) | {"taken_at": "0900-01-02T03:04:05Z"}).encode()
    landing.write("cluster=shop/2026-05-01T03:00:00Z #1?.json", text)
    landing.write("cluster=shop/.2026-05-01T03:00:00Z #1?.json.crc", b"crc\0\0\0\2\0none")
    landing.write("cluster=shop/ancient.json", ancient)
    done = run(spark, landing, tables)

    rows = {row["path"]: row for row in plain.read(tables, "rejected")}
    assert (done.taken, done.rejected) == (2, len(files) + 1)
    assert len(rows) == len(plain.read(tables, "rejected")) == done.rejected
    assert "UTF-8" in rows.pop("name\\xff.json")["reason"]
    for path, (content, reason) in files.items():
        assert reason in rows[path]["reason"], path
        assert rows[path]["reason"].endswith((".", "?"))
        assert (rows[path]["size_bytes"], rows[path]["bytes"]) == (len(content), content[: 1 << 20]), path
        assert rows[path]["cluster"] == ("shop" if path.startswith("cluster=shop/") else None)
    assert {str(row["day"]) for row in plain.read(tables, "snapshots")} == {"0900-01-02", "2026-05-01"}

    landing.write("cluster=shop/truncated.json", write_snapshot(SHOP[1]))
    landing.write("cluster=shop/empty.json", b"{}")
    again = run(spark, landing, tables)
    assert (again.new, again.taken, again.rejected) == (2, 1, 1)
    told = {row["path"]: row["reason"] for row in plain.read(tables, "rejected")}
    assert told.keys() == (files.keys() | {"name\\xff.json"}) - {"cluster=shop/truncated.json"}
    assert "lacks the key" in told["cluster=shop/empty.json"]
    assert run(spark, landing, tables).new == 0


def test_a_folder_that_cannot_be_listed_keeps_back_its_own_files_alone(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The others are taken and it is said; once it can be listed its files are new."""
    landing, tables = folders(tmp_path)
    put(landing, *ALL)
    shut = landing.files()[0].path.rpartition("/")[0]
    inside = len(landing.files(shut))
    scandir, closed = os.scandir, True

    def guarded(where: str) -> Any:
        if closed and where == landing.path(shut):
            raise PermissionError(errno.EACCES, "Permission denied", where)
        return scandir(where)

    monkeypatch.setattr(os, "scandir", guarded)
    first = run(spark, landing, tables)
    closed = False
    second = run(spark, landing, tables)

    assert 0 < inside < len(ALL)
    assert (first.taken, second.taken) == (len(ALL) - inside, inside)
    assert first.sentence.endswith(f" s. Not ingested: {shut} (Permission denied).")
    assert "Not ingested" not in second.sentence


def test_tables_within_the_landing_zone_are_refused(spark: SparkSession, tmp_path: Path) -> None:
    """Their files would be taken for snapshots by the next run."""
    landing, _ = folders(tmp_path)
    (tmp_path / "link").symlink_to("landing")
    for place in ("landing", "landing/tables", "link/tables"):
        with pytest.raises(InputRefused, match="choose a folder next to it"):
            run(spark, landing, Folder.open(tmp_path / place))

    assert landing.files(hidden=True) == []


@pytest.mark.parametrize("place", ["_reseat/runs", "snapshots", "link"])
def test_a_landing_zone_among_the_tables_own_files_is_refused(spark: SparkSession, tmp_path: Path, place: str) -> None:
    """It would be cleared away as a batch that was stopped, or be read with a table; beside the tables' it may lie."""
    (tmp_path / "tables" / "replicas").mkdir(parents=True)
    (tmp_path / "tables" / "link").symlink_to("replicas")
    landing, tables = Folder.open(tmp_path / "tables" / place), Folder.open(tmp_path / "tables")
    put(landing, SHOP[0])
    with pytest.raises(InputRefused, match="choose a folder next to it"):
        run(spark, landing, tables)

    assert len(landing.files()) == 1
    beside = Folder.open(tmp_path / "tables" / "landing")
    beside.write("cluster=shop/bad.json", b"bad")
    assert run(spark, beside, tables).rejected == 1


# ---- when it is stopped ------------------------------------------------------------------------------------


def test_killed_in_the_middle_and_run_again_the_tables_are_right(
    spark: SparkSession, tmp_path: Path, of_all: dict[str, list[str]]
) -> None:
    """Killed with -9 while it writes: nothing lives on, no row is lost or double.

    More moments are among the long tests, and killed without Spark it is at every step (``test_takeover``). Then two
    are started at once: the later one is refused in words, and the first one completes. It stays: its one session takes
    in what there is and what comes, a late one too, and ends when asked; between runs others may work on the tables.
    """
    landing, tables = folders(tmp_path)
    put(landing, *ALL[2:-1], large=True)
    job = Command.start(tmp_path / "landing", tmp_path / "tables")
    job.until("write")
    assert ended(job.kill())

    put(landing, ALL[1], large=True)  # late: before all that is there
    first = Command.start(tmp_path / "landing", tmp_path / "tables", "--master", "local[2]", "--every", "3")
    first.until("read")
    first.pause()
    code, out, words = Command.start(tmp_path / "landing", tmp_path / "tables").finish()
    first.go_on()
    assert (code, out) == (2, "")
    assert len(words) == 1
    assert f"being written by pipeline run (process {first.process.pid} on " in words[0]

    first.until("commit")
    first.until("list")  # of the second run, after all of the first
    between_runs(tables)  # or it might list one of the two that land now
    put(landing, ALL[0], ALL[-1], large=True)
    first.until("commit")
    first.until("list")
    between_runs(tables)
    below = psutil.Process(first.process.pid).children(recursive=True)
    first.process.terminate()
    code, out, words = first.finish()
    assert (code, words) == (0, [])
    healed, *told = out.splitlines()
    assert "was stopped before it was published" in healed
    assert [line.partition(":")[0] for line in told] == [f"{len(ALL) - 2} new files", "2 new files"]
    assert all("ingested" in line for line in told)
    assert below
    assert ended(below)

    assert plain.rows(tables) == of_all
    assert tables.files("_reseat/runs", hidden=True) == []
    assert tables.folders("_reseat/runs") == []
    assert run(spark, landing, tables).new == 0


def between_runs(tables: Folder) -> None:
    """Wait until no job holds the tables."""
    for _ in Patience(30).attempts():
        with suppress(PipelineBusy):
            check_free(tables, "a test")
            return
    raise AssertionError("the tables are still held")


@pytest.mark.slow
@pytest.mark.parametrize("step", ["start", "list", "read", "write", "changes", "commit"])
@pytest.mark.parametrize("seed", range(3))
def test_killed_at_random_times(tmp_path: Path, of_all: dict[str, list[str]], step: str, seed: int) -> None:
    """Some time after each step has begun, and once more while it heals."""
    landing, tables = folders(tmp_path)
    put(landing, *ALL, large=True)
    dice = random.Random(f"{step} {seed}")
    for _ in range(2):
        job = Command.start(tmp_path / "landing", tmp_path / "tables")
        try:
            job.until(step)
        except AssertionError:
            break  # the first one was killed after all was done
        Event().wait(dice.random() * 2)
        assert ended(job.kill())
    code, _, words = Command.start(tmp_path / "landing", tmp_path / "tables").finish()

    assert (code, words) == (0, [])
    assert plain.rows(tables) == of_all
    assert tables.files("_reseat/runs", hidden=True) == []


@pytest.mark.slow
def test_stopped_before_every_third_step_on_the_file_system(
    spark: SparkSession, tmp_path: Path, of_all: dict[str, list[str]]
) -> None:
    """Writes, moves, deletes and syncs of the driver, one after the other, until a run comes through."""
    for steps in range(1_000):
        landing, tables = folders(tmp_path / str(steps))
        put(landing, *ALL, large=True)
        try:
            run(spark, landing, Mortal.over(tables, 3 * steps), batch_files=5)
        except Stopped:
            run(spark, landing, tables)
            assert plain.rows(tables) == of_all, steps
            assert tables.files("_reseat/runs", hidden=True) == []
            continue
        break

    assert steps > 20


def test_a_damaged_table_of_rejected_files_is_named(spark: SparkSession, tmp_path: Path) -> None:
    """The run is refused in words and publishes nothing."""
    landing, tables = folders(tmp_path)
    landing.write("cluster=shop/bad.json", b"bad")
    run(spark, landing, tables)
    (file,) = tables.files("rejected", ".parquet")
    tables.write(file.path, b"no parquet at all")
    put(landing, SHOP[0])
    with pytest.raises(InputRefused, match=rf"The table rejected cannot be read: .*{file.path}"):
        run(spark, landing, tables)

    assert not tables.exists("snapshots")
    assert tables.folders("_reseat/runs") == []


@pytest.mark.parametrize("other", [b"{", None])
def test_a_landed_file_that_is_changed_under_way_stops_the_run_and_is_read_anew(
    spark: SparkSession, tmp_path: Path, other: bytes | None
) -> None:
    """What its replicas are is not guessed: nothing is published, and the next run takes the file as it is then."""
    landing, tables = folders(tmp_path)
    put(landing, SHOP[0], large=other is None)
    (file,) = landing.files()
    content = write_snapshot(SHOP[1]) if other is None else other

    def change(progress: JobProgress) -> None:
        if progress.step == "write":
            landing.write(file.path, content)

    with pytest.raises(SparkFailed, match="This saved file changed while it was read"), in_words("Spark failed"):
        run(spark, landing, tables, report=change)
    assert not tables.exists("snapshots")
    done = run(spark, landing, tables)

    assert (done.taken, done.rejected) == ((1, 0) if other is None else (0, 1))
