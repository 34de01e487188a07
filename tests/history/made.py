"""A small history as the pipeline leaves it: two clusters, two days, written without Spark; for all who read tables.

``shop`` has six brokers in three racks and four snapshots: whole, broker 4 gone, broker 4 still gone and ``refunds``
moved off it, whole again. ``007`` has three brokers without racks and one snapshot a day: a cluster whose name looks
like a number. ``write(home)`` puts landed files into ``home / "landing"`` and the tables into ``home / "tables"``.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from itertools import combinations, pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from reseat.balance.changes import KINDS
from reseat.balance.changes import changes as changes_between
from reseat.formats.documents.snapshot_writer import identity, write_snapshot
from reseat.history.schema import TABLES, arrow_schema
from reseat.model import NONE, NOT_TOLD, Broker, BrokerState, ClusterLayout, Snapshot
from reseat.model.frame import replica_table
from reseat.pipeline.measures import measures

__all__ = ["FIRST_DAY", "SECOND_DAY", "Made", "history", "layout", "rows_of", "snapshot", "write"]

FIRST_DAY, SECOND_DAY = "2026-05-01", "2026-05-02"
_RACKS = {1: "a", 2: "b", 3: "c", 4: "a", 5: "b", 6: "c"}
_SHOP = {
    ("orders", 0): [1, 2, 3],
    ("orders", 1): [2, 3, 4],
    ("orders", 2): [3, 4, 5],
    ("orders", 3): [4, 5, 6],
    ("payments", 0): [5, 6, 1],
    ("payments", 1): [6, 1, 2],
    ("refunds", 0): [4, 5],
    ("logs", 0): [4],
}
_REFUNDS_MOVED = _SHOP | {("refunds", 0): [1, 5]}
_SEVEN = {("events", 0): [0, 1], ("events", 1): [1, 2], ("events", 2): [2, 0]}


@dataclass(frozen=True)
class Made:
    """What was written.

    Attributes:
        landing: the landing zone.
        tables: the tables.
        snapshots: the snapshots by cluster, in the order of time.
    """

    landing: Path
    tables: Path
    snapshots: dict[str, tuple[Snapshot, ...]]

    def ids(self, cluster: str) -> list[str]:
        """The identities of a cluster's snapshots, in the order of time."""
        return [identity(one) for one in self.snapshots[cluster]]


def layout(
    assignments: dict[tuple[str, int], list[int]],
    *,
    racks: dict[int, str | None],
    down: Sequence[int] = (),
    gigabytes: float = 1.0,
    min_isr: int = 2,
) -> ClusterLayout:
    """A layout in which the first replica that is up leads, and all that are up are in sync."""
    up = {key: [broker for broker in ids if broker not in down] for key, ids in assignments.items()}
    made = ClusterLayout.from_assignments(
        assignments,
        brokers=[
            Broker(i, rack, f"kafka-{i}", 9092, BrokerState.DEAD if i in down else BrokerState.ALIVE)
            for i, rack in racks.items()
        ],
        leaders={key: ids[0] if ids else None for key, ids in up.items()},
        # The last one standing stays in the ISR of a partition that is offline, as Kafka leaves it.
        in_sync={key: ids or assignments[key][:1] for key, ids in up.items()},
        size_bytes={key: gigabytes * 1e9 * (1 + key[1]) for key in assignments},
    )
    least = np.array([min(min_isr, len(assignments[topic, 0])) for topic in made.topics], np.int32)
    return ClusterLayout(**{name: getattr(made, name) for name in made.__dataclass_fields__} | {"min_in_sync": least})


def snapshot(made: ClusterLayout, cluster: str, when: str) -> Snapshot:
    """A snapshot of a live cluster at a moment such as ``2026-05-01T03:10``, UTC."""
    return Snapshot(
        made,
        datetime.fromisoformat(when).replace(tzinfo=UTC),
        "admin",
        cluster=cluster,
        cluster_id=f"id-of-{cluster}",
        controller=made.brokers[0].id,
        metadata="kraft",
        version="4.1",
    )


