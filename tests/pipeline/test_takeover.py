"""A job that sleeps and wakes once another has taken over: no row is lost, none is double, and nobody is wedged.

The lock is left out here: these promises do not rest on it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from reseat.errors import InputRefused, PipelineBusy
from reseat.history.commit_record import commit_numbers, newest, record_path, unfinished
from reseat.history.folder import Folder
from reseat.pipeline.commit import Batch
from reseat.pipeline.turns import Turn, take_turn
from tests.pipeline.test_commit import Mortal, put

#: What a job does, over tables that may do something of their own before a step.
Job = Callable[[Folder], None]
ALL = ["first", "second", "third"]
_EVERY_STEP = pytest.param(1, marks=pytest.mark.slow, id="every step")


class Sleepy(Mortal):
    """A folder over which something else happens before its n-th step that changes something."""

    meanwhile: Callable[[], None]

    @classmethod
    def during(cls, folder: Folder, steps: int, meanwhile: Callable[[], None]) -> Sleepy:
        """A folder over the same place."""
        made = cls.over(folder, steps)
        object.__setattr__(made, "meanwhile", meanwhile)
        return made

    def _step(self) -> None:
        if self.steps_left[0] == 0:
            self.meanwhile()
        self.steps_left[0] -= 1

    @property
    def slept(self) -> bool:
        """Whether it came to that step."""
        return self.steps_left[0] < 0


def rows(tables: Folder, under: str) -> list[str]:
    """What is published, whichever files it lies in."""
    return sorted(row for one in tables.files(under, ".parquet") for row in tables.read(one.path).decode().split(","))


def taking(*landed: str) -> Job:
    """Takes what is landed and unknown; ``changes`` are made anew of all, as after a late snapshot."""

    def job(tables: Folder) -> None:
        turn = take_turn(tables)
        known = rows(tables, "_reseat/ledger")
        new = [one for one in landed if one not in known]
        if not new:
            return
        batch = Batch.begin(turn)
        for one in new:
            put(tables, batch, "replicas", one, file=one)
            put(tables, batch, "ledger", one, "month=2026-05", file=one)
        put(tables, batch, "changes", ",".join([*known, *new]))
        batch.remove(one.path for one in tables.files("changes", ".parquet"))
        batch.commit()

    return job


def compacting(tables: Folder) -> None:
    """Makes one file of many: what was published just before goes again."""
    batch = Batch.begin(take_turn(tables))
    put(tables, batch, "replicas", ",".join(rows(tables, "replicas")))
    batch.remove(one.path for one in tables.files("replicas", ".parquet"))
    batch.commit()


def taking_all_and_compacting(tables: Folder) -> None:
    """A night's jobs."""
    taking(*ALL)(tables)
    compacting(tables)


#: Who sleeps, and who works meanwhile.
PAIRS: dict[str, tuple[Job, Job]] = {
    "a run, and a run": (taking("first", "second"), taking(*ALL)),
    "a compaction, and a night": (compacting, taking_all_and_compacting),
    "a run, and a night": (taking("first", "second"), taking_all_and_compacting),
}
_LAST = "a run, and a night"


def check(tables: Folder, step: object) -> None:
    """The next job finds everything once."""
    taking(*ALL)(tables)

    assert rows(tables, "replicas") == ALL, step
    assert rows(tables, "_reseat/ledger") == ALL, step
    assert rows(tables, "changes") == ALL, step
    assert len(tables.files("changes", ".parquet")) == 1, step
    assert unfinished(tables) == []
    assert len(commit_numbers(tables)) == 1


def ends(job: Job, tables: Folder) -> None:
    """Do a job that may be refused as overtaken; on this machine also since its staging was cleared away."""
    with suppress(PipelineBusy, InputRefused):
        job(tables)


@pytest.fixture
def place(tmp_path: Path) -> Callable[[object], Folder]:
    """Makes tables with one row."""
    return lambda step: Folder.open(tmp_path / str(step))


def sleep_at_every_step(place: Callable[[object], Folder], pair: str, stride: int) -> None:
    """The one sleeps before each of its steps in turn, and the other does all its work meanwhile."""
    one, other = PAIRS[pair]
    step, slept = 0, True
    while slept:
        tables = place(step)
        taking("first")(tables)
        sleepy = Sleepy.during(tables, step, lambda tables=tables: other(tables))
        ends(one, sleepy)
        slept = sleepy.slept
        check(tables, step)
        step += stride
    assert step > 10


@pytest.mark.parametrize("pair", PAIRS)
def test_asleep_at_every_step(place: Callable[[object], Folder], pair: str) -> None:
    """On a folder of this machine."""
    sleep_at_every_step(place, pair, 1)


