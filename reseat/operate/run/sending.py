"""The next batch of a run: which partitions may go, whether they are as they were at approval, what Kafka answers.

Before each batch its own partitions are asked for, and up to 1,000 others that wait, in turns, all of them at once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from reseat.errors import ClusterUnreachable
from reseat.operate.journal.records import MoveProgress
from reseat.operate.run import sentences
from reseat.operate.run.batches import work_of_moves
from reseat.operate.run.health import Health
from reseat.operate.run.ledger import Ledger
from reseat.operate.run.looking import Observation, others
from reseat.operate.run.places import written
from reseat.operate.run.timing import Timing
from reseat.operate.run.tracking import Tracker
from reseat.operate.run.waiting import Barred, Waiting
from reseat.operate.targets.error_names import in_words
from reseat.operate.targets.target import Partition, Target
from reseat.schedule.batches import BatchLimits, Work, next_batch

__all__ = ["LATER", "Sender"]

#: Errors that say "not now" and nothing of the partition.
LATER = frozenset({
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
#: Partitions that wait, beside those of the batch, that are looked at before each batch, in turns. All of them each
#: time would make the cost quadratic: hours of reading ZooKeeper's nodes for a plan of 100,000 partitions.
ASKED_AHEAD = 1_000


class Sender:
    """Sends the batches of one run.

    Args:
        target: the cluster.
        ledger: the run.
        tracker: what came of what was sent before.
        waiting: calls until the cluster answers.
        health: whether the cluster has become worse.
        timing: when the run may send.
    """

    def __init__(
        self, target: Target, ledger: Ledger, tracker: Tracker, waiting: Waiting, *, health: Health, timing: Timing
    ) -> None:
        self._target = target
        self._ledger = ledger
        self._tracker = tracker
        self._pace = waiting.pace
        self._waiting = waiting
        self._health = health
        self._timing = timing
        self._barred = Barred(waiting.pace)
        #: Why the cluster takes no batches for now, as a sentence.
        self._refused = ""
        #: Rows without a live in-sync replica, as they were before the last batch.
        self._uncopied: list[int] = []
        #: Brokers that somebody cordoned, as they were before the last batch: Kafka takes no list that names one.
        self._cordoned: frozenset[int] = frozenset()
        self._tries: Counter[int] = Counter()
        self._work: Work | None = None
        #: Where the next turn of those that wait begins.
        self._ahead = 0

    @property
    def held(self) -> str:
        """What is not sent although the run goes on, and why; "" where nothing is held."""
        rows = [row for row in self._uncopied if self._ledger.moves[row].state == "waiting"]
        words = [self._refused, sentences.no_copy(self._ledger.of(rows)) if rows else ""]
        frozen = self._frozen()
        if frozen:
            named = {broker for move in self._ledger.of(frozen) for broker in move.target}
            words.append(sentences.held_by_cordons(self._ledger.of(frozen), sorted(self._cordoned & named)))
        return " ".join(filter(None, words))

    def send(self, seen: Observation) -> str:
        """Send the next batch, if one may be sent as things were seen just now.

        Returns:
            Why the schedule or the state of the cluster lets nothing be sent, as a sentence, or "".

        Raises:
            ClusterUnreachable: the cluster has refused to take batches of this user for too long.
        """
        if not self._ledger.rows("waiting"):
            return ""
        closed = self._timing.closed()
        if closed:
            return closed
        worse = self._health.worse(seen)
        if worse or seen.others or (self._target.one_at_a_time and (seen.listing or self._ledger.rows("sent"))):
            return worse
        if self._tracker.suspicious() or self._barred.waits:
            return ""
        self._cordoned = self._waiting.patiently(partial(self._target.cordoned, sorted(self._named())))
        rows = self._next_rows(seen.alive)
        if rows:
            rows = self._waiting.patiently(partial(self._still_as_before, rows, seen.alive))
        no_room = self._health.no_room(rows) if rows else ""
        if rows and not no_room:
            self._send_batch(rows)
        return no_room

    def _named(self) -> set[int]:
        """Brokers that lists which wait name."""
        return {broker for move in self._ledger.of(self._ledger.rows("waiting")) for broker in move.target}

    def _frozen(self) -> list[int]:
        """Rows whose lists Kafka would refuse, as they name a cordoned broker."""
        waiting = self._ledger.rows("waiting") if self._cordoned else []
        return [row for row in waiting if self._cordoned.intersection(self._ledger.moves[row].target)]

    def _send_batch(self, rows: list[int]) -> None:
        self._waiting.refuse_to_go_on()
        step = self._ledger.record_intent(
            "batch",
            {
                "rows": rows,
                "targets": {move.name: written(move.target) for move in self._ledger.of(rows)},
            },
            {row: replace(self._ledger.moves[row], state="sent", error=None) for row in rows},
        )
        try:
            answers = self._target.reassign(
                {self._ledger.key(row): self._ledger.moves[row].target for row in rows},
                keeps_factor=all(len(move.before) == len(move.target) for move in self._ledger.of(rows)),
            )
        except ClusterUnreachable as error:
            # Not known whether it arrived: the step stays open, and the looks that follow settle it.
            self._tracker.unsure |= dict.fromkeys(rows, step)
            if Barred.is_meant(error):
                self._barred.again(error, give_up=set(self._ledger.rows("sent")) == set(rows))
                self._refused = f"The cluster accepts no batches of this run for now: {error}"
            self._ledger.say(
                f"The cluster did not answer while a batch was sent; what became of it is read back. {error}"
            )
            return
        self._barred, self._refused = Barred(self._pace), ""
        self._take_answers(step, rows, answers)

    def _next_rows(self, alive: frozenset[int]) -> list[int]:
        under_way = [row for row in self._ledger.rows("sent") if row not in self._tracker.agreed]
        frozen = set(self._frozen())
        waiting = [
            row
            for row in self._ledger.rows("waiting")
            if row not in frozen and not self._ledger.dead_newcomers(row, alive)
        ]
        if not waiting:
            return []
        if self._work is None:
            keys = [self._ledger.key(row) for row in range(len(self._ledger.moves))]
            self._work = work_of_moves(
                self._ledger.moves, self._waiting.patiently(partial(self._target.assignments, keys))
            )
        may_go = np.zeros(len(self._ledger.moves), np.bool_)
        busy = may_go.copy()
        may_go[waiting] = busy[under_way] = True
        options, left = self._ledger.run.options, self._timing.partitions_left()
        limits = BatchLimits(options.max_concurrent_moves_per_broker, self._target.batch_bytes, order=options.order)
        if left is not None:
            limits = replace(limits, partitions=min(left, limits.partitions))
        rows: list[int] = next_batch(self._work, may_go, busy, limits).tolist()
        return rows

    def _still_as_before(self, rows: list[int], alive: frozenset[int]) -> list[int]:
        """Those of a batch that may be sent now: nobody else reassigns, and they and others are as at approval.

        Any broker may answer, and one may not have been told of a partition yet, or of how it came to be as it was at
        approval: what is otherwise is asked again before it counts as somebody's doing.
        """
        waiting = sorted(
            {
                *rows,
                *self._some_that_wait(),
                *(row for row in self._ledger.rows("waiting") if row in self._tracker.doubtful),
            }
        )
        now = self._target.assignments([self._ledger.key(row) for row in waiting])
        if others(self._ledger, self._target.reassigning()):
            return []
        self._tracker.follow(waiting, {}, now)
        doubtful, unsettled, self._uncopied = self._tracker.doubtful, False, []
        for row in waiting:
            told, move = now.get(self._ledger.key(row)), self._ledger.moves[row]
            if told is None:
                continue
            # Under way and not on the list yet, or as nobody planned: somebody may be at work, on others of them too.
            unsettled |= told.under_way or (row in doubtful and told.replicas != move.target)
            if told.replicas == move.before and move.newcomers and not alive.intersection(told.in_sync):
                self._uncopied.append(row)
        if unsettled or self._ledger.halted is not None:
            return []
        held = doubtful.union(self._uncopied)
        return [row for row in rows if self._ledger.moves[row].state == "waiting" and row not in held]

    def _some_that_wait(self) -> list[int]:
        waiting = self._ledger.rows("waiting")
        if len(waiting) <= ASKED_AHEAD:
            return waiting
        first = next((place for place, row in enumerate(waiting) if row >= self._ahead), 0)
        turn = (waiting + waiting)[first : first + ASKED_AHEAD]
        self._ahead = turn[-1] + 1
        return turn

    def _take_answers(self, step: int, rows: Sequence[int], answers: Mapping[Partition, str | None]) -> None:
        refused = {row: error for row in rows if (error := answers.get(self._ledger.key(row))) is not None}
        changed: dict[int, MoveProgress] = {}
        for row, error in refused.items():
            self._tries[row] += 1
            tries = _TRIES if error in LATER else _TRIES_PERHAPS_DEAD if error == _PERHAPS_DEAD else 1
            later = self._tries[row] < tries
            state = "waiting" if later else "failed"
            changed[row] = replace(self._ledger.moves[row], state=state, error=in_words(error))
        names = {move.name: move.error for move in changed.values()}
        self._ledger.record_outcome(step, {"refused": names}, changed)
        accepted = any(move.state in ("sent", "done", "cancelled") for move in self._ledger.moves)
        failed = all(move.state == "failed" for move in self._ledger.of(rows))
        if failed and not accepted and self._ledger.rows("waiting"):
            self._ledger.halted = sentences.none_accepted(self._ledger.moves)
