"""The Plan page: proven plans for each wish, their files and commands, refusals, and other plans judged."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from components.plan import commands
from components.plan.proof import rows_of
from components.state.links import from_query
from components.state.store import KEY
from components.what_if.points import bargain
from reseat.demo import generate
from reseat.model import Broker, Certificate, ClusterLayout, CurvePoint, Options, Quorum, QuorumMember, Wish
from reseat.model.glossary import TERMS
from reseat.planning import plan

from .conftest import address, tables, texts, two_disks


def choose(at, key, value):
    """Choose in a segmented control."""
    return at.segmented_control(key=key).set_value(value).run()


def test_without_a_wish_nothing_moves(opened):
    """The page says that nothing is wished and offers the forms."""
    at = opened("plan")

    assert not at.exception
    assert "No change selected" in texts(at)


def test_a_broker_out_is_planned_and_proven(opened):
    """Broker 3 holds two replicas: two move, no plan can move fewer, and the page says so."""
    at = opened("plan", wish=Wish(remove=(3,)))

    assert not at.exception
    assert "Draining broker 3: 2 replicas move, the proven minimum." in texts(at)
    assert at.metric[0].value == "2"
    assert at.metric[2].value == "5.0 GB"


@pytest.mark.parametrize(
    ("wish", "said"),
    [
        (Wish(add=((5, "a"),)), "Adding broker 5: "),
        (Wish(replication_factor=3, topics=("orders",)), "Setting 1 topic to replication factor 3: "),
        (Wish(replication_factor=1, topics=("orders",)), "Setting 1 topic to replication factor 1: "),
        (Wish(rebalance=True), "Rebalancing the cluster: "),
        (Wish(rebalance=True, options=Options(by_bytes=True)), "Rebalancing the cluster by size: "),
        (Wish(remove=(3,), add=((9, "a"),), replace=((3, 9),)), "Replacing broker 3 by 9: 2 replicas move"),
        (Wish(mend_racks=True), "Nothing to restore: no replica moves."),
        (Wish(mend=True), "Nothing to mend."),
        (Wish(leaders_only=True), "Rebalancing leaders: no replica moves, 1 partition gets a new preferred leader."),
        (Wish(add=((1, "a"),)), "Adding broker 1: no replica moves: "),
    ],
)
def test_every_wish_has_its_place(opened, wish, said):
    """Brokers that join and changed replication factors are planned on the same page."""
    at = opened("plan", wish=wish)

    assert not at.exception
    assert said in texts(at)
    assert not any(done in texts(at) for done in ("Rack diversity restored: N", "Partitions mended: N"))


def test_bytes_are_written_one_way(opened):
    """What partitions copy has its unit in the heading, as other tables of sizes have it; the browser's own is none."""
    at = opened("plan", wish=Wish(remove=(3,)))
    shown = next(table for table in tables(at) if "bytes to copy" in table.value)
    config = json.loads(shown.proto.columns)["bytes to copy"]

    assert at.metric[2].value == f"{shown.value['bytes to copy'].sum():.1f} GB"
    assert (config["label"], config["type_config"]["format"]) == ("data to copy, GB", "localized")


@pytest.mark.parametrize(
    ("wish", "first"),
    [
        (Wish(remove=(3,)), "Replica moves"),
        (Wish(rebalance=True), "Rack balance"),
        (Wish(rebalance=True, options=Options(keep_racks=True)), "Replica moves"),
        (Wish(mend_racks=True), "Rack balance"),
        (Wish(mend=True), "Rack balance"),
        (Wish(leaders_only=True), "Replica moves"),
    ],
)
def test_the_proof_has_its_objectives_in_the_order_of_the_change(wish, first):
    """Most important first is what the table says of itself."""
    assert rows_of(Certificate(wish=wish, moves=0))[0][0].startswith(first)


def test_a_plan_without_a_change_has_no_table_of_moves(opened):
    """Nobody searched, so that no row matches is not the answer; Moves says that nothing changes."""
    at = opened("plan", wish=Wish(mend=True))

    assert "No partition changes." in texts(at)
    assert "No row matches." not in texts(at)


