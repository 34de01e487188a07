"""The checker: faults are named, numbers are counted, and nothing is called proven that is not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from reseat.model import Broker, BrokerState, ClusterLayout, Options, Wish
from reseat.planning.proof.checker import check
from reseat.planning.proof.verdict import sentences_of
from tests.planning.checking import check_addition, check_removal, check_replication_factor

Lists = list[list[int]]


def layout(lists: Lists, *brokers: Broker) -> ClusterLayout:
    """Partitions 0, 1, 2, ... of topic orders."""
    return ClusterLayout.from_assignments({("orders", i): ids for i, ids in enumerate(lists)}, brokers=brokers)


def racked(lists: Lists, racks: dict[int, str | None]) -> ClusterLayout:
    """The same with a rack for each broker."""
    return layout(lists, *(Broker(i, rack=rack) for i, rack in racks.items()))


class TestRemoval:
    def test_documented_example_is_proven(self) -> None:
        """Three replicas sit on broker 1, three move, and brokers 0 and 2 share evenly."""
        current = layout([[0, 2], [1, 0], [2, 1], [0, 1]])

        verdict = check_removal(current, layout([[0, 2], [2, 0], [2, 0], [0, 2]], Broker(1)), [1])

        assert verdict.valid
        assert (verdict.moves, verdict.least_moves, verdict.moves_proven) == (3, 3, True)
        assert (verdict.replica_sum_of_squares, verdict.replicas_proven) == (32, True)
        assert (verdict.leader_sum_of_squares, verdict.leaders_proven) == (8, True)
        assert (verdict.changed_preferred_leaders, verdict.changed_leaders_proven) == (1, True)
        assert verdict.rack_sum_of_squares is None
        assert sentences_of(verdict)[0] == "3 replicas move, the proven minimum (racks unknown)."

    def test_one_needless_move_is_seen(self) -> None:
        """A replica that need not move makes the plan one move worse, and balance is then not called proven."""
        current = layout([[1, 2], [2, 3], [3, 4]])

        verdict = check_removal(current, layout([[4, 2], [2, 3], [3, 2]], Broker(1)), [1])

        assert (verdict.moves, verdict.least_moves, verdict.moves_proven) == (2, 1, False)
        assert not verdict.replicas_proven
        assert sentences_of(verdict)[0] == "2 replicas move. The minimum is 1."

    def test_newcomer_on_the_fuller_broker_is_refuted(self) -> None:
        """Broker 3 holds one replica and broker 2 holds two: the newcomer belongs on 3."""
        current = layout([[1], [2], [2], [3]])

        good = check_removal(current, layout([[3], [2], [2], [3]], Broker(1)), [1])
        bad = check_removal(current, layout([[2], [2], [2], [3]], Broker(1)), [1])

        assert good.replicas_proven
        assert bad.moves_proven
        assert not bad.replicas_proven

    def test_improvement_through_a_third_broker_is_seen(self) -> None:
        """No newcomer can go from 2 to 4 at once, but one can go from 2 to 3 while another goes from 3 to 4."""
        # Partition 0 can choose 2 or 3 (4 holds it), partition 1 can choose 3 or 4 (2 holds it).
        current = layout([[1, 4, 5], [1, 2, 5], [2], [2], [3]], Broker(4), Broker(5, state=BrokerState.DEAD))

        chain = check_removal(
            current, layout([[2, 4, 5], [3, 2, 5], [2], [2], [3]], Broker(1), Broker(4), Broker(5)), [1]
        )

        assert chain.replica_spread == 3
        assert not chain.replicas_proven

    def test_shared_rack_is_refuted_while_another_is_free(self) -> None:
        """The newcomer shares rack a with broker 2 although rack b has room."""
        racks: dict[int, str | None] = {1: "a", 2: "a", 3: "a", 4: "b"}
        current = racked([[1, 2]], racks)

        crowded = check_removal(current, racked([[3, 2]], racks), [1])
        spread = check_removal(current, racked([[4, 2]], racks), [1])

        assert (crowded.rack_sum_of_squares, crowded.rack_proven, crowded.replicas_proven) == (4, False, False)
        assert (spread.rack_sum_of_squares, spread.rack_proven, spread.replicas_proven) == (2, True, True)

    def test_racks_outrank_counts(self) -> None:
        """The emptier broker 3 would crowd rack a, so that the fuller broker 4 is the best."""
        racks: dict[int, str | None] = {1: "b", 2: "a", 3: "a", 4: "b"}
        current = racked([[1, 2], [4], [4], [4]], racks)

        verdict = check_removal(current, racked([[4, 2], [4], [4], [4]], racks), [1])

        assert verdict.rack_proven
        assert verdict.replicas_proven
        assert verdict.replica_spread == 4

    def test_broker_without_rack_is_a_rack_of_its_own(self) -> None:
        """Brokers 3 and 4 have no rack beside brokers with one: together they are two racks, not one."""
        racks: dict[int, str | None] = {1: "a", 2: "a", 3: None, 4: None}

        verdict = check_removal(racked([[1, 3]], racks), racked([[4, 3]], racks), [1])

        assert (verdict.rack_sum_of_squares, verdict.rack_proven) == (2, True)

    def test_leader_that_could_be_evener_is_refuted(self) -> None:
        """Broker 2 is preferred by all three partitions though broker 3 could be by one."""
        current = layout([[1, 3], [2], [2]])

        uneven = check_removal(current, layout([[2, 3], [2], [2]], Broker(1)), [1])
        even = check_removal(current, layout([[3, 2], [2], [2]], Broker(1)), [1])

        assert not uneven.leaders_proven
        assert even.leaders_proven
        assert even.changed_leaders_proven

    def test_needless_change_of_leaders_is_refuted(self) -> None:
        """Two partitions trade their preferred leaders: as even as before, and two changes for nothing."""
        current = layout([[2, 3, 1], [3, 2, 1]], Broker(4))

        traded = check_removal(current, layout([[3, 2, 4], [2, 3, 4]], Broker(1)), [1])
        kept = check_removal(current, layout([[2, 3, 4], [3, 2, 4]], Broker(1)), [1])

        assert traded.leaders_proven
        assert (traded.changed_preferred_leaders, traded.changed_leaders_proven) == (2, False)
        assert (kept.changed_preferred_leaders, kept.changed_leaders_proven) == (0, True)

    def test_dead_broker_in_front_is_not_proven(self) -> None:
        """Broker 2 is dead; a list that has a live broker must not prefer it."""
        current = layout([[2, 1]], Broker(2, state=BrokerState.DEAD), Broker(3))

        dead = check_removal(current, replace_lists(current, [[2, 3]]), [1])
        live = check_removal(current, replace_lists(current, [[3, 2]]), [1])

        assert not dead.leaders_proven
        assert live.leaders_proven

    def test_cap_holds_replicas_back(self) -> None:
        """Broker 3 may receive one replica only, so that the second belongs on broker 2 after all."""
        current = layout([[1], [1], [2], [2], [2]], Broker(3))
        proposed = replace_lists(current, [[3], [2], [2], [2], [2]])

        capped = check_removal(current, proposed, [1], rules=Options(receive_cap=1))
        free = check_removal(current, proposed, [1])

        assert capped.replicas_proven
        assert not free.replicas_proven

    def test_cap_that_is_not_kept_is_a_fault(self) -> None:
        """Broker 3 receives two where one was allowed."""
        current = layout([[1], [1]], Broker(3))

        verdict = check_removal(current, replace_lists(current, [[3], [3]]), [1], rules=Options(receive_cap=1))

        assert verdict.faults == ("Broker 3 receives 2 replicas; at most 1 was allowed.",)

    def test_reordering_others_needs_the_option(self) -> None:
        """Partition 1 keeps its replicas; naming it anew evens leaders, but only the option allows it."""
        current = layout([[1, 2], [2, 3], [2, 3]])
        proposed = replace_lists(current, [[2, 3], [3, 2], [3, 2]])

        allowed = check_removal(current, proposed, [1], reorder_all=True)
        needless = check_removal(current, replace_lists(current, [[3, 2], [3, 2], [2, 3]]), [1])

        assert allowed.leaders_proven
        assert not needless.changed_leaders_proven

    def test_nothing_to_do_is_proven(self) -> None:
        """A broker that holds nothing leaves: no move, and none is needed."""
        current = layout([[2, 3]], Broker(1))

        verdict = check_removal(current, current, [1])

        assert (verdict.moves, verdict.moves_proven, verdict.replicas_proven, verdict.leaders_proven) == (
            0,
            True,
            True,
            True,
        )


class TestFaults:
    @pytest.mark.parametrize(
        ("proposed", "fault"),
        [
            ([[2, 2]], "orders-0 lists broker 2 twice."),
            ([[2, 1]], "orders-0 still has a replica on broker 1, to be drained."),
            ([[2]], "orders-0 would have 1 replica; it must have 2."),
            ([[2, 3, 4]], "orders-0 would have 3 replicas; it must have 2."),
            ([[2, 5]], "orders-0 would be copied to broker 5, which is known to be dead."),
        ],
    )
    def test_fault_names_partition_and_broker(self, proposed: Lists, fault: str) -> None:
        """Each broken plan has one fault, in words, and nothing of it is proven."""
        current = layout([[1, 2]], Broker(3), Broker(4), Broker(5, state=BrokerState.DEAD))

        verdict = check_removal(current, replace_lists(current, proposed), [1])

        assert verdict.faults == (fault,)
        assert not verdict.valid
        assert not any((verdict.moves_proven, verdict.rack_proven, verdict.replicas_proven))
        assert not any((verdict.leaders_proven, verdict.changed_leaders_proven))

    def test_unknown_and_missing_partitions_are_faults(self) -> None:
        """A plan for other partitions is not a plan for these."""
        current = ClusterLayout.from_assignments({("orders", 0): [1], ("orders", 1): [1]}, brokers=[Broker(2)])
        other = ClusterLayout.from_assignments({("orders", 1): [2], ("payments", 0): [2]})

        verdict = check_removal(current, other, [1])

        assert verdict.faults == ("payments-0 is not in the layout.", "orders-0 is not in the plan.")

    def test_a_plan_for_another_topic_is_none_for_this_one(self) -> None:
        """As many partitions, by the same numbers."""
        current = layout([[1], [2]])
        other = ClusterLayout.from_assignments({("payments", 0): [1], ("payments", 1): [2]})

        assert check_removal(current, other, []).faults == (
            "payments-0 is not in the layout.",
            "payments-1 is not in the layout.",
            "orders-0 is not in the plan.",
            "orders-1 is not in the plan.",
        )

    def test_unknown_broker_to_remove_is_a_fault(self) -> None:
        """Nobody knows broker 9."""
        current = layout([[1]])

        verdict = check_removal(current, current, [9])

        assert verdict.faults == ("Broker 9 is to be removed but is not in the layout.",)

    def test_many_faults_of_a_kind_are_counted(self) -> None:
        """Thirty replicas left behind are not thirty sentences."""
        current = layout([[1]] * 30, Broker(2))

        verdict = check_removal(current, current, [1])

        assert len(verdict.faults) == 21
        assert verdict.faults[-1] == "10 more replicas are left on brokers to be drained."
        assert verdict.least_moves == 30

    def test_as_many_faults_as_are_named_are_all(self) -> None:
        """Of twenty none is left to be counted."""
        current = layout([[1]] * 20, Broker(2))

        assert len(check_removal(current, current, [1]).faults) == 20

    def test_long_lists_are_searched_too(self) -> None:
        """A broker that is named twice in a list of twenty is found."""
        current = layout([list(range(20))], Broker(20))

        verdict = check_removal(current, replace_lists(current, [[*range(1, 20), 19]]), [0])

        assert verdict.faults == ("orders-0 lists broker 19 twice.",)


class TestLeadersOnly:
    """Broker 1 leads nothing, 2 one partition and 3 two; each leads one afterwards."""

    CURRENT = layout([[2, 1], [3, 2], [3, 1]])
    WISH = Wish(leaders_only=True)

    def test_two_changes_where_a_third_partition_makes_one_enough_are_refuted(self) -> None:
        """Given back by two and taken by a third: three lists change against the plan, and one against today."""
        two = check(self.CURRENT, replace_lists(self.CURRENT, [[1, 2], [2, 3], [3, 1]]), self.WISH)
        one = check(self.CURRENT, replace_lists(self.CURRENT, [[2, 1], [3, 2], [1, 3]]), self.WISH)

        assert (two.leaders_proven, two.changed_preferred_leaders, two.changed_leaders_proven) == (True, 2, False)
        assert (one.leaders_proven, one.changed_preferred_leaders, one.changed_leaders_proven) == (True, 1, True)

    def test_of_a_limit_on_changes_no_fewer_are_proven(self) -> None:
        """None with as few changes is evener: that is shown, and nothing of whether fewer would do."""
        limited = check(self.CURRENT, replace_lists(self.CURRENT, [[2, 1], [3, 2], [1, 3]]), self.WISH, limited=True)

        assert (limited.leaders_proven, limited.changed_leaders_proven) == (True, False)


class TestReplicationFactor:
    def test_a_cap_is_kept_also_where_a_partition_has_its_factor_already(self) -> None:
        """Broker 3 receives two and may receive one; partition 2 only changes its order."""
        current = layout([[1], [1], [1, 2]], Broker(3))
        wish = Wish(topics=("orders",), replication_factor=2, options=Options(receive_cap=1))

        verdict = check(current, replace_lists(current, [[1, 3], [1, 3], [2, 1]]), wish)

        assert verdict.faults == ("Broker 3 receives 2 replicas; at most 1 was allowed.",)

    def test_up_copies_the_least_and_keeps_the_first(self) -> None:
        """One copy a partition, spread evenly; nobody's preferred leader changes."""
        current = layout([[1], [0], [1]])

        verdict = check_replication_factor(current, replace_lists(current, [[1, 0], [0, 1], [1, 0]]), ["orders"], 2)

        assert (verdict.moves, verdict.moves_proven, verdict.replicas_proven) == (3, True, True)
        assert (verdict.leaders_proven, verdict.changed_leaders_proven) == (True, True)

    def test_up_with_another_first_replica_changes_leaders_without_need(self) -> None:
        """The documented plan for tp_re_02: partition 0 was preferred by broker 1 and then by broker 0."""
        current = layout([[1], [0], [1]])

        verdict = check_replication_factor(current, replace_lists(current, [[0, 1], [0, 1], [1, 0]]), ["orders"], 2)

        assert verdict.valid
        assert verdict.replicas_proven
        assert (verdict.changed_preferred_leaders, verdict.changed_leaders_proven) == (1, False)

    def test_partition_left_as_it_was_is_a_fault(self) -> None:
        """Partition 1 was to get a second replica too."""
        current = layout([[1], [2]])

        verdict = check_replication_factor(current, replace_lists(current, [[1, 2], [2]]), ["orders"], 2)

        assert verdict.faults == ("orders-1 would keep 1 replica; 2 were requested.",)

    def test_down_must_not_drop_the_leader(self) -> None:
        """Broker 2 leads, so that its replica stays."""
        current = ClusterLayout.from_assignments({("orders", 0): [1, 2]}, leaders={("orders", 0): 2})

        dropped = check_replication_factor(current, replace_lists(current, [[1]]), ["orders"], 1)
        kept = check_replication_factor(current, replace_lists(current, [[2]]), ["orders"], 1)

        assert dropped.faults == (
            "orders-0 would lose its replica on broker 2, which leads it or is its last in-sync copy.",
        )
        assert kept.valid

    def test_down_must_not_drop_the_last_in_sync_copy(self) -> None:
        """Only broker 3 is in sync; the first replica stands for the leader that is not told."""
        current = ClusterLayout.from_assignments({("orders", 0): [1, 2, 3]}, in_sync={("orders", 0): [3]})

        dropped = check_replication_factor(current, replace_lists(current, [[1, 2]]), ["orders"], 2)
        kept = check_replication_factor(current, replace_lists(current, [[1, 3]]), ["orders"], 2)

        assert dropped.faults == (
            "orders-0 would lose its replica on broker 3, which leads it or is its last in-sync copy.",
        )
        assert kept.valid
        assert kept.replicas_proven

    def test_down_gives_up_on_the_fuller_broker(self) -> None:
        """Broker 2 holds three replicas and broker 3 one: the one to go is on 2."""
        current = ClusterLayout.from_assignments({("a", 0): [1, 2, 3], ("b", 0): [2], ("b", 1): [2]})

        good = check_replication_factor(
            current, ClusterLayout.from_assignments({("a", 0): [1, 3], ("b", 0): [2], ("b", 1): [2]}), ["a"], 2
        )
        bad = check_replication_factor(
            current, ClusterLayout.from_assignments({("a", 0): [1, 2], ("b", 0): [2], ("b", 1): [2]}), ["a"], 2
        )

        assert good.replicas_proven
        assert not bad.replicas_proven


