"""A journal's file: its transactions, and the lock on a cluster that whoever writes outcomes must hold.

What it promises: one process at a time holds the lock on one cluster; the lock names its owner, and an owner that is
gone blocks nobody. A transaction with a lease is refused once the lock belongs to somebody else.
"""

from __future__ import annotations

import sqlite3
import threading
import time
import uuid
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import astuple, dataclass
from datetime import UTC, datetime
from pathlib import Path

from reseat.errors import JournalUnwritable, WriteRefused
from reseat.operate.journal.owner import Owner, is_alive, this_process
from reseat.operate.journal.schema import default_path, open_database, read_database

__all__ = ["JournalFile", "Lease", "LeaseHolder", "holder_of", "now"]

#: Seconds between two heartbeats of a lock's owner.
_HEARTBEAT_SECONDS = 5.0
#: Tokens of the leases of this process: a lock of its own that is not among them could not be released (a full disk),
#: and must not stay held for as long as the process lives.
_HELD: set[str] = set()


@dataclass(frozen=True, slots=True)
class Lease:
    """The lock on a cluster, while it is held.

    Attributes:
        cluster_id: of the cluster.
        token: tells this lease from any other.
        operator: who holds it.
    """

    cluster_id: str
    token: str
    operator: str


@dataclass(frozen=True, slots=True)
class LeaseHolder:
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


class JournalFile:
    """The file with its lock. May be used from several threads, and the file from several processes."""

    def __init__(self, path: Path | str | None = None, *, or_read: bool = False) -> None:
        """Open the journal, or make it.

        Args:
            path: the file; None: ``RESEAT_JOURNAL``, or the person's own state folder.
            or_read: where it cannot be written, on a disk that is full or read-only, open it all the same: to be read.

        Raises:
            InputRefused: the file cannot be opened, is no journal, or was written by a later Reseat.
        """
        self.path = default_path() if path is None else Path(path).expanduser()
        self._database = (read_database if or_read else open_database)(self.path)
        # Closed once nobody holds it: Python 3.13 warns of one left open. Not at the end of a process that was forked.
        weakref.finalize(self, self._database.close).atexit = False
        self._one_thread = threading.RLock()

    def close(self) -> None:
        """Close the file. Locks that are held stay held until their ``lease`` ends."""
        with self._one_thread:
            self._database.close()

    # ---- the lock ------------------------------------------------------------------------------------------

    @contextmanager
    def lease(self, cluster_id: str, *, operator: str, run_id: int | None = None) -> Iterator[Lease]:
        """Hold the lock on a cluster; a heartbeat goes on meanwhile.

        Args:
            cluster_id: of the cluster.
            operator: who, for the sentence that a second one is refused with.
            run_id: the run that is carried out.

        Raises:
            WriteRefused: a living process holds it; the sentence names it.
        """
        lease = Lease(cluster_id, uuid.uuid4().hex, operator)
        _HELD.add(lease.token)
        try:
            self._take(lease, run_id)
        except WriteRefused:
            _HELD.discard(lease.token)
            raise
        ended = threading.Event()
        beat = threading.Thread(target=self._beat, args=(lease, ended), name="reseat-journal-heartbeat", daemon=True)
        beat.start()
        try:
            yield lease
        finally:
            ended.set()
            beat.join()
            _HELD.discard(lease.token)
            self.release(lease)

    def holder(self, cluster_id: str) -> LeaseHolder | None:
        """Who holds the lock on a cluster, alive or not; None: nobody."""
        row = self._one("SELECT * FROM owners WHERE cluster_id = ?", cluster_id)
        return None if row is None else holder_of(row)

    def _take(self, lease: Lease, run_id: int | None) -> None:
        with self._writing() as database:
            row = database.execute("SELECT * FROM owners WHERE cluster_id = ?", (lease.cluster_id,)).fetchone()
            holder = None if row is None else holder_of(row)
            if holder is not None and holder.alive:
                at_work = "" if holder.run is None else f" (run {holder.run})"
                sentence = (
                    f"{holder.operator} has been executing on this cluster{at_work} since {_clock(holder.since)} UTC "
                    f"({holder.owner}): one at a time. Wait for it, or cancel it."
                )
                raise WriteRefused(sentence, failed=(("journal_lock", sentence),))
            database.execute(
                "INSERT OR REPLACE INTO owners VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (lease.cluster_id, lease.token, run_id, lease.operator, *astuple(this_process()), now(), time.time()),
            )

    def release(self, lease: Lease) -> None:
        """Take the lock off a cluster, if this lease still holds it, as ``lease`` does at its end.

        Raises:
            WriteRefused: the journal cannot be written.
        """
        with self._writing() as database:
            database.execute("DELETE FROM owners WHERE cluster_id = ? AND token = ?", (lease.cluster_id, lease.token))

    def _beat(self, lease: Lease, ended: threading.Event) -> None:
        while not ended.wait(_HEARTBEAT_SECONDS):
            try:
                with self._writing() as database:
                    database.execute("UPDATE owners SET heartbeat = ? WHERE token = ?", (time.time(), lease.token))
            except WriteRefused:
                continue  # what matters is written by the runner itself, which meets the same trouble and says so

    # ---- transactions --------------------------------------------------------------------------------------

    @contextmanager
    def _writing(self, lease: Lease | None = None) -> Iterator[sqlite3.Connection]:
        """One transaction; with a lease, only while the lock is still held by it."""
        with self._one_thread:
            try:
                self._database.execute("BEGIN IMMEDIATE")
                try:
                    if lease is not None:
                        _refuse_lost_lock(self._database, lease)
                    yield self._database
                except BaseException:
                    self._database.execute("ROLLBACK")
                    raise
                self._database.execute("COMMIT")
            except sqlite3.Error as error:
                if self._in_transaction():
                    self._database.execute("ROLLBACK")
                raise JournalUnwritable(
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

    def _one(self, query: str, *values: object) -> sqlite3.Row | None:
        with self._one_thread, self._read_errors():
            row: sqlite3.Row | None = self._database.execute(query, values).fetchone()
            return row

    def _all(self, query: str, *values: object) -> list[sqlite3.Row]:
        with self._one_thread, self._read_errors():
            return self._database.execute(query, values).fetchall()

    @contextmanager
    def _read_errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.DatabaseError as error:
            raise WriteRefused(
                f"The journal {self.path} cannot be read ({error}); nothing is sent without it."
            ) from error


def _refuse_lost_lock(database: sqlite3.Connection, lease: Lease) -> None:
    row = database.execute("SELECT * FROM owners WHERE cluster_id = ?", (lease.cluster_id,)).fetchone()
    if row is None or row["token"] != lease.token:
        taken = "Another process" if row is None else f"{row['operator']} (process {row['pid']} on {row['host']})"
        raise WriteRefused(f"{taken} has taken over this cluster's lock in the journal; nothing further is sent.")


def holder_of(row: sqlite3.Row) -> LeaseHolder:
    """The holder that a row of ``owners`` tells."""
    owner = Owner(row["host"], row["space"], row["boot"], row["pid"], row["started"])
    return LeaseHolder(
        owner,
        row["operator"],
        row["run"],
        datetime.fromisoformat(row["since"]),
        is_alive(owner, time.time() - row["heartbeat"]) and (owner != this_process() or row["token"] in _HELD),
    )


def now() -> str:
    """This moment as the journal keeps it."""
    return datetime.now(UTC).isoformat()


def _clock(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M:%S}"
