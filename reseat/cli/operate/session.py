"""What every command of ``operate`` opens: the cluster, the journal, and who asks."""

from __future__ import annotations

import argparse
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from functools import wraps
from pathlib import Path
from types import FrameType

from reseat.access import Access, approval_in, command_line_person, writing_enabled
from reseat.cli.inputs import connection_of, note_reading, user_name
from reseat.cli.output.exit_codes import ExitCode
from reseat.cli.output.writer import complain, say
from reseat.errors import ClusterUnreachable, InputRefused, OutcomeUnknown, WriteRefused
from reseat.existing import may_exist
from reseat.model import ClusterLayout, Snapshot
from reseat.model.wording import counted
from reseat.operate.checks.check import Check, CheckResult
from reseat.operate.checks.guard import access_checks, refuse_unless
from reseat.operate.journal.journal import Journal
from reseat.operate.journal.records import MoveProgress, Run, RunProgress
from reseat.operate.journal.schema import default_path
from reseat.operate.request import RequestedBy, WriteRequest
from reseat.operate.run.places import Place, as_shown
from reseat.operate.targets.opening import open_target, protocol_to_go_on
from reseat.operate.targets.target import Target
from reseat.sources.connection import Connection

__all__ = [
    "Session",
    "Signals",
    "carrying_out",
    "connected",
    "going_on",
    "guarded",
    "kept_journal",
    "notes_of",
    "progress_json",
    "refuse_strangers",
    "reported",
    "requester",
    "sending",
    "signalled",
]


@dataclass(frozen=True)
class Session:
    """A cluster open for one command.

    Attributes:
        connection: how it is reached.
        target: the cluster.
        journal: what was done.
        cluster_id: the id that the cluster gives itself.
        requested_by: who asks and what was typed, as every request says it.
    """

    connection: Connection
    target: Target
    journal: Journal
    cluster_id: str
    requested_by: RequestedBy

    @property
    def may_write(self) -> bool:
        """Whether Reseat was started with writing enabled."""
        return self.requested_by["enabled"]

    @property
    def name(self) -> str:
        """The name by which the person knows the cluster."""
        return self.connection.name or self.connection.address

    @property
    def operator(self) -> str:
        """Who asks, as the journal keeps it."""
        return self.requested_by["person"].name

    def run(self, run_id: int) -> Run:
        """A run of the journal.

        Raises:
            WriteRefused: there is none, or it is another cluster's.
        """
        run = self.journal.run(run_id)
        if run.cluster_id != self.cluster_id:
            raise WriteRefused(f"Run {run.id} is for cluster {run.cluster_id}; this cluster is {self.cluster_id}.")
        return run


def requester(chosen: argparse.Namespace) -> RequestedBy:
    """Who asks, and what was typed."""
    return RequestedBy(
        confirmed=getattr(chosen, "confirm", ""),
        person=command_line_person(user_name()),
        enabled=writing_enabled(os.environ),
        access=Access(approval=approval_in(os.environ)),
        overrides=frozenset(getattr(chosen, "override", ())),
    )


def refuse_strangers(requested_by: RequestedBy, cluster_id: str, protocol: str) -> None:
    """The checks that stand before every write, a cancellation too.

    Args:
        requested_by: who asks.
        cluster_id: of the cluster that it is about.
        protocol: by which it is written to.

    Raises:
        WriteRefused: writing is not enabled, or another cluster's id was typed.
    """
    identity = Snapshot(ClusterLayout.from_assignments({}), datetime.now(UTC), protocol, cluster_id=cluster_id)
    checks = access_checks(WriteRequest(**requested_by), identity)
    refuse_unless(checks, who=requested_by["person"].name, cluster_id=cluster_id)


def reported(chosen: argparse.Namespace) -> Callable[[str], None]:
    """Says each new sentence of a run with the time; beside JSON on standard error."""

    def tell(said: str) -> None:
        (complain if chosen.json else say)(f"{datetime.now(UTC):%H:%M:%S} UTC {said}")

    return tell


def kept_journal(chosen: argparse.Namespace) -> Journal:
    """The journal of runs that there are, to be read at least; a slip in its name makes none.

    Raises:
        InputRefused: it is not there, or cannot be opened.
    """
    path = default_path() if chosen.journal is None else Path(chosen.journal)
    if not may_exist(path):
        raise InputRefused("No journal here: nothing was executed from it.", source=str(path))
    return Journal(path, or_read=True)


@contextmanager
def connected(chosen: argparse.Namespace) -> Iterator[Session]:
    """Open what a command needs; closed when it ends."""
    connection = connection_of(chosen)
    note_reading(connection)
    journal = Journal(chosen.journal)
    try:
        target = open_target(connection)
        try:
            yield Session(connection, target, journal, target.cluster_id(), requester(chosen))
        finally:
            with suppress(ClusterUnreachable):  # what was done is done
                target.close()
    finally:
        journal.close()


@contextmanager
def going_on(session: Session, run: Run) -> Iterator[Session]:
    """The session, the cluster open by the protocol by which a run goes on (``protocol_to_go_on``)."""
    protocol = protocol_to_go_on(session.connection, run)
    if protocol == session.target.protocol:
        yield session
        return
    target = open_target(session.connection, protocol)
    try:
        yield replace(session, target=target)
    finally:
        with suppress(ClusterUnreachable):
            target.close()


