"""What was told, as columns -> ``ClusterLayout``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from reseat.formats.rows.masks import mask_of
from reseat.model import NONE, NOT_TOLD, BoolArray, Broker, ClusterLayout
from reseat.model.snapshot import GAPS_BY_PROTOCOL
from reseat.sources.kafka_admin.partitions import PartitionsTold, padded
from reseat.sources.kafka_admin.placing import Placed

__all__ = ["Lists", "assembled"]

_Lists: TypeAlias = Mapping[tuple[str, int], tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class Lists:
    """Lists of brokers that few partitions have, by topic and partition; None: not told of any.

    Attributes:
        adding: replicas that a reassignment under way adds.
        removing: replicas that it removes.
        eligible: eligible leader replicas.
        last_known_eligible: last known eligible leader replicas.
    """

    adding: _Lists
    removing: _Lists
    eligible: _Lists | None
    last_known_eligible: _Lists | None


def assembled(
    told: PartitionsTold, brokers: Iterable[Broker], min_in_sync: Mapping[str, int], placed: Placed, lists: Lists
) -> ClusterLayout:
    """Put a layout together; its rows are those of ``told``.

    Args:
        told: what metadata told.
        brokers: every broker with its state.
        min_in_sync: ``min.insync.replicas`` in force by topic; a topic that is absent is not told.
        placed: sizes and directories.
        lists: what few partitions have.

    Raises:
        LayoutInvalid: what was told is no layout (a topic or a partition told twice).
    """
    moving = bool(lists.adding or lists.removing)
    layout = ClusterLayout.from_columns(
        topics=told.topics,
        topic_of=told.topic_of,
        partition=told.partition,
        replicas=told.replicas,
        brokers=brokers,
        leader=told.leader,
        leader_epoch=np.where(told.leader_epoch >= 0, told.leader_epoch, NOT_TOLD),
        in_sync=mask_of(told.replicas, told.in_sync)[0],
        eligible=_mask(told, lists.eligible),
        last_known_eligible=_mask(told, lists.last_known_eligible),
        log_dir=placed.log_dir if placed.paths else None,
        log_dirs=placed.paths,
        min_in_sync=[min_in_sync.get(name, NONE) for name in told.topics] if min_in_sync else None,
        topic_ids=told.topic_ids if any(told.topic_ids) else None,
        size_bytes=placed.size_bytes if np.isfinite(placed.size_bytes).any() else None,
        adding=_mask(told, lists.adding) if moving else None,
        removing=_mask(told, lists.removing) if moving else None,
    )
    return replace(layout, gaps=GAPS_BY_PROTOCOL["admin"])


def _mask(told: PartitionsTold, lists: _Lists | None) -> BoolArray | None:
    """Lists of a few partitions as a mask over all replicas; partitions that metadata does not tell are passed over."""
    if lists is None:
        return None
    code = {name: position for position, name in enumerate(told.topics)}
    known = [key for key in lists if key[0] in code]
    rows = told.rows(
        np.array([code[topic] for topic, _ in known], np.int64), np.array([part for _, part in known], np.int64)
    )
    named = padded([lists[key] for key in known])[rows >= 0]
    rows = rows[rows >= 0]
    mask = np.zeros(told.replicas.shape, np.bool_)
    mask[rows] = mask_of(told.replicas[rows], named)[0]
    return mask
