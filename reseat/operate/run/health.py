"""Between batches: whether the cluster has become worse since the run began, so that nothing further is sent for now.

What it promises, in this order:

1. Nothing is sent while a broker that was alive is lost, while a partition of anybody is below min.insync.replicas that
   was not, or while a broker that the batch goes to has no room for it. What is under way goes on.
2. It says why, and goes on by itself once that is healed.
3. What was so before the run began does not hold it up: a plan that drains a dead broker is what heals.

How it works: how the cluster stood when the run first began is in the journal, so that whoever goes on with the run
compares with that. Which brokers are alive is told by each look of the run. The rest takes a reading of the whole
cluster: before a batch, where the last one is older than ``Pace.health_seconds``, and never for more than a tenth of
the time, since one of a large cluster takes a while.

Two losses hold nothing up. A broker that no partition has a replica on: nothing becomes worse by it. And a broker that
the plan takes replicas from and gives none: to go on brings those that it held to living brokers, so partitions of the
plan that are to leave it do not count as fallen below min.insync.replicas, as for the guard. Others on it do.

Example: broker 7 stops in the middle of a run that drains broker 3: "Paused since 12:00:05 UTC: broker 7 is not alive
any more. ..." Once it is back and its replicas are in sync again, the next batch goes.

Complexity: linear in the cluster's partitions for a reading; a set difference for a look.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from reseat.balance.health import below_min_in_sync
from reseat.balance.room import usable_room
from reseat.errors import ReseatError
from reseat.model import NONE, ClusterLayout, Snapshot
from reseat.operate.run import sentences
from reseat.operate.run.ledger import Ledger
from reseat.operate.run.looking import Observation
from reseat.operate.run.pace import Pace
from reseat.operate.targets.target import Partition

__all__ = ["Condition", "Health", "condition_of"]

_STEP = "health"


@dataclass(frozen=True, slots=True)
class Condition:
    """How a cluster stands, in what a run must not make worse.

    Attributes:
        alive: brokers that are alive.
        below: partitions with fewer in-sync replicas than min.insync.replicas, where both are told.
        hosting: brokers that some partition has a replica on; None: not told.
        room: bytes left by broker, where each of its log directories tells.
    """

    alive: frozenset[int]
    below: frozenset[Partition] = frozenset()
    hosting: frozenset[int] | None = None
    room: Mapping[int, int] | None = None


def condition_of(snapshot: Snapshot) -> Condition:
    """How the cluster of a reading stands."""
    layout = snapshot.layout
    rows = np.flatnonzero(below_min_in_sync(layout))
    held = np.unique(layout.replica_ids)
    room, _ = usable_room(snapshot.log_dirs)
    return Condition(
        frozenset(broker.id for broker in layout.brokers if broker.state.up),
        frozenset(layout.partitions_at(rows)),
        frozenset(held[held != NONE].tolist()),
        {broker: there.left for broker, there in room.items()},
    )


class Health:
    """Watches over the cluster of one run.

    Args:
        ledger: the run.
        pace: how often the whole cluster is read.
        read: reads it; None: only what each look tells is compared.
    """

    def __init__(self, ledger: Ledger, pace: Pace, read: Callable[[], Snapshot] | None) -> None:
        self._ledger = ledger
        self._pace = pace
        self._read = read
        self._before: Condition | None = None
        self._alive: frozenset[int] = frozenset()
        self._now: Condition | None = None
        self._min_in_sync: dict[str, int] = {}
        self._unread = ""
        self._again_at = pace.now()
        self._since = pace.clock()
        self._reasons: list[str] = []
        moves = ledger.moves
        emptied = {broker for move in moves for broker in move.before}
        #: Brokers that the plan takes replicas from and gives none.
        self._emptied = emptied - {broker for move in moves for broker in move.target}

    def worse(self, seen: Observation) -> str:
        """Why nothing is sent for now, as a sentence; "" where nothing stands against it."""
        if self._pace.now() >= self._again_at:
            self._look_at_all()
        self._alive |= seen.alive  # one that came since counts from now on
        if self._now is None and self._unread:  # what is below min ISR from the beginning is to be told yet
            return self._said([self._unread])
        before = self._began()
        self._before = replace(before, alive=before.alive | self._alive)
        reasons = [self._unread] if self._unread else []
        lost = self._before.alive - seen.alive - self._emptied
        if self._now is not None and self._now.hosting is not None:
            lost &= self._now.hosting
        if lost:
            reasons.append(sentences.lost(sorted(lost)))
        fallen = self._now.below - self._before.below if self._now is not None else frozenset[Partition]()
        below = sorted(key for key in fallen if not self._healed_by_going_on(key, seen.alive))
        if below:
            reasons.append(sentences.below_min(below))
        return self._said(reasons)

    def _said(self, reasons: list[str]) -> str:
        if reasons and not self._reasons:
            self._since = self._pace.clock()
        self._reasons = reasons
        return sentences.worse(reasons, self._since) if reasons else ""

    def _healed_by_going_on(self, key: Partition, alive: frozenset[int]) -> bool:
        """Whether a partition of the plan is to leave a broker that is lost."""
        row = self._ledger.row_of.get(key)
        if row is None:
            return False
        move = self._ledger.moves[row]
        return bool(set(move.before) - set(move.target) - alive)

    def no_room(self, rows: Iterable[int]) -> str:
        """Why a batch does not fit, as a sentence; "" where it does, or where that is not told.

        Args:
            rows: those of the batch.
        """
        if self._now is None or not self._now.room:
            return ""
        comes: dict[int, int] = {}
        for row in {*rows, *self._ledger.rows("sent")}:
            move = self._ledger.moves[row]
            if move.newcomers and move.bytes_total is not None:
                left = max(0, move.bytes_total - (move.bytes_done or 0)) // len(move.newcomers)
                comes.update({broker: comes.get(broker, 0) + left for broker in move.newcomers})
        short = {
            broker: (self._now.room[broker], need)
            for broker, need in sorted(comes.items())
            if broker in self._now.room and need > self._now.room[broker]
        }
        return sentences.worse([sentences.no_room(short)], self._pace.clock()) if short else ""

    def _began(self) -> Condition:
        """How the cluster stood when the run first began: from the journal, or as it is now."""
        if self._before is not None:
            return self._before
        for step in self._ledger.journal.steps(run_id=self._ledger.run.id, kind=_STEP):
            return Condition(
                frozenset(step.content["alive"]),
                frozenset((topic, partition) for topic, partition in step.content["below"]),
            )
        now = self._now or Condition(self._alive)
        self._ledger.found(_STEP, {"alive": sorted(now.alive | self._alive), "below": sorted(map(list, now.below))})
        return now

    def _with_settings(self, layout: ClusterLayout) -> ClusterLayout:
        """The layout with ``min.insync.replicas`` as last told where it is not told now, as of brokers in trouble."""
        if layout.min_in_sync is not None:
            told = zip(layout.topics, layout.min_in_sync.tolist(), strict=True)
            self._min_in_sync |= {topic: least for topic, least in told if least != NONE}
        known = [self._min_in_sync.get(topic, NONE) for topic in layout.topics]
        return replace(layout, min_in_sync=np.array(known, np.int32))

    def _look_at_all(self) -> None:
        if self._read is None:
            return
        began = self._pace.now()
        try:
            snapshot = self._read()
            self._now, self._unread = condition_of(replace(snapshot, layout=self._with_settings(snapshot.layout))), ""
        except ReseatError as error:
            self._unread = f"the cluster could not be read ({str(error).rstrip('.')})"
        took = self._pace.now() - began
        self._again_at = self._pace.now() + max(self._pace.health_seconds, 9 * took)
