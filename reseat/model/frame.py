"""A layout as the long table that notebooks and pages take: one row per replica."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from reseat.model.columns import NONE, NOT_TOLD
from reseat.model.layout import ClusterLayout

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["replica_table"]


def replica_table(layout: ClusterLayout) -> pd.DataFrame:
    """The long table, one row per replica.

    Columns: topic, partition, position, broker, rack, is_leader, in_sync, size_bytes.

    ``is_leader`` and ``in_sync`` are nullable booleans (NA where not told); ``size_bytes`` is NaN where not
    told; ``topic`` and ``rack`` are categoricals.
    """
    import pandas as pd  # here, so that the core starts without it

    def categorical(codes: npt.NDArray[np.integer], values: Sequence[str]) -> pd.Categorical:
        # The stubs know of sequences only; an array is taken as it is, without a list of a million numbers.
        return pd.Categorical.from_codes(codes, dtype=pd.CategoricalDtype(list(values)))  # type: ignore[arg-type]

    rows, positions = np.nonzero(layout.replicas != NONE)
    broker = layout.replicas[rows, positions]
    leader = layout.leader[rows]
    told = layout.in_sync_known[rows]
    in_sync = np.zeros(len(rows), np.bool_) if layout.in_sync is None else layout.in_sync[rows, positions]
    sizes = layout.replica_bytes
    return pd.DataFrame(
        {
            "topic": categorical(layout.topic_of[rows], layout.topics),
            "partition": layout.partition[rows],
            "position": positions.astype(np.int32),
            "broker": layout.broker_ids[broker],
            "rack": categorical(layout.rack_of[broker], layout.racks),
            "is_leader": pd.arrays.BooleanArray(broker == leader, leader == NOT_TOLD),
            "in_sync": pd.arrays.BooleanArray(in_sync, ~told),
            "size_bytes": np.full(len(rows), np.nan) if sizes is None else sizes[rows, positions],
        },
    )
