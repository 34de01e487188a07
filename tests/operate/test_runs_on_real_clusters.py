"""Plans carried out on real clusters of both kinds, from the command line and through every fault that can be made."""

from __future__ import annotations

import itertools
import json
import os
import re
import signal
import threading
from collections import Counter
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import pytest

from reseat.cli import main
from reseat.errors import ClusterUnreachable
from reseat.formats.documents.snapshot import read_snapshot
from reseat.formats.text.commands import election_command
from reseat.model import NONE
from reseat.operate.journal.journal import Approval, PlannedMove
from reseat.operate.journal.records import RunOptions, RunState
from reseat.operate.run import runner, wishes
from reseat.operate.run.execute import carry_out, reconcile
from reseat.operate.targets.opening import open_target
from reseat.operate.targets.patience import Patience
from reseat.operate.targets.target import Election, Throttles
from reseat.placement.topic_spec import TopicSpec
from reseat.schedule.windows import read_windows
from reseat.sources.live import read_cluster
from tests.operate.live_cluster import OpenTarget, connection_to, controller_of, create_everywhere, fill, running, until
from tests.servers.cluster import KINDS as EVERY_KIND

pytestmark = pytest.mark.kafka

#: Bytes a second. A broker still takes about a megabyte each eleven seconds, so eight of them outlast any fault.
SLOW = 1_000
#: How the sentence of a run begins that is at work.
_COUNTS = re.compile(r"[0-9]+ of ")
KINDS = ("kraft-4.1", "zookeeper-2.8")


#: Long tests of what hardly depends on the kind of cluster: on KRaft each time, on ZooKeeper among the long ones.
ON_KRAFT = pytest.mark.parametrize(
    "cluster", [pytest.param("zookeeper-2.8", marks=pytest.mark.slow), "kraft-4.1"], indirect=True
)
#: The same, and on the newest Kafka among the long ones too.
ON_EVERY_KIND = pytest.mark.parametrize(
    "cluster",
    [pytest.param(kind, marks=() if kind == "kraft-4.1" else pytest.mark.slow) for kind in EVERY_KIND],
    indirect=True,
)


@pytest.fixture(scope="module", params=KINDS)
def cluster(request, tmp_path_factory):
    """Four brokers of each kind."""
    yield from running(request.param, tmp_path_factory.mktemp(request.param))


@pytest.fixture(scope="module")
def target(cluster):
    """The cluster, through the Admin protocol."""
    opened = OpenTarget(connection_to(cluster))
    yield opened
    opened.close()


@pytest.fixture
def enabled(monkeypatch):
    """Writing is enabled."""
    monkeypatch.setenv("RESEAT_OPERATE", "1")


@pytest.fixture
def sockets_closed(monkeypatch):
    """kafka-python leaves the sockets of refused connections open: they are closed when the test is over."""
    from kafka.net.inet import KafkaNetSocket

    opened = []
    make = KafkaNetSocket.socket

    def kept(self, *arguments, **named):
        opened.append(make(self, *arguments, **named))
        return opened[-1]

    monkeypatch.setattr(KafkaNetSocket, "socket", kept)
    yield
    for one in opened:
        try:
            one.getpeername()
        except OSError:  # never connected, or closed already
            one.close()


def lists_of(target, topic, count):
    """The replica lists of a topic now, by partition."""
    return {partition: told.replicas for (_, partition), told in _told(target, topic, count).items()}


def in_sync(target, topic, count):
    """Whether every replica of a topic has caught up; a topic that is not there has none that has not."""
    return all(set(told.in_sync) == set(told.replicas) for told in _told(target, topic, count).values())


def leader_of(target, topic):
    """The broker that leads a topic's partition 0 now."""
    return target.assignments([(topic, 0)])[(topic, 0)].leader


def leaderless(snapshot):
    """How many partitions of a snapshot's file have no leader."""
    return int((read_snapshot(Path(snapshot).read_text(encoding="utf-8")).layout.leader == NONE).sum())


def known_dead(snapshot):
    """The brokers that a snapshot's file knows to be dead."""
    layout = read_snapshot(Path(snapshot).read_text(encoding="utf-8")).layout
    return layout.broker_ids[layout.dead].tolist()


def _told(target, topic, count):
    return target.assignments([(topic, partition) for partition in range(count)])


