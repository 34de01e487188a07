"""``operate``: refusals, runs watched and gone on with, and no secret anywhere; the cluster is in memory."""

from __future__ import annotations

import json
import logging
import os
import re
import shlex
import signal
import threading
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from reseat.cli import main
from reseat.errors import ClusterUnreachable, WishRefused, WriteRefused
from reseat.formats.documents.sealed import read_sealed
from reseat.formats.documents.writers import write_reassignment
from reseat.model import Broker, BrokerState, Certificate, ClusterLayout, Plan, Snapshot, Wish
from reseat.operate.journal.journal import Journal
from reseat.operate.journal.proposals import ProposalState, ProposedPlan
from reseat.operate.journal.records import RunOptions, RunState
from reseat.operate.run.execute import carry_out
from reseat.operate.run.pace import Pace
from reseat.sources.kafka_admin.log_ends import LogEnd
from tests.operate.fake_target import FakeCluster
from tests.operate.test_observed import make_ended

BROKERS = [Broker(i, rack, state=BrokerState.ALIVE) for i, rack in ((1, "a"), (2, "b"), (3, "b"), (4, "c"))]
BEFORE = {("orders", i): [1, 2] for i in range(6)}
AFTER = {("orders", i): [1, 3] for i in range(6)}
SECRET = "hush-77ab"


class World:
    """A cluster in memory, its command line, and the files around it."""

    def __init__(self, folder):
        self.cluster = FakeCluster({key: list(ids) for key, ids in BEFORE.items()})
        self.cluster.before_call = self.passes
        self.sizes = None
        self.journal = folder / "journal.sqlite"
        self.plan = folder / "plan.json"
        self.config = folder / "client.properties"
        self.config.write_text(
            "security.protocol=SASL_PLAINTEXT\nsasl.mechanism=PLAIN\nsasl.jaas.config="
            'org.apache.kafka.common.security.plain.PlainLoginModule required username="ann" '
            f'password="{SECRET}";\n'
        )
        current, proposed = (ClusterLayout.from_assignments(lists, brokers=BROKERS) for lists in (BEFORE, AFTER))
        self.plan.write_text(write_reassignment(Plan(current, proposed, Certificate(wish=Wish(), moves=6))))

    def passes(self, name):
        """Time goes by with each call."""
        self.cluster.clock += 0.2
        if name in ("reassigning", "alive"):
            self.cluster.wait(0.3)

    def read(self, connection, **_):
        """A reading of the cluster."""
        lists = self.cluster.lists
        brokers = [
            replace(broker, state=BrokerState.DEAD) if broker.id in self.cluster.dead else broker for broker in BROKERS
        ]
        leaders = {key: ids[0] for key, ids in lists.items()}
        layout = ClusterLayout.from_assignments(
            lists, brokers=brokers, leaders=leaders, in_sync=lists, size_bytes=self.sizes
        )
        return Snapshot(layout, datetime.now(UTC), "admin", cluster_id="FAKE", metadata="kraft")

    def run(self, *words, confirm="FAKE"):
        """One command of ``operate``."""
        confirmed = ["--confirm", confirm] if words[0] not in ("status", "verify") else []
        named = ["--bootstrap", "fake:9092", "--config", str(self.config), "--journal", str(self.journal)]
        return main(["operate", *words, *named, *confirmed])

    def runs(self):
        """The runs of the journal, newest first."""
        journal = Journal(self.journal)
        runs = journal.runs()
        journal.close()
        return runs


@pytest.fixture
def world(tmp_path, monkeypatch):
    """A cluster whose command line is enabled for writing."""
    made = World(tmp_path)
    monkeypatch.setenv("RESEAT_OPERATE", "1")
    monkeypatch.setattr(
        "reseat.cli.operate.session.open_target", lambda connection, protocol=None: made.cluster.target()
    )
    for module in ("execute", "status", "leaders"):
        monkeypatch.setattr(f"reseat.cli.operate.{module}.read_cluster", made.read)

    def on_its_clock(wait=lambda seconds: None):
        """A person's patience, lived through on the cluster's clock: nobody waits fifteen seconds for a test."""

        def waits(seconds):
            made.cluster.wait(seconds)
            return wait(0)

        return Pace(wait=waits, now=lambda: made.cluster.clock)

    monkeypatch.setattr("reseat.operate.run.execute.Pace", on_its_clock)
    return made


def test_a_plan_is_carried_out_verified_and_taken_back(world, capsys):
    """Exit 0 once it is verified; the rollback restores every list, and there is nothing to take back then."""
    assert world.run("execute", "--plan", str(world.plan), "--wait", "--throttle", "1000") == 0
    said = capsys.readouterr().out
    assert world.cluster.lists == AFTER
    assert world.run("verify") == 0
    assert world.run("rollback", "--wait") == 0
    assert world.cluster.lists == BEFORE
    assert world.run("rollback", "--wait") == 2

    assert re.search(r"^\d\d:\d\d:\d\d UTC Done: all 6 partitions are as planned, seen twice\.$", said, re.MULTILINE)
    assert "6 of 6 partitions are as planned." in said
    assert "Nothing to roll back" in capsys.readouterr().err
    assert [(run.kind, run.options.throttle) for run in world.runs()] == [("rollback", 1_000), ("plan", 1_000)]
    assert world.cluster.dynamic == {}


