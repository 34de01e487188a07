"""What a run tells while it is at work: where it stands, what it waits for, bytes, and the pace for the time left."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from reseat.errors import ClusterUnreachable
from reseat.operate.journal.records import RunState
from reseat.operate.run import sentences
from reseat.operate.run.ledger import Ledger
from reseat.operate.run.looking import Observation
from reseat.operate.run.pace import Pace
from reseat.operate.run.run_throttles import RunThrottles
from reseat.operate.run.tracking import Tracker
from reseat.operate.targets.target import Target

__all__ = ["Teller"]

#: Seconds between two questions for bytes: they go to each broker's log directories.
_BYTES_SECONDS = 2.0
#: Seconds between two notes of the pace.
_PACE_SECONDS = 1.0


@dataclass(slots=True)
class _Stalling:
    """When something last changed, and how."""

    sign: object
    since: float
    at: datetime


class Teller:
    """Tells of one run.

    Args:
        target: the cluster.
        ledger: the run.
        tracker: which cancels Kafka refused.
        throttles: what of them was lifted.
        pace: its clock.
    """

    def __init__(self, target: Target, ledger: Ledger, tracker: Tracker, throttles: RunThrottles, pace: Pace) -> None:
        self._target = target
        self._ledger = ledger
        self._tracker = tracker
        self._throttles = throttles
        self._pace = pace
        self._stalling = _Stalling(None, pace.now(), pace.clock())
        self._bytes_at = -_BYTES_SECONDS
        self._pace_at = -_PACE_SECONDS

    @property
    def quiet(self) -> float:
        """Seconds since something changed."""
        return self._pace.now() - self._stalling.since

    def describe(self, seen: Observation, *, cancelling: bool, held: str) -> None:
        """Say where the run stands, and what it waits for."""
        self._note_bytes(seen)
        self._throttles.look(seen)
        under_way = self._ledger.rows("sent")
        stalled = self._stalled(seen)
        words = [f"{sentences.counts(self._ledger.moves)}."]
        missing = {row: self._ledger.dead_newcomers(row, seen.alive) for row in under_way}
        waits = [row for row in under_way if missing[row]]
        if waits:
            brokers = sorted(set().union(*missing.values()))
            words.append(sentences.waiting_for_brokers(self._ledger.of(waits), brokers, self._stalling.at))
        elif stalled:
            words.append(
                sentences.stalled(self._ledger.of(under_way), self._stalling.at, self._ledger.run.options.throttle)
            )
        if self._throttles.lifted:
            words.append(self._throttles.lifted)
        dead = list[int]()
        if not self._ledger.stopping:
            missing = {row: self._ledger.dead_newcomers(row, seen.alive) for row in self._ledger.rows("waiting")}
            dead = [row for row in missing if missing[row]]
            if dead:
                words.append(sentences.held_back(self._ledger.of(dead), sorted(set().union(*missing.values()))))
            if held:
                words.append(held)
            if seen.others:
                words.append(sentences.others_at_work(seen.others))
        if self._ledger.halted is not None:
            words.insert(0, self._ledger.halted)
        if self._ledger.state is RunState.STOPPING:
            refused = [row for row in under_way if row in self._tracker.cancel_sent and self._ledger.moves[row].error]
            words.insert(0, sentences.stopping(cancelling, self._target.can_cancel, self._ledger.of(refused)))
        state = None
        if not self._ledger.stopping:
            words[:0] = filter(None, [self._ledger.paused])
            state = RunState.PAUSED if self._ledger.paused else RunState.RUNNING
        self._ledger.say(" ".join(words), state)
        # What waits for a broker, or is not to be sent for now, is over when somebody acts.
        self._note_pace(anew=bool(waits or dead or held or self._ledger.stopping or self._ledger.paused))

    def _stalled(self, seen: Observation) -> bool:
        sign = (
            tuple((row, self._ledger.moves[row].bytes_done) for row in self._ledger.rows("sent")),
            tuple(len(told.in_sync) for told in seen.now.values()),
            frozenset(self._ledger.rows("waiting")),
            seen.alive,
        )
        now = self._pace.now()
        if sign != self._stalling.sign:
            self._stalling = _Stalling(sign, now, self._pace.clock())
        return bool(self._ledger.rows("sent")) and now - self._stalling.since >= self._pace.stalled_seconds

    def _note_bytes(self, seen: Observation) -> None:
        newcomers = {row: new for row in self._ledger.rows("sent") if (new := self._ledger.moves[row].newcomers)}
        rows = list(newcomers)
        if not rows or self._pace.now() - self._bytes_at < _BYTES_SECONDS:
            return
        self._bytes_at = self._pace.now()
        brokers = sorted(set().union(*newcomers.values()) & seen.alive)
        try:
            held = self._target.copied([self._ledger.key(row) for row in rows], brokers) if brokers else None
        except ClusterUnreachable:
            return  # how many bytes there are is a kindness; the next look says whether the cluster is there
        if held is None:
            return
        for row in rows:
            copied = sum(held.get((self._ledger.key(row), broker), 0) for broker in newcomers[row])
            total = self._ledger.moves[row].bytes_total
            self._ledger.set(row, bytes_done=copied if total is None else min(copied, total))
        self._ledger.keep()

    def _note_pace(self, *, anew: bool) -> None:
        if self._pace.now() - self._pace_at < _PACE_SECONDS:
            return
        self._pace_at = self._pace.now()
        self._ledger.note_pace(anew=anew)
