"""Writing to a real cluster of Kafka 4.4: all that others do, and cordons (KIP-1066): a drain with one, around one."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from reseat.balance import findings
from reseat.cli import main
from reseat.model import BrokerState
from reseat.operate.journal.journal import Approval, Journal, PlannedMove
from reseat.operate.journal.records import RunOptions, RunState
from reseat.operate.run.cordoning import cordons_left
from reseat.placement import FingerprintKind, infer
from reseat.placement.topic_spec import TopicSpec
from reseat.sources.kafka_admin.client import open_admin
from reseat.sources.live import read_cluster
from tests.operate.admin_behaviour import AdminBehaviour
from tests.operate.live_cluster import OpenTarget, connection_to, create_everywhere, end_operators, fill, running, until
from tests.servers.node_files import data_folders

pytestmark = pytest.mark.kafka

EMPTIED = 4


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """Four brokers of two log directories each, three of them controllers."""
    yield from running("kraft-4.4", tmp_path_factory.mktemp("kraft-4.4"), directories=2)


@pytest.fixture(scope="module")
def target(cluster):
    """The cluster, open for writing."""
    opened = OpenTarget(connection_to(cluster))
    yield opened
    opened.close()


@pytest.fixture
def reseat(cluster, target, tmp_path, monkeypatch, capsys):
    """Runs a command of Reseat on the cluster with a journal of this test's own; returns its exit code and words."""
    monkeypatch.setenv("RESEAT_OPERATE", "1")

    def run(*words):
        connect = ["--bootstrap", cluster.bootstrap]
        if words[0] == "operate":
            confirm = [] if words[1] in ("status", "verify") else ["--confirm", target.cluster_id()]
            words = (*words, *connect, "--journal", str(tmp_path / "journal.sqlite"), *confirm)
        elif words[0] == "snapshot":
            words = (*words, *connect)
        code = main([str(word) for word in words])
        told = capsys.readouterr()
        return code, told.out + told.err

    yield run
    end_operators(tmp_path / "journal.sqlite")


@pytest.fixture(autouse=True)
def nothing_cordoned(target):
    """Each test leaves the cluster without a cordon, however it ends."""
    yield
    target.set_cordons(dict.fromkeys(sorted(target.alive())))


@contextmanager
def topics_made_meanwhile(cluster, name, *, once=lambda: True):
    """A topic of six partitions again and again, once something is so, until it is over; yields the names of all."""
    made, over = [], threading.Event()

    def work():
        while not once() and not over.wait(0.05):
            pass
        while not over.wait(0.3):
            topic = f"{name}-{len(made)}"
            if admin.send(_automatic(topic), "controller").topics[0].error_code == 0:
                made.append(topic)

    with open_admin(connection_to(cluster)) as admin:
        thread = threading.Thread(target=work)
        thread.start()
        try:
            yield made
        finally:
            over.set()
            thread.join(30)


def _automatic(topic, partitions=6, factor=2):
    """A request to make a topic whose replicas Kafka places."""
    from kafka.protocol.admin import CreateTopicsRequest

    new = CreateTopicsRequest.CreatableTopic(
        name=topic, num_partitions=partitions, replication_factor=factor, assignments=[], configs=[]
    )
    return CreateTopicsRequest(topics=[new], timeout_ms=10_000, validate_only=False)


def on_broker(cluster, broker):
    """The partitions that have a replica there."""
    layout = read_cluster(connection_to(cluster)).layout
    return {f"{topic}-{partition}" for (topic, partition), ids in layout.assignments().items() if broker in ids}


def made(cluster, target, topic, lists, megabytes=0):
    """A topic with these lists, filled."""
    assert create_everywhere(target, TopicSpec.placed(topic, dict(enumerate(lists)))).differences == ()
    if megabytes:
        fill(cluster, topic, megabytes)


def lists_of(target, topic, count):
    """The replica lists of a topic now."""
    return [told.replicas for told in target.assignments([(topic, p) for p in range(count)]).values()]


def drain(reseat, tmp_path, *more):
    """A plan that drains broker 4, in a file."""
    snapshot, plan = tmp_path / "snapshot.json", tmp_path / "plan.json"
    assert reseat("snapshot", "--output", snapshot)[0] == 0
    assert reseat("plan", snapshot, "--remove", EMPTIED, "--output", plan, *more)[0] == 0
    return plan


