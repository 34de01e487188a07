"""The snapshot file: what is written is read back, whatever it holds; what is no snapshot is refused in a sentence."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reseat.errors import InputRefused, LimitMet
from reseat.formats import Limits, combine, read
from reseat.formats.documents.snapshot import read_snapshot, reading_of
from reseat.formats.documents.snapshot_fields import is_snapshot
from reseat.formats.documents.snapshot_writer import identity, write_snapshot
from reseat.model import (
    NONE,
    NOT_TOLD,
    Broker,
    BrokerState,
    ClusterLayout,
    Consistency,
    Finding,
    Gaps,
    LogDirectory,
    Original,
    Quorum,
    QuorumMember,
    Severity,
    Snapshot,
)

NOON = datetime(2026, 5, 1, 12, 0, 0, 123456, tzinfo=UTC)
MASKS = ("in_sync", "eligible", "last_known_eligible", "observers", "adding", "removing")


def small() -> Snapshot:
    """Two partitions on three brokers, one of them dead, with everything told."""
    layout = ClusterLayout.from_columns(
        topics=["orders", "audit"],
        topic_of=[0, 1],
        partition=[10, 0],
        replicas=[[1, 2, 3], [3, 1, -1]],
        brokers=[
            Broker(1, "a", "b1.example", 9092, BrokerState.ALIVE),
            Broker(2, "b", "b2.example", 9093, BrokerState.FENCED),
            Broker(3, offline_dirs=("/d",)),
        ],
        leader=[1, -1],
        leader_epoch=[7, 0],
        in_sync=[[True, False, False], [False, True, False]],
        in_sync_told=[True, False],
        eligible=[[False, True, False], [False, False, False]],
        last_known_eligible=[[False, False, True], [True, False, False]],
        adding=[[False, False, True], [False, False, False]],
        removing=[[True, False, False], [False, False, False]],
        log_dir=[[0, 1, -1], [-1, 0, -1]],
        log_dirs=["/data/1", "/data/2"],
        min_in_sync=[2, -1],
        size_bytes=[[1e9, 999_999_999.0, np.nan], [0.0, 5.0, np.nan]],
        order_told=[True, False],
    )
    return Snapshot(
        layout=replace(layout, gaps=Gaps(racks_told=True)),
        taken_at=NOON,
        protocol="zookeeper",
        cluster="shop",
        cluster_id="kK1mDyWoQ8C2rQqX7u6qKw",
        controller=1,
        metadata="zookeeper",
        version="2.8",
        findings=(
            Finding("half_written", Severity.ATTENTION, "A node is empty.", np.array([1]), (3,), ("orders",), ("/b",)),
        ),
        consistency=Consistency.UNSETTLED,
        unsettled=("audit",),
        not_read=("Sizes of broker 3 are unknown: it does not answer.",),
        broker_configs={1: {"min.insync.replicas": "2", "auto.leader.rebalance.enable": "true"}, 12: {}},
        topic_configs={"orders": {"leader.replication.throttled.replicas": "10:1"}},
        log_dirs=(LogDirectory(1, "/data/1", 10**12, 5, None), LogDirectory(3, "/d", error="KAFKA_STORAGE_ERROR")),
        pending={("orders", 10): (2, 3)},
        facts={"zxid": 4_294_967_318, "ids": (1, 2), "nothing": None, "deep": {"a": ((1.5, "x"),)}},
        original=Original("describe.txt", 'Topic: "orders"\t\u2028\U0001f600\n'),
    )


def assert_alike(one: Snapshot, other: Snapshot) -> None:
    """Every field, arrays by value."""
    for item in fields(Snapshot):
        a, b = getattr(one, item.name), getattr(other, item.name)
        if item.name == "findings":
            assert [{**vars(found), "rows": found.rows.tolist()} for found in a] == [
                {**vars(found), "rows": found.rows.tolist()} for found in b
            ]
        else:
            assert a == b, item.name


def test_cordons_come_back_and_make_a_document_of_version_3() -> None:
    """A cordoned broker, directories cordoned and not, and one that a Kafka before 4.3 tells nothing of."""
    told = small()
    cordoned = replace(
        told,
        layout=told.layout.with_brokers(
            replace(b, state=BrokerState.CORDONED if b.id == 1 else b.state, offline_dirs=())
            for b in told.layout.brokers
        ),
        log_dirs=(LogDirectory(1, "/a", cordoned=True), LogDirectory(2, "/a", cordoned=False), LogDirectory(3, "/a")),
    )
    written = write_snapshot(cordoned)

    assert_alike(read_snapshot(written), cordoned)
    assert written.startswith(b'{"reseat_snapshot":3,')
    assert written.count(b'"cordoned":') == 2
    assert not write_snapshot(told).startswith(b'{"reseat_snapshot":3,')


def test_a_quorum_comes_back_and_makes_a_document_of_version_3() -> None:
    """Voters with all that is told of them, observers with what is; one without a leader too."""
    members = (QuorumMember(1, "host", 0, 0.5), QuorumMember(2))
    for quorum in (Quorum(1, members, (QuorumMember(3, behind=2),), dynamic=True), Quorum(None)):
        told = replace(small(), quorum=quorum)
        written = write_snapshot(told)

        assert_alike(read_snapshot(written), told)
        assert written.startswith(b'{"reseat_snapshot":3,')
        assert reading_of(told).quorum == quorum


def document(**changes: object) -> bytes:
    """The small snapshot as JSON with some keys replaced; None takes a key out."""
    told = json.loads(write_snapshot(small())) | changes
    return json.dumps({key: value for key, value in told.items() if value != "GONE"}).encode()


def test_everything_is_read_back() -> None:
    """Each field of a snapshot, and each column of its layout."""
    assert_alike(read_snapshot(write_snapshot(small())), small())


def test_topic_ids_are_read_back_and_make_it_version_2() -> None:
    """Who reads version 1 alone refuses it; without ids it is version 1 as ever. The identity does not name them."""
    bare = small()
    told = replace(bare, layout=replace(bare.layout, topic_ids=("", "GvM4aAsBTqaL1w2z9zH0Aw")))

    assert read_snapshot(write_snapshot(told)).layout.topic_ids == ("", "GvM4aAsBTqaL1w2z9zH0Aw")
    assert write_snapshot(told).startswith(b'{"reseat_snapshot":2,')
    assert write_snapshot(bare).startswith(b'{"reseat_snapshot":1,')
    assert_alike(read_snapshot(write_snapshot(told)), told)
    assert identity(told) == identity(bare)


def test_what_is_not_told_stays_untold() -> None:
    """The barest snapshot: a layout of lists alone."""
    bare = Snapshot(ClusterLayout.from_assignments({("a", 0): [1, 2]}), NOON, "text")
    told = json.loads(write_snapshot(bare))

    assert_alike(read_snapshot(write_snapshot(bare)), bare)
    assert told["partitions"] == {"id": [0], "replicas": [2]}
    assert told["replicas"] == {"broker": [1, 2]}


def test_that_nobody_tells_what_is_under_way_is_kept() -> None:
    """A key where it is not so, none where it is; documents from before the key said it in words."""
    words = "Reassignments under way are not told: DESCRIBE on CLUSTER is needed."
    untold = replace(small(), under_way_told=False)

    assert not read_snapshot(write_snapshot(untold)).under_way_told
    assert "under_way_told" not in json.loads(write_snapshot(small()))
    assert not read_snapshot(document(not_read=[words])).under_way_told
    assert read_snapshot(document(not_read=[words], under_way_told=True)).under_way_told


def test_an_empty_cluster_is_a_snapshot_too() -> None:
    """No topic, no partition, brokers alone or not even these."""
    for brokers in ([], [Broker(1, "a")]):
        empty = Snapshot(ClusterLayout.from_assignments({}, brokers=brokers), NOON, "admin")

        assert_alike(read_snapshot(write_snapshot(empty)), empty)


@st.composite
def layouts(draw: st.DrawFn) -> ClusterLayout:
    """Layouts with any of the optional columns."""
    ids = draw(st.lists(st.integers(0, 2**31 - 1), min_size=1, max_size=5, unique=True))
    lists = draw(
        st.dictionaries(
            st.tuples(st.text(min_size=1, max_size=4, alphabet=st.characters(exclude_categories=["Cs"])),
                      st.integers(0, 2**31 - 1)),
            st.lists(st.sampled_from(ids), max_size=4),
            max_size=6,
        )
    )  # fmt: skip
    keys = sorted(lists)
    names = sorted({topic for topic, _ in keys})
    width = max((len(lists[key]) for key in keys), default=0)
    held = np.array([[i < len(lists[key]) for i in range(width)] for key in keys], np.bool_).reshape(len(keys), width)
    count = len(keys)

    def column(values: st.SearchStrategy[Any], shape: tuple[int, ...], kind: str) -> Any:
        total = int(np.prod(shape))
        return np.array(draw(st.lists(values, min_size=total, max_size=total)), kind).reshape(shape)

    columns: dict[str, Any] = {}
    for name in MASKS:
        if draw(st.booleans()):
            columns[name] = column(st.booleans(), (count, width), "bool") & held
    if draw(st.booleans()):
        columns["leader"] = column(st.sampled_from([*ids, NONE, NOT_TOLD]), (count,), "int32")
    if draw(st.booleans()):
        columns["leader_epoch"] = column(st.integers(-(2**31), 2**31 - 1), (count,), "int32")
    if "in_sync" in columns and draw(st.booleans()):
        columns["in_sync_told"] = column(st.booleans(), (count,), "bool")
    if draw(st.booleans()):
        paths = draw(st.lists(st.sampled_from(["/a", "/b", "ü", '"']), min_size=1, unique=True))
        found = column(st.integers(-1, len(paths) - 1), (count, width), "int32")
        columns |= {"log_dirs": paths, "log_dir": np.where(held, found, NONE)}
    size = st.one_of(st.just(float("nan")), st.integers(0, 2**60).map(float), st.floats(0, 1e300))
    match draw(st.sampled_from(["none", "partition", "replica"])):
        case "partition":
            columns["size_bytes"] = column(size, (count,), "float64")
        case "replica":
            columns["size_bytes"] = np.where(held, column(size, (count, width), "float64"), np.nan)
    if draw(st.booleans()):
        columns["min_in_sync"] = column(st.integers(-1, 5), (len(names),), "int32")
    return ClusterLayout.from_columns(
        topics=names,
        topic_of=np.array([names.index(topic) for topic, _ in keys], np.int32),
        partition=np.array([partition for _, partition in keys], np.int32),
        replicas=np.array([[*lists[key], *[NONE] * (width - len(lists[key]))] for key in keys], np.int32).reshape(
            count, width
        ),
        brokers=[Broker(i, draw(st.one_of(st.none(), st.text(max_size=3, alphabet="aü\n\""))), state=draw(
            st.sampled_from(BrokerState))) for i in ids],
        order_told=column(st.booleans(), (len(names),), "bool"),
        **columns,
    )  # fmt: skip


@given(layouts())
def test_any_layout_is_read_back(layout: ClusterLayout) -> None:
    """Column by column, and with the same identity."""
    snapshot = Snapshot(layout, NOON, "admin")
    again = read_snapshot(write_snapshot(snapshot))

    for item in fields(ClusterLayout):
        if item.name == "gaps":
            continue  # who told racks matters only where one is missing; the layouts are compared as a whole below
        np.testing.assert_array_equal(getattr(again.layout, item.name), getattr(layout, item.name), err_msg=item.name)
    assert again.layout == layout
    assert identity(again) == identity(snapshot)


def test_one_snapshot_has_one_text() -> None:
    """Whatever the order in which its mappings were filled; in UTF-8, without NaN or Infinity."""
    told = small()
    turned = replace(
        told,
        broker_configs={12: {}, 1: {"auto.leader.rebalance.enable": "true", "min.insync.replicas": "2"}},
        facts=dict(reversed(told.facts.items())),
        taken_at=NOON.astimezone(timezone(timedelta(hours=2))),
    )

    assert write_snapshot(turned) == write_snapshot(told)
    assert not {"NaN", "Infinity"} & set(write_snapshot(told).decode().replace(":", ",").split(","))


def test_sizes_that_are_none_are_not_told() -> None:
    """Below 0, infinite or not a number; fractions stay fractions."""
    layout = ClusterLayout.from_assignments(
        {("a", p): [1] for p in range(5)},
        size_bytes={("a", 0): -3.0, ("a", 1): float("inf"), ("a", 2): float("nan"), ("a", 3): 0.5, ("a", 4): 2.0**60},
    )
    again = read_snapshot(write_snapshot(Snapshot(layout, NOON, "text"))).layout

    assert again.size_bytes is not None
    np.testing.assert_array_equal(again.size_bytes, [np.nan, np.nan, np.nan, 0.5, 2.0**60])


def test_what_no_json_holds_is_written_all_the_same() -> None:
    """Lone surrogates, sets, numbers of numpy, huge numbers, NaN: from hostile clusters and careless readers."""
    strange = Snapshot(
        ClusterLayout.from_assignments({("a", 0): [1]}, brokers=[Broker(1, rack="\ud800", port=2**70)]),
        NOON,
        "admin",
        facts={"s": {2, 1}, "n": np.int64(3), "f": float("nan"), "big": 2**80, "a": np.array([1, 2]), "o": NOON},
        not_read=("\udfff",),
    )
    told = json.loads(write_snapshot(strange))

    assert told["brokers"][0]["rack"] == "?"
    assert told["facts"] == {"a": [1, 2], "big": str(2**80), "f": None, "n": 3, "o": str(NOON), "s": [1, 2]}
    assert told["not_read"] == ["?"]


def test_identity_is_what_a_snapshot_says() -> None:
    """Cluster, moment and layout; not how it was read nor what was found on the way."""
    told = small()
    layout = told.layout

    assert identity(replace(told, findings=(), protocol="text", original=None, facts={})) == identity(told)
    assert identity(replace(told, taken_at=NOON + timedelta(microseconds=1))) != identity(told)
    assert identity(replace(told, cluster="other")) != identity(told)
    assert identity(replace(told, layout=replace(layout, leader=layout.leader + 1))) != identity(told)
    assert identity(replace(told, layout=layout.with_racks({3: "c"}))) != identity(told)


def test_the_order_of_lists_that_keep_none_is_not_what_is_said() -> None:
    """A table without positions names replicas as they come, another time otherwise; what each has goes with it."""
    told = small()

    def swapped(row: int) -> Snapshot:
        order = np.array([[0, 1, 2], [0, 1, 2]])
        order[row] = [1, 0, 2]
        columns = {one.name: getattr(told.layout, one.name) for one in fields(ClusterLayout)}
        wide = {name: one for name, one in columns.items() if isinstance(one, np.ndarray) and one.ndim == 2}
        turned = {name: np.take_along_axis(one, order, axis=1) for name, one in wide.items()}
        return replace(told, layout=replace(told.layout, **turned))

    assert told.layout.order_told.tolist() == [False, True]
    assert identity(swapped(0)) == identity(told)
    assert identity(swapped(1)) != identity(told)
    other = replace(told.layout, size_bytes=np.array([[5.0, 0.0, np.nan], [1e9, 999_999_999.0, np.nan]]))
    assert identity(replace(told, layout=other)) != identity(told)


def test_padding_is_no_part_of_what_is_said() -> None:
    """A layout whose widest partition was taken out has the identity of one that never was so wide."""
    wide = ClusterLayout.from_assignments({("a", 0): [1, 2, 3], ("b", 0): [1]}, brokers=[Broker(i) for i in (1, 2, 3)])
    narrow = ClusterLayout.from_assignments({("b", 0): [1]}, brokers=[Broker(i) for i in (1, 2, 3)])
    cut, never = (Snapshot(layout, NOON, "text") for layout in (wide.without_topics(["a"]), narrow))

    assert identity(cut) == identity(never)
    assert write_snapshot(cut) == write_snapshot(never)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"reseat_snapshot": 4}, "version 4"),
        ({"reseat_snapshot": 2, "topic_ids": {"orders": "short"}}, "'topic_ids' has 'short' of topic 'orders'"),
        ({"reseat_snapshot": 2, "topic_ids": {"nowhere": "A" * 22}}, "of topic 'nowhere'"),
        ({"reseat_snapshot": "1"}, "version \"1\""),
        ({"taken_at": "yesterday"}, "'taken_at' is 'yesterday'"),
        ({"taken_at": "2026-05-01T12:00:00"}, "'taken_at'"),
        ({"taken_at": "0001-01-01T00:00:00+14:00"}, "'taken_at'"),
        ({"taken_at": "9999-12-31T23:59:59-01:00"}, "'taken_at'"),
        ({"taken_at": "GONE"}, "taken_at"),
        ({"consistency": "perhaps"}, "consistency"),
        ({"surprise": 1}, "surprise"),
        ({"brokers": [{"id": 1}]}, "replicas.broker names broker 3"),
        ({"brokers": [{"id": 3}, {"id": 2}, {"id": 1}]}, "replicas.broker|sorted"),
        ({"brokers": [{"id": -1}]}, "id"),
        ({"log_dir_paths": []}, "replicas.log_dir holds"),
        ({"findings": [{"kind": "k", "severity": "note", "sentence": "s.", "rows": [2], "brokers": [], "topics": [],
                        "places": []}]}, "none of the 2 partitions"),
        ({"broker_configs": {"x": {}}}, "not an id"),
        ({"topics": {"name": ["b", "a"], "partitions": [1, 1], "order_told": "11"}}, "sorted"),
        ({"topics": {"name": ["a", "b"], "partitions": [1, 1]}}, "order_told"),
        ({"topics": {"name": ["a", "b"], "partitions": [1, 2], "order_told": "11"}}, "partitions.id has 2 values"),
        ({"topics": {"name": ["a"], "partitions": [2], "order_told": "1"},
          "partitions": {"id": [1, 0], "replicas": [3, 2]}}, "a-0 is not in order"),
        ({"topics": {"name": ["a", "b"], "partitions": [1, 1], "order_told": "1x"}}, "digits"),
        ({"topics": {"name": ["a", "b"], "partitions": [1, 1], "order_told": [1, 1]}}, "digits"),
        ({"topics": {"name": ["a", "b"], "partitions": [1, 1], "order_told": "11", "x": []}}, "does not know"),
        ({"topics": {"name": ["a", "b"], "partitions": [-1, 3], "order_told": "11"}}, "holds -1"),
        ({"partitions": {"id": [0, 0], "replicas": [9, 9]}}, "replicas.broker has 5 values; 18"),
        ({"partitions": {"id": [0, 2**31], "replicas": [3, 2]}}, "partitions.id holds 2147483648"),
        ({"partitions": {"id": [0, 2**70], "replicas": [3, 2]}}, "too large"),
        ({"partitions": {"id": [0, "x"], "replicas": [3, 2]}}, "int"),
        ({"partitions": {"id": [0, 1.5], "replicas": [3, 2]}}, "int"),
        ({"partitions": {"id": {}, "replicas": [3, 2]}}, "array"),
        ({"partitions": {"id": [0, 0], "replicas": [3, 2], "size_bytes": [1, 2]}}, "both by partition and by replica"),
        ({"replicas": []}, "object"),
    ],
)  # fmt: skip
def test_what_does_not_fit_together_is_refused(changes: dict[str, object], words: str) -> None:
    """In one sentence that names what and where; never another exception, through either door."""
    data = document(**changes)

    with pytest.raises(InputRefused, match=words) as refused:
        read_snapshot(data, source="shop.json")
    assert str(refused.value).startswith("shop.json")
    with pytest.raises(InputRefused):
        read(data, source="shop.json")


def test_a_snapshot_that_is_cut_off_is_refused_with_the_place() -> None:
    """Was all of it copied?"""
    whole = write_snapshot(small())
    for end in range(20, len(whole) - 2, 97):
        with pytest.raises(InputRefused):
            read_snapshot(whole[:end])
    with pytest.raises(InputRefused, match="ends too early"):
        read(whole[: len(whole) // 2])


def test_limits_hold_before_the_heavy_work() -> None:
    """Partitions, replicas of one partition, cells, size of the text, nesting."""
    data = write_snapshot(small())

    for limits in (Limits(partitions=1), Limits(replicas=2), Limits(cells=4), Limits(megabytes=0)):
        with pytest.raises(LimitMet):
            read_snapshot(data, limits=limits)
    deep: object = 1
    for _ in range(200):
        deep = [deep]
    with pytest.raises(LimitMet, match="nested"):
        read_snapshot(document(facts={"deep": deep}))


def test_long_columns_are_read_piece_by_piece(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cut at commas; a list of lists is refused, wherever it is cut."""
    monkeypatch.setattr("reseat.formats.documents.snapshot_columns.PIECE", 3)

    assert_alike(read_snapshot(write_snapshot(small())), small())
    for ids in ([[0], [1]], [0, [1, 2]], [[0, 1]], "0,1"):
        with pytest.raises(InputRefused):
            read_snapshot(document(partitions={"id": ids, "replicas": [3, 2]}))


