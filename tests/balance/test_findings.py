"""Findings: each kind on a layout that a reader can check by eye, and silence where nothing is wrong."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from reseat.balance import findings
from reseat.balance.mends import KINDS
from reseat.model import Broker, BrokerState, ClusterLayout, Finding, Severity


def found(layout: ClusterLayout) -> dict[str, Finding]:
    """Findings by kind."""
    return {finding.kind: finding for finding in findings(layout)}


def one_topic(lists: list[list[int]], **more: object) -> ClusterLayout:
    """A layout of one topic, t, with these replica lists."""
    return ClusterLayout.from_assignments({("t", i): replicas for i, replicas in enumerate(lists)}, **more)


def test_an_even_healthy_layout_has_no_findings() -> None:
    """Three partitions, one lead each, all in sync."""
    lists = [[1, 2], [2, 3], [3, 1]]
    layout = one_topic(
        lists,
        leaders={("t", i): replicas[0] for i, replicas in enumerate(lists)},
        in_sync={("t", i): replicas for i, replicas in enumerate(lists)},
    )

    assert findings(layout) == ()


def test_a_broker_that_holds_far_more_bytes_than_the_mean_is_found_where_it_can_give_some() -> None:
    """With every size known, and a replica that fits elsewhere with its racks no worse; one huge replica stays."""
    lists = {("t", row): [1 + row % 2, 3 + row % 2] for row in range(8)}
    brokers = [Broker(1, "a"), Broker(2, "a"), Broker(3, "b"), Broker(4, "b")]
    sizes = dict(zip(lists, [5e9, 1e9] * 4, strict=True))
    plain = ClusterLayout.from_assignments(lists, brokers=brokers)
    uneven = replace(plain, size_bytes=np.array(list(sizes.values())))

    assert found(uneven)["byte_skew"].sentence == ("Broker 1 holds 20.0 GB, 67% above the mean; broker 2 holds 4.0 GB.")
    assert found(uneven)["byte_skew"].severity is Severity.NOTE
    for calm in (
        plain,
        replace(plain, size_bytes=np.array([5e9] * 8)),
        replace(plain, size_bytes=np.array([5e9] * 7 + [np.nan])),
        replace(plain, size_bytes=np.array([5e9] + [0.0] * 7)),  # nothing else is there to give
        replace(uneven, brokers=tuple(Broker(i, rack) for i, rack in zip(range(1, 5), "acbb", strict=True))),
    ):
        assert ("byte_skew" in found(calm)) == (len(calm.racks) == 3)


@pytest.mark.parametrize(
    ("gigabytes", "skewed"),
    [
        ([5, 5, 5, 1], True),
        ([9, 1, 1, 1], False),  # the one that is large would make the other broker the fullest
        ([5.5, 0.3, 0.2, 5.5], False),  # a replica can go, but the mean is hardly exceeded
    ],
)
def test_of_two_brokers_the_fuller_one_is_found_where_a_replica_of_it_evens_them_out(
    gigabytes: list[float], skewed: bool
) -> None:
    """One has the first three where those are more than the fourth, else the first alone."""
    first = 3 if gigabytes[0] < 9 else 1
    lists = [[1 if at < first else 2] for at in range(4)]
    layout = replace(one_topic(lists), size_bytes=np.array(gigabytes) * 1e9)

    assert ("byte_skew" in found(layout)) is skewed


def test_a_small_spread_that_could_be_avoided_is_a_note() -> None:
    """21 replicas and 19, where the mean is 20; 25 and 15 deserve attention."""
    for fuller, severity in ((21, Severity.NOTE), (25, Severity.ATTENTION)):
        lists = [[1 if at < fuller else 2] for at in range(40)]
        assert found(one_topic(lists))["replica_skew"].severity is severity


def test_a_single_replica_of_which_one_is_asked_was_chosen_so() -> None:
    """Replication factor 1 with min.insync.replicas 1 is no finding; 2 with 2 is one."""
    one, two = (replace(one_topic([ids]), min_in_sync=np.array([len(ids)], np.int32)) for ids in ([1], [1, 2]))

    assert "min_isr_not_below_replication_factor" not in found(one)
    assert "min_isr_not_below_replication_factor" in found(two)


def test_the_first_broker_may_lead_what_it_does_not_hold_as_any_other() -> None:
    """Broker 1 of 1, 2 and 3."""
    layout = one_topic([[2, 3], [1, 2]], leaders={("t", 0): 1, ("t", 1): 1})

    assert found(layout)["leader_not_a_replica"].rows.tolist() == [0]


def test_how_many_have_one_copy_in_sync_is_said() -> None:
    """Both of two, one of two, and the only one."""
    for isrs, said in (([[1], [1]], "All have at most"), ([[1], [1, 2]], "1 of them has"), ([[1]], "1 of them has")):
        layout = one_topic([[1, 2, 3]] * len(isrs), in_sync={("t", at): ids for at, ids in enumerate(isrs)})
        assert said in found(layout)["under_replicated"].sentence


def test_each_topic_has_a_usual_factor_of_its_own() -> None:
    """Two replicas are odd in one topic, three in the other."""
    lists = {(topic, at): [1, 2, 3][:factor] for topic, of in (("a", "223"), ("b", "332")) for at, factor in
             enumerate(map(int, of))}  # fmt: skip

    assert found(ClusterLayout.from_assignments(lists))["mixed_replication_factor"].rows.tolist() == [2, 5]


def test_a_dead_broker_that_holds_nothing_is_not_named_beside_one_that_does() -> None:
    """Broker 4 could be forgotten."""
    brokers = [Broker(1), Broker(2, state=BrokerState.DEAD), Broker(4, state=BrokerState.DEAD)]

    assert found(one_topic([[1, 2]], brokers=brokers))["dead_broker_mentioned"].brokers == (2,)


def test_the_partitions_whose_order_is_not_told_are_named_and_no_others() -> None:
    """Of two topics one."""
    layout = replace(
        ClusterLayout.from_assignments({("a", 0): [1], ("b", 0): [1], ("b", 1): [1]}),
        order_told=np.array([True, False]),
    )

    assert found(layout)["order_not_told"].rows.tolist() == [1, 2]


def test_a_partition_without_leader_is_broken() -> None:
    """Singular, with its row."""
    finding = found(one_topic([[1, 2], [2, 1]], leaders={("t", 0): None, ("t", 1): 2}))["offline"]

    assert finding.severity is Severity.BROKEN
    assert finding.rows.tolist() == [0]
    assert finding.sentence.startswith("1 partition has no leader")


def test_offline_names_the_brokers_that_were_the_last_in_sync() -> None:
    """Of the ISR, or of the eligible leader replicas where it is empty; one that is alive is not waited for."""
    state = {1: BrokerState.ALIVE, 2: BrokerState.DEAD, 3: BrokerState.FENCED}
    layout = ClusterLayout.from_assignments(
        {("t", 0): [2, 1], ("t", 1): [1, 3]},
        brokers=[Broker(broker, state=told) for broker, told in state.items()],
        leaders={("t", 0): None, ("t", 1): None},
        in_sync={("t", 0): [2], ("t", 1): []},
    )
    eligible = replace(layout, eligible=np.array([[False, True], [False, True]]))

    assert found(layout)["offline"].sentence.endswith("Bring broker 2 back: it was the last in sync.")
    assert found(eligible)["offline"].sentence.endswith("Bring brokers 2 and 3 back: they were the last in sync.")
    assert found(eligible)["offline"].brokers == (2, 3)


def test_a_fenced_broker_that_holds_replicas_is_one_that_is_down() -> None:
    """As above every page: Kafka 4 calls fenced what earlier versions no longer name, and that was "probably down"."""
    layout = ClusterLayout.from_assignments(
        {("t", 0): [1, 2]},
        brokers=[Broker(1, state=BrokerState.ALIVE), Broker(2, state=BrokerState.FENCED)],
        leaders={("t", 0): 1},
        in_sync={("t", 0): [1]},
    )
    kinds = found(layout)

    assert kinds["dead_broker_mentioned"].severity is Severity.BROKEN
    assert kinds["dead_broker_mentioned"].sentence.startswith("Broker 2 is fenced but still holds 1 replica.")
    assert "broker_out_of_every_isr" not in kinds


def test_a_leader_that_is_not_told_is_not_offline() -> None:
    """A bare reassignment JSON is not "all offline"."""
    kinds = found(one_topic([[1, 2], [2, 1]]))

    assert "offline" not in kinds
    assert "under_replicated" not in kinds
    assert "leader_skew" not in kinds


def test_under_replicated_is_worse_where_one_copy_is_left() -> None:
    """Two of three in sync want attention; one of three is broken."""
    two = found(one_topic([[1, 2, 3]], leaders={("t", 0): 1}, in_sync={("t", 0): [1, 2]}))["under_replicated"]
    one = found(one_topic([[1, 2, 3]], leaders={("t", 0): 1}, in_sync={("t", 0): [1]}))["under_replicated"]

    assert two.severity is Severity.ATTENTION
    assert one.severity is Severity.BROKEN
    assert "1 of them has at most one copy in sync" in one.sentence


def test_below_min_isr_is_broken() -> None:
    """min.insync.replicas 2, one in sync; with two there are as many as are asked."""
    layout = ClusterLayout.from_columns(
        topics=["t"],
        topic_of=[0],
        partition=[0],
        replicas=[[1, 2, 3]],
        leader=[1],
        in_sync=[[True, False, False]],
        min_in_sync=[2],
    )

    assert found(layout)["below_min_isr"].rows.tolist() == [0]
    assert findings(layout)[0].severity is Severity.BROKEN
    assert "below_min_isr" not in found(replace(layout, in_sync=np.array([[True, True, False]])))


def test_min_isr_that_spares_no_replica_wants_attention() -> None:
    """RF 2 with min ISR 2: any restart stops writes."""
    layout = ClusterLayout.from_columns(topics=["t"], topic_of=[0], partition=[0], replicas=[[1, 2]], min_in_sync=[2])

    assert found(layout)["min_isr_not_below_replication_factor"].topics == ("t",)


def test_another_leader_than_the_preferred_one_is_found() -> None:
    """Partition 1 prefers 2 and is led by 1."""
    finding = found(one_topic([[1, 2], [2, 1]], leaders={("t", 0): 1, ("t", 1): 1}))["not_preferred_leader"]

    assert finding.rows.tolist() == [1]
    assert finding.severity is Severity.ATTENTION


def test_a_broker_twice_in_one_list_is_broken() -> None:
    """Two replicas on one broker are one copy."""
    finding = found(one_topic([[1, 2], [3, 3]]))["duplicate_replicas"]

    assert finding.severity is Severity.BROKEN
    assert finding.rows.tolist() == [1]


def test_a_shared_rack_is_found_while_another_rack_has_a_live_broker() -> None:
    """Brokers 1 and 2 share rack a; b is free while broker 3 lives."""
    racks = [Broker(1, rack="a"), Broker(2, rack="a")]
    alive = one_topic([[1, 2]], brokers=[*racks, Broker(3, rack="b")])
    dead = one_topic([[1, 2]], brokers=[*racks, Broker(3, rack="b", state=BrokerState.DEAD)])

    assert found(alive)["rack_shared_while_free"].rows.tolist() == [0]
    assert "rack_shared_while_free" not in found(dead)


def test_replicas_on_brokers_of_one_host_are_found() -> None:
    """Brokers 1 and 2 run on one machine; the third elsewhere."""
    hosts = [Broker(1, host="h1"), Broker(2, host="h1"), Broker(3, host="h2")]
    finding = found(one_topic([[1, 2], [1, 3]], brokers=hosts))["same_host"]

    assert finding.rows.tolist() == [0]
    assert finding.brokers == (1, 2)
    assert finding.severity is Severity.ATTENTION


def test_one_host_for_all_is_a_note_since_nothing_can_be_kept_apart() -> None:
    """A trial cluster on one machine."""
    finding = found(one_topic([[1, 2]], brokers=[Broker(1, host="localhost"), Broker(2, host="localhost")]))[
        "same_host"
    ]

    assert finding.severity is Severity.NOTE


def test_mixed_replication_factors_name_the_odd_partitions() -> None:
    """Two of three have two replicas: the third is the odd one. Topic u is all of one kind."""
    layout = ClusterLayout.from_assignments({("t", 0): [1, 2], ("t", 1): [1, 2, 3], ("t", 2): [2, 3], ("u", 0): [1]})
    finding = found(layout)["mixed_replication_factor"]

    assert finding.topics == ("t",)
    assert finding.rows.tolist() == [1]


def test_replicas_being_added_do_not_mix_replication_factors() -> None:
    """[3, 1, 2] with 3 joining and 2 leaving is RF 2 in the end."""
    layout = ClusterLayout.from_columns(
        topics=["t"],
        topic_of=[0, 0],
        partition=[0, 1],
        replicas=[[3, 1, 2], [1, 2, -1]],
        adding=[[True, False, False], [False, False, False]],
        removing=[[False, False, True], [False, False, False]],
    )
    kinds = found(layout)

    assert "mixed_replication_factor" not in kinds
    assert kinds["reassignment_under_way"].rows.tolist() == [0]


def test_more_replicas_than_brokers_or_racks_are_found() -> None:
    """RF 3 with one of three brokers dead, over two racks."""
    layout = one_topic(
        [[1, 2, 3]],
        brokers=[Broker(1, rack="a"), Broker(2, rack="b"), Broker(3, rack="b", state=BrokerState.DEAD)],
    )
    kinds = found(layout)

    assert kinds["replication_factor_above_brokers"].rows.tolist() == [0]
    assert kinds["replication_factor_above_racks"].severity is Severity.NOTE
    assert kinds["dead_broker_mentioned"].brokers == (3,)
    assert kinds["dead_broker_mentioned"].rows.tolist() == [0]


def test_brokers_without_a_rack_beside_others_are_named() -> None:
    """Broker 2 has none."""
    assert found(one_topic([[1, 2]], brokers=[Broker(1, rack="a")]))["broker_without_rack"].brokers == (2,)


def test_a_dead_broker_is_not_one_without_a_rack() -> None:
    """Up to Kafka 3.9 nobody tells the rack of a broker that is down: each outage asked to set broker.rack."""
    brokers = [Broker(1, "a", state=BrokerState.ALIVE), Broker(2, state=BrokerState.DEAD)]
    kinds = found(one_topic([[1, 2], [1, 3]], brokers=brokers))

    assert kinds["broker_without_rack"].brokers == (3,)
    assert "Broker 3 has no rack while 1 other broker has one." in kinds["broker_without_rack"].sentence
    assert "broker_without_rack" not in found(one_topic([[1, 2]], brokers=brokers))


def test_a_rack_counts_once_among_those_that_replicas_can_be_on() -> None:
    """Three replicas, three brokers, two racks; and one of four brokers has none, which is a rack of its own."""
    brokers = [Broker(1, "a"), Broker(2, "a"), Broker(3, "b")]
    two = found(one_topic([[1, 2, 3]], brokers=brokers))
    third = found(one_topic([[1, 3, 4]], brokers=[*brokers, Broker(4)]))

    assert "more replicas than the 2 racks with brokers" in two["replication_factor_above_racks"].sentence
    assert "replication_factor_above_racks" not in third
    assert "Broker 4 has no rack while 3 other brokers have one." in third["broker_without_rack"].sentence


def test_a_broker_that_holds_nothing_is_empty_and_nothing_else() -> None:
    """It is in no ISR and on no list of brokers, as one that is dead without replicas is no trouble."""
    layout = one_topic(
        [[1, 2]],
        brokers=[Broker(1, state=BrokerState.ALIVE), Broker(2, state=BrokerState.ALIVE), Broker(3), Broker(4)],
        in_sync={("t", 0): [1, 2]},
        leaders={("t", 0): 1},
    )

    assert {kind: finding.brokers for kind, finding in found(layout).items() if finding.brokers != (1, 3)} == {
        "empty_broker": (3, 4)
    }


def test_brokers_without_a_host_share_none() -> None:
    """Two are on host a, and what lies on the other two may be anywhere."""
    brokers = [Broker(1, host="a"), Broker(2, host="a"), Broker(3, host="b"), Broker(4)]

    assert "same_host" not in found(one_topic([[3, 4], [1, 3]], brokers=brokers))


def test_a_broker_in_no_isr_is_probably_down() -> None:
    """Describe output never tells liveness, but broker 3 is in sync for none of its replicas."""
    layout = one_topic(
        [[1, 3], [2, 3], [1, 2]],
        leaders={("t", 0): 1, ("t", 1): 2, ("t", 2): 1},
        in_sync={("t", 0): [1], ("t", 1): [2], ("t", 2): [1, 2]},
    )

    assert found(layout)["broker_out_of_every_isr"].brokers == (3,)


def test_the_isr_of_a_leaderless_partition_is_no_sign_of_life() -> None:
    """Broker 3 is all of partition 0's ISR; were it up, it would lead."""
    layout = one_topic(
        [[1, 3], [1, 2]], leaders={("t", 0): None, ("t", 1): 1}, in_sync={("t", 0): [3], ("t", 1): [1, 2]}
    )

    assert found(layout)["broker_out_of_every_isr"].brokers == (3,)


