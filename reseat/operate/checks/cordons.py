"""Checks of cordons (KIP-1066): lists that Kafka would refuse, and brokers that are to be cordoned with a plan.

Which of them can be overridden, and why, stands in the table of ``reseat.operate.checks.guard``.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

import numpy as np

from reseat.model import Snapshot
from reseat.model.arrays import on_brokers, row_any
from reseat.model.wording import counted, listed, named, verb
from reseat.operate.checks.check import Check, failed, passed
from reseat.operate.checks.plan_diff import PlanDiff
from reseat.operate.journal.records import RunOptions
from reseat.operate.request import PlanRequest
from reseat.operate.targets.cordon_settings import Cordon

__all__ = ["as_asked", "brokers_emptied", "cordon_possible", "cordons_heeded"]


def brokers_emptied(diff: PlanDiff) -> tuple[int, ...]:
    """The brokers that a plan empties: those that it says are to be drained, else those that hold nothing after it."""
    leaving = diff.request.plan.leaving
    if leaving:
        return tuple(sorted(leaving))
    layout, rows = diff.snapshot.layout.target(), diff.changed
    gives, gets = (
        np.bincount(lists[rows].ravel() + 1, minlength=len(diff.now.brokers) + 1)[1:]
        for lists in (diff.current.replicas, diff.after.replicas)
    )
    held = np.zeros(len(diff.now.brokers), np.int64)
    held[diff.now.is_broker(layout.broker_ids)] = layout.replicas_by_broker
    return tuple(diff.now.broker_ids[(gives > 0) & (held - gives + gets == 0)].tolist())


def as_asked(request: PlanRequest, now: Snapshot) -> RunOptions:
    """How a plan is to be carried out, with the brokers that are cordoned for it."""
    emptied = brokers_emptied(PlanDiff.of(request, now)) if request.cordon else ()
    return replace(request.options, cordon=emptied)


def cordons_heeded(diff: PlanDiff, lifted: Collection[int] = ()) -> Check:
    """25. No list of the plan names a cordoned broker: Kafka refuses each, also one that only changes the order.

    Args:
        diff: the plan beside the reading.
        lifted: brokers whose cordon the run lifts before it sends anything.
    """
    name, rows = "cordons_heeded", diff.changed
    closed = diff.now.cordoned & ~diff.now.is_broker(lifted)
    there = on_brokers(diff.after.replicas[rows], closed)
    bad = rows[row_any(there)]
    if not bad.size:
        waits = diff.now.cordoned & diff.now.is_broker(lifted)
        if row_any(on_brokers(diff.after.replicas[rows], waits)).any():
            ids = tuple(diff.now.broker_ids[waits].tolist())
            first = f"The cordon of {named('broker', ids)} is lifted first."
            return passed(name, first, brokers=ids)
        return passed(name, "No list names a broker that is known to be cordoned.")
    ids = diff.ids(diff.after.replicas[rows][there])
    return failed(
        name,
        f"{named('Broker', ids, 'is', 'are')} cordoned, and Kafka "
        f"refuses the lists of {counted(bad.size, 'partition')} that name {verb(len(ids), 'it', 'them')}: "
        f"{listed(diff.names(bad))}. Lift the cordon (reseat operate uncordon), or plan again from a layout read now.",
        partitions=diff.names(bad),
        brokers=ids,
    )


def cordon_possible(diff: PlanDiff, cordons: Mapping[int, Cordon] | None) -> Check:
    """26. Where brokers are to be cordoned, the plan empties some, and the cluster knows cordons.

    Args:
        diff: the plan beside the reading.
        cordons: how the emptied brokers are cordoned (``Target.cordons``); None: the cluster knows no cordons.
    """
    name, ids = "cordon_possible", brokers_emptied(diff)
    if not diff.request.cordon:
        return passed(name, "No broker is to be cordoned.")
    if not ids:
        return failed(name, "The plan empties no broker, so there is none to cordon.")
    which = named("Broker", ids)
    if cordons is None:
        return failed(
            name,
            f"{which} cannot be cordoned: this cluster knows no cordons, which came with Kafka 4.3 (metadata.version "
            "4.3-IV0). Execute without.",
            brokers=ids,
        )
    silent = tuple(broker for broker in ids if broker not in cordons)
    if silent:
        return failed(
            name,
            f"{named('Broker', silent)} cannot be cordoned: a broker sets its own "
            f"cordon, and {verb(len(silent), 'it does', 'they do')} not answer. Execute without.",
            brokers=silent,
        )
    return passed(
        name,
        f"{which} {verb(len(ids), 'is', 'are')} cordoned before anything moves, and {verb(len(ids), 'stays', 'stay')} "
        "so until the cordon is lifted.",
        brokers=ids,
    )
