"""Taking brokers out: what moves, where it goes, who leads, and what is said of it.

Optimality against every choice of small layouts stands here too; the checker's own tests break plans on purpose.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reseat.errors import WishRefused
from reseat.model import NOT_TOLD, Broker, BrokerState, ClusterLayout, Options, Wish
from reseat.planning import plan, remove_brokers
from reseat.planning.solve import pools
from reseat.planning.solve.solver import Solver
from tests.cases import cases

REASSIGN = ClusterLayout.from_assignments(
    {
        ("topic-reassign", 0): [0, 2],
        ("topic-reassign", 1): [1, 0],
        ("topic-reassign", 2): [2, 1],
        ("topic-reassign", 3): [0, 1],
    }
)


def _racks(racks: dict[int, str | None]) -> list[Broker]:
    return [Broker(i, rack=rack) for i, rack in racks.items()]


def test_the_documented_example() -> None:
    """Broker 1 out: three replicas move to the one free broker each, partition 0 stays."""
    made = remove_brokers(REASSIGN, [1])
    after = made.proposed.assignments()

    assert after["topic-reassign", 0] == [0, 2]
    assert {key[1]: sorted(members) for key, members in after.items()} == {0: [0, 2], 1: [0, 2], 2: [0, 2], 3: [0, 2]}
    assert sorted(members[0] for members in after.values()) == [0, 0, 2, 2]
    assert made.certificate.moves == made.certificate.least_moves == len(made.moves) == 3
    assert made.certificate.sentences[0] == "3 replicas move, the proven minimum (racks unknown)."


def test_every_claim_of_the_documented_example_is_proven() -> None:
    """Its certificate is complete, and JSON-ready."""
    certificate = remove_brokers(REASSIGN, [1]).certificate

    assert certificate.valid
    assert certificate.moves_proven
    assert certificate.replica_balance_proven
    assert certificate.leader_balance_proven
    assert certificate.changed_leaders_proven
    assert certificate.replica_sum_of_squares == certificate.least_replica_sum_of_squares == 32
    assert certificate.leader_sum_of_squares == 8
    assert certificate.rack_sum_of_squares is None
    assert certificate.bytes_to_move is None
    assert certificate.wish == Wish(remove=(1,))


def test_planning_changes_nothing_it_was_given() -> None:
    """The layout's digest is the same afterwards."""
    before = ClusterLayout.from_assignments(REASSIGN.assignments()).digest
    remove_brokers(REASSIGN, [1])

    assert REASSIGN.digest == before


def test_the_same_wish_gives_the_same_plan() -> None:
    """Twice the same, to the last column."""
    layout = _random_layout(np.random.default_rng(3), brokers=9, partitions=60, racks=3)

    assert remove_brokers(layout, [2]).proposed == remove_brokers(layout, [2]).proposed


def test_brokers_that_hold_nothing_give_an_empty_plan_that_says_so() -> None:
    """Nothing moves, nothing changes, and a finding says why."""
    layout = REASSIGN.with_brokers([Broker(7)])
    made = remove_brokers(layout, [7])

    assert made.proposed == made.current
    assert made.certificate.moves == 0
    assert made.certificate.sentences[0] == "Broker 7 held nothing, so there is nothing to do."
    assert [finding.kind for finding in made.findings] == ["nothing_to_do"]


def test_removing_nobody_is_an_empty_plan() -> None:
    """No broker named, nothing to do."""
    made = remove_brokers(REASSIGN, [])

    assert made.certificate.moves == 0
    assert made.proposed is made.current


def test_empty_brokers_are_targets() -> None:
    """Broker 7 is known only by its rack's file, and takes all that moves."""
    layout = ClusterLayout.from_assignments({("a", 0): [1], ("a", 1): [1], ("a", 2): [2], ("a", 3): [2]})
    made = remove_brokers(layout.with_brokers([Broker(7)]), [1])

    assert made.proposed.assignments() == {("a", 0): [7], ("a", 1): [7], ("a", 2): [2], ("a", 3): [2]}


