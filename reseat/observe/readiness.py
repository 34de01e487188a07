"""Whether a server can do its work: its journal, tables, audit log, folder of links, and the clusters that it names.

What it promises: (1) nothing is written, and nothing is made that is not there yet; (2) it answers within seconds,
whatever hangs; (3) no secret and no address is in what it says of all clusters together.

A cluster that is away does not make a server unready: a dashboard is needed most when a cluster is lost, and an
orchestrator that takes it out of service then would take it from everybody. It is told beside what counts.
"""

from __future__ import annotations

import errno
import os
import shutil
import socket
import sqlite3
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from reseat import audit
from reseat.access.shared_reports import VARIABLE, SharedReports
from reseat.errors import InputRefused
from reseat.existing import exists
from reseat.history.places import default_tables
from reseat.history.read import History
from reseat.model.wording import counted
from reseat.operate.journal.file_systems import network_file_system
from reseat.operate.journal.schema import default_path
from reseat.sources.configuration import named_clusters
from reseat.sources.connection import Connection
from reseat.sources.diagnosis.reaching import takes

__all__ = [
    "Condition",
    "Readiness",
    "audit_writable",
    "can_be_read",
    "clusters_reached",
    "conditions",
    "journal_writable",
    "links_writable",
    "tables_readable",
]

#: Seconds for one server to take a connection, and for the journal to be free.
_SECONDS = 2.0
#: Servers tried at once.
_AT_ONCE = 16
#: Seconds for which an answer stands: whoever asks in a loop costs nothing.
_STANDS = 5.0


@dataclass(frozen=True, slots=True)
class Condition:
    """One thing that a server needs.

    Attributes:
        name: a stable word: ``journal``, ``tables``, ``audit``, ``syslog``, ``links`` or ``clusters``.
        holds: whether it is as it should be.
        sentence: how it is, for a person.
        counts: whether the server is unready without it.
    """

    name: str
    holds: bool
    sentence: str
    counts: bool = True


def conditions(environment: Mapping[str, str], secrets: Sequence[str | Path] = ()) -> tuple[Condition, ...]:
    """All of them, asked now.

    Args:
        environment: as ``os.environ``.
        secrets: the files that may name clusters.
    """
    return (
        journal_writable(default_path(dict(environment))),
        tables_readable(default_tables(environment)),
        *audit_writable(environment),
        *links_writable(environment),
        _clusters(environment, secrets),
    )


def journal_writable(path: Path) -> Condition:
    """Whether the journal can be written, or made where there is none yet."""
    remote = network_file_system(path)
    if remote is not None:
        return Condition("journal", False, f"{path} is on a network file system ({remote}): name a local file.")
    folder = _nearest(path)
    if folder != path:
        if _writable(folder):
            return Condition("journal", True, f"{path} is made when a plan is executed; its folder can be written.")
        return Condition("journal", False, f"{path} cannot be made: {folder} cannot be written.")
    if not os.access(path, os.R_OK | os.W_OK):  # SQLite would open it to read alone
        return Condition("journal", False, f"{path} cannot be written by the user who runs this.")
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=rw", uri=True, timeout=_SECONDS)) as database:
            database.execute("BEGIN IMMEDIATE")
            database.execute("ROLLBACK")
    except sqlite3.Error as error:
        if getattr(error, "sqlite_errorcode", 0) & 0xFF != sqlite3.SQLITE_BUSY:  # busy: somebody is writing it
            return Condition("journal", False, f"{path} cannot be written: {error}.")
    return Condition("journal", True, f"{path} can be written.")


def tables_readable(where: str) -> Condition:
    """Whether the pipeline's tables can be listed; that there are none yet is as it should be."""
    try:
        History.open(where).stamp()
    except InputRefused as refused:
        return Condition("tables", False, str(refused))
    return Condition("tables", True, f"{where} {can_be_read(where, 'the first run of the pipeline')}.")


def can_be_read(where: str, made_with: str) -> str:
    """What to say of a folder or URL that can be read: one of this machine that is not there is made with something."""
    there = "://" in where or os.path.exists(where)  # noqa: PTH110 -- it raises nothing
    return "can be read" if there else f"is made with {made_with}"


