"""Three made-up clusters at a few moments, as literals: each tells something else, and leaves something else out.

``shop`` tells all: racks, leaders, ISRs, sizes, ``min.insync.replicas``. ``007`` tells nothing but its replica lists,
and not even their order; it has no racks. ``edge`` tells in part: some racks, some ISRs, some leaders, some sizes; it
has a partition without a leader, a broker that stands twice in one list, and a reassignment under way. Between the
moments everything happens that ``changes`` has a kind for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, Final

import numpy as np

from reseat.history.folder import Folder
from reseat.model import NONE, NOT_TOLD, Broker, BrokerState, ClusterLayout, Gaps, LogDirectory, Snapshot
from reseat.pipeline.admission import SMALL_FILE
from reseat.sources.landing import land

__all__ = ["MOMENTS", "UNTOLD", "Moment", "Part", "put", "snapshot_of"]

#: A leader of which the source does not speak; ``None`` is a partition that has none.
UNTOLD: Final = "not told"
_ALIVE, _DEAD, _FENCED, _UNKNOWN = BrokerState.ALIVE, BrokerState.DEAD, BrokerState.FENCED, BrokerState.NOT_TOLD


@dataclass(frozen=True)
class Part:
    """One partition as the source tells it.

    Attributes:
        replicas: broker ids in order.
        leader: broker id, None for none, ``UNTOLD``.
        isr: broker ids; None: not told.
        sizes: bytes of each replica, None where not told of one; None: of none.
        adding: broker ids that a reassignment adds.
    """

    replicas: list[int]
    leader: int | str | None = UNTOLD
    isr: list[int] | None = None
    sizes: list[int | None] | None = None
    adding: tuple[int, ...] = ()


@dataclass(frozen=True)
class Moment:
    """A cluster at a moment.

    Attributes:
        cluster: its name.
        at: ISO time, UTC.
        brokers: rack and state by broker id.
        parts: the partitions by topic and id.
        min_isr: ``min.insync.replicas`` by topic, where told.
        unordered: topics whose lists have no order.
        ids: the topics' ids, where told.
        gaps: what is missing.
        further: fields of the snapshot.
    """

    cluster: str
    at: str
    brokers: Mapping[int, tuple[str | None, BrokerState]]
    parts: Mapping[tuple[str, int], Part]
    min_isr: Mapping[str, int] = field(default_factory=dict)
    unordered: tuple[str, ...] = ()
    ids: Mapping[str, str] = field(default_factory=dict)
    gaps: Gaps = field(default_factory=Gaps)
    further: Mapping[str, Any] = field(default_factory=dict)

    @property
    def taken_at(self) -> datetime:
        """The moment."""
        return datetime.fromisoformat(self.at).replace(tzinfo=UTC)

    @property
    def topics(self) -> list[str]:
        """Topic names, sorted."""
        return sorted({topic for topic, _ in self.parts})


_RACKS = {1: "a", 2: "b", 3: "c", 4: "a", 5: "b"}
_UP: dict[int, tuple[str | None, BrokerState]] = {i: (rack, _ALIVE) for i, rack in _RACKS.items()}
_SHOP = {
    ("orders", 0): Part([1, 2, 3], 1, [1, 2, 3], [100, 100, 90]),
    ("orders", 1): Part([2, 3, 4], 2, [2, 3, 4], [200, 200, 200]),
    ("orders", 2): Part([3, 4, 5], 3, [3, 4, 5], [300, 300, 300]),
    ("audit", 0): Part([4, 5], 4, [4, 5], [40, 40]),
    ("audit", 7): Part([5, 1], 5, [5, 1], [50, 50]),  # ids have gaps
    ("logs", 0): Part([4], 4, [4], [0]),
}
_BROKER_4_DEAD = _SHOP | {
    ("orders", 1): Part([2, 3, 4], 2, [2, 3], [210, 210, 200]),
    ("orders", 2): Part([3, 4, 5], 3, [3, 5], [310, 300, 310]),
    ("audit", 0): Part([4, 5], 5, [5], [40, 45]),
    ("logs", 0): Part([4], None, [4], [0]),
}
_TELLS: dict[str, Any] = {
    "cluster_id": "id-of-shop",
    "controller": 1,
    "metadata": "kraft",
    "version": "4.1",
    "log_dirs": (LogDirectory(1, "/a", 1_000, 400), LogDirectory(1, "/b", 1_000, 300), LogDirectory(2, "/a", 500)),
}
_MIN = {"orders": 2, "audit": 2, "logs": 1}


def _id(of: str) -> str:
    return of.ljust(22, "-")


_IDS = {"orders": _id("orders"), "audit": _id("audit")}
_BARE = dict.fromkeys(range(3), (None, _UNKNOWN))
_EDGE: dict[int, tuple[str | None, BrokerState]] = {
    10: ("x", _ALIVE),
    11: ("x", _ALIVE),
    12: (None, _ALIVE),
    13: ("y", _FENCED),
    14: ("y", _ALIVE),
}

MOMENTS: tuple[Moment, ...] = (
    Moment("shop", "2026-05-01T03:00", _UP, _SHOP, _MIN, further=_TELLS),
    Moment("shop", "2026-05-01T23:59", _UP | {4: ("a", _DEAD)}, _BROKER_4_DEAD, _MIN, ids=_IDS, further=_TELLS),
    # Back again; refunds is new, audit-7 went, orders-3 is new, logs has one replica more, orders-0 another order.
    Moment(
        "shop",
        "2026-05-02T00:00",
        _UP,
        {key: part for key, part in _SHOP.items() if key != ("audit", 7)}
        | {
            ("orders", 0): Part([3, 2, 1], 3, [1, 2, 3], [100, 100, 100]),
            ("orders", 3): Part([4, 5, 1], 4, [4, 5, 1], [5, 5, 5]),
            ("logs", 0): Part([4, 2], 4, [4, 2], [7, 7]),
            ("refunds", 0): Part([1, 3], 1, [1, 3], [1, 1]),
        },
        _MIN | {"refunds": 1},
        ids={"orders": _IDS["orders"], "refunds": _id("refunds"), "logs": _id("logs")},
        further=_TELLS,
    ),
    # Broker 5 left with its replicas, 6 joined; audit is deleted; logs and refunds, too, and both were created again.
    Moment(
        "shop",
        "2026-05-04T12:00",
        {i: on for i, on in _UP.items() if i != 5} | {6: ("b", _ALIVE)},
        {
            ("orders", 0): Part([3, 2, 1], 3, [3, 2, 1], [100, 100, 100]),
            ("orders", 1): Part([2, 3, 4], 2, [2, 3, 4], [200, 200, 200]),
            ("orders", 2): Part([3, 4, 6], 3, [3, 4], [300, 300, 12]),
            ("orders", 3): Part([4, 6, 1], 4, [4, 6, 1], [5, 5, 5]),
            ("logs", 0): Part([4, 2], 2, [2], [7, 7]),
            ("refunds", 0): Part([1, 3], 1, [1, 3], [1, 1]),
        },
        _MIN | {"refunds": 1},
        ids={"orders": _IDS["orders"], "refunds": _id("other"), "logs": _id("new")},
        further=_TELLS | {"controller": None},
    ),
    Moment(
        "007",
        "2026-05-01T12:00",
        _BARE,
        {("events", 0): Part([0, 1]), ("events", 1): Part([1, 2]), ("events", 2): Part([2, 0])},
        unordered=("events",),
    ),
    Moment(
        "007",
        "2026-05-02T12:00",
        {0: (None, _ALIVE), 1: (None, _ALIVE), 2: (None, _DEAD), 3: (None, _ALIVE)},  # the first to tell of brokers
        {("events", 0): Part([1, 0]), ("events", 1): Part([1, 3]), ("events", 2): Part([2, 0])},
        unordered=("events",),
    ),
    Moment(
        "edge",
        "2026-04-30T23:59:59.999999",
        _EDGE,
        {
            ("a.b", 0): Part([10, 13], 10, [10], [1_000, None]),
            ("a.b", 1): Part([11, 11], None, [11], [2_000, 2_000]),
            ("a.b", 2): Part([12, 14, 10], UNTOLD, None, [3_000, 3_500, 3_000]),
            ("a_b", 0): Part([13, 14], 14, [14], [4_000, 4_000]),
            ("bare", 0): Part([14, 12], 12),
        },
        {"a.b": 2},
        unordered=("bare",),
        further={"protocol": "zookeeper", "metadata": "zookeeper", "version": "2.8"},
    ),
    Moment(
        "edge",
        "2026-05-01T00:00:00",
        _EDGE | {13: ("y", _ALIVE), 11: ("x", _DEAD)},
        {
            ("a.b", 0): Part([10, 13], 10, [10, 13], [1_000, 900]),
            ("a.b", 1): Part([11, 11, 10], None, [11], [2_000, 2_000, 0], adding=(10,)),
            ("a.b", 2): Part([10, 14, 12], 12, [10, 12], [3_000, 3_500, None]),
            ("a_b", 0): Part([14, 13], None, None, [4_000, 4_000]),
            ("bare", 0): Part([12, 14], 14),
        },
        {"a.b": 2},
        unordered=("bare",),
        further={"protocol": "zookeeper", "metadata": "zookeeper", "version": "2.8"},
    ),
    Moment(
        "edge",
        "2026-05-01T00:10:00",
        _EDGE | {13: ("y", _ALIVE)},
        {
            ("a.b", 0): Part([13, 10], 10, [10, 13], [1_000, 1_000]),
            ("a.b", 1): Part([11, 10], 10, [10, 11], [2_000, 2_000]),
            ("a.b", 2): Part([10, 14, 12], 14, [14], [3_000, 3_500, None]),
            ("a_b", 0): Part([14, 13], 14, [14, 13], [4_000, 4_000]),
            ("bare", 0): Part([12, 14], UNTOLD, [12]),
        },
        {"a.b": 2},
        further={"protocol": "zookeeper", "metadata": "zookeeper", "version": "2.8"},
    ),
    Moment("torn", "2026-05-01T00:00", _BARE, {(f"t{i}", 0): Part([i % 3]) for i in range(6)}),
    # A text that was cut off: t4 and t5 are missing; t0 moved, and is there.
    Moment(
        "torn",
        "2026-05-02T00:00",
        _BARE,
        {(f"t{i}", 0): Part([(i + (i == 0)) % 3]) for i in range(4)},
        gaps=Gaps(unread_rows=1),
    ),
    Moment("torn", "2026-05-03T00:00", _BARE, {(f"t{i}", 0): Part([(i + (i == 0)) % 3]) for i in range(6)}),
    Moment("torn", "2026-05-04T00:00", _BARE, {(f"t{i}", 0): Part([(i + (i == 0)) % 3]) for i in range(5)}),
)


def snapshot_of(moment: Moment) -> Snapshot:
    """The snapshot that tells a moment."""
    keys, topics = list(moment.parts), moment.topics
    parts = list(moment.parts.values())
    wide = max(len(part.replicas) for part in parts)

    def rows(values: list[list[Any]], fill: object) -> np.ndarray:
        return np.array([[*row, *[fill] * (wide - len(row))] for row in values])

    sizes = None
    if any(part.sizes for part in parts):
        told = [[np.nan if s is None else s for s in part.sizes or [None] * len(part.replicas)] for part in parts]
        sizes = rows(told, np.nan).astype(float)
    layout = ClusterLayout.from_columns(
        topics=topics,
        topic_of=[topics.index(topic) for topic, _ in keys],
        partition=[number for _, number in keys],
        replicas=rows([part.replicas for part in parts], NONE),
        brokers=[Broker(i, rack, f"host-{i}", 9092, state) for i, (rack, state) in moment.brokers.items()],
        leader=[NOT_TOLD if p.leader == UNTOLD else NONE if p.leader is None else int(p.leader) for p in parts],
        in_sync=rows([[b in (part.isr or ()) for b in part.replicas] for part in parts], False)
        if any(part.isr is not None for part in parts)
        else None,
        in_sync_told=[part.isr is not None for part in parts] if any(part.isr is not None for part in parts) else None,
        min_in_sync=[moment.min_isr.get(topic, -1) for topic in topics] if moment.min_isr else None,
        order_told=[topic not in moment.unordered for topic in topics],
        topic_ids=[moment.ids.get(topic, "") for topic in topics] if moment.ids else None,
        size_bytes=sizes,
        adding=rows([[b in part.adding for b in part.replicas] for part in parts], False)
        if any(part.adding for part in parts)
        else None,
    )
    layout = replace(layout, gaps=moment.gaps)
    snapshot = Snapshot(layout, moment.taken_at, "admin", cluster=moment.cluster)
    return replace(snapshot, **moment.further)


def put(landing: Folder, *snapshots: Snapshot, large: bool = False) -> None:
    """Land snapshots; by spaces after what they tell as large files: Spark itself writes the rows of such a batch."""
    for snapshot in snapshots:
        assert snapshot.cluster is not None
        path = land(snapshot, landing, snapshot.cluster).path
        if large:
            landing.write(path, landing.read(path) + b" " * SMALL_FILE)