def test_how_a_plan_is_carried_out_is_said_before_anything_is_sent(world, capsys):
    """Where nobody says it: no throttle, which is said too, ten moves at a broker, not fifty, and no time."""
    before = []
    world.cluster.before_call = lambda name: before.append(capsys.readouterr().err) if name == "reassign" else None
    assert world.run("execute", "--plan", str(world.plan), "--wait") == 0

    assert "with no throttle and at most 10 replica moves per broker at a time. Without a throttle" in "".join(before)
    assert "How long it takes is unknown: 6 copies of unknown size." in "".join(before)


def test_the_command_that_shows_progress_is_one_to_copy(world, monkeypatch, capsys):
    """Also where the journal's name has a blank."""
    monkeypatch.setattr("reseat.operate.run.runner.start", lambda *_, **__: 42)
    world.journal = world.journal.with_name("my runs.sqlite")
    assert world.run("execute", "--plan", str(world.plan)) == 0
    line = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("Progress: "))

    assert main(shlex.split(line)[2:]) == 0
    assert capsys.readouterr().out.startswith("Run 1 (plan, ")


def test_how_long_a_plan_takes_is_said_from_earlier_runs_of_its_cluster(world, capsys, monkeypatch):
    """Broker 1 sends 6 GB: 10 minutes at the 10 MB/s that a run showed; a throttle of 1 MB/s bounds that."""
    world.sizes = dict.fromkeys(BEFORE, 1e9)
    journal = Journal(world.journal)
    with monkeypatch.context() as clock:
        make_ended(journal, clock, seconds=60, cluster="FAKE")
    journal.close()

    assert world.run("execute", "--plan", str(world.plan), "--wait") == 0
    assert "About 10 min, from 1 earlier run on this cluster of 2026-11-23.\n" in capsys.readouterr().err
    assert world.run("rollback", "--wait", "--throttle", "1000000") == 0
    assert "About 1 h 40 min, from 1 earlier run on this cluster of 2026-11-23.\n" in capsys.readouterr().err


def test_every_failed_check_is_named_with_topics_and_partitions(world, capsys, monkeypatch):
    """Exit 2, each check on its line, nothing sent and nothing approved."""
    monkeypatch.delenv("RESEAT_OPERATE")
    world.cluster.lists["orders", 4] = [2, 1]
    world.cluster.dead = {3}
    assert world.run("execute", "--plan", str(world.plan), "--wait", confirm="OTHER") == 2

    said = capsys.readouterr().err.splitlines()
    assert said[0].startswith("reseat operate execute: Nothing was sent: ")
    checks = {line.strip().partition(":")[0]: line for line in said[1:]}
    assert {"writing_enabled", "cluster_confirmed", "layout_unchanged", "targets_alive"} <= checks.keys()
    assert "orders-4" in checks["layout_unchanged"]
    assert "3" in checks["targets_alive"]
    assert "reassign" not in world.cluster.calls
    assert world.runs() == ()


def test_a_cluster_that_needs_a_second_person_takes_what_was_approved_on_execute(world, capsys, monkeypatch):
    """Refused without, by the id whatever the address; an approval of this very plan lets it pass, once."""
    monkeypatch.setenv("RESEAT_APPROVAL", "FAKE")
    command = ("execute", "--plan", str(world.plan), "--wait")

    assert world.run(*command) == 2
    assert "approved_by_another" in capsys.readouterr().err
    assert "reassign" not in world.cluster.calls

    text = world.plan.read_text()
    at = datetime.now(UTC)
    ends = at + timedelta(hours=1)
    digest = read_sealed(text).hash
    draft = ProposedPlan(0, "FAKE", "prod", "x", text, digest, (), "ada", frozenset({"sub=a"}), at, ends)
    draft = replace(draft, options=RunOptions(throttle=1_000))
    journal = Journal(world.journal)
    row = journal.propose(draft)
    journal.decide(row.id, ProposalState.APPROVED, who="bo", marks={"sub=b"}, seconds=3600)
    journal.close()

    assert world.run(*command, "--throttle", "2000") == 2
    assert "settings: a throttle of 1,000 bytes/s per broker" in capsys.readouterr().err
    assert world.run(*command) == 0
    assert world.runs()[0].options == draft.options
    assert world.cluster.lists == AFTER
    assert world.run("rollback", "--wait") == 0  # waits for nobody
    assert world.run(*command) == 2


