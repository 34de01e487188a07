"""What a person should know of the brokers that receive replicas before a plan is carried out.

A plan may use every broker that is not known to be dead. Some of them are probably down all the same, and no plan can
know: in the ZooKeeper era Kafka refuses new replicas on a broker that is not alive, KRaft takes them and waits.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from reseat.balance import out_of_every_isr
from reseat.model import BrokerState, ClusterLayout, Finding, Plan, Severity
from reseat.model.wording import counted, listed, verb

__all__ = ["with_doubtful_receivers"]

_UNWELL = (BrokerState.FENCED, BrokerState.SHUTTING_DOWN)


def with_doubtful_receivers(plan: Plan) -> Plan:
    """The same plan with a finding about receivers that are fenced, shutting down, or in sync for nothing they hold.

    O(P R) for P partitions of replication factor R; the plan itself where every receiver is well.
    """
    current = plan.current
    unwell = np.array([broker.state in _UNWELL for broker in current.brokers], np.bool_)
    unwell |= out_of_every_isr(_without_under_way(plan))
    if not unwell.any():
        return plan
    doubtful = current.broker_ids[unwell]
    given = np.isin(plan.moves.target, doubtful)
    ids = tuple(int(broker) for broker in np.unique(plan.moves.target[given]))
    if not ids:
        return plan
    one = len(ids) == 1
    received = counted(int(np.count_nonzero(given)), "replica")
    finding = Finding(
        "doubtful_receiver",
        Severity.BROKEN,
        f"{'Broker' if one else 'Brokers'} {listed(ids)} {verb(len(ids), 'receives', 'receive')} {received} but "
        f"{verb(len(ids), 'is', 'are')} probably down (fenced, shutting down, or in sync for nothing that "
        f"{verb(len(ids), 'it holds', 'they hold')}). Bring {verb(len(ids), 'it', 'them')} back first, or take "
        f"{verb(len(ids), 'it', 'them')} out in the same plan.",
        rows=np.unique(plan.moves.row[given]),
        brokers=ids,
    )
    return replace(plan, findings=(finding, *plan.findings))


def _without_under_way(plan: Plan) -> ClusterLayout:
    """The layout without partitions whose reassignment is under way: their newcomers are not in sync yet."""
    rows = [finding.rows for finding in plan.findings if finding.kind == "planned_over_target"]
    if not rows:
        return plan.current
    stand = np.ones(plan.current.partition_count, np.bool_)
    stand[np.concatenate(rows)] = False
    return plan.current.select(stand)
