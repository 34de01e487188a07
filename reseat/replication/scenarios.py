"""Stories worth watching, as lists of events: the documents' own, and what operators meet.

Broker 1 is called A and broker 2 B in the documents.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from reseat.replication.events import (
    Catch,
    Checkpoint,
    Consume,
    Crash,
    Elect,
    Event,
    Fetch,
    Flush,
    Lose,
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
    Catch(1),
    Produce("m2"),
    Fetch(1),
    Catch(1),
    Fetch(1),
    Lose(1),
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
    Catch(2),
    Fetch(2),
    Catch(2),
    Flush(2),
    Checkpoint(2),
    Produce("m2"),
    Fetch(2),
    Catch(2),
    Fetch(2),
    Crash(1),
    Crash(2, lose=True),
    Return(2),
    Elect(2),
    Produce("m3"),
    Return(1),
    Fetch(1),
    Catch(1),
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
        (Produce("m1"), Fetch(2), Catch(2), Fetch(2), Catch(2), Consume()),
    ),
    Scenario(
        "loss",
        "An acknowledged record is lost (before 0.11)",
        "Cutting at the high watermark, which lags by a fetch, throws away m2 though both replicas had it.",
        (1, 2),
        2,
        _BY_HW,
        _LOSS,
    ),
    Scenario(
        "loss-epoch",
        "The same with leader epochs",
        "The follower asks where its epoch ended, learns that it ended at 2, and keeps m2.",
        (1, 2),
        2,
        _BY_EPOCH,
        _LOSS,
    ),
    Scenario(
        "divergence",
        "Two replicas differ in silence (before 0.11)",
        "Both go down; the one that comes back first lost m2 and takes m3 at its offset; the other cuts nothing.",
        (1, 2),
        1,
        _BY_HW,
        _DIVERGENCE,
    ),
    Scenario(
        "divergence-epoch",
        "The same with leader epochs",
        "The replica that returns asks where epoch 0 ended and cuts there. m2 is gone all the same: the replica in "
        "sync that was elected had lost it with its page cache.",
        (1, 2),
        1,
        _BY_EPOCH,
        _DIVERGENCE,
    ),
    Scenario(
        "isr",
        "The ISR shrinks and grows",
        "A follower stops fetching, is taken out after replica.lag.time.max.ms, and joins again once it has caught up.",
        (1, 2, 3),
        1,
        replace(_BY_EPOCH, lag_max_ms=10_000),
        (
            Produce("m1"),
            Fetch(2),
            Catch(2),
            Fetch(2),
            Catch(2),
            Tick(6_000),
            Fetch(2),
            Tick(6_000),
            Fetch(3),
            Catch(3),
            Fetch(3),
            Catch(3),
        ),
    ),
    Scenario(
        "unclean",
        "An unclean election loses what was acknowledged",
        "The only replica in sync dies; one that is behind is elected, and m2 is gone.",
        (1, 2),
        1,
        replace(_BY_EPOCH, unclean=True, lag_max_ms=10_000),
        (
            Produce("m1"),
            Fetch(2),
            Catch(2),
            Fetch(2),
            Catch(2),
            Produce("m2"),
            Tick(12_000),
            Crash(1),
            Elect(),
            Produce("m3"),
            Return(1),
            Fetch(1),
            Catch(1),
        ),
    ),
    Scenario(
        "acks1",
        "acks=1 loses on failover",
        "The leader answers before anybody has copied the record, and dies: nobody did wrong, and m1 is gone.",
        (1, 2),
        1,
        _BY_EPOCH,
        (Produce("m1", Acks.LEADER), Crash(1), Elect(), Return(1)),
    ),
    Scenario(
        "min-isr",
        "min.insync.replicas refuses to write",
        "With one replica left in sync a producer with acks=all is told so, before its record is written.",
        (1, 2, 3),
        1,
        replace(_BY_EPOCH, min_in_sync=2),
        (
            Produce("m1"),
            Fetch(2),
            Catch(2),
            Fetch(3),
            Catch(3),
            Fetch(2),
            Fetch(3),
            Crash(2),
            Crash(3),
            Produce("m2"),
            Produce("m3", Acks.LEADER),
            Return(3),
            Fetch(3),
            Catch(3),
            Fetch(3),
            Produce("m4"),
        ),
    ),
    Scenario(
        "behind",
        "A follower falls behind and leaves",
        "It fetches all the time and is still too slow: not the number of records but the time since it last had all "
        "of them counts.",
        (1, 2),
        1,
        replace(_BY_EPOCH, lag_max_ms=10_000),
        (
            Produce("m1"),
            Produce("m2"),
            Fetch(2),
            Catch(2),
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
        "It was alone in sync, so it alone may lead when it is back, without what it had not flushed; broker 2, which "
        "had m1, cuts it.",
        (1, 2, 3),
        1,
        replace(_BY_EPOCH, min_in_sync=2),
        (
            Produce("m1"),
            Fetch(2),
            Catch(2),
            Fetch(3),
            Catch(3),
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
        "The same with eligible leader replicas (KIP-966)",
        "Broker 3 stays eligible though it is not in sync any more, and the unclean shutdown of broker 1 is noticed: "
        "broker 3 leads and m1 is there.",
        (1, 2, 3),
        1,
        replace(_BY_EPOCH, min_in_sync=2, elr=True),
        (
            Produce("m1"),
            Fetch(2),
            Catch(2),
            Fetch(3),
            Catch(3),
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