def test_a_plan_that_was_edited_is_refused(world, capsys):
    """The text's hash is not the one that its key states."""
    world.plan.write_text(world.plan.read_text().replace("[1,3]", "[3,1]", 1))

    assert world.run("execute", "--plan", str(world.plan), "--wait") == 2
    assert "plan_as_shown" in capsys.readouterr().err


def interrupted(world):
    """A run whose operator ended after its first batch, throttles set."""
    words = ("execute", "--plan", str(world.plan), "--wait", "--throttle", "1000", "--moves-a-broker", "2")

    def dies(name):
        world.passes(name)
        if name == "reassigned":
            raise SystemExit("killed")

    world.cluster.before_call = dies
    with pytest.raises(SystemExit):
        world.run(*words)
    world.cluster.before_call = world.passes
    return words


def test_executing_the_same_plan_again_goes_on_with_an_interrupted_run(world, capsys):
    """No second run is made; what was under way is settled first."""
    words = interrupted(world)
    assert world.run(*words) == 0

    assert "was interrupted: continuing" in capsys.readouterr().err
    assert [run.state for run in world.runs()] == [RunState.DONE]
    assert world.cluster.lists == AFTER
    assert world.cluster.dynamic == {}


def test_status_puts_throttles_back_after_a_crash_and_only_where_writing_is_enabled(world, capsys, monkeypatch):
    """Without the right to write it says that there is something to put back."""
    interrupted(world)
    monkeypatch.delenv("RESEAT_OPERATE")
    assert world.run("status") == 0
    without = capsys.readouterr().out
    still = dict(world.cluster.dynamic)
    monkeypatch.setenv("RESEAT_OPERATE", "1")
    world.cluster.wait(10)
    assert world.run("status") == 0

    assert "left throttles" in without
    assert "RESEAT_OPERATE=1" in without
    assert still
    assert world.cluster.dynamic == {}
    assert "2 of 6 partitions as planned" in capsys.readouterr().out


def test_a_run_of_another_cluster_is_not_told_of_the_one_that_is_named(world, capsys, monkeypatch):
    """The cluster that was typed would have been read, and left aside."""
    assert world.run("execute", "--plan", str(world.plan), "--wait") == 0
    monkeypatch.setattr("tests.operate.fake_target.FakeTarget.cluster_id", lambda self: "OTHER")
    capsys.readouterr()

    assert world.run("status", "--run", "1") == 2
    assert "Run 1 is for cluster FAKE; this cluster is OTHER." in capsys.readouterr().err


def test_a_journal_in_the_home_folder_is_one_for_every_command(world, monkeypatch, capsys):
    """No shell expands ``--journal=~/journal.sqlite``: status said that nothing was executed, of a plan under way."""
    monkeypatch.setenv("HOME", str(world.journal.parent))
    world.journal = "~/journal.sqlite"
    assert world.run("execute", "--plan", str(world.plan), "--wait") == 0
    capsys.readouterr()

    assert main(["operate", "status", "--journal=~/journal.sqlite"]) == 0
    assert "Run 1 (plan, fake:9092): done" in capsys.readouterr().out


def test_what_nobody_has_a_sentence_for_is_not_said_to_have_sent_nothing(world, monkeypatch, capsys):
    """Exit code 2 means that nothing was sent; it was, when a file failed in the middle."""

    def fails(*_, **__):
        raise OSError(24, "Too many open files", "/proc/self/fd")

    monkeypatch.setattr("reseat.operate.verify.verify", fails)

    assert world.run("execute", "--plan", str(world.plan), "--wait") == 1
    assert "/proc/self/fd cannot be used: Too many open files." in capsys.readouterr().err


@pytest.mark.parametrize("refusal", [ClusterUnreachable("Nothing answers.", "route"), WriteRefused("It is locked.")])
def test_a_plan_that_is_carried_out_and_cannot_be_verified_was_sent(refusal, world, monkeypatch, capsys):
    """The connection breaks at the very end: it was said that nothing was sent."""

    def fails(*_, **__):
        raise refusal

    monkeypatch.setattr("reseat.operate.verify.verify", fails)

    assert world.run("execute", "--plan", str(world.plan), "--wait") == 1
    assert str(refusal) in capsys.readouterr().err
    assert world.cluster.lists == AFTER


def test_a_run_whose_journal_is_gone_is_not_said_to_have_sent_nothing(world, monkeypatch, capsys):
    """Nor can be told how far it was."""

    def breaks(name):
        world.passes(name)
        if name == "reassigned":
            monkeypatch.setattr(Journal, "progress", gone)
            monkeypatch.setattr("reseat.operate.run.execute.look", gone)

    def gone(*_, **__):
        raise WriteRefused("The journal cannot be read (disk image is malformed).")

    world.cluster.before_call = breaks

    assert world.run("execute", "--plan", str(world.plan), "--wait") == 1
    assert "The journal cannot be read" in capsys.readouterr().err
    assert world.cluster.calls.count("reassign") == 1


