"""The checker on plans that break something: what is said, how many are named, and that nothing is proven of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from reseat.model import NONE, Broker, BrokerState, ClusterLayout, Options, Wish
from reseat.model.rules import Capacity, Onto
from reseat.planning.proof.checker import check
from reseat.planning.proof.compared import Change
from reseat.planning.proof.verdict import sentences_of
from tests.planning.checking import check_addition, check_removal
from tests.planning.test_checker import Lists, layout, replace_lists

DEAD, CORDONED = BrokerState.DEAD, BrokerState.CORDONED
#: Partitions of a plan that does the same wrong to each: two more than are named.
MANY = 22
ALL_KINDS = [
    Wish(remove=(1,)),
    Wish(add=((4, None),)),
    Wish(topics=("orders",), replication_factor=2),
    Wish(rebalance=True),
    Wish(mend_racks=True),
    Wish(mend=True),
    Wish(rebalance=True, options=Options(even_topics=True)),
]


@pytest.mark.parametrize("wish", ALL_KINDS)
def test_of_a_plan_with_a_fault_nothing_is_proven(wish: Wish) -> None:
    """One partition lists broker 2 twice, whatever was wished; the others are as they were, and even."""
    current = layout([[2, 3], [3, 4], [4, 2]], Broker(1))

    verdict = check(current, replace_lists(current, [[2, 2], [3, 4], [4, 2]]), wish)

    assert "orders-0 lists broker 2 twice." in verdict.faults
    assert not any((verdict.moves_proven, verdict.rack_proven, verdict.replicas_proven))
    assert not any((verdict.leaders_proven, verdict.changed_leaders_proven))
    assert verdict.topics_even is None


def faults_of(current: ClusterLayout, lists: Lists, wish: Wish, pinned: bool = False) -> tuple[int, str, str]:
    """How many faults are told, the first of them and the last."""
    all_pinned = np.ones(current.partition_count, np.bool_) if pinned else None
    told = check(current, replace_lists(current, lists), wish, pinned=all_pinned).faults
    return len(told), told[0], told[-1]


@pytest.mark.parametrize(
    ("before", "after", "brokers", "wish", "told"),
    [
        ([1, 2], [1, 1], (), Wish(), ("lists broker 1 twice.", "partitions list a broker twice.")),
        (
            [1, 2],
            [1],
            (),
            Wish(),
            (
                "would have 1 replica; it must have 2.",
                "partitions would have another number of replicas than they must.",
            ),
        ),
        (
            [1, 2],
            [1, 2],
            (),
            Wish(topics=("orders",), replication_factor=3),
            (
                "would keep 2 replicas; 3 were requested.",
                "partitions would keep another number of replicas than requested.",
            ),
        ),
        (
            [1, 2],
            [1],
            (),
            Wish(mend=True),
            (
                "would have 1 replica; it must have 2.",
                "partitions would have another number of replicas than they must.",
            ),
        ),
        (
            [1],
            [3],
            (Broker(3, state=DEAD),),
            Wish(),
            (
                "would be copied to broker 3, which is known to be dead.",
                "replicas would be copied to dead brokers.",
            ),
        ),
        (
            [1],
            [3],
            (Broker(3, state=CORDONED),),
            Wish(),
            (
                "would name broker 3, which is cordoned: Kafka refuses the list.",
                "lists name cordoned brokers.",
            ),
        ),
        (
            [1],
            [3],
            (Broker(3),),
            Wish(options=Options(never_onto=(3,))),
            (
                "would be copied to broker 3, which is to receive nothing.",
                "replicas would be copied to brokers that are to receive nothing.",
            ),
        ),
        (
            [1],
            [3],
            (Broker(3), Broker(4)),
            Wish(options=Options(only_onto=(Onto(("orders",), (1, 4)),))),
            (
                "would be copied to broker 3, where its topic is not to be (only_onto).",
                "replicas would be copied to brokers where its topic is not to be (only_onto).",
            ),
        ),
    ],
)
def test_twenty_of_a_kind_are_named_and_the_rest_counted(
    before: list[int], after: list[int], brokers: tuple[Broker, ...], wish: Wish, told: tuple[str, str]
) -> None:
    """Each partition of the topic goes the same way."""
    current = layout([before] * MANY, *brokers)
    faults = check(current, replace_lists(current, [after] * MANY), wish).faults

    assert len(faults) == 21
    assert (faults[0], faults[19]) == (f"orders-0 {told[0]}", f"orders-19 {told[0]}")
    assert faults[20] == f"2 more {told[1]}"


def test_partitions_that_cannot_move_are_named_once_and_why() -> None:
    """No live in-sync replica to copy from, or pinned; where Kafka refuses the list anyway, that alone is said."""
    led = layout([[1]] * MANY, Broker(2), Broker(3, state=CORDONED))
    current = replace(led, leader=np.full(MANY, NONE, np.int32))

    assert faults_of(led, [[2]] * MANY, Wish(), pinned=True) == (
        21,
        "orders-0 would change, and is to keep its replica list.",
        "2 more partitions would change, and are to keep their replica lists.",
    )
    assert faults_of(current, [[2]] * MANY, Wish(), pinned=True) == (
        21,
        "orders-0 has no live in-sync replica to copy from, so it cannot move.",
        "2 more partitions have no live in-sync replica to copy from.",
    )
    assert faults_of(current, [[3]] * MANY, Wish(), pinned=True) == (
        21,
        "orders-0 would name broker 3, which is cordoned: Kafka refuses the list.",
        "2 more lists name cordoned brokers.",
    )
    short = replace(layout([[1], [1, 2]], Broker(2)), leader=np.full(2, NONE, np.int32))
    assert check(short, replace_lists(short, [[2], [1, 2]]), Wish(), pinned=np.ones(2, np.bool_)).faults == (
        "orders-0 has no live in-sync replica to copy from, so it cannot move.",
    )
    # Another order alone moves nothing.
    pair = layout([[1, 2]])
    assert check(pair, replace_lists(pair, [[2, 1]]), Wish(), pinned=np.ones(1, np.bool_)).valid


def test_brokers_beyond_the_cap_are_named_and_counted() -> None:
    """Each of 22 brokers receives two replicas where one was allowed."""
    current = layout([[1]] * 2 * MANY, *(Broker(100 + i) for i in range(MANY)))
    told = faults_of(
        current, [[100 + i // 2] for i in range(2 * MANY)], Wish(remove=(1,), options=Options(receive_cap=1))
    )

    assert told == (
        21,
        "Broker 100 receives 2 replicas; at most 1 was allowed.",
        "2 more brokers receive more than was allowed.",
    )


def test_replicas_that_lead_or_are_the_last_in_sync_are_named_and_counted() -> None:
    """Of 22 partitions each is to give up the broker that leads it."""
    keys = [("orders", i) for i in range(MANY)]
    current = ClusterLayout.from_assignments({key: [1, 2] for key in keys}, leaders=dict.fromkeys(keys, 2))

    assert faults_of(current, [[1]] * MANY, Wish(topics=("orders",), replication_factor=1)) == (
        21,
        "orders-0 would lose its replica on broker 2, which leads it or is its last in-sync copy.",
        "2 more replicas that lead, or are the last in-sync copy, would be given up.",
    )


def test_a_partition_that_would_keep_no_copy_in_sync_is_a_fault() -> None:
    """Broker 1 leads by being first and is not in sync; 2 and 3 are, and both would go."""
    key = ("orders", 0)
    current = ClusterLayout.from_assignments({key: [1, 2, 3, 4]}, in_sync={key: [2, 3]})
    wish = Wish(topics=("orders",), replication_factor=2)

    bare, kept = (check(current, replace_lists(current, [lists]), wish) for lists in ([1, 4], [1, 3]))

    assert bare.faults == ("orders-0 would keep no in-sync copy.",)
    assert not bare.replicas_proven
    assert kept.valid


def test_a_topic_that_is_not_there_is_a_fault_of_a_factor() -> None:
    """Named once, beside what is wrong with those that are."""
    current = layout([[1], [2]])

    verdict = check(
        current, replace_lists(current, [[1, 2], [2, 1]]), Wish(topics=("orders", "lost"), replication_factor=2)
    )

    assert verdict.faults == ("Topic lost is not in the layout.",)


def test_a_factor_is_wished_of_its_topics_alone() -> None:
    """A partition of another topic keeps its number of replicas, and is a fault where it does not."""
    current = ClusterLayout.from_assignments({("a", 0): [1], ("b", 0): [2]}, brokers=[Broker(3)])
    wish = Wish(topics=("a",), replication_factor=2)

    good, more = (check(current, replace_lists(current, lists), wish) for lists in ([[1, 3], [2]], [[1, 3], [2, 1]]))

    assert good.valid
    assert (good.moves_proven, good.replicas_proven) == (True, True)
    assert more.faults == ("b-0 would have 2 replicas; it must have 1.",)


class TestBytes:
    """Two partitions of 100 and 30 bytes, the greatest told of each one's replicas counting."""

    def faults(self, lists: Lists, most: int | None, second: float = 30.0) -> tuple[str, ...]:
        """Of a rebalance that may copy so many bytes; ``second``: what is told of the second partition."""
        current = ClusterLayout.from_assignments(
            {("orders", 0): [1, 2], ("orders", 1): [1, 2]}, brokers=[Broker(3), Broker(4)]
        )
        current = replace(current, size_bytes=np.array([[100.0, 90.0], [np.nan, second]]))
        proposed = replace(replace_lists(current, lists), size_bytes=None)
        return check(current, proposed, Wish(rebalance=True, options=Options(max_bytes=most))).faults

    def test_each_copy_counts(self) -> None:
        """One of the first and two of the second are 160 bytes."""
        assert self.faults([[1, 3], [3, 4]], 160) == ()
        assert self.faults([[1, 3], [3, 4]], None) == ()
        assert self.faults([[1, 3], [3, 4]], 159) == ("160 B would be copied; at most 159 B was allowed.",)

    def test_what_only_changes_its_order_counts_nothing_whatever_its_size(self) -> None:
        """Nobody told the size of the second, which is not copied."""
        assert self.faults([[1, 3], [2, 1]], 99, np.nan) == ("100 B would be copied; at most 99 B was allowed.",)

    def test_what_nobody_told_hides_nothing_of_what_is_told(self) -> None:
        """The second is copied, too: the first alone is too much."""
        assert self.faults([[1, 3], [3, 4]], 99, np.nan) == ("100 B would be copied; at most 99 B was allowed.",)


