"""The commit: stopped after any step, the tables are those from before or from after it, and nothing else."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import pyarrow as pa
import pytest

from reseat.errors import InputRefused
from reseat.history.commit_record import CommitRecord, commit_numbers, newest, record_path, unfinished
from reseat.history.folder import Folder
from reseat.history.schema import arrow_schema
from reseat.pipeline.commit import Batch
from reseat.pipeline.turns import take_turn
from tests.pipeline import plain

_DAY = "cluster=a/day=2026-05-01"


class Stopped(BaseException):
    """The process died here."""


class Mortal(Folder):
    """A folder that dies before its n-th step that changes something."""

    steps_left: list[int]

    @classmethod
    def over(cls, folder: Folder, steps: int) -> Mortal:
        """A folder over the same place that takes so many steps."""
        made = cls(folder.where, folder.fs, folder.place)
        object.__setattr__(made, "steps_left", [steps])
        return made

    def _step(self) -> None:
        if not self.steps_left[0]:
            raise Stopped
        self.steps_left[0] -= 1

    def _begin_to_write(self, path: str, data: bytes) -> None:
        try:
            self._step()
        except Stopped:
            if self.local is not None:  # what a write that is killed leaves
                (self.local / path).parent.mkdir(parents=True, exist_ok=True)
                name = (self.local / path).name
                (self.local / path).with_name(f".{name}.1-2.part").write_bytes(data[: len(data) // 2])
            raise

    def write(self, path: str, data: bytes) -> None:
        self._begin_to_write(path, data)
        Folder.write(self, path, data)

    def prepare(self, path: str, data: bytes) -> None:
        self._begin_to_write(path, data)
        Folder.prepare(self, path, data)

    def create(self, path: str, data: bytes) -> bool:
        self._begin_to_write(path, data)
        return Folder.create(self, path, data)

    def move(self, path: str, to: str) -> None:
        self._step()
        Folder.move(self, path, to)

    def delete(self, path: str) -> None:
        self._step()
        Folder.delete(self, path)

    def delete_empty(self, path: str) -> bool:
        self._step()
        return Folder.delete_empty(self, path)

    def delete_folder(self, path: str) -> None:
        for one in Folder.files(self, path, hidden=True):  # one by one: it may be left half deleted
            self._step()
            Folder.delete(self, one.path)
        self._step()
        Folder.delete_folder(self, path)

    def settle(self, paths: Sequence[str]) -> None:
        self._step()
        Folder.settle(self, paths)


def put(tables: Folder, batch: Batch, name: str, content: str, folders: str = _DAY, *, file: str = "part-0") -> None:
    """Stage a file, as Spark would."""
    Folder.write(tables, f"{batch.staging(name)}/{folders}/{file}.snappy.parquet", content.encode())


def visible(tables: Folder) -> dict[str, list[bytes]]:
    """What counts: the contents of all published files by their folder."""
    found: dict[str, list[bytes]] = {}
    for one in (*tables.files(), *tables.files("_reseat/ledger")):
        found.setdefault(one.path.rpartition("/")[0], []).append(tables.read(one.path))
    return {folder: sorted(contents) for folder, contents in found.items()}


def file_of(tables: Folder, name: str, folders: str = _DAY) -> list[str]:
    """The published files of a folder."""
    return [one.path for one in tables.files(f"{name}/{folders}".rstrip("/"))]


@pytest.fixture
def tables(tmp_path: Path) -> Folder:
    """Tables of two batches."""
    tables = Folder.open(tmp_path / "tables")
    for name in ("one", "two"):
        batch = Batch.begin(take_turn(tables))
        put(tables, batch, "replicas", f"replicas {name}")
        put(tables, batch, "changes", f"changes {name}", f"cluster={name}/day=2026-05-01")
        put(tables, batch, "rejected", f"rejected {name}", "")
        put(tables, batch, "ledger", f"ledger {name}", "month=2026-05")
        batch.commit()
    return tables


def third_batch(tables: Folder) -> None:
    """Adds to two tables, replaces a file, takes the last one of a folder, and clutters its staging as Spark does."""
    batch = Batch.begin(take_turn(tables))
    put(tables, batch, "replicas", "replicas three", file="part-0")
    put(tables, batch, "replicas", "replicas four", file="part-1")
    put(tables, batch, "changes", "changes of one, again", "cluster=one/day=2026-05-01")
    put(tables, batch, "ledger", "ledger three", "month=2026-05")
    staging = f"{batch.staging('replicas')}"
    for litter in ("_SUCCESS", "_temporary/0/x.parquet", f"{_DAY}/.part-0.snappy.parquet.crc"):
        Folder.write(tables, f"{staging}/{litter}", b"litter")
    batch.remove(file_of(tables, "changes", "cluster=one/day=2026-05-01"))
    batch.remove(file_of(tables, "changes", "cluster=two/day=2026-05-01"))
    batch.remove(file_of(tables, "rejected", "")[:1])
    batch.commit([("a", "2026-05-02")])


@contextmanager
def mortal_copies(tables: Folder, home: Path) -> Iterator[Callable[[int], tuple[Folder, Mortal]]]:
    """Makes copies of the tables, each with a folder over it that dies after some steps."""
    made = 0

    def copy(steps: int) -> tuple[Folder, Mortal]:
        nonlocal made
        made += 1
        place = home / f"copy-{made}"
        shutil.copytree(home / "tables", place)
        again = Folder.open(place)
        return again, Mortal.over(again, steps)

    yield copy
    for n in range(1, made + 1):
        shutil.rmtree(home / f"copy-{n}")


def test_a_commit_publishes_all_and_leaves_nothing(tables: Folder) -> None:
    """Files lie in their tables' folders under the batch's name, without litter; empty folders are gone."""
    third_batch(tables)

    assert visible(tables) == {
        f"replicas/{_DAY}": [b"replicas four", b"replicas one", b"replicas three", b"replicas two"],
        "changes/cluster=one/day=2026-05-01": [b"changes of one, again"],
        "rejected": [b"rejected two"],
        "_reseat/ledger/month=2026-05": [b"ledger one", b"ledger three", b"ledger two"],
    }
    assert tables.folders("changes") == ["cluster=one"]
    assert tables.folders("_reseat/runs") == []
    (commit,) = commit_numbers(tables)
    assert {one.path for one in tables.files(hidden=True) if not one.path.endswith(".parquet")} == {record_path(commit)}
    assert take_turn(tables).healed == ()


def test_stopped_at_any_step_the_tables_are_the_old_or_the_new(tables: Folder, tmp_path: Path) -> None:
    """Whichever step it was, and also where the recovery is stopped in its turn.

    After recovery nothing is half done, a rerun gives what an undisturbed run gives, and a reader was warned of every
    mixture.
    """
    with mortal_copies(tables, tmp_path) as copy:
        before = visible(tables)
        whole, _ = copy(0)
        third_batch(whole)
        after = visible(whole)
        steps, seen = 0, set()
        while True:
            again, mortal = copy(steps)
            try:
                third_batch(mortal)
            except Stopped:
                state = visible(again)
                assert state in (before, after) or unfinished(again) == [
                    ("a", "2026-05-01"),
                    ("a", "2026-05-02"),
                    ("one", "2026-05-01"),
                    ("two", "2026-05-01"),
                ]
            else:
                break
            if steps % 3 == 0:
                for more in range(0, 12, 3):
                    with suppress(Stopped):
                        take_turn(Mortal.over(again, more))
            take_turn(again)
            healed = visible(again)
            assert healed in (before, after), f"after step {steps}"
            assert take_turn(again).healed == ()
            assert unfinished(again) == []
            assert len(commit_numbers(again)) == 1
            assert again.folders("_reseat/runs") == []
            seen.add("old" if healed == before else "new")
            if healed == before:
                third_batch(again)
                assert visible(again) == after
            steps += 1

    assert seen == {"old", "new"}
    assert steps > 15


def dying(tables: Folder, mortal: Mortal | None = None) -> Batch:
    """A batch that has its record and dies right before its first move."""
    turn = take_turn(tables)
    turn.tables = mortal or Mortal.over(tables, 2)
    batch = Batch.begin(turn)
    put(tables, batch, "replicas", "replicas three")
    with pytest.raises(Stopped):
        batch.commit()
    return batch


def test_dead_batches_are_healed_each_in_its_way(tables: Folder) -> None:
    """One that was being published is completed; one that was still being prepared is deleted; both are told."""
    before = visible(tables)
    first = Batch.begin(take_turn(tables))
    never = f"{first.staging('replicas')}/x.parquet"
    dying(tables)
    tables.write(never, b"never")  # by a worker that lives on

    healed = take_turn(tables).healed
    assert "now complete: 1 file added, 0 removed, 1 cluster-day" in healed[0]
    assert "before it was published" in healed[-1]
    assert not tables.exists(never)
    added = [b"replicas one", b"replicas three", b"replicas two"]
    assert visible(tables) == before | {f"replicas/{_DAY}": added}


@pytest.mark.parametrize(
    "folders",
    [
        "cluster=__HIVE_DEFAULT_PARTITION__/day=2026-05-01",
        "cluster=a%3Ab/day=2026-05-01",
        "cluster=a/day=__HIVE_DEFAULT_PARTITION__",
        "cluster=a",
        "day=2026-05-01/cluster=a",
        "",
    ],
)
def test_files_in_folders_that_are_none_of_a_table_publish_nothing(folders: str, tables: Folder) -> None:
    """A null or an odd cluster name stops the batch before anything is published."""
    before = visible(tables)
    batch = Batch.begin(take_turn(tables))
    put(tables, batch, "replicas", "odd", folders)
    put(tables, batch, "findings", "good")

    with pytest.raises(InputRefused, match="cannot be a file of the tables"):
        batch.commit()
    batch.abandon()
    assert visible(tables) == before
    assert take_turn(tables).healed == ()


def test_only_published_files_can_be_removed(tables: Folder) -> None:
    """Neither the ledger's neighbours nor anything else of the folder."""
    for path in ("_reseat/lock", "x.parquet", "replicas/x.parquet", "somewhere/cluster=a/day=2026-05-01/x.parquet"):
        with pytest.raises(InputRefused, match="cannot be a file of the tables"):
            Batch.begin(take_turn(tables)).remove([path])


