"""What findings are made of: rows of a mask, and ids and names in words."""

from __future__ import annotations

import numpy as np

from reseat.model import BoolArray, ClusterLayout, Longs
from reseat.model.wording import counted, named

__all__ = ["brokers_named", "ids_where", "partitions", "rows_where"]


def rows_where(mask: BoolArray) -> Longs:
    """The rows that a mask over partitions chooses."""
    return np.flatnonzero(mask).astype(np.int64)


def partitions(rows: Longs) -> str:
    """How many partitions rows are, in words."""
    return counted(len(rows), "partition")


def ids_where(layout: ClusterLayout, mask: BoolArray) -> tuple[int, ...]:
    """Ids of the brokers that a mask over brokers chooses."""
    return tuple(layout.broker_ids[mask].tolist())


def brokers_named(ids: tuple[int, ...]) -> str:
    """Brokers at the beginning of a sentence."""
    return named("Broker", ids)
