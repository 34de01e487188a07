"""The judge: any plan is laid over the layout, its faults are named, and it stands beside the best that is proven."""

from __future__ import annotations

import json
from dataclasses import fields, replace

import numpy as np
import pytest

from reseat.model import Broker, BrokerState, Certificate, ClusterLayout, Options, Wish
from reseat.planning import plan
from reseat.planning.judge import apply_assignment, judge
from tests.planning.checking import wholly_proven

#: The documented example, before: one replica each, partition 0 on broker 1.
TP_RE_02 = ClusterLayout.from_assignments({("tp_re_02", 0): [1], ("tp_re_02", 1): [0], ("tp_re_02", 2): [1]})
#: And the documented plan, written by hand.
BY_HAND = ClusterLayout.from_assignments({("tp_re_02", 0): [0, 1], ("tp_re_02", 1): [0, 1], ("tp_re_02", 2): [1, 0]})

REASSIGN = ClusterLayout.from_assignments(
    {
        ("topic-reassign", 0): [0, 2],
        ("topic-reassign", 1): [1, 0],
        ("topic-reassign", 2): [2, 1],
        ("topic-reassign", 3): [0, 1],
    }
)


def assignment(lists: dict[tuple[str, int], list[int]]) -> ClusterLayout:
    """A plan as it comes out of a reassignment JSON: some partitions, no brokers but those named."""
    return ClusterLayout.from_assignments(lists)


class TestDocumentedExamples:
    @pytest.mark.parametrize(
        ("wish", "allow"),
        [(Wish(replication_factor=2, topics=("tp_re_02",)), False), (Wish(), True)],
        ids=["wished", "allowed"],
    )
    def test_hand_written_plan_is_valid_and_changes_a_leader_without_need(self, wish: Wish, allow: bool) -> None:
        """Three copies are the least; that partition 0 is then preferred by broker 0 was not needed."""
        certificate = judge(TP_RE_02, BY_HAND, wish, allow_rf_change=allow)

        assert certificate.valid
        assert (certificate.moves, certificate.least_moves, certificate.moves_proven) == (3, 3, True)
        assert certificate.replica_balance_proven
        assert (certificate.leader_sum_of_squares, certificate.least_leader_sum_of_squares) == (5, 5)
        assert (certificate.changed_preferred_leaders, certificate.least_changed_preferred_leaders) == (1, 0)
        assert not certificate.changed_leaders_proven
        assert (
            "1 partition gets a new preferred leader without need: tp_re_02-0 from broker 1 to broker 0."
            in certificate.sentences
        )

    def test_hand_written_plan_is_refused_where_the_factor_must_stay(self) -> None:
        """Without a wish for it, and without leave, another number of replicas is a fault."""
        certificate = judge(TP_RE_02, BY_HAND)

        assert certificate.faults == tuple(f"tp_re_02-{i} would have 2 replicas; it must have 1." for i in range(3))

    def test_best_plan_for_broker_1_out(self) -> None:
        """Partitions 1, 2 and 3 have one free broker each; partition 0 stays."""
        best = assignment({("topic-reassign", 1): [2, 0], ("topic-reassign", 2): [2, 0], ("topic-reassign", 3): [0, 2]})

        certificate = judge(REASSIGN, best, Wish(remove=(1,)))

        assert certificate.valid
        assert (certificate.moves, certificate.least_moves) == (3, 3)
        assert wholly_proven(certificate)
        assert certificate.sentences[0] == "It moves 3 replicas, the proven minimum (racks unknown)."

    def test_proposal_of_another_tool_reorders_a_partition_without_need(self) -> None:
        """It moves the least too, but names broker 2 first in partition 0, which had no part in it."""
        proposal = assignment(
            {
                ("topic-reassign", 0): [2, 0],
                ("topic-reassign", 1): [0, 2],
                ("topic-reassign", 2): [2, 0],
                ("topic-reassign", 3): [0, 2],
            }
        )

        certificate = judge(REASSIGN, proposal, Wish(remove=(1,)))

        assert certificate.moves_proven
        assert (certificate.changed_preferred_leaders, certificate.least_changed_preferred_leaders) == (2, 1)
        assert not certificate.changed_leaders_proven
        assert "avoidable, for example: topic-reassign-0 from broker 0 to broker 2" in certificate.sentences[-1]

    def test_two_moves_onto_an_added_broker(self) -> None:
        """tp_re_01 as documented: two of five partitions go to broker 1."""
        layout = assignment({("tp_re_01", i): [0] for i in range(5)})
        documented = assignment({("tp_re_01", i): [i % 2] for i in range(5)})

        certificate = judge(layout, documented, Wish(add=((1, None),)))

        assert (certificate.moves, certificate.least_moves, certificate.moves_proven) == (2, 2, True)
        assert certificate.replica_balance_proven
        assert certificate.sentences[0] == ("It moves 2 replicas, the proven minimum for this spread (racks unknown).")