@dataclass(frozen=True, slots=True)
class Signals:
    """What a command was told by signals.

    Attributes:
        stop: set by Ctrl-C (SIGINT).
        interrupt: set by a termination (SIGTERM).
    """

    stop: threading.Event
    interrupt: threading.Event


@contextmanager
def signalled(stopping: Callable[[], None] = lambda: None) -> Iterator[Signals]:
    """Events that the first Ctrl-C or termination sets; the second one ends the process as ever.

    A terminal that hangs up (SIGHUP) ends nothing within: nobody decided that, and the throttles would stay.

    Args:
        stopping: called once the first Ctrl-C was heeded.
    """
    told = Signals(threading.Event(), threading.Event())
    if threading.current_thread() is not threading.main_thread():
        yield told
        return
    hang_up = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def once(number: int, frame: FrameType | None) -> None:
        for each, handler in before.items():
            signal.signal(each, handler)
        if number == signal.SIGTERM:
            told.interrupt.set()
            return
        told.stop.set()
        stopping()

    for number in before:
        signal.signal(number, once)
    try:
        yield told
    finally:
        signal.signal(signal.SIGHUP, hang_up)
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def sending() -> Iterator[None]:
    """What is sent within may have arrived where the cluster does not answer: that is never "nothing was sent".

    Raises:
        OutcomeUnknown: in the place of ``ClusterUnreachable``.
    """
    try:
        yield
    except ClusterUnreachable as error:
        raise OutcomeUnknown(str(error)) from error


@contextmanager
def carrying_out(journal: Journal, run: Run) -> Iterator[None]:
    """As ``sending``; and where the journal or its lock goes away in the middle of a run, it says how far that was.

    Raises:
        OutcomeUnknown: in the place of ``ClusterUnreachable``, and of ``WriteRefused`` once something was sent.
    """
    try:
        with sending():
            yield
    except WriteRefused as refused:
        try:
            told = journal.progress(run.id, moves=False)
        except WriteRefused:  # nobody knows what was sent
            raise OutcomeUnknown(str(refused)) from refused
        if not told.batches:
            raise
        raise OutcomeUnknown(
            f"{refused}\nRun {run.id}: {told.done:,} of {counted(told.partitions, 'partition')} as planned, "
            f"{told.sent:,} in progress; Kafka continues with those. Once that is fixed, the same command continues "
            "the run."
        ) from refused


def guarded(command: Callable[[argparse.Namespace], int]) -> Callable[[argparse.Namespace], int]:
    """The same command; where the guard refuses, each failed check stands on a line of its own on standard error."""

    @wraps(command)
    def run(chosen: argparse.Namespace) -> int:
        try:
            return command(chosen)
        except OutcomeUnknown as error:
            complain(f"reseat operate {chosen.action}: {error}")
            return ExitCode.UNFINISHED
        except WriteRefused as refused:
            failed = (f"  {name}: {said}" for name, said in refused.failed)
            complain(f"reseat operate {chosen.action}: {refused}", *failed)
            return ExitCode.REFUSED

    return run


def notes_of(checks: tuple[Check, ...]) -> list[str]:
    """What a person should know of checks that let a write pass: what was overridden, and what was not told."""
    return [
        f"{found.name} ({found.result.word}): {found.sentence}"
        for found in checks
        if found.result in (CheckResult.OVERRIDDEN, CheckResult.NOT_TOLD)
    ]


def progress_json(progress: RunProgress, *, moves: bool = False) -> dict[str, object]:
    """A run as JSON-ready values; ``moves`` adds each partition."""
    run = progress.run
    out: dict[str, object] = {
        "run": run.id,
        "cluster_id": run.cluster_id,
        "cluster": run.cluster,
        "kind": run.kind,
        "takes_back": run.takes_back,
        "hash": run.hash,
        "operator": run.operator,
        "moves_a_broker": run.options.max_concurrent_moves_per_broker,
        "throttle": run.options.throttle,
        "order": run.options.order.value,
        "windows": None if run.options.windows is None else str(run.options.windows),
        "pause_after": list(run.options.pause_after),
        "cordon": list(run.options.cordon),
        "way": run.protocol,
        "overridden": list(run.overridden),
        "paused_by": run.paused_by or None,
        "state": run.state.value,
        "sentence": run.sentence,
        "approved_at": run.approved_at.isoformat(),
        "ended_at": None if run.ended_at is None else run.ended_at.isoformat(),
        "alive": progress.alive,
        "partitions": progress.partitions,
        "done": progress.done,
        "sent": progress.sent,
        "failed": progress.failed,
        "batches": progress.batches,
        "bytes_total": progress.bytes_total,
        "bytes_done": progress.bytes_done,
        "seconds_left": progress.seconds_left,
    }
    if moves:
        out["moves"] = [
            asdict(move) | _directories(shown)
            for move, shown in zip(progress.moves, as_shown(run, progress.moves), strict=True)
        ]
    return out


def _directories(shown: MoveProgress) -> dict[str, object]:
    """Of a partition whose replicas move between log directories: from where to where."""
    pairs = [(a, b) for a, b in zip(shown.before, shown.target, strict=False) if isinstance(a, Place)]
    moved = [{"broker": a.broker, "before": a.path, "target": getattr(b, "path", "")} for a, b in pairs]
    return {"directories": moved} if moved else {}
