"""Reseat's plan against what ``--generate`` would propose for the same wish."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from reseat.errors import PlacementRefused, WishRefused
from reseat.model import Broker, BrokerState, ClusterLayout
from reseat.placement import RackMode, Tool, place_striped
from reseat.planning import add_brokers, change_replication_factor, remove_brokers
from reseat.planning.against_generate import against_generate, beside_one_draw, expected_seconds

FIVE = [Broker(1, "a"), Broker(2, "b"), Broker(3, "c"), Broker(4, "b"), Broker(5, "c")]


def striped(brokers: list[Broker], **sizes: int) -> ClusterLayout:
    """Topics with two replicas as the older tools place them, each with a start of its own."""
    return ClusterLayout.from_assignments(
        {
            (topic, partition): replicas
            for start, (topic, size) in enumerate(sizes.items())
            for partition, replicas in place_striped(brokers, size, 2, start=start, shift=start).assignment().items()
        },
        brokers=brokers,
        size_bytes={(topic, partition): 1e6 for topic, size in sizes.items() for partition in range(size)},
    )


@pytest.mark.parametrize("tool", list(Tool))
def test_two_brokers_left_leave_no_choice(tool):
    """topic-reassign, broker 1 out: three moves are the least, and whatever is drawn the tool moves the same three."""
    layout = ClusterLayout.from_assignments(
        {
            ("topic-reassign", 0): [0, 2],
            ("topic-reassign", 1): [1, 0],
            ("topic-reassign", 2): [2, 1],
            ("topic-reassign", 3): [0, 1],
        }
    )
    plan = remove_brokers(layout, [1])
    found = against_generate(plan, tool, draws=20, seconds=60)

    assert found.brokers == (0, 2)
    assert found.draws == 20
    assert found.spread.moves.tolist() == [3] * 20
    assert found.spread.replica_spread.tolist() == [0] * 20
    assert plan.certificate.moves == 3


@pytest.mark.parametrize("tool", list(Tool))
def test_the_tool_moves_more_than_must(tool):
    """No draw moves less than the proven least, and the evenest does not make up for it in moves."""
    plan = remove_brokers(striped(FIVE, orders=40, clicks=40), [5])
    found = against_generate(plan, tool, draws=20, seconds=60)

    assert plan.certificate.moves_proven
    assert (found.spread.moves > 2 * plan.certificate.moves).all()
    assert found.spread.bytes_to_move is not None
    assert np.allclose(found.spread.bytes_to_move, found.spread.moves * 1e6)


def test_only_the_topics_on_leaving_brokers_are_given_to_the_tool():
    """``alone`` has nothing on broker 5, so it stays; what it holds counts in the spread all the same."""
    layout = ClusterLayout.from_assignments(
        {("orders", 0): [5, 1], **{("alone", partition): [1] for partition in range(7)}}, brokers=FIVE
    )
    found = against_generate(remove_brokers(layout, [5]), Tool.STRIPED, draws=5, seconds=60)

    assert found.topics == ("orders",)
    assert (found.spread.replica_spread >= 7).all()


def test_measures_agree_with_a_count_by_hand():
    """Moves, spreads and racks of draw 3 are those of its lists."""
    plan = remove_brokers(striped(FIVE, orders=12), [4])
    found = against_generate(plan, Tool.STRIPED, draws=4, seconds=60)
    after = beside_one_draw(plan, Tool.STRIPED, 3).proposal.after.assignments()
    before = plan.current.assignments()
    held = [sum(broker in replicas for replicas in after.values()) for broker in (1, 2, 3, 5)]
    leads = [sum(broker == replicas[0] for replicas in after.values()) for broker in (1, 2, 3, 5)]
    rack = {broker.id: broker.rack for broker in FIVE}

    assert found.spread.moves[3] == sum(len(set(after[key]) - set(before[key])) for key in before)
    assert found.spread.replica_spread[3] == max(held) - min(held)
    assert found.spread.leader_spread[3] == max(leads) - min(leads)
    assert found.spread.rack_violations[3] == sum(len({rack[b] for b in replicas}) < 2 for replicas in after.values())


def test_one_draw_stands_beside_the_plan_row_by_row():
    """Each row names what the tool proposes there, and the copies add up to the draw's moves."""
    plan = remove_brokers(striped(FIVE, orders=12, clicks=5), [4])
    found = against_generate(plan, Tool.KRAFT, draws=1, seconds=60)
    beside = beside_one_draw(plan, Tool.KRAFT, 0)
    proposed = beside.proposal.after.assignments()

    assert int(beside.generated_copies.sum()) == found.spread.moves[0]
    assert int(beside.copies.sum()) == plan.certificate.moves
    for row, replicas in zip(beside.rows.tolist(), beside.generated.tolist(), strict=True):
        key = (plan.current.topics[plan.current.topic_of[row]], int(plan.current.partition[row]))
        assert proposed[key] == replicas