def history() -> dict[str, tuple[Snapshot, ...]]:
    """The snapshots by cluster, in the order of time."""
    seven = dict.fromkeys((0, 1, 2))
    return {
        "shop": (
            snapshot(layout(_SHOP, racks=_RACKS), "shop", "2026-05-01T03:10"),
            snapshot(layout(_SHOP, racks=_RACKS, down=[4]), "shop", "2026-05-01T15:10"),
            snapshot(layout(_REFUNDS_MOVED, racks=_RACKS, down=[4], gigabytes=1.5), "shop", "2026-05-02T03:10"),
            snapshot(layout(_REFUNDS_MOVED, racks=_RACKS, gigabytes=2.0), "shop", "2026-05-02T15:10"),
        ),
        "007": (
            snapshot(layout(_SEVEN, racks=seven), "007", "2026-05-01T00:00"),
            snapshot(layout(_SEVEN, racks=seven, gigabytes=3.0), "007", "2026-05-02T00:00"),
        ),
    }


def write(home: Path, snapshots: dict[str, tuple[Snapshot, ...]] | None = None, *, swept: bool = True) -> Made:
    """Write landed files and tables; the usual ones are written once by a process, and copied from then on.

    Args:
        home: an empty folder.
        snapshots: by cluster, in the order of time; None: ``history()``.
        swept: whether ``resilience`` and ``copysets`` are filled; else they are not there.
    """
    made = Made(home / "landing", home / "tables", history() if snapshots is None else snapshots)
    if snapshots is None:
        shutil.copytree(_usual(swept).name, home, copy_function=shutil.copyfile, dirs_exist_ok=True)
    else:
        _write(made, swept)
    return made


@cache
def _usual(swept: bool) -> TemporaryDirectory[str]:
    """What is written of ``history()``."""
    home = TemporaryDirectory(prefix="reseat-made-")
    _write(Made(Path(home.name) / "landing", Path(home.name) / "tables", history()), swept)
    return home


def _write(made: Made, swept: bool) -> None:
    for cluster, taken in made.snapshots.items():
        for before, one in pairwise((None, *taken)):
            assert one is not None
            path = f"cluster={cluster}/{one.taken_at:%Y%m%dT%H%M%S.%fZ}-{identity(one)}.json"
            text = write_snapshot(one)
            (made.landing / path).parent.mkdir(parents=True, exist_ok=True)
            (made.landing / path).write_bytes(text)
            for name, rows in rows_of(one, before, path=path, file_bytes=len(text), swept=swept).items():
                folder = made.tables / name / f"cluster={cluster}" / f"day={one.taken_at:%Y-%m-%d}"
                folder.mkdir(parents=True, exist_ok=True)
                pq.write_table(rows, folder / f"{one.taken_at:%H%M}-0.parquet")
    rejected = made.tables / "rejected"
    rejected.mkdir(parents=True, exist_ok=True)
    pq.write_table(arrow_schema("rejected").empty_table(), rejected / "0.parquet")


def rows_of(
    one: Snapshot, before: Snapshot | None, *, path: str, file_bytes: int, swept: bool = True
) -> dict[str, pa.Table]:
    """The rows of every partitioned table for one snapshot.

    Args:
        one: the snapshot.
        before: the one before it, or None.
        path: the landed file.
        file_bytes: its size.
        swept: with the rows of the sweep.
    """
    name = identity(one)
    rows = {
        table: _whole(table, name, one.taken_at, pa.Table.from_struct_array(small))
        for table, small in measures(one, path=path, file_bytes=file_bytes).items()
    }
    rows["replicas"] = _whole("replicas", name, one.taken_at, _replicas(one.layout))
    rows["changes"] = _whole("changes", name, one.taken_at, _changes(one, before))
    if swept:
        rows["resilience"] = pa.Table.from_pylist(
            [{"snapshot_id": name, "taken_at": one.taken_at} | row for row in losses(one.layout)],
            arrow_schema("resilience"),
        )
        sets = {frozenset(ids) for ids in one.layout.assignments().values()}
        rows["copysets"] = pa.Table.from_pylist(
            [{"snapshot_id": name, "taken_at": one.taken_at, "copysets": len(sets)}], arrow_schema("copysets")
        )
    assert rows.keys() | {"resilience", "copysets"} == {table.name for table in TABLES if table.partitioned}
    return rows


def _whole(table: str, name: str, when: datetime, rows: pa.Table) -> pa.Table:
    schema = arrow_schema(table)
    count = len(rows)
    keys = {"snapshot_id": pa.array([name] * count, pa.string()), "taken_at": pa.array([when] * count)}
    columns = {
        field.name: keys.get(field.name, rows[field.name] if field.name in rows.column_names else None)
        for field in schema
    }
    return pa.table({key: column.cast(schema.field(key).type) for key, column in columns.items()}, schema)