class TestFaults:
    @pytest.mark.parametrize(
        ("lists", "fault"),
        [
            ({("orders", 0): [2, 2]}, "orders-0 lists broker 2 twice."),
            ({("orders", 0): [2, 1]}, "orders-0 still has a replica on broker 1, to be drained."),
            ({("orders", 0): [2, 3, 4]}, "orders-0 would have 3 replicas; it must have 2."),
            ({("orders", 0): [2]}, "orders-0 would have 1 replica; it must have 2."),
            ({("orders", 0): [2, 9]}, "orders-0 would be on broker 9, which is not in the layout."),
            ({("orders", 0): [2, 5]}, "orders-0 would be copied to broker 5, which is known to be dead."),
        ],
    )
    def test_each_is_named(self, lists: dict[tuple[str, int], list[int]], fault: str) -> None:
        """One thing wrong, one sentence that names partition and broker, nothing proven."""
        layout = ClusterLayout.from_assignments(
            {("orders", 0): [1, 2]}, brokers=[Broker(3), Broker(4), Broker(5, state=BrokerState.DEAD)]
        )

        certificate = judge(layout, assignment(lists), Wish(remove=(1,)))

        assert certificate.faults == (fault,)
        assert not certificate.moves_proven
        assert certificate.sentences[0] == "The plan must not be executed: it has 1 fault."

    def test_no_minimum_is_above_what_the_plan_has(self) -> None:
        """Who leaves lists in their order changes no leader: the fewest of the evenest order are no minimum of that."""
        layout = ClusterLayout.from_assignments({("t", row): [0, 1, 2] for row in range(6)})
        wish = Wish(replication_factor=2, topics=("t",))
        certificate = judge(layout, assignment({("t", row): [0, 1 + row % 2] for row in range(6)}), wish)

        assert (certificate.changed_preferred_leaders, certificate.least_changed_preferred_leaders) == (0, None)
        assert certificate.sentences[-1] == "No preferred leader changes."

    def test_unknown_partition_and_empty_list(self) -> None:
        """A partition that the layout does not have, and a list with nobody in it."""
        layout = ClusterLayout.from_assignments({("orders", 10): [1, 2]})

        certificate = judge(layout, assignment({("orders", 11): [2, 1], ("pay", 10): [1], ("orders", 10): []}))

        assert certificate.faults == (
            "orders-11 is not in the layout.",
            "pay-10 is not in the layout.",
            "orders-10 has an empty replica list.",
        )

    def test_partition_that_the_plan_forgets_stays_on_the_broker_that_leaves(self) -> None:
        """A plan of some partitions leaves the others where they are."""
        layout = ClusterLayout.from_assignments({("orders", 0): [1], ("orders", 1): [1]}, brokers=[Broker(2)])

        certificate = judge(layout, assignment({("orders", 0): [2]}), Wish(remove=(1,)))

        assert certificate.faults == ("orders-1 still has a replica on broker 1, to be drained.",)
        assert certificate.least_moves == 2

    def test_broker_that_joins_is_known(self) -> None:
        """Broker 9 is added by the wish, so that it may receive."""
        layout = ClusterLayout.from_assignments({("orders", 0): [1, 2]})

        certificate = judge(layout, assignment({("orders", 0): [9, 2]}), Wish(remove=(1,), add=((9, None),)))

        assert certificate.valid
        assert certificate.replica_balance_proven

    def test_a_broker_named_twice_is_judged_as_a_mend_and_of_another_change_nothing_is_proven(self) -> None:
        """The one copy that mends it is proven the fewest; without the wish its faults and numbers are told alone."""
        layout = ClusterLayout.from_assignments({("orders", 0): [1, 1], ("orders", 1): [2, 1]})
        mended = assignment({("orders", 0): [1, 2]})
        as_mend, as_any = judge(layout, mended, Wish(mend=True)), judge(layout, mended, Wish(remove=(1,)))
        unwished = judge(layout, mended)

        assert (as_mend.valid, as_mend.moves, as_mend.moves_proven) == (True, 1, True)
        assert as_any.faults == tuple(
            f"orders-{row} still has a replica on broker 1, to be drained." for row in range(2)
        )
        assert (unwished.valid, unwished.moves, unwished.least_moves, unwished.moves_proven) == (True, 1, None, False)
        assert unwished.sentences[0] == "It moves 1 replica."
        assert unwished.sentences[-1] == (
            "1 partition names a broker twice: nothing is proven of this plan. Validate it as a mend (--mend), if it "
            "is one."
        )
        assert judge(layout, layout).faults == ("orders-0 lists broker 1 twice.",)


