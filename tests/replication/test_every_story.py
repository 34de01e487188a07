"""Every story there is, up to a length: what is called found by search is also the shortest that there is."""

from __future__ import annotations

import pytest

from reseat.replication import FOUND, Acks, Crash, Event, Partition, Produce, Restart, Rules, apply, faults
from reseat.replication.choices import possible

#: Records of one story; more than two make a story longer and no fault easier.
RECORDS = 2


def wrong(state: Partition, kind: str) -> bool:
    """Whether a state has such a fault of a record with acks=all."""
    return any(fault.kind == kind and fault.acks in (None, Acks.ALL) for fault in faults(state))


def allowed(state: Partition, event: Event, *, power: bool) -> bool:
    """Whether a story goes on like this: without ``power`` nobody loses its page cache."""
    if isinstance(event, Crash | Restart):
        return power or not event.lose
    return not isinstance(event, Produce) or len(state.acknowledged + state.pending + state.refused) < RECORDS


def first_fault(state: Partition, kind: str, *, power: bool, longest: int) -> int | None:
    """After how many events such a fault can be there at the earliest; None where no story so long has it."""
    level, seen = [state], {repr(state)}
    for length in range(1, longest + 1):
        following = []
        for now in level:
            for event in possible(now):
                if not allowed(now, event, power=power):
                    continue
                after = apply(now, event).after
                if wrong(after, kind):
                    return length
                if length < longest and (key := repr(after)) not in seen:
                    seen.add(key)
                    following.append(after)
        level = following
    return None


@pytest.mark.parametrize(
    ("name", "kind", "power"),
    [("found-loss", "lost", False), ("found-divergence", "diverged", False), ("found-last-standing", "lost", True)],
)
def test_no_shorter_story_has_the_fault(name: str, kind: str, power: bool) -> None:
    """All stories of two replicas, every event that can happen, level by level."""
    told_as = next(scenario for scenario in FOUND if scenario.name == name)

    assert first_fault(told_as.start(), kind, power=power, longest=len(told_as.story)) == len(told_as.story)


def test_with_leader_epochs_no_story_of_eight_events_has_a_fault() -> None:
    """acks=all, min ISR 2, clean election, nobody loses its page cache: not one state is wrong."""
    start = next(scenario for scenario in FOUND if scenario.name == "found-last-standing").start()

    assert start.rules == Rules(min_in_sync=2)
    assert first_fault(start, "lost", power=False, longest=8) is None
