"""Jobs on Delta tables: killed or asleep at every step, beside others or not, every row is there once."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake
from deltalake.transaction import AddAction, RemoveAction

from reseat.errors import InputRefused
from reseat.history.delta import DeltaTables, delta_of, forget
from reseat.history.folder import Folder
from reseat.history.parts import clusters_of, days_of, flat_of, parts_of
from reseat.history.schema import arrow_schema
from reseat.pipeline import delta_commit
from reseat.pipeline.delta_commit import DeltaBatch, Overtaken, take_delta_turn

_DAY = ("a", "2026-05-01")
#: A job on tables.
Job = Callable[[Folder], None]
#: Makes tables, of this name, with what one run took in.
Places = Callable[[str], Folder]
ALL = ["first", "second", "third"]


class Stopped(BaseException):
    """The process died here."""


@contextmanager
def before_step(number: int, do: Callable[[], None], monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """Something else happens before the n-th step of this thread's job that changes something.

    Yields:
        How many steps are left until then, as a list of one.
    """
    left, thread = [number], threading.get_ident()

    def step() -> None:
        if threading.get_ident() != thread:
            return
        left[0] -= 1
        if left[0] == -1:
            do()

    def stepping(function: Callable[..., Any]) -> Callable[..., Any]:
        def stepped(*arguments: Any, **named: Any) -> Any:
            step()
            return function(*arguments, **named)

        return stepped

    with monkeypatch.context() as patched:
        patched.setattr(delta_commit, "make_entry", stepping(delta_commit.make_entry))
        patched.setattr(Folder, "write", stepping(Folder.write))
        # What is done side by side over a network is done in order here, so that steps are the same each time.
        patched.setattr(Folder, "each", lambda _, function, items: [function(one) for one in items])
        yield left


def place(home: Path) -> Folder:
    """Empty Delta tables on this disk."""
    tables = Folder.open(home)
    DeltaTables(tables, {}).handle("snapshots", make=True)
    return tables


def rows(tables: Folder, name: str) -> list[str]:
    """What counts in a table, whichever files it lies in."""
    files = [one.path for one in (flat_of if name == "ledger" else parts_of)(tables, name)]
    told = [tables.read(path).decode() for path in files if not path.endswith(("named.parquet", f"{_ANEW}.parquet"))]
    return sorted(row for one in told for row in one.split(",") if row)


_ANEW = "anew-changes"


def test_columns_of_this_version_join_the_tables_of_an_earlier_one(tmp_path: Path) -> None:
    """Tables without a table's last column get it with the next job, once; rows that are there have null in it."""
    tables, name = Folder.open(tmp_path), "replicas"
    known = arrow_schema(name, with_keys=True)
    earlier = known.remove(known.get_field_index("log_dir"))
    row = pa.table({one.name: pa.array(["a" if one.type == pa.string() else None], one.type) for one in earlier})
    write_deltalake(str(tmp_path / name), row, partition_by=["cluster", "day"])
    DeltaTables(tables, {}).handle("snapshots", make=True)
    for _ in range(2):
        forget()
        take_delta_turn(tables, delta_of(tables))

    found = DeltaTable(str(tmp_path / name))
    assert {one.name for one in found.schema().fields} == set(known.names)
    assert found.to_pyarrow_table()["log_dir"].to_pylist() == [None]
    assert found.version() == 1


def put(tables: Folder, batch: DeltaBatch, name: str, content: str, day: tuple[str, str] = _DAY) -> None:
    """Stage a file, as Spark would."""
    folder = f"{batch.staging('ledger')}/month=2026-05" if name == "ledger" else batch.day_folder(name, day)
    Folder.write(tables, f"{folder}/part-0.snappy.parquet", content.encode())


def taking(*landed: str, cluster: str = "a", tries: int = 5) -> Job:
    """Takes what is landed and unknown, as a run does; ``changes`` are made anew of all, as after a late snapshot."""
    day = (cluster, _DAY[1])

    def once(tables: Folder) -> None:
        forget()  # another process
        there = delta_of(tables)
        assert there is not None
        batch = DeltaBatch.begin(take_delta_turn(tables, there))
        new = [one for one in landed if one not in rows(tables, "ledger")]
        shown = [row for row in rows(tables, "snapshots") if row in new or row in landed]
        fresh = [one for one in new if one not in shown]
        if not new:
            return
        if fresh:
            mine = parts_of(tables, "changes", clusters=[cluster])
            known = [row for part in mine for row in tables.read(part.path).decode().split(",")]
            put(tables, batch, "replicas", ",".join(fresh), day)
            put(tables, batch, "snapshots", ",".join(fresh), day)
            put(tables, batch, "changes", ",".join([*known, *fresh]), day)
            batch.remove(part.path for part in mine)
        put(tables, batch, "ledger", ",".join(new))
        batch.commit()

    def job(tables: Folder) -> None:
        for _ in range(tries - 1):
            with suppress(Overtaken):
                return once(tables)
        return once(tables)

    return job