def made(cluster, target, topic, lists, megabytes=0, **configs):
    """A topic with these lists, filled; settings by their names with _ for a dot."""
    named = tuple((key.replace("_", "."), value) for key, value in configs.items())
    assert create_everywhere(target, TopicSpec.placed(topic, dict(enumerate(lists)), configs=named)).differences == ()
    if megabytes:
        fill(cluster, topic, megabytes)


def deleted(target, *topics):
    """These topics are no more, as every broker tells it."""
    from kafka.protocol.admin import DeleteTopicsRequest
    from kafka.protocol.metadata import MetadataRequest

    names = [DeleteTopicsRequest.DeleteTopicState(name=topic) for topic in topics]
    target.client.send(DeleteTopicsRequest(topics=names, timeout_ms=10_000), broker="controller")

    def knows(broker):
        told = target.client.send(MetadataRequest(topics=None), broker=broker)
        return not {topic.name for topic in told.topics}.isdisjoint(topics)

    assert until(lambda: not any(knows(broker) for broker in target.alive()))


def approve(journal, target, topic, moves, *, throttle=None, most=50):
    """An approved run: (before, after) by partition."""
    planned = [
        PlannedMove(topic, partition, tuple(before), tuple(after)) for partition, (before, after) in moves.items()
    ]
    options = RunOptions(most, throttle)
    return journal.approve(Approval(target.cluster_id(), "real", "{}", "{}", "h", "ann", planned, options))


class Refusing:
    """A target of which every call is refused while an event is set."""

    def __init__(self, target, barred):
        self._target, self._barred = target, barred

    def __getattr__(self, name):
        real = getattr(self._target, name)
        if not callable(real):
            return real

        def call(*arguments, **named):
            if self._barred.is_set():
                raise ClusterUnreachable("The directory is being restarted.", "authentication")
            return real(*arguments, **named)

        return call


@contextmanager
def operating(cluster, journal, run, *, zookeeper=False, barred=None):
    """An operator at work in a thread; joined at the end, however the test ends.

    ``barred``: while it is set, every call is refused as if the cluster did not let the operator in.
    """
    stop, ended = threading.Event(), []

    def work():
        connection = connection_to(cluster, zookeeper=zookeeper)
        target = open_target(connection)
        seen = target if barred is None else Refusing(target, barred)
        try:
            ended.append(carry_out(seen, journal, run.id, stop=stop, read=partial(read_cluster, connection)))
        finally:
            target.close()

    thread = threading.Thread(target=work)
    thread.start()
    try:
        assert until(lambda: journal.progress(run.id).sent > 0)
        yield ended
    finally:
        if not until(lambda: not thread.is_alive(), 90):
            stop.set()
        thread.join(60)
    assert not thread.is_alive()


def hurry(target, topic, ended):
    """Take the topic out of the throttle until the run has ended, so that what is under way is copied soon.

    Again and again, as the run throttles it anew for a broker that comes back; at its end it leaves it like this.
    """

    def once():
        with suppress(ClusterUnreachable):  # the run set it at the same moment
            target.set_throttles(Throttles(leader_replicas={topic: None}, follower_replicas={topic: None}))
        return bool(ended)

    assert any(once() for _ in Patience(90, pause=3, longest=3).attempts())


def no_throttles(target, *topics):
    """Whether no throttle is set anywhere."""
    told = target.throttles(sorted(target.alive()), list(topics))
    return not any(
        value
        for values in (told.leader_rate, told.follower_rate, told.leader_replicas, told.follower_replicas)
        for value in values.values()
    )


