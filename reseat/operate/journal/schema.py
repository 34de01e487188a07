"""The journal's tables and how its file is opened. Knows SQLite and nothing of clusters."""

from __future__ import annotations

import os
import sqlite3
import time
from contextlib import ExitStack, suppress
from pathlib import Path

from reseat.errors import InputRefused
from reseat.existing import exists
from reseat.operate.journal.file_systems import network_file_system

__all__ = ["VERSION", "default_path", "open_database", "read_database"]

#: ``PRAGMA user_version`` of the tables below; a journal with a higher one was written by a later Reseat.
VERSION = 6
#: ``PRAGMA application_id``: "rsea", so that no other program's file is taken for a journal.
_APPLICATION = 0x72736561
#: A writer holds the file for milliseconds; whoever waits longer than this meets a machine in trouble.
_BUSY_SECONDS = 30.0
#: A commit waits until the disk has it; only tests, whose files nobody wants back, do not wait.
SYNCHRONOUS = "FULL"
_WAL_TRIES = 100

#: What is said of a place where two processes could not rely on the journal.
_NO_LOG = "The journal cannot be kept here: this file system does not support SQLite's write-ahead log"
_LOCAL = (
    "Name a file on a disk of this machine (--journal, RESEAT_JOURNAL); on Kubernetes a volume that one node mounts at "
    "a time (ReadWriteOnce, a block device)."
)

_PROPOSALS = """
CREATE TABLE proposals (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    cluster_id TEXT NOT NULL,
    cluster TEXT NOT NULL,
    title TEXT NOT NULL,
    plan TEXT NOT NULL,
    hash TEXT NOT NULL,
    overridden TEXT NOT NULL,
    proposer TEXT NOT NULL,
    marks TEXT NOT NULL,
    proposed_at TEXT NOT NULL,
    expires_at TEXT NOT NULL,
    state TEXT NOT NULL DEFAULT 'proposed'
        CHECK (state IN ('proposed', 'approved', 'declined', 'withdrawn', 'executed')),
    decided_by TEXT NOT NULL DEFAULT '',
    decided_at TEXT,
    reason TEXT NOT NULL DEFAULT '',
    run INTEGER REFERENCES runs (id)
) STRICT;
CREATE INDEX proposals_of_cluster ON proposals (cluster_id, hash)"""

#: How a proposed plan is to be executed: the same columns as a run has, NULL where an earlier version proposed it.
_PROPOSED_HOW = (
    "ALTER TABLE proposals ADD COLUMN moves_a_broker INTEGER",
    "ALTER TABLE proposals ADD COLUMN throttle INTEGER",
    "ALTER TABLE proposals ADD COLUMN schedule TEXT NOT NULL DEFAULT ''",
)