def compacting(tables: Folder) -> None:
    """Makes one file of many, day by day."""
    forget()
    there = delta_of(tables)
    assert there is not None
    batch = DeltaBatch.begin(take_delta_turn(tables, there), mark="compact", whole_clusters=False)
    for name in ("replicas", "changes", "snapshots"):
        put(tables, batch, name, ",".join(rows(tables, name)))
        batch.remove(part.path for part in parts_of(tables, name))
    batch.commit()


def night(tables: Folder) -> None:
    """A night's jobs."""
    taking(*ALL)(tables)
    compacting(tables)


#: Who sleeps, and who works meanwhile.
PAIRS: dict[str, tuple[Job, Job]] = {
    "a run, and a run": (taking("first", "second"), taking(*ALL)),
    "a compaction, and a night": (compacting, night),
    "a compaction, and a run": (compacting, taking("first", "second")),
    "a run, and a night": (taking("first", "second"), night),
}

#: The fixtures of places that are not this disk: S3, ABFS, HDFS.
_ELSEWHERE = ("service", "azure", "hdfs")


def check(tables: Folder, step: object) -> None:
    """The next job finds everything once, and a reader who knows Delta alone sees no more."""
    taking(*ALL)(tables)
    forget()
    there = delta_of(tables)
    assert there is not None
    for name in ("snapshots", "replicas", "changes"):
        assert rows(tables, name) == ALL, (step, name)
        assert there.uncounted(name).num_rows == 0, (step, name)
    assert sorted(set(rows(tables, "ledger"))) == ALL, step


