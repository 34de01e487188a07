"""What a report should say, reckoned in plain Python from replica lists, without anything of what is tested."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from reseat.errors import WishRefused
from reseat.formats import read
from reseat.model import Broker, BrokerState, ClusterLayout, Plan, Wish
from reseat.planning.plan import plan as planned
from reseat.report import Matter
from reseat.report.content import Bars, Chapter, Fact, Figure, Heat, Table

__all__ = ["Reckoned", "bars", "fact", "figure_of", "heat", "matter_of", "random_matter", "sample", "table_of"]

Key = tuple[str, int]


@dataclass(frozen=True)
class Reckoned:
    """A plan's lists, leaders, sizes and racks as plain values.

    Attributes:
        before: replica ids by partition.
        after: the same once the plan is done.
        leaders: who leads; -1 nobody, -2 not told.
        sizes: bytes of a replica; None where not told.
        racks: by broker.
        in_sync: by partition, None where not told.
    """

    before: dict[Key, list[int]]
    after: dict[Key, list[int]]
    leaders: dict[Key, int]
    sizes: dict[Key, float | None]
    racks: dict[int, str | None]
    in_sync: dict[Key, list[int] | None]

    @classmethod
    def of(cls, plan: Plan) -> Reckoned:
        """Of a plan; reading columns is all that is done here."""
        now = plan.current
        keys = list(now.assignments())
        lists = now.replica_ids.tolist()
        sizes: dict[Key, float | None] = dict.fromkeys(keys)
        if now.replica_bytes is not None:
            for key, row in zip(keys, now.replica_bytes.tolist(), strict=True):
                told = [size for size in row if not math.isnan(size)]
                sizes[key] = max(told) if told else None
        in_sync: dict[Key, list[int] | None] = dict.fromkeys(keys)
        if now.in_sync is not None:
            known = now.in_sync_known.tolist()
            for key, told, row, mask in zip(keys, known, lists, now.in_sync.tolist(), strict=True):
                in_sync[key] = [broker for broker, here in zip(row, mask, strict=True) if here] if told else None
        return cls(
            before=now.assignments(),
            after=plan.proposed.assignments(),
            leaders=dict(zip(keys, now.leader_ids.tolist(), strict=True)),
            sizes=sizes,
            racks={broker.id: broker.rack for broker in now.brokers},
            in_sync=in_sync,
        )

    def held(self, lists: Mapping[Key, list[int]]) -> Counter[int]:
        """Replicas by broker."""
        return Counter(broker for row in lists.values() for broker in row)

    def copies(self) -> list[tuple[Key, int, int]]:
        """(partition, sender, receiver) of every replica that is copied: from the leader, else the first in sync."""
        out = []
        for key, row in self.before.items():
            sender = self.leaders[key] if self.leaders[key] >= 0 else (self.in_sync[key] or row)[0]
            out += [(key, sender, broker) for broker in self.after[key] if broker not in row]
        return out

    def came(self) -> Counter[int]:
        """Replicas that come, by broker."""
        return Counter(broker for key, row in self.after.items() for broker in row if broker not in self.before[key])

    def went(self) -> Counter[int]:
        """Replicas that go, by broker."""
        return Counter(broker for key, row in self.before.items() for broker in row if broker not in self.after[key])


def fact(chapter: Chapter, label: str) -> Fact:
    """The fact of this label."""
    return next(one for one in chapter.facts if one.label == label)


def figure_of(chapter: Chapter, slug: str) -> Figure:
    """The figure of this name."""
    return next(one for one in chapter.figures if one.slug == slug)


def bars(chapter: Chapter, slug: str) -> dict[str, dict[str, float]]:
    """Values by series and carrier."""
    drawn = figure_of(chapter, slug)
    assert isinstance(drawn, Bars)
    return {one.name: dict(zip(drawn.names, one.values.tolist(), strict=True)) for one in drawn.series}


def heat(chapter: Chapter, slug: str) -> Heat:
    """A heatmap."""
    drawn = figure_of(chapter, slug)
    assert isinstance(drawn, Heat)
    return drawn


def table_of(chapter: Chapter, slug: str) -> dict[str, list[object]]:
    """A table's columns by heading."""
    found: Table = next(one for one in chapter.tables if one.slug == slug)
    return {one.name: list(one.values) for one in found.columns}


def sample(project: Path, name: str) -> ClusterLayout:
    """A layout of the samples."""
    return read((project / "samples" / name).read_bytes(), source=name).layout


def matter_of(layout: ClusterLayout, wish: Wish | None = None, **other: object) -> Matter:
    """A layout with its plan, or with the reason why there is none."""
    made, refusal = None, None
    if wish is not None and not wish.is_empty:
        try:
            made = planned(layout, wish)
        except WishRefused as error:
            refusal = str(error)
    return Matter(layout=layout, source="cluster.txt", wish=wish or Wish(), plan=made, refusal=refusal, **other)


def random_matter(seed: int) -> Matter:
    """A small cluster with a change: racks, sizes, leaders and states told, told in part, or not at all."""
    draw = random.Random(seed)
    ids = draw.sample(range(40), draw.randint(3, 7))
    racks = draw.choice((0, 1, 2, 3))
    states = [draw.choice((BrokerState.ALIVE, BrokerState.ALIVE, BrokerState.NOT_TOLD)) for _ in ids]
    if draw.random() < 0.3:
        states[0] = draw.choice((BrokerState.DEAD, BrokerState.FENCED))
    brokers = [
        Broker(i, rack=f"r{draw.randrange(racks)}" if racks and draw.random() < 0.9 else None, state=state)
        for i, state in zip(ids, states, strict=True)
    ]
    lists: dict[Key, list[int]] = {}
    for topic in ("a", "b", "c")[: draw.randint(1, 3)]:
        factor = draw.randint(1, min(3, len(ids)))
        for number in range(draw.randint(1, 8)):
            lists[topic, number] = draw.sample(ids, factor)
    up = {broker.id for broker in brokers if not broker.state.unavailable}
    leaders: dict[Key, int | None] | None = {}
    if draw.random() < 0.8:
        for key, row in lists.items():
            if draw.random() < 0.9:
                leaders[key] = next((broker for broker in draw.sample(row, len(row)) if broker in up), None)
    else:
        leaders = None
    in_sync = {key: [b for b in row if b in up] for key, row in lists.items()} if draw.random() < 0.7 else None
    told = draw.choice((0.0, 0.7, 1.0))
    sizes = {key: float(draw.randint(0, 5_000_000_000)) for key in lists if draw.random() < told}
    layout = ClusterLayout.from_assignments(
        lists, brokers=brokers, leaders=leaders, in_sync=in_sync, size_bytes=sizes or None
    )
    asked = draw.random()
    if asked < 0.5:
        wish = Wish(remove=tuple(sorted(draw.sample(ids, draw.randint(1, 2)))))
    elif asked < 0.75:
        wish = Wish(add=((50, brokers[-1].rack),))
    else:
        wish = Wish(replication_factor=draw.randint(1, 3), topics=("a",))
    return matter_of(layout, wish)