def test_dead_brokers_keep_what_they_hold_and_receive_nothing() -> None:
    """Broker 3 is dead: its replica stays, and the displaced one goes to 2."""
    brokers = [Broker(3, state=BrokerState.DEAD)]
    layout = ClusterLayout.from_assignments(
        {("a", 0): [1], ("a", 1): [3], ("a", 2): [2], ("a", 3): [2]}, brokers=brokers
    )

    assert remove_brokers(layout, [1]).proposed.assignments() == {
        ("a", 0): [2],
        ("a", 1): [3],
        ("a", 2): [2],
        ("a", 3): [2],
    }


def test_a_dead_broker_is_not_named_first_in_a_changed_list() -> None:
    """Broker 3 is dead: the newcomer is named before it."""
    brokers = [Broker(3, state=BrokerState.DEAD)]
    layout = ClusterLayout.from_assignments({("a", 0): [3, 1], ("a", 1): [2]}, brokers=brokers)

    assert remove_brokers(layout, [1]).proposed.assignments()["a", 0] == [2, 3]


def test_a_dead_broker_can_be_taken_out() -> None:
    """What was on it is copied from the others."""
    brokers = [Broker(1, state=BrokerState.DEAD), Broker(4)]
    layout = ClusterLayout.from_assignments({("a", 0): [1, 2]}, brokers=brokers)

    assert sorted(remove_brokers(layout, [1]).proposed.assignments()["a", 0]) == [2, 4]


def test_a_free_rack_outweighs_any_load() -> None:
    """Rack c is full and rack b is not, but only c is free of the partition."""
    brokers = _racks({1: "a", 2: "a", 3: "b", 4: "c"})
    lists = {("a", 0): [1, 3]} | {("b", i): [4] for i in range(9)}
    layout = ClusterLayout.from_assignments(lists, brokers=brokers)
    after = remove_brokers(layout, [1]).proposed.assignments()["a", 0]

    assert sorted(after) in ([2, 3], [3, 4])
    assert sorted(after) == [2, 3]  # racks a and c are both free: then the load decides
    assert remove_brokers(layout, [1, 2]).proposed.assignments()["a", 0] in ([3, 4], [4, 3])


def test_a_rack_is_doubled_only_where_it_must() -> None:
    """Three racks for three replicas; rack c leaves: its replica must double a rack, evenly."""
    brokers = _racks({1: "a", 2: "a", 3: "b", 4: "b", 5: "c"})
    layout = ClusterLayout.from_assignments({("a", 0): [1, 3, 5], ("a", 1): [2, 4, 5]}, brokers=brokers)
    made = remove_brokers(layout, [5])

    assert made.certificate.rack_sum_of_squares == 10
    assert made.certificate.rack_balance_proven
    assert made.certificate.rack_violations_before == 0
    assert made.certificate.rack_violations_after == 0
    assert made.certificate.replica_spread == 1


def test_brokers_without_rack_are_racks_of_their_own() -> None:
    """Broker 3 and 4 have none beside broker 1 and 2 of rack a: both are free racks."""
    brokers = _racks({1: "a", 2: "a", 3: None, 4: None, 5: "b"})
    layout = ClusterLayout.from_assignments({("a", 0): [5, 1, 3]}, brokers=brokers)

    assert sorted(remove_brokers(layout, [5]).proposed.assignments()["a", 0]) == [1, 3, 4]


def test_emptying_a_rack_says_what_diversity_is_lost() -> None:
    """Rack c goes; both partitions then sit on two racks instead of three."""
    brokers = _racks({1: "a", 2: "a", 3: "b", 4: "b", 5: "c"})
    layout = ClusterLayout.from_assignments({("a", 0): [1, 3, 5], ("a", 1): [2, 4, 5]}, brokers=brokers)
    made = remove_brokers(layout, [5])
    (finding,) = made.findings
    (lost,) = made.certificate.cautions

    assert finding.kind == "rack_emptied"
    assert finding.sentence == "Rack c will have no broker of this cluster left: 2 racks remain."
    assert (lost.kind, lost.rows.tolist(), lost.topics) == ("rack_diversity_lost", [0, 1], ("a",))
    assert lost.sentence == "2 partitions of 1 topic lose rack diversity, on fewer racks than now: a."
    assert made.certificate.rack_diversity_lost == 2


