"""What the rack board is told of a layout and a plan."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np

from reseat.balance.board import MOST_DIRECTORIES, MOST_FLOWS, board_data
from reseat.demo.generate import generate
from reseat.model import Broker, BrokerState, Certificate, ClusterLayout, LogDirectory, Plan, Wish
from reseat.model.naming import next_id

BROKERS = [
    Broker(1, "a", "kafka-1.example.net", state=BrokerState.ALIVE),
    Broker(2, "b", "kafka-2.example.net", state=BrokerState.DEAD),
    Broker(5, None, "kafka-5.example.net", state=BrokerState.ALIVE),
]
LAYOUT = ClusterLayout.from_assignments(
    {("orders", 0): [1, 2], ("orders", 1): [2, 1], ("orders", 2): [1, 5]},
    brokers=BROKERS,
    leaders={("orders", 0): 1, ("orders", 1): 1, ("orders", 2): None},
    in_sync={("orders", 0): [1], ("orders", 1): [2, 1]},
    size_bytes={("orders", 0): 1000.0, ("orders", 1): 24.0, ("orders", 2): 0.0},
)


def moved(layout: ClusterLayout, wish: Wish, proposed: dict[tuple[str, int], list[int]]) -> Plan:
    """A plan that leads to these lists."""
    current = layout.with_racks(dict(wish.add))
    target = ClusterLayout.from_assignments(proposed, brokers=current.brokers)
    return Plan(current, target, Certificate(wish=wish, moves=1))


def test_brokers_are_told_as_columns() -> None:
    """Counts, racks, states and hosts by broker; hosts without the domain that all share."""
    data = board_data(LAYOUT, Wish(), None)

    assert data["racks"] == ["a", "b"]
    assert data["brokers"] == {
        "id": [1, 2, 5],
        "rack": [0, 1, -1],
        "host": ["kafka-1", "kafka-2", "kafka-5"],
        "state": [0, 4, 0],
        "replicas": [3, 2, 1],
        "leaders": [2, 1, 0],
        "bytes": [1020, 1020, 0],
        "behind": [0, 1, 0],
        "stuck": [1, 0, 1],
        "after": None,
        "leadersAfter": None,
        "bytesAfter": None,
    }
    assert data["noRack"] == "rack unknown"
    assert (data["hostTail"], data["nextId"], data["needs"], data["planned"]) == (".example.net", 6, 2, False)
    assert data["leads"] == "preferred"


def test_what_a_cordon_holds_does_not_move() -> None:
    """a-0 has a replica on cordoned broker 2 and stays on 1; of broker 2 only what broker 5 has, too, stays."""
    lists = {("a", 0): [1, 2], ("a", 1): [1, 3], ("a", 2): [5, 2]}
    brokers = [Broker(i, state=BrokerState.CORDONED if i in (2, 5) else BrokerState.ALIVE) for i in (1, 2, 3, 5)]
    cordoned = ClusterLayout.from_assignments(lists, brokers=brokers)

    assert board_data(cordoned, Wish(), None)["brokers"]["stuck"] == [1, 1, 0, 1]
    assert board_data(cordoned, Wish(remove=(2,)), None)["brokers"]["stuck"] == [0, 1, 0, 0]
    assert board_data(cordoned, Wish(), None)["brokers"]["state"] == [0, 1, 0, 1]


def test_racks_stand_in_natural_order() -> None:
    """rack-2 before rack-10; brokers point at the rack's place in that order."""
    brokers = [Broker(1, "rack-10"), Broker(2, "rack-2"), Broker(3)]
    data = board_data(ClusterLayout.from_assignments({("t", 0): [1, 2, 3]}, brokers=brokers), Wish(), None)

    assert data["racks"] == data["rackNames"] == ["rack-2", "rack-10"]
    assert data["brokers"]["rack"] == [1, 0, -1]


def test_a_dead_broker_does_not_hold_nothing() -> None:
    """Nobody told the sizes of its replicas: that is not the same as 0 bytes, which a broker without any holds."""
    sizes = np.where(LAYOUT.replica_ids == 2, np.nan, 24.0)
    data = board_data(replace(LAYOUT, size_bytes=sizes), Wish(), None)

    assert data["brokers"]["bytes"] == [72, None, 24]  # type: ignore[index]


def test_a_plan_tells_what_is_afterwards_and_who_gives_to_whom() -> None:
    """Broker 2 out: its two replicas go to broker 5, and the flow says so by entries."""
    wish = Wish(remove=(2,))
    plan = moved(LAYOUT, wish, {("orders", 0): [1, 5], ("orders", 1): [5, 1], ("orders", 2): [1, 5]})
    data = board_data(LAYOUT, wish, plan)

    assert data["brokers"]["after"] == [3, 0, 3]  # type: ignore[index]
    assert data["brokers"]["leadersAfter"] == [2, 0, 1]  # type: ignore[index]
    assert data["flows"] == [1, 2, 2]
    assert data["out"] == [2]


def test_leaders_are_the_same_measure_before_and_after_a_plan() -> None:
    """Brokers 1 and 5 are moved nothing: whom they lead now and who prefers them is never set side by side."""
    plan = moved(LAYOUT, Wish(remove=(2,)), LAYOUT.assignments())
    columns = board_data(LAYOUT, Wish(remove=(2,)), plan)["brokers"]

    assert columns["leaders"] == columns["leadersAfter"] == [2, 1, 0]  # type: ignore[index]


