"""Batches: nobody overrun, small first, senders in turn, everything exactly once."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reseat.formats.documents.writers import write_layout_reassignment
from reseat.model import ClusterLayout
from reseat.schedule.batches import BatchLimits, Order, Work, batches, next_batch, work_of
from tests.cases import cases

GB = 1e9


def work(now, proposed, sizes=None, leaders=None, in_sync=None):
    """What a plan costs, from literal lists."""
    before = ClusterLayout.from_assignments(now, size_bytes=sizes, leaders=leaders, in_sync=in_sync)
    return work_of(before, ClusterLayout.from_assignments(proposed))


def everything(some):
    """All of it waits."""
    return np.ones(len(some.sender), np.bool_)


def names(some, rows):
    """Broker ids of senders."""
    return [int(some.broker_ids[i]) if i >= 0 else None for i in some.sender[rows]]


NOW = {("a", 0): [1, 6], ("a", 1): [1, 6], ("b", 0): [2, 6]}
PLAN = {("a", 0): [1, 3], ("a", 1): [1, 4], ("b", 0): [2, 5]}
SIZES = {("a", 0): 1 * GB, ("a", 1): 2 * GB, ("b", 0): 3 * GB}


def test_one_move_a_broker_lets_another_leader_go_before_a_second_move_of_the_same():
    """a-0 and b-0 go together; a-1 is led by 1 too and waits."""
    some = work(NOW, PLAN, SIZES)
    schedule = batches(some, BatchLimits(max_concurrent_moves_per_broker=1))

    assert schedule.batch.tolist() == [0, 1, 0]
    assert schedule.bytes.tolist() == [4 * GB, 2 * GB]
    assert schedule.seconds(1e6).tolist() == [3_000.0, 2_000.0]


def test_what_is_under_way_counts():
    """While a-0 is copied, a-1 waits for its sender; b-0 goes. Done, a-1 goes."""
    some = work(NOW, PLAN, SIZES)
    limits = BatchLimits(max_concurrent_moves_per_broker=1)
    waiting, under_way = np.array([False, True, True]), np.array([True, False, False])

    assert next_batch(some, waiting, under_way, limits).tolist() == [2]
    assert next_batch(some, np.array([False, True, False]), under_way, limits).tolist() == []
    assert next_batch(some, np.array([False, True, False]), None, limits).tolist() == [1]


def test_what_a_broker_sends_and_receives_counts_together():
    """Broker 2 is to receive a-0 and to send b-0: with one move a broker they do not go together."""
    some = work({("a", 0): [1], ("b", 0): [2]}, {("a", 0): [2], ("b", 0): [3]})

    assert batches(some, BatchLimits(max_concurrent_moves_per_broker=1)).batch.tolist() == [0, 1]
    assert batches(some, BatchLimits(max_concurrent_moves_per_broker=2)).batch.tolist() == [0, 0]


def test_the_leader_sends_else_who_is_in_sync_else_the_first():
    """a-0 is led by 2; of a-1 only 3 is in sync and nobody is told to lead; of a-2 nothing is told."""
    now = {("a", i): [1, 2, 3] for i in range(3)}
    some = work(now, {key: [4, 2, 3] for key in now}, leaders={("a", 0): 2}, in_sync={("a", 0): [1, 2], ("a", 1): [3]})

    assert names(some, [0, 1, 2]) == [2, 3, 1]


def test_the_first_of_the_brokers_sends_where_it_leads():
    """Broker 1 leads and is in sync, though 2 is named first."""
    now = {("a", 0): [2, 1]}

    assert work(now, {("a", 0): [2, 3]}, leaders={("a", 0): 1}, in_sync={("a", 0): [1, 2]}).sender.tolist() == [0]


def test_a_partition_with_more_newcomers_than_the_limit_goes_when_its_leader_is_idle():
    """Two newcomers at one move a broker: it goes, but not beside another of the same leader."""
    now = {("a", 0): [1], ("a", 1): [1]}
    some = work(now, {("a", 0): [1, 2, 3], ("a", 1): [1, 4]}, {("a", 0): 1.0, ("a", 1): 1.0})

    assert batches(some, BatchLimits(max_concurrent_moves_per_broker=1)).batch.tolist() in ([0, 1], [1, 0])


def test_small_go_before_large_and_sizes_that_are_not_told_last():
    """2 GB, 1 GB, not told, and a change of order, which costs nothing and comes first."""
    now = {("a", 0): [1, 2], ("a", 1): [1, 2], ("a", 2): [1, 2], ("a", 3): [1, 2]}
    plan = {("a", 0): [1, 3], ("a", 1): [1, 3], ("a", 2): [1, 3], ("a", 3): [2, 1]}
    some = work(now, plan, {("a", 0): 2 * GB, ("a", 1): GB})

    assert some.rows_by(Order.SMALLEST).tolist() == [3, 1, 0, 2]
    assert some.rows_by(Order.LARGEST).tolist() == [3, 0, 1, 2]
    assert batches(some, BatchLimits(max_concurrent_moves_per_broker=1)).batch.tolist() == [1, 0, 2, 0]


def test_partitions_whose_preferred_leader_changes_can_go_first():
    """a-2 gets another first replica: before the smaller a-1, behind a-3, which copies nothing."""
    now = {("a", 0): [1, 2], ("a", 1): [1, 2], ("a", 2): [1, 2], ("a", 3): [1, 2]}
    plan = {("a", 0): [1, 3], ("a", 1): [1, 3], ("a", 2): [3, 1], ("a", 3): [2, 1]}
    some = work(now, plan, {("a", 0): 2 * GB, ("a", 1): GB, ("a", 2): 3 * GB})

    assert some.new_leader.tolist() == [False, False, True, True]
    assert some.rows_by(Order.LEADERS).tolist() == [3, 2, 1, 0]
    one = BatchLimits(max_concurrent_moves_per_broker=1, order=Order.LEADERS)
    assert batches(some, one).batch.tolist() == [2, 1, 0, 0]


def test_how_long_it_takes_has_a_least_a_likely_and_a_most():
    """a-0 and b-0 (1 and 3 GB) together, then a-1 (2 GB); 1 sends 3 GB in all, 6 receives nothing."""
    hours = batches(work(NOW, PLAN, SIZES), BatchLimits(max_concurrent_moves_per_broker=1)).hours(1e6)

    assert (hours.low, hours.likely, hours.high) == (3_000.0, 5_000.0, 6_000.0)


def test_leaders_take_turns_among_equal_sizes():
    """Four partitions of 1 and two of 2 stand 1, 2, 1, 2, 1, 1."""
    now = {("a", i): [1, 9] for i in range(4)} | {("b", i): [2, 9] for i in range(2)}
    plan = {key: [ids[0], 8] for key, ids in now.items()}
    some = work(now, plan, dict.fromkeys(now, GB))

    assert names(some, some.rows_by(Order.SMALLEST)) == [1, 2, 1, 2, 1, 1]


def test_changes_that_copy_nothing_go_at_once_up_to_the_size_of_a_batch():
    """Five changes of order and three dropped replicas at one move a broker: as many as a batch takes."""
    now = {("a", i): [1, 2] for i in range(8)}
    plan = {("a", i): [2, 1] if i < 5 else [1] for i in range(8)}
    some = work(now, plan)

    assert len(next_batch(some, everything(some), None, BatchLimits(max_concurrent_moves_per_broker=1))) == 8
    assert (
        len(next_batch(some, everything(some), None, BatchLimits(max_concurrent_moves_per_broker=1, partitions=6))) == 6
    )
    assert batches(some, BatchLimits(partitions=6)).batch.max() == 1


def test_a_batch_stays_below_its_size_as_text():
    """The bytes counted are those of the JSON written; a partition above the limit goes alone."""
    now = {("orders", i): [100, 2] for i in range(12)} | {('x"y', 3): [1, 2]}
    plan = ClusterLayout.from_assignments({key: [2, 100] for key in now})
    some = work_of(ClusterLayout.from_assignments(now), plan)
    whole = write_layout_reassignment(plan)

    # One comma a partition is counted, and the last has none.
    assert some.text_bytes.sum() + len('{"version":1,"partitions":[]}') - 1 == len(whole.encode())
    for limit in (200, 500, 10):
        for rows in _batches_of(some, BatchLimits(batch_bytes=limit)):
            text = write_layout_reassignment(plan.select(np.sort(rows)))

            assert len(rows) == 1 or len(text.encode()) <= limit
            assert len(json.loads(text)["partitions"]) == len(rows)


def test_partitions_that_the_cluster_does_not_have_copy_nothing():
    """A partition that is gone has no sender and no receiver."""
    some = work({("a", 0): [1]}, {("a", 0): [2], ("z", 0): [2, 3]})

    assert some.sender.tolist() == [0, -1]
    assert some.copies.tolist() == [1, 0]


def test_replicas_that_are_being_added_already_are_not_copied_again():
    """The list as it is, newcomers under way included, says who holds the partition."""
    some = work({("a", 0): [3, 1]}, {("a", 0): [3]})

    assert some.copies.tolist() == [0]


def test_nothing_to_do_has_no_batch():
    """An empty plan is an empty schedule."""
    some = work({("a", 0): [1]}, {})

    assert len(batches(some)) == 0
    assert next_batch(some, everything(some)).tolist() == []


def test_unknown_sizes_are_counted_and_not_guessed():
    """One of three sizes is missing: it is in no sum."""
    some = work(NOW, PLAN, {("a", 0): GB, ("a", 1): GB})
    schedule = batches(some)

    assert schedule.bytes.tolist() == [2 * GB]
    assert schedule.unknown.tolist() == [1]


def test_limits_must_let_something_through():
    """No move a broker, or no partition a batch, would never end."""
    with pytest.raises(ValueError, match="At least one"):
        BatchLimits(max_concurrent_moves_per_broker=0)
    with pytest.raises(ValueError, match="At least one"):
        BatchLimits(partitions=0)


# ---- properties ------------------------------------------------------------------------------------------------


@st.composite
def some_work(draw):
    """Random work: some change nothing but order, some have several newcomers, some sizes are not told."""
    brokers = draw(st.integers(2, 6))
    number = draw(st.integers(0, 40))
    rows = []
    for _ in range(number):
        sender = draw(st.integers(0, brokers - 1))
        others = [b for b in range(brokers) if b != sender]
        receivers = draw(st.lists(st.sampled_from(others), max_size=3, unique=True))
        size = draw(st.sampled_from([0.0, 1.0, 5.0, np.nan]))
        rows.append((sender if receivers else -1, receivers + [-1] * (3 - len(receivers)), size))
    return Work(
        broker_ids=np.arange(brokers, dtype=np.int32) * 10,
        sender=np.array([row[0] for row in rows], np.int32),
        receivers=np.array([row[1] for row in rows], np.int32).reshape(number, 3),
        bytes=np.array([row[2] for row in rows], np.float64),
        text_bytes=np.array(draw(st.lists(st.integers(40, 90), min_size=number, max_size=number)), np.int64),
        new_leader=np.array(draw(st.lists(st.booleans(), min_size=number, max_size=number)), np.bool_),
    )


limits = st.builds(
    BatchLimits,
    order=st.sampled_from(Order),
    max_concurrent_moves_per_broker=st.integers(1, 6),
    batch_bytes=st.one_of(st.none(), st.integers(1, 400)),
    partitions=st.integers(1, 50),
)


def _batches_of(some, bounds):
    batch = batches(some, bounds).batch
    return [np.flatnonzero(batch == i) for i in range(int(batch.max(initial=-1)) + 1)]


def _load(some, rows, most):
    """Moves at each broker, one by one; a partition above the limit by itself counts as the limit at its sender."""
    load = dict.fromkeys(range(len(some.broker_ids)), 0)
    for row in rows:
        receivers = [int(b) for b in some.receivers[row] if b >= 0]
        for broker in receivers:
            load[broker] += 1
        if receivers:
            load[int(some.sender[row])] += min(most, len(receivers))
    return load


@given(some_work(), limits)
@settings(max_examples=cases(150), deadline=None)
def test_every_partition_goes_exactly_once_within_the_limits(some, bounds):
    """No batch is empty, none breaks a limit, and together they are the plan."""
    all_batches = _batches_of(some, bounds)

    assert sorted(np.concatenate([*all_batches, np.empty(0, np.int64)]).tolist()) == list(range(len(some.sender)))
    for rows in all_batches:
        assert 0 < len(rows) <= bounds.partitions
        assert (
            max(_load(some, rows, bounds.max_concurrent_moves_per_broker).values())
            <= bounds.max_concurrent_moves_per_broker
        )
        text = int(some.text_bytes[rows].sum()) + 29
        assert bounds.batch_bytes is None or len(rows) == 1 or text <= bounds.batch_bytes


@given(some_work(), limits, st.randoms(use_true_random=False))
@settings(max_examples=cases(100), deadline=None)
def test_an_execution_ends_whatever_finishes_when(some, bounds, chance):
    """Batches sent while others run, which end in any order: limits hold at every moment, and all is done."""
    waiting, under_way = everything(some), np.zeros(len(some.sender), np.bool_)
    sent = []
    while waiting.any() or under_way.any():
        rows = next_batch(some, waiting, under_way, bounds)
        waiting[rows], under_way[rows] = False, True
        sent += rows.tolist()
        flying = np.flatnonzero(under_way)

        assert flying.size  # progress: nothing under way and nothing sent would wait for ever
        assert (
            max(_load(some, flying, bounds.max_concurrent_moves_per_broker).values())
            <= bounds.max_concurrent_moves_per_broker
        )
        done = [row for row in flying.tolist() if chance.random() < 0.5] or [int(flying[0])]
        under_way[done] = False

    assert sorted(sent) == list(range(len(some.sender)))


@given(some_work(), limits)
@settings(max_examples=cases(60), deadline=None)
def test_the_first_batch_of_the_preview_is_the_first_that_is_sent(some, bounds):
    """Preview and execution choose alike, and each time alike."""
    first = next_batch(some, everything(some), None, bounds)

    assert sorted(first.tolist()) == np.flatnonzero(batches(some, bounds).batch == 0).tolist()
    assert first.tolist() == next_batch(some, everything(some), None, bounds).tolist()


@given(some_work(), limits)
@settings(max_examples=cases(60), deadline=None)
def test_who_goes_first_is_first_in_order(some, bounds):
    """The first in order is always in the first batch: nobody is passed over for ever."""
    if len(some.sender):
        assert int(some.rows_by(bounds.order)[0]) in next_batch(some, everything(some), None, bounds).tolist()