def test_a_setting_is_in_force_once_log_directories_tell_it(cluster, target):
    """All of a broker, one directory of it, and none again; what was set is told, and the reading says the same."""
    paths = sorted(one.path for one in read_cluster(connection_to(cluster)).log_dirs if one.broker == EMPTIED)
    none = target.cordons([EMPTIED])[EMPTIED]
    assert target.set_cordons({EMPTIED: paths[1]}) == frozenset()
    one, still_open = target.cordons([EMPTIED])[EMPTIED], target.cordoned([1, EMPTIED])
    partly = read_cluster(connection_to(cluster))
    assert target.set_cordons({EMPTIED: "*"}) == frozenset()
    whole, closed = target.cordons([EMPTIED])[EMPTIED], target.cordoned([1, EMPTIED])
    read = read_cluster(connection_to(cluster))

    assert (none.closed, none.dynamic) == (False, None)
    assert (one.closed, one.dynamic) == (False, paths[1])
    assert still_open == frozenset()
    assert [told.cordoned for told in partly.log_dirs if told.broker == EMPTIED] == [False, True]
    assert partly.layout.brokers[3].state is BrokerState.ALIVE
    assert (whole.closed, whole.dynamic) == (True, "*")
    assert closed == {EMPTIED}
    assert [broker.state.value for broker in read.layout.brokers] == ["alive", "alive", "alive", "cordoned"]
    assert read.version == "4.4"
    assert "cordoned" in {finding.kind for finding in findings(read.layout)}


def test_what_kafka_places_itself_is_told_as_that(cluster, target):
    """Topics of one partition and of several rounds, over racks of two brokers and of one."""
    sizes = {"placed-1": (1, 3), "placed-14": (14, 2), "placed-21": (21, 3)}
    for topic, (partitions, factor) in sizes.items():
        made = target.client.send(_automatic(topic, partitions, factor), "controller").topics[0]
        assert made.error_code == 0

    def found():
        layout = read_cluster(connection_to(cluster)).layout
        there = [topic for topic in sizes if topic in layout.topics]
        return {one.topic: (one.kind, one.partitions) for one in (infer(layout, there) if there else ())}

    as_placed = {topic: (FingerprintKind.KRAFT, partitions) for topic, (partitions, _) in sizes.items()}
    try:
        assert until(lambda: found() == as_placed)
    finally:
        cluster.tool("topics", "--delete", "--topic", "placed-.*")
    assert until(lambda: not sizes.keys() & {*read_cluster(connection_to(cluster)).layout.topics})


def test_topics_made_while_a_broker_is_drained_land_there_without_a_cordon_and_not_with_one(
    cluster, target, reseat, tmp_path
):
    """First as ever, where new partitions are left on it and it is not called drained; then cordoned, where it is."""
    made(cluster, target, "drained", [[1, 4], [4, 2], [3, 4], [4, 1]], megabytes=2)
    plan = drain(reseat, tmp_path)
    with topics_made_meanwhile(cluster, "without") as without:
        assert until(lambda: len(without) > 1)
        code, said = reseat("operate", "execute", "--plan", plan, "--wait", "--override", "leaving_brokers_since")
    left = {name for name in on_broker(cluster, EMPTIED) if name.startswith("without-")}
    plan = drain(reseat, tmp_path)
    with topics_made_meanwhile(cluster, "with", once=lambda: target.cordoned([EMPTIED])) as with_one:
        cordoned = reseat("operate", "execute", "--plan", plan, "--wait", "--cordon", "--throttle", 300_000)
        assert until(lambda: len(with_one) > 2)
    status = reseat("operate", "status")[1]

    assert code == 1, said
    assert left
    assert cordoned[0] == 0, cordoned[1]
    assert "is drained: neither the description nor log directories show a replica" in cordoned[1]
    assert (
        "Broker 4 was left cordoned; lift that before unregistering: reseat operate uncordon --broker 4." in cordoned[1]
    )
    assert on_broker(cluster, EMPTIED) == set()
    assert any(cluster.directory.rglob("*-delete"))  # deleted logs, which lie there for a while, do not count
    assert "cordoned broker 4 at" in status


