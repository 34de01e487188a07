"""Every cluster at its latest snapshot: who is weakest, how it came there, and what is not told."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from reseat.history.fleet import CURVE_POINTS, Fleet, fleet
from reseat.history.read import History
from reseat.history.schema import arrow_schema
from tests.history import made


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Fleet:
    """The small history."""
    return fleet(History.open(made.write(tmp_path_factory.mktemp("history")).tables))


def row(of: Fleet, cluster: str) -> dict[str, object]:
    """One cluster's row."""
    found: dict[str, object] = of.clusters.set_index("cluster").loc[cluster].to_dict()
    return found


def test_each_cluster_is_one_row_at_its_latest_snapshot(small: Fleet) -> None:
    """Sorted by name, a name of digits stays text; the numbers are those of the last moment."""
    shop = row(small, "shop")

    assert small.clusters["cluster"].tolist() == ["007", "shop"]
    assert str(shop["taken_at"]) == "2026-05-02 15:10:00+00:00"
    assert (shop["brokers"], shop["partitions"], shop["replicas"], shop["size_bytes"]) == (6, 8, 21, 84_000_000_000)


def test_the_weakest_broker_and_rack_are_those_that_hurt_most(small: Fleet) -> None:
    """Broker 4 alone holds ``logs``; rack a holds it too, and leaves two below min ISR. 007 has no racks."""
    shop, seven = row(small, "shop"), row(small, "007")

    assert (shop["weakest_broker"], shop["broker_offline"], shop["broker_below"]) == (4, 1, 1)
    assert (shop["weakest_rack"], shop["rack_offline"], shop["rack_below"]) == ("a", 1, 2)
    assert shop["brokers_to_lose"] == 1
    assert (seven["weakest_broker"], seven["broker_offline"], seven["broker_below"]) == (0, 0, 2)
    assert small.clusters["weakest_rack"].isna().tolist() == [True, False]
    assert small.clusters["rack_offline"].isna().tolist() == [True, False]
    assert small.clusters["swept"].all()


def test_curves_go_from_old_to_new(small: Fleet) -> None:
    """A week of two clusters is few files; each point is the last snapshot of its span."""
    shop = row(small, "shop")

    assert small.days == 7
    assert shop["size_curve"] == [42e9, 42e9, 63e9, 84e9]
    assert shop["spread_curve"] == [2.0, 1.0, 1.0, 1.0]
    assert len(shop["size_curve"]) <= CURVE_POINTS
    assert shop["every_seconds"] == 12 * 3600


def test_what_was_not_swept_is_not_told(tmp_path: Path) -> None:
    """No resilience table at all: every cluster is there, and its losses are NA, not 0."""
    whole = fleet(History.open(made.write(tmp_path, swept=False).tables)).clusters

    assert whole["cluster"].tolist() == ["007", "shop"]
    assert not whole["swept"].any()
    assert whole["broker_offline"].isna().all()
    assert whole["brokers_to_lose"].isna().all()


def test_the_losses_of_an_older_snapshot_do_not_count(tmp_path: Path) -> None:
    """Only the last snapshot of shop was not swept: what is known of an earlier one is not told of it."""
    home = made.write(tmp_path)
    (home.tables / "resilience" / "cluster=shop" / f"day={made.SECOND_DAY}" / "1510-0.parquet").unlink()
    whole = fleet(History.open(home.tables)).clusters

    assert whole["swept"].tolist() == [True, False]


def test_no_tables_are_no_clusters(tmp_path: Path) -> None:
    """Before the first run there is nothing, with the same columns."""
    whole = fleet(History.open(tmp_path / "none")).clusters

    assert len(whole) == 0
    assert {"cluster", "weakest_broker", "size_curve", "swept"} <= set(whole.columns)


def test_what_is_offline_already_is_no_loss_of_a_broker(tmp_path: Path) -> None:
    """With one partition offline now, every loss counts it: broker 5 takes one more, broker 4 none."""
    home = made.write(tmp_path, {"shop": made.history()["shop"][:2]})
    name, when = home.ids("shop")[1], home.snapshots["shop"][1].taken_at
    losses = [
        {"snapshot_id": name, "taken_at": when, "kind": "broker", "lost": [broker], "offline_partitions": offline}
        for broker, offline in ((4, 1), (5, 2), (6, 1))
    ]
    file = home.tables / "resilience" / "cluster=shop" / f"day={made.FIRST_DAY}" / "1510-0.parquet"
    pq.write_table(pa.Table.from_pylist(losses, arrow_schema("resilience")), file)
    shop = row(fleet(History.open(home.tables)), "shop")

    assert shop["offline"] == 1
    assert (shop["weakest_broker"], shop["broker_offline"], shop["brokers_to_lose"]) == (5, 1, 1)


def test_what_is_offline_already_is_what_was_swept(tmp_path: Path) -> None:
    """As Resilience has it of the same snapshot, also where it cannot tell how many, since some leaders are unknown."""
    home = made.write(tmp_path, {"shop": made.history()["shop"][:2]})
    name, when = home.ids("shop")[1], home.snapshots["shop"][1].taken_at
    places = {
        table: home.tables / table / "cluster=shop" / f"day={made.FIRST_DAY}" for table in ("snapshots", "copysets")
    }
    whole = [{"snapshot_id": name, "taken_at": when, "copysets": 3, "offline_partitions": 1, "below_min_isr": 1}]
    losses = [
        {"snapshot_id": name, "taken_at": when, "kind": "broker", "lost": [broker], "offline_partitions": offline}
        for broker, offline in ((4, 1), (5, 2), (6, 1))
    ]
    pq.write_table(pa.Table.from_pylist(whole, arrow_schema("copysets")), places["copysets"] / "1510-0.parquet")
    file = home.tables / "resilience" / "cluster=shop" / f"day={made.FIRST_DAY}" / "1510-0.parquet"
    pq.write_table(pa.Table.from_pylist(losses, arrow_schema("resilience")), file)
    told = pq.read_table(places["snapshots"] / "1510-0.parquet", partitioning=None)
    unknown = told.set_column(told.column_names.index("offline"), "offline", pa.nulls(len(told), pa.int64()))
    pq.write_table(unknown, places["snapshots"] / "1510-0.parquet")
    shop = row(fleet(History.open(home.tables)), "shop")

    assert (shop["weakest_broker"], shop["broker_offline"], shop["brokers_to_lose"]) == (5, 1, 1)
