"""Preferred elections, of a layout and of a plan once it is done."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reseat.balance import measure
from reseat.election import Reason, after_plan, leader_spread, less_even, preferred
from reseat.model import NONE, NOT_TOLD, Broker, BrokerState, Certificate, ClusterLayout, Plan, Wish
from tests.cases import cases

DEMO = {("tp_demo_03", 0): [0, 1], ("tp_demo_03", 1): [1, 0], ("tp_demo_03", 2): [0, 1]}


def layout_of(lists: list[list[int]], leaders: list[int | None], isr: list[list[int]], **more: object) -> ClusterLayout:
    """Topic t with these replica lists, leaders and ISRs."""
    return ClusterLayout.from_assignments(
        {("t", i): replicas for i, replicas in enumerate(lists)},
        leaders={("t", i): leader for i, leader in enumerate(leaders)},
        in_sync={("t", i): members for i, members in enumerate(isr)},
        **more,
    )


def plan_of(current: ClusterLayout, lists: dict[int, list[int]]) -> Plan:
    """A plan that gives rows of topic t these replica lists."""
    assignments = current.assignments() | {("t", row): replicas for row, replicas in lists.items()}
    proposed = ClusterLayout.from_assignments(assignments, brokers=current.brokers)
    return Plan(current, proposed, Certificate(wish=Wish(), moves=0))


def test_leaders_go_back_to_their_preferred_replicas() -> None:
    """The documented case: all led by 1, then 0, 1, 0."""
    layout = ClusterLayout.from_assignments(DEMO, leaders=dict.fromkeys(DEMO, 1), in_sync=DEMO)
    preview = preferred(layout)

    assert preview.leader_before.tolist() == [1, 1, 1]
    assert preview.leader_after.tolist() == [0, 1, 0]
    assert [preview.reason_of(i) for i in range(3)] == [Reason.ELECTED, Reason.ALREADY_LED, Reason.ELECTED]
    assert preview.leaders_before is not None
    assert preview.leaders_before.tolist() == [0, 3]
    assert preview.leaders_after.tolist() == [2, 1]
    assert preview.changed.tolist() == [True, False, True]
    assert preview.sentences == ("A preferred leader election changes the leader of 2 partitions.",)


def test_where_all_are_led_by_their_preferred_replica_no_leader_changes() -> None:
    """That is said once it is known of all, and of none otherwise."""
    lists = [[1, 2], [2, 1]]

    assert preferred(layout_of(lists, [1, 2], lists)).sentences == ("A preferred leader election changes no leader.",)
    untold = ClusterLayout.from_assignments({("t", 0): [1, 2], ("t", 1): [2, 1]}, leaders={("t", 0): 1})
    assert not any("changes no leader" in sentence for sentence in preferred(untold).sentences)


@pytest.mark.parametrize("state", [BrokerState.DEAD, BrokerState.FENCED, BrokerState.SHUTTING_DOWN])
def test_a_preferred_replica_that_is_not_alive_is_not_elected(state: BrokerState) -> None:
    """The leader stays, and Kafka's error is named."""
    layout = layout_of([[1, 2]], [2], [[1, 2]], brokers=[Broker(1, state=state)])
    preview = preferred(layout)

    assert preview.leader_after.tolist() == [2]
    assert preview.reason_of(0) is Reason.PREFERRED_NOT_ALIVE
    assert preview.reason_of(0).error == "PREFERRED_LEADER_NOT_AVAILABLE"


def test_a_preferred_replica_out_of_sync_is_not_elected() -> None:
    """The leader stays."""
    preview = preferred(layout_of([[1, 2]], [2], [[2]]))

    assert preview.leader_after.tolist() == [2]
    assert preview.reason_of(0) is Reason.PREFERRED_NOT_IN_SYNC
    assert "1 partition stays as it is because the preferred replica is not in the ISR." in preview.sentences


def test_an_isr_that_is_not_told_is_assumed_complete_and_said_so() -> None:
    """Elected, with the row marked."""
    layout = ClusterLayout.from_assignments({("t", 0): [1, 2]}, leaders={("t", 0): 2})
    preview = preferred(layout)

    assert preview.leader_after.tolist() == [1]
    assert preview.assumed.tolist() == [True]
    assert "The ISR of 1 partition is unknown: all replicas are assumed to be in sync." in preview.sentences


def test_a_leader_that_is_not_told_is_not_called_a_change() -> None:
    """A bare reassignment JSON: the preferred replica leads afterwards, whoever led before."""
    preview = preferred(ClusterLayout.from_assignments({("t", 0): [1, 2]}))

    assert preview.leader_before.tolist() == [NOT_TOLD]
    assert preview.leader_after.tolist() == [1]
    assert preview.reason_of(0) is Reason.LEADER_NOT_TOLD
    assert not preview.changed.any()
    assert preview.leaders_before is None


def test_an_order_that_is_not_told_elects_nobody() -> None:
    """The preferred replica is not known there."""
    layout = layout_of([[1, 2]], [2], [[1, 2]], order_told=False)
    preview = preferred(layout)

    assert preview.leader_after.tolist() == [2]
    assert preview.reason_of(0) is Reason.ORDER_NOT_TOLD