class TestCapacities:
    def test_a_broker_may_hold_what_it_held_and_no_more(self) -> None:
        """Broker 1 holds three where two are allowed: it may not get a fourth, and 2 may not get beyond one."""
        current = layout([[1], [1], [1], [2], [3]])
        rules = Options(capacity=(Capacity(1, replicas=2), Capacity(2, replicas=1), Capacity(9, replicas=0)))
        wish = Wish(options=rules)

        assert check(current, current, wish).valid
        assert check(current, replace_lists(current, [[1], [1], [2], [2], [1]]), wish).faults == (
            "Broker 2 would hold 2 replicas; its capacity is 1.",
        )
        assert check(current, replace_lists(current, [[1], [1], [1], [2], [1]]), wish).faults == (
            "Broker 1 would hold 4 replicas; its capacity is 2.",
        )

    def test_bytes_are_those_of_the_replicas_as_far_as_told(self) -> None:
        """Broker 2 would hold 70 of 60 bytes; one whose size nobody tells weighs nothing."""
        current = replace(layout([[1], [1], [1], [2]]), size_bytes=np.array([[40.0], [50.0], [np.nan], [30.0]]))
        proposed = replace_lists(current, [[2], [1], [2], [2]])
        one, two = (Wish(options=Options(capacity=(Capacity(2, bytes=most),))) for most in (69, 70))

        assert check(current, proposed, one).faults == ("Broker 2 would hold 70 B; its capacity is 69 B.",)
        assert check(current, proposed, two).valid

    @pytest.mark.parametrize("wish", [Wish(rebalance=True), Wish(add=((3, None),))])
    def test_what_a_full_broker_cannot_take_is_no_objection(self, wish: Wish) -> None:
        """Broker 3 may hold one: 4 and 1 is as even as can be, and 3 and 2 would be a fault."""
        current = layout([[1]] * 5, Broker(3))
        wish = replace(wish, options=Options(capacity=(Capacity(3, replicas=1),)))

        good, bad = (
            check(current, replace_lists(current, lists), wish)
            for lists in ([[3], [1], [1], [1], [1]], [[3], [3], [1], [1], [1]])
        )

        assert (good.valid, good.moves_proven, good.replicas_proven, good.replica_spread) == (True, True, True, 3)
        assert bad.faults == ("Broker 3 would hold 2 replicas; its capacity is 1.",)

    def test_a_rebalance_that_leaves_a_broker_too_full_is_not_proven(self) -> None:
        """Broker 1 held five and may hold two; how it could be relieved further is not looked for."""
        current = layout([[1]] * 5, Broker(2), Broker(3))
        wish = Wish(rebalance=True, options=Options(capacity=(Capacity(1, replicas=2),)))

        full, done = (
            check(current, replace_lists(current, lists), wish)
            for lists in ([[1], [1], [1], [2], [3]], [[1], [1], [2], [2], [3]])
        )

        assert (full.valid, full.moves_proven, full.replicas_proven) == (True, False, False)
        assert (done.valid, done.moves_proven, done.replicas_proven) == (True, True, True)


