"""What comes for a cluster and its brokers, and the days on which limits are met."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

from reseat.forecast.outlook import Outlook, Outlooks, outlooks
from reseat.forecast.settings import Limits
from reseat.forecast.trend import Refused
from reseat.history.read import History
from tests.forecast.grown import FIRST, darken, grow

_DAYS = 60
_LAST = FIRST.date() + timedelta(days=_DAYS - 1)


def straight(tables: Path, limits: Limits, **how: bool) -> Outlooks:
    """Two replicas more a day on each of three brokers: 218 on the last day."""
    grow(tables, [100 + 2 * day for day in range(_DAYS)], disk=None if how.pop("diskless", False) else 10**12, **how)
    return outlooks(History.open(tables), "shop", limits)


def test_each_count_has_its_past_and_its_day(tmp_path: Path) -> None:
    """218 replicas and 2 a day: 230 are met in six days; the disk's limit is a share of its size."""
    told = straight(tmp_path, Limits(replicas_per_broker=230, disk=24))
    by_name = {(one.measure, one.broker): one for one in told.counts}
    replicas, disk = by_name["replicas", 2], by_name["disk_used", 2]

    assert (told.since, told.until) == (FIRST.date(), _LAST)
    assert [one.broker for one in told.counts] == [None] * 4 + [1] * 3 + [2] * 3 + [3] * 3
    assert replicas.values.tolist() == [100 + 2 * day for day in range(_DAYS)]
    assert replicas.met is not None
    assert replicas.met.early == replicas.met.likely == replicas.met.late == _LAST + timedelta(days=6)
    assert (disk.limit, disk.met and disk.met.likely) == (240e9, _LAST + timedelta(days=11))
    assert by_name["replicas", None].met is None
    assert told.sentence.startswith(f"Replicas of broker 1: the limit of 230 is likely met on {date(2026, 5, 5)}")
    assert told.inside == (1, sum(one.told.tried for one in told.counts if not isinstance(one.told, Refused)))


def test_a_disk_that_the_last_snapshot_does_not_tell_is_as_large_as_before(tmp_path: Path) -> None:
    """A broker that is down tells nothing of its disks: what was likely full in days had no limit any more."""
    before = straight(tmp_path, Limits(disk=24))
    darken(tmp_path, 2, range(_DAYS - 5, _DAYS))
    after = outlooks(History.open(tmp_path), "shop", Limits(disk=24))
    was, now = (
        next(one for one in of.counts if (one.measure, one.broker) == ("disk_used", 2)) for of in (before, after)
    )

    all_bytes = next(one for one in after.counts if (one.measure, one.broker) == ("size_bytes", None))

    assert np.flatnonzero(np.isnan(all_bytes.values)).tolist() == [*range(_DAYS - 5, _DAYS)]  # of two brokers alone
    assert (now.now, now.limit) == (None, was.limit)
    assert was.met is not None
    assert now.met is not None
    assert was.met.likely == _LAST + timedelta(days=11)
    assert now.met.likely == _LAST + timedelta(days=11)  # the days that it did not tell have passed all the same


def test_a_limit_that_is_met_is_met_today(tmp_path: Path) -> None:
    """Also where the past is too short for a forecast."""
    grow(tmp_path, [100, 100, 250])
    told = outlooks(History.open(tmp_path), "shop", Limits(replicas_per_broker=200))

    assert told.sentence == "Replicas of broker 1: the limit of 200 is met already."


def test_an_old_snapshot_is_told(tmp_path: Path) -> None:
    """Not that of yesterday."""
    told = outlooks(History.open(grow(tmp_path, [100] * 30)), "shop", Limits())
    assert told.until is not None

    assert told.old(told.until + timedelta(days=1)) == ()
    assert told.old(told.until + timedelta(days=2)) == (
        f"The last snapshot is 2 days old: this is the forecast as of {told.until}, and its dates may have passed.",
    )


def test_no_limit_is_told_from_none_met_and_from_none_that_can_be_seen(tmp_path: Path) -> None:
    """Nothing is set, nothing is met within as many days as there are, or no snapshot tells what is limited."""
    told = straight(tmp_path, Limits(), sizes=False, diskless=True)
    far = outlooks(History.open(tmp_path), "shop", Limits(replicas_per_broker=9_000, disk=85))

    assert (told.sentence, told.blind) == ("No limits are set.", ())
    assert far.sentence == "No limit that can be foretold is met within 60 days of the last snapshot."
    assert "The limit on disk used is not looked at" in far.blind[0]
    assert {one.measure for one in far.counts} == {"partitions", "replicas", "replica_spread"}


def test_no_limit_is_met_as_far_as_every_count_that_has_one_is_foretold() -> None:
    """Broker 3 joined 40 days ago and gets 5 a day: 51 days from now it has 450, and 40 are foretold of it."""
    old = Outlook("replicas", 1, np.arange(100.0, 220), 450, _LAST)
    young = Outlook("replicas", 3, np.where(np.arange(120) < 80, np.nan, 5.0 * np.arange(-80, 40)), 450, _LAST)
    told = Outlooks("shop", None, _LAST, (old, young), Limits(replicas_per_broker=450))
    lone = Outlooks("shop", None, _LAST, (old,), Limits(replicas_per_broker=450))

    assert told.sentence == "No limit that can be foretold is met within 40 days of the last snapshot."
    assert lone.sentence == "No limit that can be foretold is met within 120 days of the last snapshot."
    assert told.ahead == 120


def test_a_past_that_is_too_short_is_refused_in_words(tmp_path: Path) -> None:
    """And what has a limit is named."""
    grow(tmp_path, [100] * 10)
    told = outlooks(History.open(tmp_path), "shop", Limits(partitions_per_cluster=1_000))

    assert told.sentence == "No forecast. 10 of the 28 days that a forecast needs are there."
    assert told.blind == ("No forecast of partitions, which has a limit.",)
    assert told.inside == (None, 0)


def test_days_without_a_snapshot_are_unknown_and_a_broker_that_left_is_not_told_of(tmp_path: Path) -> None:
    """The place of a day is its date, not its turn."""
    days: list[int | None] = [100 + day for day in range(40)]
    days[10] = None
    grow(tmp_path, days)
    last = tmp_path / "broker_balance" / "cluster=shop" / f"day={FIRST + timedelta(days=39):%Y-%m-%d}" / "0.parquet"
    rows = pq.read_table(last)
    pq.write_table(rows.filter(rows["broker"].to_numpy() != 3), last)
    told = outlooks(History.open(tmp_path), "shop", Limits())

    assert np.flatnonzero(np.isnan(told.counts[0].values)).tolist() == [10]
    assert {one.broker for one in told.counts} == {None, 1, 2}


def test_a_cluster_without_a_snapshot_has_nothing(tmp_path: Path) -> None:
    """No tables, no counts, and no fault."""
    told = outlooks(History.open(tmp_path), "shop", Limits())

    assert (told.counts, told.since, told.sentence) == ((), None, "No forecast.")
