"""What the buttons of Operate do: a plan approved and begun, a run gone on with, throttles put back."""

from __future__ import annotations

import contextlib
import time
from dataclasses import dataclass
from datetime import UTC, datetime

from components.operate import reading
from components.operate.operated_cluster import OperatedCluster
from components.operate.plan import Proposal
from components.operate.reading import Fresh
from components.state.slots import Slot
from components.state.told import told
from reseat.errors import ReseatError, WriteRefused
from reseat.observe import events
from reseat.operate.journal.journal import Journal
from reseat.operate.journal.records import Run, RunOptions, RunState
from reseat.operate.request import PlanRequest

__all__ = [
    "BEGINS_WITHIN",
    "Intent",
    "begin",
    "begins",
    "go_on",
    "journal_of",
    "put_throttles_back",
    "settled",
    "throttles_left",
]

_SETTLED = "operate-settled"
#: The run for which this session began a process last, and when on the clock that never goes back; 0: none.
_BEGUN: Slot[tuple[int, float]] = Slot("operate-begun")
#: Seconds that a process may take until it has the run in its hands; Python's start takes most of them.
BEGINS_WITHIN = 20.0


def journal_of(operated: OperatedCluster) -> Journal:
    """The journal, for who may write.

    Raises:
        WriteRefused: they may not, or there is none.
    """
    if not operated.may_write or operated.journal is None:
        raise WriteRefused(f"Nothing was sent. {operated.read_only}")
    return operated.journal


@dataclass(frozen=True, eq=False)
class Intent:
    """A plan, how it shall be carried out, and what was shown of it.

    Attributes:
        operated: the cluster and the person.
        proposal: the plan.
        options: how it is carried out.
        shown: the reading that the person saw it checked against.
        cordon: whether the brokers that it empties are cordoned first.
    """

    operated: OperatedCluster
    proposal: Proposal
    options: RunOptions
    shown: Fresh
    cordon: bool = False

    def request(self, typed: str, overrides: frozenset[str] = frozenset()) -> PlanRequest:
        """The same as the guard asks for it."""
        return PlanRequest(
            plan=self.proposal.sealed,
            shown_hash=self.proposal.sealed.hash,
            shown=self.shown.snapshot.layout,
            kind=self.proposal.kind,
            options=self.options,
            cordon=self.cordon,
            **self.operated.requested_by(typed, overrides),
        )


def begin(intent: Intent, typed: str, overrides: frozenset[str], fresh: Fresh) -> Run:
    """Journal a plan that the guard lets pass, and let a process of its own carry it out.

    Args:
        intent: the plan.
        typed: the cluster's id as the person typed it.
        overrides: checks that the person goes on in spite of.
        fresh: the cluster, read just now.

    Raises:
        WriteRefused: a check says no, or another run of this cluster is not over; nothing was sent.
    """
    from reseat.operate.admitting import admit

    operated, proposal = intent.operated, intent.proposal
    run, _ = admit(
        intent.request(typed, overrides),
        fresh.facts,
        journal_of(operated),
        proposal.text,
        cluster=operated.name,
        takes_back=proposal.takes_back,
    )
    go_on(operated, run)
    return run


def go_on(operated: OperatedCluster, run: Run) -> None:
    """Begin a process that carries a run out, or goes on with it.

    Raises:
        ReseatError: it could not be begun; the run stays in the journal and can be gone on with.
    """
    from reseat.operate.run import runner

    operated.insist()
    journal = journal_of(operated)
    runner.start(
        operated.writing(operated.protocol_of(run)), journal.path, run.id, ended=lambda: _tell_end(journal, run.id)
    )
    events.run_begun(run)
    _BEGUN.set((run.id, time.monotonic()))


def _tell_end(journal: Journal, run_id: int) -> None:
    """Outside of any page: a journal that cannot be read by then tells no end."""
    with contextlib.suppress(ReseatError):
        events.run_ended(journal.run(run_id))


def begins(run: Run) -> bool:
    """Whether a process was begun for a run so short ago that it may not have the run in its hands yet.

    By this session, or by anybody where it was approved just now.
    """
    begun, at = _BEGUN.get((0, 0.0))
    if begun == run.id and time.monotonic() - at < BEGINS_WITHIN:
        return True
    return run.state is RunState.APPROVED and 0 <= (datetime.now(UTC) - run.approved_at).total_seconds() < BEGINS_WITHIN


def throttles_left(operated: OperatedCluster) -> list[str]:
    """Throttles that runs left set when they ended, or when whoever carried them out was killed; a sentence each."""
    journal = operated.journal
    if journal is None or operated.holder is not None:
        return []
    left = journal.throttled_runs(operated.cluster_id)
    return [f"Run {run} ended and left its throttles set." for run, _, state in left if not state.open]


def put_throttles_back(operated: OperatedCluster) -> None:
    """A callback: settle what runs left behind, and keep what came of it to be said."""
    from reseat.operate.run.execute import reconcile

    try:
        operated.insist()
        with reading.target_of(operated) as target:
            said = reconcile(target, journal_of(operated))
        told(_SETTLED).tell(" ".join(said))
    except ReseatError as error:
        told(_SETTLED).tell(error)


def settled() -> str:
    """What came of putting throttles back; empty where that was not asked for."""
    return str(told(_SETTLED).read() or "")