def test_a_leaderless_partition_whose_isr_may_be_dead_stays_leaderless() -> None:
    """Were broker 1 alive and in sync, the controller would have elected it already."""
    layout = layout_of([[1, 2]], [None], [[1]])

    assert preferred(layout).leader_after.tolist() == [NONE]
    assert preferred(layout).reason_of(0) is Reason.PREFERRED_NOT_ALIVE


def test_a_leaderless_partition_with_a_live_preferred_replica_is_elected() -> None:
    """Told to be alive and in sync."""
    layout = layout_of([[1, 2]], [None], [[1]], brokers=[Broker(1, state=BrokerState.ALIVE)])

    assert preferred(layout).leader_after.tolist() == [1]


def test_observers_never_stand_for_election() -> None:
    """Even first in the list and in sync."""
    layout = ClusterLayout.from_columns(
        topics=["t"],
        topic_of=[0],
        partition=[0],
        replicas=[[1, 2]],
        leader=[2],
        in_sync=[[True, True]],
        observers=[[True, False]],
    )
    preview = preferred(layout)

    assert preview.leader_after.tolist() == [2]
    assert preview.reason_of(0) is Reason.PREFERRED_IS_OBSERVER


def test_a_partition_without_replicas_and_a_layout_without_partitions() -> None:
    """Neither fails."""
    empty = preferred(ClusterLayout.from_assignments({}))
    bare = preferred(ClusterLayout.from_assignments({("t", 0): [], ("t", 1): [1]}))

    assert empty.leader_after.size == 0
    assert bare.reason_of(0) is Reason.NO_REPLICAS
    assert preferred(ClusterLayout.from_assignments({("t", 0): []})).reason_of(0) is Reason.NO_REPLICAS


def test_the_input_is_not_changed() -> None:
    """Leaders of the layout are as they were."""
    layout = ClusterLayout.from_assignments(DEMO, leaders=dict.fromkeys(DEMO, 1), in_sync=DEMO)
    digest = layout.digest
    preferred(layout)

    assert replace(layout).digest == digest
    assert layout.leader_ids.tolist() == [1, 1, 1]


def test_every_reason_has_words_and_a_kafka_name() -> None:
    """For table cells, sentences and scripts."""
    assert all(reason.label and reason.sentence.endswith(".") and reason.error.isupper() for reason in Reason)


# ---- once a plan is done ------------------------------------------------------------------------------------


def test_a_leader_that_stays_in_the_target_keeps_leading_until_the_election() -> None:
    """The documented tp_re_02: partition 0 becomes [0, 1] and is still led by 1; then 0 is elected."""
    current = layout_of([[1], [0], [1]], [1, 0, 1], [[1], [0], [1]])
    preview = after_plan(plan_of(current, {0: [0, 1], 1: [0, 1], 2: [1, 0]}))

    assert preview.leader_before.tolist() == [1, 0, 1]
    assert preview.leader_done is not None
    assert preview.leader_done.tolist() == [1, 0, 1]
    assert preview.leader_after.tolist() == [0, 0, 1]
    assert preview.leaders_done is not None
    assert preview.leaders_done.tolist() == [1, 2]


def test_a_leader_that_leaves_hands_over_to_the_first_of_the_target() -> None:
    """All of the target is in sync once the data has moved."""
    current = layout_of([[1, 2], [2, 3]], [1, 3], [[1, 2], [2, 3]])
    preview = after_plan(plan_of(current, {0: [3, 2]}))

    assert preview.leader_done is not None
    assert preview.leader_done.tolist() == [3, 3]
    assert preview.leader_after.tolist() == [3, 2]
    assert preview.sentences[0].startswith("1 partition changes its leader while data moves")


def test_a_target_that_is_not_alive_is_passed_over() -> None:
    """Broker 3 is dead: broker 2 takes over, and no election brings 3 back."""
    current = layout_of([[1, 2]], [1], [[1, 2]], brokers=[Broker(3, state=BrokerState.DEAD)])
    preview = after_plan(plan_of(current, {0: [3, 2]}))

    assert preview.leader_done is not None
    assert preview.leader_done.tolist() == [2]
    assert preview.leader_after.tolist() == [2]
    assert preview.reason_of(0) is Reason.PREFERRED_NOT_ALIVE


def test_a_partition_without_a_leader_has_nobody_to_copy_from() -> None:
    """It stays without one, whatever the plan says."""
    current = layout_of([[1, 2]], [None], [[1]])
    preview = after_plan(plan_of(current, {0: [3, 4]}))

    assert preview.leader_done is not None
    assert preview.leader_done.tolist() == [NONE]
    assert preview.leader_after.tolist() == [NONE]