def test_several_brokers_of_one_partition() -> None:
    """Two of three replicas move, to two different brokers."""
    layout = ClusterLayout.from_assignments({("a", 0): [1, 2, 3], ("a", 1): [4, 5, 3]})
    made = remove_brokers(layout, [1, 2])

    assert sorted(made.proposed.assignments()["a", 0]) == [3, 4, 5]
    assert made.certificate.moves == 2
    assert len(made.moves) == 2


def test_partition_ids_with_gaps_and_mixed_factors() -> None:
    """10, 21 and 33 keep their ids and their replication factors."""
    layout = ClusterLayout.from_assignments(
        {("a", 10): [1], ("a", 21): [1, 2], ("a", 33): [3, 1, 2]}, brokers=[Broker(4)]
    )
    after = remove_brokers(layout, [1]).proposed.assignments()

    assert {key: len(members) for key, members in after.items()} == {("a", 10): 1, ("a", 21): 2, ("a", 33): 3}
    assert sorted(after["a", 33]) == [2, 3, 4]


def test_newcomers_take_the_vacated_place() -> None:
    """The preferred leader stays first, and the newcomer stands where the old replica stood."""
    layout = ClusterLayout.from_assignments(
        {("a", 0): [2, 1, 3], ("a", 1): [3, 2, 4], ("a", 2): [4, 3, 2]}, brokers=[Broker(4)]
    )

    assert remove_brokers(layout, [1]).proposed.assignments()["a", 0] == [2, 4, 3]


def test_what_is_told_follows_its_replica() -> None:
    """The leader that stays leads on; of a partition with a newcomer the ISR is not told, of others it is."""
    layout = ClusterLayout.from_assignments(
        {("a", 0): [1, 2], ("a", 1): [2, 3]},
        leaders={("a", 0): 2, ("a", 1): 2},
        in_sync={("a", 0): [2], ("a", 1): [2, 3]},
    )
    after = remove_brokers(layout, [1]).proposed

    assert after.leader_ids.tolist() == [2, 2]
    assert after.in_sync_known.tolist() == [False, True]
    assert after.in_sync is not None
    assert after.in_sync[0][after.replica_ids[0] == 2].tolist() == [True]
    assert after.in_sync[0][after.replica_ids[0] == 3].tolist() == [False]


def test_a_leader_that_leaves_is_not_told() -> None:
    """Kafka elects one; the plan does not claim to know which."""
    layout = ClusterLayout.from_assignments({("a", 0): [1, 2], ("a", 1): [2, 3]}, leaders={("a", 0): 1, ("a", 1): 2})

    assert remove_brokers(layout, [1]).proposed.leader.tolist()[0] == NOT_TOLD


def test_newcomers_have_any_log_directory_and_the_size_they_copy() -> None:
    """The larger replica of 5 bytes is what a newcomer copies."""
    layout = replace(
        ClusterLayout.from_assignments({("a", 0): [1, 2], ("a", 1): [2, 3]}),
        log_dir=np.array([[0, 1], [1, 0]], np.int32),
        log_dirs=("/d0", "/d1"),
        size_bytes=np.array([[4.0, 5.0], [7.0, np.nan]]),
    )
    made = remove_brokers(layout, [1])
    at = {broker: column for column, broker in enumerate(made.proposed.replica_ids[0].tolist())}

    assert made.certificate.bytes_to_move == 5.0
    assert made.moves.bytes is not None
    assert made.moves.bytes.tolist() == [5.0]
    assert made.proposed.log_dir is not None
    assert made.proposed.size_bytes is not None
    assert made.proposed.log_dir[0][[at[2], at[3]]].tolist() == [1, -1]
    assert made.proposed.size_bytes[0][[at[2], at[3]]].tolist() == [5.0, 5.0]


