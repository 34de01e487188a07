"""How long it takes to say what every loss would do: all brokers, all racks, all pairs, and copysets.

Run alone: ``python -m benchmarks.bench_resilience``. Layouts are those of ``bench_planning``: skewed, every partition
on three racks, all in sync, ``min.insync.replicas`` 2.
"""

from __future__ import annotations

import resource
import time
from collections.abc import Callable, Sized
from dataclasses import replace
from typing import TypeVar

import numpy as np

from benchmarks.bench_planning import layout_of
from reseat.model import Broker, BrokerState, ClusterLayout
from reseat.pipeline.losses import PAIR_TAKEOVERS
from reseat.resilience import copysets, loss, pairs, racks, singles

#: (brokers, partitions, whether healing is placed for every single broker too)
_SIZES = ((60, 20_000, True), (300, 200_000, True), (1_000, 1_000_000, False))
_RACKS = 10
_Found = TypeVar("_Found")


def healthy(brokers: int, partitions: int) -> ClusterLayout:
    """A layout that tells everything: leaders, ISRs, minima, states, sizes and racks."""
    layout = layout_of(brokers, partitions, _RACKS)
    return replace(
        layout,
        brokers=tuple(Broker(b.id, b.rack, state=BrokerState.ALIVE) for b in layout.brokers),
        leader=layout.replicas[:, 0].copy(),
        in_sync=np.ones(layout.replicas.shape, np.bool_),
        min_in_sync=np.full(len(layout.topics), 2, np.int32),
    )


def _timed(work: Callable[[ClusterLayout], _Found], layout: ClusterLayout) -> tuple[_Found, str]:
    """What came of it, on a layout that has nothing cached, and how long it took."""
    fresh = replace(layout, brokers=layout.brokers)
    start = time.perf_counter()
    found = work(fresh)
    seconds = time.perf_counter() - start
    said = f"{seconds * 1000:,.0f} ms" if seconds < 10 else f"{seconds:,.1f} s"
    return found, f"{said}, {len(found):,}" if isinstance(found, Sized) else said


def run() -> list[tuple[str, str, str]]:
    """(what, budget, measured) of each piece of work."""
    rows = []
    for brokers, partitions, every in _SIZES:
        layout = healthy(brokers, partitions)
        where = f"{brokers:,} brokers, {partitions:,} partitions"
        rows.append((f"{where}: one loss, clicked", "1 s", _timed(lambda at: loss(at, [3, 4]), layout)[1]))
        if every:
            rows.append((f"{where}: every broker, healed", "a few seconds", _timed(singles, layout)[1]))
            rows.append((f"{where}: every rack, healed", "a few seconds", _timed(racks, layout)[1]))
        else:
            some = range(0, brokers, 50)
            rows.append(
                (
                    f"{where}: {len(some)} brokers, healed",
                    "a few seconds",
                    _timed(lambda at, some=some: singles(at, among=some), layout)[1],
                )
            )
        rows.append((f"{where}: every pair", "seconds; a minute at most", _timed(pairs, layout)[1]))
        both, said = _timed(lambda at: pairs(at, most_takeovers=PAIR_TAKEOVERS), layout)
        entries = "too many to tell" if both.leaders_to is None else f"{len(both.leaders_to.brokers):,} entries"
        rows.append((f"{where}: every pair, and who takes over", "seconds", f"{said}, {entries}"))
        found, said = _timed(copysets, layout)
        rows.append((f"{where}: copysets", "a second", f"{said}, {found.copysets:,} of them"))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    rows.append(("resilience: peak memory of the process", "2 GB", f"{peak:.2f} GB"))
    return rows


if __name__ == "__main__":
    for row in run():
        print(" | ".join(row))
