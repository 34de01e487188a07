"""How long a plan takes: who sends, who receives, and the slowest."""

from __future__ import annotations

import numpy as np
import pytest

from reseat.model import Certificate, ClusterLayout, Plan, Wish
from reseat.schedule.transfer import rollback, transfer

BEFORE = {("a", 0): [1, 2], ("a", 1): [1, 3], ("a", 2): [2, 3]}
AFTER = {("a", 0): [1, 4], ("a", 1): [1, 4], ("a", 2): [2, 4, 3]}
SIZES = {("a", 0): 6e9, ("a", 1): 3e9, ("a", 2): 1e9}


def planned(sizes):
    """Brokers 2 and 3 give a replica each to 4, and 4 gets a further copy of a-2; a-1 is led by 3."""
    current = ClusterLayout.from_assignments(BEFORE, leaders={("a", 1): 3}, size_bytes=sizes)
    proposed = ClusterLayout.from_assignments(AFTER, size_bytes=sizes)
    return Plan(current.with_brokers(proposed.brokers), proposed, Certificate(wish=Wish(), moves=3))


def test_data_comes_from_the_leader_and_not_from_who_leaves():
    """a-0 is sent by its first replica 1, a-1 by its leader 3, a-2 by its first replica 2; broker 4 receives all."""
    sent = transfer(planned(SIZES))

    assert sent is not None
    assert dict(zip(sent.brokers.tolist(), sent.sent.tolist(), strict=True)) == {1: 6e9, 2: 1e9, 3: 3e9, 4: 0.0}
    assert sent.received.tolist() == [0.0, 0.0, 0.0, 10e9]
    assert sent.slowest() == (4, False, 10e9)
    assert sent.seconds(1e6) == pytest.approx(10_000)


def test_sizes_that_are_not_told_are_counted_and_not_guessed():
    """One of three sizes is missing: its copy is in no sum."""
    sent = transfer(planned({("a", 0): 6e9, ("a", 1): 3e9}))

    assert sent is not None
    assert (sent.copies, sent.unknown, sent.total) == (3, 1, 9e9)


def test_without_any_size_there_is_nothing_to_say():
    """None is not zero."""
    assert transfer(planned(None)) is None


def test_the_way_back_copies_what_left_and_drops_what_was_added():
    """The rollback copies a-0 to 2 and a-1 to 3 again; the further copy of a-2 is dropped and costs nothing."""
    back = rollback(planned(SIZES))
    sent = transfer(back)

    assert np.array_equal(back.proposed.replica_ids, planned(SIZES).current.replica_ids)
    assert sent is not None
    assert sent.received.tolist() == [0.0, 6e9, 3e9, 0.0]
    assert sent.total == 9e9
