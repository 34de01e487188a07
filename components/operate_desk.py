"""What every page that writes knows before it draws: the cluster, who asks, whether they may, and the journal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from components import caching, operate_person, session, visitor
from components.live import LiveCluster
from components.session import Seat
from reseat.errors import InputRefused
from reseat.model import Snapshot
from reseat.operate.checks import Check, Verdict
from reseat.operate.journal import Holder, Journal
from reseat.operate.people import Access, Person, allowed
from reseat.operate.records import Run
from reseat.sources.connection import Connection

__all__ = ["Desk", "Look", "choose_way", "desk_of", "look_at", "looked_at"]

_LOOK, _WAY = "operate-look", "operate-way"


@dataclass(frozen=True, eq=False)
class Desk:
    """A live cluster and the person before it.

    Attributes:
        live: the cluster as the dashboard follows it.
        snapshot: its last reading.
        enabled: whether writing was enabled at start.
        journal: what was carried out; None where there is none yet and nothing may be written, or it cannot be opened.
        journal_trouble: why the journal cannot be opened, or None.
    """

    live: LiveCluster
    snapshot: Snapshot
    enabled: bool
    journal: Journal | None
    journal_trouble: str | None = None

    @property
    def person(self) -> Person:
        """Who looks at the page."""
        return session.person()

    @property
    def access(self) -> Access:
        """Who may write, as configured now: a button is pressed some time after it was drawn."""
        return visitor.access()

    @property
    def name(self) -> str:
        """By what the person knows the cluster."""
        return self.live.name

    @property
    def connection(self) -> Connection:
        """How it is reached."""
        return self.live.connection

    @property
    def ways(self) -> tuple[str, ...]:
        """The ways by which it can be written to, the one taken unless the person chooses first."""
        reached = {"admin": self.connection.bootstrap, "zookeeper": self.connection.zookeeper}
        return tuple(way for way, servers in reached.items() if servers)

    @property
    def way(self) -> str:
        """The way by which it is written to: the one chosen in this session, else through its brokers if known."""
        chosen = session.kept(f"{_WAY} {self.name}", "")
        return chosen if chosen in self.ways else self.ways[0]

    @property
    def writing(self) -> Connection:
        """How it is reached for writing."""
        if self.way == "admin":
            return replace(self.connection, zookeeper=(), chroot="")
        return self.connection

    @property
    def can_cancel(self) -> bool:
        """Whether what is under way can be taken back: not through ZooKeeper's node."""
        return self.way == "admin"

    @property
    def cluster_id(self) -> str:
        """The id that the cluster gives itself; empty where it tells none."""
        return self.snapshot.cluster_id or ""

    @property
    def permission(self) -> Check:
        """Whether this person may write."""
        return allowed(self.person, self.access)

    @property
    def may_write(self) -> bool:
        """Whether pages offer to write at all; the guard judges each write by itself all the same."""
        return (
            self.enabled
            and self.journal is not None
            and bool(self.cluster_id)
            and self.permission.verdict is Verdict.PASSED
        )

    def insist(self) -> None:
        """For buttons that ask no guard: the person may write still, now that they press it.

        Raises:
            InputRefused: they may not.
        """
        permission = self.permission
        if permission.verdict is not Verdict.PASSED:
            raise InputRefused(permission.sentence)

    @property
    def open_run(self) -> Run | None:
        """The run on this cluster that is not over."""
        return None if self.journal is None else self.journal.open_run(self.cluster_id)

    @property
    def holder(self) -> Holder | None:
        """Who is at work on this cluster now."""
        held = None if self.journal is None else self.journal.holder(self.cluster_id)
        return held if held is not None and held.alive else None

    def asked(self, typed: str, overrides: frozenset[str] = frozenset()) -> Mapping[str, object]:
        """What every request to the guard says of who asks, as keyword arguments."""
        return {
            "confirmed": typed,
            "person": self.person,
            "enabled": self.enabled,
            "access": self.access,
            "overrides": overrides,
        }


def desk_of(seat: Seat) -> Desk | None:
    """The desk for what a person looks at; None where that is no live cluster."""
    if seat.live is None or seat.snapshot is None:
        return None
    enabled = operate_person.enabled()
    journal, trouble = None, None
    try:
        journal = caching.journal(make=enabled)
    except InputRefused as error:
        trouble = str(error)
    return Desk(seat.live, seat.snapshot, enabled, journal, trouble)


@dataclass(frozen=True, slots=True)
class Look:
    """What the Execute page shows of a cluster: a plan to carry out, a run, or the way back of a run.

    Attributes:
        cluster_id: of which cluster.
        what: ``plan``, ``run`` or ``rollback``.
        run: the run, where it is about one.
    """

    cluster_id: str = ""
    what: str = ""
    run: int = 0


def looked_at(desk: Desk) -> Look:
    """What the person chose to see, else the run that is not over, else the plan."""
    kept = session.kept(_LOOK, Look())
    if kept.cluster_id == desk.cluster_id and kept.what:
        return kept
    open_run = desk.open_run
    return Look(desk.cluster_id, "plan") if open_run is None else Look(desk.cluster_id, "run", open_run.id)


def look_at(desk: Desk, what: str, run: int = 0) -> None:
    """Show something else of the cluster."""
    session.keep(_LOOK, Look(desk.cluster_id, what, run))


def choose_way(desk: Desk, way: str) -> None:
    """Write to this cluster in this way from now on."""
    session.keep(f"{_WAY} {desk.name}", way)