def test_a_batch_with_nothing_in_it_changes_nothing(tables: Folder) -> None:
    """No record is written for it."""
    before = visible(tables)
    batch = Batch.begin(take_turn(tables))
    Folder.write(tables, f"{batch.staging('replicas')}/_SUCCESS", b"")

    assert batch.commit() == CommitRecord((), (), ())
    assert visible(tables) == before
    assert tables.folders("_reseat/runs") == []


def test_a_batch_that_only_takes_away_does_so(tables: Folder) -> None:
    """With nothing staged at all."""
    before = visible(tables)
    batch = Batch.begin(take_turn(tables))
    batch.remove(file_of(tables, "rejected", ""))
    batch.commit()

    del before["rejected"]
    assert visible(tables) == before


def test_a_batch_whose_commitment_was_begun_cannot_be_abandoned(tables: Folder) -> None:
    """A caller that cleans up after any error does no harm: the next job completes it."""
    before = visible(tables)
    batch = dying(tables, mortal := Mortal.over(tables, 2))
    mortal.steps_left[0] = 99
    batch.abandon()

    assert len(take_turn(tables).healed) == 1
    added = [b"replicas one", b"replicas three", b"replicas two"]
    assert visible(tables) == before | {f"replicas/{_DAY}": added}


def test_a_file_that_cannot_be_moved_is_not_called_lost(tables: Folder) -> None:
    """The file system's word is told, and the next job completes the commit."""

    class Refusing(Mortal):
        def move(self, path: str, to: str) -> None:
            raise InputRefused("This cannot be moved: Permission denied.", source=path)

    turn = take_turn(tables)
    turn.tables = Refusing.over(tables, 1_000)
    batch = Batch.begin(turn)
    put(tables, batch, "replicas", "replicas three")
    with pytest.raises(InputRefused, match="Permission denied"):
        batch.commit()

    assert len(take_turn(tables).healed) == 1
    assert visible(tables)[f"replicas/{_DAY}"] == [b"replicas one", b"replicas three", b"replicas two"]


