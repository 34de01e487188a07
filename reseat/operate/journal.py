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
import threading
import time
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from reseat.errors import WriteRefused
from reseat.operate.journal_schema import default_path, open_database
from reseat.operate.owner import Owner, is_alive, this_process
from reseat.operate.records import MoveProgress, Run, RunOptions, RunProgress, RunState

__all__ = ["Approval", "Hold", "Holder", "Journal", "PlannedMove", "Step"]

#: Seconds between two heartbeats of a lock's owner.
_HEARTBEAT_SECONDS = 5.0
#: The pace is that of the last minute; older figures are dropped.
_PACE_SECONDS = 60.0
#: A pace from fewer seconds than this is noise.
_LEAST_PACE_SECONDS = 2.0
_RUN = (
    "id, cluster_id, cluster, kind, takes_back, plan, rollback, hash, moves_a_broker, throttle, operator, state, "
    "sentence, approved_at, ended_at, way, overridden"
)
#: Tokens of the holds of this process: a lock of its own that is not among them could not be released (a full disk),
#: and must not stay held for as long as the process lives.
_HELD: set[str] = set()
_OPEN = tuple(state.value for state in RunState if state.open)


@dataclass(frozen=True, slots=True)
class PlannedMove:
    """One partition that a plan changes.

    Attributes:
        topic: its topic.
        partition: its id.
        before: replica ids at approval, in order.
        target: replica ids planned, in order.
        bytes_total: bytes that newcomers copy, or None where not told.
    """

    topic: str
    partition: int
    before: tuple[int, ...]
    target: tuple[int, ...]
    bytes_total: int | None = None


@dataclass(frozen=True, slots=True)
class Approval:
    """What a person approved, as the journal takes it in; see ``Run`` for the words.

    Attributes:
        cluster_id: of the cluster.
        cluster: the name by which the person knows it.
        plan: the plan's text.
        rollback: the text that takes it back.
        hash: the plan's hash.
        operator: who approved it.
        moves: the partitions that it changes.
        options: how it is carried out.
        kind: ``plan`` or ``rollback``.
        takes_back: id of the run that a rollback takes back, or None.
        way: by which it is to be written.
        overridden: names of the checks that the person goes on in spite of.
    """

    cluster_id: str
    cluster: str
    plan: str
    rollback: str
    hash: str
    operator: str
    moves: Sequence[PlannedMove]
    options: RunOptions = field(default_factory=RunOptions)
    kind: str = "plan"
    takes_back: int | None = None
    way: str | None = None
    overridden: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Step:
    """One intention, and what came of it.

    Attributes:
        id: of the journal, ascending.
        cluster_id: of the cluster.
        run: the run it belongs to, or None (an election, a topic).
        kind: ``batch``, ``throttles``, ``throttles back``, ``cancel``, ``election`` or ``topic``.
        operator: who.
        content: what was about to be sent.
        begun_at: UTC.
        outcome: what came of it, or None: not known, the process ended before it was told.
        ended_at: UTC, or None.
    """

    id: int
    cluster_id: str
    run: int | None
    kind: str
    operator: str
    content: Mapping[str, object]
    begun_at: datetime
    outcome: Mapping[str, object] | None = None
    ended_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Hold:
    """The lock on a cluster, while it is held.

    Attributes:
        cluster_id: of the cluster.
        token: tells this hold from any other.
        operator: who holds it.
    """

    cluster_id: str
    token: str
    operator: str


@dataclass(frozen=True, slots=True)
class Holder:
    """Who holds the lock on a cluster now.

    Attributes:
        owner: the process.
        operator: the person.
        run: the run at work, or None.
        since: UTC.
        alive: whether the process is still there; a lock without a living owner blocks nobody.
    """

    owner: Owner
    operator: str
    run: int | None
    since: datetime
    alive: bool