def test_where_no_order_is_told_the_leaders_are_those_of_now() -> None:
    """Nobody knows the preferred ones then, and nothing can be planned; the board says which it counts."""
    layout = ClusterLayout.from_assignments({("t", 0): [1, 2]}, leaders={("t", 0): 2}, order_told=False)
    data = board_data(layout, Wish(), None)

    assert (data["leads"], data["brokers"]["leaders"]) == ("current", [0, 1])  # type: ignore[index]


def test_a_refused_wish_still_shows_the_broker_that_joins() -> None:
    """Without a plan the added broker has an empty tile in its rack."""
    data = board_data(LAYOUT, Wish(add=((7, "b"),)), None)

    assert data["brokers"]["id"] == [1, 2, 5, 7]  # type: ignore[index]
    assert data["brokers"]["rack"] == [0, 1, -1, 1]  # type: ignore[index]
    assert data["brokers"]["replicas"][3] == 0  # type: ignore[index]
    assert data["added"] == [7]


def test_what_is_not_told_is_null_and_not_zero() -> None:
    """A bare assignment whose order is not told has no leaders, sizes or hosts."""
    bare = ClusterLayout.from_assignments({("t", 0): [1, 2]}, order_told=False)
    columns = board_data(bare, Wish(), None)["brokers"]

    assert [columns[name] for name in ("leaders", "bytes", "behind", "host")] == [None] * 4  # type: ignore[index]


def test_addresses_keep_their_ends() -> None:
    """10.0.0.1 and 10.1.0.1 share an end that is no domain."""
    brokers = [Broker(1, host="10.0.0.1"), Broker(2, host="10.1.0.1")]
    layout = ClusterLayout.from_assignments({("t", 0): [1, 2]}, brokers=brokers)

    assert board_data(layout, Wish(), None)["brokers"]["host"] == ["10.0.0.1", "10.1.0.1"]  # type: ignore[index]


def test_a_reassignment_under_way_is_drawn_at_its_target() -> None:
    """The replica that leaves is not counted: the plan starts from where the reassignment will end."""
    layout = ClusterLayout.from_columns(
        topics=["t"], topic_of=[0], partition=[0], replicas=[[1, 2, 3]], removing=[[False, True, False]]
    )

    assert board_data(layout, Wish(), None)["brokers"]["replicas"] == [1, 0, 1]  # type: ignore[index]


def test_a_thousand_brokers_are_told_in_under_100_kb() -> None:
    """Also with 100 brokers out, whose flows alone would be 90,000."""
    layout = generate(1000, 20_000, racks=10)
    out = tuple(int(i) for i in layout.broker_ids[::10])
    ids = layout.replica_ids.copy()
    ids[np.isin(ids, out)] = int(layout.broker_ids[1])
    proposed = ClusterLayout.from_columns(
        topics=layout.topics,
        topic_of=layout.topic_of,
        partition=layout.partition,
        replicas=ids,
        brokers=layout.brokers,
        size_bytes=layout.size_bytes,
    )
    wish = Wish(remove=out)
    data = board_data(layout, wish, Plan(layout, proposed, Certificate(wish=wish, moves=0)))

    assert len(json.dumps(data, separators=(",", ":"))) < 100_000
    assert len(data["flows"]) <= 3 * MOST_FLOWS  # type: ignore[arg-type]


def test_a_racks_name_is_shown_without_what_turns_it_round() -> None:
    """Events name the rack as it is; what is drawn cannot be written backwards by its name."""
    layout = LAYOUT.with_racks({1: "az\u202e1"})
    data = board_data(layout, Wish(), None)

    assert data["racks"] == ["az\u202e1", "b"]
    assert data["rackNames"] == ["az\ufffd1", "b"]


def test_a_brokers_directories_are_told_where_there_are_several_or_one_is_offline() -> None:
    """What lies in each and what is left; of too many none is sent."""
    layout = replace(LAYOUT, log_dir=np.zeros(LAYOUT.replicas.shape, np.int32), log_dirs=("/a",))
    told = (
        LogDirectory(1, "/a", 9, 5),
        LogDirectory(1, "/b", error="KAFKA_STORAGE_ERROR"),
        LogDirectory(2, "/a", 9, 5),
    )
    many = tuple(LogDirectory(1, f"/{i}") for i in range(MOST_DIRECTORIES + 1))
    directories = board_data(layout, Wish(), None, told)["directories"]

    assert list(directories) == ["1"]  # type: ignore[call-overload]
    (a, b) = directories["1"]  # type: ignore[index]
    assert (a[0], a[3], a[4]) == ("/a", 5, "online")
    assert b == ["/b", 0, 0, None, "offline"]
    assert board_data(layout, Wish(), None, many)["directories"] == {}


def test_a_new_broker_gets_no_controllers_id() -> None:
    """Controllers that are no brokers have no tiles, and KRaft counts them among nodes: their ids are taken."""
    highest = max(broker.id for broker in LAYOUT.brokers)
    drawn = board_data(LAYOUT, Wish(), None, (), (highest + 1, highest + 2, 10_000))

    assert drawn["brokers"]["id"] == board_data(LAYOUT, Wish(), None)["brokers"]["id"]  # type: ignore[index]
    assert drawn["nextId"] == highest + 3
    assert next_id([1, 2**31 - 1], taken=[0, 2]) == 3  # Kafka has no larger id