def test_a_rollback_lifts_the_cordon_and_brings_every_list_back(cluster, target, reseat, tmp_path):
    """All of its lists name the broker: Kafka refuses each while it is cordoned (229 of 229 did)."""
    lists = [[1, 4], [4, 2], [3, 1], [4, 1]]
    made(cluster, target, "back", lists, megabytes=1)
    plan = drain(reseat, tmp_path)
    there = reseat("operate", "execute", "--plan", plan, "--wait", "--cordon")
    closed = target.cordoned([EMPTIED])
    back = reseat("operate", "rollback", "--wait")

    assert there[0] == 0, there
    assert closed == {EMPTIED}
    assert back[0] == 0, back
    assert until(lambda: [list(ids) for ids in lists_of(target, "back", 4)] == lists)
    assert target.cordons([EMPTIED])[EMPTIED].dynamic is None


def test_a_cancel_lifts_the_cordon_and_a_rollback_is_taken(cluster, target, reseat, tmp_path):
    """Cancelled with a partition under way: what is reverted is reverted, and nothing stays cordoned."""
    made(cluster, target, "cancelled", [[1, 4]] * 3, megabytes=8)
    plan = drain(reseat, tmp_path)
    begun = reseat("operate", "execute", "--plan", plan, "--cordon", "--throttle", 1_000, "--moves-a-broker", 1)
    assert begun[0] == 0, begun
    assert until(lambda: bool(target.reassigning()))
    closed = target.cordoned([EMPTIED])
    cancelled = reseat("operate", "cancel", "--wait")
    back = reseat("operate", "rollback", "--wait")
    status = reseat("operate", "status")[1]

    assert closed == {EMPTIED}
    assert cancelled[0] == 0, cancelled
    assert target.cordons([EMPTIED])[EMPTIED].dynamic is None
    assert back[0] == 0 or "Nothing to roll back" in back[1], back
    assert "cordoned broker" not in status
    assert sum(EMPTIED in ids for ids in lists_of(target, "cancelled", 3)) == 3


def test_a_cordoned_bystander_is_planned_around_and_a_plan_from_before_is_refused(cluster, target, reseat, tmp_path):
    """Broker 3 is cordoned: what it holds stays, the rest of broker 4 moves; the older plan names it, and says so."""
    made(cluster, target, "beside", [[4, 1], [4, 3], [1, 4], [3, 4]])
    early = tmp_path / "early.json"
    lists = [{"topic": "beside", "partition": p, "replicas": [1, 3]} for p in (0, 2)]
    early.write_text(json.dumps({"version": 1, "partitions": lists}))
    assert target.set_cordons({3: "*"}) == frozenset()
    plan = drain(reseat, tmp_path)
    planned = json.loads(plan.read_text())
    refused = reseat("operate", "execute", "--plan", early, "--wait")
    around = reseat("operate", "execute", "--plan", plan, "--wait", "--override", "leaving_brokers_since")
    kafka = target.reassign({("beside", 1): [3, 4]})["beside", 1]

    assert not any(3 in entry["replicas"] for entry in planned["partitions"])
    assert refused[0] == 2
    assert "cordons_heeded: Broker 3 is cordoned, and Kafka refuses the lists of 2 partitions" in refused[1]
    assert around[0] == 1, around  # broker 4 keeps what the cordon holds
    assert [list(ids) for ids in lists_of(target, "beside", 4)][1::2] == [[4, 3], [3, 4]]
    assert not any(EMPTIED in ids for ids in lists_of(target, "beside", 4)[::2])
    assert kafka == "INVALID_REPLICA_ASSIGNMENT"
    assert kafka.message == (
        "The manual partition assignment includes broker 3, but all its log directories are cordoned."
    )


def test_uncordon_lifts_what_a_run_left_and_what_somebody_else_did(cluster, target, reseat, tmp_path):
    """By itself what runs left, by name any broker; with nothing to lift it says so."""
    made(cluster, target, "lifted", [[1, 4], [4, 2]])
    plan = drain(reseat, tmp_path)
    assert reseat("operate", "execute", "--plan", plan, "--wait", "--cordon")[0] == 0
    first = reseat("operate", "uncordon")
    again = reseat("operate", "uncordon")
    assert target.set_cordons({2: "*"}) == frozenset()
    named = reseat("operate", "uncordon", "--broker", 2)

    assert first == (0, "Broker 4 gets replicas again.\n")
    assert again[0] == 2
    assert "No run left a broker cordoned" in again[1]
    assert named == (0, "Broker 2 gets replicas again.\n")
    assert target.cordoned([1, 2, 3, 4]) == frozenset()


