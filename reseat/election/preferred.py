"""A preferred-leader election, previewed: for a layout as it is, and for a plan once it is done.

Promises: for each partition, the leader that Kafka's controller would choose, and why.

Needs: replica lists in assignment order; rows whose order is not told are left alone and say so.

How: the preferred replica (column 0) is elected if its broker is alive and it is in sync; otherwise nothing changes.
Only a KRaft controller, asked for a partition whose leader is missing or cannot lead, goes on to the next replica
that can, and gives the old leader up if there is none. For a plan,
first the reassignment election: the leader stays if it is in the target and alive, else the first of the target that is
alive takes over (a reassignment is done when the ISR holds the whole target).

Example: assignments [0, 1], [1, 0], [0, 1] all led by 1: leaders go back to 0, 1, 0; the second is "already led".

Complexity: O(P R), about 0.1 s for a million partitions at RF 3.

Source: ``KafkaController.processReplicaLeaderElection`` (2.8), ``ReplicationControlManager.electLeader`` (3.9),
KIP-460; the reassignment election is ``ReassignPartitionLeaderElectionStrategy`` (KIP-455).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from reseat.election import rules
from reseat.election.candidates import candidates, column_of, electable
from reseat.election.done import once_done
from reseat.election.outcome import ElectionPreview, Reason, leader_counts, less_even
from reseat.election.rules import Mode
from reseat.model import NONE, NOT_TOLD, BoolArray, ClusterLayout, IntArray, Plan
from reseat.model.arrays import row_any
from reseat.model.wording import counted, verb

__all__ = ["after_plan", "preferred"]


def preferred(layout: ClusterLayout, mode: Mode = "zookeeper") -> ElectionPreview:
    """Preview a preferred-leader election of every partition.

    A partition whose leader is not told gets its preferred replica where that can lead, and keeps the reason
    ``LEADER_NOT_TOLD``, since whether this is a change is not known.

    Args:
        layout: the layout; it is not changed.
        mode: which controller decides; they differ only for partitions whose leader is missing or not alive.
    """
    can = candidates(layout)
    rows, width = layout.replicas.shape
    first = layout.replicas[:, 0] if width else np.full(rows, NONE, np.int32)
    wins = rules.preferred(can.alive, electable(layout, can, mode)) != NONE
    electable_now = can.alive & electable(layout, can, mode)
    next_one = column_of(layout.replicas, rules.first_column(electable_now))
    leader = layout.leader
    order_told = layout.order_told[layout.topic_of] if len(layout.topics) else np.zeros(rows, np.bool_)
    alive_first = can.alive[:, 0] if width else np.zeros(rows, np.bool_)
    observer_first = np.zeros(rows, np.bool_) if layout.observers is None else layout.observers[:, 0]
    # A KRaft controller does not leave a partition to a leader that is fenced, shutting down or gone.
    leads = row_any((layout.replicas == leader[:, None]) & electable_now)
    replaced = ~leads if mode == "kraft" else np.zeros(rows, np.bool_)
    # A decision table: the first row that holds decides.
    table: list[tuple[BoolArray, Reason, IntArray]] = [
        (first == NONE, Reason.NO_REPLICAS, leader),
        (~order_told, Reason.ORDER_NOT_TOLD, leader),
        (leader == NOT_TOLD, Reason.LEADER_NOT_TOLD, np.where(wins, first, leader)),
        (leader == first, Reason.ALREADY_LED, leader),
        (wins, Reason.ELECTED, first),
        (replaced & (next_one != NONE), Reason.OTHER_ELECTED, next_one),
        (replaced & (leader != NONE), Reason.LEADER_GIVEN_UP, next_one),
        (observer_first, Reason.PREFERRED_IS_OBSERVER, leader),
        (~alive_first, Reason.PREFERRED_NOT_ALIVE, leader),
    ]
    conditions = [row[0] for row in table]
    reason = np.select(conditions, [np.uint8(row[1]) for row in table], np.uint8(Reason.PREFERRED_NOT_IN_SYNC))
    after = np.select(conditions, [row[2] for row in table], leader).astype(np.int32)
    preview = ElectionPreview.of(layout, after, reason.astype(np.uint8), can.assumed)
    return replace(preview, sentences=_sentences(preview, less_even(layout, preview)))


def after_plan(plan: Plan, mode: Mode = "zookeeper") -> ElectionPreview:
    """Who leads once a plan is done (``leader_done``), and after a preferred election then (``leader_after``).

    Args:
        plan: the plan; its current and proposed layouts hold the same partitions, row by row.
        mode: which controller decides.
    """
    done = once_done(plan)
    preview = preferred(done, mode)
    current = plan.current
    known = bool((current.leader != NOT_TOLD).any())
    brokers = done.brokers
    before = current if current.brokers == brokers else current.with_brokers(brokers)
    planned = replace(
        preview,
        leader_before=current.leader_ids,
        leaders_before=leader_counts(before, before.leader) if known else None,
        leader_done=done.leader_ids,
        leaders_done=leader_counts(done, done.leader),
    )
    moved = planned.while_moving
    hand_over = "No leader changes while data moves."
    if moved:
        hand_over = (
            f"{counted(moved, 'partition')} {verb(moved, 'changes', 'change')} {verb(moved, 'its', 'their')} leader "
            "while data moves, because the old leader loses its replica."
        )
    elif moved is None:
        hand_over = "Current leaders are unknown, so leader changes while data moves are unknown, too."
    return replace(planned, sentences=(hand_over, *preview.sentences))


def _sentences(preview: ElectionPreview, worse: str | None) -> tuple[str, ...]:
    counts, elected = preview.counts(), preview.elected
    said = []
    if elected:
        said.append(f"A preferred leader election changes the leader of {counted(elected, 'partition')}.")
    elif not counts.keys() & {Reason.LEADER_NOT_TOLD, Reason.ORDER_NOT_TOLD}:
        said.append("A preferred leader election changes no leader.")
    if worse is not None:
        said.append(worse)
    for reason, words in (
        (Reason.PREFERRED_NOT_ALIVE, "because the preferred replica's broker is not alive"),
        (Reason.PREFERRED_NOT_IN_SYNC, "because the preferred replica is not in the ISR"),
        (Reason.PREFERRED_IS_OBSERVER, "because the first replica is an observer"),
        (Reason.ORDER_NOT_TOLD, "because the source does not keep replica order"),
    ):
        number = counts.get(reason, 0)
        if number:
            stay = f"{verb(number, 'stays', 'stay')} as {verb(number, 'it is', 'they are')}"
            said.append(f"{counted(number, 'partition')} {stay} {words}.")
    number = counts.get(Reason.LEADER_NOT_TOLD, 0)
    if number:
        said.append(f"The leader of {counted(number, 'partition')} is unknown, so whether it changes is unknown, too.")
    guessed = int(np.count_nonzero(preview.assumed))
    if guessed:
        said.append(f"The ISR of {counted(guessed, 'partition')} is unknown: all replicas are assumed to be in sync.")
    return tuple(said)
