"""Stories worth watching, as lists of events: the documents' own, and what operators meet.

Broker 1 is called A and broker 2 B in the documents.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from reseat.replication.events import (
    Checkpoint,
    Consume,
    Crash,
    DropResponse,
    Elect,
    Event,
    Fetch,
    FetchResponse,
    Flush,
    Produce,
    Restart,
    Return,
    Tick,
)
from reseat.replication.state import Acks, Partition, Rules, Truncation, start

__all__ = ["SCENARIOS", "Scenario"]


@dataclass(frozen=True, slots=True)
class Scenario:
    """One story.

    Attributes:
        name: a stable slug, for links.
        title: for a list.
        what: one sentence: what is to be seen.
        brokers: broker ids in assignment order.
        leader: who leads at first.
        rules: how the partition behaves.
        story: what happens.
    """

    name: str
    title: str
    what: str
    brokers: tuple[int, ...]
    leader: int
    rules: Rules
    story: tuple[Event, ...]

    def start(self) -> Partition:
        """The state before the story."""
        return start(self.brokers, rules=self.rules, leader=self.leader)


_BY_HW = Rules(truncation=Truncation.HIGH_WATERMARK)
_BY_EPOCH = Rules(truncation=Truncation.LEADER_EPOCH)

_LOSS: tuple[Event, ...] = (
    Produce("m1"),
    Fetch(1),
    FetchResponse(1),
    Produce("m2"),
    Fetch(1),
    FetchResponse(1),
    Fetch(1),
    DropResponse(1),
    Restart(1),
    Crash(2),
    Elect(1),
    Tick(),
    Return(2),
    Fetch(2),
)
_DIVERGENCE: tuple[Event, ...] = (
    Produce("m1"),
    Fetch(2),
    FetchResponse(2),
    Fetch(2),
    FetchResponse(2),
    Flush(2),
    Checkpoint(2),
    Produce("m2"),
    Fetch(2),
    FetchResponse(2),
    Fetch(2),
    Crash(1),
    Crash(2, lose=True),
    Return(2),
    Elect(2),
    Produce("m3"),
    Return(1),
    Fetch(1),
    FetchResponse(1),
)

#: In the order of a list.
SCENARIOS: tuple[Scenario, ...] = (
    Scenario(
        "flow",
        "How a record becomes committed",
        "One record, two fetches: the follower's high watermark lags the leader's by a fetch.",
        (1, 2),
        1,
        _BY_EPOCH,
        (Produce("m1"), Fetch(2), FetchResponse(2), Fetch(2), FetchResponse(2), Consume()),
    ),
    Scenario(
        "loss",
        "An acknowledged record is lost (before 0.11)",
        "Truncating to the high watermark, which lags by a fetch, drops m2 although both replicas had it.",
        (1, 2),
        2,
        _BY_HW,
        _LOSS,
    ),
    Scenario(
        "loss-epoch",
        "No loss with leader epochs",
        "The follower asks where its epoch ended, learns that it ended at 2, and keeps m2.",
        (1, 2),
        2,
        _BY_EPOCH,
        _LOSS,
    ),
    Scenario(
        "divergence",
        "Two replicas diverge unnoticed (before 0.11)",
        "Both go down; the first to return has lost m2 and appends m3 at its offset; the other truncates nothing.",
        (1, 2),
        1,
        _BY_HW,
        _DIVERGENCE,
    ),
    Scenario(
        "divergence-epoch",
        "No divergence with leader epochs",
        "The returning replica asks where epoch 0 ended and truncates there. m2 is still lost: the elected in-sync "
        "replica had lost it with its page cache.",
        (1, 2),
        1,
        _BY_EPOCH,
        _DIVERGENCE,
    ),
    Scenario(
        "isr",
        "The ISR shrinks and grows",
        "A follower stops fetching, leaves the ISR after replica.lag.time.max.ms, and rejoins once it has caught up.",
        (1, 2, 3),
        1,
        replace(_BY_EPOCH, lag_max_ms=10_000),
        (
            Produce("m1"),
            Fetch(2),
            FetchResponse(2),
            Fetch(2),
            FetchResponse(2),
            Tick(6_000),
            Fetch(2),
            Tick(6_000),
            Fetch(3),
            FetchResponse(3),
            Fetch(3),
            FetchResponse(3),
        ),
    ),
    Scenario(
        "unclean",
        "An unclean election loses an acknowledged record",
        "The only in-sync replica dies; an out-of-sync replica is elected, and m2 is lost.",
        (1, 2),
        1,
        replace(_BY_EPOCH, unclean=True, lag_max_ms=10_000),
        (
            Produce("m1"),
            Fetch(2),
            FetchResponse(2),
            Fetch(2),
            FetchResponse(2),
            Produce("m2"),
            Tick(12_000),
            Crash(1),
            Elect(),
            Produce("m3"),
            Return(1),
            Fetch(1),
            FetchResponse(1),
        ),
    ),
    Scenario(
        "acks1",
        "acks=1 loses on failover",
        "The leader answers before a follower has copied the record, and dies: all as configured, and m1 is lost.",
        (1, 2),
        1,
        _BY_EPOCH,
        (Produce("m1", Acks.LEADER), Crash(1), Elect(), Return(1)),
    ),
    Scenario(
        "min-isr",
        "min.insync.replicas rejects a write",
        "With one in-sync replica left, an acks=all write is rejected before the record is appended.",
        (1, 2, 3),
        1,
        replace(_BY_EPOCH, min_in_sync=2),
        (
            Produce("m1"),
            Fetch(2),
            FetchResponse(2),
            Fetch(3),
            FetchResponse(3),
            Fetch(2),
            Fetch(3),
            Crash(2),
            Crash(3),
            Produce("m2"),
            Produce("m3", Acks.LEADER),
            Return(3),
            Fetch(3),
            FetchResponse(3),
            Fetch(3),
            Produce("m4"),
        ),
    ),
    Scenario(
        "behind",
        "A slow follower leaves the ISR",
        "It keeps fetching but is too slow: what counts is the time since it last had all records, not how many it "
        "lacks.",
        (1, 2),
        1,
        replace(_BY_EPOCH, lag_max_ms=10_000),
        (
            Produce("m1"),
            Produce("m2"),
            Fetch(2),
            FetchResponse(2),
            Produce("m3"),
            Tick(4_000),
            Fetch(2),
            Produce("m4"),
            Tick(4_000),
            Tick(4_000),
            Tick(4_000),
        ),
    ),
    Scenario(
        "last-standing",
        "The last replica standing loses its page cache",
        "It was the only in-sync replica, so only it may lead after its return, without what it had not flushed; "
        "broker 2, which had m1, truncates it.",
        (1, 2, 3),
        1,
        replace(_BY_EPOCH, min_in_sync=2),
        (
            Produce("m1"),
            Fetch(2),
            FetchResponse(2),
            Fetch(3),
            FetchResponse(3),
            Fetch(2),
            Fetch(3),
            Crash(2),
            Crash(3),
            Crash(1, lose=True),
            Return(2),
            Return(1),
            Elect(),
            Fetch(2),
        ),
    ),
    Scenario(
        "last-standing-elr",
        "Last replica standing with eligible leader replicas (KIP-966)",
        "Broker 3 stays eligible although it is out of sync, and the unclean shutdown of broker 1 is noticed: broker 3 "
        "leads and m1 is kept.",
        (1, 2, 3),
        1,
        replace(_BY_EPOCH, min_in_sync=2, elr=True),
        (
            Produce("m1"),
            Fetch(2),
            FetchResponse(2),
            Fetch(3),
            FetchResponse(3),
            Fetch(2),
            Fetch(3),
            Crash(2),
            Crash(3),
            Crash(1, lose=True),
            Return(3),
            Return(1),
            Elect(),
            Fetch(1),
        ),
    ),
)
