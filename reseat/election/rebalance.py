"""What ``auto.leader.rebalance.enable`` would do: how far each broker's leaders are from its preferred ones.

Promises: for each broker the share that Kafka compares, and whether Kafka would act on it.

Needs: leaders and assignment order told; partitions for which they are not are left out of both sides of the share.

How: of all partitions that prefer a broker, the share that is led elsewhere (no leader counts as elsewhere). A
ZooKeeper controller acts on a broker whose share is above ``leader.imbalance.per.broker.percentage`` and only while no
reassignment runs anywhere in the cluster. A KRaft controller knows no percentage: it acts on every partition that is
led elsewhere and could be led by its preferred replica, at most 1,000 a round.

Example: broker 1 is preferred by 10 partitions, 1 of which is led by 2: the share is 10 percent, which is not above 10.

Complexity: O(P R).

Source: ``KafkaController.checkAndTriggerAutoLeaderRebalance`` (2.8),
``ReplicationControlManager.maybeBalancePartitionLeaders`` (KRaft, since 3.2).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reseat.election.outcome import Reason
from reseat.election.preferred import preferred
from reseat.election.rules import Mode
from reseat.model import NOT_TOLD, BoolArray, ClusterLayout, FloatArray, IntArray, Longs
from reseat.model.wording import counted, named, verb

__all__ = ["IMBALANCE_PERCENTAGE", "KRAFT_ROUND", "AutoRebalance", "auto_rebalance"]

#: The default of ``leader.imbalance.per.broker.percentage``.
IMBALANCE_PERCENTAGE = 10.0

#: The most elections of one round of a KRaft controller (``MAX_ELECTIONS_PER_IMBALANCE``).
KRAFT_ROUND = 1_000


@dataclass(frozen=True, eq=False)
class AutoRebalance:
    """What the automatic leader rebalance would do, for B brokers.

    Attributes:
        broker_ids: (B,) int32, ascending.
        preferring: (B,) int64 partitions whose preferred leader it is (leader and order told).
        led_elsewhere: (B,) int64 of these, led by another or by nobody.
        share: (B,) float64 percentage, NaN where no partition prefers it.
        acts: (B,) bool, whether the controller would elect for this broker.
        rows: (n,) int64 rows whose leader would change, ascending.
        held_back: whether a reassignment under way keeps a ZooKeeper controller from acting.
        sentences: what happens, for a person.
    """

    broker_ids: IntArray
    preferring: Longs
    led_elsewhere: Longs
    share: FloatArray
    acts: BoolArray
    rows: Longs
    held_back: bool
    sentences: tuple[str, ...]


def auto_rebalance(
    layout: ClusterLayout, percentage: float = IMBALANCE_PERCENTAGE, mode: Mode = "zookeeper"
) -> AutoRebalance:
    """How far ``auto.leader.rebalance.enable`` would act on a layout; the layout is not changed.

    Args:
        layout: the layout.
        percentage: ``leader.imbalance.per.broker.percentage``; a KRaft controller does not look at it.
        mode: which controller decides.
    """
    brokers = len(layout.brokers)
    width = layout.replicas.shape[1]
    told = layout.leader != NOT_TOLD
    if width:
        told &= layout.order_told[layout.topic_of] & (layout.replicas[:, 0] >= 0)
        first = layout.replicas[told, 0]
    else:
        told[:] = False
        first = np.zeros(0, np.int32)
    elsewhere = layout.leader[told] != first
    preferring = np.bincount(first, minlength=brokers).astype(np.int64)
    led_elsewhere = np.bincount(first[elsewhere], minlength=brokers).astype(np.int64)
    share = np.full(brokers, np.nan)
    np.divide(100.0 * led_elsewhere, preferring, out=share, where=preferring > 0)
    held_back = mode == "zookeeper" and bool(layout.under_way.any())
    acts = (led_elsewhere > 0) if mode == "kraft" else np.nan_to_num(share) > percentage
    if held_back:
        acts = np.zeros(brokers, np.bool_)
    elected = np.flatnonzero(preferred(layout, mode).reason == Reason.ELECTED)
    rows = elected[acts[layout.replicas[elected, 0]]] if width else elected
    ids = layout.broker_ids[acts].tolist()
    return AutoRebalance(
        broker_ids=layout.broker_ids,
        preferring=preferring,
        led_elsewhere=led_elsewhere,
        share=share,
        acts=acts,
        rows=rows,
        held_back=held_back,
        sentences=_sentences(ids, len(rows), int(np.count_nonzero(~told)), percentage, mode, held_back=held_back),
    )


def _sentences(
    ids: list[int], elections: int, not_told: int, percentage: float, mode: Mode, *, held_back: bool
) -> tuple[str, ...]:
    if held_back:
        said = ["The controller waits: automatic elections only happen while no reassignment is running."]
    elif not ids:
        limit = (
            ""
            if mode == "kraft"
            else f": no broker has more than {percentage:g} percent of its preferred partitions led elsewhere"
        )
        said = [f"The automatic leader rebalance would not act{limit}."]
    else:
        said = [
            f"The automatic leader rebalance would act for {named('broker', ids)} and "
            f"change the leader of {counted(elections, 'partition')}."
        ]
        if mode == "kraft" and elections > KRAFT_ROUND:
            said.append(f"It does so in {-(-elections // KRAFT_ROUND)} rounds of at most {KRAFT_ROUND:,}.")
    if not_told:
        left_out = verb(not_told, "is", "are")
        said.append(f"{counted(not_told, 'partition')} whose leader or order is unknown {left_out} not counted.")
    return tuple(said)
