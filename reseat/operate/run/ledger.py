"""One run as its runner knows it: each partition with its state, where the run stands, and the journal that keeps it.

What is changed here is in memory until ``keep``, or until the step that changes it begins or ends: one transaction.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from reseat.operate.journal.journal import Journal, Lease
from reseat.operate.journal.records import MoveProgress, Run, RunState
from reseat.operate.targets.target import Partition

__all__ = ["Ledger"]


class Ledger:
    """The partitions of one run, by row.

    Args:
        journal: where all of it is kept.
        lease: the lock on the cluster.
        run: the run as it stood when the lock was taken.
        report: called with each new sentence.
    """

    def __init__(self, journal: Journal, lease: Lease, run: Run, report: Callable[[str], None] | None = None) -> None:
        self.journal = journal
        self.run = run
        self.state = run.state
        self.sentence = run.sentence
        self.moves = list(journal.moves(run.id))
        self.row_of = {move.key: row for row, move in enumerate(self.moves)}
        #: Why nothing further is sent although nobody asked to stop; the run fails with it.
        self.halted: str | None = None
        #: Why nothing is sent for now, or "".
        self.paused = ""
        self._lease = lease
        self._report = report
        self._changed: dict[int, MoveProgress] = {}
        self._places = False

    def takes_place(self, moves: Sequence[MoveProgress]) -> None:
        """These stand for its partitions from now on, row by row: lists of places (``places``)."""
        self.moves = list(moves)
        self._places = True

    @property
    def stopping(self) -> bool:
        """Whether nothing further is sent."""
        return self.halted is not None or self.state is RunState.STOPPING

    def rows(self, state: str) -> list[int]:
        """The rows in a state."""
        return [row for row, move in enumerate(self.moves) if move.state == state]

    def key(self, row: int) -> Partition:
        """The partition of a row."""
        return self.moves[row].key

    def of(self, rows: Iterable[int]) -> list[MoveProgress]:
        """The moves of some rows."""
        return [self.moves[row] for row in rows]

    def dead_newcomers(self, row: int, alive: frozenset[int]) -> set[int]:
        """Brokers that a partition goes to and that are not alive."""
        return set(self.moves[row].newcomers) - alive

    def set(self, row: int, **changes: object) -> None:
        """Change what is known of a partition; kept by the next ``keep``."""
        self.put(row, replace(self.moves[row], **changes))  # type: ignore[arg-type]

    def put(self, row: int, move: MoveProgress) -> None:
        """What is known of a partition now; kept by the next ``keep``."""
        if move != self.moves[row]:
            self.moves[row] = self._changed[row] = move

    def keep(self) -> None:
        """Keep in the journal what was changed."""
        changed, self._changed = self._changed, {}
        self.journal.note_moves(self._lease, self.run.id, self._written(changed) or {})

    def record_intent(
        self, kind: str, content: Mapping[str, object], moves: Mapping[int, MoveProgress] | None = None
    ) -> int:
        """Keep an intention, with what it makes of partitions; only then may it be sent."""
        self.keep()
        step = self.journal.record_intent(
            self.run.cluster_id,
            kind,
            content,
            operator=self.run.operator,
            run_id=self.run.id,
            lease=self._lease,
            moves=self._written(moves),
        )
        self._take(moves)
        return step

    def record_outcome(
        self, step: int, outcome: Mapping[str, object], moves: Mapping[int, MoveProgress] | None = None
    ) -> None:
        """Keep what came of an intention, with what it made of partitions."""
        self.journal.record_outcome(step, outcome, lease=self._lease, moves=self._written(moves))
        self._take(moves)

    def found(self, kind: str, content: Mapping[str, object]) -> None:
        """Keep what was found of the cluster, for whoever goes on with the run."""
        self.journal.keep(self._lease, self.run.id, kind, content)

    def pause_at_point(self, begun: int, why: str) -> None:
        """Pause at a point of the schedule, until somebody resumes."""
        self.keep()
        self.journal.pause_at_point(self._lease, self.run.id, begun, why)

    def say(self, sentence: str, state: RunState | None = None) -> str:
        """Keep where the run stands and why, where that is new; returns the sentence."""
        state = state or self.state
        if (state, sentence) != (self.state, self.sentence):
            self.state, self.sentence = state, sentence
            self.journal.set_state(self._lease, self.run.id, state, sentence)
            if self._report is not None:
                self._report(sentence)
        return sentence

    def note_pace(self, *, anew: bool) -> None:
        """Keep how far the run is now; ``anew``: how fast it was until now says nothing of what is left."""
        told = [move.bytes_done for move in self.moves if move.bytes_done is not None]
        done = sum(move.state == "done" for move in self.moves)
        self.journal.note_pace(self._lease, self.run.id, done, sum(told) if told else None, anew=anew)

    def _written(self, moves: Mapping[int, MoveProgress] | None) -> Mapping[int, MoveProgress] | None:
        """As the journal keeps them: it knows brokers, and no places."""
        return {row: replace(move, now=()) for row, move in moves.items()} if moves and self._places else moves

    def _take(self, moves: Mapping[int, MoveProgress] | None) -> None:
        for row, move in (moves or {}).items():
            self.moves[row] = move
