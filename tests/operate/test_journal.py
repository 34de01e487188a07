"""The journal: what it keeps, who may write, and that an end at any moment loses nothing."""

from __future__ import annotations

import gc
import importlib.util
import os
import signal
import sqlite3
import stat
import subprocess
import sys
import threading
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from reseat.errors import InputRefused, WriteRefused
from reseat.operate.journal import schema
from reseat.operate.journal.file_systems import network_file_system
from reseat.operate.journal.journal import Approval, Journal, PlannedMove
from reseat.operate.journal.owner import Owner, is_alive, this_process
from reseat.operate.journal.records import RunOptions, RunState
from reseat.operate.journal.schema import VERSION, default_path

MOVES = (
    PlannedMove("orders", 1, (2, 3, 1), (2, 3, 4), 700),
    PlannedMove("orders", 0, (1, 2, 3), (4, 2, 3), 300),
)
APPROVAL = Approval("C1", "prod", "{plan}", "{back}", "h" * 8, "ann", MOVES, RunOptions(5, 1_000))


@pytest.fixture
def journal(tmp_path):
    """An empty journal."""
    opened = Journal(tmp_path / "journal.sqlite")
    yield opened
    opened.close()


def test_what_was_approved_is_read_back_by_another_process(journal):
    """A run and its partitions, sorted by name, are on disk as soon as approve returns."""
    run = journal.approve(APPROVAL)

    again = Journal(journal.path)
    told = again.progress(run.id)
    again.close()
    assert told.run == run
    assert (run.cluster, run.plan, run.rollback, run.options) == ("prod", "{plan}", "{back}", RunOptions(5, 1_000))
    assert run.state is RunState.APPROVED
    assert [(m.topic, m.partition, m.before, m.target) for m in told.moves] == [
        ("orders", 0, (1, 2, 3), (4, 2, 3)),
        ("orders", 1, (2, 3, 1), (2, 3, 4)),
    ]
    assert (told.partitions, told.done, told.bytes_total, told.bytes_done, told.alive) == (2, 0, 1_000, 0, False)


def test_the_files_are_the_owners_alone(journal):
    """The journal and SQLite's files beside it have mode 0600."""
    journal.approve(APPROVAL)

    modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in journal.path.parent.iterdir()}
    assert set(modes) >= {"journal.sqlite", "journal.sqlite-wal"}
    assert set(modes.values()) == {0o600}


def test_a_commit_waits_until_the_disk_has_it(tmp_path):
    """A journal loses nothing with the power: seen in the module as it is outside of tests, which do not wait."""
    spec = importlib.util.spec_from_file_location("as_outside_of_tests", schema.__file__)
    outside = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(outside)
    with closing(outside.open_database(tmp_path / "journal.sqlite")) as database:
        assert database.execute("PRAGMA synchronous").fetchone()[0] == 2  # FULL


def test_a_step_is_open_until_its_outcome_is_told(journal):
    """An intention without an outcome is what a restart finds."""
    run = journal.approve(APPROVAL)
    with journal.lease("C1", operator="ann", run_id=run.id) as lease:
        moves = journal.moves(run.id)
        step = journal.record_intent(
            "C1",
            "batch",
            {"rows": [0]},
            operator="ann",
            run_id=run.id,
            lease=lease,
            moves={0: replace(moves[0], state="sent")},
        )
        [unsettled] = journal.steps(run_id=run.id, unsettled=True)
        journal.record_outcome(
            step, {"refused": {}}, lease=lease, moves={0: replace(moves[0], state="done", now=(4, 2, 3))}
        )

    assert (unsettled.id, unsettled.kind, unsettled.content, unsettled.outcome) == (step, "batch", {"rows": [0]}, None)
    assert journal.steps(unsettled=True) == ()
    assert journal.steps(kind="batch")[0].outcome == {"refused": {}}
    told = journal.progress(run.id)
    assert (told.done, told.sent, told.batches, told.bytes_done) == (1, 0, 1, 300)
    assert told.moves[0].now == (4, 2, 3)


