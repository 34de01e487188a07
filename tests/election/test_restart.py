"""Which broker is safe to restart next."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from reseat.balance.quorum import quorum_without
from reseat.election import safe_to_restart, stop
from reseat.model import Broker, BrokerState, ClusterLayout, Quorum, QuorumMember
from tests.cases import cases


def layout_of(
    lists: list[list[int]], isr: list[list[int]], min_isr: int | None = None, **more: object
) -> ClusterLayout:
    """Topic t with these replica lists, led by the first of each ISR."""
    width = max(len(replicas) for replicas in lists)
    padded = [replicas + [-1] * (width - len(replicas)) for replicas in lists]
    return ClusterLayout.from_columns(
        topics=["t"],
        topic_of=[0] * len(lists),
        partition=range(len(lists)),
        replicas=padded,
        leader=[members[0] for members in isr],
        in_sync=[[broker in members for broker in replicas] for replicas, members in zip(padded, isr, strict=True)],
        min_in_sync=None if min_isr is None else [min_isr],
        **more,
    )


def test_with_all_in_sync_the_broker_with_fewest_leaders_is_first() -> None:
    """Broker 3 leads nothing; 1 leads two, 2 leads one."""
    lists = [[1, 2, 3], [1, 2, 3], [2, 3, 1]]
    answers = safe_to_restart(layout_of(lists, lists, min_isr=2))

    assert [answer.broker_id for answer in answers] == [3, 2, 1]
    assert all(answer.safe for answer in answers)
    assert [answer.leaders for answer in answers] == [0, 1, 2]
    assert answers[1].sentence == (
        "Broker 2 is safe to restart: no partition loses its leader. It hands over leadership of 1 partition."
    )


def test_a_partition_that_would_go_offline_speaks_against_it() -> None:
    """Broker 1 holds the only copy in sync."""
    answers = {v.broker_id: v for v in safe_to_restart(layout_of([[1, 2], [2, 3]], [[1], [2, 3]], min_isr=1))}

    assert not answers[1].safe
    assert answers[1].goes_offline == 1
    assert "1 partition would go offline" in answers[1].sentence
    assert answers[2].safe


def test_of_a_text_who_is_in_no_isr_is_not_the_next_to_restart() -> None:
    """No state is told: in the middle of a rolling restart the broker that is down was the one called safe."""
    answers = safe_to_restart(layout_of([[1, 2, 3], [2, 3, 1]], [[1, 2], [2, 1]], min_isr=1))

    assert answers[-1].broker_id == 3
    assert not answers[-1].safe
    assert answers[-1].sentence == (
        "Broker 3 is in sync for none and probably down: there is nothing to restart until it is back."
    )


def test_a_partition_that_would_refuse_writes_speaks_against_it() -> None:
    """Two in sync where two are needed: stopping either refuses writes; the third is out of sync already."""
    alive = [Broker(one, state=BrokerState.ALIVE) for one in (1, 2, 3)]
    answers = {v.broker_id: v for v in safe_to_restart(layout_of([[1, 2, 3]], [[1, 2]], min_isr=2, brokers=alive))}

    assert (answers[1].safe, answers[2].safe, answers[3].safe) == (False, False, True)
    assert answers[1].falls_below_min_isr == 1
    assert "1 partition would fall below min.insync.replicas" in answers[1].sentence


def test_a_partition_that_misses_a_replica_already_speaks_against_it() -> None:
    """Two of three in sync and min ISR 1: it would work, but with a single copy left."""
    answers = {v.broker_id: v for v in safe_to_restart(layout_of([[1, 2, 3]], [[1, 2]], min_isr=1))}

    assert answers[1].already_short == 1
    assert not answers[1].safe
    assert "misses an in-sync replica already" in answers[1].sentence


def test_a_broker_that_votes_is_safe_only_while_the_quorum_goes_on_without_it() -> None:
    """Of three voters one is down: neither of the others may be stopped. With all up, the active controller is last."""
    lists = [[1, 2, 3], [2, 3, 4], [3, 4, 1], [4, 1, 2], [4, 2, 3]]
    layout = layout_of(lists, lists, min_isr=1)

    def told(**behind: float | None) -> dict[int, tuple[bool, str]]:
        members = tuple(QuorumMember(voter, behind_seconds=behind.get(f"of_{voter}", 0.1)) for voter in (1, 2, 3))
        return {one.broker_id: (one.safe, one.sentence) for one in safe_to_restart(layout, Quorum(1, members), 1)}

    well, one_silent = told(), told(of_3=60.0)

    assert list(well) == [2, 3, 4, 1]  # by leaders alone: 1, 2, 3, 4
    assert all(safe for safe, _ in well.values())
    assert well[1][1].endswith("partition. It is the active controller: restart it last.")
    assert {broker: safe for broker, (safe, _) in one_silent.items()} == {3: True, 4: True, 1: False, 2: False}
    assert one_silent[2][1] == (
        "Broker 2 is not safe to restart: the controller quorum would be lost, with 1 of 3 voters up and 2 needed."
    )
    assert not told(of_2=None)[3][0]


def test_a_voter_whose_broker_is_dead_counts_as_lost() -> None:
    """Also where nobody tells how far behind it is, as nobody leads."""
    brokers = [Broker(3, state=BrokerState.DEAD)]
    layout = layout_of([[1, 2, 4]], [[1, 2, 4]], min_isr=1, brokers=brokers)
    found = safe_to_restart(layout, Quorum(None, tuple(map(QuorumMember, (1, 2, 3)))))

    assert {one.broker_id: one.safe for one in found} == {1: False, 2: False, 3: False, 4: True}


def test_a_voter_whose_broker_is_fenced_is_down_as_in_an_outage() -> None:
    """A broker of KRaft that crashed is fenced: with it the quorum has no other voter to lose."""
    brokers = [Broker(3, state=BrokerState.FENCED)]
    layout = layout_of([[1, 2, 4]], [[1, 2, 4]], min_isr=1, brokers=brokers)
    quorum = Quorum(None, tuple(map(QuorumMember, (1, 2, 3))))
    found = {one.broker_id: one.safe for one in safe_to_restart(layout, quorum)}
    outage = {broker: quorum_without(quorum, layout.brokers, [broker]) for broker in found}

    assert found == {1: False, 2: False, 3: False, 4: True}
    assert sorted(broker for broker, told in outage.items() if told is not None and not told[0]) == [1, 2]


def test_what_is_not_told_is_assumed_and_said() -> None:
    """A bare assignment: ISR complete, min ISR 1."""
    answers = safe_to_restart(ClusterLayout.from_assignments({("t", 0): [1, 2]}))

    assert all(answer.safe for answer in answers)
    assert answers[0].leaders is None
    assert "unknown" not in answers[0].sentence
    assert answers[0].assumed == (
        "The ISR of 1 partition is unknown and assumed to be complete; min.insync.replicas of 1 topic is "
        "unknown and assumed to be 1."
    )


def test_a_broker_that_is_not_alive_comes_last_and_is_not_safe() -> None:
    """There is nothing to restart."""
    layout = layout_of([[1, 2, 3]], [[1, 2]], min_isr=1, brokers=[Broker(3, state=BrokerState.DEAD)])
    last = safe_to_restart(layout)[-1]

    assert last.broker_id == 3
    assert not last.safe
    assert "is dead" in last.sentence


def test_an_offline_partition_cannot_go_offline_again() -> None:
    """Broker 2 holds its out-of-sync copy; restarting 2 makes nothing worse."""
    layout = ClusterLayout.from_assignments(
        {("t", 0): [1, 2], ("t", 1): [2, 3]},
        leaders={("t", 0): None, ("t", 1): 3},
        in_sync={("t", 0): [1], ("t", 1): [2, 3]},
    )
    answers = {v.broker_id: v for v in safe_to_restart(layout)}

    assert answers[2].goes_offline == 0


stopped = st.lists(
    st.permutations([1, 2, 3, 4]).flatmap(
        lambda order: st.tuples(
            st.just(list(order[:3])), st.lists(st.sampled_from(list(order[:3])), min_size=1, unique=True)
        )
    ),
    min_size=1,
    max_size=6,
)


@given(stopped, st.sampled_from([1, 2]))
@settings(max_examples=cases(100))
def test_the_verdict_agrees_with_stopping_that_broker(rows: list[tuple[list[int], list[int]]], min_isr: int) -> None:
    """What one pass over all brokers says is what stopping each of them shows."""
    layout = layout_of([replicas for replicas, _ in rows], [isr for _, isr in rows], min_isr)

    for answer in safe_to_restart(layout):
        after = stop(layout, [answer.broker_id])
        assert answer.goes_offline == len(after.offline)
        assert answer.falls_below_min_isr == len(after.below_min_isr)
        if answer.safe:
            assert not len(after.offline)
            assert not len(after.below_min_isr)