class TestDistance:
    def test_many_moves_stand_beside_the_few_that_are_enough(self) -> None:
        """A plan that rotates everything moves six replicas where two are enough, and may still be even."""
        layout = ClusterLayout.from_assignments({("orders", i): [1 + i % 3] for i in range(6)}, brokers=[Broker(4)])
        shuffled = assignment({("orders", i): [(3, 4, 2)[i % 3]] for i in range(6)})

        certificate = judge(layout, shuffled, Wish(remove=(1,)))

        assert certificate.valid
        assert (certificate.moves, certificate.least_moves) == (6, 2)
        assert not certificate.moves_proven
        assert not certificate.replica_balance_proven
        assert certificate.sentences[0] == "It moves 6 replicas; the minimum is 2."
        assert (
            certificate.least_replica_sum_of_squares
            == plan(layout, Wish(remove=(1,))).certificate.replica_sum_of_squares
        )

    def test_uneven_plan_is_told_what_could_be_reached(self) -> None:
        """Both newcomers on broker 2 leave broker 3 empty: 2 apart more than needed."""
        layout = ClusterLayout.from_assignments(
            {("orders", 0): [1], ("orders", 1): [1], ("orders", 2): [2]}, brokers=[Broker(3)]
        )

        certificate = judge(layout, assignment({("orders", 0): [2], ("orders", 1): [2]}), Wish(remove=(1,)))

        assert certificate.moves_proven
        assert not certificate.replica_balance_proven
        assert (certificate.replica_sum_of_squares, certificate.least_replica_sum_of_squares) == (9, 5)
        assert certificate.sentences[1] == (
            "Max–min replica count per broker: 3. 1 can be reached with as few moves and the same racks "
            "(sum of squares 9 against 5)."
        )

    def test_crowded_rack_is_told(self) -> None:
        """Rack b is free and the newcomer goes to rack a."""
        layout = ClusterLayout.from_assignments(
            {("orders", 0): [1, 2]},
            brokers=[Broker(1, rack="b"), Broker(2, rack="a"), Broker(3, rack="a"), Broker(4, rack="b")],
        )

        certificate = judge(layout, assignment({("orders", 0): [3, 2]}), Wish(remove=(1,)))

        assert (certificate.rack_sum_of_squares, certificate.least_rack_sum_of_squares) == (4, 2)
        assert (certificate.rack_violations_before, certificate.rack_violations_after) == (0, 1)
        assert certificate.sentences[1] == ("Rack placement can be improved: sum of squares 4, minimum 2.")

    def test_plan_that_only_reorders_is_judged_by_leaders(self) -> None:
        """Nothing is wished: no replica moves, and the new order of two lists evens leaders."""
        layout = ClusterLayout.from_assignments({("orders", i): [1, 2] for i in range(4)})

        certificate = judge(layout, assignment({("orders", 0): [2, 1], ("orders", 1): [2, 1]}))

        assert certificate.valid
        assert (certificate.moves, certificate.least_moves, certificate.moves_proven) == (0, 0, True)
        assert (certificate.leader_sum_of_squares, certificate.leader_balance_proven) == (8, True)
        assert (certificate.changed_preferred_leaders, certificate.changed_leaders_proven) == (2, True)

    def test_empty_plan_for_an_empty_wish_is_the_best(self) -> None:
        """Nothing wished, nothing changed."""
        certificate = judge(REASSIGN, REASSIGN)

        assert certificate.moves_proven
        assert certificate.changed_leaders_proven
        assert certificate.changed_partitions == 0
        assert certificate.sentences[0] == "It moves no replica."

    def test_wish_that_cannot_be_is_said_and_the_plan_still_judged(self) -> None:
        """Replication factor 3 on two brokers: Reseat makes no plan, and a plan that lowers it is a fault."""
        layout = ClusterLayout.from_assignments({("orders", 0): [1, 2, 3]})

        certificate = judge(layout, assignment({("orders", 0): [2, 3]}), Wish(remove=(1,)))

        assert certificate.faults == ("orders-0 would have 2 replicas; it must have 3.",)
        assert certificate.sentences[-1].startswith("Reseat makes no plan of its own for this change: ")

    def test_order_that_is_not_told_leaves_leaders_unjudged(self) -> None:
        """A source that sorts replica lists says nothing of preferred leaders."""
        layout = replace(REASSIGN, order_told=np.zeros(1, np.bool_))

        certificate = judge(layout, assignment({("topic-reassign", 1): [2, 0]}))

        assert certificate.leader_sum_of_squares is None
        assert certificate.changed_preferred_leaders is None
        assert not certificate.leader_balance_proven

    def test_cap_of_the_wish_is_kept(self) -> None:
        """Two replicas on broker 3 where one was allowed."""
        layout = ClusterLayout.from_assignments(
            {("orders", 0): [1], ("orders", 1): [1]}, brokers=[Broker(2), Broker(3)]
        )
        wish = Wish(remove=(1,), options=Options(receive_cap=1))

        certificate = judge(layout, assignment({("orders", 0): [3], ("orders", 1): [3]}), wish)

        assert certificate.faults == ("Broker 3 receives 2 replicas; at most 1 was allowed.",)

    def test_bytes_are_counted_where_all_sizes_are_told(self) -> None:
        """Two copies of 10 and 30 bytes."""
        layout = ClusterLayout.from_assignments(
            {("orders", 0): [1], ("orders", 1): [1]},
            brokers=[Broker(2)],
            size_bytes={("orders", 0): 10.0, ("orders", 1): 30.0},
        )

        certificate = judge(layout, assignment({("orders", 0): [2], ("orders", 1): [2]}), Wish(remove=(1,)))

        assert certificate.bytes_to_move == 40.0


