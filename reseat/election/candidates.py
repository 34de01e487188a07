"""Who can stand for election: what the source tells of liveness and ISR, and what is inferred where it does not.

Four rules turn what is told into who can lead:

1. A broker that is dead, fenced or shutting down cannot. One whose state is not told can, except (2).
2. Where a partition is told to have *no* leader, a broker whose state is not told cannot lead it: a controller elects a
   live member of the ISR at once, so if there were one the partition would have a leader.
3. Where the ISR is not told, all replicas are taken to be in sync; the rows are marked as assumed.
4. A broker whose state is not told and that is in no ISR leads neither by being an eligible leader replica nor by an
   unclean election: a live one would have returned to an ISR within moments, so it is down, as far as one can tell. The
   ISR of a partition without a leader is no witness: by (2) who is in it is down.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from reseat.election.rules import Mode, first_column
from reseat.errors import WishRefused
from reseat.model import NONE, BoolArray, BrokerState, ClusterLayout, IntArray
from reseat.model.arrays import on_brokers, row_any, row_counts
from reseat.model.wording import listed, named

__all__ = ["Candidates", "broker_mask", "candidates", "column_of", "electable", "last_known", "seen"]


@dataclass(frozen=True, eq=False)
class Candidates:
    """Masks over the replica columns, (P, R) bool, padding and observers False in each; and (P,) ``assumed``.

    Attributes:
        alive: the replica's broker can lead.
        in_sync: the replica is in the ISR, or in an ISR that is not told.
        assumed: (P,) bool, rows whose ISR is not told.
    """

    alive: BoolArray
    in_sync: BoolArray
    assumed: BoolArray


def candidates(layout: ClusterLayout) -> Candidates:
    """Who can stand for election in each partition, by the rules above."""
    eligible_here = layout.replicas != NONE
    if layout.observers is not None:
        eligible_here &= ~layout.observers
    alive = on_brokers(layout.replicas, layout.available)
    alive &= eligible_here
    leaderless = layout.leader == NONE
    if leaderless.any():
        up = layout.in_state(BrokerState.ALIVE, BrokerState.CORDONED)
        alive[leaderless] &= on_brokers(layout.replicas[leaderless], up)
    if layout.in_sync is None:
        in_sync = eligible_here.copy()
    else:
        in_sync = eligible_here & (layout.in_sync | ~layout.in_sync_known[:, None])
    return Candidates(alive=alive, in_sync=in_sync, assumed=~layout.in_sync_known)


def broker_mask(layout: ClusterLayout, broker_ids: Iterable[int]) -> BoolArray:
    """(B,) bool: the brokers with these ids.

    Raises:
        WishRefused: the layout does not know one of them.
    """
    asked = set(broker_ids)
    if unknown := sorted(asked.difference(layout.broker_ids.tolist())):
        raise WishRefused(
            f"{named('Broker', unknown, 'is', 'are')} not in this layout.",
            brokers=tuple(unknown),
            choices=(f"Its brokers are {listed(layout.broker_ids.tolist(), 12)}.",),
        )
    return layout.is_broker(asked)


def electable(layout: ClusterLayout, can: Candidates, mode: Mode, alive: BoolArray | None = None) -> BoolArray:
    """(P, R) bool: who may be elected cleanly: the ISR; with KRaft, where it is empty, the ELR (KIP-966).

    Args:
        layout: the layout.
        can: who can stand for election in it.
        mode: which controller decides.
        alive: (P, R) bool, who is alive, where it is not ``can.alive``: a KRaft controller takes the others out of
            the ISR before it elects.
    """
    if mode != "kraft" or layout.eligible is None:
        return can.in_sync
    empty = ~row_any(can.in_sync & (can.alive if alive is None else alive))
    return can.in_sync | (layout.eligible & seen(layout, can) & empty[:, None])


def seen(layout: ClusterLayout, can: Candidates) -> BoolArray:
    """(P, R) bool: replicas on brokers whose state is told, or that are in some ISR; by rule 4 others are down."""
    told = ~layout.in_state(BrokerState.NOT_TOLD)
    told[layout.replicas[can.in_sync & (layout.leader != NONE)[:, None]]] = True
    return on_brokers(layout.replicas, told)


def last_known(layout: ClusterLayout, can: Candidates, mode: Mode) -> IntArray:
    """(P,) int32: the column of the last known leader where it may lead (KIP-966); -1 elsewhere.

    It may where it is alive and nobody is known to have everything: ISR and ELR are both empty.
    """
    if mode != "kraft" or layout.eligible is None or layout.last_known_eligible is None:
        return np.full(layout.partition_count, NONE, np.int32)
    nobody = ~row_any(can.in_sync | layout.eligible) & (row_counts(layout.last_known_eligible) == 1)
    return first_column(can.alive & layout.last_known_eligible & nobody[:, None])


def column_of(replicas: IntArray, column: IntArray) -> IntArray:
    """The broker position in each row's column, (P,) int32; -1 where the column is -1."""
    if not replicas.shape[1]:
        return np.full(len(replicas), NONE, np.int32)
    taken = np.take_along_axis(replicas, np.maximum(column, 0)[:, None], axis=1)[:, 0]
    return np.where(column == NONE, NONE, taken).astype(np.int32)
