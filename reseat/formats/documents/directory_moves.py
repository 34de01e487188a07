"""What a plan asks of log directories: which replicas are to lie in another one than they do, and what takes that back.

A replica that the plan gives a broker has no directory yet, so that only those count which stay where they are. Pure.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from reseat.formats.documents.json_rows import document, entries
from reseat.formats.documents.sealed import seal_of
from reseat.model import NONE, ClusterLayout

__all__ = ["DirectoryMove", "Named", "Partition", "directory_moves", "named_directories", "plan_text", "with_named"]

#: (topic, partition id).
Partition: TypeAlias = tuple[str, int]
#: Paths of log directories by partition and broker.
Named: TypeAlias = Mapping[Partition, Mapping[int, str]]


@dataclass(frozen=True, slots=True)
class DirectoryMove:
    """A replica that is to lie in another directory of its broker.

    Attributes:
        topic: its topic.
        partition: its id.
        broker: its broker's id.
        before: where it lies.
        target: where it shall lie.
        bytes: of the replica; None: not told.
    """

    topic: str
    partition: int
    broker: int
    before: str
    target: str
    bytes: int | None


def named_directories(layout: ClusterLayout) -> dict[Partition, dict[int, str]]:
    """The directories that a layout tells, by partition and broker; partitions with none are absent."""
    if layout.log_dir is None:
        return {}
    ids, out = layout.replica_ids, dict[Partition, dict[int, str]]()
    for row, column in zip(*(at.tolist() for at in np.nonzero(layout.log_dir != NONE)), strict=True):
        key = (layout.topics[int(layout.topic_of[row])], int(layout.partition[row]))
        out.setdefault(key, {})[int(ids[row, column])] = layout.log_dirs[int(layout.log_dir[row, column])]
    return out


def directory_moves(proposed: ClusterLayout, now: ClusterLayout) -> tuple[DirectoryMove, ...]:
    """The replicas that stay on their broker and are to lie in another directory, where it is told in which they lie.

    Args:
        proposed: the plan's partitions.
        now: the whole cluster.
    """
    wanted = named_directories(proposed)
    if not wanted:
        return ()
    rows = np.array([row for key in wanted if (row := now.row(*key)) is not None], np.int64)
    there = now.select(np.sort(rows))
    sizes, found = there.replica_bytes, []
    for row, (key, lies) in enumerate(_by_row(there)):
        for column, (broker, path) in enumerate(lies):
            target = wanted[key].get(broker, path)
            if path and target != path:
                told = np.nan if sizes is None else float(sizes[row, column])
                found.append(DirectoryMove(*key, broker, path, target, None if np.isnan(told) else int(told)))
    return tuple(found)


def _by_row(layout: ClusterLayout) -> list[tuple[Partition, list[tuple[int, str]]]]:
    """Each partition with the broker and the directory of each replica, column by column; "" where not told."""
    codes = np.full(layout.replicas.shape, NONE, np.int32) if layout.log_dir is None else layout.log_dir
    paths = (*layout.log_dirs, "")  # NONE is the last
    return [
        ((layout.topics[topic], partition), [(broker, paths[code]) for broker, code in zip(ids, lies, strict=True)])
        for topic, partition, ids, lies in zip(
            layout.topic_of.tolist(),
            layout.partition.tolist(),
            layout.replica_ids.tolist(),
            codes.tolist(),
            strict=True,
        )
    ]


def with_named(layout: ClusterLayout, named: Named) -> ClusterLayout:
    """A layout with these directories and no others."""
    paths = sorted({path for of in named.values() for path in of.values()})
    code = {path: number for number, path in enumerate(paths)}
    told = np.full(layout.replicas.shape, NONE, np.int32)
    for row, (key, lies) in enumerate(_by_row(layout)):
        for column, (broker, _) in enumerate(lies):
            if broker in named.get(key, {}):
                told[row, column] = code[named[key][broker]]
    return replace(layout, log_dir=told if paths else None, log_dirs=tuple(paths))


def plan_text(named: Named, settled: ClusterLayout) -> str:
    """Reassignment JSON of these partitions, lists as they are, with these directories; sealed if there are any.

    Args:
        named: the directory of each replica that is to lie in one, by partition and broker; of others any will do.
        settled: the whole cluster, once what is under way is done.
    """
    rows = np.array(sorted(row for key in named if (row := settled.row(*key)) is not None), np.int64)
    there = settled.select(rows).bare()
    proposed = with_named(there, named)
    sealed = seal_of(proposed, there, made_for=settled, shown={"moves": 0}) if len(rows) else ""
    return document(entries(proposed, log_dirs=True), sealed)