def test_each_step_is_on_disk_before_the_next(tmp_path: Path) -> None:
    """A machine that dies keeps what was prepared, then the record, then the files in their places, or less."""
    tables, steps = Folder.open(tmp_path), list[str]()

    class Noted(Mortal):
        def settle(self, paths: Sequence[str]) -> None:
            steps.append(f"settle {len(paths)}")
            Folder.settle(self, paths)

        def create(self, path: str, data: bytes) -> bool:
            steps.append("record" if CommitRecord.from_bytes(data, path).batch else "number")
            return Folder.create(self, path, data)

        def move(self, path: str, to: str) -> None:
            steps.append("move")
            Folder.move(self, path, to)

        def delete(self, path: str) -> None:
            if path.endswith(".parquet"):
                steps.append("remove")
            Folder.delete(self, path)

    for turn in ("first", "second"):
        steps.clear()
        batch = Batch.begin(take_turn(Noted.over(tables, 1_000)))
        put(tables, batch, "replicas", turn)
        put(tables, batch, "changes", turn)
        batch.remove(file_of(tables, "changes"))
        batch.commit()

    # Two files and their folders; then the two folders that they go to.
    assert steps == ["number", "settle 4", "record", "move", "move", "settle 2", "remove", "number"]


def test_a_lost_file_is_told_and_not_passed_over(tables: Folder) -> None:
    """A commit that cannot be completed stops the job with the file's name, and goes on being told."""
    batch = dying(tables)
    for one in tables.files(batch.staging("replicas")):
        tables.delete(one.path)

    for _ in range(2):
        with pytest.raises(InputRefused, match="neither this file nor") as refused:
            take_turn(tables)
        assert f"replicas/{_DAY}/{batch.id}-00000.parquet" in str(refused.value)


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b'{"add": [], "remove": []}', b'{"add": 1, "remove": [], "x": 2}'])
def test_a_record_that_is_none_is_told(data: bytes, tables: Folder) -> None:
    """It is never taken for an empty one."""
    tables.write(record_path(9), data)
    for ask in (take_turn, unfinished):
        with pytest.raises(InputRefused, match="not a valid commit record"):
            ask(tables)


