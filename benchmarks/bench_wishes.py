"""Added brokers, changed replication factors and balance, from a layout in memory to the plan with its certificate."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

from benchmarks.bench_planning import layout_of
from reseat.demo.generate import generate
from reseat.model import Broker, Plan, Wish
from reseat.planning import plan, whole_curve
from reseat.planning.kinds.add import add_brokers
from reseat.planning.kinds.rebalance import even_leaders
from reseat.planning.kinds.replication_factor import change_replication_factor

_SIZES = ((12, 2_000, 3), (60, 20_000, 6), (300, 100_000, 6), (1_000, 1_000_000, 10))
#: Brokers, partitions, racks, and the budget of a rebalance.
_UNEVEN = ((60, 20_000, 6, "0.5 s"), (300, 200_000, 10, "3 s"), (1_000, 1_000_000, 20, "10 s"))


def run() -> list[tuple[str, str, str]]:
    """What, budget and measured; at most two minutes."""
    rows = []
    for brokers, partitions, racks in _SIZES:
        layout = generate(brokers, partitions, 3, racks)
        where = f"{brokers:,} brokers, {partitions:,} partitions"
        names = sorted({broker.rack for broker in layout.brokers if broker.rack is not None})
        added = [Broker(10_000 + i, rack=names[i % len(names)]) for i in range(max(1, brokers // 100))]
        many = "broker" if len(added) == 1 else "brokers"
        rows.append((f"{where}: add {len(added)} {many}", "2 s", _told(partial(add_brokers, layout, added))))
        started = time.perf_counter()
        points = whole_curve(layout, Wish(add=tuple((one.id, one.rack) for one in added))).points
        took = time.perf_counter() - started
        rows.append((f"{where}: curve of that", "-", f"{took:.2f} s, {len(points)} points"))
        topics = layout.topics[: max(1, len(layout.topics) // 100)]
        share = sum(len(layout.rows_of_topic(topic)) for topic in topics)
        for factor in (4, 2):
            what = f"{where}: {share:,} partitions from 3 to {factor} replicas"
            rows.append((what, "2 s", _told(partial(change_replication_factor, layout, topics, factor))))
            what = f"{where}: all partitions from 3 to {factor} replicas"
            rows.append((what, "10 s", _told(partial(change_replication_factor, layout, layout.topics, factor))))
    for brokers, partitions, racks, budget in _UNEVEN:
        uneven = layout_of(brokers, partitions, racks)
        where = f"{brokers:,} brokers, {partitions:,} partitions of brokers that weigh 0.5 to 1.5"
        rows.append((f"{where}: rebalance", budget, _told(partial(plan, uneven, Wish(rebalance=True)))))
        out = tuple(uneven.broker_ids[: max(1, brokers // 100)].tolist())
        drained = f"{where}: the same with {len(out)} drained"
        rows.append((drained, budget, _told(partial(plan, uneven, Wish(rebalance=True, remove=out)))))
        started = time.perf_counter()
        points = whole_curve(uneven, Wish(rebalance=True)).points
        took = time.perf_counter() - started
        rows.append((f"{where}: curve of the rebalance", "-", f"{took:.2f} s, {len(points)} points"))
        rows.append((f"{where}: leaders only", "5 s", _told(partial(even_leaders, uneven))))
    return rows


def _told(make: Callable[[], Plan]) -> str:
    started = time.perf_counter()
    certificate = make().certificate
    took = time.perf_counter() - started
    if certificate.wish.leaders_only:
        proven = "proven" if certificate.leader_balance_proven and certificate.changed_leaders_proven else "not proven"
        changed = f"{certificate.changed_preferred_leaders:,} leaders change"
        return f"{took:.2f} s, {changed}, spread {certificate.leader_spread}, {proven}"
    flags = (certificate.moves_proven, certificate.replica_balance_proven)
    proven = "proven" if all(flags) else "not proven"
    return f"{took:.2f} s, {certificate.moves:,} moves, spread {certificate.replica_spread:,}, {proven}"