def test_a_reassignment_under_way_is_planned_over_its_target() -> None:
    """Broker 4 is being replaced by 1; the plan starts from [2, 1], and says so."""
    layout = replace(
        ClusterLayout.from_assignments({("a", 0): [2, 1, 4], ("a", 1): [3, 4, 2]}),
        adding=np.array([[False, True, False], [False, False, False]]),
        removing=np.array([[False, False, True], [False, False, False]]),
    )
    made = remove_brokers(layout, [1])

    assert made.current.assignments()["a", 0] == [2, 1]
    assert made.certificate.moves == 1
    assert made.findings[0].kind == "planned_over_target"
    assert made.findings[0].rows.tolist() == [0]


def test_brokers_that_join_are_further_targets() -> None:
    """One wish takes broker 1 out and puts broker 9 into its rack."""
    brokers = _racks({1: "a", 2: "b", 3: "b"})
    layout = ClusterLayout.from_assignments({("t", 0): [1, 2], ("t", 1): [3, 1]}, brokers=brokers)
    made = plan(layout, Wish(remove=(1,), add=((9, "a"),)))

    assert {key: sorted(members) for key, members in made.proposed.assignments().items()} == {
        ("t", 0): [2, 9],
        ("t", 1): [3, 9],
    }
    assert made.wish.add == ((9, "a"),)


def test_every_list_may_be_reordered_on_request() -> None:
    """Broker 2 leads all that stay; reordering them too evens the leaders without a further move."""
    layout = ClusterLayout.from_assignments(
        {("a", 0): [1, 2], ("a", 1): [2, 3], ("a", 2): [2, 3], ("a", 3): [2, 3], ("a", 4): [2, 3]}
    )
    plain = remove_brokers(layout, [1])
    reordered = remove_brokers(layout, [1], options=Options(reorder_all=True))

    assert plain.certificate.leader_spread == 3
    assert reordered.certificate.leader_spread == 1
    assert reordered.certificate.leader_balance_proven
    assert reordered.certificate.moves == plain.certificate.moves == 1


def test_a_cap_states_what_it_costs() -> None:
    """Four replicas would all go to the empty broker 3; with a cap of 2 the rest goes to broker 2."""
    lists = {("a", i): [1] for i in range(4)} | {("b", i): [2] for i in range(4)}
    layout = ClusterLayout.from_assignments(lists, brokers=[Broker(3)])
    made = remove_brokers(layout, [1], options=Options(receive_cap=2))

    assert np.bincount(made.moves.target).tolist() == [0, 0, 2, 2]
    assert made.certificate.sentences[-1] == (
        "No broker receives more than 2 replicas; without this cap the replica spread would be 0 "
        "instead of 4 (the cap adds 8 to the sum of squares)."
    )


def test_a_cap_that_costs_nothing_says_so() -> None:
    """Two replicas for two empty brokers, at most one each."""
    layout = ClusterLayout.from_assignments({("a", 0): [1], ("a", 1): [1]}, brokers=[Broker(2), Broker(3)])
    made = remove_brokers(layout, [1], options=Options(receive_cap=1))

    assert made.certificate.sentences[-1] == "No broker receives more than 1 replica; this costs no balance."
    assert made.certificate.replica_balance_proven


def test_a_cap_that_cannot_be_kept_is_refused_with_the_least_that_works() -> None:
    """Four replicas and two brokers: one each is too few, two are enough."""
    layout = ClusterLayout.from_assignments({("a", i): [1] for i in range(4)}, brokers=[Broker(2), Broker(3)])

    with pytest.raises(WishRefused, match="at most 1 replica per broker") as refused:
        remove_brokers(layout, [1], options=Options(receive_cap=1))

    assert refused.value.choices == ("Allow 2 replicas per broker.", "Plan without a cap.")


def test_bytes_are_evened_out_with_their_gap() -> None:
    """5, 4, 3, 3 and 3 bytes for two empty brokers: 9 and 9, which is the bound."""
    sizes = {("a", 0): 5.0, ("a", 1): 4.0, ("a", 2): 3.0, ("a", 3): 3.0, ("a", 4): 3.0}
    layout = ClusterLayout.from_assignments(
        {key: [1] for key in sizes}, brokers=[Broker(2), Broker(3)], size_bytes=sizes
    )
    made = remove_brokers(layout, [1], options=Options(by_bytes=True))
    received = np.bincount(made.proposed.replica_ids[:, 0], weights=list(sizes.values()))

    assert received.tolist() == [0, 0, 9, 9]
    assert made.certificate.byte_sum_gap == pytest.approx(0)
    least = made.certificate.least_replica_sum_of_squares  # the checker proved it
    assert least == made.certificate.replica_sum_of_squares


