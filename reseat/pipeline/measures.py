"""One snapshot -> the rows of every small table, by the core's own functions. Pure: no Spark, no files.

What it promises, ranked: (1) a number here is the number that the pages show, as the same function makes it; (2) what
is not told is null, never 0; (3) the same snapshot gives the same rows in the same order.

What it needs: a ``Snapshot``. ``reseat.history.schema`` says what each column means.

How it works: each table's columns are made as Arrow arrays from the columns of ``measure`` and of the layout. The
digest of a topic's state is taken over one contiguous block of integers a topic, so that it costs no more than reading
them.

Complexity: O(N log N) for N replicas (``measure``), and one short step of Python a topic for its digest.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from reseat.balance import findings, measure
from reseat.balance.health import brokers_down
from reseat.balance.measure import Balance, Loads
from reseat.balance.moved import all_findings
from reseat.balance.spread import Spread
from reseat.formats.documents.snapshot import reading_of
from reseat.history.schema import table
from reseat.model import NONE, ClusterLayout, Finding, FloatArray, LogDirectory, Severity, Snapshot

__all__ = ["SMALL_TABLES", "Measures", "measures", "row_type", "topic_digests", "whole_bytes"]

#: The tables whose rows are made of one snapshot alone and are few beside its replicas; ``snapshots`` has one row.
SMALL_TABLES = ("snapshots", "brokers", "broker_balance", "rack_balance", "topic_spread", "findings")
#: Columns that every row of a snapshot shares: they stand beside the rows and not in them.
_SHARED = ("snapshot_id", "taken_at")

#: The rows of each small table, by its name.
Measures = dict[str, pa.StructArray]


def row_type(name: str) -> pa.StructType:
    """The Arrow type of one row of a small table, without the columns that all rows of a snapshot share."""
    return pa.struct([pa.field(c.name, c.type) for c in table(name).columns if c.name not in _SHARED])


def measures(snapshot: Snapshot, *, path: str, file_bytes: int) -> Measures:
    """The rows of the small tables.

    Args:
        snapshot: the snapshot.
        path: the landed file, relative to the landing zone.
        file_bytes: its size in bytes.

    Returns:
        A struct array by table, its fields those of ``row_type``.
    """
    layout = snapshot.layout
    balance = measure(layout)
    found = all_findings(findings(layout), layout, reading_of(snapshot))
    return {
        "snapshots": _rows("snapshots", 1, _snapshot(snapshot, balance, found, path, file_bytes)),
        "brokers": _rows("brokers", len(layout.brokers), _brokers(snapshot)),
        "broker_balance": _rows("broker_balance", len(layout.brokers), _broker_balance(layout, balance)),
        "rack_balance": _rows("rack_balance", len(balance.by_rack.names), _rack_balance(layout, balance)),
        "topic_spread": _rows("topic_spread", len(layout.topics), _topic_spread(layout, balance)),
        "findings": _rows("findings", len(found), _findings(found)),
    }


def _rows(name: str, count: int, columns: Mapping[str, object]) -> pa.StructArray:
    kinds = row_type(name)
    arrays = []
    for one in kinds:
        values = columns[one.name]
        if isinstance(values, pa.Array):
            arrays.append(values.cast(one.type))
        else:
            arrays.append(pa.nulls(count, one.type) if values is None else pa.array(values, one.type))
    return pa.StructArray.from_arrays(arrays, fields=list(kinds))


def _snapshot(
    snapshot: Snapshot, balance: Balance, found: Sequence[Finding], path: str, file_bytes: int
) -> dict[str, object]:
    layout = snapshot.layout
    by_broker = balance.by_broker
    severities = [one.severity for one in found]
    row: dict[str, object] = {
        "path": path,
        "file_bytes": file_bytes,
        "way": snapshot.protocol,
        "cluster_id": snapshot.cluster_id,
        "metadata": snapshot.metadata,
        "version": snapshot.version,
        "controller": snapshot.controller,
        "consistency": snapshot.consistency.value,
        "brokers": len(layout.brokers),
        "brokers_down": brokers_down(layout),
        "racks": len(layout.racks),
        "topics": len(layout.topics),
        "partitions": balance.partitions,
        "replicas": balance.replicas,
        "size_bytes": None if by_broker.size_bytes is None else int(np.rint(np.nansum(by_broker.size_bytes))),
        "offline": balance.offline,
        "under_replicated": balance.under_replicated,
        "below_min_isr": balance.below_min_isr,
        "not_preferred": balance.not_preferred,
        "incomplete": layout.gaps.incomplete,
        "reassigning": int(np.count_nonzero(layout.under_way)) if snapshot.under_way_told else None,
        "rack_violations": balance.rack_violations,
        **_spread("replica", by_broker.replica_spread),
        **_spread("leader", by_broker.leader_spread),
        **_spread("preferred_leader", by_broker.preferred_leader_spread),
        **_spread("byte", by_broker.byte_spread),
        **{f"findings_{one.value}": severities.count(one) for one in Severity},
        "worst_finding": found[0].sentence if found else None,
        "worst_severity": found[0].severity.value if found else None,
    }
    return {name: [value] for name, value in row.items()}


def _spread(of: str, spread: Spread | None) -> dict[str, object]:
    if spread is None:
        return dict.fromkeys((f"{of}_spread", f"{of}_variation", f"{of}_spread_least"))
    return {
        f"{of}_spread": round(spread.spread),
        f"{of}_variation": float(spread.variation),
        f"{of}_spread_least": spread.least_possible,
    }


def _brokers(snapshot: Snapshot) -> dict[str, object]:
    brokers = snapshot.layout.brokers
    told: dict[int, list[LogDirectory]] = {}
    for one in snapshot.log_dirs:
        told.setdefault(one.broker, []).append(one)
    volumes = {broker: {one.volume: one for one in held}.values() for broker, held in told.items()}
    total = {broker: _sum(one.total_bytes for one in on) for broker, on in volumes.items()}
    usable = {broker: _sum(one.usable_bytes for one in on) for broker, on in volumes.items()}
    return {
        "broker": snapshot.layout.broker_ids,
        "rack": [broker.rack for broker in brokers],
        "host": [broker.host for broker in brokers],
        "port": [broker.port for broker in brokers],
        "state": [broker.state.value for broker in brokers],
        "is_controller": None
        if snapshot.controller is None
        else [broker.id == snapshot.controller for broker in brokers],
        "total_bytes": [total.get(broker.id) for broker in brokers],
        "usable_bytes": [usable.get(broker.id) for broker in brokers],
        "log_dirs": [[*map(asdict, told[b.id])] if b.id in told else None for b in brokers],
    }


def _sum(sizes: Iterable[int | None]) -> int | None:
    """All of them together; None where one is not told."""
    told = [*sizes]
    return None if None in told else sum(filter(None, told))


def _carried(loads: Loads) -> dict[str, object]:
    return {
        "replicas": loads.replicas,
        "leaders": loads.leaders,
        "preferred_leaders": loads.preferred_leaders,
        "size_bytes": None if loads.size_bytes is None else whole_bytes(loads.size_bytes),
    }


def whole_bytes(sizes: FloatArray) -> pa.Array:
    """(n,) int64 bytes of (n,) float64, null where NaN."""
    unknown = np.isnan(sizes)
    return pa.array(np.rint(np.where(unknown, 0.0, sizes)).astype(np.int64), mask=unknown)


def _broker_balance(layout: ClusterLayout, balance: Balance) -> dict[str, object]:
    return {
        "broker": layout.broker_ids,
        "rack": [broker.rack for broker in layout.brokers],
        "state": [broker.state.value for broker in layout.brokers],
        **_carried(balance.by_broker),
    }


def _rack_balance(layout: ClusterLayout, balance: Balance) -> dict[str, object]:
    names = balance.by_rack.names
    place = np.where(layout.rack_of < 0, len(names) - 1, layout.rack_of)
    return {
        "rack": list(names),
        "brokers": np.bincount(place, minlength=len(names)).astype(np.int64),
        **_carried(balance.by_rack),
    }


def _topic_spread(layout: ClusterLayout, balance: Balance) -> dict[str, object]:
    loads = balance.by_topic
    least_in_sync = layout.min_in_sync
    return {
        "topic": list(layout.topics),
        "partitions": loads.partitions,
        "replicas": loads.replicas,
        "brokers": loads.brokers,
        "most": loads.most,
        "least": loads.least,
        "spread": loads.spread,
        "least_possible": loads.least_possible,
        "size_bytes": None if loads.size_bytes is None else whole_bytes(loads.size_bytes),
        "min_isr": None if least_in_sync is None else pa.array(least_in_sync, mask=least_in_sync < 0),
        "order_told": layout.order_told,
        "state_digest": topic_digests(layout),
        "topic_id": [layout.id_by_topic.get(name) for name in layout.topics],
    }


def topic_digests(layout: ClusterLayout) -> list[str]:
    """A name of every topic's state, in the order of ``layout.topics``.

    Two layouts give a topic the same 32 hexadecimal digits where they say the same of its partitions: replica lists,
    whether their order is told, leaders and ISRs. Broker ids are hashed, not positions, and without the padding: what
    happens to other topics and brokers does not matter.
    """
    held = layout.replicas != NONE
    row, place = np.nonzero(held)
    in_sync: npt.NDArray[np.integer] | int = 2
    if layout.in_sync is not None:
        in_sync = np.where(layout.in_sync_known[row], layout.in_sync[row, place], 2)
    block = np.empty((len(row), 5), np.int32)
    block[:, 0] = layout.partition[row]
    block[:, 1] = place
    block[:, 2] = layout.replica_ids[row, place]
    block[:, 3] = in_sync
    block[:, 4] = layout.leader_ids[row]
    # Replicas of each topic, as rows of the block; partitions without a replica are told by their number below.
    ends = np.cumsum(np.bincount(layout.topic_of[row], minlength=len(layout.topics)))
    partitions = np.bincount(layout.topic_of, minlength=len(layout.topics))
    heads = np.stack([partitions, layout.order_told], axis=1).astype("<i4") if len(layout.topics) else None
    data = block.astype("<i4", copy=False).data.cast("B") if block.size else memoryview(b"")
    width = block.itemsize * block.shape[1]
    digests, start = [], 0
    for topic, end in enumerate((ends * width).tolist()):
        state = hashlib.blake2b(data[start:end], digest_size=16)
        if heads is not None:
            state.update(heads[topic].tobytes())
        digests.append(state.hexdigest())
        start = end
    return digests


def _findings(found: Iterable[Finding]) -> dict[str, object]:
    told = list(found)
    return {
        "rank": list(range(len(told))),
        "kind": [one.kind for one in told],
        "severity": [one.severity.value for one in told],
        "sentence": [one.sentence for one in told],
        "partitions": [len(one.rows) for one in told],
        "brokers": [[int(broker) for broker in one.brokers] for one in told],
        "topics": [list(one.topics) for one in told],
    }
