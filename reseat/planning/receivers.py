"""Brokers that receive replicas, or keep them, and may be down: what a person should know before a plan is carried out.

No plan can know all of them: in the ZooKeeper era Kafka refuses new replicas on a broker that is not alive, KRaft takes
them and waits.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from reseat.balance import out_of_every_isr
from reseat.model import BoolArray, BrokerState, ClusterLayout, Finding, Longs, Plan, Severity
from reseat.model.arrays import on_brokers, row_any
from reseat.model.wording import counted, named, verb

__all__ = ["left_on_unavailable", "with_doubtful_receivers"]


def with_doubtful_receivers(plan: Plan, under_way: Longs) -> Plan:
    """The same plan with findings about brokers that are fenced, shutting down, or in sync for nothing they hold.

    Newcomers of the rows under way (n,) are not in sync yet, and not doubted.

    First of all those that receive; at the end those that are told to be unavailable and were passed over.

    O(P R) for P partitions of replication factor R; the plan itself where every receiver is well.
    """
    found = plan.findings
    doubtful, passed_over = _doubtful_receivers(plan, under_way), _passed_over(plan)
    if doubtful is not None:
        found = (doubtful, *found)
    if passed_over is not None:
        found = (*found, passed_over)
    return plan if found is plan.findings else replace(plan, findings=found)


def _doubtful_receivers(plan: Plan, under_way: Longs) -> Finding | None:
    current = plan.current
    settled = current.select(np.delete(np.arange(current.partition_count), under_way)) if under_way.size else current
    unwell = ~current.available | out_of_every_isr(settled)
    if not unwell.any():
        return None
    doubtful = current.broker_ids[unwell]
    given = np.isin(plan.moves.target, doubtful)
    ids = tuple(int(broker) for broker in np.unique(plan.moves.target[given]))
    if not ids:
        return None
    received = counted(int(np.count_nonzero(given)), "replica")
    are, hold, them = ("is", "it holds", "it") if len(ids) == 1 else ("are", "they hold", "them")
    said = (
        f"{named('Broker', ids, 'receives', 'receive')} {received} but {are} probably down (fenced, shutting down, or "
        f"in sync for nothing that {hold}). Bring {them} back first, or remove {them} in the same plan."
    )
    return Finding("doubtful_receiver", Severity.BROKEN, said, rows=np.unique(plan.moves.row[given]), brokers=ids)


def _passed_over(plan: Plan) -> Finding | None:
    """Brokers that stay, are fenced or shutting down, and for that reason receive nothing of what moves."""
    wish = plan.wish
    unavailable = [
        broker.id
        for broker in plan.current.brokers
        if broker.state.unavailable and broker.state is not BrokerState.DEAD and broker.id not in wish.remove
    ]
    if not unavailable:
        return None
    targets = set(plan.moves.target.tolist())
    ids = [broker for broker in unavailable if broker not in targets]
    asked_for = {broker for broker, _ in wish.add} & set(ids)
    if not ids or not (plan.certificate.moves or asked_for):
        return None
    receive = verb(len(ids), "it receives nothing, and is", "they receive nothing, and are")
    said = f"{named('Broker', ids, 'is', 'are')} fenced or shutting down: {receive} not counted in the balance."
    severity = Severity.ATTENTION if asked_for else Severity.NOTE
    return Finding("unavailable_left_out", severity, said, brokers=tuple(ids))


def left_on_unavailable(
    proposed: ClusterLayout, targets: BoolArray, pinned: BoolArray, severity: Severity = Severity.NOTE
) -> tuple[Finding, ...]:
    """That replicas stay on brokers which serve nobody and may come back: a finding, or none.

    A broker of KRaft that crashed is fenced, like one that restarts: only a person knows which of both it is.

    Args:
        proposed: the layout after the plan.
        targets: (B,) bool, brokers that receive: where all are unavailable, these are some of them.
        pinned: (P,) bool, partitions that no drain moves either.
        severity: of the finding.
    """
    there = on_brokers(proposed.replicas, ~proposed.available & ~targets) & ~pinned[:, None]
    if not there.any():
        return ()
    ids = tuple(np.unique(proposed.replica_ids[there]).tolist())
    states = sorted({broker.state.word for broker in proposed.brokers if broker.id in ids})
    count = int(there.sum())
    they, them = ("it does", "it") if len(ids) == 1 else ("they do", "them")
    said = (
        f"{counted(count, 'replica stays', 'replicas stay')} on {named('broker', ids)} ({', '.join(states)}). If "
        f"{they} not come back, drain {them} (--remove {','.join(map(str, ids))})."
    )
    rows = np.flatnonzero(row_any(there)).astype(np.int64)
    return (Finding("left_on_unavailable", severity, said, rows=rows, brokers=ids),)