def test_bytes_need_sizes() -> None:
    """Without any size told there is nothing to weigh."""
    with pytest.raises(WishRefused, match="has no replica sizes"):
        remove_brokers(REASSIGN, [1], options=Options(by_bytes=True))


def test_no_two_replicas_on_a_host_where_it_can_be_helped() -> None:
    """Brokers 3 and 4 are equally loaded; 3 shares a host with 2, which has the partition."""
    brokers = [Broker(1, host="x"), Broker(2, host="y"), Broker(3, host="y"), Broker(4, host="z")]
    lists = {("a", 0): [1, 2], ("a", 1): [1, 4], ("b", 0): [2], ("b", 1): [3], ("b", 2): [4]}
    layout = ClusterLayout.from_assignments(lists, brokers=brokers)
    after = remove_brokers(layout, [1]).proposed.assignments()

    assert sorted(after["a", 0]) == [2, 4]


def test_a_topic_is_spread_over_equals() -> None:
    """Two topics of two displaced partitions for two empty brokers: each broker gets one of each."""
    lists = {(topic, i): [1] for topic in "ab" for i in range(2)}
    layout = ClusterLayout.from_assignments(lists, brokers=[Broker(2), Broker(3)])
    after = remove_brokers(layout, [1]).proposed.assignments()

    assert {after["a", 0][0], after["a", 1][0]} == {2, 3}
    assert {after["b", 0][0], after["b", 1][0]} == {2, 3}


def test_a_topic_goes_where_it_is_not_yet() -> None:
    """Topic a sits on broker 2 already and b on broker 3: what leaves broker 1 changes sides, whichever came first."""
    for a, b in ((2, 3), (3, 2)):
        lists = {("a", 0): [1], ("b", 0): [1], ("a", 1): [a], ("b", 1): [b]}
        after = remove_brokers(ClusterLayout.from_assignments(lists), [1]).proposed.assignments()

        assert (after["a", 0], after["b", 0]) == ([b], [a])


def _with_sizes(lists: list[list[int]], sizes: list[list[float]]) -> ClusterLayout:
    """Partitions of topic t with a size for each replica, NaN where it is not told."""
    layout = ClusterLayout.from_assignments({("t", i): ids for i, ids in enumerate(lists)})
    return replace(layout, size_bytes=np.array(sizes))


def test_a_replica_without_a_size_has_that_of_its_partition() -> None:
    """Broker 1 is down and tells no sizes: those of the other replicas serve, and nothing is missing."""
    nan = float("nan")
    layout = _with_sizes([[1, 2], [1, 3], [1, 4]], [[nan, 9.0], [nan, 5.0], [nan, 4.0]])
    made = remove_brokers(layout, [1], options=Options(by_bytes=True))

    assert made.certificate.byte_sum_gap is not None
    assert made.certificate.byte_sum_gap < 0.1
    assert not any("are told" in said for said in made.certificate.sentences)


def test_bytes_that_are_not_told_are_not_bounded() -> None:
    """Of one partition that moves nothing is told: the share is said, and no gap is claimed over all bytes."""
    nan = float("nan")
    layout = _with_sizes([[1, 2], [1, 3], [2, 3], [3, 2]], [[9.0, 9.0], [nan, nan], [4.0, 4.0], [nan, nan]])
    made = remove_brokers(layout, [1], options=Options(by_bytes=True))

    assert made.certificate.byte_sum_gap is None
    assert made.certificate.sentences[-1].startswith(
        "Sizes are known for 1 of 2 partitions that move, and for 50.0% of all replicas; unknown sizes count as 0 "
        "here. Balanced by size instead of replica count: the sum of squares of bytes is at most "
    )
    assert made.certificate.sentences[-1].endswith(
        "% above the minimum that any plan with these moves can reach, counting known bytes only."
    )


