"""One look at the cluster: what is reassigned anywhere, and how the partitions that a run has sent stand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from reseat.operate.run.ledger import Ledger
from reseat.operate.targets.target import Assignment, Partition, Target

__all__ = ["Observation", "goal", "leads_to", "look", "others"]


@dataclass(frozen=True, slots=True)
class Observation:
    """One look at the cluster.

    Attributes:
        listing: every reassignment under way.
        now: the partitions that the run has sent, as some broker tells them.
        alive: brokers that are alive.
        others: what somebody else reassigns.
    """

    listing: Mapping[Partition, Assignment]
    now: Mapping[Partition, Assignment]
    alive: frozenset[int]
    others: tuple[Partition, ...]


def look(target: Target, ledger: Ledger) -> Observation:
    """Look once.

    Raises:
        ClusterUnreachable: the cluster does not answer.
    """
    # The list first: a partition that is off the list and then seen as planned is done.
    listing = target.reassigning()
    for row in ledger.rows("waiting"):
        if ledger.key(row) in listing and leads_to(listing[ledger.key(row)], ledger.moves[row].target):
            ledger.set(row, state="sent")  # a request that was thought lost has arrived late
    sent = ledger.rows("sent")
    now = target.assignments([ledger.key(row) for row in sent]) if sent else {}
    return Observation(listing, now, target.alive(), others(ledger, listing))


def others(ledger: Ledger, listing: Mapping[Partition, Assignment]) -> tuple[Partition, ...]:
    """What somebody else reassigns: everything that this run has not sent."""
    return tuple(
        sorted(key for key in listing if key not in ledger.row_of or ledger.moves[ledger.row_of[key]].state != "sent")
    )


def goal(told: Assignment) -> tuple[int, ...]:
    """The list that a reassignment under way leads to.

    Once begun, AR holds the target first, then those that leave. One that waits in ZooKeeper's node has the list from
    before still, so that the members are known and their order is not.
    """
    staying = tuple(broker for broker in told.replicas if broker not in told.removing)
    return staying + tuple(broker for broker in told.adding if broker not in staying)


def leads_to(told: Assignment, target: tuple[int, ...]) -> bool:
    """Whether a reassignment under way may be the one to this list; its order shows at its end."""
    return sorted(goal(told)) == sorted(target)