def test_from_the_command_line_and_back_at_the_start(cluster, target, tmp_path, enabled, capsys):
    """A broker is drained, Kafka's own tool says that it is done; rolled back, Kafka describes what it did before.

    Where there is ZooKeeper, the way there goes through its nodes and the way back through the Admin protocol.
    """
    made(cluster, target, "drained", [[1, 2], [2, 3], [3, 4], [4, 1], [4, 2]], megabytes=1)
    start = lists_of(target, "drained", 5)
    admin = ["--bootstrap", cluster.bootstrap]
    protocol = ["--zookeeper", cluster.zookeeper] if cluster.zookeeper else admin
    snapshot, plan, journal = (str(tmp_path / name) for name in ("snapshot.json", "plan.json", "journal.sqlite"))
    operate = ["--journal", journal, "--confirm", target.cluster_id(), "--wait", "--throttle", "10000000"]
    assert main(["snapshot", *protocol, "--output", snapshot]) == 0
    assert main(["plan", snapshot, "--remove", "4", "--without-internal", "--output", plan]) == 0
    code = main(["operate", "execute", *protocol, "--plan", plan, *operate])
    said = capsys.readouterr()
    verified = cluster.tool("reassign", "--reassignment-json-file", plan, "--verify")
    drained = until(lambda: not any(4 in ids for ids in lists_of(target, "drained", 5).values()))
    seen = main(["operate", "verify", *admin, "--journal", journal])
    back = main(["operate", "rollback", *admin, *operate])

    assert code == 0, said
    assert verified.count("is complete") == len(json.loads((tmp_path / "plan.json").read_text())["partitions"])
    assert drained
    assert seen == 0
    assert back == 0
    assert until(lambda: lists_of(target, "drained", 5) == start)
    assert until(lambda: no_throttles(target, "drained"))
    assert main(["operate", "rollback", *admin, *operate]) == 2
    assert "Nothing to roll back" in capsys.readouterr().err
    deleted(target, "drained")  # one of its partitions is on all of a rack, which no plan within racks can be made of


@ON_EVERY_KIND
@pytest.mark.usefixtures("enabled")
@pytest.mark.parametrize(
    "change",
    [
        "--rebalance",
        "--leaders-only",
        *(
            pytest.param(change, marks=pytest.mark.slow)
            for change in (
                "--mend-racks",
                "--mend",
                "--replace 2:3",
                "--rebalance --remove 2 --never-leads 4 --never-onto 3",
                "--remove 4 --receive-cap 4 --reorder-all",
                "--remove-rack c",
                "--replication-factor 3 --topics TOPIC",
                "--rebalance --by-bytes",
                "--rebalance --keep-racks --pin TOPIC:0",
                "--rebalance --even-topics",
                "--rebalance --max-bytes 2MB",
                "--rebalance --only-onto TOPIC=1,rack:b",
                "--rebalance --keep-apart TOPIC,BESIDE",
                "--rebalance --capacity 1=4 --capacity 2=1GB",
                "--leaders-only --leader-racks b,a",
                "--remove 4 --same-rack",
                "--add 3 --add 4",
            )
        ),
    ],
)
def test_a_plan_of_each_kind_and_rule_is_carried_out_and_rolled_back(cluster, target, tmp_path, capsys, change):
    """All ends where the plan says; of leaders alone nothing is copied; then all is as it was."""
    topic = re.sub("[ :,=]+", "-", f"uneven{change}").lower()
    fourth = [3, 4] if "--same-rack" in change else [1, 4]  # 1 and 4 are one rack: nothing of it could stay there
    made(cluster, target, topic, [[1, 2]] * 4 + [fourth, [3, 2]], megabytes=1)
    made(cluster, target, f"{topic}-beside", [[4, 3]] * 2)
    if change == "--mend":  # one of another factor than the topic's, which no topic can be made with
        assert target.reassign({(topic, 0): [1, 2, 3]}) == {(topic, 0): None}
        assert until(lambda: in_sync(target, topic, 6) and not target.reassigning())
    change = change.replace("TOPIC", topic).replace("BESIDE", f"{topic}-beside")
    admin = ["--bootstrap", cluster.bootstrap]
    snapshot, plan, journal = (str(tmp_path / name) for name in ("snapshot.json", "plan.json", "journal.sqlite"))
    operate = ["--journal", journal, "--confirm", target.cluster_id(), "--wait", "--throttle", "10000000"]
    assert main(["snapshot", *admin, "--output", snapshot]) == 0
    assert main(["plan", snapshot, *change.split(), "--without-internal", "--output", plan]) == 0
    planned = {
        (one["topic"], one["partition"]): tuple(one["replicas"])
        for one in json.loads((tmp_path / "plan.json").read_text())["partitions"]
    }

    def now():
        return {key: tuple(told.replicas) for key, told in target.assignments(list(planned)).items()}

    start = now()
    code = main(["operate", "execute", *admin, "--plan", plan, *operate])
    said, after = capsys.readouterr(), now()
    back = main(["operate", "rollback", *admin, *operate])
    ended = until(lambda: now() == start)
    deleted(target, topic, f"{topic}-beside")  # so that the next plan has no other to move
    moved = [key for key in planned if set(planned[key]) != set(start[key])]

    assert code == 0, said
    assert after == planned
    assert bool(moved) == (not change.startswith("--leaders-only"))
    assert planned != start
    assert back == 0, capsys.readouterr()
    assert ended


@pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning")
@pytest.mark.usefixtures("sockets_closed")
def test_a_dead_broker_is_drained(cluster, target, tmp_path, enabled, capsys):
    """What has a copy elsewhere moves; what has none is named, left out and not called drained; nor is who is dead."""
    made(cluster, target, "survives", [[1, 4], [4, 2], [2, 3]])
    made(cluster, target, "stranded", [[4]])
    protocol = ["--zookeeper", cluster.zookeeper] if cluster.zookeeper else ["--bootstrap", cluster.bootstrap]
    snapshot, plan, journal = (str(tmp_path / name) for name in ("snapshot.json", "plan.json", "journal.sqlite"))
    operate = ["operate", "execute", *protocol, "--plan", plan, "--journal", journal, "--confirm", target.cluster_id()]
    # On a busy machine a follower lags behind for a while: killed then, broker 4 would take more than its own with it.
    assert until(lambda: in_sync(target, "survives", 3))
    cluster.stop_broker(4, kill=True)
    try:
        assert until(lambda: 4 not in target.alive())
        # Was broker 4 the controller, the next one first notes its partitions as leaderless, and then elects.
        assert until(lambda: main(["snapshot", *protocol, "--output", snapshot]) == 0 and leaderless(snapshot) == 1)
        planned = ["plan", snapshot, "--remove", "4", "--without-internal", "--output", plan]
        assert main([*planned, "--keep-unmovable"]) == 0
        capsys.readouterr()
        refused = main([*operate, "--wait", "--throttle", "10000000"])
        why = capsys.readouterr().err
        assert main(planned) == 0
        told = capsys.readouterr().out
        code = main([*operate, "--wait", "--throttle", "10000000", "--override", "leaving_brokers_since"])
        said = capsys.readouterr()
        lists = lists_of(target, "survives", 3)
    finally:
        cluster.start_broker(4)
        assert until(lambda: 4 in target.alive())

    assert refused == 2
    assert "movable: 1 partition cannot be moved" in why
    assert "stranded-0" in why
    assert "1 partition has no live in-sync replica and cannot be moved: stranded-0" in told
    assert code == 1, said
    assert "partitions are as planned, seen twice" in said.out
    assert "Broker 4 has 1 partition yet: stranded-0." in said.out
    assert not any(4 in ids for ids in lists.values())
    assert until(lambda: no_throttles(target, "survives"))


@pytest.mark.slow
@ON_EVERY_KIND
@pytest.mark.usefixtures("enabled")
def test_partitions_are_mended_of_a_broker_that_died_and_rolled_back_once_it_is_back(cluster, target, tmp_path, capsys):
    """Its replicas go to live brokers, the factor that differs is the topic's again; then all is as it was.

    To KRaft a broker that died is fenced, as one that starts is; dead is what was unregistered.
    """
    made(cluster, target, "mended", [[4, 1], [2, 4], [1, 2], [2, 3]], megabytes=1)
    assert target.reassign({("mended", 3): [1, 2, 3]}) == {("mended", 3): None}
    assert until(lambda: in_sync(target, "mended", 4) and not target.reassigning())
    start = lists_of(target, "mended", 4)
    admin = ["--bootstrap", cluster.bootstrap]
    snapshot, plan, journal = (str(tmp_path / name) for name in ("snapshot.json", "plan.json", "journal.sqlite"))
    operate = ["--journal", journal, "--confirm", target.cluster_id(), "--wait", "--throttle", "10000000"]
    cluster.stop_broker(4, kill=True)
    try:
        assert until(lambda: 4 not in target.alive())
        if not cluster.zookeeper:
            cluster.tool("cluster", "unregister", "--bootstrap-server", cluster.bootstrap, "--id", "4", connect=False)
        assert until(lambda: main(["snapshot", *admin, "--output", snapshot]) == 0 and 4 in known_dead(snapshot))
        assert main(["plan", snapshot, "--mend", "--without-internal", "--output", plan]) == 0
        code = main(["operate", "execute", *admin, "--plan", plan, *operate])
        said, mended = capsys.readouterr(), lists_of(target, "mended", 4)
    finally:
        cluster.start_broker(4)
        assert until(lambda: 4 in target.alive())
    back = main(["operate", "rollback", *admin, *operate])
    ended = until(lambda: lists_of(target, "mended", 4) == start)
    deleted(target, "mended")

    assert code == 0, said
    assert [len(ids) for ids in mended.values()] == [2] * 4
    assert not any(4 in ids for ids in mended.values())
    assert mended[2] == (1, 2)
    assert back == 0, capsys.readouterr()
    assert ended