@pytest.mark.parametrize(
    "words", ["elect --partition orders-0 --preferred", "create --topic new --replica-assignment 1:2,2:4"]
)
def test_what_was_sent_and_not_answered_is_not_said_to_have_sent_nothing(words, world, capsys):
    """Exit code 1: what came of it is unknown."""

    def lost(name):
        world.passes(name)
        if name in ("elect", "create_topic"):
            world.cluster.down = 1e9

    world.cluster.before_call = lost

    assert world.run(*words.split()) == 1
    assert f"reseat operate {words.split()[0]}: " in capsys.readouterr().err


@pytest.mark.parametrize("breaks", ["record_outcome", "release"])
@pytest.mark.parametrize(
    "words", ["elect --partition orders-0 --preferred", "create --topic new --replica-assignment 1:2,2:4"]
)
def test_what_was_sent_and_cannot_be_recorded_is_not_said_to_have_sent_nothing(
    words, breaks, world, monkeypatch, capsys
):
    """The disk of the journal is full just then: exit code 1."""

    def full(*_, **__):
        raise WriteRefused("The journal cannot be written (disk is full).")

    monkeypatch.setattr(Journal, breaks, full)

    assert world.run(*words.split()) == 1
    assert f"reseat operate {words.split()[0]}: It was sent, but not recorded. The journal" in capsys.readouterr().err
    assert {"elect", "create_topic"} & set(world.cluster.calls)


def test_a_user_without_a_name_is_known_by_the_number(world, monkeypatch):
    """As a container's: it read clusters, and could write to none."""

    def nobody():
        raise KeyError("uid not found: 12345")

    monkeypatch.setattr("getpass.getuser", nobody)

    assert world.run("execute", "--plan", str(world.plan), "--wait") == 0
    assert [run.operator for run in world.runs()] == [f"user id {os.getuid()}"]


def test_cancel_stops_a_run_that_nobody_carries_out(world, capsys):
    """This process settles and stops it; what was done stays, and status --json tells it."""
    interrupted(world)
    assert world.run("cancel", "--wait") == 0
    capsys.readouterr()
    assert world.run("status", "--json") == 0

    told = json.loads(capsys.readouterr().out)
    assert [(run["state"], run["alive"], run["sent"]) for run in told] == [("cancelled", False, 0)]
    assert world.cluster.dynamic == {}
    assert not world.cluster.goal


def test_a_cancel_that_this_process_sees_to_is_told_as_json(world, capsys):
    """As one that another process sees to."""
    interrupted(world)
    capsys.readouterr()

    assert world.run("cancel", "--wait", "--json") == 0
    assert json.loads(capsys.readouterr().out)["state"] == "cancelled"


def test_a_cancel_whose_journal_fails_in_the_middle_is_not_said_to_have_sent_nothing(world, monkeypatch, capsys):
    """Nor that what is in progress has stopped."""
    interrupted(world)

    def locked(*_, **__):
        raise WriteRefused("The journal is locked.")

    def breaks(name):
        world.passes(name)
        monkeypatch.setattr(Journal, "record_intent", locked)

    world.cluster.before_call = breaks

    assert world.run("cancel", "--wait") == 1
    assert capsys.readouterr().err.splitlines()[-2:] == [
        "reseat operate cancel: The journal is locked.",
        "Run 1: 0 of 6 partitions as planned, 2 in progress; Kafka continues with those. Once that is fixed, the same "
        "command continues the run.",
    ]


@pytest.mark.parametrize("words", ["cancel", "pause", "resume", "set --throttle 1"])
def test_a_journal_that_is_not_there_has_no_run_to_ask_anything_of(words, world, capsys):
    """A slip in its name made an empty one, which said that nothing was open."""
    assert world.run(*words.split()) == 2
    assert (
        capsys.readouterr().err == f"reseat operate: {world.journal}: No journal here: nothing was executed from it.\n"
    )
    assert not world.journal.exists()


def test_an_open_run_is_found_however_many_came_after_it(world, monkeypatch, capsys):
    """Of other clusters, in a fleet's journal: status did not list it, and there was nothing to cancel."""
    interrupted(world)
    journal = Journal(world.journal)
    for _ in range(201):
        make_ended(journal, monkeypatch, seconds=60, cluster="ANOTHER")
    journal.close()
    capsys.readouterr()

    assert main(["operate", "status", "--journal", str(world.journal)]) == 0
    said = capsys.readouterr().out.splitlines()
    assert [line.split()[1] for line in said if line.startswith("Run ")] == [*map(str, range(202, 182, -1)), "1"]
    assert said[-1] == "Older runs that are over are not listed; --run shows one."
    assert world.run("cancel", "--wait") == 0
    assert "Stopped" in capsys.readouterr().out


