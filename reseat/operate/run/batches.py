"""What the partitions of a journaled run cost, for the schedule: a run knows lists and bytes, and no layout."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import orjson

from reseat.model import NONE
from reseat.model.arrays import matrix_of
from reseat.operate.journal.records import MoveProgress
from reseat.operate.targets.target import Assignment, Partition
from reseat.schedule.batches import Work

__all__ = ["work_of_moves"]


def work_of_moves(moves: Sequence[MoveProgress], now: Mapping[Partition, Assignment]) -> Work:
    """The work of each move, row by row.

    Args:
        moves: every partition of the run.
        now: the partitions as they are, for who leads: newcomers copy from the leader.
    """
    ids = np.array(sorted({broker for move in moves for broker in (*move.before, *move.target)}), np.int32)
    place = {broker: position for position, broker in enumerate(ids.tolist())}
    newcomers = [move.newcomers for move in moves]
    receivers = matrix_of([[place[broker] for broker in brokers] for brokers in newcomers])
    copies = np.array([len(brokers) for brokers in newcomers], np.int64)
    total = np.array([np.nan if move.bytes_total is None else move.bytes_total for move in moves], np.float64)
    return Work(
        broker_ids=ids,
        sender=np.array(
            [place[_sender(move, now)] if brokers else NONE for move, brokers in zip(moves, newcomers, strict=True)],
            np.int32,
        ),
        receivers=receivers,
        bytes=np.where(copies > 0, total / np.maximum(copies, 1), 0.0),
        text_bytes=np.array([_text_bytes(move) for move in moves], np.int64),
        new_leader=np.array([move.before[:1] != move.target[:1] for move in moves], np.bool_),
    )


def _sender(move: MoveProgress, now: Mapping[Partition, Assignment]) -> int:
    told = now.get(move.key)
    if told is not None and told.leader in move.before:
        return told.leader
    return move.before[0] if move.before else move.target[0]


def _text_bytes(move: MoveProgress) -> int:
    entry = {"topic": move.topic, "partition": move.partition, "replicas": list(move.target)}
    return len(orjson.dumps(entry)) + 1
