"""What is said before anything else of a plan; and what cannot move stays where it is."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reseat.balance import without_live_copy
from reseat.errors import WishRefused
from reseat.model import Broker, BrokerState, ClusterLayout, Gaps, Options, Plan, ShortTopic, Wish
from reseat.planning import plan, whole_curve
from reseat.planning.judge import judge
from tests.cases import cases
from tests.planning.brute_force import random_layout

DEAD = Broker(5, rack="b", state=BrokerState.DEAD)
BROKERS = [Broker(1, "a"), Broker(2, "a"), Broker(3, "b"), DEAD]
KEEP = Options(keep_unmovable=True)


def with_a_dead_broker() -> ClusterLayout:
    """Broker 5 is dead: a-0 is on it alone, a-1 has it as its only in-sync replica, a-2 goes on without it."""
    lists = {("a", 0): [5], ("a", 1): [5, 1], ("a", 2): [5, 2]}
    return ClusterLayout.from_assignments(
        lists,
        brokers=BROKERS,
        leaders={("a", 0): None, ("a", 1): None, ("a", 2): 2},
        in_sync={("a", 0): [5], ("a", 1): [5], ("a", 2): [2]},
    )


def kinds(made: object) -> list[str]:
    """The kinds of cautions of a plan or a certificate."""
    certificate = getattr(made, "certificate", made)
    return [finding.kind for finding in certificate.cautions]


class TestUnmovable:
    def test_they_stay_where_they_are(self) -> None:
        """One replica moves; that of the other two partitions stays on the broker that leaves, without a fault."""
        made = plan(with_a_dead_broker(), Wish(remove=(5,)))
        unmovable, _ = made.certificate.cautions

        assert made.proposed.assignments() == {("a", 0): [5], ("a", 1): [5, 1], ("a", 2): [3, 2]} or (
            made.proposed.assignments()["a", 2] == [2, 3]
        )
        assert made.certificate.faults == ()
        assert (made.certificate.moves, made.certificate.least_moves, made.certificate.moves_proven) == (1, 1, True)
        assert made.certificate.unmovable_partitions == 2
        assert (unmovable.kind, unmovable.rows.tolist(), unmovable.brokers) == ("unmovable", [0, 1], (5,))
        assert unmovable.sentence == (
            "2 partitions have no live in-sync replica and cannot be moved: a-0 and a-1. The plan leaves them where "
            "they are. Bring broker 5 back."
        )

    def test_a_broker_with_nothing_else_is_not_said_to_hold_nothing(self) -> None:
        """It holds the only replica of a partition without a leader: that stays, and the sentence does not deny it."""
        layout = ClusterLayout.from_assignments(
            {("a", 0): [1]}, brokers=[Broker(1, state=BrokerState.DEAD), Broker(2)], leaders={("a", 0): None}
        )
        made = plan(layout, Wish(remove=(1,)))

        assert made.certificate.moves == 0
        assert "Broker 1 held nothing that can move, so there is nothing to do." in made.certificate.sentences

    def test_they_are_planned_by_choice(self) -> None:
        """All three move then, and it is said that two of them wait."""
        made = plan(with_a_dead_broker(), Wish(remove=(5,), options=KEEP))

        assert made.certificate.moves == 3
        assert made.certificate.unmovable_partitions == 2
        assert "planned anyway, as requested" in made.certificate.cautions[0].sentence

    def test_a_plan_from_elsewhere_that_moves_them_has_a_fault(self) -> None:
        """The same that the guard refuses; not where they are kept by choice."""
        layout = with_a_dead_broker()
        other = ClusterLayout.from_assignments({("a", 0): [1]})

        certificate = judge(layout, other)

        assert certificate.faults == ("a-0 has no live in-sync replica to copy from, so it cannot move.",)
        assert kinds(certificate) == ["unmovable"]
        assert judge(layout, other, Wish(options=KEEP)).valid

    def test_what_is_left_behind_else_is_a_fault_still(self) -> None:
        """a-2 could move and does not."""
        layout = with_a_dead_broker()

        assert judge(layout, layout, Wish(remove=(5,))).faults == (
            "a-2 still has a replica on broker 5, to be drained.",
        )

    def test_a_replication_factor_leaves_them(self) -> None:
        """Nothing can be copied from a-0 or a-1; a-2 gets its third replica."""
        made = plan(with_a_dead_broker(), Wish(replication_factor=3, topics=("a",)))
        lists = made.proposed.assignments()

        assert made.certificate.valid
        assert (lists["a", 0], lists["a", 1], len(lists["a", 2])) == ([5], [5, 1], 3)
        assert made.certificate.unmovable_partitions == 2

    def test_an_added_broker_takes_nothing_of_them(self) -> None:
        """Broker 1 holds four partitions that are offline: none of them moves to broker 9."""
        layout = ClusterLayout.from_assignments(
            {("a", p): [1] for p in range(6)}, leaders={("a", p): None if p < 4 else 1 for p in range(6)}
        )

        made = plan(layout, Wish(add=((9, None),)))

        assert {layout.name_of(int(row)) for row in made.moves.row} <= {"a-4", "a-5"}
        assert made.certificate.valid
        assert made.certificate.replica_spread == 2
        assert made.certificate.replica_balance_proven

    def test_a_reassignment_under_way_copies_from_what_leaves(self) -> None:
        """The only in-sync replica is one that leaves: it serves until it is gone."""
        layout = replace(
            ClusterLayout.from_assignments(
                {("a", 0): [2, 1]}, brokers=BROKERS, leaders={("a", 0): 1}, in_sync={("a", 0): [1]}
            ),
            adding=np.array([[True, False]]),
            removing=np.array([[False, True]]),
        )

        made = plan(layout, Wish(remove=(2,)))

        assert made.certificate.moves == 1
        assert made.certificate.unmovable_partitions == 0

    @settings(max_examples=cases(120), deadline=None)
    @given(seed=st.integers(0, 2**32 - 1))
    def test_whatever_is_planned_none_of_them_moves(self, seed: int) -> None:
        """Random layouts with offline partitions: plans have no fault, and points of the curve none that moves one."""
        rng = np.random.default_rng(seed)
        layout = random_layout(rng, brokers=5, partitions=int(rng.integers(2, 8)))
        offline = rng.random(layout.partition_count) < 0.4
        layout = replace(layout, leader=np.where(offline, -1, -2).astype(np.int32))
        wish = Wish(remove=(int(rng.choice(layout.broker_ids)),))
        try:
            made = plan(layout, wish)
        except WishRefused:
            return
        made_at = [plan(layout, wish.at(point.moves)) for point in whole_curve(layout, wish).points]

        for one in (made, *made_at):
            assert one.certificate.valid, one.certificate.faults
            assert not without_live_copy(layout)[one.moves.row].any()
        assert judge(layout, made.proposed, wish).valid


class TestIncomplete:
    layout = replace(
        ClusterLayout.from_assignments({("a", 0): [1, 2], ("a", 1): [2, 3]}, brokers=BROKERS[:3]),
        gaps=Gaps(short=(ShortTopic("a", 5, 3, (2, 3, 4)),)),
    )

    @pytest.mark.parametrize(
        "wish", [Wish(remove=(2,)), Wish(add=((9, None),)), Wish(replication_factor=1, topics=("a",))], ids=repr
    )
    def test_it_is_not_planned_unasked(self, wish: Wish) -> None:
        """Whatever is wished, the refusal names the topic and how to go on."""
        with pytest.raises(WishRefused, match=r"3 partitions are missing \(a 2, 3 and 4\)") as refused:
            plan(self.layout, wish)

        assert refused.value.topics == ("a",)
        assert any("--accept-incomplete" in choice for choice in refused.value.choices)

    def test_once_accepted_the_certificate_says_so(self) -> None:
        """In its fields and first of all in words."""
        accepted = replace(self.layout, gaps=replace(self.layout.gaps, accepted=True))

        certificate = plan(accepted, Wish(remove=(2,))).certificate
        told = json.loads(json.dumps(certificate.as_dict()))

        assert kinds(certificate)[0] == "input_incomplete"
        assert (told["gaps"]["missing_partitions"], told["gaps"]["accepted"]) == (3, True)

    def test_leaving_the_topic_out_is_an_answer_too(self) -> None:
        """Then nothing that counts is missing."""
        whole = ClusterLayout.from_assignments({("a", 0): [1, 2], ("b", 0): [2, 3]}, brokers=BROKERS[:3])
        cut = replace(whole, gaps=self.layout.gaps)

        assert plan(cut.without_topics(["a"]), Wish(remove=(2,))).certificate.moves == 1


class TestRacks:
    lists = {("a", 0): [1, 2], ("a", 1): [2, 3]}  # noqa: RUF012

    def test_unknown_racks_are_said_and_proven_says_so(self) -> None:
        """Nobody tells racks."""
        certificate = plan(ClusterLayout.from_assignments(self.lists), Wish(remove=(2,))).certificate

        assert kinds(certificate) == ["racks_unknown"]
        assert certificate.unknown_racks == (1, 3)
        assert certificate.sentences[0].endswith("(racks unknown).")

    def test_a_cluster_without_racks_is_not_in_doubt(self) -> None:
        """It is told that there are none."""
        layout = replace(ClusterLayout.from_assignments(self.lists), gaps=Gaps(racks_told=True))
        certificate = plan(layout, Wish(remove=(2,))).certificate

        assert certificate.cautions == ()
        assert certificate.sentences[0].endswith("the proven minimum.")

    def test_one_broker_in_doubt_is_named(self) -> None:
        """Broker 3 has no rack beside two that have one; the broker that leaves does not matter."""
        layout = ClusterLayout.from_assignments(self.lists, brokers=[Broker(1, "a"), Broker(2)])
        (finding,) = plan(layout, Wish(remove=(2,))).certificate.cautions

        assert finding.brokers == (3,)
        assert finding.sentence.startswith("The rack of broker 3 is unknown")

    def test_lost_diversity_names_the_topics(self) -> None:
        """Rack b empties: one partition ends on one rack."""
        layout = ClusterLayout.from_assignments({("a", 0): [1, 3], ("b", 0): [1, 2]}, brokers=BROKERS[:3])
        certificate = plan(layout, Wish(remove=(3,))).certificate

        assert kinds(certificate) == ["rack_diversity_lost"]
        assert certificate.rack_diversity_lost == 1
        assert certificate.cautions[0].topics == ("a",)


class TestWayBack:
    """The guard refuses a rollback onto brokers that are not alive: that is said before the plan is carried out."""

    def planned(self, *states: BrokerState) -> Plan:
        """Brokers 5 and 6, in these states, leave: two replicas of 5 move and one of 6."""
        brokers = [Broker(i, "abc"[i % 3]) for i in (1, 2, 3)]
        leaving = [Broker(i, state=state, rack="c") for i, state in zip((5, 6), states, strict=True)]
        lists = {("a", 0): [5, 1], ("a", 1): [5, 2], ("b", 0): [1, 6]}
        layout = ClusterLayout.from_assignments(
            lists, brokers=[*brokers, *leaving], leaders={("a", 0): 1, ("a", 1): 2, ("b", 0): 1}
        )
        return plan(layout, Wish(remove=(5, 6)))

    @pytest.mark.parametrize(
        ("states", "says"),
        [
            (
                (BrokerState.DEAD, BrokerState.ALIVE),
                "The rollback moves 2 replicas back to broker 5, which is dead: it is refused until this broker is "
                "alive.",
            ),
            (
                (BrokerState.NOT_TOLD, BrokerState.FENCED),
                "The rollback moves 1 replica back to broker 6, which is fenced or shutting down: it is refused until "
                "this broker is alive.",
            ),
            (
                (BrokerState.DEAD, BrokerState.SHUTTING_DOWN),
                "The rollback moves 3 replicas back to brokers 5 and 6, which are dead, fenced or shutting down: it is "
                "refused until these brokers are alive.",
            ),
        ],
    )
    def test_brokers_that_it_needs_alive_are_named_with_the_count(
        self, states: tuple[BrokerState, BrokerState], says: str
    ) -> None:
        """In words, as a field, and in the certificate's text."""
        certificate = self.planned(*states).certificate
        told = json.loads(json.dumps(certificate.as_dict()))

        assert [one.sentence for one in certificate.cautions if one.kind == "way_back_waits"] == [says]
        assert certificate.way_back_waits_for == tuple(
            broker for broker, state in zip((5, 6), states, strict=True) if state.unavailable
        )
        assert told["way_back_waits_for"] == list(certificate.way_back_waits_for)
        assert says in [one["sentence"] for one in told["cautions"]]

    def test_nothing_is_said_where_all_are_alive(self) -> None:
        """And nothing of a broker of which nobody tells whether it is."""
        certificate = self.planned(BrokerState.ALIVE, BrokerState.NOT_TOLD).certificate

        assert "way_back_waits" not in kinds(certificate)
        assert certificate.way_back_waits_for == ()

    def test_a_new_order_alone_puts_nothing_back(self) -> None:
        """The dead broker keeps its replica and is only named later: the way back copies nothing onto it."""
        layout = ClusterLayout.from_assignments(
            {("a", 0): [5, 1, 2], ("a", 1): [2, 1]}, brokers=[*BROKERS[:3], DEAD], leaders={("a", 0): 1, ("a", 1): 2}
        )
        certificate = plan(layout, Wish(remove=(2,))).certificate

        assert certificate.changed_partitions > 0
        assert certificate.way_back_waits_for == ()


@pytest.mark.parametrize(
    ("leader", "in_sync", "stays"),
    [
        (None, [1, 5], True),  # no leader: none of the ISR is up, whatever was read of brokers
        (5, [5], True),  # the leader that was read last is dead, and nobody else is in sync
        (5, [5, 1], False),  # broker 1 is in sync and takes over
        (1, [1], False),
        (5, None, True),  # the ISR is not told: the leader speaks for it
        (1, None, False),
    ],
)
def test_what_cannot_be_copied_from_is_one_rule(leader: int | None, in_sync: list[int] | None, stays: bool) -> None:
    """The planner leaves a-0 on brokers 5, which is dead, and 1, or moves it off 5; and says so."""
    layout = ClusterLayout.from_assignments(
        {("a", 0): [5, 1], ("b", 0): [1, 2]},
        brokers=BROKERS,
        leaders={("a", 0): leader, ("b", 0): 1},
        in_sync=None if in_sync is None else {("a", 0): in_sync, ("b", 0): [1, 2]},
    )
    made = plan(layout, Wish(remove=(5,)))

    assert without_live_copy(layout).tolist() == [stays, False]
    assert made.certificate.moves == (0 if stays else 1)
    assert made.certificate.unmovable_partitions == int(stays)
