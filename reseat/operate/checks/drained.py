"""Whether brokers are empty: only where neither the description nor their log directories show a replica.

A broker whose log directories could not be asked is never called drained: a description alone does not see what a
stopped reassignment left behind, and one that was read while topics changed may not see a replica that is there.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np

from reseat.balance.quorum import still_voting
from reseat.model import Snapshot
from reseat.model.arrays import on_brokers, row_any
from reseat.model.wording import counted, listed, named, verb
from reseat.operate.checks.check import Check, failed, passed, unknown
from reseat.operate.targets.target import Partition

__all__ = ["drained"]


def drained(brokers: Collection[int], now: Snapshot, holdings: Mapping[int, frozenset[Partition]] | None) -> Check:
    """Whether these brokers hold nothing any more: the check ``drained``.

    Args:
        brokers: ids of the brokers that were to leave.
        now: the cluster, read after the plan.
        holdings: what their log directories hold (``Target.holdings``); None, or a broker absent: not told.
    """
    name, ids = "drained", tuple(sorted(brokers))
    if not ids:
        return passed(name, "No broker was to be drained.")
    layout = now.layout
    theirs = on_brokers(layout.replicas, layout.is_broker(ids))
    placed = layout.names_at(np.flatnonzero(row_any(theirs)))
    asked_for = tuple(f"{topic}-{partition}" for (topic, partition), to in now.pending.items() if set(to) & set(ids))
    which = named("Broker", ids)
    nowhere = f"No partition is placed on {which[0].lower()}{which[1:]}"
    described = tuple(dict.fromkeys((*placed, *asked_for)))
    if described:
        return failed(
            name,
            f"{which} {verb(len(ids), 'has', 'have')} {counted(len(described), 'partition')} yet: {listed(described)}.",
            partitions=described,
            brokers=ids,
        )
    told = {} if holdings is None else {broker: holdings[broker] for broker in ids if broker in holdings}
    full = {broker: held for broker, held in told.items() if held}
    if full:
        left = tuple(dict.fromkeys(f"{topic}-{number}" for held in full.values() for topic, number in sorted(held)))
        return failed(
            name,
            f"{nowhere}, but log directories of {listed(full)} still hold {counted(len(left), 'partition')}: "
            f"{listed(left)}.",
            partitions=left,
            brokers=tuple(full),
        )
    silent = tuple(broker for broker in ids if broker not in told)
    if silent:
        return unknown(
            name,
            f"{nowhere}, but the log directories of {listed(silent)} could not be read: whether anything is left is "
            "unknown.",
            brokers=silent,
        )
    if now.unsettled:
        return unknown(
            name,
            f"{counted(len(now.unsettled), 'topic')} changed while the cluster was read: {listed(now.unsettled)}. Read "
            "it again.",
            brokers=ids,
        )
    said = f"{which} {verb(len(ids), 'is', 'are')} drained: neither the description nor log directories show a replica."
    return passed(name, f"{said} {still_voting(now.quorum, ids)}".rstrip(), brokers=ids)