def lying(target, topic, broker):
    """By partition: the directory of this broker's replica, and the one that it is being copied to."""
    partitions = [(topic, p) for p in range(9)]
    seen = target.directories(partitions, [broker]).stored
    return {key[1]: (one.path, one.future) for (key, of), one in seen.items() if of == broker}


def turned_over(target, tmp_path, topic, lists, broker):
    """A plan, as another tool writes it, that moves every replica of a broker to its other directory."""
    both = sorted(path for of, path in target.directories([(topic, 0)], [broker]).online if of == broker)
    now = lying(target, topic, broker)
    other = {p: both[0] if now[p][0] == both[1] else both[1] for p in now}
    entries = [
        {"topic": topic, "partition": p, "replicas": ids, "log_dirs": [other[p] if b == broker else "any" for b in ids]}
        for p, ids in enumerate(lists)
    ]
    plan = tmp_path / "directories.json"
    plan.write_text(json.dumps({"version": 1, "partitions": entries}))
    return plan, other


def test_replicas_are_moved_between_directories_verified_and_taken_back(cluster, target, reseat, tmp_path):
    """As the plan of another tool says, lists untouched; the rollback brings each back to where it was."""
    lists = [[2, 1], [1, 2], [2, 3]]
    made(cluster, target, "jbod", lists, megabytes=3)
    before = lying(target, "jbod", 2)
    plan, other = turned_over(target, tmp_path, "jbod", lists, 2)
    there = reseat("operate", "execute", "--plan", plan, "--wait")
    after = lying(target, "jbod", 2)
    verified = reseat("operate", "verify", "--plan", plan)
    again = reseat("operate", "execute", "--plan", plan, "--wait")
    back = reseat("operate", "rollback", "--wait")
    elsewhere = reseat("operate", "verify", "--plan", plan)

    assert there[0] == 0, there
    assert "It moves 3 replicas to another log directory" in there[1]
    assert after == {p: (path, "") for p, path in other.items()}
    assert verified == (0, "3 of 3 partitions are as planned.\n")
    assert again[0] == 2
    assert "as planned already" in again[1]
    assert back[0] == 0, back
    assert lying(target, "jbod", 2) == before
    assert elsewhere[0] == 1
    assert "3 replicas are in another log directory" in elsewhere[1]
    assert [list(ids) for ids in lists_of(target, "jbod", 3)] == lists


def test_a_move_between_directories_is_throttled_cancelled_and_leaves_nothing(cluster, target, reseat, tmp_path):
    """Copies under way are dropped, the broker's throttle is as before, and each replica lies where it was."""
    lists = [[2, 1]] * 3
    made(cluster, target, "slow", lists, megabytes=12)
    before = lying(target, "slow", 2)
    plan, other = turned_over(target, tmp_path, "slow", lists, 2)
    begun = reseat("operate", "execute", "--plan", plan, "--throttle", 1_000)
    assert begun[0] == 0, begun
    assert until(lambda: {p: one[1] for p, one in lying(target, "slow", 2).items()} == other)
    rates = target.directory_rates([1, 2])
    status = reseat("operate", "status", "--run", 1)[1]
    verified = reseat("operate", "verify", "--plan", plan)
    cancelled = reseat("operate", "cancel", "--wait")

    assert rates == {1: None, 2: "1000"}
    assert f"2:{before[0][0]}" in status
    assert "3 replicas are on the way to another log directory" in verified[1]
    assert cancelled[0] == 0, cancelled
    assert lying(target, "slow", 2) == before
    assert target.directory_rates([2]) == {2: None}


