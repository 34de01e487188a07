"""Moves between log directories, against a cluster in memory: carried out, cancelled, taken back, and what is told."""

from __future__ import annotations

import json
import threading
from dataclasses import replace

import pytest

from reseat.formats.documents.sealed import read_sealed
from reseat.operate.journal.journal import Approval, PlannedMove
from reseat.operate.journal.records import RunOptions, RunState
from reseat.operate.run.execute import carry_out, reconcile
from reseat.operate.run.newcomers import into_directories
from reseat.operate.run.places import Place, as_shown, between_directories, with_directories
from reseat.operate.verify import verify
from tests.operate.fake_target import FakeCluster, FakeTarget

#: Four partitions; those of broker 1 lie in /a and go to /b, that of broker 2 in /a stays.
LISTS = {("orders", i): [1, 2] for i in range(4)}


def cluster_of(**choices):
    """A cluster whose replicas lie in /a."""
    disks = {(topic, one, broker): "/a" for (topic, one), ids in LISTS.items() for broker in ids}
    return FakeCluster({key: list(ids) for key, ids in LISTS.items()}, disks=disks, **choices)


def naming(path, brokers=(1,)):
    """The text that names this directory for these brokers' replicas."""
    entries = [
        {"topic": topic, "partition": one, "replicas": ids, "log_dirs": [path if b in brokers else "any" for b in ids]}
        for (topic, one), ids in LISTS.items()
    ]
    return json.dumps({"version": 1, "partitions": entries})


def approve(journal, brokers=(1,), **options):
    """An approved run from /a to /b."""
    moves = [PlannedMove(*key, tuple(ids), tuple(ids), 50) for key, ids in LISTS.items()]
    texts = naming("/b", brokers), naming("/a", brokers)
    return journal.approve(Approval("FAKE", "fake", *texts, "h", "ann", moves, RunOptions(**options)))


def carried(cluster, journal, run):
    """The run as it ended."""
    return carry_out(cluster.target(), journal, run.id, stop=threading.Event(), pace=cluster.pace())


def lies(cluster, broker):
    """In which directories the replicas of a broker are."""
    return [path for (_, _, of), path in sorted(cluster.disks.items()) if of == broker]


def test_replicas_lie_as_planned_and_nothing_else_changed(journal):
    """No list is sent; the broker's throttle is set first and comes back; the journal says which directories."""
    cluster = cluster_of(dynamic={("directory_rate", "1"): "77", ("leader_rate", "1"): "5"})
    run = approve(journal, max_concurrent_moves_per_broker=2, throttle=1_000)
    ended = carried(cluster, journal, run)
    batches = [step.content["targets"] for step in journal.steps(run_id=run.id, kind="batch")]
    (throttles,) = journal.steps(run_id=run.id, kind="throttles")

    assert ended.state is RunState.DONE
    assert ended.sentence == "Done: all 4 partitions are as planned, seen twice."
    assert (lies(cluster, 1), lies(cluster, 2)) == (["/b"] * 4, ["/a"] * 4)
    assert "reassign" not in cluster.calls
    assert batches[-1] == {"orders-0": ["1:/b"], "orders-1": ["1:/b"]}
    assert throttles.content["set"]["directory_rate"] == [[1, "1000"]]
    assert throttles.content["set"]["leader_rate"] == []
    assert cluster.dynamic == {("directory_rate", "1"): "77", ("leader_rate", "1"): "5"}
    assert [str(move.target[0]) for move in as_shown(run, journal.moves(run.id))] == ["1:/b"] * 4


def test_through_zookeeper_no_directory_is_asked_for(journal):
    """No node names any: the run goes on with the target as it is, whatever its plan says."""
    target = cluster_of().target()
    moves = [PlannedMove("orders", 0, (2,), (1, 2), 50)]
    run = journal.approve(Approval("FAKE", "fake", naming("/b"), naming("/a"), "h", "ann", moves))
    asked = journal.moves(run.id)

    assert into_directories(target, replace(run, protocol="zookeeper"), asked) is target
    assert into_directories(target, run, asked) is not target


def test_places_are_told_from_the_first_question_on(journal):
    """Whatever is asked first; one whose list is being changed, or that has lost a broker, is told as it is."""
    cluster = cluster_of(rate=0.0)
    run = approve(journal)
    moves = journal.moves(run.id)
    target, _ = with_directories(between_directories(run, moves), cluster.target(), moves)

    assert {str(one) for one in target.alive() if isinstance(one, Place)} == {"1:/a", "1:/b"}

    cluster.start(("orders", 0), [1, 3])
    cluster.lists["orders", 1] = [2, 3]
    told = target.assignments([("orders", 0), ("orders", 1), ("orders", 2)])

    assert (told["orders", 0].replicas, told["orders", 0].adding) == ((1, 3, 2), (3,))
    assert told["orders", 1].replicas == (2, 3)
    assert [str(one) for one in told["orders", 2].replicas] == ["1:/a"]