def test_a_broker_that_the_source_does_not_list_is_named() -> None:
    """Brokers 1 and 2 are told to be alive; 7 is only mentioned."""
    layout = one_topic([[1, 7]], brokers=[Broker(i, state=BrokerState.ALIVE) for i in (1, 2)])
    kinds = found(layout)

    assert kinds["broker_not_listed"].brokers == (7,)
    assert kinds["empty_broker"].brokers == (2,)


@pytest.mark.parametrize(
    ("lists", "skewed"),
    [
        ([[1], [2], [3], [1]], False),  # 2, 1, 1 over three brokers: no plan does better
        ([[1], [1], [1], [2], [3]], True),  # 3, 1, 1: 2, 2, 1 would do
    ],
)
def test_skew_is_reported_only_beyond_the_unavoidable(lists: list[list[int]], skewed: bool) -> None:
    """Compared with the least possible spread, not with zero."""
    kinds = found(one_topic(lists, leaders={("t", i): replicas[0] for i, replicas in enumerate(lists)}))

    assert ("replica_skew" in kinds) is skewed
    assert ("leader_skew" in kinds) is skewed


def test_what_racks_make_unavoidable_is_no_skew() -> None:
    """Broker 1 is alone in rack a and every partition of RF 2 needs it."""
    layout = one_topic(
        [[1, 2], [3, 1], [1, 4]],
        brokers=[Broker(1, rack="a"), *(Broker(i, rack="b") for i in (2, 3, 4))],
    )

    assert "replica_skew" not in found(layout)


