"""The layout once a plan is done: one answer to "what will it be like", for every page and number."""

from __future__ import annotations

import numpy as np

from reseat.balance import findings
from reseat.election import after_plan, layout_after, once_done
from reseat.model import NONE, NOT_TOLD, Broker, Certificate, ClusterLayout, Plan, Wish
from reseat.planning import plan

LAYOUT = ClusterLayout.from_assignments(
    {("orders", 0): [1, 2], ("orders", 1): [4, 3], ("orders", 2): [3, 1], ("logs", 0): [4], ("logs", 1): [2]},
    brokers=[Broker(1, "a"), Broker(2, "b"), Broker(3, "c"), Broker(4, "a")],
    leaders={("orders", 0): 2, ("orders", 1): 4, ("orders", 2): None, ("logs", 0): 4},
    in_sync={("orders", 0): [1, 2], ("orders", 1): [4], ("orders", 2): [], ("logs", 0): [4]},
)


def test_brokers_that_left_are_gone_and_nothing_else_is() -> None:
    """Broker 4 leaves: its places are taken, its leaders handed over, and who led elsewhere leads on."""
    made = plan(LAYOUT, Wish(remove=(4,)))
    after = layout_after(made)

    assert [broker.id for broker in after.brokers] == [1, 2, 3]
    assert after.assignments() == made.proposed.assignments()
    assert after.leader_ids.tolist() == once_done(made).leader_ids.tolist()
    assert after.leader_ids[LAYOUT.row("orders", 0)] == 2
    assert after.leader_ids[LAYOUT.row("orders", 1)] != 4
    assert after.leader_ids[LAYOUT.row("orders", 2)] == NONE
    assert after.leader_ids[LAYOUT.row("logs", 1)] == NOT_TOLD


def test_it_is_what_an_election_then_starts_from() -> None:
    """The preview of an election after the plan counts the very leaders of this layout."""
    made = plan(LAYOUT, Wish(remove=(4,)))
    done = after_plan(made).leader_done

    assert done is not None
    assert layout_after(made).leader_ids.tolist() == done.tolist()


def test_who_received_a_replica_is_in_sync_once_it_is_done() -> None:
    """A reassignment is done when its whole target is in the ISR."""
    made = plan(LAYOUT, Wish(remove=(4,)))
    after = layout_after(made)
    row = LAYOUT.row("orders", 1)

    assert after.in_sync is not None
    assert after.in_sync_known[row]
    assert np.array_equal(after.in_sync[row], after.replicas[row] != NONE)


def test_a_broker_that_keeps_something_stays() -> None:
    """A reassignment that leaves a replica on a broker leaves the broker too."""
    made = plan(LAYOUT, Wish(remove=(4,), add=((9, "b"),)))
    kept = layout_after(type(made)(made.current, made.current, made.certificate))

    assert 4 in kept.broker_ids


def test_a_rack_that_is_emptied_does_not_count_as_free() -> None:
    """Brokers taken out are no place where replicas could be: their rack is not held against the plan."""
    proposed = ClusterLayout.from_assignments(
        {("t", 0): [1, 2]}, brokers=[Broker(1, "a"), Broker(2, "a"), Broker(3, "b")]
    )
    made = Plan(proposed, proposed, Certificate(wish=Wish(remove=(3,)), moves=0))
    kinds = {finding.kind for finding in findings(layout_after(made))}

    assert "rack_shared_while_free" in {finding.kind for finding in findings(proposed)}
    assert not kinds & {"rack_shared_while_free", "dead_broker_mentioned", "empty_broker"}
