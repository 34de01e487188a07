"""One snapshot as rows of the small tables: by hand for a small layout, and properties of a topic's digest."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

from reseat.balance import findings
from reseat.balance.changes import changes
from reseat.balance.moved import all_findings
from reseat.formats.documents.snapshot import reading_of
from reseat.history.schema import table
from reseat.model import Broker, BrokerState, ClusterLayout, LogDirectory, Snapshot
from reseat.pipeline.measures import SMALL_TABLES, measures, row_type, topic_digests

TAKEN = datetime(2026, 5, 1, 23, 30, tzinfo=UTC)
BROKERS = [
    Broker(1, "a", "one", 9092, BrokerState.ALIVE),
    Broker(2, "b", "two", 9092, BrokerState.ALIVE),
    Broker(3, None, None, None, BrokerState.DEAD),
]


def layout() -> ClusterLayout:
    """Two topics over three brokers, the third of which is dead and has no rack."""
    return ClusterLayout.from_columns(
        topics=["orders", "logs"],
        topic_of=[0, 0, 1],
        partition=[0, 1, 0],
        replicas=[[1, 2], [2, 3], [1, -1]],
        brokers=BROKERS,
        leader=[1, 2, -1],
        in_sync=[[True, True], [True, False], [False, False]],
        min_in_sync=[2, -1],
        order_told=[True, False],
        size_bytes=[[10.0, 11.0], [20.0, np.nan], [7.0, np.nan]],
    )


def rows(name: str, snapshot: Snapshot) -> list[dict[str, object]]:
    """The rows of one table."""
    return measures(snapshot, path="cluster=a/one.json", file_bytes=99)[name].to_pylist()


def test_every_small_table_has_the_columns_that_the_schema_says() -> None:
    """All but those that a snapshot's rows share; in the schema's order and types."""
    made = measures(Snapshot(layout(), TAKEN, "admin"), path="x", file_bytes=1)

    assert set(made) == set(SMALL_TABLES)
    for name, array in made.items():
        assert array.type == row_type(name)
        assert [one.name for one in array.type] == [c.name for c in table(name).columns[2:]]


def test_the_row_of_a_snapshot() -> None:
    """Counts are those of the layout; what is not told of all partitions is null."""
    (row,) = rows("snapshots", Snapshot(layout(), TAKEN, "admin", controller=2, metadata="kraft"))

    assert (row["path"], row["file_bytes"], row["way"], row["controller"]) == ("cluster=a/one.json", 99, "admin", 2)
    assert (row["brokers"], row["brokers_down"], row["racks"], row["topics"]) == (3, 1, 2, 2)
    assert (row["partitions"], row["replicas"], row["size_bytes"]) == (3, 5, 48)
    assert (row["offline"], row["under_replicated"], row["below_min_isr"]) == (1, 2, 1)
    assert row["not_preferred"] is None  # the order of logs is not told
    assert row["worst_severity"] == "broken"
    assert row["worst_finding"]


def test_brokers_and_what_they_carry() -> None:
    """Every broker has a row, also a dead one; sizes are of the replicas that tell theirs, none where none does."""
    snapshot = Snapshot(
        layout(),
        TAKEN,
        "admin",
        controller=1,
        log_dirs=(
            LogDirectory(1, "/a", 100, 40),
            LogDirectory(1, "/b", 50, 10),
            LogDirectory(2, "/a", 100, 40),
            LogDirectory(2, "/b", None, 10),
        ),
    )

    assert [
        (r["broker"], r["rack"], r["host"], r["port"], r["state"], r["is_controller"])
        for r in rows("brokers", snapshot)
    ] == [
        (1, "a", "one", 9092, "alive", True),
        (2, "b", "two", 9092, "alive", False),
        (3, None, None, None, "dead", False),
    ]
    assert [(r["total_bytes"], r["usable_bytes"]) for r in rows("brokers", snapshot)] == [
        (150, 50),
        (None, 50),
        (None, None),
    ]
    assert [
        (r["broker"], r["replicas"], r["leaders"], r["preferred_leaders"], r["size_bytes"])
        for r in rows("broker_balance", snapshot)
    ] == [(1, 2, 1, 1, 17), (2, 2, 1, 1, 31), (3, 1, 0, 0, None)]


def test_directories_of_a_broker_and_a_volume_that_two_share() -> None:
    """Each is there with its state; two that tell the very same sizes share a volume, which counts once."""
    told = (
        LogDirectory(1, "/a", 100, 40, cordoned=True),
        LogDirectory(1, "/b", 100, 40, cordoned=False),
        LogDirectory(2, "/a", error="KAFKA_STORAGE_ERROR"),
    )
    found = rows("brokers", Snapshot(layout(), TAKEN, "text", log_dirs=told))

    assert [(r["total_bytes"], r["usable_bytes"]) for r in found] == [(100, 40), (None, None), (None, None)]
    assert [[(d["path"], d["cordoned"], d["error"]) for d in r["log_dirs"] or ()] for r in found] == [
        [("/a", True, None), ("/b", False, None)],
        [("/a", None, "KAFKA_STORAGE_ERROR")],
        [],
    ]


def test_racks_and_those_without_one() -> None:
    """Brokers without a rack share the row whose rack is null."""
    assert [
        (r["rack"], r["brokers"], r["replicas"], r["leaders"])
        for r in rows("rack_balance", Snapshot(layout(), TAKEN, "text"))
    ] == [("a", 1, 2, 1), ("b", 1, 2, 1), (None, 1, 1, 0)]


def test_topics() -> None:
    """In the layout's order; min.insync.replicas is null where it is not told."""
    made = rows("topic_spread", Snapshot(layout(), TAKEN, "text"))

    assert [(r["topic"], r["partitions"], r["replicas"], r["min_isr"], r["order_told"]) for r in made] == [
        ("logs", 1, 1, None, False),
        ("orders", 2, 4, 2, True),
    ]
    assert [(r["brokers"], r["most"], r["least"], r["spread"]) for r in made] == [(1, 1, 0, 1), (2, 2, 1, 1)]