def test_a_move_between_directories_that_is_cancelled_halfway_is_taken_back(cluster, target, reseat, tmp_path):
    """The empty replica has moved, the large one is being copied: that copy is dropped, and the other brought back."""
    before, entries, goal = {}, [], {}
    for topic, megabytes in (("half-empty", 0), ("half-large", 12)):
        made(cluster, target, topic, [[2, 1]], megabytes=megabytes)
        before[topic] = lying(target, topic, 2)
        plan, other = turned_over(target, tmp_path, topic, [[2, 1]], 2)
        goal[topic] = {p: (path, "") for p, path in other.items()}
        entries += json.loads(plan.read_text())["partitions"]
    plan.write_text(json.dumps({"version": 1, "partitions": entries}))
    words = ("--plan", plan, "--throttle", 1_000, "--moves-a-broker", 1)
    assert reseat("operate", "execute", *words)[0] == 0
    assert until(lambda: lying(target, "half-empty", 2) == goal["half-empty"])
    assert until(lambda: lying(target, "half-large", 2)[0][1] != "")
    cancelled = reseat("operate", "cancel", "--wait")
    halfway = {topic: lying(target, topic, 2) for topic in before}
    back = reseat("operate", "rollback", "--wait")

    assert cancelled[0] == 0, cancelled
    assert halfway == {"half-empty": goal["half-empty"], "half-large": before["half-large"]}
    assert back[0] == 0, back
    assert {topic: lying(target, topic, 2) for topic in before} == before
    assert target.directory_rates([2]) == {2: None}


def test_a_directory_that_takes_nothing_is_refused_before_anything_is_sent(cluster, target, reseat, tmp_path):
    """One that the broker does not have, one that is cordoned, and one beside changed lists: in words, never half."""
    lists = [[2, 1]]
    made(cluster, target, "refused", lists)
    plan, other = turned_over(target, tmp_path, "refused", lists, 2)
    strange, mixed = tmp_path / "strange.json", tmp_path / "mixed.json"
    strange.write_text(plan.read_text().replace(other[0], "/nowhere"))
    mixed.write_text(plan.read_text().replace("[2, 1]", "[2, 3]"))
    assert target.set_cordons({2: other[0]}) == frozenset()
    said = {one.name: reseat("operate", "execute", "--plan", one, "--wait") for one in (strange, plan, mixed)}

    assert [code for code, _ in said.values()] == [2, 2, 2], said
    assert "directories_fit: Broker 2 has no log directory /nowhere." in said["strange.json"][1]
    assert f"directories_fit: Log directory {other[0]} of broker 2 is cordoned" in said["directories.json"][1]
    assert "directories_fit: The plan changes replica lists, and names another log directory" in said["mixed.json"][1]
    assert lying(target, "refused", 2)[0][1] == ""


@pytest.mark.slow
def test_new_replicas_lie_in_the_directories_that_the_plan_names(cluster, target, reseat, tmp_path):
    """All four in one, where Kafka would take turns; chosen by room likewise, and verified."""
    lists = [[2, 1]] * 4
    made(cluster, target, "newcomers", lists, megabytes=2)
    path = sorted(path for of, path in target.directories([("newcomers", 0)], [3]).online if of == 3)[1]
    entries = [
        {"topic": "newcomers", "partition": p, "replicas": [2, 3], "log_dirs": ["any", path]} for p in range(len(lists))
    ]
    plan, chosen, snapshot = (tmp_path / name for name in ("plan.json", "chosen.json", "snapshot.json"))
    plan.write_text(json.dumps({"version": 1, "partitions": entries}))
    there = reseat("operate", "execute", "--plan", plan, "--wait")

    assert there[0] == 0, there
    assert set(lying(target, "newcomers", 3).values()) == {(path, "")}
    assert reseat("operate", "verify", "--plan", plan)[0] == 0
    assert reseat("snapshot", "--output", snapshot)[0] == 0
    assert reseat("plan", snapshot, "--remove", 3, "--choose-directories", "--output", chosen)[0] == 0
    back = reseat("operate", "execute", "--plan", chosen, "--wait")
    assert back[0] == 0, back
    assert '"log_dirs":[' in chosen.read_text()
    assert reseat("operate", "verify", "--plan", chosen)[0] == 0