def test_a_second_run_of_a_cluster_is_refused_until_the_first_is_over(journal):
    """One run at a time a cluster; another cluster is free."""
    run = journal.approve(APPROVAL)
    with pytest.raises(WriteRefused, match=f"Run {run.id} on this cluster is not over"):
        journal.approve(APPROVAL)
    journal.approve(replace(APPROVAL, cluster_id="C2"))
    with journal.lease("C1", operator="ann") as lease:
        journal.set_state(lease, run.id, RunState.DONE, "Done.")

    second = journal.approve(APPROVAL)
    assert [found.id for found in journal.runs("C1")] == [second.id, run.id]
    assert journal.run(run.id).ended_at is not None
    assert journal.open_run("C1") == second


def test_a_living_owner_refuses_the_second_and_is_named(journal):
    """Whoever comes second is told who is at work, since when and in which process."""
    run = journal.approve(APPROVAL)
    other = Journal(journal.path)
    with (
        journal.lease("C1", operator="ann", run_id=run.id),
        pytest.raises(
            WriteRefused, match=rf"ann has been executing .*run {run.id}\) .*process {os.getpid()} on "
        ) as refused,
        other.lease("C1", operator="bob"),
    ):
        pass

    assert refused.value.failed[0][0] == "journal_lock"
    with other.lease("C1", operator="bob"), journal.lease("C2", operator="ann"):
        assert other.holder("C1").operator == "bob"
    assert other.holder("C1") is None
    other.close()


_HOLD = """
import sys
from reseat.operate.journal.journal import Journal
with Journal(sys.argv[1]).lease("C1", operator="gone"):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_an_owner_that_was_killed_blocks_nobody(journal):
    """The lock of a process that ended with SIGKILL is taken over, even before its parent has collected it."""
    holding = subprocess.Popen(
        [sys.executable, "-c", _HOLD, str(journal.path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])},
    )
    assert holding.stdout.readline() == b"held\n"
    with pytest.raises(WriteRefused, match="gone has been executing"), journal.lease("C1", operator="ann"):
        pass
    holding.send_signal(signal.SIGKILL)
    os.waitid(os.P_PID, holding.pid, os.WEXITED | os.WNOWAIT)  # ended, and a zombie still

    with journal.lease("C1", operator="ann"):
        assert journal.holder("C1").operator == "ann"
    holding.communicate()


def test_owners_are_told_by_boot_start_time_and_heartbeat():
    """A reused process id, another start of the machine and a silent one elsewhere are not alive."""
    me = this_process()

    assert is_alive(me, 1e9)
    assert not is_alive(replace(me, started="1"), 0)
    assert not is_alive(replace(me, boot="before"), 0)
    elsewhere = Owner("other", me.space, "boot", 1, "1")
    assert is_alive(elsewhere, 59)
    assert not is_alive(elsewhere, 61)


@pytest.mark.parametrize(
    ("told", "silent", "alive"),
    [(PermissionError, 59, True), (PermissionError, 61, False), (ProcessLookupError, 0, False)],
)
def test_a_process_that_is_hidden_is_told_by_its_heartbeat(told, silent, alive, monkeypatch):
    """With hidepid, or systemd's ProtectProc, /proc has no process of others: a second run began beside one at work."""
    hidden, read_text = replace(this_process(), pid=1, started="1"), Path.read_text

    def seen(path):
        if path == Path("/proc/1/stat"):
            raise FileNotFoundError
        return read_text(path)

    def kill(*_):
        raise told

    monkeypatch.setattr(Path, "read_text", seen)
    monkeypatch.setattr(os, "kill", kill)
    assert is_alive(hidden, silent) is alive


