"""What a run remembers of its partitions from look to look, and what is kept of each decision of ``decide``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from reseat.operate.journal.steps import ALL_STEPS
from reseat.operate.journal.values import RunStep
from reseat.operate.run import throttling
from reseat.operate.run.decide import Clock, Decision, Doubt, Row, Sight, decide
from reseat.operate.run.ledger import Ledger
from reseat.operate.run.pace import Pace
from reseat.operate.targets.target import Assignment, Partition

__all__ = ["Tracker"]


class Tracker:
    """Follows the partitions of one run, look by look.

    Args:
        ledger: the run.
        pace: its clock, and how long what nobody asked for must last.
    """

    def __init__(self, ledger: Ledger, pace: Pace) -> None:
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
        self._doubts: dict[int, Doubt] = {}

    @property
    def doubtful(self) -> frozenset[int]:
        """Rows that stand as nobody asked for, for now."""
        return frozenset(self._doubts)

    def suspicious(self) -> bool:
        """Whether a partition stands in a way that is no broker's lag, though it may not have lasted long enough."""
        return any(
            doubt.replicas == self._ledger.moves[row].before
            or self._pace.now() - doubt.since > self._pace.again_seconds
            for row, doubt in self._doubts.items()
            if self._ledger.moves[row].state == "sent" and row not in self.unsure
        )

    def follow(
        self, rows: Iterable[int], listing: Mapping[Partition, Assignment], now: Mapping[Partition, Assignment]
    ) -> bool:
        """Decide on partitions by one look and keep what came of them. Returns whether no partition is left in doubt.

        Any broker may answer, and one of them may not have been told yet of what another told before.

        Args:
            rows: which partitions.
            listing: the list of reassignments.
            now: these partitions, as some broker tells them.
        """
        keys = {row: self._ledger.key(row) for row in rows}
        seen = {row: Sight(listing.get(key), now.get(key)) for row, key in keys.items()}
        decisions = self._decide(seen)
        changed = next((row for row in decisions if decisions[row].foreign), None)
        if changed is not None and self._ledger.halted is None:
            self._ledger.halted = (
                f"{self._ledger.moves[changed].name} was changed by somebody else during this run: "
                f"{decisions[changed].foreign}. Nothing further was sent."
            )
            decisions = self._decide(seen)  # as nothing is sent any more, the rest has more time
        for row, decision in decisions.items():
            self._remember(row, decision.row)
        return not self._doubts

    def _decide(self, seen: Mapping[int, Sight]) -> dict[int, Decision]:
        pace = self._pace
        clock = Clock(pace.now(), pace.poll_seconds, pace.again_seconds, pace.grace_seconds)
        return {row: decide(self._row(row), one, clock) for row, one in seen.items()}

    def _row(self, row: int) -> Row:
        return Row(
            self._ledger.moves[row],
            arrived=row not in self.unsure,
            cancel_sent=row in self.cancel_sent,
            taken_back=row in self.taken_back,
            agreed=row in self.agreed,
            doubt=self._doubts.get(row),
            stopping=self._ledger.stopping,
        )

    def _remember(self, row: int, after: Row) -> None:
        self._ledger.put(row, after.move)
        if after.doubt is None:
            self._doubts.pop(row, None)
        else:
            self._doubts[row] = after.doubt
        if after.agreed:
            self.agreed.add(row)
        else:
            self.agreed.discard(row)
        if after.arrived:
            self._arrived(row)

    def _arrived(self, row: int) -> None:
        """The sending of a row is settled; a step all of whose rows are is closed.

        To be called once the row says what came of it: after a kill a row that is "sent" by no open step is taken for
        one that arrived.
        """
        step = self.unsure.pop(row, None)
        if step is not None and step not in self.unsure.values():
            self._ledger.keep()
            self._ledger.record_outcome(step, {"settled": "by what the cluster says"})

    def recall_open_steps(self) -> None:
        """Steps without an outcome: what came of them is decided by what the cluster says."""
        for step in self._ledger.journal.steps(run_id=self._ledger.run.id, unsettled=True, most=ALL_STEPS):
            if step.kind == "batch":
                rows = self._still_sent(step)
                self.unsure |= dict.fromkeys(rows, step.id)
                if not rows:
                    self._ledger.record_outcome(step.id, {"settled": "nothing of it is open"})
            elif step.kind == "cancel":
                # Asked for again if it is still wished; a cancel of what is over changes nothing.
                self.cancel_sent |= self._still_sent(step)
                self._ledger.record_outcome(step.id, {"settled": "asked for again"})
            elif step.kind == "throttles back":
                self._ledger.record_outcome(step.id, {"left": [throttling.NOT_KNOWN]})
            elif step.kind == "throttles":
                self._ledger.record_outcome(step.id, {"settled": "put back at the end"})
            elif step.kind == "cordon":
                self._ledger.record_outcome(step.id, {"settled": "asked for again, or lifted"})
            elif step.kind == "cordon back":
                self._ledger.record_outcome(step.id, {"lifted": [], "theirs": []})
        for step in self._ledger.journal.steps(run_id=self._ledger.run.id, kind="cancel", most=ALL_STEPS):
            self.cancel_sent |= self._still_sent(step)

    def _still_sent(self, step: RunStep) -> set[int]:
        return {row for row in step.content["rows"] if self._ledger.moves[row].state == "sent"}