@pytest.mark.parametrize(
    ("key", "wish", "rest"),
    [
        ("rebalance", Wish(rebalance=True, remove=(3,)), Wish(remove=(3,))),
        ("rebalance-racks", Wish(mend_racks=True), Wish()),
        ("rebalance-mend", Wish(mend=True), Wish()),
        ("rebalance-leaders", Wish(leaders_only=True), Wish()),
    ],
)
def test_balancing_is_one_click_and_its_chip_drops_it(opened, key, wish, rest):
    """It goes with the drain that was looked at, or takes its place; the chip above drops it alone."""
    at = opened("plan", wish=Wish(remove=(3,)))
    at.button(key=key).click().run()

    assert not at.exception
    assert at.session_state[KEY].here.wish == wish
    at.button(key="chip-rearranged").click().run()

    assert at.session_state[KEY].here.wish == rest


def test_a_wish_that_cannot_be_is_refused_with_choices(opened):
    """With fewer brokers left than replicas the page gives the reason and what can be done, and no plan."""
    at = opened("plan", ClusterLayout.from_assignments({("orders", 0): [1, 2]}), Wish(remove=(1,)))

    assert not at.exception
    assert ":material/block:" in texts(at)
    assert "orders" in texts(at)
    assert not at.metric


#: What stands in one view alone, by its name.
VIEWS = {
    "Moves": lambda at: any("leaves" in table.value for table in tables(at)),
    "Replica flow (from → to)": lambda at: len(at.get("plotly_chart")) == 2,
    "Commands": lambda at: any("kafka-reassign-partitions.sh" in code.value for code in at.code),
    "Proof": lambda at: any("verdict" in table.value for table in tables(at)),
    "Validate a plan": lambda at: any(area.key == "judge-paste" for area in at.text_area),
}


@pytest.mark.parametrize("view", VIEWS)
def test_every_view_is_drawn(opened, view):
    """What a view is for stands there once it is chosen, and that of no other."""
    at = choose(opened("plan", wish=Wish(remove=(3,))), "plan-view", view)

    assert not at.exception
    assert [name for name, stands in VIEWS.items() if stands(at)] == [view]


def test_the_moves_are_listed_partition_by_partition(opened):
    """The table shows each changed partition from -> to; a search by broker narrows it."""
    at = opened("plan", wish=Wish(remove=(3,)))
    rows = tables(at)[0].value

    assert rows["topic"].tolist() == ["orders", "orders"]
    assert rows["partition"].tolist() == [1, 2]
    assert rows["leaves"].tolist() == ["3", "3"]
    assert not any("3" in to.split(", ") for to in rows["to"])

    at.text_input(key="moves-search").set_value("orders-2").run()

    assert tables(at)[0].value["partition"].tolist() == [2]

    at.text_input(key="moves-search").set_value("4").run()

    assert tables(at)[0].value["partition"].tolist() == [
        partition for partition, joins in zip(rows["partition"], rows["joins"], strict=True) if joins == "4"
    ]


def test_the_commands_fit_the_version_and_the_duration_the_throttle(opened):
    """Before 2.6 the tool goes through ZooKeeper; a throttle gives the time that it takes."""
    at = choose(opened("plan", wish=Wish(remove=(3,))), "plan-view", "Commands")
    at.selectbox(key="version").set_value("2.5").run()
    at.number_input(key="throttle").set_value(10).run()

    assert not at.exception
    assert "--throttle 10000000" in at.code[0].value  # Reseat's own command
    assert "--zookeeper" in at.code[1].value
    assert "--throttle 10000000" in at.code[1].value
    assert "broker 3 sends the most, 5.0 GB. About " in texts(at)
    assert " at the throttle." in texts(at)