@pytest.mark.parametrize(
    "wish",
    [
        Wish(remove=(1,)),
        Wish(remove=(1,), options=Options(reorder_all=True)),
        Wish(remove=(1,), add=((7, None),)),
        Wish(add=((7, None),)),
        Wish(add=((7, None),), options=Options(max_moves=1)),
        Wish(replication_factor=3, topics=("topic-reassign",)),
        Wish(replication_factor=1, topics=("topic-reassign",)),
    ],
    ids=["remove", "reorder", "remove and add", "add", "add a few", "up", "down"],
)
def test_own_plan_is_judged_as_its_certificate_says(wish: Wish) -> None:
    """The judge and the planner agree about Reseat's own plan, number by number."""
    own = plan(REASSIGN, wish)

    certificate = judge(REASSIGN, own.proposed, wish)

    for field in fields(Certificate):
        if field.name in ("cautions", "sentences", "least_leader_sum_of_squares", "least_changed_preferred_leaders"):
            continue
        if wish.replication_factor == 1 and field.name in ("leader_balance_proven", "changed_leaders_proven"):
            continue  # going down keeps the order of lists; the judge also looks at other orders
        assert getattr(certificate, field.name) == getattr(own.certificate, field.name), field.name
    assert [told.sentence for told in certificate.cautions] == [told.sentence for told in own.certificate.cautions]
    assert json.dumps(certificate.as_dict())


