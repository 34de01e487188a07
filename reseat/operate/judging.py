"""What came of each partition that a run has sent: under way, done, cancelled, failed, or still in doubt.

What it promises: done is said only of what was seen twice, not in the list of reassignments and with exactly the
planned replicas; nobody is accused of what a broker that lags behind might tell.

How a partition that was sent is judged:

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
"""

from __future__ import annotations

from dataclasses import dataclass

from reseat.operate import sentences, throttling
from reseat.operate.journal import Step
from reseat.operate.ledger import Ledger
from reseat.operate.looking import Seen, goal, leads_to
from reseat.operate.pace import Pace
from reseat.operate.target import Assignment, Target

__all__ = ["Judge"]


@dataclass(slots=True)
class _Doubt:
    """A partition that stands as nobody asked for: what was seen, and since when."""

    replicas: tuple[int, ...] | None
    since: float


class Judge:
    """Judges the partitions of one run, look by look.

    Args:
        target: the cluster.
        ledger: the run.
        pace: how long what nobody asked for must last.
    """

    def __init__(self, target: Target, ledger: Ledger, pace: Pace) -> None:
        self._target = target
        self._ledger = ledger
        self._pace = pace
        #: Rows whose sending is not known to have arrived, with the step that meant to send them.
        self.unsure: dict[int, int] = {}
        #: Rows that were seen as planned once.
        self.agreed: set[int] = set()
        #: Rows that a cancel was sent for.
        self.cancel_sent: set[int] = set()
        #: Of these, the rows of which Kafka answered that it took them back: of the others some may have ended before.
        self.taken_back: set[int] = set()
        self._doubts: dict[int, _Doubt] = {}

    @property
    def doubtful(self) -> frozenset[int]:
        """Rows that stand as nobody asked for, for now."""
        return frozenset(self._doubts)

    def settle(self, row: int) -> None:
        """A partition stands as it should: what was doubted of it is forgotten."""
        self._doubts.pop(row, None)

    def judge(self, seen: Seen) -> None:
        """Judge every partition under way by one look."""
        for row in self._ledger.rows("sent"):
            key, move = self._ledger.key(row), self._ledger.moves[row]
            told = seen.now.get(key)
            if key in seen.listing:
                self.agreed.discard(row)
                if leads_to(seen.listing[key], move.target):
                    self._arrived(row)
                    self._doubts.pop(row, None)
                    self._ledger.set(row, now=told.replicas if told else move.now)
                elif self.lasts(row, goal(seen.listing[key]), self._pace.again_seconds):
                    other = sentences.list_text(goal(seen.listing[key]))
                    self.fail_behind_back(row, f"somebody else reassigns it to {other}")
            elif told is not None and told.under_way:
                self.settle(row)  # the list is ahead of this broker: ask again
                self.agreed.discard(row)
            elif told is not None and told.replicas == move.target:
                self._judge_as_planned(row)
            else:
                self.agreed.discard(row)
                self._judge_stray(row, told)

    def _judge_as_planned(self, row: int) -> None:
        """A partition that was sent and is described as planned: done when it is seen twice.

        Where it is not known whether the request arrived, or a cancel was sent, a broker may describe it as it was long
        before: on the way back that is what is planned. Then it must stay so.
        """
        move = self._ledger.moves[row]
        self._ledger.set(row, now=move.target)
        if row in self.unsure or row in self.cancel_sent:
            done = self.lasts(row, move.target, self._pace.grace_seconds)
        else:
            self._doubts.pop(row, None)
            done = row in self.agreed
            self.agreed.add(row)
        if done:
            self.agreed.discard(row)
            self._ledger.set(row, state="done", error=None, bytes_done=move.bytes_total)
            self._arrived(row)

    def _judge_stray(self, row: int, told: Assignment | None) -> None:
        """A partition that was sent, is not under way, and is not as planned."""
        move = self._ledger.moves[row]
        replicas = None if told is None else told.replicas
        as_before = replicas is not None and sorted(replicas) == sorted(move.before)
        if as_before and row in self.cancel_sent:  # the replicas come back, their order may not
            patience = self._pace.poll_seconds if row in self.taken_back else self._pace.grace_seconds
            if self.lasts(row, replicas, patience):
                self._ledger.set(row, state="cancelled", now=replicas, error=None)
                self._arrived(row)
        elif replicas == move.before and row in self.unsure:
            patience = self._pace.grace_seconds if self._ledger.stopping else self._pace.again_seconds
            if self.lasts(row, replicas, patience):
                self._ledger.set(row, state="waiting", now=replicas)
                self._arrived(row)
        elif self.lasts(row, replicas, self._pace.grace_seconds):
            if replicas is None:
                self._ledger.set(row, state="failed", error="UNKNOWN_TOPIC_OR_PARTITION")
            elif as_before:
                self.fail_behind_back(row, "what was in progress was cancelled by somebody else, or dropped", replicas)
            else:
                self.fail_behind_back(row, f"its replicas are {sentences.list_text(replicas)}", replicas)
            self._arrived(row)

    def lasts(self, row: int, replicas: tuple[int, ...] | None, seconds: float) -> bool:
        """Whether a partition has stood like this for so long."""
        doubt = self._doubts.get(row)
        if doubt is None or doubt.replicas != replicas:
            self._doubts[row] = _Doubt(replicas, self._pace.now())
            return False
        if self._pace.now() - doubt.since < seconds:
            return False
        del self._doubts[row]
        return True

    def suspicious(self) -> bool:
        """Whether a partition stands in a way that is no broker's lag, though it may not have lasted long enough."""
        return any(
            doubt.replicas == self._ledger.moves[row].before
            or self._pace.now() - doubt.since > self._pace.again_seconds
            for row, doubt in self._doubts.items()
            if self._ledger.moves[row].state == "sent" and row not in self.unsure
        )

    def fail_behind_back(self, row: int, what: str, replicas: tuple[int, ...] | None = None) -> None:
        """Somebody else changed a partition: it failed, and nothing further is sent."""
        move = self._ledger.moves[row]
        self._ledger.set(row, state="failed", error="changed by somebody else", now=replicas or move.now)
        if self._ledger.halted is None:
            name = sentences.name_of(self._ledger.moves[row])
            self._ledger.halted = (
                f"{name} was changed by somebody else during this run: {what}. Nothing further was sent."
            )

    def _arrived(self, row: int) -> None:
        """The sending of a row is settled; a step all of whose rows are is closed.

        To be called once the row says what came of it: after a kill a row that is "sent" by no open step is taken for
        one that arrived.
        """
        step = self.unsure.pop(row, None)
        if step is not None and step not in self.unsure.values():
            self._ledger.keep()
            self._ledger.end(step, {"settled": "by what the cluster says"})

    def recall_open_steps(self) -> None:
        """Steps without an outcome: what they spoke of is judged by what the cluster says."""
        for step in self._ledger.journal.steps(run_id=self._ledger.run.id, unsettled=True, most=1_000_000):
            if step.kind == "batch":
                rows = self._still_sent(step)
                self.unsure |= dict.fromkeys(rows, step.id)
                if not rows:
                    self._ledger.end(step.id, {"settled": "nothing of it is open"})
            elif step.kind == "cancel":
                # Asked for again if it is still wished; a cancel of what is over changes nothing.
                self.cancel_sent |= self._still_sent(step)
                self._ledger.end(step.id, {"settled": "asked for again"})
            elif step.kind == "throttles back":
                self._ledger.end(step.id, {"left": [throttling.NOT_KNOWN]})
            elif step.kind == "throttles":
                self._ledger.end(step.id, {"settled": "put back at the end"})
        for step in self._ledger.journal.steps(run_id=self._ledger.run.id, kind="cancel", most=1_000_000):
            self.cancel_sent |= self._still_sent(step)

    def _still_sent(self, step: Step) -> set[int]:
        return {row for row in _numbers(step.content["rows"]) if self._ledger.moves[row].state == "sent"}

    def confirm(self) -> bool:
        """Whether one look leaves no doubt: a done partition that has lasted otherwise was changed by somebody else.

        Any broker may answer, and one of them may not have been told yet of what another told before.
        """
        listing = self._target.reassigning()
        done = self._ledger.rows("done")
        now = self._target.assignments([self._ledger.key(row) for row in done])
        for row in done:
            told = now.get(self._ledger.key(row))
            if self._ledger.key(row) in listing:
                self._doubts.pop(row, None)
                self.fail_behind_back(row, "it was as planned and is being reassigned again")
            elif told is not None and not told.under_way and told.replicas == self._ledger.moves[row].target:
                self._doubts.pop(row, None)
            elif self.lasts(row, None if told is None else told.replicas, self._pace.grace_seconds):
                what = (
                    "it is gone"
                    if told is None
                    else f"it was as planned and is {sentences.list_text(told.replicas)} now"
                )
                self.fail_behind_back(row, what, None if told is None else told.replicas)
        return not self._doubts


def _numbers(value: object) -> list[int]:
    return [int(number) for number in value] if isinstance(value, list) else []