def test_bytes_of_nothing_that_moves_are_refused() -> None:
    """Only what stays tells a size: there is nothing to even out by."""
    nan = float("nan")
    layout = _with_sizes([[1, 2], [2, 3]], [[nan, nan], [4.0, 4.0]])

    with pytest.raises(WishRefused, match="No partition that moves has a known size"):
        remove_brokers(layout, [1], options=Options(by_bytes=True))


def test_the_bound_of_bytes_leaves_last_resorts_out() -> None:
    """Fenced broker 4 takes 9 of the bytes: what broker 2 and 3 can reach at the least is counted without them."""
    layout = ClusterLayout.from_assignments(
        {("t", 0): [1, 2, 3], ("t", 1): [1]}, brokers=[Broker(4, state=BrokerState.FENCED)]
    )
    sized = replace(layout, size_bytes=np.array([9.0, 5.0]))
    made = remove_brokers(sized, [1], options=Options(by_bytes=True))

    assert made.certificate.last_resorts == (4,)
    assert made.certificate.byte_sum_gap == pytest.approx((14**2 + 9**2) / (11.5**2 * 2) - 1)


# ---- properties ----------------------------------------------------------------------------------------------


def _random_layout(
    rng: np.random.Generator, *, brokers: int, partitions: int, racks: int, factor: int = 3
) -> ClusterLayout:
    """Mixed factors, some brokers empty, skewed; rack 0 is "no rack"."""
    skew = rng.random(brokers) ** 2 + 0.05
    names = [None if racks == 0 else f"r{int(r)}" for r in rng.integers(0, max(1, racks), brokers)]
    return ClusterLayout.from_assignments(
        {
            (f"t{i % 3}", int(i)): rng.choice(
                brokers, int(rng.integers(1, factor + 1)), replace=False, p=skew / skew.sum()
            ).tolist()
            for i in range(partitions)
        },
        brokers=[Broker(i, rack=name) for i, name in enumerate(names)],
    )


@settings(max_examples=cases(60), deadline=None)
@given(seed=st.integers(0, 10**6), racks=st.integers(0, 5), brokers=st.integers(5, 12))
def test_what_holds_of_every_plan(seed: int, racks: int, brokers: int) -> None:
    """No duplicates, RF kept, untouched partitions untouched, moves equal the bound, all of it proven."""
    rng = np.random.default_rng(seed)
    layout = _random_layout(rng, brokers=brokers, partitions=40, racks=racks)
    remove = rng.choice(brokers, int(rng.integers(1, 3)), replace=False).tolist()
    made = remove_brokers(layout, remove)
    before, after = layout.assignments(), made.proposed.assignments()

    assert after.keys() == before.keys()
    for key, members in before.items():
        assert len(set(after[key])) == len(after[key]) == len(members)
        assert not set(after[key]) & set(remove)
        assert set(members) - set(remove) <= set(after[key])
        if not set(members) & set(remove):
            assert after[key] == members
    certificate = made.certificate
    assert len(made.moves) == certificate.moves == sum(m in remove for members in before.values() for m in members)
    assert certificate.valid
    assert certificate.moves_proven
    assert certificate.rack_balance_proven or certificate.rack_sum_of_squares is None
    assert certificate.replica_balance_proven
    assert certificate.leader_balance_proven
    assert certificate.changed_leaders_proven


@pytest.mark.parametrize("many", [0, 10**9])
@settings(max_examples=cases(40), deadline=None)
@given(seed=st.integers(0, 10**6), racks=st.integers(0, 4))
def test_every_way_to_the_optimum_ends_there(many: int, seed: int, racks: int) -> None:
    """One pool over all brokers, and one a rack, agree wherever both are taken."""
    rng = np.random.default_rng(seed)
    layout = _random_layout(rng, brokers=7, partitions=25, racks=racks)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pools, "MANY_RACKS", many)
        certificate = remove_brokers(layout, [int(rng.integers(0, 7))]).certificate

    assert certificate.replica_balance_proven
    assert certificate.replica_sum_of_squares == certificate.least_replica_sum_of_squares