def test_a_snapshot_is_recognised_by_its_first_key() -> None:
    """Also with white space, and whatever its file is called."""
    assert is_snapshot(write_snapshot(small()))
    assert is_snapshot(b'\n { "reseat_snapshot" : 1')
    assert not is_snapshot(b'{"version":1,"partitions":[]}')
    assert read(write_snapshot(small()), source="x.txt").kind == "snapshot of Reseat"
    assert read(json.dumps(json.loads(write_snapshot(small())), indent=1)).layout == small().layout


def test_a_snapshot_is_a_reading_like_any_other() -> None:
    """Layout, findings, facts about the cluster and the moment, and what was asked for as the proposed assignment."""
    reading = read(write_snapshot(small()), source="shop.json")

    assert reading.layout == small().layout
    assert reading.source == "shop.json"
    assert [found.kind for found in reading.findings] == ["half_written", "unsettled", "not_read"]
    assert reading.proposed is not None
    assert reading.proposed.assignments() == {("orders", 10): [2, 3]}
    assert {name: reading.facts[name] for name in ("cluster", "cluster_id", "taken_at", "way", "controller")} == {
        "cluster": "shop",
        "cluster_id": "kK1mDyWoQ8C2rQqX7u6qKw",
        "taken_at": "2026-05-01T12:00:00.123456Z",
        "way": "zookeeper",
        "controller": 1,
    }
    assert reading_of(small()).source == "shop"


