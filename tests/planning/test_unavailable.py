"""Brokers that are fenced, shutting down or dead: what they may receive and lead, and what is then called proven."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from reseat.errors import WishRefused
from reseat.model import Broker, BrokerState, ClusterLayout, Options, Wish
from reseat.planning import add_brokers, change_replication_factor, plan, remove_brokers, whole_curve
from reseat.planning.judge import judge
from tests.planning.brute_force import replaced
from tests.planning.checking import check_addition, check_removal

FENCED, SHUTTING_DOWN, DEAD = BrokerState.FENCED, BrokerState.SHUTTING_DOWN, BrokerState.DEAD

Lists = list[list[int]]


def layout(lists: Lists, states: dict[int, BrokerState], racks: dict[int, str] | None = None) -> ClusterLayout:
    """Partitions 0, 1, 2, ... of topic orders over brokers 1 to 5, or those named."""
    named = {*states, *(racks or {}), *(broker for ids in lists for broker in ids)}
    return ClusterLayout.from_assignments(
        {("orders", i): ids for i, ids in enumerate(lists)},
        brokers=[
            Broker(i, rack=(racks or {}).get(i), state=states.get(i, BrokerState.NOT_TOLD)) for i in sorted(named)
        ],
    )


def lists(of: ClusterLayout) -> Lists:
    """The replica lists, in order of partitions."""
    return list(of.assignments().values())


class TestTargets:
    @pytest.mark.parametrize("state", [FENCED, SHUTTING_DOWN])
    def test_an_empty_broker_that_is_unavailable_receives_nothing(self, state: BrokerState) -> None:
        """Broker 4 is empty and fenced: what leaves broker 1 goes to the fuller broker 3, proven."""
        made = remove_brokers(layout([[1, 2], [1, 2], [3]], {4: state}), [1])

        assert made.moves.target.tolist() == [3, 3]
        assert made.certificate.replica_balance_proven
        assert made.certificate.last_resorts == ()
        assert [f.kind for f in made.findings] == ["unavailable_left_out"]
        assert "Broker 4 is fenced or shutting down" in made.findings[0].sentence

    def test_an_unavailable_broker_does_not_count_in_the_spread(self) -> None:
        """Nobody can give broker 4 replicas, so that its emptiness is no unevenness that a plan could mend."""
        made = remove_brokers(layout([[1, 2], [1, 3]], {4: FENCED}), [1])

        assert made.certificate.replica_spread == 0
        assert made.certificate.replica_sum_of_squares == 8

    def test_only_what_fits_nowhere_else_goes_to_a_last_resort(self) -> None:
        """Partition 0 finds broker 3, partition 1 has brokers 2 and 3 already: broker 4 takes that one alone."""
        made = remove_brokers(layout([[1, 2], [1, 3, 2]], {4: FENCED}), [1])

        certificate = made.certificate
        assert [set(ids) for ids in lists(made.proposed)] == [{2, 3}, {2, 3, 4}]
        assert certificate.last_resorts == (4,)
        assert certificate.sentences[0] == (
            "Replicas go to broker 4, fenced or shutting down: no other broker can take them. Bring it back first."
        )
        assert certificate.moves_proven
        assert certificate.replica_balance_proven
        assert made.findings[0].kind == "doubtful_receiver"

    def test_last_resorts_go_by_racks_and_load_among_themselves(self) -> None:
        """Of three last resorts the one in a free rack is taken, and of two alike the emptier."""
        racks = {1: "a", 2: "b", 4: "b", 5: "c", 6: "c"}
        made = remove_brokers(layout([[1, 2], [6]], dict.fromkeys((4, 5, 6), FENCED), racks), [1])

        assert set(lists(made.proposed)[0]) == {2, 5}
        assert made.certificate.rack_balance_proven

    def test_where_no_broker_is_available_the_others_are_what_there_is(self) -> None:
        """Brokers 2 and 3 are all that remain, and both are fenced: the plan is made, and says so first."""
        made = remove_brokers(layout([[1], [1]], {2: FENCED, 3: SHUTTING_DOWN}), [1])

        assert sorted(ids[0] for ids in lists(made.proposed)) == [2, 3]
        assert made.certificate.last_resorts == (2, 3)
        assert made.certificate.sentences[0].startswith("Replicas go to brokers 2 and 3, fenced or shutting down: no")

    def test_the_dead_are_no_last_resort(self) -> None:
        """Only dead brokers remain for partition 0: refused, as before."""
        with pytest.raises(WishRefused, match="only 1 broker"):
            remove_brokers(layout([[1, 2]], {3: DEAD}), [1])

    def test_a_cap_counts_what_had_no_choice(self) -> None:
        """Broker 2 must take its replica of partition 0, so that under a cap of 1 partition 1 goes to broker 3."""
        states = {4: FENCED}
        made = plan(
            layout([[1, 5, 3], [1], [3]], states | {5: DEAD}), Wish(remove=(1,), options=Options(receive_cap=1))
        )
        tight = layout([[1, 5, 2], [1, 6, 2], [2]], states | {5: DEAD, 6: DEAD})

        assert lists(made.proposed)[1] == [3]
        with pytest.raises(WishRefused, match="at most 0"):
            plan(tight, Wish(remove=(1,), options=Options(receive_cap=0)))

    def test_bytes_are_evened_over_available_brokers(self) -> None:
        """By bytes, too, the empty broker 4 is passed over."""
        sized = replace(layout([[1, 2], [1, 2], [3]], {4: FENCED}), size_bytes=np.full(3, 10.0))

        made = plan(sized, Wish(remove=(1,), options=Options(by_bytes=True)))

        assert set(made.moves.target.tolist()) == {3}

    def test_what_found_room_on_a_last_resort_stays_there_on_the_curve(self) -> None:
        """One replica goes to the fenced broker in any case; nothing else does, and nothing can be evener."""
        short = layout([[1, 2], [2, 3], [2], [2], [2], [2]], {3: FENCED})

        found = whole_curve(short, Wish(remove=(1,)))

        assert [point.moves for point in found.points] == [1]
        assert found.sentences == ()


class TestOtherWishes:
    def test_added_brokers_that_are_unavailable_receive_nothing_beside_others(self) -> None:
        """Brokers 8 and 9 are added, 9 is fenced: replicas go to 8 alone, proven, and 9 is named."""
        full = layout([[1], [1], [1], [1], [2], [2], [2], [2]], {8: BrokerState.ALIVE, 9: FENCED})

        made = add_brokers(full, [Broker(8), Broker(9)])

        assert set(made.moves.target.tolist()) == {8}
        assert made.certificate.replica_balance_proven
        assert [(f.kind, f.brokers) for f in made.findings] == [("unavailable_left_out", (9,))]

    def test_an_added_broker_that_is_unavailable_receives_where_it_is_the_only_one(self) -> None:
        """Nothing else was asked for: the plan is made and says it before anything else."""
        made = add_brokers(layout([[1], [1], [1], [1]], {9: FENCED}), [Broker(9)])

        assert made.certificate.moves == 2
        assert made.certificate.replica_balance_proven
        assert made.certificate.last_resorts == (9,)
        assert made.certificate.sentences[0].startswith("Replicas go to broker 9, fenced or shutting down")

    def test_an_unavailable_broker_keeps_what_it_holds_when_others_join(self) -> None:
        """Fenced broker 2 gives nothing to broker 9, as a dead one does not: its replicas are another wish."""
        made = add_brokers(layout([[1], [1], [1], [2], [2], [2]], {2: FENCED}), [Broker(9)])

        assert set(made.moves.source.tolist()) == {1}
        assert made.certificate.replica_balance_proven

    def test_a_higher_factor_passes_over_unavailable_brokers(self) -> None:
        """From 1 to 2: the empty broker 4 is fenced, so that brokers 2 and 3 take the copies."""
        made = change_replication_factor(layout([[1], [1], [2], [3]], {4: FENCED}), ["orders"], 2)

        assert 4 not in made.moves.target.tolist()
        assert all((made.certificate.moves_proven, made.certificate.replica_balance_proven))

    def test_a_higher_factor_takes_a_last_resort_where_brokers_run_out(self) -> None:
        """Four replicas over three available brokers and a fenced one."""
        made = change_replication_factor(layout([[1, 2], [2, 3], [3, 1]], {4: FENCED}), ["orders"], 4)

        assert [set(ids) for ids in lists(made.proposed)] == [{1, 2, 3, 4}] * 3
        assert made.certificate.sentences[0].startswith("Replicas go to broker 4, fenced or shutting down")
        assert all((made.certificate.moves_proven, made.certificate.replica_balance_proven))

    def test_growing_and_shrinking_in_one_wish_take_last_resorts_too(self) -> None:
        """Partition 0 shrinks to two, partition 1 grows to two and finds only broker 4."""
        mixed = layout([[1, 2, 4], [1]], {2: DEAD, 4: FENCED})

        made = change_replication_factor(mixed, ["orders"], 2)

        assert lists(made.proposed)[1] == [1, 4]
        assert made.certificate.valid


class TestLeaders:
    def test_an_unavailable_broker_is_not_named_first_beside_another(self) -> None:
        """Fenced broker 2 leads nothing today and would even leaders: broker 3 leads all the same."""
        made = remove_brokers(layout([[1, 2, 3], [3], [3]], {2: FENCED, 4: BrokerState.ALIVE}), [1])

        assert lists(made.proposed)[0][0] in {3, 4}
        assert made.certificate.leader_balance_proven

    def test_a_fenced_broker_is_named_before_a_dead_one(self) -> None:
        """Where nobody is available, who may come back leads."""
        made = remove_brokers(layout([[1, 3], [2]], {2: FENCED, 3: DEAD, 4: FENCED}), [1])

        assert lists(made.proposed)[0][0] in {2, 4}
        assert made.certificate.changed_leaders_proven

    def test_of_a_list_without_a_choice_a_last_resort_must_lead(self) -> None:
        """Partition 0 keeps dead broker 2 and fenced broker 3 and gets fenced broker 5, for broker 4 has it."""
        current = layout([[2, 3, 1]], {2: DEAD, 3: FENCED, 5: FENCED})
        kept, dead = [[3, 2, 5]], [[2, 3, 5]]
        verdicts = [check_removal(current, replaced(current, named(ids)), [1]) for ids in (kept, dead)]

        assert [(v.leaders_proven, v.changed_leaders_proven) for v in verdicts] == [(True, True), (False, False)]

    def test_a_short_list_is_judged_like_a_long_one(self) -> None:
        """Beside a partition of three replicas: dead broker 2 before fenced 3 is not proven, the other way is."""
        current = layout([[2, 3], [4, 5, 6]], {2: DEAD, 3: FENCED})
        other = replaced(current, named([[3, 2], [4, 5, 6]]))

        assert not check_removal(other, current, []).leaders_proven
        assert check_removal(current, other, []).leaders_proven
        assert check_removal(current, other, []).changed_leaders_proven

    def test_lists_that_cannot_move_may_not_have_changed(self) -> None:
        """Both brokers are dead: to name the other first evens nothing, and is a change that nobody needed."""
        current = layout([[1, 2], [3]], {1: DEAD, 2: DEAD})
        turned = check_removal(current, replaced(current, named([[2, 1], [3]])), [])
        judged = judge(current, replaced(current, named([[2, 1], [3]])))

        assert (turned.changed_preferred_leaders, turned.changed_leaders_proven) == (1, False)
        assert turned.leaders_proven
        assert (judged.changed_preferred_leaders, judged.least_changed_preferred_leaders) == (1, 0)
        assert not judged.changed_leaders_proven

    def test_a_change_that_could_not_be_helped_is_no_fault(self) -> None:
        """The first replica leaves, and all that remain are dead: whoever is first now, it had to change."""
        current = layout([[1, 2, 4], [3]], {2: DEAD, 4: DEAD, 5: DEAD})
        verdict = check_removal(current, replaced(current, named([[3, 2, 4], [3]])), [1])

        assert verdict.changed_leaders_proven


class TestJudge:
    def test_a_last_resort_without_need_is_said_first_and_nothing_after_moves_is_proven(self) -> None:
        """Somebody's plan sends a replica to fenced broker 4 though broker 3 is open."""
        current = layout([[1, 2], [3]], {4: FENCED})

        judged = judge(current, replaced(current, named([[4, 2], [3]])), Wish(remove=(1,)))

        assert judged.valid
        assert judged.moves_proven
        assert not judged.rack_balance_proven
        assert not judged.replica_balance_proven
        assert judged.last_resorts == (4,)
        assert judged.sentences[0] == (
            "Replicas go to broker 4, fenced or shutting down, though other brokers could take them."
        )

    def test_moves_onto_an_added_broker_that_is_unavailable_are_not_proven_beside_another(self) -> None:
        """Broker 8 joins and is available, so that a move to broker 9 is not the best there is."""
        current = layout([[1], [1], [1], [1]], {8: BrokerState.ALIVE, 9: FENCED})

        verdict = check_addition(current, replaced(current, named([[1], [1], [9], [9]])), [8, 9])

        assert verdict.valid
        assert not verdict.moves_proven
        assert not verdict.last_resorts_needed


def named(ids: Lists) -> dict[tuple[str, int], list[int]]:
    """The lists as partitions of topic orders."""
    return {("orders", i): members for i, members in enumerate(ids)}


def test_the_same_plan_without_unavailable_brokers_is_the_same() -> None:
    """A fenced broker that holds nothing changes nothing of what a plan reaches."""
    held = [[1, 2, 3], [2, 3, 1], [3, 1, 2], [1, 3, 4], [4, 2, 1]]
    without = remove_brokers(layout(held, {}), [1])
    beside = remove_brokers(layout(held, {9: SHUTTING_DOWN}), [1])

    assert [set(ids) for ids in lists(without.proposed)] == [set(ids) for ids in lists(beside.proposed)]
    assert replace(without.certificate, sentences=(), unknown_racks=()) == replace(
        beside.certificate, sentences=(), unknown_racks=()
    )