def _replicas(made: ClusterLayout) -> pa.Table:
    frame = replica_table(made)
    rows = np.nonzero(made.replicas != NONE)[0]
    leader = made.leader_ids[rows]
    return pa.table(
        {
            "topic": pa.array(frame["topic"].astype(str)),
            "partition": pa.array(frame["partition"]),
            "position": pa.array(frame["position"]),
            "broker": pa.array(frame["broker"]),
            "rack": pa.array(frame["rack"].astype(object).where(frame["rack"].notna(), None), pa.string()),
            "is_leader": pa.array(frame["is_leader"]),
            "in_sync": pa.array(frame["in_sync"]),
            "size_bytes": pa.array(np.rint(frame["size_bytes"].to_numpy()), from_pandas=True),
            "leader": pa.array(leader, mask=leader == NOT_TOLD),
            "log_dir": pa.array(
                [made.log_dirs[i] if i != NONE else None for i in made.log_dir[made.replicas != NONE].tolist()]
                if made.log_dir is not None
                else [None] * len(rows),
                pa.string(),
            ),
        }
    )


_OF_REPLICAS = ("replica_added", "replica_removed")


def _changes(one: Snapshot, before: Snapshot | None) -> pa.Table:
    if before is None:
        return arrow_schema("changes").empty_table()
    found = changes_between(before.layout, one.layout)
    of_broker = found.topic_of < 0
    count = len(found)
    return pa.table(
        {
            "previous_snapshot_id": pa.array([identity(before)] * count, pa.string()),
            "previous_taken_at": pa.array([before.taken_at] * count, pa.timestamp("us", tz="UTC")),
            "topic": pa.array([found.topics[i] if i >= 0 else None for i in found.topic_of.tolist()], pa.string()),
            "partition": pa.array(found.partition, mask=of_broker),
            "kind": pa.array([KINDS[i] for i in found.kind.tolist()], pa.string()),
            "broker": pa.array(found.broker),
            "was": pa.array(found.was, mask=found.was == NOT_TOLD),
            "whole": pa.array(found.whole, mask=~np.isin(found.kind, [KINDS.index(kind) for kind in _OF_REPLICAS])),
        }
    )


def losses(made: ClusterLayout) -> Iterable[dict[str, object]]:
    ids = [broker.id for broker in made.brokers]
    for broker in ids:
        yield _loss(made, "broker", [broker], None)
    for rack in made.racks:
        yield _loss(made, "rack", [broker.id for broker in made.brokers if broker.rack == rack], rack)
    for pair in combinations(ids, 2):
        yield _loss(made, "pair", list(pair), None)


def _loss(made: ClusterLayout, kind: str, lost: list[int], rack: str | None) -> dict[str, object]:
    """One loss counted partition by partition, slowly and plainly."""
    assert made.in_sync is not None
    assert made.min_in_sync is not None
    offline = below = 0
    to: dict[int, int] = {}
    moves, size = 0, 0.0
    lists, sizes = made.assignments(), made.replica_bytes
    assert sizes is not None
    for row, ids in enumerate(lists.values()):
        left = [b for b, inside in zip(ids, made.in_sync[row], strict=False) if inside and b not in lost]
        offline += not left
        below += len(left) < int(made.min_in_sync[made.topic_of[row]])
        if left and int(made.leader_ids[row]) in lost:
            to[left[0]] = to.get(left[0], 0) + 1
        gone = [at for at, broker in enumerate(ids) if broker in lost]
        moves += len(gone)
        size += float(sum(sizes[row, at] for at in gone))
    stay = [broker for broker in made.brokers if broker.id not in lost]
    single = kind != "pair"
    wide = max(map(len, lists.values()))
    return {
        "kind": kind,
        "lost": lost,
        "rack": rack,
        "offline_partitions": offline,
        "below_min_isr": below,
        "leaders_moved": sum(to.values()),
        "leaders_to": [{"broker": broker, "leaders": count} for broker, count in sorted(to.items())],
        "moves": moves if single and len(stay) >= wide else None,
        "bytes_to_move": int(size) if single and len(stay) >= wide else None,
        "least_spread": min(made.replica_count % len(stay), 1) if single else None,
        "racks_kept": _racks_kept(made, lost) if single and made.racks else None,
    }


def _racks_kept(made: ClusterLayout, lost: list[int]) -> bool:
    rack: Callable[[int], str | None] = {broker.id: broker.rack for broker in made.brokers}.get
    left = {rack(broker.id) for broker in made.brokers if broker.id not in lost}
    return all(len({rack(i) for i in ids}) <= len(left) for ids in made.assignments().values())
