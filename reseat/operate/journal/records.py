"""What the journal keeps and every view of a run shows: the run, its state, and how far it is."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import Enum

from reseat.model.wording import counted, listed, named
from reseat.schedule.batches import DEFAULT_CONCURRENT_MOVES, Order
from reseat.schedule.windows import Windows

__all__ = ["MoveProgress", "Run", "RunOptions", "RunProgress", "RunState"]

_ORDERS = {
    Order.SMALLEST: "smallest partitions first",
    Order.LARGEST: "largest partitions first",
    Order.LEADERS: "partitions with a new preferred leader first",
}


class RunState(Enum):
    """Where a run stands.

    APPROVED: journaled, nothing sent. RUNNING: batches are being sent. PAUSED: nothing is sent for now, since a person
    or the state of the cluster wants it so. STOPPING: nothing further is sent, what is under way finishes or is
    cancelled. DONE: every partition is as planned, seen twice. CANCELLED: stopped, nothing
    under way. FAILED: it cannot go on by itself; ``Run.sentence`` says why.
    """

    APPROVED = "approved"
    RUNNING = "running"
    PAUSED = "paused"
    STOPPING = "stopping"
    DONE = "done"
    CANCELLED = "cancelled"
    FAILED = "failed"

    @property
    def open(self) -> bool:
        """Whether a runner still has to do something."""
        return self in (RunState.APPROVED, RunState.RUNNING, RunState.PAUSED, RunState.STOPPING)


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How to carry a plan out.

    Attributes:
        max_concurrent_moves_per_broker: most replica moves that one broker sends or receives at a time.
        throttle: bytes a second a broker for replication, or None: no throttle is set or changed.
        order: which partitions go first.
        windows: when something may be sent; None: at any time.
        pause_after: numbers of partitions, ascending: once so many are begun and none is in progress, the run pauses.
        cordon: ids of brokers that are cordoned before anything moves.
    """

    max_concurrent_moves_per_broker: int = DEFAULT_CONCURRENT_MOVES
    throttle: int | None = None
    order: Order = Order.SMALLEST
    windows: Windows | None = None
    pause_after: tuple[int, ...] = ()
    cordon: tuple[int, ...] = ()

    @property
    def in_words(self) -> str:
        """How a run is carried out, as a part of a sentence."""
        rate, moves, *_ = self._each_in_words
        return f"{rate} and {moves}{self.schedule_in_words}"

    @property
    def schedule_in_words(self) -> str:
        """Order, windows, pause points and cordons, as the end of a sentence; "" where a run has none of its own."""
        _, _, order, windows, pauses, cordon = self._each_in_words
        own = {order: self.order is not Order.SMALLEST, windows: self.windows, pauses: self.pause_after}
        own[f"with {cordon}"] = self.cordon
        return "".join(f", {word}" for word, is_own in own.items() if is_own)

    def unlike(self, now: RunOptions) -> str:
        """What differs from the way that it is now, if any does, as a part of a sentence: ``no throttle; now …``."""
        pairs = zip(self._each_in_words, now._each_in_words, strict=True)
        mine, others = zip(*[(mine, theirs) for mine, theirs in pairs if mine != theirs], strict=True)
        return f"{listed(mine)}; now {listed(others)}"

    @property
    def _each_in_words(self) -> tuple[str, ...]:
        """Each of the attributes, whether a run has one of its own or not."""
        points = f"{listed(self.pause_after)} {'partition' if self.pause_after == (1,) else 'partitions'}"
        return (
            "no throttle" if self.throttle is None else f"a throttle of {self.throttle:,} bytes/s per broker",
            f"at most {counted(self.max_concurrent_moves_per_broker, 'replica move')} per broker at a time",
            _ORDERS[self.order],
            "at any time" if self.windows is None else f"only during {self.windows}",
            f"pausing after {points}" if self.pause_after else "no pause",
            f"{named('broker', self.cordon)} cordoned" if self.cordon else "no broker cordoned",
        )