def test_cancel_needs_the_clusters_id_and_an_open_run(world, capsys):
    """As every write."""
    interrupted(world)
    assert world.run("cancel", "--wait", confirm="WRONG") == 2
    assert "cluster_confirmed" in capsys.readouterr().err
    assert world.run("cancel", "--wait") == 0
    assert world.run("cancel", "--wait") == 2
    assert "nothing to cancel" in capsys.readouterr().err


def test_interrupting_sends_nothing_further_and_waits(world, capsys):
    """Ctrl-C once: what is under way finishes, the run is cancelled, exit 1."""

    def interrupt(name):
        world.passes(name)
        if name == "reassigned":
            signal.raise_signal(signal.SIGINT)

    world.cluster.before_call = interrupt
    code = world.run("execute", "--plan", str(world.plan), "--wait", "--moves-a-broker", "2")

    assert code == 1
    assert world.runs()[0].state is RunState.CANCELLED
    assert "Press Ctrl-C again to end at once" in capsys.readouterr().err
    assert world.cluster.calls.count("reassign") == 1


@pytest.mark.parametrize("where", ["a pipe that nobody reads", "a full disk"])
def test_a_run_goes_on_to_its_end_where_its_words_cannot_be_written(where, world, monkeypatch):
    """As ``| head -1``, or a log on a full disk: it stopped half way, and left its throttles."""
    reader, writer = os.pipe()
    os.close(reader)
    if where == "a full disk":
        os.close(writer)
        writer = os.open("/dev/full", os.O_WRONLY)
    with os.fdopen(writer, "w") as nobody, monkeypatch.context() as patched:
        patched.setattr("sys.stdout", nobody)
        code = world.run("execute", "--plan", str(world.plan), "--wait", "--throttle", "1000", "--moves-a-broker", "2")

    assert world.cluster.lists == AFTER
    assert world.cluster.dynamic == {}
    assert [run.state for run in world.runs()] == [RunState.DONE]
    assert code == (0 if where.startswith("a pipe") else 1)


@pytest.mark.parametrize(
    ("numbers", "ended"),
    [((signal.SIGHUP,), RunState.DONE), ((signal.SIGINT, signal.SIGHUP), RunState.CANCELLED)],
    ids=["as it is", "after Ctrl-C"],
)
def test_a_run_goes_on_where_its_terminal_hangs_up(numbers, ended, world):
    """SIGHUP, as when the line to the machine breaks: the process ended, and the throttles stayed."""
    before = signal.getsignal(signal.SIGHUP)
    left = list(numbers)

    def hung_up(name):
        world.passes(name)
        if name == "reassigned":
            while left:
                signal.raise_signal(left.pop(0))

    world.cluster.before_call = hung_up
    world.run("execute", "--plan", str(world.plan), "--wait", "--throttle", "1000", "--moves-a-broker", "2")

    assert [run.state for run in world.runs()] == [ended]
    assert world.cluster.dynamic == {}
    assert signal.getsignal(signal.SIGHUP) is before


def test_a_termination_ends_at_once_and_cancels_nothing(world, capsys):
    """SIGTERM, as of a service that is deployed anew: exit 1, the run stays open, the same command goes on with it."""

    def terminated(name):
        world.passes(name)
        if name == "reassigned":
            signal.raise_signal(signal.SIGTERM)

    world.cluster.before_call = terminated
    words = ("execute", "--plan", str(world.plan), "--wait", "--throttle", "1000", "--moves-a-broker", "2")
    code = world.run(*words)
    world.cluster.before_call = world.passes
    (left,) = world.runs()
    sent = world.cluster.calls.count("reassign")
    capsys.readouterr()
    world.run("status")
    told = capsys.readouterr().out
    again = world.run(*words)

    assert code == 1
    assert left.state is RunState.RUNNING
    assert sent == 1
    assert "No executor is running: execute the same plan again to continue, or cancel it." in told
    assert again == 0
    assert [run.state for run in world.runs()] == [RunState.DONE]
    assert world.cluster.lists == AFTER
    assert world.cluster.dynamic == {}


def test_a_run_is_stopped_though_its_cluster_does_not_answer(world, capsys):
    """Nothing is under way and nobody is at work: the journal alone ends it, and says what is left."""
    words = interrupted(world)
    journal = Journal(world.journal)
    world.cluster.wait(10)
    world.run("status")
    journal.close()
    world.cluster.down = 1e9
    capsys.readouterr()
    code = main(["operate", "cancel", "--journal", str(world.journal), "--confirm", "FAKE"])

    assert code == 0
    assert "Stopped: 2 partitions are as planned and 4 were not sent." in capsys.readouterr().out
    assert [run.state for run in world.runs()] == [RunState.CANCELLED]
    assert words


