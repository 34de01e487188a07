"""How long the guard takes over a plan, and the schedule of one, at the sizes of the largest clusters.

Run alone: ``python -m benchmarks.bench_guard``.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime

import numpy as np

from reseat.access import command_line_person
from reseat.formats.documents.sealed import SealedPlan
from reseat.model import Broker, BrokerState, ClusterLayout, LogDirectory, Snapshot
from reseat.operate.checks.guard import Facts, check
from reseat.operate.request import PlanRequest
from reseat.schedule.batches import BatchLimits, Work, batches, next_batch

#: (partitions of the cluster, partitions of the plan)
_PLANS = ((100_000, 100_000), (1_000_000, 100_000))
#: (brokers, whether sizes are told)
_SCHEDULES = ((1_000, True), (60, True), (60, False), (10, True))
_MOVES = 300_000
_BROKERS = 100
_REPEATS = 3


def _best(job: Callable[[], object]) -> float:
    """Seconds of the fastest of a few runs."""
    times = []
    for _ in range(_REPEATS):
        start = time.perf_counter()
        job()
        times.append(time.perf_counter() - start)
    return min(times)


def _layout(partitions: int) -> ClusterLayout:
    draw = np.random.default_rng(0)
    ids = (draw.integers(0, _BROKERS, partitions)[:, None] + np.array([0, 7, 30])) % _BROKERS
    topics = partitions // 10
    return ClusterLayout.from_columns(
        topics=[f"topic-{i:06}" for i in range(topics)],
        topic_of=np.repeat(np.arange(topics), 10),
        partition=np.tile(np.arange(10), topics),
        replicas=ids,
        brokers=[Broker(i, f"r{i % 4}", state=BrokerState.ALIVE) for i in range(_BROKERS)],
        leader=ids[:, 0],
        in_sync=np.ones(ids.shape, np.bool_),
        min_in_sync=np.full(topics, 2),
        size_bytes=draw.lognormal(20, 2, partitions),
    )


def _request(layout: ClusterLayout, touched: int) -> PlanRequest:
    rows = np.sort(np.random.default_rng(1).choice(layout.partition_count, touched, replace=False))
    chosen = layout.select(rows)
    ids = chosen.replica_ids.copy()
    ids[:, 2] = (ids[:, 2] + 4) % _BROKERS  # to another broker of the same rack
    plan = SealedPlan(
        proposed=chosen.bare(ids),
        before=chosen.bare(chosen.replica_ids),
        racks={broker.id: broker.rack for broker in layout.brokers},
        leaving=(),
        layout_hash=None,
        hash="0" * 32,
        told_hash="0" * 32,
    )
    return PlanRequest(
        plan=plan, shown_hash=plan.hash, confirmed="c", person=command_line_person("bench"), enabled=True
    )


def _work(brokers: int, *, told: bool) -> Work:
    draw = np.random.default_rng(2)
    sender = draw.integers(0, brokers, _MOVES)
    receiver = (sender + draw.integers(1, brokers, _MOVES)) % brokers
    return Work(
        broker_ids=np.arange(brokers, dtype=np.int32),
        sender=sender.astype(np.int32),
        receivers=receiver.astype(np.int32)[:, None],
        bytes=draw.lognormal(20, 2, _MOVES) if told else np.full(_MOVES, np.nan),
        text_bytes=np.full(_MOVES, 70),
        new_leader=np.zeros(_MOVES, np.bool_),
    )


def run() -> list[tuple[str, str, str]]:
    """(what, budget, measured) of each piece of work."""
    rows = []
    for partitions, touched in _PLANS:
        layout = _layout(partitions)
        request = _request(layout, touched)
        room = tuple(LogDirectory(i, "/data", None, 10**17) for i in range(_BROKERS))
        told = {"taken_at": datetime.now(UTC), "protocol": "admin", "cluster_id": "c", "log_dirs": room}
        same = Snapshot(layout=layout, **told)
        other = Snapshot(layout=layout.bare(np.roll(layout.replica_ids, 1, axis=1)), **told)
        what = f"guard: {touched:,} partitions of {partitions:,}"
        for where, now in (("as planned on", same), ("every list changed", other)):
            facts = Facts(now, frozenset(), None, None, False, "admin")
            seconds = _best(lambda request=request, facts=facts: check(request, facts))
            rows.append((f"{what}, {where}", "1 s", f"{seconds:.2f} s"))
    for brokers, sizes in _SCHEDULES:
        work = _work(brokers, told=sizes)
        what = f"schedule: {_MOVES:,} moves, {brokers:,} brokers, sizes {'told' if sizes else 'not told'}"
        seconds = _best(lambda work=work: batches(work, BatchLimits()))
        rows.append((f"{what}, preview", "2 s", f"{seconds:.2f} s, {len(batches(work)):,} batches"))
        everything = np.ones(_MOVES, np.bool_)
        seconds = _best(lambda work=work, everything=everything: next_batch(work, everything))
        rows.append((f"{what}, next batch", "50 ms", f"{seconds * 1000:.0f} ms"))
    return rows


if __name__ == "__main__":
    for row in run():
        print(" | ".join(row))
