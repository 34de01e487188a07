"""Intentions and outcomes: what was about to be sent, kept before, and what came of it, kept after."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from datetime import datetime

from reseat import audit
from reseat.operate.journal.file import JournalFile, Lease, now
from reseat.operate.journal.records import MoveProgress, RunState
from reseat.operate.journal.rows import insert, update_moves
from reseat.operate.journal.values import RunStep

__all__ = ["ALL_STEPS", "JournalSteps", "keep_step"]

#: So many steps are all that a run has.
ALL_STEPS = 1_000_000


class JournalSteps(JournalFile):
    """The steps of a journal; one without an outcome is all that a restart has to ask the cluster about."""

    def record_intent(
        self,
        cluster_id: str,
        kind: str,
        content: Mapping[str, object],
        *,
        operator: str,
        run_id: int | None = None,
        lease: Lease | None = None,
        moves: Mapping[int, MoveProgress] | None = None,
    ) -> int:
        """Keep an intention; only once this returned may it be sent.

        Args:
            cluster_id: of the cluster.
            kind: see ``RunStep``.
            content: what is about to be sent, as JSON can say it.
            operator: who.
            run_id: the run it belongs to.
            lease: the lock, for what belongs to a run.
            moves: what the intention makes of partitions of the run, kept in the same transaction.

        Returns:
            The step's id, for ``record_outcome``.

        Raises:
            WriteRefused: the lock was lost, or the journal cannot be written.
        """
        with self._writing(lease) as database:
            step = keep_step(database, cluster_id, run_id, kind, operator, content)
            if moves and run_id is not None:
                update_moves(database, run_id, moves)
            # Within the transaction: where the audit log cannot be written, nothing is intended either.
            audit.record("write", who=operator, cluster=cluster_id, run=run_id, kind=kind, step=step)
            return step

    def record_outcome(
        self,
        step_id: int,
        outcome: Mapping[str, object],
        *,
        lease: Lease | None = None,
        moves: Mapping[int, MoveProgress] | None = None,
    ) -> None:
        """Keep what came of an intention.

        Args:
            step_id: from ``record_intent``.
            outcome: what came of it, as JSON can say it.
            lease: the lock, for what belongs to a run.
            moves: what it made of partitions of the run, kept in the same transaction.
        """
        with self._writing(lease) as database:
            row = database.execute("SELECT run FROM steps WHERE id = ?", (step_id,)).fetchone()
            database.execute(
                "UPDATE steps SET outcome = ?, ended_at = ? WHERE id = ?", (json.dumps(outcome), now(), step_id)
            )
            if moves and row["run"] is not None:
                update_moves(database, row["run"], moves)

    def keep(self, lease: Lease, run_id: int, kind: str, content: Mapping[str, object]) -> None:
        """Keep what was found, with nothing to be sent for it.

        Args:
            lease: the lock.
            run_id: the run it belongs to.
            kind: see ``RunStep``.
            content: what was found, as JSON can say it.
        """
        with self._writing(lease) as database:
            keep_step(database, lease.cluster_id, run_id, kind, lease.operator, content, over=True)

    def steps(
        self,
        *,
        cluster_id: str | None = None,
        run_id: int | None = None,
        kind: str | None = None,
        unsettled: bool = False,
        most: int = 1_000,
    ) -> tuple[RunStep, ...]:
        """Intentions with their outcomes, newest first.

        Args:
            cluster_id: of this cluster alone.
            run_id: of this run alone.
            kind: of this kind alone.
            unsettled: only those without an outcome.
            most: how many at most.
        """
        rows = self._all(
            "SELECT * FROM steps WHERE (?1 IS NULL OR cluster_id = ?1) AND (?2 IS NULL OR run = ?2) "
            "AND (?3 IS NULL OR kind = ?3) AND (NOT ?4 OR outcome IS NULL) ORDER BY id DESC LIMIT ?5",
            cluster_id,
            run_id,
            kind,
            unsettled,
            most,
        )
        return tuple(
            RunStep(
                row["id"],
                row["cluster_id"],
                row["run"],
                row["kind"],
                row["operator"],
                json.loads(row["content"]),
                datetime.fromisoformat(row["begun_at"]),
                None if row["outcome"] is None else json.loads(row["outcome"]),
                None if row["ended_at"] is None else datetime.fromisoformat(row["ended_at"]),
            )
            for row in rows
        )

    def throttled_runs(self, cluster_id: str | None = None) -> tuple[tuple[int, str, RunState], ...]:
        """(id, cluster's name, state) of runs, open or over, whose throttles are not all restored; newest first.

        Args:
            cluster_id: of this cluster alone; None: of all.
        """
        rows = self._all(
            "SELECT id, cluster, state FROM runs WHERE (?1 IS NULL OR cluster_id = ?1) AND EXISTS ("
            "SELECT 1 FROM steps AS given WHERE run = runs.id AND kind = 'throttles' AND NOT EXISTS ("
            "SELECT 1 FROM steps WHERE run = runs.id AND kind = 'throttles back' AND id > given.id "
            "AND json_array_length(outcome, '$.left') = 0)) ORDER BY id DESC",
            cluster_id,
        )
        return tuple((row["id"], row["cluster"], RunState(row["state"])) for row in rows)


def keep_step(  # noqa: PLR0917 -- a row's columns, in order
    database: sqlite3.Connection,
    cluster_id: str,
    run_id: int | None,
    kind: str,
    operator: str,
    content: Mapping[str, object],
    *,
    over: bool = False,
) -> int:
    """A step and its id; one that is ``over`` has nothing sent for it, and its outcome with it."""
    moment = now()
    row = {"cluster_id": cluster_id, "run": run_id, "kind": kind, "operator": operator, "begun_at": moment}
    outcome = {"outcome": "{}", "ended_at": moment} if over else {}
    return insert(database, "steps", {**row, "content": json.dumps(content), **outcome})
