"""Short writes, such as an election or a new topic: the one door through which pages and command line send them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from reseat.errors import OutcomeUnknown, WishRefused, WriteRefused
from reseat.operate.checks.check import Check, overridden_of
from reseat.operate.checks.guard import refuse_unless
from reseat.operate.journal.journal import Journal

__all__ = ["write"]

_Done = TypeVar("_Done")


def write(
    journal: Journal,
    kind: str,
    content: Mapping[str, object],
    checks: Sequence[Check],
    work: Callable[[], tuple[_Done, Mapping[str, object]]],
    *,
    cluster_id: str,
    operator: str,
) -> _Done:
    """Do a short write: the intention is journaled first, the outcome after, and nobody else works on the cluster.

    Args:
        journal: where it is kept.
        kind: ``election`` or ``topic``.
        content: what is about to be sent, as JSON can say it; in spite of which checks is added.
        checks: what the guard said just now.
        work: does it; returns what came of it, and the same as JSON can say it.
        cluster_id: the cluster.
        operator: who asks.

    Raises:
        WishRefused: this way of writing cannot do it; nothing was sent.
        WriteRefused: a check says no, somebody else is at work, or the journal cannot be written; nothing was sent.
        ClusterUnreachable: the cluster does not answer; what came of it is then not known to the journal.
        OutcomeUnknown: it was sent, and the journal could not be written any more.
    """
    refuse_unless(checks, who=operator, cluster_id=cluster_id)
    content = {**content, "overridden": list(overridden_of(checks))}
    sent = False
    try:
        with journal.lease(cluster_id, operator=operator) as lease:
            step = journal.record_intent(cluster_id, kind, content, operator=operator, lease=lease)
            try:
                done, told = work()
            except WishRefused as refused:  # nothing was sent, so that nothing is left open
                journal.record_outcome(step, {"refused": str(refused)}, lease=lease)
                raise
            sent = True
            journal.record_outcome(step, told, lease=lease)
    except WriteRefused as refused:
        if not sent:
            raise
        raise OutcomeUnknown(f"It was sent, but not recorded. {refused}") from refused
    return done