class TestAddition:
    def test_documented_example_is_proven(self) -> None:
        """tp_re_01: five partitions on broker 0, broker 1 joins, two move."""
        current = layout([[0]] * 5, Broker(1))

        verdict = check_addition(current, replace_lists(current, [[0], [1], [0], [1], [0]]), [1])

        assert (verdict.moves, verdict.least_moves, verdict.moves_proven) == (2, 2, True)
        assert verdict.replicas_proven

    @pytest.mark.parametrize("lists", [[[0], [1], [1], [1], [0]], [[0], [1], [0], [0], [0]]])
    def test_one_move_more_or_less_is_not_proven(self, lists: Lists) -> None:
        """Three moves reach the same spread with one too many; one move leaves it at 3."""
        current = layout([[0]] * 5, Broker(1))

        verdict = check_addition(current, replace_lists(current, lists), [1])

        assert verdict.valid
        assert not verdict.moves_proven
        assert verdict.least_moves is None

    def test_moves_between_old_brokers_are_not_proven(self) -> None:
        """A replica that goes from one old broker to another is no move onto the new one."""
        current = layout([[0], [0], [0], [1]], Broker(2))

        verdict = check_addition(current, replace_lists(current, [[0], [1], [2], [1]]), [2])

        assert verdict.valid
        assert not verdict.moves_proven

    def test_rack_that_gets_worse_is_not_proven(self) -> None:
        """Broker 3 joins rack a: taking over from broker 2 of rack b puts both replicas there."""
        racks: dict[int, str | None] = {1: "a", 2: "b", 3: "a"}
        current = racked([[1, 2], [1, 2], [1, 2]], racks)

        good = check_addition(current, racked([[3, 2], [1, 2], [1, 2]], racks), [3])
        bad = check_addition(current, racked([[1, 3], [1, 2], [1, 2]], racks), [3])

        assert (good.rack_proven, good.moves_proven, good.replicas_proven) == (True, True, True)
        assert (bad.rack_proven, bad.moves_proven, bad.replicas_proven) == (False, False, False)

    def test_fewer_moves_may_be_asked_for(self) -> None:
        """With one move allowed, taking it from the fullest broker is the best."""
        current = layout([[0], [0], [0], [1], [1]], Broker(2))

        good = check_addition(current, replace_lists(current, [[2], [0], [0], [1], [1]]), [2], max_moves=1)
        bad = check_addition(current, replace_lists(current, [[0], [0], [0], [2], [1]]), [2], max_moves=1)

        assert good.replicas_proven
        assert not bad.replicas_proven