@dataclass(frozen=True, slots=True)
class Run:
    """One plan that was approved.

    Attributes:
        id: of the journal, ascending.
        cluster_id: of the cluster.
        cluster: the name by which the person knows it.
        kind: ``plan`` or ``rollback``.
        takes_back: id of the run that a rollback takes back, or None.
        plan: the plan's text as approved (reassignment JSON with Reseat's key).
        rollback: the text that takes it back: the replica lists at approval.
        hash: the plan's hash.
        options: how it is carried out.
        operator: who approved it.
        state: where it stands.
        sentence: why it stands there, for a person.
        approved_at: UTC.
        ended_at: UTC, or None.
        protocol: by which it was to be written when it was approved, ``admin`` or ``zookeeper``; None: not told.
        overridden: names of the checks that the person went on in spite of.
        paused_by: who paused it, or "".
        stop: what was asked of it, ``""``, ``"stop"`` (send nothing further) or ``"cancel"`` (and revert what is
            in progress), before whoever is at work hears of it.
    """

    id: int
    cluster_id: str
    cluster: str
    kind: str
    takes_back: int | None
    plan: str
    rollback: str
    hash: str
    options: RunOptions
    operator: str
    state: RunState
    sentence: str
    approved_at: datetime
    ended_at: datetime | None = None
    protocol: str | None = None
    overridden: tuple[str, ...] = ()
    paused_by: str = ""
    stop: str = ""

    @property
    def title(self) -> str:
        """What it is, in a few words: ``Run 7, the rollback of run 5``."""
        return f"Run {self.id}" + ("" if self.takes_back is None else f", the rollback of run {self.takes_back}")

    @property
    def rollback_options(self) -> RunOptions:
        """How its rollback is carried out where nothing else is said: at its own pace, and without its schedule."""
        return RunOptions(self.options.max_concurrent_moves_per_broker, self.options.throttle)


@dataclass(frozen=True, slots=True)
class MoveProgress:
    """One partition of a run.

    Attributes:
        topic: its topic.
        partition: its id.
        before: replica ids at approval.
        target: replica ids planned.
        now: replica ids last seen, or () where not seen yet.
        state: ``waiting``, ``sent``, ``done``, ``cancelled`` or ``failed``.
        error: Kafka's error name, or None.
        bytes_total: bytes to copy, or None where not told.
        bytes_done: bytes copied, or None where not told.
    """

    topic: str
    partition: int
    before: tuple[int, ...]
    target: tuple[int, ...]
    now: tuple[int, ...]
    state: str
    error: str | None = None
    bytes_total: int | None = None
    bytes_done: int | None = None

    @property
    def key(self) -> tuple[str, int]:
        """Topic and partition id."""
        return self.topic, self.partition

    @property
    def name(self) -> str:
        """The partition's name, ``orders-3``."""
        return f"{self.topic}-{self.partition}"

    @property
    def newcomers(self) -> tuple[int, ...]:
        """Replicas to be copied: in the target, and not in the list from before."""
        return tuple(broker for broker in self.target if broker not in self.before)


@dataclass(frozen=True, slots=True)
class RunProgress:
    """How far a run is.

    Attributes:
        run: the run.
        partitions: how many the plan changes.
        done: how many are as planned.
        sent: how many are under way.
        failed: how many Kafka refused.
        batches: batches sent so far.
        bytes_total: bytes to copy in all, or None where not told.
        bytes_done: bytes copied, or None where not told.
        seconds_left: from the pace of the last minute, or None where it cannot be told yet or nobody is at work.
        alive: whether a runner is at work on it now.
        moves: one a partition, by topic and partition.
    """

    run: Run
    partitions: int
    done: int
    sent: int
    failed: int
    batches: int
    bytes_total: int | None
    bytes_done: int | None
    seconds_left: float | None
    alive: bool
    moves: tuple[MoveProgress, ...]
