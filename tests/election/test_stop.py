"""Brokers stopped: who takes over, what goes offline, what refuses writes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reseat.election import Reason, stop
from reseat.election.rules import Mode
from reseat.errors import WishRefused
from reseat.model import NONE, NOT_TOLD, Broker, BrokerState, ClusterLayout
from tests.cases import cases


def layout_of(lists: list[list[int]], leaders: list[int | None], isr: list[list[int]], **more: object) -> ClusterLayout:
    """Topic t with these replica lists, leaders and ISRs."""
    return ClusterLayout.from_assignments(
        {("t", i): replicas for i, replicas in enumerate(lists)},
        leaders={("t", i): leader for i, leader in enumerate(leaders)},
        in_sync={("t", i): members for i, members in enumerate(isr)},
        **more,
    )


def test_what_nobody_could_lead_before_does_not_go_offline() -> None:
    """Its leader is unknown and its ISR is empty: a stop changes nothing of that."""
    layout = ClusterLayout.from_assignments({("t", 0): [1, 2]}, in_sync={("t", 0): []})

    assert stop(layout, [1]).offline.size == 0


def test_the_first_in_sync_replica_takes_over() -> None:
    """Broker 2 is out of sync, so 3 takes over; partition 1 is not led by 1 and keeps its leader."""
    after = stop(layout_of([[1, 2, 3], [1, 2, 3]], [1, 2], [[1, 3], [1, 2, 3]]), [1])

    assert after.stopped == (1,)
    assert after.election.leader_after.tolist() == [3, 2]
    assert [after.election.reason_of(i) for i in range(2)] == [Reason.TAKES_OVER, Reason.KEEPS_LEADING]
    assert after.offline.size == 0
    assert after.under_replicated.tolist() == [0, 1]
    assert after.in_sync_after.tolist() == [[False, False, True], [False, True, True]]


@pytest.mark.parametrize(
    ("isr", "stopped", "unclean", "words"),
    [
        ([1, 2, 3], [1], False, "1 partition has one in-sync replica fewer."),
        ([1, 2, 3], [1, 2], False, "1 partition has fewer in-sync replicas."),
        ([1], [1], True, ""),
    ],
    ids=["one", "two", "an unclean leader in the place of one"],
)
def test_how_many_are_in_sync_then(isr: list[int], stopped: list[int], unclean: bool, words: str) -> None:
    """One fewer is said of one broker alone; an unclean leader is alone in the ISR, as the one before it was."""
    said = " ".join(stop(layout_of([[1, 2, 3]], [1], [isr]), stopped, unclean=unclean).sentences)

    assert words in said
    assert ("fewer" in said) is bool(words)


@pytest.mark.parametrize(
    ("stopped", "first"),
    [
        ([2], "While broker 2 is stopped, 1 partition fails over to another replica."),
        ([1, 3], "While brokers 1 and 3 are stopped, 3 partitions fail over to another replica."),
        ([4], "While broker 4 is stopped, no partition fails over to another replica."),
    ],
)
def test_how_many_fail_over_is_said_first(stopped: list[int], first: str) -> None:
    """Also that none does."""
    lists = [[1, 2], [2, 1], [3, 2], [1, 4]]

    assert stop(layout_of(lists, [1, 2, 3, 1], lists), stopped).sentences[0] == first


def test_without_another_in_sync_replica_the_partition_goes_offline() -> None:
    """The last member stays in the ISR; a controlled shutdown is tried again first."""
    after = stop(layout_of([[1, 2]], [1], [[1]]), [1])

    assert after.election.leader_after.tolist() == [NONE]
    assert after.offline.tolist() == [0]
    assert after.in_sync_after.tolist() == [[True, False]]
    assert any("controlled.shutdown.max.retries" in sentence for sentence in after.sentences)


def test_unclean_election_takes_one_out_of_sync_and_says_what_is_lost() -> None:
    """The new leader alone is in sync then."""
    after = stop(layout_of([[1, 2], [2]], [1, 2], [[1], [2]]), [1], unclean=True)

    assert after.election.leader_after.tolist() == [2, 2]
    assert after.unclean.tolist() == [0]
    assert after.in_sync_after[0].tolist() == [False, True]
    assert after.election.reason_of(0) is Reason.UNCLEAN


def test_a_broker_that_is_in_no_isr_gets_no_unclean_leader() -> None:
    """As far as one can tell it is down; one that is told to be alive lags everywhere, and leads."""
    lists, isr = [[1, 2, 3], [1, 2]], [[1], [1]]
    told = [Broker(1), Broker(2), Broker(3, state=BrokerState.ALIVE)]

    assert (
        "2 partitions go offline: no other replica is known to be alive."
        in stop(layout_of(lists, [1, 1], isr), [1], unclean=True).sentences
    )
    after = stop(layout_of(lists, [1, 1], isr, brokers=told), [1], unclean=True)
    assert (after.election.leader_after.tolist(), after.offline.tolist()) == ([3, NONE], [1])


def test_brokers_that_are_not_alive_do_not_take_over() -> None:
    """Broker 2 is in the ISR as told, but fenced."""
    layout = layout_of([[1, 2, 3]], [1], [[1, 2, 3]], brokers=[Broker(2, state=BrokerState.FENCED)])

    assert stop(layout, [1]).election.leader_after.tolist() == [3]


def test_several_brokers_are_stopped_at_once() -> None:
    """With 1 and 2 gone only 3 is left."""
    assert stop(layout_of([[1, 2, 3]], [1], [[1, 2, 3]]), [2, 1]).election.leader_after.tolist() == [3]


def test_partitions_that_fall_below_min_isr_are_named_once() -> None:
    """Row 0 keeps two in sync and needs two; row 1 has two and falls to one; row 2 goes offline."""
    layout = ClusterLayout.from_columns(
        topics=["t"],
        topic_of=[0, 0, 0],
        partition=[0, 1, 2],
        replicas=[[1, 2, 3], [1, 2, 3], [1, 2, 3]],
        leader=[1, 2, 1],
        in_sync=[[True, True, True], [True, True, False], [True, False, False]],
        min_in_sync=[2],
    )
    after = stop(layout, [1])

    assert after.below_min_isr.tolist() == [1]
    assert after.offline.tolist() == [2]


def test_a_partition_already_offline_stays_so_and_is_not_counted() -> None:
    """It went offline before."""
    after = stop(layout_of([[1, 2]], [None], [[2]]), [1])

    assert after.election.reason_of(0) is Reason.WAS_OFFLINE
    assert after.offline.size == 0


@pytest.mark.parametrize("mode", ["zookeeper", "kraft"])
def test_with_unclean_election_a_partition_offline_already_gets_a_live_leader(mode: Mode) -> None:
    """Both controllers elect for it, at a broker's failure or within minutes; one told to be alive, and not stopped."""
    states = (BrokerState.ALIVE, BrokerState.DEAD, BrokerState.ALIVE, BrokerState.NOT_TOLD)
    brokers = [Broker(number, state=state) for number, state in enumerate(states, 1)]
    lists, isr = [[2, 3, 1], [2, 1], [2, 4], [2, 1, 3]], [[2], [2], [2], [2, 3]]
    after = stop(layout_of(lists, [None] * 4, isr, brokers=brokers), [1], unclean=True, mode=mode)

    assert after.election.leader_after.tolist() == [3, NONE, NONE, 3]
    assert [after.election.reason_of(row) for row in range(4)] == [
        Reason.UNCLEAN,
        Reason.WAS_OFFLINE,
        Reason.WAS_OFFLINE,
        Reason.TAKES_OVER,
    ]
    assert (after.unclean.tolist(), after.offline.tolist()) == ([0], [])
    assert after.in_sync_after[0].tolist() == [False, True, False]