@pytest.mark.parametrize(
    ("version", "by"), [("2.2", "--zookeeper HOST:2181"), ("2.4", "--bootstrap HOST:9092"), (None, "--bootstrap")]
)
def test_the_command_of_reseat_writes_as_the_version_can(opened, version, by):
    """Brokers take reassignments from 2.4 on; before, only the node does."""
    at = choose(opened("plan", wish=Wish(remove=(3,))), "plan-view", "Commands")
    if version is not None:
        at.selectbox(key="version").set_value(version).run()

    assert f"reseat operate execute {by}" in at.code[0].value


def test_commands_stand_in_the_order_in_which_they_are_run(opened):
    """What no throttle means and that the version is unknown is said; the rollback stands apart."""
    at = choose(opened("plan", wish=Wish(remove=(3,))), "plan-view", "Commands")
    said = texts(at)
    titles = [one.value.split(".** ")[0].strip("*") for one in at.markdown if ".** " in one.value]

    assert titles[1:] == [
        *("1. Execute", "2. Verify", "3. Elect preferred leaders", "4. Check the result"),
        *("List", "Cancel"),
        *("Roll back", "Verify the rollback", "Elect the previous leaders"),
    ]
    assert [one.value for one in at.header] == ["While it runs", "Rollback"]
    assert "The version is unknown" in said
    assert "Without --throttle, copying uses all network" in said
    assert "--all-topic-partitions" not in "".join(code.value for code in at.code)
    assert "Election (election.json)" in [one.label for one in at.get("download_button")]


def test_old_versions_get_the_plan_in_pieces_that_zookeeper_takes(opened):
    """Before 2.6 the tool writes a plan into one node; from then on nobody needs pieces. Topics to move are a file."""
    at = choose(opened("plan", wish=Wish(remove=(3,))), "plan-view", "Commands")
    labels = [one.label for one in at.get("download_button")]
    at.selectbox(key="version").set_value("2.5").run()
    older = [one.label for one in at.get("download_button")]

    assert "Topics to move (topics-to-move.json)" in labels
    assert [label for label in older if label not in labels] == ["Plan in pieces (plan-pieces.zip)"]


def test_a_plan_from_elsewhere_is_judged(opened):
    """A plan that leaves a replica on the broker that shall leave has a fault and must not be carried out."""
    at = choose(opened("plan", wish=Wish(remove=(3,))), "plan-view", "Validate a plan")
    plan = {"version": 1, "partitions": [{"topic": "orders", "partition": 1, "replicas": [2, 3]}]}
    at.text_area(key="judge-paste").set_value(json.dumps(plan)).run()

    assert not at.exception
    fault = "orders-1 still has a replica on broker 3, to be drained."
    assert [texts(at).count(said) for said in ("The plan must not be executed", fault)] == [1, 1]


def test_a_valid_plan_from_elsewhere_stands_beside_our_own(opened):
    """A plan that empties the broker is valid, and its numbers stand beside Reseat's."""
    at = choose(opened("plan", wish=Wish(remove=(3,))), "plan-view", "Validate a plan")
    plan = {
        "version": 1,
        "partitions": [
            {"topic": "orders", "partition": 1, "replicas": [2, 1]},
            {"topic": "orders", "partition": 2, "replicas": [1, 4]},
        ],
    }
    at.text_area(key="judge-paste").set_value(json.dumps(plan)).run()
    rows = tables(at)[0].value

    assert not at.exception
    assert "This plan is valid" in texts(at)
    assert rows["this plan"].tolist()[0] == rows["Reseat's plan"].tolist()[0] == 2


def test_a_refusal_has_its_choices_as_buttons_here_too(opened):
    """Leaving the topic out is one click away, and then the plan is there."""
    layout = ClusterLayout.from_assignments({("orders", 0): [1, 2], ("logs", 0): [1], ("logs", 1): [2]})
    at = opened("plan", layout, Wish(remove=(1,)))
    at.button(key="leave-out").click().run()

    assert not at.exception
    assert "Draining broker 1" in texts(at)


