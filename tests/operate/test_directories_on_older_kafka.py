"""Moves between log directories, and new replicas into named ones, on real Kafka 2.8 (ZooKeeper) and 4.1 (KRaft)."""

from __future__ import annotations

import json

import pytest

from reseat.cli import main
from tests.operate.live_cluster import OpenTarget, connection_to, running
from tests.operate.test_on_kraft_4_4 import lying, made, turned_over

pytestmark = [pytest.mark.kafka, pytest.mark.slow]


@pytest.fixture(scope="module", params=["zookeeper-2.8", "kraft-4.1"])
def cluster(request, tmp_path_factory):
    """Four brokers of two log directories each."""
    yield from running(request.param, tmp_path_factory.mktemp(request.param), directories=2)


@pytest.fixture(scope="module")
def target(cluster):
    """The cluster, open for writing through the Admin protocol."""
    opened = OpenTarget(connection_to(cluster))
    yield opened
    opened.close()


@pytest.fixture
def operate(cluster, target, tmp_path, monkeypatch, capsys):
    """Runs an operate command on the cluster; returns its exit code and words."""
    monkeypatch.setenv("RESEAT_OPERATE", "1")
    connect = ["--bootstrap", cluster.bootstrap, "--journal", str(tmp_path / "journal.sqlite")]

    def run(*words):
        confirm = [] if words[0] == "verify" else ["--confirm", target.cluster_id()]
        code = main(["operate", *map(str, words), *connect, *confirm])
        told = capsys.readouterr()
        return code, told.out + told.err

    return run


def test_replicas_are_moved_between_directories_and_taken_back(cluster, target, operate, tmp_path):
    """As the plan says, and back to where each was; lists stay."""
    lists = [[2, 1], [1, 2], [2, 3]]
    made(cluster, target, "jbod", lists, megabytes=3)
    before = lying(target, "jbod", 2)
    plan, other = turned_over(target, tmp_path, "jbod", lists, 2)
    there = operate("execute", "--plan", plan, "--wait")

    assert there[0] == 0, there
    assert lying(target, "jbod", 2) == {p: (path, "") for p, path in other.items()}
    assert operate("verify", "--plan", plan) == (0, "3 of 3 partitions are as planned.\n")
    back = operate("rollback", "--wait")
    assert back[0] == 0, back
    assert lying(target, "jbod", 2) == before


def test_new_replicas_lie_where_the_plan_names(cluster, target, operate, tmp_path):
    """All four in one directory, where Kafka would take turns."""
    made(cluster, target, "newcomers", [[2, 1]] * 4, megabytes=2)
    path = max(path for of, path in target.directories([("newcomers", 0)], [3]).online if of == 3)
    entries = [{"topic": "newcomers", "partition": p, "replicas": [2, 3], "log_dirs": ["any", path]} for p in range(4)]
    plan = tmp_path / "plan.json"
    plan.write_text(json.dumps({"version": 1, "partitions": entries}))
    there = operate("execute", "--plan", plan, "--wait")

    assert there[0] == 0, there
    assert set(lying(target, "newcomers", 3).values()) == {(path, "")}