def test_the_last_known_leader_goes_before_any_other_unclean_one() -> None:
    """KIP-966: nobody is known to have all, and 3 led last."""
    layout = layout_of([[2, 3, 1]], [None], [[]], brokers=[Broker(i, state=BrokerState.ALIVE) for i in (1, 2, 3)])
    nobody = np.zeros((1, 3), np.bool_)
    told = replace(layout, eligible=nobody, last_known_eligible=np.array([[False, True, False]]))
    after = stop(told, [1], unclean=True, mode="kraft")

    assert after.election.leader_after.tolist() == [3]
    assert after.election.reason_of(0) is Reason.LAST_KNOWN
    assert after.unclean.tolist() == [0]


def test_a_leader_that_is_not_told_is_offline_only_where_nobody_is_left() -> None:
    """Of [1, 2] someone leads on; of [1] nobody does."""
    layout = ClusterLayout.from_assignments({("t", 0): [1, 2], ("t", 1): [1]})
    after = stop(layout, [1])

    assert after.election.leader_after.tolist() == [NOT_TOLD, NONE]
    assert after.offline.tolist() == [1]


def test_kraft_elects_an_eligible_replica_and_then_the_last_known_leader() -> None:
    """KIP-966: outside the ISR, but known to hold all that is committed."""
    columns = {"topics": ["t"], "topic_of": [0], "partition": [0], "replicas": [[1, 2]], "leader": [1]}
    layout = ClusterLayout.from_columns(**columns, in_sync=[[True, False]], eligible=[[False, True]])
    layout = layout.with_brokers(Broker(broker, state=BrokerState.ALIVE) for broker in (1, 2))

    assert stop(layout, [1], mode="kraft").election.leader_after.tolist() == [2]
    assert stop(layout, [1], mode="zookeeper").election.leader_after.tolist() == [NONE]