def test_a_topic_that_is_not_there_cannot_be_excluded(opened):
    """The rule names it, and no other part of the what-if is to blame."""
    at = opened("plan", wish=Wish(remove=(3,), options=Options(pin=(("nowhere", None),))))

    assert "No topic matches nowhere, which is to be pinned." in texts(at)
    assert "cannot hold together" not in texts(at)
    assert not [button for button in at.button if button.key == "leave-out"]


def test_a_plan_with_faults_is_not_called_unproven(opened):
    """The verdict beside each objective says that the plan is faulty."""
    at = opened("plan", wish=Wish(remove=(3,)))
    at = choose(at, "plan-view", "Validate a plan")
    at.text_area(key="judge-paste").set_value(
        '{"version":1,"partitions":[{"topic":"orders","partition":0,"replicas":[1,1]}]}'
    ).run()

    assert not at.exception
    assert set(tables(at)[0].value["verdict"]) == {"✖ invalid plan, not comparable"}


def test_a_point_of_the_curve_says_what_it_costs_and_buys():
    """Fewer moves than the plan's cost balance, and the sentence says how much."""
    points = (CurvePoint(3, 90, 25), CurvePoint(6, 60, 12), CurvePoint(9, 50, 4))

    assert bargain(points, 9, 9) == "3 moves fewer: the spread would be 12 instead of 4."
    assert bargain(points, 3, 9) == "6 moves fewer: the spread is 25 instead of 4."
    assert bargain(points, 3, 3) == "3 more moves would change the spread from 25 to 12."
    assert bargain(points, 9, 3) == "6 more moves change the spread from 25 to 4."


def test_the_slider_chooses_the_plan(opened):
    """Six brokers and one more: sliding to fewer moves draws the plan with so many."""
    at = opened("plan", generate(6, 300), Wish(add=((99, None),)))
    slider = at.select_slider[0]
    fewest = slider.options[0]
    moves = int(str(fewest).split()[0].replace(",", ""))
    slider.set_value(moves).run()

    assert not at.exception
    assert at.metric[0].value == f"{moves:,}"


def test_the_points_are_a_figure_against_moves_and_data(opened):
    """A panel for moves and one for data where sizes are told; the chosen point is marked; no choice is said."""
    at = opened("plan", generate(6, 300), Wish(rebalance=True))
    choose(at, "plan-view", "Moves vs. balance")
    points = [json.loads(chart.proto.spec) for chart in at.get("plotly_chart")][-1]["data"]
    made, broken = at.metric[0].value, len(at.exception)
    leaders = opened("plan", generate(6, 300), Wish(leaders_only=True))
    choose(leaders, "plan-view", "Moves vs. balance")
    drawn = [json.loads(chart.proto.spec) for chart in leaders.get("plotly_chart")][-1]

    assert not broken
    assert not leaders.exception
    assert drawn["layout"]["xaxis"]["title"]["text"] == "changed preferred leaders"
    assert len(drawn["data"][0]["customdata"]) > 1
    assert [trace["mode"] for trace in points] == ["lines+markers", "markers"]
    moves = [int(words[0]) for words in points[0]["customdata"]]
    assert moves == sorted(set(moves))
    assert made == f"{moves[points[0]['marker']['symbol'].index('diamond')]:,}"


def test_a_point_with_some_sizes_unknown_copies_at_least_the_others(opened):
    """As the plan's own figure and the schedule say; "unknown" stood there though most of it was known."""
    layout = generate(6, 300)
    told = np.where(layout.partition > 1, np.nan, layout.replica_bytes[:, 0])
    at = opened("plan", replace(layout, size_bytes=told), Wish(rebalance=True))
    choose(at, "plan-view", "Moves vs. balance")
    charts = [json.loads(chart.proto.spec) for chart in at.get("plotly_chart")]
    points = next(one for one in charts if "replica moves" in json.dumps(one["layout"]["xaxis"]))["data"]
    figures = {metric.label: metric.value for metric in at.metric}
    said = {words[1]: words[2] for words in points[0]["customdata"]}

    assert figures["Data to copy"].startswith("at least ")
    assert figures["Data to copy"] in said.values()
    assert any(words.startswith("at least ") for words in said.values())