def test_the_record_is_readable_and_keeps_what_it_says() -> None:
    """It is JSON: whose it is, and three lists."""
    record = CommitRecord((("s", "f"),), ("r",), (("007", "2026-05-01"),), "20260501T000000000000Z-0", "7f")

    assert CommitRecord.from_bytes(record.to_bytes(), "x") == record
    assert json.loads(record.to_bytes()) == {
        "by": "7f",
        "batch": "20260501T000000000000Z-0",
        "add": [["s", "f"]],
        "remove": ["r"],
        "cluster_days": [["007", "2026-05-01"]],
    }


def test_the_driver_stages_small_tables(tmp_path: Path) -> None:
    """Rows of this process are published as Parquet; the ledger is read back as it was recorded."""
    tables = Folder.open(tmp_path)
    batch = Batch.begin(take_turn(tables))
    batch.stage_table("findings", arrow_schema("findings").empty_table(), ("007", "2026-05-01"))
    batch.record(
        pa.table(
            {
                "outcome": ["taken", "rejected"],
                "path": ["x", "y"],
                "token": ["1", "2"],
                "snapshot_id": ["i", None],
                "month": ["2026-05", "2026-06"],
            }
        )
    )
    batch.commit()

    schema = arrow_schema("findings", with_keys=True)
    assert tables.open_dataset("findings", schema=schema).to_table().schema == schema
    assert file_of(tables, "findings", "cluster=007/day=2026-05-01") == [
        f"findings/cluster=007/day=2026-05-01/{batch.id}-00000.parquet"
    ]
    assert plain.ledger(tables) == [
        {"path": "x", "token": "1", "outcome": "taken", "snapshot_id": "i"},
        {"path": "y", "token": "2", "outcome": "rejected", "snapshot_id": None},
    ]


def test_what_is_no_row_of_a_table_is_refused(tmp_path: Path) -> None:
    """Partitioned tables need a cluster and a day, and no other table has them."""
    batch = Batch.begin(take_turn(Folder.open(tmp_path)))
    rows = arrow_schema("findings").empty_table()
    with pytest.raises(InputRefused, match="cluster and day"):
        batch.stage_table("findings", rows)
    with pytest.raises(InputRefused, match="cluster and day"):
        batch.stage_table("rejected", rows, ("a", "2026-05-01"))
    with pytest.raises(KeyError):
        batch.staging("nothing")

    assert Folder.open(tmp_path).files() == []
    assert Folder.open(tmp_path).folders("_reseat/runs") == []


def test_names_sort_by_time(tmp_path: Path) -> None:
    """Batches are carried out in the order in which they were begun."""
    folder = Folder.open(tmp_path)
    turn = take_turn(folder)
    names = [Batch.begin(turn).id for _ in range(50)]

    assert names == sorted(names)
    assert len(set(names)) == 50


class Fleeting(Folder):
    """A folder in which the newest commit is another one whenever it is read."""

    def read(self, path: str) -> bytes:
        """Too late by one."""
        number = commit_numbers(self)[-1]
        home = Path(self.where)
        (home / record_path(number)).rename(home / record_path(number + 1))
        return super().read(path)


def test_a_commit_that_is_replaced_each_time_it_is_read_is_a_refusal(tmp_path: Path) -> None:
    """Nobody is told that there is none; and where there is none, that is told."""
    tables = Folder.open(tmp_path / "tables")
    assert newest(tables) == (0, CommitRecord())
    take_turn(tables)

    with pytest.raises(InputRefused, match="replaced each time before it could be read"):
        newest(Fleeting(tables.where, tables.fs, tables.place))


class Unreadable(Folder):
    """A folder on a disk that reads no commit."""

    def read(self, path: str) -> bytes:
        raise InputRefused("This cannot be read: Input/output error.", source=path)


def test_a_commit_that_is_there_and_cannot_be_read_is_not_taken_for_none(tmp_path: Path) -> None:
    """Only one that is gone by then was carried out."""
    tables = Folder.open(tmp_path)
    tables.write(record_path(1), CommitRecord().to_bytes())

    with pytest.raises(InputRefused, match="Input/output error"):
        newest(Unreadable(tables.where, tables.fs, tables.place))