@pytest.mark.parametrize("cluster", ["kraft-4.1"], indirect=True)
def test_the_election_that_4_1_is_told_runs_on_it(cluster, target, tmp_path):
    """Alone of its commands it is other than what 4.4 is told, and 2.8's tool is another program."""
    made(cluster, target, "elected", [[2, 1]])
    assert target.reassign({("elected", 0): [1, 2]}) == {("elected", 0): None}
    assert until(lambda: lists_of(target, "elected", 1) == {0: (1, 2)})
    election, settings = tmp_path / "election.json", tmp_path / "client.properties"
    election.write_text('{"partitions": [{"topic": "elected", "partition": 0}]}')
    settings.write_text("request.timeout.ms=30000\n")
    told = election_command("4.1", str(election), bootstrap=cluster.bootstrap, command_config=str(settings))
    led = leader_of(target, "elected")
    said = cluster.run_command(told)

    assert led == 2
    assert until(lambda: leader_of(target, "elected") == 1)
    assert not re.search("warn|deprecat|error|fail|invalid", said, re.IGNORECASE)


@ON_KRAFT
def test_a_target_broker_that_is_killed_is_waited_for(cluster, target, journal):
    """The run says who is missing and goes on once the broker is back; throttles are as before."""
    made(cluster, target, "dying", [[1, 2]], megabytes=8)
    run = approve(journal, target, "dying", {0: ([1, 2], [1, 3])}, throttle=SLOW)
    with operating(cluster, journal, run) as ended:
        cluster.stop_broker(3, kill=True)
        named = until(lambda: "Broker 3 is not alive" in journal.run(run.id).sentence)
        under_way = journal.progress(run.id)
        cluster.start_broker(3)
        hurry(target, "dying", ended)

    assert named
    assert (under_way.sent, under_way.alive, under_way.run.state) == (1, True, RunState.RUNNING)
    assert ended[0].state is RunState.DONE
    assert until(lambda: lists_of(target, "dying", 1) == {0: (1, 3)})
    assert until(lambda: no_throttles(target, "dying"))


@ON_KRAFT
def test_a_controller_that_is_killed_is_replaced(cluster, target, journal):
    """The run goes on with the next controller, once the broker that was lost with the old one is back."""
    controller = controller_of(cluster, target)
    first, second, third = (broker for broker in (1, 2, 3, 4) if broker != controller)
    made(cluster, target, "headless", [[first, second]] * 2, megabytes=8)
    moves = {0: ([first, second], [first, third]), 1: ([first, second], [third, second])}
    run = approve(journal, target, "headless", moves, throttle=SLOW, most=1)
    with operating(cluster, journal, run) as ended:
        cluster.stop_broker(controller, kill=True)
        try:
            followed = until(lambda: controller_of(cluster, target) != controller)
        finally:
            cluster.start_broker(controller)
        hurry(target, "headless", ended)

    assert followed
    assert ended[0].state is RunState.DONE
    assert until(lambda: lists_of(target, "headless", 2) == {0: (first, third), 1: (third, second)})
    assert until(lambda: no_throttles(target, "headless"))


@pytest.mark.parametrize("cluster", ["zookeeper-2.8"], indirect=True)
def test_zookeeper_that_restarts_is_waited_for(cluster, target, journal):
    """The run goes on, through nodes as through the Admin protocol."""
    made(cluster, target, "keeper", [[1, 2]] * 2, megabytes=8)
    moves = {0: ([1, 2], [1, 3]), 1: ([1, 2], [2, 3])}
    run = approve(journal, target, "keeper", moves, throttle=SLOW, most=1)
    with operating(cluster, journal, run, zookeeper=True) as ended:
        cluster.restart_zookeeper()
        hurry(target, "keeper", ended)

    assert ended[0].state is RunState.DONE
    assert until(lambda: lists_of(target, "keeper", 2) == {0: (1, 3), 1: (2, 3)})
    assert until(lambda: no_throttles(target, "keeper"))