_TABLES = """
CREATE TABLE runs (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    cluster_id TEXT NOT NULL,
    cluster TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('plan', 'rollback')),
    takes_back INTEGER REFERENCES runs (id),
    plan TEXT NOT NULL,
    rollback TEXT NOT NULL,
    hash TEXT NOT NULL,
    moves_a_broker INTEGER NOT NULL,
    throttle INTEGER,
    operator TEXT NOT NULL,
    state TEXT NOT NULL,
    sentence TEXT NOT NULL,
    stop TEXT NOT NULL DEFAULT '' CHECK (stop IN ('', 'stop', 'cancel')),
    approved_at TEXT NOT NULL,
    ended_at TEXT,
    way TEXT,
    overridden TEXT NOT NULL DEFAULT '',
    paused_by TEXT NOT NULL DEFAULT '',
    schedule TEXT NOT NULL DEFAULT '{}'
) STRICT;
CREATE TABLE moves (
    run INTEGER NOT NULL REFERENCES runs (id),
    row INTEGER NOT NULL,
    topic TEXT NOT NULL,
    partition INTEGER NOT NULL,
    before TEXT NOT NULL,
    target TEXT NOT NULL,
    now TEXT NOT NULL DEFAULT '',
    state TEXT NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'sent', 'done', 'cancelled', 'failed')),
    error TEXT,
    bytes_total INTEGER,
    bytes_done INTEGER,
    PRIMARY KEY (run, row),
    UNIQUE (run, topic, partition)
) STRICT, WITHOUT ROWID;
CREATE TABLE steps (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    cluster_id TEXT NOT NULL,
    run INTEGER REFERENCES runs (id),
    kind TEXT NOT NULL,
    operator TEXT NOT NULL,
    content TEXT NOT NULL,
    begun_at TEXT NOT NULL,
    outcome TEXT,
    ended_at TEXT
) STRICT;
CREATE INDEX steps_open ON steps (cluster_id) WHERE outcome IS NULL;
CREATE INDEX steps_of_run ON steps (run, kind);
CREATE TABLE paces (
    run INTEGER NOT NULL REFERENCES runs (id),
    at REAL NOT NULL,
    done INTEGER NOT NULL,
    bytes_done INTEGER,
    PRIMARY KEY (run, at)
) STRICT, WITHOUT ROWID;
CREATE TABLE owners (
    cluster_id TEXT PRIMARY KEY,
    token TEXT NOT NULL,
    run INTEGER REFERENCES runs (id),
    operator TEXT NOT NULL,
    host TEXT NOT NULL,
    space TEXT NOT NULL,
    boot TEXT NOT NULL,
    pid INTEGER NOT NULL,
    started TEXT NOT NULL,
    since TEXT NOT NULL,
    heartbeat REAL NOT NULL
) STRICT;
"""
#: What makes a journal of an earlier version one of the next, by the version that it has.
_STEPS_UP = {
    1: (
        "ALTER TABLE runs ADD COLUMN way TEXT",
        "ALTER TABLE runs ADD COLUMN overridden TEXT NOT NULL DEFAULT ''",
    ),
    2: (
        "ALTER TABLE runs ADD COLUMN paused_by TEXT NOT NULL DEFAULT ''",
        # A run could fail while partitions of it were under way. It is open again: nothing further is sent, and what
        # is under way is seen to its end, or cancelled.
        "UPDATE runs SET state = 'stopping', stop = iif(stop = '', 'stop', stop), ended_at = NULL "
        "WHERE state NOT IN ('approved', 'running', 'stopping') "
        "AND EXISTS (SELECT 1 FROM moves WHERE moves.run = runs.id AND moves.state = 'sent')",
    ),
    3: ("ALTER TABLE runs ADD COLUMN schedule TEXT NOT NULL DEFAULT '{}'",),
    4: tuple(_PROPOSALS.split(";\n")),
    5: _PROPOSED_HOW,
}
#: What SQLite says of a file that is none of its own, or that was damaged.
_NO_DATABASE = frozenset({sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT})


def default_path(environment: dict[str, str] | os._Environ[str] = os.environ) -> Path:
    """Where the journal is: ``RESEAT_JOURNAL``, else the folder that the XDG rules give a program for its state."""
    named = environment.get("RESEAT_JOURNAL", "").strip()
    if named:
        return Path(named).expanduser()
    state = Path(environment.get("XDG_STATE_HOME", ""))  # a relative one counts as none, as the rules say
    return (state if state.is_absolute() else Path.home() / ".local" / "state") / "reseat" / "journal.sqlite"


def open_database(path: Path) -> sqlite3.Connection:
    """Open a journal's file, or make it, readable and writable by its owner alone.

    Raises:
        InputRefused: the file cannot be opened, is no journal, or was written by a later Reseat.
    """
    kind = network_file_system(path)
    if kind is not None:
        raise InputRefused(f"{_NO_LOG} between machines (it is {kind}). {_LOCAL}", source=str(path))
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        # Made here and not by SQLite, whose files everybody may read; its -wal and -shm files get the same mode.
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    except OSError as error:
        raise InputRefused(f"The journal cannot be opened: {error.strerror}.", source=str(path)) from error
    with ExitStack() as unless_it_fails:
        try:
            database = sqlite3.connect(path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False)
            unless_it_fails.callback(database.close)
            _prepare(database, path)
        except sqlite3.DatabaseError as error:
            if error.sqlite_errorcode & 0xFF in _NO_DATABASE:
                said = f"This is not a journal of Reseat, or it was damaged ({error}); name another file."
            else:
                said = f"The journal cannot be opened ({error}): its folder must be writable, with room on the disk."
            raise InputRefused(said, source=str(path)) from error
        unless_it_fails.pop_all()
        return database