class TestApplyAssignment:
    def test_partitions_that_are_not_listed_stay(self) -> None:
        """One of two partitions is in the plan."""
        layout = ClusterLayout.from_assignments({("a", 0): [1, 2], ("b", 5): [2, 3]})

        after, faults = apply_assignment(layout, assignment({("b", 5): [1, 3]}))

        assert faults == ()
        assert after.assignments() == {("a", 0): [1, 2], ("b", 5): [1, 3]}

    def test_lists_may_be_longer_and_ids_sparse(self) -> None:
        """Broker positions of the plan are not those of the layout."""
        layout = ClusterLayout.from_assignments({("a", 21): [40], ("a", 33): [10]}, brokers=[Broker(7)])

        after, faults = apply_assignment(layout, assignment({("a", 33): [10, 7, 40]}))

        assert faults == ()
        assert after.assignments() == {("a", 21): [40], ("a", 33): [10, 7, 40]}

    def test_leader_that_stays_is_kept_and_another_is_not_told(self) -> None:
        """Broker 2 stays in partition 0; broker 1 leaves partition 1."""
        layout = ClusterLayout.from_assignments(
            {("a", 0): [1, 2], ("a", 1): [1, 2]}, leaders={("a", 0): 2, ("a", 1): 1}, brokers=[Broker(3)]
        )

        after, _ = apply_assignment(layout, assignment({("a", 0): [2, 3], ("a", 1): [2, 3]}))

        assert after.leader_ids.tolist() == [2, -2]

    def test_many_unknown_partitions_are_counted(self) -> None:
        """A plan for another cluster is not a thousand sentences."""
        layout = ClusterLayout.from_assignments({("a", 0): [1]})

        _, faults = apply_assignment(layout, assignment({("z", i): [1] for i in range(1000)}))

        assert len(faults) == 21
        assert faults[-1] == "980 more partitions are not in the layout."


@pytest.mark.parametrize("allow", [False, True])
@pytest.mark.parametrize(
    "wish",
    [Wish(), Wish(remove=(1,)), Wish(add=((5, "a"),)), Wish(replication_factor=2, topics=("t",)), Wish(topics=("t",))],
    ids=["nothing", "remove", "add", "factor", "topics alone"],
)
def test_layouts_without_replicas_are_judged(wish: Wish, allow: bool) -> None:
    """No partitions, no brokers, partitions without replicas: a verdict in words, whichever plan meets which layout."""
    layouts = [
        ClusterLayout.from_assignments({}),
        ClusterLayout.from_assignments({}, brokers=[Broker(1), Broker(2)]),
        ClusterLayout.from_assignments({("t", 0): [], ("t", 1): []}, brokers=[Broker(1), Broker(2)]),
        ClusterLayout.from_assignments({("t", 0): [], ("t", 1): [1, 2]}, brokers=[Broker(3)]),
    ]

    for layout in layouts:
        for proposed in layouts:
            certificate = judge(layout, proposed, wish, allow_rf_change=allow)

            assert certificate.sentences
            assert certificate.valid == (not certificate.faults)


def test_a_reassignment_under_way_is_judged_from_its_target() -> None:
    """Broker 4 is being replaced by 1: leaving [2, 1] as it is moves nothing, and it is said what is judged."""
    under_way = replace(
        ClusterLayout.from_assignments({("a", 0): [2, 1, 4]}),
        adding=np.array([[False, True, False]]),
        removing=np.array([[False, False, True]]),
    )
    certificate = judge(under_way, assignment({("a", 0): [2, 1]}))

    assert certificate.valid
    assert certificate.moves == 0
    assert certificate.sentences[-1] == (
        "A reassignment of 1 partition is in progress: the plan is validated from the layout after it completes."
    )


def test_racks_before_are_those_of_the_brokers_that_are_there() -> None:
    """The first rack besides "a" joins with broker 3: until then no partition is on fewer racks than it could be."""
    layout = ClusterLayout.from_assignments(
        {("t", p): [1, 2] for p in range(4)}, brokers=[Broker(1, "a"), Broker(2, "a")]
    )
    there = layout.with_brokers([Broker(3, "b")])

    assert plan(layout, Wish(add=((3, "b"),))).certificate.rack_violations_before == 0
    assert plan(there, Wish(add=((3, "b"),))).certificate.rack_violations_before == 4


def test_where_an_order_is_unknown_neither_a_plan_nor_its_judge_counts_leaders() -> None:
    """The topic that changes keeps its order; of the other one nobody knows who is preferred."""
    layout = ClusterLayout.from_assignments({("known", 0): [1, 2], ("unknown", 0): [2, 1], ("unknown", 1): [2, 3]})
    layout = replace(layout, order_told=np.array([True, False]))
    wish = Wish(replication_factor=3, topics=("known",))
    made = plan(layout, wish)
    names = ("leader_sum_of_squares", "leader_spread", "least_changed_preferred_leaders")

    for certificate in (made.certificate, judge(layout, made.proposed, wish)):
        assert [getattr(certificate, name) for name in names] == [None] * 3
        assert certificate.changed_preferred_leaders == 0  # its order is known
        assert not certificate.leader_balance_proven
