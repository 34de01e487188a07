"""How long a plan takes, from the drop of a broker to the proven certificate, and how much memory.

Run alone: ``python -m benchmarks.bench_planning``. Layouts are made with numpy: every broker is as likely as its
weight, so that they are skewed as real clusters are, and racks hold a partition once.
"""

from __future__ import annotations

import resource
import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from reseat.model import Broker, ClusterLayout, Options, Plan, Wish
from reseat.planning import plan_at, remove_brokers, whole_curve

#: (brokers, partitions, budget of a drop in words)
_SIZES = ((12, 2_000, "50 ms"), (60, 20_000, "50 ms"), (300, 100_000, "0.7 s"), (1_000, 1_000_000, "0.7 s"))
_FACTOR = 3
_RACKS = 10
_REPEATS = 3
_BY_BYTES = Options(by_bytes=True)
_EVERY_LIST = Options(reorder_all=True)


def layout_of(brokers: int, partitions: int, racks: int, seed: int = 0) -> ClusterLayout:
    """A skewed layout at replication factor 3: with racks every partition on three of them, without on any brokers."""
    draw = np.random.default_rng(seed)
    weight = draw.random(brokers) + 0.5
    if racks:
        rack = np.argsort(draw.random((partitions, racks)), axis=1)[:, :_FACTOR]
        ids = np.empty((partitions, _FACTOR), np.int64)
        for k in range(racks):
            inside = np.arange(k, brokers, racks)
            here = rack == k
            ids[here] = draw.choice(inside, int(here.sum()), p=weight[inside] / weight[inside].sum())
    else:
        chance = np.cumsum(weight) / weight.sum()
        ids = np.searchsorted(chance, draw.random((partitions, _FACTOR)))
        twice = np.arange(partitions)
        while twice.size:
            ordered = np.sort(ids[twice], axis=1)
            twice = twice[(ordered[:, 1:] == ordered[:, :-1]).any(axis=1)]
            ids[twice] = np.searchsorted(chance, draw.random((twice.size, _FACTOR)))
    topics = max(1, partitions // 100)
    return ClusterLayout.from_columns(
        topics=[f"topic-{i}" for i in range(topics)],
        topic_of=np.arange(partitions) * topics // partitions,
        partition=np.arange(partitions),
        replicas=ids,
        brokers=[Broker(i, rack=f"rack-{i % racks}" if racks else None) for i in range(brokers)],
        size_bytes=draw.lognormal(20, 2, partitions),
    )


def _best(work: Callable[[ClusterLayout], Plan], layout: ClusterLayout) -> tuple[float, Plan]:
    """The quickest of a few runs, each on a layout that has nothing cached, and the plan."""
    fastest, made = float("inf"), None
    for _ in range(_REPEATS):
        fresh = replace(layout, brokers=layout.brokers)
        start = time.perf_counter()
        made = work(fresh)
        fastest = min(fastest, time.perf_counter() - start)
    assert made is not None
    return fastest, made


def _said(seconds: float, plan: Plan) -> str:
    certificate = plan.certificate
    proven = (
        certificate.moves_proven
        and certificate.replica_balance_proven
        and certificate.leader_balance_proven
        and (certificate.rack_balance_proven or certificate.rack_sum_of_squares is None)
    )
    return (
        f"{seconds * 1000:,.0f} ms, {certificate.moves:,} moves, spread {certificate.replica_spread}"
        f"{', all proven' if proven else ''}"
    )


def run() -> list[tuple[str, str, str]]:
    """(what, budget, measured) of each piece of work."""
    rows = []
    for brokers, partitions, budget in _SIZES:
        size = f"{brokers:,} brokers, {partitions:,} partitions"
        for racks in (0, 3 if brokers < _RACKS * _FACTOR else _RACKS):
            layout = layout_of(brokers, partitions, racks)
            where = f"{size}, {racks or 'no'} racks"
            rows.append((f"{where}: one broker out", budget, _said(*_best(lambda at: remove_brokers(at, [3]), layout))))
            if brokers < 60:
                continue
            many = list(range(0, brokers, racks)) if racks else list(range(30))
            what = "a whole rack out" if racks else "30 brokers out"
            rows.append(
                (f"{where}: {what}", "seconds", _said(*_best(lambda at, out=many: remove_brokers(at, out), layout)))
            )
            start = time.perf_counter()
            points = whole_curve(layout, Wish(remove=(3,))).points
            seconds = time.perf_counter() - start
            words = ", ".join(f"{point.moves:,} moves spread {point.replica_spread}" for point in points)
            rows.append((f"{where}: the curve", "1 s", f"{seconds * 1000:,.0f} ms: {words}"))
            last = points[-1].moves
            rows.append(
                (
                    f"{where}: its last point",
                    "1 s",
                    _said(*_best(lambda at, k=last: plan_at(at, Wish(remove=(3,)), k), layout)),
                )
            )
        seconds, made = _best(lambda at: remove_brokers(at, [3], options=_BY_BYTES), layout)
        gap = made.certificate.byte_sum_gap or 0.0
        rows.append((f"{size}: by bytes", "seconds", f"{seconds * 1000:,.0f} ms, {gap:.2%} above the bound"))
        rows.append(
            (
                f"{size}: every list reordered",
                "seconds",
                _said(*_best(lambda at: remove_brokers(at, [3], options=_EVERY_LIST), layout)),
            )
        )
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    rows.append(("planning: peak memory of the process", "1 GB", f"{peak:.2f} GB"))
    return rows


if __name__ == "__main__":
    for row in run():
        print(" | ".join(row))