def test_wide_and_narrow_rack_sums_agree() -> None:
    """Sorting long lists and comparing short ones count the same squares."""
    racks: dict[int, str | None] = {i: "abc"[i % 3] for i in range(20)}
    current = racked([list(range(16)), [1, 4, 7]], racks)

    verdict = check_removal(current, current, [])

    assert verdict.rack_sum_of_squares == 6 * 6 + 5 * 5 + 5 * 5 + 9


def test_brokers_that_only_the_plan_has_are_targets() -> None:
    """Broker 3 is in the proposed layout alone; it is there to receive."""
    verdict = check_removal(layout([[1, 2]]), layout([[3, 2]], Broker(1)), [1])

    assert verdict.valid
    assert verdict.replicas_proven


def replace_lists(current: ClusterLayout, lists: Lists) -> ClusterLayout:
    """The layout with other lists for its partitions, in their order."""
    width = max(len(ids) for ids in lists)
    ids = np.full((len(lists), width), -1, np.int32)
    for row, members in enumerate(lists):
        ids[row, : len(members)] = np.searchsorted(current.broker_ids, members)
    return replace(
        current,
        replicas=ids,
        in_sync=None,
        leader=np.full(len(lists), -2, np.int32),
        in_sync_told=None,
    )


def test_a_crowded_rack_may_give_to_any_other() -> None:
    """Three replicas in rack a: one may go to the empty broker 8 in rack b, also in a partition that was reordered."""
    racks: dict[int, str | None] = {1: "a", 2: "a", 3: "a", 9: "a", 8: "b"}
    # Broker 9 joins too, holds as much as the others and takes nothing.
    current = racked([[1, 2, 3]] * 3 + [[9]] * 3, racks)
    turned = replace_lists(current, [[2, 1, 3]] * 3 + [[9]] * 3)

    verdict = check_addition(current, turned, [8, 9])

    assert verdict.replica_spread == 3
    assert not verdict.moves_proven
    assert not verdict.replicas_proven


