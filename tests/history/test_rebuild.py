"""A layout out of the tables: the rows that the pipeline writes of a layout, put together, are that layout."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from random import Random

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reseat.errors import LayoutInvalid
from reseat.history.rebuild import layout_from_tables
from reseat.history.schema import arrow_schema
from reseat.model import NONE, NOT_TOLD, Broker, BrokerState, ClusterLayout, LogDirectory, Snapshot
from reseat.pipeline.decode import Landed, replica_batches
from reseat.pipeline.losses import SOURCES
from reseat.pipeline.measures import measures
from tests.cases import cases
from tests.resilience.layouts import layouts

SMALL = ClusterLayout.from_assignments(
    {("orders", 0): [1, 2, 3], ("orders", 1): [3, 1], ("logs", 7): [2]},
    brokers=[
        Broker(1, "a", "kafka-1", 9092, BrokerState.ALIVE),
        Broker(2, "b", "kafka-2", 9092, BrokerState.DEAD),
        Broker(3, None, None, None, BrokerState.NOT_TOLD),
        Broker(9, "b"),
    ],
    leaders={("orders", 0): 1, ("orders", 1): None},
    in_sync={("orders", 0): [1, 3], ("orders", 1): [1]},
    size_bytes={("orders", 0): 10.0, ("logs", 7): 5e15},
)


def tables_of(layout: ClusterLayout, log_dirs: tuple[LogDirectory, ...] = ()) -> tuple[pa.Table, pa.Table, pa.Table]:
    """The rows of ``brokers``, ``replicas`` and ``topic_spread`` that the pipeline writes of a layout."""
    snapshot = Snapshot(layout, datetime(2026, 5, 1, tzinfo=UTC), "text", cluster="shop", log_dirs=log_dirs)
    small = measures(snapshot, path="a.json", file_bytes=1)
    brokers, topics = (
        pa.Table.from_struct_array(small[name]) if len(small[name]) else _empty(small[name])
        for name in ("brokers", "topic_spread")
    )
    batches = list(replica_batches(Landed(snapshot, "id", "2026-05-01")))
    return brokers, pa.Table.from_batches(batches, arrow_schema("replicas", with_keys=True)), topics


def _empty(rows: pa.StructArray) -> pa.Table:
    return pa.schema(list(rows.type)).empty_table()


def _told(layout: ClusterLayout) -> ClusterLayout:
    """The layout without what the tables do not tell, sizes one a replica."""
    kept = layout.select(layout.replication_factor > 0)
    # Topics without partitions stay.
    names, width = layout.topics, int(kept.replication_factor.max(initial=0))
    isr = None if kept.in_sync is None or not kept.in_sync_known.any() else kept.in_sync & kept.in_sync_known[:, None]
    sizes = kept.replica_bytes
    least = layout.min_in_sync
    return replace(
        kept,
        topics=names,
        topic_of=layout.topic_of[layout.replication_factor > 0],
        order_told=layout.order_told,
        replicas=kept.replicas[:, :width].copy(),
        leader_epoch=np.full(kept.partition_count, NOT_TOLD, np.int32),
        in_sync=None if isr is None else isr[:, :width].copy(),
        in_sync_told=None if isr is None else kept.in_sync_told,
        eligible=None,
        last_known_eligible=None,
        observers=None,
        min_in_sync=None if least is None or (least < 0).all() else np.where(least < 0, NONE, least).astype(np.int32),
        size_bytes=None if sizes is None or np.isnan(sizes).all() else sizes[:, :width].copy(),
        adding=None,
        removing=None,
    )


def test_every_column_comes_back() -> None:
    """Racks, hosts, states, lists, leaders told, none and not told, ISRs told and not, sizes."""
    found = layout_from_tables(*tables_of(SMALL))

    assert found == _told(SMALL)
    assert found.brokers == SMALL.brokers
    assert found.leader_ids.tolist() == [NOT_TOLD, 1, NONE]
    assert found.in_sync_known.tolist() == [False, True, True]
    assert found.min_in_sync is None


def test_minima_and_untold_order_come_back() -> None:
    """By topic, not told as -1."""
    layout = replace(
        SMALL, min_in_sync=np.array([-1, 2], np.int32), order_told=np.array([False, True]), size_bytes=None
    )
    found = layout_from_tables(*tables_of(layout))

    assert found == _told(layout)
    assert found.min_in_sync is not None
    assert found.min_in_sync.tolist() == [-1, 2]


def test_log_directories_come_back() -> None:
    """Those told, and of one replica none; rows of an earlier version, which has no such column, tell none."""
    layout = replace(
        SMALL,
        log_dirs=("/a", "/b"),
        log_dir=np.array([[0, NONE, NONE], [1, 0, NONE], [0, 1, NONE]], np.int32),
    )
    brokers, replicas, topics = tables_of(layout)
    found = layout_from_tables(brokers, replicas, topics)

    assert found == _told(layout)
    assert found.log_dir is not None
    assert layout_from_tables(brokers, replicas.drop_columns(["log_dir"]), topics).log_dir is None


def test_a_failed_disk_comes_back() -> None:
    """So a sweep lets no broker that has lost one receive what another one held, as the pages do."""
    told = (LogDirectory(1, "/a"), LogDirectory(1, "/b", error="KAFKA_STORAGE_ERROR"))
    brokers, replicas, topics = tables_of(SMALL, told)

    assert layout_from_tables(brokers.select(SOURCES["brokers"]), replicas, topics).brokers[0].offline_dirs == ("/b",)


def test_no_topic_and_no_broker() -> None:
    """A cluster that has nothing yet."""
    nothing = ClusterLayout.from_assignments({})

    assert layout_from_tables(*tables_of(nothing)) == nothing


@given(layouts(), st.randoms())
@settings(max_examples=cases(100), deadline=None)
def test_whatever_a_source_tells_in_any_order_of_rows(layout: ClusterLayout, random: Random) -> None:
    """Rows of several files come mixed."""
    brokers, replicas, topics = tables_of(layout)
    mixed = random.sample(range(replicas.num_rows), replicas.num_rows)

    assert layout_from_tables(brokers, replicas.take(pa.array(mixed, pa.int64())), topics) == _told(layout)


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        ([0, 2, 3, 4, 5], "partition orders-0: position 1 was expected, but 2 was found"),
        ([0, 1, 2, 3, 4, 4, 5], "partition orders-1: position 2 was expected, but 1 was found"),
    ],
)
def test_replicas_that_are_missing_or_twice_are_no_layout(rows: list[int], sentence: str) -> None:
    """Half a file, or one file twice."""
    brokers, replicas, topics = tables_of(SMALL)
    by_name = replicas.sort_by([("topic", "descending"), ("partition", "ascending"), ("position", "ascending")])

    with pytest.raises(LayoutInvalid, match=sentence):
        layout_from_tables(brokers, by_name.take(rows), topics)


def test_a_topic_that_topic_spread_does_not_know_is_no_layout() -> None:
    """The three tables are of one snapshot, or of none."""
    brokers, replicas, topics = tables_of(SMALL)

    with pytest.raises(LayoutInvalid, match=r"Topic orders has replicas in the tables"):
        layout_from_tables(brokers, replicas, topics.slice(0, 1))


def test_hosts_and_ports_may_be_left_out() -> None:
    """The sweep reads neither."""
    brokers, replicas, topics = tables_of(SMALL)
    found = layout_from_tables(brokers.select(["broker", "rack", "state"]), replicas, topics)

    assert [(b.id, b.rack, b.host) for b in found.brokers] == [
        (1, "a", None),
        (2, "b", None),
        (3, None, None),
        (9, "b", None),
    ]