def test_a_curve_of_few_steps_counts_in_whole_numbers(opened):
    """No half of a move, and no half of a replica."""
    at = opened("plan", generate(6, 40, skew=0.5), Wish(remove=(3,)))
    choose(at, "plan-view", "Moves vs. balance")
    drawn = [json.loads(chart.proto.spec) for chart in at.get("plotly_chart")][-1]["layout"]

    assert (drawn["xaxis"]["dtick"], drawn["yaxis"]["dtick"]) == (1, 1)
    assert drawn["yaxis"]["range"][0] < 0


def test_of_lists_that_keep_their_order_no_leader_balance_is_called_the_best(opened):
    """Another replication factor: lists could be ordered better by another change. A drain orders what it changes."""
    kept, ordered, drained = (
        next(figure for figure in opened("plan", wish=wish).metric if figure.label == "Preferred leader spread")
        for wish in (Wish(replication_factor=3, topics=("orders",)), Wish(leaders_only=True), Wish(remove=(3,)))
    )

    assert (kept.delta, ordered.delta) == ("", "minimum for all lists")
    assert drained.delta == "minimum for changed lists"


def test_a_rebalance_by_topic_is_slid_along_topics(opened):
    """Fewer moves even the widest topics alone; the figure is of the spread that is left in a topic."""
    layout = generate(6, 300)
    at = opened("plan", layout, Wish(rebalance=True, options=Options(even_topics=True)))
    held = [
        np.bincount(layout.replicas[layout.topic_of == topic].ravel(), minlength=6)
        for topic in range(len(layout.topics))
    ]
    widest = max(int(np.ptp(one)) for one in held)
    slider = at.select_slider[0]
    moves, said = str(slider.options[0]).split(" moves, topic spread ")
    slider.set_value(int(moves.replace(",", ""))).run()
    choose(at, "plan-view", "Moves vs. balance")
    drawn = [json.loads(chart.proto.spec) for chart in at.get("plotly_chart")][-1]

    assert not at.exception
    assert at.metric[0].value == moves
    assert (at.metric[1].label, at.metric[1].value) == ("Topic spread", f"{widest} → {said}")
    assert f"the topic spread is {said} instead of " in texts(at)
    assert "Topic spread: the largest spread of one topic's replicas over brokers." in texts(at)
    assert drawn["layout"]["yaxis"]["title"]["text"] == "topic spread"
    assert len(drawn["data"][0]["customdata"]) == len(slider.options) > 2


def test_what_the_chart_counts_has_the_glossarys_line(opened):
    """Preferred leaders are explained where they are counted; a word that is no term of Kafka's or ours is not."""
    at = opened("plan", wish=Wish(remove=(3,)))
    line = f"- **Preferred leader**: {TERMS['Preferred leader']}"

    assert line not in texts(at)

    choose(at, "plan-bars", "Preferred leaders")

    assert line in texts(at)


def test_pinned_topics_stay_in_every_plan(opened):
    """Typed in the options: on the broker that leaves they stay, which is said, and one chip drops them."""
    at = opened("plan", wish=Wish(remove=(3,)))
    lines = next(area for area in at.text_area if area.label.startswith("Pinned topics"))
    lines.set_value("orders")
    next(one for one in at.button if one.form_id == lines.proto.form_id).click().run()

    assert not at.exception
    assert "2 replicas stay on broker 3, which is not drained completely." in texts(at)
    assert "pin=orders" in "&".join(f"{name}={said}" for name, said in address(at).items())

    at.button(key="chip-pin").click().run()

    assert "not drained completely" not in texts(at)