@pytest.mark.parametrize(
    ("brokers", "topics", "found"),
    [
        ({}, {}, None),
        ({1: "false"}, {"audit": "false"}, None),
        ({}, {"audit": "true"}, "1 topic (audit)"),
        ({1: "false", 2: "true"}, {}, "2 topics (audit and orders)"),
        ({1: "true", 2: "true"}, {"orders": "false"}, "1 topic (audit)"),
        ({1: "false"}, {"orders": "True"}, "1 topic (orders)"),  # as ZooKeeper's node was written by hand
    ],
)
def test_topics_that_a_replica_out_of_sync_may_lead_are_told(
    brokers: dict[int, str], topics: dict[str, str], found: str | None
) -> None:
    """By a topic's own setting, else by a broker's: it was read, and said by nobody."""
    name = "unclean.leader.election.enable"
    told = replace(
        small(),
        broker_configs={broker: {name: value} for broker, value in brokers.items()},
        topic_configs={topic: {name: value} for topic, value in topics.items()},
    )
    said = [one.sentence for one in reading_of(told).findings if one.kind == "unclean_enabled"]

    assert said == (
        []
        if found is None
        else [
            f"An unclean leader election is enabled for {found}: once no in-sync replica is left, another one leads, "
            "and what it lacks is lost."
        ]
    )


