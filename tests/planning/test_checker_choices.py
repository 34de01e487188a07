"""The checker on what a wish left open: who could have had a replica instead, and who could not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import combinations, product

import numpy as np
import pytest

from reseat.model import Broker, BrokerState, ClusterLayout, Options, Wish
from reseat.model.rules import Onto
from reseat.planning.proof.checker import check
from reseat.planning.proof.verdict import Verdict
from tests.planning.test_checker import Lists, layout, replace_lists

EVEN = Wish(rebalance=True)


def topics(lists: dict[str, Lists], *brokers: Broker) -> ClusterLayout:
    """Partitions 0, 1, 2, ... of several topics."""
    return ClusterLayout.from_assignments(
        {(topic, i): ids for topic, every in lists.items() for i, ids in enumerate(every)}, brokers=brokers
    )


def proven(verdict: Verdict) -> tuple[bool, bool, bool]:
    """Of racks, of moves, and of replicas, once the plan is shown to have no fault."""
    assert verdict.valid, verdict.faults
    return verdict.rack_proven, verdict.moves_proven, verdict.replicas_proven


def moved(before: Sequence[Sequence[int]], after: Sequence[Sequence[int]]) -> int:
    """Replicas that come."""
    return sum(len(set(new) - set(old)) for old, new in zip(before, after, strict=True))


def limited_growth(rng: np.random.Generator) -> tuple[bool, bool] | None:
    """Of a plan to one replica more that moves one or two of before as well: whether it is proven, and is the best.

    None where it moves none of those.
    """
    brokers = int(rng.integers(4, 8))
    held, partitions = int(rng.integers(2, brokers - 1)), 2 if brokers > 5 else int(rng.integers(2, 4))
    ids, racks = range(1, brokers + 1), rng.integers(0, 3, brokers).tolist()
    before: Lists = [rng.permutation(ids)[:held].tolist() for _ in range(partitions)]
    after = [one + rng.permutation([n for n in ids if n not in one])[:1].tolist() for one in before]
    for row in rng.integers(0, partitions, 2).tolist():
        free = [n for n in ids if n not in before[row] + after[row]]
        after[row][int(rng.integers(held))] = int(rng.permutation(free)[0]) if free else after[row][0]
    if moved(before, after) == partitions or any(len(set(one)) <= held for one in after):
        return None
    current = layout(before, *(Broker(n, f"rack {racks[n - 1]}") for n in ids))
    verdict = check(
        current, replace_lists(current, after), Wish(topics=("orders",), replication_factor=held + 1), limited=True
    )

    def diverse(one: Sequence[int]) -> tuple[int, int]:
        """Replicas in the fullest rack, and in the two fullest."""
        counts = sorted(Counter(racks[n - 1] for n in one).values(), reverse=True)
        return counts[0], sum(counts[:2])

    def squares(lists: Iterable[Sequence[int]]) -> int:
        return sum(count**2 for count in Counter(n for one in lists for n in one).values())

    ways = []
    for one in before:
        fullest, two = min(diverse([*one, n]) for n in ids if n not in one)
        every = ((some, diverse(some)) for some in combinations(ids, held + 1))
        ways.append([some for some, has in every if has[0] <= fullest and has[1] <= two])
    least = min(squares(lists) for lists in product(*ways) if moved(before, lists) <= moved(before, after))
    allowed = all(tuple(sorted(one)) in way for one, way in zip(after, ways, strict=True))
    return verdict.replicas_proven, allowed and squares(after) == least


@pytest.mark.parametrize("held", [0, 1, 10, 500])
@pytest.mark.parametrize(("kept", "least"), [([1, 2], True), ([1, 3], False)])
def test_a_fenced_broker_is_given_up_however_much_the_others_hold(held: int, kept: list[int], least: bool) -> None:
    """Of three replicas that on fenced broker 3 is to be dropped, and not the one that would even out 1 and 2."""
    lists: dict[str, Lists] = {"held": [[1, 2, 3]] * held, "t": [[1, 2, 3]]}
    current = topics(lists, Broker(3, state=BrokerState.FENCED))
    proposed = topics({**lists, "t": [kept]}, Broker(3, state=BrokerState.FENCED))
    verdict = check(current, proposed, Wish(topics=("t",), replication_factor=2))

    assert proven(verdict) == (True, True, least)


class TestRebalance:
    def test_what_a_partition_still_holds_is_no_place_for_another_of_its_replicas(self) -> None:
        """Broker 3 took over from 1 where broker 2 stays: 3 cannot give that one to 2, which would even as much."""
        current = layout([[1, 2], [1], [1], [3]])

        assert proven(check(current, replace_lists(current, [[3, 2], [1], [1], [3]]), EVEN)) == (True, True, True)

    def test_a_move_for_nothing_is_seen(self) -> None:
        """Two brokers trade: as even as before."""
        current = layout([[1], [2]])

        assert proven(check(current, replace_lists(current, [[2], [1]]), EVEN)) == (True, False, False)
        assert proven(check(current, current, EVEN)) == (True, True, True)

    def test_partitions_that_cannot_move_are_no_objection(self) -> None:
        """All four sit on broker 1; where three of them cannot move, one on broker 2 is the best."""
        current = layout([[1]] * 4, Broker(2))
        one = replace_lists(current, [[1], [1], [1], [2]])
        stuck = np.array([True, True, True, False])

        assert proven(check(current, one, EVEN, pinned=stuck)) == (True, True, True)
        assert proven(check(current, one, EVEN)) == (True, False, False)
        assert proven(check(current, current, EVEN, pinned=~stuck)) == (True, False, False)

    def test_dead_brokers_keep_what_they_have(self) -> None:
        """What sits on broker 9 cannot move, and does not count."""
        current = layout([[9], [9], [1], [2]], Broker(9, state=BrokerState.DEAD))

        assert proven(check(current, current, EVEN)) == (True, True, True)
        assert not proven(check(current, replace_lists(current, [[1], [9], [1], [2]]), EVEN))[1]

    @pytest.mark.parametrize("others", [[], [[3]] * 4])
    def test_a_topic_with_brokers_of_its_own_goes_nowhere_else(self, others: Lists) -> None:
        """Topic a lives on 1 and 2, two of it on each; that broker 3 holds nothing, or more, of b is no matter."""
        current = topics({"a": [[1], [1], [2], [2]], "b": [[1], *others]}, Broker(3))
        rules = Options(only_onto=(Onto(("a",), (1, 2)), Onto(("b",), (3,), ())))
        free = Options(only_onto=(Onto(("a",), (1, 2)),))
        moved = replace_lists(current, [[1], [1], [2], [2], [3], *others])

        assert proven(check(current, moved, Wish(rebalance=True, options=rules))) == (True, True, True)
        assert proven(check(current, current, Wish(rebalance=True, options=rules))) == (False, False, False)
        assert proven(check(current, moved, Wish(rebalance=True, options=free)))[1] is (not others)

    def test_what_breaks_a_rule_has_to_move_where_it_can(self) -> None:
        """Topic a is to live on 1: its partition on 2 has to come, and stays where it cannot move or nobody asks."""
        current = topics({"a": [[1], [2]], "b": [[2]]})
        options = Options(only_onto=(Onto(("a",), (1,)),))
        done = replace_lists(current, [[1], [1], [2]])

        assert proven(check(current, done, Wish(rebalance=True, options=options)))[0]
        assert not proven(check(current, current, Wish(rebalance=True, options=options)))[0]
        stuck = np.array([False, True, False])
        assert proven(check(current, current, Wish(rebalance=True, options=options), pinned=stuck))[0]
        assert proven(check(current, current, Wish(mend_racks=True, options=options)))[0]

    def test_what_breaks_a_rule_has_to_move_also_where_another_replica_does(self) -> None:
        """Topic a is to live on 1 and 2: of its replicas on 3 and 4 one came to 1, and the other one stays."""
        current = topics({"a": [[3, 4]], "b": [[1], [2]]})
        wish = Wish(rebalance=True, options=Options(only_onto=(Onto(("a",), (1, 2)),)))

        assert proven(check(current, replace_lists(current, [[1, 2], [3], [4]]), wish)) == (True, True, True)
        assert proven(check(current, replace_lists(current, [[1, 4], [3], [2]]), wish)) == (False, False, False)

    def test_racks_that_are_kept_are_a_rule_and_no_aim(self) -> None:
        """Both replicas in rack a: as good as before is good where racks are kept, and not where they are an aim."""
        brokers = [Broker(1, "a"), Broker(2, "a"), Broker(3, "b")]
        current = layout([[1, 2], [3], [3]], *brokers)

        assert proven(check(current, current, Wish(rebalance=True, options=Options(keep_racks=True))))[0]
        assert not proven(check(current, current, EVEN))[0]
        apart = layout([[1, 3], [2, 3]], *brokers)
        crowded = replace_lists(apart, [[1, 2], [2, 3]])
        assert not proven(check(apart, crowded, Wish(rebalance=True, options=Options(keep_racks=True))))[0]

    def test_racks_are_kept_of_a_partition_with_fewer_replicas_than_others_too(self) -> None:
        """Partition 0 has two, in both racks; the third of partition 1 gives it no right to lie in one."""
        current = layout([[1, 2], [1, 2, 3]], *(Broker(broker, "ab"[broker % 2]) for broker in (1, 2, 3, 4)))
        wish = Wish(rebalance=True, options=Options(keep_racks=True))

        assert not check(current, replace_lists(current, [[3, 1], [1, 2, 3]]), wish).rack_proven
        assert check(current, replace_lists(current, [[3, 4], [1, 2, 3]]), wish).rack_proven

    def test_each_topic_is_looked_at_alone(self) -> None:
        """Topic a is even on its own, b is not, c cannot be evener: three replicas on two brokers."""
        current = topics({"a": [[1], [2]], "b": [[1], [1]], "c": [[1], [2], [2]]})
        verdict = check(current, current, Wish(rebalance=True, options=Options(even_topics=True)))

        assert verdict.topics_even == (2, 3)
        assert not verdict.moves_proven
        assert verdict.replicas_proven  # 4 and 3

    def test_topics_that_are_even_may_leave_the_whole_uneven(self) -> None:
        """Broker 1 has the one replica of each; that no topic can be evener proves nothing of all of them."""
        current = topics({"a": [[1]], "b": [[1]]}, Broker(2))
        verdict = check(current, current, Wish(rebalance=True, options=Options(even_topics=True)))

        assert verdict.topics_even == (2, 2)
        assert not verdict.replicas_proven

    def test_a_topic_that_is_where_it_may_not_be_is_not_called_even(self) -> None:
        """Topic a lies on 1 and 2, one of it on each, and is to lie on 1 and 3."""
        current = topics({"a": [[1], [2]], "b": [[3]]})
        rules = Options(even_topics=True, only_onto=(Onto(("a",), (1, 3)),))
        moved = replace_lists(current, [[1], [3], [2]])

        assert check(current, current, Wish(rebalance=True, options=rules)).topics_even == (1, 2)
        assert check(current, moved, Wish(rebalance=True, options=rules)).topics_even == (2, 2)

    def test_two_that_have_to_move_into_one_rack_find_two_places_there(self) -> None:
        """Racks are kept: brokers 1 and 2 leave rack a to 3 and 4; broker 5, all of rack b, has a replica already."""
        racks = {1: "a", 2: "a", 3: "a", 4: "a", 5: "b"}
        current = layout([[1, 2, 5]], *(Broker(broker, rack) for broker, rack in racks.items()))
        wish = Wish(rebalance=True, remove=(1, 2), options=Options(keep_racks=True))

        assert proven(check(current, replace_lists(current, [[3, 4, 5]]), wish)) == (True, True, True)


class TestLimit:
    def test_of_one_partition_another_replica_could_have_moved(self) -> None:
        """Broker 1 holds four and 2 two: the one move that is allowed is one from 1."""
        current = layout([[1, 2], [1], [1], [1], [2]], Broker(9))
        wish = Wish(add=((9, None),), options=Options(max_moves=1))

        fuller, emptier = (
            check(current, replace_lists(current, [lists, [1], [1], [1], [2]]), wish, limited=True)
            for lists in ([9, 2], [1, 9])
        )

        assert (fuller.replica_sum_of_squares, fuller.replicas_proven) == (14, True)
        assert (emptier.replica_sum_of_squares, emptier.replicas_proven) == (18, False)

    @pytest.mark.parametrize(("levels", "shown"), [((), True), (("/",), False)])
    def test_within_regions_nothing_is_shown_of_a_limit(self, levels: tuple[str, ...], shown: bool) -> None:
        """One moves that need not, and both sums are the least for two moves; regions are in them, where there are."""
        racks = {1: "a/1", 2: "a/2", 3: "b/1", 4: "b/2"}
        current = layout([[1], [2], [2], [2], [2]], *(Broker(broker, rack) for broker, rack in racks.items()))
        wish = Wish(remove=(1,), options=Options(rack_levels=levels, max_moves=2))

        verdict = check(current, replace_lists(current, [[3], [4], [2], [2], [2]]), wish, limited=True)

        assert (verdict.valid, verdict.moves_proven, verdict.replicas_proven) == (True, False, shown)

    def test_of_a_plan_with_a_fault_nothing_is_shown_within_a_limit(self) -> None:
        """Broker 4, where one goes, is dead."""
        current = layout([[1], [2], [2], [2]], Broker(3), Broker(4, state=BrokerState.DEAD))
        wish = Wish(remove=(1,), options=Options(max_moves=2))

        good = check(current, replace_lists(current, [[3], [3], [2], [2]]), wish, limited=True)
        bad = check(current, replace_lists(current, [[3], [4], [2], [2]]), wish, limited=True)

        assert (good.valid, good.replicas_proven) == (True, True)
        assert (bad.valid, bad.replicas_proven) == (False, False)

    def test_of_a_higher_factor_no_partition_need_be_more_diverse_than_newcomers_make_it(self) -> None:
        """With more moves than are needed: the least sum of squares of all that leave none less diverse, tried."""
        found = {limited_growth(np.random.default_rng(seed)) for seed in range(250)}

        assert found == {None, (True, True), (False, False)}


class TestAddition:
    def test_nothing_is_proven_where_racks_are_lost_or_others_receive(self) -> None:
        """As even as can be with as few moves, all three; only one is what was asked for."""
        brokers = [Broker(1, "a"), Broker(2, "b"), Broker(3, "a")]
        current = layout([[1, 2], [1, 2]], *brokers)
        wish = Wish(add=((3, "a"),))

        assert proven(check(current, replace_lists(current, [[3, 2], [1, 2]]), wish)) == (True, True, True)
        assert proven(check(current, replace_lists(current, [[1, 3], [1, 2]]), wish)) == (False, False, False)
        apart = layout([[1], [1], [2]], Broker(3))
        swapped = replace_lists(apart, [[2], [1], [3]])
        assert proven(check(apart, swapped, Wish(add=((3, None),)))) == (True, False, False)

    def test_topics_that_share_the_added_broker_already_may_go_on_to_share_it(self) -> None:
        """Broker 3 holds one of a and one of b; of the four of a on broker 1 one could come."""
        current = topics({"a": [[3], [1], [1], [1], [1]], "b": [[3]]})
        wish = Wish(add=((3, None),), options=Options(keep_apart=(("a", "b"),)))

        assert proven(check(current, current, wish)) == (True, False, False)
        assert proven(check(current, replace_lists(current, [[3], [3], [1], [1], [1], [3]]), wish)) == (True,) * 3

    def test_a_cap_that_is_not_reached_holds_nothing_back(self) -> None:
        """Broker 3 receives none of the five that it may, though one or two would even loads out."""
        current = layout([[1], [1], [1], [1]], Broker(3))
        wish = Wish(add=((3, None),), options=Options(receive_cap=5))

        assert proven(check(current, current, wish)) == (True, False, False)
        assert proven(check(current, replace_lists(current, [[1], [1], [3], [3]]), wish)) == (True, True, True)

    def test_what_the_last_broker_could_give_is_looked_at_too(self) -> None:
        """Broker 2, the last, holds three, and 0, which is added, nothing."""
        current = layout([[1], [2], [2], [2]], Broker(0))
        wish = Wish(add=((0, None),))

        assert proven(check(current, current, wish)) == (True, False, False)
        assert proven(check(current, replace_lists(current, [[1], [2], [2], [0]]), wish)) == (True, True, True)

    def test_nothing_is_proven_where_another_than_the_added_receives_though_all_is_even(self) -> None:
        """One onto broker 3, which is added, and one onto 2, which is not; two onto 3 would be less even."""
        current = layout([[1], [1], [1]], Broker(2), Broker(3))

        verdict = check(current, replace_lists(current, [[1], [2], [3]]), Wish(add=((3, None),)))

        assert (verdict.moves_proven, verdict.replicas_proven) == (False, False)


class TestDrain:
    def test_racks_of_the_last_resorts_count(self) -> None:
        """Brokers 3 and 4 are fenced and all that is left: 4 is in another rack than broker 2."""
        fenced = BrokerState.FENCED
        brokers = [Broker(1, "b"), Broker(2, "a"), Broker(3, "a", state=fenced), Broker(4, "b", state=fenced)]
        current = layout([[1, 2]], *brokers)

        good, bad = (check(current, replace_lists(current, [lists]), Wish(remove=(1,))) for lists in ([4, 2], [3, 2]))

        assert (good.moves_proven, good.rack_proven, good.last_resorts_needed) == (True, True, True)
        assert (bad.moves_proven, bad.rack_proven, bad.last_resorts_needed) == (True, False, True)

    def test_a_last_resort_where_a_topic_may_not_be_is_no_choice(self) -> None:
        """Brokers 3 and 4 are fenced; 4 is the emptier one, in a rack of its own, and no place for a (only_onto)."""
        fenced = BrokerState.FENCED
        brokers = [Broker(1, "b"), Broker(2, "a"), Broker(3, "a", state=fenced), Broker(4, "c", state=fenced)]
        current = topics({"a": [[1, 2]], "b": [[3], [3]]}, *brokers)
        drained = replace_lists(current, [[3, 2], [3], [3]])
        onto = Wish(remove=(1,), options=Options(only_onto=(Onto(("a",), (1, 2, 3)),)))

        told, free = (check(current, drained, wish) for wish in (onto, Wish(remove=(1,))))

        assert (told.moves_proven, told.rack_proven, told.last_resorts_needed) == (True, True, True)
        assert (free.moves_proven, free.rack_proven, free.last_resorts_needed) == (True, False, True)

    def test_with_racks_kept_what_has_to_move_is_as_diverse_as_it_can_be(self) -> None:
        """A drain with a rebalance: from [1, 2] broker 4 of rack b is free, so that 3 of rack a is no place."""
        brokers = [Broker(1, "b"), Broker(2, "a"), Broker(3, "a"), Broker(4, "b")]
        current = layout([[1, 2]], *brokers)
        wish = Wish(remove=(1,), rebalance=True, options=Options(keep_racks=True))

        good, bad = (check(current, replace_lists(current, [lists]), wish) for lists in ([4, 2], [3, 2]))

        assert proven(good)[:2] == (True, True)
        assert proven(bad)[:2] == (False, False)

    def test_of_several_that_have_to_move_each_goes_to_the_emptiest_rack_that_has_room(self) -> None:
        """Two of three leave rack c, broker 2 of rack a stays: one comes to 4 of rack b, the other to rack a again."""
        racks = {1: "c", 5: "c", 2: "a", 3: "a", 6: "a", 4: "b"}
        current = layout([[1, 5, 2]], *(Broker(i, rack) for i, rack in racks.items()))
        wish = Wish(remove=(1, 5), rebalance=True, options=Options(keep_racks=True))

        good, bad = (check(current, replace_lists(current, [lists]), wish) for lists in ([2, 3, 4], [2, 3, 6]))

        assert proven(good)[0]
        assert not proven(bad)[0]

    def test_the_least_number_of_moves_counts_what_the_plan_left_behind(self) -> None:
        """Broker 9 leaves four partitions: one moved, one only reordered, one untouched, and one that cannot move."""
        current = layout([[9, 2], [9, 3], [9], [9]])
        moved = replace_lists(current, [[2, 9], [9, 3], [2], [9]])
        stuck = np.array([False, False, False, True])

        told, all_free = (check(current, moved, Wish(remove=(9,)), pinned=pinned) for pinned in (stuck, None))

        assert (told.moves, told.least_moves, len(told.faults)) == (1, 3, 2)
        assert (all_free.least_moves, len(all_free.faults)) == (4, 3)

    def test_a_plan_that_raises_the_factor_too_keeps_the_first_that_may_stay(self) -> None:
        """As a pasted plan may: broker 2 comes second, and where broker 1 leaves, whoever comes may be first."""
        current = layout([[1], [3]], Broker(2))

        def leaders(lists: Lists, wish: Wish) -> bool:
            verdict = check(current, replace_lists(current, lists), wish, allow_rf_change=True)
            assert verdict.valid
            return verdict.changed_leaders_proven

        assert leaders([[1, 2], [3]], Wish())
        assert not leaders([[2, 1], [3]], Wish())
        assert leaders([[2, 3], [3]], Wish(remove=(1,)))
        empty = layout([[], [3]], Broker(2))
        assert check(empty, replace_lists(empty, [[2], [3]]), Wish(), allow_rf_change=True).leaders_proven


class TestFactor:
    def test_a_partition_that_gives_up_might_have_kept_another(self) -> None:
        """Two of three replicas stay: of 2 and 3 the one on the emptier broker; the first stays in any case."""
        current = topics({"a": [[1, 2, 3]], "b": [[2], [2]]})
        wish = Wish(topics=("a",), replication_factor=2)

        good, bad = (check(current, replace_lists(current, [lists, [2], [2]]), wish) for lists in ([1, 3], [1, 2]))

        assert proven(good) == (True, True, True)
        assert proven(bad) == (True, True, False)
        assert check(current, replace_lists(current, [[2, 3], [2], [2]]), wish).faults == (
            "a-0 would lose its replica on broker 1, which leads it or is its last in-sync copy.",
        )

    def test_leaders_of_other_topics_are_none_of_its_business(self) -> None:
        """Broker 1 leads both of topic b: no objection to a factor of topic a, as their order is not asked for."""
        current = topics({"a": [[2]], "b": [[1, 2], [1, 2]]})
        verdict = check(
            current,
            replace_lists(current, [[2, 1], [1, 2], [1, 2]]),
            Wish(topics=("a",), replication_factor=2),
        )

        assert (verdict.leaders_proven, verdict.changed_leaders_proven) == (True, True)

    def test_who_is_to_receive_nothing_counts_where_nothing_is_received(self) -> None:
        """Partition 0 has its two already; of the others each drops one, and brokers 2 and 3 share what is left."""
        current = layout([[1, 2], [1, 2, 3], [1, 3, 2]])
        wish = Wish(topics=("orders",), replication_factor=2, options=Options(never_onto=(3,)))

        assert check(current, replace_lists(current, [[1, 2], [1, 2], [1, 3]]), wish).replicas_proven
        assert not check(current, replace_lists(current, [[1, 2], [1, 2], [1, 2]]), wish).replicas_proven

    def test_a_rack_without_a_region_is_one_by_itself(self) -> None:
        """Broker 2 is in rack eu, of no zone; 3 is in another zone of the region that broker 1 is in."""
        racks = {1: "eu/1", 2: "eu", 3: "eu/2"}
        current = layout([[1]], *(Broker(broker, rack) for broker, rack in racks.items()))
        wish = Wish(topics=("orders",), replication_factor=2, options=Options(rack_levels=("/",)))

        assert check(current, replace_lists(current, [[1, 2]]), wish).rack_proven
        assert not check(current, replace_lists(current, [[1, 3]]), wish).rack_proven

    def test_racks_come_before_balance_in_what_is_given_up(self) -> None:
        """1 and 2 share rack a: who gives up broker 3 of rack b, the fuller one, has the racks wrong."""
        brokers = [Broker(1, "a"), Broker(2, "a"), Broker(3, "b")]
        current = ClusterLayout.from_assignments({("a", 0): [1, 2, 3], ("b", 0): [3], ("b", 1): [3]}, brokers=brokers)
        wish = Wish(topics=("a",), replication_factor=2)

        good, bad = (check(current, replace_lists(current, [lists, [3], [3]]), wish) for lists in ([1, 3], [1, 2]))

        assert proven(good) == (True, True, True)
        assert proven(bad) == (False, True, False)

    def test_a_copy_in_place_of_one_that_could_stay_is_one_too_many(self) -> None:
        """From one replica to two takes one copy: to go from broker 1 to 2 and 3 takes two."""
        current = layout([[1]], Broker(2), Broker(3))
        verdict = check(current, replace_lists(current, [[2, 3]]), Wish(topics=("orders",), replication_factor=2))

        assert (verdict.moves, verdict.least_moves, verdict.moves_proven) == (2, 1, False)


class TestMend:
    @pytest.mark.parametrize("leaves", [True, False])
    def test_topics_that_share_a_broker_already_may_go_on_to_share_it(self, leaves: bool) -> None:
        """What broker 9, drained or dead, had of a could come to 1, which holds least, though b is there: so is a."""
        current = topics({"a": [[1], [9]], "b": [[1]], "c": [[2]] * 4}, Broker(9, state=BrokerState.DEAD))
        options, rest = Options(keep_apart=(("a", "b"),)), [[1], *[[2]] * 4]
        wish = Wish(remove=(9,), options=options) if leaves else Wish(mend=True, options=options)

        assert proven(check(current, replace_lists(current, [[1], [1], *rest]), wish)) == (True, True, True)
        assert proven(check(current, replace_lists(current, [[1], [2], *rest]), wish)) == (True, True, False)

    def test_a_broker_named_twice_holds_one_replica_that_could_move(self) -> None:
        """Partition 0 is led by 2, named twice, and in sync on 3 alone, in one rack: one of the two goes to another."""
        racks = {2: "a", 3: "a", 4: "b", 5: "c"}
        current = ClusterLayout.from_assignments(
            {("orders", 0): [2, 2, 3], ("orders", 1): [4, 5], ("orders", 2): [5, 4]},
            brokers=[Broker(broker, rack) for broker, rack in racks.items()],
            leaders={("orders", 0): 2},
            in_sync={("orders", 0): [3]},
        )

        for first, best in (([2, 3], False), ([2, 4], True), ([5, 3], True)):
            verdict = check(current, replace_lists(current, [first, [4, 5], [5, 4]]), Wish(mend=True))
            assert proven(verdict) == (best, best, best)

    def test_within_a_limit_more_moves_are_no_objection(self) -> None:
        """Broker 1 keeps its three, 2 gets the one of the dead: evener with a move more, which was not allowed."""
        current = layout([[1], [1], [1], [9]], Broker(2), Broker(9, state=BrokerState.DEAD))

        verdict = check(current, replace_lists(current, [[1], [1], [1], [2]]), Wish(mend=True), limited=True)

        assert (verdict.moves, verdict.replicas_proven) == (1, True)

    def test_leaders_of_what_is_not_mended_stay(self) -> None:
        """Broker 1 leads four of five: those lists keep their order, and the fifth is led by 2."""
        current = layout([[9, 2], *[[1, 2]] * 4], Broker(9, state=BrokerState.DEAD))
        verdict = check(current, replace_lists(current, [[2, 1], *[[1, 2]] * 4]), Wish(mend=True))

        assert (verdict.leader_spread, verdict.leaders_proven) == (3, True)

    def test_a_dead_replica_goes_to_the_emptiest_and_all_else_stays(self) -> None:
        """Broker 9 is dead; 3 is emptier than 2."""
        current = layout([[1, 9], [2], [2]], Broker(3), Broker(9, state=BrokerState.DEAD))
        # The others have one replica, so that most of the topic have one: the live one stays.
        verdicts = [check(current, replace_lists(current, [lists, [2], [2]]), Wish(mend=True)) for lists in ([1], [3])]

        assert proven(verdicts[0]) == (True, True, True)
        assert not proven(verdicts[1])[1]

    def test_most_of_a_topic_say_how_many_replicas_it_has(self) -> None:
        """Two have two and one has one, which gets another; of as many each, the greater number counts."""
        current = layout([[1, 2], [2, 3], [3]])
        wish = Wish(mend=True)

        good, fuller = (
            check(current, replace_lists(current, [[1, 2], [2, 3], lists]), wish) for lists in ([3, 1], [3, 2])
        )

        assert proven(good) == (True, True, True)
        assert proven(fuller) == (True, True, False)
        assert check(current, current, wish).faults == ("orders-2 would have 1 replica; it must have 2.",)
        even = layout([[1], [2, 3]])
        assert check(even, even, wish).faults == ("orders-0 would have 1 replica; it must have 2.",)

    def test_who_must_stay_is_no_choice(self) -> None:
        """One of two replicas goes; the first leads and stays, though the other sits on the emptier broker."""
        current = layout([[1, 2], [1], [1], [2]])

        assert proven(check(current, replace_lists(current, [[1], [1], [1], [2]]), Wish(mend=True))) == (
            True,
            True,
            True,
        )

    def test_a_broker_named_twice_is_dropped_or_replaced(self) -> None:
        """Broker 1 stands twice in a list of two: once it stays, and another comes."""
        current = layout([[1, 1], [2, 3]])
        mended = replace_lists(current, [[1, 2], [2, 3]])

        assert proven(check(current, mended, Wish(mend=True)))[:2] == (True, True)
        stuck = np.array([True, False])
        told = check(current, replace_lists(current, [[1], [2, 3]]), Wish(mend=True), pinned=stuck)
        assert told.valid
        assert "orders-0 would have 2 replicas; it must have 1." in (
            check(current, mended, Wish(mend=True), pinned=stuck).faults
        )


class TestApart:
    """Topics a and b are to share no broker."""

    wish = Wish(options=Options(keep_apart=(("a", "b"),)))

    def test_a_newcomer_beside_the_other_topic_is_a_fault(self) -> None:
        """Unless both were there before; a topic that is not named may be anywhere."""
        current = topics({"a": [[1], [3]], "b": [[2], [3]], "c": [[1]]}, Broker(4))
        moved = {
            "a onto b's": [[2], [3], [2], [3], [1]],
            "b onto a's": [[1], [3], [1], [3], [1]],
            "where both were": [[3], [3], [2], [3], [1]],
            "c beside both": [[1], [3], [2], [3], [3]],
            "elsewhere": [[4], [3], [2], [3], [1]],
        }
        said = "which has a topic that is to share no broker with it."

        told = {what: check(current, replace_lists(current, lists), self.wish).faults for what, lists in moved.items()}

        assert told == {
            "a onto b's": (f"a-0 would be copied to broker 2, {said}",),
            "b onto a's": (f"b-0 would be copied to broker 1, {said}",),
            "where both were": (),
            "c beside both": (),
            "elsewhere": (),
        }

    def test_three_are_apart_from_each_other(self) -> None:
        """A topic that an earlier pattern names is none of a later one's."""
        current = topics({"a": [[1]], "ab": [[2]], "b": [[3]]}, Broker(4))
        wish = Wish(options=Options(keep_apart=(("a", "a*", "b"),)))

        assert check(current, replace_lists(current, [[4], [2], [3]]), wish).valid
        for lists in ([[2], [2], [3]], [[3], [2], [3]], [[1], [1], [3]], [[1], [3], [3]], [[1], [2], [2]]):
            assert len(check(current, replace_lists(current, lists), wish).faults) == 1

    def test_what_leaves_a_broker_goes_where_the_other_is_not(self) -> None:
        """Broker 3 is the emptier one and has topic b: of topic a broker 2 gets a third."""
        current = topics({"a": [[1], [2], [2]], "b": [[3]]})
        drained = replace_lists(current, [[2], [2], [2], [3]])

        apart = replace(self.wish, remove=(1,))
        assert proven(check(current, drained, apart)) == (True, True, True)
        assert proven(check(current, drained, Wish(remove=(1,)))) == (True, True, False)

    def test_where_the_other_is_nothing_could_have_gone(self) -> None:
        """Topic a has two on each of its brokers, b one on broker 3, which a may not have: it is even enough."""
        current = topics({"a": [[1], [1], [2], [2]], "b": [[3]]})
        apart = Wish(rebalance=True, options=Options(keep_apart=(("a", "b"),)))
        uneven = topics({"a": [[1], [1], [1], [1], [2], [2]], "b": [[3]]})

        assert proven(check(current, current, apart)) == (True, True, True)
        assert proven(check(uneven, uneven, apart)) == (True, False, False)
        longer = topics({"a": [[1], [1], [1], [2], [2], [2]], "b": [[3]]})
        assert proven(check(longer, longer, apart)) == (True, True, True)
        assert proven(check(longer, longer, EVEN)) == (True, False, False)


