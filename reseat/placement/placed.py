"""What a placement gives: replica lists by partition, and the numbers that made them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reseat.errors import PlacementRefused
from reseat.model import IntArray
from reseat.model.naming import LARGEST_ID

__all__ = ["MOST_REPLICAS", "Placement", "check_size"]

#: The most replicas placed at once: a slip of the finger must not eat the memory.
MOST_REPLICAS = 50_000_000


@dataclass(frozen=True, eq=False)
class Placement:
    """Replica lists of one topic's partitions.

    Attributes:
        replicas: (P, R) int32 broker ids, a row a partition; column 0 is the preferred leader.
        first_id: id of the first row's partition; the others follow without gap.
        start: the start index that was drawn or given (striped), or None.
        shift: the replica shift that was drawn or given (striped), or None.
        order: broker ids in the order that the algorithm walked (striped and naive), else sorted.
        rack_aware: whether racks played a part.
    """

    replicas: IntArray
    first_id: int = 0
    start: int | None = None
    shift: int | None = None
    order: tuple[int, ...] = ()
    rack_aware: bool = False

    @property
    def partition_ids(self) -> IntArray:
        """(P,) int32: partition ids."""
        return np.arange(self.first_id, self.first_id + len(self.replicas), dtype=np.int32)

    def assignment(self) -> dict[int, list[int]]:
        """Replica ids by partition id; the readable way out."""
        return dict(enumerate(self.replicas.tolist(), self.first_id))


def check_size(partitions: int, factor: int, first_partition: int = 0) -> None:
    """Refuse what is too large to place at once, or has ids that Kafka's 32 bits do not.

    Raises:
        PlacementRefused: more than ``MOST_REPLICAS`` replicas, or a partition id beyond 32 bits.
    """
    if (last := first_partition + partitions - 1) > LARGEST_ID:
        raise PlacementRefused(f"The last partition id, {last:,}, is beyond 32 bits.")
    if partitions * max(1, factor) > MOST_REPLICAS:
        raise PlacementRefused(
            f"{partitions:,} partitions with {factor:,} replicas are {partitions * factor:,} replicas; at most "
            f"{MOST_REPLICAS:,} are placed at once."
        )