def test_bytes_refusals_and_lost_directories_are_told_as_the_brokers_tell_them(journal, monkeypatch):
    """20 of 50 bytes of a copy, all of one that is done; a copy that cannot be dropped; a directory that is gone."""
    one, two = ("orders", 0), ("orders", 1)
    moving = {("orders", 0, 1): ["/b", 20.0], ("orders", 1, 1): ["/b", 0.0]}
    cluster = cluster_of(rate=0.0, moving=moving, refuse_move={("orders", 1, 1): "KAFKA_STORAGE_ERROR"})
    moves = journal.moves(approve(journal).id)
    target, _ = with_directories(between_directories(journal.runs()[0], moves), cluster.target(), moves)

    def copied():
        return {(key, str(place)): told for (key, place), told in target.copied([one, two], []).items()}

    assert copied() == {(one, "1:/b"): 20, (two, "1:/b"): 0}
    assert target.cancel([one, two]) == {one: None, two: "KAFKA_STORAGE_ERROR"}
    cluster.disks["orders", 0, 1] = "/b"
    assert copied() == {(one, "1:/b"): 50, (two, "1:/b"): 0}
    assert {str(one) for one in target.alive() if isinstance(one, Place)} == {"1:/a", "1:/b"}

    def without_b(self, partitions, brokers):
        seen = directories(self, partitions, brokers)
        return replace(seen, online=frozenset(place for place in seen.online if place[1] != "/b"))

    directories = FakeTarget.directories
    monkeypatch.setattr(FakeTarget, "directories", without_b)
    target.reassigning()
    assert {str(one) for one in target.alive() if isinstance(one, Place)} == {"1:/a"}


def test_a_cancel_drops_what_is_being_copied(journal):
    """What is there stays, what is under way lies where it was, what waits is not sent; the throttle comes back."""
    cluster = cluster_of(rate=1.0)
    run = approve(journal, max_concurrent_moves_per_broker=1, throttle=1_000)
    cluster.before_call = lambda name: journal.request_stop(run.id, cancel=True) if name == "moved" else None
    ended = carried(cluster, journal, run)

    assert ended.state is RunState.CANCELLED
    assert cluster.moving == {}
    assert lies(cluster, 1) == ["/a"] * 4
    assert cluster.dynamic == {}


def test_what_somebody_else_moves_elsewhere_ends_the_run(journal):
    """One that is under way to another directory, and one that waits and lies elsewhere: told, and left alone."""
    cluster = cluster_of(rate=1.0)
    run = approve(journal, max_concurrent_moves_per_broker=1)
    moved = []

    def once(name):
        if name == "moved" and not moved:
            moved.append(name)
            cluster.moving["orders", 0, 1] = ["/c", 0.0]

    cluster.before_call = once
    ended = carried(cluster, journal, run)

    assert ended.state is RunState.FAILED
    assert "orders-0 was changed by somebody else during this run" in ended.sentence
    assert "1:/c" in ended.sentence
    assert {move.now for move in journal.moves(run.id)} == {()}  # the journal knows brokers, and no places
    assert lies(cluster, 1)[1:] == ["/a"] * 3


def test_a_partition_of_which_one_replica_is_refused_stays_where_it_is(journal):
    """The other one is taken back: never half."""
    cluster = cluster_of(refuse_move={("orders", 1, 2): "KAFKA_STORAGE_ERROR"})
    run = approve(journal, brokers=(1, 2))
    ended = carried(cluster, journal, run)

    assert ended.state is RunState.FAILED
    assert "KAFKA_STORAGE_ERROR" in ended.sentence
    assert lies(cluster, 1) == lies(cluster, 2) == ["/b", "/a", "/b", "/b"]


def test_a_broker_that_is_away_meanwhile_goes_on_where_it_was(journal):
    """Nobody is accused, and the run ends once the broker is back; nothing is sent to a broker that is dead."""
    cluster = cluster_of(rate=10.0)
    run = approve(journal, max_concurrent_moves_per_broker=2)
    away = []

    def dies(name):
        if name == "moved" and not away:
            cluster.dead.add(1)
            away.append(cluster.clock)
        if away and cluster.clock > away[0] + 60:
            cluster.dead.discard(1)

    cluster.before_call = dies
    ended = carried(cluster, journal, run)

    assert ended.state is RunState.DONE
    assert cluster.clock > 60
    assert lies(cluster, 1) == ["/b"] * 4


def test_a_cordoned_directory_holds_what_goes_there(journal):
    """Kafka would refuse it (39): nothing is sent until the cordon is gone, and it is said."""
    cluster = cluster_of(closed_paths={(1, "/b")})
    run = approve(journal)
    said = []

    def later(name):
        if cluster.clock > 30:
            cluster.closed_paths.clear()

    cluster.before_call = later
    ended = carry_out(
        cluster.target(), journal, run.id, stop=threading.Event(), pace=cluster.pace(), report=said.append
    )

    assert ended.state is RunState.DONE
    assert any("1:/b" in one and "cordoned" in one for one in said), said
    assert "move" not in cluster.calls[: cluster.calls.index("cordoned") if "cordoned" in cluster.calls else 1]


