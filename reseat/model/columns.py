"""The columns of a layout: what each is an array of, what it has an entry for, and what stands where nothing is told.

This is the one list of them. Checks, the ways in, ``select``, ``target``, proposals, merged texts, pseudonyms, tables
and the snapshot file go by it: a new column is a field of ``ClusterLayout`` and a row of ``COLUMNS``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

__all__ = [
    "BESIDE_ISR",
    "COLUMNS",
    "MASKS",
    "NONE",
    "NOT_TOLD",
    "BoolArray",
    "Column",
    "FloatArray",
    "IntArray",
    "Longs",
]

#: The arrays that layouts are made of.
IntArray = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]
FloatArray = npt.NDArray[np.float64]

#: In ``leader``: the source says that there is no leader. In ``replicas``: padding.
NONE = -1
#: In ``leader`` and ``leader_epoch``: the source does not say.
NOT_TOLD = -2


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a layout.

    Attributes:
        kind: the type of an entry.
        per: what has an entry: each partition (``row``), each replica (a matrix, padded as ``replicas`` is), or each
            topic. ``either``: each partition or each replica, as the source tells it (sizes).
        blank: what pads a matrix, and stands for a replica or partition of which nothing is told.
        into: the tuple of the layout in which a number is a position; None: a number, or a mask.
        least: the least number that it may hold.
        whole: a layout always has the column, of ``blank`` throughout where nothing is told; else it is None then.
        label: what an operator calls the list of brokers that a mask over replicas is told as; "" for others.
    """

    kind: type[np.generic]
    per: Literal["row", "replica", "topic", "either"]
    blank: object
    into: Literal["", "brokers", "topics", "log_dirs"] = ""
    least: int = 0
    whole: bool = False
    label: str = ""

    @property
    def by_row(self) -> bool:
        """Whether its first axis is the partitions."""
        return self.per != "topic"

    def shapes(self, partitions: int, width: int, topics: int) -> tuple[tuple[int, ...], ...]:
        """Which shapes it may have in a layout of so many partitions, replicas and topics; messages say the first."""
        of_row, of_replica = (partitions,), (partitions, width)
        return {"row": (of_row,), "replica": (of_replica,), "topic": ((topics,),), "either": (of_replica, of_row)}[
            self.per
        ]


def _mask(label: str) -> Column:
    return Column(np.bool_, "replica", False, label=label)


#: Every column by its name, in the order in which tables and the snapshot file have them.
COLUMNS: dict[str, Column] = {
    "topic_of": Column(np.int32, "row", NONE, into="topics", whole=True),
    "partition": Column(np.int32, "row", NONE, whole=True),
    "replicas": Column(np.int32, "replica", NONE, into="brokers", least=NONE, whole=True),
    "leader": Column(np.int32, "row", NOT_TOLD, into="brokers", least=NOT_TOLD, whole=True),
    "leader_epoch": Column(np.int32, "row", NOT_TOLD, least=-(2**31), whole=True),
    "order_told": Column(np.bool_, "topic", False, whole=True),
    "min_in_sync": Column(np.int32, "topic", NONE, least=NONE),
    "in_sync_told": Column(np.bool_, "row", False),
    "in_sync": _mask("ISR"),
    "eligible": _mask("Elr"),
    "last_known_eligible": _mask("LastKnownElr"),
    "observers": _mask("Observers"),
    "adding": _mask("Adding Replicas"),
    "removing": _mask("Removing Replicas"),
    "log_dir": Column(np.int32, "replica", NONE, into="log_dirs", least=NONE),
    "size_bytes": Column(np.float64, "either", np.nan),
}
#: The masks over replicas, which sources tell as lists of brokers.
MASKS = tuple(name for name, column in COLUMNS.items() if column.label)
#: Those that are "none", and not "not told", where a source that knows of them does not name one.
BESIDE_ISR = tuple(name for name in MASKS if name != "in_sync")
