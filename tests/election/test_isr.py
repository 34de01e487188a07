"""How ISR and ELR shrink: against one broker at a time, as the controller does it."""

from __future__ import annotations

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

from reseat.election.isr import eligible_afterwards, least_in_sync
from reseat.model import ClusterLayout
from tests.cases import cases


def one_by_one(isr: set[int], elr: set[int], leaving: list[int], least: int) -> tuple[set[int], set[int]]:
    """KIP-966, in plain words: below min ISR whoever was in ISR or ELR and is not in the ISR is eligible."""
    for broker in sorted(leaving):
        left = isr - {broker}
        elr = set() if len(left) >= least else (elr | isr) - left
        isr = left
    return isr, elr


@given(
    replicas=st.permutations([1, 2, 3, 4, 5]),
    isr=st.sets(st.sampled_from([1, 2, 3, 4, 5])),
    gone=st.sets(st.sampled_from([1, 2, 3, 4, 5])),
    least=st.integers(1, 6),
    eligible=st.sets(st.sampled_from([1, 2, 3, 4, 5])),
)
@example(replicas=[1, 2, 3, 4, 5], isr={1, 2, 3, 4}, gone={3, 4}, least=3, eligible=set())  # 4 alone
@settings(max_examples=cases(200))
def test_leaving_at_once_is_leaving_one_by_one(
    replicas: list[int], isr: set[int], gone: set[int], least: int, eligible: set[int]
) -> None:
    """For every ISR, ELR and min ISR that a controller can have."""
    floor = min(least, 5)
    eligible = set() if len(isr) >= floor else eligible - isr
    before = np.array([[broker in isr for broker in replicas]])
    layout = ClusterLayout.from_columns(
        topics=["t"],
        topic_of=[0],
        partition=[0],
        replicas=[replicas],
        in_sync=before,
        eligible=[[broker in eligible for broker in replicas]],
        min_in_sync=[least],
    )
    after = before & np.array([[broker not in gone for broker in replicas]])
    left, elr = one_by_one(isr, eligible, sorted(isr & gone), floor)
    found = eligible_afterwards(layout, before, after)

    assert least_in_sync(layout, "kraft").tolist() == [floor]
    assert {broker for broker, here in zip(replicas, after[0], strict=True) if here} == left
    assert {broker for broker, here in zip(replicas, found[0], strict=True) if here} == elr
