"""The journal: what was approved, every intention before it is sent, every outcome after, and who is at work.

What it promises, in this order:

1. What a method wrote before it returned survives ``kill -9`` and the loss of power.
2. An intention is on disk before the request that it speaks of can be sent: ``record_intent`` comes first,
   ``record_outcome`` after the answer. A step without an outcome is therefore all that a restart has to ask the cluster
   about.
3. One process at a time works on one cluster. The lock names its owner; an owner that is gone blocks nobody.
4. Readers (the dashboard, ``operate status``) never make the runner wait.
5. It holds no secret: plans, names, replica lists, rates, sentences and errors of Kafka, and nothing of a connection.

What it needs: a file on a local disk. SQLite's write-ahead log does not work across machines; two operators share a
journal by working on the same machine.

How it works: one transaction a method (``BEGIN IMMEDIATE``, ``synchronous = FULL``). The tables: ``runs``, ``moves``
(one row per partition), ``steps`` (an intention with its outcome, or without: it is open), ``paces`` (how far a run was
when, for the remaining time), ``owners`` (the locks) and ``proposals`` (plans that wait for a second person's word).

Example: ``record_intent(..., "batch", {"rows": [0, 1]})`` marks two partitions as sent and opens step 7; the request
goes out; ``record_outcome(7, {"refused": {}})`` closes it. Killed in between, step 7 is open, and the cluster is asked
what came of it.

Complexity: a method reads or writes the rows it speaks of, by index.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Mapping
from dataclasses import replace

from reseat import audit
from reseat.errors import WriteRefused
from reseat.model.wording import counted, verb
from reseat.operate.journal.file import Lease, LeaseHolder, now
from reseat.operate.journal.proposals import JournalProposals, use_up
from reseat.operate.journal.records import MoveProgress, Run, RunOptions, RunProgress, RunState
from reseat.operate.journal.rows import (
    COLUMNS,
    OPEN_STATES,
    OPTIONS,
    ids,
    ids_text,
    insert,
    options_of,
    options_row,
    run_of,
    update_moves,
)
from reseat.operate.journal.steps import JournalSteps, keep_step
from reseat.operate.journal.values import Approval, PlannedMove, RunStep, Wishes

__all__ = ["Approval", "Journal", "Lease", "LeaseHolder", "PlannedMove", "RunStep", "Wishes"]

#: The pace is that of the last minute; older figures are dropped.
_PACE_SECONDS = 60.0
#: A pace from fewer seconds than this is noise.
_LEAST_PACE_SECONDS = 2.0


class Journal(JournalSteps, JournalProposals):
    """One journal file. May be used from several threads, and the file from several processes.

    Every writing method raises ``WriteRefused`` where the file cannot be written (a full disk): nothing may be sent
    to a cluster then.
    """

    # ---- runs ----------------------------------------------------------------------------------------------

    def approve(self, approval: Approval) -> Run:
        """Take in what was approved; nothing is sent by that.

        Raises:
            WriteRefused: another run of this cluster is not over, or the proposal's approval does not count any more.
        """
        with self._writing() as database:
            self._refuse_second_run(database, approval.cluster_id)
            run_id = insert(
                database,
                "runs",
                {
                    "cluster_id": approval.cluster_id,
                    "cluster": approval.cluster,
                    "kind": approval.kind,
                    "takes_back": approval.takes_back,
                    "plan": approval.plan,
                    "rollback": approval.rollback,
                    "hash": approval.hash,
                    **options_row(approval.options),
                    "operator": approval.operator,
                    "state": RunState.APPROVED.value,
                    "sentence": "Approved; nothing is sent yet.",
                    "approved_at": now(),
                    "way": approval.protocol,
                    "overridden": ",".join(approval.overridden),
                },
            )
            if approval.proposal is not None:
                use_up(database, approval.proposal, approval.cluster_id, approval.hash, run_id)
            database.executemany(
                "INSERT INTO moves (run, row, topic, partition, before, target, bytes_total) "
                "VALUES (?, ?, ?, ?, ?, ?, ?)",
                (
                    (run_id, row, *move.key, ids_text(move.before), ids_text(move.target), move.bytes_total)
                    for row, move in enumerate(sorted(approval.moves, key=lambda move: move.key))
                ),
            )
            # Within the transaction: what cannot be written there is not approved either.
            audit.record(
                "approval",
                who=approval.operator,
                cluster=approval.cluster_id,
                run=run_id,
                kind=approval.kind,
                plan=approval.hash,
                proposal=approval.proposal,
                overridden=list(approval.overridden) or None,
            )
        return self.run(run_id)

    def run(self, run_id: int) -> Run:
        """One run.

        Raises:
            WriteRefused: the journal has no such run.
        """
        row = self._one(f"SELECT {COLUMNS} FROM runs WHERE id = ?", run_id)  # noqa: S608
        if row is None:
            raise WriteRefused(f"The journal {self.path} has no run {run_id}.")
        return run_of(row)

    def runs(self, cluster_id: str | None = None, *, most: int = 200) -> tuple[Run, ...]:
        """Runs, newest first.

        Args:
            cluster_id: of this cluster alone; None: of all.
            most: how many at most.
        """
        rows = self._all(
            f"SELECT {COLUMNS} FROM runs WHERE ?1 IS NULL OR cluster_id = ?1 ORDER BY id DESC LIMIT ?2",  # noqa: S608
            cluster_id,
            most,
        )
        return tuple(map(run_of, rows))

    def runs_by_state(self) -> tuple[tuple[str, str, int], ...]:
        """(cluster's name, state, how many runs), of all clusters."""
        rows = self._all("SELECT cluster, state, count(*) FROM runs GROUP BY cluster, state ORDER BY cluster, state")
        return tuple((row[0], row[1], row[2]) for row in rows)

    def open_moves_by_state(self) -> tuple[tuple[str, str, int], ...]:
        """(cluster's name, state, how many partitions) of the runs that are not over."""
        being = f"SELECT id, cluster FROM runs WHERE state IN ({OPEN_STATES})"  # noqa: S608
        rows = self._all(f"SELECT cluster, state, count(*) FROM moves JOIN ({being}) ON id = run GROUP BY 1, 2")  # noqa: S608
        return tuple((row[0], row[1], row[2]) for row in rows)

    def attended(self, run: Run) -> bool:
        """Whether an executor is at work on a run."""
        holder = self.holder(run.cluster_id)
        return holder is not None and holder.alive and holder.run == run.id

    def open_runs(self, cluster_id: str | None = None) -> tuple[Run, ...]:
        """The runs of this cluster, or of all, that are not over, newest first.

        One a cluster, since ``approve`` refuses a second; more only in a journal that was taken over from an earlier
        version.
        """
        return tuple(
            map(
                run_of,
                self._all(
                    f"SELECT {COLUMNS} FROM runs WHERE (?1 IS NULL OR cluster_id = ?1) AND state IN ({OPEN_STATES}) "  # noqa: S608
                    "ORDER BY id DESC",
                    cluster_id,
                ),
            )
        )

    def open_run(self, cluster_id: str) -> Run | None:
        """The run of this cluster that is not over, or None; ``progress(...).alive`` says whether one works on it."""
        return next(iter(self.open_runs(cluster_id)), None)

    def set_state(self, lease: Lease, run_id: int, state: RunState, sentence: str) -> None:
        """Where a run stands now, and why; a state that is not open ends it.

        Raises:
            WriteRefused: the run is over and would be open again, or would be over while something of it is under way.
        """
        with self._writing(lease) as database:
            _refuse_revival(database, run_id, state)
            _refuse_to_abandon(database, run_id, state)
            database.execute(
                "UPDATE runs SET state = ?1, sentence = ?2, ended_at = iif(?3, NULL, coalesce(ended_at, ?4)) "
                "WHERE id = ?5",
                (state.value, sentence, state.open, now(), run_id),
            )

    def progress(self, run_id: int, *, moves: bool = True) -> RunProgress:
        """How far a run is.

        Args:
            run_id: the run.
            moves: whether ``RunProgress.moves`` is filled; without, it takes the same time for any plan.
        """
        with self._reading():
            run = self.run(run_id)
            total = self._all(
                "SELECT count(*) AS partitions, coalesce(sum(state = 'done'), 0) AS done, coalesce(sum(state = "
                "'sent'), 0) AS sent, coalesce(sum(state = 'failed'), 0) AS failed, sum(bytes_total) AS bytes_total, "
                "sum(bytes_total IS NULL) AS untold, sum(iif(state = 'done', coalesce(bytes_total, bytes_done), "
                "bytes_done)) AS bytes_done FROM moves WHERE run = ?",
                run_id,
            )[0]
            batches = self._all("SELECT count(*) FROM steps WHERE run = ? AND kind = 'batch'", run_id)[0]
            listed = self.moves(run_id) if moves else ()
            alive = self.attended(run)
            # What nobody is at work on gets nowhere, however fast it was.
            left = self._seconds_left(run, total) if alive else None
        told = total["partitions"] and not total["untold"]
        return RunProgress(
            run=run,
            partitions=total["partitions"],
            done=total["done"],
            sent=total["sent"],
            failed=total["failed"],
            batches=batches[0],
            bytes_total=total["bytes_total"] if told else None,
            bytes_done=(total["bytes_done"] or 0) if told else total["bytes_done"],
            seconds_left=left,
            alive=alive,
            moves=listed,
        )

    def _seconds_left(self, run: Run, total: sqlite3.Row) -> float | None:
        if not run.state.open:
            return None
        paces = self._all("SELECT at, done, bytes_done FROM paces WHERE run = ? ORDER BY at", run.id)
        if len(paces) < 2 or paces[-1]["at"] - paces[0]["at"] < _LEAST_PACE_SECONDS:
            return None
        seconds = paces[-1]["at"] - paces[0]["at"]
        if total["bytes_total"] and not total["untold"] and paces[0]["bytes_done"] is not None:
            made = (paces[-1]["bytes_done"] or 0) - paces[0]["bytes_done"]
            left = total["bytes_total"] - (paces[-1]["bytes_done"] or 0)
        else:
            made = paces[-1]["done"] - paces[0]["done"]
            left = total["partitions"] - paces[-1]["done"]
        return None if made <= 0 else max(0.0, left * seconds / made)

    def moves(self, run_id: int) -> tuple[MoveProgress, ...]:
        """Every partition of a run, by topic and partition: the position is the row number of the other methods."""
        rows = self._all(
            "SELECT topic, partition, before, target, now, state, error, bytes_total, bytes_done FROM moves "
            "WHERE run = ? ORDER BY row",
            run_id,
        )
        return tuple(
            MoveProgress(
                row["topic"],
                row["partition"],
                ids(row["before"]),
                ids(row["target"]),
                ids(row["now"]),
                row["state"],
                row["error"],
                row["bytes_total"],
                row["bytes_done"],
            )
            for row in rows
        )

    def note_moves(self, lease: Lease, run_id: int, changed: Mapping[int, MoveProgress]) -> None:
        """Keep what was seen of some partitions: state, replicas now, error and bytes.

        Args:
            lease: the lock.
            run_id: the run.
            changed: by row number.
        """
        if not changed:
            return
        with self._writing(lease) as database:
            update_moves(database, run_id, changed)

    def note_pace(self, lease: Lease, run_id: int, done: int, bytes_done: int | None, *, anew: bool = False) -> None:
        """Keep how far a run is now; the remaining time comes of these, or of those from now on."""
        now = time.time()
        with self._writing(lease) as database:
            # What is later than now is from before the clock was set back.
            database.execute(
                "DELETE FROM paces WHERE run = ? AND (? OR at < ? OR at > ?)", (run_id, anew, now - _PACE_SECONDS, now)
            )
            database.execute("INSERT OR REPLACE INTO paces VALUES (?, ?, ?, ?)", (run_id, now, done, bytes_done))

    # ---- what a person asks for ----------------------------------------------------------------------------

    def request_stop(self, run_id: int, cancel: bool, *, operator: str | None = None) -> None:
        """Ask whoever carries a run out, in any process, to send nothing further.

        Args:
            run_id: the run.
            cancel: take back what is under way too, where the cluster can.
            operator: who asks; None: who approved it.

        Raises:
            WriteRefused: the run is over.
        """
        with self._writing() as database:
            row = _open_row(database, run_id, "there is nothing to stop")
            stop = "cancel" if cancel or row["stop"] == "cancel" else "stop"
            database.execute("UPDATE runs SET stop = ? WHERE id = ?", (stop, run_id))
            _keep_wish(database, row, {"stop": stop}, operator)

    def request_pause(self, run_id: int, paused_by: str, *, operator: str) -> None:
        """Ask whoever carries a run out to send nothing for now, or to send again.

        Args:
            run_id: the run.
            paused_by: whose pause it is; "": it is over.
            operator: who asks.

        Raises:
            WriteRefused: the run is over, or is being stopped.
        """
        with self._writing() as database:
            row = _open_row(database, run_id, "there is nothing to pause or resume")
            if row["stop"]:
                raise WriteRefused(f"Run {run_id} is being stopped: it cannot be paused or resumed.")
            database.execute("UPDATE runs SET paused_by = ? WHERE id = ?", (paused_by, run_id))
            _keep_wish(database, row, {"pause": bool(paused_by)}, operator)

    def change_options(self, run_id: int, options: RunOptions, *, operator: str | None = None) -> None:
        """How a run goes on from now on, heeded by a runner that is at work too.

        Args:
            run_id: the run.
            options: throttle, moves at a broker, and the schedule.
            operator: who asks; None: who approved it.

        Raises:
            WriteRefused: the run is over.
        """
        with self._writing() as database:
            row = _open_row(database, run_id, "its throttle, concurrency and schedule cannot be changed any more")
            _keep_options(database, row, options, operator)

    def pause_at_point(self, lease: Lease, run_id: int, begun: int, paused_by: str) -> None:
        """Pause a run at a point of its schedule, which is behind it by that: whoever resumes goes past it.

        Args:
            lease: the lock.
            run_id: the run.
            begun: partitions that are begun; points up to this are behind.
            paused_by: what paused it.
        """
        with self._writing(lease) as database:
            row = _open_row(database, run_id, "there is nothing to pause")
            options = options_of(row)
            ahead = tuple(point for point in options.pause_after if point > begun)
            _keep_options(database, row, replace(options, pause_after=ahead), paused_by)
            database.execute("UPDATE runs SET paused_by = ? WHERE id = ?", (paused_by, run_id))
            _keep_wish(database, row, {"pause": True}, paused_by)

    def wishes(self, run_id: int) -> Wishes:
        """What is asked of a run now: one short query, for whoever is at work on it."""
        row = self._one(f"SELECT stop, paused_by, {OPTIONS} FROM runs WHERE id = ?", run_id)  # noqa: S608
        return Wishes() if row is None else Wishes(row["stop"], row["paused_by"], options_of(row))

    def stop_requested(self, run_id: int) -> str:
        """``""``, ``"stop"`` (send nothing further) or ``"cancel"`` (and take back what is under way)."""
        return self.wishes(run_id).stop

    # ---- inside --------------------------------------------------------------------------------------------

    def _refuse_second_run(self, database: sqlite3.Connection, cluster_id: str) -> None:
        row = database.execute(
            f"SELECT id, state FROM runs WHERE cluster_id = ? AND state IN ({OPEN_STATES})",  # noqa: S608
            (cluster_id,),
        ).fetchone()
        if row is not None:
            sentence = (
                f"Run {row['id']} on this cluster is not over ({row['state']}): one at a time. Wait for it, continue "
                "it, or cancel it."
            )
            raise WriteRefused(sentence, failed=(("journal_lock", sentence),))


def _open_row(database: sqlite3.Connection, run_id: int, so: str) -> sqlite3.Row:
    """The row of a run that is open; refused with what follows from its being over."""
    row: sqlite3.Row | None = database.execute("SELECT * FROM runs WHERE id = ?", (run_id,)).fetchone()
    if row is None or not RunState(row["state"]).open:
        over = "is not in the journal" if row is None else f"is over ({row['state']})"
        raise WriteRefused(f"Run {run_id} {over}: {so}.")
    return row


def _keep_wish(
    database: sqlite3.Connection, row: sqlite3.Row, wish: Mapping[str, object], operator: str | None
) -> None:
    """Who asked for what, and when."""
    keep_step(database, row["cluster_id"], row["id"], "wish", operator or row["operator"], wish, over=True)


def _keep_options(database: sqlite3.Connection, row: sqlite3.Row, options: RunOptions, operator: str | None) -> None:
    wish = options_row(options)
    database.execute(
        "UPDATE runs SET moves_a_broker = :moves_a_broker, throttle = :throttle, schedule = :schedule WHERE id = :id",
        {**wish, "id": row["id"]},
    )
    schedule = wish.pop("schedule")
    _keep_wish(
        database, row, wish if schedule == row["schedule"] else wish | {"schedule": json.loads(schedule)}, operator
    )


def _refuse_revival(database: sqlite3.Connection, run_id: int, state: RunState) -> None:
    before = RunState(database.execute("SELECT state FROM runs WHERE id = ?", (run_id,)).fetchone()["state"])
    if state.open and not before.open:
        raise WriteRefused(f"Run {run_id} is over ({before.value}): it cannot become {state.value} again.")


def _refuse_to_abandon(database: sqlite3.Connection, run_id: int, state: RunState) -> None:
    rows = database.execute("SELECT count(*) FROM moves WHERE run = ? AND state = 'sent'", (run_id,)).fetchone()
    if rows[0] and not state.open:
        raise WriteRefused(
            f"{counted(rows[0], 'partition')} of run {run_id} {verb(rows[0], 'is', 'are')} in progress: it is not over "
            "until that is."
        )
