"""A week of three made-up clusters, hour by hour: a history to look at before there is one of one's own.

What it promises, in this order: everything that happens is done by the functions with which Reseat plans and previews
(placement, planning, election); the same seed and start give the same snapshots, byte for byte; landed again, also at
another hour, the week that is there stays as it is and nothing is added.

What happens (hours from the start of the week):

- ``demo-orders`` (KRaft, 9 brokers in 3 racks): topics are made, one gets partitions at 80; from 48 to 54 broker 4 is
  drained, an hour a step, and is gone at 55; at 110 broker 7 is lost, at 117 it is back, a part of it in sync, at 118
  all of it, at 119 it leads again.
- ``demo-payments`` (ZooKeeper, 11 brokers in 4 racks): at 26 broker 12 joins, from 28 to 34 data moves onto it; at 134
  a whole rack is lost, and its topic with one replica goes offline; at 136 it is back, at 137 in sync, at 138 leading.
- ``demo-metrics`` (KRaft, 6 brokers in 3 racks): nothing is lost and no finding shows. But ``ledger.entries`` was
  placed by hand on two brokers alone, and ``uploads.parts`` with one replica in one rack: what their loss would do is
  what the sweep of all losses is for.

Complexity: O(snapshots P R); 504 snapshots of some hundred partitions each take a few seconds.
"""

from __future__ import annotations

import re
from base64 import urlsafe_b64encode
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np

from reseat.demo.cluster import DemoCluster, DemoTopic, Identity
from reseat.election import Mode
from reseat.errors import WishRefused
from reseat.history.folder import Folder
from reseat.model import Broker, BrokerState, Plan, Snapshot, Wish
from reseat.planning.plan import plan as plan_of
from reseat.sources.landing import LandedFile, land

__all__ = ["WEEK", "demo_names", "demo_week", "land_demo_week"]

#: How long the week is.
WEEK = timedelta(days=7)
_HOUR = timedelta(hours=1)
#: The seed that everybody gets; the clusters of another one have its number behind their names.
_SEED = 7
_NAMES = ("demo-orders", "demo-payments", "demo-metrics")
_MOMENT = re.compile(r"(\d{8}T\d{6}\.\d{6})Z-")

_Act = Callable[[datetime], None]

#: Partitions of a topic, and hours that they keep what is written, as one meets them.
_PARTITIONS = (6, 6, 9, 12, 12, 18, 24, 30)
_RETENTION = (24.0, 72.0, 168.0, 168.0, 720.0)


@dataclass
class _Week:
    """A cluster and what will happen to it, at hours from the start of the week."""

    cluster: DemoCluster
    start: datetime
    to_come: list[tuple[float, _Act]] = field(default_factory=list)

    def at(self, hour: float, act: _Act) -> None:
        self.to_come.append((hour, act))
        self.to_come.sort(key=lambda event: event[0])

    def until(self, when: datetime) -> None:
        """Let happen what has happened by then."""
        while self.to_come and self.start + self.to_come[0][0] * _HOUR <= when:
            hour, act = self.to_come.pop(0)
            act(self.start + hour * _HOUR)


def demo_names(seed: int = _SEED) -> tuple[str, ...]:
    """The clusters of a week, by the names under which they land."""
    return _NAMES if seed == _SEED else tuple(f"{name}-{seed}" for name in _NAMES)


