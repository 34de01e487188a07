"""An unclean leader election on request, previewed: ``ElectLeaders`` of type UNCLEAN, partition by partition.

Promises: for each partition, the leader that Kafka's controller would choose, whether that loses data, and Kafka's
answer by name.

Needs: replica lists in assignment order and, to say anything, leaders; rows that tell neither are left alone.

How: asked for a partition that has a leader, there is nothing to do. The controllers differ in what that means. In the
ZooKeeper era a leader whose broker is dead counts as none; a KRaft controller goes by what is recorded. Then both try
the ISR first, in assignment order (KRaft, where it is empty, eligible leader replicas, and where there are none the
last known leader: KIP-966), and after it any replica that is alive, which loses what that one had not copied.

Example: [1, 2, 3], no leader, ISR 1, broker 1 dead: 2 leads. Records that 1 alone had are lost.

Complexity: O(P R). Source: ``KafkaController.processReplicaLeaderElection`` (2.8),
``ReplicationControlManager.electLeader`` and ``PartitionChangeBuilder`` (3.9); KIP-460, KIP-183.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from reseat.election import rules
from reseat.election.candidates import candidates, column_of, electable, last_known
from reseat.election.outcome import ElectionPreview, Reason
from reseat.election.rules import Mode
from reseat.model import NONE, NOT_TOLD, BoolArray, ClusterLayout, IntArray
from reseat.model.arrays import row_any
from reseat.model.wording import counted, verb

__all__ = ["unclean"]


def unclean(layout: ClusterLayout, mode: Mode = "zookeeper") -> ElectionPreview:
    """Preview an unclean election of every partition.

    Args:
        layout: the layout; it is not changed.
        mode: which controller decides.
    """
    can = candidates(layout)
    rows, width = layout.replicas.shape
    leader = layout.leader
    order_told = layout.order_told[layout.topic_of] if len(layout.topics) else np.zeros(rows, np.bool_)
    clean = column_of(layout.replicas, rules.offline(can.alive, electable(layout, can, mode), unclean=False))
    eligible = (clean != NONE) & ~row_any(can.in_sync & can.alive)
    known = column_of(layout.replicas, last_known(layout, can, mode))
    anyone = column_of(layout.replicas, rules.first_column(can.alive))
    leads = leader >= 0
    if mode == "zookeeper":
        leads &= row_any((layout.replicas == leader[:, None]) & can.alive)
    empty = ~(layout.replicas != NONE).any(axis=1) if width else np.ones(rows, np.bool_)
    # A decision table: the first row that holds decides.
    table: list[tuple[BoolArray, Reason, IntArray]] = [
        (empty, Reason.NO_REPLICAS, leader),
        (leader == NOT_TOLD, Reason.LEADER_NOT_TOLD, leader),
        (leads, Reason.KEEPS_LEADING, leader),
        (~order_told, Reason.ORDER_NOT_TOLD, leader),
        (eligible, Reason.ELIGIBLE, clean),
        (clean != NONE, Reason.TAKES_OVER, clean),
        (known != NONE, Reason.LAST_KNOWN, known),
        (anyone != NONE, Reason.UNCLEAN, anyone),
        (leader == NONE, Reason.WAS_OFFLINE, leader),
    ]
    conditions = [row[0] for row in table]
    reason = np.select(conditions, [np.uint8(row[1]) for row in table], np.uint8(Reason.NO_CANDIDATE))
    after = np.select(conditions, [row[2] for row in table], leader).astype(np.int32)
    preview = ElectionPreview.of(layout, after, reason.astype(np.uint8), can.assumed)
    return replace(preview, sentences=_sentences(preview))


def _sentences(preview: ElectionPreview) -> tuple[str, ...]:
    counts = preview.counts()
    back = counts.get(Reason.TAKES_OVER, 0) + counts.get(Reason.ELIGIBLE, 0)
    lossy = counts.get(Reason.UNCLEAN, 0) + counts.get(Reason.LAST_KNOWN, 0)
    stuck = counts.get(Reason.WAS_OFFLINE, 0) + counts.get(Reason.NO_CANDIDATE, 0)
    said = []
    if not back + lossy:
        said.append("An unclean election changes no leader.")
    if back:
        said.append(f"{counted(back, 'partition')} {verb(back, 'gets', 'get')} an in-sync leader: nothing is lost.")
    if lossy:
        said.append(
            f"{counted(lossy, 'partition')} {verb(lossy, 'gets', 'get')} an out-of-sync leader: records it had not "
            "copied are lost, even if they were acknowledged."
        )
    if stuck:
        said.append(f"{counted(stuck, 'partition')} {verb(stuck, 'stays', 'stay')} offline: no replica is alive.")
    number = counts.get(Reason.LEADER_NOT_TOLD, 0)
    if number:
        said.append(
            f"The leader of {counted(number, 'partition')} is unknown, so whether an election is needed is unknown, "
            "too."
        )
    return tuple(said)