@pytest.mark.skipif(not Path("/bin/ps").exists(), reason="no ps")
def test_without_proc_a_process_is_the_same_in_every_time_zone(monkeypatch):
    """As on macOS: a service in UTC was taken for gone by whoever asked in another zone, and a run begun beside it."""
    exists = Path.exists
    monkeypatch.setattr(Path, "exists", lambda path: path != Path("/proc/self/stat") and exists(path))
    monkeypatch.setenv("TZ", "Asia/Shanghai")
    me = this_process()
    assert me.started
    monkeypatch.setenv("TZ", "UTC")
    assert is_alive(me, 1e9)


def test_whoever_lost_the_lock_writes_nothing_more(journal):
    """An owner thought dead that wakes up is refused before it can send."""
    run = journal.approve(APPROVAL)
    with journal.lease("C1", operator="ann", run_id=run.id) as lease:
        with sqlite3.connect(journal.path) as database:
            database.execute("UPDATE owners SET token = 'x', operator = 'bob'")
        database.close()
        with pytest.raises(WriteRefused, match=r"bob .* has taken over"):
            journal.record_intent("C1", "batch", {}, operator="ann", run_id=run.id, lease=lease)

    assert journal.steps() == ()
    assert journal.holder("C1").operator == "bob"


def test_stop_requests_come_from_any_process(journal):
    """A cancel stays a cancel; a run that is over cannot be stopped."""
    run = journal.approve(APPROVAL)
    other = Journal(journal.path)
    assert journal.stop_requested(run.id) == ""
    other.request_stop(run.id, cancel=True)
    other.request_stop(run.id, cancel=False)
    other.close()

    assert journal.stop_requested(run.id) == "cancel"
    with journal.lease("C1", operator="ann") as lease:
        journal.set_state(lease, run.id, RunState.CANCELLED, "")
    with pytest.raises(WriteRefused, match="is over"):
        journal.request_stop(run.id, cancel=False)


def test_remaining_time_comes_of_the_last_minutes_pace(journal):
    """Half of the bytes in ten seconds leaves ten seconds; without a pace, or with nobody at work, nothing is said."""
    run = journal.approve(APPROVAL)
    with journal.lease("C1", operator="ann", run_id=run.id) as lease:
        journal.note_pace(lease, run.id, 0, 0)
        assert journal.progress(run.id).seconds_left is None
        with sqlite3.connect(journal.path) as database:
            database.execute("UPDATE paces SET at = at - 10")
        database.close()
        journal.note_pace(lease, run.id, 1, 500)

        assert journal.progress(run.id, moves=False).seconds_left == pytest.approx(10, abs=0.5)

        journal.note_pace(lease, run.id, 1, 500, anew=True)

        assert journal.progress(run.id, moves=False).seconds_left is None

    assert journal.progress(run.id, moves=False).seconds_left is None


def test_a_journal_that_is_made_while_it_is_looked_at_is_no_other_programs(tmp_path, monkeypatch):
    """What is read of the file is of one moment: not the version from before and the tables from after."""
    path, connect, makers = tmp_path / "journal.sqlite", sqlite3.connect, []

    def make_one(statement):
        if "application_id" in statement and not makers:
            makers.append(threading.Thread(target=lambda: Journal(path).close()))
            makers[0].start()
            makers[0].join(0.5)  # it is done, or waits for the one who looks

    def watched(*args, **choices):
        opened = connect(*args, **choices)
        if not makers:
            opened.set_trace_callback(make_one)
        return opened

    monkeypatch.setattr(sqlite3, "connect", watched)
    Journal(path).close()
    makers[0].join(30)

    assert not makers[0].is_alive()
    Journal(path).close()


@pytest.mark.parametrize("many", [4, pytest.param(8, marks=pytest.mark.slow)])
def test_many_processes_may_make_the_journal_at_once(tmp_path, many):
    """So many processes open a journal that is not there yet, and all of them write."""
    script = (
        "import sys; from reseat.operate.journal.journal import *\n"
        "j = Journal(sys.argv[1])\n"
        "j.record_outcome(j.record_intent('C', 'topic', {'n': sys.argv[2]}, operator='a'), {})"
    )
    path = tmp_path / "new" / "journal.sqlite"
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])}
    processes = [
        subprocess.Popen([sys.executable, "-c", script, str(path), str(n)], env=environment, stderr=subprocess.PIPE)
        for n in range(many)
    ]
    said = [process.communicate(timeout=60)[1] for process in processes]

    assert said == [b""] * many
    assert sorted(step.content["n"] for step in Journal(path).steps()) == [str(n) for n in range(many)]


