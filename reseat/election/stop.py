"""What happens while brokers are stopped: who takes over, what goes offline, what falls below min ISR.

Promises: for each partition led by a stopped broker, the replica that Kafka's controller would choose.

Needs: any layout. Where the ISR is not told all replicas are taken to be in sync (the rows say so); where
``min.insync.replicas`` is not told a partition cannot be said to fall below it, and it is taken to be 1.

How: the first replica in assignment order that is alive, in sync and not stopped; with unclean election, else the first
that is alive; else none. With unclean election that is so for partitions without a leader too: a ZooKeeper controller
elects for all of them when a broker fails, a KRaft one within minutes (``unclean.leader.election.interval.ms``, 4.0). A
ZooKeeper controller lets the broker retry its controlled shutdown (``controlled.shutdown.max.retries``, 3) before it
stops anyway; a KRaft controller takes it out of all ISRs at once, and where the ISR is empty then it elects an eligible
leader replica (KIP-966). The end is the same, and the end is what is shown. Brokers that stop at once leave an ISR in
ascending order of their ids: the last one stays in it and is waited for (with KIP-966, eligible ones are).

Example: [1, 2, 3], leader 1, ISR 1, 3; 1 stops: 3 takes over. [1, 2], leader 1, ISR 1: goes offline.

Complexity: O(P R).

Source: ``PartitionLeaderElectionAlgorithms`` and ``KafkaController.doControlledShutdown`` (2.8),
``PartitionChangeBuilder.electAnyLeader`` (KRaft).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from reseat.election import rules
from reseat.election.candidates import Candidates, broker_mask, candidates, column_of, electable, last_known, seen
from reseat.election.isr import eligible_afterwards, least_in_sync, shrunk, with_eligible
from reseat.election.outcome import LOSSY, ElectionPreview, Reason
from reseat.election.rules import Mode
from reseat.model import NONE, NOT_TOLD, BoolArray, ClusterLayout, IntArray, Longs
from reseat.model.arrays import on_brokers, row_any, row_counts
from reseat.model.wording import counted, named, verb

__all__ = ["StopPreview", "stop"]


@dataclass(frozen=True, eq=False)
class StopPreview:
    """What happens while brokers are stopped.

    Attributes:
        stopped: ids of the stopped brokers, ascending.
        election: who leads before and after, with the reason.
        offline: (n,) int64 rows that lose their leader and get no other.
        unclean: (n,) int64 rows that get a leader which was not in sync: data may be lost.
        below_min_isr: (n,) int64 rows that fall below ``min.insync.replicas`` (where told): writes with acks=all
            are refused. Rows that go offline are not repeated here.
        under_replicated: (n,) int64 rows that have a leader and fewer replicas in sync.
        in_sync_after: (P, R) bool, the ISR while they are stopped.
        eligible_after: (P, R) bool, eligible leader replicas then (KIP-966); None where the layout or the controller
            has none.
        sentences: what happens, for a person.
    """

    stopped: tuple[int, ...]
    election: ElectionPreview
    offline: Longs
    unclean: Longs
    below_min_isr: Longs
    under_replicated: Longs
    in_sync_after: BoolArray
    eligible_after: BoolArray | None = None
    sentences: tuple[str, ...] = ()


def stop(
    layout: ClusterLayout, broker_ids: Iterable[int], *, unclean: bool = False, mode: Mode = "zookeeper"
) -> StopPreview:
    """Preview brokers being stopped, all at once; the layout is not changed.

    Args:
        layout: the layout.
        broker_ids: the brokers to stop.
        unclean: ``unclean.leader.election.enable``.
        mode: which controller decides.

    Raises:
        WishRefused: the layout does not know one of the brokers.
    """
    stopped = broker_mask(layout, broker_ids)
    can = candidates(layout)
    gone = on_brokers(layout.replicas, stopped)
    remaining = can.alive & ~gone
    after, reason = _takeover(layout, can, remaining, stopped, unclean=unclean, mode=mode)
    shrunken = shrunk(layout, can, gone, mode)
    in_sync_after = _in_sync_while_stopped(layout, shrunken, reason, after)
    eligible_after, lossy = None, np.isin(reason, LOSSY)
    if with_eligible(layout, mode):
        eligible_after = eligible_afterwards(layout, can.in_sync, shrunken)
        eligible_after &= ~in_sync_after
        eligible_after[lossy] = False
    went = reason == Reason.NO_CANDIDATE
    floor = least_in_sync(layout, mode)
    count_before = row_counts(can.in_sync)
    count_after = row_counts(in_sync_after)
    below = (count_before >= floor) & (count_after < floor) & ~went
    preview = StopPreview(
        stopped=tuple(layout.broker_ids[stopped].tolist()),
        election=ElectionPreview.of(layout, after, reason, can.assumed),
        offline=np.flatnonzero(went),
        unclean=np.flatnonzero(lossy),
        below_min_isr=np.flatnonzero(below),
        under_replicated=np.flatnonzero((count_after < count_before) & ~went),
        in_sync_after=in_sync_after,
        eligible_after=eligible_after,
    )
    return replace(preview, sentences=tuple(_sentences(preview, mode, unclean=unclean)))


def _takeover(
    layout: ClusterLayout, can: Candidates, remaining: BoolArray, stopped: BoolArray, *, unclean: bool, mode: Mode
) -> tuple[IntArray, npt.NDArray[np.uint8]]:
    """(P,) leader positions afterwards, and the reason codes."""
    leader = layout.leader
    clean = rules.offline(remaining, electable(layout, can, mode, remaining), unclean=False)
    successor = column_of(layout.replicas, clean)
    any_alive = column_of(layout.replicas, rules.first_column(remaining & seen(layout, can)))
    eligible = (clean != NONE) & ~row_any(can.in_sync & remaining)
    led = np.append(stopped, np.zeros(2, np.bool_))[leader]  # -2 and -1 take the two further places
    known = column_of(layout.replicas, last_known(layout, replace(can, alive=remaining), mode))
    waits = leader == NONE
    involved = led | ((leader == NOT_TOLD) & row_any(on_brokers(layout.replicas, stopped))) | (waits & unclean)
    not_told = involved & (leader == NOT_TOLD)
    could = row_any(can.alive & electable(layout, can, mode))
    table: list[tuple[BoolArray, Reason, IntArray]] = [
        (waits & ~involved, Reason.WAS_OFFLINE, leader),
        (~involved & (leader == NOT_TOLD), Reason.LEADER_NOT_TOLD, leader),
        (~involved, Reason.KEEPS_LEADING, leader),
        (not_told & ((successor != NONE) | ~could), Reason.LEADER_NOT_TOLD, leader),
        (eligible, Reason.ELIGIBLE, successor),
        (successor != NONE, Reason.TAKES_OVER, successor),
        ((known != NONE) & unclean, Reason.LAST_KNOWN, known),
        ((any_alive != NONE) & unclean, Reason.UNCLEAN, any_alive),
        (waits, Reason.WAS_OFFLINE, leader),
    ]
    conditions = [row[0] for row in table]
    reason = np.select(conditions, [np.uint8(row[1]) for row in table], np.uint8(Reason.NO_CANDIDATE))
    after = np.select(conditions, [row[2] for row in table], NONE).astype(np.int32)
    return after, reason.astype(np.uint8)


def _in_sync_while_stopped(
    layout: ClusterLayout, shrunken: BoolArray, reason: npt.NDArray[np.uint8], after: IntArray
) -> BoolArray:
    """The ISR after the election: a leader that was not in it is alone in it."""
    alone = np.isin(reason, [*LOSSY, Reason.ELIGIBLE])
    kept = shrunken.copy()
    kept[alone] = layout.replicas[alone] == after[alone][:, None]
    return kept


def _sentences(preview: StopPreview, mode: Mode, *, unclean: bool) -> Iterator[str]:
    ids = preview.stopped
    if not ids:
        yield "No broker is stopped: nothing changes."
        return
    counts = preview.election.counts()
    number = counts.get(Reason.TAKES_OVER, 0) + counts.get(Reason.ELIGIBLE, 0)
    over = f"{counted(number, 'partition')} {verb(number, 'fails', 'fail')}" if number else "no partition fails"
    yield f"While {named('broker', ids, 'is', 'are')} stopped, {over} over to another replica."
    number = len(preview.offline)
    if number:
        lacking = "known to be alive" if unclean else "alive and in sync"
        yield f"{counted(number, 'partition')} {verb(number, 'goes', 'go')} offline: no other replica is {lacking}."
        if mode == "zookeeper" and not unclean:
            yield (
                "For these, the controlled shutdown is retried (controlled.shutdown.max.retries); then the broker "
                "stops anyway."
            )
    else:
        yield "No partition goes offline."
    number = len(preview.unclean)
    if number:
        yield (
            f"{counted(number, 'partition')} {verb(number, 'gets', 'get')} an out-of-sync leader: records it has not "
            "copied are lost."
        )
    number = len(preview.below_min_isr)
    if number:
        yield (
            f"{counted(number, 'partition')} {verb(number, 'falls', 'fall')} below min.insync.replicas: writes with "
            "acks=all are rejected."
        )
    number = len(preview.under_replicated)
    if number:
        fewer = "one in-sync replica fewer" if len(ids) == 1 else "fewer in-sync replicas"
        yield f"{counted(number, 'partition')} {verb(number, 'has', 'have')} {fewer}."
    number = counts.get(Reason.LEADER_NOT_TOLD, 0)
    if number:
        yield f"The leader of {counted(number, 'partition')} is unknown, so who takes over there is unknown, too."
    number = int(np.count_nonzero(preview.election.assumed))
    if number:
        yield f"The ISR of {counted(number, 'partition')} is unknown: all replicas are assumed to be in sync."