def test_a_person_pauses_changes_and_resumes_through_the_journal(world, capsys):
    """No cluster is named: the run is found by the cluster's id; another id, no right and no run are refused."""
    interrupted(world)

    def asked(*words, confirm="FAKE"):
        return main(["operate", *words, "--journal", str(world.journal), "--confirm", confirm])

    assert asked("pause", confirm="OTHER") == 2
    assert "cluster_confirmed" in capsys.readouterr().err
    assert asked("pause") == 0
    assert "Run 1 is paused" in capsys.readouterr().out
    assert asked("set", "--throttle", "5000", "--moves-a-broker", "3") == 0
    assert "5,000 bytes/s per broker and at most 3 replica moves per broker" in capsys.readouterr().out
    assert asked("set", "--moves-a-broker", "3") == 2
    assert "continues as before" in capsys.readouterr().err
    assert asked("set", "--throttle", "none") == 0
    assert "no throttle" in capsys.readouterr().out
    assert asked("resume", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["throttle"], told["moves_a_broker"], told["paused_by"]) == (None, 3, None)
    assert world.run("cancel", "--wait") == 0
    assert asked("pause") == 2
    assert "there is nothing to pause" in capsys.readouterr().err


def test_a_schedule_is_said_kept_changed_and_lifted(world, capsys):
    """It stands in what is said first, in JSON, and goes by the words that mean none; what is none is refused."""
    words = interrupted(world)

    def asked(*words):
        return main(["operate", *words, "--journal", str(world.journal), "--confirm", "FAKE"])

    window = "22:00-06:00 Europe/Berlin"
    assert asked("set", "--order", "largest", "--window", window, "--pause-after", "9, 3") == 0
    assert (
        "largest partitions first, only during 22:00-06:00 Europe/Berlin, pausing after 3 and 9 partitions."
        in capsys.readouterr().out
    )
    assert asked("set", "--moves-a-broker", "4", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["order"], told["windows"], told["pause_after"]) == ("largest", window, [3, 9])
    with pytest.raises(SystemExit):
        asked("set", "--window", "by night")
    assert "'by night' is no window. 22:00-06:00 was expected" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        asked("set", "--pause-after", "0")
    assert "'0' is not a number of partitions" in capsys.readouterr().err
    assert asked("set", "--order", "smallest", "--window", "always", "--pause-after", "none") == 0
    assert capsys.readouterr().out.strip().endswith("at most 4 replica moves per broker at a time.")
    assert world.run(*words) == 0
    assert world.cluster.lists == AFTER


def test_the_second_operator_is_refused(world, capsys):
    """While another one holds the journal's lock nothing is approved and nothing is sent."""
    refused = []

    def second(name):
        world.passes(name)
        if name == "reassigned" and not refused:
            refused.append(world.run("execute", "--plan", str(world.plan), "--wait"))

    world.cluster.before_call = second

    assert world.run("execute", "--plan", str(world.plan), "--wait") == 0
    assert refused == [2]
    assert "one_run" in capsys.readouterr().err
    assert len(world.runs()) == 1


def test_status_makes_no_journal(world, capsys):
    """Where nothing was ever done there is nothing to make."""
    assert main(["operate", "status", "--journal", str(world.journal)]) == 2
    assert "No journal here" in capsys.readouterr().err
    assert not world.journal.exists()


def test_elections_and_topics_are_guarded_and_journaled(world, capsys):
    """Each is an intention with an outcome; without the id nothing happens."""
    placed = ("create", "--topic", "new", "--replica-assignment", "1:2,2:4")
    assert world.run(*placed, confirm="") == 2
    assert world.run(*placed) == 0
    assert world.run("elect", "--preferred", "--topic", "orders") in (0, 1)
    journal = Journal(world.journal)
    steps = journal.steps()
    journal.close()

    assert world.cluster.lists["new", 1] == [2, 4]
    assert [(step.kind, step.outcome is not None) for step in steps] == [("election", True), ("topic", True)]


@pytest.mark.parametrize("text", ['{"0":[1,2],"0":[2,4]}', '{"0":[1,2],"00":[2,4]}', '{"0":[1.5,2]}', '{"0":[true,2]}'])
def test_a_placement_that_says_two_things_is_refused(world, capsys, tmp_path, text):
    """Of two lists of a partition one would be taken, and of a number its beginning."""
    (tmp_path / "placed.json").write_text(text)

    assert world.run("create", "--topic", "new", "--placed", str(tmp_path / "placed.json")) == 2
    assert "This does not place a topic" in capsys.readouterr().err
    assert ("new", 0) not in world.cluster.lists


def test_the_journal_says_in_spite_of_what_a_topic_was_made(world):
    """As of a run: brokers 2 and 3 share a rack, and the person went on."""
    placed = ("create", "--topic", "new", "--replica-assignment", "2:3")
    assert world.run(*placed) == 2
    assert world.run(*placed, "--override", "racks_not_shared", "--override", "topic_new") == 0
    journal = Journal(world.journal)
    (step,) = journal.steps()
    journal.close()

    assert step.content["overridden"] == ["racks_not_shared"]


