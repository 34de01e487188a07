"""The shortest stories that end in a fault; nobody wrote these, a checker came to them.

One search plays random events, keeps a story that ends in the fault asked for, and takes away what the fault does not
need (Hypothesis); another goes through every story of two replicas level by level. The tests hold the first to finding
stories no longer than these, and the second to finding none that is shorter. So the two faults of the high watermark
(KIP-101) and the last replica standing (KIP-966) are there without anybody having thought of them.
"""

from __future__ import annotations

from reseat.replication.events import Crash, Elect, Event, Fetch, FetchResponse, Produce, Restart, Return
from reseat.replication.scenarios import Scenario
from reseat.replication.state import Rules, Truncation

__all__ = ["FOUND"]

_BY_HW = Rules(truncation=Truncation.HIGH_WATERMARK)
_SAFE = Rules(truncation=Truncation.LEADER_EPOCH, min_in_sync=2)

#: One record on both replicas, acknowledged; the follower has not heard so yet.
_ACKNOWLEDGED: tuple[Event, ...] = (Produce("m1"), Fetch(2), FetchResponse(2), Fetch(2))
_LOSS: tuple[Event, ...] = (*_ACKNOWLEDGED, Restart(2), Crash(1), Elect())

#: In the order of a list.
FOUND: tuple[Scenario, ...] = (
    Scenario(
        "found-loss",
        "Model-checked: an acknowledged record is lost",
        "Seven events are enough, the proven minimum, when followers truncate to the high watermark: restart between "
        "the two fetches, then lead. No broker lost its disk, and no election was unclean.",
        (1, 2),
        1,
        _BY_HW,
        _LOSS,
    ),
    Scenario(
        "found-divergence",
        "Model-checked: two replicas diverge unnoticed",
        "Two events more: the new leader appends m2 at the offset of m1, and the old one returns with m1 below its "
        "high watermark and truncates nothing. Both consider their record committed.",
        (1, 2),
        1,
        _BY_HW,
        (*_LOSS, Produce("m2"), Return(1)),
    ),
    Scenario(
        "found-last-standing",
        "Model-checked: last replica standing loses data",
        "Leader epochs, acks=all, min ISR 2 and clean elections do not help if the last in-sync replica loses its page "
        "cache and may still lead (KIP-966).",
        (1, 2),
        1,
        _SAFE,
        (*_ACKNOWLEDGED, Crash(2), Crash(1, lose=True), Return(1), Elect()),
    ),
)
