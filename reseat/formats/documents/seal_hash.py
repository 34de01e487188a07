"""Hashes of plans and layouts: the same for equal contents, whatever the order of keys, white space or padding."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping

import numpy as np

from reseat.model import NONE, ClusterLayout, IntArray

__all__ = ["layout_hash", "plan_hash"]


def layout_hash(layout: ClusterLayout) -> str:
    """32 hexadecimal digits that name what a plan depends on.

    That is the replica list of each partition once what is under way is done (``ClusterLayout.target``), the ids of
    the brokers, and their racks.
    """
    state = hashlib.blake2b(b"reseat layout 1", digest_size=16)
    _feed(state, "brokers", _canonical([[broker.id, broker.rack] for broker in layout.brokers]))
    _feed_lists(state, layout.target())
    return state.hexdigest()


def plan_hash(proposed: ClusterLayout, before: ClusterLayout | None, content: Mapping[str, object] | None) -> str:
    """32 hexadecimal digits of what a plan's text says: its lists and log directories, and the key's content.

    Args:
        proposed: the plan's partitions.
        before: the same with the lists from before, where the text has a key.
        content: the key but for ``hash`` and ``before``.
    """
    state = hashlib.blake2b(b"reseat plan 1", digest_size=16)
    _feed_lists(state, proposed)
    _feed_log_dirs(state, proposed)
    if before is not None:
        _feed_lists(state, before)
    if content is not None:
        _feed(state, "key", _canonical(content))
    return state.hexdigest()


def _canonical(value: object) -> bytes:
    """JSON that is the same for equal values, whatever the order of their keys."""
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def _feed(state: hashlib.blake2b, name: str, data: bytes) -> None:
    state.update(f"|{name} {len(data)}:".encode())  # with its length, so that no two contents read alike
    state.update(data)


def _feed_column(state: hashlib.blake2b, name: str, column: IntArray) -> None:
    _feed(state, name, np.asarray(column, "<i4").tobytes())


def _feed_lists(state: hashlib.blake2b, layout: ClusterLayout) -> None:
    """Partitions and their lists, without what depends on other rows: width of the matrix, topics without a row."""
    present, codes = np.unique(layout.topic_of, return_inverse=True)
    _feed(state, "topics", _canonical([layout.topics[i] for i in present.tolist()]))
    _feed_column(state, "topic_of", codes.astype(np.int32))
    _feed_column(state, "partition", layout.partition)
    _feed_column(state, "lengths", layout.replication_factor)
    ids = layout.replica_ids
    _feed_column(state, "replicas", ids[ids != NONE])


def _feed_log_dirs(state: hashlib.blake2b, layout: ClusterLayout) -> None:
    """Log directories where any is named; ``any`` throughout says as much as none."""
    if layout.log_dir is None or not (layout.log_dir != NONE).any():
        return
    codes = layout.log_dir[layout.replicas != NONE]
    used, numbers = np.unique(codes[codes != NONE], return_inverse=True)
    named = np.full(len(codes), NONE, np.int32)
    named[codes != NONE] = numbers
    _feed(state, "log_dirs", _canonical([layout.log_dirs[i] for i in used.tolist()]))
    _feed_column(state, "log_dir", named)