class TestLeaders:
    def test_who_never_leads_and_whose_rack_leads_first(self) -> None:
        """A list that has a broker of the first rack is led by it, one that has a broker that may lead by that."""
        brokers = [Broker(1, "a"), Broker(2, "b"), Broker(3, "b")]
        current = layout([[2, 1], [3, 2]], *brokers)
        led = Wish(leaders_only=True, options=Options(leader_racks=("a",), never_leads=(3,)))

        def leaders(lists: Lists) -> tuple[bool, bool]:
            wish = Wish(rebalance=True, options=led.options)
            verdict = check(current, replace_lists(current, lists), wish)
            return verdict.leaders_proven, verdict.changed_leaders_proven

        assert leaders([[1, 2], [2, 3]]) == (True, True)
        assert leaders([[2, 1], [2, 3]]) == (False, False)
        assert leaders([[1, 2], [3, 2]]) == (False, False)

    def test_a_list_of_the_dead_has_no_part_and_is_not_changed_in_vain(self) -> None:
        """8 and 9 are dead, and whoever is named first leads nothing; a fenced broker is named before them."""
        brokers = [Broker(8, state=BrokerState.DEAD), Broker(9, state=BrokerState.DEAD), Broker(1)]
        fenced = Broker(7, state=BrokerState.FENCED)
        current, late = layout([[8, 9]], *brokers), layout([[8, 7]], *brokers, fenced)

        def leaders(before: ClusterLayout, lists: Lists) -> tuple[bool, bool]:
            verdict = check(before, replace_lists(before, lists), Wish(rebalance=True))
            return verdict.leaders_proven, verdict.changed_leaders_proven

        assert leaders(current, [[8, 9]]) == (True, True)
        assert leaders(current, [[9, 8]]) == (True, False)
        assert leaders(late, [[7, 8]]) == (True, True)
        assert leaders(late, [[8, 7]]) == (False, False)

    @pytest.mark.parametrize("ids", [(1, 2, 3, 4), (9, 1, 2, 3)])
    def test_a_first_place_that_was_none_of_the_plans_business(self, ids: tuple[int, ...]) -> None:
        """Two lists trade their leaders: as even as if both were left, though not as even as they could be."""
        out, full, some, idle = ids
        current = layout([[out, full], [full, idle], [idle, full], [full, some], [full, some]])

        def leaders(*lists: list[int]) -> tuple[bool, bool]:
            proposed = replace_lists(current, [*lists, [full, some], [full, some]])
            verdict = check(current, proposed, Wish(remove=(out,)))
            return verdict.leaders_proven, verdict.changed_leaders_proven

        assert leaders([some, full], [full, idle], [idle, full]) == (True, True)
        assert leaders([some, full], [idle, full], [full, idle]) == (True, False)
        assert leaders([some, full], [idle, full], [idle, full]) == (True, False)
        assert leaders([some, full], [full, idle], [full, idle]) == (False, False)
        assert leaders([full, some], [idle, full], [full, idle]) == (False, False)


def test_a_partition_is_held_against_as_many_newcomers_as_it_needs() -> None:
    """The first needs one and could have it in the other rack, whatever the second has room for, which needs two."""
    brokers = [Broker(b, f"r{b % 2}") for b in range(6)]
    current = ClusterLayout.from_assignments({("a", 0): [0, 1], ("b", 0): [1, 5]}, brokers=brokers)
    wish = Wish(rebalance=True, remove=(1, 5), options=Options(keep_racks=True))

    assert not check(current, replace_lists(current, [[0, 2], [4, 3]]), wish).rack_proven
    assert check(current, replace_lists(current, [[0, 3], [4, 3]]), wish).rack_proven