def losing(world):
    """orders-1 has its only in-sync copy on broker 2, which is dead; broker 1 would lead it."""
    world.cluster.dead = {2}
    world.cluster.ends = {(("orders", 1), 1): LogEnd(480, 500)}
    read = world.read

    def told(connection, **options):
        snapshot = read(connection, **options)
        layout = ClusterLayout.from_assignments(
            world.cluster.lists,
            brokers=snapshot.layout.brokers,
            leaders={key: None if key == ("orders", 1) else 1 for key in world.cluster.lists},
            in_sync={key: [2] if key == ("orders", 1) else [1] for key in world.cluster.lists},
        )
        return replace(snapshot, layout=layout)

    return told


def test_an_unclean_election_takes_exact_partitions_and_an_accepted_loss(world, capsys, monkeypatch):
    """Patterns, topics and "all" are refused; the loss is said, and nothing is sent until it is accepted."""
    monkeypatch.setattr("reseat.cli.operate.leaders.read_cluster", losing(world))
    unclean = ("elect", "--unclean", "--accept-loss")
    for named in (("--topic", "*"), ("--topic", "orders"), ()):
        assert world.run(*unclean, *named) == 2
        assert "name its partitions one by one" in capsys.readouterr().err
    assert world.run(*unclean, "--partition", "ord*-1") == 2
    assert "ord*-1" in capsys.readouterr().err
    assert world.run("elect", "--unclean", "--partition", "orders-1") == 2
    said = capsys.readouterr().err
    assert "elect" not in world.cluster.calls
    assert world.run(*unclean, "--partition", "orders-1") in (0, 1)

    assert "at least 20 acknowledged offsets are lost" in capsys.readouterr().err  # said also once it is accepted
    assert "orders-1: broker 1 would lead, which is not in sync; the last in-sync copy is on broker 2." in said
    assert "at least 20 acknowledged offsets are lost" in said
    assert "loss_accepted" in said
    assert world.cluster.calls.count("elect") == 1


def test_an_election_that_a_way_cannot_hold_leaves_no_step_open(world, capsys, monkeypatch):
    """Through ZooKeeper's nodes there is no unclean election: said, exit 2, and the journal knows that nothing went."""
    monkeypatch.setattr("reseat.cli.operate.leaders.read_cluster", losing(world))

    def refused(self, election, partitions):
        raise WishRefused("An unclean election cannot be requested through ZooKeeper's nodes.")

    monkeypatch.setattr("tests.operate.fake_target.FakeTarget.elect", refused)

    assert world.run("elect", "--unclean", "--accept-loss", "--partition", "orders-1") == 2
    journal = Journal(world.journal)
    steps = journal.steps()
    journal.close()
    assert "ZooKeeper's nodes" in capsys.readouterr().err
    assert [(step.kind, "refused" in (step.outcome or {})) for step in steps] == [("election", True)]


def test_a_short_write_waits_for_nobody_at_work(world, capsys):
    """While somebody else works on the cluster neither an election nor a topic is sent."""
    journal = Journal(world.journal)
    with journal.lease("FAKE", operator="bob"):
        assert world.run("elect", "--preferred") == 2
        assert world.run("create", "--topic", "new", "--replica-assignment", "1:2") == 2
    journal.close()

    assert "bob" in capsys.readouterr().err
    assert not {"elect", "create_topic"} & set(world.cluster.calls)


def test_no_secret_shows(world, capsys, caplog, tmp_path):
    """Not in output, logs of any level, journal or any file beside it."""
    caplog.set_level(logging.DEBUG)
    interrupted(world)
    world.run("status")
    world.run("execute", "--plan", str(world.plan), "--wait", "--throttle", "1000")
    said = capsys.readouterr()

    assert SECRET not in said.out + said.err + caplog.text
    found = [file for file in tmp_path.rglob("*") if file.is_file() and SECRET.encode() in file.read_bytes()]
    assert found == [world.config]


def test_a_cluster_is_named_as_in_secrets_toml(world, capsys, monkeypatch, tmp_path):
    """Status asks the cluster of that name; one that is not there is refused, and nothing is sent."""
    monkeypatch.setenv("RESEAT_CLUSTER_SHOP_BOOTSTRAP", "fake:9092")
    words = ["--journal", str(world.journal), "--confirm", "FAKE", "--plan", str(world.plan), "--wait"]

    assert main(["operate", "execute", "--cluster", "shop", *words]) == 0
    assert [run.cluster for run in world.runs()] == ["shop"]
    capsys.readouterr()
    assert main(["operate", "execute", "--cluster", "shops", *words]) == 2
    assert "No cluster is called 'shops' (configured: shop)" in capsys.readouterr().err
    assert len(world.runs()) == 1


