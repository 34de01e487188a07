"""What the partitions of a run cost the schedule."""

from __future__ import annotations

import numpy as np

from reseat.operate.journal.records import MoveProgress
from reseat.operate.run.batches import work_of_moves
from reseat.operate.targets.target import Assignment

#: Of orders-0 two replicas are copied, of orders-1 only the order changes, of orders-13 no size is told.
MOVES = [
    MoveProgress("orders", 0, (10, 20), (10, 30, 40), (), "waiting", bytes_total=600),
    MoveProgress("orders", 1, (10, 20), (20, 10), (), "waiting"),
    MoveProgress("orders", 12, (20, 10), (20, 40), (), "waiting", bytes_total=90),
    MoveProgress("orders", 13, (10,), (30,), (), "waiting"),
]


def test_each_partition_is_copied_from_its_leader_to_its_newcomers() -> None:
    """Led by another than the preferred, by a stranger, or by nobody that is told: then by the first of its list."""
    told = Assignment((10, 20), leader=20, in_sync=(20,))
    stranger = Assignment((20, 10), leader=30, in_sync=(20,))
    work = work_of_moves(MOVES, {("orders", 0): told, ("orders", 12): stranger})
    untold = work_of_moves(MOVES, {})

    assert work.broker_ids.tolist() == [10, 20, 30, 40]
    assert work.sender.tolist() == [1, -1, 1, 0]
    assert untold.sender.tolist() == [0, -1, 1, 0]
    assert work.receivers.tolist() == [[2, 3], [-1, -1], [3, -1], [2, -1]]
    assert work.new_leader.tolist() == [False, True, False, True]


def test_bytes_are_those_of_one_copy_and_of_its_entry_in_a_request() -> None:
    """600 bytes for two newcomers are 300 each; a comma belongs to an entry."""
    work = work_of_moves(MOVES, {})

    assert np.array_equal(work.bytes, [300.0, 0.0, 90.0, np.nan], equal_nan=True)
    assert work.text_bytes.tolist() == [
        len('{"topic":"orders","partition":0,"replicas":[10,30,40]},'),
        len('{"topic":"orders","partition":1,"replicas":[20,10]},'),
        len('{"topic":"orders","partition":12,"replicas":[20,40]},'),
        len('{"topic":"orders","partition":13,"replicas":[30]},'),
    ]


def test_a_partition_without_a_list_is_copied_from_where_it_is_to_be() -> None:
    """As a text told it; there is nobody else to name."""
    (sender,) = work_of_moves([MoveProgress("orders", 0, (), (30, 10), (), "waiting")], {}).sender.tolist()

    assert sender == 1