class TestLimitOnMoves:
    def test_more_moves_than_allowed_are_never_proven(self) -> None:
        """Two replicas move onto broker 9 where one was allowed: as even as can be, and beyond the limit."""
        current = layout([[1], [1], [1], [1]], Broker(9))
        proposed = replace_lists(current, [[9], [9], [1], [1]])

        assert check_addition(current, proposed, [9], max_moves=2).replicas_proven
        assert not check_addition(current, proposed, [9], max_moves=1).replicas_proven

    def test_a_move_taken_back_can_pay_for_a_better_one(self) -> None:
        """Broker 8 took from 2 for nothing (2 and 1 instead of 1 and 2); 9 taking from 1 would make 3 and 1 even."""
        # Brokers 1 and 9 are rack a, 2 and 8 rack b; dead brokers 5 and 6 hold the other replica, so that racks keep
        # each to its own.
        racks = {1: "a", 9: "a", 5: "a", 2: "b", 8: "b", 6: "b"}
        dead = BrokerState.DEAD
        brokers = [Broker(i, rack, state=dead if i in {5, 6} else BrokerState.ALIVE) for i, rack in racks.items()]
        current = layout([[1, 6], [1, 6], [1, 6], [9, 6], [2, 5], [2, 5], [8, 5]], *brokers)
        idle = replace_lists(current, [[1, 6], [1, 6], [1, 6], [9, 6], [2, 5], [8, 5], [8, 5]])
        good = replace_lists(current, [[9, 6], [1, 6], [1, 6], [9, 6], [2, 5], [2, 5], [8, 5]])

        verdicts = [check_addition(current, proposed, [8, 9], max_moves=1) for proposed in (idle, good)]

        assert [verdict.replica_sum_of_squares for verdict in verdicts] == [15, 13]
        assert [verdict.replicas_proven for verdict in verdicts] == [False, True]