def test_readers_do_not_wait_for_a_writer(journal):
    """Progress is read while another process is in the middle of a transaction."""
    run = journal.approve(APPROVAL)
    writer = sqlite3.connect(journal.path, isolation_level=None)
    writer.execute("BEGIN IMMEDIATE")
    writer.execute("UPDATE runs SET sentence = 'half written'")
    told: list[str] = []
    reader = threading.Thread(target=lambda: told.append(journal.progress(run.id).run.sentence))
    reader.start()
    reader.join(10)
    writer.execute("ROLLBACK")
    writer.close()

    assert told == ["Approved; nothing is sent yet."]


def test_other_files_are_refused_and_left_as_they_are(tmp_path):
    """A text, another program's database, a later journal and a folder are refused, each with its reason."""
    text = tmp_path / "notes.txt"
    text.write_text("not a database" * 100)
    foreign = tmp_path / "foreign.db"
    with sqlite3.connect(foreign) as database:
        database.execute("CREATE TABLE mine (a)")
    database.close()
    later = tmp_path / "later.sqlite"
    Journal(later).close()
    with sqlite3.connect(later) as database:
        database.execute(f"PRAGMA user_version = {VERSION + 1}")
    database.close()
    before = text.read_bytes(), foreign.read_bytes()
    pipe, ring = tmp_path / "pipe.sqlite", tmp_path / "ring.sqlite"
    os.mkfifo(pipe)
    ring.symlink_to(ring)

    for path, why in (
        (pipe, "cannot be opened"),
        (ring, "cannot be opened"),
        (text, "not a journal"),
        (foreign, "another program"),
        (later, f"version {VERSION + 1}"),
        (tmp_path, "cannot be opened"),
    ):
        with pytest.raises(InputRefused, match=why):
            Journal(path)
    assert (text.read_bytes(), foreign.read_bytes()) == before


def test_a_journal_that_cannot_be_written_refuses(journal):
    """Whatever SQLite meets becomes a refusal: nothing is sent without the journal."""
    journal.approve(APPROVAL)
    journal.close()

    with pytest.raises(WriteRefused, match="cannot be written"):
        journal.record_intent("C1", "election", {}, operator="ann")


def test_the_journals_place_can_be_named():
    """RESEAT_JOURNAL, then the state folder of the XDG rules, then its default."""
    assert default_path({"RESEAT_JOURNAL": "/a/b"}) == Path("/a/b")
    assert default_path({"XDG_STATE_HOME": "/s"}) == Path("/s/reseat/journal.sqlite")
    assert default_path({"XDG_STATE_HOME": "s"}) == default_path({})  # or each folder would have a journal of its own
    assert default_path({}) == Path.home() / ".local/state/reseat/journal.sqlite"