@ON_KRAFT
def test_an_operator_that_is_killed_is_followed_by_another(cluster, target, journal, enabled):
    """Killed with -9 in the middle: throttles stay while it is copied, the next one goes on to the end."""
    made(cluster, target, "killed", [[1, 2]] * 2, megabytes=8)
    moves = {0: ([1, 2], [1, 3]), 1: ([1, 2], [2, 3])}
    run = approve(journal, target, "killed", moves, throttle=SLOW, most=1)
    process = runner.start(connection_to(cluster), journal.path, run.id)
    assert until(lambda: journal.progress(run.id).sent == 1 and target.reassigning())
    os.kill(process, signal.SIGKILL)
    assert until(lambda: not journal.progress(run.id).alive)
    said = reconcile(target, journal)
    throttled = not no_throttles(target, "killed")
    with operating(cluster, journal, run) as ended:
        assert until(lambda: bool(_COUNTS.match(journal.run(run.id).sentence)))  # at work, its throttles set again
        hurry(target, "killed", ended)

    assert f"The executor of run {run.id} has ended" in said[0]
    assert "the throttles stay" in said[0]
    assert throttled
    assert ended[0].state is RunState.DONE
    assert until(lambda: lists_of(target, "killed", 2) == {0: (1, 3), 1: (2, 3)})
    assert until(lambda: no_throttles(target, "killed"))


def test_nothing_is_abandoned_and_a_cluster_that_worsens_is_waited_for(cluster, target, journal, enabled):
    """Told to end, the runner ends and the run does not; refused for a while, it goes on; a broker lost pauses it.

    Where there is ZooKeeper, through its nodes. The throttle is taken away while the run is at work.
    """
    made(cluster, target, "left", [[1, 2]] * 2, megabytes=8)
    made(cluster, target, "bystander", [[4, 1]], min_insync_replicas="2")
    moves = {0: ([1, 2], [1, 3]), 1: ([1, 2], [2, 3])}
    run = approve(journal, target, "left", moves, throttle=SLOW, most=1)
    zookeeper = bool(cluster.zookeeper)
    process = runner.start(connection_to(cluster, zookeeper=zookeeper), journal.path, run.id)
    assert until(lambda: journal.progress(run.id).sent == 1 and bool(target.reassigning()))
    os.kill(process, signal.SIGTERM)
    assert until(lambda: not journal.progress(run.id).alive, 15)
    left, wished = journal.progress(run.id), journal.stop_requested(run.id)
    barred = threading.Event()
    with operating(cluster, journal, run, zookeeper=zookeeper, barred=barred) as ended:
        assert until(lambda: bool(_COUNTS.match(journal.run(run.id).sentence)))
        barred.set()
        refused = until(lambda: "The directory is being restarted" in journal.run(run.id).sentence)
        during = journal.progress(run.id)
        barred.clear()
        cluster.stop_broker(4, kill=True)
        paused = until(lambda: "broker 4 is no longer alive" in journal.run(run.id).sentence, 60)
        state = journal.run(run.id).state
        wishes.change(journal, run.id, RunOptions(1, None), operator="ben")
        first = until(lambda: (told := journal.progress(run.id)).done == 1 and not told.sent, 60)
        below = until(lambda: "fallen below min.insync.replicas" in journal.run(run.id).sentence, 60)
        held = journal.progress(run.id)
        cluster.start_broker(4)

    assert (left.run.state, left.sent, wished) == (RunState.RUNNING, 1, "")
    assert "was told to end" in left.run.sentence
    assert refused
    assert (during.run.state.open, during.sent) == (True, 1)
    assert paused
    assert state is RunState.PAUSED
    assert first
    assert below
    assert (held.run.state, held.done, held.sent) == (RunState.PAUSED, 1, 0)
    assert ended[0].state is RunState.DONE
    assert until(lambda: lists_of(target, "left", 2) == {0: (1, 3), 1: (2, 3)})
    assert until(lambda: no_throttles(target, "left"))


