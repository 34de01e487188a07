"""A history of many days, written without Spark: the tables that a forecast reads, and no others."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from reseat.history.schema import arrow_schema

__all__ = ["FIRST", "darken", "grow"]

#: What there is nothing of in any snapshot.
_NONE = (
    "brokers_down", "offline", "under_replicated", "below_min_isr", "not_preferred", "reassigning", "replica_spread",
    "findings_broken", "findings_attention", "findings_note",
)  # fmt: skip
FIRST = datetime(2026, 3, 1, 12, tzinfo=UTC)


def grow(
    tables: Path,
    replicas: Sequence[int | None],
    *,
    cluster: str = "shop",
    brokers: int = 3,
    sizes: bool = True,
    disk: int | None = 1_000_000_000_000,
    spreads: Sequence[int] = (),
    cluster_id: str | None = None,
    racks: Sequence[str | None] = (),
    loads: Sequence[int] = (),
    hour: int = 0,
) -> Path:
    """Write a cluster's history: so many replicas on each broker, by day; None: a day without a snapshot.

    Every replica is 1 GB, every partition has one on each broker, and every broker's disk has ``disk`` bytes. The
    replica spread by day is ``spreads``, or 0. Brokers are in ``racks``, or in none; ``loads`` are their replicas on
    the last day, which are as many in all. Snapshots are taken so many hours after noon.

    What was written once is copied from then on: a fifth of the work.
    """
    past = _Past(tuple(replicas), brokers, sizes, disk, tuple(spreads), cluster_id, tuple(racks), tuple(loads), hour)
    for table in _written(past).iterdir():
        to = tables / table.name / f"cluster={cluster}"
        shutil.copytree(table, to, copy_function=shutil.copyfile, dirs_exist_ok=True)
    return tables


def darken(tables: Path, broker: int, days: Sequence[int], *, cluster: str = "shop") -> None:
    """On these days, counted from the first, a broker tells nothing of its disks, as one that is down."""
    for day in days:
        when = FIRST + timedelta(days=day)
        for table, names in (("brokers", ("total_bytes", "usable_bytes")), ("broker_balance", ("size_bytes",))):
            for file in (tables / table / f"cluster={cluster}" / f"day={when:%Y-%m-%d}").iterdir():
                rows = pq.read_table(file)
                for name in names:
                    at = rows.schema.get_field_index(name)
                    known = pc.if_else(pc.equal(rows["broker"], broker), pa.scalar(None, pa.int64()), rows[name])
                    rows = rows.set_column(at, rows.schema.field(at), known)
                pq.write_table(rows, file)


class _Past(NamedTuple):
    """What ``grow`` is asked for."""

    replicas: tuple[int | None, ...]
    brokers: int
    sizes: bool
    disk: int | None
    spreads: tuple[int, ...]
    cluster_id: str | None
    racks: tuple[str | None, ...]
    loads: tuple[int, ...]
    hour: int


@cache
def _folder() -> TemporaryDirectory[str]:
    """Where this process keeps what it has written."""
    return TemporaryDirectory(prefix="reseat-grown-")


@cache
def _written(past: _Past) -> Path:
    """A folder a table, in it the days."""
    replicas, brokers, sizes, disk, spreads, cluster_id, racks, loads, hour = past
    home = Path(_folder().name) / str(_written.cache_info().misses)
    for day, count in enumerate(replicas):
        if count is None:
            continue
        when = FIRST + timedelta(days=day, hours=hour)
        key = {"snapshot_id": f"{hour:08x}{day:024x}", "taken_at": when, "state": "alive"}
        size = count * 1_000_000_000 if sizes else None
        whole = {
            "path": "",
            "way": "admin",
            "consistency": "consistent",
            "partitions": count,
            "replicas": count * brokers,
            "brokers": brokers,
            "topics": 1,
            "size_bytes": None if size is None else size * brokers,
            **dict.fromkeys(_NONE, 0),
            "cluster_id": cluster_id,
        }
        if spreads:
            whole["replica_spread"] = spreads[day]
        rack_of = [*racks, *[None] * (brokers - len(racks))]
        each = [
            {"broker": broker, "rack": rack, "replicas": count, "size_bytes": size}
            for broker, rack in enumerate(rack_of, 1)
        ]
        if loads and day == len(replicas) - 1:
            for row, held in zip(each, loads, strict=True):
                row |= {"replicas": held, "size_bytes": held * 1_000_000_000}
        topic = [{"topic": "t", "partitions": count, "replicas": count * brokers}]
        left = None if disk is None or size is None else disk - size
        disks = [{"broker": broker, "total_bytes": disk, "usable_bytes": left} for broker in range(1, brokers + 1)]
        for name, rows in (
            ("snapshots", [whole]),
            ("broker_balance", each),
            ("brokers", disks),
            ("topic_spread", topic),
        ):
            folder = home / name / f"day={when:%Y-%m-%d}"
            folder.mkdir(parents=True, exist_ok=True)
            full = [dict.fromkeys(arrow_schema(name).names) | key | row for row in rows]
            rows_of = pa.Table.from_pylist(full, arrow_schema(name))
            # Plainly: a few rows are neither packed nor counted, a third of the time.
            pq.write_table(
                rows_of, folder / f"{hour}.parquet", use_dictionary=False, compression="none", write_statistics=False
            )
    return home