def test_a_leader_that_is_not_told_may_stay_unless_all_replicas_leave() -> None:
    """Not told and perhaps staying is still not told; with all replicas gone the first newcomer leads."""
    current = ClusterLayout.from_assignments({("t", 0): [1, 2], ("t", 1): [1, 2]})
    preview = after_plan(plan_of(current, {0: [3, 2], 1: [4, 3]}))

    assert preview.leader_done is not None
    assert preview.leader_done.tolist() == [NOT_TOLD, 4]
    assert preview.leader_after.tolist() == [3, 4]


def test_unchanged_partitions_keep_what_is_told_of_their_isr() -> None:
    """A plan elsewhere does not bring broker 1 back into the ISR of partition 1."""
    current = layout_of([[1, 2], [1, 2]], [2, 2], [[1, 2], [2]])
    preview = after_plan(plan_of(current, {0: [1, 3]}))

    assert preview.leader_after.tolist() == [1, 2]
    assert preview.reason_of(1) is Reason.PREFERRED_NOT_IN_SYNC


lists = st.lists(st.permutations([1, 2, 3, 4]).map(lambda order: list(order[:3])), min_size=1, max_size=8)


@given(lists, st.data())
@settings(max_examples=cases(100))
def test_with_all_alive_and_in_sync_the_preferred_replica_leads_in_the_end(
    before: list[list[int]], data: st.DataObject
) -> None:
    """Whatever moves: after the plan and an election every partition is led by the head of its list."""
    current = layout_of(before, [data.draw(st.sampled_from(replicas)) for replicas in before], before)
    after = {row: data.draw(st.permutations([1, 2, 3, 4]))[:3] for row in range(len(before))}
    preview = after_plan(plan_of(current, after))

    assert preview.leader_after.tolist() == [after[row][0] for row in range(len(before))]
    assert preview.leader_done is not None
    assert all(leader in after[row] for row, leader in enumerate(preview.leader_done.tolist()))


def test_a_plan_says_which_leaders_change_while_data_moves() -> None:
    """One leader leaves, two leave, none does, and none is told."""
    current = layout_of([[1, 2], [1, 2], [2, 1]], [1, 1, 2], [[1, 2], [1, 2], [2, 1]])
    untold = ClusterLayout.from_assignments({("t", 0): [1, 2]})

    said = [
        after_plan(plan_of(current, lists)).sentences[0] for lists in ({0: [3, 2]}, {0: [3, 2], 1: [3, 2]}, {0: [2, 1]})
    ]

    assert said == [
        "1 partition changes its leader while data moves, because the old leader loses its replica.",
        "2 partitions change their leader while data moves, because the old leader loses its replica.",
        "No leader changes while data moves.",
    ]
    assert (
        after_plan(plan_of(untold, {0: [3, 2]})).sentences[0]
        == "Current leaders are unknown, so leader changes while data moves are unknown, too."
    )


def test_leaders_are_counted_of_a_broker_that_the_plan_adds_too() -> None:
    """Broker 3 leads nothing before, and one partition once the plan is done."""
    current = layout_of([[1, 2], [2, 1]], [1, 2], [[1, 2], [2, 1]])

    preview = after_plan(plan_of(current, {0: [3, 2]}))

    assert preview.leaders_before is not None
    assert preview.leaders_before.tolist() == [1, 1, 0]
    assert preview.leaders_after.tolist() == [0, 1, 1]


def test_an_election_that_makes_leaders_less_even_is_named() -> None:
    """Both lead two; elected, 0 leads all four. A dead broker leads nothing and is no emptiest one."""
    lists = {("t", i): [0, 1] for i in range(4)} | {("t", 4): [1, 9]}
    leaders = {("t", i): i % 2 for i in range(4)} | {("t", 4): 1}
    brokers = [Broker(9, state=BrokerState.DEAD)]
    preview = preferred(ClusterLayout.from_assignments(lists, brokers=brokers, leaders=leaders))

    assert "It worsens leader balance: the leader spread (max − min) rises from 1 to 3." in preview.sentences

    even = preferred(ClusterLayout.from_assignments(lists, brokers=brokers, leaders=dict.fromkeys(leaders, 1)))

    assert not any("worsens" in sentence for sentence in even.sentences)


@pytest.mark.parametrize("state", [BrokerState.FENCED, BrokerState.CORDONED, BrokerState.DEAD])
def test_the_spread_of_leaders_is_the_one_that_is_measured(state: BrokerState) -> None:
    """Over the same brokers as on Overview: one that gets no replica is no emptiest one."""
    layout = ClusterLayout.from_assignments(
        {("t", 0): [0, 1], ("t", 1): [1, 0]}, brokers=[Broker(9, state=state)], leaders={("t", 0): 0, ("t", 1): 1}
    )
    measured = measure(layout).by_broker.leader_spread

    assert measured is not None
    assert leader_spread(layout, preferred(layout).leaders_before) == measured.spread == 0


def test_where_a_leader_is_not_told_nothing_is_said_of_evenness() -> None:
    """The one not told may be led by either."""
    lists = {("t", i): [0, 1] for i in range(5)}
    layout = ClusterLayout.from_assignments(lists, leaders={("t", i): i % 2 for i in range(4)})

    assert less_even(layout, preferred(layout)) is None