def test_a_schedule_holds(cluster, target, journal, enabled):
    """Outside of its window a run sends nothing; then one partition, as it pauses after it; resumed, all of them.

    By a process of its own, and where there is ZooKeeper, through its nodes.
    """
    made(cluster, target, "scheduled", [[1, 2]] * 3)
    later = datetime.now(UTC) + timedelta(hours=2)
    options = RunOptions(5, windows=read_windows(f"{later:%H:%M}-{later + timedelta(hours=1):%H:%M}"), pause_after=(1,))
    planned = [PlannedMove("scheduled", partition, (1, 2), (1, 3)) for partition in range(3)]
    run = journal.approve(Approval(target.cluster_id(), "real", "{}", "{}", "h", "ann", planned, options))
    runner.start(connection_to(cluster, zookeeper=bool(cluster.zookeeper)), journal.path, run.id)
    outside = until(lambda: "Outside of its window" in journal.run(run.id).sentence, 60)
    held = journal.progress(run.id)
    wishes.change(journal, run.id, replace(options, windows=None), operator="ben")
    reached = until(lambda: "Paused by its schedule after 1 partition:" in journal.run(run.id).sentence, 60)
    paused = journal.progress(run.id)
    wishes.resume(journal, run.id, operator="ben")
    done = until(lambda: not journal.run(run.id).state.open, 90)

    assert outside
    assert (held.run.state, held.done, held.sent) == (RunState.PAUSED, 0, 0)
    assert reached
    assert (paused.run.state, paused.done, paused.sent) == (RunState.PAUSED, 1, 0)
    assert done
    assert journal.run(run.id).state is RunState.DONE
    assert lists_of(target, "scheduled", 3) == dict.fromkeys(range(3), (1, 3))


def test_a_cancel_takes_back_what_is_under_way(cluster, target, journal):
    """What was under way is as before, and a rollback is possible for the rest."""
    made(cluster, target, "cancelled", [[1, 2]], megabytes=8)
    run = approve(journal, target, "cancelled", {0: ([1, 2], [1, 3])}, throttle=SLOW)
    with operating(cluster, journal, run) as ended:
        journal.request_stop(run.id, cancel=True)

    assert ended[0].state is RunState.CANCELLED
    assert ended[0].sentence.startswith("Stopped: 0 partitions are as planned and 1 was reverted.")
    assert until(lambda: lists_of(target, "cancelled", 1) == {0: (1, 2)})
    assert until(lambda: no_throttles(target, "cancelled"))


@ON_KRAFT
def test_a_throttle_taken_away_by_somebody_else_is_told(cluster, target, journal):
    """With Kafka's own tool: the run says of which broker, goes on, and leaves no throttle."""
    made(cluster, target, "lifted", [[1, 2]], megabytes=8)
    run = approve(journal, target, "lifted", {0: ([1, 2], [1, 3])}, throttle=SLOW)
    rates = "leader.replication.throttled.rate,follower.replication.throttled.rate"
    with operating(cluster, journal, run) as ended:
        # Of broker 2, from which nothing is copied: what is under way stays so.
        entity = ("--entity-type", "brokers", "--entity-name", "2")
        cluster.tool("configs", "--alter", *entity, "--delete-config", rates)
        told = until(lambda: "Somebody else changed the throttle of broker 2: " in journal.run(run.id).sentence)
        hurry(target, "lifted", ended)

    assert told
    assert ended[0].state is RunState.DONE
    assert until(lambda: lists_of(target, "lifted", 1) == {0: (1, 3)})
    assert until(lambda: no_throttles(target, "lifted"))


def test_replicas_that_no_string_of_kafka_holds_are_throttled_all(cluster, target, journal):
    """Somebody's list is nearly as long as a string may be, and the run adds to it: ``*``, and theirs comes back.

    By name it would have 32,775 bytes: brokers close the connection on that. Where there is ZooKeeper, the way back
    goes through its nodes.
    """
    made(cluster, target, "wide", [[1, 2]] * 2)
    theirs = ",".join(f"{100_000 + number}:1" for number in range(3_640))
    assert len(theirs) == 32_759
    target.set_throttles(Throttles(leader_replicas={"wide": theirs}))
    moves, said = [((1, 2), (1, 3)), ((1, 3), (1, 2))], []
    for (before, after), zookeeper in zip(moves, (False, bool(cluster.zookeeper)), strict=True):
        run = approve(journal, target, "wide", dict.fromkeys(range(2), (before, after)), throttle=10_000_000)
        with closing(open_target(connection_to(cluster, zookeeper=zookeeper))) as protocol:
            ended = carry_out(protocol, journal, run.id, stop=threading.Event())
        (step,) = journal.steps(run_id=run.id, kind="throttles")
        said.append((ended.state, ended.sentence, step.content["set"]["leader_replicas"]))
    back = until(lambda: target.throttles([], ["wide"]).leader_replicas == {"wide": theirs})
    target.set_throttles(Throttles(leader_replicas={"wide": None}))

    assert said == [(RunState.DONE, "Done: all 2 partitions are as planned, seen twice.", [["wide", "*"]])] * 2
    assert back
    assert until(lambda: no_throttles(target, "wide"))