def test_what_is_no_pin_is_not_taken(opened):
    """After a colon a partition is expected; the what-if stays as it was."""
    at = opened("plan", wish=Wish(remove=(3,)))
    lines = next(area for area in at.text_area if area.label.startswith("Pinned topics"))
    lines.set_value("orders:x")
    next(one for one in at.button if one.form_id == lines.proto.form_id).click().run()

    assert [warning.value for warning in at.warning] == ["'orders:x' is neither a topic to pin nor topic:partition."]
    assert "2 replicas move" in texts(at)


@pytest.mark.parametrize(
    "wish",
    [
        Wish(remove=(3,), options=Options(receive_cap=0, max_moves=2**31 - 1)),
        Wish(replication_factor=2**31 - 1, topics=("orders",)),
        Wish(add=((2**31 - 1, "a"),)),
    ],
)
def test_whatever_a_file_may_ask_for_has_its_place_in_the_fields(opened, wish):
    """A field that is narrower than a change file would be the end of the page."""
    at = opened("plan", wish=wish)

    assert not at.exception
    assert from_query(address(at)).wish == wish


def test_another_factor_for_many_topics_is_for_all_of_them(opened):
    """More than the field lists: none is dropped in silence."""
    topics = tuple(f"t{number:02}" for number in range(60))
    layout = ClusterLayout.from_assignments({(topic, 0): [1] for topic in topics}, brokers=[Broker(2), Broker(3)])
    at = opened("plan", layout, Wish(replication_factor=2, topics=topics))
    factor = next(one for one in at.number_input if one.label == "New replication factor")
    factor.set_value(3)
    next(one for one in at.button if one.form_id == factor.proto.form_id).click().run()

    assert at.session_state[KEY].here.wish == Wish(replication_factor=3, topics=topics)


def test_who_takes_a_place_no_more_does_not_join(opened):
    """Broker 9 was to replace 3; now 10 is."""
    at = opened("plan", wish=Wish(remove=(3,), add=((9, "a"),), replace=((3, 9),)))
    new = next(one for one in at.number_input if one.label == "Replaced by broker ID")
    new.set_value(10)
    next(one for one in at.button if one.form_id == new.proto.form_id).click().run()

    wish = at.session_state[KEY].here.wish
    assert (wish.replace, [broker for broker, _ in wish.add]) == (((3, 10),), [10])


def test_what_goes_from_rack_to_rack_stands_below_the_flow_with_its_price(opened):
    """From the leader to the newcomer, a row a rack; the price once it is typed."""
    at = opened("plan", wish=Wish(remove=(4,)))
    at.segmented_control(key="plan-view").set_value("Replica flow (from → to)").run()

    assert not at.exception
    assert "is copied from rack to rack. A new replica copies from its partition's leader" in texts(at)
    at.number_input[-1].set_value(0.5).run()
    assert "at 0.5 a GB" in texts(at)


def test_racks_whose_names_are_cut_alike_have_a_column_each(opened):
    """They differ in the middle alone; the bytes of each stand in its own column."""
    long = [f"{'x' * 40}{middle}{'y' * 40}" for middle in "abc"]
    lists = {("t", n): ids for n, ids in enumerate(([1, 3], [1, 3], [2, 3]))}
    brokers = [Broker(broker, long[at]) for at, broker in ((0, 1), (1, 2), (2, 3), (2, 4), (1, 5))]
    layout = ClusterLayout.from_assignments(lists, brokers=brokers, size_bytes=dict.fromkeys(lists, 10**9))
    at = opened("plan", layout, Wish(remove=(2, 3)))
    choose(at, "plan-view", "Replica flow (from → to)")
    table = next(one.value for one in tables(at) if "from" in one.value and str(one.value.columns[1]).startswith("to "))

    assert not at.exception
    assert len(set(table.columns)) == len(table.columns) > 2