def test_what_is_not_proven_says_so() -> None:
    """Each sentence has another end where the best was not shown."""
    racks: dict[int, str | None] = {1: "a", 2: "a", 3: "a", 4: "b", 5: "b"}
    current = racked([[1, 2], [3], [3], [5]], racks)

    verdict = check_removal(current, racked([[2, 3], [3], [3], [5]], racks), [1])

    assert sentences_of(verdict) == (
        "1 replica moves, the proven minimum.",
        "Rack diversity of the changed partitions: not proven the best possible.",
        "Max–min replica count per broker: 3. Not proven minimal.",
        "Max–min preferred leaders per broker: 2. Proven minimal for the changed replica sets.",
        "1 partition gets a new preferred leader. Fewer would worsen leader balance (proven).",
    )
    uneven = check_removal(current, racked([[3, 2], [3], [3], [5]], racks), [1])
    assert sentences_of(uneven)[3:] == (
        "Max–min preferred leaders per broker: 3. Not proven minimal.",
        "1 partition gets a new preferred leader. Not proven minimal.",
    )


def test_many_partitions_that_only_one_side_has_are_counted() -> None:
    """Twenty are named, the others counted, on either side."""
    current = layout([[1, 2]])
    proposed = layout([[1, 2]] * 26)

    strange, missing = check_removal(current, proposed, []).faults, check_removal(proposed, current, []).faults

    assert (len(strange), strange[0], strange[-1]) == (
        21,
        "orders-1 is not in the layout.",
        "5 more partitions: each is not in the layout.",
    )
    assert missing[-1] == "5 more partitions: each is not in the plan."
