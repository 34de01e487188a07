"""What a majority system would need for the same failures: 2 f + 1 replicas where an ISR needs f + 1.

Promises: exact counts for this very layout: which partitions keep a leader here while brokers are stopped, which would
have lost their majority, and how many replicas more a majority system needs to survive as much.

How: Kafka acknowledges once the ISR has a record, so that any one of it can take over: a partition with r replicas in
sync survives r - 1 failures. A majority system (Raft, Paxos) goes on while more than half of the replicas are there, so
that f failures take 2 f + 1 replicas. The price of the ISR is that it waits for its slowest member, up to
``replica.lag.time.max.ms``, before it goes on without it.

Example: 1,000 partitions with three replicas: Kafka survives 2 failures of a partition, a majority of three survives 1;
to survive 2 it needs five: 2,000 replicas more.

Complexity: O(P R). Source: Kafka's design documentation on ISR against majority vote; KIP-966 for its limits.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from reseat.election.candidates import broker_mask
from reseat.election.rules import Mode
from reseat.election.stop import stop
from reseat.model import NONE, ClusterLayout
from reseat.model.arrays import on_brokers, row_counts
from reseat.model.wording import counted, named, verb

__all__ = ["Majority", "against_majority"]


@dataclass(frozen=True, slots=True)
class Majority:
    """An ISR and a majority system side by side, for one layout and the same stopped brokers.

    Attributes:
        stopped: ids of the stopped brokers.
        led: partitions with a leader while they are stopped, as Kafka decides.
        would_decide: partitions of which more than half of the replicas are still alive.
        replicas: replicas of the layout.
        replicas_needed: replicas that a majority system needs to survive as many failures of each partition.
        bytes_needed: bytes of the further replicas, or None where sizes are not told.
        sentences: for a person.
    """

    stopped: tuple[int, ...]
    led: int
    would_decide: int
    replicas: int
    replicas_needed: int
    bytes_needed: float | None
    sentences: tuple[str, ...]


def against_majority(
    layout: ClusterLayout, brokers: Iterable[int], mode: Mode = "zookeeper", *, unclean: bool = False
) -> Majority:
    """Compare for these brokers being stopped at once, beside those that are down already.

    Args:
        layout: the layout.
        brokers: ids of the brokers.
        mode: which controller decides.
        unclean: ``unclean.leader.election.enable``.

    Raises:
        WishRefused: the layout does not know one of them.
    """
    ids = tuple(sorted(set(brokers)))
    down = sorted({*ids, *layout.broker_ids[layout.away].tolist()})
    gone = on_brokers(layout.replicas, broker_mask(layout, ids))
    held = layout.replicas != NONE
    factor = row_counts(held)
    up = on_brokers(layout.replicas, layout.available) & held & ~gone
    if layout.observers is not None:
        up &= ~layout.observers
    alive = row_counts(up)
    after = stop(layout, ids, unclean=unclean, mode=mode).election.leader_after
    led = after != NONE
    decides = alive * 2 > factor
    needed = np.maximum(2 * (factor - 1) + 1, factor) * (factor > 0)
    sizes = layout.replica_bytes
    further: float | None = None
    if sizes is not None:
        largest = np.nan_to_num(np.where(held, sizes, np.nan), nan=0.0).max(axis=1, initial=0.0)
        further = float((largest * (needed - factor)).sum())
    replicas, wanted = int(factor.sum()), int(needed.sum())
    return Majority(
        ids,
        int(led.sum()),
        int(decides.sum()),
        replicas,
        wanted,
        further,
        tuple(_sentences(down, int((led & ~decides).sum()), int((~led & decides).sum()), replicas, wanted)),
    )


def _sentences(ids: list[int], only_here: int, only_there: int, replicas: int, wanted: int) -> list[str]:
    """``only_here``: partitions that Kafka alone leads; ``only_there``: those that a majority system alone would."""
    said = []
    if ids:
        down = f"With {named('broker', ids)} stopped"
        if only_here:
            said.append(
                f"{down}, {counted(only_here, 'partition')} {verb(only_here, 'has', 'have')} a leader but would have "
                "none with a majority quorum of the same replicas."
            )
        if only_there:
            said.append(
                f"{counted(only_there, 'partition')} {verb(only_there, 'has', 'have')} a majority of replicas alive "
                "but no leader: the in-sync replicas are stopped, and an ISR waits for them."
            )
        if not only_here and not only_there:
            said.append(f"{down}, a majority quorum of the same replicas keeps the same partitions available.")
    if wanted > replicas:
        said.append(
            "To survive as many failures (f with f + 1 replicas), a majority quorum needs 2 f + 1: "
            f"{counted(wanted, 'replica')} instead of {replicas:,}."
        )
    return said
