"""New replicas in the directories that a plan names, against a cluster in memory."""

from __future__ import annotations

import json
import threading

import pytest

from reseat.errors import ClusterUnreachable
from reseat.operate.journal.journal import Approval, PlannedMove
from reseat.operate.journal.records import RunOptions, RunState
from reseat.operate.run.execute import carry_out
from tests.operate.fake_target import FakeCluster

LISTS = {("orders", 0): [1, 2], ("orders", 1): [2, 1]}
GOAL = {("orders", 0): [3, 2], ("orders", 1): [2, 3]}


def text(lists, path=None):
    """Reassignment JSON of these lists, broker 3's replicas in a directory where one is given."""
    entries = [
        {"topic": topic, "partition": one, "replicas": ids}
        | ({} if path is None else {"log_dirs": [path if broker == 3 else "any" for broker in ids]})
        for (topic, one), ids in lists.items()
    ]
    return json.dumps({"version": 1, "partitions": entries})


def ended(journal, cluster, path="/b", overridden=()):
    """The run as it ended."""
    moves = [PlannedMove(*key, tuple(ids), tuple(GOAL[key]), 50) for key, ids in LISTS.items()]
    texts = text(GOAL, path), text(LISTS)
    approval = Approval("FAKE", "fake", *texts, "h", "ann", moves, RunOptions(), overridden=overridden)
    run = journal.approve(approval)
    return carry_out(cluster.target(), journal, run.id, stop=threading.Event(), pace=cluster.pace())


def test_directories_are_asked_for_before_the_lists_and_those_alone_that_are_named(journal):
    """The broker remembers each; a plan that names none asks for none."""
    cluster, plain = (FakeCluster({key: list(ids) for key, ids in LISTS.items()}) for _ in range(2))

    assert ended(journal, cluster).state is RunState.DONE
    assert cluster.lists == GOAL
    assert cluster.preferred == {("orders", 0, 3): "/b", ("orders", 1, 3): "/b"}
    assert cluster.calls.index("move") < cluster.calls.index("reassign")
    assert ended(journal, plain, path=None).state is RunState.DONE
    assert "move" not in plain.calls


@pytest.mark.parametrize("overridden", [(), ("log_dirs_chosen",)])
def test_a_partition_whose_directory_is_refused_is_not_sent_unless_that_was_overridden(journal, overridden):
    """Never in another directory without a word; overridden, its broker chooses. The other goes either way."""
    cluster = FakeCluster(
        {key: list(ids) for key, ids in LISTS.items()}, refuse_move={("orders", 0, 3): "LOG_DIR_NOT_FOUND"}
    )
    run = ended(journal, cluster, overridden=overridden)

    assert run.state is (RunState.DONE if overridden else RunState.FAILED)
    assert ("LOG_DIR_NOT_FOUND" in run.sentence) == (not overridden)
    assert cluster.lists == (GOAL if overridden else GOAL | {("orders", 0): [1, 2]})


def test_what_is_already_there_is_asked_for_again_after_an_answer_was_lost(journal):
    """The lists went out and the answer did not come: the run looks, and ends as planned."""
    cluster = FakeCluster({key: list(ids) for key, ids in LISTS.items()})
    lost = iter([True])

    def lose(name):
        if name == "reassigned" and next(lost, False):
            cluster.down = cluster.clock + 1
            raise ClusterUnreachable("Broker does not answer.", "timeout")

    cluster.before_call = lose

    assert ended(journal, cluster).state is RunState.DONE
    assert cluster.lists == GOAL
