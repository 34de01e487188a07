"""A schedule looked at: bytes of each broker over the batches, racks and min ISR after each, against a plain count."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from reseat.model import Broker, Certificate, ClusterLayout, Plan, Wish
from reseat.schedule.batches import BatchLimits, batches, work_of
from reseat.schedule.figures import bytes_by_broker, standing
from tests.cases import cases

RACKS = {1: "a", 2: "a", 3: "b", 4: "b", 5: "c", 6: "c"}


def plan_of(now, after, *, sizes=None, in_sync=None, least=None, racks=RACKS):
    """A plan from literal lists; ``least`` is min.insync.replicas of all topics."""
    brokers = [Broker(broker, rack) for broker, rack in racks.items()]
    current = ClusterLayout.from_assignments(now, brokers=brokers, size_bytes=sizes, in_sync=in_sync)
    if least is not None:
        current = replace(current, min_in_sync=np.full(len(current.topics), least, np.int32))
    proposed = ClusterLayout.from_assignments(now | after, brokers=brokers)
    return Plan(current, proposed, Certificate(wish=Wish(), moves=0))


def seen(plan, after, limits):
    """Rows of the plan, its work and its batches."""
    layout = ClusterLayout.from_assignments(after)
    work = work_of(plan.current, layout)
    return plan.current.rows_of(layout), work, batches(work, limits)


def test_racks_that_get_worse_before_they_get_better_are_told():
    """a-0 leaves its second rack in the first batch; b-0, which is larger, gets one in the second."""
    now = {("a", 0): [1, 3], ("b", 0): [1, 2]}
    after = {("a", 0): [1, 2], ("b", 0): [1, 3]}
    plan = plan_of(now, after, sizes={("a", 0): 1.0, ("b", 0): 5.0})
    rows, work, preview = seen(plan, after, BatchLimits(1))
    told = standing(plan, rows, preview)

    assert told.rack_violations.tolist() == [1, 2, 1]
    assert told.at_min_isr is None
    busy = bytes_by_broker(work, preview)
    assert (busy.broker_ids.tolist(), busy.edges.tolist()) == (sorted(RACKS), [0, 1, 2])
    assert busy.bytes.tolist() == [[1.0, 5.0], [1.0, 0.0], [0.0, 5.0], *[[0.0, 0.0]] * 3]
    assert busy.busiest(2).broker_ids.tolist() == [1, 3]


def test_a_rack_that_is_drained_is_none_to_be_on_at_the_end():
    """c-0 stays on racks a and b: of three until the last batch is done, then of two, as the certificate counts."""
    now = {("a", 0): [1, 3, 5], ("b", 0): [2, 4, 6], ("c", 0): [1, 3, 4]}
    after = {("a", 0): [1, 3, 2], ("b", 0): [2, 4, 3]}
    plan = plan_of(now, after)
    plan = replace(plan, certificate=replace(plan.certificate, wish=Wish(remove=(5, 6))))
    rows, _, preview = seen(plan, after, BatchLimits(1))

    assert len(preview) == 2
    assert standing(plan, rows, preview).rack_violations.tolist() == [1, 1, 0]


def test_without_racks_and_isr_nothing_is_counted():
    """None, not nought: nobody knows."""
    now, after = {("a", 0): [1, 3]}, {("a", 0): [1, 2]}
    plan = plan_of(now, after, racks=dict.fromkeys(RACKS))
    told = standing(plan, *seen(plan, after, BatchLimits())[::2])

    assert (told.rack_violations, told.at_min_isr) == (None, None)


@st.composite
def plans(draw):
    """Small plans of one to three replicas with sizes, ISR and min ISR, some of it unknown."""
    lists = st.lists(st.sampled_from(sorted(RACKS)), min_size=1, max_size=3, unique=True)
    keys = [("t", i) for i in range(draw(st.integers(1, 8)))]
    now = {key: draw(lists) for key in keys}
    after = {key: draw(lists) for key in keys if draw(st.booleans())}
    sizes = {key: draw(st.sampled_from([1.0, 2.0, 7.0])) for key in keys if draw(st.integers(0, 4))}
    in_sync = {
        key: draw(st.lists(st.sampled_from(ids), min_size=1, unique=True))
        for key, ids in now.items()
        if draw(st.integers(0, 4))
    }
    return now, after, sizes, in_sync, draw(st.integers(1, 3))


@given(plans(), st.integers(1, 4), st.integers(1, 5))
@settings(max_examples=cases(150), deadline=None)
def test_they_are_what_one_counts_batch_by_batch(made, most, columns):
    """Lists as they are after each batch, one partition after the other."""
    now, after, sizes, in_sync, least = made
    plan = plan_of(now, after, sizes=sizes, in_sync=in_sync, least=least)
    rows, work, preview = seen(plan, after, BatchLimits(most))
    told, busy = standing(plan, rows, preview), bytes_by_broker(work, preview, columns=columns)
    order = sorted(after)
    possible = len(set(RACKS.values()))
    racks, isr = [], []
    for number in range(-1, len(preview)):
        done = {key for key, batch in zip(order, preview.batch.tolist(), strict=True) if batch <= number}
        stand = {key: after[key] if key in done else ids for key, ids in now.items()}
        racks.append(sum(len({RACKS[b] for b in ids}) < min(len(ids), possible) for ids in stand.values()))
        isr.append(sum((len(stand[key]) if key in done else len(in_sync[key])) <= least for key in in_sync))

    assert told.rack_violations.tolist() == racks
    assert (told.at_min_isr.tolist() if in_sync else told.at_min_isr) == (isr if in_sync else None)
    copies = {key: set(after[key]) - set(now[key]) for key in order}
    received = {
        broker: sum(sizes.get(key, 0.0) for key in order if broker in copies[key])
        for broker in busy.broker_ids.tolist()
    }
    sent = dict.fromkeys(received, 0.0)
    for row, key in enumerate(order):
        if copies[key]:
            sent[int(work.broker_ids[work.sender[row]])] += sizes.get(key, 0.0) * len(copies[key])
    assert busy.bytes.sum(axis=1).tolist() == [received[b] + sent[b] for b in received]
    assert np.isclose(busy.bytes.sum(), 2 * preview.bytes.sum())
    assert busy.edges[0] == 0
    assert busy.edges[-1] == len(preview)
    assert len(busy.edges) - 1 == min(columns, len(preview))
