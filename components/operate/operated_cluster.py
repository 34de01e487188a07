"""The live cluster that pages may write to: its last reading, who asks, whether they may, and the journal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import streamlit as st

from components.operate import person as operate_person
from components.server import visitor
from components.state import addresses, fields, session, shared
from components.state.open_layout import OpenLayout
from components.state.slots import Slot
from reseat import audit
from reseat.access import Access, Person
from reseat.errors import InputRefused
from reseat.model import Snapshot
from reseat.operate.checks.access import person_allowed
from reseat.operate.checks.check import Check, CheckResult
from reseat.operate.journal.journal import Journal, LeaseHolder
from reseat.operate.journal.proposals import ProposedPlan
from reseat.operate.journal.records import Run
from reseat.operate.request import RequestedBy
from reseat.sources.connection import Connection
from reseat.sources.followed import LiveCluster

__all__ = [
    "ExecuteView",
    "OperatedCluster",
    "choose_protocol",
    "look_at",
    "looked_at",
    "operated_cluster",
    "tell_protocol",
]

_LOOK: Slot[ExecuteView] = Slot("operate-look", addressed=True)
_CHOSEN: Slot[str] = Slot("operate-protocol", addressed=True)
#: The address's names for what is shown of the cluster, and for the protocol by which it is written to.
_LOOKS, _ADDRESSED = "look", "way"


@dataclass(frozen=True, eq=False)
class OperatedCluster:
    """A live cluster and the person before it.

    Attributes:
        live: the cluster as the dashboard follows it.
        snapshot: its last reading.
        enabled: whether writing was enabled at start.
        journal: what was carried out; None where there is none yet and nothing may be written, or it cannot be opened.
        journal_error: why the journal cannot be opened, or None.
    """

    live: LiveCluster
    snapshot: Snapshot
    enabled: bool
    journal: Journal | None
    journal_error: str | None = None

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
    def protocols(self) -> tuple[str, ...]:
        """The protocols by which it can be written to, the one taken unless the person chooses first."""
        reached = {"admin": self.connection.bootstrap, "zookeeper": self.connection.zookeeper}
        return tuple(protocol for protocol, servers in reached.items() if servers)

    @property
    def protocol(self) -> str:
        """The protocol by which it is written to: the one chosen in this session, else through its brokers if known."""
        chosen = _CHOSEN.of(self.name).get(st.query_params.get(_ADDRESSED, ""))
        return chosen if chosen in self.protocols else self.protocols[0]

    def protocol_of(self, run: Run) -> str:
        """The protocol by which a run goes on: the one that it was approved for, where that can be reached."""
        return run.protocol if run.protocol in self.protocols else self.protocol

    def writing(self, protocol: str) -> Connection:
        """How it is reached for writing by a protocol."""
        if protocol == "admin":
            return replace(self.connection, zookeeper=(), chroot="")
        return self.connection

    @property
    def cluster_id(self) -> str:
        """The id that the cluster gives itself; empty where it tells none."""
        return self.snapshot.cluster_id or ""

    @property
    def permission(self) -> Check:
        """Whether this person may write."""
        return person_allowed(self.person, self.access)

    @property
    def read_only(self) -> str:
        """Why this person cannot write here, as a sentence; empty where they may."""
        permission = self.permission
        if self.journal_error is not None:
            return f"The journal must be readable: {self.journal_error}"
        if not self.enabled:
            return operate_person.how_to_enable(self.access)
        if permission.result is not CheckResult.PASSED:
            return permission.sentence
        return "" if self.cluster_id else "The cluster id is unknown, so nothing can be confirmed."

    @property
    def may_write(self) -> bool:
        """Whether pages offer to write at all; the guard judges each write by itself all the same."""
        return self.journal is not None and not self.read_only

    def insist(self) -> None:
        """For buttons that ask no guard: the person may write still, now that they press it.

        Raises:
            InputRefused: they may not.
        """
        permission = self.permission
        if permission.result is not CheckResult.PASSED:
            audit.record("refusal", who=self.person.name, cluster=self.cluster_id, checks=[permission.name])
            raise InputRefused(permission.sentence)

    @property
    def open_run(self) -> Run | None:
        """The run on this cluster that is not over."""
        return None if self.journal is None else self.journal.open_run(self.cluster_id)

    @property
    def holder(self) -> LeaseHolder | None:
        """Who is at work on this cluster now."""
        held = None if self.journal is None else self.journal.holder(self.cluster_id)
        return held if held is not None and held.alive else None

    def requested_by(self, typed: str, overrides: frozenset[str] = frozenset()) -> RequestedBy:
        """What each request to the guard says of who asks, with what was typed to confirm it."""
        return {
            "confirmed": typed,
            "person": self.person,
            "enabled": self.enabled,
            "access": self.access,
            "overrides": overrides,
        }


def operated_cluster(open_layout: OpenLayout) -> OperatedCluster | None:
    """The cluster that a person looks at; None where that is no live one."""
    if open_layout.live is None or open_layout.snapshot is None:
        return None
    enabled = operate_person.enabled()
    journal, trouble = None, None
    try:
        journal = shared.journal(make=enabled)
    except InputRefused as error:
        trouble = str(error)
    return OperatedCluster(open_layout.live, open_layout.snapshot, enabled, journal, trouble)


@dataclass(frozen=True, slots=True)
class ExecuteView:
    """What the Execute page shows of a cluster: a plan to carry out, a proposal, a run, or the rollback of a run.

    Attributes:
        cluster_id: of which cluster.
        what: ``plan``, ``proposal``, ``run`` or ``rollback``.
        run: the run or the proposal, where it is about one.
    """

    cluster_id: str = ""
    what: str = ""
    run: int = 0


def looked_at(operated: OperatedCluster) -> ExecuteView:
    """What the person chose to see, else the run that is not over, which stays there at its end, else the plan."""
    kept = _LOOK.get(_linked(operated))
    if kept.cluster_id == operated.cluster_id and kept.what:
        addresses.tell(_LOOKS, f"{kept.what}-{kept.run}" if kept.run else kept.what)
        return kept
    if not kept.what:
        fields.offered(_LOOKS, ())
        addresses.tell(_LOOKS)
    open_run = operated.open_run
    if open_run is None:
        return ExecuteView(operated.cluster_id, "plan")
    look_at(operated, "run", open_run.id)
    return looked_at(operated)


def _linked(operated: OperatedCluster) -> ExecuteView:
    """What the address names of this cluster, where its journal has it."""
    what, _, number = st.query_params.get(_LOOKS, "").partition("-")
    journal = operated.journal
    found: Sequence[Run | ProposedPlan] = ()
    if journal is not None and what in ("run", "rollback"):
        found = journal.runs(operated.cluster_id)
    elif journal is not None and what == "proposal":
        found = journal.proposals(operated.cluster_id)
    one = next((one.id for one in found if str(one.id) == number), 0)
    return ExecuteView(operated.cluster_id, what, one) if what == "plan" or one else ExecuteView()


def look_at(operated: OperatedCluster, what: str, run: int = 0) -> None:
    """Show something else of the cluster."""
    _LOOK.set(ExecuteView(operated.cluster_id, what, run))


def choose_protocol(operated: OperatedCluster, protocol: str) -> None:
    """Write to this cluster by this protocol from now on."""
    _CHOSEN.of(operated.name).set(protocol)


def tell_protocol(operated: OperatedCluster) -> None:
    """Let the address say the protocol, where it is not the one taken by itself."""
    addresses.tell(_ADDRESSED, "" if operated.protocol == operated.protocols[0] else operated.protocol)