RATE, THROTTLED = "follower.replication.throttled.rate", "follower.replication.throttled.replicas"


@pytest.mark.parametrize(
    ("brokers", "topics", "more", "found"),
    [
        ({1: {RATE: "1000"}}, {"orders": {THROTTLED: "10:2"}}, {}, ("orders",)),
        ({1: {RATE: "1000"}}, {"orders": {THROTTLED: "*"}, "audit": {THROTTLED: ""}}, {}, ("orders",)),
        ({1: {RATE: "1000"}}, {}, {}, ()),
        ({1: {}}, {"orders": {THROTTLED: "*"}}, {}, ()),  # no rate: nothing is limited
        ({1: {RATE.replace("follower", "leader"): "1000"}}, {"orders": {THROTTLED: "*"}}, {}, ()),
        ({1: {RATE: "1000"}}, {"orders": {THROTTLED: "*"}}, {"under_way_told": False}, ()),
        ({1: {RATE: "1000"}}, {"orders": {THROTTLED: "*"}}, {"pending": {("orders", 10): (1, 2)}}, ()),
        ({1: {RATE: "1000"}}, {"orders": {THROTTLED: "*"}}, {"layout": small().layout}, ()),  # it is under way there
    ],
)
def test_a_throttle_that_stays_without_a_reassignment_is_told(
    brokers: dict[int, dict[str, str]],
    topics: dict[str, dict[str, str]],
    more: dict[str, Any],
    found: tuple[str, ...],
) -> None:
    """It limits normal replication, whoever left it; it was read, and said by nobody."""
    quiet = replace(small().layout, adding=None, removing=None)
    settings = {"broker_configs": brokers, "topic_configs": topics}
    told = replace(small(), **{"layout": quiet, "pending": {}} | settings | more)
    said = [one for one in reading_of(told).findings if one.kind == "throttle_left"]

    assert [one.topics for one in said] == ([found] if found else [])
    assert all("is still set for 1 topic (orders), and no reassignment is in progress" in one.sentence for one in said)