def test_every_name_of_the_flow_has_its_line(opened):
    """Of two dozen brokers that receive, names lay over each other."""
    at = opened("plan", generate(25, 2_000, racks=5, skew=0.0), Wish(remove=(7,)))
    choose(at, "plan-view", "Replica flow (from → to)")
    drawn = [json.loads(chart.proto.spec) for chart in at.get("plotly_chart")]
    (flow,) = (figure for figure in drawn if figure["data"][0]["type"] == "sankey")

    assert not at.exception
    assert flow["layout"]["height"] == 22 * (len(flow["data"][0]["node"]["label"]) - 1) > 340


def test_racks_that_send_and_receive_stand_as_people_count_them(opened):
    """Rack-10 after rack-2, in rows and columns; each cell stays with both of its racks."""
    lists = {("t", n): ids for n, ids in enumerate(([1, 4], [2, 4], [2, 4], [3, 4], [3, 4], [3, 4]))}
    brokers = [Broker(broker, f"rack-{rack}") for broker, rack in ((1, 1), (2, 2), (3, 10), (4, 3), (5, 20), (6, 9))]
    layout = ClusterLayout.from_assignments(
        lists,
        brokers=brokers,
        leaders={key: ids[0] for key, ids in lists.items()},
        size_bytes=dict.fromkeys(lists, 1e9),
    )
    at = opened("plan", layout, Wish(remove=(4,)))
    choose(at, "plan-view", "Replica flow (from → to)")
    table = next(one.value for one in tables(at) if "from" in one.value and str(one.value.columns[1]).startswith("to "))
    sent = table.set_index("from").map(lambda cell: float(str(cell).partition(" ")[0] or 0)).sum(axis=1)

    assert sent.to_dict() == {"rack-1": 1, "rack-2": 2, "rack-10": 3}
    assert list(sent.index) == ["rack-1", "rack-2", "rack-10"]
    assert list(table.columns[1:]) == sorted(table.columns[1:], key=lambda name: int(name.rpartition("-")[2]))


def test_the_flow_says_what_is_unknown_between_racks(opened):
    """Without sizes replicas are counted; with rates of other topics alone nothing is claimed of the day."""
    lists = {("t", 0): [1, 2], ("t", 1): [2, 1]}
    brokers = [Broker(broker, rack) for broker, rack in ((1, "a"), (2, "b"), (3, "b"))]
    at = opened("plan", ClusterLayout.from_assignments(lists, brokers=brokers), Wish(remove=(2,)))
    choose(at, "plan-view", "Replica flow (from → to)")
    assert "1 of 2 new replicas is copied from rack to rack, of unknown size." in texts(at)
    next(area for area in at.text_area if area.label.startswith("Produced rates")).set_value("other,5").run()

    assert not at.exception
    assert "No rate is known of any topic here" in texts(at)
    assert "With the plan it is" not in texts(at)


def test_the_traffic_of_every_day_is_told_by_topic_beside_what_is_copied(opened):
    """Now and with the plan, from rates that are typed, at the same price; a line that is none is refused by number."""
    at = opened("plan", wish=Wish(remove=(4,)))
    at.segmented_control(key="plan-view").set_value("Replica flow (from → to)").run()
    assert "a day from rack to rack" not in texts(at)

    def typed(words):
        next(area for area in at.text_area if area.label.startswith("Produced rates")).set_value(words).run()

    typed("orders,1000000\nelsewhere,5")
    at.number_input[-1].set_value(0.5).run()
    said = texts(at)
    table = next(one.value for one in tables(at) if "produced a day" in one.value)

    assert not at.exception
    assert "a day from rack to rack, " in said
    assert "With the plan it is" in said
    assert "No rate is known of 1 topic: not counted." in said
    assert "Not a topic here, or excluded: elsewhere." in [one.value.replace("\\", "") for one in at.warning]
    assert table["topic"].tolist() == ["orders"]
    assert table["produced a day"].tolist() == ["86.4 GB"]
    assert list(table.columns)[2:] == ["rack to rack", "with the plan", "price a day", "with the plan, price"]
    typed("orders;fast")
    assert not at.exception
    assert "line 1" in texts(at)