def test_a_run_left_behind_is_settled_and_goes_on(journal):
    """Its executor is gone with copies under way: recovery leaves them and the throttle, whoever goes on ends it."""
    cluster = cluster_of(rate=1.0)
    run = approve(journal, max_concurrent_moves_per_broker=1, throttle=1_000)
    interrupt = threading.Event()
    cluster.before_call = lambda name: interrupt.set() if name == "moved" else None
    left = carry_out(cluster.target(), journal, run.id, interrupt=interrupt, pace=cluster.pace())
    said = reconcile(cluster.target(), journal, pace=cluster.pace())
    throttled = dict(cluster.dynamic)
    cluster.before_call = lambda name: None
    ended = carried(cluster, journal, run)

    assert left.state is RunState.RUNNING
    assert len(said) == 1
    assert throttled == {("directory_rate", "1"): "1000"}
    assert ended.state is RunState.DONE
    assert cluster.dynamic == {}


def test_whoever_goes_on_waits_for_a_broker_that_is_away(journal):
    """What was sent to it counts as being copied until it says otherwise: nobody is accused of taking it back."""
    cluster = cluster_of(rate=1.0)
    run = approve(journal)
    interrupt = threading.Event()
    cluster.before_call = lambda name: interrupt.set() if name == "moved" else None
    carry_out(cluster.target(), journal, run.id, interrupt=interrupt, pace=cluster.pace())
    cluster.dead.add(1)
    began = cluster.clock
    cluster.before_call = lambda name: cluster.dead.clear() if cluster.clock > began + 90 else None
    ended = carried(cluster, journal, run)

    assert ended.state is RunState.DONE
    assert lies(cluster, 1) == ["/b"] * 4


@pytest.mark.parametrize(("path", "words"), [("/b", "orders-0 on broker 1 in /a, planned /b"), ("/a", "")])
def test_verifying_looks_into_directories(path, words):
    """A replica in another directory than the plan names is told, with both."""
    cluster = cluster_of()
    found = verify(cluster.target(), read_sealed(naming(path)))

    assert found.holds is (path == "/a")
    assert words in " ".join(found.sentences)


def test_verifying_tells_what_is_being_copied():
    """It is on its way, and neither there nor elsewhere."""
    cluster = cluster_of(moving={("orders", one, 1): ["/b", 0.0] for one in range(4)})
    found = verify(cluster.target(), read_sealed(naming("/b")))

    assert not found.holds
    assert found.elsewhere == ()
    assert found.copied[0] == "orders-0 on broker 1 to /b"


def test_what_one_broker_tells_does_not_make_forget_what_another_told(journal, monkeypatch):
    """Of two partitions on a broker each, one is asked for; a place that no plan names has a number that fits too."""
    cluster = cluster_of(rate=0.0)
    run = approve(journal, brokers=(1, 2))
    moves = journal.moves(run.id)
    told = between_directories(run, moves)
    one, two = ("orders", 0), ("orders", 1)
    halves = replace(
        told,
        before={one: {1: told.before[one][1]}, two: {2: told.before[two][2]}},
        target={one: {1: told.target[one][1]}, two: {2: told.target[two][2]}},
    )
    target, _ = with_directories(halves, cluster.target(), moves[:2])

    def places():
        return sorted(str(place) for place in target.alive() if isinstance(place, Place))

    assert places() == ["1:/a", "1:/b", "2:/a", "2:/b"]
    target.assignments([one])
    assert places() == ["1:/a", "1:/b", "2:/a", "2:/b"]
    cluster.disks["orders", 1, 2] = "/c"
    (place,) = target.assignments([two])[two].replicas
    assert (str(place), place < 2**31) == ("2:/c", True)
    cluster.dead.add(1)
    assert places() == ["2:/a", "2:/b"]

    asked, directories = [], FakeTarget.directories
    monkeypatch.setattr(
        FakeTarget, "directories", lambda self, rows, brokers: asked.append(rows) or directories(self, rows, brokers)
    )
    target.cordoned([place])
    assert asked == [[one]]


def test_a_partition_all_of_whose_replicas_move_is_told_as_places(journal):
    """Its list holds no broker whose replica stays."""
    cluster = cluster_of(rate=0.0)
    run = approve(journal, brokers=(1, 2))
    moves = journal.moves(run.id)
    target, _ = with_directories(between_directories(run, moves), cluster.target(), moves)

    assert [str(place) for place in target.assignments([("orders", 0)])["orders", 0].replicas] == ["1:/a", "2:/a"]