@pytest.mark.parametrize(
    ("values", "found"),
    [([], False), (["true"], False), (["false", "true"], False), (["false", "False"], True)],
)
def test_a_cluster_whose_leaders_do_not_return_by_themselves_is_told(values: list[str], found: bool) -> None:
    """The Leaders page counts the elections of an automatic rebalance that such a cluster never has."""
    name = "auto.leader.rebalance.enable"
    told = replace(small(), broker_configs={broker: {name: value} for broker, value in enumerate(values)})

    assert ("auto_rebalance_off" in {one.kind for one in reading_of(told).findings}) is found


@pytest.mark.parametrize(
    ("voters", "nodes", "kind"),
    [
        ((1, 2), {1: "false", 2: "false", 3: "true"}, "auto_rebalance_off"),
        ((1, 2), {1: "true", 2: "false", 3: "false"}, None),
        ((7, 8), {1: "false", 3: "false"}, "auto_rebalance_unknown"),
        ((7, 8), {1: "true", 3: "false"}, None),
        (None, {1: "false"}, "auto_rebalance_unknown"),
    ],
)
def test_on_kraft_the_controllers_decide_whether_leaders_return(
    voters: tuple[int, ...] | None, nodes: dict[int, str], kind: str | None
) -> None:
    """Of controllers that are no brokers nothing is read."""
    name = "auto.leader.rebalance.enable"
    quorum = None if voters is None else Quorum(voters[0], tuple(map(QuorumMember, voters)))
    configs = {node: {name: value} for node, value in nodes.items()}
    told = reading_of(replace(small(), metadata="kraft", quorum=quorum, broker_configs=configs)).findings

    assert [one.kind for one in told if one.kind.startswith("auto_")] == ([] if kind is None else [kind])


def test_racks_in_a_file_of_their_own_are_filled_in() -> None:
    """As beside any other layout."""
    bare = Snapshot(ClusterLayout.from_assignments({("a", 0): [1, 2]}), NOON, "text")
    together = combine([read(write_snapshot(bare)), read("broker,rack\n1,a\n2,b\n")])

    assert [broker.rack for broker in together.layout.brokers] == ["a", "b"]


def test_a_snapshot_within_a_paste_is_found() -> None:
    """A prompt before it, a word behind it: what is not of it is listed."""
    text = "$ cat shop.json\n" + write_snapshot(small()).decode() + "done\n"
    reading = read(text)

    assert reading.layout == small().layout
    assert [piece.text for piece in reading.skipped] == ["$ cat shop.json", "done"]


def test_a_moment_of_any_year_reads_back() -> None:
    """Years have four digits, so that texts sort as the moments do."""
    layout = ClusterLayout.from_assignments({("t", 0): [1]})
    for year in (1, 999, 9999):
        snapshot = Snapshot(layout, datetime(year, 5, 1, tzinfo=UTC), "admin")

        assert read_snapshot(write_snapshot(snapshot)).taken_at == snapshot.taken_at