def test_a_click_keeps_a_drain_within_its_racks(opened):
    """Two replicas would go to the rack that holds little; after the click none does, and the proof says the price."""
    brokers = [Broker(i, rack) for i, rack in enumerate("aaabb")]
    lists = {("t", 0): [0, 1, 3], ("t", 1): [0, 2, 4], ("t", 2): [1, 2], ("t", 3): [2, 1]}
    at = opened("plan", ClusterLayout.from_assignments(lists, brokers=brokers), Wish(remove=(0,)))
    choose(at, "plan-view", "Replica flow (from → to)")
    assert "2 replicas leave their rack." in [one.value for one in at.caption]
    at.button(key="plan-same-rack").click().run()
    assert "Every replica stays in its rack." in [one.value for one in at.caption]
    choose(at, "plan-view", "Proof")

    assert not at.exception
    assert "without this rule the replica spread would be 1 instead of 3" in texts(at)


def test_a_box_names_a_log_directory_for_each_new_replica(opened, monkeypatch):
    """Not there without directories; ticked, it is in the address and the file; where none fits, it says so instead."""
    written = []
    monkeypatch.setattr(commands, "draw_downloads", lambda _, plan, named=None: written.append(named))
    bare = opened("plan", wish=Wish(remove=(3,)))
    assert not [box for box in bare.checkbox if "log directory" in box.label]
    at = opened("plan", wish=Wish(remove=(3,)), log_dirs=two_disks(10**12))
    box = next(box for box in at.checkbox if "log directory" in box.label)
    box.check().run()

    assert not at.exception
    assert address(at)["directories"] == "yes"
    assert {path for of in written[-1].values() for path in of.values()} == {"/b"}
    assert written[:-1] == [None] * (len(written) - 1)
    full = opened("plan", wish=Wish(remove=(3,)), log_dirs=two_disks(10))
    box = next(box for box in full.checkbox if "log directory" in box.label)

    assert (box.value, box.disabled, written[-1]) == (False, True, None)
    assert "No log directory of broker" in texts(full)
    assert "directories" not in address(full)
    assert "No log directory of broker" in texts(full.run())


def test_a_plan_for_which_disks_have_no_room_says_so(opened):
    """The free space was read, and the plan shown as one that can be executed."""
    said = []
    for left in (10**12, 10**8):
        at = opened("plan", wish=Wish(remove=(3,)), log_dirs=two_disks(left))
        assert not at.exception
        said.append("The plan needs more disk space than there is: broker " in texts(at))

        at = choose(at, "plan-view", "Validate a plan")
        other = {"version": 1, "partitions": [{"topic": "orders", "partition": 0, "replicas": [1, 4]}]}
        at.text_area(key="judge-paste").set_value(json.dumps(other)).run()
        said.append("broker 4 has 300 MB left and would get 1.0 GB" in texts(at))

    assert said == [False, False, True, True]


def test_a_broker_to_come_begins_with_an_id_that_no_controller_has(opened):
    """KRaft counts them among its nodes; the board heeded it, and the form beside it did not."""
    quorum = Quorum(5, tuple(QuorumMember(one, behind_seconds=0.1) for one in (5, 6, 7)))
    at = opened("plan", quorum=quorum)

    assert next(field for field in at.number_input if field.label == "Broker ID").value == 8


def test_the_size_spread_is_that_of_the_point_chosen(opened):
    """A broker that nothing may go onto counts in neither: 0 bytes on it are not what a plan by size leaves uneven."""
    layout = ClusterLayout.from_assignments(
        {("t", at): [1 + at // 3] for at in range(6)},
        brokers=[Broker(broker) for broker in (1, 2, 3, 4)],
        size_bytes={("t", at): 1e9 for at in range(6)},
    )
    wish = Wish(rebalance=True, options=Options(by_bytes=True, never_onto=(4,)))
    at = opened("plan", layout, wish)

    assert next(one.value for one in at.metric if one.label == "Size spread") == "3.0 → 0.0 GB"
    assert CurvePoint.of(plan(layout, wish)).spread == "0 B"