def test_an_eligible_replica_that_is_in_no_isr_and_not_told_to_be_alive_is_taken_to_be_down() -> None:
    """A live broker returns to its ISRs at once: broker 2, in none, takes nothing over; broker 3, in one, does."""
    columns = {"topics": ["t"], "topic_of": [0, 0, 0], "partition": [0, 1, 2], "replicas": [[1, 2], [1, 3], [3, 1]]}
    layout = ClusterLayout.from_columns(
        **columns,
        leader=[1, 1, 3],
        in_sync=[[True, False], [True, False], [True, True]],
        eligible=[[False, True], [False, True], [False, False]],
    )

    assert stop(layout, [1], mode="kraft").election.leader_after.tolist() == [NONE, 3, 3]


def test_an_unknown_broker_is_refused_with_the_ones_there_are() -> None:
    """One sentence, the brokers as data."""
    with pytest.raises(WishRefused, match="Broker 9 is not in this layout") as refused:
        stop(layout_of([[1, 2]], [1], [[1, 2]]), [9])

    assert refused.value.brokers == (9,)


def test_stopping_nobody_changes_nothing() -> None:
    """The same leaders, and a sentence that says so."""
    after = stop(layout_of([[1, 2]], [1], [[1, 2]]), [])

    assert after.election.leader_after.tolist() == [1]
    assert after.sentences == ("No broker is stopped: nothing changes.",)


rows = st.lists(
    st.permutations([1, 2, 3, 4]).flatmap(
        lambda order: st.tuples(
            st.just(list(order[:3])), st.lists(st.sampled_from(list(order[:3])), min_size=1, unique=True)
        )
    ),
    min_size=1,
    max_size=6,
)


