"""Naive placement, for comparison: partition i on broker i mod n, its replica j on (i + j) mod n.

What it promises: nothing but simplicity; no version of Kafka does it. It shows why start index and shift exist: every
topic begins on the first broker, so it has the most; partitions beyond a multiple of n pile up on the first brokers;
and the followers of a broker's partitions all sit on its next neighbours, which alone take its load when it fails.

Example: 3 brokers, 4 partitions, replication factor 2: [0, 1], [1, 2], [2, 0], [0, 1].

Complexity: O(P R), vectorised.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from reseat.errors import PlacementRefused
from reseat.model import Broker
from reseat.placement.placed import Placement, check_size
from reseat.placement.striped import refuse_repeated

__all__ = ["place_naive"]


def place_naive(
    brokers: Sequence[Broker], partitions: int, replication_factor: int, *, first_partition: int = 0
) -> Placement:
    """Place replicas one after the other over the brokers as they stand; racks play no part.

    Args:
        brokers: the brokers, in order.
        partitions: how many to place.
        replication_factor: replicas of each.
        first_partition: id of the first partition, from 0 on.

    Raises:
        PlacementRefused: no partition, no replica, more replicas than brokers, or a broker given twice.
    """
    if partitions <= 0 or replication_factor <= 0:
        raise PlacementRefused(
            f"{partitions} partitions with {replication_factor} replicas: both must be larger than 0."
        )
    if replication_factor > len(brokers):
        raise PlacementRefused(f"{replication_factor} replicas need as many brokers; there are {len(brokers)}.")
    refuse_repeated(brokers)
    check_size(partitions, replication_factor, first_partition)
    ids = np.array([broker.id for broker in brokers], np.int32)
    row = np.arange(first_partition, first_partition + partitions, dtype=np.int64)
    lists = ids[(row[:, None] + np.arange(replication_factor)) % len(ids)]
    return Placement(lists, first_partition, order=tuple(ids.tolist()))
