"""The journal: what was approved, every intention before it is sent, every outcome after, and who is at work.

What it promises, in this order:

1. What a method wrote before it returned survives ``kill -9`` and the loss of power.
2. An intention is on disk before the request that it speaks of can be sent: ``begin`` comes first, ``end`` after the
   answer. A step without an outcome is therefore all that a restart has to ask the cluster about.
3. One process at a time works on one cluster. The lock names its owner; an owner that is gone blocks nobody.
4. Readers (the dashboard, ``operate status``) never make the runner wait.
5. It holds no secret: plans, names, replica lists, rates, sentences and errors of Kafka, and nothing of a connection.

What it needs: a file on a local disk. SQLite's write-ahead log does not work across machines; two operators share a
journal by working on the same machine.

How it works: one transaction a method (``BEGIN IMMEDIATE``, ``synchronous = FULL``). The tables: ``runs``, ``moves``
(one row a partition), ``steps`` (an intention with its outcome, or without: it is open), ``paces`` (how far a run was
when, for the remaining time) and ``owners`` (the locks).

Example: ``begin(..., "batch", {"rows": [0, 1]})`` marks two partitions as sent and opens step 7; the request goes out;
``end(7, {"refused": {}})`` closes it. Killed in between, step 7 is open, and the cluster is asked what came of it.

Complexity: a method reads or writes the rows it speaks of, by index.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterable, Mapping
from datetime import datetime

from reseat.errors import WriteRefused
from reseat.model.wording import counted, verb
from reseat.operate.journal_file import Hold, Holder, JournalFile, now
from reseat.operate.journal_values import Approval, PlannedMove, Step, Wishes
from reseat.operate.records import MoveProgress, Run, RunOptions, RunProgress, RunState

__all__ = ["Approval", "Hold", "Holder", "Journal", "PlannedMove", "Step", "Wishes"]

#: The pace is that of the last minute; older figures are dropped.
_PACE_SECONDS = 60.0
#: A pace from fewer seconds than this is noise.
_LEAST_PACE_SECONDS = 2.0
_RUN = (
    "id, cluster_id, cluster, kind, takes_back, plan, rollback, hash, moves_a_broker, throttle, operator, state, "
    "sentence, approved_at, ended_at, way, overridden, paused_by"
)
#: As SQL lists them.
_OPEN = ", ".join(f"'{state.value}'" for state in RunState if state.open)


class Journal(JournalFile):
    """One journal file. May be used from several threads, and the file from several processes.

    Every writing method raises ``WriteRefused`` where the file cannot be written (a full disk): nothing may be sent
    to a cluster then.
    """

    # ---- runs ----------------------------------------------------------------------------------------------

    def approve(self, approval: Approval) -> Run:
        """Take in what was approved; nothing is sent by that.

        Raises:
            WriteRefused: another run of this cluster is not over.
        """
        with self._writing() as database:
            self._refuse_second_run(database, approval.cluster_id)
            cursor = database.execute(
                f"INSERT INTO runs ({_RUN}) VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL, ?, ?, '')",  # noqa: S608
                (
                    approval.cluster_id,
                    approval.cluster,
                    approval.kind,
                    approval.takes_back,
                    approval.plan,
                    approval.rollback,
                    approval.hash,
                    approval.options.moves_a_broker,
                    approval.options.throttle,
                    approval.operator,
                    RunState.APPROVED.value,
                    "Approved; nothing is sent yet.",
                    now(),
                    approval.way,
                    ",".join(approval.overridden),
                ),
            )
            run_id = int(cursor.lastrowid or 0)
            database.executemany(
                "INSERT INTO moves (run, row, topic, partition, before, target, bytes_total) "
                "VALUES (?, ?, ?, ?, ?, ?, ?)",
                (
                    (
                        run_id,
                        row,
                        move.topic,
                        move.partition,
                        _ids_text(move.before),
                        _ids_text(move.target),
                        move.bytes_total,
                    )
                    for row, move in enumerate(sorted(approval.moves, key=lambda move: (move.topic, move.partition)))
                ),
            )
        return self.run(run_id)

    def run(self, run_id: int) -> Run:
        """One run.

        Raises:
            WriteRefused: the journal has no such run.
        """
        row = self._one(f"SELECT {_RUN} FROM runs WHERE id = ?", run_id)  # noqa: S608
        if row is None:
            raise WriteRefused(f"The journal {self.path} has no run {run_id}.")
        return _run_of(row)

    def runs(self, cluster_id: str | None = None, *, most: int = 200) -> tuple[Run, ...]:
        """Runs, newest first.

        Args:
            cluster_id: of this cluster alone; None: of all.
            most: how many at most.
        """
        rows = self._all(
            f"SELECT {_RUN} FROM runs WHERE ?1 IS NULL OR cluster_id = ?1 ORDER BY id DESC LIMIT ?2",  # noqa: S608
            cluster_id,
            most,
        )
        return tuple(map(_run_of, rows))

    def open_runs(self, cluster_id: str) -> tuple[Run, ...]:
        """The runs of this cluster that are not over, newest first.

        One, since ``approve`` refuses a second; more only in a journal that was taken over from an earlier version.
        """
        return tuple(
            map(
                _run_of,
                self._all(
                    f"SELECT {_RUN} FROM runs WHERE cluster_id = ? AND state IN ({_OPEN}) ORDER BY id DESC",  # noqa: S608
                    cluster_id,
                ),
            )
        )

    def open_run(self, cluster_id: str) -> Run | None:
        """The run of this cluster that is not over, or None; ``progress(...).alive`` says whether one works on it."""
        return next(iter(self.open_runs(cluster_id)), None)

    def set_state(self, hold: Hold, run_id: int, state: RunState, sentence: str) -> None:
        """Where a run stands now, and why; a state that is not open ends it.

        Raises:
            WriteRefused: the run is over and would be open again, or would be over while something of it is under way.
        """
        with self._writing(hold) as database:
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
                "SELECT count(*) AS partitions, coalesce(sum(state = 'done'), 0) AS done, "
                "coalesce(sum(state = 'sent'), 0) AS sent, coalesce(sum(state = 'failed'), 0) AS failed, "
                "sum(bytes_total) AS bytes_total, sum(bytes_total IS NULL) AS untold, "
                "sum(iif(state = 'done', coalesce(bytes_total, bytes_done), bytes_done)) AS bytes_done "
                "FROM moves WHERE run = ?",
                run_id,
            )[0]
            batches = self._all("SELECT count(*) FROM steps WHERE run = ? AND kind = 'batch'", run_id)[0]
            listed = self.moves(run_id) if moves else ()
            holder = self.holder(run.cluster_id)
            alive = holder is not None and holder.alive and holder.run == run_id
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
                _ids(row["before"]),
                _ids(row["target"]),
                _ids(row["now"]),
                row["state"],
                row["error"],
                row["bytes_total"],
                row["bytes_done"],
            )
            for row in rows
        )

    def note_moves(self, hold: Hold, run_id: int, changed: Mapping[int, MoveProgress]) -> None:
        """Keep what was seen of some partitions: state, replicas now, error and bytes.

        Args:
            hold: the lock.
            run_id: the run.
            changed: by row number.
        """
        if not changed:
            return
        with self._writing(hold) as database:
            _update_moves(database, run_id, changed)

    def note_pace(self, hold: Hold, run_id: int, done: int, bytes_done: int | None) -> None:
        """Keep how far a run is now; the remaining time comes of these."""
        now = time.time()
        with self._writing(hold) as database:
            # What is later than now is from before the clock was set back.
            database.execute(
                "DELETE FROM paces WHERE run = ? AND (at < ? OR at > ?)", (run_id, now - _PACE_SECONDS, now)
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
            row = _open_row(database, run_id, "there is nothing to pause or to go on with")
            if row["stop"]:
                raise WriteRefused(f"Run {run_id} is being stopped: it is neither paused nor gone on with.")
            database.execute("UPDATE runs SET paused_by = ? WHERE id = ?", (paused_by, run_id))
            _keep_wish(database, row, {"pause": bool(paused_by)}, operator)

    def change_options(self, run_id: int, options: RunOptions, *, operator: str | None = None) -> None:
        """How a run goes on from now on, heeded by a runner that is at work too.

        Args:
            run_id: the run.
            options: throttle and moves at a broker.
            operator: who asks; None: who approved it.

        Raises:
            WriteRefused: the run is over.
        """
        with self._writing() as database:
            row = _open_row(database, run_id, "how it was executed stays as it was")
            database.execute(
                "UPDATE runs SET moves_a_broker = ?, throttle = ? WHERE id = ?",
                (options.moves_a_broker, options.throttle, run_id),
            )
            wish = {"moves_a_broker": options.moves_a_broker, "throttle": options.throttle}
            _keep_wish(database, row, wish, operator)

    def wishes(self, run_id: int) -> Wishes:
        """What is asked of a run now: one short question, for whoever is at work on it."""
        row = self._one("SELECT stop, paused_by, moves_a_broker, throttle FROM runs WHERE id = ?", run_id)
        if row is None:
            return Wishes()
        return Wishes(row["stop"], row["paused_by"], RunOptions(row["moves_a_broker"], row["throttle"]))

    def stop_requested(self, run_id: int) -> str:
        """``""``, ``"stop"`` (send nothing further) or ``"cancel"`` (and take back what is under way)."""
        return self.wishes(run_id).stop

    # ---- intentions and outcomes ---------------------------------------------------------------------------

    def begin(
        self,
        cluster_id: str,
        kind: str,
        content: Mapping[str, object],
        *,
        operator: str,
        run_id: int | None = None,
        hold: Hold | None = None,
        moves: Mapping[int, MoveProgress] | None = None,
    ) -> int:
        """Keep an intention; only once this returned may it be sent.

        Args:
            cluster_id: of the cluster.
            kind: see ``Step``.
            content: what is about to be sent, as JSON can say it.
            operator: who.
            run_id: the run it belongs to.
            hold: the lock, for what belongs to a run.
            moves: what the intention makes of partitions of the run, kept in the same transaction.

        Returns:
            The step's id, for ``end``.

        Raises:
            WriteRefused: the lock was lost, or the journal cannot be written.
        """
        with self._writing(hold) as database:
            cursor = database.execute(
                "INSERT INTO steps (cluster_id, run, kind, operator, content, begun_at) VALUES (?, ?, ?, ?, ?, ?)",
                (cluster_id, run_id, kind, operator, json.dumps(content), now()),
            )
            if moves and run_id is not None:
                _update_moves(database, run_id, moves)
            return int(cursor.lastrowid or 0)

    def end(
        self,
        step_id: int,
        outcome: Mapping[str, object],
        *,
        hold: Hold | None = None,
        moves: Mapping[int, MoveProgress] | None = None,
    ) -> None:
        """Keep what came of an intention.

        Args:
            step_id: from ``begin``.
            outcome: what came of it, as JSON can say it.
            hold: the lock, for what belongs to a run.
            moves: what it made of partitions of the run, kept in the same transaction.
        """
        with self._writing(hold) as database:
            row = database.execute("SELECT run FROM steps WHERE id = ?", (step_id,)).fetchone()
            database.execute(
                "UPDATE steps SET outcome = ?, ended_at = ? WHERE id = ?", (json.dumps(outcome), now(), step_id)
            )
            if moves and row["run"] is not None:
                _update_moves(database, row["run"], moves)

    def keep(self, hold: Hold, run_id: int, kind: str, content: Mapping[str, object]) -> None:
        """Keep what was found, with nothing to be sent for it.

        Args:
            hold: the lock.
            run_id: the run it belongs to.
            kind: see ``Step``.
            content: what was found, as JSON can say it.
        """
        with self._writing(hold) as database:
            _keep(database, hold.cluster_id, run_id, kind, hold.operator, content)

    def steps(
        self,
        *,
        cluster_id: str | None = None,
        run_id: int | None = None,
        kind: str | None = None,
        unsettled: bool = False,
        most: int = 1_000,
    ) -> tuple[Step, ...]:
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
            Step(
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

    # ---- inside --------------------------------------------------------------------------------------------

    def _refuse_second_run(self, database: sqlite3.Connection, cluster_id: str) -> None:
        row = database.execute(
            f"SELECT id, state FROM runs WHERE cluster_id = ? AND state IN ({_OPEN})",  # noqa: S608
            (cluster_id,),
        ).fetchone()
        if row is not None:
            sentence = (
                f"Run {row['id']} on this cluster is not over ({row['state']}): one at a time. Wait for it, go on with "
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
    _keep(database, row["cluster_id"], row["id"], "wish", operator or row["operator"], wish)


def _keep(  # noqa: PLR0917 -- a row's columns, in order
    database: sqlite3.Connection, cluster_id: str, run_id: int, kind: str, operator: str, content: Mapping[str, object]
) -> None:
    """A step that nothing is sent for, and that has its outcome with it."""
    moment = now()
    database.execute(
        "INSERT INTO steps (cluster_id, run, kind, operator, content, begun_at, outcome, ended_at) "
        "VALUES (?, ?, ?, ?, ?, ?, '{}', ?)",
        (cluster_id, run_id, kind, operator, json.dumps(content), moment, moment),
    )


def _refuse_revival(database: sqlite3.Connection, run_id: int, state: RunState) -> None:
    before = RunState(database.execute("SELECT state FROM runs WHERE id = ?", (run_id,)).fetchone()["state"])
    if state.open and not before.open:
        raise WriteRefused(f"Run {run_id} is over ({before.value}): it does not become {state.value} again.")


def _refuse_to_abandon(database: sqlite3.Connection, run_id: int, state: RunState) -> None:
    rows = database.execute("SELECT count(*) FROM moves WHERE run = ? AND state = 'sent'", (run_id,)).fetchone()
    if rows[0] and not state.open:
        raise WriteRefused(
            f"{counted(rows[0], 'partition')} of run {run_id} {verb(rows[0], 'is', 'are')} under way: it is not over "
            "until that is."
        )


def _update_moves(database: sqlite3.Connection, run_id: int, changed: Mapping[int, MoveProgress]) -> None:
    database.executemany(
        "UPDATE moves SET now = ?, state = ?, error = ?, bytes_total = ?, bytes_done = ? WHERE run = ? AND row = ?",
        (
            (_ids_text(move.now), move.state, move.error, move.bytes_total, move.bytes_done, run_id, row)
            for row, move in changed.items()
        ),
    )


def _run_of(row: sqlite3.Row) -> Run:
    return Run(
        id=row["id"],
        cluster_id=row["cluster_id"],
        cluster=row["cluster"],
        kind=row["kind"],
        takes_back=row["takes_back"],
        plan=row["plan"],
        rollback=row["rollback"],
        hash=row["hash"],
        options=RunOptions(row["moves_a_broker"], row["throttle"]),
        operator=row["operator"],
        state=RunState(row["state"]),
        sentence=row["sentence"],
        approved_at=datetime.fromisoformat(row["approved_at"]),
        ended_at=None if row["ended_at"] is None else datetime.fromisoformat(row["ended_at"]),
        way=row["way"],
        overridden=tuple(filter(None, row["overridden"].split(","))),
        paused_by=row["paused_by"],
    )


def _ids_text(ids: Iterable[int]) -> str:
    return ",".join(map(str, ids))


def _ids(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split(","))) if text else ()