def test_a_network_too_large_is_planned_and_nothing_is_claimed_by_the_solver() -> None:
    """Without the full network the last resort keeps racks and moves, and tells no least replica balance."""
    brokers = _racks({1: "a", 2: "a", 3: "b", 4: "c"})
    layout = ClusterLayout.from_assignments(
        {("t", 0): [1, 2, 4], ("t", 1): [1, 3, 4], ("t", 2): [1, 2, 3]}, brokers=brokers
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Solver, "at", lambda *_: None)
        made = remove_brokers(layout, [1])

    assert made.certificate.valid
    assert made.certificate.moves_proven
    # The checker proved what the solver did not claim.
    assert made.certificate.least_replica_sum_of_squares == made.certificate.replica_sum_of_squares
    assert made.proposed.assignments().keys() == layout.assignments().keys()


def test_of_an_empty_plan_no_more_is_said() -> None:
    """Broker 9 holds nothing: one sentence, no talk of moves that are not made."""
    layout = ClusterLayout.from_assignments({("a", 0): [1, 2]}, brokers=[Broker(9)])

    assert remove_brokers(layout, [9]).certificate.sentences == ("Broker 9 held nothing, so there is nothing to do.",)


def test_a_plan_that_changes_no_leader_says_so() -> None:
    """Broker 3 follows; nobody else becomes first."""
    layout = ClusterLayout.from_assignments({("a", 0): [1, 3], ("a", 1): [2, 1]})

    assert remove_brokers(layout, [3]).certificate.sentences[-1] == "No preferred leader changes."


def test_what_a_cap_costs_is_told_where_the_spread_stays() -> None:
    """Two racks are left: 4 and 5 may receive one each and 2 takes the third, no further apart but less even."""
    lists = {("o", 0): [1, 2, 3], ("o", 1): [2, 3, 1], ("p", 7): [3, 1]}
    brokers = [Broker(1, "a"), Broker(2, "b"), Broker(4, "a"), Broker(5, "b")]
    layout = ClusterLayout.from_assignments(lists, brokers=brokers)
    capped = remove_brokers(layout, [3], options=Options(receive_cap=1)).certificate

    assert capped.sentences[-1] == (
        "No broker receives more than 1 replica; this cap adds 2 to the sum of squares of replica counts."
    )


def test_what_a_cap_costs_is_told() -> None:
    """Brokers 1, 2 and 3 keep 0, 0 and 4; with at most one replica a broker the third one takes one as well."""
    lists = {("a", i): [3] for i in range(4)} | {("b", i): [9] for i in range(3)}
    layout = ClusterLayout.from_assignments(lists, brokers=[Broker(1), Broker(2)])
    capped = remove_brokers(layout, [9], options=Options(receive_cap=1)).certificate

    assert capped.replica_sum_of_squares == 27
    assert "without this cap the replica spread would be 3 instead of 4" in capped.sentences[-1]


def test_options_that_do_not_apply_are_named() -> None:
    """Reordering is for brokers that leave or join; a limit on moves for whatever moves."""
    layout = ClusterLayout.from_assignments({("a", 0): [1, 2], ("a", 1): [2, 3]})
    options = Options(max_moves=1, reorder_all=True)

    def idle(wish: Wish) -> list[str]:
        return [f.sentence for f in plan(layout, wish).findings if f.kind == "option_without_effect"]

    assert idle(Wish(leaders_only=True, options=options)) == ["Max moves has no effect: no replica moves."]
    assert idle(Wish(replication_factor=1, topics=("a",), options=options)) == [
        "Lists were not reordered: a replication-factor change keeps their order."
    ]
    never = Options(never_leads=(1,))
    assert idle(Wish(replication_factor=1, topics=("a",), options=never)) == [
        "Brokers that never lead have no effect: lists keep their order."
    ]
    assert idle(Wish(remove=(3,), options=never)) == []
    assert idle(Wish(add=((4, None),), options=options)) == idle(Wish(remove=(3,))) == []
