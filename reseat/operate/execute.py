"""Carries an approved plan out: throttles, batches, progress, stop, cancel, and what is left after a crash.

What it promises, in this order:

1. Nothing is sent whose intention is not in the journal; what a crash left open is settled by asking the cluster.
2. A partition is sent only if it is still as it was at approval, while nobody else reassigns anything in the cluster.
3. Done is said only of what was seen twice: not in the list of reassignments, and with exactly the planned replicas.
4. Whatever happens, the throttles come back to what they were, once nothing of the run is under way.
5. It waits and says what for; it gives up only where waiting cannot help. It never spins.

What it needs: a ``Target``, the journal, and an approved run. The guard's checks come before; they are not repeated.

How it works: one loop. Look (what is reassigned anywhere, how the partitions sent stand), judge each of them, heed
stop requests, send the next batch if one may be sent, wait. How a partition that was sent is judged:

====================================  ==============================================================================
the cluster says                      then
====================================  ==============================================================================
under way to our target               goes on; stalled where nothing changed for a minute, or a broker of it is dead
under way to another target           changed behind our back: failed, nothing further is sent
as planned, not under way             done, at the second look
as before, not under way              after a cancel: cancelled. Sent with unknown outcome: sent again (harmless: it is
                                      the same list). Accepted before: somebody took it back: failed, nothing further
anything else                         changed behind our back: failed, nothing further is sent
====================================  ==============================================================================

Brokers tell what the controller decided some time later (up to 0.6 s was measured), so the last two rows count only
once they lasted for ``Pace.grace_seconds``.

Example: ``carry_out(target, journal, run.id, stop=threading.Event())`` returns the run as it ended.

Complexity: a look asks for the partitions under way, a batch for its own and up to 1,000 others that wait, all of them
at once; at the end all are asked for twice.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from typing import TypeVar

import numpy as np

from reseat.errors import ClusterUnreachable, WriteRefused
from reseat.model.wording import listed
from reseat.operate import sentences, throttling
from reseat.operate.batches import work_of_moves
from reseat.operate.journal import Hold, Journal
from reseat.operate.records import MoveProgress, Run, RunState
from reseat.operate.target import Assignment, Partition, Target
from reseat.planning.schedule import BatchLimits, Work, next_batch

__all__ = ["Pace", "carry_out", "recover"]

_Answer = TypeVar("_Answer")

#: Errors that say "not now" and nothing of the partition.
_LATER = frozenset({
    "COORDINATOR_NOT_AVAILABLE",
    "LEADER_NOT_AVAILABLE",
    "NETWORK_EXCEPTION",
    "NOT_CONTROLLER",
    "REASSIGNMENT_IN_PROGRESS",
    "REQUEST_TIMED_OUT",
    "THROTTLING_QUOTA_EXCEEDED",
})  # fmt: skip
#: How often a partition is sent again after such an error.
_TRIES = 10
#: The controller's word for a target broker that is not alive, too: it knows of a broker that died before the others
#: tell. Sent again a few times: once the broker is seen to be dead, the partition waits for it.
_PERHAPS_DEAD = "INVALID_REPLICA_ASSIGNMENT"
_TRIES_PERHAPS_DEAD = 3
#: Troubles that no waiting mends: a person has to change something first.
_LASTING = frozenset({
    "authentication", "authorization", "chroot", "configuration", "not_kafka", "not_zookeeper", "tls", "version",
})  # fmt: skip
#: A look without a change makes the next wait longer by half, up to this.
_SLOWEST_POLL = 3.0
#: Seconds between two questions for bytes: they go to each broker's log directories.
_BYTES_SECONDS = 2.0
#: Partitions that wait, beside those of the batch, that are looked at before each batch, in turns. All of them each
#: time would make the cost quadratic: hours of reading ZooKeeper's nodes for a plan of 100,000 partitions.
_ASKED_AHEAD = 1_000
#: Seconds between two questions for the throttles: that somebody takes them away (a --cancel or --verify of Kafka's own
#: tool takes all of the cluster's) is told, and not fought with.
_THROTTLE_SECONDS = 10.0
#: Seconds between two notes of the pace.
_PACE_SECONDS = 1.0


def _pause(seconds: float) -> None:
    threading.Event().wait(seconds)


@dataclass(frozen=True, slots=True)
class Pace:
    """How patient the executor is. Tests bring a clock of their own.

    Attributes:
        poll_seconds: between two looks at the cluster, while something changes.
        grace_seconds: how long a partition must stand as nobody asked for before it counts as somebody's doing.
        again_seconds: how long one whose sending is not known to have arrived must stand as before, until it is sent
            again.
        stalled_seconds: without any change before a run is called stalled.
        retry_seconds: between two tries to reach the cluster, at most.
        wait: waits so many seconds.
        now: seconds of a clock that only goes forward.
    """

    poll_seconds: float = 0.25
    grace_seconds: float = 15.0
    again_seconds: float = 3.0
    stalled_seconds: float = 60.0
    retry_seconds: float = 5.0
    wait: Callable[[float], None] = _pause
    now: Callable[[], float] = time.monotonic


def carry_out(
    target: Target,
    journal: Journal,
    run_id: int,
    *,
    stop: threading.Event,
    pace: Pace | None = None,
    report: Callable[[str], None] | None = None,
) -> Run:
    """Carry an approved run out, or go on with one that was interrupted, until it is over.

    Args:
        target: the cluster.
        journal: where the run is.
        run_id: the run.
        stop: set by another thread to send nothing further and end once nothing is under way; as a stop request.
        pace: how patient to be.
        report: called with each new sentence.

    Returns:
        The run as it ended: ``DONE``, ``CANCELLED`` or ``FAILED``.

    Raises:
        WriteRefused: the run is over, the cluster is another one, somebody else holds the lock, or the journal cannot
            be written.
        ClusterUnreachable: the cluster could not be reached at the start, or refuses in a way that waiting does not
            mend; in the latter case the run is ``FAILED`` and says so.
    """
    run = _open_run(target, journal, run_id)
    with journal.hold(run.cluster_id, operator=run.operator, run_id=run_id) as hold:
        _Carrying(target, journal, hold, run, stop=stop, pace=pace, report=report).to_its_end()
    return journal.run(run_id)


def recover(
    target: Target,
    journal: Journal,
    *,
    pace: Pace | None = None,
    report: Callable[[str], None] | None = None,
) -> tuple[str, ...]:
    """Settle what a runner that is gone left behind on this cluster. Sends no reassignment.

    An interrupted run is compared with the cluster; where nothing of it is under way its throttles are put back, and
    it ends if nothing is left to do. Throttles that an ended run could not put back are tried again.

    Returns:
        What was done and what is left, one sentence each; empty: there was nothing to settle, or a living runner is
        at work.

    Raises:
        ClusterUnreachable: the cluster does not answer.
        WriteRefused: the journal cannot be written.
    """
    cluster_id = target.cluster_id()
    holder = journal.holder(cluster_id)
    if holder is not None and holder.alive:
        return ()
    said: list[str] = []
    run = journal.open_run(cluster_id)
    left_behind = [
        ended
        for ended in journal.runs(cluster_id)
        if not ended.state.open and throttling.standing(journal, ended.id) is not None
    ]
    if run is not None and throttling.standing(journal, run.id) is not None:
        left_behind = []  # what an earlier run left may be what this one is throttled by: once it is over
    if run is None and not left_behind:
        return ()
    with journal.hold(cluster_id, operator="recovery", run_id=None) as hold:
        said.extend(
            _Carrying(target, journal, hold, ended, pace=pace, report=report).mend_throttles() for ended in left_behind
        )
        if run is not None and run.state is not RunState.APPROVED:
            said.append(_Carrying(target, journal, hold, run, pace=pace, report=report).settle_only())
    return tuple(said)


def _open_run(target: Target, journal: Journal, run_id: int) -> Run:
    run = journal.run(run_id)
    if not run.state.open:
        raise WriteRefused(f"Run {run_id} is over ({run.state.value}): {run.sentence}")
    there = target.cluster_id()
    if there != run.cluster_id:
        raise WriteRefused(f"Run {run_id} is for cluster {run.cluster_id}; this one is {there}. Nothing was sent.")
    return run


@dataclass(slots=True)
class _Doubt:
    """A partition that stands as nobody asked for: what was seen, and since when."""

    replicas: tuple[int, ...] | None
    since: float


@dataclass(slots=True)
class _Seen:
    """One look at the cluster."""

    listing: Mapping[Partition, Assignment]
    now: Mapping[Partition, Assignment]
    alive: frozenset[int]
    others: tuple[Partition, ...]


@dataclass(slots=True)
class _Stalling:
    """When something last changed, and how."""

    sign: object = None
    since: float = 0.0
    at: datetime = field(default_factory=lambda: datetime.now(UTC))


class _Carrying:
    """One run being carried out by this process."""

    def __init__(
        self,
        target: Target,
        journal: Journal,
        hold: Hold,
        run: Run,
        *,
        stop: threading.Event | None = None,
        pace: Pace | None = None,
        report: Callable[[str], None] | None = None,
    ) -> None:
        self._target = target
        self._journal = journal
        self._hold = hold
        self._run = run
        self._stop = stop or threading.Event()
        self._pace = pace or Pace()
        self._report = report
        self._state = run.state
        self._sentence = run.sentence
        self._moves = list(journal.moves(run.id))
        self._row = {(move.topic, move.partition): row for row, move in enumerate(self._moves)}
        self._changed: dict[int, MoveProgress] = {}
        #: Rows whose sending is not known to have arrived, with the step that meant to send them.
        self._unsure: dict[int, int] = {}
        self._agreed: set[int] = set()
        self._doubts: dict[int, _Doubt] = {}
        self._cancel_sent: set[int] = set()
        #: Of these, the rows of which Kafka answered that it took them back: of the others some may have ended before.
        self._taken_back: set[int] = set()
        self._tries: Counter[int] = Counter()
        self._work: Work | None = None
        self._stalling = _Stalling(since=self._pace.now())
        #: Brokers that were alive when throttles were last set: one that comes later gets its own.
        self._throttled: frozenset[int] = frozenset()
        self._look_seconds = 0.0
        #: Where the next turn of those that wait begins.
        self._ahead = 0
        #: What the run has set and does not hold any more, as a sentence; and when that was asked last.
        self._lifted = ""
        self._throttle_at = -_THROTTLE_SECONDS
        self._bytes_at = -_BYTES_SECONDS
        self._pace_at = -_PACE_SECONDS
        #: Why nothing further is sent although nobody asked to stop; the run fails with it.
        self._halted: str | None = None

    # ---- the whole of it -----------------------------------------------------------------------------------

    def to_its_end(self) -> None:
        """Carry out, until the run is over."""
        try:
            self._say("Beginning." if self._state is RunState.APPROVED else "Going on.", RunState.RUNNING)
            self._heed_stop()
            self._recall_open_steps()
            if not self._stopping:
                self._patiently(self._set_throttles)
            while True:
                seen = self._patiently(self._look)
                self._judge(seen)
                self._heed_stop()
                if self._cancelling():
                    self._patiently(partial(self._cancel, seen))
                if not self._stopping:
                    self._throttle_newly_alive(seen.alive)
                    self._send(seen)
                self._keep()
                if self._over():
                    break
                self._describe(seen)
                self._pace.wait(self._poll_seconds())
            self._finish()
        except ClusterUnreachable as error:
            self._keep()
            self._say(f"{error} Once that is mended, status settles what is left.", RunState.FAILED)
            raise

    def settle_only(self) -> str:
        """Compare an interrupted run with the cluster and end it if nothing is left to do; sends nothing."""
        self._heed_stop()
        self._settle()
        under_way = self._rows("sent")
        where = sentences.counts(self._moves)
        if under_way:
            throttled = throttling.standing(self._journal, self._run.id) is not None
            keeps = "; the throttles stay while anything is under way" if throttled else ""
            return self._say(f"The runner of run {self._run.id} is gone; {where}{keeps}. Go on with it, or cancel it.")
        if self._rows("waiting") and not self._stopping:
            left = self._put_throttles_back()
            return self._say(
                f"The runner of run {self._run.id} is gone; {where}, nothing is under way.{left} "
                "Go on with it, or cancel it."
            )
        self._finish()
        return f"Run {self._run.id}: {self._sentence}"

    def mend_throttles(self) -> str:
        """Put back what an ended run had to leave."""
        self._settle()
        if self._rows("sent"):
            return (
                f"Run {self._run.id}, {self._state.value}: {sentences.counts(self._moves)}; its throttles stay while "
                "anything is under way."
            )
        left = self._put_throttles_back()
        if not left:
            left = " Its throttles are put back."
        sentence = f"Run {self._run.id}, {self._state.value}:{left}"
        self._journal.set_state(self._hold, self._run.id, self._state, f"{self._sentence.split(' Throttle')[0]}{left}")
        return sentence

    def _settle(self) -> None:
        """Look until every partition that was sent is known to be under way, or settled; for a bounded time."""
        self._recall_open_steps()
        # Long enough for one doubt to last, whenever it came up, and however long a look takes.
        until = self._pace.now() + 2 * self._pace.grace_seconds
        while True:
            self._judge(self._look())
            self._keep()
            if not (self._agreed or self._doubts) or self._pace.now() > until:
                return
            self._pace.wait(self._pace.poll_seconds)

    @property
    def _stopping(self) -> bool:
        return self._halted is not None or self._state is RunState.STOPPING

    # ---- what the cluster says -----------------------------------------------------------------------------

    def _look(self) -> _Seen:
        began = self._pace.now()
        seen = self._look_now()
        self._look_seconds = self._pace.now() - began
        return seen

    def _look_now(self) -> _Seen:
        # The list first: a partition that is off the list and then seen as planned is done.
        listing = self._target.reassigning()
        for row in self._rows("waiting"):
            if self._key(row) in listing and _leads_to(listing[self._key(row)], self._moves[row].target):
                self._set(row, state="sent")  # a request that was thought lost has arrived late
        sent = self._rows("sent")
        now = self._target.assignments([self._key(row) for row in sent]) if sent else {}
        return _Seen(listing, now, self._target.alive(), self._others(listing))

    def _others(self, listing: Mapping[Partition, Assignment]) -> tuple[Partition, ...]:
        """What somebody else reassigns: everything that this run has not sent."""
        return tuple(
            sorted(key for key in listing if key not in self._row or self._moves[self._row[key]].state != "sent")
        )

    def _judge(self, seen: _Seen) -> None:
        for row in self._rows("sent"):
            key, move = self._key(row), self._moves[row]
            told = seen.now.get(key)
            if key in seen.listing:
                self._agreed.discard(row)
                if _leads_to(seen.listing[key], move.target):
                    self._arrived(row)
                    self._doubts.pop(row, None)
                    self._set(row, now=told.replicas if told else move.now)
                elif self._lasts(row, _goal(seen.listing[key]), self._pace.again_seconds):
                    other = sentences.list_text(_goal(seen.listing[key]))
                    self._fail_behind_back(row, f"somebody else reassigns it to {other}")
            elif told is not None and told.under_way:
                self._doubts.pop(row, None)  # the list is ahead of this broker: ask again
                self._agreed.discard(row)
            elif told is not None and told.replicas == move.target:
                self._judge_as_planned(row)
            else:
                self._agreed.discard(row)
                self._judge_stray(row, told)

    def _judge_as_planned(self, row: int) -> None:
        """A partition that was sent and is described as planned: done when it is seen twice.

        Where it is not known whether the request arrived, or a cancel was sent, a broker may describe it as it was long
        before: on the way back that is what is planned. Then it must stay so.
        """
        move = self._moves[row]
        self._set(row, now=move.target)
        if row in self._unsure or row in self._cancel_sent:
            done = self._lasts(row, move.target, self._pace.grace_seconds)
        else:
            self._doubts.pop(row, None)
            done = row in self._agreed
            self._agreed.add(row)
        if done:
            self._agreed.discard(row)
            self._set(row, state="done", error=None, bytes_done=move.bytes_total)
            self._arrived(row)

    def _judge_stray(self, row: int, told: Assignment | None) -> None:
        """A partition that was sent, is not under way, and is not as planned."""
        move = self._moves[row]
        replicas = None if told is None else told.replicas
        as_before = replicas is not None and sorted(replicas) == sorted(move.before)
        if as_before and row in self._cancel_sent:  # the replicas come back, their order may not
            patience = self._pace.poll_seconds if row in self._taken_back else self._pace.grace_seconds
            if self._lasts(row, replicas, patience):
                self._set(row, state="cancelled", now=replicas, error=None)
                self._arrived(row)
        elif replicas == move.before and row in self._unsure:
            patience = self._pace.grace_seconds if self._stopping else self._pace.again_seconds
            if self._lasts(row, replicas, patience):
                self._set(row, state="waiting", now=replicas)
                self._arrived(row)
        elif self._lasts(row, replicas, self._pace.grace_seconds):
            if replicas is None:
                self._set(row, state="failed", error="UNKNOWN_TOPIC_OR_PARTITION")
            elif as_before:
                self._fail_behind_back(row, "what was under way was taken back by somebody else, or dropped", replicas)
            else:
                self._fail_behind_back(row, f"its replicas are {sentences.list_text(replicas)}", replicas)
            self._arrived(row)

    def _lasts(self, row: int, replicas: tuple[int, ...] | None, seconds: float) -> bool:
        """Whether a partition has stood like this for so long."""
        doubt = self._doubts.get(row)
        if doubt is None or doubt.replicas != replicas:
            self._doubts[row] = _Doubt(replicas, self._pace.now())
            return False
        if self._pace.now() - doubt.since < seconds:
            return False
        del self._doubts[row]
        return True

    def _suspicious(self) -> bool:
        """Whether a partition stands in a way that is no broker's lag, though it may not have lasted long enough."""
        return any(
            doubt.replicas == self._moves[row].before or self._pace.now() - doubt.since > self._pace.again_seconds
            for row, doubt in self._doubts.items()
            if self._moves[row].state == "sent" and row not in self._unsure
        )

    def _fail_behind_back(self, row: int, what: str, replicas: tuple[int, ...] | None = None) -> None:
        move = self._moves[row]
        self._set(row, state="failed", error="changed behind its back", now=replicas or move.now)
        if self._halted is None:
            name = sentences.name_of(self._moves[row])
            self._halted = f"{name} was changed behind this run's back: {what}. Nothing further was sent."

    def _arrived(self, row: int) -> None:
        """The sending of a row is settled; a step all of whose rows are is closed.

        To be called once the row says what came of it: after a kill a row that is "sent" by no open step is taken for
        one that arrived.
        """
        step = self._unsure.pop(row, None)
        if step is not None and step not in self._unsure.values():
            self._keep()
            self._journal.end(step, {"settled": "by what the cluster says"}, hold=self._hold)

    # ---- after a crash, or an answer that never came -------------------------------------------------------

    def _recall_open_steps(self) -> None:
        """Steps without an outcome: what they spoke of is judged by what the cluster says."""
        for step in self._journal.steps(run_id=self._run.id, unsettled=True, most=1_000_000):
            if step.kind == "batch":
                rows = [row for row in _numbers(step.content["rows"]) if self._moves[row].state == "sent"]
                self._unsure |= dict.fromkeys(rows, step.id)
                if not rows:
                    self._journal.end(step.id, {"settled": "nothing of it is open"}, hold=self._hold)
            elif step.kind == "cancel":
                # Asked for again if it is still wished; a cancel of what is over changes nothing.
                self._cancel_sent |= {row for row in _numbers(step.content["rows"]) if self._moves[row].state == "sent"}
                self._journal.end(step.id, {"settled": "asked for again"}, hold=self._hold)
            elif step.kind == "throttles back":
                self._journal.end(step.id, {"left": [throttling.NOT_KNOWN]}, hold=self._hold)
            elif step.kind == "throttles":
                self._journal.end(step.id, {"settled": "put back at the end"}, hold=self._hold)
        for step in self._journal.steps(run_id=self._run.id, kind="cancel", most=1_000_000):
            self._cancel_sent |= {row for row in _numbers(step.content["rows"]) if self._moves[row].state == "sent"}

    def _patiently(self, call: Callable[[], _Answer]) -> _Answer:
        """Call until the cluster answers; say meanwhile that it does not."""
        since, seconds = datetime.now(UTC), self._pace.poll_seconds
        while True:
            try:
                return call()
            except ClusterUnreachable as error:
                if error.trouble in _LASTING:
                    raise
                self._say(f"The cluster does not answer since {sentences.clock(since)}; tried again. {error}")
                self._heed_stop()
                self._pace.wait(seconds)
                seconds = min(seconds * 2, self._pace.retry_seconds)

    # ---- throttles -----------------------------------------------------------------------------------------

    def _set_throttles(self) -> None:
        """At the start, after a crash (perhaps they are set in part), and for a broker that came back."""
        rate = self._run.options.throttle
        if rate is None:
            return
        there = throttling.standing(self._journal, self._run.id)
        moves = [move for move in self._moves if move.state in ("waiting", "sent")]
        alive = self._target.alive()
        earlier = throttling.earlier_values(self._target, moves, alive)
        partitions = {move.topic: move.partition for move in moves}
        if there is not None:  # what it found first is what was there before the run
            earlier = throttling.merged(earlier, there.earlier)
            partitions |= there.partitions
        throttles = throttling.wanted(moves, rate, earlier)
        self._throttled = alive
        if not (throttles.leader_rate or throttles.leader_replicas or throttles.follower_replicas):
            return
        step = None
        if there is None or (there.earlier, there.now) != (earlier, throttles):
            step = self._begin(
                "throttles",
                {
                    "earlier": throttling.to_json(earlier),
                    "set": throttling.to_json(throttles),
                    "partitions": partitions,
                },
            )
        try:
            # A dead broker's are not set, else it would keep the run waiting; it gets them when it is back.
            self._target.set_throttles(throttling.of_brokers(throttles, alive))
        except ClusterUnreachable:
            if step is not None:
                self._journal.end(step, {"set": "not known"}, hold=self._hold)
            raise
        # Brokers take a moment to show what they were told: what they show before is nobody's doing.
        self._throttle_at, self._lifted = self._pace.now(), ""
        if step is not None:
            self._journal.end(step, {"set": True}, hold=self._hold)

    def _throttle_newly_alive(self, alive: frozenset[int]) -> None:
        """A broker that was dead when throttles were set gets its own before anything is sent to it."""
        if self._run.options.throttle is None or alive <= self._throttled:
            self._throttled &= alive
            return
        self._patiently(self._set_throttles)

    def _put_throttles_back(self) -> str:
        """Put the throttles back; returns what could not be, as a sentence with a blank before it, or ""."""
        there = throttling.standing(self._journal, self._run.id)
        if there is None:
            return ""
        step = self._begin("throttles back", {"of": there.step})
        left = self._patiently(partial(throttling.put_back, self._target, there, self._pace.wait))
        brokers = sorted({*left.leader_rate, *left.follower_rate})
        topics = sorted({*left.leader_replicas, *left.follower_replicas})
        self._journal.end(step, {"left": [*brokers, *topics]}, hold=self._hold)
        if not brokers and not topics:
            return ""
        places = [f"broker {broker}" for broker in brokers] + [f"topic {topic}" for topic in topics]
        return f" Throttles are left on {listed(places)}: status puts them back once they can be reached."

    # ---- sending -------------------------------------------------------------------------------------------

    def _send(self, seen: _Seen) -> None:
        if seen.others or (self._target.one_at_a_time and (seen.listing or self._rows("sent"))):
            return
        if self._suspicious():
            return
        rows = self._next_rows(seen.alive)
        if not rows:
            return
        rows = self._patiently(partial(self._still_as_before, rows))
        if not rows:
            return
        step = self._begin(
            "batch",
            {
                "rows": rows,
                "targets": {sentences.name_of(self._moves[row]): list(self._moves[row].target) for row in rows},
            },
            {row: replace(self._moves[row], state="sent", error=None) for row in rows},
        )
        try:
            answers = self._target.reassign({self._key(row): self._moves[row].target for row in rows})
        except ClusterUnreachable as error:
            # Not known whether it arrived: the step stays open, and the looks that follow settle it.
            self._unsure |= dict.fromkeys(rows, step)
            if error.trouble in _LASTING:
                raise
            self._say(f"The cluster did not answer while a batch was sent; it is asked what came of it. {error}")
            return
        self._take_answers(step, rows, answers)

    def _next_rows(self, alive: frozenset[int]) -> list[int]:
        under_way = [row for row in self._rows("sent") if row not in self._agreed]
        waiting = [row for row in self._rows("waiting") if not self._dead_newcomers(row, alive)]
        if not waiting:
            return []
        if self._work is None:
            keys = [self._key(row) for row in range(len(self._moves))]
            self._work = work_of_moves(self._moves, self._patiently(partial(self._target.assignments, keys)))
        masks = np.zeros((2, len(self._moves)), np.bool_)
        masks[0, waiting] = masks[1, under_way] = True
        limits = BatchLimits(self._run.options.moves_a_broker, self._target.batch_bytes)
        rows: list[int] = next_batch(self._work, masks[0], masks[1], limits).tolist()
        return rows

    def _still_as_before(self, rows: list[int]) -> list[int]:
        """Those of a batch that may be sent now: nobody else reassigns, and they and others are as at approval.

        Any broker may answer, and one may not have been told of a partition yet, or of how it came to be as it was at
        approval: what is otherwise is asked again before it counts as somebody's doing.
        """
        waiting = sorted(
            {*rows, *self._some_that_wait(), *(row for row in self._rows("waiting") if row in self._doubts)}
        )
        now = self._target.assignments([self._key(row) for row in waiting])
        if self._others(self._target.reassigning()):
            return []
        unsettled = False
        for row in waiting:
            told, move = now.get(self._key(row)), self._moves[row]
            if told is None:
                if self._lasts(row, None, self._pace.grace_seconds):
                    self._set(row, state="failed", error="UNKNOWN_TOPIC_OR_PARTITION")
            elif told.under_way:
                return []  # somebody's, and not on the list yet: the next look says whose
            elif told.replicas == move.before:
                self._doubts.pop(row, None)
            elif told.replicas == move.target:  # done already; or, on the way back, from before the way there
                if self._lasts(row, told.replicas, self._pace.grace_seconds):
                    self._set(row, state="done", now=told.replicas, bytes_done=move.bytes_total)
            elif self._lasts(row, told.replicas, self._pace.grace_seconds):
                self._fail_behind_back(row, f"its replicas are {sentences.list_text(told.replicas)}", told.replicas)
            else:
                unsettled = True
        if unsettled or self._halted is not None:
            return []
        return [row for row in rows if self._moves[row].state == "waiting" and row not in self._doubts]

    def _some_that_wait(self) -> list[int]:
        waiting = self._rows("waiting")
        if len(waiting) <= _ASKED_AHEAD:
            return waiting
        first = next((place for place, row in enumerate(waiting) if row >= self._ahead), 0)
        turn = (waiting + waiting)[first : first + _ASKED_AHEAD]
        self._ahead = turn[-1] + 1
        return turn

    def _take_answers(self, step: int, rows: Sequence[int], answers: Mapping[Partition, str | None]) -> None:
        refused = {row: error for row in rows if (error := answers.get(self._key(row))) is not None}
        changed: dict[int, MoveProgress] = {}
        for row, error in refused.items():
            self._tries[row] += 1
            tries = _TRIES if error in _LATER else _TRIES_PERHAPS_DEAD if error == _PERHAPS_DEAD else 0
            later = self._tries[row] < tries
            changed[row] = replace(self._moves[row], state="waiting" if later else "failed", error=error)
        for row, move in changed.items():
            self._moves[row] = move
        self._journal.end(
            step,
            {"refused": {sentences.name_of(self._moves[row]): error for row, error in refused.items()}},
            hold=self._hold,
            moves=changed,
        )

    # ---- stopping ------------------------------------------------------------------------------------------

    def _heed_stop(self) -> None:
        if self._stop.is_set() and not self._journal.stop_requested(self._run.id):
            self._journal.request_stop(self._run.id, cancel=False)
        if self._state is not RunState.STOPPING and self._journal.stop_requested(self._run.id):
            self._say("Stopping: nothing further is sent.", RunState.STOPPING)

    def _cancelling(self) -> bool:
        return self._state is RunState.STOPPING and self._journal.stop_requested(self._run.id) == "cancel"

    def _cancel(self, seen: _Seen) -> None:
        if not self._target.can_cancel:
            return
        rows = [row for row in self._rows("sent") if self._key(row) in seen.listing and row not in self._cancel_sent]
        if not rows:
            return
        step = self._begin("cancel", {"rows": rows})
        answers = self._target.cancel([self._key(row) for row in rows])
        refused = {
            row: error
            for row in rows
            if (error := answers.get(self._key(row))) not in (None, "NO_REASSIGNMENT_IN_PROGRESS")
        }
        self._cancel_sent |= {row for row in rows if refused.get(row) not in _LATER}
        self._taken_back |= {row for row in rows if answers.get(self._key(row), "") is None}
        for row, error in refused.items():
            self._set(row, error=error)
        self._keep()
        self._journal.end(
            step,
            {"refused": {sentences.name_of(self._moves[row]): error for row, error in refused.items()}},
            hold=self._hold,
        )

    def _over(self) -> bool:
        return not self._rows("sent") and (self._stopping or not self._rows("waiting"))

    def _finish(self) -> None:
        """Everything has ended: check all of it once more, put the throttles back, say what came of it."""
        if all(move.state == "done" for move in self._moves):
            for _ in range(2):
                while not self._patiently(self._confirm):
                    self._pace.wait(self._pace.poll_seconds)
                self._pace.wait(self._pace.poll_seconds)
        self._keep()
        left = self._put_throttles_back()
        states = {move.state for move in self._moves}
        if states == {"done"}:
            number = len(self._moves)
            everything = "1 partition is" if number == 1 else f"all {number:,} partitions are"
            state, sentence = RunState.DONE, f"Done: {everything} as planned, seen twice."
        elif self._halted is not None:
            state, sentence = RunState.FAILED, f"{self._halted} {sentences.ended(self._moves)}"
        elif "failed" in states:
            failed = sentences.failures(self._moves)
            state, sentence = RunState.FAILED, f"{failed} {sentences.ended(self._moves)}"
        else:
            state, sentence = RunState.CANCELLED, f"Stopped: {sentences.ended(self._moves)}"
        self._say(sentence + left, state)

    def _confirm(self) -> bool:
        """Whether one look leaves no doubt: a done partition that has lasted otherwise was changed by somebody else.

        Any broker may answer, and one of them may not have been told yet of what another told before.
        """
        listing = self._target.reassigning()
        done = self._rows("done")
        now = self._target.assignments([self._key(row) for row in done])
        for row in done:
            told = now.get(self._key(row))
            if self._key(row) in listing:
                self._doubts.pop(row, None)
                self._fail_behind_back(row, "it was as planned and is being reassigned again")
            elif told is not None and not told.under_way and told.replicas == self._moves[row].target:
                self._doubts.pop(row, None)
            elif self._lasts(row, None if told is None else told.replicas, self._pace.grace_seconds):
                what = (
                    "it is gone"
                    if told is None
                    else f"it was as planned and is {sentences.list_text(told.replicas)} now"
                )
                self._fail_behind_back(row, what, None if told is None else told.replicas)
        return not self._doubts

    # ---- what is said --------------------------------------------------------------------------------------

    def _describe(self, seen: _Seen) -> None:
        """Say where the run stands, and what it waits for."""
        self._note_bytes(seen)
        self._note_throttles(seen)
        under_way = self._rows("sent")
        stalled = self._stalled(seen)
        words = [f"{sentences.counts(self._moves)}."]
        missing = {row: self._dead_newcomers(row, seen.alive) for row in under_way}
        waits = [row for row in under_way if missing[row]]
        if waits:
            brokers = sorted(set().union(*missing.values()))
            words.append(sentences.waiting_for_brokers(self._of(waits), brokers, self._stalling.at))
        elif stalled:
            words.append(sentences.stalled(self._of(under_way), self._stalling.at, self._run.options.throttle))
        if self._lifted:
            words.append(self._lifted)
        if not self._stopping:
            missing = {row: self._dead_newcomers(row, seen.alive) for row in self._rows("waiting")}
            held = [row for row in missing if missing[row]]
            if held:
                words.append(sentences.held_back(self._of(held), sorted(set().union(*missing.values()))))
            if seen.others:
                words.append(sentences.others_at_work(seen.others))
        if self._halted is not None:
            words.insert(0, self._halted)
        if self._state is RunState.STOPPING:
            refused = [row for row in under_way if row in self._cancel_sent and self._moves[row].error]
            words.insert(0, sentences.stopping(self._cancelling(), self._target.can_cancel, self._of(refused)))
        self._say(" ".join(words))
        self._note_pace()

    def _say(self, sentence: str, state: RunState | None = None) -> str:
        state = state or self._state
        if (state, sentence) != (self._state, self._sentence):
            self._state, self._sentence = state, sentence
            self._journal.set_state(self._hold, self._run.id, state, sentence)
            if self._report is not None:
                self._report(sentence)
        return sentence

    def _stalled(self, seen: _Seen) -> bool:
        sign = (
            tuple((row, self._moves[row].bytes_done) for row in self._rows("sent")),
            tuple(len(told.in_sync) for told in seen.now.values()),
            frozenset(self._rows("waiting")),
            seen.alive,
        )
        now = self._pace.now()
        if sign != self._stalling.sign:
            self._stalling = _Stalling(sign, now, datetime.now(UTC))
        return bool(self._rows("sent")) and now - self._stalling.since >= self._pace.stalled_seconds

    def _poll_seconds(self) -> float:
        """The longer nothing changes, the less often it is asked; and never more than half of the time.

        Through ZooKeeper a look reads every topic's node: seconds in a cluster of 10,000 topics.
        """
        quiet = self._pace.now() - self._stalling.since
        return max(min(self._pace.poll_seconds + quiet / 10, _SLOWEST_POLL), self._look_seconds)

    def _note_bytes(self, seen: _Seen) -> None:
        newcomers = {row: set(self._moves[row].target) - set(self._moves[row].before) for row in self._rows("sent")}
        rows = [row for row in newcomers if newcomers[row]]
        if not rows or self._pace.now() - self._bytes_at < _BYTES_SECONDS:
            return
        self._bytes_at = self._pace.now()
        brokers = sorted(set().union(*newcomers.values()) & seen.alive)
        try:
            held = self._target.copied([self._key(row) for row in rows], brokers) if brokers else None
        except ClusterUnreachable:
            return  # how many bytes there are is a kindness; the next look says whether the cluster is there
        if held is None:
            return
        for row in rows:
            copied = sum(held.get((self._key(row), broker), 0) for broker in newcomers[row])
            total = self._moves[row].bytes_total
            self._set(row, bytes_done=copied if total is None else min(copied, total))
        self._keep()

    def _note_throttles(self, seen: _Seen) -> None:
        """See whether what the run has set still holds where something is copied."""
        rate = self._run.options.throttle
        rows = self._rows("sent")
        if rate is None or not rows or self._pace.now() - self._throttle_at < _THROTTLE_SECONDS:
            return
        began = self._pace.now()
        there = throttling.standing(self._journal, self._run.id)
        if there is None:
            return
        topics = {self._moves[row].topic for row in rows}
        ours = throttling.of_topics(throttling.of_brokers(there.now, seen.alive & self._throttled), topics)
        try:
            now = self._target.throttles(
                sorted({*ours.leader_rate, *ours.follower_rate}),
                sorted({*ours.leader_replicas, *ours.follower_replicas}),
            )
        except ClusterUnreachable:
            return  # the next look says whether the cluster is there
        finally:  # each broker tells its own: of many, it is asked the less often the longer that takes
            self._throttle_at = 10 * self._pace.now() - 9 * began
        brokers, lists = throttling.lifted(ours, now)
        self._lifted = sentences.throttle_lifted(brokers, lists, rate) if brokers or lists else ""

    def _note_pace(self) -> None:
        if self._pace.now() - self._pace_at < _PACE_SECONDS:
            return
        self._pace_at = self._pace.now()
        told = [move.bytes_done for move in self._moves if move.bytes_done is not None]
        done = sum(move.state == "done" for move in self._moves)
        self._journal.note_pace(self._hold, self._run.id, done, sum(told) if told else None)

    # ---- rows ----------------------------------------------------------------------------------------------

    def _rows(self, state: str) -> list[int]:
        return [row for row, move in enumerate(self._moves) if move.state == state]

    def _key(self, row: int) -> Partition:
        return self._moves[row].topic, self._moves[row].partition

    def _of(self, rows: Iterable[int]) -> list[MoveProgress]:
        return [self._moves[row] for row in rows]

    def _dead_newcomers(self, row: int, alive: frozenset[int]) -> set[int]:
        return set(self._moves[row].target) - set(self._moves[row].before) - alive

    def _set(self, row: int, **changes: object) -> None:
        """Change what is known of a partition; kept by the next ``_keep``."""
        move = replace(self._moves[row], **changes)  # type: ignore[arg-type]
        if move != self._moves[row]:
            self._moves[row] = self._changed[row] = move

    def _keep(self) -> None:
        changed, self._changed = self._changed, {}
        self._journal.note_moves(self._hold, self._run.id, changed)

    def _begin(self, kind: str, content: Mapping[str, object], moves: Mapping[int, MoveProgress] | None = None) -> int:
        self._keep()
        step = self._journal.begin(
            self._run.cluster_id,
            kind,
            content,
            operator=self._run.operator,
            run_id=self._run.id,
            hold=self._hold,
            moves=moves,
        )
        for row, move in (moves or {}).items():
            self._moves[row] = move
        return step


def _goal(told: Assignment) -> tuple[int, ...]:
    """The list that a reassignment under way leads to.

    Once begun, AR holds the target first, then those that leave. One that waits in ZooKeeper's node has the list from
    before still, so that the members are known and their order is not.
    """
    staying = tuple(broker for broker in told.replicas if broker not in told.removing)
    return staying + tuple(broker for broker in told.adding if broker not in staying)


def _leads_to(told: Assignment, target: tuple[int, ...]) -> bool:
    """Whether a reassignment under way may be the one to this list; its order shows at its end."""
    return sorted(_goal(told)) == sorted(target)


def _numbers(value: object) -> list[int]:
    return [int(number) for number in value] if isinstance(value, list) else []