def killed_at_every_step(places: Places, stride: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """After each step in turn the process is gone; at no moment does a page see a part of a batch."""

    def die() -> None:
        raise Stopped

    for name, job in {"run": taking("first", "second"), "compaction": compacting}.items():
        step, left = 0, [-1]
        while left[0] < 0:
            tables = places(f"{name}-{step}")
            with before_step(step, die, monkeypatch) as left, suppress(Stopped):
                job(tables)
            forget()
            seen = [rows(tables, one) for one in ("snapshots", "replicas", "changes")]
            assert seen in ([["first"]] * 3, [["first", "second"]] * 3), (name, step)
            check(tables, (name, step))
            step += stride
        assert step > 6


def asleep_at_every_step(places: Places, pair: str, stride: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The one sleeps before each of its steps in turn, and the other does all its work meanwhile."""
    one, other = PAIRS[pair]
    step, left = 0, [-1]
    while left[0] < 0:
        tables = places(str(step))

        def work(tables: Folder = tables) -> None:
            with ThreadPoolExecutor(1) as pool:
                pool.submit(other, tables).result()

        with before_step(step, work, monkeypatch) as left, suppress(Overtaken):
            one(tables)
        check(tables, step)
        step += stride
    assert step > 6


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Tables with what one run took in; those of each step are copied, which takes a third of making them."""
    home = tmp_path_factory.mktemp("begun") / "tables"
    taking("first")(place(home))
    return home


@pytest.fixture
def here(begun: Path, tmp_path: Path) -> Places:
    """On this disk."""

    def at(step: str) -> Folder:
        return Folder.open(shutil.copytree(begun, tmp_path / step))

    return at


@pytest.fixture
def there(request: pytest.FixtureRequest, tmp_path: Path) -> Places:
    """At a service that itself keeps a log's entries apart: by a put on condition, or a rename."""
    root = request.getfixturevalue(request.param)
    made: dict[str, bytes] = {}

    def at(step: str) -> Folder:
        tables = Folder.open(f"{getattr(root, 'url', root)}/{tmp_path.name}/{step}")
        if not made:  # there as well; then copied, as ``begun`` is
            taking("first")(tables)
            made.update({one.path: tables.read(one.path) for one in tables.files(hidden=True)})
        for path, data in made.items():
            tables.write(path, data)
        return tables

    return at


def test_killed_at_every_step(here: Places, monkeypatch: pytest.MonkeyPatch) -> None:
    """On this disk."""
    killed_at_every_step(here, 1, monkeypatch)


@pytest.mark.parametrize("pair", PAIRS)
def test_asleep_at_every_step(here: Places, pair: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """On this disk."""
    asleep_at_every_step(here, pair, 1, monkeypatch)


@pytest.mark.parametrize(
    ("there", "stride"),
    [("service", 11), *(pytest.param(one, 1, marks=pytest.mark.slow) for one in _ELSEWHERE)],
    indirect=["there"],
)
def test_killed_elsewhere(there: Places, stride: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """On S3, ABFS and HDFS."""
    killed_at_every_step(there, stride, monkeypatch)


@pytest.mark.parametrize(
    ("there", "stride", "pair"),
    [
        ("service", 17, "a run, and a night"),
        *(pytest.param(one, 1, pair, marks=pytest.mark.slow) for one in _ELSEWHERE for pair in PAIRS),
    ],
    indirect=["there"],
)
def test_asleep_elsewhere(there: Places, pair: str, stride: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """On S3, ABFS and HDFS."""
    asleep_at_every_step(there, pair, stride, monkeypatch)


def test_runs_over_other_clusters_do_not_disturb_one_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """At whatever step the one sleeps, the other does its work, and the first one need not begin anew."""
    step, left = 0, [-1]
    while left[0] < 0:
        tables = place(tmp_path / str(step))

        def work(tables: Folder = tables) -> None:
            with ThreadPoolExecutor(1) as pool:
                pool.submit(taking("second", cluster="b", tries=1), tables).result()

        with before_step(step, work, monkeypatch) as left:
            taking("first", tries=1)(tables)
        if left[0] >= 0:
            break
        assert rows(tables, "snapshots") == rows(tables, "changes") == ["first", "second"]
        assert clusters_of(tables) == ("a", "b")
        assert days_of(tables) == {"a": (_DAY[1],), "b": (_DAY[1],)}
        step += 1
    assert step > 6


def test_of_many_runs_at_once_each_row_is_taken_once(tmp_path: Path) -> None:
    """Ten processes over the same files, as far as threads are such: one wins each time, and the others try again."""
    tables = place(tmp_path)
    with ThreadPoolExecutor(5) as pool:
        for done in [pool.submit(taking(*ALL, tries=30), tables) for _ in range(10)]:
            done.result()
    check(tables, "many")


def test_tables_of_the_earlier_form_are_refused_in_words(
    service: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing of them is touched, and the sentence says what to do."""
    tables = Folder.open(f"s3://fleet/{tmp_path.name}")
    tables.write("_reseat/commits/000000000003.json", b"{}")
    with pytest.raises(InputRefused, match="pipeline migrate --from s3://fleet/"):
        parts_of(tables, "snapshots")


def test_a_store_that_makes_a_file_twice_is_refused(service: object, tmp_path: Path) -> None:
    """It cannot keep two jobs apart."""

    class Careless(Folder):
        def create(self, path: str, data: bytes) -> bool:
            Folder.write(self, path, data)
            return True

    tables = Folder.open(f"s3://fleet/{tmp_path.name}")
    there = delta_of(tables)
    assert there is not None
    careless = Careless(tables.where, tables.fs, tables.place)
    with pytest.raises(InputRefused, match="ignores conditional writes"):
        take_delta_turn(careless, there)


def test_what_another_program_compacted_counts(tmp_path: Path) -> None:
    """Who runs Delta's own OPTIMIZE on a table, or on the index, loses no row for the pages."""
    tables = place(tmp_path)
    taking("first")(tables)
    taking("second")(tables)
    there = delta_of(tables)
    assert there is not None
    for name in ("replicas", "snapshots"):
        moved = [one.path for one in parts_of(tables, name)]
        told = ",".join(rows(tables, name))
        path = f"{name}/cluster=a/day=2026-05-01/part-x.parquet"
        tables.write(path, told.encode())
        add = AddAction(path.partition("/")[2], 1, {"cluster": "a", "day": "2026-05-01"}, 1, False, "{}")
        known = [row for row in there.active(name).to_pylist() if f"{name}/{row['path']}" in moved]
        gone = [RemoveAction(row["path"], False, 1, row["size"], add.partition_values) for row in known]
        assert delta_commit.make_entry(tables, there, name, [add, *gone], seen=None)
        for one in ("replicas", "snapshots", "changes"):
            assert rows(tables, one) == ["first", "second"], (name, one)
    taking(*ALL)(tables)
    assert rows(tables, "replicas") == rows(tables, "snapshots") == rows(tables, "changes") == ALL