@given(rows, st.sets(st.sampled_from([1, 2, 3, 4])), st.booleans())
@settings(max_examples=cases(150))
def test_the_new_leader_is_the_one_kafka_finds(
    cases: list[tuple[list[int], list[int]]], stopped: set[int], unclean: bool
) -> None:
    """Row by row: first alive and in sync, else first alive if unclean, else none."""
    layout = layout_of(
        [replicas for replicas, _ in cases],
        [isr[0] for _, isr in cases],
        [isr for _, isr in cases],
        brokers=[Broker(i, state=BrokerState.ALIVE) for i in (1, 2, 3, 4)],
    )
    expected = []
    for replicas, isr in cases:
        clean = [b for b in replicas if b in isr and b not in stopped]
        alive = [b for b in replicas if b not in stopped]
        led = isr[0]
        expected.append(led if led not in stopped else clean[0] if clean else alive[0] if unclean and alive else NONE)
    after = stop(layout, stopped, unclean=unclean)

    assert after.election.leader_after.tolist() == expected
    assert after.offline.tolist() == [i for i, leader in enumerate(expected) if leader == NONE]
    assert not set(after.offline.tolist()) & set(after.under_replicated.tolist())


def test_eligible_replicas_are_asked_only_where_the_isr_is_empty() -> None:
    """KIP-966: of [2, 3, 1] led by 1, 2 is eligible and stands first; 3 is in sync, so 3 takes over."""
    columns = {"topics": ["t"], "topic_of": [0, 0], "partition": [0, 1], "replicas": [[2, 3, 1], [2, 3, 1]]}
    layout = ClusterLayout.from_columns(
        **columns,
        leader=[1, 1],
        in_sync=[[False, True, True], [False, False, True]],
        eligible=[[True, False, False], [True, True, False]],
        min_in_sync=[3],
    ).with_brokers(Broker(broker, state=BrokerState.ALIVE) for broker in (1, 2, 3))
    after = stop(layout, [1], mode="kraft")

    assert after.election.leader_after.tolist() == [3, 2]
    assert [after.election.reason_of(row) for row in (0, 1)] == [Reason.TAKES_OVER, Reason.ELIGIBLE]
    assert after.in_sync_after.tolist() == [[False, True, False], [True, False, False]]
    assert after.eligible_after is not None
    assert after.eligible_after.tolist() == [[True, False, True], [False, True, True]]


def test_of_brokers_that_stop_at_once_the_last_id_stays_in_the_isr() -> None:
    """A controller takes them out one after the other; with nobody left in sync, the last one is waited for."""
    after = stop(layout_of([[3, 1, 2]], [3], [[1, 2, 3]]), [1, 2, 3])

    assert after.in_sync_after.tolist() == [[True, False, False]]


def test_who_was_not_in_the_isr_is_not_the_last_of_it() -> None:
    """3 stops too, and lags: of 1 and 2 the latter is waited for."""
    after = stop(layout_of([[3, 1, 2]], [1], [[1, 2]]), [1, 2, 3])

    assert after.in_sync_after.tolist() == [[False, False, True]]


def test_a_stop_says_what_it_assumed() -> None:
    """Leaders and ISRs that nobody tells stand in sentences, with their number."""
    told = stop(ClusterLayout.from_assignments({("t", 0): [1, 2], ("t", 1): [2, 1]}, leaders={("t", 0): 1}), [1])

    assert told.sentences[-2:] == (
        "The leader of 1 partition is unknown, so who takes over there is unknown, too.",
        "The ISR of 2 partitions is unknown: all replicas are assumed to be in sync.",
    )


def test_the_isr_of_a_partition_without_a_leader_shows_nobody_alive() -> None:
    """Of a text: broker 1 alone is in the ISR of what is offline, so it is down, and takes over nothing uncleanly."""
    layout = ClusterLayout.from_assignments(
        {("one", 0): [1], ("pay", 0): [2, 1]},
        leaders={("one", 0): None, ("pay", 0): 2},
        in_sync={("one", 0): [1], ("pay", 0): [2]},
    )

    assert stop(layout, [2], unclean=True).offline.tolist() == [1]
    assert stop(layout, [2], unclean=True).unclean.tolist() == []