def demo_week(
    *, seed: int = _SEED, start: datetime | None = None, every: timedelta = _HOUR, size: float = 1.0
) -> Iterator[Snapshot]:
    """The snapshots of the week, moment by moment, one of each cluster.

    Args:
        seed: of all that is drawn, from 0.
        start: the moment of the first snapshots; None: so that the last ones are of the latest full hour.
        every: time from one snapshot to the next.
        size: how many times the usual number of partitions each topic has.

    Raises:
        WishRefused: ``every`` is no time or more than a day, ``size`` is not from 0.1 to 100, the seed is below 0, or
            ``start`` has no time zone.
    """
    if not timedelta(seconds=1) <= every <= timedelta(days=1) or not 0.1 <= size <= 100 or seed < 0:
        raise WishRefused(
            "The demo week needs an interval from 1 second to 1 day, a size from 0.1 to 100, and a seed from 0."
        )
    if start is not None and start.tzinfo is None:
        raise WishRefused("The start of the week needs a time zone.")
    moments = -(-WEEK // every)
    if start is None:
        start = datetime.now(UTC).replace(minute=0, second=0, microsecond=0) - (moments - 1) * every
    return _told(start.astimezone(UTC), every, moments, seed, size)


def _told(start: datetime, every: timedelta, moments: int, seed: int, size: float) -> Iterator[Snapshot]:
    makers = (_orders, _payments, _metrics)
    weeks = [
        make(name, np.random.default_rng([seed, number]), start, size)
        for number, (make, name) in enumerate(zip(makers, demo_names(seed), strict=True))
    ]
    for number in range(moments):
        when = start + number * every
        for week in weeks:
            week.until(when)
            yield week.cluster.snapshot(when)


def land_demo_week(
    landing: Folder | Path | str,
    *,
    seed: int = _SEED,
    start: datetime | None = None,
    every: timedelta = _HOUR,
    report: Callable[[int, int], None] | None = None,
) -> list[LandedFile]:
    """Put the week into a landing zone; one that is there already, or a part of it, is completed and not told anew.

    Args:
        landing: the landing zone.
        seed: as ``demo_week``.
        start: as ``demo_week``; a week of these clusters that is there decides where it is None.
        every: as ``demo_week``.
        report: called with how many have landed, and of how many.

    Returns:
        All files of the week; ``new`` tells which were not there before.

    Raises:
        WishRefused: as ``demo_week``.
        InputRefused: the landing zone cannot be written.
    """
    zone = landing if isinstance(landing, Folder) else Folder.open(landing)
    first = start if start is not None else _begun(zone, demo_names(seed)[0])
    told = demo_week(seed=seed, start=first, every=every)
    total = -(-WEEK // every) * len(_NAMES)
    landed = []
    for snapshot in told:
        landed.append(land(snapshot, zone, str(snapshot.cluster)))
        if report is not None:
            report(len(landed), total)
    return landed


def _begun(zone: Folder, cluster: str) -> datetime | None:
    """The first moment of a cluster that landed, by the names of its files."""
    for file in zone.files(f"cluster={cluster}", ".json"):
        found = _MOMENT.match(file.path.rpartition("/")[2])
        if found is not None:
            return datetime.strptime(found[1], "%Y%m%dT%H%M%S.%f").replace(tzinfo=UTC)
    return None


# ---- the three stories -------------------------------------------------------------------------------------


def _orders(name: str, rng: np.random.Generator, start: datetime, size: float) -> _Week:
    week = _week(name, start, rng, "kraft", _brokers(9, ("zone-a", "zone-b", "zone-c"), "orders"), controller=3000)
    cluster = week.cluster
    stages = ("placed", "paid", "packed", "shipped", "returned", "cancelled")
    _furnish(cluster, rng, _names(("orders", "carts", "prices", "stock"), stages), start, size)
    for hour, topic in (
        (19, "orders.gift-cards"),
        (43, "carts.abandoned"),
        (97, "prices.campaigns"),
        (128, "stock.eu"),
    ):
        _create_later(week, hour, _drawn(topic, rng, size))
    week.at(80, lambda _: _grow(cluster, "orders.placed"))
    _carry_out(week, 48, Wish(remove=(4,)), steps=6)
    week.at(55, lambda _: cluster.unregister(4))
    week.at(55, lambda _: cluster.elect_preferred())
    _lose(week, (7,), from_hour=110, to_hour=117)
    return week


def _payments(name: str, rng: np.random.Generator, start: datetime, size: float) -> _Week:
    racks = ("rack-1", "rack-2", "rack-3", "rack-4")
    week = _week(name, start, rng, "zookeeper", _brokers(11, racks, "payments"), controller=2)
    cluster = week.cluster
    stages = ("requested", "authorised", "captured", "settled", "refunded", "disputed")
    _furnish(cluster, rng, _names(("payments", "cards", "wallets", "invoices", "payouts"), stages), start, size)
    cluster.create(DemoTopic("payments.replay", 6, factor=1, min_in_sync=1, rate=5e6, retention=24), start, age=900)
    for hour, topic in (
        (11, "wallets.limits"),
        (64, "invoices.archived"),
        (104, "cards.tokens"),
        (150, "payouts.held"),
    ):
        _create_later(week, hour, _drawn(topic, rng, size))
    week.at(90, lambda _: _grow(cluster, "payments.captured"))
    newcomer = _broker(12, "rack-4", "payments")
    week.at(26, lambda _: cluster.join(newcomer))
    _carry_out(week, 28, Wish(add=((12, "rack-4"),)), steps=6)
    week.at(35, lambda _: cluster.elect_preferred())
    lost = tuple(broker.id for broker in cluster.layout.brokers if broker.rack == "rack-2")
    _lose(week, lost, from_hour=134, to_hour=136)
    return week


def _metrics(name: str, rng: np.random.Generator, start: datetime, size: float) -> _Week:
    week = _week(name, start, rng, "kraft", _brokers(6, ("zone-a", "zone-b", "zone-c"), "metrics"), controller=3000)
    cluster = week.cluster
    _furnish(cluster, rng, _names(("hosts", "services", "traces"), ("raw", "minutes", "hours", "alerts")), start, size)
    by_hand = tuple((2, 4) if partition % 2 else (4, 2) for partition in range(12))
    ledger = DemoTopic("ledger.entries", 12, 2, min_in_sync=1, rate=60e6, retention=720, placed=by_hand)
    week.at(15, lambda when: cluster.create(ledger, when))
    in_one_rack = tuple((3 if partition % 2 else 6,) for partition in range(6))
    uploads = DemoTopic("uploads.parts", 6, 1, min_in_sync=1, rate=20e6, retention=24, placed=in_one_rack)
    week.at(39, lambda when: cluster.create(uploads, when))
    _create_later(week, 75, _drawn("services.slow", rng, size))
    week.at(121, lambda _: _grow(cluster, "traces.raw"))
    return week


# ---- what they are made of ---------------------------------------------------------------------------------


def _week(
    name: str, start: datetime, rng: np.random.Generator, mode: Mode, brokers: Sequence[Broker], *, controller: int
) -> _Week:
    identity = Identity(
        name=name,
        cluster_id=urlsafe_b64encode(rng.bytes(16)).decode().rstrip("="),
        mode=mode,
        version="4.1" if mode == "kraft" else "2.8",
        seed=int(rng.integers(0, 2**31)),
    )
    return _Week(DemoCluster(identity, brokers, controller), start)


def _broker(number: int, rack: str, domain: str) -> Broker:
    return Broker(number, rack, f"kafka-{number}.{domain}.example.net", 9092, BrokerState.ALIVE)


def _brokers(count: int, racks: Sequence[str], domain: str) -> list[Broker]:
    return [_broker(number, racks[(number - 1) % len(racks)], domain) for number in range(1, count + 1)]


def _names(subjects: Sequence[str], stages: Sequence[str]) -> list[str]:
    return [f"{subject}.{stage}" for subject in subjects for stage in stages]


def _drawn(name: str, rng: np.random.Generator, size: float) -> DemoTopic:
    return DemoTopic(
        name,
        partitions=max(1, round(int(rng.choice(_PARTITIONS)) * size)),
        rate=float(np.exp(rng.normal(np.log(30e6), 1.2))),
        retention=float(rng.choice(_RETENTION)),
    )


def _furnish(
    cluster: DemoCluster, rng: np.random.Generator, names: Sequence[str], start: datetime, size: float
) -> None:
    """Topics that were there before the week began, each for a time of its own."""
    offsets = DemoTopic("__consumer_offsets", max(1, round(50 * size)), rate=1e6, retention=2000)
    cluster.create(offsets, start, age=2000)
    for name in names:
        cluster.create(_drawn(name, rng, size), start, age=float(rng.uniform(20, 1500)))


def _create_later(week: _Week, hour: float, topic: DemoTopic) -> None:
    week.at(hour, lambda when: week.cluster.create(topic, when))


def _grow(cluster: DemoCluster, topic: str) -> None:
    """Half as many partitions more."""
    held = len(cluster.layout.rows_of_topic(topic))
    cluster.add_partitions(topic, held + max(1, held // 2))


def _lose(week: _Week, brokers: tuple[int, ...], *, from_hour: float, to_hour: float) -> None:
    """Brokers lost at once and back later: in sync an hour after that, leading again another hour later."""
    cluster = week.cluster
    week.at(from_hour, lambda _: cluster.stop(brokers))
    week.at(to_hour, lambda _: cluster.come_back(brokers, caught_up=0.4))
    week.at(to_hour + 1, lambda _: cluster.catch_up())
    week.at(to_hour + 2, lambda _: cluster.elect_preferred())


def _carry_out(week: _Week, hour: float, wish: Wish, *, steps: int) -> None:
    """Plan a wish when its hour has come and carry it out, a part an hour; the last one is done at ``hour + steps``."""
    cluster = week.cluster
    made: list[Plan] = []

    def part(number: int) -> dict[tuple[str, int], list[int]]:
        plan = made[0]
        rows = np.array_split(np.flatnonzero(plan.changed), steps)[number]
        proposed = plan.proposed
        return {
            (proposed.topics[int(proposed.topic_of[row])], int(proposed.partition[row])): [
                broker for broker in proposed.replica_ids[row].tolist() if broker >= 0
            ]
            for row in rows
        }

    def step(number: int) -> _Act:
        def act(_: datetime) -> None:
            if number == 0:
                made.append(plan_of(replace(cluster.layout, adding=None, removing=None), wish))
            else:
                cluster.finish(part(number - 1), made[0].certificate)
            if number < steps:
                cluster.begin(part(number))

        return act

    for number in range(steps + 1):
        week.at(hour + number, step(number))
