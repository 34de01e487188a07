"""Carries an approved plan out: throttles, batches, progress, stop, cancel, and what is left after a crash.

What it promises, in this order:

1. Nothing is sent whose intention is not in the journal; what a crash left open is settled by asking the cluster.
2. A partition is sent only if it is still as it was at approval, while nobody else reassigns anything in the cluster.
3. Done is said only of what was seen twice: not in the list of reassignments, and with exactly the planned replicas.
4. Whatever happens, the throttles come back to what they were, once nothing of the run is under way; and a cordon is
   set before anything is sent, lifted by a cancel and by a rollback before they send anything, and else told of.
5. It waits and says what for. It never spins. A run is over only once nothing of it is under way: trouble with the
   connection, or the end of the process, leaves it open for whoever goes on with it. Only a person's word cancels.

What it needs: a ``Target``, the journal, and an approved run. The guard's checks come before; they are not repeated.

How it works: one loop. Look at what is reassigned anywhere and at how the partitions sent stand (``looking``), decide
what came of each of them (``decide``), heed stop requests, send the next batch if one may be sent (``sending``), say
where the run stands (``telling``), wait.

Example: ``carry_out(target, journal, run.id, stop=threading.Event())`` returns the run as it ended.

Complexity: a look asks for the partitions under way, a batch for its own and up to 1,000 others that wait, all of them
at once; at the end all are asked for twice.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from reseat.errors import ClusterUnreachable, WriteRefused
from reseat.formats.documents.sealed import topic_ids_in
from reseat.model import Snapshot
from reseat.operate.journal.journal import Journal, Lease
from reseat.operate.journal.records import Run, RunState
from reseat.operate.run import sentences, throttling
from reseat.operate.run.cordoning import RunCordons, cordons_left
from reseat.operate.run.health import Health
from reseat.operate.run.ledger import Ledger
from reseat.operate.run.looking import Observation, look
from reseat.operate.run.modules import load_all
from reseat.operate.run.newcomers import into_directories
from reseat.operate.run.pace import Pace
from reseat.operate.run.places import between_directories, with_directories
from reseat.operate.run.run_throttles import RunThrottles
from reseat.operate.run.same_topics import same_topics
from reseat.operate.run.sending import LATER, Sender
from reseat.operate.run.telling import Teller
from reseat.operate.run.timing import Timing
from reseat.operate.run.tracking import Tracker
from reseat.operate.run.waiting import Interrupted, NothingUnderWay, Waiting
from reseat.operate.targets.error_names import in_words
from reseat.operate.targets.target import Target

__all__ = ["carry_out", "reconcile"]

#: A look without a change makes the next wait longer by half, up to this.
_SLOWEST_POLL = 3.0


def carry_out(
    target: Target,
    journal: Journal,
    run_id: int,
    *,
    stop: threading.Event | None = None,
    interrupt: threading.Event | None = None,
    read: Callable[[], Snapshot] | None = None,
    pace: Pace | None = None,
    report: Callable[[str], None] | None = None,
) -> Run:
    """Carry an approved run out, or go on with one that was interrupted, until it is over.

    Args:
        target: the cluster.
        journal: where the run is.
        run_id: the run.
        stop: set by another thread to send nothing further and end once nothing is under way; as a stop request.
        interrupt: set where this process is told to end: it does at once, and the run stays open as it is.
        read: reads the whole cluster, between batches: whether it has become worse meanwhile (``health``); None: only
            which brokers are alive is looked at.
        pace: how patient to be; None: as ``Pace`` is, and an interrupt ends each wait.
        report: called with each new sentence.

    Returns:
        The run as it ended, ``DONE``, ``CANCELLED`` or ``FAILED``; or as it stands open, where it was interrupted.

    Raises:
        WriteRefused: the run is over, the cluster is another one, somebody else holds the lock, or the journal cannot
            be written.
        ClusterUnreachable: the cluster could not be reached at the start, or has not let this user in for too long;
            in the latter case the run stays open and says so.
    """
    load_all()
    run = journal.run(run_id)
    there = target.cluster_id()
    if there != run.cluster_id:
        raise WriteRefused(f"Run {run_id} is for cluster {run.cluster_id}; this one is {there}. Nothing was sent.")
    with journal.lease(run.cluster_id, operator=run.operator, run_id=run_id) as lease:
        run = journal.run(run_id)  # as it stands now that nobody else can end it
        if not run.state.open:
            raise WriteRefused(f"Run {run_id} is over ({run.state.value}): {run.sentence}")
        interrupt = interrupt or threading.Event()
        pace = pace or Pace(wait=interrupt.wait)
        carrying = _Carrying(
            target, journal, lease, run, stop=stop, interrupt=interrupt, read=read, pace=pace, report=report
        )
        carrying.to_its_end()
    return journal.run(run_id)


def reconcile(
    target: Target,
    journal: Journal,
    *,
    pace: Pace | None = None,
    report: Callable[[str], None] | None = None,
) -> tuple[str, ...]:
    """Settle what a runner that is gone left behind on this cluster. Sends no reassignment.

    An interrupted run is compared with the cluster; where nothing of it is under way its throttles are put back, and
    it ends if nothing is left to do. Throttles that an ended run could not put back are tried again, and so is lifting
    the cordon of one that was cancelled.

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
    if not _left_behind(journal, cluster_id):
        return ()
    said = []
    with journal.lease(cluster_id, operator="recovery", run_id=None) as lease:
        for run in _left_behind(journal, cluster_id):  # as they stand now that nobody else can end them
            carrying = _Carrying(target, journal, lease, run, pace=pace, report=report)
            said.append(carrying.settle_only() if run.state.open else carrying.mend())
    return tuple(said)