def audit_writable(environment: Mapping[str, str]) -> tuple[Condition, ...]:
    """Whether each audit log that is named takes a line; else nothing. It counts: without it nobody may do anything."""
    found = []
    for name, variable, tried in (
        ("audit", audit.VARIABLE, _appendable),
        ("syslog", audit.SYSLOG_VARIABLE, _listened_to),
    ):
        place = environment.get(variable, "").strip()
        try:
            how = tried(Path(place).expanduser()) if place else ""
        except OSError as error:
            how = f"cannot be written: {error.strerror or error}; nothing happens without it"
        if place:
            found.append(Condition(name, not how.startswith("cannot"), f"{place} ({variable}) {how}."))
    return tuple(found)


def _appendable(path: Path) -> str:
    there = exists(path)
    if shutil.disk_usage(path if there else path.parent).free < audit.LONGEST:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    if not there and not _writable(path.parent):
        raise OSError(errno.EACCES, os.strerror(errno.EACCES))
    if there:
        os.close(os.open(path, os.O_RDWR | os.O_APPEND))
    return "can be written" if there else "is made with the first line"


def _listened_to(path: Path) -> str:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as out:
        out.connect(str(path))
    return "takes lines"


def links_writable(environment: Mapping[str, str]) -> tuple[Condition, ...]:
    """Whether reports can be kept for read-only links, where a folder for them is named; else nothing.

    It does not count: all but these links goes on without it.
    """
    links = SharedReports.configured(environment)
    if links is None:
        return ()
    folder = links.folder
    there = _nearest(folder)
    if not _writable(there):
        return (Condition("links", False, f"{folder} ({VARIABLE}): {there} cannot be written.", counts=False),)
    made = "can be written" if there == folder else "is made with the first link"
    return (Condition("links", True, f"{folder} ({VARIABLE}) {made}.", counts=False),)


def _nearest(path: Path) -> Path:
    """The path, or of the folders above it the first one that is there, as far as can be seen."""
    return next(place for place in (path, *path.absolute().parents) if os.path.exists(place))  # noqa: PTH110


def _writable(folder: Path) -> bool:
    return folder.is_dir() and os.access(folder, os.R_OK | os.W_OK | os.X_OK)


def clusters_reached(named: Mapping[str, Connection]) -> dict[str, bool]:
    """Of each cluster by its name, whether any of its servers takes a connection within two seconds."""
    if not named:
        return {}
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        return dict(zip(named, pool.map(_reached, named.values()), strict=True))


def _reached(connection: Connection) -> bool:
    servers = connection.zookeeper or connection.bootstrap
    return any(takes(server, _SECONDS / len(servers)) is None for server in servers)


def _clusters(environment: Mapping[str, str], secrets: Sequence[str | Path]) -> Condition:
    """All configured clusters in one sentence that names none: whoever reaches the server may ask."""
    named = named_clusters(None, environment, files=secrets)
    reached = clusters_reached(named.connections)
    said = f"{sum(reached.values()):,} of {counted(len(reached), 'configured cluster')} can be reached"
    if named.refused:
        said += f"; {counted(len(named.refused), 'entry')} of the configuration cannot be read"
    return Condition("clusters", all(reached.values()) and not named.refused, f"{said}.", counts=False)


class Readiness:
    """The conditions of a server, asked at most every few seconds, by one caller at a time.

    Args:
        ask: asks them.
        clock: seconds on a clock that never goes back.
    """

    def __init__(
        self, ask: Callable[[], tuple[Condition, ...]], *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._ask, self._clock = ask, clock
        self._lock = threading.Lock()
        self._told: tuple[Condition, ...] = ()
        self._at = float("-inf")

    def conditions(self) -> tuple[Condition, ...]:
        """How they stood a few seconds ago at most."""
        with self._lock:
            if self._clock() - self._at >= _STANDS:
                self._told = self._ask()
                self._at = self._clock()
            return self._told
