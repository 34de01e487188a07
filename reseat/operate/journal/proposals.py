"""Proposals: plans that wait for a second person's word, and what came of them.

What it promises, in this order:

1. A proposal's plan never changes: another plan is another proposal.
2. Nobody decides on their own proposal: whoever shares one mark (``Person.marks``) with the proposer is the proposer.
3. One decision: the second of two at once is refused, and names who was first.
4. An approval counts once, until it expires; the run that uses it up names it.

How it works: one row a proposal, one transaction a decision. Expiry is no state: it is looked at each time, by this
machine's clock.

Complexity: a method reads the rows of one cluster.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import Enum

from reseat import audit
from reseat.errors import WriteRefused
from reseat.operate.journal.file import JournalFile
from reseat.operate.journal.records import RunOptions
from reseat.operate.journal.rows import insert, options_of, options_row

__all__ = ["JournalProposals", "ProposalState", "ProposedPlan", "use_up"]


class ProposalState(Enum):
    """Where a proposal stands: PROPOSED waits, APPROVED may be executed; the others are over."""

    PROPOSED = "proposed"
    APPROVED = "approved"
    DECLINED = "declined"
    WITHDRAWN = "withdrawn"
    EXECUTED = "executed"


@dataclass(frozen=True, slots=True)
class ProposedPlan:
    """A plan that somebody proposed for a cluster.

    Attributes:
        id: of the journal, ascending; 0: not kept yet.
        cluster_id: of the cluster.
        cluster: the name by which the proposer knows it.
        title: what it does, as the start of a sentence ("Broker 7 leaves").
        plan: reassignment JSON with Reseat's key.
        hash: the plan's hash.
        overridden: names of the failed checks that it is to be executed in spite of.
        proposer: who, as the journal keeps a person.
        marks: what tells the proposer from others (``Person.marks``).
        proposed_at: UTC.
        expires_at: UTC; from then on it is over, waiting or approved.
        state: where it stands, expiry aside.
        decided_by: who approved, declined or withdrew it, or "".
        reason: what they said of it, or "".
        run: the run that used the approval up, or None.
        options: how it is to be executed; None: an earlier version kept the proposal, which did not tell.
    """

    id: int
    cluster_id: str
    cluster: str
    title: str
    plan: str
    hash: str
    overridden: tuple[str, ...]
    proposer: str
    marks: frozenset[str]
    proposed_at: datetime
    expires_at: datetime
    state: ProposalState = ProposalState.PROPOSED
    decided_by: str = ""
    reason: str = ""
    run: int | None = None
    options: RunOptions | None = None

    def open_at(self, now: datetime) -> bool:
        """Whether it still waits, or is approved and not used up."""
        return self.state in (ProposalState.PROPOSED, ProposalState.APPROVED) and now < self.expires_at


class JournalProposals(JournalFile):
    """The proposals of a journal. Who may propose and decide is asked before (``reseat.operate.proposing``)."""

    def propose(self, draft: ProposedPlan) -> ProposedPlan:
        """Keep a proposal.

        Args:
            draft: all of it but its id and what comes later.

        Returns:
            The same with its id.

        Raises:
            WriteRefused: the same plan is proposed for this cluster already.
        """
        with self._writing() as database:
            there = _open_one(database, draft.cluster_id, draft.hash)
            if there is not None:
                raise WriteRefused(f"{there.proposer} has proposed this plan already: proposal {there.id}.")
            made_id = insert(
                database,
                "proposals",
                {
                    "cluster_id": draft.cluster_id,
                    "cluster": draft.cluster,
                    "title": draft.title,
                    "plan": draft.plan,
                    "hash": draft.hash,
                    "overridden": ",".join(draft.overridden),
                    "proposer": draft.proposer,
                    "marks": json.dumps(sorted(draft.marks)),
                    "proposed_at": draft.proposed_at.isoformat(),
                    "expires_at": draft.expires_at.isoformat(),
                    **({} if draft.options is None else options_row(draft.options)),
                },
            )
            made = _by_id(database, made_id)
            _tell(made, made.proposer, made.state.value)
        return made

    def decide(
        self,
        proposal_id: int,
        state: ProposalState,
        *,
        who: str,
        marks: Collection[str],
        reason: str = "",
        seconds: float = 0.0,
    ) -> ProposedPlan:
        """Approve, decline or withdraw a proposal.

        Args:
            proposal_id: which.
            state: ``APPROVED``, ``DECLINED`` or ``WITHDRAWN``.
            who: who decides.
            marks: what tells them from others.
            reason: what they say of it.
            seconds: how long an approval counts.

        Raises:
            WriteRefused: it is decided or over already, the proposer would decide on it, or another withdraw it.
        """
        at = datetime.now(UTC)
        with self._writing() as database:
            there = _by_id(database, proposal_id)
            _refuse_to_decide(there, state, marks, at)
            ends = at + timedelta(seconds=seconds) if state is ProposalState.APPROVED else there.expires_at
            database.execute(
                "UPDATE proposals SET state = ?, decided_by = ?, decided_at = ?, reason = ?, expires_at = ? "
                "WHERE id = ?",
                (state.value, who, at.isoformat(), reason, ends.isoformat(), proposal_id),
            )
            _tell(there, who, state.value)
            return _by_id(database, proposal_id)

    def proposal(self, proposal_id: int) -> ProposedPlan:
        """One proposal.

        Raises:
            WriteRefused: the journal has no such proposal.
        """
        with self._reading():
            return _by_id(self._database, proposal_id)

    def proposals(self, cluster_id: str, *, most: int = 50) -> tuple[ProposedPlan, ...]:
        """The proposals of a cluster, newest first, also those that are over."""
        rows = self._all("SELECT * FROM proposals WHERE cluster_id = ? ORDER BY id DESC LIMIT ?", cluster_id, most)
        return tuple(map(_of, rows))

    def open_proposals_by_state(self, now: datetime) -> tuple[tuple[str, str, int], ...]:
        """(cluster's name, state, how many proposals) of those that wait, or are approved and not used up."""
        rows = self._all(
            "SELECT cluster, state, count(*) FROM proposals WHERE state IN ('proposed', 'approved') AND expires_at > ? "
            "GROUP BY cluster, state ORDER BY cluster, state",
            now.isoformat(),
        )
        return tuple((row[0], row[1], row[2]) for row in rows)

    def open_proposal(self, cluster_id: str, digest: str) -> ProposedPlan | None:
        """The proposal of this plan for this cluster that is not over; None: there is none."""
        with self._reading():
            return _open_one(self._database, cluster_id, digest)


def use_up(database: sqlite3.Connection, proposal_id: int, cluster_id: str, digest: str, run_id: int) -> None:
    """Let a run take the place of an approval, in the run's own transaction.

    Raises:
        WriteRefused: the approval does not count any more, or is another plan's.
    """
    there = _open_one(database, cluster_id, digest)
    if there is None or there.id != proposal_id or there.state is not ProposalState.APPROVED:
        sentence = "The second person's approval does not count any more: it was used, withdrawn, or has expired."
        raise WriteRefused(sentence, failed=(("approved_by_another", sentence),))
    database.execute("UPDATE proposals SET state = 'executed', run = ? WHERE id = ?", (run_id, proposal_id))


def _refuse_to_decide(there: ProposedPlan, state: ProposalState, marks: Collection[str], at: datetime) -> None:
    own = not there.marks.isdisjoint(marks)
    if state is ProposalState.WITHDRAWN and not own:
        raise WriteRefused(f"Proposal {there.id} is {there.proposer}'s to withdraw; an approver declines it.")
    if state is not ProposalState.WITHDRAWN and (own or not marks):
        raise WriteRefused(f"Proposal {there.id} is your own: somebody else approves or declines it.")
    if not there.open_at(at):
        if there.state in (ProposalState.PROPOSED, ProposalState.APPROVED):
            raise WriteRefused(
                f"Proposal {there.id} expired at {there.expires_at:%Y-%m-%d %H:%M} UTC: propose it again."
            )
        raise WriteRefused(f"Proposal {there.id} is {there.state.value} already, by {there.decided_by}.")
    if state is there.state:
        raise WriteRefused(f"Proposal {there.id} is {state.value} already, by {there.decided_by}.")


def _tell(proposal: ProposedPlan, who: str, decision: str) -> None:
    """A line of the audit log, within the transaction: what cannot be written there is not decided either."""
    audit.record(
        "proposal",
        who=who,
        cluster=proposal.cluster_id,
        proposal=proposal.id,
        plan=proposal.hash,
        decision=decision,
        overridden=list(proposal.overridden) or None,
        how=None if proposal.options is None else proposal.options.in_words,
    )


def _open_one(database: sqlite3.Connection, cluster_id: str, digest: str) -> ProposedPlan | None:
    rows = database.execute(
        "SELECT * FROM proposals WHERE cluster_id = ? AND hash = ? ORDER BY id DESC LIMIT 1", (cluster_id, digest)
    )
    return next((found for found in map(_of, rows) if found.open_at(datetime.now(UTC))), None)


def _by_id(database: sqlite3.Connection, proposal_id: int) -> ProposedPlan:
    row = database.execute("SELECT * FROM proposals WHERE id = ?", (proposal_id,)).fetchone()
    if row is None:
        raise WriteRefused(f"The journal has no proposal {proposal_id}.")
    return _of(row)


def _of(row: sqlite3.Row) -> ProposedPlan:
    return ProposedPlan(
        id=row["id"],
        cluster_id=row["cluster_id"],
        cluster=row["cluster"],
        title=row["title"],
        plan=row["plan"],
        hash=row["hash"],
        overridden=tuple(filter(None, row["overridden"].split(","))),
        proposer=row["proposer"],
        marks=frozenset(json.loads(row["marks"])),
        proposed_at=datetime.fromisoformat(row["proposed_at"]),
        expires_at=datetime.fromisoformat(row["expires_at"]),
        state=ProposalState(row["state"]),
        decided_by=row["decided_by"],
        reason=row["reason"],
        run=row["run"],
        options=None if row["moves_a_broker"] is None else options_of(row),
    )