class TestCap:
    def test_what_a_joining_broker_may_not_receive_is_no_objection(self) -> None:
        """Broker 3 may receive one: 4 and 1 is as even as can be."""
        current = layout([[1]] * 5, Broker(3))
        proposed = replace_lists(current, [[3], [1], [1], [1], [1]])

        capped = check_addition(current, proposed, [3], rules=Options(receive_cap=1))
        free = check_addition(current, proposed, [3])

        assert (capped.moves_proven, capped.replicas_proven) == (True, True)
        assert (free.moves_proven, free.replicas_proven) == (False, False)

    def test_partitions_that_shrink_leave_it_aside(self) -> None:
        """One partition grows, one shrinks, as each has two in the end: nothing is received beyond the wish."""
        current = ClusterLayout.from_assignments({("a", 0): [1, 2, 3], ("a", 1): [1]})
        wish = Wish(topics=("a",), replication_factor=2, options=Options(receive_cap=0))

        assert check(current, replace_lists(current, [[1, 2], [1, 3]]), wish).valid
        grown = ClusterLayout.from_assignments({("a", 0): [1], ("a", 1): [1]}, brokers=[Broker(2)])
        assert check(grown, replace_lists(grown, [[1, 2], [1, 2]]), wish).faults == (
            "Broker 2 receives 2 replicas; at most 0 were allowed.",
        )