class Journal:
    """One journal file. May be used from several threads, and the file from several processes.

    Every writing method raises ``WriteRefused`` where the file cannot be written (a full disk): nothing may be sent
    to a cluster then.
    """

    def __init__(self, path: Path | str | None = None) -> None:
        """Open the journal, or make it.

        Args:
            path: the file; None: ``RESEAT_JOURNAL``, or the person's own state folder.

        Raises:
            InputRefused: the file cannot be opened, is no journal, or was written by a later Reseat.
        """
        self.path = default_path() if path is None else Path(path).expanduser()
        self._database = open_database(self.path)
        self._one_thread = threading.RLock()

    def close(self) -> None:
        """Close the file. Locks that are held stay held until their ``hold`` ends."""
        with self._one_thread:
            self._database.close()

    # ---- runs ----------------------------------------------------------------------------------------------

    def approve(self, approval: Approval) -> Run:
        """Take in what was approved; nothing is sent by that.

        Raises:
            WriteRefused: another run of this cluster is not over.
        """
        with self._writing() as database:
            self._refuse_second_run(database, approval.cluster_id)
            cursor = database.execute(
                f"INSERT INTO runs ({_RUN}) VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL, ?, ?)",  # noqa: S608
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
                    _now(),
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

    def open_run(self, cluster_id: str) -> Run | None:
        """The run of this cluster that is not over, or None; ``progress(...).alive`` says whether one works on it."""
        row = self._one(
            f"SELECT {_RUN} FROM runs WHERE cluster_id = ? AND state IN (?, ?, ?) ORDER BY id DESC",  # noqa: S608
            cluster_id,
            *_OPEN,
        )
        return None if row is None else _run_of(row)

    def set_state(self, hold: Hold, run_id: int, state: RunState, sentence: str) -> None:
        """Where a run stands now, and why; a state that is not open ends it."""
        with self._writing(hold) as database:
            database.execute(
                "UPDATE runs SET state = ?1, sentence = ?2, ended_at = iif(?3, NULL, coalesce(ended_at, ?4)) "
                "WHERE id = ?5",
                (state.value, sentence, state.open, _now(), run_id),
            )

    def change_options(self, run_id: int, options: RunOptions) -> None:
        """How a run goes on from now on: heeded by whoever goes on with it, not by a runner that is at work.

        Raises:
            WriteRefused: a living process is at work on the run.
        """
        with self._writing() as database:
            row = database.execute("SELECT * FROM owners WHERE run = ?", (run_id,)).fetchone()
            if row is not None and _holder_of(row).alive:
                raise WriteRefused(f"{row['operator']} is at work on run {run_id}: its options stay as they are.")
            database.execute(
                "UPDATE runs SET moves_a_broker = ?, throttle = ? WHERE id = ?",
                (options.moves_a_broker, options.throttle, run_id),
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

    # ---- stop requests -------------------------------------------------------------------------------------

    def request_stop(self, run_id: int, cancel: bool) -> None:
        """Ask whoever carries a run out, in any process, to send nothing further.

        Args:
            run_id: the run.
            cancel: take back what is under way too, where the cluster can.

        Raises:
            WriteRefused: the run is over.
        """
        with self._writing() as database:
            row = database.execute("SELECT state, stop FROM runs WHERE id = ?", (run_id,)).fetchone()
            if row is None or not RunState(row["state"]).open:
                over = "is not in the journal" if row is None else f"is over ({row['state']})"
                raise WriteRefused(f"Run {run_id} {over}: there is nothing to stop.")
            stop = "cancel" if cancel or row["stop"] == "cancel" else "stop"
            database.execute("UPDATE runs SET stop = ? WHERE id = ?", (stop, run_id))

    def stop_requested(self, run_id: int) -> str:
        """``""``, ``"stop"`` (send nothing further) or ``"cancel"`` (and take back what is under way)."""
        row = self._one("SELECT stop FROM runs WHERE id = ?", run_id)
        return "" if row is None else str(row["stop"])

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
                (cluster_id, run_id, kind, operator, json.dumps(content), _now()),
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
                "UPDATE steps SET outcome = ?, ended_at = ? WHERE id = ?", (json.dumps(outcome), _now(), step_id)
            )
            if moves and row["run"] is not None:
                _update_moves(database, row["run"], moves)

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

    # ---- the lock ------------------------------------------------------------------------------------------

    @contextmanager
    def hold(self, cluster_id: str, *, operator: str, run_id: int | None = None) -> Iterator[Hold]:
        """Hold the lock on a cluster; a heartbeat goes on meanwhile.

        Args:
            cluster_id: of the cluster.
            operator: who, for the sentence that a second one is refused with.
            run_id: the run that is carried out.

        Raises:
            WriteRefused: a living process holds it; the sentence names it.
        """
        hold = Hold(cluster_id, uuid.uuid4().hex, operator)
        _HELD.add(hold.token)
        try:
            self._take(hold, run_id)
        except WriteRefused:
            _HELD.discard(hold.token)
            raise
        ended = threading.Event()
        beat = threading.Thread(target=self._beat, args=(hold, ended), name="reseat-journal-heartbeat", daemon=True)
        beat.start()
        try:
            yield hold
        finally:
            ended.set()
            beat.join()
            _HELD.discard(hold.token)
            self._release(hold)

    def holder(self, cluster_id: str) -> Holder | None:
        """Who holds the lock on a cluster, alive or not; None: nobody."""
        row = self._one("SELECT * FROM owners WHERE cluster_id = ?", cluster_id)
        return None if row is None else _holder_of(row)

    def _take(self, hold: Hold, run_id: int | None) -> None:
        me = this_process()
        with self._writing() as database:
            row = database.execute("SELECT * FROM owners WHERE cluster_id = ?", (hold.cluster_id,)).fetchone()
            holder = None if row is None else _holder_of(row)
            if holder is not None and holder.alive:
                at_work = "" if holder.run is None else f" with run {holder.run}"
                sentence = (
                    f"{holder.operator} is at work on this cluster{at_work} since {_clock(holder.since)} UTC "
                    f"({holder.owner}): one at a time. Wait for it, or cancel it."
                )
                raise WriteRefused(sentence, failed=(("journal_lock", sentence),))
            database.execute(
                "INSERT OR REPLACE INTO owners VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    hold.cluster_id,
                    hold.token,
                    run_id,
                    hold.operator,
                    me.host,
                    me.space,
                    me.boot,
                    me.pid,
                    me.started,
                    _now(),
                    time.time(),
                ),
            )

    def _release(self, hold: Hold) -> None:
        with self._writing() as database:
            database.execute("DELETE FROM owners WHERE cluster_id = ? AND token = ?", (hold.cluster_id, hold.token))

    def _beat(self, hold: Hold, ended: threading.Event) -> None:
        while not ended.wait(_HEARTBEAT_SECONDS):
            try:
                with self._writing() as database:
                    database.execute("UPDATE owners SET heartbeat = ? WHERE token = ?", (time.time(), hold.token))
            except WriteRefused:
                continue  # what matters is written by the runner itself, which meets the same trouble and says so

    # ---- inside --------------------------------------------------------------------------------------------

    def _refuse_second_run(self, database: sqlite3.Connection, cluster_id: str) -> None:
        row = database.execute(
            "SELECT id, state FROM runs WHERE cluster_id = ? AND state IN (?, ?, ?)", (cluster_id, *_OPEN)
        ).fetchone()
        if row is not None:
            sentence = (
                f"Run {row['id']} on this cluster is not over ({row['state']}): one at a time. Wait for it, go on with "
                "it, or cancel it."
            )
            raise WriteRefused(sentence, failed=(("journal_lock", sentence),))

    @contextmanager
    def _writing(self, hold: Hold | None = None) -> Iterator[sqlite3.Connection]:
        """One transaction; with a hold, only while the lock is still held by it."""
        with self._one_thread:
            try:
                self._database.execute("BEGIN IMMEDIATE")
                try:
                    if hold is not None:
                        _refuse_lost_lock(self._database, hold)
                    yield self._database
                except BaseException:
                    self._database.execute("ROLLBACK")
                    raise
                self._database.execute("COMMIT")
            except sqlite3.Error as error:
                if self._in_transaction():
                    self._database.execute("ROLLBACK")
                raise WriteRefused(
                    f"The journal {self.path} cannot be written ({error}); nothing is sent without it."
                ) from error

    def _in_transaction(self) -> bool:
        try:
            return self._database.in_transaction
        except sqlite3.ProgrammingError:  # closed
            return False

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """Several questions answered as of one moment."""
        with self._one_thread, self._read_errors():
            self._database.execute("BEGIN")
            try:
                yield
            finally:
                self._database.execute("COMMIT")

    def _one(self, question: str, *values: object) -> sqlite3.Row | None:
        with self._one_thread, self._read_errors():
            row: sqlite3.Row | None = self._database.execute(question, values).fetchone()
            return row

    def _all(self, question: str, *values: object) -> list[sqlite3.Row]:
        with self._one_thread, self._read_errors():
            return self._database.execute(question, values).fetchall()

    @contextmanager
    def _read_errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.DatabaseError as error:
            raise WriteRefused(
                f"The journal {self.path} cannot be read ({error}); nothing is sent without it."
            ) from error


def _refuse_lost_lock(database: sqlite3.Connection, hold: Hold) -> None:
    row = database.execute("SELECT * FROM owners WHERE cluster_id = ?", (hold.cluster_id,)).fetchone()
    if row is None or row["token"] != hold.token:
        taken = "Another process" if row is None else f"{row['operator']} (process {row['pid']} on {row['host']})"
        raise WriteRefused(f"{taken} has taken over this cluster's lock in the journal; nothing further is sent.")


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
    )


def _holder_of(row: sqlite3.Row) -> Holder:
    owner = Owner(row["host"], row["space"], row["boot"], row["pid"], row["started"])
    return Holder(
        owner,
        row["operator"],
        row["run"],
        datetime.fromisoformat(row["since"]),
        is_alive(owner, time.time() - row["heartbeat"]) and (owner != this_process() or row["token"] in _HELD),
    )


def _ids_text(ids: Iterable[int]) -> str:
    return ",".join(map(str, ids))


def _ids(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split(","))) if text else ()


def _now() -> str:
    return datetime.now(UTC).isoformat()


def _clock(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M:%S}"