def _left_behind(journal: Journal, cluster_id: str) -> list[Run]:
    """Runs that were begun and are not over, and else those that are and left throttles, or a cordon that goes."""
    begun = journal.open_runs(cluster_id)
    left = {run for run, _, _ in journal.throttled_runs(cluster_id)}
    left |= {there.run for there in cordons_left(journal, cluster_id) if journal.stop_requested(there.run) == "cancel"}
    if any(run.id in left for run in begun):
        left = set()  # what an earlier run left may be what this one is throttled by: once it is over
    ended = [journal.run(run) for run in sorted(left, reverse=True)]
    return ended + [run for run in begun if run.state is not RunState.APPROVED]


class _Carrying:
    """One run being carried out by this process."""

    def __init__(
        self,
        target: Target,
        journal: Journal,
        lease: Lease,
        run: Run,
        *,
        stop: threading.Event | None = None,
        interrupt: threading.Event | None = None,
        read: Callable[[], Snapshot] | None = None,
        pace: Pace | None = None,
        report: Callable[[str], None] | None = None,
    ) -> None:
        self._journal = journal
        self._stop = stop or threading.Event()
        self._pace = pace or Pace()
        self._ledger = Ledger(journal, lease, run, report)
        directories = between_directories(run, self._ledger.moves)
        if directories is not None:
            target, moves = with_directories(directories, target, self._ledger.moves)
            self._ledger.takes_place(moves)
        else:
            target = into_directories(target, run, self._ledger.moves)
        self._target = target
        target = same_topics(target, topic_ids_in(run.rollback), map(self._ledger.key, range(len(self._ledger.moves))))
        self._same_topics = target
        self._tracker = Tracker(self._ledger, self._pace)
        self._waiting = Waiting(self._ledger, self._pace, self._heed, interrupt or threading.Event())
        self._patiently = self._waiting.patiently
        self._throttles = RunThrottles(target, self._ledger, self._pace)
        self._cordons = RunCordons(target, self._ledger)
        health = Health(self._ledger, self._pace, read)
        timing = Timing(self._ledger, self._pace)
        self._sender = Sender(target, self._ledger, self._tracker, self._waiting, health=health, timing=timing)
        self._teller = Teller(target, self._ledger, self._tracker, self._throttles, self._pace)
        self._look_seconds = 0.0
        self._rate_changed = False
        self._paused_by = ""

    # ---- the whole of it -----------------------------------------------------------------------------------

    def to_its_end(self) -> None:
        """Carry out, until the run is over or this process is told to end."""
        try:
            self._say_that_it_begins()
            self._go_on()
        except Interrupted:
            self._leave("The executor was told to end")
        except ClusterUnreachable as error:
            self._leave(str(error).rstrip("."))
            raise

    def _say_that_it_begins(self) -> None:
        first = self._ledger.state is RunState.APPROVED
        self._ledger.say("Starting." if first else "Continuing.", RunState.RUNNING)
        self._heed()
        self._tracker.recall_open_steps()

    def _go_on(self) -> None:
        try:
            self._begin_safely()
            while True:
                seen = self._patiently(self._look)
                self._tracker.follow(self._ledger.rows("sent"), seen.listing, seen.now)
                self._heed()
                if self._cancelling():
                    self._cordons.lift(self._ledger.run.id, self._patiently)
                    self._patiently(partial(self._cancel, seen))
                self._heed_rate()
                if not self._ledger.stopping:
                    if self._throttles.misses(seen.alive):
                        self._patiently(self._throttles.set)
                    if self._cordons.misses(seen.alive):
                        self._patiently(self._cordons.set)
                    paused = sentences.paused(self._paused_by) if self._paused_by else self._sender.send(seen)
                    self._ledger.paused = paused
                self._ledger.keep()
                if self._over():
                    break
                self._teller.describe(seen, cancelling=self._cancelling(), held=self._sender.held)
                self._waiting.wait(self._poll_seconds())
            self._finish()
        except NothingUnderWay:
            self._ledger.keep()
            self._end((sentences.THROTTLES_LEFT if self._throttled else "") + self._cordons.left(self._cancelling()))

    def _begin_safely(self) -> None:
        """What holds before anything is sent: cordons, and throttles; of a rollback, that its brokers may receive."""
        if self._ledger.stopping:
            return
        if self._ledger.run.kind == "rollback":
            named = {broker for move in self._ledger.moves for broker in move.target}
            for there in cordons_left(self._journal, self._ledger.run.cluster_id):
                if named & there.before.keys():
                    self._cordons.lift(there.run, self._patiently)
        self._patiently(self._cordons.set)
        if self._ledger.stopping:
            self._cordons.lift(self._ledger.run.id, self._patiently)
        else:
            self._set_throttles()

    @property
    def _throttled(self) -> bool:
        return throttling.outstanding_throttles(self._journal, self._ledger.run.id) is not None

    def _leave(self, why: str) -> None:
        """The process ends, the run does not."""
        self._ledger.keep()
        stay = " and the throttles stay" if self._throttled else ""
        under_way = f" Kafka continues with what is in progress{stay}." if self._ledger.rows("sent") else ""
        self._ledger.say(f"{why}: {sentences.counts(self._ledger.moves)}.{under_way} Continue it, or cancel it.")

    def settle_only(self) -> str:
        """Compare an interrupted run with the cluster and end it if nothing is left to do; sends nothing."""
        self._heed()
        self._settle()
        under_way = self._ledger.rows("sent")
        where = sentences.counts(self._ledger.moves)
        if under_way:
            keeps = "; the throttles stay while anything is in progress" if self._throttled else ""
            return self._ledger.say(
                f"The executor of run {self._ledger.run.id} has ended; {where}{keeps}. Continue it, or cancel it."
            )
        if self._ledger.rows("waiting") and not self._ledger.stopping:
            left = self._throttles.put_back(self._patiently)
            return self._ledger.say(
                f"The executor of run {self._ledger.run.id} has ended; {where}, nothing is in progress.{left} Continue "
                "it, or cancel it."
            )
        self._finish()
        return f"Run {self._ledger.run.id}: {self._ledger.sentence}"

    def mend(self) -> str:
        """Put back what an ended run had to leave: nothing of it is under way."""
        self._tracker.recall_open_steps()
        said, left = self._ledger.sentence, ""
        if self._throttled:
            said = said.split(" Throttle")[0]
            left = self._throttles.put_back(self._patiently) or " Its throttles are restored."
        if still := self._cordons.left(cancelled=True):
            said = said.replace(still, "")
            left += self._cordons.lift(self._ledger.run.id, self._patiently) or " Its cordon is lifted."
        self._ledger.say(f"{said}{left}")
        return f"Run {self._ledger.run.id}, {self._ledger.state.value}:{left}"

    def _settle(self) -> None:
        """Look until every partition that was sent is known to be under way, or settled; for a bounded time."""
        self._tracker.recall_open_steps()
        # Long enough for one doubt to last, whenever it came up, and however long a look takes.
        until = self._pace.now() + 2 * self._pace.grace_seconds
        while True:
            seen = self._look()
            self._tracker.follow(self._ledger.rows("sent"), seen.listing, seen.now)
            self._ledger.keep()
            if not (self._tracker.agreed or self._tracker.doubtful) or self._pace.now() > until:
                return
            self._pace.wait(self._pace.poll_seconds)

    def _look(self) -> Observation:
        began = self._pace.now()
        seen = look(self._target, self._ledger)
        self._look_seconds = self._pace.now() - began
        return seen

    # ---- stopping ------------------------------------------------------------------------------------------

    def _heed(self) -> None:
        """What a person asked for meanwhile, here or in any other process."""
        wishes = self._journal.wishes(self._ledger.run.id)
        if self._stop.is_set() and not wishes.stop:
            self._journal.request_stop(self._ledger.run.id, cancel=False)
            wishes = replace(wishes, stop="stop")
        if wishes.stop and self._ledger.state is not RunState.STOPPING:
            self._ledger.say("Stopping: nothing further is sent.", RunState.STOPPING)
        before = self._ledger.run.options
        self._ledger.run = replace(self._ledger.run, options=wishes.options)
        self._rate_changed |= wishes.options.throttle != before.throttle
        self._paused_by = wishes.paused_by

    def _heed_rate(self) -> None:
        """Another throttle holds before anything further is sent."""
        if self._rate_changed:
            self._set_throttles()
            self._rate_changed = False

    def _set_throttles(self) -> None:
        if self._ledger.run.options.throttle is None:
            self._throttles.put_back(self._patiently)
        else:
            self._patiently(self._throttles.set)

    def _cancelling(self) -> bool:
        return self._ledger.state is RunState.STOPPING and self._journal.stop_requested(self._ledger.run.id) == "cancel"

    def _cancel(self, seen: Observation) -> None:
        if not self._target.can_cancel:
            return
        rows = [
            row
            for row in self._ledger.rows("sent")
            if self._ledger.key(row) in seen.listing and row not in self._tracker.cancel_sent
        ]
        if not rows:
            return
        step = self._ledger.record_intent("cancel", {"rows": rows})
        answers = self._target.cancel([self._ledger.key(row) for row in rows])
        refused = {
            row: error
            for row in rows
            if (error := answers.get(self._ledger.key(row))) not in (None, "NO_REASSIGNMENT_IN_PROGRESS")
        }
        self._tracker.cancel_sent |= {row for row in rows if refused.get(row) not in LATER}
        self._tracker.taken_back |= {row for row in rows if answers.get(self._ledger.key(row), "") is None}
        for row, error in refused.items():
            self._ledger.set(row, error=in_words(error))
        self._ledger.keep()
        names = {move.name: move.error for move in self._ledger.of(refused)}
        self._ledger.record_outcome(step, {"refused": names})

    def _over(self) -> bool:
        return not self._ledger.rows("sent") and (self._ledger.stopping or not self._ledger.rows("waiting"))

    def _finish(self) -> None:
        """Everything has ended: check all of it once more, put the throttles back, say what came of it."""
        if all(move.state == "done" for move in self._ledger.moves):
            for _ in range(2):
                while not self._patiently(self._confirm):
                    self._waiting.wait(self._pace.poll_seconds)
                self._waiting.wait(self._pace.poll_seconds)
        self._ledger.keep()
        left = self._throttles.put_back(self._patiently)
        if self._cancelling():
            self._cordons.lift(self._ledger.run.id, self._patiently, again=True)
        else:
            self._cordons.note_theirs(self._patiently)
        self._end(left + self._cordons.left(self._cancelling()))

    def _confirm(self) -> bool:
        """Whether one look leaves no doubt that what is done is still as planned."""
        listing = self._same_topics.reassigning()
        done = self._ledger.rows("done")
        return self._tracker.follow(done, listing, self._same_topics.assignments(list(map(self._ledger.key, done))))

    def _end(self, left: str) -> None:
        """The run is over; what came of it, and the throttles that are left, as a sentence with a blank before it."""
        moves = self._ledger.moves
        states = {move.state for move in moves}
        if states == {"done"}:
            number = len(moves)
            everything = "1 partition is" if number == 1 else f"all {number:,} partitions are"
            state, sentence = RunState.DONE, f"Done: {everything} as planned, seen twice."
        elif self._ledger.halted is not None:
            state, sentence = RunState.FAILED, f"{self._ledger.halted} {sentences.ended(moves)}"
        elif "failed" in states:
            state, sentence = RunState.FAILED, f"{sentences.failures(moves)} {sentences.ended(moves)}"
        else:
            state, sentence = RunState.CANCELLED, f"Stopped: {sentences.ended(moves)}"
        self._ledger.say(sentence + left, state)

    def _poll_seconds(self) -> float:
        """The longer nothing changes, the less often it is asked; and never more than half of the time.

        Through ZooKeeper a look reads every topic's node: seconds in a cluster of 10,000 topics.
        """
        return max(min(self._pace.poll_seconds + self._teller.quiet / 10, _SLOWEST_POLL), self._look_seconds)