def interleaved(tables: Folder, asleep: int, awake: int) -> tuple[bool, bool]:
    """One job sleeps before a step, and goes on to its end before a step of the other one.

    Returns:
        Whether they came to these steps.
    """
    one, other = PAIRS[_LAST]
    rests, wakes = threading.Event(), threading.Event()

    def sleep() -> None:
        rests.set()
        wakes.wait()

    sleepy = Sleepy.during(tables, asleep, sleep)
    with ThreadPoolExecutor(1) as pool:
        done = pool.submit(ends, one, sleepy)
        done.add_done_callback(lambda _: rests.set())
        rests.wait()

        def wake() -> None:
            wakes.set()
            done.result()

        busy = Sleepy.during(tables, awake, wake)
        ends(other, busy)
        wake()
    return sleepy.slept, busy.slept


@pytest.mark.parametrize("stride", [7, _EVERY_STEP])
def test_awake_while_the_other_is_in_the_middle(place: Callable[[object], Folder], stride: int) -> None:
    """Before each step of the one, and each of the other, in turn."""
    asleep, slept = 0, True
    while slept:
        awake, woke = asleep % stride, True
        while slept and woke:
            tables = place((asleep, awake))
            taking("first")(tables)
            slept, woke = interleaved(tables, asleep, awake)
            check(tables, (asleep, awake))
            awake += stride
        asleep += stride
    assert asleep > 10


def test_what_the_next_job_has_decided_meanwhile_is_not_cleared_away(place: Callable[[object], Folder]) -> None:
    """One wakes in the middle of taking its turn, when the other has taken the next one and decided a batch."""
    for awake in range(1, 8):
        tables = place(awake)
        taking("first")(tables)
        assert interleaved(tables, 1, awake) == (True, True)
        check(tables, awake)


def test_a_number_that_is_free_again_is_no_turn(place: Callable[[object], Folder]) -> None:
    """A job that slept for long finds its next number deleted: it takes back what it made, which never counted."""
    tables = place("tables")
    turn = take_turn(tables)
    for _ in range(3):
        take_turn(tables)
    stands = newest(tables)
    batch = Batch.begin(turn)
    put(tables, batch, "replicas", "late")

    with pytest.raises(PipelineBusy, match="taken over"):
        batch.commit()
    assert newest(tables) == stands
    assert commit_numbers(tables) == [stands[0]]
    assert tables.files("replicas") == []
    assert tables.folders("_reseat/runs") == []


def test_two_that_start_at_once_take_turns_one_after_the_other(place: Callable[[object], Folder]) -> None:
    """What each writes to take a number is its own: the one that came second does not take the other's for it."""
    tables, first = place("tables"), list[Turn]()
    second = take_turn(Sleepy.during(tables, 0, lambda: first.append(take_turn(tables))))
    early, late = Batch.begin(first[0]), Batch.begin(second)
    put(tables, early, "replicas", "early")
    put(tables, late, "replicas", "late")

    with pytest.raises(PipelineBusy, match="taken over"):
        early.commit()
    late.commit()
    assert rows(tables, "replicas") == ["late"]


def test_nothing_is_removed_before_all_is_seen_in_its_place(place: Callable[[object], Folder]) -> None:
    """A store that says that it moved a file, and did not, costs no row; the next job is told which file is gone."""
    tables = place("tables")
    taking("first")(tables)

    class Lossy(Mortal):
        def move(self, path: str, to: str) -> None:
            Folder.delete(self, path)

    for _ in range(2):
        with pytest.raises(InputRefused, match="Nothing was removed"):
            taking("first", "second")(Lossy.over(tables, 1_000))
        assert rows(tables, "replicas") == rows(tables, "changes") == ["first"]


def test_an_answer_that_was_lost_is_no_refusal(place: Callable[[object], Folder]) -> None:
    """The put is sent again and refused, for what it made itself: the job goes on."""
    tables = place("tables")

    class Forgetful(Mortal):
        def create(self, path: str, data: bytes) -> bool:
            Folder.create(self, path, data)
            return Folder.create(self, path, data)

    turn = take_turn(Forgetful.over(tables, 1_000))
    batch = Batch.begin(turn)
    put(tables, batch, "replicas", "row")
    batch.commit()

    assert rows(tables, "replicas") == ["row"]
    assert unfinished(tables) == []


def test_records_that_others_deleted_are_looked_for_again(tmp_path: Path) -> None:
    """A page that lists while a job goes on reads the newest one there is then."""
    tables = Folder.open(tmp_path)
    take_turn(tables)
    number = newest(tables)[0]

    class Behind(Mortal):
        def read(self, path: str) -> bytes:
            if path == record_path(number):
                take_turn(tables)
            return Folder.read(self, path)

    assert newest(Behind.over(tables, 0))[0] == number + 1
