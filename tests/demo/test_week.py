"""The demo week: three clusters that live as Kafka would have them, and land once."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from reseat.balance.findings import findings
from reseat.demo.week import WEEK, demo_names, demo_week, land_demo_week
from reseat.election import stop
from reseat.errors import InputRefused, WishRefused
from reseat.formats.documents.snapshot import read_snapshot
from reseat.formats.documents.snapshot_writer import write_snapshot
from reseat.model import NONE, BrokerState, ClusterLayout, Severity, Snapshot

START = datetime(2026, 5, 1, tzinfo=UTC)
DAY = timedelta(days=1)


@pytest.fixture(scope="module")
def week() -> dict[str, list[Snapshot]]:
    """The snapshots of each cluster, one an hour."""
    told: dict[str, list[Snapshot]] = {name: [] for name in demo_names()}
    for snapshot in demo_week(start=START):
        told[str(snapshot.cluster)].append(snapshot)
    return told


def holding(layout: ClusterLayout, broker: int) -> int:
    """How many replicas a broker has."""
    return int(np.count_nonzero(layout.replica_ids == broker))


def states(layout: ClusterLayout) -> dict[int, BrokerState]:
    """The state of each broker."""
    return {broker.id: broker.state for broker in layout.brokers}


def test_every_hour_of_the_week_is_told_of_every_cluster(week: dict[str, list[Snapshot]]) -> None:
    """In order, with what a live reading tells, and marked as generated."""
    for snapshots in week.values():
        assert [one.taken_at for one in snapshots] == [START + timedelta(hours=hour) for hour in range(168)]
        assert {one.cluster_id for one in snapshots} == {snapshots[0].cluster_id}
        assert all("demo" in one.facts for one in snapshots)
    assert {one.metadata for one in week["demo-payments"]} == {"zookeeper"}
    assert {one.metadata for one in week["demo-orders"]} == {"kraft"}
    assert len({snapshots[0].cluster_id for snapshots in week.values()}) == 3


def test_every_snapshot_is_a_file_that_reads_back(week: dict[str, list[Snapshot]]) -> None:
    """In the middle of a move, of an outage, and at rest."""
    for name, hour in (("demo-orders", 50), ("demo-orders", 112), ("demo-payments", 135), ("demo-metrics", 0)):
        snapshot = week[name][hour]

        assert read_snapshot(write_snapshot(snapshot)).layout == snapshot.layout


def test_the_same_seed_and_start_give_the_same_bytes_and_another_seed_others() -> None:
    """Also where snapshots are fewer: what happened by a moment does not hang on how often one looks."""
    often = [write_snapshot(one) for one in demo_week(start=START, every=DAY / 2)]
    seldom = [write_snapshot(one) for one in demo_week(start=START, every=DAY)]
    other = [write_snapshot(one) for one in demo_week(start=START, every=DAY, seed=8)]

    assert [often[6 * day + cluster] for day in range(7) for cluster in range(3)] == seldom
    assert not set(seldom) & set(other)


def test_a_broker_is_drained_and_then_gone(week: dict[str, list[Snapshot]]) -> None:
    """Step by step, with both ends of each move listed while it is under way, and none of its data lost on the way."""
    hours = week["demo-orders"]
    held = [holding(one.layout, 4) for one in hours[47:56]]
    under_way = [int(one.layout.under_way.sum()) for one in hours[47:56]]
    middle = hours[50].layout

    assert held[0] > 0
    assert held == sorted(held, reverse=True)
    assert held[-2:] == [0, 0]
    assert under_way[0] == 0
    assert all(under_way[1:7])
    assert under_way[7:] == [0, 0]
    assert middle.adding is not None
    assert middle.removing is not None
    assert middle.in_sync is not None
    assert (middle.replica_ids[middle.removing] == 4).all()
    assert not (middle.in_sync & middle.adding).any()
    assert (middle.adding.sum(axis=1) == middle.removing.sum(axis=1)).all()
    assert 4 in states(hours[54].layout)
    assert 4 not in states(hours[55].layout)
    assert all((one.layout.leader != NONE).all() for one in hours[47:56])


def test_a_lost_broker_leaves_the_isr_and_comes_back_into_it(week: dict[str, list[Snapshot]]) -> None:
    """Leaders are those that ``election.stop`` previews; its sizes are not told; later all is as it was."""
    before, lost, back, caught_up, led = (week["demo-orders"][hour] for hour in (109, 110, 117, 118, 119))
    preview = stop(before.layout, [7], mode="kraft")
    missing = [int(np.count_nonzero(~one.layout.in_sync[one.layout.replicas != NONE])) for one in (lost, back)]  # type: ignore[index]

    assert states(lost.layout)[7] is BrokerState.DEAD
    assert (lost.layout.leader_ids == preview.election.leader_after).all()
    assert np.array_equal(lost.layout.in_sync, preview.in_sync_after)
    assert missing[0] == holding(before.layout, 7)
    assert 0 < missing[1] < missing[0]
    sizes = lost.layout.replica_bytes
    assert sizes is not None
    assert np.isnan(sizes[lost.layout.replica_ids == 7]).all()
    assert lost.not_read == ("Sizes on 1 broker are unknown, because these did not answer: 7.",)
    assert caught_up.not_read == ()
    assert caught_up.layout.in_sync is not None
    assert caught_up.layout.in_sync[caught_up.layout.replicas != NONE].all()
    assert (led.layout.leader_ids == before.layout.leader_ids).all()
    moved = before.layout.leader_ids == 7
    assert (led.layout.leader_epoch[moved] == before.layout.leader_epoch[moved] + 2).all()
    assert (led.layout.leader_epoch[~moved] == before.layout.leader_epoch[~moved]).all()


def test_a_rack_is_lost_for_two_hours(week: dict[str, list[Snapshot]]) -> None:
    """All of its brokers at once, and the partitions that had no other replica with it."""
    hours = week["demo-payments"]
    of_rack = {broker.id for broker in hours[0].layout.brokers if broker.rack == "rack-2"}
    away = [{i for i, state in states(one.layout).items() if state is BrokerState.DEAD} for one in hours[133:138]]
    offline = hours[134].layout.leader == NONE

    assert away == [set(), of_rack, of_rack, set(), set()]
    assert {hours[134].layout.topics[i] for i in hours[134].layout.topic_of[offline]} == {"payments.replay"}
    assert (hours[136].layout.leader != NONE).all()
    assert hours[133].controller in of_rack
    assert hours[134].controller not in of_rack


def test_a_broker_joins_and_takes_its_share(week: dict[str, list[Snapshot]]) -> None:
    """It comes empty, and the plan leaves the cluster more even than it found it."""
    hours = week["demo-payments"]
    spread = {hour: hours[hour].layout.replicas_by_broker for hour in (25, 34)}

    assert 12 not in states(hours[25].layout)
    assert holding(hours[26].layout, 12) == 0
    assert holding(hours[34].layout, 12) > 50
    assert np.ptp(spread[34]) <= np.ptp(spread[25])


def test_a_weakness_shows_in_no_finding(week: dict[str, list[Snapshot]]) -> None:
    """But two brokers lost together take a topic offline, and a rack another."""
    last = week["demo-metrics"][-1].layout
    pair = {last.topics[i] for i in last.topic_of[stop(last, [2, 4], mode="kraft").offline]}
    rack = [broker.id for broker in last.brokers if broker.rack == "zone-c"]

    assert {found.severity for found in findings(last)} <= {Severity.NOTE}
    assert pair == {"ledger.entries"}
    assert not len(stop(last, [1, 5], mode="kraft").offline)
    assert len(stop(last, rack, mode="kraft").offline) == 6


def test_the_clusters_grow(week: dict[str, list[Snapshot]]) -> None:
    """More topics, partitions and bytes at the end than at the start; no partition is ever gone."""
    for snapshots in week.values():
        first, last = snapshots[0].layout, snapshots[-1].layout
        assert len(last.topics) > len(first.topics)
        assert np.nansum(last.replica_bytes) > 1.1 * np.nansum(first.replica_bytes)  # type: ignore[arg-type]
        for before, after in pairwise(snapshots):
            assert (after.layout.rows_of(before.layout) >= 0).all()


def test_it_ends_at_the_latest_full_hour() -> None:
    """Unless a start is given."""
    moments = [one.taken_at for one in demo_week(every=DAY)]

    assert timedelta(0) <= datetime.now(UTC) - moments[-1] < timedelta(hours=1, minutes=1)
    assert moments[-1] - moments[0] == 6 * DAY


def test_a_larger_week_has_more_partitions() -> None:
    """As many times as asked for, about."""
    usual = next(demo_week(start=START)).layout.partition_count

    assert 1.7 * usual < next(demo_week(start=START, size=2)).layout.partition_count < 2.3 * usual


def test_it_lands_once(tmp_path: Path) -> None:
    """Again at another time it is the same week; begun and left, it is completed; another seed is another week."""
    told: list[tuple[int, int]] = []
    first = land_demo_week(tmp_path, start=START, every=DAY, report=lambda done, total: told.append((done, total)))
    (tmp_path / first[-1].path).unlink()
    again = land_demo_week(tmp_path, every=DAY)
    other = land_demo_week(str(tmp_path), start=START, every=DAY, seed=8)

    assert Counter(one.path.partition("/")[0] for one in first) == {f"cluster={name}": 7 for name in demo_names()}
    assert told == [(done, 21) for done in range(1, 22)]
    assert all(one.new for one in first)
    assert [one.path for one in again] == [one.path for one in first]
    assert [one.new for one in again] == [False] * 20 + [True]
    assert {one.path.partition("/")[0] for one in other} == {f"cluster={name}" for name in demo_names(8)}


@pytest.mark.parametrize(
    "asked",
    [{"every": timedelta(0)}, {"every": -DAY}, {"every": WEEK}, {"size": 0.0}, {"size": float("nan")}, {"seed": -1}],
)
def test_what_makes_no_week_is_refused(asked: dict[str, object]) -> None:
    """Before anything is made."""
    with pytest.raises(WishRefused, match="seed from 0"):
        demo_week(start=START, **asked)  # type: ignore[arg-type]


def test_a_start_without_a_time_zone_is_refused() -> None:
    """It could be any of 38 moments."""
    with pytest.raises(WishRefused, match="time zone"):
        demo_week(start=datetime(2026, 5, 1))  # noqa: DTZ001


def test_a_landing_zone_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    """In words."""
    (tmp_path / "zone").write_text("")

    with pytest.raises(InputRefused, match="cannot be"):
        land_demo_week(tmp_path / "zone", start=START)