def test_findings_are_ranked_with_the_worst_first() -> None:
    """Ranks count from 0, and severities never become worse again."""
    made = rows("findings", Snapshot(layout(), TAKEN, "text"))
    order = ["broken", "attention", "note"]

    assert [r["rank"] for r in made] == list(range(len(made)))
    assert [order.index(str(r["severity"])) for r in made] == sorted(order.index(str(r["severity"])) for r in made)


def test_what_the_reading_tells_of_the_cluster_is_found_too() -> None:
    """As Overview shows it: settings that endanger it, and what could not be read. An alert on one never rang."""
    name = layout().topics[0]
    told = Snapshot(
        layout(),
        TAKEN,
        "admin",
        not_read=("Sizes and log directories of broker 3 are unknown: It does not answer.",),
        topic_configs={name: {"unclean.leader.election.enable": "true"}},
    )
    found = rows("findings", told)

    assert {("unclean_enabled", "attention"), ("not_read", "note")} <= {(r["kind"], r["severity"]) for r in found}
    assert [r["sentence"] for r in found] == [
        one.sentence for one in all_findings(findings(told.layout), told.layout, reading_of(told))
    ]


def test_how_many_brokers_are_down_is_null_where_no_state_is_told() -> None:
    """A text of assignments names brokers, and says nothing of them."""
    named = ClusterLayout.from_assignments({("a", 0): [1, 2]})
    (row,) = rows("snapshots", Snapshot(named, TAKEN, "text"))

    assert (row["brokers"], row["brokers_down"]) == (2, None)


def test_what_is_being_reassigned_is_null_where_the_cluster_did_not_tell() -> None:
    """It was 0: an alert on it was over."""
    for told, many in ((True, 0), (False, None)):
        (row,) = rows("snapshots", Snapshot(layout(), TAKEN, "admin", under_way_told=told))
        assert row["reassigning"] == many


def test_an_empty_cluster_has_rows_too() -> None:
    """No topic, one broker: a snapshot like any other."""
    empty = ClusterLayout.from_columns(
        topics=[], topic_of=[], partition=[], replicas=np.empty((0, 0), np.int32), brokers=[Broker(1)]
    )
    made = measures(Snapshot(empty, TAKEN, "admin"), path="x", file_bytes=1)

    assert made["snapshots"].to_pylist()[0]["partitions"] == 0
    assert len(made["broker_balance"]) == 1
    assert len(made["topic_spread"]) == 0


@st.composite
def _layouts(draw: st.DrawFn) -> ClusterLayout:
    partitions = draw(st.integers(0, 4))
    lists = [draw(st.permutations([1, 2, 3, 4]))[: draw(st.integers(1, 3))] for _ in range(partitions)]
    told = draw(st.booleans())
    return ClusterLayout.from_columns(
        topics=["a", "b"],
        topic_of=[draw(st.integers(0, 1)) for _ in range(partitions)],
        partition=list(range(partitions)),
        replicas=[[*ids, *[-1] * (3 - len(ids))] for ids in lists] or np.empty((0, 3), np.int32),
        brokers=[Broker(i) for i in (1, 2, 3, 4)],
        leader=[draw(st.sampled_from([-2, -1, ids[0], ids[-1]])) for ids in lists],
        in_sync=[[draw(st.booleans()) and i < len(ids) for i in range(3)] for ids in lists]
        or np.empty((0, 3), np.bool_),
        in_sync_told=[told] * partitions,
        order_told=draw(st.booleans()),
    )


@given(before=_layouts(), after=_layouts())
def test_a_topic_whose_digest_stays_has_no_change(before: ClusterLayout, after: ClusterLayout) -> None:
    """The digest leaves out nothing that could be a change."""
    one = dict(zip(before.topics, topic_digests(before), strict=True))
    other = dict(zip(after.topics, topic_digests(after), strict=True))
    found = changes(before, after)
    changed = {found.topics[code] for code in found.topic_of.tolist() if code >= 0}

    assert changed <= {name for name in {*one, *other} if one.get(name) != other.get(name)}


@given(layout=_layouts())
def test_the_digest_of_a_topic_is_its_own(layout: ClusterLayout) -> None:
    """Neither other topics, other brokers nor the width of other replica lists are in it."""
    assume(len(layout.rows_of_topic("a")))
    alone = layout.without_topics(["b"])
    wider = alone.with_brokers([*alone.brokers, Broker(0)])

    assert topic_digests(wider)[:1] == topic_digests(layout)[:1]