def test_partitions_with_other_ids_are_left_without_a_list():
    """The tool numbers partitions from 0, so it has nothing for partition 40, and says so."""
    layout = ClusterLayout.from_assignments({("odd", 0): [1, 5], ("odd", 40): [5, 2]}, brokers=FIVE)
    beside = beside_one_draw(remove_brokers(layout, [5]), Tool.STRIPED, 0)

    assert beside.rows.tolist() == [0, 1]
    assert beside.generated[1].tolist() == [-1, -1]
    assert beside.generated_copies[1] == 0
    assert any("odd" in note for note in beside.proposal.notes)


def test_dead_brokers_are_not_given_to_the_tool():
    """Reseat moves nothing onto a dead broker, and neither may the tool."""
    layout = striped(FIVE, orders=12).with_brokers([Broker(1, "a", state=BrokerState.DEAD)])

    assert against_generate(remove_brokers(layout, [5]), Tool.STRIPED, draws=1).brokers == (2, 3, 4)


def test_added_brokers_are_targets_and_all_topics_are_given():
    """Nobody leaves, so the tool places everything anew, on the new broker too."""
    plan = add_brokers(striped(FIVE, orders=12, clicks=5), [Broker(9, "a")])
    found = against_generate(plan, Tool.STRIPED, draws=3, seconds=60)

    assert 9 in found.brokers
    assert found.topics == ("clicks", "orders")


def test_replication_factors_are_none_of_its_business():
    """The tool keeps them, so there is nothing to compare."""
    plan = change_replication_factor(striped(FIVE, orders=12), ["orders"], 3)

    with pytest.raises(WishRefused, match="keeps each topic's replication factor"):
        against_generate(plan, Tool.STRIPED)


def test_some_brokers_without_a_rack_are_refused_in_kafkas_words_until_racks_are_disabled():
    """Then lists may share racks, and that is counted."""
    brokers = [Broker(0, "a"), Broker(1, "a"), Broker(2, "a"), Broker(3), Broker(4)]
    plan = remove_brokers(striped([Broker(b.id) for b in brokers], orders=40).with_brokers(brokers), [4])

    with pytest.raises(PlacementRefused, match="Not all brokers have rack information"):
        against_generate(plan, Tool.STRIPED)

    found = against_generate(plan, Tool.STRIPED, draws=5, seconds=60, rack_mode=RackMode.DISABLED)

    assert (found.spread.rack_violations > 0).all()


def test_draws_end_when_the_time_is_up():
    """One draw is always made; the count says how many there were."""
    plan = remove_brokers(striped(FIVE, orders=12), [4])
    ticks = itertools.count()

    assert against_generate(plan, Tool.STRIPED, draws=50, seconds=3, clock=lambda: next(ticks)).draws == 4
    assert against_generate(plan, Tool.STRIPED, draws=50, seconds=-1).draws == 1
    assert expected_seconds(plan, Tool.STRIPED) < expected_seconds(plan, Tool.KRAFT) < 1