def read_database(path: Path) -> sqlite3.Connection:
    """Open a journal's file as ``open_database`` does, or to be read alone, where its disk is full or read-only.

    Raises:
        InputRefused: it can be opened in neither way, is no journal, or was written by another version.
    """
    try:
        return open_database(path)
    except InputRefused:
        if network_file_system(path) is not None:
            raise
        log = Path(f"{path}-wal")
        for how in ("mode=ro", "immutable=1"):
            with ExitStack() as unless_it_fails, suppress(sqlite3.DatabaseError, OSError):
                # Whoever has the journal open has its -shm file too, with which mode=ro reads: else nobody writes. Of
                # what is in the -wal file still, a file that is taken for immutable tells nothing.
                if how == "immutable=1" and exists(log) and log.stat().st_size:
                    break
                address = f"{path.absolute().as_uri()}?{how}"
                database = sqlite3.connect(
                    address, uri=True, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False
                )
                unless_it_fails.callback(database.close)
                database.row_factory = sqlite3.Row
                if _refuse_what_is_no_journal(database, path) == VERSION:
                    unless_it_fails.pop_all()
                    return database
        raise


def _prepare(database: sqlite3.Connection, path: Path) -> None:
    database.row_factory = sqlite3.Row
    database.execute("PRAGMA foreign_keys = ON")
    # Looked at before anything is changed: another program's file stays as it is. In one transaction, as another
    # process may be making the journal just now.
    database.execute("BEGIN")
    try:
        _refuse_what_is_no_journal(database, path)
    finally:
        database.rollback()  # what failed on a full disk has ended it already
    _write_ahead(database, path)
    database.execute(f"PRAGMA synchronous = {SYNCHRONOUS}")
    database.execute("BEGIN IMMEDIATE")
    version = _refuse_what_is_no_journal(database, path)
    if version == 0:
        for statement in (*(_TABLES + _PROPOSALS).split(";\n"), *_PROPOSED_HOW):
            database.execute(statement)
        database.execute(f"PRAGMA application_id = {_APPLICATION}")
    for earlier in range(version, VERSION) if version else ():
        for statement in _STEPS_UP[earlier]:
            database.execute(statement)
    if version != VERSION:
        database.execute(f"PRAGMA user_version = {VERSION}")
    database.execute("COMMIT")


def _refuse_what_is_no_journal(database: sqlite3.Connection, path: Path) -> int:
    """The version of the file's tables, 0 where it is empty."""
    version: int = database.execute("PRAGMA user_version").fetchone()[0]
    application = database.execute("PRAGMA application_id").fetchone()[0]
    tables = database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    if (version, application, tables) == (0, 0, 0):
        return 0
    if application != _APPLICATION:
        raise InputRefused("This is a database of another program, not a journal of Reseat.", source=str(path))
    if not 1 <= version <= VERSION:
        raise InputRefused(
            f"This journal has version {version} and this Reseat writes version {VERSION}: use the Reseat that wrote "
            "it, or name another file.",
            source=str(path),
        )
    return version


def _write_ahead(database: sqlite3.Connection, path: Path) -> None:
    """Readers never wait for a writer then. Switching needs the file alone, and does not wait for it by itself."""
    for attempt in range(_WAL_TRIES):
        try:
            mode = database.execute("PRAGMA journal_mode = WAL").fetchone()[0]
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or attempt == _WAL_TRIES - 1:
                raise
            time.sleep(0.02)
            continue
        if mode != "wal":  # SQLite goes on in another mode, and says so by this alone
            raise InputRefused(f"{_NO_LOG} (SQLite chose {mode!r}). {_LOCAL}", source=str(path))
        return