def test_order_that_is_not_told_is_a_note() -> None:
    """With the topics concerned."""
    finding = found(one_topic([[1, 2]], order_told=False))["order_not_told"]

    assert finding.topics == ("t",)
    assert finding.severity is Severity.NOTE


def test_the_worst_comes_first_and_every_kind_is_listed() -> None:
    """Broken before attention before note; each kind stands in KINDS."""
    layout = one_topic(
        [[1, 2], [1, 1], [2, 1, 3]],
        brokers=[Broker(1, rack="a"), Broker(9)],
        leaders={("t", 0): None, ("t", 1): 1, ("t", 2): 1},
        in_sync={("t", 0): [], ("t", 1): [1], ("t", 2): [1]},
        order_told=False,
    )
    result = findings(layout)
    order = [Severity.BROKEN, Severity.ATTENTION, Severity.NOTE]

    assert [order.index(f.severity) for f in result] == sorted(order.index(f.severity) for f in result)
    assert {f.kind for f in result} <= set(KINDS)
    assert len(result) > 6
    assert all(f.sentence.endswith(".") for f in result)


def test_large_numbers_are_written_with_separators() -> None:
    """1,200 partitions, not 1200."""
    layout = one_topic([[1, 2]] * 1200, leaders={("t", i): None for i in range(1200)})

    assert found(layout)["offline"].sentence.startswith("1,200 partitions have no leader")


