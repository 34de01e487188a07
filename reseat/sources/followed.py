"""A live cluster as the dashboard knows it: the last reading, what is under way, what changed, and why it was lost.

Reading and testing run in threads of their own, so that no page waits; at most one of each at a time. There is no
timer here: a page that is looked at asks now and then (``refresh_if_due``), so that nothing goes on once everybody has
left. The threads are daemons and end with the server.

Knows nothing of Streamlit: ``components.state.caching`` shares the named clusters, ``session`` there follows one.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import TypeAlias

from reseat import audit
from reseat.balance.changes import Changes, changes
from reseat.errors import Cancelled, ClusterUnreachable, ReseatError
from reseat.formats.documents.snapshot import reading_of
from reseat.formats.input.reading import Reading
from reseat.model import Snapshot
from reseat.sources.connection import Connection
from reseat.sources.diagnosis import DiagnosisStep, StepOutcome, diagnose
from reseat.sources.live import read_cluster
from reseat.sources.progress import ReadingProgress

__all__ = ["Ended", "LiveCluster", "LiveClusters", "LiveState", "ReadingDifference"]

#: Who is told that a reading ended.
Ended: TypeAlias = "Callable[[LiveCluster, timedelta, ReseatError | None], None]"

#: Readings whose changes are kept; one that changed nothing is not counted.
_MOST_NOTED = 100
#: Changes kept over all readings: a restart of a large cluster changes every partition.
_MOST_CHANGES = 2_000_000


@dataclass(frozen=True, slots=True, eq=False)
class ReadingDifference:
    """What changed between two readings that followed each other.

    Attributes:
        before: when the earlier reading began, UTC.
        at: when the later one began, UTC.
        changes: what changed.
    """

    before: datetime
    at: datetime
    changes: Changes


@dataclass(frozen=True, slots=True, eq=False)
class LiveState:
    """A live cluster at one moment; replaced as a whole, never changed.

    Attributes:
        snapshot: the last reading, or None before the first.
        reading: the same as pages know readings.
        generation: how many readings there were.
        progress: how far the reading under way is, or None where none is under way.
        took: how long the last reading took.
        error: why the last attempt did not come to a reading, or None where it did.
        failed_at: when that was, UTC.
        tried_at: when the last attempt ended, UTC.
        last: what changed between the two last readings, or None before the second.
        noted: what changed between readings, newest last, those without a change left out.
        testing: whether a test of the connection is under way.
        steps: what the last test found, so far.
        tested_at: when the last test ended, UTC.
    """

    snapshot: Snapshot | None = None
    reading: Reading | None = None
    generation: int = 0
    progress: ReadingProgress | None = None
    took: timedelta = timedelta()
    error: ReseatError | None = None
    failed_at: datetime | None = None
    tried_at: datetime | None = None
    last: ReadingDifference | None = None
    noted: tuple[ReadingDifference, ...] = ()
    testing: bool = False
    steps: tuple[DiagnosisStep, ...] = ()
    tested_at: datetime | None = None

    @property
    def refreshing(self) -> bool:
        """Whether a reading is under way."""
        return self.progress is not None

    @property
    def lost(self) -> bool:
        """Whether what is shown is older than the last attempt to read it."""
        return self.error is not None and self.snapshot is not None


class LiveCluster:
    """One cluster that is read as it is, as often as somebody asks.

    Args:
        connection: how it is reached.
        clock: tells the time in UTC.
        ended: told when a reading ended: how long it took, and why nothing came of it.
    """

    def __init__(
        self,
        connection: Connection,
        *,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        ended: Ended = lambda *_: None,
    ) -> None:
        self.connection = connection
        self._clock, self._ended = clock, ended
        self._changed = threading.Condition()
        self._state = LiveState()
        self._noted: deque[ReadingDifference] = deque(maxlen=_MOST_NOTED)
        self._cancelled = threading.Event()

    @property
    def name(self) -> str:
        """By what the person knows it: its name, or its address."""
        return self.connection.name or self.connection.address

    @property
    def state(self) -> LiveState:
        """How things stand now."""
        return self._state

    def refresh(self, who: str = "") -> bool:
        """Begin to read, unless a reading is under way; says whether one began.

        Args:
            who: who asks, for the audit log; empty: nobody in particular.
        """
        with self._changed:
            if self._state.refreshing:
                return False
            self._cancelled = threading.Event()
            self._set(progress=ReadingProgress("the connection"))
            threading.Thread(target=self._read, args=(self._cancelled, who), name="reseat-read", daemon=True).start()
        return True

    def refresh_if_due(self, every: float | None, who: str = "") -> bool:
        """Begin to read as ``refresh`` does if the last attempt ended at least so many seconds ago; None never does.

        Also where it ends in the future, by a clock that was put back since.
        """
        tried = self._state.tried_at
        if every is None or tried is None or 0 <= (self._clock() - tried).total_seconds() < every:
            return False
        return self.refresh(who)

    def cancel(self) -> None:
        """Stop the reading under way; what was read before stays."""
        self._cancelled.set()

    def test(self) -> bool:
        """Begin to test the connection, unless a test is under way; says whether one began."""
        with self._changed:
            if self._state.testing:
                return False
            self._set(testing=True, steps=())
            threading.Thread(target=self._test, name="reseat-test", daemon=True).start()
        return True

    def wait(self, seconds: float) -> bool:
        """Wait until nothing is under way, at most so long; says whether nothing is."""
        with self._changed:
            return self._changed.wait_for(lambda: not (self._state.refreshing or self._state.testing), seconds)

    def take(self, snapshot: Snapshot) -> None:
        """Stand as after a first reading that gave this snapshot."""
        self._set(snapshot=snapshot, reading=_reading_of(snapshot, self.name), generation=1)

    def _set(self, **what: object) -> None:
        """Replace the state; threads that wait are told."""
        with self._changed:
            self._state = replace(self._state, **what)  # type: ignore[arg-type]
            self._changed.notify_all()

    def _read(self, cancelled: threading.Event, who: str) -> None:
        begun = self._clock()
        # What stands here if anything but a refusal ends the thread: the page never waits for a thread that is gone.
        outcome: dict[str, object] = _failed(
            ClusterUnreachable("The reading ended with an internal error; see the server's log.", "lost"),
            begun,
        )
        try:
            audit.record("reading", who=who or "the server", cluster=self.name)
            snapshot = read_cluster(self.connection, report=lambda told: self._set(progress=told), cancelled=cancelled)
            outcome = self._arrived(snapshot, begun)
        except Cancelled:
            outcome = {}
        except ReseatError as error:
            outcome = _failed(error, self._clock())
        finally:
            ended = self._clock()
            self._set(progress=None, tried_at=ended, **outcome)
            if outcome:
                self._ended(self, ended - begun, self._state.error)

    def _arrived(self, snapshot: Snapshot, begun: datetime) -> dict[str, object]:
        before = self._state.snapshot
        last = None
        if before is not None:
            last = ReadingDifference(before.taken_at, snapshot.taken_at, changes(before.layout, snapshot.layout))
            if len(last.changes):
                self._noted.append(last)
            while len(self._noted) > 1 and sum(len(noted.changes) for noted in self._noted) > _MOST_CHANGES:
                self._noted.popleft()
        return {
            "snapshot": snapshot,
            "reading": _reading_of(snapshot, self.name),
            "generation": self._state.generation + 1,
            "took": self._clock() - begun,
            "error": None,
            "failed_at": None,
            "last": last,
            "noted": tuple(self._noted),
        }

    def _test(self) -> None:
        steps: list[DiagnosisStep] = []

        def report(step: DiagnosisStep) -> None:
            steps.append(step)
            self._set(steps=tuple(steps))

        ended = False
        try:
            diagnose(self.connection, report=report)
            ended = True
        finally:
            if not ended:
                fault = "The test ended with an internal error; see the server's log."
                report(DiagnosisStep("Test", StepOutcome.FAILED, fault, "lost"))
            self._set(testing=False, tested_at=self._clock())


def _failed(error: ReseatError, when: datetime) -> dict[str, object]:
    return {"error": error, "failed_at": when}


def _reading_of(snapshot: Snapshot, name: str) -> Reading:
    """A snapshot as pages know readings, in the words of somebody who looks at a cluster and not at a file."""
    kinds = {"zookeeper": "a live cluster, read from ZooKeeper", "admin": "a live cluster, read from its brokers"}
    reading = reading_of(snapshot, source=name)
    return replace(reading, kind=kinds.get(snapshot.protocol, reading.kind))


class LiveClusters:
    """The named clusters of this server, one ``LiveCluster`` each, shared by everybody.

    Args:
        ended: as ``LiveCluster`` takes it.
    """

    def __init__(self, ended: Ended = lambda *_: None) -> None:
        self._ended = ended
        self._clusters: dict[str, LiveCluster] = {}
        self._lock = threading.Lock()

    def of(self, connection: Connection) -> LiveCluster:
        """The cluster of a named connection; a new one where the connection is not as it was."""
        with self._lock:
            known = self._clusters.get(connection.name)
            if known is None or known.connection != connection:
                if known is not None:
                    known.cancel()
                known = self._clusters[connection.name] = LiveCluster(connection, ended=self._ended)
            return known

    def all(self) -> tuple[LiveCluster, ...]:
        """Those that somebody has looked at."""
        with self._lock:
            return tuple(self._clusters.values())

    def find(self, name: str) -> LiveCluster | None:
        """The cluster of this name that somebody has looked at, or None."""
        with self._lock:
            return self._clusters.get(name)
