"""The Leaders page: an election now, once the plan is done, while brokers are stopped, and the next restart."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from components.leaders.walk_state import Walk, from_query, to_query
from components.state.store import KEY
from reseat.election import Move, MoveKind
from reseat.model import NOT_TOLD, Broker, BrokerState, ClusterLayout, Finding, Quorum, QuorumMember, Severity, Wish

from .conftest import address, small, tables, texts, two_disks


def test_an_election_now_is_previewed_partition_by_partition(opened):
    """orders-1 is led by 3 though 2 is preferred and in sync: it alone is elected."""
    at = opened("leaders")
    rows = tables(at)[0].value

    assert not at.exception
    assert at.metric[0].value == "1"
    assert rows[["topic", "partition", "leader now", "leader after election"]].to_numpy().tolist() == [
        ["orders", 1, "3", "2"]
    ]


def test_who_is_elected_instead_of_the_preferred_one_is_elected(opened):
    """Leader and preferred replica are fenced: KRaft elects the third, and the figure says so as the sentence does."""
    layout = ClusterLayout.from_assignments(
        {("t", 0): [1, 2, 3]},
        brokers=[Broker(1, state=BrokerState.FENCED), Broker(2, state=BrokerState.FENCED), Broker(3)],
        leaders={("t", 0): 2},
        in_sync={("t", 0): [1, 2, 3]},
    )
    at = opened("leaders", layout, facts={"metadata": "kraft"})

    assert "A preferred leader election changes the leader of 1 partition." in texts(at)
    assert next(one.value for one in at.metric if one.label == "Elected") == "1"


def test_an_election_of_a_pasted_layout_has_its_command_and_its_file(opened):
    """The file names orders-1 alone, the one that would be elected; the command takes the file."""
    at = opened("leaders")
    at.segmented_control(key="election-view-3").set_value("Command").run()

    assert not at.exception
    assert [one.label for one in at.get("download_button")] == ["Election (election.json), 1 partition"]
    assert at.code[0].value == (
        "bin/kafka-leader-election.sh --bootstrap-server HOST:9092 --election-type PREFERRED "
        "--path-to-json-file election.json"
    )


def test_the_plan_has_a_preview_only_where_something_is_wished(opened):
    """Without a what-if there is no plan to preview; with one there is."""
    at = opened("leaders")

    assert "After the plan" not in at.segmented_control[0].options

    at = opened("leaders", wish=Wish(remove=(3,)))

    assert not at.exception
    assert "leader while data moves" in texts(at)

    at.segmented_control(key="strip-after-True").set_value(False).run()

    assert not at.exception
    assert "A preferred leader election changes the leader of 1 partition." in texts(at)


def test_a_leader_that_is_unknown_is_no_change_after_the_plan(opened):
    """As the sentences and the report have it: of whom it is known who leads, the leader of one partition changes."""
    layout = small()
    wish = Wish(remove=(1,))
    assert "2 partitions change leader while data moves; 1 more" in texts(opened("leaders", layout, wish))

    leader = layout.leader.copy()
    leader[layout.row("orders", 0)] = NOT_TOLD
    at = opened("leaders", replace(layout, leader=leader), wish)

    assert "1 partition changes leader while data moves; " in texts(at)

    at = opened("leaders", replace(layout, leader=np.full_like(leader, NOT_TOLD)), wish)

    assert "leader changes while data moves are unknown" in texts(at)
    assert [one.value for one in at.metric][:2] == ["unknown", "unknown"]


def test_an_election_that_makes_leaders_less_even_says_so(opened):
    """Broker 1 is preferred everywhere and leads a half: elected, it leads all, and that is in the answer."""
    lists = {("orders", i): [1, 2] for i in range(4)}
    at = opened("leaders", ClusterLayout.from_assignments(lists, leaders={key: 1 + key[1] % 2 for key in lists}))
    answer = next(str(one.value) for one in at.title if "election changes" in str(one.value)).replace("\\", "")

    assert "It worsens leader balance: the leader spread (max − min) rises from 0 to 4." in answer
    assert texts(at).count("worsens leader balance") == 1

    even = opened("leaders", ClusterLayout.from_assignments(lists, leaders=dict.fromkeys(lists, 2)))

    assert "worsens leader balance" not in texts(even)


def test_a_stopped_broker_hands_over(opened):
    """Broker 3 leads orders-1 and orders-2: brokers 2 and 1 take over, and nothing goes offline."""
    at = opened("leaders")
    at.segmented_control[0].set_value("Broker outage").run()
    at.multiselect(key="stopped-brokers-0").set_value([3]).run()

    assert not at.exception
    assert at.metric[0].value == "2"
    assert at.metric[1].value == "0"


def test_the_next_restart_is_named_with_why_the_others_wait(opened):
    """Every broker has a verdict with a reason."""
    at = opened("leaders")
    at.segmented_control[0].set_value("Rolling restart").run()
    rows = tables(at)[0].value

    assert not at.exception
    assert sorted(rows["broker"]) == [1, 2, 3, 4]
    assert rows["why"].str.len().min() > 0


def test_brokers_that_take_the_quorum_with_them_are_said_to(opened):
    """Nobody fails over then, whatever the figures say."""
    at = opened("leaders", quorum=Quorum(1, tuple(QuorumMember(one, behind_seconds=0.1) for one in (1, 2, 3))))
    at.segmented_control[0].set_value("Broker outage").run()
    at.multiselect(key="stopped-brokers-0").set_value([1, 2]).run()

    assert not at.exception
    assert "2 of 3 voters of the controller quorum (1 and 2): it is lost." in texts(at)


def test_an_outage_says_where_unclean_elections_are_enabled(opened):
    """What the page calls offline is led by a replica out of sync then."""
    said = "An unclean leader election is enabled for 1 topic (orders)."
    found = (Finding("unclean_enabled", Severity.ATTENTION, said, topics=("orders",)),)
    shown = []
    for brokers in ([1, 2, 3], [3]):
        at = opened("leaders", findings=found)
        at.segmented_control[0].set_value("Broker outage").run()
        at.multiselect(key="stopped-brokers-0").set_value(brokers).run()
        assert not at.exception
        shown.append(texts(at).count(said))

    assert shown == [2, 1]  # Data quality has it in any case


def test_an_automatic_rebalance_that_is_off_elects_nobody(opened):
    """Where the cluster says so, nobody waits for elections that never come."""
    said = "auto.leader.rebalance.enable is false."
    shown = []
    for findings in ((), *((Finding(f"auto_rebalance_{one}", Severity.NOTE, said),) for one in ("off", "unknown"))):
        at = opened("leaders", findings=findings)
        assert not at.exception
        shown += [one.value for one in at.metric if one.label == "auto.leader.rebalance"]

    assert shown == ["1 election", "off", "unknown"]


def test_a_restart_counts_as_the_controller_that_is_chosen(opened):
    """As an outage does: KRaft asks for no more in-sync replicas than there are, so the second one is needed."""
    layout = ClusterLayout.from_assignments({("t", 0): [1, 2]}, leaders={("t", 0): 1}, in_sync={("t", 0): [1, 2]})
    at = opened("leaders", replace(layout, min_in_sync=np.array([3], np.int32)), facts={"metadata": "kraft"})
    at.segmented_control[0].set_value("Rolling restart").run()

    assert "2 partitions" not in texts(at)
    assert "No broker is safe to restart now." in texts(at)

    next(one for one in at.segmented_control if one.label == "Controller").set_value("zookeeper").run()

    assert "Restart broker 2 next" in texts(at)


def test_a_restart_that_would_end_the_quorum_waits(opened):
    """Controllers that are brokers too, and one of three that follows no more."""
    behind = {1: 0.1, 2: 0.1, 3: 90.0}
    quorum = Quorum(1, tuple(QuorumMember(one, behind_seconds=late) for one, late in behind.items()))
    at = opened("leaders", quorum=quorum)
    at.segmented_control[0].set_value("Rolling restart").run()
    why = tables(at)[-1].value.set_index("broker")["why"]

    assert not at.exception
    assert "controller quorum would be lost, with 1 of 3 voters up and 2 needed" in why[2]
    assert "quorum" not in why[4]


@pytest.mark.parametrize(
    ("told", "last"),
    [
        ({"quorum": Quorum(4, tuple(QuorumMember(one, behind_seconds=0.1) for one in (1, 2, 4)))}, True),
        ({"facts": {"controller": 4, "metadata": "zookeeper"}}, True),
        ({"facts": {"controller": 4, "metadata": "kraft"}}, False),
        ({"facts": {"controller": 4}}, False),  # kcat says it of any broker
    ],
)
def test_the_active_controller_is_restarted_last(opened, told, last):
    """As its quorum tells, or ZooKeeper; a client of KRaft is told of any broker."""
    lists = {("t", 0): [1, 2, 3], ("t", 1): [2, 3, 4], ("t", 2): [3, 4, 1]}
    layout = ClusterLayout.from_assignments(
        lists, leaders={key: ids[0] for key, ids in lists.items()}, in_sync=lists, brokers=[Broker(4)]
    )
    at = opened("leaders", layout, **told)
    at.segmented_control[0].set_value("Rolling restart").run()
    rows = tables(at)[-1].value

    assert not at.exception
    assert rows["broker"].tolist() == ([1, 2, 3, 4] if last else [4, 1, 2, 3])
    assert ("restart it last" in rows["why"].iloc[-1]) is last


def test_what_a_restart_assumes_is_said_once_above_the_table(opened):
    """Each row repeated it, and what differs between the rows was cut off behind it."""
    at = opened("leaders", ClusterLayout.from_assignments({("orders", 0): [1, 2]}))
    at.segmented_control[0].set_value("Rolling restart").run()

    assert not at.exception
    assert texts(at).count("The ISR of 1 partition is unknown") == 1
    assert not tables(at)[0].value["why"].str.contains("unknown").any()


def test_what_is_not_told_is_not_counted_as_none(opened):
    """A bare assignment tells no leader: nothing is said to be elected, led or rebalanced in no partition."""
    at = opened("leaders", ClusterLayout.from_assignments({("orders", 0): [1, 2]}))
    told = {metric.label: metric.value for metric in at.metric}

    assert told["Elected"] == told["Already led"] == told["auto.leader.rebalance"] == "unknown"


def test_an_order_that_is_not_told_is_not_called_no_change(opened):
    """Without assignment order nobody knows the preferred leader, and the page does not claim to."""
    layout = ClusterLayout.from_assignments({("orders", 0): [1, 2]}, leaders={("orders", 0): 1}, order_told=False)
    at = opened("leaders", layout)

    assert "changes no leader" not in texts(at)
    assert "the source does not keep replica order" in texts(at)


def test_what_goes_offline_comes_first_and_can_be_listed(opened):
    """Brokers 1 and 2 together hold all of orders-0: that is the answer, and its partition is in a list."""
    at = opened("leaders")
    at.segmented_control[0].set_value("Broker outage").run()
    at.multiselect(key="stopped-brokers-0").set_value([1, 2]).run()

    assert "While brokers 1 and 2 are stopped, 1 partition goes offline." in texts(at)
    assert at.metric[1].value == ":red[:material/error: 1]"

    next(box for box in at.segmented_control if box.label == "List").set_value("Go offline").run()

    assert not at.exception
    assert tables(at)[0].value[["topic", "partition"]].to_numpy().tolist() == [["orders", 0]]


def test_a_whole_rack_can_be_stopped(opened):
    """Rack b holds brokers 2 and 4."""
    at = opened("leaders")
    at.segmented_control[0].set_value("Broker outage").run()
    at.multiselect(key="stopped-racks").set_value(["b"]).run()

    assert not at.exception
    assert "brokers 2 and 4" in texts(at)


def listed(at, name: str) -> list[list[object]]:
    """The partitions in one of the lists."""
    next(box for box in at.segmented_control if box.label == "List").set_value(name).run()
    return tables(at)[0].value[["topic", "partition"]].to_numpy().tolist()


def test_what_unclean_election_would_bring_back_is_told(opened):
    """orders-0 has lost broker 2 from its ISR: while 1 is stopped, 2 could lead it, with loss."""
    before = small()
    in_sync = before.in_sync.copy()
    in_sync[before.row("orders", 0)] = [True, False]
    at = opened("leaders", replace(before, in_sync=in_sync))
    at.segmented_control[0].set_value("Broker outage").run()
    at.multiselect(key="stopped-brokers-0").set_value([1]).run()

    assert "Unclean election would recover 1 of 1 offline partition" in texts(at)
    assert listed(at, "Unclean recovers") == [["orders", 0]]


def test_a_majority_stands_beside_what_is_stopped(opened):
    """Two replicas each: with one broker out half of them are no majority, and three would be needed."""
    at = opened("leaders")
    at.segmented_control[0].set_value("Broker outage").run()
    at.multiselect(key="stopped-brokers-0").set_value([1]).run()
    next(box for box in at.segmented_control if box.label == "List").set_value("Compared with majority quorum").run()
    rows = tables(at)[0].value

    assert rows["replicas"].tolist() == [8, 8, 12]
    assert rows["available partitions"].tolist() == ["4 of 4", "1 of 4", "as Kafka or more"]


def test_without_a_partition_of_two_replicas_no_story_is_told(opened):
    """The example needs two live replicas of a partition; without any, one stands at the initial state."""
    at = opened("leaders", ClusterLayout.from_assignments({("a", 0): [1], ("a", 1): [2]}))
    at.segmented_control[0].set_value("Step by step").run()

    assert not at.exception
    assert "Initial state." in texts(at)


@pytest.mark.parametrize(("state", "down"), [(BrokerState.FENCED, "1"), (BrokerState.NOT_TOLD, "unknown")])
def test_the_initial_state_is_what_the_pages_say_of_the_present(opened, state, down):
    """A fenced broker is down, as above every page; of brokers and leaders of which nothing is told nothing is 0."""
    other = BrokerState.ALIVE if state is BrokerState.FENCED else state
    layout = ClusterLayout.from_assignments({("t", 0): [1], ("t", 1): [2]})
    at = opened("leaders", layout.with_brokers([Broker(1, state=other), Broker(2, state=state)]))
    at.segmented_control[0].set_value("Step by step").run()
    figures = {metric.label: metric.value for metric in at.metric}

    assert (figures["Brokers down"], figures["Offline"]) == (down, "unknown")


def test_in_the_example_no_broker_stops_that_is_down(opened):
    """Broker 1 is down already: its two fellows stop."""
    brokers = [Broker(1, state=BrokerState.DEAD), Broker(2), Broker(3)]
    at = opened("leaders", ClusterLayout.from_assignments({("a", 0): [1, 2, 3]}, brokers=brokers))
    at.segmented_control[0].set_value("Step by step").run()

    assert not at.exception
    assert address(at)["walk"] == "stop:2;stop:3;return:2;preferred"


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ({"when": "outage", "out": "1\n4\n9"}, "Left out, because it is not offered here: 4 and 9."),
        (
            {"when": "walk", "walk": "stop:1;stop:4;return:4", "at": "3"},
            "Left out, because this layout lacks a broker of it: 4 stops and 4 returns.",
        ),
    ],
)
def test_a_broker_that_the_what_if_removes_is_said_to_be_left_out(opened, app, query, said):
    """What remains is shown, and who came by the link knows that it is not all."""
    app.query_params.update(query)
    at = opened("leaders", wish=Wish(remove=(4,)))

    assert not at.exception
    assert said in texts(at)

    at.segmented_control(key="strip-after-True").set_value(False).run()

    assert "4 stops" not in texts(at)


@pytest.mark.parametrize(
    ("page", "query"),
    [
        ("leaders", {"when": "restart"}),
        ("leaders", {"detail": "auto"}),
        ("heatmap", {"heat_open": "orders-1"}),
        ("resilience", {"numbers": "yes", "table": "pairs"}),
        ("overview", {}),
    ],
    ids=str,
)
def test_ids_of_brokers_are_drawn_as_whole_numbers(opened, app, page, query):
    """Not as 1,001, nor with Streamlit's "plain": of 1001, Kafka's own first id, it shows digits behind the point."""
    app.query_params.update(query)
    at = opened(page, log_dirs=two_disks(10**12))
    drawn = [
        json.loads(table.proto.columns)[name]["type_config"]["format"]
        for table in tables(at)
        for name in ("broker", "other broker")
        if name in table.value and pd.api.types.is_integer_dtype(table.value[name])
    ]

    assert not at.exception
    assert set(drawn) == {"%d"}


def test_a_story_is_walked_back_and_forth(opened):
    """The example: 1 stops, 4 stops, 1 returns, an election; _schemas-0, on both, waits for 4, which left it last."""
    at = opened("leaders")
    at.segmented_control[0].set_value("Step by step").run()

    assert "Broker 1 stops: 2 leaders change." in texts(at)

    at.button(key="walk-on").click().run()

    assert not at.exception
    assert "Broker 4 stops: 1 leader changes. 1 partition is offline." in texts(at)
    assert listed(at, "Offline") == [["_schemas", 0]]

    at.button(key="walk-on").click().run()
    at.button(key="walk-on").click().run()

    assert "A preferred election is run: 2 leaders change." in texts(at)
    assert at.button(key="walk-on").disabled

    at.button(key="walk-back").click().run()

    assert "Broker 1 returns: 0 leaders change. 1 partition is offline." in texts(at)


def test_steps_are_added_and_taken_out(opened):
    """A whole rack stops after the first step; taken out again the story is as it was."""
    at = opened("leaders")
    at.segmented_control[0].set_value("Step by step").run()
    box = next(one for one in at.multiselect if one.label == "And racks")
    box.set_value(["b"]).run()
    at.button(key="walk-add").click().run()

    assert not at.exception
    assert "Brokers 2 and 4 stop: 2 leaders change." in texts(at)
    strip = next(one for one in at.segmented_control if one.label == "Steps")
    assert strip.options[1:3] == ["1 · 1 stops", "2 · 2 and 4 stop"]

    at.button(key="walk-remove").click().run()

    assert "Broker 1 stops" in texts(at)
    assert len(next(one for one in at.segmented_control if one.label == "Steps").options) == 5


def test_an_empty_story_begins_at_the_present(opened):
    """Cleared, nothing has happened, and an election can be the first step."""
    at = opened("leaders")
    at.segmented_control[0].set_value("Step by step").run()
    at.button(key="walk-clear").click().run()

    assert "Initial state." in texts(at)

    at.selectbox(key="walk-kind").set_value(MoveKind.PREFERRED).run()
    at.button(key="walk-add").click().run()

    assert not at.exception
    assert "A preferred election is run: 1 leader changes." in texts(at)

    at.button(key="walk-example").click().run()

    assert "Broker 1 stops: 2 leaders change." in texts(at)
    assert address(at)["walk"] == "stop:1;stop:4;return:1;preferred"


def test_a_story_is_shared_by_its_link(opened):
    """The address tells the steps and how far one is; nonsense in it is the example."""
    told = Walk((Move(MoveKind.STOP, (2, 4)), Move(MoveKind.UNCLEAN)), 2)

    assert to_query(told) == {"walk": "stop:2,4;unclean", "at": "2"}
    assert from_query(to_query(told)) == told
    assert from_query({"walk": "stop:<b>", "at": "1"}) is None
    assert from_query({"walk": "stop"}) is None

    at = opened("leaders")
    at.segmented_control[0].set_value("Step by step").run()

    assert at.query_params["walk"] == "stop:1;stop:4;return:1;preferred"

    at.segmented_control[0].set_value("Preferred election").run()

    assert "walk" not in at.query_params


@pytest.mark.parametrize(("view", "said"), [("Broker outage", "outage"), ("Rolling restart", "restart")])
def test_what_is_looked_at_stands_in_the_address(opened, view, said):
    """A link opens the outage or the restart at once; the election needs no word."""
    at = opened("leaders")
    at.segmented_control[0].set_value(view).run()

    assert at.query_params["when"] in (said, [said])

    at.segmented_control[0].set_value("Preferred election").run()

    assert "when" not in at.query_params

    at.query_params["when"] = said
    at.session_state[KEY].returns += 1  # as the browser's Back has it: fields begin with the address again
    at.run()

    assert not at.exception
    assert at.segmented_control[0].value == view


def test_an_uploaded_snapshot_tells_its_controller_and_its_version(opened):
    """As ``elect`` reads the same file: nothing in the layout of a cluster without eligible replicas shows KRaft."""
    at = opened("leaders", facts={"metadata": "kraft", "version": "3.6.1"})
    assert at.segmented_control(key="controller").value == "kraft"

    at = opened("plan", wish=Wish(remove=(4,)), facts={"metadata": "kraft", "version": "3.6.1"})
    at.segmented_control(key="plan-view").set_value("Commands").run()
    assert at.selectbox(key="version-3.6.1").value == "3.6.1"