@pytest.mark.parametrize("every", [pytest.param(1, marks=pytest.mark.slow), 19])
def test_a_cordoned_drain_killed_at_steps_of_its_journal_leaves_no_cordon_unnamed(
    cluster, target, tmp_path, capsys, every
):
    """At each step, a run each: status names the cordon, and whoever goes on ends the run, still cordoned and named."""
    topic = f"killed-{every}"
    lists, goal = {(topic, p): (1, 4) for p in range(3)}, {(topic, p): (1, 2) for p in range(3)}
    made(cluster, target, topic, list(lists.values()), megabytes=1)

    def killed(file, step):
        command = [sys.executable, "-m", "tests.operate.kill_on_kraft", cluster.bootstrap, file, str(step)]
        done = subprocess.run(command, cwd=Path(__file__).parents[2], check=False)
        assert done.returncode in (0, -signal.SIGKILL)
        return done.returncode != 0

    def now():
        return {key: told.replicas for key, told in target.assignments(list(lists)).items()}

    step, again = 1, True
    while again:
        target.set_cordons({EMPTIED: None})
        target.reassign(lists)
        assert until(lambda: now() == lists and not target.reassigning())
        file = tmp_path / f"{step}.sqlite"
        moves = [PlannedMove(*key, before, goal[key], 0) for key, before in lists.items()]
        with closing(Journal(file)) as journal:
            options = RunOptions(cordon=(EMPTIED,))
            run = journal.approve(Approval(target.cluster_id(), "test", "{}", "{}", "h", "ann", moves, options))
        again = killed(file, step)
        with closing(Journal(file)) as journal:
            named = {broker for left in cordons_left(journal, target.cluster_id()) for broker in left.before}
        cordoned = target.cordons([EMPTIED])[EMPTIED].dynamic is not None
        assert not cordoned or EMPTIED in named, step
        assert main(["operate", "status", "--bootstrap", cluster.bootstrap, "--journal", str(file)]) == 0
        assert not cordoned or "cordoned broker 4 at" in capsys.readouterr().out, step
        assert not killed(file, 0)
        with closing(Journal(file)) as journal:
            ended = journal.run(run.id)
            named = {broker for left in cordons_left(journal, target.cluster_id()) for broker in left.before}
        assert (ended.state, named) == (RunState.DONE, {EMPTIED}), (step, ended.sentence)
        assert until(lambda: now() == goal), step
        assert target.cordoned([EMPTIED]) == {EMPTIED}, step
        step += every

    assert step > 20  # a fast run looks, and so writes, less often: 29 steps at least were seen


@contextmanager
def without_its_second_disk(cluster, target, broker):
    """Takes a log directory away from a running broker, which finds out by the next log made there; its path."""
    path = data_folders(cluster.directory, broker, 2)[1]
    kept = path.with_name(f"{path.name}.kept")
    path.rename(kept)
    path.write_text("no directory")
    try:
        yield str(path)
    finally:
        path.unlink()
        kept.rename(path)
        cluster.stop_broker(broker, kill=True)
        cluster.start_broker(broker)
        assert until(lambda: broker in target.alive())


def test_a_log_directory_that_a_running_broker_loses_is_a_finding_and_no_target(cluster, target, reseat, tmp_path):
    """Offline by Kafka's own word: shown, planned around and named; judge and guard fail a plan onto that broker."""
    made(cluster, target, "stays", [[1, 2], [3, 1]])
    with without_its_second_disk(cluster, target, EMPTIED) as path:
        made(cluster, target, "lost", [(1, EMPTIED)] * 8)
        assert until(lambda: read_cluster(connection_to(cluster)).layout.brokers[3].offline_dirs == (path,))
        snapshot, plan, onto = (tmp_path / name for name in ("snapshot.json", "plan.json", "onto.json"))
        assert reseat("snapshot", "--output", snapshot)[0] == 0
        read = read_cluster(connection_to(cluster))
        shown, planned = reseat("show", snapshot)[1], reseat("plan", snapshot, "--remove", 3, "--output", plan)
        layout = read.layout.assignments()
        entry = {"topic": "stays", "partition": 0, "replicas": [1, EMPTIED]}
        onto.write_text(json.dumps({"version": 1, "partitions": [entry]}))
        judged, refused = reseat("judge", snapshot, onto), reseat("operate", "execute", "--plan", onto)

    assert {one.path: one.error for one in read.log_dirs if one.broker == EMPTIED and one.error} == {
        path: "KAFKA_STORAGE_ERROR"
    }
    assert f"1 log directory is offline: {path} of broker 4 (KAFKA_STORAGE_ERROR)" in shown
    assert planned[0] == 0
    assert path in planned[1]
    moved = json.loads(plan.read_text())
    for one in moved["partitions"]:
        assert EMPTIED not in set(one["replicas"]) - set(layout[one["topic"], one["partition"]])
    assert (judged[0], refused[0]) == (2, 2)
    assert "offline" in judged[1]
    assert path in refused[1]
    assert "directories_online" in refused[1]


class TestAdminTargetOnKafka44(AdminBehaviour):
    """The Admin protocol of 4.4, with two log directories a broker."""
