"""Findings about brokers and the racks and hosts they are on."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from reseat.balance import health
from reseat.balance.finding_parts import brokers_named, ids_where, partitions, rows_where
from reseat.balance.racks import shares_rack_while_free
from reseat.model import NONE, BoolArray, BrokerState, ClusterLayout, Finding, Severity
from reseat.model.arrays import on_brokers, row_any
from reseat.model.wording import counted, verb

__all__ = ["of_brokers", "of_racks_and_hosts"]


def of_brokers(layout: ClusterLayout) -> Iterator[Finding]:
    """Brokers that are dead, out of sync, not listed, cordoned or empty."""
    brokers = len(layout.brokers)
    if not brokers:
        return
    held = layout.replicas_by_broker
    states = [b.state for b in layout.brokers]
    away = layout.away
    not_listed = layout.in_state(BrokerState.NOT_TOLD) & (held > 0)
    if (away & (held > 0)).any():
        mask = away & (held > 0)
        ids, replicas = ids_where(layout, mask), int(held[mask].sum())
        words = {states[place].word for place in np.flatnonzero(mask).tolist()}
        what = words.pop() if len(words) == 1 else "dead or fenced"
        yield Finding(
            "dead_broker_mentioned",
            Severity.BROKEN,
            f"{brokers_named(ids)} {verb(len(ids), 'is', 'are')} {what} but still {verb(len(ids), 'holds', 'hold')} "
            f"{counted(replicas, 'replica')}. Bring {verb(len(ids), 'it', 'them')} back, or drain "
            f"{verb(len(ids), 'it', 'them')}.",
            rows_where(touched_by(layout, mask)),
            brokers=ids,
        )
    out = health.out_of_every_isr(layout) & ~away
    if out.any():
        ids, replicas = ids_where(layout, out), int(held[out].sum())
        yield Finding(
            "broker_out_of_every_isr",
            Severity.ATTENTION,
            f"{brokers_named(ids)} {verb(len(ids), 'holds', 'hold')} {counted(replicas, 'replica')} and "
            f"{verb(len(ids), 'is', 'are')} in sync for none: probably down.",
            rows_where(touched_by(layout, out)),
            brokers=ids,
        )
    if BrokerState.ALIVE in states and (not_listed & ~out).any():
        mask = not_listed & ~out
        ids = ids_where(layout, mask)
        yield Finding(
            "broker_not_listed",
            Severity.ATTENTION,
            f"{brokers_named(ids)} {verb(len(ids), 'holds', 'hold')} replicas but {verb(len(ids), 'is', 'are')} not "
            "among the brokers that the source lists.",
            rows_where(touched_by(layout, mask)),
            brokers=ids,
        )
    yield from _cordoned(layout)
    empty = (held == 0) & ~away & ~layout.cordoned
    if empty.any() and layout.partition_count:
        ids = ids_where(layout, empty)
        yield Finding(
            "empty_broker",
            Severity.NOTE,
            f"{brokers_named(ids)} {verb(len(ids), 'holds', 'hold')} no replica.",
            brokers=ids,
        )


def _cordoned(layout: ClusterLayout) -> Iterator[Finding]:
    if not layout.cordoned.any():
        return
    ids = ids_where(layout, layout.cordoned)
    one = len(ids) == 1
    held = layout.replicas_by_broker[layout.cordoned]
    sentence = f"{brokers_named(ids)} {verb(len(ids), 'is', 'are')} cordoned: no new replica is placed there."
    rows = rows_where(health.frozen_by_cordon(layout))
    if rows.size:
        sentence += (
            f" Of {partitions(rows).lower()} with a replica there Kafka refuses every list that keeps it: a change of "
            "order and a rollback, too."
        )
    if (held == 0).any():
        who = "It holds" if one else f"{counted(int((held == 0).sum()), 'of them holds', 'of them hold')}"
        sentence += f" {who} no replica and can be switched off; lift the cordon before unregistering."
    yield Finding("cordoned", Severity.ATTENTION if rows.size else Severity.NOTE, sentence, rows, brokers=ids)


def touched_by(layout: ClusterLayout, mask: BoolArray) -> BoolArray:
    """(P,) bool: partitions with a replica on one of these brokers, (B,) bool."""
    return row_any(on_brokers(layout.replicas, mask))


def of_racks_and_hosts(layout: ClusterLayout) -> Iterator[Finding]:
    """Replicas that share a rack or a host, and brokers without a rack."""
    rows = rows_where(shares_rack_while_free(layout, layout.in_state(BrokerState.ALIVE, BrokerState.NOT_TOLD)))
    if rows.size:
        yield Finding(
            "rack_shared_while_free",
            Severity.ATTENTION,
            f"{partitions(rows)} {verb(len(rows), 'has', 'have')} two replicas in one rack while another rack with a "
            "live broker has none.",
            rows,
        )
    yield from _same_host(layout)
    without = (layout.rack_of < 0) & ~layout.dead  # nobody tells the rack of a dead one
    if layout.racks and without.any():
        ids = ids_where(layout, without)
        others = int(np.count_nonzero(layout.rack_of >= 0))
        yield Finding(
            "broker_without_rack",
            Severity.ATTENTION,
            f"{brokers_named(ids)} {verb(len(ids), 'has', 'have')} no rack while "
            f"{counted(others, 'other broker')} {verb(others, 'has', 'have')} one. "
            "Each is treated as its own rack; Kafka's tools then ignore racks, or refuse.",
            brokers=ids,
        )
    if layout.racks:
        alive = ~layout.dead
        racks = len({b.rack for b, on in zip(layout.brokers, alive, strict=True) if on and b.rack is not None})
        racks += int(np.count_nonzero(without))
        rows = rows_where(health.staying_factor(layout) > racks)
        if rows.size:
            yield Finding(
                "replication_factor_above_racks",
                Severity.NOTE,
                f"{partitions(rows)} {verb(len(rows), 'has', 'have')} more replicas than the {counted(racks, 'rack')} "
                "with brokers: some replicas must share a rack.",
                rows,
            )


def _same_host(layout: ClusterLayout) -> Iterator[Finding]:
    hosts = [b.host for b in layout.brokers]
    named = [h for h in hosts if h is not None]
    if len(set(named)) == len(named):
        return
    codes: dict[str, int] = {}
    group = np.array(
        [len(hosts) + at if h is None else codes.setdefault(h, len(codes)) for at, h in enumerate(hosts)], np.int32
    )
    host_of = np.append(group, np.int32(NONE))[layout.replicas]
    shared = np.zeros(layout.partition_count, np.bool_)
    for j in range(1, host_of.shape[1]):
        for i in range(j):
            # The same broker twice is another finding.
            apart = layout.replicas[:, i] != layout.replicas[:, j]
            shared |= apart & (host_of[:, i] == host_of[:, j]) & (host_of[:, j] != NONE)
    rows = rows_where(shared)
    if not rows.size:
        return
    crowded = {h for h in codes if named.count(h) > 1}
    ids = tuple(b.id for b in layout.brokers if b.host in crowded)
    if len(codes) == 1 and None not in hosts:
        yield Finding(
            "same_host",
            Severity.NOTE,
            f"All {counted(len(hosts), 'broker')} run on one host, {named[0]}: replicas cannot be separated.",
            rows,
            brokers=ids,
        )
        return
    yield Finding(
        "same_host",
        Severity.ATTENTION,
        f"{partitions(rows)} {verb(len(rows), 'has', 'have')} replicas on different brokers of one host: losing that "
        "machine loses both.",
        rows,
        brokers=ids,
    )
