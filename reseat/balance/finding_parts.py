"""What findings are made of: rows of a mask, and ids and names in words."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from reseat.model import BoolArray, ClusterLayout
from reseat.model.wording import counted, named

__all__ = ["Rows", "brokers_named", "ids_where", "partitions", "rows_where"]

#: Rows of a layout, ascending: what a finding is about.
Rows = npt.NDArray[np.int64]


def rows_where(mask: BoolArray) -> Rows:
    """The rows that a mask over partitions chooses."""
    return np.flatnonzero(mask).astype(np.int64)


def partitions(rows: Rows) -> str:
    """How many partitions rows are, in words."""
    return counted(len(rows), "partition")


def ids_where(layout: ClusterLayout, mask: BoolArray) -> tuple[int, ...]:
    """Ids of the brokers that a mask over brokers chooses."""
    return tuple(layout.broker_ids[mask].tolist())


def brokers_named(ids: tuple[int, ...]) -> str:
    """Brokers at the beginning of a sentence."""
    return named("Broker", ids)