def test_a_journal_is_where_it_is_said_to_be(tmp_path, monkeypatch):
    """Named with ~, or by nobody: then where the environment says."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("RESEAT_JOURNAL", str(tmp_path / "told" / "journal.sqlite"))
    named, unnamed = Journal("~/named.sqlite"), Journal()
    named.close()
    unnamed.close()

    assert named.path == tmp_path / "named.sqlite"
    assert unnamed.path == tmp_path / "told" / "journal.sqlite"
    assert named.path.exists()
    assert unnamed.path.exists()


def test_the_way_and_what_was_overridden_are_kept(journal):
    """A run says by which way it was to be written, and in spite of which checks."""
    told = journal.approve(replace(APPROVAL, protocol="zookeeper", overridden=("can_finish", "racks_not_worsened")))
    plain = journal.approve(replace(APPROVAL, cluster_id="C2"))

    assert (told.protocol, told.overridden) == ("zookeeper", ("can_finish", "racks_not_worsened"))
    assert (plain.protocol, plain.overridden) == (None, ())


def test_a_journal_that_nobody_holds_any_more_closes_its_file(tmp_path, monkeypatch):
    """As where a server forgets the oldest of those that it has opened."""
    closed = []

    class Told(sqlite3.Connection):
        def close(self):
            closed.append(True)
            super().close()

    monkeypatch.setattr("reseat.operate.journal.schema.sqlite3.connect", partial(sqlite3.connect, factory=Told))
    opened = Journal(tmp_path / "journal.sqlite")
    assert not closed
    del opened
    gc.collect()

    assert closed


def test_a_journal_of_the_first_version_is_taken_over(journal):
    """Its runs stay; what it could not keep is not told."""
    run = journal.approve(APPROVAL)
    path = journal.path
    journal.close()
    with sqlite3.connect(path) as database:
        database.execute("ALTER TABLE runs DROP COLUMN way")
        database.execute("ALTER TABLE runs DROP COLUMN overridden")
        database.execute("ALTER TABLE runs DROP COLUMN paused_by")
        database.execute("ALTER TABLE runs DROP COLUMN schedule")
        database.execute("DROP TABLE proposals")
        database.execute("PRAGMA user_version = 1")
    database.close()
    again = Journal(path)
    told = again.run(run.id)
    again.close()
    third = Journal(path)
    third.close()
    with closing(sqlite3.connect(path)) as database:
        version = database.execute("PRAGMA user_version").fetchone()[0]

    assert told == run
    assert version == VERSION


def test_options_change_while_somebody_is_at_work_and_not_once_it_is_over(journal):
    """Whoever is at work reads them again and again; who asked for it, and when, is kept."""
    run = journal.approve(APPROVAL)
    with journal.lease("C1", operator="ann", run_id=run.id) as lease:
        journal.change_options(run.id, RunOptions(7, None), operator="ben")
        wishes = journal.wishes(run.id)
        journal.set_state(lease, run.id, RunState.CANCELLED, "Over.")
    with pytest.raises(WriteRefused, match="Run 1 is over"):
        journal.change_options(run.id, RunOptions(8, 1_000), operator="ben")
    (kept,) = journal.steps(kind="wish")

    assert wishes.options == journal.run(run.id).options == RunOptions(7, None)
    assert (kept.operator, kept.content) == ("ben", {"moves_a_broker": 7, "throttle": None})
    assert kept.outcome is not None


def test_a_pause_is_somebodys_and_ends(journal):
    """It outlives the process that asked; a run that is being stopped or is over has none."""
    run = journal.approve(APPROVAL)
    journal.request_pause(run.id, "ben", operator="ben")
    paused = journal.wishes(run.id).paused_by
    journal.request_pause(run.id, "", operator="ann")
    gone_on = journal.wishes(run.id).paused_by
    journal.request_stop(run.id, cancel=False, operator="cyd")
    with pytest.raises(WriteRefused, match="is being stopped"):
        journal.request_pause(run.id, "ben", operator="ben")

    assert (paused, gone_on) == ("ben", "")
    assert [(step.operator, step.content) for step in reversed(journal.steps(kind="wish"))] == [
        ("ben", {"pause": True}),
        ("ann", {"pause": False}),
        ("cyd", {"stop": "stop"}),
    ]


def test_a_damaged_journal_is_refused_in_words(journal):
    """When it is opened, and also where the damage is met only later."""
    journal.approve(replace(APPROVAL, plan="{" + "x" * 100_000 + "}"))
    path = journal.path
    journal.close()
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(4096 * 2)
        file.write(b"\xff" * (size - 4096 * 2))
    opened = Journal(path)
    with pytest.raises(WriteRefused, match=r"cannot be read .*malformed"):
        opened.runs()
    opened.close()
    with path.open("r+b") as file:
        file.write(b"\xff" * size)

    with pytest.raises(InputRefused, match="not a journal of Reseat, or it was damaged"):
        Journal(path)


@pytest.mark.parametrize("beside", ["wal", "journal"])
def test_a_folder_that_cannot_be_written_is_no_damage(journal, beside):
    """SQLite's files lie beside the journal: the sentence says what is missing, and not what failed after it."""
    path = journal.path
    journal.close()
    folder = path.with_name(f"{path.name}-{beside}")
    folder.mkdir()  # as good as a folder that lets nobody write: the file beside it cannot be made

    with pytest.raises(InputRefused, match=r"cannot be opened \((?!cannot rollback).*\): its folder must be writable"):
        Journal(path)


