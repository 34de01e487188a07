"""The throttles of a run at work: set before anything is sent, looked at, put back once nothing is under way.

What they are and what was there before is ``throttling``'s; here is when. A broker that is dead when throttles are set
gets its own when it is back, before anything is sent to it. What somebody else changes is told, and not fought with.
"""

from __future__ import annotations

from collections.abc import Callable

from reseat.errors import ClusterUnreachable
from reseat.operate.run import sentences, throttling
from reseat.operate.run.ledger import Ledger
from reseat.operate.run.looking import Observation
from reseat.operate.run.pace import Pace
from reseat.operate.run.waiting import NothingUnderWay
from reseat.operate.targets.target import Target

__all__ = ["RunThrottles"]

#: Seconds between two questions for the throttles: that somebody takes them away (a --cancel or --verify of Kafka's own
#: tool takes all of the cluster's) is told, and not fought with.
_ASKED_SECONDS = 10.0


class RunThrottles:
    """The throttles of one run.

    Args:
        target: the cluster.
        ledger: the run.
        pace: its clock.
    """

    def __init__(self, target: Target, ledger: Ledger, pace: Pace) -> None:
        self._target = target
        self._ledger = ledger
        self._pace = pace
        #: What the run has set and does not hold any more, as a sentence; and when that was asked last.
        self.lifted = ""
        self._asked_at = -_ASKED_SECONDS
        #: Brokers that were alive when throttles were last set: one that comes later gets its own.
        self._throttled: frozenset[int] = frozenset()

    def set(self) -> None:
        """At the start, after a crash (perhaps they are set in part), and for a broker that came back."""
        rate = self._ledger.run.options.throttle
        if rate is None:
            return
        there = throttling.outstanding_throttles(self._ledger.journal, self._ledger.run.id)
        moves = [move for move in self._ledger.moves if move.state in ("waiting", "sent")]
        alive = self._target.alive()
        now = earlier = throttling.earlier_values(self._target, moves, alive)
        partitions = {move.topic: move.partition for move in moves}
        if there is not None:
            earlier = throttling.before_the_run(there, earlier)
            partitions |= there.partitions
        # A topic that is gone by now gets nothing, although it is known what it had before the run.
        throttles = throttling.of_topics(throttling.wanted(moves, rate, earlier), now.leader_replicas.keys())
        self._throttled = alive
        if not any(throttling.names_of(throttles)):
            return
        step = None
        if there is None or (there.earlier, there.now) != (earlier, throttles):
            step = self._ledger.record_intent(
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
                self._ledger.record_outcome(step, {"set": "not known"})
            raise
        # Brokers take a moment to show what they were told: what they show before is nobody's doing.
        self._asked_at, self.lifted = self._pace.now(), ""
        if step is not None:
            self._ledger.record_outcome(step, {"set": True})

    def misses(self, alive: frozenset[int]) -> bool:
        """Whether a broker that was dead when throttles were set is alive now, and has none yet."""
        if self._ledger.run.options.throttle is None or alive <= self._throttled:
            self._throttled &= alive
            return False
        return True

    def put_back(self, patiently: Callable[[Callable[[], throttling.PutBack]], throttling.PutBack]) -> str:
        """Put the throttles back where they still are the run's.

        Args:
            patiently: calls until the cluster answers.

        Returns:
            What could not be put back and what is somebody else's by now, as sentences with a blank before each, or "".
        """
        there = throttling.outstanding_throttles(self._ledger.journal, self._ledger.run.id)
        if there is None:
            return ""
        step = self._ledger.record_intent("throttles back", {"of": there.step})
        try:
            came = patiently(lambda: throttling.put_back(self._target, there, self._pace.wait))
        except NothingUnderWay:
            self._ledger.record_outcome(step, {"left": [throttling.NOT_KNOWN]})
            return sentences.THROTTLES_LEFT
        self._ledger.record_outcome(
            step,
            {
                "left": [one for names in throttling.names_of(came.left) for one in names],
                "theirs": [one for names in throttling.names_of(came.theirs) for one in names],
            },
        )
        return sentences.throttles_left(*throttling.names_of(came.left)) + sentences.throttles_of_others(
            *throttling.names_of(came.theirs)
        )

    def look(self, seen: Observation) -> None:
        """See whether what the run has set still holds where something is copied."""
        rate = self._ledger.run.options.throttle
        rows = self._ledger.rows("sent")
        if rate is None or not rows or self._pace.now() - self._asked_at < _ASKED_SECONDS:
            return
        began = self._pace.now()
        there = throttling.outstanding_throttles(self._ledger.journal, self._ledger.run.id)
        if there is None:
            return
        topics = {self._ledger.moves[row].topic for row in rows}
        ours = throttling.of_topics(throttling.of_brokers(there.now, seen.alive & self._throttled), topics)
        try:
            now = self._target.throttles(*throttling.names_of(ours))
        except ClusterUnreachable:
            return  # the next look says whether the cluster is there
        finally:  # each broker tells its own: of many, it is asked the less often the longer that takes
            self._asked_at = 10 * self._pace.now() - 9 * began
        brokers, lists = throttling.lifted(ours, now)
        self.lifted = sentences.throttle_lifted(brokers, lists, rate) if brokers or lists else ""