def test_a_leader_that_is_no_replica_is_broken() -> None:
    """A mixed or edited text; a partition without a leader, or without a told one, is none of it."""
    finding = found(one_topic([[1, 2], [2, 1], [1, 2]], leaders={("t", 0): 3, ("t", 1): None}))["leader_not_a_replica"]

    assert finding.severity is Severity.BROKEN
    assert finding.rows.tolist() == [0]


def test_as_many_replicas_as_live_brokers_are_not_too_many() -> None:
    """One more is."""
    alive = [Broker(i, state=BrokerState.ALIVE) for i in (1, 2)]

    assert "replication_factor_above_brokers" not in found(one_topic([[1, 2]], brokers=alive))
    dead = [*alive, Broker(3, state=BrokerState.DEAD)]
    assert found(one_topic([[1, 2, 3]], brokers=dead))["replication_factor_above_brokers"].rows.tolist() == [0]


@pytest.mark.parametrize(("elsewhere", "severity"), [(1, Severity.NOTE), (2, Severity.ATTENTION)])
def test_a_tenth_of_the_partitions_led_by_another_replica_is_a_note(elsewhere: int, severity: Severity) -> None:
    """Of ten with a leader, that of the lowest id too, one is a note and two are attention."""
    lists = [[0, 1]] * 11
    leaders: dict[tuple[str, int], int | None] = {("t", i): 1 if i < elsewhere else 0 for i in range(10)}
    finding = found(one_topic(lists, leaders={**leaders, ("t", 10): None}))["not_preferred_leader"]

    assert finding.severity is severity
    assert " of 10 partitions with a leader " in finding.sentence