def test_a_file_system_without_a_write_ahead_log_is_refused(tmp_path, monkeypatch):
    """SQLite goes on in another mode there, and says so by its answer alone: two processes could not rely on it."""
    connect = sqlite3.connect

    def without_shared_memory(path, **named):
        return connect(f"file:{path}?vfs=unix-dotfile", uri=True, **named)

    monkeypatch.setattr("reseat.operate.journal.schema.sqlite3.connect", without_shared_memory)
    with pytest.raises(
        InputRefused, match=r"write-ahead log \(SQLite chose 'delete'\)\. Name a file on a disk of this"
    ):
        Journal(tmp_path / "journal.sqlite")


MOUNTS = """\
22 27 0:21 / /proc rw,relatime - proc proc rw
27 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
30 27 0:40 / /home rw,relatime - nfs4 filer:/home rw
31 30 8:2 / /home/ann/local\\040disk rw,relatime master:1 - xfs /dev/sdb1 rw
32 27 0:41 / /mnt rw - ext4 /dev/sdc1 rw
33 27 0:42 / /mnt rw - cifs //filer/share rw
34 27 0:43 / /jfs rw,relatime - fuse.juicefs JuiceFS:shared rw
35 27 0:44 / /usb rw,relatime - fuseblk /dev/sdd1 rw
"""


def test_a_journal_on_a_network_file_system_is_refused(tmp_path, monkeypatch):
    """Some of them carry the log on one machine and not between two: the deepest and latest mount tells the kind."""
    mounts = tmp_path / "mountinfo"
    mounts.write_text(MOUNTS)
    kinds = {
        place: network_file_system(Path(place), mounts)
        for place in ("/var/j", "/home/ann/j", "/home/ann/local disk/j", "/homes/j", "/mnt/j", "/jfs/j", "/usb/j")
    }
    untold = network_file_system(Path("/home/ann/j"), tmp_path / "nothing")
    monkeypatch.setattr("reseat.operate.journal.schema.network_file_system", lambda path: "nfs4")
    with pytest.raises(InputRefused, match=r"between machines \(it is nfs4\)"):
        Journal(tmp_path / "journal.sqlite")

    assert kinds == {
        "/var/j": None,
        "/home/ann/j": "nfs4",
        "/home/ann/local disk/j": None,
        "/homes/j": None,
        "/mnt/j": "cifs",
        "/jfs/j": "fuse.juicefs",
        "/usb/j": None,
    }
    assert untold is None
    assert not (tmp_path / "journal.sqlite").exists()


def test_a_clock_that_was_set_back_spoils_no_pace(journal, monkeypatch):
    """What was noted later than now is forgotten."""
    run = journal.approve(APPROVAL)
    with journal.lease("C1", operator="ann", run_id=run.id) as lease:
        monkeypatch.setattr("reseat.operate.journal.journal.time.time", lambda: 10_000.0)
        journal.note_pace(lease, run.id, 2, 900)
        for second, done in ((0, 100), (5, 600)):
            monkeypatch.setattr("reseat.operate.journal.journal.time.time", lambda second=second: 5_000.0 + second)
            journal.note_pace(lease, run.id, 1, done)

        assert journal.progress(run.id).seconds_left == pytest.approx(4.0)
