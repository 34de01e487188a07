"""Lifts cordons at a person's word: those that runs left, or any other (KIP-1066).

What a run left is set as it was before the run; what else is cordoned is lifted as a whole, also where the broker's own
file says so. Whether it is allowed is for the guard to say; the intention is journaled before it is sent.
"""

from __future__ import annotations

from collections.abc import Sequence

from reseat.errors import WriteRefused
from reseat.model.wording import listed, named, verb
from reseat.operate.checks.check import Check
from reseat.operate.journal.journal import Journal
from reseat.operate.run.cordoning import Lifted, cordons_left
from reseat.operate.short_writes import write
from reseat.operate.targets.target import Target

__all__ = ["uncordon"]


def uncordon(
    target: Target,
    journal: Journal,
    brokers: Sequence[int] | None,
    *,
    checks: Sequence[Check],
    cluster_id: str,
    operator: str,
) -> Lifted:
    """Lift cordons and wait until the brokers' log directories tell it.

    Args:
        target: the cluster.
        journal: where runs said what they cordoned, and where this is kept.
        brokers: which; None: those that runs left cordoned.
        checks: what the guard said just now.
        cluster_id: the cluster.
        operator: who asks.

    Returns:
        Which are lifted; which did not tell it.

    Raises:
        WriteRefused: a check says no, an open run keeps one of them cordoned, none is cordoned or answers, the cluster
            knows no cordons, or the journal cannot be written; nothing was sent.
        ClusterUnreachable: the cluster does not answer.
        OutcomeUnknown: it was sent, and the journal could not be written any more.
    """
    left = cordons_left(journal, cluster_id)
    before = {broker: was for there in reversed(left) for broker, was in there.before.items()}
    asked = sorted(before if brokers is None else set(brokers))
    if not asked:
        raise WriteRefused("No run left a broker cordoned: name the broker whose cordon is to be lifted.")
    _refuse_open(journal, cluster_id, asked)
    now = target.cordons(asked)
    if now is None:
        raise WriteRefused("This cluster knows no cordons: there is nothing to lift.")
    silent = [broker for broker in asked if broker not in now]
    if silent:
        raise WriteRefused(
            f"{named('Broker', silent, 'does', 'do')} not answer, and a broker sets its own cordon. Nothing was sent."
        )
    settings = {
        broker: before[broker].dynamic if broker in before and not before[broker].closed else now[broker].lifting
        for broker in asked
    }

    def work() -> tuple[Lifted, dict[str, object]]:
        missed = target.set_cordons(settings)
        came = Lifted(tuple(broker for broker in asked if broker not in missed), tuple(sorted(missed)))
        return came, {"lifted": list(came.lifted)}

    content = {"brokers": asked}
    return write(journal, "uncordon", content, checks, work, cluster_id=cluster_id, operator=operator)


def _refuse_open(journal: Journal, cluster_id: str, brokers: Sequence[int]) -> None:
    """Not the brokers of a run that would cordon them again."""
    for run in journal.open_runs(cluster_id):
        kept = sorted(set(run.options.cordon).intersection(brokers))
        if kept:
            raise WriteRefused(
                f"Run {run.id} is not over ({run.state.value}) and keeps {verb(len(kept), 'broker', 'brokers')} "
                f"{listed(kept)} cordoned: let it finish, or cancel it, which lifts the cordon. Nothing was sent."
            )