def test_an_open_run_is_not_taken_back(world, capsys):
    """It is to be cancelled first."""
    interrupted(world)
    assert world.run("rollback", "--wait") == 2
    assert "is not over" in capsys.readouterr().err
    journal = Journal(world.journal)
    carry_out(world.cluster.target(), journal, 1, stop=threading.Event(), pace=world.cluster.pace())
    journal.close()
    assert world.run("rollback", "--wait") == 0
    assert world.cluster.lists == BEFORE


def test_going_on_heeds_what_is_asked_for_now(world, capsys):
    """A throttle that proved too low is raised by the same command with another one."""
    words = interrupted(world)
    assert world.run(*words[:5], "9000", *words[6:]) == 0

    said = capsys.readouterr().err
    assert "From now on: a throttle of" in said
    assert world.runs()[0].options.throttle == 9_000
    assert world.runs()[0].options.max_concurrent_moves_per_broker == 2
    assert world.cluster.dynamic == {}


@pytest.mark.parametrize("words", [["execute", "--plan", "PLAN"], ["cancel"]])
def test_a_run_goes_on_by_the_protocol_that_it_was_approved_for(words, world, monkeypatch, capsys):
    """Also where ZooKeeper is named as well, through which nothing can be cancelled."""
    opened = []

    def open_target(connection, protocol=None):
        target = world.cluster.target()
        target.protocol = protocol or connection.protocol
        opened.append(target.protocol)
        return target

    monkeypatch.setattr("reseat.cli.operate.session.open_target", open_target)
    interrupted(world)
    opened.clear()
    named = [str(world.plan) if word == "PLAN" else word for word in words]

    assert world.run(*named, "--wait", "--zookeeper", "zk:2181") == 0
    assert opened == ["zookeeper", "admin"]
    assert "continues through" not in capsys.readouterr().err


def test_a_cordon_is_not_asked_for_half_way(world, capsys):
    """An interrupted run goes on as it began: brokers that it empties would go on without the cordon that was asked."""
    words = interrupted(world)
    sent = list(world.cluster.goal)

    assert world.run(*words, "--cordon") == 2
    assert "began without a cordon: continue it without --cordon" in capsys.readouterr().err
    assert [key for key, ids in world.cluster.lists.items() if ids == AFTER[key]] == sent
    assert world.run(*words) == 0


def test_what_was_overridden_and_the_way_are_in_the_journal(world, capsys):
    """Status tells in spite of what a run began."""
    world.cluster.lists["orders", 4] = [1, 3]
    assert world.run("execute", "--plan", str(world.plan), "--wait") == 2
    assert "layout_unchanged" in capsys.readouterr().err
    assert world.run("execute", "--plan", str(world.plan), "--wait", "--override", "layout_unchanged") == 0
    capsys.readouterr()
    assert world.run("status", "--json") == 0

    (told,) = json.loads(capsys.readouterr().out)
    assert (told["way"], told["overridden"]) == ("admin", ["layout_unchanged"])


def test_a_journal_that_fails_in_the_middle_is_not_called_nothing_sent(world, capsys, monkeypatch):
    """Exit 1 with what is under way and how to go on."""
    taken = []

    def full(self, step_id, outcome, **_):
        taken.append(step_id)
        raise WriteRefused("The journal cannot be written (disk full); nothing is sent without it.")

    monkeypatch.setattr(Journal, "record_outcome", full)
    code = world.run("execute", "--plan", str(world.plan), "--wait", "--moves-a-broker", "2")

    said = capsys.readouterr().err
    assert code == 1
    assert taken
    assert "0 of 6 partitions as planned, 2 in progress; Kafka continues with those" in said


def test_a_plan_made_by_hand_is_judged_by_what_was_looked_at(world, capsys, tmp_path):
    """What it changes is said; with --shown the cluster must be as in that layout, else as it is now."""
    by_hand = tmp_path / "hand.json"
    by_hand.write_text('{"version":1,"partitions":[{"topic":"orders","partition":0,"replicas":[1,3]}]}')
    looked_at = tmp_path / "looked-at.json"
    lists = [{"topic": "orders", "partition": 0, "replicas": [1, 4]}]
    looked_at.write_text(json.dumps({"version": 1, "partitions": lists}))
    refused = world.run("execute", "--plan", str(by_hand), "--shown", str(looked_at), "--wait")
    said = capsys.readouterr().err
    lists[0]["replicas"] = [1, 2]
    looked_at.write_text(json.dumps({"version": 1, "partitions": lists}))

    assert refused == 2
    assert f"is validated against {looked_at} (--shown), where it changes 1 partition: orders-0 [1,4] -> [1,3]." in said
    assert "layout_unchanged" in said
    assert "orders-0 was [1,4], is [1,2]" in said
    assert "reassign" not in world.cluster.calls
    assert world.run("execute", "--plan", str(by_hand), "--shown", str(looked_at), "--wait") == 0
    capsys.readouterr()
    assert world.run("execute", "--plan", str(by_hand), "--wait") == 2
    assert "validated against the live cluster, where it changes 0 partitions: nothing." in capsys.readouterr().err