def test_who_is_unavailable_is_named_and_whether_it_had_to_be() -> None:
    """Broker 3 is fenced: beside broker 2 it is a last resort that nobody needed; alone it is the only one."""
    fenced = Broker(3, state=BrokerState.FENCED)
    beside, alone = layout([[1]], Broker(2), fenced), layout([[1]], fenced)

    needless, needed = (check_removal(one, replace_lists(one, [[3]]), [1]) for one in (beside, alone))

    assert sentences_of(needless)[0] == (
        "Replicas go to broker 3, fenced or shutting down, though other brokers could take them."
    )
    assert (needless.last_resorts, needless.last_resorts_needed, needless.replicas_proven) == ((3,), False, False)
    assert sentences_of(needed)[0] == (
        "Replicas go to broker 3, fenced or shutting down: no other broker can take them. Bring it back first."
    )
    assert (needed.last_resorts, needed.last_resorts_needed) == ((3,), True)


def test_what_is_left_on_leaving_brokers_is_counted_once() -> None:
    """Of rows that do not change and could; not what a changed row keeps there, nor what cannot move."""
    current = layout([[1, 2], [1, 3], [1, 2], [1, 3], [1, 2], [2]])
    proposed = replace_lists(current, [[3, 2], [1, 3], [2, 1], [1, 3], [2, 1], [2]])
    pinned = np.array([False, False, False, True, True, True])
    change = Change.between(current, proposed, (1,), pinned=pinned, rules=Options())
    whole = replace_lists(current, [[3, 2], [2, 3], [3, 2], [1, 3], [1, 2], [2]])

    assert change.left_untouched == 1
    assert Change.between(current, whole, (1,), pinned=pinned, rules=Options()).left_untouched == 0
    assert Change.between(current, whole, (), rules=Options()).left_untouched == 0
    assert check(current, proposed, Wish(remove=(1,)), pinned=pinned).least_moves == 3