@ON_KRAFT
def test_a_layout_changed_behind_its_back_stops_it(cluster, target, journal):
    """A partition that waits is moved by somebody else: named, nothing further is sent, what is under way finishes."""
    made(cluster, target, "meddled", [[1, 2]] * 3, megabytes=8)
    moves = {partition: ([1, 2], [1, 3]) for partition in range(3)}
    run = approve(journal, target, "meddled", moves, throttle=SLOW, most=1)
    with operating(cluster, journal, run) as ended:
        sent = next(move.partition for move in journal.moves(run.id) if move.state == "sent")
        other = next(partition for partition in range(3) if partition != sent)
        assert target.reassign({("meddled", other): [2, 1]}) == {("meddled", other): None}
        hurry(target, "meddled", ended)

    assert ended[0].state is RunState.FAILED
    assert f"meddled-{other} was changed by somebody else during this run: its replicas are [2, 1]" in ended[0].sentence
    assert until(
        lambda: lists_of(target, "meddled", 3) == dict.fromkeys(range(3), (1, 2)) | {sent: (1, 3), other: (2, 1)}
    )
    assert until(lambda: no_throttles(target, "meddled"))


@pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning")
@ON_KRAFT
@pytest.mark.usefixtures("sockets_closed")
def test_records_written_while_a_plan_runs_are_all_read_once(cluster, target, journal):
    """Every record that was acknowledged (acks=all) while replicas and leaders moved is read, none twice.

    A broker that partitions move to is killed in the middle, and comes back.
    """
    from kafka import KafkaConsumer, KafkaProducer, TopicPartition

    made(cluster, target, "records", [[1, 2], [2, 3], [3, 4], [4, 1]])
    moves = {0: ([1, 2], [3, 4]), 1: ([2, 3], [4, 1]), 2: ([3, 4], [1, 2]), 3: ([4, 1], [2, 3])}
    servers = cluster.bootstrap.split(",")
    producer = KafkaProducer(bootstrap_servers=servers, acks="all", enable_idempotence=True, linger_ms=5)
    ended, acknowledged, numbers = threading.Event(), [], itertools.count()

    def write():
        while not ended.is_set():
            number = next(numbers)
            producer.send("records", str(number).encode()).get(30)
            acknowledged.append(number)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        assert until(lambda: len(acknowledged) > 50)
        run = approve(journal, target, "records", moves, most=1)
        with operating(cluster, journal, run) as done:
            cluster.stop_broker(4, kill=True)
            named = until(lambda: "roker 4 is not alive" in journal.run(run.id).sentence)
            cluster.start_broker(4)
        elected = target.elect(Election.PREFERRED, [("records", partition) for partition in range(4)])
        much = len(acknowledged)
        assert until(lambda: len(acknowledged) > much + 50)
    finally:
        ended.set()
        writer.join(60)
        producer.close()
    consumer = KafkaConsumer(bootstrap_servers=servers, auto_offset_reset="earliest", enable_auto_commit=False)
    partitions = [TopicPartition("records", partition) for partition in range(4)]
    consumer.assign(partitions)
    ends = consumer.end_offsets(partitions)
    read: Counter[int] = Counter()

    def all_read():
        for records in consumer.poll(timeout_ms=200).values():
            read.update(int(record.value) for record in records)
        return all(consumer.position(partition) >= ends[partition] for partition in partitions)

    whole = until(all_read)
    consumer.close()

    assert named
    assert done[0].state is RunState.DONE, done[0].sentence
    assert set(elected.values()) <= {"NONE", "ELECTION_NOT_NEEDED"}
    assert whole
    assert set(acknowledged) <= set(read)
    assert max(read.values()) == 1
