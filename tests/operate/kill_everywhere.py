"""Kills an operator with SIGKILL at each step of journal and cluster, starts again, and tells what came of it.

A process of its own (``python -m tests.operate.kill_everywhere FOLDER EVERY SCENARIO ...``), since it forks: each
operator is a child that really dies. A step is the moment before and after each transaction of the journal and before
and after each request that changes the cluster. ``EVERY`` 1 kills at each step, 7 at every seventh. Prints JSON: a list
a scenario.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from reseat.operate.journal import schema
from reseat.operate.journal.journal import Approval, Journal, Lease, PlannedMove
from reseat.operate.journal.records import RunOptions
from reseat.operate.run.cordoning import cordons_left
from reseat.operate.run.execute import carry_out, reconcile
from tests.operate.fake_target import FakeCluster

PLAN = {("orders", i): ([1, 2, 3], [1, 4 + i % 2, 2]) for i in range(5)} | {("audit", 0): ([1, 2], [2, 1])}
EARLIER = {("leader_rate", "1"): "77", ("leader_replicas", "orders"): "*", ("follower_rate", "5"): "5"}
_CHANGING = frozenset({
    "reassign", "reassigned", "cancel", "cancelled", "set_throttles", "throttles set", "set_cordons", "cordons set",
    "move", "moved",
})  # fmt: skip
#: Scenarios in which the broker that the plan empties is cordoned.
CORDONED = ("cordon", "cordon, then cancel")
#: Scenarios in which replicas move between log directories: of broker 1 from /a to /b.
BETWEEN = ("directories", "directories, then cancel")
_EMPTIED = 3
_ENOUGH = 2_000


class Steps:
    """Counts steps, and kills this very process at one of them."""

    def __init__(self, fatal: int) -> None:
        self.fatal = fatal
        self.count = 0

    def step(self) -> None:
        """One more."""
        self.count += 1
        if self.count == self.fatal:
            os.kill(os.getpid(), signal.SIGKILL)


class KilledJournal(Journal):
    """A journal whose transactions are steps."""

    steps_taken: Steps

    @contextmanager
    def _writing(self, lease: Lease | None = None) -> Iterator[object]:
        self.steps_taken.step()
        with super()._writing(lease) as database:
            yield database
        self.steps_taken.step()


def operate(folder: Path, scenario: str, fatal: int) -> None:
    """Carry out, as the scenario has it, until killed or done."""
    steps = Steps(fatal)
    journal = KilledJournal(folder / "journal.sqlite")
    journal.steps_taken = Steps(0)
    cluster = FakeCluster.load(folder / "cluster.json")
    run = journal.open_run("FAKE")
    if run is None:
        return
    sent = [0]

    def each(name: str) -> None:
        if name in ("reassigned", "moved"):
            sent[0] += 1
            if scenario.endswith("cancel") and sent[0] == 2:
                journal.request_stop(run.id, cancel=True)
        if name in _CHANGING:
            steps.step()

    cluster.before_call = each
    journal.steps_taken = steps
    one_at_a_time = scenario == "one at a time"
    target = cluster.target(one_at_a_time=one_at_a_time, can_cancel=not one_at_a_time)
    carry_out(target, journal, run.id, stop=threading.Event(), pace=cluster.pace())


def in_child(*arguments: object) -> bool:
    """Operate in a process of its own; whether it was killed."""
    child = os.fork()
    if not child:
        try:
            operate(*arguments)  # type: ignore[arg-type]
        finally:
            sys.stderr.flush()
            os._exit(0 if sys.exc_info()[0] is None else 3)
    _, status = os.waitpid(child, 0)
    if os.WIFEXITED(status) and os.WEXITSTATUS(status):
        raise SystemExit("an operator failed by itself")
    return os.WIFSIGNALED(status)


def told(folder: Path) -> dict[str, object]:
    """Cluster and journal as they are now."""
    journal = Journal(folder / "journal.sqlite")
    cluster = FakeCluster.load(folder / "cluster.json")
    run = journal.runs("FAKE")[0]
    lists = {key: tuple(ids) for key, ids in cluster.lists.items()}
    between = bool(cluster.disks)
    out = {
        "state": run.state.value,
        "sentence": run.sentence,
        "as_planned": _count(cluster, "/b")
        if between
        else sum(lists[key] == tuple(target) for key, (_, target) in PLAN.items()),
        "as_before": _count(cluster, "/a")
        if between
        else sum(sorted(lists[key]) == sorted(before) for key, (before, _) in PLAN.items()),
        "under_way": len(cluster.goal) + len(cluster.moving),
        "throttles_as_before": cluster.dynamic == EARLIER,
        "cordoned": sorted(cluster.cordons or ()),
        "named": sorted(broker for there in cordons_left(journal, "FAKE") for broker in there.before),
        "unsettled": [step.kind for step in journal.steps(unsettled=True)],
        "held": (holder := journal.holder("FAKE")) is not None and holder.alive,
    }
    journal.close()
    return out


def _count(cluster: FakeCluster, path: str) -> int:
    return sum(there == path for there in cluster.disks.values())


def _naming(path: str) -> str:
    """The plan's partitions as they are, with broker 1's replicas in this directory."""
    lists = {key: before for key, (before, _) in PLAN.items()}
    entries = [
        {"topic": topic, "partition": one, "replicas": ids, "log_dirs": [path if b == 1 else "any" for b in ids]}
        for (topic, one), ids in lists.items()
    ]
    return json.dumps({"version": 1, "partitions": entries})


def one(folder: Path, scenario: str, fatal: int) -> dict[str, object]:
    """Kill at this step, and once more two steps into the next start; then settle, look, and go on to the end."""
    folder.mkdir(parents=True)
    between = scenario in BETWEEN
    FakeCluster(
        {key: list(before) for key, (before, _) in PLAN.items()},
        dynamic=dict(EARLIER),
        disks={(*key, 1): "/a" for key in PLAN} if between else {},
        file=folder / "cluster.json",
    ).save()
    journal = Journal(folder / "journal.sqlite")
    moves = [
        PlannedMove(*key, tuple(before), tuple(before if between else target), 50)
        for key, (before, target) in PLAN.items()
    ]
    texts = (_naming("/b"), _naming("/a")) if between else ("{}", "{}")
    options = RunOptions(2, 1_000, cordon=(_EMPTIED,) if scenario in CORDONED else ())
    journal.approve(Approval("FAKE", "fake", *texts, "h", "ann", moves, options))
    journal.close()
    killed = in_child(folder, scenario, fatal)
    if killed and fatal % 2:
        in_child(folder, scenario, 3)
    journal = Journal(folder / "journal.sqlite")
    cluster = FakeCluster.load(folder / "cluster.json")
    said = reconcile(cluster.target(), journal, pace=cluster.pace())
    cluster.save()
    journal.close()
    settled = told(folder)
    in_child(folder, scenario, 0)
    return {"step": fatal, "killed": killed, "said": said, "settled": settled, "ended": told(folder)}


def main(folder: Path, scenario: str, every: int) -> list[dict[str, object]]:
    """Every step, until one is not reached any more."""
    schema.SYNCHRONOUS = "OFF"  # SIGKILL takes nothing from a file that was written
    results = []
    for fatal in range(1, _ENOUGH, every):
        results.append(one(folder / str(fatal), scenario, fatal))
        if not results[-1]["killed"]:
            return results
    raise SystemExit("the run never ended")


if __name__ == "__main__":
    where, every, *scenarios = sys.argv[1:]
    sys.stdout.write(json.dumps({name: main(Path(where) / name, name, int(every)) for name in scenarios}))
